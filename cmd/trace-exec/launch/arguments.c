/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arguments of launches: converts words between commas to the bytes of the parameter block.
 *
 * Always true: an argument's bytes fit its parameter; parameters without an argument are zero, with a warning.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "launch/read.h"

static int hex_value(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* An argument: its text and its parameter. Functions that read it return the number of bytes written to out. */
struct launch_argument {
	struct reader *reader;
	struct place place;
	const char *text;
	size_t length;
	const struct symbol *param;
	uint8_t *out;
};

static size_t report_bad_argument(const struct launch_argument *a)
{
	char quoted[90];

	fault_set(a->reader->fault, a->place, "argument",
		"argument '%s' for a parameter of %llu bytes (expected a buffer, TYPE:VALUE or hex:BYTES)",
		diag_quote(quoted, sizeof(quoted), a->text, a->length), (unsigned long long)a->param->size);
	return 0;
}

static size_t read_hex_argument(const struct launch_argument *x)
{
	size_t digits = x->length - 4;

	if (digits % 2 || digits / 2 > x->param->size || !digits)
		return report_bad_argument(x);
	for (size_t i = 0; i < digits / 2; i++) {
		int a = hex_value(x->text[4 + 2 * i]), b = hex_value(x->text[5 + 2 * i]);

		if (a < 0 || b < 0)
			return report_bad_argument(x);
		x->out[i] = (uint8_t)(a << 4 | b);
	}
	return digits / 2;
}

/* Reads "i32:5", the first element of i32=fill:5. */
static size_t read_typed_argument(const struct launch_argument *x, const char *colon)
{
	static const uint8_t bytes[] = {1, 2, 4, 8, 2, 4, 8};
	struct reader *r = x->reader;
	struct init init;
	char text[400];

	snprintf(text, sizeof(text), "%.*s=fill:%.*s", (int)(colon - x->text), x->text,
		(int)(x->length - (size_t)(colon - x->text) - 1), colon + 1);
	if (init_parse_values(&init, text, "", &r->script->arena, x->place, r->fault))
		return 0;
	if (bytes[init.type] > x->param->size)
		return report_bad_argument(x);
	init_fill_bytes(&init, x->out, bytes[init.type], x->place, r->fault);
	return bytes[init.type];
}

/* Reads "BUFFER" or "BUFFER+OFFSET". */
static size_t read_buffer_argument(const struct launch_argument *x)
{
	const char *plus = memchr(x->text, '+', x->length);
	struct step *b =
		launch_find_buffer(x->reader->script, x->text, plus ? (size_t)(plus - x->text) : x->length);
	size_t size = x->param->size < 8 ? 4 : 8;
	uint64_t at = 0;
	char text[400];

	if (plus && x->length < 300) {
		snprintf(text, sizeof(text), "%.*s", (int)(x->length - (size_t)(plus - x->text) - 1),
			plus + 1);
		if (!launch_parse_number(text, LAUNCH_HEAP_MAX, &at))
			return report_bad_argument(x);
	}
	if (!b || x->param->size < 4 || (size == 4 && b->addr + at > UINT32_MAX))
		return report_bad_argument(x);
	if (at > b->bytes) {
		fault_set(x->reader->fault, x->place, "argument",
			"byte %llu of buffer '%s' (expected at most %llu, its size)", (unsigned long long)at,
			b->name, (unsigned long long)b->bytes);
		return 0;
	}
	at += b->addr;
	memcpy(x->out, &at, size);
	return size;
}

/* Writes one argument's bytes. Returns their number, or 0 with the fault set. */
static size_t read_argument(
	struct reader *r, struct place where, const char *s, size_t n, const struct symbol *p, uint8_t *out)
{
	const struct launch_argument x = {r, where, s, n, p, out};
	const char *colon = memchr(s, ':', n);

	if (colon && colon - s == 3 && !memcmp(s, "hex", 3))
		return read_hex_argument(&x);
	if (colon && n < 300)
		return read_typed_argument(&x, colon);
	for (uint32_t i = 0; i < r->script->n_maps; i++)
		if (strlen(r->script->map[i].name) == n && !memcmp(r->script->map[i].name, s, n) &&
			p->size == TENSOR_MAP_BYTES) {
			tensor_map_pack(out, &r->script->map[i].map);
			return TENSOR_MAP_BYTES;
		}
	struct step *t = launch_find_texture(r->script, s, n);
	if (!t || p->size != 8)
		return read_buffer_argument(&x);
	t->used = true;
	memcpy(out, &t->addr, 8);
	return 8;
}

int launch_read_arguments(struct reader *r, struct step *c)
{
	const struct func *k = c->launch.kernel;
	uint8_t *block = arena_alloc(&r->script->arena, k->param_bytes + 16u, 1);
	struct place where = c->place;
	const char *s = c->path;
	uint32_t n = 0;

	for (bool more = *s; more; n++) {
		size_t len = strcspn(s, ",");

		if (n == k->n_params)
			return fault_set(r->fault, where, "argument", "more than %u arguments of kernel '%s'",
				n, k->name);
		size_t got = read_argument(r, where, s, len, k->param[n], block + k->param[n]->addr);
		if (!got)
			return -1;
		if (got < k->param[n]->size)
			diag_warn(where,
				"%zu bytes for parameter %u of kernel '%s' (expected %llu): the others are zero",
				got, n + 1, k->name, (unsigned long long)k->param[n]->size);
		where.col += (uint32_t)len + 1;
		s += len;
		more = *s == ',';
		s += more;
	}
	if (n < k->n_params)
		diag_warn(where, "%u arguments of kernel '%s' (expected %u): the others are zero", n, k->name,
			k->n_params);
	c->launch.param = block;
	return 0;
}
