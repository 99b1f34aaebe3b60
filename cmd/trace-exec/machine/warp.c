/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exchange between the lanes of a warp: SHFL VOTE MATCH REDUX ELECT, moves to uniform registers.
 *
 * Always true: an instruction considers the lanes that execute it. An inactive source lane supplies the value of its
 * register.
 */
#include "machine/code.h"

/* ---- SHFL ---- */

enum { SHFL_IDX, SHFL_UP, SHFL_DOWN, SHFL_BFLY };

/*
 * Sets from[] to the lane that each lane reads: itself if the source is outside of its segment. Returns the lanes whose
 * source is inside.
 */
static ALWAYS_INLINE u32 shfl_source_lanes(unsigned how, u32 *from, const u32 *pb, const u32 *pc)
{
	u32 inside = 0;

	EACH_LANE (i) {
		u32 seg = pc[i] >> 8 & 31, clamp = pc[i] & 31, by = pb[i] & 31;
		s32 max = (s32)((i & seg) | (clamp & ~seg)), j;

		j = how == SHFL_UP     ? (s32)i - (s32)by
		    : how == SHFL_DOWN ? (s32)(i + by)
		    : how == SHFL_BFLY ? (s32)(i ^ by)
				       : (s32)((i & seg) | (by & ~seg));
		u32 good = how == SHFL_UP ? j >= max : j <= max;
		from[i] = good ? (u32)j : i;
		inside |= good << i;
	}
	return inside;
}

/* Returns the lanes whose source lane is in m. */
LANE_FN static u32 lanes_with_source(const u32 *from, uint32_t m)
{
	u32 present = 0;

	for (unsigned i = 0; i < LANES; i++)
		present |= (m >> from[i] & 1) << i;
	return present;
}

LANE_FN static u32 shfl_idx_lanes(u32 *from, const u32 *pb, const u32 *pc)
{
	return shfl_source_lanes(SHFL_IDX, from, pb, pc);
}
LANE_FN static u32 shfl_up_lanes(u32 *from, const u32 *pb, const u32 *pc)
{
	return shfl_source_lanes(SHFL_UP, from, pb, pc);
}
LANE_FN static u32 shfl_down_lanes(u32 *from, const u32 *pb, const u32 *pc)
{
	return shfl_source_lanes(SHFL_DOWN, from, pb, pc);
}
LANE_FN static u32 shfl_bfly_lanes(u32 *from, const u32 *pb, const u32 *pc)
{
	return shfl_source_lanes(SHFL_BFLY, from, pb, pc);
}

static void execute_shfl(struct warp *w, const struct op *o, uint32_t m)
{
	static u32 (*const sources[])(u32 *, const u32 *, const u32 *) = {
		shfl_idx_lanes, shfl_up_lanes, shfl_down_lanes, shfl_bfly_lanes};
	u32 *d = REG(u32, w, o->d), in[LANES], from[LANES],
	    inside = sources[o->n](from, REG(u32, w, o->b), REG(u32, w, o->c)), absent;

	memcpy(in, REG(u32, w, o->a), sizeof(in));
	if (m == ALL_LANES)
		EACH_LANE_APART (i)
			d[i] = in[from[i]];
	else
		FOR_BITS32 (i, m)
			d[i] = in[from[i]];
	absent = m == ALL_LANES ? 0 : m & ~lanes_with_source(from, m);
	if (absent && w->grid->options->check)
		exec_note_finding(w, o, absent, "shuffle-absent",
			"SHFL: lane %u reads a lane that does not execute it", bit_lowest32(absent));
	set_pred(w, PDST1(o), m, inside);
}

int mbind_shfl(struct mbind *b, struct op *o)
{
	unsigned opcode = b->inst->opcode;

	o->n = (uint8_t)field(b, 58, 2);
	o->d = mbind_dst(b, 16, 1);
	o->a = mbind_reg(b, 24, 1);
	o->b = opcode == 0x389 || opcode == 0x589 ? mbind_reg(b, 32, 1) : mbind_number(b, field(b, 53, 5), 1);
	o->c = opcode == 0x389 || opcode == 0x989 ? mbind_reg(b, 64, 1)
						  : mbind_number(b, field(b, 40, 13), 1);
	o->target = mbind_pdst(b, 81, false);
	machine_set_function(o, execute_shfl);
	return 0;
}

/* ---- VOTE ---- */

enum { VOTE_ALL, VOTE_ANY, VOTE_EQ };

static u32 vote_result(const struct op *o, u32 v, u32 m)
{
	return (o->n == VOTE_ALL ? v == m : o->n == VOTE_ANY ? v != 0 : v == m || !v) ? ALL_LANES : 0;
}

static void vote_lanes(struct warp *w, const struct op *o, uint32_t m)
{
	u32 v = first_pred_source(w, o) & m, *d = REG(u32, w, o->d);

	FOR_BITS32 (i, m)
		d[i] = v;
	set_pred(w, PDST1(o), m, vote_result(o, v, m));
}

/* Sets a uniform register for all lanes of the running group. */
LANE_FN static void set_uniform_register(struct warp *w, uint32_t slot, u32 v)
{
	u32 *d = REG(u32, w, slot), m = group_lanes(w);

	EACH_LANE (i)
		d[i] = m >> i & 1 ? v : d[i];
}

/* Executes VOTEU, whose result is in a uniform register. */
static void vote_uniform(struct warp *w, const struct op *o, uint32_t m)
{
	u32 v = first_pred_source(w, o) & m;

	set_uniform_register(w, o->d, v);
	set_pred(w, PDST1(o), group_lanes(w), vote_result(o, v, m));
}

int mbind_vote(struct mbind *b, struct op *o)
{
	bool uniform = b->inst->opcode == 0x886;

	o->n = (uint8_t)field(b, 72, 2);
	o->imm = mbind_pred(b, 87, false);
	o->d = uniform ? mbind_udst(b, 16) : mbind_dst(b, 16, 1);
	o->target = mbind_pdst(b, 81, uniform);
	machine_set_function(o, uniform ? vote_uniform : vote_lanes);
	return o->n == 3 ? mbind_refuse(b, "mode") : 0;
}

/* ---- MATCH ---- */

static void match_lanes(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *a = REG(u32, w, o->a);
	u32 r[LANES], *d = REG(u32, w, o->d), all = ALL_LANES;

	FOR_BITS32 (i, m) {
		r[i] = 0;
		FOR_BITS32 (j, m)
			r[i] |= (u32)(a[j] == a[i] && (o->n == 1 || a[j + LANES] == a[i + LANES])) << j;
		all &= r[i] | ~m;
	}
	FOR_BITS32 (i, m)
		d[i] = o->is_signed ? r[i] : all == ALL_LANES ? m : 0;
	set_pred(w, PDST1(o), m, all == ALL_LANES ? m : 0);
}

int mbind_match(struct mbind *b, struct op *o)
{
	o->n = bit(b, 73) ? 2 : 1;
	o->is_signed = bit(b, 79); /* .ANY */
	o->d = mbind_dst(b, 16, 1);
	o->a = mbind_reg(b, 24, o->n);
	o->target = mbind_pdst(b, 81, false);
	machine_set_function(o, match_lanes);
	return 0;
}

/* ---- REDUX ---- */

enum { REDUX_AND, REDUX_OR, REDUX_XOR, REDUX_SUM, REDUX_MIN, REDUX_MAX };

static u32 reduce_two_values(const struct op *o, u32 x, u32 y)
{
	switch (o->n) {
	case REDUX_AND: return x & y;
	case REDUX_OR: return x | y;
	case REDUX_XOR: return x ^ y;
	case REDUX_SUM: return x + y;
	default: {
		bool less = o->is_signed ? (s32)x < (s32)y : x < y;

		return less == (o->n == REDUX_MIN) ? x : y;
	}
	}
}

static void reduce_lanes(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *a = REG(u32, w, o->a);
	u32 r = a[bit_lowest32(m)];

	FOR_BITS32 (i, m & (m - 1))
		r = reduce_two_values(o, r, a[i]);
	set_uniform_register(w, o->d, r);
}

/* Binds REDUX. Its destination is a uniform register. Its guard is a predicate with a bit per lane. */
int mbind_redux(struct mbind *b, struct op *o)
{
	o->n = (uint8_t)field(b, 78, 3);
	o->is_signed = bit(b, 73);
	o->d = mbind_udst(b, 16);
	o->a = mbind_reg(b, 24, 1);
	machine_set_function(o, reduce_lanes);
	return o->n > REDUX_MAX ? mbind_refuse(b, "operation") : 0;
}

/* Returns the lesser or the greater f32. o->mode: a NaN is the result if either is one, not if both are. */
static u32 reduce_floats(const struct op *o, u32 x, u32 y)
{
	float a = ieee_f32(x), b = ieee_f32(y);

	if (a != a || b != b)
		return o->mode || (a != a && b != b) ? 0x7fffffff : a != a ? y : x;
	return (a < b) == (o->n == REDUX_MIN) ? x : y;
}

/* Executes CREDUX of f32. o->bytes: the absolute values. */
static void reduce_float_lanes(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *a = REG(u32, w, o->a);
	u32 mask = o->bytes ? 0x7fffffff : ~0u, r = a[bit_lowest32(m)] & mask;

	FOR_BITS32 (i, m & (m - 1))
		r = reduce_floats(o, r, a[i] & mask);
	set_uniform_register(w, o->d, r);
}

int mbind_credux(struct mbind *b, struct op *o)
{
	unsigned how = (unsigned)field(b, 78, 2), type = (unsigned)field(b, 73, 2);

	o->n = how < 2 ? REDUX_MAX : REDUX_MIN;
	o->is_signed = type == 1;
	o->d = mbind_udst(b, 16);
	o->a = mbind_reg(b, 24, 1);
	if (type == 2) {
		o->mode = bit(b, 77);
		o->bytes = how & 1;
		machine_set_function(o, reduce_float_lanes);
		return 0;
	}
	machine_set_function(o, reduce_lanes);
	return how & 1 || type > 1 ? mbind_refuse(b, "operation") : 0;
}

/* ---- ELECT, R2UR ---- */

/* Executes ELECT. The candidates are in a predicate or, with o->n, in uniform register o->b (o->mode: inverted). */
static void elect_lane(struct warp *w, const struct op *o, uint32_t m)
{
	u32 named = o->n ? REG(u32, w, o->b)[uniform_lane(w)] ^ (u32)(o->mode ? ALL_LANES : 0)
			 : first_pred_source(w, o);
	u32 active = named & m, leader = active ? bit_lowest32(active) : 0;

	set_uniform_register(w, o->d, leader);
	set_pred(w, PDST1(o), m, active ? 1u << leader : 0);
}

int mbind_elect(struct mbind *b, struct op *o)
{
	o->imm = mbind_pred(b, 87, false);
	if (bit(b, 91)) {
		o->n = 1;
		o->b = mbind_ureg(b, 24);
		o->mode = bit(b, 72);
	}
	o->d = mbind_udst(b, 16);
	o->target = mbind_pdst(b, 81, false);
	machine_set_function(o, elect_lane);
	return 0;
}

/*
 * Executes R2UR. The result is the value of the lowest lane. The predicate result is true for lanes with other values:
 * loops that execute a uniform instruction for each value continue with these lanes.
 */
static void move_to_uniform(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *a = REG(u32, w, o->a);
	u32 first = a[bit_lowest32(m)], differ = 0;

	FOR_BITS32 (i, m)
		differ |= (u32)(a[i] != first) << i;
	set_uniform_register(w, o->d, first);
	set_pred(w, PDST1(o), m, differ);
}

int mbind_r2ur(struct mbind *b, struct op *o)
{
	o->d = mbind_udst(b, 16);
	o->a = mbind_reg(b, 24, 1);
	o->target = mbind_pdst(b, 81, false);
	machine_set_function(o, move_to_uniform);
	return 0;
}
