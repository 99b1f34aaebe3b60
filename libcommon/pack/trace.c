/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernels of a packed stream as struct trace: conversion of columns to records without intermediate text.
 *
 * Always true: records, warnings and faults equal those of reading the text. trace/line.c parses each static
 * instruction once; only lines that are stored as text are parsed one by one. From the first text that is not a
 * regular trace on, the text reader continues the kernel.
 */
#include <stdio.h>
#include "cubin.h"
#include "static_cache.h"
#include "trace/reader.h"

struct packed {
	struct pack *pack;
	uint32_t kernel;
	struct walk walk;         /* iteration over the kernel's pieces */
	struct read_piece *piece; /* current piece */
	struct replay *replay;    /* decoder of the part */
	uint32_t span;            /* number of the current span */
	uint64_t blocks_before; /* number of thread blocks of the kernel before the next block of the span */
	uint32_t *handle;       /* handle of each static instruction */
	bool *unknown, *needs;  /* per static instruction: no row, no addresses */
	/*
	 * For each static instruction: whether the text reader must parse each record, because of a fault or values.
	 */
	bool *parses_each;
	bool has_text;       /* true if some records of the part are text */
	uint64_t first_line; /* number of the first line after the header */
	bool sought;         /* true if packed_seek() set the position, so that line numbers are unknown */
	bool plain;          /* true if all records of the part have handles and need no checks */
	struct tblock one;   /* thread block for a parsed line */
	struct tblock ahead; /* next thread block, decoded early to find the dialect */
	struct text_in ahead_in;
	bool is_ahead;            /* whether ahead has a thread block */
	struct warp_recs *listed; /* warps in the order of the stream */
	uint32_t cap_listed;
	struct buf line;  /* text of a line */
	struct buf whole; /* text of the header */
	unsigned char hash[16];
	struct cubins *codes; /* control codes of the kernel; NULL: none */
};

/* ---- opening ------------------------------------------------------------------------------ */

static bool append_text(void *ctx, const void *bytes, size_t n)
{
	buf_add(ctx, bytes, n);
	return true;
}

/* Frees the arrays indexed by static instruction. */
static void free_statics(struct packed *k)
{
	free(k->handle);
	free(k->unknown);
	free(k->needs);
	free(k->parses_each);
	k->handle = NULL;
	k->unknown = k->needs = k->parses_each = NULL;
}

void packed_close(struct packed *k)
{
	if (!k)
		return;
	walk_end(&k->walk);
	replay_free(k->replay);
	free_statics(k);
	free(k->listed);
	tblock_free(&k->one);
	tblock_free(&k->ahead);
	buf_free(&k->line);
	buf_free(&k->whole);
	cubins_free(k->codes);
	free(k);
}

/*
 * Reads the header's text into k->whole, and the control codes of the kernel. Returns 1, 0 if the kernel has no
 * header, or -1.
 */
static int read_header(struct packed *k, struct fault *f)
{
	struct walk w;
	struct read_piece *c;

	walk_start(&w, k->pack, k->kernel, 0);
	int r = walk_next(&w, &c, f);
	if (r > 0) {
		buf_add(&k->whole, c->header.p, c->header.n);
		if (c->n_codes)
			pack_piece_codes(w.block, c, k->codes = cubins_new());
	}
	walk_end(&w);
	return r < 0 ? -1 : k->whole.n != 0;
}

const struct cubins *packed_kernel_cubins(const struct packed *k) { return k->codes; }

struct trace *pack_open_trace(struct pack *p, uint32_t kernel, const struct trace_options *o, struct fault *f)
{
	struct packed *k = xcalloc(1, sizeof(*k));
	struct trace *t = NULL;
	char *name = xmalloc(strlen(p->name) + strlen(p->kernel[kernel]) + 2);

	sprintf(name, "%s/%s", p->name, p->kernel[kernel]);
	k->pack = p;
	k->kernel = kernel;
	int r = read_header(k, f);
	if (r > 0 && o->watch)
		r = 0; /* a watcher needs the text of the lines */
	if (r == 0) {
		k->whole.n = 0;
		r = pack_pass_text(p, kernel, 0, UINT64_MAX, append_text, &k->whole, f) < 0 ? -1 : 0;
	}
	struct input *in =
		r < 0 ? NULL
		      : input_memory(diag_keep(name), k->whole.p ? (void *)k->whole.p : "", k->whole.n, f);
	free(name);
	if (in)
		t = trace_open_input(in, o, f);
	if (!t) {
		packed_close(k);
		return NULL;
	}
	t->packed = k;
	t->columns_are_records = r > 0;
	if (!t->columns_are_records)
		return t;
	for (size_t i = 0; k->whole.p && i < k->whole.n; i++)
		t->line += k->whole.p[i] == '\n' && (const char *)k->whole.p + i >= t->position;
	t->base = t->position = t->end = NULL;
	t->base_line = k->first_line = t->line;
	t->is_last = true;
	walk_start(&k->walk, p, kernel, 0);
	return t;
}

/* ---- parts -------------------------------------------------------------------------------- */

static int piece_is_damaged(const struct packed *k, struct fault *f)
{
	uint64_t at = k->walk.block ? block_offset(k->pack, k->walk.block->number) : k->pack->size;

	return pack_bad(k->pack, at, f, "pack-damaged", "the columns of a block do not fit its tables");
}

/* Marks a static instruction whose lines end with kept values. The line reader then parses its records. */
static void mark_static_with_values(const struct trace *t, struct packed *k, uint32_t i)
{
	const char *opcode = code_at(t->options.code, k->handle[i])->opcode;

	if (k->piece->part->code.statics[i].flags & ST_TAIL && extra_has_values(opcode, strlen(opcode))) {
		k->parses_each[i] = k->has_text = true;
		k->plain = false;
	}
}

static void parse_static(struct trace *t, struct packed *k, uint32_t i)
{
	const struct pstatic *s = &k->piece->part->code.statics[i];
	struct fault f;

	k->has_text |= (s->flags & ST_LINE) != 0;
	if (s->flags & ST_LINE)
		return;
	k->line.n = 0;
	text_append_static(&k->line, k->piece->part, s);
	if (s->flags & ST_TAIL)
		buf_byte(&k->line, 'X');
	buf_byte(&k->line, '\n');
	struct static_cache_key c = static_cache_key_of(t);
	struct static_cache *m = static_cache_of(k->pack, t->options.code);
	uint32_t at = static_cache_slot(m, &c, k->line.p, k->line.n);
	if (m->slot[at]) {
		const struct static_entry *e = &m->entry[m->slot[at] - 1];

		t->dialect = e->dialect_after;
		k->handle[i] = e->handle;
		k->needs[i] = e->needs;
		k->plain &= !e->needs;
		mark_static_with_values(t, k, i);
		return;
	}
	const struct dialect d = t->dialect;
	k->one.n_recs = k->one.n_words = 0;
	memset(t->id, 0, sizeof(t->id));
	t->warp = 0;
	uint64_t unknown = t->unknown_recs;
	k->parses_each[i] = line_parse(t, &k->one, 0, (const char *)k->line.p, k->line.n - 1, &f) < 0;
	t->unknown_recs = unknown;
	if (k->parses_each[i]) { /* the first record of the instruction reports the fault, as in a text trace */
		t->dialect = d;
		k->plain = false;
		return;
	}
	const struct inst *inst = code_at(t->options.code, k->one.rec[0].inst);
	k->handle[i] = k->one.rec[0].inst;
	k->unknown[i] = inst->row == 0xffff;
	k->needs[i] = !inst->has_addr && code_kind_has_addresses(inst->kind);
	k->plain &= !k->unknown[i] && !k->needs[i];
	mark_static_with_values(t, k, i);
	if (k->unknown[i])
		return; /* the instruction is not cached, so that the warning is printed once per kernel */
	grow(&m->entry, &m->cap, m->n + 1, sizeof(m->entry[0]));
	m->entry[m->n++] = (struct static_entry){
		c, t->dialect, (uint32_t)m->text.n, (uint32_t)k->line.n, k->handle[i], k->needs[i]};
	m->slot[at] = m->n;
	buf_add(&m->text, k->line.p, k->line.n);
}

/* Finds the dialect from the line of the first record in the thread block. */
static void find_line_dialect(struct trace *t, struct packed *k, struct replay *r, const struct text_in *in)
{
	const struct tblock *tb = in->tb;
	const uint64_t unknown = t->unknown_recs;
	struct fault ignored;
	uint32_t w = 0;

	while (!tb->warp[w].n_recs)
		w++;
	k->line.n = 0;
	t->id[0] = tb->x, t->id[1] = tb->y, t->id[2] = tb->z;
	t->warp = in->warp_id ? in->warp_id[w] : w;
	if (text_append_record(&k->line, in, &tb->rec[tb->warp[w].first_rec], t->warp, replay_tails(r))) {
		k->one.n_recs = k->one.n_words = 0;
		line_parse(t, &k->one, UINT32_MAX, (const char *)k->line.p, k->line.n - 1, &ignored);
		t->unknown_recs = unknown;
	}
}

/*
 * Finds the dialect from the kernel's first line, which need not belong to the first static instruction. The line is
 * only inspected; its faults are reported when it is read. The line is nearly always in the part's first thread
 * block, which is then kept as the next one.
 */
static int find_dialect(struct trace *t, struct packed *k, struct fault *f)
{
	const struct part *p = k->piece->part;
	struct replay *r = replay_new(p);
	uint64_t at = p->first_block, blocks = 0;
	int got = 0;

	for (uint32_t i = 0; i < p->n_spans && got == 0; at += p->span[i++].blocks) {
		if (!replay_begin_span(r, i, k->piece->col, at))
			got = -1;
		while (got >= 0 && (got = replay_block(r, NULL, &k->ahead, &k->ahead_in)) > 0) {
			blocks++;
			if (k->ahead.n_recs)
				break;
		}
	}
	if (got > 0)
		find_line_dialect(t, k, r, &k->ahead_in);
	k->is_ahead = got > 0 && blocks == 1;
	if (k->is_ahead)
		k->replay = r;
	else
		replay_free(r);
	return got < 0 ? piece_is_damaged(k, f) : 0;
}

static int begin_part(struct trace *t, struct packed *k, struct fault *f)
{
	uint32_t n = k->piece->part->code.n_statics;

	replay_free(k->replay);
	k->replay = NULL;
	free_statics(k);
	k->is_ahead = false;
	k->handle = xcalloc(n + 1, sizeof(k->handle[0]));
	k->unknown = xcalloc(n + 1, sizeof(k->unknown[0]));
	k->needs = xcalloc(n + 1, sizeof(k->needs[0]));
	k->parses_each = xcalloc(n + 1, sizeof(k->parses_each[0]));
	k->has_text = false;
	k->plain = true;
	k->span = 0;
	k->blocks_before = k->piece->part->first_block;
	if (t->dialect.imms < 0 && find_dialect(t, k, f) < 0)
		return -1;
	if (k->is_ahead)
		k->blocks_before += k->piece->part->span[k->span++].blocks;
	else
		k->replay = replay_new(k->piece->part);
	pthread_mutex_lock(&k->pack->lock);
	for (uint32_t i = 0; i < n; i++)
		parse_static(t, k, i);
	pthread_mutex_unlock(&k->pack->lock);
	k->plain &= !k->has_text;
	return 0;
}

/* Sets the hash of the kernel, from its last piece if that has one, else from its text. */
static int set_kernel_hash(struct trace *t, struct fault *f)
{
	struct packed *k = t->packed;
	uint64_t bytes;

	t->stored_hash = k->hash;
	if (k->piece && k->piece->hash && k->walk.ended) {
		memcpy(k->hash, k->piece->hash, 16);
		return 0;
	}
	return pack_sum_text(k->pack, k->kernel, &bytes, k->hash, f);
}

static int add_piece_text(struct packed *k, const struct read_piece *c, struct fault *f)
{
	return pack_piece_text(&k->walk, c, append_text, &k->whole, f);
}

/* Continues the kernel with the text reader. */
static int continue_as_text(struct trace *t, struct packed *k, struct fault *f)
{
	struct read_piece *c;
	int r;

	k->whole.n = 0;
	buf_add(&k->whole, k->piece->col[COL_STORED].p + k->piece->stored, k->piece->n_stored);
	while ((r = walk_next(&k->walk, &c, f)) > 0) {
		k->piece = c;
		if (add_piece_text(k, c, f) < 0)
			return -1;
	}
	if (r < 0 || (t->hash && set_kernel_hash(t, f) < 0))
		return -1;
	input_close(t->in);
	t->in = NULL;
	t->in = input_memory(t->name, k->whole.p, k->whole.n, f);
	t->columns_are_records = t->is_last = false;
	return t->in ? 0 : -1;
}

static bool is_stored_as_text(const struct packed *k)
{
	const struct read_piece *c = k->piece;

	return c && c->flags & PIECE_STORED &&
	       !stream_is_blank(k->piece->col[COL_STORED].p + c->stored, c->n_stored);
}

/* Takes over the thread block that was decoded in advance. */
static void use_decoded_block(struct packed *k, struct tblock *tb, struct text_in *in)
{
	const struct tblock empty = *tb;

	*tb = k->ahead;
	*in = k->ahead_in;
	in->tb = tb;
	k->ahead = empty;
	k->is_ahead = false;
	replay_reset_inspected(k->replay, k->plain ? k->handle : NULL, tb);
}

/*
 * Reads the records of the next thread block. rec.inst is the number in the part's table unless the part is plain.
 * Returns 1, 0 if the kernel ends or continues as text, or -1.
 */
static int decode_next_block(
	struct trace *t, struct packed *k, struct tblock *tb, struct text_in *in, struct fault *f)
{
	for (;;) {
		if (k->is_ahead) {
			use_decoded_block(k, tb, in);
			return 1;
		}
		int r = k->replay && k->span ? replay_block(k->replay, k->plain ? k->handle : NULL, tb, in)
					     : 0;

		if (r)
			return r < 0 ? piece_is_damaged(k, f) : 1;
		if (k->replay && k->span < k->piece->part->n_spans) {
			if (!replay_begin_span(k->replay, k->span, k->piece->col, k->blocks_before))
				return piece_is_damaged(k, f);
			k->blocks_before += k->piece->part->span[k->span++].blocks;
			continue;
		}
		replay_free(k->replay); /* the replay ends with the part */
		k->replay = NULL;
		do {
			if (is_stored_as_text(k) && k->sought)
				return fault_set(f, (struct place){t->name, 0, 0}, "pack-text",
					"a malformed thread block is stored as text (expected reading from the start of the kernel)");
			if (is_stored_as_text(k))
				return continue_as_text(t, k, f);
			r = walk_next(&k->walk, &k->piece, f);
			if (r <= 0)
				return r;
		} while (!(k->piece->flags & PIECE_PART));
		if (begin_part(t, k, f) < 0)
			return -1;
	}
}

/* ---- thread blocks ------------------------------------------------------------------------ */

/* Parses the line of a record with the text reader and appends its addresses to the thread block. */
static int parse_record(
	struct trace *t, struct packed *k, struct tblock *tb, struct rec *r, uint32_t lanes, struct fault *f)
{
	k->one.n_recs = k->one.n_words = 0;
	if (line_parse(t, &k->one, lanes, (const char *)k->line.p, k->line.n - 1, f) < 0)
		return -1;
	uint32_t words = tb->n_words;
	if (k->one.n_words > (UINT32_MAX >> 2) - words)
		return fault_set(f, (struct place){t->name, t->line, 0}, "block-size",
			"addresses of a thread block exceed 2^30 words");
	grow(&tb->word, &tb->cap_words, words + k->one.n_words + 1, sizeof(tb->word[0]));
	if (k->one.n_words)
		memcpy(tb->word + words, k->one.word, k->one.n_words * sizeof(tb->word[0]));
	tb->n_words += k->one.n_words;
	*r = k->one.rec[0];
	if (r->addr)
		r->addr += words << 2;
	return 0;
}

static int report_bad_lanes(const struct trace *t, uint32_t mask, uint32_t lanes, struct fault *f)
{
	return fault_set(f, (struct place){t->name, t->line, 0}, "lanes",
		"mask has active lanes %08x outside a block of %u threads, warp %u (expected none outside %08x)",
		mask & ~lanes, kernel_threads(&t->header), t->warp, lanes);
}

/* Checks a record and replaces its number by the handle. */
static int finish_packed_record(struct trace *t, struct packed *k, struct tblock *tb, struct rec *r,
	struct text_in *in, uint32_t lanes, struct fault *f)
{
	uint32_t id = r->inst;
	unsigned flags = k->piece->part->code.statics[id].flags;

	/* A text that may contain data of the record can be read only after all earlier texts. */
	bool line = flags & ST_LINE || k->parses_each[id];
	if (line || (flags & ST_TAIL && k->has_text)) {
		k->line.n = 0;
		if (!text_append_record(&k->line, in, r, t->warp, replay_tails(k->replay)))
			return piece_is_damaged(k, f);
	}
	if (line)
		return parse_record(t, k, tb, r, lanes, f);
	if (r->mask & ~lanes)
		return report_bad_lanes(t, r->mask, lanes, f);
	if (k->needs[id] && r->mask)
		return fault_set(f, (struct place){t->name, t->line, 0}, "no-address",
			"memory opcode '%.60s' has no addresses (width 0) (expected one for each lane of mask %08x)",
			code_at(t->options.code, k->handle[id])->opcode, r->mask);
	t->unknown_recs += k->unknown[id];
	r->inst = k->handle[id];
	return 0;
}

static int finish_warp(struct trace *t, struct packed *k, struct tblock *tb, struct warp_recs *w,
	struct text_in *in, struct fault *f)
{
	uint32_t left = kernel_threads(&t->header) - t->warp * 32,
		 lanes = left >= 32 ? UINT32_MAX : (1u << left) - 1;

	if (k->plain && lanes == UINT32_MAX) {
		t->line += w->n_recs;
		return 0;
	}
	for (uint32_t i = w->first_rec; i < w->first_rec + w->n_recs; i++, t->line++) {
		struct rec *r = &tb->rec[i];

		if (!k->plain && finish_packed_record(t, k, tb, r, in, lanes, f) < 0)
			return -1;
		if (k->plain && r->mask & ~lanes)
			return report_bad_lanes(t, r->mask, lanes, f);
	}
	return 0;
}

/* Reads the lines between the id and the first warp. */
static int read_placement_lines(struct trace *t, struct tblock *tb, const struct text_in *in, struct fault *f)
{
	const char *s = in->extra, *end = s ? s + in->extra_len : s;

	for (const char *nl; s < end && (nl = memchr(s, '\n', (size_t)(end - s))); s = nl + 1, t->line++)
		if (trace_read_placement(t, tb, s, (size_t)(nl - s), f) < 0)
			return -1;
	return 0;
}

static int finish_block(
	struct trace *t, struct packed *k, struct tblock *tb, struct text_in *in, struct fault *f)
{
	uint32_t listed = tb->n_warps, n = kernel_warps(&t->header), words = tb->n_words;

	grow(&k->listed, &k->cap_listed, listed + 1, sizeof(k->listed[0]));
	const uint32_t recs = tb->n_recs;
	memcpy(k->listed, tb->warp, listed * sizeof(k->listed[0]));
	trace_begin_block(t, tb);
	tb->n_words = words; /* the words of parsed lines follow the block's words */
	t->line += 2u + !in->begins_kernel;
	t->id[0] = tb->x, t->id[1] = tb->y, t->id[2] = tb->z;
	tb->n_recs = recs;
	if (trace_claim_block(t, (const uint64_t[3]){tb->x, tb->y, tb->z}, f) < 0)
		return -1;
	if (read_placement_lines(t, tb, in, f) < 0)
		return -1;
	t->line += 2;
	for (uint32_t i = 0; i < listed; i++) {
		uint32_t w = t->warp = in->warp_id ? in->warp_id[i] : i;

		if (w >= n || tb->warp[w].line)
			return fault_set(f, (struct place){t->name, t->line, 0},
				w < n ? "warp-repeated" : "warp-id",
				w < n ? "warp %u occurs twice"
				      : "warp %u does not exist (expected 0 to %u for a block of %u threads)",
				w, n - 1, kernel_threads(&t->header));
		tb->warp[w] = (struct warp_recs){k->listed[i].first_rec, k->listed[i].n_recs, t->line += 2};
		if (finish_warp(t, k, tb, &tb->warp[w], in, f) < 0)
			return -1;
		t->line++;
	}
	t->line++;
	return trace_check_warps(t, tb, f);
}

int packed_next(struct trace *t, struct tblock *tb, struct fault *f)
{
	struct text_in in;
	int r = decode_next_block(t, t->packed, tb, &in, f);

	if (r > 0 && finish_block(t, t->packed, tb, &in, f) < 0)
		r = -1;
	if (!t->packed->sought)
		return r;
	if (r < 0)
		f->place.line = 0;
	for (uint32_t w = 0; r > 0 && w < tb->n_warps; w++)
		tb->warp[w].line = 0;
	return r;
}

/*
 * Moves the walk to the piece with thread block `block`. Returns 1, 0 if there is no such piece or text precedes it,
 * or -1.
 */
static int find_piece(struct packed *k, uint64_t block, struct fault *f)
{
	int r;

	while ((r = walk_next(&k->walk, &k->piece, f)) > 0) {
		const struct part *p = k->piece->part;

		if (p && k->piece->flags & PIECE_PART && block >= p->first_block &&
			block - p->first_block < p->n_blocks)
			return 1;
		if (is_stored_as_text(k))
			return 0;
	}
	return r;
}

int packed_seek(struct trace *t, uint64_t block, struct fault *f)
{
	struct packed *k = t->packed;

	if (k->replay && block >= t->blocks && block - k->piece->part->first_block < k->piece->part->n_blocks)
		return 1;
	replay_free(k->replay);
	k->replay = NULL;
	k->piece = NULL;
	walk_end(&k->walk);
	walk_start(&k->walk, k->pack, k->kernel, block);
	int r = find_piece(k, block, f);
	if (r <= 0)
		return r;
	k->sought = k->piece->part->first_block != 0;
	t->line = k->sought ? 0 : k->first_line;
	t->end_reported = false;
	for (uint64_t i = 0; i < t->ids.n_pages; i++) {
		free(t->ids.page[i]);
		t->ids.page[i] = NULL;
	}
	t->blocks = k->piece->part->first_block;
	return begin_part(t, k, f) < 0 ? -1 : 1;
}

int packed_finish(struct trace *t, struct fault *f)
{
	struct text_in in;
	struct tblock tb = {0};
	int r = decode_next_block(t, t->packed, &tb, &in, f);

	tblock_free(&tb);
	return r || !t->hash || !t->columns_are_records ? r : set_kernel_hash(t, f);
}
