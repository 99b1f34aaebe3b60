/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes instructions as text in the published form. Always true: a text longer than SASS_TEXT_MAX bytes is
 * truncated.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "sass/fields.h"

void sass_put_bytes(struct sass_out *o, const char *text, size_t n)
{
	size_t left = SASS_TEXT_MAX - 1 - o->n;

	if (n > left)
		n = left;
	memcpy(o->p + o->n, text, n);
	o->n += n;
	o->p[o->n] = '\0';
}

void sass_put(struct sass_out *o, const char *text) { sass_put_bytes(o, text, strlen(text)); }

void sass_putf(struct sass_out *o, const char *form, ...)
{
	char text[96];
	va_list args;

	va_start(args, form);
	vsnprintf(text, sizeof(text), form, args);
	va_end(args);
	sass_put(o, text);
}

/* Returns the name of a special register; NULL if it is unknown. */
static const char *special_register_name(unsigned number, unsigned sm)
{
	static const struct special {
		unsigned number;
		const char *name;
		unsigned first, last;
	} specials[] = {
#define SREG(number, name, first, last) {number, name, first, last},
#include "sass/sregs.def"
#undef SREG
	};

	for (size_t i = 0; i < sizeof(specials) / sizeof(*specials); i++)
		if (specials[i].number == number && sm >= specials[i].first && sm <= specials[i].last)
			return specials[i].name;
	return NULL;
}

/* ---- numbers ------------------------------------------------------------------------------------ */

static void put_hex(struct sass_out *o, int64_t v, bool is_signed)
{
	if (is_signed && v < 0)
		sass_putf(o, "-0x%llx", (unsigned long long)-(uint64_t)v);
	else
		sass_putf(o, "0x%llx", (unsigned long long)v);
}

/*
 * Appends a floating-point number with 20 digits, from 2 to the 31st on in exponential form. A blank follows a NaN or
 * an infinity that is not the last argument. quiet: the quiet bit of the NaN is set.
 */
static void put_real(struct sass_out *o, double v, bool quiet, bool last)
{
	if (isnan(v))
		sass_putf(o, "%c%sNAN%s", signbit(v) ? '-' : '+', quiet ? "Q" : "S", last ? "" : " ");
	else if (isinf(v))
		sass_putf(o, "%cINF%s", v < 0 ? '-' : '+', last ? "" : " ");
	else if (fabs(v) >= 2147483648.0)
		sass_putf(o, "%.20e", v);
	else
		sass_putf(o, "%.20g", v);
}

static void put_f32(struct sass_out *o, uint32_t bits, bool last)
{
	float v;

	memcpy(&v, &bits, 4);
	put_real(o, v, bits >> 22 & 1, last);
}

static void put_f64(struct sass_out *o, uint64_t bits, bool last)
{
	double v;

	memcpy(&v, &bits, 8);
	put_real(o, v, bits >> 51 & 1, last);
}

/* Appends an f16 or bf16 number. */
static void put_half(struct sass_out *o, unsigned bits, bool bf16, bool last)
{
	unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
	double v;

	if (bf16) {
		put_f32(o, bits << 16, last);
		return;
	}
	if (exponent == 31)
		v = fraction ? NAN : INFINITY;
	else
		v = exponent ? ldexp(1024 + fraction, (int)exponent - 25) : ldexp(fraction, -24);
	put_real(o, bits >> 15 ? -v : v, bits >> 9 & 1, last);
}

/* ---- arguments ---------------------------------------------------------------------------------- */

static void put_register_name(struct sass_out *o, const char *prefix, unsigned reg)
{
	if (reg == SASS_ZERO)
		sass_putf(o, "%sZ", prefix);
	else
		sass_putf(o, "%s%u", prefix, reg);
}

static void put_predicate(struct sass_out *o, const char *prefix, unsigned p, bool inverted)
{
	sass_putf(o, p == 7 ? "%s%sPT" : "%s%sP%u", inverted ? "!" : "", prefix, p);
}

static const char *const selects[] = {"", ".F32", ".H0_H0", ".H1_H1", ".H0_NH1", ".H1", ".B1", ".B2", ".B3",
	".ROW", ".COL", ".SIGN", ".F32.NP", ".F32x2.HI_LO", ".F32x2.HI_LO.NP", ".F32x2.LO_HI",
	".F32x2.LO_HI.NP", ".INVALID3"};

static void put_offset(struct sass_out *o, int64_t v, bool alone)
{
	if (alone)
		put_hex(o, v, true);
	else if (v) {
		sass_put(o, "+");
		put_hex(o, v, true);
	}
}

static void put_address(struct sass_out *o, const struct sass_arg *a)
{
	bool uniform = !(a->flags & SASS_NO_UREG), desc = a->flags & SASS_DESC,
	     reg = a->reg != SASS_ZERO || (!uniform && !a->value) || desc;

	if (desc) {
		sass_put(o, "desc[");
		put_register_name(o, "UR", a->ureg);
		sass_put(o, "]");
	}
	sass_put(o, "[");
	if (reg) {
		put_register_name(o, "R", a->reg);
		if (a->scale > 1)
			sass_putf(o, ".X%u", a->scale);
		if (a->flags & SASS_WIDE)
			sass_put(o, ".64");
		else if (a->flags & SASS_U32)
			sass_put(o, ".U32");
	}
	if (uniform && !desc) {
		sass_put(o, reg ? "+" : "");
		put_register_name(o, "UR", a->ureg);
	}
	put_offset(o, a->value, !reg && !uniform);
	sass_put(o, "]");
}

static void put_constant(struct sass_out *o, const struct sass_arg *a, bool load)
{
	bool index = a->reg != SASS_ZERO || a->flags & SASS_SHOWN,
	     uniform = load && !(a->flags & SASS_NO_UREG);

	if (a->flags & SASS_BINDLESS) {
		sass_put(o, "cx[");
		put_register_name(o, "UR", a->ureg);
		sass_put(o, "]");
	} else {
		sass_putf(o, "c[0x%x]", a->bank);
	}
	sass_put(o, a->flags & SASS_HALF ? " [" : "[");
	if (index)
		put_register_name(o, "R", a->reg);
	if (uniform) {
		sass_put(o, index ? "+" : "");
		put_register_name(o, "UR", a->ureg);
	}
	put_offset(o, a->value, !index && !uniform);
	sass_put(o, "]");
}

static void put_warp_state(struct sass_out *o, unsigned v)
{
	static const char *const names[32] = {[16] = "THREAD_STATE_ENUM.0",
		"THREAD_STATE_ENUM.1",
		"THREAD_STATE_ENUM.2",
		"THREAD_STATE_ENUM.3",
		"THREAD_STATE_ENUM.4",
		"TRAP_RETURN_PC.LO",
		"TRAP_RETURN_PC.HI",
		"TRAP_RETURN_MASK",
		"MEXITED",
		"MKILL",
		"MACTIVE",
		"MATEXIT",
		"OPT_STACK",
		"API_CALL_DEPTH",
		"ATEXIT_PC.LO",
		"ATEXIT_PC.HI"};

	if (v < 16)
		sass_putf(o, "B%u", v);
	else
		sass_put(o, names[v & 31]);
}

static void put_counters(struct sass_out *o, const struct sass_arg *a)
{
	bool first = true;

	if (!(a->flags & SASS_HALF)) {
		sass_putf(o, "SB%u", (unsigned)a->value);
		return;
	}
	sass_put(o, "{");
	for (unsigned i = 6; i-- > 0;)
		if (a->value >> i & 1) {
			sass_putf(o, first ? "%u" : ",%u", i);
			first = false;
		}
	sass_put(o, "}");
}

static void put_name(struct sass_out *o, const struct sass_arg *a)
{
	static const char *const pairs[4] = {"PP", "PN", "NP", "ZP"};

	static const char *const dimensions[8] = {
		"1D", "2D", "3D", "CUBE", "ARRAY_1D", "ARRAY_2D", "ARRAY_3D", "ARRAY_CUBE"};
	static const char *const queries[4] = {
		"TEX_HEADER_DIMENSION", "TEX_HEADER_TEXTURE_TYPE", "TEX_HEADER_SAMPLER_POS", "INVALID3"};

	switch (a->bank) {
	case SASS_NAME_DIMENSION: sass_put(o, dimensions[a->value & 7]); break;
	case SASS_NAME_QUERY: sass_put(o, queries[a->value & 3]); break;
	case SASS_NAME_PR: sass_put(o, "PR"); break;
	case SASS_NAME_UPR: sass_put(o, "UPR"); break;
	case SASS_NAME_GSB0: sass_putf(o, "gsb%u", (unsigned)a->value); break;
	case SASS_NAME_RPC: sass_put(o, a->value ? "Rpc.HI" : "Rpc.LO"); break;
	default:
		for (unsigned i = 4; i-- > 0;)
			sass_put(o, pairs[a->value >> 2 * i & 3]);
	}
}

static void put_matrix_descriptor(struct sass_out *o, const struct sass_arg *a)
{
	sass_put(o, "gdesc[");
	put_register_name(o, "UR", a->reg);
	sass_put(o, "]");
	sass_put(o, a->value & SASS_NEG_A ? ".negA" : "");
	sass_put(o, a->value & SASS_NEG_B ? ".negB" : "");
	sass_put(o, a->value & SASS_TRANSPOSED_A ? ".tnspA" : "");
	sass_put(o, a->value & SASS_TRANSPOSED_B ? ".tnspB" : "");
}

static void put_special(struct sass_out *o, unsigned number, unsigned sm)
{
	const char *name = special_register_name(number, sm);

	if (name)
		sass_put(o, name);
	else
		sass_putf(o, "SR%u", number);
}

/* Appends a register, uniform register or constant with its signs, its part and its reuse flag. */
static void put_inst_operand(struct sass_out *o, const struct sass_arg *a, bool load)
{
	bool inside = a->kind != SASS_REG; /* the part of a uniform register is within the bars */

	if (a->flags & SASS_NEG)
		sass_put(o, a->flags & SASS_NOT ? "~" : "-");
	if (a->flags & SASS_ABS)
		sass_put(o, "|");
	if (a->kind == SASS_CONST)
		put_constant(o, a, load);
	else
		put_register_name(o, a->kind == SASS_REG ? "R" : "UR", a->reg);
	if (inside)
		sass_put(o, selects[a->select]);
	if (a->flags & SASS_ABS)
		sass_put(o, "|");
	if (a->flags & SASS_REUSE)
		sass_put(o, ".reuse");
	if (!inside)
		sass_put(o, selects[a->select]);
}

static void put_arg(struct sass_out *o, const struct sass_inst *in, unsigned i)
{
	const struct sass_arg *a = &in->arg[i];
	bool last = i + 1 == in->n_args,
	     bf16 = sass_bits(in->word, in->row->base == 0x33 || in->row->base == 0x34 ? 65 : 85, 1);

	switch (a->kind) {
	case SASS_REG:
	case SASS_UREG:
	case SASS_CONST: put_inst_operand(o, a, !in->row->arithmetic); break;
	case SASS_PRED: put_predicate(o, "", a->reg, a->flags & SASS_NOT); break;
	case SASS_UPRED: put_predicate(o, "U", a->reg, a->flags & SASS_NOT); break;
	case SASS_INT: put_hex(o, a->value, a->flags & SASS_SIGNED); break;
	case SASS_F32: put_f32(o, (uint32_t)a->value, last); break;
	case SASS_F64: put_f64(o, (uint64_t)a->value, last); break;
	case SASS_HALVES:
		put_half(o, (unsigned)(a->value >> 16 & 0xffff), bf16, false);
		sass_put(o, ", ");
		put_half(o, (unsigned)(a->value & 0xffff), bf16, last);
		break;
	case SASS_MEM: put_address(o, a); break;
	case SASS_SPECIAL: put_special(o, (unsigned)a->value, in->sm); break;
	case SASS_BARRIER: sass_putf(o, "B%u", a->reg); break;
	case SASS_COUNTER: put_counters(o, a); break;
	case SASS_TARGET: put_hex(o, a->value, true); break;
	case SASS_GDESC: put_matrix_descriptor(o, a); break;
	case SASS_TENSOR:
	case SASS_DESCRIPTOR:
		sass_put(o, a->kind == SASS_TENSOR ? "tmem[" : "desc[");
		put_register_name(o, "UR", a->reg);
		sass_put(o, "]");
		break;
	case SASS_STATE: put_warp_state(o, (unsigned)a->value); break;
	case SASS_NAME: put_name(o, a); break;
	}
}

/*
 * Writes the opcode. Sets used[] to the bits of the encoding that select its modifiers, without bits that rules read.
 */
static size_t put_opcode_text(const struct sass_inst *in, char out[SASS_TEXT_MAX], uint64_t used[2])
{
	struct sass_out o = {.p = out};
	struct sass_inst copy = *in;
	struct reading r = {.inst = &copy};

	*out = '\0';
	if (in->row)
		sass_put_opcode(&o, &r);
	else
		sass_putf(&o, "UNKNOWN.0x%03x", in->opcode);
	memcpy(used, r.used_bits, sizeof(r.used_bits));
	return o.n;
}

size_t sass_opcode_text(const struct sass_inst *in, char out[SASS_TEXT_MAX])
{
	uint64_t used[2];

	return put_opcode_text(in, out, used);
}

void sass_opcode_texts_clear(struct sass_opcode_texts *known)
{
	for (unsigned i = 0; i < sizeof(known->slot) / sizeof(known->slot[0]); i++)
		known->slot[i][0].row = known->slot[i][1].row = NULL;
}

static bool is_opcode_text_of(const struct sass_opcode_entry *s, const struct sass_inst *in)
{
	return s->row == in->row && (in->word[0] & s->used_bits[0]) == s->word[0] &&
	       (in->word[1] & s->used_bits[1]) == s->word[1];
}

size_t sass_opcode_text_known(
	struct sass_opcode_texts *known, const struct sass_inst *in, char out[SASS_TEXT_MAX])
{
	const size_t n_slots = sizeof(known->slot) / sizeof(known->slot[0]);
	struct sass_opcode_entry *s = known->slot[in->opcode % n_slots];

	if (!in->row)
		return sass_opcode_text(in, out);
	if (!is_opcode_text_of(s, in) && is_opcode_text_of(s + 1, in)) {
		s++;
	} else if (!is_opcode_text_of(s, in)) {
		if (sass_row_tokens(in->row)->has_rule) /* rules depend on arguments, too */
			return sass_opcode_text(in, out);
		s[1] = s[0];
		s->row = in->row;
		s->n = put_opcode_text(in, s->text, s->used_bits);
		s->word[0] = in->word[0] & s->used_bits[0];
		s->word[1] = in->word[1] & s->used_bits[1];
	}
	memcpy(out, s->text, s->n + 1);
	return s->n;
}

static bool jumps_by_register(const struct sass_inst *in)
{
	switch (in->opcode) {
	case 0x343:
	case 0x344:
	case 0x949:
	case 0x94c:
	case 0x950:
	case 0x958:
	case 0x959: return true;
	}
	return false;
}

size_t sass_text(const struct sass_inst *in, char out[SASS_TEXT_MAX])
{
	struct sass_out o = {.p = out};
	struct sass_inst copy = *in;
	struct reading r = {.inst = &copy};

	*out = '\0';
	if (!in->row) {
		sass_putf(&o, "UNKNOWN.0x%03x 0x%016llx%016llx", in->opcode, (unsigned long long)in->word[1],
			(unsigned long long)in->word[0]);
		return o.n;
	}
	if (in->guard != 7 || in->guard_not) {
		sass_put(&o, "@");
		put_predicate(&o, in->row->uniform ? "U" : "", in->guard, in->guard_not);
		sass_put(&o, " ");
	}
	sass_put_opcode(&o, &r);
	for (unsigned i = 0; i < in->n_args; i++) {
		/* A branch target after an address register has no comma before it. */
		bool joined = in->arg[i].kind == SASS_TARGET && i && jumps_by_register(in);

		sass_put(&o, !i || joined ? " " : ", ");
		put_arg(&o, in, i);
	}
	return o.n;
}

/*
 * Bits of the upper word that are always used: 91, the control code, and 101, which memory instructions of
 * sm_80 set.
 */
#define ALWAYS_USED (0x7fffffull << 41 | 1ull << 37 | 1ull << 27)

bool sass_unused_bits(const struct sass_inst *in, uint64_t rest[2])
{
	struct sass_inst copy;
	struct reading r = {.inst = &copy, .used_bits = {0xffff, ALWAYS_USED}};

	rest[0] = rest[1] = 0;
	if (!in->row)
		return false;
	copy = *in;
	reading_mark_modifiers(&r);
	rest[0] = in->word[0] & ~(r.used_bits[0] | in->used_bits[0]);
	rest[1] = in->word[1] & ~(r.used_bits[1] | in->used_bits[1]);
	return rest[0] || rest[1];
}

unsigned sass_access_bytes(const struct sass_inst *in, const char *opcode)
{
	bool memory = false;

	for (unsigned i = 0; i < in->n_args; i++)
		memory |= in->arg[i].kind == SASS_MEM;
	if (!memory)
		return 0;
	for (const char *p = strchr(opcode, '.'); p; p = strchr(p + 1, '.')) {
		const char *digits = p[1] == 'U' || p[1] == 'S' ? p + 2 : p + 1;
		unsigned n = sass_token_number(&digits);

		if (n >= 8 && n <= 256 && (*digits == '\0' || *digits == '.'))
			return n / 8;
	}
	return 4;
}
