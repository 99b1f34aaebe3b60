/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Example of a dialect: "-isa = guarded". Its lines have a column for the guard before the opcode, and the
 * sources before the destinations. Only the form of the guard is checked, because the mask already includes
 * its effect.
 */
#include "trace/line.h"

int line_read_guard(struct parse *s)
{
	line_next(s);
	if (s->word.n != 2 || s->word.s[0] != 'P' ||
		((s->word.s[1] < '0' || s->word.s[1] > '6') && s->word.s[1] != 'T'))
		return line_report_bad_column(s, COLUMN_GUARD);
	return 0;
}
