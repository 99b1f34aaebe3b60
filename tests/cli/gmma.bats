#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-sim: warpgroup products on both cores (HOPPER-gmma): rates, groups, the four warps, rejected shapes; register
# requests of warpgroups (HOPPER-maxreg).

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

# Writes a kernel of one block of $1 warps; stdin: lines "PC MASK ..." of a warp, after "warp N" for the warps from N on.
kernel() {
	awk -v warps="$1" '
	BEGIN { n = 0 }
	/^warp / { from = $2; if (from) n = 0; next }
	{ for (w = from + 0; w < warps; w++) { text[w, n] = $0; count[w] = n + 1 } n++ }
	END { for (w = 0; w < warps; w++) for (i = 0; i < count[w]; i++) printf "%d\t%s\n", w, text[w, i] }' |
		hopper_block "$1" 168
}

# Prints the cycles of the kernel with the given options.
cycles() { trace-sim -q -g h100-sxm -D gpgpu_perfect_inst_const_cache=1 "$@" -F json kernelslist.g | stats-csv -s gpu_sim_cycle | tail -1 | tr -d '\r' | sed 's/.*,//'; }

# products COUNT PRODUCT [FLAG]: the products, with the flag except on the last one, and a wait for all of them.
products() {
	local i
	for ((i = 1; i <= $1; i++)); do
		echo "0010 ffffffff 1 R24 $2 ${4:-2 R24 UR4} $((i == $1 ? 1 : ${3:-0})) 0 0 0 NoVal "
	done
	echo '0020 ffffffff 0 WARPGROUP.DEPBAR.LE 0 0 0 0 NoVal '
	echo '0030 ffffffff 0 EXIT 0 0 0 0 NoVal '
}

# Prints the cycles that each of 256 products adds.
product_cycles() {
	local few more
	products 16 "$1" 0 "${2-}" | kernel 4
	few=$(cycles "${@:3}")
	products 272 "$1" 0 "${2-}" | kernel 4
	more=$(cycles "${@:3}")
	echo $(((more - few + 128) / 256))
}

@test "a product takes N/2 cycles, or as long as its operands take to read, on both cores" {
	for core in modern accelsim; do
		while read -r op want src; do
			got=$(product_cycles "$op" "$src" -D core_model=$core)
			[ "$got" = "$want" ] || { echo "$core $op: $got"; return 1; }
		done <<-'E'
			HGMMA.64x256x16.F32 128
			QGMMA.64x128x32.F32.E4M3.E4M3 64
			IGMMA.64x192x32.S8.S8 96
			BGMMA.64x64x256.AND.POPC 32
			HGMMA.64x16x8.F32.TF32 20
			HGMMA.SP.64x256x32.F32 144 3 R24 UR4 R2
			HGMMA.SP.64x256x32.F32 128 4 R8 UR4 R24 R2
			HGMMA.64x32x16.F32 24
			HGMMA.64x32x16.F32 16 3 R8 UR4 R24
		E
	done
}

# Each of three groups has a product of 128 cycles. The test looks at the cycles from the first product to the end of the
# wait. On the modern core a warp that has issued the third product has already waited for the second.
@test "a wait holds the warp until few enough groups are open; flags end groups" {
	for core in modern accelsim; do
		for open in 0 1 2 3; do
			products 3 HGMMA.64x256x16.F32 1 | sed "s/DEPBAR.LE 0 0 0 0/DEPBAR.LE 0 0 $open 0/" | kernel 4
			trace-sim -q -g h100-sxm -D core_model=$core -D gpgpu_perfect_inst_const_cache=1 --events log -f -F text kernelslist.g >/dev/null
			awk '$2 == "issue" && $5 ~ /10$/ && $4 == 0 && !first { first = $1 } $2 == "issue" && $5 ~ /30$/ && $4 == 0 { print $1 - first }' log
		done >at
		[ "$(awk 'NR > 1 { d = last - $1; n += d > 120 && d < 136 } { last = $1 } END { print n }' at)" -ge "$([ $core = modern ] && echo 1 || echo 2)" ] || { echo "$core"; cat at; return 1; }
	done
	# all products are in one group: when it ends, no group is open, so that each count but 0 lets the warp pass
	products 3 HGMMA.64x256x16.F32 0 | sed 's/DEPBAR.LE 0 0 0 0/DEPBAR.LE 0 0 1 0/' | kernel 4
	one=$(cycles)
	products 3 HGMMA.64x256x16.F32 0 | kernel 4
	[ "$(cycles)" -ge "$one" ]
}

@test "a warp continues after a product once the tensor cores have finished the earlier products" {
	products 3 HGMMA.64x256x16.F32 | kernel 4
	trace-sim -q -g h100-sxm -D gpgpu_perfect_inst_const_cache=1 --events log -f -F text kernelslist.g >/dev/null
	awk '$2 == "issue" && $4 == 0 { if (last) print $1 - last; last = $1 }' log >distances
	# the first product follows no other; the wait follows all three
	run -0 awk '{ printf "%d ", $1 / 16 } END { print "" }' distances
	assert_output '0 8 8 10 '
}

@test "a product waits for all four warps, except warps that have ended" {
	# warp 3 arrives 64 dependent additions later
	{
		products 1 HGMMA.64x8x16.F32
		echo 'warp 3'
		for ((i = 0; i < 64; i++)); do echo '0000 ffffffff 1 R2 FADD 2 R2 R3 0 0 0 NoVal '; done
		products 1 HGMMA.64x8x16.F32
	} | kernel 4
	trace-sim -q -g h100-sxm -D gpgpu_perfect_inst_const_cache=1 --events log -f -F text kernelslist.g >/dev/null
	[ "$(awk '$2 == "issue" && $4 == 0 && $5 ~ /10$/ { from = $1 } $2 == "issue" && $4 == 0 && $5 ~ /30$/ { print ($1 - from > 250) }' log)" = 1 ]
	{
		products 40 HGMMA.64x8x16.F32
		echo 'warp 3'
		echo '0030 ffffffff 0 EXIT 0 0 0 0 NoVal '
	} | kernel 4
	run -0 cycles
	[ "$output" -lt 20000 ]
	products 40 HGMMA.64x8x16.F32 | kernel 3
	run -0 cycles
}

# maxreg KIND NUMBER: a request for this number of registers, and an instruction after it.
maxreg() { printf '0010 ffffffff 0 USETMAXREG.%s.CTAPOOL 0 0 %d 0 NoVal \n0020 ffffffff 1 R2 MOV 0 0 0 0 NoVal \n' "$1" "$2"; }
additions() { for ((i = 0; i < 64; i++)); do echo '0000 ffffffff 1 R2 FADD 2 R2 R3 0 0 0 NoVal '; done; }
# exchange NUMBER COMMAND...: three warpgroups with 168 registers. The first two request NUMBER registers; the third one
# executes additions, and then the instructions that the command prints.
exchange() {
	{
		maxreg TRY_ALLOC "$1"
		echo '0030 ffffffff 0 EXIT 0 0 0 0 NoVal '
		echo 'warp 8'
		additions
		"${@:2}"
		echo '0030 ffffffff 0 EXIT 0 0 0 0 NoVal '
	} | kernel 12
	run trace-sim -q -g h100-sxm -D gpgpu_perfect_inst_const_cache=1 --events log -f -F text kernelslist.g
}
# issued WARP PC: prints the cycle in which the warp issues the instruction
issued() { awk -v w="$1" -v pc="$2" '$2 == "issue" && $4 == w && $5 == pc { print $1; exit }' log; }

@test "a register request waits until other warps of the block have released enough registers" {
	# 168 - 40 = 2 * (232 - 168)
	exchange 232 maxreg DEALLOC 40
	[ "$status" -eq 0 ]
	for w in 0 3 4 7; do
		after=$(($(issued $w 20) - $(issued $((8 + w % 4)) 10)))
		((after >= 1 && after <= 8)) || { echo "warp $w: $after"; return 1; }
	done
	# the request is for the present number, so that no warp waits
	exchange 168 maxreg DEALLOC 40
	(( $(issued 0 20) < $(issued 8 10) ))
	# a warp that ends releases its registers
	exchange 248 true
	[ "$status" -eq 0 ]
	(( $(issued 0 20) > $(issued 8 30) && $(issued 7 20) > $(issued 11 30) ))
	# the released registers suffice for the first warpgroup only, until that one ends
	half() { maxreg DEALLOC 104; additions; }
	exchange 232 half
	[ "$status" -eq 0 ]
	(( $(issued 0 20) < $(issued 8 10) + 10 && $(issued 4 20) > $(issued 0 30) && $(issued 4 20) < $(issued 8 30) ))
	# the core of sm/ does not model register requests
	run -0 trace-sim -q -g h100-sxm -D core_model=accelsim --events log -f -F text kernelslist.g
	(( $(issued 0 20) < $(issued 8 10) ))
	# traces may lack the number
	sed -i 's/CTAPOOL 0 0 232/CTAPOOL 0 0 0/' kernel-1.traceg
	run -0 trace-sim -q -g h100-sxm --events log -f -F text kernelslist.g
	(( $(issued 0 20) < $(issued 8 10) ))
}

@test "a register request that no warp can satisfy is reported as a deadlock with its reason" {
	{
		maxreg TRY_ALLOC 232
		echo '0030 ffffffff 0 EXIT 0 0 0 0 NoVal '
	} | kernel 4
	run -1 trace-sim -q -g h100-sxm kernelslist.g
	assert_output --partial 'waits for registers of other warps (USETMAXREG)'
}

@test "shapes that the GPU lacks are rejected" {
	for op in HGMMA HGMMA.F32 HGMMA.64x12x16 HGMMA.64x264x16 HGMMA.64x0x16 HGMMA.64x64x32 HGMMA.SP.64x64x16 QGMMA.64x64x16 \
		HGMMA.128x64x16 HGMMA.64x64 HGMMA.64x64x16x2 HGMMA.64x99999999999x16; do
		products 1 $op | kernel 4
		run -2 trace-sim -q -g h100-sxm kernelslist.g
		assert_output --partial "'$op' at pc 0x10 has no valid shape (expected 64xNxK"
	done
}
