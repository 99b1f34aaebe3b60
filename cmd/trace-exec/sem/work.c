/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests for the work of thread blocks that have not begun (clusterlaunchcontrol).
 *
 * Always true: a request is denied, so that each block does its own work. This is one of the outcomes that a GPU may
 * have. The answer has 16 bytes. PTX does not define them, but compiled code reads these bits: bit 64 is 1 if a block
 * was cancelled; bits 0 to 31, 32 to 47 and 48 to 63 are the coordinates of its first thread block.
 */
#include <string.h>
#include "exec/check.h"
#include "sem/async.h"

#define ANSWER_BYTES 16u

/* Writes an answer to the block with this rank, and completes its bytes of the mbarrier. Returns false on failure. */
static bool deny_to_block(struct warp *w, const struct op *o, unsigned lane, unsigned rank)
{
	const struct targets *t = o->x->family;
	uint8_t *to = targets_find_host(w, o, t, &t->target, lane, rank, ANSWER_BYTES), *bar;

	if (!to)
		return false;
	if (w->space != SP_SHARED || w->addr[lane] % ANSWER_BYTES) {
		exec_fail(w, o, 1u << lane, "misaligned",
			"answer at byte %llu of .%s (expected a multiple of %u in .shared)",
			(unsigned long long)w->addr[lane], space_name[w->space], ANSWER_BYTES);
		return false;
	}
	memset(to, 0, ANSWER_BYTES);
	checker_mark_written(w->cta, to, ANSWER_BYTES);
	return (bar = targets_find_host(w, o, t, &t->mbarrier, lane, rank, 8)) &&
	       async_complete_bytes(w, o, lane, bar, ANSWER_BYTES);
}

void work_deny(struct warp *w, const struct op *o, uint32_t m)
{
	w->changed = true;
	FOR_BITS32 (i, m)
		FOR_BITS32 (r, targets_ranks(w, o, o->x->family, i))
			if (!deny_to_block(w, o, i, r))
				return;
}

static void query_is_cancelled(struct warp *w, const struct op *o, uint32_t m)
{
	const u64 *high = REG(u64, w, o->a) + LANES;
	u32 p = 0, *d = &PRED(w, o->d);

	FOR_BITS32 (i, m)
		p |= (u32)(high[i] & 1) << i;
	*d = (*d & ~m) | p;
}

/* Executes .get_first_ctaid: o->n coordinates, from o->bytes on. */
static void query_first_block(struct warp *w, const struct op *o, uint32_t m)
{
	const u64 *low = REG(u64, w, o->a);

	FOR_BITS32 (i, m) {
		const u32 at[4] = {(u32)low[i], (u32)(low[i] >> 32 & 0xffff), (u32)(low[i] >> 48), 0};

		for (unsigned k = 0; k < o->n; k++)
			REG(u32, w, o->x->slot[k])[i] = at[o->bytes + k];
	}
}

/* ---- binding ---- */

static int bind_work_request(struct bind *b, struct op *o)
{
	const struct stmt *in = b->stmt;
	struct targets *x = bind_ext(b, o)->family = arena_alloc(&b->code->arena, 1, sizeof(*x));
	enum state_space space = stmt_has(in, M_SHARED__CTA) ? SP_SHARED : SP_GENERIC;

	if (!stmt_has(in, M_ASYNC) || !stmt_has(in, M_MBARRIER__COMPLETE_TX__BYTES))
		return bind_fault(b, NULL, "suffix", "%s (expected .async and .mbarrier::complete_tx::bytes)",
			in->text);
	x->all_blocks = stmt_has(in, M_MULTICAST__CLUSTER__ALL);
	o->execute = work_deny;
	return bind_types(b, 1) || bind_operands(b, 2, 2) ||
			       address_bind(b, &x->target, &in->operand[0], space) ||
			       address_bind(b, &x->mbarrier, &in->operand[1], space)
		       ? -1
		       : 0;
}

/* Binds the results of .get_first_ctaid: {x, y, z, _}, or one coordinate. */
static int bind_first_block(struct bind *b, struct op *o)
{
	static const enum modifier one[] = {M_GET_FIRST_CTAID__X, M_GET_FIRST_CTAID__Y, M_GET_FIRST_CTAID__Z};
	const struct stmt *in = b->stmt;
	const struct operand *d = &in->operand[0];
	unsigned k = 0;

	o->execute = query_first_block;
	if (stmt_has(in, M_GET_FIRST_CTAID)) {
		if (!stmt_has(in, M_V4) || d->kind != O_VEC || d->n != 4)
			return bind_fault(
				b, d, "operand", "not a vector of 4 elements (expected .v4 and {..})");
		o->n = 4;
		for (unsigned i = 0; i < 4; i++)
			if ((bind_ext(b, o)->slot[i] = bind_dst(b, &d->elem[i], 32)) == UINT32_MAX)
				return -1;
		return 0;
	}
	while (k < 3 && !stmt_has(in, one[k]))
		k++;
	if (k == 3)
		return bind_fault(
			b, NULL, "suffix", "%s (expected .is_canceled or .get_first_ctaid)", in->text);
	o->n = 1;
	o->bytes = (uint8_t)k;
	return (bind_ext(b, o)->slot[0] = bind_dst(b, d, 32)) == UINT32_MAX ? -1 : 0;
}

int bind_clusterlaunchcontrol(struct bind *b, struct op *o)
{
	const struct stmt *in = b->stmt;
	bool cancelled = stmt_has(in, M_IS_CANCELED);

	if (stmt_has(in, M_TRY_CANCEL))
		return bind_work_request(b, o);
	if (!stmt_has(in, M_QUERY_CANCEL))
		return bind_fault(b, NULL, "suffix", "%s (expected .try_cancel or .query_cancel)", in->text);
	if (bind_types(b, 2) || bind_operands(b, 2, 2))
		return -1;
	if (in->type[0] != (cancelled ? T_PRED : T_B32) || in->type[1] != T_B128)
		return bind_fault(
			b, NULL, "types", "%s (expected .%s.b128)", in->text, cancelled ? "pred" : "b32");
	if (cancelled) {
		o->execute = query_is_cancelled;
		o->d = bind_dst(b, &in->operand[0], 1);
	} else if (bind_first_block(b, o)) {
		return -1;
	}
	o->a = bind_src(b, &in->operand[1], T_B128);
	return o->d == UINT32_MAX || o->a == UINT32_MAX ? -1 : 0;
}
