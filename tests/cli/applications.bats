#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# examples/applications/compare: rows, limits, tables and continued runs with stand-ins for the tools; a program with
# nvcc.

bats_require_minimum_version 1.5.0
load helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	script=$ROOT/examples/applications/compare
	for d in ATAX GEMM; do mkdir -p sources/GPU_Benchmarks/polybench/$d; done
	printf 'id\tworkload\tparams\tvalue\n' >m.tsv
	printf '%s\n' '# a comment' 'atax-2	atax	size=2	4000' 'atax-1	atax	size=1	1000' 'gemm-1	gemm	size=1	2000' \
		'other-1	other	size=1	500' >>m.tsv
}

# Makes stand-ins for nvcc, trace-exec and trace-sim. Their kernels take 400 cycles for each unit of -size.
tools() {
	mkdir -p bin
	cat >bin/nvcc <<-'EOF'
		#!/bin/sh
		echo "$*" >>nvcc.calls
		while [ $# -gt 0 ]; do [ "$1" != -o ] || out=$2; last=$1; shift; done
		case $last in *bad*|*gemm*) echo "x.cu(1): error: no such thing" >&2; echo "1 error found" >&2; exit 1 ;; esac
		echo "$last" >"$out"
	EOF
	cat >bin/trace-exec <<-'EOF'
		#!/bin/sh
		echo "$*" >>exec.calls
		while [ $# -gt 0 ]; do [ "$1" != -o ] || out=$2; last=$1; shift; done
		[ ! -e slow ] || exec sleep 5
		echo "$last" >"$out"
	EOF
	cat >bin/trace-sim <<-'EOF'
		#!/bin/sh
		case "$*" in *--dump-config*)
			echo '-gpgpu_compute_capability_major 9 # digit'
			echo '-gpgpu_compute_capability_minor 0'
			[ ! -e other ] || echo '-gpgpu_n_mem 2'
			exit ;;
		esac
		echo "$*" >>sim.calls
		while [ $# -gt 0 ]; do last=$1; shift; done
		echo '{"record":"run"}'
		for k in a b; do
			echo '{"record":"kernel","name":"'$k'","stats":{"gpu_sim_cycle":'$((400 * $(cat "$last")))',"gpu_sim_insn":7}}'
		done
	EOF
	chmod 755 bin/*
	PATH=$PWD/bin:$PATH
}

compare() { python3 "$script" -o out "$@" sources m.tsv; }

@test "examples/applications: -h prints help, and wrong arguments are rejected" {
	run -0 python3 "$script" -h
	assert_output --partial 'usage: compare'
	assert_output --partial a3b32436019374a75a396487226fe245f3441e11
	run -2 python3 "$script" sources m.tsv
	run -2 compare -j 0
	run -2 compare -i many
	tools
	run -2 compare -w 'nothing*'
	assert_output 'compare: m.tsv: no row is chosen'
	printf 'id\tworkload\tvalue\na\tb\t1\n' >m.tsv
	run -2 compare
	assert_output --partial 'no column params'
	for row in 'a	b	c	1' 'a	b	c=1	0' '../a	b	c=1	1' 'a	b	c=1	x'; do
		printf 'id\tworkload\tparams\tvalue\n%s\n' "$row" >m.tsv
		run -2 compare
		assert_output --partial 'expected'
	done
}

@test "a row is the sum of its kernels; a row without a result gives the reason" {
	tools
	run -0 --separate-stderr compare
	[ "$(cut -f 1,4-8 out/table.tsv | tr '\t' ' ')" = "id measured simulated error kernels instructions
atax-1 1000 800 -20.00 2 14
atax-2 4000 1600 -60.00 2 14
gemm-1 2000    
other-1 500    " ]
	assert_line --regexp '^atax +2 +2 +40\.0 +-40\.0 +-60\.0$'
	assert_line --regexp '^all +2 +4 +40\.0 +-40\.0 +-60\.0$'
	assert_line 'correlation of logarithms 1.0000'
	assert_line 'gemm: 1 left: nvcc: x.cu(1): error: no such thing'
	assert_line 'other: 1 left: no sources are known'
	grep -q -- '-arch sm_90 .*-DcudaThreadSynchronize=cudaDeviceSynchronize ' nvcc.calls
	grep -q 'sources/GPU_Benchmarks/polybench/ATAX/atax.cu$' nvcc.calls
	grep -q -- '-g h100-pcie --code sass .*--run out/programs/atax -size 1$' exec.calls
	run -0 compare -t -w 'atax*'
	assert_line --regexp '^all +2 +2 '
}

@test "an interrupted run continues, other options time all rows again, and a row above the limit stays empty" {
	tools
	touch slow
	run -0 compare -w 'atax*' -s 0.2
	assert_line 'atax: 2 left: trace-exec takes longer than 0.2 s'
	rm slow
	run -0 compare -w atax-1
	run -0 compare -w 'atax*'
	[ "$(wc -l <sim.calls)" = 2 ]
	run -0 compare -w 'atax*' -c 1000 -D gpgpu_l1_latency=40
	[ "$(wc -l <sim.calls)" = 3 ]
	[ "$(wc -l <exec.calls)" = 4 ]
	grep -q -- '-D gpgpu_l1_latency=40' sim.calls
	touch other
	run -0 compare -k -w 'atax*'
	[ "$(wc -l <sim.calls)" = 5 ]
	[ -z "$(ls out/traces)" ]
}

@test "a program of the CUDA runtime is compiled for the GPU and timed" {
	export WARPTOOLS_GPUS=$ROOT/examples/gpus
	command -v "${NVCC:-nvcc}" || skip "no nvcc"
	cat >sources/GPU_Benchmarks/polybench/ATAX/atax.cu <<-'EOF'
		#include <cstdlib>
		__global__ void twice(float *x, int n)
		{
			int i = blockIdx.x * blockDim.x + threadIdx.x;

			if (i < n)
				x[i] *= 2;
		}
		int main(int argc, char **argv)
		{
			int n = argc == 3 ? atoi(argv[2]) : 0;
			float *x;

			cudaMalloc(&x, n * sizeof(float));
			cudaMemset(x, 0, n * sizeof(float));
			twice<<<(n + 63) / 64, 64>>>(x, n);
			twice<<<(n + 63) / 64, 64>>>(x, n);
			cudaThreadSynchronize();
			return 0;
		}
	EOF
	printf 'id\tworkload\tparams\tvalue\natax-100\tatax\tsize=100\t5000\n' >m.tsv
	run -0 compare
	awk -F '\t' 'NR == 2 && $7 == 2 && $5 > 4000 && $5 < 8000 && $8 > 100 { n++ } END { exit n != 1 }' out/table.tsv
	sed 's/100/200/g' m.tsv >more.tsv
	run -0 python3 "$script" -o out -i 2 sources more.tsv
	assert_line 'atax: 1 left: a kernel executes more than 2 warp instructions'
}
