/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --reuse: finds kernels that are equal but for id and stream. Used by isolate.c and resume.c alone.
 *
 * Two kernels are equal if their texts, without the header's lines of id and stream, and their stored control codes
 * have the same XXH3-128 under a secret that is drawn for each run.
 */
#ifndef REUSE_H
#define REUSE_H

#include "isolate.h"

#define REUSE_NONE UINT32_MAX

/* A kernel, and all later ones that equal it. */
struct reuse_kernel {
	uint64_t key[2];
	uint32_t first;  /* command of the first one */
	uint32_t result; /* command whose process has their figures; REUSE_NONE: none yet */
	char *name;
	uint32_t grid[3], block[3];
	bool slice;
};

/* Identity of a kernel among its equals. */
struct reuse_identity {
	uint32_t kernel; /* for reuse_at(); REUSE_NONE: the kernel cannot be compared */
	uint64_t stream;
	unsigned char hash[16]; /* hash of its text */
};

struct reuse;

struct reuse *reuse_new(const struct isa *isa);
void reuse_free(struct reuse *u);
/*
 * Identifies the kernel of a command. false: it is not selected by its name. A kernel that can be read only once, or
 * that has a fault, is not compared.
 */
bool reuse_identify(struct reuse *u, struct run *r, uint32_t command, struct reuse_identity *id);
struct reuse_kernel *reuse_at(struct reuse *u, uint32_t kernel);
/*
 * Adds a kernel whose record an earlier run left. It is read only when a kernel of the same name and grid is
 * identified; the program then ends if its text has changed.
 */
void reuse_add_resumed(struct reuse *u, const struct resumed_kernel *k);
/*
 * Returns a number that is equal for kernels of the same name, grid and block, which are as in struct result_kernel.
 * The name may also be as traced: of its UTF-8, which a record has, the first RECORD_NAME_MAX bytes count.
 */
uint64_t reuse_shape(const char *name, const char *grid, const char *block);
/* Writes the record of a kernel at `position` with the figures of another process; group: see record_end_as(). */
void reuse_record(const struct reuse *u, const struct run *r, struct record_writer *w, uint32_t position,
	const struct reuse_identity *id, const struct kernel_outcome *from, const void *group);

#endif
