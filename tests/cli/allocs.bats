#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# In a small run of each program each allocation fails once. The program then prints an error and ends with status 2, or
# continues and writes the same bytes. No half-written file stays, except result.part once it has a whole kernel. Long runs
# repeat themselves: their first 100 allocations fail, and 40 of the others; ALLOCS=all lets each one fail.

bats_require_minimum_version 1.5.0
load helper

setup_file() {
	export WARPTOOLS_GPUS=$ROOT/examples/gpus
	cd "$BATS_FILE_TMPDIR"
	PATH=${BUILD-$ROOT/build}:${BUILD-$ROOT/build}/tests:$PATH
	tracegen alu app
	trace-pack -q -o app.tpack app
	trace-sim -q -g qv100 -o one.text app
	trace-sim -q -g qv100 -D gpgpu_n_clusters=3 -F json -o two.json app
	trace-sim -q -g qv100 -F accelsim -o one.log app
	tracegen alu-pascal pascal
	cp "$ROOT"/tests/data/ptx/basic.* .
}

setup() {
	plain_build_only
	cd "$BATS_FILE_TMPDIR"
	SHIM=${BUILD-$ROOT/build}/tests/alloc_fail.so
	case $SHIM in /*) ;; *) SHIM=$ROOT/$SHIM ;; esac
}

files() { find . -type f ! -name 'tried.*' | sort; }

has_kernel() { [ "$(stats-csv -q -s gpu_sim_cycle "$1" 2>/dev/null | wc -l)" -ge 2 ]; }

# Lets the N-th allocation fail. STATUS: that of a good run. Checks return by themselves, because || disables errexit.
fails() {
	local n=$1 good=$2 status=0
	shift 2
	timeout 60 env ALLOC_FAIL="$n" LD_PRELOAD="$SHIM" "$@" >tried.out 2>tried.err || status=$?
	if [ $status -eq 2 ]; then
		[ -s tried.err ] || grep -q 'Cannot allocate memory' tried.out || return 1
		! grep -v "^$1: " tried.err | grep -v "^Try '$1 -h'.$" || return 1
		[ ! -e result.part ] || has_kernel result.part || return 1
		rm -f result result.part
	else
		[ $status -eq "$good" ] && cmp tried.out tried.good || return 1
		[ ! -e result ] || { cmp result tried.result && rm result; } || return 1
	fi
	files | cmp - tried.files
}

# each STATUS COMMAND...: STATUS is that of a run without a failure
each() {
	local good=$1 status=0 n step=1 bad=0
	shift
	ALLOC_COUNT=tried.count LD_PRELOAD="$SHIM" "$@" >tried.good 2>tried.err || status=$?
	[ $status -eq "$good" ] || { cat tried.err; return 1; }
	[ ! -e result ] || mv result tried.result
	files >tried.files
	count=$(cat tried.count)
	[ "$count" -gt 50 ]
	for ((n = 1; n <= count; n += step)); do
		fails $n "$good" "$@" || { echo "allocation $n of $count: $(head -2 tried.err)"; bad=1; }
		[ -n "${ALLOCS-}" ] || [ $n -lt 100 ] || step=$(((count - 100) / 40 + 1))
	done
	return $bad
}

@test "trace-sim on text" { each 0 trace-sim -q -g qv100 -o result app; }
@test "trace-sim on a packed stream, JSON" { each 0 trace-sim -q -g qv100 -F json -o result app.tpack; }
@test "trace-sim with network mode 1, the original's form" { each 0 trace-sim -q -g titanx -F accelsim -o result pascal; }
@test "trace-lint" { each 0 trace-lint -g qv100 app; }
@test "trace-pack" { each 0 trace-pack -q -o result app; }
@test "trace-pack -d" { each 0 trace-pack -d -o - app.tpack; }
@test "trace-pack -t" { each 0 trace-pack -t app.tpack; }
@test "trace-pack -l" { each 0 trace-pack -l -F json app.tpack; }
@test "trace-pick" { each 0 trace-pick -q -o result app; }
@test "trace-pick on a packed stream" { each 0 trace-pick -q -o result app.tpack; }
@test "trace-exec" { each 0 trace-exec -n basic.launch; }
@test "trace-exec, a packed stream" { each 0 trace-exec -q -o - basic.launch; }
@test "trace-sim --isolate" { each 0 trace-sim -q -g qv100 --isolate -o result app; }
@test "trace-sim --profile and --timeline" { each 0 trace-sim -q -g qv100 -D gpgpu_n_clusters=2 -f --profile p --timeline t app; }
@test "stats-csv" { each 0 stats-csv -q -o result one.text; }
@test "stats-csv of a log" { each 0 stats-csv -q -o result one.log; }
@test "stats-diff" { each 1 stats-diff one.text two.json; }
