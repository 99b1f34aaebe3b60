/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzz target for opcode rows in a user's file. Each word of the input is also looked up as an opcode. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "input.h"
#include "isa.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_up_words(const struct isa *isa, const char *s, size_t n)
{
	int row = isa_find(isa, s, n);

	if (row >= isa_rows(isa) || (row >= 0 && !isa_row(isa, row)->stem[0]))
		abort();
	for (int a = 0; a < N_ARCHS; a++) {
		enum isa_class c = isa_guess(isa, (enum isa_arch)a, s, n);

		if (c == CLASS_NONE || c >= N_CLASSES)
			abort();
	}
	if (isa_width(s, n) > UINT16_MAX)
		abort();
	isa_strong_gpu(s, n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input *in = input_memory("fuzz", data, size, NULL);
	struct isa *isa = isa_new();
	struct fault f = {0};
	const char *p = (const char *)data, *end = p + size;

	if (isa_parse(isa, in, &f) < 0 && (!f.id || !*f.text))
		abort();
	for (int words = 0; p < end && words < 50; words++) {
		const char *blank = memchr(p, ' ', (size_t)(end - p));
		size_t n = (size_t)((blank ? blank : end) - p);

		look_up_words(isa, p, n);
		p += n + 1;
	}
	isa_free(isa);
	input_close(in);
	return 0;
}
