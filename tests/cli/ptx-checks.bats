#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-exec: the checks of PTX kernels report faults of memory accesses, and nothing else.

bats_require_minimum_version 1.5.0
load helper
load ptx_kernel

@test "an out-of-bounds access is reported with the nearest buffer, the thread and the line" {
	kernel <<-'E'
		mul.wide.u32 %rd2, %r1, 4;
		add.s64 %rd2, %rd1, %rd2;
		st.global.u32 [%rd2], %r1;
	E
	launch 65
	for o in --check --no-check; do
		run -1 trace-exec $o -n k.launch
		assert_output --partial 'k.ptx:17:1: error: write of 4 bytes at 0xc0000100, 0 bytes after '"'A'"' of 256 bytes'
		assert_output --partial '(kernel k, thread (64,0,0) of CTA (0,0,0))'
	done
	# an address of the host
	kernel <<<'mov.u64 %rd2, 0x55acd3e06cb0; st.global.u32 [%rd2], %r1;'
	launch 1
	launch_ends 1 'write of 4 bytes at 0x55acd3e06cb0, far from all buffers (expected an address in a buffer; memory of the host must be managed or pinned) (kernel k, thread (0,0,0)'
}

@test "a misaligned access is reported" {
	kernel <<<'ld.global.u64 %rd2, [%rd1+4];'
	launch 1
	launch_ends 1 'misaligned read of 8 bytes at 0xc0000004 (expected a multiple of 8)'
	run -0 trace-exec --no-check -n k.launch
}

@test "an atomic on uninitialised bytes is reported, an exchange is not" {
	for space in shared:s:.shared global:%rd1:A; do
		IFS=: read -r s at where <<<"$space"
		kernel <<-E
			atom.$s.exch.b32 %r2, [$at], 1;
			atom.$s.add.u32 %r2, [$at], 1;
			red.$s.max.u32 [$at+8], 1;
			red.$s.max.u32 [$at+8], 2;
			atom.$s.cas.b32 %r2, [$at+16], 0, 1;
		E
		launch 1
		sed -i 's/zero/unset/' k.launch
		launch_ends 1 "k.ptx:17:1: error: atomic of 4 uninitialised bytes"
		assert_output --regexp "at byte 8 of '?$where"
		sed -i '/^red/d' k.ptx
		run -1 trace-exec -n k.launch
		assert_output --regexp "k.ptx:17:1: error: atomic of 4 uninitialised bytes,? at byte 16 of '?$where"
		sed -i '/^atom.*cas/d' k.ptx
		run -0 trace-exec -n k.launch
		assert_output ''
	done
}

@test "shared memory: unwritten reads and races between warps are reported" {
	kernel <<<'ld.shared.u32 %r2, [s+8]; st.global.u32 [%rd1], %r2;'
	launch 32
	launch_ends 1 'read of 4 uninitialised bytes at byte 8 of .shared, stored to global memory at line 15 (kernel k'
	run -0 trace-exec --no-check -n k.launch
	kernel <<<'st.shared.u32 [s+4], %r1; st.shared.u32 [s+8], %r1; st.global.u32 [%rd1], 7;'
	launch 64
	sed -i -e 's/grid=1/grid=3/' -e 's/^launch.*/&\n&\nsave A a/' k.launch
	run -1 trace-exec -q -o app k.launch
	assert_output --partial 'k.ptx:15:1: error: race: write at byte 4 of .shared that warp 0 has written since the last barrier (expected a barrier between them) (kernel k, thread (32,0,0) of CTA (0,0,0))'
	assert_output --partial 'k.ptx:15:27: error: race: write at byte 8'
	[ "${#lines[@]}" -eq 2 ]
	[ "$(od -An -tu1 -N1 a)" -eq 7 ]
	[ -e app/kernel-2.traceg ]
	# several warps store the same value
	kernel <<<'st.shared.u32 [s+4], 9; mov.u64 %rd2, 5; st.shared.v2.u64 [s+16], {%rd1,%rd2};'
	launch 96
	run -0 trace-exec -n k.launch
	assert_output ''
	run -1 trace-exec --strict-races -n k.launch
	assert_output --partial 'race: write at byte 4 of .shared that warp 0 has written'
	kernel <<-'E'
		setp.lt.u32 %p1, %r1, 32;
		@%p1 st.shared.u32 [s+4], 9;
		bar.sync 0;
		ld.shared.u32 %r2, [s+4];
	E
	run -0 trace-exec -n k.launch
	assert_output ''
}

@test "a store that leaves a word of shared memory unchanged does not race with reads" {
	kernel <<-'E'
		setp.lt.u32 %p1, %r1, 32;
		shl.b32 %r3, %r1, 2;
		and.b32 %r4, %r3, 127;
		@%p1 st.shared.u32 [%r3], %r1;
		bar.sync 0;
		ld.shared.u32 %r2, [%r4];
		st.shared.u32 [%r3], %r2; // warp 0 stores what it has read
		@!%p1 ld.shared.u32 %r5, [%r4];
	E
	launch 64
	run -0 trace-exec -n k.launch
	assert_output ''
	sed -i '/@!%p1/s/.*/@!%p1 st.shared.u32 [%r4], 99;/' k.ptx # another value
	run -1 trace-exec -n k.launch
	assert_output --partial 'race: write at byte 0 of .shared that warp 0 has written'
	kernel <<-'E'
		setp.lt.u32 %p1, %r1, 32;
		@%p1 st.shared.u32 [s], 0; // the first store, which warp 1 may not see
		@!%p1 ld.shared.u32 %r5, [s];
	E
	launch 64
	run -1 trace-exec -n k.launch
	assert_output --partial 'race: read at byte 0 of .shared that warp 0 has written'
	kernel <<-'E'
		setp.lt.u32 %p1, %r1, 32;
		shl.b32 %r3, %r1, 2;
		st.shared.u32 [s+4], 0;
		bar.sync 0;
		@%p1 st.shared.u32 [%r3], 0; // the first store to all words but one
		@!%p1 ld.shared.u32 %r5, [s+4];
	E
	launch 64
	run -0 trace-exec -n k.launch
	assert_output ''
	sed -i '/@!%p1/s/+4/+8/' k.ptx # warp 1 may read before the store
	run -1 trace-exec -n k.launch
	assert_output --partial 'race: read at byte 8 of .shared that warp 0 has written'
}

@test "a write to a word of shared memory that several warps have read is reported" {
	kernel <<-'E'
		setp.eq.u32 %p1, %r1, 0;
		@%p1 st.shared.u32 [s], 5;
		setp.eq.u32 %p1, %r1, 64; // a thread of the last warp, which reads after the others
		bar.sync 0;
		ld.shared.u32 %r2, [s];
		@%p1 st.shared.u32 [s], 6;
	E
	launch 96
	run -1 trace-exec -n k.launch
	assert_output --partial 'race: write at byte 0 of .shared that several warps have read since the last barrier'
	sed -i 's/^@%p1 st.shared.u32 .s., 6;/bar.sync 0; &/' k.ptx
	run -0 trace-exec -n k.launch
	assert_output ''
}

@test "the fault of the lowest failing block is reported, for any number of threads" {
	kernel <<-'E'
		mov.u32 %r3, %ctaid.x;
		setp.lt.u32 %p1, %r3, 3;
		@!%p1 trap;
	E
	launch 32
	sed -i 's/grid=1/grid=50/' k.launch
	for j in 1 2 5; do
		run -1 trace-exec -j $j -n k.launch
		assert_output --partial 'of CTA (3,0,0)'
	done
}

@test "reads of uninitialised bytes of a buffer are reported" {
	kernel <<-'E'
		st.global.u32 [%rd1], %r1;
		ld.global.u32 %r2, [%rd1];
		ld.global.u32 %r2, [%rd1+4];
		st.global.u32 [%rd1], %r2;
	E
	launch 1
	sed -i 's/zero/unset/' k.launch
	launch_ends 1 "k.ptx:17:1: error: read of 4 uninitialised bytes, at byte 4 of 'A' of 256 bytes, stored"
	run -0 trace-exec --no-check -n k.launch
	# a large buffer has its marks in pages of their own, and does not start at a page
	kernel <<-'E'
		st.global.u32 [%rd1+40000000], %r1;
		ld.global.u32 %r2, [%rd1+40000000];
		ld.global.u32 %r2, [%rd1+49999996];
		st.global.u32 [%rd1], %r2;
	E
	launch 1
	sed -i 's/^buffer A.*/buffer B bytes=256 zero\nbuffer A bytes=50000000 unset\nbuffer C bytes=256 zero/' k.launch
	launch_ends 1 "k.ptx:17:1: error: read of 4 uninitialised bytes, at byte 49999996 of 'A' of 50000000 bytes"
	refute_output --partial k.ptx:16
}

@test "a fault of one lane among lanes with adjacent addresses is found" {
	# the write of lane 5 is missing; all lanes read, then half-warps read one address each
	kernel <<-'E'
		mov.u32 %r4, s;
		shl.b32 %r3, %r1, 2;
		add.u32 %r4, %r4, %r3;
		cvt.u64.u32 %rd2, %r3;
		add.u64 %rd3, %rd1, %rd2;
		setp.ne.u32 %p1, %r1, 5;
		@%p1 st.global.u32 [%rd3], %r1;
		@%p1 st.shared.u32 [%r4], %r1;
		ld.global.u32 %r5, [%rd3];
		st.global.u32 [%rd3+128], %r5;
	E
	launch 32
	sed -i 's/zero/unset/' k.launch
	launch_ends 1 "k.ptx:23:1: error: read of 4 uninitialised bytes, at byte 20 of 'A' of 256 bytes, stored to global memory at line 24 (kernel k, thread (5,0,0)"
	sed -i 's/^ld.global.*/ld.shared.u32 %r5, [%r4];/' k.ptx
	launch_ends 1 'read of 4 uninitialised bytes at byte 20 of .shared, stored to global memory at line 24 (kernel k, thread (5,0,0)'
	sed -i 's/^ld.shared.*/shr.u32 %r6, %r1, 4; mad.lo.u32 %r6, %r6, 12, 8; cvt.u64.u32 %rd4, %r6; add.u64 %rd5, %rd1, %rd4; ld.global.u32 %r5, [%rd5];/' k.ptx
	launch_ends 1 "at byte 20 of 'A' of 256 bytes, stored to global memory at line 24 (kernel k, thread (16,0,0)"
	# warp 1 writes the words of warp 0 from word 7 on; the race of blocks is on the lowest byte
	kernel <<-'E'
		setp.lt.u32 %p1, %r1, 32;
		shl.b32 %r3, %r1, 2;
		@!%p1 sub.u32 %r3, %r3, 100;
		cvt.u64.u32 %rd2, %r3;
		add.u64 %rd3, %rd1, %rd2;
		st.global.u32 [%rd3], 1;
	E
	launch 64
	launch_ends 0 "race: warp 1 writes byte 28 of 'A', which warp 0 writes"
	sed -i 's/grid=1/grid=3/' k.launch
	for j in 1 3; do
		run -0 trace-exec -j $j -n k.launch
		assert_output --partial "race: CTA (2,0,0) writes byte 0 of 'A', which others write"
	done
	# the last lane is beyond the buffer
	sed -i 's/bytes=256/bytes=152/; s/block=64/block=39/' k.launch
	run -0 trace-exec -n k.launch
	sed -i 's/sub.u32 %r3, %r3, 100/add.u32 %r3, %r3, 0/' k.ptx
	launch_ends 1 "write of 4 bytes at 0xc0000098, 0 bytes after 'A' of 152 bytes (expected an address in a buffer) (kernel k, thread (38,0,0)"
}

@test "unwritten reads do not stop the run and are reported once a place; padding does not count" {
	kernel <<-'E'
		ld.shared.u32 %r2, [s+8];
		ld.global.u32 %r3, [%rd1+4];
		add.u32 %r2, %r2, 5;
		st.volatile.global.u32 [%rd1], %r2;
	E
	launch 1
	sed -i -e 's/grid=1/grid=3/' -e 's/^launch.*/&\n&\nsave A a/' k.launch
	for o in -j1 -j3; do
		rm -rf a app
		run -1 trace-exec $o -o app k.launch
		assert_output --regexp '^trace-exec: k.ptx:15:1: error: read of 4 uninitialised bytes at byte 8 of .shared, stored to global memory at line 18 \(kernel k, thread \(0,0,0\) of CTA \(0,0,0\)\)$'
		[ "$(od -An -tu1 -N4 a)" = '   5   0   0   0' ]
		[ -e app/kernel-2.traceg ]
	done
	kernel <<-'E'
		st.shared.u32 [s], 1;
		ld.shared.u64 %rd2, [s];
		st.global.u32 [%rd1+8], 1;
		ld.global.v2.u64 {%rd3,%rd4}, [%rd1];
		ld.global.v2.u64 {%rd3,%rd4}, [%rd1+16];
		st.global.u64 [%rd1+32], %rd4;
	E
	launch 1
	sed -i 's/zero/unset/' k.launch
	launch_ends 1 "k.ptx:19:1: error: read of 16 uninitialised bytes, at byte 16 of 'A'"
	sed -i 's/A.*unset/A bytes=256 zero/' k.launch
	run -0 trace-exec -n k.launch
	sed -i 's/\.entry k(/.entry a_name_that_is_longer_than_any_that_a_message_has_room_for_because_it_is_made_of_very_many_words_so_that_its_end_is_not_shown_and_left_out_here(/' k.ptx
	sed -i 's/zero/unset/; s/launch k/launch a_name_that_is_longer_than_any_that_a_message_has_room_for_because_it_is_made_of_very_many_words_so_that_its_end_is_not_shown_and_left_out_here/' k.launch
	launch_ends 1 'so_that_its_end_is_not_shown_.., thread (0,0,0) of CTA (0,0,0))'
}

@test "device memory that a kernel never frees is an error at the end" {
	kernel <<-'E'
		.param .b64 n;
		.param .b64 p;
		st.param.b64 [n], 64;
		call (p), malloc, (n);
		ld.param.b64 %rd2, [p];
		st.b64 [%rd2], %rd1;
	E
	sed -i '/^.visible/i .extern .func (.param .b64 r) malloc (.param .b64 n);' k.ptx
	launch 3
	launch_ends 1 'error: leak: 3 allocations of kernels, 192 bytes (kernel k)'
	run -0 trace-exec --no-check -n k.launch
}

# Writes k.ptx with a kernel that executes $1; %rd2 is the generic address of 64 allocated bytes, v a variable of 4 bytes.
uses_allocated() {
	kernel <<-E
		.param .b64 n;
		.param .b64 p;
		st.param.b64 [n], 64;
		call (p), malloc, (n);
		ld.param.b64 %rd2, [p];
		st.b32 [%rd2+60], %r1;
		$1
		st.param.b64 [n], %rd2;
		call free, (n);
	E
	sed -i '/^.visible/i .extern .func (.param .b64 r) malloc (.param .b64 n); .extern .func free (.param .b64 p); .global .b32 v;' k.ptx
	launch 1
}

@test "the warp that completes a barrier continues after the warps that arrived before it" {
	kernel <<-'E'
		shr.u32 %r2, %r1, 5; // warp
		mul.wide.u32 %rd2, %r2, 4;
		add.u64 %rd3, %rd1, %rd2;
		and.b32 %r3, %r1, 31;
		setp.eq.u32 %p1, %r3, 0;
		bar.sync 0;
		@%p1 atom.global.add.u32 %r4, [%rd1+16], 1;
		@%p1 st.global.u32 [%rd3], %r4;
	E
	launch 128
	echo 'save A a' >>k.launch
	run -0 trace-exec -n k.launch
	assert_output ''
	run -0 od -An -tu4 -N16 -w16 a
	assert_output '          0          1          2          3'
}

@test "a generic access must stay within one buffer or variable" {
	uses_allocated ''
	run -0 trace-exec -n k.launch
	uses_allocated 'st.b32 [%rd2+64], %r1;'
	run -1 trace-exec -n k.launch
	assert_output --partial "error: write of 4 bytes at 0xc0000140, 0 bytes after 'device malloc' of 64 bytes (expected an address in a buffer)"
	uses_allocated 'st.param.b64 [n], %rd2; call free, (n); ld.b32 %r1, [%rd2+12];'
	run -1 trace-exec -n k.launch
	assert_output --partial "at byte 12 of 'device malloc' of 64 bytes, which was freed (expected an address in a buffer)"
	uses_allocated 'cvta.global.u64 %rd3, v; ld.b64 %rd3, [%rd3];'
	run -1 trace-exec -n k.launch
	assert_output --partial "error: read of 8 bytes at 0x"
	assert_output --partial "'v' of 4 bytes (expected an access that ends in the buffer)"
}

@test "cudaMalloc and cudaFree of the device runtime store an address and return a status" {
	for prefix in cuda __cudaCDP2; do
		kernel <<-E
			.local .align 8 .b8 place[8];
			.param .b64 p;
			.param .b64 n;
			.param .b32 status;
			cvta.local.u64 %rd2, place;
			st.param.b64 [p], %rd2;
			st.param.b64 [n], 64;
			call (status), ${prefix}Malloc, (p, n);
			ld.param.b32 %r1, [status];
			ld.local.b64 %rd2, [place];
			st.b32 [%rd2+60], 40;
			ld.b32 %r2, [%rd2+60];
			add.u32 %r2, %r2, %r1;
			cvta.local.u64 %rd3, place;
			st.param.b64 [p], %rd3;
			st.param.b64 [n], 0x200000000; // more than a kernel can allocate
			call (status), ${prefix}Malloc, (p, n);
			ld.param.b32 %r1, [status];
			add.u32 %r2, %r2, %r1;
			st.global.b32 [%rd1], %r2;
			st.param.b64 [p], %rd2;
			call (status), ${prefix}Free, (p);
			ld.param.b32 %r1, [status];
			st.global.b32 [%rd1+4], %r1;
		E
		sed -i "/^.visible/i .extern .func (.param .b32 r) ${prefix}Malloc (.param .b64 p, .param .b64 n); .extern .func (.param .b32 r) ${prefix}Free (.param .b64 p);" k.ptx
		launch 1
		echo 'save A a' >>k.launch
		run -0 trace-exec -n k.launch
		assert_output ''
		assert_equal "$(od -An -tu4 -N8 a)" '         42          0'
	done
	sed -i 's/cvta.local.u64 %rd3, place;/mov.u64 %rd3, 16;/; s/0x200000000/64/' k.ptx
	run -1 trace-exec -n k.launch
	assert_output --partial 'of 8 bytes at 0x10'
}
