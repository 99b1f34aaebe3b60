/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Executes matrix products of a warp: mma.sync, dense and sparse, and wmma, whose fragments have another layout.
 *
 * One rule gives the position of every element of mma.sync except m8n8k4 of f16. Let g = lane / 4, t = lane %
 * 4, and P the elements per register. Register r of A holds row g + 8 (r mod 2) and columns t P to t P + P -
 * 1 of block r / 2 of 4 P columns. B is the same with rows and columns exchanged. C and D hold two neighbours
 * of row g, then two of row g + 8. PTX does not define the fragments of wmma; here a fragment is its matrix
 * row by row, cut into 32 pieces, or twice that if a fragment has registers for two copies.
 *
 * A sum is computed in double precision in the order of k, beginning with the accumulator, and rounded once. The
 * products are exact; those of f64 are added by fused operations, as GPUs do (MMA-Sim, arXiv:2511.10909). An element of
 * B takes part in a sparse product only if the metadata selects its k. Integers wrap without .satfinite.
 */
#include <assert.h>
#include <math.h>
#include "sem/mma.h"

#define DEEP        256
#define SCALES_MOST 4

double mma_element(u64 bits, unsigned i, enum type t)
{
	union {
		u64 u;
		double f;
	} d = {.u = bits};
	union {
		u32 u;
		float f;
	} f = {.u = (u32)bits};
	unsigned n = types[t].bits;
	u32 v = n >= 32 ? (u32)bits : (u32)(bits >> n * i) & ((1u << n) - 1u);

	switch (t) {
	case T_F64: return d.f;
	case T_F32: return (double)f.f;
	case T_TF32: f.u &= ~0x1fffu; return (double)f.f;
	case T_F16: return small_value(v, SMALL_F16);
	case T_BF16: return small_value(v, SMALL_BF16);
	case T_E4M3: return small_value(v, SMALL_E4M3);
	case T_E5M2: return small_value(v, SMALL_E5M2);
	case T_E2M3: return small_value(v & 63, SMALL_E2M3);
	case T_E3M2: return small_value(v & 63, SMALL_E3M2);
	case T_E2M1: return small_value(v >> 2 & 15, SMALL_E2M1);
	case T_E2M1_PACKED: return small_value(v, SMALL_E2M1);
	case T_UE8M0: return small_value(v, SMALL_UE8M0);
	case T_UE4M3: return small_value(v & 127, SMALL_E4M3);
	case T_S8: return (s8)v;
	case T_S4: return (s32)(v << 28) >> 28;
	case T_S32: return (s32)v;
	default: return v;
	}
}

u64 mma_bits_of_sum(double v, enum type t)
{
	union {
		double f;
		u64 u;
	} d = {.f = v};
	union {
		float f;
		u32 u;
	} f = {.f = (float)v};

	return t == T_F64    ? d.u
	       : t == T_F32  ? v == v ? f.u : 0x7fffffff
	       : t == T_F16  ? small_of_double(v, SMALL_F16, ROUND_RN, false)
	       : t == T_BF16 ? small_of_double(v, SMALL_BF16, ROUND_RN, false)
			     : (u32)(s64)v;
}

struct product {
	double a[32][DEEP], b[DEEP][32], c[32][32], d[32][32];
	double scale_a[16][SCALES_MOST], scale_b[8][SCALES_MOST];
	bool stored[16][DEEP]; /* sparse: elements of A that the metadata selects */
};

/* ---- positions of elements of mma.sync ---- */

static void position_in_a(
	const struct matrix *x, unsigned lane, unsigned r, unsigned e, unsigned *row, unsigned *col)
{
	unsigned p = mma_elements_per_register((enum type)x->a), g = lane / 4, t = lane % 4,
		 two = x->shape.m == 16 ? 1 : 0;

	*row = g + (two ? 8 * (r % 2) : 0);
	*col = t * p + e + 4 * p * (two ? r / 2 : r);
}

static void position_in_b(
	const struct matrix *x, unsigned lane, unsigned r, unsigned e, unsigned *row, unsigned *col)
{
	unsigned p = mma_elements_per_register((enum type)x->b);

	*row = lane % 4 * p + e + 4 * p * r;
	*col = lane / 4;
}

/* Sets *row and *col to the position of element i of the lane's part of C or D. */
static void position_in_c(unsigned lane, unsigned i, unsigned *row, unsigned *col)
{
	*row = lane / 4 + 8 * (i / 2);
	*col = lane % 4 * 2 + i % 2;
}

void mma_place_fragment(
	unsigned rows, unsigned cols, unsigned n, unsigned lane, unsigned i, unsigned *row, unsigned *col)
{
	unsigned pieces = rows * cols / n;

	assert(cols && pieces);
	unsigned position = lane % min_u32(pieces, LANES) * n + i;
	*row = position / cols % rows;
	*col = position % cols;
}

/*
 * Four bits of metadata select two of the four elements of a chunk (two of four pairs for elements of 4 bits,
 * one of two elements for tf32). A row has 16 bits of metadata, in the lower (rows below 8) or upper half of
 * a lane's word; for elements of at most 8 bits it has a whole word.
 */
unsigned mma_sparse_column(
	const u32 *metadata, enum type t, unsigned k, unsigned selector, unsigned row, unsigned c)
{
	unsigned bits = types[t].bits, per = bits >= 32 ? 1 : bits >= 8 ? 2 : 4, chunk = c / per;
	unsigned upper = row / 8, quad = row % 8 * 4, lane, shift;
	bool both = k * bits == 512; /* two lanes have the metadata of a row */

	if (bits >= 16) {
		lane = both ? 2u * selector + chunk / 4 : selector;
		shift = 16 * upper + chunk % 4 * 4;
	} else {
		lane = (both ? chunk / 8 : selector) * 2 + upper;
		shift = chunk % 8 * 4;
	}
	u32 four = metadata[quad + lane] >> shift & 15;
	if (bits >= 32)
		return chunk * 2 + (four >> 1 & 1);
	if (bits >= 8)
		return chunk * 4 + (four >> c % 2 * 2 & 3);
	return chunk * 8 + (four >> c % 4 / 2 * 2 & 3) * 2 + c % 2;
}

static void gather_a(const struct warp *w, const struct op *o, const struct matrix *x, struct product *p)
{
	enum type t = (enum type)x->a;
	unsigned per = mma_elements_per_register(t), row, col;

	if (x->sparse)
		memset(p->stored, 0, sizeof(p->stored));
	for (unsigned lane = 0; lane < LANES; lane++)
		for (unsigned i = 0; i < x->n_a * per; i++) {
			u64 bits = mma_register_bits(w, o->x->slot[x->n_d + i / per], t, lane);

			if (x->wmma)
				mma_place_fragment(x->shape.m, x->shape.k, x->n_a * per, lane, i, &row, &col);
			else
				position_in_a(x, lane, i / per, i % per, &row, &col);
			if (x->sparse) {
				col = mma_sparse_column(
					REG(u32, w, o->a), t, x->shape.k, x->selector, row, col);
				p->stored[row][col] = true;
			}
			p->a[row][col] = mma_element(bits, i % per, t);
		}
}

static void gather_b(const struct warp *w, const struct op *o, const struct matrix *x, struct product *p)
{
	enum type t = (enum type)x->b;
	unsigned per = mma_elements_per_register(t), row, col;

	for (unsigned lane = 0; lane < LANES; lane++)
		for (unsigned i = 0; i < x->n_b * per; i++) {
			u64 bits = mma_register_bits(w, o->x->slot[x->n_d + x->n_a + i / per], t, lane);

			if (x->wmma)
				mma_place_fragment(x->shape.k, x->shape.n, x->n_b * per, lane, i, &row, &col);
			else
				position_in_b(x, lane, i / per, i % per, &row, &col);
			p->b[row][col] = mma_element(bits, i % per, t);
		}
}

static void gather_c(const struct warp *w, const struct op *o, const struct matrix *x, struct product *p)
{
	enum type t = (enum type)x->c;
	unsigned per = mma_elements_per_register(t), first = (unsigned)x->n_d + x->n_a + x->n_b, row, col;

	for (unsigned lane = 0; lane < LANES; lane++)
		for (unsigned i = 0; i < x->n_c * per; i++) {
			if (x->wmma)
				mma_place_fragment(x->shape.m, x->shape.n, x->n_c * per, lane, i, &row, &col);
			else
				position_in_c(lane, i, &row, &col);
			p->c[row][col] = mma_element(
				mma_register_bits(w, o->x->slot[first + i / per], t, lane), i % per, t);
		}
}

/* Returns selector i of struct mma_scales. It is the same in all lanes. */
static unsigned read_selector(const struct warp *w, const struct mma_scales *s, unsigned i)
{
	static const struct {
		uint8_t shift, mask;
	} fields[4] = {{0, 3}, {2, 1}, {3, 3}, {5, 3}};
	unsigned v =
		s->packed ? REG(u32, w, s->select[0])[0] >> fields[i].shift : REG(u16, w, s->select[i])[0];

	return v & fields[i].mask;
}

static void gather_scales(const struct warp *w, const struct mma_scales *s, struct product *p)
{
	enum type t = (enum type)s->type;
	unsigned byte_a = read_selector(w, s, 0), lane_a = 2 * read_selector(w, s, 1),
		 byte_b = read_selector(w, s, 2), lane_b = read_selector(w, s, 3);

	for (unsigned i = 0; i < s->n; i++) {
		for (unsigned row = 0; row < 16; row++)
			p->scale_a[row][i] = mma_element(
				REG(u32, w, s->a)[row % 8 * 4 + lane_a + row / 8], (byte_a + i) % 4, t);
		for (unsigned col = 0; col < 8; col++)
			p->scale_b[col][i] =
				mma_element(REG(u32, w, s->b)[col * 4 + lane_b], (byte_b + i) % 4, t);
	}
}

/* Returns true if row i of A has an element in column k. */
static bool has_product_element(const struct matrix *x, const struct product *p, unsigned i, unsigned k)
{
	return !x->sparse || p->stored[i][k];
}

/* Returns element (i, j) of a product with scaled blocks. */
static double scaled_sum(const struct matrix *x, const struct product *p, unsigned i, unsigned j)
{
	double v = p->c[i][j];

	for (unsigned k = 0; k < x->shape.k; k++) {
		unsigned block = k * x->scales.n / x->shape.k;

		if (!has_product_element(x, p, i, k))
			continue;
		v += p->a[i][k] * p->b[k][j] * p->scale_a[i][block] * p->scale_b[j][block];
	}
	return v;
}

static double mma_sum(const struct matrix *x, const struct product *p, unsigned i, unsigned j)
{
	double v = p->c[i][j];

	for (unsigned k = 0; k < x->shape.k; k++)
		if (x->a == T_F64)
			v = fma(p->a[i][k], p->b[k][j], v);
		else if (x->b1_operation == 1)
			v += p->a[i][k] != p->b[k][j];
		else if (has_product_element(x, p, i, k))
			v += p->a[i][k] * p->b[k][j];
	if (x->d == T_F16 && x->c == T_F32)
		return (double)(float)v; /* compiled code sums in f32 and converts the sum */
	if (!mma_is_int((enum type)x->d))
		return v;
	if (x->saturate)
		return v > 2147483647.0 ? 2147483647.0 : v < -2147483648.0 ? -2147483648.0 : v;
	return (double)(s32)(u32)(s64)v;
}

static void scatter_d(struct warp *w, const struct op *o, const struct matrix *x, double (*d)[32])
{
	unsigned pd = mma_elements_per_register((enum type)x->d), row, col;

	for (unsigned lane = 0; lane < LANES; lane++)
		for (unsigned r = 0; r < x->n_d; r++) {
			u64 v = 0;

			for (unsigned e = 0; e < pd; e++) {
				if (x->wmma)
					mma_place_fragment(x->shape.m, x->shape.n, x->n_d * pd, lane,
						r * pd + e, &row, &col);
				else
					position_in_c(lane, r * pd + e, &row, &col);
				v |= mma_bits_of_sum(d[row][col], (enum type)x->d)
				     << (types[x->d].bits % 64) * e;
			}
			if (x->d == T_F64)
				REG(u64, w, o->x->slot[r])[lane] = v;
			else
				REG(u32, w, o->x->slot[r])[lane] = (u32)v;
		}
}

bool mma_check_lanes(struct warp *w, const struct op *o, uint32_t m, const char *what)
{
	if (m != ALL_LANES)
		exec_fail(w, o, m, "mma-divergent", "%u lanes at a matrix %s (expected all 32)",
			bit_count32(m), what);
	return m == ALL_LANES;
}

void mma_execute(struct warp *w, const struct op *o, uint32_t m)
{
	const struct matrix *x = o->x->matrix;
	struct cta *c = w->cta;
	struct product *p;

	if (!mma_check_lanes(w, o, m, "product"))
		return;
	if (!c->product)
		c->product = xcalloc(1, sizeof(*p));
	p = c->product;
	gather_a(w, o, x, p);
	gather_b(w, o, x, p);
	gather_c(w, o, x, p);
	if (x->scales.n)
		gather_scales(w, &x->scales, p);
	sem_set_rounding((enum rounding)x->rounding);
	for (unsigned i = 0; i < x->shape.m; i++)
		for (unsigned j = 0; j < x->shape.n; j++)
			p->d[i][j] = x->scales.n ? scaled_sum(x, p, i, j) : mma_sum(x, p, i, j);
	sem_reset_rounding((enum rounding)x->rounding);
	scatter_d(w, o, x, p->d);
}

/* ---- m8n8k4 of f16: four products, each of a pair of quads ---- */

struct quads {
	double a[8][4], b[4][8], c[8][8];
};

/* Returns the number in the warp of lane n (0 to 7) of pair q of quads. */
static unsigned volta_lane(unsigned q, unsigned n) { return n % 4 + 4 * q + n / 4 * 16; }

/* Returns element i (0 to 7) of lane n of C or D. A lane has row n for f16, and parts of several rows for f32. */
static double *volta_element_of_c(double (*c)[8], unsigned n, unsigned i, bool f16)
{
	unsigned up = n / 4 * 4, lane = n % 4;

	return f16 ? &c[lane + up][i] : &c[(lane & 1) + (i & 2) + up][(i & 4) + (lane & 2) + (i & 1)];
}

static void volta_gather(const struct warp *w, const struct op *o, unsigned q, struct quads *p)
{
	const struct matrix *x = o->x->matrix;
	const uint32_t *sa = o->x->slot + x->n_d, *sb = sa + x->n_a, *sc = sb + x->n_b;
	bool f16 = x->c == T_F16;

	for (unsigned n = 0; n < 8; n++) {
		unsigned lane = volta_lane(q, n), up = n / 4 * 4, own = n % 4;

		for (unsigned i = 0; i < 4; i++) {
			double va = mma_element(mma_register_bits(w, sa[i / 2], T_F16, lane), i % 2, T_F16);
			double vb = mma_element(mma_register_bits(w, sb[i / 2], T_F16, lane), i % 2, T_F16);

			*(x->a_col ? &p->a[i + up][own] : &p->a[own + up][i]) = va;
			*(x->b_row ? &p->b[own][i + up] : &p->b[i][own + up]) = vb;
		}
		for (unsigned i = x->part_c.first; i < x->part_c.end; i++)
			*volta_element_of_c(p->c, n, i, f16) =
				f16 ? mma_element(mma_register_bits(w, sc[i / 2], T_F16, lane), i % 2, T_F16)
				    : mma_element(mma_register_bits(w, sc[i], T_F32, lane), 0, T_F32);
	}
}

static void volta_scatter(struct warp *w, const struct op *o, unsigned q, struct quads *p)
{
	const struct matrix *x = o->x->matrix;
	bool f16 = x->d == T_F16;

	for (unsigned n = 0; n < 8; n++)
		for (unsigned i = x->part_d.first; i < x->part_d.end; i++) {
			u32 v = (u32)mma_bits_of_sum(
				*volta_element_of_c(p->c, n, i, f16), f16 ? T_F16 : T_F32);
			u32 *r = &REG(u32, w, o->x->slot[f16 ? i / 2 : i])[volta_lane(q, n)];

			*r = !f16 ? v : i % 2 ? (*r & 0xffff) | v << 16 : v;
		}
}

void mma_execute_volta(struct warp *w, const struct op *o, uint32_t m)
{
	if (!mma_check_lanes(w, o, m, "product"))
		return;
	for (unsigned q = 0; q < 4; q++) {
		struct quads p = {0};

		volta_gather(w, o, q, &p);
		for (unsigned i = 0; i < 8; i++)
			for (unsigned j = 0; j < 8; j++)
				for (unsigned k = 0; k < 4; k++)
					p.c[i][j] += p.a[i][k] * p.b[k][j];
		volta_scatter(w, o, q, &p);
	}
}
