/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writing the timeline; see timeline.h. Thread blocks and kernels are written when they end, counters at the
 * end of the run, or of their interval where that was given. Left out: single instructions (--profile sums them up)
 * and requests (--events lists them).
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "gpu/launch.h"
#include "record.h"
#include "timeline.h"

#define PID_KERNELS    1u
#define PID_SM         2u /* of SM 0 */
#define FIRST_INTERVAL 256u
#define SM_GROUPS      8u  /* at most: neighbours, whose instructions are counted together */
#define PART_TEXT      64u /* bytes of "SM 100-107":1.23457e-05, at most */

/* Running values, but for the warps. Those by channel and by group of SMs stand in timeline.part. */
struct timeline_sample {
	uint64_t cycle, insts, l1, l1_miss, l2, l2_miss, dram_bytes, flits_out, flits_in;
	uint32_t warps;
};

struct open_cta {
	uint64_t start;
	uint64_t id;
	uint32_t kernel;
}; /* kernel 0: none */

struct open_kernel {
	uint32_t uid;
	uint64_t first; /* cycle of its first thread block */
	char *name;     /* as JSON has it */
};

struct timeline {
	FILE *out;
	bool fixed; /* the interval was given */
	uint64_t interval, due;
	uint64_t *shown;                  /* bit set of SMs */
	struct open_cta (*cta)[MAX_CTAS]; /* by SM */
	uint32_t *slot_named;             /* by SM: bit set of CTA slots */
	bool stream_named[MAX_STREAMS];
	struct open_kernel *kernel;
	uint32_t n_kernels, cap_kernels;
	struct timeline_sample *sample;
	uint32_t n_samples, cap_samples;
	uint32_t channels, groups;
	uint64_t *part; /* by sample: DRAM bytes by channel, thread instructions by group of SMs */
	uint32_t cap_part;
	char *text, *by_channel, *by_group; /* room for such a counter's values, and those written last */
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
		snprintf(name, sizeof(name), "SM %u", sm);
		name_process(t, PID_SM + sm, name);
	}
}

/* One more sample, with nothing in it. */
static struct timeline_sample *new_sample(struct timeline *t)
{
	const uint32_t parts = t->channels + t->groups, n = t->n_samples++;

	grow(&t->sample, &t->cap_samples, n + 1, sizeof(*t->sample));
	grow(&t->part, &t->cap_part, (n + 1) * parts, sizeof(*t->part));
	memset(&t->part[(size_t)n * parts], 0, parts * sizeof(*t->part));
	t->sample[n] = (struct timeline_sample){0};
	return &t->sample[n];
}

struct timeline *timeline_start(const struct gpu *g, FILE *out, uint64_t interval, uint32_t sms)
{
	struct timeline *t = xcalloc(1, sizeof(*t));

	t->out = out;
	t->fixed = interval != 0;
	t->interval = interval ? interval : FIRST_INTERVAL;
	t->due = t->interval;
	t->shown = xcalloc(BITSET_WORDS(g->params.sms), sizeof(*t->shown));
	t->cta = xcalloc(g->params.sms, sizeof(*t->cta));
	t->slot_named = xcalloc(g->params.sms, sizeof(*t->slot_named));
	t->channels = g->params.mem.channels;
	t->groups = g->params.sms < SM_GROUPS ? g->params.sms : SM_GROUPS;
	t->text = xcalloc(t->channels + t->groups, PART_TEXT);
	t->by_channel = xcalloc(t->channels, PART_TEXT);
	t->by_group = xcalloc(t->groups, PART_TEXT);
	new_sample(t);
	fprintf(out,
		"{\"displayTimeUnit\":\"ns\",\"otherData\":{\"tool\":\"trace-sim\","
		"\"unit\":\"1 us is 1 core cycle\",\"core_hz\":%.0f},\"traceEvents\":[\n"
		"{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_name\",\"args\":{\"name\":\"kernels\"}}",
		g->params.hz[0], PID_KERNELS);
	name_sms(t, g, sms);
	return t;
}

static char *json_name(const char *name)
{
	char *text = record_utf8(name);
	json_t *value = json_string_nocheck(text);
	char *json = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;

	if (!json)
		die("out of memory: writing the timeline");
	json_decref(value);
	free(text);
	return json;
}

/* NULL: no such kernel has thread blocks. */
static struct open_kernel *find_kernel(struct timeline *t, uint32_t uid)
{
	for (uint32_t i = 0; i < t->n_kernels; i++)
		if (t->kernel[i].uid == uid)
			return &t->kernel[i];
	return NULL;
}

void timeline_cta(struct timeline *t, const struct sm *s, unsigned slot, const struct kernel *k)
{
	if (!k->next_cta) {
		grow(&t->kernel, &t->cap_kernels, t->n_kernels + 1, sizeof(*t->kernel));
		t->kernel[t->n_kernels++] =
			(struct open_kernel){k->uid, gpu_now(s->gpu), json_name(k->head->name)};
	}
	if (!bitset_test(t->shown, s->id))
		return;
	t->cta[s->id][slot] = (struct open_cta){gpu_now(s->gpu), k->next_cta, k->uid};
	if (!(t->slot_named[s->id] >> slot & 1)) {
		t->slot_named[s->id] |= 1u << slot;
		fprintf(t->out,
			",\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"thread_name\","
			"\"args\":{\"name\":\"CTA slot %u\"}}",
			PID_SM + s->id, slot + 1, slot);
	}
}

static void write_cta(struct timeline *t, uint32_t sm, unsigned slot, uint64_t end)
{
	struct open_cta *c = &t->cta[sm][slot];
	const struct open_kernel *k = find_kernel(t, c->kernel);

	fprintf(t->out,
		",\n{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64 ",\"dur\":%" PRIu64
		",\"name\":%s,\"args\":{\"cta\":%" PRIu64 ",\"kernel\":%u}}",
		PID_SM + sm, slot + 1, c->start, end - c->start, k ? k->name : "\"\"", c->id, c->kernel);
	c->kernel = 0;
}

void timeline_cta_end(struct timeline *t, const struct sm *s, unsigned slot, uint64_t end)
{
	if (t->cta[s->id][slot].kernel)
		write_cta(t, s->id, slot, end);
}

static void name_stream(struct timeline *t, const struct kernel *k)
{
	if (t->stream_named[k->stream])
		return;
	t->stream_named[k->stream] = true;
	fprintf(t->out,
		",\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"thread_name\","
		"\"args\":{\"name\":\"stream %" PRIu64 "\"}}",
		PID_KERNELS, k->stream + 1u, k->head->stream);
}

static void kernel_slice(
	struct timeline *t, const struct kernel *k, const char *name, uint64_t start, uint64_t end)
{
	fprintf(t->out,
		",\n{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64 ",\"dur\":%" PRIu64
		",\"name\":%s,\"args\":{\"kernel\":%u,\"position\":%u,\"ctas\":%" PRIu64 "}}",
		PID_KERNELS, k->stream + 1u, start, end - start, name, k->uid, k->position, k->n_ctas);
}

void timeline_kernel(struct timeline *t, const struct gpu *g, const struct kernel *k)
{
	struct open_kernel *open = find_kernel(t, k->uid);
	uint64_t first = open ? open->first : gpu_now(g);

	name_stream(t, k);
	if (first > k->start_cycle)
		kernel_slice(t, k, "\"launch latency\"", k->start_cycle, first);
	if (!open)
		return;
	kernel_slice(t, k, open->name, first, gpu_now(g));
	free(open->name);
	*open = t->kernel[--t->n_kernels];
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

static uint32_t group_of(const struct timeline *t, const struct gpu *g, uint32_t sm)
{
	return (uint32_t)((uint64_t)sm * t->groups / g->params.sms);
}

static void take_sample(struct timeline *t, struct gpu *g)
{
	struct timeline_sample *s = new_sample(t);
	uint64_t *channel = &t->part[(size_t)(t->n_samples - 1) * (t->channels + t->groups)];
	uint64_t *group = channel + t->channels;

	s->cycle = gpu_now(g);
	for (uint32_t i = 0; i < g->params.sms; i++) {
		const struct sm *sm = &g->sm[i];

		s->insts += sm->n.insts;
		group[group_of(t, g, i)] += sm->n.insts;
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
		channel[i] = (d.n_rd + d.n_rd_L2_A + d.n_wr + d.n_wr_WB) * g->params.mem.dram.atom_bytes;
		s->dram_bytes += channel[i];
	}
}

static void write_counter(struct timeline *t, const char *name, uint64_t cycle, double value)
{
	fprintf(t->out,
		",\n{\"ph\":\"C\",\"pid\":%u,\"ts\":%" PRIu64 ",\"name\":\"%s\",\"args\":{\"value\":%.6g}}",
		PID_KERNELS, cycle, name, value);
}

/* The values of several counters that belong together, when they are others than those written last. */
static void write_parts(struct timeline *t, const char *name, uint64_t cycle, char *last)
{
	if (!strcmp(t->text, last))
		return;
	strcpy(last, t->text);
	fprintf(t->out, ",\n{\"ph\":\"C\",\"pid\":%u,\"ts\":%" PRIu64 ",\"name\":\"%s\",\"args\":{%s}}",
		PID_KERNELS, cycle, name, t->text);
}

/* first_a, first_b: the parts of two samples, as timeline.part has them. */
static void write_by_part(struct timeline *t, const struct gpu *g, uint64_t cycle, double cycles,
	const uint64_t *first_a, const uint64_t *first_b)
{
	const uint32_t sms = g->params.sms;
	size_t at = 0;

	for (uint32_t i = 0; i < t->channels; i++)
		at += (size_t)snprintf(t->text + at, PART_TEXT, "%s\"channel %u\":%.6g", i ? "," : "", i,
			(double)(first_b[i] - first_a[i]) / cycles * g->params.hz[0] / 1e9);
	write_parts(t, "DRAM bandwidth by channel (GB/s)", cycle, t->by_channel);
	at = 0;
	for (uint32_t i = 0, sm = 0; i < t->groups; i++) {
		const uint32_t first = sm, n = t->channels + i;

		while (sm < sms && group_of(t, g, sm) == i)
			sm++;
		at += (size_t)snprintf(t->text + at, PART_TEXT, "%s\"SM %u-%u\":%.6g", i ? "," : "", first,
			sm - 1, (double)(first_b[n] - first_a[n]) / cycles);
	}
	write_parts(t, "IPC by SM", cycle, t->by_group);
}

static double rate(uint64_t hits, uint64_t of) { return of ? 100.0 * (double)hits / (double)of : 0; }

/* What happened between two samples is shown from the first on. */
static void write_interval(struct timeline *t, const struct gpu *g, uint32_t ia, uint32_t ib)
{
	const struct timeline_sample *a = &t->sample[ia], *b = &t->sample[ib];
	const size_t parts = t->channels + t->groups;
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
	write_by_part(t, g, a->cycle, cycles, &t->part[ia * parts], &t->part[ib * parts]);
}

static void move_sample(struct timeline *t, uint32_t to, uint32_t from)
{
	const size_t parts = t->channels + t->groups;

	t->sample[to] = t->sample[from];
	memmove(&t->part[to * parts], &t->part[from * parts], parts * sizeof(*t->part));
}

uint64_t timeline_due(const struct timeline *t) { return t->due; }

void timeline_sample(struct timeline *t, struct gpu *g)
{
	take_sample(t, g);
	if (t->fixed) {
		write_interval(t, g, 0, 1);
		move_sample(t, 0, 1);
		t->n_samples = 1;
	} else if (t->n_samples > TIMELINE_SAMPLES) {
		uint32_t kept = 0;

		for (uint32_t i = 0; i < t->n_samples; i += 2)
			move_sample(t, kept++, i);
		t->n_samples = kept;
		t->interval *= 2;
	}
	t->due = (gpu_now(g) / t->interval + 1) * t->interval;
}

void timeline_end(struct timeline *t, struct gpu *g)
{
	uint64_t now = gpu_now(g);
	uint32_t last;

	if (t->sample[t->n_samples - 1].cycle < now)
		take_sample(t, g);
	for (uint32_t i = 0; i < g->params.sms; i++)
		for (unsigned slot = 0; slot < MAX_CTAS; slot++)
			if (t->cta[i][slot].kernel)
				write_cta(t, i, slot, now);
	for (uint32_t i = 1; i < t->n_samples; i++)
		write_interval(t, g, i - 1, i);
	last = t->n_samples - 1;
	new_sample(t);
	move_sample(t, last + 1, last);
	t->sample[last + 1].cycle++;
	t->sample[last + 1].warps = 0;
	write_interval(t, g, last, last + 1); /* counters fall to 0 at the end */
	fputs("\n]}\n", t->out);
	for (uint32_t i = 0; i < t->n_kernels; i++)
		free(t->kernel[i].name);
	free(t->kernel);
	free(t->shown);
	free(t->cta);
	free(t->slot_named);
	free(t->sample);
	free(t->part);
	free(t->text);
	free(t->by_channel);
	free(t->by_group);
	free(t);
}
