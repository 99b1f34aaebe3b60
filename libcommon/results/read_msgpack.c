/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of MessagePack records, one map per record, with msgpack-c.
 *
 * Always true: an object is passed to msgpack-c only after all its bytes were read and its lengths were checked here.
 * So a hostile number of elements cannot allocate much memory, because an element has at least one byte.
 */
#include <inttypes.h>
#include <math.h>
#include <msgpack.h>
#include <stdio.h>
#include <string.h>
#include "record_format.h"
#include "read_int.h"

#define OBJECT_MAX (4u << 20) /* largest size of a record in bytes */
#define DEPTH_MAX  8

static uint64_t big_endian(const unsigned char *p, unsigned n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | *p++;
	return v;
}

/* Head of an object: size of the head, number of bytes of the payload after it, and number of elements. */
struct msgpack_head {
	unsigned size;     /* size of the head in bytes */
	uint64_t payload;  /* number of bytes after the head */
	uint64_t elements; /* number of elements */
};

/* Returns a head with a length field of `width` bytes. */
static struct msgpack_head read_head_with_length(
	const unsigned char *p, size_t n, unsigned width, bool elements, unsigned each)
{
	struct msgpack_head h = {.size = 1 + width};
	uint64_t len = n >= h.size ? big_endian(p + 1, width) : 0;

	*(elements ? &h.elements : &h.payload) = elements ? len * each : len + each;
	return h;
}

static struct msgpack_head read_head(const unsigned char *p, size_t n)
{
	unsigned char c = *p;

	if (c < 0x80 || c >= 0xe0 || (c >= 0xc0 && c <= 0xc3))
		return (struct msgpack_head){.size = 1};
	if (c < 0x90)
		return (struct msgpack_head){1, 0, 2u * (c & 15)};
	if (c < 0xa0)
		return (struct msgpack_head){1, 0, c & 15};
	if (c < 0xc0)
		return (struct msgpack_head){1, c & 31, 0};
	if (c <= 0xc6)
		return read_head_with_length(p, n, 1u << (c - 0xc4), false, 0);
	if (c <= 0xc9)
		return read_head_with_length(p, n, 1u << (c - 0xc7), false, 1);
	if (c <= 0xcb)
		return (struct msgpack_head){1, 4u << (c - 0xca), 0};
	if (c <= 0xd3)
		return (struct msgpack_head){1, 1u << (c & 3), 0};
	if (c <= 0xd8)
		return (struct msgpack_head){1, (1u << (c - 0xd4)) + 1, 0};
	if (c <= 0xdb)
		return read_head_with_length(p, n, 1u << (c - 0xd9), false, 0);
	if (c <= 0xdd)
		return read_head_with_length(p, n, 2u << (c - 0xdc), true, 1);
	return read_head_with_length(p, n, 2u << (c - 0xde), true, 2);
}

long read_msgpack_length(const unsigned char *p, size_t n)
{
	uint64_t left[DEPTH_MAX] = {1};
	unsigned depth = 0;
	size_t at = 0;

	for (;;) {
		struct msgpack_head h;

		while (!left[depth]) {
			if (!depth)
				return (long)at;
			depth--;
		}
		if (at >= OBJECT_MAX)
			return -1;
		if (at >= n)
			return 0;
		h = read_head(p + at, n - at);
		if (h.payload > OBJECT_MAX || h.elements > OBJECT_MAX)
			return -1;
		if (h.size > n - at || h.payload > n - at - h.size)
			return 0;
		at += h.size + (size_t)h.payload;
		left[depth]--;
		if (h.elements) {
			if (++depth == DEPTH_MAX)
				return -1;
			left[depth] = h.elements;
		}
	}
}

/* ---- the object --------------------------------------------------------------------------- */

static bool is_text_equal_to(const msgpack_object *o, const char *word)
{
	return o->type == MSGPACK_OBJECT_STR && o->via.str.size == strlen(word) &&
	       !memcmp(o->via.str.ptr, word, o->via.str.size);
}

/* Writes a string or number as text, truncated to the buffer. Returns false for other types. */
static bool msgpack_to_text(const msgpack_object *o, char *out, size_t cap)
{
	size_t n;

	switch (o->type) {
	case MSGPACK_OBJECT_STR:
		n = o->via.str.size < cap ? o->via.str.size : cap - 1;
		memcpy(out, o->via.str.ptr, n);
		out[n] = '\0';
		return true;
	case MSGPACK_OBJECT_POSITIVE_INTEGER: snprintf(out, cap, "%" PRIu64, o->via.u64); return true;
	case MSGPACK_OBJECT_NEGATIVE_INTEGER: snprintf(out, cap, "%" PRId64, o->via.i64); return true;
	case MSGPACK_OBJECT_BOOLEAN: snprintf(out, cap, "%s", o->via.boolean ? "true" : "false"); return true;
	case MSGPACK_OBJECT_FLOAT32:
	case MSGPACK_OBJECT_FLOAT64:
		if (!isfinite(o->via.f64))
			return false;
		record_real_text(out, o->via.f64);
		return true;
	default: return false;
	}
}

/* Sets the kernel's name from a number or a text. A text gets the next number. */
static void read_numbered_name(struct results *r, const msgpack_object *o)
{
	if (o->type == MSGPACK_OBJECT_POSITIVE_INTEGER && o->via.u64 < r->n_kernel_names)
		read_set_kernel_name(r, r->kernel_names[o->via.u64]);
	else if (o->type == MSGPACK_OBJECT_STR && o->via.str.size <= RECORD_NAME_MAX)
		read_number_name(r);
}

/* Returns the name of a figure, from a text or a number in the list of the run record; NULL for other objects. */
static const char *figure_name_of_key(
	const struct results *r, const msgpack_object *o, char *text, size_t cap)
{
	if (o->type == MSGPACK_OBJECT_POSITIVE_INTEGER)
		return o->via.u64 < r->n_listed ? r->name[r->listed[o->via.u64]]->text : NULL;
	return msgpack_to_text(o, text, cap) ? text : NULL;
}

static void read_msgpack_members(struct results *r, const char *prefix, const msgpack_object_map *map)
{
	char key[256], name[600], value[READ_WORD_MAX];

	for (uint32_t i = 0; i < map->size; i++) {
		const msgpack_object_kv *m = &map->ptr[i];

		if (!msgpack_to_text(&m->key, key, sizeof(key)))
			continue;
		if (m->val.type == MSGPACK_OBJECT_MAP && !*prefix && strcmp(key, "stats")) {
			read_msgpack_members(r, key, &m->val.via.map);
			continue;
		}
		snprintf(name, sizeof(name), "%s%s%s", prefix, *prefix ? "." : "", key);
		if (msgpack_to_text(&m->val, value, sizeof(value)))
			read_member(r, name, value);
		if (r->record == READ_KERNEL && !strcmp(name, "name"))
			read_numbered_name(r, &m->val);
	}
}

static int read_msgpack_stats(struct results *r, const msgpack_object_map *map, struct fault *f)
{
	for (uint32_t i = 0; i < map->size; i++) {
		const msgpack_object *v = &map->ptr[i].val;
		struct result_value n;
		char text[READ_WORD_MAX], q[60];
		const char *key = figure_name_of_key(r, &map->ptr[i].key, text, sizeof(text));

		if (!key)
			continue;
		if (v->type == MSGPACK_OBJECT_NIL) {
			list_mark_undefined(r, key);
			continue;
		}
		if (v->type == MSGPACK_OBJECT_POSITIVE_INTEGER)
			n = value_of_integer(v->via.u64);
		else if (v->type == MSGPACK_OBJECT_NEGATIVE_INTEGER)
			n = value_of_real((double)v->via.i64);
		else if ((v->type == MSGPACK_OBJECT_FLOAT64 || v->type == MSGPACK_OBJECT_FLOAT32))
			n = value_of_real(v->via.f64);
		else
			return fault_set(f, read_place(r), "record-value",
				"figure '%s' is not a number (expected a number or nil)",
				diag_quote(q, sizeof(q), key, strlen(key)));
		if (isfinite(n.real) && list_set_figure(r, key, n, f) < 0)
			return -1;
	}
	return 0;
}

/* Reads the record that an object contains. Returns 1, 0 if events are due first, or -1 and sets *f. */
static int read_record_in_object(struct results *r, const msgpack_object *o, struct fault *f)
{
	const msgpack_object *stat = NULL, *kind = NULL;
	char word[RECORD_REAL_CAP]; /* large enough for a real from msgpack_to_text() */

	for (uint32_t i = 0; o->type == MSGPACK_OBJECT_MAP && i < o->via.map.size; i++) {
		const msgpack_object_kv *m = &o->via.map.ptr[i];

		if (is_text_equal_to(&m->key, "record") && m->val.type == MSGPACK_OBJECT_STR)
			kind = &m->val;
		else if (is_text_equal_to(&m->key, "stats") && m->val.type == MSGPACK_OBJECT_MAP)
			stat = &m->val;
	}
	if (!kind)
		return fault_set(f, read_place(r), "record-member",
			"object without a member 'record' (expected run, kernel or end)");
	msgpack_to_text(kind, word, sizeof(word));
	if (!read_begin(r, read_record_of(r, word)))
		return 0;
	if (r->record != READ_OTHER)
		read_msgpack_members(r, "", &o->via.map);
	if (r->record != READ_OTHER && stat && read_msgpack_stats(r, &stat->via.map, f) < 0)
		return -1;
	read_complete(r);
	return 1;
}

int read_msgpack_object(struct results *r, const char *p, size_t n, struct fault *f)
{
	msgpack_unpacked u;
	size_t at = 0;
	int status;

	msgpack_unpacked_init(&u);
	if (msgpack_unpack_next(&u, p, n, &at) != MSGPACK_UNPACK_SUCCESS) {
		status = fault_set(f, read_place(r), "msgpack",
			"malformed object at byte %" PRIu64 " (expected a record in MessagePack)",
			input_offset(r->in));
	} else {
		r->record_end = input_offset(r->in) + at;
		status = read_record_in_object(r, &u.data, f);
	}
	msgpack_unpacked_destroy(&u);
	return status > 0 ? (int)at : status;
}
