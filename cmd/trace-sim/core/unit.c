/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Units of a sub-core. A unit is the time from which on it takes another instruction. A unit with a queue takes
 * another one while its queue has a free entry. Instructions that end with an event (special functions, the
 * shared double-precision unit, S2R and the like) start in order, one every interval. Memory instructions
 * continue in memory.c.
 *
 * Always true: unit_free_at is the time at which the next instruction may issue to the unit, NEVER if an event
 * decides.
 */
#include "core/core.h"

#define QUEUE_PLACES 3u /* queue entries before units with events, including the instruction that starts */

/*
 * Queues an instruction: it starts after the ones before it, and the unit takes another as soon as an entry is
 * free. Returns the start.
 */
static uint64_t queue_for_unit(uint64_t *free_at, uint64_t *open_at, uint64_t t, uint32_t interval)
{
	uint64_t start = t > *free_at ? t : *free_at, all = (QUEUE_PLACES - 1) * (uint64_t)interval;

	*free_at = start + interval;
	*open_at = *free_at > t + 1 + all ? *free_at - all : t + 1;
	return start;
}

/* Schedules the event of a result, and before it the read of the sources after the instruction has started. */
static void end_with_event(struct sm *s, uint16_t h, uint64_t start, uint64_t end)
{
	if (s->modern->op[h].readers && !s->modern->op[h].keeps_sources)
		core_event_put(s, start + 2, EVENT_READ, h, 0);
	core_event_put(s, end > start + 2 ? end : start + 2, EVENT_DONE, h, 0);
}

static void take_fixed_latency(
	const struct modern_params *m, struct subcore *b, const struct core_inst *in, uint64_t t)
{
	switch ((enum core_unit)in->unit) {
	case CORE_NO_UNIT: return;
	case CORE_FP32:
		if (m->fp32_on_int && b->unit_free_at[CORE_INT] <= t) {
			b->unit_free_at[CORE_INT] = t + m->interval[CORE_INT];
			return;
		}
		/* fall through */
	case CORE_IMAD: b->unit_free_at[CORE_FP32] = b->unit_free_at[CORE_IMAD] = t + in->interval; return;
	default: b->unit_free_at[in->unit] = t + in->interval;
	}
}

void core_unit_take(struct sm *s, struct subcore *b, const struct core_inst *in, uint16_t h, uint64_t t)
{
	struct core *c = s->modern;
	uint64_t start;

	switch ((enum core_unit)in->unit) {
	case CORE_SFU:
		start = queue_for_unit(&b->sfu_free, &b->unit_free_at[CORE_SFU], t, in->interval);
		end_with_event(s, h, start, start + c->p->sfu_latency);
		return;
	case CORE_FP64_SHARED:
		start = queue_for_unit(&c->fp64_free, &b->unit_free_at[CORE_FP64_SHARED], t, in->interval);
		end_with_event(s, h, start, start + c->p->fp64_latency);
		return;
	case CORE_MISC:
		start = queue_for_unit(&b->misc_free, &b->unit_free_at[CORE_MISC], t, in->interval);
		end_with_event(s, h, start, in->flags & INST_BARRIER ? start + 1 : start + c->p->s2r_latency);
		return;
	case CORE_WARPGROUP: core_warpgroup_take(s, s->winst[h].warp, in, h, t); return;
	case CORE_MEMORY: core_memory_take(s, b, in, h, t); return;
	default: take_fixed_latency(c->p, b, in, t);
	}
	if (h) /* DMMA and the like: they occupy the unit, and their results are events */
		end_with_event(s, h, t, t + in->done + in->interval);
}
