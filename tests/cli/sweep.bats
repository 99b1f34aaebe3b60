#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# examples/sweep with make, GNU parallel and Slurm, if installed, and the plots.

bats_require_minimum_version 1.5.0
load helper

setup_file() {
	BUILD=${BUILD-$ROOT/build}
	export WARPTOOLS=$BUILD SWEEP=$BATS_FILE_TMPDIR/expected JOBS=2
	cd "$ROOT"
	make -s -C examples/sweep -j2 SWEEP="$SWEEP"	# what every engine must give
}

setup() {
	cd "$ROOT"
	expected=$BATS_FILE_TMPDIR/expected/results
	export SWEEP=$BATS_TEST_TMPDIR/sweep WARPTOOLS=$BUILD
	sweep=$ROOT/examples/sweep
}

# Prints the scale of the recipe from which the stream of an application was made.
recipe() { sed -n "s/^# The streams here .*[ :]$1 \([0-9]*\)[,.].*/\1/p" "$sweep/apps"; }

# Makes runs of an application fail until it is repaired.
break_app() {
	sh "$sweep/setup"
	rm "$SWEEP/traces/$1"
	tracegen -n "$(recipe "$1")" "$1" "$SWEEP/traces/$1"
	mv "$SWEEP/traces/$1/kernel-1.traceg" "$SWEEP/traces/$1/kept"
	sed '/^insts = /s/=.*/= x/' "$SWEEP/traces/$1/kept" >"$SWEEP/traces/$1/kernel-1.traceg"
}

repair_app() { mv "$SWEEP/traces/$1/kept" "$SWEEP/traces/$1/kernel-1.traceg"; }

# Tests that there are exactly N complete and correct results, each with its profile.
check_results() {
	for f in "$SWEEP"/results/*.json; do
		cmp "$f" "$expected/${f##*/}"
	done
	[ "$(ls "$SWEEP"/results/*.json | wc -l)" = $((2 * $1)) ]
}

wait_for_results() {
	for _ in $(seq 600); do
		[ "$(ls "$SWEEP/results" 2>/dev/null | grep -v profile | grep -c 'json$')" -lt "$1" ] || return 0
		sleep 0.05
	done
	return 1
}

@test "make: all runs complete, and each result contains its configuration" {
	[ "$(ls "$expected" | wc -l)" = 96 ]
	run -0 sh "$sweep/jobs" -n
	[ "${#lines[@]}" = 48 ]
	assert_line --index 0 $'gemm\tsmall+lrr+l20+8ch'
	run -0 sh "$sweep/jobs"
	assert_line --index 11 $'gemm\tsmall+gto+l80+16ch\t-g rtx3070 -D gpgpu_n_clusters=8 -D gpgpu_kernel_launch_latency=0 -D gpgpu_scheduler=gto -D gpgpu_l1_latency=80 -D gpgpu_n_mem=16\t time=10m'
	run -0 env SWEEP="$BATS_FILE_TMPDIR/expected" sh "$sweep/status"
	assert_output '48 of 48 runs done, 0 running, 0 failed'
	grep -q '"gpgpu_l1_latency":80' "$expected/gemm.small+gto+l80+8ch.json"
	[ "$(cat "$expected"/*+8ch.json | md5sum)" != "$(cat "$expected"/*+16ch.json | md5sum)" ]
}

@test "the shipped streams are the packed recipes that apps names" {
	for app in gemm gather reduce reuse; do
		[ "$(recipe $app)" -gt 0 ]
		rm -rf "$BATS_TEST_TMPDIR/made" "$BATS_TEST_TMPDIR/packed"
		tracegen -n "$(recipe $app)" $app "$BATS_TEST_TMPDIR/made"
		mkdir "$BATS_TEST_TMPDIR/packed"
		trace-pack -q -t "$sweep/traces/$app.tpack"
		trace-pack -q -d -C "$BATS_TEST_TMPDIR/packed" "$sweep/traces/$app.tpack"
		diff -r "$BATS_TEST_TMPDIR/made" "$BATS_TEST_TMPDIR/packed"
	done
	[ "$(cat "$sweep"/traces/* | wc -c)" -lt 100000 ]
}

@test "make: a failure is reported, finished runs are kept, failed runs are repeated" {
	break_app reuse
	run make -s -C "$sweep" -k -j2 SWEEP="$SWEEP"
	assert_failure
	assert_output --partial 'reuse with small+lrr+l20+8ch failed, status 2'
	check_results 36
	run -1 sh "$sweep/status"
	assert_line --regexp '^failed: reuse small[+]gto[+]l80[+]16ch: .*kernel-1.traceg:[0-9]+.*expected'
	assert_line '36 of 48 runs done, 0 running, 12 failed'
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

@test "GNU parallel: a killed sweep continues" {
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

@test "Slurm: a job array on a real cluster fails, is cancelled and is repeated" {
	[ -z "${SANITIZED-}" ] || skip "the engine is tested with the plain build"
	[ "$(id -u)" = 0 ] || skip "a Slurm cluster of our own needs root"
	for p in munged slurmctld slurmd sbatch; do
		PATH=$PATH:/usr/sbin command -v $p >/dev/null || skip "$p is not installed (Debian package slurm-wlm)"
	done
	cluster=$BATS_TEST_TMPDIR/slurm
	run sh "$ROOT/tests/tools/slurm-up" "$cluster" 3>&-
	[ "$status" = 0 ] || skip "this machine runs no Slurm: ${lines[-1]}"
	export SLURM_CONF=$cluster/slurm.conf JOBS=8
	break_app reuse
	run -1 sh "$sweep/with-slurm"
	assert_line '36 of 48 runs done, 0 running, 12 failed'
	assert_line --regexp '^failed: reuse small[+]lrr[+]l20[+]8ch: '
	grep -q 'reuse with small+gto+l80+16ch failed, status 2' "$SWEEP/slurm/48.log"
	[ "$(wc -l <"$SWEEP/results.tsv")" = 37 ]
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
	assert_output '48 of 48 runs done, 0 running, 0 failed'
	rm -f "$SWEEP"/results/*.part*
	find "$SWEEP/results" -name '.*' -type f -delete
	rm -f "$SWEEP"/results/*.failed
	check_results 48
}

teardown() {
	[ ! -e "$BATS_TEST_TMPDIR/slurm" ] || sh "$ROOT/tests/tools/slurm-up" -d "$BATS_TEST_TMPDIR/slurm"
}

@test "an interrupted run has no result, and its statistics are kept as failed" {
	sh "$sweep/setup"
	rm -rf "$SWEEP/traces/gather"
	tracegen -n 1600 gather "$SWEEP/traces/gather"
	run -124 timeout -s TERM 1 sh "$sweep/run" gather small+lrr+l20+8ch
	for _ in $(seq 100); do
		[ ! -e "$SWEEP/results/gather.small+lrr+l20+8ch.failed" ] || break
		sleep 0.1
	done
	tail -n 1 "$SWEEP/results/gather.small+lrr+l20+8ch.failed" | grep -q '"status":"interrupted"'
	[ ! -e "$SWEEP/results/gather.small+lrr+l20+8ch.json" ]
	run -1 sh "$sweep/status"
	assert_line --partial 'failed: gather small+lrr+l20+8ch'
	run -2 sh "$sweep/run" gather no-such
	assert_output --partial "no run of 'gather' with 'no-such'"
}

# Sets up a user's sweep: copied examples, programs in PATH, traces of the user.
own_sweep() {
	cp -r "$ROOT/examples" "$BATS_TEST_TMPDIR/examples"
	cd "$BATS_TEST_TMPDIR/examples/sweep"
	unset WARPTOOLS SWEEP
	printf 'mine\t%s\n' "$1" >apps
	printf '%s\t%s\n' l1x2 '-D gpgpu_unified_l1d_size=256' 8banks '-D gpgpu_l1_banks=8' few '-D gpgpu_n_clusters=4' >modifiers
	printf '%s\n' '# mine' 'rtx3070 + few' 'rtx3070 + few + l1x2+8banks' >points
}

@test "a copied sweep runs with a user's own traces and with modifiers combined by name" {
	own_sweep "$(trace gemm)"
	run -0 sh ./jobs
	assert_line --index 0 $'mine\trtx3070+few\t-g rtx3070 -D gpgpu_n_clusters=4\t'
	assert_line --index 1 $'mine\trtx3070+few+l1x2+8banks\t-g rtx3070 -D gpgpu_n_clusters=4 -D gpgpu_unified_l1d_size=256 -D gpgpu_l1_banks=8\t'
	run -1 sh ./status
	assert_line 'to do: mine rtx3070+few'
	run -0 make -s -k -j2
	run -0 sh ./status
	assert_output '2 of 2 runs done, 0 running, 0 failed'
	grep -q '"gpgpu_l1_banks":8' sweep/results/mine.rtx3070+few+l1x2+8banks.json
	run -0 sh ./collect
	run -0 cut -f1-3 sweep/results.tsv
	assert_line --index 0 $'run\tgpgpu_l1_banks\tgpgpu_unified_l1d_size'
	assert_line --index 2 $'mine.rtx3070+few+l1x2+8banks\t8\t256'
	trace-pack -o mine.tpack "$(trace gemm)"
	printf 'packed\t./mine.tpack\n' >apps
	run -0 make -s -k -j2
	cmp sweep/results/packed.rtx3070+few.json sweep/results/mine.rtx3070+few.json
	for bad in 'rtx3070 + few time=soon' 'rtx3070 + few memory=4' 'rtx3070 + ' 'rtx3070; rm' $'rtx3070\nrtx3070'; do
		printf '%s\n' "$bad" >points
		run -2 sh ./jobs
		assert_output --regexp 'points:[12]: (unknown|invalid|point|no )'
	done
	printf 'mine\t/none/there\n' >apps
	printf 'rtx3070\n' >points
	run -2 sh ./setup
	assert_output --partial 'mine: /none/there does not exist'
}

@test "one kernel a job: the records equal an isolated run" {
	app=$(trace streams)
	cd "$BATS_TEST_TMPDIR"
	run -0 sh "$ROOT/examples/sweep/per-kernel" each "$app" rtx3070
	assert_output 'each: 4 jobs of one kernel'
	cd each
	run -0 sh ./jobs
	assert_line --index 3 $'app\trtx3070+k4\t-g rtx3070 --isolate -k 4\t'
	run -0 make -s -k -j2
	trace-sim -q -g rtx3070 --isolate -F json -o whole.json "$app"
	for k in 1 2 3 4; do
		grep '"record":"kernel"' "$SWEEP/results/app.rtx3070+k$k.json"
	done | cmp - <(grep '"record":"kernel"' whole.json)
	sh ./collect
	run -0 cut -f1 "$SWEEP/results.tsv"
	assert_line --index 4 app.rtx3070+k4
	run -2 sh "$ROOT/examples/sweep/per-kernel" other /none/there rtx3070
	assert_output --partial '/none/there does not exist'
}

@test "ranges of kernels: the records equal an isolated run, a row for each range, and a stopped range continues" {
	app=$(trace streams)
	cd "$BATS_TEST_TMPDIR"
	trace-pack -q -o app.tpack "$app"
	run -0 sh "$ROOT/examples/sweep/per-kernel" -n 3 each app.tpack rtx3070 qv100
	assert_output 'each: 4 jobs of up to 3 kernels'
	cd each
	run -0 sh ./jobs
	assert_line --index 0 $'app\trtx3070+k1-3\t-g rtx3070 --isolate -k 1-3\t'
	assert_line --index 3 $'app\tqv100+k4\t-g qv100 --isolate -k 4\t'
	make -s -k -j2
	trace-sim -q -g rtx3070 --isolate -F json -o whole.json "$app"
	sed '/"record":"kernel"/!d' "$SWEEP"/results/app.rtx3070+k*.json | cmp - <(grep '"record":"kernel"' whole.json)
	STATS=gpu_sim_cycle sh ./collect
	run -0 cut -f1 "$SWEEP/results.tsv"
	assert_equal "$(echo $output)" "run app.rtx3070+k1-3 app.rtx3070+k1-3 app.rtx3070+k1-3 app.rtx3070+k4 \
app.qv100+k1-3 app.qv100+k1-3 app.qv100+k1-3 app.qv100+k4"
	# The first range is in the state of a killed run, then of a run at its time limit.
	one="$SWEEP/results/app.rtx3070+k1-3"
	mv "$one.json" full
	head -3 full >"$one.new.part"
	sh ./run app rtx3070+k1-3
	cmp "$one.json" full
	rm "$one.json"
	head -3 full >"$one.failed"
	echo '{"record":"end","status":"interrupted","kernels":2,"hash":"","stats":{}}' >>"$one.failed"
	sh ./run app rtx3070+k1-3
	cmp "$one.json" full
	[ ! -e "$one.failed" ]
	run -2 sh "$ROOT/examples/sweep/per-kernel" -n 0 other "$app" rtx3070
	assert_output --partial "-n '0' is no number"
}

@test "a sweep over picks runs only the picks and makes tables of the whole application" {
	app=$(trace launches)
	cd "$BATS_TEST_TMPDIR"
	sweep=$ROOT/examples/sweep
	run -0 sh "$sweep/over-picks" some "$app" -e 20%
	assert_output --regexp '^[0-9]+ of 40 kernels in '
	cd some
	printf '%s\n' rtx3070 'rtx3070 + l80' >points
	run -0 make -s -k -j2
	run -0 sh ./collect
	trace-sim -q -g rtx3070 -D gpgpu_l1_latency=80 --warm -k @picks -F json "$app" >one.json
	stats-csv -q --weights picks -s gpu_sim_cycle -F tsv one.json | awk -F '\t' 'NR == 2 { print $(NF - 2), $(NF - 1), $NF }' >want
	awk -F '\t' 'NR == 1 { for (i = 1; $i != "gpu_sim_cycle"; i++); } NR == 3 { print $i, $(i + 1), $(i + 2) }' \
		"$SWEEP/results.tsv" | cmp - want
	[ "$(wc -l <"$SWEEP/results.tsv")" = 3 ]
	run -2 sh "$sweep/over-picks" other /none/there
	assert_output --partial '/none/there does not exist'
	run -2 sh "$sweep/over-picks" other "$app" -m median
	assert_output --partial "unknown method 'median' (expected one of"
	[ ! -e other ]
}

@test "limits of time and memory end a run, and the status has the reason" {
	plain_build_only
	tracegen -n 1600 gather "$BATS_TEST_TMPDIR/long"
	own_sweep "$BATS_TEST_TMPDIR/long"
	printf '%s\n' 'rtx3070 + few time=1s' 'rtx3070 + few + 8banks  memory=60M' >points
	sh ./setup
	run -124 sh ./run mine rtx3070+few
	run -2 sh ./run mine rtx3070+few+8banks
	run -1 sh ./status
	assert_line 'failed: mine rtx3070+few: run: stopped at its time limit of 1s'
	assert_line --regexp '^failed: mine rtx3070[+]few[+]8banks: .*memory'
	assert_line '0 of 2 runs done, 0 running, 2 failed'
	printf '%s\n' 'rtx3070 + few' >points
	LIMITS=time=1s run -124 sh ./run mine rtx3070+few
}

@test "a run whose messages cannot be written says so" {
	mkdir "$BATS_TEST_TMPDIR/bin"
	printf '#!/bin/sh\nexit 2\n' >"$BATS_TEST_TMPDIR/bin/trace-sim"
	chmod +x "$BATS_TEST_TMPDIR/bin/trace-sim"
	sh "$sweep/setup"
	WARPTOOLS=$BATS_TEST_TMPDIR/bin run -2 sh "$sweep/run" gather small+lrr+l20+8ch
	assert_line --partial "gather.small+lrr+l20+8ch.log is empty (expected the messages of trace-sim; is the disk full?)"
	run -1 sh "$sweep/status"
	assert_line 'failed: gather small+lrr+l20+8ch: its log is empty (is the disk full?)'
}

@test "the status shows the progress of a running point" {
	tracegen -n 1600 gather "$BATS_TEST_TMPDIR/long"
	cp "$(trace vecadd)/kernel-1.traceg" "$BATS_TEST_TMPDIR/long/kernel-0.traceg"
	sed -i '0,/^kernel/s/^kernel/kernel-0.traceg\n&/' "$BATS_TEST_TMPDIR/long/kernelslist.g"
	own_sweep "$BATS_TEST_TMPDIR/long"
	sh ./setup
	setsid sh ./run mine rtx3070+few >/dev/null 2>&1 3>&- &
	pid=$!
	for _ in $(seq 200); do
		! grep -q cycle sweep/results/mine.rtx3070+few.log 2>/dev/null || break
		sleep 0.1
	done
	run -1 sh ./status
	kill -TERM -- "-$pid"
	wait "$pid" || true
	assert_line --regexp '^running: mine rtx3070[+]few: kernel 1/[0-9]+ .*: cycle [0-9]+, IPC [0-9.]+ of warps, .* [0-9.]+% of thread blocks'
	assert_line '0 of 2 runs done, 1 running, 0 failed'
	run -1 sh ./status -q
	assert_output --partial '1 failed'
	rm sweep/results/*.failed
	touch -d '10 minutes ago' sweep/results/mine.rtx3070+few.log
	run -1 sh ./status
	assert_line --partial 'lost: mine rtx3070+few: '
}

@test "a thousand points start no more processes than two, and are submitted together" {
	own_sweep "$(trace gemm)"
	mkdir bin
	for p in awk sed grep cut tr sbatch scontrol; do
		printf '#!/bin/sh\necho %s "$@" >>"%s/calls"\n' $p "$PWD" >bin/$p
		[ $p = sbatch ] || echo "exec $(command -v $p || echo true) \"\$@\"" >>bin/$p
		chmod +x bin/$p
	done
	printf '#!/bin/sh\necho "MaxArraySize            = 1001"\n' >bin/scontrol
	echo 'echo 77' >>bin/sbatch
	PATH=$PWD/bin:$PATH sh ./jobs >two
	mv calls calls.two
	for i in $(seq 500); do printf 'm%d\t-D gpgpu_l1_latency=%d\n' $i $i; done >>modifiers
	for i in $(seq 500); do printf '%s\n' "rtx3070 + m$i" "rtx3070 + few + m$i"; done >points
	PATH=$PWD/bin:$PATH sh ./jobs >thousand
	[ "$(wc -l <thousand)" = 1000 ]
	[ "$(wc -l <calls)" = "$(wc -l <calls.two)" ]
	for i in 1 2 3; do printf 'mine%d\t%s\n' $i "$(trace gemm)"; done >apps
	rm calls
	PATH=$PWD/bin:$PATH JOBS=64 run -1 sh ./with-slurm -p short
	assert_line '0 of 3000 runs done, 0 running, 0 failed'
	run -0 grep '^sbatch' calls
	[ "${#lines[@]}" = 2 ]
	assert_line --index 0 --partial -- '--array=1-1000%64'
	assert_line --index 0 --partial -- '-p short'
	assert_line --index 1 --partial -- '--dependency=afterany:77'
	# each run belongs to one task
	for t in 1 500 1000; do
		awk -v task=$t -v tasks=1000 '(NR - 1) % tasks + 1 == task' sweep/slurm/todo | wc -l
	done | sort -u >share
	[ "$(cat share)" -eq 3 ]
}

@test "plots writes PNG, SVG and the table of each plot" {
	command -v gnuplot >/dev/null || skip "gnuplot is not installed (Debian package gnuplot-nox)"
	command -v stats-csv >/dev/null || skip "stats-csv is not built"
	export SWEEP=$BATS_FILE_TMPDIR/expected
	run -0 sh "$sweep/plot"
	refute_output --partial 'warning'
	assert_line --regexp '^cycles: 24 kernels, mean absolute error [0-9.]+ %, median [0-9.]+ %, Pearson 0\.9[0-9]+$'
	for p in speedup stalls correlation; do
		[ "$(head -c 4 "$SWEEP/plots/$p.png" | tail -c 3)" = PNG ]
		[ "$(wc -c <"$SWEEP/plots/$p.png")" -gt 10000 ]
		grep -q '<svg' "$SWEEP/plots/$p.svg"
		[ "$(wc -l <"$SWEEP/plots/$p.tsv")" -ge 9 ]
	done
	[ "$(ls "$SWEEP/plots" | wc -l)" = 9 ]
	run -0 awk -F '\t' '$1 == "small+lrr+l20+8ch" { print $2, $3, $4, $5, $6 }' "$SWEEP/plots/speedup.tsv"
	assert_output '1.0000 1.0000 1.0000 1.0000 1.0000'
	awk -F '\t' 'NR > 1 { sum = 0; for (i = 2; i <= NF; i++) sum += $i; if (sum < 99.9 || sum > 100.1) exit 1 }' \
		"$SWEEP/plots/stalls.tsv"
	# titles, units, and axes that make the difference visible
	grep -q 'Speed-up over small+lrr+l20+8ch' "$SWEEP/plots/speedup.svg"
	grep -q 'above 1: faster' "$SWEEP/plots/speedup.svg"
	grep -q 'cycles of SMs with thread blocks (%)' "$SWEEP/plots/stalls.svg"
	grep -q 'cycles with gto' "$SWEEP/plots/correlation.svg"
	results=$SWEEP/results
	cd "$BATS_TEST_TMPDIR"
	for p in same:5000 near:5050 near2:4990; do
		sed -E "s/\"gpu_(tot_)?sim_cycle\":[0-9]+/\"gpu_\1sim_cycle\":${p#*:}/g" \
			"$results/gemm.small+lrr+l20+8ch.json" >"gemm.${p%:*}.json"
	done
	run -0 sh "$ROOT/examples/plots/speedup" -o close gemm.same.json gemm.near.json gemm.near2.json
	refute_output --partial warning
	run -0 grep -cE '>(0[.]99|1[.]00)[0-9]*<' close.svg
	[ "$output" -ge 3 ]
	run -1 grep '>0.5<' close.svg
	run -0 sh "$ROOT/examples/plots/speedup" -o equal gemm.same.json
	refute_output --partial warning
	python3 "$ROOT/examples/plots/correlate" -o both -m cycles gemm.near.json gemm.same.json >/dev/null
	grep -q 'gemm.near.json: cycles' both.svg
}

@test "correlate compares a run with measured cycles" {
	command -v gnuplot >/dev/null || skip "gnuplot is not installed (Debian package gnuplot-nox)"
	cd "$BATS_TEST_TMPDIR"
	trace-sim -q -g rtx3070 -F json -o run.json "$(trace example)"
	stats-csv -s gpu_sim_cycle -F tsv run.json | awk -F '\t' 'BEGIN { print "id,cycles,\"kernel\"" }
		NR > 1 { printf "%d,%d,\"%s\"\r\n", NR, $NF * (NR == 2 ? 0.8 : 1), $2 }
		END { print "9,5,\"odd \"\"one\"\"\"" }' >m.csv
	run -0 "$ROOT/examples/plots/correlate" -o c run.json m.csv
	assert_line --regexp 'correlate: kernel .*one.* is only in B'
	assert_line --regexp '^cycles: 2 kernels, mean absolute error 12\.5[0-9] %, median 12\.5[0-9] %, Pearson 1\.0000$'
	grep -q '<svg' c.svg
	[ "$(head -c 4 c.png | tail -c 3)" = PNG ]
	run -2 sh "$ROOT/examples/plots/stalls" -o s
	run ! sh "$ROOT/examples/plots/stalls" -o s run.json
	assert_output --partial 'expected profiles'
}
