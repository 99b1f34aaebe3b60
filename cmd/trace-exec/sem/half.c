/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arithmetic of f16 and bf16, alone or in pairs.
 *
 * Always true: a number is computed with more bits and rounded once. A NaN result is 0x7fff.
 */
#include <float.h>
#include <math.h>
#include "exec/halves.h"
#include "sem/half.h"

static inline u16 small_min_max(u16 x, u16 y, double a, double b, bool max, const struct op *o)
{
	bool xn = a != a, yn = b != b, first = max ? a > b : a < b;

	if (xn || yn)
		return (xn && yn) || o->mode & MODE_NAN ? 0x7fff : xn ? y : x;
	if (o->x->aux[0]) { /* .xorsign.abs */
		first = max ? fabs(a) > fabs(b) : fabs(a) < fabs(b);
		return (u16)(((first ? x : y) & 0x7fff) | ((x ^ y) & 0x8000));
	}
	if (a == b)
		return max ? x & y : x | y; /* -0 is less than +0 */
	return first ? x : y;
}

static u16 compute_small(const struct op *o, u16 x, u16 y, u16 z)
{
	enum small f = (enum small)o->reg_bytes;
	bool bf = f == SMALL_BF16;
	double a = small_value(x, f), b = small_value(y, f), c = small_value(z, f), r = 0;
	double tiny = bf ? (double)FLT_MIN : 0x1p-14;

	if (o->mode & MODE_FTZ) {
		a = fabs(a) < tiny ? copysign(0, a) : a;
		b = fabs(b) < tiny ? copysign(0, b) : b;
		c = fabs(c) < tiny ? copysign(0, c) : c;
	}
	switch (o->n) {
	case SO_NEG:
	case SO_ABS:
		if (a != a)
			return 0x7fff;
		x = o->mode & MODE_FTZ && fabs(small_value(x, f)) < tiny ? x & 0x8000 : x;
		return o->n == SO_NEG ? x ^ 0x8000 : x & 0x7fff;
	case SO_MIN:
	case SO_MAX: {
		u16 h = small_min_max(x, y, a, b, o->n == SO_MAX, o);

		return o->mode & MODE_FTZ && fabs(small_value(h, f)) < tiny ? h & 0x8000 : h;
	}
	case SO_ADD: r = small_fma_to_odd(a, 1, b); break;
	case SO_SUB: r = small_fma_to_odd(b, -1, a); break;
	case SO_MUL: r = a * b; break;
	case SO_FMA: r = small_fma_to_odd(a, b, c); break;
	case SO_EX2: r = exp2(a); break;
	case SO_TANH: r = tanh(a); break;
	default: r = 1 / a;
	}
	if (r != r)
		return o->mode & MODE_SAT ? 0 : 0x7fff;
	u16 h = (u16)small_of_double(r, f, ROUND_RN, false);
	double v = small_value(h, f);
	if (o->mode & MODE_SAT)
		h = v > 0 ? v < 1 ? h : (u16)small_of_double(1, f, ROUND_RN, false) : 0;
	if (o->mode & MODE_RELU)
		h = v > 0 ? h : 0;
	if (o->mode & MODE_FTZ && fabs(v) < tiny)
		h &= 0x8000;
	return h;
}

static void execute_small(struct warp *w, const struct op *o, uint32_t m)
{
	const u16 *a = REG(u16, w, o->a), *b = REG(u16, w, o->b), *c = REG(u16, w, o->c);
	u16 *d = REG(u16, w, o->d);

	FOR_BITS32 (i, m)
		d[i] = compute_small(o, a[i], b[i], c[i]);
}

static void execute_small_pair(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *a = REG(u32, w, o->a), *b = REG(u32, w, o->b), *c = REG(u32, w, o->c);
	u32 *d = REG(u32, w, o->d);

	FOR_BITS32 (i, m) {
		u32 lo = compute_small(o, (u16)a[i], (u16)b[i], (u16)c[i]);

		d[i] = lo | (u32)compute_small(o, (u16)(a[i] >> 16), (u16)(b[i] >> 16), (u16)(c[i] >> 16))
				    << 16;
	}
}

/*
 * Computes sums and products of all lanes without modes. upper: the numbers are the upper halves of the sources.
 * Returns false if a lane needs compute_small().
 */
static bool compute_small_lanes(const struct op *o, u32 *d, const u32 *const source[3], bool upper)
{
	static const uint8_t ops[] = {
		[SO_ADD] = HALVES_ADD, [SO_SUB] = HALVES_ADD, [SO_MUL] = HALVES_MUL, [SO_FMA] = HALVES_FMA};
	const uint8_t shift = upper ? 16 : 0;
	const uint16_t flip_b = o->n == SO_SUB ? 0x8000 : 0;
	const struct half_source how[3] = {{shift, 0xffff, 0}, {shift, 0xffff, flip_b}, {shift, 0xffff, 0}};

	return halves_compute(d, ops[o->n], o->reg_bytes == SMALL_BF16, source, how);
}

static void execute_small_lanes(struct warp *w, const struct op *o, uint32_t m)
{
	const u16 *from[3] = {REG(u16, w, o->a), REG(u16, w, o->b), REG(u16, w, o->c)};
	u16 *d = REG(u16, w, o->d);
	u32 r[LANES], wide[3][LANES];

	for (unsigned k = 0; k < 3; k++)
		EACH_LANE (i)
			wide[k][i] = from[k][i];
	if (!compute_small_lanes(o, r, (const u32 *[]){wide[0], wide[1], wide[2]}, false)) {
		execute_small(w, o, m);
		return;
	}
	EACH_LANE (i)
		d[i] = m >> i & 1 ? (u16)r[i] : d[i];
}

static void execute_small_pair_lanes(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *const source[3] = {REG(u32, w, o->a), REG(u32, w, o->b), REG(u32, w, o->c)};
	u32 *d = REG(u32, w, o->d), r[2][LANES];

	if (!compute_small_lanes(o, r[0], source, false) || !compute_small_lanes(o, r[1], source, true)) {
		execute_small_pair(w, o, m);
		return;
	}
	EACH_LANE (i)
		d[i] = m >> i & 1 ? r[0][i] | r[1][i] << 16 : d[i];
}

bool half_is_type(enum type t) { return t == T_F16 || t == T_F16X2 || t == T_BF16 || t == T_BF16X2; }

int half_bind(struct bind *b, struct op *o, enum small_op op, unsigned sources)
{
	enum type t = (enum type)b->stmt->type[0];
	bool pair = t == T_F16X2 || t == T_BF16X2;
	int r;

	bind_ext(b, o)->aux[0] = stmt_has(b->stmt, M_XORSIGN);
	o->mode = (uint8_t)read_mode_suffixes(b->stmt);
	o->n = (uint8_t)op;
	o->reg_bytes = t == T_BF16 || t == T_BF16X2 ? SMALL_BF16 : SMALL_F16;
	op_fn *fn = pair ? execute_small_pair : execute_small;
	if (!o->mode && (op == SO_ADD || op == SO_SUB || op == SO_MUL || op == SO_FMA))
		fn = pair ? execute_small_pair_lanes : execute_small_lanes;
	r = sources == 1   ? BIND(b, o, fn, t, t)
	    : sources == 2 ? BIND(b, o, fn, t, t, t)
			   : BIND(b, o, fn, t, t, t, t);
	o->b = sources > 1 ? o->b : o->a;
	o->c = sources > 2 ? o->c : o->a;
	return r;
}
