/* SPDX-License-Identifier: BSD-2-Clause */
/* Unit tests of inputs: lines, windows, compressed data, damage, directories, pipes. */
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdint.h>
#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>
#include "arena.h"
#include "input.h"
#include "tap.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

static char directory[] = "/tmp/test_input.XXXXXX";

struct given_bytes {
	char *p;
	size_t n;
};

/* ---- making inputs ------------------------------------------------------------------------ */

static struct given_bytes packed_gzip(const char *p, size_t n)
{
	z_stream z = {0};
	struct given_bytes b = {xmalloc(n + 1000), n + 1000};

	deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
	z.next_in = (z_const Bytef *)(uintptr_t)p;
	z.avail_in = (uInt)n;
	z.next_out = (Bytef *)b.p;
	z.avail_out = (uInt)b.n;
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		abort();
	b.n = z.total_out;
	deflateEnd(&z);
	return b;
}

static struct given_bytes packed_xz(const char *p, size_t n)
{
	struct given_bytes b = {xmalloc(n + 1000), 0};

	if (lzma_easy_buffer_encode(
		    1, LZMA_CHECK_CRC64, NULL, (const uint8_t *)p, n, (uint8_t *)b.p, &b.n, n + 1000))
		abort();
	return b;
}

static struct given_bytes packed_zstd(const char *p, size_t n)
{
	struct given_bytes b = {xmalloc(ZSTD_compressBound(n)), ZSTD_compressBound(n)};
	ZSTD_CCtx *z = ZSTD_createCCtx();

	ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
	b.n = ZSTD_compress2(z, b.p, b.n, p, n);
	ZSTD_freeCCtx(z);
	if (ZSTD_isError(b.n))
		abort();
	return b;
}

static struct given_bytes packed_plain(const char *p, size_t n)
{
	struct given_bytes b = {xmalloc(n + 1), n};

	memcpy(b.p, p, n);
	return b;
}

static const struct {
	const char *name;
	enum input_coding coding;
	struct given_bytes (*pack)(const char *p, size_t n);
} kinds[] = {
	{"plain text", INPUT_PLAIN, packed_plain},
	{"gzip", INPUT_GZIP, packed_gzip},
	{"xz", INPUT_XZ, packed_xz},
	{"zstd", INPUT_ZSTD, packed_zstd},
};

static struct given_bytes joined_bytes(struct given_bytes a, struct given_bytes b)
{
	a.p = xrealloc(a.p, a.n + b.n + 1, 1);
	memcpy(a.p + a.n, b.p, b.n);
	a.n += b.n;
	free(b.p);
	return a;
}

static const char *path_of(const char *name)
{
	static char path[200];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

static const char *stored_path(const char *name, struct given_bytes b)
{
	const char *path = path_of(name);
	FILE *f = fopen(path, "w");

	if (!f || fwrite(b.p, 1, b.n, f) != b.n || fclose(f))
		abort();
	return path;
}

/* Returns lines of 6 to 906 bytes that are hard to compress: "line N hash ...". */
static struct given_bytes sample_lines(unsigned lines)
{
	struct given_bytes b = {xmalloc(lines * 1000u), 0};
	uint32_t x = 1;

	for (unsigned i = 1; i <= lines; i++) {
		b.n += (size_t)sprintf(b.p + b.n, "%u:", i);
		for (unsigned j = 0; j < i % 90; j++) {
			x = x * 1664525 + 1013904223;
			b.n += (size_t)sprintf(b.p + b.n, "%08x%s", x, j % 7 ? "" : " ");
		}
		b.p[b.n++] = '\n';
	}
	return b;
}

/* ---- reading inputs ------------------------------------------------------------------------- */

/* Reads all lines and compares them with `text`. Returns the last result of input_line(). */
static int read_lines(struct input *in, const char *text, size_t n, bool *same, struct fault *f)
{
	const char *line, *end = text + n;
	size_t len;
	int rc;

	*same = true;
	while ((rc = input_line(in, &line, &len, f)) == 1) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t want = newline ? (size_t)(newline - text) : (size_t)(end - text);

		if (want != len || memcmp(text, line, len))
			*same = false;
		text += newline ? want + 1 : want;
	}
	if (!rc && text != end)
		*same = false;
	return rc;
}

static void check_input_is(const char *name, struct input *in, struct given_bytes text)
{
	struct fault f = {0};
	bool same = false;
	int rc = in ? read_lines(in, text.p, text.n, &same, &f) : -1;

	if (!ok(in && !rc && same && input_offset(in) == text.n, "%s", name))
		printf("# rc %d same %d offset %llu of %zu: %s\n", rc, same,
			in ? (unsigned long long)input_offset(in) : 0, text.n, f.text);
	input_close(in);
}

static void test_codings(void)
{
	struct given_bytes text = sample_lines(3000);
	struct fault f;
	char name[100];

	for (size_t i = 0; i < N(kinds); i++) {
		struct given_bytes b = kinds[i].pack(text.p, text.n);
		struct given_bytes rest = kinds[i].pack(text.p + 12345, text.n - 12345);
		struct given_bytes two = joined_bytes(kinds[i].pack(text.p, 12345), rest);
		struct given_bytes none = kinds[i].pack("", 0);
		struct input *in = input_memory("mem", b.p, b.n, &f);

		snprintf(name, sizeof(name), "the coding of %s is recognised", kinds[i].name);
		is_number(input_coding(in), kinds[i].coding, name);
		snprintf(name, sizeof(name), "%s in memory is read", kinds[i].name);
		check_input_is(name, in, text);
		snprintf(name, sizeof(name), "%s in a file is read", kinds[i].name);
		check_input_is(name, input_open(stored_path("file with blank; touch X", b), &f), text);
		snprintf(name, sizeof(name), "%s in a file of two members is read", kinds[i].name);
		check_input_is(name, input_open(stored_path("two", two), &f), text);
		snprintf(name, sizeof(name), "%s in memory with two members is read", kinds[i].name);
		check_input_is(name, input_memory("mem", two.p, two.n, &f), text);
		snprintf(name, sizeof(name), "%s of an empty text is read", kinds[i].name);
		check_input_is(
			name, input_memory("mem", none.p, none.n, &f), (struct given_bytes){(char[]){""}, 0});
		two = joined_bytes(two, none);
		snprintf(name, sizeof(name), "%s with an empty last member is read", kinds[i].name);
		check_input_is(name, input_memory("mem", two.p, two.n, &f), text);
		free(b.p);
		free(two.p);
	}
	free(text.p);
}

/*
 * Checks a damaged input. The lines before the fault must be returned. The fault must be permanent, and must
 * name the line at which it was found.
 */
static void check_fault(const char *name, struct given_bytes b, const char *text, size_t n, const char *id)
{
	struct fault f = {0}, again = {0};
	struct input *in = input_memory("mem", b.p, b.n, &f);
	const char *line;
	size_t len;
	bool same;
	int rc = read_lines(in, text, n, &same, &f);
	uint64_t lines = input_lineno(in);

	if (!ok(rc == -1 && same && f.id && !strcmp(f.id, id) && f.place.line == lines + 1 && !f.place.col &&
			    input_line(in, &line, &len, &again) == -1 && !strcmp(f.text, again.text),
		    "%s reports the fault %s", name, id))
		printf("# rc %d same %d id %s line %llu after %llu: %s\n", rc, same, f.id ? f.id : "-",
			(unsigned long long)f.place.line, (unsigned long long)lines, f.text);
	input_close(in);
}

/* Checks only that there is a fault, because text before the damage in the same block may also be wrong. */
static void check_damaged(const char *name, struct given_bytes b)
{
	struct fault f = {0};
	struct input *in = input_memory("mem", b.p, b.n, &f);
	const char *p;
	long n;

	while ((n = input_window(in, 1, &p, &f)) > 0)
		input_consume(in, (size_t)n, 0);
	ok(n < 0 && !strcmp(f.id, "compressed-damaged"), "%s: %s", name, f.text);
	input_close(in);
}

static void test_damage(void)
{
	struct given_bytes text = sample_lines(1000), b, pad;
	char name[100];

	for (size_t i = 1; i < N(kinds); i++) {
		const size_t cut[] = {2, 3, 5, 7, 11, 100, text.n / 7, text.n / 3, 0};

		b = kinds[i].pack(text.p, text.n);
		for (size_t j = 0; j < N(cut); j++) {
			size_t n = cut[j] && cut[j] < b.n ? cut[j] : b.n - 1;

			snprintf(name, sizeof(name), "%s cut after %zu of %zu bytes", kinds[i].name, n, b.n);
			check_fault(
				name, (struct given_bytes){b.p, n}, text.p, text.n, "compressed-truncated");
		}
		b.p[b.n / 2] ^= 0x10;
		snprintf(name, sizeof(name), "%s with a bit changed", kinds[i].name);
		check_damaged(name, b);
		free(b.p);
		b = joined_bytes(kinds[i].pack(text.p, text.n), packed_plain("garbage after it!", 17));
		snprintf(name, sizeof(name), "%s with garbage after it", kinds[i].name);
		check_fault(name, b, text.p, text.n, "compressed-damaged");
		free(b.p);
	}
	pad = (struct given_bytes){xcalloc(64, 1), 64};
	b = joined_bytes(joined_bytes(packed_gzip("a\n", 2), pad), packed_gzip("b\n", 2));
	check_input_is("gzip with zero bytes between its members is read",
		input_memory("mem", b.p, b.n, NULL), (struct given_bytes){(char[]){"a\nb\n"}, 4});
	free(b.p);
	free(text.p);
}

static void test_memory_limit(void)
{
	lzma_options_lzma opt;
	lzma_filter filters[2] = {{LZMA_FILTER_LZMA2, &opt}, {LZMA_VLI_UNKNOWN, NULL}};
	uint8_t out[500];
	size_t n = 0;
	/* A frame header that requires a window of 2^30 bytes. */
	const unsigned char wide[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa0, 0x01, 0x00, 0x00};

	lzma_lzma_preset(&opt, 0);
	opt.dict_size = 4096;
	if (lzma_stream_buffer_encode(
		    filters, LZMA_CHECK_CRC32, NULL, (const uint8_t *)"x\n", 2, out, &n, sizeof(out)))
		abort();
	/*
	 * Sets the size of the dictionary to 1 GiB in the block header, and corrects the CRC of the header.
	 */
	for (size_t i = 12; i + 8 < n; i++) {
		if (out[i] == 0x21 && out[i + 1] == 0x01) {
			size_t size = (out[12] + 1u) * 4;
			uint32_t crc;

			out[i + 2] = 36;
			crc = lzma_crc32(out + 12, size - 4, 0);
			for (unsigned k = 0; k < 4; k++)
				out[12 + size - 4 + k] = (uint8_t)(crc >> 8 * k);
			break;
		}
	}
	check_fault("xz with a large dictionary", (struct given_bytes){(char *)out, n}, "", 0,
		"compressed-memory");
	check_fault("zstd with a large window", (struct given_bytes){(char *)(uintptr_t)wide, sizeof(wide)},
		"", 0, "compressed-memory");
}

/* ---- lines -------------------------------------------------------------------------------- */

static void test_lines(void)
{
	static const char text[] = "a\r\n\r\n\nb\rc\n\0d\0\nlast\r";
	static const struct {
		size_t len;
		const char *line;
		bool newline;
	} want[] = {{1, "a", true}, {0, "", true}, {0, "", true}, {3, "b\rc", true}, {3, "\0d\0", true},
		{5, "last\r", false}};
	struct input *in = input_memory("mem", text, sizeof(text) - 1, NULL);
	const char *line;
	size_t len, i = 0;
	bool good = true;

	while (input_line(in, &line, &len, NULL) == 1) {
		good &= i < N(want) && len == want[i].len && !memcmp(line, want[i].line, len) &&
			input_line_had_newline(in) == want[i].newline && input_lineno(in) == i + 1;
		i++;
	}
	ok(good && i == N(want), "lines with CRLF, a lone CR, a NUL byte or no newline are read");
	is_number(input_line(in, &line, &len, NULL), 0, "input_line() after the end returns the end again");
	is_number((long long)input_offset(in), sizeof(text) - 1,
		"the offset at the end is the size of the input");
	input_close(in);
	in = input_memory("mem", NULL, 0, NULL);
	is_number(input_line(in, &line, &len, NULL), 0, "an empty input has no line");
	input_close(in);
}

static void check_long_line(const char *name, size_t len, const char *ending, bool good)
{
	struct given_bytes b = {xmalloc(len + 10), 0};
	struct fault f = {0};
	const char *line;
	size_t n = 0;
	struct input *in;
	int rc;

	memcpy(b.p, "1\n", 2);
	memset(b.p + 2, 'x', len);
	strcpy(b.p + 2 + len, ending);
	b.n = 2 + len + strlen(ending);
	for (int way = 0; way < 2; way++) {
		in = way ? input_open(stored_path("long", b), &f) : input_memory("mem", b.p, b.n, &f);
		input_line(in, &line, &n, &f);
		rc = input_line(in, &line, &n, &f);
		ok(good ? rc == 1 && n == len
			: rc == -1 && !strcmp(f.id, "line-too-long") && f.place.line == 2,
			"%s", name);
		input_close(in);
	}
	free(b.p);
}

static void test_long_lines(void)
{
	check_long_line("a line of INPUT_LINE_MAX bytes is read", INPUT_LINE_MAX, "\nz", true);
	check_long_line("a line of INPUT_LINE_MAX bytes with CRLF is read", INPUT_LINE_MAX, "\r\nz", true);
	check_long_line(
		"a last line of INPUT_LINE_MAX bytes without a newline is read", INPUT_LINE_MAX, "", true);
	check_long_line("a line of INPUT_LINE_MAX + 1 bytes is rejected", INPUT_LINE_MAX + 1, "\nz", false);
	check_long_line("a line of INPUT_LINE_MAX + 1 bytes with CRLF is rejected", INPUT_LINE_MAX + 1,
		"\r\nz", false);
	check_long_line("a last line of INPUT_LINE_MAX + 1 bytes without a newline is rejected",
		INPUT_LINE_MAX + 1, "", false);
	check_long_line("a line of 3 * INPUT_LINE_MAX bytes is rejected", 3 * INPUT_LINE_MAX, "", false);
}

/* ---- windows and blocks ------------------------------------------------------------------- */

static void test_window(void)
{
	struct given_bytes text = sample_lines(3000);
	size_t at = 0, step = 1;
	bool good = true;
	struct fault f;
	const char *p;
	long n;

	for (size_t i = 0; i < N(kinds); i++) {
		struct given_bytes b = kinds[i].pack(text.p, text.n);
		struct input *in = input_open(stored_path("window", b), &f);

		at = 0;
		while ((n = input_window(in, step, &p, &f)) > 0) {
			size_t take = (size_t)n < step ? (size_t)n : step;

			good &= ((size_t)n >= step || at + (size_t)n == text.n) &&
				!memcmp(p, text.p + at, (size_t)n);
			input_consume(in, take, 0);
			at += take;
			step = step * 5 % 500009 + 1;
		}
		ok(good && !n && at == text.n && input_offset(in) == at,
			"windows over %s return the whole text", kinds[i].name);
		input_close(in);
		free(b.p);
	}
	free(text.p);
}

static void test_window_place(void)
{
	struct given_bytes b = packed_gzip("1\n2\n3\n4\n5", 9);
	struct fault f = {0};
	struct input *in = input_memory("mem", b.p, b.n - 1, &f);
	const char *p;

	is_number(input_window(in, 4, &p, &f), 9, "a window before a truncation is read without a fault");
	input_consume(in, 4, 2);
	is_number(input_window(in, 6, &p, &f), -1, "a window beyond a truncation reports the fault");
	is_number((long long)f.place.line, 5, "the fault of a window names the line that was reached");
	is_number(
		input_window(in, 5, &p, &f), 5, "the bytes before a truncation can be read after the fault");
	input_close(in);
	free(b.p);
}

static void test_read(void)
{
	struct given_bytes text = sample_lines(3000);
	static char buf[300000];
	struct fault f = {0};

	for (size_t i = 0; i < N(kinds); i++) {
		struct given_bytes b = kinds[i].pack(text.p, text.n);
		struct input *in = input_open(stored_path("blocks", b), &f);
		size_t at = 0, step = 1;
		bool good = true;
		long n;

		while ((n = input_read(in, buf, step, &f)) > 0) {
			good &= at + (size_t)n <= text.n && !memcmp(buf, text.p + at, (size_t)n);
			at += (size_t)n;
			step = step * 7 % 299993 + 1;
		}
		ok(good && !n && at == text.n && input_offset(in) == at, "blocks of %s are the whole text",
			kinds[i].name);
		input_close(in);
		if (i) {
			in = input_memory("mem", b.p, b.n - 5, &f);
			while ((n = input_read(in, buf, sizeof(buf), &f)) > 0)
				;
			ok(n < 0 && !strcmp(f.id, "compressed-truncated") && !f.place.line,
				"blocks of truncated %s end in a fault without a line", kinds[i].name);
			input_close(in);
		}
		free(b.p);
	}
	free(text.p);
}

/* ---- inputs other than regular files, and pipes ----------------------------------------------- */

static void test_open(void)
{
	struct fault f = {0};

	ok(!input_open(path_of("absent"), &f) && !strcmp(f.id, "open"),
		"input_open() of a missing file reports the fault 'open'");
	is_text(f.text, "cannot be opened: No such file or directory",
		"the message of a missing file has the reason");
	is_text(f.place.file, path_of("absent"), "the fault of a missing file has the name of the file");
	ok(!input_open(directory, &f) && !strcmp(f.id, "is-folder") && !f.place.line,
		"input_open() of a directory reports the fault 'is-folder'");
	ok(!input_open("", &f) && !strcmp(f.id, "open"),
		"input_open() of an empty name reports the fault 'open'");
	ok(!input_open(path_of("absent"), NULL), "input_open() accepts NULL for the fault");
}

static void read_stdin(void *arg)
{
	struct fault f;
	struct input *in = input_open("-", &f);
	struct given_bytes *text = arg;
	bool same;
	int rc;

	if (!in) {
		printf("%s", f.id);
		return;
	}
	rc = read_lines(in, text->p, text->n, &same, &f);
	if (rc < 0)
		printf("%s", f.id);
	else
		printf("%d %d %s", rc, same, input_name(in));
	input_close(in);
}

/*
 * Starts a child process that reads standard input, and writes b there in pieces of `step` bytes. Returns the
 * status of the child.
 */
static int read_through_pipe(
	struct given_bytes b, size_t step, struct given_bytes text, char *out, size_t cap)
{
	int ends[2], saved = dup(0), rc;
	pid_t pid;

	fflush(NULL);
	if (saved < 0 || pipe(ends) || (pid = fork()) < 0)
		abort();
	if (!pid) {
		close(ends[0]);
		for (size_t at = 0; at < b.n; at += step) {
			if (write(ends[1], b.p + at, b.n - at < step ? b.n - at : step) < 0)
				_exit(1);
			usleep(b.n / step < 50 ? 1000 : 0);
		}
		_exit(0);
	}
	dup2(ends[0], 0);
	close(ends[0]);
	close(ends[1]);
	rc = in_child(read_stdin, &text, out, cap);
	dup2(saved, 0);
	close(saved);
	waitpid(pid, NULL, 0);
	return rc;
}

static void test_pipe(void)
{
	struct given_bytes text = sample_lines(2000);
	char out[200], name[100];

	for (size_t i = 0; i < N(kinds); i++) {
		struct given_bytes b = kinds[i].pack(text.p, text.n), few = kinds[i].pack(text.p, 30);

		read_through_pipe(b, 4097, text, out, sizeof(out));
		snprintf(name, sizeof(name), "%s through a pipe is read", kinds[i].name);
		is_text(out, "0 1 <stdin>", name);
		read_through_pipe(few, 1, (struct given_bytes){text.p, 30}, out, sizeof(out));
		is_text(out, "0 1 <stdin>", "an input that arrives byte by byte through a pipe is read");
		free(b.p);
		free(few.p);
	}
	free(text.p);
}

static void read_other_file_kind(void *arg)
{
	close(0);
	if (*(const char *)arg && open(arg, O_RDONLY) < 0)
		abort();
	read_stdin(&(struct given_bytes){(char[]){""}, 0});
}

static void test_odd_stdin(void)
{
	char out[200];

	in_child(read_other_file_kind, directory, out, sizeof(out));
	is_text(out, "is-folder", "a directory as standard input reports the fault 'is-folder'");
	in_child(read_other_file_kind, (void *)(uintptr_t) "", out, sizeof(out));
	is_text(out, "read", "a closed standard input reports the fault 'read'");
}

int main(void)
{
	char command[100];

	if (!mkdtemp(directory))
		return 1;
	test_codings();
	test_damage();
	test_memory_limit();
	test_lines();
	test_long_lines();
	test_window();
	test_window_place();
	test_read();
	test_open();
	test_pipe();
	test_odd_stdin();
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	ok(!system(command), "the directory of the test is removed");
	return tap_done();
}
