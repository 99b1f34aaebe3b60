/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --isolate: simulates each kernel of a list on a GPU of its own, several kernels at a time.
 * --resume: continues a run of --isolate after the last kernel that it completed.
 * Used by simulate.c; the functions of resume.c are used by isolate.c alone.
 */
#ifndef ISOLATE_H
#define ISOLATE_H

#include <sys/types.h>
#include "bytes.h"
#include "run.h"

/* A temporary file without a name for records that are read again later. */
struct spool {
	FILE *file;
	int fd;
	uint64_t n; /* bytes written */
};

void spool_open(struct spool *k);
void spool_append(struct spool *k, const char *bytes, size_t n);
void spool_read(const struct spool *k, uint64_t at, void *to, size_t n);
/* Calls use() with the n bytes of the file from offset `at` on, in pieces. */
void spool_pass_bytes(
	int fd, uint64_t at, uint64_t n, void (*use)(void *ctx, const char *p, size_t n), void *ctx);
void spool_close(struct spool *k);

/*
 * Writes a kernel's record to r->out and to `all`. `name` and `size` locate the kernel's name, see record_last_name().
 * If an earlier record has the same name, a number is written in its place.
 */
void isolate_write_record(
	struct run *r, struct spool *all, const struct bytes *record, size_t name, size_t size);
/* Writes the records of a process in the same way: n bytes at offset `at` of the spool, the kernel's record last. */
void isolate_write_records(struct run *r, struct spool *all, const struct spool *spool, uint64_t at,
	uint64_t n, const struct kernel_outcome *kernel);
/* Writes the end record. `all` has the records before it; `done` is the number of kernels simulated to their end. */
void isolate_write_end(struct run *r, const struct spool *all, uint32_t done);

/* A kernel that has a record from an earlier run. */
struct resumed_kernel {
	uint32_t command, position;
	uint32_t reused_from;        /* as in its record */
	char hash[33], checksum[17]; /* as in its record */
	uint64_t shape;              /* reuse_shape_hash() */
};

/* Records of an earlier run. */
struct resumed {
	uint64_t bytes; /* size of the run record and the reused records; 0: no record is reused */
	char *path;     /* file with the records; NULL: none */
	bool part;      /* path ends in .part */
	bool complete;  /* every kernel has a record */
	struct resumed_kernel *kernel;
	uint32_t kernels, cap;
};

/*
 * Reads the records in NAME.part or, if that does not exist, in NAME (-o NAME). The file must begin with the run record
 * that is in k, and its kernels must be those of r->list in the same order. Adds the records to k, their hashes to
 * r->hash, and their names to r->writer. Ends the program with a message if the records do not fit this run.
 */
void resume_read(struct run *r, const char *name, struct spool *k, struct resumed *done);
/*
 * Reads the traces of all kernels in *done. Ends the program with a message if a trace differs from its record.
 */
void resume_check(struct run *r, const struct isa *isa, const struct resumed *done);
void resume_free(struct resumed *done);

/*
 * Runs each kernel in a child process, at most `jobs` at a time. r: list, configuration, params, select and format are
 * set. `output` is the operand of -o. With `resume`, kernels that already have a record in `output` are skipped.
 * Returns the exit status. Ends the program in the same cases as a run in one process.
 */
int isolate_run(
	struct run *r, const struct isa *isa, const char *output, bool force, bool resume, unsigned jobs);

#endif
