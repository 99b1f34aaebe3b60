/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Binds and executes branches, calls, returns, exits, convergence barriers and barriers of the thread block.
 *
 * A branch target in the instruction is checked when the instruction is bound, a target in a register when it is
 * executed.
 */
#include "exec/call.h"
#include "exec/check.h"
#include "exec/lanes.h"
#include "machine/code.h"
#include "machine/record.h"

/* Scratch vectors after the registers, for a barrier named by a register: its number and its thread count. */
#define BARRIER_NUMBER (FRAME_R + 256 * VECTOR)
#define BARRIER_COUNT  (FRAME_R + 257 * VECTOR)

/* ---- execution ---- */

/* Returns the number of the first instruction of the running function. */
static uint32_t first_pc(const struct op *o) { return o->func->first_pc; }

static void set_group_pc(struct warp *w, uint32_t pc) { w->stack[w->depth - 1].pc = pc; }

static void branch_lanes(struct warp *w, const struct op *o, uint32_t pc, uint32_t mask, uint32_t taken)
{
	const struct stack_entry part[2] = {{pc + 1, mask & ~taken, 0}, {o->target, taken, 0}};

	if (!taken || o->target == pc + 1)
		set_group_pc(w, pc + 1);
	else if (taken == mask)
		set_group_pc(w, o->target);
	else
		group_split(w, part, 2);
}

/* Values of op.n of branches. */
enum { BRANCH_EACH, BRANCH_DIV, BRANCH_CONV, BRANCH_UNIFORM, BRANCH_ANY };

/*
 * Returns the lanes that branch: the lanes of exec whose condition is true. With .CONV they branch only if they include
 * all live lanes that operand b names. With .DIV the whole group branches if they do not include all of these. With .U
 * they branch only if they are the whole group: the code after it is for groups whose lanes differ. With .U.ANY the
 * whole group branches if there is one: it is the end of a loop over lanes.
 */
static uint32_t lanes_that_branch(struct warp *w, const struct op *o, uint32_t mask, uint32_t exec)
{
	uint32_t taken = exec & first_pred_source(w, o);

	if (o->n == BRANCH_UNIFORM)
		return taken == mask ? taken : 0;
	if (o->n == BRANCH_ANY)
		return taken ? mask : 0;
	if (o->n != BRANCH_EACH) {
		uint32_t named = REG(uint32_t, w, o->b)[uniform_lane(w)] ^
				 (uint32_t)(o->mode ? ALL_LANES : 0),
			 absent = named & w->lanes & ~w->ended & ~taken;

		if (o->n == BRANCH_DIV && o->c && w->grid->options->check)
			group_check_own_masks(w, o, o->c, taken);
		if (o->n == BRANCH_CONV)
			taken = absent ? 0 : taken;
		else
			taken = absent ? mask : 0;
	}
	return taken;
}

/* Returns the number of the instruction at address. If there is none, fails the launch and returns UINT32_MAX. */
static uint32_t instruction_at_address(struct warp *w, const struct op *o, uint32_t lane, uint64_t address)
{
	uint32_t n = link_inst_at(o->func->machine_code, address);

	if (!address && o->flow == MF_CALL) { /* where the kernel is, which is never called */
		exec_fail(w, o, 1u << lane, "call-address",
			"call of a null pointer (expected the address of a function)");
		return UINT32_MAX;
	}
	if (n != UINT32_MAX)
		return first_pc(o) + n;
	exec_fail(w, o, 1u << lane, "branch-address",
		"branch to 0x%llx (expected the address of an instruction of the kernel)",
		(unsigned long long)address);
	return UINT32_MAX;
}

/* Branches to addresses in registers, which may differ between lanes. */
static void branch_by_register(struct warp *w, const struct op *o, uint32_t pc, uint32_t mask, uint32_t exec)
{
	const uint32_t *low = REG(uint32_t, w, o->a), *high = low + LANES;
	struct stack_entry part[LANES + 1] = {{pc + 1, mask & ~exec, 0}};
	unsigned n = 1, k = 0;
	uint64_t found = 0; /* address of part[k], k > 0 */

	FOR_BITS32 (i, exec) {
		uint64_t address = (low[i] | (uint64_t)high[i] << 32) + (uint64_t)o->imm;

		if (!k || address != found) { /* lanes of one part mostly follow each other */
			uint32_t to = instruction_at_address(w, o, i, address);

			if (to == UINT32_MAX)
				return;
			for (k = 1; k < n && part[k].pc != to;)
				k++;
			if (k == n)
				part[n++] = (struct stack_entry){to, 0, 0};
			found = address;
		}
		part[k].mask |= 1u << i;
	}
	if (n == 1)
		set_group_pc(w, pc + 1);
	else if (n == 2 && !part[0].mask)
		set_group_pc(w, part[1].pc);
	else
		group_split(w, part, n);
}

/*
 * Calls the functions at addresses in registers. Calls of extern functions are executed at once; other calls
 * are branches.
 */
static void call_by_register(struct warp *w, const struct op *o, uint32_t pc, uint32_t mask, uint32_t exec)
{
	const uint32_t *low = REG(uint32_t, w, o->a), *high = low + LANES;
	uint32_t left = exec;

	if (!exec || !(high[bit_lowest32(exec)] == EXTERN_BASE >> 32)) {
		branch_by_register(w, o, pc, mask, exec);
		return;
	}
	while (left) {
		unsigned lane = bit_lowest32(left);
		uint32_t same = 0;

		FOR_BITS32 (i, left)
			same |= (uint32_t)(low[i] == low[lane] && high[i] == high[lane]) << i;
		special_call_extern(w, o, low[lane] / 16, same);
		if (w->stop & WARP_STOP)
			return;
		left &= ~same;
	}
	set_group_pc(w, pc + 1);
}

/* Makes the lanes of exec a group that waits in state `how`. The other lanes of the group continue. */
static void make_waiting_group(struct warp *w, uint32_t pc, uint32_t mask, uint32_t exec, uint32_t how)
{
	if (mask & ~exec) {
		const struct stack_entry part[2] = {{pc, exec, 0}, {pc + 1, mask & ~exec, 0}};

		group_split(w, part, 2);
		for (uint32_t i = 0; i < w->depth; i++)
			if (w->stack[i].mask == exec)
				w->stack[i].rpc = how;
	} else {
		w->stack[w->depth - 1].rpc = how;
	}
	group_settle(w);
}

LANE_FN static void set_barrier(struct warp *w, const struct op *o, uint32_t mask, uint32_t exec)
{
	uint32_t *b = REG(uint32_t, w, o->a);

	EACH_LANE (i)
		b[i] = exec >> i & 1 ? mask : b[i];
}

/*
 * Removes the lanes of exec from the convergence barrier: from their own masks and from those of the other
 * lanes.
 */
static void break_barrier(struct warp *w, const struct op *o, uint32_t exec)
{
	uint32_t *b = REG(uint32_t, w, o->a), others = 0;

	FOR_BITS32 (i, exec) {
		others |= b[i];
		b[i] = 0;
	}
	FOR_BITS32 (i, others & ~exec)
		b[i] &= ~exec;
}

static void exit_lanes(struct warp *w, uint32_t pc, uint32_t mask, uint32_t exec)
{
	w->ended |= exec;
	w->live &= ~exec;
	if (mask & ~exec) {
		w->stack[w->depth - 1].mask = mask & ~exec;
		set_group_pc(w, pc + 1);
	}
	if (exec)
		group_settle(w);
}

/* Splits the register of a barrier into its number and its thread count. Count 0 means all threads of the block. */
static void split_barrier_register(struct warp *w, const struct op *o)
{
	for (unsigned i = 0; i < LANES; i++) {
		u32 v = REG(u32, w, o->x->slot[0])[i], count = v >> 16 & 0xfff;

		REG(u32, w, BARRIER_NUMBER)[i] = v & 15;
		REG(u32, w, BARRIER_COUNT)[i] = count ? count : w->grid->warps * LANES;
	}
}

static void execute_block_barrier(
	struct warp *w, const struct op *o, uint32_t pc, uint32_t mask, uint32_t exec)
{
	uint32_t alive = w->lanes & ~w->ended;

	if (o->x)
		split_barrier_register(w, o);
	w->changed = true;
	if (o->n >= BAR_AND)
		PRED(w, FRAME_BARKIND) = o->n;
	if (!exec) {
		set_group_pc(w, pc + 1);
		return;
	}
	if (exec != alive && o->n < BAR_AND && o->n != BAR_ARRIVE) {
		make_waiting_group(w, pc, mask, exec, GROUP_BAR);
		return;
	}
	if (!cta_arrive_barrier(w, o, exec) && w->state == WARP_READY)
		w->state = WARP_BARRIER;
	set_group_pc(w, pc + 1);
}

/* Executes a wait for the cluster. Other groups of the warp run until all lanes of the cluster have arrived. */
static void wait_for_cluster(struct warp *w, const struct op *o, uint32_t pc, uint32_t mask, uint32_t exec)
{
	if (exec && mask != (w->lanes & ~w->ended) && cluster_must_wait(w, mask)) {
		make_waiting_group(w, pc, mask, mask, GROUP_CLUSTER);
		return;
	}
	set_group_pc(w, pc + 1);
	if (exec)
		cluster_wait(w, o, mask);
}

/*
 * Exchanges the uniform registers of the lanes of m, by which a group is extended. If keep is true, saves them and
 * copies the registers of lane `own`, which belongs to the group. Otherwise restores the saved registers.
 */
static void exchange_uniform_registers(
	struct warp *w, const struct op *o, uint32_t m, bool keep, unsigned own)
{
	const uint32_t n = o->func->machine_code->uniforms;

	for (uint32_t r = 0; r < n; r++) {
		uint32_t *v = REG(uint32_t, w, FRAME_UR + r * VECTOR), *kept = v + n * LANES;

		FOR_BITS32 (i, m) {
			kept[i] = keep ? v[i] : kept[i];
			v[i] = keep ? v[own] : kept[i];
		}
	}
	for (uint32_t p = 0; p < UNIFORM_PREDICATES; p++) {
		uint32_t *v = &PRED(w, FRAME_UP + 4 * p), *kept = &PRED(w, FRAME_UP_KEPT + 4 * p);
		const uint32_t next = !keep ? *kept : *v >> own & 1 ? ALL_LANES : 0;

		*kept = *v;
		*v = (*v & ~m) | (next & m);
	}
}

/*
 * Extends the group to all live lanes of its quads (MF_QUADS), or restores its own lanes (MF_QUADS_END). The code
 * between the two instructions has no branches, so that only one group at a time is extended.
 */
static void switch_quad_extension(
	struct warp *w, const struct op *o, uint32_t pc, uint32_t mask, uint32_t exec)
{
	uint32_t *own = &PRED(w, FRAME_QUADS), quads = 0;

	set_group_pc(w, pc + 1);
	if (2 * o->func->machine_code->uniforms > UNIFORM_VECTORS) {
		exec_fail(w, o, mask, "quads",
			"quads are extended in code with uniform registers beyond UR%u",
			UNIFORM_VECTORS / 2 - 1);
		return;
	}
	if (o->flow == MF_QUADS && exec == mask && !*own) {
		for (unsigned i = 0; i < LANES; i += 4)
			quads |= mask >> i & 15 ? 15u << i : 0;
		*own = mask;
		quads &= w->lanes & ~w->ended;
		exchange_uniform_registers(w, o, quads & ~mask, true, uniform_lane(w));
		w->stack[w->depth - 1].mask = quads;
	} else if (o->flow == MF_QUADS_END && *own && (mask & *own) == *own) {
		exchange_uniform_registers(w, o, mask & ~*own, false, 0);
		w->stack[w->depth - 1].mask = *own;
		*own = 0;
	}
}

static void converge_lanes(struct warp *w, const struct op *o, uint32_t pc, uint32_t mask, uint32_t exec)
{
	uint32_t alive = w->lanes & ~w->ended;
	uint32_t want =
		exec ? o->flow == MF_WARPSYNC && o->mode ? alive : REG(uint32_t, w, o->a)[bit_lowest32(exec)]
		     : 0;

	if (!exec || (exec == mask && !(want & alive & ~exec)))
		set_group_pc(w, pc + 1);
	else
		make_waiting_group(w, pc, mask, exec, o->flow == MF_BSYNC ? GROUP_BSYNC : GROUP_WARPSYNC);
}

/* Returns the lanes of exec whose condition is true; all of exec if the instruction has no condition. */
static uint32_t lanes_with_condition(struct warp *w, const struct op *o, uint32_t mask, uint32_t exec)
{
	switch (o->flow) {
	case MF_BRA: return lanes_that_branch(w, o, mask, exec);
	case MF_BRX:
	case MF_RET: return exec & pred_value(w, o->c);
	case MF_EXIT:
	case MF_BSYNC:
	case MF_BREAK: return exec & first_pred_source(w, o);
	default: return exec;
	}
}

void flow_execute(struct warp *w, const struct op *o, uint32_t pc, uint32_t mask, uint32_t exec)
{
	uint32_t taken = lanes_with_condition(w, o, mask, exec);

	if (o->flow == MF_WARPSYNC && group_meet_at_warpsync(w, o, pc, mask, exec))
		return;
	record_op(w, w->grid->record, o, pc, mask, o->flow == MF_BRA || o->flow == MF_EXIT ? taken : exec);
	switch (o->flow) {
	case MF_BRA: branch_lanes(w, o, pc, mask, taken); break;
	case MF_BRX:
	case MF_RET: branch_by_register(w, o, pc, mask, taken); break;
	case MF_CALL: call_by_register(w, o, pc, mask, exec); break;
	case MF_EXIT: exit_lanes(w, pc, mask, taken); break;
	case MF_BSSY:
		set_barrier(w, o, mask, exec);
		set_group_pc(w, pc + 1);
		break;
	case MF_BSYNC: converge_lanes(w, o, pc, mask, taken); break;
	case MF_BREAK:
		set_group_pc(w, pc + 1);
		break_barrier(w, o, taken);
		group_release_beneath(w);
		break;
	case MF_WARPSYNC: converge_lanes(w, o, pc, mask, exec); break;
	case MF_YIELD:
		set_group_pc(w, pc + 1);
		if (w->depth > 1 && !group_release_from_yield(w, mask))
			group_rotate(w);
		w->stop |= w->grid->warps > 1 && o->n ? WARP_YIELD : 0;
		break;
	case MF_BAR: execute_block_barrier(w, o, pc, mask, exec); break;
	case MF_CLUSTER: wait_for_cluster(w, o, pc, mask, exec); break;
	case MF_QUADS:
	case MF_QUADS_END: switch_quad_extension(w, o, pc, mask, exec); break;
	default: exec_fail(w, o, mask, "end-of-code", "the code ends here (expected an EXIT before its end)");
	}
}

/* ---- binding ---- */

/* Returns the offset of a branch, or the address of a jump, in bytes. */
static int64_t signed_branch_field(const struct mbind *b)
{
	return b->code->sm >= 90 ? (int64_t)((uint64_t)signed_field(b, 34, 48) << 8 | field(b, 16, 8)) * 4
				 : signed_field(b, 34, 48) * 4;
}

/* Sets o->target from the branch offset. */
static int bind_target(struct mbind *b, struct op *o)
{
	int64_t offset = signed_branch_field(b);
	uint32_t to = link_inst_at(b->code, (uint64_t)((int64_t)b->inst->pc + 16 + offset));

	if (to == UINT32_MAX)
		return mbind_refuse(b, "branch out of the function");
	o->target = b->func->first_pc + to;
	return 0;
}

/*
 * Returns the frame slot of the mask of the WARPSYNC with which the code at instruction `to` begins, apart from a BSSY,
 * or 0 if the code begins with something else. The executing lanes go there if lanes of the mask are absent.
 */
static uint32_t mask_of_warpsync_at(const struct mbind *b, uint32_t to)
{
	const struct machine_code *c = b->code;

	to += to < c->n && (c->inst[to].word[0] & 0xfff) == 0x945;
	if (to >= c->n || (c->inst[to].word[0] & 0xfff) != 0x348)
		return 0;
	uint32_t n = (uint32_t)(c->inst[to].word[0] >> (c->sm >= 90 ? 24 : 32) & 255);
	return n == RZ ? 0 : FRAME_R + n * VECTOR;
}

static int bind_branch(struct mbind *b, struct op *o)
{
	unsigned kind = (unsigned)field(b, 32, 2), ur = (unsigned)field(b, 24, 6);

	o->flow = MF_BRA;
	o->imm = mbind_pred(b, 87, false);
	if ((b->inst->word[0] & 0xfff) == 0x547)
		o->imm = mbind_pred(b, 24, true);
	else if (kind == 1)
		o->n = bit(b, 84) ? BRANCH_ANY : BRANCH_UNIFORM;
	else if (kind >= 2) {
		bool has_operand = bit(b, 91); /* sm_75 has none: all lanes are named */

		o->n = kind == 2 ? BRANCH_DIV : BRANCH_CONV;
		o->b = ur == 63 || !has_operand ? FRAME_ZERO : FRAME_UR + ur * VECTOR;
		o->mode = bit(b, 30) || !has_operand;
	}
	if (bind_target(b, o))
		return -1;
	if (o->n == BRANCH_DIV)
		o->c = mask_of_warpsync_at(b, o->target - b->func->first_pc);
	return 0;
}

/* Binds a branch through register o->a. o->imm: the constant that is added to the register. o->c: the condition. */
static int bind_indirect(struct mbind *b, struct op *o, enum machine_flow flow, bool uniform)
{
	int64_t offset = signed_branch_field(b);

	o->flow = (uint8_t)flow;
	o->a = uniform ? mbind_ureg(b, 24) : mbind_reg(b, 24, 2);
	o->c = (uint32_t)mbind_pred(b, 87, false);
	o->imm =
		flow == MF_RET && bit(b, 85) ? offset : (int64_t)b->inst->pc + 16 + offset; /* bit 85: .ABS */
	return 0;
}

/* Binds a jump to an absolute address: in the instruction, a constant, or a register with a constant that is added. */
static int bind_jump(struct mbind *b, struct op *o, unsigned opcode)
{
	int64_t offset = signed_branch_field(b);

	o->flow = MF_BRX;
	o->c = (uint32_t)mbind_pred(b, 87, false);
	o->imm = 0;
	switch (opcode) {
	case 0x94a: o->a = mbind_number(b, (uint64_t)offset, 2); break;
	case 0xb4a: o->a = mbind_constant(b, 2); break;
	case 0x94c: o->a = mbind_reg(b, 24, 2), o->imm = offset; break;
	default: o->a = mbind_ureg(b, 24), o->imm = offset;
	}
	return opcode != 0x94c && field(b, 32, 2) > 1 ? mbind_refuse(b, "mode") : 0;
}

/* Binds CALL.ABS. The address is from a relocation, or else from the instruction. */
static int bind_absolute_call(struct mbind *b, struct op *o)
{
	uint64_t *named = b->code->call_target, address = named ? named[b->index] : UINT64_MAX;

	o->flow = MF_CALL;
	o->imm = 0;
	for (unsigned i = 0; address == UINT64_MAX && i < b->inst->n_args; i++)
		if (b->inst->arg[i].kind == SASS_TARGET)
			address = (uint64_t)b->inst->arg[i].value;
	o->a = mbind_number(b, address, 2);
	return address >> 32 == EXTERN_BASE >> 32 || link_inst_at(b->code, address) != UINT32_MAX
		       ? 0
		       : mbind_refuse(b, "call out of the functions");
}

static int bind_barrier(struct mbind *b, struct op *o, unsigned opcode)
{
	static const uint8_t red[4] = {BAR_POPC, BAR_AND, BAR_OR, BAR_OR};
	unsigned kind = (unsigned)field(b, 77, 2);

	o->flow = MF_BAR;
	o->b = 0;
	if (opcode == 0xb1d) {
		o->a = mbind_number(b, field(b, 54, 4), 1);
		if (field(b, 42, 12))
			o->b = mbind_number(b, field(b, 42, 12), 1);
	} else if (opcode == 0x91d) {
		o->a = mbind_number(b, field(b, 54, 4), 1);
		o->b = mbind_reg(b, 32, 1);
	} else if (opcode == 0x31d || opcode == 0x51d) {
		o->x = arena_alloc(&b->bound->arena, 1, sizeof(*o->x));
		o->x->slot[0] = mbind_reg(b, 32, 1);
		o->a = BARRIER_NUMBER;
		o->b = BARRIER_COUNT;
		if (opcode == 0x51d && field(b, 42, 12))
			o->b = mbind_number(b, field(b, 42, 12), 1);
	} else {
		return mbind_refuse(b, "barrier number in a register");
	}
	if (kind == 3)
		return mbind_refuse(b, "the result of a scan is not published");
	o->n = kind == 0 ? BAR_SYNC : kind == 1 ? BAR_ARRIVE : red[field(b, 74, 2)];
	if (o->n >= BAR_AND) {
		int64_t p = mbind_pred(b, 87, false);

		o->c = (uint32_t)p & 0xffff;
		o->imm = p >> 16 & 1 ? ALL_LANES : 0;
		o->d = o->n == BAR_POPC ? (uint32_t)FRAME_COUNT : (uint32_t)FRAME_BAR;
	}
	o->mode = 0;
	return 0;
}

static int bind_warpsync(struct mbind *b, struct op *o, unsigned opcode)
{
	o->flow = MF_WARPSYNC;
	o->n = b->code->sm >= 90 ? field(b, 85, 2) != 0 : field(b, 85, 2) >= 2; /* .EXCLUSIVE, .COLLECTIVE */
	if (opcode == 0x348) {
		o->a = mbind_reg(b, b->code->sm >= 90 ? 24 : 32, 1);
		return 0;
	}
	if (opcode == 0xb48) {
		o->a = mbind_constant(b, 1);
		return 0;
	}
	o->a = mbind_number(b, field(b, 32, 32), 1);
	o->mode = b->code->sm >= 90 && !field(b, 32, 32);
	return 0;
}

int mbind_flow(struct mbind *b, struct op *o)
{
	unsigned opcode = (unsigned)(b->inst->word[0] & 0xfff);

	o->imm = mbind_pred(b, 87, false);
	switch (opcode) {
	case 0x947:
	case 0x547: return bind_branch(b, o);
	case 0x949: return bind_indirect(b, o, MF_BRX, false);
	case 0x958: return bind_indirect(b, o, MF_BRX, true);
	case 0x950: return bind_indirect(b, o, MF_RET, bit(b, 91));
	case 0x94a:
	case 0xb4a:
	case 0x94c:
	case 0x959: return bind_jump(b, o, opcode);
	case 0x944:
		o->flow = MF_BRA;
		o->imm = mbind_pred(b, 87, false);
		return bind_target(b, o);
	case 0x943: return bind_absolute_call(b, o);
	case 0x343:
	case 0x344:
		bind_indirect(b, o, MF_CALL, false);
		o->imm = 0;
		return 0;
	case 0xb43:
		o->flow = MF_CALL;
		o->a = mbind_constant(b, 2);
		o->imm = 0;
		return 0;
	case 0x94d: o->flow = MF_EXIT; return 0;
	case 0x945:
		o->flow = MF_BSSY;
		o->a = mbind_barrier(b, 16);
		return 0;
	case 0x941:
		o->flow = MF_BSYNC;
		o->mode = b->code->sm >= 100 && !bit(b, 73);
		o->a = mbind_barrier(b, 16);
		return 0;
	case 0x942:
		o->flow = MF_BREAK;
		o->a = mbind_barrier(b, 16);
		return 0;
	case 0x348:
	case 0x948:
	case 0xb48: return bind_warpsync(b, o, opcode);
	case 0x946:
	case 0x35d:
	case 0x95d:
	case 0xb5d:
		o->flow = MF_YIELD;
		o->n = opcode != 0x946;
		return 0;
	default: return bind_barrier(b, o, opcode);
	}
}
