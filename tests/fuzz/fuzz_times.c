/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target for tables of times (trace-pick --times). An accepted table must have a finite time above 0 for each
 * kernel.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include "input.h"
#include "pick.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first byte contains the number of kernels and the number of kernels of the list that are not selected. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const unsigned more = size ? data[0] / 4 % 4 : 0;
	struct pick_kernel kernel[4] = {{.position = 1 + more}, {.position = 2 + more},
		{.position = 3 + more}, {.position = 4 + more}};
	struct app a = {.kernel = kernel, .n_kernels = size ? 1 + data[0] % 4 : 1};

	a.n_listed = a.n_kernels + more;
	struct fault f = {0};
	struct input *in = size ? input_memory("fuzz", data + 1, size - 1, NULL) : NULL;

	if (!in)
		return 0;
	if (times_parse(&a, in, &f) == 0)
		for (uint32_t i = 0; i < a.n_kernels; i++)
			if (!(kernel[i].time > 0) || !isfinite(kernel[i].time))
				abort();
	input_close(in);
	return 0;
}
