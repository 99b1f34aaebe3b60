/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target for inputs: the bytes are read by lines, by windows and by blocks. All three must read the same
 * text with the same end. In a damaged file, the text before the fault may depend on the buffer of the
 * decoder. Decompression stops at TEXT_MAX, so a decompression bomb ends.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "input.h"

#define TEXT_MAX (8u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input_result {
	uint64_t bytes, hash;
	const char *id; /* id of the fault; NULL at the end of the input */
};

static uint64_t hash_bytes(uint64_t hash, const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (unsigned char)p[i]) * 1099511628211ull;
	return hash;
}

static struct input_result read_by_lines(struct input *in)
{
	struct input_result r = {0};
	struct fault f;
	const char *line;
	size_t len;
	int rc;

	while ((rc = input_line(in, &line, &len, &f)) == 1 && input_offset(in) < TEXT_MAX)
		r.hash = hash_bytes(r.hash, line, len);
	r.bytes = input_offset(in);
	if (rc < 0) {
		r.id = f.id;
		if (f.place.line != input_lineno(in) + 1)
			abort();
	}
	return r;
}

static struct input_result read_by_windows(struct input *in, size_t step)
{
	struct input_result r = {0};
	struct fault f;
	const char *p;
	long n;

	while ((n = input_window(in, 1, &p, &f)) > 0 && r.bytes < TEXT_MAX) {
		size_t take = (size_t)n < step ? (size_t)n : step;

		r.hash = hash_bytes(r.hash, p, take);
		r.bytes += take;
		input_consume(in, take, 0);
	}
	if (n < 0)
		r.id = f.id;
	return r;
}

static struct input_result read_by_blocks(struct input *in)
{
	static char buf[100000];
	struct input_result r = {0};
	struct fault f;
	long n;

	while ((n = input_read(in, buf, sizeof(buf), &f)) > 0 && r.bytes < TEXT_MAX) {
		r.hash = hash_bytes(r.hash, buf, (size_t)n);
		r.bytes += (size_t)n;
	}
	if (n < 0)
		r.id = f.id;
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input *in[3];
	struct input_result lines, windows, blocks;

	for (int i = 0; i < 3; i++)
		in[i] = input_memory("fuzz", data, size, NULL);
	lines = read_by_lines(in[0]);
	windows = read_by_windows(in[1], size ? 1 + data[size - 1] * 997u : 1);
	blocks = read_by_blocks(in[2]);
	for (int i = 0; i < 3; i++)
		input_close(in[i]);
	if (windows.bytes >= TEXT_MAX || blocks.bytes >= TEXT_MAX)
		return 0;
	if (!windows.id != !blocks.id || (windows.id && strcmp(windows.id, blocks.id)))
		abort();
	if (!windows.id && (windows.bytes != blocks.bytes || windows.hash != blocks.hash))
		abort();
	/* Only reading by lines may fail because a line is too long. */
	if (!lines.id ? windows.id || lines.bytes != windows.bytes
		      : strcmp(lines.id, "line-too-long") && (!windows.id || strcmp(lines.id, windows.id)))
		abort();
	return 0;
}
