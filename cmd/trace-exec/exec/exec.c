/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Execution of one warp, op by op.
 *
 * Always true: ops that change the flow are handled by stack.c, call.c and cta.c; all others continue at the
 * next instruction. An op that no lane executes is counted and recorded, but its function is not called.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exec/check.h"
#include "exec/lanes.h"
#include "exec/stack.h"
#include "exec/undefined.h"

void exec_thread_id(const struct warp *w, unsigned lane, uint32_t tid[3])
{
	const uint32_t *n = w->grid->launch->block;
	uint32_t t = w->index * LANES + lane;

	tid[0] = t % n[0];
	tid[1] = t / n[0] % n[1];
	tid[2] = t / n[0] / n[1];
}

/* Sets *f to the message, with the place of o and the thread of the lowest lane of mask. */
static void describe_finding(struct fault *f, const struct warp *w, const struct op *o, uint32_t mask,
	const char *id, const char *fmt, va_list args)
{
	char text[400], kernel[KERNEL_MAX], line[LINES_MAX] = "";
	uint32_t tid[3];

	position_instruction_text(o, line, sizeof(line));
	vsnprintf(text, sizeof(text), fmt, args);
	exec_thread_id(w, mask ? bit_lowest32(mask) : 0, tid);
	position_kernel_text(w->grid->launch->kernel, kernel);
	fault_set(f, stmt_place(o->func, o->stmt), id, "%s (%s, thread (%u,%u,%u) of CTA (%u,%u,%u)%s)", text,
		kernel, tid[0], tid[1], tid[2], w->cta->id[0], w->cta->id[1], w->cta->id[2], line);
}

/* Drops findings of the block at an instruction, whose failure is reported instead. */
static void drop_findings_at(struct cta *c, const struct op *o)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->n_findings; i++)
		if (c->finding[i].op != o)
			c->finding[n++] = c->finding[i];
	c->n_findings = n;
}

void exec_fail(struct warp *w, const struct op *o, uint32_t mask, const char *id, const char *fmt, ...)
{
	struct grid *g = w->cta->grid;
	va_list args;

	va_start(args, fmt);
	pthread_mutex_lock(&g->lock);
	if (w->cta->number < atomic_load(&g->first_failed)) {
		describe_finding(&g->fault, w, o, mask, id, fmt, args);
		atomic_store(&g->first_failed, w->cta->number);
	}
	pthread_mutex_unlock(&g->lock);
	va_end(args);
	drop_findings_at(w->cta, bound_original(g->code, o));
	w->stop |= WARP_STOP;
}

/* Findings that are reported once for each place; others are reported once for each kernel. */
enum { NOTED_RACE = 1, NOTED_READ = 2 };

/* Returns the bit of a finding that is reported once for each place; 0 for others. */
static unsigned bit_of_finding(const char *id)
{
	return !strcmp(id, "race") ? NOTED_RACE : !strcmp(id, "uninitialised") ? NOTED_READ : 0;
}

/* Returns true if the finding was printed, so that it is not printed again. */
static bool is_finding_printed(const struct bound_code *code, const struct op *o, unsigned bit)
{
	const struct func *f = code->prog->func[code->owner[o->inst]];
	const uint8_t *reported = __atomic_load_n(&f->reported, __ATOMIC_ACQUIRE);

	return bit && reported && __atomic_load_n(&reported[o->inst - f->first_pc], __ATOMIC_RELAXED) & bit;
}

bool exec_is_finding_known(struct warp *w, const struct op *o, const char *id)
{
	struct cta *c = w->cta;
	const struct op *original = bound_original(c->grid->code, o);
	const unsigned bit = bit_of_finding(id);

	for (uint32_t i = 0; i < c->n_findings; i++)
		if (bit == bit_of_finding(c->finding[i].fault.id) && (c->finding[i].op == original || !bit))
			return true;
	if (c->n_findings == FINDINGS_MAX)
		return true;
	if (!is_finding_printed(c->grid->code, original, bit))
		return false;
	c->finding[c->n_findings].op = original;
	c->finding[c->n_findings++].fault.id = id;
	return true;
}

void exec_note_finding(
	struct warp *w, const struct op *o, uint32_t mask, const char *id, const char *fmt, ...)
{
	struct cta *c = w->cta;
	va_list args;

	if (exec_is_finding_known(w, o, id))
		return;
	va_start(args, fmt);
	c->finding[c->n_findings].op = bound_original(c->grid->code, o);
	describe_finding(&c->finding[c->n_findings++].fault, w, o, mask, id, fmt, args);
	va_end(args);
}

/* Notes that a finding at the instruction was printed. Returns false if one was printed there before. */
static bool is_first_finding_at(const struct bound_code *code, const struct op *o, unsigned bit)
{
	uint32_t inst = o->inst;
	struct func *f = code->prog->func[code->owner[inst]];
	uint8_t *at;

	if (!f->reported)
		__atomic_store_n(&f->reported, xcalloc(f->n_insts, 1), __ATOMIC_RELEASE);
	at = &f->reported[inst - f->first_pc];
	bool first = !(*at & bit);
	__atomic_store_n(at, (uint8_t)(*at | bit), __ATOMIC_RELAXED);
	return first;
}

void exec_print_findings(const struct cta *c)
{
	struct func *k = c->grid->code->prog->func[c->grid->kernel];

	for (uint32_t i = 0; i < c->n_findings; i++) {
		const struct finding *x = &c->finding[i];
		unsigned bit = bit_of_finding(x->fault.id);

		c->grid->has_finding = true;
		if (bit ? is_first_finding_at(c->grid->code, x->op, bit) : !k->finding_reported)
			diag_fault(&x->fault);
		k->finding_reported |= !bit;
	}
}

/* ---- frames ---- */

#define MANY_SMS 80u /* value of %nsmid */

/* Returns %nwarpid: the number of warps that an SM can hold, by its compute capability (CUDA Programming Guide). */
static uint32_t warps_of_sm(uint32_t capability)
{
	switch (capability) {
	case 75: return 32;
	case 86:
	case 87:
	case 88:
	case 89:
	case 110:
	case 120:
	case 121: return 48;
	default: return 64;
	}
}

uint64_t exec_sreg_value(const struct warp *w, unsigned sreg, unsigned lane)
{
	const struct launch *l = w->grid->launch;
	const uint32_t *id = w->cta->id, *size = w->grid->cluster;
	uint32_t tid[3];

	switch (sreg) {
	case S_TID_X:
	case S_TID_Y:
	case S_TID_Z: exec_thread_id(w, lane, tid); return tid[sreg - S_TID_X];
	case S_NTID_X:
	case S_NTID_Y:
	case S_NTID_Z: return l->block[sreg - S_NTID_X];
	case S_CTAID_X:
	case S_CTAID_Y:
	case S_CTAID_Z: return id[sreg - S_CTAID_X];
	case S_NCTAID_X:
	case S_NCTAID_Y:
	case S_NCTAID_Z: return l->grid[sreg - S_NCTAID_X];
	case S_LANEID: return lane;
	case S_WARPID: return w->index;
	case S_NWARPID: return warps_of_sm(l->kernel->module->target);
	case S_SMID: return w->cta->number % MANY_SMS;
	case S_NSMID: return MANY_SMS;
	case S_GRIDID: w->cta->has_outside_effect = true; return l->id;
	case S_WARP_SZ: return LANES;
	case S_LANEMASK_EQ: return 1u << lane;
	case S_LANEMASK_LT: return (1u << lane) - 1;
	case S_LANEMASK_LE: return (2ull << lane) - 1;
	case S_LANEMASK_GT: return (uint32_t) ~((2ull << lane) - 1);
	case S_LANEMASK_GE: return (uint32_t) ~((1u << lane) - 1);
	case S_DYNAMIC_SMEM: return l->dyn_shared;
	case S_CLUSTERID_X:
	case S_CLUSTERID_Y:
	case S_CLUSTERID_Z: return id[sreg - S_CLUSTERID_X] / size[sreg - S_CLUSTERID_X];
	case S_NCLUSTERID_X:
	case S_NCLUSTERID_Y:
	case S_NCLUSTERID_Z: return l->grid[sreg - S_NCLUSTERID_X] / size[sreg - S_NCLUSTERID_X];
	case S_CLUSTER_CTAID_X:
	case S_CLUSTER_CTAID_Y:
	case S_CLUSTER_CTAID_Z: return id[sreg - S_CLUSTER_CTAID_X] % size[sreg - S_CLUSTER_CTAID_X];
	case S_CLUSTER_NCTAID_X:
	case S_CLUSTER_NCTAID_Y:
	case S_CLUSTER_NCTAID_Z: return size[sreg - S_CLUSTER_NCTAID_X];
	case S_CLUSTER_CTARANK: return w->cta->rank;
	case S_CLUSTER_NCTARANK: return w->grid->cluster_size;
	case S_EXPLICIT_CLUSTER: return l->cluster[0] || l->kernel->cluster[0];
	/* cooperative groups read the address of the workspace from these two registers */
	case S_ENVREG1: return l->workspace >> 32;
	case S_ENVREG2: return (uint32_t)l->workspace;
	default: return grid_sreg_value(w->grid, sreg);
	}
}

static void set_lane_slot(struct warp *w, uint32_t slot, unsigned bytes, unsigned i, uint64_t v)
{
	switch (bytes) {
	case 2: REG(uint16_t, w, slot)[i] = (uint16_t)v; break;
	case 4: REG(uint32_t, w, slot)[i] = (uint32_t)v; break;
	case 8: REG(uint64_t, w, slot)[i] = v; break;
	case 16:
		REG(uint64_t, w, slot)[i] = v;
		REG(uint64_t, w, slot)[i + LANES] = (int64_t)v < 0 ? UINT64_MAX : 0;
	}
}

LANE_FN static void fill_words_32(uint32_t *to, uint32_t v)
{
	EACH_LANE (i)
		to[i] = v;
}

LANE_FN static void fill_words_64(uint64_t *to, uint64_t v)
{
	EACH_LANE (i)
		to[i] = v;
}

/* Sets the slots of a frame that have values before its first instruction. */
static void set_initial_slots(struct warp *w, const struct frame *f)
{
	PRED(w, 0) = ALL_LANES;
	for (uint32_t n = 0; n < f->n_init; n++) {
		const struct frame_init *s = &f->init[n];
		uint64_t v = s->value + (s->sreg == INIT_DYN_SHARED ? w->grid->shared_static : 0) +
			     (s->sreg == INIT_LOCAL ? w->local_base : 0);

		if (!s->bytes) {
			PRED(w, s->slot) =
				s->sreg && exec_sreg_value(w, s->sreg, 0) ? ALL_LANES : (uint32_t)v;
			continue;
		}
		if (s->sreg && s->sreg < N_SREGS)
			v = exec_sreg_value(w, s->sreg, 0);
		if (s->sreg < N_SREGS && exec_sreg_differs(s->sreg))
			for (unsigned i = 0; i < LANES; i++)
				set_lane_slot(w, s->slot, s->bytes, i, exec_sreg_value(w, s->sreg, i));
		else if (s->bytes == 4)
			fill_words_32(REG(uint32_t, w, s->slot), (uint32_t)v);
		else if (s->bytes == 8)
			fill_words_64(REG(uint64_t, w, s->slot), v);
		else
			for (unsigned i = 0; i < LANES; i++)
				set_lane_slot(w, s->slot, s->bytes, i, v);
	}
}

void exec_open_frame(struct warp *w, uint32_t func)
{
	const struct frame *f = &w->grid->code->frame[func];
	size_t need = w->frame_at + f->bytes;

	if (need > w->frames_cap) {
		uint8_t *more = aligned_alloc(64, (2 * need + 63) / 64 * 64);

		if (!more)
			die("out of memory");
		memset(more, 0, (2 * need + 63) / 64 * 64);
		if (w->frames)
			memcpy(more, w->frames, w->frames_cap);
		free(w->frames);
		w->frames = more;
		w->frames_cap = (2 * need + 63) / 64 * 64;
	}
	w->func = func;
	w->frame = w->frames + w->frame_at;
	set_initial_slots(w, f);
	if (w->n_undefined)
		undefined_clear_registers(w, w->frame_at, f->bytes);
}

/* ---- the execution loop ---- */

static void end_exec_lanes(struct warp *w, uint32_t pc, uint32_t mask, uint32_t exec, bool whole)
{
	if (whole)
		w->ended |= exec;
	w->live &= ~exec;
	if (mask & ~exec)
		stack_continue_at(w, pc + 1);
	else
		stack_remove_ended(w);
}

/*
 * Calls a function through a register. Lanes with another function than the lowest lane execute the call again
 * after that function has returned.
 */
static void enter_function_by_register(struct warp *w, const struct op *o, uint32_t pc, uint32_t exec)
{
	uint64_t first = 0;
	uint32_t same = 0;
	const struct bound_code *c = w->grid->code;

	FOR_BITS32 (i, exec) {
		uint64_t a = o->reg_bytes == 8 ? REG(uint64_t, w, o->a)[i] : REG(uint32_t, w, o->a)[i];

		first = same ? first : a;
		same |= (uint32_t)(a == first) << i;
	}
	uint64_t to = (first - PROGRAM_BASE) / 8;
	const struct func *f = first >= PROGRAM_BASE && !(first % 8) && to < c->prog->n_insts
				       ? c->prog->func[c->owner[to]]
				       : NULL;
	if (!f || f->first_pc != to || !call_may_enter(o->x->site, f)) {
		exec_fail(w, o, same, "call-address",
			"call of 0x%llx%s%.80s (expected a function that fits the prototype or list of targets)",
			(unsigned long long)first, f ? ", " : "", f ? f->name : "");
		return;
	}
	if (exec & ~same)
		stack_execute_again(w, pc, exec & ~same);
	call_enter(w, o, c->owner[to], same);
}

static void execute_flow(struct warp *w, const struct op *o, uint32_t pc, uint32_t mask, uint32_t exec)
{
	w->changed |= o->flow == FLOW_BAR;
	switch (o->flow) {
	case FLOW_BRA: stack_branch(w, o, pc, mask, exec); break;
	case FLOW_BRX: stack_branch_table(w, o, pc, mask, exec); break;
	case FLOW_EXIT: end_exec_lanes(w, pc, mask, exec, true); break;
	case FLOW_RET: end_exec_lanes(w, pc, mask, exec, !w->n_calls); break;
	case FLOW_BAR:
		if (exec && !cta_arrive_barrier(w, o, exec))
			w->state = WARP_BARRIER;
		if (!(w->stop & WARP_STOP))
			stack_continue_at(w, pc + 1);
		break;
	case FLOW_WAIT:
		if (exec)
			cluster_wait(w, o, exec);
		if (!(w->stop & WARP_STOP))
			stack_continue_at(w, pc + 1);
		break;
	default:
		(exec ? stack_return_to : stack_continue_at)(w, pc + 1);
		if (exec && o->flow == FLOW_CALL)
			call_enter(w, o, w->grid->code->owner[o->target], exec);
		else if (exec)
			enter_function_by_register(w, o, pc, exec);
	}
}

/* Records an instruction. Most instructions only extend the last run (trace_out.c). */
static inline void record_inst(
	struct warp *w, record_fn *record, const struct op *o, uint32_t pc, uint32_t issue, uint32_t exec)
{
	struct recording *t = &w->packed;

	if (pc == t->next && exec == t->last_run_mask && issue == exec && !o->memory && o->flow != FLOW_BAR)
		t->next++;
	else
		record(w, o, pc, issue, exec);
}

/* Number of lanes of the last mask. It is kept because masks usually repeat. */
struct lane_count {
	uint32_t mask, lanes;
};

static inline uint32_t count_lanes(struct lane_count *c, uint32_t mask)
{
	if (mask != c->mask)
		c->lanes = bit_count32(c->mask = mask);
	return c->lanes;
}

/*
 * Executes up to n ops, all with flow FLOW_NEXT, without recording them: 30 host instructions an op instead of
 * 40. Returns the number of ops executed, which is less than n if the warp stops.
 */
static inline uint32_t run_straight(
	struct warp *w, const struct op *o, uint32_t n, uint32_t mask, struct lane_count *counted)
{
	const struct op *first = o, *end = o + n;
	uint64_t lanes = 0;

	w->uncounted = first;
	while (o < end && !w->stop) {
		uint32_t exec = mask & (PRED(w, o->guard) ^ o->guard_not);

		lanes += count_lanes(counted, exec);
		if (exec)
			o->execute(w, o, exec);
		o++;
	}
	w->uncounted = NULL;
	w->insts += (uint64_t)(o - first);
	w->thread_insts += lanes;
	return (uint32_t)(o - first);
}

/* Returns the number of ops of straight code that the warp may execute from pc on. */
static inline uint32_t straight_length(const struct op *o, uint32_t pc, uint32_t rpc, uint64_t most)
{
	/* unsigned difference: a meeting point before pc is no limit */
	uint32_t n = rpc - pc < o->n_straight ? rpc - pc : o->n_straight;

	return n < most ? n : (uint32_t)most;
}

/* Executes instructions whose sources are all defined. Also stops when a register becomes undefined. */
static void run_defined(struct warp *w, uint64_t quantum)
{
	const struct op *code = w->grid->code->op;
	record_fn *record = w->grid->record;
	uint64_t end = w->insts + quantum;
	struct lane_count counted = {0, 0};

	if (w->grid->machine) {
		w->grid->machine->run(w, quantum);
		return;
	}
	while (w->state == WARP_READY && !w->stop && w->insts < end) {
		struct stack_entry *top = &w->stack[w->depth - 1];
		uint32_t pc = top->pc, mask = top->mask & w->live, exec;
		const struct op *o = &code[pc];

		if (!record && o->n_straight) {
			pc += run_straight(
				w, o, straight_length(o, pc, top->rpc, end - w->insts), mask, &counted);
			o = &code[pc];
			if (pc == top->rpc || w->stop || w->insts >= end) {
				top->pc = pc;
				if (pc == top->rpc)
					stack_continue_at(w, pc);
				continue;
			}
		}
		for (;; pc++, o++) { /* straight code: the lanes that run stay the same */
			exec = mask & (PRED(w, o->guard) ^ o->guard_not);
			w->insts++;
			w->thread_insts += count_lanes(&counted, exec);
			if (o->flow != FLOW_NEXT)
				break;
			if (exec)
				o->execute(w, o, exec);
			if (record)
				record_inst(w, record, o, pc, mask, exec);
			if (pc + 1 == top->rpc || w->stop || w->insts >= end)
				break;
		}
		if (o->flow == FLOW_NEXT) {
			top->pc = pc + 1;
			if (pc + 1 == top->rpc)
				stack_continue_at(w, pc + 1);
			continue;
		}
		top->pc = pc;
		if (exec &&
			((o->flow == FLOW_BAR && !stack_gather(w, o, pc, mask, exec)) ||
				(o->flow == FLOW_WAIT && !stack_wait_for_cluster(w, o, pc, mask, exec)))) {
			w->insts--;
			w->thread_insts -= count_lanes(&counted, exec);
		} else {
			if (record)
				record_inst(w, record, o, pc, mask, exec);
			execute_flow(w, o, pc, mask, exec);
		}
	}
}

/*
 * Executes instructions one by one while a register is undefined. Returns when the warp has executed quantum
 * instructions; a group of lanes of machine code then still runs until it branches back (run_warp()).
 */
static void run_with_undefined(struct warp *w, uint64_t quantum)
{
	const struct machine_execution *machine = w->grid->machine;
	uint64_t end = w->insts + quantum;
	bool turns = machine && quantum > 1;

	while (w->state == WARP_READY && !w->stop && w->n_undefined &&
		(w->insts < end || (turns && w->depth > 1))) {
		const struct stack_entry *top = &w->stack[w->depth - 1];
		uint32_t pc = top->pc, mask = machine ? top->mask : top->mask & w->live;
		const struct op *o = &w->grid->code->op[pc];

		undefined_step(w, o, mask, mask & (PRED(w, o->guard) ^ o->guard_not));
		run_defined(w, 1);
		w->stop &= (uint8_t)~WARP_UNDEFINED;
		if (turns && w->insts >= end && w->depth > 1 && w->state == WARP_READY &&
			w->stack[w->depth - 1].pc <= pc) {
			machine->rotate(w);
			return;
		}
	}
}

void exec_warp(struct warp *w, uint64_t quantum)
{
	uint64_t end = w->insts + quantum;

	if (!w->n_undefined)
		run_defined(w, quantum);
	if (!w->n_undefined)
		return;
	w->stop &= (uint8_t)~WARP_UNDEFINED;
	while (w->state == WARP_READY && !w->stop && w->insts < end) {
		(w->n_undefined ? run_with_undefined : run_defined)(w, end - w->insts);
		w->stop &= (uint8_t)~WARP_UNDEFINED;
	}
}

/*
 * Number of times that a warp reads a clock before its turn ends. A warp that waits for a time gains nothing from the
 * rest of the turn.
 */
#define CLOCK_READS 16

uint64_t exec_clock(struct warp *w, uint64_t uncounted)
{
	w->timed = true;
	if (w->clock_reads < CLOCK_READS)
		w->clock_reads++;
	else if (!w->frozen && w->depth == 1) /* with several groups of lanes, only the group would change */
		w->stop |= WARP_YIELD;
	return w->frozen ? w->frozen_clock : w->cta->clock + w->insts + uncounted + w->cta->cluster->idle_ns;
}

uint64_t exec_timer(struct warp *w, uint64_t uncounted)
{
	w->cta->reads_timer = true;
	return w->grid->timer + exec_clock(w, uncounted);
}
