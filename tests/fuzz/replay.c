/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replays a corpus through one fuzz target without a fuzzer: each file named on the command line once, then
 * each with its bytes cut and flipped at a few places, so that a plain build and the sanitizers see the
 * faults that fuzzing once found.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The target gets an allocation of exactly the input's size, so that a sanitizer sees one byte too many. */
static void run(const uint8_t *bytes, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);

	if (!copy)
		exit(2);
	for (size_t i = 0; i < n; i++)
		copy[i] = bytes[i];
	LLVMFuzzerTestOneInput(copy, n);
	free(copy);
}

static void vary(uint8_t *bytes, size_t n)
{
	run(bytes, n);
	for (unsigned i = 1; i < 8; i++)
		run(bytes, n * i / 8);
	for (unsigned i = 0; i < 16 && n; i++) {
		size_t at = (n * i / 16 + i) % n;

		bytes[at] ^= (uint8_t)(1u << i % 8);
		run(bytes, n);
		bytes[at] ^= (uint8_t)(1u << i % 8);
	}
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		static uint8_t bytes[1 << 20];
		FILE *f = fopen(argv[i], "rb");
		size_t n;

		if (!f) {
			perror(argv[i]);
			return 2;
		}
		n = fread(bytes, 1, sizeof bytes, f);
		fclose(f);
		vary(bytes, n);
	}
	return 0;
}
