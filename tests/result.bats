#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# What a result tells beside its figures: where it comes from, and how it went on within a kernel.

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

sim() { trace-sim -q -g rtx3070 "$@"; }

@test "the run record tells what was selected, the options given, version and hash of the configuration" {
	sim -F json -D gpgpu_l1_latency=30 -k 1,2 "$(trace streams)" | head -1 >run
	run -0 cat run
	assert_output --partial '"given":{"config":"rtx3070","define":"gpgpu_l1_latency=30","kernels":"1,2"}'
	assert_output --regexp '"version":"[0-9]+\.[0-9]+'
	assert_output --regexp '"config_hash":"[0-9a-f]{32}"'
	refute_output --partial provenance
	sim -F json "$(trace streams)" | tail -1 | grep -qE '"hash":"[0-9a-f]{32}"'
}

@test "the hash of the configuration is that of its values, however they were given" {
	hash() { sim -F text "$@" "$(trace streams)" | grep '^config_hash'; }
	trace-sim -g rtx3070 -D gpgpu_l1_latency=30 --dump-config >one.config
	assert_equal "$(hash -D gpgpu_l1_latency=30)" "$(trace-sim -q -c one.config "$(trace streams)" | grep '^config_hash')"
	[ "$(hash)" != "$(hash -D gpgpu_l1_latency=30)" ]
}

@test "--provenance adds command line and paths, and nothing else" {
	d=$(trace streams)
	cp "$WARPTOOLS_GPUS/rtx3070.config" "my gpu.config"
	trace-sim -q -c "my gpu.config" --provenance -D 'gpgpu_l1_latency=30' "$d" >with
	trace-sim -q -c "my gpu.config" -D 'gpgpu_l1_latency=30' "$d" >without
	run diff without with
	assert_line --partial "provenance.command trace-sim%20-q%20-c%20'my%20gpu.config'%20--provenance%20-D%20gpgpu_l1_latency=30%20"
	assert_line "> provenance.folder $(pwd -P) -"
	assert_line "> provenance.trace $(realpath "$d") -"
	assert_line "> provenance.config[0] $(pwd -P)/my%20gpu.config -"
	assert_equal "$(grep -c '^[<>]' <<<"$output")" 4
}

@test "stats-csv --provenance shows it as columns" {
	for f in json msgpack text; do
		sim -F $f --provenance "$(trace streams)" >$f
		run -0 stats-csv --provenance --per run -s gpu_sim_cycle -F tsv $f
		assert_line --index 0 "$(printf 'run\ttool\tversion\tgiven.config\tconfig_hash\tprovenance.command\tprovenance.folder\tprovenance.trace\ttraces_hash\tstatus\tgpu_sim_cycle')"
		assert_line --index 1 --regexp $'^'$f$'\ttrace-sim\t[0-9.]+\trtx3070\t[0-9a-f]{32}\ttrace-sim -q .*\t[0-9a-f]{32}\tcomplete\t[0-9]+$'
	done
	sim -F json -D gpgpu_l1_latency=30 "$(trace streams)" >other
	run -0 stats-csv --provenance -k 1 -s gpu_sim_cycle -F tsv json other
	assert_line --index 0 --partial $'given.define\t'
	run -0 stats-csv -k 1 -s gpu_sim_cycle -F tsv json other
	assert_line --index 0 $'run\tgpgpu_l1_latency\tkernel_name\tid\tgpu_sim_cycle'
}

@test "--interval: a kernel's intervals add up to its record, which is the same without them" {
	sim -F json --interval 1000 "$(trace streams)" >with
	sim -F json "$(trace streams)" >without
	cmp <(grep -v '"record":"interval"' with | tail -n +2) <(tail -n +2 without)
	python3 - with <<-'EOF'
		import json, sys
		rows, checked = {}, 0
		for line in open(sys.argv[1]):
		    o = json.loads(line)
		    if o["record"] == "interval":
		        rows.setdefault(o["position"], []).append(o)
		        assert 0 < o["cycles"] <= 1000
		    if o["record"] == "kernel":
		        mine = rows[o["position"]]
		        assert mine[0]["first_cycle"] == o["first_cycle"]
		        assert all(a["first_cycle"] + a["cycles"] == b["first_cycle"] for a, b in zip(mine, mine[1:]))
		        for name in ("gpu_sim_cycle", "gpu_sim_insn", "gpgpu_n_tot_w_icount", "L2_total_cache_accesses",
		                     "L2_total_cache_misses", "gpgpu_n_mem_read_global"):
		            assert sum(i["stats"][name] for i in mine) == o["stats"][name], name
		            checked += 1
		assert checked == 24
	EOF
}

@test "--interval: the same bytes for any -j, with --isolate too, and in every format for stats-csv" {
	d=$(trace streams)
	for f in json msgpack text; do
		sim -F $f --interval 700 "$d" >$f
		sim -F $f --interval 700 -j 4 "$d" | cmp - $f
		stats-csv --per interval -s gpu_sim_cycle,gpu_ipc -F tsv $f | cut -f2- >$f.tsv
		cmp json.tsv $f.tsv
		stats-csv -s gpu_sim_cycle -F tsv $f | cut -f2- >$f.kernels
		sim -F $f "$d" | stats-csv -s gpu_sim_cycle -F tsv | cut -f2- | cmp - $f.kernels
	done
	run -0 head -2 json.tsv
	assert_line --index 0 $'kernel_name\tid\tfirst_cycle\tcycles\tgpu_sim_cycle\tgpu_ipc'
	assert_line --index 1 $'write\t1\t0\t700\t700\t0'
	sim -F json --interval 700 --isolate "$d" >one
	sim -F json --interval 700 --isolate -j 4 "$d" | cmp - one
	grep -c '"record":"interval"' one
}

@test "--interval with what it cannot do" {
	run -2 sim --interval 0 x
	run -2 sim --interval 10 -F accelsim x
	assert_output --partial 'expected text, json or msgpack'
	run -2 stats-csv --per interval --running x
}
