#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-exec: kernels give what they are meant to, traces have the form of kernel-trace(5), mistakes are named.

bats_require_minimum_version 1.5.0
load helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	cp "$ROOT"/tests/data/ptx/*.ptx "$ROOT"/tests/data/ptx/*.launch .
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
		run -0 trace-exec $o -n basic.launch
		assert_output ''
		run -0 "$ROOT/tests/data/ptx/check" .
		assert_output ''
		rm ./*.bin
	done
}

@test "lanes of one instruction have generic addresses in global and in shared memory" {
	kernel <<<'mov.u32 %r2, s; cvt.u64.u32 %rd2, %r2; cvta.shared.u64 %rd2, %rd2; and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 1;
		selp.b64 %rd3, %rd2, %rd1, %p1; mul.wide.u32 %rd4, %r1, 4; add.s64 %rd3, %rd3, %rd4; add.s64 %rd4, %rd1, %rd4;
		st.u32 [%rd3], %r1; atom.add.u32 %r4, [%rd3], 100; ld.u32 %r5, [%rd3]; add.u32 %r5, %r4, %r5; st.global.u32 [%rd4], %r5;'
	launch 64
	echo 'save A a.bin' >>k.launch
	for o in --check --no-check; do
		run -0 trace-exec $o -n k.launch
		assert_output ''
		python3 -c 'import struct, sys; sys.stdout.buffer.write(struct.pack("<64I", *(2 * i + 100 for i in range(64))))' | cmp - a.bin
	done
}

@test "lanes of a warp are together after a barrier at which one of them arrived late" {
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

@test "a trace is a directory with a list, copies and kernels" {
	run -0 trace-exec -o app basic.launch
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
	run -2 trace-exec -o app basic.launch
	assert_output --partial 'exists'
	run -0 trace-exec -f -o app basic.launch
}

@test "the stream on stdout unpacks to the directory" {
	trace-exec -o app basic.launch
	trace-exec basic.launch >app.tpack
	run -0 trace-pack -t app.tpack
	mkdir out
	trace-pack -d -C out app.tpack
	run -0 diff -r app out
}

@test "every thread count writes the same bytes" {
	trace-exec -o one basic.launch
	trace-exec -j 3 -o three basic.launch
	trace-exec -j 0 -o all basic.launch
	run -0 diff -r one three
	run -0 diff -r one all
}

@test "only chosen launches are checked; what others may have written is initialised" {
	kernel <<<'mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2; ld.global.u32 %r2, [%rd2]; add.u32 %r2, %r2, 1; st.global.u32 [%rd2], %r2;'
	launch 32
	sed -i 's/zero/unset/' k.launch
	tail -1 k.launch >>k.launch
	launch_ends 1 'uninitialised'
	run -1 trace-exec -n --launches 1 k.launch
	assert_output --partial 'uninitialised'
	run -0 trace-exec -n --launches 2 k.launch
	assert_output ''
	run -0 trace-exec -n --kernels other k.launch
	assert_output ''
}

@test "time passes for kernels that wait for it, in each block alike" {
	kernel <<<'mov.u32 %r2, %ctaid.x; mul.wide.u32 %rd2, %r2, 8; add.s64 %rd2, %rd1, %rd2; mov.u64 %rd3, %clock64;
		AGAIN: mov.u64 %rd4, %clock64; sub.s64 %rd4, %rd4, %rd3; setp.lt.u64 %p1, %rd4, 1000000000000; @%p1 bra AGAIN;
		st.global.u64 [%rd2], %rd4;'
	launch 1
	sed -i 's/grid=1/grid=8/' k.launch
	echo 'save A a' >>k.launch
	for j in 1 3; do
		run -0 trace-exec -j $j -f -o app$j --limit 10000000 k.launch
		assert_output ''
		mv a a$j
	done
	run -0 cmp a1 a3
	run -0 diff -r app1 app3
	run -0 od -An -tu8 -w8 -N64 a1
	[ "$(wc -l <<<"$output")" -eq 2 ] # od writes equal lines once
	[ "$(head -1 <<<"$output")" -ge 1000000000000 ]
}

@test "launches are chosen, and a name in .tpack is a stream" {
	trace-exec -o app basic.launch
	trace-exec basic.launch >app.tpack
	trace-exec -o named.tpack basic.launch
	run -0 cmp app.tpack named.tpack
	run -0 trace-exec -f -F pack -o other basic.launch
	run -0 cmp app.tpack other
	run -0 trace-exec -o part --launches 2-3 --kernels 's*,w*' basic.launch
	run -0 diff <(grep -v 'kernel-[124]' app/kernelslist.g) part/kernelslist.g
	run -0 cmp app/kernel-3.traceg part/kernel-3.traceg
	[ ! -e part/kernel-2.traceg ]
	run -2 trace-exec -F text basic.launch
	assert_output --partial '-F text requires -o DIR or --run'
	run -2 trace-exec -F json basic.launch
	assert_output --partial '-F json requires --disassemble'
	run -2 trace-exec -F best basic.launch
	assert_output --partial "unknown format 'best'"
	cp basic.launch input.tpack
	run -2 trace-exec -f -o input.tpack input.tpack
	assert_output --partial 'input.tpack'
	cmp basic.launch input.tpack
}

@test "an access outside of every buffer is named with its neighbour, thread and line" {
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
}

@test "trace-ptx is trace-exec for PTX and bears its own name; machine code is refused" {
	kernel <<<'st.global.u32 [%rd1], %r1;'
	launch 1
	ln -s "$BUILD/trace-exec" trace-ptx
	for p in "trace-exec" "trace-exec --code auto" "trace-exec --code ptx" "./trace-ptx"; do
		run -0 $p -f -o app k.launch
		run -0 cksum app/kernel-1.traceg
		assert_equal "$output" "${first=$output}"
	done
	run -2 ./trace-ptx -n nothing.launch
	assert_output --regexp '^trace-ptx: '
	run -2 trace-exec --code sass -n k.launch
	assert_line --index 0 --partial 'PTX (expected machine code, as --code says)'
	run -2 trace-exec --code c -n k.launch
	assert_output --partial "unknown code 'c' (expected auto, ptx or sass)"
}

@test "a misaligned access is named" {
	kernel <<<'ld.global.u64 %rd2, [%rd1+4];'
	launch 1
	launch_ends 1 'misaligned read of 8 bytes at 0xc0000004 (expected a multiple of 8)'
	run -0 trace-exec --no-check -n k.launch
}

@test "a barrier that cannot be met is a deadlock with its name" {
	kernel <<-'E'
		setp.lt.u32 %p1, %r1, 32;
		@%p1 bra one;
		bar.sync 2, 64;
	one:
	E
	launch 64
	launch_ends 1 'deadlock: warp 1 waits at barrier 2, where 1 of 2 warps have arrived'
}

@test "warps meet at a barrier of the whole block with and without a count, not with other counts" {
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

@test "--limit ends what does not end" {
	kernel <<-'E'
	l:
		add.u32 %r1, %r1, 1;
		bra l;
	E
	launch 32
	run -1 trace-exec --limit 100000 -n k.launch
	assert_output --partial 'more than 100000 warp instructions'
}

# Memory that is freed is overwritten, so that its use shows in the place of the added ret.
@test "a body without a ret at its end gets one there, whatever its length" {
	local n
	for n in 16 32 64; do
		{
			yes 'mov.u32 %r2, 0;' | head -n $((n - 6))
			printf 'l: add.u32 %%r2, %%r2, 1;\nsetp.lt.u32 %%p1, %%r2, %u;\nmov.u32 %%r3, 0;\n @%%p1 bra l;\n' $(((8196 - n) / 4))
		} | kernel
		sed -i '/^ret;/d' k.ptx
		launch 32
		MALLOC_PERTURB_=85 run -1 trace-exec --limit 8191 -n k.launch
		assert_output --partial " k.ptx:$((n + 12)):7: "
	done
}

@test "many labels and nested loops are read in time that is near linear" {
	plain_build_only
	{
		seq -f 'n%.0f: mov.u32 %%r2, 1;' 60000
		echo 'setp.gt.u32 %p1, %r1, 100;'
		seq -f '@%%p1 bra n%.0f;' 60000 -1 1
	} | kernel
	launch 1
	run -0 bash -c 'ulimit -t 10; trace-exec -n k.launch'
	assert_output ''
}

@test "what is not executed is refused with its place before anything runs" {
	kernel <<<'frobnicate.u32 %r1, %r2;'
	launch 32
	run -2 trace-exec -n k.launch
	assert_output "trace-exec: k.ptx:15:1: error: unknown or unsupported instruction 'frobnicate'"
	kernel <<<'add.frob.u32 %r1, %r1, %r2;'
	launch_ends 2 'unknown suffix .frob (expected a suffix of add)'
	kernel <<<'add.u32 %r1, %rd1, %r2;'
	launch_ends 2 'register %rd1 of type .b64 (expected a register of 32 bits)'
}

@test "suffixes that are part of an instruction's name stand in front, others in any order" {
	kernel <<-'E'
		mul.u32.lo %r2, %r1, 3;
	E
	launch 32
	run -2 trace-exec -n k.launch
	assert_output "trace-exec: k.ptx:15:8: error: suffix .lo after .u32 (expected mul.lo)"
	kernel <<<'barrier.sync.cta 0;'
	run -2 trace-exec -n k.launch
	assert_output "trace-exec: k.ptx:15:13: error: suffix .cta after .sync (expected barrier.cta)"
	kernel <<-'E'
		mov.f32 %f1, 0f3f800000;
		add.f32.rn.sat %f1, %f1, %f1;
		st.u32.global [%rd1], %r1;
	E
	run -0 trace-exec -q -n k.launch
}

@test "what is younger than the module is executed with a warning, once a module" {
	kernel <<-'E'
		mov.f32 %f1, 0f3f800000;
		cvt.rs.f16x2.f32 %r2, %f1, %f1, %r1;
		cvt.rs.bf16x2.f32 %r2, %f1, %f1, %r1;
		max.f32 %f2, %f1, %f1, %f1;
	E
	sed -i 's/^.version.*/.version 8.6/; s/^.target.*/.target sm_100/' k.ptx
	launch 32
	run -0 trace-exec -n k.launch
	assert_output - <<-'E'
	trace-exec: k.ptx:16:1: warning: cvt.rs in a module of version 8.6 for sm_100 (expected at least 8.7 and sm_100a)
	trace-exec: k.ptx:18:1: warning: max with 3 sources in a module of version 8.6 for sm_100 (expected at least 8.8 and sm_100)
	E
}

# Prints code that converts the bits in %v and sets %k to a number if the result depends on the width of the registers: lanes
# of a wider register are converted one by one. Arguments: number, suffixes of cvt, bits of the result and of the source.
compare_cvt() {
	local d=$(($3 < 16 ? 16 : $3)) s=$(($4 < 16 ? 16 : $4)) one=%o_$(($3 < 16 ? 16 : $3))
	[ "$4" != 64 ] || one=%o_64
	[ "$s" = 64 ] && echo 'mov.b64 %s_64, %v;' || echo "cvt.u$s.u64 %s_$s, %v;"
	echo "@%p1 cvt.$2 %d_$d, %s_$s; @!%p1 cvt.$2 %d_$d, %s_$s; cvt.$2 $one, %v;"
	[ "$d" = 64 ] && echo 'mov.b64 %x, %d_64;' || echo "cvt.u64.u$d %x, %d_$d;"
	[ "$one" = %o_64 ] && echo 'mov.b64 %y, %o_64;' || echo "cvt.u64.u$d %y, $one;"
	[ "$3" = 64 ] || echo "and.b64 %x, %x, $(((1 << $3) - 1)); and.b64 %y, %y, $(((1 << $3) - 1));"
	echo "setp.ne.u64 %q, %x, %y; @%q mov.u32 %k, $1;"
}

@test "conversions of all lanes at once equal those of single lanes" {
	n=0
	cat >body <<-'E'
		.reg .b64 %v, %w, %x, %y, %d_64, %o_64, %s_64; .reg .b32 %k, %i, %t, %d_32, %o_32, %s_32; .reg .b16 %d_16, %o_16, %s_16;
		.reg .pred %q;
		and.b32 %t, %r1, 1; setp.eq.u32 %p1, %t, 0; mov.u32 %k, 0; mov.u32 %i, 0;
	round:
		mad.lo.u32 %t, %i, 64, %r1; add.u32 %t, %t, 1; cvt.u64.u32 %v, %t; mul.lo.u64 %v, %v, 0x9e3779b97f4a7c15; shr.u64 %w, %v, 29;
		xor.b64 %v, %v, %w; mul.lo.u64 %v, %v, 0xbf58476d1ce4e5b9; shr.u64 %w, %v, 32; xor.b64 %v, %v, %w;
		and.b32 %t, %i, 7;
		setp.eq.u32 %q, %t, 1; @%q and.b64 %v, %v, 0xffffe000ffff8000;
		setp.eq.u32 %q, %t, 2; @%q shr.u64 %w, %v, 40; @%q rem.u64 %w, %w, 44; @%q add.u64 %w, %w, 101; @%q shl.b64 %w, %w, 23;
		@%q and.b64 %v, %v, 0x807fffff; @%q or.b64 %v, %v, %w;
		setp.eq.u32 %q, %t, 3; @%q and.b64 %v, %v, 0x800fffff807f83ff;
		setp.eq.u32 %q, %t, 4; @%q or.b64 %v, %v, 0x7ff000007f807c00;
		setp.eq.u32 %q, %t, 5; @%q and.b64 %v, %v, 0x8000000080008000; @%q or.b64 %v, %v, 0x7f807f80;
		setp.eq.u32 %q, %t, 6; @%q and.b64 %v, %v, 0x8000000080008000; @%q or.b64 %v, %v, 0x7ff0000000007c00;
		setp.eq.u32 %q, %t, 7; @%q and.b64 %v, %v, 0x80000000800080ff; @%q or.b64 %v, %v, 0x41e000004f000000;
	E
	while read -r suffix d s; do
		n=$((n + 1))
		compare_cvt $n "$suffix" "$d" "$s" >>body
	done <<-'E'
		rn.f32.f64 32 64
		f32.f16 32 16
		ftz.f32.f16 32 16
		f32.bf16 32 16
		rn.f16.f32 16 32
		rn.bf16.f32 16 32
		rna.tf32.f32 32 32
		rna.satfinite.tf32.f32 32 32
		f64.f32 64 32
		rni.f32.f32 32 32
		rzi.f32.f32 32 32
		rmi.f32.f32 32 32
		rpi.f32.f32 32 32
		rni.ftz.f32.f32 32 32
		rzi.ftz.f32.f32 32 32
		rmi.ftz.f32.f32 32 32
		rpi.ftz.f32.f32 32 32
		rzi.s32.f32 32 32
		rni.s32.f32 32 32
		rmi.s32.f32 32 32
		rpi.s32.f32 32 32
		rzi.u32.f32 32 32
		rzi.ftz.u32.f32 32 32
		rni.ftz.s32.f32 32 32
		rzi.s32.f64 32 64
		rzi.u32.f64 32 64
		rn.f32.s32 32 32
		rn.f32.u32 32 32
		rn.f32.s64 32 64
		rn.f32.u64 32 64
		rn.f32.u8 32 8
		rn.f64.s32 64 32
		rn.f64.u32 64 32
		u32.u8 32 8
		s32.s8 32 8
		u16.u8 16 8
		s16.s8 16 8
		u8.u32 8 32
		u16.u32 16 32
		u32.u16 32 16
		s32.s16 32 16
		s64.s32 64 32
		u64.u32 64 32
		u32.u64 32 64
	E
	cat >>body <<-'E'
		add.u32 %i, %i, 1; setp.lt.u32 %q, %i, 64; @%q bra round;
		mul.wide.u32 %w, %r1, 4; add.u64 %w, %w, %rd1; st.global.u32 [%w], %k;
	E
	kernel <body
	launch 64
	echo 'save A a.bin' >>k.launch
	run -0 trace-exec -n k.launch
	run -0 od -An -v -tu4 -w256 a.bin
	assert_output --regexp '^( +0){64}$'
	run -0 grep -c 'setp.ne.u64' k.ptx
	assert_output 44
}

@test "random bits of cvt.rs go to the elements as the manual says" {
	# One and m / 65536 of the last place goes up where the random bits of its element are 65536 - m at least: of
	# 0x12345678 the first and third read a half backwards, and e2m1x4 gathers its halves from bytes.
	results <<-'E'
		mov.u32 %r3, 0x12345678; mov.b32 %f1, 0x3f8d3b80; mov.b32 %f2, 0x3f8edcc0; mov.b32 %f3, 0x3f8e1960; mov.b32 %f4, 0x3f8a9880; cvt.rs.satfinite.e4m3x4.f32 %r2, {%f1,%f2,%f3,%f4}, %r3;	39393939
		mov.b32 %f1, 0x3f8d3b70; mov.b32 %f2, 0x3f8edcb0; mov.b32 %f3, 0x3f8e1950; mov.b32 %f4, 0x3f8a9870; cvt.rs.satfinite.e4m3x4.f32 %r2, {%f1,%f2,%f3,%f4}, %r3;	38383838
		mov.b32 %f1, 0x3fa56e00; mov.b32 %f2, 0x3fbb6a80; mov.b32 %f3, 0x3fb87500; mov.b32 %f4, 0x3fb2e200; cvt.rs.satfinite.e2m1x4.f32 %h1, {%f1,%f2,%f3,%f4}, %r3; cvt.u32.u16 %r2, %h1;	00003333
		mov.b32 %f1, 0x3fa56dc0; mov.b32 %f2, 0x3fbb6a40; mov.b32 %f3, 0x3fb874c0; mov.b32 %f4, 0x3fb2e1c0; cvt.rs.satfinite.e2m1x4.f32 %h1, {%f1,%f2,%f3,%f4}, %r3; cvt.u32.u16 %r2, %h1;	00002222
	E
}

@test "st.bulk writes zeros into shared memory" {
	kernel <<-'E'
		.shared .align 16 .b8 room[256];
		.reg .b64 %n;
		mov.u32 %r2, room;
		shl.b32 %r3, %r1, 3;
		add.u32 %r2, %r2, %r3;
		st.shared.v2.u32 [%r2], {%r1, %r1};
		bar.sync 0;
		setp.eq.u32 %p1, %r1, 0;
		mov.u32 %r4, room;
		mov.u64 %n, 128;
		@%p1 st.bulk.weak.shared::cta [%r4+64], %n, 0;
		mov.u64 %rd2, room;
		cvta.shared.u64 %rd2, %rd2;
		@%p1 st.bulk [%rd2], 16, 0;
		bar.sync 0;
		ld.shared.u32 %r2, [%r2];
		mul.wide.u32 %rd3, %r1, 4;
		add.u64 %rd1, %rd1, %rd3;
		st.global.u32 [%rd1], %r2;
	E
	sed -i 's/^.version.*/.version 8.6/; s/^.target.*/.target sm_100/' k.ptx
	launch 32
	echo "save A a.bin" >>k.launch
	run -0 trace-exec -n k.launch
	assert_output ''
	run -0 od -An -v -tu4 -w4 a.bin
	local i
	for i in {0..31}; do
		assert_line --index $i --regexp " $((i < 2 || (i >= 8 && i < 24) ? 0 : i))\$"
	done
	sed -i 's/%n, 128/%n, 100/' k.ptx
	launch_ends 1 'bulk store of 100 bytes (expected a multiple of 8)'
}

@test "a trap or a breakpoint that is executed ends the run with its place" {
	kernel <<-'E'
		.loc 1 7 0
		setp.eq.u32 %p1, %r1, 3;
		@%p1 brkpt;
		trap;
	E
	sed -i '3a .file 1 "k.cu"' k.ptx
	launch 4
	launch_ends 1 'k.ptx:18:6: error: breakpoint executed (kernel k, thread (3,0,0) of CTA (0,0,0), k.cu line 7)'
	launch 3
	launch_ends 1 'k.ptx:19:1: error: trap executed (kernel k, thread (0,0,0)'
}

@test "neither a trace nor what is saved replaces what is read" {
	local file same='the output is also an input'
	kernel </dev/null
	head -c 256 /dev/zero >zeros
	printf 'module k.ptx\nbuffer A bytes=256 file=zeros\nlaunch k grid=1 block=32 args A\n' >kernelslist.g
	for file in s.launch k.ptx; do
		{ cat kernelslist.g; echo "save A $file"; } >s.launch
		run -2 trace-exec -n s.launch
		assert_output "trace-exec: error: $file: $same"
	done
	run -2 trace-exec -f -o . kernelslist.g
	assert_output "trace-exec: error: ./kernelslist.g: $same"
	cp zeros kernel-1.traceg
	sed 's/zeros/kernel-1.traceg/' kernelslist.g >k.launch
	run -2 trace-exec -f -o . k.launch
	assert_output "trace-exec: error: ./kernel-1.traceg: $same"
	{ cat k.launch; echo "save A kernel-1.traceg"; } >s.launch
	run -0 trace-exec -n s.launch
}

# Every name that an input can give: of files that are read by module, file= (buffer, symbol) and expect, which may be
# anywhere, and of files that are written by save and savesym, which may not. PTX names none that is opened (.file).
@test "a launch file saves inside its directory or that of -C alone" {
	local name line
	mkdir -p in/sub out
	kernel </dev/null
	sed -i '/^.visible/i .global .align 4 .b32 v[4];' k.ptx
	mv k.ptx out/
	head -c 256 /dev/zero >out/zeros
	head -c 16 /dev/zero >out/few
	mkfifo in/fifo
	ln -s ../out/new in/link
	ln -s ../out in/through
	for line in 'save A' 'savesym v bytes=16'; do
		for name in "$PWD/out/new" ../out/new sub/../../out/new .. - fifo link through/new sub; do
			printf 'module ../out/k.ptx\nbuffer A bytes=256 file=%s\nsymbol v bytes=16 file=../out/few\nlaunch k grid=1 block=32 args A\nexpect A ../out/zeros\n%s %s\n' \
				"$PWD/out/zeros" "$line" "$name" >in/k.launch
			run -2 timeout 10 trace-exec -n in/k.launch
			assert_output --partial 'cannot save to '
			[ ! -e out/new ]
			mkdir -p elsewhere/sub
			ln -sf ../out/new elsewhere/link
			case $name in fifo | sub | through*) continue ;; esac
			run -2 timeout 10 trace-exec -f -C elsewhere -n in/k.launch
			assert_output --partial 'cannot save to '
			[ ! -e out/new ]
		done
	done
	sed -i '$d' in/k.launch
	printf 'save A sub/a..\nsavesym v bytes=16 ..v\n' >>in/k.launch
	run -0 trace-exec -n in/k.launch
	run -0 trace-exec -n in/k.launch
	run -0 cmp in/sub/a.. out/zeros
	run -0 cmp in/..v out/few
}

@test "a launch file takes memory in proportion to its commands" {
	plain_build_only
	yes '' | head -n 30000000 | zstd -q >k.launch
	run -2 bash -c 'ulimit -v 300000; trace-exec -n k.launch'
	assert_output --partial 'no module'
	yes sync | head -n 262145 >k.launch
	run -2 trace-exec -n k.launch
	assert_output 'trace-exec: k.launch:262145:1: error: launch file too large (at most 262144 commands and 64 MiB of text)'
}

@test "expect compares a buffer with a file" {
	kernel <<<'st.global.u32 [%rd1], 7;'
	launch 1
	echo 'expect A want.bin' >>k.launch
	head -c 256 /dev/zero >want.bin
	run -1 trace-exec -n k.launch
	assert_output "trace-exec: k.launch:4:1: error: byte 0 of 'A' is 0x07 (expected 0x00 as in want.bin)"
	printf '\7' | dd of=want.bin conv=notrunc status=none
	run -0 trace-exec -n k.launch
}

@test "warps that wait for a time execute few instructions" {
	kernel <<<'mov.u64 %rd3, %clock64; AGAIN: mov.u64 %rd4, %clock64; sub.s64 %rd4, %rd4, %rd3;
		setp.lt.u64 %p1, %rd4, 7000000; @%p1 bra AGAIN;'
	launch 512
	run -0 trace-exec --limit 20000 -n k.launch
	assert_output ''
}

@test "an atomic on uninitialised bytes is a finding, an exchange is not" {
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

@test "shared memory: unwritten reads and races between warps are named" {
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
	# the same value from several warps
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

@test "a barrier under divergence is named" {
	kernel <<-'E'
		setp.lt.u32 %p1, %r1, 7;
		@%p1 bar.sync 0;
	E
	launch 32
	run -1 trace-exec --stack simt -n k.launch
	assert_output --partial '7 of 32 live lanes of warp 0 at a barrier (expected all; with --stack volta'
}

@test "lanes that have ended are not waited for at a barrier, whichever way the compiler put them" {
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
	# before sm_70 all lanes that have not ended come at once
	sed -i 's/sm_90/sm_60/' k.ptx
	run -1 trace-exec -q -n k.launch
	assert_output --partial 'with --stack volta'
	run -0 trace-exec -q --stack volta -n k.launch
}

# Each lane stores, meets the others, reads the store of the lane 16 beside it, meets them again. What is before the
# first barrier, between bars: lanes 0 to 15 (%p1) and the others come to it one after the other, and it is executed once.
@test "independent lanes come to a barrier one group after another, others by barrier.sync do" {
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

# Each line: instructions that leave their result in %r2, a tab, the result. %r5 to %r8 are 0x00010002, 3, 4, 20.
results() {
	local at=0 body said
	: >wanted
	{
		printf 'mov.u32 %%r5, 0x10002;\nmov.u32 %%r6, 3;\nmov.u32 %%r7, 4;\nmov.u32 %%r8, 20;\n'
		while IFS=$'\t' read -r body said; do
			printf '%s\nst.global.u32 [%%rd1+%u], %%r2;\n' "$body" $at
			printf '%s %s\n' "$said" "$body" >>wanted
			at=$((at + 4))
		done
	} | kernel
	printf 'module k.ptx\nbuffer A bytes=%u zero\nlaunch k grid=1 block=32 args A\nsave A a.bin\n' $((4 * $(wc -l <wanted))) >k.launch
	run -0 trace-exec -q -n k.launch
	od -An -v -tx4 -w4 a.bin | tr -d ' ' | paste -d' ' - <(cut -d' ' -f2- wanted) >found
	diff found wanted
}

@test "arithmetic and conversions of every type and suffix, against an implementation in exact numbers" {
	"$ROOT/tests/data/ptx/values" make .
	run -0 trace-exec -n k.launch
	assert_output ''
	run -0 "$ROOT/tests/data/ptx/values" check .
	assert_output --partial ' 0 wrong'
}

@test "every instruction of the table is executed, with the results that it must have" {
	local t

	for t in values products texture tensor wgmma; do
		mkdir "$t"
		"$ROOT/tests/data/ptx/$t" make "$t"
		run -0 trace-exec --no-check -o "$t/trace" "$t/k.launch"
		assert_output ''
	done
	run -0 "$ROOT/tests/data/ptx/products" check products
	assert_output '208 products, 0 wrong'
	run -0 trace-exec -o basic basic.launch
	run -0 trace-exec -o rest rest.launch
	assert_output ''
	run -0 cmp o.bin w.bin
	printf '%s\n' "module $ROOT/tests/data/sass/next-work.ptx" 'buffer O bytes=48 zero' \
		'launch k grid=1 block=1 args O,i64:0,i64:0' >work.launch
	run -0 trace-exec -o work work.launch
	printf '%s\n' "module $ROOT/tests/data/ptx/stack.ptx" 'buffer A bytes=128 zero' 'launch k grid=1 block=32 args A' >stack.launch
	run -0 trace-exec -o stack stack.launch
	run -0 "$ROOT/tests/data/ptx/rows" "$ROOT/cmd/trace-exec/lang/ptx.def" "$ROOT/tests/badinput/statements.tsv" \
		basic rest stack work values/trace products/trace texture/trace tensor/trace wgmma/trace
	assert_output '135 rows'
}

@test "sine and cosine reduce their angle as machine code does" {
	kernel <<-'EOF'
		mov.f32 %f1, 0f4E800000; // 2^30 radians are a whole number of turns once rounded
		sin.approx.f32 %f2, %f1;
		cos.approx.ftz.f32 %f3, %f1;
		mov.f32 %f1, 0f40490FDB;
		cos.approx.f32 %f4, %f1;
		mov.f32 %f1, 0fFF800000;
		sin.approx.f32 %f5, %f1;
		st.global.v4.f32 [%rd1], {%f2, %f3, %f4, %f5};
	EOF
	launch 1
	echo 'save A a.bin' >>k.launch
	run -0 trace-exec -n k.launch
	run -0 od -An -tx4 -N16 a.bin
	assert_output ' 00000000 3f800000 bf800000 7fffffff'
}

@test "the last warp at a barrier has its result, too" {
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

@test "video instructions" {
	results <<-'E'
		vadd2.u32.u32.u32 %r2, 0x00010002, 0x00100020, 0;	00110022
		vadd4.u32.u32.u32.sat %r2, 0xff010203, 0x02010101, 0;	ff020304
		vsub4.s32.s32.s32.sat %r2, 0x80000000, 0x01000000, 0;	80000000
		vavrg4.u32.u32.u32 %r2, 0x01020304, 0x03040506, 0;	02030405
		vabsdiff4.u32.u32.u32.add %r2, 0x01050903, 0x04030201, 10;	00000018
		vmin2.s32.s32.s32 %r2, 0xffff0001, 0x00010000, 0;	ffff0000
		vmax4.u32.u32.u32 %r2, 0x01ff0200, 0x02010300, 0;	02ff0300
		vset4.u32.u32.lt %r2, 0x01020304, 0x02020202, 0;	01000000
		vset2.s32.s32.ge.add %r2, 0xffff0003, 0x00000003, 5;	00000006
		vadd2.u32.u32.u32 %r2.h0, 0x00010002, 0x00100020, 0xaaaabbbb;	aaaa0022
		vadd2.u32.u32.u32 %r2, %r5.h01, %r5.h33, 0;	00030002
		vadd.u32.u32.u32 %r2, %r5.h0, %r5.h1;	00000003
		vadd.s32.s32.u32.sat %r2, 0x7fffffff, 1;	7fffffff
		vadd.u32.u32.u32 %r2.b1, 1, 2, 0xaabbccdd;	aabb03dd
		vsub.s32.u32.u32.min %r2, 1, 2, 7;	ffffffff
		vabsdiff.u32.s32.s32 %r2, -5, 7;	0000000c
		vshl.u32.u32.u32.clamp %r2, 1, 40;	00000000
		vshl.s32.s32.u32.sat.clamp %r2, 5, 31;	80000000
		vshl.u32.s32.u32.sat.clamp %r2, -5, 31;	ffffffff
		vshr.s32.s32.u32.wrap %r2, -8, 33;	fffffffc
		vset.u32.u32.lt %r2, 1, 2;	00000001
		vmad.u32.u32.u32 %r2, 3, 4, 5;	00000011
		vmad.s32.s32.s32 %r2, -%r6, %r7, %r8;	00000008
		vmad.u32.u32.u32.shr7 %r2, 256, 3, 0;	00000006
		vmad.u32.u32.u32.po %r2, 3, 4, 5;	00000012
	E
}

@test "constant expressions" {
	results <<-'E'
		mov.u32 %r2, (128 >> 4) << 16;	00080000
		mov.u32 %r2, 1 + 2 * 3 - 8 / 2 % 3;	00000006
		mov.u32 %r2, -7 / 2;	fffffffd
		mov.u32 %r2, 1 << 2 + 3;	00000020
		mov.u32 %r2, 0xf0 & ~0x30 | 3 ^ 1;	000000c2
		mov.u32 %r2, -1 < 1 && -1 > 1U;	00000001
		mov.u32 %r2, 3 == 3 != 0 ? 10 : 20;	0000000a
		mov.u32 %r2, 0 || !5 ? 1 : 0 ? 2 : 3;	00000003
		mov.u32 %r2, (.s64) 7.9;	00000007
		mov.u32 %r2, -8 >> 1;	fffffffc
		mov.u32 %r2, (.u64) -8 >> 61;	00000007
		mov.f32 %f1, 1.5 * 2.0 - 1; mov.b32 %r2, %f1;	40000000
		mov.f32 %f1, -0.5; mov.b32 %r2, %f1;	bf000000
		st.shared.u32 [s + 4 * 2 - 4], 77; ld.shared.u32 %r2, [s+4];	0000004d
	E
}

@test "a register plus a constant is a source" {
	results <<-'E'
		add.u32 %r2, %r6 + 1, %r7 - 2 * 3 + 1;	00000003
		mov.u32 %r2, %r6 - 4;	ffffffff
		mov.u64 %rd2, 0xffffffff; st.shared.u64 [s+8], %rd2 + 1; ld.shared.u32 %r2, [s+12];	00000001
		mov.u16 %h1, 0xffff; add.u16 %h1, %h1 + 1, 7; cvt.u32.u16 %r2, %h1;	00000007
		mov.u32 %r2, 9; add.u32 %r2, %r2+1, 3;	0000000d
		st.shared.v2.u32 [s], {%r6+1, %r7-1}; ld.shared.v2.u32 {%r9,%r10}, [s]; mad.lo.u32 %r2, %r9, 16, %r10;	00000043
		setp.eq.u32 %p1, %r6 + 1, %r7; selp.u32 %r2, %r6 + 5, %r7, %p1;	00000008
	E
	while read -r line; do
		kernel <<<"$line"
		launch 1
		run -2 trace-exec -n k.launch
	done <<-'E'
		add.u32 %r1 + 1, %r1, 2;
		add.f32 %f1, %f1 + 1, %f2;
		not.pred %p1, %p1 + 1;
		add.u32 %r1, -%r1 + 1, 2;
		bar.sync %r1 + 1;
		ld.u32 %r1 + 1, [%rd1];
	E
}

@test "modules as the compilers of PTX 1 wrote them" {
	cat >k.ptx <<-'E'
		.version 1.4
		.target sm_13, map_f64_to_f32
		.reg .u32 %ra<17>;
		.reg .u32 %rv<5>;
		.tex .u64 picture;
		.visible .func (.reg .u32 %out) twice (.reg .u32 %in)
		.file 1 "k.cu"
		.const .u32 table[2 * 2] = {1 << 4, 2 + 3, -1, 0x10 | 1};
		.func (.reg .u32 %out) twice (.reg .u32 %in)
		{
			add.u32 %out, %in, %in;
			ret;
		}
		.entry k (.param .u64 a)
		{
			.reg .u64 %rd1;
			ld.param.u64 %rd1, [a];
			ld.const.u32 %ra1, [table + 4];
			call (%rv1), twice, (%ra1);
			st.global.u32 [%rd1], %rv1;
			exit;
		}
		.entry other (.param .u64 a)
		{
			mov.u32 %ra1, 0;
			exit;
		}
	E
	launch 1
	echo 'expect A want.bin' >>k.launch
	{ printf '\012\000\000\000' && head -c 252 /dev/zero; } >want.bin
	run -0 trace-exec --no-check -n k.launch
	sed -i 's/add.u32 %out, %in, %in/add.u32 %out, %in, %ra1/' k.ptx
	run -2 --separate-stderr trace-exec -n k.launch
	assert_regex "$stderr" "k.ptx:18:.*register '%ra' of module scope is also used by function twice"
}

@test "local memory that functions allocate while they run" {
	cp "$ROOT/tests/data/ptx/stack.ptx" k.ptx
	printf 'module k.ptx\nbuffer A bytes=128 zero\nlaunch k grid=1 block=32 args A\nsave A a.bin\n' >k.launch
	run -0 trace-exec -n k.launch
	run -0 od -An -v -td4 -w20 a.bin
	assert_line --index 0 --regexp '^ +1 +6 +18 +40 +75$'
	assert_line --index 5 --regexp '^ +1 +6 +18 +40 +75$'
	run -0 trace-exec -o out k.launch
	run -0 grep -c ' alloca.u64 ' out/kernel-1.traceg
	run -0 trace-exec --as sass -o approximate k.launch
	run -0 grep -c ' LOP3.LUT ' approximate/kernel-1.traceg

	sed 's/alloca.u32 %at, 65536/alloca.u32 %at, 655360/' k.ptx >many.ptx
	sed 's/stackrestore.u32 %stack/stackrestore.u32 %at+8/; s/%at+8;/%t;/; s/rem.u32 %n, %t/add.u32 %t, %t, 400000; rem.u32 %n, %t/' k.ptx >wild.ptx
	sed 's/%a1, 16;/%a1, 24;/' k.ptx >odd.ptx
	while IFS='|' read -r status module message; do
		sed "s/k.ptx/$module.ptx/" k.launch >$module.launch
		run -"$status" trace-exec -n $module.launch
		assert_output --partial "$message"
	done <<-'E'
		1|many|many.ptx:46:2: error: alloca.u32 of 655360 bytes at byte
		1|wild|error: stackrestore.u32 to byte 400000 (expected
		2|odd|odd.ptx:13:23: error: alignment (expected a power of two of at most 8388608)
	E
}

@test "packed conversions" {
	results <<-'E'
		cvt.pack.sat.u8.s32.b32 %r2, -257, 257, 0xf839b0ed;	b0ed00ff
		cvt.pack.sat.s8.s32.b32 %r2, -257, 257, 0xf839b0ed;	b0ed807f
		cvt.pack.sat.s16.s32 %r2, 70000, -70000;	7fff8000
		cvt.pack.sat.u16.s32 %r2, 5, -1;	00050000
		cvt.pack.sat.u4.s32.b32 %r2, 99, 3, 0x123456;	123456f3
		cvt.pack.sat.s2.s32.b32 %r2, -9, 1, 0x12345678;	23456789
	E
}

# Rows of B whose number is 0 or 1 modulo 4 are ones, the others zeros; A is ones where its metadata say.
@test "instructions of bits and choice, and those that leave no trace in values" {
	results <<-'E'
		bfind.u32 %r2, 0x00f00000;	00000017
		bfind.s32 %r2, -1;	ffffffff
		bfind.shiftamt.u32 %r2, 1;	0000001f
		dp2a.lo.u32.u32 %r2, 0x00030002, 0x04030201, 5;	0000000d
		dp2a.hi.u32.u32 %r2, 0x00030002, 0x04030201, 5;	00000017
		fns.b32 %r2, 0xaa, 0, 3;	00000005
		fns.b32 %r2, 0xaa, 4, -1;	00000003
		fns.b32 %r2, 0xaa, 0, 5;	ffffffff
		slct.u32.s32 %r2, 1, 2, -1;	00000002
		slct.u32.s32 %r2, 1, 2, 0;	00000001
		szext.wrap.u32 %r2, 0xffff, 8;	000000ff
		szext.clamp.s32 %r2, 0x80, 8;	ffffff80
		testp.finite.f32 %p1, 0f3F800000; selp.u32 %r2, 1, 0, %p1;	00000001
		testp.infinite.f32 %p1, 0f7F800000; selp.u32 %r2, 1, 0, %p1;	00000001
		testp.notanumber.f32 %p1, 0f3F800000; selp.u32 %r2, 1, 0, %p1;	00000000
		testp.subnormal.f32 %p1, 0f00000001; selp.u32 %r2, 1, 0, %p1;	00000001
		isspacep.global %p1, %rd1; selp.u32 %r2, 1, 0, %p1;	00000001
		isspacep.shared %p1, %rd1; selp.u32 %r2, 1, 0, %p1;	00000000
		vavrg2.u32.u32.u32 %r2, 0x00020004, 0x00040006, 0;	00030005
		prefetch.global.L1 [%rd1]; mov.u32 %r2, 1;	00000001
		prefetchu.L1 [%rd1]; mov.u32 %r2, 2;	00000002
		applypriority.global.L2::evict_normal [%rd1], 128; mov.u32 %r2, 3;	00000003
		createpolicy.fractional.L2::evict_last.b64 %rd2, 0f3F800000; mov.u32 %r2, 4;	00000004
		createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd2, 0f3E800000; mov.u32 %r2, 14;	0000000e
		{ .reg .f64 %d; cvt.rn.sat.f64.s32 %d, 7; cvt.rzi.s32.f64 %r2, %d; }	00000001
		{ .reg .f64 %d; cvt.rn.sat.f64.s64 %d, -7; cvt.rzi.s32.f64 %r2, %d; }	00000000
		pmevent 1; mov.u32 %r2, 5;	00000005
		pmevent.mask 0xff; mov.u32 %r2, 9;	00000009
		mov.u64 %rd2, %pm3_64; mov.u32 %r2, %pm0;	00000000
		mov.u32 %r2, %reserved_smem_offset_cap;	00000500
		fence.proxy.tensormap::generic.release.gpu; mov.u32 %r2, 10;	0000000a
		fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128; mov.u32 %r2, 11;	0000000b
		fence.acquire.sync_restrict::shared::cluster.cluster; mov.u32 %r2, 12;	0000000c
		fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster; mov.u32 %r2, 13;	0000000d
		griddepcontrol.wait; mov.u32 %r2, 6;	00000006
		setmaxnreg.inc.sync.aligned.u32 64; mov.u32 %r2, 7;	00000007
		discard.global.L2 [%rd1+128], 128; mov.u32 %r2, 8;	00000008
	E
}

@test "wmma with f32 as accumulator and f16 as result rounds to f32 first, as compiled code does" {
	results <<-'E'
		mov.u32 %r10, 0x08000800; mov.u32 %r9, 0x00800080; mov.f32 %f5, 0f3f801000; wmma.mma.sync.aligned.row.col.m16n16k16.f16.f32 {%r2,%r3,%r4,%r5}, {%r10,%r10,%r10,%r10,%r10,%r10,%r10,%r10}, {%r9,%r9,%r9,%r9,%r9,%r9,%r9,%r9}, {%f5,%f5,%f5,%f5,%f5,%f5,%f5,%f5};	3c003c00
	E
}

@test "sparse matrix products" {
	results <<-'E'
		and.b32 %r9, %r1, 1; setp.eq.u32 %p1, %r9, 0; selp.b32 %r9, 0x3c003c00, 0, %p1; mov.u32 %r10, 0x3c003c00; mov.f32 %f5, 0f3f800000; mov.u32 %r2, %r9;	00000000
		mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r10,%r10}, {%r9,%r9}, {%f5,%f5,%f5,%f5}, 0x44444444, 0; mov.b32 %r2, %f4;	41100000
		mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r10,%r10}, {%r9,%r9}, {%f5,%f5,%f5,%f5}, 0xeeeeeeee, 3; mov.b32 %r2, %f1;	3f800000
		mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r10,%r10}, {%r9,%r9}, {%f5,%f5,%f5,%f5}, 0xeeeecccc, 0; mov.b32 %r2, %f1;	40a00000
		mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r10,%r10}, {%r9,%r9}, {%f5,%f5,%f5,%f5}, 0xeeeecccc, 0; mov.b32 %r2, %f4;	3f800000
		mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r10,%r10,%r10,%r10}, {%r9,%r9,%r9,%r9}, {%f5,%f5,%f5,%f5}, 0x4444cccc, 1; mov.b32 %r2, %f4;	41880000
		mov.u32 %r11, 0x01010101; mma.sp.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32 {%r12,%r13,%r14,%r15}, {%r11,%r11,%r11,%r11}, {0x0101,0x0101,0x0101,0x0101}, {0,0,0,%r6}, 0x444444ee, 0; mov.u32 %r2, %r15;	0000001b
	E
}

@test "thread blocks of a cluster see each other's shared memory" {
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

@test "an endless loop of thousands of instructions is a deadlock" {
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

@test "a lock that lanes of one warp fight for is a deadlock, but not for independent lanes" {
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
	assert_output --partial 'deadlock: 31 lanes of warp 0 spin on a value that no running thread writes, while other lanes of the warp wait for them (use --stack volta)'
	assert_output --partial 'thread (1,0,0) of CTA (0,0,0)'
	run -0 trace-exec --stack volta -n k.launch
	run -0 od -An -td4 -N8 a.bin
	assert_output --regexp '^ +0 +192$'
	run -2 trace-exec --stack kepler -n k.launch
	assert_output --partial "unknown stack 'kepler' (expected simt or volta)"
}

@test "a block that waits for a later one lets it begin" {
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

@test "a block that waits for a later one in a loop that counts lets it begin" {
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

# A is ones in rows 0 to 7 and twos from 8 on, B ones; both K-major, core matrices 128 bytes apart along K and 256 along M.
@test "products of warpgroups" {
	kernel <<-'E'
		.shared .align 1024 .b8 m[4096];
		.reg .b64 %q<4>;
		mul.lo.u32 %r2, %r1, 16;
		mov.u32 %r3, m;
		add.u32 %r3, %r3, %r2;
		mov.u32 %r5, 0x3c003c00;
		and.b32 %r4, %r1, 16;
		setp.eq.u32 %p1, %r4, 0;
		@!%p1 mov.u32 %r5, 0x40004000;
		st.shared.v4.u32 [%r3], {%r5,%r5,%r5,%r5};
		mov.u32 %r5, 0x3c003c00;
		st.shared.v4.u32 [%r3+2048], {%r5,%r5,%r5,%r5};
		bar.sync 0;
		mov.u32 %r3, m;
		cvt.u64.u32 %q0, %r3;
		shr.u64 %q0, %q0, 4;
		or.b64 %q0, %q0, 0x1000080000;
		add.u64 %q1, %q0, 128;
		mov.f32 %f1, 0f3f800000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;
		setp.eq.u32 %p2, %r1, %r1;
		wgmma.fence.sync.aligned;
		wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, %q0, %q1, %p2, 1, 1, 0, 0;
		wgmma.commit_group.sync.aligned;
		wgmma.wait_group.sync.aligned 0;
		mul.wide.u32 %rd2, %r1, 8;
		add.u64 %rd2, %rd1, %rd2;
		st.global.v2.f32 [%rd2], {%f1, %f3};
	E
	printf 'module k.ptx\nbuffer A bytes=1024 zero\nlaunch k grid=1 block=128 args A\nsave A a.bin\n' >k.launch
	run -0 trace-exec -n k.launch
	run -0 od -An -v -tf4 -w8 a.bin
	for i in "${!lines[@]}"; do
		[[ ${lines[i]} =~ ^\ +17\ +33$ ]]
	done
}

# A box of 8 by 4 words at (2,1) of a tensor of 8 by 16 words that count; its columns 6 and 7 are outside.
@test "tensor copies" {
	kernel <<-'E'
		.shared .align 128 .b8 m[256];
		.shared .align 8 .b64 bar;
		setp.ne.u32 %p1, %r1, 0;
		mov.u32 %r2, bar;
		@%p1 bra w;
		mbarrier.init.shared.b64 [bar], 1;
		mbarrier.arrive.expect_tx.shared.b64 %rd3, [bar], 128;
		cvta.param.u64 %rd4, map;
		cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [m], [%rd4, {2, 1}], [bar];
	w:
		bar.sync 0;
	l:
		mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;
		@!%p2 bra l;
		mul.lo.u32 %r3, %r1, 4;
		mov.u32 %r4, m;
		add.u32 %r4, %r4, %r3;
		ld.shared.u32 %r5, [%r4];
		cvt.u64.u32 %rd2, %r3;
		add.u64 %rd2, %rd1, %rd2;
		st.global.u32 [%rd2], %r5;
	E
	sed -i 's/(.param .u64 a)/(.param .u64 a, .param .align 64 .b8 map[128])/' k.ptx
	printf 'module k.ptx\nbuffer T bytes=512 i32=iota\nbuffer A bytes=128 zero\n' >k.launch
	printf 'tensormap M T dims=8,16 box=8,4\nlaunch k grid=1 block=32 args A,M\nsave A a.bin\n' >>k.launch
	run -0 trace-exec -n k.launch
	run -0 od -An -v -td4 -w32 a.bin
	assert_line --regexp '^ +10 +11 +12 +13 +14 +15 +0 +0$'
	assert_line --regexp '^ +34 +35 +36 +37 +38 +39 +0 +0$'
	sed -i 's/box=8,4/box=8,4 swizzle=32/' k.launch # pieces of 16 bytes change places from byte 128 on, that is: nowhere here
	run -0 trace-exec -n k.launch
	sed -i 's/swizzle=32/box=3,4/' k.launch
	launch_ends 2 "innermost bytes of the box, that are not a multiple of 16"
}

# Lane 31 stores last: the results are its.
@test "matrices between lanes and shared memory, small floats, mbarriers" {
	results <<-'E'
		.shared .align 16 .b8 m[512]; mov.u32 %r9, m; mad.lo.u32 %r10, %r1, 16, %r9; mad.lo.u32 %r11, %r1, 0x00010001, 0; st.shared.v4.u32 [%r10], {%r11,%r11,%r11,%r11}; mov.u32 %r2, %r11;	001f001f
		ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r10];	00070007
		ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r12,%r13,%r14,%r2}, [%r10];	001f001f
		ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r12,%r2}, [%r10];	000f000e
		movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r11;	001f001b
		stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r10], {%r11}; ld.shared.u32 %r2, [m+124];	001f001f
		mov.f32 %f1, 0f41200000; mov.f32 %f2, 0fC0600000; cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2; cvt.u32.u16 %r2, %h1;	000052c6
		cvt.rn.satfinite.e5m2x2.f32 %h1, %f1, %f2; cvt.u32.u16 %r2, %h1;	000049c3
		cvt.rn.f16x2.e4m3x2 %r2, %h1;	4480c180
		mov.f32 %f3, 0f47C35000; cvt.rn.satfinite.e4m3x2.f32 %h2, %f3, %f2; cvt.rn.f16x2.e4m3x2 %r2, %h2;	5f00c300
		mov.u16 %h3, 0x0180; cvt.rn.f16x2.e4m3x2 %r2, %h3;	18008000
		.shared .align 8 .b64 bar; setp.eq.u32 %p3, %r1, 0; @%p3 mbarrier.init.shared.b64 [bar], 32; mbarrier.arrive.shared.b64 %rd5, [bar]; mbarrier.test_wait.shared.b64 %p4, [bar], %rd5; selp.u32 %r2, 1, 0, %p4;	00000001
		mbarrier.test_wait.parity.shared.b64 %p4, [bar], 1; selp.u32 %r2, 1, 0, %p4;	00000000
		mbarrier.arrive.shared.b64 %rd5, [bar]; mbarrier.pending_count.b64 %r2, %rd5;	00000001
		mov.u32 %r12, 0x3c003c00; mov.f32 %f9, 0f00000000; mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, {%r12,%r12}, {%r12,%r12}, {%f9,%f9,%f9,%f9,%f9,%f9,%f9,%f9}; mov.b32 %r2, %f8;	40800000
		st.shared.v4.u32 [%r10], {%r12,%r12,%r12,%r12}; .reg .b32 %a<8>; .reg .b32 %b<8>; .reg .f32 %c<8>; .reg .f32 %e<8>; mov.u32 %r2, %r12;	3c003c00
		wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%a0,%a1,%a2,%a3,%a4,%a5,%a6,%a7}, [%r9], 16; wmma.load.b.sync.aligned.col.m16n16k16.shared.f16 {%b0,%b1,%b2,%b3,%b4,%b5,%b6,%b7}, [%r9], 16; mov.u32 %r2, %b7;	3c003c00
		mov.f32 %c0, 0f3f800000; wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%e0,%e1,%e2,%e3,%e4,%e5,%e6,%e7}, {%a0,%a1,%a2,%a3,%a4,%a5,%a6,%a7}, {%b0,%b1,%b2,%b3,%b4,%b5,%b6,%b7}, {%c0,%c0,%c0,%c0,%c0,%c0,%c0,%c0}; mov.b32 %r2, %e3;	41880000
		.shared .align 16 .b8 w[1024]; mov.u32 %r13, w; wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%r13], {%e0,%e1,%e2,%e3,%e4,%e5,%e6,%e7}, 16; ld.shared.u32 %r2, [w+1020];	41880000
	E
}

@test "blocks that race are warned of, once a kernel, for any number of threads" {
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
	# each block a byte, a halfword, and a word whose neighbours are others'
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

@test "blocks whose warps write bytes side by side race for the bytes that two of them write" {
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

@test "blocks with words at a stride, parts of lines and whole lines race for the words that two of them access" {
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

@test "launches do not race with earlier launches, and a later race names its own blocks" {
	local j
	# each block and each warp has a word and a byte of its own, which are those of others in the next launch
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

@test "a race has the source line of PTX that names it, and the end of a long path" {
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

@test "a race of blocks that atomics order without a fence expects a fence" {
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

@test "a race beyond the end of a buffer names the buffer that ends there" {
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
	# it reads only the other buffer
	echo 'launch k grid=63 block=1 args A,B,i32:65' | cat part.launch - >k.launch
	launch_ends 0 "'B', which CTA (0,0,0) reads at line 10 in the same launch (expected"
}

@test "warps of a block that race are warned of, in buffers and variables, unless something orders them" {
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
	# a read before the write, of several warps; bytes are not compared
	kernel <<<'ld.global.u32 %r2, [%rd1+4]; setp.ge.u32 %p1, %r1, 64; @%p1 st.global.u32 [%rd1+4], 9;'
	launch 96
	run -0 trace-exec -n k.launch
	assert_output --regexp 'warp 2 writes byte 4 of .A., which several warps read at line [0-9]+ of CTA \(0,0,0\)'
	kernel <<<'mov.u16 %h1, 9; st.global.u8 [%rd1+4], %h1;'
	run -0 trace-exec -n k.launch
	assert_output ''
	# a variable, by warps and by blocks
	kernel <<<'mov.u64 %rd2, v; st.global.u32 [%rd2+4], 9;'
	sed -i '/^.visible/i .global .align 4 .b32 v[4];' k.ptx
	run -0 trace-exec -n k.launch
	assert_output --regexp 'warp 1 writes byte 4 of .v., which warp 0 writes at line'
	launch 1
	sed -i 's/grid=1/grid=2/' k.launch
	run -0 trace-exec -n k.launch
	assert_output --regexp 'CTA \(1,0,0\) writes byte 4 of .v., which others write'
}

@test "a race of warps is found in one of many regions, and at a border of regions" {
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

@test "lanes that store different values to one place by one instruction are warned of, once a kernel" {
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
	# elements of a vector; what is cut off does not count; shared memory
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

@test "the lowest block that fails is the one that is told, for any number of threads" {
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

@test "uninitialised bytes of a buffer are found" {
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
	# marks of a large one are mapped, from no page's beginning on
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

@test "what was not written ends nothing, is told once a place, and padding does not count" {
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
	sed -i 's/\.entry k(/.entry a_name_that_is_longer_than_any_that_a_message_has_room_for_so_that_its_end_is_left_out_here(/' k.ptx
	sed -i 's/zero/unset/; s/launch k/launch a_name_that_is_longer_than_any_that_a_message_has_room_for_so_that_its_end_is_left_out_here/' k.launch
	launch_ends 1 'so_that_its_end_is_le.., thread (0,0,0) of CTA (0,0,0))'
}

@test "lanes that call different functions do so one after another, each group once" {
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

@test "lanes that name each other in .sync forms know nothing of others that execute with them" {
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

@test "lane operations that PTX leaves open are executed and reported with their source line" {
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

@test "lanes that come to a .sync form after those that they name are told of" {
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
		# those that are there alone; all at once; the others have ended
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

@test "memory that a kernel does not free is an error at the end" {
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

@test "volatile and ordered accesses to shared memory do not race, and order others" {
	waits_for_flag .release.cta .acquire.cta
	run -0 trace-exec -n k.launch
	waits_for_flag .volatile .volatile
	run -0 trace-exec -n k.launch
	waits_for_flag '' ''
	launch_ends 1 'of .shared that warp'
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

@test "a generic access is within one buffer or variable" {
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
	assert_output --partial "'v' of 4 bytes (expected an address in a buffer)"
}

@test "a launch without a module that can be read is refused" {
	echo 'module nothing.ptx' >k.launch
	launch_ends 2 'nothing.ptx'
	: >k.launch
	launch_ends 2 'no module'
}
