#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# examples/plots/correlate compares each profiler's output (tests/data/correlate) for one application with one model.

bats_require_minimum_version 1.5.0
load helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	data=$ROOT/tests/data/correlate
}

correlate() { python3 "$ROOT/examples/plots/correlate" -o c "$@" 2>err; }

@test "correlate reads both pages of Nsight Compute" {
	for page in details raw; do
		run -0 correlate "$data/model.csv" "$data/ncu-$page.csv"
		assert_line --index 0 'cycles: 3 kernels, mean absolute error 10.00 %, median 10.00 %, Pearson 0.9750'
		assert_line --index 1 --regexp '^ +-20.00 %  10000 -> 8000  (reduce|_Z6reduce.*|void reduce.*)$'
		assert_line 'time: 3 kernels, mean absolute error 10.00 %, median 10.00 %, Pearson 0.9750'
		assert_line --regexp '^l2_hit_rate: 3 kernels, mean absolute error 6.67 points, median 10.00 points, Pearson 0\.9'
		assert_line --regexp '^occupancy: 3 kernels, mean absolute error 3.33 points, median 5.00 points, Pearson 1\.0000$'
		assert_line --regexp '^dram_bandwidth: '
	done
	assert_line 'warp_instructions: 3 kernels, mean absolute error 0.00 %, median 0.00 %, Pearson 1.0000'
	assert_line --regexp '^thread_instructions: 3 kernels, mean absolute error 0.00 %'
	assert_line --regexp '^l1_hit_rate: 3 kernels, mean absolute error 1.67 points, median 0.00 points'
	assert_line --regexp '^dram_read_bytes: 3 kernels, mean absolute error 16.67 %'
	assert_line --regexp '^dram_bytes: 3 kernels, mean absolute error 16.67 %'
	awk -F '\t' '$1 == "cycles" && $3 ~ /vectorAdd/ && $4 == 2 && $5 == 4000 && $6 == 4000 && $7 == 0 { n++ }
		END { exit n != 1 }' c.tsv
}

@test "correlate reads Nsight Systems, launch by launch and summed" {
	run -0 correlate "$data/model.csv" "$data/nsys-trace.csv"
	assert_line --index 0 'time: 3 kernels, mean absolute error 10.00 %, median 10.00 %, Pearson 0.9750'
	refute_line --regexp '^cycles:'
	[ "$(grep -c memcpy err c.tsv | grep -vc ':0$')" = 0 ]
	run -0 correlate -c 1250 "$data/model.csv" "$data/nsys-trace.csv"
	assert_line --index 0 'cycles: 3 kernels, mean absolute error 10.00 %, median 10.00 %, Pearson 0.9750'
	# the kernel's mean of 4400 and 3200 ns against 3600 ns, and 6400 ns against 8000 ns
	run -0 correlate "$data/model.csv" "$data/nsys-sum.csv"
	assert_line --index 0 --regexp '^time: 2 kernels, mean absolute error 12.78 %'
	grep -q $'^time\t1\tvectorAdd\tmean\t3600\t3800\t5.5556$' c.tsv
}

@test "correlate reads metrics and traces of nvprof" {
	run -0 correlate "$data/model.csv" "$data/nvprof-trace.csv"
	assert_line --index 0 'time: 3 kernels, mean absolute error 10.00 %, median 10.00 %, Pearson 0.9750'
	run -0 correlate "$data/model.csv" "$data/nvprof-metrics.csv"
	assert_line --index 0 --regexp '^warp_instructions: 2 kernels, mean absolute error 0.00 %'
	assert_line --regexp '^occupancy: 2 kernels, mean absolute error 2.50 points'
	assert_line --regexp '^l2_hit_rate: 2 kernels, mean absolute error 0.00 points'
	run -0 correlate -n 80 -m cycles "$data/model.csv" "$data/nvprof-metrics.csv"
	assert_line --index 0 --regexp '^cycles: 2 kernels, mean absolute error 12.78 %'
}

@test "correlate reads kernel,metric,value and lists of files, and reports rows that only one side has" {
	run -0 correlate "$data/model.csv" "$data/plain.csv"
	assert_line --index 0 'cycles: 3 kernels, mean absolute error 10.00 %, median 10.00 %, Pearson 0.9750'
	assert_line --regexp '^dram_bytes: 3 kernels'
	run -0 correlate -m cycles "$data/model.csv,$data/model.csv" "$data/plain.csv,$data/ncu-raw.csv"
	assert_line --index 0 --regexp '^cycles: 6 kernels, mean absolute error 10.00 %'
	{ cat "$data/plain.csv"; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "k$i,cycles,100"; done; } >more.csv
	{ cat "$data/model.csv"; for i in 1 2 3 4 5 6 7 8 9 10 11; do echo "k$i,$((100 + i)),,,,,,,,"; done; } >modelled.csv
	run -0 correlate -m cycles modelled.csv more.csv
	[ "${#lines[@]}" = 11 ]
	assert_line --index 10 --regexp '[+]4\.00 %'
	grep -q 'correlate: kernel k12 is only in B' err
}

@test "correlate pairs results of trace-sim by kernel name and launch" {
	trace-sim -q -g rtx3070 -F json -o run.json "$(trace streams)"
	trace-sim -q -g rtx3070 -F accelsim -o run.log "$(trace streams)"
	run -0 correlate run.json run.log
	assert_line --index 0 'cycles: 4 kernels, mean absolute error 0.00 %, median 0.00 %, Pearson 1.0000'
	run -0 correlate run.json run.json
	for m in cycles time warp_instructions thread_instructions l2_hit_rate dram_read_bytes dram_bytes dram_bandwidth occupancy; do
		assert_line --regexp "^$m: [0-9]+ kernels, mean absolute error 0.00 "
	done
}

@test "correlate rejects invalid input" {
	echo 'a,b' >bad.csv
	run -2 correlate "$data/model.csv" bad.csv
	grep -q 'bad.csv:1: no column Kernel Name' err
	printf 'kernel,colour\nk,red\n' >bad.csv
	run -2 correlate "$data/model.csv" bad.csv
	grep -q 'no known metric in 1 kernel' err
	run -2 correlate -m speed "$data/model.csv" "$data/plain.csv"
	run -2 correlate "$data/model.csv"
	run -2 correlate "$data/model.csv" none.csv
	grep -q 'none.csv: No such file' err
	run -2 correlate "$data/model.csv" none.json
	printf 'kernel,cycles\nother,5\n' >other.csv
	run -2 correlate "$data/model.csv" other.csv
	grep -q 'no kernel with a metric on both sides' err
}
