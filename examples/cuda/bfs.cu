// SPDX-License-Identifier: BSD-2-Clause
// Breadth-first search, one launch per level, in a random graph whose nodes have DEGREE neighbours.
// usage: bfs [NODES]
#include <vector>
#include "common.h"

#define DEGREE 4

extern "C" __global__ void bfs(const int *neighbour, int *level, int *more, int now, int n)
{
	int node = blockIdx.x * blockDim.x + threadIdx.x;

	if (node >= n || level[node] != now)
		return;
	for (int k = 0; k < DEGREE; k++)
		if (atomicCAS(&level[neighbour[node * DEGREE + k]], -1, now + 1) == -1)
			atomicExch(more, 1);
}

extern "C" __global__ void bfs_begin(int *level, int root)
{
	level[root] = 0;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 4096, more = 1, now = 0, zero = 0;
	std::vector<int> neighbour(n * DEGREE), level(n, -1), wanted(n, -1), queue(1, 0);
	bool good = true;
	Random r(1);

	for (int &k : neighbour)
		k = (int)(r.integer() % (unsigned)n);
	wanted[0] = 0;
	int *dneighbour = on_device(neighbour.data(), n * DEGREE), *dlevel = on_device(level.data(), n);
	int *dmore = on_device<int>(nullptr, 1);
	bfs_begin<<<1, 1>>>(dlevel, 0);
	while (more) {
		CHECK(cudaMemcpy(dmore, &zero, sizeof zero, cudaMemcpyHostToDevice));
		bfs<<<(n + 255) / 256, 256>>>(dneighbour, dlevel, dmore, now++, n);
		CHECK(cudaDeviceSynchronize());
		to_host(&more, dmore, 1);
	}
	to_host(level.data(), dlevel, n);
	for (size_t i = 0; i < queue.size(); i++)
		for (int k = 0; k < DEGREE; k++) {
			int to = neighbour[queue[i] * DEGREE + k];

			if (wanted[to] < 0) {
				wanted[to] = wanted[queue[i]] + 1;
				queue.push_back(to);
			}
		}
	for (int i = 0; i < n; i++)
		good = good && level[i] == wanted[i];
	printf("%d levels\n", now);
	CHECK(cudaFree(dneighbour));
	CHECK(cudaFree(dlevel));
	CHECK(cudaFree(dmore));
	return verdict("bfs", good);
}
