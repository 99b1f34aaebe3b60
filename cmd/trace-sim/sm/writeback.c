/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writeback of the results of arithmetic units (SM-wb). Always true: an instruction that a unit takes at clock t, with
 * latency L, is in the calendar at t + L + 2, when EX_WB is drained. Instructions of one clock are in issue order.
 * The result buses limit the width of the stage, so no registers of EX_WB are modelled.
 */
#include "depend.h"
#include "power/counts.h"
#include "sm/pipeline.h"

static inline void count_completed_inst(struct sm *s, const struct uop *u, unsigned lanes)
{
	s->n.warp_insts++;
	s->n.insts += lanes;
	s->n.class_insts[u->class]++;
}

void sm_count_completed_inst(struct sm *s, uint32_t code, uint32_t mask)
{
	count_completed_inst(s, &s->uops[code], mask == UINT32_MAX ? 32 : bit_count32(mask));
}

/*
 * Sets the bit of the warp in s->drained if the warp is drained. The bit is never cleared, because a drained warp has
 * no work.
 */
void warp_update_drained(struct sm *s, unsigned warp)
{
	const struct warp *p = &s->warp[warp];

	if (s->done >> warp & 1 && !(p->stores | p->insts_in_pipe | p->n_reserved | p->copies))
		s->drained |= 1ull << warp;
}

/* Reserves the banks of the destinations. quirk Q2-13: if a bank is busy, the result counts as written nevertheless. */
static void reserve_result_banks(struct sm *s, const struct winst *in)
{
	for (unsigned i = 0; i < in->uop->n_bank_dst; i++)
		if (!collector_reserve_bank(s, in->uop, i, in->warp, in->sched))
			return;
	if (s->power)
		power_count_writes(s->power, in->mask, in->uop->n_bank_dst);
}

static __attribute__((cold)) NOINLINE void log_writeback(struct sm *s, uint16_t w)
{
	const struct winst *in = &s->winst[w];

	events_log_writeback(s->events, s->now, s->id, in->warp, in->uop->pc);
	if (s->pipeline)
		pipeline_note_writeback(s, w);
}

NOINLINE void writeback_stage(struct sm *s)
{
	unsigned at = (unsigned)(s->clock % CALENDAR), reached = (unsigned)((s->clock - 2) % CALENDAR);
	uint64_t stays = ~(1ull << reached % 64);
	uint16_t w = s->calendar[at];

	s->calendar[at] = WINST_NONE;
	bitset_clear(s->calendar_used, at);
	s->calendar_count--;
	s->bus_used[reached] = 0;
	s->changed = true;
	while (w) {
		struct winst *in = &s->winst[w];
		struct warp *p = &s->warp[in->warp];
		uint16_t next = in->next;

		reserve_result_banks(s, in);
		depend_release_all(s, p, in->warp, in->uop);
		count_completed_inst(s, in->uop, in->lanes);
		if (s->events)
			log_writeback(s, w);
		in->unit->occupied[reached / 64] &= stays;
		if (in->uop->flags & UOP_GMMA && in->uop->gmma != GMMA_WAIT && gmma_count_done(s, in->warp))
			s->dep_wait &= ~(1ull << in->warp);
		warp_leaves_pipe(s, p, in->warp);
		sm_winst_free(s, w);
		w = next;
	}
}

uint64_t writeback_next_clock(const struct sm *s)
{
	unsigned from = (unsigned)((s->clock + 1) % CALENDAR);

	if (!s->calendar_count)
		return NEVER;
	return s->clock + 1 + (bitset_next_cyclic(s->calendar_used, CALENDAR / 64, from) - from) % CALENDAR;
}
