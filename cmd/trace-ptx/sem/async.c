/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Asynchronous copies of a few bytes by each lane and their barriers: cp.async, mbarrier.
 *
 * A copy is done when it is issued, which is one of the times PTX allows; so groups are always complete, and
 * a copy that reports to an mbarrier does it at once. Always true of an mbarrier's 64 bits: the arrivals that
 * are still missing (20 bits), the count of a phase (20), the phase (1), the bytes that are still missing
 * (22, signed). A wait that fails ends the warp's turn, so that others may arrive.
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
	exec_addresses(w, &dst);
	good = mem_at(w, &dst, m, (enum state_space)o->x->aux[1], o->bytes, to) &&
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
	x->aux[1] = SP_SHARED;
	return 0;
}

/* ---- mbarrier ---- */

enum { MB_COUNT = 0xfffff };
static u64 mb_pack(u64 pending, u64 count, u64 phase, s64 tx)
{
	return (pending & MB_COUNT) | (count & MB_COUNT) << 20 | (phase & 1) << 40 |
	       ((u64)tx & 0x3fffff) << 41;
}
static u64 mb_pending(u64 v) { return v & MB_COUNT; }
static u64 mb_count(u64 v) { return v >> 20 & MB_COUNT; }
static u64 mb_phase(u64 v) { return v >> 40 & 1; }
static s64 mb_tx(u64 v) { return (s64)(v << 1) >> 42; }

/* Arrivals and bytes happen; the phase ends when nothing is missing. */
static u64 mb_happen(u64 v, u64 arrivals, s64 tx)
{
	u64 pending = mb_pending(v) >= arrivals ? mb_pending(v) - arrivals : 0;
	s64 left = mb_tx(v) + tx;

	return pending || left ? mb_pack(pending, mb_count(v), mb_phase(v), left)
			       : mb_pack(mb_count(v), mb_count(v), !mb_phase(v), 0);
}

enum mb_op { MB_INIT, MB_INVAL, MB_ARRIVE, MB_DROP, MB_EXPECT, MB_COMPLETE, MB_TEST, MB_PENDING, MB_COPIES };

static void mbarrier(struct warp *w, const struct op *o, uint32_t m)
{
	uint8_t *at[LANES];
	uint32_t p = 0;

	exec_addresses(w, o);
	if (!mem_at(w, o, m, (enum state_space)o->space, 8, at))
		return;
	FOR_BITS32 (i, m) {
		u64 v, old;
		u32 n = o->b ? REG(u32, w, o->b)[i] : 1;

		memcpy(&v, at[i], 8);
		old = v;
		switch (o->n) {
		case MB_INIT: v = mb_pack(n, n, 0, 0); break;
		case MB_INVAL: v = 0; break;
		case MB_ARRIVE:
			v = mb_happen(o->x->aux[2]
					      ? mb_pack(mb_pending(v), mb_count(v), mb_phase(v), mb_tx(v) + n)
					      : v,
				o->x->aux[2] ? 1 : n, 0);
			break;
		case MB_DROP:
			v = mb_happen(mb_pack(mb_pending(v), mb_count(v) - n, mb_phase(v), mb_tx(v)), n, 0);
			break;
		case MB_EXPECT: v = mb_pack(mb_pending(v), mb_count(v), mb_phase(v), mb_tx(v) + n); break;
		case MB_COMPLETE: v = mb_happen(v, 0, -(s64)n); break;
		case MB_COPIES: v = o->x->aux[2] ? mb_happen(v, 1, 0) : v; break;
		default: { /* is the phase over that the token or the parity names? */
			u64 phase = o->x->aux[2] ? REG(u32, w, o->b)[i] & 1 : mb_phase(REG(u64, w, o->b)[i]);

			p |= (u32)(mb_phase(v) != phase) << i;
		}
		}
		check_mark(w->cta, at[i], 8);
		w->changed |= v != old;
		if (v != old)
			memcpy(at[i], &v, 8);
		if (o->d && o->n != MB_TEST)
			REG(u64, w, o->d)[i] = old;
	}
	if (o->n == MB_TEST) {
		u32 *d = &PRED(w, o->d);

		*d = (*d & ~m) | p;
		if (p != m)
			w->stop |= WARP_YIELD;
		check_barrier(w->cta);
	}
}

static void pending_count(struct warp *w, const struct op *o, uint32_t m)
{
	FOR_BITS32 (i, m)
		REG(u32, w, o->d)[i] = (u32)mb_pending(REG(u64, w, o->a)[i]);
}

int bind_mbarrier(struct bind *b, struct op *o)
{
	static const struct {
		enum modifier m;
		enum mb_op op;
	} ops[] = {{M_INIT, MB_INIT}, {M_INVAL, MB_INVAL}, {M_ARRIVE, MB_ARRIVE}, {M_ARRIVE_DROP, MB_DROP},
		{M_COMPLETE_TX, MB_COMPLETE}, {M_TEST_WAIT, MB_TEST}, {M_TRY_WAIT, MB_TEST},
		{M_EXPECT_TX, MB_EXPECT}};
	const struct stmt *in = b->in;
	const struct operand *k = in->operand;
	struct ext *x = bind_ext(b, o);
	unsigned n = in->n_operands, at;

	if (has(in, M_PENDING_COUNT)) {
		o->fn = pending_count;
		return bind_operands(b, 2, 2) || (o->d = bind_dst(b, &k[0], 32)) == UINT32_MAX ||
				       (o->a = bind_src(b, &k[1], T_B64)) == UINT32_MAX
			       ? -1
			       : 0;
	}
	o->fn = mbarrier;
	o->n = MB_EXPECT;
	for (unsigned i = sizeof(ops) / sizeof(ops[0]); i-- > 0;)
		if (has(in, ops[i].m))
			o->n = (uint8_t)ops[i].op;
	x->aux[2] = o->n == MB_ARRIVE ? has(in, M_EXPECT_TX) : has(in, M_PARITY);
	for (at = 0; at < n && k[at].kind != O_ADDR; at++)
		;
	if (at == n || at > 1)
		return bind_fault(
			b, NULL, "operands", "found no address in %s, wanted one of an mbarrier", in->text);
	o->space = (uint8_t)bind_space(b);
	if (bind_address(b, o, &k[at], (enum state_space)o->space))
		return -1;
	o->d = 0;
	if (at == 1 &&
		(o->d = o->n == MB_TEST ? bind_dst(b, &k[0], 1) : bind_dst(b, &k[0], 64)) == UINT32_MAX)
		return -1;
	if (o->n == MB_TEST && (!o->d || n < 3))
		return bind_operands(b, 3, 4);
	o->b = 0;
	if (at + 1 < n &&
		(o->b = bind_src(b, &k[at + 1], o->n == MB_TEST && !x->aux[2] ? T_B64 : T_U32)) == UINT32_MAX)
		return -1;
	if (o->n == MB_INIT && !o->b)
		return bind_operands(b, 2, 2);
	return 0;
}

void async_arrived(uint8_t *mbarrier, uint64_t n)
{
	u64 v;

	memcpy(&v, mbarrier, 8);
	v = mb_happen(v, 0, -(s64)n);
	memcpy(mbarrier, &v, 8);
}

/* ---- cp ---- */

int bind_cp(struct bind *b, struct op *o)
{
	const struct stmt *in = b->in;
	const struct operand *k = in->operand;
	unsigned n = in->n_operands;

	if (has(in, M_MBARRIER)) { /* cp.async.mbarrier.arrive[.noinc] */
		o->fn = mbarrier;
		o->n = MB_COPIES;
		o->b = o->d = 0;
		bind_ext(b, o)->aux[2] = has(in, M_NOINC);
		o->space = (uint8_t)bind_space(b);
		return bind_operands(b, 1, 1) ? -1 : bind_address(b, o, &k[0], (enum state_space)o->space);
	}
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
