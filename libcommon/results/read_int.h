/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the forms of results share; used by run_read*.c only.
 *
 * A form fills the reader with names and values of one record (rr_put) and says when it is complete;
 * read.c makes a kernel's own figures and the run's totals of them. Always true: a name is kept once,
 * its row stays where it is; a row belongs to the record at hand when its mark is the reader's.
 */
#ifndef RUN_READ_INT_H
#define RUN_READ_INT_H

#include "arena.h"
#include "run_read.h"
#include "table.h"

#define RR_HIDDEN   '\001' /* in the names of rows that are never listed */
#define RR_WORD_MAX 4096   /* bytes of a name or value that is kept */

struct rr_name {
	const char *text;
	const struct figure *about;
	uint32_t mark;            /* of the record in which now was set */
	uint32_t listed;          /* of the record in whose list the figure stands */
	uint32_t at;              /* where in the list */
	struct run_value now;     /* as read; afterwards the kernel's own */
	struct run_value running; /* as a log has it; decimals INT8_MAX: not known */
	uint64_t before;          /* running value at the kernel before; logs only */
	uint32_t id;
	struct run_value total;         /* of the run so far */
	uint32_t before_run, total_run; /* the run of these two; 0: none */
};

enum rr_record { RR_NONE, RR_RUN, RR_KERNEL, RR_END, RR_OTHER, RR_INTERVAL };

struct rr_log {          /* where in a log we are */
	char name[512];  /* of the block's kernels */
	char prefix[24]; /* of a channel's lines, "dram[3]." */
	char row[24];    /* figure of the rows "dram[0]: ..." */
	bool in_block;
	bool begun;             /* the kernel's number is known, its record has begun */
	bool complete;          /* the block's last line was read */
	bool in_net;            /* between the lines Interconnect-DETAILS */
	bool distro, occupancy; /* the next line holds these */
	bool first_id_seen;     /* this run had a kernel 1 */
	bool limit;
	uint32_t blocks; /* of this run */
};

struct run_reader {
	struct input *in;
	unsigned flags;
	const char *file;
	enum run_form form;
	struct arena texts;
	struct rr_name **name; /* by id; the hidden rows of streams too */
	uint32_t n_names, cap_names;
	struct table names; /* ids */
	struct arena rows;
	uint32_t *order, n_order, cap_order; /* ids put in this record */
	uint32_t mark;
	bool whole_run; /* totals are being listed */
	struct run_figure *list;
	uint32_t n_list, cap_list;
	struct run_option *option;
	uint32_t n_options, cap_options;
	struct arena option_texts;
	struct run_kernel kernel;
	uint64_t first_cycle, cycles; /* of an interval */
	char *kernel_name;
	uint32_t cap_kernel_name;
	enum rr_record record; /* being read */
	uint64_t record_line;
	uint64_t line_start,
		record_end;   /* bytes of the input before the line at hand; up to the last record's end */
	uint32_t run;         /* number of the run at hand */
	uint32_t kernels;     /* of it */
	bool in_run, started; /* started: RUN_START was given */
	char status[32], hash[33];
	bool has_status;
	struct rr_log log;
	char *line; /* the line at hand, ended by NUL */
	uint32_t cap_line;
	bool held; /* read the line again */
	size_t line_len;
	enum run_event due[4]; /* events to give before reading on */
	unsigned n_due;
	bool finished; /* the input is at its end */
	struct fault cut;
};

/* The row of a name, made when it is new; NULL when there are too many (a fault is then set). */
struct rr_name *rr_name(struct run_reader *r, const char *text, struct fault *f);
/* A figure of the record at hand. */
int rr_put(struct run_reader *r, const char *name, struct run_value v, struct fault *f);
/* The same, added to what was put under this name already. */
int rr_add(struct run_reader *r, const char *name, uint64_t n, struct fault *f);
/* A member of the record at hand outside its figures, such as "grid.x". */
int rr_member(struct run_reader *r, const char *name, const char *value);
void rr_set_kernel_name(struct run_reader *r, const char *name);
void rr_option(struct run_reader *r, const char *name, const char *value, bool about);

enum rr_record rr_record_of(const struct run_reader *r, const char *word);
/* A record begins. false: events are due first, the same input must be given again. */
bool rr_begin(struct run_reader *r, enum rr_record record);
void rr_complete(struct run_reader *r); /* the record at hand is whole: events become due */
/* The run at hand, if there is one, stops early. */
void rr_cut(struct run_reader *r, const char *fmt, ...) PRINTF_LIKE(2, 3);
void rr_finish_run(struct run_reader *r, const char *status);
/* Where what was counted before the record at hand is kept, for the figure `name`; NULL: a fault is set. */
struct rr_name *rr_hidden(struct run_reader *r, const char *name, const char *what, struct fault *f);
/* now less what was there before in this run; keeps now. */
uint64_t rr_difference(struct run_reader *r, struct rr_name *base, uint64_t now);
struct place rr_here(const struct run_reader *r);

/* "12", "1.5e3"; false for anything else, nan and inf too. Nothing may follow. */
bool rr_number(const char *text, struct run_value *v);
/* The number at the start of text; *end behind it. As printed with few digits: decimals is set. */
bool rr_printed(const char *text, const char **end, struct run_value *v);
struct run_value rr_whole(uint64_t n);
struct run_value rr_real(double x);

/* Each takes the line or bytes at hand. 0, or -1 and *f. */
int rr_text_line(struct run_reader *r, char *line, struct fault *f);
int rr_json_line(struct run_reader *r, const char *line, size_t len, struct fault *f);
int rr_log_line(struct run_reader *r, char *line, struct fault *f);
void rr_log_end(struct run_reader *r); /* the input or the log ends here */
/* Length of the object at the start of n bytes; 0: more are needed; -1: none of ours (or too long). */
long rr_msgpack_length(const unsigned char *p, size_t n);
int rr_msgpack_object(struct run_reader *r, const char *p, size_t n, struct fault *f);

#endif
