/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * xz decoder of input.c, which uses liblzma.
 *
 * Always true: integrity checks are verified; consecutive streams, with padding, are one text; a dictionary larger
 * than CODEC_MEMORY is rejected. Not supported: .lzma, raw streams.
 */
#include <lzma.h>
#include <stdlib.h>
#include "input_codec.h"

static bool xz_match(const unsigned char *head, size_t n)
{
	return codec_magic(head, n, (const unsigned char[]){0xfd, '7', 'z', 'X', 'Z', 0x00}, 6);
}

static void *xz_open(void)
{
	lzma_stream *z = malloc(sizeof(*z));

	if (!z)
		return NULL;
	*z = (lzma_stream)LZMA_STREAM_INIT;
	if (lzma_stream_decoder(z, CODEC_MEMORY, LZMA_CONCATENATED) != LZMA_OK) {
		free(z);
		return NULL;
	}
	return z;
}

/* Output size of one call. It is small enough that the output is still in the L1 cache when the decoder copies it. */
#define PIECE 3072u

/* Decodes up to n_out bytes in calls of PIECE bytes. */
static lzma_ret decode_pieces(lzma_stream *z, size_t n_out, lzma_action action)
{
	lzma_ret rc;

	do {
		size_t piece = n_out < PIECE ? n_out : PIECE;

		z->avail_out = piece;
		rc = lzma_code(z, action);
		n_out -= piece - z->avail_out;
	} while (rc == LZMA_OK && !z->avail_out && n_out);
	z->avail_out = n_out;
	return rc;
}

static enum codec_result xz_decode(void *state, struct codec_io *io)
{
	lzma_stream *z = state;
	lzma_ret rc;
	bool progress;

	z->next_in = io->src;
	z->avail_in = io->n_src;
	z->next_out = io->dst;
	rc = decode_pieces(z, io->n_dst, io->last ? LZMA_FINISH : LZMA_RUN);
	progress = z->avail_in != io->n_src || z->avail_out != io->n_dst;
	io->src = z->next_in;
	io->n_src = z->avail_in;
	io->dst = z->next_out;
	io->n_dst = z->avail_out;
	switch (rc) {
	case LZMA_OK:
	case LZMA_BUF_ERROR: return io->last && !progress ? CODEC_TRUNCATED : CODEC_MORE;
	case LZMA_STREAM_END: return CODEC_END;
	case LZMA_MEMLIMIT_ERROR: return CODEC_TOO_LARGE;
	case LZMA_FORMAT_ERROR: io->failure = "no xz header where one is due"; return CODEC_DAMAGED;
	case LZMA_OPTIONS_ERROR: io->failure = "unknown filter or option"; return CODEC_DAMAGED;
	case LZMA_MEM_ERROR: io->failure = "out of memory"; return CODEC_DAMAGED;
	default: io->failure = "data or check is wrong"; return CODEC_DAMAGED;
	}
}

static void xz_close(void *state)
{
	lzma_end(state);
	free(state);
}

const struct input_codec codec_xz = {"xz", INPUT_XZ, xz_match, xz_open, xz_decode, xz_close};
