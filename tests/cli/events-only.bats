#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-sim --events-only selects events of the log.

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

@test "--events-only selects events by SM, warp and cycle" {
	for gpu in rtx3070 a100-80; do
		trace-sim -q -f -g $gpu -o r --events all "$(trace gemm)"
		trace-sim -q -f -g $gpu -o s --events some --events-only sm=0-1,warp=2,cycles=5000-7000 "$(trace gemm)"
		cmp r s
		awk -F '\t' '$1 >= 5000 && $1 <= 7000 && ($2 == "l2" || $2 == "dram" ||
			($2 == "cta" ? $3 <= 1 : $3 <= 1 && $4 == 2))' all >want
		cmp want some
		grep -q issue some
	done
	d=$(trace vecadd)
	for bad in '' sm sm= sm=x sm=2-1 'sm=1,' 'sm=1 ' pc=3 sm=1-2-3 sm=99999999999999999999; do
		run -2 trace-sim -g rtx3070 -o r --events e --events-only "$bad" "$d"
		assert_output --partial 'expected sm=N[-M], warp=N[-M] and cycles=N[-M]'
	done
	run -2 trace-sim -g rtx3070 --events-only sm=0 "$d"
	assert_output --partial 'requires --events FILE'
}
