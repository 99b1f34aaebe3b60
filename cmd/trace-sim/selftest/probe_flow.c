/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bandwidths: what flows out of the L1, the L2 and the DRAM when all SMs read or write as fast as they can, and the
 * cycles of an L1 access by the shape of its addresses.
 *
 * Each figure is the difference of two runs that differ in their length only, on machines whose L2 holds what the
 * traffic before would have left there. Where all SMs do the same in their L1s, one of them is run.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "num.h"
#include "selftest/bench.h"
#include "selftest/probe.h"

#define SECTOR 32u

static double core_hz(const struct subject *s) { return s->params.hz[0]; }

/* Bytes in a difference of cycles, as GB/s. */
static double rate(const struct subject *s, double bytes, double cycles)
{
	return cycles > 0 ? bytes * core_hz(s) / cycles / 1e9 : NAN;
}

static uint32_t u32(double v) { return v < 1 ? 1 : v > 1e9 ? 1000000000u : (uint32_t)(v + 0.5); }

/* ---- one buffer, read again and again ------------------------------------------------------- */

#define L1_THREADS 256u
#define L1_BATCH   16u /* loads of a warp before the sums that wait for them */

struct loop {
	uint32_t loads; /* of a warp in one pass over the buffer */
	uint32_t total; /* of a warp altogether */
};

static void read_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct loop *l = m->what;
	uint32_t batch = L1_BATCH;
	char reg[8];

	(void)block;
	for (uint32_t i = 0; i < l->total; i += batch) {
		s->pc = 0x100;
		for (uint32_t k = 0; k < batch; k++) {
			uint64_t at = (uint64_t)((i + k) % l->loads) * L1_THREADS + warp * 32;

			snprintf(reg, sizeof reg, "R%u", 16 + k);
			scribe_mem(s, LANES_ALL, reg, "LDG.E", "R2", 4, MICRO_DATA + at * 4, 4);
		}
		for (uint32_t k = 0; k < batch; k++) {
			char src[16];

			snprintf(src, sizeof src, "R4 R%u", 16 + k);
			scribe_op(s, "R4", "FADD", src, 0);
		}
		scribe_op(s, "R4", "FMUL", "R4", 0);
		scribe_op(s, "R2", "IADD3", "R2 R255 R255", 0);
		scribe_op(s, "", "BRA", "", 0x100);
	}
	s->pc = 0x100 + 16 * (2 * batch + 3);
	scribe_exit(s);
}

/* Cycles of each more loads of a warp than of lead, on machines alike. */
double probe_l1_flow(const struct probe *p, const struct subject *s)
{
	double bytes = p->n[0] * 1024, l2 = (double)subject_l2_bytes(s), first;
	bool inside = bytes <= (double)subject_l1_bytes(s);
	struct loop l = {.loads = u32(bytes / 4 / L1_THREADS)};
	struct micro m = {.name = "read",
		.blocks = inside ? 1 : s->params.sms,
		.threads = L1_THREADS,
		.nregs = 64,
		.arch = s->arch,
		.body = read_body,
		.what = &l};
	uint32_t lead = inside ? l.loads * 2 : 32, more = inside ? 512 : 96;
	struct bench *b;

	if (more > l.loads)
		more -= more % l.loads;
	b = bench_open(&s->params, s->isa);
	for (uint64_t at = 0; at < (uint64_t)fmin(bytes, l2); at += SECTOR)
		bench_warm(
			b, MICRO_DATA + at, inside ? 0 : (uint32_t)(at / SECTOR) % s->params.clusters, false);
	l.total = lead;
	if (inside) /* code, too, is where it stays */
		bench_kernel(b, &m);
	first = (double)bench_kernel(b, &m);
	l.total = lead + more;
	first = (double)bench_kernel(b, &m) - first;
	bench_close(b);
	return rate(s, (double)more * L1_THREADS * 4 * s->params.sms, first);
}

/* ---- CTAs that read a share of a buffer each ------------------------------------------------ */

/*
 * CTA b of the program reads share b modulo their number, row by row; each row of a share is as long as a CTA is wide.
 * A figure is taken in the middle of a long run: the CTAs that are resident have come one after the other, so that each
 * is in another row, and what the L2 holds is what they and those before them have read.
 */
#define L2_THREADS 1024u
#define ROW_BYTES  (L2_THREADS * 8)

struct shares {
	uint32_t run, rows;    /* shares in the buffer, rows of a share */
	uint32_t slots;        /* resident CTAs */
	uint32_t first, loads; /* row that slot 0 reads next; loads of a thread */
};

/* Address of the row that a slot's CTA reads at that step. */
static uint64_t row_at(const struct shares *h, uint32_t slot, uint32_t step)
{
	uint64_t progress = step + (uint64_t)slot * h->rows / h->slots, row = progress % h->rows;
	uint64_t cta = progress / h->rows * h->slots + (h->slots - 1 - slot);

	return MICRO_DATA + (row * h->run + cta % h->run) * ROW_BYTES;
}

static void share_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct shares *h = m->what;

	for (uint32_t i = 0; i < h->loads; i++) {
		uint64_t at = row_at(h, block, h->first + i) + warp * 32 * 8;
		char reg[8];

		snprintf(reg, sizeof reg, "R%u", 16 + 2 * (i % 16));
		scribe_mem(s, LANES_ALL, reg, "LDG.E.64", "R2", 8, at, 8);
	}
	for (uint32_t i = 0; i < h->loads; i++) {
		char src[16];

		snprintf(src, sizeof src, "R4 R%u", 16 + 2 * (i % 16));
		scribe_op(s, "R4", "DADD", src, 0);
	}
	scribe_exit(s);
}

/* The steps that fill the L2 twice over, and the whole buffer if it is smaller. */
static void share_warm(struct bench *b, const struct subject *s, struct shares *h)
{
	double most = fmin(2 * (double)subject_l2_bytes(s), 2.0 * h->run * h->rows * ROW_BYTES);
	uint32_t steps = u32(ceil(most / ((double)h->slots * ROW_BYTES)));

	for (; h->first < steps; h->first++)
		for (uint32_t slot = 0; slot < h->slots; slot++)
			for (uint32_t at = 0; at < ROW_BYTES; at += SECTOR)
				bench_warm(
					b, row_at(h, slot, h->first) + at, slot % s->params.clusters, false);
}

double probe_l2_flow(const struct probe *p, const struct subject *s)
{
	uint32_t per_sm = s->params.core.threads / L2_THREADS, few = 2, more = 4;
	struct shares h = {.run = u32(p->n[0] / p->n[1]),
		.rows = u32(p->n[1] * 1024 / ROW_BYTES),
		.slots = s->params.sms * (per_sm ? per_sm : 1),
		.loads = few};
	struct micro m = {.name = "shares",
		.blocks = h.slots,
		.threads = L2_THREADS,
		.nregs = 32,
		.arch = s->arch,
		.body = share_body,
		.what = &h};
	struct bench *b;
	double first;

	b = bench_open(&s->params, s->isa);
	share_warm(b, s, &h);
	first = (double)bench_kernel(b, &m);
	h.first += few;
	h.loads = few + more;
	first = (double)bench_kernel(b, &m) - first;
	bench_close(b);
	return rate(s, (double)more * m.blocks * ROW_BYTES, first);
}

bool probe_flow_ready(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	bool l1 = p->kind->run == probe_l1_flow;
	double bytes = p->n[0] * 1024, cache = (double)(l1 ? subject_l1_bytes(s) : subject_l2_bytes(s));

	(void)r;
	*why = "a footprint of 1 KiB to 1 GiB is wanted";
	if (bytes < 1024 || bytes > 1024.0 * 1024 * 1024 || (!l1 && (p->n[1] < 1 || p->n[1] > p->n[0])))
		return false;
	snprintf(p->group, sizeof p->group, "bandwidth %s",
		l1 ? (bytes <= 0.65 * cache         ? "L1"
			     : bytes <= 1.6 * cache ? "L1 to L2"
						    : "one buffer")
		   : (bytes <= 0.5 * cache          ? "L2"
			     : bytes <= 1.6 * cache ? "L2 to DRAM"
						    : "DRAM shares"));
	return true;
}

/* ---- streams -------------------------------------------------------------------------------- */

struct stream_kind {
	const char *name;
	uint32_t reads, taps; /* arrays read; loads of a thread from the first of them */
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
};

#define ARRAY_BYTES (UINT64_C(1) << 30)

struct probe_stream {
	const struct stream_kind *kind;
	uint64_t first; /* element of the first thread */
};

static uint64_t element(unsigned array, uint64_t i) { return MICRO_DATA + array * ARRAY_BYTES + i * 8; }

static void stream_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct probe_stream *st = m->what;
	const struct stream_kind *k = st->kind;
	uint32_t left = m->threads - warp * 32, lanes = left >= 32 ? LANES_ALL : (1u << left) - 1, reg = 16;
	uint64_t i = st->first + (uint64_t)block * m->threads + warp * 32;
	char name[16];

	scribe_masked(s, lanes, "R0", "S2R", "", 0);
	scribe_masked(s, lanes, "R3", "S2R", "", 0);
	scribe_masked(s, lanes, "R0", "IMAD", "R3 R0", 0);
	scribe_masked(s, lanes, "", "ISETP.GE.U32.AND", "R0", 0);
	scribe_masked(s, lanes, "R2", "IMAD.WIDE", "R0 R4", 0);
	for (uint32_t a = 1; a <= k->reads; a++)
		for (uint32_t t = 0; t < (a == 1 ? k->taps : 1); t++, reg += 2) {
			snprintf(name, sizeof name, "R%u", reg);
			scribe_mem(
				s, lanes, name, "LDG.E.64", "R2", 8, element(a, i + 8 + t - k->taps / 2), 8);
		}
	for (uint32_t r = 16; r < reg; r += 2) {
		snprintf(name, sizeof name, "R%u R%u", r, 8);
		scribe_masked(s, lanes, k->writes ? "R8" : "", k->op, name, 0);
	}
	if (k->writes)
		scribe_mem(s, lanes, "", "STG.E.64", "R2 R8", 8, element(0, i + 8), 8);
	scribe_masked(s, lanes, "", "EXIT", "", 0);
}

/* What the elements before the first leave in the L2, in the order in which they were touched. */
static void stream_warm(struct bench *b, const struct subject *s, const struct probe_stream *st)
{
	for (uint64_t i = 0; i < st->first; i += SECTOR / 8) {
		uint32_t cluster = (uint32_t)(i / 1024) % s->params.clusters;

		for (uint32_t a = 1; a <= st->kind->reads; a++)
			bench_warm(b, element(a, i + 8), cluster, false);
		if (st->kind->writes)
			bench_warm(b, element(0, i + 8), cluster, true);
	}
}

struct flow_shape {
	uint32_t block, per_sm, nregs, shmem;
};

/* CTAs of block threads, per_sm on each SM, held there by registers or else by shared memory. */
static struct flow_shape shape_of(const struct subject *s, uint32_t block, uint32_t per_sm)
{
	const struct core_params *c = &s->params.core;
	struct flow_shape h = {.block = block, .per_sm = per_sm};
	uint32_t regs = c->registers / (per_sm * ((block + 31) / 32 * 32)) / 4 * 4;

	h.nregs = regs <= 255 ? regs : 32;
	h.shmem = regs <= 255 ? 0 : c->shmem_bytes / per_sm / 128 * 128;
	return h;
}

/* Cycles of that many waves of CTAs, which go on where the last kernel ended. */
static double stream_time(struct bench *b, const struct subject *s, struct probe_stream *st,
	const struct flow_shape *h, uint32_t waves)
{
	struct micro m = {.name = "stream",
		.blocks = s->params.sms * h->per_sm * waves,
		.threads = h->block,
		.nregs = h->nregs,
		.shmem = h->shmem,
		.arch = s->arch,
		.body = stream_body,
		.what = st};
	double cycles = (double)bench_kernel(b, &m);

	st->first += (uint64_t)m.blocks * m.threads;
	return cycles;
}

/* Bytes that count for a thread of the kind, as the benchmark counts them. */
static double counted(const struct stream_kind *k) { return 8.0 * (k->reads + k->writes); }

#define STREAM_BYTES 4e6 /* of the difference */

static double stream_rate(const struct subject *s, const struct stream_kind *k, const struct flow_shape *h)
{
	double wave = counted(k) * h->block * h->per_sm * s->params.sms;
	uint32_t few = u32(STREAM_BYTES / 3 / wave), many = few + u32(STREAM_BYTES / wave);
	struct probe_stream st = {.kind = k};
	struct bench *b;
	double first, second;

	st.first = (uint64_t)(1.25 * (double)subject_l2_bytes(s) / counted(k)) / 1024 * 1024;
	b = bench_open(&s->params, s->isa);
	stream_warm(b, s, &st);
	first = stream_time(b, s, &st, h, few);
	second = stream_time(b, s, &st, h, many);
	bench_close(b);
	return rate(s, wave * (many - few), second - first);
}

static const struct stream_kind *stream_of(const char *name)
{
	for (unsigned i = 0; i < sizeof streams / sizeof *streams; i++)
		if (!strcmp(name, streams[i].name))
			return &streams[i];
	return NULL;
}

/* The params are a line of the source's table: block size, [CTAs of an SM,] threads, occupancy in percent. */
double probe_stream(const struct probe *p, const struct subject *s)
{
	struct flow_shape h = shape_of(s, u32(p->n[1]), u32(p->n[2]));

	return stream_rate(s, stream_of(p->rest), &h);
}

bool probe_stream_ready(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	const char *percent = strrchr(r->params, '%'), *word = percent;
	double share, threads;

	*why = "no stream of this name";
	if (!stream_of(p->rest))
		return false;
	*why = "no block size and occupancy of at most 100 % in the params";
	while (word && word > r->params && word[-1] == ' ')
		word--;
	while (word && word > r->params && word[-1] != ' ')
		word--;
	if (!word || num_real(&word, &share) != NUM_GOOD || !(share > 0 && share <= 100) || p->n[0] < 1 ||
		p->n[0] > 2048)
		return false;
	threads = floor(share / 100 * s->params.core.threads / 16 + 0.5) * 16;
	p->n[1] = p->n[0] > 1024 ? p->n[0] / 2 : p->n[0];
	p->n[2] = floor(threads / p->n[1] + 0.5);
	if (p->n[2] < 1)
		p->n[2] = 1;
	*why = "more threads than an SM of this machine has";
	if (p->n[2] * ceil(p->n[1] / 32) * 32 > s->params.core.threads)
		return false;
	snprintf(p->group, sizeof p->group, "stream %s", share >= 50 ? "full" : "by occupancy");
	return true;
}

/* ---- small kernels one after another --------------------------------------------------------- */

#define SMALL_BLOCK 256u
#define SMALL_MOST  6e6 /* bytes up to which a kernel is run as it is */

static double small_time(const struct subject *s, double bytes)
{
	static const struct stream_kind there = {"scale", 1, 1, true, "DMUL"};
	struct probe_stream st = {.kind = &there};
	struct micro m = {.name = "scale",
		.blocks = u32(bytes / 16) / SMALL_BLOCK + 1,
		.threads = SMALL_BLOCK,
		.nregs = 16,
		.arch = s->arch,
		.body = stream_body,
		.what = &st};
	struct bench *b;
	double cycles;

	b = bench_open(&s->params, s->isa);
	for (uint64_t i = 0; i < m.blocks * (uint64_t)SMALL_BLOCK; i += SECTOR / 8) {
		uint32_t cluster = (uint32_t)(i / SMALL_BLOCK) % s->params.clusters;

		bench_warm(b, element(1, i + 8), cluster, false);
		bench_warm(b, element(0, i + 8), cluster, true);
	}
	bench_kernel(b, &m);
	cycles = (double)bench_kernel(b, &m);
	bench_close(b);
	return cycles;
}

/* Beyond what is run, time grows with the bytes as from half of that to all of it, and as DRAM streams beyond the L2. */
double probe_small(const struct probe *p, const struct subject *s)
{
	double bytes = p->n[0], run = bytes < SMALL_MOST ? bytes : SMALL_MOST,
	       l2 = 0.8 * (double)subject_l2_bytes(s);
	double time = small_time(s, run), inside = bytes < l2 ? bytes : l2;

	if (bytes > run)
		time += (time - small_time(s, run / 2)) / (run / 2) * (inside - run);
	if (bytes > inside) {
		struct flow_shape h = shape_of(s, 512, s->params.core.threads / 512);

		time += (bytes - inside) / (stream_rate(s, stream_of("scale"), &h) * 1e9 / core_hz(s));
	}
	return rate(s, bytes, time);
}

bool probe_small_ready(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	(void)r;
	(void)s;
	*why = "launches by a graph or from within a kernel are not modelled";
	if (*p->rest)
		return false;
	strcpy(p->group, "small kernels");
	*why = "64 bytes to 16 GiB are wanted";
	return p->n[0] >= 64 && p->n[0] <= 16.0 * (1u << 30);
}

/* ---- strides -------------------------------------------------------------------------------- */

#define STRIDE_THREADS 1024u
#define PITCH          4098u /* elements between the rows of a block */

struct stride {
	uint32_t size, stride, block, rounds; /* block 0: a stride */
};

static void stride_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	static const uint8_t at[8] = {0, 4, 8, 12, 20, 16, 24, 28};
	const struct stride *t = m->what;
	bool wide = t->size == 8;

	(void)block;
	for (uint32_t r = 0; r < t->rounds; r++) {
		s->pc = 0x100;
		scribe_op(s, "R2", "IADD3", "R2 R255 R255", 0);
		scribe_op(s, "R3", "IADD3.X", "R3 R255 R255", 0);
		for (uint32_t k = 0; k < 8; k++) {
			uint64_t lane[32];
			char reg[8];

			for (uint32_t i = 0; i < 32; i++) {
				uint32_t tid = warp * 32 + i;
				uint64_t e = t->block ? tid % t->block +
								(uint64_t)(tid / t->block % 32 + 1) * PITCH
						      : (uint64_t)(tid % 64) * t->stride;

				lane[i] = MICRO_DATA + (e + at[k]) * t->size;
			}
			snprintf(reg, sizeof reg, "R%u", 16 + 2 * k);
			scribe_lanes(s, reg, wide ? "LDG.E.64" : "LDG.E", "R2", t->size, lane);
		}
		for (uint32_t k = 0; k < 4; k++) {
			char src[24];

			snprintf(src, sizeof src, "R%u R%u R8", 16 + 4 * k, 18 + 4 * k);
			scribe_op(s, "R8", wide ? "DFMA" : "FFMA", src, 0);
		}
		scribe_op(s, "R6", "IADD3", "R6 R255 R255", 0);
		scribe_op(s, "", "ISETP.GE.AND", "R6", 0);
		scribe_op(s, "", "BRA", "", 0x100);
	}
	s->pc = 0x100 + 16 * 17;
	scribe_exit(s);
}

static double stride_time(const struct subject *s, struct stride t, uint32_t rounds)
{
	struct micro m = {.name = "strides",
		.blocks = 1,
		.threads = STRIDE_THREADS,
		.nregs = 32,
		.arch = s->arch,
		.body = stride_body,
		.what = &t};
	struct bench *b;
	double cycles;

	t.rounds = rounds;
	b = bench_open(&s->params, s->isa);
	cycles = (double)bench_kernel(b, &m);
	bench_close(b);
	return cycles;
}

double probe_stride(const struct probe *p, const struct subject *s)
{
	struct stride t = {.size = strncmp(p->rest, "double", 6) ? 4 : 8};
	uint32_t few = 4, many = 12;

	if (p->n[0] >= 0)
		t.stride = (uint32_t)p->n[0];
	else
		t.block = (uint32_t)p->n[1];
	return (stride_time(s, t, many) - stride_time(s, t, few)) /
	       ((many - few) * 8.0 * STRIDE_THREADS / 32);
}

bool probe_stride_ready(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	(void)r;
	(void)s;
	strcpy(p->group, "strides");
	*why = "stride=0 to 4096 or block=1 to 64, of float or double, is wanted";
	return (!strncmp(p->rest, "float", 5) || !strncmp(p->rest, "double", 6)) &&
	       ((p->n[0] >= 0 && p->n[0] <= 4096) || (p->n[0] < 0 && p->n[1] >= 1 && p->n[1] <= 64));
}
