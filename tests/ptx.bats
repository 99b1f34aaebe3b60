#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-ptx: kernels give what they are meant to, traces have the form of kernel-trace(5), mistakes are named.

bats_require_minimum_version 1.5.0
load helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	cp "$BATS_TEST_DIRNAME"/ptx/*.ptx "$BATS_TEST_DIRNAME"/ptx/*.launch .
}

# A module of one kernel "k" with parameter a (an address in %rd1) and tid.x in %r1; the body is stdin.
kernel() {
	{
		printf '.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n'
		printf '.reg .pred %%p<9>;\n.reg .b16 %%h<9>;\n.reg .b32 %%r<20>;\n.reg .f32 %%f<20>;\n.reg .b64 %%rd<20>;\n.reg .f64 %%d<9>;\n'
		printf '.shared .align 8 .b32 s[64];\nld.param.u64 %%rd1, [a];\nmov.u32 %%r1, %%tid.x;\n'
		cat
		printf 'ret;\n}\n'
	} >k.ptx
}

launch() { printf 'module k.ptx\nbuffer A bytes=256 zero\nlaunch k grid=1 block=%s args A\n' "$1" >k.launch; }

@test "kernels give what they are meant to, checked or not" {
	for o in --check --no-check; do
		run -0 trace-ptx $o -n basic.launch
		assert_output ''
		run -0 "$BATS_TEST_DIRNAME/ptx/check" .
		assert_output ''
		rm ./*.bin
	done
}

@test "a trace is a folder with a list, copies and kernels" {
	run -0 trace-ptx -o app basic.launch
	run -0 cat app/kernelslist.g
	assert_line --index 0 'MemcpyHtoD,0xc0000000,4096'
	assert_line --index 5 'kernel-1.traceg'
	run -0 cat app/kernel-1.traceg
	assert_line '-kernel name = scale'
	assert_line '-nregs = 10'
	assert_line '-isa = ptx 7.0'
	assert_line --regexp '^-code end = 0x0[0-9a-f]{3}$'
	assert_line --regexp '^-code 0090 setp.ge.u32 D[0-9]+/1 S[0-9]+/5 S[0-9]+/1$'
	# of the warp of threads 992 to 1023 eight have work
	assert_line '00b8 000000ff 4 1 0xc0000f80 4'
	run -2 trace-ptx -o app basic.launch
	assert_output --partial 'exists'
	run -0 trace-ptx -f -o app basic.launch
}

@test "the stream on stdout unpacks to the folder" {
	trace-ptx -o app basic.launch
	trace-ptx basic.launch >app.tpack
	run -0 trace-pack -t app.tpack
	mkdir out
	trace-pack -d -C out app.tpack
	run -0 diff -r app out
}

@test "every thread count writes the same bytes" {
	trace-ptx -o one basic.launch
	trace-ptx -j 3 -o three basic.launch
	run -0 diff -r one three
}

@test "an access outside of every buffer is named with its neighbour, thread and line" {
	kernel <<-'E'
		mul.wide.u32 %rd2, %r1, 4;
		add.s64 %rd2, %rd1, %rd2;
		st.global.u32 [%rd2], %r1;
	E
	launch 65
	for o in --check --no-check; do
		run -1 trace-ptx $o -n k.launch
		assert_output --partial 'k.ptx:17:1: found a write of 4 bytes at 0xc0000100, 0 bytes behind '"'A'"' of 256 bytes'
		assert_output --partial '(kernel k, thread (64,0,0) of CTA (0,0,0))'
	done
}

@test "a misaligned access is named" {
	kernel <<<'ld.global.u64 %rd2, [%rd1+4];'
	launch 1
	run -1 trace-ptx -n k.launch
	assert_output --partial 'found a read of 8 bytes at 0xc0000004, wanted an address that is a multiple of 8'
	run -0 trace-ptx --no-check -n k.launch
}

@test "a barrier that cannot be met is a deadlock with its name" {
	kernel <<-'E'
		setp.lt.u32 %p1, %r1, 32;
		@%p1 bra one;
		bar.sync 2, 64;
	one:
	E
	launch 64
	run -1 trace-ptx -n k.launch
	assert_output --partial 'found a deadlock: warp 1 waits at barrier 2 where 1 of 2 warps have arrived'
}

@test "--limit ends what does not end" {
	kernel <<-'E'
	l:
		bra l;
	E
	launch 32
	run -1 trace-ptx --limit 100000 -n k.launch
	assert_output --partial 'found more than 100000 warp instructions'
}

@test "what is not executed is refused with its place before anything runs" {
	kernel <<<'frobnicate.u32 %r1, %r2;'
	launch 32
	run -2 trace-ptx -n k.launch
	assert_output "trace-ptx: k.ptx:15:1: found instruction 'frobnicate', wanted one of PTX that is executed here"
	kernel <<<'add.frob.u32 %r1, %r1, %r2;'
	run -2 trace-ptx -n k.launch
	assert_output --partial 'found suffix .frob, wanted one that add has'
	kernel <<<'add.u32 %r1, %rd1, %r2;'
	run -2 trace-ptx -n k.launch
	assert_output --partial 'found register %rd1 of type .b64, wanted a register of 32 bits'
}

@test "trap, assert and printf" {
	kernel <<<'trap;'
	launch 1
	run -1 trace-ptx -n k.launch
	assert_output --partial 'found a trap'
}

@test "expect compares a buffer with a file" {
	kernel <<<'st.global.u32 [%rd1], 7;'
	launch 1
	echo 'expect A want.bin' >>k.launch
	head -c 256 /dev/zero >want.bin
	run -1 trace-ptx -n k.launch
	assert_output "trace-ptx: k.launch:4:1: found byte 0 of 'A' to be 0x07, wanted 0x00 as in want.bin"
	printf '\7' | dd of=want.bin conv=notrunc status=none
	run -0 trace-ptx -n k.launch
}
