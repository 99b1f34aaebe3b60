/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fetches from textures: tex and tld4.
 *
 * A coordinate becomes one texel number along its dimension, or two and the second's share when the filter is linear;
 * a fetch is the sum of up to eight texels by their shares. Shares are multiples of 1/256 (nine bits, so that 1 is one),
 * rounded to the nearest; the sum is exact and rounded once. Integer coordinates count texels, whatever the sampler.
 *
 * Always true: wrap and mirror are for normalised coordinates and clamp without; a coordinate that is no number is 0;
 * the faces of a cube are each clamped; linear memory reads as zeros outside; a layer outside is the nearest there is.
 */
#include <math.h>
#include "exec/check.h"
#include "lang/ieee.h"
#include "lang/small.h"
#include "sem/texture.h"

/* ---- coordinates ---- */

#define OUTSIDE INT64_MIN
#define WHOLE   256u

struct axis {
	int64_t at[2];  /* texel numbers; OUTSIDE: of the border */
	unsigned share; /* of the second, in 256ths */
};

static int64_t fit(int64_t i, uint32_t n, enum texture_mode mode)
{
	if (i >= 0 && i < n)
		return i;
	switch (mode) {
	case TEXTURE_BORDER: return OUTSIDE;
	case TEXTURE_WRAP: return (i % n + n) % n;
	default: return i < 0 ? 0 : n - 1;
	}
}

/* Along a dimension of n texels; mode is the sampler's. */
static struct axis axis_of(const struct texture *t, double x, uint32_t n, enum texture_mode mode)
{
	struct axis a = {.share = 0};
	double most = 1e9, low;

	x = x == x ? x : 0;
	if (t->normalized) {
		low = floor(x);
		if (mode == TEXTURE_WRAP)
			x = low == x ? 0 : x - low;
		else if (mode == TEXTURE_MIRROR)
			x = fmod(low, 2) != 0 ? 1 - (x - low) : x - low;
		x = x == x ? x * n : 0;
	} else if (mode == TEXTURE_WRAP || mode == TEXTURE_MIRROR) {
		mode = TEXTURE_CLAMP;
	}
	x = x < -most ? -most : x > most ? most : x;
	x -= t->linear ? 0.5 : 0;
	low = floor(x);
	a.at[0] = fit((int64_t)low, n, mode);
	a.at[1] = fit((int64_t)low + 1, n, mode);
	if (t->linear)
		a.share = (unsigned)lrint((x - low) * WHOLE);
	return a;
}

static struct axis axis_int(int64_t x, uint32_t n, enum texture_mode mode)
{
	return (struct axis){{fit(x, n, mode == TEXTURE_BORDER ? mode : TEXTURE_CLAMP), OUTSIDE}, 0};
}

/* The face of a cube that a direction hits, and where, from 0 to 1. */
static uint32_t face_of(const double v[3], double at[2])
{
	double x = fabs(v[0]), y = fabs(v[1]), z = fabs(v[2]), m, s, t;
	uint32_t face;

	if (x >= y && x >= z) {
		face = v[0] < 0;
		m = x, s = face ? v[2] : -v[2], t = -v[1];
	} else if (y >= z) {
		face = 2u + (v[1] < 0);
		m = y, s = v[0], t = face == 3 ? -v[2] : v[2];
	} else {
		face = 4u + (v[2] < 0);
		m = z, s = face == 5 ? -v[0] : v[0], t = -v[1];
	}
	at[0] = (s / m + 1) / 2;
	at[1] = (t / m + 1) / 2;
	return face;
}

/* ---- texels ---- */

struct texture_fetch { /* x->family */
	struct geometry g;
	bool half;      /* .v2.f16x2 */
	uint8_t gather; /* tld4: the channel + 1 */
};

/* Where one lane reads: texels along each dimension, and the layer or face. */
struct spot {
	struct axis axis[3];
	uint32_t layer;
};

static struct spot spot_of(
	const struct warp *w, const struct texture *t, const struct geometry *g, unsigned lane)
{
	const uint32_t n[3] = {t->width, t->height, t->depth};
	uint32_t step = t->shape == TEXTURE_CUBE ? 6 : 1, layers = t->layers / step;
	struct spot s = {.axis = {{{0}, 0}, {{0}, 0}, {{0}, 0}}};
	double v[3] = {0}, face[2];

	for (unsigned d = 0; d < g->n; d++) {
		enum texture_mode mode =
			t->shape == TEXTURE_LINEAR ? TEXTURE_BORDER : (enum texture_mode)t->mode[d];

		if (g->real) {
			v[d] = (double)REG(float, w, g->slot[d])[lane];
			s.axis[d] = axis_of(t, v[d], n[d], mode);
		} else {
			s.axis[d] = axis_int(REG(s32, w, g->slot[d])[lane], n[d], mode);
		}
	}
	if (g->layered) {
		uint32_t i = REG(u32, w, g->layer)[lane];

		s.layer = (i < layers ? i : layers - 1) * step;
	}
	if (g->shape == TEXTURE_CUBE) {
		struct texture plain = *t;

		plain.normalized = true;
		s.layer += face_of(v, face);
		for (unsigned d = 0; d < 2; d++)
			s.axis[d] = axis_of(&plain, face[d], n[d], TEXTURE_CLAMP);
		s.axis[2] = (struct axis){{0}, 0};
	}
	return s;
}

/* Texel (i, j, k) of each axis' two. false: the launch has failed. */
static bool texel(struct warp *w, const struct op *o, const struct texture *t, const struct spot *s,
	unsigned which, unsigned lane, uint32_t out[4])
{
	int64_t x = s->axis[0].at[which & 1], y = s->axis[1].at[which >> 1 & 1],
		z = s->axis[2].at[which >> 2 & 1];
	static const uint8_t zeros[16];
	uint8_t *at[LANES];

	if (x == OUTSIDE || y == OUTSIDE || z == OUTSIDE) {
		w->addr[lane] = t->addr;
		if (t->shape == TEXTURE_LINEAR)
			texture_texel(t, zeros, out);
		else
			texture_border(t, out);
		return true;
	}
	w->addr[lane] = texture_at(t, (uint32_t)x, (uint32_t)y, (uint32_t)z, s->layer);
	if (!mem_at(w, o, 1u << lane, SP_GLOBAL, texture_bytes(t), at) ||
		(w->g->opt->check && !check_read(w, o, 1u << lane, texture_bytes(t), at)))
		return false;
	texture_texel(t, at[lane], out);
	return true;
}

/* The sum of the texels by their shares; one whole share: the texel's own bits. */
static bool filtered(struct warp *w, const struct op *o, const struct texture *t, const struct spot *s,
	unsigned lane, uint32_t out[4])
{
	double sum[4] = {0};
	uint64_t first = 0;

	for (unsigned which = 0; which < 8; which++) {
		uint32_t v[4], share = 1;

		for (unsigned d = 0; d < 3; d++)
			share *= which >> d & 1 ? s->axis[d].share : WHOLE - s->axis[d].share;
		if (!share)
			continue;
		if (!texel(w, o, t, s, which, lane, v))
			return false;
		first = first ? first : w->addr[lane];
		if (share == WHOLE * WHOLE * WHOLE) {
			memcpy(out, v, sizeof(v));
			return true;
		}
		for (unsigned c = 0; c < 4; c++)
			sum[c] += (double)ieee_f32(v[c]) * share;
	}
	for (unsigned c = 0; c < 4; c++)
		out[c] = ieee_f32_bits((float)(sum[c] / (WHOLE * WHOLE * WHOLE)));
	w->addr[lane] = first;
	return true;
}

/* One channel of the four texels that a linear filter would take, counter-clockwise from the lower left. */
static bool gathered(struct warp *w, const struct op *o, const struct texture *t, const struct spot *s,
	unsigned lane, unsigned channel, uint32_t out[4])
{
	static const uint8_t order[4] = {2, 3, 1, 0};
	uint32_t v[4];

	for (unsigned i = 0; i < 4; i++) {
		if (!texel(w, o, t, s, order[i], lane, v))
			return false;
		out[i] = v[channel];
	}
	return true;
}

static void put_result(
	struct warp *w, const struct op *o, const struct texture_fetch *x, unsigned lane, const uint32_t v[4])
{
	const uint32_t *slot = o->x->slot;

	for (unsigned c = 0; c < 4 && !x->half; c++)
		REG(u32, w, slot[c])[lane] = v[c];
	for (unsigned c = 0; c < 2 && x->half; c++) {
		u32 low = small_from((double)ieee_f32(v[2 * c]), SMALL_F16, ROUND_RN, false),
		    high = small_from((double)ieee_f32(v[2 * c + 1]), SMALL_F16, ROUND_RN, false);

		REG(u32, w, slot[c])[lane] = low | high << 16;
	}
}

static void fetch(struct warp *w, const struct op *o, uint32_t m)
{
	const struct texture_fetch *x = o->x->family;
	uint64_t addr[LANES] = {0};

	exec_addresses(w, o);
	FOR_BITS32 (i, m) {
		const struct texture *t = geometry_texture(w, o, &x->g, i, false);
		uint32_t v[4];
		struct spot s;

		if (!t)
			return;
		if (x->gather) {
			struct texture four = *t;

			four.linear = true;
			s = spot_of(w, &four, &x->g, i);
		} else {
			s = spot_of(w, t, &x->g, i);
		}
		if (!(x->gather ? gathered(w, o, t, &s, i, x->gather - 1u, v) : filtered(w, o, t, &s, i, v)))
			return;
		addr[i] = w->addr[i];
		put_result(w, o, x, i, v);
	}
	memcpy(w->addr, addr, sizeof(addr));
}

/* ---- what surfaces share ---- */

bool geometry_find(const struct stmt *in, struct geometry *g)
{
	static const struct {
		enum modifier m;
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
		if (has(in, known[i].m)) {
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

	if (at->kind == O_ADDR && at->n == 2)
		return bind_refuse(b, "samplers apart from their textures");
	if (at->kind != O_ADDR || at->n != 1)
		return bind_fault(b, at, "operand", "found no [handle, {coordinates}], wanted them");
	if (at->sym && sym_def(at->sym)->space == SP_PARAM)
		return bind_refuse(b, "a parameter as handle; ld.param takes it to a register");
	plain.n = 0;
	if (bind_address(b, o, &plain, SP_GENERIC))
		return -1;
	const struct operand *c = &at->elem[0], *e = c->kind == O_VEC ? c->elem : c;
	unsigned n = c->kind == O_VEC ? c->n : 1, want = g->n + g->layered;
	if (n < want)
		return bind_fault(b, c, "operand", "found %u coordinates, wanted %u", n, want);
	if (g->layered && (g->layer = bind_src(b, e++, T_B32)) == UINT32_MAX)
		return -1;
	g->real = coordinate == T_F32;
	for (unsigned d = 0; d < g->n; d++)
		if ((g->slot[d] = bind_src(b, &e[d], g->real ? T_F32 : T_S32)) == UINT32_MAX)
			return -1;
	return 0;
}

const struct texture *geometry_texture(
	struct warp *w, const struct op *o, const struct geometry *g, unsigned lane, bool surface)
{
	const struct texture *t = texture_find(w->g->textures, w->mem, w->addr[lane]);
	static const char *const names[] = {"linear memory", "1D", "2D", "3D", "a cube"};

	if (!t || t->surface != surface) {
		exec_fail(w, o, 1u << lane, surface ? "surface" : "texture",
			"found 0x%llx as handle, wanted that of a %s, or a variable that one is bound to",
			(unsigned long long)w->addr[lane], surface ? "surface" : "texture");
		return NULL;
	}
	if (g && (t->layered != g->layered ||
			 (t->shape != g->shape && (t->shape != TEXTURE_LINEAR || g->shape != TEXTURE_1D)))) {
		exec_fail(w, o, 1u << lane, surface ? "surface" : "texture",
			"found a %s of %s%s, wanted one that fits %s", surface ? "surface" : "texture",
			names[t->shape], t->layered ? " in layers" : "", o->in->text);
		return NULL;
	}
	return t;
}

/* ---- binding ---- */

/* The four registers of 32 bits, or two of halves, and what is common to both instructions. */
static int bind_fetch(struct bind *b, struct op *o, struct texture_fetch *f)
{
	const struct stmt *in = b->in;
	const struct operand *d = &in->operand[0];
	enum type result = (enum type)in->type[0], coordinate = (enum type)in->type[1];
	unsigned n = result == T_F16X2 ? 2 : 4;
	struct ext *x = bind_ext(b, o);

	f->half = n == 2;
	if (!has(in, f->half ? M_V2 : M_V4) || types[result].bits != 32)
		return bind_refuse(b, "a result other than .v4 of 32 bits or .v2.f16x2");
	if (coordinate != T_F32 && (coordinate != T_S32 || f->g.shape == TEXTURE_CUBE || f->gather))
		return bind_fault(b, NULL, "types", "found coordinates of type .%s, wanted .f32 or .s32",
			types[coordinate].name);
	if (d->kind != O_VEC || d->n != n)
		return bind_fault(b, d, "operand", "found no vector of %u, wanted {..}", n);
	for (unsigned i = 0; i < n; i++)
		if ((x->slot[i] = bind_dst(b, &d->elem[i], 32)) == UINT32_MAX)
			return -1;
	if (geometry_bind(b, o, &in->operand[1], &f->g, coordinate))
		return -1;
	o->memory = 1;
	o->bytes = f->half ? 2 : 4;
	o->space = SP_GLOBAL;
	o->fn = fetch;
	return 0;
}

int bind_tex(struct bind *b, struct op *o)
{
	const struct stmt *in = b->in;
	struct texture_fetch *f = bind_ext(b, o)->family = arena_alloc(&b->code->arena, 1, sizeof(*f));
	unsigned more = has(in, M_LEVEL) ? 1 : has(in, M_GRAD) ? 2 : 0;

	if (!geometry_find(in, &f->g))
		return bind_refuse(b, "textures of several samples");
	if (bind_types(b, 2))
		return -1;
	if (in->n_operands > 2 + more)
		return bind_refuse(b, "an offset or a comparison of depths");
	return bind_operands(b, 2 + more, 2 + more) ? -1 : bind_fetch(b, o, f);
}

int bind_tld4(struct bind *b, struct op *o)
{
	static const enum modifier channels[] = {M_R, M_G, M_B, M_FRAG_A};
	const struct stmt *in = b->in;
	struct texture_fetch *f = bind_ext(b, o)->family = arena_alloc(&b->code->arena, 1, sizeof(*f));

	for (uint8_t i = 0; i < 4; i++)
		if (has(in, channels[i]))
			f->gather = i + 1u;
	if (bind_types(b, 2))
		return -1;
	if (in->n_operands > 2)
		return bind_refuse(b, "an offset or a comparison of depths");
	if (bind_operands(b, 2, 2))
		return -1;
	if (!f->gather || !geometry_find(in, &f->g) || f->g.n < 2 || f->g.shape == TEXTURE_3D)
		return bind_fault(b, NULL, "suffix",
			"found %s, wanted .r, .g, .b or .a of .2d, .a2d, .cube or .acube", in->text);
	return bind_fetch(b, o, f);
}
