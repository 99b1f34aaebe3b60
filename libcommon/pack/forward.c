/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packed streams from a pipe, which are read once, from the first block to the end marker.
 *
 * Always true: the compressed blocks are kept from the predecessor of the oldest block in use on; older blocks are
 * dropped. After the last kernel, the index, the end marker and the end of the input were read and agree with the
 * blocks, so a truncated stream and bytes after a stream are always detected.
 */
#include <stdio.h>
#include "codec.h"

#define CHUNK (1u << 20)

static int read_exactly(struct pack *p, struct buf *to, uint64_t n, struct fault *f)
{
	while (n) {
		size_t want = n < CHUNK ? (size_t)n : CHUNK;

		buf_room(to, want);
		long got = input_read(p->input, to->p + to->n, want, f);
		if (got < 0)
			return -1;
		if (got == 0)
			return pack_bad(p, p->size, f, "pack-truncated", "the stream ends early");
		to->n += (size_t)got;
		p->size += (uint64_t)got;
		n -= (uint64_t)got;
	}
	return 0;
}

/* Reads the next frame into b. The frame's body begins at *body and ends 8 bytes before the end. */
static int read_frame(struct pack *p, struct buf *b, size_t *body, struct fault *f)
{
	uint64_t at = p->size, len;
	struct cur c;

	if (read_exactly(p, b, 2, f) < 0)
		return -1;
	while (b->p[b->n - 1] > 127 && b->n < 11)
		if (read_exactly(p, b, 1, f) < 0)
			return -1;
	c = cur_of(b->p + 1, b->n - 1);
	len = cur_var(&c);
	*body = b->n;
	if (c.bad || len > UINT64_MAX - 8 || (b->p[0] != BLOCK_DATA && b->p[0] != BLOCK_INDEX))
		return pack_bad(p, at, f, "pack-damaged", "no block begins here");
	if (read_exactly(p, b, len + 8, f) < 0)
		return -1;
	uint64_t want = 0;
	for (int i = 0; i < 8; i++)
		want |= (uint64_t)b->p[b->n - 8 + (unsigned)i] << 8 * i;
	if (stream_sum(b->p, *body, b->p + *body, len) != want)
		return pack_bad(p, at, f, "pack-damaged", "the checksum of a block is wrong");
	return 0;
}

/* Checks that the input ends, so that a second stream is not lost in silence. */
static int check_nothing_follows(struct pack *p, struct fault *f)
{
	char byte;
	long got = input_read(p->input, &byte, 1, f);

	if (got <= 0)
		return (int)got;
	return pack_bad(p, p->size, f, "pack-damaged", "other bytes follow the end of the stream");
}

/* Checks that the index lists the blocks that were read. */
static int check_stream_end(struct pack *p, const struct buf *b, size_t body, struct fault *f)
{
	struct buf end = {0};
	struct cur in = cur_of(b->p + body, b->n - 8 - body);
	uint64_t kernel = 0, at = p->size;
	bool good = mp_get_uint(&in, UINT32_MAX) == p->n_entries;

	for (uint32_t i = 0; good && i < p->n_entries; i++) {
		const struct pack_entry *e = &p->entry[i];

		good = mp_get_uint(&in, UINT64_MAX) == e->size &&
		       mp_get_uint(&in, UINT32_MAX) == e->kernel - kernel &&
		       mp_get_uint(&in, UINT64_MAX) == (e->begins ? 0 : 1 + e->first_block) &&
		       (!(p->features & PACK_SHARED) || mp_get_uint(&in, NONE) == e->bodies);
		kernel = e->kernel;
	}
	if (!good || !pack_index_end(p, &in))
		return pack_bad(p, at - b->n, f, "pack-damaged", "the index does not fit the blocks");
	int r = read_exactly(p, &end, 8, f);
	if (r == 0 && (memcmp(end.p + 4, PACK_END, 4) ||
			      (uint32_t)b->n != ((uint32_t)end.p[0] | (uint32_t)end.p[1] << 8 |
							(uint32_t)end.p[2] << 16 | (uint32_t)end.p[3] << 24)))
		r = pack_bad(p, at, f, "pack-damaged", "no end marker");
	buf_free(&end);
	if (r == 0)
		r = check_nothing_follows(p, f);
	p->complete = r == 0;
	return r;
}

static void drop_old_blocks(struct pack *p)
{
	uint32_t low = p->n_entries > 2 ? p->n_entries - 2 : 0;

	for (uint32_t i = 0; i < p->n_walks; i++) {
		uint32_t at = p->walk[i]->next_block;

		low = at < low + 2 ? (at > 2 ? at - 2 : 0) : low;
	}
	for (; p->dropped < low && !p->keep_all; p->dropped++)
		buf_free(&p->frame[p->dropped]);
}

int forward_read_entry(struct pack *p, struct fault *f)
{
	struct buf b = {0};
	size_t body;
	uint64_t at = p->size;
	int r = p->complete ? 0 : read_frame(p, &b, &body, f);

	if (r == 0 && !p->complete && b.p[0] == BLOCK_INDEX) {
		r = check_stream_end(p, &b, body, f);
	} else if (r == 0 && !p->complete) {
		grow(&p->entry, &p->cap_entries, p->n_entries + 1, sizeof(p->entry[0]));
		grow(&p->frame, &p->cap_frames, p->n_entries + 1, sizeof(p->frame[0]));
		p->entry[p->n_entries] = (struct pack_entry){
			.offset = at, .size = b.n, .kernel = p->next_kernel, .body = body};
		p->frame[p->n_entries++] = b;
		drop_old_blocks(p);
		return 1;
	}
	buf_free(&b);
	return r;
}

int forward_finish(struct pack *p, struct fault *f)
{
	pthread_mutex_lock(&p->lock);
	int r = forward_read_entry(p, f);
	uint64_t at = p->n_entries ? p->entry[p->n_entries - 1].offset : 0;
	pthread_mutex_unlock(&p->lock);
	return r > 0 ? pack_bad(p, at, f, "pack-damaged", "block after the last kernel") : r;
}

uint8_t *forward_body(struct pack *p, uint32_t number, size_t *n, struct fault *f)
{
	const struct buf *b = &p->frame[number];

	if (!b->p) {
		fault_set(f, (struct place){p->name, 0, 0}, "pack-order",
			"a kernel is needed again, but a pipe cannot be read twice (use a file)");
		return NULL;
	}
	*n = b->n - 8 - p->entry[number].body;
	uint8_t *body = xmalloc(*n + 1);
	memcpy(body, b->p + p->entry[number].body, *n);
	return body;
}

void forward_enter(struct pack *p, struct walk *w)
{
	grow(&p->walk, &p->cap_walks, p->n_walks + 1, sizeof(p->walk[0]));
	p->walk[p->n_walks++] = w;
}

void forward_leave(struct pack *p, const struct walk *w)
{
	pthread_mutex_lock(&p->lock);
	for (uint32_t i = 0; i < p->n_walks; i++)
		if (p->walk[i] == w)
			p->walk[i--] = p->walk[--p->n_walks];
	pthread_mutex_unlock(&p->lock);
}

struct pack *pack_open_forward(struct input *in, struct fault *f)
{
	struct pack *p = xcalloc(1, sizeof(*p));
	struct buf b = {0};

	p->name = diag_keep(input_name(in));
	p->fd = -1;
	p->input = in;
	pack_lock_init(p);
	bool good = read_exactly(p, &b, PACK_FIRST, f) == 0 && pack_check_magic(p, b.p, f) == 0 &&
		    forward_read_entry(p, f) >= 0;
	if (good && !p->n_entries)
		good = pack_bad(p, PACK_FIRST, f, "pack-damaged", "no kernel list in the first block") == 0;
	good = good && pack_read_list(p, f) == 0;
	buf_free(&b);
	if (good)
		return p;
	p->input = NULL;
	pack_close(p);
	return NULL;
}
