/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Asynchronous instructions of Hopper for --as sass: names of operations, and the columns that lines of version
 * 6 have for bulk and tensor copies, operations on mbarriers, and stores that complete bytes of an mbarrier.
 *
 * Always true: an address in shared memory has the rank of its thread block from bit 24 on, as in machine code.
 * A copy by several lanes is one line per lane.
 */
#include <string.h>
#include "lower/async.h"
#include "machine/machine.h"
#include "sem/async.h"
#include "sem/mma.h"

#define RANK_SHIFT   24u
#define ARRIVALS_MAX 0x100000u
/* bytes of shared memory before the kernel's, so that no mbarrier has the address 0 */
#define RESERVED_BYTES 1024u

/* ---- names -------------------------------------------------------------------------------------- */

static bool is_async_product(const struct stmt *in)
{
	return in->opcode == I_wgmma && stmt_has(in, M_MMA_ASYNC);
}

bool async_needs_version6(const struct stmt *in)
{
	switch (in->opcode) {
	case I_mbarrier: return !stmt_has(in, M_PENDING_COUNT);
	case I_wgmma: return is_async_product(in);
	case I_cp: return stmt_has(in, M_BULK) || stmt_has(in, M_MBARRIER);
	case I_st:
	case I_red: return stmt_has(in, M_ASYNC);
	default: return false;
	}
}

bool async_ends_group(const struct func *f, uint32_t i)
{
	while (++i < f->n_insts)
		if (f->inst[i].opcode == I_wgmma && !stmt_has(&f->inst[i], M_FENCE))
			return !is_async_product(&f->inst[i]);
	return true;
}

/* Returns the name of a type in the opcode of a product. */
static const char *product_type_suffix(enum type t)
{
	switch (t) {
	case T_BF16: return ".BF16";
	case T_TF32: return ".TF32";
	case T_E4M3: return ".E4M3";
	case T_E5M2: return ".E5M2";
	case T_S8: return ".S8";
	case T_U8: return ".U8";
	default: return "";
	}
}

static void product_suffix(char *to, size_t cap, const struct wgmma *x)
{
	const char *sum = x->d == T_F16   ? ".F16"
			  : x->d == T_F32 ? ".F32"
					  : "",
		   *b = product_type_suffix(x->b);

	if (x->a == T_B1)
		b = x->popc ? ".AND.POPC" : "";
	if (types[x->a].bits == 8)
		snprintf(to, cap, "%s.64x%ux%u%s%s%s", x->sparse ? ".SP" : "", x->n, x->k, sum,
			product_type_suffix(x->a), b);
	else
		snprintf(to, cap, "%s.64x%ux%u%s%s", x->sparse ? ".SP" : "", x->n, x->k, sum, b);
}

static const char *mbarrier_suffix(const struct stmt *in)
{
	bool remote = stmt_has(in, M_SHARED__CLUSTER), drop = stmt_has(in, M_ARRIVE_DROP);
	bool counted = in->n_operands > 2 && !stmt_has(in, M_EXPECT_TX);

	if (stmt_has(in, M_INIT))
		return ".EXCH.64";
	if (stmt_has(in, M_INVAL))
		return ".CCTL.IV";
	if (stmt_has(in, M_TRY_WAIT))
		return ".PHASECHK.TRANS64.TRYWAIT";
	if (stmt_has(in, M_TEST_WAIT))
		return ".PHASECHK.TRANS64";
	if (stmt_has(in, M_COMPLETE_TX))
		return remote ? ".ARRIVE.TRANS64.RED.A0TX" : ".ARRIVE.TRANS64.A0TX";
	if (stmt_has(in, M_EXPECT_TX) && !stmt_has(in, M_ARRIVE) && !drop)
		return remote ? ".ARRIVE.TRANS64.RED.A0TR" : ".ARRIVE.TRANS64.A0TR";
	if (stmt_has(in, M_EXPECT_TX))
		return remote ? drop ? ".ARRIVE.TRANS64.RED.OPTOUT" : ".ARRIVE.TRANS64.RED"
		       : drop ? ".ARRIVE.TRANS64.OPTOUT"
			      : ".ARRIVE.TRANS64";
	if (counted)
		return remote ? drop ? ".ARRIVE.TRANS64.RED.OPTOUT.ART0" : ".ARRIVE.TRANS64.RED.ART0"
		       : drop ? ".ARRIVE.TRANS64.OPTOUT.ART0"
			      : ".ARRIVE.TRANS64.ART0";
	return remote ? drop ? ".ARRIVE.TRANS64.RED.OPTOUT.A1T0" : ".ARRIVE.TRANS64.RED.A1T0"
	       : drop ? ".ARRIVE.TRANS64.OPTOUT.A1T0"
		      : ".ARRIVE.TRANS64.A1T0";
}

/* Returns the suffixes for the destination and the source of a bulk copy. */
static const char *bulk_space_suffix(const struct bulk *x)
{
	return x->targets.target.space == SP_GLOBAL ? ".G.S" : x->source.space == SP_GLOBAL ? ".S.G" : ".S.S";
}

void async_write_suffixes(char *to, size_t cap, const struct stmt *in, const struct op *o)
{
	const char *many = stmt_has(in, M_MULTICAST__CLUSTER) ? ".MULTICAST" : "";

	if (is_async_product(in))
		product_suffix(to, cap, o->x->family);
	else if (in->opcode == I_mbarrier)
		snprintf(to, cap, "%s", mbarrier_suffix(in));
	else if (in->opcode == I_cp && stmt_has(in, M_TENSOR))
		snprintf(to, cap, ".%uD%s", ((const struct tensor_copy *)o->x->family)->rank, many);
	else if (in->opcode == I_cp && !stmt_has(in, M_PREFETCH))
		snprintf(to, cap, "%s%s", bulk_space_suffix(o->x->family), many);
	else
		*to = '\0';
}

enum async_column async_column_of(const char *opcode)
{
	static const struct {
		const char *stem;
		enum async_column column;
	} rows[] = {{"UBLK", ASYNC_BULK}, {"UTMALDG", ASYNC_TENSOR}, {"UTMASTG", ASYNC_TENSOR},
		{"UTMAREDG", ASYNC_TENSOR}, {"UTMAPF", ASYNC_TENSOR}, {"SYNCS", ASYNC_MBARRIER},
		{"ARRIVES", ASYNC_MBARRIER}, {"STAS", ASYNC_STORE}, {"REDAS", ASYNC_STORE}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strncmp(opcode, rows[i].stem, strlen(rows[i].stem)))
			return rows[i].column;
	return ASYNC_NONE;
}

/* ---- addresses ---------------------------------------------------------------------------------- */

uint32_t async_shared_address(const struct warp *w, uint64_t at)
{
	uint32_t rank = w->cta->rank;

	if (at >= SHARED_BASE && at < SHARED_BASE + 17ull * CLUSTER_STRIDE)
		at -= SHARED_BASE;
	if (at >= CLUSTER_STRIDE)
		rank = (uint32_t)(at / CLUSTER_STRIDE) - 1;
	return rank << RANK_SHIFT | (uint32_t)(RESERVED_BYTES + at % CLUSTER_STRIDE);
}

/* Returns the value of an address operand in a lane. */
static uint64_t lane_address_value(struct warp *w, const struct address *a, unsigned lane)
{
	struct op one = {.a = a->slot, .imm = a->imm, .mode = a->mode};
	uint64_t kept[LANES], at;

	memcpy(kept, w->addr, sizeof(kept));
	exec_compute_addresses(w, &one);
	at = w->addr[lane];
	memcpy(w->addr, kept, sizeof(kept));
	return at;
}

/* Returns the address of the mbarrier on which a copy completes its bytes, or 0 if there is none. */
static uint32_t mbarrier_of_copy(struct warp *w, const struct targets *t, unsigned lane)
{
	return t->reports ? async_shared_address(w, lane_address_value(w, &t->mbarrier, lane)) : 0;
}

/* ---- columns ------------------------------------------------------------------------------------ */

static void put_bulk_copy(struct warp *w, const struct op *o, int lane)
{
	const struct bulk *x = o->x->family;
	bool to_global = x->targets.target.space == SP_GLOBAL;
	unsigned k = lane < 0 ? 0 : (unsigned)lane;

	column_write_bulk_at(w, x, lane, mbarrier_of_copy(w, &x->targets, k),
		lane_address_value(w, to_global ? &x->targets.target : &x->source, k));
}

static void put_tensor_copy(struct warp *w, const struct op *o, int lane)
{
	const struct tensor_copy *x = o->x->family;

	column_write_tensor_at(w, o, lane, mbarrier_of_copy(w, &x->targets, lane < 0 ? 0 : (unsigned)lane));
}

static char *put_mbarrier_addresses(struct warp *w, char *p, uint32_t exec)
{
	uint64_t at[LANES];

	FOR_BITS32 (i, exec)
		at[i] = SHARED_WINDOW_BASE + async_shared_address(w, w->addr[i]);
	return text_put_addresses(text_put_number(p, 8), at, exec);
}

static char *put_async_store(struct warp *w, const struct op *o, char *p, uint32_t exec)
{
	const struct store_async *x = o->x->family;
	uint64_t at[LANES];

	FOR_BITS32 (i, exec)
		at[i] = (uint64_t)async_shared_address(w, lane_address_value(w, &x->mbarrier, i)) << 32 |
			async_shared_address(w, lane_address_value(w, &x->target, i));
	return text_put_addresses(text_put_number(p, o->bytes * o->n), at, exec);
}

char *async_put_columns(enum async_column column, struct warp *w, const struct op *o, char *p, uint32_t exec)
{
	int lane = exec ? (int)bit_lowest32(exec) : -1;

	switch (column) {
	case ASYNC_MBARRIER: return put_mbarrier_addresses(w, p, exec);
	case ASYNC_STORE: return put_async_store(w, o, p, exec);
	case ASYNC_BULK:
	case ASYNC_TENSOR:
		w->out.n = (size_t)(p - w->out.p);
		(column == ASYNC_BULK ? put_bulk_copy : put_tensor_copy)(w, o, lane);
		text_reserve(&w->out, TRACE_LINE_ROOM);
		return w->out.p + w->out.n;
	default: return p;
	}
}

/* ---- values ------------------------------------------------------------------------------------- */

/* Returns the value of the machine instruction's second source. */
static uint32_t mbarrier_operand_value(const struct warp *w, const struct op *o, unsigned lane)
{
	const struct stmt *in = o->stmt;
	uint32_t v = o->b ? REG(uint32_t, w, o->b)[lane] : 0;

	if (stmt_has(in, M_INIT))
		return (ARRIVALS_MAX - v) << 1;
	if (!stmt_has(in, M_TRY_WAIT) && !stmt_has(in, M_TEST_WAIT))
		return v;
	if (!stmt_has(in, M_PARITY)) /* the phase is part of the state that an arrival returned */
		v = (uint32_t)(REG(uint64_t, w, o->b)[lane] >> 40 & 1);
	return v << 31;
}

static char *put_lane_values(char *p, const uint32_t v[LANES], uint32_t exec)
{
	bool same = true;
	unsigned first = exec ? bit_lowest32(exec) : 0;

	FOR_BITS32 (i, exec)
		same = same && v[i] == v[first];
	p = stpcpy(p, same ? " 1" : " 32");
	for (unsigned k = same ? first : 0; k < (same ? first + 1 : LANES); k++) {
		*p++ = ' ';
		p = text_put_mask(p, exec >> k & 1 ? v[k] : 0);
	}
	return p;
}

char *async_put_values(char *p, const struct warp *w, const struct op *o, bool result, uint32_t exec)
{
	uint32_t address[LANES] = {0}, value[LANES] = {0};

	FOR_BITS32 (i, exec) {
		address[i] = async_shared_address(w, w->addr[i]);
		value[i] = mbarrier_operand_value(w, o, i);
	}
	p = stpcpy(p, result ? "Val 1 00000000" : "Val");
	return put_lane_values(put_lane_values(p, address, exec), value, exec);
}
