/* SPDX-License-Identifier: BSD-2-Clause */
/* Algorithms of Thrust, compared with the standard library. */
#include "check.cuh"
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/sort.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/unique.h>
#include <thrust/transform.h>
#include <thrust/copy.h>
#include <thrust/sequence.h>
#include <algorithm>
#include <numeric>
#include <cstdlib>
struct sq {
	__host__ __device__ int operator()(int a) const { return a * a; }
};
struct odd {
	__host__ __device__ bool operator()(int a) const { return a & 1; }
};
int main()
{
	int n = 5000;
	thrust::host_vector<int> h(n), v(n);
	for (int i = 0; i < n; i++) {
		h[i] = rand() % 1000 - 500;
		v[i] = i;
	}
	thrust::device_vector<int> d = h;
	CHECK(thrust::reduce(d.begin(), d.end()) == std::accumulate(h.begin(), h.end(), 0));
	CHECK(*thrust::max_element(d.begin(), d.end()) == *std::max_element(h.begin(), h.end()));
	thrust::device_vector<int> s(n);
	thrust::inclusive_scan(d.begin(), d.end(), s.begin());
	thrust::host_vector<int> hs(n);
	std::partial_sum(h.begin(), h.end(), hs.begin());
	CHECK(thrust::host_vector<int>(s) == hs);
	thrust::transform(d.begin(), d.end(), s.begin(), sq());
	for (int i = 0; i < n; i++)
		hs[i] = h[i] * h[i];
	CHECK(thrust::host_vector<int>(s) == hs);
	CHECK(thrust::count_if(d.begin(), d.end(), odd()) == std::count_if(h.begin(), h.end(), odd()));
	auto e = thrust::copy_if(d.begin(), d.end(), s.begin(), odd());
	auto he = std::copy_if(h.begin(), h.end(), hs.begin(), odd());
	CHECK(e - s.begin() == he - hs.begin());
	CHECK(std::equal(hs.begin(), he, thrust::host_vector<int>(s).begin()));
	thrust::device_vector<int> dv = v;
	thrust::device_vector<int> dk = d;
	thrust::stable_sort_by_key(dk.begin(), dk.end(), dv.begin());
	thrust::host_vector<int> hv = v;
	std::stable_sort(hv.begin(), hv.end(), [&](int a, int b) { return h[a] < h[b]; });
	CHECK(thrust::host_vector<int>(dv) == hv);
	thrust::sort(d.begin(), d.end());
	std::sort(h.begin(), h.end());
	CHECK(thrust::host_vector<int>(d) == h);
	auto u = thrust::unique(d.begin(), d.end());
	auto hu = std::unique(h.begin(), h.end());
	CHECK(u - d.begin() == hu - h.begin());
	thrust::device_vector<double> f(n);
	thrust::sequence(f.begin(), f.end());
	CHECK(thrust::reduce(f.begin(), f.end(), 0.0) == 5000.0 * 4999 / 2);
	thrust::sort(f.begin(), f.end(), thrust::greater<double>());
	CHECK(f[0] == 4999 && f[4999] == 0);
	return verdict();
}
