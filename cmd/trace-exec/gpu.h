/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The GPU that --run shows to the program and --as sass writes for: figures from a configuration
 * (trace-config(5)).
 */
#ifndef GPU_H
#define GPU_H

#include <stdbool.h>
#include "wire.h"

#define GPU_FILES   64u
#define GPU_DEFINES 256u
#define GPU_DEFAULT "rtx3070"

/* Configuration files and settings, in the order of the command line. */
struct gpu_choice {
	const char *file[GPU_FILES], *define[GPU_DEFINES];
	bool shipped[GPU_FILES]; /* `file` is the name of a shipped configuration */
	unsigned n_files, n_defines;
};

/* Adds a file or setting; too many are a usage error. */
void gpu_add_file(struct gpu_choice *g, const char *name, bool shipped);
void gpu_add_define(struct gpu_choice *g, const char *assignment);
/* Exits with a message if output would replace one of the configuration files. */
void gpu_protect_files(const struct gpu_choice *g, const char *output);
/* Returns the binary version of the GPU's compute capability: 86 for 8.6. */
unsigned gpu_binary_version(const struct gpu_choice *g);
/*
 * Sets the figures of the GPU in w; the default is GPU_DEFAULT. Exits with a message if a configuration cannot
 * be read.
 */
void gpu_fill_wire(const struct gpu_choice *g, struct wire *w);

#endif
