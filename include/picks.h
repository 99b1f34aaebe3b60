/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Picks: kernels of an application that represent all of its kernels (trace-picks(5)).
 *
 * Always true after reading: positions increase from pick to pick; each stratum has at least one pick and at most as
 * many as it has kernels; weights are finite and above 0. A stratum is a set of kernels that are assumed to be
 * similar. A pick's weight is the number of kernels that it represents. A total over the application is the sum of
 * the picks' weights times their values.
 */
#ifndef PICKS_H
#define PICKS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "diag.h"

struct input;

#define PICKS_MAX (1u << 24) /* largest number of kernels in a list, and of strata */

struct pick {
	uint32_t position; /* position in the list, from 1 */
	uint32_t stratum;  /* index of its stratum in picks.stratum */
	double weight;     /* number of kernels that the pick represents */
	double size;       /* quantity from which the weights follow: instructions, a time, or 1 */
};

struct pick_stratum {
	uint32_t label;   /* number of the stratum in the file */
	uint32_t kernels; /* number of kernels of the application in the stratum */
	uint32_t picked;  /* number of picks in the stratum */
	double spread;    /* expected relative deviation from the stratum's rate; 0: unknown */
};

struct picks {
	const char *path;
	uint64_t line;          /* number of the first line */
	unsigned char hash[16]; /* klist_hash() of the list */
	uint32_t n_kernels;     /* number of kernels in the list */
	uint32_t n_all;         /* number of kernels of the application; may exceed n_kernels */
	uint32_t n_part;        /* number of kernels in the represented part; 0: the whole application */
	uint32_t n_missing; /* number of kernels in that part that are missing, and so are not represented */
	char method[32];
	double error; /* expected relative error of a total with 95 % confidence; negative: unknown */
	struct pick *pick;
	struct pick_stratum *stratum;
	uint32_t n;          /* number of picks */
	uint32_t n_strata;   /* number of strata */
	uint32_t cap;        /* number of allocated picks; private */
	uint32_t cap_strata; /* number of allocated strata; private */
};

/* Reads a picks file ("-": standard input), or a packed stream with picks. Returns 0, or -1 and sets *f. */
int picks_read(struct picks *p, const char *path, struct fault *f);
/* Reads picks from an open input, which the caller keeps. */
int picks_parse(struct picks *p, struct input *in, struct fault *f);
void picks_free(struct picks *p); /* works after a failure and for a zeroed struct, too */

/* Returns the number of kernels that the picks represent. */
uint32_t picks_represented(const struct picks *p);
/* Returns the pick at a position of the list; NULL if there is none. */
const struct pick *picks_at(const struct picks *p, uint32_t position);

/*
 * XXH3-128 of a list's contents: its copies and the names of its kernels. Directories and compression suffixes are
 * left out, so that a directory and the packed stream made from it have equal hashes.
 */
struct list_hash;
struct list_hash *list_hash_new(void);
/* Adds a line of the list without leading and trailing blanks. */
void list_hash_line(struct list_hash *h, const char *line, size_t n);
void list_hash_end(struct list_hash *h, unsigned char out[16]); /* writes the hash to out and frees h */

#define PICKS_HASH_TEXT 33 /* size of the text of a hash, with the NUL */
/*
 * Writes the XXH3-128 of the picks as 32 hexadecimal digits, which the results of a run record. It covers the list's
 * hash, the kernels of the strata, the position, weight, stratum and size of each pick, and n_part and n_missing if
 * the picks represent a part. It does not cover comments, method, expected error and spread.
 */
void picks_hash(const struct picks *p, char out[PICKS_HASH_TEXT]);

/* Checks that the picks belong to this list. Returns 0, or -1 and sets *f. */
int picks_fit(const struct picks *p, const unsigned char hash[16], uint32_t n_kernels, struct fault *f);

/*
 * Write the parts of the file. They are called in this order. text is free text without line end, written after a
 * pick's size.
 */
void picks_write_head(FILE *out, const struct picks *p);
void picks_write_stratum(FILE *out, const struct pick_stratum *s);
void picks_write_pick(FILE *out, const struct pick *k, uint32_t label, const char *text);

#endif
