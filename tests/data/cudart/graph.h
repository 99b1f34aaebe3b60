/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the graph interface of the CUDA runtime, for the tests of graphs. */
#ifndef TEST_GRAPH_H
#define TEST_GRAPH_H

#include "cuda.h"

struct graph;
struct node;
struct exec;
struct kernel_params {
	void *func;
	struct dim3 grid, block;
	unsigned shared;
	void **args, **extra;
};
struct fill {
	void *base;
	size_t pitch;
	unsigned value, unit;
	size_t width, height;
};

int cudaGraphCreate(struct graph **, unsigned), cudaGraphDestroy(struct graph *);
int cudaGraphLaunch(struct exec *, struct stream *), cudaGraphExecDestroy(struct exec *);

#endif
