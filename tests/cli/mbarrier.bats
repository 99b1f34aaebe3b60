#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-sim: synchronisation in traces of version 6, on both cores (HOPPER-mbar, HOPPER-bulk, HOPPER-fence, HOPPER-bar).

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

# Writes a kernel of one block of $1 warps; stdin: lines "PC MASK ..." of a warp, after "warp N" for warp N only.
kernel() { awk '/^warp / { from = $2; next } { printf "%d\t%s\n", from, $0 }' | hopper_block "$1" 32; }

sim() { trace-sim -q -g h200 -D gpgpu_perfect_inst_const_cache=1 -D core_cta_latency=20 --events log -f -F json "$@" kernelslist.g; }

# Prints the cycle in which warp $1 issues its instruction at pc $2.
at() { awk -v w="$1" -v pc="$2" '$2 == "issue" && $4 == w && $5 == pc { print $1; exit }' log; }

# Arguments of the lines below: pc, mask, address, values.
init() { echo "$1 00000001 1 UR63 SYNCS.EXCH.64 2 UR4 UR6 8 1 $2 8 0 0 Val 1 0 1 0 1 $(printf %08x $(((0x100000 - $3) << 1)))"; }
arrive() { echo "$1 00000001 1 R255 SYNCS.ARRIVE.TRANS64.A1T0 2 R4 R255 8 1 $2 8 0 0 Val 1 0 1 0 1 0"; }
expect() { echo "$1 00000001 1 R255 SYNCS.ARRIVE.TRANS64 2 R4 R6 8 1 $2 8 0 0 Val 1 0 1 0 1 $3"; }
wait_for() { echo "$1 00000001 0 SYNCS.PHASECHK.TRANS64.TRYWAIT 2 R4 R5 8 1 $2 8 0 0 Val 1 0 1 $3"; }
copy() { echo "$1 00000001 0 UTMALDG.2D 0 4 $2 0 128 0 4 0x7f1000000000 4 4 4 4 0 0 NoVal"; }
sync() { echo "$1 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0 ${2:-0} ${3:-0} NoVal"; }
nop() { echo "$1 ffffffff 0 NOP 0 0 0 0 NoVal"; }
leave() { echo "$1 ffffffff 0 EXIT 0 0 0 0 NoVal"; }

A=0x7f5000000400
B=0x7f5000000408

@test "an arrival takes 6 cycles, and a wait for a completed phase 43" {
	{
		init 0010 $A 1
		arrive 0020 $A
		nop 0030
		wait_for 0040 $A 00000000
		nop 0050
		leave 0060
	} | kernel 1
	run -0 sim
	[ $(($(at 0 30) - $(at 0 20))) = 6 ]
	[ $(($(at 0 50) - $(at 0 40))) = 43 ]
}

@test "a wait holds the warp until the last arrival, on both cores" {
	for core in modern accelsim; do
		{
			echo warp 0
			init 0010 $A 2
			sync 0020
			wait_for 0030 $A 00000000
			nop 0040
			leave 0050
			for w in 1 2; do
				echo warp $w
				sync 0020
				# warp 2 arrives later
				for ((i = 0; i < w * 200 - 199; i++)); do
					echo "0060 ffffffff 1 R8 IMAD 2 R8 R8 0 0 0 NoVal"
				done
				arrive 0070 $A
				leave 0080
			done
		} | kernel 3
		run -0 sim -D core_model=$core
		[ $(($(at 2 70) - $(at 0 30))) -gt 500 ]
		[ $(($(at 0 40) - $(at 2 70))) -gt 10 ]
		[ $(($(at 0 40) - $(at 2 70))) -lt 80 ]
	done
}

@test "the parity of a wait names the phase, and a consumer follows its producer" {
	for core in modern accelsim; do
		{
			echo warp 0
			init 0010 $A 1
			init 0018 $B 1
			sync 0020
			for i in 0 1 2 3; do
				# the buffer is free at the start: the first wait, for parity 1, passes
				wait_for 003$i $B $((i % 2 ? 0 : 8))0000000
				expect 004$i $A 00000080
				copy 005$i 0x400
			done
			leave 0060
			echo warp 1
			sync 0020
			for i in 0 1 2 3; do
				wait_for 007$i $A $((i % 2 ? 8 : 0))0000000
				arrive 008$i $B
			done
			leave 0090
		} | kernel 2
		run -0 sim -D core_model=$core
		for i in 0 1 2 3; do
			[ "$(at 1 8$i)" -gt $(($(at 0 5$i) + 100)) ]
			((i == 0)) || [ "$(at 0 4$i)" -gt "$(at 1 8$((i - 1)))" ]
		done
	done
}

@test "a phase requires all its bytes, and counts the bytes of a copy once" {
	for core in modern accelsim; do
		for bytes in 00000080 00000100; do
			{
				init 0010 $A 1
				expect 0020 $A $bytes
				copy 0030 0x400
				wait_for 0040 $A 00000000
				nop 0050
				leave 0060
			} | kernel 1
			run sim -D core_model=$core
			if [ $bytes = 00000080 ]; then
				[ "$status" = 0 ]
				[ $(($(at 0 50) - $(at 0 30))) -gt 200 ]
			else
				[ "$status" = 1 ]
				assert_output --partial "SM 0 warp 0 (thread block 0): waits for an mbarrier at 0x7f5000000400: phase 0, 1 of 1 arrivals, 128 bytes to come"
			fi
		done
	done
}

@test "waits that nothing completes are a deadlock, reported with the barrier and its counts" {
	for core in modern accelsim; do
		{
			init 0010 $A 3
			arrive 0020 $A
			wait_for 0030 $A 00000000
			leave 0040
		} | kernel 1
		run -1 sim -D core_model=$core
		assert_output --partial "warp 0 (thread block 0): waits for an mbarrier at 0x7f5000000400: phase 0, 1 of 3 arrivals, 0 bytes to come"
		{
			wait_for 0030 $A 00000000
			leave 0040
		} | kernel 1
		run -1 sim -D core_model=$core
		assert_output --partial "waits for an mbarrier at 0x7f5000000400, which is not initialised"
	done
}

@test "arrivals by value, with drop, with expected bytes, and from each lane are counted" {
	for core in modern accelsim; do
		{
			init 0010 $A 5
			echo "0020 00000001 1 R255 SYNCS.ARRIVE.TRANS64.ART0 2 R4 R6 8 1 $A 8 0 0 Val 1 0 1 0 1 2"
			echo "0030 00000003 1 R255 SYNCS.ARRIVE.TRANS64.A1T0 2 R4 R255 8 1 $A 0 0 0 Val 1 0 1 0 1 0"
			echo "0040 00000001 1 R255 SYNCS.ARRIVE.TRANS64.OPTOUT.A1T0 2 R4 R255 8 1 $A 8 0 0 Val 1 0 1 0 1 0"
			wait_for 0050 $A 00000000
			# the second phase: four arrivals, and bytes that are expected and completed
			echo "0060 00000001 1 R255 SYNCS.ARRIVE.TRANS64.RED.A0TR 2 R4 R6 8 1 $A 8 0 0 Val 1 0 1 0 1 10"
			echo "0070 00000001 1 R255 SYNCS.ARRIVE.TRANS64.ART0 2 R4 R6 8 1 $A 8 0 0 Val 1 0 1 0 1 4"
			echo "0080 00000001 1 R255 SYNCS.ARRIVE.TRANS64.RED.A0TX 2 R4 R6 8 1 $A 8 0 0 Val 1 0 1 0 1 10"
			wait_for 0090 $A 80000000
			leave 00a0
		} | kernel 1
		run -0 sim -D core_model=$core
		sed -i '/A0TX/s/1 10$/1 8/' kernel-1.traceg
		run -1 sim -D core_model=$core
		assert_output --partial "phase 1, 4 of 4 arrivals, 8 bytes to come"
	done
}

@test "LDGSTS arrivals happen when the copies are complete" {
	for core in modern accelsim; do
		{
			init 0010 $A 32
			echo "0020 ffffffff 0 LDGSTS.E.BYPASS.128 2 R4 R6 16 1 0x7f1000000000 16 0 0 NoVal"
			echo "0030 ffffffff 0 ARRIVES.LDGSTSBAR.64.ARVCNT 1 R4 8 1 $A 0 0 0 NoVal"
			nop 0038
			wait_for 0040 $A 00000000
			nop 0050
			leave 0060
		} | kernel 1
		run -0 sim -D core_model=$core
		[ $(($(at 0 50) - $(at 0 20))) -gt 300 ]
		[ $(($(at 0 38) - $(at 0 20))) -lt 60 ]
	done
}

@test "DEPBAR waits until at most the given number of bulk copy groups is open" {
	for core in modern accelsim; do
		for open in 0 1 2; do
			{
				nop 0000
				for i in 1 2; do
					echo "00${i}0 00000001 0 UTMASTG.2D 0 4 0x0 0 16 0 4 0x7f10000${i}0000 4 4 4 4 0 0 NoVal"
					echo "00${i}8 00000001 0 UTMACMDFLUSH 0 0 0 0 NoVal"
				done
				echo "0040 ffffffff 0 DEPBAR.LE 0 0 $open 0 NoVal"
				nop 0050
				leave 0060
			} | kernel 1
			run -0 sim -D core_model=$core
			took=$(($(at 0 50) - $(at 0 40)))
			# the FENCE ends once the data are read, long before the memory acknowledges the stores
			if [ $open = 2 ]; then [ $took -lt 20 ]; else [ $took -gt 60 ] && [ $took -lt 250 ]; fi
		done
	done
}

@test "FENCE waits for the shared-memory stores of its warp" {
	{
		for i in 0 1 2 3; do
			echo "001$i ffffffff 0 STS.128 2 R4 R8 16 1 0x7f5000001000 512 0 0 NoVal"
		done
		echo "0020 ffffffff 0 FENCE.VIEW.ASYNC.S 0 0 0 0 NoVal"
		nop 0030
		leave 0040
	} | kernel 1
	run -0 sim
	[ $(($(at 0 30) - $(at 0 20))) -gt 60 ]
	sed -i 's/STS.128 2 R4 R8 16 1 0x7f5000001000 512/LDG.E 2 R4 R8 4 1 0x7f1000001000 4/' kernel-1.traceg
	run -0 sim
	[ $(($(at 0 30) - $(at 0 20))) -lt 20 ]
}

# Barrier 1: warps 0 and 1 wait, warp 2 arrives. Barrier 2: warp 3 waits for the arrival of warp 0, with register operands.
numbered() {
	echo warp 0
	echo "0010 ffffffff 1 R2 BAR.ARV 1 R3 0 0 0 Val 1 2 1 40"
	sync 0020 1 96
	nop 0030
	leave 0040
	echo warp 1
	sync 0020 1 96
	nop 0030
	leave 0040
	echo warp 2
	for ((i = 0; i < 400; i++)); do
		echo "0050 ffffffff 1 R8 IMAD 2 R8 R8 0 0 0 NoVal"
	done
	echo "0060 ffffffff 0 BAR.ARV 0 0 1 96 NoVal"
	nop 0070
	leave 0080
	echo warp 3
	echo "0090 ffffffff 1 R2 BAR.SYNC 1 R3 0 0 0 Val 1 2 1 40"
	nop 00a0
	leave 00b0
}

@test "named barriers have numbers and counts, and allow arrival without waiting" {
	for core in modern accelsim; do
		numbered | kernel 4
		run -0 sim -D core_model=$core
		for w in 0 1; do
			[ "$(at $w 30)" -ge "$(at 2 60)" ]
		done
		[ "$(at 3 a0)" -lt "$(at 2 60)" ]
		[ $(($(at 2 70) - $(at 2 60))) -lt 30 ]
		cycles=$(at 3 a0)
		# either the number or the count is in a register, and the other one is an immediate
		numbered | sed 's/1 R2 BAR.ARV 1 R3 0 0 0 Val 1 2 1 40/0 BAR.ARV 1 R3 0 2 0 Val 1 40/' | kernel 4
		run -0 sim -D core_model=$core
		[ "$(at 3 a0)" -eq "$cycles" ]
		numbered | sed 's/1 R2 BAR.SYNC 1 R3 0 0 0 Val 1 2 1 40/1 R2 BAR.SYNC 0 0 64 0 Val 1 2/' | kernel 4
		run -0 sim -D core_model=$core
		[ "$(at 3 a0)" -eq "$cycles" ]
		numbered | sed 's/BAR.ARV 0 0 1 96/BAR.ARV 0 0 17 96/' | kernel 4
		run -2 sim -D core_model=$core
		assert_output --partial "'BAR.ARV' at pc 0x60 has barrier 17 of 96 threads (expected a number below 16 and at most 2048 threads)"
	done
}

@test "trace-lint: a wait for the phase before the first one needs no arrival; BAR may have register operands" {
	local phase
	for phase in 80000000 0; do
		{
			echo warp 0
			echo "0010 00000001 0 SYNCS.PHASECHK.TRANS64.TRYWAIT 2 R4 R6 8 1 $A 0 0 0 Val 1 0 1 $phase"
			echo "0020 ffffffff 0 BAR.ARV 1 R3 0 2 0 Val 1 20"
			echo "0030 ffffffff 1 R3 BAR.ARV 0 0 32 0 Val 1 f"
			leave 0040
		} | kernel 1
		run trace-lint kernel-1.traceg
		refute_line --partial ' barrier'
		if [ $phase = 0 ]; then
			assert_line --partial 'error: mbarrier-arrivals: '
		else
			refute_line --partial 'mbarrier-arrivals'
		fi
	done
}

@test "trace-lint: USETMAXREG raises the register count; shared addresses in a cluster contain a block rank" {
	{
		echo warp 0
		echo "0010 ffffffff 0 USETMAXREG.TRY_ALLOC.CTAPOOL 0 0 64 0 NoVal"
		echo "0020 ffffffff 1 R63 IMAD 2 R8 R8 0 0 0 NoVal"
		echo "0030 ffffffff 0 STS 2 R4 R8 4 1 0x7f5001000000 4 0 0 NoVal"
		leave 0040
	} | kernel 1
	sed -i 's/^-nregs.*/-nregs = 32/; s/^-shmem = .*/-shmem = 4096/; /^-cluster dim/d' kernel-1.traceg
	sed 's/^-shmem = .*/&\n-cluster dim = (1,1,1)/' kernel-1.traceg >own
	sed -i 's/^-shmem = .*/&\n-cluster dim = (2,1,1)/; s/^-grid dim.*/-grid dim = (2,1,1)/' kernel-1.traceg
	run trace-lint kernel-1.traceg
	refute_line --partial register-nregs
	refute_line --partial shared-beyond
	mv own kernel-1.traceg
	run trace-lint kernel-1.traceg
	assert_line --partial 'shared-beyond: access up to byte 0x100007f of shared memory'
	sed -i 's/USETMAXREG.TRY_ALLOC.CTAPOOL 0 0 64/USETMAXREG.TRY_ALLOC.CTAPOOL 0 0 40/' kernel-1.traceg
	run trace-lint kernel-1.traceg
	assert_line --partial "register-nregs: register R63 (expected a number below 40, '-nregs')"
}

# Two groups of a warp alternate, each at its own barrier. The first group arrives at its barrier, waits, and lets the second
# pass; the arrival of the second group at its own barrier has no active lane.
turns() {
	echo warp 0
	echo "0010 ffffffff 0 BAR.ARV 0 0 1 64 NoVal"
	sync 0020 1 64
	for ((i = 0; i < 99; i++)); do
		echo "0030 ffffffff 1 R8 IMAD 2 R8 R8 0 0 0 NoVal"
	done
	echo "0040 ffffffff 0 BAR.ARV 0 0 2 64 NoVal"
	leave 0050
	echo warp 1
	echo "0010 00000000 0 BAR.ARV 0 0 2 64 NoVal"
	sync 0060 2 64
	nop 0070
	leave 0080
}

@test "a warp may arrive at a barrier more than once, and arrives only with active lanes" {
	for core in modern accelsim; do
		turns | kernel 2
		run -0 sim -D core_model=$core
		[ "$(at 1 70)" -ge "$(at 0 40)" ]
		turns | sed 's/^0010 f/0010 0/; s/^0010 0fffffff/0010 00000000/' | kernel 2
		run -1 sim -D core_model=$core
		assert_output --partial "waits for a barrier: number 1, at which 1 warps have arrived"
	done
}

@test "operations on the barrier of another block in the cluster are counted on the block's own barrier" {
	{
		init 0010 $A 2
		arrive 0020 $A
		arrive 0030 0x7f5001000400
		wait_for 0040 $A 00000000
		leave 0050
	} | kernel 1
	run -0 sim
}

@test "a thread block with too many barriers is rejected" {
	{
		nop 0000
		for ((i = 0; i < 33; i++)); do
			echo "0010 ffffffff 1 R255 SYNCS.ARRIVE.TRANS64.A1T0 2 R4 R255 8 1 $(printf 0x%x $((0x7f5000000000 + 256 * i))) 8 0 0 NoVal"
		done
		leave 0020
	} | kernel 1
	run -2 sim
	assert_output --partial "error: thread block 0,0,0 names more than 1023 mbarriers"
}

@test "text and packed streams are simulated alike" {
	{
		init 0010 $A 1
		expect 0020 $A 00000080
		copy 0030 0x400
		wait_for 0040 $A 00000000
		sync 0048 3 32
		leave 0060
	} | kernel 1
	trace-pack -o t.tpack kernelslist.g
	run -0 sim
	mv log log.text
	trace-sim -q -g h200 -D gpgpu_perfect_inst_const_cache=1 -D core_cta_latency=20 --events log -f -F json t.tpack >/dev/null
	cmp log log.text
}

@test "the selftest measures both operations, and the issue of a tensor load" {
	printf 'id\tgpu\tworkload\tparams\tmetric\tvalue\tunit\tmin\tmax\tclock_mhz\ttool\tsource\tnote\n' >m.measured
	for row in 'a arrive 6' 'b try_wait that succeeds 43' 'c swap 1'; do
		words=${row#* }
		printf '%s\th200\tmbarrier %s\t\tlatency\t%s\tcycles\t\t\t\t\t\t\n' "${row%% *}" "${words% *}" "${row##* }"
	done >>m.measured
	printf '%s\th200\tbulk tensor load\t\t%s\t68\tcycles\t\t\t\t\t\t\n' d issue e latency >>m.measured
	run -0 trace-sim --selftest h200 --measured m.measured -F tsv
	assert_line --regexp '^d.bulk tensor load.68.68\.0'
	assert_line --regexp '^e.*unknown metric'
	assert_line --regexp '^a.mbarrier arrive.6.6\.0'
	assert_line --regexp '^b.mbarrier try_wait that succeeds.43.43\.0'
	assert_line --regexp '^c.*unknown operation'
}
