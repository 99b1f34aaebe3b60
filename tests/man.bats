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

@test "what sources cite stands in the pages of the model, and each quirk is named by a source" {
	run -0 python3 "$ROOT/tests/citations"
	assert_output ''
}

@test "man-db and groff render every page without a warning" {
	command -v man >/dev/null && command -v groff >/dev/null || skip "man-db or groff is not installed"
	man --help 2>/dev/null | grep -q -e --warnings || skip "man is not man-db's"
	make -s -C "$ROOT" BUILD="$BUILD" man
	for page in "$BUILD"/man/*.[1-9]; do
		run -0 --separate-stderr groff -mandoc -Tutf8 -ww "$page"
		[ -z "$stderr" ] || { echo "groff $page: $stderr"; return 1; }
		run -0 --separate-stderr env MANWIDTH=80 MANROFFSEQ= man --warnings -l "$page"
		[ -z "$stderr" ] || { echo "man $page: $stderr"; return 1; }
	done
}

@test "a reference keeps its title and authors under man-db" {
	command -v man >/dev/null && command -v groff >/dev/null || skip "man-db or groff is not installed"
	make -s -C "$ROOT" BUILD="$BUILD" man
	run -0 env MANWIDTH=200 MAN_KEEP_FORMATTING= man -l "$BUILD/man/trace-sim-model.7"
	assert_output --partial 'An Extensible Simulation Framework'
	assert_output --partial 'T. G. Rogers'
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
	[ -f "$BATS_TEST_TMPDIR/root/usr/lib/warptools/libtrace-ptx-cudart.so" ]
	run -0 env -u WARPTOOLS_GPUS "$BATS_TEST_TMPDIR/root/usr/bin/trace-sim" -q -g rtx3070 "$(trace vecadd)"
	mv "$BATS_TEST_TMPDIR/root/usr/share/warptools" "$BATS_TEST_TMPDIR/data"
	run -2 env -u WARPTOOLS_GPUS "$BATS_TEST_TMPDIR/root/usr/bin/trace-sim" -q -g rtx3070 "$(trace vecadd)"
	run -0 env -u WARPTOOLS_GPUS WARPTOOLS_DATA="$BATS_TEST_TMPDIR/data" \
		"$BATS_TEST_TMPDIR/root/usr/bin/trace-sim" -q -g rtx3070 "$(trace vecadd)"
}
