/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Derivation of the figures of a kernel and of the whole run from the records, by the kind of each figure.
 *
 * Always true: a counter's total is the sum of the kernels' figures; a rate with a formula is recomputed unless its
 * record has the exact value. A log counts cache breakdowns for each stream, so their previous values are stored by
 * stream.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "list.h"

/* ---- names -------------------------------------------------------------------------------- */

static struct list_name *find_name(const struct results *r, const char *text)
{
	FOR_TABLE (w, &r->names, table_hash(text, strlen(text)))
		if (!strcmp(r->name[w.number]->text, text))
			return r->name[w.number];
	return NULL;
}

struct list_name *list_name(struct results *r, const char *text, struct fault *f)
{
	struct list_name *n = find_name(r, text);
	char q[60];

	if (n) {
		/* All figures of a log are used. */
		if (n->use == LIST_UNUSED && r->form == RESULT_ACCELSIM) {
			n->use = LIST_USED;
			n->description = figure_find(text);
		}
		return n;
	}
	if (r->n_names >= RESULT_NAMES_MAX || strlen(text) > READ_WORD_MAX) {
		fault_set(f, read_place(r), "figure-name",
			"figure '%s': name longer than %d bytes, or more than %u names",
			diag_quote(q, sizeof(q), text, strlen(text)), READ_WORD_MAX, RESULT_NAMES_MAX);
		return NULL;
	}
	n = arena_alloc(&r->rows, 1, sizeof(*n));
	n->len = (uint32_t)strlen(text);
	n->text = arena_strndup(&r->texts, text, n->len);
	n->next = UINT32_MAX;
	if (list_wants(r, n))
		n->description = figure_find(text);
	grow(&r->name, &r->cap_names, r->n_names + 1, sizeof(*r->name));
	r->name[r->n_names] = n;
	n->id = r->n_names++;
	table_add(&r->names, table_hash(text, strlen(text)), n->id);
	return n;
}

bool list_wants(struct results *r, struct list_name *n)
{
	if (!r->wanted)
		return true;
	if (n->use == LIST_USE_UNKNOWN)
		n->use = strchr(n->text, READ_HIDDEN) || r->wanted(r->wanted_ctx, n->text) ? LIST_USED
											   : LIST_UNUSED;
	return n->use == LIST_USED || r->form == RESULT_ACCELSIM;
}

void list_mark_undefined(struct results *r, const char *name)
{
	struct list_name *n = r->n_zero ? find_name(r, name) : NULL;

	if (n)
		n->undefined = r->mark;
}

void list_add_zero(struct results *r, const char *name)
{
	struct list_name *n = strchr(name, READ_HIDDEN) ? NULL : list_name(r, name, NULL);

	if (!n)
		return;
	grow(&r->listed, &r->cap_listed, r->n_listed + 1, sizeof(*r->listed));
	r->listed[r->n_listed++] = n->id;
	if (n->in_zeros == r->run || !list_wants(r, n))
		return;
	n->in_zeros = r->run;
	grow(&r->zero, &r->cap_zero, r->n_zero + 1, sizeof(*r->zero));
	r->zero[r->n_zero++] = n->id;
}

void list_put_row(struct results *r, struct list_name *n, struct result_value v)
{
	if (n->mark != r->mark) {
		grow(&r->order, &r->cap_order, r->n_order + 1, sizeof(*r->order));
		r->order[r->n_order++] = n->id;
		n->mark = r->mark;
	}
	n->value = v;
}

/* Sets the figures of the run that the record omits to 0. */
static void set_omitted_figures_to_zero(struct results *r)
{
	for (uint32_t i = 0; i < r->n_zero; i++) {
		struct list_name *n = r->name[r->zero[i]];

		if (n->mark != r->mark && n->undefined != r->mark)
			list_put_row(r, n, value_of_integer(0));
	}
}

static int set_or_add_value(
	struct results *r, const char *name, struct result_value v, bool add, struct fault *f)
{
	struct list_name *n = strchr(name, READ_HIDDEN) ? NULL : list_name(r, name, f);
	char q[60];

	if (!n && strchr(name, READ_HIDDEN))
		return fault_set(f, read_place(r), "figure-name",
			"the name of figure '%s' contains control characters",
			diag_quote(q, sizeof(q), name, strlen(name)));
	if (!n)
		return -1;
	if (!list_wants(r, n))
		return 0;
	if (add && n->mark == r->mark)
		v = value_of_integer(n->value.count + v.count);
	list_put_row(r, n, v);
	return 0;
}

int list_set_figure(struct results *r, const char *name, struct result_value v, struct fault *f)
{
	return set_or_add_value(r, name, v, false, f);
}

int list_add_to_figure(struct results *r, const char *name, uint64_t n, struct fault *f)
{
	return set_or_add_value(r, name, value_of_integer(n), true, f);
}

/* ---- formulas ----------------------------------------------------------------------------- */

/* Copies one side of a formula to out and replaces each [*] by the next index of name. */
static bool fill_indices(char *out, size_t cap, const char *part, size_t len, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (part[i] == '*' && i && part[i - 1] == '[') {
			const char *open = strchr(name, '['), *close = open ? strchr(open, ']') : NULL;

			if (!close || n + (size_t)(close - open) >= cap)
				return false;
			memcpy(out + n, open + 1, (size_t)(close - open - 1));
			n += (size_t)(close - open - 1);
			name = close;
			continue;
		}
		if (n + 1 >= cap)
			return false;
		out[n++] = part[i];
	}
	out[n] = '\0';
	return true;
}

bool results_formula(const struct figure *about, const char *name, char *num, char *den, size_t cap)
{
	const char *slash = about ? strchr(about->formula, '/') : NULL;

	return slash && fill_indices(num, cap, about->formula, (size_t)(slash - about->formula), name) &&
	       fill_indices(den, cap, slash + 1, strlen(slash + 1), name);
}

/* ---- the list ----------------------------------------------------------------------------- */

const struct result_value *results_find(const struct results *r, const char *name)
{
	const struct list_name *n = find_name(r, name);

	return n && n->listed == r->mark && n->list_index < r->n_list ? &r->list[n->list_index].value : NULL;
}

static void append_to_list(struct results *r, struct list_name *n, struct result_value v)
{
	if (!isfinite(v.real))
		return;
	if (n->listed == r->mark && n->list_index < r->n_list) {
		r->list[n->list_index].value = v;
		return;
	}
	grow(&r->list, &r->cap_list, r->n_list + 1, sizeof(*r->list));
	n->listed = r->mark;
	n->list_index = r->n_list;
	r->list[r->n_list++] = (struct result_figure){n->text, n->description, n->id, v};
}

/*
 * Returns the value of a part of a rate. A rate of running counters needs the running number of cycles, not the
 * cycles of the interval.
 */
static const struct result_value *find_ratio_part(
	const struct results *r, const struct list_name *rate, const char *name)
{
	const struct list_name *n = find_name(r, name);

	if (r->flags & RESULT_RUNNING && rate->description->kind == FIGURE_RATIO && n && n->description &&
		n->description->kind == FIGURE_INTERVAL && n->total_run == r->run)
		return &n->total;
	if (results_find(r, name))
		return results_find(r, name);
	/* a sparse counter that is absent is 0 */
	if (n && n->description && n->description->sparse && n->total_run == r->run) {
		if (r->whole_run || r->flags & RESULT_RUNNING)
			return &n->total;
		return n->mark == r->mark ? &n->value : NULL;
	}
	return NULL;
}

static void append_ratio_to_list(struct results *r, struct list_name *n)
{
	char num[256], den[256];
	const struct result_value *a, *b;

	if (!results_formula(n->description, n->text, num, den, sizeof(num)))
		return;
	a = find_ratio_part(r, n, num);
	b = find_ratio_part(r, n, den);
	if (a && b && b->real != 0)
		append_to_list(r, n, value_of_real(a->real / b->real));
}

static bool has_formula(const struct list_name *n) { return n->description && *n->description->formula; }

/* Adds the rates of the whole GPU for which a log has no line. */
static void list_missing_rates(struct results *r)
{
	char num[256], den[256];

	for (size_t i = 0; i < n_figures; i++) {
		const struct figure *a = &figures_table[i];

		if (*a->formula && !strchr(a->name, '[') &&
			results_formula(a, a->name, num, den, sizeof(num)) && results_find(r, num) &&
			results_find(r, den)) {
			struct list_name *n = list_name(r, a->name, NULL);

			if (n)
				append_ratio_to_list(r, n);
		}
	}
}

static bool is_counter_figure(const struct list_name *n)
{
	return n->description &&
	       (n->description->kind == FIGURE_COUNTER || n->description->kind == FIGURE_HISTOGRAM);
}

static void add_to_run_total(struct results *r, struct list_name *n)
{
	const struct figure *a = n->description;
	bool fresh = n->total_run != r->run;

	if (!a || a->kind == FIGURE_TOTAL || a->kind == FIGURE_MAX || fresh)
		n->total = n->value;
	else if (a->kind == FIGURE_RATIO || !n->value.is_whole)
		n->total = n->running;
	else
		n->total = value_of_integer(n->total.count + n->value.count);
	if (fresh && a && a->kind == FIGURE_RATIO)
		n->total = n->running;
	n->total_run = r->run;
}

/* Returns the difference of two running values. The original's 32-bit counters may have wrapped between them. */
static uint64_t wrapped_difference(uint64_t now, uint64_t before)
{
	return now >= before ? now - before : now + (1ull << 32) - before;
}

static bool is_counted_by_stream(const char *name)
{
	return strstr(name, "stats_breakdown[") || strstr(name, "stats_fail_breakdown[") ||
	       strstr(name, "_fail_stats_breakdown[");
}

struct list_name *list_hidden_row(struct results *r, const char *name, const char *what, struct fault *f)
{
	char key[READ_WORD_MAX + 32];

	snprintf(key, sizeof(key), "%s%c%s", name, READ_HIDDEN, what);
	return list_name(r, key, f);
}

/* Returns the row that stores the previous running value. */
static struct list_name *previous_value_row(struct results *r, struct list_name *n)
{
	char stream[24];
	struct list_name *base;

	if (!is_counted_by_stream(n->text))
		return n;
	snprintf(stream, sizeof(stream), "%" PRIu64, r->kernel.stream);
	base = list_hidden_row(r, n->text, stream, NULL);
	return base ? base : n;
}

uint64_t list_difference(struct results *r, struct list_name *base, uint64_t now)
{
	uint64_t own = base->previous_run == r->run ? wrapped_difference(now, base->previous_running) : now;

	base->previous_running = now;
	base->previous_run = r->run;
	return own;
}

/* Converts a running value of a log to the kernel's own value. Returns false if it is unknown. */
static bool convert_to_own_value(struct results *r, struct list_name *n)
{
	if (!n->description || n->description->kind != FIGURE_RATIO || n->value.decimals != RESULT_EXACT)
		n->running = n->value;
	if (is_counter_figure(n)) {
		n->value = value_of_integer(list_difference(r, previous_value_row(r, n), n->value.count));
		return n->value.count || !n->description->sparse;
	}
	if (n->description && n->description->kind == FIGURE_RATIO)
		return r->kernels == 1 || n->value.decimals == RESULT_EXACT;
	return !n->description || !n->description->sparse || n->value.real != 0;
}

static void append_own_value(struct results *r, struct list_name *n)
{
	bool log = r->form == RESULT_ACCELSIM, running = r->flags & RESULT_RUNNING;
	bool known = log ? convert_to_own_value(r, n) : true;

	if (!log) {
		n->running = (struct result_value){0};
		n->running.decimals = INT8_MAX;
	}
	if (!has_formula(n))
		add_to_run_total(r, n);
	if (running && is_counter_figure(n))
		return;
	if (running && n->description && n->description->kind == FIGURE_RATIO) {
		known = log;
		n->value = n->running;
	}
	if (known && !((log || running) && has_formula(n)))
		append_to_list(r, n, n->value);
}

static void list_all_totals(struct results *r, bool counts_only)
{
	for (uint32_t i = 0; i < r->n_names; i++) {
		struct list_name *n = r->name[i];

		if (n->total_run != r->run || (counts_only && !is_counter_figure(n)) ||
			n->total.decimals == INT8_MAX)
			continue;
		if (n->description && n->description->sparse && n->description->kind != FIGURE_RATIO &&
			n->total.real == 0)
			continue;
		append_to_list(r, n, n->total);
	}
}

static void list_all_rates(struct results *r)
{
	for (uint32_t i = 0; i < r->n_order; i++)
		if (has_formula(r->name[r->order[i]]))
			append_ratio_to_list(r, r->name[r->order[i]]);
	list_missing_rates(r);
}

void list_kernel_record(struct results *r)
{
	r->n_list = 0;
	set_omitted_figures_to_zero(r);
	for (uint32_t i = 0; i < r->n_order; i++)
		append_own_value(r, r->name[r->order[i]]);
	if (r->flags & RESULT_RUNNING)
		list_all_totals(r, true);
	if (r->form == RESULT_ACCELSIM || r->flags & RESULT_RUNNING)
		list_all_rates(r);
}

void list_end_record(struct results *r)
{
	r->n_list = 0;
	set_omitted_figures_to_zero(r);
	for (uint32_t i = 0; i < r->n_order; i++)
		append_to_list(r, r->name[r->order[i]], r->name[r->order[i]]->value);
}

/* Replaces the values of interval rates by their running values, for which Accel-Sim's log has other names. */
static void use_running_rates(struct results *r)
{
	static const char *const pair[][2] = {
		{"partiton_level_parallism", "partiton_level_parallism_total"},
		{"partiton_level_parallism_util", "partiton_level_parallism_util_total"},
		{"L2_BW", "L2_BW_total"},
		{"gpu_occupancy", "gpu_tot_occupancy"},
	};

	for (size_t i = 0; i < sizeof(pair) / sizeof(pair[0]); i++) {
		const struct result_value *v = results_find(r, pair[i][1]);
		struct list_name *n = v ? list_name(r, pair[i][0], NULL) : NULL;

		if (n)
			append_to_list(r, n, *v);
	}
}

void list_run_totals(struct results *r)
{
	r->mark++;
	r->n_list = 0;
	r->whole_run = true;
	list_all_totals(r, false);
	use_running_rates(r);
	for (uint32_t i = 0; i < r->n_names; i++)
		if (has_formula(r->name[i]) && strchr(r->name[i]->text, '['))
			append_ratio_to_list(r, r->name[i]);
	list_missing_rates(r);
	r->whole_run = false;
}
