#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Records of a result: its origin, its intervals, and the selection of figures.

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

sim() { trace-sim -q -g rtx3070 "$@"; }

@test "the run record has the selection, the given options, the version and the hash of the configuration" {
	sim -F json -D gpgpu_l1_latency=30 -k 1,2 "$(trace streams)" | head -1 >run
	run -0 cat run
	assert_output --partial '"given":{"config":"rtx3070","define":"gpgpu_l1_latency=30","kernels":"1,2"}'
	assert_output --regexp '"version":"[0-9]+\.[0-9]+'
	assert_output --regexp '"config_hash":"[0-9a-f]{32}"'
	refute_output --partial provenance
	sim -F json "$(trace streams)" | tail -1 | grep -qE '"hash":"[0-9a-f]{32}"'
}

@test "the hash of a configuration depends on its values only, not on how they were given" {
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

@test "stats-csv --provenance shows these as columns" {
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

@test "--interval: the intervals of a kernel add up to its record, which is unchanged" {
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
		            assert sum(i["stats"].get(name, 0) for i in mine) == o["stats"].get(name, 0), name
		            checked += 1
		assert checked == 24
	EOF
}

@test "--interval: the same bytes for any -j and with --isolate; stats-csv reads it in every format" {
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

@test "--interval rejects values and formats that it cannot serve" {
	run -2 sim --interval 0 x
	run -2 sim --interval 10 -F accelsim x
	assert_output --partial 'expected text, json or msgpack'
	run -2 stats-csv --per interval --running x
}

@test "a record has the nonzero figures of the whole GPU, and the run record lists their names" {
	d=$(trace streams)
	for gpu in rtx3070 qv100 h100-pcie; do
		trace-sim -q -g $gpu -F json "$d" >some
		trace-sim -q -g $gpu -F json --all-figures "$d" >all
		python3 - <<-'EOF'
			import json
			some, every = ([json.loads(line) for line in open(name)] for name in ("some", "all"))
			listed = some[0]["figures"]
			assert "figures" not in every[0] and every[0]["given"]["all_figures"] is True
			assert max(len(line) for line in open("some") if '"record":"kernel"' in line) < 8192
			unit = ("dram[", "L1D_cache_core[", "L2_cache_bank[", "warp_issue[", "link_flits[")
			for a, b in zip(some[1:], every[1:]):
			    a, b = a["stats"], b["stats"]
			    assert a and all(a[name] == b[name] and a[name] != 0 for name in a)
			    for name in b.keys() - a.keys():
			        assert name.startswith(unit) or (b[name] == 0 and name in listed), name
			    assert all(name in b for name in listed)
			    assert any(v is None for v in a.values())
		EOF
	done
}

@test "stats-csv and stats-diff read a listed figure that a record lacks as 0, in every format" {
	d=$(trace streams)
	for f in text json msgpack; do
		for mode in "" --isolate; do
			sim $mode -F $f "$d" >x
			mkdir -p all && sim $mode -F $f --all-figures "$d" >all/x
			run -0 stats-diff x all/x
			for o in "" --long "--per run" "--group kernel_name --agg sum,max"; do
				cmp <(stats-csv $o x) <(cd all && stats-csv $o x)
			done
		done
	done
	stats-csv -s gpgpu_n_tex_insn,L1D_total_cache_miss_rate x | tr -d '\r' >table
	run -0 sed -n 2p table
	assert_output 'x,write,1,0,1'
}

@test "-s writes only the named figures; readers do not take other figures for 0" {
	d=$(trace streams)
	names='gpu_ipc,gpu_sim_*,warp_insts*,L2_cache_bank[3].Access,gpgpu_n_tex_insn'
	for f in text json msgpack; do
		for mode in "" --isolate; do
			sim $mode -F $f --all-figures "$d" >x
			mkdir -p some && sim $mode -F $f -s "$names" "$d" >some/x
			cmp <(stats-csv -s "$names" x) <(cd some && stats-csv -s "$names" x)
			cmp <(stats-csv --per run -s "$names" x) <(cd some && stats-csv --per run -s "$names" x)
			run -0 stats-diff x some/x
			run -0 stats-diff some/x x
		done
	done
	sim -F json -s gpu_ipc "$d" | python3 -c '
import json, sys
for r in map(json.loads, sys.stdin):
    assert set(r.get("stats", ["gpu_ipc"])) == {"gpu_ipc"}
    assert r["record"] != "run" or (r["figures"] == {"gpu_ipc": "thread-insts/cycle"} and r["given"]["stats"] == "gpu_ipc")
'
	run -0 sim -s gpu_sim_cycle --all-figures --interval 1000 -F json "$d"
	assert_line --partial '"record":"interval"'
	refute_output --partial gpu_ipc
}

@test "-s rejects unknown figures, and formats and runs to which it does not apply" {
	d=$(trace streams)
	run -2 --separate-stderr trace-sim -q -g rtx3070 -s gpu_ipd "$d"
	assert_equal "$stderr" "trace-sim: error: -s: unknown figure gpu_ipd, did you mean gpu_ipc?"
	run -2 --separate-stderr trace-sim -q -g rtx3070 -s 'gpu_ipc,no_*' "$d"
	assert_equal "$stderr" "trace-sim: error: -s: no figure matches no_* (stats-csv --list prints all)"
	run -2 sim -s , "$d"
	run -2 sim -s gpu_ipc -F accelsim "$d"
	assert_output --partial '-s cannot be used with -F accelsim'
	run -2 trace-sim -q --selftest -s gpu_ipc rtx3070
	cmp <(sim -F accelsim "$d") <(sim -F accelsim --all-figures "$d")
}

@test "20 figures take less than 1 KB a kernel as JSON and less than 280 bytes as msgpack" {
	d=$(trace streams)
	names=gpu_sim_cycle,gpu_sim_insn,gpu_ipc,gpu_tot_sim_cycle,gpu_occupancy,L2_BW,L1D_total_cache_accesses,L1D_total_cache_misses,L2_total_cache_accesses,L2_total_cache_misses,dram_read_bytes,dram_write_bytes,l1d_read_bytes,l2_read_bytes,total_dram_reads,averagemflatency,gpgpu_n_tot_w_icount,gpgpu_n_load_insn,sm_active_cycles,ctas_completed
	sim -F json -s $names "$d" | grep '"record":"kernel"' >json
	[ "$(($(wc -c <json) / $(wc -l <json)))" -lt 1000 ]
	sim -F msgpack -s $names "$d" >all
	sim -F msgpack -s $names -k 1 "$d" >one
	more=$(($(wc -l <json) - 1))
	[ "$((($(wc -c <all) - $(wc -c <one)) / more))" -lt 280 ]
}

@test "--resume continues only records with the same selection of figures" {
	d=$(trace streams)
	choices=("" "-s gpu_ipc,gpu_sim_*" "-s gpu_ipc,gpu_sim_cycle,gpu_sim_insn" "--all-figures" "-s gpu_ipc --all-figures")
	for f in json msgpack text; do
		for a in "${choices[@]}"; do
			sim --isolate -F $f $a -f -o whole "$d"
			head -c $(($(wc -c <whole) * 3 / 4)) whole >part
			for b in "${choices[@]}"; do
				cp part out.part
				if [ "$a" = "$b" ]; then
					sim --isolate -F $f $b -f --resume -o out "$d"
					cmp out whole
				else
					run -2 trace-sim -q -g rtx3070 --isolate -F $f $b -f --resume -o out "$d"
					assert_output --partial "another version, configuration, selection or format"
				fi
				rm -f out out.part
			done
		done
	done
}
