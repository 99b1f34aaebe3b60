/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * F2FP: conversions of two numbers to or from narrow formats. UF2FP: those to e4m3, e5m2 and TF32, in other bits.
 *
 * Bits 85-90 of F2FP name the formats. Without them the results are f16 or bf16. Bit 90: the results have 8
 * bits or less. Bit 89: the sources have 8 bits or less, or the result is one TF32. Bit 81: stochastic rounding with
 * random bits in c, in the order that sem/narrow.c describes.
 */
#include "machine/half.h"
#include "sem/narrow.h"

struct narrowing { /* x->family */
	enum small to_type, from_type;
	enum rounding round;
	uint8_t width;  /* bits of a narrow element */
	uint8_t shift;  /* unpacking: first bit of the two elements in the source */
	bool from_f32;  /* packing: the sources are the f32 in a and b, else both halves of b */
	bool merge;     /* packing: the bits of c follow the result */
	bool high_half; /* packing to 16 bits: the merged half of c is the upper half */
	bool relu, saturate;
};

static u32 signed_source(const struct op *o, u32 v, unsigned k)
{
	v = o->mode >> 2 * k & ABS_A ? v & 0x7fffffff : v;
	return o->mode >> 2 * k & NEG_A ? v ^ 0x80000000 : v;
}

/* Returns v in the format of the result. i: 0 for the upper element, 1 for the lower element. r: random bits. */
static u32 round_element(const struct narrowing *p, double v, u32 r, unsigned i)
{
	struct rounds how = {.rounding = p->round};

	if (p->relu && v == v && !(v > 0))
		v = 0;
	if (p->round == ROUND_RS)
		how = narrow_random_bits(p->to_type, p->width == 16 ? 2 : 4, r, i);
	return small_round(v, p->to_type, &how, p->saturate);
}

/* Packs both sources; the element of a is the upper one. */
static void pack_elements(struct warp *w, const struct op *o, uint32_t m)
{
	const struct narrowing *p = o->x->family;
	u32 *d = REG(u32, w, o->d), *pa = REG(u32, w, o->a), *pb = REG(u32, w, o->b), *pc = REG(u32, w, o->c);

	FOR_BITS32 (i, m) {
		double low, high;

		if (p->from_f32) {
			high = (double)ieee_f32(signed_source(o, pa[i], 0));
			low = (double)ieee_f32(signed_source(o, pb[i], 1));
		} else {
			high = small_value(pb[i] >> 16, p->from_type);
			low = small_value(pb[i] & 0xffff, p->from_type);
		}
		u32 r = round_element(p, low, pc[i], 1);

		if (p->width == 16 && p->merge) {
			d[i] = r | (pc[i] >> (p->high_half ? 16 : 0) & 0xffff) << 16;
			continue;
		}
		r |= round_element(p, high, pc[i], 0) << (p->to_type == SMALL_E2M1 ? 4 : p->width);
		d[i] = r | (p->merge ? pc[i] << 2 * (p->to_type == SMALL_E2M1 ? 4 : p->width) : 0);
	}
}

/* Packs two f32 to f16 or bf16, rounded to nearest, without a clamp. The element of a is the upper one. */
LANE_FN static void pack_halves(struct warp *w, const struct op *o, uint32_t m)
{
	const struct narrowing *p = o->x->family;
	const u32 *pa = REG(u32, w, o->a), *pb = REG(u32, w, o->b);
	u32 *d = REG(u32, w, o->d);
	bool bf16 = p->to_type == SMALL_BF16;

	EACH_LANE (i) {
		float high = ieee_f32(signed_source(o, pa[i], 0)), low = ieee_f32(signed_source(o, pb[i], 1));
		u32 r = bf16 ? ieee_bf16_of_f32(low) | (u32)ieee_bf16_of_f32(high) << 16
			     : ieee_f16_of_f32(low) | (u32)ieee_f16_of_f32(high) << 16;

		d[i] = m >> i & 1 ? r : d[i];
	}
}

/* Unpacks two narrow elements of b. */
static void unpack_elements(struct warp *w, const struct op *o, uint32_t m)
{
	const struct narrowing *p = o->x->family;
	u32 *d = REG(u32, w, o->d), *pb = REG(u32, w, o->b);

	FOR_BITS32 (i, m) {
		u32 r = 0, mask = (1u << p->width) - 1;

		for (unsigned k = 0; k < 2; k++)
			r |= round_element(p,
				     small_value(pb[i] >> (p->shift + k * p->width) & mask, p->from_type), 0,
				     1)
			     << 16 * k;
		d[i] = r;
	}
}

/* Rounds f32 to TF32, which stays in the upper 19 bits of a register. */
static void round_to_tf32(struct warp *w, const struct op *o, uint32_t m)
{
	const struct narrowing *p = o->x->family;
	u32 *d = REG(u32, w, o->d), *pb = REG(u32, w, o->b);

	FOR_BITS32 (i, m)
		d[i] = round_element(p, (double)ieee_f32(signed_source(o, pb[i], 1)), 0, 1) << 13;
}

/* ---- binding ---- */

/* Sets the format of narrow elements from a number. Returns false if it names none. */
static bool name_narrow(struct narrowing *p, enum small *f, unsigned kind, unsigned number)
{
	static const enum small names[4][4] = {
		[0] = {N_SMALL, N_SMALL, SMALL_E5M2, SMALL_E4M3},
		[1] = {N_SMALL, N_SMALL, N_SMALL, SMALL_E2M1},
		[2] = {N_SMALL, N_SMALL, SMALL_E2M3, SMALL_E3M2},
		[3] = {SMALL_UE8M0, N_SMALL, SMALL_UE8M0, SMALL_UE8M0},
	};

	*f = names[kind][number];
	p->width = *f == SMALL_E2M1 ? 4 : 8;
	return *f != N_SMALL;
}

static bool bind_unpack(const struct mbind *b, struct op *o, struct narrowing *p)
{
	unsigned number = (unsigned)field(b, 73, 2);
	bool wide = bit(b, 82) && number == 1;

	p->to_type = bit(b, 76) ? SMALL_BF16 : SMALL_F16;
	p->shift = (uint8_t)((bit(b, 88) ? 16 : 0) + (wide && bit(b, 72) ? 8 : 0));
	machine_set_function(o, unpack_elements);
	return name_narrow(p, &p->from_type,
		       bit(b, 83)   ? 3
		       : wide       ? 1
		       : bit(b, 82) ? 2
				    : 0,
		       wide ? 3 : number) &&
	       !field(b, 77, 2) && p->round == ROUND_RN;
}

static bool bind_narrow_pack(const struct mbind *b, struct op *o, struct narrowing *p)
{
	unsigned formats = (unsigned)field(b, 85, 3);

	p->from_type = bit(b, 83) ? SMALL_BF16 : SMALL_F16;
	p->saturate = formats != 6 || bit(b, 77);
	machine_set_function(o, pack_elements);
	return (formats == 4 || formats == 1 || formats == 3 || formats == 6) && !bit(b, 74) && !bit(b, 72) &&
	       name_narrow(p, &p->to_type,
		       formats == 6   ? 3
		       : formats == 1 ? 1
		       : formats == 3 ? 2
				      : 0,
		       (unsigned)field(b, 76, 2));
}

int mbind_f2fp(struct mbind *b, struct op *o)
{
	static const enum rounding roundings[4] = {ROUND_RN, ROUND_RM, ROUND_RP, ROUND_RZ};
	struct narrowing *p = arena_alloc(&b->bound->arena, 1, sizeof(*p));
	bool known = true;

	if (mbind_forms(b, o, WIDE_NONE))
		return -1;
	*p = (struct narrowing){.round = bit(b, 81) ? ROUND_RS : roundings[field(b, 79, 2)],
		.width = 16,
		.from_f32 = !bit(b, 73),
		.merge = bit(b, 78),
		.high_half = bit(b, 72),
		.relu = bit(b, 75),
		.saturate = bit(b, 77)};
	o->mode &= NEG_A | ABS_A | NEG_B | ABS_B;
	if (mbind_is_swapped(b))
		o->mode &= NEG_A | ABS_A; /* b is in bits 64-71; bit 75, elsewhere its sign, is .RELU here */
	o->x = arena_alloc(&b->bound->arena, 1, sizeof(*o->x));
	o->x->family = p;
	machine_set_function(o, pack_elements);
	if (bit(b, 90)) {
		known = bind_narrow_pack(b, o, p);
	} else if (bit(b, 89) && bit(b, 86)) {
		p->to_type = SMALL_TF32;
		machine_set_function(o, round_to_tf32);
	} else if (bit(b, 89)) {
		known = bind_unpack(b, o, p);
	} else {
		p->to_type = bit(b, 76) ? SMALL_BF16 : SMALL_F16;
		if (p->from_f32 && p->round == ROUND_RN && !p->merge && !p->relu && !p->saturate)
			machine_set_function(o, pack_halves);
		known = !field(b, 82, 6) && !field(b, 73, 2);
	}
	return known ? 0 : mbind_refuse(b, "format");
}

int mbind_uf2fp(struct mbind *b, struct op *o)
{
	static const enum rounding roundings[4] = {ROUND_RN, ROUND_RM, ROUND_RP, ROUND_RZ};
	struct narrowing *p = arena_alloc(&b->bound->arena, 1, sizeof(*p));
	bool tf32 = bit(b, 89);

	if (mbind_forms(b, o, WIDE_NONE))
		return -1;
	*p = (struct narrowing){.to_type = tf32         ? SMALL_TF32
					   : bit(b, 75) ? SMALL_E4M3
							: SMALL_E5M2,
		.from_type = SMALL_F16,
		.round = roundings[field(b, 79, 2)],
		.width = 8,
		.from_f32 = !bit(b, 84),
		.merge = bit(b, 78),
		.relu = bit(b, 74),
		.saturate = bit(b, 82)};
	o->mode = 0; /* the bits of signs have other meanings */
	o->x = arena_alloc(&b->bound->arena, 1, sizeof(*o->x));
	o->x->family = p;
	machine_set_function(o, tf32 ? round_to_tf32 : pack_elements);
	return bit(b, 82) | tf32 && field(b, 89, 2) == (tf32 ? 1 : 2) ? 0 : mbind_refuse(b, "format");
}
