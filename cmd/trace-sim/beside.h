/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files beside the result: event log, profile, timeline, report of the network.
 *
 * Always true: each is opened, or refused, before the first cycle, and gets its name when the run is over.
 */
#ifndef TRACE_SIM_BESIDE_H
#define TRACE_SIM_BESIDE_H

#include <stdbool.h>
#include <stdint.h>
#include "net/net.h"
#include "instrument/events.h"

struct run;
struct output;
struct record_writer;

/* What is asked for; a file that is NULL is not. */
struct beside_args {
	const char *events, *profile, *timeline, *net_report;
	uint64_t interval;     /* of the timeline, in cycles; 0: what it takes by itself */
	uint32_t timeline_sms; /* rows by SM up to so many */
	bool flits;            /* in the event log, too */
	bool force;            /* a file that is there is replaced */
};

struct beside {
	struct output *events, *profile, *timeline, *net_report;
	enum net_report form;
	struct events log;
	struct record_writer *writer; /* of the profile */
};

/* True: any file is asked for. */
bool beside_any(const struct beside_args *a);
/* The event log, which the machine is built with: before gpu_init(). */
void beside_log(struct beside *b, struct run *r, const struct beside_args *a);
/* All others, once the machine stands. Each of these ends the program where a file cannot be made. */
void beside_open(struct beside *b, struct run *r, const struct beside_args *a);
/* After the last cycle, with the machine as it stands. */
void beside_close(struct beside *b, struct run *r);

#endif
