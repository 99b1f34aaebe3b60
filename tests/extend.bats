#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# A policy or a network is one file and its rows: trace-sim built with those of tests/extend runs them, and knows all others.
bats_require_minimum_version 1.5.0
load helper

setup_file() {
	make -s -C "$BATS_TEST_DIRNAME/.." BUILD="$BUILD" extended
	export SIM="$BUILD/extend/trace-sim"
	tracegen example "$BATS_FILE_TMPDIR/app"
}

cycles() { "$SIM" -q -g rtx3070 "$@" "$BATS_FILE_TMPDIR/app" | awk '$1 == "gpu_tot_sim_cycle" { c = $2 } END { print c }'; }

@test "a warp scheduler from outside the tree" {
	run -0 cycles -D gpgpu_scheduler=youngest
	[ "$output" -gt 1000 ]
	[ "$output" = "$(cycles -j 2 -D gpgpu_scheduler=youngest)" ]
	[ "$output" != "$(cycles -D gpgpu_scheduler=lrr)" ]
}

@test "a replacement policy from outside the tree" {
	l1=S:4:128:64,Q:T:m:L:L,A:384:48,16:0,32
	run -0 cycles -D gpgpu_cache:dl1=$l1
	[ "$output" -gt 1000 ]
}

@test "a rule of dependence from outside the tree" {
	run -0 cycles -D core_dependence=in_turn
	[ "$output" -gt "$(cycles)" ]
	[ "$output" = "$(cycles -j 2 -D core_dependence=in_turn)" ]
	run -2 "$SIM" -g a100 -D core_model=modern -D core_dependence=in_turn "$BATS_FILE_TMPDIR/app"
	[[ $output == *"auto, control or scoreboard"* ]]
	run -2 trace-sim -g rtx3070 -D core_dependence=in_turn "$BATS_FILE_TMPDIR/app"
	[[ $output == *core_dependence* ]]
}

@test "a network from outside the tree: as a fly of one stage, which has the same router" {
	local machine="-D gpgpu_n_clusters=4 -D gpgpu_n_mem=2 -D gpgpu_memory_partition_indexing=0 -D network_mode=1" of
	cd "$BATS_TEST_TMPDIR"
	for of in 'star direct' 'fly dest_tag'; do
		cat >"${of% *}.icnt" <<-END
		topology = ${of% *}; routing_function = ${of#* }; k = 8; n = 1; num_vcs = 16; vc_buf_size = 8;
		flit_size = 40; use_map = 0; subnets = 2; sim_type = gpgpusim;
		END
	done
	run -0 cycles $machine -D inter_config_file=star.icnt
	[ "$output" -gt 1000 ]
	[ "$output" = "$(cycles $machine -j 2 -D inter_config_file=star.icnt)" ]
	[ "$output" = "$(cycles $machine -D inter_config_file=fly.icnt)" ]
	run -2 trace-sim -g rtx3070 $machine -D inter_config_file=star.icnt "$BATS_FILE_TMPDIR/app"
	[[ $output == *"found 'topology = star', wanted mesh, "* ]]
}

@test "a counter from outside the tree" {
	"$SIM" -q -g rtx3070 -D gpgpu_scheduler=youngest "$BATS_FILE_TMPDIR/app" >"$BATS_TEST_TMPDIR/r"
	run -0 awk '$1 == "youngest_asked" && $3 == "cycles" && $2 > 1000' "$BATS_TEST_TMPDIR/r"
	[ "${#lines[@]}" = 3 ]
}

@test "its name is in the list of those that are wanted" {
	run -2 "$SIM" -g rtx3070 -D gpgpu_scheduler=none "$BATS_FILE_TMPDIR/app"
	[[ $output == *"warp_limiting:2:W, youngest"* ]]
	run -2 trace-sim -g rtx3070 -D gpgpu_scheduler=youngest "$BATS_FILE_TMPDIR/app"
	[[ $output == *gpgpu_scheduler* ]]
}
