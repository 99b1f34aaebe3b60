/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fetches from textures: tex and tld4 of PTX, TEX and similar instructions of machine code.
 *
 * A fetch is the weighted sum of up to eight texels of a level. The sum is exact and rounded once. With a
 * linear filter between levels, the results of two levels are weighted and rounded once more. Integer
 * coordinates count texels of the given level and ignore the sampler. Without .level and .grad the first level is
 * read, whatever the bias of the sampler.
 *
 * Always true: each face of a cube is clamped on its own. Linear memory reads as zeros outside. A layer
 * outside is clamped to the nearest layer.
 */
#include <math.h>
#include "exec/check.h"
#include "lang/ieee.h"
#include "lang/small.h"
#include "sem/sample.h"
#include "sem/texture.h"

/* ---- texels ---- */

/* The texels that a lane reads: level, texels along each dimension, layer or face, and the sampler. */
struct texel_set {
	const struct texture *level;
	const struct sampler *sampler;
	struct axis axis[3];
	uint32_t layer;
	struct texel_reads *reads;
};

static bool is_normalized(const struct texture *t, const struct sampler *s)
{
	return t->normalized && !s->unnormalized;
}

/* Returns the offset in texels along dimension d; 0 if the fetch has none. */
static int texel_offset(const struct warp *w, const struct texture_fetch *x, unsigned lane, unsigned d)
{
	unsigned bits = x->offset_bits, step = bits == 4 ? 4 : 8;
	unsigned at = x->split_offset ? 0 : x->offset_bit + step * d;

	if (!bits)
		return 0;
	return (int)(REG(u32, w, x->offset[x->split_offset ? d : 0])[lane] << (32 - bits - at)) >>
	       (32 - bits);
}

/* Sets the texels that a lane reads along each dimension of s->level. */
static void find_texel_position(
	struct texel_set *s, const struct warp *w, const struct texture_fetch *x, unsigned lane, bool linear)
{
	const struct texture *t = s->level;
	const struct geometry *g = &x->geometry;
	const uint32_t n[3] = {t->width, t->height, t->depth};
	uint32_t step = t->shape == TEXTURE_CUBE ? 6 : 1, layers = t->layers / step;
	double v[3] = {0}, face[2];

	s->layer = 0;
	memset(s->axis, 0, sizeof(s->axis));
	for (unsigned d = 0; d < min_u32(g->n, 3); d++) {
		enum texture_mode mode =
			t->shape == TEXTURE_LINEAR ? TEXTURE_BORDER : (enum texture_mode)s->sampler->mode[d];

		int shift = texel_offset(w, x, lane, d);

		if (g->real) {
			bool normalized = is_normalized(t, s->sampler);

			v[d] = (double)REG(float, w, g->coordinate_slot[d])[lane];
			v[d] += normalized ? (double)shift / n[d] : shift;
			s->axis[d] = sample_axis(v[d], n[d], mode, linear, normalized);
		} else {
			s->axis[d] = sample_axis_int(
				(int64_t)REG(s32, w, g->coordinate_slot[d])[lane] + shift, n[d], mode);
		}
	}
	if (g->layered) {
		uint32_t i = REG(u32, w, g->layer_slot)[lane];

		i = g->layer_has_16_bits ? i & 0xffff : i;
		s->layer = (i < layers ? i : layers - 1) * step;
	}
	if (g->shape == TEXTURE_CUBE) {
		s->layer += sample_face(v, face);
		for (unsigned d = 0; d < 2; d++)
			s->axis[d] = sample_axis(face[d], n[d], TEXTURE_CLAMP, linear, true);
		s->axis[2] = (struct axis){{0}, 0};
	}
}

/* Returns gradient i of coordinate k of a lane: the given one, or the difference to a neighbour in its quad. */
static double coordinate_gradient(
	const struct warp *w, const struct texture_fetch *x, unsigned lane, unsigned i, unsigned k)
{
	const float *v = REG(float, w, x->geometry.coordinate_slot[k]);

	if (x->detail == DETAIL_GRAD)
		return (double)REG(float, w, x->grad[i][k])[lane];
	return (double)v[lane | (i + 1)] - (double)v[lane & ~(i + 1)];
}

/* Returns the level of detail from a lane's gradients, in texels of level 0. */
static double gradient_lod(const struct warp *w, const struct texture *t, const struct sampler *s,
	const struct texture_fetch *x, unsigned lane)
{
	const uint32_t size[3] = {t->width, t->height, t->depth};
	bool cube = x->geometry.shape == TEXTURE_CUBE;
	unsigned n = cube ? 2 : x->geometry.n;
	double d[2][3], v[3] = {0}, at[2];

	for (unsigned i = 0; i < 2; i++) {
		for (unsigned k = 0; k < x->geometry.n; k++) {
			d[i][k] = coordinate_gradient(w, x, lane, i, k);
			v[k] = (double)REG(float, w, x->geometry.coordinate_slot[k])[lane];
		}
		if (cube) {
			sample_face_gradient(v, d[i], at);
			memcpy(d[i], at, sizeof(at));
		}
		for (unsigned k = 0; k < n; k++)
			d[i][k] *= cube || is_normalized(t, s) ? size[k] : 1;
	}
	return sample_lod(d, n);
}

/* A level of detail that remains negative with any bias; ptxas writes it for the first level. */
#define FIRST_LEVEL (-32.0)

/* Returns the levels that a lane reads. */
static struct depth find_lane_levels(const struct warp *w, const struct texture *t, const struct sampler *s,
	const struct texture_fetch *x, unsigned lane)
{
	struct depth d = {{0}, 0};

	if (t->levels == 1)
		return d;
	if (x->geometry.real)
		return sample_depth(s, t->levels,
			x->detail >= DETAIL_GRAD    ? gradient_lod(w, t, s, x, lane)
			: x->detail == DETAIL_LEVEL ? (double)REG(float, w, x->level)[lane]
			: x->detail == DETAIL_ZERO  ? 0
						    : FIRST_LEVEL);
	if (x->detail == DETAIL_LEVEL) {
		int32_t v = REG(s32, w, x->level)[lane];

		d.level[0] = v < 0 ? 0 : v < t->levels ? (unsigned)v : t->levels - 1u;
	}
	return d;
}

/* Notes a texel that a lane reads. Returns false if the lane has too many, or one of another size. */
static bool add_texel_read(struct texel_reads *r, unsigned lane, uint64_t addr, uint32_t bytes)
{
	unsigned k = r->n[lane];

	if (k == TEXEL_READS || (r->lanes[k] && r->bytes[k] != bytes))
		return false;
	r->bytes[k] = bytes;
	r->lanes[k] |= 1u << lane;
	r->addr[k][lane] = addr;
	r->n[lane]++;
	return true;
}

bool texture_check_reads(struct warp *w, const struct op *o, const struct texel_reads *r)
{
	uint8_t *at[LANES];

	for (unsigned k = 0; w->grid->options->check && k < TEXEL_READS && r->lanes[k]; k++) {
		memcpy(w->addr, r->addr[k], sizeof(w->addr));
		if (!mem_find_host(w, o, r->lanes[k], SP_GLOBAL, r->bytes[k], at) ||
			!check_read(w, o, r->lanes[k], r->bytes[k], at))
			return false;
	}
	return true;
}

/* Reads a texel; bit d of `which` selects its coordinate on axis d. Returns false if the launch has failed. */
static bool read_texel(struct warp *w, const struct op *o, const struct texel_set *s, unsigned which,
	unsigned lane, uint32_t out[4])
{
	const struct texture *t = s->level;
	int64_t x = s->axis[0].texel[which & 1], y = s->axis[1].texel[which >> 1 & 1],
		z = s->axis[2].texel[which >> 2 & 1];
	static const uint8_t zeros[16];
	uint8_t *at[LANES];

	if (x == SAMPLE_OUTSIDE || y == SAMPLE_OUTSIDE || z == SAMPLE_OUTSIDE) {
		w->addr[lane] = t->addr;
		if (t->shape == TEXTURE_LINEAR)
			texture_read_texel(t, zeros, out);
		else
			texture_read_border(t, s->sampler, out);
		return true;
	}
	w->addr[lane] = texture_texel_address(t, (uint32_t)x, (uint32_t)y, (uint32_t)z, s->layer);
	at[lane] = memory_host_address(w->mem, w->addr[lane], texture_texel_bytes(t));
	if (!at[lane] || !add_texel_read(s->reads, lane, w->addr[lane], texture_texel_bytes(t)))
		if (!mem_find_host(w, o, 1u << lane, SP_GLOBAL, texture_texel_bytes(t), at) ||
			(w->grid->options->check &&
				!check_read(w, o, 1u << lane, texture_texel_bytes(t), at)))
			return false;
	texture_read_texel(t, at[lane], out);
	return true;
}

/*
 * Returns the weight of one of four texels in 256ths. GPUs round the product of the two weights to 256ths, as recorded
 * results with border colors show. The sum of the four weights is 256.
 */
static uint32_t weight_of_four(unsigned x, unsigned y, unsigned which)
{
	const uint32_t both = (x * y + SAMPLE_WHOLE / 2) / SAMPLE_WHOLE;

	switch (which) {
	case 0: return SAMPLE_WHOLE - x - y + both;
	case 1: return x - both;
	case 2: return y - both;
	default: return both;
	}
}

/* Returns the weight of a texel of a set, in units of 1 / 256^3. */
static uint32_t weight_of_texel(const struct texel_set *s, unsigned which)
{
	uint32_t share = 1;

	if (!s->axis[2].weight)
		return which > 3 ? 0
				 : weight_of_four(s->axis[0].weight, s->axis[1].weight, which) *
					   SAMPLE_WHOLE * SAMPLE_WHOLE;
	for (unsigned d = 0; d < 3; d++)
		share *= which >> d & 1 ? s->axis[d].weight : SAMPLE_WHOLE - s->axis[d].weight;
	return share;
}

/* Computes the weighted sum of the texels. A texel that has all the weight is copied unchanged. */
static bool filter_texels(
	struct warp *w, const struct op *o, const struct texel_set *s, unsigned lane, uint32_t out[4])
{
	const uint32_t all = SAMPLE_WHOLE * SAMPLE_WHOLE * SAMPLE_WHOLE;
	double sum[4] = {0};
	uint64_t first = 0;

	for (unsigned which = 0; which < 8; which++) {
		uint32_t v[4], share = weight_of_texel(s, which);

		if (!share)
			continue;
		if (!read_texel(w, o, s, which, lane, v))
			return false;
		first = first ? first : w->addr[lane];
		if (share == all) {
			memcpy(out, v, sizeof(v));
			return true;
		}
		for (unsigned c = 0; c < 4; c++)
			sum[c] += (double)ieee_f32(v[c]) * share;
	}
	for (unsigned c = 0; c < 4; c++)
		out[c] = ieee_f32_bits((float)(sum[c] / all));
	w->addr[lane] = first;
	return true;
}

/* Reads a channel of the four texels of a linear filter, counter-clockwise from the lower left. */
static bool gather_texels(struct warp *w, const struct op *o, const struct texel_set *s, unsigned lane,
	unsigned channel, uint32_t out[4])
{
	static const uint8_t order[4] = {2, 3, 1, 0};
	uint32_t v[4];

	for (unsigned i = 0; i < 4; i++) {
		if (!read_texel(w, o, s, order[i], lane, v))
			return false;
		out[i] = v[channel];
	}
	return true;
}

uint32_t texture_pack_halves(const uint32_t v[2])
{
	return small_of_double((double)ieee_f32(v[0]), SMALL_F16, ROUND_RN, false) |
	       small_of_double((double)ieee_f32(v[1]), SMALL_F16, ROUND_RN, false) << 16;
}

static void write_fetch_result(
	struct warp *w, const struct op *o, const struct texture_fetch *x, unsigned lane, const uint32_t v[4])
{
	const uint32_t *slot = o->x->slot;

	for (unsigned c = 0; c < 4 && !x->half; c++)
		REG(u32, w, slot[c])[lane] = v[c];
	for (unsigned c = 0; c < 2 && x->half; c++)
		REG(u32, w, slot[c])[lane] = texture_pack_halves(v + 2 * c);
}

/* Fetches from one level and sets w->addr of the lane. Returns false if the launch has failed. */
static bool fetch_level(struct warp *w, const struct op *o, const struct texture_fetch *x,
	const struct texture *t, const struct sampler *by, unsigned level, unsigned lane, uint32_t v[4],
	struct texel_reads *reads)
{
	struct texture own;
	struct texel_set s = {.level = t, .sampler = by, .reads = reads};

	if (level) {
		own = texture_level(t, level);
		s.level = &own;
	}
	find_texel_position(&s, w, x, lane, by->linear || x->gather);
	return x->gather ? gather_texels(w, o, &s, lane, x->gather - 1u, v)
			 : filter_texels(w, o, &s, lane, v);
}

/* Sets *to to the sampler of a lane and checks that it fits t. Returns false if the launch has failed. */
static bool find_lane_sampler(struct warp *w, const struct op *o, const struct geometry *g,
	const struct texture *t, unsigned lane, struct sampler *to)
{
	uint64_t handle = REG(u64, w, g->sampler_slot)[lane];

	if (!texture_find_sampler(w->grid->textures, w->mem, handle, to)) {
		exec_fail(w, o, 1u << lane, "texture",
			"sampler 0x%llx (expected a sampler's handle, or a variable that one is bound to)",
			(unsigned long long)handle);
		return false;
	}
	if (to->linear && !texture_reads_float(t))
		exec_fail(w, o, 1u << lane, "texture",
			"linear filter over texels that are read as integers (expected the nearest)");
	return !to->linear || texture_reads_float(t);
}

bool texture_fetch_lane(struct warp *w, const struct op *o, const struct texture_fetch *x, unsigned lane,
	uint32_t v[4], struct texel_reads *reads)
{
	const struct texture *t = geometry_find_texture(w, o, &x->geometry, lane, false);
	struct sampler own_sampler;
	const struct sampler *by = &own_sampler;
	struct depth d;
	uint32_t more[4];

	if (!t || (x->geometry.has_sampler && !find_lane_sampler(w, o, &x->geometry, t, lane, &own_sampler)))
		return false;
	if (!x->geometry.has_sampler)
		by = &t->sampler;
	d = find_lane_levels(w, t, by, x, lane);
	if (!fetch_level(w, o, x, t, by, d.level[d.weight == SAMPLE_WHOLE], lane, v, reads))
		return false;
	if (!d.weight || d.weight == SAMPLE_WHOLE || !texture_reads_float(t))
		return true;
	uint64_t first = w->addr[lane];
	if (!fetch_level(w, o, x, t, by, d.level[1], lane, more, reads))
		return false;
	w->addr[lane] = first;
	for (unsigned c = 0; c < 4; c++)
		v[c] = ieee_f32_bits((float)(((double)ieee_f32(v[c]) * (SAMPLE_WHOLE - d.weight) +
						     (double)ieee_f32(more[c]) * d.weight) /
					     SAMPLE_WHOLE));
	return true;
}

static void fetch_lanes(struct warp *w, const struct op *o, uint32_t m)
{
	uint64_t addr[LANES] = {0};
	struct texel_reads reads;

	texture_start_reads(&reads);
	exec_compute_addresses(w, o);
	FOR_BITS32 (i, m) {
		uint32_t v[4];

		if (!texture_fetch_lane(w, o, o->x->family, i, v, &reads))
			return;
		addr[i] = w->addr[i];
		write_fetch_result(w, o, o->x->family, i, v);
	}
	if (texture_check_reads(w, o, &reads))
		memcpy(w->addr, addr, sizeof(addr));
}

/* ---- functions shared with surfaces ---- */

bool geometry_find(const struct stmt *in, struct geometry *g)
{
	static const struct {
		enum modifier modifier;
		uint8_t shape, n;
		bool layered;
	} known[] = {
		{M_1D, TEXTURE_1D, 1, false},
		{M_2D, TEXTURE_2D, 2, false},
		{M_3D, TEXTURE_3D, 3, false},
		{M_A1D, TEXTURE_1D, 1, true},
		{M_A2D, TEXTURE_2D, 2, true},
		{M_CUBE, TEXTURE_CUBE, 3, false},
		{M_ACUBE, TEXTURE_CUBE, 3, true},
	};

	for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (stmt_has(in, known[i].modifier)) {
			*g = (struct geometry){
				.shape = known[i].shape, .n = known[i].n, .layered = known[i].layered};
			return true;
		}
	return false;
}

int geometry_bind(
	struct bind *b, struct op *o, const struct operand *at, struct geometry *g, enum type coordinate)
{
	struct operand plain = *at;

	g->has_sampler = at->kind == O_ADDR && at->n == 2 && b->stmt->opcode != I_suld &&
			 b->stmt->opcode != I_sust && b->stmt->opcode != I_sured;
	if (at->kind != O_ADDR || at->n != 1u + g->has_sampler)
		return bind_fault(b, at, "operand", "%s (expected [handle, {coordinates}])", b->stmt->text);
	if (g->has_sampler && (g->sampler_slot = bind_src(b, &at->elem[0], T_B64)) == UINT32_MAX)
		return -1;
	if (at->sym && sym_definition(at->sym)->space == SP_PARAM)
		return bind_refuse(b, "a parameter as handle; ld.param takes it to a register");
	plain.n = 0;
	if (bind_address(b, o, &plain, SP_GENERIC))
		return -1;
	const struct operand *c = &at->elem[g->has_sampler], *e = c->kind == O_VEC ? c->elem : c;
	unsigned n = c->kind == O_VEC ? c->n : 1, want = g->n + g->layered;
	if (n < want)
		return bind_fault(b, c, "operand", "%u coordinates (expected %u)", n, want);
	if (g->layered && (g->layer_slot = bind_src(b, e++, T_B32)) == UINT32_MAX)
		return -1;
	g->real = coordinate == T_F32;
	for (unsigned d = 0; d < g->n; d++)
		if ((g->coordinate_slot[d] = bind_src(b, &e[d], g->real ? T_F32 : T_S32)) == UINT32_MAX)
			return -1;
	return 0;
}

const struct texture *geometry_find_texture(
	struct warp *w, const struct op *o, const struct geometry *g, unsigned lane, bool surface)
{
	const struct texture *t = texture_find(w->grid->textures, w->mem, w->addr[lane]);
	static const char *const names[] = {"linear memory", "1D", "2D", "3D", "a cube", "a sampler"};

	if (!t || t->surface != surface) {
		exec_fail(w, o, 1u << lane, surface ? "surface" : "texture",
			"handle 0x%llx (expected the handle of a %s, or a variable that one is bound to)",
			(unsigned long long)w->addr[lane], surface ? "surface" : "texture");
		return NULL;
	}
	if (g && (t->layered != g->layered ||
			 (t->shape != g->shape && (t->shape != TEXTURE_LINEAR || g->shape != TEXTURE_1D)))) {
		exec_fail(w, o, 1u << lane, surface ? "surface" : "texture",
			"%s of %s%s (expected one that fits %s)", surface ? "surface" : "texture",
			names[t->shape], t->layered ? " in layers" : "", o->stmt->text);
		return NULL;
	}
	return t;
}

/* ---- binding ---- */

/* Binds the result, four registers of 32 bits or two of f16x2, and the coordinates. */
static int bind_fetch(struct bind *b, struct op *o, struct texture_fetch *f)
{
	const struct stmt *in = b->stmt;
	const struct operand *d = &in->operand[0];
	enum type result = (enum type)in->type[0], coordinate = (enum type)in->type[1];
	unsigned n = result == T_F16X2 ? 2 : 4;
	struct ext *x = bind_ext(b, o);

	f->half = n == 2;
	if (!stmt_has(in, f->half ? M_V2 : M_V4) || types[result].bits != 32)
		return bind_refuse(b, "a result other than .v4 of 32 bits or .v2.f16x2");
	if (coordinate != T_F32 && (coordinate != T_S32 || f->geometry.shape == TEXTURE_CUBE || f->gather))
		return bind_fault(b, NULL, "types", "coordinates of type .%s (expected .f32 or .s32)",
			types[coordinate].name);
	if (d->kind != O_VEC || d->n != n)
		return bind_fault(b, d, "operand", "not a vector of %u elements (expected {..})", n);
	for (unsigned i = 0; i < n; i++)
		if ((x->slot[i] = bind_dst(b, &d->elem[i], 32)) == UINT32_MAX)
			return -1;
	if (geometry_bind(b, o, &in->operand[1], &f->geometry, coordinate))
		return -1;
	o->memory = 1;
	o->bytes = f->half ? 2 : 4;
	o->space = SP_GLOBAL;
	o->execute = fetch_lanes;
	return 0;
}

/* Binds the level of detail or the gradients. */
static int bind_detail(struct bind *b, struct texture_fetch *f)
{
	const struct operand *more = &b->stmt->operand[2];

	if (f->detail == DETAIL_LEVEL) {
		f->level = bind_src(b, more, f->geometry.real ? T_F32 : T_S32);
		return f->level == UINT32_MAX ? -1 : 0;
	}
	for (unsigned i = 0; f->detail == DETAIL_GRAD && i < 2; i++) {
		const struct operand *e = more[i].kind == O_VEC ? more[i].elem : &more[i];
		unsigned n = more[i].kind == O_VEC ? more[i].n : 1;

		if (n < f->geometry.n)
			return bind_fault(
				b, &more[i], "operand", "gradient of %u (expected %u)", n, f->geometry.n);
		for (unsigned d = 0; d < f->geometry.n; d++)
			if ((f->grad[i][d] = bind_src(b, &e[d], T_F32)) == UINT32_MAX)
				return -1;
	}
	return f->detail == DETAIL_GRAD && !f->geometry.real
		       ? bind_fault(b, NULL, "types",
				 "gradients with integer coordinates (expected coordinates of type .f32)")
		       : 0;
}

/*
 * Binds the offset in texels, which is operand `at` if there is one. Compiled code takes 4 bits of each component, or 6
 * for tld4.
 */
static int bind_texel_offset(struct bind *b, struct texture_fetch *f, unsigned at)
{
	const struct operand *k = &b->stmt->operand[at], *e = k->kind == O_VEC ? k->elem : k;
	unsigned n = k->kind == O_VEC ? k->n : 1;

	if (b->stmt->n_operands <= at)
		return 0;
	if (b->stmt->n_operands > at + 1 || (k->kind != O_VEC && f->geometry.shape != TEXTURE_1D))
		return bind_refuse(b, "a comparison of depths");
	if (f->geometry.shape == TEXTURE_CUBE)
		return bind_fault(b, k, "operand", "offset of texels of a cube (expected none)");
	if (n < f->geometry.n)
		return bind_fault(b, k, "operand", "offset of %u components (expected %u)", n, f->geometry.n);
	f->offset_bits = f->gather ? 6 : 4;
	f->split_offset = true;
	for (unsigned d = 0; d < f->geometry.n; d++)
		if ((f->offset[d] = bind_src(b, &e[d], T_S32)) == UINT32_MAX)
			return -1;
	return 0;
}

int bind_tex(struct bind *b, struct op *o)
{
	const struct stmt *in = b->stmt;
	struct texture_fetch *f = bind_ext(b, o)->family = arena_alloc(&b->code->arena, 1, sizeof(*f));
	unsigned more = stmt_has(in, M_LEVEL) ? 1 : stmt_has(in, M_GRAD) ? 2 : 0;

	f->detail = stmt_has(in, M_LEVEL) ? DETAIL_LEVEL : stmt_has(in, M_GRAD) ? DETAIL_GRAD : DETAIL_BASE;

	if (!geometry_find(in, &f->geometry))
		return bind_refuse(b, "textures of several samples");
	if (bind_types(b, 2))
		return -1;
	return bind_operands(b, 2 + more, 4 + more) || bind_fetch(b, o, f) || bind_detail(b, f)
		       ? -1
		       : bind_texel_offset(b, f, 2 + more);
}

int bind_tld4(struct bind *b, struct op *o)
{
	static const enum modifier channels[] = {M_R, M_G, M_B, M_FRAG_A};
	const struct stmt *in = b->stmt;
	struct texture_fetch *f = bind_ext(b, o)->family = arena_alloc(&b->code->arena, 1, sizeof(*f));

	for (uint8_t i = 0; i < 4; i++)
		if (stmt_has(in, channels[i]))
			f->gather = i + 1u;
	if (bind_types(b, 2))
		return -1;
	if (bind_operands(b, 2, 4))
		return -1;
	if (!f->gather || !geometry_find(in, &f->geometry) || f->geometry.n < 2 ||
		f->geometry.shape == TEXTURE_3D)
		return bind_fault(b, NULL, "suffix",
			"%s (expected .r, .g, .b or .a of .2d, .a2d, .cube or .acube)", in->text);
	return bind_fetch(b, o, f) ? -1 : bind_texel_offset(b, f, 2);
}
