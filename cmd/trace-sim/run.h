/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run: the outer loop over the commands of an application (LAUNCH-loop), its limits (LAUNCH-stop), its
 * output and its end. Used by main.c.
 */
#ifndef RUN_H
#define RUN_H

#include "klist.h"
#include "gpu/launch.h"
#include "output.h"
#include "record.h"
#include "stats/stats.h"

enum run_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_MSGPACK, FORMAT_ACCELSIM };

/* Outcome of a kernel that --reuse gives to equal kernels. */
struct kernel_outcome {
	uint64_t checksum;
	uint64_t group;     /* bytes of its figures at the end of its record */
	uint64_t name;      /* bytes from its name to the end of its record */
	uint64_t name_size; /* bytes of its name there; 0: it is not to be replaced by a number */
	bool unfinished;    /* the run ended in it */
	bool hashed;        /* its record has the hash of its text */
};

struct run {
	struct gpu gpu;
	struct gpuconf conf;
	struct klist list;
	const struct kselect *select; /* NULL: all kernels */
	enum run_format format;
	struct output *result;
	FILE *out;                    /* stream of the output */
	struct record_writer *writer; /* NULL with FORMAT_ACCELSIM */
	bool strict, host_time, progress;
	bool skip_missing;            /* --skip-missing */
	struct klist_skipped skipped; /* kernels that are missing, after run_check() */
	uint32_t next_command;
	bool ptx; /* the kernel loaded last is from PTX */
	uint32_t kernels_done, kernels_loaded;
	struct code *warm;            /* static instructions of kernels left out, with --warm; else NULL */
	uint32_t last_chosen;         /* last command that is simulated */
	const char *selection;        /* operand of -k; NULL: all */
	struct figure_choice *choice; /* figures of the records */
	struct figures *before, *now;
	void *hash;                 /* XXH3 state over all kernels' hashes */
	uint64_t deadlock_progress; /* progress + 1 at the last deadlock test; 0: none yet */
	bool deadlock_delayed;      /* a kernel waited for its launch delay at that test */
	const char *status, *limit; /* "end" record */
	uint64_t interval;          /* --interval in core cycles; 0: none */
	struct interval *intervals; /* NULL: none */
	struct progress *meter;
	bool summary;                  /* prints a line a kernel in place of records */
	uint32_t summarized;           /* kernels printed */
	bool alone;                    /* writes the records of one kernel, without an end record */
	unsigned char kernel_hash[16]; /* hash of the kernel that ended last */
	struct kernel_outcome ended;   /* that kernel's other results */
	bool reuse;                    /* equal kernels have one simulation, with --isolate */
	const struct invocation *invoked;
};

/* The options that determine the simulation, for the run record (provenance.c). */
struct invocation {
	const char *const *config, *const *define, *const *cubin; /* in order */
	const bool *shipped;                                      /* config is the name of a shipped one */
	uint32_t n_config, n_define, n_cubin;
	const char *kernels, *isa; /* NULL: not given */
	const struct picks *picks; /* NULL: none */
	bool strict, isolate, warm, sample_blocks, reuse;
	uint64_t interval;                  /* 0: not given */
	const char *const *command;         /* --provenance: the command line, ended by NULL; else NULL */
	const char *trace;                  /* the operand; NULL: none */
	const char *energies;               /* --power-energies; NULL: none */
	const struct figure_choice *choice; /* -s, --all-figures */
};

/* Prints the first lines of a log of the original: version and options. */
void run_head(const struct run *r, FILE *out);
/* Completes the list of figures that records may have, from r's GPU before its first cycle. */
void run_list_figures(struct run *r);
/* The same from a GPU of its own, where r has none yet. */
void run_list_figures_alone(struct run *r, const struct isa *isa);
/* Do figures of the network count how often they were read? Then only a GPU of its own may be asked for the list. */
bool run_counts_reads(const struct run *r);
/* Makes the records after the run record compact, with -s; kernels: also the names of kernels. */
void run_compact(const struct run *r, struct record_writer *w, bool kernels);
/* Writes the "run" record. */
void run_record(const struct run *r, struct record_writer *w);

/* Runs the whole application; returns the exit status. */
int run_application(struct run *r);
/*
 * Ends the program unless the kernels that the run reads exist, or are skipped by --skip-missing with a warning. Called
 * before the run record is written.
 */
void run_check(struct run *r);
/* Writes the mark of skipped kernels into the run record, if any is skipped. */
void run_record_skipped(const struct run *r, struct record_writer *w);

/* summary.c: prints the line of a kernel, and the end of the summary. */
void summary_kernel(struct run *r, const struct kernel *k);
void summary_end(struct run *r);

/* limits.c: true while the run continues (LAUNCH-stop). */
bool run_active(const struct run *r);
/* Name of the option whose limit is hit, or NULL. */
const char *run_limit(const struct run *r);
/* Deadlock test: true if nothing has progressed since the last call. */
bool run_deadlocked(struct run *r);

/* report.c: prints the waiting warps with reason and trace line. */
void report_deadlock(struct run *r, FILE *out);

/* progress.c: progress lines on stderr; SIGINT, SIGTERM, SIGHUP, SIGUSR1. */
struct progress;
void progress_start(struct run *r);
void progress_poll(struct run *r);   /* called every step */
void progress_kernel(struct run *r); /* called when the figures of a kernel are written */
bool progress_interrupted(void);
bool progress_asked(void);     /* true if SIGUSR1 has arrived since the last call */
double progress_seconds(void); /* host seconds since the start */
void progress_end(struct run *r);

#endif
