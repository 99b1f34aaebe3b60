#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-sim --selftest: probes of rows that name a level of the memory hierarchy, and of small kernels.

bats_require_minimum_version 1.5.0
load helper

HEAD='id\tgpu\tworkload\tparams\tmetric\tvalue\tunit\tmin\tmax\tclock_mhz\ttool\tsource\tnote\n'

setup() {
	cd "$BATS_TEST_TMPDIR"
	printf -- '-config %s/a100-80.config\n-gpgpu_n_clusters 4\n' "$ROOT/examples/gpus" >my.config
	printf "$HEAD" >my.measured
}

# Adds a row: id, workload, params, unit, tool.
row() { printf '%s\tme\t%s\t%s\tfigure\t100\t%s\t\t\t\t%s\tmine\t\n' "$@" >>my.measured; }

figures() { trace-sim --selftest -c my.config --measured my.measured -F tsv >out; }

figure() { awk -F'\t' -v id="$1" '$1 == id { print int($4 + 0.5) }' out; }

# With l2_far_latency 94, a far hit takes 94 cycles more than a near one. A chase of the L1 misses in 1 of 32 loads: the
# first of each 32 bytes in the first of 8 passes. A table that reads a level by another name is refused.
@test "selftest runs chases that name a level or a side of the L2" {
	row near pointer-chase 'L2 partition: near hit' cycles ''
	row far pointer-chase 'L2 partition: far hit' cycles ''
	row miss pointer-chase 'L2 partition: near miss' cycles ''
	row l1 pointer-chase L1 cycles ''
	row hit pointer-chase footprint_kB=16 cycles ''
	row shared pointer-chase 'shared memory' cycles ''
	row odd pointer-chase L3 cycles ''
	figures
	(( $(figure far) - $(figure near) >= 90 && $(figure far) - $(figure near) <= 98 ))
	(( $(figure miss) > $(figure near) + 200 ))
	l1=$(($(figure hit) + ($(figure near) - $(figure hit)) / 32))
	(( $(figure l1) >= l1 - 2 && $(figure l1) <= l1 + 4 ))
	(( $(figure shared) < $(figure hit) ))
	grep -q '^odd	.*unknown chase' out
	run -0 trace-sim --selftest rtx4090 --measured <(sed 's/\tme\t/\trtx4090\t/' my.measured)
	assert_output --partial 'the L2 of this GPU has only one side'
}

@test "selftest: percentiles of single loads rise and surround the mean" {
	row p10 'single load' '64 MiB cold, percentile 10' cycles ''
	row p90 'single load' '64 MiB cold, percentile 90' cycles ''
	row mean chase '64 MiB stride 256 cold' cycles ''
	row warm chase '1 MiB stride 128 L2 hit' cycles ''
	row odd 'single load' '64 MiB cold' cycles ''
	figures
	(( $(figure p10) < $(figure p90) && $(figure warm) + 200 < $(figure mean) ))
	(( $(figure p10) < $(figure mean) + 30 && $(figure mean) < $(figure p90) + 30 ))
	grep -q '^odd	.*unknown chase' out
}

# An SM reads 128 bytes from the L1 in a cycle, with any capability from 8.0 to 9.0.
@test "selftest runs wide loads" {
	row v4 bandwidth 'L1 FP32.v4' B/cycle/SM ''
	row odd bandwidth 'L1 FP32' B/cycle/SM ''
	row unit bandwidth 'L1 FP32.v4' GB/s ''
	for minor in 0 9; do
		printf -- '-gpgpu_compute_capability_minor %s\n' $minor >>my.config
		figures
		(( $(figure v4) > 120 && $(figure v4) <= 129 ))
	done
	grep -q '^odd	.*unknown bandwidth' out
	grep -q '^unit	.*unknown unit' out
}

@test "selftest: small kernels in a graph take its latency; passes of a persistent kernel need no launch" {
	w='small streaming kernels in sequence'
	row plain "$w" bytes=65536 GB/s slow
	row graph "$w (graph)" bytes=65536 GB/s fast
	row none "$w (graph)" bytes=65536 GB/s slow
	row pass "$w (pt)" bytes=65536 GB/s slow
	row odd "$w (never)" bytes=65536 GB/s slow
	printf '#params fast graph_launch=500\n' >>my.measured
	figures
	(( $(figure plain) < $(figure graph) && $(figure graph) < $(figure pass) ))
	grep -q '^none	.*#params TOOL graph_launch=CYCLES' out
	grep -q '^odd	.*unknown launch' out
}
