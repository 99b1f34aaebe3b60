/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks of accesses and barriers: accesses outside of a buffer, misaligned or uninitialised, barriers under
 * divergence. The checks of shared memory are in shared.c, races on global memory in race.c.
 *
 * The accesses of a warp are merged into spans of memory (lanes.h), which are checked as a whole. Lanes are
 * checked one by one only if a span may have a fault.
 *
 * Always true: a fault ends the launch at the first place in the order of execution, and is reported with
 * kernel, thread, CTA, line of the PTX and of the source, and the buffer nearest to the address. Uninitialised
 * reads and races are findings (exec_note_finding), which do not end the launch.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exec/check.h"
#include "exec/digest.h"
#include "exec/call.h"
#include "exec/lanes.h"
#include "exec/stack.h"
#include "exec/undefined.h"
#include "exec/unset.h"
#include "sass/sass.h"

/* distance beyond the end of the nearest buffer, in bytes, from which an address is far */
#define FAR (1ull << 40)

/* Returns true if the address is far beyond all buffers, so that it is probably an address of the host. */
static bool is_far_from_buffers(const struct memory *m, uint64_t addr)
{
	const struct buffer *b = memory_nearest_buffer(m, addr);
	uint64_t end = b ? b->addr + b->size : 0;

	return addr > end && addr - end > FAR;
}

/*
 * Writes the position of an address, as in "4 bytes after 'A' of 1024 bytes". Returns true if a buffer that was not
 * freed contains the address.
 */
static bool describe_nearest_buffer(const struct memory *m, uint64_t addr, char *out, size_t cap)
{
	const struct buffer *b = memory_nearest_buffer(m, addr);
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
	return b && b->live && addr < b->addr + b->size;
}

const char *checker_access_noun(const struct op *o)
{
	switch (o->stmt->opcode) {
	case I_st:
	case I_sust: return "write";
	case I_atom:
	case I_sured:
	case I_red: return "atomic";
	case I_cp: return "copy";
	default: return "read";
	}
}

void checker_report_outside(struct warp *w, const struct op *o, uint32_t lane, enum state_space space,
	uint64_t addr, uint64_t bytes)
{
	char where[160];

	if (space == SP_GLOBAL) {
		bool begins_in = describe_nearest_buffer(w->mem, addr, where, sizeof(where));

		if (is_far_from_buffers(w->mem, addr)) {
			exec_fail(w, o, 1u << lane, "out-of-bounds",
				"%s of %llu bytes at 0x%llx, far from all buffers (expected an address in a buffer; memory of the host must be managed or pinned)",
				checker_access_noun(o), (unsigned long long)bytes, (unsigned long long)addr);
			return;
		}
		exec_fail(w, o, 1u << lane, "out-of-bounds",
			"%s of %llu bytes at 0x%llx, %s (expected an %s)", checker_access_noun(o),
			(unsigned long long)bytes, (unsigned long long)addr, where,
			begins_in ? "access that ends in the buffer" : "address in a buffer");
		return;
	}
	uint64_t size = space == SP_SHARED  ? w->cta->shared_bytes
			: space == SP_LOCAL ? w->local_stride
					    : w->grid->launch->kernel->param_bytes;
	bool stack = space == SP_LOCAL && w->grid->launch->kernel->stack_grows;
	exec_fail(w, o, 1u << lane, "out-of-bounds",
		"%s of %llu bytes at byte %lld of .%s, which has %llu bytes%s", checker_access_noun(o),
		(unsigned long long)bytes, (long long)addr, space_name[space], (unsigned long long)size,
		stack ? " (expected frames within the stack, which cudaDeviceSetLimit, or stack in a launch file, enlarges)"
		      : "");
}

LANE_FN static uint64_t combine_address_bits(const uint64_t *a, uint32_t m)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < LANES; i++)
		bits |= m >> i & 1 ? a[i] : 0;
	return bits;
}

/* Returns the alignment in bytes that accesses require; 1: any address is allowed. Bulk copies have separate checks. */
static uint64_t required_alignment(const struct op *o, uint64_t bytes)
{
	uint64_t step = bytes > 16 ? 16 : bytes;

	return op_uses_frame(o) || stmt_has(o->stmt, M_BULK) || !is_pow2(step) ? 1 : step;
}

/*
 * Fails the launch at the first lane of m whose address is not a multiple of `step`. Returns false if there is
 * no such lane.
 */
static bool fail_misaligned(struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, uint64_t step)
{
	FOR_BITS32 (i, m)
		if (w->addr[i] & (step - 1)) {
			exec_fail(w, o, 1u << i, "misaligned",
				"misaligned %s of %llu bytes at 0x%llx (expected a multiple of %llu)",
				checker_access_noun(o), (unsigned long long)bytes,
				(unsigned long long)w->addr[i], (unsigned long long)step);
			return true;
		}
	return false;
}

static bool check_lane_alignment(struct warp *w, const struct op *o, uint32_t m, uint64_t bytes)
{
	uint64_t step = required_alignment(o, bytes);

	return !(combine_address_bits(w->addr, m) & (step - 1)) || !fail_misaligned(w, o, m, bytes, step);
}

static bool is_inside_buffer(const struct buffer *b, uint64_t addr, uint64_t bytes)
{
	return b && addr >= b->addr && addr - b->addr <= b->size && b->size - (addr - b->addr) >= bytes;
}

/* Returns true if one live buffer contains the accesses of all lanes of m. */
static bool are_lanes_in_one_buffer(const struct warp *w, uint32_t m, uint64_t bytes)
{
	const struct buffer *b;
	uint64_t low, high;

	lanes_find_extremes(w->addr, m, &low, &high);
	b = memory_nearest_buffer(w->mem, low);
	return high - low <= UINT64_MAX - bytes && is_inside_buffer(b, low, high - low + bytes) && b->live;
}

/* Returns true if the access is to the word of a narrow atomic, and a live buffer contains a byte of the word. */
static bool is_word_in_buffer(const struct warp *w, const struct op *o, uint64_t addr, uint64_t bytes)
{
	const struct buffer *b =
		is_word_of_narrow_atomic(o) ? memory_nearest_buffer(w->mem, addr + bytes - 1) : NULL;

	return b && b->live && addr < b->addr + b->size;
}

/* Checks that the global access of every lane is inside of a live buffer. */
static bool check_global_lane_bounds(struct warp *w, const struct op *o, uint32_t m, uint64_t bytes)
{
	const struct buffer *b = NULL;

	if (are_lanes_in_one_buffer(w, m, bytes))
		return true;
	FOR_BITS32 (i, m) {
		if (is_inside_buffer(b, w->addr[i], bytes))
			continue;
		b = memory_nearest_buffer(w->mem, w->addr[i]);
		if ((!is_inside_buffer(b, w->addr[i], bytes) || !b->live) &&
			!is_word_in_buffer(w, o, w->addr[i], bytes)) {
			checker_report_outside(w, o, i, SP_GLOBAL, w->addr[i], bytes);
			return false;
		}
	}
	return true;
}

/*
 * Smallest number of spans for which it takes fewer instructions to compare all lanes at once than one span after
 * another.
 */
#define MANY_SPANS 6u

/*
 * Checks the alignment, and with `global` the bounds, of the accesses of the lanes of m, which cover n spans.
 */
static bool check_span_bounds(struct warp *w, const struct op *o, uint32_t m, uint64_t bytes,
	const struct access_range *s, unsigned n, bool global)
{
	uint64_t step = required_alignment(o, bytes), wrong = 0;
	const struct buffer *b = NULL;

	if (n > MANY_SPANS) {
		if (!check_lane_alignment(w, o, m, bytes))
			return false;
		if (!global || are_lanes_in_one_buffer(w, m, bytes))
			return true;
	}
	for (unsigned i = 0; i < n; i++)
		wrong |= w->addr[bit_lowest32(s[i].lanes)];
	if (wrong & (step - 1) && fail_misaligned(w, o, m, bytes, step))
		return false;
	for (unsigned i = 0; global && i < n; i++) {
		uint64_t addr = w->addr[bit_lowest32(s[i].lanes)];

		if (is_inside_buffer(b, addr, s[i].bytes))
			continue;
		b = memory_nearest_buffer(w->mem, addr);
		if (!is_inside_buffer(b, addr, s[i].bytes) || !b->live)
			return check_global_lane_bounds(w, o, m, bytes);
	}
	return true;
}

/* ---- uninitialised bytes of buffers ---- */

/*
 * A read is noted, and reported when its value is used (undefined.c), because correct programs may read more bytes
 * than they use. Copies and atomics are reported if all their bytes are uninitialised.
 */

static uint64_t heap_offset(const struct memory *m, const uint8_t *at)
{
	uintptr_t d = (uintptr_t)at - (uintptr_t)m->heap;

	return d < m->heap_cap ? d : UINT64_MAX;
}

void checker_mark_heap_initialised(const struct memory *m, const uint8_t *at, uint64_t bytes)
{
	uint64_t off = heap_offset(m, at);

	if (off == UINT64_MAX || !bytes)
		return;
	digest_note_write(m->digests, off, bytes);
	if (m->unset)
		unset_initialise(m, off, bytes);
}

void checker_mark_heap_uninitialised(const struct memory *m, const uint8_t *at)
{
	uint64_t off = m->unset ? heap_offset(m, at) : UINT64_MAX;

	if (off == UINT64_MAX)
		return;
	digest_note_write(m->digests, off, 1);
	if (m->unset)
		unset_mark_byte(m, off);
}

static void describe_heap_read(
	const struct warp *w, const struct op *o, const struct unset_read *r, char *out, size_t cap)
{
	char where[160];

	describe_nearest_buffer(w->mem, r->address, where, sizeof(where));
	snprintf(out, cap, "%s of %llu %s, %s", checker_access_noun(o), (unsigned long long)r->bytes,
		r->all_unwritten ? "uninitialised bytes" : "bytes, some uninitialised", where);
}

/* Notes a read at an offset of the heap that includes uninitialised bytes. all: true if all bytes are uninitialised. */
static void note_heap_read(
	struct warp *w, const struct op *o, uint32_t lane, uint64_t off, uint64_t bytes, bool all)
{
	const struct unset_read r = {describe_heap_read, HEAP_BASE + off, bytes, all, 0};
	uint64_t unset = all ? UINT64_MAX : 0;

	for (uint64_t b = 0; !all && b < bytes && b < 64; b++)
		unset |= (uint64_t)unset_is_any(w->mem, off + b, 1) << b;
	if (!all && bytes > 64) /* a copy, some of whose bytes are initialised */
		return;
	undefined_note_read(w, o, lane, unset, &r);
}

/* Notes the lanes of m that read uninitialised bytes. write: the access initialises the bytes. */
static void check_heap_lanes(
	struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, uint8_t *const *at, bool write)
{
	FOR_BITS32 (i, m) {
		uint64_t off = heap_offset(w->mem, at[i]);
		bool any = false, all = true;

		for (uint64_t b = 0; b < bytes; b++) {
			bool one = unset_is_any(w->mem, off + b, 1);

			any |= one;
			all &= one;
		}
		if (any)
			note_heap_read(w, o, i, off, bytes, all);
		if (write)
			unset_initialise(w->mem, off, bytes);
	}
}

/* Reports reads of uninitialised bytes in n spans of the heap. write: the access initialises the spans. */
static void check_heap_access(struct warp *w, const struct op *o, const struct access_range *s, unsigned n,
	uint64_t bytes, uint8_t *const *at, bool write)
{
	for (const struct access_range *last = s + n; s < last; s++) {
		uint64_t off = heap_offset(w->mem, s->host);

		if (off == UINT64_MAX)
			continue;
		if (write)
			digest_note_write(w->mem->digests, off, s->bytes);
		if (!w->mem->unset)
			continue;
		if ((!write || does_atomic_read(o)) && unset_is_any(w->mem, off, s->bytes))
			check_heap_lanes(w, o, s->lanes, bytes, at, write);
		else if (write)
			unset_initialise(w->mem, off, s->bytes);
	}
}

/* ---- accesses ---- */

/* Checks n spans that lanes access. All of them or none are in the heap. */
static bool check_spans(struct warp *w, const struct op *o, enum state_space space,
	const struct access_range *span, unsigned n, uint64_t bytes, uint8_t *const *at, bool write)
{
	if (w->grid->race && space != SP_SHARED)
		race_check_access(w, o, span, n, bytes, write);
	if ((w->mem->unset || w->mem->digests) && (space == SP_GLOBAL || space == SP_GENERIC))
		check_heap_access(w, o, span, n, bytes, at, write);
	if ((space != SP_SHARED && space != SP_GENERIC) || !w->cta->check)
		return true;
	if (is_atomic_access(o) && write) {
		check_shared_atomic(w, o, span, n, bytes, at);
		return true;
	}
	if (!is_ordered_access(o))
		return check_shared_access(w, o, span, n, bytes, at, write);
	checker_note_barrier(
		w->cta); /* an ordered access separates earlier from later accesses, like a barrier */
	bool good = check_shared_access(w, o, span, n, bytes, at, write);
	checker_note_barrier(w->cta);
	return good;
}

/*
 * ---- scattered accesses ----
 *
 * Accesses of lanes that would be more than MANY_SPANS spans are checked lane by lane, without spans. With checks, a
 * loop that loads from a table at computed places takes 28 instead of 62 host instructions a thread instruction, fields
 * of structs of 16 bytes take 92 instead of 191.
 */

/*
 * Sets *low and *high to the extremes of the addresses. Returns true if they are aligned, and a live buffer has the
 * bytes of all lanes of m.
 */
static bool are_pieces_in_one_buffer(
	const struct warp *w, uint32_t m, uint64_t bytes, uint64_t *low, uint64_t *high)
{
	const struct buffer *b;

	lanes_find_extremes(w->addr, m, low, high);
	b = memory_nearest_buffer(w->mem, *low);
	return *low >= HEAP_BASE && *high <= UINT64_MAX - bytes &&
	       is_inside_buffer(b, *low, *high - *low + bytes) && b->live &&
	       !(combine_address_bits(w->addr, m) & (bytes - 1));
}

#define NEAR_PAGES 8u /* pages that are all looked up if an access is to some of them */

/* Returns true if a page with bytes from offset `low` to `high` may have uninitialised bytes. */
static bool has_page_unset(const struct memory *m, uint64_t low, uint64_t high)
{
	for (uint64_t off = low; off <= (high | (UNSET_PAGE - 1)); off += UNSET_PAGE)
		if (unset_may_be(m, off))
			return true;
	return false;
}

/*
 * Reports reads of uninitialised bytes by the lanes of m at offsets of the heap from `low` to `high`. write: the access
 * initialises the bytes.
 */
static void check_heap_pieces(struct warp *w, const struct op *o, uint32_t m, uint64_t bytes,
	uint8_t *const *at, uint64_t low, uint64_t high, bool write)
{
	const struct memory *mem = w->mem;
	bool near = high - low < NEAR_PAGES * UNSET_PAGE;
	uint64_t done = UINT64_MAX; /* page without uninitialised bytes whose change is noted */

	if (near && write)
		digest_note_write(mem->digests, low, high - low + bytes);
	if (near && (!mem->unset || !has_page_unset(mem, low, high)))
		return;
	FOR_BITS32 (i, m) {
		uint64_t off = w->addr[i] - HEAP_BASE, page = off / UNSET_PAGE;

		if (page == done)
			continue;
		if (write && !near)
			digest_note_write(mem->digests, off, bytes);
		if (mem->unset && write)
			unset_initialise_piece(mem, off, bytes);
		else if (mem->unset && unset_is_any(mem, off, bytes))
			check_heap_lanes(w, o, 1u << i, bytes, at, false);
		if (!mem->unset || !unset_may_be(mem, off))
			done = page;
	}
}

/* Lists the offsets in the heap that the lanes of m access. Returns how many. */
static unsigned list_offsets(const struct warp *w, uint32_t m, uint64_t *off)
{
	unsigned n = 0;

	if (m == ALL_LANES) {
		EACH_LANE (i)
			off[i] = w->addr[i] - HEAP_BASE;
		return LANES;
	}
	FOR_BITS32 (i, m)
		off[n++] = w->addr[i] - HEAP_BASE;
	return n;
}

/*
 * Checks scattered accesses. Returns false, without checks, if they are atomic or ordered, to several buffers, or
 * have a fault.
 */
static bool check_scattered_access(
	struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, uint8_t *const *at, bool write)
{
	uint64_t low, high, off[LANES];

	if (bytes > 16 || !is_pow2(bytes) || is_atomic_access(o) || is_ordered_access(o) ||
		!are_pieces_in_one_buffer(w, m, bytes, &low, &high))
		return false;
	if (w->grid->race)
		race_check_pieces(w, o, off, list_offsets(w, m, off), bytes, high - HEAP_BASE, write);
	if (w->mem->unset || w->mem->digests)
		check_heap_pieces(w, o, m, bytes, at, low - HEAP_BASE, high - HEAP_BASE, write);
	return true;
}

static bool is_static_byte(const struct memory *m, const uint8_t *at)
{
	return (uintptr_t)at - (uintptr_t)m->statics < m->static_bytes;
}

/*
 * Checks generic accesses, whose lanes may be in several spaces. The translation of addresses has checked the bounds of
 * those in shared and local memory.
 */
static bool check_generic_access(
	struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, uint8_t *const *at, bool write)
{
	struct access_range span[LANES];
	uint32_t heap = 0, statics = 0;

	if (!check_lane_alignment(w, o, m, bytes))
		return false;
	FOR_BITS32 (i, m) {
		heap |= (uint32_t)(heap_offset(w->mem, at[i]) != UINT64_MAX) << i;
		statics |= (uint32_t)is_static_byte(w->mem, at[i]) << i;
	}
	if (heap | statics && !check_global_lane_bounds(w, o, heap | statics, bytes))
		return false;
	if (heap && is_atomic_access(o) && write)
		checker_note_barrier(w->cta);
	if (heap && !check_spans(w, o, SP_GLOBAL, span, lanes_merge_spans(span, heap, bytes, at, LANES),
			    bytes, at, write))
		return false;
	m &= ~heap;
	return !m || check_spans(w, o, SP_GENERIC, span, lanes_merge_spans(span, m, bytes, at, LANES), bytes,
			     at, write);
}

static bool check_memory_access(struct warp *w, const struct op *o, enum state_space space, uint32_t m,
	uint64_t bytes, uint8_t *const *at, bool write)
{
	struct access_range span[LANES];
	unsigned n;

	switch (space) {
	case SP_LOCAL:
	case SP_PARAM: return check_lane_alignment(w, o, m, bytes);
	case SP_CONST:
		return check_lane_alignment(w, o, m, bytes) && check_global_lane_bounds(w, o, m, bytes);
	case SP_GENERIC: return check_generic_access(w, o, m, bytes, at, write);
	default:
		n = lanes_merge_spans(span, m, bytes, at, space == SP_GLOBAL ? MANY_SPANS : LANES);
		if (space == SP_GLOBAL && n > MANY_SPANS) {
			if (check_scattered_access(w, o, m, bytes, at, write))
				return true;
			n = lanes_merge_spans(span, m, bytes, at, LANES);
		}
		return check_span_bounds(w, o, m, bytes, span, n, space == SP_GLOBAL) &&
		       check_spans(w, o, space, span, n, bytes, at, write);
	}
}

static ALWAYS_INLINE bool check_access(struct warp *w, const struct op *o, enum state_space space, uint32_t m,
	uint64_t bytes, uint8_t *const *at, bool write)
{
	if (!check_memory_access(w, o, space, m, bytes, at, write))
		return false;
	if (w->undefined)
		undefined_note_access(w, o, m, bytes, at, write);
	return true;
}

bool check_read(struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, uint8_t *const *at)
{
	return check_access(w, o, (enum state_space)o->space, m, bytes, at, false);
}

bool check_write(struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, uint8_t *const *at)
{
	return check_access(w, o, (enum state_space)o->space, m, bytes, at, true);
}

bool check_lane_span(struct warp *w, const struct op *o, enum state_space space, unsigned lane,
	uint64_t bytes, uint8_t *at, bool write)
{
	uint8_t *all[LANES] = {NULL};

	all[lane] = at;
	return !w->grid->options->check || !bytes || check_access(w, o, space, 1u << lane, bytes, all, write);
}

bool check_divergence(struct warp *w, const struct op *o, uint32_t exec)
{
	uint32_t alive = w->lanes & ~w->ended;

	if (exec == alive)
		return true;
	exec_fail(w, o, exec, "barrier-divergent",
		stack_must_gather(w, o) || o->n >= BAR_AND
			? "%u of %u live lanes of warp %u at a barrier (expected all)"
			: "%u of %u live lanes of warp %u at a barrier (expected all; with --stack volta lanes may arrive one after another)",
		bit_count32(exec), bit_count32(alive), w->index);
	return false;
}
