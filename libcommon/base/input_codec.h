/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interface of a compressed format. Only input.c uses it.
 *
 * decode() reads from src, writes to dst and advances both. n_dst is never 0 on entry. It returns CODEC_MORE if it
 * made progress or needs more input; other results are final. Consecutive members or frames are one text. last: src
 * has the last bytes of the input.
 */
#ifndef INPUT_CODEC_H
#define INPUT_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include "input.h"

#define CODEC_MAGIC_MAX  6u           /* number of bytes that determine the format of an input */
#define CODEC_HEADER_MAX (64u << 10)  /* number of bytes that identify an archive, which begins with text */
#define CODEC_MEMORY     (128u << 20) /* largest size of a decoder's window in bytes */
#define CODEC_WINDOW_LOG 27           /* base-2 logarithm of CODEC_MEMORY */

enum codec_result {
	CODEC_MORE,
	CODEC_END,       /* all members are complete, and src is used up */
	CODEC_TRUNCATED, /* last is set, and the current member is not complete */
	CODEC_DAMAGED,   /* data are damaged; io->failure has the library's reason */
	CODEC_TOO_LARGE  /* decoding needs more than CODEC_MEMORY */
};

struct codec_io {
	const unsigned char *src; /* next compressed byte */
	size_t n_src;
	unsigned char *dst; /* next free byte of the output */
	size_t n_dst;
	bool last;           /* whether src has the last bytes of the input */
	const char *failure; /* reason of a failure, a literal or owned by the state; NULL: unknown */
};

struct input_codec {
	const char *name; /* name of the format in messages */
	enum input_coding coding;
	/*
	 * Returns true if an input that starts with head has this format. If n < CODEC_MAGIC_MAX, head is the whole
	 * input.
	 */
	bool (*match)(const unsigned char *head, size_t n);
	void *(*open)(void); /* returns NULL if out of memory */
	enum codec_result (*decode)(void *state, struct codec_io *io);
	void (*close)(void *state);
};

extern const struct input_codec codec_gzip, codec_xz, codec_zstd, codec_tracez;

/*
 * Returns true if head begins with magic. A shorter head of at least two bytes matches, too, because no text starts
 * with these bytes.
 */
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
