/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of shipped configurations (--list-gpus). */
#include "gpus.h"
#include <stdlib.h>
#include "arena.h"
#include "diag.h"
#include "gpuconf.h"
#include "params.h"

static void print_shipped_gpu(const struct gpuconf_gpu *gpu, struct gpuconf *c, struct params *p, FILE *out)
{
	struct fault f;
	char error[16] = "-";

	gpuconf_init(c);
	if (gpuconf_shipped(c, gpu->name, &f) < 0 || params_init(p, c, &f) < 0)
		die_fault(&f);
	if (gpu->error >= 0)
		snprintf(error, sizeof(error), "%.1f %%", gpu->error);
	fprintf(out, "%-14s %4u  %-7s %-4s %-8s %s\n", gpu->name, p->sms, p->modern.on ? "modern" : "legacy",
		p->modern.on ? "no" : "yes", error, gpu->chip);
	gpuconf_free(c);
}

void gpus_list(FILE *out)
{
	struct gpuconf *c = xcalloc(1, sizeof(*c));
	struct params *p = xcalloc(1, sizeof(*p));

	fprintf(out, "%-14s %4s  %-7s %-4s %-8s %s\n", "GPU", "SMs", "core", "PTX", "error", "chip");
	for (const struct gpuconf_gpu *gpu = gpuconf_gpus; gpu->name; gpu++)
		print_shipped_gpu(gpu, c, p, out);
	free(p);
	free(c);
}
