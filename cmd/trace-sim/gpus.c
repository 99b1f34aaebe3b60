/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the table of supplied configurations (--list-gpus), and a warning about options; see gpus.h. */
#include "gpus.h"
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "diag.h"
#include "gpuconf.h"
#include "params.h"

static void print_gpu_row(const struct gpuconf_gpu *gpu, struct gpuconf *c, struct params *p, FILE *out)
{
	struct fault f;
	char error[16] = "-";

	gpuconf_init(c);
	if (gpuconf_shipped(c, gpu->name, &f) < 0 || params_init(p, c, &f) < 0)
		die_fault(&f);
	if (gpu->error >= 0)
		snprintf(error, sizeof(error), "%.1f %%", gpu->error);
	fprintf(out, "%-14s %4u  %-7s %-4s %-8s %s\n", gpu->name, p->sms,
		p->modern.enabled ? "modern" : "legacy", p->modern.enabled ? "no" : "yes", error, gpu->chip);
	gpuconf_free(c);
}

void gpus_print_list(FILE *out)
{
	struct gpuconf *c = xcalloc(1, sizeof(*c));
	struct params *p = xcalloc(1, sizeof(*p));

	fprintf(out, "%-14s %4s  %-7s %-4s %-8s %s\n", "GPU", "SMs", "core", "PTX", "error", "chip");
	for (const struct gpuconf_gpu *gpu = gpuconf_gpus; gpu->name; gpu++)
		print_gpu_row(gpu, c, p, out);
	free(p);
	free(c);
}

void gpus_warn_idle_options(const struct gpuconf *c)
{
	const struct conf_value *first = NULL;
	char names[240] = "";
	unsigned n = 0;

	for (unsigned i = 0; i < N_OPTIONS; i++) {
		size_t used = strlen(names);

		if (!conf_lacks_effect(c, (enum conf_id)i))
			continue;
		first = !first || c->value[i].order < first->order ? &c->value[i] : first;
		if (++n <= 4)
			snprintf(names + used, sizeof(names) - used, "%s%s", n > 1 ? ", " : "",
				conf_rows[i].name);
	}
	if (n > 4)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), " and %u more", n - 4);
	if (n)
		diag_warn(
			first->place, "options without effect, for features that trace-sim lacks: %s", names);
}
