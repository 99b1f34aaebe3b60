/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run: the outer loop over the commands of a kernel list (LAUNCH-loop), the limits (LAUNCH-stop), the
 * output and the end of the run.
 */
#ifndef RUN_H
#define RUN_H

#include "klist.h"
#include "gpu/launch.h"
#include "output.h"
#include "record.h"
#include "stats/stats.h"

enum run_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_MSGPACK, FORMAT_ACCELSIM };

/* Properties of a kernel's record that --isolate and --reuse need to copy it. */
struct kernel_outcome {
	uint64_t checksum;
	uint64_t figures_bytes;   /* size in bytes of the figures at the end of the record */
	uint64_t bytes_from_name; /* number of bytes from the kernel's name to the end of the record */
	/*
	 * Size in bytes of the kernel's name in the record. 0 if a copy of the record must keep the name, so that no
	 * number may replace it.
	 */
	uint64_t name_size;
	bool unfinished;    /* true if the run ended before the kernel did */
	bool has_text_hash; /* true if the record has the hash of the kernel's text */
};

struct run {
	struct gpu gpu;
	struct gpuconf conf;
	struct klist list;
	const struct kselect *select; /* selected kernels; NULL selects all */
	enum run_format format;
	struct output *result;
	FILE *out;                    /* stream of the result */
	struct record_writer *writer; /* writer of the records; NULL with FORMAT_ACCELSIM */
	bool strict, host_time, progress;
	bool skip_missing;            /* --skip-missing */
	struct klist_skipped skipped; /* missing kernels; set by run_check_kernels() */
	uint32_t next_command;
	bool ptx; /* true if the kernel loaded last is from PTX */
	uint32_t kernels_done, kernels_loaded;
	struct code *warm_code;             /* instructions of unselected kernels (--warm), or NULL */
	uint32_t last_selected;             /* last command that may be simulated */
	const char *selection;              /* operand of -k; NULL if all kernels are selected */
	struct figure_choice *choice;       /* selection of the figures in records */
	struct figures *figures_before;     /* figures at the end of the last kernel */
	struct figures *figures_now;        /* figures at the end of the current kernel */
	void *hash;                         /* XXH3 state over the hashes of all kernels */
	uint64_t progress_at_deadlock_test; /* progress count + 1 at the last deadlock test, or 0 */
	bool delayed_at_deadlock_test;      /* true if a kernel was delayed at the last deadlock test */
	const char *status;                 /* value of "status" in the "end" record */
	const char *limit;                  /* value of "limit" in the "end" record */
	uint64_t interval;                  /* value of --interval in core cycles; 0 if not given */
	struct interval *intervals;         /* writer of the interval records; NULL if there are none */
	struct progress *progress_state;    /* state of the progress lines (progress.c) */
	bool summary;                       /* true if a line per kernel is printed instead of records */
	uint32_t n_summary_lines;           /* number of kernels with a line in the summary */
	bool isolated;                      /* true if the run simulates one kernel of --isolate */
	unsigned char last_hash[16];        /* hash of the kernel that ended last */
	struct kernel_outcome last_outcome; /* outcome of the kernel that ended last */
	bool reuse;                         /* --reuse */
	const struct invocation *invoked;
};

/* The options that determine the simulation, for the run record (provenance.c). */
struct invocation {
	const char *const *config, *const *define,
					   *const *cubin; /* operands of -c and -g, -D, --cubin, in order */
	const bool *shipped; /* for each element of `config`, true if given with -g */
	uint32_t n_config, n_define, n_cubin;
	const char *kernels;       /* operand of -k; NULL if not given */
	const char *isa;           /* operand of --isa; NULL if not given */
	const struct picks *picks; /* picks that -k names; NULL if none */
	bool strict, isolate, warm, sample_blocks, reuse;
	uint64_t interval;          /* value of --interval; 0 if not given */
	const char *const *command; /* with --provenance: command line, terminated by NULL; otherwise NULL */
	const char *trace;          /* operand of the command line; NULL if there is none */
	const char *energies;       /* operand of --power-energies; NULL if not given */
	const struct figure_choice *choice; /* -s, --all-figures */
};

/* Prints the first lines of Accel-Sim's format: version and options. */
void run_print_head(const struct run *r, FILE *out);
/*
 * Stores in r->choice the list of figures that records may have. Reads them from r's GPU before its first
 * cycle.
 */
void run_list_figures(struct run *r);
/*
 * Lists the figures in the same way, but reads them from a temporary GPU, so that r needs no initialised GPU.
 */
void run_list_figures_alone(struct run *r, const struct isa *isa);
/*
 * Returns true if reading the figures changes them, as it does with -network_mode 1. The list of figures must then be
 * read from a temporary GPU.
 */
bool run_reads_change_figures(const struct run *r);
/*
 * With -s, makes the records after the run record compact. With `kernels`, also replaces repeated kernel
 * names by numbers.
 */
void run_compact_records(const struct run *r, struct record_writer *w, bool kernels);
/* Writes the "run" record. */
void run_write_record(const struct run *r, struct record_writer *w);

/* Runs the whole application. Returns the exit status. */
int run_application(struct run *r);
/*
 * Ends the program if a kernel that the run reads cannot be read. With --skip-missing, kernels that do not exist are
 * marked as skipped, with a warning. Called before the run record is written.
 */
void run_check_kernels(struct run *r);
/* Writes the number and positions of the skipped kernels, if there are any, to the run record. */
void run_write_skipped(const struct run *r, struct record_writer *w);

/* summary.c: print the line of a kernel, and the totals at the end. */
void summary_print_kernel(struct run *r, const struct kernel *k);
void summary_print_end(struct run *r);

/* limits.c: returns true while the run continues (LAUNCH-stop). */
bool run_may_continue(const struct run *r);
/* Returns the name of the option whose limit is reached, or NULL. */
const char *run_reached_limit(const struct run *r);
/* Returns true if nothing has progressed since the last call. */
bool run_is_deadlocked(struct run *r);

/* report.c: prints the waiting warps, each with the reason for its wait and its line in the trace. */
void report_deadlock(struct run *r, FILE *out);

/* progress.c: prints progress lines on stderr, and handles SIGINT, SIGTERM, SIGHUP and SIGUSR1. */
struct progress;
void progress_start(struct run *r);
void progress_print_if_due(struct run *r); /* prints progress if due; called in every step */
void progress_kernel_done(struct run *r);  /* called when the figures of a kernel are written */
bool progress_is_interrupted(void);
bool progress_is_requested(void); /* true if SIGUSR1 has arrived since the last call */
double progress_seconds(void);    /* host seconds since the start of the run */
void progress_end(struct run *r);

#endif
