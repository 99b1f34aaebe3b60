/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Matrix products of a warp: HMMA IMMA BMMA QMMA OMMA, dense and sparse, and DMMA. sem/product.c computes all of them
 * except DMMA, whose numbers are pairs of registers in machine code.
 */
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include "machine/code.h"
#include "sem/mma.h"

/* Shapes of matrix products by their digits in the opcode. */
static const struct {
	const char *digits;
	struct mma_shape shape;
} shapes[] = {
	{"1684", {16, 8, 4}},
	{"1688", {16, 8, 8}},
	{"16816", {16, 8, 16}},
	{"16832", {16, 8, 32}},
	{"16864", {16, 8, 64}},
	{"168128", {16, 8, 128}},
	{"168256", {16, 8, 256}},
	{"8816", {8, 8, 16}},
	{"8832", {8, 8, 32}},
	{"88128", {8, 8, 128}},
};

static bool find_product_shape(const struct mbind *b, struct mma_shape *shape)
{
	char text[SASS_TEXT_MAX];

	sass_opcode_text(b->inst, text);
	for (const char *s = strchr(text, '.'); s; s = strchr(s + 1, '.'))
		for (unsigned i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
			size_t n = strlen(shapes[i].digits);

			if (!strncmp(s + 1, shapes[i].digits, n) && (s[n + 1] == '.' || !s[n + 1])) {
				*shape = shapes[i].shape;
				return true;
			}
		}
	return false;
}

/* Sets the registers of D, A, B and C from the types and the shape. */
static int bind_product(struct mbind *b, struct op *o, struct matrix *x)
{
	unsigned k = x->sparse ? x->shape.k / 2u : x->shape.k, at = 0;
	unsigned n_a = x->shape.m * k * types[x->a].bits / 1024u,
		 n_b = (unsigned)x->shape.k * 8 * types[x->b].bits / 1024u,
		 n_d = x->shape.m * 8u * types[x->d].bits / 1024u;

	if (!n_a || !n_b || !n_d || n_a > 4 || n_b > 4 || n_d > 4 ||
		(b->inst->row->arithmetic && b->inst->form != FORM_REG))
		return mbind_refuse(b, "shape");
	x->n_a = (uint8_t)n_a;
	x->n_b = (uint8_t)n_b;
	x->n_c = x->n_d = (uint8_t)n_d;
	o->x = arena_alloc(&b->bound->arena, 1, sizeof(*o->x));
	o->x->matrix = x;
	const uint32_t first[4] = {
		mbind_dst(b, 16, n_d), mbind_reg(b, 24, n_a), mbind_reg(b, 32, n_b), mbind_reg(b, 64, n_d)};
	const unsigned count[4] = {n_d, n_a, n_b, n_d};
	for (unsigned i = 0; i < 4; i++)
		for (unsigned r = 0; r < count[i]; r++)
			o->x->slot[at++] = first[i] + r * VECTOR;
	if (x->sparse)
		o->a = mbind_reg(b, 40, 1);
	machine_set_function(o, mma_execute);
	return 0;
}

static struct matrix *new_matrix(struct mbind *b)
{
	return arena_alloc(&b->bound->arena, 1, sizeof(struct matrix));
}

/*
 * HMMA.884: one step of a product of 8x8x4. A step computes two f32 or four f16 elements of each lane, in the order of
 * the elements, and its registers of C and D are only those with these elements.
 */
int mbind_hmma884(struct mbind *b, struct op *o)
{
	struct matrix *x = new_matrix(b);
	unsigned step = (unsigned)field(b, 79, 2), first, at = 0;

	x->volta = true;
	x->shape = (struct mma_shape){8, 8, 4};
	x->a = x->b = T_F16;
	x->d = bit(b, 76) ? T_F32 : T_F16;
	x->c = bit(b, 78) ? T_F32 : T_F16;
	x->a_col = bit(b, 73);
	x->b_row = !bit(b, 74);
	x->n_a = x->n_b = 2;
	x->n_d = x->d == T_F32 ? 8 : 4;
	x->n_c = x->c == T_F32 ? 8 : 4;
	first = (x->d == T_F32 ? 2 : 4) * step;
	if (b->inst->form != FORM_REG || first >= VOLTA_ELEMENTS || (x->c == T_F32 && x->d == T_F16))
		return mbind_refuse(b, "shape");
	x->part_d = (struct mma_range){(uint8_t)first, (uint8_t)(first + (x->d == T_F32 ? 2 : 4))};
	x->part_c = x->part_d;
	if (x->c == T_F16)
		x->part_c = (struct mma_range){(uint8_t)(first & 4), (uint8_t)((first & 4) + 4)};
	o->x = arena_alloc(&b->bound->arena, 1, sizeof(*o->x));
	o->x->matrix = x;
	const uint32_t from[4] = {
		mbind_dst(b, 16, 2), mbind_reg(b, 24, 2), mbind_reg(b, 32, 2), mbind_reg(b, 64, 2)};
	const unsigned count[4] = {x->n_d, 2, 2, x->n_c};
	for (unsigned i = 0; i < 4; i++)
		for (unsigned r = 0; r < count[i]; r++)
			o->x->slot[at++] = from[i] + r % 2 * VECTOR;
	machine_set_function(o, mma_execute_volta);
	return 0;
}

int mbind_hmma(struct mbind *b, struct op *o)
{
	static const uint8_t type[4] = {T_F16, T_BF16, T_TF32, 0};
	struct matrix *x = new_matrix(b);
	unsigned t = type[field(b, 82, 2)];

	x->a = x->b = (uint8_t)t;
	x->c = x->d = bit(b, 76) ? T_F32 : T_F16;
	x->sparse = bit(b, 73);
	x->selector = (uint8_t)field(b, 48, 2);
	return !t || !find_product_shape(b, &x->shape) ? mbind_refuse(b, "shape") : bind_product(b, o, x);
}

int mbind_imma(struct mbind *b, struct op *o)
{
	struct matrix *x = new_matrix(b);

	x->a = bit(b, 83) ? bit(b, 76) ? T_S4 : T_U4 : bit(b, 76) ? T_S8 : T_U8;
	x->b = bit(b, 84) ? bit(b, 78) ? T_S4 : T_U4 : bit(b, 78) ? T_S8 : T_U8;
	x->c = x->d = T_S32;
	x->saturate = bit(b, 82);
	x->sparse = bit(b, 72);
	x->selector = (uint8_t)field(b, 48, 2);
	return !find_product_shape(b, &x->shape) ? mbind_refuse(b, "shape") : bind_product(b, o, x);
}

int mbind_bmma(struct mbind *b, struct op *o)
{
	struct matrix *x = new_matrix(b);

	x->a = x->b = T_B1;
	x->c = x->d = T_S32;
	x->b1_operation = bit(b, 78) ? 2 : 1;
	return !find_product_shape(b, &x->shape) ? mbind_refuse(b, "shape") : bind_product(b, o, x);
}

/* Returns the type of A or B of QMMA, from a low bit and two high bits. */
static uint8_t narrow_type(const struct mbind *b, unsigned low, unsigned high)
{
	static const uint8_t type[8] = {T_E4M3, T_E5M2, T_NONE, T_E3M2, T_E2M3, T_E2M1};

	return type[bit(b, low) | field(b, high, 2) << 1];
}

/* Products of numbers of 8, 6 and 4 bits, each in 8 bits of a register. */
int mbind_qmma(struct mbind *b, struct op *o)
{
	struct matrix *x = new_matrix(b);

	x->a = narrow_type(b, 78, 82);
	x->b = narrow_type(b, 79, 84);
	x->c = x->d = bit(b, 77) ? T_F32 : T_F16;
	x->sparse = bit(b, 80);
	x->selector = (uint8_t)field(b, 48, 2);
	return !x->a || !x->b || !find_product_shape(b, &x->shape) ? mbind_refuse(b, "shape")
								   : bind_product(b, o, x);
}

/*
 * QMMA.SF and OMMA.SF: products with scaled blocks. OMMA has numbers of 4 bits. A sparse one has the metadata and the
 * factors of A in a pair of registers.
 */
int mbind_scaled_product(struct mbind *b, struct op *o)
{
	struct matrix *x = new_matrix(b);
	bool four = b->inst->opcode == 0x47f;
	unsigned scale = (unsigned)field(b, 82, 2);

	x->a = four ? T_E2M1_PACKED : narrow_type(b, 78, 82);
	x->b = four ? T_E2M1_PACKED : narrow_type(b, 79, 84);
	x->c = x->d = T_F32;
	x->sparse = bit(b, 80);
	x->selector = (uint8_t)field(b, 48, 2);
	x->scales.n = !four ? 1 : scale == 1 ? 4 : 2;
	x->scales.type = four && scale == 1 ? T_UE4M3 : T_UE8M0;
	x->scales.packed = true;
	x->scales.a = mbind_reg(b, 40, x->sparse ? 2 : 1);
	if (x->sparse && x->scales.a != FRAME_ZERO)
		x->scales.a += VECTOR;
	x->scales.b = mbind_reg(b, 52, 1);
	x->scales.select[0] = mbind_split_ureg(b);
	if (!x->a || !x->b || (four && (scale == 0 || scale == 3 || field(b, 78, 2))))
		return mbind_refuse(b, "types");
	return !find_product_shape(b, &x->shape) ? mbind_refuse(b, "shape") : bind_product(b, o, x);
}

/* ---- DMMA ---- */

/* Reads a number. signs: NEG_A and ABS_A. */
static double read_signed_pair(const u32 *p, unsigned lane, unsigned signs)
{
	double v = ieee_f64(p[lane] | (u64)p[lane + LANES] << 32);

	v = signs & ABS_A ? fabs(v) : v;
	return signs & NEG_A ? -v : v;
}

/* Returns result number e of a lane. o->n: rows; o->bytes: columns of A. */
static double dmma_sum(const struct warp *w, const struct op *o, unsigned lane, unsigned e)
{
	const u32 *a = REG(u32, w, o->a), *b = REG(u32, w, o->b), *c = REG(u32, w, o->c);
	unsigned row = lane / 4, col = lane % 4 * 2 + e % 2, parts = o->n / 8;
	double v = read_signed_pair(c + 2 * e * LANES, lane, o->mode >> 4);

	for (unsigned k = 0; k < o->bytes; k++) {
		unsigned i = k / 4 * parts + e / 2; /* index in the fragment of A */

		v = fma(read_signed_pair(a + 2 * i * LANES, row * 4 + k % 4, o->mode),
			read_signed_pair(b + 2 * (k / 4) * LANES, col * 4 + k % 4, o->mode >> 2), v);
	}
	return v;
}

static void execute_dmma(struct warp *w, const struct op *o, uint32_t m)
{
	u64 r[4][LANES];
	unsigned n = o->n / 4; /* results of a lane */

	if (!mma_check_lanes(w, o, m, "product"))
		return;
	machine_set_rounding((unsigned)o->imm);
	for (unsigned l = 0; l < LANES; l++)
		for (unsigned e = 0; e < n; e++)
			r[e][l] = ieee_f64_bits(dmma_sum(w, o, l, e));
	machine_set_rounding(0);
	u32 *d = REG(u32, w, o->d);
	for (unsigned e = 0; e < n; e++)
		for (unsigned l = 0; l < LANES; l++) {
			d[2 * e * LANES + l] = (u32)r[e][l];
			d[(2 * e + 1) * LANES + l] = (u32)(r[e][l] >> 32);
		}
}

/* Bits 76-77 choose the shape on sm_90 and later: 8x8x4, 16x8x4, 16x8x8, 16x8x16. */
int mbind_dmma(struct mbind *b, struct op *o)
{
	static const uint8_t columns[4] = {4, 4, 8, 16};
	unsigned shape = b->code->sm >= 90 ? (unsigned)field(b, 76, 2) : 0, parts = shape ? 2 : 1;

	if (b->inst->form != FORM_REG)
		return mbind_refuse(b, "shape");
	o->n = (uint8_t)(8 * parts);
	o->bytes = columns[shape];
	o->imm = (int64_t)field(b, 78, 2);
	o->d = mbind_dst(b, 16, 4 * parts);
	o->a = mbind_reg(b, 24, o->bytes / 2u * parts);
	o->b = mbind_reg(b, 32, o->bytes / 2u);
	o->c = mbind_reg(b, 64, 4 * parts);
	o->mode = (uint8_t)((bit(b, 72) ? NEG_A : 0) | (bit(b, 73) ? ABS_A : 0) | (bit(b, 63) ? NEG_B : 0) |
			    (bit(b, 62) ? ABS_B : 0) | (bit(b, 75) ? NEG_C : 0) | (bit(b, 74) ? ABS_C : 0));
	machine_set_function(o, execute_dmma);
	return 0;
}
