/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of the modern SM core on a whole GPU. The windows between two clock reads were measured on an
 * A100-SXM4-40 (Strelizia-zerotwo/A100-modern-gpu-reproduction); the loop of dependent FFMA takes 526 cycles
 * on an H100 (sarchlab/mgpusim). Each case has the control codes and the code between the clock reads as
 * text. The registers of the trace and the bits of the instructions are derived from this text.
 */
#include "core_fixture.h"

/* ---- clock windows ---------------------------------------------------------------------------------- */

struct core_window {
	const char *name;
	unsigned cycles, threads;
	const char *code; /* code between two clock reads; its lines end with '|' */
};

#define C            "B------:R-:W-:-:S01 "
#define N_           C "NOP|"
#define FADD         "FADD R8, R9, R10|"
#define FFMA         C "FFMA R12, R8, R8, R8|"
#define AFTER        N_ FFMA N_
#define DEP(control) N_ control FADD FFMA N_
#define REUSE        C "IADD3 R9, R10.reuse, R5, R7|"
#define LDS(w, reg)  "B------:R1:W" w ":-:S01 LDS " reg ", [R11]|"
#define NOPS         N_ N_ N_ N_ N_
#define FIVE         LDS("2", "R0") LDS("3", "R3") LDS("0", "R2") LDS("4", "R4") LDS("0", "R5")

static const struct core_window windows[] = {
	{"stall 1", 6, 32, DEP(C)},
	{"stall 2", 6, 32, DEP("B------:R-:W-:-:S02 ")},
	{"stall 4", 8, 32, DEP("B------:R-:W-:-:S04 ")},
	{"stall 5", 9, 32, DEP("B------:R-:W-:-:S05 ")},
	{"stall 8", 12, 32, DEP("B------:R-:W-:-:S08 ")},
	{"stall 12 without yield is 1", 6, 32, DEP("B------:R-:W-:-:S12 ")},
	{"stall 14 without yield is 1", 6, 32, DEP("B------:R-:W-:-:S14 ")},
	{"yield, stall 11", 15, 32, DEP("B------:R-:W-:Y:S11 ")},
	{"yield, stall 12", 16, 32, DEP("B------:R-:W-:Y:S12 ")},
	{"yield, stall 15", 19, 32, DEP("B------:R-:W-:Y:S15 ")},
	{"four NOPs", 5, 32, N_ N_ N_ N_},
	{"one NOP", 2, 32, N_},
	{"a yield of stall 2", 6, 32, N_ "B------:R-:W-:Y:S02 NOP|" N_ N_},
	{"yield with stall 0 drains", 55, 32, "B------:R-:W-:Y:S00 NOP|"},
	{"ERRBAR takes a cycle more", 3, 32, C "ERRBAR|"},
	{"ERRBAR drains", 55, 32, "B------:R-:W-:Y:S00 ERRBAR|"},
	{"FADD alone", 5, 32, N_ C FADD N_ N_},
	{"FADD, IADD3: two units", 5, 32, N_ C FADD C "IADD3 R12, R9, R10, RZ|" N_},
	{"FADD, MOV: two units", 5, 32, N_ C FADD C "MOV R12, R9|" N_},
	{"three operands of which two share a bank", 5, 32, N_ N_ C "FFMA R12, R4, R5, R7|" N_},
	{"two even operands wait", 7, 32, N_ C "FFMA R9, R4, R6, R8|" C "FFMA R12, R10, R6, R8|" N_},
	{"two odd operands do not", 6, 32, N_ C "FFMA R9, R4, R6, R8|" C "FFMA R12, R10, R5, R7|" N_},
	{"IADD3 then even operands", 7, 32, N_ C "IADD3 R9, R4, R6, R8|" C "FFMA R12, R10, R6, R8|" N_},
	{"IADD3 then mixed operands", 6, 32, N_ C "IADD3 R9, R4, R6, R8|" C "FFMA R12, R10, R6, R7|" N_},
	{"reuse in another slot", 7, 32, N_ REUSE C "FFMA R12, R6, R10, R8|" N_},
	{"no reuse", 7, 32, N_ C "IADD3 R9, R10, R5, R7|" C "FFMA R12, R10, R6, R8|" N_},
	{"a hit consumes the entry", 9, 32, N_ REUSE C "FFMA R12, R10, R6, R8|" C "IADD3 R9, R10, R6, R8|"},
	{"another bank keeps it", 8, 32, N_ REUSE C "FFMA R12, R5, R6, R8|" C "IADD3 R9, R10, R6, R8|"},
	{"the same bank evicts it", 10, 32, N_ REUSE C "FFMA R12, R4, R6, R8|" C "IADD3 R9, R10, R6, R8|"},
	{"a load that nobody waits for", 8, 32,
		"B------:R-:W2:-:S04 LDG.E R2, [R2]|" C "NOP|" C "IADD3 R9, R2, RZ|" C "NOP|"},
	{"a counter raised at t is not seen at t + 1", 4, 32,
		"B------:R-:W2:-:S01 LDG.E R2, [R2]|"
		"B--2---:R-:W-:-:S01 IADD3 R9, R2, RZ|" N_},
	{"DEPBAR with stall 1 holds nothing", 8, 32,
		"B------:R-:W2:-:S04 LDG.E R2, [R2]|" C "DEPBAR.LE SB2, 0x0|" C "IADD3 R9, R2, RZ|" C "NOP|"},
	{"five shared loads fit the queue", 11, 32, FIVE NOPS},
	{"the sixth waits three cycles", 14, 32, FIVE LDS("0", "R6") N_ N_ N_ N_},
	{"the seventh one more", 15, 32, FIVE LDS("0", "R6") LDS("0", "R7") N_ N_ N_},
	{"the ninth", 17, 32, FIVE LDS("0", "R6") LDS("0", "R7") LDS("0", "R8") LDS("0", "R9") N_},
	{"four sub-cores: the seventh of each", 17, 128, FIVE LDS("0", "R6") LDS("0", "R7") N_ N_ N_},
	{"four sub-cores: the ninth of each", 23, 128,
		FIVE LDS("0", "R6") LDS("0", "R7") LDS("0", "R8") LDS("0", "R9") N_},
};

static void emit_all(struct core_program *b, const char *code)
{
	char line[100];

	for (; *code; code += strcspn(code, "|") + 1) {
		snprintf(line, sizeof(line), "%.*s", (int)strcspn(code, "|"), code);
		emit_line(b, line);
	}
}

static void test_window(const struct core_window *w)
{
	static const char *const option[] = {
		"gpgpu_perfect_inst_const_cache=1", "core_dependence=control", NULL};
	struct core_program *b = core_program_new(80);
	unsigned first, last;

	for (unsigned i = 0; i < 4; i++)
		emit_line(b, "B------:R-:W-:-:S04 MOV R20, R21");
	first = 16 * b->n;
	emit_line(b, C "CS2R.32 R11");
	emit_all(b, w->code);
	last = 16 * b->n;
	emit_line(b, C "CS2R.32 R13");
	emit_line(b, "B------:R-:W-:-:S05 EXIT");
	run_program(b, option, w->threads, b->n, true, false);
	is_number((long long)(issue_cycle(b, 0, last, 0) - issue_cycle(b, 0, first, 0)), w->cycles, w->name);
	core_program_free(b);
}

/* ---- without control codes ---------------------------------------------------------------------------- */

/* Writes the loop of 128 dependent FFMA that was recorded on an H100. It is the same for all warps. */
static unsigned ffma_loop(struct core_program *b, unsigned iterations)
{
	unsigned n = 0;

	for (unsigned i = 0; i < iterations; i++) {
		unsigned pc = 0x40;

		fprintf(b->trace,
			"0000 ffffffff 1 R0 MOV 0 0 0 \n0010 ffffffff 0 UIADD3 0 0 0 \n0020 ffffffff 1 R3 FFMA 2 R3 R0 "
			"0 0 \n0030 ffffffff 0 ISETP.LE.AND 1 R2 0 0 \n");
		for (unsigned k = 0; k < 127; k++, pc += 16)
			fprintf(b->trace, "%04x ffffffff 1 R3 FFMA 2 R3 R0 0 0 \n", pc);
		fprintf(b->trace, "%04x %s 0 BRA 0 0 0 \n", pc, i + 1 < iterations ? "ffffffff" : "00000000");
		n += 132;
	}
	fprintf(b->trace, "0840 ffffffff 0 EXIT 0 0 0 \n");
	return n + 1;
}

static void test_loop(void)
{
	struct core_program *b = core_program_new(90);

	run_program(b, h100, 32, ffma_loop(b, 3), false, false);
	is_number((long long)(issue_cycle(b, 0, 0, 2) - issue_cycle(b, 0, 0, 1)), 526,
		"an iteration of one warp takes 526 cycles");
	is_number((long long)(issue_cycle(b, 0, 0x30, 1) - issue_cycle(b, 0, 0x20, 1)), 1,
		"after an FFMA the port is free");
	is_number((long long)(issue_cycle(b, 0, 0x40, 1) - issue_cycle(b, 0, 0x20, 1)), 4, "FFMA to FFMA: 4");
	is_number((long long)(issue_cycle(b, 0, 0x20, 1) - issue_cycle(b, 0, 0, 1)), 5, "MOV to FFMA: 5");
	is_number(
		(long long)(issue_cycle(b, 0, 0, 1) - issue_cycle(b, 0, 0x830, 0)), 12, "a taken branch: 12");
	core_program_free(b);
	b = core_program_new(90);
	run_program(b, h100, 32 * 24, ffma_loop(b, 3), false, false);
	ok(issue_cycle(b, 23, 0x840, 0) < issue_cycle(b, 3, 0, 2),
		"six warps a sub-core: the youngest four end before the oldest");
	core_program_free(b);
}

static void test_pairs(void)
{
	test_pair("IADD3 to IADD3", "1 R1 IADD3 2 R2 R3 0 0", "1 R4 IADD3 2 R1 R3 0 0", 4);
	test_pair("IMAD to IADD3", "1 R1 IMAD 2 R2 R3 0 0", "1 R4 IADD3 2 R1 R3 0 0", 3);
	test_pair("IADD3 to IMAD", "1 R1 IADD3 2 R2 R3 0 0", "1 R4 IMAD 2 R1 R3 0 0", 5);
	test_pair("the second register of IMAD.WIDE", "1 R2 IMAD.WIDE 2 R8 R9 0 0", "1 R4 IADD3 1 R3 0 0", 3);
	test_pair("DADD to DADD", "1 R2 DADD 2 R4 R6 0 0", "1 R8 DADD 2 R2 R6 0 0", 8);
	test_pair("HMMA to its accumulator", "1 R4 HMMA.16816.F32 3 R8 R12 R4 0 0",
		"1 R4 HMMA.16816.F32 3 R8 R12 R4 0 0", 24);
	test_pair("ISETP to EXIT", "0 ISETP.GE.AND 2 R2 R3 0 0", "0 EXIT 0 0 0", 13);
	test_pair("MOV to the address of a load", "1 R2 MOV 1 R9 0 0",
		"1 R4 LDG.E 1 R2 4 1 0x7f0000001000 4 0", 5);
	test_pair("an independent instruction follows at once", "1 R1 IADD3 2 R2 R3 0 0",
		"1 R4 FFMA 3 R6 R7 R8 0 0", 1);
	test_pair("the integer unit takes one every second cycle", "1 R1 IADD3 2 R2 R3 0 0",
		"1 R4 IADD3 2 R6 R7 0 0", 2);
	test_pair("a shared load to its use", "1 R1 LDS 1 R2 4 1 0x0 4 0", "1 R4 IADD3 2 R1 R3 0 0", 23);
	test_pair("of 8 bytes", "1 R2 LDS.64 1 R8 8 1 0x0 8 0", "1 R4 IADD3 2 R3 R5 0 0", 23);
	test_pair("a bank conflict of four", "1 R1 LDS 1 R2 4 1 0x0 16 0", "1 R4 IADD3 2 R1 R3 0 0", 26);
	test_pair("MUFU to its use", "1 R1 MUFU.EX2 1 R2 0 0", "1 R4 FADD 2 R1 R3 0 0", 18);
}

/*
 * Before Volta an instruction has 8 bytes, and a word of control codes precedes each group of three. The gaps
 * in the addresses are not jumps.
 */
static void test_old_addresses(void)
{
	struct core_program *b = core_program_new(61);

	fprintf(b->trace, "0008 ffffffff 1 R1 IADD 2 R2 R3 0 0 \n0010 ffffffff 1 R4 FFMA 3 R6 R7 R8 0 0 \n"
			  "0018 ffffffff 1 R5 IADD 2 R2 R3 0 0 \n0028 ffffffff 1 R9 FFMA 3 R6 R7 R8 0 0 \n"
			  "0048 ffffffff 0 EXIT 0 0 0 \n");
	run_program(b, h100, 32, 5, false, false);
	is_number((long long)(issue_cycle(b, 0, 0x28, 0) - issue_cycle(b, 0, 8, 0)), 3,
		"addresses of Pascal do not jump");
	is_number((long long)(issue_cycle(b, 0, 0x48, 0) - issue_cycle(b, 0, 0x28, 0)), 12,
		"a jump of Pascal does");
	core_program_free(b);
}

/*
 * Checks the cycles from a comparison to the second instruction after it. The lines have masks as in a recorded
 * trace.
 */
static void test_guard(const char *name, const char *predicates, const char *lines, unsigned cycles)
{
	const char *option[] = {
		"gpgpu_compute_capability_major=9", "gpgpu_perfect_inst_const_cache=1", predicates, NULL};
	struct core_program *b = core_program_new(90);

	fprintf(b->trace, "0000 ffffffff 0 ISETP.GE.AND 2 R2 R3 0 0 \n%s0030 ffffffff 0 EXIT 0 0 0 \n",
		lines);
	run_program(b, option, 32, 4, false, false);
	is_number((long long)(issue_cycle(b, 0, 32, 0) - issue_cycle(b, 0, 0, 0)), cycles, name);
	core_program_free(b);
}

#define LESS "0010 ffffffff 0 NOP 0 0 0 \n0020 0000ffff 1 R4 FADD 2 R6 R7 0 0 \n"
#define NONE "0010 ffffffff 0 NOP 0 0 0 \n0020 00000000 1 R4 FADD 2 R6 R7 0 0 \n"
#define SAME "0010 0000ffff 0 NOP 0 0 0 \n0020 0000ffff 1 R4 FADD 2 R6 R7 0 0 \n"
#define SYNC "0010 ffffffff 0 BSSY 0 0 0 \n0020 0000ffff 1 R4 FADD 2 R6 R7 0 0 \n"
#define MORE "0010 0000ffff 0 BSYNC 0 0 0 \n0020 ffffffff 1 R4 FADD 2 R6 R7 0 0 \n"

static void test_guards(void)
{
	static const char mask[] = "core_predicates=mask", branch[] = "core_predicates=branch";

	test_guard("mask: fewer lanes wait for the predicate", mask, LESS, 13);
	test_guard("mask: no lane waits for the predicate", mask, NONE, 13);
	test_guard("mask: as many lanes as before do not", mask, SAME, 14);
	test_guard("mask: fewer lanes after BSSY do not", mask, SYNC, 2);
	test_guard("mask: more lanes do not wait again", mask, MORE, 14);
	test_guard("branch: fewer lanes do not", branch, LESS, 2);
	test_guard("branch: no lane does not", branch, NONE, 2);
	test_pair("UISETP to EXIT", "0 UISETP.GE.AND 0 0 0", "0 EXIT 0 0 0", 9);
}

/*
 * Tests a kernel whose dependences are derived from registers: it must use the guards in the machine code of
 * its function.
 */
static void test_known_guards(void)
{
	static const char *const option[] = {
		"gpgpu_perfect_inst_const_cache=1", "core_dependence=scoreboard", NULL};
	static const char *const none[] = {"gpgpu_perfect_inst_const_cache=1", "core_dependence=scoreboard",
		"core_predicates=none", NULL};

	for (unsigned i = 0; i < 3; i++) {
		struct core_program *b = core_program_new(80);

		emit_line(b, C "ISETP RZ, R2, R3");
		emit_line(b, C "FADD R4, R6, R7");
		emit_line(b, "B------:R-:W-:-:S05 EXIT");
		if (i)
			b->code[1][1] &= 0x8f; /* sets the guard P0 */
		run_program(b, i == 2 ? none : option, 32, b->n, true, false);
		is_number((long long)(issue_cycle(b, 0, 16, 0) - issue_cycle(b, 0, 0, 0)), i == 1 ? 13 : 1,
			i == 0   ? "an instruction without guard does not wait"
			: i == 1 ? "one with a guard does"
				 : "but not where predicates are left out");
		is_number((long long)b->m.gpu.joins.insts, 0, "nothing ran by control codes");
		core_program_free(b);
	}
}

/* Tests a warp that loads the same line twice: the second access hits. */
static void test_l1(void)
{
	struct core_program *b = core_program_new(90);

	fprintf(b->trace,
		"0000 ffffffff 1 R4 LDG.E.64 1 R2 8 1 0x7f0000001000 0 0 \n0010 ffffffff 1 R2 LDG.E.64 1 R4 8 1 "
		"0x7f0000001000 0 0 \n0020 ffffffff 1 R4 LDG.E.64 1 R2 8 1 0x7f0000001000 0 0 \n0030 ffffffff 0 EXIT 0 0 0 \n");
	run_program(b, h100, 32, 4, false, false);
	is_number((long long)(issue_cycle(b, 0, 0x20, 0) - issue_cycle(b, 0, 0x10, 0)), 34,
		"a chase of 8-byte pointers in the L1: 34");
	core_program_free(b);
}

static void test_barrier(void)
{
	struct core_program *b = core_program_new(90);

	fprintf(b->trace,
		"0000 ffffffff 0 BAR.SYNC 0 0 0 \n0010 ffffffff 0 NOP 0 0 0 \n0020 ffffffff 0 EXIT 0 0 0 \n");
	run_program(b, h100, 128, 3, false, false);
	is_number((long long)(issue_cycle(b, 0, 16, 0) - issue_cycle(b, 3, 0, 0)), 29,
		"a barrier of four warps: 23 + 3 times 2");
	core_program_free(b);
}

/*
 * Tests a barrier with control codes, which holds a warp for 7 cycles after its issue. The next instruction is ready
 * earlier, but its unit accepts it only during the hold. It must issue when the hold ends.
 */
static void test_unit_busy_before_hold(void)
{
	struct core_program *b = core_program_new(90);

	emit_line(b, "B------:R-:W-:-:S05 BAR.SYNC");
	emit_line(b, C "IADD3 R9, R4, R5, R7");
	emit_line(b, C "IADD3 R10, R4, R5, R7");
	emit_line(b, "B------:R-:W-:-:S05 EXIT");
	run_program(b, h100, 128, b->n, true, false);
	is_number((long long)(issue_cycle(b, 0, 32, 0) - issue_cycle(b, 3, 0, 0)), 29,
		"an instruction that the hold of a barrier finds at a busy unit issues when the barrier opens");
	core_program_free(b);
}

/* Tests that skipping idle cycles does not change a counter. */
static void test_sleep(void)
{
	static const char *const cold[] = {
		"gpgpu_compute_capability_major=9", "gpgpu_perfect_inst_const_cache=0", NULL};
	struct core_program *a = core_program_new(90), *b = core_program_new(90);
	bool same;

	run_program(a, cold, 256, ffma_loop(a, 2), false, false);
	run_program(b, cold, 256, ffma_loop(b, 2), false, true);
	same = a->m.gpu.cycle == b->m.gpu.cycle && !strcmp(a->m.log, b->m.log) &&
	       !memcmp(&a->m.gpu.sm[0].n, &b->m.gpu.sm[0].n, sizeof(a->m.gpu.sm[0].n));
	for (unsigned i = 0; i < N_CORE_STALLS; i++)
		same &= a->m.gpu.sm[0].modern->n.stall[i] == b->m.gpu.sm[0].modern->n.stall[i];
	ok(same, "cycles slept through count as if they had been run");
	core_program_free(a);
	core_program_free(b);
}

/*
 * Tests -core_kernel_least, with and without skipping of idle cycles: a short kernel ends after the minimum
 * duration, and a long kernel ends at its last instruction.
 */
static void test_least(void)
{
	static const char *const least[] = {"gpgpu_compute_capability_major=9",
		"gpgpu_perfect_inst_const_cache=1", "core_kernel_least=9000:2.5:100.25", NULL};
	struct core_program *b;

	for (unsigned sleepless = 0; sleepless < 2; sleepless++) {
		b = core_program_new(90);
		run_program(b, least, 256, ffma_loop(b, 2), false, sleepless);
		is_number((long long)b->m.cycles, 9000 + 20 + 100,
			"a kernel of eight warps and one CTA takes its least");
		core_program_free(b);
	}
	b = core_program_new(90);
	run_program(b, least, 256, ffma_loop(b, 20), false, false);
	ok(b->m.cycles > 20 * 526, "a longer one what it takes");
	core_program_free(b);
}

/* Tests machine code whose opcodes differ from those of the trace. */
static void test_mismatch(void)
{
	static const char *const option[] = {"gpgpu_perfect_inst_const_cache=1", NULL};
	struct core_program *b = core_program_new(80);

	emit_line(b, C "MOV R1, R2");
	emit_line(b, C "IADD3 R4, R1, R3");
	emit_line(b, "B------:R-:W-:-:S05 EXIT");
	memcpy(b->code[2], b->code[1], 2); /* EXIT gets the opcode number of IADD3 */
	diag_quiet(true);
	run_program(b, option, 32, b->n, true, false);
	diag_quiet(false);
	is_number((long long)(issue_cycle(b, 0, 16, 0) - issue_cycle(b, 0, 0, 0)), 4,
		"a kernel that does not match runs by registers");
	is_number((long long)b->m.gpu.joins.mismatches, 1, "what does not match is counted");
	core_program_free(b);
}

int main(void)
{
	if (access("examples/gpus/a100.config", R_OK) == 0)
		setenv("WARPTOOLS_GPUS", "examples/gpus", 0);
	for (size_t i = 0; i < sizeof(windows) / sizeof(*windows); i++)
		test_window(&windows[i]);
	test_loop();
	test_pairs();
	test_old_addresses();
	test_l1();
	test_barrier();
	test_unit_busy_before_hold();
	test_sleep();
	test_least();
	test_mismatch();
	test_guards();
	test_known_guards();
	return tap_done();
}
