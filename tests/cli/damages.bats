#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Damaged lines of version 6 and damaged archives of Accel-Sim 2.0 are errors with their place.

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

# Writes a kernel with each kind of column.
base() {
	sed -n '1,/^-kernel id/p' "$ROOT/tests/data/corpus/kernel/v6"
	cat <<-'END'
		-grid dim = (1,1,1)
		-block dim = (32,1,1)
		-shmem = 8192
		-nregs = 32
		-binary version = 90
		-cuda stream id = 0
		-shmem base_addr = 0x7f0000000000
		-local mem base_addr = 0x7e0000000000
		-accelsim tracer version = 6

		#traces format = x

		#BEGIN_TB

		thread block = 0,0,0
		cluster id = 0,0,0
		cluster cta = 0,0,0
		cluster rank = 0

		warp = 0
		insts = 9
		0000 ffffffff 1 R1 LDC 0 0 0 0 NoVal
		0010 00000001 1 UR63 SYNCS.EXCH.64 2 UR4 UR6 8 1 0x7f0000000400 8 0 0 Val 1 0 1 0 1 001ffffe
		0020 00000001 1 R255 SYNCS.ARRIVE.TRANS64 2 R4 R6 8 2 0x7f0000000400 0 0 Val 1 0 1 0 1 00000060
		0030 00000001 0 UTMALDG.2D 2 UR4 UR8 16 0x400 1 0x0001 32 0 3 2 0x700c00 0x7f8000 0 0 NoVal
		0040 00000001 0 UBLKCP.S.G 1 UR4 16 0x400 0 64 0 4 0x7010 4 16 16 16 0 0 NoVal
		0050 00000001 0 SYNCS.PHASECHK.TRANS64.TRYWAIT 2 R4 R5 8 1 0x7f0000000400 8 0 0 Val 1 0 1 00000000
		0060 ffffffff 1 R24 HGMMA.64x64x16.F32 2 R24 UR4 1 0 0 0 NoVal
		0070 ffffffff 1 R2 BAR.SYNC 0 0 32 0 Val 1 00000001
		0080 ffffffff 0 EXIT 0 0 0 0 NoVal

		#END_TB
	END
}

# Each line is a text and its replacement, which makes the trace invalid.
damages() {
	cat <<-'END'
		0010 00000001|0010 100000001
		0010 00000001|0010 0000000g
		0010 00000001 1 UR63|0010 00000001 99 UR63
		0010 00000001 1 UR63|0010 00000001 1 Q63
		2 UR4 UR6|2 UR4 UR99999
		2 UR4 UR6|-1 UR4 UR6
		1 0 1 001ffffe|1 0 1
		1 0 1 001ffffe|1 0 33 001ffffe
		1 0 1 001ffffe|1 0 1 g01ffffe
		1 0 1 001ffffe|1 0 1 1001ffffe
		1 0 1 001ffffe|1 0 32 001ffffe
		32 0 Val 1 00000001|32 0 Val 1
		32 0 Val 1 00000001|32
		2 R24 UR4 1 0 0 0 NoVal|2 R24 UR4 1
		0 UTMALDG.2D 2 UR4 UR8 16|0 UTMALDG.2D 2 UR4 UR8 -1
		16 0x400 1 0x0001|16 0x1000000000 1 0x0001
		16 0x400 1 0x0001|16 0x400 2 0x0001
		16 0x400 1 0x0001|16 0x400 1 0x30000
		32 0 3 2 0x|99999999999999999999 0 3 2 0x
		32 0 3 2 0x|32 -1 3 2 0x
		32 0 3 2 0x|32 0 5 2 0x
		32 0 3 2 0x|32 0 3 9999999 0x
		32 0 3 2 0x|32 0 3 3 0x
		0x7010 4 16|0x7010 4000000000 16
		0x7010 4 16|0x7010 4 99999999999999999999
		0x7010 4 16|0x7g10 4 16
		cluster id = 0,0,0|cluster id = 0,0
		cluster cta = 0,0,0|cluster cta = -1,0,0
		insts = 9|insts = 4294967296
		insts = 9|insts = 8
	END
}

@test "30 damaged lines of version 6 are errors with their place" {
	base >base.traceg
	run -0 trace-lint -q base.traceg
	n=0
	while IFS='|' read -r from to; do
		n=$((n + 1))
		awk -v from="$from" -v to="$to" '!done && (at = index($0, from)) { $0 = substr($0, 1, at - 1) to substr($0, at + length(from)); done = 1 }
			{ print } END { exit !done }' base.traceg >d.traceg
		run trace-lint d.traceg
		[ "$status" = 1 ] || fail "damage $n, $from: status $status"
		assert_line --regexp '^d.traceg:[0-9]+:[0-9]+: error: '
		run trace-sim -q -g h100-pcie d.traceg
		[ "$status" = 1 ] || [ "$status" = 2 ] || fail "damage $n, $from: trace-sim has status $status"
	done < <(damages)
	assert_equal $n 30
}

@test "30 damaged archives are errors, or their text is unchanged" {
	base >base.traceg
	trace-pack -q --to tracez -o base.tracez base.traceg
	trace-pack -q --to text -o base.text base.tracez
	size=$(wc -c <base.tracez)
	for ((i = 0; i < 20; i++)); do
		cp base.tracez d.tracez
		printf '\377\377\377\377' | dd of=d.tracez bs=1 seek=$((size * i / 20)) conv=notrunc status=none
		run trace-pack -q --to text -f -o d.text d.tracez
		case $status in
		0) [ "$(grep -c . d.text)" -le "$(grep -c . base.text)" ] || fail "damage $i: more text" ;;
		1 | 2) assert_output --partial 'error: ' ;;
		*) fail "damage $i: status $status" ;;
		esac
	done
	# the lines of instructions have checksums: each changed byte of a frame is an error or changes nothing
	at=$((size / 2))
	for ((i = 0; i < 200; i++)); do
		cp base.tracez d.tracez
		printf '\252' | dd of=d.tracez bs=1 seek=$((at + i)) conv=notrunc status=none
		! trace-pack -q --to text -f -o d.text d.tracez 2>err || cmp d.text base.text
	done
	for ((i = 0; i < 10; i++)); do
		head -c $((size * (2 * i + 1) / 20)) base.tracez >d.tracez
		run trace-lint d.tracez
		[ "$status" = 1 ] || [ "$status" = 2 ] || fail "cut $i: status $status"
		assert_output --partial 'error: '
	done
}
