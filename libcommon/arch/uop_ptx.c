/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Translation of static instructions of PTX: class, latency and interval by the rules of ptx-ops.def, memory
 * attributes by the opcode's words (PTX-class).
 *
 * The original treats an access as one element wide for any vector length (-ptx_vector_access 0), and an exit
 * as an ordinary operation of the integer unit. The only cache operator of stores is .cg, which bypasses the
 * L1.
 */
#include <string.h>
#include "uop_int.h"

#define WIDEST 16u /* size of the largest access of a lane in bytes */

static void set_ptx_memory_access(struct uop *u, const struct inst *in, const struct core_params *p)
{
	const struct ptx_form *x = &in->ptx->form;
	enum ptx_kind kind = x->op ? (enum ptx_kind)x->op->kind : PTX_KIND_PLAIN;
	unsigned size = in->size * (p->ptx_vectors ? x->elements : 1u);

	if (x->space == SPACE_NONE)
		return;
	u->flags |= UOP_ACCESS | (x->class == CLASS_STORE ? UOP_STORE : UOP_LOAD);
	if (kind == PTX_KIND_ATOM)
		u->flags |= UOP_ATOMIC;
	if (x->bypasses_l1)
		u->flags |= UOP_BYPASS;
	u->size = (uint16_t)(size < WIDEST ? size : WIDEST);
	switch ((enum space)x->space) {
	/* GENERIC: a record whose access is not to global memory has its own space. */
	case SPACE_GENERIC: u->space = SPACE_GLOBAL; return;
	case SPACE_PARAM: u->space = SPACE_CONST; break;
	case SPACE_LOCAL_PARAM: u->space = SPACE_LOCAL; break;
	default: u->space = x->space; return;
	}
	u->flags |= UOP_PARAM;
}

static void set_ptx_control_flags(struct uop *u, const struct inst *in)
{
	const struct ptx_inst *x = in->ptx;

	if (!strncmp(in->opcode, "griddepcontrol.", 15))
		uop_set_sync(u, strstr(in->opcode, ".wait") ? SYNC_ACQBULK : SYNC_PREEXIT);
	if (x->form.class == CLASS_BARRIER) {
		u->flags |= UOP_BARRIER | (x->form.arrive ? UOP_ARRIVE : 0);
		u->groups = x->barrier | (uint32_t)x->barrier_warps << 8;
	}
	if (x->form.class == CLASS_MEMBAR)
		u->flags |= UOP_MEMBAR;
	if (x->issue_mask)
		u->flags |= UOP_ISSUE;
	if (x->ends)
		u->flags |= UOP_ENDS;
}

/*
 * Sets latency and interval, which must fit into the event calendar of the pipelines. Returns 0, or -1 and sets *f.
 */
static int ptx_set_latency(struct uop *u, const struct inst *in, const struct core_params *p, struct fault *f)
{
	static const char *const latency[N_PTX_LISTS] = {"", "int", "fp", "dp", "sfu", "tesnor"};
	static const char *const interval[N_PTX_LISTS] = {"", "int", "fp", "dp", "sfu", "tensor"};
	const struct ptx_form *x = &in->ptx->form;
	struct latency t = p->ptx[x->list][x->entry];
	char q[64];

	t.latency += x->extra_cycles;
	t.interval += x->extra_cycles;
	u->latency = (uint16_t)t.latency;
	u->interval = (uint16_t)t.interval;
	if (t.interval >= 1 && t.interval <= t.latency && t.latency < 512)
		return 0;
	return fault_set(f, NOWHERE, "ptx-latency",
		"invalid latency %u and initiation interval %u for '%s' (expected 1 <= interval <= latency < 512 in number %u of -ptx_opcode_latency_%s and -ptx_opcode_initiation_%s)",
		t.latency, t.interval, diag_quote(q, sizeof(q), in->opcode, strlen(in->opcode)),
		x->entry + 1u, latency[x->list], interval[x->list]);
}

int uop_make_ptx(struct uop *u, const struct inst *in, const struct params *p, struct fault *f)
{
	const struct ptx_inst *x = in->ptx;

	*u = (struct uop){.reg = in->reg,
		.pc = in->pc,
		.n_dst = in->n_dst,
		.n_src = in->n_src,
		.n_operands = x->n_operands,
		.bank_dst = (uint8_t)(in->n_dst + in->n_src),
		.n_bank_dst = x->n_bank_dst,
		.bank_from = (uint8_t)(in->n_dst + in->n_src + x->n_bank_dst),
		.n_bank_src = x->n_bank_src,
		.bytes = 8,
		.class = x->form.class};
	set_ptx_memory_access(u, in, &p->core);
	set_ptx_control_flags(u, in);
	uop_derive(u, &p->core);
	if (ptx_set_latency(u, in, &p->core, f) < 0)
		return -1;
	return uop_unit(u, in, &p->core, f);
}
