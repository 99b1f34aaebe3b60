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

@test "-j 0 uses all processors, in every program that has -j" {
	trace-pack -j 0 app | cmp - app.tpack
	trace-pick -j 0 app >a
	trace-pick app | cmp - a
	for p in trace-pack trace-pick trace-sim trace-exec; do
		run -0 $p -h
		assert_output --regexp '0:[[:space:]]+all[[:space:]]+processors'
		is_refused "-j: invalid value '65' (expected a whole number from 0 to 64)" $p -j 65 app
	done
}

@test "trace-pack rejects two modes at once" {
	for modes in "-l -t" "-d -t" "-d -l" "--group --to text" "-t --to tracez"; do
		is_refused "-d, -l, -t, --group and --to cannot be combined" trace-pack $modes app.tpack
	done
	run -0 trace-pack -l -l app.tpack
	is_refused "-F requires -l" trace-pack -F json -o x app
	is_refused "-t cannot be used with -o" trace-pack -t -o x app.tpack
	is_refused "--group cannot be used with -o (expected -C DIR)" trace-pack --group -o x app
	assert [ ! -e x ]
	trace-pack -q -k 1 -o one.tpack app
	run -0 trace-pack -l one.tpack
	assert_line --regexp '^1 kernel, '
}

@test "trace-lint: -D requires a configuration, and tables take no operand" {
	is_refused "-D requires a configuration (expected -g GPU or -c FILE)" trace-lint -D gpgpu_n_clusters=4 app
	is_refused "--list checks no trace ('app' is one operand too many)" trace-lint --list app
	is_refused "--explain checks no trace" trace-lint --explain open app
	run -1 trace-lint -g rtx3070 -D nonsense=1 app
	assert_output --partial "unknown option '-nonsense' (trace-sim --list-options prints all)"
}

@test "trace-sim rejects options of logs that are not written and filters that select nothing" {
	is_refused "--timeline-interval requires --timeline FILE" trace-sim -g rtx3070 --timeline-interval 9 app
	is_refused "--timeline-sms requires --timeline FILE" trace-sim -g rtx3070 --timeline-sms 8 app
	for form in text json msgpack; do
		is_refused "--host-time requires -F accelsim" trace-sim -g rtx3070 --host-time -F $form app
	done
	is_refused "no configuration (expected -g GPU or -c FILE)" trace-sim -D gpgpu_n_clusters=4 app
	is_refused "--events-only: the GPU has no SM 46 (expected 0 to 45)" \
		trace-sim -g rtx3070 --events x --events-only sm=46-50 app
	is_refused "--pipeline-only: an SM has no warp slot 48 (expected 0 to 47)" \
		trace-sim -g rtx3070 --pipeline x --pipeline-only warp=48 app
	run -0 trace-sim -q -g rtx3070 -o y --events x --events-only sm=45-99 app
	is_refused "standard output is named for two outputs" trace-sim -q -g rtx3070 --events - app
	is_refused "standard output is named for two outputs" trace-sim -q -g rtx3070 -o z --events - --pipeline - app
	trace-sim -q -g rtx3070 -o z --events - --events-only sm=0 app >out
	trace-sim -q -f -g rtx3070 -o z --events x --events-only sm=0 app
	cmp out x
}

@test "trace-pick rejects unknown methods" {
	is_refused "unknown method 'x' (expected one of sieve photon pka stem random all)" trace-pick -m x app
}

@test "stats-csv: -e rejects unknown names and names of columns" {
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

@test "stats-diff: --options works with --weights; a profile and a result are not compared" {
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

@test "stats-html rejects profiles alone and --source without a profile" {
	is_refused "no results" stats-html -q -o page.html run.profile
	is_refused "--source requires --profile" stats-html --source . -o page.html run.json
	is_refused "stats-html: none.csv: error: cannot be opened: No such file or directory" \
		stats-html --measured none.csv -o page.html run.json
	assert [ ! -e page.html ]
}

@test "an output that is a broken symbolic link is rejected at once and stays" {
	ln -s loop loop
	ln -s nowhere dangling
	for name in loop dangling; do
		for force in "" -f; do
			is_refused "$name: error: is a broken symbolic link" stats-csv $force -o $name run.json
			is_refused "$name: error: is a broken symbolic link" trace-sim $force -q -g rtx3070 -o $name app
		done
		assert [ -L $name ]
		assert [ ! -e $name.part ]
	done
}

@test "printing a table to a full disk has status 2" {
	for table in "trace-sim --list-gpus" "trace-sim --list-options" "trace-sim --dump-config -g rtx3070" \
		"trace-lint --list" "stats-csv --list run.json"; do
		run -2 sh -c "$table >/dev/full"
		assert_output --partial "<stdout>: error: cannot be written: No space left on device"
	done
}

@test "--selftest rejects options about traces and results" {
	for option in "-s gpu_ipc" --all-figures "-k 1" --sample-blocks --skip-missing "--interval 100" --provenance \
		"--cubin app/kernel-1.traceg" "--profile x" "--events x"; do
		is_refused "--selftest cannot be used with -" trace-sim --selftest $option rtx4090
	done
}

@test "trace-sim: -o receives the tables that --list-... options print" {
	for table in --list-gpus --list-options; do
		trace-sim $table >out
		trace-sim -f -o table $table
		cmp out table
		run -2 trace-sim -o table $table
		assert_output "trace-sim: table: error: exists already (-f replaces it)"
	done
}

@test "-k warns about positions beyond the list" {
	for c in "trace-sim -g rtx3070 -o /dev/null" "trace-sim -g rtx3070 --isolate -o /dev/null" "trace-pick -o /dev/null" \
		"trace-pack -o /dev/null"; do
		for t in app app.tpack; do
			run -0 $c -k 2,7,5-9 $t
			assert_output "${c%% *}: warning: -k: kernel 7: the list has only 2 kernels
${c%% *}: warning: -k: kernel 5: the list has only 2 kernels"
			run -0 $c -k '1-9,2-,*add*' $t
			assert_output ""
		done
	done
	run -0 trace-pack -d -C unpacked -k 1,3 app.tpack
	assert_output "trace-pack: warning: -k: kernel 3: the list has only 2 kernels"
	run -0 trace-pack -q -d -C quiet -k 1,3 app.tpack
	assert_output ""
}
