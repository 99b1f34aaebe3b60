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
	is_text(found_name("gpu_sim_cycle"), "gpu_sim_cycle", "a plain name");
	is_text(found_name("dram[31].n_act"), "dram[*].n_act", "an index before a dot");
	is_text(found_name("dram[0].bk[15].n_idle"), "dram[*].bk[*].n_idle", "two indices");
	is_text(found_name("L2_cache_stats_breakdown[GLOBAL_ACC_R][MSHR_HIT]"),
		"L2_cache_stats_breakdown[*][*]", "indices that are words");
	is_text(found_name("traffic_breakdown_coretomem[GLOBAL_ACC_R]"), "traffic_breakdown_coretomem[*]",
		"bytes of a class of traffic");
	is_text(found_name("traffic_breakdown_coretomem[GLOBAL_ACC_R][40]"),
		"traffic_breakdown_coretomem[*][*]", "packets of a class by size");
	is_text(found_name("gpgpu_stall_shd_mem[gl_mem][coal_stall]"),
		"gpgpu_stall_shd_mem[gl_mem][coal_stall]", "indices that the row itself names");
	is_text(found_name("dram_sum[n_cmd]"), "dram_sum[n_cmd]", "a literal row wins over its family");
	is_text(found_name("dram_sum[n_act]"), "dram_sum[*]", "the family takes the rest");
}

static void test_unknown_names(void)
{
	char longest[4000];

	is_text(found_name(""), "(none)", "the empty name");
	is_text(found_name("gpu_sim"), "(none)", "a beginning");
	is_text(found_name("gpu_sim_cycles"), "(none)", "a name with a tail");
	is_text(found_name("mf_lat_table"), "(none)", "a family without its index");
	is_text(found_name("mf_lat_table[]"), "(none)", "an empty index");
	is_text(found_name("mf_lat_table[3"), "(none)", "an open bracket");
	is_text(found_name("mf_lat_table[3]x"), "(none)", "text after the index");
	memset(longest, '[', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	is_text(found_name(longest), "(none)", "a very long name");
}

static void test_matching(void)
{
	ok(figure_matches("dram[*].n_act", "dram[3].n_act"), "a family matches its member");
	ok(!figure_matches("dram[*].n_act", "dram[3].n_actx"), "not a longer name");
	ok(!figure_matches("dram[*].n_act", "dram[].n_act"), "not an empty index");
	ok(!figure_matches("dram[*].n_act", "dram[3"), "not a shorter name");
	ok(!figure_matches("x[*]", "x[1][2]"), "an index does not reach over a bracket");
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
	ok(n_figures > 150, "there are rows");
	is_number(same, 0, "every row is found by its own name");
	is_number(blank, 0, "units are single words, descriptions are there");
	is_number(vague, 0, "instructions are warp or thread instructions");
	is_number(formulas, 0, "formulas are quotients of figures");
	is_number(kinds, 0, "kinds have names");
}

int main(void)
{
	test_lookup();
	test_unknown_names();
	test_matching();
	test_rows();
	return tap_done();
}
