/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target for the packer: any bytes as the text of a kernel, packed and unpacked, must come out the same.
 */
#include <stdlib.h>
#include <string.h>
#include "pack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct compare {
	const uint8_t *want;
	size_t n, at;
};

static bool same(void *ctx, const void *bytes, size_t n)
{
	struct compare *c = ctx;

	if (n > c->n - c->at || memcmp(c->want + c->at, bytes, n))
		abort();
	c->at += n;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct compare c = {data, size, 0};
	char *stream = NULL;
	size_t n = 0;
	struct fault f;
	FILE *out = open_memstream(&stream, &n);
	struct pack_writer *w = pack_writer_new(out, 1, 1);
	struct pack *p;

	pack_put_list(w, "kernelslist.g", "kernel-1.traceg\n", 16);
	pack_begin(w);
	pack_feed(w, data, size / 2);
	pack_feed(w, data + size / 2, size - size / 2);
	pack_end(w, NULL);
	pack_writer_close(w);
	fclose(out);
	p = pack_memory("fuzz", stream, n, &f);
	if (!p || pack_text(p, 0, 0, UINT64_MAX, same, &c, &f) < 0 || c.at != size || pack_verify(p, &f) < 0)
		abort();
	pack_close(p);
	free(stream);
	return 0;
}
