#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-pick: each method, option and exit status; valid and invalid picks files in the programs that read them.

bats_require_minimum_version 1.5.0
load helper

METHODS='stem sieve photon pka random all'

setup_file() {
	load helper
	trace-pack -q -o "$BATS_FILE_TMPDIR/app.tpack" "$(trace launches)"
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	app=$(trace launches)
	packed=$BATS_FILE_TMPDIR/app.tpack
}

# Prints the kernels, the sum of weights and the kernels in strata.
sums() { awk '/^stratum/ { k += $3 } /^[0-9]/ { n++; w += $2 } END { printf "%d %.3f %d\n", n, w, k }' "$1"; }

@test "-h and --version print to stdout, and usage errors have status 2" {
	run -0 trace-pick -h
	for m in $METHODS; do assert_output --partial "$m: "; done
	run -0 trace-pick --version
	for bad in "-m median" "-e 5" "-e x%" "-e 0%" "-e 101%" "-n 0" "--seed x" "-j 65" "-m all -n 3" "--sed 1"; do
		# shellcheck disable=SC2086
		run -2 trace-pick $bad "$app"
		assert_output --regexp '(invalid|unknown|trace-pick)'
	done
	run -2 trace-pick "$app" "$app"
	run -2 trace-pick nothing
	touch picks
	run -2 trace-pick -o picks "$app"
	run -0 trace-pick -f -o picks "$app"
}

@test "strata contain each kernel once, and count weights add up to the number of kernels" {
	for m in $METHODS; do
		trace-pick -m $m "$app" >$m
		read -r n w k < <(sums $m)
		[ "$k" -eq 40 ] || { echo "$m: $k kernels in strata"; return 1; }
		[ "$n" -ge 1 ] && [ "$n" -le 40 ]
		case $m in
		pka | random | all) [ "$w" = 40.000 ] || { echo "$m: weights $w"; return 1; } ;;
		esac
	done
	[ "$(sums all)" = "40 40.000 40" ]
}

@test "sizes times weights of a stratum add up to its instructions" {
	trace-pick -m sieve "$app" >picks
	trace-pack -l "$packed" | awk 'NR > 1 && $1 ~ /^[0-9]+$/ && NF > 5 { s += $4 } END { print s }' >all
	awk '/^[0-9]/ { s += $2 * $4 } END { printf "%.0f\n", s }' picks | cmp - all
}

@test "text, list, packed stream and pipe give the same bytes for any number of threads" {
	for m in $METHODS; do
		trace-pick -m $m "$app" >a
		trace-pick -m $m -j 3 "$app/kernelslist.g" | cmp - a
		trace-pick -m $m -j 2 "$packed" | cmp - a
		trace-pick -m $m -j 2 <"$packed" | cmp - a
		trace-pack -q "$app" | trace-pick -m $m | cmp - a
	done
}

@test "the directory of a packed stream gives the same picks as its kernels" {
	many=$(trace launches -n 50)
	trace-pack -q -o many.tpack "$many"
	[ "$(od -An -tu1 -j7 -N1 many.tpack | tr -d ' ')" = 102 ]
	[ "$(od -An -tu1 -j7 -N1 "$packed" | tr -d ' ')" = 98 ]
	for m in $METHODS; do
		trace-pick -m $m "$many" >a
		trace-pick -m $m -j 2 many.tpack | cmp - a
	done
	trace-pick -m pka <many.tpack >b
	trace-pick -m pka many.tpack | cmp - b
	# If blocks are damaged, methods that read blocks fail, and methods that read only the directory work.
	cp many.tpack bad.tpack
	printf 'damaged' | dd of=bad.tpack bs=1 seek=$(($(wc -c <bad.tpack) / 2)) conv=notrunc status=none
	run -2 trace-pick -m photon bad.tpack
	trace-pick -m photon many.tpack >/dev/null
	# A packed stream of picks contains the picks before the directory.
	trace-pick -m all many.tpack >picks
	trace-pack -q -k @picks -o part.tpack many.tpack
	[ "$(od -An -tu1 -j7 -N1 part.tpack | tr -d ' ')" = 103 ]
	trace-pick -m all part.tpack | cmp - picks
	trace-pack -t part.tpack
}

@test "marks of the tracer are not counted as instructions in text, packed kernels and the directory" {
	plain=$(trace launches -n 50)
	cp -r "$plain" marked
	for k in marked/*.traceg; do
		awk '/^insts = / { $3 += 2; print; print "0000 ffffffff 0 REPLAY_START 0 0 0 "
			print "0000 000000ff 0 REPLAY_END 0 0 0 "; next } { print }' "$k" >k
		mv k "$k"
	done
	trace-pack -q -o plain.tpack "$plain"
	trace-pack -q -o marked.tpack marked
	[ "$(od -An -tu1 -j7 -N1 marked.tpack | tr -d ' ')" = 102 ]
	for m in pka all; do # counts of all kinds; instructions alone
		trace-pick -m $m "$plain" >a
		trace-pick -m $m marked | cmp - a
		trace-pick -m $m marked.tpack | cmp - a
		trace-pick -m $m <marked.tpack | cmp - a
	done
	trace-pack -l plain.tpack | awk 'NF > 5 { print $1, $4 }' >a
	trace-pack -l marked.tpack | awk 'NF > 5 { print $1, $4 }' | cmp - a
	[ "$(trace-pack -d -o - marked.tpack | grep -c REPLAY)" -gt 0 ]
	trace-lint "$plain" | tail -1 | grep -o '([0-9]* instructions)' >a
	trace-lint marked | tail -1 | grep -o '([0-9]* instructions)' | cmp - a
}

@test "seeds give different picks, -n is respected, a smaller error picks more, --one picks one a stratum" {
	trace-pick -m random -n 5 "$app" >a
	trace-pick -m random -n 5 --seed 2 "$app" >b
	! cmp -s a b
	for n in 1 2 3 7; do
		trace-pick -n $n "$app" >a
		[ "$(sums a | cut -d' ' -f1)" -le $n ]
		[ "$(sums a | cut -d' ' -f3)" -eq 40 ]
	done
	trace-pick -e 1% "$app" >a
	trace-pick -e 30% "$app" >b
	[ "$(sums a | cut -d' ' -f1)" -gt "$(sums b | cut -d' ' -f1)" ]
	trace-pick --one "$app" >a
	[ "$(grep -c ^stratum a)" -eq "$(grep -c '^[0-9]' a)" ]
}

@test "kernels of different streams are kept apart" {
	d=$(trace streams)
	trace-pick -m random "$d" >a
	trace-pick -m random --per-stream "$d" >b
	[ "$(grep -c ^stratum a)" -eq 1 ]
	[ "$(grep -c ^stratum b)" -eq 2 ]
}

@test "times come from an estimate, a stats-csv table, or Nsight tables" {
	d=$(trace streams)
	trace-pick -m stem --times auto "$app" >auto
	trace-pick "$packed" | cmp - auto
	trace-sim -q -g rtx3070 -F json "$d" | stats-csv -s gpu_sim_cycle >t.csv
	run -0 trace-pick -m stem --times t.csv "$d"
	assert_output --partial 'method=stem'
	printf '%s\n' '"Start (ns)","Duration (ns)","GrdX","Name"' '1,500,,"[CUDA memcpy HtoD]"' '2,100,6,"write(int)"' \
		'3,101,6,write' '4,200,6,read' '5,200,6,read' >nsys.csv
	run -0 trace-pick -m stem --times nsys.csv "$d"
	assert_output --regexp '[0-9]+ [0-9.]+ [0-9]+ 100 '
	printf '%s\n' '==PROF== Connected' '"ID","Kernel Name","gpu__time_duration.sum"' '"","","ns"' '"0","write","1,000"' \
		'"1","write","1,100"' '"2","read","5"' '"3","read","6"' >ncu.csv
	run -0 trace-pick -m stem -e 1% --times ncu.csv "$d"
	assert_output --regexp ' 1000 '
	printf '%s\n' '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"' '0,w,Duration,ns,7' '0,w,SM Frequency,hz,1' \
		'1,w,Duration,ns,7' '2,r,Duration,ns,8' '3,r,Duration,ns,8' >long.csv
	run -0 trace-pick -m stem --times long.csv "$d"
	sed -i '$d' nsys.csv
	run -2 trace-pick -m stem --times nsys.csv "$d"
	assert_output --partial "times of 3 kernels (expected 4, the kernels of the list)"
	printf '%s\n' 'Name,Duration' 'a,1' 'b,x' >bad.csv
	run -2 trace-pick -m stem --times bad.csv "$d"
	assert_output --partial "bad.csv:3: error: invalid time 'x' (expected a number above 0)"
	run -2 trace-pick -m stem --times "$d/kernelslist.g" "$d"
	assert_output --partial 'no column of times'
	trace-pick --times t.csv "$d" >a
	trace-pick --times - "$d" <t.csv | cmp - a
	run -2 sh -c "trace-pick --times - - <'$packed'"
	assert_output --partial 'standard input is named twice'
}

@test "damage is reported with the first bad kernel" {
	cp -r "$app" bad
	sed -i '0,/LDG/s/LDG.*/LDG/' bad/kernel-9.traceg bad/kernel-2.traceg
	run -2 trace-pick -j 3 bad
	assert_output --partial 'bad/kernel-2.traceg:'
}

@test "trace-sim, trace-pack and stats-csv accept picks" {
	trace-pick -n 6 -o picks "$app"
	trace-sim -q -g rtx3070 -F json -k @picks "$app" >a.json
	stats-csv -s gpu_sim_cycle a.json | tail -n +2 | wc -l >n
	tail -n +2 a.json >a.kernels # the run's own record says how it was asked for
	grep '"record":"kernel"' a.json >a.warm # the end record also counts the kernels after the last pick
	[ "$(cat n)" -eq "$(grep -c '^[0-9]' picks)" ]
	k=$(awk '/^[0-9]/ { print $1 }' picks | paste -sd,)
	trace-sim -q -g rtx3070 -F json --warm -k "$k" "$app" | grep '"record":"kernel"' | cmp - a.warm
	trace-sim -q -g rtx3070 -F json -k @picks "$packed" | tail -n +2 | cmp - a.kernels
	trace-sim -q -g rtx3070 -F json -k @- "$app" <picks | tail -n +2 | cmp - a.kernels
	trace-pack -q -k @picks "$app" >a.tpack
	trace-pack -q -k @picks "$packed" >b.tpack
	cmp a.tpack b.tpack
	trace-sim -q -g rtx3070 "$app" -F json >all.json
	stats-csv -k @picks -s gpu_sim_cycle all.json >c.csv
	[ "$(tail -n +2 c.csv | wc -l)" -eq "$(cat n)" ]
}

# Prints a picks file for the application with a valid first line and the given lines.
picks() {
	head -1 good
	printf '%s\n' "$@"
}
refused() {
	local want=$1
	shift
	picks "$@" >bad
	run -2 trace-sim -q -g rtx3070 -k @bad "$app"
	assert_output --partial "$want"
}

@test "invalid picks are rejected with their place" {
	trace-pick "$app" >good
	refused "bad:3:1: error: unexpected '41' (expected the position of a kernel" 'stratum 1 40' '41 1 1'
	refused "bad:3:1: error: unexpected '0'" 'stratum 1 40' '0 1 1'
	refused "bad:3:3: error: unexpected 'heavy' (expected a weight" 'stratum 1 40' '1 heavy 1'
	for w in nan inf -1 0 1e999 0x1 ""; do refused 'expected a weight' 'stratum 1 40' "1 $w"; done
	refused "bad:3:5: error: unexpected '2' (expected a stratum of an earlier line" 'stratum 1 40' '1 1 2'
	refused "bad:3:7: error: unexpected 'x' (expected a size" 'stratum 1 40' '1 1 1 x'
	for s in 0 -1 x inf "" ; do refused 'expected a spread, a number above 0' "stratum 1 40 spread=$s"; done
	refused 'expected positions in ascending order' 'stratum 1 40' '2 1 1' '1 1 1'
	refused 'stratum 2 of 1 kernels has no pick' 'stratum 1 39' 'stratum 2 1' '1 1 1'
	refused '2 picks in stratum 1, which has only 1' 'stratum 1 1' '1 1 1' '2 1 1'
	refused "expected at most the application's 40" 'stratum 1 30' 'stratum 2 30' '1 1 1' '2 1 2'
	refused 'strata numbered 1, 2, 3' 'stratum 2 1'
	refused 'file has no pick' 'stratum 1 40'
	printf 'hello\n' >bad
	run -2 trace-sim -q -g rtx3070 -k @bad "$app"
	assert_output --partial "bad:1:1: error: unexpected 'hello' (expected 'picks 1"
	sed 1s/picks.1/picks\ 3/ good >bad
	run -2 trace-pack -k @bad "$app"
	assert_output --partial 'expected picks file version 1'
	sed '1s/list=[0-9a-f]*/list=12/' good >bad
	run -2 trace-pack -k @bad "$app"
	assert_output --partial '32 hexadecimal digits'
	: >bad
	run -2 trace-pack -k @bad "$app"
	assert_output --partial 'expected picks'
	run -2 trace-sim -q -g rtx3070 -k @missing "$app"
}

@test "picks of another list are rejected" {
	trace-pick "$app" >picks
	cp -r "$app" other
	sed -i 1d other/kernelslist.g
	run -2 trace-sim -q -g rtx3070 -k @picks other
	assert_output --partial 'the picks were made for a list of 40 kernels (this one has 39)'
	echo kernel-1.traceg >>other/kernelslist.g
	run -2 trace-sim -q -g rtx3070 -k @picks other
	assert_output --partial 'the picks were made for another kernel list'
	trace-pack -q other >other.tpack
	for t in other other.tpack; do
		run -2 trace-pack -k @picks $t
		assert_output --partial 'the picks were made for another kernel list'
	done
	run -2 trace-pack -l -k @picks other.tpack
}

# Prints one cell of a table of one row.
cell() { tr -d '\r' | awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i } NR == 2 { print $c }'; }

@test "with all kernels picked, totals equal the run and intervals have no width" {
	trace-pick -m all -o picks "$app"
	trace-sim -q -g rtx3070 -F json "$app" >a.json
	stats-csv --weights picks -s gpu_sim_cycle,gpu_ipc,L2_total_cache_misses a.json >w.csv
	stats-csv --group run -s gpu_sim_cycle,gpu_ipc,L2_total_cache_misses a.json >g.csv
	for f in gpu_sim_cycle gpu_ipc L2_total_cache_misses; do
		[ "$(cell $f <w.csv)" = "$(cell $f.sum <g.csv)" ] || { cat w.csv g.csv; return 1; }
		[ "$(cell $f.low <w.csv)" = "$(cell $f <w.csv)" ]
		[ "$(cell $f.high <w.csv)" = "$(cell $f <w.csv)" ]
	done
	[ "$(cell kernels <w.csv)" = 40 ] && [ "$(cell picked <w.csv)" = 40 ]
	stats-csv --agg mean --weights picks -s gpu_sim_cycle a.json | cell gpu_sim_cycle.mean >mean
	awk -v total="$(cell gpu_sim_cycle <w.csv)" '{ d = $1 * 40 / total - 1; exit !(d * d < 1e-18) }' mean
}

@test "an estimate from two strata, their variances and a rate equals a computation by hand" {
	printf '%s\n' 'picks 1 list=00000000000000000000000000000000 kernels=30' 'stratum 1 20' 'stratum 2 10' '1 10 1 1' \
		'2 10 1 1' '3 5 2 2' '4 5 2 1' >picks
	{
		echo '{"record":"run","tool":"trace-sim","version":"0","config":{}}'
		i=0
		for v in '100 50' '110 70' '200 20' '100 30'; do
			i=$((i + 1))
			# shellcheck disable=SC2086
			printf '{"record":"kernel","position":%d,"name":"k","id":%d,"stats":{"gpu_sim_cycle":%d,"gpu_sim_insn":%d,"gpu_ipc":1}}\n' $i $i $v
		done
		echo '{"record":"end","status":"complete","stats":{"warmed_kernels":26}}'
	} >a.json
	stats-csv -q --weights picks -s gpu_sim_cycle,gpu_ipc a.json >w.csv
	# The estimate is 10 (100 + 110) + 5 (200 + 100). The first stratum has the variance 10^2 2 (1 - 2/20) 50, the second one,
	# weighted by sizes, none: one degree of freedom.
	awk -v v="$(cell gpu_sim_cycle <w.csv)" -v h="$(cell gpu_sim_cycle.high <w.csv)" 'BEGIN {
		d = h - v - 12.706 * sqrt(9000)
		exit !(v == 3600 && d * d < 1e-9)
	}' || { cat w.csv; return 1; }
	# An expected spread counts as one more pick, with the square of spread times mean (105, 150). Small ones change nothing.
	sed '/^stratum 1/s/$/ spread=1 name/; /^stratum 2/s/$/ spread=2/' picks >spread
	stats-csv -q --weights spread -s gpu_sim_cycle a.json >s.csv
	awk -v v="$(cell gpu_sim_cycle <s.csv)" -v h="$(cell gpu_sim_cycle.high <s.csv)" 'BEGIN {
		a = 180 * (50 + 105 ^ 2) / 2
		b = 25 * 2 * 0.8 * (2 * 150) ^ 2 / 2
		freedom = (a + b) ^ 2 / (a ^ 2 / 2 + b ^ 2 / 2)
		t = freedom < 3 ? 4.303 + (3.182 - 4.303) * (freedom - 2) : 3.182 + (2.776 - 3.182) * (freedom - 3)
		d = h - v - t * sqrt(a + b)
		exit !(v == 3600 && d * d < 1e-9)
	}' || { cat s.csv; return 1; }
	[ "$(cell gpu_sim_cycle.low <s.csv)" = 0 ]
	sed '/^stratum/s/$/ spread=1e-9/' picks >spread
	stats-csv -q --weights spread -s gpu_sim_cycle,gpu_ipc a.json | cmp - w.csv
	awk -v v="$(cell gpu_ipc <w.csv)" 'BEGIN { d = v - 1450 / 3600; exit !(d * d < 1e-18) }'
	sed -i 's/"position":4/"position":5/' a.json
	run -2 stats-csv -q --weights picks -s gpu_sim_cycle a.json
	assert_output --partial 'the run lacks kernel 4, which picks picks'
	for bad in "--per run" --long "--group id" --running "-k 1" "-e x=1" "--agg max"; do
		# shellcheck disable=SC2086
		run -2 stats-csv --weights picks $bad a.json
		assert_output --partial '--weights '
	done
	run -2 stats-csv --weights a.json a.json
	assert_output --partial "expected 'picks 1"
}

@test "an estimate with regression on L2 misses equals a computation by hand" {
	printf '%s\n' 'picks 1 list=00000000000000000000000000000000 kernels=21' 'stratum 1 1' 'stratum 2 20' '1 1 1 1' \
		'2 5 2 1' '3 5 2 1' '4 5 2 1' '5 5 2 1' >picks
	{
		echo '{"record":"run","tool":"trace-sim","version":"0","config":{}}'
		i=0
		for v in '200 5 100' '100 0 50' '110 0 10' '100 0 60' '160 3 10'; do
			i=$((i + 1))
			printf '{"record":"kernel","position":%d,"name":"k","id":%d,"stats":{%s:%d,%s:%d,%s:%d}}\n' $i $i \
				'"gpu_sim_cycle"' "${v%% *}" '"L2_total_cache_misses"' "$(echo "$v" | cut -d' ' -f2)" '"gpu_sim_insn"' "${v##* }"
		done
		printf '{"record":"end","status":"complete","stats":{"warmed_kernels":16%s,"warmed_L2_misses":30}}\n' \
			',"warmed_kernels_with_L2_misses":6'
	} >a.json
	# Without the regression the estimate is 200 + 5 * 470. The picks stand for 1 + 5 of the 8 kernels with misses.
	stats-csv -q --weights picks -s gpu_sim_cycle a.json >r.csv
	awk -v v="$(cell gpu_sim_cycle <r.csv)" -v h="$(cell gpu_sim_cycle.high <r.csv)" 'BEGIN {
		slope = (0.25 * (17.5 + 7.5 + 17.5) + 0.75 * 42.5 + 0.75 * 82.5) / (3 * 0.25 ^ 2 + 2 * 0.75 ^ 2)
		y[1] = 100; y[2] = 110; y[3] = 100; y[4] = 160 - slope
		for (i in y)
			mean += y[i] / 4
		for (i in y)
			squares += (y[i] - mean) ^ 2
		# The variance of the slope: squared products of the deviations of rest and misses, over five picks.
		for (i = 1; i <= 3; i++)
			rest += (0.25 * (y[i] - mean)) ^ 2
		rest += (0.75 * (y[4] - mean)) ^ 2 + (0.75 * (200 - slope - mean)) ^ 2
		a = 5 * 5 * 4 * (1 - 4 / 20) * squares / 3
		b = rest * 5 / 4 * (2 / (3 * 0.25 ^ 2 + 2 * 0.75 ^ 2)) ^ 2
		freedom = (a + b) ^ 2 / (a ^ 2 / 3 + b ^ 2 / 4)
		t = freedom < 4 ? 3.182 + (2.776 - 3.182) * (freedom - 3) : 2.776 + (2.571 - 2.776) * (freedom - 4)
		d = v - (2550 + 2 * slope)
		e = h - v - t * sqrt(a + b)
		exit !(d * d < 1e-9 && e * e < 1e-9)
	}' || { cat r.csv; return 1; }
	# The number of instructions does not depend on misses, and is estimated without the regression.
	stats-csv -q --weights picks -s gpu_sim_insn a.json >i.csv
	sed 's/,"warmed_kernels_with_L2_misses":6//' a.json >none.json
	stats-csv -q --weights picks -s gpu_sim_insn none.json >j.csv
	diff <(tail -n 1 i.csv | cut -d, -f2-) <(tail -n 1 j.csv | cut -d, -f2-)
	[ "$(cell gpu_sim_insn <i.csv)" = 750 ]
	# L2 misses themselves are counted in all kernels, and have no interval.
	[ "$(stats-csv -q --weights picks -s L2_total_cache_misses a.json | cell L2_total_cache_misses)" = 38 ]
	# There is no regression if the kernels were not counted, if the slope is small against its deviation, if no kernel has
	# misses, if no completely picked kernel differs, and for a part of the list.
	sed 's/,"warmed_kernels_with_L2_misses":6//' a.json >none.json
	[ "$(stats-csv -q --weights picks -s gpu_sim_cycle none.json | cell gpu_sim_cycle)" = 2550 ]
	sed 's/"L2_total_cache_misses":5/"L2_total_cache_misses":0/' a.json >same.json
	[ "$(stats-csv -q --weights picks -s gpu_sim_cycle same.json | cell gpu_sim_cycle)" = 2550 ]
	sed 's/"L2_total_cache_misses":3/"L2_total_cache_misses":0/' same.json >never.json
	[ "$(stats-csv -q --weights picks -s gpu_sim_cycle never.json | cell gpu_sim_cycle)" = 2550 ]
	sed 's/"position":1,"name":"k"/"position":1,"name":"other"/' a.json >other.json
	[ "$(stats-csv -q --weights picks -s gpu_sim_cycle other.json | cell gpu_sim_cycle)" = 2550 ]
	sed '1s/^picks 1\(.*\)$/picks 2\1 of=30 part=21/' picks >part
	[ "$(stats-csv -q --weights part -s gpu_sim_cycle a.json | cell gpu_sim_cycle)" = 2550 ]
	run -0 stats-diff -q --weights picks -s gpu_sim_cycle a.json a.json
}

@test "an archive of picks contains their weights" {
	trace-pick -e 1% -o picks "$app"
	trace-pack -q -k @picks -o small.tpack "$app"
	trace-pack -q -k @picks "$packed" | cmp - small.tpack
	trace-pack -q -k @picks <"$packed" | cmp - small.tpack
	trace-pack -q small.tpack | cmp - small.tpack
	trace-pack -t small.tpack
	trace-pack -t - <small.tpack
	trace-pack -l small.tpack
	trace-sim -q -g rtx3070 -F json --cold -k @picks "$app" >a.json
	trace-sim -q -g rtx3070 -F json small.tpack >b.json
	trace-sim -q -g rtx3070 -F json <small.tpack >c.json
	stats-diff -q b.json c.json
	trace-sim -q -g rtx3070 -F json -k @small.tpack small.tpack >c.json
	stats-diff -q b.json c.json
	for f in "picks a.json" "small.tpack b.json"; do
		# shellcheck disable=SC2086
		set -- $f
		stats-csv --weights $1 -s gpu_sim_cycle,gpu_ipc --agg sum,mean $2 | cut -d, -f2-
	done | sort | uniq -c | awk '$1 != 2 { bad = 1 } END { exit bad }'
	run -2 stats-csv --weights "$packed" b.json
	assert_output --partial 'packed stream has no picks'
	run -2 trace-sim -q -g rtx3070 -k @small.tpack "$app"
	assert_output --partial 'the picks were made for a list of'
	trace-pack -d -C out small.tpack
	[ "$(ls out | wc -l)" -eq $(($(grep -c '^[0-9]' picks) + 1)) ]
	# A changed byte of the index is damage.
	head -c -40 small.tpack >bad.tpack
	printf x >>bad.tpack
	tail -c 39 small.tpack >>bad.tpack
	run -2 stats-csv --weights bad.tpack b.json
}

@test "examples/pick prints a table of estimates and whole runs; a stopped run continues" {
	run -0 sh "$ROOT/examples/pick" -t -o ex "$app" rtx3070 rtx3070,gpgpu_l1_latency=100
	assert_line --regexp '^rtx3070: [+-][0-9]+\.[0-9]+ %, interval (holds|misses) the truth$'
	awk -F '\t' 'NR > 1 { n++; e = $2 / $5 - 1; if (e > 0.1 || e < -0.1 || $3 > $2 || $4 < $2) exit 1 } END { exit n != 2 }' ex.tsv
	cp ex.tsv before
	touch -d '2001-01-01' ex.rtx3070.whole.json
	run -0 sh "$ROOT/examples/pick" -t -o ex "$app" rtx3070 rtx3070,gpgpu_l1_latency=100
	cmp ex.tsv before
	[ "$(find ex.rtx3070.whole.json -newer "$app/kernelslist.g")" = "" ]
	run -0 sh "$ROOT/examples/pick" -k -o cold "$app" rtx3070
	[ -s cold.tpack ]
	run -2 sh "$ROOT/examples/pick" "$app"
}

@test "a single pick for several kernels has no interval" {
	trace-pick --one -o picks "$app"
	trace-sim -q -g rtx3070 -F json -k @picks "$app" >a.json
	stats-csv --weights picks -s gpu_sim_cycle a.json >w.csv
	[ -n "$(cell gpu_sim_cycle <w.csv)" ] && [ -z "$(cell gpu_sim_cycle.low <w.csv)" ]
}

@test "a run of picks is read only with its own picks" {
	trace-pick -e 5% -o picks "$app"
	trace-sim -q -g rtx3070 -F json -k @picks -o a.json "$app"
	grep -q '"given":{[^}]*"kernels":"@picks","picks":"[0-9a-f]\{32\}"' a.json
	sed '/^#/d; s/method=[a-z]* //' picks >plain
	stats-csv --weights plain -s gpu_sim_cycle a.json | cmp - <(stats-csv --weights picks -s gpu_sim_cycle a.json)
	trace-sim -q -g rtx3070 -F msgpack -k @picks -o a.msgpack "$app"
	stats-diff -q --weights picks a.json a.msgpack
	# With other weights, or fewer kernels in a stratum, the run kernels are the same but represent others.
	awk '/^[0-9]/ && !n++ { $2 *= 1.5 } 1' picks >heavier
	awk '/^stratum/ && $3 > 5 && !n++ { $3-- } 1' picks >fewer
	for other in heavier fewer; do
		! cmp -s picks $other
		run -2 stats-csv --weights $other a.json
		assert_output --partial "a.json: error: the run used picks other than $other"
		run -2 stats-diff --weights $other a.json a.msgpack
		assert_output --partial "a.json: error: the run used picks other than $other"
	done
	# A run of all kernels does not record its picks.
	trace-sim -q -g rtx3070 -F json -o all.json "$app"
	stats-csv --weights heavier all.json >/dev/null
}

@test "--warm counts the L2 misses of skipped kernels" {
	trace-pick --one -o picks "$app"
	n=$(grep -c '^[0-9]' picks)
	for flush in 0 1; do
		set -- -f -q -g rtx3070 -F json -D gpgpu_flush_l1_cache=$flush
		trace-sim "$@" -o all.json "$app"
		trace-sim "$@" -k @picks -o part.json "$app"
		trace-sim "$@" --warm -k @picks "$app" | cmp - part.json
		trace-sim "$@" --cold -k @picks -o cold.json "$app"
		tail -n 1 part.json | grep -q "\"warmed_kernels\":$((40 - n)),"
		# The picks with L2 misses and the other kernels with L2 misses add up to those of the whole run.
		stats-csv -q -s L2_total_cache_misses -F tsv all.json >all.tsv
		stats-csv -q -s L2_total_cache_misses -F tsv part.json >part.tsv
		others=$(tail -n 1 part.json | sed -n 's/.*"warmed_kernels_with_L2_misses":\([0-9]*\).*/\1/p')
		missed() { awk -F '\t' 'NR > 1 && $NF > 0 { n++ } END { print n + 0 }' "$1"; }
		[ $(($(missed part.tsv) + ${others:-0})) -eq "$(missed all.tsv)" ]
		! grep -q warmed cold.json all.json
		for f in L2_total_cache_misses dram_read_bytes; do
			all=$(stats-csv -q --per run -s $f all.json | cell $f)
			part=$(stats-csv --weights picks -s $f part.json | cell $f)
			cold=$(stats-csv --weights picks -s $f cold.json | cell $f)
			awk -v a="$all" -v p="$part" -v c="$cold" 'BEGIN { exit !(p > 0.95 * a && p < 1.05 * a && (c < 0.8 * a || c > 1.2 * a)) }' ||
				{ echo "$f: $part of $all, cold $cold"; return 1; }
		done
	done
	stats-csv --weights picks -s L2_total_cache_miss_rate,L2_total_cache_misses,L2_total_cache_accesses part.json >t.csv
	awk -v r="$(cell L2_total_cache_miss_rate <t.csv)" -v m="$(cell L2_total_cache_misses <t.csv)" \
		-v a="$(cell L2_total_cache_accesses <t.csv)" 'BEGIN { d = r - m / a; exit !(d < 1e-6 && d > -1e-6) }'
	# If a run lacks kernels of the application, the picks represent those, too, and no misses are counted.
	trace-pack -q -k @picks -o small.tpack "$app"
	trace-sim -q -g rtx3070 -F json -k @small.tpack -o small.json small.tpack
	! grep -q warmed small.json
	run -0 stats-diff -q --weights picks -s L2_total_cache_misses part.json part.json
	run -1 stats-diff --weights picks -s L2_total_cache_misses cold.json part.json
	assert_line --regexp "L2_total_cache_misses .*$(stats-csv --weights picks -s L2_total_cache_misses part.json | cell L2_total_cache_misses)"
}

@test "stats-diff of two runs of picks shows differences beyond the error" {
	trace-pick -e 1% -o picks "$app"
	trace-sim -q -g rtx3070 -F json -k @picks "$app" >a.json
	trace-sim -q -g rtx3070 -D gpgpu_l1_latency=200 -F json -k @picks "$app" >b.json
	run -0 stats-diff --weights picks a.json a.json
	assert_output --partial '0 outside'
	run -1 stats-diff --weights picks -s gpu_sim_cycle a.json b.json
	assert_line --regexp 'gpu_sim_cycle .*\+[0-9.]+% +[0-9.]+%'
	run -0 stats-diff --weights picks -s gpu_sim_cycle -T 90% a.json b.json
	run -1 stats-diff --weights picks -F json -s gpu_sim_cycle a.json b.json
	assert_line --regexp '^[{]"name":"gpu_sim_cycle","a":.*"outside":true[}]$'
	run -1 stats-diff --weights picks -F markdown -s gpu_sim_cycle a.json b.json
	assert_line --partial '| gpu_sim_cycle |'
	run -2 stats-diff --weights picks --summary a.json b.json
	run -2 stats-diff --weights picks -k 1 a.json b.json
	trace-sim -q -g rtx3070 -F json -k 1 "$app" >c.json
	run -2 stats-diff --weights picks a.json c.json
	assert_output --partial 'which picks picks'
}

@test "cold caches extend the interval downwards" {
	trace-pick -o picks "$app"
	set -- -f -q -g rtx3070 -F json -k @picks
	trace-sim "$@" -o warm.json "$app"
	trace-sim "$@" --cold -o cold.json "$app"
	trace-sim "$@" --cold -s gpu_sim_cycle -o few.json "$app"
	trace-sim "$@" -s gpu_sim_cycle,L2_total_cache_misses -o chosen.json "$app"
	trace-sim "$@" --isolate -o apart.json "$app"
	! grep -q '"warm":' cold.json apart.json
	for t in warm cold few apart chosen; do
		stats-csv --weights picks -s gpu_sim_cycle -F tsv $t.json | awk 'NR == 2 { print $4, $5, $6 }' >$t
	done
	# The interval of the sample alone is symmetric around the estimate.
	awk 'NF != 3 || ($1 - $2) / ($3 - $1) > 1.000001 { exit 1 }' warm
	awk 'NF != 3 || ($1 - $2) / ($3 - $1) < 1.1 { exit 1 }' cold
	cmp warm chosen
	# Without the misses the effect of cold caches is unknown.
	[ "$(wc -w <few)" -eq 1 ]
	awk 'NF != 3 || ($1 - $2) / ($3 - $1) < 1.1 { exit 1 }' apart
}

@test "--interval records contain figures of the whole GPU" {
	trace-sim -q -g rtx3070 -F json --interval 2000 -k 3 "$app" | grep '"record":"interval"' >few
	trace-sim -q -g rtx3070 -F json --interval 2000 --all-figures -k 3 "$app" | grep '"record":"interval"' >all
	[ "$(wc -l <few)" -eq "$(wc -l <all)" ]
	awk 'length($0) > 8000 { exit 1 }' few
	[ "$(wc -c <all)" -gt $((5 * $(wc -c <few))) ]
	grep -q 'dram\[[0-9]' all || grep -q '\[[0-9]*\]\[' all
}

@test "--warm: a kernel run alone finds the L2 contents of its predecessors" {
	trace-sim -q -g rtx3070 -F json "$app" >all.json
	trace-sim -q -g rtx3070 -F json -k 5-7,20 "$app" >cold.json
	trace-sim -q -g rtx3070 -F json --warm -k 5-7,20 "$app" >warm.json
	for t in all cold warm; do
		stats-csv -q -k 5 -s L2_total_cache_misses $t.json | tr -d '\r' | awk -F, 'END { print $NF }' >$t
	done
	[ "$(cat cold)" -gt "$(cat all)" ]
	[ "$(cat warm)" -eq "$(cat all)" ]
	stats-diff -q -T 5% -s gpu_sim_cycle,L2_total_cache_accesses -k 5-7,20 all.json warm.json
	run -1 stats-diff -q -T 5% -s gpu_sim_cycle -k 5-7,20 all.json cold.json
	grep -q '"warm":true' warm.json
	trace-sim -q -g rtx3070 -F json --warm -k 5-7,20 "$packed" | cmp - warm.json
	trace-sim -q -j 3 -g rtx3070 -F json --warm -k 5-7,20 "$app" | cmp - warm.json
	trace-sim -q -g rtx3070 -F json --warm -k 1- "$app" >same.json
	stats-diff -q all.json same.json
	# The modern core also fetches code that does not run afterwards.
	trace-sim -q -g h100-pcie -F json "$app" >all.json
	trace-sim -q -g h100-pcie -F json --warm -k 39 "$app" >modern.json
	stats-diff -q -s L2_total_cache_misses -k 39 all.json modern.json
	run -2 trace-sim -q -g rtx3070 --warm "$app"
	assert_output --partial '--warm requires -k'
	for bad in '--cold' '--cold -k 3' '--warm --cold -k @picks'; do
		# shellcheck disable=SC2086
		run -2 trace-sim -q -g rtx3070 $bad "$app"
		assert_output --partial '--cold'
	done
	run -2 trace-sim -q -g rtx3070 --warm -k 3 -D gpgpu_concurrent_kernel_sm=1 "$app"
	assert_output --partial '--warm requires that kernels run one after the other'
	cp -r "$app" bad
	sed -i '0,/LDG/s/LDG.*/LDG/' bad/kernel-5.traceg
	run -2 trace-sim -q -g rtx3070 --warm -k 9 bad
	assert_output --partial 'bad/kernel-5.traceg:'
	trace-sim -q -g rtx3070 --warm -k 4 bad >/dev/null
}

@test "--warm: an L1D keeps the contents of earlier kernels unless it is flushed" {
	for flush in 0 1; do
		set -- -q -g rtx3070 -F json -D gpgpu_flush_l1_cache=$flush
		trace-sim "$@" "$app" >all.json
		trace-sim "$@" -k 20 "$app" >cold.json
		trace-sim "$@" --warm -k 20 "$app" >warm.json
		for t in all cold warm; do
			stats-csv -q -k 20 -s L1D_total_cache_misses $t.json | tr -d '\r' | awk -F, 'END { print $NF }' >$t.$flush
		done
		cmp all.$flush warm.$flush
	done
	[ "$(cat cold.0)" -gt "$(cat all.0)" ]
	[ "$(cat cold.1)" -eq "$(cat all.1)" ]
}

@test "a full disk and a closed pipe are handled" {
	[ -w /dev/full ] || skip "no /dev/full"
	run -2 trace-pick -o /dev/full "$app"
	trace-pick "$app" | head -1 | grep -q '^picks 1 '
}

@test "-k picks from part of a list: weights, totals and positions" {
	n=$(grep -c '^kernel' "$app/kernelslist.g")
	for t in "$app" "$packed"; do
		for m in $METHODS; do
			trace-pick -f -m $m -k 3-12,20 -o p "$t"
			run -0 head -1 p
			assert_output --regexp "^picks 2 list=[0-9a-f]{32} kernels=$n part=11 method=$m"
			assert_equal "$(sums p | cut -d' ' -f3)" 11
			run -0 awk '/^[0-9]/ && !($1 >= 3 && $1 <= 12 || $1 == 20)' p
			assert_output ''
			cp p $m
		done
	done
	trace-pick -k 3-12,20 -j 3 "$app" | cmp - stem
	trace-pick -k 3-12,20 <"$packed" | cmp - stem
	assert_equal "$(sums all)" '11 11.000 11'
	trace-pick "$app" >whole
	trace-pick -k 1- "$app" | sed "s/ -k '1-'//" | cmp - whole
}

@test "-k selects by name as trace-sim -k does" {
	name=$(trace-pack -l -F json "$packed" | sed -n '3s/.*"name":"\([^"]*\)".*/\1/p')
	want=$(trace-pack -l -F json "$packed" | grep -c "\"name\":\"$name\"")
	for t in "$app" "$packed"; do
		trace-pick -m all -k "${name%?}*,1" "$t" >p
		trace-pick -m all -k "$name" "$t" >q
		assert_equal "$(grep -c '^[0-9]' q)" "$want"
		grep -q " part=$want " q
	done
	trace-sim -q -g rtx3070 -F json -s gpu_sim_cycle --isolate -k "$name" "$app" |
		grep -o '"position":[0-9]*' | cut -d: -f2 >positions
	awk '/^[0-9]/ { print $1 }' q | cmp - positions
	run -2 trace-pick -k 'no such name' "$app"
	assert_output --partial "-k selects none of"
	run -2 trace-pick -k 1000 "$app"
	assert_output --partial "-k selects none of"
	run -2 trace-pick -k 0 "$app"
	assert_output --partial "invalid selection '0'"
	run -2 trace-pick -k @q "$app"
	assert_output --partial "-k '@q': picks have weights (expected positions, ranges or name patterns)"
}

@test "picks of a part are rejected for another part and weighted as the part" {
	trace-pick -m all -k 2-5 -o p "$app"
	for part in 2-5 3-6; do
		trace-pack -f -k $part -o part.tpack "$app"
		run -2 trace-sim -q -g rtx3070 -k @p part.tpack
		assert_output "trace-sim: p:1: error: the picks were made for a part of 4 kernels of a list of $(grep -c '^kernel' "$app/kernelslist.g") kernels (this list has 4)"
	done
	trace-sim -q -g rtx3070 -F json -k @p -o run.json "$app"
	run -0 stats-csv --weights p --agg sum,mean -s gpu_sim_insn,L2_total_cache_misses run.json
	assert_line --index 0 --regexp '^run,kernels,picked,'
	assert_line --index 1 --regexp '^run.json,4,4,'
	sum=$(sed -n 2p <<<"$output" | cut -d, -f4)
	mean=$(sed -n 2p <<<"$output" | cut -d, -f7)
	assert_equal "$(awk "BEGIN { print $sum / 4 }")" "$(awk "BEGIN { print $mean + 0 }")"
	want=$(stats-csv -s L2_total_cache_misses --agg sum --group run run.json | tail -1 | cut -d, -f3 | tr -d '\r')
	assert_equal "$(sed -n 2p <<<"$output" | cut -d, -f10 | tr -d '\r')" "$want"
	trace-pick -m all -k 2-6 -o q "$app"
	run -2 stats-csv --weights q run.json
	trace-pack -k @p -o small.tpack "$app"
	trace-sim -q -g rtx3070 -F json -o small.json small.tpack
	run -0 stats-csv --weights small.tpack -s gpu_sim_insn small.json
	assert_line --index 1 --regexp '^small.json,4,4,'
}

@test "times may cover the list or the part" {
	n=$(grep -c '^kernel' "$app/kernelslist.g")
	{ echo gpu_sim_cycle && seq 100 $((99 + n)); } >all.csv
	{ echo gpu_sim_cycle && seq 101 104; } >part.csv
	{ echo gpu_sim_cycle && seq 101 105; } >wrong.csv
	trace-pick -k 2-5 --times all.csv -m stem -o a "$app"
	trace-pick -k 2-5 --times part.csv -m stem -o b "$app"
	cmp a b
	grep -q '^2 [0-9.]* [0-9]* 101 ' a
	run -2 trace-pick -k 2-5 --times wrong.csv "$app"
	assert_output "trace-pick: wrong.csv: error: times of 5 kernels (expected $n for the whole list, or 4 for the selected kernels)"
}

@test "picks files of version 2: settings out of range are rejected" {
	trace-pick -m all -k 2-5 -o p "$app"
	for bad in part=0 part=x part=100000 part=3 missing=0 missing=4 missing=1; do
		sed "1s/part=4/part=4 $bad/" p >bad
		run -2 trace-sim -q -g rtx3070 -k @bad "$app"
		assert_output --regexp '^trace-sim: bad:.*error: '
	done
	sed '1s/picks 2/picks 1/' p >one
	run -0 trace-sim -q -g rtx3070 -F json -s gpu_sim_cycle -k @one "$app"
}
