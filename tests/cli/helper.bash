# SPDX-License-Identifier: BSD-2-Clause
# Loaded by every bats file: assertions, the programs under test, a folder of its own for each test.
bats_load_library bats-support
bats_load_library bats-assert

ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
BUILD=${BUILD-$ROOT/build}
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

# For tests of what reads results. In setup_file: an application's in each format, app.FORMAT, and a smaller machine's,
# small.json; in setup: a copy of all that was made there, in the test's own folder.
make_results() {
	local app f
	app=$(trace streams)
	for f in text json msgpack accelsim; do
		trace-sim -q -g rtx3070 --all-figures -F $f "$app" >"$BATS_FILE_TMPDIR/app.$f"
	done
	trace-sim -q -g rtx3070 -D gpgpu_n_clusters=2 --all-figures -F json "$app" >"$BATS_FILE_TMPDIR/small.json"
}
take_results() {
	cd "$BATS_TEST_TMPDIR" || return
	cp "$BATS_FILE_TMPDIR"/*.* .
}
