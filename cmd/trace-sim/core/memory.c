/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory pipeline: places in the sub-cores, acceptance by the SM, the pipe to the L1 data cache, results
 * on their way back. What lies behind the L1 is the other core's: caches, requests, network.
 *
 * Always true: the SM takes one instruction at a time, from the sub-cores in turn, and its data port is busy
 * for as many cycles as bytes, passes over the data banks and passes over the tag banks ask for; L1 lookups
 * happen in that order, as many lines a cycle as there are tag banks, each a fixed time after its acceptance,
 * and one that is refused holds those behind it. An operation ends when all its accesses have, and the link
 * to its sub-core has carried its result.
 */
#include "power/counts.h"
#include "core/core.h"
#include "sm/kernel.h"

#define LOOKUP_BEFORE 12u /* cycles from the lookup of a hit to its value in the register file */
#define FIRST_REG     2u  /* cycles of the link that every latency has already */

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

static uint32_t share(uint32_t n, uint32_t of) { return (n + of - 1) / of; }

/* ---- places in a sub-core ----------------------------------------------------------------------- */

static void due_at(struct core *c, uint64_t at)
{
	if (at < c->mem_due)
		c->mem_due = at;
}

/* When the first in the queue may be accepted. */
static uint64_t first_ready(const struct subcore *b)
{
	const struct mem_place *k = &b->place[b->place_head];

	return later(k->ready, b->place_freed + k->interval);
}

void core_memory_take(struct sm *s, struct subcore *b, const struct core_inst *in, uint16_t h, uint64_t t)
{
	struct core *c = s->modern;
	const struct winst *w = &s->winst[h];
	bool lanes = in->path == PATH_ACCESS && w->space != SPACE_SHARED;

	b->place[(b->place_head + b->places++) % MEM_PLACES] =
		(struct mem_place){.ready = t + (lanes ? c->p->mem_first_lanes : c->p->mem_first),
			.op = h,
			.interval = (uint8_t)(lanes ? c->p->mem_interval : c->p->mem_interval_shared)};
	if (b->places == c->p->mem_places)
		b->open_at[CORE_MEMORY] = NEVER;
	c->waiting |= 1u << w->sched;
	if (b->places == 1)
		due_at(c, later(first_ready(b), c->accept_at));
}

/* ---- what an instruction asks of the port ------------------------------------------------------- */

/* For a full warp, whoever of it takes part. */
static uint32_t bytes_cycles(const struct core *c, const struct winst *w, uint32_t port)
{
	uint32_t busy = share(32u * (w->uop->size ? w->uop->size : 4), port);

	return busy > c->p->sm_interval ? busy : c->p->sm_interval;
}

/*
 * Passes over the tags of the L1: each bank looks up one line a cycle, and banks are chosen by all bits of a
 * line's number, as many at a time as name a bank.
 */
static uint32_t tag_passes(const struct core *c, const struct access_list *list)
{
	uint8_t count[TAG_BANKS] = {0}, most = 1;
	uint32_t bits = c->p->l1_tag_bits, bank;
	uint64_t line = NEVER, digits;

	for (uint32_t i = 0; i < list->n; i++) {
		if (list->at[i].addr / 128 == line)
			continue;
		digits = line = list->at[i].addr / 128;
		for (uint32_t half = c->p->l1_tag_fold; half >= bits; half /= 2)
			digits ^= digits >> half;
		bank = (uint32_t)digits & (c->p->l1_tag_banks - 1);
		if (++count[bank] > most)
			most = count[bank];
	}
	return most;
}

static void occupy(struct core *c, uint64_t now, uint32_t cycles)
{
	c->accept_at = later(c->accept_at, now) + (cycles ? cycles : 1);
}

/* ---- acceptance --------------------------------------------------------------------------------- */

/* The value comes `latency` cycles after issue where nothing waits, `more` cycles of which are due to it. */
static void answer(struct sm *s, uint16_t h, uint32_t latency, uint32_t more)
{
	core_event_put(s, s->clock + latency - s->modern->p->mem_first - FIRST_REG + more, EVENT_DATA, h, 0);
}

static void accept_shared(struct sm *s, const struct core_inst *in, uint16_t h)
{
	struct core *c = s->modern;
	const struct winst *w = &s->winst[h];
	uint32_t passes = core_passes(s, w), busy = bytes_cycles(c, w, c->p->shared_bytes);

	if (in->flags & INST_LDSM_N)
		busy = in->regs * share(128, c->p->shared_bytes);
	occupy(c, s->clock, passes > busy ? passes : busy);
	s->n.shmem_bkconflict += passes - 1;
	if (s->power)
		s->power->shared_begun++; /* all passes count when they begin */
	s->n.stall[STALL_S_MEM][STALL_BK_CONF] += passes - 1;
	s->n.stall_shd_mem += passes - 1;
	if (in->n_dst > 0 || w->uop->flags & UOP_LOAD)
		answer(s, h, c->p->shared_latency,
			(passes > busy ? passes - busy : 0) + (in->flags & INST_LDSM_N ? 2 : 0));
	else
		core_event_put(s, later(s->clock + passes, c->op[h].read_at) + 1, EVENT_DONE, h, 0);
}

/*
 * The first constants of a kernel on an SM come from memory: all loads of constants wait until they are here.
 */
static bool cold_constants(struct sm *s, uint16_t h)
{
	struct core *c = s->modern;
	const struct kernel *k = s->cta[s->winst[h].cta].kernel;

	if (!s->l1i || !c->p->const_cold || (c->const_kernel == k->uid && !c->const_cold))
		return false;
	s->winst[h].next = c->cold_op;
	c->cold_op = h;
	if (c->const_kernel != k->uid && !c->const_cold)
		core_event_put(s, s->clock + 1, EVENT_L1I, CONST_SUB, k->code_base - 4096);
	c->const_cold = true;
	c->const_kernel = k->uid;
	return true;
}

void core_memory_constants(struct sm *s)
{
	struct core *c = s->modern;

	for (; c->cold_op; c->cold_op = s->winst[c->cold_op].next)
		answer(s, c->cold_op, c->p->const_latency, 0);
	c->const_cold = false;
}

static void accept_access(struct sm *s, uint16_t h)
{
	struct core *c = s->modern;
	const struct winst *w = &s->winst[h];
	struct pipe_slot *k = &c->pipe[(c->pipe_head + c->pipe_count++) % L1_PIPE];
	uint32_t passes = core_passes(s, w), busy = bytes_cycles(c, w, c->p->sm_bytes),
		 data = passes > busy ? passes : busy, tags;

	coalesce(s, w, &k->list);
	tags = tag_passes(c, &k->list);
	occupy(c, s->clock, tags > data ? tags : data);
	s->n.l1cache_bkconflict += passes - 1;
	k->op = h;
	k->at = 0;
	k->late = data - busy;
	k->due = s->clock + c->p->l1_latency - LOOKUP_BEFORE - c->p->mem_first_lanes;
	k->bypass = w->uop->flags & UOP_BYPASS || (w->space == SPACE_GLOBAL && s->core->gmem_skip_l1d) ||
		    !ldst_l1d(s);
	c->op[h].left = 1;
	if (s->core->unfit && k->list.n) {
		s->ldst->acc = k->list;
		fit_check(s, w, !k->bypass);
	}
}

/*
 * Sources are read, and may be overwritten from then on, some cycles after the SM has taken the instruction;
 * the data of a store goes over the link first. With the cycles until then a lone LDS comes to 9, LDG to 11,
 * STS to 12 and STG to 14, and stores of 8 and 16 bytes to 2 and 6 more.
 */
static void read_sources(struct sm *s, uint16_t h, bool lanes, uint32_t sent)
{
	uint32_t wait = sent ? sent + (lanes ? 1 : 2) : lanes ? 0 : 1;

	if (s->modern->op[h].keeps)
		return;
	s->modern->op[h].read_at = s->clock + wait;
	if (wait)
		core_event_put(s, s->clock + wait, EVENT_READ, h, 0);
	else
		core_memory_read(s, h);
}

static void accept(struct sm *s, unsigned sub)
{
	struct core *c = s->modern;
	struct subcore *b = &c->sub[sub];
	uint16_t h = b->place[b->place_head].op;
	const struct winst *w = &s->winst[h];
	const struct core_inst *in = &c->inst[w->code];
	uint32_t sent = w->uop->flags & UOP_STORE ? share(32u * w->uop->size, c->p->link_bytes) : 0;

	b->place_head = (b->place_head + 1) % MEM_PLACES;
	if (!--b->places)
		c->waiting &= ~(1u << sub);
	b->place_freed = s->clock + sent;
	b->open_at[CORE_MEMORY] = 0;
	core_due(c, sub, s->clock);
	c->prt++;
	c->op[h].link = (uint8_t)(FIRST_REG * in->regs);
	ldst_count_entry(s, w);
	if (c->op[h].readers)
		read_sources(s, h, in->path == PATH_ACCESS && w->space != SPACE_SHARED, sent);
	if (in->path == PATH_ACCESS && w->space == SPACE_SHARED) {
		c->op[h].link = (uint8_t)(in->regs < 2 ? FIRST_REG : in->regs);
		accept_shared(s, in, h);
	} else if (in->path == PATH_ACCESS && w->space != SPACE_NONE) {
		accept_access(s, h);
	} else if (in->path == PATH_CONST) {
		occupy(c, s->clock, 1);
		if (!cold_constants(s, h))
			answer(s, h, c->p->const_latency, 0);
	} else {
		occupy(c, s->clock, 1);
		answer(s, h, c->p->shared_latency, 0);
	}
}

static void accept_next(struct sm *s)
{
	struct core *c = s->modern;
	uint32_t below = (1u << c->round) - 1;

	if (c->accept_at > s->clock || c->prt >= c->p->prt || c->pipe_count == L1_PIPE)
		return;
	FOR_BITS32 (i, (c->waiting & ~below) | (c->waiting & below) << MAX_SUBS) {
		unsigned k = i % MAX_SUBS;

		if (first_ready(&c->sub[k]) > s->clock)
			continue;
		core_account(s, k, s->clock);
		accept(s, k);
		c->round = k + 1 == c->subs ? 0 : k + 1;
		return;
	}
}

/* ---- the pipe to the L1 ------------------------------------------------------------------------- */

static void complete(struct sm *s, uint16_t h);

/* All accesses of an operation are there, or it had none. */
static void accesses_end(struct sm *s, uint16_t h)
{
	const struct winst *w = &s->winst[h];
	const struct core_op *op = &s->modern->op[h];

	if (w->uop->flags & (UOP_LOAD | UOP_ATOMIC))
		core_event_put(s, later(op->seen_at, s->clock), EVENT_DATA, h, 0);
	else if (op->read_at >= s->clock)
		core_event_put(s, op->read_at + 1, EVENT_DONE, h, 0);
	else
		complete(s, h);
}

static void access_ends(struct sm *s, uint16_t h)
{
	if (!--s->modern->op[h].left)
		accesses_end(s, h);
}

/* One access at the L1; false: refused. Hits end at once, stores when what they send down is acknowledged. */
static bool look_up(struct sm *s, struct pipe_slot *k, const struct access *a)
{
	struct ldst *l = s->ldst;
	struct core_op *op = &s->modern->op[k->op];
	struct cache_events ev = {0};
	uint32_t handle = ldst_make_request(s, a);
	struct req *r = ldst_req(s, handle);
	enum cache_status st = cache_access(l->l1d, handle, s->now, &ev, NULL);

	if (st == STATUS_RESERVATION_FAIL) {
		if (ev.never)
			fit_never(s, r, ev.never);
		req_free(s->reqs, handle);
		return false;
	}
	if (r->flags & REQ_WRITE) {
		if (ev.write_sent || (st == STATUS_MISS && ev.alloc_sent))
			s->warp[r->warp].stores += ldst_store_acks_of(l, a->size);
		else
			req_free(s->reqs, handle);
	} else if (st == STATUS_HIT) {
		op->seen_at = s->clock + LOOKUP_BEFORE - FIRST_REG + k->late;
		req_free(s->reqs, handle);
	} else {
		op->left++;
	}
	return true;
}

static bool pass_by(struct sm *s, struct pipe_slot *k, const struct access *a)
{
	const struct winst *w = &s->winst[k->op];
	uint32_t handle;
	struct req *r;

	if (!inject_possible_bytes(s, a->size + 8u, w->uop->flags & (UOP_STORE | UOP_ATOMIC)))
		return false;
	handle = ldst_make_request(s, a);
	r = ldst_req(s, handle);
	if (w->uop->flags & UOP_STORE)
		s->warp[w->warp].stores += r->pieces ? r->pieces : 1;
	else
		s->modern->op[k->op].left++;
	inject(s, handle);
	return true;
}

/* One cycle's lookups: the next lines, one a tag bank. True: all of the instruction's are made. */
static bool look_up_some(struct sm *s, struct pipe_slot *k)
{
	uint64_t line = NEVER;
	unsigned lines = 0;

	ldst_prepare_requests(s, k->op, k->op);
	for (; k->at < k->list.n; k->at++) {
		const struct access *a = &k->list.at[k->at];

		if ((a->addr & ~127ull) != line) {
			line = a->addr & ~127ull;
			if (++lines > s->modern->p->l1_tag_banks)
				return false;
		}
		if (k->bypass ? !pass_by(s, k, a) : !look_up(s, k, a))
			return false;
		if (k->bypass)
			return ++k->at == k->list.n;
	}
	return true;
}

static void pipe_step(struct sm *s)
{
	struct core *c = s->modern;

	while (c->pipe_count && c->pipe[c->pipe_head].due <= s->clock) {
		struct pipe_slot *k = &c->pipe[c->pipe_head];
		uint16_t h = k->op;

		core_sample_ports(s);
		if (!look_up_some(s, k)) {
			k->due = s->clock + 1;
			return;
		}
		c->pipe_head = (c->pipe_head + 1) % L1_PIPE;
		c->pipe_count--;
		access_ends(s, h);
	}
}

/* ---- what comes back ---------------------------------------------------------------------------- */

static void take_request(struct sm *s, uint32_t handle)
{
	const struct req *r = ldst_req(s, handle);
	uint16_t h = (uint16_t)r->lane0;
	bool blank = r->flags & REQ_BLANK, parent = r->flags & REQ_PARENT_WRITE;

	if (blank && parent)
		ldst_free_parent_write(s, r);
	req_free(s->reqs, handle);
	if (!blank)
		access_ends(s, h);
}

/* Stores have been acknowledged: warps may end, fences may open. */
static void stores_changed(struct sm *s)
{
	uint64_t drained = s->drained & s->live, fenced = s->membar & s->live;

	s->drained = 0;
	FOR_BITS64 (w, drained)
		core_warp_check_end(s, (unsigned)w);
	FOR_BITS64 (w, fenced)
		core_sync_completed(s, (unsigned)w);
}

/* The network hands over what it has carried; the L1 gives what is ready. */
static void take_answers(struct sm *s)
{
	struct ldst *l = s->ldst;
	uint32_t left;

	do {
		left = l->resp.count;
		ldst_response(s);
		if (l->nextg != REQ_NONE) {
			take_request(s, l->nextg);
			l->nextg = REQ_NONE;
		}
	} while (l->resp.count && l->resp.count < left);
	while (l->draining) {
		take_request(s, cache_pop_ready(l->l1d));
		l->draining = cache_has_ready(l->l1d);
	}
	stores_changed(s);
}

/* The value is ready; it goes to the register file over the sub-core's link. */
void core_memory_data(struct sm *s, uint16_t h)
{
	struct core *c = s->modern;
	struct core_op *op = &c->op[h];
	struct subcore *b = &c->sub[op->sub];
	const struct core_inst *in = &c->inst[s->winst[h].code];
	uint64_t end;

	if (in->flags & INST_LDGSTS) {
		core_event_put(s, s->clock + c->p->ldgsts_latency, EVENT_DONE, h, 0);
		return;
	}
	end = later(s->clock, b->link_free) + (in->n_dst ? op->link : FIRST_REG);
	if (in->n_dst)
		b->link_free = end;
	core_event_put(s, end, EVENT_DONE, h, 0);
}

/* Sources of h have been read: what overwrites them may issue in this cycle. */
void core_memory_read(struct sm *s, uint16_t h)
{
	struct core *c = s->modern;
	const struct winst *w = &s->winst[h];
	struct core_op *op = &c->op[h];

	if (!op->readers)
		return;
	op->readers = false;
	if (op->read)
		core_counter_down(s, w->warp, op->read - 1u);
	else
		core_sources_read(s, w->warp, &c->inst[w->code]);
	core_look_again(s, w->warp);
}

static void complete(struct sm *s, uint16_t h)
{
	struct core *c = s->modern;
	const struct winst *w = &s->winst[h];
	const struct core_inst *in = &c->inst[w->code];
	unsigned warp = w->warp;

	core_memory_read(s, h);
	sm_inst_complete(s, w->code, w->mask);
	if (c->op[h].write)
		core_event_put(s, s->clock + c->p->sb_release, EVENT_COUNTER, warp, c->op[h].write - 1u);
	if (!c->warp[warp].control)
		core_release(s, warp, in);
	if (in->unit == CORE_MEMORY) {
		if (c->prt-- >= c->p->prt)
			due_at(c, s->clock + 1);
		if (s->events)
			events_memdone(s->events, s->now, s->id, warp, in->pc);
	} else if (s->events) {
		events_writeback(s->events, s->now, s->id, warp, in->pc);
	}
	s->warp[warp].in_pipe--;
	if (in->flags & INST_LDGSTS)
		core_ldgsts_done(s, warp, c->op[h].group);
	sm_winst_free(s, h);
	core_look_again(s, warp);
	core_sync_completed(s, warp);
	core_warp_check_end(s, warp);
}

void core_memory_done(struct sm *s, uint16_t h) { complete(s, h); }

/* ---- the cycle ---------------------------------------------------------------------------------- */

/* The L1D's port counters, up to now. */
void core_sample_ports(struct sm *s)
{
	struct core *c = s->modern;

	if (ldst_l1d(s) && s->clock > c->l1d_seen)
		cache_idle_cycles(ldst_l1d(s), s->clock - c->l1d_seen);
	c->l1d_seen = s->clock;
}

static uint64_t next_accept(const struct sm *s)
{
	const struct core *c = s->modern;
	uint64_t next = NEVER;

	if (c->prt >= c->p->prt || c->pipe_count == L1_PIPE)
		return NEVER;
	FOR_BITS32 (k, c->waiting)
		if (first_ready(&c->sub[k]) < next)
			next = first_ready(&c->sub[k]);
	if (next == NEVER)
		return NEVER;
	return later(later(next, c->accept_at), s->clock + 1);
}

static uint64_t next_due(const struct sm *s)
{
	const struct core *c = s->modern;
	const struct ldst *l = s->ldst;
	uint64_t next;

	if (l->resp.count || (l->l1d && !cache_miss_queue_empty(l->l1d)))
		return s->clock + 1;
	next = next_accept(s);
	if (c->pipe_count && c->pipe[c->pipe_head].due < next)
		next = c->pipe[c->pipe_head].due;
	return next > s->clock ? next : s->clock + 1;
}

void core_memory_cycle(struct sm *s)
{
	struct core *c = s->modern;
	struct ldst *l = s->ldst;
	uint32_t ports = s->params->net.cluster_ports;

	if (l->resp.count || l->draining || l->nextg != REQ_NONE) {
		core_sample_ports(s);
		take_answers(s);
	}
	do {
		if (l->l1d && !cache_miss_queue_empty(l->l1d) &&
			inject_possible(s, ldst_req(s, cache_miss_queue_front(l->l1d)), false))
			inject(s, cache_miss_queue_pop(l->l1d));
	} while (ports-- > 1);
	pipe_step(s);
	accept_next(s);
	c->mem_due = next_due(s);
}
