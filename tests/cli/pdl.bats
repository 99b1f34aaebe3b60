#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Programmatic launches (HOPPER-pdl): the header line in traces of trace-exec and through all programs, early starts and
# waits in both core models of trace-sim.

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

# kernel NUMBER BLOCKS HEADER-LINE LINES: writes kernel-NUMBER.traceg. LINES: a letter for each instruction of its one
# warp: m a long operation, p PREEXIT, a ACQBULK, i a move.
kernel() {
	awk -v id="$1" -v blocks="$2" -v more="$3" -v lines="$4" '
	BEGIN {
		text["m"] = "0010 ffffffff 1 R4 MUFU.RCP 1 R4 0 0 "
		text["p"] = "0100 ffffffff 0 PREEXIT 0 0 0 "
		text["a"] = "0110 ffffffff 0 ACQBULK 0 0 0 "
		text["i"] = "0120 ffffffff 1 R1 MOV 0 0 0 "
		printf "-kernel name = k%d\n-kernel id = %d\n-grid dim = (%d,1,1)\n-block dim = (32,1,1)\n", id, id, blocks
		if (more)
			print more
		printf "-shmem = 0\n-nregs = 32\n-binary version = 90\n-cuda stream id = 0\n"
		printf "-shmem base_addr = 0x00007f5000000000\n-local mem base_addr = 0x00007f6000000000\n"
		printf "-nvbit version = 1.8\n-accelsim tracer version = 5\n-enable lineinfo = 0\n\n#traces format = x\n\n"
		n = length(lines)
		for (b = 0; b < blocks; b++) {
			printf "#BEGIN_TB\n\nthread block = %d,0,0\n\nwarp = 0\ninsts = %d\n", b, n + 1
			for (i = 1; i <= n; i++)
				print text[substr(lines, i, 1)]
			printf "0200 ffffffff 0 EXIT 0 0 0 \n\n#END_TB\n\n"
		}
	}' >"kernel-$1.traceg"
	for ((i = 1; i <= $1; i++)); do echo "kernel-$i.traceg"; done >kernelslist.g
}
early='-programmatic launch = 1'
long=$(printf 'm%.0s' {1..100})

# sim CORE OPTION...
sim() { trace-sim -q -f -g h100-pcie -D core_model="$1" -D gpgpu_perfect_inst_const_cache=1 \
	-D gpgpu_kernel_launch_latency=0 -D core_kernel_least=0:0:0 --events ev -o out "${@:2}" kernelslist.g; }
cycles() { sim "$@" -F json && sed -n 's/.*"record":"end".*"gpu_tot_sim_cycle":\([0-9]*\).*/\1/p' out; }

@test "a programmatic launch starts at PREEXIT, and ACQBULK waits for the end of the kernel before it" {
	for core in modern accelsim; do
		kernel 1 2 '' "ip$long"
		kernel 2 2 "$early" 'ia'
		sim $core
		# thread blocks of the second kernel are placed before the first has ended, and end after it
		awk '$2 == "cta" { start[++n] = $1 } $2 == "issue" && $5 == "10" { last = $1 } $2 == "issue" && $5 == "110" { wait = $1 }
			$2 == "issue" && $5 == "200" { end = $1 }
			END { exit !(n == 4 && start[4] < last - 500 && wait < last - 500 && end > last) }' ev
		kernel 2 2 '' 'ia'
		sim $core
		awk '$2 == "cta" { start[++n] = $1 } $2 == "issue" && $5 == "10" { last = $1 } END { exit !(start[3] > last) }' ev
	done
}

@test "ACQBULK does not wait in a kernel without programmatic launch, nor without a kernel before it" {
	for core in modern accelsim; do
		for line in '' "$early"; do
			kernel 1 2 "$line" 'iai'
			run -0 sim $core
		done
		kernel 1 2 '' 'ii'
		kernel 2 2 '' 'iai'
		run -0 sim $core
	done
}

@test "a launch delay runs while the kernel before it runs" {
	for core in modern accelsim; do
		kernel 1 2 '' "i$long"
		kernel 2 2 '' i
		after=$(cycles $core -D gpgpu_kernel_launch_latency=400 -D gpgpu_TB_launch_latency=0)
		kernel 2 2 "$early" i
		hidden=$(cycles $core -D gpgpu_kernel_launch_latency=400 -D gpgpu_TB_launch_latency=0)
		((after - hidden >= 380 && after - hidden <= 420))
	done
}

@test "a kernel is released when every block has executed PREEXIT or ended, and none is left to place" {
	for core in modern accelsim; do
		# 2 blocks an SM: the 300 blocks do not fit at once
		kernel 1 300 '' "p$long"
		kernel 2 1 "$early" i
		sim $core -D gpgpu_shader_cta=2
		awk '$2 == "cta" { at[n++] = $1 } END { exit !(n == 301 && at[300] >= at[299]) }' ev
		# one of two blocks never executes PREEXIT
		kernel 1 2 '' "p$long"
		awk '/PREEXIT/ && n++ { sub(/PREEXIT/, "NOP") } 1' kernel-1.traceg >one && mv one kernel-1.traceg
		kernel 2 1 "$early" i
		sim $core
		awk '$2 == "cta" { at[n++] = $1 } $2 == "issue" && $5 == "10" { last = $1 } END { exit !(at[2] > last) }' ev
	done
}

@test "several kernels in a row start early, and each ACQBULK waits for all kernels before it" {
	for core in modern accelsim; do
		kernel 1 2 '' "p$long"
		kernel 2 2 "$early" "pi"
		kernel 3 2 "$early" "pai"
		run -0 sim $core -F json
		[ "$(grep -c '"record":"kernel"' out)" = 3 ]
		awk '$2 == "cta" { at[n++] = $1 } $2 == "issue" && $5 == "10" { last = $1 } $2 == "issue" && $5 == "200" { end = $1 }
			END { exit !(n == 6 && at[5] < last - 300 && end > last) }' ev
	done
}

@test "the thread blocks of an early kernel use only free resources" {
	for core in modern accelsim; do
		kernel 1 114 '' "p$long"
		kernel 2 114 "$early" i
		sed -i 's/^-shmem = .*/-shmem = 150000/' kernel-1.traceg kernel-2.traceg
		sim $core
		# an SM has memory for one block: each block of the second kernel starts after the end of a block
		awk '$2 == "cta" { at[n++] = $1 } $2 == "issue" && $5 == "200" && !end { end = $1 }
			END { exit !(n == 228 && at[114] > end) }' ev
		sed -i 's/^-shmem = .*/-shmem = 50000/' kernel-1.traceg kernel-2.traceg
		sim $core
		awk '$2 == "cta" { at[n++] = $1 } $2 == "issue" && $5 == "200" && !end { end = $1 }
			END { exit !(n == 228 && at[227] < end) }' ev
	done
}

@test "kernels with other streams, copies and the wrong order between them start one after another" {
	kernel 1 2 '' "p$long"
	kernel 2 2 "$early" i
	printf 'kernel-1.traceg\nMemcpyHtoD,0x7f0000000000,64\nkernel-2.traceg\n' >kernelslist.g
	sim modern
	awk '$2 == "cta" { at[n++] = $1 } $2 == "issue" && $5 == "10" { last = $1 } END { exit !(at[2] > last) }' ev
	printf 'kernel-1.traceg\nkernel-2.traceg\n' >kernelslist.g
	sed -i 's/^-cuda stream id.*/-cuda stream id = 7/' kernel-2.traceg
	sim modern
	awk '$2 == "cta" { at[n++] = $1 } $2 == "issue" && $5 == "10" { last = $1 } END { exit !(at[2] > last) }' ev
}

@test "the deadlock report names a wait at ACQBULK" {
	{
		printf '0\t%s\n' '0010 00000001 1 UR63 SYNCS.EXCH.64 2 UR4 UR6 8 1 0x7f5000000400 8 0 0 Val 1 0 1 0 1 001ffffe'
		printf '0\t%s\n' '0020 ffffffff 0 PREEXIT 0 0 0 0 NoVal'
		printf '0\t%s\n' '0030 00000001 0 SYNCS.PHASECHK.TRANS64.TRYWAIT 2 R4 R5 8 1 0x7f5000000400 8 0 0 Val 1 0 1 0'
		printf '0\t%s\n' '0040 ffffffff 0 EXIT 0 0 0 0 NoVal'
	} | hopper_block 1 32
	mv kernel-1.traceg one
	kernel 2 1 "$early" ai
	mv one kernel-1.traceg
	for core in modern accelsim; do
		run ! sim $core
		assert_output --partial 'waits for an mbarrier'
		assert_output --partial 'waits for the end of the kernel before it in its stream (ACQBULK)'
	done
}

@test "results do not depend on threads, and records are those of the packed stream" {
	kernel 1 300 '' "ip$long"
	kernel 2 300 "$early" 'iai'
	for core in modern accelsim; do
		for j in 1 4; do
			trace-sim -q -f -g h100-pcie -D core_model=$core -j $j -F json kernelslist.g | grep -v '"record":"run"' >j$j
		done
		cmp j1 j4
	done
	trace-pack -o k.tpack kernelslist.g
	trace-sim -q -f -g h100-pcie -D core_model=accelsim -F json k.tpack | grep -v '"record":"run"' | sed 's/"path":"[^"]*"//' >packed
	sed 's/"path":"[^"]*"//' j1 >plain
	cmp packed plain
	trace-pack -d -q -C back k.tpack
	cmp kernel-2.traceg back/kernel-2.traceg
	run -0 trace-lint kernelslist.g
	assert_output --partial '0 errors'
	sed -i "s/$early/-programmatic launch = 2/" kernel-2.traceg
	run ! trace-lint kernelslist.g
	assert_output --partial "invalid value '-programmatic launch = 2' (expected a whole number from 0 to 1)"
}

@test "trace-exec writes the header line of launch files, for PTX and as machine code, and of the launch attribute" {
	cat >k.ptx <<-'END'
		.version 8.0
		.target sm_90
		.address_size 64
		.visible .entry one(.param .u64 p)
		{
			.reg .b64 %rd<3>;
			.reg .b32 %r<3>;
			ld.param.u64 %rd1, [p];
			griddepcontrol.wait;
			ld.global.u32 %r1, [%rd1];
			add.u32 %r1, %r1, 1;
			st.global.u32 [%rd1], %r1;
			griddepcontrol.launch_dependents;
			ret;
		}
	END
	{
		printf 'module k.ptx\nbuffer A bytes=4 zero\nlaunch one grid=1 block=1 args A\n'
		printf 'launch one grid=1 block=1 programmatic args A\nsave A a\n'
	} >k.launch
	for as in '' '--as sass -g h100-pcie'; do
		trace-exec -q -f --code ptx $as -C . -o out.d k.launch
		[ "$(od -An -tu4 a | tr -d ' ')" = 2 ]
		[ "$(grep -c -e '-programmatic' out.d/kernel-1.traceg)" = 0 ]
		grep -qx -e '-programmatic launch = 1' out.d/kernel-2.traceg
		run -0 trace-lint -q out.d
		run -0 trace-sim -q -g h100-pcie -D core_model=accelsim out.d
	done
	grep -q ACQBULK out.d/kernel-2.traceg
	grep -q PREEXIT out.d/kernel-1.traceg
}

@test "a launch by cudaLaunchKernelEx with programmatic stream serialization has the header line" {
	PATH=$PATH:/usr/local/cuda/bin
	command -v nvcc >/dev/null || skip 'no nvcc'
	cat >p.cu <<-'C'
		#include <cstdio>
		__global__ void add(int *x, int n)
		{
			cudaGridDependencySynchronize();
			*x += n;
			cudaTriggerProgrammaticLaunchCompletion();
		}
		int main()
		{
			int *x, h = 0;
			cudaMalloc(&x, 4);
			cudaMemset(x, 0, 4);
			cudaLaunchAttribute a[1];
			cudaLaunchConfig_t c = {};
			c.gridDim = c.blockDim = dim3(1);
			c.attrs = a;
			c.numAttrs = 1;
			a[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
			for (int i = 0; i < 3; i++) {
				a[0].val.programmaticStreamSerializationAllowed = i > 0;
				cudaLaunchKernelEx(&c, add, x, i + 1);
			}
			cudaMemcpy(&h, x, 4, cudaMemcpyDeviceToHost);
			printf("%d %s\n", h, cudaGetErrorString(cudaDeviceSynchronize()));
		}
	C
	nvcc -arch=sm_90 -cudart shared -o p p.cu
	for code in ptx sass; do
		run -0 trace-exec -q -f -g h100-pcie --code $code -o $code.d --run ./p
		assert_output '6 no error'
		run -0 grep -l -x -e '-programmatic launch = 1' $code.d/kernel-{1,2,3}.traceg
		assert_output "$code.d/kernel-2.traceg"$'\n'"$code.d/kernel-3.traceg"
	done
	grep -q ACQBULK sass.d/kernel-2.traceg
	run -0 trace-sim -q -g h100-pcie sass.d
}
