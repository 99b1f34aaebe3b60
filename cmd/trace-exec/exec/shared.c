/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks of shared memory: reads of bytes that were not written, and races between the warps of a thread block.
 *
 * Accesses race only if they are by different warps, to the same byte, and after the last barrier, fence or
 * atomic, volatile or ordered access of the block. Marks are kept for words of 4 bytes. Only words of which a part
 * was accessed since then have marks for each byte.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "inlining.h"
#include "exec/lanes.h"
#include "exec/shadow.h"
#include "exec/undefined.h"
#include "exec/warpgroup.h"

enum { MANY = 0xffff };                   /* several warps */
enum { WRITER = 0x7fff, QUIET = 0x8000 }; /* the warp that wrote; its first store left the word unchanged */
enum { IN_PARTS = WRITER }; /* in place of the writer: each byte of the word has its own marks */

/* Reports a race with accesses by the warp `other`, which is 1 + its number, or by several warps (MANY). */
static void report_shared_race(
	struct warp *w, const struct op *o, uint32_t lane, uint32_t off, uint32_t other, bool written)
{
	const char *hidden = o->func->machine && o->space == SP_SHARED
				     ? ", or volatile accesses, which LDS and STS do not show"
				     : "";
	char by[40];

	if (other == MANY)
		snprintf(by, sizeof(by), "several warps have");
	else
		snprintf(by, sizeof(by), "warp %u has", other - 1);
	exec_note_finding(w, o, 1u << lane, "race",
		"race: %s at byte %u of .shared that %s %s since the last barrier (expected a barrier between them%s)",
		checker_access_noun(o), off, by, written ? "written" : "read", hidden);
}

struct shared_access { /* an access of one lane, for its marks */
	struct warp *w;
	const struct op *o;
	uint32_t lane;
	bool write;
	bool same; /* a store of the value that is there */
	bool quiet; /* `same`, and the bytes had been written: reads before and after the store give the same value */
};

/*
 * Reports the race of an access to byte `off`, if there is one. Returns the new marks of the word or byte with marks
 * old.
 */
static uint32_t mark_access(const struct shared_access *a, uint32_t off, uint32_t old)
{
	uint32_t self = a->w->index + 1, writer = old & WRITER, reader = old >> 16, silent = old & QUIET;

	if (writer && writer != self && !a->same && (a->write || !silent))
		report_shared_race(a->w, a->o, a->lane, off, writer, true);
	else if (a->write && !a->quiet && reader && reader != self)
		report_shared_race(a->w, a->o, a->lane, off, reader, false);
	if (a->write) {
		silent = a->quiet && (silent || !writer) ? QUIET : 0;
		writer = self;
	} else {
		reader = !reader || reader == self ? self : MANY;
	}
	return writer | silent | reader << 16;
}

/* Gives each byte of a word its own marks, which are those of the word so far. */
static void divide_word(struct shared_shadow *s, uint32_t word)
{
	uint32_t marks = s->valid_epoch[word] == s->epoch ? s->warps[word] : 0;

	if (!s->byte_warps)
		s->byte_warps = xcalloc(4 * shadow_words(s), sizeof(*s->byte_warps));
	if ((marks & WRITER) == IN_PARTS)
		return;
	for (uint32_t b = 0; b < 4; b++)
		s->byte_warps[4 * word + b] = marks;
	s->warps[word] = IN_PARTS;
	s->valid_epoch[word] = s->epoch;
}

/* Marks an access to n bytes starting at `off`: a part of a word, or a word that is divided. */
static void mark_shared_bytes(
	const struct shared_access *a, struct shared_shadow *s, uint32_t off, uint64_t n)
{
	divide_word(s, off / 4);
	for (uint64_t b = 0; b < n; b++)
		s->byte_warps[off + b] = mark_access(a, (uint32_t)(off + b), s->byte_warps[off + b]);
}

/* Marks an access to a word of shared memory. */
static void mark_shared_word(const struct shared_access *a, struct shared_shadow *s, uint32_t off)
{
	uint32_t old = s->valid_epoch[off / 4] == s->epoch ? s->warps[off / 4] : 0;

	if ((old & WRITER) == IN_PARTS) {
		mark_shared_bytes(a, s, off, 4);
		return;
	}
	s->warps[off / 4] = mark_access(a, off, old);
	s->valid_epoch[off / 4] = s->epoch;
}

/* Returns the states of n bytes, combined by OR. */
static inline unsigned states_of_bytes(const uint8_t *written, uint64_t n)
{
	unsigned states = 0;
	uint32_t word;

	if (n == 4) {
		memcpy(&word, written, 4);
		word |= word >> 16;
		return (word | word >> 8) & 0xff;
	}
	for (uint64_t i = 0; i < n; i++)
		states |= written[i];
	return states;
}

/* Returns true if n bytes have been written and are not the target of a copy in flight. */
LANE_FN static bool are_bytes_written(const uint8_t *written, uint64_t n)
{
	uint8_t differ = 0;

	for (uint64_t i = 0; i < n; i++)
		differ |= written[i] ^ WRITTEN;
	return !differ;
}

/* Returns true if another warp than self has written one of n words. */
static ALWAYS_INLINE bool has_other_writer(
	const uint32_t *seen, const uint32_t *warps, uint64_t n, uint32_t epoch, uint32_t self)
{
	uint32_t race = 0;

	for (uint64_t i = 0; i < n; i++) {
		uint32_t writer = seen[i] == epoch ? warps[i] & WRITER : 0;

		race |= writer ? writer ^ self : 0;
	}
	return race;
}

/* Returns the marks of a word or byte after an access without a race by the warp whose number is self - 1. */
static ALWAYS_INLINE uint32_t marks_after_access(uint32_t old, uint32_t self, bool write)
{
	uint32_t reader = old >> 16;

	return write ? (old & 0xffff0000) | self
		     : (old & 0xffff) | (!reader || reader == self ? self : (uint32_t)MANY) << 16;
}

/*
 * Marks n > 0 words, if none of them has been accessed in the epoch. Returns false if one has. mark: their marks
 * after the access.
 */
static ALWAYS_INLINE bool mark_fresh_words(
	uint32_t *seen, uint32_t *warps, uint64_t n, uint32_t epoch, uint32_t mark)
{
	uint32_t any = 0;

	if (seen[0] == epoch)
		return false;
	for (uint64_t i = 0; i < n; i++)
		any |= seen[i] == epoch;
	if (any)
		return false;
	LANES_LOOP for (uint64_t i = 0; i < n; i++)
	{
		warps[i] = mark;
		seen[i] = epoch;
	}
	return true;
}

/*
 * The three functions mark an access to n words by the warp whose number is self - 1. They return false, without
 * marks, if a word may have a race.
 */
LANE_FN static bool mark_read_words(
	uint32_t *seen, uint32_t *warps, uint64_t n, uint32_t epoch, uint32_t self)
{
	if (mark_fresh_words(seen, warps, n, epoch, self << 16))
		return true;
	if (has_other_writer(seen, warps, n, epoch, self))
		return false;
	LANES_LOOP for (uint64_t i = 0; i < n; i++)
	{
		warps[i] = marks_after_access(seen[i] == epoch ? warps[i] : 0, self, false);
		seen[i] = epoch;
	}
	return true;
}

LANE_FN static bool mark_written_words(
	uint32_t *seen, uint32_t *warps, uint64_t n, uint32_t epoch, uint32_t self)
{
	uint32_t race = 0;

	if (mark_fresh_words(seen, warps, n, epoch, self))
		return true;
	for (uint64_t i = 0; i < n; i++) {
		uint32_t old = seen[i] == epoch ? warps[i] : 0, writer = old & 0xffff, reader = old >> 16;

		race |= (writer ? writer ^ self : 0) | (reader ? reader ^ self : 0);
	}
	if (race)
		return false;
	LANES_LOOP for (uint64_t i = 0; i < n; i++)
	{
		warps[i] = marks_after_access(seen[i] == epoch ? warps[i] : 0, self, true);
		seen[i] = epoch;
	}
	return true;
}

/* Like mark_written_words(), for a store of the values that the words have, which does not race with reads. */
LANE_FN static bool mark_unchanged_words(
	uint32_t *seen, uint32_t *warps, uint64_t n, uint32_t epoch, uint32_t self)
{
	if (has_other_writer(seen, warps, n, epoch, self))
		return false;
	LANES_LOOP for (uint64_t i = 0; i < n; i++)
	{
		uint32_t old = seen[i] == epoch ? warps[i] : 0;

		warps[i] = old | (old & WRITER ? 0 : self | QUIET);
		seen[i] = epoch;
	}
	return true;
}

/*
 * Marks an access of a lane to words, if they are written and there is no race. Returns false, without marks,
 * otherwise, and for a store after which the marks depend on its value.
 */
static inline bool mark_lane_words(
	struct shared_shadow *s, uint32_t off, uint64_t bytes, uint32_t self, bool write)
{
	uint32_t *seen = s->valid_epoch + off / 4, *warps = s->warps + off / 4, differ = 0, states;

	for (uint64_t i = 0; 4 * i < bytes; i++) {
		uint32_t old = seen[i] == s->epoch ? warps[i] : 0, writer = old & WRITER, reader = old >> 16;

		memcpy(&states, s->byte_state + off + 4 * i, 4);
		differ |= states ^ 0x01010101;
		differ |= write ? ((old & 0xffff) ^ self) | (reader ? reader ^ self : 0)
				: (writer ? writer ^ self : 0);
	}
	for (uint64_t i = 0; 4 * i < bytes && !write && !differ; i++) {
		warps[i] = marks_after_access(seen[i] == s->epoch ? warps[i] : 0, self, false);
		seen[i] = s->epoch;
	}
	return !differ;
}

/*
 * Marks an access to a part of a word, if it is written and there is no race. Returns false, without marks, otherwise.
 */
static inline bool mark_shared_part(
	struct shared_shadow *s, uint32_t off, uint64_t bytes, uint32_t self, bool write)
{
	uint32_t *marks, differ = 0;

	if (!s->byte_warps)
		return false;
	marks = s->byte_warps + off;
	if (s->valid_epoch[off / 4] != s->epoch)
		divide_word(s, off / 4);
	if ((s->warps[off / 4] & WRITER) != IN_PARTS)
		return false;
	for (uint64_t b = 0; b < bytes; b++) {
		uint32_t writer = marks[b] & 0xffff, reader = write ? marks[b] >> 16 : 0;

		differ |= s->byte_state[off + b] ^ WRITTEN;
		differ |= (writer ? writer ^ self : 0) | (reader ? reader ^ self : 0);
	}
	for (uint64_t b = 0; b < bytes && !differ; b++)
		marks[b] = marks_after_access(marks[b], self, write);
	return !differ;
}

/* Fails the launch and returns true if a copy in flight writes the bytes, whose states are `states`. */
static bool fail_copy_in_flight(
	struct warp *w, const struct op *o, uint32_t lane, unsigned states, uint32_t off, bool write)
{
	if (!(states & IN_FLIGHT) ||
		/* a write by another copy is allowed */
		(write && o->stmt->opcode == I_cp && !stmt_has(o->stmt, M_BULK)))
		return false;
	exec_fail(w, o, 1u << lane, "race",
		"%s at byte %u of .shared, which a cp.async in flight writes (expected cp.async.wait_group before it)",
		checker_access_noun(o), off);
	return true;
}

static void describe_shared_read(
	const struct warp *w, const struct op *o, const struct unset_read *r, char *out, size_t cap)
{
	int n = snprintf(out, cap, "%s of %llu %s at byte %llu of .shared", checker_access_noun(o),
		(unsigned long long)r->bytes,
		r->all_unwritten ? "uninitialised bytes" : "bytes, some uninitialised,",
		(unsigned long long)r->address);
	const struct shared_shadow *s = w->cta->check;
	char at[POSITION_MAX];

	if (!r->stored_read || n < 0 || (size_t)n >= cap)
		return;
	position_text(s->stored[r->stored_read - 1], at, sizeof(at));
	snprintf(out + n, cap - (size_t)n, " (an undefined value stored there, which was read at %s)", at);
}

/* Returns 1 + the number of the read whose undefined value one of the bytes has; 0: none. */
static uint32_t find_stored_read(const struct shared_shadow *s, uint32_t off, uint64_t bytes)
{
	for (uint64_t b = 0; s->stored_at && b < bytes; b++)
		if (!(s->byte_state[off + b] & WRITTEN) && s->stored_at[(off + b) / 4])
			return s->stored_at[(off + b) / 4];
	return 0;
}

/*
 * Notes a read by the lanes of m that includes uninitialised bytes. off: offset of the bytes in the memory with shadow
 * s.
 */
static void note_shared_read(struct warp *w, const struct op *o, uint32_t m, const struct shared_shadow *s,
	uint32_t off, uint64_t bytes)
{
	uint64_t unset = 0;
	uint32_t word = 0;

	if (bytes == 4)
		memcpy(&word, s->byte_state + off, 4);
	if (word == 0x01010101)
		return;
	for (uint64_t b = 0; b < bytes && b < 64; b++)
		unset |= (uint64_t) !(s->byte_state[off + b] & WRITTEN) << b;
	if (!unset)
		return;
	const struct unset_read read = {describe_shared_read, off, bytes,
		!(states_of_bytes(s->byte_state + off, bytes) & WRITTEN),
		s == w->cta->check ? find_stored_read(s, off, bytes) : 0};
	FOR_BITS32 (i, m)
		undefined_note_read(w, o, i, unset, &read);
}

/* Returns true if the access of the lane is a store of the bytes that are there, which is no race. */
static bool leaves_word_unchanged(
	const struct warp *w, const struct op *o, uint32_t lane, uint64_t bytes, const uint8_t *at)
{
	return o->stmt->opcode == I_st && !w->grid->options->strict_races &&
	       bytes == (uint64_t)o->n * o->bytes && clash_is_store_redundant(w, o, lane, at);
}

/* Marks an access to bytes of the block's own shared memory. */
static void mark_shared_access(
	const struct shared_access *a, struct shared_shadow *s, uint32_t off, uint64_t bytes)
{
	if (bytes < 4)
		mark_shared_bytes(a, s, off, bytes);
	else
		for (uint64_t b = 0; b < bytes; b += 4)
			mark_shared_word(a, s, (uint32_t)(off + b));
}

/*
 * Checks the accesses of the lanes of a span one by one; if all have the same address, only that of the first lane.
 * Bytes of another block of the cluster are marked as written but not checked for races.
 */
static bool check_shared_lanes(struct warp *w, const struct op *o, const struct access_range *span,
	uint64_t bytes, uint8_t *const *at, bool write)
{
	uint32_t m = span->bytes == bytes ? span->lanes & -span->lanes : span->lanes;

	FOR_BITS32 (i, m) {
		const struct cta *owner = w->cta;
		uint32_t off = shadow_offset(&owner, at[i]), self = w->index + 1;
		struct shared_shadow *s = owner->check;

		if (off == UINT32_MAX ||
			(owner == w->cta && (bytes < 4 ? mark_shared_part(s, off, bytes, self, write)
						       : mark_lane_words(s, off, bytes, self, write))))
			continue;
		unsigned states = states_of_bytes(s->byte_state + off, bytes);
		if (fail_copy_in_flight(w, o, i, states, off, write))
			return false;
		if (states & OF_BULK_COPY)
			bulk_flight_report(w, o, i, owner, off, bytes, write);
		bool same = write && owner == w->cta && leaves_word_unchanged(w, o, i, bytes, at[i]);
		bool quiet = same && are_bytes_written(s->byte_state + off, bytes);
		const struct shared_access a = {w, o, i, write, same, quiet};

		if (write)
			memset(s->byte_state + off, WRITTEN, bytes);
		else
			note_shared_read(w, o, span->bytes == bytes ? span->lanes : 1u << i, s, off, bytes);
		if (owner == w->cta)
			mark_shared_access(&a, s, off, bytes);
	}
	return true;
}

/* Returns true if the access is a store of one word by each lane, and the words of the span have these values. */
static bool leaves_span_unchanged(const struct warp *w, const struct op *o, const struct access_range *s,
	uint64_t bytes, uint8_t *const *at)
{
	unsigned first = bit_lowest32(s->lanes), n = bit_count32(s->lanes);
	const uint8_t *values = w->frame + o->d + (size_t)4 * first;

	return o->stmt->opcode == I_st && bytes == 4 && o->n == 1 && o->bytes == 4 && o->reg_bytes == 4 &&
	       !memcmp(values, s->host, 4) && !w->grid->options->strict_races &&
	       s->bytes == 4 * (uint64_t)n && first + n <= LANES &&
	       s->lanes >> first == UINT32_MAX >> (LANES - n) && at[first + n - 1] == s->host + 4 * (n - 1) &&
	       !memcmp(values, s->host, s->bytes);
}

/*
 * Checks an access to a span of the block's own shared memory. Returns false if its lanes must be checked one
 * by one.
 */
static bool check_shared_span(struct warp *w, const struct op *o, const struct access_range *s,
	uint64_t bytes, uint8_t *const *at, bool write)
{
	struct shared_shadow *x = w->cta->check;
	uintptr_t off = (uintptr_t)s->host - (uintptr_t)w->cta->shared;
	uint64_t words = s->bytes / 4;

	if (off >= x->bytes || off % 4 || s->bytes % 4) /* parts of words are marked lane by lane */
		return false;
	uint32_t *seen = x->valid_epoch + off / 4, *warps = x->warps + off / 4, self = w->index + 1;
	if (!write)
		return are_bytes_written(x->byte_state + off, s->bytes) &&
		       mark_read_words(seen, warps, words, x->epoch, self);
	bool same = leaves_span_unchanged(w, o, s, bytes, at);
	if (same && are_bytes_written(x->byte_state + off, s->bytes))
		return mark_unchanged_words(seen, warps, words, x->epoch, self);
	if (memchr(x->byte_state + off, IN_FLIGHT, s->bytes) ||
		(x->bulk && states_of_bytes(x->byte_state + off, s->bytes) & OF_BULK_COPY) ||
		(same && memchr(x->byte_state + off, WRITTEN, s->bytes)) ||
		!mark_written_words(seen, warps, words, x->epoch, self))
		return false;
	memset(x->byte_state + off, WRITTEN, s->bytes);
	return true;
}

/* Reports writes to matrices that products of warpgroups still read. */
static void check_product_reads(struct warp *w, const struct op *o, const struct access_range *s, unsigned n)
{
	for (const struct access_range *last = s + n; s < last; s++) {
		const struct cta *owner = w->cta;
		uint32_t off = shadow_offset(&owner, s->host);

		if (off != UINT32_MAX)
			warpgroup_check_write(w, o, bit_lowest32(s->lanes), owner, off, s->bytes);
	}
}

bool check_shared_access(struct warp *w, const struct op *o, const struct access_range *s, unsigned n,
	uint64_t bytes, uint8_t *const *at, bool write)
{
	if (write && (w->cta->product_reads || w->cta->cluster->n > 1))
		check_product_reads(w, o, s, n);
	for (const struct access_range *last = s + n; s < last; s++)
		if ((s->bytes == bytes || !check_shared_span(w, o, s, bytes, at, write)) &&
			!check_shared_lanes(w, o, s, bytes, at, write))
			return false;
	return true;
}

void check_shared_atomic(struct warp *w, const struct op *o, const struct access_range *s, unsigned n,
	uint64_t bytes, uint8_t *const *at)
{
	for (const struct access_range *last = s + n; s < last; s++) {
		const struct cta *owner = w->cta;
		uint32_t off = shadow_offset(&owner, s->host);
		struct shared_shadow *x = owner->check;

		if (off == UINT32_MAX || !x || are_bytes_written(x->byte_state + off, s->bytes))
			continue;
		if (does_atomic_read(o))
			FOR_BITS32 (i, s->lanes)
				note_shared_read(w, o, 1u << i, x, off + (uint32_t)(at[i] - s->host), bytes);
		if (x->bulk && states_of_bytes(x->byte_state + off, s->bytes) & OF_BULK_COPY)
			bulk_flight_report(w, o, bit_lowest32(s->lanes), owner, off, s->bytes, true);
		memset(x->byte_state + off, WRITTEN, s->bytes);
	}
	checker_note_barrier(w->cta); /* atomics may synchronise threads */
}
