/* SPDX-License-Identifier: BSD-2-Clause */
/* The arguments of trace-sim, and the functions that run a simulation with them. */
#ifndef TRACE_SIM_SIMULATE_H
#define TRACE_SIM_SIMULATE_H

#include "logs.h"
#include "namelist.h"
#include "power_setup.h"
#include "run.h"

struct sim_args {
	const char **config; /* operands of -g and -c, in order */
	const char **define; /* operands of -D, in order */
	bool *shipped;       /* for each element of `config`, true if given with -g */
	const char **cubin;
	uint32_t n_config, n_define, n_cubin;
	const char *kernels, *output, *isa;
	struct figure_choice choice; /* -s, --all-figures */
	struct logs_args logs;
	struct power_args power;
	uint64_t interval; /* value of --interval */
	enum run_format format;
	unsigned threads;
	bool force, warm, cold, sample_blocks, strict, host_time, dump, list, quiet, verbose, selftest, tsv,
		isolate, resume, reuse;
	bool skip_missing, provenance, pass_unknown, list_gpus, format_given;
	const char **measured, **fit;
	uint32_t n_measured, n_fit;
	struct namelist only; /* patterns of --only */
	double tolerance;     /* negative: none */
};

/* Reads the configuration files, then applies the operands of -D. Ends the program on a fault. */
void simulate_configure(struct gpuconf *c, const struct sim_args *a);
/* Simulates `trace`, with the options of `a` that are not in r. Returns the exit status. */
int simulate_run(struct run *r, const struct sim_args *a, struct isa *isa, const char *trace);

#endif
