/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of the modern core's memory instructions on a whole GPU: the times at which an instruction
 * leaves its sub-core, its result is available, and its sources have been read. Expected values are from
 * tables 1 and 2 of Huerta et al., Dissecting and Modeling the Architecture of Modern GPU Cores, MICRO 2025,
 * measured on a GA102.
 */
#include "core_fixture.h"

/*
 * Tests the time after which a register that a memory instruction reads may be overwritten (table 2). The
 * H100 is assumed to have the same times.
 */
static void test_overwriting(void)
{
	static const char *const late[] = {
		"core_war_mode=writeback", "gpgpu_perfect_inst_const_cache=1", NULL};
	static const char *const never[] = {"core_war_mode=issue", "gpgpu_perfect_inst_const_cache=1", NULL};
	static const struct {
		const char *name, *line;
		unsigned cycles;
	} reader[] = {
		{"cycles until the address register of LDS may be overwritten", "1 R9 LDS 1 R2 4 1 0x0 4 0",
			9},
		{"cycles until the address register of LDG may be overwritten",
			"1 R9 LDG.E 1 R1 4 1 0x7f0000001000 4 0", 11},
		{"cycles until the data register of STS may be overwritten", "0 STS 2 R4 R2 4 1 0x0 4 0", 12},
		{"cycles until the data registers of STS.64 may be overwritten",
			"0 STS.64 2 R4 R2 8 1 0x0 8 0", 14},
		{"cycles until the data registers of STS.128 may be overwritten",
			"0 STS.128 2 R8 R2 16 1 0x0 16 0", 18},
		{"cycles until the data register of STG may be overwritten",
			"0 STG.E 2 R4 R2 4 1 0x7f0000001000 4 0", 14},
		{"cycles until the data registers of STG.64 may be overwritten",
			"0 STG.E.64 2 R4 R2 8 1 0x7f0000001000 8 0", 16},
		{"cycles until the data registers of STG.128 may be overwritten",
			"0 STG.E.128 2 R8 R2 16 1 0x7f0000001000 16 0", 20},
	};

	for (unsigned i = 0; i < sizeof(reader) / sizeof(*reader); i++)
		test_pair(reader[i].name, reader[i].line, "1 R2 IADD3 2 R20 R30 0 0", reader[i].cycles);
	test_pair_with(late, "with core_war_mode=writeback, overwriting waits for the result of LDS",
		reader[0].line, "1 R2 IADD3 2 R20 R30 0 0", 21);
	test_pair_with(never, "with core_war_mode=issue, overwriting does not wait for LDS", reader[0].line,
		"1 R2 IADD3 2 R20 R30 0 0", 1);
}

static const char *const ga102[] = {"gpgpu_compute_capability_major=8", "gpgpu_compute_capability_minor=6",
	"gpgpu_perfect_inst_const_cache=1", NULL};

/*
 * Checks the latency of the third of three loads, each of which depends on the previous one. The second and
 * third load hit.
 */
static void test_latency(const char *op, const char *address, unsigned bytes, unsigned cycles)
{
	struct core_program *b = core_program_new(86);
	char name[80];

	for (unsigned i = 0; i < 3; i++)
		fprintf(b->trace, "%04x ffffffff 1 R%u %s 1 R%u %u 1 %s 0 0 \n", 16 * i, 8 + 8 * i, op, 8 * i,
			bytes, address);
	fprintf(b->trace, "0030 ffffffff 1 R40 IADD3 1 R24 0 0 \n0040 ffffffff 0 EXIT 0 0 0 \n");
	run_program(b, ga102, 32, 5, false, false);
	snprintf(name, sizeof(name), "GA102: cycles from %s to the use of its result", op);
	is_number((long long)(issue_cycle(b, 0, 0x30, 0) - issue_cycle(b, 0, 0x20, 0)), cycles, name);
	core_program_free(b);
}

/* Tests the time from a load to the use of its result on a GA102 (table 2). */
static void test_latencies(void)
{
	test_latency("LDS", "0x0", 4, 24);
	test_latency("LDS.64", "0x0", 8, 24);
	test_latency("LDS.128", "0x0", 16, 26);
	test_latency("LDG.E", "0x7f0000001000", 4, 32);
	test_latency("LDG.E.64", "0x7f0000001000", 8, 34);
	test_latency("LDG.E.128", "0x7f0000001000", 16, 38);
}

/*
 * Checks the cycles between the first and the nth load of `warp`. Each of the first `warps` sub-cores of a GA102 has
 * one warp.
 */
static void test_queue(unsigned warps, const char *load, unsigned nth, unsigned warp, unsigned cycles)
{
	struct core_program *b = core_program_new(86);
	char name[80];

	for (unsigned i = 0; i < 12; i++)
		fprintf(b->trace, "%04x ffffffff 1 R%u %s \n", 16 * i, 20 + 4 * i, load);
	fprintf(b->trace, "00c0 ffffffff 0 EXIT 0 0 0 \n");
	run_program(b, ga102, 32 * warps, 13, false, false);
	snprintf(name, sizeof(name), "GA102, %.*s, %u of 4 sub-cores busy: cycles until load %u of warp %u",
		(int)strcspn(load, " "), load, warps, nth, warp);
	is_number((long long)(issue_cycle(b, warp, 16 * (nth - 1), 0) - issue_cycle(b, warp, 0, 0)), cycles,
		name);
	core_program_free(b);
}

/*
 * Tests the issue of consecutive loads on a GA102 (table 1). Loads from shared memory leave earlier. Wide
 * loads occupy the SM longer.
 */
static void test_queues(void)
{
	static const char global[] = "LDG.E 1 R2 4 1 0x7f0000001000 4 0", shared[] = "LDS 1 R2 4 1 0x0 4 0",
			  wide[] = "LDS.128 1 R2 16 1 0x0 16 0";

	test_queue(1, global, 5, 0, 4);
	test_queue(1, global, 6, 0, 11);
	test_queue(1, global, 7, 0, 15);
	test_queue(1, global, 9, 0, 23);
	test_queue(2, global, 6, 1, 13);
	test_queue(2, global, 8, 1, 21);
	test_queue(3, global, 6, 2, 15);
	test_queue(3, global, 8, 2, 27);
	test_queue(4, global, 6, 3, 17);
	test_queue(4, global, 7, 3, 25);
	test_queue(4, global, 8, 3, 33);
	test_queue(1, shared, 6, 0, 8);
	test_queue(1, shared, 7, 0, 10);
	test_queue(4, shared, 7, 3, 22);
	test_queue(1, wide, 7, 0, 12);
}

int main(void)
{
	if (access("examples/gpus/a100.config", R_OK) == 0)
		setenv("WARPTOOLS_GPUS", "examples/gpus", 0);
	test_overwriting();
	test_queues();
	test_latencies();
	return tap_done();
}
