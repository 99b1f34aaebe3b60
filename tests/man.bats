#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Manual pages are well-formed and complete; completions are accepted by their shells; installing works.

bats_require_minimum_version 1.5.0
load helper

@test "mandoc finds nothing in any page" {
	command -v mandoc >/dev/null || skip "mandoc is not installed"
	make -s -C "$ROOT" BUILD="$BUILD" man
	for page in "$BUILD"/man/*.[1-9]; do
		run -0 mandoc -T lint -W warning "$page"
		assert_output ''
	done
}

@test "a program's page names each of its options" {
	make -s -C "$ROOT" BUILD="$BUILD" man
	for page in "$BUILD"/man/*.1; do
		program=$(basename "$page" .1)
		[ -x "$BUILD/$program" ] || continue
		for o in $("$BUILD/$program" -h | grep -o -e '--[a-z][a-z-]*' | sort -u); do
			grep -q -e "${o#--}" "$page" || { echo "$program: $o"; return 1; }
		done
	done
}

@test "trace-sim-model(7) lists every quirk that the sources mark" {
	run -0 sh "$ROOT/tests/quirks"
	assert_output ''
}

@test "bash accepts the completions" {
	make -s -C "$ROOT" BUILD="$BUILD" completions
	for c in "$BUILD"/completions/*.bash; do run -0 bash -n "$c"; done
}

@test "make install puts everything under DESTDIR, and a program there finds its configurations" {
	make -s -C "$ROOT" BUILD="$BUILD" install PREFIX=/usr DESTDIR="$BATS_TEST_TMPDIR/root" >/dev/null
	[ -x "$BATS_TEST_TMPDIR/root/usr/bin/trace-sim" ]
	[ -f "$BATS_TEST_TMPDIR/root/usr/share/man/man1/trace-sim.1" ]
	[ -f "$BATS_TEST_TMPDIR/root/usr/share/warptools/gpus/rtx3070.config" ]
	run -0 env WARPTOOLS_GPUS="$BATS_TEST_TMPDIR/root/usr/share/warptools/gpus" \
		"$BATS_TEST_TMPDIR/root/usr/bin/trace-sim" -q -g rtx3070 "$(trace vecadd)"
}
