/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The operand collector (SM-coll): instructions wait in collector units until the register banks
 * have served their sources. A step has three phases: dispatch of ready units, reads, allocation.
 *
 * Always true: a unit is free, or waits for banks, or is ready, or is stuck: ready but for its slot of OC_EX,
 * which is full. An allocation that found nothing to do finds nothing either until a unit is freed or an
 * instruction issues (may_allocate). Every bank that units wait for serves the one taken first in each step
 * unless a result was written to it in this cycle.
 * quirk Q2-25: the original's arbiter always grants every such bank, so there is no arbitration here.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "pipereg.h"

const uint8_t opcoll_input_kind[N_UNIT_KINDS] = {
	UNIT_SP,
	UNIT_SFU,
	UNIT_MEM,
	UNIT_TENSOR,
	UNIT_DP,
	UNIT_INT,
	UNIT_SPEC,
	UNIT_SPEC + 1,
	UNIT_SPEC + 2,
	UNIT_SPEC + 3,
	UNIT_SPEC + 4,
	UNIT_SPEC + 5,
	UNIT_SPEC + 6,
	UNIT_SPEC + 7,
};

unsigned collector_input(unsigned unit)
{
	unsigned i = 0;

	while (opcoll_input_kind[i] != unit)
		i++;
	return i;
}

/* ---- building (SM-coll-1 to SM-coll-3) ----------------------------------------------------- */

/*
 * A dispatch unit that found a unit searches on behind it; in sub-core mode (share: a scheduler's units) at
 * the first unit of the next scheduler's group.
 */
static void set_next(struct sm *s, uint32_t first, uint32_t size, uint32_t share)
{
	for (uint32_t i = 0; i < size; i++)
		s->collector.next[first + i] =
			(uint8_t)(first + (i + (share ? share - i % share : 1)) % size);
}

static void add_set(struct sm *s, enum collector_kind kind)
{
	struct opcoll *c = &s->collector;
	struct collector_set *set = &c->set[kind];
	const struct collector_params *p = &s->core->collector[kind];
	uint32_t per = s->core->sub_core ? p->units / s->core->schedulers : p->units, first = c->n_units;

	assert(first + p->units <= MAX_CUS);
	if (!p->units)
		return;
	c->kinds |= 1u << kind;
	set->units = slots(p->units) << first;
	for (uint32_t k = 0; k < s->core->schedulers; k++)
		for (uint32_t i = 0; i < per; i++)
			set->allowed[k] |= 1ull << (first + (s->core->sub_core ? k * per : 0) + i);
	c->n_units += p->units;
	c->free |= set->units;
	set_next(s, first, p->units, s->core->sub_core ? per : 0);
	set->n_dispatch = p->out_ports;
	set->start = xmalloc(p->out_ports + 1u);
	memset(set->start, c->next[first], p->out_ports + 1u);
}

static void add_group(struct sm *s, uint32_t ports, uint32_t inputs, enum collector_kind own)
{
	struct opcoll *c = &s->collector;
	struct port_group *g = &c->group[c->n_groups];

	if (!ports)
		return;
	c->n_groups++;
	g->ports = ports;
	g->inputs = inputs;
	for (uint32_t k = 0; k < s->core->schedulers; k++) {
		g->own[k] = c->set[own].allowed[k];
		g->all[k] = g->own[k] | c->set[COLLECT_GEN].allowed[k];
	}
}

static uint32_t input_bit(unsigned unit) { return 1u << collector_input(unit); }

static uint32_t generic_inputs(const struct core_params *p)
{
	uint32_t m = input_bit(UNIT_SP) | input_bit(UNIT_SFU) | input_bit(UNIT_MEM);

	if (p->tensor_avail)
		m |= input_bit(UNIT_TENSOR);
	if (p->unit[UNIT_DP].units)
		m |= input_bit(UNIT_DP);
	if (p->unit[UNIT_INT].units)
		m |= input_bit(UNIT_INT);
	for (unsigned i = 0; i < p->n_specs; i++)
		m |= input_bit(UNIT_SPEC + i);
	return m;
}

/* The order of sets gives units their numbers; ports have another order. */
void collector_init(struct sm *s)
{
	static const struct {
		uint8_t set, unit;
	} port[] = {
		{COLLECT_SP, UNIT_SP},
		{COLLECT_DP, UNIT_DP},
		{COLLECT_SFU, UNIT_SFU},
		{COLLECT_TENSOR, UNIT_TENSOR},
		{COLLECT_MEM, UNIT_MEM},
		{COLLECT_INT, UNIT_INT},
	};
	const struct core_params *p = s->core;
	struct opcoll *c = &s->collector;
	uint32_t per;

	add_set(s, COLLECT_GEN);
	for (unsigned i = COLLECT_SP; p->special_collectors && i < N_COLLECTORS; i++)
		add_set(s, (enum collector_kind)i);
	add_group(s, p->collector[COLLECT_GEN].in_ports, generic_inputs(p), COLLECT_GEN);
	for (unsigned i = 0; p->special_collectors && i < sizeof(port) / sizeof(port[0]); i++)
		add_group(s, p->collector[port[i].set].in_ports, input_bit(port[i].unit),
			(enum collector_kind)port[i].set);
	c->bank_span = p->sub_core ? p->reg_banks / p->schedulers : p->reg_banks;
	c->bank_mask = is_pow2(c->bank_span) ? c->bank_span - 1 : 0;
	c->bank_step = p->sub_core ? c->bank_span : 0;
	/* quirk Q2-11: a unit's slot follows from its number among all units, whatever its set. */
	per = c->n_units / p->schedulers;
	c->per_slot = (uint8_t)(p->sub_core ? per : 0);
	c->slot_units = c->per_slot ? slots(per) : UINT64_MAX;
	for (uint32_t i = 0; i < c->n_units; i++)
		c->unit[i].slots = reach(s, c->per_slot ? i / per : 0);
}

void collector_free(struct sm *s)
{
	for (unsigned i = 0; i < N_COLLECTORS; i++)
		free(s->collector.set[i].start);
}

/* ---- banks --------------------------------------------------------------------------------- */

/* Which of the banks that hold a warp's registers. */
static inline unsigned bank_in(const struct opcoll *c, unsigned n)
{
	return c->bank_mask ? n & c->bank_mask : n % c->bank_span;
}

static unsigned collector_bank(const struct sm *s, unsigned reg, unsigned warp, unsigned sched)
{
	const struct opcoll *c = &s->collector;

	return bank_in(c, reg + warp) + sched * c->bank_step;
}

bool collector_write(struct sm *s, const struct uop *u, unsigned dst, unsigned warp, unsigned sched)
{
	unsigned reg = u->reg[u->bank_dst + dst];
	uint64_t bit;

	if (reg >= REG_UR0 && !uop_is_ptx(u))
		return true;
	bit = 1ull << collector_bank(s, reg, warp, sched);
	if (s->collector.bank_writing & bit)
		return false;
	s->collector.bank_writing |= bit;
	return true;
}

static inline void request_read(struct opcoll *c, unsigned bank, unsigned unit)
{
	c->reads[unit][bank]++;
	c->waiting[bank] |= 1ull << unit;
	c->bank_waiting |= 1ull << bank;
}

/* ---- phase 1: dispatch --------------------------------------------------------------------- */

/* All operands are there. */
static inline void complete(struct sm *s, unsigned unit)
{
	const struct collector_unit *u = &s->collector.unit[unit];
	bool room = s->unit_in[u->target].room & u->slots;

	*(room ? &s->collector.ready : &s->collector.stuck[u->target]) |= 1ull << unit;
}

/* A ready unit sends its instruction on; others for which this took the last room are stuck now. */
static void send(struct sm *s, unsigned unit)
{
	struct opcoll *c = &s->collector;
	const struct collector_unit *u = &c->unit[unit];
	struct unit_in *r = &s->unit_in[u->target];
	uint64_t bit = 1ull << unit;

	unit_in_put(s, r, u->slots, u->inst);
	s->offer_at[u->target] = 0;
	c->ready ^= bit;
	c->free |= bit;
	c->bound[u->target] ^= bit;
	if (!(r->room & u->slots)) {
		uint64_t stuck = c->ready & c->bound[u->target] & slot_units(c, bit_lowest64(u->slots));

		c->ready ^= stuck;
		c->stuck[u->target] |= stuck;
	}
}

/* One instruction for each dispatch unit: the first that is ready, from where it begins on cyclically. */
static bool dispatch_set(struct sm *s, struct collector_set *set)
{
	struct opcoll *c = &s->collector;

	for (uint32_t i = 0; i < set->n_dispatch; i++) {
		uint64_t ready = c->ready & set->units, up = ready & UINT64_MAX << set->start[i];
		unsigned unit;

		if (!ready)
			return i;
		unit = bit_lowest64(up ? up : ready);
		set->start[i] = c->next[unit];
		send(s, unit);
	}
	return set->n_dispatch;
}

static bool dispatch(struct sm *s)
{
	struct opcoll *c = &s->collector;
	bool any = false;

	FOR_BITS32 (i, c->kinds)
		if (c->ready & c->set[i].units)
			any |= dispatch_set(s, &c->set[i]);
	return any;
}

/* ---- phase 2: reads ------------------------------------------------------------------------ */

static unsigned taken_first(const struct opcoll *c, uint64_t units)
{
	unsigned best = bit_lowest64(units);

	FOR_BITS64 (i, units & (units - 1))
		if (c->unit[i].taken < c->unit[best].taken)
			best = (unsigned)i;
	return best;
}

static void serve_banks(struct sm *s, uint64_t banks)
{
	struct opcoll *c = &s->collector;

	FOR_BITS64 (b, banks) {
		uint64_t units = c->waiting[b];
		unsigned unit = taken_first(c, units);

		if (!--c->reads[unit][b]) {
			units &= ~(1ull << unit);
			c->waiting[b] = units;
			if (!units)
				c->bank_waiting &= ~(1ull << b);
		}
		if (!--c->unit[unit].missing)
			complete(s, unit);
	}
}

/* ---- phase 3: allocation ------------------------------------------------------------------- */

/* Sources beyond those of uop.bank_src; real instructions have none. */
static APART void request_rest(struct sm *s, unsigned unit, const struct winst *in)
{
	const struct uop *op = in->uop;

	for (unsigned i = 32; i < op->n_bank_src; i++) {
		unsigned reg = op->reg[op->bank_from + i];

		if (!uop_reads_bank(op, i))
			continue;
		request_read(&s->collector, collector_bank(s, reg, in->warp, in->sched), unit);
		s->collector.unit[unit].missing++;
	}
}

/* The oldest instruction of an ID_OC set moves to a unit. */
static APART void enter(struct sm *s, unsigned unit, unsigned kind)
{
	struct opcoll *c = &s->collector;
	struct collector_unit *u = &c->unit[unit];
	uint16_t w = collector_in_take(s, &s->collector_in[kind]);
	const struct winst *in = &s->winst[w];
	const struct uop *op = in->uop;
	const uint16_t *src = op->reg + op->bank_from;
	unsigned warp = in->warp, first = in->sched * c->bank_step, missing = 0;

	c->free &= ~(1ull << unit);
	c->bound[kind] |= 1ull << unit;
	u->taken = ++c->n_taken;
	u->inst = w;
	u->target = (uint8_t)kind;
	FOR_BITS32 (i, op->bank_src) {
		request_read(c, first + bank_in(c, src[i] + warp), unit);
		missing++;
	}
	u->missing = (uint8_t)missing;
	if (op->n_bank_src > 32)
		request_rest(s, unit, in);
	if (!u->missing)
		complete(s, unit);
}

/*
 * quirk Q2-12: only the oldest instruction of an input is a candidate, whichever scheduler's group has room.
 */
static bool allocate_one(struct sm *s, const struct port_group *g, unsigned input)
{
	unsigned sched = s->collector.front[input];
	uint64_t room = s->collector.free & g->all[sched];

	if (!room)
		return false;
	if (room & g->own[sched])
		room &= g->own[sched];
	enter(s, bit_lowest64(room), opcoll_input_kind[input]);
	return true;
}

/* An input that finds no unit at one port finds none at the ports alike that follow. */
static bool allocate_group(struct sm *s, const struct port_group *g)
{
	uint32_t left = g->inputs & s->collector_in_used;
	bool any = false;

	for (uint32_t port = g->ports; port && left; port--)
		FOR_BITS32 (input, left) {
			if (allocate_one(s, g, input)) {
				any = true;
				left &= s->collector_in_used;
			} else {
				left &= ~(1u << input);
			}
		}
	return any;
}

static APART bool allocate(struct sm *s)
{
	struct opcoll *c = &s->collector;
	bool any = false;

	for (uint32_t i = 0; i < c->n_groups && c->free; i++)
		any |= allocate_group(s, &c->group[i]);
	return any;
}

/* ---- the stage ----------------------------------------------------------------------------- */

void collector_stage(struct sm *s)
{
	struct opcoll *c = &s->collector;
	uint64_t writing = c->bank_writing;

	c->bank_writing = 0;
	for (uint32_t step = 0; step < s->core->collector_steps; step++, writing = 0) {
		uint64_t banks;

		if (!(c->ready | c->bank_waiting) && !c->may_allocate)
			return;
		if (c->ready && dispatch(s))
			c->may_allocate = s->changed = true;
		banks = c->bank_waiting & ~writing;
		if (banks) {
			serve_banks(s, banks);
			s->changed = true;
		}
		if (c->may_allocate) {
			c->may_allocate = s->collector_in_used && allocate(s);
			s->changed |= c->may_allocate;
		}
	}
	/*
	 * With one step a cycle, a write can have kept every waiting bank from its turn: it comes next cycle.
	 */
	s->changed |= c->bank_waiting != 0;
}
