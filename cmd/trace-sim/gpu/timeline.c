/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes thread blocks and kernels to the timeline (timeline.h). Always true: a slice is written when it
 * ends. stats/timeline_counters.c writes the counters. Single instructions and requests are not on the
 * timeline; --profile and --events have them.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "gpu/launch.h"
#include "record.h"
#include "timeline_int.h"

#define FIRST_INTERVAL 256u

/* ---- events ---------------------------------------------------------------------------------- */

static void write_process_name(struct timeline *t, unsigned pid, const char *name)
{
	fprintf(t->out,
		",\n{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_name\",\"args\":{\"name\":\"%s\"}}"
		",\n{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_sort_index\",\"args\":{\"sort_index\":%u}}",
		pid, name, pid, pid);
}

/* Selects n evenly spaced SMs for the timeline and writes the names of their processes. */
static void select_and_name_sms(struct timeline *t, const struct gpu *g, uint32_t n)
{
	uint32_t sms = g->params.sms;

	if (n > sms)
		n = sms;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t sm = (uint32_t)((uint64_t)i * sms / n);
		char name[24];

		bitset_set(t->shown, sm);
		snprintf(name, sizeof(name), "SM %u", sm);
		write_process_name(t, PID_SM + sm, name);
	}
}

struct timeline_sample *timeline_new_sample(struct timeline *t)
{
	const uint32_t parts = t->channels + t->groups, n = t->n_samples++;

	grow(&t->sample, &t->cap_samples, n + 1, sizeof(*t->sample));
	grow(&t->part_values, &t->cap_part_values, (n + 1) * parts, sizeof(*t->part_values));
	memset(&t->part_values[(size_t)n * parts], 0, parts * sizeof(*t->part_values));
	t->sample[n] = (struct timeline_sample){0};
	return &t->sample[n];
}

struct timeline *timeline_start(const struct gpu *g, FILE *out, uint64_t interval, uint32_t sms)
{
	struct timeline *t = xcalloc(1, sizeof(*t));

	t->out = out;
	t->interval_given = interval != 0;
	t->interval = interval ? interval : FIRST_INTERVAL;
	t->next_sample_at = t->interval;
	t->shown = xcalloc(BITSET_WORDS(g->params.sms), sizeof(*t->shown));
	t->cta = xcalloc(g->params.sms, sizeof(*t->cta));
	t->named_slots = xcalloc(g->params.sms, sizeof(*t->named_slots));
	t->channels = g->params.mem.channels;
	t->groups = g->params.sms < SM_GROUPS ? g->params.sms : SM_GROUPS;
	t->text = xcalloc(t->channels + t->groups, PART_TEXT);
	t->by_channel = xcalloc(t->channels, PART_TEXT);
	t->by_group = xcalloc(t->groups, PART_TEXT);
	timeline_new_sample(t);
	fprintf(out,
		"{\"displayTimeUnit\":\"ns\",\"otherData\":{\"tool\":\"trace-sim\","
		"\"unit\":\"1 us is 1 core cycle\",\"core_hz\":%.0f},\"traceEvents\":[\n"
		"{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_name\",\"args\":{\"name\":\"kernels\"}}",
		g->params.hz[0], PID_KERNELS);
	select_and_name_sms(t, g, sms);
	return t;
}

static char *quote_for_json(const char *name)
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

/* Returns the kernel with a uid, or NULL if it has had no thread block. */
static struct open_kernel *find_open_kernel(struct timeline *t, uint32_t uid)
{
	for (uint32_t i = 0; i < t->n_kernels; i++)
		if (t->kernel[i].uid == uid)
			return &t->kernel[i];
	return NULL;
}

void timeline_begin_cta(struct timeline *t, uint64_t now, uint32_t sm, unsigned slot, const struct kernel *k)
{
	if (!k->next_cta) {
		grow(&t->kernel, &t->cap_kernels, t->n_kernels + 1, sizeof(*t->kernel));
		t->kernel[t->n_kernels++] = (struct open_kernel){k->uid, now, quote_for_json(k->head->name)};
	}
	if (!bitset_test(t->shown, sm))
		return;
	t->cta[sm][slot] = (struct open_cta){now, k->next_cta, k->uid};
	if (!(t->named_slots[sm] >> slot & 1)) {
		t->named_slots[sm] |= 1u << slot;
		fprintf(t->out,
			",\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"thread_name\","
			"\"args\":{\"name\":\"CTA slot %u\"}}",
			PID_SM + sm, slot + 1, slot);
	}
}

static void write_cta_slice(struct timeline *t, uint32_t sm, unsigned slot, uint64_t end)
{
	struct open_cta *c = &t->cta[sm][slot];
	const struct open_kernel *k = find_open_kernel(t, c->kernel);

	fprintf(t->out,
		",\n{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64 ",\"dur\":%" PRIu64
		",\"name\":%s,\"args\":{\"cta\":%" PRIu64 ",\"kernel\":%u}}",
		PID_SM + sm, slot + 1, c->start, end - c->start, k ? k->name : "\"\"", c->id, c->kernel);
	c->kernel = 0;
}

void timeline_end_cta(struct timeline *t, uint64_t end, uint32_t sm, unsigned slot)
{
	if (t->cta[sm][slot].kernel)
		write_cta_slice(t, sm, slot, end);
}

static void write_stream_name(struct timeline *t, const struct kernel *k)
{
	if (t->is_stream_named[k->stream])
		return;
	t->is_stream_named[k->stream] = true;
	fprintf(t->out,
		",\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"thread_name\","
		"\"args\":{\"name\":\"stream %" PRIu64 "\"}}",
		PID_KERNELS, k->stream + 1u, k->head->stream);
}

static void write_kernel_slice(
	struct timeline *t, const struct kernel *k, const char *name, uint64_t start, uint64_t end)
{
	fprintf(t->out,
		",\n{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64 ",\"dur\":%" PRIu64
		",\"name\":%s,\"args\":{\"kernel\":%u,\"position\":%u,\"ctas\":%" PRIu64 "}}",
		PID_KERNELS, k->stream + 1u, start, end - start, name, k->uid, k->position, k->n_ctas);
}

void timeline_write_kernel(struct timeline *t, const struct gpu *g, const struct kernel *k)
{
	struct open_kernel *open = find_open_kernel(t, k->uid);
	uint64_t first = open ? open->start_cycle : gpu_now(g);

	write_stream_name(t, k);
	if (first > k->start_cycle)
		write_kernel_slice(t, k, "\"launch latency\"", k->start_cycle, first);
	if (!open)
		return;
	write_kernel_slice(t, k, open->name, first, gpu_now(g));
	free(open->name);
	*open = t->kernel[--t->n_kernels];
}

/* ---- the end --------------------------------------------------------------------------------- */

void timeline_close(struct timeline *t, uint32_t sms, uint64_t end)
{
	for (uint32_t i = 0; i < sms; i++)
		for (unsigned slot = 0; slot < MAX_CTAS; slot++)
			if (t->cta[i][slot].kernel)
				write_cta_slice(t, i, slot, end);
}

void timeline_free(struct timeline *t)
{
	for (uint32_t i = 0; i < t->n_kernels; i++)
		free(t->kernel[i].name);
	free(t->kernel);
	free(t->shown);
	free(t->cta);
	free(t->named_slots);
	free(t->sample);
	free(t->part_values);
	free(t->text);
	free(t->by_channel);
	free(t->by_group);
	free(t);
}
