/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters of the timeline (gpu/timeline.h): instructions, hits, traffic and warps of the whole GPU, of each
 * channel and of groups of SMs. Always true: samples are running values in the order of their cycles, and the
 * timeline shows the differences between consecutive samples. They are written at the end of the run, or at
 * the end of each interval if --timeline-interval is given.
 */
#include <inttypes.h>
#include <string.h>
#include "arena.h"
#include "gpu/timeline_int.h"
#include "stats/timeline_counters.h"

static uint32_t group_of_sm(const struct timeline *t, const struct gpu *g, uint32_t sm)
{
	return (uint32_t)((uint64_t)sm * t->groups / g->params.sms);
}

static void take_timeline_sample(struct timeline *t, struct gpu *g)
{
	struct timeline_sample *s = timeline_new_sample(t);
	uint64_t *channel = &t->part_values[(size_t)(t->n_samples - 1) * (t->channels + t->groups)];
	uint64_t *group = channel + t->channels;

	s->cycle = gpu_now(g);
	for (uint32_t i = 0; i < g->params.sms; i++) {
		const struct sm *sm = &g->sm[i];

		s->insts += sm->n.insts;
		group[group_of_sm(t, g, i)] += sm->n.insts;
		s->warps += sm->live_warps;
		s->flits_out += sm->n.flits_out;
		if (ldst_l1d(sm))
			cache_add_lookups(ldst_l1d(sm), &s->l1_accesses, &s->l1_misses);
	}
	for (uint32_t i = 0; i < g->params.clusters; i++)
		s->flits_in += g->cluster[i].flits_in;
	for (uint32_t i = 0; i < memory_sub_partitions(g->mem); i++)
		if (memory_l2(g->mem, i))
			cache_add_lookups(memory_l2(g->mem, i), &s->l2_accesses, &s->l2_misses);
	for (uint32_t i = 0; i < g->params.mem.channels; i++) {
		channel[i] = memory_channel_bursts(g->mem, i) * g->params.mem.dram.atom_bytes;
		s->dram_bytes += channel[i];
	}
}

static void write_counter(struct timeline *t, const char *name, uint64_t cycle, double value)
{
	fprintf(t->out,
		",\n{\"ph\":\"C\",\"pid\":%u,\"ts\":%" PRIu64 ",\"name\":\"%s\",\"args\":{\"value\":%.6g}}",
		PID_KERNELS, cycle, name, value);
}

/* Writes the values of a group of counters in t->text, unless they equal the values written last, `last`. */
static void write_group_if_changed(struct timeline *t, const char *name, uint64_t cycle, char *last)
{
	if (!strcmp(t->text, last))
		return;
	strcpy(last, t->text);
	fprintf(t->out, ",\n{\"ph\":\"C\",\"pid\":%u,\"ts\":%" PRIu64 ",\"name\":\"%s\",\"args\":{%s}}",
		PID_KERNELS, cycle, name, t->text);
}

/*
 * Writes the counters by channel and by group of SMs. first_a, first_b: elements of timeline.part_values for two
 * samples.
 */
static void write_grouped_counters(struct timeline *t, const struct gpu *g, uint64_t cycle, double cycles,
	const uint64_t *first_a, const uint64_t *first_b)
{
	const uint32_t sms = g->params.sms;
	size_t n_text = 0;

	for (uint32_t i = 0; i < t->channels; i++)
		n_text += (size_t)snprintf(t->text + n_text, PART_TEXT, "%s\"channel %u\":%.6g", i ? "," : "",
			i, (double)(first_b[i] - first_a[i]) / cycles * g->params.hz[0] / 1e9);
	write_group_if_changed(t, "DRAM bandwidth by channel (GB/s)", cycle, t->by_channel);
	n_text = 0;
	for (uint32_t i = 0, sm = 0; i < t->groups; i++) {
		const uint32_t first = sm, n = t->channels + i;

		while (sm < sms && group_of_sm(t, g, sm) == i)
			sm++;
		n_text += (size_t)snprintf(t->text + n_text, PART_TEXT, "%s\"SM %u-%u\":%.6g", i ? "," : "",
			first, sm - 1, (double)(first_b[n] - first_a[n]) / cycles);
	}
	write_group_if_changed(t, "IPC by SM", cycle, t->by_group);
}

static double percent_of(uint64_t hits, uint64_t of) { return of ? 100.0 * (double)hits / (double)of : 0; }

/* Writes the difference between samples ia and ib, at the cycle of ia. */
static void write_interval(struct timeline *t, const struct gpu *g, uint32_t ia, uint32_t ib)
{
	const struct timeline_sample *a = &t->sample[ia], *b = &t->sample[ib];
	const size_t parts = t->channels + t->groups;
	double cycles = (double)(b->cycle - a->cycle);
	uint64_t slots = (uint64_t)g->params.sms * g->params.core.warps;
	uint64_t l1 = b->l1_accesses - a->l1_accesses, l2 = b->l2_accesses - a->l2_accesses;

	write_counter(t, "IPC", a->cycle, (double)(b->insts - a->insts) / cycles);
	write_counter(t, "L1D hit rate (%)", a->cycle, percent_of(l1 - (b->l1_misses - a->l1_misses), l1));
	write_counter(t, "L2 hit rate (%)", a->cycle, percent_of(l2 - (b->l2_misses - a->l2_misses), l2));
	write_counter(t, "network requests (flits/cycle)", a->cycle,
		(double)(b->flits_out - a->flits_out) / cycles);
	write_counter(
		t, "network replies (flits/cycle)", a->cycle, (double)(b->flits_in - a->flits_in) / cycles);
	write_counter(t, "DRAM bandwidth (GB/s)", a->cycle,
		(double)(b->dram_bytes - a->dram_bytes) / cycles * g->params.hz[0] / 1e9);
	write_counter(t, "occupancy (%)", a->cycle, percent_of(b->warps, slots));
	write_grouped_counters(
		t, g, a->cycle, cycles, &t->part_values[ia * parts], &t->part_values[ib * parts]);
}

static void move_timeline_sample(struct timeline *t, uint32_t to, uint32_t from)
{
	const size_t parts = t->channels + t->groups;

	t->sample[to] = t->sample[from];
	memmove(&t->part_values[to * parts], &t->part_values[from * parts], parts * sizeof(*t->part_values));
}

uint64_t timeline_due(const struct timeline *t) { return t->next_sample_at; }

void timeline_sample(struct timeline *t, struct gpu *g)
{
	take_timeline_sample(t, g);
	if (t->interval_given) {
		write_interval(t, g, 0, 1);
		move_timeline_sample(t, 0, 1);
		t->n_samples = 1;
	} else if (t->n_samples > TIMELINE_SAMPLES) {
		uint32_t kept = 0;

		for (uint32_t i = 0; i < t->n_samples; i += 2)
			move_timeline_sample(t, kept++, i);
		t->n_samples = kept;
		t->interval *= 2;
	}
	t->next_sample_at = (gpu_now(g) / t->interval + 1) * t->interval;
}

void timeline_end(struct timeline *t, struct gpu *g)
{
	uint64_t now = gpu_now(g);
	uint32_t last;

	if (t->sample[t->n_samples - 1].cycle < now)
		take_timeline_sample(t, g);
	timeline_close(t, g->params.sms, now);
	for (uint32_t i = 1; i < t->n_samples; i++)
		write_interval(t, g, i - 1, i);
	last = t->n_samples - 1;
	timeline_new_sample(t);
	move_timeline_sample(t, last + 1, last);
	t->sample[last + 1].cycle++;
	t->sample[last + 1].warps = 0;
	write_interval(t, g, last, last + 1); /* counters fall to 0 at the end */
	fputs("\n]}\n", t->out);
	timeline_free(t);
}
