/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Asynchronous copies of a few bytes by each lane: cp.async; and all that begins with cp.
 *
 * A copy is done when it is issued, which is one of the times PTX allows; so groups are always complete, and
 * a copy that reports to an mbarrier does it at once.
 */
#include "exec/check.h"
#include "sem/async.h"

/* ---- cp.async ---- */

static bool two_places(
	struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, uint8_t **to, uint8_t **from)
{
	struct op dst = *o;
	uint64_t src[LANES];
	bool good;

	exec_addresses(w, o);
	if (!mem_at(w, o, m, SP_GLOBAL, bytes, from) ||
		(w->g->opt->check && !check_read(w, o, m, bytes, from)))
		return false;
	memcpy(src, w->addr, sizeof(src));
	dst.a = o->x->slot[0];
	dst.imm = (int64_t)o->x->value[0];
	dst.mode = (uint8_t)o->x->aux[0];
	dst.space = SP_SHARED;
	exec_addresses(w, &dst);
	good = mem_at(w, &dst, m, SP_SHARED, o->bytes, to) &&
	       (!w->g->opt->check || check_write(w, &dst, m, o->bytes, to));
	memcpy(w->addr, src, sizeof(src));
	w->space = SP_GLOBAL;
	return good;
}

static void copy_async(struct warp *w, const struct op *o, uint32_t m)
{
	uint8_t *to[LANES], *from[LANES];
	uint32_t some = m;

	if (o->c) /* ignore-src: zeros instead */
		some &= ~PRED(w, o->c);
	if (o->b) {
		some = 0;
		FOR_BITS32 (i, m)
			some |= (uint32_t)(REG(u32, w, o->b)[i] != 0) << i;
	}
	if (!two_places(w, o, some ? some : m, some ? o->b ? 1 : o->bytes : 0, to, from))
		return;
	if (some != m) {
		uint8_t *unused[LANES];

		if (!two_places(w, o, m, 0, to, unused))
			return;
	}
	FOR_BITS32 (i, m) {
		unsigned n = !(some >> i & 1) ? 0 : o->b ? REG(u32, w, o->b)[i] : o->bytes;

		n = n > o->bytes ? o->bytes : n;
		if (n && !memory_at(w->mem, w->addr[i], n)) {
			check_outside(w, o, i, SP_GLOBAL, w->addr[i], n);
			return;
		}
		w->changed = true;
		memcpy(to[i], from[i], n);
		memset(to[i] + n, 0, o->bytes - n);
	}
}

static void nothing(struct warp *w, const struct op *o, uint32_t m)
{
	(void)w;
	(void)o;
	(void)m;
}

static int bind_two_places(struct bind *b, struct op *o, const struct operand *to, const struct operand *from)
{
	struct ext *x = bind_ext(b, o);
	struct op dst = {.mode = 0};

	if (bind_address(b, &dst, to, SP_SHARED) || bind_address(b, o, from, SP_GLOBAL))
		return -1;
	x->slot[0] = dst.a;
	x->value[0] = (uint64_t)dst.imm;
	x->aux[0] = dst.mode;
	return 0;
}

/* ---- cp ---- */

int bind_cp(struct bind *b, struct op *o)
{
	const struct stmt *in = b->in;
	const struct operand *k = in->operand;
	unsigned n = in->n_operands;

	if (has(in, M_MBARRIER))
		return bind_copies_arrive(b, o);
	o->fn = nothing;
	if (has(in, M_COMMIT_GROUP) || has(in, M_WAIT_ALL))
		return bind_operands(b, 0, 0);
	if (has(in, M_WAIT_GROUP))
		return bind_operands(b, 1, 1);
	if (has(in, M_PREFETCH))
		return 0;
	if (has(in, M_BULK))
		return has(in, M_TENSOR) ? bind_tensor_copy(b, o) : bind_bulk(b, o);
	if (n < 3 || n > 5 || k[2].kind != O_INT || (k[2].value != 4 && k[2].value != 8 && k[2].value != 16))
		return bind_fault(b, NULL, "operands", "found no size in %s, wanted [to], [from], 4, 8 or 16",
			in->text);
	o->fn = copy_async;
	o->memory = 1;
	o->bytes = (uint8_t)k[2].value;
	o->space = SP_GLOBAL;
	o->b = o->c = 0;
	if (n - has(in, M_L2__CACHE_HINT) > 3) {
		const struct operand *z = &k[3];

		if (z->kind == O_REG && bind_bits(b, z) == 1)
			o->c = bind_src(b, z, T_PRED);
		else
			o->b = bind_src(b, z, T_U32);
		if (o->b == UINT32_MAX || o->c == UINT32_MAX)
			return -1;
	}
	return bind_two_places(b, o, &k[0], &k[1]);
}
