/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Surfaces: suld, sust, sured; queries of textures and surfaces (txq, suq, istypep).
 *
 * The first coordinate of an unformatted access (.b) counts bytes, which are moved unchanged. A formatted
 * access (.p) counts texels and writes 32-bit numbers to the channels, truncated to their bits.
 *
 * Always true: coordinates outside of the surface end the launch (.trap, the default), are moved to the
 * nearest ones inside (.clamp), or read zeros and write nothing (.zero). The checks treat a surface as global
 * memory.
 */
#include "exec/check.h"
#include "sem/atom.h"
#include "sem/texture.h"

/*
 * Sets w->addr of a lane to the address of its access. Returns 1; 0 if the access is outside, so that it is not
 * made; -1 if the launch has failed.
 */
static int surface_address(struct warp *w, const struct op *o, const struct surface_access *x,
	const struct texture *t, unsigned lane)
{
	uint32_t each = texture_texel_bytes(t), bytes = x->formatted ? each : (uint32_t)o->bytes * o->n;
	int64_t most[3] = {x->formatted ? (int64_t)t->width - 1 : (int64_t)t->width * each - bytes,
		(int64_t)t->height - 1, (int64_t)t->depth - 1};
	int64_t v[3] = {0},
		layer = x->geometry.layered ? (int64_t)REG(u32, w, x->geometry.layer_slot)[lane] : 0;
	bool inside = layer < t->layers;

	for (unsigned d = 0; d < x->geometry.n; d++) {
		int64_t c = REG(s32, w, x->geometry.coordinate_slot[d])[lane];

		v[d] = c < 0 || most[d] < 0 ? 0 : c > most[d] ? most[d] : c;
		inside = inside && c >= 0 && c <= most[d];
	}
	layer = layer < t->layers ? layer : t->layers - 1;
	if (!inside && x->outside == OUTSIDE_TRAP) {
		exec_fail(w, o, 1u << lane, "out-of-bounds",
			"coordinates (%d,%d,%d) in layer %u, outside a surface of %u x %u x %u texels of %u bytes, %u layers",
			REG(s32, w, x->geometry.coordinate_slot[0])[lane],
			x->geometry.n > 1 ? REG(s32, w, x->geometry.coordinate_slot[1])[lane] : 0,
			x->geometry.n > 2 ? REG(s32, w, x->geometry.coordinate_slot[2])[lane] : 0,
			x->geometry.layered ? REG(u32, w, x->geometry.layer_slot)[lane] : 0, t->width,
			t->height, t->depth, each, t->layers);
		return -1;
	}
	if (!x->formatted && inside && v[0] % bytes) {
		exec_fail(w, o, 1u << lane, "misaligned",
			"byte %lld of a row of a surface (expected a multiple of %u)", (long long)v[0],
			bytes);
		return -1;
	}
	v[0] -= x->formatted ? 0 : v[0] % bytes;
	w->addr[lane] = texture_texel_address(t, 0, (uint32_t)v[1], (uint32_t)v[2], (uint32_t)layer) +
			(uint64_t)v[0] * (x->formatted ? each : 1);
	return inside || x->outside == OUTSIDE_CLAMP;
}

bool surface_find(struct warp *w, const struct op *o, const struct surface_access *x, unsigned lane,
	bool write, const struct texture **t, uint8_t **at)
{
	uint8_t *all[LANES];
	uint64_t bytes;
	int in;

	*at = NULL;
	if (!(*t = geometry_find_texture(w, o, &x->geometry, lane, true)) ||
		(in = surface_address(w, o, x, *t, lane)) < 0)
		return false;
	if (!in)
		return true;
	bytes = x->formatted ? texture_texel_bytes(*t) : (uint64_t)o->bytes * o->n;
	if (!mem_find_host(w, o, 1u << lane, SP_GLOBAL, bytes, all))
		return false;
	*at = all[lane];
	if (!w->grid->options->check)
		return true;
	return write ? check_write(w, o, 1u << lane, bytes, all) : check_read(w, o, 1u << lane, bytes, all);
}

/* Returns a lane's register of 16, 32 or 64 bits. */
static u64 read_register(const struct warp *w, uint32_t slot, unsigned bytes, unsigned lane)
{
	return bytes == 2   ? REG(u16, w, slot)[lane]
	       : bytes == 4 ? REG(u32, w, slot)[lane]
			    : REG(u64, w, slot)[lane];
}

static void execute_suld(struct warp *w, const struct op *o, uint32_t m)
{
	const struct ext *x = o->x;

	exec_compute_addresses(w, o);
	FOR_BITS32 (i, m) {
		const struct texture *t;
		uint8_t *at;

		if (!surface_find(w, o, o->x->family, i, false, &t, &at))
			return;
		for (unsigned k = 0; k < o->n; k++) {
			u64 v = 0;

			if (at)
				memcpy(&v, at + k * o->bytes, o->bytes);
			if (x->bytes[k] == 2)
				REG(u16, w, x->slot[k])[i] = (u16)v;
			else if (x->bytes[k] == 4)
				REG(u32, w, x->slot[k])[i] = (u32)v;
			else
				REG(u64, w, x->slot[k])[i] = v;
		}
	}
}

static void execute_sust(struct warp *w, const struct op *o, uint32_t m)
{
	const struct surface_access *x = o->x->family;

	w->changed = true;
	exec_compute_addresses(w, o);
	FOR_BITS32 (i, m) {
		const struct texture *t;
		u32 four[4] = {0};
		uint8_t *at;

		if (!surface_find(w, o, o->x->family, i, true, &t, &at))
			return;
		for (unsigned k = 0; at && k < o->n; k++) {
			u64 v = read_register(w, o->x->slot[k], o->x->bytes[k], i);

			if (!x->formatted)
				memcpy(at + k * o->bytes, &v, o->bytes);
			four[k] = (u32)v;
		}
		if (at && x->formatted)
			texture_write_texel(t, at, four);
	}
}

bool surface_reduce(struct warp *w, const struct op *o, const struct surface_access *x, unsigned lane, u64 v)
{
	const struct texture *t;
	u64 old = 0;
	uint8_t *at;

	if (!surface_find(w, o, x, lane, true, &t, &at))
		return false;
	if (at && x->formatted && texture_texel_bytes(t) != o->bytes) {
		exec_fail(w, o, 1u << lane, "surface",
			"reduction of %u bytes in texels of %u bytes (expected equal sizes)", o->bytes,
			texture_texel_bytes(t));
		return false;
	}
	if (!at)
		return true;
	pthread_mutex_lock(&w->mem->lock);
	memcpy(&old, at, o->bytes);
	v = atom_new_value(x->atom, x->typed && t->kind == TEXEL_SIGNED ? T_S32 : x->type, old, v, 0);
	memcpy(at, &v, o->bytes);
	pthread_mutex_unlock(&w->mem->lock);
	return true;
}

static void execute_sured(struct warp *w, const struct op *o, uint32_t m)
{
	w->changed = true;
	exec_compute_addresses(w, o);
	FOR_BITS32 (i, m)
		if (!surface_reduce(w, o, o->x->family, i, read_register(w, o->x->slot[0], o->bytes, i)))
			return;
}

/* ---- queries ---- */

/* Returns OpenCL's number for the channel type, because PTX uses OpenCL's names. */
static uint32_t channel_data_type(const struct texture *t)
{
	static const uint16_t whole[3][3] = {
		[TEXEL_SIGNED] = {0x10d7, 0x10d8, 0x10d9},
		[TEXEL_UNSIGNED] = {0x10da, 0x10db, 0x10dc},
		[TEXEL_FLOAT] = {0, 0x10dd, 0x10de},
	};
	unsigned size = t->bits / 16u;

	if (t->read_float)
		return (t->kind == TEXEL_SIGNED ? 0x10d0u : 0x10d2u) + size;
	return whole[t->kind][size];
}

static uint32_t texture_query_value(const struct texture *t, uint32_t what)
{
	static const uint8_t modes[] = {
		[TEXTURE_WRAP] = 0, [TEXTURE_MIRROR] = 1, [TEXTURE_CLAMP] = 2, [TEXTURE_BORDER] = 4};

	switch (what) {
	case M_WIDTH: return t->width;
	case M_HEIGHT: return t->height;
	case M_DEPTH: return t->depth;
	case M_ARRAY_SIZE: return t->layers;
	case M_NUM_MIPMAP_LEVELS: return t->levels;
	case M_NUM_SAMPLES: return 1;
	case M_MEMORY_LAYOUT: return 1; /* linear */
	case M_CHANNEL_DATA_TYPE: return channel_data_type(t);
	case M_CHANNEL_ORDER: return t->channels == 1 ? 0x10b0 : t->channels == 2 ? 0x10b2 : 0x10b5;
	case M_NORMALIZED_COORDS: return t->normalized;
	case M_FILTER_MODE: return t->sampler.linear;
	case M_FORCE_UNNORMALIZED_COORDS: return t->sampler.unnormalized;
	default: return modes[t->sampler.mode[what - M_ADDR_MODE_0]];
	}
}

static bool is_sampler_query(uint32_t what)
{
	return what == M_FILTER_MODE || what == M_FORCE_UNNORMALIZED_COORDS || what == M_ADDR_MODE_0 ||
	       what == M_ADDR_MODE_1 || what == M_ADDR_MODE_2;
}

static void execute_query(struct warp *w, const struct op *o, uint32_t m)
{
	uint32_t what = o->x->aux[0];

	exec_compute_addresses(w, o);
	FOR_BITS32 (i, m) {
		struct texture level = {.levels = 1};
		const struct texture *t = &level;

		if (!is_sampler_query(what) ||
			!texture_find_sampler(w->grid->textures, w->mem, w->addr[i], &level.sampler))
			t = geometry_find_texture(w, o, NULL, i, o->is_signed);
		if (!t)
			return;
		if (o->n) {
			uint32_t n = REG(u32, w, o->b)[i];

			level = texture_level(t, n < t->levels ? n : t->levels - 1u);
			t = &level;
		}
		REG(u32, w, o->d)[i] = texture_query_value(t, what);
	}
}

static void execute_istypep(struct warp *w, const struct op *o, uint32_t m)
{
	const u64 *a = REG(u64, w, o->a);
	u32 is = 0;

	FOR_BITS32 (i, m) {
		const struct texture *t = texture_find(w->grid->textures, w->mem, a[i]);
		struct sampler s;
		bool sampler = texture_find_sampler(w->grid->textures, w->mem, a[i], &s);

		is |= (u32)(o->n ? t && !sampler && t->surface == (o->n == 2) : sampler) << i;
	}
	PRED(w, o->d) = (PRED(w, o->d) & ~m) | is;
}

/* ---- binding ---- */

static int bind_surface_access(struct bind *b, struct op *o, const struct operand *at)
{
	struct surface_access *x = o->x->family;

	if (!geometry_find(b->stmt, &x->geometry))
		return bind_fault(
			b, NULL, "suffix", "no dimensions in %s (expected one such as .2d)", b->stmt->text);
	x->formatted = stmt_has(b->stmt, M_P);
	x->outside = stmt_has(b->stmt, M_CLAMP)  ? OUTSIDE_CLAMP
		     : stmt_has(b->stmt, M_ZERO) ? OUTSIDE_ZERO
						 : OUTSIDE_TRAP;
	if (x->formatted == stmt_has(b->stmt, M_B))
		return bind_fault(b, NULL, "suffix", "%s (expected .b or .p)", b->stmt->text);
	o->memory = 1;
	o->space = SP_GLOBAL;
	return geometry_bind(b, o, at, &x->geometry, T_S32);
}

/* Binds the registers that are loaded or stored. */
static int bind_surface_data(struct bind *b, struct op *o, const struct operand *data, bool write)
{
	enum type t = (enum type)b->stmt->type[0];
	struct ext *x = o->x;

	o->n = stmt_has(b->stmt, M_V2) ? 2 : stmt_has(b->stmt, M_V4) ? 4 : 1;
	o->bytes = (uint8_t)(types[t].bits / 8);
	if (!o->bytes || o->bytes > 8 || o->bytes * o->n > 16)
		return bind_fault(b, NULL, "types", "%s (expected at most 16 bytes)", b->stmt->text);
	if (o->n > 1 && (data->kind != O_VEC || data->n != o->n))
		return bind_fault(
			b, data, "operand", "not a vector of %u elements (expected {..})", (unsigned)o->n);
	const struct operand *e = data->kind == O_VEC ? data->elem : data;
	for (unsigned k = 0; k < o->n; k++) {
		x->slot[k] = write ? bind_src_any(b, &e[k], t, &x->bytes[k])
				   : bind_dst_any(b, &e[k], o->bytes, &x->bytes[k]);
		if (x->slot[k] == UINT32_MAX)
			return -1;
	}
	return 0;
}

static struct surface_access *new_surface_access(struct bind *b, struct op *o)
{
	return bind_ext(b, o)->family = arena_alloc(&b->code->arena, 1, sizeof(struct surface_access));
}

int bind_suld(struct bind *b, struct op *o)
{
	new_surface_access(b, o);
	o->execute = execute_suld;
	return bind_types(b, 1) || bind_operands(b, 2, 2) ||
			       bind_surface_access(b, o, &b->stmt->operand[1]) ||
			       bind_surface_data(b, o, &b->stmt->operand[0], false)
		       ? -1
		       : 0;
}

int bind_sust(struct bind *b, struct op *o)
{
	const struct surface_access *x = new_surface_access(b, o);

	o->execute = execute_sust;
	if (bind_types(b, 1) || bind_operands(b, 2, 2) || bind_surface_access(b, o, &b->stmt->operand[0]) ||
		bind_surface_data(b, o, &b->stmt->operand[1], true))
		return -1;
	if (x->formatted && types[b->stmt->type[0]].bits != 32)
		return bind_fault(
			b, NULL, "types", "%s (expected a formatted store of 32 bits)", b->stmt->text);
	return 0;
}

int bind_sured(struct bind *b, struct op *o)
{
	struct surface_access *x = new_surface_access(b, o);
	const struct stmt *in = b->stmt;

	o->execute = execute_sured;
	if (bind_types(b, 1) || bind_operands(b, 2, 2) || bind_surface_access(b, o, &in->operand[0]) ||
		bind_surface_data(b, o, &in->operand[1], true))
		return -1;
	x->typed = x->formatted && in->type[0] == T_B32;
	x->type = x->typed ? T_U32 : (enum type)in->type[0];
	if (o->bytes < 4 || !atom_find_operation(in, x->type, &x->atom))
		return bind_fault(b, NULL, "types", "%s (expected one operation and a type that it supports)",
			in->text);
	b->frame->order |= atom_order_bits(x->atom, x->type);
	return 0;
}

int bind_query(struct bind *b, struct op *o)
{
	static const uint16_t known[] = {M_WIDTH, M_HEIGHT, M_DEPTH, M_ARRAY_SIZE, M_NUM_MIPMAP_LEVELS,
		M_NUM_SAMPLES, M_MEMORY_LAYOUT, M_CHANNEL_DATA_TYPE, M_CHANNEL_ORDER, M_NORMALIZED_COORDS,
		M_FILTER_MODE, M_FORCE_UNNORMALIZED_COORDS, M_ADDR_MODE_0, M_ADDR_MODE_1, M_ADDR_MODE_2};
	const struct stmt *in = b->stmt;
	struct ext *x = bind_ext(b, o);
	unsigned level = stmt_has(in, M_LEVEL);

	for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		x->aux[0] = stmt_has(in, (enum modifier)known[i]) ? known[i] : x->aux[0];
	if (!x->aux[0])
		return bind_fault(
			b, NULL, "suffix", "%s without a query (expected one such as .width)", in->text);
	if (bind_types(b, 1) || bind_operands(b, 2 + level, 2 + level) ||
		bind_address(b, o, &in->operand[1], SP_GENERIC))
		return -1;
	o->n = (uint8_t)level;
	if (level && (o->b = bind_src(b, &in->operand[2], T_B32)) == UINT32_MAX)
		return -1;
	o->is_signed = in->opcode == I_suq;
	o->execute = execute_query;
	return (o->d = bind_dst(b, &in->operand[0], 32)) == UINT32_MAX ? -1 : 0;
}

int bind_istypep(struct bind *b, struct op *o)
{
	const struct stmt *in = b->stmt;

	if (bind_types(b, 1) || bind_operands(b, 2, 2))
		return -1;
	o->n = in->type[0] == T_TEXREF ? 1 : in->type[0] == T_SURFREF ? 2 : 0;
	o->execute = execute_istypep;
	o->d = bind_dst(b, &in->operand[0], 1);
	o->a = bind_src(b, &in->operand[1], T_B64);
	return o->d == UINT32_MAX || o->a == UINT32_MAX ? -1 : 0;
}
