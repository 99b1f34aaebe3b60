#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Other hosts and C libraries. make cross compiles everything against musl, and runs tests on aarch64.

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$ROOT"; }

@test "compilation for a big-endian host is rejected" {
	for main in cmd/*/main.c; do
		run -1 gcc -fsyntax-only -std=c11 -D_GNU_SOURCE -Iinclude -Ilibcommon -I"${main%/main.c}" -U__BYTE_ORDER__ \
			-D__BYTE_ORDER__=__ORDER_BIG_ENDIAN__ "$main"
		assert_output --partial '#error "warptools needs a little-endian machine"'
	done
}

@test "the sources avoid names that musl lacks" {
	run grep -rnE '[A-Z]_NP\b|\b(strfry|qsort_r|mallinfo2?|backtrace|FNM_EXTMATCH|GLOB_(BRACE|TILDE|ONLYDIR)) *[(]' \
		--include='*.[ch]' cmd libcommon include
	assert_output ''
}
