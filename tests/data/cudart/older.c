/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests functions whose arguments changed with a release, as programs of CUDA RELEASE 11 or 12 call them. The
 * runtime that the program is linked with determines the release.
 */
#include "wants.h"

struct graph;
struct node;
struct exec;
int cudaRuntimeGetVersion(int *), cudaFuncGetAttributes(void *, const void *);
int cudaMemPrefetchAsync(const void *, size_t, int, struct stream *),
	cudaMemAdvise(const void *, size_t, int, int);
int cudaCreateTextureObject(unsigned long long *, const void *, const void *, const void *);
int cudaGetTextureObjectTextureDesc(void *, unsigned long long), cudaDestroyTextureObject(unsigned long long);
int cudaGraphCreate(struct graph **, unsigned), cudaGraphDestroy(struct graph *);
int cudaGraphAddEmptyNode(struct node **, struct graph *, struct node **, size_t);
int cudaGraphAddDependencies(struct graph *, struct node **, struct node **, size_t);
int cudaGraphRemoveDependencies(struct graph *, struct node **, struct node **, size_t);
int cudaGraphGetEdges(struct graph *, struct node **, struct node **, size_t *);
int cudaGraphNodeGetDependencies(struct node *, struct node **, size_t *);
int cudaGraphInstantiateWithFlags(struct exec **, struct graph *, unsigned long long);
int cudaGraphExecDestroy(struct exec *);
int cudaStreamBeginCapture(struct stream *, int), cudaStreamEndCapture(struct stream *, struct graph **);
int cudaStreamGetCaptureInfo(struct stream *, int *, unsigned long long *);
struct updated {
	int result;
	struct node *wrong, *from;
};
#if RELEASE == 11
int cudaGraphExecUpdate(struct exec *, struct graph *, struct node **, int *);
#else
int cudaGraphExecUpdate(struct exec *, struct graph *, struct updated *);
#endif

static void test_hints_of_release(void)
{
	char a[144];
	int version = 0;
	void *m;

	IS(0, cudaRuntimeGetVersion(&version));
	IS(RELEASE * 1000, version);
	IS(0, cudaMallocManaged(&m, 100, 1));
	IS(0, cudaMemPrefetchAsync(m, 100, 0, NULL));
	IS(0, cudaMemPrefetchAsync(m, 100, -1, NULL));
	IS(101, cudaMemPrefetchAsync(m, 100, 1, NULL));
	IS(400, cudaMemPrefetchAsync(m, 100, 0, (struct stream *)&m));
	IS(0, cudaMemAdvise(m, 100, 3, -1));
	IS(101, cudaMemAdvise(m, 100, 3, 1));
	IS(0, cudaFree(m));
	memset(a, 0x55, sizeof(a));
	IS(0, cudaFuncGetAttributes(a, &add));
	IS(RELEASE == 11 ? 0x55 : 0, a[56]);
	IS(RELEASE == 11 ? 0x55 : 0, a[140]);
}

/* In release 11, the description of a texture does not have the field seamless_cube. */
static void test_texture_description(void)
{
#if RELEASE == 11
	struct {
		int description[17], after;
	} d = {.after = 1}, seen = {.after = 7};
	unsigned long long object;
	struct {
		int type;
		void *base;
		int bits[4], kind;
		size_t bytes, reserved[12];
		unsigned flags;
	} r = {.type = 2, .bits = {32}, .kind = 2, .bytes = 256};

	IS(0, cudaMalloc(&r.base, 256));
	IS(0, cudaCreateTextureObject(&object, &r, &d, NULL));
	IS(0, cudaGetTextureObjectTextureDesc(&seen, object));
	IS(7, seen.after);
	IS(0, cudaDestroyTextureObject(object));
	IS(0, cudaFree(r.base));
#endif
}

static void test_edges_of_release(void)
{
	struct node *one, *two, *from, *to;
	struct graph *g, *other;
	struct exec *x;
	size_t n = 1;
	int result = 9;

	IS(0, cudaGraphCreate(&g, 0));
	IS(0, cudaGraphAddEmptyNode(&one, g, NULL, 0));
	IS(0, cudaGraphAddEmptyNode(&two, g, NULL, 0));
	IS(0, cudaGraphAddDependencies(g, &one, &two, 1));
	IS(0, cudaGraphGetEdges(g, &from, &to, &n));
	IS(0, n != 1 || from != one || to != two);
	IS(0, cudaGraphNodeGetDependencies(two, &from, &n));
	IS(0, n != 1 || from != one);
	IS(0, cudaGraphInstantiateWithFlags(&x, g, 0));
	IS(0, cudaGraphCreate(&other, 0));
#if RELEASE == 11
	IS(910, cudaGraphExecUpdate(x, other, &to, &result));
#else
	struct updated u = {9, NULL, NULL};

	IS(910, cudaGraphExecUpdate(x, other, &u));
	result = u.result;
#endif
	IS(2, result);
	IS(0, cudaGraphRemoveDependencies(g, &one, &two, 1));
	IS(0, cudaGraphExecDestroy(x));
	IS(0, cudaGraphDestroy(other));
	IS(0, cudaGraphDestroy(g));
}

static void test_capture_info(void)
{
	unsigned long long id = 0;
	struct stream *s;
	struct graph *g;
	int state = 9;

	IS(0, cudaStreamCreate(&s));
	IS(0, cudaStreamBeginCapture(s, 0));
	IS(0, cudaStreamGetCaptureInfo(s, &state, &id));
	IS(1, state);
	IS(1, id != 0);
	IS(0, cudaStreamEndCapture(s, &g));
	IS(0, cudaGraphDestroy(g));
	IS(0, cudaStreamDestroy(s));
}

int main(void)
{
	test_hints_of_release();
	test_texture_description();
	test_edges_of_release();
	test_capture_info();
	return bad;
}
