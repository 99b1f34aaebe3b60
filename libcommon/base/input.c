/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inputs: bytes from a descriptor, from memory or from a function, plain or decoded, as one window of text.
 *
 * Always true: text[begin .. end) is decoded and not yet consumed. If over is set, the input ends there; if failed is
 * set, the rest is lost for the reason in fault. Text decoded before a fault is returned first. After that, every
 * call that needs more text returns the fault. Plain text in memory is never copied. Not supported: seeking, formats
 * other than gzip, xz, zstd and archives.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "arena.h"
#include "input_codec.h"

#define WINDOW (64u << 10) /* first size of the window, small enough for the processor's caches */
#define RAW    (64u << 10) /* size of the buffer of compressed bytes */

static const struct input_codec *const codecs[] = {&codec_gzip, &codec_xz, &codec_zstd, &codec_tracez};

struct input {
	const char *name;
	int fd;                                         /* descriptor; -1 for memory and generated text */
	bool close_fd;                                  /* whether the input closes fd */
	bool from_start;                                /* true if the descriptor was at offset 0 */
	size_t (*make)(void *ctx, void *buf, size_t n); /* generator of the text, or NULL */
	void *make_ctx;

	const struct input_codec *codec; /* decoder; NULL: the input is not compressed */
	void *state;                     /* state of the decoder */
	const unsigned char *raw;        /* compressed bytes; raw[raw_at .. raw_end) is not yet decoded */
	unsigned char *raw_own;          /* buffer of raw; NULL: raw is the caller's memory */
	size_t raw_at, raw_end;
	bool raw_ended; /* true after the last compressed byte was read */

	char *text; /* the window */
	size_t begin, end, cap;
	bool borrowed; /* true if text is the caller's memory */
	bool ended;    /* whether the text ended */
	bool failed;   /* whether a fault occurred */
	struct fault fault;

	uint64_t lines;  /* number of consumed newlines; a last line without newline counts, too */
	uint64_t offset; /* number of consumed bytes */
	bool newline;    /* true if the last returned line ended with a newline */
	bool binary;     /* true if input_read() was used, after which line numbers have no meaning */
};

/* ---- faults ------------------------------------------------------------------------------- */

/* Returns the place of the line at the end of the window; line 0 for binary input. */
static struct place place_at_window_end(const struct input *in)
{
	const char *p = in->text + in->begin, *end = in->text + in->end;
	uint64_t lines = in->lines + 1;

	if (in->binary)
		return (struct place){in->name, 0, 0};
	while (p < end && (p = memchr(p, '\n', (size_t)(end - p)))) {
		lines++;
		p++;
	}
	return (struct place){in->name, lines, 0};
}

static int return_input_fault(const struct input *in, struct fault *f)
{
	if (f)
		*f = in->fault;
	return -1;
}

static void fail_read(struct input *in, int error)
{
	struct place whole = {in->name, 0, 0};

	in->failed = true;
	if (error == EISDIR)
		fault_set(&in->fault, whole, "is-folder", "is a directory (expected a file)");
	else
		fault_set(&in->fault, whole, "read", "cannot be read: %s", strerror(error));
}

static void fail_codec(struct input *in, enum codec_result result, const char *why)
{
	struct place whole = {in->name, 0, 0};
	const char *name = in->codec->name;

	in->failed = true;
	if (result == CODEC_TRUNCATED) {
		fault_set(&in->fault, whole, "compressed-truncated", "%s data ends early", name);
	} else if (result == CODEC_TOO_LARGE) {
		fault_set(&in->fault, whole, "compressed-memory",
			"%s data needs more than %u MiB of memory to decompress", name, CODEC_MEMORY >> 20);
	} else {
		fault_set(&in->fault, whole, "compressed-damaged", "damaged %s data (%s)", name,
			why ? why : "no reason given");
	}
}

/* ---- filling ------------------------------------------------------------------------------ */

/* Reads up to n bytes from the descriptor or make(). Returns their number, 0 at the end or on failure. */
static size_t read_raw_bytes(struct input *in, void *buf, size_t n)
{
	ssize_t got;

	if (in->make)
		return in->make(in->make_ctx, buf, n);
	do {
		got = read(in->fd, buf, n);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		fail_read(in, errno);
	return got > 0 ? (size_t)got : 0;
}

static size_t decode_bytes(struct input *in, void *buf, size_t n)
{
	struct codec_io io = {.dst = buf, .n_dst = n};
	enum codec_result result = CODEC_MORE;

	while (io.n_dst == n && result == CODEC_MORE) {
		if (in->raw_at == in->raw_end && !in->raw_ended) {
			in->raw_at = 0;
			in->raw_end = read_raw_bytes(in, in->raw_own, RAW);
			in->raw_ended = !in->raw_end;
			if (in->failed)
				return 0;
		}
		io.src = in->raw + in->raw_at;
		io.n_src = in->raw_end - in->raw_at;
		io.last = in->raw_ended;
		result = in->codec->decode(in->state, &io);
		in->raw_at = in->raw_end - io.n_src;
	}
	if (result == CODEC_END)
		in->ended = true;
	else if (result != CODEC_MORE)
		fail_codec(in, result, io.failure);
	return n - io.n_dst;
}

/* Reads up to n bytes of text into buf. Returns their number; if it is 0, over or failed is set. */
static size_t read_text_bytes(struct input *in, void *buf, size_t n)
{
	size_t got;

	if (in->codec)
		return decode_bytes(in, buf, n);
	got = read_raw_bytes(in, buf, n);
	if (!got && !in->failed)
		in->ended = true;
	return got;
}

/* Adds the text of one read to the window. Enlarges the window if `want` bytes starting at begin do not fit. */
static void fill_window(struct input *in, size_t want)
{
	size_t held = in->end - in->begin;

	assert(!in->ended && !in->failed && !in->borrowed);
	if (in->begin && (!held || in->cap - in->begin < want || in->cap - in->end < in->cap / 2)) {
		memmove(in->text, in->text + in->begin, held);
		in->begin = 0;
		in->end = held;
	}
	if (want < held + 1)
		want = held + 1;
	if (in->cap < want) {
		in->cap = want > 2 * in->cap ? want : 2 * in->cap;
		in->text = xrealloc(in->text, in->cap, 1);
	}
	in->end += read_text_bytes(in, in->text + in->end, in->cap - in->end);
	if (in->failed)
		in->fault.place = place_at_window_end(in);
}

/* ---- opening ------------------------------------------------------------------------------ */

static const struct input_codec *find_codec(const void *head, size_t n)
{
	for (size_t i = 0; i < sizeof(codecs) / sizeof(codecs[0]); i++) {
		if (codecs[i]->match(head, n))
			return codecs[i];
	}
	return NULL;
}

static void open_codec(struct input *in, const struct input_codec *codec)
{
	in->codec = codec;
	in->state = codec->open();
	if (!in->state)
		die("out of memory: opening %s", in->name);
}

/* Returns true if the text so far may be part of an archive's header, which ends with a NUL. */
static bool may_be_archive(const struct input *in)
{
	return in->end >= 8 && !memcmp(in->text, "-kernel ", 8) && !memchr(in->text, 0, in->end) &&
	       !memmem(in->text, in->end, "#BEGIN_TB", 9);
}

/* Reads enough bytes to detect the format. Moves them to raw if they are compressed. */
static int detect_format(struct input *in, struct fault *f)
{
	const struct input_codec *codec;

	in->cap = WINDOW;
	in->text = xmalloc(in->cap);
	while (in->end < CODEC_MAGIC_MAX && !in->ended && !in->failed)
		in->end += read_text_bytes(in, in->text + in->end, RAW - in->end);
	while (!in->ended && !in->failed && in->end < RAW && may_be_archive(in))
		in->end += read_text_bytes(in, in->text + in->end, RAW - in->end);
	if (in->failed)
		return return_input_fault(in, f);
	codec = find_codec(in->text, in->end);
	if (!codec)
		return 0;
	open_codec(in, codec);
	in->raw = in->raw_own = xmalloc(RAW);
	memcpy(in->raw_own, in->text, in->end);
	in->raw_end = in->end;
	in->raw_ended = in->ended;
	in->end = 0;
	in->ended = false;
	return 0;
}

/* Set when standard input is opened. A second reader would find only its end. */
static atomic_flag standard_taken = ATOMIC_FLAG_INIT;

struct input *input_open(const char *path, struct fault *f)
{
	bool standard = !strcmp(path, "-");
	const char *name = diag_keep(standard ? "<stdin>" : *path ? path : "''");
	struct place whole = {name, 0, 0};
	struct input *in;
	struct stat st;
	int fd = STDIN_FILENO;

	if (!standard && (fd = open(path, O_RDONLY | O_CLOEXEC)) < 0) {
		fault_set(f, whole, "open", "cannot be opened: %s", strerror(errno));
		return NULL;
	}
	if (standard && atomic_flag_test_and_set(&standard_taken)) {
		fault_set(f, whole, "open", "standard input is named twice");
		return NULL;
	}
	if (!fstat(fd, &st) && S_ISDIR(st.st_mode)) {
		fault_set(f, whole, "is-folder", "is a directory (expected a file)");
		if (!standard)
			close(fd);
		return NULL;
	}
	posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	in = xcalloc(1, sizeof(*in));
	in->name = name;
	in->fd = fd;
	in->close_fd = !standard;
	in->from_start = !standard;
	if (detect_format(in, f)) {
		input_close(in);
		return NULL;
	}
	return in;
}

struct input *input_descriptor(int fd, const char *name, struct fault *f)
{
	const char *kept = diag_keep(name);
	struct place whole = {kept, 0, 0};
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	struct input *in;

	if (own < 0) {
		fault_set(f, whole, "open", "cannot be opened: %s", strerror(errno));
		return NULL;
	}
	in = xcalloc(1, sizeof(*in));
	in->name = kept;
	in->fd = own;
	in->close_fd = true;
	in->from_start = lseek(own, 0, SEEK_CUR) == 0;
	if (detect_format(in, f)) {
		input_close(in);
		return NULL;
	}
	return in;
}

struct input *input_memory(const char *name, const void *bytes, size_t n, struct fault *f)
{
	const struct input_codec *codec = n ? find_codec(bytes, n) : NULL;
	struct input *in = xcalloc(1, sizeof(*in));

	(void)f;
	in->name = diag_keep(name);
	in->fd = -1;
	if (codec) {
		open_codec(in, codec);
		in->raw = bytes;
		in->raw_end = n;
		in->raw_ended = true;
		in->cap = WINDOW;
		in->text = xmalloc(in->cap);
		return in;
	}
	in->borrowed = true;
	in->ended = true;
	in->end = in->cap = n;
	if (!n)
		bytes = "";
	/* The memory is never written, because fill_window() is not called for borrowed text. */
	memcpy(&in->text, &bytes, sizeof(in->text));
	return in;
}

struct input *input_generated(const char *name, size_t (*make)(void *ctx, void *buf, size_t n), void *ctx)
{
	struct input *in = xcalloc(1, sizeof(*in));

	in->name = diag_keep(name);
	in->fd = -1;
	in->make = make;
	in->make_ctx = ctx;
	in->cap = WINDOW;
	in->text = xmalloc(in->cap);
	return in;
}

void input_close(struct input *in)
{
	if (!in)
		return;
	if (in->codec)
		in->codec->close(in->state);
	if (in->close_fd)
		close(in->fd);
	if (!in->borrowed)
		free(in->text);
	free(in->raw_own);
	free(in);
}

const char *input_name(const struct input *in) { return in->name; }

enum input_coding input_coding(const struct input *in) { return in->codec ? in->codec->coding : INPUT_PLAIN; }

bool input_can_reopen(const struct input *in)
{
	struct stat st;

	return in->fd >= 0 && in->close_fd && !fstat(in->fd, &st) && S_ISREG(st.st_mode);
}

int input_duplicate(const struct input *in)
{
	return input_can_reopen(in) && !in->codec && in->from_start ? fcntl(in->fd, F_DUPFD_CLOEXEC, 0) : -1;
}

/* ---- reading ------------------------------------------------------------------------------ */

static int fail_line_too_long(struct input *in, struct fault *f)
{
	struct place at = {in->name, in->lines + 1, 0};

	in->failed = true;
	fault_set(&in->fault, at, "line-too-long", "line longer than %u bytes", INPUT_LINE_MAX);
	return return_input_fault(in, f);
}

/* Returns the len bytes at the window's start as a line. newline: a newline follows them. */
static int return_buffered_line(
	struct input *in, size_t len, bool newline, const char **text, size_t *n, struct fault *f)
{
	const char *p = in->text + in->begin;
	size_t bytes = len + newline;

	if (newline && len && p[len - 1] == '\r')
		len--;
	if (len > INPUT_LINE_MAX)
		return fail_line_too_long(in, f);
	*text = p;
	*n = len;
	in->newline = newline;
	in->begin += bytes;
	in->offset += bytes;
	in->lines++;
	return 1;
}

int input_line(struct input *in, const char **text, size_t *len, struct fault *f)
{
	size_t known = 0; /* number of bytes of the window that are known to have no newline */

	for (;;) {
		size_t held = in->end - in->begin;
		const char *p = in->text + in->begin;
		const char *newline = held > known ? memchr(p + known, '\n', held - known) : NULL;

		if (newline)
			return return_buffered_line(in, (size_t)(newline - p), true, text, len, f);
		if (held > INPUT_LINE_MAX + 1)
			return in->failed ? return_input_fault(in, f) : fail_line_too_long(in, f);
		if (in->failed)
			return return_input_fault(in, f);
		if (in->ended)
			return held ? return_buffered_line(in, held, false, text, len, f) : 0;
		known = held;
		fill_window(in, held + 1);
	}
}

uint64_t input_lineno(const struct input *in) { return in->lines; }

uint64_t input_offset(const struct input *in) { return in->offset; }

bool input_line_had_newline(const struct input *in) { return in->newline; }

long input_window(struct input *in, size_t want, const char **bytes, struct fault *f)
{
	if (!want)
		want = 1;
	while (in->end - in->begin < want && !in->ended && !in->failed)
		fill_window(in, want);
	if (in->failed && in->end - in->begin < want)
		return return_input_fault(in, f);
	*bytes = in->text + in->begin;
	return (long)(in->end - in->begin);
}

void input_consume(struct input *in, size_t bytes, uint64_t lines)
{
	assert(bytes <= in->end - in->begin);
	in->begin += bytes;
	in->offset += bytes;
	in->lines += lines;
}

void input_skip_byte_order_mark(struct input *in)
{
	static const char mark[3] = "\xef\xbb\xbf";
	const char *text;

	if (input_window(in, sizeof(mark), &text, NULL) >= (long)sizeof(mark) &&
		!memcmp(text, mark, sizeof(mark)))
		input_consume(in, sizeof(mark), 0);
}

long input_read(struct input *in, void *buf, size_t n, struct fault *f)
{
	size_t held, got;

	in->binary = true;
	if (!n)
		return 0;
	if (in->begin == in->end && !in->ended && !in->failed && n >= RAW) {
		got = read_text_bytes(in, buf, n);
		if (in->failed)
			in->fault.place = place_at_window_end(in);
	} else {
		if (in->begin == in->end && !in->ended && !in->failed)
			fill_window(in, 1);
		held = in->end - in->begin;
		got = n < held ? n : held;
		if (got)
			memcpy(buf, in->text + in->begin, got);
		in->begin += got;
	}
	in->offset += got;
	return !got && in->failed ? return_input_fault(in, f) : (long)got;
}
