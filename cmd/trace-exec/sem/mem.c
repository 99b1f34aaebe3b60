/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory: ld ldu st, fences, prefetches and cache hints.
 *
 * An access computes the lanes' addresses, converts them to host addresses in the same way for all spaces, then moves
 * elements. Always true: no lane accesses host memory outside of the modelled memory, with or without checks.
 * A generic address belongs to the space that contains it; the trace has its offset in this space.
 */
#include "exec/check.h"
#include "exec/spin.h"
#include "sem/async.h"

/* Sets at[] to base plus the offset of each lane, also for lanes that do not execute. */
LANE_FN static void add_base_to_offsets(uint8_t **at, const uint64_t *a, uintptr_t base)
{
	EACH_LANE (i)
		at[i] = (uint8_t *)(base + a[i]);
}

/* Sets at[i] to base + a[i] + i * step: lane i accesses the i-th of consecutive pieces of `step` bytes. */
LANE_FN static void add_base_of_lane(uint8_t **at, const uint64_t *a, uintptr_t base, uint64_t step)
{
	EACH_LANE (i)
		at[i] = (uint8_t *)(base + a[i] + i * step);
}

/* Computes the addresses of all lanes into w->addr. */
LANE_FN static void lane_addresses(struct warp *w, const struct op *o) { exec_compute_addresses(w, o); }

static bool fail_out_of_bounds_access(struct warp *w, const struct op *o, uint32_t lane,
	enum state_space space, uint64_t addr, uint64_t bytes)
{
	checker_report_outside(w, o, lane, space, addr, bytes);
	return false;
}

static bool global_find_host(struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, uint8_t **at)
{
	uint64_t low, high;
	uint8_t *base;

	lanes_find_extremes(w->addr, m, &low, &high);
	base = high - low <= UINT64_MAX - bytes ? memory_host_address(w->mem, low, high - low + bytes) : NULL;
	if (base) {
		add_base_to_offsets(at, w->addr, (uintptr_t)base - low);
		return true;
	}
	FOR_BITS32 (i, m)
		if (!(at[i] = memory_host_address(w->mem, w->addr[i], bytes)))
			return fail_out_of_bounds_access(w, o, i, SP_GLOBAL, w->addr[i], bytes);
	return true;
}

uint8_t *mem_shared_of_block(struct warp *w, const struct op *o, unsigned lane, unsigned rank)
{
	const struct cta *c = w->cta->cluster->cta[rank];

	if (!w->grid->options->check || c->n_done < c->n_warps)
		return c->shared;
	exec_fail(w, o, 1u << lane, "cluster-over",
		"byte %llu of the shared memory of thread block %u of the cluster, which has ended (expected a barrier.cluster before its end)",
		(unsigned long long)w->addr[lane], rank);
	return NULL;
}

/*
 * Returns the shared memory of another block of the cluster, and sets w->addr to the offset in it. Returns NULL if the
 * launch has failed.
 */
static uint8_t *find_other_block(struct warp *w, const struct op *o, unsigned lane, uint64_t bytes)
{
	uint64_t rank = w->addr[lane] / CLUSTER_STRIDE - 1;

	if (rank >= w->grid->cluster_size) {
		checker_report_outside(w, o, lane, SP_SHARED, w->addr[lane], bytes);
		return NULL;
	}
	w->addr[lane] %= CLUSTER_STRIDE;
	if (o->space != SP_SHARED || stmt_has(o->stmt, M_SHARED__CLUSTER))
		return mem_shared_of_block(w, o, lane, (unsigned)rank);
	exec_fail(w, o, 1u << lane, "space",
		"byte %llu of the shared memory of thread block %u of the cluster (expected a generic address or .shared::cluster)",
		(unsigned long long)w->addr[lane], (unsigned)rank);
	return NULL;
}

/*
 * Number of bytes of a block's shared memory that an access may reach. The compiler merges loads of words into an
 * aligned vector, which machine code marks as .v2 or .v4 and which may end after the last word: memory is allocated
 * in larger units, and the words after the end are not used. The word of a narrow atomic may end after it, too.
 */
static uint64_t reachable_shared_bytes(const struct warp *w, const struct op *o, uint64_t bytes)
{
	bool merged = o->func->machine && (stmt_has(o->stmt, M_V2) || stmt_has(o->stmt, M_V4));

	return merged || is_word_of_narrow_atomic(o) ? round_up_u64(w->cta->shared_bytes, bytes)
						     : w->cta->shared_bytes;
}

static bool window_find_host(
	struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, enum state_space space, uint8_t **at)
{
	uint64_t size = space == SP_SHARED  ? reachable_shared_bytes(w, o, bytes)
			: space == SP_LOCAL ? w->local_stride
					    : w->grid->launch->kernel->param_bytes,
		 stride = space == SP_LOCAL ? w->local_stride : 0;
	/* Kernel parameters are only read, so the cast may drop const. */
	uint8_t *base = space == SP_SHARED  ? w->cta->shared
			: space == SP_LOCAL ? w->local
					    : (uint8_t *)(uintptr_t)w->grid->launch->param;

	uint64_t low, high;

	lanes_find_extremes(w->addr, m, &low, &high);
	if (high <= size && size - high >= bytes &&
		(stride || high < CLUSTER_STRIDE || w->grid->cluster_size == 1)) {
		if (stride)
			add_base_of_lane(at, w->addr, (uintptr_t)base, stride);
		else
			add_base_to_offsets(at, w->addr, (uintptr_t)base);
		return true;
	}
	FOR_BITS32 (i, m) {
		uint8_t *from = base + stride * i;

		if (space == SP_SHARED && w->addr[i] >= CLUSTER_STRIDE && w->grid->cluster_size > 1) {
			if (!(from = find_other_block(w, o, i, bytes)))
				return false;
		}
		if (w->addr[i] > size || size - w->addr[i] < bytes)
			return fail_out_of_bounds_access(w, o, i, space, w->addr[i], bytes);
		at[i] = from + w->addr[i];
	}
	return true;
}

/* Sets at[] to the host addresses of those lanes of m whose addresses are in `space`. lanes: mask of these lanes. */
static bool find_hosts_in_space(struct warp *w, const struct op *o, uint32_t m, uint32_t lanes,
	uint64_t bytes, enum state_space space, uint8_t **at)
{
	uint8_t *part[LANES], **to = lanes == m ? at : part;

	if (!lanes)
		return true;
	if (!(space == SP_GLOBAL ? global_find_host(w, o, lanes, bytes, to)
				 : window_find_host(w, o, lanes, bytes, space, to)))
		return false;
	if (to == part)
		FOR_BITS32 (i, lanes)
			at[i] = part[i];
	return true;
}

static bool generic_find_host(struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, uint8_t **at)
{
	uint32_t shared = 0, local = 0, param = 0;

	FOR_BITS32 (i, m) {
		uint64_t a = w->addr[i];

		if (a >= HEAP_BASE || a < PARAM_BASE)
			continue;
		if (a >= SHARED_BASE) {
			shared |= 1u << i;
			w->addr[i] -= SHARED_BASE;
		} else if (a >= LOCAL_BASE) {
			local |= 1u << i;
			w->addr[i] -= LOCAL_BASE;
		} else {
			param |= 1u << i;
			w->addr[i] -= PARAM_BASE;
		}
	}
	uint32_t global = m & ~(shared | local | param), last = 31u - (uint32_t)__builtin_clz(m);
	w->space = shared >> last & 1 ? SP_SHARED : local >> last & 1 ? SP_LOCAL : SP_GLOBAL;
	if (!(find_hosts_in_space(w, o, m, global, bytes, SP_GLOBAL, at) &&
		    find_hosts_in_space(w, o, m, shared, bytes, SP_SHARED, at) &&
		    find_hosts_in_space(w, o, m, local, bytes, SP_LOCAL, at) &&
		    find_hosts_in_space(w, o, m, param, bytes, SP_PARAM, at)))
		return false;
	FOR_BITS32 (i,
		param) /* the trace has generic addresses of parameters, because these are not a space of it */
		w->addr[i] += PARAM_BASE;
	return true;
}

bool mem_find_host(
	struct warp *w, const struct op *o, uint32_t m, enum state_space space, uint64_t bytes, uint8_t **at)
{
	w->space = (uint8_t)space;
	switch (space) {
	case SP_SHARED:
	case SP_PARAM: return window_find_host(w, o, m, bytes, space, at);
	case SP_LOCAL:
		for (unsigned i = 0; i < LANES; i++)
			w->addr[i] += o->is_param ? w->local_base : 0;
		return window_find_host(w, o, m, bytes, space, at);
	case SP_GENERIC: return generic_find_host(w, o, m, bytes, at);
	default: return global_find_host(w, o, m, bytes, at);
	}
}

bool mem_read(struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, uint8_t **at)
{
	lane_addresses(w, o);
	return mem_find_host(w, o, m, (enum state_space)o->space, bytes, at) &&
	       (!w->grid->options->check || check_read(w, o, m, bytes, at));
}

bool mem_write(struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, uint8_t **at)
{
	lane_addresses(w, o);
	if (!mem_find_host(w, o, m, (enum state_space)o->space, bytes, at))
		return false;
	exec_note_write(w, o, m, at);
	return !w->grid->options->check || check_write(w, o, m, bytes, at);
}

/* ---- loads ---- */

typedef u32 u32_any __attribute__((aligned(1), may_alias));

/* Loads words of all lanes at host addresses. */
LANE_FN static void gather_at_32(u32 *d, uint8_t *const *at, size_t offset)
{
	EACH_LANE_APART (i)
		d[i] = *(const u32_any *)(at[i] + offset);
}

#define LOAD(D, S) \
	do { \
		D *d = REG(D, w, slot); \
		FOR_BITS32 (i, m) { \
			S v; \
			memcpy(&v, at[i] + offset, sizeof(v)); \
			d[i] = (D)v; \
		} \
	} while (0)

static void load_element(struct warp *w, uint32_t m, uint8_t *const *at, size_t offset, uint32_t slot,
	unsigned bytes, unsigned reg_bytes, bool is_signed)
{
	switch (bytes << 8 | reg_bytes << 1 | is_signed) {
	case 1 << 8 | 2 << 1: LOAD(u16, u8); break;
	case 1 << 8 | 4 << 1: LOAD(u32, u8); break;
	case 1 << 8 | 8 << 1: LOAD(u64, u8); break;
	case 1 << 8 | 2 << 1 | 1: LOAD(u16, s8); break;
	case 1 << 8 | 4 << 1 | 1: LOAD(u32, s8); break;
	case 1 << 8 | 8 << 1 | 1: LOAD(u64, s8); break;
	case 2 << 8 | 2 << 1:
	case 2 << 8 | 2 << 1 | 1: LOAD(u16, u16); break;
	case 2 << 8 | 4 << 1: LOAD(u32, u16); break;
	case 2 << 8 | 8 << 1: LOAD(u64, u16); break;
	case 2 << 8 | 4 << 1 | 1: LOAD(u32, s16); break;
	case 2 << 8 | 8 << 1 | 1: LOAD(u64, s16); break;
	case 4 << 8 | 4 << 1:
	case 4 << 8 | 4 << 1 | 1:
		if (m == ALL_LANES)
			gather_at_32(REG(u32, w, slot), at, offset);
		else
			LOAD(u32, u32);
		break;
	case 4 << 8 | 8 << 1: LOAD(u64, u32); break;
	case 4 << 8 | 8 << 1 | 1: LOAD(u64, s32); break;
	case 8 << 8 | 8 << 1:
	case 8 << 8 | 8 << 1 | 1: LOAD(u64, u64); break;
	default: /* 128 bits, or fewer in a register of 128 bits */
		FOR_BITS32 (i, m) {
			u64 v[2] = {0, 0};

			memcpy(v, at[i] + offset, bytes);
			REG(u64, w, slot)[i] = v[0];
			REG(u64, w, slot)[i + LANES] = v[1];
		}
	}
}

void mem_ld(struct warp *w, const struct op *o, uint32_t m)
{
	uint8_t *at[LANES];

	if (!mem_read(w, o, m, (uint64_t)o->bytes * o->n, at))
		return;
	if (o->n == 1) {
		if (m == ALL_LANES && o->bytes == o->reg_bytes && o->bytes <= 8 &&
			lanes_adjacent(at, o->bytes))
			memcpy(w->frame + o->d, at[0], (size_t)o->bytes * LANES);
		else
			load_element(w, m, at, 0, o->d, o->bytes, o->reg_bytes, o->is_signed);
		return;
	}
	for (unsigned k = 0; k < o->n; k++)
		load_element(w, m, at, (size_t)k * o->bytes, o->x->slot[k], o->bytes, o->x->bytes[k],
			o->is_signed);
}

/* Loads a kernel parameter at a fixed offset: the same value in every lane. */
static void execute_ld_param(struct warp *w, const struct op *o, uint32_t m)
{
	u64 v = 0;

	for (unsigned i = 0; i < LANES; i++)
		w->addr[i] = (uint64_t)o->imm;
	memcpy(&v, w->grid->launch->param + o->imm, o->bytes);
	if (o->is_signed)
		v = (u64)((s64)(v << (64 - 8 * o->bytes)) >> (64 - 8 * o->bytes));
	FOR_BITS32 (i, m) {
		if (o->reg_bytes == 4)
			REG(u32, w, o->d)[i] = (u32)v;
		else if (o->reg_bytes == 8)
			REG(u64, w, o->d)[i] = v;
		else
			REG(u16, w, o->d)[i] = (u16)v;
	}
}

/* ---- stores ---- */

#define STORE(S, D) \
	do { \
		const S *s = REG(S, w, slot); \
		FOR_BITS32 (i, m) { \
			D v = (D)s[i]; \
			memcpy(at[i] + offset, &v, sizeof(v)); \
		} \
	} while (0)

static void store_element(struct warp *w, uint32_t m, uint8_t *const *at, size_t offset, uint32_t slot,
	unsigned bytes, unsigned reg_bytes)
{
	switch (bytes << 8 | reg_bytes) {
	case 1 << 8 | 2: STORE(u16, u8); break;
	case 1 << 8 | 4: STORE(u32, u8); break;
	case 1 << 8 | 8: STORE(u64, u8); break;
	case 2 << 8 | 2: STORE(u16, u16); break;
	case 2 << 8 | 4: STORE(u32, u16); break;
	case 2 << 8 | 8: STORE(u64, u16); break;
	case 4 << 8 | 4: STORE(u32, u32); break;
	case 4 << 8 | 8: STORE(u64, u32); break;
	case 8 << 8 | 8: STORE(u64, u64); break;
	default:
		FOR_BITS32 (i, m) {
			u64 v[2] = {REG(u64, w, slot)[i], REG(u64, w, slot)[i + LANES]};

			memcpy(at[i] + offset, v, bytes);
		}
	}
}

static void execute_st(struct warp *w, const struct op *o, uint32_t m)
{
	uint8_t *at[LANES];

	if (!mem_write(w, o, m, (uint64_t)o->bytes * o->n, at))
		return;
	if (w->grid->options->check)
		clash_check_store(w, o, m, at);
	if (o->n == 1) {
		if (m == ALL_LANES && o->bytes == o->reg_bytes && o->bytes <= 8 &&
			lanes_adjacent(at, o->bytes))
			memcpy(at[0], w->frame + o->d, (size_t)o->bytes * LANES);
		else
			store_element(w, m, at, 0, o->d, o->bytes, o->reg_bytes);
		return;
	}
	for (unsigned k = 0; k < o->n; k++)
		store_element(w, m, at, (size_t)k * o->bytes, o->x->slot[k], o->bytes, o->x->bytes[k]);
}

/* ---- bindings ---- */

static bool is_symbol_listed(const struct symbol *sym, struct symbol *const *list, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (list[i] == sym)
			return true;
	return false;
}

/* Binds an access with .param: to the parameters of the kernel, or to the frame of the executing function. */
static int bind_param_access(struct bind *b, struct op *o, const struct operand *at, bool write)
{
	const struct func *f = b->func;
	const bool frame = write || !f->entry || (at->sym && is_symbol_listed(at->sym, f->var, f->n_vars));

	if (write && at->sym && f->entry && is_symbol_listed(at->sym, f->param, f->n_params))
		return bind_fault(b, at, "operand",
			"write to parameter '%s' of a kernel (expected a variable)", at->sym->name);
	if (bind_address(b, o, at, SP_PARAM))
		return -1;
	o->space = frame ? SP_LOCAL : SP_PARAM;
	o->is_param = frame && at->sym; /* an address from mov includes the start of the frame */
	return 0;
}

int mem_bind_space(struct bind *b, struct op *o, const struct operand *at, bool write)
{
	enum state_space s = bind_space(b);

	if (s == SP_PARAM)
		return bind_param_access(b, o, at, write);
	o->space = (uint8_t)s;
	/* The address of a function's local variable is its offset in the frame. */
	if (bind_address(b, o, at, s))
		return -1;
	if (s == SP_LOCAL && at->sym && sym_definition(at->sym)->owner)
		o->is_param = true;
	return 0;
}

/* Binds the o->n registers of a vector, each of o->bytes. */
static int bind_access_vector(
	struct bind *b, struct op *o, const struct operand *data, enum type t, bool write)
{
	if (data->kind != O_VEC || data->n != o->n)
		return bind_fault(
			b, data, "operand", "not a vector of %u elements (expected {..})", (unsigned)o->n);
	struct ext *x = bind_ext(b, o);
	for (unsigned k = 0; k < o->n; k++) {
		x->slot[k] = write ? bind_src_any(b, &data->elem[k], t, &x->bytes[k])
				   : bind_dst_any(b, &data->elem[k], o->bytes, &x->bytes[k]);
		if (x->slot[k] == UINT32_MAX)
			return -1;
	}
	return 0;
}

/* Checks that an access to an argument or result of a call is within its size. */
static int check_param_bounds(const struct bind *b, const struct operand *at, uint64_t bytes, bool write)
{
	const struct symbol *s = at->sym;

	if (!s || s->kind != SYM_VAR || s->space != SP_PARAM ||
		(at->value >= 0 && (uint64_t)at->value <= s->size && s->size - (uint64_t)at->value >= bytes))
		return 0;
	return bind_fault(b, at, "bounds", "%s of %llu bytes at byte %lld of '%s' (expected within its %llu)",
		write ? "write" : "read", (unsigned long long)bytes, (long long)at->value, s->name,
		(unsigned long long)s->size);
}

/* Returns the number of elements of a load or store. */
static unsigned access_elements(const struct stmt *in)
{
	return stmt_has(in, M_V2) ? 2 : stmt_has(in, M_V4) ? 4 : stmt_has(in, M_V8) ? 8 : 1;
}

/* Returns true if blocks may communicate through the access: it is volatile or ordered beyond the block. */
static bool is_ordered_beyond_block(const struct stmt *in, unsigned space)
{
	return space != SP_SHARED && !stmt_has(in, M_CTA) &&
	       (stmt_has(in, M_VOLATILE) || stmt_has(in, M_RELAXED) || stmt_has(in, M_ACQUIRE) ||
		       stmt_has(in, M_RELEASE) || stmt_has(in, M_MMIO));
}

/* Binds the address of a load or store of n elements, and checks that its type and its space suit it. */
static int bind_access_address(struct bind *b, struct op *o, const struct operand *at, unsigned n, bool write)
{
	const struct type_row *t = &types[b->stmt->type[0]];

	if (t->bits < 8 || t->kind == K_PRED || t->kind == K_OPAQUE)
		return bind_fault(b, NULL, "types",
			"memory access of type .%s (expected a type of whole bytes)", t->name);
	if (mem_bind_space(b, o, at, write))
		return -1;
	if (write && (o->space == SP_CONST || o->space == SP_PARAM))
		return bind_fault(b, at, "space", "store to .%s (expected a space that can be written)",
			space_name[o->space]);
	return o->is_param ? check_param_bounds(b, at, (uint64_t)t->bits / 8 * n, write) : 0;
}

/* Chooses the function of a load of a kernel's parameter. */
static int bind_param_load(struct bind *b, struct op *o, const struct operand *at)
{
	uint64_t offset = (uint64_t)o->imm;

	if (offset > b->func->param_bytes || b->func->param_bytes - offset < o->bytes)
		return bind_fault(b, at, "bounds",
			"read at byte %lld of the parameters (expected one of the first %u)",
			(long long)o->imm, b->func->param_bytes);
	o->execute = execute_ld_param;
	return 0;
}

/* Binds the register of a load or store of one element. {r} is the same as r. */
static int bind_access_register(
	struct bind *b, struct op *o, const struct operand *data, const struct operand *at, bool write)
{
	unsigned bytes = o->bytes;

	if (data->kind == O_VEC && data->n == 1)
		data = data->elem;
	o->d = write ? bind_src_any(b, data, (enum type)b->stmt->type[0], &o->reg_bytes)
		     : bind_dst_any(b, data, bytes, &o->reg_bytes);
	if (o->d == UINT32_MAX)
		return -1;
	if (write)
		return 0;
	if ((bytes == 4 || bytes == 8) && o->reg_bytes == bytes &&
		(o->space == SP_GLOBAL || o->space == SP_SHARED))
		o->execute = flat_ld;
	return o->space == SP_PARAM && at->sym && bytes <= 8 && o->reg_bytes <= 8 ? bind_param_load(b, o, at)
										  : 0;
}

static int bind_load_store(struct bind *b, struct op *o, bool write)
{
	const struct stmt *in = b->stmt;
	const struct operand *data = &in->operand[write], *at = &in->operand[!write];
	enum type t = (enum type)in->type[0];
	unsigned n = access_elements(in);

	if (bind_types(b, 1) || bind_operands(b, 2, stmt_has(in, M_L2__CACHE_HINT) ? 3 : 2) ||
		bind_access_address(b, o, at, n, write))
		return -1;
	if (is_ordered_beyond_block(in, o->space))
		b->frame->order |= ORDER_FENCE;
	o->memory = 1;
	o->bytes = (uint8_t)(types[t].bits / 8);
	o->n = (uint8_t)n;
	o->is_signed = types[t].kind == K_SINT && !write;
	o->execute = write ? execute_st : mem_ld;
	return n == 1 ? bind_access_register(b, o, data, at, write)
		      : bind_access_vector(b, o, data, t, write);
}

int bind_ld(struct bind *b, struct op *o) { return bind_load_store(b, o, false); }
int bind_st(struct bind *b, struct op *o)
{
	return stmt_has(b->stmt, M_ASYNC)  ? bind_store_async(b, o)
	       : stmt_has(b->stmt, M_BULK) ? bind_store_bulk(b, o)
					   : bind_load_store(b, o, true);
}

static void ignore_hint(struct warp *w, const struct op *o, uint32_t m)
{
	(void)w;
	(void)o;
	(void)m;
}

/* Lanes see each other's stores at once, so only the race check needs a fence. */
static void execute_fence(struct warp *w, const struct op *o, uint32_t m)
{
	(void)o;
	(void)m;
	checker_note_barrier(w->cta);
}

int bind_fence(struct bind *b, struct op *o)
{
	o->execute = execute_fence;
	if (!stmt_has(b->stmt, M_CTA) && !stmt_has(b->stmt, M_CLUSTER) && !stmt_has(b->stmt, M_PROXY))
		b->frame->order |= ORDER_FENCE;
	return 0;
}

/* Binds prefetches and hints, which have no effect. */
int bind_nothing(struct bind *b, struct op *o)
{
	(void)b;
	o->execute = ignore_hint;
	return 0;
}
