#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The memory of trace-sim does not grow with the number of thread blocks, because only running blocks are in memory.

bats_require_minimum_version 1.5.0
load helper

# [FIELD=VmPeak] peak OPTION...: prints the last value in kB that /proc had for trace-sim. A wrapper would count its own memory.
peak() {
	local now last=0 pid
	trace-sim -q "$@" >/dev/null 3>&- &
	pid=$!
	while now=$(awk -v field="${FIELD-VmHWM}" '$1 == field ":" { print $2 }' /proc/$pid/status 2>/dev/null) && [ -n "$now" ]; do
		last=$now
	done
	wait $pid || { echo "trace-sim $* ended with status $?" >&2; return 1; }
	[ "$last" -gt 0 ] || { echo "trace-sim $* was never seen" >&2; return 1; }
	echo "$last"
}

# Even the short trace fills the small GPU and runs for a tenth of a second, so that peak() can take samples.
@test "memory: a trace ten times longer needs no more memory" {
	plain_build_only
	for recipe in vecadd reduce; do
		short=$(peak -g rtx3070 -D gpgpu_n_clusters=2 "$(trace $recipe -n 400)")
		long=$(peak -g rtx3070 -D gpgpu_n_clusters=2 "$(trace $recipe -n 4000)")
		echo "$recipe: $short kB, ten times as long $long kB"
		[ "$long" -le $((short + short / 10 + 512)) ]
	done
}

@test "memory: a small kernel on a large GPU needs less than 26.5 MiB, including 0.5 MiB for the C++ library" {
	plain_build_only
	kb=$(peak -g a100 "$(trace vecadd -n 4)")
	echo "$kb kB"
	[ "$kb" -gt 1000 ]
	[ "$kb" -le 27136 ]
}

@test "memory: four threads reserve little more address space than one" {
	plain_build_only
	d=$(trace vecadd -n 400)
	one=$(FIELD=VmPeak peak -g rtx3070 "$d")
	four=$(FIELD=VmPeak peak -g rtx3070 -j 4 "$d")
	echo "$one kB, $four kB"
	[ "$four" -le $((one + 16384)) ]
}

@test "memory: 64 MiB of address space are enough to check, pack and pick" {
	plain_build_only
	d=$(trace vecadd -n 4)
	ulimit -v 65536
	for program in trace-lint trace-pack trace-pick; do
		run -0 $program "$d"
	done
}

@test "memory: a stack of 64 KB is enough for each program" {
	plain_build_only
	cd "$BATS_TEST_TMPDIR"
	d=$(trace example)
	ulimit -s 64
	for format in text json msgpack accelsim; do
		trace-sim -q -g titanx -F $format -j 2 -o run.$format "$d"
		stats-csv -q -o /dev/null run.$format
	done
	stats-diff run.text run.json
	trace-sim -q -g qv100 --profile p --timeline t --events e -o r "$d"
	run -2 trace-sim -g nonesuch "$d"
	trace-sim --list-options >options
	trace-lint -q -g qv100 "$d" >findings
	trace-pack -q -o all.tpack "$d"
	trace-pack -t all.tpack
	trace-pack -d -o - all.tpack >text
	run -0 trace-pack -l all.tpack
	cp "$ROOT"/tests/data/ptx/basic.* .
	trace-exec -n -j 3 basic.launch
	trace-exec -j 3 -o - basic.launch >ptx.tpack
}
