/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests functions of the runtime: libraries, batches of copies, and graphs as text. argv[1] is the file kernels.ptx.
 */
#include "wants.h"

struct hints {
	int order, from[2], to[2];
	unsigned flags;
};
struct graph;
struct node;
struct library;
int cudaMemcpyBatchAsync(
	void **, const void **, const size_t *, size_t, struct hints *, size_t *, size_t, struct stream *);
int cudaMemPrefetchBatchAsync(
	void **, size_t *, size_t, const int (*)[2], size_t *, size_t, unsigned long long, struct stream *);
int cudaMemDiscardAndPrefetchBatchAsync(
	void **, size_t *, size_t, const int (*)[2], size_t *, size_t, unsigned long long, struct stream *);
int cudaLibraryLoadFromFile(
	struct library **, const char *, const int *, void **, unsigned, const int *, void **, unsigned);
int cudaLibraryLoadData(
	struct library **, const void *, const int *, void **, unsigned, const int *, void **, unsigned);
int cudaLibraryUnload(struct library *), cudaLibraryGetKernel(void **, struct library *, const char *);
int cudaLibraryGetKernelCount(unsigned *, struct library *);
int cudaLibraryEnumerateKernels(void **, unsigned, struct library *);
int cudaLibraryGetGlobal(void **, size_t *, struct library *, const char *);
int cudaGraphCreate(struct graph **, unsigned), cudaGraphDestroy(struct graph *);
int cudaGraphAddMemcpyNode1D(
	struct node **, struct graph *, struct node **, size_t, void *, const void *, size_t, int);
int cudaGraphAddKernelNode(struct node **, struct graph *, struct node **, size_t, const void *);
int cudaGraphDebugDotPrint(struct graph *, const char *, unsigned);

static void test_library(const char *path)
{
	struct library *l = NULL, *data = NULL;
	struct graph *g;
	struct node *n[2];
	void *kernel = NULL, *other[2], *a, *b;
	size_t bytes = 0;
	unsigned kernels = 0;
	float x[4] = {1, 2, 3, 4}, sum[4];
	int count = 4;

	IS(1, cudaLibraryLoadFromFile(NULL, path, NULL, NULL, 0, NULL, NULL, 0));
	IS(1, cudaGetLastError());
	IS(0, cudaLibraryLoadFromFile(&l, path, NULL, NULL, 0, NULL, NULL, 0));
	IS(0, cudaLibraryGetKernelCount(&kernels, l));
	IS(1, kernels > 1);
	IS(0, cudaLibraryEnumerateKernels(other, 2, l));
	IS(0, cudaLibraryGetKernel(&kernel, l, "add"));
	IS(1, kernel == other[0] || kernel == other[1] || kernels > 2);
	IS(500, cudaLibraryGetKernel(&kernel, l, "absent"));
	IS(500, cudaLibraryGetGlobal(&a, &bytes, l, "absent"));
	IS(0, cudaLibraryGetKernel(&kernel, l, "add"));
	IS(0, cudaMalloc(&a, sizeof(x)));
	IS(0, cudaMalloc(&b, sizeof(x)));
	IS(0, cudaMemcpy(a, x, sizeof(x), 1));
	void *args[] = {&a, &a, &b, &count};
	IS(0, cudaLaunchKernel(kernel, (struct dim3){1, 1, 1}, (struct dim3){32, 1, 1}, args, 0, NULL));
	IS(0, cudaMemcpy(sum, b, sizeof(x), 2));
	IS(8, (int)sum[3]);

	struct {
		const void *host;
		struct dim3 grid, block;
		unsigned shared;
		void **args, **extra;
	} p = {kernel, {3, 1, 1}, {32, 2, 1}, 16, args, NULL};
	IS(0, cudaGraphCreate(&g, 0));
	IS(0, cudaGraphAddMemcpyNode1D(&n[0], g, NULL, 0, a, x, sizeof(x), 1));
	IS(0, cudaGraphAddKernelNode(&n[1], g, n, 1, &p));
	IS(0, cudaGraphDebugDotPrint(g, "batches.dot", 0));
	IS(0, cudaGraphDestroy(g));
	IS(1, cudaGraphDebugDotPrint(g, "batches.dot", 0));
	IS(0, cudaFree(a));
	IS(0, cudaFree(b));
	IS(0, cudaLibraryUnload(l));
	IS(400, cudaLibraryUnload(l));
	IS(0, cudaLibraryLoadData(&data,
		      ".version 7.0\n.target sm_70\n.address_size 64\n.global .u32 word = 5;\n", NULL, NULL,
		      0, NULL, NULL, 0));
	IS(0, cudaLibraryGetGlobal(&a, &bytes, data, "word"));
	IS(4, (int)bytes);
	IS(0, cudaMemcpy(&count, a, 4, 2));
	IS(5, count);
	IS(0, cudaLibraryUnload(data));
}

static void test_batches(void)
{
	size_t bytes[2] = {4, 4}, first = 0;
	struct hints h = {.order = 2};
	const int place[1][2] = {{1, 0}};
	int word[2] = {1, 2}, back[2] = {0, 0};
	struct stream *s;
	void *a, *to[2], *back_to[2] = {&back[0], &back[1]};
	const void *from[2] = {&word[0], &word[1]};

	IS(0, cudaStreamCreate(&s));
	IS(0, cudaMallocManaged(&a, 8, 1));
	to[0] = a, to[1] = (char *)a + 4;
	IS(1, cudaMemcpyBatchAsync(to, from, bytes, 2, &h, &first, 1, NULL));
	IS(1, cudaGetLastError());
	IS(0, cudaMemcpyBatchAsync(to, from, bytes, 2, &h, &first, 1, s));
	IS(0, cudaMemPrefetchBatchAsync(to, bytes, 2, place, &first, 1, 0, s));
	from[0] = to[1], from[1] = to[0];
	IS(0, cudaMemcpyBatchAsync(back_to, from, bytes, 2, &h, &first, 1, s));
	IS(0, cudaStreamSynchronize(s));
	IS(2, back[0]);
	IS(1, back[1]);
	IS(0, cudaMemDiscardAndPrefetchBatchAsync(to, bytes, 2, place, &first, 1, 0, s));
	IS(1, cudaMemDiscardAndPrefetchBatchAsync(to, bytes, 2, place, &first, 3, 0, s));
	IS(1, cudaGetLastError());
	IS(0, cudaFree(a));
	IS(0, cudaStreamDestroy(s));
}

int main(int argc, char **argv)
{
	(void)argc;
	test_library(argv[1]);
	test_batches();
	return bad;
}
