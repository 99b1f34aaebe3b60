/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzz target for logs of Accel-Sim, with the figures of each kernel and with running totals. */
#include "stats_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_stats(data, size, 0);
	read_stats(data, size, RESULT_RUNNING);
	return 0;
}
