/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The GPU that --run shows to the program, and for which --as sass writes code.
 *
 * Always true: every figure follows from options of the configuration, except the size of device memory, which
 * is MEMORY_BYTES.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli.h"
#include "gpu.h"
#include "output.h"
#include "gpuconf.h"

#define MEMORY_BYTES (16ull << 30)

void gpu_add_file(struct gpu_choice *g, const char *name, bool shipped)
{
	if (g->n_files == GPU_FILES)
		cli_usage("too many configurations (expected at most %u)", GPU_FILES);
	g->file[g->n_files] = name;
	g->shipped[g->n_files++] = shipped;
}

void gpu_add_define(struct gpu_choice *g, const char *assignment)
{
	if (g->n_defines == GPU_DEFINES)
		cli_usage("too many -D options (expected at most %u)", GPU_DEFINES);
	g->define[g->n_defines++] = assignment;
}

void gpu_protect_files(const struct gpu_choice *g, const char *output)
{
	for (unsigned i = 0; i < g->n_files; i++)
		if (!g->shipped[i])
			output_check_input(output, g->file[i]);
}

static void load_config(const struct gpu_choice *g, struct gpuconf *c)
{
	struct fault f;

	gpuconf_init(c);
	if (!g->n_files && gpuconf_shipped(c, GPU_DEFAULT, &f))
		die_fault(&f);
	for (unsigned i = 0; i < g->n_files; i++)
		if (g->shipped[i] ? gpuconf_shipped(c, g->file[i], &f) : gpuconf_file(c, g->file[i], &f))
			die_fault(&f);
	for (unsigned i = 0; i < g->n_defines; i++)
		if (gpuconf_override(c, g->define[i], &f))
			die_fault(&f);
}

/* Returns the n-th number (from 0) of a text such as "1132:1132:1132:3500.5", or 0 if there is none. */
static double nth_number_in_text(const char *text, unsigned n)
{
	while (n-- && text)
		text = strchr(text, ':') ? strchr(text, ':') + 1 : NULL;
	return text ? strtod(text, NULL) : 0;
}

/*
 * Returns the size of the cache that a text describes. The text has sets, line size and ways, after a letter if
 * the cache has sectors.
 */
static uint64_t cache_bytes(const char *text)
{
	unsigned sectored = *text >= 'A' && *text <= 'Z';

	return (uint64_t)(nth_number_in_text(text, sectored) * nth_number_in_text(text, sectored + 1) *
			  nth_number_in_text(text, sectored + 2));
}

static uint64_t clock_in_khz(double mhz) { return mhz > 0 && mhz < 1e6 ? (uint64_t)(mhz * 1000 + 0.5) : 0; }

static uint64_t option_number(const struct gpuconf *c, enum conf_id id) { return (uint64_t)conf_num(c, id); }

unsigned gpu_binary_version(const struct gpu_choice *g)
{
	struct gpuconf c;
	uint64_t binary;

	load_config(g, &c);
	binary = 10 * option_number(&c, OPT_gpgpu_compute_capability_major) +
		 option_number(&c, OPT_gpgpu_compute_capability_minor);
	gpuconf_free(&c);
	return (unsigned)binary;
}

void gpu_fill_wire(const struct gpu_choice *g, struct wire *w)
{
	const char *clocks, *name = g->n_files ? g->file[g->n_files - 1] : GPU_DEFAULT,
			    *slash = strrchr(name, '/');
	struct gpuconf c;
	uint64_t slices;

	load_config(g, &c);
	clocks = conf_text(&c, OPT_gpgpu_clock_domains);
	slices = option_number(&c, OPT_gpgpu_n_mem) *
		 option_number(&c, OPT_gpgpu_n_sub_partition_per_mchannel);
	w->major = option_number(&c, OPT_gpgpu_compute_capability_major);
	w->minor = option_number(&c, OPT_gpgpu_compute_capability_minor);
	w->sms = option_number(&c, OPT_gpgpu_n_clusters) * option_number(&c, OPT_gpgpu_n_cores_per_cluster);
	w->threads = (uint64_t)nth_number_in_text(conf_text(&c, OPT_gpgpu_shader_core_pipeline), 0);
	w->ctas = option_number(&c, OPT_gpgpu_shader_cta);
	w->regs = option_number(&c, OPT_gpgpu_shader_registers);
	w->shared = option_number(&c, OPT_gpgpu_shmem_size);
	/* From compute capability 8.0 on, the system reserves 1 KiB for each block. */
	w->shared_block = w->major >= 8 && w->shared > 1024 ? w->shared - 1024 : w->shared;
	w->clock_khz = clock_in_khz(nth_number_in_text(clocks, 0));
	w->memory_khz = clock_in_khz(nth_number_in_text(clocks, 3)) *
			option_number(&c, OPT_dram_data_command_freq_ratio) / 2;
	w->bus_bits = 8 * option_number(&c, OPT_gpgpu_n_mem) * option_number(&c, OPT_gpgpu_n_mem_per_ctrlr) *
		      option_number(&c, OPT_gpgpu_dram_buswidth);
	w->l2_bytes = slices * cache_bytes(conf_text(&c, OPT_gpgpu_cache_dl2));
	w->memory_bytes = MEMORY_BYTES;
	snprintf(w->gpu, sizeof(w->gpu), "%s", slash ? slash + 1 : name);
	gpuconf_free(&c);
}
