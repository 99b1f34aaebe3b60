// SPDX-License-Identifier: BSD-2-Clause
// The micro-benchmarks of a measured file, on the GPU of this host: pointer chases, bandwidths, strides, streams,
// chains of instructions. Run by ./measure, which compiles it.
//
// usage: bench NAME >NAME.measured
// Each figure is the median of nine runs after one that does not count. Cycles are those of the SM's own counter where
// a kernel times itself; times of whole kernels are from events, with a note of the clock they are multiplied by.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#define RUNS 9

static const char *gpu;
static int n_rows, sms;
static double clock_mhz;

static void check(cudaError_t e, int line)
{
	if (e == cudaSuccess)
		return;
	fprintf(stderr, "bench.cu:%d: %s\n", line, cudaGetErrorString(e));
	exit(2);
}
#define CHECK(call) check(call, __LINE__)

static double median(std::vector<double> v)
{
	std::sort(v.begin(), v.end());
	return v[v.size() / 2];
}

static void row(const std::string &workload, const std::string &params, const char *metric, double value, const char *unit)
{
	printf("%s-%03d\t%s\t%s\t%s\t%s\t%.6g\t%s\t\t\t%.0f\tbench.cu\tmeasured on this GPU\t\n", gpu, ++n_rows, gpu,
		workload.c_str(), params.c_str(), metric, value, unit, clock_mhz);
	fflush(stdout);
}

// Seconds of a launch, by events.
template <typename F> static double seconds(F launch)
{
	std::vector<double> t;
	cudaEvent_t from, to;

	CHECK(cudaEventCreate(&from));
	CHECK(cudaEventCreate(&to));
	for (int i = -1; i < RUNS; i++) {
		float ms;

		CHECK(cudaEventRecord(from));
		launch();
		CHECK(cudaEventRecord(to));
		CHECK(cudaEventSynchronize(to));
		CHECK(cudaGetLastError());
		CHECK(cudaEventElapsedTime(&ms, from, to));
		if (i >= 0)
			t.push_back(ms / 1e3);
	}
	CHECK(cudaEventDestroy(from));
	CHECK(cudaEventDestroy(to));
	return median(t);
}

// ---- pointer chase: lines of 128 bytes in random order -----------------------------------------------------

__global__ void chase(void **p, long loads, long long *cycles, void **sink)
{
	void **q = p;

	for (long i = 0; i < loads; i++) // caches warm
		q = (void **)*q;
	long long from = clock64();
#pragma unroll 32
	for (long i = 0; i < loads; i++)
		q = (void **)*q;
	*cycles = clock64() - from;
	*sink = q;
}

static void chases()
{
	static const double kb[] = {2, 4, 8, 16, 32, 48, 64, 96, 128, 160, 192, 224, 256, 320, 512, 1024, 2048, 4096, 8192, 12288,
		16384, 20480, 24576, 28672, 32768, 40960, 49152, 57344, 65536, 98304, 131072, 262144, 524288, 1048576};
	long long *cycles;
	void **sink;

	CHECK(cudaMallocManaged(&cycles, sizeof *cycles));
	CHECK(cudaMalloc(&sink, sizeof *sink));
	for (double k : kb) {
		long n = (long)(k * 1024 / 128), loads = std::max(n, 32768L);
		std::vector<long> order(n);
		std::vector<uint64_t> line(n * 16);
		std::vector<double> v;
		char params[64];
		uint64_t *d;

		CHECK(cudaMalloc(&d, n * 128));
		std::iota(order.begin(), order.end(), 0L);
		std::shuffle(order.begin() + 1, order.end(), std::mt19937_64(1));
		for (long i = 0; i < n; i++)
			line[order[i] * 16] = (uint64_t)(d + order[(i + 1) % n] * 16);
		CHECK(cudaMemcpy(d, line.data(), n * 128, cudaMemcpyHostToDevice));
		for (int i = 0; i < (loads > 1000000 ? 3 : RUNS); i++) {
			chase<<<1, 1>>>((void **)d, loads, cycles, sink);
			CHECK(cudaDeviceSynchronize());
			v.push_back((double)*cycles / loads);
		}
		snprintf(params, sizeof params, "footprint_kB=%g", k);
		row("pointer-chase", params, "latency of one dependent load", median(v), "cycles");
		CHECK(cudaFree(d));
	}
}

// ---- every SM reads one buffer again and again ------------------------------------------------------------------

__global__ void read_again(const float *b, int loads, int rounds, float *sink)
{
	float sum = 0;

	for (int r = 0; r < rounds; r++)
#pragma unroll 16
		for (int i = 0; i < loads; i++)
			sum += __ldg(b + (size_t)i * 256 + threadIdx.x + (r & 0));
	if (sum == 1234.5f)
		*sink = sum;
}

static void caches()
{
	static const int kb[] = {2, 4, 8, 16, 32, 64, 96, 128, 160, 192, 256, 512, 1024, 4096, 16384, 65536};
	float *b;

	CHECK(cudaMalloc(&b, 65536u << 10));
	CHECK(cudaMemset(b, 0, 65536u << 10));
	for (int k : kb) {
		int loads = k, rounds = std::max(4, 400000 / loads);
		double t = seconds([&] { read_again<<<sms, 256>>>(b, loads, rounds, b); });
		char params[64];

		snprintf(params, sizeof params, "footprint_kB_per_SM=%d", k);
		row("gpu-cache", params, "read bandwidth, all SMs", 1024.0 * k * rounds * sms / t / 1e9, "GB/s");
	}
	CHECK(cudaFree(b));
}

// ---- CTAs that read a share of a buffer each ---------------------------------------------------------------------

__global__ void read_share(const double *b, int run, double *sink)
{
	double sum = 0;

#pragma unroll
	for (int i = 0; i < 64; i++)
		sum += b[(size_t)blockDim.x * run * i + (blockIdx.x % run) * blockDim.x + threadIdx.x];
	if (sum == 1234.5)
		*sink = sum;
}

static void shares()
{
	static const int kb[] = {4096, 8192, 16384, 24576, 32768, 49152, 65536, 131072};
	double *b;

	CHECK(cudaMalloc(&b, (size_t)131072 << 10));
	CHECK(cudaMemset(b, 0, (size_t)131072 << 10));
	for (int k : kb) {
		double t = seconds([&] { read_share<<<20000, 1024>>>(b, k / 512, b); });
		char params[64];

		snprintf(params, sizeof params, "block_kB=512,total_kB=%d", k);
		row("gpu-l2-cache", params, "read bandwidth", 20000 * 512.0 * 1024 / t / 1e9, "GB/s");
	}
	CHECK(cudaFree(b));
}

// ---- streams --------------------------------------------------------------------------------------------------------

enum { INIT, READ, SCALE, TRIAD };

template <int KIND> __global__ void stream(double *a, const double *b, const double *c, size_t n)
{
	size_t i = threadIdx.x + (size_t)blockIdx.x * blockDim.x;

	if (i >= n)
		return;
	if (KIND == INIT)
		a[i] = 0.5;
	else if (KIND == SCALE)
		a[i] = 1.2 * b[i];
	else if (KIND == TRIAD)
		a[i] = 1.2 * b[i] + c[i];
	else if (b[i] == 1234.5)
		a[i] = 1;
}

static void streams(int threads_of_sm)
{
	const size_t n = (size_t)64 << 20;
	double *a, *b, *c;
	char params[64];
	int blocks = (int)(n / 1024);

	CHECK(cudaMalloc(&a, n * 8));
	CHECK(cudaMalloc(&b, n * 8));
	CHECK(cudaMalloc(&c, n * 8));
	CHECK(cudaMemset(b, 0, n * 8));
	CHECK(cudaMemset(c, 0, n * 8));
	snprintf(params, sizeof params, "line=1024 %d %.1f %%", sms * (threads_of_sm / 1024 * 1024),
		100.0 * (threads_of_sm / 1024 * 1024) / threads_of_sm);
	auto put = [&](const char *name, double arrays, double t) {
		row(std::string("stream/") + name, params, "bandwidth", arrays * n * 8 / t / 1e9, "GB/s");
	};
	put("init", 1, seconds([&] { stream<INIT><<<blocks, 1024>>>(a, b, c, n); }));
	put("read", 1, seconds([&] { stream<READ><<<blocks, 1024>>>(a, b, c, n); }));
	put("scale", 2, seconds([&] { stream<SCALE><<<blocks, 1024>>>(a, b, c, n); }));
	put("triad", 3, seconds([&] { stream<TRIAD><<<blocks, 1024>>>(a, b, c, n); }));
	CHECK(cudaFree(a));
	CHECK(cudaFree(b));
	CHECK(cudaFree(c));
}

// ---- strides: loads that hit the L1, by the distance of the lanes ------------------------------------------------------

template <typename T> __global__ void strides(const T *a, int stride, int zero, long long *cycles, T *sink)
{
	const T *p = a + threadIdx.x % 64 * stride;
	T sum = 0;
	long long from = 0;

#pragma unroll 1
	for (int n = -64; n < 512; n++) {
		if (n == 0) {
			__syncthreads();
			from = clock64();
		}
		p += zero;
		sum += p[0] * p[4];
		sum += p[8] * p[12];
		sum += p[20] * p[16];
		sum += p[24] * p[28];
	}
	__syncthreads();
	if (threadIdx.x == 0)
		*cycles = clock64() - from;
	if (sum == (T)1234.5)
		*sink = sum;
}

template <typename T> static void stride_rows(const char *name)
{
	long long *cycles;
	T *a;

	CHECK(cudaMallocManaged(&cycles, sizeof *cycles));
	CHECK(cudaMalloc(&a, 1 << 20));
	CHECK(cudaMemset(a, 0, 1 << 20));
	for (int s = 0; s <= 33; s++) {
		std::vector<double> v;
		char params[32];

		for (int i = 0; i < RUNS; i++) {
			strides<T><<<1, 1024>>>(a, s, 0, cycles, a);
			CHECK(cudaDeviceSynchronize());
			v.push_back((double)*cycles / (512.0 * 8 * 32));
		}
		snprintf(params, sizeof params, "stride=%d", s);
		row(std::string("gpu-strides ") + name + " stride", params, "cycles per load", median(v), "cycles");
	}
	CHECK(cudaFree(a));
	CHECK(cudaFree(cycles));
}

// ---- chains ----

template <int KIND> __global__ void chain(long long *cycles, float *sink, float f, double d, unsigned *at)
{
	__shared__ unsigned s[32];
	unsigned i = 0;

	s[threadIdx.x] = 0;
	__syncthreads();
	for (int round = 0; round < 2; round++) {
		long long from = clock64();
#pragma unroll 256
		for (int n = 0; n < 4096; n++) {
			if (KIND == 0)
				f = fmaf(f, f, f);
			else if (KIND == 1)
				d = fma(d, d, d);
			else if (KIND == 2)
				i = ((volatile unsigned *)s)[i];
			else
				i = atomicAdd(at + i, 0);
		}
		*cycles = clock64() - from;
	}
	*sink = f + (float)d + (float)i;
}

template <int KIND> static void chain_row(const char *workload, const char *params)
{
	std::vector<double> v;
	long long *cycles;
	unsigned *at;

	CHECK(cudaMallocManaged(&cycles, sizeof *cycles));
	CHECK(cudaMalloc(&at, 128));
	CHECK(cudaMemset(at, 0, 128));
	for (int i = 0; i < RUNS; i++) {
		chain<KIND><<<1, 1>>>(cycles, (float *)at + 16, 1.0f, 1.0, at);
		CHECK(cudaDeviceSynchronize());
		v.push_back((double)*cycles / 4096);
	}
	row(workload, params, "cycles of one", median(v), "cycles");
	CHECK(cudaFree(at));
	CHECK(cudaFree(cycles));
}

int main(int argc, char **argv)
{
	cudaDeviceProp p;
	int khz;

	if (argc != 2) {
		fprintf(stderr, "usage: bench NAME >NAME.measured\n");
		return 2;
	}
	gpu = argv[1];
	CHECK(cudaGetDeviceProperties(&p, 0));
	CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
	sms = p.multiProcessorCount;
	clock_mhz = getenv("CLOCK_MHZ") ? atof(getenv("CLOCK_MHZ")) : khz / 1e3;
	printf("# %s, %d SMs, compute capability %d.%d, L2 of %d KiB\n", p.name, sms, p.major, p.minor, p.l2CacheSize / 1024);
	printf("id\tgpu\tworkload\tparams\tmetric\tvalue\tunit\tmin\tmax\tclock_mhz\ttool\tsource\tnote\n");
	chases();
	caches();
	shares();
	streams(p.maxThreadsPerMultiProcessor);
	stride_rows<float>("float");
	stride_rows<double>("double");
	chain_row<0>("chain", "ops=FFMA");
	chain_row<1>("chain", "ops=DFMA");
	chain_row<2>("latency/shared load", "");
	chain_row<3>("latency/atomic", "");
	return 0;
}
