#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-sim's command line: each option, each exit status, and the properties of results.

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

@test "-h and --version print to stdout" {
	run -0 trace-sim -h
	assert_output --partial 'trace-sim [-g GPU]'
	assert_output --partial '--events'
	run -0 trace-sim --version
	assert_output --regexp '^trace-sim \(warptools\) [0-9]+\.[0-9]+'
}

@test "usage errors have status 2 and name the nearest option" {
	run -2 trace-sim --formt text x
	assert_output --partial "format"
	run -2 trace-sim -g rtx3070 a b
	run -2 trace-sim -F xml x
	assert_output --partial "expected text, json, msgpack or accelsim"
	run -2 trace-sim "$(trace vecadd)"
	assert_output --partial "expected -g GPU or -c FILE"
}

@test "a list, a directory, one kernel file and standard input give the same kernel" {
	d=$(trace gather)
	trace-sim -q -g qv100 "$d/kernelslist.g" >list
	trace-sim -q -g qv100 "$d" >directory
	trace-sim -q -g qv100 "$d/kernel-1.traceg" >file
	(cd "$d" && trace-sim -q -g qv100 - <kernelslist.g) >stdin
	cmp list directory
	cmp list file
	cmp list stdin
}

@test "compressed input gives the same bytes" {
	d=$(trace gather)
	trace-sim -q -g qv100 "$d" >plain
	for c in gzip xz 'zstd -q'; do
		rm -rf z
		mkdir z
		cp "$d/kernelslist.g" z
		$c <"$d/kernel-1.traceg" >z/kernel-1.traceg
		trace-sim -q -g qv100 z >out
		cmp plain out
	done
}

@test "the same input gives the same bytes twice, in every format" {
	d=$(trace example)
	for f in text json msgpack accelsim; do
		trace-sim -q -g rtx3070 -F "$f" "$d" >a
		trace-sim -q -g rtx3070 -F "$f" "$d" >b
		cmp a b
		[ -s a ]
	done
}

@test "JSON has one object a line: run, kernels, end" {
	run -0 trace-sim -q -g rtx3070 -F json "$(trace example)"
	assert_equal "${#lines[@]}" 4
	for i in 0 1 2 3; do printf '%s\n' "${lines[$i]}" | python3 -m json.tool >/dev/null; done
	assert_line --index 0 --regexp '^\{"record":"run"'
	assert_line --index 2 --regexp '^\{"record":"kernel","position":2'
	assert_line --index 3 --regexp '"status":"complete"'
}

@test "text lines have three words" {
	trace-sim -q -g rtx3070 "$(trace example)" >out
	run awk '!/^#/ && NF != 3' out
	assert_output ''
}

@test "the figures of the kernels add up to the totals" {
	trace-sim -q -g rtx3070 "$(trace streams)" >out
	run awk '/^# /{end = $2 == "end"} $1 == "gpu_sim_cycle" { if (end) t = $2; else s += $2 } END { print t - s }' out
	assert_output 0
}

@test "results contain no path, host time or process id" {
	trace-sim -q -g rtx3070 "$(trace example)" >out
	run grep -c -e "$BATS_FILE_TMPDIR" -e host -e pid out
	assert_output 0
	trace-sim -q -g rtx3070 -F accelsim "$(trace example)" >log
	run grep -c simulation_rate log
	assert_output 0
	trace-sim -q -g rtx3070 -F accelsim --host-time "$(trace example)" >log
	run grep -c gpgpu_simulation_rate log
	assert_output --regexp '^[1-9]'
}

@test "-F accelsim starts and ends like a complete run of the original, with a number for gpu_occupancy" {
	trace-sim -q -g rtx3070 -F accelsim -D gpgpu_n_clusters=40 "$(trace example)" >log
	run -0 cat log
	assert_line --index 0 --regexp '^Accel-Sim \[build warptools-.+\]$'
	assert_line --index 1 --regexp '\*\*\* GPGPU-Sim Simulator Version .+\[build .+\] \*\*\*$'
	assert_line --index 2 'GPGPU-Sim: Configuration options:'
	assert_line --regexp '^-gpgpu_n_clusters  +40 # '
	assert_line 'GPGPU-Sim: *** exit detected ***'
	assert_line --regexp '^kernel_name = vector_add'
	assert_line --regexp '^gpu_occupancy = [0-9]+\.[0-9]{4}% $'
	refute_output --partial '-core_'
	assert_equal "$(sed '/^kernel_name/,$d' log | grep -c '^-[^ ]* .* # ')" \
		"$(trace-sim --list-options | grep -c -e '^-' | awk -v own="$(trace-sim --list-options | grep -cE '^-(core_|l2_sides|l2_far_|icnt_cluster_ports|ptx_vector_access|ptx_streams)')" '{ print $1 - own }')"
	trace-sim -q -g rtx3070 -F accelsim "$(trace example)" >other
	run -0 stats-csv -s gpu_sim_cycle,gpu_occupancy -k 1 log other
	assert_line --index 0 --partial 'run,gpgpu_n_clusters,kernel_name,id,gpu_sim_cycle,gpu_occupancy'
	assert_line --index 1 --regexp '^log,40,.*,[0-9.]+.$'
}

@test "-k selects by position, range and name; copies before a skipped kernel still take effect" {
	d=$(trace streams)
	run -0 trace-sim -q -g rtx3070 -F json -k 2,4 "$d"
	assert_equal "${#lines[@]}" 4
	assert_line --index 1 --partial '"position":2'
	run -0 trace-sim -q -g rtx3070 -F json -k '*ead*' "$d"
	assert_equal "${#lines[@]}" 4
	assert_line --index 1 --partial '"position":3'
	run -0 trace-sim -q -g rtx3070 -F json -k 3- "$d"
	assert_equal "${#lines[@]}" 4
	run -2 trace-sim -q -g rtx3070 -k 3-2 "$d"
	run -2 trace-sim -q -g rtx3070 -k 0 "$d"
}

@test "-o appears complete or not at all; -f replaces" {
	d=$(trace example)
	run -0 trace-sim -q -g rtx3070 -o out.txt "$d"
	trace-sim -q -g rtx3070 "$d" | cmp - out.txt
	run -2 trace-sim -q -g rtx3070 -o out.txt "$d"
	run -0 trace-sim -q -g rtx3070 -f -o out.txt "$d"
	run -2 trace-sim -q -g rtx3070 -o new.txt no-such-directory
	[ ! -e new.txt ]
	run ls -A
	assert_output 'out.txt'
}

@test "a full disk is an error" {
	[ -e /dev/full ] || skip "no /dev/full"
	run -2 trace-sim -q -g rtx3070 -o /dev/full -f "$(trace example)"
	run -2 bash -c "trace-sim -q -g rtx3070 '$(trace example)' >/dev/full"
	assert_output --partial 'No space left'
}

@test "a closed pipe ends the run quietly" {
	run bash -c "set -o pipefail; trace-sim -q -g rtx3070 -F accelsim '$(trace example)' | head -1; echo \${PIPESTATUS[0]}"
	assert_line --index 0 --partial 'Accel-Sim [build'
	refute_output --partial 'trace-sim:'
}

@test "-D sets options after all files, in order" {
	d=$(trace gather)
	trace-sim -q -g qv100 -D gpgpu_l1_latency=30 "$d" >a
	trace-sim -q -g qv100 -D -gpgpu_l1_latency=90 -D gpgpu_l1_latency=30 "$d" >b
	grep -q '^given.define -gpgpu_l1_latency=90%20gpgpu_l1_latency=30 -$' b
	cmp <(grep -v '^given' a) <(grep -v '^given' b)
	trace-sim -q -g qv100 "$d" >c
	run ! cmp -s a c
	run -2 trace-sim -g qv100 -D gpgpu_l1_latency "$d"
	run -2 trace-sim -g qv100 -D no_such=1 "$d"
}

@test "the output of --dump-config can be loaded again" {
	trace-sim -g rtx3070 -D gpgpu_l1_latency=77 --dump-config >one.config
	trace-sim -c one.config --dump-config >two.config
	cmp one.config two.config
	d=$(trace gather)
	trace-sim -q -g rtx3070 -D gpgpu_l1_latency=77 "$d" >a
	trace-sim -q -c one.config "$d" >b
	cmp <(grep -v '^given' a) <(grep -v '^given' b)
}

@test "--list-options lists each option with its default" {
	run -0 trace-sim --list-options
	assert_output --partial gpgpu_n_clusters
	assert_output --partial ptx_opcode_latency_tesnor
}

@test "each shipped configuration runs a trace" {
	for g in "$WARPTOOLS_GPUS"/*.config; do
		g=${g##*/} g=${g%.config}
		trace-sim --list-gpus | grep -q "^$g "
		trace-lint --completion bash | grep -qw -- "$g"
		run -0 trace-sim -q -g "$g" "$(trace example)"
		assert_output --partial 'status complete'
	done
	run -2 trace-sim -g gtx9999 x
	assert_output --partial gtx9999
}

@test "an unknown opcode causes one warning with file and line, and is counted; --strict rejects it; --isa adds it" {
	mkdir app
	cp "$(trace gather)"/* app
	sed -i 's/IADD3/FROB.X/' app/kernel-1.traceg
	run -0 trace-sim -g qv100 -o out app
	assert_equal "$(printf '%s\n' "$output" | grep -c FROB)" 1
	assert_output --regexp 'kernel-1.traceg:[0-9]+:[0-9]+: warning: .*FROB'
	run grep unknown_opcode out
	assert_output --regexp 'unknown_opcode_warp_insts [1-9]'
	run -2 trace-sim -q --strict -g qv100 app
	echo 'FROB volta INT' >rows
	run -0 trace-sim --strict --isa rows -g qv100 -f -o with app
	assert_output ''
	trace-sim -q -g qv100 "$(trace gather)" >without
	run diff <(grep gpu_sim_cycle with) <(grep gpu_sim_cycle without)
	assert_output ''
}

@test "a limit ends the run with status 0 and is reported" {
	run -0 trace-sim -q -g qv100 -D gpgpu_max_cycle=5100 -F json "$(trace gather)"
	assert_output --partial '"status":"limit"'
	assert_output --partial 'gpgpu_max_cycle'
}

@test "a complete last thread block without #END_TB runs, as text and packed" {
	cp -r "$(trace vecadd)" app
	trace-sim -q -g rtx3070 -o whole app
	sed -i '$d' app/kernel-1.traceg
	until tail -n 1 app/kernel-1.traceg | grep -q EXIT; do sed -i '$d' app/kernel-1.traceg; done
	run -0 --separate-stderr trace-sim -g rtx3070 -o result app
	[[ $stderr == *'kernel-1.traceg:'*'warning: file ends without #END_TB after a whole thread block'* ]]
	diff <(grep -v hash whole) <(grep -v hash result)
	trace-pack -q -o app.tpack app
	trace-pack -q -d -C out app.tpack
	cmp app/kernel-1.traceg out/kernel-1.traceg
	trace-sim -q -g rtx3070 -o packed app.tpack
	diff <(grep -v hash whole) <(grep -v hash packed)
	sed -i '$d' app/kernel-1.traceg
	run -2 trace-sim -q -g rtx3070 -f -o result app
	assert_output --partial 'file ends inside a thread block, after 7 of 8'
}

@test "a deadlock ends with status 1 and a report of the waiting warps" {
	# below the write ratio, a set full of modified lines never has a victim
	run -1 trace-sim -q -g qv100 -D gpgpu_adaptive_cache_config=0 -D gpgpu_l1_cache_write_ratio=90 \
		-D gpgpu_cache:dl1=S:4:128:2,L:T:m:L:L,A:512:8,16:0,32 "$(trace stream)"
	assert_output --partial 'deadlock: no instruction completed'
	assert_output --regexp 'kernel-1.traceg:[0-9]+: SM [0-9]+ warp [0-9]+ .*waits for registers: R[0-9]+'
	assert_output --partial 'status deadlock'
}

# Starts a run and stops it in the middle: the event log goes into a pipe that is not read yet.
start_blocked() {
	mkfifo events
	trace-sim -q -f -g rtx3070 "$@" --events events "$(trace alu -n 20)" >out 2>err &
	pid=$!
	exec 7<events
	read -r -u 7 _
}

@test "SIGTERM ends with status 1 and valid, marked statistics" {
	start_blocked -F json
	kill -TERM $pid
	cat <&7 >/dev/null
	status=0
	wait $pid || status=$?
	[ $status -eq 1 ]
	tail -1 out | grep '"status":"interrupted"'
	tail -1 out | python3 -m json.tool >/dev/null
}

# Runs two kernels. When this returns, the second one is blocked and the first one is in out.part.
start_second() {
	mkdir -p two
	cp "$(trace vecadd)/kernel-1.traceg" two/kernel-1.traceg
	cp "$(trace alu -n 20)/kernel-1.traceg" two/kernel-2.traceg
	printf '%s\n' kernel-1.traceg kernel-2.traceg >two/kernelslist.g
	rm -f events
	mkfifo events
	trace-sim -f -g rtx3070 "$@" -o out --events events two 2>err &
	pid=$!
	exec 7<events
	until grep -asq 'record.*:.*kernel.*vecadd' out.part; do
		kill -0 $pid || return 1
		read -r -N 30000 -u 7 _ || true
	done
	head -c 90000 <&7 >/dev/null # more than a pipe holds: events of the second kernel
}

@test "SIGKILL leaves finished kernels in NAME.part, which stats-csv reads; a later run says so and replaces it" {
	start_second -F json
	kill -KILL $pid
	wait $pid || true
	exec 7<&-
	run ls -A
	refute_output --partial tmp
	[ ! -e out ]
	run -1 --separate-stderr stats-csv -s gpu_sim_cycle out.part
	assert_output --regexp $'run,status,kernel_name,id,gpu_sim_cycle\r\nout.part,cut,vecadd,1,[0-9]+\r$'
	[[ $stderr == *"this run is not complete"* ]]
	run -0 trace-sim -F json -g rtx3070 -o out two
	assert_output --partial 'out.part: warning: replacing the output of a run that did not finish'
	[ ! -e out.part ]
	run -0 stats-csv -s gpu_sim_cycle out
	refute_output --partial status
}

@test "a run that fails in a later kernel leaves the finished kernels in NAME.part" {
	mkdir two
	cp "$(trace vecadd)/kernel-1.traceg" two/kernel-1.traceg
	echo nonsense >two/kernel-2.traceg
	printf '%s\n' kernel-1.traceg kernel-2.traceg >two/kernelslist.g
	run -2 trace-sim -q -g rtx3070 -F json -o out two
	run -0 grep -c '"record":"kernel"' out.part
	assert_output 1
	[ ! -e out ]
}

@test "SIGHUP ends with status 1 and valid statistics; under nohup it is ignored" {
	[ -z "$(trap -p HUP)" ] || skip "the tests themselves were started with SIGHUP ignored"
	start_second -F json
	kill -HUP $pid
	cat <&7 >/dev/null
	status=0
	wait $pid || status=$?
	[ $status -eq 1 ]
	[ ! -e out.part ]
	tail -1 out | grep '"status":"interrupted"'
	run -1 --separate-stderr stats-csv -s gpu_sim_cycle out
	assert_line --index 1 --partial out,interrupted,vecadd,1,
	assert_line --index 2 --partial out,unfinished,alu,2,
	run -1 --separate-stderr stats-csv --group kernel_name -s gpu_sim_cycle out
	assert_line --index 0 --partial run,status,kernel_name,kernels,
	trap '' HUP
	start_second -F json
	trap - HUP
	kill -HUP $pid
	cat <&7 >/dev/null
	wait $pid
	tail -1 out | grep '"status":"complete"'
}

@test "SIGUSR1 prints one line of progress" {
	start_blocked
	kill -USR1 $pid
	cat <&7 >/dev/null
	wait $pid
	run cat err
	assert_output --regexp '^kernel 1/1 alu: cycle [0-9]+.*s left$'
}

@test "--events writes the log and changes no other output" {
	d=$(trace reuse)
	trace-sim -q -g qv100 "$d" >a
	trace-sim -q -g qv100 --events log "$d" >b
	cmp a b
	for e in cta issue writeback memdone request reply l2 dram; do cut -f2 log | grep -qx $e; done
	run awk -F'\t' '$1 < last { bad++ } { last = $1 } END { print bad + 0 }' log
	assert_output 0
}

@test "--flits logs the flits of network mode 1: each one that enters leaves, in order, at one place" {
	d=$(trace reuse)
	cat >mesh.icnt <<-'END'
	topology = mesh; k = 3; n = 2; routing_function = dim_order; num_vcs = 16; vc_buf_size = 4;
	flit_size = 40; use_map = 0; subnets = 2; sim_type = gpgpusim; injection_rate_uses_flits = 1;
	END
	small="-g rtx3070 -D gpgpu_n_clusters=4 -D gpgpu_n_mem=2 -D gpgpu_memory_partition_indexing=0 -D network_mode=1"
	for network in '' "-D inter_config_file=mesh.icnt"; do
		[ -z "$network" ] && one="-g titanx" || one="$small $network"
		d=$(trace "$([ -z "$network" ] && echo alu-pascal || echo reuse)")
		trace-sim -q $one --events plain -f -o a "$d"
		trace-sim -q $one --events log --flits -f -o b "$d"
		cmp a b
		awk -F'\t' '$2 != "inject" && $2 != "eject"' log | cmp - plain
		awk -F'\t' '{ flit = $3 "," $5 "," $6 }
			$2 == "inject" { if (flit in at) bad++; at[flit] = $1; to[flit] = $4; n++ }
			$2 == "eject" { if (!(flit in at) || $1 < at[flit] || to[flit] == $4) bad++; delete at[flit] }
			END { for (f in at) bad++; exit !n || bad }' log
	done
	run -2 trace-sim -q -g qv100 --flits "$d"
	assert_output --partial '--events'
}

@test "output files next to the result are rejected before the first cycle" {
	d=$(trace vecadd)
	for option in --events --profile --timeline; do
		run -2 --separate-stderr trace-sim -q -g titanx $option none/x -o out "$(trace alu-pascal)"
		assert_equal "$output" ""
		[ ! -e out ] && [ ! -e out.part ]
		run -2 trace-sim -q -g titanx $option '' -o out "$(trace alu-pascal)"
		assert_output --partial 'the name of an output is empty'
	done
	run -2 timeout 60 trace-sim -q -g qv100 --net-report r -o out "$d"
	assert_output --partial 'requires a network with channels between routers'
	[ ! -e out ] && [ ! -e out.part ] && [ ! -e r ]
}

@test "no output overwrites an input" {
	cp -r "$(trace alu-pascal)" app
	cp "$WARPTOOLS_GPUS/titanx.icnt" .
	cp "$WARPTOOLS_GPUS/titanx.config" gpu.config
	trace-pick -q -o picks app
	cubingen app >k.cubin
	: >rows
	echo '-network_mode 1' >>gpu.config
	printf 'Duration (ns),Name\n7,alu\n' >times.csv
	printf -- '-config gpu.config\n-inter_config_file any.icnt\n' >outer.config
	sed -E 's/^topology.*/topology = anynet; network_file = links;/; s/dest_tag/min/; /^[kn] =/d' titanx.icnt >any.icnt
	echo 'router 0 node 0 node 1' >links
	md5sum app/* gpu.config titanx.icnt outer.config any.icnt links picks k.cubin rows times.csv >sums
	for option in -o --events --profile --timeline --net-report; do
		for file in app/kernel-1.traceg app/../app/kernelslist.g gpu.config; do
			run -2 trace-sim -q -c gpu.config -f $option $file app
			assert_output "trace-sim: $file: error: the output is also an input"
		done
	done
	for file in gpu.config any.icnt links; do # files that a file names
		run -2 trace-sim -q -c outer.config -f -o $file app
		assert_output "trace-sim: $file: error: the output is also an input"
	done
	ln app/kernel-1.traceg out.part
	run -2 trace-sim -q -c gpu.config -o out app # what it would be named while it is written
	assert_output "trace-sim: out.part: error: the output is also an input"
	run -2 trace-sim -q -c gpu.config --isolate --resume -f -o app/kernel-1.traceg app
	assert_output --partial "kernel-1.traceg: error: the output is also an input"
	printf 'schema\n' >gpu.measured
	: >isa
	for file in gpu.config gpu.measured rows isa; do
		run -2 trace-sim --selftest -c gpu.config --measured rows --isa isa -f -o $file
		assert_output "trace-sim: $file: error: the output is also an input"
	done
	printf 'id\tgpu\tworkload\tparams\tmetric\tvalue\tunit\tmin\tmax\tclock_mhz\ttool\tsource\tnote\n' >gpu.measured
	run -2 trace-sim --selftest -c gpu.config -f -o titanx.icnt
	assert_output --partial "titanx.icnt: error: the output is also an input"
	run -2 trace-sim -c gpu.config --dump-config -f -o gpu.config
	assert_output "trace-sim: gpu.config: error: the output is also an input"
	trace-pack -q -o app.tpack app
	for job in trace-pick 'trace-sim -c gpu.config'; do
		run -2 $job -f -o app.tpack - <app.tpack
		assert_output --partial 'app.tpack: error: the output is also an input'
	done
	for file in titanx.icnt picks rows k.cubin; do
		run -2 trace-sim -q -c gpu.config -k @picks --isa rows --cubin k.cubin -f -o $file app
		assert_output --partial "$file: error: the output is also an input"
	done
	for job in 'trace-pack -k @picks -o picks app' 'trace-pack --cubin k.cubin -o k.cubin app' \
		'trace-pick --times times.csv -o times.csv app' 'stats-csv -k @picks -o picks app' \
		'stats-csv --weights picks -o picks app'; do
		run -2 $job -q -f
		assert_output --partial 'the output is also an input'
	done
	for file in app/kernel-1.traceg app/kernelslist.g; do
		run -2 trace-pick -q -f -o $file app
		assert_output --partial 'the output is also an input'
	done
	md5sum --quiet -c sums
	trace-sim -q -c gpu.config -o run app
	cp run same
	run -2 stats-csv -f -o run run
	run -2 stats-csv -f -o run - <run
	cmp run same
}

@test "enable_link_stats records the flits of each channel and changes nothing else" {
	d=$(trace reuse)
	machine="-g rtx3070 -D gpgpu_n_clusters=4 -D gpgpu_n_mem=2 -D gpgpu_memory_partition_indexing=0 -D network_mode=1"
	for links in 0 1; do
		cat >mesh.icnt <<-END
		topology = mesh; k = 3; n = 2; routing_function = dim_order; num_vcs = 16; vc_buf_size = 4;
		flit_size = 40; use_map = 0; subnets = 2; sim_type = gpgpusim; enable_link_stats = $links;
		END
		trace-sim -q $machine --all-figures -D inter_config_file=mesh.icnt -o text$links "$d"
		trace-sim -q $machine -D inter_config_file=mesh.icnt -F accelsim -o block$links "$d"
	done
	cmp block0 block1
	grep -v '^option\|^link_flits\|^config' text1 | cmp - <(grep -v '^option\|^config' text0)
	awk '/^#/ { links = 0 }
		/^link_flits\[0\]/ { if ($3 != "flits") exit 1; links += $2 }
		$1 == "icnt_total_pkts_simt_to_mem" { flits = $2 }
		END { exit !(flits && links > flits) }' text1
}

@test "no part of the input is passed to a shell" {
	mkdir app
	cp "$(trace vecadd)/kernel-1.traceg" 'app/kernel $(touch INJECTED) `touch INJECTED`;touch INJECTED.traceg'
	printf '%s\n' 'kernel $(touch INJECTED) `touch INJECTED`;touch INJECTED.traceg' >app/kernelslist.g
	run -0 trace-sim -q -g rtx3070 app
	[ ! -e INJECTED ]
	[ ! -e app/INJECTED ]
}

@test "with a kernel window above 1 each kernel is reported once" {
	run -0 trace-sim -q -g rtx3070 -D gpgpu_concurrent_kernel_sm=1 -F json "$(trace streams)"
	assert_equal "$(printf '%s\n' "$output" | grep -c '"record":"kernel"')" 4
	assert_output --partial '"status":"complete"'
}

@test "a directory with only raw traces is an error that recommends trace-pack --group" {
	mkdir raw
	touch raw/kernel-1.trace raw/kernel-2.trace.xz
	run -2 trace-sim -g rtx3070 -o out raw
	assert_output 'trace-sim: raw: error: raw traces, not grouped by thread block and warp (group them with trace-pack --group raw -C DIR)'
	[ ! -e out ]
	rm raw/*
	run -2 trace-sim -g rtx3070 -o out raw
	assert_output 'trace-sim: raw: error: no kernel list in the directory (expected kernelslist.g)'
}

@test "-k that selects nothing is an error without a result" {
	run -2 --separate-stderr trace-sim -g rtx3070 -k 99 "$(trace example)"
	assert_equal "$output" ""
	[[ $stderr == *"-k '99' matches none of 2 kernels"* ]]
	run -2 trace-sim -g rtx3070 -k '*nothing*' -o "$BATS_TEST_TMPDIR/r" "$(trace example)"
	[ ! -e "$BATS_TEST_TMPDIR/r" ]
}

@test "-v into a file writes lines, at least one for each kernel" {
	trace-sim -v -g rtx3070 "$(trace example)" >/dev/null 2>"$BATS_TEST_TMPDIR/log"
	run -0 grep -c '^kernel [12]/2 .*: cycle [0-9]' "$BATS_TEST_TMPDIR/log"
	[ "$output" -ge 2 ]
	run -1 grep "$(printf '\r')" "$BATS_TEST_TMPDIR/log"
	grep -q '^kernel 1/2 .* 50.0% of thread blocks' "$BATS_TEST_TMPDIR/log"
	grep -q '^kernel 2/2 .* 100.0% of thread blocks, 0 s left$' "$BATS_TEST_TMPDIR/log"
}

# Runs the trace gather on an anynet of two routers, whose links are read from stdin. Prints the cycles.
anynet() {
	cat >l.anynet
	cat >n.icnt <<-'END'
		subnets = 2; sim_type = gpgpusim; use_map = 0; num_vcs = 2; routing_delay = 0; flit_size = 40;
		input_buffer_size = 16; topology = anynet; network_file = l.anynet; routing_function = min;
		read_request_begin_vc = 0; read_request_end_vc = 1; write_request_begin_vc = 0; write_request_end_vc = 1;
		read_reply_begin_vc = 0; read_reply_end_vc = 1; write_reply_begin_vc = 0; write_reply_end_vc = 1;
	END
	trace-sim -q -g rtx3070 -D gpgpu_n_clusters=4 -D gpgpu_n_mem=16 -D gpgpu_n_sub_partition_per_mchannel=1 \
		-D network_mode=1 -D inter_config_file="$PWD/n.icnt" "$(trace gather)" |
		awk '$1 == "gpu_sim_cycle" { print $2; exit }'
}

@test "the cycles after a node of an anynet apply to a link or to the next node" {
	high="node 8 node 9 node 10 node 11 node 12 node 13 node 14 node 15 node 16 node 17 node 18 node 19"
	low="router 1 node 2 node 3 node 4 node 5 node 6 node 7"
	# The figures come from Accel-Sim.
	run -0 anynet <<<"router 0 node 0 node 1 $high router 1
$low"
	assert_output 8984
	run -0 anynet <<<"router 0 node 0 node 1 $high router 1 5
$low"
	assert_output 9126
	run -0 anynet <<<"router 0 node 0 node 1 $high router 1 node 1 5
$low"
	assert_output 9126
	# A link of router 0 to itself, and node 0 three cycles away.
	run -0 anynet <<<"router 0 node 0 7 node 1 $high router 1 node 1 5
$low
node 0 router 0 3"
	assert_output 9106
}

@test "-F accelsim prints control characters of a kernel name as \\xNN" {
	cp -r "$(trace streams)" in
	sed -i "1s/^-kernel name = .*/-kernel name = a$(printf '\033')[31m b/" in/kernel-1.traceg
	run -0 trace-sim -q -g rtx3070 -k 1 -F accelsim in
	assert_line 'kernel_name = a\x1b[31m b '
}
