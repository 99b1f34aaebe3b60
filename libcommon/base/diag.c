/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages and faults.
 *
 * Always true: a message is written to stderr as one line in one write, regardless of the bytes in its parts; a text
 * that is too long is cut and ends with "..". Counting is thread-safe.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "diag.h"
#include "table.h"
#include "utf8.h"

/* Size of a message in bytes before quoting. It suffices for the longest path and a fault's text. */
#define MESSAGE_MAX 8192u

static const char *program = "warptools";
static bool quiet_warnings;
static atomic_uint_fast64_t warnings;
static _Thread_local struct diag_trap *trap;

void diag_init(const char *argv0)
{
	const char *slash;

	if (!argv0 || !*argv0)
		return;
	slash = strrchr(argv0, '/');
	program = slash && slash[1] ? slash + 1 : argv0;
}

const char *diag_program(void) { return program; }

void diag_quiet(bool quiet) { quiet_warnings = quiet; }

uint64_t diag_warnings(void) { return atomic_load(&warnings); }

const char *diag_quote(char *out, unsigned cap, const char *text, unsigned long n)
{
	static const char digit[] = "0123456789abcdef";
	unsigned pos = 0, safe = 0; /* safe is the last position at which ".." still fits */

	if (!cap)
		return "";
	for (unsigned long i = 0; i < n;) {
		unsigned len = utf8_printable(text + i, n - i), need = len ? len : 4;

		if (pos + need + 1 > cap) {
			pos = safe;
			for (unsigned dots = 0; dots < 2 && pos + 1 < cap; dots++)
				out[pos++] = '.';
			break;
		}
		if (len) {
			memcpy(out + pos, text + i, len);
		} else {
			unsigned char c = (unsigned char)text[i];

			memcpy(out + pos, (char[4]){'\\', 'x', digit[c >> 4], digit[c & 15]}, 4);
		}
		pos += need;
		i += len ? len : 1;
		if (pos + 3 <= cap)
			safe = pos;
	}
	out[pos] = '\0';
	return out;
}

char *diag_quoted(const char *text)
{
	size_t n = strlen(text), cap = 4 * n + 1;
	char *out = xmalloc(cap);

	if (cap <= UINT_MAX)
		diag_quote(out, (unsigned)cap, text, n);
	else
		die("text too long to print (%zu bytes)", n);
	return out;
}

/* ---- kept names --------------------------------------------------------------------------- */

struct diag_names {
	struct table table;
	char **kept; /* names, owned by the set */
	uint32_t n, cap;
};

static const char *keep_name_in(struct diag_names *k, const char *name)
{
	uint64_t hash = table_hash(name, strlen(name));

	FOR_TABLE (w, &k->table, hash)
		if (!strcmp(k->kept[w.number], name))
			return k->kept[w.number];
	grow(&k->kept, &k->cap, k->n + 1, sizeof(k->kept[0]));
	k->kept[k->n] = xstrdup(name);
	table_add(&k->table, hash, k->n++);
	return k->kept[k->n - 1];
}

const char *diag_keep(const char *name)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct diag_names program_names;
	const char *kept;

	if (trap && trap->names)
		return keep_name_in(trap->names, name);
	pthread_mutex_lock(&lock);
	kept = keep_name_in(&program_names, name);
	pthread_mutex_unlock(&lock);
	return kept;
}

struct diag_names *diag_names_new(void) { return calloc(1, sizeof(struct diag_names)); }

void diag_names_free(struct diag_names *k)
{
	for (uint32_t i = 0; k && i < k->n; i++)
		free(k->kept[i]);
	if (k) {
		free(k->kept);
		table_free(&k->table);
	}
	free(k);
}

/* ---- faults and messages ------------------------------------------------------------------ */

/* Formats to out. A text that is too long is cut and ends with "..". */
static void format_truncated(char *out, size_t cap, const char *fmt, va_list args)
{
	int n = vsnprintf(out, cap, fmt, args);

	if (n < 0)
		snprintf(out, cap, "(unprintable message)");
	else if ((size_t)n >= cap)
		memcpy(out + cap - 3, "..", 3);
}

int fault_set(struct fault *f, struct place at, const char *id, const char *fmt, ...)
{
	va_list args;

	if (!f)
		return -1;
	f->place = at;
	f->id = id;
	va_start(args, fmt);
	format_truncated(f->text, sizeof(f->text), fmt, args);
	va_end(args);
	return -1;
}

/* Prints one line: program, place, label ("error: ", "warning: "), text and, unless it is NULL, reason. */
static void print_message(struct place at, const char *label, const char *text, const char *reason)
{
	static char raw[MESSAGE_MAX],
		line[MESSAGE_MAX + MESSAGE_MAX / 2]; /* protected by the lock of stderr */
	char where[64] = "";
	int n;
	size_t len;

	if (at.line && at.col)
		snprintf(where, sizeof(where), ":%llu:%u", (unsigned long long)at.line, (unsigned)at.col);
	else if (at.line)
		snprintf(where, sizeof(where), ":%llu", (unsigned long long)at.line);
	flockfile(stderr);
	n = snprintf(raw, sizeof(raw), "%s: %s%s%s%s%s%s%s", program, at.file ? at.file : "",
		at.file ? where : "", at.file ? ": " : "", label, text, reason ? ": " : "",
		reason ? reason : "");
	len = n < 0 ? 0 : (size_t)n < sizeof(raw) ? (size_t)n : sizeof(raw) - 1;
	diag_quote(line, sizeof(line) - 1, raw, len);
	len = strlen(line);
	line[len++] = '\n';
	fwrite(line, 1, len, stderr);
	funlockfile(stderr);
}

static void print_formatted(
	struct place at, const char *label, const char *fmt, va_list args, const char *reason)
{
	char text[MESSAGE_MAX / 2];

	format_truncated(text, sizeof(text), fmt, args);
	print_message(at, label, text, reason);
}

int diag_fault(const struct fault *f)
{
	print_message(f->place, "error: ", f->text, NULL);
	return -1;
}

void diag_warn(struct place at, const char *fmt, ...)
{
	va_list args;

	atomic_fetch_add(&warnings, 1);
	if (quiet_warnings)
		return;
	va_start(args, fmt);
	print_formatted(at, "warning: ", fmt, args, NULL);
	va_end(args);
}

int diag_error(struct place at, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	print_formatted(at, "error: ", fmt, args, NULL);
	va_end(args);
	return -1;
}

void diag_trap(struct diag_trap *t) { trap = t; }

/* Prints an error and ends the program. If this thread has a trap, stores the error in it and jumps to it instead. */
static _Noreturn void end_program(struct place at, const char *fmt, va_list args, const char *reason)
{
	struct diag_trap *t = trap;

	if (!t) {
		print_formatted(at, "error: ", fmt, args, reason);
		exit(EXIT_TROUBLE);
	}
	t->fault.place = at;
	t->fault.id = "memory";
	format_truncated(t->fault.text, sizeof(t->fault.text), fmt, args);
	trap = NULL;
	longjmp(t->jump, 1);
}

void die(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	end_program(NOWHERE, fmt, args, NULL);
}

void die_at(struct place at, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	end_program(at, fmt, args, NULL);
}

void die_errno(const char *fmt, ...)
{
	const char *reason = strerror(errno);
	va_list args;

	va_start(args, fmt);
	end_program(NOWHERE, fmt, args, reason);
}

void die_errno_at(struct place at, const char *fmt, ...)
{
	const char *reason = strerror(errno);
	va_list args;

	va_start(args, fmt);
	end_program(at, fmt, args, reason);
}

void die_fault(const struct fault *f)
{
	struct diag_trap *t = trap;

	if (!t) {
		print_message(f->place, "error: ", f->text, NULL);
		exit(EXIT_TROUBLE);
	}
	t->fault = *f;
	trap = NULL;
	longjmp(t->jump, 1);
}
