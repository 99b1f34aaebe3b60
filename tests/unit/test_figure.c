/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of the lookup of figures by recorded name, and of rules that every row of stats.def must obey.
 */
#include "figure.h"
#include "tap.h"

static const char *found_name(const char *name)
{
	const struct figure *f = figure_find(name);

	return f ? f->name : "(none)";
}

static void test_lookup(void)
{
	is_text(found_name("gpu_sim_cycle"), "gpu_sim_cycle", "figure_find() finds a name without an index");
	is_text(found_name("dram[31].n_act"), "dram[*].n_act",
		"figure_find() finds a name with an index before a dot");
	is_text(found_name("dram[0].bk[15].n_idle"), "dram[*].bk[*].n_idle",
		"figure_find() finds a name with two indices");
	is_text(found_name("L2_cache_stats_breakdown[GLOBAL_ACC_R][MSHR_HIT]"),
		"L2_cache_stats_breakdown[*][*]", "figure_find() finds a name with words as indices");
	is_text(found_name("traffic_breakdown_coretomem[GLOBAL_ACC_R]"), "traffic_breakdown_coretomem[*]",
		"figure_find() finds the bytes of a class of traffic");
	is_text(found_name("traffic_breakdown_coretomem[GLOBAL_ACC_R][40]"),
		"traffic_breakdown_coretomem[*][*]",
		"figure_find() finds the packets of a class of traffic by size");
	is_text(found_name("gpgpu_stall_shd_mem[gl_mem][coal_stall]"),
		"gpgpu_stall_shd_mem[gl_mem][coal_stall]",
		"figure_find() finds a row that names its indices");
	is_text(found_name("dram_sum[n_cmd]"), "dram_sum[n_cmd]",
		"figure_find() prefers a literal row to a row with a wildcard");
	is_text(found_name("dram_sum[n_act]"), "dram_sum[*]",
		"figure_find() finds the row with a wildcard if no literal row matches");
}

static void test_unknown_names(void)
{
	char longest[4000];

	is_text(found_name(""), "(none)", "figure_find() does not find an empty name");
	is_text(found_name("gpu_sim"), "(none)", "figure_find() does not find the beginning of a name");
	is_text(found_name("gpu_sim_cycles"), "(none)",
		"figure_find() does not find a name with text after it");
	is_text(found_name("mf_lat_table"), "(none)",
		"figure_find() does not find a row with a wildcard without an index");
	is_text(found_name("mf_lat_table[]"), "(none)",
		"figure_find() does not find a name with an empty index");
	is_text(found_name("mf_lat_table[3"), "(none)",
		"figure_find() does not find a name with an open bracket");
	is_text(found_name("mf_lat_table[3]x"), "(none)",
		"figure_find() does not find a name with text after the index");
	memset(longest, '[', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	is_text(found_name(longest), "(none)", "figure_find() does not find a very long name");
}

static void test_matching(void)
{
	ok(figure_matches("dram[*].n_act", "dram[3].n_act"),
		"figure_matches() accepts a name with an index for the wildcard");
	ok(!figure_matches("dram[*].n_act", "dram[3].n_actx"), "figure_matches() rejects a longer name");
	ok(!figure_matches("dram[*].n_act", "dram[].n_act"), "figure_matches() rejects an empty index");
	ok(!figure_matches("dram[*].n_act", "dram[3"), "figure_matches() rejects a shorter name");
	ok(!figure_matches("x[*]", "x[1][2]"), "figure_matches() rejects two indices for one wildcard");
}

/* Returns true if each "instruction" in the text is after "warp" or "thread", or before "cache". */
static bool names_instruction_kind(const char *help)
{
	for (const char *at = help; (at = strstr(at, "instruction")); at++) {
		bool warp = at - help >= 5 && !strncmp(at - 5, "warp ", 5);
		bool thread = at - help >= 7 && !strncmp(at - 7, "thread ", 7);
		bool cache = !strncmp(at, "instruction cache", 17);

		if (!warp && !thread && !cache)
			return false;
	}
	return true;
}

static bool is_formula_known(const char *formula)
{
	char part[200];
	size_t n = strcspn(formula, "/");

	if (!*formula)
		return true;
	if (n >= sizeof(part) || !formula[n])
		return false;
	memcpy(part, formula, n);
	part[n] = '\0';
	return figure_find(part) && figure_find(formula + n + 1);
}

static void test_rows(void)
{
	unsigned same = 0, blank = 0, vague = 0, formulas = 0, kinds = 0;

	for (size_t i = 0; i < n_figures; i++) {
		const struct figure *f = &figures_table[i];

		same += figure_find(f->name) != f;
		blank += !*f->unit || strcspn(f->unit, " \t%") != strlen(f->unit) || !*f->help;
		vague += !names_instruction_kind(f->help);
		formulas += !is_formula_known(f->formula);
		kinds += f->kind >= N_FIGURE_KINDS || !strcmp(figure_kind_name(f->kind), "?");
		if (figure_find(f->name) != f || !names_instruction_kind(f->help) ||
			!is_formula_known(f->formula))
			printf("# row %s\n", f->name);
	}
	ok(n_figures > 150, "the table of figures has more than 150 rows");
	is_number(same, 0, "figure_find() finds each row by its own name");
	is_number(blank, 0, "each figure has a unit of one word and a description");
	is_number(vague, 0, "each description says whether it means warp or thread instructions");
	is_number(formulas, 0, "each formula is a quotient of two figures");
	is_number(kinds, 0, "the kind of each figure has a name");
}

int main(void)
{
	test_lookup();
	test_unknown_names();
	test_matching();
	test_rows();
	return tap_done();
}
