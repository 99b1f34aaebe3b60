#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# stats-diff: each option, each exit status, and equality across the formats of results.

bats_require_minimum_version 1.5.0
load helper

setup_file() {
	load helper
	make_results
	trace-sim -q -g rtx3070 -k 1,3-4 -F json "$(trace streams)" >"$BATS_FILE_TMPDIR/some.json"
}

setup() { take_results; }

@test "-h and --version print to stdout, and usage errors have status 2" {
	run -0 stats-diff -h
	assert_output --partial '--summary'
	run -0 stats-diff --version
	run -2 stats-diff app.json
	assert_output --partial "expected two: A and B"
	run -2 stats-diff - -
	run -2 stats-diff -F xml app.json app.json
	run -2 stats-diff -T ten app.json app.json
	run -2 stats-diff -T =1 app.json app.json
	run -2 stats-diff -T -1 app.json app.json
	run -2 stats-diff -s , app.json app.json
	run -2 stats-diff -k 0 app.json app.json
	run -2 stats-diff --sumary app.json app.json
	assert_output --partial "--summary"
}

@test "equal results have status 0 and no output, in any combination of formats" {
	for a in text json msgpack accelsim; do
		for b in text json msgpack accelsim; do
			run -0 stats-diff app.$a app.$b
			assert_output ""
		done
	done
	run -0 stats-diff - app.json <app.accelsim
}

@test "changes are listed by size and aligned" {
	run -1 stats-diff -s gpu_sim_cycle,gpu_ipc,gpu_sim_insn app.json small.json
	assert_line --index 0 'app.json -> small.json'
	assert_line --partial 'kernel 1 write'
	assert_line --regexp '^  name +A +B +change$'
	assert_line --regexp '^  gpu_ipc +[0-9.]+ +[0-9.]+ +-[0-9.]+%$'
	refute_line --partial 'gpu_sim_insn'
	run -1 stats-diff --all -s gpu_sim_cycle,gpu_sim_insn app.json small.json
	assert_line --regexp '^  gpu_sim_insn +[0-9]+ +[0-9]+ +=$'
	run -1 --separate-stderr stats-diff -k 1 -s 'gpu*,L2_total*' -F json app.json small.json
	sizes=$(grep -o '"change":[^,}]*' <<<"$output" | sed 's/.*://; s/^-//; s/null/inf/')
	[ "$(wc -l <<<"$sizes")" -ge 4 ]
	assert_equal "$sizes" "$(sort -rg <<<"$sizes")"
}

@test "absolute and relative tolerances by pattern" {
	sed 's/"gpu_sim_cycle":5836/"gpu_sim_cycle":5840/' app.json >near.json
	run -1 stats-diff -q app.json near.json
	assert_output ""
	run -0 stats-diff -T gpu_sim_cycle=4 app.json near.json
	run -1 stats-diff -T gpu_sim_cycle=3 app.json near.json
	run -0 stats-diff -T 'gpu_sim*=0.1%' app.json near.json
	run -1 stats-diff -T 0.01% app.json near.json
	run -0 stats-diff -T 0.01%,5 app.json near.json
	run -1 stats-diff -T 5 -T 'gpu_sim_cycle=0' app.json near.json
	run -0 stats-diff -T 0 -T 'gpu_sim_cycle=5' app.json near.json
}

@test "-s and -i choose figures, and -k chooses kernels" {
	sed 's/"gpu_sim_cycle":5836/"gpu_sim_cycle":5840/' app.json >near.json
	run -0 stats-diff -s gpu_ipc app.json near.json
	run -0 stats-diff -i 'gpu_sim_cycle' app.json near.json
	run -1 stats-diff -i gpu_ipc app.json near.json
	run -0 stats-diff -k 2-4 app.json near.json
	run -1 stats-diff -k write app.json near.json
	run -0 stats-diff -k read app.json near.json
}

@test "a comparison without common figures has status 2" {
	run -2 stats-diff -q -s gpu_sim_cycel app.json app.json
	assert_output --partial '-s: unknown figure gpu_sim_cycel, did you mean gpu_sim_cycle?'
	run -2 stats-diff -q -s 'gpu_ipc,nothing*' app.json app.json
	assert_output --partial 'no figure nothing* on either side'
	run -2 stats-diff -q -i gpu_ipk app.json app.json
	run -2 stats-diff -q -T gpu_ipk=1 app.json app.json
	run -0 stats-diff -q -T 'nothing*=1' -i 'nothing*' app.json app.json
	run -2 stats-diff -q -k 99 app.json app.json
	assert_output --partial '-k selects no kernel'
	run -2 stats-diff -T 1%,2% app.json app.json
}

@test "counts that are equal as doubles but not as integers differ" {
	sed 's/"gpu_sim_cycle":5836/"gpu_sim_cycle":9007199254740993/' app.json >a
	sed 's/9007199254740993/9007199254740992/' a >b
	run -1 stats-diff -s gpu_sim_cycle a b
	assert_line --regexp '^  gpu_sim_cycle +9007199254740993 +9007199254740992 +-1.1e-16$'
	run -1 stats-diff -T 0.5 -s gpu_sim_cycle a b
	run -0 stats-diff -T 1 -s gpu_sim_cycle a b
}

@test "host times are ignored unless named" {
	d=$(trace streams)
	trace-sim -q -g rtx3070 --host-time -F accelsim "$d" >host.log
	sed 's/^\(gpgpu_simulation_rate = \).*\((inst.*\)/\19999999 \2/; s/^\(gpu_total_sim_rate=\).*/\18888888/' host.log >slow.log
	run -0 stats-diff host.log slow.log
	run -1 stats-diff -s 'gpgpu_simulation_rate[0]' host.log slow.log
}

@test "inserted and removed kernels appear as in diff" {
	run -1 stats-diff -s gpu_sim_insn app.json some.json
	assert_line '- kernel 2 write'
	assert_line --partial '3 equal, 0 different, 1 only in A, 0 only in B'
	run -1 stats-diff -s gpu_sim_insn some.json app.json
	assert_line '+ kernel 2 write'
	run -1 stats-diff -F json -s gpu_sim_insn some.json app.json
	assert_line --partial '"kernel":"write","a":null,"b":{"position":2'
}

@test "-F markdown prints a table, and json an object for each kernel that differs" {
	run -1 stats-diff -F markdown -s gpu_sim_cycle app.json small.json
	assert_line '| name | A | B | change |'
	assert_line '|---|---:|---:|---:|'
	stats-diff -F json app.json small.json >out || true
	python3 -c 'import json; [json.loads(l) for l in open("out")]'
}

@test "--summary gives the speed-up and the kernels that matter" {
	run -1 stats-diff --summary app.json small.json
	assert_line --regexp 'speed-up \(geometric mean of cycles A / B\): [0-9.]+'
	assert_line --regexp 'cycles of paired kernels: A [0-9]+, B [0-9]+'
	run -1 stats-diff --summary -F markdown app.json small.json
	assert_line '| kernel | times | cycles A | cycles B | speed-up |'
	run -1 stats-diff --summary -F json app.json small.json
	assert_output --regexp '"speedup":[0-9.]+'
	run -0 stats-diff --summary app.json app.msgpack
	assert_line --partial 'A / B): 1.0000'
}

@test "--options gives the options that differ; the summary does so by default" {
	run -1 stats-diff --options -s gpu_sim_cycle app.json small.json
	assert_line --index 0 'app.json -> small.json'
	assert_line --index 1 --regexp '^  option +A +B$'
	assert_line --index 2 --regexp '^  gpgpu_n_clusters +46 +2$'
	run -1 stats-diff -s gpu_sim_cycle app.json small.json
	refute_output --partial 'gpgpu_n_clusters'
	run -1 stats-diff --summary app.json small.json
	assert_line --regexp '^  gpgpu_n_clusters +46 +2$'
	run -1 stats-diff --options -F markdown app.json small.json
	assert_line '| gpgpu_n_clusters | 46 | 2 |'
	run -1 stats-diff --options -F json app.json small.json
	assert_line --index 0 '{"options":[{"name":"gpgpu_n_clusters","run":1,"a":"46","b":"2"}]}'
	# with equal figures, options alone are no difference; an option that a log does not contain is not compared
	sed 's/"gpgpu_n_mem":[^,]*/"gpgpu_n_mem":"77"/' app.json >named.json
	run -0 stats-diff --options app.json named.json
	assert_line --regexp '^  gpgpu_n_mem +16 +77$'
	run -0 stats-diff --options app.json app.accelsim
	assert_output ''
	cat app.json app.json >two.json
	cat app.json named.json >two.other
	run -0 stats-diff --options two.json two.other
	assert_line --regexp '^  #2 gpgpu_n_mem +16 +77$'
}

@test "directories: files are paired by name" {
	mkdir a b
	cp app.json a/1.json
	cp app.accelsim b/1.json
	cp app.text a/2
	cp app.text b/2
	run -0 stats-diff a b
	assert_output ""
	cp small.json b/2
	run -1 stats-diff -s gpu_sim_cycle a b
	assert_line --index 0 '2'
	cp app.text b/3
	run -1 stats-diff -q -s gpu_sim_insn a b
	run -1 stats-diff -s gpu_sim_insn a b
	assert_line 'only in B: 3'
	run -0 stats-diff app.json app.json
	cp app.json a/app.json
	run -0 stats-diff a app.json
	run -2 stats-diff a -
	mkfifo a/fifo b/fifo
	run -1 timeout 20 stats-diff -q a b
	mkdir none1 none2
	run -2 stats-diff none1 none2
}

@test "unreadable, malformed and incomplete results have status 2" {
	head -c 100000 app.json >cut.json
	run -2 stats-diff app.json cut.json
	assert_output --partial "cut.json:"
	assert_output --partial "before an end record"
	: >empty
	run -2 stats-diff app.json empty
	assert_output --partial "empty: error: no statistics"
	run -2 stats-diff missing app.json
	run -2 sh -c 'stats-diff app.json small.json >/dev/full'
}

@test "the end status of the runs is compared" {
	sed 's/"status":"complete"/"status":"limit"/' app.json >limit.json
	run -1 stats-diff app.json limit.json
	assert_line --partial 'status: A complete, B limit'
}

@test "control characters and direction marks of the input never reach the terminal" {
	mark=$(printf '\342\200\256')
	sed 's/"status":"complete"/"status":"\\u001b[31mred"/' app.json >red.json
	run -1 stats-diff app.json red.json
	assert_line --partial 'status: A complete, B \x1b[31mred'
	run -1 stats-diff -F markdown app.json red.json
	assert_line --partial 'status: A complete, B \\x1b\[31mred'
	run -1 stats-diff -F json app.json red.json
	assert_output --partial '"status":{"a":"complete","b":"\u001B[31mred"}'
	sed "s/\"name\":\"write\"/\"name\":\"wr\\\\u009b2J$mark\"/" app.json >name.json
	! cmp -s app.json name.json
	for f in text markdown; do
		run -1 stats-diff -F $f app.json name.json
		assert_output --partial 'xe2'
		refute_output --partial "$mark"
		refute_output --partial "$(printf '\302\233')"
	done
}

@test "the largest changes are shown with a count of the rest; --full shows all" {
	run -1 stats-diff app.json small.json
	assert_line --regexp '^  and [0-9]+ more figures \(--full\)$'
	short=${#lines[@]}
	run -1 stats-diff --full app.json small.json
	refute_line --partial 'more figures'
	[ "${#lines[@]}" -gt $((4 * short)) ]
	# selected figures are all shown, and JSON has all
	run -1 stats-diff -s '*' app.json small.json
	refute_line --partial 'more figures'
	run -1 stats-diff -F json app.json small.json
	refute_output --partial 'more figures'
	# small counts of histograms come last
	run -1 stats-diff app.json small.json
	refute_line --regexp '^  mf_lat_table'
}
