/* SPDX-License-Identifier: BSD-2-Clause */
/* Hash of global memory that is kept up to date. See digest.h. */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "exec/digest.h"
#include "exec/exec.h"
#include "exec/unset.h"

#define CHUNK      DIGEST_CHUNK
#define VISIT_COST 64u /* cost of visiting a buffer, in bytes that are hashed in the same time */

static uint64_t first_chunk(uint64_t offset) { return offset / CHUNK; }
static uint64_t end_chunk(uint64_t end_offset) { return (end_offset + CHUNK - 1) / CHUNK; }

static bool is_hashed_buffer(const struct buffer *b) { return b->live && b->addr >= HEAP_BASE; }

void digest_start(struct memory *m)
{
	struct digests *d = xcalloc(1, sizeof(*d));

	d->change_number = d->buffer_change_number = 1;
	d->chunk_number = reserve(end_chunk(m->heap_cap), sizeof(*d->chunk_number));
	d->of_heap = reserve(end_chunk(m->heap_cap), sizeof(*d->of_heap));
	d->of_statics = reserve(end_chunk(STATIC_LIMIT), sizeof(*d->of_statics));
	d->state = XXH3_createState();
	if (!d->state)
		die("out of memory");
	m->digests = d;
}

void digest_free(struct memory *m)
{
	struct digests *d = m->digests;

	if (!d)
		return;
	reserve_free(d->chunk_number, end_chunk(m->heap_cap), sizeof(*d->chunk_number));
	reserve_free(d->of_heap, end_chunk(m->heap_cap), sizeof(*d->of_heap));
	reserve_free(d->of_statics, end_chunk(STATIC_LIMIT), sizeof(*d->of_statics));
	XXH3_freeState(d->state);
	free(d);
	m->digests = NULL;
}

/* ---- changes ---- */

/* Returns the number of the first buffer that ends after addr or is the nearest one below it. */
static uint32_t first_buffer_at(const struct memory *m, uint64_t addr)
{
	const struct buffer *b = memory_nearest_buffer(m, addr);

	return b ? (uint32_t)(b - m->buffer) : 0;
}

/* Notes that the sum of each buffer with bytes in chunks [from, end) must be computed again. */
static void forget_sums(struct memory *m, uint64_t from, uint64_t end)
{
	uint64_t addr = HEAP_BASE + from * CHUNK;

	for (uint32_t i = first_buffer_at(m, addr);
		i < m->n_buffers && m->buffer[i].addr < HEAP_BASE + end * CHUNK; i++)
		m->buffer[i].summed = 0;
}

void digest_forget(struct memory *m, uint64_t addr, uint64_t n)
{
	uint64_t from, end;

	if (!m->digests || addr < HEAP_BASE || !n)
		return;
	from = first_chunk(addr - HEAP_BASE);
	end = end_chunk(addr - HEAP_BASE + n);
	memset(m->digests->chunk_number + from, 0, (end - from) * sizeof(*m->digests->chunk_number));
	forget_sums(m, from, end);
}

void digest_forget_all(struct memory *m)
{
	if (!m->digests)
		return;
	m->digests->change_number++;
	m->digests->buffer_change_number++;
}

void digest_end_launch(struct memory *m, bool noted)
{
	if (!noted)
		digest_forget_all(m);
	else if (m->digests)
		m->digests->buffer_change_number++;
}

void digest_set_chunk(struct memory *m, uint64_t addr, XXH128_hash_t hash)
{
	struct digests *d = m->digests;
	uint64_t c;

	if (addr < HEAP_BASE) {
		d->of_statics[addr / CHUNK] = hash;
		return;
	}
	c = first_chunk(addr - HEAP_BASE);
	d->of_heap[c] = hash;
	d->chunk_number[c] = d->change_number;
	forget_sums(m, c, c + 1);
}

/* ---- costs ---- */

bool digest_is_complete(const struct memory *m, bool check)
{
	for (uint32_t i = 0; i < m->n_buffers && !check; i++) {
		const struct buffer *b = &m->buffer[i];
		uint64_t end = b->addr + b->size,
			 next = i + 1 < m->n_buffers ? m->buffer[i + 1].addr : HEAP_BASE + m->heap_bytes;

		if (b->addr >= HEAP_BASE &&
			(!b->live || next > HEAP_BASE + end_chunk(end - HEAP_BASE) * CHUNK))
			return false;
	}
	return true;
}

static uint64_t count_chunks(const struct buffer *b)
{
	return end_chunk(b->addr - HEAP_BASE + b->size) - first_chunk(b->addr - HEAP_BASE);
}

static uint64_t count_unknown_chunks(const struct digests *d, const struct buffer *b)
{
	uint64_t c = first_chunk(b->addr - HEAP_BASE), end = c + count_chunks(b), n = 0;

	if (b->host)
		return end - c;
	for (; b->summed != d->buffer_change_number && c < end; c++)
		n += d->chunk_number[c] != d->change_number;
	return n;
}

uint64_t digest_cost(const struct memory *m, uint64_t most)
{
	const struct digests *d = m->digests;
	uint64_t n = m->static_bytes, chunk = CHUNK * (m->may_have_unset ? 2 : 1);

	for (uint32_t i = 0; i < m->n_buffers && n <= most; i++) {
		const struct buffer *b = &m->buffer[i];

		n += VISIT_COST;
		if (is_hashed_buffer(b) && (b->summed != d->buffer_change_number || b->host))
			n += count_chunks(b) * (sizeof(*d->chunk_number) + sizeof(*d->of_heap));
	}
	for (uint32_t i = 0; i < m->n_buffers && n <= most; i++)
		if (is_hashed_buffer(&m->buffer[i]))
			n += count_unknown_chunks(d, &m->buffer[i]) * chunk;
	return n;
}

/* ---- hashes ---- */

uint8_t *digest_chunk_bytes(const struct memory *m, uint64_t addr)
{
	return addr < HEAP_BASE ? m->statics + addr : m->heap + (addr - HEAP_BASE);
}

_Static_assert(CHUNK == UNSET_PAGE, "a chunk is a page of marks");

const uint8_t *digest_chunk_marks(const struct memory *m, uint64_t addr)
{
	return addr < HEAP_BASE || !m->may_have_unset ? NULL : unset_page(m, addr - HEAP_BASE);
}

void digest_put_marks(struct memory *m, uint64_t addr, const uint8_t *marks)
{
	if (addr >= HEAP_BASE && m->may_have_unset)
		unset_put_page(m, addr - HEAP_BASE, marks);
}

static XXH128_hash_t hash_chunk(const struct memory *m, uint64_t addr)
{
	const uint8_t *marks = digest_chunk_marks(m, addr);
	XXH128_hash_t both[2] = {XXH3_128bits(digest_chunk_bytes(m, addr), CHUNK), {0, 0}};

	if (marks)
		both[1] = XXH3_128bits(marks, CHUNK);
	return XXH3_128bits_withSeed(both, sizeof(both), addr);
}

struct updater {
	struct memory *memory;
	digest_changed_fn *changed;
	void *ctx;
};

/* Computes *hash, the hash of the chunk at addr, again. */
static void rehash_chunk(const struct updater *u, uint64_t addr, XXH128_hash_t *hash)
{
	XXH128_hash_t h = hash_chunk(u->memory, addr);

	if (XXH128_isEqual(h, *hash))
		return;
	*hash = h;
	if (u->changed)
		u->changed(u->ctx, addr, h);
}

#ifdef CHECK_INVARIANTS
/* Ends the program if a chunk of the buffer that counts as unchanged has another hash. */
static void check_known_chunks(const struct memory *m, const struct buffer *b)
{
	const struct digests *d = m->digests;

	for (uint64_t c = first_chunk(b->addr - HEAP_BASE), end = c + count_chunks(b); c < end; c++)
		if (d->chunk_number[c] == d->change_number &&
			!XXH128_isEqual(hash_chunk(m, HEAP_BASE + c * CHUNK), d->of_heap[c]))
			die("invariant: a write to '%s', byte %llu, was not noted", b->name,
				(unsigned long long)(HEAP_BASE + c * CHUNK - b->addr));
}
#else
#define check_known_chunks(m, b) ((void)0)
#endif

/* Sets b->sum, the sum of the hashes of its chunks. */
static void sum_buffer(const struct updater *u, struct buffer *b)
{
	struct digests *d = u->memory->digests;
	uint64_t end = end_chunk(b->addr - HEAP_BASE + b->size);

	if (b->host)
		digest_forget(u->memory, b->addr, b->size);
	check_known_chunks(u->memory, b);
	if (b->summed == d->buffer_change_number)
		return;
	b->sum[0] = b->sum[1] = 0;
	for (uint64_t c = first_chunk(b->addr - HEAP_BASE); c < end; c++) {
		if (d->chunk_number[c] != d->change_number)
			rehash_chunk(u, HEAP_BASE + c * CHUNK, &d->of_heap[c]);
		d->chunk_number[c] = d->change_number;
		b->sum[0] += d->of_heap[c].low64;
		b->sum[1] += d->of_heap[c].high64;
	}
	b->summed = d->buffer_change_number;
}

XXH128_hash_t digest_update(struct memory *m, digest_changed_fn *changed, void *ctx)
{
	struct digests *d = m->digests;
	const struct updater u = {m, changed, ctx};
	XXH3_state_t *h = d->state;

	XXH3_128bits_reset(h);
	XXH3_128bits_update(h, &m->may_have_unset, sizeof(m->may_have_unset));
	XXH3_128bits_update(h, &m->heap_bytes, sizeof(m->heap_bytes));
	XXH3_128bits_update(h, &m->static_bytes, sizeof(m->static_bytes));
	for (uint64_t c = 0; c < end_chunk(m->static_bytes); c++) {
		rehash_chunk(&u, c * CHUNK, &d->of_statics[c]);
		XXH3_128bits_update(h, &d->of_statics[c], sizeof(d->of_statics[c]));
	}
	for (uint32_t i = 0; i < m->n_buffers; i++) {
		struct buffer *b = &m->buffer[i];

		if (!is_hashed_buffer(b))
			continue;
		sum_buffer(&u, b);
		const uint64_t part[4] = {b->addr, b->size, b->sum[0], b->sum[1]};

		XXH3_128bits_update(h, part, sizeof(part));
	}
	return XXH3_128bits_digest(h);
}

bool digest_is_host_chunk(const struct memory *m, uint64_t addr)
{
	for (uint32_t i = first_buffer_at(m, addr); i < m->n_buffers && m->buffer[i].addr < addr + CHUNK; i++)
		if (m->buffer[i].host && m->buffer[i].live)
			return true;
	return false;
}
