/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arguments of launches: words between commas to the bytes of the parameter block.
 *
 * Always true: an argument's bytes fit its parameter; parameters without an argument are zero, which is warned of.
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

/* One argument's bytes; the count, or 0 with the fault set. */
static size_t argument(
	struct reader *r, struct place where, const char *s, size_t n, const struct symbol *p, uint8_t *out)
{
	const char *colon = memchr(s, ':', n);
	char text[400], quoted[90];
	struct init init;

	diag_quote(quoted, sizeof(quoted), s, n);
	if (colon && colon - s == 3 && !memcmp(s, "hex", 3)) {
		size_t digits = n - 4;

		if (digits % 2 || digits / 2 > p->size || !digits)
			goto bad;
		for (size_t i = 0; i < digits / 2; i++) {
			int a = hex_value(s[4 + 2 * i]), b = hex_value(s[5 + 2 * i]);

			if (a < 0 || b < 0)
				goto bad;
			out[i] = (uint8_t)(a << 4 | b);
		}
		return digits / 2;
	}
	if (colon && n < 300) { /* i32:5 is the first element of i32=fill:5 */
		static const uint8_t bytes[] = {1, 2, 4, 8, 2, 4, 8};

		snprintf(text, sizeof(text), "%.*s=fill:%.*s", (int)(colon - s), s,
			(int)(n - (size_t)(colon - s) - 1), colon + 1);
		if (init_parse(&init, text, "", &r->s->arena, where, r->f))
			return 0;
		if (bytes[init.type] > p->size)
			goto bad;
		init_fill(&init, out, bytes[init.type], where, r->f);
		return bytes[init.type];
	}
	for (uint32_t i = 0; i < r->s->n_maps; i++)
		if (strlen(r->s->map[i].name) == n && !memcmp(r->s->map[i].name, s, n) &&
			p->size == sizeof(struct tensor_map)) {
			memcpy(out, &r->s->map[i].map, sizeof(struct tensor_map));
			return sizeof(struct tensor_map);
		}
	struct step *t = launch_texture_named(r->s, s, n);
	if (t && p->size == 8) {
		t->used = true;
		memcpy(out, &t->addr, 8);
		return 8;
	}
	const char *plus = memchr(s, '+', n);
	struct step *b = launch_buffer(r->s, s, plus ? (size_t)(plus - s) : n);
	uint64_t add_bytes = 0;

	if (plus && n < 300) {
		snprintf(text, sizeof(text), "%.*s", (int)(n - (size_t)(plus - s) - 1), plus + 1);
		if (!launch_number(text, LAUNCH_HEAP_MAX, &add_bytes))
			goto bad;
	}
	if (!b || p->size < 4 || (p->size < 8 && b->addr + add_bytes > UINT32_MAX))
		goto bad;
	add_bytes += b->addr;
	memcpy(out, &add_bytes, p->size < 8 ? 4 : 8);
	return p->size < 8 ? 4 : 8;
bad:
	fault_set(r->f, where, "argument",
		"found argument '%s' for a parameter of %llu bytes, wanted a buffer, TYPE:VALUE or hex:BYTES",
		quoted, (unsigned long long)p->size);
	return 0;
}

/* The parameter block of a launch. */
int launch_arguments(struct reader *r, struct step *c)
{
	const struct func *k = c->launch.kernel;
	uint8_t *block = arena_alloc(&r->s->arena, k->param_bytes + 16u, 1);
	struct place where = c->at;
	const char *s = c->path;
	uint32_t n = 0;

	for (; *s; n++) {
		size_t len = strcspn(s, ",");

		if (n == k->n_params)
			return fault_set(r->f, where, "argument",
				"found more than %u arguments of kernel '%s', wanted no more", n, k->name);
		if (!argument(r, where, s, len, k->param[n], block + k->param[n]->addr))
			return -1;
		where.col += (uint32_t)len + 1;
		s += len;
		s += *s == ',';
	}
	if (n < k->n_params)
		diag_warn(where, "found %u arguments of kernel '%s', wanted %u: the others are zero", n,
			k->name, k->n_params);
	c->launch.param = block;
	return 0;
}
