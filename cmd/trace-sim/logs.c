/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens and closes the output files other than the result; see logs.h. */
#include "logs.h"
#include <string.h>
#include "diag.h"
#include "output.h"
#include "record.h"
#include "run.h"
#include "stats/profile_record.h"
#include "gpu/timeline.h"

bool logs_any_given(const struct logs_args *a)
{
	return a->events || a->pipeline || a->profile || a->timeline || a->net_report;
}

static void open_event_log(struct logs *l, const struct logs_args *a)
{
	l->events = output_open_part(a->events, a->force);
	l->log.out = output_stream(l->events);
	l->log.flits = a->flits;
	l->log.filter = a->only;
}

/*
 * The hooks of the event log also write the pipeline log. r->gpu.events is therefore set even for a pipeline
 * log alone, with a filter that rejects all events.
 */
void logs_open_early(struct logs *l, struct run *r, const struct logs_args *a)
{
	if (!a->events && !a->pipeline)
		return;
	if (a->events)
		open_event_log(l, a);
	else
		l->log.filter = (struct filter){.active = true, .cycles = {1, 0}};
	r->gpu.events = &l->log;
	if (!a->pipeline)
		return;
	l->pipeline = output_open_part(a->pipeline, a->force);
	l->kanata = kanata_new(output_stream(l->pipeline), &a->pipeline_only);
	r->gpu.pipeline = l->kanata;
}

static enum net_report network_report_form(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && !strcmp(dot, ".json") ? NET_REPORT_JSON : NET_REPORT_TEXT;
}

void logs_open(struct logs *l, struct run *r, const struct logs_args *a)
{
	struct gpu *g = &r->gpu;

	if (a->profile) {
		l->profile = output_open_part(a->profile, a->force);
		l->writer = record_open(output_stream(l->profile),
			r->format == FORMAT_ACCELSIM ? RECORD_TEXT : (enum record_format)r->format);
		run_write_record(r, l->writer);
		g->profile = profile_start(g, l->writer, a->profile_interval);
	}
	if (a->timeline) {
		l->timeline = output_open_part(a->timeline, a->force);
		g->timeline = timeline_start(g, output_stream(l->timeline), a->interval, a->timeline_sms);
	}
	if (a->net_report) {
		if (!net_has_report(g->net))
			die("--net-report requires a network with channels between routers (-network_mode 1 with several routers)");
		l->net_report = output_open_part(a->net_report, a->force);
		l->form = network_report_form(a->net_report);
	}
}

void logs_close(struct logs *l, struct run *r)
{
	if (l->net_report) {
		net_write_report(r->gpu.net, l->form, output_stream(l->net_report));
		output_commit(l->net_report);
	}
	if (l->profile) {
		profile_free(r->gpu.profile, &r->gpu);
		record_close(l->writer);
		output_commit(l->profile);
	}
	if (l->timeline)
		output_commit(l->timeline);
	if (l->events)
		output_commit(l->events);
	if (l->pipeline) {
		kanata_end(l->kanata, gpu_now(&r->gpu));
		kanata_free(l->kanata);
		r->gpu.pipeline = NULL;
		output_commit(l->pipeline);
	}
}
