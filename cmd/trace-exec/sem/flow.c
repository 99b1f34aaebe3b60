/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Binds control flow: branches, calls, returns, barriers. exec/stack.c, exec/call.c and exec/cta.c execute it.
 */
#include "sem/sem.h"
#include "exec/call.h"

int bind_bra(struct bind *b, struct op *o)
{
	const struct operand *k = b->stmt->operand;

	if (bind_operands(b, 1, 1))
		return -1;
	if (k[0].kind != O_LABEL || !k[0].sym || k[0].sym->kind != SYM_LABEL)
		return bind_fault(b, &k[0], "operand", "bra without a label");
	o->flow = FLOW_BRA;
	o->target = b->func->first_pc + k[0].sym->label_inst;
	return 0;
}

int bind_brx(struct bind *b, struct op *o)
{
	const struct operand *k = b->stmt->operand;
	struct ext *x = bind_ext(b, o);

	if (bind_operands(b, 2, 2))
		return -1;
	if (!k[1].sym || k[1].sym->kind != SYM_TARGETS)
		return bind_fault(b, &k[1], "operand",
			"no list of branch targets (expected the label of a .branchtargets)");
	o->flow = FLOW_BRX;
	x->n_targets = k[1].sym->n_targets;
	x->target = arena_alloc(&b->code->arena, x->n_targets, sizeof(*x->target));
	for (uint32_t i = 0; i < x->n_targets; i++) {
		if (k[1].sym->target[i]->kind != SYM_LABEL)
			return bind_fault(b, &k[1], "operand", "'%s' among branch targets (expected labels)",
				k[1].sym->target[i]->name);
		x->target[i] = b->func->first_pc + k[1].sym->target[i]->label_inst;
	}
	return (o->a = bind_src(b, &k[0], T_U32)) == UINT32_MAX ? -1 : 0;
}

int bind_exit(struct bind *b, struct op *o)
{
	o->flow = b->stmt->opcode == I_exit ? FLOW_EXIT : FLOW_RET;
	return bind_operands(b, 0, 0);
}

static void execute_trap(struct warp *w, const struct op *o, uint32_t m)
{
	bool pause = o->stmt->opcode == I_brkpt;

	exec_fail(w, o, m, pause ? "breakpoint" : "trap", "%s executed", pause ? "breakpoint" : "trap");
}

int bind_trap(struct bind *b, struct op *o)
{
	o->execute = execute_trap;
	return bind_operands(b, 0, 0);
}

/* ---- calls ---- */

/* A call's argument or result while it is bound. */
struct passed {
	const struct operand *actual;
	const struct symbol *formal; /* parameter or result of the prototype; NULL: not known */
	bool is_result;
};

/* Returns the slot of a register that receives a result, or of an operand that supplies an argument. */
static uint32_t bind_passed_register(struct bind *b, const struct passed *p, const struct operand *k)
{
	enum type t = (enum type)p->formal->type;

	return p->is_result ? bind_dst(b, k, types[t].bits) : bind_src(b, k, t);
}

/* Binds an argument for a .reg parameter: an operand, or a vector with an operand for each element. */
static int bind_register_argument(struct bind *b, const struct passed *p, struct argument *out)
{
	const struct operand *k = p->actual;
	bool is_vector = k->kind == O_VEC && k->n == p->formal->vec;

	out->kind = ARG_REG;
	out->n = is_vector ? k->n : 1;
	if (!is_vector)
		out->bytes = types[p->formal->type].bits / 8;
	for (unsigned e = 0; e < out->n && e < 4; e++) {
		out->slot[e] = bind_passed_register(b, p, is_vector ? &k->elem[e] : k);
		if (out->slot[e] == UINT32_MAX)
			return -1;
	}
	return 0;
}

/* Binds an argument that is a .param variable of the caller. */
static int bind_param_argument(struct bind *b, const struct passed *p, struct argument *out)
{
	const struct symbol *variable = p->actual->sym;

	if (p->formal && !p->formal->unsized && variable->size != p->formal->size)
		return bind_fault(b, p->actual, "argument", "argument of %llu bytes (expected %llu)",
			(unsigned long long)variable->size, (unsigned long long)p->formal->size);
	out->kind = ARG_PARAM;
	out->param_offset = (uint32_t)variable->addr;
	out->bytes = (uint32_t)variable->size;
	return 0;
}

/* Returns true if a register or a constant is passed for a .param parameter of its size. */
static bool is_value_for_param(const struct passed *p)
{
	const struct operand *k = p->actual;

	return p->formal && !p->is_result && p->formal->size == types[p->formal->type].bits / 8u &&
	       (k->kind == O_REG || k->kind == O_INT || k->kind == O_FLOAT);
}

static int bind_argument(struct bind *b, const struct passed *p, struct argument *out)
{
	const struct operand *k = p->actual;

	*out = (struct argument){.kind = ARG_NONE};
	if (k->kind == O_NULL)
		return 0;
	if (p->formal && p->formal->kind == SYM_REG)
		return bind_register_argument(b, p, out);
	if (k->kind == O_SYM && k->sym->kind == SYM_VAR && k->sym->space == SP_PARAM)
		return bind_param_argument(b, p, out);
	if (!is_value_for_param(p))
		return bind_fault(b, k, "argument",
			"argument that does not match the parameter (expected a register, a constant or a .param)");
	out->kind = ARG_VALUE;
	out->bytes = types[p->formal->type].bits / 8;
	out->slot[0] = bind_passed_register(b, p, k);
	return out->slot[0] == UINT32_MAX ? -1 : 0;
}

/* Binds n arguments, or results if is_result is true. formal is NULL if the prototype does not name them. */
static int bind_arguments(struct bind *b, const struct operand *list, struct symbol *const *formal,
	uint32_t n, struct argument *out, bool is_result)
{
	for (uint32_t i = 0; i < n; i++) {
		struct passed p = {&list->elem[i], formal ? formal[i] : NULL, is_result};

		if (bind_argument(b, &p, &out[i]))
			return -1;
	}
	return 0;
}

/* Returns true if name is a function of the device runtime (version 1 or 2) that launches kernels. */
static bool launches_kernel(const char *name)
{
	static const char *const begin[] = {"__cudaCDP2LaunchDevice", "__cudaCDP2GetParameterBuffer",
		"cudaLaunchDevice", "cudaGetParameterBuffer", "cudaDeviceSynchronize"};

	for (unsigned i = 0; i < sizeof(begin) / sizeof(*begin); i++)
		if (!strncmp(name, begin[i], strlen(begin[i])))
			return true;
	return false;
}

/* Binds a call by name. Returns the called function; NULL after a fault. */
static const struct func *bind_named_call(struct bind *b, struct op *o, const struct operand *what)
{
	const struct symbol *s = sym_definition(what->sym);
	const struct func *f = s->func;

	if (f && f->has_body && !f->entry) {
		o->flow = FLOW_CALL;
		o->target = f->first_pc;
		return f;
	}
	if (f && f->has_body) {
		bind_fault(b, what, "function", "call of kernel '%s' (expected a .func)", s->name);
		return NULL;
	}
	const struct call_built_in *own = call_find_built_in(s->name);
	if (!own && launches_kernel(s->name)) {
		bind_fault(b, what, "function",
			"kernels that launch kernels (dynamic parallelism) are not executed: call of '%s'",
			s->name);
		return NULL;
	}
	if (!own && !strncmp(s->name, "__cudaCDP2", strlen("__cudaCDP2"))) {
		bind_fault(b, what, "function",
			"call of '%s' of the device runtime, which is not executed (expected cudaMalloc or cudaFree)",
			s->name);
		return NULL;
	}
	if (!own || !f) {
		bind_fault(b, what, "function", "call of '%s', which no module defines", s->name);
		return NULL;
	}
	if (f->n_params < own->n_params) {
		bind_fault(b, what, "function", "'%s' with %u parameters (expected %u)", s->name, f->n_params,
			own->n_params);
		return NULL;
	}
	o->execute = own->execute;
	b->code->uses_malloc |= own->allocates;
	b->frame->order |= own->order;
	return f;
}

static void store_call_targets(const struct bind *b, struct call_site *s, const struct symbol *list)
{
	struct func **to = arena_alloc(&b->code->arena, list->n_targets, sizeof(struct func *));

	for (uint32_t i = 0; i < list->n_targets; i++)
		to[i] = sym_definition(list->target[i])->func;
	s->target = to;
	s->n_targets = list->n_targets;
}

/* Binds a call through a register. Returns the prototype, or the first target; NULL after a fault. */
static const struct func *bind_register_call(
	struct bind *b, struct op *o, const struct operand *what, const struct symbol *p)
{
	if (!p || (p->kind != SYM_PROTO && (p->kind != SYM_TARGETS || !p->n_targets))) {
		bind_fault(b, what, "function",
			"call through a register without a .callprototype or .calltargets");
		return NULL;
	}
	o->flow = FLOW_CALL_REG;
	for (uint32_t i = 0; p->kind == SYM_TARGETS && i < p->n_targets; i++)
		if (p->target[i]->kind != SYM_FUNC || !sym_definition(p->target[i])->func ||
			!sym_definition(p->target[i])->func->has_body) {
			bind_fault(b, what, "function",
				"'%s' among call targets (expected functions with bodies)",
				p->target[i]->name);
			return NULL;
		}
	if ((o->a = bind_src_any(b, what, T_U32, &o->reg_bytes)) == UINT32_MAX)
		return NULL;
	if (p->kind == SYM_TARGETS)
		store_call_targets(b, o->x->site, p);
	return p->kind == SYM_TARGETS ? sym_definition(p->target[0])->func : p->func;
}

int bind_call(struct bind *b, struct op *o)
{
	static const struct operand none = {.kind = O_VEC};
	const struct operand *k = b->stmt->operand, *ret = &none, *arg = &none, *what;
	unsigned n = b->stmt->n_operands, at = 0;
	const struct func *proto = NULL;

	if (n && k[0].list)
		ret = &k[at++];
	if (at >= n)
		return bind_fault(b, NULL, "operands", "no function to call");
	what = &k[at++];
	if (at < n && k[at].list)
		arg = &k[at++];
	struct call_site *site = arena_alloc(&b->code->arena, 1, sizeof(*site));
	bind_ext(b, o)->site = site;
	if (what->kind == O_SYM && what->sym->kind == SYM_FUNC)
		proto = bind_named_call(b, o, what);
	else if (what->kind == O_REG)
		proto = bind_register_call(b, o, what, at < n ? k[at].sym : NULL);
	else
		bind_fault(b, what, "function", "call without a function (expected a name or a register)");
	if (!proto)
		return -1;
	if (ret->n != proto->n_rets || arg->n != proto->n_params)
		return bind_fault(b, what, "argument", "%u results and %u arguments (expected %u and %u)",
			ret->n, arg->n, proto->n_rets, proto->n_params);
	site->proto = proto;
	site->n_rets = ret->n;
	site->n_args = arg->n;
	site->ret = arena_alloc(&b->code->arena, ret->n + 1u, sizeof(*site->ret));
	site->arg = arena_alloc(&b->code->arena, arg->n + 1u, sizeof(*site->arg));
	return bind_arguments(b, ret, proto->ret, ret->n, site->ret, true) ||
			       bind_arguments(b, arg, proto->param, arg->n, site->arg, false)
		       ? -1
		       : 0;
}

/* ---- barriers ---- */

/* Returns the form of a barrier: BAR_SYNC and so on. */
static uint8_t barrier_form(const struct stmt *in)
{
	if (stmt_has(in, M_RED))
		return stmt_has(in, M_POPC) ? BAR_POPC : stmt_has(in, M_AND) ? BAR_AND : BAR_OR;
	return stmt_has(in, M_ARRIVE) ? BAR_ARRIVE : BAR_SYNC;
}

/* Returns the smallest number of operands of a barrier without a reduction. */
static unsigned least_barrier_operands(const struct op *o, const struct stmt *in)
{
	if (o->n == BAR_ARRIVE)
		return 2;
	return in->opcode == I_bar || in->opcode == I_barrier ? 1 : 0;
}

/* Binds the number of the barrier. The mode is not 0 if each line of the trace has the number. */
static int bind_barrier_number(struct bind *b, struct op *o, const struct operand *k)
{
	if (k->kind == O_INT && (k->value < 0 || k->value > 15))
		return bind_fault(b, k, "barrier", "barrier %lld (expected 0 to 15)", (long long)k->value);
	o->mode = k->kind != O_INT;
	return (o->a = bind_src(b, k, T_U32)) == UINT32_MAX ? -1 : 0;
}

/* Binds the number of threads that the barrier waits for. */
static int bind_barrier_threads(struct bind *b, struct op *o, const struct operand *k)
{
	if (k->kind == O_INT && (k->value <= 0 || k->value % 32 || k->value > 1024))
		return bind_fault(b, k, "barrier",
			"barrier of %lld threads (expected a multiple of 32 up to 1024)",
			(long long)k->value);
	o->mode |= k->kind != O_INT;
	return (o->b = bind_src(b, k, T_U32)) == UINT32_MAX ? -1 : 0;
}

/* Binds the predicate that a barrier reduces, and its inversion. */
static int bind_barrier_predicate(struct bind *b, struct op *o, struct operand k)
{
	o->imm = k.inverted ? ALL_LANES : 0;
	k.inverted = false;
	return (o->c = bind_src(b, &k, T_PRED)) == UINT32_MAX ? -1 : 0;
}

int bind_bar(struct bind *b, struct op *o)
{
	const struct stmt *in = b->stmt;
	const struct operand *k = in->operand; /* next operand */

	if (stmt_has(in, M_CLUSTER))
		return bind_cluster_barrier(b, o);
	if (stmt_has(in, M_WARP))
		return bind_bar_warp(b, o);
	o->flow = FLOW_BAR;
	o->n = barrier_form(in);
	bool reduces = o->n >= BAR_AND;
	if (reduces) {
		if (bind_operands(b, 3, 4) || bind_types(b, 1) ||
			(o->d = bind_dst(b, k++, o->n == BAR_POPC ? 32 : 1)) == UINT32_MAX)
			return -1;
	} else if (bind_operands(b, least_barrier_operands(o, in), 2)) {
		return -1;
	}
	if (bind_barrier_number(b, o, k++))
		return -1;
	o->b = 0;
	if (k + reduces < in->operand + in->n_operands && bind_barrier_threads(b, o, k++))
		return -1;
	return reduces ? bind_barrier_predicate(b, o, *k) : 0;
}
