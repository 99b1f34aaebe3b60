/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions that read and change the state of a warp or a block, which compilers do not write: GETLMEMBASE,
 * SETLMEMBASE, SETCTAID, USETSHMSZ.
 *
 * Their effects are those that published measurements on sm_90 and sm_120 found. An instruction ends the launch where
 * they leave its effect open.
 */
#include "exec/check.h"
#include "machine/code.h"

/* ---- memory that backs local memory ---- */

/* First address of the memory that backs local memory. No buffer is there: programs cannot read local memory by it. */
#define BACKING_BASE 0x3f0000000000ull

/* Returns the address that GETLMEMBASE reads: each warp has its own. */
static u64 backing_address(const struct warp *w)
{
	u64 bytes = (u64)w->local_stride * LANES, number = w->cta->number * w->cta->n_warps + (u64)w->index;

	return BACKING_BASE + (number & 0xffffff) * (bytes > 512 ? (bytes + 511) / 512 * 512 : 512);
}

static void get_backing_address(struct warp *w, const struct op *o, uint32_t m)
{
	u32 *d = REG(u32, w, o->d);
	u64 v = backing_address(w);

	FOR_BITS32 (i, m) {
		d[i] = (u32)v;
		d[i + LANES] = (u32)(v >> 32);
	}
}

int mbind_get_backing(struct mbind *b, struct op *o)
{
	o->d = mbind_dst(b, 16, 2);
	machine_set_function(o, get_backing_address);
	return 0;
}

/* Executes SETLMEMBASE: the address is that of the lowest lane. */
static void set_backing_address(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *a = REG(u32, w, o->a);
	unsigned lane = bit_lowest32(m);
	u64 v = a[lane] | (u64)a[lane + LANES] << 32;

	if (v != backing_address(w))
		exec_fail(w, o, m, "local-base",
			"local memory of the warp moves to 0x%llx (expected the address that GETLMEMBASE gave)",
			(unsigned long long)v);
}

int mbind_set_backing(struct mbind *b, struct op *o)
{
	o->a = mbind_reg(b, 24, 2);
	machine_set_function(o, set_backing_address);
	return 0;
}

/* ---- index of the block ---- */

static bool has_equal_lanes(const u32 *v, uint32_t m)
{
	FOR_BITS32 (i, m)
		if (v[i] != v[bit_lowest32(m)])
			return false;
	return true;
}

/* Sets an axis of the index that S2R and S2UR read. */
static void set_block_axis(struct warp *w, unsigned axis, u32 v)
{
	PRED(w, FRAME_CTAID_SET) |= 1u << axis;
	PRED(w, FRAME_CTAID + 4 * axis) = v;
}

/* Executes SETCTAID. Its effects on other warps of the block, and with different values in lanes, are unknown. */
static void set_block_index(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *a = REG(u32, w, o->a);
	unsigned lane = bit_lowest32(m);

	if (w->cta->n_warps > 1 || !has_equal_lanes(a, m) || (o->n == 3 && !has_equal_lanes(a + LANES, m))) {
		exec_fail(w, o, m, "block-index",
			"SETCTAID in a block of several warps, or with different values in its lanes (expected one warp and one value)");
	} else if (o->n < 3) {
		set_block_axis(w, o->n, a[lane]);
	} else {
		set_block_axis(w, 0, a[lane]);
		set_block_axis(w, 1, a[lane + LANES] & 0xffff);
		set_block_axis(w, 2, a[lane + LANES] >> 16);
	}
}

int mbind_block_index(struct mbind *b, struct op *o)
{
	o->n = (uint8_t)field(b, 78, 2);
	o->a = mbind_reg(b, 24, o->n == 3 ? 2 : 1);
	machine_set_function(o, set_block_index);
	return 0;
}

/* ---- size of shared memory ---- */

/* The size of shared memory, with its reserved bytes, is a multiple of this. */
#define SHARED_UNIT 128u

/* Executes USETSHMSZ: makes the block's shared memory smaller. */
static void set_shared_size(struct warp *w, const struct op *o, uint32_t m)
{
	u32 bytes = REG(u32, w, o->a)[uniform_lane(w)], now = w->cta->shared_bytes;
	u32 most = ((now > RESERVED_SHARED ? now : RESERVED_SHARED) + SHARED_UNIT - 1) / SHARED_UNIT *
		   SHARED_UNIT;

	if (bytes % SHARED_UNIT || bytes > most)
		exec_fail(w, o, m, "shared-size",
			"shared memory is set to %u bytes (expected a multiple of %u, at most the current %u)",
			bytes, SHARED_UNIT, most);
	else if (bytes < now)
		w->cta->shared_bytes = bytes;
}

static void flush_shared_size(struct warp *w, const struct op *o, uint32_t m) { (void)w, (void)o, (void)m; }

int mbind_shared_size(struct mbind *b, struct op *o)
{
	o->a = b->inst->opcode == 0x3c9 ? mbind_ureg(b, 32) : mbind_number(b, field(b, 32, 20), 1);
	machine_set_function(o, bit(b, 72) ? flush_shared_size : set_shared_size);
	return 0;
}
