/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writing the timeline; see timeline.h. Thread blocks and kernels are written when they end, counters at the
 * end of the run. Left out: single instructions (--profile sums them up) and requests (--events lists them).
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include "arena.h"
#include "gpu/launch.h"
#include "results/record_format.h"
#include "timeline.h"

#define PID_KERNELS    1u
#define PID_SM         2u /* of SM 0 */
#define FIRST_INTERVAL 256u

/* Running values, but for the warps. */
struct sample {
	uint64_t cycle, insts, l1, l1_miss, l2, l2_miss, dram_bytes, flits_out, flits_in;
	uint32_t warps;
};

struct open_cta {
	uint64_t start;
	uint64_t id;
	uint32_t kernel;
}; /* kernel 0: none */

struct timeline {
	FILE *out;
	bool fixed; /* the interval was given */
	uint64_t interval, due;
	uint64_t *shown;                  /* bit set of SMs */
	struct open_cta (*cta)[MAX_CTAS]; /* by SM */
	bool stream_named[MAX_STREAMS];
	struct sample *sample;
	uint32_t n_samples, cap_samples;
};

/* ---- events ---------------------------------------------------------------------------------- */

static void name_process(struct timeline *t, unsigned pid, const char *name)
{
	fprintf(t->out,
		",\n{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_name\",\"args\":{\"name\":\"%s\"}}"
		",\n{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_sort_index\",\"args\":{\"sort_index\":%u}}",
		pid, name, pid, pid);
}

static void name_sms(struct timeline *t, const struct gpu *g, uint32_t n)
{
	uint32_t sms = g->params.sms;

	if (n > sms)
		n = sms;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t sm = (uint32_t)((uint64_t)i * sms / n);
		char name[24];

		bitset_set(t->shown, sm);
		snprintf(name, sizeof name, "SM %u", sm);
		name_process(t, PID_SM + sm, name);
	}
}

struct timeline *timeline_start(const struct gpu *g, FILE *out, uint64_t interval, uint32_t sms)
{
	struct timeline *t = xcalloc(1, sizeof *t);

	t->out = out;
	t->fixed = interval != 0;
	t->interval = interval ? interval : FIRST_INTERVAL;
	t->due = t->interval;
	t->shown = xcalloc(BITSET_WORDS(g->params.sms), sizeof *t->shown);
	t->cta = xcalloc(g->params.sms, sizeof *t->cta);
	grow(&t->sample, &t->cap_samples, 1, sizeof *t->sample);
	t->sample[t->n_samples++] = (struct sample){0};
	fprintf(out,
		"{\"displayTimeUnit\":\"ns\",\"otherData\":{\"tool\":\"trace-sim\","
		"\"unit\":\"1 us is 1 core cycle\",\"core_hz\":%.0f},\"traceEvents\":[\n"
		"{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_name\",\"args\":{\"name\":\"kernels\"}}",
		g->params.hz[0], PID_KERNELS);
	name_sms(t, g, sms);
	return t;
}

void timeline_cta(struct timeline *t, const struct sm *s, unsigned slot, const struct kernel *k)
{
	if (bitset_test(t->shown, s->id))
		t->cta[s->id][slot] = (struct open_cta){gpu_now(s->gpu), k->next_cta, k->uid};
}

static void write_cta(struct timeline *t, uint32_t sm, unsigned slot, uint64_t end)
{
	struct open_cta *c = &t->cta[sm][slot];

	fprintf(t->out,
		",\n{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64 ",\"dur\":%" PRIu64
		",\"name\":\"kernel %u\",\"args\":{\"cta\":%" PRIu64 "}}",
		PID_SM + sm, slot + 1, c->start, end - c->start, c->kernel, c->id);
	c->kernel = 0;
}

void timeline_cta_end(struct timeline *t, const struct sm *s, unsigned slot, uint64_t end)
{
	if (t->cta[s->id][slot].kernel)
		write_cta(t, s->id, slot, end);
}

void timeline_kernel(struct timeline *t, const struct gpu *g, const struct kernel *k)
{
	char *text = utf8_repair(k->head->name);
	json_t *value = json_string_nocheck(text);
	char *name = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;

	if (!name)
		die("out of memory: writing the timeline");
	if (!t->stream_named[k->stream]) {
		t->stream_named[k->stream] = true;
		fprintf(t->out,
			",\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"thread_name\","
			"\"args\":{\"name\":\"stream %" PRIu64 "\"}}",
			PID_KERNELS, k->stream + 1u, k->head->stream);
	}
	fprintf(t->out,
		",\n{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64 ",\"dur\":%" PRIu64
		",\"name\":%s,\"args\":{\"kernel\":%u,\"position\":%u,\"ctas\":%" PRIu64 "}}",
		PID_KERNELS, k->stream + 1u, k->start_cycle, gpu_now(g) - k->start_cycle, name, k->uid,
		k->position, k->n_ctas);
	free(name);
	json_decref(value);
	free(text);
}

/* ---- counters -------------------------------------------------------------------------------- */

/* Accesses and misses as in the total miss rates of trace-stats(5). */
static void add_cache(const struct cache *c, uint64_t *accesses, uint64_t *misses)
{
	struct cache_counts n = {0};

	cache_add_counts(c, -1, &n);
	for (unsigned i = 0; i < N_ACC_TYPES; i++) {
		uint64_t missed = n.status[i][STATUS_MISS] + n.status[i][STATUS_SECTOR_MISS];

		*misses += missed;
		*accesses += missed + n.status[i][STATUS_HIT] + n.status[i][STATUS_HIT_RESERVED];
	}
}

static void take_sample(struct timeline *t, struct gpu *g)
{
	struct sample *s;

	grow(&t->sample, &t->cap_samples, t->n_samples + 1, sizeof *t->sample);
	s = &t->sample[t->n_samples++];
	*s = (struct sample){.cycle = gpu_now(g)};
	for (uint32_t i = 0; i < g->params.sms; i++) {
		const struct sm *sm = &g->sm[i];

		s->insts += sm->n.insts;
		s->warps += sm->live_warps;
		s->flits_out += sm->n.flits_out;
		if (ldst_l1d(sm))
			add_cache(ldst_l1d(sm), &s->l1, &s->l1_miss);
	}
	for (uint32_t i = 0; i < g->params.clusters; i++)
		s->flits_in += g->cluster[i].flits_in;
	for (uint32_t i = 0; i < memory_sub_partitions(g->mem); i++)
		if (memory_l2(g->mem, i))
			add_cache(memory_l2(g->mem, i), &s->l2, &s->l2_miss);
	for (uint32_t i = 0; i < g->params.mem.channels; i++) {
		struct dram_counts d;

		memory_dram_counts(g->mem, i, &d);
		s->dram_bytes += (d.n_rd + d.n_rd_L2_A + d.n_wr + d.n_wr_WB) * g->params.mem.dram.atom_bytes;
	}
}

uint64_t timeline_due(const struct timeline *t) { return t->due; }

void timeline_sample(struct timeline *t, struct gpu *g)
{
	take_sample(t, g);
	if (!t->fixed && t->n_samples > TIMELINE_SAMPLES) {
		uint32_t kept = 0;

		for (uint32_t i = 0; i < t->n_samples; i += 2)
			t->sample[kept++] = t->sample[i];
		t->n_samples = kept;
		t->interval *= 2;
	}
	t->due = (gpu_now(g) / t->interval + 1) * t->interval;
}

static void write_counter(struct timeline *t, const char *name, uint64_t cycle, double value)
{
	fprintf(t->out,
		",\n{\"ph\":\"C\",\"pid\":%u,\"ts\":%" PRIu64 ",\"name\":\"%s\",\"args\":{\"value\":%.6g}}",
		PID_KERNELS, cycle, name, value);
}

static double rate(uint64_t hits, uint64_t of) { return of ? 100.0 * (double)hits / (double)of : 0; }

/* What happened between two samples is shown from the first on. */
static void write_interval(
	struct timeline *t, const struct gpu *g, const struct sample *a, const struct sample *b)
{
	double cycles = (double)(b->cycle - a->cycle);
	uint64_t slots = (uint64_t)g->params.sms * g->params.core.warps;
	uint64_t l1 = b->l1 - a->l1, l2 = b->l2 - a->l2;

	write_counter(t, "IPC", a->cycle, (double)(b->insts - a->insts) / cycles);
	write_counter(t, "L1D hit rate (%)", a->cycle, rate(l1 - (b->l1_miss - a->l1_miss), l1));
	write_counter(t, "L2 hit rate (%)", a->cycle, rate(l2 - (b->l2_miss - a->l2_miss), l2));
	write_counter(t, "network requests (flits/cycle)", a->cycle,
		(double)(b->flits_out - a->flits_out) / cycles);
	write_counter(
		t, "network replies (flits/cycle)", a->cycle, (double)(b->flits_in - a->flits_in) / cycles);
	write_counter(t, "DRAM bandwidth (GB/s)", a->cycle,
		(double)(b->dram_bytes - a->dram_bytes) / cycles * g->params.hz[0] / 1e9);
	write_counter(t, "occupancy (%)", a->cycle, rate(b->warps, slots));
}

void timeline_end(struct timeline *t, struct gpu *g)
{
	uint64_t now = gpu_now(g);
	struct sample last, after;

	if (t->sample[t->n_samples - 1].cycle < now)
		take_sample(t, g);
	for (uint32_t i = 0; i < g->params.sms; i++)
		for (unsigned slot = 0; slot < MAX_CTAS; slot++)
			if (t->cta[i][slot].kernel)
				write_cta(t, i, slot, now);
	for (uint32_t i = 1; i < t->n_samples; i++)
		write_interval(t, g, &t->sample[i - 1], &t->sample[i]);
	last = after = t->sample[t->n_samples - 1];
	after.cycle++;
	after.warps = 0;
	write_interval(t, g, &last, &after); /* counters fall to 0 at the end */
	fputs("\n]}\n", t->out);
	free(t->shown);
	free(t->cta);
	free(t->sample);
	free(t);
}
