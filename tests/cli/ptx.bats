#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-exec: PTX modules, launch files, options, and the form of traces as kernel-trace(5) describes it.

bats_require_minimum_version 1.5.0
load helper
load ptx_kernel

@test "kernels give the right results, with checks and without" {
	for o in --check --no-check; do
		run -0 trace-exec $o -n basic.launch
		assert_output ''
		run -0 "$ROOT/tests/data/ptx/check" .
		assert_output ''
		rm ./*.bin
	done
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
	# eight threads of the warp of threads 992 to 1023 have work
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

@test "any number of threads writes the same bytes" {
	trace-exec -o one basic.launch
	trace-exec -j 3 -o three basic.launch
	trace-exec -j 0 -o all basic.launch
	run -0 diff -r one three
	run -0 diff -r one all
}

@test "only selected launches are checked; memory that other launches may have written counts as initialised" {
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
	assert_output --regexp "^trace-exec: k.launch: warning: --kernels and --launches choose none of the launches .there are [0-9]+.$"
	run -0 trace-exec -q -n --kernels other k.launch
	assert_output ''
}

@test "clocks advance for kernels that wait for a time, in each block alike" {
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

@test "launches can be selected, and an output named .tpack is a stream" {
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

@test "trace-ptx is trace-exec for PTX under its own name, and rejects machine code" {
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

@test "--limit stops an endless kernel" {
	kernel <<-'E'
	l:
		add.u32 %r1, %r1, 1;
		bra l;
	E
	launch 32
	run -1 trace-exec --limit 100000 -n k.launch
	assert_output --partial 'more than 100000 warp instructions'
}

# Freed memory is overwritten, so that a use of it would appear in place of the added ret.
@test "a body without a final ret returns at its end, whatever its length" {
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

@test "many labels and nested loops are read in nearly linear time" {
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

@test "instructions that cannot be executed are rejected with their place before anything runs" {
	kernel <<<'frobnicate.u32 %r1, %r2;'
	launch 32
	run -2 trace-exec -n k.launch
	assert_output "trace-exec: k.ptx:15:1: error: unknown or unsupported instruction 'frobnicate'"
	kernel <<<'add.frob.u32 %r1, %r1, %r2;'
	launch_ends 2 'unknown suffix .frob (expected a suffix of add)'
	kernel <<<'add.u32 %r1, %rd1, %r2;'
	launch_ends 2 'register %rd1 of type .b64 (expected a register of 32 bits)'
}

@test "suffixes that belong to an instruction's name come first, the others in any order" {
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

@test "instructions newer than the module's target are executed, with one warning a module" {
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

@test "an executed trap or breakpoint stops the run with its place" {
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

@test "a launch that fails leaves no trace and no memory" {
	kernel <<-'E'
		ld.global.u32 %r2, [%rd1];
		setp.eq.u32 %p1, %r2, 1;
		@%p1 trap;
		mov.u32 %r2, 1;
		st.global.u32 [%rd1], %r2;
	E
	for n in 1 3; do
		for form in "-o failed.tpack" "--as sass -o failed.tpack" "-F text -o failed"; do
			launch 32
			echo 'launch k grid=1 block=32 args A' >>k.launch
			# shellcheck disable=SC2086
			run -1 trace-exec --no-check -j $n $form k.launch
			assert_output --partial 'error: trap executed (kernel k'
			[ ! -e failed.tpack ]
			[ ! -e failed/kernelslist.g ]
			rm -rf failed
		done
	done
}

@test "traces and saved buffers never overwrite an input" {
	local file same='the output is also an input'
	kernel </dev/null
	head -c 256 /dev/zero >zeros
	printf 'module k.ptx\nbuffer A bytes=256 file=zeros\nlaunch k grid=1 block=32 args A\n' >kernelslist.g
	for file in s.launch k.ptx; do
		{ cat kernelslist.g; echo "save A $file"; } >s.launch
		run -2 trace-exec -n s.launch
		assert_output "trace-exec: $file: error: $same"
	done
	run -2 trace-exec -f -o . kernelslist.g
	assert_output "trace-exec: ./kernelslist.g: error: $same"
	cp zeros kernel-1.traceg
	sed 's/zeros/kernel-1.traceg/' kernelslist.g >k.launch
	run -2 trace-exec -f -o . k.launch
	assert_output "trace-exec: ./kernel-1.traceg: error: $same"
	{ cat k.launch; echo "save A kernel-1.traceg"; } >s.launch
	run -0 trace-exec -n s.launch
}

# Each file name that an input can give: module, file= (buffer, symbol) and expect read files, which may be anywhere; save
# and savesym write files, which may not. Files that PTX names (.file) are not opened.
@test "a launch file saves only inside its own directory, or the directory of -C" {
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

@test "the memory that a launch file needs is proportional to its commands" {
	plain_build_only
	yes '' | head -n 30000000 | zstd -q >k.launch
	run -2 bash -c 'ulimit -v 300000; trace-exec -n k.launch'
	assert_output --partial 'no module'
	yes sync | head -n 262145 >k.launch
	run -2 trace-exec -n k.launch
	assert_output 'trace-exec: k.launch:262145:1: error: launch file too large (expected at most 262144 commands and 64 MiB of text)'
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

@test "modules in the style of PTX 1 compilers are read" {
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

@test "a launch without a readable module is rejected" {
	echo 'module nothing.ptx' >k.launch
	launch_ends 2 'nothing.ptx'
	: >k.launch
	launch_ends 2 'no module'
}
