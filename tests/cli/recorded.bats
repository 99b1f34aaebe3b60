#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-exec -q --compare: an execution against a recorded trace, kernel by kernel: the first difference and the exit status.

bats_require_minimum_version 1.5.0
load helper

# Makes a kernel of machine code with two buffers, and its trace as text (recorded/) and packed (recorded.tpack).
setup() {
	cd "$BATS_TEST_TMPDIR" || return
	"$ROOT/tests/data/sass/cubin.py" -S 256 k <"$ROOT/tests/data/sass/steps.sass" >k.cubin
	printf '%s\n' 'module k.cubin' 'buffer A bytes=256 i32=iota' 'buffer O bytes=512 zero' \
		'launch k grid=2 block=64 args A,O,i32:30' 'launch k grid=1 block=64 args A,O,i32:7' >k.launch
	trace-exec -q -o recorded k.launch
	trace-exec -q -o recorded.tpack k.launch
}

@test "an execution equals its own trace: text, packed, and as kept by -o" {
	for trace in recorded recorded/kernelslist.g recorded.tpack; do
		run -0 trace-exec -q --compare "$trace" k.launch
		assert_line --index 0 --regexp '^kernel 1 k: [0-9]+ instructions equal$'
		assert_line --index 1 --regexp '^kernel 2 k: [0-9]+ instructions equal$'
		refute_line --index 2 --regexp .
	done
	run -0 trace-exec -q --compare recorded -o own k.launch
	diff -r own recorded
	# blocks in another order, as hardware places them
	python3 - <<-'EOF'
		p = "recorded/kernel-1.traceg"
		head, *blocks = open(p).read().split("#BEGIN_TB")
		open(p, "w").write(head + "#BEGIN_TB" + blocks[1] + "#BEGIN_TB" + blocks[0])
	EOF
	run -0 trace-exec -q --compare recorded k.launch
}

@test "buffers may be at different addresses, each shifted by its own distance" {
	# A is at 0xc0000000, O at 0xc0000100; shared memory has a window of its own
	sed -i -e 's/0xc00000\([0-9a-f]*\) /0x7fab000000\1 /' -e 's/0xc00001\([0-9a-f]*\) /0x7fff120000\1 /' \
		recorded/kernel-*.traceg
	run -0 trace-exec -q --compare recorded k.launch
	# this address is shifted by another distance than its neighbours
	sed -i '0,/0x7fff120000\([0-9a-f]*\) /s//0x7fff120010\1 /' recorded/kernel-1.traceg
	run -1 trace-exec -q --compare recorded k.launch
	assert_line --index 0 --partial 'instructions differ; first: block ('
	assert_line --index 0 --partial 'address of lane'
	assert_line --index 1 --partial 'instructions equal'
}

@test "the first difference of a kernel is reported with block, warp, instruction and line, and all are counted" {
	cp -r recorded other
	sed -i '0,/^0050 ffffffff/s//0050 0fffffff/' other/kernel-2.traceg
	run -1 trace-exec -q --compare other k.launch
	assert_line --index 0 --partial 'instructions equal'
	assert_line --index 1 --regexp '^kernel 2 k: 1 of [0-9]+ instructions differ; first: block \(0,0,0\), warp 0, instruction 6 \(recorded line [0-9]+\): PC 0x0050 LDG.E: mask 0xffffffff \(recorded 0x0fffffff\)$'
	sed -i '0,/^0050 0fffffff 1 R2 LDG.E/s//0050 ffffffff 1 R3 LDG.E/' other/kernel-2.traceg
	run -1 trace-exec -q --compare other k.launch
	assert_output --partial 'PC 0x0050 LDG.E: different registers'
	sed -i '0,/^0050 ffffffff 1 R3 LDG.E 1/s//0050 ffffffff 1 R2 LDG.E.64 1/' other/kernel-2.traceg
	run -1 trace-exec -q --compare other k.launch
	assert_output --partial 'PC 0x0050: LDG.E (recorded LDG.E.64)'
	sed -i '0,/^0050 /s//0058 /' other/kernel-2.traceg
	run -1 trace-exec -q --compare other k.launch
	assert_output --partial 'PC 0x0050 LDG.E (recorded 0x0058 LDG.E.64)'
}

@test "kernels, blocks and instructions that only one side has are differences" {
	grep kernel-1 recorded/kernelslist.g >recorded/one.g
	run -1 trace-exec -q --compare recorded/one.g k.launch
	assert_output --partial '2 kernels (recorded 1)'
	sed -i 's/grid=2/grid=3/' k.launch
	run -1 trace-exec -q --compare recorded --no-check k.launch
	assert_output --partial 'grid 3,1,1, block 64,1,1 (recorded 2,1,1 and 64,1,1)'
	sed -i -e 's/grid=3/grid=2/' -e '0,/i32:30/s//i32:29/' k.launch
	run -1 trace-exec -q --compare recorded k.launch
	assert_line --index 0 --partial 'instructions differ; first: block ('
}

@test "an unusable recorded trace has status 2, a failed execution 1, and neither is compared" {
	run -2 trace-exec -q --compare absent k.launch
	assert_output --partial 'absent'
	head -c 200 recorded.tpack >cut.tpack
	run -2 trace-exec -q --compare cut.tpack k.launch
	run -2 trace-exec -q --compare recorded -n k.launch
	assert_output --partial '--compare cannot be combined with'
	run -2 trace-exec -q --compare recorded -o - k.launch
	sed -i 's/bytes=512/bytes=64/' k.launch
	run -1 trace-exec -q --compare recorded k.launch
	refute_output --partial 'instructions equal'
	run ls "${TMPDIR:-/tmp}"/trace-exec.* -d
	refute_output --regexp '^/.*trace-exec\.'
}
