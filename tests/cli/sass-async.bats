#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Machine code of sm_90: mbarriers, bulk and tensor copies, clusters, products of warpgroups, matrices in shared memory. The
# same kernels run as PTX, or the values are computed by the rules of PTX. No compiler is needed: sass/assemble.py.
load helper
bats_require_minimum_version 1.5.0

DATA=$ROOT/tests/data/sass

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

@test "mbarriers, bulk copies, clusters and matrices leave the buffers of the same kernels as PTX" {
	"$DATA/async" . >names
	[ "$(wc -l <names)" -eq 4 ]
	while read -r n; do
		run -0 trace-exec -n "$n.launch"
		assert_output ''
		mv "$n.out" "$n.machine"
		sed "1s/.*/module $n.ptx/" "$n.launch" >p.launch
		run -0 trace-exec -n p.launch
		assert_output ''
		cmp "$n.machine" "$n.out"
		trace-exec -n --no-check "$n.launch"
		cmp "$n.machine" "$n.out"
	done <names
}

@test "tensor copies of every rank and swizzle, and of im2col, as machine code" {
	"$DATA/tensor" make .
	run -0 trace-exec -n k.launch
	assert_output ''
	run -0 "$DATA/tensor" check .
	assert_output '83 copies'
}

@test "products of warpgroups as machine code: every n, types, transposed, every swizzle, A in registers, sparse A" {
	"$DATA/gmma" .
	run -0 trace-exec -n k.launch
	assert_output ''
	run -0 "$ROOT/tests/data/ptx/wgmma" check .
	assert_output '161 products'
}

# Writes k.cubin from the upper and lower words on stdin, and k.launch with buffers A and O.
kernel() {
	"$DATA/cubin.py" -s 90 -S 2048 -r 32 -p 8,8 k >k.cubin
	printf '%s\n' 'module k.cubin' 'buffer A bytes=64 zero' 'buffer O bytes=64 zero' "launch k grid=1 block=32 args A,O" >k.launch
}

@test "instructions that are wrong name the program counter and the text" {
	# no mbarrier there
	printf '%s\n' '000fe20000000000 0000040000047882' '000e640008000144 00000000ff0075a7' '000fea0003800000 000000000000794d' |
		sed 's/^000fe20000000000/000fe20008000000/' | kernel
	run -1 trace-exec -n --no-check k.launch
	assert_output --partial 'no mbarrier at byte 1024 of .shared'
	assert_output --partial 'PC 0x0010: SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R0'
	# a wait for the cluster without an arrival
	printf '%s\n' '000fe20008000000 0000000000007dc7' '000fea0003800000 000000000000794d' | kernel
	run -1 trace-exec -n k.launch
	assert_output --partial 'expected an arrival before it'
	assert_output --partial 'PC 0x0000: UCGABAR_WAIT'
	# columns that no product has; registers beyond R254
	printf '%s\n' '000fe2000870081803e00000041879f1' '000fe2000870081801e0000004f079f0' |
		while read -r w; do
			{ echo "${w:0:16} ${w:16}"; echo '000fea0003800000 000000000000794d'; } | kernel
			run -2 trace-exec -n k.launch
			assert_output --partial 'not executed: function k, PC 0x0000: '
		done
}

@test "a wait for an mbarrier that nobody ends is a deadlock" {
	printf '%s\n' '000fe20008000000 0000040000087882' '000fe20008000000 001ffffe00047882' '000fe20008000000 7ffff80000057882' \
		'0000620008000100 00000004083f75b2' '000e640008000148 000000ffff0075a7' '000fea000383ffff fffffffc00fc8947' \
		'000fea0003800000 000000000000794d' | kernel
	run -1 trace-exec -n k.launch
	assert_output --partial 'deadlock'
}
