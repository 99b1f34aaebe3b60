/* SPDX-License-Identifier: BSD-2-Clause */
/* Common code of the libraries that replace open(). */
#ifndef OPEN_MODE_H
#define OPEN_MODE_H

#include <fcntl.h>
#include <stdarg.h>
#include <sys/types.h>

/* Sets `mode` to the argument after `flags`, or to 0 if the call does not create a file and has no such argument. */
#define OPEN_MODE(mode, flags) \
	do { \
		va_list args_; \
\
		va_start(args_, flags); \
		(mode) = (flags)&O_CREAT ? va_arg(args_, mode_t) : 0; \
		va_end(args_); \
	} while (0)

#endif
