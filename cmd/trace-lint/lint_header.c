/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks the header for values that no GPU has, and for a version that does not agree with the lines. The
 * reader reports missing, repeated and malformed fields.
 */
#include "lint.h"

#define SHMEM_MAX (228u << 10) /* largest shared memory of an SM on any GPU: Hopper and Blackwell */

static struct place place_of_whole_file(const struct lint *l)
{
	return (struct place){.file = trace_path(l->trace)};
}

void lint_header(struct lint *l)
{
	const struct kernel_header *h = l->head;
	int b = h->binary_version;

	if (kernel_threads(h) > 1024 || h->block[2] > 64)
		report_at(l->rep, RULE_BLOCK_THREADS, place_of_whole_file(l),
			"thread block of %u,%u,%u, %u threads (expected at most 1024, and 64 in z)",
			h->block[0], h->block[1], h->block[2], kernel_threads(h));
	if (h->grid[0] > INT32_MAX || h->grid[1] > 65535 || h->grid[2] > 65535)
		report_at(l->rep, RULE_BLOCK_THREADS, place_of_whole_file(l),
			"grid of %u,%u,%u (expected at most 2147483647,65535,65535)", h->grid[0], h->grid[1],
			h->grid[2]);
	if (h->shmem_bytes > SHMEM_MAX && h->shmem_bytes != UINT32_MAX)
		report_at(l->rep, RULE_SHMEM_SIZE, place_of_whole_file(l),
			"%u bytes of shared memory (expected at most %u)", h->shmem_bytes, SHMEM_MAX);
	if (h->nregs > 256)
		report_at(l->rep, RULE_NREGS_SIZE, place_of_whole_file(l),
			"%u registers per thread (expected at most 256)", h->nregs);
	if (!h->ptx && b != 35 && b != 60 && b != 61 && b != 70 && b != 75 && b != 80 && b != 86)
		report_at(l->rep, RULE_HEADER_ORIGINAL, place_of_whole_file(l),
			"binary version %d is unknown to the original simulator", b);
}

/*
 * Returns true if the tracer of the declared version writes this number of columns before the PC, and this
 * number of immediates.
 */
static bool columns_match_version(const struct kernel_header *h, struct trace_shape s)
{
	int v = h->tracer_version, line = h->lineinfo, prefix = v < 3 ? 4 : 0,
	    imms = v < 5    ? 0
		   : v == 5 ? 1
			    : 2;

	if (s.is_raw)
		prefix = v < 6 ? 4 : 11;
	return s.prefix_columns == prefix + line && (s.imms == imms || (v == 4 && s.imms == 1));
}

void lint_columns(struct lint *l)
{
	const struct kernel_header *h = l->head;
	struct trace_shape s = trace_shape(l->trace);

	l->has_imm = s.imms > 0;
	l->are_columns_known = true;
	if (s.dialect == DIALECT_SASS && !columns_match_version(h, s))
		report_at(l->rep, RULE_VERSION_SHAPE, place_of_whole_file(l),
			"tracer version %d%s does not write lines with %d column%s before the PC and %d immediate%s",
			h->tracer_version, h->lineinfo ? " with line information" : "", s.prefix_columns,
			s.prefix_columns == 1 ? "" : "s", s.imms, s.imms == 1 ? "" : "s");
}
