/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A library for LD_PRELOAD that makes one allocation of a program fail.
 *
 * With ALLOC_FAIL=N, the N-th call, counted from 1, of malloc, calloc, realloc, reallocarray, aligned_alloc,
 * posix_memalign or mmap that requests memory fails. With ALLOC_COUNT=FILE, the number of these calls is
 * written to FILE at the end. Calls are counted from the initialisation of this library on, including calls
 * from other libraries.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t alignment, size_t n);

static atomic_ulong calls;
static unsigned long failing_call; /* number of the call that fails, counted from 1 */
static bool counting;

static unsigned long parse_number(const char *text)
{
	unsigned long n = 0;

	for (; text && *text >= '0' && *text <= '9'; text++)
		n = n * 10 + (unsigned long)(*text - '0');
	return n;
}

__attribute__((constructor)) static void read_settings(void)
{
	failing_call = parse_number(getenv("ALLOC_FAIL"));
	counting = true;
}

__attribute__((destructor)) static void write_call_count(void)
{
	const char *path = getenv("ALLOC_COUNT");
	char text[24];
	size_t at = sizeof(text);
	int fd;

	counting = false;
	if (!path || (fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666)) < 0)
		return;
	text[--at] = '\n';
	for (unsigned long n = atomic_load(&calls);; n /= 10) {
		text[--at] = (char)('0' + n % 10);
		if (n < 10)
			break;
	}
	if (write(fd, text + at, sizeof(text) - at) < 0)
		_exit(3);
	close(fd);
}

static bool must_call_fail(void)
{
	if (!counting || atomic_fetch_add(&calls, 1) + 1 != failing_call)
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t n) { return must_call_fail() ? NULL : __libc_malloc(n); }

void *calloc(size_t n, size_t size) { return must_call_fail() ? NULL : __libc_calloc(n, size); }

void *realloc(void *p, size_t n) { return must_call_fail() ? NULL : __libc_realloc(p, n); }

void *reallocarray(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, bytes);
}

void *aligned_alloc(size_t alignment, size_t n)
{
	return must_call_fail() ? NULL : __libc_memalign(alignment, n);
}

int posix_memalign(void **p, size_t alignment, size_t n)
{
	if (must_call_fail() || !(*p = __libc_memalign(alignment, n)))
		return ENOMEM;
	return 0;
}

void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
	if (fd < 0 && must_call_fail())
		return MAP_FAILED;
	return (void *)syscall(SYS_mmap, at, n, protection, flags, fd, offset);
}
