/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Generates the text of micro-traces while it is read: instruction lines, and the rest of the kernel file
 * (micro.h).
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "bits.h"
#include "input.h"
#include "selftest/micro.h"

struct micro_text {
	const struct micro *micro;
	struct scribe warp;     /* text of the warp generated last */
	struct bytes out;       /* text of the current thread block */
	size_t n_read;          /* number of bytes of `out` that have been read */
	uint64_t block;         /* next thread block */
	bool shared_text_ready; /* true if the text that all warps share has been generated */
};

/* ---- lines ---------------------------------------------------------------------------------- */

static unsigned count_words(const char *s)
{
	unsigned n = 0;

	for (; *s; s++)
		n += *s != ' ' && (s[1] == ' ' || !s[1]);
	return n;
}

static void begin_inst(struct scribe *s, uint32_t mask, const char *dst, const char *op, const char *src)
{
	bytes_printf(&s->text, "%04" PRIx32 " %08" PRIx32 " %u %s%s%s %u %s%s", s->pc, mask, count_words(dst),
		dst, *dst ? " " : "", op, count_words(src), src, *src ? " " : "");
	s->pc += 16;
	s->insts++;
}

/* Ends a line with its immediates. Lines of version 6 have two immediates and the word "NoVal". */
static void end_inst(struct scribe *s, uint64_t imm)
{
	bytes_printf(&s->text, s->v6 ? "%" PRIu64 " 0 NoVal\n" : "%" PRIu64 " \n", imm);
}

void scribe_masked_op(
	struct scribe *s, uint32_t mask, const char *dst, const char *op, const char *src, uint64_t imm)
{
	begin_inst(s, mask, dst, op, src);
	bytes_printf(&s->text, "0 ");
	end_inst(s, imm);
}

void scribe_op(struct scribe *s, const char *dst, const char *op, const char *src, uint64_t imm)
{
	scribe_masked_op(s, LANES_ALL, dst, op, src, imm);
}

/*
 * With several lanes, the line has address mode 1 (base and stride). With a single lane, it has mode 0 (a
 * list of one address).
 */
void scribe_mem(struct scribe *s, uint32_t mask, const char *dst, const char *op, const char *src,
	uint32_t width, uint64_t base, int64_t stride)
{
	begin_inst(s, mask, dst, op, src);
	if (mask & (mask - 1))
		bytes_printf(&s->text, "%" PRIu32 " 1 0x%" PRIx64 " %" PRId64 " ", width, base, stride);
	else
		bytes_printf(&s->text, "%" PRIu32 " 0 0x%" PRIx64 " ", width, base);
	end_inst(s, 0);
}

void scribe_lanes(struct scribe *s, uint32_t mask, const char *dst, const char *op, const char *src,
	uint32_t width, const uint64_t lane[32])
{
	begin_inst(s, mask, dst, op, src);
	bytes_printf(&s->text, "%" PRIu32 " 0 ", width);
	FOR_BITS32 (i, mask)
		bytes_printf(&s->text, "0x%" PRIx64 " ", lane[i]);
	end_inst(s, 0);
}

void scribe_sync(struct scribe *s, const char *op, uint32_t barrier, uint32_t value)
{
	begin_inst(s, 1, "", op, "R4 R6");
	bytes_printf(&s->text, "8 0 0x%" PRIx64 " 0 0 Val 1 %08" PRIx32 " 1 %08" PRIx32 "\n",
		MICRO_SHARED + barrier, barrier, value);
}

#define COPY_ELEMENT 16u /* size in bytes of an element in the address list of a copy */

void scribe_bulk_copy(struct scribe *s, const char *op, uint32_t barrier, const struct scribe_box *b)
{
	uint32_t in_row = b->bytes / COPY_ELEMENT, n = in_row * b->rows * b->planes;
	uint32_t outside = n ? 0 : b->bytes;
	uint64_t last = b->base, at;

	begin_inst(s, 1, "", op, "UR4");
	bytes_printf(&s->text, "%u 0x%08" PRIx32 " %d ", COPY_ELEMENT, barrier, b->mask != 0);
	if (b->mask)
		bytes_printf(&s->text, "0x%04" PRIx32 " ", b->mask);
	bytes_printf(&s->text, "%" PRIu32 " %" PRIu32 " 4 0x%" PRIx64 " %" PRIu32 " ",
		n * COPY_ELEMENT + outside, outside, b->base, n);
	for (uint32_t i = 1; i < n; i++, last = at) {
		at = b->base + i / (in_row * b->rows) * b->plane + i / in_row % b->rows * b->pitch +
		     i % in_row * COPY_ELEMENT;
		bytes_printf(&s->text, "%" PRId64 " ", (int64_t)(at - last));
	}
	end_inst(s, 0);
}

void scribe_cluster_copy(struct scribe *s, uint32_t rank, uint32_t barrier, uint32_t bytes)
{
	begin_inst(s, 1, "", "UBLKCP.S.S", "UR4");
	bytes_printf(&s->text, "%u 0x%08" PRIx32 " 0 %" PRIu32 " 0 4 0x0 0 ", COPY_ELEMENT,
		rank << 24 | barrier, bytes);
	end_inst(s, 0);
}

void scribe_write_exit(struct scribe *s) { scribe_op(s, "", "EXIT", "", 0); }

uint64_t micro_count_insts(const struct micro *m)
{
	struct scribe s = {.v6 = m->v6};

	m->body(&s, m, 0, 0);
	bytes_free(&s.text);
	return (uint64_t)s.insts * ((m->threads + 31) / 32) * m->blocks;
}

/* ---- the file ------------------------------------------------------------------------------- */

struct micro_text *micro_text_new(const struct micro *m)
{
	struct micro_text *t = xcalloc(1, sizeof(*t));

	t->micro = m;
	bytes_printf(&t->out,
		"-kernel name = %s\n-kernel id = 1\n-grid dim = (%" PRIu32 ",1,1)\n-block dim = (%" PRIu32
		",1,1)\n-shmem = %" PRIu32 "\n-nregs = %" PRIu32 "\n-binary version = %" PRIu32
		"\n-cuda stream id = 0\n-shmem base_addr = 0x%" PRIx64
		"\n-local mem base_addr = 0x7f6000000000\n-nvbit version = 1.7\n-accelsim tracer version = %c\n"
		"-enable lineinfo = 0\n%s",
		m->name, m->blocks, m->threads, m->shmem, m->nregs, m->arch, MICRO_SHARED, m->v6 ? '6' : '5',
		m->cluster ? "" : "\n");
	t->warp.v6 = m->v6;
	if (m->cluster)
		bytes_printf(&t->out, "-cluster dim = (%" PRIu32 ",1,1)\n\n", m->cluster);
	return t;
}

static void generate_warp(struct micro_text *t, uint32_t block, uint32_t warp)
{
	struct scribe *s = &t->warp;

	if (t->shared_text_ready)
		return;
	s->text.n = 0;
	s->insts = s->pc = 0;
	t->micro->body(s, t->micro, block, warp);
	t->shared_text_ready = t->micro->same_for_all_warps;
}

static void generate_block(struct micro_text *t)
{
	const struct micro *m = t->micro;
	struct bytes *out = &t->out;

	bytes_printf(out, "#BEGIN_TB\n\nthread block = %" PRIu64 ",0,0\n", t->block);
	for (uint32_t w = 0; w < (m->threads + 31) / 32; w++) {
		generate_warp(t, (uint32_t)t->block, w);
		bytes_printf(out, "\nwarp = %" PRIu32 "\ninsts = %" PRIu32 "\n", w, t->warp.insts);
		bytes_add(out, t->warp.text.p, t->warp.text.n);
	}
	bytes_printf(out, "\n#END_TB\n\n");
	t->block++;
}

static size_t read_micro_text(void *ctx, void *buf, size_t n)
{
	struct micro_text *t = ctx;
	size_t have = t->out.n - t->n_read;

	if (!have) {
		if (t->block == t->micro->blocks)
			return 0;
		t->out.n = t->n_read = 0;
		generate_block(t);
		have = t->out.n;
	}
	if (n > have)
		n = have;
	memcpy(buf, t->out.p + t->n_read, n);
	t->n_read += n;
	return n;
}

struct input *micro_input(struct micro_text *t)
{
	return input_generated(t->micro->name, read_micro_text, t);
}

void micro_text_free(struct micro_text *t)
{
	if (!t)
		return;
	bytes_free(&t->warp.text);
	bytes_free(&t->out);
	free(t);
}
