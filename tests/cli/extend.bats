#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# A trace-sim that is built with a policy and its row from tests/extend runs the policy, and still has all others.
bats_require_minimum_version 1.5.0
load helper

setup_file() {
	make -s -C "$ROOT" extended
	export SIM="$ROOT/build/extend/trace-sim"
	tracegen example "$BATS_FILE_TMPDIR/app"
}

cycles() { "$SIM" -q -g rtx3070 "$@" "$BATS_FILE_TMPDIR/app" | awk '$1 == "gpu_tot_sim_cycle" { c = $2 } END { print c }'; }

@test "a warp scheduler can be added from outside the tree" {
	run -0 cycles -D gpgpu_scheduler=youngest
	[ "$output" -gt 1000 ]
	[ "$output" = "$(cycles -j 2 -D gpgpu_scheduler=youngest)" ]
	[ "$output" != "$(cycles -D gpgpu_scheduler=lrr)" ]
}

@test "a replacement policy can be added from outside the tree" {
	l1=S:4:128:64,Q:T:m:L:L,A:384:48,16:0,32
	run -0 cycles -D gpgpu_cache:dl1=$l1
	[ "$output" -gt 1000 ]
}

@test "a dependence rule can be added from outside the tree" {
	run -0 cycles -D core_dependence=in_turn
	[ "$output" -gt "$(cycles)" ]
	[ "$output" = "$(cycles -j 2 -D core_dependence=in_turn)" ]
	run -2 "$SIM" -g a100 -D core_model=modern -D core_dependence=in_turn "$BATS_FILE_TMPDIR/app"
	[[ $output == *"auto, control or scoreboard"* ]]
	run -2 trace-sim -g rtx3070 -D core_dependence=in_turn "$BATS_FILE_TMPDIR/app"
	[[ $output == *core_dependence* ]]
}

@test "a network can be added from outside the tree; the star equals a one-stage fly, which has the same router" {
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
	[[ $output == *"topology = star"* ]]
}

@test "a counter can be added from outside the tree" {
	"$SIM" -q -g rtx3070 -D gpgpu_scheduler=youngest "$BATS_FILE_TMPDIR/app" >"$BATS_TEST_TMPDIR/r"
	run -0 awk '$1 == "youngest_cycles" && $3 == "cycles" && $2 > 1000' "$BATS_TEST_TMPDIR/r"
	[ "${#lines[@]}" = 3 ]
}

# Prints a kernel in the raw form of the dialect: each line with its thread block and warp. FS is a blank.
guarded='
/^-binary/ { print "-isa = guarded" }
/^thread block = / { split($4, block, ",") }
/^warp = / { warp = $3 }
!/^[0-9a-f]/ { if (!raw || !/^(thread|warp|insts)|TB$/) print; next }
{
	dst = $3; for (i = 4; i < 4 + $3; i++) dst = dst " " $i
	op = $i; n = src = $(++i); while (n-- > 0) src = src " " $(++i)
	tail = ""; while (++i < NF) tail = tail " " $i
	if (raw) printf "%s %s %s %s ", block[1], block[2], block[3], warp
	print $1, $2, op ~ /^I/ ? "P2" : "PT", op, src, dst tail
}'

figures() { "$SIM" -q -g rtx3070 "$1" | awk '$1 == "gpu_tot_sim_cycle" { n++ } $1 != "hash"; END { exit n < 3 }'; }

@test "a dialect can be added from outside the tree, and is read, linted, packed and grouped" {
	local bin=${SIM%/*} of
	cd "$BATS_TEST_TMPDIR"
	mkdir app raw grouped
	cp "$BATS_FILE_TMPDIR/app/kernelslist.g" app
	for of in 1 2; do
		awk "$guarded" "$BATS_FILE_TMPDIR/app/kernel-$of.traceg" >app/kernel-$of.traceg
		awk -v raw=1 "$guarded" "$BATS_FILE_TMPDIR/app/kernel-$of.traceg" >raw/kernel-$of.trace
	done
	sed 's/traceg/trace/' app/kernelslist.g >raw/kernelslist
	figures "$BATS_FILE_TMPDIR/app" >want
	figures app | cmp - want
	"$bin/trace-pack" -o app.tpack app
	figures app.tpack | cmp - want
	[ "$(stat -c %s app.tpack)" -lt 900 ] # 54 KB of text
	"$bin/trace-pack" -d -C out app.tpack
	cmp out/kernel-1.traceg app/kernel-1.traceg
	"$bin/trace-pack" --group -C grouped raw
	figures grouped | cmp - want
	run -0 "$bin/trace-lint" -g rtx3070 app
	[[ $output == "app/kernel-2.traceg:25:38: note: address-window: "*"0 errors, 0 warnings, 64 notes"* ]]
	sed -i '0,/ PT /s// Q1 /' app/kernel-1.traceg
	run -1 "$bin/trace-lint" app
	[[ $output == *"kernel-1.traceg:"*": error: guard: "* ]]
	run -2 trace-sim -q -g rtx3070 app
	[[ $output == *"-isa = guarded"* ]]
}

@test "an added name appears in the list of expected values" {
	run -2 "$SIM" -g rtx3070 -D gpgpu_scheduler=none "$BATS_FILE_TMPDIR/app"
	[[ $output == *"warp_limiting:2:W, youngest"* ]]
	run -2 trace-sim -g rtx3070 -D gpgpu_scheduler=youngest "$BATS_FILE_TMPDIR/app"
	[[ $output == *gpgpu_scheduler* ]]
}
