#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Programmatic launches: the header line in traces of trace-exec.

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

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
}
