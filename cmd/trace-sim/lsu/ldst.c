/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The load/store unit: its cycle, the dispatch register DISP, entry and retirement of instructions, and the time of the
 * next run (LSU-accept, LSU-disp, LSU-leave). readonly.c has the accesses to constants and textures.
 *
 * Always true between steps: DISP has an instruction exactly if ldst.disp is not DISP_EMPTY. The accesses that are left
 * to make are in ldst.accesses, and are made from the end of the list.
 */
#include <stdlib.h>
#include "arena.h"
#include "ldst_int.h"
#include "lsu/tma.h"
#include "power/counts.h"
#include "request/addrdec.h"
#include "sm/depend.h"
#include "sm/profile.h"

/* ---- building ------------------------------------------------------------------------------------------ */

static void timed_fifo_new(struct timed_fifo *f, uint32_t entries)
{
	uint32_t cap = fifo_capacity(entries);

	timed_fifo_init(f, xcalloc(cap, sizeof(*f->slot)), cap);
}

static void init_l1d_queues(struct sm *s, struct ldst *l)
{
	const struct core_params *c = s->core;

	l->l1d = cache_new(&c->l1d, ROLE_L1D, NULL, s->reqs);
	l->queue = xcalloc(c->l1_banks, sizeof(*l->queue));
	l->last_insert_step = xcalloc(c->l1_banks, sizeof(*l->last_insert_step));
	for (uint32_t b = 0; b < c->l1_banks; b++) {
		timed_fifo_new(&l->queue[b], c->l1_latency);
		l->last_insert_step[b] = NEVER;
	}
	l->n_banks = c->l1_banks;
	l->bank_shift = log2_floor(c->l1_bank_interleave);
	l->sector_mshr = c->l1d.mshr == MSHR_SECTOR_ASSOC;
}

struct ldst *ldst_new(struct sm *s)
{
	struct ldst *l = reserve(1, sizeof(*l));
	uint32_t cap = fifo_capacity(s->core->response_max);

	ring_init(&l->responses, xcalloc(cap, sizeof(uint32_t)), cap);
	timed_fifo_new(&l->shared_pipe, s->core->smem_latency);
	l->pend_stride = REG_LIMIT;
	l->pend = reserve(MAX_WARPS * REG_LIMIT, sizeof(*l->pend));
	l->l2_reply_is_split = s->params->mem.l2.present && s->params->mem.l2.kind == CACHE_SECTOR;
	l->queue_due = NEVER;
	if (s->core->l1d.present)
		init_l1d_queues(s, l);
	/*
	 * A write-back is sent to the partition of the request that caused it, so the partition must be known
	 * when the request accesses the cache.
	 */
	l->decode_early = addrdec_is_random(s->dec) || (l->l1d && s->core->l1d.write != WRITE_THROUGH);
	return l;
}

void ldst_delete(struct ldst *l)
{
	if (!l)
		return;
	if (l->l1d) {
		for (uint32_t b = 0; b < l->n_banks; b++)
			free(l->queue[b].slot);
		cache_delete(l->l1d);
	}
	cache_delete(l->l1c);
	cache_delete(l->l1t);
	tma_free(l->tma);
	free(l->queue);
	free(l->last_insert_step);
	free(l->responses.slot);
	free(l->shared_pipe.slot);
	reserve_free(l->pend, (size_t)MAX_WARPS * l->pend_stride, sizeof(*l->pend));
	free(l->ldgsts);
	reserve_free(l, 1, sizeof(*l));
}

struct cache *ldst_l1d(const struct sm *s) { return s->ldst->l1d; }
struct cache *ldst_l1c(const struct sm *s) { return s->ldst->l1c; }
struct cache *ldst_l1t(const struct sm *s) { return s->ldst->l1t; }

void ldst_invalidate_l1d(struct sm *s)
{
	if (s->ldst->l1d)
		cache_invalidate(s->ldst->l1d);
}

/* Returns the clock of a step. One step per clock is the usual case, which needs no division. */
static inline uint64_t clock_of_ldst_step(const struct sm *s, uint64_t step)
{
	uint32_t steps = s->core->ldst_steps;

	assert(steps);
	return steps == 1 ? step : step / steps;
}

/* ---- entry (LSU-accept) ------------------------------------------------------------------------------ */

bool ldst_can_accept(const struct sm *s) { return s->ldst->disp == DISP_EMPTY; }

void ldst_create_tma(struct sm *s)
{
	if (!s->ldst->tma)
		s->ldst->tma = tma_new();
}

void ldst_count_instruction(struct sm *s, const struct winst *w)
{
	unsigned lanes = w->lanes;

	if (w->uop->flags & UOP_PARAM)
		s->n.param_insn += lanes;
	else if (w->space == SPACE_CONST)
		s->n.const_insn += lanes;
	else if (w->space == SPACE_TEX)
		s->n.tex_insn += lanes;
	else if (w->space == SPACE_SHARED)
		s->n.shmem_insn += lanes;
	else if (w->space != SPACE_GLOBAL && w->space != SPACE_LOCAL)
		return;
	else if (w->uop->flags & UOP_STORE || uop_bulk_writes(w->uop))
		s->n.store_insn += lanes;
	else
		s->n.load_insn += lanes;
}

static enum disp_kind disp_kind_of(const struct sm *s, const struct ldst *l, const struct winst *w)
{
	if (w->uop->flags & UOP_BULK)
		return DISP_BULK;
	if (w->space == SPACE_SHARED)
		return w->mask && w->uop->flags & UOP_ACCESS ? DISP_SHARED : DISP_PASS;
	if (!l->accesses.n)
		return DISP_PASS;
	if (w->space == SPACE_CONST || w->space == SPACE_TEX)
		return DISP_READ;
	if (w->uop->flags & UOP_BYPASS || (w->space == SPACE_GLOBAL && s->core->gmem_skip_l1d))
		return DISP_BYPASS;
	return l->l1d ? DISP_L1 : DISP_BYPASS;
}

uint32_t ldst_count_sectors(const struct access_list *l)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->n; i++)
		n += bit_count32(l->access[i].sectors);
	return n;
}

void ldst_accept(struct sm *s, uint16_t handle)
{
	struct ldst *l = s->ldst;
	const struct winst *w = &s->winst[handle];
	uint64_t first = (s->clock + 1) * s->core->ldst_steps; /* first step of the next cycle */

	assert(l->disp == DISP_EMPTY);
	ldst_count_idle_cycles(s);
	if (w->space == SPACE_SHARED || w->uop->flags & UOP_BULK)
		l->accesses.lane0 = l->accesses.n = 0; /* no access to a cache */
	else
		coalesce(s, w, &l->accesses);
	if (w->uop->flags & UOP_LOAD && w->space != SPACE_SHARED)
		pend_count_accesses(s, w->uop, w->warp, l->accesses.n, l->accesses.lane0);
	ldst_count_instruction(s, w);
	if (s->power)
		power_count_unit(s->power, w->code, w->mask, w->lanes);
	l->disp_inst = handle;
	l->disp = (uint8_t)disp_kind_of(s, l, w);
	if (l->accesses.n)
		ldst_prepare_requests(s, handle, l->accesses.lane0);
	if (s->core->unfit && (l->disp == DISP_L1 || l->disp == DISP_BYPASS))
		fit_check_accesses(s, w, l->disp == DISP_L1);
	if (l->disp == DISP_SHARED) {
		l->passes_end = first + coalesce_count_shared_passes(s, w) - 1;
		first = l->passes_end;
		if (s->power)
			s->power->shared_insts_begun++;
	}
	if (s->profile)
		profile_count_request(s, w->warp, w->code, ldst_count_sectors(&l->accesses),
			l->disp == DISP_SHARED
				? (uint32_t)(l->passes_end - (s->clock + 1) * s->core->ldst_steps)
				: 0);
	if (clock_of_ldst_step(s, first) < l->due_at)
		l->due_at = clock_of_ldst_step(s, first);
}

/* ---- DISP (LSU-disp, LSU-leave) ------------------------------------------------------------------------ */

static void empty_disp(struct sm *s, struct ldst *l)
{
	l->disp = DISP_EMPTY;
	l->disp_inst = WINST_NONE;
	s->changed = true;
}

/*
 * Completes a load without outstanding accesses. quirk Q2-19: no instruction waits for a load without destination
 * register, and only a DEPBAR waits for an LDGSTS.
 */
static void retire_load(struct sm *s, struct ldst *l, const struct winst *w)
{
	if (!pend_has_accesses(s, w->uop, w->warp)) {
		sm_count_completed_inst(s, w->code, w->mask);
		depend_release_all(s, &s->warp[w->warp], w->warp, w->uop);
		if (w->uop->flags & UOP_LDGSTS &&
			!pend_ldgsts_accesses(s, w->warp, w->uop->pc, l->accesses.lane0))
			ldgsts_end_one(s, w->warp, w->uop->pc, l->accesses.lane0);
	}
}

static void retire_disp(struct sm *s, struct ldst *l)
{
	const struct winst *w = &s->winst[l->disp_inst];

	if (w->uop->flags & (UOP_LOAD | UOP_SYNC) && w->space == SPACE_SHARED) {
		if (l->shared_pipe.count == s->core->smem_latency)
			return;
		timed_fifo_push(
			&l->shared_pipe, (struct timed){l->step + s->core->smem_latency, l->disp_inst});
		empty_disp(s, l);
		return;
	}
	if (w->uop->flags & UOP_LOAD)
		retire_load(s, l, w);
	else
		sm_count_completed_inst(s, w->code, w->mask);
	warp_leaves_pipe(s, &s->warp[w->warp], w->warp);
	sm_winst_free(s, l->disp_inst);
	empty_disp(s, l);
}

/* Sends one access directly to the network. A store waits for one acknowledgement per piece. */
static enum stall_reason send_bypassing_access(struct sm *s, struct ldst *l)
{
	const struct winst *w = &s->winst[l->disp_inst];
	const struct access *a = &l->accesses.access[l->accesses.n - 1];
	uint32_t handle;

	if (!inject_can_push_bytes(s, a->size + 8u, w->uop->flags & (UOP_STORE | UOP_ATOMIC)))
		return STALL_ICNT;
	handle = ldst_make_request(s, a);
	if (w->uop->flags & UOP_STORE)
		s->warp[w->warp].stores += ldst_req(s, handle)->pieces ? ldst_req(s, handle)->pieces : 1;
	inject(s, handle);
	return --l->accesses.n ? STALL_COAL : STALL_NONE;
}

/* Passes the bulk copy in DISP to the TMA. */
static enum stall_reason pass_copy_to_tma(struct sm *s, struct ldst *l)
{
	if (!tma_can_accept(s))
		return STALL_COAL;
	tma_accept(s, &s->winst[l->disp_inst]);
	return STALL_NONE;
}

static enum stall_type memory_stall_type_of(const struct winst *w)
{
	bool store = w->uop->flags & UOP_STORE;

	if (w->space == SPACE_CONST)
		return STALL_C_MEM;
	if (w->space == SPACE_TEX)
		return STALL_T_MEM;
	if (w->space == SPACE_LOCAL)
		return store ? STALL_L_MEM_ST : STALL_L_MEM_LD;
	return store ? STALL_G_MEM_ST : STALL_G_MEM_LD;
}

/* Counts n steps in which a shared memory instruction has passes left. */
static void count_unfinished_passes(struct sm *s, uint64_t n)
{
	s->n.stall_shd_mem += n;
	s->n.stall[STALL_S_MEM][STALL_BK_CONF] += n;
	s->n.shmem_bkconflict += n;
}

static void step_disp(struct sm *s, struct ldst *l)
{
	enum stall_reason reason = STALL_NONE;

	if (l->disp == DISP_SHARED) {
		if (l->step < l->passes_end) {
			count_unfinished_passes(s, 1);
			return;
		}
	} else if (l->disp == DISP_L1) {
		reason = l1_issue_accesses(s);
	} else if (l->disp == DISP_BYPASS) {
		reason = send_bypassing_access(s, l);
	} else if (l->disp == DISP_READ) {
		reason = readonly_issue_access(s);
	} else if (l->disp == DISP_BULK) {
		reason = pass_copy_to_tma(s, l);
	}
	if (reason == STALL_NONE) {
		retire_disp(s, l);
		return;
	}
	s->n.stall_shd_mem++;
	s->n.stall[memory_stall_type_of(&s->winst[l->disp_inst])][reason]++;
}

bool ldst_has_passes_left(const struct sm *s)
{
	const struct ldst *l = s->ldst;

	return l->disp == DISP_SHARED && (s->clock + 1) * s->core->ldst_steps <= l->passes_end;
}

/* ---- the cycle ----------------------------------------------------------------------------------------- */

/* Returns the clock of the next step that changes more than counters; see the invariant of ldst.due_at. */
uint64_t ldst_compute_due(const struct sm *s, const struct ldst *l)
{
	uint64_t step = NEVER, next = s->clock + 1;

	if (l->write_back.is_full || l->draining || l->bypass_reply != REQ_NONE || l->responses.count)
		return next;
	if (l->disp == DISP_SHARED)
		step = l->passes_end;
	else if (l->disp != DISP_EMPTY)
		return next;
	if (l->l1d && !cache_miss_queue_empty(l->l1d))
		return next;
	if (l->readonly && readonly_has_work(l))
		return next;
	if (l->shared_pipe.count)
		step = sm_min_clock(step, timed_fifo_front(&l->shared_pipe).due_at);
	step = sm_min_clock(step, l->queue_due);
	if (step != NEVER)
		step = clock_of_ldst_step(s, step);
	if (l->tma)
		step = sm_min_clock(step, tma_next_clock(s));
	return step > next ? step : next;
}

static NOINLINE void count_idle_steps(struct sm *s, struct ldst *l, uint64_t steps)
{
	if (l->l1d)
		cache_add_idle_cycles(l->l1d, steps);
	if (l->disp == DISP_SHARED)
		count_unfinished_passes(s, steps);
}

/* Counts the cycles since the last run of the unit, up to `clock`, in which no step was due. */
static inline void count_idle_cycles(struct sm *s, struct ldst *l, uint64_t clock)
{
	uint64_t cycles = clock - l->counted_until;

	l->counted_until = clock;
	if (cycles)
		count_idle_steps(s, l, cycles * s->core->ldst_steps);
}

void ldst_count_idle_cycles(struct sm *s) { count_idle_cycles(s, s->ldst, s->clock); }

static void run_ldst_step(struct sm *s, struct ldst *l)
{
	ldst_write_back(s, l);
	if (l->responses.count)
		ldst_handle_response(s);
	if (l->readonly)
		readonly_step(s);
	if (l->l1d) {
		l1_cache_step(s, l->l1d);
		if (l->step >= l->queue_due)
			l1_queue_step(s, l);
	}
	if (l->disp != DISP_EMPTY)
		step_disp(s, l);
}

static NOINLINE void run_ldst_steps(struct sm *s, struct ldst *l)
{
	uint32_t steps = s->core->ldst_steps;

	count_idle_cycles(s, l, s->clock - 1);
	l->counted_until = s->clock;
	l->step = s->clock * steps;
	do {
		run_ldst_step(s, l);
		l->step++;
	} while (--steps);
	if (l->tma)
		tma_step(s);
	l->due_at = ldst_compute_due(s, l);
}

void ldst_cycle(struct sm *s)
{
	if (s->clock >= s->ldst->due_at)
		run_ldst_steps(s, s->ldst);
}

uint64_t ldst_next_clock(const struct sm *s) { return s->ldst->due_at; }
