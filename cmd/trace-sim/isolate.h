/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Simulates each kernel of a list on a separate GPU, several kernels at a time (--isolate). Continues such
 * a run after the last kernel that it completed (--resume). Only isolate.c calls the functions of resume.c.
 */
#ifndef ISOLATE_H
#define ISOLATE_H

#include <sys/types.h>
#include "bytes.h"
#include "run.h"

/* A temporary file without a name, for records that are read again later. */
struct spool {
	FILE *file;
	int fd;
	uint64_t n; /* bytes written */
};

/* Open the file, append n bytes to it, and read n bytes starting at offset `at`. They end the program on failure. */
void spool_open(struct spool *k);
void spool_append(struct spool *k, const char *bytes, size_t n);
void spool_read(const struct spool *k, uint64_t at, void *to, size_t n);
/* Passes the n bytes of the file from offset `at` on to use(), in pieces. */
void spool_pass_bytes(
	int fd, uint64_t at, uint64_t n, void (*use)(void *ctx, const char *p, size_t n), void *ctx);
void spool_close(struct spool *k);

/*
 * Writes a kernel's record to r->out and to `all`. `name` and `size` are the position and the size of the
 * kernel's name; see record_last_name(). If an earlier record has the same name, writes a number instead of
 * the name.
 */
void isolate_write_record(
	struct run *r, struct spool *all, const struct bytes *record, size_t name, size_t size);
/*
 * Writes the records of a process in the same way. They are n bytes at offset `at` of the spool, with the
 * kernel's record at the end.
 */
void isolate_write_records(struct run *r, struct spool *all, const struct spool *spool, uint64_t at,
	uint64_t n, const struct kernel_outcome *kernel);
/* Returns the status, a or b, with the stronger reason why a run is not complete. */
const char *isolate_worse_status(const char *a, const char *b);
/* Writes the end record. `all` has the records before it; `done` is the number of kernels simulated to their end. */
void isolate_write_end(struct run *r, const struct spool *all, uint32_t done);

/* part_sums.c: checksums of the records in NAME.part. */
struct part_sums {
	char *path;   /* NAME.part.sums; NULL: the result is not a file */
	FILE *file;   /* NULL: there is no checksum yet */
	uint64_t end; /* size of the records that have checksums */
};
/* Returns the path of the checksums of the file `part`. The caller frees it. */
char *part_sums_path(const char *part);
/*
 * Begins the checksums of a file of records, and removes those of an earlier run, except for the lines of the first
 * `keep` bytes. part: NULL for other outputs
 */
void part_sums_open(struct part_sums *s, const char *part, uint64_t keep);
/* Removes the lines of all but the first `keep` bytes. */
void part_sums_keep(struct part_sums *s, uint64_t keep);
/*
 * Writes the checksum of the records in `all` that have none. They are not flushed to NAME.part yet. Ends the program
 * on failure.
 */
void part_sums_add(struct part_sums *s, const struct spool *all);
/* Removes the file of checksums. */
void part_sums_remove(struct part_sums *s);
/* Removes the checksums that an earlier run left. part: NAME.part, or NULL */
void part_sums_discard(const char *part);
#define PART_SUMS_NONE UINT64_MAX
/*
 * Compares the records in NAME.part, which has `size` bytes, with their checksums. Returns the size of the records that
 * have one, or PART_SUMS_NONE if there are no checksums. Ends the program with a message if records are damaged.
 * has_lines: the records are text.
 */
uint64_t part_sums_verify(const char *part, uint64_t size, bool has_lines);

/* A kernel that has a record from an earlier run. */
struct resumed_kernel {
	uint32_t command, position;
	uint32_t reused_from; /* value from the kernel's record */
	char hash[33];        /* hash in the kernel's record */
	char checksum[17];    /* checksum in the kernel's record */
	uint64_t shape;       /* reuse_shape_hash() */
};

/* Records of an earlier run. */
struct resumed {
	uint64_t bytes; /* size of the run record and the reused records; 0 if no record is reused */
	char *part;     /* NAME.part; NULL without --resume */
	char *path;     /* file with the records, NAME.part or NAME; NULL if there is none */
	bool is_part;   /* true if `path` is NAME.part */
	bool complete;  /* true if every kernel has a record */
	struct resumed_kernel *kernel;
	uint32_t n_kernels, cap_kernels;
};

/*
 * Reads the records in NAME.part (with -o NAME) or, if that file does not exist, in NAME. The file must begin
 * with the run record in k. Its kernels must be the kernels of r->list in the same order. Adds the records to
 * k, their hashes to r->hash, and their names to r->writer. Ends the program with a message if the records do
 * not fit this run.
 */
void resume_read(struct run *r, const char *name, struct spool *k, struct resumed *done);
/*
 * Reads the traces of all kernels in *done. Ends the program with a message if a trace differs from its record.
 */
void resume_check(struct run *r, const struct isa *isa, const struct resumed *done);
void resume_free(struct resumed *done);

/*
 * Runs each kernel in a child process, at most `jobs` at a time. The list, configuration, parameters,
 * selection and format in r must be set. `output` is the operand of -o. With `resume`, kernels that already
 * have a record in `output` are skipped. Returns the exit status. Ends the program in the same cases as a run
 * in one process.
 */
int isolate_run(
	struct run *r, const struct isa *isa, const char *output, bool force, bool resume, unsigned jobs);

#endif
