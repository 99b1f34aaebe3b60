#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-exec --as sass: traces of approximate machine code, as an assembler might produce it.

bats_require_minimum_version 1.5.0
load helper
load cudart_programs

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	cp "$ROOT"/tests/data/ptx/basic.* .
	EXAMPLES="$ROOT/examples/cuda"
}

# Writes a module with kernel "k": parameters a (an address, in %rd1) and n (in %r1), tid.x in %r2, the body from stdin.
kernel() {
	{
		printf '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u32 n)\n{\n'
		printf '.reg .pred %%p<9>;\n.reg .b32 %%r<400>;\n.reg .f32 %%f<20>;\n.reg .b64 %%rd<40>;\n.reg .f64 %%d<9>;\n'
		printf '.shared .align 16 .b32 s[256];\nld.param.u64 %%rd1, [a];\nld.param.u32 %%r1, [n];\nmov.u32 %%r2, %%tid.x;\n'
		cat
		printf 'ret;\n}\n'
	} >k.ptx
	printf 'module k.ptx\nbuffer A bytes=4096 zero\nlaunch k grid=1 block=32 args A,i32:9\n' >k.launch
}

# Prints the instructions of the first warp without PCs and masks.
code() {
	rm -rf out
	trace-exec -q --no-check -o out --as sass -g "$1" k.launch
	awk '/^insts/ { on = 1; next } on && NF < 4 { exit } on { $1 = $2 = ""; sub(/^ */, ""); print }' out/kernel-1.traceg
}

figure() { awk -v name="$2" '$1 == name { print $2; exit }' "$1"; }

@test "traces for each architecture pass trace-lint and run on both cores" {
	for g in titanx qv100 v100 rtx2060 rtx3070 a100-40 h100-pcie; do
		for l in basic.launch "$EXAMPLES"/{vecadd,matmul,reduce}.launch; do
			# basic.launch uses redux.sync, which these GPUs lack
			[[ $l == basic.launch && $g =~ ^(titanx|qv100|v100|rtx2060)$ ]] && continue
			run -0 trace-exec -q -f -o out -C . --as sass -g "$g" "$l"
			run -0 trace-lint -Werror -W header-original=off -W address-window=off out
			run -0 trace-sim -q -g "$g" -o figures out
			insts=$(awk '/^insts/ { n += $3 } END { print n }' out/*.traceg)
			[ "$(awk '$1 == "gpgpu_n_tot_w_icount" { n = $2 } END { print n }' figures)" = "$insts" ]
			rm -r out figures
		done
	done
}

@test "the stream equals the directory for any number of threads" {
	trace-exec -q -o one --as sass -j 1 -C . "$EXAMPLES/matmul.launch"
	trace-exec -q -o two --as sass -j 2 -C . "$EXAMPLES/matmul.launch"
	diff -r one two
	trace-exec -q --as sass -j 2 -C . "$EXAMPLES/matmul.launch" >out.tpack
	mkdir unpacked
	trace-pack -q -d -C unpacked out.tpack
	diff -r one unpacked
}

@test "parameters, constants, copies and address sums need no instructions of their own" {
	kernel <<-'END'
		cvta.to.global.u64 %rd2, %rd1;
		mul.wide.u32 %rd3, %r2, 4;
		add.s64 %rd4, %rd2, %rd3;
		add.s64 %rd5, %rd4, 128;
		mov.u32 %r3, %ntid.x;
		mov.u32 %r4, %r2;
		add.s32 %r5, %r4, %r3;
		add.s32 %r6, %r2, 77;
		st.global.u32 [%rd5+4], %r5;
	END
	run -0 code a100
	assert_output "$(printf '%s\n' '1 R1 MOV 0 0 0' '0 ULDC.64 0 0 0' '1 R0 S2R 0 0 0' '1 R2 MOV 0 0 0' \
		'1 R2 IMAD.WIDE 2 R0 R2 0 0' '1 R0 IADD3 1 R0 0 0' '0 STG.E 2 R2 R0 4 1 0xc0000084 4 0' '0 EXIT 0 0 0')"
	run -0 code titanx
	assert_output "$(printf '%s\n' '1 R1 MOV 0 0 0' '1 R0 S2R 0 0 0' '1 R2 SHL 1 R0 0 0' '1 R3 SHR.U32 1 R0 0 0' \
		'1 R4 IADD 1 R2 0 0' '1 R5 IADD.X 1 R3 0 0' '1 R0 IADD 1 R0 0 0' '0 STG.E 2 R4 R0 4 1 0xc0000084 4 0' \
		'0 EXIT 0 0 0')"
	run -0 head -3 out/kernel-1.traceg
	run -0 grep -c '^-binary version = 61$' out/kernel-1.traceg
}

@test "copies of a register to itself, direct or through other registers, produce no instruction" {
	kernel <<<'mov.b64 %rd9, %rd9; st.global.u64 [%rd1], %rd9;'
	run -0 timeout 20 trace-exec -q --no-check -o self --as sass -g a100 k.launch
	kernel <<<'mov.b64 %rd4, %rd5; mov.b64 %rd5, %rd6; mov.b64 %rd6, %rd4; st.global.u64 [%rd1], %rd6;'
	run -0 timeout 20 trace-exec -q --no-check -o cycle --as sass -g a100 k.launch
	run -0 diff self/kernel-1.traceg cycle/kernel-1.traceg
}

@test "a copy is not reused after its register was written again" {
	kernel <<-'END'
		mov.u32 %r3, %r2;
		mov.u32 %r4, %r3;
		add.s32 %r3, %r3, 1;
		add.s32 %r5, %r4, %r3;
		mul.lo.s32 %r6, %r5, %r3;
		add.s32 %r3, %r3, 1;
		add.s32 %r7, %r6, %r3;
		st.global.u32 [%rd1], %r7;
	END
	run -0 code qv100
	assert_output "$(printf '%s\n' '1 R1 MOV 0 0 0' '1 R0 S2R 0 0 0' '1 R0 MOV 1 R0 0 0' '1 R2 MOV 1 R0 0 0' \
		'1 R0 IADD3 1 R0 0 0' '1 R2 IADD3 2 R2 R0 0 0' '1 R2 IMAD 2 R2 R0 0 0' '1 R0 IADD3 1 R0 0 0' \
		'1 R0 IADD3 2 R2 R0 0 0' '1 R2 MOV 0 0 0' '1 R3 MOV 0 0 0' '0 STG.E 2 R2 R0 4 1 0xc0000000 0 0' \
		'0 EXIT 0 0 0')"
}

@test "64-bit values occupy register pairs, and vectors occupy consecutive registers" {
	kernel <<-'END'
		ld.global.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1];
		st.global.v4.f32 [%rd1+16], {%f1,%f2,%f3,%f4};
		st.global.v2.f32 [%rd1+32], {%f4,%f1};
		ld.global.u64 %rd2, [%rd1];
		add.s64 %rd3, %rd2, 5;
		setp.lt.s64 %p1, %rd3, %rd2;
		@%p1 st.global.u64 [%rd1+8], %rd3;
	END
	run -0 code rtx2060
	assert_output "$(printf '%s\n' '1 R1 MOV 0 0 0' '1 R2 MOV 0 0 0' '1 R3 MOV 0 0 0' \
		'1 R4 LDG.E.128 1 R2 16 1 0xc0000000 0 0' '0 STG.E.128 2 R2 R4 16 1 0xc0000010 0 0' \
		'1 R8 MOV 1 R7 0 0' '1 R9 MOV 1 R4 0 0' '0 STG.E.64 2 R2 R8 8 1 0xc0000020 0 0' \
		'1 R4 LDG.E.64 1 R2 8 1 0xc0000000 0 0' '1 R6 IADD3 1 R4 0 0' '1 R7 IADD3.X 1 R5 0 0' \
		'0 ISETP.LT.U32.AND 2 R6 R4 0 0' '0 ISETP.LT.AND.EX 2 R7 R5 0 0' '0 STG.E.64 2 R2 R6 8 1 0x0 0 0' \
		'0 EXIT 0 0 0')"
}

@test "adjacent words of shared memory are loaded by one instruction" {
	prologue='mov.u32 %r3, s; shl.b32 %r4, %r2, 4; add.s32 %r5, %r3, %r4; add.s32 %r6, %r5, 4; shl.b32 %r7, %r2, 2; add.s32 %r8, %r3, %r7;'
	store='add.s32 %r20, %r10, %r11; add.s32 %r21, %r12, %r13; add.s32 %r22, %r20, %r21; st.global.u32 [%rd1], %r22;'
	loads() { run -0 code qv100; run -0 bash -c "grep -o '[A-Z]*LDS.*' <<<'$output'"; }
	# the loads are out of order and use two bases: the trace has the lowest address
	kernel <<<"$prologue ld.shared.u32 %r11, [%r6]; ld.shared.u32 %r10, [%r5]; ld.shared.u32 %r13, [%r5+12]; ld.shared.u32 %r12, [%r6+4]; $store"
	loads
	assert_output --regexp '^LDS\.128 1 R[0-9]+ 16 1 0x0 16 0$'
	# two pairs, of which a store separates the second
	kernel <<<"$prologue ld.shared.u32 %r10, [%r5]; ld.shared.u32 %r11, [%r5+4]; ld.shared.u32 %r12, [%r5+8]; st.shared.u32 [%r5+8], %r11; ld.shared.u32 %r13, [%r5+12]; $store"
	loads
	assert_line --index 0 --regexp '^LDS\.64 1 R[0-9]+ 8 1 0x0 16 0$'
	assert_line --index 1 --regexp '^LDS 1 R[0-9]+ 4 1 0x8 16 0$'
	assert_line --index 2 --regexp '^LDS 1 R[0-9]+ 4 1 0xc 16 0$'
	# the address is a multiple of 4, but not of 8
	kernel <<<"$prologue ld.shared.u32 %r10, [%r8]; ld.shared.u32 %r11, [%r8+4]; ld.shared.u32 %r12, [%r8+8]; ld.shared.u32 %r13, [%r8+12]; $store"
	loads
	[ "${#lines[@]}" = 4 ]
	# volatile loads, and a base that changes between loads
	kernel <<<"$prologue ld.volatile.shared.u32 %r10, [%r5]; ld.volatile.shared.u32 %r11, [%r5+4]; ld.shared.u32 %r12, [%r5+8]; add.s32 %r5, %r5, 16; ld.shared.u32 %r13, [%r5+12]; $store"
	loads
	[ "${#lines[@]}" = 4 ]
}

@test "generic addresses are inside the windows that the header names" {
	kernel <<-'END'
		cvta.shared.u64 %rd2, s;
		st.u32 [%rd2+8], %r2;
		ld.u32 %r3, [%rd1];
		st.u32 [%rd2+8], %r3;
	END
	run -0 code a100
	assert_line --regexp '^0 ST\.E 2 R2 R[0-9]+ 4 1 0x7f0000000008 0 0$'
	assert_line --regexp '^1 R[0-9]+ LD\.E 1 R[0-9]+ 4 1 0xc0000000 0 0$'
	run -0 trace-sim -q -g a100 -o figures out
	[ "$(figure figures gpgpu_n_shmem_insn)" = 64 ]
}

@test "signed local loads of 2 bytes run at any multiple of 2 on both cores" {
	kernel <<-'END'
		.local .align 4 .b8 l[8];
		mov.u32 %r3, l;
		st.local.u16 [%r3+2], %r2;
		ld.local.s16 %r4, [%r3+2];
		st.global.u32 [%rd1], %r4;
	END
	run -0 code a100-40
	assert_line --regexp '^1 R[0-9]+ LDL\.S16 .* 2 1 0x1f880002|^1 R[0-9]+ LDL\.S16 .* 2 1 0x2 '
	for core in accelsim modern; do
		run -0 trace-sim -q -g a100-40 -D "core_model=$core" -o figures.$core out
	done
	run -0 trace-lint -Werror -W address-window=off out
	assert_line --partial 'note: local-narrow: local addresses from 0x'
}

@test "a constant that a loop needs in a register is loaded before the loop" {
	kernel <<-'END'
		mov.u32 %r3, 0;
		L: mad.lo.s32 %r4, %r3, 12345, %r1;
		st.global.u32 [%rd1], %r4;
		add.s32 %r3, %r3, 1;
		setp.lt.s32 %p1, %r3, %r1;
		@%p1 bra L;
	END
	run -0 code qv100
	for i in 1 2 3; do assert_line --index $i --regexp '^1 R[0-9]+ MOV 0 0 0$'; done
	[ "$(grep -c MOV <<<"$output")" = 5 ]
	[ "$(grep -c IMAD <<<"$output")" = 9 ]
}

@test "the most recent constants of a block stay in registers" {
	for i in {1..18} 17; do echo "st.global.u32 [%rd1], $i;"; done | kernel
	run -0 code qv100
	# the stack pointer, tid.x, two halves of the address and 18 constants
	[ "$(grep -c 'MOV\|S2R' <<<"$output")" = 21 ]
}

@test "too many live values and instructions that the GPU lacks are rejected with their place" {
	{
		for i in {3..290}; do echo "ld.global.u32 %r$i, [%rd1+$i*4];"; done | sed 's/+\([0-9]*\)\*4/+4/'
		for i in {3..290}; do echo "st.global.u32 [%rd1], %r$i;"; done
	} | kernel
	run -2 trace-exec -q -o out --as sass k.launch
	assert_output --partial 'k.ptx:2'
	assert_output --partial 'out of registers (--as sass does not spill)'
	kernel <<<'redux.sync.add.s32 %r3, %r2, -1; st.global.u32 [%rd1], %r3;'
	run -2 trace-exec -q -o out --as sass -g qv100 k.launch
	assert_output --partial "k.ptx:15:1: error: 'redux.sync.add.s32' has no instruction on a GPU of binary version 70"
	run -0 code a100
	assert_line --regexp '^1 R[0-9]+ REDUX 1 R[0-9]+ 0 0$'
}

@test "wrong options are rejected" {
	run -2 trace-exec -o out --as elf basic.launch
	assert_output --partial "unknown value 'elf' of --as (expected ptx or sass)"
	run -2 trace-exec -o out -g a100 basic.launch
	assert_output --partial 'a GPU requires --run, --as sass or machine code'
	run -2 trace-exec -o out --as sass -g titan basic.launch
	assert_output --partial 'compute capability 3.5 is not supported (expected 6.0 to 12.0)'
	run -2 trace-exec -o out --as sass -D gpgpu_compute_capability_minor=3 basic.launch
	assert_output --partial 'compute capability 8.3'
	[ ! -e out ]
}

@test "--as sass works for programs under --run" {
	stub_library libcudart.so libcudart.so.13 .
	ln -s libcudart.so libcudart.so.13
	program vecadd vecadd "ptx:70:$ROOT/tests/data/cudart/kernels.ptx"
	run -0 env LD_LIBRARY_PATH=. "$BUILD/trace-exec" -o out --as sass -g a100 --run ./vecadd 500
	assert_output '0 of 500 elements are wrong'
	run -0 trace-lint -Werror out
	run -0 grep -c ' FADD ' out/kernel-1.traceg
	run -0 grep -x -e '-binary version = 80' out/kernel-1.traceg
}
