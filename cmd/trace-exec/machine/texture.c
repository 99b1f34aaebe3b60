/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fetches from textures (TEX TLD TLD4 TXD), and queries of their dimensions (TXQ).
 *
 * The handle of a texture has 32 bits: in a constant bank (until sm_89), in a general register (.B, until sm_89), or in
 * a uniform register (from sm_90 on). The operands are the coordinates, with the layer first, then the handle (.B),
 * the level of detail and the offsets. Without .SCR the coordinates are in a, the others in b. With .SCR the first half
 * of all operands is in a, the rest in b. TXD has the handle, the coordinates and the layer in a, the gradients in b.
 * The first two results are in d, the others start at the register in bits 64-71.
 *
 * Always true: no register is written before all lanes have fetched, because the lanes of a quad read the coordinates
 * of each other.
 */
#include "machine/texture.h"

/* ---- operands ---- */

struct machine_fetch { /* x->family */
	struct texture_fetch fetch;
	struct texture_fetch fetch_1d; /* fetch from a 1D texture by an instruction of two dimensions */
	bool has_fetch_1d;
	uint32_t handle;         /* slot of the handle */
	uint8_t n;               /* number of results */
	uint8_t channel[4];      /* channel of each result */
	uint32_t result_slot[4]; /* slot of each result */
};

/* Slots of the operands of a fetch in their order, and the number of the next one to bind. */
struct operand_sequence {
	uint32_t slot[8];
	unsigned n, next;
};

bool texture_bind_handle(struct mbind *b, uint32_t *slot, unsigned unused)
{
	unsigned form = b->inst->opcode >> 9 & 7;

	if (form == 7) {
		*slot = mbind_ureg(b, 40);
		return b->code->sm >= 100 ? field(b, 48, 8) == unused : field(b, 46, 13) == 0;
	}
	*slot = mbind_bank_constant(b, (unsigned)field(b, 54, 5), (uint32_t)field(b, 40, 14) * 4, 1);
	return true;
}

static bool is_handle_in_register(const struct mbind *b) { return (b->inst->opcode & 0xe00) == 0x200; }

/*
 * Adds n0 operands from a and n1 from b, or, with .SCR (packed), half of all from each. Returns false if a or b would
 * have more than 4.
 */
static bool bind_operand_sequence(
	struct mbind *b, struct operand_sequence *s, unsigned n0, unsigned n1, bool packed)
{
	unsigned in_a = packed ? (n0 + n1 + 1) / 2 : n0, in_b = n0 + n1 - in_a;
	uint32_t at;

	if (in_a > 4 || in_b > 4)
		return false;
	at = mbind_reg(b, 24, in_a);
	for (unsigned i = 0; i < in_a; i++)
		s->slot[s->n++] = at + i * VECTOR;
	at = mbind_reg(b, 32, in_b);
	for (unsigned i = 0; i < in_b; i++)
		s->slot[s->n++] = at + i * VECTOR;
	return true;
}

static uint32_t take_next_operand(struct operand_sequence *s) { return s->slot[s->next++]; }

static bool find_texture_geometry(const struct mbind *b, struct geometry *g)
{
	static const struct geometry known[8] = {
		{.shape = TEXTURE_1D, .n = 1},
		{.shape = TEXTURE_2D, .n = 2},
		{.shape = TEXTURE_3D, .n = 3},
		{.shape = TEXTURE_CUBE, .n = 3},
		{.shape = TEXTURE_1D, .n = 1, .layered = true},
		{.shape = TEXTURE_2D, .n = 2, .layered = true},
		{.n = 0},
		{.shape = TEXTURE_CUBE, .n = 3, .layered = true},
	};

	*g = known[field(b, 61, 3)];
	return g->n;
}

static void bind_coordinates(struct operand_sequence *s, struct geometry *g)
{
	if (g->layered)
		g->layer_slot = take_next_operand(s);
	for (unsigned i = 0; i < g->n; i++)
		g->coordinate_slot[i] = take_next_operand(s);
}

/* Binds the registers of the results: one for each channel of the mask, or two with packed halves. */
static void bind_fetch_results(struct mbind *b, struct machine_fetch *x)
{
	uint32_t first, second;

	for (uint8_t c = 0; c < 4; c++)
		if (bit(b, 72 + c))
			x->channel[x->n++] = c;
	if (x->fetch.half)
		x->n = 2;
	unsigned in_first = x->fetch.half ? 1 : x->n < 2 ? x->n : 2;
	first = mbind_dst(b, 16, in_first);
	second = mbind_dst(b, 64, x->n - in_first);
	for (unsigned i = 0; i < x->n; i++)
		x->result_slot[i] = i < in_first ? first + i * VECTOR : second + (i - in_first) * VECTOR;
}

/* ---- execution ---- */

/* Returns the fetch for a lane's texture: x->fetch_1d if the texture has one dimension. */
static const struct texture_fetch *fetch_for_lane_texture(
	const struct warp *w, const struct machine_fetch *x, unsigned lane)
{
	const struct texture *t =
		x->has_fetch_1d ? texture_find(w->grid->textures, w->mem, w->addr[lane]) : NULL;

	return t && (t->shape == TEXTURE_1D || t->shape == TEXTURE_LINEAR) && !t->layered ? &x->fetch_1d
											  : &x->fetch;
}

static void fetch_texels(struct warp *w, const struct op *o, uint32_t m)
{
	const struct machine_fetch *x = o->x->family;
	const u32 *handle = REG(u32, w, x->handle);
	uint32_t v[LANES][4];
	uint64_t addr[LANES];
	struct texel_reads reads;

	texture_start_reads(&reads);
	FOR_BITS32 (i, m) {
		w->addr[i] = TEXTURE_HANDLE + handle[i];
		if (!texture_fetch_lane(w, o, fetch_for_lane_texture(w, x, i), i, v[i], &reads))
			return;
	}
	memcpy(addr, w->addr, sizeof(addr));
	if (!texture_check_reads(w, o, &reads))
		return;
	memcpy(w->addr, addr, sizeof(addr));
	FOR_BITS32 (i, m)
		for (unsigned k = 0; k < x->n; k++)
			REG(u32, w, x->result_slot[k])
	[i] = x->fetch.half ? texture_pack_halves(v[i] + 2 * k) : v[i][x->channel[k]];
	set_pred(w, PDST1(o), m, 0);
}

/* ---- binding ---- */

enum fetch_kind { FETCH_TEX, FETCH_TLD, FETCH_TLD4, FETCH_TXD };

static enum fetch_kind fetch_kind_of(const struct mbind *b)
{
	switch (b->inst->opcode & 0x1ff) {
	case 0x160:
	case 0x161: return FETCH_TEX;
	case 0x166:
	case 0x167: return FETCH_TLD;
	case 0x163:
	case 0x164: return FETCH_TLD4;
	default: return FETCH_TXD;
	}
}

/* Sets the source of the level of detail. Returns false for a mode that is not executed. */
static bool bind_level(const struct mbind *b, struct texture_fetch *f, enum fetch_kind kind)
{
	unsigned mode = (unsigned)field(b, 87, 3);

	if (kind == FETCH_TLD4) {
		f->gather = (uint8_t)(1 + (mode & 3));
		return mode < 4;
	}
	if (kind == FETCH_TXD) {
		f->detail = DETAIL_GRAD;
		return !mode;
	}
	if (b->code->sm >= 100) {
		/* bit 59 of TEX and bit 76 of TLD: the fetch has a level, 0 in mode 0 of TEX */
		bool level = bit(b, kind == FETCH_TEX ? 59 : 76);

		f->detail = mode ? DETAIL_LEVEL : level ? DETAIL_ZERO : DETAIL_BASE;
		return mode == level || (!mode && kind == FETCH_TEX);
	}
	f->detail = mode == 3 ? DETAIL_LEVEL : mode ? DETAIL_ZERO : DETAIL_QUAD;
	return mode == 1 || mode == 3 || (!mode && kind == FETCH_TEX);
}

/* Returns true if a fetch has offsets in texels. */
static bool has_texel_offset(const struct mbind *b, enum fetch_kind kind)
{
	return bit(b, b->code->sm >= 100 && kind != FETCH_TLD4 ? 56 : 76);
}

/* Returns the reason why a fetch is not executed; NULL if it is. */
static const char *find_unsupported_mode(const struct mbind *b, enum fetch_kind kind)
{
	bool late = b->code->sm >= 100;

	if (kind == FETCH_TLD ? bit(b, late ? 77 : 78) : false)
		return "textures of several samples";
	if (kind != FETCH_TXD && kind != FETCH_TLD && bit(b, 78))
		return "a comparison of depths";
	if (bit(b, 79) && (b->code->sm >= 90 || field(b, 72, 4) != 15))
		return "format of results";
	if (late && (bit(b, 60) || field(b, 57, 2) || (bit(b, 59) && kind != FETCH_TEX)))
		return "mode";
	return NULL;
}

/* Binds the operands of TXD. */
static bool bind_gradients(struct mbind *b, struct machine_fetch *x, bool in_reg)
{
	struct texture_fetch *f = &x->fetch;
	struct operand_sequence s = {.n = 0};
	unsigned n = f->geometry.n;
	bool last = f->geometry.layered || f->offset_bits;

	if (n > 2 || !bind_operand_sequence(b, &s, in_reg + n + last, 2 * n, false))
		return false;
	if (in_reg)
		x->handle = take_next_operand(&s);
	for (unsigned i = 0; i < n; i++)
		f->geometry.coordinate_slot[i] = take_next_operand(&s);
	if (last)
		f->offset[0] = f->geometry.layer_slot = take_next_operand(&s);
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < 2; k++)
			f->grad[k][i] = take_next_operand(&s);
	f->offset_bit = 16;
	f->geometry.layer_has_16_bits = true;
	return true;
}

static bool bind_fetch_operands(struct mbind *b, struct machine_fetch *x, bool in_reg)
{
	struct texture_fetch *f = &x->fetch;
	struct operand_sequence s = {.n = 0};
	bool packed = b->code->sm < 100 && bit(b, 60);
	unsigned level = f->detail == DETAIL_LEVEL, offset = f->offset_bits != 0;

	if (!bind_operand_sequence(
		    b, &s, f->geometry.n + f->geometry.layered, in_reg + level + offset, packed))
		return false;
	bind_coordinates(&s, &f->geometry);
	if (in_reg)
		x->handle = take_next_operand(&s);
	if (level)
		f->level = take_next_operand(&s);
	if (offset)
		f->offset[0] = take_next_operand(&s);
	return true;
}

int mbind_fetch(struct mbind *b, struct op *o)
{
	enum fetch_kind kind = fetch_kind_of(b);
	struct machine_fetch *x = arena_alloc(&b->bound->arena, 1, sizeof(*x));
	const char *unknown = find_unsupported_mode(b, kind);

	o->x = arena_alloc(&b->bound->arena, 1, sizeof(*o->x));
	o->x->family = x;
	o->bytes = 4;
	o->space = SP_GLOBAL;
	o->target = mbind_pdst(b, 81, false);
	machine_set_function(o, fetch_texels);
	if (unknown)
		return mbind_refuse(b, unknown);
	if (!find_texture_geometry(b, &x->fetch.geometry) || !bind_level(b, &x->fetch, kind))
		return mbind_refuse(b, "mode");
	x->fetch.geometry.real = kind != FETCH_TLD;
	x->fetch.half = bit(b, 79);
	x->fetch.offset_bits = has_texel_offset(b, kind) ? kind == FETCH_TLD4 ? 6 : 4 : 0;
	if (!is_handle_in_register(b) && !texture_bind_handle(b, &x->handle, 255))
		return mbind_refuse(b, "handle");
	if (!(kind == FETCH_TXD ? bind_gradients : bind_fetch_operands)(b, x, is_handle_in_register(b)))
		return mbind_refuse(b, "operands");
	bind_fetch_results(b, x);
	x->fetch_1d = x->fetch;
	x->fetch_1d.geometry.shape = TEXTURE_1D;
	x->fetch_1d.geometry.n = 1;
	x->has_fetch_1d = x->fetch.geometry.shape == TEXTURE_2D && !x->fetch.geometry.layered;
	return 0;
}

/* ---- TXQ ---- */

/* Executes TXQ. o->b: slot of the level. Channels: width, height, depth or layers, number of levels. */
static void query_texture(struct warp *w, const struct op *o, uint32_t m)
{
	const struct machine_fetch *x = o->x->family;
	uint32_t out[LANES][4];

	FOR_BITS32 (i, m) {
		uint64_t handle = TEXTURE_HANDLE + REG(u32, w, x->handle)[i];
		const struct texture *t = texture_find(w->grid->textures, w->mem, handle);
		uint32_t n = REG(u32, w, o->b)[i];

		if (!t || t->shape == TEXTURE_SAMPLER) {
			exec_fail(w, o, 1u << i, "texture",
				"handle 0x%llx (expected the handle of a texture or surface)",
				(unsigned long long)handle);
			return;
		}
		struct texture level = texture_level(t, n < t->levels ? n : t->levels - 1u);
		out[i][0] = level.width;
		out[i][1] = level.height;
		out[i][2] = t->layered ? t->layers : level.depth;
		out[i][3] = t->levels;
	}
	FOR_BITS32 (i, m)
		for (unsigned k = 0; k < x->n; k++)
			REG(u32, w, x->result_slot[k])[i] = out[i][x->channel[k]];
}

int mbind_query_texture(struct mbind *b, struct op *o)
{
	struct machine_fetch *x = arena_alloc(&b->bound->arena, 1, sizeof(*x));
	uint32_t a = mbind_reg(b, 24, 2);

	o->x = arena_alloc(&b->bound->arena, 1, sizeof(*o->x));
	o->x->family = x;
	o->b = is_handle_in_register(b) ? a + VECTOR : a;
	x->handle = a;
	if (!is_handle_in_register(b) && !texture_bind_handle(b, &x->handle, 0))
		return mbind_refuse(b, "handle");
	bind_fetch_results(b, x);
	machine_set_function(o, query_texture);
	return field(b, 62, 2) ? mbind_refuse(b, "query") : 0;
}

/* ---- extern functions ---- */

/* Form of an extern function that fetches with gradients. */
struct gradient_call {
	enum texture_shape shape;
	bool layered;
	bool half;   /* results are pairs of f16 */
	bool offset; /* offsets in texels follow the second gradient */
};

/*
 * Copies the second gradients, and the offsets if the function has them, from local memory to the slots at
 * FRAME_SCRATCH. Returns false if the launch failed.
 */
static bool load_second_gradients(struct warp *w, const struct op *o, uint32_t m, bool offset)
{
	uint8_t *at[LANES];

	if (!special_find_arguments(w, o, m, offset ? 32 : 16, at))
		return false;
	FOR_BITS32 (i, m)
		for (unsigned k = 0; k < 3; k++) {
			memcpy(&REG(u32, w, FRAME_SCRATCH + k * VECTOR)[i], at[i] + 4 * k, 4);
			if (offset)
				memcpy(&REG(u32, w, FRAME_SCRATCH + (3 + k) * VECTOR)[i], at[i] + 16 + 4 * k,
					4);
		}
	return true;
}

static void fetch_by_gradients(struct warp *w, const struct op *o, uint32_t m, struct gradient_call c)
{
	struct machine_fetch x = {
		.handle = FRAME_R + 4 * VECTOR, .n = c.half ? 2 : 4, .channel = {0, 1, 2, 3}};
	struct geometry *g = &x.fetch.geometry;
	struct op call = *o;
	struct ext ext = {.family = &x};

	*g = (struct geometry){.shape = (uint8_t)c.shape, .n = 3, .layered = c.layered, .real = true};
	x.fetch.detail = DETAIL_GRAD;
	x.fetch.half = c.half;
	x.fetch.offset_bits = c.offset ? 4 : 0;
	x.fetch.split_offset = true;
	g->layer_slot = FRAME_R + 8 * VECTOR;
	for (unsigned k = 0; k < 3; k++) {
		g->coordinate_slot[k] = FRAME_R + (8 + c.layered + k) * VECTOR;
		x.fetch.grad[0][k] = FRAME_R + (12 + k) * VECTOR;
		x.fetch.grad[1][k] = FRAME_SCRATCH + k * VECTOR;
		x.fetch.offset[k] = FRAME_SCRATCH + (3 + k) * VECTOR;
	}
	for (unsigned k = 0; k < 4; k++)
		x.result_slot[k] = FRAME_R + (5 + k) * VECTOR;
	call.x = &ext;
	call.target = FRAME_PSINK;
	if (load_second_gradients(w, o, m, c.offset))
		fetch_texels(w, &call, m);
}

#define CALL_GRADIENTS(name, ...) \
	void texture_gradients_##name(struct warp *w, const struct op *o, uint32_t m) \
	{ \
		fetch_by_gradients(w, o, m, (struct gradient_call){__VA_ARGS__}); \
	} \
	void texture_gradients_half_##name(struct warp *w, const struct op *o, uint32_t m) \
	{ \
		fetch_by_gradients(w, o, m, (struct gradient_call){__VA_ARGS__, .half = true}); \
	}
CALL_GRADIENTS(3d, .shape = TEXTURE_3D)
CALL_GRADIENTS(3d_offset, .shape = TEXTURE_3D, .offset = true)
CALL_GRADIENTS(cube, .shape = TEXTURE_CUBE)
CALL_GRADIENTS(cube_layers, .shape = TEXTURE_CUBE, .layered = true)
