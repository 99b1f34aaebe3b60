#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-sim --reuse: kernels that are equal except for id and stream share one simulation and have a record each.

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

# Adds a kernel to the list of a directory: a recipe's first kernel with another id and stream, changed by a sed script.
add() { # directory recipe [script]
	n=$((${n-0} + 1))
	mkdir -p "$1"
	sed -e "s/^-kernel id = .*/-kernel id = $n/" -e "s/^-cuda stream id = .*/-cuda stream id = $((n % 3))/" ${3:+-e "$3"} \
		"$(trace "$2")/kernel-1.traceg" >"$1/kernel-$n.traceg"
	echo "kernel-$n.traceg" >>"$1/kernelslist.g"
}

# Kernels 3, 6 and 7 equal earlier ones; 4, 5 and 8 differ in an address, the name and the text of the grid.
repeated() {
	add app vecadd
	add app gather
	add app vecadd
	add app vecadd '0,/ LDG/s/\( LDG.* 0x[0-9a-f]*\)[0-9a-f] /\18 /'
	add app vecadd 's/^-kernel name = /&other_/'
	add app gather
	add app vecadd
	add app gather 's/^-nregs = .*/-nregs = 17/'
}

isolated() { trace-sim -q -g rtx3070 --isolate "$@"; }

# Removes the mark.
unmarked() { sed -e 's/"reused_from":[0-9]*,//' -e 's/,"reuse":true//' -e '/^reused_from /d' -e '/^given.reuse /d'; }

marks() { sed -n 's/.*"position":\([0-9]*\).*"reused_from":\([0-9]*\).*/\1=\2/p' "$1" | tr '\n' ' '; }

@test "--reuse: records equal a run without it, plus marks, for any -j, from files and from a packed stream" {
	repeated
	trace-pack -q -o app.tpack app
	for f in text json; do
		isolated -F $f app >plain
		isolated --reuse -F $f app >reused
		unmarked <reused | cmp - plain
		grep -q reused_from reused
		for j in 2 3 8; do isolated --reuse -j $j -F $f app | cmp reused; done
		isolated --reuse -F $f app.tpack | cmp reused
		isolated --reuse -j 4 -F $f - <app.tpack | cmp reused
	done
	isolated --reuse -F json app >reused
	assert_equal "$(marks reused)" "3=1 6=2 7=1 "
}

@test "--reuse in MessagePack works with all figures and with a selection" {
	repeated
	for with in "" --all-figures "-s gpu_sim_cycle,L2_*"; do
		# shellcheck disable=SC2086
		isolated -F msgpack $with app >plain
		# shellcheck disable=SC2086
		isolated --reuse -F msgpack $with app >reused
		stats-csv --long -F tsv - <plain >plain.tsv
		stats-csv --long -F tsv - <reused | cmp - plain.tsv
		stats-diff plain reused
	done
}

@test "--reuse simulates equal kernels once, also compressed ones" {
	n=0
	for i in 1 2 3; do add odd vecadd '0,/ IMAD/s/ IMAD/ NEWOP/'; done
	gzip odd/kernel-3.traceg && mv odd/kernel-3.traceg.gz odd/kernel-3.traceg
	trace-sim -g rtx3070 --isolate -F json odd 2>err >plain
	assert_equal "$(grep -c NEWOP err)" 3
	trace-sim -g rtx3070 --isolate --reuse -F json odd 2>err >reused
	assert_equal "$(grep -c NEWOP err)" 1
	assert_equal "$(marks reused)" "2=1 3=1 "
	unmarked <reused | cmp - plain
}

@test "--reuse with -k simulates the first selected kernel" {
	repeated
	isolated --reuse -F json -k 3- app >reused
	assert_equal "$(marks reused)" "7=3 "
	isolated -F json -k 3- app >plain
	unmarked <reused | cmp - plain
	isolated --reuse -F json -k '*other*,6-7' app >reused
	assert_equal "$(grep -c '"record":"kernel"' reused)" 3
	assert_equal "$(marks reused)" ""
}

@test "--reuse repeats the record of a kernel that a limit stopped" {
	repeated
	isolated -F json -D gpgpu_max_cycle=5100 app >plain
	isolated --reuse -F json -D gpgpu_max_cycle=5100 app >reused
	unmarked <reused | cmp - plain
	grep '"reused_from"' reused | grep -q '"status":"unfinished"'
}

@test "--reuse: a kernel that cannot be simulated ends the run after the kernels before it" {
	repeated
	echo nonsense >app/kernel-6.traceg
	run -2 isolated --reuse -j 3 -F json -o out app
	assert_output --partial 'app/kernel-6.traceg:1'
	run -0 grep -c '"record":"kernel"' out.part
	assert_output 5
}

@test "--reuse rejects options under which it would not be exact, and names them" {
	repeated
	run -2 trace-sim -g rtx3070 --reuse app
	assert_output --partial '--reuse requires --isolate'
	run -2 trace-sim -g rtx3070 --reuse --isolate --interval 100 app
	assert_output --partial '--reuse cannot be used with --interval'
	run -2 trace-sim -g rtx3070 --reuse --isolate -F accelsim app
	assert_output --partial '--isolate cannot be used with -F accelsim'
	run -2 trace-sim -g rtx3070 --reuse --isolate --profile p app
	assert_output --partial '--isolate cannot be used with'
}

@test "without --isolate, equal kernels differ even with flushed caches" {
	for i in 1 2 3; do add same vecadd; done
	trace-sim -q -g rtx3070 -D gpgpu_flush_l1_cache=1 -D gpgpu_flush_l2_cache=1 -F json same >whole
	run stats-csv -s gpu_sim_cycle,total_dram_reads,L2_total_cache_misses -F tsv whole
	assert [ "$(printf '%s\n' "${lines[@]:1}" | cut -f4- | sort -u | wc -l)" -gt 1 ]
}

@test "--reuse --resume after any kernel gives the bytes of an uninterrupted run" {
	repeated
	trace-pack -q -o app.tpack app
	for f in text json; do
		isolated --reuse -F $f -o full.$f app
		size=$(stat -c %s full.$f)
		for at in 100 $((size / 3)) $((size / 2)) $((size * 3 / 4)) $((size - 1)) $size; do
			rm -f out
			head -c "$at" full.$f >out.part
			run -0 isolated --reuse --resume -F $f -o out app
			cmp out full.$f
		done
	done
	for k in 1 2 3 4 5 6 7 8; do
		rm -f out
		head -$((k + 1)) full.json >out.part
		run -0 isolated --reuse --resume -j 2 -F json -o out app.tpack
		cmp out full.json
	done
}

@test "--reuse --resume rejects records with figures of another kernel, and other options" {
	repeated
	isolated --reuse -F json app >full
	for change in 's/"reused_from":2/"reused_from":1/' 's/"reused_from":2/"reused_from":3/' 's/"reused_from":2/"reused_from":9/'; do
		head -8 full | sed "$change" >out.part
		cp out.part kept
		run -2 isolated --reuse --resume -F json -o out app
		assert_output --regexp 'kernel 6 cannot reuse the results of kernel [139]|record of kernel 6 has reused_from [139]'
		cmp out.part kept
	done
	# Kernel 3 was reused, but its record does not name the origin.
	head -5 full | sed 's/"reused_from":1,//' >out.part
	run -2 isolated --reuse --resume -F json -o out app
	assert_output --partial 'record of kernel 3 has reused_from 0 (expected 1'
	head -5 full >out.part
	run -2 isolated --resume -F json -o out app
	assert_output --partial 'the records are of another version, configuration, selection or format'
	sed -i 's/ 0x1 / 0x2 /' app/kernel-2.traceg
	cmp -s app/kernel-2.traceg "$(trace gather)/kernel-1.traceg" || echo >>app/kernel-2.traceg
	head -5 full >out.part
	run -2 isolated --reuse --resume -F json -o out app
	assert_output --partial 'has changed since its record was written'
}
