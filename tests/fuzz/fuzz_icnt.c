/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzz target for the .icnt files of network mode 1. What is accepted must be in the range that is modelled. */
#include <stdint.h>
#include <stdlib.h>
#include "icnt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input *in = input_memory("fuzz", data, size, NULL);
	struct icnt c = {0};
	struct fault f = {0};

	if (!in)
		return 0;
	if (icnt_parse(&c, in, &f) == 0) {
		if (!c.k || !c.flit_bytes || !c.buffer || !c.source_max || !c.boundary_max ||
			!(c.speedup >= 1))
			abort();
	} else if (!f.id || !*f.text) {
		abort();
	}
	input_close(in);
	return 0;
}
