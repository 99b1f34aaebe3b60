/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Metrics that profilers measure and that results have. examples/plots/correlate compares the same metrics.
 */
#ifndef METRIC_H
#define METRIC_H

#include <stdbool.h>

struct results;

enum metric {
	METRIC_CYCLES,
	METRIC_TIME, /* ns */
	METRIC_WARP_INSTRUCTIONS,
	METRIC_THREAD_INSTRUCTIONS,
	METRIC_L1_HIT_RATE, /* in percent, like all rates */
	METRIC_L2_HIT_RATE,
	METRIC_DRAM_READ_BYTES,
	METRIC_DRAM_WRITE_BYTES,
	METRIC_DRAM_BYTES,
	METRIC_DRAM_BANDWIDTH, /* in bytes per second */
	METRIC_OCCUPANCY,
	N_METRICS,
	METRIC_SM_CYCLES = N_METRICS, /* sum of cycles over all SMs; not compared */
	METRIC_NONE
};

struct metric_info {
	/* `title` is the text of an axis; `unit` is the unit of the values */
	const char *name, *title, *unit;
	/* true for a percentage, whose error is a difference in percentage points */
	bool is_percent;
};

/* Names and units of the metrics, indexed by enum metric. */
extern const struct metric_info metric_info[N_METRICS];

/*
 * Returns the metric for the column title "NAME" or "NAME (UNIT)" of a profiler. Sets `unit` to UNIT, or to
 * "" if it is absent.
 */
enum metric metric_of_title(const char *title, char unit[16]);
/*
 * Converts a measured value to the unit of its metric. Returns NAN if the metric does not have that unit.
 * `unit` is the unit of the column. `shown` is the unit after the value itself, or "".
 */
double metric_convert_value(
	enum metric metric, const char *title, double v, const char *unit, const char *shown);
/* Computes the metrics that are NAN, as far as they can be derived from other metrics. */
void metric_derive_missing(double value[N_METRICS]);
/*
 * Sets the metrics of the kernel that was read last. Unknown metrics become NAN. `hz` is the core clock in
 * Hz, or 0 if it is unknown.
 */
void metric_of_results(double value[N_METRICS], const struct results *in, double hz);
/*
 * Returns the error of a simulated value, in percent of the measured value or, for percentages, in percentage
 * points.
 */
double metric_error(enum metric metric, double measured, double simulated);
/* Returns true if the two values can be compared. */
bool metric_is_comparable(enum metric metric, double measured, double simulated);

#endif
