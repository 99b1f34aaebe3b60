/* SPDX-License-Identifier: BSD-2-Clause */
/* Zeroes parts of a large buffer, and reports memory that was not zeroed, or that was zeroed although it is outside. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

int cudaMalloc(void **p, size_t n);
int cudaFree(void *p);
int cudaMemset(void *p, int value, size_t n);
int cudaMemcpy(void *to, const void *from, size_t n, int kind);

#define SIZE   ((size_t)1 << 30)
#define MARGIN 100
#define PART   ((size_t)5 << 20)

static unsigned char host[PART];

/* Counts the bytes of a part of the buffer that differ from `value`. */
static size_t count_others(const char *at, size_t n, int value)
{
	size_t others = 0;

	cudaMemcpy(host, at, n, 2);
	for (size_t i = 0; i < n; i++)
		others += host[i] != value;
	return others;
}

int main(void)
{
	size_t wrong = 0;
	struct rusage u;
	char *p = NULL;

	if (cudaMalloc((void **)&p, SIZE))
		return 2;
	cudaMemset(p, 0, SIZE);
	getrusage(RUSAGE_SELF, &u);
	printf("%s\n", u.ru_maxrss < 256 << 10 ? "small" : "large");
	wrong += count_others(p + SIZE - PART, PART, 0);
	cudaMemset(p, 7, PART);
	cudaMemset(p + 2 * PART, 7, PART); /* the part between is untouched */
	cudaMemset(p + MARGIN, 0, 3 * PART - 2 * MARGIN);
	wrong += count_others(p, MARGIN, 7);
	wrong += count_others(p + MARGIN, PART, 0);
	wrong += count_others(p + PART, PART, 0);
	wrong += count_others(p + 2 * PART, PART - MARGIN, 0);
	wrong += count_others(p + 3 * PART - MARGIN, MARGIN, 7);
	printf("%zu bytes are wrong\n", wrong);
	return cudaFree(p) || wrong;
}
