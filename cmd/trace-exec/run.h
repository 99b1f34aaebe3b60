/* SPDX-License-Identifier: BSD-2-Clause */
/* Running a script: its commands in order, traces written as kernels end. */
#ifndef RUN_H
#define RUN_H

#include "choice.h"
#include "launch/launch.h"

enum trace_to { TRACE_NONE, TRACE_STREAM, TRACE_DIRECTORY, TRACE_TEXT };

struct run_options {
	struct options exec;
	enum code_kind code;
	unsigned binary; /* binary version of the GPU for --as sass; 0: PTX */
	enum trace_to trace_to;
	const char *output;          /* directory or file; NULL or "-": stdout */
	const char *saves;           /* directory of saved files; NULL: directory of the launch file */
	struct launch_choice choice; /* launches that are traced and checked */
	const char *kernels;         /* argument of --kernels; NULL: all are traced */
	const char *launches;        /* argument of --launches; NULL: all are traced */
	bool records;                /* pack a stream from records, not from text (for --run) */
	bool force, quiet, verbose;
	bool leaks;        /* report memory that is not freed as an error (for --run) */
	bool every_launch; /* execute also launches that repeat an earlier one (for --run) */
	bool real_libs;    /* load the program's own cuBLAS instead of the suite's (for --run) */
};

/* Returns directory/name in allocated memory. An empty directory gives the name alone. */
char *run_join_path(const char *directory, const char *name);
/* Returns EXIT_GOOD, or EXIT_NO when a kernel failed or a buffer differs from its file. Exits on an error. */
int run_script(struct script *s, const struct run_options *o);

#endif
