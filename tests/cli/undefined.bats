#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-exec: reads of memory that was never written are reported if their value is used, and only then.

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

# Writes a module with kernel "k" and the parameter A, in %rd1. %r0 is the lane. %r1 is undefined in all lanes; %r2 is
# undefined in lane 5, otherwise the lane; %r3 is undefined. Functions are in the file "functions". The body is stdin.
kernel() {
	{
		printf '.version 8.0\n.target sm_90\n.address_size 64\n'
		[ ! -e functions ] || cat functions
		printf '.visible .entry k(.param .u64 a)\n{\n'
		printf '.reg .pred %%p<9>;\n.reg .b16 %%h<20>;\n.reg .b32 %%r<40>;\n.reg .b64 %%rd<20>;\n.reg .f32 %%f<20>;\n'
		printf '.shared .align 16 .b8 s[1024];\n.local .align 16 .b8 l[64];\n'
		printf 'ld.param.u64 %%rd1, [a];\nmov.u32 %%r0, %%laneid;\nmul.wide.u32 %%rd2, %%r0, 4;\nadd.u64 %%rd2, %%rd1, %%rd2;\n'
		printf 'mov.u32 %%r30, s;\nmad.lo.u32 %%r31, %%r0, 4, %%r30;\nsetp.ne.u32 %%p1, %%r0, 5;\n@%%p1 st.shared.u32 [%%r31+128], %%r0;\n'
		printf 'ld.shared.u32 %%r1, [s+512];\nld.shared.u32 %%r2, [%%r31+128];\nld.shared.u32 %%r3, [s+520];\n'
		cat
		printf 'ret;\n}\n'
	} >k.ptx
	printf 'module k.ptx\nbuffer A bytes=4096 zero\nlaunch k grid=1 block=32 args A\nsave A a\n' >k.launch
}

# Executes the statements of each line of stdin. After a tab, a line has the expected message; without a tab, none is expected.
reports() {
	local code said wrong=0
	while IFS=$'\t' read -r code said; do
		kernel <<<"${code//; /;$'\n'}"
		run trace-exec -n ${options-} k.launch
		if [ -n "$said" ] && [ "$status" -eq 1 ] && [[ $output == *"$said"* ]]; then
			continue
		elif [ -n "$said" ] || [ "$status$output" != 0 ]; then
			printf '%s\nexpected: %s\nstatus %s: %s\n' "$code" "$said" "$status" "$output"
			wrong=1
		fi
	done
	[ "$wrong" -eq 0 ]
}


@test "an undefined value is reported where it is used" {
	reports <<-'E'
		st.global.u32 [%rd2], %r1;	k.ptx:21:1: error: read of 4 uninitialised bytes at byte 512 of .shared, stored to global memory at line 24 (kernel k, thread (0,0,0)
		@!%p1 st.global.u32 [%rd2], %r1;	stored to global memory at line 24 (kernel k, thread (5,0,0)
		ld.shared.u32 %r4, [s+512]; @!%p1 st.global.u32 [%rd2], %r4;	stored to global memory at line 25 (kernel k, thread (5,0,0)
		st.global.u32 [%rd2], %r2;	k.ptx:22:1: error: read of 4 uninitialised bytes at byte 148 of .shared, stored to global memory at line 24 (kernel k, thread (5,0,0)
		add.u32 %r4, %r2, 1; mul.lo.u32 %r5, %r4, 3; st.global.u32 [%rd2], %r5;	k.ptx:22:1: error: read of 4 uninitialised bytes at byte 148 of .shared, stored to global memory at line 26
		atom.global.add.u32 %r4, [%rd1], %r2;	used as an operand at line 24 (kernel k, thread (5,0,0)
		red.shared.max.u32 [s+128], %r2;	used as an operand at line 24
		and.b32 %r4, %r1, 12; cvt.u64.u32 %rd3, %r4; add.u64 %rd4, %rd1, %rd3; ld.global.u32 %r5, [%rd4];	used as an address at line 27
		and.b32 %r4, %r1, 12; add.u32 %r4, %r30, %r4; st.shared.u32 [%r4], 1;	used as an address at line 26
		setp.gt.u32 %p2, %r2, 7; @%p2 bra over; mov.u32 %r4, 1; over: add.u32 %r4, %r4, 1;	used as a condition at line 25 (kernel k, thread (5,0,0)
		setp.eq.u32 %p2, %r1, 0; @%p2 st.global.u32 [%rd2], 1;	used as a condition at line 25
		setp.eq.u32 %p2, %r1, 7; @%p2 ld.global.u32 %r4, [%rd2];	used as a condition at line 25
		setp.eq.u32 %p2, %r1, 7; mov.u32 %r4, 9; @%p2 mov.u32 %r4, 8; st.global.u32 [%rd2], %r4;	stored to global memory at line 27
		setp.eq.u32 %p2, %r1, 7; selp.u32 %r4, 1, 2, %p2; st.global.u32 [%rd2], %r4;	stored to global memory at line 26
		setp.eq.u32 %p2, %r1, 7; setp.ne.and.u32 %p3, %r0, 99, %p2; selp.u32 %r4, 1, 2, %p3; st.global.u32 [%rd2], %r4;	stored to global memory at line 27
		setp.eq.u32 %p2, %r1, 7; setp.lt.and.u32 %p3, %r0, 5, %p2; selp.u32 %r4, 1, 2, %p3; st.global.u32 [%rd2], %r4;	thread (0,0,0)
		setp.eq.u32 %p2, %r1, 7; setp.eq.and.u32 %p3, %r2, %r0, %p2; selp.u32 %r4, 1, 2, %p3; st.global.u32 [%rd2], %r4;	thread (0,0,0)
		setp.eq.u32 %p2, %r1, 7; setp.lt.or.u32 %p3, %r0, 5, %p2; selp.u32 %r4, 1, 2, %p3; st.global.u32 [%rd2], %r4;	thread (5,0,0)
		max.u32 %r4, %r0, %r2; st.global.u32 [%rd2], %r4;	k.ptx:22:1:
		shfl.sync.bfly.b32 %r4, %r2, 1, 31, -1; st.global.u32 [%rd2], %r4;	k.ptx:22:1: error: read of 4 uninitialised bytes at byte 148 of .shared, stored to global memory at line 25 (kernel k, thread (4,0,0)
		setp.eq.u32 %p2, %r2, 7; vote.sync.ballot.b32 %r4, %p2, -1; st.global.u32 [%rd2], %r4;	k.ptx:22:1: error: read of 4 uninitialised bytes at byte 148 of .shared, stored to global memory at line 26 (kernel k, thread (0,0,0)
		redux.sync.add.u32 %r4, %r2, -1; st.global.u32 [%rd2], %r4;	k.ptx:22:1:
		or.b32 %r4, %r1, 1; st.global.u32 [%rd2], %r4;	k.ptx:21:1:
		lop3.b32 %r4, %r1, %r0, %r3, 0x96; st.global.u32 [%rd2], %r4;	stored to global memory at line 25
		xor.b32 %r4, %r1, %r3; st.global.u32 [%rd2], %r4;	stored to global memory at line 25
		mov.b64 %rd3, {%r1, %r3}; st.global.u64 [%rd1], %rd3;	stored to global memory at line 25
		and.b32 %r4, %r1, 255; prmt.b32 %r5, %r4, %r0, 0x0123; st.global.u32 [%rd2], %r5;	stored to global memory at line 26
		shf.r.wrap.b32 %r4, %r1, %r3, 8; st.global.u32 [%rd2], %r4;	stored to global memory at line 25
		shf.r.wrap.b32 %r4, %r1, %r0, 0; st.global.u32 [%rd2], %r4;	stored to global memory at line 25
		shf.r.wrap.b32 %r4, %r1, %r0, 1; st.global.u32 [%rd2], %r4;	stored to global memory at line 25
		bfi.b32 %r4, %r1, %r0, 0, 32; st.global.u32 [%rd2], %r4;	stored to global memory at line 25
		add.cc.u32 %r4, %r1, 1; addc.u32 %r5, 0, 0; st.global.u32 [%rd2], %r5;	stored to global memory at line 26
		cvt.rn.f32.u32 %f1, %r1; fma.rn.f32 %f2, %f1, %f1, 0f3f800000; st.global.f32 [%rd2], %f2;	stored to global memory at line 26
		bar.sync %r1;	used as a condition at line 24
	E
}

@test "findings of a block that fails later are reported first" {
	kernel <<-'E'
		setp.eq.u32 %p2, %r1, 7;
		@%p2 bra far;
		add.u32 %r31, %r31, 100000;
		far: st.shared.u32 [%r31], %r0;
	E
	for options in '-j 1' '-j 2'; do
		sed -i 's/grid=1/grid=2/' k.launch
		run -1 trace-exec -n $options k.launch
		assert_line --index 0 --partial 'error: read of 4 uninitialised bytes at byte 512 of .shared, used as a condition at line 25'
		assert_line --index 1 --partial 'error: write of 4 bytes at byte 100000 of .shared'
		[ "${#lines[@]}" -eq 2 ]
	done
}

@test "an undefined value that is not used is not reported" {
	reports <<-'E'
		mad.lo.u32 %r5, %r0, 16, %r30; cp.async.ca.shared.global [%r5], [%rd1], 16; cp.async.wait_all; bar.sync 0; ld.shared.u32 %r4, [%r5+8]; st.global.u32 [%rd2], %r4;
		add.u32 %r4, %r1, %r2;
		setp.lt.u32 %p2, %r0, 5; @%p2 st.global.u32 [%rd2], %r2;
		setp.gt.u32 %p2, %r0, 5; selp.u32 %r4, %r0, %r2, %p2; setp.eq.u32 %p3, %r0, 5; @%p3 mov.u32 %r4, 7; st.global.u32 [%rd2], %r4;
		setp.eq.u32 %p2, %r0, 5; selp.u32 %r4, 7, %r2, %p2; st.global.u32 [%rd2], %r4;
		xor.b32 %r4, %r1, %r1; st.global.u32 [%rd2], %r4;
		and.b32 %r4, %r1, 0; st.global.u32 [%rd2], %r4;
		lop3.b32 %r4, %r1, %r0, %r3, 0xcc; st.global.u32 [%rd2], %r4;
		mov.u32 %r1, 1; st.global.u32 [%rd2], %r1;
		prmt.b32 %r5, %r1, %r0, 0x7654; st.global.u32 [%rd2], %r5;
		prmt.b32 %r5, %r1, %r0, 0x5410; st.global.u32 [%rd2], %r5;
		shf.r.wrap.b32 %r5, %r0, %r1, 8; st.global.u32 [%rd2], %r5;
		shf.l.wrap.b32 %r5, %r1, %r0, 24; st.global.u32 [%rd2], %r5;
		bfi.b32 %r5, %r1, %r0, 8, 8; st.global.u32 [%rd2], %r5;
		bfi.b32 %r5, %r0, %r1, 8, 8; st.global.u32 [%rd2], %r5;
		setp.eq.u32 %p2, %r1, 7; setp.eq.and.u32 %p3, %r0, 99, %p2; selp.u32 %r4, 1, 2, %p2;
		setp.eq.u32 %p2, %r1, 7; setp.eq.and.u32 %p3, %r0, 99, %p2; @%p3 st.global.u32 [%rd2], 1;
		setp.eq.u32 %p2, %r1, 7; setp.ne.or.u32 %p3, %r0, 99, !%p2; selp.u32 %r4, 1, 2, %p3; st.global.u32 [%rd2], %r4;
		setp.eq.u32 %p4, %r0, 99; setp.eq.and.u32 %p2, %r1, 7, %p4; @%p2 st.global.u32 [%rd2], 1;
		setp.ne.u32 %p4, %r0, 99; setp.eq.or.u32 %p2, %r1, 7, %p4; @%p2 st.global.u32 [%rd2], 1;
		setp.ne.u32 %p4, %r0, 99; setp.eq.and.u32 %p2, %r1, 7, !%p4; @%p2 st.global.u32 [%rd2], 1;
		setp.eq.u32 %p2, %r1, 7; setp.eq.u32 %p4, %r0, 99; and.pred %p3, %p2, %p4; @%p3 bra over; mov.u32 %r4, 1; over: st.global.u32 [%rd2], 1;
		setp.eq.u32 %p2, %r1, 7; selp.u32 %r4, %r0, %r0, %p2; st.global.u32 [%rd2], %r4;
		setp.lt.u32 %p2, %r0, 4; shfl.sync.idx.b32 %r4, %r2, 3, 31, -1; st.global.u32 [%rd2], %r4;
		shfl.sync.down.b32 %r4|%p2, %r2, 1, 31, -1; setp.eq.u32 %p3, %r0, 4; setp.eq.or.u32 %p3, %r0, 5, %p3; selp.u32 %r4, 0, %r4, %p3; st.global.u32 [%rd2], %r4;
		shfl.sync.up.b32 %r4|%p2, %r0, 1, 0, -1; @%p2 st.global.u32 [%rd2], %r4;
		st.shared.u32 [s+516], %r1; ld.shared.u32 %r4, [s+516]; add.u32 %r4, %r4, 1;
		st.shared.u32 [s+516], 1; ld.shared.u64 %rd3, [s+512]; st.global.u64 [%rd1], %rd3;
		st.shared.v2.u32 [s+640], {%r1, 7}; ld.shared.v2.u32 {%r4, %r5}, [s+640]; st.global.u32 [%rd2], %r5;
		ld.shared.v4.u32 {%r4, %r5, _, %r6}, [s+768]; mov.u32 %r4, 1;
	E
}

@test "memory keeps the undefined state of a stored value" {
	reports <<-'E'
		st.shared.u32 [s+600], 5; st.shared.u32 [s+600], %r1; ld.shared.u32 %r4, [s+600]; st.global.u32 [%rd2], %r4;	k.ptx:26:1: error: read of 4 uninitialised bytes at byte 600 of .shared (an undefined value stored there, which was read at line 21), stored to global memory at line 27
		st.shared.u32 [s+600], %r1; st.shared.u32 [s+600], 5; ld.shared.u32 %r4, [s+600]; st.global.u32 [%rd2], %r4;
		st.shared.u32 [s+600], %r1; ld.shared.u32 %r4, [s+600]; st.shared.u32 [s+604], %r4; ld.shared.u32 %r5, [s+604]; st.global.u32 [%rd2], %r5;	at byte 604 of .shared (an undefined value stored there, which was read at line 21), stored
		st.local.u32 [l+8], %r1; ld.local.u32 %r4, [l+8]; st.global.u32 [%rd2], %r4;	k.ptx:21:1: error: read of 4 uninitialised bytes at byte 512 of .shared, stored to global memory at line 26
		st.local.u32 [l+8], %r1; st.local.u32 [l+8], 1; ld.local.u32 %r4, [l+8]; st.global.u32 [%rd2], %r4;
		st.local.u32 [l+8], %r2; ld.local.u32 %r4, [l+8]; setp.ne.u32 %p2, %r0, 5; @%p2 st.global.u32 [%rd2], %r4;
		st.local.u32 [l+8], %r2; ld.local.u32 %r4, [l+8]; st.global.u32 [%rd2], %r4;	(kernel k, thread (5,0,0)
		mov.u64 %rd3, l; cvta.local.u64 %rd3, %rd3; st.u32 [%rd3], %r1; ld.u32 %r4, [%rd3]; st.u32 [%rd2], %r4;	k.ptx:21:1: error: read of 4 uninitialised bytes at byte 512 of .shared, stored to global memory at line 28
		st.shared.v4.u32 [s+640], {7, %r1, %r3, 7}; ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [s+640]; st.global.u32 [%rd1], %r4;
		st.shared.v4.u32 [s+640], {7, %r1, %r3, 7}; ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [s+640]; st.global.u32 [%rd1], %r5;	k.ptx:25:1: error: read of 16 bytes, some uninitialised, at byte 640 of .shared (an undefined value stored there, which was read at line 23), stored
		st.shared.u8 [s+641], 1; ld.shared.v2.u8 {%h1, %h2}, [s+640]; st.global.u8 [%rd1], %h2;
		st.shared.u8 [s+641], 1; ld.shared.v2.u8 {%h1, %h2}, [s+640]; st.global.u8 [%rd1], %h1;	k.ptx:25:1: error: read of 2 bytes
	E
	# a buffer word that is partly undefined is still undefined for the next load
	kernel <<-'E'
		st.global.v2.u32 [%rd1], {%r1, 7};
		ld.global.u32 %r4, [%rd1];
		ld.global.u32 %r5, [%rd1+4];
		st.global.u32 [%rd2+128], %r5;
		st.global.u32 [%rd2+256], %r4;
	E
	sed -i 's/zero/unset/' k.launch
	launch_ends 1 "k.ptx:25:1: error: read of 4 uninitialised bytes, at byte 0 of 'A' of 4096 bytes, stored to global memory at line 28"
	[ "${#lines[@]}" -eq 1 ]
}

@test "calls pass undefined values on" {
	cat >functions <<-'E'
		.func (.reg .b32 r) twice(.reg .b32 x) { add.u32 r, x, x; ret; }
		.func (.param .b32 r) param(.param .b32 x, .param .b32 y) { .reg .b32 %v, %w; ld.param.u32 %v, [x]; ld.param.u32 %w, [y]; st.param.b32 [r], %v; ret; }
	E
	reports <<-'E'
		call (%r4), twice, (%r1); st.global.u32 [%rd2], %r4;	stored to global memory at line 27
		call (%r4), twice, (%r0); st.global.u32 [%rd2], %r4;
		call (%r4), twice, (%r1); call (%r4), twice, (%r0); st.global.u32 [%rd2], %r4;
		{ .param .b32 p; .param .b32 q; .param .b32 o; st.param.b32 [p], %r1; st.param.b32 [q], %r0; call (o), param, (p, q); ld.param.b32 %r4, [o]; }; st.global.u32 [%rd2], %r4;	k.ptx:23:1: error: read of 4 uninitialised bytes at byte 512 of .shared, stored to global memory
		{ .param .b32 p; .param .b32 q; .param .b32 o; st.param.b32 [p], %r0; st.param.b32 [q], %r1; call (o), param, (p, q); ld.param.b32 %r4, [o]; }; st.global.u32 [%rd2], %r4;
	E
}

@test "products, matrix rows and printed values that contain undefined values are reported" {
	printf '.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n.global .align 1 .b8 text[4] = {37, 117, 10, 0};\n' >functions
	local print='cvta.local.u64 %rd3, %rd3; mov.u64 %rd4, text; cvta.global.u64 %rd4, %rd4; { .param .b64 f; .param .b64 a; .param .b32 o; st.param.b64 [f], %rd4; st.param.b64 [a], %rd3; call (o), vprintf, (f, a); }'
	local rows='ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [%r31+768]'
	rows='mad.lo.u32 %r32, %r0, 16, %r30; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [%r32]'
	# the second matrix has 4 undefined bytes in row 1
	local matrices='mad.lo.u32 %r32, %r0, 16, %r30; setp.lt.u32 %p2, %r0, 8; @%p2 st.shared.v4.u32 [%r32], {%r0, %r0, %r0, %r0}; ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r4, %r5}, [%r32]'
	reports <<-E
		mov.u64 %rd3, l; st.local.u32 [l], %r1; $print;	printed at line
		$rows; mov.u32 %r4, 1; st.global.u32 [%rd2], %r4;
		$rows; st.global.u32 [%rd2], %r4;	read of 16 uninitialised bytes at byte 0 of .shared, stored to global memory
		mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f1, %f2, %f3, %f4}, {%r0, %r0}, {%r2}, {%f1, %f2, %f3, %f4}; st.global.f32 [%rd2], %f2;	k.ptx:24:1:
		$matrices; st.global.u32 [%rd2], %r4;
		$matrices; st.global.u32 [%rd2], %r5;	stored to global memory at line 30 (kernel k, thread (4,0,0)
		$matrices; setp.gt.u32 %p3, %r0, 7; @%p3 st.global.u32 [%rd2], %r5;
		${matrices/m8n8/m8n8.trans}; st.global.u32 [%rd2], %r5;	thread (0,0,0)
		mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f1, %f2, %f3, %f4}, {%r2, %r0}, {%r0}, {%f1, %f2, %f3, %f4}; st.global.f32 [%rd2], %f1;	thread (4,0,0)
		mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f1, %f2, %f3, %f4}, {%r2, %r0}, {%r0}, {%f1, %f2, %f3, %f4}; st.global.f32 [%rd2], %f3;
		mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f1, %f2, %f3, %f4}, {%r2, %r0}, {%r0}, {%f1, %f2, %f3, %f4}; setp.gt.u32 %p2, %r0, 7; @%p2 st.global.f32 [%rd2], %f1;
		mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f1, %f2, %f3, %f4}, {%r0, %r2}, {%r0}, {%f1, %f2, %f3, %f4}; st.global.f32 [%rd2], %f3;	thread (4,0,0)
		mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f1, %f2, %f3, %f4}, {%r0, %r0}, {%r2}, {%f1, %f2, %f3, %f4}; st.global.f32 [%rd2], %f1;
		mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f1, %f2, %f3, %f4}, {%r0, %r0}, {%r2}, {%f1, %f2, %f3, %f4}; st.global.f32 [%rd2], %f4;	thread (0,0,0)
		mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f1, %f2, %f3, %f4}, {%r0, %r0}, {%r0}, {%f1, %f2, %f3, %f4}; st.global.f32 [%rd2], %f1;
	E
}

@test "undefined registers do not change the trace" {
	for form in '' '--as sass'; do
		kernel <<-'E'
			mov.u32 %r4, 0;
		loop:
			add.u32 %r5, %r1, %r4; add.u32 %r4, %r4, 1;
			setp.lt.u32 %p2, %r4, %r0; @%p2 bra loop;
			bar.sync 0; st.global.u32 [%rd2], %r4;
		E
		run -0 trace-exec $form -o with k.launch
		run -0 trace-exec --no-check $form -o without k.launch
		cmp with/kernel-1.traceg without/kernel-1.traceg
		rm -r with without
	done
}
