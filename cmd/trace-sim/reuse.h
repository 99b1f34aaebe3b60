/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds kernels that are equal except for id and stream (--reuse). Used only by isolate.c and resume.c.
 *
 * A kernel's key is the XXH3-128 hash of its text and its stored control codes. The header lines with the id
 * and the stream are excluded. The hash has a secret that is random in each run. Two kernels are equal if
 * their keys are equal.
 */
#ifndef REUSE_H
#define REUSE_H

#include "isolate.h"

#define REUSE_NONE UINT32_MAX

/* A set of equal kernels. */
struct reuse_kernel {
	uint64_t key[2];
	uint32_t first_command; /* command of the first kernel of the set */
	uint32_t result_command; /* command whose process computes the figures; REUSE_NONE before one is chosen */
	char *name;
	uint32_t grid[3], block[3];
	bool is_slice;
};

/* Result of reuse_identify() for a kernel. */
struct reuse_identity {
	uint32_t kernel; /* number of the kernel's set; REUSE_NONE if the kernel cannot be compared */
	uint64_t stream;
	unsigned char hash[16]; /* hash of the kernel's text */
};

struct reuse;

/* Returns an object without kernels. */
struct reuse *reuse_new(const struct isa *isa);
void reuse_free(struct reuse *u);
/*
 * Sets *id for the kernel of a command. Returns false if -k does not select the kernel's name. A kernel that can be
 * read only once, or that has a fault, is not compared.
 */
bool reuse_identify(struct reuse *u, struct run *r, uint32_t command, struct reuse_identity *id);
/* Returns the set of equal kernels with this number. */
struct reuse_kernel *reuse_find_set(struct reuse *u, uint32_t kernel);
/*
 * Adds a kernel that has a record from an earlier run. Its text is read only when reuse_identify() is called
 * for a kernel of the same name, grid and block size. The program then ends if the text has changed.
 */
void reuse_add_resumed(struct reuse *u, const struct resumed_kernel *k);
/*
 * Returns a hash of a kernel's name, grid and block size, in the form of struct result_kernel. `name` may be
 * the traced name or the name in a record: both give the same hash, because only the first RECORD_NAME_MAX
 * bytes of its UTF-8 are hashed.
 */
uint64_t reuse_shape_hash(const char *name, const char *grid, const char *block);
/*
 * Writes the record of the kernel at `position` with the figures of another kernel. For `group`, see
 * record_end_with().
 */
void reuse_write_record(const struct reuse *u, const struct run *r, struct record_writer *w,
	uint32_t position, const struct reuse_identity *id, const struct kernel_outcome *from,
	const void *group);

#endif
