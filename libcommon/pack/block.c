/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One block of a packed stream, unpacked: its pieces with their tables. Blocks are shared by those who read
 * them and the one used last is kept.
 */
#include <stdio.h>
#include "codec.h"
#include "control.h"

void block_free(struct pack_block *b)
{
	if (!b)
		return;
	for (uint32_t i = 0; i < b->n_pieces; i++) {
		buf_free(&b->piece[i].header);
		part_free(&b->piece[i].part);
	}
	free(b->piece);
	columns_free(b->col);
	free(b);
}

struct block_reading {
	struct cur in; /* the metadata */
	struct header_state header;
	struct block_room room;
	uint64_t used[N_COLUMNS]; /* of the columns, by the pieces so far */
	unsigned flags;           /* that a piece of the stream may have */
	bool lines;               /* headers may have code lines as numbers */
	/* functions with control codes: place in their column, instructions */
	uint64_t *code_at;
	uint32_t *n_code, n_functions;
};

/* The function of a kernel that begins: one of those before in the block, or the next of its column. */
static bool read_codes(const struct pack_block *b, struct block_reading *r, struct read_piece *c)
{
	const struct buf *col = &b->col[COL_CODES];
	uint32_t k = (uint32_t)mp_get_uint(&r->in, r->n_functions);

	if (r->in.bad)
		return false;
	if (k == r->n_functions) {
		uint64_t at = r->used[COL_CODES];
		struct cur in = cur_of(col->p, col->n);
		uint32_t n = (uint32_t)mp_get_uint(&r->in, pack_limits.codes);

		in.p += at;
		if (r->in.bad || !n || !pack_control_unpack(&in, NULL, n))
			return false;
		r->code_at[r->n_functions] = at;
		r->n_code[r->n_functions++] = n;
		r->used[COL_CODES] = col->n - cur_left(&in);
	}
	c->codes = r->code_at[k];
	c->n_codes = r->n_code[k];
	return true;
}

static bool read_piece(struct pack_block *b, struct block_reading *r, struct read_piece *c)
{
	struct cur *in = &r->in;
	size_t n;

	c->flags = (unsigned)mp_get_uint(in, r->flags);
	if (c->flags & PIECE_BEGINS) {
		if (!header_unpack(in, &r->header, &c->header, r->lines))
			return false;
		struct header_facts h = header_facts((const char *)c->header.p, c->header.n);
		memcpy(c->part.grid, h.grid, sizeof(h.grid));
		c->part.threads = h.threads;
		if (c->flags & PIECE_CODES && !read_codes(b, r, c))
			return false;
	} else {
		c->part.first_block = mp_get_uint(in, UINT64_MAX);
		for (int i = 0; i < 3; i++)
			c->part.grid[i] = (uint32_t)mp_get_uint(in, UINT32_MAX);
		c->part.threads = (uint32_t)mp_get_uint(in, pack_limits.threads);
	}
	if (c->flags & PIECE_PART && !part_unpack(in, &c->part, &r->room, r->used))
		return false;
	if (c->flags & PIECE_STORED) {
		c->n_stored = mp_get_uint(in, pack_limits.columns);
		c->stored = r->used[COL_STORED];
		r->used[COL_STORED] += c->n_stored;
		if (r->used[COL_STORED] > b->col[COL_STORED].n)
			return false;
	}
	if (c->flags & PIECE_ENDS)
		c->bytes = mp_get_uint(in, UINT64_MAX);
	if (c->flags & PIECE_HASH) {
		c->hash = mp_get_str(in, &n);
		if (n != 16)
			return false;
	}
	return !in->bad && (c->flags & PIECE_BEGINS || !(c->flags & PIECE_CODES));
}

static bool read_all_pieces(struct pack_block *b, struct block_reading *r, uint32_t kernel)
{
	struct cur *in = &r->in;

	if (mp_get_uint(in, 1)) {
		b->list_name = mp_get_str(in, &b->list_name_len);
		b->list = mp_get_str(in, &b->list_len);
	}
	uint32_t n = (uint32_t)mp_get_uint(in, pack_limits.pieces);
	if (in->bad || n > cur_left(in))
		return false;
	b->piece = xcalloc(n + 1, sizeof(b->piece[0]));
	r->code_at = xcalloc(n + 1, sizeof(r->code_at[0]));
	r->n_code = xcalloc(n + 1, sizeof(r->n_code[0]));
	for (uint32_t i = 0; i < n; i++) {
		struct read_piece *c = &b->piece[b->n_pieces++];

		c->kernel = kernel;
		if (!read_piece(b, r, c))
			return false;
		kernel += !!(c->flags & PIECE_ENDS);
	}
	return !cur_left(in) && r->used[COL_CODES] == b->col[COL_CODES].n;
}

static bool read_pieces(const struct pack *p, struct pack_block *b, uint32_t kernel)
{
	struct block_reading r = {.in = cur_of(b->col[COL_META].p, b->col[COL_META].n),
		.room = {pack_limits.block_statics, pack_limits.block_text, pack_limits.spans},
		.flags = p->features & PACK_CODED ? PIECE_ALL : PIECE_PLAIN,
		.lines = p->features & PACK_LINED};
	bool good = read_all_pieces(b, &r, kernel);

	free(r.code_at);
	free(r.n_code);
	return good;
}

/* Sets the index entry of the newest block and the beginning of the next one. */
static void note_block(struct pack *p, const struct pack_block *b)
{
	if (b->number + 1 != p->n_entries)
		return;
	p->next_kernel = p->entry[b->number].kernel;
	p->entry[b->number].first_block = b->n_pieces ? b->piece[0].part.first_block : 0;
	p->entry[b->number].begins = !b->n_pieces || b->piece[0].flags & PIECE_BEGINS;
	for (uint32_t i = 0; i < b->n_pieces; i++)
		p->next_kernel += !!(b->piece[i].flags & PIECE_ENDS);
}

static struct pack_block *load_block(struct pack *p, uint32_t number, struct fault *f)
{
	size_t n;
	uint64_t size;
	const char *why = "its tables are not well formed";
	const struct pack_entry *e = &p->entry[number];
	uint8_t *body =
		p->in ? forward_body(p, number, &n, f) : pack_frame(p, e->at, BLOCK_DATA, &n, &size, f);

	if (!body)
		return NULL;
	struct pack_block *b = xcalloc(1, sizeof(*b));
	b->number = number;
	bool good = columns_unpack(body, n, b->col, p->features & PACK_WORDED, &why);
	free(body);
	if (good && read_pieces(p, b, e->kernel)) {
		if (p->in)
			note_block(p, b);
		return b;
	}
	char text[160];
	snprintf(text, sizeof(text), "damaged block (%s)", good ? "its tables are not well formed" : why);
	pack_bad(p, e->at, f, "pack-damaged", text);
	block_free(b);
	return NULL;
}

struct pack_block *block_get(struct pack *p, uint32_t number, struct fault *f)
{
	pthread_mutex_lock(&p->lock);
	struct pack_block *b = p->cache;
	if (!b || b->number != number) {
		b = load_block(p, number, f);
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

uint64_t block_at(struct pack *p, uint32_t number)
{
	pthread_mutex_lock(&p->lock);
	uint64_t at = p->entry[number].at;
	pthread_mutex_unlock(&p->lock);
	return at;
}

/* ---- walking ------------------------------------------------------------------------------ */

void walk_start(struct walk *w, struct pack *p, uint32_t kernel, uint64_t first_block)
{
	*w = (struct walk){.p = p, .kernel = kernel};
	pthread_mutex_lock(&p->lock);
	w->next_block = pack_first_entry(p, kernel, first_block);
	if (p->in)
		forward_enter(p, w);
	pthread_mutex_unlock(&p->lock);
}

/* The number of the next block. 1, 0: there is none, -1. */
static int walk_block(struct walk *w, uint32_t *number, struct fault *f)
{
	struct pack *p = w->p;

	pthread_mutex_lock(&p->lock);
	int r = w->next_block < p->n_entries ? 1 : p->in ? forward_more(p, f) : 0;
	*number = w->next_block;
	w->next_block += r > 0;
	pthread_mutex_unlock(&p->lock);
	return r;
}

int walk_next(struct walk *w, struct read_piece **c, struct fault *f)
{
	while (!w->ended) {
		if (!w->b) {
			uint32_t number;
			int more = walk_block(w, &number, f);

			if (more <= 0)
				return more < 0 ? -1
						: pack_bad(w->p, w->p->size, f, "pack-damaged",
							  "the stream ends inside a kernel");
			if (!(w->b = block_get(w->p, number, f)))
				return -1;
			w->next_piece = 0;
		}
		while (w->next_piece < w->b->n_pieces) {
			*c = &w->b->piece[w->next_piece++];
			if ((*c)->kernel != w->kernel)
				continue;
			w->ended = (*c)->flags & PIECE_ENDS;
			if (w->ended && w->p->in && w->kernel + 1 == w->p->n_kernels &&
				forward_finish(w->p, f) < 0)
				return -1;
			return 1;
		}
		block_put(w->p, w->b);
		w->b = NULL;
	}
	return 0;
}

void walk_end(struct walk *w)
{
	if (!w->p)
		return; /* it was never started */
	if (w->p->in)
		forward_leave(w->p, w);
	block_put(w->p, w->b);
	w->b = NULL;
}
