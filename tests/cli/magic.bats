#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# examples/packaging/warptools.magic: the descriptions that file(1) gives for packed streams, results and traces.

bats_require_minimum_version 1.5.0
load helper

says() { file -b -e json -m "$ROOT/examples/packaging/warptools.magic" "$1"; }

@test "file(1) recognises packed streams, results in each format, and traces" {
	command -v file >/dev/null || skip "file is not installed"
	cd "$BATS_TEST_TMPDIR"
	d=$(trace vecadd)
	trace-pack -q -o app.tpack "$d"
	run -0 says app.tpack
	assert_output --regexp '^warptools packed stream, version [0-9]+$'
	run -0 file -b -i -m "$ROOT/examples/packaging/warptools.magic" app.tpack
	assert_output --partial 'application/x-warptools-tpack'
	for f in json msgpack text; do
		trace-sim -q -g rtx3070 -F $f -o r.$f "$d"
		run -0 says r.$f
		case $f in
		json) assert_output "warptools results, JSON, \"version\":\"$(trace-sim --version | awk '{ print $NF }')\"" ;;
		*) assert_output "warptools results, $f" ;;
		esac
	done
	run -0 says "$d/kernel-1.traceg"
	assert_output --regexp '^GPU kernel trace of Accel-Sim, kernel '
	echo '{"record":"other"}' >other
	run -0 says other
	refute_output --partial 'warptools'
}
