#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-exec: PTX instructions give the results that the PTX manual requires.

bats_require_minimum_version 1.5.0
load helper
load ptx_kernel

@test "lanes of one instruction may address global and shared memory through generic addresses" {
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

@test "conversions of all lanes at once equal conversions of single lanes" {
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

@test "cvt.rs assigns its random bits to the elements as the PTX manual says" {
	# 1 + m / 65536 of the last place rounds up if the random bits of its element are at least 65536 - m. Of 0x12345678
	# the first and third element use a half in reverse order, and e2m1x4 collects its halves from bytes.
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

@test "arithmetic and conversions of each type and suffix equal an implementation in exact numbers" {
	"$ROOT/tests/data/ptx/values" make .
	run -0 trace-exec -n k.launch
	assert_output ''
	run -0 "$ROOT/tests/data/ptx/values" check .
	assert_output --partial ' 0 wrong'
}

@test "each instruction of the table is executed and gives the required result" {
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

@test "cvt.ftz.f64.f32 converts every NaN to that of the canonical NaN, as compiled code does" {
	kernel <<-'E'
		mov.b32 %f1, 0xffd2d93f;
		cvt.ftz.f64.f32 %d1, %f1;
		st.global.f64 [%rd1], %d1;
		cvt.f64.f32 %d1, %f1;
		st.global.f64 [%rd1+8], %d1;
	E
	launch 1
	echo 'save A o' >>k.launch
	run -0 trace-exec -n k.launch
	run -0 python3 -c 'import struct; print(*("%x" % n for n in struct.unpack_from("<2Q", open("o", "rb").read())))'
	assert_output '7fffffffe0000000 fffa5b27e0000000'
}

@test "video instructions give the required results" {
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

@test "a register plus a constant is a valid source operand" {
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

@test "functions can allocate local memory while they run" {
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

@test "packed conversions give the required results" {
	results <<-'E'
		cvt.pack.sat.u8.s32.b32 %r2, -257, 257, 0xf839b0ed;	b0ed00ff
		cvt.pack.sat.s8.s32.b32 %r2, -257, 257, 0xf839b0ed;	b0ed807f
		cvt.pack.sat.s16.s32 %r2, 70000, -70000;	7fff8000
		cvt.pack.sat.u16.s32 %r2, 5, -1;	00050000
		cvt.pack.sat.u4.s32.b32 %r2, 99, 3, 0x123456;	123456f3
		cvt.pack.sat.s2.s32.b32 %r2, -9, 1, 0x12345678;	23456789
	E
}

# Rows of B with numbers 0 and 1 modulo 4 are ones, the others zeros; A is one at each position that its metadata select.
@test "bit and selection instructions, and instructions that change no value, are executed" {
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

@test "wmma with f32 accumulators and f16 results rounds to f32 first, as compiled code does" {
	results <<-'E'
		mov.u32 %r10, 0x08000800; mov.u32 %r9, 0x00800080; mov.f32 %f5, 0f3f801000; wmma.mma.sync.aligned.row.col.m16n16k16.f16.f32 {%r2,%r3,%r4,%r5}, {%r10,%r10,%r10,%r10,%r10,%r10,%r10,%r10}, {%r9,%r9,%r9,%r9,%r9,%r9,%r9,%r9}, {%f5,%f5,%f5,%f5,%f5,%f5,%f5,%f5};	3c003c00
	E
}

@test "approximate inverses of f64 ignore the lower half of the operand, also of a NaN" {
	results <<-'E'
		mov.b64 %d1, 0x7ff0000000000001; rsqrt.approx.ftz.f64 %d2, %d1; mov.b64 {%r3, %r2}, %d2;	00000000
		mov.b64 %d1, 0xfff0000000000001; rcp.approx.ftz.f64 %d2, %d1; mov.b64 {%r3, %r2}, %d2;	80000000
		mov.b64 %d1, 0x7ff0000100000000; rsqrt.approx.ftz.f64 %d2, %d1; mov.b64 {%r3, %r2}, %d2;	7fffffff
	E
}

@test "sparse matrix products give the required results" {
	results <<-'E'
		and.b32 %r9, %r1, 1; setp.eq.u32 %p1, %r9, 0; selp.b32 %r9, 0x3c003c00, 0, %p1; mov.u32 %r10, 0x3c003c00; mov.f32 %f5, 0f3f800000; mov.u32 %r2, %r9;	00000000
		mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r10,%r10}, {%r9,%r9}, {%f5,%f5,%f5,%f5}, 0x44444444, 0; mov.b32 %r2, %f4;	41100000
		mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r10,%r10}, {%r9,%r9}, {%f5,%f5,%f5,%f5}, 0xeeeeeeee, 3; mov.b32 %r2, %f1;	3f800000
		mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r10,%r10}, {%r9,%r9}, {%f5,%f5,%f5,%f5}, 0xeeeecccc, 0; mov.b32 %r2, %f1;	40a00000
		mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r10,%r10}, {%r9,%r9}, {%f5,%f5,%f5,%f5}, 0xeeeecccc, 0; mov.b32 %r2, %f4;	3f800000
		mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r10,%r10,%r10,%r10}, {%r9,%r9,%r9,%r9}, {%f5,%f5,%f5,%f5}, 0x4444cccc, 1; mov.b32 %r2, %f4;	41880000
		mov.u32 %r11, 0x01010101; mma.sp.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32 {%r12,%r13,%r14,%r15}, {%r11,%r11,%r11,%r11}, {0x0101,0x0101,0x0101,0x0101}, {0,0,0,%r6}, 0x444444ee, 0; mov.u32 %r2, %r15;	0000001b
		selp.b32 %r9, 0x3c003c00, 0x7c007c00, %p1; mov.u32 %r2, %r9;	7c007c00
		mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r10,%r10}, {%r9,%r9}, {%f5,%f5,%f5,%f5}, 0x44444444, 0; mov.b32 %r2, %f4;	41100000
		mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r10,%r10}, {%r9,%r9}, {%f5,%f5,%f5,%f5}, 0xeeeecccc, 0; mov.b32 %r2, %f1;	7f800000
	E
}

@test "matrix products of f64 are fused with their sum" {
	results <<-'E'
		and.b32 %r9, %r1, 3; setp.eq.u32 %p1, %r9, 0; mov.f64 %d1, 0d3ff0000000400000; mov.u32 %r2, %r9;	00000003
		@!%p1 mov.f64 %d1, 0d0000000000000000; mov.f64 %d2, 0d3fefffffff800000; mov.f64 %d3, 0dbff0000000000000; mov.u32 %r2, 1;	00000001
		mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d4,%d5}, {%d1}, {%d2}, {%d3,%d3}; mov.b64 {%r3, %r2}, %d5;	bc300000
	E
}

# A is ones in rows 0 to 7 and twos from 8 on, B ones; both K-major, core matrices 128 bytes apart along K and 256 along M.
@test "warpgroup products give the required results" {
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

# A box of 8 by 4 words at (2,1) of a tensor of 8 by 16 consecutive numbers; columns 6 and 7 of the box are out of bounds.
@test "tensor copies move the right elements" {
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

# Lane 31 stores last, and its results are compared.
@test "matrix moves between lanes and shared memory, small floats and mbarriers work" {
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

@test "constant expressions are evaluated" {
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
