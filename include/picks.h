/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Picks: some kernels of an application that stand for all of them (trace-picks(5)).
 *
 * Always true of picks that were read: positions rise from pick to pick; each stratum has at least one pick
 * and no more than it has kernels; weights are finite and above 0. A stratum is a set of kernels that are
 * taken for alike; a pick's weight says for how many kernels it counts, so that a total over the application
 * is the sum of weight times value.
 */
#ifndef PICKS_H
#define PICKS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "diag.h"

struct input;

#define PICKS_VERSION 1
#define PICKS_MAX     (1u << 24) /* kernels of a list, and strata */

struct pick {
	uint32_t position; /* in the list, from 1 */
	uint32_t stratum;  /* index into picks.stratum */
	double weight;
	double size; /* what the weights of its stratum add up: instructions, a time or 1 */
};

struct pick_stratum {
	uint32_t label;   /* in the file */
	uint32_t kernels; /* of the application that are in it */
	uint32_t picked;
	double spread; /* expected deviation of a kernel from the stratum's rate, of their mean; 0: not known */
};

struct picks {
	const char *path;
	uint64_t line;          /* of the first line */
	unsigned char hash[16]; /* of the list: klist_hash() */
	uint32_t n_kernels;     /* of the list */
	uint32_t n_all;         /* of the application: more, where the list has the picks only */
	char method[32];
	double error; /* expected relative error of a total, 95 %; negative: unknown */
	struct pick *pick;
	struct pick_stratum *stratum;
	uint32_t n, n_strata;
	uint32_t cap, cap_strata; /* private */
};

/* path: a file of picks ("-": standard input), or a packed stream that holds some. 0, or -1 and *f. */
int picks_read(struct picks *p, const char *path, struct fault *f);
/* The same from an open input, which stays the caller's. */
int picks_parse(struct picks *p, struct input *in, struct fault *f);
void picks_free(struct picks *p); /* also after a failure; a zeroed one is empty */

/* The pick at that position of the list; NULL: it was not picked. */
const struct pick *picks_at(const struct picks *p, uint32_t position);

/*
 * XXH3-128 of what a list says: its copies and the names of its kernels, without folders and without the
 * suffix of a compression, so that a folder and the packed stream made of it agree.
 */
struct list_hash;
struct list_hash *list_hash_new(void);
/* A line of the list, from its first character that is no blank to its last. */
void list_hash_line(struct list_hash *h, const char *line, size_t n);
void list_hash_end(struct list_hash *h, unsigned char out[16]); /* frees h */

/*
 * XXH3-128 of the picks themselves, as 32 hexadecimal digits: the list's hash, the strata's kernels,
 * positions, weights, strata and sizes; no comment, method, expected error or spread. What a run tells of the
 * picks that it took.
 */
#define PICKS_HASH_TEXT 33
void picks_hash(const struct picks *p, char out[PICKS_HASH_TEXT]);

/* Were the picks made for this list? 0, or -1 and *f. */
int picks_fit(const struct picks *p, const unsigned char hash[16], uint32_t n_kernels, struct fault *f);

/* Writing, in this order; what follows a pick's size is free text without line end. */
void picks_write_head(FILE *out, const struct picks *p);
void picks_write_stratum(FILE *out, const struct pick_stratum *s);
void picks_write_pick(FILE *out, const struct pick *k, uint32_t label, const char *text);

#endif
