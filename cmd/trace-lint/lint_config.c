/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks a configuration, and whether it can run a kernel. libcommon's params.c, icnt.c and uop.c check it, as in
 * trace-sim, so that the findings are the errors that the simulator would report.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "icnt.h"
#include "lint.h"
#include "uop.h"

/*
 * Returns the id of the fault. For "conf-machine", returns the id of the rule for the option with which the
 * message begins.
 */
static const char *specific_rule_id(const struct fault *f)
{
	static const char partitions[] = "-gpgpu_memory_partition_indexing: ", cache[] = "-gpgpu_cache:";

	if (!strcmp(f->id, "conf-machine") && !strncmp(f->text, partitions, strlen(partitions)))
		return rules[RULE_CONFIG_PARTITIONS].id;
	if (!strcmp(f->id, "conf-machine") && !strncmp(f->text, cache, strlen(cache)))
		return rules[RULE_CONFIG_CACHE].id;
	return f->id;
}

static int make_params(struct params *p, const struct gpuconf *c, struct fault *f)
{
	if (params_init(p, c, f) < 0)
		return -1;
	return p->net.mode == 1 ? icnt_check(p, f) : 0;
}

/* Reports an unknown option and continues. */
static bool on_unknown_option(void *ctx, const struct fault *f)
{
	report_fault(ctx, f);
	return true;
}

static void report_idle_options(struct report *rep, const struct gpuconf *c)
{
	for (unsigned i = 0; i < N_OPTIONS; i++)
		if (conf_lacks_effect(c, (enum conf_id)i))
			report_at(rep, RULE_CONF_IDLE, c->value[i].place, "%s has no effect in trace-sim",
				conf_rows[i].name);
}

/* Reports settings that end a run only when a rare kind of access occurs. */
static void report_unfit_settings(struct report *rep, const struct gpuconf *c, const struct params *p)
{
	for (unsigned i = 0; i < N_UNFIT; i++)
		if (p->core.unfit & unfit_rows[i].bit)
			report_at(rep, RULE_CONFIG_ACCESS, c->value[unfit_rows[i].option].place, "%s: %s",
				conf_rows[unfit_rows[i].option].name, unfit_rows[i].problem);
}

struct params *lint_config(
	struct report *rep, struct gpuconf *c, const struct config_args *a, bool *unreadable)
{
	struct params *p;
	struct fault f;
	int r = 0;

	gpuconf_init(c);
	c->on_unknown = on_unknown_option;
	c->ctx = rep;
	for (uint32_t i = 0; r == 0 && i < a->n_files; i++)
		r = (a->shipped[i] ? gpuconf_shipped : gpuconf_file)(c, a->file[i], &f);
	for (uint32_t i = 0; r == 0 && i < a->n_defines; i++)
		r = gpuconf_override(c, a->define[i], &f);
	if (r == 0)
		report_idle_options(rep, c);
	p = xcalloc(1, sizeof(*p));
	if (r == 0)
		r = make_params(p, c, &f);
	if (r == 0) {
		report_unfit_settings(rep, c, p);
		lint_power(rep, c);
		return p;
	}
	if (!f.place.file && a->n_files)
		f.place.file = a->file[a->n_files - 1];
	f.id = specific_rule_id(&f);
	report_fault(rep, &f);
	*unreadable = !strcmp(f.id, "conf-open");
	free(p);
	return NULL;
}

void lint_config_kernel(struct lint *l)
{
	const struct core_params *c = &l->params->core;
	const struct kernel_header *h = l->head;
	struct place at = {.file = trace_path(l->trace)};
	uint64_t threads = (uint64_t)kernel_warps(h) * 32, registers = threads * ((h->nregs + 3) / 4 * 4);

	if (threads > c->threads)
		report_at(l->rep, RULE_CONFIG_THREADS, at,
			"thread block of %u threads (expected at most %u, the limit of an SM, -gpgpu_shader_core_pipeline)",
			kernel_threads(h), c->threads);
	if (registers > c->registers && !c->ignore_resources)
		report_at(l->rep, RULE_CONFIG_REGISTERS, at,
			"thread block of %llu registers (expected at most %u, the limit of an SM, -gpgpu_shader_registers)",
			(unsigned long long)registers, c->registers);
	if (h->shmem_bytes > c->shmem_bytes && h->shmem_bytes != UINT32_MAX && !c->ignore_resources)
		report_at(l->rep, RULE_CONFIG_SHMEM, at,
			"thread block of %u bytes of shared memory (expected at most %u, the limit of an SM, -gpgpu_shmem_size)",
			h->shmem_bytes, c->shmem_bytes);
}

void lint_config_inst(struct lint *l, uint32_t handle, const struct trace_line *line)
{
	const struct inst *in = code_at(l->code, handle);
	struct fault f;
	struct uop u;

	if (uop_make(&u, in, l->params, &f) == 0 || strcmp(f.id, "unit-missing"))
		return;
	for (uint32_t h = 0; h < handle; h++) /* reported only once for each opcode */
		if (!strcmp(code_at(l->code, h)->opcode, in->opcode)) {
			report_count_only(l->rep, RULE_UNIT_MISSING);
			return;
		}
	f.place = lint_place(l, line, COLUMN_OPCODE);
	report_fault(l->rep, &f);
}
