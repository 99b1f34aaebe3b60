#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Traces from PTX: tests/data/ptx-trace has one that uses every part of the dialect.

bats_require_minimum_version 1.5.0
load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	T="$ROOT/tests/data/ptx-trace"
}

figure() { awk -v name="$2" '$1 == name { print $2; exit }' "$1"; }

@test "trace-sim times a trace from PTX" {
	run -0 trace-sim -q -g qv100 -o out "$T"
	[ "$(figure out gpu_sim_cycle)" = 5773 ]
	[ "$(figure out gpu_sim_insn)" = 1360 ]
	[ "$(figure out gpgpu_n_tot_w_icount)" = 90 ]
	[ "$(figure out gpgpu_n_param_mem_insn)" = 160 ]
	[ "$(figure out gpgpu_n_shmem_insn)" = 160 ]
}

@test "any number of threads and the packed form give the same bytes" {
	run -0 trace-sim -q -g qv100 -j 1 -o one "$T"
	run -0 trace-sim -q -g qv100 -j 2 -o two "$T"
	cmp one two
	run -0 trace-pack -q -o t.tpack "$T"
	run -0 trace-sim -q -g qv100 -j 1 -o packed t.tpack
	cmp one packed
	mkdir u
	run -0 trace-pack -q -d -C u t.tpack
	diff -r u "$T"
}

@test "a stream from a version before the preset words of PTX is read" {
	[ "$(od -An -j7 -N1 -tu1 "$ROOT/tests/data/ptx/lined.tpack")" -eq 10 ]
	run -0 trace-pack -t "$ROOT/tests/data/ptx/lined.tpack"
	mkdir old
	run -0 trace-pack -q -d -C old "$ROOT/tests/data/ptx/lined.tpack"
	run -0 trace-pack -q -o new.tpack old
	[ "$(od -An -j7 -N1 -tu1 new.tpack)" -eq 26 ]
	[ "$(wc -c <new.tpack)" -lt "$(wc -c <"$ROOT/tests/data/ptx/lined.tpack")" ]
	mkdir again
	run -0 trace-pack -q -d -C again new.tpack
	diff -r old again
	run -0 cksum old/kernel-1.traceg
	assert_output --partial '184285182 '
}

@test "instructions wait for registers with numbers beyond those of machine code" {
	mkdir far
	cp "$T"/* far
	sed -i '/^-code/s/ \([DSVPA]\)\([0-9][0-9]*\)/ \16\2/g' far/kernel-1.traceg
	run -0 trace-sim -q -g qv100 -o near.out "$T"
	run -0 trace-sim -q -g qv100 -o far.out far
	[ "$(figure far.out gpu_sim_cycle)" = "$(figure near.out gpu_sim_cycle)" ]
	mkdir farther
	sed '/^-code/s/ \([DSVPA]\)\([0-9][0-9]*\)/ \160\2/g' "$T/kernel-1.traceg" >farther/kernel-1.traceg
	cp "$T/kernelslist.g" farther
	run -0 trace-sim -q -g qv100 -o farther.out --profile p farther
	[ "$(figure farther.out gpu_sim_cycle)" = "$(figure near.out gpu_sim_cycle)" ]
}

@test "the two-level scheduler looks at instructions after a branch that are not executed" {
	run -0 trace-exec -q -o flow "$ROOT/tests/data/ptx/flow.launch"
	small=(-D gpgpu_n_clusters=2 -D gpgpu_n_mem=2 -D gpgpu_memory_partition_indexing=0 -D gpgpu_kernel_launch_latency=50)
	while read -r scheduler cycles; do
		run -0 trace-sim -q -g qv100 "${small[@]}" -D gpgpu_scheduler="$scheduler" -f -o out flow
		[ "$(figure out gpu_sim_cycle)" = "$cycles" ]
	done <<-end
		lrr 1133
		two_level_active:2:0:1 1191
		two_level_active:6:0:1 1136
	end
}

@test "a kernel from PTX ends after the write-backs of its L1" {
	run -0 trace-exec -q -o writes "$ROOT/tests/data/ptx/writes.launch"
	small=(-D gpgpu_n_clusters=2 -D gpgpu_n_mem=2 -D gpgpu_memory_partition_indexing=0 -D gpgpu_kernel_launch_latency=50)
	run -0 trace-sim -q -g qv100 "${small[@]}" -D gpgpu_adaptive_cache_config=0 \
		-D gpgpu_cache:dl1=S:4:128:4,L:L:m:L:L,A:512:8,16:0,32 -F accelsim -o out writes
	[ "$(grep -c '^gpu_sim_cycle = 728$' out)" = 2 ]
	run -0 grep -c 'L1_WRBK_ACC..TOTAL_ACCESS. = 248$' out
}

@test "kernels of several streams run at once where they may" {
	total() { awk '$1 == "gpu_tot_sim_cycle" { v = $2 } END { print v }' "$1"; }
	awk -v d="$ROOT/tests/data/ptx/" '/^module/ { $2 = d $2 } /^launch/ { sub(/args/, "stream=" ++n " args") } 1' \
		"$ROOT/tests/data/ptx/writes.launch" >two.launch
	run -0 trace-exec -q -o two two.launch
	run -0 trace-sim -q -g qv100 -o turns two
	for j in 1 2; do
		run -0 trace-sim -q -g qv100 -D ptx_streams=1 -j $j -o "at-once-$j" two
	done
	cmp at-once-1 at-once-2
	[ "$(grep -c '^gpu_sim_cycle' at-once-1)" = 3 ] # two kernels, the run
	[ "$(total at-once-1)" -lt $(($(total turns) * 3 / 4)) ]
	run -0 trace-exec -q -o one "$ROOT/tests/data/ptx/writes.launch"
	run -0 trace-sim -q -g qv100 -o turns.one one
	run -0 trace-sim -q -g qv100 -D ptx_streams=1 -o at-once.one one
	[ "$(total turns.one)" = "$(total at-once.one)" ]
}

@test "local variables outside functions are below all frames" {
	run -0 trace-exec -q -C . -o outside "$ROOT/tests/data/ptx/outside.launch"
	run -0 od -An -v -tu4 -w4 outside.bin
	[ "$(seq -f '%11.0f' 1107 1138)" = "$output" ]
}

@test "options set PTX latencies and vector widths" {
	run -0 trace-sim -q -g qv100 -o plain "$T"
	run -0 trace-sim -q -g qv100 -D ptx_opcode_latency_fp=4,13,4,5,200 -o slow "$T"
	[ "$(figure slow gpu_sim_cycle)" -gt "$(figure plain gpu_sim_cycle)" ]
	run -0 trace-sim -q -g qv100 -D ptx_vector_access=1 -o wide "$T"
	[ "$(figure wide gpgpu_n_mem_read_global)" -ge "$(figure plain gpgpu_n_mem_read_global)" ]
	run -2 trace-sim -q -g qv100 -D ptx_opcode_initiation_fp=9,9,9,9 -o bad "$T"
	assert_output --partial ptx_opcode_initiation_fp
	run -2 trace-sim -q -g qv100 -D core_model=modern -o bad "$T"
	run -2 trace-sim -q -g qv100 -D ptx_opcode_initiation_fp=1,1,1,99,1 -o bad "$T"
	assert_output --partial "initiation interval 99"
}

@test "constants and textures go through their caches" {
	run -0 trace-sim -q -g qv100 -D gpgpu_perfect_inst_const_cache=0 -o real "$T"
	[ "$(figure real L1C_total_cache_accesses)" -gt 0 ]
	mkdir tex
	cp "$T"/* tex
	sed -i 's/ld\.global\.v2\.f32/tex.1d.v2.f32.s32/' tex/kernel-1.traceg
	run -0 trace-sim -q -g qv100 -o tex.out tex
	[ "$(figure tex.out L1T_total_cache_accesses)" -gt 0 ]
	[ "$(figure tex.out gpgpu_n_tex_insn)" -gt 0 ]
}

@test "trace-lint knows the PTX dialect" {
	run -0 trace-lint "$T/kernel-1.traceg"
	assert_line --partial "order-dependent"
	assert_line --partial "0 errors, 0 warnings"
}

@test "an unknown opcode is reported at its position in the header, as text and packed" {
	mkdir odd
	cp "$T"/* odd
	sed -i 's/^\(-code 0008 \)[a-z.0-9_]*/\1frob.u32/' odd/kernel-1.traceg
	line=$(grep -n 'frob' odd/kernel-1.traceg | cut -d: -f1)
	run trace-lint odd/kernel-1.traceg
	assert_line --partial "odd/kernel-1.traceg:$line:12: warning: opcode-unknown: "
	run trace-pack -q -o odd.tpack odd
	run trace-lint odd.tpack
	assert_line --regexp ":$line:12: warning: opcode-unknown: "
	run -0 trace-sim -g qv100 -o odd.out odd
	assert_line --partial "odd/kernel-1.traceg:$line:12: warning: "
}
