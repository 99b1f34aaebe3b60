/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The collector: a table of all figures at one moment, and the records made of two of them.
 *
 * Always true: a table holds running values in the order of the walk, each name once; a figure that is
 * absent from the earlier table was 0 there (the walk leaves out zeros of sparse figures, and classes of
 * traffic appear when they are first seen). How two values make a kernel's own is the kind of the
 * figure in results/stats.def. A table's memory is kept for the next moment.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "figure.h"
#include "stats_int.h"

#define NONE UINT32_MAX

struct figure_row {
	uint32_t name; /* offset into text */
	uint32_t hash;
	uint64_t count;         /* when not ratio */
	double num, den, scale; /* when ratio */
	bool ratio;
};

struct figures {
	struct figure_row *row;
	uint32_t n, cap;
	char *text;
	uint32_t text_n, text_cap;
	uint32_t *slot;   /* row + 1; 0: free */
	uint32_t n_slots; /* a power of two, more than twice n */
};

struct figures *figures_new(void)
{
	struct figures *f = xcalloc(1, sizeof(*f));

	f->n_slots = 1024;
	f->slot = xcalloc(f->n_slots, sizeof(*f->slot));
	return f;
}

void figures_free(struct figures *f)
{
	if (!f)
		return;
	free(f->row);
	free(f->text);
	free(f->slot);
	free(f);
}

/* ---- the table ------------------------------------------------------------------------------- */

static uint32_t hash_text(const char *s, size_t n)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 16777619u;
	return h ^ h >> 15;
}

static uint32_t find_slot(const struct figures *f, const char *name, uint32_t hash)
{
	uint32_t s = hash & (f->n_slots - 1);

	for (; f->slot[s]; s = (s + 1) & (f->n_slots - 1)) {
		const struct figure_row *r = &f->row[f->slot[s] - 1];

		if (r->hash == hash && !strcmp(f->text + r->name, name))
			break;
	}
	return s;
}

static void grow_slots(struct figures *f)
{
	free(f->slot);
	f->n_slots *= 2;
	f->slot = xcalloc(f->n_slots, sizeof(*f->slot));
	for (uint32_t i = 0; i < f->n; i++)
		f->slot[find_slot(f, f->text + f->row[i].name, f->row[i].hash)] = i + 1;
}

/* A new row for prefix + name, blanks replaced. */
static struct figure_row *add_row(struct sink *s, const char *name)
{
	struct figures *f = s->table;
	size_t n = strlen(s->prefix);
	struct figure_row *r;
	uint32_t slot;
	char *text;

	while (*name == '\t' || *name == ' ')
		name++;
	grow(&f->row, &f->cap, f->n + 1, sizeof(*f->row));
	grow(&f->text, &f->text_cap, f->text_n + (uint32_t)(n + strlen(name)) + 1, 1);
	text = f->text + f->text_n;
	memcpy(text, s->prefix, n);
	for (; *name; name++)
		text[n++] = *name == ' ' ? '_' : *name;
	text[n] = '\0';
	r = &f->row[f->n];
	*r = (struct figure_row){.name = f->text_n, .hash = hash_text(text, n)};
	slot = find_slot(f, text, r->hash);
	assert(!f->slot[slot] && "a figure has two values");
	f->slot[slot] = ++f->n;
	f->text_n += (uint32_t)n + 1;
	if (2 * f->n >= f->n_slots)
		grow_slots(f);
	return r;
}

static void collect_text(struct sink *s, const char *fmt, va_list args) __attribute__((format(printf, 2, 0)));
static void collect_text(struct sink *s, const char *fmt, va_list args)
{
	(void)s;
	(void)fmt;
	(void)args;
}

static void collect_count(struct sink *s, const char *name, const char *before, uint64_t shown,
	uint64_t running, enum count_style style, const char *after)
{
	(void)before;
	(void)shown;
	(void)style;
	(void)after;
	if (running || !s->sparse)
		add_row(s, name)->count = running;
}

static void collect_ratio(struct sink *s, const char *name, const char *before, enum real_style style,
	struct quotient q, const char *after)
{
	struct figure_row *r;

	(void)before;
	(void)style;
	(void)after;
	if (s->sparse && q.den == 0)
		return;
	r = add_row(s, name);
	r->ratio = true;
	r->num = q.num;
	r->den = q.den;
	r->scale = q.scale;
}

static const struct sink_ops collector = {collect_text, collect_count, collect_ratio};

void figures_take(struct figures *f, struct gpu *g)
{
	struct sink s = {.ops = &collector, .table = f};

	f->n = f->text_n = 0;
	memset(f->slot, 0, f->n_slots * sizeof(*f->slot));
	stats_walk(&s, g);
}

/* ---- records --------------------------------------------------------------------------------- */

static bool is_difference(const struct figure *f) { return f->kind != FIGURE_TOTAL && f->kind != FIGURE_MAX; }

/* Some counters of the machine are 32 bits wide and may have wrapped in between. */
static uint64_t subtract(uint64_t now, uint64_t before)
{
	return now >= before ? now - before : now + (1ull << 32) - before;
}

static double subtract_real(double now, double before)
{
	return now >= before ? now - before : now + 0x1p32 - before;
}

static void write_row(struct record_writer *w, const char *name, const struct figure_row *r,
	const struct figure_row *old, const struct figure *about)
{
	const char *unit = about ? about->unit : "-";
	double num = r->num, den = r->den;

	if (!r->ratio) {
		uint64_t v = old ? subtract(r->count, old->count) : r->count;

		if (v || !about || !about->sparse)
			record_uint(w, name, v, unit);
		return;
	}
	if (old) {
		num = subtract_real(num, old->num);
		den = subtract_real(den, old->den);
	}
	if (den != 0)
		record_real(w, name, num / den * r->scale, unit);
	else if (!about || !about->sparse)
		record_real(w, name, NAN, unit);
}

/* before NULL: running values. */
static void write_stats(struct record_writer *w, const struct figures *before, const struct figures *now)
{
	record_group(w, "stats");
	for (uint32_t i = 0; i < now->n; i++) {
		const struct figure_row *r = &now->row[i], *old = NULL;
		const char *name = now->text + r->name;
		const struct figure *about = figure_find(name);

		if (before && about && is_difference(about)) {
			uint32_t slot = before->slot[find_slot(before, name, r->hash)];

			old = slot ? &before->row[slot - 1] : NULL;
		}
		write_row(w, name, r, old, about);
	}
	record_group_end(w);
}

static void write_hash(struct record_writer *w, const unsigned char hash[16])
{
	char text[33];

	for (int i = 0; i < 16; i++)
		snprintf(text + 2 * i, 3, "%02x", (unsigned)hash[i]);
	record_string(w, "hash", text);
}

static void write_dim(struct record_writer *w, const char *name, const uint32_t dim[3])
{
	record_group(w, name);
	record_uint(w, "x", dim[0], NULL);
	record_uint(w, "y", dim[1], NULL);
	record_uint(w, "z", dim[2], NULL);
	record_group_end(w);
}

void stats_kernel_record(struct record_writer *w, const struct kernel_record *k, struct gpu *g,
	const struct figures *before, const struct figures *now)
{
	(void)g;
	record_begin(w, "kernel");
	record_uint(w, "position", k->position, NULL);
	record_string(w, "name", k->name);
	record_uint(w, "id", k->uid, NULL);
	record_uint(w, "stream", k->stream, NULL);
	write_dim(w, "grid", k->grid);
	write_dim(w, "block", k->block);
	write_hash(w, k->hash);
	record_bool(w, "slice", k->slice);
	record_uint(w, "first_cycle", k->first_cycle, "cycles");
	write_stats(w, before, now);
	record_end(w);
}

void stats_end_record(struct record_writer *w, struct gpu *g, const char *status, const char *limit,
	uint32_t kernels, const unsigned char hash[16], const struct figures *now)
{
	(void)g;
	record_begin(w, "end");
	record_string(w, "status", status);
	if (limit)
		record_string(w, "limit", limit);
	record_uint(w, "kernels", kernels, "kernels");
	write_hash(w, hash);
	write_stats(w, NULL, now);
	record_end(w);
}
