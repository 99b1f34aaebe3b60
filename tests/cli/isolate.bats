#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-sim --isolate and --resume: each kernel on a GPU of its own, several at a time; continuation after an interruption.

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

alone() { trace-sim -q -g rtx3070 --isolate "$@" "$(trace streams)"; }

# Makes a directory of five kernels of different lengths.
mixed() {
	mkdir mixed
	n=0
	for recipe in alu vecadd gather reuse stream; do
		n=$((n + 1))
		cp "$(trace $recipe)/kernel-1.traceg" mixed/kernel-$n.traceg
		echo kernel-$n.traceg >>mixed/kernelslist.g
	done
}

@test "--isolate writes the same bytes for any -j, in list order, from files and from a packed stream" {
	mixed
	trace-pack -q -o mixed.tpack mixed
	for f in text json msgpack; do
		trace-sim -q -g rtx3070 --isolate -F $f mixed >one
		for j in 2 3 8; do
			trace-sim -q -g rtx3070 --isolate -j $j -F $f mixed | cmp one
		done
		trace-sim -q -g rtx3070 --isolate -j 4 -F $f mixed.tpack | cmp one
		trace-sim -q -g rtx3070 --isolate -j 4 -F $f - <mixed.tpack | cmp one
	done
	trace-sim -q -g rtx3070 --isolate -F json mixed >one
	run -0 stats-csv -s gpu_sim_cycle -F tsv one
	assert_equal "$(printf '%s\n' "${lines[@]:1}" | cut -f3 | tr '\n' ' ')" "1 2 3 4 5 "
}

@test "--isolate: each record equals that of a run of this kernel alone, with cold caches" {
	mixed
	trace-sim -q -g rtx3070 --isolate -F json mixed >all
	for k in 1 2 3 4 5; do
		trace-sim -q -g rtx3070 --isolate -F json -k $k mixed | sed -n 2p >job
		sed -n $((k + 1))p all | cmp - job
		trace-sim -q -g rtx3070 -F json "mixed/kernel-$k.traceg" >cold
		assert_equal "$(stats-csv -s gpu_sim_cycle,L2_total_cache_misses cold | tail -1 | cut -d, -f4-)" \
			"$(stats-csv -q -s gpu_sim_cycle,L2_total_cache_misses -k $k all | tail -1 | cut -d, -f4-)"
	done
}

@test "--isolate: the end record has the sums; copies and earlier kernels warm nothing; stats-diff shows the difference" {
	alone -F json >apart
	trace-sim -q -g rtx3070 -F json "$(trace streams)" >whole
	run awk -F'"gpu_sim_cycle":' '/"kernel"/ { s += $2 } /"end"/ { print s - $2 }' apart
	assert_output 0
	grep -q '"isolate":true' apart
	run -1 stats-diff -s 'L2_total_cache_misses' whole apart
	assert_output --partial L2_total_cache_misses
}

@test "--isolate works with -k by name and with no kernel selected, and rejects incompatible options" {
	run -0 alone -F json -k '*ead*'
	assert_equal "$(printf '%s\n' "$output" | grep -c '"record":"kernel"')" 2
	run -2 alone -k '*none*'
	assert_output --partial "-k '*none*' matches none of 4 kernels"
	run -2 alone -F accelsim
	assert_output --partial 'expected text, json or msgpack'
	run -2 alone --events log
	assert_output --partial '--isolate cannot be used with'
	[ ! -e log ]
}

@test "--isolate: a kernel that cannot be simulated ends the run after the earlier kernels, for any -j" {
	mixed
	echo nonsense >mixed/kernel-4.traceg
	for j in 1 4; do
		run -2 trace-sim -q -g rtx3070 --isolate -j $j -F json -o out mixed
		assert_output --partial 'mixed/kernel-4.traceg:1'
		run -0 grep -c '"record":"kernel"' out.part
		assert_output 3
		[ ! -e out ]
		rm out.part
	done
}

@test "--isolate: a limit applies to each kernel; a deadlock of one does not stop the others" {
	run -0 alone -F json -D gpgpu_max_cycle=5100
	assert_equal "$(printf '%s\n' "$output" | grep -c '"status":"unfinished"')" 4
	assert_output --partial '"status":"limit","limit":"-gpgpu_max_cycle"'
}

@test "--resume continues after the last complete kernel and writes the same bytes, wherever the records stop" {
	mixed
	for f in text json msgpack; do
		trace-sim -q -g rtx3070 --isolate -F $f -o full.$f mixed
		size=$(stat -c %s full.$f)
		for at in 0 100 $((size / 6)) $((size / 3)) $((size / 2)) $((size * 3 / 4)) $((size - 1)) $size; do
			rm -f out
			head -c "$at" full.$f >out.part
			run -0 trace-sim -q -g rtx3070 --isolate --resume -F $f -o out mixed
			cmp out full.$f
		done
	done
}

# Makes kernels with common lines. Every second kernel has one more instruction at the start, which shifts the lines.
shifted() {
	mkdir shifted
	for k in 1 2 3 4 5 6; do
		if [ $((k % 2)) = 1 ]; then
			cp "$(trace vecadd)/kernel-1.traceg" shifted/kernel-$k.traceg
		else
			awk -v k=$k '/^insts = / { print "insts = " $3 + 1; printf "0f%d0 ffffffff 1 R9 IMAD.WIDE 2 R6 R7 0 0 \n", k; next } 1' \
				"$(trace vecadd)/kernel-1.traceg" >shifted/kernel-$k.traceg
		fi
		echo kernel-$k.traceg >>shifted/kernelslist.g
	done
}

@test "--resume after each kernel, text and packed, writes the same bytes where memory is reused at once" {
	plain_build_only
	shifted
	trace-pack -q -o shifted.tpack shifted
	trace-sim -q -g rtx3070 --isolate -F json -o full shifted
	for n in 1 2 3 4 5 6; do
		for j in 1 2 3; do
			for t in shifted shifted.tpack; do
				rm -f out
				head -$n full >out.part
				LD_PRELOAD=$BUILD/tests/reuse_alloc.so WARPTOOLS_CPUS=4 run -0 \
					trace-sim -q -g rtx3070 --isolate --resume -j $j -F json -o out $t
				cmp out full
			done
		done
	done
}

@test "a kernel's checksum depends only on its decoded content, not on packing or position" {
	shifted
	trace-pack -q -o shifted.tpack shifted
	checksums() { grep -o '"checksum":"[0-9a-f]*"'; }
	trace-sim -q -g rtx3070 -F json shifted | checksums >plain
	trace-sim -q -g rtx3070 -F json shifted.tpack | checksums | cmp plain
	trace-sim -q -g rtx3070 -F json -j 2 shifted.tpack | checksums | cmp plain
	trace-sim -q -g rtx3070 -F json --isolate -j 2 shifted | checksums | cmp plain
	run -0 sort -u plain # three kernels are alike
	assert_equal ${#lines[@]} 4
}

@test "--resume rejects a record whose kernel was decoded differently" {
	shifted
	trace-sim -q -g rtx3070 --isolate -F json shifted | head -3 >out.part
	sed -i '3s/"checksum":"[0-9a-f]*"/"checksum":"0123456789abcdef"/' out.part
	run -2 trace-sim -q -g rtx3070 --isolate --resume -F json -o out shifted
	assert_output --partial "checksum 0123456789abcdef in the record of kernel 2 is wrong: its trace decodes to"
	[ ! -e out ]
}

# Waits until a process is gone, or a zombie whose parent does not collect it.
wait_until_gone() { while grep -sq '^State:.[^Z]' "/proc/$1/status"; do sleep 0.05; done; }

# sim [OPTIONS]: five kernels with two figures, so that records are short
sim() { trace-sim -q -g rtx3070 --isolate -s gpu_sim_cycle,gpu_sim_insn "$@" mixed; }

# part FORMAT: makes out.part and out.part.sums with five kernels, as a run leaves them that was killed at the sixth one
part() {
	rm -f out*
	echo kernel-9.traceg >>mixed/kernelslist.g
	mkfifo mixed/kernel-9.traceg
	trace-sim -q -g rtx3070 --isolate -s gpu_sim_cycle,gpu_sim_insn -F "$1" -o out mixed &
	local pid=$! child
	until [ "$(wc -l 2>/dev/null <out.part.sums)" = 5 ]; do
		kill -0 $pid
		sleep 0.05
	done
	child=$(cat /proc/$pid/task/$pid/children)
	kill -KILL $pid
	wait $pid || true
	wait_until_gone "${child% }"
	rm mixed/kernel-9.traceg
	sed -i '$d' mixed/kernelslist.g
}

@test "--resume rejects a damaged record with its lines or bytes, and keeps the file" {
	mixed
	for f in json text msgpack; do
		sim -F $f -o full
		part $f
		tail=$(($(wc -c <full) - $(wc -c <out.part)))
		head -c -$tail full | cmp - out.part
		cp out.part whole
		cp out.part.sums sums
		run -0 sim --resume -F $f -o out
		cmp out full
		[ ! -e out.part.sums ]
		rm out
		while read -r change error; do
			cp whole out.part
			cp sums out.part.sums
			LC_ALL=C sed -i "$change" out.part
			run ! cmp -s out.part whole
			cp out.part kept
			run -2 sim --resume -F $f -o out
			assert_output --regexp "^trace-sim: out[.]part: ?$error are damaged: their checksum differs from that in 'out[.]part[.]sums'"
			cmp out.part kept
			[ ! -e out ]
		done <<-END
			$(case $f in
			json) printf '%s\n' '5s/"gpu_sim_cycle":/&1/ 5: error: lines 5 to 5' '5s/"position":4/"position":5/ 5: error: lines 5 to 5' '3s/kernel"/kernal"/ 3: error: lines 3 to 3' ;;
			text) echo '/^gpu_sim_cycle/s/[[:blank:]]/&1/ [0-9]*: error: lines [0-9]* to [0-9]*' ;;
			msgpack) echo 's/checksum/checksun/ error: bytes [0-9]* to [0-9]*' ;;
			esac)
		END
		rm full
	done
}

@test "--resume uses records with checksums, or without checksums all whole records" {
	mixed
	sim -F json -o full
	part json
	cp out.part whole
	cp out.part.sums sums
	for kept in 0 2 4; do # a kernel whose checksum is missing is simulated again
		head -$kept sums >out.part.sums
		cp whole out.part
		trace-sim -v -g rtx3070 --isolate -s gpu_sim_cycle,gpu_sim_insn --resume -F json -o out mixed 2>err
		cmp out full
		run -0 cat err
		assert_line --index 0 --regexp "^$((kept + 1)) of 5 kernels done"
		rm out
	done
	for last in 1 2 5; do # the last newline is missing
		head -$last whole | head -c -1 >out.part
		run -0 sim --resume -F json -o out
		cmp out full
		rm out
	done
}

@test "--resume keeps the checksums of records until it writes more, and finds damage after it was stopped" {
	mixed
	sim -F json -o full
	part json
	cp out.part whole
	cp out.part.sums sums
	head -5 mixed/kernelslist.g >list
	echo kernel-6.traceg >>mixed/kernelslist.g
	echo '-kernel name = x' >mixed/kernel-6.traceg
	for kept in 5 3 0; do # stopped by kernel 6, with the lines of the records that it kept
		cp whole out.part
		head -$kept sums >out.part.sums
		run -2 sim --resume -F json -o out
		cmp out.part whole
		cmp out.part.sums sums
	done
	rm out.part.sums # a run that adds no record makes no checksums
	run -2 sim --resume -F json -o out
	cmp out.part whole
	[ ! -e out.part.sums ]
	cp sums out.part.sums
	LC_ALL=C sed -i '4s/"gpu_sim_cycle":/&1/' out.part
	cp list mixed/kernelslist.g
	run -2 sim --resume -F json -o out
	assert_output --partial 'out.part:4: error: lines 4 to 4 are damaged'
	LC_ALL=C sed -i '4s/"gpu_sim_cycle":1/"gpu_sim_cycle":/; 1s/rtx3070/rtx3080/' out.part
	run -2 sim --resume -F json -o out # not taken for the records of another configuration
	assert_output --partial 'out.part:1: error: lines 1 to 2 are damaged'
}

@test "--resume continues the records of the file to which a symbolic link points" {
	mixed
	sim -F json -o full
	mkdir kept
	ln -s kept/file out
	cp full kept/file
	head -3 full >kept/file.part
	trace-sim -v -g rtx3070 --isolate -s gpu_sim_cycle,gpu_sim_insn --resume -F json -o out -f mixed 2>err
	run -0 cat err
	assert_line --index 0 --regexp '^3 of 5 kernels done'
	cmp kept/file full
	[ -L out ]
	assert_equal "$(ls kept)" file
	ln mixed/kernel-1.traceg kept/file.part
	run -2 trace-sim -q -g rtx3070 -f -o out mixed
	assert_output "trace-sim: $PWD/kept/file.part: error: the output is also an input"
}

@test "no checksums stay after a run that has its result" {
	mixed
	for command in 'sim -F json' 'sim --resume -F json' 'trace-sim -q -g rtx3070 -F json mixed'; do
		for left in sums 'sums part'; do
			rm -f out*
			echo '10 0123456789abcdef' >out.part.sums
			[ "$left" = sums ] || echo '{}' >out.part
			[ "$command $left" != 'sim --resume -F json sums part' ] || continue
			run -0 $command -o out
			run -0 ls
			refute_output --partial out.part
		done
	done
	sim -f -F json -o out
	echo '10 0123456789abcdef' >out.part.sums # left by a run that was killed between its last two steps
	run -0 sim --resume -F json -o out
	[ ! -e out.part.sums ]
	rm out
	ln mixed/kernel-1.traceg out.part.sums
	for command in 'sim -F json' 'trace-sim -q -g rtx3070 mixed'; do
		run -2 $command -o out
		assert_output 'trace-sim: out.part.sums: error: the output is also an input'
	done
}

@test "a name whose checksums would have too long a name is good without --isolate" {
	name=$(printf 'f%.0s' {1..250})
	trace-sim -q -g rtx3070 -o "$name" "$(trace vecadd)"
	run -2 trace-sim -q -g rtx3070 --isolate -f -o "$name" "$(trace vecadd)"
	assert_output "trace-sim: $PWD/$name.part.sums: error: cannot be written: File name too long"
	run -0 ls
	assert_output "$name"
}

@test "--resume simulates only the missing kernels" {
	mixed
	trace-sim -q -g rtx3070 --isolate -F json -o full mixed
	head -3 full >out.part
	trace-sim -v -g rtx3070 --isolate --resume -F json -o out mixed 2>err
	cmp out full
	run -0 cat err
	assert_line --index 0 --regexp '^3 of 5 kernels done'
	refute_output --partial '
2 of 5 kernels done'
}

@test "--resume starts without a file, does nothing with a complete file, and continues after an interruption" {
	mixed
	run -0 trace-sim -q -g rtx3070 --isolate --resume -F json -o out mixed
	cp out full
	run -0 trace-sim -q -g rtx3070 --isolate --resume -F json -o out mixed
	cmp out full
	head -3 full >out
	echo '{"record":"end","status":"interrupted","kernels":2,"hash":"","stats":{}}' >>out
	run -0 trace-sim -q -g rtx3070 --isolate --resume -F json -o out mixed
	cmp out full
}

@test "--resume rejects, with the reason, what it could not resume exactly" {
	mixed
	run -2 trace-sim -g rtx3070 --resume -o out mixed
	assert_output --partial '--resume requires --isolate'
	assert_output --partial 'caches that earlier kernels left'
	run -2 trace-sim -g rtx3070 --isolate --resume mixed
	assert_output --partial '--resume requires -o FILE'
	trace-sim -q -g rtx3070 --isolate -F json mixed | head -3 >out.part
	cp out.part kept
	run -2 trace-sim -g qv100 --isolate --resume -F json -o out mixed
	assert_output "trace-sim: out.part: error: the records are of another version, configuration, selection or format: '\"config\":\"rtx3070\"' (expected '\"config\":\"qv100\"'; without --resume all kernels are simulated)"
	run -2 trace-sim -g rtx3070 --isolate --resume -F json -s gpu_sim_cycle -o out mixed
	assert_output --partial "'\"isolate\":true' (expected '\"stats\":\"gpu_sim_cycle\"'"
	run -2 trace-sim -g rtx3070 --isolate --resume -F text -o out mixed
	assert_output --partial 'selection or format (without --resume'
	run -2 trace-sim -g rtx3070 --isolate --resume -F json -k 2- -o out mixed
	sed -i 's/ 0x1 / 0x2 /' mixed/kernel-2.traceg
	cmp -s mixed/kernel-2.traceg "$(trace vecadd)/kernel-1.traceg" && echo >>mixed/kernel-2.traceg
	run -2 trace-sim -g rtx3070 --isolate --resume -F json -o out mixed
	assert_output --partial 'the trace of kernel 2, mixed/kernel-2.traceg, has changed since its record was written'
	cmp out.part kept
}

@test "SIGKILL of --isolate leaves finished kernels and no process; SIGTERM ends it with them" {
	mixed
	mkfifo mixed/kernel-9.traceg
	echo kernel-9.traceg >>mixed/kernelslist.g
	for signal in KILL TERM; do
		trace-sim -q -g rtx3070 --isolate -j 2 -F json -o out mixed &
		pid=$!
		until [ "$(grep -sc '"record":"kernel"' out.part)" = 5 ]; do
			kill -0 $pid
			sleep 0.05
		done
		child=$(cat /proc/$pid/task/$pid/children)
		kill -$signal $pid
		status=0
		wait $pid || status=$?
		wait_until_gone "${child% }"
		if [ $signal = KILL ]; then
			run -1 --separate-stderr stats-csv -s gpu_sim_cycle out.part
			assert_equal "${#lines[@]}" 6
			rm out.part
		else
			assert_equal $status 1
			[ ! -e out.part ]
			tail -1 out | grep '"status":"interrupted","kernels":5'
		fi
	done
}

@test "--isolate on a terminal prints one line with kernels, processes and times" {
	command -v script >/dev/null || skip "script is not installed (util-linux)"
	mixed
	trace-sim -q -g rtx3070 --isolate -F json -o full mixed
	# The trace of the fifth kernel arrives after the progress line for the others.
	mv mixed/kernel-5.traceg kept
	mkfifo mixed/kernel-5.traceg
	script -qefc 'trace-sim -g rtx3070 --isolate --reuse -F json -o out mixed' /dev/null >shown 3>&- </dev/null &
	pid=$!
	until tr '\r' '\n' <shown | grep -qE '4 of 5 kernels done, 0 reused, 1 running, [0-9]+ s, [0-9]+ s left$'; do
		kill -0 $pid
		sleep 0.05
	done
	cat kept >mixed/kernel-5.traceg
	wait $pid
	sed 's/,"reuse":true//' out | cmp - full
}

# Makes kernels with long names, with malformed UTF-8 in some. Some names repeat; one is too long for a number.
named() {
	mkdir named
	k=0
	for name in "$@"; do
		k=$((k + 1))
		LC_ALL=C awk -v name="$name" '/^-kernel name = / { print "-kernel name = " name; next } 1' \
			"$(trace vecadd)/kernel-1.traceg" >named/kernel-$k.traceg
		echo kernel-$k.traceg >>named/kernelslist.g
	done
}

@test "--isolate -s: MessagePack writes each name once, like a plain run, for any -j, with --reuse and --resume" {
	a=$(printf 'a%.0s' $(seq 1000))
	b=$(printf 'b%.0s' $(seq 4100))
	named "$a" short "$b" "$a" $'x\377' 'x\xff' short "$b" "$a"
	sim() { trace-sim -q -g rtx3070 -F ${form:-msgpack} -s gpu_sim_cycle,gpu_ipc --isolate -f "$@" named; }
	for with in "" --reuse; do
		sim $with -o full
		[ "$(grep -ao "$a" full | wc -l)" = 1 ]
		[ "$(grep -ao "$b" full | wc -l)" = 2 ]
		sim $with -j 3 | cmp full
		trace-sim -q -g rtx3070 -F json -s gpu_sim_cycle,gpu_ipc --isolate $with named >plain.json
		stats-csv --names mangled -F tsv plain.json | cut -f3- >plain
		stats-csv --names mangled -F tsv full | cut -f3- | cmp - plain
		size=$(wc -c <full)
		for at in $(seq $((size / 20)) $((size / 20)) "$size"); do
			rm -f out
			head -c "$at" full >out.part
			sim $with --resume -j 2 -o out
			cmp out full
		done
	done
	for form in json text; do
		sim --reuse -o full
		for n in 3 6; do
			rm -f out
			head -c $(($(wc -c <full) * n / 9)) full >out.part
			sim --reuse --resume -o out
			cmp out full
		done
	done
}
