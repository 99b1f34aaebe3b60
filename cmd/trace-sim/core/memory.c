/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory pipeline: queues in the sub-cores, acceptance by the SM, the pipe to the L1 data cache, and replies from
 * it. Operations end in complete.c. The levels below the L1 are those of the core of sm/.
 *
 * Always true: the SM accepts one instruction at a time, from the sub-cores in round robin. Its data port is busy for
 * the cycles of the bytes, of the passes over the data banks, or of the passes over the tag banks, whichever are most.
 * L1 lookups happen in the order of acceptance, each a fixed time after it, up to one line per tag bank in a cycle. A
 * rejected lookup delays the lookups after it. An operation ends when all its accesses have ended and the link to its
 * sub-core has carried its result.
 */
#include "power/counts.h"
#include "core/core.h"
#include "lsu/ldst_int.h"
#include "lsu/tma.h"
#include "sm/gang.h"
#include "sm/kernel.h"
#include "sm/pipeline.h"
#include "sm/profile.h"

#define HIT_TO_REGISTER 12u /* cycles from the lookup of a hit until the value is in the register file */
#define FIRST_REG       2u /* cycles of the first register on the link, which are part of the latencies in params */

static uint64_t later_clock(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* ---- queue of a sub-core ------------------------------------------------------------------------ */

static void make_memory_due_by(struct core *c, uint64_t at)
{
	if (at < c->mem_due)
		c->mem_due = at;
}

/* Returns the time at which the first instruction of the sub-core's queue may be accepted. */
static uint64_t first_accept_time(const struct subcore *b)
{
	const struct mem_place *k = &b->mem_queue[b->mem_queue_head];

	return later_clock(k->ready, b->mem_queue_free_at + k->interval);
}

void core_memory_enqueue(struct sm *s, struct subcore *b, const struct core_inst *in, uint16_t h, uint64_t t)
{
	struct core *c = s->modern;
	const struct winst *w = &s->winst[h];
	bool lanes = in->path == PATH_ACCESS && w->space != SPACE_SHARED;

	b->mem_queue[(b->mem_queue_head + b->mem_queue_count++) % MEM_PLACES] = (struct mem_place){
		.ready = t + (lanes ? c->params->mem_first_lanes : c->params->mem_first),
		.op = h,
		.interval = (uint8_t)(lanes ? c->params->mem_interval : c->params->mem_interval_shared)};
	if (b->mem_queue_count == c->params->mem_places)
		b->unit_free_at[CORE_MEMORY] = NEVER;
	c->waiting |= 1u << w->sched;
	if (b->mem_queue_count == 1)
		make_memory_due_by(c, later_clock(first_accept_time(b), c->data_port_free_at));
}

/* ---- use of the data port ----------------------------------------------------------- */

/* Returns the number of cycles for which the data port moves the data of all 32 lanes, active or not. */
static uint32_t data_port_cycles(const struct core *c, const struct winst *w, uint32_t port)
{
	uint32_t busy = core_div_up(32u * (w->uop->size ? w->uop->size : 4), port);

	return busy > c->params->sm_interval ? busy : c->params->sm_interval;
}

/*
 * Returns the number of passes over the tags of the L1. Each tag bank looks up one line per cycle. The bank of a line
 * is the XOR of parts of the line's number.
 */
static uint32_t count_tag_passes(const struct core *c, const struct access_list *list)
{
	uint8_t count[TAG_BANKS] = {0}, most = 1;
	uint32_t bits = c->params->l1_tag_bits, bank;
	uint64_t line = NEVER, digits;

	for (uint32_t i = 0; i < list->n; i++) {
		if (list->access[i].addr / 128 == line)
			continue;
		digits = line = list->access[i].addr / 128;
		for (uint32_t half = c->params->l1_tag_fold; half >= bits; half /= 2)
			digits ^= digits >> half;
		bank = (uint32_t)digits & (c->params->l1_tag_banks - 1);
		if (++count[bank] > most)
			most = count[bank];
	}
	return most;
}

static void occupy_data_port(struct core *c, uint64_t now, uint32_t cycles)
{
	c->data_port_free_at = later_clock(c->data_port_free_at, now) + (cycles ? cycles : 1);
	if (c->shared_reads_free_at > now)
		c->shared_reads_free_at += cycles;
}

void core_memory_occupy_port(struct sm *s, uint32_t cycles) { occupy_data_port(s->modern, s->clock, cycles); }

/* ---- acceptance --------------------------------------------------------------------------------- */

/* Schedules EVENT_DATA: without waits, the result arrives `latency` + `more` cycles after the issue. */
static void schedule_data_event(struct sm *s, uint16_t h, uint32_t latency, uint32_t more)
{
	core_add_event(
		s, s->clock + latency - s->modern->params->mem_first - FIRST_REG + more, EVENT_DATA, h, 0);
}

static void accept_shared(struct sm *s, const struct core_inst *in, uint16_t h)
{
	struct core *c = s->modern;
	const struct winst *w = &s->winst[h];
	uint32_t passes = core_count_passes(s, w), busy = data_port_cycles(c, w, c->params->shared_bytes);

	if (in->flags & INST_LDSM_N)
		busy = in->result_regs * core_div_up(128, c->params->shared_bytes);
	occupy_data_port(c, s->clock, passes > busy ? passes : busy);
	s->n.shmem_bkconflict += passes - 1;
	if (s->profile)
		profile_count_request(s, w->warp, w->code, 0, passes - 1);
	/* counts the first pass; shmem_bkconflict counts the others */
	if (s->power)
		s->power->shared_insts_begun++;
	s->n.stall[STALL_S_MEM][STALL_BK_CONF] += passes - 1;
	s->n.stall_shd_mem += passes - 1;
	if (in->flags & INST_SYNC)
		core_sync_op_accepted(s, h);
	if (in->n_dst > 0 || w->uop->flags & UOP_LOAD)
		schedule_data_event(s, h, c->params->shared_latency,
			(passes > busy ? passes - busy : 0) + (in->flags & INST_LDSM_N ? 2 : 0));
	else
		core_add_event(s, later_clock(s->clock + passes, c->op[h].read_at) + 1, EVENT_DONE, h, 0);
}

/* Makes a load of constants wait, and returns true, if the first constants of its kernel are not loaded yet. */
static bool wait_for_cold_constants(struct sm *s, uint16_t h)
{
	struct core *c = s->modern;
	const struct kernel *k = s->cta[s->winst[h].cta].kernel;

	if (!s->l1i || !c->params->const_cold || (c->const_kernel == k->uid && !c->const_cold))
		return false;
	s->winst[h].next = c->first_const_waiter;
	c->first_const_waiter = h;
	if (c->const_kernel != k->uid && !c->const_cold)
		core_add_event(s, s->clock + 1, EVENT_L1I, CONST_SUB, k->code_base - 4096);
	c->const_cold = true;
	c->const_kernel = k->uid;
	return true;
}

void core_memory_constants_arrived(struct sm *s)
{
	struct core *c = s->modern;

	for (; c->first_const_waiter; c->first_const_waiter = s->winst[c->first_const_waiter].next)
		schedule_data_event(s, c->first_const_waiter, c->params->const_latency, 0);
	c->const_cold = false;
}

static void accept_global(struct sm *s, uint16_t h)
{
	struct core *c = s->modern;
	const struct winst *w = &s->winst[h];
	struct pipe_slot *k = &c->pipe[(c->pipe_head + c->pipe_count++) % L1_PIPE];
	uint32_t passes = core_count_passes(s, w), busy = data_port_cycles(c, w, c->params->sm_bytes),
		 data = passes > busy ? passes : busy, tags;

	coalesce(s, w, &k->list);
	if (s->profile)
		profile_count_request(s, w->warp, w->code, ldst_count_sectors(&k->list), passes - 1);
	tags = count_tag_passes(c, &k->list);
	occupy_data_port(c, s->clock, tags > data ? tags : data);
	s->n.l1cache_bkconflict += passes - 1;
	k->op = h;
	k->next_access = 0;
	k->extra_cycles = data - busy;
	k->due_at = s->clock + c->params->l1_latency - HIT_TO_REGISTER - c->params->mem_first_lanes;
	k->bypass = w->uop->flags & UOP_BYPASS || (w->space == SPACE_GLOBAL && s->core->gmem_skip_l1d) ||
		    !ldst_l1d(s);
	c->op[h].accesses_left = 1;
	if (s->core->unfit && k->list.n) {
		s->ldst->accesses = k->list;
		fit_check_accesses(s, w, !k->bypass);
	}
}

/*
 * Schedules the time after which the sources may be overwritten. The data of a store first takes `sent` cycles on the
 * link. From issue to this time, an LDS alone takes 9 cycles, LDG 11, STS 12 and STG 14. Stores of 8 bytes take 2
 * cycles more, stores of 16 bytes take 6 more.
 */
static void schedule_source_read(struct sm *s, uint16_t h, bool lanes, uint32_t sent)
{
	uint32_t wait = sent ? sent + (lanes ? 1 : 2) : lanes ? 0 : 1;

	if (s->modern->op[h].reads_until_end)
		return;
	s->modern->op[h].read_at = s->clock + wait;
	if (wait)
		core_add_event(s, s->clock + wait, EVENT_READ, h, 0);
	else
		core_complete_sources(s, h);
}

/* Returns the cycles in which the link carries the data of a store; 0 for other instructions. */
static uint32_t store_data_cycles(const struct core *c, const struct winst *w, const struct core_inst *in)
{
	uint32_t bytes = in->flags & INST_LDSM_N ? 128u * in->result_regs : 32u * w->uop->size;

	return w->uop->flags & UOP_STORE ? core_div_up(bytes, c->params->link_bytes) : 0;
}

static void accept_first_of_queue(struct sm *s, unsigned sub)
{
	struct core *c = s->modern;
	struct subcore *b = &c->sub[sub];
	uint16_t h = b->mem_queue[b->mem_queue_head].op;
	const struct winst *w = &s->winst[h];
	const struct core_inst *in = &c->inst[w->code];
	uint32_t sent = store_data_cycles(c, w, in);

	b->mem_queue_head = (b->mem_queue_head + 1) % MEM_PLACES;
	if (!--b->mem_queue_count)
		c->waiting &= ~(1u << sub);
	b->mem_queue_free_at = s->clock + sent;
	b->unit_free_at[CORE_MEMORY] = 0;
	core_wake_subcore_at(c, sub, s->clock);
	c->prt_used++;
	c->op[h].link_cycles = (uint8_t)(FIRST_REG * in->result_regs);
	ldst_count_instruction(s, w);
	if (c->op[h].counts_readers)
		schedule_source_read(s, h, in->path == PATH_ACCESS && w->space != SPACE_SHARED, sent);
	if (in->flags & INST_BULK) {
		occupy_data_port(c, s->clock, 1);
		tma_accept(s, w);
		core_add_event(s, s->clock + 1, EVENT_DONE, h, 0);
	} else if (core_is_remote_access(s, w)) {
		core_remote_accept(s, h);
	} else if (in->path == PATH_ACCESS && w->space == SPACE_SHARED) {
		c->op[h].link_cycles = (uint8_t)(in->result_regs < 2 ? FIRST_REG : in->result_regs);
		accept_shared(s, in, h);
	} else if (in->path == PATH_ACCESS && w->space != SPACE_NONE) {
		accept_global(s, h);
	} else if (in->path == PATH_CONST) {
		occupy_data_port(c, s->clock, 1);
		if (!wait_for_cold_constants(s, h))
			schedule_data_event(s, h, c->params->const_latency, 0);
	} else {
		occupy_data_port(c, s->clock, 1);
		schedule_data_event(s, h, c->params->shared_latency, 0);
	}
}

/*
 * Returns true if the first instruction of the queue is for the TMA or for the gang port, which cannot accept it yet.
 */
static bool waits_for_tma_or_port(const struct sm *s, const struct subcore *b)
{
	const struct winst *w = &s->winst[b->mem_queue[b->mem_queue_head].op];

	if (w->uop->flags & UOP_BULK)
		return !tma_can_accept(s);
	return s->port && !gang_can_send(s) && core_is_remote_access(s, w);
}

static void accept_next_instruction(struct sm *s)
{
	struct core *c = s->modern;
	uint32_t below = (1u << c->first_sub) - 1;

	if (c->data_port_free_at > s->clock || c->prt_used >= c->params->prt || c->pipe_count == L1_PIPE)
		return;
	FOR_BITS32 (i, (c->waiting & ~below) | (c->waiting & below) << MAX_SUBS) {
		unsigned k = i % MAX_SUBS;

		if (first_accept_time(&c->sub[k]) > s->clock || waits_for_tma_or_port(s, &c->sub[k]))
			continue;
		core_count_cycles_before(s, k, s->clock);
		accept_first_of_queue(s, k);
		c->first_sub = k + 1 == c->subs ? 0 : k + 1;
		return;
	}
}

/* ---- the pipe to the L1 ------------------------------------------------------------------------- */

/* Schedules the result or the end of an operation after its last access. */
static void schedule_end_of_accesses(struct sm *s, uint16_t h)
{
	const struct winst *w = &s->winst[h];
	const struct core_op *op = &s->modern->op[h];

	if (w->uop->flags & (UOP_LOAD | UOP_ATOMIC))
		core_add_event(s, later_clock(op->last_hit_ready_at, s->clock), EVENT_DATA, h, 0);
	else if (op->read_at >= s->clock)
		core_add_event(s, op->read_at + 1, EVENT_DONE, h, 0);
	else
		core_complete_operation(s, h);
}

static void end_one_access(struct sm *s, uint16_t h)
{
	if (!--s->modern->op[h].accesses_left)
		schedule_end_of_accesses(s, h);
}

/*
 * Makes one access to the L1. Returns false if the L1 rejected it. Hits and stores need no later reply to the
 * operation; acknowledgements of stores are counted by warp.
 */
static bool look_up_in_l1(struct sm *s, struct pipe_slot *k, const struct access *a)
{
	struct ldst *l = s->ldst;
	struct core_op *op = &s->modern->op[k->op];
	struct cache_events ev = {0};
	uint32_t handle = ldst_make_request(s, a);
	struct req *r = ldst_req(s, handle);
	enum cache_status probe, st = cache_access(l->l1d, handle, s->now, &ev, &probe);

	if (st == STATUS_RESERVATION_FAIL) {
		if (ev.never_reason)
			fit_die_rejected_access(s, r, ev.never_reason);
		req_free(s->reqs, handle);
		return false;
	}
	if (s->profile)
		profile_count_l1(s, r, probe == STATUS_HIT || probe == STATUS_HIT_RESERVED);
	if (r->flags & REQ_WRITE) {
		core_warp_of(s, r->warp)->unsent_stores += ev.write_sent;
		if (ev.write_sent || (st == STATUS_MISS && ev.alloc_sent))
			s->warp[r->warp].stores += ldst_store_acks_of(l, a->size);
		else
			req_free(s->reqs, handle);
	} else if (st == STATUS_HIT) {
		op->last_hit_ready_at = s->clock + HIT_TO_REGISTER - FIRST_REG + k->extra_cycles;
		req_free(s->reqs, handle);
	} else {
		op->accesses_left++;
	}
	return true;
}

static bool send_bypassing_l1(struct sm *s, struct pipe_slot *k, const struct access *a)
{
	const struct winst *w = &s->winst[k->op];
	uint32_t handle;
	struct req *r;

	if (!inject_can_push_bytes(s, a->size + 8u, w->uop->flags & (UOP_STORE | UOP_ATOMIC)))
		return false;
	handle = ldst_make_request(s, a);
	r = ldst_req(s, handle);
	if (w->uop->flags & UOP_STORE)
		s->warp[w->warp].stores += r->pieces ? r->pieces : 1;
	else
		s->modern->op[k->op].accesses_left++;
	inject(s, handle);
	return true;
}

/* Makes the lookups of one cycle, at most one line per tag bank. Returns true if all accesses of *k have been made. */
static bool look_up_next_lines(struct sm *s, struct pipe_slot *k)
{
	uint64_t line = NEVER;
	unsigned lines = 0;

	ldst_prepare_requests(s, k->op, k->op);
	for (; k->next_access < k->list.n; k->next_access++) {
		const struct access *a = &k->list.access[k->next_access];

		if ((a->addr & ~127ull) != line) {
			line = a->addr & ~127ull;
			if (++lines > s->modern->params->l1_tag_banks)
				return false;
		}
		if (k->bypass ? !send_bypassing_l1(s, k, a) : !look_up_in_l1(s, k, a))
			return false;
		if (k->bypass)
			return ++k->next_access == k->list.n;
	}
	return true;
}

static void step_memory_pipe(struct sm *s)
{
	struct core *c = s->modern;

	while (c->pipe_count && c->pipe[c->pipe_head].due_at <= s->clock) {
		struct pipe_slot *k = &c->pipe[c->pipe_head];
		uint16_t h = k->op;

		core_sample_ports(s);
		if (!look_up_next_lines(s, k)) {
			k->due_at = s->clock + 1;
			return;
		}
		c->pipe_head = (c->pipe_head + 1) % L1_PIPE;
		c->pipe_count--;
		end_one_access(s, h);
	}
}

/* ---- replies --------------------------------------------------------------- */

static void end_request(struct sm *s, uint32_t handle)
{
	const struct req *r = ldst_req(s, handle);
	uint16_t h = (uint16_t)r->lane0;
	bool blank = r->flags & REQ_BLANK, parent = r->flags & REQ_PARENT_WRITE;

	if (blank && parent)
		ldst_free_parent_write(s, r);
	req_free(s->reqs, handle);
	if (!blank)
		end_one_access(s, h);
}

/* Ends warps and memory fences whose stores have all been acknowledged. */
static void release_store_waiters(struct sm *s)
{
	uint64_t drained = s->drained & s->live, fenced = s->membar & s->live;

	s->drained = 0;
	FOR_BITS64 (w, drained)
		core_warp_check_end(s, (unsigned)w);
	FOR_BITS64 (w, fenced)
		core_sync_access_done(s, (unsigned)w);
}

/* Takes replies from the network and ready requests from the L1. */
static void take_l1_and_network_replies(struct sm *s)
{
	struct ldst *l = s->ldst;
	uint32_t left;

	do {
		left = l->responses.count;
		ldst_handle_response(s);
		if (l->bypass_reply != REQ_NONE) {
			end_request(s, l->bypass_reply);
			l->bypass_reply = REQ_NONE;
		}
	} while (l->responses.count && l->responses.count < left);
	while (l->draining) {
		end_request(s, cache_pop_ready(l->l1d));
		l->draining = cache_has_ready(l->l1d);
	}
	release_store_waiters(s);
}

/* Sends the value of operation h over the sub-core's link to the register file. */
void core_memory_value_ready(struct sm *s, uint16_t h)
{
	struct core *c = s->modern;
	struct core_op *op = &c->op[h];
	struct subcore *b = &c->sub[op->sub];
	const struct core_inst *in = &c->inst[s->winst[h].code];
	uint64_t end;

	if (in->flags & INST_LDGSTS) {
		core_add_event(s, s->clock + c->params->ldgsts_latency, EVENT_DONE, h, 0);
		return;
	}
	end = later_clock(s->clock, b->link_free_at) + (in->n_dst ? op->link_cycles : FIRST_REG);
	if (in->n_dst)
		b->link_free_at = end;
	core_add_event(s, end, EVENT_DONE, h, 0);
}

/* ---- the cycle ---------------------------------------------------------------------------------- */

/* Brings the L1D's port counters up to date. */
void core_sample_ports(struct sm *s)
{
	struct core *c = s->modern;

	if (ldst_l1d(s) && s->clock > c->ports_sampled_at)
		cache_add_idle_cycles(ldst_l1d(s), s->clock - c->ports_sampled_at);
	c->ports_sampled_at = s->clock;
}

static uint64_t next_accept_time(const struct sm *s)
{
	const struct core *c = s->modern;
	uint64_t next = NEVER;

	if (c->prt_used >= c->params->prt || c->pipe_count == L1_PIPE)
		return NEVER;
	FOR_BITS32 (k, c->waiting)
		if (first_accept_time(&c->sub[k]) < next)
			next = first_accept_time(&c->sub[k]);
	if (next == NEVER)
		return NEVER;
	return later_clock(later_clock(next, c->data_port_free_at), s->clock + 1);
}

static uint64_t next_memory_clock(const struct sm *s)
{
	const struct core *c = s->modern;
	const struct ldst *l = s->ldst;
	uint64_t next;

	if (l->responses.count || (l->l1d && !cache_miss_queue_empty(l->l1d)))
		return s->clock + 1;
	next = next_accept_time(s);
	if (l->tma)
		next = sm_min_clock(next, tma_next_clock(s));
	if (c->pipe_count && c->pipe[c->pipe_head].due_at < next)
		next = c->pipe[c->pipe_head].due_at;
	return next > s->clock ? next : s->clock + 1;
}

void core_memory_cycle(struct sm *s)
{
	struct core *c = s->modern;
	struct ldst *l = s->ldst;
	uint32_t ports = s->params->net.cluster_ports;

	if (l->responses.count || l->draining || l->bypass_reply != REQ_NONE) {
		core_sample_ports(s);
		take_l1_and_network_replies(s);
	}
	do {
		if (l->l1d && !cache_miss_queue_empty(l->l1d) &&
			inject_can_push(s, ldst_req(s, cache_miss_queue_front(l->l1d)), false)) {
			core_warp_write_sent(s, ldst_req(s, cache_miss_queue_front(l->l1d)));
			inject(s, cache_miss_queue_pop(l->l1d));
		}
	} while (ports-- > 1);
	step_memory_pipe(s);
	accept_next_instruction(s);
	if (l->tma && tma_step(s))
		release_store_waiters(s);
	c->mem_due = next_memory_clock(s);
}
