/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Asynchronous copies of a few bytes by each lane (cp.async), and the binding of all cp instructions.
 *
 * A copy completes at its issue, as PTX permits. Groups are therefore always complete, and a copy completes its bytes
 * of an mbarrier at once.
 */
#include "exec/check.h"
#include "sem/async.h"

/* ---- cp.async ---- */

/* Sets n[] to the number of bytes that each lane reads; the rest is zeros. Returns false if the launch has failed. */
static bool find_source_lengths(struct warp *w, const struct op *o, uint32_t m, uint32_t n[LANES])
{
	FOR_BITS32 (i, m) {
		bool ignored = o->c && PRED(w, o->c) >> i & 1;

		n[i] = ignored ? 0 : o->b ? REG(u32, w, o->b)[i] : o->bytes;
		if (n[i] <= o->bytes)
			continue;
		exec_fail(w, o, 1u << i, "copy-size", "source of %u bytes (expected at most %u)", n[i],
			o->bytes);
		return false;
	}
	return true;
}

/* Sets from[] to the source of each lane: n[] bytes at a multiple of o->bytes. Returns false if the launch failed. */
static bool find_copy_sources(
	struct warp *w, const struct op *o, uint32_t m, const uint32_t n[LANES], uint8_t *from[LANES])
{
	bool whole = true;

	exec_compute_addresses(w, o);
	FOR_BITS32 (i, m) {
		whole = whole && n[i] == o->bytes;
		if (w->addr[i] % o->bytes == 0 || !w->grid->options->check)
			continue;
		exec_fail(w, o, 1u << i, "misaligned",
			"copy of %u bytes at 0x%llx (expected an address that is a multiple of %u)", o->bytes,
			(unsigned long long)w->addr[i], o->bytes);
		return false;
	}
	if (whole)
		return mem_find_host(w, o, m, SP_GLOBAL, o->bytes, from) &&
		       (!w->grid->options->check || check_read(w, o, m, o->bytes, from));
	FOR_BITS32 (i, m)
		if (n[i] && (!mem_find_host(w, o, 1u << i, SP_GLOBAL, n[i], from) ||
				    !check_lane_span(w, o, SP_GLOBAL, i, n[i], from[i], false)))
			return false;
	return true;
}

static bool find_copy_destinations(struct warp *w, const struct op *o, uint32_t m, uint8_t *to[LANES])
{
	struct op dst = *o;
	uint64_t src[LANES];
	bool good;

	memcpy(src, w->addr, sizeof(src));
	dst.a = o->x->slot[0];
	dst.imm = (int64_t)o->x->value[0];
	dst.mode = (uint8_t)o->x->aux[0];
	dst.space = SP_SHARED;
	exec_compute_addresses(w, &dst);
	good = mem_find_host(w, &dst, m, SP_SHARED, o->bytes, to) &&
	       (!w->grid->options->check || check_write(w, &dst, m, o->bytes, to));
	if (good && w->grid->options->check)
		flight_begin(w, m, o->bytes, to);
	memcpy(w->addr, src, sizeof(src));
	w->space = SP_GLOBAL;
	return good;
}

static void copy_async(struct warp *w, const struct op *o, uint32_t m)
{
	uint8_t *to[LANES], *from[LANES] = {NULL};
	uint32_t n[LANES];

	if (!find_source_lengths(w, o, m, n) || !find_copy_sources(w, o, m, n, from) ||
		!find_copy_destinations(w, o, m, to))
		return;
	w->changed = true;
	FOR_BITS32 (i, m) {
		if (n[i])
			memcpy(to[i], from[i], n[i]);
		memset(to[i] + n[i], 0, o->bytes - n[i]);
	}
}

static void execute_commit_group(struct warp *w, const struct op *o, uint32_t m)
{
	(void)o;
	flight_commit(w, m);
}

/* Executes wait_group. o->imm: number of groups that may be incomplete. */
static void execute_wait_group(struct warp *w, const struct op *o, uint32_t m)
{
	flight_wait(w, m, (uint32_t)o->imm);
}

static void execute_wait_all(struct warp *w, const struct op *o, uint32_t m)
{
	(void)o;
	flight_commit(w, m);
	flight_wait(w, m, 0);
}

static void commit_bulk_group(struct warp *w, const struct op *o, uint32_t m)
{
	(void)o;
	bulk_flight_commit(w, m);
}

/* Executes cp.async.bulk.wait_group. o->imm: number of groups that may be incomplete. */
static void wait_bulk_group(struct warp *w, const struct op *o, uint32_t m)
{
	bulk_flight_wait(w, m, (uint32_t)o->imm);
}

static int bind_two_addresses(
	struct bind *b, struct op *o, const struct operand *to, const struct operand *from)
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

/* Binds commit_group, wait_group and wait_all. */
static int bind_copy_group(struct bind *b, struct op *o)
{
	const struct stmt *in = b->stmt;
	const struct operand *k = in->operand;
	bool wait = stmt_has(in, M_WAIT_GROUP);

	if (bind_operands(b, wait, wait))
		return -1;
	if (wait && (k->kind != O_INT || k->value < 0 || k->value > INT32_MAX))
		return bind_fault(b, k, "operand", "invalid number of groups (expected a constant)");
	o->imm = wait ? k->value : 0;
	o->execute = stmt_has(in, M_BULK)           ? wait ? wait_bulk_group : commit_bulk_group
		     : wait                         ? execute_wait_group
		     : stmt_has(in, M_COMMIT_GROUP) ? execute_commit_group
						    : execute_wait_all;
	return 0;
}

int bind_cp(struct bind *b, struct op *o)
{
	const struct stmt *in = b->stmt;
	const struct operand *k = in->operand;
	unsigned n = in->n_operands;

	if (stmt_has(in, M_MBARRIER))
		return bind_copies_arrive(b, o);
	if (stmt_has(in, M_COMMIT_GROUP) || stmt_has(in, M_WAIT_GROUP) || stmt_has(in, M_WAIT_ALL))
		return bind_copy_group(b, o);
	if (stmt_has(in, M_BULK))
		return stmt_has(in, M_TENSOR) ? bind_tensor_copy(b, o) : bind_bulk(b, o);
	if (n < 3 || n > 5 || k[2].kind != O_INT || (k[2].value != 4 && k[2].value != 8 && k[2].value != 16))
		return bind_fault(
			b, NULL, "operands", "no size in %s (expected [to], [from], 4, 8 or 16)", in->text);
	if (stmt_has(in, M_CG) && k[2].value != 16)
		return bind_fault(b, &k[2], "operand", "%lld bytes in %s (expected 16 with .cg)",
			(long long)k[2].value, in->text);
	o->execute = copy_async;
	o->memory = 1;
	o->bytes = (uint8_t)k[2].value;
	o->space = SP_GLOBAL;
	o->b = o->c = 0;
	if (n - stmt_has(in, M_L2__CACHE_HINT) > 3) {
		const struct operand *z = &k[3];

		if (z->kind == O_REG && bind_bits(b, z) == 1)
			o->c = bind_src(b, z, T_PRED);
		else
			o->b = bind_src(b, z, T_U32);
		if (o->b == UINT32_MAX || o->c == UINT32_MAX)
			return -1;
	}
	return bind_two_addresses(b, o, &k[0], &k[1]);
}
