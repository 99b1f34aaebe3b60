/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions for unit tests. Each tests/unit/test_*.c is a program that prints lines "ok N - name" or "not ok N -
 * name" and a plan at the end (TAP), and exits with a non-zero status if a test failed.
 */
#ifndef TAP_H
#define TAP_H

#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned tap_count, tap_failed;

static inline bool ok(bool good, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static inline bool ok(bool good, const char *fmt, ...)
{
	va_list args;

	printf("%sok %u - ", good ? "" : "not ", ++tap_count);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
	tap_failed += !good;
	return good;
}

static inline bool is_text(const char *got, const char *want, const char *name)
{
	bool good = ok(got && !strcmp(got, want), "%s", name);

	if (!good)
		printf("# found: %s\n# expected: %s\n", got ? got : "(null)", want);
	return good;
}

static inline bool is_number(long long got, long long want, const char *name)
{
	bool good = ok(got == want, "%s", name);

	if (!good)
		printf("# found: %lld\n# expected: %lld\n", got, want);
	return good;
}

static inline int tap_done(void)
{
	printf("1..%u\n", tap_count);
	return tap_failed ? 1 : 0;
}

/*
 * Runs fn(arg) in a child process, which then exits with status 0. Stores the standard output and standard
 * error of the child in `text` (cap bytes, always terminated). Returns the exit status, or 1000 plus the
 * number of the signal that ended the child.
 */
static inline int in_child(void (*fn)(void *arg), void *arg, char *text, size_t cap)
{
	size_t n = 0;
	int ends[2], status = -1;
	ssize_t got;
	pid_t pid;

	fflush(NULL);
	if (pipe(ends) || (pid = fork()) < 0)
		abort();
	if (!pid) {
		if (dup2(ends[1], 1) < 0 || dup2(ends[1], 2) < 0)
			_exit(99);
		close(ends[0]);
		close(ends[1]);
		fn(arg);
		exit(0);
	}
	close(ends[1]);
	while (n + 1 < cap && (got = read(ends[0], text + n, cap - 1 - n)) > 0)
		n += (size_t)got;
	text[n] = '\0';
	close(ends[0]);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

#endif
