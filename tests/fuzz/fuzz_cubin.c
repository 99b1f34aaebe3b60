/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzz target for cubins and fat binaries: every byte of every function found is looked at. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "cubin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cubins *c = cubins_new();
	struct fault f = {0};

	if (cubins_add_bytes(c, data, size, "fuzz", &f) < 0 && (!f.id || !*f.text))
		abort();
	for (uint32_t i = 0; i < cubins_count(c); i++) {
		const struct cubin_function *k = cubins_at(c, i);

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
