/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The operand collector (part 2 section 11): instructions wait in collector units until the register banks
 * have served their sources. A step has three phases: dispatch of ready units, reads, allocation.
 *
 * Always true: a unit is free, or waits in bank queues, or is ready. A phase that found nothing to do finds
 * nothing either until something has changed that it depends on (may_dispatch, may_allocate); every bank
 * whose queue is not empty serves its head in each step unless a result was written to it in this cycle.
 * quirk: the original's arbiter always grants every such bank, so there is no arbitration here.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "regset.h"

const uint8_t opcoll_input_kind[N_UNIT_KINDS] = {
	UNIT_SP, UNIT_SFU, UNIT_MEM, UNIT_TENSOR, UNIT_DP, UNIT_INT,
	UNIT_SPEC, UNIT_SPEC + 1, UNIT_SPEC + 2, UNIT_SPEC + 3,
	UNIT_SPEC + 4, UNIT_SPEC + 5, UNIT_SPEC + 6, UNIT_SPEC + 7,
};

uint32_t opcoll_input_bit(unsigned unit)
{
	unsigned i = 0;

	while (opcoll_input_kind[i] != unit)
		i++;
	return 1u << i;
}

/* ---- building (section 11.1) --------------------------------------------------------------- */

/*
 * Where a dispatch unit begins its search after it found unit `last` of the set: behind it, in sub-core mode
 * at the first unit of the next scheduler's group.
 */
static uint8_t next_start(const struct collector_set *set, unsigned last)
{
	unsigned inc = set->share ? set->share - last % set->share : 1;

	return (uint8_t)(set->first + (last + inc) % set->size);
}

static void add_set(struct sm *s, enum collector_kind kind)
{
	struct opcoll *c = &s->collector;
	struct collector_set *set = &c->set[kind];
	const struct collector_params *p = &s->core->collector[kind];
	uint32_t per = s->core->sub_core ? p->units / s->core->schedulers : p->units;

	assert(c->n_units + p->units <= MAX_CUS);
	if (!p->units)
		return;
	c->kinds |= 1u << kind;
	set->first = (uint8_t)c->n_units;
	set->size = (uint8_t)p->units;
	set->share = (uint8_t)(s->core->sub_core ? per : 0);
	set->units = (p->units < 64 ? 1ull << p->units : 0) - 1;
	set->units <<= set->first;
	for (uint32_t k = 0; k < s->core->schedulers; k++)
		for (uint32_t i = 0; i < per; i++)
			c->allowed[kind][k] |= 1ull << (set->first + (s->core->sub_core ? k * per : 0) + i);
	c->n_units += p->units;
	c->free |= set->units;
	set->n_dispatch = p->out_ports;
	set->start = xmalloc(p->out_ports + 1u);
	memset(set->start, next_start(set, 0), p->out_ports + 1u);
}

static void add_group(struct sm *s, uint32_t ports, uint32_t inputs, enum collector_kind own)
{
	struct port_group *g = &s->collector.group[s->collector.n_groups];

	if (!ports)
		return;
	s->collector.n_groups++;
	g->ports = ports;
	g->inputs = inputs;
	g->set[g->n_sets++] = (uint8_t)own;
	if (own != COLLECT_GEN)
		g->set[g->n_sets++] = COLLECT_GEN;
}

static uint32_t generic_inputs(const struct core_params *p)
{
	uint32_t m = opcoll_input_bit(UNIT_SP) | opcoll_input_bit(UNIT_SFU) | opcoll_input_bit(UNIT_MEM);

	if (p->tensor_avail)
		m |= opcoll_input_bit(UNIT_TENSOR);
	if (p->unit[UNIT_DP].units)
		m |= opcoll_input_bit(UNIT_DP);
	if (p->unit[UNIT_INT].units)
		m |= opcoll_input_bit(UNIT_INT);
	for (unsigned i = 0; i < p->n_specs; i++)
		m |= opcoll_input_bit(UNIT_SPEC + i);
	return m;
}

/* The order of sets gives units their numbers; ports have another order. */
void opcoll_init(struct sm *s)
{
	static const struct { uint8_t set, unit; } port[] = {
		{COLLECT_SP, UNIT_SP}, {COLLECT_DP, UNIT_DP}, {COLLECT_SFU, UNIT_SFU},
		{COLLECT_TENSOR, UNIT_TENSOR},
		{COLLECT_MEM, UNIT_MEM}, {COLLECT_INT, UNIT_INT},
	};
	const struct core_params *p = s->core;
	struct opcoll *c = &s->collector;
	uint32_t per;

	add_set(s, COLLECT_GEN);
	for (unsigned i = COLLECT_SP; p->special_collectors && i < N_COLLECTORS; i++)
		add_set(s, (enum collector_kind)i);
	add_group(s, p->collector[COLLECT_GEN].in_ports, generic_inputs(p), COLLECT_GEN);
	for (unsigned i = 0; p->special_collectors && i < sizeof port / sizeof port[0]; i++)
		add_group(s, p->collector[port[i].set].in_ports, opcoll_input_bit(port[i].unit),
			(enum collector_kind)port[i].set);
	c->bank_span = p->sub_core ? p->reg_banks / p->schedulers : p->reg_banks;
	/* quirk Q11: a unit's slot follows from its number among all units, whatever its set. */
	per = c->n_units / p->schedulers;
	for (uint32_t i = 0; i < c->n_units && p->sub_core && per; i++)
		c->unit[i].slot = (uint8_t)(i / per);
}

void opcoll_free(struct sm *s)
{
	for (unsigned i = 0; i < N_COLLECTORS; i++)
		free(s->collector.set[i].start);
}

/* ---- banks --------------------------------------------------------------------------------- */

unsigned opcoll_bank(const struct sm *s, unsigned reg, unsigned warp, unsigned sched)
{
	uint32_t span = s->collector.bank_span;

	return (reg + warp) % span + (s->core->sub_core ? sched * span : 0);
}

bool opcoll_write(struct sm *s, unsigned reg, unsigned warp, unsigned sched)
{
	uint64_t bit;

	if (reg >= REG_UR0)
		return true;
	bit = 1ull << opcoll_bank(s, reg, warp, sched);
	if (s->collector.bank_writing & bit)
		return false;
	s->collector.bank_writing |= bit;
	return true;
}

static inline void request_read(struct opcoll *c, unsigned bank, unsigned unit)
{
	struct bank_queue *q = &c->bank[bank];
	unsigned last = (q->head + q->count - 1u) % MAX_CUS;

	if (q->count && q->at[last].cu == unit) {
		q->at[last].n++;
		return;
	}
	last = (q->head + q->count++) % MAX_CUS;
	q->at[last].cu = (uint8_t)unit;
	q->at[last].n = 1;
	c->bank_waiting |= 1ull << bank;
}

/* ---- phase 1: dispatch --------------------------------------------------------------------- */

/* First unit of the set, from start on cyclically, that is ready and finds room; -1: none. */
static int find_ready(const struct sm *s, uint64_t ready, unsigned start)
{
	while (ready) {
		unsigned i = bit_next_cyclic64(ready, start);
		const struct collector_unit *u = &s->collector.unit[i];

		if (regset_room(s, &s->oc_ex[u->target], u->slot))
			return (int)i;
		ready &= ~(1ull << i);
	}
	return -1;
}

/* One instruction for each dispatch unit. Where one of a set finds nothing, those behind it do not either. */
static bool dispatch_set(struct sm *s, struct collector_set *set)
{
	struct opcoll *c = &s->collector;
	uint32_t i;

	for (i = 0; i < set->n_dispatch && c->ready & set->units; i++) {
		int found = find_ready(s, c->ready & set->units, set->start[i]);
		struct collector_unit *u;

		if (found < 0)
			break;
		u = &c->unit[found];
		set->start[i] = next_start(set, (unsigned)found - set->first);
		regset_put(s, &s->oc_ex[u->target], u->slot, u->inst, &s->oc_ex_kinds);
		s->offer_at[u->target] = 0;
		c->ready &= ~(1ull << found);
		c->free |= 1ull << found;
	}
	return i;
}

static bool dispatch(struct sm *s)
{
	struct opcoll *c = &s->collector;
	bool any = false;

	FOR_BITS32(i, c->kinds)
		if (c->ready & c->set[i].units)
			any |= dispatch_set(s, &c->set[i]);
	return any;
}

/* ---- phase 2: reads ------------------------------------------------------------------------ */

static void serve_banks(struct opcoll *c, uint64_t banks)
{
	FOR_BITS64(b, banks) {
		struct bank_queue *q = &c->bank[b];
		unsigned unit = q->at[q->head].cu;

		if (!--q->at[q->head].n) {
			q->head = (uint8_t)((q->head + 1) % MAX_CUS);
			if (!--q->count)
				c->bank_waiting &= ~(1ull << b);
		}
		if (!--c->unit[unit].missing) {
			c->ready |= 1ull << unit;
			c->may_dispatch = true;
		}
	}
}

/* ---- phase 3: allocation ------------------------------------------------------------------- */

/* Sources beyond those of uop.bank_src; real instructions have none. */
static __attribute__((noinline)) void request_rest(struct sm *s, unsigned unit, const struct winst *in)
{
	const struct uop *op = in->uop;

	for (unsigned i = 32; i < op->n_src; i++) {
		unsigned reg = op->reg[op->n_dst + i];

		if (!uop_reads_bank(op, i))
			continue;
		request_read(&s->collector, opcoll_bank(s, reg, in->warp, in->sched), unit);
		s->collector.unit[unit].missing++;
	}
}

static void enter(struct sm *s, unsigned unit, uint16_t w, unsigned kind)
{
	struct opcoll *c = &s->collector;
	struct collector_unit *u = &c->unit[unit];
	const struct winst *in = &s->winst[w];
	const struct uop *op = in->uop;
	const uint16_t *src = op->reg + op->n_dst;

	c->free &= ~(1ull << unit);
	u->inst = w;
	u->target = (uint8_t)kind;
	u->missing = 0;
	FOR_BITS32(i, op->bank_src) {
		request_read(c, opcoll_bank(s, src[i], in->warp, in->sched), unit);
		u->missing++;
	}
	if (op->n_src > 32)
		request_rest(s, unit, in);
	if (!u->missing) {
		c->ready |= 1ull << unit;
		c->may_dispatch = true;
	}
}

/* quirk Q12: only the oldest instruction of the set is a candidate, whichever scheduler's group has room. */
static bool allocate_one(struct sm *s, const struct port_group *g, unsigned kind)
{
	struct opcoll *c = &s->collector;
	struct regset *r = &s->id_oc[kind];
	unsigned slot = regset_oldest(s, r);
	const struct winst *in = &s->winst[r->slot[slot]];

	for (unsigned i = 0; i < g->n_sets; i++) {
		uint64_t room = c->free & c->allowed[g->set[i]][in->sched];

		if (room) {
			s->still &= s->core->sub_core ? ~(1u << in->sched) : 0;
			enter(s, bit_lowest64(room), regset_take(r, slot, &s->id_oc_inputs), kind);
			return true;
		}
	}
	return false;
}

/* An input that finds no unit at one port finds none at the ports alike that follow. */
static bool allocate(struct sm *s)
{
	struct opcoll *c = &s->collector;
	bool any = false;

	for (uint32_t i = 0; i < c->n_groups && c->free; i++) {
		const struct port_group *g = &c->group[i];
		uint32_t left = g->inputs & s->id_oc_inputs;

		for (uint32_t port = 0; port < g->ports && left; port++)
			FOR_BITS32(input, left) {
				if (allocate_one(s, g, opcoll_input_kind[input]))
					any = true;
				else
					left &= ~(1u << input);
				left &= s->id_oc_inputs;
			}
	}
	return any;
}

/* ---- the stage ----------------------------------------------------------------------------- */

void opcoll_stage(struct sm *s)
{
	struct opcoll *c = &s->collector;
	uint64_t writing = c->bank_writing;

	c->bank_writing = 0;
	for (uint32_t step = 0; step < s->core->collector_steps; step++, writing = 0) {
		uint64_t banks;

		if (!(c->may_dispatch | c->may_allocate | (c->bank_waiting != 0)))
			return;
		if (c->may_dispatch) {
			c->may_dispatch = dispatch(s);
			c->may_allocate |= c->may_dispatch;
			s->changed |= c->may_dispatch;
		}
		banks = c->bank_waiting & ~writing;
		if (banks) {
			serve_banks(c, banks);
			s->changed = true;
		}
		if (c->may_allocate) {
			c->may_allocate = s->id_oc_inputs && allocate(s);
			s->changed |= c->may_allocate;
		}
	}
	/* With one step a cycle, a write can have kept every waiting bank from its turn: it comes next cycle. */
	s->changed |= c->bank_waiting != 0;
}
