/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzz target for the links of an anynet. In every accepted network, every router must be reachable. */
#include <stdint.h>
#include <stdlib.h>
#include "icnt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input *in = input_memory("fuzz", data, size, NULL);
	struct fault f = {0};
	struct anynet *a;

	if (!in)
		return 0;
	a = anynet_read(in, &f);
	if (!a && (!f.id || !*f.text))
		abort();
	for (uint32_t r = 0; a && r < a->routers; r++) {
		if (a->node_start[r] > a->node_start[r + 1] || a->link_start[r] > a->link_start[r + 1])
			abort();
		for (uint32_t i = a->link_start[r]; i < a->link_start[r + 1]; i++)
			if (a->link[i].to >= a->routers || !a->link[i].cycles)
				abort();
	}
	anynet_free(a);
	input_close(in);
	return 0;
}
