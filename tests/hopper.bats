#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-ptx: what thread blocks do together, and what works on its own: cooperative grids, stores and reductions that tell
# an mbarrier, bulk and tensor copies, products of warpgroups. Expected values are computed here, by the rules of PTX.

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

# A module with kernel "k", parameter a (an address, in %rd1), tid.x in %r0 and ctaid.x in %r1; the body is stdin.
kernel() {
	{
		printf '.version 8.6\n.target sm_90a\n.address_size 64\n.global .u32 counter;\n'
		printf '.visible .entry k(.param .u64 a%s)%s\n{\n' "${1-}" "${2-}"
		printf '.reg .pred %%p<9>;\n.reg .b32 %%r<40>;\n.reg .b64 %%rd<20>;\n'
		printf '.shared .align 1024 .b8 s[4096];\n.shared .align 8 .b64 bar;\n'
		printf 'ld.param.u64 %%rd1, [a];\nmov.u32 %%r0, %%tid.x;\nmov.u32 %%r1, %%ctaid.x;\n'
		cat
		printf 'ret;\n}\n'
	} >k.ptx
}

words() { od -An -v -tu4 -w"${2:-64}" "$1" | tr -s ' ' | sed 's/^ //'; }

@test "the blocks of a cooperative launch wait for each other in its workspace" {
	kernel <<-'E'
		mov.u32 %r2, %envreg2;
		mov.u32 %r3, %envreg1;
		mov.b64 %rd2, {%r2, %r3};
		mov.u32 %r4, %nctaid.x;
		atom.global.add.u32 %r5, [counter], 7;
		fence.acq_rel.gpu;
		atom.global.add.u32 %r6, [%rd2+4], 1;
	wait:
		ld.acquire.gpu.global.u32 %r7, [%rd2+4];
		setp.lt.u32 %p1, %r7, %r4;
		@%p1 bra wait;
		ld.relaxed.gpu.global.u32 %r8, [counter];
		mul.wide.u32 %rd3, %r1, 4;
		add.s64 %rd3, %rd1, %rd3;
		st.global.u32 [%rd3], %r8;
	E
	printf 'module k.ptx\nbuffer A bytes=64 zero\nlaunch k grid=16 block=1 cooperative args A\nsave A a\n' >k.launch
	run -0 trace-ptx -n -j 3 k.launch
	run -0 words a
	assert_output "$(yes 112 | head -16 | paste -sd' ')"
	sed -i 's/ cooperative//' k.launch
	run -1 trace-ptx -n k.launch
	assert_output --partial 'at 0x4'
}
