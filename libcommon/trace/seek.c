/* SPDX-License-Identifier: BSD-2-Clause */
/* Moves to a thread block: jumps in a packed stream, otherwise reads up to it. */
#include "reader.h"

static int report_no_such_block(const struct trace *t, uint64_t block, uint64_t there, struct fault *f)
{
	return fault_set(f, (struct place){t->name, 0, 0}, "block-number",
		"thread block %llu does not exist (expected 0 to %llu)", (unsigned long long)block,
		(unsigned long long)(there ? there - 1 : 0));
}

int trace_seek(struct trace *t, uint64_t block, struct tblock *tb, struct fault *f)
{
	int r = 1;

	if (block >= kernel_blocks(&t->header))
		return report_no_such_block(t, block, kernel_blocks(&t->header), f);
	if (block == t->blocks)
		return 1;
	if (t->columns_are_records && (r = packed_seek(t, block, f)) <= 0)
		return r;
	if (block < t->blocks)
		return 0;
	while (t->blocks < block && (r = trace_next(t, tb, f)) > 0)
		;
	return r == 0 ? report_no_such_block(t, block, t->blocks, f) : r;
}
