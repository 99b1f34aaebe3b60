/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of the launch file's reader share; launch.c. */
#ifndef LAUNCH_READ_H
#define LAUNCH_READ_H

#include "launch/launch.h"

struct word {
	const char *s;
	uint32_t col;
};

struct kinfo {
	const char *kernel;
	uint32_t regs, shared;
};

struct reader {
	struct script *s;
	struct fault *f;
	const char *file;
	uint64_t line;
	struct word *word;
	uint32_t n, cap;
	struct kinfo *kinfo;
	uint32_t n_kinfo, cap_kinfo;
	bool linked;
};

/* Place of word w; of the line when there are fewer. */
struct place launch_at(const struct reader *r, uint32_t w);
/* "found WORD, wanted what": -1. */
int launch_wanted(const struct reader *r, uint32_t w, const char *what);
/* "name=number" as word w: 1; 0: another word; -1: a fault. */
int launch_option(const struct reader *r, uint32_t w, const char *name, uint64_t most, uint64_t *v);
/* The buffer of that name, or NULL. */
struct step *launch_buffer(const struct script *s, const char *name, size_t n);
/* The line "tensormap ...". 0, or -1 with the fault set; launch_tensor.c. */
int launch_tensormap(struct reader *r);

#endif
