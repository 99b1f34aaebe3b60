/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures the speeds of the text parser and of the decoder of packed streams, for tests/tools/pack-bench. A
 * speed is the best of several rounds, in processor time of this thread. Both produce the records that the
 * simulator reads: once with bases and strides as in the lines, and once with the addresses of all lanes.
 *
 * usage: pack_speed SECONDS LIST STREAM
 *
 * Prints the number of instructions, and the seconds of four conversions: text to records, text to records
 * with all lanes, stream to records, stream to records with all lanes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "klist.h"
#include "pack.h"
#include "trace.h"

static double thread_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t sum, insts;

static void sum_lane_addresses(const struct tblock *tb)
{
	static uint64_t lane[32];

	for (uint32_t i = 0; i < tb->n_recs; i++) {
		if (!tb->rec[i].addr)
			continue;
		rec_addresses(tb, &tb->rec[i], lane);
		sum += lane[0];
	}
}

static void read_list(struct klist *k, const struct trace_options *o, bool addresses)
{
	struct tblock tb = {0};
	struct fault f;

	insts = 0;
	for (uint32_t i = 0; i < k->n_cmds; i++) {
		if (k->cmd[i].kind != CMD_KERNEL)
			continue;
		struct trace *t = klist_open(k, i, o, &f);
		int r = t ? 0 : -1;

		while (t && (r = trace_next(t, &tb, &f)) > 0) {
			insts += tb.n_recs;
			if (addresses)
				sum_lane_addresses(&tb);
		}
		if (r < 0)
			die_fault(&f);
		trace_close(t);
	}
	tblock_free(&tb);
}

static double best_of_rounds(struct klist *k, bool addresses, double seconds)
{
	struct isa *isa = isa_new();
	struct trace_options o = {.code = code_new(isa)};
	double least = 1e9;

	for (double begin = thread_seconds(); thread_seconds() - begin < seconds;) {
		double from = thread_seconds();

		read_list(k, &o, addresses);
		from = thread_seconds() - from;
		least = from < least ? from : least;
	}
	code_free(o.code);
	isa_free(isa);
	return least;
}

int main(int argc, char **argv)
{
	struct klist text = {0}, packed = {0};
	struct fault f;

	diag_init("pack_speed");
	diag_quiet(true);
	if (argc != 4)
		die("usage: pack_speed SECONDS LIST STREAM");
	double s = strtod(argv[1], NULL), t[4];

	if (klist_read(&text, argv[2], &f) < 0 || klist_read(&packed, argv[3], &f) < 0)
		die_fault(&f);
	t[0] = best_of_rounds(&text, false, s);
	t[1] = best_of_rounds(&text, true, s);
	t[2] = best_of_rounds(&packed, false, s);
	t[3] = best_of_rounds(&packed, true, s);
	printf("%llu %.9f %.9f %.9f %.9f\n", (unsigned long long)insts, t[0], t[1], t[2], t[3]);
	klist_free(&text);
	klist_free(&packed);
	return sum == 1;
}
