/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables of origins by key and by kernel, and their order of last use.
 *
 * Always true: pieces are considered equal if their 128-bit hashes are equal. The seed is random, so that no input
 * can force a collision; it affects nothing else. The first piece of records of a kernel is not hashed, because most
 * kernels of a stream run once: hashing takes 10 percent of the time that packing adds to matrix products. If a second
 * piece of the kernel follows, the bytes of both bodies are compared by their hashes instead. The sum of weights is at
 * most BODIES_WRITTEN and bounds the bytes of all strings, because the weight of each patch includes the string of its
 * root.
 */
#include <sys/random.h>
#include <xxhash.h>
#include "share.h"

#define LEAST_STRING 64u /* smallest size of a string in bytes for which a patch saves space */

struct share *share_new(void)
{
	struct share *s = xcalloc(1, sizeof(*s));

	if (getrandom(&s->seed, sizeof(s->seed), GRND_NONBLOCK) != sizeof(s->seed))
		s->seed = 0;
	return s;
}

void share_free(struct share *s)
{
	for (struct origin *o = s->newest, *older; o; o = older) {
		older = o->older;
		share_release(o);
	}
	free(s);
}

void share_release(struct origin *o)
{
	while (o && !--o->holders) {
		struct origin *root = o->root;

		buf_free(&o->string);
		free(o);
		o = root;
	}
}

void share_key(const struct share *s, const struct share_text *t, uint64_t key[2])
{
	const uint64_t numbers[4] = {
		t->text_bytes, t->first_block, t->header->n, (uint64_t)t->begins | (uint64_t)t->lines << 1};
	XXH128_hash_t text = XXH3_128bits_withSeed(t->text, t->n, s->seed),
		      header = XXH3_128bits_withSeed(t->header->p, t->header->n, s->seed),
		      rest = XXH3_128bits_withSeed(numbers, sizeof(numbers), s->seed);
	const uint64_t all[6] = {
		text.low64, text.high64, header.low64, header.high64, rest.low64, rest.high64};
	XXH128_hash_t h = XXH3_128bits_withSeed(all, sizeof(all), s->seed);

	key[0] = h.low64;
	key[1] = h.high64;
}

static struct origin **origin_slot(struct origin *slot[ORIGIN_SLOTS], uint64_t hash)
{
	return &slot[hash & (ORIGIN_SLOTS - 1)];
}

static void link_newest(struct share *s, struct origin *o)
{
	o->newer = NULL;
	o->older = s->newest;
	*(s->newest ? &s->newest->newer : &s->oldest) = o;
	s->newest = o;
}

static void unlink_origin(struct share *s, struct origin *o)
{
	*(o->newer ? &o->newer->older : &s->newest) = o->older;
	*(o->older ? &o->older->newer : &s->oldest) = o->newer;
}

static void mark_origin_used(struct share *s, struct origin *o)
{
	unlink_origin(s, o);
	link_newest(s, o);
}

struct origin *share_find(struct share *s, const uint64_t key[2])
{
	struct origin *o = *origin_slot(s->key, key[0]);

	while (o && (o->key[0] != key[0] || o->key[1] != key[1]))
		o = o->by_key;
	if (o)
		mark_origin_used(s, o);
	return o;
}

/* Removes the least recently used origin from all tables and returns it. */
static struct origin *drop_oldest(struct share *s)
{
	struct origin *o = s->oldest, **at;

	if (o->has_key) {
		for (at = origin_slot(s->key, o->key[0]); *at != o;)
			at = &(*at)->by_key;
		*at = o->by_key;
	}
	for (at = origin_slot(s->near, o->near_hash); *at != o;)
		at = &(*at)->by_near;
	*at = o->by_near;
	for (at = origin_slot(s->far, o->far_hash); *at != o;)
		at = &(*at)->by_far;
	*at = o->by_far;
	unlink_origin(s, o);
	s->weight -= o->weight;
	return o;
}

struct origin *share_find_near(const struct share *s, uint64_t near)
{
	struct origin *o = s->near[near & (ORIGIN_SLOTS - 1)];

	while (o && o->near_hash != near)
		o = o->by_near;
	return o;
}

#define TWINS_TRIED \
	8u /* kernels that alternate between two to four sets of buffers are compared with all of them */

struct origin *share_find_twin(struct origin *newest)
{
	struct origin *o = newest;

	for (unsigned tried = 0; o && tried < TWINS_TRIED; o = o->by_near) {
		if (o->near_hash != newest->near_hash)
			continue;
		if (!o->has_key)
			return o;
		tried++;
	}
	return NULL;
}

/* Returns the newest origin with the same name and grid; if there is none, with the same name. */
static struct origin *find_similar_origin(struct share *s, uint64_t near, uint64_t far)
{
	struct origin *o = share_find_near(s, near);

	if (o)
		return o;
	for (o = *origin_slot(s->far, far); o && o->far_hash != far;)
		o = o->by_far;
	return o;
}

struct origin *share_add(struct share *s, const uint64_t key[2], uint64_t near, uint64_t far, uint64_t weight,
	struct origin **related, struct origin **gone)
{
	struct origin *o = xcalloc(1, sizeof(*o)), **slot;

	*o = (struct origin){.has_key = key != NULL,
		.near_hash = near,
		.far_hash = far,
		.weight = weight,
		.body = NONE,
		.holders = 1};
	*related = find_similar_origin(s, near, far);
	if (*related)
		mark_origin_used(s, *related);
	if (key) {
		memcpy(o->key, key, sizeof(o->key));
		o->by_key = *(slot = origin_slot(s->key, key[0]));
		*slot = o;
	}
	o->by_near = *(slot = origin_slot(s->near, near));
	*slot = o;
	o->by_far = *(slot = origin_slot(s->far, far));
	*slot = o;
	link_newest(s, o);
	s->weight += weight;
	while (s->weight > BODIES_WRITTEN && s->oldest != o && s->oldest != *related) {
		struct origin *old = drop_oldest(s);

		old->next_gone = *gone;
		*gone = old;
	}
	return o;
}

bool share_make_body(struct share *s, struct origin *o, struct origin *related, struct buf *string,
	struct patch *p, bool whole)
{
	struct origin *root =
		related && related->body != NONE ? (related->root ? related->root : related) : NULL;
	bool is = root && !whole && string->n >= LEAST_STRING && root->string.n <= o->weight;

	*p = (struct patch){.ops = {0}};
	if (is && !patch_make(p, &root->string, string, string->n / 4)) {
		patch_free(p);
		is = false;
	}
	o->body = s->n_bodies++;
	if (is) {
		o->root = root;
		root->holders++;
		buf_free(string);
	} else {
		o->string = *string;
		*string = (struct buf){0};
	}
	return is;
}

void share_use_body(struct origin *o, struct origin *twin)
{
	o->body = twin->body;
	o->root = twin->root ? twin->root : twin;
	o->root->holders++;
}
