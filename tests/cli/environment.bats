#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Each program without standard descriptors, with limits of file sizes and of the stack, and without a directory for
# temporary files.

bats_require_minimum_version 1.5.0
load helper

setup_file() {
	trace-sim -q -g rtx3070 -F json -o "$BATS_FILE_TMPDIR/run.json" "$(trace example)"
}
setup() {
	cd "$BATS_TEST_TMPDIR"
	cp "$BATS_FILE_TMPDIR/run.json" .
	ln -s "$(trace example)" app
	cp "$ROOT"/examples/cuda/vecadd.{ptx,launch} .
}

# Runs a function on each command that writes to standard output.
each_command() {
	"$1" trace-lint app
	"$1" trace-pack -q app
	"$1" trace-exec -q vecadd.launch
	"$1" trace-sim -q -g rtx3070 app
	"$1" trace-pick -q app
	"$1" stats-diff --all run.json run.json
	"$1" stats-csv run.json
	"$1" stats-html run.json
}

fails_without_descriptors() {
	local status=0

	"$@" <&- >&- 2>&- || status=$?
	[ "$status" = 2 ] || { echo "$* ends with status $status"; return 1; }
}

@test "a program without standard descriptors reports that its output cannot be written" {
	each_command fails_without_descriptors
}

@test "a limit of file sizes ends a program with a message" {
	for command in 'trace-sim -q -g rtx3070 --isolate -o out app' 'trace-pack -q -o out app' 'trace-pick -q -o out app' \
		'stats-csv -o out run.json'; do
		run -2 bash -c "ulimit -f 0; exec $command"
		assert_output --regexp "^${command%% *}: .*File too large$"
		run -0 ls
		refute_output --partial out
	done
}

@test "a missing directory for temporary files is named" {
	export TMPDIR=/nowhere
	for command in 'trace-sim -q -g rtx3070 --isolate app' 'stats-csv run.json' 'stats-diff run.json run.json'; do
		run -2 $command
		assert_output "${command%% *}: /nowhere: error: cannot create a temporary file: No such file or directory"
	done
}

works_on_small_stack() {
	(ulimit -s 128 && exec "$@") >out || { echo "$* ends with status $?"; return 1; }
}

@test "a stack of 128 KiB suffices" {
	plain_build_only
	each_command works_on_small_stack
	works_on_small_stack trace-sim -q -g rtx3070 --isolate app
}
