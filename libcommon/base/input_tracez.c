/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Archives of one kernel trace (.tracez of Accel-Sim 2.0), as a decoder of input.c. Their text is the grouped trace.
 *
 * An archive consists of the header text up to a NUL, an optional dictionary, the number of instructions and the zstd
 * frames of lines of each warp, and an index of thread blocks and warps. The last eight bytes are the offset of the
 * index. All numbers are little-endian.
 *
 * Always true: the whole archive is in memory, up to TRACEZ_MAX bytes, because its index is at the end; frames are
 * decompressed one at a time. Every offset and count of the index is checked before any text is produced.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include "arena.h"
#include "bytes.h"
#include "input_codec.h"

#define TRACEZ_MAX  ((size_t)2 << 30)
#define FRAME_MAX   (64u << 20) /* largest number of bytes of text in a frame */
#define BLOCK_BYTES 44u         /* size of an index entry in bytes: coordinates and number of warps */
#define WARP_BYTES  16u
#define N_BLOCK_IDS 10u

struct tracez {
	struct bytes archive; /* contents of the archive */
	struct bytes out;     /* text produced so far; its first `given` bytes were returned */
	size_t given;         /* number of returned bytes of out */
	ZSTD_DCtx *context;
	ZSTD_DDict *dictionary;
	bool indexed;         /* true after the index was checked */
	size_t header;        /* size of the header text in bytes */
	size_t data;          /* offset of the first byte after the dictionary */
	size_t index;         /* offset of the first block of the index */
	size_t next_entry;    /* offset of the next entry of the index */
	uint32_t blocks_left; /* number of entries from there to the end */
	uint32_t warps_left;  /* number of warps of the current block that are left after warp `next_warp` */
	uint32_t next_warp;   /* number of the next warp */
	size_t next_frame;    /* offset of the next frame of the current warp */
	uint32_t frames_left; /* number of frames left */
	bool inside;          /* true while the position is within a block */
	const char *failure;  /* reason of a failure, for a message */
};

static uint32_t u32_at(const struct tracez *z, size_t at)
{
	const unsigned char *p = (const unsigned char *)z->archive.p + at;

	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t u64_at(const struct tracez *z, size_t at)
{
	return u32_at(z, at) | (uint64_t)u32_at(z, at + 4) << 32;
}

static bool fail_archive(struct tracez *z, const char *why)
{
	z->failure = why;
	return false;
}

/* ---- the index ---------------------------------------------------------------------------- */

/* Checks the frames of the warp with the index entry at `entry`. */
static bool check_warp_frames(struct tracez *z, size_t entry, uint32_t chunks)
{
	uint64_t at = u64_at(z, entry + 8);

	if (at < z->data || at > z->index - 8 || z->index - at < 12)
		return fail_archive(z, "the index has an offset outside the data");
	if (u32_at(z, at) != u32_at(z, entry) || u32_at(z, at + 4) != chunks)
		return fail_archive(z, "counts of the index differ from those of the data");
	at += 8;
	for (uint32_t i = 0; i < chunks; i++) {
		if (z->index - 4 - at < 4 || z->index - 8 - at < u32_at(z, at))
			return fail_archive(z, "a frame is longer than the data");
		at += 4 + u32_at(z, at);
	}
	return true;
}

/* Checks the entry of a warp at *at and moves *at past it. */
static bool check_warp_entry(struct tracez *z, size_t *at, size_t end)
{
	uint64_t sum = 0;
	uint32_t chunks;

	if (end - *at < WARP_BYTES)
		return fail_archive(z, "the index ends early");
	chunks = u32_at(z, *at + 4);
	if ((end - *at - WARP_BYTES) / 4 < chunks)
		return fail_archive(z, "the index ends early");
	for (uint32_t i = 0; i < chunks; i++)
		sum += u32_at(z, *at + WARP_BYTES + 4 * (size_t)i);
	if (sum != u32_at(z, *at))
		return fail_archive(z, "instructions of frames do not add up to those of their warp");
	if (!check_warp_frames(z, *at, chunks))
		return false;
	*at += WARP_BYTES + 4 * (size_t)chunks;
	return true;
}

static bool check_index(struct tracez *z)
{
	size_t end = z->archive.n - 8, at = z->index;

	for (uint32_t b = 0; b < z->blocks_left; b++) {
		uint32_t warps;

		if (end - at < BLOCK_BYTES)
			return fail_archive(z, "the index ends early");
		warps = u32_at(z, at + 4 * N_BLOCK_IDS);
		at += BLOCK_BYTES;
		for (uint32_t w = 0; w < warps; w++)
			if (!check_warp_entry(z, &at, end))
				return false;
	}
	return at == end || fail_archive(z, "bytes follow the index");
}

static bool open_dictionary(struct tracez *z, size_t at, uint32_t bytes)
{
	z->context = ZSTD_createDCtx();
	z->dictionary = bytes ? ZSTD_createDDict(z->archive.p + at, bytes) : NULL;
	return z->context && (z->dictionary || !bytes) ? true
						       : fail_archive(z, "the dictionary cannot be read");
}

/* Finds the parts of the archive, all of which is in memory. */
static bool find_archive_parts(struct tracez *z)
{
	const char *nul = memchr(z->archive.p, 0, z->archive.n);
	uint64_t index;
	uint32_t dictionary;

	z->header = (size_t)(nul - z->archive.p);
	if (z->archive.n - z->header < 1 + 8 + 4 + 8)
		return fail_archive(z, "the archive ends early");
	dictionary = u32_at(z, z->header + 1);
	z->data = z->header + 9;
	index = u64_at(z, z->archive.n - 8);
	if (z->archive.n - z->data - 12 < dictionary)
		return fail_archive(z, "the dictionary is longer than the archive");
	if (!open_dictionary(z, z->data, dictionary))
		return false;
	z->data += dictionary;
	if (index < z->data || index > z->archive.n - 12)
		return fail_archive(
			z, "the last bytes are not the offset of an index: the archive is cut off");
	z->blocks_left = u32_at(z, (size_t)index);
	z->index = z->next_entry = (size_t)index + 4;
	bytes_add(&z->out, z->archive.p, z->header);
	return check_index(z);
}

/* ---- text --------------------------------------------------------------------------------- */

static bool produce_frame_text(struct tracez *z)
{
	uint32_t packed = u32_at(z, z->next_frame);
	const char *frame = z->archive.p + z->next_frame + 4;
	unsigned long long size = ZSTD_getFrameContentSize(frame, packed);
	size_t got;

	z->next_frame += 4 + (size_t)packed;
	z->frames_left--;
	if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR || size > FRAME_MAX)
		return fail_archive(z, "a frame has no content size of at most 64 MiB");
	bytes_reserve(&z->out, (size_t)size + 1);
	got = z->dictionary
		      ? ZSTD_decompress_usingDDict(
				z->context, z->out.p + z->out.n, (size_t)size, frame, packed, z->dictionary)
		      : ZSTD_decompressDCtx(z->context, z->out.p + z->out.n, (size_t)size, frame, packed);
	if (ZSTD_isError(got))
		return fail_archive(z, ZSTD_getErrorName(got));
	z->out.n += got;
	bytes_add(&z->out, "\n", 1);
	return true;
}

static void produce_warp_text(struct tracez *z)
{
	bytes_printf(&z->out, "\nwarp = %" PRIu32 "\ninsts = %" PRIu32 "\n", z->next_warp++,
		u32_at(z, z->next_entry));
	z->frames_left = u32_at(z, z->next_entry + 4);
	z->next_frame = (size_t)u64_at(z, z->next_entry + 8) + 8;
	z->next_entry += WARP_BYTES + 4 * (size_t)z->frames_left;
	z->warps_left--;
}

static void produce_block_text(struct tracez *z)
{
	uint32_t id[N_BLOCK_IDS];

	for (unsigned i = 0; i < N_BLOCK_IDS; i++)
		id[i] = u32_at(z, z->next_entry + 4 * (size_t)i);
	bytes_printf(&z->out,
		"\n#BEGIN_TB\n\nthread block = %" PRIu32 ",%" PRIu32 ",%" PRIu32 "\ncluster id = %" PRIu32
		",%" PRIu32 ",%" PRIu32 "\ncluster cta = %" PRIu32 ",%" PRIu32 ",%" PRIu32
		"\ncluster rank = %" PRIu32 "\n",
		id[0], id[1], id[2], id[3], id[4], id[5], id[6], id[7], id[8], id[9]);
	z->warps_left = u32_at(z, z->next_entry + 4 * N_BLOCK_IDS);
	z->next_warp = 0;
	z->next_entry += BLOCK_BYTES;
	z->blocks_left--;
	z->inside = true;
}

/* Produces the next piece of text. Returns false at the end, and on a fault, for which it sets z->failure. */
static bool produce_archive_text(struct tracez *z)
{
	if (z->frames_left)
		return produce_frame_text(z);
	if (z->warps_left) {
		produce_warp_text(z);
	} else if (z->inside) {
		bytes_add(&z->out, "\n#END_TB\n", 9);
		z->inside = false;
	} else if (z->blocks_left) {
		produce_block_text(z);
	} else {
		return false;
	}
	return true;
}

/* ---- the codec ---------------------------------------------------------------------------- */

/* Recognises an archive by a kernel's header that ends with a NUL. */
static bool tracez_match(const unsigned char *head, size_t n)
{
	if (n > CODEC_HEADER_MAX)
		n = CODEC_HEADER_MAX;
	return n > 8 && !memcmp(head, "-kernel ", 8) && memchr(head, 0, n);
}

static void *tracez_open(void) { return calloc(1, sizeof(struct tracez)); }

static enum codec_result copy_out_text(struct tracez *z, struct codec_io *io)
{
	size_t n = z->out.n - z->given;

	if (n > io->n_dst)
		n = io->n_dst;
	memcpy(io->dst, z->out.p + z->given, n);
	io->dst += n;
	io->n_dst -= n;
	z->given += n;
	return CODEC_MORE;
}

static enum codec_result tracez_decode(void *state, struct codec_io *io)
{
	struct tracez *z = state;

	if (io->n_src > TRACEZ_MAX - z->archive.n) {
		io->failure = "more than 2 GiB";
		return CODEC_DAMAGED;
	}
	if (io->n_src)
		bytes_add(&z->archive, (const char *)io->src, io->n_src);
	io->src += io->n_src;
	io->n_src = 0;
	if (!io->last)
		return CODEC_MORE;
	if (!z->indexed && !find_archive_parts(z)) {
		io->failure = z->failure;
		return CODEC_DAMAGED;
	}
	z->indexed = true;
	while (z->given == z->out.n) {
		z->given = z->out.n = 0;
		if (!produce_archive_text(z) && z->failure) {
			io->failure = z->failure;
			return CODEC_DAMAGED;
		}
		if (!z->out.n && !z->blocks_left && !z->inside)
			return CODEC_END;
	}
	return copy_out_text(z, io);
}

static void tracez_close(void *state)
{
	struct tracez *z = state;

	ZSTD_freeDDict(z->dictionary);
	ZSTD_freeDCtx(z->context);
	bytes_free(&z->archive);
	bytes_free(&z->out);
	free(z);
}

const struct input_codec codec_tracez = {
	"tracez", INPUT_TRACEZ, tracez_match, tracez_open, tracez_decode, tracez_close};
