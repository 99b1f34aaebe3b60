#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-pack --to: conversion between archives of Accel-Sim 2.0 and text.

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

# Prints the lines of text that an archive preserves.
kept() { grep -v -e '^cluster ' -e '^$' "$1" | tr -d '\r'; }

# Writes a kernel of two thread blocks of two warps; $1 is added to the list of its lines.
small() {
	sed -n '1,/^#traces format/p' "$(trace vecadd)/kernel-1.traceg" | sed 's/^-grid dim = .*/-grid dim = (2,1,1)/; s/^-block dim = .*/-block dim = (64,1,1)/'
	printf '\n\n#BEGIN_TB\n\nthread block = 0,0,0\ncluster id = 0,0,0\ncluster cta = 0,0,0\ncluster rank = 0\n'
	printf '\nwarp = 0\ninsts = 1\n0000 ffffffff 0 EXIT 0 0 0\n\nwarp = 1\ninsts = 1\n0000 ffffffff 0 EXIT 0 0 0\n\n#END_TB\n'
	printf '\n#BEGIN_TB\n\nthread block = 1,0,0\ncluster id = 0,0,0\ncluster cta = 1,0,0\ncluster rank = 1\n'
	printf '\nwarp = 0\ninsts = 0\n\nwarp = 1\ninsts = 1\n0000 ffffffff 0 EXIT 0 0 0\n\n#END_TB\n'
}

@test "archives contain the lines of the text and give the same figures" {
	for r in alu atomics barrier ends gather gemm ldgsts shared streams vecadd; do
		run -0 trace-pack -q --to tracez -C $r.z "$(trace $r)"
		assert_output ''
		run -0 ls $r.z
		refute_output --partial traceg
		run -0 trace-pack -q --to text -C $r.t $r.z
		for k in $r.t/*.traceg; do
			kept "$k" >a
			kept "$(trace $r)/${k##*/}" | cmp - a
		done
		sed 's/[.]tracez$/.traceg/' $r.z/kernelslist.g | cmp - $r.t/kernelslist.g
	done
	# The hash covers the text, which names clusters in an archive.
	trace-sim -q -g rtx3070 -F json vecadd.z | sed -E 's/"hash":"[0-9a-f]+"//' >a
	trace-sim -q -g rtx3070 -F json "$(trace vecadd)" | sed -E 's/"hash":"[0-9a-f]+"//' | cmp - a
	grep -q '"gpu_sim_cycle":[1-9]' a
}

@test "a directory of archives without a list is not mistaken for raw traces" {
	trace-pack -q --to tracez -C z "$(trace vecadd)"
	rm z/kernelslist.g
	run -2 trace-sim -q -g rtx3070 z
	assert_output --partial "trace-sim: z: error: no kernel list"
	run -0 trace-pack -o z.tpack z
	run -0 trace-sim -q -g rtx3070 -o result z.tpack
}

@test "an archive with clusters is restored byte for byte, also through a stream and a pipe" {
	small >k.traceg
	trace-pack --to tracez -o k.tracez k.traceg
	trace-pack --to text -o - k.tracez | cmp - k.traceg
	trace-pack -q k.traceg | trace-pack -q --to tracez -C a
	cmp a/k.tracez k.tracez
	trace-pack -q --to tracez -o - - <k.traceg | cmp - k.tracez
	trace-pack -q k.tracez | trace-pack -d -o - | cmp - k.traceg
	run -0 trace-lint --limit 1 - <k.tracez
	assert_line --partial ' in 1 kernel '
	refute_line --regexp '^-:'
}

@test "the made-up archive of Accel-Sim 2.0 has the same text" {
	z=$ROOT/../shared/traces/tracez-made-up
	[ -d "$z" ] || skip "no ../shared"
	for k in nodict dict; do
		trace-pack -q --to text -o - "$z/kernel-1-$k.tracez" | cmp - "$z/kernel-1.traceg"
	done
	trace-pack -q --to tracez -o k.tracez "$z/kernel-1.traceg"
	trace-pack -q --to text -o - k.tracez | cmp - "$z/kernel-1.traceg"
}

@test "frames of 2,048 lines do not end between two marks of a replay" {
	small >k.traceg
	{
		sed '/^#BEGIN_TB/,$d' k.traceg
		printf '#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = 6003\n'
		yes '0000 ffffffff 0 NOP 0 0 0' | head -n 2000
		echo '0000 ffffffff 0 REPLAY_START 0 0 0 0'
		yes '0010 ffffffff 0 NOP 0 0 0' | head -n 3000
		echo '0000 ffffffff 0 REPLAY_END 0 0 0 0'
		yes '0020 ffffffff 0 NOP 0 0 0' | head -n 1000
		printf '0030 ffffffff 0 EXIT 0 0 0\n\n#END_TB\n'
	} >long.traceg
	trace-pack -q --to tracez -o long.tracez long.traceg
	trace-pack -q --to text -o - long.tracez | grep '^00' >a
	grep '^00' long.traceg | cmp - a
	python3 - <<-'END'
		import struct
		d = open("long.tracez", "rb").read()
		at = struct.unpack("<Q", d[-8:])[0] + 4 + 44
		lines, frames, offset = struct.unpack("<IIQ", d[at:at + 16])
		counts = struct.unpack("<%dI" % frames, d[at + 16:at + 16 + 4 * frames])
		assert lines == 6003 and counts == (5002, 1001), (lines, counts)
	END
}

@test "text that an archive cannot contain is rejected with its place" {
	small >k.traceg
	# Each line: a change to the text, and the message.
	while IFS='|' read -r change message; do
		sed "$change" k.traceg >bad.traceg
		run -2 trace-pack -q --to tracez -o x.tracez bad.traceg
		assert_output --partial "$message"
		assert_output --regexp '^trace-pack: bad.traceg:[0-9]+: error: '
		[ ! -e x.tracez ]
	done <<-'END'
		0,/^insts = 1/s//insts = 2/|warp 0 of thread block 0,0,0 has 1 instructions (expected 2, as its line insts says)
		s/^warp = 1/warp = 0/|'warp = 0' is out of order (expected a number from 1 to 2047 in a thread block)
		s/^warp = 1/warp = 99999/|'warp = 99999' is out of order
		s/^thread block = 0,0,0/thread block = 0,0/|'thread block' is malformed or misplaced (expected x,y,z, before the warps)
		s/^cluster rank = 0/cluster rank = x/|'cluster rank' is malformed or misplaced (expected a number, before the warps)
		/^#END_TB/d|#BEGIN_TB inside a thread block
		s/^#END_TB/# made by hand/|a comment among the thread blocks
		/^thread block/d|#END_TB without a thread block
		s/^insts = 1/insts = -1/|'insts = -1' is not an instruction count
		s/^warp = .*/0000 ffffffff 0 EXIT 0 0 0/|instruction outside a warp
		s/^-nregs/-isa = ptx\n-nregs/|an archive cannot hold a trace of isa = ptx
	END
	run -2 trace-pack --to zip k.traceg
	assert_output --partial "--to: invalid value 'zip' (expected tracez or text)"
	run -2 trace-pack -q --to tracez -o x "$(trace streams)"
	assert_output --partial 'expected one kernel, or -C DIR'
	trace-pack -q --to tracez -C out "$(trace vecadd)"
	run -2 trace-pack -q --to tracez -C out "$(trace vecadd)"
	assert_output --partial 'exists already (-f replaces it)'
	run -2 trace-pack -q -f --to tracez -C out out
	run -2 trace-pack -q --to tracez -o /dev/full k.traceg
}
