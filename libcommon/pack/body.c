/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conversion of a piece to one string and back: flags, header, tables, text, length of the kernel, columns.
 *
 * Always true: a piece that was split from a string refers only to that string.
 */
#include "body.h"
#include "stream.h"

static void append_sized_bytes(struct buf *out, const struct cur *c)
{
	buf_var(out, cur_left(c));
	buf_add(out, c->p, cur_left(c));
}

void body_join(struct buf *out, const struct body_parts *b)
{
	buf_byte(out, (uint8_t)b->flags);
	append_sized_bytes(out, &b->header);
	append_sized_bytes(out, &b->table);
	if (b->flags & PIECE_STORED)
		append_sized_bytes(out, &b->stored);
	if (b->flags & PIECE_ENDS)
		buf_var(out, b->text_bytes);
	for (int k = 1; k < COL_STORED; k++)
		buf_add(out, b->col[k].p, cur_left(&b->col[k]));
}

bool body_split(struct body_parts *b, const uint8_t *s, size_t n)
{
	struct cur in = cur_of(s, n);

	*b = (struct body_parts){.flags = cur_byte(&in)};
	b->header = cur_column(&in);
	b->table = cur_column(&in);
	b->stored = b->flags & PIECE_STORED ? cur_column(&in) : cur_of(NULL, 0);
	b->text_bytes = b->flags & PIECE_ENDS ? cur_var(&in) : 0;
	b->columns = in;
	return !in.bad && !b->header.bad && !b->table.bad && !b->stored.bad &&
	       !(b->flags & ~(0u + PIECE_BEGINS + PIECE_ENDS + PIECE_PART + PIECE_STORED)) &&
	       b->flags & PIECE_PART;
}
