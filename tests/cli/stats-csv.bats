#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# stats-csv: each option, each exit status, and equal tables for all formats of results.

bats_require_minimum_version 1.5.0
load helper

setup_file() {
	load helper
	make_results
}

setup() { take_results; }

# Runs stats-csv and removes carriage returns.
csv() { stats-csv "$@" | tr -d '\r'; }

@test "-h and --version print to stdout, and usage errors have status 2" {
	run -0 stats-csv -h
	assert_output --partial '--per'
	run -0 stats-csv --version
	run -2 stats-csv --lst
	assert_output --partial "--list"
	run -2 stats-csv -F xml app.json
	assert_output --partial "expected csv, tsv or markdown"
	run -2 stats-csv --per warp app.json
	run -2 stats-csv --agg mode app.json
	run -2 stats-csv --group gpu_ipc app.json
	run -2 stats-csv --group run --long app.json
	run -2 stats-csv -s , app.json
	run -2 stats-csv -k 0 app.json
	run -2 stats-csv -e 'x' app.json
	run -2 stats-csv -e 'x=1+' app.json
	assert_output --partial "-e:1:5" || assert_output --partial "expected a number, a name or '('"
}

@test "one row for each kernel, with figures in the order of -s" {
	run -0 csv -s 'gpu_ipc,gpu_sim_cycle' app.json
	assert_line --index 0 'run,kernel_name,id,gpu_ipc,gpu_sim_cycle'
	assert_equal "${#lines[@]}" 5
	assert_line --index 1 --regexp '^app.json,write,1,[0-9.]+,[0-9]+$'
}

@test "all input formats give the same table of common figures" {
	s='gpu_sim_cycle,gpu_sim_insn,gpu_ipc,gpu_tot_sim*,gpu_tot_i*,gpu_stall*,L1D_total*,L2_total*,*breakdown*,gpgpu_n*,warp_ipc'
	s="$s,warp_occupancy*,*issue_nums*,*lat_table*,max*,dram_sum*,*_reads,*_writes,average_row_locality,icnt_*"
	s="$s,L2_cache_bank*,*core*.Access,*.n_act,*.bk*.n_access,*.Row_Bus_Util,*.CoL_Bus_Util,*packets_per_cycle,dram*_service_time"
	for f in text json msgpack accelsim; do
		csv -q -s "$s" - <app.$f >t.$f
		csv -q --running -s "${s/average_row_locality,/}" - <app.$f >r.$f
	done
	for f in text msgpack accelsim; do
		cmp t.json t.$f
		cmp r.json r.$f
	done
	[ "$(head -1 t.json | tr , '\n' | wc -l)" -gt 200 ]
	! cmp -s t.json r.json
}

@test "--per run gives the totals, equal for all formats" {
	for f in json text msgpack accelsim; do
		csv --per run -s 'gpu_sim_cycle,gpu_ipc,L2_total*,L1D_total*,gpgpu_n*,warp_occupancy*' - <app.$f >p.$f
		cmp p.json p.$f
	done
	run -0 cut -d, -f1-2 p.json
	assert_output "run,status
-,complete"
	total=$(csv -s gpu_sim_cycle app.json | awk -F, 'NR > 1 { n += $4 } END { print n }')
	run -0 csv --per run -s gpu_sim_cycle app.json
	assert_line --index 1 "app.json,complete,$total"
}

@test "options that differ between the runs become columns" {
	run -0 csv -s gpu_sim_cycle app.json small.json
	assert_line --index 0 'run,gpgpu_n_clusters,kernel_name,id,gpu_sim_cycle'
	assert_line --partial 'small.json,2,write,1,'
	assert_line --partial 'app.json,46,write,1,'
}

@test "several runs in one stream on stdin are separate runs" {
	cat app.json app.text app.msgpack app.accelsim small.json | csv -s gpu_sim_cycle >t
	run -0 cut -d, -f1 t
	assert_line '-'
	assert_line '-#5'
	assert_equal "$(wc -l <t)" 21
	cat app.accelsim app.accelsim | csv -s gpu_sim_cycle >two
	assert_equal "$(wc -l <two)" 9
}

@test "input from a pipe may arrive in pieces of any size" {
	cat app.msgpack app.accelsim app.json >all
	stats-csv -s gpu_sim_cycle - <all >want
	for seed in 1 2 3 4 5 6 7 8; do
		python3 - $seed <<-'END' | stats-csv -s gpu_sim_cycle - | cmp - want
		import os, random, sys
		random.seed(int(sys.argv[1]))
		all = open('all', 'rb').read()
		while all:
		    all = all[os.write(1, all[:random.choice([1, 7, 100, 4096, 5000, 65536])]):]
		END
	done
}

@test "-k selects kernels, --long and --wide choose the form, --list prints the figures" {
	run -0 csv -k 2,4 -s gpu_sim_cycle app.accelsim
	assert_equal "${#lines[@]}" 3
	run -0 csv -k 'read' --long -s 'gpu_sim_cycle,gpu_ipc' app.json
	assert_line --index 0 'run,kernel_name,id,statistic,value,unit'
	assert_line --regexp '^app.json,read,3,gpu_sim_cycle,[0-9]+,cycles$'
	assert_equal "${#lines[@]}" 5
	run -0 csv --long --wide -s gpu_sim_cycle app.json
	assert_line --index 0 'run,kernel_name,id,gpu_sim_cycle'
	run -0 csv --list -s 'gpu_ipc,L2_cache_bank*' app.json
	assert_line --index 1 'gpu_ipc,thread-insts/cycle,interval,thread instructions per core cycle'
	assert_line --partial 'L2_cache_bank[*].Access,accesses,counter,'
}

@test "-F tsv and markdown print their forms, -o keeps an existing file, -f replaces it" {
	run -0 stats-csv -F tsv -s gpu_sim_cycle app.json
	assert_line --index 0 "$(printf 'run\tkernel_name\tid\tgpu_sim_cycle')"
	run -0 stats-csv -F markdown -s gpu_sim_cycle app.json
	assert_line --index 0 '| run | kernel_name | id | gpu_sim_cycle |'
	assert_line --index 1 '|---|---|---:|---:|'
	run -0 stats-csv -s gpu_sim_cycle -o t.csv app.json
	assert_output ""
	run -2 stats-csv -s gpu_ipc -o t.csv app.json
	run -0 stats-csv -s gpu_ipc -f -o t.csv app.json
	run -0 head -1 t.csv
	assert_output --partial gpu_ipc
}

@test "fields are quoted as RFC 4180 says" {
	sed 's/"name":"read"/"name":"f<a, \\"b\\">(int)"/' app.json >'odd,name.json'
	run -0 csv -s gpu_sim_cycle 'odd,name.json'
	assert_line --partial '"odd,name.json","f<a, ""b"">(int)",3,'
	stats-csv -s gpu_sim_cycle app.json | grep -q "$(printf '\r')"
	python3 - <<-END
	import csv, subprocess
	out = subprocess.run(['stats-csv', '-s', 'gpu_sim_cycle', 'odd,name.json'], capture_output=True, text=True).stdout
	assert [r[1] for r in csv.reader(out.splitlines())][3] == 'f<a, "b">(int)'
	END
}

@test "-e adds derived columns" {
	run -0 csv -k 1 -s gpu_sim_cycle -e 'mpki=1000*L2_misses/warp_insts' -e 'half=mpki/2' \
		-e 'zero=1/(gpu_sim_cycle-gpu_sim_cycle)' -e 'big=max(min(1,2),sqrt(9),abs(-7),log(1))' \
		-e 'lanes=warp_occupancy[*]-(warp_occupancy[*])' app.json
	assert_line --index 0 'run,kernel_name,id,gpu_sim_cycle,mpki,half,zero,big,lanes'
	assert_line --index 1 --regexp '^app.json,write,1,[0-9]+,1200,600,,7,0$'
	run -0 stats-csv -e 'x=power_average+1' -s gpu_ipc app.json
	assert_output --partial "no value of power_average"
	run -0 stats-csv -q -e 'x=power_average+1' -s gpu_ipc app.json
	refute_output --partial "warning"
}

@test "--group combines kernels of a run by the functions of --agg" {
	run -0 csv --group kernel_name --agg sum,mean,geomean,min,max -s 'gpu_sim_cycle' app.json
	assert_line --index 0 "run,kernel_name,kernels,$(printf 'gpu_sim_cycle.%s,' sum mean geomean min max | sed 's/,$//')"
	assert_equal "${#lines[@]}" 3
	# The rate of a run is computed from its sums, as in its end record.
	csv --group run -s gpu_ipc app.json | tail -1 | cut -d, -f3 >got
	csv --per run -s gpu_ipc app.json | tail -1 | cut -d, -f3 >want
	cmp got want
	run -0 csv --agg sum -s 'averagemflatency,maxmflatency' app.json
	assert_line --index 1 --regexp '^app.json,4,,[0-9]+$'
}

@test "--agg: each function agrees with Python" {
	run -0 csv -k 1-4 --agg sum,mean,geomean,median,stddev,min,max,p90 -s gpu_sim_cycle app.json
	assert_line --index 0 --partial 'gpu_sim_cycle.geomean,gpu_sim_cycle.median,gpu_sim_cycle.stddev,'
	csv --agg sum,mean,geomean,median,stddev,min,max,p90 -s gpu_sim_cycle app.json | tail -1 >got
	csv -s gpu_sim_cycle app.json >rows
	python3 - <<-'END'
	import csv, math, statistics as s
	v = sorted(float(r['gpu_sim_cycle']) for r in csv.DictReader(open('rows')))
	at = 0.9 * (len(v) - 1)
	k = int(at)
	p90 = v[k] + (at - k) * (v[min(k + 1, len(v) - 1)] - v[k])
	want = [sum(v), s.mean(v), s.geometric_mean(v), s.median(v), s.stdev(v), min(v), max(v), p90]
	got = [float(x) for x in open('got').read().strip().split(',')[2:]]
	assert len(got) == len(want) and all(math.isclose(a, b, rel_tol=1e-12) for a, b in zip(got, want)), (got, want)
	END
	run -0 csv -k 1 --agg stddev,median -s gpu_sim_cycle app.json
	assert_line --index 1 --regexp '^app.json,1,,[0-9]+$'
}

@test "--options and --no-options choose the option columns" {
	run -0 csv --no-options -s gpu_sim_cycle app.json small.json
	assert_line --index 0 'run,kernel_name,id,gpu_sim_cycle'
	run -0 csv --options '-gpgpu_n_mem,gpgpu_n_clusters,*u_l1_lat*' -s gpu_sim_cycle app.json small.json
	assert_line --index 0 'run,gpgpu_n_mem,gpgpu_n_clusters,gpgpu_l1_latency,kernel_name,id,gpu_sim_cycle'
	assert_line --index 1 --regexp '^app.json,16,46,39,write,1,[0-9]+$'
	run -0 csv --no-options --options gpgpu_n_mem --per run -s gpu_sim_cycle app.json
	assert_line --index 0 'run,gpgpu_n_mem,status,gpu_sim_cycle'
	run -0 csv --options gpgpu_n_mem --agg sum -s gpu_sim_cycle app.json
	assert_line --index 0 'run,gpgpu_n_mem,kernels,gpu_sim_cycle.sum'
	run -0 --separate-stderr stats-csv --options nothing -s gpu_sim_cycle app.json
	[[ $stderr == *"--options nothing: no such option"* ]]
	run -2 stats-csv --options , app.json
}

@test "missing values are empty, and a figure named in full has its column" {
	run -0 csv -q -s 'gpu_occupancy,gpu_sim_cycle,achieved_occupancy' -k 1 app.accelsim
	assert_line --index 0 'run,kernel_name,id,gpu_occupancy,gpu_sim_cycle,achieved_occupancy'
	assert_line --index 1 --regexp '^app.accelsim,write,1,8.2665,[0-9]+,$'
}

@test "the configuration in a log of Accel-Sim is read" {
	blocks() { sed -n '/^kernel_name/,$p' app.accelsim; }
	{
		echo 'Accel-Sim [build 1]'
		echo 'GPGPU-Sim: Configuration options:'
		echo '-gpgpu_n_clusters                   46 # number of processing clusters'
		blocks
		echo 'Accel-Sim [build 1]'
		echo 'GPGPU-Sim: Configuration options:'
		echo '-gpgpu_n_clusters                   80 # number of processing clusters'
		blocks
	} >two.log
	run -0 csv -s gpu_sim_cycle two.log
	assert_line --index 0 'run,gpgpu_n_clusters,kernel_name,id,gpu_sim_cycle'
	assert_line --partial 'two.log#2,80,write,1,'
}

@test "a run that stopped early gives its rows and status 1" {
	for f in text json msgpack accelsim; do
		n=$(($(wc -c <app.$f) * 7 / 10))
		head -c $n app.$f >cut.$f
		run -1 --separate-stderr stats-csv -s gpu_sim_cycle cut.$f
		[ "${#lines[@]}" -ge 2 ]
		[[ $stderr == *"cut.$f"*"not complete"* ]]
	done
	gzip -k app.accelsim
	head -c $(($(wc -c <app.accelsim.gz) - 20)) app.accelsim.gz >cut.gz
	run -1 --separate-stderr stats-csv -s gpu_sim_cycle cut.gz
	sed '/END-of-Interconnect/d' app.accelsim >lines # a script kept only some of the lines
	sed '0,/END-of-Interconnect/!{/END-of-Interconnect/d}' app.accelsim >last
	sed 's/.*exit detected.*/GPGPU-Sim: ** break due to reaching the maximum cycles **\n&/' last >limit
	for f in lines last limit; do
		run -1 stats-csv -s gpu_sim_cycle $f
		assert_output --partial "error: the block of a kernel ends without the line 'END-of-Interconnect-DETAILS'"
		refute_output --partial ,complete,
		refute_output --partial ,limit,
	done
	grep -v 'exit detected' app.accelsim >ended
	run -1 --separate-stderr stats-csv -s gpu_sim_cycle ended
	assert_equal "${#lines[@]}" 5
	sed 's/"status":"complete"/"status":"deadlock"/' app.json >dead
	run -1 --separate-stderr stats-csv -s gpu_sim_cycle dead
	[[ $stderr == *"deadlock"* ]]
}

@test "a derived column may not take the name of a figure or of another derived column" {
	run -2 stats-csv -e L2_total_cache_miss_rate=1 app.json
	assert_output --partial "'L2_total_cache_miss_rate' is the name of a figure"
	run -2 stats-csv -e x=1 -e x=2 app.json
	assert_output --partial "'x' is defined twice"
}

@test "kernels or intervals that the input lacks: status 2" {
	run -2 stats-csv -k 99 app.json
	assert_output --partial '-k selects no kernel'
	run -2 stats-csv --per interval -s gpu_sim_cycle app.json
	assert_output --partial 'no intervals in the input (expected results of trace-sim --interval)'
}

@test "standard input is read once" {
	run -2 stats-csv - - <app.json
	assert_output --partial '<stdin>: error: standard input is named twice'
}

# Prints a result as text with a kernel for each value of gpgpu_n_tot_w_icount.
kernels() {
	printf '# run\n'
	for v; do printf '# kernel\nposition 1 -\nname k -\nid 1 -\ngpgpu_n_tot_w_icount %s warp-insts\n' "$v"; done
	printf '# end\nstatus complete -\n'
}

@test "sums too large for a whole number, and geometric means of equal values" {
	kernels 18446744073709551615 1 >big
	run -0 stats-csv -q --agg sum -s gpgpu_n_tot_w_icount big
	assert_line --index 1 --partial 'big,2,1.8446744073709552e+19'
	kernels 5898 5898 5898 >same
	run -0 stats-csv -q --agg geomean -s gpgpu_n_tot_w_icount same
	assert_line --index 1 --regexp '^same,3,5898.?$'
}

@test "invalid input has status 2, a message with its place, and no output" {
	{ head -2 app.json; echo '{"record":'; tail -3 app.json; } >bad.json
	run -2 --separate-stderr stats-csv -o out.csv bad.json
	[[ $stderr == *"bad.json:3"*"expected a record"* ]]
	assert [ ! -e out.csv ]
	at=$(grep -n '^gpu_ipc ' app.text | head -1 | cut -d: -f1)
	{ head -$((at - 1)) app.text; echo 'gpu_ipc 12x -'; tail -3 app.text; } >bad.text
	run -2 --separate-stderr stats-csv bad.text
	[[ $stderr == *"bad.text:$at: error: invalid value '12x' (expected a number or nan)"* ]]
	{ cat app.msgpack; printf '\201\246record\301'; } >bad.msgpack
	run -2 stats-csv bad.msgpack
	assert_output --partial "expected a record in MessagePack"
	: >empty
	run -2 stats-csv empty
	assert_output --partial "empty: error: no statistics (expected records of trace-sim or a log of Accel-Sim)"
	run -2 stats-csv missing.json
	head -c 3000 /dev/urandom >noise
	run -2 stats-csv noise
	run -2 sh -c 'stats-csv -s gpu_ipc app.json >/dev/full'
}

@test "a directory stands for its files" {
	mkdir d none d/sub
	cp app.json d/2
	cp small.json d/1
	mkfifo d/fifo
	touch d/.hidden
	run -0 timeout 20 stats-csv -s gpu_sim_cycle d app.text
	assert_equal "$output" "$(stats-csv -s gpu_sim_cycle d/1 d/2 app.text)"
	run -2 stats-csv none
	assert_output 'stats-csv: none: error: no files in the directory (expected results)'
	run -2 stats-csv -f -o d/1 d
	assert_output --partial 'd/1'
	cmp small.json d/1
}

@test "a result without its run record is rejected" {
	tail -n +2 app.json >cut.json
	sed -n '/^# kernel/,$p' app.text >cut.text
	run -2 stats-csv cut.json
	assert_output 'stats-csv: cut.json:1: error: a record without a run record before it (expected a complete result)'
	run -2 stats-diff -q app.json cut.text
	assert_output 'stats-diff: cut.text:1: error: a record without a run record before it (expected a complete result)'
}

@test "a byte order mark before a result is ignored" {
	for form in json text accelsim; do
		{ printf '\xef\xbb\xbf'; cat app.$form; } >marked.$form
		run -0 stats-diff app.$form marked.$form
		assert_output ''
	done
}

@test "a long log is read in little memory" {
	plain_build_only
	for i in $(seq 60); do cat app.accelsim; done >long
	run -0 sh -c 'ulimit -v 60000; stats-csv -s "*" long | wc -l'
	assert_output 241
}

@test "-s with an unknown name has status 2 and a suggestion" {
	trace-sim -q -g rtx3070 -F json -o "$BATS_TEST_TMPDIR/r" "$(trace example)"
	run -2 --separate-stderr stats-csv -s gpu_sim_cycel "$BATS_TEST_TMPDIR/r"
	assert_equal "$output" ""
	[[ $stderr == *"unknown figure gpu_sim_cycel, did you mean gpu_sim_cycle?"* ]]
	run -0 stats-csv -q -s 'nothing*' "$BATS_TEST_TMPDIR/r"
}

@test "Markdown shows control characters and direction marks as \\xNN; CSV and TSV keep the bytes" {
	mark=$(printf '\342\200\256')
	sed "s/\"name\":\"write\"/\"name\":\"wr\\\\u001b[31m$mark\"/" app.json >name.json
	run -0 csv -F markdown -s gpu_ipc name.json
	assert_line --partial '| wr\\x1b\[31m\\xe2\\x80\\xae |'
	for f in csv tsv; do
		run -0 csv -F $f -s gpu_ipc name.json
		assert_line --partial "wr$(printf '\033')[31m$mark"
	done
}

@test "--names chooses short, full and mangled names" {
	sed 's/"name":"[^"]*"/"name":"_ZN3sum6reduceIiEEvPT_S2_i"/' app.json >m.json
	run -0 stats-csv -F csv -s gpu_sim_cycle --names short m.json
	assert_line --index 1 --regexp '^m\.json,reduce,1,'
	run -0 stats-csv -F csv -s gpu_sim_cycle --names full m.json
	assert_line --index 1 --regexp '^m\.json,"void sum::reduce<int>\(int\*, int\*, int\)",1,'
	run -0 stats-csv -F csv -s gpu_sim_cycle --names mangled m.json
	assert_line --index 1 --regexp '^m\.json,_ZN3sum6reduceIiEEvPT_S2_i,1,'
	run -2 stats-csv --names long m.json
	assert_output --partial 'expected short, full or mangled'
	# names that are not mangled, or that only look so
	for name in 'operator()(int)' '(anonymous namespace)::f<(A)1>(int)' _Zx 'a<b' '' '_ZN' 'void f<g<int> >(g<int>)'; do
		NAME=$name python3 -c 'import json, os, sys
for l in open("app.json"):
    r = json.loads(l)
    if r["record"] == "kernel": r["name"] = os.environ["NAME"]
    print(json.dumps(r))' >n.json
		run -0 stats-csv -s gpu_sim_cycle --names short n.json
		run -0 stats-csv -s gpu_sim_cycle --names full n.json
	done
	run -0 stats-csv -F tsv -s gpu_sim_cycle --names short n.json
	assert_line --index 1 --regexp $'^n\\.json\tf\t1\t'
}

@test "profiles among results are skipped with a warning" {
	trace-sim -q -g rtx3070 -F json -o r.json --profile p.json "$(trace vecadd)"
	run -0 stats-csv r.json p.json
	assert_line --partial 'p.json: warning: a profile is not a result: skipped'
	stats-csv -q r.json >one
	stats-csv -q r.json p.json >both
	cmp one both
	run -0 stats-csv -q -s 'sched_cycles*' p.json
	assert_equal "${#lines[@]}" 2
}
