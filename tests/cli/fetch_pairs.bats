#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-sim: reads that miss in an L2 that fetches pairs of sectors.

bats_require_minimum_version 1.5.0
load helper

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# In each of BLOCKS blocks (1), one lane loads from each ADDRESS after the previous load, and uses the last value.
# usage: loads ADDRESS...
loads() {
	awk -v addresses="$*" -v blocks="${BLOCKS-1}" 'BEGIN {
		printf "-kernel name = k\n-kernel id = 1\n-grid dim = (%d,1,1)\n", blocks
		printf "-block dim = (32,1,1)\n-shmem = 0\n-nregs = 32\n"
		printf "-binary version = 90\n-cuda stream id = 0\n-shmem base_addr = 0x00007f5000000000\n"
		printf "-local mem base_addr = 0x00007f6000000000\n-nvbit version = 1.5.5\n-accelsim tracer version = 4\n"
		printf "-enable lineinfo = 0\n\n#traces format = x\n\n"
		n = split(addresses, at, " ")
		for (b = 0; b < blocks; b++) {
			printf "#BEGIN_TB\n\nthread block = %d,0,0\n\nwarp = 0\ninsts = %d\n", b, n + 2
			for (i = 1; i <= n; i++)
				printf "%04x 00000001 1 R2 LDG.E 1 R2 4 1 %s 0\n", 16 * i, at[i]
			print "0e00 ffffffff 1 R3 FADD 1 R2 0"
			print "0f00 ffffffff 0 EXIT 0 0\n\n#END_TB\n"
		}
	}' >t
}

# Runs with OPTION... and prints the number of sectors read from DRAM and the cycles between the instructions.
figures() {
	trace-sim -q -f -g h100-pcie -D gpgpu_perfect_inst_const_cache=1 -D dram_refresh_interval=0 "$@" \
		--events ev -F json -o out t
	printf '%s' "$(awk '$2 == "dram" && $4 == "rd" { n++ } END { print n }' ev)"
	awk '$2 == "issue" { if (before) printf " %d", $1 - before; before = $1 } END { print "" }' ev
}

@test "-l2_fetch_pairs: a miss also fetches the other sector of its 64 bytes, and nothing else" {
	for first in 0xc0000000 0xc0000020; do
		other=0xc00000$([ $first = 0xc0000000 ] && echo 20 || echo 00)
		loads $first $other
		read -r sectors miss hit rest < <(figures -D l2_fetch_pairs=0)
		[ "$sectors" -eq 2 ] && [ "$hit" -gt $((miss - 60)) ]
		read -r sectors miss hit rest < <(figures -D l2_fetch_pairs=1)
		[ "$sectors" -eq 2 ] && [ "$hit" -lt $((miss - 100)) ]
	done
	loads 0xc0000000 0xc0000040
	read -r sectors miss again rest < <(figures -D l2_fetch_pairs=1)
	[ "$sectors" -eq 4 ] && [ "$again" -gt $((miss - 60)) ]
}

@test "-l2_fetch_pairs: a sector fetched as part of a pair takes as many waiting reads as any other" {
	# 2 SMs read one sector, 4 others the other sector of the pair, and an MSHR entry holds 4 reads
	BLOCKS=2 loads 0xc0000000
	cp t first
	BLOCKS=6 loads 0xc0000020
	awk 'FNR == NR { if (/LDG/) load = $0; next } /^thread block/ { split($4, id, ",") } /LDG/ && id[1] < 2 { $0 = load } 1' first t >both
	mv both t
	[ "$(grep -c 0xc0000000 t)" -eq 2 ] && [ "$(grep -c 0xc0000020 t)" -eq 4 ]
	for pairs in 0 1; do
		trace-sim -q -f -g h100-pcie -D gpgpu_perfect_inst_const_cache=1 -D l2_fetch_pairs=$pairs -F json -o out t
		[ "$(stats-csv -s L2_total_cache_reservation_fails out | tail -n 1 | tr -d '\r' | sed 's/.*,//')" -eq 0 ]
	done
}

@test "-l2_fetch_pairs requires a sectored L2 whose slices contain whole lines" {
	loads 0xc0000000
	run -2 trace-sim -q -g h100-pcie -D l2_fetch_pairs=1 -D gpgpu_cache:dl2=N:128:128:20,L:B:m:W:X,A:192:4,32:0,32 t
	assert_output --partial "-l2_fetch_pairs"
}
