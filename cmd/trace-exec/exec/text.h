/* SPDX-License-Identifier: BSD-2-Clause */
/* Text of a trace while it is made: a buffer, and the words of lines. See text.c. */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_LINE_ROOM 1024u /* bytes of a line, at most */

struct text {
	char *p;
	size_t n, cap;
};
void text_room(struct text *t, size_t more);

void text_prepare(void);                 /* before any of those below; not by two threads at once */
char *text_mask(char *p, uint32_t mask); /* 8 digits */
char *text_hex(char *p, uint64_t v, unsigned digits); /* at least so many */
char *text_number(char *p, int64_t v);
/* Of the lanes of m, a blank first. */
char *text_addresses(char *p, const uint64_t *a, uint32_t m);
/* Have the lanes of m, without a hole between them, addresses of one stride? */
bool text_stride(const uint64_t *a, uint32_t m, int64_t *stride);

#endif
