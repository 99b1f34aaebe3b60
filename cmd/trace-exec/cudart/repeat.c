/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Launches that repeat an earlier one, which need not be executed.
 *
 * A launch is a function of its kernel, its configuration, its parameters and the memory. The effect of a launch is
 * kept: the chunks of memory that it changed, with their new contents. If an equal launch begins with the same memory,
 * its effect is stored instead of executing it. Programs that measure time launch a kernel many times, often on inputs
 * that are copied or reset before each launch.
 *
 * Always true: a launch is not executed only without a trace, and only if an equal launch on the same memory was
 * executed with the same checks and did not pause, and if all effects and inputs of that launch were in memory
 * (cta.has_outside_effect). Contents of memory are compared by hashes of 128 bits. The launch may have had findings:
 * they are reported once for each place or kernel, so that the same findings again would report nothing.
 *
 * The value of %globaltimer is different in each launch. Most kernels that read it only wait for a time, as barriers
 * of libcu++ do, and have the same effect at any time. A launch that reads it is therefore executed twice before it is
 * repeated, and again after 1, 2, 4, 8 and so on repeats. Once its effect was different, it is always executed.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "arena.h"
#include "bytes.h"
#include "cudart/repeat.h"
#include "exec/digest.h"

#define KEYS            16384u         /* number of launches that are remembered; a power of two */
#define BUCKETS         65536u         /* number of hash buckets of effects; a power of two */
#define EFFECTS_MOST    (256ull << 20) /* largest total size in bytes of the effects that are kept */
#define BYTES_OF_THREAD 8u             /* bytes to hash for each thread instruction of a launch */

/* Equal launches. */
struct repeated {
	XXH128_hash_t key;
	bool in_use;          /* the entry is in use */
	bool examined;        /* the effect of a launch with this key was examined */
	uint64_t misses;      /* number of launches whose memory was hashed since an effect was found last */
	uint64_t hash_budget; /* number of bytes that may be hashed */
};

/* Contents of a chunk after a launch. They are followed by its bytes, and by its marks if has_marks. */
struct chunk_change {
	uint64_t addr;
	XXH128_hash_t hash;
	bool has_marks;
};

struct effect {
	XXH128_hash_t id; /* hash of the launch and of the memory before it */
	struct effect *next_in_bucket;
	struct effect *next; /* effect that was kept after this one */
	uint64_t warp_insts, thread_insts;
	bool changes_host;     /* some of the chunks have bytes that the host may write */
	bool reads_timer;      /* the launch read %globaltimer */
	bool is_timed;         /* the effect depends on %globaltimer */
	uint64_t period;       /* reads_timer: number of repeats between two executions */
	uint64_t repeats_left; /* reads_timer: number of repeats before the next execution */
	struct bytes changes;  /* struct chunk_change, with the contents of the chunks */
};

static struct repeated repeated[KEYS];
static struct {
	struct effect *bucket[BUCKETS], *oldest, **end;
	uint64_t bytes;
} effects = {.end = &effects.oldest};

static struct repeated *slot_of_key(XXH128_hash_t key) { return &repeated[key.low64 % KEYS]; }

static XXH3_state_t *start_hash(void)
{
	static XXH3_state_t *h;

	if (!h && !(h = XXH3_createState()))
		die("out of memory");
	XXH3_128bits_reset(h);
	return h;
}

static XXH128_hash_t hash_launch(const struct grid *g)
{
	const struct launch *l = g->launch;
	uint64_t kernel = (uintptr_t)l->kernel;
	XXH3_state_t *h = start_hash();

	XXH3_128bits_update(h, &kernel, sizeof(kernel));
	XXH3_128bits_update(h, &g->code->prog->n_modules, sizeof(g->code->prog->n_modules));
	XXH3_128bits_update(h, &g->options->check, sizeof(g->options->check));
	XXH3_128bits_update(h, &g->n_resident, sizeof(g->n_resident));
	XXH3_128bits_update(h, l->grid, sizeof(l->grid));
	XXH3_128bits_update(h, l->block, sizeof(l->block));
	XXH3_128bits_update(h, l->cluster, sizeof(l->cluster));
	XXH3_128bits_update(h, &l->dyn_shared, sizeof(l->dyn_shared));
	XXH3_128bits_update(h, &l->workspace, sizeof(l->workspace));
	XXH3_128bits_update(h, l->param, l->kernel->param_bytes);
	return XXH3_128bits_digest(h);
}

/* ---- effects ---- */

static struct effect **bucket_of_id(XXH128_hash_t id) { return &effects.bucket[id.low64 % BUCKETS]; }

static struct effect *find_effect(XXH128_hash_t id)
{
	struct effect *e = *bucket_of_id(id);

	while (e && !XXH128_isEqual(e->id, id))
		e = e->next_in_bucket;
	return e;
}

static uint64_t bytes_of_effect(const struct effect *e) { return sizeof(*e) + e->changes.cap; }

static void free_effect(struct effect *e)
{
	bytes_free(&e->changes);
	free(e);
}

static void drop_oldest_effect(void)
{
	struct effect *e = effects.oldest, **at = bucket_of_id(e->id);

	while (*at != e)
		at = &(*at)->next_in_bucket;
	*at = e->next_in_bucket;
	if (!(effects.oldest = e->next))
		effects.end = &effects.oldest;
	effects.bytes -= bytes_of_effect(e);
	free_effect(e);
}

static void keep_effect(struct effect *e)
{
	struct effect **bucket = bucket_of_id(e->id);

	effects.bytes += bytes_of_effect(e);
	while (effects.oldest && effects.bytes > EFFECTS_MOST)
		drop_oldest_effect();
	e->next_in_bucket = *bucket;
	*bucket = e;
	*effects.end = e;
	effects.end = &e->next;
}

/* Returns true if the program has one thread. Other threads could write to memory of the host during a launch. */
static bool is_only_thread(void)
{
	struct stat s;

	return !stat("/proc/self/task", &s) && s.st_nlink == 3; /* ".", ".." and a thread */
}

/* State of the search for the changes of a launch. */
struct change_search {
	struct memory *memory;
	struct effect *effect;
	bool has_threads; /* other threads could write to memory of the host during the launch */
	bool fails;       /* the effect cannot be kept */
};

static bool is_any_mark_set(const uint8_t *marks)
{
	static const uint8_t zeros[DIGEST_CHUNK];

	return marks && memcmp(marks, zeros, DIGEST_CHUNK) != 0;
}

/* Adds the contents of a chunk to the effect of a launch. */
static void add_change(void *search, uint64_t addr, XXH128_hash_t hash)
{
	struct change_search *s = search;
	const uint8_t *marks = digest_chunk_marks(s->memory, addr);
	struct chunk_change c;
	struct bytes *b = &s->effect->changes;

	memset(&c, 0, sizeof(c)); /* effects are compared by bytes, including the padding */
	c.addr = addr;
	c.hash = hash;
	c.has_marks = is_any_mark_set(marks);
	s->effect->changes_host |= digest_is_host_chunk(s->memory, addr);
	if (b->n >= EFFECTS_MOST / 2 || (s->has_threads && s->effect->changes_host))
		s->fails = true;
	if (s->fails)
		return;
	bytes_add(b, &c, sizeof(c));
	bytes_add(b, digest_chunk_bytes(s->memory, addr), DIGEST_CHUNK);
	if (c.has_marks)
		bytes_add(b, marks, DIGEST_CHUNK);
}

/* Changes memory as the launch did. */
static void replay_effect(const struct effect *e, struct memory *m)
{
	const char *p = e->changes.p;

	while (p < e->changes.p + e->changes.n) {
		struct chunk_change c;

		memcpy(&c, p, sizeof(c));
		p += sizeof(c);
		memcpy(digest_chunk_bytes(m, c.addr), p, DIGEST_CHUNK);
		p += DIGEST_CHUNK;
		digest_put_marks(m, c.addr, c.has_marks ? (const uint8_t *)p : NULL);
		if (c.has_marks)
			p += DIGEST_CHUNK;
		digest_set_chunk(m, c.addr, c.hash);
	}
	cudart.warp_insts += e->warp_insts;
	cudart.thread_insts += e->thread_insts;
	cudart.repeats++;
}

/* ---- launches ---- */

static struct repeated *find_repeated(XXH128_hash_t key)
{
	struct repeated *r = slot_of_key(key);

	if (!r->in_use || !XXH128_isEqual(r->key, key))
		*r = (struct repeated){.key = key, .in_use = true};
	return r;
}

/*
 * Takes a number of bytes from the hash budget of a launch. Returns false if the budget has fewer. Each launch adds to
 * the budget, and adds less after hashes that found no effect, so that hashes take a small part of the time of a kernel
 * whose memory never repeats.
 */
static bool take_hash_budget(struct repeated *r, uint64_t bytes)
{
	if (bytes > r->hash_budget)
		return false;
	r->hash_budget -= bytes;
	return true;
}

static void add_hash_budget(struct repeated *r, uint64_t thread_insts)
{
	r->hash_budget += BYTES_OF_THREAD * thread_insts / (1 + r->misses);
}

/* Returns the hash of a launch and of all memory that it can access. */
static XXH128_hash_t hash_launch_and_memory(XXH128_hash_t key, const struct grid *g)
{
	XXH128_hash_t memory = digest_update(g->mem, NULL, NULL);
	XXH3_state_t *h = start_hash();

	XXH3_128bits_update(h, &key, sizeof(key));
	XXH3_128bits_update(h, &memory, sizeof(memory));
	if (g->textures->n)
		XXH3_128bits_update(h, g->textures->texture, g->textures->n * sizeof(struct texture));
	return XXH3_128bits_digest(h);
}

bool cudart_skip_repeat(struct repeat *x, const struct grid *g)
{
	struct effect *e;
	struct repeated *r;
	uint64_t cost;

	*x = (struct repeat){.possible = !cudart.wire.trace && !cudart.wire.every_launch};
	if (!x->possible)
		return false;
	if (!g->mem->digests)
		digest_start(g->mem);
	x->key = hash_launch(g);
	r = find_repeated(x->key);
	if (!r->hash_budget || !digest_is_complete(g->mem, g->options->check))
		return false;
	cost = digest_cost(g->mem, r->hash_budget) + g->textures->n * sizeof(struct texture);
	if ((!r->examined && cost > r->hash_budget / 2) || !take_hash_budget(r, cost))
		return false;
	x->id = hash_launch_and_memory(x->key, g);
	e = find_effect(x->id);
	if (e && (e->is_timed ||
			 (e->changes_host && !is_only_thread()))) /* another thread may write to a chunk */
		return false;
	if (!e || (e->reads_timer && !e->repeats_left)) {
		r->misses += !e;
		x->examined = true;
		x->has_threads = !is_only_thread();
		x->may_have_unset = g->mem->may_have_unset;
		return false;
	}
	r->misses = 0;
	e->repeats_left -= e->reads_timer;
	replay_effect(e, g->mem);
	add_hash_budget(r, e->thread_insts);
	return true;
}

/* Compares the known effect of a launch that reads %globaltimer with its effect at another time. */
static void compare_at_another_time(struct effect *known, const struct effect *e)
{
	known->is_timed = known->warp_insts != e->warp_insts || known->thread_insts != e->thread_insts ||
			  known->changes.n != e->changes.n ||
			  (e->changes.n && memcmp(known->changes.p, e->changes.p, e->changes.n) != 0);
	known->repeats_left = known->period = known->period ? 2 * known->period : 1;
}

static void examine_effect(const struct repeat *x, const struct grid *g)
{
	struct effect *e = xcalloc(1, sizeof(*e)), *known = find_effect(x->id);
	struct change_search s = {
		.memory = g->mem, .effect = e, .has_threads = x->has_threads || !is_only_thread()};

	e->id = x->id;
	e->warp_insts = g->warp_insts;
	e->thread_insts = g->thread_insts;
	e->reads_timer = g->reads_timer;
	digest_update(g->mem, add_change, &s);
	if (known)
		compare_at_another_time(known, e);
	if (known || s.fails || g->mem->may_have_unset != x->may_have_unset) {
		free_effect(e);
		return;
	}
	keep_effect(e);
}

void cudart_note_effect(const struct repeat *x, const struct grid *g, bool good)
{
	struct repeated *r;

	if (!x->possible)
		return;
	r = find_repeated(x->key);
	add_hash_budget(r, g->thread_insts);
	if (x->examined && good && !x->paused && !g->has_outside_effect &&
		take_hash_budget(r, digest_cost(g->mem, r->hash_budget))) {
		r->examined = true;
		examine_effect(x, g);
	}
}
