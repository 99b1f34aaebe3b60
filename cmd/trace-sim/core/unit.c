/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Units of a sub-core. The state of a unit is the time from which it accepts another instruction. A unit with a queue
 * accepts instructions while its queue has a free entry. Instructions that end with an event (special functions, the
 * shared double-precision unit, S2R and similar ones) start in order, one per interval. Memory instructions continue
 * in memory.c.
 *
 * Always true: unit_free_at is the time at which the next instruction may issue to the unit; NEVER: an event decides.
 */
#include "core/core.h"

#define UNIT_QUEUE_ENTRIES 3u /* queue entries of a unit, including the instruction that starts */

/*
 * Queues an instruction issued at t. *free_at is the time from which another instruction can start; *open_at is set to
 * the time at which the queue has a free entry. Returns the time at which the instruction starts.
 */
static uint64_t queue_for_unit(uint64_t *free_at, uint64_t *open_at, uint64_t t, uint32_t interval)
{
	uint64_t start = t > *free_at ? t : *free_at, all = (UNIT_QUEUE_ENTRIES - 1) * (uint64_t)interval;

	*free_at = start + interval;
	*open_at = *free_at > t + 1 + all ? *free_at - all : t + 1;
	return start;
}

/* Schedules the end of an operation and, if its sources are counted as being read, the read after its start. */
static void schedule_end_event(struct sm *s, uint16_t h, uint64_t start, uint64_t end)
{
	if (s->modern->op[h].counts_readers && !s->modern->op[h].reads_until_end)
		core_add_event(s, start + 2, EVENT_READ, h, 0);
	core_add_event(s, end > start + 2 ? end : start + 2, EVENT_DONE, h, 0);
}

static void occupy_fixed_latency_unit(
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

void core_unit_accept(struct sm *s, struct subcore *b, const struct core_inst *in, uint16_t h, uint64_t t)
{
	struct core *c = s->modern;
	uint64_t start;

	switch ((enum core_unit)in->unit) {
	case CORE_SFU:
		start = queue_for_unit(&b->sfu_free_at, &b->unit_free_at[CORE_SFU], t, in->interval);
		schedule_end_event(s, h, start, start + c->params->sfu_latency);
		return;
	case CORE_FP64_SHARED:
		start = queue_for_unit(&c->fp64_free, &b->unit_free_at[CORE_FP64_SHARED], t, in->interval);
		schedule_end_event(s, h, start, start + c->params->fp64_latency);
		return;
	case CORE_MISC:
		start = queue_for_unit(&b->misc_free_at, &b->unit_free_at[CORE_MISC], t, in->interval);
		schedule_end_event(
			s, h, start, in->flags & INST_BARRIER ? start + 1 : start + c->params->s2r_latency);
		return;
	case CORE_WARPGROUP: core_warpgroup_join(s, s->winst[h].warp, in, h, t); return;
	case CORE_MEMORY: core_memory_enqueue(s, b, in, h, t); return;
	default: occupy_fixed_latency_unit(c->params, b, in, t);
	}
	if (h) /* DMMA and LDCU occupy their unit like the instructions above, but end with an event */
		schedule_end_event(s, h, t, t + in->pipeline_cycles + in->interval);
}
