/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target for the packer: the input is the text of a kernel, which must be unchanged after packing and
 * unpacking. The kernel is packed three times, the second time with one changed byte, so that later kernels
 * refer to earlier ones.
 */
#include <stdlib.h>
#include <string.h>
#include "pack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct compare {
	const uint8_t *want;
	size_t n, at;
};

static bool is_same_text(void *ctx, const void *bytes, size_t n)
{
	struct compare *c = ctx;

	if (n > c->n - c->at || memcmp(c->want + c->at, bytes, n))
		abort();
	c->at += n;
	return true;
}

static void pack_kernel_text(struct pack_writer *w, const uint8_t *data, size_t size)
{
	pack_begin_kernel(w);
	pack_add_text(w, data, size / 2);
	pack_add_text(w, data + size / 2, size - size / 2);
	pack_end_kernel(w, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char list[] = "kernel-1.traceg\nkernel-2.traceg\nkernel-3.traceg\n";
	uint8_t *other = malloc(size + 1);
	char *stream = NULL;
	size_t n = 0;
	struct fault f;
	FILE *out = open_memstream(&stream, &n);
	struct pack_writer *w = pack_writer_new(out, 1, 1);
	struct pack *p;

	if (!other)
		abort();
	memcpy(other, data, size);
	if (size)
		other[size / 3 + data[size / 2] % (size - size / 3)] ^= 1;
	pack_write_list(w, "kernelslist.g", list, sizeof(list) - 1);
	pack_kernel_text(w, data, size);
	pack_kernel_text(w, other, size);
	pack_kernel_text(w, data, size);
	pack_writer_close(w);
	fclose(out);
	p = pack_open_memory("fuzz", stream, n, &f);
	for (uint32_t i = 0; i < 3; i++) {
		struct compare c = {i == 1 ? other : data, size, 0};

		if (!p || pack_pass_text(p, i, 0, UINT64_MAX, is_same_text, &c, &f) < 0 || c.at != size)
			abort();
	}
	if (pack_verify(p, &f) < 0)
		abort();
	pack_close(p);
	free(stream);
	free(other);
	return 0;
}
