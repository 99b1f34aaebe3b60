/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * zstd decoder of input.c, which uses libzstd.
 *
 * Always true: the checksum of a frame is verified if it has one; consecutive frames, including skippable ones, are
 * one text; a window above 2^CODEC_WINDOW_LOG is rejected. Not supported: dictionaries.
 */
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>
#include "input_codec.h"

struct zstd_state {
	ZSTD_DStream *z;
	bool inside; /* true while the position is within a frame */
};

static bool zstd_match(const unsigned char *head, size_t n)
{
	/* 0x184D2A50 to 0x184D2A5F (little-endian) is a skippable frame. Parallel compressors begin with one. */
	if (n >= 4 && (head[0] & 0xf0) == 0x50 && head[1] == 0x2a && head[2] == 0x4d && head[3] == 0x18)
		return true;
	return codec_magic(head, n, (const unsigned char[]){0x28, 0xb5, 0x2f, 0xfd}, 4);
}

static void *zstd_open(void)
{
	struct zstd_state *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->z = ZSTD_createDStream();
	if (!s->z || ZSTD_isError(ZSTD_DCtx_setParameter(s->z, ZSTD_d_windowLogMax, CODEC_WINDOW_LOG))) {
		ZSTD_freeDStream(s->z);
		free(s);
		return NULL;
	}
	return s;
}

static enum codec_result zstd_decode(void *state, struct codec_io *io)
{
	struct zstd_state *s = state;
	ZSTD_inBuffer in = {io->src, io->n_src, 0};
	ZSTD_outBuffer out = {io->dst, io->n_dst, 0};
	size_t rc;

	if (!s->inside && !io->n_src)
		return io->last ? CODEC_END : CODEC_MORE;
	rc = ZSTD_decompressStream(s->z, &out, &in);
	io->src += in.pos;
	io->n_src -= in.pos;
	io->dst += out.pos;
	io->n_dst -= out.pos;
	if (ZSTD_isError(rc)) {
		if (ZSTD_getErrorCode(rc) == ZSTD_error_frameParameter_windowTooLarge)
			return CODEC_TOO_LARGE;
		io->failure = ZSTD_getErrorName(rc);
		return CODEC_DAMAGED;
	}
	s->inside = rc != 0;
	return s->inside && io->last && !in.pos && !out.pos ? CODEC_TRUNCATED : CODEC_MORE;
}

static void zstd_close(void *state)
{
	struct zstd_state *s = state;

	ZSTD_freeDStream(s->z);
	free(s);
}

const struct input_codec codec_zstd = {"zstd", INPUT_ZSTD, zstd_match, zstd_open, zstd_decode, zstd_close};
