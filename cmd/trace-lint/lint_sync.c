/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks barriers in traces of version 6: numbers and threads of BAR, arrivals and bytes of mbarriers, masks
 * of multicasts.
 *
 * Always true: an mbarrier is identified by its offset in shared memory. Its arrivals and bytes are summed
 * over all thread blocks of a kernel, because blocks of a cluster arrive at each other's mbarriers. The sums
 * are checked only if the trace has the whole kernel.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "bits.h"
#include "lint.h"
#include "table.h"
#include "uop.h"

#define BARRIERS_MAX (1u << 16) /* maximum number of mbarriers checked per kernel */
#define BAR_NUMBERS  16u

/* ---- BAR ---------------------------------------------------------------------------------- */

static void check_bar_operands(
	struct lint *l, const struct tblock *tb, const struct rec *r, const struct trace_line *line)
{
	const struct inst *i = code_at(l->code, r->inst);
	uint64_t number = i->n_dst ? 0 : i->imm, threads = i->n_src ? 0 : i->n_dst ? i->imm : i->imm2;
	uint32_t v;

	if (i->n_dst && rec_value(tb, r, i, 0, 0, &v))
		number = v;
	if (i->n_src && rec_value(tb, r, i, i->n_dst, 0, &v))
		threads = v;
	if (number >= BAR_NUMBERS) {
		if (lint_is_first_finding(l, r->inst, RULE_BARRIER_OPERANDS))
			report_at(l->rep, RULE_BARRIER_OPERANDS, lint_place(l, line, COLUMN_OPCODE),
				"barrier %llu (expected a number below %u)", (unsigned long long)number,
				BAR_NUMBERS);
	} else if (threads % 32 || threads > (kernel_threads(l->head) + 31) / 32 * 32) {
		if (lint_is_first_finding(l, r->inst, RULE_BARRIER_THREADS))
			report_at(l->rep, RULE_BARRIER_THREADS, lint_place(l, line, COLUMN_OPCODE),
				"barrier %llu of %llu threads (expected a multiple of 32 up to the %u of the block)",
				(unsigned long long)number, (unsigned long long)threads,
				kernel_threads(l->head));
	}
}

/* ---- mbarriers ---------------------------------------------------------------------------- */

/* Sums of an mbarrier over all thread blocks of a kernel. */
struct lint_mbarrier {
	uint32_t offset;
	bool arrived, waited;
	uint64_t expected;         /* number of bytes expected */
	uint64_t completed;        /* number of bytes that arrive */
	struct place first_wait;   /* place of the first line that waits */
	struct place first_expect; /* place of the first line that expects bytes */
};

struct lint_sync {
	struct lint_mbarrier *mbarrier;
	uint32_t n_mbarriers, cap_mbarriers;
	struct table table;     /* indices of the mbarriers by offset */
	uint32_t last;          /* index of the mbarrier found last */
	bool damaged;           /* true if lines are missing or there are too many mbarriers */
	bool unknown;           /* true if a value is missing in the trace */
	uint32_t max_rank;      /* highest rank of a thread block */
	bool has_ranks;         /* true if thread blocks have ranks */
	uint16_t largest_mask;  /* largest mask of a multicast */
	struct place multicast; /* line of that multicast */
};

void lint_sync_kernel(struct lint *l)
{
	struct lint_sync *y = l->sync ? l->sync : (l->sync = xcalloc(1, sizeof(*y)));

	table_clear(&y->table);
	*y = (struct lint_sync){
		.mbarrier = y->mbarrier, .cap_mbarriers = y->cap_mbarriers, .table = y->table};
}

void lint_sync_note_lost_lines(struct lint *l)
{
	if (l->sync)
		l->sync->damaged = true;
}

void lint_sync_free(struct lint *l)
{
	if (!l->sync)
		return;
	table_free(&l->sync->table);
	free(l->sync->mbarrier);
	free(l->sync);
}

static struct lint_mbarrier *lint_mbarrier_at(struct lint_sync *y, uint64_t address)
{
	uint32_t offset = (uint32_t)address & SHARED_OFFSET_MASK;
	uint64_t hash = table_hash(&offset, sizeof(offset));

	if (y->last < y->n_mbarriers && y->mbarrier[y->last].offset == offset)
		return &y->mbarrier[y->last];
	FOR_TABLE (w, &y->table, hash)
		if (y->mbarrier[w.number].offset == offset)
			return &y->mbarrier[y->last = w.number];
	if (y->n_mbarriers == BARRIERS_MAX) {
		y->damaged = true;
		return &y->mbarrier[y->last = 0];
	}
	grow(&y->mbarrier, &y->cap_mbarriers, y->n_mbarriers + 1, sizeof(*y->mbarrier));
	table_add(&y->table, hash, y->n_mbarriers);
	y->mbarrier[y->n_mbarriers] = (struct lint_mbarrier){.offset = offset};
	return &y->mbarrier[y->last = y->n_mbarriers++];
}

static void add_mbarrier_bytes(struct lint_mbarrier *b, uint32_t effects, uint32_t v)
{
	b->arrived |=
		(effects & (SYNC_ARRIVES | SYNC_ARRIVES_VALUE | SYNC_COMPLETES | SYNC_COMPLETES_VALUE)) != 0;
	b->expected += effects & SYNC_EXPECTS ? 1 : effects & SYNC_EXPECTS_VALUE ? v : 0;
	b->completed += effects & SYNC_COMPLETES ? 1 : effects & SYNC_COMPLETES_VALUE ? v : 0;
}

/*
 * Returns true if a wait is for the phase before the first one. It needs no arrival: producers begin in this way. v:
 * value of the last register, whose highest bit is the phase.
 */
static bool is_for_phase_before_first(bool known, uint32_t v) { return known && v >> 31; }

static void add_mbarrier_effects(struct lint *l, const struct tblock *tb, const struct rec *r,
	const struct uop *u, const struct trace_line *line)
{
	const struct inst *i = code_at(l->code, r->inst);
	unsigned values = rec_values(tb, r, i);
	uint64_t lane[32];

	rec_addresses(tb, r, lane);
	FOR_BITS32 (k, r->mask) {
		struct lint_mbarrier *b = lint_mbarrier_at(l->sync, lane[k]);
		uint32_t v = 0;
		bool known = values && rec_value(tb, r, i, values - 1, k, &v);

		if (u->sync == SYNC_WAIT && !b->waited && !is_for_phase_before_first(known, v)) {
			b->waited = true;
			b->first_wait = lint_place(l, line, COLUMN_OPCODE);
		}
		if (u->sync != SYNC_ARRIVE && u->sync != SYNC_COPIES)
			continue;
		if (u->groups & (SYNC_EXPECTS_VALUE | SYNC_COMPLETES_VALUE))
			l->sync->unknown |= !known;
		if (!b->expected && u->groups & (SYNC_EXPECTS | SYNC_EXPECTS_VALUE))
			b->first_expect = lint_place(l, line, COLUMN_OPCODE);
		add_mbarrier_bytes(b, u->groups, v);
	}
}

static void add_bulk_copy(
	struct lint *l, const struct tblock *tb, const struct rec *r, const struct trace_line *line)
{
	struct lint_sync *y = l->sync;
	struct bulk_copy c;

	if (!r->mask || !rec_copy(tb, r, code_at(l->code, r->inst), &c))
		return;
	if (c.multicast && c.mask > y->largest_mask) {
		y->largest_mask = c.mask;
		y->multicast = lint_place(l, line, COLUMN_OPCODE);
	}
	if (!c.mbarrier)
		return;
	struct lint_mbarrier *b = lint_mbarrier_at(y, c.mbarrier);
	b->arrived = true;
	b->completed += c.bytes * (c.multicast ? bit_count32(c.mask) : 1);
}

/* Adds the bytes of a STAS or REDAS. The upper half of its address is the address of the mbarrier. */
static void add_async_stores(struct lint *l, const struct tblock *tb, const struct rec *r)
{
	uint64_t lane[32];

	rec_addresses(tb, r, lane);
	FOR_BITS32 (k, r->mask) {
		struct lint_mbarrier *b = lint_mbarrier_at(l->sync, lane[k] >> 32);

		b->arrived = true;
		b->completed += code_at(l->code, r->inst)->size;
	}
}

void lint_sync(struct lint *l, const struct tblock *tb, const struct rec *r, const struct trace_line *line)
{
	const struct inst *i = code_at(l->code, r->inst);
	struct uop u = {0};
	struct fault ignored;

	l->sync->has_ranks |= tb->cluster.is_known;
	if (tb->cluster.rank > l->sync->max_rank)
		l->sync->max_rank = tb->cluster.rank;
	if (i->kind == KIND_BAR) {
		if (i->two_imms)
			check_bar_operands(l, tb, r, line);
		return;
	}
	if (uop_sync_attributes(&u, i, &ignored) < 0)
		return;
	if (u.sync == SYNC_BULK || u.sync == SYNC_BULK_STORE)
		add_bulk_copy(l, tb, r, line);
	else if (u.sync == SYNC_STORE)
		add_async_stores(l, tb, r);
	else if (u.sync != SYNC_NONE && u.sync <= SYNC_COPIES)
		add_mbarrier_effects(l, tb, r, &u, line);
}

/* ---- end of a kernel -------------------------------------------------------------------------- */

static void check_multicast(struct lint *l)
{
	const struct lint_sync *y = l->sync;

	if (y->has_ranks && y->max_rank < MAX_RANKS && y->largest_mask >> y->max_rank >> 1)
		report_at(l->rep, RULE_MULTICAST, y->multicast,
			"multicast to the blocks %04x of a cluster (expected ranks up to %u)",
			y->largest_mask, y->max_rank);
}

void lint_sync_end(struct lint *l)
{
	struct lint_sync *y = l->sync;

	check_multicast(l);
	if (y->damaged || l->head->is_slice)
		return;
	for (uint32_t i = 0; i < y->n_mbarriers; i++) {
		const struct lint_mbarrier *b = &y->mbarrier[i];

		if (b->waited && !b->arrived)
			report_at(l->rep, RULE_MBARRIER_ARRIVALS, b->first_wait,
				"wait for the mbarrier at offset 0x%x of shared memory, on which nothing arrives",
				b->offset);
		else if (!y->unknown && b->expected && b->expected != b->completed)
			report_at(l->rep, RULE_MBARRIER_BYTES, b->first_expect,
				"%llu bytes are expected on the mbarrier at offset 0x%x, but %llu arrive",
				(unsigned long long)b->expected, b->offset, (unsigned long long)b->completed);
	}
}
