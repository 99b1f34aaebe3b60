/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writer of MessagePack records: one map per record, members in the order of the calls.
 *
 * Always true: a map's size precedes its members, so each open level collects its members in its own buffer, which is
 * appended to the outer level when the level ends. Reals are 64-bit floats; undefined reals are nil. Strings are
 * UTF-8. Units are omitted, because trace-stats(5) has them. In compact records, the name of a listed figure is its
 * number in the list, and a kernel's name that occurred before is replaced by its number. Names are compared as the
 * UTF-8 that is written.
 */
#include <math.h>
#include <msgpack.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "record_format.h"
#include "table.h"

struct msgpack_level {
	struct bytes body; /* packed members */
	size_t members;    /* number of members */
};

struct msgpack_numbers { /* texts, numbered in the order of their first use */
	struct table rows;
	char **text;
	uint32_t n, cap;
};

struct msgpack_state {
	struct msgpack_level level[RECORD_DEPTH + 1]; /* levels by depth; level[0] is not used */
	struct msgpack_numbers figures;               /* names of figures with their numbers */
	struct msgpack_numbers kernels;               /* names of kernels with their numbers */
	bool compact;                                 /* whether figures have numbers */
	bool number_kernels;                          /* whether kernels have numbers */
	bool in_stats;                                /* whether the current level is "stats" */
	bool in_kernel;                               /* whether the current level is the kernel */
};

/* Returns the number of a text. If the text is new, this is l->n, the next number. */
static uint32_t find_text_number(const struct msgpack_numbers *l, const char *text)
{
	FOR_TABLE (w, &l->rows, table_hash(text, strlen(text)))
		if (!strcmp(l->text[w.number], text))
			return w.number;
	return l->n;
}

static void add_number(struct msgpack_numbers *l, const char *text)
{
	grow(&l->text, &l->cap, l->n + 1, sizeof(*l->text));
	l->text[l->n] = xstrdup(text);
	table_add(&l->rows, table_hash(text, strlen(text)), l->n++);
}

static void free_numbers(struct msgpack_numbers *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		free(l->text[i]);
	free(l->text);
	table_free(&l->rows);
}

static int add_packed(void *body, const char *p, size_t n)
{
	bytes_add(body, p, n);
	return 0;
}

static void mp_open(struct record_writer *w) { w->state = xcalloc(1, sizeof(struct msgpack_state)); }

static void mp_close(struct record_writer *w)
{
	struct msgpack_state *s = w->state;

	for (unsigned i = 0; i <= RECORD_DEPTH; i++)
		bytes_free(&s->level[i].body);
	free_numbers(&s->figures);
	free_numbers(&s->kernels);
	free(s);
}

static void pack_utf8(msgpack_packer *pk, const char *text)
{
	size_t n = strlen(text);

	msgpack_pack_str(pk, n);
	msgpack_pack_str_body(pk, text, n);
}

static void pack_string(msgpack_packer *pk, const char *value)
{
	char *copy = record_utf8(value);

	pack_utf8(pk, copy);
	free(copy);
}

/* Packs the name of a new member of the level. Returns the packer for its value. */
static msgpack_packer pack_member(struct record_writer *w, unsigned depth, const char *name)
{
	struct msgpack_state *s = w->state;
	struct msgpack_level *l = &s->level[depth];
	msgpack_packer pk;

	msgpack_packer_init(&pk, &l->body, add_packed);
	l->members++;
	if (s->compact && s->in_stats && find_text_number(&s->figures, name) < s->figures.n)
		msgpack_pack_uint32(&pk, find_text_number(&s->figures, name));
	else
		pack_string(&pk, name);
	return pk;
}

static void start_level(struct record_writer *w, unsigned depth)
{
	struct msgpack_level *l = &((struct msgpack_state *)w->state)->level[depth];

	l->body.n = 0;
	l->members = 0;
}

/*
 * Packs the number of a kernel's name. Returns false if the name itself must be written; later calls then pack its
 * number.
 */
static bool pack_number_of_name(struct msgpack_state *s, msgpack_packer *pk, const char *text)
{
	uint32_t number;

	if (!s->number_kernels || strlen(text) > RECORD_NAME_MAX)
		return false;
	number = find_text_number(&s->kernels, text);
	if (number < s->kernels.n) {
		msgpack_pack_uint32(pk, number);
		return true;
	}
	add_number(&s->kernels, text);
	return false;
}

static void write_msgpack_string(struct record_writer *w, const char *name, const char *value)
{
	msgpack_packer pk = pack_member(w, w->depth, name);
	struct msgpack_state *s = w->state;
	bool kernel = s->in_kernel && w->depth == 1 && !strcmp(name, "name");
	char *text;

	if (!kernel) {
		pack_string(&pk, value);
		return;
	}
	text = record_utf8(value);
	w->name_at = s->level[1].body.n;
	if (!pack_number_of_name(s, &pk, text))
		pack_utf8(&pk, text);
	w->name_bytes = s->level[1].body.n - w->name_at;
	free(text);
}

static void mp_begin(struct record_writer *w, const char *record)
{
	start_level(w, w->depth);
	((struct msgpack_state *)w->state)->in_kernel = false;
	write_msgpack_string(w, "record", record);
	((struct msgpack_state *)w->state)->in_kernel = !strcmp(record, "kernel");
}

static void write_msgpack_uint(struct record_writer *w, const char *name, uint64_t value, const char *unit)
{
	msgpack_packer pk = pack_member(w, w->depth, name);

	(void)unit;
	msgpack_pack_uint64(&pk, value);
}

static void write_msgpack_int(struct record_writer *w, const char *name, int64_t value, const char *unit)
{
	msgpack_packer pk = pack_member(w, w->depth, name);

	(void)unit;
	msgpack_pack_int64(&pk, value);
}

static void write_msgpack_real(struct record_writer *w, const char *name, double value, const char *unit)
{
	msgpack_packer pk = pack_member(w, w->depth, name);

	(void)unit;
	if (isfinite(value))
		msgpack_pack_double(&pk, value);
	else
		msgpack_pack_nil(&pk);
}

static void write_msgpack_bool(struct record_writer *w, const char *name, bool value)
{
	msgpack_packer pk = pack_member(w, w->depth, name);

	if (value)
		msgpack_pack_true(&pk);
	else
		msgpack_pack_false(&pk);
}

static void mp_group(struct record_writer *w, const char *name)
{
	pack_member(w, w->depth - 1, name);
	start_level(w, w->depth);
	((struct msgpack_state *)w->state)->in_stats = !strcmp(name, "stats");
}

static void close_level(struct record_writer *w, unsigned depth, struct bytes *into)
{
	const struct msgpack_level *l = &((struct msgpack_state *)w->state)->level[depth];
	msgpack_packer pk;

	msgpack_packer_init(&pk, into, add_packed);
	msgpack_pack_map(&pk, l->members);
	bytes_add(into, l->body.p, l->body.n);
}

static void mp_group_end(struct record_writer *w)
{
	struct msgpack_state *s = w->state;

	s->in_stats = false;
	close_level(w, w->depth, &s->level[w->depth - 1].body);
}

void record_compact(struct record_writer *w, const char *const *figure, uint32_t n, bool kernels)
{
	struct msgpack_state *s = w->state;

	if (w->ops != &record_msgpack)
		return;
	s->compact = true;
	s->number_kernels = kernels;
	for (uint32_t i = 0; i < n; i++)
		add_number(&s->figures, figure[i]);
}

void record_number_known_name(struct record_writer *w, const char *name)
{
	struct msgpack_state *s = w->state;

	if (w->ops == &record_msgpack && s->number_kernels && strlen(name) <= RECORD_NAME_MAX &&
		find_text_number(&s->kernels, name) == s->kernels.n)
		add_number(&s->kernels, name);
}

size_t record_number_name(
	struct record_writer *w, const void *name, size_t n, unsigned char out[RECORD_NUMBER_CAP])
{
	struct bytes packed = {0};
	msgpack_packer pk;
	msgpack_unpacked u;
	size_t at = 0, size = 0;
	char *text;

	if (w->ops != &record_msgpack || !n)
		return 0;
	msgpack_packer_init(&pk, &packed, add_packed);
	msgpack_unpacked_init(&u);
	if (msgpack_unpack_next(&u, name, n, &at) == MSGPACK_UNPACK_SUCCESS &&
		u.data.type == MSGPACK_OBJECT_STR) {
		text = xstrndup(u.data.via.str.ptr, u.data.via.str.size);
		if (pack_number_of_name(w->state, &pk, text)) {
			size = packed.n;
			memcpy(out, packed.p, size);
		}
		free(text);
	}
	msgpack_unpacked_destroy(&u);
	bytes_free(&packed);
	return size;
}

static void mp_end_record(struct record_writer *w) { close_level(w, 1, &w->text); }

static struct bytes *mp_begin_members(struct record_writer *w)
{
	return &((struct msgpack_state *)w->state)->level[1].body;
}

static void mp_append_group_and_end(struct record_writer *w, const void *member, size_t n)
{
	bytes_add(mp_begin_members(w), member, n);
	((struct msgpack_state *)w->state)->level[1].members++;
	mp_end_record(w);
}

const struct record_ops record_msgpack = {mp_open, mp_begin, write_msgpack_string, write_msgpack_uint,
	write_msgpack_int, write_msgpack_real, write_msgpack_bool, mp_group, mp_group_end, mp_begin_members,
	mp_append_group_and_end, mp_end_record, mp_close};
