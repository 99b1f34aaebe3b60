/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Launches kernels twenty times with the same arguments or in a cycle, and prints an element of the result after each
 * launch.
 *
 * usage: effects reset|fresh|unset|restore|swap|half|managed|thread|counter|count|malloc|number|texture|graph
 *   reset    a += 1; a is set to 0 before each launch
 *   fresh    the same; before that, a is freed and allocated again
 *   unset    a += 1; a is freed and allocated again before each launch, so that it is uninitialised
 *   restore  a += 1; a is copied from the host before each launch, with another value for the eleventh
 *   half     a += 1; the first half of a is set to 0 before each launch, the other half never
 *   managed  a += 1 in managed memory, which the host sets to 0 before each launch
 *   thread   the same; before the eleventh launch a thread begins
 *   swap     b = a + 1, then a = b + 1, and so on; a is set to 0 before every fourth launch
 *   counter  a = the values of a counter that is reset before each launch
 *   count    a = the values of a counter that is never reset
 *   malloc   a kernel allocates and frees memory
 *   number   a = the number of the launch
 *   texture  a = the texels of b; b is set to 5 before the eleventh launch
 *   graph    a += 1 in a graph, in which a is set to 0 before
 *
 * counter, count, malloc, number and texture need the kernels of effects.ptx; the others those of repeats.ptx.
 */
#include <pthread.h>
#include <unistd.h>
#include "graph.h"
#include "textures.h"

#define N 1024u

int cudaCreateTextureObject(
	unsigned long long *, const struct resource *, const struct sampler *, const void *);
int cudaStreamBeginCapture(struct stream *, int), cudaStreamEndCapture(struct stream *, struct graph **);
int cudaGraphInstantiate(struct exec **, struct graph *, unsigned long long);

static const char *how;
static unsigned *a, *b;
static unsigned long long texture;
static struct stream *stream;
static struct exec *exec;

static int is(const char *name) { return !strcmp(how, name); }

static void make_texture(void)
{
	struct resource r = {.type = 2, .data.memory = {b, {32, 0, 0, 0, 1}, N * sizeof(*b), 0, 0}};
	struct sampler s = {.filter = 0};

	cudaCreateTextureObject(&texture, &r, &s, NULL);
}

static void make_graph(void)
{
	struct graph *g;
	struct dim3 grid = {1, 1, 1}, block = {N, 1, 1};

	cudaStreamCreate(&stream);
	cudaStreamBeginCapture(stream, 0);
	cudaMemsetAsync(a, 0, N * sizeof(*a), stream);
	cudaLaunchKernel(&scale, grid, block, (void *[]){&a, &b}, 0, stream);
	cudaStreamEndCapture(stream, &g);
	cudaGraphInstantiate(&exec, g, 0);
}

static void *sleep_for_ever(void *none)
{
	for (;;)
		pause();
	return none;
}

static int is_managed(void) { return is("managed") || is("thread"); }

/* Changes memory before launch number i. */
static void prepare(unsigned i)
{
	unsigned in[N], seven = 7;

	for (unsigned k = 0; k < N; k++)
		in[k] = i < 10 ? k : k + 1;
	if (is("fresh") || is("unset")) {
		cudaFree(a);
		cudaMalloc((void **)&a, N * sizeof(*a));
	}
	if (is("reset") || is("fresh") || (is("swap") && i % 4 == 0))
		cudaMemset(a, 0, N * sizeof(*a));
	if (is("half"))
		cudaMemset(a, 0, N / 2 * sizeof(*a));
	if (is("restore"))
		cudaMemcpy(a, in, sizeof(in), HOST_TO_DEVICE);
	if (is("counter"))
		cudaMemcpyToSymbol(&counter, &seven, sizeof(seven), 0, HOST_TO_DEVICE);
	for (unsigned k = 0; is_managed() && k < N; k++)
		a[k] = 0;
	if (is("thread") && i == 10)
		pthread_create(&(pthread_t){0}, NULL, sleep_for_ever, NULL);
	if (is("texture") && i == 10)
		cudaMemset(b, 5, N * sizeof(*b));
}

static int launch(unsigned i)
{
	const char *kernel = is("counter") || is("count") || is("swap") ? &add
			     : is("malloc")                             ? &wild
			     : is("number")                             ? &odd
									: &scale;

	if (is("graph"))
		return cudaGraphLaunch(exec, stream);
	if (is("texture"))
		return launch_1d(kernel, 1, N, 0, (void *[]){&a, &texture});
	return launch_1d(kernel, 1, N, 0, is("swap") && i % 2 ? (void *[]){&b, &a} : (void *[]){&a, &b});
}

int main(int argc, char **argv)
{
	unsigned status = 0, one = 1;

	how = argc > 1 ? argv[1] : "reset";
	if (is_managed() ? cudaMallocManaged((void **)&a, N * sizeof(*a), 1)
			 : cudaMalloc((void **)&a, N * sizeof(*a)))
		return 3;
	if (cudaMalloc((void **)&b, N * sizeof(*b)) || cudaMemset(a, 0, N * sizeof(*a)) ||
		cudaMemset(b, 0, N * sizeof(*b)))
		return 3;
	if (is("swap"))
		cudaMemcpyToSymbol(factor, &one, sizeof(one), 0, HOST_TO_DEVICE);
	if (is("texture"))
		make_texture();
	if (is("graph"))
		make_graph();
	for (unsigned i = 0; i < 20 && !status; i++) {
		unsigned out = 0;

		prepare(i);
		status = (unsigned)launch(i);
		cudaDeviceSynchronize();
		cudaMemcpy(&out, (is("swap") && i % 2 == 0 ? b : a) + N - 1, sizeof(out), DEVICE_TO_HOST);
		printf("%u ", out);
		fflush(stdout);
	}
	puts(cudaGetErrorString((int)status));
	cudaFree(a);
	cudaFree(b);
	return status != 0;
}
