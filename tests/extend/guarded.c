/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A dialect that the tree does not have: "-isa = guarded", lines with a column of their own before the
 * opcode, the guard, and with the sources before the destinations. The guard is checked, nothing else: the
 * mask says it all.
 */
#include "trace/line.h"

int line_read_guard(struct parse *s)
{
	line_next(s);
	if (s->w.n != 2 || s->w.s[0] != 'P' || ((s->w.s[1] < '0' || s->w.s[1] > '6') && s->w.s[1] != 'T'))
		return line_found_not(s, COLUMN_GUARD);
	return 0;
}
