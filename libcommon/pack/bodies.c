/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reader's bodies, by number. Strings and patches are kept up to BODIES_READ bytes. If a dropped body is needed
 * again, its block is read again. In a stream from a pipe, no piece refers to a dropped body.
 *
 * Always true: a root is not a patch, so reading a body requires at most two blocks. Decoded bodies are kept for
 * later kernels, up to SHOWN_BYTES.
 */
#include <stdio.h>
#include "bodies.h"

#define SLOTS       4096u
#define SHOWN       256u
#define SHOWN_BYTES (8u << 20)

struct kept_body {
	uint32_t number;
	uint32_t root; /* body that this patch changes; NONE: the body is whole */
	struct buf string;
	struct patch patch;
	struct kept_body *newer;     /* neighbour that was used later */
	struct kept_body *older;     /* neighbour that was used earlier */
	struct kept_body *by_number; /* next in the slot */
};

struct bodies {
	struct kept_body *slot[SLOTS], *newest, *oldest;
	size_t bytes;               /* bytes of all kept bodies */
	struct shown *shown[SHOWN]; /* decoded bodies, by number modulo SHOWN */
	size_t shown_bytes;         /* bytes of all decoded bodies */
};

/* ---- bodies as they are in blocks --------------------------------------------------------- */

static size_t size_of_kept_body(const struct kept_body *k)
{
	return sizeof(*k) + k->string.n + k->patch.ops.n + k->patch.fresh.n;
}

static struct bodies *bodies_of_stream(struct pack *p)
{
	if (!p->bodies)
		p->bodies = xcalloc(1, sizeof(*p->bodies));
	return p->bodies;
}

static struct kept_body *find_kept_body(const struct bodies *b, uint32_t number)
{
	struct kept_body *k = b->slot[number % SLOTS];

	while (k && k->number != number)
		k = k->by_number;
	return k;
}

static void free_kept(struct kept_body *k)
{
	buf_free(&k->string);
	patch_free(&k->patch);
	free(k);
}

static void unlink_kept(struct bodies *b, struct kept_body *k)
{
	*(k->newer ? &k->newer->older : &b->newest) = k->older;
	*(k->older ? &k->older->newer : &b->oldest) = k->newer;
}

static void link_kept(struct bodies *b, struct kept_body *k)
{
	k->newer = NULL;
	k->older = b->newest;
	*(b->newest ? &b->newest->newer : &b->oldest) = k;
	b->newest = k;
}

static void drop_kept(struct bodies *b)
{
	struct kept_body *k = b->oldest;
	/* NOLINTNEXTLINE: there is a body, because the caller has found bytes of bodies */
	struct kept_body **at = &b->slot[k->number % SLOTS];

	while (*at != k)
		at = &(*at)->by_number;
	*at = k->by_number;
	unlink_kept(b, k);
	b->bytes -= size_of_kept_body(k);
	free_kept(k);
}

static void add_kept_body(struct pack *p, struct kept_body *k)
{
	struct bodies *b = bodies_of_stream(p);

	if (size_of_kept_body(k) > BODIES_READ || find_kept_body(b, k->number)) {
		free_kept(k);
		return;
	}
	k->by_number = b->slot[k->number % SLOTS];
	b->slot[k->number % SLOTS] = k;
	link_kept(b, k);
	b->bytes += size_of_kept_body(k);
	while (b->bytes > BODIES_READ)
		drop_kept(b);
}

void bodies_add(struct pack *p, uint32_t number, struct buf *string)
{
	struct kept_body *k = xcalloc(1, sizeof(*k));

	*k = (struct kept_body){.number = number, .root = NONE, .string = *string};
	*string = (struct buf){0};
	add_kept_body(p, k);
}

void bodies_add_patch(struct pack *p, uint32_t number, uint32_t root, struct patch *patch)
{
	struct kept_body *k = xcalloc(1, sizeof(*k));

	*k = (struct kept_body){.number = number, .root = root, .patch = *patch};
	*patch = (struct patch){.ops = {0}};
	add_kept_body(p, k);
}

/* Returns the number of the block with the body; NONE if the stream has no such body. */
static uint32_t block_of_body(const struct pack *p, uint32_t number)
{
	uint32_t lo = 0, hi = p->n_entries;

	while (hi - lo > 1) {
		uint32_t m = lo + (hi - lo) / 2;

		if (p->entry[m].first_body <= number)
			lo = m;
		else
			hi = m;
	}
	return lo < hi && number - p->entry[lo].first_body < p->entry[lo].bodies ? lo : NONE;
}

/* Returns the body and marks it as most recently used. */
static struct kept_body *use_kept_body(struct pack *p, uint32_t number, struct fault *f)
{
	struct bodies *b = bodies_of_stream(p);
	struct kept_body *k = find_kept_body(b, number);

	if (!k && !p->input) {
		uint32_t block = block_of_body(p, number);

		if (block != NONE && !block_register(p, block, f))
			return NULL;
		k = find_kept_body(b, number);
	}
	if (!k) {
		pack_bad(p, p->size, f, "pack-damaged", "a kernel refers to a body that the stream lacks");
		return NULL;
	}
	unlink_kept(b, k);
	link_kept(b, k);
	return k;
}

/* ---- bodies as parts ---------------------------------------------------------------------- */

static void free_decoded_body(struct shown *s)
{
	buf_free(&s->string);
	part_free(&s->part);
	free(s);
}

void shown_release(struct shown *s)
{
	if (s && !--s->users)
		free_decoded_body(s);
}

void bodies_free(struct bodies *b)
{
	if (!b)
		return;
	for (unsigned i = 0; i < SHOWN; i++)
		shown_release(b->shown[i]);
	while (b->oldest)
		drop_kept(b);
	free(b);
}

static bool read_body_string(struct pack *p, uint32_t number, struct buf *string, struct fault *f)
{
	const struct kept_body *k = use_kept_body(p, number, f), *root;
	struct patch patch = {.ops = {0}};

	if (!k)
		return false;
	if (k->root == NONE) {
		buf_add(string, k->string.p, k->string.n);
		return true;
	}
	/* The patch is copied, because reading the block of the root may drop it. */
	buf_add(&patch.ops, k->patch.ops.p, k->patch.ops.n);
	buf_add(&patch.fresh, k->patch.fresh.p, k->patch.fresh.n);
	root = use_kept_body(p, k->root, f);
	bool good = root && root->root == NONE && patch_apply(string, &patch, root->string.p, root->string.n);
	if (root && !good)
		pack_bad(p, p->size, f, "pack-damaged",
			"patch of a kernel does not match the body that it refers to");
	patch_free(&patch);
	return good;
}

static bool decode_body(const struct pack *p, struct shown *s)
{
	struct body_parts b;
	struct block_remaining remaining = {pack_limits.block_statics, pack_limits.block_text,
		pack_limits.spans, p->features & PACK_RELATIVE, p->features & PACK_VALUED};
	uint64_t used[N_COLUMNS] = {0};

	if (!body_split(&b, s->string.p, s->string.n))
		return false;
	s->flags = b.flags;
	s->header = b.header;
	s->text_bytes = b.text_bytes;
	if (b.flags & PIECE_BEGINS) {
		struct header_facts h = header_facts((const char *)b.header.p, cur_left(&b.header));

		memcpy(s->part.grid, h.grid, sizeof(h.grid));
		s->part.threads = h.threads;
	} else {
		part_read_position(&b.header, &s->part);
	}
	if (b.header.bad || !part_unpack(&b.table, &s->part, &remaining, used) || cur_left(&b.table))
		return false;
	for (int k = 1; k < COL_STORED; k++) {
		const uint8_t *at = cur_bytes(&b.columns, used[k]);

		if (!at)
			return false;
		s->col[k] =
			(struct buf){.p = used[k] ? s->string.p + (at - s->string.p) : NULL, .n = used[k]};
	}
	s->col[COL_STORED] =
		(struct buf){.p = s->string.p + (b.stored.p - s->string.p), .n = cur_left(&b.stored)};
	if (!cur_left(&b.stored))
		s->col[COL_STORED].p = NULL;
	const struct pcode *c = &s->part.code;
	s->size = sizeof(*s) + s->string.n + c->text.n + c->n_statics * sizeof(c->statics[0]) +
		  c->n_mem * sizeof(c->mem[0]);
	return !cur_left(&b.columns);
}

static void cache_decoded_body(struct bodies *b, struct shown *s)
{
	struct shown **at = &b->shown[s->number % SHOWN];

	if (*at)
		b->shown_bytes -= (*at)->size;
	shown_release(*at);
	*at = NULL;
	for (unsigned i = 0; i < SHOWN && b->shown_bytes + s->size > SHOWN_BYTES; i++) {
		struct shown *old = b->shown[(s->number + i) % SHOWN];

		b->shown[(s->number + i) % SHOWN] = NULL;
		b->shown_bytes -= old ? old->size : 0;
		shown_release(old);
	}
	*at = s;
	s->users++;
	b->shown_bytes += s->size;
}

struct shown *bodies_show(struct pack *p, uint32_t number, struct fault *f)
{
	struct bodies *b = bodies_of_stream(p);
	struct shown *s = b->shown[number % SHOWN];

	if (s && s->number == number) {
		s->users++;
		return s;
	}
	s = xcalloc(1, sizeof(*s));
	s->number = number;
	s->users = 1;
	if (!read_body_string(p, number, &s->string, f)) {
		free_decoded_body(s);
		return NULL;
	}
	if (!decode_body(p, s)) {
		pack_bad(p, p->size, f, "pack-damaged", "the body of a kernel is not well formed");
		free_decoded_body(s);
		return NULL;
	}
	if (s->size <= SHOWN_BYTES)
		cache_decoded_body(b, s);
	return s;
}
