#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Machine code of sm_90: mbarriers, bulk and tensor copies, clusters, warpgroup products, matrices in shared memory. The
# same kernels run as PTX, or the values are computed by the rules of PTX. No compiler is needed: sass/assemble.py.
load helper
bats_require_minimum_version 1.5.0

DATA=$ROOT/tests/data/sass

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

@test "mbarriers, bulk copies, clusters and matrices give the same buffers as PTX" {
	"$DATA/async" . >names
	[ "$(wc -l <names)" -eq 4 ]
	while read -r n; do
		run -0 trace-exec -n "$n.launch"
		assert_output ''
		mv "$n.out" "$n.machine"
		sed "1s/.*/module $n.ptx/" "$n.launch" >p.launch
		run -0 trace-exec -n p.launch
		assert_output ''
		cmp "$n.machine" "$n.out"
		trace-exec -n --no-check "$n.launch"
		cmp "$n.machine" "$n.out"
	done <names
}

@test "uses of data of copies in flight are races in machine code, too" {
	"$DATA/async" . early
	run -1 trace-exec -n bulk.launch
	assert_line --index 0 --regexp 'race: read at byte 1024 of .shared, which a bulk copy by warp 0 writes \(expected a successful wait for the mbarrier of the copy before it\).*LDS'
	assert_line --index 1 --regexp 'race: copy at byte 1024 of .shared, which a bulk copy by warp 0 writes .*UBLKCP.G.S'
	assert_line --partial 'race: write at byte 1024 of .shared, which a bulk copy by warp 0 reads (expected cp.async.bulk.wait_group.read by the thread that issued the copy before it)'
	run grep -c 'race: write' <<<"$output"
	assert_output 1
}

@test "tensor copies of each rank and swizzle, and of im2col, work in machine code" {
	"$DATA/tensor" make .
	run -0 trace-exec -n k.launch
	assert_output ''
	run -0 "$DATA/tensor" check .
	assert_output '83 copies'
}

@test "warpgroup products work in machine code: each n, type and swizzle, transposed, A in registers, sparse A" {
	"$DATA/gmma" .
	run -0 trace-exec -n k.launch
	assert_output ''
	run -0 "$ROOT/tests/data/ptx/wgmma" check .
	assert_output '161 products'
}

@test "machine code in which one warp of a warpgroup executes a product ends with the product of this warp" {
	"$DATA/gmma" . alone
	run -0 trace-exec -n k.launch
	assert_output ''
	cmp w1.out want.bin
}

# Writes k.cubin from the upper and lower words on stdin, and k.launch with buffers A and O.
kernel() {
	"$DATA/cubin.py" -s 90 -S 2048 -r 32 -p 8,8 k >k.cubin
	printf '%s\n' 'module k.cubin' 'buffer A bytes=64 zero' 'buffer O bytes=64 zero' "launch k grid=1 block=32 args A,O" >k.launch
}

@test "invalid instructions are reported with program counter and text" {
	# the address holds no mbarrier
	printf '%s\n' '000fe20000000000 0000040000047882' '000e640008000144 00000000ff0075a7' '000fea0003800000 000000000000794d' |
		sed 's/^000fe20000000000/000fe20008000000/' | kernel
	run -1 trace-exec -n --no-check k.launch
	assert_output --partial 'no mbarrier at byte 1024 of .shared'
	assert_output --partial 'PC 0x0010: SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R0'
	# the wait for the cluster has no arrival before it
	printf '%s\n' '000fe20008000000 0000000000007dc7' '000fea0003800000 000000000000794d' | kernel
	launch_ends 1 'expected an arrival before it'
	assert_output --partial 'PC 0x0000: UCGABAR_WAIT'
	# a number of columns that no product has; registers beyond R254
	printf '%s\n' '000fe2000870081803e00000041879f1' '000fe2000870081801e0000004f079f0' |
		while read -r w; do
			{ echo "${w:0:16} ${w:16}"; echo '000fea0003800000 000000000000794d'; } | kernel
			run -2 trace-exec -n k.launch
			assert_output --regexp 'not executed: .*, PC 0x0000 of function k$'
		done
}

@test "a wait for an mbarrier that nothing completes is a deadlock" {
	printf '%s\n' '000fe20008000000 0000040000087882' '000fe20008000000 001ffffe00047882' '000fe20008000000 7ffff80000057882' \
		'0000620008000100 00000004083f75b2' '000e640008000148 000000ffff0075a7' '000fea000383ffff fffffffc00f88947' \
		'000fea0003800000 000000000000794d' | kernel
	launch_ends 1 'deadlock: 32 lanes of warp 0 wait for the mbarrier at byte 1024 of .shared, whose phase lacks 1 arrival and 0 bytes'
}

@test "asynchronous instructions have trace lines of version 6" {
	"$DATA/async" . >names
	for n in bulk clusters; do
		trace-exec -q -o $n $n.launch
		run -0 trace-lint $n/kernelslist.g
		assert_output --partial '0 errors'
	done
	run -0 trace-sim -g h100-pcie -o figures bulk/kernelslist.g
	refute_output --partial 'not modelled'
	run -0 trace-sim -g h100-pcie -o figures.2 clusters/kernelslist.g
	refute_output --partial 'not in the table'
	grep -q '^-cluster dim = (2,1,1)' clusters/kernel-1.traceg
	# shmem excludes the 1024 bytes that are reserved for the system
	run grep -h -E '^-(accelsim|shmem =)|^0(050|090|0e0|1a0)' bulk/kernel-1.traceg
	assert_output "$(
		cat <<-'END'
			-shmem = 2112
			-accelsim tracer version = 6
			0050 ffffffff 1 UR63 SYNCS.EXCH.64 2 UR9 UR6 8 1 0x7f0000000c00 0 0 0 Val 1 00000000 1 00000c00 1 001ffffe 
			0090 00000001 1 R255 SYNCS.ARRIVE.TRANS64 2 UR9 R4 8 2 0x7f0000000c00 0 0 Val 1 00000000 1 00000c00 1 00000100 
			00e0 ffffffff 0 UBLKCP.S.G 1 UR12 16 0x00000c00 0 256 0 4 0xc0000000 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16 0 0 NoVal 
			01a0 ffffffff 0 UBLKCP.G.S 1 UR16 16 0x00000000 0 128 0 4 0xc0000500 8 16 16 16 16 16 16 16 0 0 NoVal 
		END
	)"
	# the second block of a cluster; stores that complete on an mbarrier; a copy to both blocks
	run grep -h -A 3 '^thread block = 3,0,0' clusters/kernel-1.traceg
	assert_output "$(printf '%s\n' 'thread block = 3,0,0' 'cluster id = 1,0,0' 'cluster cta = 1,0,0' 'cluster rank = 1')"
	run grep -c -E ' STAS 2 R16 R10 4 1 0x(1000c0001|c0000)000480 4 0 0 NoVal $' clusters/kernel-1.traceg
	assert_output 4
	run grep -c ' UBLKCP.S.G.MULTICAST 1 UR12 16 0x00000c00 1 0x0003 128 0 4 ' clusters/kernel-1.traceg
	assert_output 2
	trace-exec -q bulk.launch | trace-pack -d -o - - | grep '^0' >packed
	grep '^0' bulk/kernel-1.traceg | diff - packed
	# without asynchronous instructions the version is 5
	trace-exec -q -o matrices matrices.launch
	run -0 grep -c '^-accelsim tracer version = 5$' matrices/kernel-1.traceg
}

@test "records of version 6 are packed directly, with the same bytes as packed text" {
	"$DATA/async" . >names
	for n in bulk clusters phases matrices; do
		trace-exec -q -F pack -o $n.tpack $n.launch
		trace-exec -q -o $n $n.launch
		trace-pack -q --level fast -o $n.text.tpack $n/kernelslist.g
		cmp $n.tpack $n.text.tpack
	done
	"$DATA/tensor" make .
	mkdir g && (cd g && "$DATA/gmma" .)
	for l in k.launch g/k.launch; do
		trace-exec -q -f -F pack -o k.tpack $l
		trace-exec -q -f -o text $l
		trace-pack -q -d -f -C unpacked k.tpack
		diff -r text unpacked
		# each line is packed in columns, none as free text
		run trace-pack -l -F json k.tpack
		refute_output --regexp '"stored_bytes":[1-9]'
		rm -r text unpacked
	done
}

@test "trace lines of tensor copies have tensor coordinates, and warpgroup products the registers of the group" {
	"$DATA/tensor" make .
	trace-exec -q -o t k.launch
	run grep -h UTMALDG t/kernel-8.traceg
	assert_output "0170 00000001 0 UTMALDG.1D 0 2 0x00002400 0 64 0 4 0xc000e734 32$(printf ' 2%.0s' {1..31}) 0 0 NoVal "
	run grep -h UTMALDG t/kernel-80.traceg
	assert_output '01b0 00000001 0 UTMALDG.5D 0 4 0x00002400 0 256 256 4 0x0 0 0 0 NoVal '
	run grep -h -o 'UTMALDG.* 112 2 2 2' t/kernel-83.traceg
	assert_output 'UTMALDG.5D.IM2COL 1 UR16 2 0x00002400 0 368 144 4 0xc0119d80 112 2 2 2'
	run -0 trace-sim -q -g h100-pcie -F json t/kernel-80.traceg
	"$DATA/gmma" .
	trace-exec -q -o g k.launch
	run grep -h -o -m 1 '^.* HGMMA.* Val 32 c0800000 bf800000' g/kernel-1.traceg
	# the product ends its group (gsb0)
	assert_output '01d0 ffffffff 1 R24 HGMMA.64x8x16.F32 2 UR4 R24 1 0 0 0 Val 32 c0800000 bf800000'
	run -0 trace-sim -q -g h100-pcie -F json g/kernel-1.traceg
}

@test "a tensor map among the parameters of machine code works as nvcc writes it" {
	PATH=$PATH:/usr/local/cuda/bin
	command -v nvcc >/dev/null || skip 'no nvcc'
	cat >map.cu <<-'C'
		#include <cstdio>
		#include <cuda.h>
		struct Params { int first; alignas(64) CUtensorMap map; };
		__global__ void load(const __grid_constant__ Params p, int *out)
		{
			__shared__ alignas(128) int tile[32];
			__shared__ alignas(8) unsigned long long bar;
			unsigned t = (unsigned)__cvta_generic_to_shared(tile), b = (unsigned)__cvta_generic_to_shared(&bar);

			if (threadIdx.x == 0) {
				asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(b) : "memory");
				asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
				asm volatile("cp.async.bulk.prefetch.tensor.1d.L2.global [%0, {%1}];" :: "l"(&p.map), "r"(p.first) : "memory");
				asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 128;" :: "r"(b) : "memory");
				asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2}], [%3];"
					:: "r"(t), "l"(&p.map), "r"(p.first), "r"(b) : "memory");
			}
			__syncthreads();
			asm volatile("{\n.reg .pred P;\nL: "
				"mbarrier.try_wait.parity.shared.b64 P, [%0], 0;\n@P bra D;\nbra L;\nD:\n}" :: "r"(b) : "memory");
			out[threadIdx.x] = tile[threadIdx.x];
		}
		int main()
		{
			int in[64], out[32], *din, *dout, bad = 0;
			Params p;
			cuuint64_t size = 64;
			cuuint32_t box = 32, one = 1;

			for (int i = 0; i < 64; i++)
				in[i] = i * 3;
			cudaMalloc(&din, sizeof(in));
			cudaMalloc(&dout, sizeof(out));
			cudaMemcpy(din, in, sizeof(in), cudaMemcpyHostToDevice);
			p.first = 8;
			if (cuTensorMapEncodeTiled(&p.map, CU_TENSOR_MAP_DATA_TYPE_INT32, 1, din, &size, NULL, &box, &one,
				    CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
				    CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
				return 3;
			load<<<1, 32>>>(p, dout);
			cudaMemcpy(out, dout, sizeof(out), cudaMemcpyDeviceToHost);
			for (int i = 0; i < 32; i++)
				bad += out[i] != (i + 8) * 3;
			printf("%s, %d wrong\n", cudaGetErrorString(cudaGetLastError()), bad);
			return bad != 0;
		}
	C
	nvcc -w -cudart shared -arch=sm_90 -o map map.cu -lcuda || skip 'nvcc does not work here'
	run -0 trace-exec -n -q -g h100-pcie --code sass --run ./map
	assert_line 'no error, 0 wrong'
}
