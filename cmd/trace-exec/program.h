/* SPDX-License-Identifier: BSD-2-Clause */
/* Option --run: executes the kernels of a CUDA program. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "gpu.h"
#include "run.h"

/*
 * Runs argv, the program and its arguments, with NULL at the end. Returns EXIT_GOOD, EXIT_NO or EXIT_TROUBLE,
 * or exits with a message.
 */
int program_run(char **argv, const struct run_options *o, const struct gpu_choice *g);

#endif
