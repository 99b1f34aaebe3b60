/* SPDX-License-Identifier: BSD-2-Clause */
/* Output files in addition to the result; see beside.h. */
#include "beside.h"
#include <string.h>
#include "diag.h"
#include "output.h"
#include "record.h"
#include "run.h"
#include "stats/profile_record.h"
#include "gpu/timeline.h"

bool logs_any(const struct logs_args *a)
{
	return a->events || a->profile || a->timeline || a->net_report;
}

void logs_open_events(struct beside *b, struct run *r, const struct logs_args *a)
{
	if (!a->events)
		return;
	b->events = output_open_part(a->events, a->force);
	b->log.out = output_stream(b->events);
	b->log.flits = a->flits;
	r->gpu.events = &b->log;
}

static enum net_report report_form(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && !strcmp(dot, ".json") ? NET_REPORT_JSON : NET_REPORT_TEXT;
}

void logs_open(struct beside *b, struct run *r, const struct logs_args *a)
{
	struct gpu *g = &r->gpu;

	if (a->profile) {
		b->profile = output_open_part(a->profile, a->force);
		b->writer = record_open(output_stream(b->profile),
			r->format == FORMAT_ACCELSIM ? RECORD_TEXT : (enum record_format)r->format);
		run_record(r, b->writer);
		g->profile = profile_start(g, b->writer);
	}
	if (a->timeline) {
		b->timeline = output_open_part(a->timeline, a->force);
		g->timeline = timeline_start(g, output_stream(b->timeline), a->interval, a->timeline_sms);
	}
	if (a->net_report) {
		if (!net_has_report(g->net))
			die("--net-report requires a network with channels between routers (-network_mode 1 with several routers)");
		b->net_report = output_open_part(a->net_report, a->force);
		b->form = report_form(a->net_report);
	}
}

void logs_close(struct beside *b, struct run *r)
{
	if (b->net_report) {
		net_write_report(r->gpu.net, b->form, output_stream(b->net_report));
		output_commit(b->net_report);
	}
	if (b->profile) {
		profile_free(r->gpu.profile, &r->gpu);
		record_close(b->writer);
		output_commit(b->profile);
	}
	if (b->timeline)
		output_commit(b->timeline);
	if (b->events)
		output_commit(b->events);
}
