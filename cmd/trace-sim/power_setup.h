/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options of the power model, and its files (trace-sim-power(7)). Used by main.c.
 */
#ifndef TRACE_SIM_POWER_SETUP_H
#define TRACE_SIM_POWER_SETUP_H

#include "power/meter.h"
#include "run.h"

struct power_args {
	const char *report, *energies; /* --power-report, --power-energies; NULL: not given */
	bool force;
};

struct power_files {
	struct power_setup setup;
	struct output *report, *power_trace, *metric_trace, *steady;
};

/* Reads the model's files, when r's configuration asks for power; a fault ends the program. Before gpu_init(). */
void power_setup_read(struct power_files *p, struct run *r, const struct power_args *a);
/* Ends the program when files are asked for, which kernels that are simulated one by one do not write. */
void power_setup_alone(const struct power_files *p);
/* Opens the report and the traces, before gpu_init(). Ends the program when one cannot be made. */
void power_setup_open(struct power_files *p, const struct run *r, const struct power_args *a);
/* Closes the files after the last cycle. */
void power_setup_close(struct power_files *p);
/* Ends the program when output would replace a file that the model reads. */
void power_setup_spare(const struct run *r, const struct power_args *a, const char *output);

#endif
