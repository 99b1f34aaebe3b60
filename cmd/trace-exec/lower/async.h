/* SPDX-License-Identifier: BSD-2-Clause */
/* Asynchronous instructions of Hopper in the trace of a lowered kernel, whose lines then have version 6: async.c. */
#ifndef LOWER_ASYNC_H
#define LOWER_ASYNC_H

#include "lower/select.h"

/* Columns of a line that replace width and addresses. */
enum async_column { ASYNC_NONE, ASYNC_BULK, ASYNC_TENSOR, ASYNC_MBARRIER, ASYNC_STORE };

/* Returns true if only lines of version 6 describe the instruction. */
bool async_needs_version6(const struct stmt *in);
/* Writes the suffixes of a machine opcode that depend on the operation. They replace $ in lower.def. */
void async_write_suffixes(char *to, size_t cap, const struct stmt *in, const struct op *o);
/* Returns true if instruction i of f, a product, is the last product of its group. */
bool async_ends_group(const struct func *f, uint32_t i);
enum async_column async_column_of(const char *opcode);

/* Converts an offset in shared memory, or its generic address, to an address with the rank of the block. */
uint32_t async_shared_address(const struct warp *w, uint64_t at);
/* Writes the columns of an executed instruction for the lanes of exec to p, and returns the new end. */
char *async_put_columns(enum async_column column, struct warp *w, const struct op *o, char *p, uint32_t exec);
/* Number of source registers in a line of an mbarrier operation: address and value. */
#define ASYNC_SOURCES 2u
/*
 * Writes the values of the registers in a line of an mbarrier operation: the result, if there is one, the
 * address and the value.
 */
char *async_put_values(char *p, const struct warp *w, const struct op *o, bool result, uint32_t exec);

#endif
