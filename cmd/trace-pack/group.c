/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Raw traces, in which the lines of all warps are mixed, to text grouped by thread block and warp.
 *
 * Always true: the lines of a warp keep their order; thread blocks come in raster order, each with all warps
 * of its block, a warp without lines too; memory is the limit plus a few words for each warp. What is over
 * the limit lies in a temporary file without a name. Of an LDGSTS that the tracer logged twice the side in
 * the shared window is dropped.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "arena.h"
#include "columns.h"
#include "tool.h"

#define SHARED_BITS 24u /* size of the shared window */
#define HEAD_TEXT   (1u << 20)
#define MIN_GROW    256u

struct extent {
	uint64_t at, n;
};

struct lines { /* of one warp */
	char *text;
	uint32_t n, cap;
	uint64_t insts;
	struct extent *extent;
	uint32_t n_extents, cap_extents;
};

struct group {
	struct input *in;
	struct fault *f;
	uint32_t grid[3], warps, prefix; /* prefix: columns that grouped text lacks */
	uint64_t shared;
	uint64_t blocks;
	struct lines **block; /* by raster number: its warps, NULL without lines */
	uint64_t held, limit, spilled;
	FILE *file;
};

static struct place here(const struct group *g)
{
	return (struct place){input_name(g->in), input_lineno(g->in), 0};
}

/* ---- the header --------------------------------------------------------------------------- */

static bool begins(const char *line, size_t n, const char *word)
{
	return n >= strlen(word) && !memcmp(line, word, strlen(word));
}

int group_wanted(struct input *in, struct fault *f)
{
	const char *p;
	long n = input_window(in, HEAD_TEXT, &p, f);

	if (n < 0)
		return -1;
	bool format = false;
	for (const char *s = p, *end = p + n; s < end;) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));
		size_t len = (size_t)((nl ? nl : end) - s);

		if (begins(s, len, "#BEGIN_TB"))
			return 0;
		if (format && len && *s >= '0' && *s <= '9')
			return 1;
		format |= begins(s, len, "#traces format");
		s += len + 1;
	}
	return 0;
}

static void header_value(struct group *g, const char *line, size_t n, uint32_t block[3], unsigned *version)
{
	char t[128];
	unsigned long long v;

	snprintf(t, sizeof(t), "%.*s", (int)(n < 127 ? n : 127), line);
	sscanf(t, "-grid dim = (%u,%u,%u)", &g->grid[0], &g->grid[1], &g->grid[2]);
	sscanf(t, "-block dim = (%u,%u,%u)", &block[0], &block[1], &block[2]);
	sscanf(t, "-accelsim tracer version = %u", version);
	if (sscanf(t, "-shmem base_addr = %llx", &v) == 1)
		g->shared = v;
}

/* Handed on up to the blank line behind the format line. */
static int header(struct group *g, bool (*write)(void *ctx, const void *bytes, size_t n), void *ctx)
{
	uint32_t block[3] = {0, 0, 0};
	unsigned version = 0;
	const char *line;
	size_t n;
	int r;
	bool format = false;

	while ((r = input_line(g->in, &line, &n, g->f)) > 0) {
		write(ctx, line, n);
		write(ctx, "\n", 1);
		if (format && !n)
			break;
		format |= begins(line, n, "#traces format");
		header_value(g, line, n, block, &version);
	}
	if (r < 0)
		return -1;
	uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
	bool good = g->grid[0] && g->grid[1] && g->grid[2] && threads && threads <= 65536 &&
		    block[0] <= 65536 && block[1] <= 65536 && block[2] <= 65536;
	good = good && !__builtin_mul_overflow((uint64_t)g->grid[0] * g->grid[1], g->grid[2], &g->blocks) &&
	       g->blocks <= UINT32_MAX;
	if (!good)
		return fault_set(g->f, here(g), "header-value",
			"found no usable grid and block dimensions in the "
			"header of a raw trace, wanted both");
	g->warps = (uint32_t)((threads + 31) / 32);
	g->prefix = version >= 3 ? 4 : 0;
	return 0;
}

/* ---- lines -------------------------------------------------------------------------------- */

static int spill(struct group *g)
{
	if (!g->file && !(g->file = tmpfile()))
		return fault_set(g->f, here(g), "spool", "cannot make a temporary file: %s", strerror(errno));
	for (uint64_t b = 0; b < g->blocks; b++) {
		for (uint32_t w = 0; g->block[b] && w < g->warps; w++) {
			struct lines *l = &g->block[b][w];

			if (!l->n)
				continue;
			if (fwrite(l->text, 1, l->n, g->file) != l->n)
				return fault_set(g->f, here(g), "spool", "cannot write a temporary file: %s",
					strerror(errno));
			grow(&l->extent, &l->cap_extents, l->n_extents + 1, sizeof(l->extent[0]));
			l->extent[l->n_extents++] = (struct extent){g->spilled, l->n};
			g->spilled += l->n;
			free(l->text);
			l->text = NULL;
			l->n = l->cap = 0;
		}
	}
	g->held = 0;
	return 0;
}

/* The side of a twice logged LDGSTS that lies in shared memory. */
static bool shared_side(const struct group *g, const char *line, size_t n)
{
	const char *op = memmem(line, n, " LDGSTS", 7);
	const char *at = op ? memmem(op, (size_t)(line + n - op), " 0x", 3) : NULL;

	if (!at)
		return false;
	char t[20];
	snprintf(t, sizeof(t), "%.*s", (int)(line + n - at - 3 < 16 ? line + n - at - 3 : 16), at + 3);
	uint64_t a = strtoull(t, NULL, 16);
	return a >> SHARED_BITS == g->shared >> SHARED_BITS || !(a >> SHARED_BITS);
}

static int take_line(struct group *g, const char *line, size_t n)
{
	const uint32_t limit[4] = {g->grid[0], g->grid[1], g->grid[2], g->warps};
	const char *end = line + n;
	uint32_t id[4];
	unsigned bad;
	const char *s = line_numbers(line, end, 4, id, &bad);

	for (unsigned i = 4; s && i-- > 0;)
		bad = id[i] < limit[i] ? bad : i;
	if (!s || id[bad] >= limit[bad])
		return fault_set(g->f, here(g), "prefix",
			"found no %s below %u in column %u of a raw trace, "
			"wanted thread block x, y, z and warp before the PC",
			bad < 3 ? "thread block id" : "warp", limit[bad], bad + 1);
	if (shared_side(g, line, n))
		return 0;
	const char *from = g->prefix ? s : line;
	uint32_t len = (uint32_t)(end - from);
	struct lines **b = &g->block[id[0] + (uint64_t)g->grid[0] * (id[1] + (uint64_t)g->grid[1] * id[2])];
	if (!*b)
		*b = xcalloc(g->warps, sizeof(**b));
	struct lines *l = &(*b)[id[3]];
	if (l->cap - l->n < len + 1) {
		uint32_t had = l->cap;

		grow(&l->text, &l->cap, l->n + len + 1 < MIN_GROW ? MIN_GROW : l->n + len + 1, 1);
		g->held += l->cap - had;
	}
	memcpy(l->text + l->n, from, len);
	l->text[l->n + len] = '\n';
	l->n += len + 1;
	l->insts++;
	return g->held > g->limit ? spill(g) : 0;
}

/* ---- the result --------------------------------------------------------------------------- */

struct to {
	bool (*write)(void *ctx, const void *bytes, size_t n);
	void *ctx;
};

static int write_lines(struct group *g, const struct lines *l, const struct to *to)
{
	char buf[16384];

	for (uint32_t i = 0; i < l->n_extents; i++) {
		struct extent e = l->extent[i];

		while (e.n) {
			ssize_t got = pread(
				fileno(g->file), buf, e.n < sizeof(buf) ? e.n : sizeof(buf), (off_t)e.at);

			if (got <= 0)
				return fault_set(g->f, here(g), "spool", "cannot read a temporary file: %s",
					strerror(errno));
			to->write(to->ctx, buf, (size_t)got);
			e.at += (uint64_t)got;
			e.n -= (uint64_t)got;
		}
	}
	if (l->n)
		to->write(to->ctx, l->text, l->n);
	return 0;
}

static int write_block(struct group *g, uint64_t b, const struct to *to)
{
	char t[160];
	int n = snprintf(t, sizeof(t), "\n#BEGIN_TB\n\nthread block = %llu,%llu,%llu\n\n",
		(unsigned long long)(b % g->grid[0]), (unsigned long long)(b / g->grid[0] % g->grid[1]),
		(unsigned long long)(b / g->grid[0] / g->grid[1]));

	to->write(to->ctx, t, (size_t)n);
	for (uint32_t w = 0; w < g->warps; w++) {
		const struct lines *l = &g->block[b][w];

		n = snprintf(t, sizeof(t), "warp = %u\ninsts = %llu\n", w, (unsigned long long)l->insts);
		to->write(to->ctx, t, (size_t)n);
		if (write_lines(g, l, to) < 0)
			return -1;
		to->write(to->ctx, "\n", 1);
	}
	to->write(to->ctx, "#END_TB\n", 8);
	return 0;
}

static int write_all(struct group *g, const struct to *to)
{
	if (g->file && fflush(g->file))
		return fault_set(
			g->f, here(g), "spool", "cannot write a temporary file: %s", strerror(errno));
	to->write(to->ctx, "\n", 1);
	for (uint64_t b = 0; b < g->blocks; b++)
		if (g->block[b] && write_block(g, b, to) < 0)
			return -1;
	return 0;
}

int group_text(struct input *in, uint64_t memory, bool (*write)(void *ctx, const void *bytes, size_t n),
	void *ctx, struct fault *f)
{
	struct group g = {.in = in, .f = f, .limit = memory};
	const char *line;
	size_t n;
	int r = header(&g, write, ctx);

	if (r < 0)
		return -1;
	g.block = reserve(g.blocks, sizeof(g.block[0]));
	while ((r = input_line(in, &line, &n, f)) > 0)
		if (n && take_line(&g, line, n) < 0)
			break;
	r = r == 0 ? write_all(&g, &(struct to){write, ctx}) : -1;
	for (uint64_t b = 0; b < g.blocks; b++) {
		for (uint32_t w = 0; g.block[b] && w < g.warps; w++) {
			free(g.block[b][w].text);
			free(g.block[b][w].extent);
		}
		free(g.block[b]);
	}
	reserve_free(g.block, g.blocks, sizeof(g.block[0]));
	if (g.file)
		fclose(g.file);
	return r;
}
