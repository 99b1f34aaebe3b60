/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the picks file (trace-picks(5)). The file has no directory, time or number of threads, so that
 * equal lists and options give equal bytes.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "diag.h"
#include "picks.h"
#include "pick.h"

static void write_command(
	FILE *out, const struct app *a, const struct method *m, const struct pick_options *w)
{
	fprintf(out, "# trace-pick -m %s", m->name);
	if (!w->one && strcmp(m->name, "all"))
		fprintf(out, " -e %g%% --seed %llu", 100 * w->error, (unsigned long long)w->seed);
	if (w->max_picks != UINT32_MAX)
		fprintf(out, " -n %u", w->max_picks);
	if (w->per_stream)
		fputs(" --per-stream", out);
	if (w->one)
		fputs(" --one", out);
	if (w->selection) {
		char part[512];

		fprintf(out, " -k '%s'", diag_quote(part, sizeof(part), w->selection, strlen(w->selection)));
	}
	if (a->skip_missing)
		fputs(" --skip-missing", out);
	fprintf(out, " (%s)\n", VERSION);
}

static void write_summary(FILE *out, const struct app *a, const struct pick_choice *c)
{
	uint64_t all = 0, picked = 0;

	for (uint32_t i = 0; i < a->n_kernels; i++) {
		all += a->kernel[i].insts;
		picked += c->picked[i] ? a->kernel[i].insts : 0;
	}
	fprintf(out,
		"# %u of %u kernels in %u strata, %llu of %llu warp instructions (%.2f%%), expected error %.2f%%\n",
		c->n_picked, a->n_kernels, c->n, (unsigned long long)picked, (unsigned long long)all,
		all ? 100 * (double)picked / (double)all : 0, 100 * c->error);
	if (a->n_kernels < a->n_listed)
		fprintf(out, "# %u of the list's %u kernels selected, %u of them missing\n",
			a->n_kernels + a->skipped.n, a->n_listed, a->skipped.n);
}

static void write_strata(FILE *out, const struct app *a, const struct pick_choice *c)
{
	uint32_t next = 1;

	fputs("# stratum, its kernels; the name of the first\n", out);
	for (uint32_t i = 0; i < a->n_kernels && next <= c->n; i++) {
		uint32_t s = c->stratum[i];
		char name[512];

		if (c->label[s] != next)
			continue;
		next++;
		picks_write_stratum(out, &(struct pick_stratum){c->label[s], c->kernels[s], 0, c->spread[s]});
		diag_quote(name, sizeof(name), a->kernel[i].name, strlen(a->kernel[i].name));
		fprintf(out, " %s\n", name);
	}
}

void report_picks(FILE *out, const struct app *a, const struct method *m, const struct pick_options *w,
	const struct pick_choice *c)
{
	const uint32_t part = a->n_kernels + a->skipped.n;
	struct picks p = {.n_kernels = a->n_listed,
		.n_all = a->n_listed,
		.n_part = part < a->n_listed ? part : 0,
		.n_missing = a->skipped.n,
		.error = c->error};

	strncpy(p.method, m->name, sizeof(p.method) - 1);
	klist_hash(&a->list, p.hash);
	picks_write_head(out, &p);
	write_command(out, a, m, w);
	write_summary(out, a, c);
	write_strata(out, a, c);
	fputs("# position, weight, stratum, size; warp instructions, kernel\n", out);
	for (uint32_t i = 0; i < a->n_kernels; i++) {
		uint32_t s = c->stratum[i];
		char name[512], text[600];
		struct pick k = {.position = a->kernel[i].position,
			.weight = c->weight[s],
			.size = method_size(m, &a->kernel[i])};

		if (!c->picked[i])
			continue;
		diag_quote(name, sizeof(name), a->kernel[i].name, strlen(a->kernel[i].name));
		snprintf(text, sizeof(text), "%llu %s", (unsigned long long)a->kernel[i].insts, name);
		picks_write_pick(out, &k, c->label[s], text);
	}
}
