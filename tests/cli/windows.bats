#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Windows: the same bytes for any division into windows. WARPTOOLS_WINDOW is the greatest length; 1: single steps.

bats_require_minimum_version 1.5.0
load helper

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# same TRACE OPTION...: compares single steps with windows of several lengths, with one thread and with two
same() {
	local d=$1 w
	shift
	WARPTOOLS_WINDOW=1 trace-sim -q -F json "$@" "$d" >steps
	for w in 2 31 256; do
		WARPTOOLS_WINDOW=$w trace-sim -q -F json "$@" "$d" >windows
		cmp steps windows
	done
	trace-sim -q -j 2 -F json "$@" "$d" >windows
	cmp steps windows
}

@test "equal results with windows: each recipe of the generator on two GPUs" {
	for r in vecadd gather gemm atomics ldgsts stream spaces streams; do
		same "$(trace $r -n 3)" -g rtx3070
		same "$(trace $r -n 3)" -g qv100
	done
}

@test "equal results with windows: modern cores, sequential thread blocks, an L2 of two sides" {
	for r in vecadd gather gemm ldgsts; do
		same "$(trace $r -n 6)" -g a100-40 -D gpgpu_n_clusters=4
		same "$(trace $r -n 4)" -g h100-pcie -D icnt_in_buffer_limit=9
	done
	same "$(trace launches)" -g h100-pcie -D gpgpu_n_clusters=4
}

@test "equal results with windows of many lengths" {
	d=$(trace gather -n 2)
	WARPTOOLS_WINDOW=1 trace-sim -q -F accelsim -g qv100 "$d" >steps
	for ((w = 2; w <= 160; w += 1 + w / 16)); do
		WARPTOOLS_WINDOW=$w trace-sim -q -F accelsim -g qv100 "$d" >windows
		cmp steps windows
	done
}

@test "equal results with windows: few SMs, so that thread blocks end while others wait" {
	for r in vecadd gemm atomics; do
		same "$(trace $r -n 40)" -g rtx3070 -D gpgpu_n_clusters=3
		same "$(trace $r -n 40)" -g qv100 -D gpgpu_n_clusters=3 -D gpgpu_n_cores_per_cluster=2 \
			-D gpgpu_simt_core_sim_order=1 -D gpgpu_shader_cta=3
	done
}

@test "equal results with windows: full buffers, and latencies beyond half of 32 bits" {
	for o in icnt_in_buffer_limit=4 icnt_in_buffer_limit=40 icnt_out_buffer_limit=2 icnt_out_buffer_limit=20 \
		gpgpu_n_cluster_ejection_buffer_size=1 gpgpu_n_ldst_response_buffer_size=1 \
		gpgpu_l2_rop_latency=4294967295 dram_latency=4294967295 \
		gpgpu_dram_partition_queues=4:2:2:2 gpgpu_frfcfs_dram_sched_queue_size=2; do
		same "$(trace gather -n 4)" -g rtx3070 -D $o
	done
}

# network TEXT: writes net.icnt, a network of one virtual channel
network() {
	local class
	{
		echo "use_map = 0; subnets = 2; sim_type = gpgpusim; flit_size = 40; network_count = 2; num_vcs = 1;"
		for class in read_request write_request read_reply write_reply; do
			echo "${class}_begin_vc = 0; ${class}_end_vc = 0; ${class}_subnet = $([[ $class = *reply ]]; echo $((!$?)));"
		done
		echo "input_buffer_size = 16; ejection_buffer_size = 16; boundary_buffer_size = 16; vc_buf_size = 8;"
		echo "internal_speedup = 1.0; $1"
	} >net.icnt
}

@test "windows: BookSim networks use none, and two threads give the same figures" {
	booksim="-g rtx3070 -D gpgpu_n_clusters=8 -D gpgpu_n_mem=4 -D gpgpu_memory_partition_indexing=0 -D network_mode=1"
	booksim+=" -D inter_config_file=net.icnt"
	for t in "topology = fly; k = 16; n = 1; routing_function = dest_tag; internal_speedup = 1.5;" \
		"topology = mesh; k = 4; n = 2; routing_function = dor;"; do
		network "$t"
		same "$(trace gather -n 2)" $booksim
		same "$(trace atomics -n 1)" $booksim -D gpgpu_clock_domains=1500:700:900:850
		trace-sim -q $booksim -F json -f -o r --profile p.json "$(trace gather -n 1)"
		grep -q '"windows":0,' p.json
		grep -q 'window.network' p.json
	done
}

# Prints options chosen by a seed, one a line
options() {
	local x=$1 i
	local -a all=(gpgpu_l2_rop_latency={1,2,9,60,500} icnt_in_buffer_limit={3,12,100} icnt_out_buffer_limit={3,12,100}
		icnt_arbiter_algo={0,1} gpgpu_clock_domains={1000:700:900:850,700:1500:1300:3000,1000:1000:333:2000}
		gpgpu_n_clusters={1,2,5,13} gpgpu_n_cores_per_cluster={1,3} gpgpu_simt_core_sim_order={0,1}
		gpgpu_n_mem={1,3,8} gpgpu_n_sub_partition_per_mchannel={1,4} gpgpu_runtime_stat={37,211,5000}
		gpgpu_flush_l1_cache={0,1} gpgpu_flush_l2_cache={0,1} gpgpu_max_cycle={501,2222}
		gpgpu_kernel_launch_latency={0,700} gpgpu_max_insn_issue_per_warp={1,2} gpgpu_scheduler={gto,lrr}
		gpgpu_simple_dram_model={0,1} icnt_cluster_ports={1,3} gpgpu_dram_partition_queues={4:1:1:1,9:5:5:5}
		gpgpu_mem_unit_ports={1,2} gpgpu_inst_fetch_throughput={1,2} gpgpu_perfect_inst_const_cache={0,1})

	for ((i = 0; i < 7; i++)); do
		x=$(((x * 1103515245 + 12345) % 2147483648))
		echo "-D ${all[(x >> 8) % ${#all[@]}]}"
	done
}

@test "equal results with windows: random options" {
	local -a recipes=(vecadd gather gemm atomics ldgsts stream)
	local -a gpus=(rtx3070 qv100 rtx3070 qv100 l40)
	tried=0
	for ((seed = 1; seed <= 32; seed++)); do
		d=$(trace ${recipes[seed % 6]} -s $seed -n 3)
		# shellcheck disable=SC2046
		set -- -g ${gpus[seed % 5]} $(options $seed)
		WARPTOOLS_WINDOW=1 trace-sim -q "$@" -D gpgpu_max_cycle=1 "$d" >refused 2>&1 || continue
		same "$d" "$@"
		tried=$((tried + 1))
	done
	[ $tried -gt 15 ]
}

@test "windows: intervals, samples and limits end at the right cycle" {
	d=$(trace gemm -n 8)
	same "$d" -g rtx3070 -D gpgpu_n_clusters=4 --interval 333
	same "$d" -g rtx3070 -D gpgpu_n_clusters=4 -D gpgpu_max_cycle=3001
	same "$d" -g rtx3070 -D gpgpu_n_clusters=4 -D gpgpu_max_insn=200000
	same "$d" -g rtx3070 -D gpgpu_n_clusters=4 -D gpgpu_max_completed_cta=5
	for w in 1 128; do
		WARPTOOLS_WINDOW=$w trace-sim -q -f -o r$w -g rtx3070 --timeline t$w --timeline-interval 77 "$d"
	done
	cmp t1 t128
	cmp r1 r128
}

@test "equal results with windows: sampled blocks" {
	same "$(trace vecadd -n 2000)" -g rtx3070 -D gpgpu_n_clusters=4 --sample-blocks
}

@test "windows: the first fault in time, then in the order of SMs, is reported" {
	d=$(trace spaces -n 8)
	cp -r "$d" app
	sed -i 's/\(STL[.0-9A-Z]* .* 4 1 0x[0-9a-f]*\)[048c] /\11 /' app/kernel-1.traceg
	WARPTOOLS_WINDOW=1 run ! trace-sim -q -g qv100 app
	one=$output
	for w in 2 7 128; do
		WARPTOOLS_WINDOW=$w run ! trace-sim -q -g qv100 app
		[ "$output" = "$one" ]
	done
	run ! trace-sim -q -j 2 -g qv100 app
	[ "$output" = "$one" ]
}

@test "windows: the profile has their length and the reason for their end" {
	d=$(trace gather -n 4)
	trace-sim -q -g qv100 -F json -o r --profile p.json "$d"
	python3 - <<-'END'
	import json
	s = [json.loads(l) for l in open("p.json")][-1]["stats"]
	by = {k[7:-1]: v for k, v in s.items() if k.startswith("window[")}
	assert s["windows"] > 20 and s["window_cycles"] > 8 * s["windows"], s
	assert sum(by.values()) == s["windows"] + s["window_steps"], by
	assert s["windows"] <= s["window_phases"] <= 3 * s["windows"], s
	assert by["sample"] > 0 and by["tail"] > 0 and "events" not in by, by
	END
	WARPTOOLS_WINDOW=1 trace-sim -q -g qv100 -F json -f -o r --profile p.json "$d"
	grep '"windows":0,' p.json
}
