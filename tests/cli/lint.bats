#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-lint's command line and the example that uses it. tests/lint tests the findings.

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

@test "trace-lint prints help, the table of rules, and explanations" {
	run -0 trace-lint -h
	assert_output --partial 'TRACE...'
	run -0 trace-lint --list
	assert_output --regexp 'lane-after-exit +warning +warp +RUNS +ABORTS'
	for id in $(trace-lint --list | awk '{ print $1 }'); do
		run -0 trace-lint --explain "$id"
		assert_output --partial "$id ("
		assert_output --regexp $'\ntrace-sim (rejects it|runs it|ends in a deadlock).*\nAccel-Sim '
	done
}

@test "trace-lint: usage errors have status 2" {
	run -2 trace-lint
	run -2 trace-lint --explain nothing
	run -2 trace-lint -W lane-left x
	assert_output --partial "lanes-left"
	run -2 trace-lint -W lanes-left=loud x
	run -2 trace-lint -F xml x
}

@test "trace-lint: a damaged file is a finding, and a missing file has status 2" {
	run -2 trace-lint missing.tpack
	trace-pack "$(trace vecadd)" -o good.tpack
	head -c -9 good.tpack >cut.tpack
	run -1 trace-lint cut.tpack
	assert_output --partial 'cut.tpack:1:1: error: pack-truncated: '
	printf '\377' | dd of=good.tpack bs=1 seek=20 conv=notrunc status=none
	run -1 trace-lint good.tpack
	assert_output --partial 'good.tpack:1:1: error: pack-damaged: '
	gzip -c "$(trace vecadd)/kernel-1.traceg" | head -c -9 >cut.traceg.gz
	run -1 trace-lint cut.traceg.gz
	assert_output --partial 'error: compressed-truncated: '
	run -2 trace-pack cut.traceg.gz -o x
}

@test "trace-lint: -W sets levels, --limit limits the lines of a rule, -F json prints objects" {
	d=$(trace vecadd)
	cp -r "$d" app
	sed -i 's/EXIT/NOP/' app/kernel-1.traceg
	run -1 trace-lint -W lanes-left=error app
	assert_output --partial 'lanes-left: 54 more like it'
	assert_output --partial '64 errors, 0 warnings'
	run -0 trace-lint -W lanes-left=note app
	run -0 trace-lint -W lanes-left app
	run -1 trace-lint -W lanes-left -Werror app
	run -0 trace-lint -q -W lanes-left=off -W address-window=off app
	assert_output ''
	[ "$(trace-lint --limit 0 app | grep -c lanes-left)" -eq 64 ]
	trace-lint -F json app >json || true
	[ "$(grep -c '"record": *"finding".*"id": *"lanes-left"' json)" -eq 10 ]
	[ "$(grep -c '"record": *"end".*"lanes-left": *64' json)" -eq 1 ]
}

@test "trace-lint: on Hopper, a wait may allow more open bulk copies than were made" {
	d=$(trace ldgsts)
	cp -r "$d" app
	sed -i '0,/DEPBAR.LE 0 0 [0-9]*/s//DEPBAR.LE 0 0 9/' app/kernel-1.traceg
	run trace-lint app
	assert_output --partial 'depbar-groups: DEPBAR for 9 groups'
	sed -i 's/binary version = 80/binary version = 90/' app/kernel-1.traceg
	run trace-lint app
	refute_output --partial 'depbar-groups'
}

@test "trace-lint reads a list on standard input, several traces, and a raw trace" {
	d=$(trace vecadd)
	cp -r "$d" app
	cd app
	run -0 trace-lint -W address-window=off - <kernelslist.g
	cd ..
	run -0 trace-lint -W address-window=off app app/kernel-1.traceg
	assert_output --partial 'in 2 kernels (1280 instructions)'
	awk '/^thread block/ { split($4, id, ","); next }
		/^warp/ { warp = $3; next }
		/^insts|TB$/ { next }
		/^00/ { print id[1], id[2], id[3], warp, $0; next } { print }' app/kernel-1.traceg >raw.trace
	run -0 trace-lint -W version-shape=off -W raw=off raw.trace
	assert_output '0 errors, 0 warnings, 0 notes in 1 kernel (640 instructions)'
	sed -i '0,/ EXIT /{/ EXIT /d}' raw.trace
	run -1 trace-lint raw.trace
	assert_output --partial 'lanes-left: warp 0 ends'
	assert_output --partial 'error: raw: raw trace'
}

# Levels: error if trace-sim rejects the input, prints wrong figures or waits forever; warning if the input is suspicious or
# the original rejects it; note otherwise. With --for accel-sim, input that the original rejects is an error.
@test "trace-lint: the level of a finding follows from its consequence" {
	trace-lint --list | awk '
		{ sim = $4 ~ /^(REFUSES|WRONG|WAITS)$/ ? "error" : $4 == "DOUBTS" ? "warning" : "note" }
		sim == "note" && $5 !~ /^(RUNS|ABSENT|UNKNOWN)$/ { sim = "warning" }
		$2 != sim { print; bad = 1 } END { exit bad }'
	d=$(trace vecadd)
	cp -r "$d" app
	# an EXIT with all lanes although some continue, as tracers record it under a predicate
	sed -i '0,/^0070 ffffffff 1 R9 FADD 2 R4 R5/s//0070 0000000f 0 EXIT 0/' app/kernel-1.traceg
	run -0 trace-lint app
	assert_output --partial 'warning: lane-after-exit'
	run -0 trace-sim -q -g rtx3070 app
	run -1 trace-lint --for accel-sim app
	assert_output --partial 'error: lane-after-exit'
	run -0 trace-lint --for trace-sim app
	run -0 trace-lint --for accel-sim -W lane-after-exit=note app
	run -2 trace-lint --for mgpusim app
	assert_output --partial 'expected trace-sim or accel-sim'
}

@test "trace-lint: real traces that trace-sim runs have no errors" {
	t=$ROOT/../shared/traces
	[ -d "$t" ] || skip "no recorded traces"
	for d in torch-step-v100 backprop-h100 bfs-rodinia-a100 flashinfer-prefill-a100 lud-v100-format1 matrixmul-gtx1080; do
		run -0 trace-lint -q "$t/$d"
	done
	run -1 trace-lint -q --for accel-sim "$t/torch-step-v100"
	run -0 trace-lint -q --for accel-sim "$t/bfs-rodinia-a100"
}

@test "example: lint before a sweep" {
	d=$(trace uniform)
	run -0 "$ROOT/examples/lint-before-sweep" "$d" rtx3070 titanx
	assert_output --partial 'rtx3070: rtx3070.json'
	[ -s rtx3070.json ]
	cp -r "$d" bad
	truncate -s 9000 bad/kernel-1.traceg
	run -1 "$ROOT/examples/lint-before-sweep" bad rtx3070
	assert_output --partial 'nothing was simulated'
}
