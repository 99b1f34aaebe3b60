/* SPDX-License-Identifier: BSD-2-Clause */
/* --run: a CUDA program over the executor. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "gpu.h"
#include "run.h"

/*
 * argv: the program and its arguments, NULL behind them. EXIT_GOOD, EXIT_NO or EXIT_TROUBLE; dies of trouble
 * at once.
 */
int program_run(char **argv, const struct run_options *o, const struct gpu_choice *g);

#endif
