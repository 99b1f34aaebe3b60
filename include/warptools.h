/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libwarptools: reads kernel lists, kernel traces (text or packed) and results of trace-sim.
 *
 * No function ends the process or prints. A function that fails returns NULL or -1 and fills the struct wt_error of
 * its caller, who may pass NULL. Threads may use different handles at the same time; a list and its kernels are one
 * handle. Structures other than wt_error belong to the library; later versions add members only at their ends.
 *
 * Memory: after an error with the id "memory" a handle answers every call with that error and can only be closed. The
 * memory of the failed call may be lost.
 *
 * Pages: warptools(3), wt_open(3), wt_kernel_open(3), wt_results_open(3).
 */
#ifndef WARPTOOLS_H
#define WARPTOOLS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

#define WT_LANES 32
#define WT_NONE  UINT32_MAX

/* Version of the suite, "0.2.0". */
const char *wt_version(void);

/* ---- errors --------------------------------------------------------------------------------------- */

struct wt_error {
	uint64_t line;   /* line number, from 1; 0: the input as a whole, or unknown */
	uint32_t column; /* column, from 1; 0: the whole line */
	uint32_t reserved;
	char id[32];     /* short name that never changes, such as "opcode-unknown" */
	char file[4096]; /* name of the input, "" without one; a long name is cut and ends with ".." */
	char text[512];  /* message in the form "WHAT (expected Y)" */
};

/* Writes "file:line:column: text" to out, as the programs print it. Returns out. */
const char *wt_error_message(const struct wt_error *e, char *out, size_t cap);

/* ---- kernel lists --------------------------------------------------------------------------------- */

enum wt_command_kind { WT_COPY_TO_DEVICE = 0, WT_KERNEL = 1, WT_COPY_TO_HOST = 2 };

struct wt_command {
	uint32_t kind;     /* one of enum wt_command_kind */
	uint32_t position; /* WT_KERNEL: position among the kernels, from 1; else 0 */
	uint64_t line;     /* line number in the list; 0: there is no list */
	uint64_t address;  /* destination of a copy */
	uint64_t bytes;    /* size of a copy */
	const char *text;  /* line as written; for a kernel, the name of its file */
	const char *path;  /* WT_KERNEL: path of the file, or the stream and the name; else NULL */
};

struct wt_list;

/*
 * Opens a kernel list, a directory with a list, a packed stream, a kernel file, or "-" (standard input, once per
 * process). The input may be compressed with gzip, xz or zstd.
 */
struct wt_list *wt_open(const char *path, struct wt_error *e);
/*
 * Opens a descriptor like wt_open(). The library reads a duplicate; the caller keeps fd. Errors show name. Kernel
 * files of a list are relative to the directory part of name.
 */
struct wt_list *wt_open_fd(int fd, const char *name, struct wt_error *e);
/* Closes the list and its kernels. Accepts NULL. */
void wt_close(struct wt_list *l);

/* Returns the commands in order and sets *n to their number. Valid until wt_close(). */
const struct wt_command *wt_commands(const struct wt_list *l, uint32_t *n);
/* Returns the number of kernels. */
uint32_t wt_kernels(const struct wt_list *l);
/*
 * Sets the function that is called with each warning, such as an opcode without a row in the tables. NULL: no
 * function (default).
 */
void wt_on_warning(struct wt_list *l, void (*warn)(void *ctx, const struct wt_error *w), void *ctx);

/* ---- static instructions -------------------------------------------------------------------------- */

enum wt_space {
	WT_SPACE_NONE = 0,
	WT_SPACE_GLOBAL = 1,
	WT_SPACE_LOCAL = 2,
	WT_SPACE_SHARED = 3,
	WT_SPACE_GENERIC = 4, /* the address selects the space */
	WT_SPACE_CONST = 5,
	WT_SPACE_TEXTURE = 6,
	WT_SPACE_PARAM = 7
};

enum wt_access { WT_LOAD = 1, WT_STORE = 2, WT_ATOMIC = 4 };

struct wt_instruction {
	const char *opcode;          /* text of the opcode with all suffixes: "LDG.E.128" */
	const uint16_t *destination; /* n + 1 for R<n>, n + 257 for UR<n>; other numbers for PTX */
	const uint16_t *source;
	uint64_t immediate; /* first immediate; 0 if there is none */
	uint32_t pc;
	uint32_t line; /* source line; 0: unknown */
	uint32_t file; /* number of the source file, for wt_kernel_source(); 0: unknown */
	uint16_t size; /* size of the access per lane in bytes; 0: no addresses */
	uint8_t n_destinations;
	uint8_t n_sources;
	uint8_t space;  /* one of enum wt_space */
	uint8_t access; /* set of enum wt_access */
	uint8_t class_; /* for wt_class_name() */
	uint8_t ptx;    /* 1: PTX, 0: machine code */
	uint32_t reserved;
};

/*
 * Returns the distinct instructions of the thread blocks read so far, over all kernels of the list, and sets *n to
 * their number. Indices keep their meaning. The array is valid until the next thread block is read.
 */
const struct wt_instruction *wt_instructions(const struct wt_list *l, uint32_t *n);
/* Returns the name of a class of instructions, such as "LOAD"; "" for other numbers. */
const char *wt_class_name(unsigned class_);
/* Returns the name of an address space, such as "global"; "" for other numbers. */
const char *wt_space_name(unsigned space);

/* ---- kernels -------------------------------------------------------------------------------------- */

struct wt_kernel_info {
	const char *name;
	const char *path;
	uint64_t stream; /* CUDA stream */
	uint64_t blocks; /* number of thread blocks of the grid */
	uint64_t shared_base;
	uint64_t local_base;
	uint32_t id;
	uint32_t grid[3];
	uint32_t block[3];
	uint32_t warps;              /* number of warps of a thread block */
	uint32_t registers;          /* number of registers of a thread */
	uint32_t shared;             /* bytes of shared memory that the kernel declares */
	uint32_t dynamic_shared;     /* bytes of shared memory that the launch added */
	uint32_t compute_capability; /* compute capability such as 86; 0: unknown */
	uint8_t ptx;                 /* 1: the trace is from PTX */
	uint8_t slice;               /* 1: the kernel was cut from a larger grid */
	uint8_t has_lines;           /* 1: according to the header, instructions have source lines */
	uint8_t reserved[5];
};

struct wt_warp {
	uint32_t first; /* index of the first instruction in the columns of the block */
	uint32_t count; /* number of instructions */
	uint64_t line;  /* line of the first instruction; 0: unknown, after a seek */
};

/* A thread block. Its instructions are the columns code and mask, warp after warp. */
struct wt_block {
	uint64_t number; /* number of the thread block in the order of the trace, from 0 */
	uint32_t x;
	uint32_t y;
	uint32_t z;
	uint32_t n_warps;
	uint32_t n_instructions;
	uint32_t n_accesses; /* number of instructions with addresses */
	const struct wt_warp *warp;
	const uint32_t *code; /* index for wt_instructions() */
	const uint32_t *mask; /* mask of active lanes */
};

/* Addresses of a thread block. Row i has the addresses of instruction number instruction[i] of the block. */
struct wt_accesses {
	uint32_t n; /* number of accesses */
	uint32_t reserved;
	const uint32_t *instruction;
	const uint8_t *space;             /* enum wt_space; not GENERIC if the header has address windows */
	const uint64_t (*lane)[WT_LANES]; /* address of each lane; 0 for inactive lanes */
};

struct wt_kernel;

/* Opens the kernel at a position, from 1. The list must stay open. Several kernels may be open. */
struct wt_kernel *wt_kernel_open(struct wt_list *l, uint32_t position, struct wt_error *e);
/* Closes the kernel. Accepts NULL. */
void wt_kernel_close(struct wt_kernel *k);
/* Returns the header. It is valid until the kernel is closed. */
const struct wt_kernel_info *wt_kernel_info(const struct wt_kernel *k);
/* Returns the name of a source file by its number in struct wt_instruction; NULL if the trace has none. */
const char *wt_kernel_source(const struct wt_kernel *k, uint32_t file);
/*
 * Reads the next thread block and sets *b to it, valid until the next call for this kernel. Returns 1; 0 at the end
 * of the kernel, and sets *b to NULL; -1 on an error.
 */
int wt_kernel_next(struct wt_kernel *k, const struct wt_block **b, struct wt_error *e);
/*
 * Moves to a thread block by its number in the order of the trace, from 0. In a packed kernel the thread blocks
 * before it are not decoded. A kernel from a pipe cannot go back. Returns 0, or -1 on an error.
 */
int wt_kernel_seek(struct wt_kernel *k, uint64_t block, struct wt_error *e);
/*
 * Writes the addresses of one instruction of the last read block. Returns 1; 0 if the instruction has no addresses
 * (all are set to 0); -1 if the block has no such instruction.
 */
int wt_kernel_addresses(const struct wt_kernel *k, uint32_t instruction, uint64_t lane[WT_LANES]);
/*
 * Returns the addresses of all accesses of the last read block, valid until the next call for this kernel; NULL on an
 * error.
 */
const struct wt_accesses *wt_kernel_accesses(struct wt_kernel *k, struct wt_error *e);

/* ---- results -------------------------------------------------------------------------------------- */

enum wt_results_flags {
	WT_RUNNING =
		1, /* gives kernels running totals instead of their own figures, as in a log of Accel-Sim */
	WT_INTERVALS = 2 /* returns the records of --interval, too */
};

enum wt_record_kind { WT_RECORD_RUN = 1, WT_RECORD_KERNEL = 2, WT_RECORD_END = 3, WT_RECORD_INTERVAL = 4 };

struct wt_setting {
	const char *name;  /* name of an option, without its dash */
	const char *value; /* resolved value as text */
	uint32_t about;    /* 1: not an option but about the run's origin, such as "version" */
	uint32_t reserved;
};

struct wt_figure {
	const char *name;
	const char *unit; /* unit; "-": a plain number, or unknown */
	double value;
	uint64_t count; /* the value as an integer, if `whole` is 1 */
	uint32_t whole; /* whether count is the value */
	uint32_t id;    /* number of the name in the input, from 0 */
};

struct wt_record {
	uint32_t kind; /* one of enum wt_record_kind */
	uint32_t run;  /* number of the run in the input, from 1 */
	uint32_t position;
	uint32_t n_figures; /* number of figures */
	uint32_t n_settings;
	uint32_t reserved;
	uint64_t id;
	uint64_t stream;
	uint64_t first_cycle; /* first cycle, for WT_RECORD_INTERVAL */
	uint64_t cycles;      /* number of cycles, for WT_RECORD_INTERVAL */
	const char *name;     /* name of the kernel; "" in other records */
	const char *grid;     /* dimensions such as "6x1x1"; "": unknown */
	const char *block;
	/* status of a kernel: "", "unfinished"; of WT_RECORD_END: "complete", "limit", "deadlock", ... */
	const char *status;
	const char *hash; /* hash of the kernel's text; "": unknown */
	const struct wt_figure *figure;
	const struct wt_setting *setting; /* options, for WT_RECORD_RUN */
};

struct wt_results;

/* Opens results of trace-sim (JSON, msgpack, text) or a log of Accel-Sim; "-": standard input. */
struct wt_results *wt_results_open(const char *path, unsigned flags, struct wt_error *e);
/* Opens a descriptor like wt_results_open(). The library reads a duplicate. */
struct wt_results *wt_results_open_fd(int fd, const char *name, unsigned flags, struct wt_error *e);
/* Closes the results. Accepts NULL. */
void wt_results_close(struct wt_results *r);
/*
 * Reads the next record and sets *x to it, valid until the next call. Returns 1; 0 at the end, and sets *x to NULL;
 * -1 on an error.
 */
int wt_results_next(struct wt_results *r, const struct wt_record **x, struct wt_error *e);
/*
 * Sets *value to the value of a figure of the last read record. Returns 1, or 0 if the record does not have the
 * figure.
 */
int wt_results_value(const struct wt_results *r, const char *name, double *value);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
