/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A compressed format behind one struct of functions, used by input.c only.
 *
 * decode() consumes from src and produces to dst, advancing both; n_dst is never 0 on entry. It says
 * CODEC_MORE as long as it made progress or could with more input; the other answers are final. Members
 * or frames that follow each other are one text. last: nothing follows what src holds.
 */
#ifndef INPUT_CODEC_H
#define INPUT_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include "input.h"

#define CODEC_MAGIC_MAX  6u           /* bytes that decide the format of an input */
#define CODEC_MEMORY     (128u << 20) /* bytes that a decoder may take for its window */
#define CODEC_WINDOW_LOG 27           /* the same as a power of two */

enum codec_result {
	CODEC_MORE,
	CODEC_END,       /* every member is complete and src is used up */
	CODEC_TRUNCATED, /* last, and the member at hand is not complete */
	CODEC_DAMAGED,   /* io->why says what the library found */
	CODEC_TOO_LARGE  /* decoding takes more than CODEC_MEMORY */
};

struct codec_io {
	const unsigned char *src;
	size_t n_src;
	unsigned char *dst;
	size_t n_dst;
	bool last;
	const char *why; /* a literal, or owned by the state; NULL: nothing more is known */
};

struct input_codec {
	const char *name; /* for messages */
	enum input_coding coding;
	/* Does an input that starts so have this format? n < CODEC_MAGIC_MAX: that is all of it. */
	bool (*match)(const unsigned char *head, size_t n);
	void *(*open)(void); /* NULL: out of memory */
	enum codec_result (*decode)(void *state, struct codec_io *io);
	void (*close)(void *state);
};

extern const struct input_codec codec_gzip, codec_xz, codec_zstd;

/* Does head begin with magic? A head cut short matches from two bytes on: no text starts like these. */
static inline bool codec_magic(
	const unsigned char *head, size_t n, const unsigned char *magic, size_t n_magic)
{
	size_t len = n < n_magic ? n : n_magic;

	if (len < 2)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (head[i] != magic[i])
			return false;
	}
	return true;
}

#endif
