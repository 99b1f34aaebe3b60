#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-sim: bulk copies on both cores (HOPPER-tma): requests, rate, start-up, groups, the end of thread blocks.

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

# Writes a kernel of one warp in each of $1 blocks; stdin: its lines after the first.
kernel() {
	awk -v blocks="${1:-1}" '
	BEGIN { line[n++] = "0000 ffffffff 1 R1 MOV 0 0 0 0 NoVal" }
	{ line[n++] = $0 }
	END {
		printf "-kernel name = k\n-kernel id = 1\n-grid dim = (%d,1,1)\n-block dim = (32,1,1)\n-shmem = 65536\n", blocks
		printf "-nregs = 32\n-binary version = 90\n-cuda stream id = 0\n-shmem base_addr = 0x00007f5000000000\n"
		printf "-local mem base_addr = 0x00007f6000000000\n-nvbit version = 1.8\n-accelsim tracer version = 6\n"
		printf "-enable lineinfo = 0\n\n#traces format = x\n\n"
		for (b = 0; b < blocks; b++) {
			printf "#BEGIN_TB\n\nthread block = %d,0,0\n\nwarp = 0\ninsts = %d\n", b, n
			for (i = 0; i < n; i++)
				print line[i]
			printf "\n#END_TB\n\n"
		}
	}' >kernel-1.traceg
	echo kernel-1.traceg >kernelslist.g
}

# copy OPCODE ROWS BYTES PITCH [OUT]: rows of 16-byte elements, with OUT more bytes out of bounds.
copy() {
	awk -v op="$1" -v rows="$2" -v bytes="$3" -v pitch="$4" -v out="${5:-0}" 'BEGIN {
		n = rows * bytes / 16
		printf "0010 00000001 0 %s 1 UR4 16 0x00000000 0 %d %d 4 0x7f4000000000 %d", op, rows * bytes + out, out, n
		for (r = 0; r < rows; r++)
			for (i = 0; i < bytes; i += 16)
				if (r + i)
					printf " %d", i ? 16 : pitch - bytes + 16
		print " 0 0 NoVal"
	}'
}
exits() { echo '0040 ffffffff 0 EXIT 0 0 0 0 NoVal'; }

# Fails unless two numbers differ by at most 4, the phase of the network's clock.
near() { (($1 - $2 <= 4 && $2 - $1 <= 4)) || { echo "$1, not $2"; return 1; }; }

# Prints figure $1 of the kernel with the other options. DRAM refreshes, which would delay some requests, are off.
figure() {
	local name=$1
	shift
	trace-sim -q -g h100-pcie -D gpgpu_perfect_inst_const_cache=1 -D core_kernel_least=0 -D dram_refresh_interval=0 "$@" \
		-F json kernelslist.g | stats-csv -s "$name" | tail -1 | tr -d '\r' | sed 's/.*,//'
}

@test "a copy makes one request for each line of each row, with the sectors that it touches" {
	for core in modern accelsim; do
		while read -r op rows bytes pitch name want; do
			{ copy "$op" "$rows" "$bytes" "$pitch"; exits; } | kernel
			got=$(figure "$name" -D core_model=$core)
			[ "$got" = "$want" ] || { echo "$core $op $rows $bytes: $got"; return 1; }
		done <<-'E'
			UBLKCP.S.G 1 16 0 gpgpu_n_mem_read_global 1
			UBLKCP.S.G 1 16384 0 gpgpu_n_mem_read_global 128
			UTMALDG.2D 64 64 4096 gpgpu_n_mem_read_global 64
			UTMALDG.2D 16 256 4096 gpgpu_n_mem_read_global 32
			UBLKCP.G.S 1 4096 0 gpgpu_n_mem_write_global 32
			UTMASTG.2D 8 128 4096 gpgpu_n_mem_write_global 8
			UTMAREDG.2D.ADD 8 128 4096 gpgpu_n_mem_write_global 8
			UBLKPF 1 4096 0 gpgpu_n_mem_read_global 32
		E
	done
}

@test "requests leave every -core_tma_interval cycles, -core_tma_latency after the unit took the copy" {
	{ copy UBLKCP.S.G 1 16384 0; exits; } | kernel
	first=$(figure gpu_sim_cycle -D core_tma_interval=40)
	near $(($(figure gpu_sim_cycle -D core_tma_interval=50) - first)) $((127 * 10))
	first=$(figure gpu_sim_cycle -D core_tma_bytes=4)
	near $(($(figure gpu_sim_cycle -D core_tma_bytes=2) - first)) $((127 * 32))
	later=$(figure gpu_sim_cycle -D core_tma_interval=40 -D core_tma_latency=1100)
	earlier=$(figure gpu_sim_cycle -D core_tma_interval=40 -D core_tma_latency=100)
	(( later - earlier >= 990 && later - earlier <= 1010 ))
	{ copy UTMALDG.1D 1 16384 0; exits; } | kernel
	later=$(figure gpu_sim_cycle -D core_tma_interval=40 -D core_tma_descriptor=1050)
	earlier=$(figure gpu_sim_cycle -D core_tma_interval=40 -D core_tma_descriptor=50)
	(( later - earlier >= 990 && later - earlier <= 1010 ))
}

@test "a copy that is completely out of bounds makes no request, and its block ends" {
	for core in modern accelsim; do
		{ copy UTMALDG.2D 0 64 64 4096; exits; } | sed 's/0x7f4000000000 0 *0 0/0x0 0 0 0/' | kernel
		assert_equal "$(figure gpgpu_n_mem_read_global -D core_model=$core)" 0
	done
}

@test "DEPBAR waits until few enough groups of UTMACMDFLUSH are open" {
	group() { copy UTMASTG.2D 64 128 4096; echo '0020 ffffffff 0 UTMACMDFLUSH 0 0 0 0 NoVal'; }
	tail_of() { for i in 1 2 3 4 5 6 7 8; do echo '0038 ffffffff 1 R4 MUFU.RCP 1 R4 0 0 0 NoVal'; done; exits; }
	for core in modern accelsim; do
		for n in 0 1 2; do
			{ group; group; echo "0030 ffffffff 0 DEPBAR.LE 0 0 $n 0 NoVal"; tail_of; } | kernel
			trace-sim -q -g h100-pcie -D core_model=$core -D gpgpu_perfect_inst_const_cache=1 --events ev -f kernelslist.g >out
			at[n]=$(awk '$2 == "issue" && $5 == "0038" || $2 == "issue" && $5 == "38" || $2 == "issue" && $5 == "0x38" { print $1; exit }' ev)
		done
		echo "$core ${at[*]}"
		(( at[0] > at[1] && at[1] > at[2] + 100 ))
	done
}

@test "a copy waits if the unit has too many under way; figures are equal for any number of threads" {
	{ for ((i = 0; i < 600; i++)); do copy UBLKCP.S.G 1 32 0; done; exits; } | kernel 64
	for core in modern accelsim; do
		assert_equal "$(figure gpgpu_n_mem_read_global -D core_model=$core)" $((600 * 64))
		a=$(figure gpu_sim_cycle -D core_model=$core -j 1)
		assert_equal "$(figure gpu_sim_cycle -D core_model=$core -j 3)" "$a"
		assert_equal "$(WARPTOOLS_WINDOW=1 figure gpu_sim_cycle -D core_model=$core)" "$a"
	done
}

@test "a load without elements in bounds ends -core_tma_outside cycles after its start" {
	{ copy UTMALDG.2D 0 64 64 4096; exits; } | sed 's/0x7f4000000000 0 *0 0/0x0 0 0 0/' | kernel
	near $(($(figure gpu_sim_cycle -D core_tma_outside=1200) - $(figure gpu_sim_cycle -D core_tma_outside=200))) 1000
}

@test "a warp issues its next instruction -core_tma_issue cycles after a load with a descriptor" {
	while read -r op want; do
		{ copy "$op" 1 128 0; echo '0020 ffffffff 1 R2 MOV 0 0 0 0 NoVal'; exits; } | kernel
		for n in 68 168; do
			trace-sim -q -f -g h100-pcie -D gpgpu_perfect_inst_const_cache=1 -D core_tma_issue=$n --events ev kernelslist.g >/dev/null
			at[n]=$(awk '$2 == "issue" && $5 ~ /20$/ { print $1 }' ev)
		done
		[ $((at[168] - at[68])) = "$want" ] || { echo "$op: ${at[68]} ${at[168]}"; return 1; }
	done <<-END
		UTMALDG.2D 100
		UBLKCP.S.G 0
	END
}
