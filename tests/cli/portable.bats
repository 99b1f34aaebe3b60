#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Other hosts and C libraries. make cross compiles everything against musl, and runs tests on aarch64.

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$ROOT"; }

# Compiles the main file of each program with macros of another machine, and asserts the error.
# usage: rejects_machine TEXT FLAG...
rejects_machine() {
	for main in cmd/*/main.c; do
		run -1 gcc -fsyntax-only -std=c11 -D_GNU_SOURCE -Iinclude -Ilibcommon -I"${main%/main.c}" "${@:2}" "$main"
		assert_output --partial "#error \"warptools needs a $1 machine\""
	done
}

@test "compilation for a big-endian or 32-bit host is rejected" {
	rejects_machine little-endian -U__BYTE_ORDER__ -D__BYTE_ORDER__=__ORDER_BIG_ENDIAN__
	rejects_machine 64-bit -U__SIZEOF_POINTER__ -D__SIZEOF_POINTER__=4
}

@test "the sources avoid names that musl lacks" {
	run grep -rnE '[A-Z]_NP\b|\b(strfry|qsort_r|mallinfo2?|backtrace|FNM_EXTMATCH|GLOB_(BRACE|TILDE|ONLYDIR)) *[(]' \
		--include='*.[ch]' cmd libcommon include
	assert_output ''
}
