/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages: "program: file:line:col: what was found, what was wanted".
 *
 * Every program of the suite speaks through these calls. Readers (trace, kernel list, configuration,
 * opcode rows, packed streams) never print and never exit: they fill a struct fault and return -1, so
 * that a linter can collect what a simulator would die of. Always true: a message goes to stderr as
 * one line; bytes below 0x20 and invalid UTF-8 in quoted input appear as \xNN.
 */
#ifndef DIAG_H
#define DIAG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

/* Cubins, fatbins, packed streams and device memory are read in place, as their little-endian bytes. */
#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "warptools needs a little-endian machine"
#endif

#define EXIT_GOOD    0 /* the job is done */
#define EXIT_NO      1 /* the answer is "no": findings, differences, a deadlock, an interrupted run */
#define EXIT_TROUBLE 2 /* usage, unreadable or malformed input, output failed */

#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

/* A place in an input. line 0: the input as a whole; col 0: the whole line. Both count from 1. */
struct place {
	const char *file; /* not owned; names from inputs live to the end of the program (diag_keep) */
	uint64_t line;
	uint32_t col;
};

/* What a reader found wrong. id is a stable short name ("opcode-unknown"), a literal. */
struct fault {
	struct place at;
	const char *id;
	char text[320]; /* "found X, wanted Y", without the place */
};

/* Name used as prefix of every message: the last component of argv0. Call first in main(). */
void diag_init(const char *argv0);
const char *diag_program(void);
/* true: warnings are not printed (still counted). */
void diag_quiet(bool quiet);
uint64_t diag_warnings(void);

/* Fill *f (f may be NULL) and return -1, so that reporting and returning are one statement. */
int fault_set(struct fault *f, struct place at, const char *id, const char *fmt, ...) PRINTF_LIKE(4, 5);

/* Print f as an error. Returns -1. */
int diag_fault(const struct fault *f);
void diag_warn(struct place at, const char *fmt, ...) PRINTF_LIKE(2, 3);
int diag_error(struct place at, const char *fmt, ...) PRINTF_LIKE(2, 3); /* returns -1 */
/* Print and leave with EXIT_TROUBLE. die_errno appends strerror(errno). */
_Noreturn void die(const char *fmt, ...) PRINTF_LIKE(1, 2);
_Noreturn void die_at(struct place at, const char *fmt, ...) PRINTF_LIKE(2, 3);
_Noreturn void die_errno(const char *fmt, ...) PRINTF_LIKE(1, 2);
_Noreturn void die_fault(const struct fault *f);

#define NOWHERE ((struct place){0})

/* A copy of name that lives to the end of the program; equal names share one. Safe in threads. */
const char *diag_keep(const char *name);

/* Copy text of length n to out (size cap, always terminated), unprintable bytes as \xNN, cut with "..". */
const char *diag_quote(char *out, unsigned cap, const char *text, unsigned long n);

#endif
