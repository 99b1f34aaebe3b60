/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of archives of kernel traces (.tracez): text, dictionary, reading from memory and from a pipe,
 * damage.
 */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>
#include "arena.h"
#include "bytes.h"
#include "input.h"
#include "tap.h"

#define HEADER "-kernel name = k\n-kernel id = 1\n\n#traces format = x\n\n"

static void add_u32(struct bytes *b, uint32_t v)
{
	for (unsigned i = 0; i < 4; i++, v >>= 8)
		bytes_add(b, &(char){(char)(v & 255)}, 1);
}

static void add_u64(struct bytes *b, uint64_t v)
{
	add_u32(b, (uint32_t)v);
	add_u32(b, (uint32_t)(v >> 32));
}

static void add_frame(struct bytes *b, const char *text, const struct bytes *dictionary)
{
	char packed[1000];
	ZSTD_CCtx *z = ZSTD_createCCtx();
	size_t n = ZSTD_compress_usingDict(
		z, packed, sizeof(packed), text, strlen(text), dictionary->p, dictionary->n, 3);

	ZSTD_freeCCtx(z);
	if (ZSTD_isError(n))
		abort();
	add_u32(b, (uint32_t)n);
	bytes_add(b, packed, n);
}

/*
 * Returns an archive of two blocks: one has a warp of three instructions and an empty warp, the other has a
 * warp of one instruction.
 */
static struct bytes archive(const char *dictionary_text)
{
	struct bytes b = {0}, dictionary = {0};
	uint64_t at[3], index;

	bytes_puts(&dictionary, dictionary_text);
	bytes_puts(&b, HEADER);
	bytes_add(&b, "", 1);
	add_u32(&b, (uint32_t)dictionary.n);
	add_u32(&b, 2048);
	bytes_add(&b, dictionary.p, dictionary.n);
	at[0] = b.n;
	add_u32(&b, 3);
	add_u32(&b, 2);
	add_frame(&b, "0000 first\n0010 second", &dictionary);
	add_frame(&b, "0020 third", &dictionary);
	at[1] = b.n;
	add_u32(&b, 0);
	add_u32(&b, 0);
	at[2] = b.n;
	add_u32(&b, 1);
	add_u32(&b, 1);
	add_frame(&b, "0000 other", &dictionary);
	index = b.n;
	add_u32(&b, 2);
	for (uint32_t block = 0; block < 2; block++) {
		for (unsigned i = 0; i < 10; i++)
			add_u32(&b, i ? 10 * block + i : block);
		add_u32(&b, block ? 1 : 2);
		add_u32(&b, block ? 1 : 3);
		add_u32(&b, block ? 1 : 2);
		add_u64(&b, at[block ? 2 : 0]);
		add_u32(&b, block ? 1 : 2);
		if (block)
			continue;
		add_u32(&b, 1);
		add_u32(&b, 0);
		add_u32(&b, 0);
		add_u64(&b, at[1]);
	}
	add_u64(&b, index);
	bytes_free(&dictionary);
	return b;
}

static const char want[] = HEADER
	"\n#BEGIN_TB\n\nthread block = 0,1,2\ncluster id = 3,4,5\ncluster cta = 6,7,8\ncluster rank = 9\n"
	"\nwarp = 0\ninsts = 3\n0000 first\n0010 second\n0020 third\n\nwarp = 1\ninsts = 0\n\n#END_TB\n"
	"\n#BEGIN_TB\n\nthread block = 1,11,12\ncluster id = 13,14,15\ncluster cta = 16,17,18\ncluster rank = 19\n"
	"\nwarp = 0\ninsts = 1\n0000 other\n\n#END_TB\n";

/* Reads the whole input in pieces of n bytes. Returns 0, or -1 and sets *f. */
static int read_whole_input(struct input *in, struct bytes *to, size_t n, struct fault *f)
{
	char buf[64];
	long got;

	while ((got = input_read(in, buf, n, f)) > 0)
		bytes_add(to, buf, (size_t)got);
	return got < 0 ? -1 : 0;
}

static void check_text(const char *what, const struct bytes *b, size_t piece)
{
	struct bytes text = {0};
	struct fault f = {.text = ""};
	struct input *in = input_memory("a.tracez", b->p, b->n, &f);

	bytes_puts(&text, "");
	if (!ok(in && !read_whole_input(in, &text, piece, &f) && !strcmp(text.p, want),
		    "an archive is read %s", what))
		printf("# %s\n", f.text);
	ok(in && input_coding(in) == INPUT_TRACEZ, "an archive read %s is recognized", what);
	input_close(in);
	bytes_free(&text);
}

/* Tests an archive in a pipe whose header arrives in two pieces. */
static void check_piped_archive(const struct bytes *b)
{
	char path[] = "/tmp/test_tracez.XXXXXX";
	struct bytes text = {0};
	struct fault f = {.text = ""};
	struct input *in;
	int fd = mkstemp(path);

	if (fd < 0 || write(fd, b->p, b->n) != (ssize_t)b->n || close(fd))
		abort();
	in = input_open(path, &f);
	bytes_puts(&text, "");
	if (!ok(in && !read_whole_input(in, &text, 64, &f) && !strcmp(text.p, want),
		    "an archive is read from a file"))
		printf("# %s\n", f.text);
	input_close(in);
	bytes_free(&text);
	unlink(path);
}

/*
 * Reads damaged bytes. Returns the text of the fault, or "" if the bytes are not an archive or still give the
 * text of the archive.
 */
static const char *reason_of(const char *p, size_t n)
{
	static char reason[500];
	struct bytes text = {0};
	struct fault f = {.text = ""};
	struct input *in = input_memory("a.tracez", p, n, &f);

	reason[0] = '\0';
	if (in && read_whole_input(in, &text, 64, &f) < 0)
		snprintf(reason, sizeof(reason), "%s", f.text);
	input_close(in);
	bytes_free(&text);
	return reason;
}

static void check_damages(const struct bytes *b)
{
	static const struct {
		long at; /* offset; from the end if negative */
		uint32_t value;
		const char *why;
	} put[] = {
		{(long)sizeof(HEADER), 4000000000u, "dictionary is longer"},
		{-8, 4000000000u, "not the offset of an index"},
		{-8, 0, "not the offset of an index"},
		{-4, 1, "not the offset of an index"},
		{-12, 77, "do not add up"},
		{-20, 4000000000u, "outside the data"},
		{-24, 9, "index ends early"},
		{-28, 9, "do not add up"},
		{-32, 0, "bytes follow the index"},
		{-32, 2, "index ends early"},
		{(long)sizeof(HEADER) + 8, 4, "differ from those of the data"},
		{(long)sizeof(HEADER) + 16, 60000, "longer than the data"},
	};
	char *copy = xmalloc(b->n);
	unsigned silent = 0;

	for (size_t i = 0; i < sizeof(put) / sizeof(*put); i++) {
		size_t at = put[i].at < 0 ? b->n - (size_t)-put[i].at : (size_t)put[i].at;

		memcpy(copy, b->p, b->n);
		for (unsigned k = 0; k < 4; k++)
			copy[at + k] = (char)(put[i].value >> 8 * k & 255);
		ok(strstr(reason_of(copy, b->n), put[i].why) != NULL,
			"damage %zu of an archive is reported: %s", i, reason_of(copy, b->n));
	}
	for (size_t n = sizeof(HEADER); n < b->n; n++)
		silent += !*reason_of(b->p, n);
	ok(!silent, "%u of %zu truncated archives are accepted", silent, b->n - sizeof(HEADER));
	for (size_t i = 0; i < 8 * b->n; i++) { /* any result is allowed, but no crash */
		memcpy(copy, b->p, b->n);
		copy[i / 8] = (char)(copy[i / 8] ^ 1 << i % 8);
		reason_of(copy, b->n);
	}
	free(copy);
}

int main(void)
{
	struct bytes plain = archive(""), trained = archive("0000 first\n0010 second\n0020 third\n");

	check_text("without a dictionary", &plain, 64);
	check_text("with a dictionary", &trained, 64);
	check_text("byte by byte", &trained, 1);
	check_piped_archive(&plain);
	check_damages(&plain);
	bytes_free(&plain);
	bytes_free(&trained);
	return tap_done();
}
