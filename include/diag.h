/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages: "program: FILE:LINE:COL: error: WHAT (expected Y)", or "warning:".
 *
 * The place comes first, without the parts that are not known. FILE is the input or output that the message is about,
 * or an option with its value if its value is read like an input ("-D NAME=VALUE"). A message about no file has no
 * place. If it is about an option, WHAT begins with the option. What the user can do is in parentheses at the end.
 *
 * Every program prints its messages with these calls. Readers (trace, kernel list, configuration, opcode
 * rows, packed streams) never print and never exit: they fill a struct fault and return -1, so that a linter
 * can collect the faults that end a simulator. Always true: a message is one line on stderr; bytes below
 * 0x20 and invalid UTF-8 in quoted input appear as \xNN.
 */
#ifndef DIAG_H
#define DIAG_H

/*
 * Cubins, fat binaries, packed streams and device memory are little-endian, and the code reads them in place. Device
 * addresses have 64 bits, and traces can be larger than 4 GiB.
 */
#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "warptools needs a little-endian machine"
#endif
#if !defined(__SIZEOF_POINTER__) || __SIZEOF_POINTER__ != 8
#error "warptools needs a 64-bit machine"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#define EXIT_GOOD    0 /* exit status of success */
#define EXIT_NO      1 /* exit status for findings, differences, a deadlock, an interrupted run */
#define EXIT_TROUBLE 2 /* exit status for a usage error, unreadable or malformed input, failed output */

#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

/* Position in an input. Lines and columns count from 1. line 0: the input as a whole; col 0: the whole line. */
struct place {
	const char *file; /* name of the input, not owned; diag_keep() keeps names that an input contains */
	uint64_t line;
	uint32_t col; /* column, from 1; 0: the whole line */
};

/*
 * Returns the column, from 1, of the character `at` in the line that begins at `line`. Returns 0 if `at` is before
 * the line or 4 GB or more after its start, and so belongs to another text.
 */
static inline uint32_t place_column(const char *line, const char *at)
{
	uintptr_t from = (uintptr_t)line, to = (uintptr_t)at;

	return to >= from && to - from < UINT32_MAX ? (uint32_t)(to - from) + 1 : 0;
}

/* Error that a reader found. id is a short name that never changes ("opcode-unknown"), a literal. */
struct fault {
	struct place place;
	const char *id;
	char text[480]; /* "WHAT (expected Y)", without the place */
};

/* Sets the prefix of every message to the last component of argv0. Called first in main(). */
void diag_init(const char *argv0);
const char *diag_program(void);
/* Turns the printing of warnings off or on. Warnings are counted in both cases. */
void diag_quiet(bool quiet);
uint64_t diag_warnings(void);

/* Fills *f and returns -1, so that a caller can report and return in one statement. f may be NULL. */
int fault_set(struct fault *f, struct place at, const char *id, const char *fmt, ...) PRINTF_LIKE(4, 5);

/* Prints f as an error. Returns -1. */
int diag_fault(const struct fault *f);
void diag_warn(struct place at, const char *fmt, ...) PRINTF_LIKE(2, 3);
int diag_error(struct place at, const char *fmt, ...) PRINTF_LIKE(2, 3); /* always returns -1 */
/* Print an error and exit with EXIT_TROUBLE. Those with errno in their name append strerror(errno). */
_Noreturn void die(const char *fmt, ...) PRINTF_LIKE(1, 2);
_Noreturn void die_at(struct place at, const char *fmt, ...) PRINTF_LIKE(2, 3);
_Noreturn void die_errno(const char *fmt, ...) PRINTF_LIKE(1, 2);
_Noreturn void die_errno_at(struct place at, const char *fmt, ...) PRINTF_LIKE(2, 3);
_Noreturn void die_fault(const struct fault *f);

#define NOWHERE ((struct place){0})

/*
 * Returns a copy of name that is valid to the end of the program or, while a trap is set, until the trap's names are
 * freed. Equal names share one copy. The function is thread-safe.
 */
const char *diag_keep(const char *name);

/*
 * Traps: a library must not end its caller's process. While a trap is set, die() and its variants in this thread
 * fill the fault of the trap and jump to `jump`, and diag_keep() stores names in the trap's names.
 *
 * 	if (setjmp(trap.jump) == 0) {
 * 		diag_trap(&trap);
 * 		...
 * 	}
 * 	diag_trap(NULL);
 */
struct diag_names;
struct diag_trap {
	jmp_buf jump;             /* jump target, which the caller sets with setjmp() */
	struct fault fault;       /* id "memory", because readers call die() only when out of memory */
	struct diag_names *names; /* set of the names, owned by the caller */
};
/* Sets the trap of this thread; NULL removes it. */
void diag_trap(struct diag_trap *t);
/* Returns an empty set of names, or NULL if out of memory. The names are valid until diag_names_free(). */
struct diag_names *diag_names_new(void);
void diag_names_free(struct diag_names *names);

/*
 * Copies the n bytes of text to out (cap bytes, always terminated), with unprintable bytes as \xNN. A text that is
 * too long is cut and ends with "..".
 */
const char *diag_quote(char *out, unsigned cap, const char *text, unsigned long n);
/* Returns text with unprintable bytes as \xNN. The caller frees it. */
char *diag_quoted(const char *text);

#endif
