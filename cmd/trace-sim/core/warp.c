/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Warps in their sub-cores: ranks, masks of states, the wheel of warps that wait for a time, and the start and end of
 * warps.
 *
 * Always true: a warp with an instruction in its buffer is in has_head, and it is ready, in one slot of the wheel, or
 * waiting (core_warp.waits_for_event). A rank belongs to one warp at a time, and a younger warp has a higher rank.
 * When all ranks are used, the live warps get the lowest ranks, in the same order.
 */
#include "core/core.h"
#include "sm/kernel.h"

static uint64_t rank_bit(const struct core_warp *cw) { return 1ull << cw->rank; }

/* ---- states ------------------------------------------------------------------------------------- */

/* Removes the warp from the masks of its state; it must not be in the wheel. Its head, if any, does not change. */
static inline void remove_from_state_masks(struct subcore *b, struct core_warp *cw)
{
	uint64_t bit = rank_bit(cw);

	b->ready_warps &= ~bit;
	b->by_stall[cw->stall] &= ~bit;
	cw->waits_for_event = false;
}

static void set_warp_head(struct subcore *b, struct core_warp *cw, const struct core_inst *in)
{
	uint64_t bit = rank_bit(cw);

	cw->head = in;
	if (b->has_head & bit) {
		if (cw->unit == in->unit)
			return;
		b->by_unit[cw->unit] &= ~bit;
	}
	b->has_head |= bit;
	b->by_unit[in->unit] |= bit;
	cw->unit = in->unit;
}

void core_warp_remove_head(struct sm *s, unsigned w, unsigned why)
{
	struct core_warp *cw = core_warp_of(s, w);
	struct subcore *b = &s->modern->sub[cw->sub];

	remove_from_state_masks(b, cw);
	b->has_head &= ~rank_bit(cw);
	b->by_unit[cw->unit] &= ~rank_bit(cw);
	cw->stall = (uint8_t)why;
	b->by_stall[why] |= rank_bit(cw);
}

void core_warp_wait(struct sm *s, struct core_warp *cw, const struct core_inst *head, unsigned why)
{
	struct subcore *b = &s->modern->sub[cw->sub];

	remove_from_state_masks(b, cw);
	set_warp_head(b, cw, head);
	cw->waits_for_event = true;
	cw->stall = (uint8_t)why;
	b->by_stall[why] |= rank_bit(cw);
}

/*
 * Puts a warp into the wheel. If its time is WHEEL or more cycles ahead, the warp is put into the last slot, and
 * reinserted when that slot is due. Returns the time of its slot.
 */
static uint64_t put_into_wheel(const struct sm *s, struct subcore *b, struct core_warp *cw)
{
	uint64_t at = cw->ready_at, reach = at < s->clock + WHEEL ? at : s->clock + WHEEL - 1;

	cw->slot = (uint8_t)(reach % WHEEL);
	b->wheel[cw->slot] |= rank_bit(cw);
	b->beyond_wheel |= reach < at ? rank_bit(cw) : 0;
	b->wheel_used |= 1ull << cw->slot;
	return reach;
}

void core_warp_schedule(
	struct sm *s, struct core_warp *cw, const struct core_inst *head, uint64_t at, unsigned why)
{
	struct subcore *b = &s->modern->sub[cw->sub];
	uint64_t bit = rank_bit(cw);

	remove_from_state_masks(b, cw);
	set_warp_head(b, cw, head);
	cw->ready_at = at;
	cw->stall = (uint8_t)why;
	b->by_stall[why] |= bit;
	if (at <= s->clock) {
		b->ready_warps |= bit;
		core_wake_subcore_at(s->modern, cw->sub, s->clock);
	} else {
		core_wake_subcore_at(s->modern, cw->sub, put_into_wheel(s, b, cw));
	}
}

/* Makes the due warps of a slot ready, and puts the others into the wheel again. */
static void empty_wheel_slot(struct sm *s, struct subcore *b, unsigned slot)
{
	uint64_t set = b->wheel[slot], far = set & b->beyond_wheel;

	b->wheel[slot] = 0;
	b->wheel_used &= ~(1ull << slot);
	b->beyond_wheel &= ~far;
	b->ready_warps |= set & ~far;
	FOR_BITS64 (rank, far)
		put_into_wheel(s, b, core_warp_of(s, b->warp_of[rank]));
}

void core_wheel_advance(struct sm *s, struct subcore *b)
{
	unsigned now = (unsigned)(s->clock % WHEEL);

	if (b->wheel_used >> now & 1)
		empty_wheel_slot(s, b, now);
}

uint64_t core_wheel_next_time(const struct sm *s, const struct subcore *b)
{
	unsigned from = (unsigned)((s->clock + 1) % WHEEL);
	uint64_t m = b->wheel_used;

	if (!m)
		return NEVER;
	m = m >> from | m << (-from % WHEEL);
	return s->clock + 1 + bit_lowest64(m);
}

/* ---- ranks -------------------------------------------------------------------------------------- */

static uint64_t gather_mask_bits(uint64_t mask, uint64_t keep)
{
	uint64_t out = 0;
	unsigned n = 0;

	FOR_BITS64 (i, keep)
		out |= (mask >> i & 1) << n++;
	return out;
}

/* Gives the live warps the lowest ranks, in the same order. */
static void compact_ranks(struct sm *s, struct subcore *b)
{
	uint64_t keep = b->ranked;
	unsigned n = 0;

	b->ready_warps = gather_mask_bits(b->ready_warps, keep);
	b->needs_fetch = gather_mask_bits(b->needs_fetch, keep);
	b->has_head = gather_mask_bits(b->has_head, keep);
	b->beyond_wheel = gather_mask_bits(b->beyond_wheel, keep);
	for (unsigned i = 0; i < N_CORE_UNITS; i++)
		b->by_unit[i] = gather_mask_bits(b->by_unit[i], keep);
	for (unsigned i = 0; i < N_CORE_STALLS; i++)
		b->by_stall[i] = gather_mask_bits(b->by_stall[i], keep);
	FOR_BITS64 (i, b->wheel_used)
		b->wheel[i] = gather_mask_bits(b->wheel[i], keep);
	FOR_BITS64 (i, b->missing_slots)
		b->missing_warps[i] = gather_mask_bits(b->missing_warps[i], keep);
	if (b->greedy >= 0)
		b->greedy =
			(int8_t)(keep >> b->greedy & 1 ? (int)bit_count64(keep & ((1ull << b->greedy) - 1))
						       : -1);
	FOR_BITS64 (i, keep) {
		b->warp_of[n] = b->warp_of[i];
		core_warp_of(s, b->warp_of[n])->rank = (uint8_t)n;
		n++;
	}
	b->ranks = (uint8_t)n;
	b->ranked = n == RANKS ? UINT64_MAX : (1ull << n) - 1;
}

void core_warp_place(struct sm *s, unsigned w, const struct kernel *k)
{
	struct core *c = s->modern;
	struct core_warp *cw = core_warp_of(s, w);
	struct subcore *b = &c->sub[w % c->subs];

	if (b->ranks == RANKS)
		compact_ranks(s, b);
	assert(b->ranks < RANKS);
	cw->sub = (uint8_t)(w % c->subs);
	cw->rank = b->ranks++;
	b->warp_of[cw->rank] = (uint8_t)w;
	b->ranked |= rank_bit(cw);
	cw->next_issue = cw->last_result_at = cw->hold_from = cw->hold_until = cw->local_insts_until = 0;
	cw->line = NEVER;
	cw->code_base = k->code_base;
	cw->held_by = NULL;
	cw->fetched = 0;
	cw->last_mask = UINT32_MAX;
	cw->predicate_class = SASS_NONE;
	cw->waits_for_event = cw->retest_at_issue = cw->reaping = cw->started = false;
	cw->codes = k->codes;
	cw->n_codes = k->n_codes;
	cw->control = k->codes && c->params->dependence != DEPEND_SCOREBOARD;
	cw->may_wait_for_reads =
		(cw->control ? c->params->rf_read_control : c->params->rf_read_trace) == RF_LATE;
	cw->next_stall = STALL_PORT;
	s->drained &= ~(1ull << w);
	cw->stall = STALL_FETCH;
	b->by_stall[STALL_FETCH] |= rank_bit(cw);
	cw->unit = CORE_NO_UNIT;
	cw->depbar_steps = 0;
	cw->shared_stores = cw->unsent_stores = 0;
	cw->shared_fence = false;
	cw->registers = core_round_registers(k->head->nregs);
	s->maxreg_wait &= ~(1ull << w);
	cw->previous_issue_at = 0;
	gmma_reset(&s->warp[w].gmma);
	s->gmma_wait &= ~(1ull << w);
	cw->first_group = cw->group = cw->fence_until = 0;
	memset(cw->counter, 0, sizeof(cw->counter));
	memset(cw->raised, 0, sizeof(cw->raised));
	memset(cw->group_left, 0, sizeof(cw->group_left));
}

/* ---- start and end ------------------------------------------------------------------------------ */

void core_warp_start(struct sm *s, unsigned w)
{
	struct core_warp *cw = core_warp_of(s, w);

	if (!s->warp[w].n_recs) {
		core_warp_check_end(s, w);
		return;
	}
	cw->started = true;
	cw->next_fetch = core_inst_at(s, &s->warp[w], 0);
	core_fetch_request_next(s, w);
}

/* Ends the warp after its last record. The record has issued at t. */
void core_warp_end(struct sm *s, unsigned w, uint64_t t)
{
	s->done |= 1ull << w;
	core_warp_remove_head(s, w, STALL_EMPTY);
	core_sync_warp_exit(s, w, t);
	core_warp_check_end(s, w);
}

void core_warp_check_end(struct sm *s, unsigned w)
{
	struct core_warp *cw = core_warp_of(s, w);
	const struct warp *p = &s->warp[w];

	if (!(s->done >> w & 1) || cw->reaping || p->insts_in_pipe || p->copies || cw->unsent_stores)
		return;
	/* stores to the shared memory of other blocks need these blocks */
	if (p->stores && s->cta[p->cta].gang)
		return;
	cw->reaping = true;
	core_add_event(s, cw->last_result_at, EVENT_REAP, w, 0);
}

void core_warp_write_sent(struct sm *s, const struct req *r)
{
	struct core_warp *cw;

	if (!(r->flags & REQ_WRITE) || r->flags & REQ_BLANK || r->type == L1_WRBK_ACC)
		return;
	cw = core_warp_of(s, r->warp);
	assert(cw->unsent_stores);
	if (!--cw->unsent_stores)
		core_warp_check_end(s, r->warp);
}

void core_warp_reap(struct sm *s, unsigned w)
{
	struct core_warp *cw = core_warp_of(s, w);
	struct subcore *b = &s->modern->sub[cw->sub];
	struct warp *p = &s->warp[w];
	struct cta *t = &s->cta[p->cta];

	cw->started = false;
	b->by_stall[cw->stall] &= ~rank_bit(cw);
	b->ranked &= ~rank_bit(cw);
	if (b->greedy == (int8_t)cw->rank)
		b->greedy = -1;
	if (!b->ranked)
		b->ranks = 0;
	s->live &= ~(1ull << w);
	s->live_warps--;
	s->live_threads -= p->lanes;
	t->live_threads -= p->lanes;
	if (t->live_threads)
		return;
	s->n.ctas_completed++;
	s->live_ctas--;
	s->ended[s->n_ended++] = p->cta;
}
