/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks of accesses and barriers: accesses outside of a buffer, misaligned or uninitialised, races between the
 * warps of a thread block on shared memory, barriers under divergence. Races on global memory are in race.c.
 *
 * Races are looked for between warps only, on words of 4 bytes, since the last barrier, fence or atomic of the
 * block.
 *
 * Always true: a fault ends the launch at the first place in the order of execution, and is reported with
 * kernel, thread, CTA, line of the PTX and of the source, and the buffer nearest to the address. Uninitialised
 * reads and races are findings (exec_find), which do not end the launch.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exec/check.h"
#include "exec/call.h"
#include "exec/lanes.h"

/* Writes where an address is: "4 bytes after 'A' of 1024 bytes". */
static void describe_neighbour(const struct memory *m, uint64_t addr, char *out, size_t cap)
{
	const struct buffer *b = memory_near(m, addr);
	const struct buffer *next = b              ? b + 1 < m->buffer + m->n_buffers ? b + 1 : NULL
				    : m->n_buffers ? m->buffer
						   : NULL;

	if (b && addr < b->addr + b->size)
		snprintf(out, cap, "at byte %llu of '%s' of %llu bytes%s",
			(unsigned long long)(addr - b->addr), b->name, (unsigned long long)b->size,
			b->live ? "" : ", which was freed");
	else if (b && (!next || addr - b->addr - b->size <= next->addr - addr))
		snprintf(out, cap, "%llu bytes after '%s' of %llu bytes",
			(unsigned long long)(addr - b->addr - b->size), b->name, (unsigned long long)b->size);
	else if (next)
		snprintf(out, cap, "%llu bytes before '%s' of %llu bytes",
			(unsigned long long)(next->addr - addr), next->name, (unsigned long long)next->size);
	else
		snprintf(out, cap, "with no buffer near it");
}

static const char *access_noun(const struct op *o)
{
	switch (o->in->op) {
	case I_st: return "write";
	case I_atom:
	case I_red: return "atomic";
	case I_cp: return "copy";
	default: return "read";
	}
}

void check_outside(struct warp *w, const struct op *o, uint32_t lane, enum state_space space, uint64_t addr,
	uint64_t bytes)
{
	char where[160];

	if (space == SP_GLOBAL) {
		describe_neighbour(w->mem, addr, where, sizeof(where));
		exec_fail(w, o, 1u << lane, "out-of-bounds",
			"%s of %llu bytes at 0x%llx, %s (expected an address in a buffer)", access_noun(o),
			(unsigned long long)bytes, (unsigned long long)addr, where);
		return;
	}
	uint64_t size = space == SP_SHARED  ? w->cta->shared_bytes
			: space == SP_LOCAL ? w->local_stride
					    : w->g->l->kernel->param_bytes;
	exec_fail(w, o, 1u << lane, "out-of-bounds",
		"%s of %llu bytes at byte %lld of .%s, which has %llu bytes", access_noun(o),
		(unsigned long long)bytes, (long long)addr, space_name[space], (unsigned long long)size);
}

LANE_FN static uint64_t bits_in_use(const uint64_t *a, uint32_t m)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < LANES; i++)
		bits |= m >> i & 1 ? a[i] : 0;
	return bits;
}

static bool check_aligned(struct warp *w, const struct op *o, uint32_t m, uint64_t bytes)
{
	uint64_t step = bytes > 16 ? 16 : bytes;

	/* bulk copies have checks of their own */
	if (o->is_param || has(o->in, M_BULK) || !is_pow2(step) || !(bits_in_use(w->addr, m) & (step - 1)))
		return true;
	FOR_BITS32 (i, m)
		if (w->addr[i] & (step - 1)) {
			exec_fail(w, o, 1u << i, "misaligned",
				"misaligned %s of %llu bytes at 0x%llx (expected a multiple of %llu)",
				access_noun(o), (unsigned long long)bytes, (unsigned long long)w->addr[i],
				(unsigned long long)step);
			break;
		}
	return false;
}

/* Checks that the global access of every lane is inside of a live buffer. Lanes mostly share one. */
static bool check_inside(struct warp *w, const struct op *o, uint32_t m, uint64_t bytes)
{
	const struct buffer *b;
	uint64_t low, high;

	lanes_extremes(w->addr, m, &low, &high);
	b = memory_near(w->mem, low);
	if (b && b->live && high - b->addr <= b->size && b->size - (high - b->addr) >= bytes)
		return true;
	b = NULL;
	FOR_BITS32 (i, m) {
		uint64_t a = w->addr[i];

		if (b && a >= b->addr && a - b->addr <= b->size && b->size - (a - b->addr) >= bytes)
			continue;
		b = memory_near(w->mem, a);
		if (!b || a - b->addr > b->size || b->size - (a - b->addr) < bytes || !b->live) {
			check_outside(w, o, i, SP_GLOBAL, a, bytes);
			return false;
		}
	}
	return true;
}

/* ---- uninitialised bytes of buffers ---- */

/*
 * A read is reported only if all its bytes are uninitialised: structures have padding, which copies include. It
 * does not end the launch: correct programs may read more than they use.
 */

static uint64_t heap_offset(const struct memory *m, const uint8_t *at)
{
	uintptr_t d = (uintptr_t)at - (uintptr_t)m->heap;

	return d < m->heap_cap ? d : UINT64_MAX;
}

/* Marks bytes as initialised. Other threads may access the marks at the same time. */
static void mark_initialised(uint8_t *unset, uint64_t n)
{
	for (uint64_t b = 0; b < n; b++)
		__atomic_store_n(&unset[b], 0, __ATOMIC_RELAXED);
}

static void check_heap_access(
	struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, uint8_t *const *at, bool write)
{
	FOR_BITS32 (i, m) {
		uint64_t off = heap_offset(w->mem, at[i]);
		bool none = !write || o->in->op == I_atom;

		if (off == UINT64_MAX)
			continue;
		for (uint64_t b = 0; none && b < bytes; b++)
			none = __atomic_load_n(&w->mem->unset[off + b], __ATOMIC_RELAXED);
		if (none) {
			char where[160];

			describe_neighbour(w->mem, HEAP_BASE + off, where, sizeof(where));
			exec_find(w, o, 1u << i, "uninitialised", "%s of %llu uninitialised bytes, %s",
				access_noun(o), (unsigned long long)bytes, where);
		}
		if (write)
			mark_initialised(w->mem->unset + off, bytes);
	}
}

/* ---- shared memory: bytes written, and accesses of warps since the last barrier ---- */

struct check_word {
	uint32_t epoch;          /* epoch in which the marks are valid */
	uint16_t writer, reader; /* warp + 1; MANY: several */
};
enum { MANY = 0xffff };
enum { WRITTEN = 1, FLYING = 2 }; /* FLYING: target of a copy in flight */

struct shadow {
	uint32_t epoch; /* number of barriers, fences and atomics so far */
	uint32_t bytes;
	uint8_t *written; /* state of each byte: 0: uninitialised; WRITTEN; FLYING */
	struct check_word *word;
};

void check_start(struct cta *c)
{
	struct shadow *s = c->check;

	race_cta(c);
	flight_reset(c);
	if (!c->g->opt->check || !c->shared_bytes)
		return;
	if (!s) {
		s = c->check = xcalloc(1, sizeof(*s));
		s->bytes = c->shared_bytes;
		s->written = xcalloc(s->bytes, 1);
		s->word = xcalloc(s->bytes / 4 + 1, sizeof(*s->word));
	}
	s->epoch++;
	memset(s->written, 0, s->bytes);
}

void check_free(struct cta *c)
{
	struct shadow *s = c->check;

	if (s) {
		free(s->written);
		free(s->word);
	}
	free(s);
	c->check = NULL;
	race_cta_free(c);
	flight_free(c);
}

void check_barrier(struct cta *c)
{
	struct shadow *s = c->check;

	if (s)
		s->epoch++;
	race_order(c);
}

/*
 * Returns the offset in shared memory of host address `at`, and sets *c to the block of the cluster that owns
 * it; UINT32_MAX: not in shared memory.
 */
static uint32_t shared_offset(const struct cta **c, const uint8_t *at)
{
	uintptr_t d = (uintptr_t)at - (uintptr_t)(*c)->shared;

	if (d < (*c)->shared_bytes)
		return (uint32_t)d;
	const struct cluster *all = (*c)->cluster;
	for (uint32_t i = 0; i < all->n; i++) {
		d = (uintptr_t)at - (uintptr_t)all->cta[i]->shared;
		if (d < all->cta[i]->shared_bytes) {
			*c = all->cta[i];
			return (uint32_t)d;
		}
	}
	return UINT32_MAX;
}

void check_flying(struct cta *c, const uint8_t *at, uint64_t bytes, bool flying)
{
	const struct cta *owner = c;
	uint32_t off = c->check ? shared_offset(&owner, at) : UINT32_MAX;

	if (off != UINT32_MAX) {
		struct shadow *s = owner->check;

		memset(s->written + off, flying ? FLYING : WRITTEN, bytes);
	}
}

void check_mark(struct cta *c, const uint8_t *at, uint64_t bytes)
{
	const struct cta *owner = c;
	uint32_t off = c->check ? shared_offset(&owner, at) : UINT32_MAX;

	if (off != UINT32_MAX) {
		struct shadow *s = owner->check;

		memset(s->written + off, WRITTEN, bytes);
	}
	uint64_t heap = c->g->mem->unset ? heap_offset(c->g->mem, at) : UINT64_MAX;
	if (heap != UINT64_MAX)
		mark_initialised(c->g->mem->unset + heap, bytes);
}

static void report_shared_race(
	struct warp *w, const struct op *o, uint32_t lane, uint32_t off, unsigned other, const char *what)
{
	exec_find(w, o, 1u << lane, "race",
		"race: %s at byte %u of .shared that warp %u %s since the last barrier (expected a barrier between)",
		access_noun(o), off, other - 1, what);
}

/* Judges an access to a word of shared memory and marks it. same: a store of the value that is there. */
static void mark_shared_word(struct warp *w, const struct op *o, uint32_t lane, struct shadow *s,
	uint32_t off, bool write, bool same)
{
	struct check_word *x = &s->word[off / 4];
	uint16_t self = (uint16_t)(w->index + 1);

	if (x->epoch != s->epoch)
		*x = (struct check_word){s->epoch, 0, 0};
	if (x->writer && x->writer != self && !same)
		report_shared_race(w, o, lane, off, x->writer, "has written");
	else if (write && x->reader && x->reader != self && x->reader != MANY)
		report_shared_race(w, o, lane, off, x->reader, "has read");
	if (write)
		x->writer = self;
	else
		x->reader = !x->reader || x->reader == self ? self : MANY;
}

/* Tests whether the access is no race and leaves the marks of its word unchanged. */
static inline bool is_marked_word(const struct shadow *s, uint32_t off, uint16_t self, bool write)
{
	const struct check_word *x = &s->word[off / 4];
	uint32_t written;

	memcpy(&written, s->written + off, 4);
	return written == 0x01010101 && x->epoch == s->epoch &&
	       (write ? x->writer == self && (!x->reader || x->reader == self)
		      : (!x->writer || x->writer == self) && (x->reader == self || x->reader == MANY));
}

/* Fails the launch if a copy in flight writes the bytes. Returns true in this case. */
static bool hits_copy_in_flight(struct warp *w, const struct op *o, uint32_t lane, const struct shadow *s,
	uint32_t off, uint64_t bytes, bool write)
{
	if (!memchr(s->written + off, FLYING, bytes) ||
		(write && o->in->op == I_cp && !has(o->in, M_BULK))) /* another copy in flight */
		return false;
	exec_fail(w, o, 1u << lane, "race",
		"%s at byte %u of .shared, which a cp.async in flight writes (expected cp.async.wait_group before it)",
		access_noun(o), off);
	return true;
}

/*
 * Words of 4 bytes; what is smaller, or another block's of the cluster, is marked as written but takes no
 * part in the search for races.
 */
static bool check_shared_access(
	struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, uint8_t *const *at, bool write)
{
	uint16_t self = (uint16_t)(w->index + 1);

	FOR_BITS32 (i, m) {
		const struct cta *owner = w->cta;
		uint32_t off = shared_offset(&owner, at[i]);
		struct shadow *s = owner->check;

		if (off == UINT32_MAX ||
			(bytes == 4 && owner == w->cta && is_marked_word(s, off, self, write)))
			continue;
		if (hits_copy_in_flight(w, o, i, s, off, bytes, write))
			return false;
		if (write) {
			memset(s->written + off, WRITTEN, bytes);
		} else if (!memchr(s->written + off, WRITTEN, bytes)) {
			exec_find(w, o, 1u << i, "uninitialised",
				"%s of %llu uninitialised bytes at byte %u of .shared", access_noun(o),
				(unsigned long long)bytes, off);
		}
		if (bytes < 4 || owner != w->cta)
			continue;
		bool same = write && o->in->op == I_st && !w->g->opt->strict_races &&
			    bytes == (uint64_t)o->n * o->bytes && clash_keeps(w, o, i, at[i]);
		for (uint64_t b = 0; b < bytes; b += 4)
			mark_shared_word(w, o, i, s, (uint32_t)(off + b), write, same);
	}
	return true;
}

/* ---- accesses ---- */

static bool check_access(struct warp *w, const struct op *o, enum state_space space, uint32_t m,
	uint64_t bytes, uint8_t *const *at, bool write)
{
	if (!check_aligned(w, o, m, bytes))
		return false;
	if ((space == SP_GLOBAL || space == SP_CONST) && !check_inside(w, o, m, bytes))
		return false;
	if (w->g->race && space != SP_CONST && space != SP_SHARED && space != SP_LOCAL && space != SP_PARAM)
		race_access(w, o, m, bytes, at, write);
	if (w->mem->unset && (space == SP_GLOBAL || space == SP_GENERIC))
		check_heap_access(w, o, m, bytes, at, write);
	if ((space != SP_SHARED && space != SP_GENERIC) || !w->cta->check)
		return true;
	if (check_atomic(o) && write) {
		FOR_BITS32 (i, m)
			check_mark(w->cta, at[i], bytes);
		check_barrier(w->cta); /* atomics may synchronize threads */
		return true;
	}
	return check_shared_access(w, o, m, bytes, at, write);
}

bool check_read(struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, uint8_t *const *at)
{
	return check_access(w, o, (enum state_space)o->space, m, bytes, at, false);
}

bool check_write(struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, uint8_t *const *at)
{
	return check_access(w, o, (enum state_space)o->space, m, bytes, at, true);
}

bool check_run(struct warp *w, const struct op *o, enum state_space space, unsigned lane, uint64_t bytes,
	uint8_t *at, bool write)
{
	uint8_t *all[LANES] = {NULL};

	all[lane] = at;
	return !w->g->opt->check || !bytes || check_access(w, o, space, 1u << lane, bytes, all, write);
}

bool check_divergence(struct warp *w, const struct op *o, uint32_t exec)
{
	uint32_t alive = w->lanes & ~w->ended;

	if (exec == alive)
		return true;
	exec_fail(w, o, exec, "barrier-divergent",
		stack_gathers(w, o) || o->n >= BAR_AND
			? "%u of %u living lanes of warp %u at a barrier (expected all)"
			: "%u of %u living lanes of warp %u at a barrier (expected all; with --stack volta lanes may arrive one after another)",
		bit_count32(exec), bit_count32(alive), w->index);
	return false;
}
