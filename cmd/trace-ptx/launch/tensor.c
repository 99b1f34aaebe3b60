/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tensor maps of launch files.
 *
 * Always true: a map that was taken fits what copies ask of it, but for the number of dimensions, which the copy names.
 */
#include <stdlib.h>
#include <string.h>
#include "launch/read.h"

/* "name=1,2,3": up to 5 numbers; their count, 0 without the name, -1 with the fault set. */
static int take_list(struct reader *r, uint32_t w, const char *name, uint64_t *v)
{
	size_t n = strlen(name);
	const char *s = r->word[w].s + n + 1;
	char *end;

	if (strncmp(r->word[w].s, name, n) || r->word[w].s[n] != '=')
		return 0;
	for (int i = 0; i < TENSOR_RANK; i++, s = end + 1) {
		if (*s < '0' || *s > '9')
			break;
		v[i] = strtoull(s, &end, 0);
		if (!*end)
			return i + 1;
		if (*end != ',')
			break;
	}
	return launch_wanted(r, w, "one to five numbers between commas");
}

static int tensor_option(
	struct reader *r, uint32_t w, struct tensor_map *m, int *dims, int *strides, int *box)
{
	uint64_t v = 0, list[TENSOR_RANK] = {0};
	int got;

	if ((got = take_list(r, w, "dims", m->dim)))
		*dims = got;
	else if ((got = take_list(r, w, "strides", list)))
		*strides = got;
	else if ((got = take_list(r, w, "box", list)))
		*box = got;
	for (int i = 0; got > 0 && i < TENSOR_RANK; i++) {
		if (got == *strides && i + 1 < TENSOR_RANK && !strncmp(r->word[w].s, "strides", 7))
			m->stride[i] = list[i];
		if (!strncmp(r->word[w].s, "box", 3))
			m->box[i] = list[i] > UINT32_MAX ? UINT32_MAX : (uint32_t)list[i];
	}
	if (got)
		return got;
	if ((got = launch_option(r, w, "bytes", 8, &v)))
		m->bytes = (uint8_t)v;
	else if ((got = launch_option(r, w, "swizzle", 128, &v)))
		m->span = (uint8_t)v;
	else if ((got = !strcmp(r->word[w].s, "fill=nan")))
		m->fill_nan = 1;
	return got;
}

int launch_tensormap(struct reader *r)
{
	struct tensor_map m = {.magic = TENSOR_MAGIC, .bytes = 4};
	int dims = 0, strides = 0, box = 0, got;
	struct step *b;

	if (r->n < 5)
		return launch_wanted(r, r->n,
			"tensormap NAME BUFFER [bytes=N] dims=... box=... [strides=...] [swizzle=N] [fill=nan]");
	if (!(b = launch_buffer(r->s, r->word[2].s, strlen(r->word[2].s))))
		return launch_wanted(r, 2, "the name of a buffer");
	for (uint32_t w = 3; w < r->n; w++)
		if ((got = tensor_option(r, w, &m, &dims, &strides, &box)) <= 0)
			return got ? got
				   : launch_wanted(
					     r, w, "bytes=, dims=, strides=, box=, swizzle= or fill=nan");
	m.addr = b->addr;
	m.rank = (uint8_t)dims;
	for (int d = 1; d < dims && !strides; d++)
		m.stride[d - 1] = d == 1 ? m.dim[0] * m.bytes : m.stride[d - 2] * m.dim[d - 1];
	const char *wrong = box != dims || (strides && strides != dims - 1) ? "lists of different lengths"
									    : tensor_wrong(&m);
	if (wrong)
		return fault_set(r->f, launch_at(r, 0), "tensor-map",
			"found %s, wanted a map that the hardware takes", wrong);
	struct script *s = r->s;
	grow(&s->map, &s->cap_maps, s->n_maps + 1, sizeof(*s->map));
	s->map[s->n_maps++] = (struct named_map){r->word[1].s, m};
	return 0;
}
