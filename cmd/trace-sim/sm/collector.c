/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The operand collector (SM-coll): instructions wait in collector units until the register banks have delivered
 * their sources. A step has three phases: dispatch of ready units, reads, allocation.
 *
 * Always true: a unit is free, waits for banks, is ready, or is blocked (it has all operands, but its slots
 * of OC_EX are full). An allocation that found nothing to do finds nothing until a unit is freed or an
 * instruction enters an empty input (may_allocate). In each step every bank serves the first unit that waits
 * for it. In the first step, a bank to which a result was written in this cycle serves no unit.
 * quirk Q2-25: the original's arbiter grants every bank that has a request, so there is no arbitration here.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "pipereg.h"

unsigned collector_input_of_unit(unsigned unit)
{
	static const uint8_t order[UNIT_SPEC] = {UNIT_SP, UNIT_SFU, UNIT_MEM, UNIT_TENSOR, UNIT_DP, UNIT_INT};
	unsigned i = 0;

	if (unit >= UNIT_SPEC)
		return unit;
	while (order[i] != unit)
		i++;
	return i;
}

/* ---- building (SM-coll-1 to SM-coll-3) ----------------------------------------------------- */

/*
 * Sets, for each collector unit, the unit at which the next search begins after a dispatch unit has found this one.
 * This is the next collector unit or, in sub-core mode, the first unit of the next scheduler. `share` is the number of
 * units per scheduler in sub-core mode, else 0.
 */
static void set_next_searches(struct sm *s, uint32_t first, uint32_t size, uint32_t share)
{
	for (uint32_t i = 0; i < size; i++)
		s->collector.next_search[first + i] =
			(uint8_t)(first + (i + (share ? share - i % share : 1)) % size);
}

static void add_collector_set(struct sm *s, enum collector_kind kind)
{
	struct opcoll *c = &s->collector;
	struct collector_set *set = &c->set[kind];
	const struct collector_params *p = &s->core->collector[kind];
	uint32_t per = s->core->sub_core ? p->units / s->core->schedulers : p->units, first = c->n_units;

	assert(first + p->units <= MAX_CUS);
	if (!p->units)
		return;
	c->kinds |= 1u << kind;
	set->units = slot_mask(p->units) << first;
	for (uint32_t k = 0; k < s->core->schedulers; k++)
		for (uint32_t i = 0; i < per; i++)
			set->allowed[k] |= 1ull << (first + (s->core->sub_core ? k * per : 0) + i);
	c->n_units += p->units;
	c->free |= set->units;
	set_next_searches(s, first, p->units, s->core->sub_core ? per : 0);
	set->n_dispatch = p->out_ports;
	set->start = xmalloc(p->out_ports + 1u);
	memset(set->start, c->next_search[first], p->out_ports + 1u);
}

static void add_port_group(struct sm *s, uint32_t ports, uint32_t inputs, enum collector_kind own)
{
	struct opcoll *c = &s->collector;
	struct port_group *g = &c->group[c->n_groups];

	if (!ports)
		return;
	c->n_groups++;
	g->ports = ports;
	g->inputs = inputs;
	for (uint32_t k = 0; k < s->core->schedulers; k++) {
		g->units[k].preferred = c->set[own].allowed[k];
		g->units[k].all = g->units[k].preferred | c->set[COLLECT_GEN].allowed[k];
	}
}

static uint32_t collector_input_bit(unsigned unit) { return 1u << collector_input_of_unit(unit); }

static uint32_t inputs_of_generic_set(const struct core_params *p)
{
	uint32_t m =
		collector_input_bit(UNIT_SP) | collector_input_bit(UNIT_SFU) | collector_input_bit(UNIT_MEM);

	if (p->tensor_avail)
		m |= collector_input_bit(UNIT_TENSOR);
	if (p->unit[UNIT_DP].units)
		m |= collector_input_bit(UNIT_DP);
	if (p->unit[UNIT_INT].units)
		m |= collector_input_bit(UNIT_INT);
	for (unsigned i = 0; i < p->n_specs; i++)
		m |= collector_input_bit(UNIT_SPEC + i);
	return m;
}

static void assign_banks(struct opcoll *c, const struct core_params *p)
{
	c->bank_span = uop_bank_span(p);
	c->bank_mask = is_pow2(c->bank_span) ? c->bank_span - 1 : 0;
	for (uint32_t k = 0; k < p->schedulers; k++) {
		c->first_bank[k] = (uint8_t)(p->sub_core ? k * c->bank_span : 0);
		c->banks[k] = slot_mask(c->bank_span) << c->first_bank[k];
	}
}

/* Creates the collector units, numbered in the order of their sets, and the ports, in the order of the table `port`. */
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

	c->unit = reserve(MAX_CUS, sizeof(*c->unit));
	c->waiting = reserve(READS_MAX, sizeof(*c->waiting));
	add_collector_set(s, COLLECT_GEN);
	for (unsigned i = COLLECT_SP; p->special_collectors && i < N_COLLECTORS; i++)
		add_collector_set(s, (enum collector_kind)i);
	add_port_group(s, p->collector[COLLECT_GEN].in_ports, inputs_of_generic_set(p), COLLECT_GEN);
	for (unsigned i = 0; p->special_collectors && i < sizeof(port) / sizeof(port[0]); i++)
		add_port_group(s, p->collector[port[i].set].in_ports, collector_input_bit(port[i].unit),
			(enum collector_kind)port[i].set);
	assign_banks(c, p);
	/* quirk Q2-11: the slot of a unit follows from the unit's number among all units, whatever its set. */
	per = c->n_units / p->schedulers;
	c->per_slot = (uint8_t)(p->sub_core ? per : 0);
	c->slot_units = c->per_slot ? slot_mask(per) : UINT64_MAX;
	for (uint32_t i = 0; i < c->n_units; i++) {
		c->unit[i].target_slots = reachable_slots(s, c->per_slot ? i / per : 0);
		c->unit[i].same_target_units = collector_units_of_slot(c, c->per_slot ? i / per : 0);
	}
}

void collector_free(struct sm *s)
{
	for (unsigned i = 0; i < N_COLLECTORS; i++)
		free(s->collector.set[i].start);
	reserve_free(s->collector.unit, MAX_CUS, sizeof(*s->collector.unit));
	reserve_free(s->collector.waiting, READS_MAX, sizeof(*s->collector.waiting));
}

/* ---- banks --------------------------------------------------------------------------------- */

/* Returns the mask bit of the bank that holds a register of a warp. */
static inline uint64_t bank_bit_of_register(
	const struct opcoll *c, unsigned reg, unsigned warp, unsigned sched)
{
	unsigned n = reg + warp;

	return 1ull << (c->first_bank[sched] + (c->bank_mask ? n & c->bank_mask : n % c->bank_span));
}

bool collector_reserve_bank(struct sm *s, const struct uop *u, unsigned dst, unsigned warp, unsigned sched)
{
	struct opcoll *c = &s->collector;
	unsigned reg = u->reg[u->bank_dst + dst];
	uint64_t bit;

	if (reg >= REG_UR0 && !uop_is_ptx(u))
		return true;
	bit = bank_bit_of_register(c, reg, warp, sched);
	if (c->busy_banks & bit)
		return false;
	c->busy_banks |= bit;
	return true;
}

void collector_free_banks(struct sm *s) { s->collector.busy_banks = 0; }

/* ---- phase 1: dispatch --------------------------------------------------------------------- */

/* Marks a unit that has all its operands as ready, or as blocked if its slots are full. */
static inline void mark_operands_complete(struct sm *s, unsigned unit)
{
	const struct collector_unit *u = &s->collector.unit[unit];
	struct unit_in *r = u->target;
	uint64_t bit = 1ull << unit;

	if (r->free_slots & u->target_slots)
		s->collector.ready |= bit;
	else
		r->collectors_blocked |= bit;
}

/* Moves the instruction of a ready unit into OC_EX. Ready units that have no free slot left become blocked. */
static inline void dispatch_collector_unit(struct sm *s, unsigned unit)
{
	struct opcoll *c = &s->collector;
	const struct collector_unit *u = &c->unit[unit];
	struct unit_in *r = u->target;
	uint64_t bit = 1ull << unit;

	unit_in_put(s, r, u->target_slots, u->inst);
	s->next_dispatch_clock = 0;
	r->collectors_used ^= bit;
	c->free |= bit;
	c->ready ^= bit;
	if (c->ready && !(r->free_slots & u->target_slots)) {
		uint64_t stuck = c->ready & r->collectors_used & u->same_target_units;

		c->ready ^= stuck;
		r->collectors_blocked |= stuck;
	}
}

/* Lets each dispatch unit of a set dispatch one collector unit: the first ready one, cyclically from set->start. */
static inline void dispatch_collector_set(struct sm *s, struct collector_set *set)
{
	struct opcoll *c = &s->collector;
	uint64_t ready = c->ready & set->units;

	for (uint32_t i = 0; ready && i < set->n_dispatch; i++) {
		uint64_t up = ready >> set->start[i] << set->start[i];
		unsigned unit = bit_lowest64(up ? up : ready);

		set->start[i] = c->next_search[unit];
		dispatch_collector_unit(s, unit);
		ready = c->ready & set->units;
	}
}

/* Dispatches ready units of all sets. Returns true if a unit became free. */
static inline bool dispatch_ready_units(struct sm *s)
{
	struct opcoll *c = &s->collector;
	uint64_t free = c->free;

	for (uint32_t kinds = c->kinds; kinds && c->ready; kinds &= kinds - 1)
		dispatch_collector_set(s, &c->set[bit_lowest32(kinds)]);
	return c->free != free;
}

/* ---- phase 2: reads ------------------------------------------------------------------------ */

/* Lets each bank that is not busy serve the first unit, in order of allocation, that reads it. */
static inline void serve_banks(struct sm *s)
{
	struct opcoll *c = &s->collector;
	struct bank_reads *to = c->waiting, *end = to + c->n_waiting;

	for (const struct bank_reads *r = to; r < end; r++) {
		uint64_t left = r->banks & c->busy_banks;
		uint8_t unit = r->unit;

		c->busy_banks |= r->banks;
		if (left)
			*to++ = (struct bank_reads){left, unit};
		else if (!--c->unit[unit].reads)
			mark_operands_complete(s, unit);
	}
	c->n_waiting = (uint32_t)(to - c->waiting);
}

/* ---- phase 3: allocation ------------------------------------------------------------------- */

/* Appends a set of banks to the sets that a unit waits for. */
static inline void append_reads(struct opcoll *c, unsigned unit, uint64_t banks)
{
	c->waiting[c->n_waiting++] = (struct bank_reads){banks, (uint8_t)unit};
	c->unit[unit].reads++;
}

/* Adds a bank to the first of the unit's sets that lacks it. */
static void request_bank_read(struct opcoll *c, unsigned unit, uint64_t bit)
{
	struct bank_reads *end = c->waiting + c->n_waiting, *r = end - c->unit[unit].reads;

	while (r < end && r->banks & bit)
		r++;
	if (r < end)
		r->banks |= bit;
	else
		append_reads(c, unit, bit);
}

/* Requests the operands of an instruction one by one. */
static NOINLINE void request_each_read(struct opcoll *c, unsigned unit, const struct winst *in)
{
	const struct uop *op = in->uop;

	for (unsigned i = 0; i < op->n_bank_src; i++)
		if (uop_reads_bank(op, i))
			request_bank_read(c, unit,
				bank_bit_of_register(c, op->reg[op->bank_from + i], in->warp, in->sched));
}

/* Requests all operands of an instruction. Warp w reads the banks of warp 0, rotated by w. */
static inline void request_operand_reads(struct opcoll *c, unsigned unit, const struct winst *in)
{
	const uint64_t *reads = in->uop->bank_reads, own = c->banks[in->sched];

	if (!in->uop->bank_reads_valid) {
		request_each_read(c, unit, in);
		return;
	}
	if (reads[0])
		append_reads(c, unit, rotate_left64(reads[0], in->warp) & own);
	if (reads[1])
		append_reads(c, unit, rotate_left64(reads[1], in->warp) & own);
}

/* Moves the oldest instruction of an ID_OC set, which scheduler `sched` has issued, to a collector unit. */
static inline void allocate_collector_unit(
	struct sm *s, unsigned unit, struct collector_in *q, unsigned sched)
{
	struct opcoll *c = &s->collector;
	const struct winst *in = &s->winst[q->first];
	struct collector_unit *u = &c->unit[unit];
	uint64_t bit = 1ull << unit;

	u->inst = q->first;
	u->target = q->units;
	u->target->collectors_used |= bit;
	collector_in_remove(s, q, sched, in->next);
	c->free ^= bit;
	request_operand_reads(c, unit, in);
	if (!u->reads)
		mark_operands_complete(s, unit);
}

/*
 * Allocates a unit for the oldest instruction of an input. Returns false if none is free. quirk Q2-12: no other
 * instruction is tried, even if the units of its scheduler are free.
 */
static inline bool allocate_for_input(struct sm *s, const struct port_group *g, unsigned input)
{
	struct collector_in *q = &s->collector_in[input];
	unsigned sched = q->front;
	uint64_t free_units = s->collector.free & g->units[sched].all, own;

	if (!free_units)
		return false;
	own = free_units & g->units[sched].preferred;
	allocate_collector_unit(s, bit_lowest64(own ? own : free_units), q, sched);
	s->changed = true;
	return true;
}

/*
 * Allocates units for one group of ports. An input that finds no unit at one port finds none at the other ports of the
 * group. Returns true if an input could have used a further port.
 */
static inline bool allocate_port_group(struct sm *s, const struct port_group *g)
{
	uint32_t inputs = g->inputs & s->collector_in_used;

	for (uint32_t ports = g->ports; ports && inputs; ports--) {
		FOR_BITS32 (input, inputs)
			if (!allocate_for_input(s, g, input))
				inputs &= ~(1u << input);
		inputs &= s->collector_in_used;
	}
	return inputs;
}

/*
 * Allocates units for all groups of ports. Groups share inputs, so all are tried again in the next step if one has
 * allocated a unit.
 */
static NOINLINE void allocate_for_port_groups(struct sm *s)
{
	struct opcoll *c = &s->collector;

	c->may_allocate = false;
	for (uint32_t i = 0; i < c->n_groups && c->free; i++) {
		uint64_t free = c->free;

		allocate_port_group(s, &c->group[i]);
		c->may_allocate |= c->free != free;
	}
}

/*
 * Runs the allocation phase. If there is one group of ports, and it has allocated all that it can, the next steps find
 * nothing until a unit is freed or an instruction enters an empty input.
 */
static inline void allocate_collector_units(struct sm *s)
{
	if (s->collector.n_groups > 1)
		allocate_for_port_groups(s);
	else
		s->collector.may_allocate = allocate_port_group(s, &s->collector.group[0]);
}

/* ---- the stage ----------------------------------------------------------------------------- */

static NOINLINE void run_collector_steps(struct sm *s)
{
	struct opcoll *c = &s->collector;

	for (uint32_t left = s->core->collector_steps; left; left--) {
		if (!c->ready && !c->n_waiting && !c->may_allocate)
			break;
		if (c->ready && dispatch_ready_units(s))
			c->may_allocate = s->changed = true;
		if (c->n_waiting) {
			serve_banks(s);
			s->changed = true;
		}
		c->busy_banks = 0;
		if (c->may_allocate) {
			if (s->collector_in_used)
				allocate_collector_units(s);
			else
				c->may_allocate = false;
		}
	}
	c->busy_banks = 0;
	/* With one step per cycle, writes may have blocked all reads, which continue in the next cycle. */
	s->changed |= c->n_waiting != 0;
}

void collector_stage(struct sm *s)
{
	const struct opcoll *c = &s->collector;

	if (c->ready || c->n_waiting || c->may_allocate)
		run_collector_steps(s);
	else
		collector_free_banks(s);
}
