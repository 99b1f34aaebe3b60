/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tensor maps of launch files.
 *
 * Always true: an accepted map is valid for copies. Only its number of dimensions must be checked against the
 * copy instruction.
 */
#include <stdlib.h>
#include <string.h>
#include "launch/read.h"

/*
 * Reads "name=1,2,3", up to 5 numbers. Returns their count, 0 if the word has another name, or -1 with the
 * fault set.
 */
static int read_number_list(struct reader *r, uint32_t w, const char *name, uint64_t *v)
{
	size_t n = strlen(name);
	const char *s = r->word[w].text + n + 1;
	char *end;

	if (strncmp(r->word[w].text, name, n) || r->word[w].text[n] != '=')
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
	return launch_unexpected(r, w, "one to five numbers between commas");
}

/* Lengths of the lists of a line; 0: not given. */
struct list_lengths {
	int dims, strides, box, steps;
	bool are_integers; /* the elements are integers */
};

/* Reads "lower=-1,-1", a corner of im2col. Returns 1, 0 if it is another word, or -1 with the fault set. */
static int read_corner(struct reader *r, uint32_t w, const char *name, int16_t *to)
{
	size_t n = strlen(name);
	const char *s = r->word[w].text + n + 1;
	char *end;

	if (strncmp(r->word[w].text, name, n) || r->word[w].text[n] != '=')
		return 0;
	for (int i = 0; i < TENSOR_RANK - 2; i++, s = end + 1) {
		long v = strtol(s, &end, 10);

		if (end == s || v < -32768 || v > 32767)
			break;
		to[i] = (int16_t)v;
		if (!*end)
			return 1;
		if (*end != ',')
			break;
	}
	return launch_unexpected(r, w, "one to three numbers of 16 bits between commas");
}

static int read_element_type(struct reader *r, uint32_t w, struct tensor_map *m)
{
	const char *name = r->word[w].text + 5;
	enum type t;

	if (strncmp(r->word[w].text, "type=", 5))
		return 0;
	t = type_find(name, (uint32_t)strlen(name));
	if (t == T_NONE || (t != T_TF32 && tensor_element_of_type(t) == TENSOR_ELEMENTS))
		return launch_unexpected(r, w, "type= and the type of elements, such as f32");
	m->element = (uint8_t)(t == T_TF32 ? TENSOR_TF32 : tensor_element_of_type(t));
	return 1;
}

/*
 * Reads "bytes=4": the elements are unsigned integers of this size. Returns 1, 0 if it is another word, or -1 with
 * the fault set.
 */
static int read_element_bytes(struct reader *r, uint32_t w, struct tensor_map *m)
{
	uint64_t v;
	int got = launch_read_option(r, w, "bytes", 8, &v);

	if (got <= 0)
		return got;
	if (v != 1 && v != 2 && v != 4 && v != 8)
		return launch_unexpected(r, w, "elements of 1, 2, 4 or 8 bytes");
	m->element = (uint8_t)tensor_element_of_type(v == 1 ? T_U8 : v == 2 ? T_U16 : v == 4 ? T_U32 : T_U64);
	return 1;
}

/*
 * Reads "steps=1,2", the element strides of each dimension. Returns their count, 0 if it is another word, or -1
 * with the fault set.
 */
static int read_element_strides(struct reader *r, uint32_t w, struct tensor_map *m)
{
	uint64_t list[TENSOR_RANK] = {0};
	int got = read_number_list(r, w, "steps", list);

	for (int d = 0; d < got; d++) {
		if (!list[d] || list[d] > 8)
			return launch_unexpected(r, w, "steps of 1 to 8");
		m->step[d] = (uint8_t)list[d];
	}
	return got;
}

static int read_tensor_option(
	struct reader *r, uint32_t w, struct tensor_map *m, struct list_lengths *lengths)
{
	uint64_t v = 0, list[TENSOR_RANK] = {0};
	int got;

	if ((got = read_number_list(r, w, "dims", m->dim)))
		return lengths->dims = got;
	if ((got = read_number_list(r, w, "strides", list))) {
		memcpy(m->stride, list, sizeof(m->stride));
		return lengths->strides = got;
	}
	if ((got = read_number_list(r, w, "box", list))) {
		for (int i = 0; i < TENSOR_RANK; i++)
			m->box[i] = list[i] > UINT32_MAX ? UINT32_MAX : (uint32_t)list[i];
		return lengths->box = got;
	}
	if ((got = read_element_strides(r, w, m)))
		return lengths->steps = got;
	if (!strncmp(r->word[w].text, "interleave=", 11))
		return launch_unexpected(r, w, "a layout that is not interleaved");
	if ((got = read_corner(r, w, "lower", m->lower)) || (got = read_corner(r, w, "upper", m->upper)) ||
		(got = read_element_bytes(r, w, m)))
		return got;
	if ((got = read_element_type(r, w, m))) {
		lengths->are_integers = types[tensor_element(m)->type].kind != K_FLOAT;
		return got;
	}
	if ((got = launch_read_option(r, w, "swizzle", 128, &v)) > 0)
		m->span = (uint8_t)v;
	else if (!got && (got = launch_read_option(r, w, "pixels", 65535, &v)) > 0)
		m->pixels = (uint16_t)v;
	else if (!got && (got = launch_read_option(r, w, "channels", 65535, &v)) > 0)
		m->channels = (uint16_t)v;
	else if (!got && (got = !strcmp(r->word[w].text, "fill=nan")))
		m->fill_nan = 1;
	return got;
}

/* Sets the strides of a dense tensor. */
static void set_dense_strides(struct tensor_map *m)
{
	uint64_t bytes = tensor_element(m)->bytes;

	for (unsigned d = 1; d < m->rank; d++)
		m->stride[d - 1] = bytes *= m->dim[d - 1];
}

/* Returns true if the lists of the map have as many numbers as their kind requires. */
static bool are_list_lengths_valid(const struct tensor_map *m, const struct list_lengths *lengths)
{
	return lengths->box == (m->pixels ? 0 : lengths->dims) &&
	       (!lengths->strides || lengths->strides == lengths->dims - 1) &&
	       (!lengths->steps || lengths->steps == lengths->dims);
}

/* Returns a description of what is wrong with a map, or NULL if it is valid. */
static const char *map_error(const struct tensor_map *m, const struct list_lengths *lengths)
{
	if (!are_list_lengths_valid(m, lengths))
		return "lists of different lengths";
	if (m->fill_nan && lengths->are_integers)
		return "NaNs to fill whole numbers with";
	return tensor_map_error(m);
}

int launch_read_tensormap(struct reader *r)
{
	struct tensor_map m = {.element = (uint8_t)tensor_element_of_type(T_U32), .step = {1, 1, 1, 1, 1}};
	struct list_lengths lengths = {.are_integers = false};
	struct script *s = r->script;
	struct step *buffer;

	if (r->n < 5)
		return launch_unexpected(r, r->n,
			"tensormap NAME BUFFER [bytes=N] dims=... box=... [strides=...] [steps=...] [swizzle=N] [fill=nan]");
	if (!(buffer = launch_find_buffer(s, r->word[2].text, strlen(r->word[2].text))))
		return launch_unexpected(r, 2, "the name of a buffer");
	for (uint32_t w = 3; w < r->n; w++) {
		int got = read_tensor_option(r, w, &m, &lengths);

		if (got < 0)
			return got;
		if (!got)
			return launch_unexpected(r, w,
				"bytes=, type=, dims=, strides=, box=, steps=, swizzle=, fill=nan, pixels=, channels=, lower= or upper=");
	}
	m.addr = buffer->addr;
	m.rank = (uint8_t)lengths.dims;
	if (!lengths.strides)
		set_dense_strides(&m);
	const char *wrong = map_error(&m, &lengths);
	if (wrong)
		return fault_set(r->fault, launch_word_place(r, 0), "tensor-map",
			"%s (expected a map that the hardware supports)", wrong);
	grow(&s->map, &s->cap_maps, s->n_maps + 1, sizeof(*s->map));
	s->map[s->n_maps++] = (struct named_map){r->word[1].text, m};
	return 0;
}
