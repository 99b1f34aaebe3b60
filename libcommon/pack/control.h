/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Control codes of functions as bytes of the stream, and the function that a kernel's header names. Internal
 * to libcommon.
 */
#ifndef PACK_CONTROL_H
#define PACK_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "buf.h"

#define INST_BYTES 16u /* of machine code */

/* A function's name, in the text of the header, and its machine; false: the header lacks one. */
struct function_name {
	const char *name;
	size_t len;
	unsigned sm;
};
bool pack_function_name(struct function_name *f, const char *header, size_t n);

/* Bytes that pack_control() adds for n instructions at code. */
size_t pack_control_size(const uint8_t *code, uint32_t n);
/* The codes of n instructions, each field of all of them together. */
void pack_control(struct buf *out, const uint8_t *code, uint32_t n);
/*
 * The way back: n instructions of which control_decode() says what it said of those packed; all else of them
 * is 0. false: there are fewer bytes than they take. out NULL: the bytes are passed over.
 */
bool pack_control_unpack(struct cur *in, uint8_t *out, uint32_t n);

#endif
