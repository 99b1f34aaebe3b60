/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The .icnt file of -network_mode 1, BookSim's description of a network.
 *
 * Always true of what is accepted: every value is within the bounds of its row in icnt.c, and the network
 * described is one that trace-sim models. Leaves out: what the values do, which is the network's.
 */
#ifndef ICNT_H
#define ICNT_H

#include <stdint.h>
#include "diag.h"
#include "input.h"
#include "params.h"

#define ICNT_PORTS_MAX 4096 /* clusters; memory sub partitions */

struct icnt {
	uint32_t k; /* nodes */
	uint32_t flit_bytes;
	uint32_t buffer;       /* vc_buf_size: router input, and what may be uncredited behind it */
	uint32_t source_max;   /* input_buffer_size, flits; 0 has become 9 */
	uint32_t boundary_max; /* boundary_buffer_size, flits */
	double speedup;        /* internal steps in a network step, at least 1 */
	struct place k_at;     /* where k was set */
};

/* The description in an input, which stays open. 0, or -1 and *f. */
int icnt_parse(struct icnt *c, struct input *in, struct fault *f);

/* The file that the machine names, with nodes for all its clusters and memory sub partitions. 0, or -1 and *f. */
int icnt_read(struct icnt *c, const struct params *p, struct fault *f);

#endif
