#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-sim -j: the same bytes for any number of threads.

bats_require_minimum_version 1.5.0
load helper

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# same TRACE OPTION...: compares all formats for 1 thread with 2, 3 and 8
same() {
	local d=$1 form n
	shift
	for form in text json accelsim; do
		trace-sim -q -F $form "$@" "$d" >one
		for n in 2 3 8; do
			trace-sim -q -j $n -F $form "$@" "$d" >many
			cmp one many
		done
	done
}

@test "equal results with threads: loads and stores on many SMs" {
	same "$(trace gather -n 4)" -g qv100
	same "$(trace stream -n 4)" -g rtx3070
}

@test "equal results with threads: shared memory, atomics, barriers, asynchronous copies" {
	same "$(trace gemm -n 2)" -g rtx3070
	same "$(trace atomics -n 4)" -g qv100
	same "$(trace ldgsts -n 4)" -g rtx3070
}

@test "equal results with threads: several kernels at once" {
	same "$(trace streams -n 4)" -g rtx3070 -D gpgpu_concurrent_kernel_sm=1
}

@test "equal results with threads: several SMs in a cluster that take turns" {
	same "$(trace gather -n 4)" -g qv100 -D gpgpu_n_clusters=10 -D gpgpu_n_cores_per_cluster=4 \
		-D gpgpu_simt_core_sim_order=1
}

@test "equal results with threads: clock domains of different frequencies" {
	same "$(trace gather -n 4)" -g qv100 -D gpgpu_clock_domains=1132:700:900:850
}

@test "equal results with threads: buffers and queues that fill up" {
	d=$(trace gather -n 2)
	for o in gpgpu_l2_rop_latency=64 icnt_out_buffer_limit=100 icnt_in_buffer_limit=9 \
		gpgpu_dram_partition_queues=4:4:4:4; do
		same "$d" -g qv100 -D $o
	done
	for j in 1 2; do
		trace-sim -q -j $j -g qv100 -F json -f -o r --profile p$j "$d"
	done
	cmp p1 p2
}

@test "equal results with threads: random partitions and event logs" {
	d=$(trace gather -n 2)
	same "$d" -g qv100 -D gpgpu_memory_partition_indexing=4
	trace-sim -q -g qv100 -f -o r1 --events e1 "$d"
	trace-sim -q -j 8 -g qv100 -f -o r8 --events e8 "$d"
	cmp e1 e8
	cmp r1 r8
}

@test "-j accepts more threads than clusters and 0, and rejects invalid numbers" {
	d=$(trace vecadd)
	trace-sim -q -g rtx3070 "$d" >one
	trace-sim -q -j 64 -g rtx3070 "$d" | cmp - one
	trace-sim -q -j 0 -g rtx3070 "$d" | cmp - one
	run -2 trace-sim -j 65 -g rtx3070 x
	assert_output --partial "from 0 to 64"
	run -2 trace-sim -j two -g rtx3070 x
	run -2 trace-sim -j -1 -g rtx3070 x
}

@test "equal results with threads: the modern core" {
	same "$(trace gather -n 4)" -g h100-pcie
}

@test "threads: the first fault in the order of SMs is reported" {
	d=$(trace spaces -n 8)
	cp -r "$d" app
	# misaligned local accesses in each thread block
	sed -i 's/\(STL[.0-9A-Z]* .* 4 1 0x[0-9a-f]*\)[048c] /\11 /' app/kernel-1.traceg
	run ! trace-sim -q -g qv100 app
	one=$output
	for n in 2 3 8; do
		run ! trace-sim -q -j $n -g qv100 app
		[ "$output" = "$one" ]
	done
}

@test "threads: a fault found while reading ahead is reported when its turn comes" {
	d=$(trace vecadd -n 60)
	small="-g rtx3070 -D gpgpu_n_clusters=2"	# a machine for which most thread blocks have to wait
	cp -r "$d" app
	f=$(echo app/kernel-1.traceg*)
	# an unknown opcode in the middle, and an invalid line in the last thread block
	total=$(wc -l <"$f")
	sed -i -e "$((total / 2)),\$s/ FADD / FROBNICATE /" "$f"
	cp -r app broken
	sed -i "$((total - 40))s/.*/what is this/" "broken/${f##*/}"
	run trace-sim $small -D gpgpu_max_cycle=12000 app
	limited=$output
	run trace-sim $small app
	whole=$output
	run ! trace-sim $small broken
	one=$output
	for n in 2 8; do
		run trace-sim -j $n $small -D gpgpu_max_cycle=12000 app
		[ "$output" = "$limited" ]
		run trace-sim -j $n $small app
		[ "$output" = "$whole" ]
		run ! trace-sim -j $n $small broken
		[ "$output" = "$one" ]
	done
	[[ $whole == *FROBNICATE* ]]
	[[ $limited != *FROBNICATE* ]]
	[[ $one == *":$((total - 40)):"* ]]
}
