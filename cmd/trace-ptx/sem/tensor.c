/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tensor copies: cp.async.bulk.tensor between a box of a tensor in global memory and shared memory, tiles only.
 *
 * A copy is done when it is issued, and reports its bytes to the mbarrier at once. Always true: elements outside of the
 * tensor read as zeros (or NaNs) and are not written; the box lies in shared memory with dimension 0 closest, its
 * 16-byte pieces exchanged as the map's swizzle says. Leaves out: im2col, gathers, reductions, copies to several blocks.
 */
#include <string.h>
#include "exec/check.h"
#include "sem/sem.h"
#include "sem/tensor.h"

const char *tensor_wrong(const struct tensor_map *m)
{
	uint64_t inner = (uint64_t)m->box[0] * m->bytes;

	if (m->magic != TENSOR_MAGIC || !m->rank || m->rank > TENSOR_RANK)
		return "no tensor map";
	if (m->bytes != 1 && m->bytes != 2 && m->bytes != 4 && m->bytes != 8)
		return "elements of another size than 1, 2, 4 or 8 bytes";
	for (unsigned d = 0; d < m->rank; d++) {
		if (!m->dim[d] || m->dim[d] >> 32)
			return "a dimension of 0 or above 2^32 elements";
		if (!m->box[d] || m->box[d] > 256)
			return "a box of 0 or more than 256 elements in a dimension";
		if (d && m->stride[d - 1] % 16)
			return "a stride that is no multiple of 16 bytes";
	}
	if (m->addr % 16 || inner % 16)
		return "an address or the box's innermost bytes no multiple of 16";
	if (m->span && (inner > m->span || (m->span != 32 && m->span != 64 && m->span != 128)))
		return "a box whose innermost bytes are more than the swizzle's";
	return NULL;
}

struct box {
	const struct tensor_map *m;
	int64_t corner[TENSOR_RANK];
	bool store;
};

/* Place of byte n of the box in shared memory. */
static uint64_t swizzled(const struct tensor_map *m, uint64_t at)
{
	return m->span ? at ^ ((at >> 7) & (m->span / 16u - 1)) << 4 : at;
}

/* One element of the box, the number-th. false: outside of all memory. */
static bool copy_element(struct warp *w, const struct box *b, uint64_t number, uint64_t base, uint8_t *shared)
{
	const struct tensor_map *m = b->m;
	uint8_t *in = shared + (swizzled(m, base + number * m->bytes) - base), *out;
	uint64_t left = number, addr = m->addr;
	bool inside = true;

	for (unsigned d = 0; d < m->rank; d++) {
		int64_t c = b->corner[d] + (int64_t)(left % m->box[d]);

		left /= m->box[d];
		inside = inside && c >= 0 && (uint64_t)c < m->dim[d];
		addr += (uint64_t)c * (d ? m->stride[d - 1] : m->bytes);
	}
	if (!inside) {
		if (!b->store)
			memset(in, m->fill_nan ? 0xff : 0, m->bytes);
		return true;
	}
	if (!(out = memory_at(w->mem, addr, m->bytes)))
		return false;
	if (b->store) {
		memcpy(out, in, m->bytes);
		check_mark(w->cta, out, m->bytes);
	} else {
		memcpy(in, out, m->bytes);
	}
	return true;
}

/* The tensor map of a lane. NULL: the launch has failed. */
static const struct tensor_map *map_of(
	struct warp *w, const struct op *o, unsigned lane, struct tensor_map *m)
{
	uint8_t *at[LANES];
	const char *wrong;

	exec_addresses(w, o);
	if (!mem_at(w, o, 1u << lane, SP_GENERIC, sizeof(*m), at))
		return NULL;
	memcpy(m, at[lane], sizeof(*m));
	wrong = tensor_wrong(m);
	if (!wrong && m->rank != o->n)
		wrong = "a tensor map of another number of dimensions";
	if (wrong)
		exec_fail(w, o, 1u << lane, "tensor-map", "found %s, wanted a map that fits the copy", wrong);
	return wrong ? NULL : m;
}

static void copy_box(struct warp *w, const struct op *o, uint32_t m)
{
	struct ext *x = o->x;

	w->changed = true;
	FOR_BITS32 (i, m) {
		struct tensor_map map;
		struct box b = {.m = map_of(w, o, i, &map), .store = x->aux[4]};
		struct op other = *o;
		uint8_t *at[LANES];
		uint64_t n = 1;

		if (!b.m)
			return;
		for (unsigned d = 0; d < map.rank; d++) {
			b.corner[d] = REG(s32, w, x->slot[8 + d])[i];
			n *= map.box[d];
		}
		other.a = x->slot[0];
		other.imm = (int64_t)x->value[0];
		other.mode = (uint8_t)x->aux[0];
		exec_addresses(w, &other);
		/* pieces change places within 128 bytes */
		uint64_t bytes = map.span ? (n * map.bytes + 127) / 128 * 128 : n * map.bytes;
		if (!mem_at(w, &other, 1u << i, SP_SHARED, bytes, at))
			return;
		if (w->addr[i] % (map.span ? 128 : 16)) {
			exec_fail(w, o, 1u << i, "misaligned",
				"found a box at byte %llu of .shared, wanted a multiple of %d",
				(unsigned long long)w->addr[i], map.span ? 128 : 16);
			return;
		}
		for (uint64_t k = 0; k < n; k++)
			if (!copy_element(w, &b, k, w->addr[i], at[i])) {
				check_outside(w, o, i, SP_GLOBAL, map.addr, map.bytes);
				return;
			}
		if (!b.store)
			check_mark(w->cta, at[i], n * map.bytes);
		if (x->aux[2] && !async_complete(w, o, i, n * map.bytes))
			return;
	}
}

int bind_tensor_copy(struct bind *b, struct op *o)
{
	static const enum modifier dims[TENSOR_RANK] = {M_1D, M_2D, M_3D, M_4D, M_5D};
	const struct stmt *in = b->in;
	const struct operand *k = in->operand;
	struct ext *x = bind_ext(b, o);
	bool load = has(in, M_MBARRIER__COMPLETE_TX__BYTES);
	const struct operand *map = &k[load], *shared = &k[!load];
	struct op other = {.mode = 0};

	if (has(in, M_REDUCE) || has(in, M_MULTICAST__CLUSTER) || has(in, M_IM2COL) ||
		has(in, M_TILE__GATHER4) || has(in, M_TILE__SCATTER4))
		return bind_refuse(b, "tensor copies other than of tiles to and from one thread block");
	if (bind_operands(b, load ? 3 : 2, (load ? 3u : 2u) + has(in, M_L2__CACHE_HINT)))
		return -1;
	for (unsigned d = 0; d < TENSOR_RANK; d++)
		if (has(in, dims[d]))
			o->n = (uint8_t)(d + 1);
	if (!o->n || map->kind != O_ADDR || map->n != 1 || map->elem[0].kind != O_VEC ||
		map->elem[0].n != o->n)
		return bind_fault(b, map, "operand", "found no [map, {coordinates}] of %s, wanted %u of them",
			in->text, o->n);
	struct operand plain = *map;
	plain.n = 0;
	if (bind_address(b, o, &plain, SP_GENERIC) || bind_address(b, &other, shared, SP_SHARED))
		return -1;
	for (unsigned d = 0; d < o->n; d++)
		if ((x->slot[8 + d] = bind_src(b, &map->elem[0].elem[d], T_S32)) == UINT32_MAX)
			return -1;
	x->slot[0] = other.a;
	x->value[0] = (uint64_t)other.imm;
	x->aux[0] = other.mode;
	x->aux[2] = load;
	x->aux[4] = !load;
	if (load) {
		other.mode = 0;
		if (bind_address(b, &other, &k[2], SP_SHARED))
			return -1;
		x->slot[1] = other.a;
		x->value[1] = (uint64_t)other.imm;
		x->aux[3] = other.mode;
	}
	o->fn = copy_box;
	return 0;
}
