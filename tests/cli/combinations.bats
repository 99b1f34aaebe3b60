#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Options that have no meaning together are usage errors, and no option is ignored silently. Outputs that cannot be
# written are refused before the work is done.

bats_require_minimum_version 1.5.0
load helper

setup_file() {
	make_results
	cd "$BATS_FILE_TMPDIR" || return
	tracegen example app
	trace-pack -q -o app.tpack app
	trace-sim -q -g rtx3070 -F json -o run.json --profile run.profile app
	trace-pick -q -o picks.txt app
}
setup() {
	take_results
	cp -r "$BATS_FILE_TMPDIR/app" .
}

# Asserts that a command is a usage error whose message has TEXT. usage: is_refused TEXT COMMAND...
is_refused() {
	local text=$1
	shift
	run -2 "$@"
	assert_line --index 0 --partial "$text"
}

@test "stats-csv: -e with unknown names, and with names of columns" {
	is_refused "-e: unknown figure gpu_sim_cycles, did you mean gpu_sim_cycle?" stats-csv -e x=2*gpu_sim_cycles run.json
	is_refused "-e: unknown figure nonsense" stats-csv -q -e 'x=L2_misses' -e 'y=x+nonsense' run.json
	for name in run kernel_name id status kernels; do
		is_refused "-e: '$name' is the name of a column" stats-csv -e $name=1 run.json
	done
	# a known figure without values is a warning
	run -0 stats-csv -s gpu_ipc -e 'x=power_average+power_component[*]+L1T_misses' run.json
	assert_line --partial "no value of power_average in the input"
	refute_line --partial "no value of L1T_misses"
}

@test "stats-diff: --options with --weights; a profile is not compared with a result" {
	trace-sim -q -g rtx3070 -D gpgpu_l1_latency=20 -F json -o other.json app
	run -1 stats-diff --weights picks.txt --options -s gpu_sim_cycle run.json other.json
	assert_line --regexp '^ *gpgpu_l1_latency +39 +20$'
	run -1 stats-diff -F json --weights picks.txt --options -s gpu_sim_cycle run.json other.json
	assert_line --index 0 '{"options":[{"name":"gpgpu_l1_latency","run":1,"a":"39","b":"20"}]}'
	run -1 stats-diff -F markdown --weights picks.txt -s gpu_sim_cycle run.json other.json
	assert_line --index 0 '### run.json -> other.json, 2 of 2 kernels'
	assert_equal "$(sed -n '/^| gpu_sim_cycle/{n;p}' <<<"$output")" ""
	run -2 stats-diff run.json run.profile
	assert_output --partial "run.profile is a profile, run.json is a result (expected two results or two profiles)"
	run -0 stats-diff run.profile run.profile
	run -0 stats-diff -k 2 run.profile run.profile
}

@test "stats-html: profiles alone, --source without a profile" {
	is_refused "no results" stats-html -q -o page.html run.profile
	is_refused "--source requires --profile" stats-html --source . -o page.html run.json
	is_refused "stats-html: none.csv: error: cannot be opened: No such file or directory" \
		stats-html --measured none.csv -o page.html run.json
	assert [ ! -e page.html ]
}
