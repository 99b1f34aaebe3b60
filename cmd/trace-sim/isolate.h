/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --isolate: each kernel of a list on a machine of its own, several at a time; --resume: the same from where
 * an earlier run stopped. Used by main.c; resume.c by isolate.c alone.
 */
#ifndef ISOLATE_H
#define ISOLATE_H

#include <sys/types.h>
#include "bytes.h"
#include "run.h"

/* Records in the order of the list, kept for a second look: bytes of a file without a name. */
struct kept {
	FILE *file;
	int fd;
	uint64_t n; /* bytes */
};

void kept_open(struct kept *k);
void kept_add(struct kept *k, const char *bytes, size_t n);
void kept_read(const struct kept *k, uint64_t at, void *to, size_t n);
/* Passes n bytes of a file, from offset `at`, to use() in pieces. */
void kept_pass(int fd, uint64_t at, uint64_t n, void (*use)(void *ctx, const char *p, size_t n), void *ctx);
void kept_close(struct kept *k);

/*
 * Writes a kernel's record to r->out and to `all`. name, size: as from record_last_name(); a name that an earlier
 * record has becomes its number.
 */
void isolate_write_record(
	struct run *r, struct kept *all, const struct bytes *record, size_t name, size_t size);
/* The same with the records that a process wrote, n bytes at `at` of the spool; the kernel's record is the last. */
void isolate_write_records(struct run *r, struct kept *all, const struct kept *spool, uint64_t at, uint64_t n,
	const struct kernel_outcome *kernel);
/* Writes the end record; all: the records before it. */
void isolate_write_end(struct run *r, const struct kept *all, uint32_t done);

/* A kernel whose record an earlier run left. */
struct resumed_kernel {
	uint32_t command, position;
	uint32_t reused_from;        /* as in its record */
	char hash[33], checksum[17]; /* as in its record */
	uint64_t shape;              /* reuse_shape() */
};

/* Records that an earlier run left. */
struct resumed {
	uint64_t bytes; /* bytes of its records and the run's in the kept file; 0: nothing */
	char *path;     /* file of the records; NULL: none */
	bool part;      /* path ends in .part */
	bool complete;  /* no kernel is left */
	struct resumed_kernel *kernel;
	uint32_t kernels, cap;
};

/*
 * Reads the records of NAME.part, else of NAME (-o NAME). They begin with the bytes of the run record in k and
 * continue with kernels of r->list in its order. Adds them to k, their hashes to r->hash, and their names to
 * r->writer. Ends the program, with the reason, if the rest of the run would not continue them exactly.
 */
void resume_read(struct run *r, const char *name, struct kept *k, struct resumed *done);
/*
 * Reads the traces of all these kernels, and ends the program, with the reason, where one is not what its record
 * says.
 */
void resume_check(struct run *r, const struct isa *isa, const struct resumed *done);
void resume_free(struct resumed *done);

/*
 * Runs kernels in child processes. r: list, configuration, params, select and format are set. output: name
 * given with -o. resume: skips the kernels that output already has. Returns the exit status; ends the program
 * in the same cases as a run in one process.
 */
int isolate_run(
	struct run *r, const struct isa *isa, const char *output, bool force, bool resume, unsigned jobs);

#endif
