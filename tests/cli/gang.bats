#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-sim: placement of clusters, the cluster barrier, shared memory of other blocks (HOPPER-cluster, HOPPER-dsm).

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

# kernel BLOCKS CLUSTER: one warp a block; stdin: lines "RANK LINE"; RANK - is all blocks.
kernel() {
	awk -v blocks="$1" -v cluster="$2" '
	BEGIN { n = 0 }
	{ rank[n] = $1; sub(/^[^ ]+ /, ""); line[n++] = $0 }
	END {
		printf "-kernel name = k\n-kernel id = 1\n-grid dim = (%d,1,1)\n-block dim = (32,1,1)\n-shmem = 1024\n", blocks
		printf "-nregs = 32\n-binary version = 90\n-cuda stream id = 0\n-shmem base_addr = 0x00007f5000000000\n"
		printf "-local mem base_addr = 0x00007f6000000000\n-nvbit version = 1.8\n-accelsim tracer version = 5\n"
		printf "-enable lineinfo = 0\n-cluster dim = (%d,1,1)\n\n#traces format = x\n\n", cluster
		for (b = 0; b < blocks; b++) {
			m = 0
			for (i = 0; i < n; i++)
				m += rank[i] == "-" || rank[i] == b % cluster
			printf "#BEGIN_TB\n\nthread block = %d,0,0\n\nwarp = 0\ninsts = %d\n", b, m
			for (i = 0; i < n; i++)
				if (rank[i] == "-" || rank[i] == b % cluster)
					print line[i]
			printf "\n#END_TB\n\n"
		}
	}' >kernel-1.traceg
	echo kernel-1.traceg >kernelslist.g
}

sim() { trace-sim -q -f -g h100-pcie -D gpgpu_perfect_inst_const_cache=1 "$@" kernelslist.g; }
# at PC SM: prints the cycle in which the SM issues the instruction.
at() { awk -v pc="$1" -v sm="$2" '$2 == "issue" && $3 == sm && $5 == pc { print $1; exit }' ev; }
barrier() { printf -- '- 0100 ffffffff 0 UCGABAR_ARV 0 0 0 \n- 0110 ffffffff 0 UCGABAR_WAIT 0 0 0 \n- 0120 ffffffff 0 EXIT 0 0 0 \n'; }

@test "the blocks of a cluster start together on different SMs of one GPC" {
	{ echo '- 0000 ffffffff 1 R1 MOV 0 0 0 '; barrier; } | kernel 24 8
	sim --events ev -D core_gpc_sms=10 >out
	awk '$2 == "cta" { sm[$5] = $3 }
		END {
			for (b = 0; b < 24; b++)
				if (int(sm[b] / 10) != int(sm[b - b % 8] / 10) || seen[sm[b], int(b / 8)]++)
					exit 1
		}' ev
}

@test "-core_gpcs divides the SMs evenly, in pairs" {
	# 114 SMs are 57 pairs: of 8 GPCs, the last one has 16 SMs and the others 14
	{ echo '- 0000 ffffffff 1 R1 MOV 0 0 0 '; barrier; } | kernel 112 4
	sim --events ev -D core_gpcs=8 -D gpgpu_shader_cta=1 >out
	# the first 25 clusters of 4 blocks fill the GPCs and leave 2 SMs free in each GPC except the last
	awk '$2 == "cta" && n++ < 100 { group[$3 < 98 ? int($3 / 14) : 7]++ }
		END { exit group[0] != 12 || group[6] != 12 || group[7] != 16 }' ev
	barrier | kernel 16 16
	run -0 sim -D core_gpcs=8
	run -2 sim -D core_gpcs=16
	assert_output --partial 'cluster of 16 thread blocks (expected at most 8, the number of SMs in a group, -core_gpcs)'
	run -2 sim -D core_gpcs=58
	assert_output --partial 'core_gpcs'
}

@test "UCGABAR_WAIT holds the warps of all blocks until the last one arrives" {
	{
		for ((i = 0; i < 20; i++)); do echo '1 0010 ffffffff 1 R4 MUFU.RCP 1 R4 0 0 '; done
		barrier
	} | kernel 2 2
	sim --events ev >out
	read -r a b < <(awk '$2 == "cta" { printf "%s ", $3 } END { print "" }' ev)
	(( $(at 120 "$a") >= $(at 100 "$b") + 80 ))
	(( $(at 100 "$b") > $(at 100 "$a") + 200 ))
}

@test "loads from another block's shared memory take twice the latency; a block may end before its replies arrive" {
	load_chain() {
		for ((i = 0; i < 10; i++)); do echo "0 0010 00000001 1 R4 LD.E 1 R4 4 0 0x7f500$1000000 0 "; done
		echo "0 0020 ffffffff 1 R5 IADD3 1 R4 0 0 "
		barrier
	}
	load_chain 1 | kernel 2 2
	near=$(sim -F json -D core_dsm_latency=100 | stats-csv -s gpu_sim_cycle | tail -1 | tr -d '\r' | sed 's/.*,//')
	far=$(sim -F json -D core_dsm_latency=200 | stats-csv -s gpu_sim_cycle | tail -1 | tr -d '\r' | sed 's/.*,//')
	(( far - near >= 10 * 200 && far - near <= 10 * 200 + 110 ))
	load_chain 1 | grep -v UCGABAR | kernel 2 2
	sim >out
	load_chain 0 | kernel 2 2
	own=$(sim -F json | stats-csv -s gpu_sim_cycle | tail -1 | tr -d '\r' | sed 's/.*,//')
	(( own < near - 1000 ))
}

@test "cluster atomics are messages, atomics on a block's own shared memory are ATOMS, and neither uses the L2" {
	# atomics OPCODE RANK RESULTS: ten atomics of two lanes, each after the result of the previous one
	atomics() {
		for ((i = 0; i < 10; i++)); do echo "0 0010 00000003 $3 $1 2 R4 R5 4 1 0x7f500$2000000 4 0 "; done
		echo "0 0020 ffffffff 1 R5 IADD3 1 R4 0 0 "
		barrier
	}
	figure() { sim -F json -o out "${@:2}" && stats-csv -s "$1" out | tail -1 | tr -d '\r' | sed 's/.*,//'; }
	atomics ATOM.E.ADD 1 '1 R4' | kernel 2 2
	near=$(figure gpu_sim_cycle -D core_dsm_latency=100)
	far=$(figure gpu_sim_cycle -D core_dsm_latency=200)
	((far - near >= 10 * 200 && far - near <= 10 * 200 + 110))
	# without results no atomic waits for the previous one
	atomics RED.E.ADD 1 0 | sed 's/ RED/ ATOM/' | kernel 2 2
	none=$(figure gpu_sim_cycle -D core_dsm_latency=100)
	((none < near - 1500))
	atomics ATOM.E.ADD 0 '1 R4' | kernel 2 2
	own=$(figure gpu_sim_cycle)
	atomics ATOMS.ADD 0 '1 R4' | kernel 2 2
	assert_equal "$(figure gpu_sim_cycle)" "$own"
	for rank in 0 1; do
		atomics ATOM.E.ADD $rank '1 R4' | kernel 2 2
		sim -F json --events ev -o out
		run -1 grep -c $'\t7f5[01]00' ev
	done
	# an atomic on global memory does use the L2
	atomics ATOM.E.ADD 0 '1 R4' | sed 's/0x7f5000000000/0x7f4000000000/' | kernel 2 2
	sim -F json --events ev -o out
	grep -q $'\t7f400000' ev
}

@test "figures are equal for any number of threads" {
	{
		for ((i = 0; i < 30; i++)); do echo "- 0010 ffffffff 0 ST.E 2 R4 R6 4 1 0x7f5001000000 4 0 "; done
		barrier
	} | kernel 64 4
	one=$(sim -F json -j 1 | stats-csv -s gpu_sim_cycle,gpu_sim_insn | tail -1)
	assert_equal "$(sim -F json -j 3 | stats-csv -s gpu_sim_cycle,gpu_sim_insn | tail -1)" "$one"
	assert_equal "$(WARPTOOLS_WINDOW=1 sim -F json | stats-csv -s gpu_sim_cycle,gpu_sim_insn | tail -1)" "$one"
}

@test "multicast reaches the mbarriers of all blocks in its mask on both cores" {
	{
		echo '- 0000 ffffffff 1 R1 MOV 0 0 0 0 NoVal'
		echo '- 0010 00000001 0 SYNCS.EXCH.64 2 R4 R6 8 0 0x7f5000000040 0 0 Val 1 00000040 1 001ffffe'
		echo '- 0020 00000001 0 SYNCS.ARRIVE.TRANS64 2 R4 R6 8 0 0x7f5000000040 0 0 Val 1 00000040 1 00000040'
		for r in 0 1; do echo "$r 0030 00000001 0 UTMALDG.2D.MULTICAST 1 UR4 16 0x00000040 1 0x0003 32 0 4 0x7f400000${r}000 2 16 0 0 NoVal"; done
		echo '- 0040 00000001 0 SYNCS.PHASECHK.TRANS64.TRYWAIT 2 R4 R6 8 0 0x7f5000000040 0 0 Val 1 00000040 1 00000000'
		echo '- 0050 ffffffff 0 EXIT 0 0 0 0 NoVal'
	} | kernel 8 2
	sed -i 's/tracer version = 5/tracer version = 6/' kernel-1.traceg
	for core in modern accelsim; do
		run -0 sim -D core_model=$core
	done
}

@test "a copy to another block's shared memory runs at the rate of the port and completes on that block's mbarrier" {
	# copy_to_block BYTES: block 0 copies them to block 1, which waits; block 0 ends at once
	copy_to_block() {
		echo '1 0010 00000001 0 SYNCS.EXCH.64 2 R4 R6 8 1 0x7f5000000100 8 0 0 Val 1 0 1 1ffffe '
		echo "1 0020 00000001 0 SYNCS.ARRIVE.TRANS64 2 R4 R6 8 1 0x7f5000000100 8 0 0 Val 1 0 1 $(printf %x "$1") "
		printf -- '- 0030 ffffffff 0 UCGABAR_ARV 0 0 0 0 NoVal\n- 0040 ffffffff 0 UCGABAR_WAIT 0 0 0 0 NoVal\n'
		echo "0 0050 00000001 0 UBLKCP.S.S 1 UR4 16 0x01000100 0 $1 0 4 0x0 0 0 0 NoVal "
		echo '1 0060 00000001 0 SYNCS.PHASECHK.TRANS64.TRYWAIT 2 R4 R6 8 1 0x7f5000000100 8 0 0 Val 1 0 1 0 '
		echo '- 0070 ffffffff 0 EXIT 0 0 0 0 NoVal'
	}
	cycles() {
		copy_to_block "$1" | kernel 2 2
		sed -i 's/tracer version = 5/tracer version = 6/' kernel-1.traceg
		sim -F json -D core_dsm_bytes=16 "${@:2}" | stats-csv -s gpu_sim_cycle | tail -1 | tr -d '\r' | sed 's/.*,//'
	}
	few=$(cycles 4096)
	more=$(cycles 20480)
	# 16384 bytes more are 128 messages more, each of 128 + 8 bytes
	((more - few >= 1080 && more - few <= 1096))
	late=$(cycles 4096 -D core_dsm_latency=600)
	((late > few + 400))
	# without a cluster, the copy completes on the mbarrier of its own block
	copy_to_block 4096 | sed 's/01000100/00000100/; s/^[01]/-/' | kernel 1 1
	sed -i 's/tracer version = 5/tracer version = 6/; /^-cluster/d' kernel-1.traceg
	for core in modern accelsim; do
		run -0 sim -D core_model=$core
	done
}

@test "a cluster with more blocks than a GPC has SMs, with more than 16 blocks, or with none is an error" {
	barrier | kernel 16 16
	run -2 sim -D core_gpc_sms=15
	assert_output --partial 'cluster of 16 thread blocks (expected at most 15'
	for c in 17 0; do
		barrier | kernel 34 "$c"
		run -2 sim
		assert_output --partial "invalid value '-cluster dim"
	done
}

@test "the selftest measures copies between blocks, alone and with loads" {
	printf 'id\tgpu\tworkload\tparams\tmetric\tvalue\tunit\tmin\tmax\tclock_mhz\ttool\tsource\tnote\n' >m.measured
	row() { printf '%s\th200\tdsm\t%s\tthroughput\t20\tB/cycle/SM\t\t\t\t\t\t\n' "$1" "$2"; }
	{
		row one 'bulk copy shared to remote shared, one direction'
		row both 'bulk copy shared to remote shared, both directions, each'
		row ring 'ring of bulk copies, 16 SMs, each'
		row same 'load and bulk copy, same direction, sum'
		row bad 'ring of bulk copies, 17 SMs, each'
	} >>m.measured
	run -0 trace-sim --selftest h200 --measured m.measured -F tsv
	# 128 of the 136 bytes that the port carries for a message are data
	for id in one both ring same; do
		assert_line --regexp "^$id"$'\tdsm\t20\t19\.[89]'
	done
	assert_line --regexp '^bad.*unknown access'
	printf 'id\tgpu\tworkload\tparams\tmetric\tvalue\tunit\tmin\tmax\tclock_mhz\ttool\tsource\tnote\n' >m.measured
	for n in 2 17; do printf 'ring%s\th200\tdsm ring copy\tcluster=%s\t\t3\tTB/s\t\t\t\t\t\t\n' $n $n; done >>m.measured
	# a load occupies its SM's port with a request of 8 bytes, and the other SM's port with a reply of 136
	run -0 trace-sim --selftest h200 --measured m.measured -F tsv -D core_dsm_bytes=9 -D gpgpu_n_clusters=18
	assert_line --regexp $'^ring2\tdsm ring copy\t3\t0\.2'
	assert_line --regexp '^ring17.*unknown unit or cluster'
}
