#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-exec: linking of modules, placement of variables, calls, and printf in kernels.

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

# Writes modules a.ptx, b.ptx ...: stdin is split at lines of "---", and each part gets the directives that start a module.
modules() {
	rm -f ./*.ptx
	awk '
		function open() { file = sprintf("%c.ptx", 97 + n++); print ".version 8.0\n.target sm_90\n.address_size 64" >file }
		BEGIN { open() }
		/^---$/ { open(); next }
		{ print >file }'
	{
		for m in ?.ptx; do echo "module $m"; done
		printf 'buffer A bytes=256 zero\nlaunch %s grid=1 block=%s args A\nsave A out\n' "${1-k}" "${2-1}"
	} >k.launch
}

# Prints the first words of A after the kernel, as decimal numbers.
words() { od -An -v -tu4 -N$((4 * $1)) -w$((4 * $1)) out | tr -s ' '; }

@test "a visible definition occurs once; a duplicate is rejected with both places" {
	modules <<-'E'
		.visible .global .u32 x = 1;
		.visible .entry k(.param .u64 a) { ret; }
		---
		.visible .global .u32 x = 2;
	E
	run -2 trace-exec -n k.launch
	assert_output "trace-exec: b.ptx:4:23: error: 'x' is already defined (expected one definition, or .weak, as in a.ptx:4:23)"
	modules <<-'E'
		.visible .func f() { ret; }
		.visible .entry k(.param .u64 a) { ret; }
		---
		.visible .func f() { ret; }
	E
	run -2 trace-exec -n k.launch
	assert_output "trace-exec: b.ptx:4:16: error: 'f' is already defined (expected one definition, or .weak, as in a.ptx:4:16)"
	modules <<-'E'
		.entry k(.param .u64 a) { ret; }
		---
		.entry k(.param .u64 a) { ret; }
	E
	run -2 trace-exec -n k.launch
	assert_output "trace-exec: b.ptx:4:8: error: 'k' is already a kernel (expected one kernel of this name, as in a.ptx:4:8)"
	# names that are not visible to other modules belong to their module
	modules <<-'E'
		.global .u32 x = 1;
		.visible .entry k(.param .u64 a) { .reg .b64 p; .reg .b32 r; ld.param.u64 p, [a]; ld.global.u32 r, [x]; st.global.u32 [p], r; ret; }
		---
		.global .u32 x = 2;
		.func f() { ret; }
	E
	run -0 trace-exec -n k.launch
	[ "$(words 1)" = ' 1' ]
}

@test "among weak definitions the first one wins, unless one is not weak" {
	local use='.visible .entry k(.param .u64 a) { .reg .b64 p; .reg .b32 r; ld.param.u64 p, [a]; ld.global.u32 r, [x]; st.global.u32 [p], r; call (r), f; st.global.u32 [p+4], r; ret; }'
	modules <<-E
		.weak .global .u32 x = 1;
		.weak .func (.reg .b32 r) f { mov.u32 r, 10; ret; }
		$use
		---
		.weak .global .u32 x = 2;
		.weak .func (.reg .b32 r) f { mov.u32 r, 20; ret; }
	E
	run -0 trace-exec -n k.launch
	[ "$(words 2)" = ' 1 10' ]
	sed -i 's/^\.weak/.visible/' b.ptx
	run -0 trace-exec -n k.launch
	[ "$(words 2)" = ' 2 20' ]
	sed -i '1{h;d}; 2G' k.launch
	run -0 trace-exec -n k.launch
	[ "$(words 2)" = ' 2 20' ]
}

@test "a weak kernel gives way to a kernel that is not weak" {
	local body='.reg .b64 p; ld.param.u64 p, [a]; st.global.u32 [p]'
	modules <<-E
		.weak .entry k(.param .u64 a) { $body, 1; ret; }
		---
		.visible .entry k(.param .u64 a) { $body, 2; ret; }
	E
	run -0 trace-exec -n k.launch
	[ "$(words 1)" = ' 2' ]
	sed -i 's/visible/weak/' b.ptx
	run -0 trace-exec -n k.launch
	[ "$(words 1)" = ' 1' ]
	sed -i 's/.u64 a/.u64 a, .param .u64 b/' b.ptx
	run -2 trace-exec -n k.launch
	assert_output "trace-exec: b.ptx:4:14: error: 'k' has different parameters or results (expected the same, as in a.ptx:4:14)"
}

@test "common variables merge into one of the largest size, initialised at most once" {
	modules <<-'E'
		.common .global .u32 x;
		.visible .entry k(.param .u64 a) {
			.reg .b64 p, q; .reg .b32 r;
			ld.param.u64 p, [a]; mov.u64 q, x; ld.global.u32 r, [q+8]; st.global.u32 [p], r; ret; }
		---
		.common .global .u32 x[4] = {1, 2, 3, 4};
		---
		.common .global .u32 x[2];
	E
	run -0 trace-exec -n k.launch
	[ "$(words 1)" = ' 3' ]
	sed -i 's/x\[2\]/x[8]/' c.ptx
	launch_ends 2 "b.ptx:4:22: error: 'x' has initial values but is smaller than elsewhere (expected the size, as in c.ptx:4:22)"
	sed -i 's/x\[8\]/x[4] = {5}/' c.ptx
	launch_ends 2 "c.ptx:4:22: error: 'x' is initialised again (expected initial values once, as in b.ptx:4:22)"
	modules <<<'.common .func f() { ret; }'
	launch_ends 2 "a.ptx:4:9: error: unexpected '.func' (expected a .global variable after .common)"
}

@test "an .extern declaration must match its definition" {
	local use='.visible .entry k(.param .u64 a) { .reg .b64 p; .reg .b32 r; ld.param.u64 p, [a]; ld.global.u32 r, [x]; st.global.u32 [p], r; ret; }'
	while IFS='|' read -r has wants said; do
		modules <<-E
			$wants
			.visible .entry k(.param .u64 a) { ret; }
			---
			$has
		E
		run trace-exec -n k.launch
		if [ -n "$said" ]; then
			[ "$status" = 2 ]
			assert_output "trace-exec: a.ptx:4:${said% as in*} as in b.ptx:4:${said#* as in })"
		else
			[ "$status" = 0 ]
			assert_output ''
		fi
	done <<-'E'
		.visible .global .u32 x[4];|.extern .global .u32 x[2];|22: error: 'x' has 8 bytes (expected 16, as in 23
		.visible .global .u32 x[4];|.extern .global .u32 x[];|
		.visible .global .b8 x[16];|.extern .global .u32 x[4];|
		.visible .const .u32 x;|.extern .global .u32 x;|22: error: 'x' is in .global (expected .const, as in 22
		.visible .global .texref x;|.extern .global .u64 x;|22: error: 'x' has type .u64 (expected .texref, as in 26
		.visible .func x() { ret; }|.extern .global .u64 x;|22: error: 'x' is a variable (expected a function, as in 16
		.visible .func x(.param .b32 p) { ret; }|.extern .func x(.param .b64 p);|15: error: 'x' has different parameters or results (expected the same, as in 16
		.visible .func x(.param .b32 p) { ret; }|.extern .func x(.reg .b32 p);|15: error: 'x' has different parameters or results (expected the same, as in 16
		.visible .func (.param .b32 r) x(.param .b32 p) { ret; }|.extern .func x(.param .b32 p);|15: error: 'x' has different parameters or results (expected the same, as in 32
		.visible .func (.param .b32 r) x(.param .b32 p) { ret; }|.extern .func (.param .b32 z) x(.param .b32 q);|
	E
	modules <<-E
		.extern .global .u32 x;
		$use
		---
		.global .u32 x = 5;
	E
	run -2 trace-exec -n k.launch
	assert_output "trace-exec: a.ptx:4:22: error: .extern variable 'x' is not defined by any module"
	sed -i 's/^.global/.visible .global/' b.ptx
	run -0 trace-exec -n k.launch
	[ "$(words 1)" = ' 5' ]
	# inside a function, too
	sed -i '/^.extern/d; s/{ .reg/{ .extern .global .u32 x; .reg/' a.ptx
	run -0 trace-exec -n k.launch
	[ "$(words 1)" = ' 5' ]
	modules <<-E
		.extern .global .u32 x;
		.visible .global .u32 x[2];
		$use
	E
	run -2 trace-exec -n k.launch
	assert_output "trace-exec: a.ptx:5:23: error: 'x' differs in space, type or size from its declaration at line 4"
}

@test "an alias is visible to other modules and requires a function with a body" {
	modules <<-'E'
		.extern .func (.reg .b32 r) g;
		.visible .entry k(.param .u64 a) { .reg .b64 p; .reg .b32 r; ld.param.u64 p, [a]; call (r), g; st.global.u32 [p], r; ret; }
		---
		.func (.reg .b32 r) f { mov.u32 r, 7; ret; }
		.visible .func (.reg .b32 r) g;
		.alias g, f;
	E
	run -0 trace-exec -n k.launch
	[ "$(words 1)" = ' 7' ]
	sed -i 's/^.func.*/.func (.reg .b32 r) f;/' b.ptx
	launch_ends 2 "b.ptx:5:30: error: 'g' is the alias of a function without a body of its own (expected a body, as in b.ptx:4:21)"
}

@test "a function without a body has no address" {
	modules <<-'E'
		.extern .func f();
		.visible .entry k(.param .u64 a) { .reg .b64 p, q; ld.param.u64 p, [a]; ld.global.u64 q, [t]; st.global.u64 [p], q; ret; }
		.global .u64 t[2] = {0, f};
	E
	sed -i '/^.visible/d; $a .visible .entry k(.param .u64 a) { ret; }' a.ptx
	run -2 trace-exec -n k.launch
	assert_output "trace-exec: a.ptx:5:25: error: function 'f' in initial values is not defined by any module"
	{ head -3 a.ptx; echo '.visible .func f() { ret; }'; } >b.ptx
	sed -i '1a module b.ptx' k.launch
	run -0 trace-exec -n k.launch
	sed -i '/^.global/s/.*/.shared .u32 s; .global .u64 t = s;/' a.ptx
	launch_ends 2 "unexpected 's' (expected a number or the name of a .global or .const variable or a function)"
}

# Each thread block has one thread. It writes to the variables of the kernel and the functions, then reads them all.
@test "shared variables of a kernel, its callees and other modules do not overlap" {
	modules <<-'E'
		.func late(.reg .b32 v);
		.extern .func other(.reg .b32 v);
		.func sum(.reg .b64 p);
		.extern .func osum(.reg .b64 p);
		.visible .entry k(.param .u64 a)
		{
			.reg .b64 p; .reg .b32 r;
			.shared .u32 mine[4];
			ld.param.u64 p, [a];
			st.shared.u32 [mine], 1; st.shared.u32 [mine+12], 2;
			call late, (3); call other, (4);
			ld.shared.u32 r, [mine]; st.global.u32 [p], r;
			ld.shared.u32 r, [mine+12]; st.global.u32 [p+4], r;
			call sum, (p); call osum, (p);
			ret;
		}
		.shared .u32 m;
		.func late(.reg .b32 v) { .shared .u32 l; st.shared.u32 [l], v; st.shared.u32 [m], 9; ret; }
		.func sum(.reg .b64 p) { .reg .b32 r; ld.shared.u32 r, [m]; st.global.u32 [p+8], r; ret; }
		.visible .entry alone(.param .u64 a) { .shared .u32 s[4]; st.shared.u32 [s], 1; ret; }
		---
		.shared .u32 o;
		.visible .func other(.reg .b32 v) { st.shared.u32 [o], v; ret; }
		.visible .func osum(.reg .b64 p) { .reg .b32 r; ld.shared.u32 r, [o]; st.global.u32 [p+12], r; ret; }
	E
	run -0 trace-exec -n k.launch
	[ "$(words 4)" = ' 1 2 9 4' ]
}

@test "a kernel has no shared memory for variables that only other kernels reach" {
	modules <<-'E'
		.shared .align 8 .b8 large[4096];
		.shared .u32 small;
		.visible .entry other(.param .u64 a) { st.shared.u32 [large], 1; ret; }
		.visible .entry k(.param .u64 a)
		{
			.reg .b64 p; .reg .b32 r;
			.shared .u32 mine[3];
			ld.param.u64 p, [a];
			st.shared.u32 [mine+8], 1; st.shared.u32 [small], 2;
			ld.shared.u32 r, [mine+8]; st.global.u32 [p], r;
			ld.shared.u32 r, [small]; st.global.u32 [p+4], r;
			mov.u32 r, %total_smem_size; st.global.u32 [p+8], r;
			ret;
		}
	E
	run -0 trace-exec -n k.launch
	[ "$(words 3)" = ' 1 2 256' ]
}

@test "an .extern shared variable with a size belongs to another module, one without a size to the launch" {
	modules <<-'E'
		.extern .shared .u32 x[4];
		.extern .shared .align 1024 .b8 dyn[];
		.visible .entry k(.param .u64 a)
		{
			.reg .b64 p, q; .reg .b32 r;
			.shared .u32 y;
			ld.param.u64 p, [a];
			st.shared.u32 [x+4], 5; st.shared.u32 [y], 6; st.shared.u32 [dyn], 7;
			call f, (p);
			mov.u64 q, dyn; st.global.u64 [p+8], q;
			ret;
		}
		.func f(.reg .b64 p);
		---
		.visible .shared .u32 x[4];
		.visible .func f(.reg .b64 p) { .reg .b32 r; ld.shared.u32 r, [x+4]; st.global.u32 [p], r; ret; }
	E
	sed -i '/^.func f/d; s/^.visible .entry/.extern .func f(.reg .b64 p);\n&/' a.ptx
	sed -i 's/block=1/block=1 shmem=64/' k.launch
	run -0 trace-exec -n k.launch
	[ "$(words 3)" = ' 5 0 1024' ]
	sed -i 's/^.visible .shared/.shared/' b.ptx
	launch_ends 2 "a.ptx:4:22: error: .extern variable 'x' is not defined by any module"
}

@test ".align beyond the natural alignment holds in every space" {
	modules <<-'E'
		.global .u8 g0; .global .align 256 .u32 g;
		.const .u8 c0; .const .align 512 .u64 c;
		.shared .u8 s0; .shared .align 1024 .b8 s[300];
		.func (.param .align 16 .b8 r[16]) f(.param .b8 x, .param .align 16 .b8 y[16])
		{
			.local .u8 l0; .local .align 256 .b8 l[8];
			.reg .b64 q; .reg .b32 v<5>; .reg .b16 h;
			mov.u64 q, y; ld.local.v4.u32 {v1, v2, v3, v4}, [q];
			ld.param.u8 h, [x]; cvt.u32.u16 v0, h; add.u32 v4, v4, v0;
			cvt.u32.u64 v0, q; and.b32 v1, v0, 15;
			mov.u64 q, l; cvt.u32.u64 v0, q; and.b32 v2, v0, 255;
			st.local.u64 [q], q;
			st.param.v4.u32 [r], {v1, v2, v3, v4};
			ret;
		}
		.visible .entry k(.param .u64 a)
		{
			.reg .b64 p, q; .reg .b32 v<5>;
			.local .u8 l0; .local .align 64 .u32 l;
			.param .u8 x; .param .align 16 .b8 y[16]; .param .align 16 .b8 r[16];
			ld.param.u64 p, [a];
			mov.u64 q, g; cvt.u32.u64 v0, q; and.b32 v0, v0, 255; st.global.u32 [p], v0;
			mov.u64 q, c; cvt.u32.u64 v0, q; and.b32 v0, v0, 511; st.global.u32 [p+4], v0;
			mov.u64 q, s; cvt.u32.u64 v0, q; and.b32 v0, v0, 1023; st.global.u32 [p+8], v0;
			mov.u64 q, l; cvt.u32.u64 v0, q; and.b32 v0, v0, 63; st.global.u32 [p+12], v0;
			st.param.u8 [x], 1; st.param.v4.u32 [y], {5, 6, 7, 8};
			call (r), f, (x, y);
			ld.param.v4.u32 {v1, v2, v3, v4}, [r];
			st.global.v4.u32 [p+16], {v1, v2, v3, v4};
			ret;
		}
	E
	run -0 trace-exec -n k.launch
	assert_output ''
	[ "$(words 8)" = ' 0 0 0 0 0 0 7 9' ]
}

# Each line "FORMAT ARGUMENT..." of stdin is printed by a kernel between bars, with the result of printf. An argument is
# iNUMBER, lNUMBER, dBITS, sTEXT or 0 (a null pointer); the format "-" is a null pointer.
printing() {
	python3 -c '
import sys
data, body = [".global .align 1 .b8 word[6] = {119, 111, 114, 100, 33, 0};"], []
for n, line in enumerate(sys.stdin.read().splitlines()):
    form, *args = line.split("|")
    text = form.encode() + b"\0"
    data.append(".global .align 1 .b8 f%d[%d] = {%s};" % (n, len(text), ",".join(map(str, text))))
    at = 0
    for a in args:
        size = 4 if a[0] == "i" else 8
        at = (at + size - 1) // size * size
        value = {"i": a[1:], "l": a[1:], "d": "0d" + a[1:], "s": "q", "0": "0"}[a[0]]
        if a[0] == "s":
            body.append("mov.u64 q, word; cvta.global.u64 q, q;")
        body.append("st.local.%s [room+%d], %s;" % ("f64" if a[0] == "d" else "b%d" % (8 * size), at, value))
        at += size
    body.append("mov.u64 q, %s; st.param.b64 [x], q; mov.u64 q, room; cvta.local.u64 q, q; st.param.b64 [y], q;" % ("0" if form == "-" else "f%d" % n))
    body.append("call (r), vprintf, (x, y); ld.param.b32 v, [r]; st.global.u32 [p+%d], v;" % (4 * n))
print(".version 8.0\n.target sm_90\n.address_size 64\n.extern .func (.param .b32 r) vprintf(.param .b64 x, .param .b64 y);")
print("\n".join(data))
print(".visible .entry k(.param .u64 a)\n{\n.local .align 8 .b8 room[512]; .param .b64 x; .param .b64 y; .param .b32 r;\n.reg .b64 p, q; .reg .b32 v;\nld.param.u64 p, [a];")
print("\n".join(body) + "\nret;\n}")' >k.ptx
	printf 'module k.ptx\nbuffer A bytes=256 zero\nlaunch k grid=1 block=1 args A\nsave A out\n' >k.launch
}

@test "printf: conversions follow CUDA, and invalid ones are printed as written" {
	printing <<-'E'
		<%d,%5d,%-5d,%+d,%05d>|i1|i-2|i3|i4|i5
		<%s,%8s,%-8s,%.2s,%s>|sx|sx|sx|sx|0
		<%hhd,%hd,%hhu,%hu,%hx>|i511|i98303|i511|i98303|i74565
		<%ld,%llu,%lx,%zu>|l-5|l-1|l81985529216486895|l7
		<%*d,%*d,%.*d,%.*d,%-*d>|i5|i42|i-5|i42|i3|i7|i-3|i7|i4|i9
		<%%,%5%,100%>
		<%f,%.3f,%e,%G,%a>|d3ff8000000000000|d400921fb54442d18|d40c81cd6e631f8a1|d3ff8000000000000|d3ff8000000000000
		<%c%c,%3c,%p,%14p,%p>|i72|i105|i33|l4660|l4660|0
		<%k %d,%q,%n,%y>|i5
		<%
		<%5.3
		-
		plain
	E
	run -0 trace-exec -n k.launch
	assert_output "$(
		printf '<1,   -2,3    ,+4,00005><word!,   word!,word!   ,wo,(null)><-1,32767,255,32767,2345><-5,18446744073709551615,123456789abcdef,7>'
		printf '<   42,42   ,007,7,9   ><%%,%%,100%%><1.500000,3.142,1.234568e+04,1.5,0x1.8p+0><Hi,  !,0x1234,        0x1234,(nil)>'
		printf '<%%k 5,%%q,%%n,%%y><%%<%%5.3plain'
	)"
	[ "$(words 13)" = " 5 5 5 4 10 0 5 6 1 0 0 4294967295 0" ]
}

@test "printf: 32 arguments work, later conversions are printed as written, and long texts are complete" {
	printing <<-E
		$(printf '%%d,%.0s' {1..34})%5d.$(printf '|i%d' {1..35})
		%3000d$(printf 'x%.0s' {1..9000})|i1
	E
	run -0 trace-exec -n k.launch
	assert_output "$(printf '%d,' {1..32})%d,%d,%5d.$(printf '%3000d' 1)$(printf 'x%.0s' {1..9000})"
	[ "$(words 2)" = ' 32 1' ]
}

@test "printf: a missing text or argument is an out-of-bounds access" {
	printing <<<'%s|l64'
	run -1 trace-exec -n k.launch
	assert_output --regexp 'k.ptx:[0-9]+:1: error: read of 1 bytes at 0x40, .* \(expected an address in a buffer\) \(kernel k, thread \(0,0,0\)'
	printing <<<'%d|i1'
	sed -i 's/mov.u64 q, room; cvta.local.u64 q, q;/mov.u64 q, 0;/' k.ptx
	launch_ends 1 'read of 4 bytes at 0x0'
	sed -i 's/vprintf(.param .b64 x, .param .b64 y)/vprintf(.param .b64 x)/; s/(x, y)/(x)/' k.ptx
	launch_ends 2 "'vprintf' with 1 parameters (expected 2)"
}

@test "initialisers: rows of several dimensions start at their places, and omitted values are zero" {
	local text said
	modules k 15 <<-'E'
		.global .u32 x[3][2] = {{1}, {2, 3}};
		.global .u32 y[][3] = {{4}, {5, 6}, 7};
		.global .v2 .u32 z[2] = {{8}, {9, 10}};
		.global .u32 w[2][2] = {11, 12, 13};
		.global .b32 f[2] = {1.5, 0f3F800000};
		.visible .entry k(.param .u64 a)
		{
			.reg .b64 p, q; .reg .b32 r, t; .reg .pred c;
			ld.param.u64 p, [a]; mov.u32 t, %tid.x; mul.wide.u32 q, t, 4; add.u64 p, p, q;
			setp.lt.u32 c, t, 6; mov.u64 q, x; @!c mov.u64 q, y;
			mul.lo.u32 r, t, 4; @!c sub.u32 r, r, 24; cvt.u64.u32 p, r; add.u64 q, q, p;
			ld.param.u64 p, [a]; ld.global.u32 r, [q]; mul.wide.u32 q, t, 4; add.u64 p, p, q; st.global.u32 [p], r;
			setp.eq.u32 c, t, 0;
			@c ld.global.u32 r, [z+4]; @c st.global.u32 [p+60], r; @c ld.global.u32 r, [z+8]; @c st.global.u32 [p+64], r;
			@c ld.global.u32 r, [w+8]; @c st.global.u32 [p+68], r;
			@c ld.global.u32 r, [f]; @c st.global.u32 [p+72], r; @c ld.global.u32 r, [f+4]; @c st.global.u32 [p+76], r;
			ret;
		}
	E
	run -0 trace-exec -n k.launch
	[ "$(words 20)" = " 1 0 2 3 0 0 4 0 0 5 6 0 7 0 0 0 9 13 1069547520 1065353216" ]
	while IFS='|' read -r text said; do
		modules <<<"$text"
		launch_ends 2 "a.ptx:4:$said"
	done <<-'E'
		.global .u32 x[2][2] = {{1, 2, 3}};|32: error: too many values in a list of 'x' (expected at most 2)
		.global .u32 x[2] = {1, 2, 3};|28: error: too many values in a list of 'x' (expected at most 2)
		.global .u32 x[2][2] = {1, {2}};|28: error: unexpected '{' (expected a number, because no row begins here)
		.global .u32 x[1][1][1][1][1][1][1][1][1];|39: error: unexpected '[' (expected at most 8 dimensions)
		.global .u32 x = 1.5;|18: error: floating-point number (expected a value of type .u32)
		.global .b16 x = 0f3F800000;|18: error: unexpected '0f3F800000' (expected a whole number)
		.global .u8 y; .global .u16 x = y;|33: error: address in an element of 2 bytes (expected 4 or 8
		.global .u32 x[][1000000000] = {{1}};|35: error: unexpected '}' (expected at most 64 MiB of initial values)
	E
}

@test "a label in a block hides a label of the same name outside the block" {
	modules <<-'E'
		.visible .entry k(.param .u64 a)
		{
			.reg .b64 p; .reg .b32 n; .reg .pred c;
			ld.param.u64 p, [a]; mov.u32 n, 0;
		l:	add.u32 n, n, 1;
			setp.gt.u32 c, n, 5; @c bra out;
			{ bra l; add.u32 n, n, 100; l: add.u32 n, n, 10; }
		out:	st.global.u32 [p], n;
			ret;
		}
	E
	run -0 trace-exec -n k.launch
	[ "$(words 1)" = ' 11' ]
}

@test "arguments and results have the sizes of their parameters, by name, by prototype and by list" {
	local head='.reg .b64 p, fn; .reg .b32 r; .reg .pred c; .param .b32 x; .param .b64 y; .param .align 4 .b8 z[8]; ld.param.u64 p, [a];'
	local text said
	while IFS='|' read -r text said; do
		modules <<-E
			.func (.param .b32 r) f(.param .b32 v) { .reg .b32 q; ld.param.u32 q, [v]; add.u32 q, q, 1; st.param.b32 [r], q; ret; }
			.func (.param .b32 r) other(.param .b64 v) { .reg .b64 q; ld.param.u64 q, [v]; st.param.b32 [r], 9; ret; }
			.func (.reg .b32 r) regs(.reg .b32 v) { add.u32 r, v, 2; ret; }
			.func (.param .b32 r) moved(.param .b32 v) { .reg .b64 d; .reg .b32 q; mov.b64 d, v; ld.param.b32 q, [d]; st.param.b32 [r], q; ret; }
			.func bytes(.param .align 4 .b8 v[8]) { ret; }
			.extern .func nobody(.param .b32 v);
			.visible .entry k(.param .u64 a) { $head
			$text
			ret; }
		E
		run trace-exec -n k.launch
		if [ -n "$said" ]; then
			[ "$status" != 0 ]
			assert_output --partial "$said"
		else
			[ "$status" = 0 ]
			[ "$(words 1)" = ' 8' ]
		fi
	done <<-'E'
		st.param.b32 [x], 7; call (x), f, (x); ld.param.b32 r, [x]; st.global.u32 [p], r;|
		st.param.b32 [x], 8; call (x), moved, (x); ld.param.b32 r, [x]; st.global.u32 [p], r;|
		call (r), regs, (6); st.global.u32 [p], r;|
		call (x), f, (y);|a.ptx:11:15: error: argument of 8 bytes (expected 4)
		call (y), f, (x);|a.ptx:11:7: error: argument of 8 bytes (expected 4)
		st.param.b64 [x], 7;|a.ptx:11:14: error: write of 8 bytes at byte 0 of 'x' (expected within its 4)
		ld.param.v2.b32 {r, r}, [z+4];|a.ptx:11:25: error: read of 8 bytes at byte 4 of 'z' (expected within its 8)
		call bytes, (r);|a.ptx:11:14: error: argument that does not match the parameter
		mov.u64 fn, f; st.param.b32 [x], 7; t: .calltargets f; call (x), fn, (x), t; ld.param.b32 r, [x]; st.global.u32 [p], r;|
		mov.u64 fn, bytes; q: .callprototype _ (.param .align 4 .b8 _[]); call fn, (z), q; mov.u32 r, 8; st.global.u32 [p], r;|
		mov.u64 p, other; q: .callprototype (.param .b32 _) _ (.param .b32 _); call (x), p, (x), q;|error: call of 0xf0000020, other (expected a function that fits the prototype
		mov.u64 p, regs; q: .callprototype (.param .b32 _) _ (.param .b32 _); call (x), p, (x), q;|regs (expected a function that fits the prototype
		mov.u64 p, other; t: .calltargets f; call (x), p, (x), t;|other (expected a function that fits the prototype or list of targets)
		t: .calltargets nobody; call p, (x), t;|'nobody' among call targets (expected functions with bodies)
	E
	modules <<-'E'
		.func f(.param .b32 v);
		.func f(.param .b64 v) { ret; }
	E
	launch_ends 2 "a.ptx:5:7: error: function 'f' differs in parameters or results from its declaration at line 4"
}

@test "a symbol that several modules define separately is an error" {
	modules <<-'E'
		.global .u32 x;
		.visible .entry k(.param .u64 a) { .reg .b64 p; .reg .b32 r; ld.param.u64 p, [a]; ld.global.u32 r, [x]; st.global.u32 [p], r; ret; }
		---
		.global .u32 x;
	E
	sed -i '2a symbol x bytes=4 u32=fill:5' k.launch
	run -2 trace-exec -n k.launch
	assert_output "trace-exec: k.launch:3:8: error: symbol 'x' is defined separately by 2 modules (expected one that is .visible)"
	sed -i 's/^.global/.visible .global/' a.ptx
	run -0 trace-exec -n k.launch
	[ "$(words 1)" = ' 5' ]
}

@test "execution stops at the end of a body, however it gets there" {
	modules <<-'E'
		.visible .entry k(.param .u64 a)
		{
			.reg .b32 r; .reg .b64 p;
			ld.param.u64 p, [a];
			mov.u32 r, 0;
		t:	.branchtargets e, f;
			brx.idx r, t;
		f:	st.global.u32 [p], 1;
			ret;
		e:
		}
		.visible .entry other(.param .u64 a) { trap; }
	E
	run -0 trace-exec -n k.launch
	[ "$(words 2)" = ' 0 0' ]
}

@test "the thread block sizes that a kernel declares are above 0" {
	local word
	for word in '.reqntid 0' '.maxntid 32, 0'; do
		modules <<<".visible .entry k(.param .u64 a) $word { ret; }"
		launch_ends 2 "unexpected '{' (expected numbers above 0 before it)"
	done
}
