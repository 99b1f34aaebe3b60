/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of the SM core on a whole GPU: the worked examples of the model (LAUNCH-example-2,
 * SM-example-1), the latencies of SM-lat, and the ends of warps. For every scheduler and collector, runs with
 * and without skipping of idle cycles must have equal counters.
 */
#include <inttypes.h>
#include "gpu_fixture.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

/* ---- a GPU that runs one kernel --------------------------------------------------------------- */

static struct gpu_fixture *run_blocks(
	const char *const *option, unsigned ctas, unsigned threads, const char *blocks, bool sleepless)
{
	struct gpu_fixture *m = xcalloc(1, sizeof(*m));
	FILE *out = gpu_fixture_header(m, ctas, threads, 70);

	fputs(blocks, out);
	fclose(out);
	gpu_fixture_init(m, "qv100", option);
	gpu_fixture_run(m, sleepless);
	return m;
}

static void free_machine_run(struct gpu_fixture *m)
{
	gpu_fixture_free(m);
	free(m);
}

/* Returns the cycle of the nth event of a kind, counted from the start of the CTA, or 0 without an event. */
static uint64_t event_cycle(const struct gpu_fixture *b, const char *kind, unsigned nth)
{
	uint64_t start = 0;

	for (const char *line = b->log; line && *line; line = strchr(line, '\n'), line += line != NULL) {
		uint64_t cycle;
		char what[16];

		if (sscanf(line, "%" SCNu64 " %15s", &cycle, what) != 2)
			return 0;
		if (!strcmp(what, "cta") && !start)
			start = cycle;
		if (!strcmp(what, kind) && !nth--)
			return cycle - start + 1;
	}
	return 0;
}

#define BLOCK(lines)      "#BEGIN_TB\n\nthread block = 0,0,0\n\n" lines "#END_TB\n\n"
#define WARP(w, n, lines) "warp = " w "\ninsts = " n "\n" lines "\n"
#define EXIT_AT(pc)       pc " ffffffff 0 EXIT 0 0 0 \n"

/* ---- worked examples ----------------------------------------------------------------------- */

static void test_worked_example(void)
{
	static const char trace[] = BLOCK(WARP("0", "3",
		"0000 ffffffff 1 R1 IADD3 2 R2 R3 0 0 \n"
		"0010 ffffffff 1 R4 FFMA 3 R1 R5 R6 0 0 \n" EXIT_AT("0020")));
	struct gpu_fixture *b = run_blocks(NULL, 1, 32, trace, false);
	const struct sm_counts *n = &b->gpu.sm[0].n;

	is_number((long long)event_cycle(b, "issue", 0), 2, "SM-example-1: IADD3 issues in cycle 2");
	is_number((long long)event_cycle(b, "issue", 1), 9, "SM-example-1: FFMA issues in cycle 9");
	is_number((long long)event_cycle(b, "issue", 2), 10, "SM-example-1: EXIT issues in cycle 10");
	is_number((long long)event_cycle(b, "writeback", 0), 9, "SM-example-1: IADD3 is written in cycle 9");
	is_number(
		(long long)event_cycle(b, "writeback", 1), 15, "SM-example-1: EXIT is complete in cycle 15");
	is_number((long long)event_cycle(b, "writeback", 2), 16, "SM-example-1: FFMA is written in cycle 16");
	is_number((long long)n->occupancy[OCC_IDLE], 55, "SM-example-1: W0_Idle is 55");
	is_number((long long)n->occupancy[OCC_SCOREBOARD], 6, "SM-example-1: W0_Scoreboard is 6");
	is_number((long long)n->occupancy[OCC_STALL], 0, "SM-example-1: Stall is 0");
	is_number((long long)n->occupancy[OCC_LANES + 32], 3, "SM-example-1: W32 is 3");
	is_number((long long)n->single_issue[0], 3, "SM-example-1: scheduler 0 issues 3 single instructions");
	is_number((long long)n->insts, 96, "SM-example-1: gpu_sim_insn is 96");
	free_machine_run(b);
}

static void test_single_exit(void)
{
	static const char *const latency1[] = {"gpgpu_kernel_launch_latency=1", NULL};
	static const char trace[] = BLOCK(WARP("0", "1", EXIT_AT("0000")));
	struct gpu_fixture *b = run_blocks(latency1, 1, 32, trace, false);

	is_number((long long)b->cycles, 9, "LAUNCH-example-2: one EXIT takes 9 cycles");
	is_number((long long)b->gpu.sm[0].n.insts, 32, "LAUNCH-example-2: one EXIT counts 32 instructions");
	free_machine_run(b);
}

/*
 * SM-lat: an instruction issued in cycle c is accepted by the unit in cycle c + want. The result is written L
 * + 2 cycles later.
 */
static void test_unit_latencies(void)
{
	static const char two_sources[] =
		BLOCK(WARP("0", "2", "0000 ffffffff 1 R1 IADD3 2 R2 R3 0 0 \n" EXIT_AT("0010")));
	static const char no_sources[] =
		BLOCK(WARP("0", "2", "0000 ffffffff 1 R1 MOV 0 0 0 \n" EXIT_AT("0010")));
	static const struct {
		const char *steps;
		unsigned none, some;
	} row[] = {
		{"gpgpu_reg_file_port_throughput=1", 3, 4},
		{"gpgpu_reg_file_port_throughput=2", 2, 3},
		{"gpgpu_reg_file_port_throughput=3", 2, 2},
	};

	for (unsigned i = 0; i < N(row); i++) {
		const char *option[] = {row[i].steps, NULL};

		for (unsigned k = 0; k < 2; k++) {
			struct gpu_fixture *b =
				run_blocks(option, 1, 32, k ? two_sources : no_sources, false);
			unsigned want = (k ? row[i].some : row[i].none) + 2 + 2;

			ok(event_cycle(b, "writeback", 0) == event_cycle(b, "issue", 0) + want,
				"%s, %s sources: the latency from issue to write is as expected",
				row[i].steps, k ? "two" : "no");
			free_machine_run(b);
		}
	}
}

/* ---- ends of warps ---------------------------------------------------------------------------- */

static void test_warp_ends(void)
{
	static const struct {
		const char *name, *trace;
		unsigned insts;
	} row[] = {
		{"one record after an EXIT that is first of its pair is dropped",
			BLOCK(WARP("0", "2", EXIT_AT("0000") "0010 ffffffff 1 R1 MOV 0 0 0 \n")), 1},
		{"one record after an EXIT that is second of its pair runs",
			BLOCK(WARP(
				"0", "3", "0000 ffffffff 1 R1 MOV 0 0 0 \n" EXIT_AT("0010") EXIT_AT("0020"))),
			3},
		{"two records after the EXIT run",
			BLOCK(WARP("0", "3", EXIT_AT("0000") EXIT_AT("0010") EXIT_AT("0020"))), 3},
		{"lanes without an EXIT leave with the last record",
			BLOCK(WARP("0", "3",
				"0000 000000ff 0 EXIT 0 0 0 \n0010 ffffffff 1 R1 MOV 0 0 0 \n"
				"0020 ffffffff 1 R2 MOV 1 R1 0 0 \n")),
			3},
		{"a BAR that is the last record does not wait",
			BLOCK(WARP("0", "2",
				"0000 ffffffff 1 R1 MOV 0 0 0 \n"
				"0010 ffffffff 0 BAR.SYNC 0 0 0 \n")),
			2},
		{"a warp without instructions ends at once", BLOCK(WARP("0", "0", "")), 0},
		{"a DEPBAR with more groups than exist does not wait",
			BLOCK(WARP("0", "2", "0000 ffffffff 0 DEPBAR.LE 0 0 5 \n" EXIT_AT("0010"))), 2},
	};

	for (unsigned i = 0; i < N(row); i++) {
		struct gpu_fixture *b = run_blocks(NULL, 1, 32, row[i].trace, false);

		ok(b->cycles && b->gpu.sm[0].n.warp_insts == row[i].insts, "%s", row[i].name);
		free_machine_run(b);
	}
}

/*
 * Tests that a barrier opens when all live warps have arrived. Warp 1 exits early, and warp 2 has no
 * instructions.
 */
static void test_barrier_after_exits(void)
{
	static const char trace[] = BLOCK(WARP("0", "2", "0000 ffffffff 0 BAR.SYNC 0 0 0 \n" EXIT_AT("0010"))
			WARP("1", "1", EXIT_AT("0010")) WARP("2", "0", ""));
	struct gpu_fixture *b = run_blocks(NULL, 1, 96, trace, false);

	ok(b->cycles && b->gpu.sm[0].n.warp_insts == 3, "a barrier does not wait for warps that have exited");
	free_machine_run(b);
}

static void test_uniform_registers(void)
{
	static const char trace[] = BLOCK(WARP("0", "3",
		"0000 ffffffff 1 UR4 MOV 0 0 0 \n0010 ffffffff 1 R1 MOV 1 UR4 0 0 \n" EXIT_AT("0020")));
	struct gpu_fixture *b = run_blocks(NULL, 1, 32, trace, false);

	ok(event_cycle(b, "issue", 1) == event_cycle(b, "writeback", 0),
		"a uniform register takes part in the scoreboard");
	ok(event_cycle(b, "writeback", 1) == event_cycle(b, "issue", 1) + 6,
		"a uniform register needs no register bank");
	free_machine_run(b);
}

/* ---- sleeping ------------------------------------------------------------------------------ */

static uint32_t seed;

static uint32_t random_below(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

static void write_random_line(FILE *out, unsigned pc)
{
	static const char *const op[] = {
		"IADD3", "FFMA", "MUFU.RSQ", "DFMA", "HFMA2", "MOV", "IMAD", "HMMA.884", "BRA"};
	static const uint32_t mask[] = {0xffffffff, 0xffffffff, 0xffff, 1, 0};
	uint32_t kind = random_below(24);

	fprintf(out, "%04x %08x ", pc, mask[random_below(N(mask))]);
	if (kind == 0)
		fprintf(out, "0 MEMBAR.SC.GPU 0 0 0 \n");
	else if (kind == 1)
		fprintf(out, "1 R%u LDS 1 R%u 4 1 0x7f5000000000 %u 0 \n", random_below(8), random_below(8),
			random_below(3) * 4);
	else
		fprintf(out, "1 R%u %s 2 R%u R%u 0 0 \n", random_below(8), op[random_below(N(op))],
			random_below(8), random_below(8));
}

/*
 * Returns the text of CTAs whose warps have the same barriers at the same positions, and random instructions in
 * between.
 */
static char *random_blocks(unsigned ctas, unsigned warps)
{
	size_t bytes;
	char *text;
	FILE *out = open_memstream(&text, &bytes);

	for (unsigned c = 0; c < ctas; c++) {
		fprintf(out, "#BEGIN_TB\n\nthread block = %u,0,0\n\n", c);
		for (unsigned w = 0; w < warps; w++) {
			unsigned n = 8 + random_below(30), barrier = random_below(n);

			fprintf(out, "warp = %u\ninsts = %u\n", w, n + 2);
			for (unsigned i = 0; i < n; i++) {
				if (i == barrier)
					fprintf(out, "%04x ffffffff 0 BAR.SYNC 0 0 0 \n", i * 16);
				write_random_line(out, i * 16 + 16);
			}
			fprintf(out, "%04x ffffffff 0 EXIT 0 0 0 \n\n", n * 16 + 16);
		}
		fprintf(out, "#END_TB\n\n");
	}
	fclose(out);
	return text;
}

static void check_sleep_changes_nothing(const char *name, const char *const *option, unsigned warps)
{
	char *blocks = random_blocks(5, warps);
	struct gpu_fixture *a = run_blocks(option, 5, warps * 32, blocks, false),
			   *b = run_blocks(option, 5, warps * 32, blocks, true);
	bool same = a->cycles && a->cycles == b->cycles && !strcmp(a->log, b->log);

	for (uint32_t i = 0; i < a->gpu.params.sms; i++)
		same &= !memcmp(&a->gpu.sm[i].n, &b->gpu.sm[i].n, sizeof(a->gpu.sm[i].n));
	ok(same, "%s: counters are equal with and without skipped cycles", name);
	free_machine_run(a);
	free_machine_run(b);
	free(blocks);
}

static void test_all_policies(void)
{
	static const struct {
		const char *name, *option[5];
	} row[] = {
		{"lrr", {NULL}},
		{"gto", {"gpgpu_scheduler=gto", NULL}},
		{"old", {"gpgpu_scheduler=old", NULL}},
		{"rrr", {"gpgpu_scheduler=rrr", NULL}},
		{"warp limiting", {"gpgpu_scheduler=warp_limiting:2:3", NULL}},
		{"two level", {"gpgpu_scheduler=two_level_active:3:0:1", NULL}},
		{"dual issue",
			{"gpgpu_max_insn_issue_per_warp=2", "gpgpu_dual_issue_diff_exec_units=0", NULL}},
		{"dual issue to different units",
			{"gpgpu_max_insn_issue_per_warp=2", "gpgpu_scheduler=gto", NULL}},
		{"no sub-core", {"gpgpu_sub_core_model=0", NULL}},
		{"specialized collectors",
			{"gpgpu_sub_core_model=0", "gpgpu_enable_specialized_operand_collector=1", NULL}},
		{"narrow", {"gpgpu_inst_fetch_throughput=1", "gpgpu_reg_file_port_throughput=1",
				   "gpgpu_num_reg_banks=8", NULL}},
		{"instruction cache", {"gpgpu_perfect_inst_const_cache=0", NULL}},
	};

	for (unsigned i = 0; i < N(row); i++)
		for (seed = 1; seed <= 3; seed++) {
			uint32_t s = seed;

			check_sleep_changes_nothing(row[i].name, row[i].option, 1 + 4 * (s - 1));
			seed = s;
		}
}

int main(void)
{
	diag_init("test_sm");
	diag_quiet(true);
	setenv("WARPTOOLS_GPUS", "examples/gpus", 0); /* tests run in the top directory of the source tree */
	test_worked_example();
	test_single_exit();
	test_unit_latencies();
	test_warp_ends();
	test_barrier_after_exits();
	test_uniform_registers();
	test_all_policies();
	return tap_done();
}
