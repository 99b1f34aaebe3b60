#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Selected calls of a short run fail: the program ends with a message and status 2, or gives the same result. No output is
# half-written. make soak lets each call fail.

bats_require_minimum_version 1.5.0
load helper

setup() {
	plain_build_only
	cd "$BATS_TEST_TMPDIR"
	SHIM=$(cd "$BUILD" && pwd)/tests/fail_call.so
}

failing() {
	run -0 python3 "$ROOT/tests/tools/failing-calls" "$BUILD" "$BATS_TEST_TMPDIR" -s 9 -n 3 "$@"
	refute_output --regexp ' [1-9][0-9]* wrong'
}

@test "a failing call ends trace-sim with an error, or changes nothing" { failing sim sim-packed sim-logs isolate; }

@test "a failing call ends trace-pack with an error, or changes nothing" { failing pack unpack test list; }

@test "a failing call ends each other program with an error, or changes nothing" { failing lint pick exec csv diff; }

@test "after a failed write nothing more is written, and records that depend on it are dropped" {
	app=$(trace vecadd)
	for n in 1 2; do
		run -2 env LD_PRELOAD="$SHIM" FAIL_CALL=write FAIL_AT=$n FAIL_ERRNO=28 trace-sim -q -g rtx3070 \
			-D gpgpu_n_clusters=2 -F json -o out "$app"
		assert_output --partial 'trace-sim: out: error: cannot be written: No space left on device'
		[ ! -e out ]
		[ ! -e out.part ]
	done
}

@test "an I/O error while reading a stream is not reported as damage" {
	trace-pack -q -o a.tpack "$(trace vecadd)"
	for n in 3 4; do
		run -2 env LD_PRELOAD="$SHIM" FAIL_CALL=pread FAIL_AT=$n trace-pack -q -t a.tpack
		assert_output --regexp '^trace-pack: a.tpack: error: cannot read byte [0-9]+: Input/output error$'
	done
}
