#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-exec --run: a launch that repeats an earlier one is not executed where its effect is known.

bats_require_minimum_version 1.5.0
load helper
load cudart_programs

setup_file() { stub_runtime; }

# repeated HOW [OPTION...]: sets $repeats to the number of launches that "repeats HOW" does not execute. The results and the
# number of instructions must be the same as if all launches were executed. PROGRAM: a program other than repeats.
repeated() {
	trace-exec -n -v "${@:2}" --run "./${PROGRAM-repeats}" "$1" >got.out 2>got.err
	trace-exec -n -v "${@:2}" --every-launch --run "./${PROGRAM-repeats}" "$1" >want.out 2>want.err
	cmp got.out want.out
	repeats=$(awk '/ launches were not executed because they repeat$/ { n = $2 } END { print n + 0 }' got.err)
	diff <(grep -v ' launches were not executed' got.err) want.err
}

@test "a repeated launch that changes nothing is not executed" {
	program repeats repeats "ptx:70:$ROOT/tests/data/cudart/repeats.ptx"
	for o in --check --no-check '-j 2'; do
		# shellcheck disable=SC2086
		repeated same $o
		assert_equal "$repeats" 8
	done
	assert_equal "$(cat got.out)" "0 0 0 0 0 0 0 0 0 0 no error"
	repeated clock
	assert_equal "$repeats" 8
	for how in sum print; do
		repeated $how
		assert_equal "$how $repeats" "$how 0"
	done
	repeated sum
	assert_equal "$(cat got.out)" "1 2 3 4 5 6 7 8 9 10 no error"
	repeated print
	assert_equal "$(grep -c print got.out)" 10
}

@test "a launch that reads %globaltimer is repeated while its effect does not depend on the time" {
	local ptx=$ROOT/tests/data/cudart/repeats.ptx
	sed 's/%clock/%globaltimer_lo/' "$ptx" >waits.ptx
	program repeats repeats ptx:70:waits.ptx
	# launches 1, 2 and 3 are executed, and those after 1 and 2 repeats
	repeated clock
	assert_equal "$repeats" 5
	# launch 7 would be the first to store 1, but repeats launch 5; launch 8 finds the difference
	sed '/%globaltimer_lo/,/ret/ { s/and.b32 %r2, %r1, 0/shr.u32 %r2, %r1, 10/; /rd1\], 0;/d }' waits.ptx >late.ptx
	program repeats repeats ptx:70:late.ptx
	run -0 trace-exec -q -n --every-launch --run ./repeats clock
	assert_output "0 0 0 0 0 0 1 1 1 1 no error"
	run -0 trace-exec -q -n --run ./repeats clock
	assert_output "0 0 0 0 0 0 0 1 1 1 no error"
}

@test "a repeated launch is executed again after memory has changed" {
	program repeats repeats "ptx:70:$ROOT/tests/data/cudart/repeats.ptx"
	for how in copy pinned constant; do
		repeated $how
		assert_equal "$how $(cat got.out)" "$how 0 0 0 0 0 5 5 5 5 5 no error"
		[ "$repeats" -ge 3 ]
	done
	repeated other
	assert_equal "$(cat got.out)" "0 0 0 0 0 1 1 1 1 1 no error"
	[ "$repeats" -ge 3 ]
	repeated again
	assert_equal "$(cat got.out)" "0 0 0 0 0 0 0 0 0 0 no error"
	[ "$repeats" -ge 3 ]
}

@test "the effect of a repeated launch is stored in memory without executing it" {
	local ones='1 1 1 1 1 1 1 1 1 1' how least out
	program effects effects "ptx:70:$ROOT/tests/data/cudart/repeats.ptx"
	program counts effects "ptx:70:$ROOT/tests/data/cudart/effects.ptx"
	while IFS=: read -r PROGRAM how least out; do
		for o in --check --no-check '-j 2'; do
			# shellcheck disable=SC2086
			repeated $how $o
			assert_equal "$how $(cat got.out)" "$how $out no error"
			assert [ "$repeats" -ge "$least" ]
		done
	done <<-END
		effects:reset:17:$ones $ones
		effects:restore:14:1024 1024 1024 1024 1024 1024 1024 1024 1024 1024 1025 1025 1025 1025 1025 1025 1025 1025 1025 1025
		effects:managed:17:$ones $ones
		effects:graph:17:$ones $ones
		effects:swap:10:1 2 3 4 1 2 3 4 1 2 3 4 1 2 3 4 1 2 3 4
		counts:counter:17:1030 1030 1030 1030 1030 1030 1030 1030 1030 1030 1030 1030 1030 1030 1030 1030 1030 1030 1030 1030
		effects:thread:7:$ones $ones
		counts:texture:15:0 0 0 0 0 0 0 0 0 0 84215045 84215045 84215045 84215045 84215045 84215045 84215045 84215045 84215045 84215045
	END
}

@test "a launch counts as repeated after memory of the same size was freed and allocated a few times" {
	local ones='1 1 1 1 1 1 1 1 1 1' o
	program effects effects "ptx:70:$ROOT/tests/data/cudart/repeats.ptx"
	for o in --check '-j 2'; do
		# shellcheck disable=SC2086
		PROGRAM=effects repeated fresh $o
		assert_equal "$(cat got.out)" "$ones $ones no error"
		assert [ "$repeats" -ge 8 ]
		assert [ "$repeats" -le 15 ] # the first five addresses differ
	done
	# without checks a launch may access freed memory
	PROGRAM=effects repeated fresh --no-check
	assert_equal "$repeats $(cat got.out)" "0 $ones $ones no error"
}

@test "a repeated launch with a finding is not executed, and the finding is reported once" {
	program effects effects "ptx:70:$ROOT/tests/data/cudart/repeats.ptx"
	run -1 --separate-stderr trace-exec -n -v --every-launch --run ./effects unset
	assert_equal "$(grep -c uninitialised <<<"$stderr")" 1
	local out=$output all=$stderr
	run -1 --separate-stderr trace-exec -n -v --run ./effects unset
	assert_equal "$output" "$out"
	assert_equal "$(grep -v ' launches were not executed' <<<"$stderr")" "$all"
	[[ $stderr == *' launches were not executed because they repeat'* ]]
}

@test "a launch is executed if its memory never repeats or it has effects outside memory" {
	local how
	program effects effects "ptx:70:$ROOT/tests/data/cudart/repeats.ptx"
	program counts effects "ptx:70:$ROOT/tests/data/cudart/effects.ptx"
	PROGRAM=effects repeated thread
	[ "$repeats" -le 8 ] # the host has a second thread from the eleventh launch on
	PROGRAM=effects repeated half
	assert_equal "$repeats $(cat got.out)" '0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 no error'
	for how in count malloc number; do
		PROGRAM=counts repeated $how
		assert_equal "$how $repeats" "$how 0"
	done
}

@test "each launch is executed for a trace; without checks for the others, the first one is still checked" {
	program repeats repeats "ptx:70:$ROOT/tests/data/cudart/repeats.ptx"
	run -0 trace-exec -v -o out --run ./repeats same
	refute_output --partial 'not executed'
	assert_equal "$(grep -c kernel- out/kernelslist.g)" 10
	cmp <(grep -v 'kernel id' out/kernel-2.traceg) <(grep -v 'kernel id' out/kernel-10.traceg)
	repeated same --launches 6-
	assert_equal "$repeats" 6
}
