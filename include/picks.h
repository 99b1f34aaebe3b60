/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Picks: kernels of an application that represent all of its kernels (trace-picks(5)).
 *
 * Always true after reading: positions increase from pick to pick; each stratum has at least one pick and at
 * most its number of kernels; weights are finite and above 0. A stratum is a set of kernels assumed to be
 * alike. A pick's weight is the number of kernels that it represents: a total over the application is the sum
 * of weight times value.
 */
#ifndef PICKS_H
#define PICKS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "diag.h"

struct input;

#define PICKS_MAX (1u << 24) /* kernels of a list, and strata */

struct pick {
	uint32_t position; /* position in the list, from 1 */
	uint32_t stratum;  /* index into picks.stratum */
	double weight;
	double size; /* instructions, a time or 1; strata are weighted by its sum */
};

struct pick_stratum {
	uint32_t label;   /* number in the file */
	uint32_t kernels; /* kernels of the application in the stratum */
	uint32_t picked;  /* picks in the stratum */
	double spread; /* expected deviation of a kernel from the stratum's rate, of the mean; 0: unknown */
};

struct picks {
	const char *path;
	uint64_t line;          /* number of the first line */
	unsigned char hash[16]; /* klist_hash() of the list */
	uint32_t n_kernels;     /* kernels of the list */
	uint32_t n_all;         /* kernels of the application: more, where the list has only the picks */
	uint32_t n_part;        /* kernels of the part of the application that is represented; 0: all */
	uint32_t n_missing;     /* kernels of the part that do not exist and are not represented */
	char method[32];
	double error; /* expected relative error of a total, 95 %; negative: unknown */
	struct pick *pick;
	struct pick_stratum *stratum;
	uint32_t n, n_strata;
	uint32_t cap, cap_strata; /* private */
};

/* Reads a file of picks ("-": standard input), or a packed stream with picks. 0, or -1 and *f. */
int picks_read(struct picks *p, const char *path, struct fault *f);
/* The same from an open input, which the caller keeps. */
int picks_parse(struct picks *p, struct input *in, struct fault *f);
void picks_free(struct picks *p); /* also after a failure and for a zeroed struct */

/* Number of kernels that the picks represent. */
uint32_t picks_represented(const struct picks *p);
/* Pick at that position of the list; NULL: none. */
const struct pick *picks_at(const struct picks *p, uint32_t position);

/*
 * XXH3-128 of a list's contents: its copies and the names of its kernels, without folders and compression
 * suffixes, so that a folder and the packed stream made of it have equal hashes.
 */
struct list_hash;
struct list_hash *list_hash_new(void);
/* Adds a line of the list without leading and trailing blanks. */
void list_hash_line(struct list_hash *h, const char *line, size_t n);
void list_hash_end(struct list_hash *h, unsigned char out[16]); /* frees h */

/*
 * XXH3-128 of the picks as 32 hexadecimal digits: the list's hash, the strata's kernels, positions, weights,
 * strata and sizes, and of a part its kernels and missing kernels; without comments, method, expected error and
 * spread. Results of a run record it.
 */
#define PICKS_HASH_TEXT 33
void picks_hash(const struct picks *p, char out[PICKS_HASH_TEXT]);

/* Checks that the picks were made for this list. 0, or -1 and *f. */
int picks_fit(const struct picks *p, const unsigned char hash[16], uint32_t n_kernels, struct fault *f);

/* Write the file, called in this order. text: free text without line end after a pick's size. */
void picks_write_head(FILE *out, const struct picks *p);
void picks_write_stratum(FILE *out, const struct pick_stratum *s);
void picks_write_pick(FILE *out, const struct pick *k, uint32_t label, const char *text);

#endif
