/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans -size elements once, in arrays of -arrayLength, with the sample scan's function for short arrays. */
#include "host.h"
#include "scan.cu"

int main(int argc, char **argv)
{
	uint n = option(argc, argv, "-size"), length = option(argc, argv, "-arrayLength");
	uint *in = device_input<uint>(n), *out = device_buffer<uint>(n);

	scanExclusiveShort(out, in, n / length, length);
	return finish(out, n);
}
