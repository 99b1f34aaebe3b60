/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fat binaries: the containers in which nvcc stores machine code and PTX for several GPUs in a program.
 * libcommon/arch/fatbin.c describes the format.
 *
 * Input may be hostile: every offset and size in a header is checked against the number of bytes.
 */
#ifndef FATBIN_H
#define FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "diag.h"

enum fatbin_kind { FATBIN_PTX = 1, FATBIN_CUBIN = 2 };

struct fatbin {
	const uint8_t *rest; /* entries not yet read */
	size_t n;            /* number of bytes that `rest` points to */
	const char *file;    /* file name for messages */
};

struct fatbin_entry {
	unsigned kind;        /* one of enum fatbin_kind, or another number */
	unsigned sm;          /* architecture number: 80 for sm_80 or compute_80 */
	const uint8_t *bytes; /* contents as stored, compressed or not */
	size_t n;             /* number of stored bytes */
	uint64_t flags;       /* flags of the entry's header: compression, variant */
	uint64_t unpacked;    /* size after decompression in bytes, if the entry is compressed */
};

/*
 * Returns the variant of the target: '\0' (sm_90), 'a' (sm_90a: only that GPU) or 'f' (sm_100f: GPUs of the family).
 */
char fatbin_variant(const struct fatbin_entry *e);

/* Returns true if the bytes begin like a fat binary. */
bool fatbin_has_magic(const void *bytes, size_t n);
/*
 * Returns the size of a fat binary including its header, read from its first 16 bytes; 0 if it is not a fat binary.
 */
uint64_t fatbin_whole_size(const void *header);
/*
 * Opens the fat binary at the start of n bytes, which must outlive b. Sets *whole to the size of the fat binary.
 * Returns 0, or -1 and sets *f.
 */
int fatbin_open(
	struct fatbin *b, const void *bytes, size_t n, size_t *whole, const char *file, struct fault *f);
/* Reads the next entry. Returns 1, 0 at the end, or -1 and sets *f. */
int fatbin_next(struct fatbin *b, struct fatbin_entry *e, struct fault *f);
/* Returns the size of the entry after decompression; 0 and sets *f if its header says 0 or more than 256 MiB. */
size_t fatbin_size(const struct fatbin *b, const struct fatbin_entry *e, struct fault *f);
/* Decompresses the entry to out, which has fatbin_size() bytes. Returns 0, or -1 and sets *f. */
int fatbin_unpack(const struct fatbin *b, const struct fatbin_entry *e, uint8_t *out, struct fault *f);

#endif
