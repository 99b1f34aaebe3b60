/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures streams over arrays far larger than the L2.
 *
 * The figure of a stream is taken in the middle of one kernel, on a GPU with an L2 that holds the lines that
 * the preceding part of the arrays would have left. The figure therefore excludes launches and the filling of
 * queues.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "num.h"
#include "selftest/bench.h"
#include "selftest/probe.h"

/* ---- streams -------------------------------------------------------------------------------- */

struct stream_kind {
	const char *name;
	/* number of arrays read, and number of loads of a thread from the first array */
	uint32_t reads, loads_of_first_array;
	bool writes;
	const char *op;
};

static const struct stream_kind streams[] = {
	{"init", 0, 0, true, NULL},
	{"read", 1, 1, false, "DSETP.NEU.AND"},
	{"scale", 1, 1, true, "DMUL"},
	{"triad", 2, 1, true, "DFMA"},
	{"3pt", 1, 3, true, "DFMA"},
	{"5pt", 1, 5, true, "DFMA"},
	{"triad of four", 3, 1, true, "DFMA"},
};

/* distance between arrays, as in the measured program: each array begins at a multiple of 2 MiB */
#define ARRAY_BYTES ((UINT64_C(2) << 30) + (UINT64_C(2) << 20))

struct probe_stream {
	const struct stream_kind *kind;
	uint64_t first_element; /* first element of the first thread */
};

uint64_t probe_element_address(unsigned array, uint64_t i)
{
	return MICRO_DATA + array * ARRAY_BYTES + i * 8;
}

static void write_stream_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct probe_stream *st = m->arg;
	const struct stream_kind *k = st->kind;
	uint32_t left = m->threads - warp * 32, lanes = left >= 32 ? LANES_ALL : (1u << left) - 1, reg = 16;
	uint64_t i = st->first_element + (uint64_t)block * m->threads + warp * 32;
	char name[16];

	scribe_masked_op(s, lanes, "R0", "S2R", "", 0);
	scribe_masked_op(s, lanes, "R3", "S2R", "", 0);
	scribe_masked_op(s, lanes, "R0", "IMAD", "R3 R0", 0);
	scribe_masked_op(s, lanes, "", "ISETP.GE.U32.AND", "R0", 0);
	scribe_masked_op(s, lanes, "R2", "IMAD.WIDE", "R0 R4", 0);
	for (uint32_t a = 1; a <= k->reads; a++)
		for (uint32_t t = 0; t < (a == 1 ? k->loads_of_first_array : 1); t++, reg += 2) {
			snprintf(name, sizeof(name), "R%u", reg);
			scribe_mem(s, lanes, name, "LDG.E.64", "R2", 8,
				probe_element_address(a, i + 8 + t - k->loads_of_first_array / 2), 8);
		}
	for (uint32_t r = 16; r < reg; r += 2) {
		snprintf(name, sizeof(name), "R%u R%u", r, 8);
		scribe_masked_op(s, lanes, k->writes ? "R8" : "", k->op, name, 0);
	}
	if (k->writes)
		scribe_mem(s, lanes, "", "STG.E.64", "R2 R8", 8, probe_element_address(0, i + 8), 8);
	scribe_masked_op(s, lanes, "", "EXIT", "", 0);
}

#define PIECE 1024u /* number of consecutive elements that one cluster accesses */

/* Warms the L2 with the first n elements, in the order of their accesses. */
static void warm_stream_arrays(
	struct bench *b, const struct subject *s, const struct stream_kind *k, uint64_t n)
{
	for (uint64_t i = 0; i < n; i += PIECE) {
		uint32_t cluster = (uint32_t)(i / PIECE) % s->params.clusters;
		uint64_t bytes = (n - i < PIECE ? n - i : PIECE) * 8;

		for (uint32_t a = 1; a <= k->reads; a++)
			bench_warm_l2(b, probe_element_address(a, i + 8), bytes, cluster, false);
		if (k->writes)
			bench_warm_l2(b, probe_element_address(0, i + 8), bytes, cluster, true);
	}
}

struct flow_shape {
	uint32_t block, per_sm, nregs, shmem;
};

/*
 * Returns the shape of CTAs with `block` threads, of which exactly `per_sm` fit on an SM. The number of
 * registers, or if necessary the size of shared memory, is chosen to limit the CTAs to this number.
 */
static struct flow_shape stream_shape(const struct subject *s, uint32_t block, uint32_t per_sm)
{
	const struct core_params *c = &s->params.core;
	struct flow_shape h = {.block = block, .per_sm = per_sm};
	uint32_t regs = c->registers / (per_sm * ((block + 31) / 32 * 32)) / 4 * 4;

	h.nregs = regs <= 255 ? regs : 32;
	h.shmem = regs <= 255 ? 0 : (c->shmem_bytes / per_sm - s->params.modern.cta_shmem) / 128 * 128;
	return h;
}

/* Number of bytes per thread, as the benchmark counts them. */
static double counted_bytes(const struct stream_kind *k) { return 8.0 * (k->reads + k->writes); }

/*
 * Size of the simulated run, in bytes and in waves of CTAs, and the measured part of the run. This part
 * excludes the start, the end and the filling of queues.
 */
#define STREAM_BYTES 20e6
#define STREAM_WAVES 5.0
#define STREAM_FROM  0.40
#define STREAM_TO    0.80

/*
 * Returns parameters with which CTAs are placed no faster than DRAM can complete them. Long after the launch
 * of a kernel its CTAs are at all positions of their code. Right after the launch, they would all read at the
 * same time and then all write at the same time, for many waves.
 */
static struct params params_with_spread_ctas(const struct subject *s, double cta_bytes)
{
	const struct dram_params *d = &s->params.mem.dram;
	double rate = s->params.mem.channels * (double)d->atom_bytes / d->burst_cycles * s->params.hz[3];
	double cycles = fmin(cta_bytes / rate * s->params.hz[0], 1e6);
	uint64_t interval = (uint64_t)(cycles * 1e6);
	struct params p = s->params;

	if (!d->simple && interval > p.modern.cta_interval)
		p.modern.cta_interval = interval;
	return p;
}

static double stream_rate(const struct subject *s, const struct stream_kind *k, const struct flow_shape *h)
{
	struct params p = params_with_spread_ctas(s, counted_bytes(k) * h->block);
	double wave = counted_bytes(k) * h->block * h->per_sm * s->params.sms;
	struct probe_stream st = {.kind = k};
	struct micro m = {.name = "stream",
		.blocks = s->params.sms * h->per_sm *
			  probe_round_count(fmax(STREAM_WAVES, ceil(STREAM_BYTES / wave))),
		.threads = h->block,
		.nregs = h->nregs,
		.shmem = h->shmem,
		.arch = s->arch,
		.body = write_stream_body,
		.arg = &st};
	struct bench *b;
	double cycles;

	st.first_element = (uint64_t)(2 * (double)subject_l2_bytes(s) / counted_bytes(k)) / PIECE * PIECE;
	b = bench_open(&p, s->isa);
	warm_stream_arrays(b, s, k, st.first_element);
	cycles = (double)bench_time_middle(b, &m, BENCH_CTAS, STREAM_FROM, STREAM_TO);
	bench_close(b);
	return subject_gb_per_s(
		s, counted_bytes(k) * m.blocks * m.threads * (STREAM_TO - STREAM_FROM), cycles);
}

static const struct stream_kind *find_stream_kind(const char *name)
{
	for (unsigned i = 0; i < sizeof(streams) / sizeof(*streams); i++)
		if (!strcmp(name, streams[i].name))
			return &streams[i];
	return NULL;
}

double probe_scale_rate(const struct subject *s)
{
	struct flow_shape h = stream_shape(s, 512, s->params.core.threads / 512);

	return stream_rate(s, find_stream_kind("scale"), &h);
}

struct micro probe_scale_kernel(const struct subject *s, double bytes, uint32_t block)
{
	static const struct stream_kind scale = {"scale", 1, 1, true, "DMUL"};
	static const struct probe_stream stream = {.kind = &scale};

	return (struct micro){.name = "scale",
		.blocks = probe_round_count(bytes / 16) / block + 1,
		.threads = block,
		.nregs = 16,
		.arch = s->arch,
		.body = write_stream_body,
		.arg = &stream};
}

/*
 * Parses the params, which are a line of the table in the source: block size, threads, [CTAs per SM,]
 * occupancy in percent. In the triad, the program that prints four columns reads three arrays, and the older
 * program reads two.
 */
double probe_stream(const struct probe *p, const struct subject *s)
{
	struct flow_shape h = stream_shape(s, probe_round_count(p->param[1]), probe_round_count(p->param[2]));

	return stream_rate(s, find_stream_kind(p->param[3] > 0 ? "triad of four" : p->rest), &h);
}

static unsigned count_columns(const char *s)
{
	unsigned n = 0;
	double column;

	for (; num_real(&s, &column) == NUM_GOOD; n++)
		s += strspn(s, " ");
	return n;
}

bool probe_stream_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	const char *percent = strrchr(r->params, '%'), *word = percent, *line = strstr(r->params, "line=");
	double share, threads;

	*why = "unknown stream";
	if (!find_stream_kind(p->rest))
		return false;
	*why = "params lack the block size or the occupancy (expected at most 100 %)";
	while (word && word > r->params && word[-1] == ' ')
		word--;
	while (word && word > r->params && word[-1] != ' ')
		word--;
	if (!word || num_real(&word, &share) != NUM_GOOD || !(share > 0 && share <= 100) || p->param[0] < 1 ||
		p->param[0] > 2048)
		return false;
	threads = floor(share / 100 * s->params.core.threads / 16 + 0.5) * 16;
	p->param[1] = p->param[0] > 1024 ? p->param[0] / 2 : p->param[0];
	p->param[2] = floor(threads / p->param[1] + 0.5);
	if (p->param[2] < 1)
		p->param[2] = 1;
	*why = "more threads than an SM of this GPU has";
	if (p->param[2] * ceil(p->param[1] / 32) * 32 > s->params.core.threads)
		return false;
	p->param[3] = !strcmp(p->rest, "triad") && count_columns(line + 5) == 4;
	snprintf(p->group, sizeof(p->group), "stream %s", share >= 50 ? "full" : "by occupancy");
	return true;
}
