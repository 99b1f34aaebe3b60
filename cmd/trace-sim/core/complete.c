/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ends of operations of variable latency, in the memory pipeline and in other units: the release of sources, results,
 * counters and waiting warps.
 *
 * Always true: sources are released before results.
 */
#include "core/core.h"
#include "sm/pipeline.h"

/* Releases the sources of operation h. An instruction that overwrites them may issue in this cycle. */
void core_complete_sources(struct sm *s, uint16_t h)
{
	struct core *c = s->modern;
	const struct winst *w = &s->winst[h];
	struct core_op *op = &c->op[h];

	if (!op->counts_readers)
		return;
	op->counts_readers = false;
	if (op->read_counter)
		core_decrement_counter(s, w->warp, op->read_counter - 1u);
	else
		core_release_sources(s, w->warp, &c->inst[w->code]);
	core_reschedule_waiting(s, w->warp);
}

static __attribute__((cold)) NOINLINE void log_completion(struct sm *s, uint16_t h)
{
	const struct winst *w = &s->winst[h];
	const struct core_inst *in = &s->modern->inst[w->code];

	if (in->unit == CORE_MEMORY)
		events_log_memdone(s->events, s->now, s->id, w->warp, in->pc);
	else
		events_log_writeback(s->events, s->now, s->id, w->warp, in->pc);
	if (s->pipeline)
		core_pipeline_complete(s, h);
}

void core_complete_operation(struct sm *s, uint16_t h)
{
	struct core *c = s->modern;
	const struct winst *w = &s->winst[h];
	const struct core_inst *in = &c->inst[w->code];
	unsigned warp = w->warp;

	core_complete_sources(s, h);
	sm_count_completed_inst(s, w->code, w->mask);
	if (c->op[h].write_counter)
		core_add_event(s, s->clock + c->params->sb_release, EVENT_COUNTER, warp,
			c->op[h].write_counter - 1u);
	if (!c->warp[warp].control)
		core_release_results(s, warp, in);
	if (in->unit == CORE_MEMORY) {
		if (c->prt_used-- >= c->params->prt)
			c->mem_due = sm_min_clock(c->mem_due, s->clock + 1);
	}
	if (s->events)
		log_completion(s, h);
	s->warp[warp].insts_in_pipe--;
	if (in->flags & INST_LDGSTS)
		core_ldgsts_done(s, warp, c->op[h].group);
	else if (in->flags & INST_GMMA)
		core_gmma_product_done(s, warp);
	else if (w->space == SPACE_SHARED && w->uop->flags & UOP_STORE)
		core_sync_store_done(s, warp);
	sm_winst_free(s, h);
	core_reschedule_waiting(s, warp);
	core_sync_access_done(s, warp);
	core_warp_check_end(s, warp);
}
