/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conversions to and from packed types of two or four elements (for example cvt.f16x2.f32, .e2m1x4.f32 and
 * .bf16x2.ue8m0x2), and cvt.pack.
 *
 * Always true: the first source is the uppermost element. An element of 6 bits is in 8 bits, the upper two 0.
 * With .rs, elements use random bits of the operand:
 *   - Each element of a pair uses its half of the operand (13 of its 16 bits for f16).
 *   - Of four elements, the first two share the upper half, and the last two the lower half. The first element of each
 *     two reads the half in reversed bit order.
 *   - The "halves" of e2m1x4 are the upper bytes of both halves of the operand, and the lower bytes.
 * The rule for four elements follows reports about a B200, except e2m3x4 and e3m2x4, which are assumed to
 * behave as e4m3x4. None of it was checked on a GPU.
 */
#include <stdio.h>
#include "sem/narrow.h"
#include "sem/sem.h"

/* Use of .satfinite: forbidden, permitted or required. */
enum { SATFINITE_NOT, SATFINITE_MAY, SATFINITE_MUST };

#define HOW(x) (1u << ROUND_##x)
static const struct narrow_form {
	uint8_t d, s;
	uint8_t rounds; /* permitted roundings; one is required */
	uint8_t satfinite;
	bool relu;
} forms[] = {
	{T_F16X2, T_F32, HOW(RN) | HOW(RZ) | HOW(RS), SATFINITE_MAY, true},
	{T_BF16X2, T_F32, HOW(RN) | HOW(RZ) | HOW(RS), SATFINITE_MAY, true},
	{T_E4M3X2, T_F32, HOW(RN), SATFINITE_MUST, true},
	{T_E5M2X2, T_F32, HOW(RN), SATFINITE_MUST, true},
	{T_E2M1X2, T_F32, HOW(RN), SATFINITE_MUST, true},
	{T_E2M3X2, T_F32, HOW(RN), SATFINITE_MUST, true},
	{T_E3M2X2, T_F32, HOW(RN), SATFINITE_MUST, true},
	{T_E4M3X2, T_F16X2, HOW(RN), SATFINITE_MUST, true},
	{T_E5M2X2, T_F16X2, HOW(RN), SATFINITE_MUST, true},
	{T_E2M1X2, T_F16X2, HOW(RN), SATFINITE_MUST, true},
	{T_E2M3X2, T_F16X2, HOW(RN), SATFINITE_MUST, true},
	{T_E3M2X2, T_F16X2, HOW(RN), SATFINITE_MUST, true},
	{T_E4M3X2, T_BF16X2, HOW(RN), SATFINITE_MUST, true},
	{T_E5M2X2, T_BF16X2, HOW(RN), SATFINITE_MUST, true},
	{T_E2M1X2, T_BF16X2, HOW(RN), SATFINITE_MUST, true},
	{T_E2M3X2, T_BF16X2, HOW(RN), SATFINITE_MUST, true},
	{T_E3M2X2, T_BF16X2, HOW(RN), SATFINITE_MUST, true},
	{T_F16X2, T_E4M3X2, HOW(RN), SATFINITE_NOT, true},
	{T_F16X2, T_E5M2X2, HOW(RN), SATFINITE_NOT, true},
	{T_F16X2, T_E2M1X2, HOW(RN), SATFINITE_NOT, true},
	{T_F16X2, T_E2M3X2, HOW(RN), SATFINITE_NOT, true},
	{T_F16X2, T_E3M2X2, HOW(RN), SATFINITE_NOT, true},
	{T_BF16X2, T_E4M3X2, HOW(RN), SATFINITE_NOT, true},
	{T_BF16X2, T_E5M2X2, HOW(RN), SATFINITE_NOT, true},
	{T_BF16X2, T_E2M1X2, HOW(RN), SATFINITE_NOT, true},
	{T_BF16X2, T_E2M3X2, HOW(RN), SATFINITE_NOT, true},
	{T_BF16X2, T_E3M2X2, HOW(RN), SATFINITE_NOT, true},
	{T_UE8M0X2, T_F32, HOW(RZ) | HOW(RP), SATFINITE_MAY, false},
	{T_UE8M0X2, T_BF16X2, HOW(RZ) | HOW(RP), SATFINITE_MAY, false},
	{T_BF16X2, T_UE8M0X2, HOW(RN), SATFINITE_NOT, false},
	{T_E2M1X4, T_F32, HOW(RS), SATFINITE_MUST, true},
	{T_E4M3X4, T_F32, HOW(RS), SATFINITE_MUST, true},
	{T_E5M2X4, T_F32, HOW(RS), SATFINITE_MUST, true},
	{T_E2M3X4, T_F32, HOW(RS), SATFINITE_MUST, true},
	{T_E3M2X4, T_F32, HOW(RS), SATFINITE_MUST, true},
};

/* Returns the format and the number of elements of packed type t; the number is 0 if t is not packed. */
static struct narrow_parts {
	enum small form;
	uint8_t n;
} parts_of_type(enum type t)
{
	switch (t) {
	case T_F16X2: return (struct narrow_parts){SMALL_F16, 2};
	case T_BF16X2: return (struct narrow_parts){SMALL_BF16, 2};
	case T_E4M3X2: return (struct narrow_parts){SMALL_E4M3, 2};
	case T_E5M2X2: return (struct narrow_parts){SMALL_E5M2, 2};
	case T_E2M1X2: return (struct narrow_parts){SMALL_E2M1, 2};
	case T_E2M3X2: return (struct narrow_parts){SMALL_E2M3, 2};
	case T_E3M2X2: return (struct narrow_parts){SMALL_E3M2, 2};
	case T_UE8M0X2: return (struct narrow_parts){SMALL_UE8M0, 2};
	case T_E2M1X4: return (struct narrow_parts){SMALL_E2M1, 4};
	case T_E4M3X4: return (struct narrow_parts){SMALL_E4M3, 4};
	case T_E5M2X4: return (struct narrow_parts){SMALL_E5M2, 4};
	case T_E2M3X4: return (struct narrow_parts){SMALL_E2M3, 4};
	case T_E3M2X4: return (struct narrow_parts){SMALL_E3M2, 4};
	default: return (struct narrow_parts){SMALL_F16, 0};
	}
}

bool narrow_is_packed_type(enum type t) { return parts_of_type(t).n; }

/* ---- execution ---- */

enum {
	FOUR = 4,
	RANDOM = 4
}; /* number of sources; index of the slot of the random bits, which follow them */

struct narrow { /* x->family */
	enum small to_type, from_type;
	uint8_t n, d_bytes, s_bytes;
	uint8_t d_step; /* bits from one element of the destination to the next */
	uint8_t s_step; /* bits from one element of the source to the next; 0: f32 */
	bool relu, satfinite;
	enum rounding round;
};

static u32 reverse_16_bits(u32 v)
{
	u32 r = 0;

	for (unsigned i = 0; i < 16; i++)
		r |= (v >> i & 1) << (15 - i);
	return r;
}

struct rounds narrow_random_bits(enum small d, unsigned n, u32 r, unsigned i)
{
	u32 half = i < n / 2u ? r >> 16 : r & 0xffff;

	if (n < FOUR)
		return d == SMALL_F16 ? (struct rounds){ROUND_RS, half & 0x1fff, 13}
				      : (struct rounds){ROUND_RS, half, 16};
	if (d == SMALL_E2M1)
		half = i < 2 ? (r >> 16 & 0xff00) | (r >> 8 & 0xff) : (r >> 8 & 0xff00) | (r & 0xff);
	return (struct rounds){ROUND_RS, i & 1 ? half : reverse_16_bits(half), 16};
}

static u64 read_lane_value(const void *r, unsigned bytes, unsigned i)
{
	return bytes == 2 ? ((const u16 *)r)[i] : bytes == 4 ? ((const u32 *)r)[i] : ((const u64 *)r)[i];
}

static void execute_narrow(struct warp *w, const struct op *o, uint32_t m)
{
	const struct narrow *c = o->x->family;
	const uint32_t *slot = o->x->slot;

	FOR_BITS32 (lane, m) {
		struct rounds rounds = {.rounding = c->round};
		u64 r = 0;

		for (unsigned i = 0; i < c->n; i++) {
			double v;

			if (c->s_step)
				v = small_value((u32)(read_lane_value(w->frame + slot[0], c->s_bytes, lane) >>
							(c->n - 1 - i) * c->s_step),
					c->from_type);
			else
				v = (double)REG(float, w, slot[i])[lane];
			if (c->relu && !(v > 0) && v == v)
				v = 0;
			if (c->round == ROUND_RS)
				rounds = narrow_random_bits(
					c->to_type, c->n, REG(u32, w, slot[RANDOM])[lane], i);
			r = r << c->d_step | small_round(v, c->to_type, &rounds, c->satfinite);
		}
		if (c->d_bytes == 2)
			REG(u16, w, o->d)[lane] = (u16)r;
		else if (c->d_bytes == 4)
			REG(u32, w, o->d)[lane] = (u32)r;
		else
			REG(u64, w, o->d)[lane] = r;
	}
}

/* ---- binding ---- */

static const struct narrow_form *find_narrow_form(enum type d, enum type s)
{
	for (unsigned i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		if (forms[i].d == d && forms[i].s == s)
			return &forms[i];
	return NULL;
}

/* Checks that the suffixes are valid for the form. Returns -1 with the fault set if they are not. */
static int check_narrow_suffixes(struct bind *b, const struct narrow_form *f, enum rounding round)
{
	static const enum modifier meaningless[] = {M_FTZ, M_SAT, M_RNI, M_RZI, M_RMI, M_RPI, M_RNA};
	const struct stmt *in = b->stmt;
	char wanted[32] = "";
	size_t n = 0;

	for (unsigned i = 0; i < sizeof(meaningless) / sizeof(*meaningless); i++)
		if (stmt_has(in, meaningless[i]))
			return bind_fault(b, NULL, "suffix", ".%s in %s (expected none between these types)",
				modifier_name[meaningless[i]], in->text);
	if (!(f->rounds >> round & 1) ||
		(round == ROUND_RN &&
			!stmt_has(in, M_RN))) { /* ROUND_RN is also the default without a suffix */
		static const char *const names[] = {"rn", "rz", "rm", "rp", "rna", "rs"};

		for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
			if (f->rounds >> i & 1)
				n += (size_t)snprintf(
					wanted + n, sizeof(wanted) - n, "%s.%s", n ? " or " : "", names[i]);
		return bind_fault(
			b, NULL, "suffix", "%s (expected the instruction with %s)", in->text, wanted);
	}
	if (stmt_has(in, M_SATFINITE) ? f->satfinite == SATFINITE_NOT : f->satfinite == SATFINITE_MUST)
		return bind_fault(b, NULL, "suffix", "%s (expected the instruction with%s .satfinite)",
			in->text, f->satfinite ? "" : "out");
	if (stmt_has(in, M_RELU) && !f->relu)
		return bind_fault(b, NULL, "suffix", "%s (expected the instruction without .relu)", in->text);
	return 0;
}

static int bind_narrow_sources(struct bind *b, struct op *o, struct narrow *c, enum type s)
{
	const struct operand *k = b->stmt->operand, *from = k + 1;
	unsigned n = c->s_step ? 1 : c->n, operands = 1 + (n == FOUR ? 1 : n) + (c->round == ROUND_RS);
	uint32_t *slot = bind_ext(b, o)->slot;

	if (bind_operands(b, operands, operands))
		return -1;
	if (n == FOUR) {
		if (from->kind != O_VEC || from->n != FOUR)
			return bind_fault(b, from, "operand", "not a vector of 4 elements (expected {..})");
		from = from->elem;
	}
	for (unsigned i = 0; i < n; i++)
		if ((slot[i] = c->s_step ? bind_src_any(b, &from[i], s, &c->s_bytes)
					 : bind_src(b, &from[i], s)) == UINT32_MAX)
			return -1;
	if (c->s_bytes > 8)
		return bind_refuse(b, "registers of at most 64 bits");
	if (c->round == ROUND_RS && (slot[RANDOM] = bind_src(b, &k[operands - 1], T_B32)) == UINT32_MAX)
		return -1;
	return 0;
}

int bind_narrow(struct bind *b, struct op *o, enum rounding round)
{
	enum type d = (enum type)b->stmt->type[0], s = (enum type)b->stmt->type[1];
	const struct narrow_form *f = find_narrow_form(d, s);
	struct narrow_parts to = parts_of_type(d), from = parts_of_type(s);
	struct narrow *c = arena_alloc(&b->code->arena, 1, sizeof(*c));

	if (!f)
		return bind_fault(
			b, NULL, "types", "%s (expected a conversion that PTX supports)", b->stmt->text);
	if (check_narrow_suffixes(b, f, round))
		return -1;
	*c = (struct narrow){.to_type = to.form,
		.from_type = from.form,
		.n = to.n,
		.d_step = (uint8_t)(types[d].bits / to.n),
		.s_step = (uint8_t)(from.n ? types[s].bits / from.n : 0),
		.relu = stmt_has(b->stmt, M_RELU),
		.satfinite = stmt_has(b->stmt, M_SATFINITE),
		.round = round};
	bind_ext(b, o)->family = c;
	o->execute = execute_narrow;
	o->d = bind_dst_any(b, &b->stmt->operand[0], types[d].bits / 8, &c->d_bytes);
	if (o->d == UINT32_MAX || bind_narrow_sources(b, o, c, s))
		return -1;
	return c->d_bytes > 8 ? bind_refuse(b, "registers of at most 64 bits") : 0;
}

/* ---- integers ---- */

/* Executes cvt.pack: o->b lowest, o->a above it, both saturated to type o->mode, and low bits of o->c in the rest. */
static void execute_cvt_pack(struct warp *w, const struct op *o, uint32_t m)
{
	enum type t = (enum type)o->mode;
	unsigned bits = types[t].bits;
	u32 mask = (1u << bits) - 1;

	FOR_BITS32 (i, m) {
		s64 low = type_min(t), high = (s64)type_max(t), a = REG(s32, w, o->a)[i],
		    b = REG(s32, w, o->b)[i];

		a = a < low ? low : a > high ? high : a;
		b = b < low ? low : b > high ? high : b;
		REG(u32, w, o->d)
		[i] = (bits < 16 ? REG(u32, w, o->c)[i] << 2 * bits : 0) | ((u32)a & mask) << bits |
		      ((u32)b & mask);
	}
}

int bind_pack(struct bind *b, struct op *o)
{
	const struct operand *k = b->stmt->operand;
	enum type t = (enum type)b->stmt->type[0];
	unsigned n = types[t].bits < 16 ? 3 : 2;

	if (!stmt_has(b->stmt, M_SAT) || stmt_has(b->stmt, M_RELU) || stmt_has(b->stmt, M_FTZ) ||
		types[t].bits > 16 || (types[t].kind != K_SINT && types[t].kind != K_UINT))
		return bind_refuse(b, "saturation to whole numbers of 2, 4, 8 or 16 bits");
	if (bind_types(b, n) || bind_operands(b, n + 1, n + 1))
		return -1;
	if (b->stmt->type[1] != T_S32 || (n == 3 && b->stmt->type[2] != T_B32))
		return bind_fault(
			b, NULL, "types", "%s (expected .s32, and .b32 for a third source)", b->stmt->text);
	o->execute = execute_cvt_pack;
	o->mode = (uint8_t)t;
	o->d = bind_dst(b, &k[0], 32);
	o->a = bind_src(b, &k[1], T_S32);
	o->b = bind_src(b, &k[2], T_S32);
	o->c = n == 3 ? bind_src(b, &k[3], T_B32) : 0;
	return o->d == UINT32_MAX || o->a == UINT32_MAX || o->b == UINT32_MAX || o->c == UINT32_MAX ? -1 : 0;
}
