# SPDX-License-Identifier: BSD-2-Clause
# Loaded by every bats file: assertions, the programs under test, a folder of its own for each test.
bats_load_library bats-support
bats_load_library bats-assert

BUILD=${BUILD-$BATS_TEST_DIRNAME/../build}
ROOT=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
export WARPTOOLS_GPUS=$ROOT/examples/gpus
PATH=$BUILD:$BUILD/tests:$PATH

# For tests of memory: a sanitizer's own would count.
plain_build_only() { [ -z "${SANITIZED-}" ] || skip "memory is not measured in a sanitizer's build"; }

# A generated trace, written once a file: `trace RECIPE [tracegen options]` prints its folder.
trace() {
	local recipe=$1 dir
	shift
	dir=$BATS_FILE_TMPDIR/$recipe$(printf %s "$*" | tr -d ' ')
	[ -d "$dir" ] || tracegen "$@" "$recipe" "$dir"
	echo "$dir"
}
