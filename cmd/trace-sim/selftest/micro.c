/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of micro-traces: instruction lines, and the kernel file around them as it is read (micro.h).
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "input.h"
#include "selftest/micro.h"

#define LINE_ROOM 2048u /* of the longest line, with 32 addresses */

struct micro_piece {
	char *text;
	size_t len, cap;
};

struct micro_text {
	const struct micro *m;
	struct scribe warp;     /* the body made last */
	struct micro_piece out; /* what is not read yet begins at */
	size_t at;
	uint64_t block; /* the next one */
	bool made;      /* the body that all warps share */
};

/* ---- lines ---------------------------------------------------------------------------------- */

static void put(char **text, size_t *len, size_t *cap, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
static void put(char **text, size_t *len, size_t *cap, const char *fmt, ...)
{
	va_list args;

	if (*cap - *len < LINE_ROOM) {
		*cap = *cap ? 2 * *cap : 32u * LINE_ROOM;
		*text = xrealloc(*text, *cap, 1);
	}
	va_start(args, fmt);
	*len += (size_t)vsnprintf(*text + *len, *cap - *len, fmt, args);
	va_end(args);
}

#define WRITE(s, ...) put(&(s)->text, &(s)->len, &(s)->cap, __VA_ARGS__)

static unsigned words(const char *s)
{
	unsigned n = 0;

	for (; *s; s++)
		n += *s != ' ' && (s[1] == ' ' || !s[1]);
	return n;
}

static void begin(struct scribe *s, uint32_t mask, const char *dst, const char *op, const char *src)
{
	WRITE(s, "%04" PRIx32 " %08" PRIx32 " %u %s%s%s %u %s%s", s->pc, mask, words(dst), dst,
		*dst ? " " : "", op, words(src), src, *src ? " " : "");
	s->pc += 16;
	s->insts++;
}

void scribe_masked(
	struct scribe *s, uint32_t mask, const char *dst, const char *op, const char *src, uint64_t imm)
{
	begin(s, mask, dst, op, src);
	WRITE(s, "0 %" PRIu64 " \n", imm);
}

void scribe_op(struct scribe *s, const char *dst, const char *op, const char *src, uint64_t imm)
{
	scribe_masked(s, LANES_ALL, dst, op, src, imm);
}

/* Address modes of the format: 0 a list, 1 base and stride of one unbroken run of lanes. */
void scribe_mem(struct scribe *s, uint32_t mask, const char *dst, const char *op, const char *src,
	uint32_t width, uint64_t base, int64_t stride)
{
	begin(s, mask, dst, op, src);
	if (mask & (mask - 1))
		WRITE(s, "%" PRIu32 " 1 0x%" PRIx64 " %" PRId64 " 0 \n", width, base, stride);
	else
		WRITE(s, "%" PRIu32 " 0 0x%" PRIx64 " 0 \n", width, base);
}

void scribe_lanes(struct scribe *s, const char *dst, const char *op, const char *src, uint32_t width,
	const uint64_t lane[32])
{
	begin(s, LANES_ALL, dst, op, src);
	WRITE(s, "%" PRIu32 " 0 ", width);
	for (unsigned i = 0; i < 32; i++)
		WRITE(s, "0x%" PRIx64 " ", lane[i]);
	WRITE(s, "0 \n");
}

void scribe_exit(struct scribe *s) { scribe_op(s, "", "EXIT", "", 0); }

/* ---- the file ------------------------------------------------------------------------------- */

struct micro_text *micro_text_new(const struct micro *m)
{
	struct micro_text *t = xcalloc(1, sizeof *t);

	t->m = m;
	WRITE(&t->out,
		"-kernel name = %s\n-kernel id = 1\n-grid dim = (%" PRIu32 ",1,1)\n-block dim = (%" PRIu32
		",1,1)\n-shmem = %" PRIu32 "\n-nregs = %" PRIu32 "\n-binary version = %" PRIu32
		"\n-cuda stream id = 0\n-shmem base_addr = 0x%" PRIx64
		"\n-local mem base_addr = 0x7f6000000000\n-nvbit version = 1.7\n-accelsim tracer version = 5\n"
		"-enable lineinfo = 0\n\n",
		m->name, m->blocks, m->threads, m->shmem, m->nregs, m->arch, MICRO_SHARED);
	return t;
}

static void make_warp(struct micro_text *t, uint32_t block, uint32_t warp)
{
	struct scribe *s = &t->warp;

	if (t->made)
		return;
	s->len = 0;
	s->insts = s->pc = 0;
	t->m->body(s, t->m, block, warp);
	t->made = t->m->alike;
}

static void make_block(struct micro_text *t)
{
	const struct micro *m = t->m;
	struct micro_piece *out = &t->out;

	WRITE(out, "#BEGIN_TB\n\nthread block = %" PRIu64 ",0,0\n", t->block);
	for (uint32_t w = 0; w < (m->threads + 31) / 32; w++) {
		make_warp(t, (uint32_t)t->block, w);
		WRITE(out, "\nwarp = %" PRIu32 "\ninsts = %" PRIu32 "\n", w, t->warp.insts);
		if (out->cap - out->len < t->warp.len) {
			out->cap = out->len + t->warp.len + out->cap;
			out->text = xrealloc(out->text, out->cap, 1);
		}
		memcpy(out->text + out->len, t->warp.text, t->warp.len);
		out->len += t->warp.len;
	}
	WRITE(out, "\n#END_TB\n\n");
	t->block++;
}

static size_t read_text(void *ctx, void *buf, size_t n)
{
	struct micro_text *t = ctx;
	size_t have = t->out.len - t->at;

	if (!have) {
		if (t->block == t->m->blocks)
			return 0;
		t->out.len = t->at = 0;
		make_block(t);
		have = t->out.len;
	}
	if (n > have)
		n = have;
	memcpy(buf, t->out.text + t->at, n);
	t->at += n;
	return n;
}

struct input *micro_input(struct micro_text *t) { return input_made(t->m->name, read_text, t); }

void micro_text_free(struct micro_text *t)
{
	if (!t)
		return;
	free(t->warp.text);
	free(t->out.text);
	free(t);
}
