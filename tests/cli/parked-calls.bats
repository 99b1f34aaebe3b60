#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-exec: lanes that wait in a function let lanes run that have not entered it, or that entered it elsewhere.

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

# Writes a module with the functions of stdin and kernel "k", whose body is $1. %r1 is the thread, %r2 its bit 0, and %p1 is
# true in odd lanes. %rd1 is the address of buffer A, into which each of 64 threads finally stores its %r9.
kernel() {
	{
		printf '.version 8.0\n.target sm_%s\n.address_size 64\n.shared .align 4 .b8 s[1024];\n' "${sm-80}"
		cat
		printf '.visible .entry k(.param .u64 a)\n{\n.reg .pred %%p<9>;\n.reg .b32 %%r<20>;\n.reg .b64 %%rd<9>;\n'
		printf 'ld.param.u64 %%rd1, [a];\nmov.u32 %%r1, %%tid.x;\nand.b32 %%r2, %%r1, 1;\nsetp.eq.u32 %%p1, %%r2, 1;\nmov.u32 %%r9, 0;\n'
		printf '%s\n' "$1"
		printf 'mul.wide.u32 %%rd2, %%r1, 4;\nadd.u64 %%rd2, %%rd1, %%rd2;\nst.global.u32 [%%rd2], %%r9;\nret;\n}\n'
	} >k.ptx
	printf 'module k.ptx\nbuffer A bytes=4096 zero\nlaunch k grid=2 block=64 args A\nsave A a\n' >k.launch
}

# Prints function $1 ("exchange"), which stores a value in the thread's shared word and, after a barrier, returns the word of
# the lane with all bits of its number inverted. $2: instructions before the barrier
exchange() {
	printf '.func (.reg .b32 %%ret) %s(.reg .b32 %%v)\n{\n.reg .b32 %%q<9>;\n.reg .pred %%p<9>;\n' "$1"
	printf 'mov.u32 %%q1, %%tid.x;\nshl.b32 %%q2, %%q1, 2;\nmov.u32 %%q3, s;\nadd.u32 %%q3, %%q3, %%q2;\nst.shared.u32 [%%q3], %%v;\n'
	printf '%s\nbar.sync 0;\n' "${2-}"
	printf 'xor.b32 %%q4, %%q1, 63;\nshl.b32 %%q4, %%q4, 2;\nmov.u32 %%q5, s;\nadd.u32 %%q5, %%q5, %%q4;\nld.shared.u32 %%ret, [%%q5];\nret;\n}\n'
}

# Executes the kernel and compares the words of buffer A with those that awk computes for each thread t.
yields() {
	run -0 trace-exec -q -n "${@:2}" k.launch
	assert_output ''
	od -An -v -td4 -w4 -N256 a | tr -d ' ' >found
	awk "BEGIN { for (t = 0; t < 64; t++) print $1 }" | diff - found
}

both_sides='
	mov.u32 %r3, 100; add.u32 %r3, %r3, %r1; add.u32 %r4, %r3, 100;
	@%p1 bra odd;
	call (%r5), exchange, (%r3);
	add.u32 %r9, %r5, 1000;
	bra.uni join;
odd:
	call (%r6), exchange, (%r4);
	add.u32 %r9, %r6, 2000;
join:'

@test "lanes at a barrier in a function let the other side of the branch call the function" {
	exchange exchange | kernel "$both_sides"
	yields 't % 2 ? 2000 + 100 + 63 - t : 1000 + 200 + 63 - t'
	# each warp of each block executes the barrier once, and the trace is complete
	trace-exec -q -f -o app k.launch
	run -0 trace-lint app
	run -0 awk '/^-code .* bar/ { bar[$2] } $1 in bar && $2 !~ /^0+$/ { n++ } END { print n }' app/kernel-1.traceg
	assert_output 4
	yields 't % 2 ? 2000 + 100 + 63 - t : 1000 + 200 + 63 - t' -j 2
	run -1 trace-exec -n --stack simt k.launch
	assert_output --partial '16 of 32 live lanes of warp 0 at a barrier (expected all; with --stack volta'
	sm=60 kernel "$both_sides" < <(exchange exchange)
	launch_ends 1 '16 of 32 live lanes of warp 0 at a barrier (expected all; with --stack volta'
	yields 't % 2 ? 2000 + 100 + 63 - t : 1000 + 200 + 63 - t' --stack volta
}

@test "waiting lanes treat a barrier in a function and one in its caller alike" {
	exchange exchange | kernel '
		mov.u32 %r3, s; shl.b32 %r4, %r1, 2; add.u32 %r3, %r3, %r4;
		@%p1 bra odd;
		call (%r5), exchange, (%r1);
		mov.u32 %r9, %r5;
		bra.uni join;
	odd:
		st.shared.u32 [%r3], 7;
		bar.sync 0;
		mov.u32 %r9, 8;
	join:'
	yields 't % 2 ? 8 : 7'
}

@test "lanes may wait in nested and in recursive functions" {
	{
		exchange exchange
		printf '.func (.reg .b32 %%ret) middle(.reg .b32 %%v)\n{\n.reg .b32 %%q<9>;\n.reg .pred %%p<9>;\nmov.u32 %%q1, %%tid.x;\nand.b32 %%q2, %%q1, 2;\nsetp.eq.u32 %%p1, %%q2, 0;\n@%%p1 bra side;\ncall (%%q3), exchange, (%%v);\nadd.u32 %%ret, %%q3, 10000;\nret;\nside:\ncall (%%q4), exchange, (%%v);\nadd.u32 %%ret, %%q4, 20000;\nret;\n}\n'
		printf '.func (.reg .b32 %%ret) deep(.reg .b32 %%n, .reg .b32 %%v)\n{\n.reg .b32 %%q<9>;\n.reg .pred %%p<9>;\nsetp.eq.u32 %%p1, %%n, 0;\n@%%p1 bra leaf;\nsub.u32 %%q1, %%n, 1;\ncall (%%q2), deep, (%%q1, %%v);\nadd.u32 %%ret, %%q2, 1;\nret;\nleaf:\ncall (%%ret), exchange, (%%v);\nret;\n}\n'
	} | tee functions | kernel '
		@%p1 bra odd;
		call (%r5), middle, (%r1);
		mov.u32 %r9, %r5;
		bra.uni join;
	odd:
		add.u32 %r3, %r1, 500;
		call (%r6), middle, (%r3);
		neg.s32 %r9, %r6;
	join:'
	yields 't % 2 ? -(63 - t + (int(t / 2) % 2 ? 10000 : 20000)) : 500 + 63 - t + (int(t / 2) % 2 ? 10000 : 20000)'
	kernel <functions '
		and.b32 %r3, %r1, 7;
		call (%r9), deep, (%r3, %r1);'
	yields '63 - t + t % 8'
}

@test "lanes that have returned from a function do not wait for lanes at a barrier in it" {
	exchange exchange 'and.b32 %q6, %q1, 1; setp.eq.u32 %p1, %q6, 1; mov.u32 %ret, 77; @%p1 ret;' | kernel '
		@%p1 bra odd; mov.u32 %r3, %r1; bra.uni both;
	odd:
		mov.u32 %r3, 5;
	both:
		call (%r9), exchange, (%r3);
		@%p1 bar.sync 0;'
	yields 't % 2 ? 77 : 5'
	# lanes that end do not delay the others
	exchange exchange 'and.b32 %q6, %q1, 1; setp.eq.u32 %p1, %q6, 1; @%p1 exit;' | kernel "$both_sides"
	yields 't % 2 ? 0 : 1200 + 63 - t'
}

@test "several barriers in a loop of calls work when the sides alternate" {
	exchange exchange 'bar.sync 0; bar.sync 0;' | kernel '
		mov.u32 %r10, 0;
	again:
		add.u32 %r3, %r1, %r10;
		@%p1 bra odd;
		call (%r5), exchange, (%r3);
		add.u32 %r9, %r9, %r5;
		bra.uni join;
	odd:
		call (%r6), exchange, (%r3);
		sub.u32 %r9, %r9, %r6;
	join:
		bar.sync 0;
		add.u32 %r10, %r10, 1;
		setp.lt.u32 %p2, %r10, 5;
		@%p2 bra again;'
	yields '(t % 2 ? -1 : 1) * (5 * (63 - t) + 10)'
}

@test "undefined registers of lanes that wait in a function stay undefined, and defined ones stay defined" {
	kernel '
		ld.shared.u32 %r3, [s+512];
		@%p1 bra odd;
		call (%r9), pass, (%r1);
		bra.uni join;
	odd:
		call (%r6), pass, (%r3);
		mov.u32 %r9, 0;
		@!%p1 st.global.u32 [%rd1], %r6;
	join:' <<-'E'
		.func (.reg .b32 %ret) pass(.reg .b32 %v)
		{
		.reg .b32 %q<9>;
		add.u32 %q1, %v, 0;
		bar.sync 0;
		add.u32 %ret, %q1, 0;
		ret;
		}
	E
	yields 't % 2 ? 0 : t'
	sed -i 's/mov.u32 %r9, 0;$/mov.u32 %r9, %r6;/' k.ptx
	launch_ends 1 'read of 4 uninitialised bytes at byte 512 of .shared, stored to global memory at line'
	# the warp that arrives last at the barrier continues after the other; lane 1 is the lowest one with the value
	assert_output --partial 'thread (1,0,0)'
}

@test "lanes at different barriers in a function are reported" {
	exchange exchange | kernel '
		@%p1 bra odd;
		call (%r9), exchange, (%r1);
		bra.uni join;
	odd:
		bar.sync 1;
	join:'
	launch_ends 1 'lanes of warp 0 at barrier'
	assert_output --partial '(expected all at the same barrier)'
}

# Writes a kernel in whose block 0 lane 0 waits for the word at A. $1: instructions of all lanes of the block after that.
lane_waits() {
	cat >k.ptx <<-E
		.version 8.0
		.target sm_80
		.address_size 64
		.visible .entry k(.param .u64 a)
		{
		.reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<4>;
		ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r6, 1;
		setp.eq.u32 %p1, %r2, 1; @%p1 bra SET;
		setp.ne.u32 %p2, %r1, 0; @%p2 bra JOIN;
		WAIT: ld.volatile.global.u32 %r3, [%rd1]; setp.eq.u32 %p3, %r3, 0; @%p3 bra WAIT;
		st.global.u32 [%rd1+4], %r3;
		JOIN: $1
		ret;
		SET: membar.gl; st.volatile.global.u32 [%rd1], %r6;
		ret;
		}
	E
	printf 'module k.ptx\nbuffer A bytes=256 zero\nlaunch k grid=%s block=32 args A\nsave A a.bin\n' "${2:-2}" >k.launch
}

@test "lanes may wait in a .sync form for a lane that itself waits for another block" {
	local sync
	for sync in 'bar.warp.sync 0xffffffff; ld.global.u32 %r4, [%rd1+4];' \
		'mov.u32 %r5, 0; shfl.sync.idx.b32 %r4, %r3, %r5, 31, -1;' \
		'setp.ne.u32 %p4, %r1, 5; vote.sync.all.pred %p5, %p4, 0xffffffff; selp.u32 %r4, 7, 1, %p5;'; do
		lane_waits "$sync mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2; st.global.u32 [%rd2+128], %r4;"
		run -0 timeout 60 trace-exec -n k.launch
		assert_output ''
		run -0 od -An -v -td4 -w4 -j128 a.bin
		[ "$(sort -u <<<"$output" | tr -d ' ')" = 1 ]
	done
	# lanes outside the mask continue and end the loop of lane 0; lanes in the mask cause a deadlock
	lane_waits 'setp.eq.u32 %p4, %r1, 0; @%p4 bra END; bar.warp.sync 0xfffffffe; st.volatile.global.u32 [%rd1], %r6; END:' 1
	run -0 timeout 60 trace-exec -n k.launch
	assert_output ''
	lane_waits 'bar.warp.sync 0xffffffff; st.volatile.global.u32 [%rd1], %r6;' 1
	run -1 timeout 60 trace-exec -n k.launch
	assert_output --partial 'deadlock: 1 lane of warp 0 spins on a value in '\''A'\'' that no running thread writes'
}

@test "independent lanes that spin in a function get no advice to use independent lanes" {
	cat >spin.ptx <<-'P'
	.version 8.0
	.target sm_80
	.address_size 64
	.func wait(.reg .b64 %a)
	{
	.reg .b32 %q;
	.reg .pred %p;
	l:
		ld.volatile.global.u32 %q, [%a];
		setp.eq.u32 %p, %q, 0;
		@%p bra l;
		ret;
	}
	.visible .entry k(.param .u64 a)
	{
	.reg .pred %p;
	.reg .b32 %r;
	.reg .b64 %rd;
		ld.param.u64 %rd, [a];
		mov.u32 %r, %tid.x;
		setp.eq.u32 %p, %r, 1;
		@%p bra odd;
		call wait, (%rd);
		bra.uni join;
	odd:
		st.volatile.global.u32 [%rd+4], %r;
	join:
		ret;
	}
	P
	printf 'module spin.ptx\nbuffer A bytes=8 zero\nlaunch k grid=1 block=32 args A\n' >spin.launch
	run -1 trace-exec -n spin.launch
	assert_output --regexp 'deadlock: 31 lanes of warp 0 spin on a value in .A. that no running thread writes(, while other lanes of the warp wait for them)? \(check its first value, and which threads write it\) \(kernel'
	refute_output --partial 'use --stack'
}

# Prints function "wait", which spins until the word at %a + 1024 is not 0, with $1 in the loop, and "write", which sets the word.
wait_and_write() {
	printf '.func wait(.reg .b64 %%a)\n{\n.local .align 4 .b8 l[4];\n.reg .b32 %%q<9>;\n.reg .pred %%p<9>;\nmov.u32 %%q2, 0;\nst.local.u32 [l], %%q2;\n'
	printf 'again:\n%s\nld.volatile.global.u32 %%q1, [%%a+1024];\nsetp.eq.u32 %%p1, %%q1, 0;\n@%%p1 bra again;\nret;\n}\n' "${1-}"
	printf '.func write(.reg .b64 %%a)\n{\nst.volatile.global.u32 [%%a+1024], 1;\nret;\n}\n'
}

spin_on_either_side='
	@%p1 bra odd;
	call wait, (%rd1);
	mov.u32 %r9, 1;
	bra.uni join;
odd:
	call write, (%rd1);
	mov.u32 %r9, 2;
join:'

@test "lanes that spin in a function let lanes outside run, which write the awaited value" {
	for body in '' 'add.u32 %q2, %q2, 1;' 'ld.local.u32 %q3, [l]; st.local.u32 [l], %q3;' \
		'ld.local.u32 %q3, [l]; add.u32 %q3, %q3, 1; st.local.u32 [l], %q3;' 'red.global.add.u32 [%a+2048], 1;'; do
		wait_and_write "$body" | kernel "$spin_on_either_side"
		yields '1 + t % 2'
		sed -i 's/@%p1 bra odd/@!%p1 bra odd/' k.ptx
		yields '2 - t % 2'
	done
	# endless spinning is a deadlock, also in different functions and with changes of local memory
	wait_and_write 'ld.local.u32 %q3, [l]; st.local.u32 [l], %q3;' | kernel "$spin_on_either_side"
	sed 's/st.volatile.global.u32 .*/call wait, (%a);/' k.ptx >deep.ptx
	sed -i 's/k.ptx/deep.ptx/' k.launch
	run -1 timeout 60 trace-exec -n k.launch
	assert_output --partial 'lanes of warp 0 spin on a value in '\''A'\'' that no running thread writes'
}

@test "lanes that returned from a call continue while other lanes of the call spin in the function" {
	# a function takes a lock: the lane that gets the lock returns and releases it
	for count in '' 'add.u32 %q2, %q2, 1;' 'ld.local.u32 %q3, [l]; add.u32 %q3, %q3, 1; st.local.u32 [l], %q3;'; do
		{
			printf '.func lock(.reg .b64 %%a)\n{\n.local .align 4 .b8 l[4];\n.reg .b32 %%q<9>;\n.reg .pred %%p<9>;\nmov.u32 %%q2, 0;\nst.local.u32 [l], %%q2;\n'
			printf 'again:\n%s\natom.global.cas.b32 %%q1, [%%a+1024], 0, 1;\nsetp.ne.u32 %%p1, %%q1, 0;\n@%%p1 bra again;\nret;\n}\n' "$count"
			printf '.func take(.reg .b64 %%a)\n{\ncall lock, (%%a);\nret;\n}\n'
		} | kernel '
			call take, (%rd1);
			ld.volatile.global.u32 %r3, [%rd1+2048];
			add.u32 %r3, %r3, 1;
			st.volatile.global.u32 [%rd1+2048], %r3;
			membar.gl;
			atom.global.exch.b32 %r4, [%rd1+1024], 0;
			mov.u32 %r9, 5;'
		yields 5
		run -0 od -An -v -td4 -j2048 -N4 a
		assert_output --regexp '^ +128$'
	done
	# each lane waits for the next one of its warp
	kernel '
		and.b32 %r3, %r1, 31; setp.eq.u32 %p2, %r3, 31;
		mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2;
		mov.u32 %r9, 7;
		@%p2 bra last;
		call until_set, (%rd2);
	last:
		st.volatile.global.u32 [%rd2], 7;' <<-'E'
		.func until_set(.reg .b64 %a)
		{
		.reg .b32 %q<9>;
		.reg .pred %p<9>;
		again:
		ld.volatile.global.u32 %q1, [%a+4];
		setp.eq.u32 %p1, %q1, 0;
		@%p1 bra again;
		ret;
		}
	E
	sed -i 's/grid=2/grid=1/' k.launch
	yields 7
}

@test "groups of lanes wait for the cluster one after another, in functions called from both sides of a branch" {
	{
		printf '.func (.reg .b32 %%ret) exchange(.reg .b32 %%v)\n{\n.reg .b32 %%q<9>;\n'
		printf 'mov.u32 %%q1, %%tid.x;\nshl.b32 %%q2, %%q1, 2;\nmov.u32 %%q3, s;\nadd.u32 %%q3, %%q3, %%q2;\nst.shared.u32 [%%q3], %%v;\n'
		printf 'barrier.cluster.arrive;\nbarrier.cluster.wait;\n'
		printf 'xor.b32 %%q4, %%q1, 1;\nshl.b32 %%q4, %%q4, 2;\nmov.u32 %%q5, s;\nadd.u32 %%q4, %%q4, %%q5;\nmov.u32 %%q6, %%cluster_ctarank;\nxor.b32 %%q6, %%q6, 1;\n'
		printf 'mapa.shared::cluster.u32 %%q4, %%q4, %%q6;\nld.shared::cluster.u32 %%ret, [%%q4];\n'
		printf 'barrier.cluster.arrive;\nbarrier.cluster.wait;\nret;\n}\n'
	} | sm=90 kernel '
		mov.u32 %r8, %ctaid.x; shl.b32 %r8, %r8, 6; add.u32 %r8, %r8, %r1;
		mul.lo.u32 %r7, %r8, 4; cvt.u64.u32 %rd3, %r7;
		@%p1 bra odd;
		add.u32 %r3, %r8, 100;
		call (%r9), exchange, (%r3);
		add.u32 %r9, %r9, 2000;
		bra.uni join;
	odd:
		call (%r9), exchange, (%r8);
		add.u32 %r9, %r9, 1000;
	join:
		add.u64 %rd3, %rd3, %rd1; st.global.u32 [%rd3+256], %r9;'
	sed -i 's/\.visible .entry k(.param .u64 a)/& .reqnctapercluster 2/' k.ptx
	trace-exec -q -n k.launch
	od -An -v -td4 -w4 -j256 -N512 a | tr -d ' ' >found
	awk 'BEGIN { for (i = 0; i < 128; i++) { p = i % 2 ? i - 1 : i + 1; p = p < 64 ? p + 64 : p - 64
		print i % 2 ? p + 100 + 1000 : p + 2000 } }' | diff - found
	# lanes that end are not awaited; lanes that never arrive cause a deadlock
	sed 's/xor.b32 %q4, %q1, 1;/xor.b32 %q4, %q1, 2;/; s/call (%r9), exchange, (%r8);/exit;/' k.ptx >exit.ptx
	sed 's/k.ptx/exit.ptx/' k.launch >exit.launch
	run -0 trace-exec -q -n exit.launch
	sed 's/call (%r9), exchange, (%r8);/bar.sync 0;/' k.ptx >never.ptx
	sed 's/k.ptx/never.ptx/' k.launch >never.launch
	run -1 timeout 60 trace-exec -q -n never.launch
	assert_output --partial 'deadlock'
}

@test "machine code: lanes spin in functions, and groups of lanes wait at a cluster barrier" {
	PATH=$PATH:/usr/local/cuda/bin
	command -v nvcc >/dev/null || skip 'no nvcc'
	cat >a.cu <<-'E'
		#include <cstdio>
		#include <cooperative_groups.h>
		__device__ int mutex, counter, flag[65];
		__device__ __noinline__ void lock() { while (atomicCAS(&mutex, 0, 1)) ; __threadfence(); }
		__device__ __noinline__ void unlock() { __threadfence(); atomicExch(&mutex, 0); }
		__global__ void take() { lock(); *(volatile int *)&counter = *(volatile int *)&counter + 1; unlock(); }
		__device__ __noinline__ int wait_for(volatile int *f) { int n = 0; while (!*f) n++; return n; }
		__global__ void chain(int *out)
		{
			int t = blockIdx.x * 32 + threadIdx.x;
			if (threadIdx.x != 31) out[t] = wait_for(&flag[t + 1]);
			*(volatile int *)&flag[t] = 1;
		}
		__device__ __noinline__ int exchange(int v)
		{
			__shared__ int s[64];
			s[threadIdx.x] = v;
		#if __CUDA_ARCH__ >= 900
			cooperative_groups::cluster_group c = cooperative_groups::this_cluster();
			c.sync();
			int r = *c.map_shared_rank(&s[threadIdx.x ^ 1], c.block_rank() ^ 1);
			c.sync();
			return r;
		#else
			return v;
		#endif
		}
		__global__ void both(int *out)
		{
			int i = blockIdx.x * 64 + threadIdx.x;
			out[i] = threadIdx.x & 1 ? exchange(i) + 1000 : exchange(i + 100) + 2000;
		}
		int main(int n, char **)
		{
			int *d, h[128], c = 0, bad = 0;
			cudaMalloc(&d, sizeof(h));
			take<<<2, 64>>>();
			cudaMemcpyFromSymbol(&c, counter, 4);
			chain<<<2, 32>>>(d);
			printf("%d %s\n", c, cudaGetErrorString(cudaDeviceSynchronize()));
			if (n < 2) return 0;
			cudaLaunchAttribute a;
			a.id = cudaLaunchAttributeClusterDimension;
			a.val.clusterDim.x = 2, a.val.clusterDim.y = a.val.clusterDim.z = 1;
			cudaLaunchConfig_t l = {2, 64, 0, 0, &a, 1};
			cudaLaunchKernelEx(&l, both, d);
			cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
			for (int i = 0; i < 128; i++)
				bad += h[i] != (i & 1 ? (i ^ 65) + 1100 : (i ^ 65) + 2000);
			printf("%d\n", bad);
		}
	E
	for options in '' -G '-Xcicc -O0 -Xptxas -O0'; do
		nvcc -cudart shared $options -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 a.cu -o a ||
			skip 'nvcc does not work here'
		run -0 timeout 300 trace-exec -n -q -g rtx3070 --run ./a
		assert_output '128 no error'
		run -0 timeout 300 trace-exec -n -q -g h100-pcie --run ./a cluster
		assert_output $'128 no error\n0'
	done
}
