#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-exec: lanes that wait inside a function let lanes run that have not entered it, or that entered it elsewhere.

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

# A module with the functions of stdin and kernel "k", whose body is $1. %r1 is the thread, %r2 its bit 0, %p1 is true in
# odd lanes; %rd1 is the address of buffer A, where the thread's word %r9 is stored at the end. 64 threads.
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

# Function "exchange": stores a value in the thread's shared word and returns the word of the lane with the last bits
# inverted after a barrier. $1: name; $2: instructions before the barrier
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

@test "lanes that wait at a barrier in a function let the other side of a branch call it" {
	exchange exchange | kernel "$both_sides"
	yields 't % 2 ? 2000 + 100 + 63 - t : 1000 + 200 + 63 - t'
	# the barrier is executed once a warp and block, and the trace is complete
	trace-exec -q -f -o app k.launch
	run -0 trace-lint app
	run -0 awk '/^-code .* bar/ { bar[$2] } $1 in bar && $2 !~ /^0+$/ { n++ } END { print n }' app/kernel-1.traceg
	assert_output 4
	yields 't % 2 ? 2000 + 100 + 63 - t : 1000 + 200 + 63 - t' -j 2
	run -1 trace-exec -n --stack simt k.launch
	assert_output --partial '16 of 32 live lanes of warp 0 at a barrier (expected all; with --stack volta'
	sm=60 kernel "$both_sides" < <(exchange exchange)
	run -1 trace-exec -n k.launch
	assert_output --partial '16 of 32 live lanes of warp 0 at a barrier (expected all; with --stack volta'
	yields 't % 2 ? 2000 + 100 + 63 - t : 1000 + 200 + 63 - t' --stack volta
}

@test "a barrier in a function and one in its caller are the same to lanes that wait" {
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

@test "lanes wait in functions that functions call, and a function calls itself" {
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

@test "several barriers in a loop of calls, in which the sides alternate" {
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

@test "undefined registers of lanes that wait in a function stay undefined, those of others defined" {
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
	run -1 trace-exec -n k.launch
	assert_output --partial 'read of 4 uninitialised bytes at byte 512 of .shared, stored to global memory at line'
	# the warp that arrives last at the barrier continues first; its lowest lane with the value is lane 1
	assert_output --partial 'thread (33,0,0)'
}

@test "lanes at different barriers in a function are a finding" {
	exchange exchange | kernel '
		@%p1 bra odd;
		call (%r9), exchange, (%r1);
		bra.uni join;
	odd:
		bar.sync 1;
	join:'
	run -1 trace-exec -n k.launch
	assert_output --partial 'lanes of warp 0 at barrier'
	assert_output --partial '(expected all at the same barrier)'
}

@test "independent lanes that spin in a function get no advice to become independent" {
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
	assert_output --regexp 'deadlock: 31 lanes of warp 0 spin on a value that no running thread writes(, while other lanes of the warp wait for them)? \(kernel'
	refute_output --partial 'use --stack'
}
