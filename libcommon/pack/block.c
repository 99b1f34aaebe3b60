/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unpacked blocks of a packed stream: their pieces and tables. All readers of a block share it. The most recently
 * used block is kept.
 */
#include <stdio.h>
#include "bodies.h"
#include "codec.h"
#include "control.h"

void block_free(struct pack_block *b)
{
	if (!b)
		return;
	for (uint32_t i = 0; i < b->n_pieces; i++) {
		buf_free(&b->piece[i].header);
		if (b->piece[i].part)
			part_free(b->piece[i].part);
		free(b->piece[i].part);
	}
	free(b->piece);
	columns_free(b->col);
	free(b);
}

struct block_reading {
	struct cur metadata; /* cursor over the metadata */
	struct header_state header;
	struct block_remaining remaining; /* remaining limits of the block's tables */
	uint64_t used_bytes[N_COLUMNS];   /* number of bytes of each column that belong to earlier pieces */
	unsigned flags;                   /* flags that pieces of the stream may have */
	bool lines;                       /* true if headers may have "-code" lines as numbers */
	/* Read positions in the columns of pieces that refer to bodies. */
	struct cur body;   /* COL_BODY: numbers of the bodies */
	struct cur kernel; /* COL_KERNEL: ids, streams, hashes and functions of the kernels */
	struct cur patch;  /* COL_PATCH: lengths of the patches of bodies */
	struct cur fresh;  /* COL_FRESH: bytes that the patches insert */
	struct body_order order;
	uint32_t next_body;   /* number of the next new body */
	uint64_t *code_at;    /* offset of each function with control codes in COL_CODES */
	uint32_t *n_code;     /* number of instructions of each of these functions */
	uint32_t n_functions; /* number of these functions */
};

/*
 * Sets the function of a kernel that begins. It is an earlier function of the block, or the next one in the column.
 */
static bool read_piece_codes(
	const struct pack_block *b, struct block_reading *r, struct cur *from, struct read_piece *c)
{
	const struct buf *col = &b->col[COL_CODES];
	uint32_t k = (uint32_t)mp_get_uint(from, r->n_functions);

	if (from->bad)
		return false;
	if (k == r->n_functions) {
		uint64_t at = r->used_bytes[COL_CODES];
		struct cur in = cur_of(col->p, col->n);
		uint32_t n = (uint32_t)mp_get_uint(from, pack_limits.codes);

		in.p += at;
		if (from->bad || !n || !pack_control_unpack(&in, NULL, n))
			return false;
		r->code_at[r->n_functions] = at;
		r->n_code[r->n_functions++] = n;
		r->used_bytes[COL_CODES] = col->n - cur_left(&in);
	}
	c->codes = r->code_at[k];
	c->n_codes = r->n_code[k];
	return true;
}

/* Reads the fields of a kernel that are not part of its body: id, stream, hash, control codes. */
static bool read_kernel_state(const struct pack_block *b, struct block_reading *r, struct read_piece *c)
{
	struct cur *in = &r->kernel;
	uint8_t flags = cur_byte(in);

	c->ids = (struct header_state){r->header.id + 1, r->header.stream};
	if (flags & KERNEL_ID)
		c->ids.id += (uint64_t)unfold(cur_var(in));
	if (flags & KERNEL_STREAM)
		c->ids.stream = cur_var(in);
	if (c->flags & PIECE_BEGINS)
		r->header = c->ids;
	if (flags & KERNEL_HASH)
		c->hash = cur_bytes(in, 16);
	if (flags & KERNEL_CODES) {
		if (!(r->flags & PIECE_CODES) || !(c->flags & PIECE_BEGINS) || !read_piece_codes(b, r, in, c))
			return false;
		c->flags |= PIECE_CODES;
	}
	return !in->bad && !(flags & ~(unsigned)KERNEL_ALL);
}

/* Reads a piece that refers to a body or is a new patch of a body. */
static bool read_shared_piece(
	struct pack *p, struct pack_block *b, struct block_reading *r, struct read_piece *c)
{
	uint64_t v = cur_var(&r->body);
	const bool relative = p->features & PACK_RELATIVE;
	uint32_t next = order_predict(&r->order), from = next == NONE ? r->next_body : next;

	if (c->flags & ~(0u + PIECE_SHARED + PIECE_BEGINS + PIECE_ENDS) || r->body.bad ||
		(!(c->flags & PIECE_BEGINS) && b->n_pieces == 1))
		return false;
	if (v == BODY_PATCH) {
		struct patch patch = {.ops = {0}};
		uint64_t back = cur_var(&r->body);

		if (relative)
			back = r->next_body - (from + (uint64_t)unfold(back));
		if (r->body.bad || !back || back > r->next_body || !patch_read(&r->patch, &r->fresh, &patch))
			return false;
		c->body = r->next_body++;
		bodies_add_patch(p, c->body, c->body - (uint32_t)back, &patch);
	} else {
		uint64_t back = v - BODY_PATCH;

		if (relative)
			back = r->next_body - (from + (uint64_t)unfold(back));
		c->body = v == BODY_NEXT ? next : back <= r->next_body ? r->next_body - (uint32_t)back : NONE;
	}
	if (c->body >= r->next_body)
		return false;
	order_add(&r->order, c->body, v == BODY_PATCH);
	return read_kernel_state(b, r, c);
}

static struct cur cursor_over_column(const struct buf *col, uint64_t from, uint64_t to)
{
	return to <= col->n ? cur_of(col->p ? col->p + from : NULL, (size_t)(to - from)) : cur_of(NULL, 0);
}

/* Place of a piece in the metadata and the columns of its block. */
struct piece_place {
	const uint8_t *header, *header_end, *table, *table_end;
	uint64_t used_bytes[N_COLUMNS]; /* bytes of each column before the piece */
};

/* Keeps a piece to which others may refer. */
static bool keep_referable_piece(struct pack *p, const struct pack_block *b, struct block_reading *r,
	const struct read_piece *c, const struct piece_place *at)
{
	struct buf stripped = {0}, string = {0};
	struct header_state ids;
	struct body_parts s = {
		.flags = c->flags & (0u + PIECE_BEGINS + PIECE_ENDS + PIECE_PART + PIECE_STORED),
		.table = cur_of(at->table, (size_t)(at->table_end - at->table)),
		.stored = cursor_over_column(&b->col[COL_STORED], c->stored, c->stored + c->n_stored),
		.text_bytes = c->bytes - c->header.n};
	bool good = c->flags & PIECE_PART &&
		    header_strip(&stripped, &ids, c->header.p ? (const char *)c->header.p : "", c->header.n);

	s.header = c->flags & PIECE_BEGINS ? cur_of(stripped.p, stripped.n)
					   : cur_of(at->header, (size_t)(at->header_end - at->header));
	for (int k = 1; k < COL_STORED; k++)
		s.col[k] = cursor_over_column(&b->col[k], at->used_bytes[k], r->used_bytes[k]);
	if (good) {
		body_join(&string, &s);
		order_add(&r->order, r->next_body, false);
		bodies_add(p, r->next_body++, &string);
	}
	buf_free(&stripped);
	return good;
}

static bool read_whole_piece(
	struct pack *p, struct pack_block *b, struct block_reading *r, struct read_piece *c)
{
	struct cur *in = &r->metadata;
	struct piece_place at = {.header = in->p};
	size_t n;

	c->part = xcalloc(1, sizeof(*c->part));
	c->col = b->col;
	memcpy(at.used_bytes, r->used_bytes, sizeof(at.used_bytes));
	if (c->flags & PIECE_BEGINS) {
		if (!header_unpack(in, &r->header, &c->header, r->lines))
			return false;
		struct header_facts h = header_facts((const char *)c->header.p, c->header.n);
		memcpy(c->part->grid, h.grid, sizeof(h.grid));
		c->part->threads = h.threads;
		if (c->flags & PIECE_CODES && !read_piece_codes(b, r, in, c))
			return false;
	} else {
		part_read_position(in, c->part);
	}
	at.header_end = at.table = in->p;
	if (c->flags & PIECE_PART && !part_unpack(in, c->part, &r->remaining, r->used_bytes))
		return false;
	at.table_end = in->p;
	if (c->flags & PIECE_STORED) {
		c->n_stored = mp_get_uint(in, pack_limits.columns);
		c->stored = r->used_bytes[COL_STORED];
		r->used_bytes[COL_STORED] += c->n_stored;
		if (r->used_bytes[COL_STORED] > b->col[COL_STORED].n)
			return false;
	}
	if (c->flags & PIECE_ENDS)
		c->bytes = mp_get_uint(in, UINT64_MAX);
	if (c->flags & PIECE_HASH) {
		c->hash = mp_get_str(in, &n);
		if (n != 16)
			return false;
	}
	return !in->bad && (c->flags & PIECE_BEGINS || !(c->flags & PIECE_CODES)) &&
	       (!(c->flags & PIECE_BODY) || keep_referable_piece(p, b, r, c, &at));
}

static void read_block_list(const struct pack *p, struct pack_block *b, struct cur *in)
{
	if (mp_get_uint(in, 1)) {
		b->list_name = mp_get_str(in, &b->list_name_len);
		b->list = mp_get_str(in, &b->list_len);
		if (p->features & PACK_RELATIVE)
			b->missing = mp_get_str(in, &b->missing_len);
	}
}

static bool read_all_pieces(struct pack *p, struct pack_block *b, struct block_reading *r, uint32_t kernel)
{
	struct cur *in = &r->metadata;

	read_block_list(p, b, in);
	uint32_t n = (uint32_t)mp_get_uint(in, pack_limits.pieces);
	if (in->bad || n > cur_left(in))
		return false;
	b->piece = xcalloc(n + 1, sizeof(b->piece[0]));
	r->code_at = xcalloc(n + 1, sizeof(r->code_at[0]));
	r->n_code = xcalloc(n + 1, sizeof(r->n_code[0]));
	for (uint32_t i = 0; i < n; i++) {
		struct read_piece *c = &b->piece[b->n_pieces++];

		c->kernel = kernel;
		c->flags = (unsigned)mp_get_uint(in, r->flags);
		if (in->bad || !(c->flags & PIECE_SHARED ? read_shared_piece(p, b, r, c)
							 : read_whole_piece(p, b, r, c)))
			return false;
		kernel += !!(c->flags & PIECE_ENDS);
	}
	return !cur_left(in) && r->used_bytes[COL_CODES] == b->col[COL_CODES].n && !cur_left(&r->body) &&
	       !cur_left(&r->kernel) && !cur_left(&r->patch) && !cur_left(&r->fresh);
}

static struct cur whole_column(const struct buf *col) { return cur_of(col->p, col->n); }

static bool read_pieces(struct pack *p, struct pack_block *b, const struct pack_entry *e)
{
	struct block_reading r = {.metadata = whole_column(&b->col[COL_META]),
		.remaining = {pack_limits.block_statics, pack_limits.block_text, pack_limits.spans,
			p->features & PACK_RELATIVE, p->features & PACK_VALUED},
		.flags = (p->features & PACK_CODED ? PIECE_ALL : PIECE_PLAIN) |
			 (p->features & PACK_SHARED ? PIECE_SHARED | PIECE_BODY : 0u),
		.lines = p->features & PACK_LINED,
		.body = whole_column(&b->col[COL_BODY]),
		.kernel = whole_column(&b->col[COL_KERNEL]),
		.patch = whole_column(&b->col[COL_PATCH]),
		.fresh = whole_column(&b->col[COL_FRESH]),
		.next_body = p->input ? p->next_body : e->first_body};
	bool good = read_all_pieces(p, b, &r, e->kernel);

	b->next_body = r.next_body;
	free(r.code_at);
	free(r.n_code);
	order_free(&r.order);
	return good && (p->input || r.next_body - e->first_body == e->bodies);
}

/* Completes the index entry of the newest block, and sets the start of the next block. */
static void note_block_in_index(struct pack *p, const struct pack_block *b)
{
	if (b->number + 1 != p->n_entries)
		return;
	p->next_kernel = p->entry[b->number].kernel;
	p->entry[b->number].first_body = p->next_body;
	p->entry[b->number].bodies = b->next_body - p->next_body;
	p->next_body = b->next_body;
	p->entry[b->number].first_block = b->n_pieces && b->piece[0].part ? b->piece[0].part->first_block : 0;
	p->entry[b->number].begins = !b->n_pieces || b->piece[0].flags & PIECE_BEGINS;
	for (uint32_t i = 0; i < b->n_pieces; i++)
		p->next_kernel += !!(b->piece[i].flags & PIECE_ENDS);
}

static const struct primer *dictionary_of_stream(const struct pack *p)
{
	if (!(p->features & PACK_WORDED))
		return &pack_dict;
	return p->features & PACK_VALUED ? &pack_hopper : &pack_words;
}

/* Loads a block, or only its kernel list if list is set. */
static struct pack_block *load_block(struct pack *p, uint32_t number, bool list, struct fault *f)
{
	size_t n;
	uint64_t size;
	const char *why = "its tables are not well formed";
	const struct pack_entry *e = &p->entry[number];
	uint8_t *body = p->input ? forward_body(p, number, &n, f)
				 : pack_frame(p, e->offset, BLOCK_DATA, &n, &size, f);

	if (!body)
		return NULL;
	struct pack_block *b = xcalloc(1, sizeof(*b));
	b->number = number;
	bool good = columns_unpack(body, n, b->col, dictionary_of_stream(p), &why);
	free(body);
	if (good && list) {
		struct cur in = whole_column(&b->col[COL_META]);

		read_block_list(p, b, &in);
		if (!in.bad)
			return b;
		good = false;
		why = "its kernel list is not well formed";
	}
	if (good && read_pieces(p, b, e)) {
		if (p->input)
			note_block_in_index(p, b);
		return b;
	}
	char text[160];
	snprintf(text, sizeof(text), "damaged block (%s)", good ? "its tables are not well formed" : why);
	pack_bad(p, e->offset, f, "pack-damaged", text);
	block_free(b);
	return NULL;
}

bool block_register(struct pack *p, uint32_t number, struct fault *f)
{
	struct pack_block *b = load_block(p, number, false, f);

	block_free(b);
	return b != NULL;
}

struct pack_block *block_get(struct pack *p, uint32_t number, struct fault *f)
{
	pthread_mutex_lock(&p->lock);
	struct pack_block *b = p->cache;
	if (!b || b->number != number) {
		b = load_block(p, number, false, f);
		if (b) {
			if (p->cache && !--p->cache->users)
				block_free(p->cache);
			b->users = 1;
			p->cache = b;
		}
	}
	if (b)
		b->users++;
	pthread_mutex_unlock(&p->lock);
	return b;
}

struct pack_block *block_get_list(struct pack *p, struct fault *f)
{
	struct pack_block *b;

	if (p->input) /* the blocks of a stream from a pipe are read only once */
		return block_get(p, 0, f);
	pthread_mutex_lock(&p->lock);
	b = load_block(p, 0, true, f);
	pthread_mutex_unlock(&p->lock);
	if (b)
		b->users = 1;
	return b;
}

void block_put(struct pack *p, struct pack_block *b)
{
	if (!b)
		return;
	pthread_mutex_lock(&p->lock);
	bool last = !--b->users;
	pthread_mutex_unlock(&p->lock);
	if (last)
		block_free(b);
}

uint64_t block_offset(struct pack *p, uint32_t number)
{
	pthread_mutex_lock(&p->lock);
	uint64_t at = p->entry[number].offset;
	pthread_mutex_unlock(&p->lock);
	return at;
}

/* ---- walking ------------------------------------------------------------------------------ */

void walk_start(struct walk *w, struct pack *p, uint32_t kernel, uint64_t first_block)
{
	*w = (struct walk){.pack = p, .kernel = kernel};
	pthread_mutex_lock(&p->lock);
	w->next_block = pack_first_entry(p, kernel, first_block);
	if (p->input)
		forward_enter(p, w);
	pthread_mutex_unlock(&p->lock);
}

/* Sets *number to the next block of the walk. Returns 1, 0 after the last block, or -1. */
static int walk_next_block(struct walk *w, uint32_t *number, struct fault *f)
{
	struct pack *p = w->pack;

	pthread_mutex_lock(&p->lock);
	int r = w->next_block < p->n_entries ? 1 : p->input ? forward_read_entry(p, f) : 0;
	*number = w->next_block;
	w->next_block += r > 0;
	pthread_mutex_unlock(&p->lock);
	return r;
}

static void release_walk_body(struct walk *w)
{
	buf_free(&w->own_piece.header);
	if (!w->shown)
		return;
	pthread_mutex_lock(&w->pack->lock);
	shown_release(w->shown);
	pthread_mutex_unlock(&w->pack->lock);
	w->shown = NULL;
}

/* Completes a piece that refers to a body. */
static int complete_piece_by_body(struct walk *w, struct read_piece **c, struct fault *f)
{
	const struct read_piece *is = *c;

	release_walk_body(w);
	pthread_mutex_lock(&w->pack->lock);
	struct shown *s = w->shown = bodies_show(w->pack, is->body, f);
	pthread_mutex_unlock(&w->pack->lock);
	if (!s)
		return -1;
	const unsigned ends = PIECE_BEGINS + PIECE_ENDS;
	if ((s->flags & ends) != (is->flags & ends))
		return pack_bad(w->pack, block_offset(w->pack, w->block->number), f, "pack-damaged",
			"a kernel refers to the body of another piece");
	w->own_piece = *is;
	w->own_piece.flags |= s->flags;
	w->own_piece.part = &s->part;
	w->own_piece.col = s->col;
	w->own_piece.n_stored = s->col[COL_STORED].n;
	if (s->flags & PIECE_BEGINS)
		header_restore(
			&w->own_piece.header, &is->ids, (const char *)s->header.p, cur_left(&s->header));
	w->own_piece.bytes = s->flags & PIECE_ENDS ? w->own_piece.header.n + s->text_bytes : 0;
	*c = &w->own_piece;
	return 1;
}

/*
 * Returns the first piece of the kernel in the block. If there is none, returns the piece after all pieces of earlier
 * kernels.
 */
static uint32_t find_first_piece(const struct pack_block *b, uint32_t kernel)
{
	uint32_t lo = 0, hi = b->n_pieces;

	while (lo < hi) {
		uint32_t m = lo + (hi - lo) / 2;

		if (b->piece[m].kernel < kernel)
			lo = m + 1;
		else
			hi = m;
	}
	return lo;
}

int walk_next(struct walk *w, struct read_piece **c, struct fault *f)
{
	while (!w->ended) {
		if (!w->block) {
			uint32_t number;
			int found = walk_next_block(w, &number, f);

			if (found <= 0)
				return found < 0 ? -1
						 : pack_bad(w->pack, w->pack->size, f, "pack-damaged",
							   "the stream ends inside a kernel");
			if (!(w->block = block_get(w->pack, number, f)))
				return -1;
			w->next_piece = find_first_piece(w->block, w->kernel);
		}
		while (w->next_piece < w->block->n_pieces) {
			*c = &w->block->piece[w->next_piece++];
			if ((*c)->kernel != w->kernel)
				continue;
			w->ended = (*c)->flags & PIECE_ENDS;
			if (w->ended && w->pack->input && w->kernel + 1 == w->pack->n_kernels &&
				forward_finish(w->pack, f) < 0)
				return -1;
			return (*c)->flags & PIECE_SHARED ? complete_piece_by_body(w, c, f) : 1;
		}
		block_put(w->pack, w->block);
		w->block = NULL;
	}
	return 0;
}

void walk_end(struct walk *w)
{
	if (!w->pack)
		return; /* the walk was never started */
	release_walk_body(w);
	if (w->pack->input)
		forward_leave(w->pack, w);
	block_put(w->pack, w->block);
	w->block = NULL;
}
