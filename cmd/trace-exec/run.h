/* SPDX-License-Identifier: BSD-2-Clause */
/* Running a script: its commands in order, traces written as kernels end. */
#ifndef RUN_H
#define RUN_H

#include "choice.h"
#include "launch/launch.h"

enum trace_to { TRACE_NONE, TRACE_STREAM, TRACE_FOLDER, TRACE_TEXT };

struct run_options {
	struct options exec;
	enum code_kind code;
	unsigned binary; /* --as sass: binary version of the GPU; 0: PTX */
	enum trace_to to;
	const char *output;          /* folder or file; NULL or "-": stdout */
	const char *saves;           /* folder of saved files; NULL: folder of the launch file */
	struct launch_choice choice; /* launches that are traced and checked */
	const char *kernels;         /* --kernels; NULL: all are traced */
	const char *launches;        /* --launches; NULL: all are traced */
	bool records;                /* --run: a stream is packed from records, not from text */
	bool force, quiet, verbose;
	bool leaks;     /* --run: memory that is not freed is an error */
	bool real_libs; /* --run: the program's own cuBLAS, not the suite's */
};

/* Returns folder/name, allocated; an empty folder gives the name alone. */
char *run_path(const char *folder, const char *name);
/* Returns EXIT_GOOD, or EXIT_NO when a kernel failed or a buffer differs from its file. Exits on an error. */
int run_script(struct script *s, const struct run_options *o);

#endif
