# SPDX-License-Identifier: BSD-2-Clause
# Loaded by each bats file: assertions, the programs under test, a separate directory for each test.
bats_load_library bats-support
bats_load_library bats-assert

ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
BUILD=${BUILD-$ROOT/build}
export WARPTOOLS_GPUS=$ROOT/examples/gpus
PATH=$BUILD:$BUILD/tests:$PATH

# Skips tests of memory in sanitizer builds, whose own memory would be counted.
plain_build_only() { [ -z "${SANITIZED-}" ] || skip "memory is not measured in a sanitizer's build"; }

# trace RECIPE [tracegen options]: prints the directory of a generated trace, which is written once a file.
trace() {
	local recipe=$1 dir
	shift
	dir=$BATS_FILE_TMPDIR/$recipe$(printf %s "$*" | tr -d ' ')
	[ -d "$dir" ] || tracegen "$@" "$recipe" "$dir"
	echo "$dir"
}

# For tests of programs that read results. make_results, in setup_file, writes the result of an application in each format,
# app.FORMAT, and that of a smaller GPU, small.json. take_results, in setup, copies them into the directory of the test.
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

# Writes kernelslist.g and kernel-1.traceg: a kernel for sm_90 with one block of $1 warps and $2 registers. stdin: the lines,
# each after the number of its warp and a tab.
hopper_block() {
	awk -F'\t' -v warps="$1" -v registers="$2" '
	{ text[$1, count[$1]++] = $2 }
	END {
		printf "-kernel name = k\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (%d,1,1)\n-shmem = 65536\n", 32 * warps
		printf "-nregs = %d\n-binary version = 90\n-cuda stream id = 0\n-shmem base_addr = 0x00007f5000000000\n", registers
		printf "-local mem base_addr = 0x00007f6000000000\n-nvbit version = 1.8\n-accelsim tracer version = 6\n"
		printf "-enable lineinfo = 0\n\n#traces format = x\n\n#BEGIN_TB\n\nthread block = 0,0,0\n"
		for (w = 0; w < warps; w++) {
			printf "\nwarp = %d\ninsts = %d\n", w, count[w]
			for (i = 0; i < count[w]; i++)
				print text[w, i]
		}
		printf "\n#END_TB\n\n"
	}' >kernel-1.traceg
	echo kernel-1.traceg >kernelslist.g
}

# Executes k.launch, and asserts its exit status and a part of its output.
# usage: launch_ends STATUS TEXT
launch_ends() {
	run "-$1" trace-exec -n k.launch
	assert_output --partial "$2"
}

# Asserts that the machine code that tests/data/sass/NAME makes stores the result that this script computes.
gives_computed_result() {
	"$ROOT/tests/data/sass/$1" .
	run -0 trace-exec -n k.launch
	assert_output ''
	cmp o.bin want.bin
}

# Asserts that machine code of a kernel with 20 bytes of parameters is rejected because of TEXT.
# usage: refuses_code SM TEXT WORDS...
refuses_code() {
	printf '%s\n' "${@:3}" '000fea0003800000 000000000000794d' | "$ROOT/tests/data/sass/cubin.py" -s "$1" k >k
	printf '%s\n' 'module k' 'buffer O bytes=4 zero' 'launch k grid=1 block=32 args O,O,i32:1' >k.launch
	run -2 trace-exec -n k.launch
	assert_output --partial "not executed: $2"
}

# Executes k.launch with NAME.ptx, then with the machine code of NAME-SM.sass, and asserts that buffer o is the same.
# usage: equals_ptx NAME SM [OPTION of cubin.py]...
equals_ptx() {
	cp "$ROOT/tests/data/sass/$1.ptx" k
	run -0 trace-exec -n k.launch
	mv o o.ptx
	"$ROOT/tests/data/sass/cubin.py" -s "$2" "${@:3}" k <"$ROOT/tests/data/sass/$1-$2.sass" >k
	run -0 timeout 60 trace-exec -n --limit 1000000 k.launch
	assert_output ''
	cmp o.ptx o
}
