/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target for the .icnt files of network mode 1. The values of an accepted file must be in the modelled
 * range.
 */
#include <stdint.h>
#include <stdlib.h>
#include "icnt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input *in = input_memory("fuzz", data, size, NULL);
	struct icnt c;
	struct fault f = {0};

	if (!in)
		return 0;
	if (icnt_read(&c, in, &f) == 0) {
		if (!c.nodes || c.nodes > ICNT_NODES_MAX || !c.flit_bytes || !c.vc_buffer || !c.source_max ||
			!c.boundary_max || !(c.speedup >= 1) || !c.crossbar_delay)
			abort();
		for (int i = 0; i < 4; i++)
			if (c.vc_begin[i] > c.vc_end[i] || c.vc_end[i] >= c.vcs)
				abort();
	} else if (!f.id || !*f.text) {
		abort();
	}
	icnt_free(&c);
	input_close(in);
	return 0;
}
