/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One block of a packed stream, unpacked: its pieces with their tables. Blocks are shared by those who read
 * them and the one used last is kept.
 */
#include <stdio.h>
#include "codec.h"

void block_free(struct block *b)
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

static bool read_piece(
	struct block *b, struct cur *in, struct piece *c, struct header_state *s, uint64_t used[N_COLUMNS])
{
	size_t n;

	c->flags = (unsigned)mp_get_uint(in, PIECE_ALL);
	if (c->flags & PIECE_BEGINS) {
		if (!header_unpack(in, s, &c->header))
			return false;
		struct header_facts h = header_facts((const char *)c->header.p, c->header.n);
		memcpy(c->part.grid, h.grid, sizeof(h.grid));
		c->part.threads = h.threads;
	} else {
		c->part.first_block = mp_get_uint(in, UINT64_MAX);
		for (int i = 0; i < 3; i++)
			c->part.grid[i] = (uint32_t)mp_get_uint(in, UINT32_MAX);
		c->part.threads = (uint32_t)mp_get_uint(in, 65536);
	}
	if (c->flags & PIECE_PART && !part_unpack(in, &c->part, used))
		return false;
	if (c->flags & PIECE_STORED) {
		c->n_stored = mp_get_uint(in, COLUMN_MAX);
		c->stored = used[COL_STORED];
		used[COL_STORED] += c->n_stored;
		if (used[COL_STORED] > b->col[COL_STORED].n)
			return false;
	}
	if (c->flags & PIECE_ENDS)
		c->bytes = mp_get_uint(in, UINT64_MAX);
	if (c->flags & PIECE_HASH) {
		c->hash = mp_get_str(in, &n);
		if (n != 16)
			return false;
	}
	return !in->bad;
}

static bool read_pieces(struct block *b, uint32_t kernel)
{
	struct cur in = cur_of(b->col[COL_META].p, b->col[COL_META].n);
	struct header_state s = {0};
	uint64_t used[N_COLUMNS] = {0};

	if (mp_get_uint(&in, 1)) {
		b->list_name = mp_get_str(&in, &b->list_name_len);
		b->list = mp_get_str(&in, &b->list_len);
	}
	uint32_t n = (uint32_t)mp_get_uint(&in, cur_left(&in));
	if (in.bad)
		return false;
	b->piece = xcalloc(n + 1, sizeof(b->piece[0]));
	for (uint32_t i = 0; i < n; i++) {
		struct piece *c = &b->piece[b->n_pieces++];

		c->kernel = kernel;
		if (!read_piece(b, &in, c, &s, used))
			return false;
		kernel += !!(c->flags & PIECE_ENDS);
	}
	return !cur_left(&in);
}

/* What the index will say of the newest block, and where the next one begins. */
static void note_block(struct pack *p, const struct block *b)
{
	if (b->number + 1 != p->n_entries)
		return;
	p->next_kernel = p->entry[b->number].kernel;
	p->entry[b->number].first_block = b->n_pieces ? b->piece[0].part.first_block : 0;
	for (uint32_t i = 0; i < b->n_pieces; i++)
		p->next_kernel += !!(b->piece[i].flags & PIECE_ENDS);
}

static struct block *load(struct pack *p, uint32_t number, struct fault *f)
{
	size_t n;
	uint64_t size;
	const char *why = "its tables are not well formed";
	const struct entry *e = &p->entry[number];
	uint8_t *body =
		p->in ? forward_body(p, number, &n, f) : pack_frame(p, e->at, BLOCK_DATA, &n, &size, f);

	if (!body)
		return NULL;
	struct block *b = xcalloc(1, sizeof(*b));
	b->number = number;
	bool good = columns_unpack(body, n, b->col, &why);
	free(body);
	if (good && read_pieces(b, e->kernel)) {
		if (p->in)
			note_block(p, b);
		return b;
	}
	char text[160];
	snprintf(text, sizeof(text), "found a damaged block (%s)",
		good ? "its tables are not well formed" : why);
	pack_bad(p, e->at, f, "pack-damaged", text);
	block_free(b);
	return NULL;
}

struct block *block_get(struct pack *p, uint32_t number, struct fault *f)
{
	pthread_mutex_lock(&p->lock);
	struct block *b = p->cache;
	if (!b || b->number != number) {
		b = load(p, number, f);
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

void block_put(struct pack *p, struct block *b)
{
	if (!b)
		return;
	pthread_mutex_lock(&p->lock);
	bool last = !--b->users;
	pthread_mutex_unlock(&p->lock);
	if (last)
		block_free(b);
}

/* ---- walking ------------------------------------------------------------------------------ */

void walk_start(struct walk *w, struct pack *p, uint32_t kernel, uint64_t first_block)
{
	*w = (struct walk){.p = p, .kernel = kernel};
	w->next_block = pack_first_entry(p, kernel, first_block);
	forward_enter(p, w);
}

int walk_next(struct walk *w, struct piece **c, struct fault *f)
{
	while (!w->ended) {
		if (!w->b) {
			int more = w->next_block == w->p->n_entries ? forward_more(w->p, f) : 1;

			if (more <= 0)
				return more < 0 ? -1
						: pack_bad(w->p, w->p->size, f, "pack-damaged",
							  "found the end of the "
							  "stream inside a kernel");
			if (!(w->b = block_get(w->p, w->next_block++, f)))
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
	forward_leave(w->p, w);
	block_put(w->p, w->b);
	w->b = NULL;
}
