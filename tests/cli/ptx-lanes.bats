#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-exec: divergent lanes, barriers, deadlocks, and blocks that wait for each other.

bats_require_minimum_version 1.5.0
load helper
load ptx_kernel

@test "the lanes of a warp are together after a barrier, even if one lane arrived late" {
	# lane 0 of block 0 waits for block 1, the others at the barrier
	kernel <<<'mov.u32 %r2, %ctaid.x; setp.ne.u32 %p1, %r2, 0; @%p1 bra OTHER; setp.ne.u32 %p2, %r1, 0; @%p2 bra MEET;
		AGAIN: ld.acquire.gpu.u32 %r3, [%rd1+128]; setp.eq.u32 %p3, %r3, 0; @%p3 bra AGAIN;
		MEET: barrier.sync 0; shfl.sync.bfly.b32 %r4, %r1, 31, 31, -1; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2;
		st.global.u32 [%rd2], %r4; bra END;
		OTHER: setp.ne.u32 %p4, %r1, 0; @%p4 bra END; st.release.gpu.u32 [%rd1+128], 7;
		END:'
	launch 32
	sed -i 's/grid=1/grid=2/' k.launch
	echo 'save A a.bin' >>k.launch
	run -0 trace-exec -n k.launch
	assert_output ''
	python3 -c 'import struct, sys; sys.stdout.buffer.write(struct.pack("<33I31I", *range(31, -1, -1), 7, *(31 * [0])))' | cmp - a.bin
}

@test "a barrier that can never complete is reported as a deadlock with its name" {
	kernel <<-'E'
		setp.lt.u32 %p1, %r1, 32;
		@%p1 bra one;
		bar.sync 2, 64;
	one:
	E
	launch 64
	launch_ends 1 'deadlock: warp 1 waits at barrier 2, where 1 of 2 warps have arrived (the others have ended; check the number of threads of the barrier)'
	kernel <<-'E'
		setp.lt.u32 %p1, %r1, 32;
		@%p1 bra one;
		bar.sync 2;
	one:
		bar.sync 1;
	E
	launch 64
	launch_ends 1 'deadlock: warp 0 waits at barrier 1, where 1 of 2 warps have arrived, and warp 1 waits at line 17 (expected both at one barrier)'
}

@test "warps meet at a block-wide barrier with and without a count, but not with different counts" {
	kernel <<-'E'
		setp.lt.u32 %p1, %r1, 32;
		@%p1 bra one;
		bar.sync 2, 64;
		bra done;
	one:
		bar.sync 2;
	done:
	E
	launch 64
	run -0 trace-exec -n k.launch
	sed -i 's/bar.sync 2, 64/bar.sync 2, 32/; s/bar.sync 2;/bar.sync 2, 64;/' k.ptx
	run -1 trace-exec -n k.launch
	assert_output --regexp 'barrier 2 of (32|64) threads \(expected (32|64), as in other warps\)'
}

@test "a barrier in divergent code is reported" {
	kernel <<-'E'
		setp.lt.u32 %p1, %r1, 7;
		@%p1 bar.sync 0;
	E
	launch 32
	run -1 trace-exec --stack simt -n k.launch
	assert_output --partial '7 of 32 live lanes of warp 0 at a barrier (expected all; with --stack volta'
}

@test "lanes that have ended are not awaited at a barrier, however the compiler arranged them" {
	local o
	while read -r guard; do
		kernel <<-E
			setp.ge.u32 %p1, %r1, 40;
			$guard
		go:	st.shared.u32 [s], 7;
			bar.sync 0;
			ld.shared.u32 %r2, [s];
		E
		launch 64
		for o in '' '--no-check' '-j 2'; do
			run -0 trace-exec $o -n k.launch
			assert_output ''
		done
	done <<-'E'
		@%p1 ret;
		@%p1 bra e; bra go; e: ret;
		@!%p1 bra go; ret;
		@!%p1 bra go; mov.u32 %r3, 0; l: add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 999; @%p2 bra l; exit;
	E
	# before sm_70 all lanes that have not ended arrive at once
	sed -i 's/sm_90/sm_60/' k.ptx
	run -1 trace-exec -q -n k.launch
	assert_output --partial 'with --stack volta'
	run -0 trace-exec -q --stack volta -n k.launch
}

# Each lane stores, waits, reads the store of the lane 16 positions away, and waits again. The code between the bars comes
# before the first barrier: lanes 0 to 15 (%p1) and the others arrive separately, and the barrier is executed once.
@test "independent lanes reach a barrier one group after another; with a stack only barrier.sync allows that" {
	local way first lanes
	while IFS='|' read -r way lanes first; do
		kernel <<-E
			setp.lt.u32 %p1, %r1, 16; setp.eq.u32 %p2, %r1, 3;
			mov.u32 %r2, s; shl.b32 %r3, %r1, 2; and.b32 %r3, %r3, 127; add.u32 %r2, %r2, %r3;
			st.shared.u32 [%r2], %r1; mov.u32 %r6, 99;
			$first
			xor.b32 %r4, %r3, 64; mov.u32 %r5, s; add.u32 %r5, %r5, %r4;
			@!%p3 ld.shared.u32 %r6, [%r5];
			$([ $way = any ] && echo barrier.sync || echo bar.sync) 0;
			mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2; st.global.u32 [%rd2], %r6;
		E
		launch 32
		echo 'save A out' >>k.launch
		run -0 trace-exec --stack volta -n k.launch
		run -0 od -An -v -td4 -N128 -w128 out
		assert_equal "$(echo $output)" "$(eval echo $lanes)"
		trace-exec --stack volta -f -o app k.launch
		run -0 trace-lint app
		run -0 awk '/^-code .* bar/ { bar[$2] } $1 in bar && $2 !~ /^0+$/ { n++ } END { print n }' app/kernel-1.traceg
		assert_output 2
		run trace-exec --stack simt -n k.launch
		assert_equal "$way $status" "$way $([ "$way" = any ]; echo $?)"
		[ "$way" = any ] || assert_output --partial 'lanes of warp 0 at a barrier (expected all; with --stack volta'
	done <<-'E'
		volta|{16..18} 0 {20..31} {0..2} 99 {4..15}|setp.eq.u32 %p3, %r1, 19; @!%p1 bra j; @%p2 exit; j: bar.sync 0;
		any|{16..18} 0 {20..31} {0..2} 99 {4..15}|setp.eq.u32 %p3, %r1, 19; @!%p1 bra j; @%p2 exit; j: barrier.sync 0;
		volta|{16..31} {0..15}|@%p1 bra t; bar.sync 0; bra j; t: bar.sync 0; j: setp.eq.u32 %p3, 0, 1;
		any|{16..31} {0..15}|@%p1 bra t; barrier.sync 0; bra j; t: barrier.sync 0; j: setp.eq.u32 %p3, 0, 1;
		volta|{16..31} {0..15}|@%p1 bra t; bar.sync 0; bra j; t: @%p2 bra u; bar.sync 0; bra v; u: bar.sync 0; v: j: setp.eq.u32 %p3, 0, 1;
		volta|{16..31} {0..15}|@%p1 bra j; bra.uni k; j: @%p2 bra k; k: @%p1 bar.sync 0; @!%p1 bar.sync 0; setp.eq.u32 %p3, 0, 1;
		any|{16..31} {0..15}|@%p1 barrier.sync 0; @!%p1 barrier.sync 0; setp.eq.u32 %p3, 0, 1;
	E
	kernel <<-'E'
		setp.lt.u32 %p1, %r1, 16;
		@%p1 bra t;
		barrier.sync 1;
	t:
		barrier.sync 2;
	E
	launch 32
	run -1 trace-exec --stack volta -n k.launch
	assert_output --partial 'lanes of warp 0 at barrier 2, others at barrier 1 (expected all at the same barrier)'
}

@test "the last warp at a barrier also gets the result of the barrier" {
	kernel <<-'E'
		setp.lt.u32 %p1, %r1, 40;
		mov.u32 %r2, 99;
		barrier.cta.red.popc.u32 %r2, 0, %p1;
		bar.cta.red.and.pred %p2, 1, %p1;
		bar.red.or.pred %p3, 2, 96, !%p1;
		selp.u32 %r3, 1, 0, %p2;
		selp.u32 %r4, 1, 0, %p3;
		mad.lo.u32 %r2, %r2, 100, %r3;
		mad.lo.u32 %r2, %r2, 100, %r4;
		mul.wide.u32 %rd2, %r1, 4;
		add.s64 %rd2, %rd1, %rd2;
		st.global.u32 [%rd2], %r2;
	E
	printf 'module k.ptx\nbuffer A bytes=384 zero\nlaunch k grid=1 block=96 args A\nsave A a.bin\n' >k.launch
	run -0 trace-exec -n k.launch
	run -0 od -An -v -td4 -w384 a.bin
	assert_output --regexp '^( +400001){96}$'
}

@test "thread blocks of a cluster can access each other's shared memory" {
	kernel <<-'E'
		mov.u32 %r2, %ctaid.x;
		mov.u32 %r3, %cluster_ctarank;
		mad.lo.u32 %r4, %r2, 10, 7;
		setp.eq.u32 %p1, %r1, 0;
		@%p1 st.shared.u32 [s+4], %r4;
		barrier.cluster.arrive.release.aligned;
		barrier.cluster.wait.acquire.aligned;
		mov.u32 %r5, s;
		xor.b32 %r6, %r3, 1;
		mapa.shared::cluster.u32 %r5, %r5, %r6;
		ld.shared::cluster.u32 %r7, [%r5+4];
		getctarank.shared::cluster.u32 %r8, %r5;
		mad.lo.u32 %r7, %r8, 1000, %r7;
		barrier.cluster.arrive.aligned;
		barrier.cluster.wait.aligned;
		mul.wide.u32 %rd2, %r2, 4;
		add.u64 %rd2, %rd1, %rd2;
		@%p1 st.global.u32 [%rd2], %r7;
	E
	for j in 1 3; do
		printf 'module k.ptx\nbuffer A bytes=24 zero\nlaunch k grid=6 block=64 cluster=2 args A\nsave A a.bin\n' >k.launch
		run -0 trace-exec -j $j -n k.launch
		run -0 od -An -v -td4 a.bin
		assert_output --regexp '^ +1017 +7 +1037 +27\s+1057 +47$'
	done
	sed -i 's/cluster=2/cluster=4/' k.launch
	launch_ends 2 'clusters of 4,1,1 thread blocks in grid 6,1,1'
	kernel <<-'E'
		mov.u32 %r3, %cluster_ctarank;
		setp.eq.u32 %p1, %r3, 0;
		@%p1 bra e;
		barrier.cluster.arrive.aligned;
		barrier.cluster.wait.aligned;
		bra d;
	e:
		bar.sync 1, 64;
	d:
	E
	printf 'module k.ptx\nbuffer A bytes=24 zero\nlaunch k grid=2 block=32 cluster=2 args A\n' >k.launch
	launch_ends 1 'deadlock'
}

@test "an endless loop of thousands of instructions is reported as a deadlock" {
	kernel <<-'E'
	l:
		mov.u32 %r2, 0;
	c:
		add.u32 %r2, %r2, 1;
		setp.lt.u32 %p1, %r2, 3000;
		@%p1 bra c;
		ld.volatile.global.u32 %r3, [%rd1];
		setp.eq.u32 %p2, %r3, 0;
		@%p2 bra l;
	E
	launch 64
	run -1 trace-exec --limit 2000000 -n k.launch
	assert_output --partial 'deadlock'
}

@test "a lock contended by lanes of one warp is a deadlock, except for independent lanes" {
	kernel <<-'E'
	l:
		atom.global.cas.b32 %r2, [%rd1], 0, 1;
		setp.ne.u32 %p1, %r2, 0;
		@%p1 bra l;
		ld.volatile.global.u32 %r3, [%rd1+4];
		add.u32 %r3, %r3, 1;
		st.volatile.global.u32 [%rd1+4], %r3;
		membar.gl;
		atom.global.exch.b32 %r2, [%rd1], 0;
	E
	launch 64
	echo 'save A a.bin' >>k.launch
	sed -i 's/grid=1/grid=3/' k.launch
	run -1 trace-exec --stack simt -n k.launch
	assert_output --partial 'deadlock: 31 lanes of warp 0 spin on a value in '\''A'\'' that no running thread writes, while other lanes of the warp wait for them (use --stack volta)'
	assert_output --partial 'thread (1,0,0) of CTA (0,0,0)'
	run -0 trace-exec --stack volta -n k.launch
	run -0 od -An -td4 -N8 a.bin
	assert_output --regexp '^ +0 +192$'
	run -2 trace-exec --stack kepler -n k.launch
	assert_output --partial "unknown stack 'kepler' (expected simt or volta)"
}

@test "a block that waits for a later block lets it start" {
	kernel <<-'E'
		mov.u32 %r2, %ctaid.x;
		setp.ne.u32 %p1, %r2, 9;
		@!%p1 st.volatile.global.u32 [%rd1], 5;
	l:
		ld.volatile.global.u32 %r3, [%rd1];
		setp.eq.u32 %p2, %r3, 0;
		@%p2 bra l;
		mul.wide.u32 %rd2, %r2, 4;
		add.u64 %rd2, %rd1, %rd2;
		@%p1 st.global.u32 [%rd2+4], %r2;
	E
	launch 32
	sed -i 's/grid=1/grid=10/' k.launch
	echo 'save A a.bin' >>k.launch
	for j in 1 4; do
		trace-exec -j $j -o t$j k.launch
		run -0 od -An -v -td4 -w40 -N40 a.bin
		assert_output --regexp '^ +5 +0 +1 +2 +3 +4 +5 +6 +7 +8$'
	done
	run -0 diff -r t1 t4
	sed -i 's/%r2, 9/%r2, 77/' k.ptx
	launch_ends 1 'deadlock'
}

@test "a block that waits for a later block in a counting loop lets it start" {
	kernel <<-'E'
		mov.u32 %r2, %ctaid.x;
		setp.ne.u32 %p1, %r2, 2;
		@!%p1 st.volatile.global.u32 [%rd1], 5;
		mov.u32 %r4, 0;
	l:
		add.u32 %r4, %r4, 1;
		ld.volatile.global.u32 %r3, [%rd1];
		setp.eq.u32 %p2, %r3, 0;
		@%p2 bra l;
		mul.wide.u32 %rd2, %r2, 4;
		add.u64 %rd2, %rd1, %rd2;
		@%p1 st.global.u32 [%rd2+4], %r2;
	E
	launch 32
	sed -i 's/grid=1/grid=3/' k.launch
	echo 'save A a.bin' >>k.launch
	trace-exec --limit 100000000 -n k.launch
	run -0 od -An -v -td4 -w12 -N12 a.bin
	assert_output --regexp '^ +5 +0 +1$'
}

@test "lanes that call different functions run one group after another, each once" {
	kernel <<-'E'
		.reg .b64 %fn; .reg .b32 %v, %w;
		proto: .callprototype (.reg .b32 _) _ (.reg .b32 _);
		and.b32 %r2, %r1, 3; setp.ne.u32 %p1, %r2, 3;
		setp.eq.u32 %p2, %r2, 1; mov.u64 %rd2, twice; mov.u64 %rd3, deep; selp.b64 %fn, %rd3, %rd2, %p2;
		setp.eq.u32 %p3, %r2, 2; mov.u64 %rd4, gone; @%p3 mov.b64 %fn, %rd4;
		mov.u32 %w, 7; @%p1 call (%w), %fn, (%r1), proto;
		mul.wide.u32 %rd5, %r1, 4; add.s64 %rd6, %rd1, %rd5; activemask.b32 %v;
		st.global.u32 [%rd6], %w; st.global.u32 [%rd6+128], %v;
	E
	sed -i '/^.visible/i .func (.reg .b32 r) twice(.reg .b32 x) { add.u32 r, x, x; ret; }\n\
		.func (.reg .b32 r) gone(.reg .b32 x) { .reg .pred p; setp.gt.u32 p, x, 16; @p exit; mov.u32 r, 100; ret; }\n\
		.func (.reg .b32 r) deep(.reg .b32 x) { .reg .b64 f; .reg .pred p; .reg .b64 g;\n\
		pr: .callprototype (.reg .b32 o) _ (.reg .b32 i); mov.u64 f, twice; mov.u64 g, gone;\n\
		setp.gt.u32 p, x, 8; @p mov.u64 f, g; call (r), f, (x), pr; add.u32 r, r, 1; ret; }' k.ptx
	launch 32
	echo 'save A a' >>k.launch
	for o in '' '--stack volta'; do
		run -0 trace-exec $o -n k.launch
		run -0 python3 -c '
import struct
v = struct.unpack("<64I", open("a", "rb").read())
ended = [i for i in range(17, 32) if i % 4 in (1, 2)]
want = [0 if i in ended else (2 * i, 101 if i > 8 else 2 * i + 1, 100, 7)[i % 4] for i in range(32)]
assert list(v[:32]) == want, (v, want)
left = sum(1 << i for i in range(32) if i not in ended)
assert all(v[32 + i] == (0 if i in ended else left) for i in range(32)), v'
	done
	run -0 trace-exec -o app k.launch
	run -0 trace-lint app
}

@test "lanes that name each other in .sync forms ignore other lanes that execute with them" {
	kernel <<-'E'
		setp.ge.u32 %p1, %r1, 16; selp.b32 %r2, 0xffff0000, 0xffff, %p1;
		setp.lt.u32 %p2, %r1, 3;
		vote.sync.ballot.b32 %r3, %p2, %r2;
		vote.sync.any.pred %p3, %p2, %r2; selp.b32 %r4, 1, 0, %p3;
		and.b32 %r5, %r1, 7;
		match.any.sync.b32 %r6, %r5, %r2;
		shr.u32 %r7, %r1, 4;
		match.all.sync.b32 %r8|%p4, %r7, %r2;
		elect.sync %r9|%p5, %r2; selp.b32 %r10, 1, 0, %p5;
		redux.sync.add.s32 %r11, %r1, %r2;
		mul.wide.u32 %rd2, %r1, 32; add.s64 %rd3, %rd1, %rd2;
		st.global.v4.b32 [%rd3], {%r3,%r4,%r6,%r8}; st.global.v4.b32 [%rd3+16], {%r9,%r10,%r11,%r2};
	E
	launch 32
	sed -i -e 's/bytes=256/bytes=1024/' -e '$a save A a' k.launch
	run -0 trace-exec -n k.launch
	run -0 python3 -c '
import struct
v = struct.unpack("<256I", open("a", "rb").read())
for i in range(32):
    half = 16 * (i // 16)
    mask = 0xffff << half
    want = (0 if half else 7, not half, 0x0101 << i % 8 << half, mask, half, i == half, 376 if half else 120, mask)
    assert v[8 * i:8 * i + 8] == want, (i, v[8 * i:8 * i + 8], want)'
}

@test "lane operations that PTX leaves undefined are executed and reported with their source line" {
	local way said
	while IFS='|' read -r way said; do
		kernel <<-E
			setp.lt.u32 %p1, %r1, 16; selp.b32 %r2, 0xffff, -1, %p1; mov.u32 %r3, 0; setp.ne.u32 %p2, %r1, 5;
			.loc 1 7 0
			$way
			mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2; st.global.u32 [%rd2], %r3;
		E
		sed -i '3a .file 1 "k.cu"' k.ptx
		launch 32
		launch_ends 1 "k.ptx:18:"
		assert_output --partial "$said"
		assert_output --partial "k.cu line 7)"
		[ "${#lines[@]}" -eq 1 ]
		run -0 trace-exec --no-check -n k.launch
	done <<-'E'
		vote.sync.ballot.b32 %r3, %p1, %r2;|vote.sync.ballot.b32: lanes that execute it together have different masks, lane 16 0xffffffff
		redux.sync.add.u32 %r3, %r1, 0xfffffffe;|redux.sync.add.u32: mask 0xfffffffe lacks lane 0, which executes it
		@%p2 shfl.sync.idx.b32 %r3, %r1, 5, 31, 0xffffffdf;|shfl.sync.idx.b32: lane 0 reads a lane that does not execute it
	E
}

@test "lanes that reach a .sync form after the lanes that they name are reported" {
	local form
	while read -r form; do
		kernel <<-E
			setp.lt.u32 %p1, %r1, 16; setp.eq.u32 %p2, %r1, 3; setp.lt.u32 %p3, %r1, 9; mov.u32 %r2, 0;
			@!%p1 bra j; @%p2 exit;
		j:	$form;
		E
		launch 32
		run -1 trace-exec -n k.launch
		assert_output --regexp "k.ptx:17:4: error: ${form%% *} in 15 lanes: 16 other lanes of its mask have continued .expected all lanes of the mask at once."
		run -0 trace-exec --no-check -n k.launch
		# correct masks cause no finding: only the present lanes, all lanes at once, the others have ended
		sed -i '17s/-1;/%r3;/; 17s/j:/& activemask.b32 %r3;/' k.ptx
		run -0 trace-exec -n k.launch
		assert_output ''
		sed -i '17s/%r3;$/-1;/; s/@%p2 exit;//' k.ptx
		run -0 trace-exec -n k.launch
		assert_output ''
		sed -i 's/@!%p1 bra j;/@%p1 bra j; ret;/' k.ptx
		run -0 trace-exec -n k.launch
		assert_output ''
	done <<-'E'
		bar.warp.sync -1
		vote.sync.ballot.b32 %r2, %p3, -1
		redux.sync.add.u32 %r2, %r1, -1
		match.any.sync.b32 %r2, 5, -1
		elect.sync %r2|%p3, -1
	E
}
