/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Launches that repeat an earlier one and cannot change anything, which need not be executed.
 *
 * A launch is a function of its kernel, its configuration, its parameters and the memory. If a launch has left all
 * memory as it was, an equal launch leaves the same memory unchanged again. Programs that measure time launch a
 * kernel many times, and from the second time on its result is already there.
 *
 * Always true: a launch is not executed only without a trace, and only if an equal launch on the same memory was
 * executed with the same checks, left the memory unchanged, did not pause and had no finding, and if all effects and
 * inputs of that launch were in memory (cta.has_outside_effect).
 */
#include <string.h>
#include <xxhash.h>
#include "cudart/repeat.h"

#define KEYS            1024u /* launches that are known; a power of two */
#define BYTES_OF_THREAD 4u    /* largest number of bytes to hash for each thread instruction of a launch */
#define BUFFER_COST     64u   /* time to visit a buffer, as a number of bytes to hash */

/* Equal launches. */
struct repeated {
	XXH128_hash_t key;
	XXH128_hash_t fixed; /* hash of memory that the launch leaves unchanged, if has_fixed */
	bool known, has_fixed;
	uint64_t seen, next; /* number of launches, and the number of the next one whose effect is examined */
	uint64_t warp_insts, thread_insts; /* of the latest launch that was executed */
};

static struct repeated repeated[KEYS];

static struct repeated *slot_of_key(XXH128_hash_t key) { return &repeated[key.low64 % KEYS]; }

static XXH3_state_t *start_hash(void)
{
	static XXH3_state_t *h;

	if (!h && !(h = XXH3_createState()))
		die("memory is exhausted");
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
	XXH3_128bits_update(h, &g->resident, sizeof(g->resident));
	XXH3_128bits_update(h, l->grid, sizeof(l->grid));
	XXH3_128bits_update(h, l->block, sizeof(l->block));
	XXH3_128bits_update(h, l->cluster, sizeof(l->cluster));
	XXH3_128bits_update(h, &l->dyn_shared, sizeof(l->dyn_shared));
	XXH3_128bits_update(h, &l->workspace, sizeof(l->workspace));
	XXH3_128bits_update(h, l->param, l->kernel->param_bytes);
	return XXH3_128bits_digest(h);
}

/* ---- memory ---- */

/* Returns the end of the bytes that a launch can access at buffer i: without checks, up to the next buffer. */
static uint64_t end_of_access(const struct grid *g, uint32_t i)
{
	const struct memory *m = g->mem;

	if (g->options->check)
		return m->buffer[i].addr + m->buffer[i].size;
	return i + 1 < m->n_buffers ? m->buffer[i + 1].addr : HEAP_BASE + m->heap_bytes;
}

/*
 * Sets *bytes to the cost of hash_memory(). Returns false if the hash would not contain all memory that the launch
 * can access: without checks, a launch can also access freed memory.
 */
static bool find_hash_cost(const struct grid *g, uint64_t *bytes)
{
	const struct memory *m = g->mem;

	*bytes = m->static_bytes + g->textures->n * sizeof(struct texture);
	for (uint32_t i = 0; i < m->n_buffers; i++) {
		const struct buffer *b = &m->buffer[i];

		*bytes += BUFFER_COST;
		if (b->live && b->addr >= HEAP_BASE)
			*bytes += (m->may_have_unset ? 2u : 1u) * (end_of_access(g, i) - b->addr);
		if (!b->live && !g->options->check)
			return false;
	}
	return true;
}

/* Returns the hash of everything that a launch can read or change, and of the marks of uninitialised bytes. */
static XXH128_hash_t hash_memory(const struct grid *g)
{
	const struct memory *m = g->mem;
	XXH3_state_t *h = start_hash();

	XXH3_128bits_update(h, &m->may_have_unset, sizeof(m->may_have_unset));
	XXH3_128bits_update(h, &m->heap_bytes, sizeof(m->heap_bytes));
	XXH3_128bits_update(h, &m->static_bytes, sizeof(m->static_bytes));
	XXH3_128bits_update(h, m->statics, m->static_bytes);
	XXH3_128bits_update(h, &g->textures->n, sizeof(g->textures->n));
	if (g->textures->n)
		XXH3_128bits_update(h, g->textures->texture, g->textures->n * sizeof(struct texture));
	for (uint32_t i = 0; i < m->n_buffers; i++) {
		const struct buffer *b = &m->buffer[i];
		uint64_t range[3] = {b->addr, b->size, i};

		if (!b->live || b->addr < HEAP_BASE)
			continue;
		uint64_t at = b->addr - HEAP_BASE, n = end_of_access(g, i) - b->addr;

		XXH3_128bits_update(h, range, sizeof(range));
		XXH3_128bits_update(h, m->heap + at, n);
		if (m->may_have_unset)
			XXH3_128bits_update(h, m->unset + at, n);
	}
	return XXH3_128bits_digest(h);
}

/* ---- launches ---- */

static bool is_hash_cheap(const struct grid *g, const struct repeated *r)
{
	uint64_t bytes;

	return find_hash_cost(g, &bytes) && bytes / BYTES_OF_THREAD <= r->thread_insts;
}

bool cudart_skip_repeat(struct repeat *x, const struct grid *g)
{
	struct repeated *r;

	*x = (struct repeat){.possible = !cudart.wire.trace && !cudart.wire.every_launch};
	if (!x->possible)
		return false;
	x->key = hash_launch(g);
	r = slot_of_key(x->key);
	if (!r->known || !XXH128_isEqual(r->key, x->key))
		*r = (struct repeated){.key = x->key, .known = true, .next = 2};
	r->seen++;
	if (!r->has_fixed && r->seen < r->next)
		return false;
	if (!is_hash_cheap(g, r)) {
		r->next = 2 * r->seen;
		return false;
	}
	x->before = hash_memory(g);
	if (!r->has_fixed || !XXH128_isEqual(r->fixed, x->before)) {
		x->examined = r->seen >= r->next;
		return false;
	}
	cudart.warp_insts += r->warp_insts;
	cudart.thread_insts += r->thread_insts;
	cudart.repeats++;
	return true;
}

void cudart_note_effect(const struct repeat *x, const struct grid *g, bool good)
{
	struct repeated *r = slot_of_key(x->key);

	if (!x->possible || !r->known || !XXH128_isEqual(r->key, x->key))
		return;
	r->warp_insts = g->warp_insts;
	r->thread_insts = g->thread_insts;
	if (!x->examined)
		return;
	if (!good || x->paused || g->has_finding || g->has_outside_effect ||
		!XXH128_isEqual(hash_memory(g), x->before)) {
		r->next = 2 * r->seen;
		return;
	}
	r->fixed = x->before;
	r->has_fixed = true;
}
