/* SPDX-License-Identifier: BSD-2-Clause */
/* State while an instruction line is parsed; shared by line.c and ptx_line.c. Internal to the trace reader. */
#ifndef LINE_H
#define LINE_H

#include "reader.h"

struct parse {
	struct trace *trace;
	const char *line;     /* start of the line */
	const char *position; /* current position */
	const char *end;      /* end of the line */
	struct fault *fault;
	struct tblock *tb;
	struct tok word;       /* last word that was read */
	uint32_t lanes;        /* lanes that the warp has */
	uint32_t mask;         /* active lanes */
	unsigned width;        /* bytes accessed per lane */
	uint32_t addr;         /* address field of the record */
	struct seen_line seen; /* parts of the line, for fast.c */
	bool once; /* true if columns vary between executions, so that fast.c does not keep the line */
	const struct ptx_static *code; /* PTX: static instruction in the header */
	struct ptx_draft ptx;          /* fields of an instruction from PTX */
	uint32_t issue_at;             /* index of the issue mask in tb->word */
	struct draft draft;            /* static fields of the line */
};

/* Sets the fault that the last word is not `wanted`. Returns -1. */
int line_report_unexpected(struct parse *s, const char *id, const char *wanted);
/* Does the same as line_report_unexpected(), with id and wanted of the column's row. */
int line_report_bad_column(struct parse *s, enum line_column c);
void line_next(struct parse *s); /* reads the next word into s->w */
/* Read the next word as a decimal or a hexadecimal number up to max. Returns 0 or -1. */
int line_next_number(struct parse *s, uint64_t max, uint64_t *v, const char *id, const char *wanted);
int line_next_hex(struct parse *s, uint64_t max, uint64_t *v, const char *id, const char *wanted);
/* Reads the addresses of the active lanes in this mode into s->addr. Returns 0 or -1. */
int line_read_mode(struct parse *s, unsigned mode);

/* ---- extra.c ---- */

#define MODE_COPY_LIST  3 /* modes of bulk copies */
#define MODE_COPY_DELTA 4

/* Returns true if the opcode is one of a bulk or tensor copy. */
bool extra_is_copy(const char *opcode, size_t n);
/*
 * Reads the columns of a bulk copy: mbarrier address, multicast flag [and its mask], bytes, bytes out of bounds,
 * mode, addresses. Returns 0 or -1.
 */
int extra_read_copy(struct parse *s);
int extra_read_values(
	struct parse *s); /* reads the values after "Val" up to the end of the line; returns 0 or -1 */

/* Readers of columns (columns.def). Each reads the column at s->p and moves s->p past it. Returns 0, or -1. */
#define COLUMN(name, kind, reader, id, wanted) int reader(struct parse *s);
#include "columns.def"

#endif
