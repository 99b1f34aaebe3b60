/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A library for LD_PRELOAD that makes one call of a program fail.
 *
 * FAIL_CALL=NAME is the function, and FAIL_AT=N the number of the call that fails, counted from 1 in each
 * process. FAIL_ERRNO=NUMBER is the error (default: EIO). With FAIL_HALF, the call reads or writes half of its bytes
 * instead of failing. With CALL_COUNT=FILE, a process that ends appends a line "NAME COUNT" for each function
 * to FILE. Functions: open, openat, read, pread, write, pwrite, ftruncate, rename, renameat2, unlink, close,
 * dup, fork, waitpid, poll, pipe, mmap, malloc, calloc, realloc, pthread_create, fstat, stat, lseek, flock,
 * mkdir, mkostemp, fdopen. close() never fails for descriptors 0 to 2 and before main(), because the C
 * library and the loader use it there.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "open_mode.h"

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);

/* clang-format off */
#define FUNCTIONS(X) \
	X(open) \
	X(openat) \
	X(read) \
	X(pread) \
	X(write) \
	X(pwrite) \
	X(ftruncate) \
	X(rename) \
	X(renameat2) \
	X(unlink) \
	X(close) \
	X(dup) \
	X(fork) \
	X(waitpid) \
	X(poll) \
	X(pipe) \
	X(mmap) \
	X(malloc) \
	X(calloc) \
	X(realloc) \
	X(pthread_create) \
	X(fstat) \
	X(stat) \
	X(lseek) \
	X(flock) \
	X(mkdir) \
	X(mkostemp) \
	X(fdopen)
/* clang-format on */

#define ENUM(name) CALL_##name,
#define TEXT(name) #name,
enum { FUNCTIONS(ENUM) N_CALLS };
static const char *const names[] = {FUNCTIONS(TEXT)};

static atomic_ulong calls[N_CALLS];
static unsigned long fails_at;        /* number of the call that fails, counted from 1 */
static int failing = -1, error = EIO; /* function that fails, an index of names[] */
static bool counting, half;

__attribute__((constructor)) static void read_settings(void)
{
	const char *name = getenv("FAIL_CALL"), *at = getenv("FAIL_AT"), *number = getenv("FAIL_ERRNO");

	for (int i = 0; name && i < N_CALLS; i++)
		if (!strcmp(names[i], name))
			failing = i;
	fails_at = at ? strtoul(at, NULL, 10) : 0;
	error = number ? atoi(number) : EIO;
	half = getenv("FAIL_HALF");
	counting = true;
}

static void write_counts(void)
{
	const char *path = getenv("CALL_COUNT");
	char text[64];
	int fd;

	if (!path)
		return;
	fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0666);
	for (int i = 0; fd >= 0 && i < N_CALLS; i++) {
		int n = snprintf(text, sizeof(text), "%s %lu\n", names[i], atomic_load(&calls[i]));

		if (syscall(SYS_write, fd, text, (size_t)n) != n)
			_Exit(3);
	}
	if (fd >= 0)
		syscall(SYS_close, fd);
}

__attribute__((destructor)) static void write_counts_at_exit(void)
{
	counting = false;
	write_counts();
}

/* Writes the counts when the process calls _exit(), which does not run destructors. */
void _exit(int status)
{
	if (counting)
		write_counts();
	syscall(SYS_exit_group, status);
	__builtin_unreachable();
}

static bool is_failing(int call)
{
	if (!counting || atomic_fetch_add(&calls[call], 1) + 1 != fails_at || call != failing)
		return false;
	errno = error;
	return true;
}

#define NEXT(name) \
	static __typeof__(&name) next; \
	if (!next) \
	*(void **)&next = dlsym(RTLD_NEXT, #name)
#define CALL(name, failed, ...) \
	NEXT(name); \
	return is_failing(CALL_##name) ? (failed) : next(__VA_ARGS__)

int open(const char *path, int flags, ...)
{
	mode_t mode;

	OPEN_MODE(mode, flags);
	CALL(open, -1, path, flags, mode);
}

int openat(int dir, const char *path, int flags, ...)
{
	mode_t mode;

	OPEN_MODE(mode, flags);
	CALL(openat, -1, dir, path, flags, mode);
}

ssize_t write(int fd, const void *p, size_t n)
{
	NEXT(write);
	if (!is_failing(CALL_write))
		return next(fd, p, n);
	return half && n > 1 ? next(fd, p, n / 2) : -1;
}

ssize_t pwrite(int fd, const void *p, size_t n, off_t at)
{
	NEXT(pwrite);
	if (!is_failing(CALL_pwrite))
		return next(fd, p, n, at);
	return half && n > 1 ? next(fd, p, n / 2, at) : -1;
}

ssize_t read(int fd, void *p, size_t n)
{
	NEXT(read);
	if (!is_failing(CALL_read))
		return next(fd, p, n);
	return half && n > 1 ? next(fd, p, n / 2) : -1;
}

ssize_t pread(int fd, void *p, size_t n, off_t at)
{
	NEXT(pread);
	if (!is_failing(CALL_pread))
		return next(fd, p, n, at);
	return half && n > 1 ? next(fd, p, n / 2, at) : -1;
}

int ftruncate(int fd, off_t n) { CALL(ftruncate, -1, fd, n); }
int rename(const char *from, const char *to) { CALL(rename, -1, from, to); }
int renameat2(int a, const char *from, int b, const char *to, unsigned flags)
{
	CALL(renameat2, -1, a, from, b, to, flags);
}
int unlink(const char *path) { CALL(unlink, -1, path); }
int close(int fd)
{
	NEXT(close);
	if (fd <= STDERR_FILENO || !is_failing(CALL_close))
		return next(fd);
	next(fd); /* Linux closes the descriptor even if close() fails */
	errno = error;
	return -1;
}
int dup(int fd) { CALL(dup, -1, fd); }
pid_t fork(void) { CALL(fork, -1); }
pid_t waitpid(pid_t pid, int *status, int options) { CALL(waitpid, -1, pid, status, options); }
int poll(struct pollfd *fd, nfds_t n, int ms) { CALL(poll, -1, fd, n, ms); }
int pipe(int ends[2]) { CALL(pipe, -1, ends); }
void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
	return is_failing(CALL_mmap) ? MAP_FAILED
				     : (void *)syscall(SYS_mmap, at, n, protection, flags, fd, offset);
}
void *malloc(size_t n) { return is_failing(CALL_malloc) ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t size) { return is_failing(CALL_calloc) ? NULL : __libc_calloc(n, size); }
void *realloc(void *p, size_t n) { return is_failing(CALL_realloc) ? NULL : __libc_realloc(p, n); }
int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*run)(void *), void *p)
{
	NEXT(pthread_create);
	return is_failing(CALL_pthread_create) ? error : next(t, a, run, p);
}
int fstat(int fd, struct stat *st) { CALL(fstat, -1, fd, st); }
int stat(const char *path, struct stat *st) { CALL(stat, -1, path, st); }
off_t lseek(int fd, off_t at, int from) { CALL(lseek, -1, fd, at, from); }
int flock(int fd, int operation) { CALL(flock, -1, fd, operation); }
int mkdir(const char *path, mode_t mode) { CALL(mkdir, -1, path, mode); }
int mkostemp(char *path, int flags) { CALL(mkostemp, -1, path, flags); }
FILE *fdopen(int fd, const char *mode) { CALL(fdopen, NULL, fd, mode); }
