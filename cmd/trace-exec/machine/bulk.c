/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bulk copies (UBLKCP UBLKRED UBLKPF) and tensor copies (UTMALDG UTMASTG UTMAREDG UTMAPF).
 *
 * sem/bulk.c and sem/tensor.c execute them. The operands are uniform registers, which are copied, in the executor's
 * form, to scratch vectors of the frame. Always true: an instruction is executed once, for the lowest lane of the
 * running group. The destination in shared memory and its mbarrier are consecutive registers, and so are the shared
 * address, the mbarrier of a load, and the coordinates.
 */
#include "machine/memory.h"
#include "sem/async.h"

/* Slots of the scratch vectors. Addresses have 64 bits. */
enum {
	BULK_TO = FRAME_SCRATCH,
	BULK_FROM = BULK_TO + 2 * (int)VECTOR,
	BULK_BAR = BULK_FROM + 2 * (int)VECTOR,
	BULK_BYTES = BULK_BAR + 2 * (int)VECTOR,
	BULK_MASK = BULK_BYTES + 2 * (int)VECTOR,
	BULK_COORDINATE = BULK_MASK + (int)VECTOR,
	BULK_OFFSET = BULK_COORDINATE + TENSOR_RANK * (int)VECTOR
};

/* Returns the value of the k-th uniform register from `slot` on. */
static u32 read_uniform_word(const struct warp *w, uint32_t slot, unsigned k)
{
	return REG(u32, w, slot)[k * LANES + uniform_lane(w)];
}

static void set_scratch_address(struct warp *w, uint32_t to, uint32_t slot, bool shared, unsigned lane)
{
	u32 low = read_uniform_word(w, slot, 0);

	REG(u64, w, to)
	[lane] = shared ? memory_shared_offset(w, low) : low | (u64)read_uniform_word(w, slot, 1) << 32;
}

/* ---- bulk copies ---- */

/*
 * Sets the scratch size and mask of blocks. The register contains the size, in units of 16 bytes, and above it
 * the mask.
 */
static void set_scratch_size(struct warp *w, const struct op *o, unsigned lane)
{
	u32 v = read_uniform_word(w, o->c, 0);

	REG(u32, w, BULK_BYTES)[lane] = (v & 0xffff) * 16;
	REG(u16, w, BULK_MASK)[lane] = (u16)(v >> 16);
}

static void copy_bulk(struct warp *w, const struct op *o, uint32_t m)
{
	const struct bulk *x = o->x->family;
	unsigned lane = uniform_lane(w);

	(void)m;
	set_scratch_size(w, o, lane);
	set_scratch_address(w, BULK_TO, o->d, x->targets.target.space == SP_SHARED, lane);
	set_scratch_address(w, BULK_FROM, o->a, x->source.space == SP_SHARED, lane);
	if (x->targets.reports)
		REG(u64, w, BULK_BAR)[lane] = memory_shared_offset(w, read_uniform_word(w, o->d, 1));
	bulk_copy(w, o, 1u << lane);
}

/* The cp.async.bulk that a call of a driver function executes. */
struct called_copy {
	struct op op;
	struct ext ext;
	struct stmt stmt;
};

static void make_called_copy(struct called_copy *c, const struct op *call, void *family)
{
	c->ext = (struct ext){.family = family};
	c->stmt = *call->stmt;
	c->stmt.opcode = I_cp;
	stmt_add(&c->stmt, M_BULK);
	stmt_add(&c->stmt, M_SHARED__CLUSTER);
	c->op = *call;
	c->op.stmt = &c->stmt;
	c->op.x = &c->ext;
	c->op.n = 1;
}

/*
 * Executes a bulk copy to shared memory of another block, or of all blocks of a mask. R4: destination, R6-7: global
 * address, R8: number of bytes, R9: mask, R10: mbarrier.
 */
static void call_bulk_copy(struct warp *w, const struct op *o, uint32_t m, bool multicast)
{
	struct bulk x = {.targets = {.target = {BULK_TO, 0, 0, SP_SHARED},
				 .mbarrier = {BULK_BAR, 0, 0, SP_SHARED},
				 .mask = multicast ? BULK_MASK : 0,
				 .reports = true},
		.source = {BULK_FROM, 0, 0, SP_GLOBAL},
		.bytes = BULK_BYTES};
	const u32 *r = REG(u32, w, FRAME_R);
	struct called_copy copy;

	make_called_copy(&copy, o, &x);
	FOR_BITS32 (i, m) {
		REG(u64, w, BULK_TO)[i] = memory_shared_offset(w, r[4 * LANES + i]);
		REG(u64, w, BULK_FROM)[i] = r[6 * LANES + i] | (u64)r[7 * LANES + i] << 32;
		REG(u32, w, BULK_BYTES)[i] = r[8 * LANES + i];
		REG(u16, w, BULK_MASK)[i] = (u16)r[9 * LANES + i];
		REG(u64, w, BULK_BAR)[i] = memory_shared_offset(w, r[10 * LANES + i]);
		bulk_copy(w, &copy.op, 1u << i);
	}
}

void bulk_call_unicast(struct warp *w, const struct op *o, uint32_t m) { call_bulk_copy(w, o, m, false); }

void bulk_call_multicast(struct warp *w, const struct op *o, uint32_t m) { call_bulk_copy(w, o, m, true); }

/* Executes UMEMSETS: stores zeros to shared memory. o->c: uniform register with the size in units of 8 bytes. */
static void zero_bulk(struct warp *w, const struct op *o, uint32_t m)
{
	unsigned lane = uniform_lane(w);

	(void)m;
	REG(u64, w, BULK_BYTES)[lane] = (u64)read_uniform_word(w, o->c, 0) * 8;
	REG(u64, w, BULK_TO)[lane] = memory_shared_offset(w, read_uniform_word(w, o->d, 0) + (u32)o->imm);
	bulk_zero(w, o, 1u << lane);
}

/* Executes UGETNEXTWORKID (clusterlaunchcontrol.try_cancel). */
static void get_next_work(struct warp *w, const struct op *o, uint32_t m)
{
	unsigned lane = uniform_lane(w);

	(void)m;
	REG(u64, w, BULK_TO)[lane] = memory_shared_offset(w, read_uniform_word(w, o->d, 0));
	REG(u64, w, BULK_BAR)[lane] = memory_shared_offset(w, read_uniform_word(w, o->d, 1));
	work_deny(w, o, 1u << lane);
}

static void prefetch_bulk(struct warp *w, const struct op *o, uint32_t m)
{
	unsigned lane = uniform_lane(w);

	(void)m;
	set_scratch_size(w, o, lane);
	set_scratch_address(w, BULK_FROM, o->a, false, lane);
	bulk_prefetch(w, o, 1u << lane);
}

/* Sets the data of op o to `family`, and makes its instruction a bulk copy (cp.async.bulk). */
static void bind_family(struct mbind *b, struct op *o, void *family)
{
	struct stmt *in = &b->func->inst[b->index];

	o->x = arena_alloc(&b->bound->arena, 1, sizeof(*o->x));
	o->x->family = family;
	o->n = 1;
	in->opcode = I_cp;
	stmt_add(in, M_BULK);
	stmt_add(in, M_SHARED__CLUSTER);
}

int mbind_next_work(struct mbind *b, struct op *o)
{
	struct targets *t = arena_alloc(&b->bound->arena, 1, sizeof(*t));

	t->target = (struct address){BULK_TO, 0, 0, SP_SHARED};
	t->mbarrier = (struct address){BULK_BAR, 0, 0, SP_SHARED};
	t->all_blocks = bit(b, 72);
	o->x = arena_alloc(&b->bound->arena, 1, sizeof(*o->x));
	o->x->family = t;
	o->d = mbind_uregs(b, 24, 2);
	machine_set_function(o, get_next_work);
	return o->d == UINT32_MAX ? mbind_refuse(b, "registers") : 0;
}

int mbind_bulk_zero(struct mbind *b, struct op *o)
{
	struct zeros *x = arena_alloc(&b->bound->arena, 1, sizeof(*x));

	x->target = (struct address){BULK_TO, 0, 0, SP_SHARED};
	x->bytes = BULK_BYTES;
	o->x = arena_alloc(&b->bound->arena, 1, sizeof(*o->x));
	o->x->family = x;
	o->d = mbind_ureg(b, 24);
	o->c = mbind_ureg(b, 64);
	o->imm = signed_field(b, 40, 15);
	b->func->inst[b->index].opcode = I_st;
	stmt_add(&b->func->inst[b->index], M_BULK);
	machine_set_function(o, zero_bulk);
	return mbind_ureg(b, 32) == FRAME_ZERO ? 0 : mbind_refuse(b, "value");
}

static int bind_bulk_reduction(struct mbind *b, struct bulk *x, bool global)
{
	static const enum type types_of_reduction[16] = {
		T_U32, T_S32, T_U64, T_S64, T_F16, T_F32, T_NONE, T_F64, T_BF16};

	x->reduce = true;
	x->atom = (enum atom)field(b, 87, 3);
	x->type = memory_reduction_type(x->atom, types_of_reduction[field(b, 81, 4)]);
	if (!types[x->type].bits || !atom_is_supported_async(x->atom, x->type, global))
		return mbind_refuse(b, "operation");
	stmt_add(&b->func->inst[b->index], M_REDUCE);
	if (global)
		b->bound->frame[b->func->number].order |= atom_order_bits(x->atom, x->type);
	return 0;
}

int mbind_bulk(struct mbind *b, struct op *o)
{
	struct bulk *x = arena_alloc(&b->bound->arena, 1, sizeof(*x));
	bool to_shared = bit(b, 73), from_shared = bit(b, 74), reduce = b->inst->opcode == 0x3bb,
	     many = bit(b, 75);

	if ((!to_shared && !from_shared) || (reduce && !from_shared) || (many && (from_shared || reduce)))
		return mbind_refuse(b, "spaces");
	x->targets.target = (struct address){BULK_TO, 0, 0, to_shared ? SP_SHARED : SP_GLOBAL};
	x->targets.mbarrier = (struct address){BULK_BAR, 0, 0, SP_SHARED};
	x->targets.mask = many ? BULK_MASK : 0;
	x->targets.reports = to_shared;
	x->source = (struct address){BULK_FROM, 0, 0, from_shared ? SP_SHARED : SP_GLOBAL};
	x->bytes = BULK_BYTES;
	bind_family(b, o, x);
	o->d = mbind_uregs(b, 32, 2);
	o->a = mbind_uregs(b, 24, from_shared ? 1 : 2);
	o->c = mbind_ureg(b, 64);
	machine_set_function(o, copy_bulk);
	if (o->d == UINT32_MAX || o->a == UINT32_MAX)
		return mbind_refuse(b, "registers");
	return reduce ? bind_bulk_reduction(b, x, !to_shared) : 0;
}

int mbind_bulk_prefetch(struct mbind *b, struct op *o)
{
	struct bulk *x = arena_alloc(&b->bound->arena, 1, sizeof(*x));

	x->source = (struct address){BULK_FROM, 0, 0, SP_GLOBAL};
	x->bytes = BULK_BYTES;
	bind_family(b, o, x);
	o->a = mbind_uregs(b, 24, 2);
	o->c = mbind_ureg(b, 64);
	machine_set_function(o, prefetch_bulk);
	return o->a == UINT32_MAX ? mbind_refuse(b, "registers") : 0;
}

/* ---- tensor copies ---- */

/*
 * Sets the scratch offsets of im2col and the mask of blocks from the register value v. Its lower half is the
 * offsets, of 16, 8 or 5 bits for 3, 4 or 5 dimensions; its upper half is the mask.
 */
static void set_scratch_offsets(struct warp *w, const struct tensor_copy *x, u32 v, unsigned lane)
{
	unsigned bits = x->rank == 3 ? 16 : x->rank == 4 ? 8 : 5;

	for (unsigned d = 0; x->order == ORDER_PIXELS && d + 2 < x->rank; d++)
		REG(u16, w, x->offset[d])[lane] = (u16)(v >> bits * d & ((1u << bits) - 1));
	REG(u16, w, BULK_MASK)[lane] = (u16)(v >> 16);
}

static void copy_tensor(struct warp *w, const struct op *o, uint32_t m)
{
	const struct tensor_copy *x = o->x->family;
	unsigned lane = uniform_lane(w), k = 0;

	(void)m;
	set_scratch_address(w, BULK_FROM, o->a, false, lane);
	if (x->direction != TENSOR_PREFETCH)
		REG(u64, w, BULK_TO)[lane] = memory_shared_offset(w, read_uniform_word(w, o->d, k++));
	if (x->direction == TENSOR_LOAD)
		REG(u64, w, BULK_BAR)[lane] = memory_shared_offset(w, read_uniform_word(w, o->d, k++));
	for (unsigned d = 0; d < x->rank; d++)
		REG(u32, w, x->coordinate[d])[lane] = read_uniform_word(w, o->d, k + d);
	set_scratch_offsets(w, x, read_uniform_word(w, o->c, 0), lane);
	tensor_copy_run(w, o, 1u << lane);
}

static enum tensor_direction tensor_direction_of(unsigned opcode)
{
	switch (opcode) {
	case 0x3b5: return TENSOR_STORE;
	case 0x3b6: return TENSOR_REDUCE;
	case 0x5b8:
	case 0x3b8: return TENSOR_PREFETCH;
	default: return TENSOR_LOAD;
	}
}

/* Sets the slots of the operands to those of the scratch vectors. */
static void bind_scratch_slots(struct tensor_copy *x, bool many)
{
	x->map = (struct address){BULK_FROM, 0, 0, SP_GENERIC};
	x->targets.target = (struct address){BULK_TO, 0, 0, SP_SHARED};
	x->targets.mbarrier = (struct address){BULK_BAR, 0, 0, SP_SHARED};
	x->targets.mask = many ? BULK_MASK : 0;
	x->targets.reports = x->direction == TENSOR_LOAD;
	for (unsigned d = 0; d < TENSOR_RANK; d++)
		x->coordinate[d] = BULK_COORDINATE + d * VECTOR;
	for (unsigned d = 0; d < TENSOR_RANK - 2; d++)
		x->offset[d] = BULK_OFFSET + d * VECTOR;
}

int mbind_tensor(struct mbind *b, struct op *o)
{
	struct tensor_copy *x = arena_alloc(&b->bound->arena, 1, sizeof(*x));
	unsigned opcode = b->inst->opcode, rank = (unsigned)field(b, 79, 3) + 1, before;
	bool extra = opcode == 0x3b4 || opcode == 0x3b8, pixels = bit(b, 82),
	     many = opcode == 0x3b4 && bit(b, 75);

	x->direction = (uint8_t)tensor_direction_of(opcode);
	x->order = pixels ? ORDER_PIXELS : ORDER_TILE;
	x->rank = (uint8_t)rank;
	before = x->direction == TENSOR_LOAD ? 2 : x->direction == TENSOR_PREFETCH ? 0 : 1;
	if (rank > TENSOR_RANK || (pixels && rank < 3))
		return mbind_refuse(b, "dimensions");
	if (x->direction == TENSOR_LOAD && bit(b, 85))
		return mbind_refuse(b, "mbarrier of a pair of thread blocks");
	bind_scratch_slots(x, many);
	bind_family(b, o, x);
	/* the only register may be URZ, for coordinate 0 */
	o->d = before + rank == 1 ? mbind_ureg(b, 32) : mbind_uregs(b, 32, before + rank);
	o->a = mbind_uregs(b, 24, 2);
	o->c = extra ? mbind_ureg(b, 64) : (uint32_t)FRAME_ZERO;
	machine_set_function(o, copy_tensor);
	if (x->direction == TENSOR_REDUCE) {
		x->atom = (enum atom)field(b, 87, 3);
		stmt_add(&b->func->inst[b->index], M_REDUCE);
		b->bound->frame[b->func->number].order |=
			ORDER_SHOWS; /* the type is in the tensor map, not in the code */
	}
	return o->d == UINT32_MAX || o->a == UINT32_MAX ? mbind_refuse(b, "registers") : 0;
}

/*
 * Copies the offsets of im2col from local memory to the scratch vectors: R1 is the address of one offset of 16 bits for
 * each dimension but two. Returns false if the launch has failed.
 */
static bool load_called_offsets(struct warp *w, const struct op *o, uint32_t m, const struct tensor_copy *x)
{
	uint8_t *at[LANES];

	if (!special_find_arguments(w, o, m, 8, at))
		return false;
	FOR_BITS32 (i, m)
		for (unsigned d = 0; d + 2 < x->rank; d++)
			memcpy(&REG(u16, w, x->offset[d])[i], at[i] + 2 * d, 2);
	return true;
}

/*
 * Executes a tensor copy to shared memory of another block, or of all blocks of a mask, as a function of the driver
 * that code of sm_120 calls. R4: destination, R6-7: tensor map, R8 to R12: coordinates, R13: mask, R14: mbarrier.
 */
static void call_tensor_copy(struct warp *w, const struct op *o, uint32_t m, unsigned rank,
	enum tensor_order order, bool multicast)
{
	struct tensor_copy x = {.direction = TENSOR_LOAD, .order = (uint8_t)order, .rank = (uint8_t)rank};
	const u32 *r = REG(u32, w, FRAME_R);
	struct called_copy copy;

	bind_scratch_slots(&x, multicast);
	make_called_copy(&copy, o, &x);
	if (order == ORDER_PIXELS && !load_called_offsets(w, o, m, &x))
		return;
	FOR_BITS32 (i, m) {
		REG(u64, w, BULK_TO)[i] = memory_shared_offset(w, r[4 * LANES + i]);
		REG(u64, w, BULK_FROM)[i] = r[6 * LANES + i] | (u64)r[7 * LANES + i] << 32;
		for (unsigned d = 0; d < rank; d++)
			REG(u32, w, x.coordinate[d])[i] = r[(8 + d) * LANES + i];
		REG(u16, w, BULK_MASK)[i] = (u16)r[13 * LANES + i];
		REG(u64, w, BULK_BAR)[i] = memory_shared_offset(w, r[14 * LANES + i]);
		tensor_copy_run(w, &copy.op, 1u << i);
	}
}

#define CALL_TENSOR(order, rank) \
	void bulk_call_##order##_##rank(struct warp *w, const struct op *o, uint32_t m) \
	{ \
		call_tensor_copy(w, o, m, rank, BULK_ORDER_##order, false); \
	} \
	void bulk_call_##order##_many_##rank(struct warp *w, const struct op *o, uint32_t m) \
	{ \
		call_tensor_copy(w, o, m, rank, BULK_ORDER_##order, true); \
	}
#define BULK_ORDER_tile   ORDER_TILE
#define BULK_ORDER_im2col ORDER_PIXELS
BULK_TENSOR_CALLS(CALL_TENSOR)
