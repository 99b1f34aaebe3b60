/* SPDX-License-Identifier: BSD-2-Clause */
/* Measured figures of kernels. */
#ifndef MEASURED_H
#define MEASURED_H

#include "metric.h"
#include "report.h"

/* A measured launch of a kernel, or the mean of all launches of its name. */
struct html_launch {
	char *name;              /* name of the kernel */
	char *key;               /* distinguishes launches of the same name in a file */
	double value[N_METRICS]; /* values by metric; NAN if not measured */
	double sm_cycles;        /* sum of cycles over all SMs; 0 if not measured */
	bool is_mean;            /* true if this is the mean of all launches */
};

struct html_measured {
	const char *path;
	struct html_launch *launch; /* launches in the order of the file */
	uint32_t n, cap;
};

/* Reads a CSV table (NAME.csv) or results. Ends the program if the file has no metric. */
void measured_read(struct html_measured *m, const char *path);
void measured_free(struct html_measured *m);

#endif
