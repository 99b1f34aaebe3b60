/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Clusters: barrier.cluster, and addresses of shared memory in another block of the cluster (mapa,
 * getctarank).
 */
#include "sem/sem.h"

int bind_cluster_barrier(struct bind *b, struct op *o)
{
	bool wait = stmt_has(b->stmt, M_WAIT);

	if (stmt_has(b->stmt, M_ARRIVE) == wait)
		return bind_fault(b, NULL, "suffix", "%s (expected .arrive or .wait)", b->stmt->text);
	if (wait ? stmt_has(b->stmt, M_RELEASE) || stmt_has(b->stmt, M_RELAXED)
		 : stmt_has(b->stmt, M_ACQUIRE))
		return bind_fault(b, NULL, "suffix",
			"%s (expected .acquire with .wait, .release or .relaxed with .arrive)",
			b->stmt->text);
	if (wait)
		o->flow = FLOW_WAIT;
	else
		o->execute = cluster_arrive;
	return bind_operands(b, 0, 0);
}

/*
 * Returns the rank + 1 of the block whose shared memory contains address a, or 0 for an address without a rank,
 * which is in the lane's own block. If no block contains the address, fails the launch and returns UINT32_MAX.
 * o->mode: a is generic.
 */
static uint32_t shared_block_of(struct warp *w, const struct op *o, unsigned lane, u64 a)
{
	u64 base = o->mode ? SHARED_BASE : 0, n = (a - base) / CLUSTER_STRIDE;

	if (a >= base && n <= w->cta->cluster->n)
		return (uint32_t)n;
	exec_fail(w, o, 1u << lane, "cluster-rank",
		"address 0x%llx (expected one in shared memory of the cluster)", (unsigned long long)a);
	return UINT32_MAX;
}

/*
 * Executes mapa: returns the address of the same place in the shared memory of the block with rank b. If there is no
 * such block, an access to the address fails; programs often compute it and do not use it.
 */
static void execute_mapa(struct warp *w, const struct op *o, uint32_t m)
{
	u64 base = o->mode ? SHARED_BASE : 0;

	FOR_BITS32 (i, m) {
		u64 a = o->reg_bytes == 8 ? REG(u64, w, o->a)[i] : REG(u32, w, o->a)[i];
		u32 rank = min_u32(REG(u32, w, o->b)[i], CLUSTER_MAX);

		if (shared_block_of(w, o, i, a) == UINT32_MAX)
			return;
		a = base + (a - base) % CLUSTER_STRIDE;
		if (rank != w->cta->rank)
			a += (u64)CLUSTER_STRIDE * (rank + 1);
		if (o->reg_bytes == 8)
			REG(u64, w, o->d)[i] = a;
		else
			REG(u32, w, o->d)[i] = (u32)a;
	}
}

static void execute_getctarank(struct warp *w, const struct op *o, uint32_t m)
{
	FOR_BITS32 (i, m) {
		u64 a = o->reg_bytes == 8 ? REG(u64, w, o->a)[i] : REG(u32, w, o->a)[i];
		u32 n = shared_block_of(w, o, i, a);

		if (n == UINT32_MAX)
			return;
		REG(u32, w, o->d)[i] = n ? n - 1 : w->cta->rank;
	}
}

int bind_mapa(struct bind *b, struct op *o)
{
	const struct operand *k = b->stmt->operand;
	bool rank = b->stmt->opcode == I_getctarank;
	enum type t = (enum type)b->stmt->type[0];

	if (bind_types(b, 1) || bind_operands(b, rank ? 2 : 3, rank ? 2 : 3))
		return -1;
	if (t != T_U32 && t != T_U64)
		return bind_fault(b, NULL, "types", "type .%s (expected .u32 or .u64)", types[t].name);
	o->execute = rank ? execute_getctarank : execute_mapa;
	o->mode = !stmt_has(b->stmt, M_SHARED__CLUSTER);
	o->reg_bytes = (uint8_t)(types[t].bits / 8);
	o->d = bind_dst(b, &k[0], rank ? 32 : types[t].bits);
	o->a = bind_src(b, &k[1], t);
	o->b = rank ? 0 : bind_src(b, &k[2], T_U32);
	return o->d == UINT32_MAX || o->a == UINT32_MAX || o->b == UINT32_MAX ? -1 : 0;
}
