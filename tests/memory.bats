#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-sim's memory does not grow with the number of thread blocks: it holds those that run.

bats_require_minimum_version 1.5.0
load helper

# peak OPTION...: kB, as the process itself was last seen; a wrapper's own memory would count otherwise
peak() {
	local now last=0 pid
	trace-sim -q "$@" >/dev/null 3>&- &
	pid=$!
	while now=$(awk '/^VmHWM/ { print $2 }' /proc/$pid/status 2>/dev/null) && [ -n "$now" ]; do
		last=$now
	done
	wait $pid
	echo "$last"
}

# A machine small enough that even the short trace fills it.
@test "memory: a trace ten times longer takes no more" {
	plain_build_only
	for recipe in vecadd reduce; do
		short=$(peak -g rtx3070 -D gpgpu_n_clusters=2 "$(trace $recipe -n 60)")
		long=$(peak -g rtx3070 -D gpgpu_n_clusters=2 "$(trace $recipe -n 600)")
		echo "$recipe: $short kB, ten times as long $long kB"
		[ "$long" -le $((short + short / 10 + 512)) ]
	done
}

@test "memory: a small kernel on a large machine takes less than 24 MiB" {
	plain_build_only
	kb=$(peak -g a100 "$(trace vecadd -n 4)")
	echo "$kb kB"
	[ "$kb" -gt 1000 ]
	[ "$kb" -le 24576 ]
}
