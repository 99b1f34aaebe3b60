/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target for measured files (trace-sim --selftest). In an accepted file every row has all columns, and the
 * numbers are finite.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include "selftest/measured.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_measured_row(const struct measured_row *r)
{
	double v = 0;

	if (!*r->id || !*r->workload || !*r->text || !r->source || !r->note)
		abort();
	if (r->is_number && !isfinite(r->value))
		abort();
	if (measured_param(r->params, "footprint_kB", &v) && isnan(v))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input *in = input_memory("fuzz", data, size, NULL);
	struct measured m = {.n_rows = 0};
	struct fault f = {0};

	if (!in)
		return 0;
	if (measured_parse(&m, in, &f) == 0) {
		for (uint32_t i = 0; i < m.n_rows; i++)
			check_measured_row(&m.row[i]);
	} else if (!f.id || !*f.text) {
		abort();
	}
	measured_free(&m);
	input_close(in);
	return 0;
}
