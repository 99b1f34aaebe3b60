/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fat binaries: what nvcc puts into a program, machine code and PTX for several machines side by side. The
 * format is described in libcommon/arch/fatbin.c.
 *
 * Input is hostile: nothing outside of the bytes given is read, whatever the headers say.
 */
#ifndef FATBIN_H
#define FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "diag.h"

enum fatbin_kind { FATBIN_PTX = 1, FATBIN_CUBIN = 2 };

struct fatbin {
	const uint8_t *at; /* entries not yet seen */
	size_t n;
	const char *file; /* of messages */
};

struct fatbin_entry {
	unsigned kind;        /* enum fatbin_kind, or another number */
	unsigned sm;          /* 80 for sm_80 or compute_80 */
	const uint8_t *bytes; /* as they stand in the fat binary, packed or not */
	size_t n;
	uint64_t flags, unpacked; /* unpacked: bytes when packed */
};

/* Variant of the target: '\0' (sm_90), 'a' (sm_90a: that GPU alone) or 'f' (sm_100f: GPUs of its family). */
char fatbin_variant(const struct fatbin_entry *e);

/* Do the bytes begin as a fat binary? */
bool fatbin_begins(const void *bytes, size_t n);
/* The bytes that a fat binary says it has, header included, from its first 16 bytes; 0: it is none. */
uint64_t fatbin_extent(const void *header);
/* The fat binary at the front of n bytes, which outlive b; *whole: its bytes. 0, or -1 and *f. */
int fatbin_open(
	struct fatbin *b, const void *bytes, size_t n, size_t *whole, const char *file, struct fault *f);
/* The next entry. 1; 0: there is none; -1 and *f. */
int fatbin_next(struct fatbin *b, struct fatbin_entry *e, struct fault *f);
/* The entry's bytes when unpacked, at most 256 MiB; 0 and *f: its header names none or more. */
size_t fatbin_size(const struct fatbin *b, const struct fatbin_entry *e, struct fault *f);
/* The entry unpacked to out, which has room for fatbin_size() bytes. 0, or -1 and *f. */
int fatbin_unpack(const struct fatbin *b, const struct fatbin_entry *e, uint8_t *out, struct fault *f);

#endif
