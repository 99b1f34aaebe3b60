/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Races on global memory: a word of a buffer or a static variable that one thread block writes and another
 * reads or writes in the same launch, or one warp of a block and another without a barrier, fence or atomic
 * of the block between; neither by an atomic. Kernels with fences, volatile or ordered accesses, by which blocks
 * may communicate, are left out.
 *
 * Such races are often intended (many threads store the same flag), so they are warnings, one of each kind for
 * each kernel. Always true: the race of blocks that is reported is the one on the lowest byte, whatever thread
 * executed which block, because marks are maxima over blocks, and the second of two blocks that race always
 * sees the first. The race of warps that is reported is the first one of the lowest block that has one. Lanes
 * of one warp, which run together, are not compared.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exec/check.h"
#include "inlining.h"
#include "sass/sass.h"

/*
 * A key is the block's number + 1 (31 bits), the instruction (32), and whether other blocks made the access,
 * too.
 */
struct mark {
	atomic_uint_fast64_t writer, reader;
};

struct race {
	struct mark *word;           /* marks of accesses to whole words; NULL: the launch has one block */
	struct mark *_Atomic byte;   /* marks of accesses to parts of words; NULL: none yet */
	uint64_t heap;               /* number of words of buffers */
	uint64_t words;              /* number of words of buffers and of static variables, which follow */
	atomic_uint_fast64_t lowest; /* lowest byte with a race; UINT64_MAX: none */
};

#define BLOCK_BITS 31
enum { OTHERS = 1 };

static uint64_t mark_block(uint64_t key) { return key >> 33; }
static uint32_t mark_inst(uint64_t key) { return (uint32_t)(key >> 1); }

void race_start(struct grid *g)
{
	const struct launch *l = g->l;
	uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];

	g->race = NULL;
	if (!g->opt->check || g->order & ORDER_FENCE || (blocks < 2 && g->warps < 2) || blocks >> BLOCK_BITS)
		return;
	g->race = xcalloc(1, sizeof(*g->race));
	g->race->heap = g->mem->heap_bytes / 4;
	g->race->words = g->race->heap + g->mem->static_bytes / 4 + 1;
	if (blocks > 1)
		g->race->word = reserve(g->race->words, sizeof(struct mark));
	atomic_store(&g->race->lowest, UINT64_MAX);
}

static void set_mark(atomic_uint_fast64_t *at, uint64_t key)
{
	uint64_t old = atomic_load(at), v;

	do {
		if (mark_block(old) == mark_block(key))
			return;
		v = (old > key ? old : key) | (old ? OTHERS : 0);
		if (v == old)
			return;
	} while (!atomic_compare_exchange_weak(at, &old, v));
}

static bool marks_race(uint64_t writer, uint64_t reader)
{
	return writer &&
	       (writer & OTHERS || (reader && (reader & OTHERS || mark_block(reader) != mark_block(writer))));
}

/* Returns the number of the word of global memory; UINT64_MAX: `at` is elsewhere. */
static uint64_t global_word(const struct warp *w, const uint8_t *at)
{
	const struct race *r = w->g->race;
	uint64_t heap = (uintptr_t)at - (uintptr_t)w->mem->heap,
		 fixed = (uintptr_t)at - (uintptr_t)w->mem->statics;

	if (heap / 4 < r->heap)
		return heap / 4;
	return fixed < w->mem->static_bytes ? r->heap + fixed / 4 : UINT64_MAX;
}

static uint64_t byte_address(const struct race *r, uint64_t byte)
{
	return byte < 4 * r->heap ? HEAP_BASE + byte : byte - 4 * r->heap;
}

/* Returns the mark of two sets of accesses. */
static uint64_t join_marks(uint64_t a, uint64_t b)
{
	uint64_t others = ((a | b) & OTHERS) || (a && b && mark_block(a) != mark_block(b)) ? OTHERS : 0;

	return (a > b ? a : b) | others;
}

/* Return the marks of a byte: accesses to its word and to the byte. */
static uint64_t byte_writer(struct race *r, const struct mark *bytes, uint64_t byte)
{
	return join_marks(
		atomic_load(&r->word[byte / 4].writer), bytes ? atomic_load(&bytes[byte].writer) : 0);
}

static uint64_t byte_reader(struct race *r, const struct mark *bytes, uint64_t byte)
{
	return join_marks(
		atomic_load(&r->word[byte / 4].reader), bytes ? atomic_load(&bytes[byte].reader) : 0);
}

/* Notes a race of blocks for the byte if there is one. */
static bool judge_byte(struct race *r, const struct mark *bytes, uint64_t byte)
{
	uint64_t low = atomic_load(&r->lowest);

	if (!marks_race(byte_writer(r, bytes, byte), byte_reader(r, bytes, byte)))
		return false;
	while (byte < low && !atomic_compare_exchange_weak(&r->lowest, &low, byte))
		;
	return true;
}

/* Marks an access; false: the block is marked already, so a race was seen then or by the other block. */
static bool set_access_mark(struct mark *k, uint64_t key, bool write)
{
	atomic_uint_fast64_t *at = write ? &k->writer : &k->reader;

	if (mark_block(atomic_load_explicit(at, memory_order_relaxed)) == mark_block(key))
		return false;
	set_mark(at, key);
	return true;
}

static void mark_word(struct race *r, uint64_t key, uint64_t n, bool write)
{
	if (!set_access_mark(&r->word[n], key, write))
		return;
	const struct mark *bytes = atomic_load(&r->byte);
	for (unsigned i = 0; i < (bytes ? 4 : 1) && !judge_byte(r, bytes, 4 * n + i); i++)
		;
}

static NOINLINE struct mark *byte_marks(struct grid *g)
{
	struct mark *bytes;

	pthread_mutex_lock(&g->lock);
	bytes = atomic_load(&g->race->byte);
	if (!bytes) {
		bytes = reserve(4 * g->race->words, sizeof(struct mark));
		atomic_store(&g->race->byte, bytes);
	}
	pthread_mutex_unlock(&g->lock);
	return bytes;
}

static void mark_access_bytes(struct grid *g, uint64_t key, uint64_t from, uint64_t to, bool write)
{
	struct mark *bytes = atomic_load(&g->race->byte);

	bytes = bytes ? bytes : byte_marks(g);
	for (uint64_t byte = from; byte < to; byte++)
		if (set_access_mark(&bytes[byte], key, write))
			judge_byte(g->race, bytes, byte);
}

/* Marks an access of a block to `bytes` bytes of memory from `from` on, counted from the first word. */
static void mark_range(struct grid *g, uint64_t key, uint64_t from, uint64_t bytes, bool write)
{
	uint64_t end = from + bytes, first = (from + 3) / 4, last = end / 4;

	if (end > 4 * g->race->words)
		return;
	if (first > last) {
		mark_access_bytes(g, key, from, end, write);
		return;
	}
	if (from < 4 * first)
		mark_access_bytes(g, key, from, 4 * first, write);
	for (uint64_t n = first; n < last; n++)
		mark_word(g->race, key, n, write);
	if (end > 4 * last)
		mark_access_bytes(g, key, 4 * last, end, write);
}

/* ---- warps of one block ---- */

struct race_step {     /* an access */
	uint16_t warp; /* warp + 1; MANY: several */
	uint32_t inst; /* number of the instruction */
};
enum { MANY = 0xffff };

struct within {
	uint32_t epoch; /* number of barriers, fences and atomics so far, of all blocks that used this struct */
	bool found;
	uint64_t word;                  /* word of the race */
	uint64_t words;                 /* number of words of memory */
	struct race_step first, second; /* accesses of the race, in the order of execution */
	struct race_seen {
		uint32_t epoch; /* epoch in which the marks are valid */
		uint32_t write_inst, read_inst;
		uint16_t writer, reader;
	} * seen;
};

void race_cta(struct cta *c)
{
	const struct race *r = c->g->race;

	if (!r || c->n_warps < 2)
		return;
	if (!c->within) {
		c->within = xcalloc(1, sizeof(*c->within));
		c->within->words = r->words;
		c->within->seen = reserve(r->words, sizeof(*c->within->seen));
	}
	c->within->epoch++;
	c->within->found = false;
}

void race_cta_free(struct cta *c)
{
	if (c->within)
		reserve_free(c->within->seen, c->within->words, sizeof(*c->within->seen));
	free(c->within);
	c->within = NULL;
}

void race_order(struct cta *c)
{
	if (c->within)
		c->within->epoch++;
}

static void note_warp_access(struct within *x, uint32_t inst, uint16_t self, uint64_t n, bool write)
{
	struct race_seen *s = &x->seen[n];

	if (s->epoch != x->epoch)
		*s = (struct race_seen){.epoch = x->epoch};
	bool after_write = s->writer && s->writer != self,
	     after_read = write && s->reader && s->reader != self;
	if ((after_write || after_read) && !x->found) {
		x->found = true;
		x->word = n;
		x->first = after_write ? (struct race_step){s->writer, s->write_inst}
				       : (struct race_step){s->reader, s->read_inst};
		x->second = (struct race_step){self, inst};
	}
	if (write) {
		s->writer = self;
		s->write_inst = inst;
	} else {
		s->reader = !s->reader || s->reader == self ? self : MANY;
		s->read_inst = inst;
	}
}

static const char *access_verb(const struct op *o)
{
	bool bulk = o->in->op == I_cp && strstr(o->in->text, ".global.shared");

	return o->in->op == I_st || bulk ? "writes" : "reads";
}

/* Writes the line of an instruction of PTX, or the position of one of machine code. */
static void position_text(const struct op *o, char *out, size_t cap)
{
	if (o->func->machine)
		snprintf(out, cap, "PC 0x%04x", SASS_BYTES * (unsigned)(o->in - o->func->inst));
	else
		snprintf(out, cap, "line %u", o->in->line);
}

void race_instruction_text(const struct op *o, char *out, size_t cap)
{
	*out = '\0';
	if (o->func->machine)
		o->func->machine->describe(o, out, cap);
}

static void step_text(const struct grid *g, const struct race_step *s, char *out, size_t cap)
{
	const struct op *o = &g->code->op[s->inst];
	char at[24];

	position_text(o, at, sizeof(at));
	if (s->warp == MANY)
		snprintf(out, cap, "several warps read at %s", at);
	else
		snprintf(out, cap, "warp %u %s at %s", s->warp - 1, access_verb(o), at);
}

void race_delivered(struct cta *c)
{
	struct within *x = c->within;
	const struct grid *g = c->g;
	struct func *k = g->code->prog->func[g->kernel];
	char first[80], line[300];

	if (!x || !x->found || k->raced_within)
		return;
	k->raced_within = true;
	const struct op *o = &g->code->op[x->second.inst];
	uint64_t addr = byte_address(g->race, 4 * x->word);
	const struct buffer *b = memory_near(g->mem, addr);
	step_text(g, &x->first, first, sizeof(first));
	race_instruction_text(o, line, sizeof(line));
	diag_warn(stmt_place(o->func, o->in),
		"race: warp %u %s byte %llu of '%s', which %s of CTA (%u,%u,%u) (expected a barrier between them or an atomic) (kernel %s%s)",
		x->second.warp - 1, access_verb(o), (unsigned long long)(addr - (b ? b->addr : 0)),
		b ? b->name : "memory", first, c->id[0], c->id[1], c->id[2], g->l->kernel->name, line);
}

/* ---- accesses and reports ---- */

void race_access(
	struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, uint8_t *const *at, bool write)
{
	struct race *r = w->g->race;
	uint32_t inst = (uint32_t)(o - w->g->code->op);
	uint64_t key = (w->cta->number + 1) << 33 | (uint64_t)inst << 1;
	struct within *x = bytes >= 4 ? w->cta->within : NULL;

	if (check_atomic(o)) {
		race_order(w->cta); /* atomics may synchronize threads */
		return;
	}
	if (has(o->in, M_VOLATILE) || has(o->in, M_RELAXED) || has(o->in, M_ACQUIRE) ||
		has(o->in, M_RELEASE)) {
		race_order(w->cta);
		x = NULL;
	}
	FOR_BITS32 (i, m) {
		uint64_t from = global_word(w, at[i]), to = from + (((uintptr_t)at[i] & 3) + bytes + 3) / 4;

		if (from == UINT64_MAX)
			continue;
		if (r->word)
			mark_range(w->cta->g, key, 4 * from + ((uintptr_t)at[i] & 3), bytes, write);
		for (uint64_t n = from; x && n < to && n < r->words; n++)
			note_warp_access(x, inst, (uint16_t)(w->index + 1), n, write);
	}
}

static void block_text(const struct grid *g, uint64_t key, char *out, size_t cap)
{
	uint32_t id[3];

	grid_block(g, mark_block(key) - 1, id);
	snprintf(out, cap, "CTA (%u,%u,%u)", id[0], id[1], id[2]);
}

static void report_race(const struct grid *g, uint64_t byte)
{
	const struct mark *bytes = atomic_load(&g->race->byte);
	uint64_t writer = byte_writer(g->race, bytes, byte), reader = byte_reader(g->race, bytes, byte),
		 addr = byte_address(g->race, byte);
	const struct buffer *b = memory_near(g->mem, addr);
	const struct op *o = &g->code->op[mark_inst(writer)], *other = &g->code->op[mark_inst(reader)];
	char by[60], too[120] = "others write", line[300];

	race_instruction_text(o, line, sizeof(line));
	block_text(g, writer, by, sizeof(by));
	if (!(writer & OTHERS)) {
		char text[60], at[24];

		position_text(other, at, sizeof(at));
		block_text(g, reader, text, sizeof(text));
		snprintf(too, sizeof(too), "%s%s at %s", text,
			mark_block(reader) == mark_block(writer) ? " and others read" : " reads", at);
	}
	diag_warn(stmt_place(o->func, o->in),
		"race: %s writes byte %llu of '%s', which %s in the same launch (expected an atomic or two launches) (kernel %s%s)",
		by, (unsigned long long)(addr - (b ? b->addr : 0)), b ? b->name : "memory", too,
		g->l->kernel->name, line);
}

void race_end(struct grid *g, bool good)
{
	struct race *r = g->race;
	struct func *k = g->code->prog->func[g->kernel];

	if (!r)
		return;
	if (good && !k->raced && atomic_load(&r->lowest) != UINT64_MAX) {
		k->raced = true;
		report_race(g, atomic_load(&r->lowest));
	}
	if (r->word)
		reserve_free(r->word, r->words, sizeof(struct mark));
	if (atomic_load(&r->byte))
		reserve_free(atomic_load(&r->byte), 4 * r->words, sizeof(struct mark));
	free(r);
	g->race = NULL;
}
