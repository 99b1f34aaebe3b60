#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Signals at selected calls of short runs, one and two at a time: no output is half-written, and --resume continues exactly.
# make soak sends them at each call.

bats_require_minimum_version 1.5.0
load helper

setup() { plain_build_only; }

signals() {
	run -0 python3 "$ROOT/tests/tools/signals" "$BUILD" "$BATS_TEST_TMPDIR" -s 9 -p 3 "$@"
	refute_output --partial ' at ('
}

@test "--isolate --resume continues exactly after signals, for text and packed traces" { signals isolate isolate-packed; }

@test "signals leave no half-written record, with and without --interval" { signals plain interval; }

@test "signals leave no half-written stream of trace-pack" { signals pack; }
