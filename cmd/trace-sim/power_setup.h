/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options, input files and output files of the power model (trace-sim-power(7)).
 */
#ifndef TRACE_SIM_POWER_SETUP_H
#define TRACE_SIM_POWER_SETUP_H

#include "power/meter.h"
#include "run.h"

struct power_args {
	/* operands of --power-report and --power-energies; NULL if not given */
	const char *report, *energies;
	bool force;
};

struct power_files {
	struct power_setup setup;
	struct output *report, *power_trace, *metric_trace, *steady;
};

/*
 * Reads the input files of the power model if r's configuration enables it. Ends the program on a fault. Must
 * be called before gpu_init().
 */
void power_setup_read(struct power_files *p, struct run *r, const struct power_args *a);
/* Ends the program if the configuration enables power traces, which --isolate does not write. */
void power_setup_check_isolate(const struct power_files *p);
/* Opens the report and the traces. Ends the program if a file cannot be created. Called before gpu_init(). */
void power_setup_open(struct power_files *p, const struct run *r, const struct power_args *a);
/* Closes the files after the last cycle. */
void power_setup_close(struct power_files *p);
/* Ends the program if the file `output` is an input file of the power model. */
void power_setup_protect_inputs(const struct run *r, const struct power_args *a, const char *output);

#endif
