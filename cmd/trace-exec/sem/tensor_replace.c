/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tensor maps that kernels change: tensormap.replace, which replaces a field of a map in memory, and
 * tensormap.cp_fenceproxy, which copies a map from shared to global memory.
 */
#include <string.h>
#include "exec/check.h"
#include "sem/async.h"

/* A replacement of a field. */
struct map_change {
	struct address map;
	uint8_t field, ord;
	uint32_t value; /* slot of the value */
	bool is_64_bit; /* the value has 64 bits */
};

/* A copy of a map. */
struct map_copy {
	struct address target, source;
};

/*
 * Finds the host address of a lane's map and checks the access to `bytes` bytes at an offset in it. Returns NULL if the
 * launch has failed.
 */
static uint8_t *find_changed_map(struct warp *w, const struct op *o, const struct address *a, unsigned lane,
	unsigned offset, unsigned bytes, bool write)
{
	uint8_t *at = address_find_host(w, o, a, lane, TENSOR_MAP_BYTES);

	if (!at)
		return NULL;
	if (w->addr[lane] % 64) {
		exec_fail(w, o, 1u << lane, "misaligned",
			"tensor map at byte 0x%llx of .%s (expected a multiple of 64)",
			(unsigned long long)w->addr[lane], space_name[w->space]);
		return NULL;
	}
	w->addr[lane] += offset;
	return check_lane_span(w, o, (enum state_space)w->space, lane, bytes, at + offset, write) ? at : NULL;
}

static void replace_map_field(struct warp *w, const struct op *o, uint32_t m)
{
	const struct map_change *x = o->x->family;
	enum tensor_field f = (enum tensor_field)x->field;
	unsigned offset = tensor_field_offset(f, x->ord);

	w->changed = true;
	FOR_BITS32 (i, m) {
		uint8_t *map = find_changed_map(w, o, &x->map, i, offset, f == TENSOR_ADDRESS ? 8 : 4, true);

		if (!map)
			return;
		tensor_field_set(
			map, f, x->ord, x->is_64_bit ? REG(u64, w, x->value)[i] : REG(u32, w, x->value)[i]);
	}
}

static void copy_map(struct warp *w, const struct op *o, uint32_t m)
{
	const struct map_copy *x = o->x->family;

	w->changed = true;
	FOR_BITS32 (i, m) {
		uint8_t *from = find_changed_map(w, o, &x->source, i, 0, TENSOR_MAP_BYTES, false), *to;

		if (!from || !(to = find_changed_map(w, o, &x->target, i, 0, TENSOR_MAP_BYTES, true)))
			return;
		memmove(to, from, TENSOR_MAP_BYTES);
	}
}

/* ---- binding ---- */

static const enum modifier field_names[N_TENSOR_FIELDS] = {
	[TENSOR_ADDRESS] = M_GLOBAL_ADDRESS,
	[TENSOR_RANK_LESS_1] = M_RANK,
	[TENSOR_ELEMENT] = M_ELEMTYPE,
	[TENSOR_INTERLEAVE] = M_INTERLEAVE_LAYOUT,
	[TENSOR_SWIZZLE] = M_SWIZZLE_MODE,
	[TENSOR_FILL] = M_FILL_MODE,
	[TENSOR_ATOMICITY] = M_SWIZZLE_ATOMICITY,
	[TENSOR_STRIDE] = M_GLOBAL_STRIDE,
	[TENSOR_DIM] = M_GLOBAL_DIM,
	[TENSOR_STEP] = M_ELEMENT_STRIDE,
	[TENSOR_BOX] = M_BOX_DIM,
};

/* Binds "[to], [from], 128". */
static int bind_map_copy(struct bind *b, struct op *o)
{
	const struct stmt *in = b->stmt;
	const struct operand *k = in->operand;
	struct map_copy *x = bind_ext(b, o)->family = arena_alloc(&b->code->arena, 1, sizeof(*x));

	if (!stmt_has(in, M_GLOBAL) || !stmt_has(in, M_SHARED__CTA) || !stmt_has(in, M_TENSORMAP__GENERIC) ||
		!stmt_has(in, M_RELEASE) || !stmt_has(in, M_SYNC) || !stmt_has(in, M_ALIGNED))
		return bind_fault(b, NULL, "suffix",
			"%s (expected .global.shared::cta.tensormap::generic.release.SCOPE.sync.aligned)",
			in->text);
	if (bind_operands(b, 3, 3))
		return -1;
	if (k[2].kind != O_INT || k[2].value != TENSOR_MAP_BYTES)
		return bind_fault(b, &k[2], "operand", "wrong size of a tensor map (expected 128)");
	o->execute = copy_map;
	return address_bind(b, &x->target, &k[0], SP_GLOBAL) || address_bind(b, &x->source, &k[1], SP_SHARED)
		       ? -1
		       : 0;
}

/* Binds "[map], ord, value", without ord if the field has one value. */
static int bind_map_change(struct bind *b, struct op *o)
{
	const struct stmt *in = b->stmt;
	const struct operand *k = in->operand;
	struct map_change *x = bind_ext(b, o)->family = arena_alloc(&b->code->arena, 1, sizeof(*x));
	enum state_space space = stmt_has(in, M_SHARED__CTA) ? SP_SHARED
				 : stmt_has(in, M_GLOBAL)    ? SP_GLOBAL
							     : SP_GENERIC;
	unsigned f = 0;

	while (f < N_TENSOR_FIELDS && !stmt_has(in, field_names[f]))
		f++;
	if (f == N_TENSOR_FIELDS || !stmt_has(in, M_TILE) || !stmt_has(in, M_B1024))
		return bind_fault(b, NULL, "suffix", "%s (expected .tile, a field and .b1024)", in->text);
	x->field = (uint8_t)f;
	x->is_64_bit = f == TENSOR_ADDRESS || f == TENSOR_STRIDE;
	unsigned most = tensor_field_values((enum tensor_field)f), n = most > 1 ? 3 : 2;
	if (bind_types(b, 1) || bind_operands(b, n, n))
		return -1;
	if (in->type[0] != (x->is_64_bit ? T_B64 : T_B32))
		return bind_fault(
			b, NULL, "types", "%s (expected .%s)", in->text, x->is_64_bit ? "b64" : "b32");
	if (most > 1) {
		if (k[1].kind != O_INT || k[1].value < 0 || k[1].value >= (int64_t)most)
			return bind_fault(b, &k[1], "operand", "no dimension (expected 0 to %u)", most - 1);
		x->ord = (uint8_t)k[1].value;
	}
	o->execute = replace_map_field;
	x->value = bind_src(b, &k[n - 1], (enum type)in->type[0]);
	return address_bind(b, &x->map, &k[0], space) || x->value == UINT32_MAX ? -1 : 0;
}

int bind_tensormap(struct bind *b, struct op *o)
{
	if (stmt_has(b->stmt, M_CP_FENCEPROXY))
		return bind_map_copy(b, o);
	if (stmt_has(b->stmt, M_REPLACE))
		return bind_map_change(b, o);
	return bind_fault(b, NULL, "suffix", "%s (expected .replace or .cp_fenceproxy)", b->stmt->text);
}
