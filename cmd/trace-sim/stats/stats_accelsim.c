/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The printer: the block that the original prints after each kernel (trace-stats(5)), and the lines of its
 * speed report. Numbers have the format of the C locale, which the program never changes.
 */
#include "stats_int.h"

void stats_real(struct stats_sink *s, enum real_style style, double v)
{
	if (is_sink_collecting(s))
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

/* The caller checks the stream for write errors. */
void stats_print_block(struct gpu *g, const struct stats_block *b, FILE *out)
{
	struct bytes text = {0};
	struct stats_sink s = {.out = &text, .block = b};

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
