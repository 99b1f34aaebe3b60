// SPDX-License-Identifier: BSD-2-Clause
// Sum of two vectors: a kernel bound by memory bandwidth.   usage: vecadd [N]
#include <vector>
#include "common.h"

extern "C" __global__ void vecadd(const float *a, const float *b, float *c, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		c[i] = a[i] + b[i];
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 16384;
	std::vector<float> a(n), b(n), c(n);
	Random ra(1), rb(2);
	bool good = true;

	for (int i = 0; i < n; i++) {
		a[i] = ra.real();
		b[i] = rb.real();
	}
	float *da = on_device(a.data(), n), *db = on_device(b.data(), n), *dc = on_device<float>(nullptr, n);
	vecadd<<<(n + 255) / 256, 256>>>(da, db, dc, n);
	CHECK(cudaDeviceSynchronize());
	to_host(c.data(), dc, n);
	for (int i = 0; i < n; i++)
		good = good && c[i] == a[i] + b[i];
	CHECK(cudaFree(da));
	CHECK(cudaFree(db));
	CHECK(cudaFree(dc));
	return verdict("vecadd", good);
}
