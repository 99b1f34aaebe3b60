/* SPDX-License-Identifier: BSD-2-Clause */
/* Unit tests of the opcode table: rows, widths, guessed classes, and rows from a user's file. */
#include <stdint.h>
#include "isa.h"
#include "tap.h"

static enum isa_class class_of(const struct isa *isa, enum isa_arch a, const char *opcode)
{
	const struct isa_op *op = isa_row(isa, isa_find(isa, opcode, strlen(opcode)));

	return op ? (enum isa_class)op->class[a] : CLASS_NONE;
}

static void test_rows(const struct isa *isa)
{
	static const struct {
		const char *opcode;
		enum isa_arch arch;
		enum isa_class class;
	} want[] = {
		{"KILL", ARCH_VOLTA, CLASS_SPEC1},
		{"KILL", ARCH_AMPERE, CLASS_SPEC3},
		{"IMMA", ARCH_PASCAL, CLASS_INT},
		{"IMMA.16816.S8", ARCH_TURING, CLASS_SPEC3},
		{"TEX", ARCH_KEPLER, CLASS_ALU},
		{"TEX.SCR.LL", ARCH_TURING, CLASS_SPEC2},
		{"SSY", ARCH_KEPLER, CLASS_RET},
		{"SSY", ARCH_PASCAL, CLASS_BRANCH},
		{"SHL", ARCH_VOLTA, CLASS_NONE},
		{"DEPBAR.LE", ARCH_KEPLER, CLASS_NONE},
		{"LDC.64", ARCH_AMPERE, CLASS_ALU},
		{"RED.E.ADD", ARCH_AMPERE, CLASS_STORE},
		{"VIADD", ARCH_AMPERE, CLASS_NONE},
		{"VIADD", ARCH_ADA, CLASS_INT},
		{"HGMMA.64x64x16", ARCH_HOPPER, CLASS_SPEC3},
		{"BGMMA.64x64x256", ARCH_HOPPER, CLASS_SPEC3},
		{"HGMMA", ARCH_ADA, CLASS_NONE},
		{"UTMALDG.2D", ARCH_HOPPER, CLASS_TMA},
		{"SYNCS", ARCH_HOPPER, CLASS_SYNCS},
		{"HADD2.F32", ARCH_BLACKWELL, CLASS_SP},
		{"UFADD", ARCH_BLACKWELL, CLASS_SPEC4},
		{"REDG.E.ADD", ARCH_HOPPER, CLASS_STORE},
		{"REDG.E.ADD", ARCH_BLACKWELL, CLASS_STORE},
		{".MOV", ARCH_VOLTA, CLASS_ALU},
		{".", ARCH_VOLTA, CLASS_NONE},
		{"mov", ARCH_VOLTA, CLASS_NONE},
	};

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		ok(class_of(isa, want[i].arch, want[i].opcode) == want[i].class,
			"the class of %s on %s is %s", want[i].opcode, isa_arch_name(want[i].arch),
			isa_class_name(want[i].class));
	for (int r = 0; r < isa_rows(isa); r++) {
		const struct isa_op *op = isa_row(isa, r);
		unsigned n = 0;

		for (int a = 0; a < N_ARCHS; a++)
			n += op->class[a] != CLASS_NONE;
		if (isa_find(isa, op->stem, strlen(op->stem)) != r || !n)
			ok(false, "row %s is found by its name and has a class", op->stem);
	}
	ok(isa_row(isa, isa_find(isa, "HADD2", 5))->half_rate, "HADD2 is issued at half the interval");
	ok(!isa_row(isa, isa_find(isa, "HMUL2", 5))->half_rate, "HMUL2 is not issued at half the interval");
	is_number(isa_row(isa, isa_find(isa, "RED", 3))->kind, KIND_ATOM, "RED is an atomic");
	is_number(isa_row(isa, isa_find(isa, "SULDGA", 6))->kind, KIND_MEM_OTHER,
		"SULDGA is a memory instruction of the kind KIND_MEM_OTHER");
}

static void test_names(void)
{
	is_number(isa_arch_of(87), ARCH_AMPERE, "compute capability 87 is Ampere");
	is_number(isa_arch_of(100), ARCH_BLACKWELL, "compute capability 100 is Blackwell");
	is_number(isa_arch_of(0), -1, "compute capability 0 is no architecture");
	for (int c = 0; c < N_CLASSES; c++) {
		const char *name = isa_class_name((enum isa_class)c);

		ok(isa_class_parse(name, strlen(name)) == c, "the class name %s is parsed", name);
	}
	is_number(isa_class_parse("SPEC", 4), -1, "SPEC is not the name of a class");
}

static void test_text(void)
{
	static const struct {
		const char *opcode;
		unsigned width;
	} want[] = {
		{"LDG.E.128", 16},
		{"LDG.E.U8", 1},
		{"LDS.U.128", 16},
		{"LDGSTS.E.BYPASS.LTC128B.64", 8},
		{"LDG.E.S8", 4},
		{"LDSM.16.M88.4", 2},
		{"LDG.E.4", 0},
		{"MOV", 4},
		{"", 4},
		{"...", 4},
		{"LDG.99999999999999999999", 0},
		{"LDG.E.ENL2.256", 32},
		{"LDG.U", 4},
	};

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		ok(isa_width(want[i].opcode, strlen(want[i].opcode)) == want[i].width,
			"the width of \"%s\" is read from its suffixes", want[i].opcode);
	ok(isa_strong_gpu("LDG.E.STRONG.GPU", 16), "isa_strong_gpu() accepts .STRONG.GPU");
	ok(!isa_strong_gpu("LDG.E.STRONG.SYS", 16), "isa_strong_gpu() rejects .STRONG.SYS");
}

static void check_guess(const struct isa *isa, enum isa_arch a, const char *opcode, enum isa_class want)
{
	enum isa_class c = isa_guess(isa, a, opcode, strlen(opcode));

	if (!ok(c == want, "the class of the unknown opcode %s on %s is guessed", opcode, isa_arch_name(a)))
		printf("# found %s\n", isa_class_name(c));
}

static void test_guess(const struct isa *isa)
{
	check_guess(isa, ARCH_AMPERE, "VIADD", CLASS_INT);
	check_guess(isa, ARCH_PASCAL, "UMOV", CLASS_ALU); /* Pascal has no uniform unit */
	check_guess(isa, ARCH_AMPERE, "LDGX.E", CLASS_LOAD);
	check_guess(isa, ARCH_AMPERE, "EXITX", CLASS_ALU);
	check_guess(isa, ARCH_AMPERE, "QQQ", CLASS_ALU);
	check_guess(isa, ARCH_AMPERE, "", CLASS_ALU);
}

static int load_opcode_file(struct isa *isa, const char *text, struct fault *f)
{
	char path[] = "/tmp/test_isa_XXXXXX";
	int fd = mkstemp(path), rc;

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		abort();
	close(fd);
	rc = isa_load(isa, path, f);
	unlink(path);
	return rc;
}

static void test_load(struct isa *isa)
{
	static const struct {
		const char *text, *id;
		unsigned line, col;
	} bad[] = {
		{"FOO\n", "isa-fields", 1, 0},
		{"FOO ampere INT x\n", "isa-fields", 1, 0},
		{"\n1FOO ampere INT", "isa-stem", 2, 1},
		{"FOO amper INT", "isa-arch", 1, 5},
		{"FOO 80,,86 INT", "isa-arch", 1, 5},
		{"FOO 80 INTEGER", "isa-class", 1, 8},
	};
	struct fault f;

	is_number(load_opcode_file(
			  isa, "# mine\nFOO 80,hopper SPEC3 # new\r\n\n  MOV\tall  SP\nLDX volta LOAD\n", &f),
		0, "a user's opcode file is read");
	ok(class_of(isa, ARCH_AMPERE, "FOO.X") == CLASS_SPEC3, "a user's opcode file adds an opcode");
	ok(class_of(isa, ARCH_VOLTA, "FOO") == CLASS_NONE,
		"a user's opcode is added only for the architectures that it names");
	ok(class_of(isa, ARCH_KEPLER, "MOV") == CLASS_SP, "a user's opcode file replaces a built-in row");
	is_number(isa_row(isa, isa_find(isa, "LDX", 3))->kind, KIND_MEM_OTHER,
		"a user's new load has the kind KIND_MEM_OTHER");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(load_opcode_file(isa, bad[i].text, &f) < 0 && !strcmp(f.id, bad[i].id) &&
				f.place.line == bad[i].line && f.place.col == bad[i].col,
			"an opcode file with the fault %s is rejected at its place", bad[i].id);
	ok(isa_load(isa, "/nonexistent/isa", &f) < 0, "a missing opcode file is rejected");
}

int main(void)
{
	struct isa *isa = isa_new();

	test_rows(isa);
	test_names();
	test_text();
	test_guess(isa);
	test_load(isa);
	isa_free(isa);
	return tap_done();
}
