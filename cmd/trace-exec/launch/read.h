/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of the launch file's reader share; launch.c. */
#ifndef LAUNCH_READ_H
#define LAUNCH_READ_H

#include "launch/launch.h"

#define LAUNCH_HEAP_MAX  (1ull << 40)
#define LAUNCH_LINES_MAX (1u << 18)  /* lines with a command */
#define LAUNCH_TEXT_MAX  (64u << 20) /* bytes of these lines */

struct launch_word {
	const char *s;
	uint32_t col;
};

struct kinfo {
	const char *kernel;
	struct place at;
	uint32_t regs, shared;
};

struct reader {
	struct script *s;
	struct fault *f;
	const char *file;
	uint64_t line;
	uint32_t n_lines; /* lines with a command so far */
	size_t n_text;    /* bytes of these lines */
	struct launch_word *word;
	uint32_t n, cap;
	struct kinfo *kinfo;
	uint32_t n_kinfo, cap_kinfo;
};

/* Place of word w; behind the last one when there are fewer. */
struct place launch_at(const struct reader *r, uint32_t w);
/* "found WORD, wanted what": -1. */
int launch_unexpected(const struct reader *r, uint32_t w, const char *what);
/* "name=number" as word w: 1; 0: another word; -1: a fault. */
int launch_option(const struct reader *r, uint32_t w, const char *name, uint64_t most, uint64_t *v);
/* The same, above 0, and not 0 for another word: a fault, with what is wanted. */
int launch_bytes(const struct reader *r, uint32_t w, uint64_t *v);
/* The buffer of that name, or NULL. */
struct step *launch_buffer(const struct script *s, const char *name, size_t n);
/* A number without a sign up to most, nothing behind it. */
bool launch_number(const char *s, uint64_t most, uint64_t *v);
/* A new step, of the line in hand; those before may have moved. */
struct step *launch_add(struct reader *r, enum step_kind kind);
/* The parameter block of a launch; 0, or -1 with the fault set; arguments.c. */
int launch_arguments(struct reader *r, struct step *c);
/* The line "texture ..." or "surface ..."; texture.c. */
int launch_texture(struct reader *r, bool surface);
/* The line "sampler ...". */
int launch_sampler(struct reader *r);
/* The texture, surface or sampler of that name that was named last, or NULL. */
struct step *launch_texture_named(const struct script *s, const char *name, size_t n);
/* When all is linked: each is bound to its variable, or an argument named it. 0, or -1 with the fault set. */
int launch_textures_end(struct reader *r);
/* The line "tensormap ...". 0, or -1 with the fault set; tensor.c. */
int launch_tensormap(struct reader *r);

#endif
