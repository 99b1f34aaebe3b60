/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The collector: a table of all figures at one moment, and records that are computed from two tables.
 *
 * Always true: a table has running values in the order of the walk, and each name once. A figure that the
 * earlier table does not have was 0 then, because the walk leaves out zeros of sparse figures and classes of
 * traffic that have not occurred. The kind of a figure in results/stats.def determines how its value for a
 * kernel is computed from two tables. The memory of a table is reused for a later moment.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "stats_int.h"
#include "table.h"

#define NONE UINT32_MAX

enum figure_form {
	FORM_COUNT,
	FORM_RATIO,   /* the value is num / den * scale */
	FORM_REAL,    /* num */
	FORM_PRODUCT, /* the value is num * den */
};

struct recorded_figure {
	uint32_t name; /* offset of the name in `text` */
	uint64_t hash;
	uint64_t count;         /* value of FORM_COUNT */
	double num, den, scale; /* value of the other forms (see enum figure_form) */
	enum figure_form form;
};

struct figures {
	struct recorded_figure *row;
	uint32_t n, cap;
	char *text;
	uint32_t text_n, text_cap;
	struct table names; /* rows */
};

struct figures *figures_new(void) { return xcalloc(1, sizeof(struct figures)); }

void figures_free(struct figures *f)
{
	if (!f)
		return;
	free(f->row);
	free(f->text);
	table_free(&f->names);
	free(f);
}

/* ---- the table ------------------------------------------------------------------------------- */

static const struct recorded_figure *find_recorded_row(
	const struct figures *f, const char *name, uint64_t hash)
{
	FOR_TABLE (w, &f->names, hash)
		if (!strcmp(f->text + f->row[w.number].name, name))
			return &f->row[w.number];
	return NULL;
}

/* Appends a row for the prefix of s followed by `name`, with '_' for blanks. */
static struct recorded_figure *append_recorded_row(struct stats_sink *s, const char *name)
{
	struct figures *f = s->table;
	size_t n = strlen(s->prefix);
	struct recorded_figure *r;
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
	*r = (struct recorded_figure){.name = f->text_n, .hash = table_hash(text, n)};
	assert(!find_recorded_row(f, text, r->hash) && "a figure has two values");
	table_add(&f->names, r->hash, f->n++);
	f->text_n += (uint32_t)n + 1;
	return r;
}

void stats_collect_count(struct stats_sink *s, const char *name, uint64_t running)
{
	if (running || !s->sparse)
		append_recorded_row(s, name)->count = running;
}

void stats_collect_ratio(struct stats_sink *s, const char *name, struct quotient q)
{
	struct recorded_figure *r;

	if (s->sparse && q.den == 0)
		return;
	r = append_recorded_row(s, name);
	r->form = FORM_RATIO;
	r->num = q.num;
	r->den = q.den;
	r->scale = q.scale;
}

static void append_real(struct stats_sink *s, const char *name, double num, double den, enum figure_form form)
{
	struct recorded_figure *r;

	if (!is_sink_collecting(s) || (s->sparse && num == 0))
		return;
	r = append_recorded_row(s, name);
	r->form = form;
	r->num = num;
	r->den = den;
}

void stats_record_real(struct stats_sink *s, const char *name, double v)
{
	append_real(s, name, v, 1, FORM_REAL);
}

void stats_record_product(struct stats_sink *s, const char *name, double a, double b)
{
	append_real(s, name, a, b, FORM_PRODUCT);
}

void figures_fill(struct figures *f, struct gpu *g)
{
	struct stats_sink s = {.table = f};

	f->n = f->text_n = 0;
	table_clear(&f->names);
	stats_walk(&s, g);
}

/* ---- records --------------------------------------------------------------------------------- */

static bool is_kernel_difference(const struct figure *f)
{
	return f->kind != FIGURE_TOTAL && f->kind != FIGURE_MAX;
}

/* Difference of two values of a counter. Some counters have only 32 bits and may have wrapped in between. */
static uint64_t count_difference(uint64_t now, uint64_t before)
{
	return now >= before ? now - before : now + (1ull << 32) - before;
}

static double real_difference(double now, double before)
{
	return now >= before ? now - before : now + 0x1p32 - before;
}

/* Factors that extrapolate the counts and the cycles of a kernel that --sample-blocks stopped. */
struct sample_factors {
	double counts, cycles;
};

/* Returns count v of figure `name`, extrapolated by the factors *by; unchanged if `by` is NULL. */
static uint64_t extrapolate_count(uint64_t v, const char *name, const struct sample_factors *by)
{
	if (!by)
		return v;
	return (uint64_t)((double)v * (strcmp(name, "gpu_sim_cycle") ? by->counts : by->cycles) + 0.5);
}

/* Returns the factor for a rate: 1 unless it is a rate per cycle of the kernel. */
static double rate_factor(const struct figure *about, const struct sample_factors *by)
{
	const char *below = about ? strrchr(about->formula, '/') : NULL;

	return by && below && !strcmp(below, "/gpu_sim_cycle") ? by->counts / by->cycles : 1;
}

/*
 * A record that is being written. by: factors for a sampled kernel, or NULL. zeros: true if figures that are 0 are
 * written.
 */
struct figure_writing {
	struct record_writer *writer;
	const struct sample_factors *factors;
	bool zeros;
};

/* Writes a real number or a product of two. old: earlier values; NULL: none. */
static void write_real(const struct figure_writing *to, const char *name, const struct recorded_figure *r,
	const struct recorded_figure *old, const struct figure *about, const struct sample_factors *by)
{
	double num = r->num - (old ? old->num : 0), v = num * (by ? by->counts : 1);

	if (r->form == FORM_PRODUCT)
		v *= (r->den - (old ? old->den : 0)) * (by ? by->cycles : 1);
	if (v != 0 || (to->zeros && !(about && about->sparse)))
		record_real(to->writer, name, v, about ? about->unit : "-");
}

/* Writes a ratio. A sparse ratio is absent if it is undefined, so it must be written if it is 0. */
static void write_ratio(const struct figure_writing *to, const char *name, const struct recorded_figure *r,
	const struct recorded_figure *old, const struct figure *about, const struct sample_factors *by)
{
	bool sparse = about && about->sparse;
	double num = r->num, den = r->den, v;

	if (old) {
		num = real_difference(num, old->num);
		den = real_difference(den, old->den);
	}
	if (den == 0 && sparse)
		return;
	v = den != 0 ? num / den * r->scale * rate_factor(about, by) : (double)NAN;
	if (v != 0 || to->zeros || sparse)
		record_real(to->writer, name, v, about ? about->unit : "-");
}

double figures_difference(const struct figures *before, const struct figures *now, const char *name)
{
	uint64_t hash = table_hash(name, strlen(name));
	const struct recorded_figure *r = find_recorded_row(now, name, hash), *old = NULL;
	const struct figure *about = figure_find(name);
	double num, den;

	if (!r)
		return 0;
	if (before && about && is_kernel_difference(about))
		old = find_recorded_row(before, name, hash);
	if (r->form == FORM_COUNT)
		return (double)(old ? count_difference(r->count, old->count) : r->count);
	num = old ? real_difference(r->num, old->num) : r->num;
	den = old ? real_difference(r->den, old->den) : r->den;
	return r->form == FORM_REAL      ? num
	       : r->form == FORM_PRODUCT ? num * den
	       : den != 0                ? num / den * r->scale
					 : 0;
}

static void write_figure_row(const struct figure_writing *to, const char *name,
	const struct recorded_figure *r, const struct recorded_figure *old, const struct figure *about)
{
	const struct sample_factors *by = !about || is_kernel_difference(about) ? to->factors : NULL;

	if (r->form == FORM_RATIO) {
		write_ratio(to, name, r, old, about, by);
		return;
	}
	if (r->form > FORM_RATIO) {
		write_real(to, name, r, old, about, by);
		return;
	}
	uint64_t v = extrapolate_count(old ? count_difference(r->count, old->count) : r->count, name, by);

	if (v || (to->zeros && !(about && about->sparse)))
		record_uint(to->writer, name, v, about ? about->unit : "-");
}

/*
 * Writes the chosen figures: differences to `before`, or running values if it is NULL. by: factors for
 * extrapolation; NULL: none.
 */
static void write_chosen_figures(struct record_writer *w, struct figure_choice *c,
	const struct figures *before, const struct figures *now, const struct sample_factors *by)
{
	const struct figure_writing to = {w, by, c->all_figures};

	record_group(w, "stats");
	for (uint32_t i = 0; i < now->n; i++) {
		const struct recorded_figure *r = &now->row[i], *old = NULL;
		const char *name = now->text + r->name;
		const struct chosen_name *chosen = choice_find(c, name, r->hash);

		if (!chosen->chosen)
			continue;
		if (before && chosen->description && is_kernel_difference(chosen->description))
			old = find_recorded_row(before, name, r->hash);
		write_figure_row(&to, name, r, old, chosen->description);
	}
	record_group_end(w);
}

void figures_list(const struct figures *f, struct figure_choice *c)
{
	for (uint32_t i = 0; i < f->n; i++)
		choice_list_name(c, f->text + f->row[i].name, f->row[i].hash);
	choice_resolve_names(c);
}

static void write_hash(struct record_writer *w, const unsigned char hash[16])
{
	char text[33];

	for (int i = 0; i < 16; i++)
		snprintf(text + 2 * i, 3, "%02x", (unsigned)hash[i]);
	record_string(w, "hash", text);
}

static void write_sampling_figures(struct record_writer *w, const struct kernel_record *k)
{
	record_uint(w, "sampled", 1, NULL);
	record_uint(w, "blocks_simulated", k->sampled->simulated_blocks, "CTAs");
	record_uint(w, "blocks", k->sampled->total_blocks, "CTAs");
	record_uint(w, "cycles_simulated", k->cycles, "cycles");
	record_real(w, "cycles_low", k->sampled->low, "cycles");
	record_real(w, "cycles_high", k->sampled->high, "cycles");
}

/* Begins a "kernel" record with the identity of the kernel. */
static void begin_kernel_record(struct record_writer *w, const struct kernel_record *k)
{
	char checksum[17];

	record_begin(w, "kernel");
	record_uint(w, "position", k->position, NULL);
	record_string(w, "name", k->name);
	record_uint(w, "id", k->uid, NULL);
	record_uint(w, "stream", k->stream, NULL);
	record_dim(w, "grid", k->grid);
	record_dim(w, "block", k->block);
	write_hash(w, k->hash);
	snprintf(checksum, sizeof(checksum), "%016llx", (unsigned long long)k->checksum);
	record_string(w, "checksum", checksum);
	record_bool(w, "slice", k->is_slice);
	if (k->unfinished)
		record_string(w, "status", "unfinished");
	if (k->reused_from)
		record_uint(w, "reused_from", k->reused_from, NULL);
	record_uint(w, "first_cycle", k->first_cycle, "cycles");
}

void stats_kernel_record(struct record_writer *w, struct figure_choice *c, const struct kernel_record *k,
	const struct figures *before, const struct figures *now)
{
	struct sample_factors by;

	begin_kernel_record(w, k);
	if (k->sampled) {
		by = (struct sample_factors){
			(double)k->sampled->total_blocks / (double)k->sampled->simulated_blocks,
			k->sampled->cycles / (double)k->cycles};
		write_sampling_figures(w, k);
	}
	write_chosen_figures(w, c, before, now, k->sampled ? &by : NULL);
	record_end(w);
}

void stats_reused_record(
	struct record_writer *w, const struct kernel_record *k, const void *figures, size_t n)
{
	begin_kernel_record(w, k);
	record_end_with(w, figures, n);
}

void stats_interval_record(struct record_writer *w, struct figure_choice *c, const struct interval_record *i,
	const struct figures *before, const struct figures *now)
{
	record_begin(w, "interval");
	record_uint(w, "position", i->position, NULL);
	record_string(w, "name", i->name ? i->name : "");
	record_uint(w, "id", i->uid, NULL);
	record_uint(w, "first_cycle", i->first_cycle, "cycles");
	record_uint(w, "cycles", i->cycles, "cycles");
	write_chosen_figures(w, c, before, now, NULL);
	record_end(w);
}

static void begin_end_record(struct record_writer *w, const char *status, const char *limit, uint32_t kernels,
	const unsigned char hash[16])
{
	record_begin(w, "end");
	record_string(w, "status", status);
	if (limit)
		record_string(w, "limit", limit);
	record_uint(w, "kernels", kernels, "kernels");
	write_hash(w, hash);
}

void stats_end_record(struct record_writer *w, struct figure_choice *c, const char *status, const char *limit,
	uint32_t kernels, const unsigned char hash[16], const struct figures *now)
{
	begin_end_record(w, status, limit, kernels, hash);
	write_chosen_figures(w, c, NULL, now, NULL);
	record_end(w);
}

static bool has_sum_figure(const struct result_figure *figure, uint32_t n, const char *name)
{
	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(figure[i].name, name))
			return true;
	return false;
}

void stats_sums_record(struct record_writer *w, const struct figure_choice *c, const char *status,
	const char *limit, uint32_t kernels, const unsigned char hash[16], const struct result_figure *figure,
	uint32_t n)
{
	begin_end_record(w, status, limit, kernels, hash);
	record_group(w, "stats");
	for (const struct result_figure *f = figure; f < figure + n; f++) {
		const char *unit = f->description ? f->description->unit : "-";

		if (!c->all_figures && f->value.real == 0 &&
			!(f->description && f->description->sparse && !f->value.is_whole))
			continue;
		if (f->value.is_whole)
			record_uint(w, f->name, f->value.count, unit);
		else
			record_real(w, f->name, f->value.real, unit);
	}
	/* the listed figure is written even without a value, because an absent one means 0 */
	for (uint32_t i = 0; i < c->n_listed; i++) {
		const struct figure *about = figure_find(c->listed[i]);

		if (!has_sum_figure(figure, n, c->listed[i]) && !(about && about->sparse))
			record_real(w, c->listed[i], NAN, about ? about->unit : "-");
	}
	record_group_end(w);
	record_end(w);
}
