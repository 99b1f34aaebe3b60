#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-exec: textures and surfaces follow the CUDA programming guide and the PTX manual.

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

# Writes a module with kernel "k": parameters t (a handle) and o (the address of results), the body from stdin.
kernel() {
	{
		printf '.version 8.0\n.target sm_70\n.address_size 64\n.global .texref tx;\n.global .surfref sf;\n'
		printf '.visible .entry k(.param .u64 t, .param .u64 o)\n{\n.reg .pred %%p<9>;\n.reg .b16 %%h<9>;\n'
		printf '.reg .b32 %%r<30>;\n.reg .f32 %%f<20>;\n.reg .b64 %%rd<20>;\n'
		printf 'ld.param.u64 %%rd1, [t];\nld.param.u64 %%rd2, [o];\nmov.u32 %%r0, %%tid.x;\n'
		cat
		printf 'ret;\n}\n'
	} >k.ptx
}

# Writes the launch file: line $1 of a texture or surface "T" of buffer B (bytes 0, 1, 2 ...), results in O.
launch() {
	{
		printf 'module k.ptx\nbuffer B bytes=64 u8=iota\nbuffer O bytes=64 zero\n%s\n' "$1"
		printf 'launch k grid=1 block=%s args %s,O\nsave O o\nsave B b\n' "${2:-1}" "${3:-T}"
	} >k.launch
}

words() { od -An -v -tu4 -w"${2:-64}" "$1" | tr -s ' ' | sed 's/^ //'; }

@test "texture fetches work for each dimension, format, filter, address mode and number of levels" {
	"$ROOT/tests/data/ptx/texture" make .
	run -0 trace-exec -n k.launch
	assert_output ''
	run -0 "$ROOT/tests/data/ptx/texture" check .
	assert_output '20736 fetches of 324 textures'
	md5sum ./*.out >sums
	run -0 trace-exec --no-check -n k.launch
	run -0 md5sum --quiet -c sums
}

@test "texel offsets: 4 bits a component, 6 bits for tld4, applied after the level of detail" {
	kernel <<-'E'
		mov.u32 %r5, 0x12; mov.u32 %r6, 0xfff; mov.u32 %r7, 0x81;
		tex.2d.v4.u32.s32 {%r10,%r2,%r3,%r4}, [%rd1, {1, 2}], {1, -2};
		tex.2d.v4.u32.s32 {%r11,%r2,%r3,%r4}, [%rd1, {1, 2}], {%r5, %r6};
		tex.level.2d.v4.u32.f32 {%r12,%r2,%r3,%r4}, [%rd1, {0f40000000, 0f40000000}], 0f00000000, {%r6, 1};
		tld4.r.2d.v4.u32.f32 {%r13,%r14,%r15,%r16}, [%rd1, {0f40000000, 0f40000000}], {%r7, %r6};
		tld4.r.2d.v4.u32.f32 {%r17,%r18,%r19,%r20}, [%rd1, {0f40000000, 0f40000000}];
		st.global.v4.u32 [%rd2], {%r10,%r11,%r12,%r13};
		st.global.v4.u32 [%rd2+16], {%r14,%r15,%r16,%r17};
	E
	launch 'texture T B u8 dims=8,8'
	run -0 trace-exec -n k.launch
	assert_output ''
	run words o
	assert_output '2 11 25 10 11 3 2 17 0 0 0 0 0 0 0 0'
	sed -i 's/{1, -2}/{1, -2}, %f1/' k.ptx
	launch_ends 2 'a comparison of depths'
	sed -i 's/2d.v4.u32.s32\(.*\), {1, -2}, %f1/2d.v4.u32.s32\1, {1}/' k.ptx
	launch_ends 2 'offset of 1 components (expected 2)'
}

@test "separate samplers can be bound by lines, by arguments and where they are declared" {
	kernel <<-'E'
		mov.u64 %rd3, sb;
		tex.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, sa, {0f3F400000}];
		tex.1d.v4.f32.f32 {%f5,%f2,%f3,%f4}, [%rd1, %rd3, {0f3F400000}];
		tex.1d.v4.f32.f32 {%f6,%f2,%f3,%f4}, [%rd1, sc, {0f3F400000}];
		tex.1d.v4.f32.f32 {%f7,%f2,%f3,%f4}, [%rd1, {0f3F400000}];
		tex.1d.v4.f32.f32 {%f8,%f2,%f3,%f4}, [%rd1, sc, {0fBE000000}];
		tld4.r.2d.v4.f32.f32 {%f9,%f10,%f11,%f12}, [tx, sa, {0f3F000000, 0f3F000000}];
		txq.filter_mode.b32 %r1, [sa];
		txq.addr_mode_0.b32 %r2, [sc];
		txq.force_unnormalized_coords.b32 %r3, [%rd3];
		istypep.samplerref %p1, %rd3;
		selp.u32 %r4, 1, 0, %p1;
		st.global.v4.f32 [%rd2], {%f1,%f5,%f6,%f7};
		st.global.v4.f32 [%rd2+16], {%f8,%f9,%f10,%f11};
		st.global.v4.u32 [%rd2+32], {%r1,%r2,%r3,%r4};
	E
	sed -i -e 's/sm_70/sm_70, texmode_independent/' -e '4i .global .samplerref sa;\n.global .samplerref sb = \
		{ addr_mode_0 = clamp_to_edge, filter_mode = nearest, force_unnormalized_coords = 1 };\n\
		.global .samplerref sc = { addr_mode_0 = wrap, filter_mode = linear };' k.ptx
	launch 'texture T B u8 dims=64 read=float normalized'
	sed -i '4i texture tx B u8 dims=2,2 read=float normalized\nsampler sa filter=linear' k.launch
	run -0 trace-exec -n k.launch
	run -0 python3 -c '
import struct
v = struct.unpack("<8f4I", open("o", "rb").read()[:48])
print(*(round(x * 255, 4) for x in v[:8]), *v[8:])'
	# texels 47 and 48; texel 0, by coordinate 0.75; wrapped to 0.875: 55 and 56; the lower left of four
	assert_output '47.5 0.0 47.5 48.0 55.5 2.0 3.0 1.0 1 0 1 1'
	sed -i 's/^sampler sa.*/sampler sa filter=linear mipfilter=linear address=border,wrap border=1 unnormalized lod=0,2 bias=1/' k.launch
	run -0 trace-exec -n k.launch
	launch 'sampler T filter=linear'
	sed -i -e '4i texture tx B u8 dims=2,2' -e '4i sampler sa' k.launch
	launch_ends 1 'texture of a sampler (expected one that fits tex.1d.v4.f32.f32'
	launch 'texture T B u8 dims=64'
	sed -i '4i sampler sa filter=linear\ntexture tx B u8 dims=2,2' k.launch
	launch_ends 1 'linear filter over texels that are read as integers (expected the nearest)'
	sed -i 's/ sa filter/ sz filter/' k.launch
	launch_ends 2 "k.launch:4:9: error: unknown name 'sz' (expected a .samplerref of the modules or an argument)"
	sed -i '/^sampler/d' k.launch
	launch_ends 1 "sampler 0x100 (expected a sampler's handle, or a variable that one is bound to)"
	sed -i 's/filter_mode = linear/filter_mode = cubic/' k.ptx
	launch_ends 2 "unexpected 'cubic' (expected addr_mode_N of wrap, mirror, clamp_to_edge or clamp_to_border"
}

@test "the levels of a texture are consecutive; surfaces write them, and queries return their sizes" {
	kernel <<-'E'
		suld.b.2d.b8.trap %h1, [sf, {1, 0}];
		sust.b.2d.b8.trap [sf, {1, 0}], %h1;
		mov.u32 %r9, 2;
		txq.level.width.b32 %r1, [%rd1], %r9;
		txq.level.height.b32 %r2, [%rd1], 1;
		txq.num_mipmap_levels.b32 %r3, [%rd1];
		tex.level.2d.v4.u32.s32 {%r4,%r5,%r6,%r7}, [%rd1, {0, 0}], 2;
		st.global.v4.u32 [%rd2], {%r1,%r2,%r3,%r4};
	E
	launch 'texture T B u8 dims=8,4 levels=3 normalized'
	sed -i '4i surface sf B u8 dims=4,2 offset=32' k.launch
	run -0 trace-exec -n k.launch
	run -0 words o 16
	assert_line --index 0 '2 2 3 40'
	sed -i 's/offset=32/offset=62/' k.launch
	launch_ends 2 'more texels than the memory has (expected a surface that a GPU supports)'
}

@test "a variable is bound to a texture by its name and by its address" {
	kernel <<-'E'
		tex.1d.v4.s32.s32 {%r1,%r2,%r3,%r4}, [tx, {%r0}];
		mov.u64 %rd3, tx;
		tex.1d.v4.s32.s32 {%r5,%r6,%r7,%r8}, [%rd3, 3];
		st.global.v4.u32 [%rd2], {%r1,%r2,%r5,%r8};
	E
	launch 'texture tx B u16x2' 1 i64:0
	run -0 trace-exec -n k.launch
	run -0 words o 16
	assert_line --index 0 '256 770 3340 1'
	launch 'texture T B u16x2'
	launch_ends 1 'k.ptx:16:1: error: handle 0x100 (expected the handle of a texture, or a variable that one is bound to)'
}

@test "surface loads by bytes, in layers and planes, with each out-of-bounds mode" {
	kernel <<-'E'
		suld.b.2d.v2.b16.trap {%h1,%h2}, [%rd1, {4, 1}];
		cvt.u32.u16 %r1, %h1;
		cvt.u32.u16 %r2, %h2;
		suld.b.2d.b32.clamp %r3, [%rd1, {100, -7}];
		suld.b.2d.b32.zero %r4, [%rd1, {0, 8}];
		suld.b.2d.b8.zero %h3, [%rd1, {7, 7}];
		cvt.u32.u16 %r5, %h3;
		st.global.v4.u32 [%rd2], {%r1,%r2,%r3,%r4};
		st.global.u32 [%rd2+16], %r5;
	E
	launch 'surface T B u8x4 dims=2,8'
	run -0 trace-exec -n k.launch
	run -0 words o
	assert_output '3340 3854 117835012 0 63 0 0 0 0 0 0 0 0 0 0 0'
	kernel <<<'suld.b.a2d.b32.trap %r1, [%rd1, {1, 4, 1, 0}];
		st.global.u32 [%rd2], %r1;'
	launch 'surface T B u8x4 dims=2,4 layers=2'
	run -0 trace-exec -n k.launch
	run -0 words o 4
	assert_line --index 0 $((0x2f2e2d2c))
	kernel <<<'suld.b.3d.b64.trap %rd3, [%rd1, {0, 1, 3, 0}];
		st.global.u64 [%rd2], %rd3;'
	launch 'surface T B u32x2 dims=1,2,4'
	run -0 trace-exec -n k.launch
	run -0 words o 8
	assert_line --index 0 "$((0x3b3a3938)) $((0x3f3e3d3c))"
}

@test "surface stores by bytes and formatted, and surface reductions" {
	kernel <<-'E'
		mov.u32 %r1, 0x01020304;
		sust.b.1d.b32.trap [%rd1, {8}], %r1;
		sust.b.1d.b32.zero [%rd1, {64}], %r1;
		sust.b.1d.b32.clamp [%rd1, {-4}], %r1;
		sust.p.1d.v4.b32.trap [%rd1, {15}], {257, 2, 3, 4};
		sured.b.add.1d.u32.trap [%rd1, {16}], 5;
		sured.p.max.1d.s32.trap [%rd1, {6}], 2;
	E
	launch 'surface T B s8x4 dims=16' 3
	run -0 trace-exec -n k.launch
	run -0 words b
	assert_output "$((0x01020304)) $((0x07060504)) $((0x01020304)) $((0x0f0e0d0c)) $((0x13121110 + 15)) $((0x17161514)) $((0x1b1a1918)) $((0x1f1e1d1c)) $((0x23222120)) $((0x27262524)) $((0x2b2a2928)) $((0x2f2e2d2c)) $((0x33323130)) $((0x37363534)) $((0x3b3a3938)) $((0x04030201))"
}

@test "an out-of-bounds or wrongly formed surface access is reported" {
	kernel <<<'suld.b.2d.b32.trap %r1, [%rd1, {%r0, 9}];'
	launch 'surface T B u8x4 dims=2,8'
	launch_ends 1 'coordinates (0,9,0) in layer 0, outside a surface of 2 x 8 x 1 texels of 4 bytes, 1 layers (kernel k, thread (0,0,0) of CTA (0,0,0))'
	kernel <<<'suld.b.2d.b32.trap %r1, [%rd1, {2, 0}];'
	launch_ends 1 'byte 2 of a row of a surface (expected a multiple of 4)'
	kernel <<<'suld.b.3d.b32.trap %r1, [%rd1, {0, 0, 0, 0}];'
	launch_ends 1 'surface of 2D (expected one that fits suld.b.3d.b32.trap'
	kernel <<<'tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1, %f1}];'
	launch_ends 1 '(expected the handle of a texture'
	launch 'surface T B u8x4 dims=2,8' 1 B
	launch_ends 2 "k.launch:4:9: error: unknown name 'T' (expected a .surfref of the modules or an argument)"
}

@test "queries return the properties of textures and surfaces" {
	kernel <<-'E'
		txq.width.b32 %r1, [%rd1];
		txq.height.b32 %r2, [%rd1];
		txq.array_size.b32 %r3, [%rd1];
		txq.channel_data_type.b32 %r4, [%rd1];
		txq.channel_order.b32 %r5, [%rd1];
		txq.normalized_coords.b32 %r6, [%rd1];
		txq.filter_mode.b32 %r7, [%rd1];
		txq.addr_mode_1.b32 %r8, [%rd1];
		txq.num_mipmap_levels.b32 %r9, [%rd1];
		istypep.texref %p1, %rd1;
		istypep.surfref %p2, %rd1;
		selp.u32 %r10, 1, 0, %p1;
		selp.u32 %r11, 1, 0, %p2;
		st.global.v4.u32 [%rd2], {%r1,%r2,%r3,%r4};
		st.global.v4.u32 [%rd2+16], {%r5,%r6,%r7,%r8};
		st.global.v4.u32 [%rd2+32], {%r9,%r10,%r11,0};
	E
	launch 'texture T B u8x2 dims=4,2 layers=4 normalized filter=linear read=float address=wrap,mirror'
	run -0 trace-exec -n k.launch
	run -0 words o
	assert_output "4 2 4 $((0x10d2)) $((0x10b2)) 1 1 1 1 1 0 0 0 0 0 0"
}

@test "texel reads are checked like other memory reads" {
	kernel <<<'tex.1d.v4.s32.s32 {%r1,%r2,%r3,%r4}, [%rd1, 1];'
	launch 'texture T U s32'
	sed -i '2i buffer U bytes=64 unset' k.launch
	launch_ends 1 "read of 4 uninitialised bytes, at byte 4 of 'U' of 64 bytes"
}

@test "a trace has the addresses of texels, and trace-sim runs it" {
	kernel <<-'E'
		cvt.rn.f32.u32 %f1, %r0;
		tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1, 0f3F800000}];
		suld.b.2d.b32.trap %r1, [sf, {%r0, 0}];
	E
	launch 'texture T B u8x4 dims=4,4 read=float' 4
	sed -i '5i surface sf B u8x4 dims=4,4' k.launch
	sed -i 's/suld.b.2d.b32.trap %r1, \[sf, {%r0, 0}\]/shl.b32 %r0, %r0, 2;\n&/' k.ptx
	run -0 trace-exec -o out k.launch
	run -0 grep -c ' 0000000f 4 1 0xc0000010 4$' out/kernel-1.traceg
	assert_output 1
	run -0 grep -c ' 0000000f 4 1 0xc0000000 4$' out/kernel-1.traceg
	assert_output 1
	run -0 trace-lint out/kernelslist.g
	run -0 trace-sim -q -g qv100 out
	assert_line --regexp '^gpu_sim_insn [0-9]+ '
}
