#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Each command in README.md and in the EXAMPLES of the manual pages of programs runs as written.

bats_require_minimum_version 1.5.0
load helper

# Writes the files that the examples name into the current directory.
make_files() {
	local i
	mkdir app raw sweep results main branch traces
	tracegen -n 17 vecadd one
	for i in 1 2 3 4 5 6 7 8; do
		sed "s/^-kernel id = .*/-kernel id = $i/" one/kernel-1.traceg >app/kernel-$i.traceg
		echo kernel-$i.traceg
	done >app/kernelslist.g
	cp -r one traces/one
	awk '/^#traces format/ { head = 1; print; print ""; next } !head { print; next }
		/^thread block/ { split($4, b, ",") } /^warp =/ { w = $3 }
		/^[0-9a-f]+ [0-9a-f]+ / { print b[1], b[2], b[3], w, $0 }' one/kernel-1.traceg >raw/kernel-1.trace
	echo kernel-1.trace >raw/kernelslist
	trace-pack -q -o app.tpack app
	cubingen app >cubin
	sh "$ROOT/tests/tools/power-xml" >accelwattch_sass_sim.xml
	trace-sim --dump-config -g rtx3070 >gpu.config
	sed -n '/^-trace_/p' gpu.config >trace.config
	sed '/^-trace_/d' gpu.config >gpgpusim.config
	cp "$ROOT/examples/cuda/vecadd.ptx" .
	sed 's/^save .*//' "$ROOT/examples/cuda/vecadd.launch" >app.launch
	trace-pick -q -o picks app
	for i in before after; do
		trace-sim -q -g rtx3070 -D gpgpu_l1_latency=$((${#i} * 5)) -k @picks -F json -o $i.json --profile $i.profile app
	done
	cp before.json main/1.json
	cp after.json branch/1.json
	cp before.json after.json sweep
	cp before.json after.json results
	cp before.json out.json
	trace-sim -q -g qv100 -F accelsim app >accelsim.log
	trace-sim -q -g rtx3070 -F json -o run.json app
	printf 'kernel,cycles\nvecadd,6000\n' >ncu.csv
	stats-csv -s gpu_sim_cycle -o app.csv run.json
	trace-sim -q -g a100 -k @picks -F json -o runs.json app
}

setup_file() {
	load helper
	mkdir "$BATS_FILE_TMPDIR/files"
	cd "$BATS_FILE_TMPDIR/files"
	make_files
	command -v nvcc >/dev/null || return 0
	cat >vectorAdd.cu <<-'END'
		#include <cstdlib>
		#include <cuda_runtime.h>
		__global__ void gemm(const float *a, float *b, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) b[i] = 2 * a[i]; }
		int main(int argc, char **argv) {
			int n = argc > 1 ? atoi(argv[1]) : 256;
			float *a, *b;
			cudaMalloc(&a, n * sizeof(float));
			cudaMalloc(&b, n * sizeof(float));
			cudaMemset(a, 0, n * sizeof(float));
			for (int i = 0; i < 12; i++) gemm<<<(n + 127) / 128, 128>>>(a, b, n);
			cudaFree(a);
			cudaFree(b);
			return cudaDeviceSynchronize();
		}
	END
	nvcc -cudart shared -gencode arch=compute_75,code=sm_75 -gencode arch=compute_80,code=sm_80 -gencode arch=compute_75,code=compute_75 -o vectorAdd vectorAdd.cu
	cp vectorAdd program
}

# Prints the examples of a manual page, each followed by a line "--".
examples_of_page() {
	awk '/^\.Sh/ { on = $2 == "EXAMPLES" }
		!on { next }
		/^\.Dl / { print substr($0, 5) "\n--" }
		/^\.Bd/ { block = 1; next }
		/^\.Ed/ { block = 0; print "--" }
		block { print }' "$1" | sed -e 's/\\(dq/"/g' -e 's/\\e/\\/g' -e 's/\\-/-/g' -e 's/\\&//g'
}

# Runs an example in a fresh copy of the files, without the files that it writes. stats-diff may find differences.
runs() {
	local text=$1 status=0 word outputs='-o|-C|--power-report'
	[[ $text != *jq\ * ]] || command -v jq >/dev/null || return 0
	[[ $text != *vectorAdd* && $text != *'./program'* || $text == *--cubin* ]] || command -v nvcc >/dev/null || return 0
	[[ $text != *trace-sim* ]] || outputs+='|--profile'
	rm -rf work
	cp -r "$BATS_FILE_TMPDIR/files" work
	[[ $text != *--cubin* ]] || cp work/cubin work/program
	for word in $(grep -oE -e " ($outputs) [^ ]+" <<<"$text" | cut -d' ' -f3); do
		[ "$word" = - ] || rm -rf "work/${word%/}"
	done
	(cd work && timeout 300 bash -e -o pipefail -c "$text") >out 2>&1 || status=$?
	[ $status = 0 ] || { [ $status = 1 ] && [[ $text == *stats-diff* ]]; } || { echo "status $status: $text"; head -5 out; return 1; }
}

# Runs the examples on stdin, of which there are at least $1.
all_run() {
	local text='' line count=0 bad=0
	while IFS= read -r line <&4; do
		if [ "$line" = -- ]; then
			count=$((count + 1))
			runs "$text" || bad=1
			text=''
		else
			text+=$line$'\n'
		fi
	done 4<"$1"
	[ $bad = 0 ] && [ $count -ge "$2" ]
}

setup() { cd "$BATS_TEST_TMPDIR"; }

@test "the examples in the pages of programs run as written" {
	for page in "$ROOT"/man/*.1.in; do
		examples_of_page "$page" >examples
		all_run examples 3 || { echo "$page"; bad=1; }
	done
	[ -z "${bad-}" ]
}

@test "the commands in README.md run as written" {
	awk '/^## /{ on = $2 == "Common" } on && /^    / { print substr($0, 5) "\n--" }
		/^    trace-pack app\/kernelslist.g/ { print substr($0, 5) "\n--" }' "$ROOT/README.md" |
		grep -v -e --selftest >examples
	all_run examples 12
	{ echo 'rm -rf app app.tpack before.json after.json'; sed -n 's/^    \$ //p' "$ROOT/README.md"; echo --; } >session
	all_run session 1
	grep -q 'before.json,39,"vector_add(float\*, float\*, float\*)",1,5898,768' out
}
