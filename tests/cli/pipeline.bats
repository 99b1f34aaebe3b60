#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-sim --pipeline: a strict reader checks the logs of both cores and compares them with --events of the same run.

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }
check_log() { python3 "$ROOT/tests/tools/kanata.py" "$@"; }

@test "--pipeline agrees with --events on both cores and does not change the result" {
	for gpu in rtx3070 a100-80; do
		for recipe in reduce ldgsts; do
			trace-sim -q -f -g $gpu -o plain "$(trace $recipe)"
			trace-sim -q -f -g $gpu -o both --events events --pipeline log "$(trace $recipe)"
			trace-sim -q -f -g $gpu -j 2 -o result --pipeline alone "$(trace $recipe)"
			cmp plain both
			cmp plain result
			cmp log alone
			run -0 check_log log '' events
			assert_output --partial ', 0 flushed, '
			refute_output --partial ', 0 arrows'
			for stage in Is Rd Ma X Xmem Wb wMem wOrd; do
				assert_output --regexp " $stage [1-9]"
			done
		done
	done
	trace-sim -q -f -g qv100 -o r --events events --pipeline log "$ROOT/tests/data/ptx-trace"
	run -0 check_log log '' events
	trace-sim -q -f -g qv100 -o r --events events --pipeline log "$(trace barrier)"
	run -0 check_log log '' events
	assert_output --regexp ' wBar [1-9]'
}

@test "--pipeline-only selects by SM, warp and cycle" {
	for gpu in rtx3070 a100-80; do
		for only in sm=0-1,warp=2 cycles=5000-6000 sm=1,warp=0-1,cycles=5100-5400; do
			trace-sim -q -f -g $gpu -o r --events e --events-only $only --pipeline p --pipeline-only $only "$(trace gemm)"
			run -0 check_log p $only e
			refute_output --regexp '^0 '
		done
	done
	trace-sim -q -f -g rtx3070 -o r --pipeline p --pipeline-only cycles=99999999 "$(trace vecadd)"
	run -0 check_log p cycles=99999999
	assert_output --partial '0 instructions'
	for bad in 'x 1' 'sm=1,x=2 6' 'warp=2-1 9' 'cycles=5; 9'; do
		run -2 trace-sim -g rtx3070 --pipeline p --pipeline-only "${bad% *}" "$(trace vecadd)"
		assert_output --partial "--pipeline-only '${bad% *}', character ${bad##* } (expected sm=N[-M], warp=N[-M] and cycles=N[-M]"
	done
	run -2 trace-sim -g rtx3070 --pipeline-only sm=0 "$(trace vecadd)"
	assert_output --partial '--pipeline-only requires --pipeline FILE'
}

@test "--pipeline is flushed at a limit, and follows the rules of other outputs" {
	d=$(trace reduce)
	for gpu in rtx3070 a100-80; do
		trace-sim -q -f -g $gpu -o r --pipeline p "$d"
		half=$(awk '/^C/ { at += $2; if ($1 == "C=") first = at } END { print int((first + at) / 2) }' p)
		trace-sim -q -f -g $gpu -D gpgpu_max_cycle="$half" -o r --events e --pipeline p "$d"
		run -0 check_log p '' e
		refute_output --partial ', 0 flushed'
	done
	run -2 trace-sim -q -g rtx3070 -o new --pipeline p "$d"
	assert_output --partial "p: error: exists already"
	[ ! -e new ]
	trace-sim -q -g rtx3070 -o /dev/null --pipeline - "$d" | check_log /dev/stdin
	run -2 trace-sim -q -g rtx3070 -o r2 --pipeline /dev/full "$d"
	run -2 trace-sim -q -g rtx3070 --isolate -o r2 --pipeline p2 "$d"
	assert_output --partial '--pipeline'
}
