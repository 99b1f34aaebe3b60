/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The output files other than the result: event log, pipeline log, profile, timeline, network report.
 *
 * Always true: each file is opened before the first cycle under a temporary name, and gets its final name
 * only at the end of the run.
 */
#ifndef TRACE_SIM_LOGS_H
#define TRACE_SIM_LOGS_H

#include <stdbool.h>
#include <stdint.h>
#include "net/net.h"
#include "instrument/events.h"
#include "instrument/kanata.h"

struct run;
struct output;
struct record_writer;

/* File names and options from the command line. An absent file name is NULL. */
struct logs_args {
	const char *events, *pipeline, *profile, *timeline, *net_report;
	uint64_t interval;           /* cycles between samples of the timeline; 0 means automatic */
	uint64_t profile_interval;   /* cycles between samples of the profile; 0 means automatic */
	uint32_t timeline_sms;       /* maximum number of SMs in the timeline */
	struct filter only;          /* filter of the event log */
	struct filter pipeline_only; /* filter of the pipeline log */
	bool timeline_sms_given;     /* true if timeline_sms is from the command line */
	bool flits;                  /* true if the event log has flits */
	bool force;                  /* true if existing files are replaced */
};

struct logs {
	struct output *events, *pipeline, *profile, *timeline, *net_report;
	enum net_report form;
	struct events log;
	struct kanata *kanata;        /* writer of the pipeline log */
	struct record_writer *writer; /* writer of the profile */
};

/* Returns true if any of the files is given. */
bool logs_any_given(const struct logs_args *a);
/* Opens the event log and the pipeline log, which gpu_init() needs. */
void logs_open_early(struct logs *l, struct run *r, const struct logs_args *a);
/* Opens the other files, after gpu_init(). Both functions end the program if a file cannot be created. */
void logs_open(struct logs *l, struct run *r, const struct logs_args *a);
/* Completes the files after the last cycle, and gives them their final names. */
void logs_close(struct logs *l, struct run *r);

#endif
