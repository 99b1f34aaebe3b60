/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads attributes of cubins (.nv.info). An attribute has its format (1 byte), its number (1 byte), and 16 bits: a
 * value or, with format 4, the number of bytes that follow. Attributes without effect on execution are skipped.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "sass/image.h"

enum {
	INFO_MAX_THREADS = 0x05,
	INFO_PARAM_CBANK = 0x0a,
	INFO_REQNTID = 0x10,
	INFO_MIN_STACK_SIZE = 0x12,
	INFO_KPARAM = 0x17,
	INFO_CBANK_PARAM_SIZE = 0x19,
	INFO_REGCOUNT = 0x2f,
	INFO_CTA_PER_CLUSTER = 0x3d,
	INFO_EXPLICIT_CLUSTER = 0x3e,
	INFO_MAX_CLUSTER_RANK = 0x3f,
	INFO_KPARAM_WIDE = 0x45,
	INFO_NUM_BARRIERS = 0x4c
};

#define PARAMS_MAX      4096u
#define PARAM_BYTES_MAX 65536u
#define FORMAT_BYTES    4 /* the attribute has a payload after its 16 bits */

struct attribute {
	unsigned format, number, value;
	const uint8_t *p; /* payload of format 4 */
	unsigned n;
};

/* Reads the attribute at *at and advances *at past it. Returns 1; 0 at the end; -1 if it exceeds the section. */
static int next_attribute(const struct elf_section *s, uint64_t *at, struct attribute *a)
{
	if (!s->p || *at >= s->n)
		return 0;
	if (s->n - *at < 4)
		return -1;
	const uint8_t *p = s->p + *at;

	*a = (struct attribute){p[0], p[1], (unsigned)elf_number(p + 2, 2), p + 4, 0};
	*at += 4;
	if (a->format != FORMAT_BYTES)
		return 1;
	if (a->value > s->n - *at)
		return -1;
	a->n = a->value;
	*at += a->n;
	return 1;
}

static unsigned attribute_word(const struct attribute *a, unsigned at)
{
	return (unsigned)elf_number(a->p + at, 4);
}

static void read_dimensions(uint32_t out[3], const struct attribute *a)
{
	for (unsigned i = 0; i < 3 && a->n >= 12; i++)
		out[i] = attribute_word(a, 4 * i);
}

/* Adds a parameter. Returns false if its index or size exceeds the limits. */
static bool add_image_param(struct sass_function *fn, unsigned index, unsigned offset, unsigned bytes)
{
	if (index >= PARAMS_MAX || bytes > PARAM_BYTES_MAX)
		return false;
	if (index >= fn->n_params) {
		fn->param = xrealloc(fn->param, index + 1, sizeof(*fn->param));
		memset(fn->param + fn->n_params, 0, (index + 1 - fn->n_params) * sizeof(*fn->param));
		fn->n_params = index + 1;
	}
	fn->param[index] = (struct sass_param){offset, bytes};
	return true;
}

static bool read_function_attribute(struct sass_function *fn, const struct attribute *a)
{
	switch (a->number) {
	case INFO_MAX_THREADS: read_dimensions(fn->max_threads, a); break;
	case INFO_REQNTID: read_dimensions(fn->required_threads, a); break;
	case INFO_CTA_PER_CLUSTER: read_dimensions(fn->cluster, a); break;
	case INFO_EXPLICIT_CLUSTER: fn->explicit_cluster = true; break;
	case INFO_MAX_CLUSTER_RANK: fn->max_cluster = a->n >= 4 ? attribute_word(a, 0) : 0; break;
	case INFO_CBANK_PARAM_SIZE: fn->param_bytes = a->value; break;
	case INFO_NUM_BARRIERS: fn->barriers = a->value & 255; break;
	case INFO_PARAM_CBANK:
		if (a->n < 8)
			return false;
		fn->param_offset = attribute_word(a, 4) & 0xffff;
		fn->param_bytes = attribute_word(a, 4) >> 16;
		break;
	case INFO_KPARAM:
		return a->n >= 12 && add_image_param(fn, attribute_word(a, 4) & 0xffff,
					     attribute_word(a, 4) >> 16, attribute_word(a, 8) >> 18);
	case INFO_KPARAM_WIDE: /* the upper byte of the size has flags */
		return a->n >= 12 && add_image_param(fn, attribute_word(a, 4) & 0xffff,
					     attribute_word(a, 4) >> 16, attribute_word(a, 8) & 0xffffff);
	}
	return true;
}

int sass_info_function(
	struct sass_function *fn, const struct elf_file *e, const struct elf_section *s, struct fault *f)
{
	struct attribute a;
	uint64_t at = 0;
	int got;

	while ((got = next_attribute(s, &at, &a)) > 0)
		if (!read_function_attribute(fn, &a)) {
			got = -1;
			break;
		}
	if (got < 0)
		return fault_set(f, (struct place){.file = e->name}, "cubin",
			"damaged attributes of function %.100s", fn->name);
	return 0;
}

int sass_info_file(struct sass_image *m, const struct elf_file *e, const struct elf_section *s,
	const uint32_t *of_symbol, uint32_t n, struct fault *f)
{
	struct attribute a;
	uint64_t at = 0;
	int got;

	while ((got = next_attribute(s, &at, &a)) > 0) {
		unsigned symbol = a.n >= 8 ? attribute_word(&a, 0) : n;
		struct sass_function *fn = symbol < n && of_symbol[symbol] != NO_FUNCTION
						   ? &m->function[of_symbol[symbol]]
						   : NULL;

		if (fn && a.number == INFO_REGCOUNT)
			fn->registers = attribute_word(&a, 4) > 255 ? 255 : attribute_word(&a, 4);
		if (fn && a.number == INFO_MIN_STACK_SIZE)
			fn->stack = attribute_word(&a, 4);
	}
	return got < 0 ? elf_set_fault(e, f, "damaged attributes (.nv.info)") : 0;
}
