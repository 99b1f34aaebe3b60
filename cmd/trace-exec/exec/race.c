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
#include "exec/race.h"

void race_start(struct grid *g)
{
	const struct launch *l = g->launch;
	uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];

	g->race = NULL;
	if (!g->options->check || g->order & ORDER_FENCE || (blocks < 2 && g->warps < 2) ||
		blocks >> RACE_BLOCK_BITS)
		return;
	g->race = xcalloc(1, sizeof(*g->race));
	g->race->buffer_words = g->mem->heap_bytes / 4;
	g->race->words = g->race->buffer_words + g->mem->static_bytes / 4 + 1;
	g->race->blocks = blocks;
	g->race->base = (1ull << RACE_BLOCK_BITS) - 2 - blocks;
	g->race->all_lines = marks_round_up(g->race->words) / MARKED_LINE;
	if (blocks > 1) {
		g->race->line_marks = marks_take(g->mem, MARKS_OF_LINES, g->race->words, &g->race->base);
		g->race->array = (union line_array *)(void *)(g->race->line_marks + 2 * g->race->all_lines);
	}
	g->race->base++; /* the number of the mark of split lines, which no block has */
	g->race->key_base = g->race->split = g->race->base << RACE_BLOCK_SHIFT;
	atomic_store(&g->race->lowest, UINT64_MAX);
	for (unsigned i = 0; i < RACE_LOCKS; i++)
		pthread_mutex_init(&g->race->lock[i], NULL);
}

static uint64_t byte_address(const struct race *r, uint64_t byte)
{
	return byte < 4 * r->buffer_words ? HEAP_BASE + byte : byte - 4 * r->buffer_words;
}

/* ---- accesses and reports ---- */

void race_count_words(const struct grid *g, uint64_t *buffer_words, uint64_t *words)
{
	*buffer_words = g->race->buffer_words;
	*words = g->race->words;
}

/*
 * Sets range[] to the bytes of global memory that n spans cover, counted from the first word. Leaves out spans in other
 * memory. Returns the number of ranges.
 */
static inline unsigned find_global_ranges(
	const struct warp *w, const struct access_range *s, unsigned n, struct race_range *range)
{
	const struct race *r = w->grid->race;
	const uintptr_t heap = (uintptr_t)w->mem->heap, statics = (uintptr_t)w->mem->statics;
	unsigned count = 0;

	for (const struct access_range *last = s + n; s < last; s++) {
		uint64_t in_heap = (uintptr_t)s->host - heap, fixed = (uintptr_t)s->host - statics, most;

		if (in_heap / 4 < r->buffer_words) {
			most = 4 * r->buffer_words;
			range[count].from = in_heap;
		} else if (fixed < w->mem->static_bytes) {
			most = 4 * r->words;
			range[count].from = 4 * r->buffer_words + fixed;
		} else {
			continue;
		}
		range[count].end = min_u64(range[count].from + s->bytes, most);
		count++;
	}
	return count;
}

/*
 * Marks an access to n ranges for races between blocks. Short ranges of one line that follow each other are marked
 * together.
 */
static void mark_ranges(struct grid *g, uint64_t key, const struct race_range *s, unsigned n, bool write)
{
	uint64_t line = 0;
	uint32_t mask = 0;

	for (const struct race_range *last = s + n; s < last; s++) {
		if (s->from / RACE_LINE_BYTES != (s->end - 1) / RACE_LINE_BYTES) {
			race_mark_range(g, key, s->from, s->end, write);
			continue;
		}
		if (mask && line != s->from / RACE_LINE_BYTES) {
			race_mark_line(g, key, line, mask, write);
			mask = 0;
		}
		line = s->from / RACE_LINE_BYTES;
		mask |= race_mask_of_bytes(s->from % RACE_LINE_BYTES, s->end - s->from);
	}
	if (mask)
		race_mark_line(g, key, line, mask, write);
}

/* Returns the mark of an access by op o of the warp's block. */
static uint64_t key_of_access(const struct warp *w, const struct op *o)
{
	uint64_t block = w->grid->race->base + w->cta->number + 1;

	return block << RACE_BLOCK_SHIFT | (uint64_t)o->inst << 1;
}

void race_check_access(struct warp *w, const struct op *o, const struct access_range *s, unsigned n,
	uint64_t bytes, bool write)
{
	struct warp_marks *x = bytes >= 4 ? w->cta->warp_marks : NULL;
	struct race_range range[LANES];

	if (is_atomic_access(o)) {
		race_start_epoch(w->cta); /* atomics may synchronise threads */
		return;
	}
	if (stmt_has(o->stmt, M_VOLATILE) || stmt_has(o->stmt, M_RELAXED) || stmt_has(o->stmt, M_ACQUIRE) ||
		stmt_has(o->stmt, M_RELEASE)) {
		race_start_epoch(w->cta);
		x = NULL;
	}
	n = find_global_ranges(w, s, n, range);
	if (w->grid->race->line_marks)
		mark_ranges(w->cta->grid, key_of_access(w, o), range, n, write);
	if (x)
		race_note_warp(x, o->inst, w->index + 1, range, n, write);
}

void race_check_pieces(struct warp *w, const struct op *o, const uint64_t *off, unsigned n, uint64_t bytes,
	uint64_t highest, bool write)
{
	if (highest / 4 >= w->grid->race->buffer_words) /* the launch has allocated the buffer */
		return;
	if (w->grid->race->line_marks)
		race_mark_pieces(w->cta->grid, key_of_access(w, o), off, n, bytes, write);
	if (w->cta->warp_marks && bytes >= 4)
		race_note_words(
			w->cta->warp_marks, o->inst, w->index + 1, off, n, (unsigned)bytes / 4, write);
}

static void write_block_name(const struct grid *g, uint64_t key, char *out, size_t cap)
{
	uint32_t id[3];

	grid_block_id(g, race_block_of_mark(key) - 1 - g->race->base, id);
	snprintf(out, cap, "CTA (%u,%u,%u)", id[0], id[1], id[2]);
}

/* Number of bytes at the end of a buffer in which an instruction that goes beyond the end is expected. */
#define OVERRUN_BYTES 256u

/*
 * Returns the buffer that ends where buffer b begins, if the instruction of the mark has accessed its last bytes, too.
 * Its accesses to b may then be beyond the end of the other buffer. Returns NULL otherwise.
 */
static const struct buffer *find_overrun_buffer(
	const struct grid *g, const struct buffer *b, uint64_t mark, bool write)
{
	const struct buffer *a = b && b->addr > HEAP_BASE ? memory_nearest_buffer(g->mem, b->addr - 1) : NULL;
	uint64_t n = a && a->live ? min_u64(a->size, OVERRUN_BYTES) : 0;

	if (!n || a == b || a->addr < HEAP_BASE || b->addr - (a->addr + a->size) >= OVERRUN_BYTES)
		return NULL;
	for (uint64_t at = a->addr + a->size - n; n; at++, n--) {
		uint64_t near = race_mark_of_byte(g->race, at - HEAP_BASE, write);

		if (near && race_inst_of_mark(near) == race_inst_of_mark(mark))
			return a;
	}
	return NULL;
}

/* Returns the expected order for the report of a race. Blocks that atomics order must have a fence, too. */
static const char *expected_order(const struct bound_code *c)
{
	for (uint32_t i = 0; i < c->prog->n_insts; i++)
		if (c->op[i].stmt && is_atomic_access(&c->op[i]))
			return "a fence before an atomic that orders the blocks, an atomic, or two launches";
	return "an atomic or two launches";
}

static void report_race(const struct grid *g, uint64_t byte)
{
	uint64_t writer = race_mark_of_byte(g->race, byte, true),
		 reader = race_mark_of_byte(g->race, byte, false), addr = byte_address(g->race, byte);
	const struct buffer *b = memory_nearest_buffer(g->mem, addr);
	const struct op *o = &g->code->op[race_inst_of_mark(writer)],
			*other = &g->code->op[race_inst_of_mark(reader)];
	const struct buffer *end_of = find_overrun_buffer(g, b, writer, true);
	const char *overruns = end_of ? "writes" : "reads";
	char by[60], too[80 + POSITION_MAX] = "others write", kernel[KERNEL_MAX], line[LINES_MAX],
			      hint[240] = "";

	position_kernel_text(g->launch->kernel, kernel);
	position_instruction_text(o, line, sizeof(line));
	write_block_name(g, writer, by, sizeof(by));
	if (!(writer & OTHERS)) {
		char text[60], at[POSITION_MAX];

		position_text(other, at, sizeof(at));
		write_block_name(g, reader, text, sizeof(text));
		snprintf(too, sizeof(too), "%s%s at %s", text,
			race_block_of_mark(reader) == race_block_of_mark(writer) ? " and others read"
										 : " reads",
			at);
		if (!end_of)
			end_of = find_overrun_buffer(g, b, reader, false);
	}
	if (end_of)
		snprintf(hint, sizeof(hint),
			"; the instruction that %s it accesses the end of '%s' before it, too: perhaps it goes beyond that end",
			overruns, end_of->name);
	diag_warn(stmt_place(o->func, o->stmt),
		"race: %s writes byte %llu of '%s', which %s in the same launch%s (expected %s) (%s%s)", by,
		(unsigned long long)(addr - (b ? b->addr : 0)), b ? b->name : "memory", too, hint,
		expected_order(g->code), kernel, line);
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
		marks_return(
			g->mem, MARKS_OF_LINES, r->words, r->base + r->blocks, r->line_marks, r->n_arrays);
	for (unsigned i = 0; i < RACE_LOCKS; i++)
		pthread_mutex_destroy(&r->lock[i]);
	free(r);
	g->race = NULL;
}
