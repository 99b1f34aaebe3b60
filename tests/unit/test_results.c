/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of reading results: the events of each format for one kernel, values of a kernel, running
 * totals, ends, and faults.
 */
#include <math.h>
#include "expr.h"
#include "namelist.h"
#include "results.h"
#include "tap.h"

#define END "----END-of-Interconnect-DETAILS----\n"

static char text[4096]; /* events of an input, as text */

static void add_event_text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void add_event_text(const char *fmt, ...)
{
	size_t n = strlen(text);
	va_list args;

	va_start(args, fmt);
	vsnprintf(text + n, sizeof(text) - n, fmt, args);
	va_end(args);
}

static void add_figures(const struct result_item *item)
{
	for (uint32_t i = 0; i < item->n_figures; i++) {
		const struct result_value *v = &item->figure[i].value;

		if (v->is_whole)
			add_event_text(" %s=%llu", item->figure[i].name, (unsigned long long)v->count);
		else
			add_event_text(" %s=%g%s", item->figure[i].name, v->real,
				v->decimals == RESULT_EXACT ? "" : "~");
	}
	add_event_text("\n");
}

/* Returns the events of an input as lines of text. */
static const char *events_of_input(const char *input, size_t n, unsigned flags)
{
	struct fault f = {0};
	struct results *r = results_new(input_memory("in", input, n, &f), flags);
	struct result_item item;
	int event;

	text[0] = '\0';
	while ((event = results_next(r, &item, &f)) > 0) {
		if (event == RESULT_START) {
			add_event_text("start");
			for (uint32_t i = 0; i < item.n_options; i++)
				add_event_text(" %s=%s", item.option[i].name, item.option[i].value);
			add_event_text("\n");
		} else if (event == RESULT_KERNEL) {
			add_event_text("kernel %u %s %llu", item.kernel.position, item.kernel.name,
				(unsigned long long)item.kernel.id);
			add_figures(&item);
		} else {
			add_event_text("done %s", item.status);
			add_figures(&item);
		}
	}
	if (event < 0)
		add_event_text("fault %s\n", f.id);
	results_close(r);
	return text;
}

static void check_events(const char *input, unsigned flags, const char *want, const char *name)
{
	is_text(events_of_input(input, strlen(input), flags), want, name);
}

static void test_text(void)
{
	check_events(
		"# run\nconfig.a%20b 1 -\n# kernel\nname k%20x -\nid 7 -\ngpu_sim_cycle 5 cycles\ngpu_ipc "
		"nan -\n"
		"# end\nstatus limit -\ngpu_sim_cycle 5 cycles\n",
		0, "start a b=1\nkernel 1 k x 7 gpu_sim_cycle=5\ndone limit gpu_sim_cycle=5\n",
		"a text result with an end gives its run, kernel and totals");
	check_events(
		"# run\n# kernel\nname a -\ngpgpu_n_load_insn 5 -\n# kernel\nname b -\ngpgpu_n_load_insn 6 -\n",
		0,
		"start\nkernel 1 a 0 gpgpu_n_load_insn=5\nkernel 2 b 0 gpgpu_n_load_insn=6\n"
		"done cut gpgpu_n_load_insn=11\n",
		"the totals of a text result without an end are the sums");
	check_events("# run\n# kernel\nname a -\ngpgpu_n_load_insn 5 -\n# kernel\nname b -\ngpgpu_n_lo", 0,
		"start\nkernel 1 a 0 gpgpu_n_load_insn=5\ndone cut gpgpu_n_load_insn=5\n",
		"a text result that is truncated in a line gives its whole lines");
	check_events("# run\n# kernel\nname a -\ngpu_ipc x -\n", 0, "start\nfault record-value\n",
		"a text result with an invalid number is rejected");
	check_events("# run\n# kernel\nname a\n", 0, "start\nfault record-line\n",
		"a text result with a line of two words is rejected");
}

static void test_json(void)
{
	check_events("{\"record\":\"run\",\"config\":{\"o\":\"v\",\"b\":true}}\n{\"record\":\"note\"}\n"
		     "{\"record\":\"kernel\",\"name\":\"k\",\"id\":3,\"stats\":{\"gpu_sim_cycle\":"
		     "9007199254740993,\"gpu_ipc\":null,"
		     "\"L2_BW\":1.5}}\n{\"record\":\"end\",\"status\":\"complete\",\"stats\":{}}\n",
		0, "start o=v b=true\nkernel 1 k 3 gpu_sim_cycle=9007199254740993 L2_BW=1.5\ndone complete\n",
		"a JSON result gives its run, kernel and totals");
	check_events("{\"record\":\"run\"}\n{\"record\":\"run\"}\n", 0, "start\ndone cut\nstart\ndone cut\n",
		"a JSON run without an end is reported as truncated");
	check_events("{\"record\":\"run\"}\n{\"rec", 0, "start\ndone cut\n",
		"a JSON result that is truncated in a line is reported as truncated");
	check_events("{\"record\":\"run\"}\n{\"rec\n", 0, "start\nfault json\n",
		"a malformed JSON line is rejected");
	check_events("{\"x\":1}\n", 0, "fault record-member\n",
		"a JSON object without a record member is rejected");
	check_events("{\"record\":\"kernel\",\"name\":\"k\",\"stats\":{}}\n", 0, "fault run-missing\n",
		"a JSON kernel without a run record is rejected");
	check_events("", 0, "fault no-run\n", "an empty result is rejected");
	check_events("nothing of ours\n", 0, "fault no-run\n", "text that is not a result is rejected");
}

static void test_msgpack(void)
{
	static const char whole[] =
		"\x81\xa6record\xa3run"
		"\x83\xa6record\xa6kernel\xa4name\xa1k\xa5stats\x82\xadgpu_sim_cycle\x05\xa7gpu_ipc\xc0"
		"\x82\xa6record\xa3"
		"end\xa6status\xa8"
		"complete";
	static const char hostile[] = "\x82\xa6record\xa6kernel\xa5stats\xdf\x00\x30\x00\x00";

	is_text(events_of_input(whole, sizeof(whole) - 1, 0),
		"start\nkernel 1 k 0 gpu_sim_cycle=5\ndone complete\n",
		"a msgpack result gives its kernel and its end");
	is_text(events_of_input(whole + 12, sizeof(whole) - 13, 0), "fault run-missing\n",
		"a msgpack kernel without a run record is rejected");
	is_text(events_of_input(whole, sizeof(whole) - 12, 0),
		"start\nkernel 1 k 0 gpu_sim_cycle=5\ndone cut gpu_sim_cycle=5\n",
		"a truncated msgpack result is reported as truncated");
	is_text(events_of_input(hostile, sizeof(hostile) - 1, 0), "fault msgpack-record\n",
		"a msgpack map with too large a count is rejected");
}

#define BLOCK(name, id, stream, cycles, loads, misses, hits, rate) \
	"kernel_name = " name " \nkernel_launch_uid = " id " \nkernel_stream_id = " stream \
	"\ngpu_sim_cycle = " cycles "\nL2_total_cache_accesses = " loads "\nL2_total_cache_misses = " misses \
	"\nL2_total_cache_miss_rate = 0.1234\n" \
	"\tL2_cache_stats_breakdown[GLOBAL_ACC_R][HIT] = " hits "\naveragemflatency = " rate "\n" END

static const char log_text[] =
	"Accel-Sim [build x]\nGPGPU-Sim: Configuration options:\n-opt  7 # help\n" BLOCK(
		"a", "1", "0", "100", "10", "5", "3", "40") BLOCK("b", "2", "9", "50", "14", "8", "2", "50")
		BLOCK("a", "3", "0", "20", "14", "8", "7", "60") "GPGPU-Sim: *** exit detected ***\n";

static void test_log(void)
{
	check_events(log_text, 0,
		"start opt=7\n"
		"kernel 1 a 1 gpu_sim_cycle=100 L2_total_cache_accesses=10 L2_total_cache_misses=5 "
		"L2_cache_stats_breakdown[GLOBAL_ACC_R][HIT]=3 averagemflatency=40~ "
		"L2_total_cache_miss_rate=0.5\n"
		"kernel 2 b 2 gpu_sim_cycle=50 L2_total_cache_accesses=4 L2_total_cache_misses=3 "
		"L2_cache_stats_breakdown[GLOBAL_ACC_R][HIT]=2 L2_total_cache_miss_rate=0.75\n"
		"kernel 3 a 3 gpu_sim_cycle=20 L2_total_cache_accesses=0 L2_total_cache_misses=0 "
		"L2_cache_stats_breakdown[GLOBAL_ACC_R][HIT]=4\n"
		"done complete gpu_sim_cycle=170 L2_total_cache_accesses=14 L2_total_cache_misses=8 "
		"L2_cache_stats_breakdown[GLOBAL_ACC_R][HIT]=9 averagemflatency=60~ "
		"L2_total_cache_miss_rate=0.571429\n",
		"a log gives figures of each kernel, breakdowns of its stream, and new rates");
	check_events(BLOCK("a", "1", "0", "1", "4294967290", "1", "1", "1")
			     BLOCK("a", "2", "0", "1", "-4", "1", "1", "1"),
		RESULT_RUNNING,
		"start\nkernel 1 a 1 gpu_sim_cycle=1 averagemflatency=1~ L2_total_cache_accesses=4294967290 "
		"L2_total_cache_misses=1 L2_cache_stats_breakdown[GLOBAL_ACC_R][HIT]=1 "
		"L2_total_cache_miss_rate=2.32831e-10\nkernel 2 a 2 gpu_sim_cycle=1 averagemflatency=1~ "
		"L2_total_cache_accesses=4294967292 L2_total_cache_misses=1 "
		"L2_cache_stats_breakdown[GLOBAL_ACC_R][HIT]=1 L2_total_cache_miss_rate=2.32831e-10\n"
		"done cut gpu_sim_cycle=2 L2_total_cache_accesses=4294967292 L2_total_cache_misses=1 "
		"L2_cache_stats_breakdown[GLOBAL_ACC_R][HIT]=1 averagemflatency=1~ "
		"L2_total_cache_miss_rate=2.32831e-10\n",
		"a log gives running values, also of counters that wrap at 32 bits");
	check_events("kernel_name = a \nkernel_launch_uid = 1 \ngpu_sim_cycle = 7\n" END
		     "kernel_name = b \nkernel_launch_uid = 2 \ngpu_sim_cyc",
		0, "start\nkernel 1 a 1 gpu_sim_cycle=7\ndone cut gpu_sim_cycle=7\n",
		"a log that is truncated in a block gives the kernels before it");
	check_events("kernel_name = a \nkernel_launch_uid = 1 \ngpu_sim_cycle = 7\n" END
		     "kernel_name = b \nkernel_launch_uid = 1 \ngpu_sim_cycle = 8\n" END,
		0,
		"start\nkernel 1 a 1 gpu_sim_cycle=7\ndone cut gpu_sim_cycle=7\n"
		"start\nkernel 1 b 1 gpu_sim_cycle=8\ndone cut gpu_sim_cycle=8\n",
		"a second kernel 1 in a log begins another run");
}

static double value_of_name(void *ctx, const char *name)
{
	(void)ctx;
	return !strcmp(name, "a[0].x") ? 6 : !strcmp(name, "odd name") ? 2 : (double)NAN;
}

static void check_expression(const char *expression, double want)
{
	struct fault f = {0};
	struct expr *e = expr_parse(expression, "-e", 1, &f);
	double got = e ? expr_value(e, value_of_name, NULL) : -12345;

	ok(isnan(want) ? isnan(got) : fabs(got - want) < 1e-12,
		"the value of an expression is as expected: %s", expression);
	expr_free(e);
}

static void test_expr(void)
{
	static const char *const bad[] = {
		"", "1+", "(1", "1)", "f(1)", "sqrt(1,2)", "1 2", "0x10", "a[", "\"", "min()", "1e999"};
	char deep[400];

	check_expression("1+2*3-4/2", 5);
	check_expression("-(1+2)*-a[0].x", 18);
	check_expression("\"odd name\"*a[0].x", 12);
	check_expression("max(1,min(9,4,5),3)+sqrt(16)+abs(-1)+log(1)", 9);
	check_expression("1/0", (double)NAN);
	check_expression("nothing+1", (double)NAN);
	check_expression("sqrt(-1)", (double)NAN);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct fault f = {0};

		ok(!expr_parse(bad[i], "-e", 1, &f) && f.place.col, "an invalid expression is rejected: %s",
			bad[i]);
	}
	memset(deep, '(', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	ok(!expr_parse(deep, "-e", 1, NULL), "an expression with too many parentheses is rejected");
}

static void test_names(void)
{
	struct namelist l = {0};

	namelist_add(&l, "gpu_ipc,,L2_*,dram[?].n_act");
	is_number((long long)l.n, 3, "empty items of a name list are ignored");
	is_number(namelist_find(&l, "L2_total"), 1, "a name list finds a name by a pattern");
	is_number(namelist_find(&l, "dram[3].n_act"), 2, "brackets in a name list match brackets");
	is_number(namelist_find(&l, "dram[10].n_act"), -1, "? in a name list does not match two characters");
	namelist_free(&l);
}

int main(void)
{
	test_text();
	test_json();
	test_msgpack();
	test_log();
	test_expr();
	test_names();
	return tap_done();
}
