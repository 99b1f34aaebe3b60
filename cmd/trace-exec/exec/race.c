/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Races on global memory. Two thread blocks race if one writes a word of a buffer or of a static variable and
 * the other reads or writes it in the same launch. Two warps of a block race if they do so without a barrier,
 * fence or atomic of the block in between. Atomics do not race. Kernels with fences, volatile or ordered
 * accesses, by which blocks may communicate, are not checked.
 *
 * Such races are often intended (many threads store the same flag), so they are warnings, one of each kind for
 * each kernel. Always true: the reported race of blocks is the one on the lowest byte, regardless of which
 * thread executes which block. This is so because marks are maxima over blocks, and because of two blocks that
 * race, the second to take the lock of the region sees the marks of the first. The reported race of warps is
 * the first one of the lowest block that has one. Lanes of one warp run together and are not compared.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exec/check.h"
#include "exec/lanes.h"
#include "inlining.h"

#define BLOCK_BITS   30
#define BLOCK_SHIFT  33    /* first bit of the block's number in a mark */
#define REGION_WORDS 1024u /* words of memory whose marks one lock protects */
#define LINE_WORDS   MARKED_LINE
#define LOCKS        64u
enum { OTHERS = 1 };

/*
 * A mark is a key: the block's number + 1 + base (30 bits), the instruction (32 bits), and OTHERS if other blocks made
 * the access, too. An array has the marks of writers first, then the marks of readers. Marks below `floor` are those of
 * earlier launches and count as 0.
 */
struct race {
	/*
	 * Marks of whole lines; NULL: the launch has only one block. A line whose words differ, or some of whose words
	 * have no mark, is split: its mark is `split` + i, and its words have the LINE_WORDS marks from i * LINE_WORDS
	 * on. Thereby marks take memory only for lines that are accessed: mergeVS of HeCBench takes
	 * 9.9 s instead of 14.6 s until its 16th measurement.
	 */
	uint64_t *line_marks;
	uint64_t *word_marks; /* marks of the words of split lines, in the order in which these were split */
	atomic_uint_fast64_t n_split; /* number of split lines */
	uint64_t *_Atomic byte_marks; /* marks of accesses to parts of words; NULL: none yet */
	/* for each region, true if it has marks in byte_marks; not set while byte_marks is NULL */
	bool *region_has_bytes;
	uint64_t heap;      /* number of words of buffers */
	uint64_t words;     /* number of words of buffers, then of static variables */
	uint64_t base;      /* blocks of the earlier launches that used the marks */
	uint64_t floor;     /* number below all keys of this launch and above those of earlier launches */
	uint64_t split;     /* mark of the first line that is split */
	uint64_t all_lines; /* number of marks of one kind in line_marks */
	uint64_t all_words; /* number of words of memory, rounded up */
	uint64_t blocks;    /* blocks of this launch */
	atomic_uint_fast64_t lowest; /* lowest byte with a race; UINT64_MAX: none */
	pthread_mutex_t lock[LOCKS]; /* each lock protects the marks of some regions */
};

static uint64_t block_of_mark(uint64_t key) { return key >> BLOCK_SHIFT; }
static uint32_t inst_of_mark(uint64_t key) { return (uint32_t)(key >> 1); }

void race_start(struct grid *g)
{
	const struct launch *l = g->launch;
	uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];

	g->race = NULL;
	if (!g->options->check || g->order & ORDER_FENCE || (blocks < 2 && g->warps < 2) ||
		blocks >> BLOCK_BITS)
		return;
	g->race = xcalloc(1, sizeof(*g->race));
	g->race->heap = g->mem->heap_bytes / 4;
	g->race->words = g->race->heap + g->mem->static_bytes / 4 + 1;
	g->race->blocks = blocks;
	g->race->base = (1ull << BLOCK_BITS) - 2 - blocks;
	g->race->all_words = marks_round_up(g->race->words);
	g->race->all_lines = g->race->all_words / LINE_WORDS;
	if (blocks > 1) {
		g->race->line_marks = marks_take(g->mem, MARKS_OF_WORDS, g->race->words, &g->race->base);
		g->race->word_marks = g->race->line_marks + 2 * g->race->all_lines;
	}
	g->race->base++; /* the number of the mark of split lines, which no block has */
	g->race->floor = g->race->split = g->race->base << BLOCK_SHIFT;
	atomic_store(&g->race->lowest, UINT64_MAX);
	for (unsigned i = 0; i < LOCKS; i++)
		pthread_mutex_init(&g->race->lock[i], NULL);
}

/* Returns the mark, or 0 if it is that of an earlier launch. */
static inline uint64_t mark_or_zero_if_old(uint64_t mark, uint64_t floor)
{
	return (int64_t)mark < (int64_t)floor ? 0 : mark;
}

static bool do_marks_race(uint64_t writer, uint64_t reader)
{
	return writer &&
	       (writer & OTHERS ||
		       (reader && (reader & OTHERS || block_of_mark(reader) != block_of_mark(writer))));
}

static uint64_t byte_address(const struct race *r, uint64_t byte)
{
	return byte < 4 * r->heap ? HEAP_BASE + byte : byte - 4 * r->heap;
}

/* Returns the mark that combines marks a and b. */
static uint64_t combine_race_marks(uint64_t a, uint64_t b)
{
	uint64_t others = ((a | b) & OTHERS) || (a && b && block_of_mark(a) != block_of_mark(b)) ? OTHERS : 0;

	return (a > b ? a : b) | others;
}

static inline bool is_split(const struct race *r, uint64_t line) { return block_of_mark(line) == r->base; }

/* Returns the marks of the words of a split line. */
static inline uint64_t *marks_of_split_line(const struct race *r, uint64_t line)
{
	return r->word_marks + (line - r->split) * LINE_WORDS;
}

/* Returns the mark of the writers, or of the readers, of a word. */
static inline uint64_t mark_of_word(const struct race *r, uint64_t word, bool write)
{
	uint64_t line = r->line_marks[(write ? 0 : r->all_lines) + word / LINE_WORDS];

	return is_split(r, line) ? marks_of_split_line(r, line)[word % LINE_WORDS]
				 : mark_or_zero_if_old(line, r->floor);
}

/* Returns the mark of the writers, or of the readers, of a byte: of accesses to its word and to the byte. */
static uint64_t mark_of_byte(const struct race *r, const uint64_t *bytes, uint64_t byte, bool write)
{
	return combine_race_marks(mark_of_word(r, byte / 4, write),
		bytes ? mark_or_zero_if_old(bytes[(write ? 0 : 4 * r->all_words) + byte], r->floor) : 0);
}

/* Finds the first of the bytes on which blocks race, and notes it if it is the lowest so far. */
static void find_race_in_bytes(struct race *r, uint64_t byte, uint64_t end)
{
	const uint64_t *bytes = atomic_load(&r->byte_marks);
	uint64_t low = atomic_load(&r->lowest);

	while (byte < end &&
		!do_marks_race(mark_of_byte(r, bytes, byte, true), mark_of_byte(r, bytes, byte, false)))
		byte += bytes ? 1 : 4 - byte % 4;
	while (byte < end && byte < low && !atomic_compare_exchange_weak(&r->lowest, &low, byte))
		;
}

/* Values of set_race_marks(), as bits. */
enum { MARKS_CHANGED = 1, MARKS_RACE = 2 };

/* Returns true if all n marks belong to the key's block. */
LANE_FN static bool are_marked_by_block(const uint64_t *own, uint64_t n, uint64_t key)
{
	uint64_t differ = 0;

	for (uint64_t i = 0; i < n; i++)
		differ |= own[i] ^ key;
	return !(differ >> BLOCK_SHIFT);
}

/*
 * Sets n marks of writes, or of reads, by a block. `readers` and `writers` are the marks of the opposite kind
 * for the same memory. A mark of the same block is left alone; any other becomes the maximum. Returns MARKS_*.
 * MARKS_RACE: the changed marks may show a race.
 */
LANE_FN static unsigned set_write_marks(
	uint64_t *own, const uint64_t *readers, uint64_t n, uint64_t key, uint64_t floor)
{
	uint64_t changed = 0, race = 0;

	LANES_LOOP for (uint64_t i = 0; i < n; i++)
	{
		uint64_t old = mark_or_zero_if_old(own[i], floor),
			 reader = mark_or_zero_if_old(readers[i], floor);
		uint64_t joined = (old > key ? old : key) | OTHERS;
		uint64_t v = !((old ^ key) >> BLOCK_SHIFT) ? old : old ? joined : key;
		uint64_t other = reader ? (reader & OTHERS) | (reader ^ v) >> BLOCK_SHIFT : 0;

		own[i] = v;
		changed |= v ^ old;
		race |= v != old ? (v & OTHERS) | other : 0;
	}
	return (changed ? MARKS_CHANGED : 0) | (race ? MARKS_RACE : 0);
}

LANE_FN static unsigned set_read_marks(
	uint64_t *own, const uint64_t *writers, uint64_t n, uint64_t key, uint64_t floor)
{
	uint64_t changed = 0, race = 0;

	LANES_LOOP for (uint64_t i = 0; i < n; i++)
	{
		uint64_t old = mark_or_zero_if_old(own[i], floor),
			 writer = mark_or_zero_if_old(writers[i], floor);
		uint64_t joined = (old > key ? old : key) | OTHERS;
		uint64_t v = !((old ^ key) >> BLOCK_SHIFT) ? old : old ? joined : key;
		uint64_t other = ((v | writer) & OTHERS) | (writer ^ v) >> BLOCK_SHIFT;

		own[i] = v;
		changed |= v ^ old;
		race |= v != old && writer ? other : 0;
	}
	return (changed ? MARKS_CHANGED : 0) | (race ? MARKS_RACE : 0);
}

/* Sets n marks of an access. own: the marks of accesses of its kind, other: those of the opposite kind. */
static unsigned set_race_marks(
	uint64_t *own, const uint64_t *other, uint64_t n, uint64_t key, uint64_t floor, bool write)
{
	if (are_marked_by_block(own, n, key))
		return 0;
	return write ? set_write_marks(own, other, n, key, floor) : set_read_marks(own, other, n, key, floor);
}

/* Like set_race_marks(), for one mark. other: the mark of the opposite kind, or 0. */
static inline unsigned set_race_mark(uint64_t *own, uint64_t other, uint64_t key, uint64_t floor, bool write)
{
	uint64_t old = mark_or_zero_if_old(*own, floor), v = old > key ? old : key;

	if (block_of_mark(old) == block_of_mark(key))
		return 0;
	*own = v |= old ? OTHERS : 0;
	return v == old ? 0
	       : do_marks_race(write ? v : other, write ? other : v) ? MARKS_CHANGED | MARKS_RACE
								     : MARKS_CHANGED;
}

/* Gives each word of a line the mark that the line has. Returns the marks of the words. */
static uint64_t *split_line(struct race *r, uint64_t *line)
{
	uint64_t i = atomic_fetch_add_explicit(&r->n_split, 1, memory_order_relaxed),
		 old = mark_or_zero_if_old(*line, r->floor), *words = r->word_marks + i * LINE_WORDS;

	for (unsigned k = 0; k < LINE_WORDS; k++)
		words[k] = old;
	*line = r->split + i;
	return words;
}

/* Marks a word. */
static inline unsigned mark_one_word(struct race *r, uint64_t key, uint64_t word, bool write)
{
	uint64_t *line = r->line_marks + (write ? 0 : r->all_lines) + word / LINE_WORDS;

	if (block_of_mark(*line) == block_of_mark(key))
		return 0;
	uint64_t *own = is_split(r, *line) ? marks_of_split_line(r, *line) : split_line(r, line);
	return set_race_mark(own + word % LINE_WORDS, mark_of_word(r, word, !write), key, r->floor, write);
}

/* Marks n words of a line, from `first` on. */
static unsigned mark_part_of_line(struct race *r, uint64_t key, uint64_t first, uint64_t n, bool write)
{
	uint64_t *writer = r->line_marks + first / LINE_WORDS, *reader = writer + r->all_lines,
		 *line = write ? writer : reader, other_line = write ? *reader : *writer;
	uint64_t *own, *other, same[LINE_WORDS], from = first % LINE_WORDS;

	if (block_of_mark(*line) == block_of_mark(key))
		return 0;
	own = is_split(r, *line) ? marks_of_split_line(r, *line) : split_line(r, line);
	if (is_split(r, other_line)) {
		other = marks_of_split_line(r, other_line);
	} else {
		for (unsigned i = 0; i < LINE_WORDS; i++)
			same[i] = other_line;
		other = same;
	}
	return set_race_marks(own + from, other + from, n, key, r->floor, write);
}

/* Returns true if one of n lines is split for accesses of either kind. */
LANE_FN static bool is_any_line_split(
	const uint64_t *writers, const uint64_t *readers, uint64_t n, uint64_t base)
{
	uint64_t any = 0;

	for (uint64_t i = 0; i < n; i++)
		any |= (uint64_t)(block_of_mark(writers[i]) == base) |
		       (uint64_t)(block_of_mark(readers[i]) == base);
	return any;
}

/* Marks n whole lines. */
static unsigned mark_lines(struct race *r, uint64_t key, uint64_t first, uint64_t n, bool write)
{
	uint64_t *writers = r->line_marks + first, *readers = writers + r->all_lines;
	uint64_t *own = write ? writers : readers, *other = write ? readers : writers;
	unsigned how = 0;

	if (are_marked_by_block(own, n, key))
		return 0;
	if (!is_any_line_split(writers, readers, n, r->base))
		return write ? set_write_marks(own, other, n, key, r->floor)
			     : set_read_marks(own, other, n, key, r->floor);
	for (uint64_t i = 0; i < n; i++)
		how |= is_split(r, own[i]) || is_split(r, other[i])
			       ? mark_part_of_line(r, key, (first + i) * LINE_WORDS, LINE_WORDS, write)
			       : set_race_mark(own + i, mark_or_zero_if_old(other[i], r->floor), key,
					 r->floor, write);
	return how;
}

/* Returns true if any byte of the word's region has a mark of its own. */
static bool has_byte_marks(const struct race *r, uint64_t word)
{
	return atomic_load(&r->byte_marks) && r->region_has_bytes[word / REGION_WORDS];
}

/* Looks for races after marks of words changed. how: MARKS_* */
static inline void note_changed_marks(struct race *r, unsigned how, uint64_t first, uint64_t end)
{
	if (how & MARKS_RACE || (how && has_byte_marks(r, first)))
		find_race_in_bytes(r, 4 * first, 4 * end);
}

/* Marks words of one region. */
static inline void mark_words(struct race *r, uint64_t key, uint64_t first, uint64_t n, bool write)
{
	if (n == 1) {
		note_changed_marks(r, mark_one_word(r, key, first, write), first, first + 1);
		return;
	}
	uint64_t end = first + n, begin = round_up_u64(first, LINE_WORDS), last = end - end % LINE_WORDS;
	unsigned how = 0;

	if (begin > last) {
		how = mark_part_of_line(r, key, first, n, write);
	} else {
		if (first < begin)
			how |= mark_part_of_line(r, key, first, begin - first, write);
		if (begin < last)
			how |= mark_lines(r, key, begin / LINE_WORDS, (last - begin) / LINE_WORDS, write);
		if (last < end)
			how |= mark_part_of_line(r, key, last, end - last, write);
	}
	note_changed_marks(r, how, first, end);
}

static bool has_any_word_mark(const struct race *r, uint64_t first, uint64_t end)
{
	uint64_t any = 0;

	for (uint64_t i = first; i < end; i++)
		any |= mark_of_word(r, i, true) | mark_of_word(r, i, false);
	return any;
}

static NOINLINE uint64_t *allocate_byte_marks(struct grid *g)
{
	uint64_t *bytes;

	pthread_mutex_lock(&g->lock);
	bytes = atomic_load(&g->race->byte_marks);
	if (!bytes) {
		uint64_t last = g->race->base;

		bytes = marks_take(g->mem, MARKS_OF_BYTES, g->race->words, &last);
		g->race->region_has_bytes = xcalloc(g->race->words / REGION_WORDS + 1, sizeof(bool));
		atomic_store(&g->race->byte_marks, bytes);
	}
	pthread_mutex_unlock(&g->lock);
	return bytes;
}

static void mark_bytes(struct grid *g, uint64_t key, uint64_t from, uint64_t to, bool write)
{
	struct race *r = g->race;
	uint64_t *bytes = atomic_load(&r->byte_marks);

	bytes = bytes ? bytes : allocate_byte_marks(g);
	r->region_has_bytes[from / 4 / REGION_WORDS] = true;
	uint64_t *writers = bytes + from, *readers = writers + 4 * r->all_words;
	unsigned how = set_race_marks(
		write ? writers : readers, write ? readers : writers, to - from, key, r->floor, write);
	if (how & MARKS_RACE || (how && has_any_word_mark(r, from / 4, (to + 3) / 4)))
		find_race_in_bytes(r, from, to);
}

/* Marks an access of a block to the bytes of one region, counted from the first word. */
static void mark_region(struct grid *g, uint64_t key, uint64_t from, uint64_t end, bool write)
{
	uint64_t first = (from + 3) / 4, last = end / 4;

	if (first > last) {
		mark_bytes(g, key, from, end, write);
		return;
	}
	if (from < 4 * first)
		mark_bytes(g, key, from, 4 * first, write);
	if (first < last)
		mark_words(g->race, key, first, last - first, write);
	if (end > 4 * last)
		mark_bytes(g, key, 4 * last, end, write);
}

/*
 * Marks an access to a range of bytes. Words that it covers are marked as words, whatever the size of the access:
 * casts of 16.8 million floats to bytes and back take 5.1 s instead of 7.3 s, and 383,000 page faults instead of
 * 1,087,000.
 */
static void mark_range(struct grid *g, uint64_t key, uint64_t from, uint64_t end, bool write)
{
	bool locked = g->n_threads > 1;

	while (from < end) {
		uint64_t region = from / (4 * REGION_WORDS), to = (region + 1) * 4 * REGION_WORDS;

		to = to < end ? to : end;
		if (locked)
			pthread_mutex_lock(&g->race->lock[region % LOCKS]);
		mark_region(g, key, from, to, write);
		if (locked)
			pthread_mutex_unlock(&g->race->lock[region % LOCKS]);
		from = to;
	}
}

/* ---- accesses and reports ---- */

void race_count_words(const struct grid *g, uint64_t *heap, uint64_t *words)
{
	*heap = g->race->heap;
	*words = g->race->words;
}

/*
 * Sets *from and *end to the bytes of global memory that the span covers, counted from the first word. Returns
 * false if the span is in other memory.
 */
static bool byte_range_of_span(
	const struct warp *w, const struct access_range *s, uint64_t *from, uint64_t *end)
{
	const struct race *r = w->grid->race;
	uint64_t heap = (uintptr_t)s->host - (uintptr_t)w->mem->heap,
		 fixed = (uintptr_t)s->host - (uintptr_t)w->mem->statics;
	bool in_heap = heap / 4 < r->heap;

	if (!in_heap && fixed >= w->mem->static_bytes)
		return false;
	uint64_t most = 4 * (in_heap ? r->heap : r->words);
	*from = in_heap ? heap : 4 * r->heap + fixed;
	*end = *from + s->bytes < most ? *from + s->bytes : most;
	return true;
}

/* Returns true if the span is a lane of a strided access: a word of the heap that needs no lock. */
static inline bool is_word_of_heap(const struct warp *w, const struct access_range *s)
{
	uint64_t off = (uintptr_t)s->host - (uintptr_t)w->mem->heap;

	return s->bytes == 4 && off % 4 == 0 && off / 4 < w->grid->race->heap && w->grid->n_threads == 1;
}

void race_check_access(struct warp *w, const struct op *o, const struct access_range *s, unsigned n,
	uint64_t bytes, bool write)
{
	uint32_t inst = o->inst;
	uint64_t key = (w->grid->race->base + w->cta->number + 1) << BLOCK_SHIFT | (uint64_t)inst << 1, from,
		 end;
	struct warp_marks *x = bytes >= 4 ? w->cta->warp_marks : NULL;

	if (is_atomic_access(o)) {
		race_start_epoch(w->cta); /* atomics may synchronize threads */
		return;
	}
	if (stmt_has(o->stmt, M_VOLATILE) || stmt_has(o->stmt, M_RELAXED) || stmt_has(o->stmt, M_ACQUIRE) ||
		stmt_has(o->stmt, M_RELEASE)) {
		race_start_epoch(w->cta);
		x = NULL;
	}
	for (const struct access_range *last = s + n; s < last; s++) {
		if (is_word_of_heap(w, s)) {
			uint64_t word = ((uintptr_t)s->host - (uintptr_t)w->mem->heap) / 4;

			if (w->grid->race->line_marks)
				note_changed_marks(w->grid->race,
					mark_one_word(w->grid->race, key, word, write), word, word + 1);
			if (x)
				race_note_warp(x, inst, w->index + 1, word, 1, write);
			continue;
		}
		if (!byte_range_of_span(w, s, &from, &end))
			continue;
		if (w->grid->race->line_marks)
			mark_range(w->cta->grid, key, from, end, write);
		if (x)
			race_note_warp(x, inst, w->index + 1, from / 4, (end + 3) / 4 - from / 4, write);
	}
}

static void write_block_name(const struct grid *g, uint64_t key, char *out, size_t cap)
{
	uint32_t id[3];

	grid_block_id(g, block_of_mark(key) - 1 - g->race->base, id);
	snprintf(out, cap, "CTA (%u,%u,%u)", id[0], id[1], id[2]);
}

/* Number of bytes at the end of a buffer in which an instruction that goes beyond the end is expected. */
#define OVERRUN_BYTES 256u

/*
 * Returns the buffer that ends where buffer b begins, if the instruction of the mark has accessed its last bytes, too.
 * Its accesses to b may then be beyond the end of the other buffer. Returns NULL otherwise.
 */
static const struct buffer *find_overrun_buffer(
	const struct grid *g, const uint64_t *bytes, const struct buffer *b, uint64_t mark, bool write)
{
	const struct buffer *a = b && b->addr > HEAP_BASE ? memory_nearest_buffer(g->mem, b->addr - 1) : NULL;
	uint64_t n = a && a->live ? min_u64(a->size, OVERRUN_BYTES) : 0;

	if (!n || a == b || a->addr < HEAP_BASE || b->addr - (a->addr + a->size) >= OVERRUN_BYTES)
		return NULL;
	for (uint64_t at = a->addr + a->size - n; n; at++, n--) {
		uint64_t near = mark_of_byte(g->race, bytes, at - HEAP_BASE, write);

		if (near && inst_of_mark(near) == inst_of_mark(mark))
			return a;
	}
	return NULL;
}

/* Returns what the report of a race expected. Blocks that atomics order must have a fence, too. */
static const char *expected_order(const struct bound_code *c)
{
	for (uint32_t i = 0; i < c->prog->n_insts; i++)
		if (c->op[i].stmt && is_atomic_access(&c->op[i]))
			return "a fence before an atomic that orders the blocks, an atomic, or two launches";
	return "an atomic or two launches";
}

static void report_race(const struct grid *g, uint64_t byte)
{
	const uint64_t *bytes = atomic_load(&g->race->byte_marks);
	uint64_t writer = mark_of_byte(g->race, bytes, byte, true),
		 reader = mark_of_byte(g->race, bytes, byte, false), addr = byte_address(g->race, byte);
	const struct buffer *b = memory_nearest_buffer(g->mem, addr);
	const struct op *o = &g->code->op[inst_of_mark(writer)], *other = &g->code->op[inst_of_mark(reader)];
	const struct buffer *end_of = find_overrun_buffer(g, bytes, b, writer, true);
	const char *overruns = end_of ? "writes" : "reads";
	char by[60], too[120] = "others write", line[300], hint[240] = "";

	checker_instruction_text(o, line, sizeof(line));
	write_block_name(g, writer, by, sizeof(by));
	if (!(writer & OTHERS)) {
		char text[60], at[24];

		checker_position_text(other, at, sizeof(at));
		write_block_name(g, reader, text, sizeof(text));
		snprintf(too, sizeof(too), "%s%s at %s", text,
			block_of_mark(reader) == block_of_mark(writer) ? " and others read" : " reads", at);
		if (!end_of)
			end_of = find_overrun_buffer(g, bytes, b, reader, false);
	}
	if (end_of)
		snprintf(hint, sizeof(hint),
			"; the instruction that %s it accesses the end of '%s' before it, too: perhaps it goes beyond that end",
			overruns, end_of->name);
	diag_warn(stmt_place(o->func, o->stmt),
		"race: %s writes byte %llu of '%s', which %s in the same launch%s (expected %s) (kernel %s%s)",
		by, (unsigned long long)(addr - (b ? b->addr : 0)), b ? b->name : "memory", too, hint,
		expected_order(g->code), g->launch->kernel->name, line);
}

void race_report(struct grid *g, bool good)
{
	struct race *r = g->race;
	struct func *k = g->code->prog->func[g->kernel];

	if (!r)
		return;
	if (good && !k->race_reported && atomic_load(&r->lowest) != UINT64_MAX) {
		k->race_reported = true;
		report_race(g, atomic_load(&r->lowest));
	}
	if (r->line_marks)
		marks_return(g->mem, MARKS_OF_WORDS, r->words, r->base + r->blocks, r->line_marks);
	if (atomic_load(&r->byte_marks))
		marks_return(
			g->mem, MARKS_OF_BYTES, r->words, r->base + r->blocks, atomic_load(&r->byte_marks));
	free(r->region_has_bytes);
	for (unsigned i = 0; i < LOCKS; i++)
		pthread_mutex_destroy(&r->lock[i]);
	free(r);
	g->race = NULL;
}
