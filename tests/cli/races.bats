#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-exec: races between blocks, between warps and between lanes are reported, and nothing else.

bats_require_minimum_version 1.5.0
load helper
load ptx_kernel

@test "races between blocks cause a warning once a kernel, for any number of threads" {
	kernel <<-'E'
		mov.u32 %r3, %ctaid.x;
		st.global.u32 [%rd1+4], %r3;
		ld.global.u32 %r2, [%rd1+8];
	E
	launch 1
	sed -i 's/grid=1/grid=7/' k.launch
	tail -1 k.launch >again && cat again >>k.launch
	for o in '' '-j 3' '-j 7 --order'; do
		run -0 trace-exec $o -n k.launch
		assert_output --regexp '^trace-exec: k.ptx:[0-9]+:[0-9]+: warning: race: CTA \(6,0,0\) writes byte 4 of .A., which others write'
		[ "${#lines[@]}" -eq 1 ]
	done
	run -0 trace-exec --no-check -j 3 -n k.launch
	assert_output ''
	kernel <<<'red.global.add.u32 [%rd1+4], 1;'
	run -0 trace-exec -n k.launch
	assert_output ''
}

@test "blocks race for bytes, not for the words around them" {
	local j way
	# each block accesses a byte, a halfword and a word, next to those of other blocks
	kernel <<-'E'
		mov.u32 %r3, %ctaid.x; mov.u16 %h1, 7; cvt.u64.u32 %rd2, %r3; add.u64 %rd3, %rd1, %rd2;
		st.global.u8 [%rd3], %h1; ld.global.u8 %h2, [%rd3];
		add.u64 %rd3, %rd3, %rd2; st.global.u16 [%rd3+16], %h1;
		add.u64 %rd3, %rd3, %rd2; add.u64 %rd3, %rd3, %rd2; st.global.u32 [%rd3+64], %r3;
	E
	launch 1
	sed -i 's/grid=1/grid=7/' k.launch
	for j in 1 3; do
		run -0 trace-exec -j $j -n k.launch
		assert_output ''
	done
	while IFS='|' read -r way said; do
		kernel <<-E
			mov.u32 %r3, %ctaid.x; mov.u16 %h1, 7; cvt.u64.u32 %rd2, %r3; add.u64 %rd3, %rd1, %rd2;
			setp.eq.u32 %p1, %r3, 2; $way
		E
		for j in 1 3; do
			run -0 trace-exec -j $j -n k.launch
			assert_output --partial "$said"
			[ "${#lines[@]}" -eq 1 ]
		done
	done <<-'E'
		st.global.u8 [%rd3+8], %h1; @%p1 ld.global.u32 %r2, [%rd1+12];|CTA (4,0,0) writes byte 12 of 'A', which CTA (2,0,0) reads
		st.global.u8 [%rd3+8], %h1; @%p1 ld.global.u32 %r2, [%rd1+8];|CTA (0,0,0) writes byte 8 of 'A', which CTA (2,0,0) reads
		@%p1 st.global.u32 [%rd1+8], %r3; @!%p1 ld.global.u8 %h2, [%rd3+8];|CTA (2,0,0) writes byte 8 of 'A', which CTA (0,0,0) reads
		st.global.u8 [%rd1+9], %h1;|CTA (6,0,0) writes byte 9 of 'A', which others write
		st.global.u32 [%rd1+12], %r3; st.global.u8 [%rd1+13], %h1;|CTA (6,0,0) writes byte 12 of 'A', which others write
	E
}

@test "blocks whose warps write adjacent bytes race only for bytes that two blocks write" {
	local j stride way said
	while IFS='|' read -r stride way said; do
		kernel <<-E
			mov.u32 %r3, %ctaid.x; mov.u16 %h1, 7; mad.lo.u32 %r2, %r3, $stride, %r1;
			cvt.u64.u32 %rd2, %r2; add.u64 %rd3, %rd1, %rd2; setp.eq.u32 %p1, %r3, 2; setp.eq.u32 %p2, %r3, 0;
			$way st.global.u8 [%rd3], %h1;
		E
		printf 'module k.ptx\nbuffer A bytes=256 zero\nlaunch k grid=7 block=32 args A\n' >k.launch
		for j in 1 3; do
			run -0 trace-exec -j $j -n k.launch
			assert_output --partial "$said"
			[ "${#lines[@]}" -eq "$([ -z "$said" ] && echo 0 || echo 1)" ]
		done
	done <<-'E'
		32||
		33||
		31||CTA (1,0,0) writes byte 31 of 'A', which others write
		32|@%p1 ld.global.u8 %h2, [%rd1+37];|CTA (1,0,0) writes byte 37 of 'A', which CTA (2,0,0) reads
		32|@%p2 ld.global.u8 %h2, [%rd1+37];|CTA (1,0,0) writes byte 37 of 'A', which CTA (0,0,0) reads
		33|@%p2 ld.global.u32 %r4, [%rd1+32];|CTA (1,0,0) writes byte 33 of 'A', which CTA (0,0,0) reads
	E
}

@test "blocks that access strided words, parts of lines and whole lines race only for shared words" {
	local j step way said
	# word i of block c is at step * i + 4 * c: the blocks interleave if the step is 28
	while IFS='|' read -r step way said; do
		kernel <<-E
			mov.u32 %r3, %ctaid.x; mul.lo.u32 %r2, %r1, $step; mad.lo.u32 %r2, %r3, 4, %r2;
			cvt.u64.u32 %rd2, %r2; add.u64 %rd3, %rd1, %rd2; mul.wide.u32 %rd2, %r3, 128; add.u64 %rd2, %rd1, %rd2;
			mul.wide.u32 %rd4, %r1, 4; add.u64 %rd2, %rd2, %rd4;
			setp.eq.u32 %p1, %r3, 2; setp.eq.u32 %p2, %r3, 5; setp.ne.u32 %p3, %r3, 2; setp.lt.u32 %p4, %r1, 3;
			$way
		E
		printf 'module k.ptx\nbuffer A bytes=4096 zero\nlaunch k grid=7 block=32 args A\n' >k.launch
		for j in 1 3; do
			run -0 trace-exec -j $j -n k.launch
			assert_output --partial "$said"
			[ "${#lines[@]}" -eq "$([ -z "$said" ] && echo 0 || echo 1)" ] || fail "$step $way: $output"
		done
	done <<-'E'
		28|st.global.u32 [%rd3], %r3; ld.global.u32 %r4, [%rd3];|
		24|st.global.u32 [%rd3], %r3;|CTA (6,0,0) writes byte 24 of 'A', which others write
		28|ld.global.u32 %r4, [%rd3]; ld.global.u32 %r4, [%rd1+8];|
		28|st.global.u32 [%rd3], %r3; @%p1 ld.global.u32 %r4, [%rd3+4];|CTA (3,0,0) writes byte 12 of 'A', which CTA (2,0,0) reads
		28|@%p1 st.global.u32 [%rd3], %r3; @%p3 ld.global.u32 %r4, [%rd3];|
		28|@%p1 st.global.u32 [%rd3], %r3; @%p2 ld.global.u32 %r4, [%rd3+436];|CTA (2,0,0) writes byte 456 of 'A', which CTA (5,0,0) reads
		28|st.global.u32 [%rd2], %r3; ld.global.u32 %r4, [%rd2];|
		28|st.global.u32 [%rd2], %r3; @%p1 ld.global.u32 %r4, [%rd1+384];|CTA (3,0,0) writes byte 384 of 'A', which CTA (2,0,0) reads
		28|st.global.u32 [%rd2], %r3; @%p1 st.global.u32 [%rd1+660], %r3;|CTA (5,0,0) writes byte 660 of 'A', which others write
		28|@%p1 ld.global.u32 %r4, [%rd1+388]; st.global.u32 [%rd2], %r3;|CTA (3,0,0) writes byte 388 of 'A', which CTA (2,0,0) reads
		28|ld.global.u32 %r4, [%rd2]; @%p2 ld.global.u32 %r4, [%rd2+12]; @%p2 st.global.u32 [%rd2], %r3;|
		28|@%p4 st.global.u32 [%rd2], %r3; st.global.u32 [%rd2], %r3; @%p1 ld.global.u32 %r4, [%rd1+776];|CTA (6,0,0) writes byte 776 of 'A', which CTA (2,0,0) reads
		28|ld.global.u32 %r4, [%rd2]; @%p1 ld.global.u32 %r4, [%rd2+124]; @%p2 st.global.u32 [%rd1+420], %r3;|CTA (5,0,0) writes byte 420 of 'A', which CTA (3,0,0) reads
	E
}

@test "scattered accesses of each size race only for the bytes that two blocks, or the words that two warps, access" {
	local bytes type step said j n
	# lane i accesses place 7 * i mod 32: no lane continues the access of the lane before; the places of each block, and of
	# each warp, are 2 * bytes apart, and begin `step` sizes above those of the one before
	while read -r bytes type; do
		while IFS='|' read -r step said; do
			kernel <<-E
				mov.u32 %r3, %ctaid.x; mov.u16 %h1, 7; and.b32 %r4, %r1, 31; shr.u32 %r5, %r1, 5; add.u32 %r3, %r3, %r5;
				mul.lo.u32 %r4, %r4, 7; and.b32 %r4, %r4, 31; mul.lo.u32 %r4, %r4, $((2 * bytes));
				mad.lo.u32 %r4, %r3, $((step * bytes)), %r4; cvt.u64.u32 %rd2, %r4; add.u64 %rd3, %rd1, %rd2;
				setp.eq.u32 %p1, %r3, 0; mov.b64 %rd4, 3;
				ld.global.u8 %h2, [%rd1+8190];
				@%p1 ld.global.$type [%rd3]; @!%p1 st.global.$type [%rd3];
			E
			sed -E -i 's/(ld.global.v2.b64) (.*)/\1 {%rd5, %rd6}, \2/; s/(st.global.v2.b64 .*);/\1, {%rd4, %rd4};/
				s/(ld.global.b64) /\1 %rd5, /; s/(st.global.b64 .*);/\1, %rd4;/; s/(ld.global.b32) /\1 %r6, /; s/(st.global.b32 .*);/\1, %r3;/
				s/(ld.global.[bu](8|16)) (\[%rd3)/\1 %h3, \3/; s/(st.global.b(8|16) .*);/\1, %h1;/' k.ptx
			printf 'module k.ptx\nbuffer A bytes=8192 zero\nlaunch k grid=2 block=32 args A\n' >k.launch
			for j in 1 3; do
				run -0 trace-exec -j $j -n k.launch
				n="$([ -z "$said" ] && echo 0 || echo 1)"
				assert_output --partial "${said:+CTA (1,0,0) writes byte $((said * bytes)) of 'A', which CTA (0,0,0) reads}"
				[ "${#lines[@]}" -eq "$n" ] || fail "$bytes $step: $output"
			done
			sed -i 's/grid=2 block=32/grid=1 block=64/' k.launch
			[ "$bytes" -ge 4 ] || n=0
			run -0 trace-exec -n k.launch
			[ "${#lines[@]}" -eq "$n" ] || fail "warps, $bytes $step: $output"
			[ "$n" -eq 0 ] || assert_output --partial "warp 1 writes byte $((said * bytes)) of 'A', which warp 0 reads"
		done <<-'E'
			62|62
			63|
			64|
			61|
			0|0
		E
	done <<-'E'
		1 b8
		2 b16
		4 b32
		8 b64
		16 v2.b64
	E
}

@test "a launch does not race with earlier launches, and a later race names its own blocks" {
	local j
	# each block and each warp has its own word and byte, which belong to another one in the next launch
	cat >k.ptx <<-'E'
		.version 8.0
		.target sm_90
		.address_size 64
		.visible .entry k(.param .u64 a, .param .u32 turn, .param .u32 mask)
		{
		.reg .b16 %h<2>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
		ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [turn]; ld.param.u32 %r5, [mask];
		mov.u32 %r2, %ctaid.x; mov.u32 %r3, %tid.x; shr.u32 %r3, %r3, 5; mad.lo.u32 %r2, %r2, 2, %r3;
		add.u32 %r2, %r2, %r1; and.b32 %r2, %r2, %r5; mul.wide.u32 %rd2, %r2, 4; add.u64 %rd2, %rd1, %rd2;
		st.global.u32 [%rd2], %r2; ld.global.u32 %r4, [%rd2];
		cvt.u64.u32 %rd3, %r2; add.u64 %rd3, %rd1, %rd3; cvt.u16.u32 %h1, %r5; st.global.u8 [%rd3+128], %h1;
		ret;
		}
	E
	printf 'module k.ptx\nbuffer A bytes=256 zero\n' >k.launch
	for j in 0 2 3 8 1 16 7; do
		echo "launch k grid=16 block=64 args A,i32:$j,i32:31"
	done >>k.launch
	for j in 1 3; do
		run -0 trace-exec -j $j -n k.launch
		assert_output ''
	done
	echo 'launch k grid=16 block=64 args A,i32:0,i32:27' >>k.launch
	for j in 1 3; do
		run -0 trace-exec -j $j -n k.launch
		assert_output --partial "warning: race: CTA (2,0,0) writes byte 0 of 'A', which others write in the same launch"
		[ "${#lines[@]}" -eq 1 ]
	done
}

@test "a race is reported with the source line that PTX names, and with the end of a long path" {
	local long
	long=$(printf '/%09d' 1 2 3 4 5 6 7 8 9 10 11 12)
	local file
	for file in /home/a.cu "$long"; do
		cat >k.ptx <<-E
			.version 8.0
			.target sm_70
			.address_size 64
			.visible .entry k(.param .u64 a)
			{
			.reg .b64 %rd1;
			ld.param.u64 %rd1, [a];
			.loc 1 27 3
			st.global.u32 [%rd1], 1;
			ret;
			}
			.file 1 "$file"
		E
		printf 'module k.ptx\nbuffer A bytes=256 zero\nlaunch k grid=8 block=1 args A\n' >k.launch
		run -0 trace-exec -n k.launch
		[ "$file" = "$long" ] && file=...${long:20}
		assert_output --partial "in the same launch (expected an atomic or two launches) (kernel k, $file line 27)"
	done
}

@test "a message names the calls by which its instruction was inlined, and the line of the kernel's file" {
	cat >k.ptx <<-'E'
		.version 8.0
		.target sm_70
		.address_size 64
		.visible .entry k(.param .u64 a)
		{
		.reg .b64 %rd<4>;
		.reg .b32 %r<3>;
		.loc 1 30 2
		ld.param.u64 %rd1, [a];
		mov.u32 %r1, %ctaid.x;
		mul.wide.u32 %rd2, %r1, 4;
		add.u64 %rd3, %rd1, %rd2;
		.loc 2 8 2, function_name $L__info_string0, inlined_at 1 30 2
		.loc 2 4 3, function_name $L__info_string1+2, inlined_at 2 8 2
		ld.global.u32 %r2, [%rd1];
		.loc 1 31 3
		st.global.u32 [%rd3], %r2;
		ret;
		}
		.file 1 "src/k.cu"
		.file 2 "/inc/h.h"
		.section .debug_str
		{
		$L__info_string0:
		.b8 0
		$L__info_string1:
		.b8 0
		}
	E
	printf 'module k.ptx\nbuffer A bytes=256 unset\nlaunch k grid=8 block=1 args A\n' >k.launch
	run -1 trace-exec -n k.launch
	assert_output --partial "stored to global memory at line 17 (k.cu line 31)"
	assert_output --partial "reads at line 15 (k.cu line 30)"
	assert_output --partial "(kernel k, thread (0,0,0) of CTA (0,0,0), /inc/h.h line 4, called at line 8, called at src/k.cu line 30)"
}

@test "a race that atomics order without a fence is reported with the missing fence" {
	local fence
	for fence in '' 'membar.gl;'; do
		cat >k.ptx <<-E
			.version 8.0
			.target sm_70
			.address_size 64
			.visible .entry k(.param .u64 a, .param .u64 count)
			{
			.reg .pred %p1; .reg .b32 %r<5>; .reg .b64 %rd<5>;
			ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [count];
			mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd1, %rd3;
			st.global.u32 [%rd3], %r1; $fence
			atom.global.add.u32 %r2, [%rd2], 1; setp.ne.u32 %p1, %r2, 7; @%p1 bra end;
			ld.global.u32 %r3, [%rd1]; st.global.u32 [%rd1+64], %r3;
			end: ret;
			}
		E
		printf 'module k.ptx\nbuffer A bytes=256 zero\nbuffer C bytes=4 zero\nlaunch k grid=8 block=1 args A,C\n' >k.launch
		run -0 trace-exec -n k.launch
		if [ "$fence" ]; then
			assert_output ''
		else
			assert_output --partial "CTA (0,0,0) writes byte 0 of 'A', which CTA (7,0,0) reads at line 11 in the same launch (expected a fence before an atomic that orders the blocks, an atomic, or two launches)"
		fi
	done
}

@test "a race beyond the end of a buffer names that buffer" {
	cat >k.ptx <<-'E'
		.version 8.0
		.target sm_70
		.address_size 64
		.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 from)
		{
		.reg .b32 %r<5>; .reg .b64 %rd<6>;
		ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u32 %r2, [from];
		mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd2, %rd3;
		add.u32 %r2, %r2, %r1; mul.wide.u32 %rd3, %r2, 4; add.u64 %rd3, %rd1, %rd3;
		ld.global.u32 %r3, [%rd3];
		st.global.u32 [%rd4], %r3;
		ret;
		}
	E
	local hint="; the instruction that reads it accesses the end of 'A' before it, too: perhaps it goes beyond that end"
	printf 'module k.ptx\nbuffer A bytes=256 zero\nbuffer B bytes=256 zero\n' | tee part.launch >k.launch
	echo 'launch k grid=64 block=1 args A,B,i32:1' >>k.launch
	launch_ends 0 "CTA (0,0,0) writes byte 0 of 'B', which CTA (63,0,0) reads at line 10 in the same launch$hint (expected"
	# this launch reads the other buffer only
	echo 'launch k grid=63 block=1 args A,B,i32:65' | cat part.launch - >k.launch
	launch_ends 0 "'B', which CTA (0,0,0) reads at line 10 in the same launch (expected"
}

@test "races between warps of a block are reported for buffers and variables, unless something orders them" {
	local race='warning: race: warp 1 reads byte 4 of .A., which warp 0 writes at line [0-9]+ of CTA \(0,0,0\) \(expected a barrier'
	local store='setp.lt.u32 %p1, %r1, 32; @%p1 st.global.u32 [%rd1+4], 9;' load='@!%p1 ld.global.u32 %r2, [%rd1+4];'

	kernel <<<"$store $load"
	launch 64
	for o in '' '-j 3'; do
		run -0 trace-exec $o -n k.launch
		assert_output --regexp "^trace-exec: k.ptx:[0-9]+:[0-9]+: $race"
		[ "${#lines[@]}" -eq 1 ]
	done
	run -0 trace-exec --no-check -n k.launch
	assert_output ''
	sed -i 's/block=64/block=32/' k.launch
	run -0 trace-exec -n k.launch
	assert_output ''
	launch 64
	for between in 'bar.sync 0;' 'membar.cta;' 'atom.global.add.u32 %r3, [%rd1+8], 1;'; do
		kernel <<<"$store $between $load"
		run -0 trace-exec -n k.launch
		assert_output ''
	done
	# several warps read before the write; races of warps are found for words, not for bytes
	kernel <<<'ld.global.u32 %r2, [%rd1+4]; setp.ge.u32 %p1, %r1, 64; @%p1 st.global.u32 [%rd1+4], 9;'
	launch 96
	run -0 trace-exec -n k.launch
	assert_output --regexp 'warp 2 writes byte 4 of .A., which several warps read at line [0-9]+ of CTA \(0,0,0\)'
	kernel <<<'mov.u16 %h1, 9; st.global.u8 [%rd1+4], %h1;'
	run -0 trace-exec -n k.launch
	assert_output ''
	# the race on a variable is between warps, then between blocks
	kernel <<<'mov.u64 %rd2, v; st.global.u32 [%rd2+4], 9;'
	sed -i '/^.visible/i .global .align 4 .b32 v[4];' k.ptx
	run -0 trace-exec -n k.launch
	assert_output --regexp 'warp 1 writes byte 4 of .v., which warp 0 writes at line'
	launch 1
	sed -i 's/grid=1/grid=2/' k.launch
	run -0 trace-exec -n k.launch
	assert_output --regexp 'CTA \(1,0,0\) writes byte 4 of .v., which others write'
}

@test "a race between warps is found in any of many regions and at the border of two" {
	local stores='setp.lt.u32 %p1, %r1, 32; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2; mov.u32 %r3, 0;
		again: @%p1 st.global.u32 [%rd2+960], %r3; add.u64 %rd2, %rd2, 1024; add.u32 %r3, %r3, 1;
		setp.lt.u32 %p2, %r3, 40; @%p2 bra again;'
	local load='@!%p1 ld.global.u32 %r2, [%rd1+40976];'

	kernel <<<"$stores $load"
	launch 64
	sed -i 's/bytes=256/bytes=65536/' k.launch
	tail -1 k.launch >again && cat again >>k.launch
	run -0 trace-exec -n k.launch
	assert_output --regexp 'race: warp 1 reads byte 40976 of .A., which warp 0 writes at line [0-9]+ of CTA \(0,0,0\)'
	[ "${#lines[@]}" -eq 1 ]
	kernel <<<"$stores bar.sync 0; $load bar.sync 0; @!%p1 st.global.u32 [%rd1+960], 1; @%p1 st.global.u32 [%rd1+40976], 1;"
	run -0 trace-exec -n k.launch
	assert_output ''
}

@test "lanes that store different values to one place in one instruction cause a warning once a kernel" {
	local race='warning: race: lanes 4 and 5 of warp 1 write different values to byte'

	kernel <<<'and.b32 %r3, %r1, 36; sub.u32 %r4, %r1, %r3; setp.ge.u32 %p1, %r1, 36; setp.lt.and.u32 %p2, %r1, 38, %p1;
		mov.u32 %r5, 8; @%p2 st.global.u32 [%rd1+8], %r4; @%p1 st.global.u32 [%rd1+12], %r5;'
	launch 64
	tail -1 k.launch >again && cat again >>k.launch
	for o in '' '-j 3' '--stack volta'; do
		run -0 trace-exec $o -n k.launch
		assert_output --regexp "^trace-exec: k.ptx:16:[0-9]+: $race 8 of .A., of CTA \(0,0,0\) \(expected one lane to write, or an atomic\) \(kernel k\)$"
		[ "${#lines[@]}" -eq 1 ]
	done
	sed -i 's/grid=1/grid=3/' k.launch
	run -0 trace-exec -j 3 -n k.launch
	assert_output --partial 'of CTA (0,0,0)'
	run -0 trace-exec --no-check -n k.launch
	assert_output ''
	sed -i 's/%p2 st.global/%p2 st.volatile.global/' k.ptx
	run -0 trace-exec -n k.launch
	assert_output ''
	# lanes write a vector; a lane beyond the block does not count; shared memory
	kernel <<<'mov.u64 %rd3, 7; cvt.u64.u32 %rd2, %r1; st.shared.v2.u64 [s+16], {%rd3,%rd2};'
	launch 2
	launch_ends 0 'race: lanes 0 and 1 of warp 0 write different values to byte 16 of .shared'
	kernel <<<'shl.b32 %r2, %r1, 8; cvt.u64.u32 %rd2, %r2; st.global.u8 [%rd1], %r2; st.global.u8 [%rd1+1], %rd2;
		shl.b32 %r3, %r1, 4; mov.u64 %rd4, s; cvt.u64.u32 %rd3, %r3; add.u64 %rd3, %rd3, %rd4;
		@%p1 st.shared.u32 [%rd3], %r1; st.local.u32 [l], %r1;'
	sed -i 's/^ret/st.shared.u32 [s+8], %r3; ret/; s/^.shared/.local .b32 l;\n&/' k.ptx
	launch 1
	run -0 trace-exec -n k.launch
	assert_output ''
	launch 32
	launch_ends 0 'lanes 0 and 1 of warp 0 write different values to byte 8 of .shared'
	[ "${#lines[@]}" -eq 1 ]
}

# Runs two warps: the first writes data and sets a flag by store $1, the second waits for the flag by load $2.
waits_for_flag() {
	kernel <<-E
		.shared .b32 flag;
		.shared .b32 data;
		st.shared.b32 [flag], 0;
		bar.sync 0;
		setp.lt.u32 %p1, %r1, 32;
		@!%p1 bra wait;
		st.shared.b32 [data], 5;
		st$1.shared.b32 [flag], 1;
		ret;
		wait: ld$2.shared.b32 %r2, [flag];
		setp.eq.u32 %p2, %r2, 0;
		@%p2 bra wait;
		ld.shared.b32 %r3, [data];
	E
	launch 64
}

@test "volatile and ordered accesses to shared memory do not race, and order other accesses" {
	waits_for_flag .release.cta .acquire.cta
	run -0 trace-exec -n k.launch
	waits_for_flag .volatile .volatile
	run -0 trace-exec -n k.launch
	waits_for_flag '' ''
	launch_ends 1 'of .shared that warp'
}

@test "warps race for bytes of shared memory, not for the words around them" {
	local what access fault

	# Two warps; %r1: thread, %p1: warp 1, %r2: 2 * thread.
	while IFS='	' read -r what access fault; do
		kernel <<-E
			setp.ge.u32 %p1, %r1, 32;
			shl.b32 %r2, %r1, 1;
			mov.b16 %h1, 7;
			$access
		E
		launch 64
		if [ "$fault" ]; then
			launch_ends 1 "$fault"
		else
			run -0 trace-exec -n k.launch
			assert_output ''
		fi
	done <<-'E'
		bytes of a word	mov.u32 %r3, s; shr.u32 %r4, %r1, 5; add.u32 %r3, %r3, %r4; cvt.u16.u32 %h1, %r4; st.shared.u8 [%r3], %h1; ld.shared.u8 %h2, [%r3];
		one byte	cvt.u16.u32 %h1, %r1; and.b16 %h1, %h1, 32; st.shared.u8 [s+3], %h1;	race: write at byte 3 of .shared that warp 0 has written since the last barrier
		the same value	st.shared.u8 [s+3], %h1;
		a half of a word	@!%p1 st.shared.u32 [s], 5; @%p1 ld.shared.u16 %h2, [s+2];	race: read at byte 2 of .shared that warp 0 has written
		the other half	@!%p1 st.shared.u16 [s], %h1; @%p1 st.shared.u16 [s+2], %h1;
		the whole word	@!%p1 st.shared.u16 [s], %h1; @%p1 st.shared.u32 [s], 5;	race: write at byte 0 of .shared that warp 0 has written
		after a barrier	@!%p1 st.shared.u16 [s], %h1; bar.sync 0; @%p1 st.shared.u32 [s], 5;
		rows of halves	mov.u32 %r3, s; add.u32 %r3, %r3, %r2; st.shared.u16 [%r3], %h1; ld.shared.u16 %h2, [%r3];
		a later read	mov.u32 %r3, s; add.u32 %r3, %r3, %r2; st.shared.u16 [%r3], %h1; @%p1 ld.shared.u32 %r4, [s+4];	race: read at byte 4 of .shared that warp 0 has written
	E
}

@test "accesses of wmma to shared memory are checked for races" {
	local load='wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9}, [t];'
	local store='wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [t], {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8};'

	kernel <<-E
		.shared .align 32 .b8 t[1024];
		setp.ge.u32 %p1, %r1, 32;
		$(printf 'mov.f32 %%f%u, 0f3f800000;' 1 2 3 4 5 6 7 8)
		@%p1 bra LOAD;
		$store
		bra END;
		LOAD: $load
		END:
	E
	launch 64
	launch_ends 1 'of .shared that warp 0 has written since the last barrier'
	sed -i 's/^LOAD:/LOAD: bar.sync 1;/; s/^bra END;/bar.sync 1; bra END;/' k.ptx
	run -0 trace-exec -n k.launch
	assert_output ''
}

@test "a loop in machine code that waits for a flag in shared memory orders other accesses" {
	cd "$BATS_TEST_TMPDIR"
	local code=$ROOT/tests/data/sass/waits-75.sass

	printf '%s\n' 'module k' 'buffer O bytes=4 zero' 'launch k grid=1 block=64 args O' >k.launch
	"$ROOT/tests/data/sass/cubin.py" -s 75 -S 8 -p 8 k <"$code" >k
	run -0 trace-exec -n k.launch
	assert_output ''
	# the flag is read once, without fences: its load may be an ordinary one
	sed -E 's/.*(BRA.U 0xb0|BRA 0xe0|MEMBAR.*)$/000fc00000000000 0000000000007918  # NOP/' "$code" |
		"$ROOT/tests/data/sass/cubin.py" -s 75 -S 8 -p 8 k >k
	run -1 trace-exec -n k.launch
	assert_output --partial 'since the last barrier (expected a barrier between them, or volatile accesses, which LDS and STS do not show)'
}

@test "a race of two stores to a surface names both as writes" {
	cd "$BATS_TEST_TMPDIR"
	cat >k.ptx <<-'P'
		.version 8.0
		.target sm_80
		.address_size 64
		.visible .entry k(.param .u64 s)
		{
			.reg .b32 %r<3>;
			.reg .b64 %rd<2>;
			ld.param.u64 %rd1, [s];
			mov.u32 %r1, %tid.x;
			shr.u32 %r2, %r1, 3;
			mov.u32 %r1, 0;
			sust.b.1d.b32.trap [%rd1, {%r1}], {%r2};
			ret;
		}
	P
	printf '%s\n' 'module k.ptx' 'buffer B bytes=64 zero' 'surface S B u32 dims=16' 'launch k grid=1 block=64 args S' >k.launch
	run -0 trace-exec -n k.launch
	assert_output --partial "warp 1 writes byte 0 of 'B', which warp 0 writes at line 12 of CTA (0,0,0)"
}

@test "stores of machine code with scaled addresses are checked for alignment and for lanes that differ" {
	cd "$BATS_TEST_TMPDIR"
	"$ROOT/tests/data/sass/cubin.py" -s 80 -S 256 -p 8 k <"$ROOT/tests/data/sass/scaledstores-80.sass" >k
	printf '%s\n' 'module k' 'buffer A bytes=128 u32=fill:2' 'launch k grid=1 block=32 args A' >k.launch
	run -0 trace-exec -n k.launch
	assert_output --partial 'lanes 0 and 1 of warp 0 write different values to byte 8 of .shared'
	sed -i 's/fill:2/iota/' k.launch
	run -1 trace-exec -n k.launch
	assert_output --partial 'misaligned write of 8 bytes at 0x4 (expected a multiple of 8)'
}

@test "a waiting loop in machine code may compute the address of its flag in each iteration" {
	cd "$BATS_TEST_TMPDIR"
	cat >code <<-'C'
		000e280000002100 0000000000007919 # S2R R0, SR_TID.X
		000fe80000000800 000000ffff007388 # STS [RZ], RZ
		000fea0000000000 0000000000007b1d # BAR.SYNC 0x0
		001fd80003f06070 000000200000780c # ISETP.GE.U32.AND P0, PT, R0, 0x20, PT
		000fea0003800000 0000003000000947 # @P0 BRA 0x80
		000fe200078e00ff 00000001ff007424 # IMAD.MOV.U32 R0, RZ, RZ, 0x1
		000fe20000000800 00000000ff007388 # STS [RZ], R0
		000fea0003800000 000000000000794d # EXIT
		000fe20000000f00 000000ff00027202 # MOV R2, RZ
		000e240000000800 0000000002027984 # LDS R2, [R2]
		001fd80003f05070 000000ff0200720c # ISETP.NE.U32.AND P0, PT, R2, RZ, PT
		000fea000383ffff ffffffc000008947 # @!P0 BRA 0x80
		000fea0003800000 000000000000794d # EXIT
	C
	printf '%s\n' 'module k' 'buffer O bytes=4 zero' 'launch k grid=1 block=64 args O' >k.launch
	"$ROOT/tests/data/sass/cubin.py" -s 75 -S 8 -p 8 k <code >k
	run -0 trace-exec -n k.launch
	assert_output ''
	# the next address is the value that was read
	sed 's/.*MOV R2, RZ/000fc00000000000 0000000000007918 # NOP/' code | "$ROOT/tests/data/sass/cubin.py" -s 75 -S 8 -p 8 k >k
	run -1 trace-exec -n k.launch
	assert_output --partial 'since the last barrier'
}
