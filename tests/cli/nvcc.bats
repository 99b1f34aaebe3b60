#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-exec --run: programs compiled by nvcc. The tests are skipped where it is not installed.

bats_require_minimum_version 1.5.0
load helper
load cudart_programs

setup_file() { stub_runtime; }

@test "a program compiled by nvcc runs" {
	PATH=$PATH:/usr/local/cuda/bin
	command -v nvcc >/dev/null || skip 'no nvcc'
	cat >nv.cu <<-'C'
		#include <cstdio>
		__device__ int seen[4];
		template <typename T> __global__ void axpy(T a, const T *x, T *y, int n)
		{
			extern __shared__ char room[];
			T *s = (T *)room;
			int i = blockIdx.x * blockDim.x + threadIdx.x;
			s[threadIdx.x] = i < n ? x[i] : T(0);
			__syncthreads();
			if (i < n)
				y[i] = a * s[threadIdx.x] + y[i];
			if (!threadIdx.x)
				atomicAdd(&seen[blockIdx.x % 4], 1);
			if (!i)
				printf("thread %d of %d\n", i, n);
		}
		int main()
		{
			const int n = 1000;
			double *x, *y;
			int h[4];
			cudaMallocManaged(&x, n * sizeof *x);
			cudaMallocManaged(&y, n * sizeof *y);
			for (int i = 0; i < n; i++)
				x[i] = i, y[i] = 1;
			axpy<<<8, 128, 128 * sizeof(double)>>>(2.0, x, y, n);
			cudaError_t e = cudaDeviceSynchronize();
			cudaMemcpyFromSymbol(h, seen, sizeof h);
			cudaDeviceProp p;
			cudaGetDeviceProperties(&p, 0);
			printf("%s %g %d %s %d\n", cudaGetErrorString(e), y[999], h[3], p.name, p.multiProcessorCount);
			cudaFree(x);
			cudaFree(y);
		}
	C
	nvcc -cudart shared -arch=sm_75 -o nv nv.cu || skip 'nvcc does not work here'
	run -0 trace-exec -n -g qv100 --run ./nv
	assert_line 'thread 0 of 1000'
	assert_line 'no error 1999 2 qv100 80'
	run -0 trace-exec -o out --run ./nv
	run -0 grep -c . out/kernelslist.g
	assert_line '1'
	run -0 grep '^-nregs' out/kernel-1.traceg
	refute_line '-nregs = 0'
}

@test "printf in machine code prints strings of local and shared memory" {
	PATH=$PATH:/usr/local/cuda/bin
	command -v nvcc >/dev/null || skip 'no nvcc'
	cat >text.cu <<-'C'
		#include <cstdio>
		__global__ void say(int n)
		{
			char s[16];
			__shared__ char t[16];
			for (int i = 0; i < 15; i++)
				s[i] = 'a' + i % n, t[i] = 'A' + i % n;
			s[15] = t[15] = 0;
			printf("%s %s\n", s, t);
		}
		int main() { say<<<1, 1>>>(4); return cudaDeviceSynchronize(); }
	C
	nvcc -arch=sm_80 -cudart shared -o text text.cu
	run -0 trace-exec -n -g a100 --code sass --run ./text
	assert_line 'abcdabcdabcdabc ABCDABCDABCDABC'
}

@test "a recursive function may use the stack up to the limit" {
	PATH=$PATH:/usr/local/cuda/bin
	command -v nvcc >/dev/null || skip 'no nvcc'
	cat >deep.cu <<-'C'
		#include <cstdio>
		#include <cstdlib>
		__device__ __noinline__ int step(int n) { return n ? step(n - 1) * 3 ^ n : 1; }
		__global__ void all(int *x, int n) { x[threadIdx.x] = step(n); }
		int main(int argc, char **argv)
		{
			int *x, back[32], n = atoi(argv[1]);
			if (argc > 2)
				cudaDeviceSetLimit(cudaLimitStackSize, atoi(argv[2]));
			cudaMalloc(&x, sizeof back);
			all<<<1, 32>>>(x, n);
			cudaMemcpy(back, x, sizeof back, cudaMemcpyDeviceToHost);
			printf("%d\n", back[31]);
			cudaFree(x);
		}
	C
	nvcc -arch=sm_80 -cudart shared -o deep deep.cu
	run -0 trace-exec -n -g a100 --code sass --run ./deep 12
	assert_line 276217
	run -1 trace-exec -n -g a100 --code sass --run ./deep 900
	assert_line --regexp 'error: write of 4 bytes at byte [0-9]+ of .local, which has 10[0-9]+ bytes'
	trace-exec -n -g a100 --code ptx --run ./deep 900 >ptx
	trace-exec -n -g a100 --code sass --run ./deep 900 65536 >sass
	cmp ptx sass
	printf '%s\n' 'module deep' 'stack bytes=65536' 'buffer A bytes=128 zero' \
		'launch _Z3allPii grid=1 block=32 args A,i32:900' 'save A a' >k.launch
	run -0 trace-exec -n k.launch
	assert_output ''
	[ "$(od -An -td4 -j124 a | tr -d ' ')" = "$(sed -n 1p ptx)" ]
	sed -i '/^stack/d' k.launch
	run -1 trace-exec -n k.launch
	assert_output --partial 'cudaDeviceSetLimit, or stack in a launch file, enlarges)'
	echo 'stack bytes=524289' >>k.launch
	run -2 trace-exec -n k.launch
	assert_output --partial 'k.launch:5:7: error: '
}

@test "graphs in a program compiled by nvcc run" {
	PATH=$PATH:/usr/local/cuda/bin
	command -v nvcc >/dev/null || skip 'no nvcc'
	cat >g.cu <<-'C'
		#include <cstdio>
		__global__ void more(int *x, int by) { x[threadIdx.x] += by; }
		int main()
		{
			int *x, back[32] = {}, by = 2;
			size_t n = 0;
			void *args[] = {&x, &by};
			cudaStream_t s;
			cudaGraph_t g, h;
			cudaGraphExec_t e;
			cudaGraphNode_t a, b;
			cudaMemsetParams zero = {};
			cudaKernelNodeParams k = {};
			cudaStreamCreate(&s);
			cudaMalloc(&x, sizeof back);
			cudaMemset(x, 0, sizeof back);
			cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
			for (int i = 0; i < 3; i++)
				more<<<1, 32, 0, s>>>(x, i);
			cudaMemcpyAsync(back, x, sizeof back, cudaMemcpyDeviceToHost, s);
			cudaStreamEndCapture(s, &g);
			cudaGraphGetNodes(g, nullptr, &n);
			cudaGraphInstantiate(&e, g, 0);
			for (int i = 0; i < 4; i++)
				cudaGraphLaunch(e, s);
			cudaStreamSynchronize(s);
			printf("%zu nodes, %d\n", n, back[31]);
			cudaGraphCreate(&h, 0);
			k.func = (void *)more, k.gridDim = dim3(1), k.blockDim = dim3(32), k.kernelParams = args;
			zero.dst = x, zero.elementSize = 4, zero.width = 32, zero.height = 1, zero.value = 40;
			cudaGraphAddKernelNode(&a, h, nullptr, 0, &k);
			cudaGraphAddMemsetNode(&b, h, nullptr, 0, &zero);
		#if CUDART_VERSION >= 13000
			cudaGraphAddDependencies(h, &b, &a, nullptr, 1);
		#else
			cudaGraphAddDependencies(h, &b, &a, 1);
		#endif
			cudaGraphExecDestroy(e);
			cudaGraphInstantiate(&e, h, 0);
			cudaGraphLaunch(e, s);
			cudaMemcpy(back, x, sizeof back, cudaMemcpyDeviceToHost);
			printf("%d, %s\n", back[31], cudaGetErrorString(cudaGetLastError()));
			cudaGraphExecDestroy(e), cudaGraphDestroy(g), cudaGraphDestroy(h), cudaStreamDestroy(s);
			cudaFree(x);
		}
	C
	nvcc -cudart shared -arch=sm_75 -o g g.cu || skip 'nvcc does not work here'
	run -0 trace-exec -n --run ./g
	assert_line '4 nodes, 12'
	assert_line '42, no error'
}

@test "textures, surfaces, clusters and a grid barrier in a program compiled by nvcc work" {
	PATH=$PATH:/usr/local/cuda/bin
	command -v nvcc >/dev/null || skip 'no nvcc'
	cat >more.cu <<-'C'
		#include <cstdio>
		#include <cooperative_groups.h>
		namespace cg = cooperative_groups;
		__device__ unsigned total;
		__global__ void fetch(cudaTextureObject_t t, cudaSurfaceObject_t s, float *o)
		{
			float4 v = tex2D<float4>(t, (threadIdx.x + .5f) / 8, .5f / 4);
			o[threadIdx.x] = v.x + v.w;
			surf2Dwrite(make_uchar4(1, 2, 3, threadIdx.x), s, threadIdx.x * 4, 2);
		}
		__global__ void together(unsigned *o)
		{
			cg::grid_group g = cg::this_grid();
			for (int i = 0; i < 3; i++) {
				if (!threadIdx.x)
					atomicAdd(&total, blockIdx.x + 1);
				g.sync();
				if (threadIdx.x == i)
					o[blockIdx.x * 3 + i] = total;
				g.sync();
			}
		}
		__global__ void __cluster_dims__(2, 1, 1) pair(unsigned *o)
		{
			__shared__ unsigned v;
			cg::cluster_group c = cg::this_cluster();
			v = blockIdx.x * 10;
			c.sync();
			o[blockIdx.x] = *c.map_shared_rank(&v, 1 - c.block_rank());
			c.sync();
		}
		__global__ void quad(unsigned *o) { o[blockIdx.x] = cg::this_cluster().num_blocks(); }
		int main()
		{
			uchar4 h[4][8];
			for (int i = 0; i < 32; i++)
				h[i / 8][i % 8] = make_uchar4(i * 8, 0, 0, 255);
			cudaChannelFormatDesc d = cudaCreateChannelDesc<uchar4>();
			cudaArray_t a;
			cudaMallocArray(&a, &d, 8, 4, cudaArraySurfaceLoadStore);
			cudaMemcpy2DToArray(a, 0, 0, h, 32, 32, 4, cudaMemcpyHostToDevice);
			cudaResourceDesc r = {};
			r.res.array.array = a;
			cudaTextureDesc t = {};
			t.readMode = cudaReadModeNormalizedFloat;
			t.normalizedCoords = 1;
			cudaTextureObject_t to;
			cudaSurfaceObject_t so;
			cudaCreateTextureObject(&to, &r, &t, 0);
			cudaCreateSurfaceObject(&so, &r);
			float *o;
			unsigned *u;
			cudaMallocManaged(&o, 64);
			cudaMallocManaged(&u, 256);
			fetch<<<1, 8>>>(to, so, o);
			printf("%s %g\n", cudaGetErrorString(cudaDeviceSynchronize()), o[7]);
			cudaMemcpy2DFromArray(h, 32, a, 0, 0, 32, 4, cudaMemcpyDeviceToHost);
			printf("%d %d\n", h[2][5].w, h[2][5].y);
			void *args[] = {&u};
			cudaLaunchCooperativeKernel((void *)together, dim3(5), dim3(64), args, 0, 0);
			printf("%s", cudaGetErrorString(cudaDeviceSynchronize()));
			for (int i = 0; i < 15; i++)
				printf(" %u", u[i]);
			pair<<<4, 1>>>(u);
			printf("\n%s", cudaGetErrorString(cudaDeviceSynchronize()));
			cudaLaunchConfig_t c = {};
			cudaLaunchAttribute attribute[1];
			attribute[0].id = cudaLaunchAttributeClusterDimension;
			attribute[0].val.clusterDim = {4, 1, 1};
			c.gridDim = 8;
			c.blockDim = 32;
			c.attrs = attribute;
			c.numAttrs = 1;
			int e = cudaLaunchKernelEx(&c, quad, u + 4);
			c.gridDim = 6;
			int f = cudaLaunchKernelEx(&c, quad, u + 4);
			cudaDeviceSynchronize();
			for (int i = 0; i < 5; i++)
				printf(" %u", u[i]);
			printf("\n%d %d\n", e, f);
			cudaFree(u);
			cudaFree(o);
			cudaDestroyTextureObject(to);
			cudaDestroySurfaceObject(so);
			cudaFreeArray(a);
		}
	C
	nvcc -cudart shared -arch=compute_90 -o more more.cu || skip 'nvcc does not work here'
	run -0 env -u LD_LIBRARY_PATH trace-exec -n -g h100-sxm --run ./more
	assert_output "$(printf '%s\n' 'no error 1.21961' '5 2' 'no error 15 30 45 15 30 45 15 30 45 15 30 45 15 30 45' 'no error 10 0 30 20 4' '0 912')"
}

@test "the examples give right results from source to table, with nvcc and without" {
	local p
	NVCC=no run -0 env WARPTOOLS="$BUILD" sh "$ROOT/examples/cuda/run" -o "$BATS_TEST_TMPDIR/launched"
	assert_line 'no nvcc: kernels from launch files'
	for p in vecadd matmul reduce histogram bfs; do
		assert_line --regexp "^$BATS_TEST_TMPDIR/launched/$p.json,complete,[0-9]+,[0-9]+,"
	done
	run -0 python3 "$ROOT/tests/data/cudart/results" "$BATS_TEST_TMPDIR/launched"
	assert_output ''
	run -2 sh "$ROOT/examples/cuda/run" -o "$BATS_TEST_TMPDIR/out" bfs nothing
	assert_output "run: error: unknown program 'nothing' (expected one of: vecadd matmul reduce histogram bfs)"
	run -2 sh "$ROOT/examples/hopper/run" -o "$BATS_TEST_TMPDIR/out" nothing
	assert_output "run: error: unknown kernel 'nothing' (expected one of: copy gemm multicast histogram attention)"
	[ ! -e "$BATS_TEST_TMPDIR/out" ]
	PATH=$PATH:/usr/local/cuda/bin
	command -v nvcc >/dev/null || skip 'the rest needs nvcc'
	run -0 env WARPTOOLS="$BUILD" sh "$ROOT/examples/cuda/run" -o "$BATS_TEST_TMPDIR/run"
	for p in vecadd matmul reduce histogram bfs; do
		assert_line "$p: right"
	done
}

@test "machine code has the initial values of managed variables, and stack for alloca" {
	PATH=$PATH:/usr/local/cuda/bin
	command -v nvcc >/dev/null || skip 'no nvcc'
	cat >own.cu <<-'C'
		#include <cstdio>
		__managed__ int first = 7, table[2] = {30, 4};
		__global__ void reverse(int n)
		{
			int *copy = (int *)alloca(n * sizeof(int)), sum = 0, frame[500];
			for (int i = 0; i < 500; i++)
				frame[i] = i * threadIdx.x;
			for (int i = 0; i < n; i++)
				copy[n - 1 - i] = frame[i % 500];
			for (int i = 0; i < n; i++)
				sum = sum * 3 + copy[i];
			if (threadIdx.x == 2)
				first += table[0] + sum;
		}
		int main(int argc, char **argv)
		{
			reverse<<<1, 32>>>(argc > 1 ? 500 : 5);
			cudaError_t e = cudaDeviceSynchronize();
			printf("%s %d %d\n", cudaGetErrorString(e), first, table[1]);
			cudaDeviceReset();
			cudaFree(0);
		}
	C
	nvcc -arch=sm_80 -cudart shared -o own own.cu
	for code in ptx sass; do
		run -0 trace-exec -n -g a100 --code $code --run ./own
		assert_line 'no error 889 4'
	done
	run -1 trace-exec -n -g a100 --code sass --run ./own more
	assert_line --regexp 'error: write of .* of .local, which has 30[0-9]+ bytes \(expected frames within the stack, which cudaDev'
}
