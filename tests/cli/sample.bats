#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-sim --sample-blocks: a long kernel is stopped and marked, a short one is not, for any number of threads.

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

sim() { trace-sim -q -g rtx3070 -D gpgpu_n_clusters=2 "$@"; }
figure() { stats-csv -q -s "$1" "$2" | tr -d '\r' | awk -F, 'END { print $NF }'; }

@test "a long kernel is stopped early, and its record says which part it represents" {
	long=$(trace reduce -n 200)
	sim -F json -o all.json "$long"
	sim -F json -o some.json --sample-blocks "$long"
	grep -q '"sampled":1,"blocks_simulated":[0-9]*,"blocks":1200,"cycles_simulated":[0-9]*,"cycles_low":' some.json
	grep -q '"sample_blocks":true' some.json
	! grep -q sampled all.json
	# Accesses are proportional to the blocks; cycles are an estimate, and the whole kernel is within its interval.
	awk -v a="$(figure L2_total_cache_accesses all.json)" -v b="$(figure L2_total_cache_accesses some.json)" \
		'BEGIN { exit !(b > 0.99 * a && b < 1.01 * a) }'
	all=$(figure gpu_sim_cycle all.json) some=$(figure gpu_sim_cycle some.json)
	low=$(sed -n 's/.*"cycles_low":\([0-9.]*\).*/\1/p' some.json) high=$(sed -n 's/.*"cycles_high":\([0-9.]*\).*/\1/p' some.json)
	awk -v a="$all" -v b="$some" -v l="$low" -v h="$high" \
		'BEGIN { exit !(b > 0.98 * a && b < 1.02 * a && l <= a && a <= h && l < b && b < h) }'
	awk -v c="$some" -v i="$(figure gpu_sim_insn some.json)" -v r="$(figure gpu_ipc some.json)" \
		'BEGIN { exit !(r > 0.999 * i / c && r < 1.001 * i / c) }'
	sim -F text --sample-blocks "$long" >some.txt
	for f in gpu_sim_cycle gpu_sim_insn; do [ "$(figure $f some.txt)" = "$(figure $f some.json)" ]; done
	sim -j 3 -F json --sample-blocks "$long" | cmp - some.json
}

@test "where thread blocks end together, the interval includes the last part of a wave" {
	long=$(trace reduce -n 200)
	for clusters in 1 2 3 4; do
		sim -D gpgpu_n_clusters=$clusters -F json -o all.json "$long"
		sim -D gpgpu_n_clusters=$clusters -F json --sample-blocks "$long" >some.json
		all=$(figure gpu_sim_cycle all.json)
		sed -n 's/.*"cycles_low":\([0-9.]*\),"cycles_high":\([0-9.]*\).*/\1 \2/p' some.json |
			awk -v a="$all" '{ n++; held += $1 <= a && a <= $2 } END { exit !(n == 1 && held) }'
		rm all.json
	done
}

@test "a kernel runs on while it fills the L2 or its waves differ" {
	# For many waves the times are alike; then they become a third shorter, because loads begin to hit.
	sim -F json --sample-blocks "$(trace vecadd -n 200)" >some.json
	! grep -q '"sampled"' some.json
}

@test "short kernels run completely, with the same figures" {
	sim -F json "$(trace example)" >all.json
	sim -F json --sample-blocks "$(trace example)" >some.json
	! grep -q '"sampled"' some.json
	stats-diff -q all.json some.json
}

@test "--sample-blocks rejects options with which it cannot be combined" {
	run -2 sim -F accelsim --sample-blocks "$(trace example)"
	assert_output --partial '--sample-blocks cannot be used with -F accelsim'
	run -2 sim --isolate --sample-blocks "$(trace example)"
	run -2 sim --sample-blocks -D gpgpu_concurrent_kernel_sm=1 "$(trace example)"
	assert_output --partial '--sample-blocks requires that kernels run one after the other'
}
