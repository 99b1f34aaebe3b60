/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared declarations of the launch file's reader: words in words.c, commands in launch.c. */
#ifndef LAUNCH_READ_H
#define LAUNCH_READ_H

#include "launch/launch.h"

#define LAUNCH_HEAP_MAX  (1ull << 40)
#define LAUNCH_LINES_MAX (1u << 18)  /* largest number of lines with a command */
#define LAUNCH_TEXT_MAX  (64u << 20) /* largest total size of these lines in bytes */

struct launch_word {
	const char *text;
	uint32_t col;
};

struct kinfo {
	const char *kernel;
	struct place place;
	uint32_t regs, shared_bytes;
};

struct reader {
	struct script *script;
	struct fault *fault;
	const char *file;
	uint64_t line;
	uint32_t n_lines; /* number of lines with a command so far */
	size_t n_text;    /* total size of these lines in bytes */
	struct launch_word *word;
	uint32_t n, cap;
	struct kinfo *kinfo;
	uint32_t n_kinfo, cap_kinfo;
};

/*
 * Splits a line into words. Lines without a command take no memory. The number and total size of the other
 * lines are limited. Returns 0, or -1 with the fault set.
 */
int launch_split_line(struct reader *r, const char *text, size_t len);
/*
 * Checks that the name of word w, "name=value", differs from the names of the words starting at `first`. Returns 0,
 * or -1 with the fault set.
 */
int launch_check_repeated(const struct reader *r, uint32_t first, uint32_t w);
/* Returns the place of word w, or of the end of the line when there are fewer. */
struct place launch_word_place(const struct reader *r, uint32_t w);
/* Sets the fault "unexpected WORD (expected ...)". Returns -1. */
int launch_unexpected(const struct reader *r, uint32_t w, const char *what);
/* Reads word w as "name=number". Returns 1, or 0 if it is another word, or -1 with the fault set. */
int launch_read_option(const struct reader *r, uint32_t w, const char *name, uint64_t most, uint64_t *v);
/* Reads word w as "bytes=number" above 0. Returns 1, or -1 with the fault set. */
int launch_read_byte_count(const struct reader *r, uint32_t w, uint64_t *v);
/* Returns the buffer of that name, or NULL. */
struct step *launch_find_buffer(const struct script *s, const char *name, size_t n);
/* Reads a whole text as a number without a sign, up to `most`. */
bool launch_parse_number(const char *s, uint64_t most, uint64_t *v);
/* Adds a step for the current line. Earlier steps may move in memory. */
struct step *launch_add_step(struct reader *r, enum step_kind kind);
/* Builds the parameter block of a launch. Returns 0, or -1 with the fault set; arguments.c. */
int launch_read_arguments(struct reader *r, struct step *c);
/* Reads the line "texture ..." or "surface ..."; texture.c. */
int launch_read_texture(struct reader *r, bool surface);
/* Reads the line "sampler ...". */
int launch_read_sampler(struct reader *r);
/* Returns the last texture, surface or sampler of that name, or NULL. */
struct step *launch_find_texture(const struct script *s, const char *name, size_t n);
/*
 * Binds textures to variables after linking. A texture with neither a variable nor an argument is a fault.
 * Returns 0, or -1 with the fault set.
 */
int launch_bind_textures(struct reader *r);
/* Reads the line "tensormap ...". Returns 0, or -1 with the fault set; tensor.c. */
int launch_read_tensormap(struct reader *r);

#endif
