/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parameters of the modern SM core: the -core_* options and their defaults by compute capability. Always true
 * afterwards if this core is selected: the SM can run (every unit has an interval, every queue has an entry, and a
 * load's value arrives after the SM has accepted the load). If the other core is selected, only the values of the
 * options are checked.
 */
#include <stdlib.h>
#include <string.h>
#include "params_int.h"

/*
 * Values of the options that are -1 or "auto", by compute capability. A compute capability without a row uses the
 * nearest lower row.
 */
struct arch {
	uint8_t sm; /* compute capability from which the row applies */
	/* issue intervals of the units in cycles */
	uint8_t fp32, in, half, fp64;
	uint8_t tensor_least;  /* shortest issue interval of the tensor core in cycles */
	uint8_t mma_setup;     /* -core_mma_setup in cycles */
	bool fp32_on_int;      /* -core_fp32_on_int */
	bool fp64_shared;      /* true if the sub-cores share one double-precision unit */
	uint16_t tensor_rate;  /* -core_tensor_rate */
	uint8_t places;        /* number of memory instructions in a sub-core's queue for the SM */
	uint8_t l1;            /* latency of the L1 in cycles */
	uint8_t shared;        /* latency of shared memory in cycles */
	uint8_t drain;         /* -core_drain_stall in cycles */
	uint8_t l0i_sets;      /* number of sets of the L0 instruction cache */
	uint8_t every;         /* cycles between two SM accesses */
	uint16_t bytes;        /* bytes per cycle of the SM */
	uint16_t shared_bytes; /* bytes per cycle of shared memory */
};

static const struct arch archs[] = {
	/*sm fp32 int half fp64 tensor setup +int shared rate places l1 shared drain l0i every bytes shared bytes */
	{70, 2, 2, 2, 4, 2, 0, false, false, 128, 5, 24, 21, 45, 4, 1, 128, 128},
	{75, 2, 2, 2, 16, 2, 0, false, true, 128, 4, 28, 21, 45, 4, 2, 64, 64},
	{80, 2, 2, 1, 4, 2, 0, false, false, 256, 5, 29, 21, 54, 8, 1, 128, 128},
	{86, 2, 2, 2, 16, 2, 0, true, true, 128, 5, 30, 22, 45, 8, 2, 128, 128},
	{89, 2, 2, 2, 16, 2, 0, true, true, 128, 5, 30, 22, 45, 8, 2, 128, 128},
	{90, 1, 2, 1, 2, 2, 2, false, false, 512, 5, 30, 21, 54, 8, 1, 128, 128},
	{100, 1, 2, 1, 2, 2, 0, false, false, 1024, 5, 35, 21, 54, 8, 1, 128, 128},
	{120, 1, 1, 1, 16, 2, 0, true, true, 128, 5, 35, 22, 45, 8, 2, 64, 128},
};

static const struct arch *defaults_of_arch(uint32_t sm)
{
	const struct arch *a = archs;

	for (size_t i = 0; i < sizeof(archs) / sizeof(*archs); i++)
		if (archs[i].sm <= sm)
			a = &archs[i];
	return a;
}

static uint32_t number_or_default(const struct gpuconf *c, enum conf_id id, uint32_t def)
{
	int64_t n = conf_num(c, id);

	return n < 0 ? def : (uint32_t)n;
}

/* ---- words -------------------------------------------------------------------------------------- */

/* Returns the index of an option's word in a list that ends with NULL, or -1 and sets *f. */
static int parse_option_word(
	const struct gpuconf *c, enum conf_id id, const char *const *list, struct fault *f)
{
	char all[128] = "";

	for (int i = 0; list[i]; i++)
		if (!strcmp(conf_text(c, id), list[i]))
			return i;
	for (int i = 0; list[i]; i++) {
		strncat(all, i == 0 ? "" : list[i + 1] ? ", " : " or ", sizeof(all) - strlen(all) - 1);
		strncat(all, list[i], sizeof(all) - strlen(all) - 1);
	}
	return conf_fault(c, id, f, "%s", all);
}

static int set_modern_words(struct modern_params *m, const struct gpuconf *c, struct fault *f)
{
	static const char *const model[] = {"accelsim", "modern", NULL};
#define DEPENDENCE(name) #name,
	static const char *const dependence[] = {"auto", "control",
#include "depend.def"
		NULL};
#undef DEPENDENCE
	static const char *const table[] = {"auto", "sm_90", "sm_100", NULL};
	static const char *const predicates[] = {"none", "branch", "mask", NULL};
	static const char *const war[] = {"issue", "read", "writeback", NULL};
	static const char *const order[] = {"cggty", "gto", "rr", NULL};
	static const char *const read[] = {"none", "late", "auto", NULL};
	static const char *const guess[] = {"none", "next", NULL};
	int n[8];

	if ((n[0] = parse_option_word(c, OPT_core_model, model, f)) < 0 ||
		(n[1] = parse_option_word(c, OPT_core_dependence, dependence, f)) < 0 ||
		(n[2] = parse_option_word(c, OPT_core_latency_table, table, f)) < 0 ||
		(n[3] = parse_option_word(c, OPT_core_predicates, predicates, f)) < 0 ||
		(n[4] = parse_option_word(c, OPT_core_war_mode, war, f)) < 0 ||
		(n[5] = parse_option_word(c, OPT_core_issue_order, order, f)) < 0 ||
		(n[6] = parse_option_word(c, OPT_core_rf_read, read, f)) < 0 ||
		(n[7] = parse_option_word(c, OPT_core_rfc_guess, guess, f)) < 0)
		return -1;
	m->enabled = n[0] == 1;
	if (m->enabled && n[1] > DEPEND_SCOREBOARD)
		return conf_fault(
			c, OPT_core_dependence, f, "auto, control or scoreboard with the modern core");
	m->dependence = n[1] > DEPEND_SCOREBOARD ? DEPEND_AUTO : (enum core_dependence)n[1];
	m->family = n[2] == 1 || (n[2] == 0 && m->sm < 100) ? 90 : 100;
	m->predicates = (enum core_predicates)n[3];
	m->war = (enum core_war)n[4];
	m->order = (enum core_order)n[5];
	m->rfc_guess = (enum core_rfc_guess)n[7];
	m->rf_read_control = n[6] == 0 ? RF_NONE : RF_LATE;
	m->rf_read_trace = n[6] == 1 || (n[6] == 2 && m->rfc_guess != RFC_NONE) ? RF_LATE : RF_NONE;
	return 0;
}

/* Reads a number from 0 to 1000000 and stores it in millionths. Returns its end; NULL: the text is no such number. */
static const char *read_millionths(uint64_t *out, const char *s)
{
	uint64_t n = 0, unit = 1000000;

	if (*s < '0' || *s > '9')
		return NULL;
	for (; *s >= '0' && *s <= '9'; s++)
		if ((n = n * 10 + (uint64_t)(*s - '0')) > 1000000)
			return NULL;
	n *= 1000000;
	if (*s == '.')
		for (s++; *s >= '0' && *s <= '9'; s++)
			n += (unit /= 10) * (uint64_t)(*s - '0');
	*out = n;
	return s;
}

static int read_cta_time(uint64_t *out, const struct gpuconf *c, enum conf_id id, struct fault *f)
{
	const char *end = read_millionths(out, conf_text(c, id));

	return end && !*end ? 0 : conf_fault(c, id, f, "a decimal number of cycles from 0 to 1000000");
}

/* Reads CYCLES, CYCLES:PER_WARP or CYCLES:PER_WARP:PER_CTA. */
static int read_kernel_minimum(struct modern_params *m, const struct gpuconf *c, struct fault *f)
{
	const char *s = conf_text(c, OPT_core_kernel_least);

	for (unsigned i = 0; i < 3; i++) {
		s = read_millionths(&m->kernel_least[i], s);
		if (!s || (*s && *s != ':') || (*s && i == 2))
			return conf_fault(c, OPT_core_kernel_least, f,
				"one to three decimal numbers of cycles from 0 to 1000000, with ':' between");
		if (!*s)
			break;
		s++;
	}
	return 0;
}

/* ---- instruction caches ------------------------------------------------------------------------- */

#define MAX_L0_LINES 4096

static int set_modern_l0i(
	struct modern_params *m, const struct gpuconf *c, const struct arch *a, struct fault *f)
{
	const char *text = conf_text(c, OPT_core_cache_l0i);
	uint32_t n[3] = {a->l0i_sets, 128, 32};

	if (strcmp(text, "auto") != 0) {
		if (strncmp(text, "N:", 2) != 0 || param_numbers(text + 2, ':', n, 3) != 3)
			return conf_fault(c, OPT_core_cache_l0i, f, "auto or N:SETS:LINE:WAYS");
		if (!is_pow2(n[0]) || !is_pow2(n[1]) || n[1] < 16 || n[1] > 128 || !n[2] ||
			n[0] > MAX_L0_LINES || n[2] > MAX_L0_LINES || n[0] * n[2] > MAX_L0_LINES)
			return conf_fault(c, OPT_core_cache_l0i, f,
				"a power of two of sets, lines of 16 to 128 bytes, and at most %d lines",
				MAX_L0_LINES);
	}
	m->l0i_sets = n[0];
	m->l0i_line = n[1];
	m->l0i_ways = n[2];
	return 0;
}

int params_set_modern_l1i(struct params *p, const struct gpuconf *c, struct fault *f)
{
	bool pieces = p->mem.l2.present && p->mem.l2.kind == CACHE_SECTOR && !p->core.perfect_mem;
	uint32_t line = p->modern.l0i_line;

	if (p->core.unfit & UNFIT_L2 && !p->core.perfect_icache && !p->modern.l1i_miss_latency)
		return conf_fault(c, OPT_gpgpu_dram_partition_queues, f,
			"at least 4 entries in the first queue: code is read through the L2 (-core_l1i_miss_latency 0)");

	if (strcmp(conf_text(c, OPT_core_cache_l1i), "auto") != 0) {
		if (params_parse_cache(&p->core.l1i, c, OPT_core_cache_l1i, ROLE_L1I, f) < 0)
			return -1;
		if (p->core.l1i.line_bytes < line)
			return conf_fault(c, OPT_core_cache_l1i, f,
				"lines of at least the %u bytes of -core_cache:l0i", line);
		if (p->core.l1i.alloc != ALLOC_ON_FILL)
			return conf_fault(c, OPT_core_cache_l1i, f,
				"allocation f: kernels may end while lines are on their way");
		if (p->modern.l1i_miss_latency && p->core.l1i.mshr != MSHR_ASSOC)
			return conf_fault(c, OPT_core_cache_l1i, f,
				"MSHR kind A with -core_l1i_miss_latency: lines come whole");
		return 0;
	}
	line = p->mem.l2.present && !pieces && p->mem.l2.line_bytes < 128 ? p->mem.l2.line_bytes : 128;
	p->core.l1i = (struct cache_params){.present = true,
		.kind = CACHE_LINE,
		.sets = 64,
		.line_bytes = line,
		.ways = 16,
		.ways_max = 16,
		.atom_bytes = line,
		.replacement = REPLACE_LRU,
		.write = WRITE_READ_ONLY,
		.alloc = ALLOC_ON_FILL,
		.walloc = WALLOC_NONE,
		.index = INDEX_LINEAR,
		.mshr = pieces && !p->modern.l1i_miss_latency ? MSHR_SECTOR_ASSOC : MSHR_ASSOC,
		.mshr_entries = 64,
		.mshr_merge = 48,
		.miss_queue = 32,
		.port_bytes = line,
		.line_log2 = log2_floor(line),
		.sets_log2 = 6};
	return 0;
}

/* ---- options of the other core ------------------------------------------------------------------ */

/* Prefixes of the options that the modern core ignores, and of the options that only the modern core uses. */
static const char *const of_accelsim[] = {"-gpgpu_pipeline_widths", "-gpgpu_scheduler", "-gpgpu_num_sp_units",
	"-gpgpu_num_dp_units", "-gpgpu_num_int_units", "-gpgpu_num_sfu_units", "-gpgpu_tensor_core_avail",
	"-gpgpu_num_tensor_core_units", "-gpgpu_num_reg_banks", "-gpgpu_reg_file_port_throughput",
	"-gpgpu_enable_specialized_operand_collector", "-gpgpu_operand_collector_", "-specialized_unit_",
	"-trace_opcode_latency_", "-gpgpu_smem_latency", "-gpgpu_l1_latency", "-gpgpu_l1_banks",
	"-gpgpu_inst_fetch_throughput", "-gpgpu_max_insn_issue_per_warp", "-gpgpu_dual_issue_diff_exec_units",
	"-gpgpu_sub_core_model", "-gpgpu_cache:il1", NULL};
static const char *const of_modern[] = {"-core_", NULL};

static bool has_prefix_of_list(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (!strncmp(name, *list, strlen(*list)))
			return true;
	return false;
}

/* Returns true if an option differs from its default and was set after -core_model. */
static bool is_set_for_modern_core(const struct gpuconf *c, int id)
{
	return c->value[id].order > c->value[OPT_core_model].order &&
	       strcmp(c->value[id].text, conf_rows[id].def) != 0;
}

/* Prints one warning if options of the other core are set. */
static void warn_ignored(const struct gpuconf *c, bool modern)
{
	const char *const *idle = modern ? of_accelsim : of_modern, *first = NULL;
	struct place at = NOWHERE;
	unsigned n = 0;

	for (int i = 0; i < N_OPTIONS; i++) {
		if (i == OPT_core_model || !has_prefix_of_list(conf_rows[i].name, idle) ||
			!is_set_for_modern_core(c, i) || n++)
			continue;
		first = conf_rows[i].name;
		at = c->value[i].place;
	}
	if (n)
		diag_warn(at, "%s%s no effect with -core_model %s", first,
			n > 1 ? " and other options of the other core have" : " has",
			modern ? "modern" : "accelsim");
}

/* ---- the whole ---------------------------------------------------------------------------------- */

static void set_fetch_and_issue(struct modern_params *m, const struct gpuconf *c, const struct arch *a)
{
	m->forwarding = conf_bool(c, OPT_core_forwarding);
	m->sb_visible = conf_uint(c, OPT_core_sb_visible);
	m->sb_release = conf_uint(c, OPT_core_sb_release);
	m->drain_stall = number_or_default(c, OPT_core_drain_stall, a->drain);
	m->ibuffer = conf_uint(c, OPT_core_ibuffer);
	m->l0i_l1i_latency = conf_uint(c, OPT_core_l0i_l1i_latency);
	m->l1i_miss_latency = conf_uint(c, OPT_core_l1i_miss_latency);
	m->launch_lines = conf_uint(c, OPT_core_launch_lines);
	m->prefetch_lines = conf_uint(c, OPT_core_prefetch_lines);
	m->prefetch_streams = conf_uint(c, OPT_core_prefetch_streams);
	m->branch_taken = conf_uint(c, OPT_core_branch_taken_latency);
	m->const_cold = conf_bool(c, OPT_core_const_cold);
	m->rf_banks = conf_uint(c, OPT_core_rf_banks);
	m->rfc = conf_bool(c, OPT_core_rfc);
	m->result_queue = conf_uint(c, OPT_core_result_queue);
	m->port_imad_wide = conf_uint(c, OPT_core_port_imad_wide);
}

static int set_modern_units(
	struct modern_params *m, const struct gpuconf *c, const struct arch *a, struct fault *f)
{
	static const enum conf_id id[] = {[CORE_INT] = OPT_core_ii_int,
		[CORE_FP32] = OPT_core_ii_fp32,
		[CORE_IMAD] = OPT_core_ii_imad,
		[CORE_HALF] = OPT_core_ii_half,
		[CORE_FP64] = OPT_core_ii_fp64};
	const uint32_t def[] = {[CORE_INT] = a->in, /* IMAD has an option of its own */
		[CORE_FP32] = a->fp32,
		[CORE_HALF] = a->half,
		[CORE_FP64] = a->fp64};

	for (unsigned u = CORE_INT; u <= CORE_FP64; u++) {
		m->interval[u] = number_or_default(c, id[u], def[u]);
		if (!m->interval[u])
			return conf_fault(c, id[u], f, "an interval of at least 1, or -1");
	}
	m->imad_wide = conf_uint(c, OPT_core_ii_imad_wide);
	m->interval[CORE_TENSOR] = a->tensor_least;
	m->interval[CORE_UNIFORM] = conf_uint(c, OPT_core_ii_uniform);
	m->interval[CORE_BRANCH] = conf_uint(c, OPT_core_ii_branch);
	m->interval[CORE_NO_UNIT] = 1;
	m->interval[CORE_WARPGROUP] = 1;
	m->interval[CORE_SFU] = conf_uint(c, OPT_core_ii_sfu);
	m->interval[CORE_FP64_SHARED] = m->interval[CORE_FP64];
	m->interval[CORE_MISC] = 2;
	m->interval[CORE_MEMORY] = 1;
	m->fp32_on_int = number_or_default(c, OPT_core_fp32_on_int, a->fp32_on_int);
	m->fp64_shared = number_or_default(c, OPT_core_fp64_shared, a->fp64_shared);
	m->fp64_latency = conf_uint(c, OPT_core_fp64_latency);
	m->sfu_latency = conf_uint(c, OPT_core_sfu_latency);
	m->s2r_latency = conf_uint(c, OPT_core_s2r_latency);
	m->tensor_rate = number_or_default(c, OPT_core_tensor_rate, a->tensor_rate);
	m->mma_setup = number_or_default(c, OPT_core_mma_setup, a->mma_setup);
	m->mbarrier_issue = conf_uint(c, OPT_core_mbarrier_issue);
	m->mbarrier_wait = conf_uint(c, OPT_core_mbarrier_wait);
	m->gmma_issue = conf_uint(c, OPT_core_gmma_issue);
	m->gmma_latency = conf_uint(c, OPT_core_gmma_latency);
	m->tma_latency = conf_uint(c, OPT_core_tma_latency);
	m->tma_descriptor = conf_uint(c, OPT_core_tma_descriptor);
	m->tma_issue = conf_uint(c, OPT_core_tma_issue);
	m->tma_outside = conf_uint(c, OPT_core_tma_outside);
	m->tma_bytes = conf_uint(c, OPT_core_tma_bytes);
	m->tma_interval = conf_uint(c, OPT_core_tma_interval);
	m->dsm_latency = conf_uint(c, OPT_core_dsm_latency);
	m->dsm_bytes = conf_uint(c, OPT_core_dsm_bytes);
	m->multicast_latency = conf_uint(c, OPT_core_multicast_latency);
	m->matrix_mhz = conf_uint(c, OPT_core_matrix_clock);
	if (!m->tensor_rate)
		return conf_fault(c, OPT_core_tensor_rate, f, "at least 1 multiply-add a cycle, or -1");
	return 0;
}

static int set_modern_memory(
	struct modern_params *m, const struct gpuconf *c, const struct arch *a, struct fault *f)
{
	m->mem_places = number_or_default(c, OPT_core_mem_places, a->places);
	m->mem_first = conf_uint(c, OPT_core_mem_first);
	m->mem_first_lanes = conf_uint(c, OPT_core_mem_first_lanes);
	m->mem_interval = conf_uint(c, OPT_core_mem_interval);
	m->mem_interval_shared = conf_uint(c, OPT_core_mem_interval_shared);
	m->sm_bytes = number_or_default(c, OPT_core_sm_bytes, a->bytes);
	m->shared_bytes = number_or_default(c, OPT_core_shared_bytes, a->shared_bytes);
	m->sm_interval = number_or_default(c, OPT_core_sm_interval, a->every);
	m->shared_latency = number_or_default(c, OPT_core_shared_latency, a->shared);
	m->l1_latency = number_or_default(c, OPT_core_l1_latency, a->l1);
	m->l1_tag_banks = conf_uint(c, OPT_core_l1_tag_banks);
	if (m->enabled) {
		m->l1_ways = conf_uint(c, OPT_core_l1_ways);
		m->l1_reserved = conf_uint(c, OPT_core_l1_reserved) * 1024;
		m->cta_shmem = number_or_default(c, OPT_core_cta_shmem, m->sm >= 80 ? 1024 : 0);
	}
	m->ldgsts_latency = conf_uint(c, OPT_core_ldgsts_latency);
	m->const_latency = conf_uint(c, OPT_core_const_latency);
	m->link_bytes = conf_uint(c, OPT_core_link_bytes);
	m->prt = conf_uint(c, OPT_core_prt);
	if (m->l1_tag_banks & (m->l1_tag_banks - 1))
		return conf_fault(c, OPT_core_l1_tag_banks, f, "a power of 2");
	m->l1_tag_bits = m->l1_tag_fold = m->l1_tag_banks > 1 ? (uint32_t)__builtin_ctz(m->l1_tag_banks) : 1;
	while (m->l1_tag_fold < 32)
		m->l1_tag_fold *= 2;
	if (!m->mem_places)
		return conf_fault(c, OPT_core_mem_places, f, "at least 1 place, or -1");
	if (!m->sm_bytes)
		return conf_fault(c, OPT_core_sm_bytes, f, "at least 1 byte a cycle, or -1");
	if (!m->shared_bytes)
		return conf_fault(c, OPT_core_shared_bytes, f, "at least 1 byte a cycle, or -1");
	if (!m->sm_interval)
		return conf_fault(c, OPT_core_sm_interval, f, "an interval of at least 1, or -1");
	if (m->shared_latency < m->mem_first + 3)
		return conf_fault(c, OPT_core_shared_latency, f,
			"at least 3 cycles more than the %u of -core_mem_first, or -1", m->mem_first);
	if (m->const_latency < m->mem_first + 3)
		return conf_fault(c, OPT_core_const_latency, f,
			"at least 3 cycles more than the %u of -core_mem_first", m->mem_first);
	if (m->l1_latency < m->mem_first_lanes + 12)
		return conf_fault(c, OPT_core_l1_latency, f,
			"at least 12 cycles more than the %u of -core_mem_first_lanes, or -1",
			m->mem_first_lanes);
	return 0;
}

static void set_modern_barriers(struct modern_params *m, const struct gpuconf *c)
{
	m->barrier = conf_uint(c, OPT_core_barrier_latency);
	m->barrier_per_warp = conf_uint(c, OPT_core_barrier_per_warp);
	m->barrier_delay = conf_uint(c, OPT_core_barrier_block_delay);
	m->membar[0] = conf_uint(c, OPT_core_membar_cta);
	m->membar[1] = conf_uint(c, OPT_core_membar_gpu);
	m->membar[2] = conf_uint(c, OPT_core_membar_sys);
	m->cta_latency = conf_uint(c, OPT_core_cta_latency);
	m->cta_latency_per_warp = conf_uint(c, OPT_core_cta_latency_per_warp);
	m->warp_interval = conf_uint(c, OPT_core_warp_interval);
}

uint32_t params_group_begin(const struct params *p, uint32_t group)
{
	const struct modern_params *m = &p->modern;

	if (group >= m->groups)
		return p->sms;
	return m->gpcs ? p->sms / 2 * group / m->groups * 2 : m->gpc_sms * group;
}

/* Sets the groups of SMs in which clusters of thread blocks run. */
static int set_modern_groups(struct params *p, const struct gpuconf *c, struct fault *f)
{
	struct modern_params *m = &p->modern;

	m->gpcs = conf_uint(c, OPT_core_gpcs);
	m->gpc_sms = conf_uint(c, OPT_core_gpc_sms);
	if (m->gpcs > (p->sms + 1) / 2)
		return conf_fault(c, OPT_core_gpcs, f, "at most %u, half of the SMs", (p->sms + 1) / 2);
	m->groups = m->gpcs ? m->gpcs : (p->sms + m->gpc_sms - 1) / m->gpc_sms;
	m->group_most = 0;
	for (uint32_t i = 0; i < m->groups; i++) {
		uint32_t sms = params_group_begin(p, i + 1) - params_group_begin(p, i);

		if (sms > m->group_most)
			m->group_most = sms;
	}
	return 0;
}

int params_set_modern(struct params *p, const struct gpuconf *c, struct fault *f)
{
	struct modern_params *m = &p->modern;
	const struct arch *a;
	uint64_t sm = (uint64_t)conf_uint(c, OPT_gpgpu_compute_capability_major) * 10 +
		      conf_uint(c, OPT_gpgpu_compute_capability_minor);

	m->sm = sm < 70 ? 70 : sm > 121 ? 121 : (uint32_t)sm;
	a = defaults_of_arch(m->sm);
	if (set_modern_words(m, c, f) < 0 || set_modern_l0i(m, c, a, f) < 0 ||
		set_modern_units(m, c, a, f) < 0 || set_modern_memory(m, c, a, f) < 0 ||
		set_modern_groups(p, c, f) < 0)
		return -1;
	set_fetch_and_issue(m, c, a);
	set_modern_barriers(m, c);
	if (read_cta_time(&m->cta_interval, c, OPT_core_cta_interval, f) < 0 ||
		read_cta_time(&m->cta_retire, c, OPT_core_cta_retire, f) < 0 ||
		read_kernel_minimum(m, c, f) < 0)
		return -1;
	warn_ignored(c, m->enabled);
	return 0;
}
