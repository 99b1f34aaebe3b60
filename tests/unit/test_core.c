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
	{"an instruction with stall 1", 6, 32, DEP(C)},
	{"an instruction with stall 2", 6, 32, DEP("B------:R-:W-:-:S02 ")},
	{"an instruction with stall 4", 8, 32, DEP("B------:R-:W-:-:S04 ")},
	{"an instruction with stall 5", 9, 32, DEP("B------:R-:W-:-:S05 ")},
	{"an instruction with stall 8", 12, 32, DEP("B------:R-:W-:-:S08 ")},
	{"a stall of 12 without yield counts as 1", 6, 32, DEP("B------:R-:W-:-:S12 ")},
	{"a stall of 14 without yield counts as 1", 6, 32, DEP("B------:R-:W-:-:S14 ")},
	{"a yield with stall 11", 15, 32, DEP("B------:R-:W-:Y:S11 ")},
	{"a yield with stall 12", 16, 32, DEP("B------:R-:W-:Y:S12 ")},
	{"a yield with stall 15", 19, 32, DEP("B------:R-:W-:Y:S15 ")},
	{"four NOPs", 5, 32, N_ N_ N_ N_},
	{"one NOP", 2, 32, N_},
	{"a NOP with a yield and stall 2", 6, 32, N_ "B------:R-:W-:Y:S02 NOP|" N_ N_},
	{"a yield with stall 0 waits for the pipeline to drain", 55, 32, "B------:R-:W-:Y:S00 NOP|"},
	{"ERRBAR takes one cycle more than NOP", 3, 32, C "ERRBAR|"},
	{"ERRBAR with a yield waits for the pipeline to drain", 55, 32, "B------:R-:W-:Y:S00 ERRBAR|"},
	{"one FADD between NOPs", 5, 32, N_ C FADD N_ N_},
	{"FADD and IADD3, which use two units", 5, 32, N_ C FADD C "IADD3 R12, R9, R10, RZ|" N_},
	{"FADD and MOV, which use two units", 5, 32, N_ C FADD C "MOV R12, R9|" N_},
	{"three operands of which two are in the same bank", 5, 32, N_ N_ C "FFMA R12, R4, R5, R7|" N_},
	{"a second FFMA with two even operands waits", 7, 32,
		N_ C "FFMA R9, R4, R6, R8|" C "FFMA R12, R10, R6, R8|" N_},
	{"a second FFMA with two odd operands does not wait", 6, 32,
		N_ C "FFMA R9, R4, R6, R8|" C "FFMA R12, R10, R5, R7|" N_},
	{"an FFMA with even operands after IADD3 waits", 7, 32,
		N_ C "IADD3 R9, R4, R6, R8|" C "FFMA R12, R10, R6, R8|" N_},
	{"an FFMA with mixed operands after IADD3 does not wait", 6, 32,
		N_ C "IADD3 R9, R4, R6, R8|" C "FFMA R12, R10, R6, R7|" N_},
	{"a register marked for reuse in another operand slot is read again", 7, 32,
		N_ REUSE C "FFMA R12, R6, R10, R8|" N_},
	{"a register without a reuse mark is read again", 7, 32,
		N_ C "IADD3 R9, R10, R5, R7|" C "FFMA R12, R10, R6, R8|" N_},
	{"a hit in the reuse cache removes the entry", 9, 32,
		N_ REUSE C "FFMA R12, R10, R6, R8|" C "IADD3 R9, R10, R6, R8|"},
	{"a register of another bank keeps the entry of the reuse cache", 8, 32,
		N_ REUSE C "FFMA R12, R5, R6, R8|" C "IADD3 R9, R10, R6, R8|"},
	{"a register of the same bank evicts the entry of the reuse cache", 10, 32,
		N_ REUSE C "FFMA R12, R4, R6, R8|" C "IADD3 R9, R10, R6, R8|"},
	{"a load whose result no instruction waits for", 8, 32,
		"B------:R-:W2:-:S04 LDG.E R2, [R2]|" C "NOP|" C "IADD3 R9, R2, RZ|" C "NOP|"},
	{"a counter that is raised in a cycle holds no instruction in the next one", 4, 32,
		"B------:R-:W2:-:S01 LDG.E R2, [R2]|"
		"B--2---:R-:W-:-:S01 IADD3 R9, R2, RZ|" N_},
	{"DEPBAR with stall 1 does not hold the next instruction", 8, 32,
		"B------:R-:W2:-:S04 LDG.E R2, [R2]|" C "DEPBAR.LE SB2, 0x0|" C "IADD3 R9, R2, RZ|" C "NOP|"},
	{"five shared loads are all in the queue", 11, 32, FIVE NOPS},
	{"the sixth shared load waits three cycles", 14, 32, FIVE LDS("0", "R6") N_ N_ N_ N_},
	{"the seventh shared load waits one cycle more", 15, 32, FIVE LDS("0", "R6") LDS("0", "R7") N_ N_ N_},
	{"nine shared loads of one sub-core", 17, 32,
		FIVE LDS("0", "R6") LDS("0", "R7") LDS("0", "R8") LDS("0", "R9") N_},
	{"seven shared loads of each of four sub-cores", 17, 128,
		FIVE LDS("0", "R6") LDS("0", "R7") N_ N_ N_},
	{"nine shared loads of each of four sub-cores", 23, 128,
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
	char label[120];

	for (unsigned i = 0; i < 4; i++)
		emit_line(b, "B------:R-:W-:-:S04 MOV R20, R21");
	first = 16 * b->n;
	emit_line(b, C "CS2R.32 R11");
	emit_all(b, w->code);
	last = 16 * b->n;
	emit_line(b, C "CS2R.32 R13");
	emit_line(b, "B------:R-:W-:-:S05 EXIT");
	run_program(b, option, w->threads, b->n, true, false);
	snprintf(label, sizeof(label), "cycles between two clock reads: %s", w->name);
	is_number((long long)(issue_cycle(b, 0, last, 0) - issue_cycle(b, 0, first, 0)), w->cycles, label);
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
		"an iteration of the FFMA loop takes one warp 526 cycles");
	is_number((long long)(issue_cycle(b, 0, 0x30, 1) - issue_cycle(b, 0, 0x20, 1)), 1,
		"an instruction issues one cycle after an independent FFMA");
	is_number((long long)(issue_cycle(b, 0, 0x40, 1) - issue_cycle(b, 0, 0x20, 1)), 4,
		"a dependent FFMA issues 4 cycles after an FFMA");
	is_number((long long)(issue_cycle(b, 0, 0x20, 1) - issue_cycle(b, 0, 0, 1)), 5,
		"a dependent FFMA issues 5 cycles after MOV");
	is_number((long long)(issue_cycle(b, 0, 0, 1) - issue_cycle(b, 0, 0x830, 0)), 12,
		"the target of a taken branch issues after 12 cycles");
	core_program_free(b);
	b = core_program_new(90);
	run_program(b, h100, 32 * 24, ffma_loop(b, 3), false, false);
	ok(issue_cycle(b, 23, 0x840, 0) < issue_cycle(b, 3, 0, 2),
		"with six warps per sub-core, the youngest warps end before the oldest");
	core_program_free(b);
}

static void test_pairs(void)
{
	test_pair("cycles from IADD3 to a dependent IADD3", "1 R1 IADD3 2 R2 R3 0 0",
		"1 R4 IADD3 2 R1 R3 0 0", 4);
	test_pair("cycles from IMAD to a dependent IADD3", "1 R1 IMAD 2 R2 R3 0 0", "1 R4 IADD3 2 R1 R3 0 0",
		5);
	test_pair("cycles from IADD3 to a dependent IMAD", "1 R1 IADD3 2 R2 R3 0 0", "1 R4 IMAD 2 R1 R3 0 0",
		5);
	test_pair("cycles from IMAD.WIDE to a use of its first register", "1 R2 IMAD.WIDE 2 R8 R9 0 0",
		"1 R4 IADD3 1 R2 0 0", 3);
	test_pair("cycles from IMAD.WIDE to a use of its second register", "1 R2 IMAD.WIDE 2 R8 R9 0 0",
		"1 R4 IADD3 1 R3 0 0", 5);
	test_pair("cycles from FFMA to a store of its result", "1 R4 FFMA 3 R6 R7 R8 0 0",
		"0 STG.E 2 R2 R4 4 1 0x7f0000001000 4 0", 5);
	test_pair("cycles from FFMA to MUFU", "1 R4 FFMA 3 R6 R7 R8 0 0", "1 R5 MUFU.EX2 1 R4 0 0", 4);
	test_pair(
		"cycles from DADD to a dependent DADD", "1 R2 DADD 2 R4 R6 0 0", "1 R8 DADD 2 R2 R6 0 0", 8);
	test_pair("cycles from HMMA to an HMMA with the same accumulator",
		"1 R4 HMMA.16816.F32 3 R8 R12 R4 0 0", "1 R4 HMMA.16816.F32 3 R8 R12 R4 0 0", 24);
	test_pair("cycles from ISETP to EXIT", "0 ISETP.GE.AND 2 R2 R3 0 0", "0 EXIT 0 0 0", 13);
	test_pair("cycles from MOV to a load that uses its result as address", "1 R2 MOV 1 R9 0 0",
		"1 R4 LDG.E 1 R2 4 1 0x7f0000001000 4 0", 5);
	test_pair("an independent instruction of another unit issues in the next cycle",
		"1 R1 IADD3 2 R2 R3 0 0", "1 R4 FFMA 3 R6 R7 R8 0 0", 1);
	test_pair("the integer unit accepts an instruction every second cycle", "1 R1 IADD3 2 R2 R3 0 0",
		"1 R4 IADD3 2 R6 R7 0 0", 2);
	test_pair("cycles from a shared load to the use of its result", "1 R1 LDS 1 R2 4 1 0x0 4 0",
		"1 R4 IADD3 2 R1 R3 0 0", 23);
	test_pair("cycles from a shared load of 8 bytes to the use of its result",
		"1 R2 LDS.64 1 R8 8 1 0x0 8 0", "1 R4 IADD3 2 R3 R5 0 0", 23);
	test_pair("cycles from a shared load with a 4-way bank conflict to its use",
		"1 R1 LDS 1 R2 4 1 0x0 16 0", "1 R4 IADD3 2 R1 R3 0 0", 26);
	test_pair("cycles from MUFU to the use of its result", "1 R1 MUFU.EX2 1 R2 0 0",
		"1 R4 FADD 2 R1 R3 0 0", 18);
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
		"skipped control codes in Pascal addresses are not jumps");
	is_number((long long)(issue_cycle(b, 0, 0x48, 0) - issue_cycle(b, 0, 0x28, 0)), 12,
		"the target of a jump in Pascal code issues after 12 cycles");
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

	test_guard("core_predicates=mask: an instruction with fewer lanes waits for ISETP", mask, LESS, 13);
	test_guard("core_predicates=mask: an instruction without lanes waits for ISETP", mask, NONE, 13);
	test_guard(
		"core_predicates=mask: of two instructions with fewer lanes the first waits", mask, SAME, 14);
	test_guard("core_predicates=mask: fewer lanes after BSSY do not wait", mask, SYNC, 2);
	test_guard(
		"core_predicates=mask: an instruction with more lanes does not wait again", mask, MORE, 14);
	test_guard("core_predicates=branch: an instruction with fewer lanes does not wait", branch, LESS, 2);
	test_guard("core_predicates=branch: an instruction without lanes does not wait", branch, NONE, 2);
	test_pair("cycles from UISETP to EXIT", "0 UISETP.GE.AND 0 0 0", "0 EXIT 0 0 0", 9);
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
			i == 0   ? "an instruction without a guard does not wait for ISETP"
			: i == 1 ? "an instruction with a guard waits for ISETP"
				 : "with core_predicates=none, an instruction with a guard does not wait");
		is_number((long long)b->m.gpu.joins.insts, 0, "no instruction issued by control codes");
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
		"a chase of 8-byte pointers in the L1 takes 34 cycles per load");
	core_program_free(b);
}

static void test_barrier(void)
{
	struct core_program *b = core_program_new(90);

	fprintf(b->trace,
		"0000 ffffffff 0 BAR.SYNC 0 0 0 \n0010 ffffffff 0 NOP 0 0 0 \n0020 ffffffff 0 EXIT 0 0 0 \n");
	run_program(b, h100, 128, 3, false, false);
	is_number((long long)(issue_cycle(b, 0, 16, 0) - issue_cycle(b, 3, 0, 0)), 29,
		"a barrier of four warps takes 23 + 3 * 2 cycles");
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
		"an instruction for a busy unit issues when the hold of a barrier ends");
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
	ok(same, "skipped idle cycles are counted like simulated ones");
	core_program_free(a);
	core_program_free(b);
}

/*
 * Tests -core_kernel_least, with and without skipping of idle cycles: a short kernel ends after the minimum
 * duration, and a long kernel ends at its last instruction.
 */
static void test_minimum_duration(void)
{
	static const char *const minimum[] = {"gpgpu_compute_capability_major=9",
		"gpgpu_perfect_inst_const_cache=1", "core_kernel_least=9000:2.5:100.25", NULL};
	struct core_program *b;

	for (unsigned sleepless = 0; sleepless < 2; sleepless++) {
		b = core_program_new(90);
		run_program(b, minimum, 256, ffma_loop(b, 2), false, sleepless);
		is_number((long long)b->m.cycles, 9000 + 20 + 100,
			"a kernel of eight warps and one CTA takes its minimum duration");
		core_program_free(b);
	}
	b = core_program_new(90);
	run_program(b, minimum, 256, ffma_loop(b, 20), false, false);
	ok(b->m.cycles > 20 * 526, "a kernel longer than the minimum duration takes its own duration");
	core_program_free(b);
}

/* Tests machine code that has an opcode that differs from the trace. */
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
		"a kernel that does not match its machine code issues by registers");
	is_number((long long)b->m.gpu.joins.mismatches, 1,
		"a kernel that does not match its machine code is counted");
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
	test_minimum_duration();
	test_mismatch();
	test_guards();
	test_known_guards();
	return tap_done();
}
