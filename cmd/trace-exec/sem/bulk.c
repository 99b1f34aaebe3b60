/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bulk copies and reductions (cp.async.bulk, cp.reduce.async.bulk), bulk stores of zeros (st.bulk), and
 * stores and reductions that complete bytes of an mbarrier of a cluster (st.async, red.async).
 *
 * Always true: an instruction completes at its issue, one lane after another, and completes its bytes of the mbarrier
 * at once. The checks treat it as an access of the issuing warp; bulk copies are in flight until waits for them
 * (exec/bulk_flight.c). A copy to several thread blocks uses the same offsets in the shared memory of each block, for
 * the data and for the mbarrier.
 */
#include <string.h>
#include "exec/check.h"
#include "sem/async.h"

/* ---- addresses ---- */

int address_bind(struct bind *b, struct address *a, const struct operand *at, enum state_space space)
{
	struct op o = {.mode = 0};

	if (bind_address(b, &o, at, space))
		return -1;
	*a = (struct address){o.a, o.imm, o.mode, (uint8_t)space};
	return 0;
}

uint8_t *address_find_host(
	struct warp *w, const struct op *o, const struct address *a, unsigned lane, uint64_t bytes)
{
	struct op one = *o;
	uint8_t *at[LANES];

	one.a = a->slot;
	one.imm = a->imm;
	one.mode = a->mode;
	one.space = a->space;
	exec_compute_addresses(w, &one);
	return mem_find_host(w, &one, 1u << lane, (enum state_space)a->space, bytes, at) ? at[lane] : NULL;
}

uint32_t targets_ranks(struct warp *w, const struct op *o, const struct targets *t, unsigned lane)
{
	const struct cluster *c = w->cta->cluster;

	if (t->all_blocks)
		return (1u << c->n) - 1;
	uint32_t ranks = t->mask ? REG(u16, w, t->mask)[lane] : 1;

	if (!t->mask || (ranks && !(ranks >> c->n)))
		return ranks;
	exec_fail(w, o, 1u << lane, "cluster-rank",
		"mask 0x%x of thread blocks in a cluster of %u (expected bits of these blocks, at least one)",
		ranks, c->n);
	return 0;
}

uint8_t *targets_find_host(struct warp *w, const struct op *o, const struct targets *t,
	const struct address *a, unsigned lane, unsigned rank, uint64_t bytes)
{
	uint8_t *own = address_find_host(w, o, a, lane, bytes), *other;

	if (!own || (!t->mask && !t->all_blocks))
		return own;
	return (other = mem_shared_of_block(w, o, lane, rank)) ? other + w->addr[lane] : NULL;
}

/* ---- bulk copies ---- */

static void reduce_bulk_bytes(
	struct warp *w, const struct bulk *x, uint8_t *to, const uint8_t *from, uint64_t n)
{
	unsigned each = types[x->type].bits / 8;
	bool global = x->targets.target.space == SP_GLOBAL;

	pthread_mutex_lock(&w->mem->lock);
	for (uint64_t i = 0; i + each <= n; i += each) {
		u64 a = 0, b = 0;

		memcpy(&a, to + i, each);
		memcpy(&b, from + i, each);
		a = (global ? atom_global_value : atom_new_value)(x->atom, x->type, a, b, 0);
		memcpy(to + i, &a, each);
	}
	pthread_mutex_unlock(&w->mem->lock);
}

static bool check_bulk_size(struct warp *w, const struct op *o, unsigned lane, uint64_t n)
{
	if (n % 16 == 0)
		return true;
	exec_fail(w, o, 1u << lane, "bulk-size", "bulk copy of %llu bytes (expected a multiple of 16)",
		(unsigned long long)n);
	return false;
}

/* Checks the source or the destination of a copy, at offset w->addr[lane]. Returns false if the launch has failed. */
static bool check_bulk_endpoint(
	struct warp *w, const struct op *o, unsigned lane, uint64_t n, uint8_t *at, bool write)
{
	if (w->addr[lane] % 16 == 0)
		return check_lane_span(w, o, (enum state_space)w->space, lane, n, at, write);
	exec_fail(w, o, 1u << lane, "misaligned",
		"bulk copy at byte 0x%llx of .%s (expected a multiple of 16)",
		(unsigned long long)w->addr[lane], space_name[w->space]);
	return false;
}

static bool copy_bulk_of_lane(struct warp *w, const struct op *o, unsigned lane)
{
	const struct bulk *x = o->x->family;
	uint64_t n = REG(u32, w, x->bytes)[lane];
	uint32_t ranks = targets_ranks(w, o, &x->targets, lane);
	uint8_t *from;

	if (!ranks || !check_bulk_size(w, o, lane, n) ||
		!(from = address_find_host(w, o, &x->source, lane, n)) ||
		!check_bulk_endpoint(w, o, lane, n, from, false))
		return false;
	FOR_BITS32 (r, ranks) {
		uint8_t *to = targets_find_host(w, o, &x->targets, &x->targets.target, lane, r, n), *bar;

		if (!to || !check_bulk_endpoint(w, o, lane, n, to, true))
			return false;
		if (x->reduce)
			reduce_bulk_bytes(w, x, to, from, n);
		else
			memmove(to, from, n);
		checker_mark_written(w->cta, to, n);
		if (!x->targets.reports) {
			bulk_flight_begin_read(w, lane, from, n, NULL);
			continue;
		}
		if (!(bar = targets_find_host(w, o, &x->targets, &x->targets.mbarrier, lane, r, 8)))
			return false;
		bulk_flight_begin_write(w, to, n, bar);
		if (x->source.space == SP_SHARED)
			bulk_flight_begin_read(w, lane, from, n, bar);
		if (!async_complete_bytes(w, o, lane, bar, n))
			return false;
	}
	return true;
}

void bulk_copy(struct warp *w, const struct op *o, uint32_t m)
{
	w->changed = true;
	FOR_BITS32 (i, m)
		if (!copy_bulk_of_lane(w, o, i))
			return;
}

void bulk_prefetch(struct warp *w, const struct op *o, uint32_t m)
{
	const struct bulk *x = o->x->family;

	FOR_BITS32 (i, m) {
		uint64_t n = REG(u32, w, x->bytes)[i];
		uint8_t *at = check_bulk_size(w, o, i, n) ? address_find_host(w, o, &x->source, i, n) : NULL;

		if (!at || !check_bulk_endpoint(w, o, i, 0, at, false))
			return;
	}
}

static int bind_bulk_reduce(struct bind *b, struct bulk *x)
{
	x->reduce = true;
	if (bind_types(b, 1))
		return -1;
	x->type = (enum type)b->stmt->type[0];
	bool global = x->targets.target.space == SP_GLOBAL, half = x->type == T_F16 || x->type == T_BF16;
	if (!atom_find_operation(b->stmt, T_NONE, &x->atom) ||
		!atom_is_supported_async(x->atom, x->type, global))
		return bind_fault(b, NULL, "types", "%s (expected one operation and a type that it supports)",
			b->stmt->text);
	if (stmt_has(b->stmt, M_NOFTZ) != (half && x->atom == ATOM_ADD))
		return bind_fault(b, NULL, "suffix", "%s (expected .noftz with sums of .f16 and .bf16 only)",
			b->stmt->text);
	if (global)
		b->frame->order |= atom_order_bits(x->atom, x->type);
	return 0;
}

static int bind_bulk_size(struct bind *b, struct bulk *x, const struct operand *k)
{
	if (k->kind == O_INT && k->value % 16)
		return bind_fault(b, k, "operand", "bulk copy of %lld bytes (expected a multiple of 16)",
			(long long)k->value);
	return (x->bytes = bind_src(b, k, T_U32)) == UINT32_MAX ? -1 : 0;
}

static int bind_bulk_prefetch(struct bind *b, struct op *o, struct bulk *x)
{
	if (!stmt_has(b->stmt, M_L2) || !stmt_has(b->stmt, M_GLOBAL))
		return bind_fault(b, NULL, "suffix", "%s (expected .L2.global)", b->stmt->text);
	o->execute = bulk_prefetch;
	return bind_operands(b, 2, 2u + stmt_has(b->stmt, M_L2__CACHE_HINT)) ||
			       address_bind(b, &x->source, &b->stmt->operand[0], SP_GLOBAL) ||
			       bind_bulk_size(b, x, &b->stmt->operand[1])
		       ? -1
		       : 0;
}

/* Checks the combination of destination, source and completion mechanism. */
static int check_bulk_suffixes(struct bind *b, bool to_global)
{
	const struct stmt *in = b->stmt;
	bool reports = stmt_has(in, M_MBARRIER__COMPLETE_TX__BYTES), cta = stmt_has(in, M_SHARED__CTA),
	     cluster = stmt_has(in, M_SHARED__CLUSTER), global = stmt_has(in, M_GLOBAL);

	if (stmt_has(in, M_BULK_GROUP) == reports || reports == to_global)
		return bind_fault(b, NULL, "suffix", "%s (expected %s)", in->text,
			to_global ? "only .bulk_group" : "only .mbarrier::complete_tx::bytes");
	if ((to_global ? !cta : !cluster && !cta) || (global ? cta && cluster : !cta || !cluster) ||
		(stmt_has(in, M_REDUCE) && global && !to_global))
		return bind_fault(b, NULL, "suffix",
			"%s (expected .global and .shared::cta, or .shared::cluster and one of them)",
			in->text);
	if (stmt_has(in, M_MULTICAST__CLUSTER) && (to_global || !global || !cluster))
		return bind_fault(
			b, NULL, "suffix", "%s (expected .shared::cluster.global with .multicast)", in->text);
	return 0;
}

int bind_bulk(struct bind *b, struct op *o)
{
	const struct stmt *in = b->stmt;
	const struct operand *k = in->operand;
	struct bulk *x = bind_ext(b, o)->family = arena_alloc(&b->code->arena, 1, sizeof(*x));
	bool reports = stmt_has(in, M_MBARRIER__COMPLETE_TX__BYTES),
	     many = stmt_has(in, M_MULTICAST__CLUSTER),
	     to_global = strstr(in->text, ".global.shared") != NULL, global = stmt_has(in, M_GLOBAL);
	unsigned n = 3u + reports + many;

	if (stmt_has(in, M_PREFETCH))
		return bind_bulk_prefetch(b, o, x);
	if (check_bulk_suffixes(b, to_global) || bind_operands(b, n, n + stmt_has(in, M_L2__CACHE_HINT)))
		return -1;
	x->targets.reports = reports;
	if (address_bind(b, &x->targets.target, &k[0], to_global ? SP_GLOBAL : SP_SHARED) ||
		address_bind(b, &x->source, &k[1], global && !to_global ? SP_GLOBAL : SP_SHARED) ||
		(reports && address_bind(b, &x->targets.mbarrier, &k[3], SP_SHARED)))
		return -1;
	if (many && (x->targets.mask = bind_src(b, &k[4], T_U16)) == UINT32_MAX)
		return -1;
	if (stmt_has(in, M_REDUCE) && bind_bulk_reduce(b, x))
		return -1;
	o->execute = bulk_copy;
	return bind_bulk_size(b, x, &k[2]);
}

/* ---- stores and reductions that complete bytes of an mbarrier ---- */

void bulk_execute_store_async(struct warp *w, const struct op *o, uint32_t m)
{
	const struct store_async *x = o->x->family;
	uint64_t addr[LANES] = {0};
	uint32_t bytes = (uint32_t)o->bytes * o->n;

	w->changed = true;
	FOR_BITS32 (i, m) {
		uint8_t *to = address_find_host(w, o, &x->target, i, bytes), *bar;

		if (!to)
			return;
		addr[i] = w->addr[i];
		if (w->space != SP_SHARED) {
			exec_fail(w, o, 1u << i, "space",
				"write of %u bytes at 0x%llx (expected shared memory)", bytes,
				(unsigned long long)addr[i]);
			return;
		}
		if (addr[i] % bytes) {
			exec_fail(w, o, 1u << i, "misaligned",
				"write of %u bytes at byte %llu of .shared (expected a multiple of %u)",
				bytes, (unsigned long long)addr[i], bytes);
			return;
		}
		if (!check_lane_span(w, o, SP_SHARED, i, bytes, to, true))
			return;
		for (unsigned k = 0; k < o->n; k++) {
			uint32_t slot = o->x->slot[k];
			u64 v = o->bytes == 8 ? REG(u64, w, slot)[i] : REG(u32, w, slot)[i], old = 0;

			if (x->reduce) {
				memcpy(&old, to, o->bytes);
				v = atom_new_value(x->atom, x->type, old, v, 0);
			}
			memcpy(to + k * o->bytes, &v, o->bytes);
		}
		checker_mark_written(w->cta, to, bytes);
		if (!(bar = address_find_host(w, o, &x->mbarrier, i, 8)))
			return;
		bulk_flight_begin_store(w, to, bytes, bar);
		if (!async_complete_bytes(w, o, i, bar, bytes))
			return;
	}
	memcpy(w->addr, addr, sizeof(addr));
	w->space = SP_SHARED;
}

int bind_store_async(struct bind *b, struct op *o)
{
	const struct stmt *in = b->stmt;
	const struct operand *k = in->operand;
	struct store_async *x = bind_ext(b, o)->family = arena_alloc(&b->code->arena, 1, sizeof(*x));
	enum state_space space = stmt_has(in, M_SHARED__CLUSTER) ? SP_SHARED : SP_GENERIC;

	if (bind_space(b) != space || !stmt_has(in, M_MBARRIER__COMPLETE_TX__BYTES))
		return bind_refuse(b, "an asynchronous store without an mbarrier");
	if (bind_types(b, 1) || bind_operands(b, 3, 3) || address_bind(b, &x->target, &k[0], space) ||
		address_bind(b, &x->mbarrier, &k[2], space))
		return -1;
	x->type = (enum type)in->type[0];
	x->reduce = in->opcode == I_red;
	o->memory = 1;
	o->space = SP_SHARED;
	o->bytes = (uint8_t)(types[x->type].bits / 8);
	o->n = stmt_has(in, M_V2) ? 2 : stmt_has(in, M_V4) ? 4 : 1;
	if ((o->bytes != 4 && o->bytes != 8) || o->bytes * o->n > 16 || (x->reduce && o->n > 1) ||
		(x->reduce && (!atom_find_operation(in, T_NONE, &x->atom) ||
				      !atom_is_supported_async(x->atom, x->type, false))))
		return bind_fault(b, NULL, "types",
			"%s (expected elements of 4 or 8 bytes, at most 16 together)", in->text);
	if (o->n > 1 && (k[1].kind != O_VEC || k[1].n != o->n))
		return bind_fault(
			b, &k[1], "operand", "not a vector of %u elements (expected {..})", (unsigned)o->n);
	for (unsigned i = 0; i < o->n; i++) {
		if ((o->x->slot[i] = bind_src(b, o->n > 1 ? &k[1].elem[i] : &k[1], x->type)) == UINT32_MAX)
			return -1;
		o->x->bytes[i] = o->bytes;
	}
	o->d = o->x->slot[0];
	o->reg_bytes = o->bytes;
	o->execute = bulk_execute_store_async;
	return 0;
}

/* ---- bulk stores of zeros ---- */

static bool zero_bulk_of_lane(struct warp *w, const struct op *o, unsigned lane)
{
	const struct zeros *x = o->x->family;
	uint64_t n = REG(u64, w, x->bytes)[lane];
	uint8_t *to;

	if (n % 8) {
		exec_fail(w, o, 1u << lane, "bulk-size",
			"bulk store of %llu bytes (expected a multiple of 8)", (unsigned long long)n);
		return false;
	}
	if (!(to = address_find_host(w, o, &x->target, lane, n)))
		return false;
	if (w->space != SP_SHARED || w->addr[lane] % 8) {
		exec_fail(w, o, 1u << lane, "misaligned",
			"bulk store at byte %llu of .%s (expected a multiple of 8 in .shared)",
			(unsigned long long)w->addr[lane], space_name[w->space]);
		return false;
	}
	memset(to, 0, n);
	checker_mark_written(w->cta, to, n);
	return true;
}

void bulk_zero(struct warp *w, const struct op *o, uint32_t m)
{
	w->changed = true;
	FOR_BITS32 (i, m)
		if (!zero_bulk_of_lane(w, o, i))
			return;
}

int bind_store_bulk(struct bind *b, struct op *o)
{
	const struct operand *k = b->stmt->operand;
	struct zeros *x = bind_ext(b, o)->family = arena_alloc(&b->code->arena, 1, sizeof(*x));

	if (bind_types(b, 0) || bind_operands(b, 3, 3) ||
		address_bind(b, &x->target, &k[0], stmt_has(b->stmt, M_SHARED__CTA) ? SP_SHARED : SP_GENERIC))
		return -1;
	if (k[1].kind == O_INT && (uint64_t)k[1].value % 8)
		return bind_fault(
			b, &k[1], "operand", "%lld bytes (expected a multiple of 8)", (long long)k[1].value);
	if (k[2].kind != O_INT || k[2].value)
		return bind_fault(b, &k[2], "operand", "value to store in bulk (expected 0)");
	o->execute = bulk_zero;
	return (x->bytes = bind_src(b, &k[1], T_U64)) == UINT32_MAX ? -1 : 0;
}
