/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the search of --fit (fit.h). Each step tries a lower and a higher value, and halves the distance
 * if neither is better. The number of steps for an option is therefore about twice the binary logarithm of
 * its range.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "selftest/fit.h"

#define ROUNDS 4u
#define KNOWN  64u /* number of trials that are remembered, because the search returns to earlier values */

struct knob {
	enum conf_id id; /* option that is varied */
	int64_t lowest;  /* smallest value to try */
	int64_t highest; /* largest value to try */
	int64_t value;   /* best value so far */
};

struct trial {
	int64_t *value; /* value of each knob */
	double error;
};

struct search {
	const struct selftest *selftest;
	struct figure_table *table;
	const struct measured *measured;
	struct knob *knob;
	uint32_t n_knobs, n_trials;
	struct trial known[KNOWN]; /* remembered trials, by trial number modulo KNOWN */
	FILE *out;
};

static int64_t parse_integer(const char *s, const char **end)
{
	char *e;
	int64_t v = strtoll(s, &e, 10);

	*end = e;
	return v;
}

/*
 * Parses "NAME" or "NAME=FROM..TO". The default range is from a quarter of the current value to four times
 * the current value.
 */
static struct knob parse_knob(const struct gpuconf *c, const char *text)
{
	size_t n = strcspn(text, "=");
	char *name = xstrndup(text, n);
	const char *s = text + n;
	int id = conf_find(name);
	struct knob k;

	if (id < 0 || conf_rows[id].type == CONF_STRING || conf_rows[id].type == CONF_BOOL)
		die("--fit '%s' is not an option with a numeric value", name);
	k = (struct knob){.id = (enum conf_id)id, .value = conf_num(c, (enum conf_id)id)};
	k.lowest = k.value / 4;
	k.highest = k.value * 4 > 16 ? k.value * 4 : 16;
	if (*s) {
		k.lowest = parse_integer(s + 1, &s);
		if (strncmp(s, "..", 2) != 0 || (k.highest = parse_integer(s + 2, &s), *s) ||
			k.lowest > k.highest)
			die("--fit '%s' has no valid range (expected NAME=FROM..TO)", text);
	}
	if (k.lowest < conf_rows[id].min)
		k.lowest = conf_rows[id].min;
	if (k.highest > conf_rows[id].max)
		k.highest = conf_rows[id].max;
	k.value = k.value < k.lowest ? k.lowest : k.value > k.highest ? k.highest : k.value;
	free(name);
	return k;
}

/* Returns the configuration with the current values of the knobs, which the caller frees. */
static struct gpuconf *config_of_knobs(const struct search *s)
{
	struct gpuconf *c = xcalloc(1, sizeof(*c));

	*c = *s->selftest->conf;
	for (uint32_t i = 0; i < s->n_knobs; i++) {
		char define[128];
		struct fault f;

		snprintf(define, sizeof(define), "%s=%lld", conf_rows[s->knob[i].id].name + 1,
			(long long)s->knob[i].value);
		if (gpuconf_override(c, define, &f) < 0)
			die_fault(&f);
	}
	return c;
}

static bool is_valid_config(const struct gpuconf *c)
{
	struct params *p = xcalloc(1, sizeof(*p));
	bool good = params_init(p, c, NULL) >= 0;

	free(p);
	return good;
}

/*
 * Mean error of the rows with the current values of the knobs, or infinity if the configuration is invalid.
 */
static double simulated_mean_error(struct search *s)
{
	struct gpuconf *c = config_of_knobs(s);
	struct selftest t = *s->selftest;
	struct subjects *m;
	double sum = 0;
	uint32_t n = 0;

	t.conf = c;
	if (!is_valid_config(c)) {
		free(c);
		return INFINITY;
	}
	m = subjects_new(&t, s->measured);
	for (uint32_t i = 0; i < s->table->n; i++)
		if (s->table->row[i].subject)
			s->table->row[i].subject = subjects_for_tool(m, &t, s->table->row[i].row->tool);
	selftest_simulate(s->table, t.threads);
	for (uint32_t i = 0; i < s->table->n; i++)
		if (s->table->row[i].subject && !s->table->row[i].row->is_predicted) {
			sum += fabs(table_error(&s->table->row[i]));
			n++;
		}
	free(m);
	free(c);
	for (uint32_t i = 0; i < s->n_knobs; i++)
		fprintf(s->out, "%s %lld  ", conf_rows[s->knob[i].id].name, (long long)s->knob[i].value);
	fprintf(s->out, "mean error %.3f%%\n", n ? sum / n : 0);
	fflush(s->out);
	return n ? sum / n : INFINITY;
}

/* Returns the remembered trial with the current values of the knobs, or NULL if there is none. */
static const struct trial *find_remembered_trial(const struct search *s)
{
	for (uint32_t i = 0; i < s->n_trials && i < KNOWN; i++) {
		uint32_t k = 0;

		while (k < s->n_knobs && s->known[i].value[k] == s->knob[k].value)
			k++;
		if (k == s->n_knobs)
			return &s->known[i];
	}
	return NULL;
}

/* Mean error with the current values of the knobs, from a remembered trial or from a simulation. */
static double error_of_current_values(struct search *s)
{
	const struct trial *before = find_remembered_trial(s);
	struct trial *t = &s->known[s->n_trials % KNOWN];

	if (before)
		return before->error;
	t->error = simulated_mean_error(s);
	if (!t->value)
		t->value = xcalloc(s->n_knobs, sizeof(*t->value));
	for (uint32_t k = 0; k < s->n_knobs; k++)
		t->value[k] = s->knob[k].value;
	s->n_trials++;
	return t->error;
}

/* Sets a knob to `value` if that reduces the error *best. Returns true if it does. */
static bool improve_knob(struct search *s, struct knob *k, int64_t value, double *best)
{
	int64_t before = k->value;
	double error;

	if (value < k->lowest || value > k->highest || value == before)
		return false;
	k->value = value;
	error = error_of_current_values(s);
	if (error < *best) {
		*best = error;
		return true;
	}
	k->value = before;
	return false;
}

/* Searches for the best value of a knob. Returns true if the value has changed. */
static bool search_knob(struct search *s, struct knob *k, double *best)
{
	int64_t start = k->value;

	for (int64_t step = (k->highest - k->lowest + 3) / 4; step; step = step > 1 ? step / 2 : 0)
		while (improve_knob(s, k, k->value - step, best) || improve_knob(s, k, k->value + step, best))
			;
	return k->value != start;
}

void fit_run(const struct selftest *t, struct figure_table *table, const struct subjects *m, FILE *out)
{
	struct search s = {
		.selftest = t, .table = table, .measured = m->measured, .n_knobs = t->n_fit, .out = out};
	bool moved = true;
	double best;

	s.knob = xcalloc(s.n_knobs, sizeof(*s.knob));
	for (uint32_t i = 0; i < s.n_knobs; i++)
		s.knob[i] = parse_knob(t->conf, t->fit[i]);
	best = error_of_current_values(&s);
	for (unsigned round = 0; moved && round < ROUNDS; round++) {
		moved = false;
		for (uint32_t i = 0; i < s.n_knobs; i++)
			moved |= search_knob(&s, &s.knob[i], &best);
	}
	fprintf(out, "\n# mean error %.3f%% after %u trials\n", best, s.n_trials);
	for (uint32_t i = 0; i < s.n_knobs; i++)
		fprintf(out, "%s %lld\n", conf_rows[s.knob[i].id].name, (long long)s.knob[i].value);
	for (uint32_t i = 0; i < KNOWN; i++)
		free(s.known[i].value);
	free(s.knob);
}
