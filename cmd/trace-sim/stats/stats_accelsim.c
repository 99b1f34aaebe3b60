/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The printer: the block that the original prints after each kernel (trace-stats(5)), and the lines of
 * its speed report. Numbers are written in the C locale, which the program never leaves.
 */
#include "stats_int.h"

static void print_count(struct stats_sink *s, const char *name, const char *before, uint64_t shown,
	uint64_t running, enum count_style style, const char *after)
{
	(void)running;
	bytes_puts(s->out, name);
	bytes_puts(s->out, before);
	if (style == SHOW_32)
		bytes_signed(s->out, (int32_t)(uint32_t)shown, 0);
	else
		bytes_unsigned(s->out, shown);
	bytes_puts(s->out, after);
}

void stats_real(struct stats_sink *s, enum real_style style, double v)
{
	if (collecting(s))
		return;
	switch (style) {
	case F12_4: bytes_fixed(s->out, v, 12, 4); break;
	case F9_6: bytes_fixed(s->out, v, 9, 6); break;
	case F4: bytes_fixed(s->out, v, 0, 4); break;
	case F3: bytes_fixed(s->out, v, 0, 3); break;
	case F6: bytes_fixed(s->out, v, 0, 6); break;
	case G4: bytes_general(s->out, v, 4); break;
	case G6: bytes_general(s->out, v, 6); break;
	}
}

static void print_ratio(struct stats_sink *s, const char *name, const char *before, enum real_style style,
	struct quotient q, const char *after)
{
	bytes_puts(s->out, name);
	bytes_puts(s->out, before);
	stats_real(s, style, q.shown);
	bytes_puts(s->out, after);
}

static const struct sink_ops printer = {print_count, print_ratio};

/* Whoever checks the stream at the end sees a write that failed. */
void stats_print_block(struct gpu *g, const struct stats_block *b, FILE *out)
{
	struct bytes text = {0};
	struct stats_sink s = {.ops = &printer, .out = &text, .block = b};

	stats_walk(&s, g);
	fwrite(text.p, 1, text.n, out);
	bytes_free(&text);
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
