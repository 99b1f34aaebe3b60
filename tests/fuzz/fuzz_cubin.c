/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzz target for cubins and fat binaries: it reads every byte of every function and unpacks every entry. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "cubin.h"
#include "fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void unpack_all(const uint8_t *data, size_t size)
{
	struct fatbin_entry e;
	struct fatbin b;
	struct fault f = {0};
	size_t whole = 0;
	int got = 0;

	if (fatbin_open(&b, data, size, &whole, "fuzz", &f) == 0)
		while ((got = fatbin_next(&b, &e, &f)) > 0) {
			size_t n = fatbin_size(&b, &e, &f);
			uint8_t *out = n && n <= 1 << 20 ? malloc(n) : NULL;

			if (out)
				(void)fatbin_unpack(&b, &e, out, &f);
			free(out);
		}
	if (whole > size || (got < 0 && !f.id))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cubins *c = cubins_new();
	struct fault f = {0};

	unpack_all(data, size);
	if (cubins_add_bytes(c, data, size, "fuzz", &f) < 0 && (!f.id || !*f.text))
		abort();
	for (uint32_t i = 0; i < cubins_count(c); i++) {
		const struct cubin_function *k = cubins_function_at(c, i);

		if (!strlen(k->name) || cubins_find(c, k->name, k->sm) != k || k->bytes % 16)
			abort();
		for (uint32_t at = 0; at < k->bytes; at += 16) {
			struct control_code code;

			control_decode(&code, k->code + at);
			if (code.opcode > 4095 || code.stall > 15 || code.depbar_counter > 5)
				abort();
		}
	}
	cubins_free(c);
	return 0;
}
