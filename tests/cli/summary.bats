#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The summary of trace-sim on a terminal.

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

# Runs a command on a new terminal.
on_terminal() {
	command -v script >/dev/null || skip "script is not installed"
	script -qec "$*" /dev/null | tr -d '\r'
}

@test "the summary has a line for each kernel and a total, with the figures of the records" {
	d=$(trace streams)
	for gpu in rtx3070 a100-80; do
		on_terminal trace-sim -q -g $gpu "$d" >terminal
		trace-sim -q -g $gpu -F json "$d" >r.json
		python3 - <<-'END'
		import json
		r = [json.loads(l) for l in open("r.json")]
		t = [l.split() for l in open("terminal")]
		assert t[0][:3] == ["id", "kernel", "cycles"] and len(t) == 7, t
		hz = float(r[0]["config"]["gpgpu_clock_domains"].split(":")[0]) * 1e6
		for k, line in zip(r[1:5], t[1:5]):
		    s = k["stats"]
		    assert line[:3] == [str(k["id"]), k["name"], str(s["gpu_sim_cycle"])], line
		    want = [s["gpu_ipc"], 100 * s["achieved_occupancy"], 100 * s.get("L1D_total_cache_miss_rate", 0),
		        100 * s.get("L2_total_cache_miss_rate", 0), (s.get("dram_read_bytes", 0) + s.get("dram_write_bytes", 0)) / s["gpu_sim_cycle"] * hz / 1e9]
		    assert all(abs(float(x) - w) <= 0.051 for x, w in zip(line[3:8], want)), (line, want)
		assert t[5][0] == "total" and int(t[5][1]) == r[-1]["stats"]["gpu_tot_sim_cycle"]
		assert t[6][:3] == ["complete:", "4", "kernels,"]
		END
	done
}

@test "the main stall is the most frequent reason; if that is idle, the next one is shown, too" {
	for name in streams reduce atomics barrier vecadd; do
		d=$(trace $name)
		on_terminal trace-sim -q -g rtx3070 "$d" >terminal
		trace-sim -q -g rtx3070 -F json "$d" >r.json
		python3 - <<-'END' >>reasons
		import json
		for k, line in zip([json.loads(l) for l in open("r.json")][1:-1], open("terminal").read().splitlines()[1:]):
		    full, wait, idle = (k["stats"].get("warp_occupancy[%s]" % n, 0) for n in ("Stall", "W0_Scoreboard", "W0_Idle"))
		    want = "unit or queue full" if full > wait else "registers" if wait else ""
		    if idle > max(full, wait):
		        want = "idle, then " + want if want else "idle"
		    assert line.endswith("  " + (want or "-")), (line, full, wait, idle)
		    print(want)
		END
	done
	grep -q '^registers$' reasons
	grep -q '^idle' reasons
}

@test "-o, -F and pipes give the full record" {
	d=$(trace vecadd)
	trace-sim -q -g rtx3070 "$d" >pipe
	on_terminal trace-sim -q -g rtx3070 -o file "$d"
	cmp pipe file
	on_terminal trace-sim -q -g rtx3070 -F text "$d" >terminal
	cmp pipe terminal
	run -0 on_terminal trace-sim -q -g rtx3070 "$d"
	assert_equal "${#lines[@]}" 3
}

@test "the summary shows a limit, demangles names and escapes control characters" {
	cp -r "$(trace vecadd)" app
	sed -i 's/^-kernel name = .*/-kernel name = _ZN3sum6reduceIiEEvPT_i/' app/kernel-1.traceg
	run -0 on_terminal trace-sim -q -g rtx3070 app
	assert_line --partial ' reduce '
	sed -i $'s/^-kernel name = .*/-kernel name = a\x1b[31mb/' app/kernel-1.traceg
	run -0 on_terminal trace-sim -q -g rtx3070 -D gpgpu_max_cycle=5500 app
	refute_output --partial $'\x1b[31m'
	assert_line --partial 'limit: 0 kernels'
}

@test "the summary shows watts with the power model" {
	sh "$ROOT/tests/tools/power-xml" >p.xml
	power="-D power_simulation_enabled=1 -D accelwattch_xml_file=p.xml"
	d=$(trace streams)
	on_terminal trace-sim -q -g qv100 $power "$d" >terminal
	trace-sim -q -g qv100 $power -F json "$d" >r.json
	python3 - <<-'END'
	import json
	r = [json.loads(l) for l in open("r.json")]
	t = [l.split() for l in open("terminal")]
	assert "watts" in t[0]
	kernels = [k["stats"] for k in r if k["record"] == "kernel"]
	for s, line in zip(kernels, t[1:5]):
	    assert abs(float(line[8]) - s["power_average"]) < 0.051, (line, s["power_average"])
	mean = sum(s["energy_kernel_joules"] for s in kernels) / sum(s["energy_seconds"] for s in kernels)
	assert abs(float(t[5][7]) - mean) < 0.051, (t[5], mean)
	END
}
