#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The sweep of examples/sweep with each engine, for real where it is installed, and the plots.

bats_require_minimum_version 1.5.0
load helper

setup_file() {
	BUILD=${BUILD-$BATS_TEST_DIRNAME/../build}
	export WARPTOOLS=$BUILD SWEEP=$BATS_FILE_TMPDIR/expected JOBS=2
	cd "$BATS_TEST_DIRNAME/.."
	make -s -C examples/sweep -j2 SWEEP="$SWEEP"	# what every engine must give
}

setup() {
	cd "$ROOT"
	expected=$BATS_FILE_TMPDIR/expected/results
	export SWEEP=$BATS_TEST_TMPDIR/sweep WARPTOOLS=$BUILD
	sweep=$ROOT/examples/sweep
}

# A run of this application fails until it is repaired.
break_app() {
	sh "$sweep/setup"
	mv "$SWEEP/traces/$1/kernel-1.traceg" "$SWEEP/traces/$1/kept"
	sed '/^insts = /s/=.*/= x/' "$SWEEP/traces/$1/kept" >"$SWEEP/traces/$1/kernel-1.traceg"
}

repair_app() { mv "$SWEEP/traces/$1/kept" "$SWEEP/traces/$1/kernel-1.traceg"; }

# What is there is complete and as it must be; nothing else is there.
check_results() {
	for f in "$SWEEP"/results/*; do
		cmp "$f" "$expected/${f##*/}"
	done
	[ "$(ls "$SWEEP/results" | wc -l)" = $((2 * $1)) ]
}

wait_for_results() {
	for _ in $(seq 600); do
		[ "$(ls "$SWEEP/results" 2>/dev/null | grep -cv -e profile -e part)" -lt "$1" ] || return 0
		sleep 0.05
	done
	return 1
}

@test "make: all runs, and a run's result holds its configuration" {
	[ "$(ls "$expected" | wc -l)" = 96 ]
	run -0 sh "$sweep/jobs"
	[ "${#lines[@]}" = 48 ]
	run -0 env SWEEP="$BATS_FILE_TMPDIR/expected" sh "$sweep/status"
	assert_output '48 of 48 runs done'
	grep -q '"gpgpu_l1_latency":80' "$expected/gemm.gto-l80-m8.json"
	[ "$(cat "$expected"/*8.json | md5sum)" != "$(cat "$expected"/*16.json | md5sum)" ]
}

@test "make: a failure is told, what is done is kept, the failed runs are repeated" {
	break_app reuse
	run make -s -C "$sweep" -k -j2 SWEEP="$SWEEP"
	assert_failure
	assert_output --partial 'reuse with lrr-l20-m8 failed, status 2'
	check_results 36
	run -1 sh "$sweep/status"
	assert_line 'to do: reuse gto-l80-m16'
	assert_line '36 of 48 runs done'
	repair_app reuse
	touch "$BATS_TEST_TMPDIR/before"
	make -s -C "$sweep" -k -j2 SWEEP="$SWEEP"
	check_results 48
	[ "$(find "$SWEEP/results" -newer "$BATS_TEST_TMPDIR/before" -name '*.json' | wc -l)" = 24 ]
}

@test "GNU parallel: failed and killed runs are in the job log and are repeated" {
	command -v parallel >/dev/null || skip "GNU parallel is not installed (Debian package parallel)"
	parallel --version | grep -q 'GNU parallel' || skip "parallel is another program"
	break_app reuse
	run sh "$sweep/with-parallel"
	assert_failure 12
	check_results 36
	[ "$(awk -F '\t' 'NR > 1 && $7 == 2' "$SWEEP/joblog" | grep -c reuse)" = 12 ]
	[ "$(awk -F '\t' 'NR > 1 && $7 == 0' "$SWEEP/joblog" | wc -l)" = 36 ]
	repair_app reuse
	run -0 sh "$sweep/with-parallel"
	check_results 48
	run -0 sh "$sweep/with-parallel"
	check_results 48
}

@test "GNU parallel: a sweep that was killed goes on" {
	command -v parallel >/dev/null || skip "GNU parallel is not installed (Debian package parallel)"
	setsid sh "$sweep/with-parallel" >"$BATS_TEST_TMPDIR/out" 2>&1 3>&- &
	pid=$!
	wait_for_results 8
	kill -KILL -- "-$pid"
	wait "$pid" || true
	sleep 0.3
	run -1 sh "$sweep/status"
	for f in "$SWEEP"/results/*.json; do
		cmp "$f" "$expected/${f##*/}"
	done
	run -0 sh "$sweep/with-parallel"
	rm -f "$SWEEP"/results/*.part*
	find "$SWEEP/results" -name '.*' -type f -delete
	check_results 48
}

@test "Slurm: a job array on a real cluster, failed, cancelled and repeated" {
	[ -z "${SANITIZED-}" ] || skip "the engine is tested with the plain build"
	[ "$(id -u)" = 0 ] || skip "a Slurm cluster of our own needs root"
	for p in munged slurmctld slurmd sbatch; do
		PATH=$PATH:/usr/sbin command -v $p >/dev/null || skip "$p is not installed (Debian package slurm-wlm)"
	done
	cluster=$BATS_TEST_TMPDIR/slurm
	run sh "$ROOT/tests/slurm-up" "$cluster" 3>&-
	[ "$status" = 0 ] || skip "this machine runs no Slurm: ${lines[-1]}"
	export SLURM_CONF=$cluster/slurm.conf JOBS=8
	break_app reuse
	run -1 sh "$sweep/with-slurm"
	assert_line '36 of 48 runs done'
	assert_line 'to do: reuse lrr-l20-m8'
	grep -q 'reuse with gto-l80-m16 failed, status 2' "$SWEEP/slurm/48.log"
	check_results 36
	repair_app reuse
	rm -f "$SWEEP"/results/gemm.*
	sh "$sweep/with-slurm" >"$BATS_TEST_TMPDIR/out" 3>&- &
	pid=$!
	wait_for_results 28
	scancel --name=sweep
	run wait "$pid"
	run -1 sh "$sweep/status"
	run -0 sh "$sweep/with-slurm"
	assert_output '48 of 48 runs done'
	rm -f "$SWEEP"/results/*.part*
	find "$SWEEP/results" -name '.*' -type f -delete
	rm -f "$SWEEP"/results/*.failed
	check_results 48
}

teardown() {
	[ ! -e "$BATS_TEST_TMPDIR/slurm" ] || sh "$ROOT/tests/slurm-up" -d "$BATS_TEST_TMPDIR/slurm"
}

@test "an interrupted run has no result, and its statistics are kept as failed" {
	sh "$sweep/setup"
	rm -rf "$SWEEP/traces/gather"
	tracegen -n 400 gather "$SWEEP/traces/gather"
	run -124 timeout -s TERM 1 sh "$sweep/run" gather lrr-l20-m8
	for _ in $(seq 100); do
		[ ! -e "$SWEEP/results/gather.lrr-l20-m8.failed" ] || break
		sleep 0.1
	done
	tail -n 1 "$SWEEP/results/gather.lrr-l20-m8.failed" | grep -q '"status":"interrupted"'
	[ ! -e "$SWEEP/results/gather.lrr-l20-m8.json" ]
	run -1 sh "$sweep/status"
	assert_line 'failed: gather lrr-l20-m8'
	run -2 sh "$sweep/run" gather no-such
	assert_output --partial "found no configuration 'no-such'"
}

@test "plots: PNG, SVG and the table of each" {
	command -v gnuplot >/dev/null || skip "gnuplot is not installed (Debian package gnuplot-nox)"
	command -v stats-csv >/dev/null || skip "stats-csv is not built"
	export SWEEP=$BATS_FILE_TMPDIR/expected
	run -0 sh "$sweep/plot"
	refute_output --partial 'warning'
	assert_line --regexp '^24 kernels, MAPE [0-9.]+ %, Pearson 0\.9[0-9]+$'
	for p in speedup stalls correlation; do
		[ "$(head -c 4 "$SWEEP/plots/$p.png" | tail -c 3)" = PNG ]
		[ "$(wc -c <"$SWEEP/plots/$p.png")" -gt 10000 ]
		grep -q '<svg' "$SWEEP/plots/$p.svg"
		[ "$(wc -l <"$SWEEP/plots/$p.tsv")" -ge 9 ]
	done
	[ "$(ls "$SWEEP/plots" | wc -l)" = 9 ]
	run -0 awk -F '\t' '$1 == "lrr-l39-m16" { print $2, $3, $4, $5, $6 }' "$SWEEP/plots/speedup.tsv"
	assert_output '1.0000 1.0000 1.0000 1.0000 1.0000'
	awk -F '\t' 'NR > 1 { sum = 0; for (i = 2; i <= NF; i++) sum += $i; if (sum < 99.9 || sum > 100.1) exit 1 }' \
		"$SWEEP/plots/stalls.tsv"
}

@test "correlate: a run and measured cycles" {
	command -v gnuplot >/dev/null || skip "gnuplot is not installed (Debian package gnuplot-nox)"
	command -v stats-csv >/dev/null || skip "stats-csv is not built"
	cd "$BATS_TEST_TMPDIR"
	trace-sim -q -g rtx3070 -F json -o run.json "$(trace example)"
	stats-csv -s gpu_sim_cycle -F tsv run.json | awk -F '\t' 'BEGIN { print "id,cycles,\"kernel\"" }
		NR > 1 { printf "%d,%d,\"%s\"\r\n", NR, $NF * (NR == 2 ? 0.8 : 1), $2 }
		END { print "9,5,\"odd \"\"one\"\"\"" }' >m.csv
	run -0 sh "$ROOT/examples/plots/correlate" -o c run.json m.csv
	assert_line 'correlate: found kernel odd "one" only in B'
	assert_line --regexp '^2 kernels, MAPE 12\.5[0-9] %, Pearson 1\.0000$'
	grep -q '<svg' c.svg
	echo 'a,b' >bad.csv
	run ! sh "$ROOT/examples/plots/correlate" -o c run.json bad.csv
	assert_output --partial 'bad.csv:1: found no columns kernel and cycles'
	run -2 sh "$ROOT/examples/plots/stalls" -o s
	run ! sh "$ROOT/examples/plots/stalls" -o s run.json
	assert_output --partial 'wanted profiles'
}
