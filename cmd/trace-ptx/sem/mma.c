/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Matrix products of a warp: mma.sync, dense and sparse, and wmma on fragments of its own layout.
 *
 * One rule gives the place of every element of mma.sync but for m8n8k4 of f16: with g = lane / 4, t = lane % 4 and P
 * elements a register, register r of A holds row g + 8 (r mod 2) and columns t P .. t P + P - 1 of the block r / 2 of
 * 4 P columns; B likewise by columns; C and D hold two neighbours of row g, then of row g + 8. A fragment of wmma,
 * whose layout PTX leaves open, is its matrix row by row, cut into 32 pieces (twice, where there is room).
 *
 * Always true: products are exact; a floating-point sum is taken in double precision in the order of k with the
 * accumulator first, then rounded once; integers wrap unless .satfinite.
 */
#include <math.h>
#include "sem/sem.h"
#include "exec/check.h"
#include "sem/mma.h"

#define DIM  16
#define DEEP 256

struct shape {
	uint8_t m, n;
	uint16_t k;
};

struct matrix { /* what an op knows of its product */
	struct shape s;
	uint8_t a, b, c, d; /* types */
	bool saturate, a_col, b_row, volta;
	uint8_t bit_op;             /* b1: 1 xor, 2 and */
	uint8_t n_a, n_b, n_c, n_d; /* registers */
	bool wmma;
	bool sparse;      /* A has k / 2 columns; o->a: metadata */
	uint8_t selector; /* lanes of a quad that hold the metadata */
};

static const struct {
	enum modifier m;
	struct shape s;
} shapes[] = {
	{M_M8N8K4, {8, 8, 4}},
	{M_M8N8K16, {8, 8, 16}},
	{M_M8N8K32, {8, 8, 32}},
	{M_M8N8K128, {8, 8, 128}},
	{M_M16N8K4, {16, 8, 4}},
	{M_M16N8K8, {16, 8, 8}},
	{M_M16N8K16, {16, 8, 16}},
	{M_M16N8K32, {16, 8, 32}},
	{M_M16N8K64, {16, 8, 64}},
	{M_M16N8K128, {16, 8, 128}},
	{M_M16N8K256, {16, 8, 256}},
	{M_M16N16K16, {16, 16, 16}},
	{M_M32N8K16, {32, 8, 16}},
	{M_M8N32K16, {8, 32, 16}},
	{M_M16N16K8, {16, 16, 8}},
};

static bool find_shape(const struct stmt *in, struct shape *s)
{
	for (unsigned i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (has(in, shapes[i].m)) {
			*s = shapes[i].s;
			return true;
		}
	return false;
}

static bool is_int(enum type t) { return types[t].kind != K_FLOAT; }

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
	case T_S8: return (s8)v;
	case T_S4: return (s32)(v << 28) >> 28;
	case T_S32: return (s32)v;
	default: return v;
	}
}

u64 mma_bits(double v, enum type t)
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
	       : t == T_F16  ? small_from(v, SMALL_F16, ROUND_RN, false)
	       : t == T_BF16 ? small_from(v, SMALL_BF16, ROUND_RN, false)
			     : (u32)(s64)v;
}

static u64 reg_bits(const struct warp *w, uint32_t slot, enum type t, unsigned lane)
{
	return types[t].bits == 64 ? REG(u64, w, slot)[lane] : REG(u32, w, slot)[lane];
}

struct product {
	double a[32][DEEP], b[DEEP][32], c[32][32], d[32][32];
};

/* ---- places of mma.sync ---- */

static void place_a(
	const struct matrix *x, unsigned lane, unsigned r, unsigned e, unsigned *row, unsigned *col)
{
	unsigned p = mma_per_reg((enum type)x->a), g = lane / 4, t = lane % 4, two = x->s.m == 16 ? 1 : 0;

	*row = g + (two ? 8 * (r % 2) : 0);
	*col = t * p + e + 4 * p * (two ? r / 2 : r);
}

static void place_b(
	const struct matrix *x, unsigned lane, unsigned r, unsigned e, unsigned *row, unsigned *col)
{
	unsigned p = mma_per_reg((enum type)x->b);

	*row = lane % 4 * p + e + 4 * p * r;
	*col = lane / 4;
}

/* Element number i of the lane's part of C or D. */
static void place_c(unsigned lane, unsigned i, unsigned *row, unsigned *col)
{
	*row = lane / 4 + 8 * (i / 2);
	*col = lane % 4 * 2 + i % 2;
}

/* A fragment of rows x cols elements with n elements a lane. */
static void place_fragment(
	unsigned rows, unsigned cols, unsigned n, unsigned lane, unsigned i, unsigned *row, unsigned *col)
{
	unsigned pieces = rows * cols / n, at = lane % (pieces < LANES ? pieces : LANES) * n + i;

	*row = at / cols % rows;
	*col = at % cols;
}

/*
 * The column that column c of a sparse A stands for. Four bits of metadata say which two of four elements (of pairs,
 * for elements of 4 bits) a chunk has; of tf32 which one of two. 16 bits of them are a row's part in the lower (rows
 * below 8) or upper half of a lane's word; with elements of 8 bits and less a row's part is a word.
 */
static unsigned sparse_column(
	const struct warp *w, const struct op *o, const struct matrix *x, unsigned row, unsigned c)
{
	unsigned bits = types[x->a].bits, per = bits >= 32 ? 1 : bits >= 8 ? 2 : 4, chunk = c / per;
	unsigned upper = row / 8, quad = row % 8 * 4, lane, shift;
	bool both = x->s.k * bits == 512; /* a row's chunks lie in two lanes */

	if (bits >= 16) {
		lane = both ? 2u * x->selector + chunk / 4 : x->selector;
		shift = 16 * upper + chunk % 4 * 4;
	} else {
		lane = (both ? chunk / 8 : x->selector) * 2 + upper;
		shift = chunk % 8 * 4;
	}
	u32 four = REG(u32, w, o->a)[quad + lane] >> shift & 15;
	if (bits >= 32)
		return chunk * 2 + (four >> 1 & 1);
	if (bits >= 8)
		return chunk * 4 + (four >> c % 2 * 2 & 3);
	return chunk * 8 + (four >> c % 4 / 2 * 2 & 3) * 2 + c % 2;
}

static void gather(const struct warp *w, const struct op *o, const struct matrix *x, struct product *p)
{
	const uint32_t *slot = o->x->slot;
	unsigned pa = mma_per_reg((enum type)x->a), pb = mma_per_reg((enum type)x->b),
		 pc = mma_per_reg((enum type)x->c), row, col;

	if (x->sparse)
		memset(p->a, 0, sizeof(p->a));
	for (unsigned lane = 0; lane < LANES; lane++) {
		for (unsigned r = 0; r < x->n_a; r++)
			for (unsigned e = 0; e < pa; e++) {
				if (x->wmma)
					place_fragment(
						x->s.m, x->s.k, x->n_a * pa, lane, r * pa + e, &row, &col);
				else
					place_a(x, lane, r, e, &row, &col);
				if (x->sparse)
					col = sparse_column(w, o, x, row, col);
				p->a[row][col] =
					mma_element(reg_bits(w, slot[x->n_d + r], (enum type)x->a, lane), e,
						(enum type)x->a);
			}
		for (unsigned r = 0; r < x->n_b; r++)
			for (unsigned e = 0; e < pb; e++) {
				if (x->wmma)
					place_fragment(
						x->s.k, x->s.n, x->n_b * pb, lane, r * pb + e, &row, &col);
				else
					place_b(x, lane, r, e, &row, &col);
				p->b[row][col] = mma_element(reg_bits(w, slot[(unsigned)x->n_d + x->n_a + r],
								     (enum type)x->b, lane),
					e, (enum type)x->b);
			}
		for (unsigned r = 0; r < x->n_c; r++)
			for (unsigned e = 0; e < pc; e++) {
				if (x->wmma)
					place_fragment(
						x->s.m, x->s.n, x->n_c * pc, lane, r * pc + e, &row, &col);
				else
					place_c(lane, r * pc + e, &row, &col);
				p->c[row][col] =
					mma_element(reg_bits(w, slot[(unsigned)x->n_d + x->n_a + x->n_b + r],
							    (enum type)x->c, lane),
						e, (enum type)x->c);
			}
	}
}

static double sum(const struct matrix *x, const struct product *p, unsigned i, unsigned j)
{
	double v = p->c[i][j];

	for (unsigned k = 0; k < x->s.k; k++)
		v += x->bit_op == 1 ? (double)(p->a[i][k] != p->b[k][j]) : p->a[i][k] * p->b[k][j];
	if (!is_int((enum type)x->d))
		return v;
	if (x->saturate)
		return v > 2147483647.0 ? 2147483647.0 : v < -2147483648.0 ? -2147483648.0 : v;
	return (double)(s32)(u32)(s64)v;
}

static void scatter(struct warp *w, const struct op *o, const struct matrix *x, double (*d)[32])
{
	unsigned pd = mma_per_reg((enum type)x->d), row, col;

	for (unsigned lane = 0; lane < LANES; lane++)
		for (unsigned r = 0; r < x->n_d; r++) {
			u64 v = 0;

			for (unsigned e = 0; e < pd; e++) {
				if (x->wmma)
					place_fragment(
						x->s.m, x->s.n, x->n_d * pd, lane, r * pd + e, &row, &col);
				else
					place_c(lane, r * pd + e, &row, &col);
				v |= mma_bits(d[row][col], (enum type)x->d) << (types[x->d].bits % 64) * e;
			}
			if (x->d == T_F64)
				REG(u64, w, o->x->slot[r])[lane] = v;
			else
				REG(u32, w, o->x->slot[r])[lane] = (u32)v;
		}
}

static void mma(struct warp *w, const struct op *o, uint32_t m)
{
	const struct matrix *x = o->x->matrix;
	struct cta *c = w->cta;
	struct product *p;

	if (m != ALL_LANES) {
		exec_fail(w, o, m, "mma-divergent", "found %u lanes at a matrix product, wanted all 32",
			bit_count32(m));
		return;
	}
	if (!c->product)
		c->product = xcalloc(1, sizeof(*p));
	p = c->product;
	gather(w, o, x, p);
	for (unsigned i = 0; i < x->s.m; i++)
		for (unsigned j = 0; j < x->s.n; j++)
			p->d[i][j] = sum(x, p, i, j);
	scatter(w, o, x, p->d);
}

/* ---- m8n8k4 of f16: four products, each of a pair of quads ---- */

static void mma_volta(struct warp *w, const struct op *o, uint32_t m)
{
	const struct matrix *x = o->x->matrix;
	const uint32_t *slot = o->x->slot, *sa = slot + x->n_d, *sb = sa + x->n_a, *sc = sb + x->n_b;

	if (m != ALL_LANES) {
		exec_fail(w, o, m, "mma-divergent", "found %u lanes at a matrix product, wanted all 32",
			bit_count32(m));
		return;
	}
	for (unsigned q = 0; q < 4; q++) {
		double a[8][4], b[4][8], c[8][8], d[8][8];

		for (unsigned n = 0; n < 8; n++) {
			unsigned lane = n % 4 + 4 * q + (n / 4) * 16, up = n / 4 * 4;

			for (unsigned i = 0; i < 4; i++) {
				double va = mma_element(reg_bits(w, sa[i / 2], T_F16, lane), i % 2, T_F16);
				double vb = mma_element(reg_bits(w, sb[i / 2], T_F16, lane), i % 2, T_F16);

				*(x->a_col ? &a[i + up][lane % 4] : &a[lane % 4 + up][i]) = va;
				*(x->b_row ? &b[lane % 4][i + up] : &b[i][lane % 4 + up]) = vb;
			}
			for (unsigned i = 0; i < 8; i++) {
				if (x->c == T_F16)
					c[lane % 4 + up][i] = mma_element(
						reg_bits(w, sc[i / 2], T_F16, lane), i % 2, T_F16);
				else
					c[(lane & 1) + (i & 2) + up][(i & 4) + (lane & 2) + (i & 1)] =
						mma_element(reg_bits(w, sc[i], T_F32, lane), 0, T_F32);
			}
		}
		for (unsigned i = 0; i < 8; i++)
			for (unsigned j = 0; j < 8; j++) {
				d[i][j] = c[i][j];
				for (unsigned k = 0; k < 4; k++)
					d[i][j] += a[i][k] * b[k][j];
			}
		for (unsigned n = 0; n < 8; n++) {
			unsigned lane = n % 4 + 4 * q + (n / 4) * 16, up = n / 4 * 4;

			for (unsigned i = 0; i < 8; i++) {
				if (x->d == T_F16) {
					u32 h = (u32)mma_bits(d[lane % 4 + up][i], T_F16),
					    *r = &REG(u32, w, slot[i / 2])[lane];

					*r = i % 2 ? (*r & 0xffff) | h << 16 : h;
				} else {
					REG(u32, w, slot[i])
					[lane] = (u32)mma_bits(
						d[(lane & 1) + (i & 2) + up][(i & 4) + (lane & 2) + (i & 1)],
						T_F32);
				}
			}
		}
	}
}

/* ---- binding ---- */

/* Registers of rows x cols elements of a type; inputs of f16 of wmma are always held in eight. */
static unsigned registers(unsigned rows, unsigned cols, enum type t, bool eight)
{
	return eight ? 8 : rows * cols / LANES / mma_per_reg(t);
}

static int bind_fragment(
	struct bind *b, const struct operand *k, unsigned n, enum type t, bool dst, uint32_t *slot)
{
	unsigned bits = types[t].bits == 64 ? 64 : 32;
	const struct operand *e = k->kind == O_VEC ? k->elem : k;

	if ((k->kind == O_VEC ? k->n : 1) != n)
		return bind_fault(b, k, "operand", "found %u registers of a fragment of .%s, wanted %u",
			k->kind == O_VEC ? k->n : 1, types[t].name, n);
	for (unsigned i = 0; i < n; i++) {
		slot[i] = dst ? bind_dst(b, &e[i], bits)
			      : bind_src(b, &e[i],
					bits == 64   ? T_F64
					: t == T_F32 ? T_F32
						     : T_B32);
		if (slot[i] == UINT32_MAX)
			return -1;
	}
	return 0;
}

/* Which inputs go with which shape: bits of A's elements times k is 128, 256 or 512 ... */
static bool known(const struct matrix *x)
{
	unsigned bits = types[x->a].bits, deep = bits * x->s.k;
	bool floats = !is_int((enum type)x->a);

	if (floats != !is_int((enum type)x->b) || floats != !is_int((enum type)x->c) ||
		floats != !is_int((enum type)x->d))
		return false;
	if (bits != types[x->b].bits || (x->a == T_F64) != (x->d == T_F64) ||
		(x->c == T_F64) != (x->d == T_F64))
		return false;
	if (floats && x->a != T_F64 && x->d != T_F32 && !(x->d == T_F16 && (x->a == T_F16 || bits == 8)))
		return false;
	if (!floats && (x->d != T_S32 || x->c != T_S32 || bits > 8))
		return false;
	if (x->wmma)
		return x->a == T_F64    ? x->s.m == 8 && x->s.k == 4
		       : x->a == T_TF32 ? x->s.k == 8
		       : bits >= 8      ? x->s.k == 16 && x->s.m * x->s.n == 256
					: x->s.m == 8 && deep == 128;
	if (x->a == T_F64)
		return x->s.k <= 16 && !x->sparse;
	if (x->sparse)
		return x->s.m == 16 && bits > 1 && (deep == 256 || deep == 512);
	return x->s.m == 8 ? deep == 128 && !floats : deep == 128 || deep == 256;
}

static int finish(struct bind *b, struct op *o, struct matrix *x, const struct operand *k)
{
	uint32_t *slot = bind_ext(b, o)->slot;
	bool eight = x->wmma && x->a == T_F16;

	x->n_a = (uint8_t)registers(x->s.m, x->sparse ? x->s.k / 2u : x->s.k, (enum type)x->a, eight);
	x->n_b = (uint8_t)registers(x->s.k, x->s.n, (enum type)x->b, eight);
	x->n_c = (uint8_t)registers(x->s.m, x->s.n, (enum type)x->c, false);
	x->n_d = (uint8_t)registers(x->s.m, x->s.n, (enum type)x->d, false);
	if (x->volta) {
		x->n_a = x->n_b = 2;
		x->n_c = x->c == T_F16 ? 4 : 8;
		x->n_d = x->d == T_F16 ? 4 : 8;
	}
	o->fn = x->volta ? mma_volta : mma;
	o->x->matrix = arena_alloc(&b->code->arena, 1, sizeof(*x));
	memcpy(o->x->matrix, x, sizeof(*x));
	return bind_fragment(b, &k[0], x->n_d, (enum type)x->d, true, slot) ||
			       bind_fragment(b, &k[1], x->n_a, (enum type)x->a, false, slot + x->n_d) ||
			       bind_fragment(
				       b, &k[2], x->n_b, (enum type)x->b, false, slot + x->n_d + x->n_a) ||
			       bind_fragment(b, &k[3], x->n_c, (enum type)x->c, false,
				       slot + x->n_d + x->n_a + x->n_b)
		       ? -1
		       : 0;
}

/* The fifth and sixth operand of a sparse product. */
static int bind_metadata(struct bind *b, struct op *o, struct matrix *x)
{
	const struct operand *k = b->in->operand;
	unsigned bits = types[x->a].bits, deep = bits * x->s.k,
		 most = deep == 256 ? bits >= 16 ? 3 : 1 : bits >= 16;

	if (k[5].kind != O_INT || k[5].value < 0 || k[5].value > most)
		return bind_fault(
			b, &k[5], "operand", "found no sparsity selector, wanted a number up to %u", most);
	x->selector = (uint8_t)k[5].value;
	return (o->a = bind_src(b, &k[4], T_B32)) == UINT32_MAX ? -1 : 0;
}

int bind_mma(struct bind *b, struct op *o)
{
	const struct stmt *in = b->in;
	struct matrix x = {0};

	x.sparse = has(in, M_SP) || has(in, M_SP__ORDERED_METADATA);
	if (bind_types(b, 4) || bind_operands(b, x.sparse ? 6 : 4, x.sparse ? 6 : 4))
		return -1;
	if (!find_shape(in, &x.s))
		return bind_fault(
			b, NULL, "suffix", "found no shape in %s, wanted one such as .m16n8k16", in->text);
	x.d = in->type[0];
	x.a = in->type[1];
	x.b = in->type[2];
	x.c = in->type[3];
	x.saturate = has(in, M_SATFINITE);
	x.bit_op = x.a == T_B1 ? has(in, M_XOR) ? 1 : 2 : 0;
	x.volta = x.a == T_F16 && x.s.m == 8 && !x.sparse;
	x.a_col = has(in, M_COL) && !has(in, M_ROW);
	x.b_row = has(in, M_ROW) && !has(in, M_COL);
	if (x.volta) { /* .row.col and .col.row: the text tells them apart */
		const char *l = strstr(in->text, ".row"), *c = strstr(in->text, ".col");

		x.a_col = c && (!l || c < l);
		x.b_row = l && (!c || c < l);
		if (types[x.c].bits != types[x.d].bits && x.c != T_F32 && x.c != T_F16)
			return bind_refuse(b, "this shape with these types");
	} else if (!known(&x)) {
		return bind_refuse(b, "this shape with these types");
	}
	return (x.sparse && bind_metadata(b, o, &x)) ? -1 : finish(b, o, &x, in->operand);
}

/* ---- wmma ---- */

/* Element (row, col) of a matrix in memory: o->imm bit 0: stored by columns. */
static uint64_t offset_of(const struct op *o, unsigned row, unsigned col, uint64_t stride)
{
	return o->imm & 1 ? (uint64_t)col * stride + row : (uint64_t)row * stride + col;
}

static void wmma_move(struct warp *w, const struct op *o, uint32_t m)
{
	const struct matrix *x = o->x->matrix;
	enum type t = (enum type)x->a;
	unsigned p = mma_per_reg(t), n = x->n_a * p, bits = types[t].bits;
	uint64_t base[LANES];
	uint8_t *at[LANES];

	if (m != ALL_LANES) {
		exec_fail(w, o, m, "mma-divergent", "found %u lanes at a matrix access, wanted all 32",
			bit_count32(m));
		return;
	}
	struct op plain = *o;
	plain.imm = (int64_t)o->x->value[0];
	exec_addresses(w, &plain);
	memcpy(base, w->addr, sizeof(base));
	for (unsigned i = 0; i < n; i++) {
		uint64_t bit[LANES];

		for (unsigned lane = 0; lane < LANES; lane++) {
			unsigned row, col;

			place_fragment(x->s.m, x->s.n, n, lane, i, &row, &col);
			bit[lane] = offset_of(o, row, col, REG(u32, w, o->b)[lane]) * bits;
			w->addr[lane] = base[lane] + bit[lane] / 8;
		}
		if (!mem_at(w, o, m, (enum state_space)o->space, bits < 8 ? 1 : bits / 8, at))
			return;
		for (unsigned lane = 0; lane < LANES; lane++) {
			uint32_t slot = o->x->slot[i / p];
			unsigned shift = i % p * bits;
			u64 v = 0;

			if (o->is_signed) { /* store */
				v = reg_bits(w, slot, t, lane) >> shift;
				w->changed = true;
				memcpy(at[lane], &v, bits / 8);
				check_mark(w->cta, at[lane], bits / 8);
				continue;
			}
			memcpy(&v, at[lane], bits < 8 ? 1 : bits / 8);
			if (bits < 8)
				v = v >> bit[lane] % 8 & ((1u << bits) - 1);
			if (bits == 64)
				REG(u64, w, slot)[lane] = v;
			else
				REG(u32, w, slot)
			[lane] = bits == 32 ? (u32)v
					    : (REG(u32, w, slot)[lane] & ~(((1u << bits) - 1) << shift)) |
						      (u32)v << shift;
		}
	}
	memcpy(w->addr, base, sizeof(base));
	mem_at(w, &plain, m, (enum state_space)o->space, 1, at); /* the trace has the matrix's address */
}

int bind_wmma(struct bind *b, struct op *o)
{
	const struct stmt *in = b->in;
	const struct operand *k = in->operand;
	bool store = has(in, M_STORE), load = has(in, M_LOAD), of_a = strstr(in->text, ".a.") != NULL,
	     of_b = strstr(in->text, ".b.") != NULL;
	struct matrix x = {.wmma = true};
	struct shape s;

	if (!find_shape(in, &s))
		return bind_fault(
			b, NULL, "suffix", "found no shape in %s, wanted one such as .m16n16k16", in->text);
	if (!store && !load) {
		if (in->n_types != 2 && in->n_types != 4)
			return bind_types(b, 4);
		x.s = s;
		x.d = in->type[0];
		x.a = in->n_types == 2 ? T_F16 : in->type[1];
		x.b = in->n_types == 2 ? T_F16 : in->type[2];
		x.c = in->type[in->n_types - 1];
		x.saturate = has(in, M_SATFINITE);
		x.bit_op = x.a == T_B1 ? has(in, M_XOR) ? 1 : 2 : 0;
		if (!known(&x))
			return bind_refuse(b, "this shape with these types");
		return bind_operands(b, 4, 4) ? -1 : finish(b, o, &x, k);
	}
	if (bind_types(b, 1) || bind_operands(b, 2, 3))
		return -1;
	x.a = in->type[0];
	x.s = (struct shape){of_b ? (uint8_t)s.k : s.m, of_a ? (uint8_t)s.k : s.n, 0};
	if (s.k > 128)
		return bind_refuse(b, "this shape with this type");
	x.n_a = (uint8_t)registers(x.s.m, x.s.n, (enum type)x.a, (of_a || of_b) && x.a == T_F16);
	if (!x.n_a || x.n_a > 16 || (store && types[x.a].bits < 16))
		return bind_refuse(b, "this shape with this type");
	const struct operand *frag = &k[store], *at = &k[!store];
	if (mem_space(b, o, at, store) ||
		bind_fragment(b, frag, x.n_a, (enum type)x.a, !store, bind_ext(b, o)->slot))
		return -1;
	bool by_col = has(in, M_COL);
	unsigned inner = by_col ? x.s.m : x.s.n;
	o->b = in->n_operands == 3 ? bind_src(b, &k[2], T_U32) : bind_const(b, inner, 4);
	o->x->value[0] = (uint64_t)o->imm;
	o->imm = by_col;
	o->is_signed = store;
	o->memory = 1;
	o->bytes = (uint8_t)(types[x.a].bits < 8 ? 1 : types[x.a].bits / 8);
	o->n = 1;
	o->fn = wmma_move;
	o->x->matrix = arena_alloc(&b->code->arena, 1, sizeof(x));
	memcpy(o->x->matrix, &x, sizeof(x));
	return o->b == UINT32_MAX ? -1 : 0;
}
