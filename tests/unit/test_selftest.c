/* SPDX-License-Identifier: BSD-2-Clause */
/* Unit tests of measured files, and of the text of micro-traces, which the trace reader must accept. */
#include <math.h>
#include "tap.h"
#include "selftest/measured.h"
#include "selftest/micro.h"
#include "trace.h"

#define HEAD "id\tgpu\tworkload\tparams\tmetric\tvalue\tunit\tmin\tmax\tclock_mhz\ttool\tsource\tnote\n"

static int parse_measured(struct measured *m, const char *text, struct fault *f)
{
	struct input *in = input_memory("file", text, strlen(text), f);
	int r = measured_parse(m, in, f);

	input_close(in);
	return r;
}

static void test_rows(void)
{
	struct measured m = {.n_rows = 0};
	struct fault f;
	double value = 0;

	ok(parse_measured(&m,
		   "# words\n#with ncu a=1 b=2\n#params ncu k=9 j=4\n" HEAD
		   "x\tg\tw\tk=3\tm\t2.5,7\tu\t\t\t1755\tncu\ts\tn\n"
		   "y\tg\tw\t\tm\t10-12\tu\t\t\t\t\ts\t\n",
		   &f) == 0,
		"a measured file is read");
	ok(m.n_rows == 2 && m.row[0].is_number && m.row[0].value == 2.5 && m.row[0].clock_mhz == 1755,
		"a list of values has the first number as its value");
	ok(!m.row[1].is_number, "a range of values is not a number");
	ok(m.n_with == 4 && !strcmp(m.with[1].define, "b=2") && !strcmp(m.with[1].tool, "ncu") &&
			!m.with[1].is_param && m.with[2].is_param,
		"the conditions and parameters of a tool are read");
	ok(measured_row_param(&m, &m.row[0], "k", &value) && value == 3,
		"a row's own parameter overrides the tool's");
	ok(measured_row_param(&m, &m.row[0], "j", &value) && value == 4,
		"a parameter that a row lacks is that of its tool");
	ok(!measured_row_param(&m, &m.row[1], "j", &value),
		"a row of another tool has no parameter of this tool");
	measured_free(&m);
}

static void test_faults(void)
{
	static const struct {
		const char *text, *id;
		unsigned line;
	} bad[] = {
		{"", "measured-header", 0},
		{"id\tgpu\n", "measured-header", 1},
		{HEAD "x\tg\n", "measured-row", 2},
		{HEAD "\tg\tw\t\tm\t1\tu\t\t\t\t\ts\t\n", "measured-row", 2},
		{HEAD "x\tg\tw\t\tm\t\tu\t\t\t\t\ts\t\n", "measured-row", 2},
		{HEAD "x\tg\tw\t\tm\t1e99\tu\t\t\t\t\ts\t\n", "measured-value", 2},
		{HEAD "x\tg\tw\t\tm\t1\tu\t\t\tfast\t\ts\t\n", "measured-clock", 2},
		{HEAD "x\tg\tw\t\tm\t1\tu\t\t\t\t\ts\t\nx\tg\tw\t\tm\t1\tu\t\t\t\t\ts\t\n", "measured-id", 3},
		{"#with ncu\n" HEAD, "measured-with", 1},
		{"#params ncu k\n" HEAD, "measured-with", 1},
		{HEAD "x\tg\tw\t\tm\t1\tu\t\t\t\t\ts\t\tmore\n", "measured-row", 2},
	};

	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct measured m = {.n_rows = 0};
		struct fault f = {0};
		int r = parse_measured(&m, bad[i].text, &f);

		ok(r < 0 && !strcmp(f.id, bad[i].id) && f.place.line == bad[i].line,
			"an invalid measured file is reported: %s in line %u", bad[i].id, bad[i].line);
		measured_free(&m);
	}
}

static void test_params(void)
{
	char word[16];
	double v = 0;

	ok(measured_param("thread=32,block=7", "block", &v) && v == 7, "a parameter is found by its name");
	ok(!measured_param("thread=32,block=7", "lock", &v),
		"a parameter is not found by the end of its name");
	ok(measured_param("footprint_kB=1..1e2", "footprint_kB", &v) && fabs(v - 10) < 1e-9,
		"the value of a range is its geometric mean");
	ok(measured_param("line=16 1728 0.8 %", "line", &v) && v == 16, "a value ends at a blank");
	ok(measured_copy_value("ops=A+B,x=1", "ops", word, sizeof(word)) && !strcmp(word, "A+B"),
		"a word is copied as the value of a parameter");
	ok(!measured_copy_value("ops=0123456789abcdef", "ops", word, sizeof(word)),
		"a word that does not fit the buffer is rejected");
}

static void write_micro_warp(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	uint64_t lane[32];

	(void)m;
	for (unsigned i = 0; i < 32; i++)
		lane[i] = MICRO_DATA + 64 * i * i;
	scribe_op(s, "R1", "MOV", "", block);
	scribe_mem(s, LANES_ALL, "R4", "LDG.E", "R2", 4, MICRO_DATA + warp * 128, 4);
	scribe_mem(s, 1, "R4", "LDG.E.64", "R2", 8, MICRO_DATA, 0);
	scribe_lanes(s, LANES_ALL, "R4", "LDG.E", "R2", 4, lane);
	scribe_write_exit(s);
}

static void test_micro(void)
{
	struct isa *isa = isa_new();
	struct code *code = code_new(isa);
	struct trace_options o = {.code = code};
	struct micro m = {
		.name = "k", .blocks = 3, .threads = 64, .nregs = 16, .arch = 80, .body = write_micro_warp};
	struct micro_text *text = micro_text_new(&m);
	struct tblock tb = {0};
	uint64_t lane[32];
	struct fault f;
	struct trace *t = trace_open_input(micro_input(text), &o, &f);
	int n = 0;

	ok(t && trace_header(t)->grid[0] == 3 && trace_header(t)->block[0] == 64,
		"the header of a micro-trace is read");
	while (t && trace_next(t, &tb, &f) == 1)
		n++;
	ok(n == 3 && tb.n_warps == 2 && tb.n_recs == 10,
		"a micro-trace has three thread blocks of two warps");
	rec_addresses(&tb, &tb.rec[tb.warp[1].first_rec + 1], lane);
	ok(lane[31] == MICRO_DATA + 128 + 124, "addresses of a micro-trace with a stride are read");
	rec_addresses(&tb, &tb.rec[3], lane);
	ok(lane[31] == MICRO_DATA + 64 * 31 * 31, "addresses of a micro-trace as a list are read");
	ok(t && trace_finish(t, &f) == 0, "reading a micro-trace ends without a fault");
	trace_close(t);
	tblock_free(&tb);
	micro_text_free(text);
	code_free(code);
	isa_free(isa);
}

int main(void)
{
	test_rows();
	test_faults();
	test_params();
	test_micro();
	return tap_done();
}
