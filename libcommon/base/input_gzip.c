/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gzip decoder of input.c, which uses zlib.
 *
 * Always true: length and CRC of every member are checked; zero bytes between or after members are padding, and other
 * bytes there are a fault. Not supported: raw deflate, zlib streams, names in headers.
 */
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>
#include "input_codec.h"

struct gzip_state {
	z_stream z;      /* state of zlib */
	bool inside;     /* true while the position is within a member */
	bool any_member; /* true after the first complete member */
};

static bool gzip_match(const unsigned char *head, size_t n)
{
	return codec_magic(head, n, (const unsigned char[]){0x1f, 0x8b, 0x08}, 3);
}

static void *gzip_open(void)
{
	struct gzip_state *s = calloc(1, sizeof(*s));

	if (s && inflateInit2(&s->z, 15 + 16) != Z_OK) {
		free(s);
		return NULL;
	}
	return s;
}

static uInt clip_to_int(size_t n) { return n < INT_MAX ? (uInt)n : INT_MAX; }

/* Skips padding between members and begins the next member. Returns false if it needs more input. */
static bool next_gzip_member(struct gzip_state *s, struct codec_io *io)
{
	while (s->any_member && io->n_src && !*io->src) {
		io->src++;
		io->n_src--;
	}
	if (!io->n_src)
		return false;
	inflateReset(&s->z);
	s->inside = true;
	return true;
}

static enum codec_result gzip_decode(void *state, struct codec_io *io)
{
	struct gzip_state *s = state;
	z_stream *z = &s->z;
	size_t src, dst = clip_to_int(io->n_dst);
	int rc;

	if (!s->inside && !next_gzip_member(s, io))
		return !io->last ? CODEC_MORE : s->any_member ? CODEC_END : CODEC_TRUNCATED;
	src = clip_to_int(io->n_src);
	z->next_in = (z_const Bytef *)io->src;
	z->avail_in = (uInt)src;
	z->next_out = io->dst;
	z->avail_out = (uInt)dst;
	rc = inflate(z, Z_NO_FLUSH);
	src -= z->avail_in;
	dst -= z->avail_out;
	io->src += src;
	io->n_src -= src;
	io->dst += dst;
	io->n_dst -= dst;
	if (rc == Z_STREAM_END) {
		s->inside = false;
		s->any_member = true;
		return CODEC_MORE;
	}
	if (rc == Z_OK || rc == Z_BUF_ERROR)
		return io->last && !src && !dst ? CODEC_TRUNCATED : CODEC_MORE;
	io->failure = rc == Z_MEM_ERROR   ? "out of memory"
		      : rc == Z_NEED_DICT ? "a dictionary is needed"
					  : z->msg;
	return CODEC_DAMAGED;
}

static void gzip_close(void *state)
{
	struct gzip_state *s = state;

	inflateEnd(&s->z);
	free(s);
}

const struct input_codec codec_gzip = {"gzip", INPUT_GZIP, gzip_match, gzip_open, gzip_decode, gzip_close};
