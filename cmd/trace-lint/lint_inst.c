/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks the registers and the PC of each static instruction at its first record. Collects the properties of
 * the instruction for the checks of records. The reader reports unknown opcodes. Always true: the properties
 * of an instruction are complete before any record of it is checked.
 */
#include <string.h>
#include "arena.h"
#include "lint.h"

/* ---- columns ------------------------------------------------------------------------------ */

/* Returns the position of a column in an instruction line, counted from 1, or 0 if it is unknown. */
static uint32_t lint_column(const struct lint *l, const struct trace_line *line, enum line_column column)
{
	const char *p = line->text, *end = p + line->len;
	struct trace_shape shape = trace_shape(l->trace);
	size_t n;

	if (!p)
		return 0;
	p = line_find(shape.dialect, shape.prefix_columns, p, end, column);
	if (column == COLUMN_ADDRESSES) { /* the mode precedes the first address */
		line_word(&p, end, &n);
		p = line_word(&p, end, &n);
	}
	return place_column(line->text, p);
}

struct place lint_place(const struct lint *l, const struct trace_line *line, enum line_column column)
{
	return (struct place){trace_path(l->trace), line->line, lint_column(l, line, column)};
}

bool lint_is_first_finding(struct lint *l, uint32_t handle, enum rule_name rule)
{
	struct fact *k = &l->fact[handle];
	uint32_t bit = 1u << rule % 32;

	if (k->reported[rule / 32] & bit) {
		report_count_only(l->rep, rule);
		return false;
	}
	k->reported[rule / 32] |= bit;
	return report_is_rule_on(l->rep, rule);
}

/* ---- facts -------------------------------------------------------------------------------- */

static const char *const piece_8[] = {"U8", "S8", "8"};
static const char *const piece_16[] = {"U16", "S16", "16"};
static const char *const piece_64[] = {"64", "U64", "S64", "F64"};

static bool is_one_of_pieces(const char *p, size_t n, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(list[i]) == n && !memcmp(list[i], p, n))
			return true;
	return false;
}

/*
 * Returns the number of bytes per lane that the hardware accesses. It may differ from the model's width
 * (SM-inst-3), which ignores signed and floating-point suffixes.
 */
static uint8_t bytes_on_hardware(const struct inst *in)
{
	const char *p = in->opcode;

	if (in->kind == KIND_LDSM || !strncmp(in->opcode, "STSM", 4))
		return 16;
	while ((p = strchr(p, '.'))) {
		size_t n = strcspn(++p, ".");

		if (is_one_of_pieces(p, n, piece_8, 3))
			return 1;
		if (is_one_of_pieces(p, n, piece_16, 3))
			return 2;
		if (is_one_of_pieces(p, n, piece_64, 4))
			return 8;
		if (n == 3 && !memcmp(p, "128", 3))
			return 16;
		if (n == 3 && !memcmp(p, "256", 3))
			return 32;
	}
	return 4;
}

static uint16_t facts_of_class(const struct inst *in)
{
	unsigned flags = FACT_KNOWN;

	if (in->class == CLASS_EXIT)
		flags |= FACT_EXIT;
	if (in->class == CLASS_BARRIER)
		flags |= FACT_BARRIER;
	if (in->kind == KIND_LDGDEPBAR || in->kind == KIND_FLUSH)
		flags |= FACT_GROUP;
	if (in->kind == KIND_DEPBAR)
		flags |= FACT_DEPBAR;
	if (in->has_addr && in->kind >= KIND_LDG && in->kind <= KIND_ST)
		flags |= FACT_ADDRESS;
	if (in->kind == KIND_LDG || in->kind == KIND_LDGSTS || in->kind == KIND_LD)
		flags |= FACT_LOAD;
	if (in->size == 4 && bytes_on_hardware(in) < 4)
		flags |= FACT_NARROW;
	if (in->two_imms || (in->kind >= KIND_SYNCS && in->kind <= KIND_BULK && in->has_addr))
		flags |= FACT_SYNC;
	return (uint16_t)flags;
}

/*
 * Returns the properties of a PTX instruction. Only global addresses are checked, because the sizes of the
 * other spaces are not in the trace.
 */
static struct fact facts_of_ptx_inst(const struct inst *in)
{
	const struct ptx_form *x = &in->ptx->form;
	bool global = x->space == SPACE_GLOBAL || x->space == SPACE_GENERIC;
	unsigned flags = FACT_KNOWN;

	flags |= in->ptx->ends ? FACT_EXIT : 0u;
	flags |= global ? FACT_ADDRESS : 0u;
	return (struct fact){.flags = (uint16_t)flags, .place = PLACE_GENERIC, .width = (uint8_t)in->size};
}

static uint8_t memory_place_of(const struct lint *l, const struct inst *in)
{
	switch ((enum isa_kind)in->kind) {
	case KIND_LDG:
	case KIND_STG: return in->arch == ARCH_KEPLER ? PLACE_GENERIC : PLACE_GLOBAL;
	case KIND_LDGSTS: /* a raw trace has a separate line for the access to shared memory */
		return trace_shape(l->trace).is_raw ? PLACE_GENERIC : PLACE_GLOBAL;
	case KIND_LDL:
	case KIND_STL: return PLACE_LOCAL;
	case KIND_LDS:
	case KIND_STS:
	case KIND_LDSM:
	case KIND_ATOMS: return PLACE_SHARED;
	case KIND_ATOM:
	case KIND_LD:
	case KIND_ST: return PLACE_GENERIC;
	default: return PLACE_NONE;
	}
}

/* ---- checks ------------------------------------------------------------------------------- */

static void check_registers(struct lint *l, const struct inst *in, const struct trace_line *line)
{
	struct place at = lint_place(l, line, COLUMN_OPCODE);
	uint32_t worst = 0;

	for (unsigned i = 0; i < (unsigned)in->n_dst + in->n_src; i++) {
		uint32_t n = in->reg[i] - REG_R0;

		if (in->reg[i] < REG_UR0 && n != 255 && n > worst)
			worst = n;
	}
	if (in->kind == KIND_MAXREG && l->max_regs) /* without an immediate, the number is unknown */
		l->max_regs = !in->imm ? 0 : in->imm > l->max_regs ? (uint32_t)in->imm : l->max_regs;
	if (l->max_regs && worst >= l->max_regs)
		report_at(l->rep, RULE_REGISTER_NREGS, at,
			"register R%u (expected a number below %u, '-nregs')", worst, l->max_regs);
	if (in->n_dst > 1 || in->n_src > 4)
		report_at(l->rep, RULE_OPERANDS, at,
			"Accel-Sim does not accept %u destination%s and %u source%s", in->n_dst,
			in->n_dst == 1 ? "" : "s", in->n_src, in->n_src == 1 ? "" : "s");
}

/*
 * Reports an atomic operation whose result is used, because the result may depend on the order of thread
 * blocks and warps.
 */
static void check_atomic_order(struct lint *l, const struct inst *in, const struct trace_line *line)
{
	const struct ptx_op *op = in->ptx->form.op;

	if (!op || op->kind != PTX_KIND_ATOM || !in->n_dst || l->order_dependent_reported)
		return;
	l->order_dependent_reported = true;
	report_at(l->rep, RULE_ORDER_DEPENDENT, lint_place(l, line, COLUMN_PC),
		"the result of '%.60s' depends on the order of the warps", in->opcode);
}

void lint_inst(struct lint *l, uint32_t handle, const struct trace_line *line)
{
	const struct inst *in = code_at(l->code, handle);
	uint32_t had = l->cap_facts, step = in->arch < ARCH_VOLTA ? 8 : 16;

	grow(&l->fact, &l->cap_facts, handle + 1, sizeof(*l->fact));
	if (l->cap_facts > had)
		memset(l->fact + had, 0, (l->cap_facts - had) * sizeof(*l->fact));
	if (!l->are_columns_known)
		lint_columns(l);
	if (in->ptx) {
		l->fact[handle] = facts_of_ptx_inst(in);
		check_atomic_order(l, in, line);
		if (l->params)
			lint_config_inst(l, handle, line);
		return;
	}
	l->fact[handle] = (struct fact){
		.flags = facts_of_class(in), .place = memory_place_of(l, in), .width = bytes_on_hardware(in)};
	check_registers(l, in, line);
	if (in->pc % step)
		report_at(l->rep, RULE_PC_ALIGN, lint_place(l, line, COLUMN_PC),
			"PC %04x (expected a multiple of %u)", in->pc, step);
	if (l->join)
		lint_cubin_inst(l, in, line);
	if (l->params)
		lint_config_inst(l, handle, line);
}
