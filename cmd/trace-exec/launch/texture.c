/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Textures, surfaces and samplers of launch files: their buffer, form and sampling.
 *
 * A name that a module declares as .texref, .surfref or .samplerref is bound when the line is executed; any
 * other name denotes a handle for arguments. Always true: the texels are in the buffer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "launch/read.h"

struct step *launch_find_texture(const struct script *s, const char *name, size_t n)
{
	for (uint32_t i = s->n_commands; i-- > 0;)
		if (s->command[i].kind == CMD_TEXTURE && strlen(s->command[i].name) == n &&
			!memcmp(s->command[i].name, name, n))
			return &s->command[i];
	return NULL;
}

/*
 * Reads word w as "dims=1,2,3", up to 3 numbers. Returns their count, 0 if it is another word, or -1 with the
 * fault set.
 */
static int read_texture_dims(struct reader *r, uint32_t w, struct texture *t)
{
	uint32_t *to[3] = {&t->width, &t->height, &t->depth};
	const char *s = r->word[w].text + 5;
	char *end = NULL;

	if (strncmp(r->word[w].text, "dims=", 5))
		return 0;
	for (int i = 0; i < 3 && *s >= '0' && *s <= '9'; i++, s = end + 1) {
		unsigned long long v = strtoull(s, &end, 10);

		*to[i] = v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
		if (!*end) {
			t->shape = (uint8_t)(TEXTURE_1D + i);
			return i + 1;
		}
		if (*end != ',')
			break;
	}
	return launch_unexpected(r, w, "one to three numbers of texels between commas");
}

/* Reads "address=clamp,wrap". The last mode also applies to the remaining dimensions. */
static int read_address_modes(struct reader *r, uint32_t w, struct sampler *t)
{
	static const char *const names[] = {"wrap", "clamp", "mirror", "border"};
	const char *s = r->word[w].text + 8;

	if (strncmp(r->word[w].text, "address=", 8))
		return 0;
	for (unsigned i = 0; i < 3; i++) {
		size_t n = strcspn(s, ",");
		uint8_t k = 0;

		while (k < 4 && (strlen(names[k]) != n || memcmp(names[k], s, n)))
			k++;
		if (k == 4)
			break;
		for (unsigned d = i; d < 3; d++)
			t->mode[d] = k;
		if (!s[n])
			return 1;
		s += n + 1;
	}
	return launch_unexpected(r, w, "up to three of wrap, clamp, mirror and border between commas");
}

/*
 * Reads "name=1,2.5", `least` to `most` numbers. Returns their count, 0 if the word has another name, or -1
 * with the fault set.
 */
static int read_real_numbers(
	struct reader *r, uint32_t w, const char *name, int least, int most, float *to, const char *what)
{
	size_t n = strlen(name);
	const char *s = r->word[w].text + n + 1;
	char *end;

	if (strncmp(r->word[w].text, name, n) || r->word[w].text[n] != '=')
		return 0;
	for (int i = 0; i < most; i++, s = end + 1) {
		float v = strtof(s, &end);

		if (end == s || v != v || (*end && *end != ','))
			break;
		to[i] = v;
		if (!*end && i + 1 >= least)
			return i + 1;
		if (!*end)
			break;
	}
	return launch_unexpected(r, w, what);
}

static int read_sampler_word(struct reader *r, uint32_t w, struct sampler *t)
{
	const char *s = r->word[w].text;
	int got;

	if ((got = read_address_modes(r, w, t)) ||
		(got = read_real_numbers(
			 r, w, "border", 1, 4, t->border, "up to four numbers between commas")) ||
		(got = read_real_numbers(r, w, "bias", 1, 1, &t->bias, "a number of levels")) ||
		(got = read_real_numbers(
			 r, w, "lod", 2, 2, t->lod, "the least and the most level of detail")))
		return got;
	if (!strcmp(s, "filter=linear") || !strcmp(s, "filter=point"))
		t->linear = s[7] == 'l';
	else if (!strcmp(s, "mipfilter=linear") || !strcmp(s, "mipfilter=point"))
		t->mip_linear = s[10] == 'l';
	else
		return 0;
	return 1;
}

static int read_texture_form(struct reader *r, uint32_t w, struct texture *t)
{
	uint64_t v;
	int got;

	if ((got = read_texture_dims(r, w, t)))
		return got;
	if ((got = launch_read_option(r, w, "pitch", LAUNCH_HEAP_MAX, &v)))
		t->pitch = v;
	else if ((got = launch_read_option(r, w, "slice", LAUNCH_HEAP_MAX, &v)))
		t->slice_pitch = v;
	else if ((got = launch_read_option(r, w, "offset", LAUNCH_HEAP_MAX, &v)))
		t->addr = v;
	else if ((got = launch_read_option(r, w, "layers", 65536, &v)) > 0) {
		t->layers = (uint32_t)v;
		t->layered = true;
		got = v ? 1 : launch_unexpected(r, w, "layers=N above 0");
	}
	return got;
}

/* Reads a word that only textures have. */
static int read_texture_word(struct reader *r, uint32_t w, struct texture *t, bool *cube)
{
	const char *s = r->word[w].text;
	uint64_t v;
	int got = read_sampler_word(r, w, &t->sampler);

	if (got)
		return got;
	if ((got = launch_read_option(r, w, "levels", TEXTURE_LEVELS, &v)) > 0) {
		t->levels = (uint8_t)v;
		return v ? 1 : launch_unexpected(r, w, "levels=N above 0");
	}
	if (got)
		return got;
	if (!strcmp(s, "cube"))
		*cube = true;
	else if (!strcmp(s, "read=float") || !strcmp(s, "read=element"))
		t->read_float = s[5] == 'f';
	else if (!strcmp(s, "normalized"))
		t->normalized = true;
	else
		return 0;
	return 1;
}

/*
 * Completes the texture after all words of the line. Before the call, t->addr is an offset in the buffer.
 * Returns NULL, or a description of the error.
 */
static const char *complete_texture(struct texture *t, const struct step *b, bool cube)
{
	uint64_t bytes = t->addr < b->bytes ? b->bytes - t->addr : 0;

	if (t->shape == TEXTURE_LINEAR) {
		uint64_t n = bytes / texture_texel_bytes(t);

		if (t->surface)
			return "a surface without dims=";
		if (t->layered || cube || t->sampler.linear || t->normalized || t->levels)
			return "linear memory (no dims=) with layers, faces, levels, a filter or normalised coordinates";
		t->width = (uint32_t)(n > 1u << 28 ? 1u << 28 : n);
	}
	if (cube && (t->shape != TEXTURE_2D || t->surface))
		return "a cube that is not a texture of two dimensions";
	if (cube) {
		t->shape = TEXTURE_CUBE;
		t->layers = 6 * (t->layers ? t->layers : 1);
	}
	if (t->layered && t->shape == TEXTURE_3D)
		return "layers of three dimensions";
	t->addr += b->addr;
	texture_set_defaults(t);
	return texture_find_fault(t, bytes);
}

/* Checks that no buffer has the line's name. Returns 0, or -1 with the fault set. */
static int read_texture_name(struct reader *r)
{
	const char *s = r->word[1].text;

	if (launch_find_buffer(r->script, s, strlen(s)) || strpbrk(s, "+:,"))
		return launch_unexpected(r, 1, "a name that no buffer has, without '+', ':' and ','");
	return 0;
}

static const struct sampler plain_sampler = {
	.mode = {TEXTURE_CLAMP, TEXTURE_CLAMP, TEXTURE_CLAMP}, .lod = {0, TEXTURE_LEVELS}};

static int add_texture(struct reader *r, const struct texture *t)
{
	struct step *c = launch_add_step(r, CMD_TEXTURE);

	c->place = launch_word_place(r, 1);
	c->name = r->word[1].text;
	c->texture = *t;
	c->addr = TEXTURE_HANDLE + r->script->n_textures++;
	return 0;
}

int launch_read_texture(struct reader *r, bool surface)
{
	struct texture t = {.surface = surface, .sampler = plain_sampler};
	struct step *b;
	bool cube = false;
	const char *wrong;
	int got;

	if (r->n < 4)
		return launch_unexpected(r, r->n,
			surface ? "surface NAME BUFFER FORMAT dims=W[,H[,D]] [layers=N]"
				: "texture NAME BUFFER FORMAT [dims=W[,H[,D]] ...]");
	if (!(b = launch_find_buffer(r->script, r->word[2].text, strlen(r->word[2].text))))
		return launch_unexpected(r, 2, "the name of a buffer");
	if (read_texture_name(r))
		return -1;
	if (!texture_set_format(&t, r->word[3].text))
		return launch_unexpected(r, 3, "a format such as f32, s32, u8x4 or f16x2");
	for (uint32_t w = 4; w < r->n; w++) {
		got = read_texture_form(r, w, &t);
		if (!got && !surface)
			got = read_texture_word(r, w, &t, &cube);
		if (got <= 0)
			return got ? got
				   : launch_unexpected(r, w,
					     surface ? "dims=, layers=, offset=, pitch= or slice="
						     : "dims=, layers=, levels=, cube, offset=, pitch=, slice=, filter=, mipfilter=, lod=, bias=, address=, border=, normalized or read=");
	}
	if ((wrong = complete_texture(&t, b, cube)))
		return fault_set(r->fault, launch_word_place(r, 0), "texture",
			"%s (expected a %s that a GPU supports)", wrong, surface ? "surface" : "texture");
	return add_texture(r, &t);
}

int launch_read_sampler(struct reader *r)
{
	struct texture t = {.shape = TEXTURE_SAMPLER, .width = 1, .sampler = plain_sampler};
	int got;

	if (r->n < 2)
		return launch_unexpected(r, r->n, "sampler NAME [filter=point|linear] [address=MODE,...]");
	if (read_texture_name(r))
		return -1;
	for (uint32_t w = 2; w < r->n; w++) {
		got = read_sampler_word(r, w, &t.sampler);
		if (!got && !strcmp(r->word[w].text, "unnormalized"))
			got = t.sampler.unnormalized = true;
		if (got <= 0)
			return got ? got
				   : launch_unexpected(r, w,
					     "filter=, mipfilter=, lod=, bias=, address=, border= or unnormalized");
	}
	return add_texture(r, &t);
}

int launch_bind_textures(struct reader *r)
{
	for (uint32_t i = 0; i < r->script->n_commands; i++) {
		struct step *c = &r->script->command[i];
		const struct texture *t = &c->texture;
		enum type type = t->surface                    ? T_SURFREF
				 : t->shape == TEXTURE_SAMPLER ? T_SAMPLERREF
							       : T_TEXREF;
		char quoted[90];
		unsigned n;

		if (c->kind != CMD_TEXTURE)
			continue;
		diag_quote(quoted, sizeof(quoted), c->name, strlen(c->name));
		c->sym = program_variable(&r->script->prog, c->name, &n);
		if (n > 1)
			return fault_set(r->fault, c->place, "symbol-unknown",
				"'%s' is defined separately by %u modules (expected one that is .visible)",
				quoted, n);
		if (!c->sym && !c->used)
			return fault_set(r->fault, c->place, "symbol-unknown",
				"unknown name '%s' (expected a .%s of the modules or an argument)", quoted,
				types[type].name);
		if (c->sym && c->sym->type != type)
			return fault_set(r->fault, c->place, "symbol-unknown",
				"'%s' is of another kind (expected a .%s)", quoted, types[type].name);
	}
	return 0;
}
