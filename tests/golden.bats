#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# One test a golden case; see tests/golden/cases.

golden() { run sh "$BATS_TEST_DIRNAME/golden/run" "$1"; echo "$output"; [ "$status" -eq 0 ]; }

setup_file() { :; }

while read -r name _; do
	case $name in '#'* | '') continue ;; esac
	bats_test_function --description "golden: $name" -- golden "$name" 2>/dev/null || true
done <"$BATS_TEST_DIRNAME/golden/cases"
