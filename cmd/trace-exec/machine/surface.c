/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Accesses to surfaces: SULD SUST SURED.
 *
 * Coordinates are in a, the layer last; data are in d or b. The handle is in a constant bank, in the register of bits
 * 64-71, or in a uniform register, as for textures. With .BA the first coordinate counts bytes, else texels.
 */
#include "machine/memory.h"
#include "machine/texture.h"

struct machine_surface { /* x->family */
	struct surface_access access;
	uint32_t handle; /* slot of the handle */
	uint32_t data;   /* slot of the first data register */
	uint8_t mask;    /* channels that SUST.P stores */
};

static void set_surface_handle(struct warp *w, const struct machine_surface *x, unsigned lane)
{
	w->addr[lane] = TEXTURE_HANDLE + REG(u32, w, x->handle)[lane];
}

static void load_surface(struct warp *w, const struct op *o, uint32_t m)
{
	const struct machine_surface *x = o->x->family;
	u32 word[LANES][4] = {{0}};

	FOR_BITS32 (i, m) {
		const struct texture *t;
		uint8_t *at;

		set_surface_handle(w, x, i);
		if (!surface_find(w, o, &x->access, i, false, &t, &at))
			return;
		if (at)
			memcpy(word[i], at, o->bytes * o->n);
		if (o->is_signed)
			word[i][0] = o->bytes == 1 ? (u32)(s32)(s8)word[i][0] : (u32)(s32)(s16)word[i][0];
	}
	FOR_BITS32 (i, m)
		for (unsigned k = 0; k < o->n; k++)
			REG(u32, w, o->d + k * VECTOR)[i] = word[i][k];
	set_pred(w, PDST1(o), m, 0);
}

static void store_surface(struct warp *w, const struct op *o, uint32_t m)
{
	const struct machine_surface *x = o->x->family;
	const u32 *data = REG(u32, w, x->data);

	w->changed = true;
	FOR_BITS32 (i, m) {
		const struct texture *t;
		u32 word[4] = {0};
		uint8_t *at;

		set_surface_handle(w, x, i);
		if (!surface_find(w, o, &x->access, i, true, &t, &at))
			return;
		if (x->access.formatted) {
			for (unsigned c = 0, k = 0; c < 4; c++)
				if (x->mask >> c & 1)
					word[c] = data[i + LANES * k++];
			if (at)
				texture_write_texel(t, at, word);
			continue;
		}
		for (unsigned k = 0; k < o->n; k++)
			word[k] = data[i + LANES * k];
		if (at)
			memcpy(at, word, o->bytes * o->n);
	}
}

static void reduce_surface(struct warp *w, const struct op *o, uint32_t m)
{
	const struct machine_surface *x = o->x->family;
	const u32 *data = REG(u32, w, x->data);

	w->changed = true;
	FOR_BITS32 (i, m) {
		u64 v = data[i] | (o->bytes == 8 ? (u64)data[i + LANES] << 32 : 0);

		set_surface_handle(w, x, i);
		if (!surface_reduce(w, o, &x->access, i, v))
			return;
	}
}

/* ---- binding ---- */

static bool find_surface_geometry(struct mbind *b, struct geometry *g)
{
	static const struct geometry known[8] = {
		{.shape = TEXTURE_1D, .n = 1},
		{.n = 0},
		{.shape = TEXTURE_1D, .n = 1, .layered = true},
		{.shape = TEXTURE_2D, .n = 2},
		{.shape = TEXTURE_2D, .n = 2, .layered = true},
		{.shape = TEXTURE_3D, .n = 3},
	};
	uint32_t a;

	*g = known[field(b, 61, 3)];
	a = mbind_reg(b, 24, g->n + g->layered);
	for (unsigned i = 0; i < g->n; i++)
		g->coordinate_slot[i] = a + i * VECTOR;
	g->layer_slot = a + g->n * VECTOR;
	return g->n;
}

/*
 * Binds the coordinates, the handle and the mode for coordinates outside. Returns NULL with the fault set on
 * failure.
 */
static struct machine_surface *bind_surface(struct mbind *b, struct op *o)
{
	static const uint8_t outside[4] = {OUTSIDE_ZERO, OUTSIDE_CLAMP, OUTSIDE_TRAP, OUTSIDE_TRAP};
	struct machine_surface *x = arena_alloc(&b->bound->arena, 1, sizeof(*x));
	unsigned op = b->inst->opcode & 0x1ff;
	bool in_reg = op == 0x19a || op == 0x19c || op == 0x19e || op == 0x1a0;

	o->x = arena_alloc(&b->bound->arena, 1, sizeof(*o->x));
	o->x->family = x;
	o->space = SP_GLOBAL;
	x->access.outside = outside[field(b, 59, 2)];
	if (in_reg)
		x->handle = mbind_reg(b, 64, 1);
	else if (!texture_bind_handle(b, &x->handle, 255)) {
		mbind_refuse(b, "handle");
		return NULL;
	}
	if (!find_surface_geometry(b, &x->access.geometry) || field(b, 59, 2) == 3) {
		mbind_refuse(b, "mode");
		return NULL;
	}
	return x;
}

/* Sets the size of an unformatted access. */
static int bind_surface_bytes(struct mbind *b, struct op *o)
{
	static const uint8_t size[8] = {1, 1, 2, 2, 4, 8, 16, 0};
	unsigned n = (unsigned)field(b, 73, 3), bytes = size[n];

	o->n = (uint8_t)(bytes > 4 ? bytes / 4 : 1);
	o->bytes = (uint8_t)(bytes > 4 ? 4 : bytes);
	o->is_signed = n == 1 || n == 3;
	return bytes && bit(b, 72) ? 0 : mbind_refuse(b, "mode");
}

int mbind_load_surface(struct mbind *b, struct op *o)
{
	if (!bind_surface(b, o) || bind_surface_bytes(b, o))
		return -1;
	o->d = mbind_dst(b, 16, o->n);
	o->target = mbind_pdst(b, 81, false);
	machine_set_function(o, load_surface);
	return 0;
}

int mbind_store_surface(struct mbind *b, struct op *o)
{
	struct machine_surface *x = bind_surface(b, o);
	unsigned op = b->inst->opcode & 0x1ff;

	if (!x)
		return -1;
	b->func->inst[b->index].opcode = I_sust;
	machine_set_function(o, store_surface);
	x->access.formatted = op == 0x19b || op == 0x19c;
	if (!x->access.formatted) {
		x->data = mbind_reg(b, 32, 4);
		return bind_surface_bytes(b, o);
	}
	x->mask = (uint8_t)field(b, 72, 4);
	x->data = mbind_reg(b, 32, 4);
	o->bytes = 4;
	o->n = 1;
	return 0;
}

int mbind_reduce_surface(struct mbind *b, struct op *o)
{
	static const enum type types_of[8] = {T_U32, T_S32, T_U64, T_NONE, T_NONE, T_S64, T_NONE, T_NONE};
	struct machine_surface *x = bind_surface(b, o);

	if (!x)
		return -1;
	b->func->inst[b->index].opcode = I_sured;
	x->access.atom = (enum atom)field(b, 87, 3); /* operations in the order of enum atom */
	x->access.formatted = !bit(b, 72);
	x->access.typed = x->access.formatted && field(b, 73, 3) == 6;
	x->access.type =
		memory_reduction_type(x->access.atom, x->access.typed ? T_U32 : types_of[field(b, 73, 3)]);
	if (x->access.type == T_NONE || !atom_is_supported(x->access.atom, x->access.type))
		return mbind_refuse(b, "type");
	o->bytes = (uint8_t)(types[x->access.type].bits / 8);
	o->n = 1;
	x->data = mbind_reg(b, 32, 2);
	b->bound->frame[b->func->number].order |= atom_order_bits(x->access.atom, x->access.type);
	machine_set_function(o, reduce_surface);
	return 0;
}
