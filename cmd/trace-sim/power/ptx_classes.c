/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Power class, operand class and operands of PTX instructions (POWER-ptx). A trace has the registers of an
 * instruction; the number of its operands follows from the opcode.
 */
#include "meter.h"

#define UNIT_OF(counter) (POWER_##counter - POWER_UNIT_FIRST)

/* A part of an opcode between two dots. */
struct word {
	const char *s;
	size_t n;
};

static bool opcode_word_is(struct word w, const char *text)
{
	return w.n == strlen(text) && !memcmp(w.s, text, w.n);
}

static bool opcode_word_in(struct word w, const char *const *list)
{
	for (; *list; list++)
		if (opcode_word_is(w, *list))
			return true;
	return false;
}

/* Returns the first part of an opcode and moves *rest to the part after it. */
static struct word take_first_word(const char **rest, const char *end)
{
	const char *s = *rest, *dot = memchr(s, '.', (size_t)(end - s));

	*rest = dot ? dot + 1 : end;
	return (struct word){s, (size_t)((dot ? dot : end) - s)};
}

static bool is_ptx_type_word(struct word w)
{
	static const char *const types[] = {"s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64", "b8", "b16",
		"b32", "b64", "f16", "f32", "f64", "f16x2", "bf16", "bf16x2", "pred", NULL};

	return opcode_word_in(w, types);
}

/*
 * Returns the type that determines the class: the first type in the opcode or, with `second`, the second type
 * if there is one.
 */
static struct word class_deciding_type(const char *rest, const char *end, bool second)
{
	struct word type = {"", 0};
	bool any = false;

	while (rest < end) {
		struct word w = take_first_word(&rest, end);

		if (!is_ptx_type_word(w))
			continue;
		type = w;
		if (any || !second)
			break;
		any = true;
	}
	return type;
}

static bool is_control_stem(struct word stem)
{
	static const char *const list[] = {
		"membar", "ssy", "bra", "bar", "ret", "retp", "nop", "exit", "callp", "call", NULL};

	return opcode_word_in(stem, list);
}

static bool is_float_type(struct word type)
{
	return opcode_word_is(type, "f16") || opcode_word_is(type, "f32") || opcode_word_is(type, "f64");
}

/*
 * Returns true if the operand class of an opcode is FP. The second type determines the class of cvt, set and slct
 * (POWER-ptx-1).
 */
bool power_ptx_is_floating(const char *opcode, size_t n)
{
	static const char *const by_second[] = {"cvt", "set", "slct", NULL};
	const char *rest = opcode, *end = opcode + n;
	struct word stem = take_first_word(&rest, end);

	return !is_control_stem(stem) &&
	       is_float_type(class_deciding_type(rest, end, opcode_word_in(stem, by_second)));
}

/* ---- power class (POWER-ptx-2) ------------------------------------------------------------------------- */

static bool is_multiplication(struct word stem)
{
	return opcode_word_in(stem, (const char *const[]){"mul", "mad", "fma", NULL});
}

static unsigned float_class(struct word stem, bool is_double, bool plain)
{
	if (is_multiplication(stem))
		return is_double ? UNIT_OF(DP_MUL_ACC) : UNIT_OF(FP_MUL_ACC);
	if (opcode_word_in(stem, (const char *const[]){"div", "rem", "rcp", NULL}))
		return is_double ? UNIT_OF(DP_DIV_ACC) : UNIT_OF(FP_DIV_ACC);
	if (opcode_word_is(stem, "lg2"))
		return UNIT_OF(FP_LG_ACC);
	if (opcode_word_is(stem, "sqrt") || opcode_word_is(stem, "rsqrt"))
		return UNIT_OF(FP_SQRT_ACC);
	if (opcode_word_is(stem, "sin") || opcode_word_is(stem, "cos"))
		return UNIT_OF(FP_SIN_ACC);
	if (opcode_word_is(stem, "ex2"))
		return UNIT_OF(FP_EXP_ACC);
	if (opcode_word_is(stem, "mma"))
		return UNIT_OF(TENSOR_ACC);
	if (opcode_word_is(stem, "tex"))
		return UNIT_OF(TEX_ACC);
	return !plain ? POWER_NO_UNIT : is_double ? UNIT_OF(DPU_ACC) : UNIT_OF(FPU_ACC);
}

static unsigned integer_class(struct word stem, struct word type, bool plain)
{
	if (opcode_word_is(stem, "mul24") || opcode_word_is(stem, "mad24"))
		return UNIT_OF(INT_MUL24_ACC);
	if (is_multiplication(stem))
		return opcode_word_in(type, (const char *const[]){"u32", "s32", "b32", NULL})
			       ? UNIT_OF(INT_MUL32_ACC)
			       : UNIT_OF(INT_MUL_ACC);
	if (opcode_word_is(stem, "div") || opcode_word_is(stem, "rem"))
		return UNIT_OF(INT_DIV_ACC);
	if (opcode_word_is(stem, "mma"))
		return UNIT_OF(TENSOR_ACC);
	if (opcode_word_is(stem, "tex"))
		return UNIT_OF(TEX_ACC);
	return plain ? UNIT_OF(INT_ACC) : POWER_NO_UNIT;
}

static unsigned ptx_class(struct word stem, struct word type, enum isa_class class)
{
	bool alu = class == CLASS_ALU;

	if (is_control_stem(stem))
		return POWER_NO_UNIT;
	if (opcode_word_is(type, "f64"))
		return float_class(stem, true, alu || class == CLASS_DP);
	if (is_float_type(type))
		return float_class(stem, false, alu || class == CLASS_SP);
	return integer_class(stem, type, alu || class == CLASS_INT);
}

/* ---- operands other than registers (POWER-ptx-3) --------------------------------------------------------- */

/* Number of operands after the first. */
static unsigned operands_of_stem(struct word stem)
{
	static const struct {
		unsigned n;
		const char *stems[32];
	} rows[] = {
		{0, {"bra", "ret", "exit", "bar", "barrier", "membar", "fence", "nop", "call", "trap"}},
		{1, {"ld", "ldu", "st", "mov", "cvt", "cvta", "abs", "neg", "not", "cnot", "popc", "clz",
			    "brev", "bfind", "sqrt", "rsqrt", "rcp", "sin", "cos", "lg2", "ex2", "tanh",
			    "tex", "red", "vote", "isspacep", "activemask", "testp", "prefetch"}},
		{3, {"mad", "fma", "selp", "slct", "bfe", "sad", "mad24", "prmt", "lop3", "shf", "madc",
			    "shfl", "mma", "dp4a", "dp2a"}},
		{4, {"bfi"}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (const char *const *s = rows[i].stems; *s; s++)
			if (opcode_word_is(stem, *s))
				return rows[i].n;
	return 2;
}

/*
 * Number of source operands that are registers, from the items of the "-code" line: each S is one operand, and all V
 * together are one.
 */
static unsigned register_operands(const struct inst *in)
{
	const char *s = in->ptx->text;
	unsigned n = 0;
	bool vector = false;

	for (s += strcspn(s, " \t"); *s; s += strcspn(s, " \t")) {
		s += strspn(s, " \t");
		n += *s == 'S';
		vector |= *s == 'V';
	}
	return n + vector;
}

static unsigned other_operands(const struct inst *in, struct word stem)
{
	unsigned all = operands_of_stem(stem), registers = register_operands(in);

	return all > registers ? all - registers : 0;
}

void power_op_make_ptx(struct power_op *op, const struct inst *in, unsigned reads)
{
	const char *rest = in->opcode, *end = rest + strlen(rest);
	struct word stem = take_first_word(&rest, end), type = class_deciding_type(rest, end, false);

	*op = (struct power_op){
		.unit = (uint8_t)ptx_class(stem, type, (enum isa_class)in->class),
		.reads = (uint8_t)reads,
		.others = (uint8_t)other_operands(in, stem),
		.floating = power_ptx_is_floating(in->opcode, strlen(in->opcode)),
	};
}
