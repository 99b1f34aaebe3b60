/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the grouped text of a kernel as an archive of Accel-Sim 2.0 (.tracez). libcommon/base/input_tracez.c
 * reads archives and describes their form.
 *
 * Always true: lines are held in memory until the dictionary has been trained on a sample of them.
 * Afterwards, only the frames of one warp and the index are in memory. The archive depends only on the text.
 * A line that an archive cannot represent is a fault.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zdict.h>
#include <zstd.h>
#include "arena.h"
#include "bytes.h"
#include "tool.h"
#include "tracez.h"

#define FRAME_LINES       2048u /* number of lines per frame; more between two REPLAY marks */
#define FRAME_MAX         (64u << 20)
#define FRAME_LEVEL       3
#define SAMPLE_EVERY      8u /* number of instruction lines per sample for the dictionary */
#define SAMPLES_MAX       (1u << 20)
#define DICTIONARY_MAX    65536u
#define SAMPLES_RATIO     8u /* minimum ratio of the size of all samples to the size of the dictionary */
#define N_BLOCK_IDS       10u
#define TRACEZ_WARPS_MAX  2048u /* maximum number of warps of a thread block */
#define TRACEZ_HEADER_MAX 65536u

struct tracez_writer {
	FILE *out;
	uint64_t written;
	struct place place;
	struct fault fault;
	bool failed;
	struct bytes line; /* start of a line that is not complete yet */

	bool is_header_written; /* true if the dictionary was trained and the header written */
	struct bytes header;
	struct bytes held;   /* lines after the header that wait for the dictionary */
	uint64_t held_lines; /* number of lines in `held` */
	struct bytes samples;
	size_t *sample_size;
	uint32_t n_samples, cap_samples;
	uint32_t n_lines_sampled; /* number of instruction lines so far; one in SAMPLE_EVERY is a sample */
	ZSTD_CCtx *context;
	ZSTD_CDict *dictionary;

	enum { IN_HEADER, BETWEEN_BLOCKS, IN_BLOCK, IN_WARP } position_in_text;
	struct bytes index;
	uint32_t blocks;
	size_t block_at; /* offset of the block's entry in the index */
	/* ids of the thread block, of its cluster, and of the block in the cluster; rank in the cluster */
	uint32_t id[N_BLOCK_IDS];
	bool has_block;          /* true if the block's line "thread block" was read */
	bool has_cluster;        /* true if a line about the block's cluster was read */
	uint32_t warps;          /* number of warps of the block so far */
	uint32_t insts;          /* number of instructions of the warp so far */
	uint32_t declared_insts; /* number in the warp's line "insts" */
	struct bytes frames;     /* compressed frames of the warp */
	struct bytes counts;     /* number of lines of each frame, as in the index */
	struct bytes text;       /* text of the next frame */
	uint32_t lines;          /* number of lines in `text` */
	bool in_replay;          /* true between REPLAY_START and REPLAY_END */
};

static bool tracez_fail(struct tracez_writer *w, const char *id, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Sets the fault of the conversion unless one is already set. Returns false. */
static bool tracez_fail(struct tracez_writer *w, const char *id, const char *fmt, ...)
{
	char text[sizeof(w->fault.text)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (!w->failed)
		fault_set(&w->fault, w->place, id, "%s", text);
	w->failed = true;
	return false;
}

/* ---- bytes -------------------------------------------------------------------------------- */

static void add_u32(struct bytes *b, uint32_t v)
{
	const unsigned char p[4] = {(unsigned char)v, (unsigned char)(v >> 8), (unsigned char)(v >> 16),
		(unsigned char)(v >> 24)};

	bytes_add(b, p, sizeof(p));
}

static void add_u64(struct bytes *b, uint64_t v)
{
	add_u32(b, (uint32_t)v);
	add_u32(b, (uint32_t)(v >> 32));
}

static bool write_archive_bytes(struct tracez_writer *w, const void *p, size_t n)
{
	if (n && fwrite(p, 1, n, w->out) != n)
		return tracez_fail(w, "write", "cannot write");
	w->written += n;
	return true;
}

/* Writes the bytes of the buffer and empties it. */
static bool flush_archive(struct tracez_writer *w, struct bytes *b)
{
	size_t n = b->n;

	b->n = 0;
	return write_archive_bytes(w, b->p, n);
}

/* ---- frames ------------------------------------------------------------------------------- */

/* Compresses the lines in w->text into a frame of the warp. */
static bool end_frame(struct tracez_writer *w)
{
	size_t most = ZSTD_compressBound(w->text.n), n;
	struct bytes *to = &w->frames;

	if (!w->lines)
		return true;
	add_u32(to, 0);
	bytes_reserve(to, most);
	n = ZSTD_compress2(w->context, to->p + to->n, most, w->text.p, w->text.n);
	if (ZSTD_isError(n))
		return tracez_fail(w, "tracez", "zstd fails: %s", ZSTD_getErrorName(n));
	for (unsigned i = 0; i < 4; i++)
		to->p[to->n - 4 + i] = (char)(n >> 8 * i);
	to->n += n;
	add_u32(&w->counts, w->lines);
	w->text.n = w->lines = 0;
	return true;
}

/* Writes the warp, and adds it to the index. */
static bool end_warp(struct tracez_writer *w)
{
	struct bytes head = {0};
	bool good;

	if (w->position_in_text != IN_WARP)
		return true;
	w->position_in_text = IN_BLOCK;
	if (w->insts != w->declared_insts)
		return tracez_fail(w, "tracez-insts",
			"warp %" PRIu32 " of thread block %" PRIu32 ",%" PRIu32 ",%" PRIu32 " has %" PRIu32
			" instructions (expected %" PRIu32 ", as its line insts says)",
			w->warps - 1, w->id[0], w->id[1], w->id[2], w->insts, w->declared_insts);
	if (!end_frame(w))
		return false;
	add_u32(&w->index, w->insts);
	add_u32(&w->index, (uint32_t)(w->counts.n / 4));
	add_u64(&w->index, w->written);
	bytes_add(&w->index, w->counts.p, w->counts.n);
	add_u32(&head, w->insts);
	add_u32(&head, (uint32_t)(w->counts.n / 4));
	good = write_archive_bytes(w, head.p, head.n) && flush_archive(w, &w->frames);
	bytes_free(&head);
	w->counts.n = 0;
	w->in_replay = false;
	return good;
}

static void begin_archive_warp(struct tracez_writer *w)
{
	w->position_in_text = IN_WARP;
	w->warps++;
	w->insts = w->declared_insts = 0;
}

/* ---- lines -------------------------------------------------------------------------------- */

/*
 * Reads `count` numbers below 2^32, separated by commas, from s into v. Returns false if s does not have this
 * form.
 */
static bool read_ids(const char *s, uint32_t *v, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		uint64_t x = 0;
		const char *from;

		s += i && *s == ',';
		for (from = s; *s >= '0' && *s <= '9' && x <= UINT32_MAX; s++)
			x = x * 10 + (uint64_t)(*s - '0');
		if (s == from || x > UINT32_MAX)
			return false;
		v[i] = (uint32_t)x;
	}
	return !*s;
}

static const struct {
	char key[16];
	uint8_t first, count; /* index of the first id in the line, and number of ids */
} block_lines[] = {{"thread block = ", 0, 3}, {"cluster id = ", 3, 3}, {"cluster cta = ", 6, 3},
	{"cluster rank = ", 9, 1}};

/* If the line has ids of the thread block, reads them and sets *is. Returns false after a fault. */
static bool read_block_ids(struct tracez_writer *w, const char *line, bool *is)
{
	for (unsigned i = 0; i < sizeof(block_lines) / sizeof(block_lines[0]); i++) {
		size_t n = strlen(block_lines[i].key);

		*is = !strncmp(line, block_lines[i].key, n);
		if (!*is)
			continue;
		if (w->position_in_text != IN_BLOCK || w->warps ||
			!read_ids(line + n, w->id + block_lines[i].first, block_lines[i].count))
			return tracez_fail(w, "tracez-block",
				"'%.*s' is malformed or misplaced (expected %s, before the warps)",
				(int)n - 3, line, block_lines[i].count == 3 ? "x,y,z" : "a number");
		w->has_block |= !i;
		w->has_cluster |= i > 0;
		return true;
	}
	return true;
}

static bool begin_archive_block(struct tracez_writer *w)
{
	if (w->position_in_text != BETWEEN_BLOCKS)
		return tracez_fail(w, "tracez-block", "#BEGIN_TB inside a thread block");
	memset(w->id, 0, sizeof(w->id));
	w->has_block = w->has_cluster = false;
	w->warps = 0;
	w->block_at = w->index.n;
	w->position_in_text = IN_BLOCK;
	w->blocks++;
	for (unsigned i = 0; i <= N_BLOCK_IDS; i++)
		add_u32(&w->index, 0);
	return true;
}

/*
 * Ends the block: writes its ids and its number of warps to the index. A block without a line about its
 * cluster is a cluster by itself.
 */
static bool end_archive_block(struct tracez_writer *w)
{
	struct bytes entry = {0};

	if (!end_warp(w))
		return false;
	if (w->position_in_text != IN_BLOCK || !w->has_block)
		return tracez_fail(w, "tracez-block", "#END_TB without a thread block");
	if (!w->has_cluster)
		memcpy(w->id + 3, w->id, 3 * sizeof(w->id[0]));
	for (unsigned i = 0; i < N_BLOCK_IDS; i++)
		add_u32(&entry, w->id[i]);
	add_u32(&entry, w->warps);
	memcpy(w->index.p + w->block_at, entry.p, entry.n);
	bytes_free(&entry);
	w->position_in_text = BETWEEN_BLOCKS;
	return true;
}

/* Processes the line "warp = N". Warps that are not in the text have no instructions. */
static bool process_warp_line(struct tracez_writer *w, const char *line)
{
	uint32_t number;

	if ((w->position_in_text != IN_BLOCK && w->position_in_text != IN_WARP) ||
		!read_ids(line + strlen("warp = "), &number, 1) || number >= TRACEZ_WARPS_MAX ||
		!end_warp(w) || number < w->warps)
		return tracez_fail(w, "tracez-warp",
			"'%.40s' is out of order (expected a number from %" PRIu32
			" to %u in a thread block)",
			line, w->warps, TRACEZ_WARPS_MAX - 1);
	do {
		if (!end_warp(w))
			return false;
		begin_archive_warp(w);
	} while (w->warps <= number);
	return true;
}

/* Processes an instruction line or a mark. */
static bool process_inst_line(struct tracez_writer *w, const char *line, size_t n)
{
	if (w->position_in_text != IN_WARP)
		return tracez_fail(w, "tracez-line",
			"instruction outside a warp (expected a line of a thread block or warp)");
	if (w->lines)
		bytes_add(&w->text, "\n", 1);
	bytes_add(&w->text, line, n);
	w->lines++;
	w->insts++;
	if (strstr(line, " REPLAY_START "))
		w->in_replay = true;
	else if (strstr(line, " REPLAY_END "))
		w->in_replay = false;
	if (w->text.n > FRAME_MAX)
		return tracez_fail(w, "tracez-frame", "more than 64 MiB of text between two REPLAY marks");
	return w->lines < FRAME_LINES || w->in_replay || end_frame(w);
}

/* Processes a line after the header. */
static bool process_body_line(struct tracez_writer *w, const char *line, size_t n)
{
	bool is;

	if (!n)
		return true;
	if (!strncmp(line, "#BEGIN_TB", 9))
		return begin_archive_block(w);
	if (!strncmp(line, "#END_TB", 7))
		return end_archive_block(w);
	if (!strncmp(line, "warp = ", 7))
		return process_warp_line(w, line);
	if (!strncmp(line, "insts = ", 8))
		return w->position_in_text == IN_WARP && !w->insts &&
				       read_ids(line + 8, &w->declared_insts, 1)
			       ? true
			       : tracez_fail(w, "tracez-insts", "'%.40s' is not an instruction count", line);
	if (!read_block_ids(w, line, &is) || is)
		return !w->failed;
	if (*line == '#')
		return tracez_fail(
			w, "tracez-line", "a comment among the thread blocks, which an archive cannot hold");
	return process_inst_line(w, line, n);
}

/* ---- the start ---------------------------------------------------------------------------- */

/* Appends the dictionary to `head`. Appends a dictionary of size 0 if none can be trained. */
static void train_dictionary(struct tracez_writer *w, struct bytes *head)
{
	size_t most =
		w->samples.n / SAMPLES_RATIO < DICTIONARY_MAX ? w->samples.n / SAMPLES_RATIO : DICTIONARY_MAX;
	char *d = xmalloc(most + 1);
	size_t n =
		w->n_samples ? ZDICT_trainFromBuffer(d, most, w->samples.p, w->sample_size, w->n_samples) : 0;

	if (ZDICT_isError(n))
		n = 0;
	w->dictionary = n ? ZSTD_createCDict(d, n, FRAME_LEVEL) : NULL;
	if (!w->dictionary)
		n = 0;
	add_u32(head, (uint32_t)n);
	add_u32(head, FRAME_LINES);
	bytes_add(head, d, n);
	free(d);
}

/* Writes the header and the dictionary, then processes the held lines. */
static bool start_archive(struct tracez_writer *w)
{
	struct bytes head = {0}, held = w->held;
	bool good;

	w->is_header_written = true;
	w->context = ZSTD_createCCtx();
	if (!w->context)
		return tracez_fail(w, "memory", "out of memory");
	if (w->header.n >= 2 && !memcmp(w->header.p + w->header.n - 2, "\n\n", 2))
		w->header.n--;
	bytes_add(&head, "", 1);
	train_dictionary(w, &head);
	ZSTD_CCtx_refCDict(w->context, w->dictionary);
	ZSTD_CCtx_setParameter(w->context, ZSTD_c_compressionLevel, FRAME_LEVEL);
	/* The format has no checksum of its own; every decoder of zstd checks that of a frame. */
	ZSTD_CCtx_setParameter(w->context, ZSTD_c_checksumFlag, 1);
	good = flush_archive(w, &w->header) && write_archive_bytes(w, head.p, head.n);
	bytes_free(&head);
	w->held = (struct bytes){0};
	uint64_t last = w->place.line;
	w->place.line = last - w->held_lines;
	for (char *p = held.p, *end = p + held.n; good && p < end;) {
		char *nl = memchr(p, '\n', (size_t)(end - p));

		*nl = '\0';
		w->place.line++;
		good = process_body_line(w, p, (size_t)(nl - p));
		p = nl + 1;
	}
	bytes_free(&held);
	return good;
}

/* Holds a line until the dictionary is trained. */
static bool hold_line_for_training(struct tracez_writer *w, const char *line, size_t n)
{
	bytes_add(&w->held, line, n);
	bytes_add(&w->held, "\n", 1);
	w->held_lines++;
	if (!n || *line == '#' || strstr(line, " = ") || w->n_lines_sampled++ % SAMPLE_EVERY)
		return true;
	grow(&w->sample_size, &w->cap_samples, w->n_samples + 1, sizeof(w->sample_size[0]));
	w->sample_size[w->n_samples++] = n;
	bytes_add(&w->samples, line, n);
	return w->samples.n < SAMPLES_MAX || start_archive(w);
}

/* Processes a line of the header. */
static bool process_header_line(struct tracez_writer *w, const char *line, size_t n)
{
	if (!strncmp(line, "-isa = ", 7))
		return tracez_fail(w, "tracez-isa",
			"an archive cannot hold a trace of %.40s (expected machine code)", line + 1);
	bytes_add(&w->header, line, n);
	bytes_add(&w->header, "\n", 1);
	return w->header.n < TRACEZ_HEADER_MAX ||
	       tracez_fail(w, "tracez-header", "header longer than %u bytes", TRACEZ_HEADER_MAX);
}

/* Processes the line in w->line and empties it. */
static bool process_archive_line(struct tracez_writer *w)
{
	const char *line = w->line.p;
	size_t n = w->line.n;

	w->line.n = 0;
	w->place.line++;
	if (n && line[n - 1] == '\r')
		w->line.p[--n] = '\0';
	if (memchr(line, '\0', n))
		return tracez_fail(w, "tracez-line", "NUL byte (expected text)");
	if (w->position_in_text == IN_HEADER && strncmp(line, "#BEGIN_TB", 9))
		return process_header_line(w, line, n);
	if (w->position_in_text == IN_HEADER)
		w->position_in_text = BETWEEN_BLOCKS;
	return w->is_header_written ? process_body_line(w, line, n) : hold_line_for_training(w, line, n);
}

/* ---- the interface ------------------------------------------------------------------------ */

struct tracez_writer *tracez_writer_new(FILE *out, const char *name)
{
	struct tracez_writer *w = xcalloc(1, sizeof(*w));

	w->out = out;
	w->place.file = name;
	return w;
}

bool tracez_writer_text(void *writer, const void *text, size_t n)
{
	struct tracez_writer *w = writer;

	for (const char *p = text, *end = p + n; p < end && !w->failed;) {
		const char *nl = memchr(p, '\n', (size_t)(end - p)), *to = nl ? nl : end;

		bytes_add(&w->line, p, (size_t)(to - p));
		if (nl)
			process_archive_line(w);
		else if (w->line.n > FRAME_MAX)
			tracez_fail(w, "tracez-line", "line longer than 64 MiB");
		p = to + (nl != NULL);
	}
	return !w->failed;
}

/* Writes the index. Returns false after a fault. */
static bool end_archive(struct tracez_writer *w)
{
	struct bytes tail = {0};
	uint64_t index;
	bool good;

	if (w->failed || (w->line.n && !process_archive_line(w)) ||
		(!w->is_header_written && !start_archive(w)) ||
		((w->position_in_text == IN_BLOCK || w->position_in_text == IN_WARP) &&
			!end_archive_block(w)))
		return false;
	index = w->written;
	add_u32(&tail, w->blocks);
	bytes_add(&tail, w->index.p, w->index.n);
	add_u64(&tail, index);
	good = write_archive_bytes(w, tail.p, tail.n);
	bytes_free(&tail);
	return good;
}

int tracez_writer_end(struct tracez_writer *w, struct fault *f)
{
	bool good = end_archive(w);

	if (!good && f)
		*f = w->fault;
	bytes_free(&w->line);
	bytes_free(&w->header);
	bytes_free(&w->held);
	bytes_free(&w->samples);
	free(w->sample_size);
	ZSTD_freeCCtx(w->context);
	ZSTD_freeCDict(w->dictionary);
	bytes_free(&w->index);
	bytes_free(&w->frames);
	bytes_free(&w->counts);
	bytes_free(&w->text);
	free(w);
	return good ? 0 : -1;
}
