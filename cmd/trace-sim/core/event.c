/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The calendar of an SM: events by clock. Always true: events of one cycle run in the order of their insertion.
 * An event that is due EVENT_SLOTS or more cycles ahead is in the last slot, and is inserted again when that slot is
 * due. Nothing is allocated, because queues and warps limit the number of events.
 */
#include "core/core.h"

static void append_event(struct core *c, uint16_t e, unsigned slot)
{
	c->event[e].next_event = 0;
	if (c->slot_first[slot])
		c->event[c->slot_last[slot]].next_event = e;
	else
		c->slot_first[slot] = e;
	c->slot_last[slot] = e;
	bitset_set(c->slot_used, slot);
}

/* Returns the slot for an event at time `due`, which is after `now`; if `due` is too far ahead, the last slot. */
static unsigned event_slot(uint64_t due, uint64_t now)
{
	uint64_t at = due < now + EVENT_SLOTS - 1 ? due : now + EVENT_SLOTS - 1;

	return (unsigned)(at % EVENT_SLOTS);
}

void core_add_event(struct sm *s, uint64_t due, enum event_kind kind, unsigned id, uint64_t operand)
{
	struct core *c = s->modern;
	uint16_t e = c->event_free;

	if (due <= s->clock)
		due = s->clock + 1;
	if (e) {
		c->event_free = c->event[e].next_event;
	} else {
		assert(c->event_made < EVENTS_MAX);
		e = ++c->event_made;
	}
	c->event[e].due_at = due;
	c->event[e].operand = operand;
	c->event[e].id = (uint16_t)id;
	c->event[e].kind = (uint8_t)kind;
	c->n_events++;
	append_event(c, e, event_slot(due, s->clock));
}

static void run_event(struct sm *s, enum event_kind kind, uint16_t id, uint64_t operand)
{
	switch (kind) {
	case EVENT_START: core_warp_start(s, id); break;
	case EVENT_REAP: core_warp_reap(s, id); break;
	case EVENT_LOG: events_log_writeback(s->events, s->now, s->id, id, (uint32_t)operand); break;
	case EVENT_L1I: core_l1i_access(s, id, operand); break;
	case EVENT_FILL: core_l1i_fill(s, (uint32_t)operand); break;
	case EVENT_LINE: core_fetch_line_arrived(s, id, operand); break;
	case EVENT_DATA: core_memory_value_ready(s, id); break;
	case EVENT_DONE: core_complete_operation(s, id); break;
	case EVENT_READ: core_complete_sources(s, id); break;
	case EVENT_COUNTER: core_decrement_counter(s, id, (unsigned)operand); break;
	}
}

void core_run_due_events(struct sm *s)
{
	struct core *c = s->modern;
	unsigned slot = (unsigned)(s->clock % EVENT_SLOTS);
	uint16_t e = c->slot_first[slot];

	if (!e)
		return;
	c->slot_first[slot] = 0;
	bitset_clear(c->slot_used, slot);
	while (e) {
		struct core_event *v = &c->event[e];
		uint16_t next = v->next_event;

		if (v->due_at > s->clock) {
			append_event(c, e, event_slot(v->due_at, s->clock));
		} else {
			v->next_event = c->event_free;
			c->event_free = e;
			c->n_events--;
			run_event(s, (enum event_kind)v->kind, v->id, v->operand);
		}
		e = next;
	}
}

uint64_t core_next_event_time(const struct sm *s)
{
	const struct core *c = s->modern;
	unsigned from = (unsigned)((s->clock + 1) % EVENT_SLOTS), word = from / 64;
	uint64_t m = c->slot_used[word] >> (from % 64) << (from % 64);

	if (!c->n_events)
		return NEVER;
	for (unsigned i = 0; !m && i < EVENT_SLOTS / 64; i++) {
		word = (word + 1) % (EVENT_SLOTS / 64);
		m = c->slot_used[word];
	}
	return s->clock + 1 + (word * 64 + bit_lowest64(m) - from) % EVENT_SLOTS;
}
