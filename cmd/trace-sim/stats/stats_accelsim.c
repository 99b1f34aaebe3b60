/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The printer: the block that the original prints after each kernel (trace-stats(5)), and the lines of
 * its speed report. Numbers are written in the C locale, which the program never leaves.
 */
#include "stats_int.h"

static void print_text(struct stats_sink *s, const char *fmt, va_list args)
	__attribute__((format(printf, 2, 0)));
static void print_text(struct stats_sink *s, const char *fmt, va_list args) { vfprintf(s->out, fmt, args); }

static void print_count(struct stats_sink *s, const char *name, const char *before, uint64_t shown,
	uint64_t running, enum count_style style, const char *after)
{
	(void)running;
	if (style == SHOW_32)
		fprintf(s->out, "%s%s%" PRId32 "%s", name, before, (int32_t)(uint32_t)shown, after);
	else
		fprintf(s->out, "%s%s%" PRIu64 "%s", name, before, shown, after);
}

static void print_ratio(struct stats_sink *s, const char *name, const char *before, enum real_style style,
	struct quotient q, const char *after)
{
	fprintf(s->out, "%s%s", name, before);
	switch (style) {
	case F12_4: fprintf(s->out, "%12.4f", q.shown); break;
	case F4: fprintf(s->out, "%.4f", q.shown); break;
	case F3: fprintf(s->out, "%.3f", q.shown); break;
	case F6: fprintf(s->out, "%.6f", q.shown); break;
	case G4: fprintf(s->out, "%.4g", q.shown); break;
	case G6: fprintf(s->out, "%g", q.shown); break;
	}
	fputs(after, s->out);
}

static const struct sink_ops printer = {print_text, print_count, print_ratio};

void stats_print_block(struct gpu *g, const struct stats_block *b, FILE *out)
{
	struct stats_sink s = {.ops = &printer, .out = out, .block = b};

	stats_walk(&s, g);
}

void stats_print_speed(const struct gpu *g, double host_seconds, FILE *out)
{
	unsigned t = host_seconds >= 1 ? (unsigned)host_seconds : 1;
	uint64_t cycles = g->tot_cycle / t;

	fprintf(out, "\n\ngpgpu_simulation_time = %u days, %u hrs, %u min, %u sec (%u sec)\n", t / 86400,
		t / 3600 % 24, t / 60 % 60, t % 60, t);
	fprintf(out, "gpgpu_simulation_rate = %u (inst/sec)\n", (unsigned)(g->tot_insn / t));
	fprintf(out, "gpgpu_simulation_rate = %u (cycle/sec)\n", (unsigned)cycles);
	fprintf(out, "gpgpu_silicon_slowdown = %" PRIu64 "x\n",
		(uint64_t)g->params.hz[0] / (cycles ? cycles : 1));
}
