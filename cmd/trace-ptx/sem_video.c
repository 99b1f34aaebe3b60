/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scalar video instructions: vadd vsub vabsdiff vmin vmax vshl vshr vmad, on whole words.
 *
 * The operation is done in 34 bits or more, saturated or cut to the destination's type, then joined to the third
 * operand. Leaves out: selected bytes and halves, the SIMD forms.
 */
#include "lanes.h"

static s64 operand(u32 v, enum type t) { return types[t].kind == K_SINT ? (s32)v : (s64)v; }

static s64 do_video(const struct op *o, s64 a, s64 b)
{
	bool clamp = o->mode & 2;
	u32 n = (u32)b;

	switch (o->in->op) {
	case I_vadd: return a + b;
	case I_vsub: return a - b;
	case I_vabsdiff: return a > b ? a - b : b - a;
	case I_vmin: return a < b ? a : b;
	case I_vmax: return a > b ? a : b;
	}
	n = clamp ? n > 32 ? 32 : n : n & 31;
	return o->in->op == I_vshl ? (s64)((u64)a << n) : a >> n;
}

static void video(struct warp *w, const struct op *o, uint32_t m)
{
	enum type td = (enum type)o->in->type[0], ta = (enum type)o->in->type[1],
		  tb = (enum type)o->in->type[2];

	FOR_BITS32 (i, m) {
		s64 v = do_video(o, operand(REG(u32, w, o->a)[i], ta), operand(REG(u32, w, o->b)[i], tb));
		u32 c = REG(u32, w, o->c)[i], r;

		if (o->mode & 1)
			v = td == T_S32      ? v > INT32_MAX   ? INT32_MAX
					       : v < INT32_MIN ? INT32_MIN
							       : v
			    : v < 0          ? 0
			    : v > UINT32_MAX ? UINT32_MAX
					     : v;
		r = (u32)v;
		switch (o->n) {
		case 1: r += c; break;
		case 2: r = td == T_S32 ? (s32)r < (s32)c ? r : c : r < c ? r : c; break;
		case 3: r = td == T_S32 ? (s32)r > (s32)c ? r : c : r > c ? r : c; break;
		}
		REG(u32, w, o->d)[i] = r;
	}
}

int bind_video(struct bind *b, struct op *o)
{
	const struct stmt *in = b->in;
	const struct operand *k = in->operand;

	if (bind_types(b, 3))
		return -1;
	for (unsigned i = 0; i < 3; i++)
		if (in->type[i] != T_U32 && in->type[i] != T_S32)
			return bind_fault(
				b, NULL, "types", "found %s, wanted .u32 or .s32 three times", in->text);
	o->n = has(in, M_ADD) ? 1 : has(in, M_MIN) ? 2 : has(in, M_MAX) ? 3 : 0;
	o->mode = (uint8_t)((has(in, M_SAT) ? 1 : 0) | (has(in, M_CLAMP) ? 2 : 0));
	o->fn = video;
	if (bind_operands(b, o->n ? 4 : 3, o->n ? 4 : 3))
		return -1;
	o->d = bind_dst(b, &k[0], 32);
	o->a = bind_src(b, &k[1], T_B32);
	o->b = bind_src(b, &k[2], T_B32);
	o->c = o->n ? bind_src(b, &k[3], T_B32) : o->a;
	return o->d == UINT32_MAX || o->a == UINT32_MAX || o->b == UINT32_MAX || o->c == UINT32_MAX ? -1 : 0;
}
