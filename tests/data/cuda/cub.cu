/* SPDX-License-Identifier: BSD-2-Clause */
/* Device and block algorithms of CUB, compared with the standard library. */
#include "check.cuh"
#include <cub/cub.cuh>
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <vector>

/* Calls f twice: for the size of its temporary storage, then with the storage. */
template <typename F> static void with_room(F f)
{
	void *room = nullptr;
	size_t bytes = 0;

	f(room, bytes);
	cudaMalloc(&room, bytes);
	f(room, bytes);
	cudaFree(room);
}

template <typename T> struct array {
	T *p;
	int n;

	explicit array(int n) : n(n) { cudaMalloc(&p, n * sizeof(T)); }
	explicit array(const std::vector<T> &v) : array((int)v.size())
	{
		cudaMemcpy(p, v.data(), n * sizeof(T), cudaMemcpyHostToDevice);
	}
	~array() { cudaFree(p); }
	std::vector<T> read(int first = -1) const
	{
		std::vector<T> v(first < 0 ? n : first);

		cudaMemcpy(v.data(), p, v.size() * sizeof(T), cudaMemcpyDeviceToHost);
		return v;
	}
};

struct is_odd {
	__host__ __device__ bool operator()(int a) const { return a & 1; }
};

/* The threads of a block scan and sort their values. */
__global__ void in_block(int *scanned, int *sorted)
{
	using scan = cub::BlockScan<int, 128>;
	using sort = cub::BlockRadixSort<int, 128, 4>;
	__shared__ union {
		typename scan::TempStorage a;
		typename sort::TempStorage b;
	} room;
	int v = (int)(threadIdx.x * 7 % 13), key[4];

	scan(room.a).InclusiveSum(v, v);
	scanned[threadIdx.x] = v;
	for (int i = 0; i < 4; i++)
		key[i] = (int)((threadIdx.x * 4 + i) * 2654435761u >> 20);
	__syncthreads();
	sort(room.b).Sort(key);
	for (int i = 0; i < 4; i++)
		sorted[threadIdx.x * 4 + i] = key[i];
}

static void of_device(const std::vector<int> &v)
{
	int n = (int)v.size(), sum = 0;
	std::vector<int> want(v), odd;
	array<int> in(v), out(n), count(1);

	with_room([&](void *r, size_t &b) { cub::DeviceReduce::Sum(r, b, in.p, out.p, n); });
	cudaMemcpy(&sum, out.p, sizeof(sum), cudaMemcpyDeviceToHost);
	CHECK(sum == std::accumulate(v.begin(), v.end(), 0));
	with_room([&](void *r, size_t &b) { cub::DeviceScan::InclusiveSum(r, b, in.p, out.p, n); });
	std::partial_sum(v.begin(), v.end(), want.begin());
	CHECK(out.read() == want);
	with_room([&](void *r, size_t &b) { cub::DeviceRadixSort::SortKeys(r, b, in.p, out.p, n); });
	want = v;
	std::sort(want.begin(), want.end());
	CHECK(out.read() == want);
	with_room([&](void *r, size_t &b) { cub::DeviceSelect::If(r, b, in.p, out.p, count.p, n, is_odd()); });
	std::copy_if(v.begin(), v.end(), std::back_inserter(odd), is_odd());
	CHECK(count.read()[0] == (int)odd.size() && out.read((int)odd.size()) == odd);
}

static void of_block()
{
	array<int> scanned(128), sorted(512);
	std::vector<int> v(128), k(512);

	in_block<<<1, 128>>>(scanned.p, sorted.p);
	for (int i = 0; i < 128; i++)
		v[i] = (i ? v[i - 1] : 0) + i * 7 % 13;
	for (int i = 0; i < 512; i++)
		k[i] = (int)(i * 2654435761u >> 20);
	std::sort(k.begin(), k.end());
	CHECK(scanned.read() == v);
	CHECK(sorted.read() == k);
}

int main()
{
	std::vector<int> v(3000);

	for (int &x : v)
		x = rand() % 2000 - 1000;
	of_device(v);
	of_block();
	return verdict();
}
