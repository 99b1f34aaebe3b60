/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The operand collector (SM-coll): instructions wait in collector units until the register banks
 * have served their sources. A step has three phases: dispatch of ready units, reads, allocation.
 *
 * Always true: a unit is free, or waits for banks, or is ready, or is stuck: ready but for its slot of OC_EX,
 * which is full. An allocation that found nothing to do finds nothing either until a unit is freed or an
 * instruction comes to an empty input (may_allocate). Every bank that units wait for serves the one taken
 * first in each step unless a result was written to it in this cycle.
 * quirk Q2-25: the original's arbiter always grants every such bank, so there is no arbitration here.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "pipereg.h"

unsigned collector_input(unsigned unit)
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
		g->units[k].own = c->set[own].allowed[k];
		g->units[k].all = g->units[k].own | c->set[COLLECT_GEN].allowed[k];
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

static inline void make_idle(struct opcoll *c)
{
	c->any_busy = false;
	c->idle[0] = ~READS_NONE;
	for (uint32_t i = 1; i < c->n_words; i++)
		c->idle[i] = ~READS_NONE;
}

static void place_banks(struct opcoll *c, const struct core_params *p)
{
	uint32_t at = 0;

	c->bank_span = uop_bank_span(p);
	c->bank_mask = is_pow2(c->bank_span) ? c->bank_span - 1 : 0;
	c->banks_repeat = uop_banks_repeat(c->bank_span);
	c->span_words = (c->bank_span + WORD_BANKS - 1) / WORD_BANKS;
	for (uint32_t k = 0; k < p->schedulers; k++) {
		struct bank_place *b = &c->place[k];

		b->word = (uint8_t)(at / WORD_BANKS);
		b->byte = (uint8_t)(at % WORD_BANKS);
		b->shift = (uint8_t)(8 * b->byte);
		if (c->banks_repeat)
			b->mask = UINT64_MAX >> 8 * (WORD_BANKS - c->bank_span) << 8 * b->byte;
		c->n_words = b->word + c->span_words;
		if (p->sub_core)
			at += c->banks_repeat ? c->bank_span : c->span_words * WORD_BANKS;
	}
	assert(c->n_words <= BANK_WORDS);
	make_idle(c);
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

	c->unit = reserve(MAX_CUS, sizeof(*c->unit));
	add_set(s, COLLECT_GEN);
	for (unsigned i = COLLECT_SP; p->special_collectors && i < N_COLLECTORS; i++)
		add_set(s, (enum collector_kind)i);
	add_group(s, p->collector[COLLECT_GEN].in_ports, generic_inputs(p), COLLECT_GEN);
	for (unsigned i = 0; p->special_collectors && i < sizeof(port) / sizeof(port[0]); i++)
		add_group(s, p->collector[port[i].set].in_ports, input_bit(port[i].unit),
			(enum collector_kind)port[i].set);
	place_banks(c, p);
	/* quirk Q2-11: a unit's slot follows from its number among all units, whatever its set. */
	per = c->n_units / p->schedulers;
	c->per_slot = (uint8_t)(p->sub_core ? per : 0);
	c->slot_units = c->per_slot ? slots(per) : UINT64_MAX;
	for (uint32_t i = 0; i < c->n_units; i++) {
		c->unit[i].slots = reach(s, c->per_slot ? i / per : 0);
		c->unit[i].mates = slot_units(c, c->per_slot ? i / per : 0);
	}
}

void collector_free(struct sm *s)
{
	for (unsigned i = 0; i < N_COLLECTORS; i++)
		free(s->collector.set[i].start);
	reserve_free(s->collector.unit, MAX_CUS, sizeof(*s->collector.unit));
}

/* ---- banks --------------------------------------------------------------------------------- */

/* Which of the banks that hold a warp's registers. */
static inline unsigned bank_in(const struct opcoll *c, unsigned n)
{
	return c->bank_mask ? n & c->bank_mask : n % c->bank_span;
}

bool collector_write(struct sm *s, const struct uop *u, unsigned dst, unsigned warp, unsigned sched)
{
	struct opcoll *c = &s->collector;
	const struct bank_place *p = &c->place[sched];
	unsigned reg = u->reg[u->bank_dst + dst], word = p->word, bank;
	uint64_t bit;

	if (reg >= REG_UR0 && !uop_is_ptx(u))
		return true;
	if (c->banks_repeat) {
		bit = 0x80ull << (8 * ((reg + warp) & c->bank_mask) + p->shift);
	} else {
		bank = p->byte + bank_in(c, reg + warp);
		word += bank / WORD_BANKS;
		bit = 0x80ull << 8 * (bank % WORD_BANKS);
	}
	if (!(c->idle[word] & bit))
		return false;
	c->idle[word] ^= bit;
	c->any_busy = true;
	return true;
}

void collector_forget_writes(struct sm *s)
{
	if (s->collector.any_busy)
		make_idle(&s->collector);
}

/* ---- phase 1: dispatch --------------------------------------------------------------------- */

/* All operands are there. */
static inline void complete(struct sm *s, unsigned unit)
{
	const struct collector_unit *u = &s->collector.unit[unit];
	struct unit_in *r = u->target;
	uint64_t bit = 1ull << unit;

	if (r->room & u->slots)
		s->collector.ready |= bit;
	else
		r->stuck |= bit;
}

/* A ready unit sends its instruction on; others for which this took the last room are stuck now. */
static inline void send(struct sm *s, unsigned unit)
{
	struct opcoll *c = &s->collector;
	const struct collector_unit *u = &c->unit[unit];
	struct unit_in *r = u->target;
	uint64_t bit = 1ull << unit;

	unit_in_put(s, r, u->slots, u->inst);
	s->offer_at = 0;
	r->bound ^= bit;
	c->free |= bit;
	c->ready ^= bit;
	if (c->ready && !(r->room & u->slots)) {
		uint64_t stuck = c->ready & r->bound & u->mates;

		c->ready ^= stuck;
		r->stuck |= stuck;
	}
}

/* One instruction for each dispatch unit: the first that is ready, from where it begins on cyclically. */
static inline void dispatch_set(struct sm *s, struct collector_set *set)
{
	struct opcoll *c = &s->collector;
	uint64_t ready = c->ready & set->units;

	for (uint32_t i = 0; ready && i < set->n_dispatch; i++) {
		uint64_t up = ready >> set->start[i] << set->start[i];
		unsigned unit = bit_lowest64(up ? up : ready);

		set->start[i] = c->next[unit];
		send(s, unit);
		ready = c->ready & set->units;
	}
}

/* Returns whether any unit is free now that was not. */
static inline bool dispatch(struct sm *s)
{
	struct opcoll *c = &s->collector;
	uint64_t free = c->free;

	for (uint32_t kinds = c->kinds; kinds && c->ready; kinds &= kinds - 1)
		dispatch_set(s, &c->set[bit_lowest32(kinds)]);
	return c->free != free;
}

/* ---- phase 2: reads ------------------------------------------------------------------------ */

/*
 * All banks of a word at once, a byte each: the units in the order in which they were taken, each of them
 * served by the banks that it asks and that no earlier one has asked, nor a write has taken.
 */
static inline void serve_banks(struct sm *s)
{
	struct opcoll *c = &s->collector;
	struct bank_reads *to = c->waiting, *end = to + c->n_waiting;

	for (const struct bank_reads *r = to; r < end; r++) {
		uint64_t *idle = &c->idle[r->word], served = r->left & *idle;
		uint64_t left = r->left - (served >> 7);
		uint8_t unit = r->unit, word = r->word;

		*idle ^= served;
		if (left & ~READS_NONE)
			*to++ = (struct bank_reads){left, unit, word};
		else if (!--c->unit[unit].words)
			complete(s, unit);
	}
	c->n_waiting = (uint32_t)(to - c->waiting);
	c->any_busy = true;
}

/* ---- phase 3: allocation ------------------------------------------------------------------- */

static inline void wait_for(struct opcoll *c, unsigned unit, unsigned word, uint64_t reads)
{
	struct bank_reads *r = &c->waiting[c->n_waiting++];

	r->left = reads + READS_NONE;
	r->unit = (uint8_t)unit;
	r->word = (uint8_t)word;
}

/* Those of sources first to end - 1, at most READS_MAX. */
static void request_some(struct sm *s, unsigned unit, const struct winst *in, unsigned first, unsigned end)
{
	struct opcoll *c = &s->collector;
	const struct uop *op = in->uop;
	const struct bank_place *p = &c->place[in->sched];
	uint64_t reads[MAX_BANKS / WORD_BANKS] = {0};

	for (unsigned i = first; i < end; i++) {
		unsigned bank = p->byte + bank_in(c, op->reg[op->bank_from + i] + in->warp);

		if (i < 32 ? op->bank_src >> i & 1 : uop_reads_bank(op, i))
			reads[bank / WORD_BANKS] += 1ull << 8 * (bank % WORD_BANKS);
	}
	for (uint32_t i = 0; i < c->span_words; i++)
		if (reads[i]) {
			wait_for(c, unit, p->word + i, reads[i]);
			c->unit[unit].words++;
		}
}

/* Source by source: banks of any number, and sources beyond those of uop.bank_src. */
static NOINLINE void request_each(struct sm *s, unsigned unit, const struct winst *in)
{
	unsigned n = in->uop->n_bank_src;

	for (unsigned i = 0; i < n; i += READS_MAX)
		request_some(s, unit, in, i, n - i < READS_MAX ? n : i + READS_MAX);
}

/* Those of warp 0, as many banks on as the warp's number is above that. */
static inline uint64_t reads_of(const struct winst *in, const struct bank_place *p)
{
	unsigned by = 8 * (in->warp % WORD_BANKS);

	return (in->uop->bank_reads << by | in->uop->bank_reads >> (64 - by) % 64) & p->mask;
}

/* The oldest instruction of an ID_OC set, one of sched's, moves to a unit. */
static inline void enter(struct sm *s, unsigned unit, struct collector_in *q, unsigned sched)
{
	struct opcoll *c = &s->collector;
	const struct winst *in = &s->winst[q->first];
	const struct bank_place *p = &c->place[sched];
	struct collector_unit *u = &c->unit[unit];
	uint64_t bit = 1ull << unit;

	u->inst = q->first;
	u->target = q->units;
	u->target->bound |= bit;
	collector_in_take(s, q, sched, in->next);
	c->free ^= bit;
	if (c->banks_repeat && in->uop->n_bank_src <= 32) {
		uint64_t reads = reads_of(in, p);

		u->words = reads != 0;
		if (reads)
			wait_for(c, unit, p->word, reads);
	} else {
		request_each(s, unit, in);
	}
	if (!u->words)
		complete(s, unit);
}

/*
 * quirk Q2-12: only the oldest instruction of an input is a candidate, whichever scheduler's group has room.
 */
static inline bool allocate_one(struct sm *s, const struct port_group *g, unsigned input)
{
	struct collector_in *q = &s->collector_in[input];
	unsigned sched = q->front;
	uint64_t room = s->collector.free & g->units[sched].all, own;

	if (!room)
		return false;
	own = room & g->units[sched].own;
	enter(s, bit_lowest64(own ? own : room), q, sched);
	s->changed = true;
	return true;
}

/*
 * An input that finds no unit at one port finds none at the ports alike that follow. Returns whether one might
 * find one at a further port.
 */
static inline bool allocate_group(struct sm *s, const struct port_group *g)
{
	uint32_t inputs = g->inputs & s->collector_in_used;

	for (uint32_t ports = g->ports; ports && inputs; ports--) {
		FOR_BITS32 (input, inputs)
			if (!allocate_one(s, g, input))
				inputs &= ~(1u << input);
		inputs &= s->collector_in_used;
	}
	return inputs;
}

/* Ports of several kinds take from one another's inputs: where one took something, all are to look again. */
static NOINLINE void allocate_groups(struct sm *s)
{
	struct opcoll *c = &s->collector;

	c->may_allocate = false;
	for (uint32_t i = 0; i < c->n_groups && c->free; i++) {
		uint64_t free = c->free;

		allocate_group(s, &c->group[i]);
		c->may_allocate |= c->free != free;
	}
}

/*
 * Where all ports are alike and had nothing left to take, the next step finds nothing before a unit is freed
 * or an instruction comes to an empty input.
 */
static inline void allocate(struct sm *s)
{
	if (s->collector.n_groups > 1)
		allocate_groups(s);
	else
		s->collector.may_allocate = allocate_group(s, &s->collector.group[0]);
}

/* ---- the stage ----------------------------------------------------------------------------- */

static NOINLINE void run_steps(struct sm *s)
{
	struct opcoll *c = &s->collector;

	for (uint32_t left = s->core->collector_steps; left; left--) {
		if (!c->ready && !c->n_waiting && !c->may_allocate)
			break;
		if (c->ready && dispatch(s))
			c->may_allocate = s->changed = true;
		if (c->n_waiting) {
			serve_banks(s);
			s->changed = true;
		}
		if (c->any_busy)
			make_idle(c);
		if (c->may_allocate) {
			if (s->collector_in_used)
				allocate(s);
			else
				c->may_allocate = false;
		}
	}
	if (c->any_busy)
		make_idle(c);
	/* With one step a cycle a write can have kept all from their turn: it comes next cycle. */
	s->changed |= c->n_waiting != 0;
}

void collector_stage(struct sm *s)
{
	const struct opcoll *c = &s->collector;

	if (c->ready || c->n_waiting || c->may_allocate)
		run_steps(s);
	else
		collector_forget_writes(s);
}
