/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets, searches, keys, partitions and user types with Thrust, compared with the standard library. */
#include "check.cuh"
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/sort.h>
#include <thrust/scan.h>
#include <thrust/set_operations.h>
#include <thrust/merge.h>
#include <thrust/binary_search.h>
#include <thrust/partition.h>
#include <thrust/transform_reduce.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/complex.h>
#include <algorithm>
#include <numeric>
#include <vector>
struct P {
	int k;
	double v;
	__host__ __device__ bool operator<(const P &o) const { return k != o.k ? k < o.k : v < o.v; }
	__host__ __device__ bool operator==(const P &o) const { return k == o.k && v == o.v; }
};
struct cx {
	__host__ __device__ thrust::complex<float> operator()(int i) const
	{
		return thrust::polar(1.f, 0.001f * i);
	}
};
int main()
{
	const int n = 3000;
	std::vector<P> h(n);
	for (int i = 0; i < n; i++)
		h[i] = {rand() % 50, rand() % 7 * .5};
	thrust::device_vector<P> d(h.begin(), h.end());
	cudaStream_t s;
	cudaStreamCreate(&s);
	thrust::sort(thrust::cuda::par.on(s), d.begin(), d.end());
	cudaStreamSynchronize(s);
	std::sort(h.begin(), h.end());
	{
		std::vector<P> g(n);
		thrust::copy(d.begin(), d.end(), g.begin());
		CHECK(g == h);
	}
	std::vector<int> a(n), b(n);
	for (int i = 0; i < n; i++)
		a[i] = rand() % 4000, b[i] = rand() % 4000;
	std::sort(a.begin(), a.end());
	std::sort(b.begin(), b.end());
	thrust::device_vector<int> da = a, db = b, dc(2 * n);
	{
		std::vector<int> w;
		std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(w));
		auto e = thrust::set_intersection(da.begin(), da.end(), db.begin(), db.end(), dc.begin());
		std::vector<int> g(e - dc.begin());
		thrust::copy(dc.begin(), e, g.begin());
		CHECK(g == w);
	}
	{
		std::vector<int> w(2 * n), g(2 * n);
		std::merge(a.begin(), a.end(), b.begin(), b.end(), w.begin());
		thrust::merge(da.begin(), da.end(), db.begin(), db.end(), dc.begin());
		thrust::copy(dc.begin(), dc.end(), g.begin());
		CHECK(g == w);
	}
	{
		thrust::device_vector<int> lo(n);
		thrust::lower_bound(da.begin(), da.end(), db.begin(), db.end(), lo.begin());
		std::vector<int> g(n);
		thrust::copy(lo.begin(), lo.end(), g.begin());
		bool ok = true;
		for (int i = 0; i < n; i++)
			ok &= g[i] == std::lower_bound(a.begin(), a.end(), b[i]) - a.begin();
		CHECK(ok);
	}
	{
		thrust::device_vector<int> k(n), v(n, 1), o(n);
		for (int i = 0; i < 1; i++)
			;
		thrust::transform(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(n),
			k.begin(), [] __host__ __device__(int i) { return i / 13; });
		thrust::exclusive_scan_by_key(k.begin(), k.end(), v.begin(), o.begin());
		std::vector<int> g(n);
		thrust::copy(o.begin(), o.end(), g.begin());
		bool ok = true;
		for (int i = 0; i < n; i++)
			ok &= g[i] == i % 13;
		CHECK(ok);
		thrust::device_vector<int> ok2(n), ov(n);
		auto r = thrust::reduce_by_key(k.begin(), k.end(), v.begin(), ok2.begin(), ov.begin());
		CHECK(r.first - ok2.begin() == (n + 12) / 13);
		CHECK(ov[0] == 13);
	}
	CHECK(thrust::inner_product(da.begin(), da.end(), db.begin(), 0ll) ==
		std::inner_product(a.begin(), a.end(), b.begin(), 0ll));
	{
		thrust::complex<float> t = thrust::transform_reduce(thrust::counting_iterator<int>(0),
			thrust::counting_iterator<int>(100), cx(), thrust::complex<float>(0),
			thrust::plus<thrust::complex<float>>());
		thrust::complex<float> w = 0;
		for (int i = 0; i < 100; i++)
			w += cx()(i);
		CHECK(abs(t - w) < 1e-3f);
	}
	{
		auto m = thrust::stable_partition(
			da.begin(), da.end(), [] __host__ __device__(int x) { return x % 3 == 0; });
		auto w = std::stable_partition(a.begin(), a.end(), [](int x) { return x % 3 == 0; });
		CHECK(m - da.begin() == w - a.begin());
		std::vector<int> g(n);
		thrust::copy(da.begin(), da.end(), g.begin());
		CHECK(g == a);
	}
	return verdict();
}
