/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Clusters: barrier.cluster, and addresses of shared memory in another block of the cluster (mapa,
 * getctarank).
 */
#include "sem/sem.h"

int bind_cluster_barrier(struct bind *b, struct op *o)
{
	if (!has(b->in, M_ARRIVE) && !has(b->in, M_WAIT))
		return bind_fault(b, NULL, "suffix", "found %s, wanted .arrive or .wait", b->in->text);
	o->n = has(b->in, M_ALIGNED);
	if (has(b->in, M_WAIT))
		o->flow = FLOW_WAIT;
	else
		o->fn = cluster_arrive;
	return bind_operands(b, 0, 0);
}

/* mapa: the address of a place of shared memory in the block of rank b. mode: generic addresses. */
static void mapa(struct warp *w, const struct op *o, uint32_t m)
{
	u64 base = o->mode ? SHARED_BASE : 0;

	FOR_BITS32 (i, m) {
		u64 a = o->reg_bytes == 8 ? REG(u64, w, o->a)[i] : REG(u32, w, o->a)[i];
		u32 rank = REG(u32, w, o->b)[i];

		if (rank >= w->cta->cluster->n) {
			exec_fail(w, o, 1u << i, "cluster-rank",
				"found rank %u in a cluster of %u thread blocks, wanted a lower one", rank,
				w->cta->cluster->n);
			return;
		}
		a = base + (a - base) % CLUSTER_STRIDE;
		if (rank != w->cta->rank)
			a += (u64)CLUSTER_STRIDE * (rank + 1);
		if (o->reg_bytes == 8)
			REG(u64, w, o->d)[i] = a;
		else
			REG(u32, w, o->d)[i] = (u32)a;
	}
}

static void getctarank(struct warp *w, const struct op *o, uint32_t m)
{
	FOR_BITS32 (i, m) {
		u64 a = o->reg_bytes == 8 ? REG(u64, w, o->a)[i] : REG(u32, w, o->a)[i];
		u64 n = (a - (o->mode ? SHARED_BASE : 0)) / CLUSTER_STRIDE;

		REG(u32, w, o->d)[i] = n ? (u32)n - 1 : w->cta->rank;
	}
}

int bind_mapa(struct bind *b, struct op *o)
{
	const struct operand *k = b->in->operand;
	bool rank = b->in->op == I_getctarank;
	enum type t = (enum type)b->in->type[0];

	if (bind_types(b, 1) || bind_operands(b, rank ? 2 : 3, rank ? 2 : 3))
		return -1;
	if (t != T_U32 && t != T_U64)
		return bind_fault(b, NULL, "types", "found type .%s, wanted .u32 or .u64", types[t].name);
	o->fn = rank ? getctarank : mapa;
	o->mode = !has(b->in, M_SHARED__CLUSTER);
	o->reg_bytes = (uint8_t)(types[t].bits / 8);
	o->d = bind_dst(b, &k[0], rank ? 32 : types[t].bits);
	o->a = bind_src(b, &k[1], t);
	o->b = rank ? 0 : bind_src(b, &k[2], T_U32);
	return o->d == UINT32_MAX || o->a == UINT32_MAX || o->b == UINT32_MAX ? -1 : 0;
}
