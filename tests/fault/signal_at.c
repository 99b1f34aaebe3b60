/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A library for LD_PRELOAD that delivers signals to a program at chosen calls.
 *
 * With SIGNAL_AT=N or SIGNAL_AT=N,M, the process raises a signal directly before the N-th and the M-th
 * counted call, counted from 1. SIGNAL=NUMBER is the signal (default: SIGTERM). With SIGNAL_COUNT=FILE, the
 * number of calls is written to FILE at the end. The counted calls are open, write, pwrite, ftruncate,
 * rename, renameat2, unlink, close, fork, waitpid, poll and getppid. Builds with -DCHECK_TURNS call getppid
 * in each iteration of the main loop. Processes that the program forks do not count calls and do not get
 * signals.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "open_mode.h"

static unsigned long calls, first, second;
static int number = SIGTERM;
static pid_t counted; /* process whose calls are counted */

__attribute__((constructor)) static void read_settings(void)
{
	const char *at = getenv("SIGNAL_AT"), *which = getenv("SIGNAL");
	char *end;

	first = at ? strtoul(at, &end, 10) : 0;
	second = at && *end == ',' ? strtoul(end + 1, NULL, 10) : 0;
	number = which ? atoi(which) : SIGTERM;
	counted = getpid();
}

__attribute__((destructor)) static void write_call_count(void)
{
	const char *path = getenv("SIGNAL_COUNT");
	char text[24];
	int fd, n = snprintf(text, sizeof(text), "%lu\n", calls);

	if (!path || getpid() != counted)
		return;
	fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (fd < 0 || syscall(SYS_write, fd, text, (size_t)n) != n)
		_exit(3);
}

static void count_call(void)
{
	if (!counted || (pid_t)syscall(SYS_getpid) != counted)
		return;
	calls++;
	if (calls == first || calls == second)
		raise(number);
}

#define NEXT(name) (count_call(), next_##name ? 0 : (*(void **)&next_##name = dlsym(RTLD_NEXT, #name), 0))

static int (*next_open)(const char *, int, ...);
static ssize_t (*next_write)(int, const void *, size_t);
static ssize_t (*next_pwrite)(int, const void *, size_t, off_t);
static int (*next_ftruncate)(int, off_t);
static int (*next_rename)(const char *, const char *);
static int (*next_renameat2)(int, const char *, int, const char *, unsigned);
static int (*next_unlink)(const char *);
static int (*next_close)(int);
static pid_t (*next_fork)(void);
static pid_t (*next_waitpid)(pid_t, int *, int);
static int (*next_poll)(struct pollfd *, nfds_t, int);

int open(const char *path, int flags, ...)
{
	mode_t mode;

	OPEN_MODE(mode, flags);
	NEXT(open);
	return next_open(path, flags, mode);
}

ssize_t write(int fd, const void *p, size_t n)
{
	NEXT(write);
	return next_write(fd, p, n);
}

ssize_t pwrite(int fd, const void *p, size_t n, off_t at)
{
	NEXT(pwrite);
	return next_pwrite(fd, p, n, at);
}

int ftruncate(int fd, off_t n)
{
	NEXT(ftruncate);
	return next_ftruncate(fd, n);
}

int rename(const char *from, const char *to)
{
	NEXT(rename);
	return next_rename(from, to);
}

int renameat2(int a, const char *from, int b, const char *to, unsigned flags)
{
	NEXT(renameat2);
	return next_renameat2(a, from, b, to, flags);
}

int unlink(const char *path)
{
	NEXT(unlink);
	return next_unlink(path);
}

int close(int fd)
{
	NEXT(close);
	return next_close(fd);
}

pid_t fork(void)
{
	NEXT(fork);
	return next_fork();
}

pid_t waitpid(pid_t pid, int *status, int options)
{
	NEXT(waitpid);
	return next_waitpid(pid, status, options);
}

int poll(struct pollfd *fd, nfds_t n, int ms)
{
	NEXT(poll);
	return next_poll(fd, n, ms);
}

pid_t getppid(void)
{
	count_call();
	return (pid_t)syscall(SYS_getppid);
}
