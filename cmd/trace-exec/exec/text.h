/* SPDX-License-Identifier: BSD-2-Clause */
/* Text of a trace: a buffer, and the words of lines. See text.c. */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TRACE_LINE_ROOM 1024u /* longest line in bytes */

struct text {
	char *p;
	size_t n, cap;
};
/* Makes space for `more` bytes. */
void text_reserve(struct text *t, size_t more);

/* Bases of the windows of generic addresses in traces of machine code. */
#define SHARED_WINDOW_BASE 0x7f0000000000ull
#define LOCAL_WINDOW_BASE  0x7f1000000000ull

struct grid;
struct launch;
struct source_lines;
/* Writes the header line of a programmatic launch; nothing for other launches. */
void text_write_programmatic(FILE *out, const struct launch *l);
/*
 * Writes the header of a kernel's trace as machine code. shared: bytes of shared memory of a block, without those that
 * are reserved for the system; regs: registers of a thread; binary: binary version; version: format of the lines, 5 or
 * 6; lines: source lines of its code.
 */
void text_write_machine_header(FILE *out, const struct grid *g, uint32_t shared, uint32_t regs,
	unsigned binary, unsigned version, const struct source_lines *lines);

/*
 * Makes the tables. Must be called before the functions below, by one thread at a time. lines: whether lines will be
 * written; otherwise addresses are written without the larger table, which packed records rarely need.
 */
void text_prepare(bool lines);
/* Writes a mask as 8 hexadecimal digits. */
char *text_put_mask(char *p, uint32_t mask);
/* Writes v in at least `digits` hexadecimal digits. */
char *text_put_hex(char *p, uint64_t v, unsigned digits);
char *text_put_number(char *p, int64_t v);
/* Writes a blank, then the addresses of the lanes of m. */
char *text_put_addresses(char *p, const uint64_t *a, uint32_t m);

#endif
