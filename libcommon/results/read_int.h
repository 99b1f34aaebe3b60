/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the forms of results share; used by read.c and read_*.c, list.c, log.c only.
 *
 * A form fills the reader with names and values of one record (list_put) and says when it is complete;
 * read.c makes a kernel's own figures and the run's totals of them. Always true: a name is kept once,
 * its row stays where it is; a row belongs to the record at hand when its mark is the reader's.
 */
#ifndef READ_INT_H
#define READ_INT_H

#include "arena.h"
#include "results.h"
#include "table.h"

#define READ_HIDDEN   '\001' /* in the names of rows that are never listed */
#define READ_WORD_MAX 4096   /* bytes of a name or value that is kept */

struct list_name {
	const char *text;
	const struct figure *about;
	uint32_t mark;               /* of the record in which now was set */
	uint32_t listed;             /* of the record in whose list the figure stands */
	uint32_t at;                 /* where in the list */
	struct result_value now;     /* as read; afterwards the kernel's own */
	struct result_value running; /* as a log has it; decimals INT8_MAX: not known */
	uint64_t before;             /* running value at the kernel before; logs only */
	uint32_t id;
	struct result_value total;      /* of the run so far */
	uint32_t before_run, total_run; /* the run of these two; 0: none */
};

enum read_record { READ_NONE, READ_RUN, READ_KERNEL, READ_END, READ_OTHER, READ_INTERVAL };

struct log_state {       /* where in a log we are */
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

struct results {
	struct input *in;
	unsigned flags;
	const char *file;
	enum result_form form;
	struct arena texts;
	struct list_name **name; /* by id; the hidden rows of streams too */
	uint32_t n_names, cap_names;
	struct table names; /* ids */
	struct arena rows;
	uint32_t *order, n_order, cap_order; /* ids put in this record */
	uint32_t mark;
	bool whole_run; /* totals are being listed */
	struct result_figure *list;
	uint32_t n_list, cap_list;
	struct result_option *option;
	uint32_t n_options, cap_options;
	struct arena option_texts;
	struct result_kernel kernel;
	uint64_t first_cycle, cycles; /* of an interval */
	char *kernel_name;
	uint32_t cap_kernel_name;
	enum read_record record; /* being read */
	uint64_t record_line;
	uint64_t line_start,
		record_end;   /* bytes of the input before the line at hand; up to the last record's end */
	uint32_t run;         /* number of the run at hand */
	uint32_t kernels;     /* of it */
	bool in_run, started; /* started: RESULT_START was given */
	char status[32], hash[33];
	bool has_status;
	struct log_state log;
	char *line; /* the line at hand, ended by NUL */
	uint32_t cap_line;
	bool held; /* read the line again */
	size_t line_len;
	enum result_event due[4]; /* events to give before reading on */
	unsigned n_due;
	bool finished; /* the input is at its end */
	struct fault cut;
};

/* The row of a name, made when it is new; NULL when there are too many (a fault is then set). */
struct list_name *list_name(struct results *r, const char *text, struct fault *f);
/* A figure of the record at hand. */
int list_put(struct results *r, const char *name, struct result_value v, struct fault *f);
/* The same, added to what was put under this name already. */
int list_add(struct results *r, const char *name, uint64_t n, struct fault *f);
/* A member of the record at hand outside its figures, such as "grid.x". */
int read_member(struct results *r, const char *name, const char *value);
void read_set_kernel_name(struct results *r, const char *name);
void read_option(struct results *r, const char *name, const char *value, bool about);

enum read_record read_record_of(const struct results *r, const char *word);
/* A record begins. false: events are due first, the same input must be given again. */
bool read_begin(struct results *r, enum read_record record);
void read_complete(struct results *r); /* the record at hand is whole: events become due */
/* The run at hand, if there is one, stops early. */
void read_cut(struct results *r, const char *fmt, ...) PRINTF_LIKE(2, 3);
void read_finish_run(struct results *r, const char *status);
/* Where what was counted before the record at hand is kept, for the figure `name`; NULL: a fault is set. */
struct list_name *list_hidden(struct results *r, const char *name, const char *what, struct fault *f);
/* now less what was there before in this run; keeps now. */
uint64_t list_difference(struct results *r, struct list_name *base, uint64_t now);
struct place read_here(const struct results *r);

/* "12", "1.5e3"; false for anything else, nan and inf too. Nothing may follow. */
bool value_number(const char *text, struct result_value *v);
/* The number at the start of text; *end behind it. As printed with few digits: decimals is set. */
bool value_printed(const char *text, const char **end, struct result_value *v);
struct result_value value_whole(uint64_t n);
struct result_value value_real(double x);

/* Each takes the line or bytes at hand. 0, or -1 and *f. */
int read_text_line(struct results *r, char *line, struct fault *f);
int read_json_line(struct results *r, const char *line, size_t len, struct fault *f);
int read_accelsim_line(struct results *r, char *line, struct fault *f);
void read_accelsim_end(struct results *r); /* the input or the log ends here */
/* Length of the object at the start of n bytes; 0: more are needed; -1: none of ours (or too long). */
long read_msgpack_length(const unsigned char *p, size_t n);
int read_msgpack_object(struct results *r, const char *p, size_t n, struct fault *f);

#endif
