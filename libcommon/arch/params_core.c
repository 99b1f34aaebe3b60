/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parameters of the SM: resources, schedulers, pipelines, collectors, latencies, load/store unit (SM-sched-2,
 * SM-reg, SM-coll-1, SM-exec).
 *
 * Always true afterwards: issue can reach every existing unit kind, and a unit empties every register set. Faults
 * that concern only some kernels, such as units for only some schedulers or a pipeline too short for a latency, are
 * reported when one of these kernels runs (uop.c, sm/issue.c).
 */
#include <stdio.h>
#include <string.h>
#include "bits.h"
#include "params_int.h"

#define DEPTH_ANY 512 /* depth for any latency, since latencies are below 512 */
#define MAX_WIDTH 64  /* largest number of slots of a pipeline register set */

static const char *const kind_name[N_UNIT_KINDS] = {
	"SP",
	"DP",
	"INT",
	"SFU",
	"TENSOR",
	"MEM",
	"specialized unit 1",
	"specialized unit 2",
	"specialized unit 3",
	"specialized unit 4",
	"specialized unit 5",
	"specialized unit 6",
	"specialized unit 7",
	"specialized unit 8",
};

static enum conf_id specialized_unit_option(uint32_t n) { return (enum conf_id)(OPT_specialized_unit_1 + n); }

static bool is_specialized_unit(int kind) { return kind >= UNIT_SPEC; }

/* ---- resources and schedulers --------------------------------------------------------------------- */

static int set_core_resources(struct core_params *k, const struct gpuconf *c, struct fault *f)
{
	uint32_t n[2];

	if (param_numbers(conf_text(c, OPT_gpgpu_shader_core_pipeline), ':', n, 2) != 2 || n[1] != 32 ||
		n[0] % 32 || n[0] < 32 || n[0] > 32 * MAX_WARPS)
		return conf_fault(c, OPT_gpgpu_shader_core_pipeline, f,
			"THREADS:32 with THREADS a multiple of 32, at most %d", 32 * MAX_WARPS);
	k->threads = n[0];
	k->warps = n[0] / 32;
	k->ignore_resources = conf_bool(c, OPT_gpgpu_ignore_resources_limitation);
	k->max_ctas = conf_uint(c, OPT_gpgpu_shader_cta);
	if (k->max_ctas == 0 && !k->ignore_resources)
		return conf_fault(c, OPT_gpgpu_shader_cta, f, "at least one CTA for an SM");
	/*
	 * The original accepts a higher limit but fails if an SM has more than 32 CTAs. A limit of 32 is therefore
	 * equivalent.
	 */
	if (k->max_ctas > MAX_CTAS)
		k->max_ctas = MAX_CTAS;
	k->registers = conf_uint(c, OPT_gpgpu_shader_registers);
	k->shmem_bytes = conf_uint(c, OPT_gpgpu_shmem_size);
	return 0;
}

static const struct {
	const char *name, *argument, *form;
	bool greedy; /* whether each scheduler must have a warp */
} sched_row[N_SCHEDS] = {
#define SCHED(name, argument, greedy, form) {#name, argument, form, greedy},
#include "sched.def"
#undef SCHED
};

/*
 * Checks the text after the policy's name against the form in the policy's row. Sets *number to the value at the
 * letter of the form.
 */
static bool parse_policy_argument(
	const char *text, const char *argument, uint32_t a_max, uint32_t w_max, uint32_t *number)
{
	uint32_t n[4];
	int want = 1, have;

	for (const char *p = argument; *p; p++)
		want += *p == ':';
	have = *text == ':' ? param_numbers(text + 1, ':', n, 4) : -1;
	if (have != want)
		return false;
	for (int i = 0; i < want; i++, argument += 2) {
		uint32_t max = *argument == 'A' ? a_max : w_max;

		if (*argument >= '0' && *argument <= '9') {
			if (n[i] != (uint32_t)(*argument - '0'))
				return false;
			continue;
		}
		if (n[i] < 1 || n[i] > max)
			return false;
		*number = n[i];
	}
	return true;
}

static int parse_scheduler_policy(struct core_params *k, const struct gpuconf *c, struct fault *f)
{
	const char *text = conf_text(c, OPT_gpgpu_scheduler);
	uint32_t share = k->warps / k->schedulers;
	char wanted[256];
	size_t i = 0, n = 0;

	while (i < N_SCHEDS && !strstr(text, sched_row[i].name))
		i++;
	if (i == N_SCHEDS) {
		for (i = 0; i < N_SCHEDS && n < sizeof(wanted); i++)
			n += (size_t)snprintf(wanted + n, sizeof(wanted) - n, "%s%s%s%s", i ? ", " : "",
				sched_row[i].name, *sched_row[i].argument ? ":" : "", sched_row[i].argument);
		return conf_fault(c, OPT_gpgpu_scheduler, f, "one of %s", wanted);
	}
	k->policy = (enum sched_id)i;
	if (*sched_row[i].argument &&
		(strncmp(text, sched_row[i].name, strlen(sched_row[i].name)) != 0 ||
			!parse_policy_argument(text + strlen(sched_row[i].name), sched_row[i].argument, share,
				k->warps, &k->policy_number)))
		return conf_fault(c, OPT_gpgpu_scheduler, f, "%s (%u here, %u in all)", sched_row[i].form,
			share, k->warps);
	if (sched_row[i].greedy && share == 0)
		return conf_fault(c, OPT_gpgpu_num_sched_per_core, f,
			"at most one scheduler for each of the %u warps with this scheduler policy",
			k->warps);
	return 0;
}

/* Returns the rule of -core_dependence. "auto" and the rules of the modern core give the first row. */
static enum dependence_id parse_dependence_rule(const struct gpuconf *c)
{
#define DEPENDENCE(name) #name,
	static const char *const names[N_DEPENDENCES] = {
#include "depend.def"
	};
#undef DEPENDENCE
	unsigned i = N_DEPENDENCES;

	while (i && strcmp(conf_text(c, OPT_core_dependence), names[i - 1]) != 0)
		i--;
	return (enum dependence_id)(i ? i - 1 : 0);
}

static int set_core_schedulers(struct params *p, const struct gpuconf *c, struct fault *f)
{
	struct core_params *k = &p->core;

	k->schedulers = conf_uint(c, OPT_gpgpu_num_sched_per_core);
	k->dependence = parse_dependence_rule(c);
	if (parse_scheduler_policy(k, c, f) < 0)
		return -1;
	k->max_issue = conf_num(c, OPT_gpgpu_max_insn_issue_per_warp) > 1 ? 2 : 1;
	k->dual_issue_diff = conf_bool(c, OPT_gpgpu_dual_issue_diff_exec_units);
	k->sub_core = conf_bool(c, OPT_gpgpu_sub_core_model);
	k->fetch_steps = conf_uint(c, OPT_gpgpu_inst_fetch_throughput);
	k->perfect_icache = conf_bool(c, OPT_gpgpu_perfect_inst_const_cache);
	k->clock_gated_lanes = conf_bool(c, OPT_gpgpu_clock_gated_lanes);
	k->issue_histogram_sm = conf_uint(c, OPT_gpgpu_warp_issue_shader);
	if (k->issue_histogram_sm >= p->sms)
		return conf_fault(c, OPT_gpgpu_warp_issue_shader, f, "an SM from 0 to %u", p->sms - 1);
	return 0;
}

/* ---- units and register sets -------------------------------------------------------------------------- */

/* Reads 11 widths, or 13 with tensor units (SM-reg-1). */
static int read_pipeline_widths(struct core_params *k, const struct gpuconf *c, struct fault *f)
{
	static const int order[5] = {UNIT_SP, UNIT_DP, UNIT_INT, UNIT_SFU, UNIT_MEM};
	uint32_t w[13];
	int n = param_numbers(conf_text(c, OPT_gpgpu_pipeline_widths), ',', w, 13);

	if (n < 11 || (n < 13 && k->tensor_avail))
		return conf_fault(c, OPT_gpgpu_pipeline_widths, f, "%s numbers separated by commas",
			k->tensor_avail ? "13" : "11 to 13");
	for (int i = 0; i < n; i++)
		if (w[i] > MAX_WIDTH)
			return conf_fault(c, OPT_gpgpu_pipeline_widths, f, "widths of at most %d", MAX_WIDTH);
	for (int i = 0; i < 5; i++) {
		k->unit[order[i]].collector_in_width = w[i];
		k->unit[order[i]].unit_in_width = w[i + 5];
	}
	k->ex_wb_width = w[10];
	if (k->ex_wb_width == 0)
		return conf_fault(c, OPT_gpgpu_pipeline_widths, f, "an EX_WB width (the 11th) of at least 1");
	if (k->tensor_avail) {
		k->unit[UNIT_TENSOR].collector_in_width = w[11];
		k->unit[UNIT_TENSOR].unit_in_width = w[12];
	}
	return 0;
}

/* Reads the options "on,units,depth,ID_OC,OC_EX,name" up to the first unit that is off. */
static int read_specialized_units(struct core_params *k, const struct gpuconf *c, struct fault *f)
{
	for (k->n_specs = 0; k->n_specs < MAX_SPECS; k->n_specs++) {
		const char *text = conf_text(c, specialized_unit_option(k->n_specs));
		uint32_t v[5] = {0};
		int n = 0;
		while (n < 5 && param_number(&text, &v[n]) &&
			(n == 0 ? *text == ',' || !*text : *text == ',')) {
			n++;
			if (!*text)
				break;
			text++;
		}
		if (n > 0 && v[0] == 0)
			return 0;
		if (n < 5 || v[0] != 1 || !*text || strlen(text) > 19)
			return conf_fault(c, specialized_unit_option(k->n_specs), f,
				"ON,UNITS,DEPTH,ID_OC,OC_EX,NAME with ON 0 or 1 and NAME of at most 19 bytes");
		if (v[1] > MAX_WIDTH || v[3] > MAX_WIDTH || v[4] > MAX_WIDTH)
			return conf_fault(c, specialized_unit_option(k->n_specs), f,
				"at most %d units and slots", MAX_WIDTH);
		k->unit[UNIT_SPEC + k->n_specs] = (struct unit_params){
			.units = v[1], .depth = v[2], .collector_in_width = v[3], .unit_in_width = v[4]};
	}
	return 0;
}

static enum conf_id width_option_name(int kind)
{
	return is_specialized_unit(kind) ? specialized_unit_option((uint32_t)(kind - UNIT_SPEC))
					 : OPT_gpgpu_pipeline_widths;
}

/* Checks the widths of a unit kind: slot s of a set belongs to scheduler s, and unit s empties slot s of OC_EX. */
static int check_kind_of_sub_cores(
	const struct core_params *k, int kind, const struct gpuconf *c, struct fault *f)
{
	const struct unit_params *u = &k->unit[kind];
	const char *name = kind_name[kind];
	uint32_t s = k->schedulers;
	bool always = kind == UNIT_SP || kind == UNIT_SFU || kind == UNIT_MEM ||
		      (kind == UNIT_TENSOR && k->tensor_avail);

	if ((always || u->units) && u->collector_in_width != s)
		return conf_fault(c, width_option_name(kind), f,
			"an ID_OC width of %u for %s, one slot a scheduler with -gpgpu_sub_core_model 1", s,
			name);
	if (!u->units)
		return 0;
	if (kind != UNIT_MEM && u->units > u->unit_in_width)
		return conf_fault(c, width_option_name(kind), f,
			"an OC_EX width of at least %u for %s, one slot a unit with -gpgpu_sub_core_model 1",
			u->units, name);
	if (kind == UNIT_TENSOR)
		return 0;
	if (u->unit_in_width < s)
		return conf_fault(c, width_option_name(kind), f,
			"an OC_EX width of at least %u for %s, one slot a scheduler with -gpgpu_sub_core_model 1",
			s, name);
	return 0;
}

static int check_unit_kind_widths(
	const struct core_params *k, int kind, const struct gpuconf *c, struct fault *f)
{
	const struct unit_params *u = &k->unit[kind];

	if (k->sub_core)
		return check_kind_of_sub_cores(k, kind, c, f);
	if (u->units && kind != UNIT_TENSOR && (!u->collector_in_width || !u->unit_in_width))
		return conf_fault(c, width_option_name(kind), f,
			"ID_OC and OC_EX widths of at least 1 for %s", kind_name[kind]);
	return 0;
}

static int set_core_units(struct core_params *k, const struct gpuconf *c, struct fault *f)
{
	k->tensor_avail = conf_bool(c, OPT_gpgpu_tensor_core_avail);
	if (read_pipeline_widths(k, c, f) < 0 || read_specialized_units(k, c, f) < 0)
		return -1;
	k->unit[UNIT_SP].units = conf_uint(c, OPT_gpgpu_num_sp_units);
	k->unit[UNIT_DP].units = conf_uint(c, OPT_gpgpu_num_dp_units);
	k->unit[UNIT_INT].units = conf_uint(c, OPT_gpgpu_num_int_units);
	k->unit[UNIT_SFU].units = conf_uint(c, OPT_gpgpu_num_sfu_units);
	k->unit[UNIT_TENSOR].units = conf_uint(c, OPT_gpgpu_num_tensor_core_units);
	k->unit[UNIT_MEM].units = 1;
	if (!k->unit[UNIT_SP].units && !k->unit[UNIT_INT].units)
		return conf_fault(
			c, OPT_gpgpu_num_sp_units, f, "an SP or INT unit, which every kernel needs");
	if (k->unit[UNIT_TENSOR].units && !k->tensor_avail)
		return conf_fault(c, OPT_gpgpu_num_tensor_core_units, f, "0, or -gpgpu_tensor_core_avail 1");
	for (int kind = 0; kind < N_UNIT_KINDS; kind++)
		if (check_unit_kind_widths(k, kind, c, f) < 0)
			return -1;
	return 0;
}

/* ---- operand collector ---------------------------------------------------------------------- */

/* Options of each collector set. */
static const struct {
	enum conf_id units, in, out; /* options of the numbers of units and ports */
	int unit;                    /* unit kind that uses the set */
	const char *name;
} collector_row[N_COLLECTORS] = {
#define ROW(x) \
	OPT_gpgpu_operand_collector_num_units_##x, OPT_gpgpu_operand_collector_num_in_ports_##x, \
		OPT_gpgpu_operand_collector_num_out_ports_##x
	[COLLECT_GEN] = {ROW(gen), -1, "gen"},
	[COLLECT_SP] = {ROW(sp), UNIT_SP, "sp"},
	[COLLECT_DP] = {ROW(dp), UNIT_DP, "dp"},
	[COLLECT_TENSOR] = {ROW(tensor_core), UNIT_TENSOR, "tensor_core"},
	[COLLECT_SFU] = {ROW(sfu), UNIT_SFU, "sfu"},
	[COLLECT_MEM] = {ROW(mem), UNIT_MEM, "mem"},
	[COLLECT_INT] = {ROW(int), UNIT_INT, "int"},
#undef ROW
};

/* Checks that the collector units of each set can be divided evenly among the schedulers of sub-cores (SM-coll-7). */
static int check_sub_core_sets(
	const struct core_params *k, uint32_t total, const struct gpuconf *c, struct fault *f)
{
	uint32_t s = k->schedulers;

	if (k->reg_banks % s)
		return conf_fault(c, OPT_gpgpu_num_reg_banks, f,
			"a multiple of the %u schedulers with -gpgpu_sub_core_model 1", s);
	for (int i = 0; i < N_COLLECTORS; i++) {
		const struct collector_params *set = &k->collector[i];
		bool grouped = i == COLLECT_GEN ||
			       (set->in_ports && i != COLLECT_TENSOR && k->unit[collector_row[i].unit].units);
		if ((grouped && (set->units < s || set->units % s)) || (set->out_ports && set->units < s))
			return conf_fault(c, collector_row[i].units, f,
				"a multiple of the %u schedulers with -gpgpu_sub_core_model 1", s);
	}
	if (total % s)
		return conf_fault(c, OPT_gpgpu_operand_collector_num_units_gen, f,
			"collector units that make the total of %u a multiple of the %u schedulers", total,
			s);
	return 0;
}

/* Checks that every existing unit kind has input ports and every set in use has output ports. */
static int check_collector_ports(const struct core_params *k, const struct gpuconf *c, struct fault *f)
{
	const struct collector_params *gen = &k->collector[COLLECT_GEN];
	bool reached[N_UNIT_KINDS] = {false}, gen_entered = gen->in_ports > 0 && gen->units > 0;

	for (int kind = 0; kind < N_UNIT_KINDS; kind++)
		reached[kind] = gen_entered || !k->unit[kind].units || kind == UNIT_TENSOR;
	for (int i = COLLECT_SP; i < N_COLLECTORS; i++) {
		const struct collector_params *set = &k->collector[i];
		if (!set->in_ports)
			continue;
		if (set->units || gen->units)
			reached[collector_row[i].unit] = true;
		gen_entered |= gen->units > 0;
		if (set->units && !set->out_ports)
			return conf_fault(c, collector_row[i].out, f,
				"at least 1 port out of the %u collector units of %s", set->units,
				collector_row[i].name);
	}
	if (gen_entered && !gen->out_ports)
		return conf_fault(c, collector_row[COLLECT_GEN].out, f,
			"at least 1 port out of the %u generic collector units", gen->units);
	for (int kind = 0; kind < N_UNIT_KINDS; kind++)
		if (!reached[kind])
			return conf_fault(c, collector_row[COLLECT_GEN].in, f,
				"generic collector ports and units, or those of %s", kind_name[kind]);
	return 0;
}

static int set_core_collectors(struct core_params *k, const struct gpuconf *c, struct fault *f)
{
	uint32_t total = 0;

	k->special_collectors = conf_bool(c, OPT_gpgpu_enable_specialized_operand_collector);
	k->reg_banks = conf_uint(c, OPT_gpgpu_num_reg_banks);
	k->collector_steps = conf_uint(c, OPT_gpgpu_reg_file_port_throughput);
	for (int i = 0; i < N_COLLECTORS; i++) {
		if (i != COLLECT_GEN && !k->special_collectors)
			continue;
		k->collector[i] = (struct collector_params){
			.units = conf_uint(c, collector_row[i].units),
			.in_ports = conf_uint(c, collector_row[i].in),
			.out_ports = conf_uint(c, collector_row[i].out),
		};
		total += k->collector[i].units;
	}
	if (total > MAX_COLLECTORS)
		return conf_fault(c, OPT_gpgpu_operand_collector_num_units_gen, f,
			"at most %u collector units in all sets, not %u", MAX_COLLECTORS, total);
	if (k->sub_core && check_sub_core_sets(k, total, c, f) < 0)
		return -1;
	return check_collector_ports(k, c, f);
}

/* ---- latencies ------------------------------------------------------------------------------ */

static uint32_t pipeline_depth(uint32_t n) { return n < DEPTH_ANY ? n : DEPTH_ANY; }

/* Options of each list of PTX latencies, and the least and largest number of their values. */
static const struct {
	enum conf_id latency, interval;
	uint8_t least, most; /* least and largest number of values */
} ptx_row[N_PTX_LISTS] = {
	[PTX_LIST_INT] = {OPT_ptx_opcode_latency_int, OPT_ptx_opcode_initiation_int, 5, 6},
	[PTX_LIST_FP] = {OPT_ptx_opcode_latency_fp, OPT_ptx_opcode_initiation_fp, 5, 5},
	[PTX_LIST_DP] = {OPT_ptx_opcode_latency_dp, OPT_ptx_opcode_initiation_dp, 5, 5},
	[PTX_LIST_SFU] = {OPT_ptx_opcode_latency_sfu, OPT_ptx_opcode_initiation_sfu, 1, 1},
	[PTX_LIST_TENSOR] = {OPT_ptx_opcode_latency_tesnor, OPT_ptx_opcode_initiation_tensor, 1, 1},
};

/*
 * Reads one option of a list. Missing numbers get their default values, where the original uses uninitialised memory.
 * Returns the number of values in the option, or -1 and sets *f.
 */
static int read_ptx_numbers(
	uint32_t v[PTX_ENTRIES], enum conf_id id, int list, const struct gpuconf *c, struct fault *f)
{
	unsigned least = ptx_row[list].least, most = ptx_row[list].most;
	int n;

	param_numbers(conf_rows[id].def, ',', v, (int)most);
	n = param_numbers(conf_text(c, id), ',', v, (int)most);
	if (n >= (int)least)
		return n;
	if (least < most)
		return conf_fault(c, id, f, "%u or %u numbers separated by commas", least, most);
	return conf_fault(c, id, f, most > 1 ? "%u numbers separated by commas" : "%u number", most);
}

/*
 * Reads the PTX latencies (SM-exec-5). quirk Q2-14: with five INT latencies the original's depth is undefined. Values
 * that suit no pipeline are rejected only when PTX uses them (uop.c), because machine code does not use them.
 */
static int read_ptx_latencies(struct core_params *k, const struct gpuconf *c, struct fault *f)
{
	const struct latency(*t)[PTX_ENTRIES] = k->ptx;
	int ints = 0;

	for (int list = PTX_LIST_NONE; list < N_PTX_LISTS; list++) {
		uint32_t latency[PTX_ENTRIES] = {1}, interval[PTX_ENTRIES] = {1};
		int n = 0;

		if (list != PTX_LIST_NONE &&
			((n = read_ptx_numbers(latency, ptx_row[list].latency, list, c, f)) < 0 ||
				read_ptx_numbers(interval, ptx_row[list].interval, list, c, f) < 0))
			return -1;
		ints = list == PTX_LIST_INT ? n : ints;
		for (unsigned i = 0; i < PTX_ENTRIES; i++)
			k->ptx[list][i] = (struct latency){latency[i], interval[i]};
	}
	k->unit[UNIT_INT].depth =
		ints == 6 ? pipeline_depth(max_u32(t[PTX_LIST_INT][1].latency, t[PTX_LIST_INT][5].latency))
			  : DEPTH_ANY;
	k->unit[UNIT_SP].depth = pipeline_depth(t[PTX_LIST_FP][1].latency);
	k->unit[UNIT_DP].depth = pipeline_depth(t[PTX_LIST_DP][1].latency);
	k->unit[UNIT_SFU].depth =
		pipeline_depth(max_u32(t[PTX_LIST_DP][4].latency, t[PTX_LIST_SFU][0].latency));
	k->unit[UNIT_TENSOR].depth = pipeline_depth(t[PTX_LIST_TENSOR][0].latency);
	return 0;
}

/* Reads "L,I". */
static int read_latency(struct latency *l, const struct gpuconf *c, enum conf_id id, struct fault *f)
{
	uint32_t n[2];

	if (param_numbers(conf_text(c, id), ',', n, 2) != 2 || n[1] < 1 || n[1] > n[0] || n[0] >= 512)
		return conf_fault(c, id, f, "LATENCY,INTERVAL with 1 <= INTERVAL <= LATENCY < 512");
	*l = (struct latency){n[0], n[1]};
	return 0;
}

static int set_core_latencies(struct core_params *k, const struct gpuconf *c, struct fault *f)
{
	/* Classes with the latencies of INT (SM-inst-4). The last three are by analogy. */
	static const enum isa_class as_int[] = {
		CLASS_ALU, CLASS_BRANCH, CLASS_CALL, CLASS_RET, CLASS_TMA, CLASS_SYNCS, CLASS_FENCE};
	struct latency *l = k->latency;

	for (int i = 0; i < N_CLASSES; i++)
		l[i] = (struct latency){1, 1};
	if (read_latency(&l[CLASS_INT], c, OPT_trace_opcode_latency_initiation_int, f) < 0 ||
		read_latency(&l[CLASS_SP], c, OPT_trace_opcode_latency_initiation_sp, f) < 0 ||
		read_latency(&l[CLASS_DP], c, OPT_trace_opcode_latency_initiation_dp, f) < 0 ||
		read_latency(&l[CLASS_SFU], c, OPT_trace_opcode_latency_initiation_sfu, f) < 0 ||
		read_latency(&l[CLASS_TENSOR], c, OPT_trace_opcode_latency_initiation_tensor, f) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(as_int) / sizeof(as_int[0]); i++)
		l[as_int[i]] = l[CLASS_INT];
	for (int i = 0; i < MAX_SPECS; i++)
		if (read_latency(&l[CLASS_SPEC1 + i], c,
			    (enum conf_id)(OPT_trace_opcode_latency_initiation_spec_op_1 + i), f) < 0)
			return -1;
	return 0;
}

/* ---- load/store unit ------------------------------------------------------------------------ */

static int set_load_store_params(struct core_params *k, const struct gpuconf *c, struct fault *f)
{
	k->smem_latency = conf_uint(c, OPT_gpgpu_smem_latency);
	k->unit[UNIT_MEM].depth = k->smem_latency;
	k->smem_banks = conf_uint(c, OPT_gpgpu_shmem_num_banks);
	k->smem_limited_broadcast = conf_bool(c, OPT_gpgpu_shmem_limited_broadcast);
	k->warp_parts = conf_uint(c, OPT_gpgpu_shmem_warp_parts);
	if (32 % k->warp_parts)
		return conf_fault(c, OPT_gpgpu_shmem_warp_parts, f, "1, 2, 4, 8, 16 or 32");
	k->ldst_steps = conf_uint(c, OPT_gpgpu_mem_unit_ports);
	if (k->ldst_steps == 0)
		k->ldst_steps = k->warp_parts;
	k->coalesce_arch = conf_uint(c, OPT_gpgpu_coalesce_arch);
	k->gmem_skip_l1d = conf_bool(c, OPT_gpgpu_gmem_skip_L1D);
	k->ptx_vectors = conf_bool(c, OPT_ptx_vector_access);
	k->flush_l1 = conf_bool(c, OPT_gpgpu_flush_l1_cache);
	k->adaptive_l1 = conf_bool(c, OPT_gpgpu_adaptive_cache_config);
	k->unified_l1_kb = conf_uint(c, OPT_gpgpu_unified_l1d_size);
	k->l1_banks = conf_uint(c, OPT_gpgpu_l1_banks);
	k->l1_bank_interleave = conf_uint(c, OPT_gpgpu_l1_banks_byte_interleaving);
	k->l1_latency = conf_uint(c, OPT_gpgpu_l1_latency);
	k->l1_bank_hash = (enum set_index)conf_uint(c, OPT_gpgpu_l1_banks_hashing_function);
	k->response_max = conf_uint(c, OPT_gpgpu_n_ldst_response_buffer_size);
	k->perfect_mem = conf_bool(c, OPT_gpgpu_perfect_mem);
	k->local_mem_map = conf_bool(c, OPT_gpgpu_local_mem_map);
	return 0;
}

/* Sets the parameters of the original's pipeline, which the modern core does not use. */
static int set_core_pipeline(struct core_params *k, const struct gpuconf *c, struct fault *f)
{
	if (set_core_units(k, c, f) < 0 || set_core_collectors(k, c, f) < 0 ||
		read_ptx_latencies(k, c, f) < 0 || set_core_latencies(k, c, f) < 0)
		return -1;
	return 0;
}

int params_set_core(struct params *p, const struct gpuconf *c, struct fault *f)
{
	struct core_params *k = &p->core;

	if (set_core_resources(k, c, f) < 0 || set_core_schedulers(p, c, f) < 0 ||
		(!p->modern.enabled && set_core_pipeline(k, c, f) < 0))
		return -1;
	if (p->modern.enabled && k->schedulers > MAX_SUBS)
		return conf_fault(c, OPT_gpgpu_num_sched_per_core, f,
			"at most %d sub-cores with -core_model modern", MAX_SUBS);
	return set_load_store_params(k, c, f);
}
