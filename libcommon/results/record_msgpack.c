/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records as msgpack: one map for each record, members in the order of the calls.
 *
 * Always true: a map's size precedes its members, so each open level collects its members in a buffer of its
 * own, which is appended to the outer level when it ends. Reals are 64-bit floats, undefined ones nil.
 * Strings are UTF-8. Units are omitted: trace-stats(5) has them.
 */
#include <math.h>
#include <msgpack.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "record_format.h"

struct msgpack_level {
	struct bytes body;
	size_t members;
};

struct msgpack_state {
	struct msgpack_level level[RECORD_DEPTH + 1]; /* by depth; 0 is not used */
};

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
	free(s);
}

static void pack_string(msgpack_packer *pk, const char *value)
{
	char *copy = record_utf8(value);
	size_t n = strlen(copy);

	msgpack_pack_str(pk, n);
	msgpack_pack_str_body(pk, copy, n);
	free(copy);
}

/* Packs the name of a new member of the level; returns the packer for its value. */
static msgpack_packer pack_member(struct record_writer *w, unsigned depth, const char *name)
{
	struct msgpack_level *l = &((struct msgpack_state *)w->state)->level[depth];
	msgpack_packer pk;

	msgpack_packer_init(&pk, &l->body, add_packed);
	l->members++;
	pack_string(&pk, name);
	return pk;
}

static void start_level(struct record_writer *w, unsigned depth)
{
	struct msgpack_level *l = &((struct msgpack_state *)w->state)->level[depth];

	l->body.n = 0;
	l->members = 0;
}

static void mp_string(struct record_writer *w, const char *name, const char *value)
{
	msgpack_packer pk = pack_member(w, w->depth, name);

	pack_string(&pk, value);
}

static void mp_begin(struct record_writer *w, const char *record)
{
	start_level(w, w->depth);
	mp_string(w, "record", record);
}

static void mp_unsigned(struct record_writer *w, const char *name, uint64_t value, const char *unit)
{
	msgpack_packer pk = pack_member(w, w->depth, name);

	(void)unit;
	msgpack_pack_uint64(&pk, value);
}

static void mp_signed(struct record_writer *w, const char *name, int64_t value, const char *unit)
{
	msgpack_packer pk = pack_member(w, w->depth, name);

	(void)unit;
	msgpack_pack_int64(&pk, value);
}

static void mp_real(struct record_writer *w, const char *name, double value, const char *unit)
{
	msgpack_packer pk = pack_member(w, w->depth, name);

	(void)unit;
	if (isfinite(value))
		msgpack_pack_double(&pk, value);
	else
		msgpack_pack_nil(&pk);
}

static void mp_bool(struct record_writer *w, const char *name, bool value)
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

	close_level(w, w->depth, &s->level[w->depth - 1].body);
}

static void mp_end(struct record_writer *w) { close_level(w, 1, &w->text); }

const struct record_ops record_msgpack = {mp_open, mp_begin, mp_string, mp_unsigned, mp_signed, mp_real,
	mp_bool, mp_group, mp_group_end, mp_end, mp_close};
