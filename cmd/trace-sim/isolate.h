/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --isolate: each kernel of a list on a GPU of its own, several at a time; --resume: the same from the point
 * where an earlier run stopped. Used by main.c; resume.c only by isolate.c.
 */
#ifndef ISOLATE_H
#define ISOLATE_H

#include <sys/types.h>
#include "run.h"

/* Records in the order of the list, kept to be read again: an unnamed file. */
struct kept {
	FILE *file;
	int fd;
	uint64_t n; /* bytes */
};

/* Appends n bytes. Ends the program if that fails. */
void kept_add(struct kept *k, const char *bytes, size_t n);

/* Results of an earlier run. */
struct resumed {
	uint64_t bytes;    /* size of its records in the kept file, with the run record; 0: none */
	uint32_t position; /* position of its last kernel; 0: none */
	uint32_t kernels;  /* number of kernel records */
	uint32_t done;     /* number of kernels that completed */
	bool complete;     /* nothing is left to do */
};

/*
 * Reads the records in NAME.part, else NAME, of -o NAME. They must begin with the run record in k, byte for
 * byte, and continue with kernels of r->list in its order whose text is unchanged. Adds them to k, and their
 * hashes to r->hash. Ends the program, with a reason, if this run would not continue them exactly.
 */
void resume_read(
	struct run *r, const struct isa *isa, const char *name, struct kept *k, struct resumed *done);

/*
 * Runs the kernels of r, whose list, configuration, params, select and format are set. output: FILE of -o.
 * resume: do not repeat the kernels that it has. Returns the exit status. Ends the program on the same
 * errors as other runs.
 */
int isolate_run(
	struct run *r, const struct isa *isa, const char *output, bool force, bool resume, unsigned jobs);

#endif
