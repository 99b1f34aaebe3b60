/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conversion of the columns of a block to frames and back. The metadata and all short columns share one frame, which
 * uses a preset dictionary. Each long column has its own frame. Frames are compressed with zstd, or with LZMA2 if
 * that is smaller; LZMA2 is tried for columns of text, and with PACK_BEST for all columns.
 *
 * Always true: the lengths at the front bound the unpacked size, and their sum has a limit. A block is damaged if a
 * frame does not unpack to exactly the stated number of bytes.
 */
#define ZSTD_STATIC_LINKING_ONLY
#include <lzma.h>
#include <zstd.h>
#include <zstd_errors.h>
#include "diag.h"
#include "format.h"

#define OWN_FRAME  400u /* smallest size of a column with its own frame, in bytes */
#define META_LEVEL 19
/* Level 4 makes streams 0.2 percent smaller, and packing takes 3.4 percent more host instructions (12 programs). */
#define QUICK_META_LEVEL 3
#define THOROUGH         (128u << 10) /* size in bytes below which thorough compression takes little time */

#define TRIED 4096u /* smallest size in bytes of a column that is first tried at the requested level */

static bool is_joined_column(const struct primer *dict, int k, size_t n)
{
	return k == COL_META || n < OWN_FRAME || (k == COL_TEXT && n < dict->joined_text);
}

static void compress_zstd(struct buf *out, const uint8_t *p, size_t n, int level, const struct primer *dict)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();
	size_t cap = ZSTD_compressBound(n);

	if (!c)
		die("out of memory");
	ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(c, ZSTD_c_contentSizeFlag, 0);
	ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 0);
	ZSTD_CCtx_setParameter(c, ZSTD_c_dictIDFlag, 0);
	ZSTD_CCtx_setParameter(c, ZSTD_c_format, ZSTD_f_zstd1_magicless);
	if (dict)
		ZSTD_CCtx_refPrefix(c, dict->p, dict->n);
	buf_room(out, cap + 1);
	size_t got = ZSTD_compress2(c, out->p + out->n, cap, p, n);
	if (ZSTD_isError(got))
		die("zstd: %s", ZSTD_getErrorName(got));
	out->n += got;
	ZSTD_freeCCtx(c);
}

/* ---- text --------------------------------------------------------------------------------- */

#define DICTIONARY_MOST (64u << 20)
/*
 * Size in bytes of a column, compressed with zstd, above which only PACK_BEST searches for matches thoroughly. The
 * time of LZMA2 grows with this size: a thorough search takes 9 s a megabyte of it, a quick search takes 0.7 s and
 * yields 9 percent more bytes (lines of different instructions).
 */
#define LZMA_THOROUGH (2u << 20)
#define LZMA_QUICK    3u                        /* preset with a quick search */
#define LZMA_BEST     (9 | LZMA_PRESET_EXTREME) /* preset with a thorough search */

/* Returns true if a column is text, for which LZMA2 is tried. */
static bool column_is_text(int k) { return k == COL_STORED || k == COL_TEXT || k >= COL_BODY; }

/*
 * Sets the LZMA filters. Writer and reader derive the size of the dictionary from n, the size of the column. The other
 * options of the preset matter to the writer only.
 */
static void lzma_chain(lzma_filter filter[2], lzma_options_lzma *o, size_t n, uint32_t preset)
{
	if (lzma_lzma_preset(o, preset))
		die("lzma: the preset is not supported");
	o->dict_size = LZMA_DICT_SIZE_MIN;
	while (o->dict_size < n && o->dict_size < DICTIONARY_MOST)
		o->dict_size *= 2;
	filter[0] = (lzma_filter){.id = LZMA_FILTER_LZMA2, .options = o};
	filter[1] = (lzma_filter){.id = LZMA_VLI_UNKNOWN};
}

/* Appends p compressed with LZMA2 if that needs less than `most` bytes. */
static bool compress_lzma(struct buf *out, const uint8_t *p, size_t n, size_t most, uint32_t preset)
{
	lzma_options_lzma o;
	lzma_filter filter[2];
	size_t got = 0;

	lzma_chain(filter, &o, n, preset);
	buf_room(out, most + 1);
	lzma_ret r = lzma_raw_buffer_encode(filter, NULL, p, n, out->p + out->n, &got, most);
	if (r == LZMA_MEM_ERROR)
		die("out of memory");
	if (r != LZMA_OK || got >= most)
		return false;
	out->n += got;
	return true;
}

static bool expand_lzma(uint8_t *to, size_t n, const uint8_t *p, size_t n_p, const char **why)
{
	lzma_options_lzma o;
	lzma_filter filter[2];
	size_t at = 0, got = 0;

	lzma_chain(filter, &o, n, LZMA_BEST);
	lzma_ret r = lzma_raw_buffer_decode(filter, NULL, p, &at, n_p, to, &got, n);
	if (r == LZMA_MEM_ERROR)
		die("out of memory");
	*why = r != LZMA_OK || got != n || at != n_p ? "damaged LZMA2 data" : NULL;
	return !*why;
}

/* ---- frames ------------------------------------------------------------------------------- */

/* Returns the zstd level for a column of n bytes. */
static int column_level(size_t n, int level)
{
	return level == PACK_DEFAULT && n < THOROUGH ? META_LEVEL : level;
}

static int level_of_joined_columns(int level) { return level == PACK_FAST ? QUICK_META_LEVEL : META_LEVEL; }

/* Compresses a column of numbers. Stops after the first try if it finds no pattern. */
static void compress_numbers(struct buf *out, const struct buf *col, int level)
{
	if (column_level(col->n, level) != level && col->n >= TRIED) {
		compress_zstd(out, col->p, col->n, level, NULL);
		if (out->n > col->n / 4 * 3)
			return;
		out->n = 0;
	}
	compress_zstd(out, col->p, col->n, column_level(col->n, level), NULL);
}

/* Compresses a column. If LZMA2 was used, sets *lzma; the lowest bit of the frame's length is then 1. */
static void compress_column(struct buf *out, int k, const struct buf *col, int level, bool *lzma)
{
	struct buf other = {0};

	if (!column_is_text(k) && level != PACK_BEST) {
		compress_numbers(out, col, level);
		return;
	}
	compress_zstd(out, col->p, col->n, column_level(col->n, level), NULL);
	if (level == PACK_FAST)
		return;
	const bool thorough = level == PACK_BEST || out->n <= LZMA_THOROUGH;
	*lzma = compress_lzma(&other, col->p, col->n, out->n, thorough ? LZMA_BEST : LZMA_QUICK);
	if (!*lzma) {
		buf_free(&other);
		return;
	}
	buf_free(out);
	*out = other;
}

void frames_begin(struct frames *f, const struct buf col[N_COLUMNS], const struct primer *dict)
{
	*f = (struct frames){.dict = dict};
	for (int k = 0; k < N_COLUMNS; k++) {
		f->used_frames |= (uint32_t)(col[k].n != 0) << k;
		if (is_joined_column(dict, k, col[k].n))
			buf_add(&f->join, col[k].p, col[k].n);
	}
}

void frames_compress(struct frames *f, const struct buf col[N_COLUMNS], unsigned k, int level)
{
	if (k == N_COLUMNS)
		compress_zstd(&f->frame[k], f->join.p, f->join.n, level_of_joined_columns(level), f->dict);
	else if (!is_joined_column(f->dict, (int)k, col[k].n))
		compress_column(&f->frame[k], (int)k, &col[k], level, &f->lzma[k]);
}

void frames_end(struct buf *out, struct frames *f, const struct buf col[N_COLUMNS])
{
	buf_var(out, f->used_frames);
	for (int k = 0; k < N_COLUMNS; k++) {
		if (!col[k].n)
			continue;
		buf_var(out, col[k].n);
		if (!is_joined_column(f->dict, k, col[k].n))
			buf_var(out, f->frame[k].n << 1 | f->lzma[k]);
	}
	for (int k = 0; k <= N_COLUMNS; k++) {
		buf_add(out, f->frame[k].p, f->frame[k].n);
		buf_free(&f->frame[k]);
	}
	buf_free(&f->join);
}

void columns_pack(struct buf *out, const struct buf col[N_COLUMNS], int level, const struct primer *dict)
{
	struct frames f;

	frames_begin(&f, col, dict);
	for (unsigned k = 0; k < FRAMES; k++)
		frames_compress(&f, col, k, level);
	frames_end(out, &f, col);
}

static bool expand_zstd(
	uint8_t *to, size_t n, const uint8_t *p, size_t n_p, const struct primer *dict, const char **why)
{
	ZSTD_DCtx *d = ZSTD_createDCtx();

	if (!d)
		die("out of memory");
	ZSTD_DCtx_setParameter(d, ZSTD_d_format, ZSTD_f_zstd1_magicless);
	/* ZSTD_DCtx_refPrefix() also allocates memory, so it can fail. */
	size_t got = dict ? ZSTD_DCtx_refPrefix(d, dict->p, dict->n) : 0;
	if (!ZSTD_isError(got))
		got = ZSTD_decompressDCtx(d, to, n, p, n_p);
	if (ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation)
		die("out of memory");
	*why = ZSTD_isError(got) ? ZSTD_getErrorName(got) : got != n ? "shorter than its stated size" : NULL;
	ZSTD_freeDCtx(d);
	return !*why;
}

void frame_pack(struct buf *out, const uint8_t *p, size_t n)
{
	compress_zstd(out, p, n, META_LEVEL, &pack_dict);
}

bool frame_unpack(uint8_t *to, size_t n, const uint8_t *frame, size_t n_frame)
{
	const char *why;

	return expand_zstd(to, n, frame, n_frame, &pack_dict, &why);
}

void columns_free(struct buf col[N_COLUMNS])
{
	for (int k = 0; k < N_COLUMNS; k++)
		buf_free(&col[k]);
}

bool columns_unpack(
	const uint8_t *p, size_t n, struct buf col[N_COLUMNS], const struct primer *dict, const char **why)
{
	struct cur c = cur_of(p, n);
	uint64_t used = cur_var(&c), len[N_COLUMNS] = {0}, packed[N_COLUMNS] = {0}, join = 0;
	uint64_t remaining = pack_limits.columns;

	*why = "lengths out of range";
	for (int k = 0; k < N_COLUMNS; k++) {
		if (!(used >> k & 1))
			continue;
		len[k] = cur_var(&c);
		if (!len[k] || len[k] > remaining)
			return false;
		remaining -= len[k];
		if (is_joined_column(dict, k, len[k]))
			join += len[k];
		else
			packed[k] = cur_var(&c);
	}
	if (c.bad || used >> N_COLUMNS)
		return false;
	for (int k = 0; k < N_COLUMNS; k++) {
		bool lzma = packed[k] & 1;
		const uint8_t *from = packed[k] >> 1 ? cur_bytes(&c, packed[k] >> 1) : NULL;

		if (is_joined_column(dict, k, len[k]))
			continue;
		if (!from)
			return false;
		buf_room(&col[k], len[k] + 1);
		if (lzma ? !expand_lzma(col[k].p, len[k], from, packed[k] >> 1, why)
			 : !expand_zstd(col[k].p, len[k], from, packed[k] >> 1, NULL, why))
			return false;
		col[k].n = len[k];
	}
	uint8_t *all = xmalloc(join + 1), *at = all;
	bool good = expand_zstd(all, join, c.p, cur_left(&c), dict, why);
	for (int k = 0; good && k < N_COLUMNS; k++) {
		if (!len[k] || !is_joined_column(dict, k, len[k]))
			continue;
		buf_add(&col[k], at, len[k]);
		at += len[k];
	}
	free(all);
	return good;
}
