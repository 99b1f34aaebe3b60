# SPDX-License-Identifier: BSD-2-Clause
# The power model (trace-sim-power(7)): reports, traces, records, options.
load helper
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	sh "$ROOT/tests/tools/power-xml" >p.xml
	d=$(trace vecadd)
}
on() { trace-sim -q -g qv100 -D power_simulation_enabled=1 -D accelwattch_xml_file=p.xml "$@"; }
value() { awk -v n="$1" '$1 == n || $1 == n "," { print $3 }' "$2"; }
# figure NAME FILE: prints a figure of the kernel record
figure() { awk -v n="$1" '/^# / { k = $2 } k == "kernel" && $1 == n { print $2 }' "$2"; }

@test "power: the report has 294 lines for each kernel, and the original's name only with -F accelsim" {
	on -F accelsim -o out "$d"
	[ "$(wc -l <accelwattch_power_report.log)" = 294 ]
	on -F accelsim -f -o out "$d"
	rm accelwattch_power_report.log
	on -o out2 "$d"
	[ ! -e accelwattch_power_report.log ]
	on -f -o out2 --power-report r "$d"
	[ "$(wc -l <r)" = 294 ]
	run -2 on -o out3 --power-report r "$d"
	assert_output --partial 'r: '
}

@test "power: the counters of a trace equal a count by hand" {
	on -o out --power-report r -D gpgpu_runtime_stat=100 "$d"
	[ "$(value gpu_tot_TOT_INST r)" = 640 ]
	[ "$(value gpu_tot_MEM_RD r)" = "$(figure 'dram_sum[n_rd]' out)" ]
	[ "$(value gpu_tot_MEM_PRE r)" = "$(figure 'dram_sum[n_pre]' out)" ]
	[ "$(value gpu_avg_CONSTP r)" = 30 ]
}

@test "power: figures, report and traces are the same for any number of threads and any windows" {
	for e in 'WARPTOOLS_WINDOW=1 1' 'A=1 1' 'A=1 3' 'WARPTOOLS_WINDOW=9 4'; do
		set -- $e
		export "${1?}"
		on -j "$2" -o "out$2$1" --power-report "r$2$1" -D power_trace_enabled=1 -D gpgpu_runtime_stat=77 "$d"
		unset WARPTOOLS_WINDOW
	done
	[ "$(cat r*1 | wc -l)" = $((4 * 294)) ] || ls >&2
	for f in r1A=1 r3A=1 r4WARPTOOLS_WINDOW=9; do
		cmp r1WARPTOOLS_WINDOW=1 $f
		cmp r1WARPTOOLS_WINDOW=1.metric.gz $f.metric.gz
		cmp r1WARPTOOLS_WINDOW=1.power.gz $f.power.gz
	done
	cmp out1A=1 out3A=1
}

@test "power: enabling it changes no other figure" {
	trace-sim -q -g qv100 "$d" | grep -v '^given\|^config\|power_simulation\|accelwattch' >plain
	on "$d" | grep -v '^given\|^config\|power_\|energy_\|accelwattch' >with
	cmp plain with
}

@test "power: trace files have one row for each sample and one for each block" {
	on -o out --power-report r -D power_trace_enabled=1 -D gpgpu_runtime_stat=100 "$d"
	n=$(figure power_samples out)
	[ "$(zcat r.metric.gz | wc -l)" = $((n + 2)) ]
	[ "$(zcat r.power.gz | tail -1)" = "$(zcat r.power.gz | tail -2 | head -1)" ]
	zcat r.power.gz | head -1 | grep -q 'IDLE_COREP,CONSTPSTATICP$'
	on -f -o out -F accelsim -D power_trace_enabled=1 "$d"
	[ -e gpgpusim_power_trace_report__*.log.gz ]
}

@test "power: a kernel shorter than a sample has an energy but no mean power" {
	on -o out --power-report r -D gpgpu_runtime_stat=10000000 "$d"
	[ "$(value gpu_avg_IBP r)" = -nan ]
	[ "$(value kernel_avg_power r)" = 0 ]
	[ -z "$(figure power_samples out)" ]
	awk -v w="$(figure power_average out)" 'BEGIN { exit !(w > 30) }'
}

@test "power: energies of intervals add up to the kernel's energy, and components to the total" {
	on -o out --interval 1000 "$d"
	awk '/^# / { k = $2 } $1 == "energy_kernel_joules" { e[k] += $2 }
		$1 ~ /^energy_component/ && k == "kernel" { c += $2 }
		END { exit !((e["interval"] / e["kernel"] - 1) ^ 2 < 1e-6 && (c / e["kernel"] - 1) ^ 2 < 1e-20) }' out
	w=$(figure power_average out)
	awk -v w="$w" -v e="$(figure energy_kernel_joules out)" -v t="$(figure energy_seconds out)" \
		'BEGIN { exit !((w * t / e - 1) ^ 2 < 1e-20) }'
	stats-csv -s 'power_*' out | head -1 | grep -q 'power_average,.*power_component\[CONSTP\]'
	on -F json -o out.json "$d"
	on -F msgpack -o out.mp "$d"
	stats-diff out.json out.mp
}

@test "power: scaling factors change the energies; only unit factors also change the printed counters" {
	on -o a --power-report ra "$d"
	sh "$ROOT/tests/tools/power-xml" REG_RD=0.2 INT_MUL_ACC=0.25 >p.xml
	on -o b --power-report rb "$d"
	[ "$(value gpu_tot_REG_RD ra)" = "$(value gpu_tot_REG_RD rb)" ]
	awk -v a="$(value gpu_tot_INT_MUL_ACC ra)" -v b="$(value gpu_tot_INT_MUL_ACC rb)" 'BEGIN { exit !(a > 0 && (b / a / 2 - 1) ^ 2 < 1e-9) }'
}

@test "power: a table of measured counters replaces all simulated counters, or some" {
	{ echo header,,L1_RH; echo b,,100,200,30,40,50,60,70,80,90,100,110,120,130,0.5,40,2222.5,0.9; } >t.csv
	sed -i 's/L1_RH/1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17/;s/,1,2/,x,2/' t.csv
	set -- -D hw_perf_file_name=t.csv -D hw_perf_bench_name=b
	on -o out --power-report r -D power_simulation_mode=1 "$@" "$d"
	[ "$(value gpu_tot_DC_RH r)" = 100 ]
	[ "$(value gpu_avg_IDLE_CORE_N r)" = 40 ]
	[ "$(value gpu_avg_PIPE_A r)" = 0.5 ]
	[ "$(figure power_samples out)" = 1 ]
	on -f -o out --power-report r2 -D power_simulation_mode=2 -D accelwattch_hybrid_perfsim_DRAM_RD=1 "$@" "$d"
	[ "$(value gpu_tot_DC_RH r2)" = 100 ]
	[ "$(value gpu_tot_MEM_RD r2)" = "$(figure 'dram_sum[n_rd]' out)" ]
	on -f -o out --power-report r3 -D power_simulation_mode=1 -D dvfs_enabled=1 "$@" "$d"
	[ "$(value gpu_avg_CONSTP r3)" = 24.3 ]
	on -f -o out --power-report r4 -D power_simulation_mode=1 -D aggregate_power_stats=1 "$@" "$d"
	[ "$(value gpu_tot_TOT_INST r4)" = 640 ]
}

@test "power: per-component energies work for any hardware part; the modern core requires them" {
	sed -n 's/^ENERGY(\([a-z0-9_]*\), \([^,]*\), "\([JW]\)".*/\1 \2 \3/p' "$ROOT/libcommon/power/energies.def" >e
	on -o a "$d"
	on --power-energies e -o b "$d"
	[ "$(figure power_average a)" = "$(figure power_average b)" ]
	[ "$(figure power_unvalidated b)" = 1 ]
	[ -z "$(figure power_unvalidated a)" ]
	sed -i s/23/22/ p.xml
	run -2 on "$d"
	assert_output --partial 'expected 23'
	on --power-energies e -f -o b "$d"
	run -2 on -g a100 -D core_model=modern "$d"
	on -g a100 -D core_model=modern --power-energies e -f -o b "$(trace vecadd)"
	[ "$(figure power_unvalidated b)" = 1 ]
}

@test "power: steady states have a file of their own" {
	on -o out --power-report r -D steady_power_levels_enabled=1 -D gpgpu_runtime_stat=100 "$d"
	zcat r.steady.gz | head -1 | grep -q '^start,end,power,IPC,TOT_INST'
	zcat r.steady.gz | tail -1 | grep -q '^[0-9]*,[0-9]*,[0-9.]*,'
}

@test "power: isolated kernels have energies and no report" {
	on --isolate -o out "$d"
	[ -n "$(figure energy_kernel_joules out)" ]
	run -2 on --isolate --power-report r "$d"
	run -2 on --isolate -D power_trace_enabled=1 "$d"
}

@test "power: the progress line shows the mean power so far" {
	trace-sim -v -g qv100 -D power_simulation_enabled=1 -D accelwattch_xml_file=p.xml -o out "$d" 2>err
	grep -q '^kernel 1/1 .* 0 s left, [0-9.]* W$' err
	[ "$(sed -n 's/.*, \([0-9.]*\) W$/\1/p' err)" = "$(printf %.1f "$(figure power_average out)")" ]
	trace-sim -v -g qv100 -o plain "$d" 2>err
	! grep -q ' W$' err
}

@test "power: the table of energies in examples equals the shipped one" {
	e="$ROOT/examples/power/v100.energies"
	on --power-energies "$e" -o b "$d"
	on -o a "$d"
	[ "$(figure power_average a)" = "$(figure power_average b)" ]
	[ "$(figure power_unvalidated b)" = 1 ]
	[ "$(grep -vc '^#' "$e")" = 33 ]
}
