/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads and stores of global, generic, shared and local memory.
 *
 * Always true: o->bytes is the size of a lane's access, whose words are consecutive registers from o->d on. After an
 * access w->addr has the offsets in shared or local memory, the addresses in global memory, or the generic addresses of
 * a generic access. In a cluster the offsets in shared memory contain the rank of the block.
 */
#include "exec/check.h"
#include "exec/spin.h"
#include "machine/memory.h"
#include "sem/sem.h"

/* ---- addresses ---- */

LANE_FN static void compute_addresses_64(uint64_t *to, const u32 *low, const u32 *high, u64 add)
{
	EACH_LANE (i)
		to[i] = (low[i] | (u64)high[i] << 32) + add;
}

LANE_FN static void compute_scaled_addresses(uint64_t *to, const u32 *a, unsigned shift, u32 add)
{
	EACH_LANE (i)
		to[i] = (u32)((a[i] << shift) + add);
}

void memory_addresses(struct warp *w, const struct op *o)
{
	const u32 *a = REG(u32, w, o->a), *ur = REG(u32, w, o->c) + uniform_lane(w);
	bool narrow = o->space == SP_SHARED || o->space == SP_LOCAL;
	u64 add = (u64)o->imm + (narrow ? ur[0] : ur[0] | (u64)ur[LANES] << 32);

	if (narrow)
		compute_scaled_addresses(w->addr, a, o->is_param, (u32)add);
	else if (o->mode == ADDRESS_64)
		compute_addresses_64(w->addr, a, a + LANES, add);
	else if (o->c == FRAME_ZERO && o->mode == ADDRESS_32)
		compute_scaled_addresses(w->addr, a, 0, (u32)add);
	else
		for (unsigned i = 0; i < LANES; i++)
			w->addr[i] = a[i] + add;
}

uint64_t memory_shared_offset(const struct warp *w, uint32_t address)
{
	u64 rank = address >> 24, offset = address & 0xffffff;

	if (offset >= CLUSTER_STRIDE) /* an offset beyond the memory of any block */
		return UINT32_MAX;
	return rank == w->cta->rank ? offset : (rank + 1) * CLUSTER_STRIDE + offset;
}

/* Converts shared addresses of sm_90 and later, which contain the rank of the block, to offsets of the executor. */
static void normalize_shared(struct warp *w, const struct op *o, uint32_t m)
{
	if (o->func->machine_code->sm < 90)
		return;
	FOR_BITS32 (i, m)
		w->addr[i] = memory_shared_offset(w, (u32)w->addr[i]);
}

/* Sets at[] to the host addresses of `lanes`, which are the lanes of m with addresses in one space. */
static bool find_lanes_in_space(struct warp *w, const struct op *o, uint32_t m, uint32_t lanes,
	uint64_t bytes, enum state_space space, uint8_t **at)
{
	uint8_t *part[LANES], **to = lanes == m ? at : part;

	if (!lanes)
		return true;
	if (!mem_find_host(w, o, lanes, space, bytes, to))
		return false;
	if (to == part)
		FOR_BITS32 (i, lanes)
			at[i] = part[i];
	return true;
}

static bool find_generic_hosts(
	struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, uint8_t **at, bool write)
{
	uint32_t shared = 0, local = 0, param = 0;

	FOR_BITS32 (i, m) {
		u32 window = (u32)(w->addr[i] >> 32);

		if (!write && w->addr[i] >= PARAM_BASE && w->addr[i] < LOCAL_BASE) {
			param |= 1u << i;
			w->addr[i] -= PARAM_BASE;
		}
		shared |= (u32)(window == SHARED_WINDOW_BASE >> 32) << i;
		local |= (u32)(window == LOCAL_WINDOW_BASE >> 32) << i;
		if (window == SHARED_WINDOW_BASE >> 32 || window == LOCAL_WINDOW_BASE >> 32)
			w->addr[i] = (u32)w->addr[i];
	}
	uint32_t global = m & ~(shared | local | param);

	if (shared)
		normalize_shared(w, o, shared);
	return find_lanes_in_space(w, o, m, global, bytes, SP_GLOBAL, at) &&
	       find_lanes_in_space(w, o, m, shared, bytes, SP_SHARED, at) &&
	       find_lanes_in_space(w, o, m, local, bytes, SP_LOCAL, at) &&
	       find_lanes_in_space(w, o, m, param, bytes, SP_PARAM, at);
}

bool memory_find_hosts(
	struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, uint8_t **at, bool write)
{
	uint64_t named[LANES];
	bool good, keep = o->space == SP_GENERIC || (o->space == SP_SHARED && w->grid->cluster_size > 1);

	memory_addresses(w, o);
	if (keep)
		memcpy(named, w->addr, sizeof(named));
	if (o->space == SP_SHARED)
		normalize_shared(w, o, m);
	good = o->space == SP_GENERIC ? find_generic_hosts(w, o, m, bytes, at, write)
				      : mem_find_host(w, o, m, (enum state_space)o->space, bytes, at);
	if (good && write)
		exec_note_write(w, o, m, at);
	if (good && w->grid->options->check)
		good = write ? check_write(w, o, m, bytes, at) : check_read(w, o, m, bytes, at);
	if (keep && good)
		memcpy(w->addr, named, sizeof(named));
	return good;
}

/* ---- copying words between memory and registers ---- */

typedef u32 u32_any __attribute__((aligned(1), may_alias));
typedef u64 u64_any __attribute__((aligned(1), may_alias));
typedef u16 u16_any __attribute__((aligned(1), may_alias));

static inline void fill_half_warps(u32 *d, u32 low, u32 high)
{
	for (unsigned i = 0; i < LANES / 2; i++) {
		d[i] = low;
		d[i + LANES / 2] = high;
	}
}

/*
 * Loads consecutive words of all lanes from base + a[i]. The lanes of half a warp often have one address, as in rows
 * of blocks of 16 by 16 threads: the first word then takes 64 instructions instead of 104.
 */
LANE_FN static void gather_words(u32 *d, uintptr_t base, const uint64_t *a, unsigned words)
{
	const uint64_t *b = a + LANES / 2;
	uint64_t differ = (a[0] ^ a[1]) | (b[0] ^ b[1]);

	if (!differ)
		for (unsigned i = 0; i < LANES / 2; i++)
			differ |= (a[i] ^ a[0]) | (b[i] ^ b[0]);
	for (; words; words--, d += LANES, base += 4)
		if (differ)
			EACH_LANE_APART (i)
				d[i] = *(const u32_any *)(base + a[i]);
		else
			fill_half_warps(d, *(const u32_any *)(base + a[0]), *(const u32_any *)(base + b[0]));
}
LANE_FN static void gather_pairs(u32 *d, uintptr_t base, const uint64_t *a)
{
	EACH_LANE_APART (i) {
		u64 v = *(const u64_any *)(base + a[i]);

		d[i] = (u32)v;
		d[i + LANES] = (u32)(v >> 32);
	}
}
/* Stores 1, 2 or 4 consecutive words of each lane at base + a[i]. */
LANE_FN static void scatter_words(const u32 *s, uintptr_t base, const uint64_t *a, unsigned words)
{
	if (words == 4)
		EACH_LANE_APART (i) {
			u32 v[4] = {s[i], s[i + LANES], s[i + 2 * LANES], s[i + 3 * LANES]};

			memcpy((void *)(base + a[i]), v, sizeof(v));
		}
	else if (words == 2)
		EACH_LANE_APART (i)
			*(u64_any *)(base + a[i]) = s[i] | (u64)s[i + LANES] << 32;
	else
		EACH_LANE_APART (i)
			*(u32_any *)(base + a[i]) = s[i];
}

/* Load and store consecutive words of all lanes at host addresses. */
LANE_FN static void gather_words_at(u32 *d, uint8_t *const *at, unsigned words)
{
	for (size_t k = 0; k < words; k++, d += LANES)
		EACH_LANE_APART (i)
			d[i] = *(const u32_any *)(at[i] + 4 * k);
}
static void scatter_words_at(const u32 *s, uint8_t *const *at, unsigned words)
{
	uint64_t a[LANES];

	if (words == 1 && lanes_adjacent(at, 4)) {
		memcpy(at[0], s, VECTOR);
		return;
	}
	EACH_LANE (i)
		a[i] = (uintptr_t)at[i];
	scatter_words(s, 0, a, words);
}

static void load_lane(u32 *d, const uint8_t *at, const struct op *o)
{
	switch (o->bytes) {
	case 1: *d = o->is_signed ? (u32)(s32)(s8)*at : *at; break;
	case 2: {
		u16 h;

		memcpy(&h, at, 2);
		*d = o->is_signed ? (u32)(s32)(s16)h : h;
		break;
	}
	default:
		for (unsigned k = 0; 4 * k < o->bytes; k++)
			d[k * LANES] = *(const u32_any *)(at + 4 * k);
	}
}

/* Loads 1 or 2 bytes of all lanes. */
LANE_FN static void gather_small(u32 *d, uintptr_t base, const uint64_t *a, unsigned bytes, bool is_signed)
{
	if (bytes == 1 && !is_signed)
		EACH_LANE_APART (i)
			d[i] = *(const u8 *)(base + a[i]);
	else if (bytes == 1)
		EACH_LANE_APART (i)
			d[i] = (u32) * (const s8 *)(base + a[i]);
	else if (!is_signed)
		EACH_LANE_APART (i)
			d[i] = *(const u16_any *)(base + a[i]);
	else
		EACH_LANE_APART (i)
			d[i] = (u32)(s32)(s16) * (const u16_any *)(base + a[i]);
}

/* Loads 1 or 2 bytes of all lanes at host addresses. */
static void gather_small_at(u32 *d, uint8_t *const *at, unsigned bytes, bool is_signed)
{
	uint64_t a[LANES];

	EACH_LANE (i)
		a[i] = (uintptr_t)at[i];
	gather_small(d, 0, a, bytes, is_signed);
}

static void load_any(struct warp *w, const struct op *o, uint32_t m)
{
	uint8_t *at[LANES];
	u32 *d = REG(u32, w, o->d);
	uint32_t on = m & pred_value(w, o->rpc);

	FOR_BITS32 (i, m & ~on)
		for (unsigned k = 0; k < (o->bytes + 3u) / 4; k++)
			d[i + k * LANES] = 0;
	if (!on || !memory_find_hosts(w, o, on, o->bytes, at, false))
		return;
	if (on == ALL_LANES && o->bytes >= 4)
		gather_words_at(d, at, o->bytes / 4);
	else if (on == ALL_LANES)
		gather_small_at(d, at, o->bytes, o->is_signed);
	else
		FOR_BITS32 (i, on)
			load_lane(d + i, at[i], o);
}

/* Host addresses of an access to one piece of memory: lane i accesses base + a[i]. */
struct flat_access {
	uintptr_t base;
	const uint64_t *addresses;
	bool adjacent;                   /* the addresses of all lanes, executing or not, are consecutive */
	uint64_t local_addresses[LANES]; /* storage of `addresses` for local memory, where each lane has its own */
};

/*
 * Returns the host address of address 0 of the space, or 0 if some bytes from address `low` to `high` are not
 * in the space.
 */
static uintptr_t flat_base(const struct warp *w, const struct op *o, uint64_t low, uint64_t high)
{
	uint64_t size = o->space == SP_SHARED ? w->cta->shared_bytes : w->local_stride;

	if (o->space != SP_GLOBAL)
		return high < size && size - high >= o->bytes
			       ? (uintptr_t)(o->space == SP_SHARED ? w->cta->shared : w->local)
			       : 0;
	uint8_t *base =
		high <= UINT64_MAX - 16 ? memory_host_address(w->mem, low, high - low + o->bytes) : NULL;
	return base ? (uintptr_t)base - low : 0;
}

/* Sets to[i] to a[i] + i * step. */
LANE_FN static void add_lane_offsets(uint64_t *to, const uint64_t *a, uint64_t step)
{
	EACH_LANE (i)
		to[i] = a[i] + i * step;
}

/* Smallest number of executing lanes for which testing for consecutive addresses saves time. */
#define ADJACENT_LEAST 8u

/*
 * Finds the memory of an unchecked access. Returns false if the bytes are not in one piece; the caller then
 * uses the general functions.
 */
static bool find_flat_memory(struct warp *w, const struct op *o, uint32_t m, struct flat_access *f)
{
	const uint64_t *a = w->addr;
	uint64_t low, high;

	if (w->grid->options->check || (o->space == SP_SHARED && w->grid->cluster_size > 1))
		return false;
	memory_addresses(w, o);
	f->addresses = a;
	f->base = 0;
	f->adjacent = o->space != SP_LOCAL && a[LANES - 1] - a[0] == (LANES - 1) * (uint64_t)o->bytes &&
		      (m == ALL_LANES || bit_count32(m) >= ADJACENT_LEAST) && lanes_have_step(a, o->bytes);
	if (f->adjacent)
		f->base = flat_base(w, o, a[0], a[LANES - 1]);
	if (!f->base) {
		f->adjacent = false;
		lanes_find_extremes(a, m, &low, &high);
		f->base = flat_base(w, o, low, high);
	}
	w->adjacent = f->adjacent;
	if (f->base && o->space == SP_LOCAL) {
		add_lane_offsets(f->local_addresses, a, w->local_stride);
		f->addresses = f->local_addresses;
	}
	return f->base;
}

/* Copies the words of the lanes of m. */
LANE_FN static void copy_masked(u32 *d, const u32_any *from, uint32_t m)
{
	EACH_LANE (i)
		d[i] = m >> i & 1 ? from[i] : d[i];
}

/* Loads without a result predicate. */
static void load_flat(struct warp *w, const struct op *o, uint32_t m)
{
	struct flat_access f;
	u32 *d = REG(u32, w, o->d);

	if (!find_flat_memory(w, o, m, &f)) {
		load_any(w, o, m);
	} else if (f.adjacent && o->bytes == 4) {
		copy_masked(d, (const u32_any *)(f.base + f.addresses[0]), m);
	} else if (m == ALL_LANES) {
		if (o->bytes < 4)
			gather_small(d, f.base, f.addresses, o->bytes, o->is_signed);
		else if (o->bytes == 8)
			gather_pairs(d, f.base, f.addresses);
		else
			gather_words(d, f.base, f.addresses, o->bytes / 4);
	} else if (o->bytes == 4) {
		FOR_BITS32 (i, m)
			d[i] = *(const u32_any *)(f.base + f.addresses[i]);
	} else {
		FOR_BITS32 (i, m)
			load_lane(d + i, (const uint8_t *)(f.base + f.addresses[i]), o);
	}
}

static void store_any(struct warp *w, const struct op *o, uint32_t m)
{
	uint8_t *at[LANES];
	const u32 *s = REG(u32, w, o->d);

	if (!memory_find_hosts(w, o, m, o->bytes, at, true))
		return;
	if (w->grid->options->check)
		clash_check_store(w, o, m, at);
	if (m == ALL_LANES && o->bytes >= 4) {
		scatter_words_at(s, at, o->bytes / 4);
		return;
	}
	FOR_BITS32 (i, m)
		if (o->bytes < 4)
			memcpy(at[i], s + i, o->bytes);
		else
			for (unsigned k = 0; 4 * k < o->bytes; k++)
				*(u32_any *)(at[i] + 4 * k) = s[i + k * LANES];
}

static void store_lane(uint8_t *to, const u32 *s, unsigned bytes)
{
	switch (bytes) {
	case 1: *to = (u8)*s; break;
	case 2: *(u16_any *)to = (u16)*s; break;
	default:
		for (unsigned k = 0; 4 * k < bytes; k++)
			*(u32_any *)(to + 4 * k) = s[k * LANES];
	}
}

static void store_flat(struct warp *w, const struct op *o, uint32_t m)
{
	struct flat_access f;
	const u32 *s = REG(u32, w, o->d);

	if (!find_flat_memory(w, o, m, &f)) {
		store_any(w, o, m);
		return;
	}
	*(o->space == SP_LOCAL ? &w->changed_local : &w->changed) = true;
	if (m != ALL_LANES || o->bytes < 4)
		FOR_BITS32 (i, m)
			store_lane((uint8_t *)(f.base + f.addresses[i]), s + i, o->bytes);
	else if (f.adjacent && o->bytes == 4)
		memcpy((void *)(f.base + f.addresses[0]), s, VECTOR);
	else
		scatter_words(s, f.base, f.addresses, o->bytes / 4);
}

bool memory_adds_constant(const struct op *o)
{
	return (o->execute == load_flat || o->execute == store_flat) &&
	       (o->space != SP_GLOBAL || o->mode == ADDRESS_64);
}

/* ---- binding ---- */

void memory_bind_order(struct mbind *b, bool strong, bool beyond_block)
{
	struct stmt *in = &b->func->inst[b->index];

	if (strong)
		stmt_add(in, M_VOLATILE);
	if (beyond_block)
		b->bound->frame[b->func->number].order |= ORDER_FENCE;
}

int memory_bind_address(struct mbind *b, struct op *o, enum state_space space, unsigned ur)
{
	bool global = space == SP_GLOBAL || space == SP_GENERIC, wide = !bit(b, 91) ? bit(b, 72) : bit(b, 90);
	struct stmt *in = &b->func->inst[b->index];

	o->space = (uint8_t)space;
	o->memory = 1;
	o->n = 1;
	o->reg_bytes = 4;
	o->rpc = FRAME_PT;
	o->c = FRAME_ZERO;
	if (bit(b, 91) && !(global && bit(b, 76)))
		o->c = mbind_ureg(b, ur);
	o->mode = global && wide ? ADDRESS_64 : ADDRESS_32;
	o->a = mbind_address(b, 24, o->mode == ADDRESS_64 ? 2 : 1);
	o->imm = signed_field(b, 40, 24);
	if (space == SP_SHARED)
		stmt_add(in, M_SHARED__CLUSTER);
	return 0;
}

/* Sets the size and the sign extension of an access from bits 73-75. */
static void bind_access_size(const struct mbind *b, struct op *o)
{
	static const uint8_t size[8] = {1, 1, 2, 2, 4, 8, 16, 16};
	unsigned n = (unsigned)field(b, 73, 3);

	o->bytes = size[n];
	o->is_signed = n == 1 || n == 3;
}

static enum state_space space_of_opcode(unsigned opcode)
{
	switch (opcode & 0xff) {
	case 0x81:
	case 0x86: return SP_GLOBAL;
	case 0x84:
	case 0x88: return SP_SHARED;
	case 0x83:
	case 0x87: return SP_LOCAL;
	default: return SP_GENERIC;
	}
}

/* Sets the order of a global or generic access. */
void memory_bind_access_order(struct mbind *b)
{
	unsigned order = (unsigned)field(b, 77, 4);
	bool old = b->code->sm < 80;
	bool strong = old ? order >> 2 >= 2 : order >= 5, block = old ? (order & 3) == 0 : false;

	memory_bind_order(b, strong, strong && !block);
}

static int bind_access(struct mbind *b, struct op *o, bool store)
{
	enum state_space space = space_of_opcode(b->inst->opcode);
	bool long_offset = !bit(b, 91) && (b->inst->opcode == 0x980 || b->inst->opcode == 0x385);

	memory_bind_address(b, o, space, store ? 64 : 32);
	bind_access_size(b, o);
	if (long_offset)
		o->imm = signed_field(b, 32, 32);
	if (space == SP_SHARED)
		o->is_param = field(b, 78, 2) ? (uint8_t)(field(b, 78, 2) + 1) : 0;
	if (space == SP_GLOBAL || space == SP_GENERIC)
		memory_bind_access_order(b);
	return 0;
}

int mbind_load(struct mbind *b, struct op *o)
{
	unsigned opcode = b->inst->opcode;

	bind_access(b, o, false);
	if (o->space == SP_SHARED && o->bytes > 4)
		stmt_add(&b->func->inst[b->index], o->bytes == 8 ? M_V2 : M_V4);
	o->d = mbind_dst(b, 16, (o->bytes + 3u) / 4);
	machine_set_function(o, o->space == SP_GENERIC ? load_any : load_flat);
	if (opcode == 0x381 || opcode == 0x981) {
		unsigned p = 7 - (unsigned)field(b, 64, 3);

		o->rpc = (p == 7 ? FRAME_PT : FRAME_P + 4 * p) | (uint32_t)bit(b, 67) << 16;
		if (o->rpc != FRAME_PT)
			machine_set_function(o, load_any);
	}
	return 0;
}

int mbind_store(struct mbind *b, struct op *o)
{
	bind_access(b, o, true);
	o->d = mbind_reg(b, b->inst->opcode == 0x385 ? 64 : 32, (o->bytes + 3u) / 4);
	b->func->inst[b->index].opcode = I_st;
	machine_set_function(o, o->space == SP_GENERIC ? store_any : store_flat);
	return 0;
}
