/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packs control codes with the kernels. The function of a kernel is found by name and architecture.
 * trace-pack does not compare the function's code with the trace; trace-lint and trace-sim do.
 *
 * Always true: functions from --cubin are added first, so that they take precedence over functions of the
 * same name in a packed source.
 */
#include <stdio.h>
#include <string.h>
#include "cubin.h"
#include "tool.h"

void codes_open(struct codes *c, const struct source *s, const struct pack_args *a)
{
	struct fault f;

	*c = (struct codes){.cubins = NULL};
	if (a->n_cubins || (s->pack && pack_has_codes(s->pack)))
		c->cubins = cubins_new();
	for (uint32_t i = 0; i < a->n_cubins; i++)
		if (cubins_add(c->cubins, a->cubin[i], &f) < 0)
			die_fault(&f);
}

void codes_add_kernel(struct codes *c, const struct source *s, uint32_t i)
{
	struct fault f;

	if (c->cubins && s->pack && pack_codes(s->pack, s->item[i].number, c->cubins, &f) < 0)
		die_fault(&f);
}

void codes_count_kernel(
	struct codes *c, const struct source *s, const struct pack_args *a, uint32_t i, uint32_t insts)
{
	const struct item *k = &s->item[i];

	c->kernels += insts != 0;
	if (!insts && a->n_cubins)
		diag_warn((struct place){diag_keep(k->path ? k->path : k->name), 0, 0},
			"no function of the kernel's name and architecture in the files of --cubin: packed without control codes");
}

static bool are_control_codes_equal(const uint8_t *a, const uint8_t *b)
{
	const uint8_t *of[] = {a, b};
	uint8_t is[2][16];

	for (unsigned i = 0; i < 2; i++) {
		struct control_code k;

		control_decode(&k, of[i]);
		control_encode(&k, is[i]);
	}
	return !memcmp(is[0], is[1], sizeof(is[0]));
}

void codes_verify(const struct codes *c, struct pack *p, uint32_t n, const struct pack_args *a)
{
	struct cubins *back = cubins_new();
	struct fault f;

	for (uint32_t i = 0; c->cubins && i < n; i++)
		if (pack_codes(p, i, back, &f) < 0)
			die_at((struct place){.file = a->output},
				"control codes of kernel %u cannot be read back: %s", i + 1, f.text);
	for (uint32_t i = 0; i < cubins_count(back); i++) {
		const struct cubin_function *b = cubins_function_at(back, i);
		const struct cubin_function *k = cubins_find(c->cubins, b->name, b->sm);
		bool same = k && k->bytes == b->bytes;

		for (uint32_t at = 0; same && at < b->bytes; at += 16) {
			same = are_control_codes_equal(k->code + at, b->code + at);
		}
		if (!same)
			die_at((struct place){.file = a->output},
				"control codes of %s differ after unpacking", b->name);
	}
	cubins_free(back);
}

void codes_close(struct codes *c, const struct source *s, const struct pack_args *a)
{
	if (c->cubins && a->verbose && !a->quiet)
		fprintf(stderr, "%u of %u kernels with control codes\n", c->kernels, s->n_items);
	cubins_free(c->cubins);
}
