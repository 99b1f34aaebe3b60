#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# --profile and --timeline: sums and formats; neither changes a result.

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

# Compares the profile p.json with the result r.json of the same run. "loose": buckets of the original may differ by
# atomics, which it counts as idle, and by instructions without an active lane, which it counts as stalls.
check_sums() {
	python3 - "$@" <<-'END'
	import json, sys
	r, p = [[json.loads(l) for l in open(f)] for f in ("r.json", "p.json")]
	over_time = [x for x in p if x["record"] == "interval"]
	p = [x for x in p if x["record"] != "interval"]
	c = r[0]["config"]
	assert "figures" in r[0] and p[0] == {k: v for k, v in r[0].items() if k != "figures"}
	assert len(p) == len(r) and p[-1]["status"] == r[-1]["status"]
	machine = c["gpgpu_n_clusters"] * c["gpgpu_n_cores_per_cluster"] * c["gpgpu_num_sched_per_core"]
	sums = {}
	for a, b in zip(p[1:-1], r[1:-1]):
	    s, q = a["stats"], b["stats"]
	    for k in "position", "name", "id", "stream", "grid", "block":
	        assert a[k] == b[k], k
	    parts = {k[13:-1]: v for k, v in s.items() if k.startswith("sched_cycles[")}
	    assert len(parts) == 11, parts
	    assert sum(parts.values()) == s["sched_cycles"] == machine * q["gpu_sim_cycle"], parts
	    of_pc = dict.fromkeys(parts, 0)
	    issues = 0
	    for k, v in s.items():
	        if k.startswith("pc["):
	            if k.endswith(".issues"):
	                issues += v
	            elif ".cycles[" in k:
	                of_pc[k[k.rindex("[") + 1:-1]] += v
	    del of_pc["drained"], of_pc["empty"]
	    for k, v in of_pc.items():
	        assert v == parts[k], (k, v, parts[k])
	    assert issues == parts["issue"] or "dual" in sys.argv, (issues, parts["issue"])
	    registers = parts["scoreboard_memory"] + parts["scoreboard_arithmetic"]
	    full = parts["unit_busy"] + parts["collector_full"] + parts["ldst_queue"]
	    if "loose" not in sys.argv:
	        lanes = sum(v for k, v in q.items() if k.startswith("warp_occupancy[W") and k[-2].isdigit())
	        assert issues == lanes, (issues, lanes)
	        assert registers == q.get("warp_occupancy[W0_Scoreboard]", 0), registers
	        assert full == q.get("warp_occupancy[Stall]", 0), full
	    for k, v in s.items():
	        if not k.startswith("pc["):
	            sums[k] = sums.get(k, 0) + v
	# windows and peaks belong to no kernel
	total = {k: v for k, v in p[-1]["stats"].items() if not k.startswith(("window", "peak"))}
	assert sums == total, (sums, total)
	# the intervals cover the run and have the same sums
	at = 0
	for i in over_time:
	    assert i["first_cycle"] == at and i["cycles"] > 0
	    at += i["cycles"]
	    assert sum(v for k, v in i["stats"].items() if k.startswith("sched_cycles[")) == i["stats"]["sched_cycles"]
	assert at == r[-1]["stats"]["gpu_tot_sim_cycle"]
	for k in total:
	    if k.startswith("sched_cycles"):
	        assert sum(i["stats"].get(k, 0) for i in over_time) == total[k], k
	for k in "gpu_sim_insn", "L1D_total_cache_accesses", "L1D_total_cache_misses", "L2_total_cache_accesses":
	    assert sum(i["stats"].get(k, 0) for i in over_time) == r[-1]["stats"].get(k, 0), k
	assert sum(v for i in over_time for k, v in i["stats"].items() if k.startswith("sm[") and k.endswith("issued")) == \
	    total["sched_cycles[issue]"]
	END
}

# Tests a condition over the records r of a file in JSON.
holds() {
	python3 -c 'import json, sys; r = [json.loads(l) for l in open(sys.argv[1])]; assert eval(sys.argv[2])' "$@"
}

profile() {
	trace-sim -q -f -F json -o r.json --profile p.json --timeline t.json "$@"
	trace-sim -q -f -F json -o without.json "$@"
	cmp r.json without.json
}

@test "profile parts add up by kernel, by instruction and by the original's buckets" {
	for t in vecadd gemm gather barrier membar ldgsts icache stream streams; do
		for gpu in rtx3070 qv100; do
			profile -g $gpu "$(trace $t)"
			check_sums
		done
	done
}

@test "profile parts add up with atomics and with instructions without active lanes" {
	for t in atomics ends reduce shared example; do
		profile -g qv100 "$(trace $t)"
		check_sums loose
	done
}

@test "profile parts add up with every scheduler" {
	for s in lrr gto oldest two_level_active:6:0:1 rrr warp_limiting:2:4; do
		profile -g rtx3070 -D "gpgpu_scheduler=$s" "$(trace gemm)"
		check_sums loose
	done
}

@test "profile parts add up with two issues a cycle and with concurrent kernels" {
	profile -g titanv -D gpgpu_max_insn_issue_per_warp=2 -D gpgpu_dual_issue_diff_exec_units=0 "$(trace alu)"
	check_sums dual loose
	profile -g rtx3070 -D gpgpu_concurrent_kernel_sm=1 -D gpgpu_max_concurrent_kernel=8 "$(trace streams)"
	holds p.json 'len([k for k in r if k["record"] == "kernel"]) == 4'
	holds p.json 'all(k["stats"]["sched_cycles"] == sum(v for n, v in k["stats"].items() if "sched_cycles[" in n)
		for k in r[1:])'
}

@test "each stall has the expected reason" {
	profile -g qv100 "$(trace barrier)"
	holds p.json 'r[1]["stats"]["sched_cycles[barrier]"] > 0'
	profile -g qv100 "$(trace membar)"
	holds p.json 'r[1]["stats"]["sched_cycles[memory_barrier]"] > 0'
	profile -g qv100 "$(trace icache)"
	holds p.json 'r[1]["stats"]["sched_cycles[no_instruction]"] > 0'
	profile -g qv100 "$(trace stream)"
	holds p.json 'all(":LDG" in n for n in r[1]["stats"] if n.startswith("pc[") and "scoreboard_memory" in n)'
	holds p.json 'r[1]["stats"]["sched_cycles[scoreboard_memory]"] > r[1]["stats"]["sched_cycles[scoreboard_arithmetic]"]'
}

# A load is never blamed on arithmetic, and a kernel that only loads waits for memory only.
@test "each shipped GPU charges the wait for a load to memory" {
	for gpu in $(trace-sim --list-gpus | awk 'NR > 1 { print $1 }'); do
		for t in stream gather gemm; do
			trace-sim -q -f -g "$gpu" -F json -o r.json --profile p.json "$(trace $t)"
			holds p.json '(lambda s: s["sched_cycles[scoreboard_memory]"] > 10 * s["sched_cycles[scoreboard_arithmetic]"]
				and not any(":LD" in n and "scoreboard_arithmetic" in n for n in s)
				and any(":LDG" in n and "scoreboard_memory" in n for n in s))(r[1]["stats"])' || fail "$gpu $t"
		done
	done
}

@test "the modern core charges a full memory queue to memory, but not a wait for a shuffle" {
	for gpu in a100-80 h100-pcie rtx4090; do
		profile -g $gpu -D core_mem_places=1 "$(trace gather)"
		holds p.json 'r[1]["stats"]["sched_cycles[ldst_queue]"] > 0'
		profile -g $gpu "$(trace barrier)"
		holds p.json 'r[1]["stats"]["sched_cycles[memory_barrier]"] == 0'
	done
}

# gto keeps the attribution of a scheduler while nothing changes on which it depends. warp_limiting with space for all
# warps issues the same warps and attributes each cycle.
@test "a cached attribution equals the attribution of each single cycle" {
	for t in vecadd gemm gather barrier membar ldgsts icache stream streams atomics ends reduce shared; do
		for s in gto warp_limiting:2:12; do
			trace-sim -q -f -g rtx3070 -D gpgpu_scheduler=$s -F json -o r.json --profile ${s%%:*}.json "$(trace $t)"
		done
		diff <(tail -n +2 gto.json) <(tail -n +2 warp_limiting.json) >/dev/null || fail "$t"
	done
}

@test "a run that a limit stops has a profile of the simulated part" {
	profile -g qv100 -D gpgpu_max_cycle=6000 "$(trace stream)"
	check_sums loose
	holds p.json 'r[-1]["status"] == "limit"'
}

# If no other accesses exist, the accesses of the instructions add up to the figures of the caches.
@test "the profile has memory accesses of instructions and operations of kernels" {
	for gpu in rtx3070 a100-80; do
		for t in gemm gather stream; do
			profile -g $gpu "$(trace $t)"
			python3 - <<-'END'
			import json
			r, p = [[json.loads(l) for l in open(f)] for f in ("r.json", "p.json")]
			q, s = r[1]["stats"], [k for k in p if k["record"] == "kernel"][0]["stats"]
			of = lambda f: sum(v for k, v in s.items() if k.startswith("pc[") and k.endswith("." + f))
			hits = q.get("L1D_total_cache_accesses", 0) - q.get("L1D_total_cache_misses", 0)
			assert of("l1_accesses") == q.get("L1D_total_cache_accesses", 0)
			assert of("l1_hits") == hits
			assert of("l2_accesses") <= q["L2_total_cache_accesses"] and of("l2_hits") <= of("l2_accesses")
			assert of("l2_accesses") >= q.get("L1D_total_cache_misses", 0) * 0.5 > 0
			assert of("lanes") == sum(v * int(k[16:-1]) for k, v in q.items()
			    if k.startswith("warp_occupancy[W") and k[16:-1].isdigit())
			assert of("requests") == sum(v for k, v in s.items() if ".issues" in k and any(x in k for x in (":LD", ":ST")))
			for k, v in s.items():
			    if k.startswith("pc[") and k.endswith(".sectors"):
			        assert v >= s[k.replace(".sectors", ".requests")]
			fma = sum(v for k, v in s.items() if ":FFMA" in k and k.endswith(".lanes"))
			one = sum(v for k, v in s.items() if (":FADD" in k or ":FMUL" in k) and k.endswith(".lanes"))
			assert s.get("operations[fp32]", 0) == 2 * fma + one
			END
		done
	done
	# the data sheet of the A100: 19.5 Tflop/s, 312 Tflop/s of tensor units, 2,039 GB/s
	holds p.json 'abs(r[-1]["stats"]["peak_operations[fp32]"] - 19490) < 10'
	holds p.json 'abs(r[-1]["stats"]["peak_operations[tensor_fp16]"] - 311900) < 100'
	holds p.json 'abs(r[-1]["stats"]["peak_bytes[dram]"] - 2039) < 1'
}

@test "--profile-interval splits the profile by time" {
	d=$(trace stream)
	trace-sim -q -g rtx3070 -F json -o r --profile p.json --profile-interval 1000 "$d"
	holds p.json 'all(k["cycles"] == 1000 for k in [k for k in r if k["record"] == "interval"][:-1])'
	run -2 trace-sim -g rtx3070 --profile-interval 1000 "$d"
	assert_output --partial '--profile-interval requires --profile'
	run -2 trace-sim -g rtx3070 --profile-interval 0 --profile p "$d"
	trace-sim -q -g rtx3070 -D gpgpu_kernel_launch_latency=2990000 -f -F json -o r --profile p.json "$d"
	holds p.json 'len(r) < 270'
}

@test "source lines appear if the trace has them" {
	cp -r "$(trace vecadd)" lines
	sed -i -e 's/^-enable lineinfo = 0/-enable lineinfo = 1/' -e '/^[0-9a-f]\{4\} /s/^/17 /' lines/kernel-1.traceg
	trace-sim -q -g rtx3070 -o r --profile p lines
	grep -q '^pc\[0x0050:LDG.E:17\].issues 64 warp-insts$' p
	trace-sim -q -g rtx3070 -o plain "$(trace vecadd)"
	run -0 grep -c . plain
}

@test "the profile follows -F, and two runs give the same bytes" {
	d=$(trace example)
	for f in text json msgpack accelsim; do
		for n in 1 2; do
			trace-sim -q -g rtx3070 -F $f -o r$n.$f --profile p$n.$f --timeline t$n.$f "$d"
		done
		cmp p1.$f p2.$f
		cmp t1.$f t2.$f
		cmp t1.$f t1.text
	done
	cmp p1.text p1.accelsim
	holds p1.json 'len(r) > 9 and r[0]["record"] == "run" and r[-1]["status"] == "complete"'
	holds p1.json '[k["record"] for k in r[1:3]] == ["kernel", "kernel"]'
	run -0 head -1 p1.text
	assert_output '# run'
}

@test "stats-csv prints a profile as a table" {
	command -v stats-csv >/dev/null || skip "stats-csv is not built"
	d=$(trace example)
	for f in text json msgpack; do
		trace-sim -q -g rtx3070 -F $f -o r.$f --profile p.$f "$d"
		stats-csv -F tsv -s 'sched_cycles*' - <p.$f >$f.tsv
		cmp text.tsv $f.tsv
	done
	run -0 head -1 text.tsv
	assert_output --partial 'sched_cycles[scoreboard_memory]'
	stats-csv --long -s 'pc*' p.text | grep -q 'pc\[0x0050:LDG.E\].cycles\[scoreboard_memory\]'
}

@test "the timeline is JSON with kernels, CTAs and counters that end within the run" {
	trace-sim -q -g rtx3070 -F json -o r.json --timeline t.json "$(trace streams)"
	python3 - <<-'END'
	import json
	t = json.load(open("t.json"))["traceEvents"]
	r = [json.loads(l) for l in open("r.json")]
	end = r[-1]["stats"]["gpu_tot_sim_cycle"]
	names = {e["pid"]: e["args"]["name"] for e in t if e["name"] == "process_name"}
	slices = [e for e in t if e["ph"] == "X" and names[e["pid"]] == "kernels"]
	kernels = [e for e in slices if e["name"] != "launch latency"]
	waits = [e for e in slices if e["name"] == "launch latency"]
	assert len(waits) == 4 and all(e["dur"] >= 5000 for e in waits)
	assert {(e["tid"], e["ts"] + e["dur"]) for e in waits} == {(e["tid"], e["ts"]) for e in kernels}
	ctas = [e for e in t if e["ph"] == "X" and names[e["pid"]].startswith("SM ")]
	assert len(kernels) == 4 and len({e["tid"] for e in kernels}) == 2
	assert len(ctas) > 0 and all(0 <= e["ts"] and e["ts"] + e["dur"] <= end for e in kernels + ctas)
	tracks = {}
	for e in sorted(ctas + slices, key=lambda e: e["ts"]):
	    key = (e["pid"], e["tid"])
	    assert tracks.get(key, 0) <= e["ts"], e
	    tracks[key] = e["ts"] + e["dur"]
	by_uid = {e["args"]["kernel"]: e["name"] for e in kernels}
	assert all(e["name"] == by_uid[e["args"]["kernel"]] and e["args"]["cta"] >= 0 for e in ctas)
	threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in t if e["name"] == "thread_name"}
	assert all(threads[e["pid"], e["tid"]] == "CTA slot %d" % (e["tid"] - 1) for e in ctas)
	assert all(threads[e["pid"], e["tid"]].startswith("stream ") for e in slices)
	for parts, whole in (("DRAM bandwidth by channel (GB/s)", "DRAM bandwidth (GB/s)"), ("IPC by SM", "IPC")):
	    now, at = 0, {e["ts"]: sum(e["args"].values()) for e in t if e["name"] == parts}
	    assert len({tuple(e["args"]) for e in t if e["name"] == parts}) == 1 and any(at.values())
	    for e in sorted((e for e in t if e["name"] == whole), key=lambda e: e["ts"]):
	        now = at.get(e["ts"], now)  # one that did not change is not repeated
	        assert abs(now - e["args"]["value"]) <= 1e-4 * now + 1e-9, (e, now)
	counters = {e["name"] for e in t if e["ph"] == "C"}
	assert counters == {"IPC", "L1D hit rate (%)", "L2 hit rate (%)", "DRAM bandwidth (GB/s)", "occupancy (%)",
	    "network requests (flits/cycle)", "network replies (flits/cycle)", "DRAM bandwidth by channel (GB/s)", "IPC by SM"}
	rates = [e for e in t if e["ph"] == "C" and "%" in e["name"]]
	assert all(0 <= e["args"]["value"] <= 100 for e in rates)
	for name, figure in (("IPC", "gpu_tot_sim_insn"), ("network requests (flits/cycle)", "icnt_total_pkts_simt_to_mem"),
	        ("network replies (flits/cycle)", "icnt_total_pkts_mem_to_simt")):
	    at = sorted((e["ts"], e["args"]["value"]) for e in t if e["name"] == name)
	    total = sum(v * (b - a) for (a, v), (b, _) in zip(at, at[1:]))
	    assert abs(total - r[-1]["stats"][figure]) < 1, (name, total)
	END
}

@test "the timeline follows the trace event format" {
	trace-sim -q -g rtx3070 -o r --timeline t.json --timeline-interval 500 "$(trace streams)"
	python3 - <<-'END'
	import json
	t = json.load(open("t.json"))
	whole, text, number = (int,), (str,), (int, float)
	schema = {  # by phase: every field with its types; no others
	    "M": {"ph": text, "pid": whole, "name": text, "args": (dict,)},
	    "X": {"ph": text, "pid": whole, "tid": whole, "ts": whole, "dur": whole, "name": text, "args": (dict,)},
	    "C": {"ph": text, "pid": whole, "ts": whole, "name": text, "args": (dict,)},
	}
	assert set(t) == {"displayTimeUnit", "otherData", "traceEvents"} and t["displayTimeUnit"] in ("ms", "ns")
	for e in t["traceEvents"]:
	    fields = dict(schema[e["ph"]])
	    if e["name"] == "thread_name":
	        fields["tid"] = whole
	    assert set(e) == set(fields) and all(type(e[f]) in fields[f] for f in fields), e
	    assert all(e.get(f, 0) >= 0 for f in ("pid", "tid", "ts", "dur")), e
	    if e["ph"] == "C":
	        assert e["args"] and all(type(v) in number for v in e["args"].values()), e
	    if e["ph"] == "M":
	        assert list(e["args"]) in (["name"], ["sort_index"]), e
	END
}

@test "--timeline-interval and --timeline-sms limit the timeline" {
	d=$(trace stream)
	trace-sim -q -g rtx3070 -o r --timeline coarse --timeline-interval 10240 --timeline-sms 0 "$d"
	trace-sim -q -g rtx3070 -f -o r --timeline fine --timeline-interval 100 --timeline-sms 1000 "$d"
	run -1 grep -c '{"name":"SM ' coarse
	run -0 grep -c '{"name":"SM ' fine
	assert_output 46
	[ "$(grep -c '"IPC"' fine)" -gt "$(grep -c '"IPC"' coarse)" ]
	for bad in 0 x 1.5 4K 99999999999; do
		run -2 trace-sim -g rtx3070 --timeline-interval $bad --timeline t "$d"
		assert_output --partial 'timeline-interval'
	done
	run -2 trace-sim -g rtx3070 --timeline-sms -1 --timeline t "$d"
}

@test "without an interval the timeline of a long run stays small" {
	trace-sim -q -g rtx3070 -D gpgpu_kernel_launch_latency=2990000 -o r --timeline t "$(trace vecadd)"
	[ "$(grep -c '"IPC"' t)" -le 4098 ]
	[ "$(wc -c <t)" -lt 2000000 ]
}

@test "existing files stay without -f, and a failure leaves no file" {
	d=$(trace vecadd)
	echo mine >p
	run -2 trace-sim -q -g rtx3070 -o r --profile p "$d"
	run -2 trace-sim -q -g rtx3070 -o r --timeline p "$d"
	[ "$(cat p)" = mine ]
	cp -r "$d" broken
	sed -i '/IMAD.WIDE/s/IMAD.WIDE.*/IMAD.WIDE x/' broken/kernel-1.traceg
	run -2 trace-sim -q -g rtx3070 -o r --profile q --timeline t broken
	run -0 ls
	assert_output "$(printf 'broken\np')"
}

# Adds line information: a column before the PC.
lined() {
	cp -r "$(trace gemm)" "$1"
	sed -i -E 's/^0[0-9a-f]{3} /7 &/; s/enable lineinfo = 0/enable lineinfo = 1/' "$1"/kernel-1.traceg
}

@test "stats-csv --top adds up cycles by stall, PC, line, kernel and reason" {
	trace-sim -q -g rtx3070 -F json -o r.json --profile p.json "$(trace gemm)"
	for f in text json msgpack; do
		trace-sim -q -g rtx3070 -F $f -f -o r --profile p "$(trace gemm)"
		stats-csv --top 20 --by stall - <p >top.$f
	done
	cmp top.json top.text
	cmp top.json top.msgpack
	run -0 stats-csv --top 20 --by stall -F tsv p.json
	assert_line --index 0 "$(printf 'run\tkernel_name\tpc\topcode\tline\tstall\tcycles\tshare\tsum\tissues')"
	assert_equal "${#lines[@]}" 21
	# each row has the figure of the profile, rows are sorted, and together they are all cycles without an issue
	for by in stall pc kernel reason; do stats-csv --top 100000 --by $by p.json >$by.csv; done
	python3 - <<-'END'
	import csv, json
	s = json.loads(open('p.json').readlines()[1])['stats']
	busy = s['sched_cycles'] - s['sched_cycles[empty]']
	rows = {by: list(csv.DictReader(open(by + '.csv'))) for by in 'stall pc kernel reason'.split()}
	for by, r in rows.items():
	    c = [int(x['cycles']) for x in r]
	    assert c == sorted(c, reverse=True)
	    assert sum(c) == busy - (s['sched_cycles[issue]'] if by == 'stall' else 0), by
	for x in rows['stall']:
	    if x['pc']:
	        assert int(x['cycles']) == s['pc[%s:%s].cycles[%s]' % (x['pc'], x['opcode'], x['stall'])]
	for x in rows['reason']:
	    assert int(x['cycles']) == s['sched_cycles[%s]' % x['stall']]
	    assert abs(float(x['share']) - 100 * int(x['cycles']) / busy) < 0.006
	assert sum(int(x['issues'] or 0) for x in rows['pc']) == s['sched_cycles[issue]']
	END
	# a record without a profile, and options that apply to figures, are rejected
	run -2 stats-csv --top 20 r.json
	assert_output --partial 'expected a file of trace-sim --profile'
	run -2 stats-csv --top 20 --by warp p.json
	assert_output --partial 'expected one of stall pc line kernel reason'
	run -2 stats-csv --by pc p.json
	run -2 stats-csv --top 20 -s gpu_ipc p.json
}

@test "stats-csv --top --by line names file and line" {
	lined app
	trace-sim -q -g rtx3070 -F json -o r.json --profile p.json app
	run -0 stats-csv --top 30 --by line -F tsv p.json
	assert_line --regexp $'^p.json\tgemm\t\t\t7\t[a-z_]+\t[0-9]+'
	run -0 stats-csv --top 30 --by pc -F tsv p.json
	assert_line --regexp $'^p.json\tgemm\t0x0000\tLDG.E\t7\tscoreboard_memory\t'
	# without source lines there is a warning and no row
	trace-sim -q -f -g rtx3070 -F json -o r.json --profile p.json "$(trace vecadd)"
	run -0 --separate-stderr stats-csv --top 30 --by line -F tsv p.json
	[ "${#lines[@]}" = 1 ]
	[[ $stderr == *"warning: the trace has no source lines (expected -enable lineinfo 1 of the tracer, or .loc of PTX)" ]]
	run -0 --separate-stderr stats-diff --top 30 --by line --all p.json p.json
	assert_output ''
	[[ $stderr == *'no source lines'* ]]
}

@test "stats-diff --top lists the places that became slower" {
	trace-sim -q -g rtx3070 -F json -o a.json --profile a.prof "$(trace gemm)"
	trace-sim -q -g rtx3070 -D gpgpu_l1_latency=80 -F json -o b.json --profile b.prof "$(trace gemm)"
	run -0 stats-diff --top 20 a.prof a.prof
	assert_output ''
	run -1 stats-diff --top 5 --by stall a.prof b.prof
	assert_line --index 0 'a.prof -> b.prof'
	assert_line --index 1 --regexp 'scheduler cycles of SMs with thread blocks: A [0-9]+, B [0-9]+ \(\+[0-9.]+%\)'
	assert_equal "${#lines[@]}" 8
	run -1 stats-diff --top 1 --by reason -F json a.prof b.prof
	assert_output --partial '"stall":"scoreboard_memory"'
	run -1 stats-diff --top 5 --by pc -F markdown a.prof b.prof
	assert_line '| A | B | change | stall | place | kernel |'
	run -2 stats-diff --top 5 a.json b.json
	run -2 stats-diff --top 5 -s gpu_ipc a.prof b.prof
	run -2 stats-diff --by pc a.prof b.prof
}
