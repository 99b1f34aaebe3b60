/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parameters of the GPU: size, clocks, launch, limits and network. params_*.c reads the others.
 *
 * A value that makes the original abort, crash, read uninitialised memory or run forever is rejected; the message
 * gives the option, the value, its place and the possible values. Values that the original ignores are accepted.
 */
#include <string.h>
#include "num.h"
#include "params_int.h"

#define MAX_SMS 4096
#define MHZ_MIN 0.001
#define MHZ_MAX 1e6

bool param_number(const char **text, uint32_t *out)
{
	const char *s = *text;
	uint64_t n;

	if (num_digits(&s, NULL, 10, UINT32_MAX, &n) != NUM_GOOD)
		return false;
	*out = (uint32_t)n;
	*text = s;
	return true;
}

int param_numbers(const char *text, char sep, uint32_t *out, int cap)
{
	for (int n = 0; n < cap; n++) {
		while (*text == ' ')
			text++;
		if (!param_number(&text, &out[n]))
			return -1;
		if (!*text)
			return n + 1;
		if (*text++ != sep)
			return -1;
	}
	return -1;
}

static int params_set_sm_counts(struct params *p, const struct gpuconf *c, struct fault *f)
{
	p->clusters = conf_uint(c, OPT_gpgpu_n_clusters);
	p->sms_per_cluster = conf_uint(c, OPT_gpgpu_n_cores_per_cluster);
	p->sms = p->clusters * p->sms_per_cluster;
	if (p->sms > MAX_SMS)
		return conf_fault(c, OPT_gpgpu_n_clusters, f, "at most %u SMs, not %u clusters of %u",
			MAX_SMS, p->clusters, p->sms_per_cluster);
	p->rotate_sms = conf_num(c, OPT_gpgpu_simt_core_sim_order) == 1;
	return 0;
}

/* Reads "core:icnt:l2:dram" in MHz. */
static int params_set_clocks(struct params *p, const struct gpuconf *c, struct fault *f)
{
	static const char *const name[4] = {"core", "network", "L2", "DRAM"};
	const char *text = conf_text(c, OPT_gpgpu_clock_domains);

	for (int i = 0; i < 4; i++) {
		double mhz;

		text += strspn(text, " ");
		if (num_real(&text, &mhz) != NUM_GOOD || *text != (i < 3 ? ':' : '\0') ||
			!(mhz >= MHZ_MIN && mhz <= MHZ_MAX))
			return conf_fault(c, OPT_gpgpu_clock_domains, f,
				"four clocks core:icnt:l2:dram from %g to %g MHz; the %s clock is invalid",
				MHZ_MIN, MHZ_MAX, name[i]);
		p->hz[i] = mhz * 1000000;
		text++;
	}
	return 0;
}

/* Reads "F" or "F:flags"; the hexadecimal flags have no effect on the output. */
static int params_set_sampling(struct params *p, const struct gpuconf *c, struct fault *f)
{
	const char *text = conf_text(c, OPT_gpgpu_runtime_stat);
	bool good = param_number(&text, &p->sample_cycles) && p->sample_cycles > 0;

	if (good && *text == ':') {
		text += 1 + (strncmp(text + 1, "0x", 2) == 0 ? 2 : 0);
		size_t digits = strspn(text, "0123456789abcdefABCDEF");
		good = digits > 0 && digits <= 8;
		text += digits;
	}
	if (!good || *text)
		return conf_fault(
			c, OPT_gpgpu_runtime_stat, f, "CYCLES or CYCLES:HEXFLAGS with at least 1 cycle");
	return 0;
}

static int params_set_launch(struct params *p, const struct gpuconf *c, struct fault *f)
{
	p->concurrent_kernels = conf_bool(c, OPT_gpgpu_concurrent_kernel_sm);
	p->run_slots = conf_uint(c, OPT_gpgpu_max_concurrent_kernel);
	p->kernel_window = p->concurrent_kernels || conf_bool(c, OPT_ptx_streams) ? p->run_slots : 1;
	p->launch_latency = conf_uint(c, OPT_gpgpu_kernel_launch_latency);
	p->tb_latency = conf_uint(c, OPT_gpgpu_TB_launch_latency);
	p->max_cycle = (uint64_t)conf_num(c, OPT_gpgpu_max_cycle);
	p->max_insn = (uint64_t)conf_num(c, OPT_gpgpu_max_insn);
	p->max_cta = (uint64_t)conf_num(c, OPT_gpgpu_max_cta);
	p->max_completed_cta = (uint64_t)conf_num(c, OPT_gpgpu_max_completed_cta);
	p->deadlock_detect = conf_bool(c, OPT_gpgpu_deadlock_detect);
	return params_set_sampling(p, c, f);
}

/* Sets the parameters of the network (NET-dev-2). Like the original, does not check the options of the other mode. */
static int params_set_network(struct params *p, const struct gpuconf *c, struct fault *f)
{
	struct network_params *n = &p->net;

	n->mode = conf_uint(c, OPT_network_mode);
	n->in_limit = conf_uint(c, OPT_icnt_in_buffer_limit);
	n->out_limit = conf_uint(c, OPT_icnt_out_buffer_limit);
	n->subnets = conf_uint(c, OPT_icnt_subnets);
	n->arbiter = conf_uint(c, OPT_icnt_arbiter_algo);
	n->grant_cycles = conf_uint(c, OPT_icnt_grant_cycles);
	n->flit_bytes = conf_uint(c, OPT_icnt_flit_size);
	n->cluster_ports = conf_uint(c, OPT_icnt_cluster_ports);
	n->eject_max = conf_uint(c, OPT_gpgpu_n_cluster_ejection_buffer_size);
	if (n->mode == 2) {
		if (n->subnets < 2)
			return conf_fault(
				c, OPT_icnt_subnets, f, "at least 2: replies need a crossbar of their own");
		return 0;
	}
	if (!*conf_text(c, OPT_inter_config_file))
		return conf_fault(c, OPT_inter_config_file, f, "a network file with -network_mode 1");
	n->file = conf_path(c, OPT_inter_config_file);
	n->file_at = c->value[OPT_inter_config_file].place;
	return 0;
}

int params_init(struct params *p, const struct gpuconf *c, struct fault *f)
{
	*p = (struct params){0};
	if (params_set_sm_counts(p, c, f) < 0 || params_set_clocks(p, c, f) < 0 ||
		params_set_launch(p, c, f) < 0 || params_set_network(p, c, f) < 0)
		return -1;
	if (params_set_modern(p, c, f) < 0 || params_set_core(p, c, f) < 0 ||
		params_set_memory(p, c, f) < 0 || params_set_caches(p, c, f) < 0)
		return -1;
	return 0;
}
