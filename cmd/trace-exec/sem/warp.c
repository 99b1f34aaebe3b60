/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exchange between the lanes of a warp: shfl vote match redux activemask elect.
 *
 * Always true: a source lane that does not execute returns the reading lane's own value (shfl) or is treated as
 * false. The mask operand of a .sync form names the participating lanes. Named lanes that do not execute are
 * left out, and lanes with different masks form separate groups even if they execute together. The checks
 * report both cases.
 */
#include "sem/sem.h"

/* Removes from *left its lowest lane and the lanes that this lane names. Returns these lanes, which form a group. */
static u32 take_lowest_group(const u32 *mask, u32 *left)
{
	unsigned first = bit_lowest32(*left);
	u32 group = (mask[first] & *left) | 1u << first;

	*left &= ~group;
	return group;
}

/* ---- checks of the masks of .sync forms ---- */

/*
 * Reports lanes of m whose mask lacks them or differs from the mask of a named lane: PTX does not define the
 * result.
 */
static void check_masks(struct warp *w, const struct op *o, const u32 *mask, u32 m)
{
	u32 lacking = 0, differing = 0;

	FOR_BITS32 (i, m) {
		lacking |= mask[i] >> i & 1 ? 0 : 1u << i;
		FOR_BITS32 (j, mask[i] & m)
			differing |= mask[j] != mask[i] ? 1u << i : 0;
	}
	if (lacking)
		exec_note_finding(w, o, lacking, "sync-mask",
			"%s: mask 0x%08x lacks lane %u, which executes it", o->stmt->text,
			mask[bit_lowest32(lacking)], bit_lowest32(lacking));
	else if (differing)
		exec_note_finding(w, o, differing, "sync-mask",
			"%s: lanes that execute it together have different masks, lane %u 0x%08x",
			o->stmt->text, bit_lowest32(differing), mask[bit_lowest32(differing)]);
}

/*
 * Checks the lanes of m, which execute the .sync form o with their masks in the slot. Reports lanes that execute it
 * after other lanes of their mask: on a GPU the lanes of a mask wait for each other.
 */
static void check_sync_lanes(struct warp *w, const struct op *o, u32 slot, u32 m)
{
	const u32 *mask = REG(u32, w, slot);
	u32 alive = w->lanes & ~w->ended, named = 0;

	if (!w->grid->options->check)
		return;
	u32 all = ALL_LANES;
	FOR_BITS32 (i, m) {
		named |= mask[i];
		all &= mask[i];
	}
	if (named != all || m & ~named)
		check_masks(w, o, mask, m);
	if (m == alive && !w->awaited_sync_lanes)
		return;
	named &= ~m;
	if (m & w->awaited_sync_lanes && named & w->early_sync_lanes)
		exec_note_finding(w, o, m & w->awaited_sync_lanes, "sync-apart",
			"%s in %u lanes: %u other lanes of its mask have continued (expected all lanes of the mask at once)",
			o->stmt->text, bit_count32(m), bit_count32(named & w->early_sync_lanes));
	w->awaited_sync_lanes =
		named & alive ? w->awaited_sync_lanes | (named & alive) : w->awaited_sync_lanes & ~m;
	w->early_sync_lanes = named & alive ? w->early_sync_lanes | m : w->early_sync_lanes & ~m;
}

static void execute_bar_warp(struct warp *w, const struct op *o, uint32_t m)
{
	check_sync_lanes(w, o, o->b, m);
}

int bind_bar_warp(struct bind *b, struct op *o)
{
	if (bind_operands(b, 1, 1) || (o->b = bind_src(b, &b->stmt->operand[0], T_B32)) == UINT32_MAX)
		return -1;
	o->execute = execute_bar_warp;
	return 0;
}

/* ---- shfl: c contains the segment mask and the clamp ---- */

enum { SHFL_UP, SHFL_DOWN, SHFL_BFLY, SHFL_IDX };

static void execute_shfl_ptx(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *a = REG(u32, w, o->a), *b = REG(u32, w, o->b), *c = REG(u32, w, o->c);
	u32 *d = REG(u32, w, o->d), in[LANES], inside = 0;

	if (o->mode)
		check_sync_lanes(w, o, (u32)o->imm, m);
	u32 absent = 0;
	memcpy(in, a, sizeof(in));
	FOR_BITS32 (i, m) {
		u32 seg = c[i] >> 8 & 31, clamp = c[i] & 31, by = b[i] & 31;
		u32 max = (i & seg) | (clamp & ~seg), min = i & seg;
		s32 j;
		bool p;

		switch (o->n) {
		case SHFL_UP:
			j = (s32)i - (s32)by;
			p = j >= (s32)max;
			break;
		case SHFL_DOWN:
			j = (s32)(i + by);
			p = j <= (s32)max;
			break;
		case SHFL_BFLY:
			j = (s32)(i ^ by);
			p = j <= (s32)max;
			break;
		default: j = (s32)(min | (by & ~seg)); p = j <= (s32)max;
		}
		if (!p)
			j = (s32)i;
		absent |= m >> j & 1 ? 0 : 1u << i;
		d[i] = m >> j & 1 ? in[j] : in[i];
		inside |= (u32)p << i;
	}
	if (absent && w->grid->options->check)
		exec_note_finding(w, o, absent, "shuffle-absent",
			"%s: lane %u reads a lane that does not execute it", o->stmt->text,
			bit_lowest32(absent));
	if (o->x) {
		u32 *p = &PRED(w, o->x->slot[0]);

		*p = (*p & ~m) | inside;
	}
}

int bind_shfl(struct bind *b, struct op *o)
{
	const struct stmt *in = b->stmt;
	const struct operand *k = in->operand, *d = &k[0];
	bool sync = stmt_has(in, M_SYNC);

	if (bind_types(b, 1) || bind_operands(b, sync ? 5 : 4, sync ? 5 : 4))
		return -1;
	if (in->type[0] != T_B32)
		return bind_plain(b, o, NULL, T_B32, NULL, 0);
	o->execute = execute_shfl_ptx;
	o->n = stmt_has(in, M_UP)     ? SHFL_UP
	       : stmt_has(in, M_DOWN) ? SHFL_DOWN
	       : stmt_has(in, M_BFLY) ? SHFL_BFLY
				      : SHFL_IDX;
	if (k[0].kind == O_VEC && k[0].is_pair) {
		d = &k[0].elem[0];
		if ((bind_ext(b, o)->slot[0] = bind_dst(b, &k[0].elem[1], 1)) == UINT32_MAX)
			return -1;
	}
	o->d = bind_dst(b, d, 32);
	o->a = bind_src(b, &k[1], T_B32);
	o->b = bind_src(b, &k[2], T_B32);
	o->c = bind_src(b, &k[3], T_B32);
	if (sync && (o->imm = bind_src(b, &k[4], T_B32)) == UINT32_MAX)
		return -1;
	o->mode = sync;
	return o->d == UINT32_MAX || o->a == UINT32_MAX || o->b == UINT32_MAX || o->c == UINT32_MAX ? -1 : 0;
}

/* ---- vote ---- */

enum { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT };

static void execute_vote(struct warp *w, const struct op *o, uint32_t m)
{
	u32 v = (PRED(w, o->a) ^ (u32)o->imm) & m;

	if (o->n == VOTE_BALLOT) {
		FOR_BITS32 (i, m)
			REG(u32, w, o->d)[i] = v;
		return;
	}
	bool r = o->n == VOTE_ALL ? v == m : o->n == VOTE_ANY ? v != 0 : v == m || !v;
	u32 *d = &PRED(w, o->d);
	*d = (*d & ~m) | (r ? m : 0);
}

static void execute_vote_sync(struct warp *w, const struct op *o, uint32_t m)
{
	u32 mask[LANES];

	check_sync_lanes(w, o, o->b, m);
	memcpy(mask, REG(u32, w, o->b), sizeof(mask));
	while (m)
		execute_vote(w, o, take_lowest_group(mask, &m));
}

int bind_vote(struct bind *b, struct op *o)
{
	const struct stmt *in = b->stmt;
	const struct operand *k = in->operand;
	bool sync = stmt_has(in, M_SYNC), ballot = stmt_has(in, M_BALLOT);
	struct operand a;

	if (bind_types(b, 1) || bind_operands(b, sync ? 3 : 2, sync ? 3 : 2))
		return -1;
	if (in->type[0] != (ballot ? T_B32 : T_PRED))
		return bind_plain(b, o, NULL, T_B32, NULL, 0);
	o->execute = sync ? execute_vote_sync : execute_vote;
	o->n = ballot                ? VOTE_BALLOT
	       : stmt_has(in, M_ALL) ? VOTE_ALL
	       : stmt_has(in, M_ANY) ? VOTE_ANY
				     : VOTE_UNI;
	a = k[1];
	o->imm = a.inverted ? ALL_LANES : 0;
	a.inverted = false;
	o->d = bind_dst(b, &k[0], ballot ? 32 : 1);
	o->a = bind_src(b, &a, T_PRED);
	if (sync && (o->b = bind_src(b, &k[2], T_B32)) == UINT32_MAX)
		return -1;
	return o->d == UINT32_MAX || o->a == UINT32_MAX ? -1 : 0;
}

/* ---- match ---- */

/* Executes match for the values v of the group m. */
static void match_members(struct warp *w, const struct op *o, const u64 *v, uint32_t m)
{
	u32 *d = REG(u32, w, o->d), same = 0;

	FOR_BITS32 (i, m) {
		u32 r = 0;

		FOR_BITS32 (j, m)
			r |= (u32)(v[j] == v[i]) << j;
		d[i] = r;
		same = r;
	}
	if (!o->n)
		return;
	FOR_BITS32 (i, m)
		d[i] = same == m ? m : 0;
	if (o->x) {
		u32 *p = &PRED(w, o->x->slot[0]);

		*p = (*p & ~m) | (same == m ? m : 0);
	}
}

static void execute_match(struct warp *w, const struct op *o, uint32_t m)
{
	u32 mask[LANES];
	u64 v[LANES];

	check_sync_lanes(w, o, o->b, m);
	memcpy(mask, REG(u32, w, o->b), sizeof(mask));
	FOR_BITS32 (i, m)
		v[i] = o->reg_bytes == 8 ? REG(u64, w, o->a)[i] : REG(u32, w, o->a)[i];
	while (m)
		match_members(w, o, v, take_lowest_group(mask, &m));
}

int bind_match(struct bind *b, struct op *o)
{
	const struct operand *k = b->stmt->operand, *d = &k[0];
	enum type t = (enum type)b->stmt->type[0];

	if (bind_types(b, 1) || bind_operands(b, 3, 3))
		return -1;
	if (t != T_B32 && t != T_B64)
		return bind_plain(b, o, NULL, t, NULL, 0);
	o->execute = execute_match;
	o->n = stmt_has(b->stmt, M_ALL);
	o->reg_bytes = t == T_B64 ? 8 : 4;
	if (k[0].kind == O_VEC && k[0].is_pair && o->n) {
		d = &k[0].elem[0];
		if ((bind_ext(b, o)->slot[0] = bind_dst(b, &k[0].elem[1], 1)) == UINT32_MAX)
			return -1;
	}
	o->d = bind_dst(b, d, 32);
	o->a = bind_src(b, &k[1], t);
	o->b = bind_src(b, &k[2], T_B32);
	return o->d == UINT32_MAX || o->a == UINT32_MAX || o->b == UINT32_MAX ? -1 : 0;
}

/* ---- redux ---- */

enum { REDUX_ADD, REDUX_MIN, REDUX_MAX, REDUX_AND, REDUX_OR, REDUX_XOR };

static u32 reduce_values(unsigned how, enum type t, bool nan, bool abs, u32 x, u32 y)
{
	union {
		u32 u;
		float f;
	} a = {.u = abs ? x & 0x7fffffff : x}, b = {.u = abs ? y & 0x7fffffff : y};

	switch (how) {
	case REDUX_ADD: return x + y;
	case REDUX_AND: return x & y;
	case REDUX_OR: return x | y;
	case REDUX_XOR: return x ^ y;
	}
	if (t == T_F32) {
		if (a.f != a.f || b.f != b.f)
			return nan || (a.f != a.f && b.f != b.f) ? 0x7fffffff : a.f != a.f ? b.u : a.u;
		return (a.f < b.f) == (how == REDUX_MIN) ? a.u : b.u;
	}
	bool less = t == T_S32 ? (s32)x < (s32)y : x < y;
	return less == (how == REDUX_MIN) ? x : y;
}

static void execute_redux(struct warp *w, const struct op *o, uint32_t m)
{
	u32 *d = REG(u32, w, o->d), in[LANES], mask[LANES];

	check_sync_lanes(w, o, o->b, m);
	memcpy(in, REG(u32, w, o->a), sizeof(in));
	memcpy(mask, REG(u32, w, o->b), sizeof(mask));
	while (m) {
		u32 group = take_lowest_group(mask, &m),
		    r = in[bit_lowest32(group)] & (o->mode & 4 ? 0x7fffffff : ~0u);

		FOR_BITS32 (i, group & (group - 1))
			r = reduce_values(o->n, (enum type)o->imm, o->mode & 2, o->mode & 4, r, in[i]);
		FOR_BITS32 (i, group)
			d[i] = r;
	}
}

int bind_redux(struct bind *b, struct op *o)
{
	static const enum modifier how[6] = {M_ADD, M_MIN, M_MAX, M_AND, M_OR, M_XOR};
	enum type t = (enum type)b->stmt->type[0];

	if (bind_types(b, 1))
		return -1;
	for (unsigned i = 0; i < 6; i++)
		if (stmt_has(b->stmt, how[i]))
			o->n = (uint8_t)i;
	o->imm = t;
	o->mode = (uint8_t)((stmt_has(b->stmt, M_NAN) ? 2 : 0) | (stmt_has(b->stmt, M_ABS) ? 4 : 0));
	bool fits = t == T_F32 ? o->n == REDUX_MIN || o->n == REDUX_MAX
			       : types[t].bits == 32 && types[t].kind != K_FLOAT &&
					 (t == T_B32) == (o->n >= REDUX_AND);
	return BIND(b, o, fits ? execute_redux : NULL, t, t, T_B32);
}

static void execute_activemask(struct warp *w, const struct op *o, uint32_t m)
{
	FOR_BITS32 (i, m)
		REG(u32, w, o->d)[i] = m;
}

int bind_activemask(struct bind *b, struct op *o)
{
	if (bind_types(b, 1) || bind_operands(b, 1, 1))
		return -1;
	o->execute = execute_activemask;
	return (o->d = bind_dst(b, &b->stmt->operand[0], 32)) == UINT32_MAX ? -1 : 0;
}

/* Executes elect.sync d|p, mask: the lowest lane of the mask is the leader. */
static void execute_elect(struct warp *w, const struct op *o, uint32_t m)
{
	u32 *p = &PRED(w, o->x->slot[0]), mask[LANES];

	check_sync_lanes(w, o, o->a, m);
	memcpy(mask, REG(u32, w, o->a), sizeof(mask));
	while (m) {
		u32 group = take_lowest_group(mask, &m), leader = bit_lowest32(group);

		FOR_BITS32 (i, group)
			REG(u32, w, o->d)[i] = leader;
		*p = (*p & ~group) | 1u << leader;
	}
}

int bind_elect(struct bind *b, struct op *o)
{
	const struct operand *k = b->stmt->operand;

	if (bind_operands(b, 2, 2))
		return -1;
	if (k[0].kind != O_VEC || !k[0].is_pair)
		return bind_fault(b, &k[0], "operand", "one destination (expected d|p)");
	o->execute = execute_elect;
	o->d = bind_dst(b, &k[0].elem[0], 32);
	bind_ext(b, o)->slot[0] = bind_dst(b, &k[0].elem[1], 1);
	o->a = bind_src(b, &k[1], T_B32);
	return o->d == UINT32_MAX || o->x->slot[0] == UINT32_MAX || o->a == UINT32_MAX ? -1 : 0;
}
