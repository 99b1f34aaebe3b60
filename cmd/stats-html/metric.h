/* SPDX-License-Identifier: BSD-2-Clause */
/* Metrics that profilers measure and results have, as examples/plots/correlate compares them. */
#ifndef METRIC_H
#define METRIC_H

#include <stdbool.h>

struct results;

enum metric {
	METRIC_CYCLES,
	METRIC_TIME, /* ns */
	METRIC_WARP_INSTRUCTIONS,
	METRIC_THREAD_INSTRUCTIONS,
	METRIC_L1_HIT_RATE, /* percent, as all rates */
	METRIC_L2_HIT_RATE,
	METRIC_DRAM_READ_BYTES,
	METRIC_DRAM_WRITE_BYTES,
	METRIC_DRAM_BYTES,
	METRIC_DRAM_BANDWIDTH, /* bytes a second */
	METRIC_OCCUPANCY,
	N_METRICS,
	METRIC_SM_CYCLES = N_METRICS, /* cycles added up over SMs; not compared */
	METRIC_NONE
};

struct metric_info {
	const char *name, *title, *unit; /* title: that of an axis; unit: of the values */
	bool percent;                    /* a rate, whose error is a difference in points */
};

/* Names and units of the metrics, indexed by enum metric. */
extern const struct metric_info metric_info[N_METRICS];

/* Finds the metric of a profiler's title "NAME" or "NAME (UNIT)"; unit gets the unit, or "". */
enum metric metric_of(const char *title, char unit[16]);
/*
 * Converts a measured value to the unit of its metric. NAN: the metric has no such unit. `shown` is the unit at the
 * value itself.
 */
double metric_value(enum metric metric, const char *title, double v, const char *unit, const char *shown);
/* Sets the metrics that follow from others and are NAN. */
void metric_derive(double value[N_METRICS]);
/* Sets the metrics of the last kernel read, NAN where they are unknown; hz: clock, 0: unknown. */
void metric_of_results(double value[N_METRICS], const struct results *in, double hz);
/* Returns the error of a simulated value: in percent of the measured one, or in points. */
double metric_error(enum metric metric, double measured, double simulated);
/* Returns whether a pair of values can be compared. */
bool metric_comparable(enum metric metric, double measured, double simulated);

#endif
