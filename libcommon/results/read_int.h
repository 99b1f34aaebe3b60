/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interface between the readers of the forms of results. Only read.c, read_*.c, list.c and log.c use it.
 *
 * The reader of a form adds the names and values of one record (list_set_figure()) and completes the record. list.c
 * derives the kernel's own figures and the run's totals. Always true: a name has one row, whose address remains
 * valid; a row belongs to the current record if its mark equals the reader's.
 */
#ifndef READ_INT_H
#define READ_INT_H

#include "arena.h"
#include "results.h"
#include "table.h"

#define READ_HIDDEN   '\001' /* character that only the names of rows that are never listed contain */
#define READ_WORD_MAX 4096   /* largest length of a name or value in bytes */

enum list_use { LIST_USE_UNKNOWN, LIST_USED, LIST_UNUSED };

struct list_name {
	const char *text;
	uint32_t len;                     /* length of text */
	const struct figure *description; /* row of stats.def; NULL: none */
	uint8_t use;                      /* one of enum list_use */
	uint32_t next;                    /* id of the name that followed this one in the last JSON record */
	uint32_t undefined;               /* number of the record in which the figure is null */
	uint32_t seen_line;               /* number of the last line of JSON with this name */
	uint32_t in_zeros;                /* run whose records omit the figure if it is 0 */
	uint32_t mark;                    /* number of the record in which `value` was set */
	uint32_t listed;                  /* number of the record whose list contains the figure */
	uint32_t list_index;              /* index of the figure in that list */
	struct result_value value;        /* value of the record, then the kernel's own value */
	struct result_value running;      /* running value in a log; decimals INT8_MAX: unknown */
	uint64_t previous_running;        /* running value in a log at the previous kernel */
	uint32_t id;                      /* number of the name, from 0 */
	struct result_value total;        /* sum over the run so far */
	uint32_t previous_run;            /* run to which `previous_running` belongs; 0: none */
	uint32_t total_run;               /* run to which `total` belongs; 0: none */
};

enum read_record { READ_NONE, READ_RUN, READ_KERNEL, READ_END, READ_OTHER, READ_INTERVAL };

/* State of the reader of a log. */
struct log_state {
	char name[512];      /* kernel name of the block */
	char prefix[24];     /* prefix of a channel's figures, "dram[3]." */
	char row[24];        /* name of the figure of rows "dram[0]: ..." */
	bool in_block;       /* true inside a kernel's block */
	bool record_begun;   /* true after the record began, when the kernel's number is known */
	bool complete;       /* true after the block's last line */
	bool in_net;         /* true between the two Interconnect-DETAILS lines */
	bool distro;         /* whether the next line is the issue distribution */
	bool occupancy;      /* whether the next line is the occupancy */
	bool first_id_seen;  /* true after kernel 1 of this run */
	bool limit_reported; /* true if the log reports a limit */
	uint32_t blocks;     /* number of blocks of this run */
};

struct results {
	struct input *in;
	unsigned flags; /* set of enum result_flags */
	const char *file;
	enum result_form form;
	struct arena texts;      /* texts of the names */
	struct list_name **name; /* rows by id, including hidden rows */
	uint32_t n_names, cap_names;
	struct table names; /* ids of known names */
	struct arena rows;
	uint32_t *order; /* ids of the current record's names */
	uint32_t n_order;
	uint32_t cap_order;
	uint32_t *zero; /* ids of names that the run's records omit if they are 0 */
	uint32_t n_zero;
	uint32_t cap_zero;
	uint32_t *listed; /* ids of the names in the run record's list, in order */
	uint32_t n_listed;
	uint32_t cap_listed;
	results_wanted *wanted; /* callback for wanted figures; NULL: all are wanted */
	void *wanted_ctx;
	uint32_t scans;             /* number of lines that were read as JSON */
	uint32_t first_figure;      /* id of the first name in the last line of JSON */
	struct json_member *member; /* members of the line of JSON */
	uint32_t n_members, cap_members;
	char **kernel_names; /* distinct names of the run's kernels; MessagePack refers to them by number */
	uint32_t n_kernel_names, cap_kernel_names;
	struct table kernel_name_rows;
	struct arena kernel_name_texts;
	uint32_t mark;              /* number of the current record */
	bool whole_run;             /* true while totals are listed */
	struct result_figure *list; /* figures for the caller */
	uint32_t n_list, cap_list;
	struct result_option *option;
	uint32_t n_options, cap_options;
	struct arena option_texts;
	struct result_kernel kernel;
	uint64_t first_cycle; /* first cycle of an interval */
	uint64_t cycles;      /* length of an interval in cycles */
	char *kernel_name;
	uint32_t cap_kernel_name;
	enum read_record record; /* kind of the current record */
	uint64_t record_line;    /* line number of the current record */
	uint64_t line_start;     /* input offset of the current line */
	uint64_t record_end;     /* input offset of the end of the last record */
	uint32_t run;            /* number of the current run */
	uint32_t kernels;        /* number of kernels of the current run so far */
	bool in_run;
	bool lacks_run_record; /* true if a record of trace-sim occurred outside a run, without the run record */
	bool started;          /* set after RESULT_START was queued */
	char status[32], hash[33];
	bool has_status;
	struct log_state log;
	char *line; /* current line, ended by NUL */
	uint32_t cap_line;
	bool read_again; /* true if the current line must be read again */
	size_t line_len;
	enum result_event due[4]; /* events to return before more is read */
	unsigned n_due;           /* number of elements of due */
	bool finished;            /* true after the end of the input */
	struct fault cut;         /* place and reason of a cut run */
};

/* Finds or adds the row of a name. Returns NULL and sets *f if there are too many names. */
struct list_name *list_name(struct results *r, const char *text, struct fault *f);
/* Sets a figure of the current record. Returns 0, or -1 and sets *f. */
int list_set_figure(struct results *r, const char *name, struct result_value v, struct fault *f);
void list_put_row(struct results *r, struct list_name *n, struct result_value v);
/* Marks a figure of the current record as undefined. */
void list_mark_undefined(struct results *r, const char *name);
/* Adds a name to the figures that the records of this run omit if they are 0. */
void list_add_zero(struct results *r, const char *name);
/* Returns true if the caller wants the figure. */
bool list_wants(struct results *r, struct list_name *n);
/* Adds n to a figure of the current record. Returns 0, or -1 and sets *f. */
int list_add_to_figure(struct results *r, const char *name, uint64_t n, struct fault *f);
/* Sets a member of the current record outside its figures, such as "grid.x". */
int read_member(struct results *r, const char *name, const char *value);
void read_number_name(struct results *r); /* gives the kernel's name a number unless it has one */
void read_set_kernel_name(struct results *r, const char *name);
void read_option(struct results *r, const char *name, const char *value, bool about);

/* Returns the kind of a record from its member "record". */
enum read_record read_record_of(const struct results *r, const char *word);
/* Begins a record. Returns false if events are due first; the caller then reads the same input again. */
bool read_begin(struct results *r, enum read_record record);
void read_complete(struct results *r); /* completes the current record and queues its events */
/* Ends the current run, if any, with the status "cut". */
void read_cut_run(struct results *r, const char *fmt, ...) PRINTF_LIKE(2, 3);
void read_finish_run(struct results *r, const char *status);
/*
 * Returns the hidden row `what` of figure `name`, which stores a previous running value. Returns NULL and sets *f on
 * failure.
 */
struct list_name *list_hidden_row(struct results *r, const char *name, const char *what, struct fault *f);
/* Stores now and returns its difference to the previous running value of this run. */
uint64_t list_difference(struct results *r, struct list_name *base, uint64_t now);
struct place read_place(const struct results *r);

/* Reads the whole text as a number, such as "12" or "1.5e3". Returns false for other texts, including nan and inf. */
bool value_parse(const char *text, struct result_value *v);
/* Reads the number at the start of text, sets *end to its end, and sets v->decimals from its digits. */
bool value_parse_printed(const char *text, const char **end, struct result_value *v);
struct result_value value_of_integer(uint64_t n);
struct result_value value_of_real(double x);

/* Read a line of each form. Returns 0, or -1 and sets *f. */
int read_text_line(struct results *r, char *line, struct fault *f);
int read_json_line(struct results *r, char *line, size_t len, struct fault *f);
/*
 * Reads a line with a kernel, interval or end record in the form that trace-sim writes: no blanks, escapes, arrays or
 * bytes above 126. Returns false for any other line, without using it.
 */
bool read_json_quickly(struct results *r, char *line, size_t len);
int read_accelsim_line(struct results *r, char *line, struct fault *f);
void read_accelsim_end(struct results *r); /* ends the current block */
/*
 * Returns the length of the object at the start of n bytes; 0 if more bytes are needed; -1 if it is malformed or too
 * long.
 */
long read_msgpack_length(const unsigned char *p, size_t n);
int read_msgpack_object(struct results *r, const char *p, size_t n, struct fault *f);

#endif
