/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Video instructions: on one word with selected bytes or halves (vadd vsub vabsdiff vmin vmax vshl vshr vmad
 * vset), and on two halves or four bytes at once (vadd2 ... vset4).
 *
 * Always true: an operation is computed in 64 bits from extended operands, saturated or truncated to the type and
 * width of the destination, then joined with the third operand by addition, minimum, maximum or insertion.
 */
#include "sem/sem.h"

enum video { V_ADD, V_SUB, V_ABSDIFF, V_AVRG, V_MIN, V_MAX, V_SHL, V_SHR, V_SET };
enum { JOIN_NONE, JOIN_ADD, JOIN_MIN, JOIN_MAX, JOIN_PLACE };

/*
 * Data of an op. A part of a single word is given by its first bit. Parts of a vector have numbers, which count through
 * the pair b:a.
 */
struct video_op {
	enum video operation;
	enum type type_d, type_a, type_b;
	uint8_t join;    /* JOIN_...: how the result is joined with the third operand */
	uint8_t cmp;     /* comparison of V_SET */
	uint8_t sat;     /* the result is clamped to the destination's width */
	uint8_t clamp;   /* shift amounts are clamped, not wrapped */
	uint8_t bits;    /* bits of an element */
	uint8_t n;       /* number of elements: 1, 2 or 4 */
	uint8_t a[4];    /* part of operand a for each element */
	uint8_t b[4];    /* part of operand b for each element */
	uint8_t d;       /* bit i: element i is computed */
	uint8_t a_bits;  /* single word: number of bits of a part of a */
	uint8_t b_bits;  /* single word: number of bits of a part of b */
	uint8_t d_shift; /* single word: first bit of the part of d */
	uint8_t c_bits;
	uint8_t c_part;      /* vmad: part of c, which must be the whole word */
	uint8_t right_shift; /* vmad: the sum is shifted right by this number */
	uint8_t adds_one;    /* vmad: .po is given, so 1 is added */
	uint8_t neg_ab;      /* vmad: the product is negated */
	uint8_t neg_c;       /* vmad: c is negated */
};

static s64 extend_part(u64 v, unsigned bits, enum type t)
{
	unsigned off = 64 - bits;

	return types[t].kind == K_SINT ? (s64)(v << off) >> off : (s64)(v << off >> off);
}

static bool compare_parts(unsigned cmp, s64 a, s64 b)
{
	switch (cmp) {
	case M_EQ: return a == b;
	case M_NE: return a != b;
	case M_LT: return a < b;
	case M_LE: return a <= b;
	case M_GT: return a > b;
	default: return a >= b;
	}
}

static s64 compute_video(const struct video_op *x, s64 a, s64 b)
{
	u32 n = (u32)b;

	switch (x->operation) {
	case V_ADD: return a + b;
	case V_SUB: return a - b;
	case V_ABSDIFF: return a > b ? a - b : b - a;
	case V_AVRG: return (a + b + (a + b >= 0)) >> 1;
	case V_MIN: return a < b ? a : b;
	case V_MAX: return a > b ? a : b;
	case V_SET: return compare_parts(x->cmp, a, b);
	default: break;
	}
	n = x->clamp ? n > 32 ? 32 : n : n & 31;
	/* the intermediate result has 34 bits */
	return x->operation == V_SHL ? (s64)((u64)a << n << 30) >> 30 : a >> n;
}

static s64 saturate_video(s64 v, unsigned bits, bool is_signed)
{
	s64 high = (s64)((1ull << (bits - is_signed)) - 1), low = is_signed ? -high - 1 : 0;

	return v > high ? high : v < low ? low : v;
}

static u32 join_with_third(const struct video_op *x, s64 v, u32 c)
{
	bool less = x->type_d == T_S32 ? (s32)v < (s32)c : (u32)v < c;
	u32 mask = x->bits == 32 ? ~0u : ((1u << x->bits) - 1) << x->d_shift;

	switch (x->join) {
	case JOIN_ADD: return (u32)v + c;
	case JOIN_MIN: return less ? (u32)v : c;
	case JOIN_MAX: return less ? c : (u32)v;
	case JOIN_PLACE: return (c & ~mask) | ((u32)v << x->d_shift & mask);
	default: return (u32)v;
	}
}

static void execute_video_one(struct warp *w, const struct op *o, uint32_t m)
{
	const struct video_op *x = o->x->family;

	FOR_BITS32 (i, m) {
		s64 a = extend_part(REG(u32, w, o->a)[i] >> x->a[0], x->a_bits, x->type_a);
		s64 b = extend_part(REG(u32, w, o->b)[i] >> x->b[0], x->b_bits, x->type_b),
		    v = compute_video(x, a, b);

		if (x->sat)
			v = saturate_video(v, x->bits, x->type_d == T_S32);
		REG(u32, w, o->d)[i] = join_with_third(x, v, REG(u32, w, o->c)[i]);
	}
}

static void execute_video_many(struct warp *w, const struct op *o, uint32_t m)
{
	const struct video_op *x = o->x->family;

	FOR_BITS32 (i, m) {
		u64 both = REG(u32, w, o->a)[i] | (u64)REG(u32, w, o->b)[i] << 32;
		u32 r = REG(u32, w, o->c)[i], mask = (1u << x->bits) - 1;

		for (unsigned e = 0; e < x->n; e++) {
			s64 v = compute_video(x, extend_part(both >> x->bits * x->a[e], x->bits, x->type_a),
				extend_part(both >> x->bits * x->b[e], x->bits, x->type_b));

			if (!(x->d >> e & 1))
				continue;
			if (x->sat)
				v = saturate_video(v, x->bits, x->type_d == T_S32);
			if (x->join == JOIN_ADD)
				r += (u32)v;
			else
				r = (r & ~(mask << x->bits * e)) | ((u32)v & mask) << x->bits * e;
		}
		REG(u32, w, o->d)[i] = r;
	}
}

static void execute_vmad(struct warp *w, const struct op *o, uint32_t m)
{
	const struct video_op *x = o->x->family;
	bool is_signed =
		types[x->type_a].kind == K_SINT || types[x->type_b].kind == K_SINT || x->neg_ab || x->neg_c;

	FOR_BITS32 (i, m) {
		s128 a = extend_part(REG(u32, w, o->a)[i] >> x->a[0], x->a_bits, x->type_a);
		s128 b = extend_part(REG(u32, w, o->b)[i] >> x->b[0], x->b_bits, x->type_b);
		u32 c = REG(u32, w, o->c)[i];
		s128 v = a * b, add;

		if (x->neg_ab && !x->adds_one)
			v = ~v;
		else if (x->neg_c && !x->adds_one)
			c = ~c;
		add = is_signed ? (s128)(s32)c : (s128)c;
		v += add + (x->adds_one || x->neg_ab || x->neg_c);
		v >>= x->right_shift;
		if (x->sat && is_signed)
			v = v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v;
		else if (x->sat)
			v = v > UINT32_MAX ? UINT32_MAX : v < 0 ? 0 : v;
		REG(u32, w, o->d)[i] = (u32)v;
	}
}

/* ---- binding ---- */

static int report_bad_part(struct bind *b, const struct operand *k)
{
	return bind_fault(b, k, "operand", "part .%.*s of a register (expected a part that %s supports)",
		(int)k->n_letters, k->letters, b->stmt->text);
}

/* Reads ".b2" or ".h1", a part of a word; without one, the whole word. */
static int read_part_suffix(struct bind *b, const struct operand *k, uint8_t *shift, uint8_t *bits)
{
	*shift = 0;
	*bits = 32;
	if (!k->letters)
		return 0;
	unsigned size = k->letters[0] == 'b' ? 8 : 16,
		 n = k->n_letters == 2 ? (unsigned)(k->letters[1] - '0') : 99;
	if ((k->letters[0] != 'b' && k->letters[0] != 'h') || n >= 32 / size)
		return report_bad_part(b, k);
	*shift = (uint8_t)(n * size);
	*bits = (uint8_t)size;
	return 0;
}

/*
 * Reads ".h10" or ".b7654": n digits below 2 n, the last one for element 0. Without a suffix, the parts are first,
 * first + 1 and so on.
 */
static int read_parts_suffix(
	struct bind *b, const struct operand *k, unsigned n, unsigned first, uint8_t *part)
{
	for (unsigned e = 0; e < n; e++) {
		part[e] = (uint8_t)(first + e);
		if (!k->letters)
			continue;
		if (k->n_letters != n + 1 || k->letters[0] != (n == 2 ? 'h' : 'b') ||
			(unsigned)(k->letters[n - e] - '0') >= 2 * n)
			return report_bad_part(b, k);
		part[e] = (uint8_t)(k->letters[n - e] - '0');
	}
	return 0;
}

/* Reads ".h1" or ".b320", the elements that are computed. Without a suffix, all elements are. */
static int read_mask_suffix(struct bind *b, const struct operand *k, unsigned n, uint8_t *mask)
{
	*mask = (uint8_t)((1u << n) - 1);
	if (!k->letters)
		return 0;
	*mask = 0;
	for (unsigned i = 1; i < k->n_letters; i++) {
		unsigned digit = (unsigned)(k->letters[i] - '0');

		if (digit >= n || *mask & ((2u << digit) - 1))
			return report_bad_part(b, k);
		*mask |= (uint8_t)(1u << digit);
	}
	return *mask && k->letters[0] == (n == 2 ? 'h' : 'b') ? 0 : report_bad_part(b, k);
}

/* Binds the operands without their parts and signs. */
static int bind_video_words(struct bind *b, struct op *o, const struct operand *k, unsigned n)
{
	uint32_t *slot[4] = {&o->d, &o->a, &o->b, &o->c};

	for (unsigned i = 0; i < n; i++) {
		struct operand plain = k[i];

		plain.letters = NULL;
		if (b->stmt->opcode == I_vmad && i)
			plain.minus = plain.kind == O_INT ? plain.minus : false;
		*slot[i] = i ? bind_src(b, &plain, T_B32) : bind_dst(b, &plain, 32);
		if (*slot[i] == UINT32_MAX)
			return -1;
	}
	return 0;
}

/* Sets the operation and its number of elements from the opcode. */
static void find_video_operation(enum opcode op, struct video_op *x)
{
	static const struct {
		uint16_t opcode[3];
		uint8_t operation;
	} rows[] = {
		{{I_vadd, I_vadd2, I_vadd4}, V_ADD},
		{{I_vsub, I_vsub2, I_vsub4}, V_SUB},
		{{I_vabsdiff, I_vabsdiff2, I_vabsdiff4}, V_ABSDIFF},
		{{I_NONE, I_vavrg2, I_vavrg4}, V_AVRG},
		{{I_vmin, I_vmin2, I_vmin4}, V_MIN},
		{{I_vmax, I_vmax2, I_vmax4}, V_MAX},
		{{I_vset, I_vset2, I_vset4}, V_SET},
		{{I_vshl, I_NONE, I_NONE}, V_SHL},
		{{I_vshr, I_NONE, I_NONE}, V_SHR},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (unsigned k = 0; k < 3; k++)
			if (rows[i].opcode[k] == op) {
				x->operation = (enum video)rows[i].operation;
				x->n = (uint8_t)(1u << k);
			}
}

static int bind_video_types(struct bind *b, struct video_op *x)
{
	static const enum modifier cmp[] = {M_EQ, M_NE, M_LT, M_LE, M_GT, M_GE};
	const struct stmt *in = b->stmt;
	bool set = x->operation == V_SET;
	unsigned found = 0;

	if (bind_types(b, set ? 2 : 3))
		return -1;
	for (unsigned i = 0; i < in->n_types; i++)
		if (in->type[i] != T_U32 && in->type[i] != T_S32)
			return bind_fault(b, NULL, "types", "%s (expected .u32 or .s32)", in->text);
	x->type_d = set ? T_U32 : (enum type)in->type[0];
	x->type_a = (enum type)in->type[in->n_types - 2];
	x->type_b = (enum type)in->type[in->n_types - 1];
	for (unsigned i = 0; set && i < sizeof(cmp) / sizeof(cmp[0]); i++)
		if (stmt_has(in, cmp[i])) {
			x->cmp = (uint8_t)cmp[i];
			found++;
		}
	if (set && found != 1)
		return bind_fault(b, NULL, "suffix", "%s (expected one comparison)", in->text);
	x->sat = stmt_has(in, M_SAT);
	x->clamp = stmt_has(in, M_CLAMP);
	x->join = stmt_has(in, M_ADD)   ? JOIN_ADD
		  : stmt_has(in, M_MIN) ? JOIN_MIN
		  : stmt_has(in, M_MAX) ? JOIN_MAX
					: JOIN_NONE;
	return 0;
}

static struct video_op *new_video_op(struct bind *b, struct op *o)
{
	return bind_ext(b, o)->family = arena_alloc(&b->code->arena, 1, sizeof(struct video_op));
}

int bind_video(struct bind *b, struct op *o)
{
	const struct operand *k = b->stmt->operand;
	struct video_op *x = new_video_op(b, o);

	find_video_operation((enum opcode)b->stmt->opcode, x);
	if (bind_video_types(b, x))
		return -1;
	if (x->n > 1) {
		o->execute = execute_video_many;
		x->bits = (uint8_t)(32 / x->n);
		return bind_operands(b, 4, 4) || read_mask_suffix(b, &k[0], x->n, &x->d) ||
				       read_parts_suffix(b, &k[1], x->n, 0, x->a) ||
				       read_parts_suffix(b, &k[2], x->n, x->n, x->b) ||
				       bind_video_words(b, o, k, 4)
			       ? -1
			       : 0;
	}
	o->execute = execute_video_one;
	if (b->stmt->n_operands && k[0].letters)
		x->join = JOIN_PLACE;
	if (bind_operands(b, x->join ? 4 : 3, x->join ? 4 : 3) ||
		read_part_suffix(b, &k[0], &x->d_shift, &x->bits) ||
		read_part_suffix(b, &k[1], &x->a[0], &x->a_bits) ||
		read_part_suffix(b, &k[2], &x->b[0], &x->b_bits) ||
		bind_video_words(b, o, k, x->join ? 4 : 3))
		return -1;
	if (!x->join)
		o->c = o->a;
	return 0;
}

int bind_vmad(struct bind *b, struct op *o)
{
	const struct operand *k = b->stmt->operand;
	struct video_op *x = new_video_op(b, o);

	if (bind_operands(b, 4, 4) || bind_video_types(b, x) ||
		read_part_suffix(b, &k[1], &x->a[0], &x->a_bits) ||
		read_part_suffix(b, &k[2], &x->b[0], &x->b_bits) ||
		read_part_suffix(b, &k[3], &x->c_part, &x->c_bits))
		return -1;
	if (x->c_bits != 32 || k[0].letters)
		return report_bad_part(b, k[0].letters ? &k[0] : &k[3]);
	o->execute = execute_vmad;
	x->right_shift = stmt_has(b->stmt, M_SHR7) ? 7 : stmt_has(b->stmt, M_SHR15) ? 15 : 0;
	x->adds_one = stmt_has(b->stmt, M_PO);
	x->neg_ab = (k[1].minus && k[1].kind == O_REG) != (k[2].minus && k[2].kind == O_REG);
	x->neg_c = k[3].minus && k[3].kind == O_REG;
	return bind_video_words(b, o, k, 4);
}
