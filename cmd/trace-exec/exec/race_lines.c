/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Marks of lines of global memory: see race.h; race.c has the rules.
 *
 * A line has one of these forms:
 * - all bytes have the mark of the line, or none has one;
 * - owned: one block accessed parts of it. The line's mark has the block's number, OWNED, and the number of an array
 *   with the instruction of each word or (OF_BYTES) of each byte;
 * - split: the line's mark is `split` + the number of an array with the mark of each word or (SPLIT_BYTES) of each
 *   byte.
 *
 * A form changes only to a later one, and from words to bytes, so that a line makes at most three arrays. Owned
 * lines take 16 or 64 bytes where split lines take 64 or 256: `particlefilter` of HeCBench with 100,000 particles takes
 * 87 MB instead of 199 MB.
 */
#include <stdlib.h>
#include <string.h>
#include "exec/lanes.h"
#include "exec/race.h"
#include "inlining.h"

#define BYTES       RACE_LINE_BYTES
#define ALL_BYTES   UINT32_MAX          /* mask of the bytes of a line */
#define NO_INST     UINT16_MAX          /* a word or byte without a mark */
#define OWNED       ((uint64_t)1 << 32) /* no instruction has a number with this bit */
#define OF_BYTES    1u
#define SPLIT_BYTES ((uint64_t)1 << 32)

_Static_assert(BYTES == 32, "a mask of 32 bits has a bit for each byte of a line");

/* Returns the mark, or 0 if it is that of an earlier launch. */
static inline uint64_t mark_of_this_launch(uint64_t mark, uint64_t key_base)
{
	return (int64_t)mark < (int64_t)key_base ? 0 : mark;
}

/* ---- forms of a line ---- */

/* The functions of this section are called with a mark of a line that is not old. */

static inline bool is_split(const struct race *r, uint64_t line)
{
	return race_block_of_mark(line) == r->base;
}

static inline bool is_owned(const struct race *r, uint64_t line)
{
	return line & OWNED && !is_split(r, line);
}

/* Returns the instructions of an owned line. */
static uint16_t *owned_insts(const struct race *r, uint64_t line)
{
	return r->array[(uint32_t)line >> 1].inst;
}

static uint64_t *split_marks(const struct race *r, uint64_t line) { return r->array[(uint32_t)line].mark; }

static uint64_t mark_of_owned(uint64_t line, uint16_t inst)
{
	return inst == NO_INST ? 0 : line >> RACE_BLOCK_SHIFT << RACE_BLOCK_SHIFT | (uint64_t)inst << 1;
}

/* Returns the block that has made all accesses to a line, or 0 if several have, or if that is not known. */
static uint64_t sole_block(const struct race *r, uint64_t line)
{
	return is_split(r, line) || (line & OTHERS && !(line & OWNED)) ? 0 : race_block_of_mark(line);
}

/* Sets mark[] to the mark of each byte of a line. */
static void list_marks(const struct race *r, uint64_t line, uint64_t mark[BYTES])
{
	unsigned step = line & (is_split(r, line) ? SPLIT_BYTES : OF_BYTES) ? 1 : 4;

	for (unsigned i = 0; i < BYTES; i++)
		mark[i] = is_split(r, line)   ? split_marks(r, line)[i / step]
			  : is_owned(r, line) ? mark_of_owned(line, owned_insts(r, line)[i / step])
					      : line;
}

/* Takes an array of n bytes for the parts of a line. Returns its number. */
static uint32_t take_array(struct race *r, size_t n)
{
	uint64_t units = n / sizeof(union line_array),
		 i = atomic_fetch_add_explicit(&r->n_arrays, units, memory_order_relaxed);

	if (i + units > LINE_ARRAYS_MAX)
		die("out of memory");
	return (uint32_t)i;
}

/* Gives the line, whose mark is `old` or 0, an array with the mark of each word or byte. */
static void split_line(struct race *r, uint64_t *line, uint64_t old, bool bytes)
{
	uint64_t mark[BYTES];
	unsigned step = bytes ? 1 : 4;
	uint32_t i = take_array(r, BYTES / step * sizeof(uint64_t));
	uint64_t *own = r->array[i].mark;

	list_marks(r, old, mark);
	for (unsigned k = 0; k < BYTES / step; k++)
		own[k] = mark[k * step];
	*line = r->split + i + (bytes ? SPLIT_BYTES : 0);
}

/*
 * Gives the line, whose mark is `old` or 0, an array with the instruction of each word or byte of the block. Returns
 * the line's mark.
 */
static uint64_t own_line(struct race *r, uint64_t old, uint64_t key, bool bytes)
{
	unsigned n = bytes ? BYTES : MARKED_LINE;
	uint32_t i = take_array(r, n * sizeof(uint16_t));
	uint16_t *inst = r->array[i].inst;

	for (unsigned k = 0; k < n; k++)
		inst[k] = old ? owned_insts(r, old)[k / 4] : NO_INST;
	return key >> RACE_BLOCK_SHIFT << RACE_BLOCK_SHIFT | OWNED | (uint64_t)i << 1 |
	       (bytes ? OF_BYTES : 0);
}

uint64_t race_mark_of_byte(const struct race *r, uint64_t byte, bool write)
{
	uint64_t line = r->line_marks[(write ? 0 : r->all_lines) + byte / BYTES], mark[BYTES];

	list_marks(r, mark_of_this_launch(line, r->key_base), mark);
	return mark[byte % BYTES];
}

/* ---- races ---- */

/* Returns the mask of the bytes on which blocks race. */
static uint32_t racing_bytes(const uint64_t *writer, const uint64_t *reader)
{
	uint32_t race = 0;

	for (unsigned i = 0; i < BYTES; i++) {
		uint64_t other = reader[i] ? (reader[i] & OTHERS) | (race_block_of_mark(writer[i]) ^
									    race_block_of_mark(reader[i]))
					   : 0;

		race |= (uint32_t)(writer[i] && (writer[i] & OTHERS || other)) << i;
	}
	return race;
}

/* Finds the first byte of a line on which blocks race, and notes it if it is the lowest so far. */
static NOINLINE void find_race_in_line(struct race *r, uint64_t line)
{
	uint64_t writers = mark_of_this_launch(r->line_marks[line], r->key_base),
		 readers = mark_of_this_launch(r->line_marks[r->all_lines + line], r->key_base), byte, low,
		 sole = writers ? sole_block(r, writers) : 0, writer[BYTES], reader[BYTES];
	uint32_t race;

	if (!writers || (sole && (!readers || sole_block(r, readers) == sole)))
		return;
	list_marks(r, writers, writer);
	list_marks(r, readers, reader);
	race = racing_bytes(writer, reader);
	if (!race)
		return;
	byte = line * BYTES + bit_lowest32(race);
	low = atomic_load(&r->lowest);
	while (byte < low && !atomic_compare_exchange_weak(&r->lowest, &low, byte))
		;
}

/* ---- marks of one line ---- */

/* Returns the mark after an access with this key to bytes with mark `old`. */
static inline uint64_t mark_after_access(uint64_t old, uint64_t key)
{
	uint64_t joined = (old > key ? old : key) | OTHERS;

	return !((old ^ key) >> RACE_BLOCK_SHIFT) ? old : old ? joined : key;
}

/* Returns true if the bytes are whole words. */
static inline bool are_whole_words(uint32_t mask) { return (mask & 0x11111111) * 0xf == mask; }

/* Returns a mask with a bit for each word, from one with a bit for each byte. */
static inline uint32_t mask_of_words(uint32_t mask)
{
	mask &= 0x11111111;
	mask = (mask | mask >> 3) & 0x03030303;
	mask = (mask | mask >> 6) & 0x000f000f;
	return (mask | mask >> 12) & 0xff;
}

/* Sets the marks of a mask of words or bytes. Returns true if one changed. */
static bool set_split_marks(uint64_t *own, uint32_t mask, uint64_t key)
{
	uint64_t changed = 0;

	FOR_BITS32 (i, mask) {
		uint64_t mark = mark_after_access(own[i], key);

		changed |= mark ^ own[i];
		own[i] = mark;
	}
	return changed;
}

typedef uint16_t eight_insts __attribute__((vector_size(16), may_alias));

/* Sets the instructions of a mask of words or bytes, n in all, that have none. Returns true if one had none. */
static inline bool set_owned_insts(uint16_t *own, unsigned n, uint32_t mask, uint16_t inst)
{
	static const eight_insts bits = {1, 2, 4, 8, 16, 32, 64, 128};
	uint64_t changed = 0;

	for (unsigned i = 0; i < n; i += 8, mask >>= 8) {
		eight_insts *at = (eight_insts *)(void *)(own + i);
		eight_insts in_mask = (eight_insts)(((uint16_t)mask & bits) != 0);
		eight_insts set = in_mask & (eight_insts)(*at == NO_INST);
		union {
			eight_insts inst;
			uint64_t half[2];
		} u = {set};

		*at = (*at & ~set) | (inst & set);
		changed |= u.half[0] | u.half[1];
	}
	return changed;
}

/* Marks parts of a line that only the key's block has accessed. old: the line's mark; 0: no block has */
static bool mark_owned_line(struct race *r, uint64_t *line, uint64_t old, uint64_t key, uint32_t mask)
{
	bool bytes = !are_whole_words(mask);

	if (!old || (bytes && !(old & OF_BYTES)))
		*line = old = own_line(r, old, key, bytes);
	uint16_t inst = (uint16_t)race_inst_of_mark(key), *own = owned_insts(r, old);

	return old & OF_BYTES ? set_owned_insts(own, BYTES, mask, inst)
			      : set_owned_insts(own, MARKED_LINE, mask_of_words(mask), inst);
}

/* Marks parts of a line that is split or becomes so. old: the line's mark */
static bool mark_split_line(struct race *r, uint64_t *line, uint64_t old, uint64_t key, uint32_t mask)
{
	bool bytes = !are_whole_words(mask), split = is_split(r, old);

	if (!split || (bytes && !(old & SPLIT_BYTES)))
		split_line(r, line, old, bytes || (is_owned(r, old) && old & OF_BYTES));
	return set_split_marks(split_marks(r, *line), *line & SPLIT_BYTES ? mask : mask_of_words(mask), key);
}

/* Marks bytes of a line. Returns true if a mark changed. */
static NOINLINE bool change_marks_of_line(struct race *r, uint64_t *line, uint64_t key, uint32_t mask)
{
	uint64_t old = mark_of_this_launch(*line, r->key_base);
	bool can_own = race_inst_of_mark(key) < NO_INST, owned = old && is_owned(r, old);

	if (owned && can_own && race_block_of_mark(old) == race_block_of_mark(key))
		return mark_owned_line(r, line, old, key, mask);
	if (owned || (old && is_split(r, old)))
		return mark_split_line(r, line, old, key, mask);
	if (mask == ALL_BYTES) {
		*line = mark_after_access(old, key);
		return *line != old;
	}
	if (!old && can_own)
		return mark_owned_line(r, line, 0, key, mask);
	return mark_after_access(old, key) != old && mark_split_line(r, line, old, key, mask);
}

/* Marks bytes of a line. */
static inline void mark_bytes_of_line(struct race *r, uint64_t key, uint64_t line, uint32_t mask, bool write)
{
	uint64_t *own = &r->line_marks[(write ? 0 : r->all_lines) + line];

	if (!((*own ^ key) >> 32)) /* the block has marked the whole line */
		return;
	if (change_marks_of_line(r, own, key, mask))
		find_race_in_line(r, line);
}

void race_mark_line(struct grid *g, uint64_t key, uint64_t line, uint32_t mask, bool write)
{
	pthread_mutex_t *lock = &g->race->lock[line / RACE_REGION_LINES % RACE_LOCKS];
	bool locked = g->n_threads > 1;

	if (locked)
		pthread_mutex_lock(lock);
	mark_bytes_of_line(g->race, key, line, mask, write);
	if (locked)
		pthread_mutex_unlock(lock);
}

/* ---- many lines ---- */

/* Returns true if the key's block has marked all n lines as a whole. */
LANE_FN static bool are_marked_by_block(const uint64_t *own, uint64_t n, uint64_t key)
{
	uint64_t differ = 0;

	for (uint64_t i = 0; i < n; i++)
		differ |= own[i] ^ key;
	return !(differ >> 32);
}

/*
 * Sets n marks of writes, or of reads, by a block. `readers` and `writers` are the marks of the opposite kind
 * for the same memory. A mark of the same block is left alone; any other becomes the maximum. Returns true if the
 * changed marks may show a race.
 */
LANE_FN static bool set_write_marks(
	uint64_t *own, const uint64_t *readers, uint64_t n, uint64_t key, uint64_t key_base)
{
	uint64_t race = 0;

	LANES_LOOP for (uint64_t i = 0; i < n; i++)
	{
		uint64_t old = mark_of_this_launch(own[i], key_base),
			 reader = mark_of_this_launch(readers[i], key_base);
		uint64_t v = mark_after_access(old, key);
		uint64_t other = reader ? (reader & OTHERS) | (reader ^ v) >> RACE_BLOCK_SHIFT : 0;

		own[i] = v;
		race |= v != old ? (v & OTHERS) | other : 0;
	}
	return race;
}

LANE_FN static bool set_read_marks(
	uint64_t *own, const uint64_t *writers, uint64_t n, uint64_t key, uint64_t key_base)
{
	uint64_t race = 0;

	LANES_LOOP for (uint64_t i = 0; i < n; i++)
	{
		uint64_t old = mark_of_this_launch(own[i], key_base),
			 writer = mark_of_this_launch(writers[i], key_base);
		uint64_t v = mark_after_access(old, key);
		uint64_t other = ((v | writer) & OTHERS) | (writer ^ v) >> RACE_BLOCK_SHIFT;

		own[i] = v;
		race |= v != old && writer ? other : 0;
	}
	return race;
}

/* Returns true if one of n lines is owned or split for accesses of either kind. */
LANE_FN static bool is_any_line_split(
	const uint64_t *writers, const uint64_t *readers, uint64_t n, uint64_t base, uint64_t key_base)
{
	uint64_t any = 0;

	for (uint64_t i = 0; i < n; i++)
		any |= (uint64_t)(race_block_of_mark(writers[i]) == base) |
		       (uint64_t)(race_block_of_mark(readers[i]) == base) |
		       (mark_of_this_launch(writers[i], key_base) & OWNED) |
		       (mark_of_this_launch(readers[i], key_base) & OWNED);
	return any;
}

/* Marks n whole lines. */
static void mark_lines(struct race *r, uint64_t key, uint64_t first, uint64_t n, bool write)
{
	uint64_t *writers = r->line_marks + first, *readers = writers + r->all_lines;
	uint64_t *own = write ? writers : readers;
	bool race;

	if (are_marked_by_block(own, n, key))
		return;
	if (is_any_line_split(writers, readers, n, r->base, r->key_base)) {
		for (uint64_t i = 0; i < n; i++)
			mark_bytes_of_line(r, key, first + i, ALL_BYTES, write);
		return;
	}
	race = write ? set_write_marks(own, readers, n, key, r->key_base)
		     : set_read_marks(own, writers, n, key, r->key_base);
	for (uint64_t i = 0; race && i < n; i++)
		find_race_in_line(r, first + i);
}

/* Marks an access to a range of bytes of one region. */
static void mark_region(struct race *r, uint64_t key, uint64_t from, uint64_t end, bool write)
{
	uint64_t line = from / RACE_LINE_BYTES, last = end / RACE_LINE_BYTES;

	if (line == last) {
		mark_bytes_of_line(
			r, key, line, race_mask_of_bytes(from % RACE_LINE_BYTES, end - from), write);
		return;
	}
	if (from % RACE_LINE_BYTES) {
		mark_bytes_of_line(r, key, line, ALL_BYTES << from % RACE_LINE_BYTES, write);
		line++;
	}
	if (line < last)
		mark_lines(r, key, line, last - line, write);
	if (end % RACE_LINE_BYTES)
		mark_bytes_of_line(r, key, last, race_mask_of_bytes(0, end % RACE_LINE_BYTES), write);
}

void race_mark_range(struct grid *g, uint64_t key, uint64_t from, uint64_t end, bool write)
{
	const uint64_t region_bytes = RACE_REGION_LINES * RACE_LINE_BYTES;
	bool locked = g->n_threads > 1;

	while (from < end) {
		uint64_t region = from / region_bytes, to = (region + 1) * region_bytes;

		to = to < end ? to : end;
		if (locked)
			pthread_mutex_lock(&g->race->lock[region % RACE_LOCKS]);
		mark_region(g->race, key, from, to, write);
		if (locked)
			pthread_mutex_unlock(&g->race->lock[region % RACE_LOCKS]);
		from = to;
	}
}

/* ---- pieces ---- */

/* Marks n words or bytes of an owned line. Returns true if one had no mark. */
static inline bool set_each_owned_inst(uint16_t *own, unsigned n, uint16_t inst)
{
	bool changed = false;

	for (unsigned i = 0; i < n; i++)
		if (own[i] == NO_INST) {
			own[i] = inst;
			changed = true;
		}
	return changed;
}

/* Marks n words or bytes of a split line. Returns true if a mark changed. */
static inline bool set_each_split_mark(uint64_t *own, unsigned n, uint64_t key)
{
	uint64_t changed = 0;

	for (unsigned i = 0; i < n; i++) {
		uint64_t mark = mark_after_access(own[i], key);

		changed |= mark ^ own[i];
		own[i] = mark;
	}
	return changed;
}

/* Marks the leading pieces that are in the line of the first one. Returns their number, at least 1. */
static NOINLINE unsigned mark_pieces_of_line(
	struct race *r, uint64_t key, const uint64_t *from, unsigned n, uint64_t bytes, bool write)
{
	uint64_t line = from[0] / BYTES;
	uint32_t mask = 0;
	unsigned count = 0;

	for (; count < n && from[count] / BYTES == line; count++)
		mask |= race_mask_of_bytes(from[count] % BYTES, bytes);
	mark_bytes_of_line(r, key, line, mask, write);
	return count;
}

/*
 * Marks the first of n pieces. small: it has fewer than 4 bytes. Lines that the block owns or that are split need no
 * call. Returns how many pieces it has marked.
 */
static ALWAYS_INLINE unsigned mark_piece(struct race *r, uint64_t key, const uint64_t *from, unsigned n,
	uint64_t bytes, bool small, bool write)
{
	uint64_t line = *from / BYTES, mark = r->line_marks[(write ? 0 : r->all_lines) + line],
		 others = r->line_marks[(write ? r->all_lines : 0) + line], /* mark of the opposite kind */
		differ = (mark ^ key) >> 32;
	unsigned part = small ? *from % BYTES : *from % BYTES / 4,
		 parts = (unsigned)(small ? bytes : bytes / 4);
	bool changed, may_race = mark_of_this_launch(others, r->key_base);

	if (!differ) /* the block has marked the whole line */
		return 1;
	if (differ == 1 && (mark & OF_BYTES) == small && race_inst_of_mark(key) < NO_INST) {
		changed = set_each_owned_inst(
			owned_insts(r, mark) + part, parts, (uint16_t)race_inst_of_mark(key));
	} else if (is_split(r, mark) && !(mark & SPLIT_BYTES) == !small) {
		changed = set_each_split_mark(split_marks(r, mark) + part, parts, key);
		may_race |= write;
	} else {
		return mark_pieces_of_line(r, key, from, n, bytes, write);
	}
	if (changed && may_race)
		find_race_in_line(r, line);
	return 1;
}

static ALWAYS_INLINE void mark_pieces(struct race *r, uint64_t key, const uint64_t *from, unsigned n,
	uint64_t bytes, bool small, bool write)
{
	for (unsigned i = 0; i < n;)
		i += mark_piece(r, key, from + i, n - i, bytes, small, write);
}

/* Like mark_pieces(), for a launch that several threads execute. */
static void mark_shared_pieces(
	struct race *r, uint64_t key, const uint64_t *from, unsigned n, uint64_t bytes, bool write)
{
	uint64_t held = RACE_LOCKS; /* number of the lock that this thread holds; RACE_LOCKS: none */

	for (unsigned i = 0; i < n;) {
		uint64_t lock = from[i] / (RACE_REGION_LINES * BYTES) % RACE_LOCKS;

		if (lock != held) {
			if (held < RACE_LOCKS)
				pthread_mutex_unlock(&r->lock[held]);
			held = lock;
			pthread_mutex_lock(&r->lock[held]);
		}
		i += mark_piece(r, key, from + i, n - i, bytes, bytes < 4, write);
	}
	if (held < RACE_LOCKS)
		pthread_mutex_unlock(&r->lock[held]);
}

void race_mark_pieces(
	struct grid *g, uint64_t key, const uint64_t *from, unsigned n, uint64_t bytes, bool write)
{
	if (g->n_threads > 1)
		mark_shared_pieces(g->race, key, from, n, bytes, write);
	else if (bytes == 4 && write)
		mark_pieces(g->race, key, from, n, 4, false, true);
	else if (bytes == 4)
		mark_pieces(g->race, key, from, n, 4, false, false);
	else
		mark_pieces(g->race, key, from, n, bytes, bytes < 4, write);
}
