/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run: the outer loop over an application's commands (LAUNCH-loop), its limits (LAUNCH-stop), what it
 * prints and how it ends. Used by main.c.
 */
#ifndef RUN_H
#define RUN_H

#include "klist.h"
#include "gpu/launch.h"
#include "output.h"
#include "record.h"
#include "stats/stats.h"

enum run_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_MSGPACK, FORMAT_ACCELSIM };

struct run {
	struct gpu gpu;
	struct gpuconf conf;
	struct klist list;
	const struct kselect *select; /* NULL: all kernels */
	enum run_format format;
	struct output *result;
	FILE *out;                    /* its stream */
	struct record_writer *writer; /* NULL with FORMAT_ACCELSIM */
	bool strict, host_time, progress;
	uint32_t next_command;
	bool ptx; /* the kernel loaded last is one from PTX */
	uint32_t kernels_done, kernels_loaded;
	struct code *warm;     /* static instructions of kernels left out, with --warm; NULL: without */
	uint32_t last_chosen;  /* command: nothing behind it is simulated */
	const char *selection; /* as -k says it; NULL: all */
	struct figures *before, *now;
	void *hash;                 /* XXH3 state over all kernels' hashes */
	uint64_t deadlock_progress; /* at the last look, + 1; 0: there was none */
	bool deadlock_delayed;      /* a kernel waited for its launch delay then */
	const char *status, *limit; /* "end" record */
	uint64_t interval;          /* of --interval, in core cycles; 0: none */
	struct interval *intervals; /* NULL: none */
	struct progress *meter;
	bool alone;                    /* one kernel of many: its records, and no end record */
	unsigned char kernel_hash[16]; /* of the kernel that ended last */
	const struct invocation *invoked;
};

/* The options given that decide what is simulated, as the run record tells them. provenance.c */
struct invocation {
	const char *const *config, *const *define, *const *cubin; /* in order */
	const bool *shipped;                                      /* config is the name of a shipped one */
	uint32_t n_config, n_define, n_cubin;
	const char *kernels, *isa; /* NULL: not given */
	const struct picks *picks; /* of kernels; NULL: none */
	bool strict, isolate, warm, sample_blocks;
	uint64_t interval;          /* 0: not given */
	const char *const *command; /* --provenance: the command line, ended by NULL; else NULL */
	const char *trace;          /* the operand; NULL: none */
	const char *energies;       /* --power-energies; NULL: none */
};

/* The lines with which a log of the original starts: what was built, and the options. */
void run_head(const struct run *r, FILE *out);
/* The "run" record. */
void run_record(const struct run *r, struct record_writer *w);

/* run.c. The whole application; the exit status. */
int run_application(struct run *r);
/* Before any output: the kernels selected by number exist, and their files; ends the program otherwise. */
void run_check(struct run *r);

/* limits.c: LAUNCH-stop. */
bool run_active(const struct run *r);
/* Name of the option whose limit is hit, or NULL. */
const char *run_limit(const struct run *r);
bool run_deadlocked(struct run *r);

/* report.c: which warps wait, on what, at which trace line. */
void report_deadlock(struct run *r, FILE *out);

/* progress.c: a line on stderr now and then; SIGINT, SIGTERM, SIGHUP, SIGUSR1. */
struct progress;
void progress_start(struct run *r);
void progress_poll(struct run *r);   /* cheap; called every step */
void progress_kernel(struct run *r); /* a kernel has ended, its figures are written */
bool progress_interrupted(void);
bool progress_asked(void);     /* by SIGUSR1, since the last call */
double progress_seconds(void); /* host seconds since the start */
void progress_end(struct run *r);

#endif
