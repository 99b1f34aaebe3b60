/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines the table of probes, and chooses the probe for a row (probe.h). */
#include <ctype.h>
#include <math.h>
#include <string.h>
#include "roff.h"
#include "selftest/probe.h"

static const struct probe_kind probe_kinds[] = {
#define PROBE(workload, names, run, prepare, unit, help) {workload, names, unit, help, run, prepare},
#include "selftest/probes.def"
#undef PROBE
};
static const unsigned n_probe_kinds = sizeof(probe_kinds) / sizeof(*probe_kinds);

/* Returns the kind with the longest name with which the workload begins, or NULL if there is none. */
static const struct probe_kind *find_probe_kind(const char *workload)
{
	const struct probe_kind *best = NULL;
	size_t best_len = 0;

	for (unsigned i = 0; i < n_probe_kinds; i++) {
		size_t n = strlen(probe_kinds[i].workload);

		if (n <= best_len || strncmp(workload, probe_kinds[i].workload, n) != 0)
			continue;
		if (workload[n] && workload[n] != ' ' && workload[n] != '/')
			continue;
		best = &probe_kinds[i];
		best_len = n;
	}
	return best;
}

/*
 * Sets the values of the parameters listed in `names`, for example "a b=7". Returns false if a required
 * parameter is missing.
 */
static bool parse_parameters(
	struct probe *p, const struct measured_row *r, const struct measured *with, const char *names)
{
	for (unsigned i = 0; *names && i < PROBE_NUMBERS; i++) {
		size_t n = strcspn(names, " ");
		const char *def = memchr(names, '=', n);
		size_t len = def ? (size_t)(def - names) : n;
		char key[32];

		memcpy(key, names, len);
		key[len] = '\0';
		if (!measured_row_param(with, r, key, &p->param[i])) {
			if (!def)
				return false;
			p->param[i] = def[1] == '-' ? -(double)(def[2] - '0') : 0;
			for (const char *d = def + 1; isdigit((unsigned char)*d); d++)
				p->param[i] = p->param[i] * 10 + (*d - '0');
		}
		names += n;
		names += *names == ' ';
	}
	return true;
}

bool probe_has_parameter(const char *define)
{
	size_t n = strcspn(define, "=");
	char key[32];
	double value;

	for (unsigned i = 0; i < n_probe_kinds; i++)
		for (const char *s = probe_kinds[i].names; *s; s += strcspn(s, " "), s += *s == ' ')
			if (strcspn(s, " =") == n && !memcmp(s, define, n)) {
				memcpy(key, define, n);
				key[n] = '\0';
				return measured_param(define, key, &value);
			}
	return false;
}

bool probe_for_row(struct probe *p, const struct measured_row *r, const struct measured *with,
	const struct subject *s, const char **why)
{
	const struct probe_kind *k = find_probe_kind(r->workload);

	*why = "no micro-trace for this workload";
	if (!k)
		return false;
	*p = (struct probe){.kind = k,
		.params = r->params,
		.clock_mhz = r->clock_mhz,
		.rest = r->workload + strlen(k->workload)};
	p->rest += *p->rest == '/' || *p->rest == ' ';
	strncpy(p->group, k->workload, sizeof(p->group) - 1);
	*why = "the value is not a number";
	if (!r->is_number && !r->is_predicted)
		return false;
	*why = "parameters are missing";
	if (!parse_parameters(p, r, with, k->names))
		return false;
	return !k->prepare || k->prepare(p, r, s, why);
}

void probe_print_man(FILE *out)
{
	for (unsigned i = 0; i < n_probe_kinds; i++) {
		const struct probe_kind *k = &probe_kinds[i];

		fprintf(out, ".It Li \"%s\"", k->workload);
		if (*k->names)
			fprintf(out, " Pq Ar \"%s\"", k->names);
		fputc('\n', out);
		roff_text(out, k->help);
	}
}

uint64_t subject_l1_bytes(const struct subject *s, uint32_t threads)
{
	const struct core_params *c = &s->params.core;
	const struct cache_params *l1 = &c->l1d;
	uint64_t set = (uint64_t)l1->ways * l1->line_bytes, need;
	uint32_t i = 0;

	if (!l1->present || !c->adaptive_l1)
		return l1->present ? set * l1->sets : 0;
	need = c->threads / threads < c->max_ctas ? c->threads / threads : c->max_ctas;
	need *= s->params.modern.cta_shmem;
	while (i + 1 < c->n_shmem_options && c->shmem_option_bytes[i] < need)
		i++;
	return params_set_l1_rows(&s->params, c->shmem_option_bytes[i]) *
	       (s->params.modern.l1_ways ? set : (uint64_t)l1->sets * l1->line_bytes);
}

uint64_t subject_l2_bytes(const struct subject *s)
{
	const struct memory_params *m = &s->params.mem;

	return m->l2.present ? (uint64_t)m->l2.sets * m->l2.ways * m->l2.line_bytes * m->channels * m->subs
			     : 0;
}

double subject_gb_per_s(const struct subject *s, double bytes, double cycles)
{
	return cycles > 0 ? bytes * s->params.hz[0] / cycles / 1e9 : NAN;
}

uint32_t probe_round_count(double v) { return v < 1 ? 1 : v > 1e9 ? 1000000000u : (uint32_t)(v + 0.5); }
