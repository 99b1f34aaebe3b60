#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-sim: times of reads through the two sides of an L2.

bats_require_minimum_version 1.5.0
load helper

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# Two blocks on neighbouring SMs read a line, the second one after LAG dependent instructions. A copy of
# the host has put the line into the L2. usage: reads ADDRESS LAG
reads() {
	awk -v address="$1" -v lag="$2" 'BEGIN {
		printf "-kernel name = k\n-kernel id = 1\n-grid dim = (2,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = 32\n"
		printf "-binary version = 90\n-cuda stream id = 0\n-shmem base_addr = 0x00007f5000000000\n"
		printf "-local mem base_addr = 0x00007f6000000000\n-nvbit version = 1.5.5\n-accelsim tracer version = 4\n"
		printf "-enable lineinfo = 0\n\n#traces format = x\n\n"
		for (b = 0; b < 2; b++) {
			n = b ? lag : 0
			printf "#BEGIN_TB\n\nthread block = %d,0,0\n\nwarp = 0\ninsts = %d\n", b, n + 3
			for (i = 0; i < n; i++)
				print "0000 ffffffff 1 R2 FADD 1 R2 0"
			print "0010 ffffffff 1 R4 LDG.E 1 R2 4 1 " address " 4"
			print "0020 ffffffff 1 R5 FADD 1 R4 0"
			print "0030 ffffffff 0 EXIT 0 0\n\n#END_TB\n"
		}
	}' >kernel-1.traceg
	printf 'MemcpyHtoD,%s,128\nkernel-1.traceg\n' "$1" >kernelslist.g
}

# Runs with OPTION... and prints "LOAD USE" of both SMs: the cycles in which the load and its use issue.
issues() {
	trace-sim -q -f -g h100-pcie -D gpgpu_perfect_inst_const_cache=1 -D l2_sides_alternate=0 -D dram_refresh_interval=0 "$@" \
		--events ev kernelslist.g >/dev/null
	awk '$2 == "issue" && ($5 == "10" || $5 == "20") { at[$3, $5] = $1 }
		END { print at[0, "10"], at[0, "20"], at[1, "10"], at[1, "20"] }' ev
}

# Fails unless A and B differ by at most N cycles, because the L2 has its own clock. usage: within N A B
within() { [ $(($2 - $3)) -le "$1" ] && [ $(($3 - $2)) -le "$1" ] || { echo "$2, expected $3"; return 1; }; }

@test "L2 of two sides: a copied line can be read only after it has crossed" {
	near=0xc0000000 far=0xc0000100 # their home is the side of the SMs, and the other side
	reads $near 5
	read -r a b c d < <(issues -D l2_far_latency=0)
	read -r e f g h < <(issues -D l2_far_latency=200)
	assert_equal "$e $f $g $h" "$a $b $c $d"
	reads $far 5
	read -r a b c d < <(issues -D l2_far_latency=0)
	read -r e f g h < <(issues -D l2_far_latency=200)
	within 3 $((f - e)) $((b - a + 200))
	# the second SM asks while the copy is crossing, and receives it together with the first SM
	[ $((c - a)) -gt 40 ] && [ $((h - f)) -ge 0 ] && [ $((h - f)) -le 8 ]
	# a later request finds the copy on its side
	reads $far 25
	read -r e f g h < <(issues -D l2_far_latency=200)
	[ $((g - e)) -gt 200 ] && [ $((h - g)) -lt $((b - a + 8)) ]
}
