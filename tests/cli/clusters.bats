#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-sim: clusters of thread blocks of any dimension, sizes derived from thread block lines, stores and arrivals that
# complete on another block's mbarrier, multicast (HOPPER-cluster, HOPPER-dsm, HOPPER-stas), and marks of the tracer.

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

# kernel GX GY GZ CX CY CZ WHERE: one warp a block. WHERE: header, lines or none. stdin: lines "RANK LINE"; RANK - is all.
kernel() {
	awk -v gx="$1" -v gy="$2" -v gz="$3" -v cx="$4" -v cy="$5" -v cz="$6" -v where="$7" '
	BEGIN { n = 0 }
	{ rank[n] = $1; sub(/^[^ ]+ /, ""); line[n++] = $0 }
	END {
		printf "-kernel name = k\n-kernel id = 1\n-grid dim = (%d,%d,%d)\n-block dim = (32,1,1)\n-shmem = 1024\n", gx, gy, gz
		printf "-nregs = 32\n-binary version = 90\n-cuda stream id = 0\n-shmem base_addr = 0x00007f5000000000\n"
		printf "-local mem base_addr = 0x00007f6000000000\n-nvbit version = 1.8\n-accelsim tracer version = 6\n"
		printf "-enable lineinfo = 0\n"
		if (where == "header")
			printf "-cluster dim = (%d,%d,%d)\n", cx, cy, cz
		printf "\n#traces format = x\n\n"
		for (z = 0; z < gz; z++) for (y = 0; y < gy; y++) for (x = 0; x < gx; x++) {
			r = x % cx + cx * (y % cy + cy * (z % cz)); m = 0
			for (i = 0; i < n; i++)
				m += rank[i] == "-" || rank[i] == r
			printf "#BEGIN_TB\n\nthread block = %d,%d,%d\n", x, y, z
			if (where == "lines")
				printf "cluster id = %d,%d,%d\ncluster cta = %d,%d,%d\ncluster rank = %d\n",
					x / cx, y / cy, z / cz, x % cx, y % cy, z % cz, r
			printf "\nwarp = 0\ninsts = %d\n", m
			for (i = 0; i < n; i++)
				if (rank[i] == "-" || rank[i] == r)
					print line[i]
			printf "\n#END_TB\n\n"
		}
	}' >kernel-1.traceg
	echo kernel-1.traceg >kernelslist.g
}

sim() { trace-sim -q -f -g h100-pcie -D gpgpu_perfect_inst_const_cache=1 -D core_kernel_least=0:0:0 "$@" kernelslist.g; }
cycles() { sim -F json "$@" | stats-csv -s gpu_sim_cycle | tail -1 | tr -d '\r' | sed 's/.*,//'; }
# at PC SM: prints the cycle in which the SM issues the instruction.
at() { awk -v pc="$1" -v sm="$2" '$2 == "issue" && $3 == sm && $5 == pc { print $1; exit }' ev; }
barrier() { printf -- '- 0f00 ffffffff 0 UCGABAR_ARV 0 0 0 0 NoVal\n- 0f10 ffffffff 0 UCGABAR_WAIT 0 0 0 0 NoVal\n- 0f20 ffffffff 0 EXIT 0 0 0 0 NoVal\n'; }
# expects RANK BYTES: initialises an mbarrier at offset 0x40 for one arrival, with a phase of BYTES bytes; waits RANK: the wait
expects() {
	echo "$1 0010 00000001 0 SYNCS.EXCH.64 2 R4 R6 8 1 0x7f500${2}000040 8 0 0 Val 1 0 1 001ffffe"
	echo "$1 0020 00000001 0 SYNCS.ARRIVE.TRANS64 2 R4 R6 8 1 0x7f500${2}000040 8 0 0 Val 1 0 1 $3"
}
waits() { echo "$1 0060 00000001 0 SYNCS.PHASECHK.TRANS64.TRYWAIT 2 R4 R6 8 1 0x7f500${2}000040 8 0 0 Val 1 0 1 0"; }

# Tests that each cluster of CX CY CZ blocks has SMs of its own in one GPC of 10 SMs.
together() {
	awk -v gx="$1" -v gy="$2" -v cx="$3" -v cy="$4" -v cz="$5" '
		/^thread block/ { split($4, at, ","); id[n++] = int(at[1] / cx) "," int(at[2] / cy) "," int(at[3] / cz) }
		FILENAME == "ev" && $2 == "cta" { placed++; sm[m++] = $3 }
		END {
			size = cx * cy * cz
			if (placed != n)
				exit 1
			for (i = 0; i < m; i += size)
				for (j = 0; j < size; j++)
					if (int(sm[i + j] / 10) != int(sm[i] / 10))
						exit 1
		}' kernel-1.traceg ev
}

@test "the blocks of clusters of two and three dimensions start together on both cores" {
	for core in modern accelsim; do
		for d in '4 6 1 1 2 1' '8 4 2 2 2 2' '4 2 4 1 1 4' '6 4 1 3 2 1'; do
			barrier | kernel $d header
			sim --events ev -D core_gpc_sms=10 -D core_model=$core >out
			read -r gx gy gz cx cy cz <<<"$d"
			together "$gx" "$gy" "$cx" "$cy" "$cz"
		done
	done
}

@test "block ranks count x first, then y, then z" {
	# block 1,0,1 is rank 5 of 2x2x2; rank 0 can read its shared memory only if both are in one cluster
	{
		echo '0 0100 00000001 1 R4 LD.E 1 R4 4 1 0x7f5005000000 4 0 0 NoVal'
		echo '0 0110 ffffffff 1 R5 IADD3 1 R4 0 0 0 NoVal'
		echo '5 0200 ffffffff 1 R4 MOV 0 0 0 0 NoVal'
		barrier
	} | kernel 2 2 2 2 2 2 header
	sim --events ev >out
	awk '$2 == "issue" && $5 == "200" { n++ } $2 == "cta" { c++ } END { exit !(n == 1 && c == 8) }' ev
	cp kernel-1.traceg far
	sed -i 's/0x7f5005000000/0x7f5000000000/' kernel-1.traceg
	near=$(cycles)
	cp far kernel-1.traceg
	(( $(cycles) > near + 80 ))
}

@test "without a header line the cluster size comes from the thread block lines" {
	for d in '8 1 1 4 1 1' '4 6 1 1 2 1' '4 4 2 2 2 2' '6 1 1 1 1 1'; do
		barrier | kernel $d header
		sim --events a >out
		barrier | kernel $d lines
		sim --events b >out
		cmp a b
	done
	# cluster ids of zero are the same as a kernel without clusters
	barrier | kernel 8 4 1 1 1 1 header
	sim --events a >out
	barrier | kernel 8 4 1 1 1 1 lines
	sed -i -e 's/^cluster id.*/cluster id = 0,0,0/' kernel-1.traceg
	sim --events b >out
	cmp a b
	# the blocks are too far apart for the reader to see the cluster: one warning
	barrier | kernel 1028 2 1 2 2 1 lines
	run -0 --separate-stderr trace-sim -f -g h100-pcie -o out kernelslist.g
	assert_equal "$(grep -c 'taken as 2,1,1' <<<"$stderr")" 1
}

@test "a duplicate rank and a cluster with missing blocks are errors" {
	barrier | kernel 4 2 1 2 2 1 lines
	sed -i 's/^cluster rank = 3/cluster rank = 2/' kernel-1.traceg
	run -2 sim -o out
	assert_output --partial 'has rank 2, like another block of its cluster (expected each rank once)'
	barrier | kernel 3 1 1 2 1 1 header
	run -0 sim -o out
}

@test "STAS and REDAS complete their bytes on the mbarrier of the destination block" {
	for op in 'STAS 2 R8 R9' 'REDAS.ADD 2 R8 R9'; do
		{
			expects 1 1 80
			barrier | sed -n 's/^- 0f00/- 0030/; s/^- 0f10/- 0040/; /EXIT/!p'
			echo "0 0050 ffffffff 0 $op 4 1 0x0100004001000080 4 0 0 NoVal"
			waits 1 1
			barrier
		} | kernel 2 1 1 2 1 1 header
		for core in modern accelsim; do
			sim --events ev -f -D core_model=$core >out
			read -r a b < <(awk '$2 == "cta" { printf "%s ", $3 } END { print "" }' ev)
			(( $(at f00 "$b") > $(at 50 "$a") + 80 ))
		done
		# the stores write one byte less than the mbarrier expects
		sed -i 's/0050 ffffffff/0050 7fffffff/' kernel-1.traceg
		run -1 sim -o out
		assert_output --partial 'waits for an mbarrier'
	done
	# without a cluster, the block's own mbarrier completes
	{
		expects - 0 80
		echo "- 0050 ffffffff 0 STAS 2 R8 R9 4 1 0x0000004000000080 4 0 0 NoVal"
		waits - 0
		echo '- 0070 ffffffff 0 EXIT 0 0 0 0 NoVal'
	} | kernel 2 1 1 1 1 1 none
	for core in modern accelsim; do
		run -0 sim -o out -D core_model=$core
	done
	run -0 trace-lint kernelslist.g
	refute_output --partial 'mbarrier'
}

@test "an arrival without a result acts on the mbarrier of the block in its address" {
	{
		echo '1 0010 00000001 0 SYNCS.EXCH.64 2 R4 R6 8 1 0x7f5001000040 8 0 0 Val 1 0 1 001ffffe'
		barrier | sed -n 's/^- 0f00/- 0030/; s/^- 0f10/- 0040/; /EXIT/!p'
		echo '0 0050 00000001 0 SYNCS.ARRIVE.TRANS64.RED.A1T0 2 R4 R6 8 1 0x7f5001000040 8 0 0 Val 1 0 1 0'
		waits 1 1
		barrier
	} | kernel 2 1 1 2 1 1 header
	for core in modern accelsim; do
		run -0 sim --events ev -f -o out -D core_model=$core
		read -r a b < <(awk '$2 == "cta" { printf "%s ", $3 } END { print "" }' ev)
		(( $(at f00 "$b") >= $(at 50 "$a") + 89 ))
	done
}

@test "the barrier of a cluster holds warps on both cores until all blocks have arrived" {
	{
		# block 1 arrives after 200 dependent operations
		for ((i = 0; i < 200; i++)); do echo '1 0010 ffffffff 1 R2 IADD3 1 R2 0 0 0 NoVal'; done
		barrier
	} | kernel 2 1 1 2 1 1 header
	for core in modern accelsim; do
		run -0 sim --events ev -f -o out -D core_model=$core
		read -r a b < <(awk '$2 == "cta" { printf "%s ", $3 } END { print "" }' ev)
		(( $(at f20 "$a") >= $(at f00 "$b") + 89 ))
	done
}

@test "multicast data arrives -core_multicast_latency cycles later" {
	{
		for r in 0 1; do expects "$r" "$r" 100; done
		barrier | sed -n 's/^- 0f00/- 0030/; s/^- 0f10/- 0040/; /EXIT/!p'
		echo '0 0050 00000001 0 UTMALDG.1D.MULTICAST 1 UR4 16 0x00000040 1 0x0003 256 0 4 0x7f4000000000 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16 0 0 NoVal'
		for r in 0 1; do waits "$r" "$r"; done
		barrier
	} | kernel 2 1 1 2 1 1 header
	few=$(cycles -D core_multicast_latency=100)
	(( $(cycles -D core_multicast_latency=400) == few + 300 ))
	few=$(cycles -D core_multicast_latency=100 -D core_model=accelsim)
	many=$(cycles -D core_multicast_latency=400 -D core_model=accelsim)
	(( many >= few + 299 && many <= few + 301 ))
}

@test "marks of the tracer are not instructions on either core" {
	{
		echo '- 0000 ffffffff 1 R1 MOV 0 0 0 0 NoVal'
		echo '- 0010 ffffffff 1 R2 IADD3 1 R1 0 0 0 NoVal'
		echo '- 0020 ffffffff 0 EXIT 0 0 0 0 NoVal'
	} | tee plain | kernel 8 1 1 1 1 1 none
	for core in modern accelsim; do
		sim -F json -D core_model=$core | stats-csv -s gpu_sim_cycle,gpu_sim_insn >a.$core
	done
	trace-sim -q -f -g h100-pcie --events a kernelslist.g >out
	sed -e '1i- 0000 ffffffff 0 REPLAY_START 0 0 0 0' -e '2i- 0000 ffffffff 0 REPLAY_END 0 0 0 0' plain |
		kernel 8 1 1 1 1 1 none
	for core in modern accelsim; do
		sim -F json -D core_model=$core | stats-csv -s gpu_sim_cycle,gpu_sim_insn >b.$core
		assert_equal "$(tail -1 b.$core)" "$(tail -1 a.$core)"
	done
	run -0 trace-sim -q -f -g h100-pcie --events b -o out kernelslist.g
	refute_output --partial REPLAY
	cmp a b
	# a packed stream keeps the marks
	trace-pack -q -o k.tpack kernelslist.g
	assert_equal "$(trace-pack -d -o - k.tpack | grep -c REPLAY)" 16
}

@test "STSM is a store to shared memory with one register for each matrix" {
	for n in 1 4; do
		{
			for ((i = 0; i < 50; i++)); do echo "- $(printf %04x $((16 * i))) $([ $n = 1 ] && echo 000000ff || echo ffffffff) 0 STSM.16.M88$([ $n = 1 ] || echo .$n) 2 R4 R8 16 1 0x7f5000000000 16 0 0 NoVal"; done
			echo '- 0320 ffffffff 0 EXIT 0 0 0 0 NoVal'
		} | kernel 1 1 1 1 1 1 none
		run -0 sim -F json -o out.$n
		refute_output
	done
	(( $(stats-csv -s gpu_sim_cycle out.4 | tail -1 | tr -d '\r' | sed 's/.*,//') > $(stats-csv -s gpu_sim_cycle out.1 | tail -1 | tr -d '\r' | sed 's/.*,//') + 100 ))
}
