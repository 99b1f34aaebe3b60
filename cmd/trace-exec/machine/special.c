/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Special registers, results of barriers, the space of an address, calls of extern functions.
 *
 * Extern functions have their arguments in R4 and the registers after it, and their result in R4: this is the calling
 * convention of the compiler.
 */
#include <string.h>
#include "exec/call.h"
#include "exec/check.h"
#include "exec/print.h"
#include "machine/memory.h"
#include "machine/texture.h"

/* ---- special registers ---- */

/* Sets v[] to the thread index of each lane along an axis. */
static void read_thread_index(const struct warp *w, unsigned axis, u32 *v)
{
	const u32 *n = w->grid->launch->block;
	u32 tid[3];

	exec_thread_id(w, 0, tid);
	if (tid[0] + LANES <= n[0]) {
		for (unsigned i = 0; i < LANES; i++)
			v[i] = tid[axis] + (axis ? 0 : i);
		return;
	}
	for (unsigned i = 0; i < LANES; i++) {
		v[i] = tid[axis];
		if (++tid[0] == n[0]) {
			tid[0] = 0;
			if (++tid[1] == n[1]) {
				tid[1] = 0;
				tid[2]++;
			}
		}
	}
}

/*
 * Writes the thread indexes of a warp's lanes into its frame. They stay the same for all blocks of a launch, so that
 * reading one of them copies a vector: a small `idivide` of HeCBench takes 86 million instructions instead of 90
 * million.
 */
void special_make_thread_index(struct warp *w)
{
	for (unsigned axis = 0; axis < 3; axis++)
		read_thread_index(w, axis, REG(u32, w, FRAME_TID + axis * VECTOR));
}

/* Special registers that also exist in PTX: the number in machine code and the PTX register. */
static const struct {
	uint8_t number, sreg;
} same_as_ptx[] = {
	{0, S_LANEID},
	{18, S_SMID},
	{56, S_LANEMASK_EQ},
	{57, S_LANEMASK_LT},
	{58, S_LANEMASK_LE},
	{59, S_LANEMASK_GT},
	{60, S_LANEMASK_GE},
	{67, S_SMID},
	{136, S_CLUSTER_CTARANK},
};

/* Numbers of SR_TID.X and SR_CTAID.X, each before those of the other axes. */
#define THREAD_X 33u
#define BLOCK_X  37u

/* Number of SR_CgaSize: index of the cluster's shape in bank 0. The executor has one shape, so the index is 0. */
#define CLUSTER_INDEX 138u

/* Number of SR_LMEMHIOFF, the lowest stack pointer that unoptimised code accepts. It reads 0. */
#define STACK_LIMIT 55u

static bool find_ptx_register(unsigned number, unsigned *sreg)
{
	for (unsigned i = 0; i < sizeof(same_as_ptx) / sizeof(*same_as_ptx); i++)
		if (same_as_ptx[i].number == number) {
			*sreg = same_as_ptx[i].sreg;
			return true;
		}
	return false;
}

/*
 * Returns SR_SMEMSZ: the size of a block's shared memory with the reserved bytes that bank 0 says it has. Kernels of
 * sm_90 and later without shared variables have no section that contains the reserved bytes.
 */
static uint32_t shared_size(const struct grid *g)
{
	bool first = g->launch->kernel->machine_code->sm >= 90;
	uint32_t bytes = !first                               ? g->shared_window
			 : g->shared_static < RESERVED_SHARED ? RESERVED_SHARED + g->launch->dyn_shared
							      : g->shared_bytes;

	return (bytes + 127) / 128 * 128;
}

/* Returns the index of the warp's block along an axis, or that which SETCTAID has set. */
static inline u32 read_block_axis(const struct warp *w, unsigned axis)
{
	return PRED(w, FRAME_CTAID_SET) >> axis & 1 ? PRED(w, FRAME_CTAID + 4 * axis) : w->cta->id[axis];
}

/*
 * Returns the clock, or %globaltimer, when o is executed. run_warp() counts instructions when it sets the PC of the
 * group; the instructions from this PC to o follow each other.
 */
static uint64_t clock_at(struct warp *w, const struct op *o, bool timer)
{
	const struct op *counted = &w->grid->code->op[w->stack[w->depth - 1].pc];

	return (timer ? exec_timer : exec_clock)(w, (uint64_t)(o - counted) + 1);
}

/* Reads special register `number` for o, into a value for each lane. */
static void read_special_register(struct warp *w, const struct op *o, unsigned number, u32 *v)
{
	const u32 *tid = REG(u32, w, FRAME_TID);
	u32 one = 0;
	unsigned sreg;

	switch (number) {
	case THREAD_X:
	case THREAD_X + 1:
	case THREAD_X + 2: memcpy(v, tid + (number - THREAD_X) * LANES, VECTOR); return;
	case 32:
		for (unsigned i = 0; i < LANES; i++)
			v[i] = tid[i] | tid[i + LANES] << 16 | tid[i + 2 * LANES] << 26;
		return;
	case 2: one = (u32)exec_sreg_value(w, S_NWARPID, 0) << 8; break; /* SR_VIRTCFG: bits 8 to 15 */
	case 3: one = (u32)w->index << 8; break; /* SR_VIRTID: bits 8 to 14 are the number of the warp */
	case 47: one = (u32)(SHARED_WINDOW_BASE >> 32); break;
	case 80: one = (u32)clock_at(w, o, false); break;
	case 81: one = (u32)(clock_at(w, o, false) >> 32); break;
	case 82: one = (u32)clock_at(w, o, true); break;
	case 83: one = (u32)(clock_at(w, o, true) >> 32); break;
	case 40: one = w->grid->threads; break;
	case 50: one = shared_size(w->grid); break;
	case BLOCK_X:
	case BLOCK_X + 1:
	case BLOCK_X + 2: one = read_block_axis(w, number - BLOCK_X); break;
	default:
		if (find_ptx_register(number, &sreg)) {
			if (!exec_sreg_differs(sreg)) {
				one = (u32)exec_sreg_value(w, sreg, 0);
				break;
			}
			for (unsigned i = 0; i < LANES; i++)
				v[i] = (u32)exec_sreg_value(w, sreg, i);
			return;
		}
	}
	for (unsigned i = 0; i < LANES; i++)
		v[i] = one;
}

/* Tests for SR_PM0 to SR_PM_HI3, the performance monitors, which are 0. */
static bool is_monitor(unsigned number) { return number >= 100 && number <= 107; }

static bool is_known_special(unsigned number)
{
	unsigned sreg;

	return number == 2 || number == 3 || (number >= 32 && number <= 40 && number != 36) ||
	       (number >= 47 && number <= 52 && number != 49) || number == STACK_LIMIT ||
	       (number >= 80 && number <= 83) || is_monitor(number) || number == CLUSTER_INDEX ||
	       number == 255 || find_ptx_register(number, &sreg);
}

static void special_to_register(struct warp *w, const struct op *o, uint32_t m)
{
	u32 v[LANES], *d = REG(u32, w, o->d);

	read_special_register(w, o, o->n, v);
	for (unsigned i = 0; i < LANES; i++)
		d[i] = m >> i & 1 ? v[i] : d[i];
}

/* Reads the thread index, vector o->a of the frame. */
LANE_FN static void thread_index_to_register(struct warp *w, const struct op *o, uint32_t m)
{
	u32 *d = REG(u32, w, o->d);
	const u32 *a = REG(u32, w, o->a);

	EACH_LANE (i)
		d[i] = m >> i & 1 ? a[i] : d[i];
}

/* Reads the index of the block along axis o->mode, which is the same in all lanes. S2UR uses this function, too. */
LANE_FN static void block_index_to_register(struct warp *w, const struct op *o, uint32_t m)
{
	u32 *d = REG(u32, w, o->d), v = read_block_axis(w, o->mode);

	EACH_LANE (i)
		d[i] = m >> i & 1 ? v : d[i];
}

/* Executes S2UR: the result is the value of the lowest lane of the running group. */
static void special_to_uniform(struct warp *w, const struct op *o, uint32_t m)
{
	u32 v[LANES], *d = REG(u32, w, o->d), lane = uniform_lane(w);

	read_special_register(w, o, o->n, v);
	FOR_BITS32 (i, m)
		d[i] = v[lane];
}

int mbind_s2r(struct mbind *b, struct op *o)
{
	bool uniform = b->inst->opcode == 0x9c3;

	o->n = (uint8_t)field(b, 72, 8);
	o->d = uniform ? mbind_udst(b, 16) : mbind_dst(b, 16, 1);
	if (o->n >= BLOCK_X && o->n < BLOCK_X + 3) {
		o->mode = (uint8_t)(o->n - BLOCK_X);
		machine_set_function(o, block_index_to_register);
		return 0;
	}
	if (!uniform && o->n >= THREAD_X && o->n < THREAD_X + 3) {
		o->a = FRAME_TID + (o->n - THREAD_X) * VECTOR;
		machine_set_function(o, thread_index_to_register);
		return 0;
	}
	machine_set_function(o, uniform ? special_to_uniform : special_to_register);
	return is_known_special(o->n) ? 0 : mbind_refuse(b, "special register");
}

static void special_to_pair(struct warp *w, const struct op *o, uint32_t m)
{
	u32 v[LANES], *d = REG(u32, w, o->d);

	for (unsigned k = 0; k < o->bytes; k++) {
		read_special_register(w, o, o->n == 255 ? 255 : o->n + k, v);
		FOR_BITS32 (i, m)
			d[i + k * LANES] = v[i];
	}
}

int mbind_cs2r(struct mbind *b, struct op *o)
{
	bool uniform = b->uniform;

	o->n = (uint8_t)field(b, 72, 8);
	o->bytes = bit(b, 80) ? 2 : 1;
	o->d = uniform ? mbind_udst(b, 16) : mbind_dst(b, 16, o->bytes);
	machine_set_function(o, special_to_pair);
	return is_known_special(o->n) ? 0 : mbind_refuse(b, "special register");
}

/* Executes B2R.RESULT: reads the result of the last BAR.RED. */
static void read_barrier_result(struct warp *w, const struct op *o, uint32_t m)
{
	bool count = PRED(w, FRAME_BARKIND) == BAR_POPC;
	u32 *d = REG(u32, w, o->d), p = 0;
	const u32 *n = REG(u32, w, FRAME_COUNT);

	FOR_BITS32 (i, m) {
		u32 v = count ? n[i] : PRED(w, FRAME_BAR) >> i & 1;

		d[i] = v;
		p |= (u32)(v != 0) << i;
	}
	set_pred(w, PDST1(o), m, p);
}

int mbind_b2r(struct mbind *b, struct op *o)
{
	o->d = mbind_dst(b, 16, 1);
	o->target = mbind_pdst(b, 81, false);
	machine_set_function(o, read_barrier_result);
	return 0;
}

/* ---- extern functions ---- */

static u64 read_argument_pair(const struct warp *w, unsigned reg, unsigned lane)
{
	const u32 *p = REG(u32, w, FRAME_R + reg * VECTOR);

	return p[lane] | (u64)p[lane + LANES] << 32;
}

static void set_return_value(struct warp *w, unsigned lane, u64 v, unsigned words)
{
	u32 *p = REG(u32, w, FRAME_R + 4 * VECTOR);

	p[lane] = (u32)v;
	if (words > 1)
		p[lane + LANES] = (u32)(v >> 32);
}

/* Converts a generic address in the shared or local window to the executor's address. */
static u64 executor_address(u64 a)
{
	u32 window = (u32)(a >> 32);

	return window == SHARED_WINDOW_BASE >> 32  ? SHARED_BASE + (u32)a
	       : window == LOCAL_WINDOW_BASE >> 32 ? LOCAL_BASE + (u32)a
						   : a;
}

static void extern_printf(struct warp *w, const struct op *o, uint32_t m)
{
	FOR_BITS32 (i, m) {
		int n = print_lane(w, o, i, executor_address(read_argument_pair(w, 4, i)),
			executor_address(read_argument_pair(w, 6, i)));

		if (w->stop & WARP_STOP)
			return;
		set_return_value(w, i, (u64)(s64)n, 1);
	}
}

static void extern_malloc(struct warp *w, const struct op *o, uint32_t m)
{
	pthread_mutex_lock(&w->mem->lock);
	FOR_BITS32 (i, m)
		set_return_value(w, i, call_malloc(w, o, read_argument_pair(w, 4, i)), 2);
	pthread_mutex_unlock(&w->mem->lock);
}

static void extern_free(struct warp *w, const struct op *o, uint32_t m)
{
	FOR_BITS32 (i, m)
		if (!call_free(w, o, i, read_argument_pair(w, 4, i)))
			return;
}

static void extern_assert(struct warp *w, const struct op *o, uint32_t m)
{
	unsigned lane = bit_lowest32(m);

	call_fail_assert(w, o, m, executor_address(read_argument_pair(w, 4, lane)),
		executor_address(read_argument_pair(w, 6, lane)), REG(u32, w, FRAME_R + 8 * VECTOR)[lane]);
}

static void extern_set_condition(struct warp *w, const struct op *o, uint32_t m)
{
	FOR_BITS32 (i, m)
		call_set_condition(
			w, o, i, read_argument_pair(w, 4, i), REG(u32, w, FRAME_R + 6 * VECTOR)[i]);
}

/*
 * Stores the status that the device runtime's cudaGetLastError() returns, which is rejected; machine code of
 * cudaMalloc() and cudaFree() calls it.
 */
static void extern_set_last_error(struct warp *w, const struct op *o, uint32_t m)
{
	(void)o;
	FOR_BITS32 (i, m)
		set_return_value(w, i, 0, 1);
}

static const struct {
	const char *name;
	op_fn *fn;
} externs[] = {
	{"vprintf", extern_printf},
	{"malloc", extern_malloc},
	{"free", extern_free},
	{"__assertfail", extern_assert},
#define GRADIENTS(result, half) \
	{"__cuda_syscall_tex_grad_3d_v4_" #result "_f32", texture_gradients_##half##3d}, \
		{"__cuda_syscall_tex_grad_3d_v4_" #result "_f32_offset", \
			texture_gradients_##half##3d_offset}, \
		{"__cuda_syscall_tex_grad_cube_v4_" #result "_f32", texture_gradients_##half##cube}, \
	{ \
		"__cuda_syscall_tex_grad_acube_v4_" #result "_f32", texture_gradients_##half##cube_layers \
	}
	GRADIENTS(f32, ),
	GRADIENTS(s32, ),
	GRADIENTS(u32, ),
	GRADIENTS(f16, half_),
#undef GRADIENTS
	{"__cuda_syscall_cp_async_bulk_unicast", bulk_call_unicast},
	{"__cuda_syscall_cp_async_bulk_multicast", bulk_call_multicast},
#define TENSOR(order, rank) \
	{"__cuda_syscall_cp_async_bulk_tensor_" #rank "d_" #order "_unicast", bulk_call_##order##_##rank}, \
		{"__cuda_syscall_cp_async_bulk_tensor_" #rank "d_" #order "_multicast", \
			bulk_call_##order##_many_##rank},
	BULK_TENSOR_CALLS(TENSOR)
#undef TENSOR
		{"cudaGraphSetConditional", extern_set_condition},
	{"__cuda_syscall_cnpv2SetLastError", extern_set_last_error},
};

bool special_find_arguments(struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, uint8_t **at)
{
	const u32 *stack = REG(u32, w, FRAME_R + 1 * VECTOR);

	FOR_BITS32 (i, m)
		w->addr[i] = stack[i];
	return mem_find_host(w, o, m, SP_LOCAL, bytes, at);
}

void special_call_extern(struct warp *w, const struct op *o, unsigned which, uint32_t exec)
{
	w->changed = true;
	if (which < sizeof(externs) / sizeof(*externs))
		externs[which].fn(w, o, exec);
	else
		exec_fail(w, o, exec, "call-address", "call of a function that is not executed");
}

int special_find_extern(const char *name)
{
	for (unsigned i = 0; i < sizeof(externs) / sizeof(*externs); i++)
		if (!strcmp(externs[i].name, name))
			return (int)i;
	return -1;
}

/* ---- QSPC: the space of a generic address ---- */

static void query_space(struct warp *w, const struct op *o, uint32_t m)
{
	u32 p = 0;

	memory_addresses(w, o);
	FOR_BITS32 (i, m) {
		u32 window = (u32)(w->addr[i] >> 32);
		unsigned space = window == SHARED_WINDOW_BASE >> 32  ? 2
				 : window == LOCAL_WINDOW_BASE >> 32 ? 1
								     : 0;

		/* o->n 3 asks for shared memory of the cluster */
		p |= (u32)(space == o->n || (o->n == 3 && space == 2)) << i;
	}
	set_pred(w, PDST1(o), m, p);
}

int mbind_qspc(struct mbind *b, struct op *o)
{
	memory_bind_address(b, o, SP_GENERIC, 32);
	o->mode = ADDRESS_64;
	o->a = mbind_reg(b, 24, 2);
	o->n = (uint8_t)field(b, 73, 2);
	o->memory = 0;
	o->target = mbind_pdst(b, 81, false);
	machine_set_function(o, query_space);
	return 0;
}
