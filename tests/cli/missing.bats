#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# --skip-missing: lists that name missing kernels, as text and as packed streams.

bats_require_minimum_version 1.5.0
load helper

# The directory of the test contains app and app.tpack. The list of app names 4 kernels, of which 2 and 4 do not exist.
setup() {
	cd "$BATS_TEST_TMPDIR" || return
	whole=$(trace streams)
	cp -r "$whole" app
	rm app/kernel-2.traceg app/kernel-4.traceg
	trace-pack -q --skip-missing -o app.tpack app
}

@test "trace-pack: a missing kernel is an error; with the option, a warning gives the count and the first one" {
	run -2 trace-pack -o x.tpack app
	assert_output 'trace-pack: app/kernel-2.traceg: error: cannot be opened: No such file or directory'
	assert [ ! -e x.tpack ]
	run -0 trace-pack --skip-missing -o x.tpack app
	assert_output 'trace-pack: app/kernelslist.g: warning: 2 of 4 kernels are missing and skipped, the first is kernel 2, kernel-2.traceg'
	cmp x.tpack app.tpack
	run -0 trace-pack -q --skip-missing -o y.tpack app
	assert_output ''
}

@test "trace-pack: a complete list has no marks for missing kernels" {
	trace-pack -q -o a.tpack "$whole"
	run -0 trace-pack --skip-missing -o b.tpack "$whole"
	assert_output ''
	cmp a.tpack b.tpack
	assert_equal "$(od -An -tu1 -j7 -N1 b.tpack)" "$(od -An -tu1 -j7 -N1 a.tpack)"
}

@test "trace-pack: the stream marks missing kernels, and -l and -t show them" {
	assert [ "$(($(od -An -tu1 -j7 -N1 app.tpack) - 2 & 64))" = 64 ]
	run -0 trace-pack -l app.tpack
	assert_line --regexp '^ +1 6,1,1 .* kernel-1.traceg write'
	assert_line --regexp '^ +2 - .* kernel-2.traceg \(missing\)$'
	assert_line --regexp '^ +3 6,1,1 .* kernel-3.traceg read'
	assert_line --regexp '^2 kernels, '
	assert_line '2 more kernels of the list are missing'
	run -0 trace-pack -l -F json app.tpack
	assert_line '{"record":"missing","position":4,"file":"kernel-4.traceg"}'
	assert_line --partial '"kernels":2,"missing":2,'
	run -0 trace-pack -l -k 3-4 app.tpack
	refute_output --partial kernel-2
	assert_line '1 more kernel of the list is missing'
	run -0 trace-pack -tv app.tpack
	assert_line "app.tpack: 2 of the list's kernels are missing"
}

@test "trace-pack: unpacking restores the list byte for byte, from a file and from a pipe" {
	run -0 trace-pack -d -C back app.tpack
	assert_output 'trace-pack: app.tpack: warning: 2 kernels of the list are missing in the packed stream and not written, the first is kernel 2, kernel-2.traceg'
	diff -r app back
	trace-pack -q -d -C pipe <app.tpack
	diff -r app pipe
	trace-pack -q -d -o text app.tpack
	cat app/kernel-[13].traceg | cmp - text
	run -2 trace-pack -d -k 2 -C none app.tpack
	assert_output --partial 'every selected kernel is missing, the first is kernel 2, kernel-2.traceg'
}

@test "trace-pack: unpacking fails if a file has the name of a missing kernel; -f keeps the file" {
	mkdir back && cp "$whole/kernel-1.traceg" back/kernel-4.traceg
	run -2 trace-pack -q -d -C back app.tpack
	assert_output 'trace-pack: back/kernel-4.traceg: error: file exists, but the stream lacks this kernel (-f keeps the file)'
	assert [ ! -e back/kernelslist.g ]
	trace-pack -q -f -d -C back app.tpack
	cmp back/kernel-4.traceg "$whole/kernel-1.traceg"
}

@test "trace-pack: packing a stream again gives the result of packing its list" {
	run -2 trace-pack -o x.tpack app.tpack
	assert_output 'trace-pack: app.tpack: error: kernel 2, kernel-2.traceg, is missing in the packed stream (--skip-missing skips it)'
	trace-pack -q --skip-missing app.tpack | cmp - app.tpack
	trace-pack -q --skip-missing <app.tpack | cmp - app.tpack
	run -0 trace-pack -k 1,3 -o a.tpack app.tpack
	assert_output ''
	trace-pack -k 1,3 -o b.tpack app
	cmp a.tpack b.tpack
	trace-pack -q -f -k 3-4 --skip-missing -o a.tpack app.tpack
	trace-pack -q -f -k 3-4 --skip-missing -o b.tpack app
	cmp a.tpack b.tpack
	run -0 trace-pack -l a.tpack
	assert_line --regexp '^ +1 6,1,1 .* kernel-3.traceg read'
	assert_line --regexp '^ +2 - .* kernel-4.traceg \(missing\)$'
	run -2 trace-pack -k 4 -o c.tpack app
	assert_output --partial 'kernel-4.traceg: error: cannot be opened'
	run -2 trace-pack -k 2,4 --skip-missing -o c.tpack app
	assert_output --partial 'every selected kernel is missing, the first is kernel 2'
	assert [ ! -e c.tpack ]
}

@test "trace-pack: a name pattern keeps missing kernels, because their names are unknown" {
	trace-pack -q -k 'read' --skip-missing -o a.tpack app
	trace-pack -q -k 'read' --skip-missing -o b.tpack app.tpack
	cmp a.tpack b.tpack
	run -0 trace-pack -l a.tpack
	assert_line --regexp '^ +1 - .* kernel-2.traceg \(missing\)$'
	assert_line --regexp '^ +2 6,1,1 .* kernel-3.traceg read'
}

@test "trace-pack: a list whose kernels are all missing keeps its copies" {
	rm app/kernel-*
	for t in app app/kernelslist.g; do
		run -2 trace-pack --skip-missing -o x.tpack $t
		assert_output --partial 'every selected kernel is missing, the first is kernel 1, kernel-1.traceg'
	done
	assert [ ! -e x.tpack ]
	trace-pack -q --skip-missing -o y.tpack -k 1-3 app.tpack
	run -0 --separate-stderr trace-pack -d -C back y.tpack
	assert_equal "$(grep -c Memcpy back/kernelslist.g)" 4
}

@test "trace-pack: an existing but unreadable file is an error" {
	mkdir app/kernel-2.traceg
	run -2 trace-pack --skip-missing -o x.tpack app
	assert_output --partial 'app/kernel-2.traceg: error: '
	rmdir app/kernel-2.traceg
	printf '\037\213\010damaged' >app/kernel-2.traceg
	run -2 trace-pack --skip-missing -o x.tpack app
	assert_output --partial 'app/kernel-2.traceg'
	ln -sf nowhere app/kernel-2.traceg
	trace-pack -q --skip-missing -o x.tpack app
	cmp x.tpack app.tpack
}

@test "trace-pack: a missing kernel may have the name that a compressed kernel gets" {
	xz app/kernel-3.traceg
	sed -i 's/kernel-3.traceg/&.xz/; s/kernel-2.traceg/kernel-3.traceg/' app/kernelslist.g
	run -2 trace-pack -q --skip-missing -o x.tpack app
	assert_output --partial 'two kernel files have the name kernel-3.traceg'
	sed -i 's/kernel-3.traceg$/kernel-2.traceg.xz/' app/kernelslist.g
	trace-pack -q --skip-missing -o x.tpack app
	trace-pack -q -d -C back x.tpack
	sed 's/kernel-3.traceg.xz/kernel-3.traceg/' app/kernelslist.g | cmp - back/kernelslist.g
}

@test "trace-pack: names that lead out of the directory are rejected, also for missing kernels" {
	printf 'kernel-1.traceg\nkernels/../../kernel-9.traceg\n' >app/kernelslist.g
	run -2 trace-pack -q --skip-missing -o x.tpack app
	assert_output --partial "leads out of the directory"
}

@test "trace-pack --group: a raw list may lack a kernel" {
	mkdir raw
	cp "$whole/kernel-1.traceg" raw && printf 'kernel-1.traceg\nkernel-9.traceg\n' >raw/kernelslist
	run -2 trace-pack --group -C out raw
	run -0 trace-pack --group --skip-missing -f -C out raw
	assert_output 'trace-pack: raw/kernelslist: warning: 1 of 2 kernels is missing and skipped, the first is kernel 2, kernel-9.traceg'
	cmp out/kernelslist raw/kernelslist
	cmp out/kernel-1.traceg raw/kernel-1.traceg
}

@test "trace-pack: -k numbers kernels alike in text and stream, also if a list names one twice" {
	printf 'kernel-1.traceg\nkernel-1.traceg\nkernel-3.traceg\n' >app/kernelslist.g
	trace-pack -o twice.tpack app
	trace-pack -k 3 -o a.tpack app
	trace-pack -k 3 -o b.tpack twice.tpack
	cmp a.tpack b.tpack
	run -0 trace-pack -l twice.tpack
	assert_line --regexp '^ +3 6,1,1 .* kernel-3.traceg read'
}

sim() { trace-sim -q -g rtx3070 -F json "$@"; }

# Prints the members of a result that do not depend on how the trace was read.
records() { sed 's/,"path":"[^"]*"//' "$1"; }

@test "trace-sim: a missing kernel is an error; with the option, a warning and a mark" {
	run -2 trace-sim -g rtx3070 app
	assert_output 'trace-sim: app/kernelslist.g:4: error: cannot read kernel file app/kernel-2.traceg: No such file or directory (--skip-missing skips missing kernels)'
	run -2 trace-sim -g rtx3070 app.tpack
	assert_output 'trace-sim: app.tpack:4: error: cannot read kernel file app.tpack/kernel-2.traceg: No such file or directory (--skip-missing skips missing kernels)'
	run -0 --separate-stderr trace-sim -g rtx3070 -F json --skip-missing app
	assert_equal "$stderr" 'trace-sim: app/kernelslist.g:4: warning: 2 of 4 kernels are missing and skipped, the first is kernel 2, kernel-2.traceg'
	assert_line --index 0 --partial '"skipped":{"kernels":2,"positions":"2,4","first":"kernel-2.traceg"}'
	assert_line --index 1 --partial '"record":"kernel","position":1,'
	assert_line --index 2 --partial '"record":"kernel","position":3,'
	run -0 --separate-stderr trace-sim -g rtx3070 --skip-missing "$whole"
	assert_equal "$stderr" ''
	refute_output --partial skipped
}

@test "trace-sim: missing kernels give the same result from text, stream and pipe, with threads, in each format" {
	sim --skip-missing app >want
	for t in app/kernelslist.g app.tpack; do
		sim --skip-missing $t >got
		cmp got want
		sim --skip-missing -j 2 $t >got
		cmp got want
	done
	sim --skip-missing <app.tpack | cmp - want
	(cd app && sim --skip-missing <kernelslist.g) | cmp - want
	trace-sim -q -g rtx3070 -F msgpack --skip-missing app >m
	grep -q 'skipped' m
	run -0 trace-sim -q -g rtx3070 -F text --skip-missing app
	assert_line 'skipped.kernels 2 -'
	assert_line 'skipped.positions 2,4 -'
	run -0 trace-sim -q -g rtx3070 -F accelsim --skip-missing app
	assert_equal "$(grep -c '^kernel_name' <<<"$output")" 2
}

@test "trace-sim: a list with missing kernels runs as if it named only the others, and copies remain" {
	mkdir short && cp app/* short && sed -i '/kernel-[24]/d' short/kernelslist.g
	trace-sim -q -g rtx3070 -F accelsim -D gpgpu_perf_sim_memcpy=1 short >want
	trace-sim -q -g rtx3070 -F accelsim -D gpgpu_perf_sim_memcpy=1 --skip-missing app >got
	cmp got want
}

@test "trace-sim: -k counts positions of the whole list" {
	for t in app app.tpack; do
		run -0 --separate-stderr trace-sim -g rtx3070 -F json -k 3 $t
		assert_equal "$stderr" ''
		assert_line --index 1 --partial '"position":3,'
		refute_output --partial skipped
		run -2 trace-sim -g rtx3070 -k 4 $t
		assert_output --partial 'cannot read kernel file'
		run -0 --separate-stderr trace-sim -g rtx3070 -F json -k 3-4 --skip-missing $t
		assert_line --index 0 --partial '"skipped":{"kernels":1,"positions":"4","first":"kernel-4.traceg"}'
		run -2 trace-sim -g rtx3070 -k 2,4 --skip-missing $t
		assert_line --partial 'error: every selected kernel is missing'
		run -2 trace-sim -g rtx3070 -k read $t
		run -0 sim -k read --skip-missing $t
		assert_line --index 0 --partial '"positions":"2,4"'
		assert_line --index 1 --partial '"position":3,'
		run -2 trace-sim -q -g rtx3070 -k nothing --skip-missing $t
		assert_line --partial "trace-sim: error: -k 'nothing' matches none of 4 kernels"
	done
}

@test "trace-sim: kernels that warm the caches are found before the first cycle" {
	run -2 trace-sim -g rtx3070 -k 3 --warm -o x.json app
	assert_output --partial 'cannot read kernel file app/kernel-2.traceg'
	assert [ ! -e x.json ]
	for t in app app.tpack; do
		run -0 sim -k 3 --warm --skip-missing $t
		assert_line --index 0 --partial '"skipped":{"kernels":1,"positions":"2","first":"kernel-2.traceg"}'
		assert_output --partial '"warmed_kernels":1'
	done
}

@test "trace-sim, trace-pack: a missing kernel of a picks file is an error" {
	trace-pick -q -m all -o all "$whole"
	run -2 trace-sim -g rtx3070 -k @all --skip-missing app
	assert_output --partial 'kernel 2 of the picks is missing: app/kernel-2.traceg (the weights of the others would be wrong)'
	run -2 trace-pack -k @all --skip-missing -o x.tpack app
	assert_line --partial 'kernel 2 of the picks is missing (the weights of the others would be wrong)'
}

@test "trace-sim: --isolate skips missing kernels, and --resume requires that the same ones are missing" {
	for t in app app.tpack; do
		sim --isolate --skip-missing -o one.json $t
		sim --isolate -j 3 --skip-missing -o three.json $t
		cmp one.json three.json
		assert_equal "$(grep -c '"record":"kernel"' one.json)" 2
		head -2 one.json >part.json
		sim --isolate --resume --skip-missing -o part.json $t
		cmp part.json one.json
		sim --isolate --resume --skip-missing -o part.json $t
		cmp part.json one.json
		rm ./*.json
	done
	sim --isolate --skip-missing -o one.json app
	head -2 one.json >part.json
	cp "$whole/kernel-4.traceg" app
	run -2 trace-sim -q -g rtx3070 -F json --isolate --resume --skip-missing -o part.json app
	assert_output --partial 'the records are of another version, configuration, selection or format'
	sim --isolate -o whole.json "$whole"
	head -2 whole.json >part.json
	run -2 trace-sim -q -g rtx3070 -F json --isolate --resume --skip-missing -o part.json app
	assert_output --partial 'the records are of another version, configuration, selection or format'
}

@test "trace-sim: all kernels missing is an error, and so is an existing but unreadable file" {
	mkdir app/kernel-2.traceg
	run -2 trace-sim -q -g rtx3070 --skip-missing app
	assert_output --partial 'app/kernel-2.traceg: error: '
	rmdir app/kernel-2.traceg
	echo damaged >app/kernel-2.traceg
	run -2 trace-sim -q -g rtx3070 --skip-missing app
	assert_output --partial 'app/kernel-2.traceg:1'
	rm app/kernel-*
	run -2 trace-sim -g rtx3070 --skip-missing app
	assert_line 'trace-sim: app/kernelslist.g:2: warning: 4 of 4 kernels are missing and skipped, the first is kernel 1, kernel-1.traceg'
	assert_line 'trace-sim: app/kernelslist.g: error: every selected kernel is missing'
	run -2 trace-sim -g rtx3070 --skip-missing none
}

@test "trace-sim: an unreadable file is not a missing kernel" {
	[ "$(id -u)" != 0 ] || skip "root reads every file"
	cp "$whole/kernel-2.traceg" app && chmod 0 app/kernel-2.traceg
	run -2 trace-sim -q -g rtx3070 --skip-missing app
	assert_output --partial 'Permission denied'
	run -2 trace-pack -q --skip-missing -o x.tpack app
}

@test "trace-sim: the mark for thousands of missing kernels is short" {
	for i in $(seq 1 2 3000); do echo "kernel-$((i + 10)).traceg" && echo kernel-1.traceg; done >app/kernelslist.g
	run -0 sim --isolate --skip-missing -k 1-1500,3000 app
	assert_line --index 0 --partial '"skipped":{"kernels":750,"positions":"1,3,5,7,9,'
	assert_line --index 0 --regexp '"positions":"[0-9,]{230,260},\.\.\.",'
}

@test "trace-lint: missing kernels are errors, and with the option one warning" {
	for t in app app.tpack; do
		run -1 trace-lint $t
		assert_equal "$(grep -c 'error: kernel-missing' <<<"$output")" 2
	done
	run -1 trace-lint app.tpack
	assert_line "app.tpack:4:1: error: kernel-missing: kernel file 'app.tpack/kernel-2.traceg' is missing in the packed stream"
	for t in app/kernelslist.g app.tpack; do
		run -0 trace-lint --skip-missing $t
		assert_line "$t:4:1: warning: kernel-skipped: 2 of 4 kernels are missing and skipped, the first is kernel 2, 'kernel-2.traceg'"
		refute_output --partial kernel-missing
		run -1 trace-lint --skip-missing -Werror $t
		run -1 trace-lint --skip-missing --for accel-sim $t
		run -0 trace-lint --skip-missing -W kernel-skipped=off $t
		refute_output --partial kernel-skipped
	done
	run -0 trace-lint --explain kernel-skipped
}

@test "trace-lint: a directory as kernel file, and a list of which all kernels are missing, are errors" {
	mkdir app/kernel-2.traceg
	run -1 trace-lint --skip-missing app
	assert_line --partial 'app/kernel-2.traceg:1:1: error: is-folder'
	assert_line --partial '1 of 4 kernels is missing and skipped, the first is kernel 4'
	rmdir app/kernel-2.traceg && rm app/kernel-*
	run -1 trace-lint --skip-missing app
	assert_line --partial 'kernelslist.g:2:1: error: kernel-missing: 4 of 4 kernels are missing and skipped'
	run -1 trace-lint --skip-missing - <app/kernelslist.g
	assert_line --partial '<stdin>:2:1: error: kernel-missing'
}

# Prints the lines of a picks file without comments.
picks() { grep -v '^#' "$1"; }

@test "trace-pick: missing kernels are left out, and the weights cover the others" {
	run -2 trace-pick app
	assert_output --partial 'app/kernel-2.traceg: error: cannot be opened'
	run -2 trace-pick app.tpack
	assert_output 'trace-pick: app.tpack/kernel-2.traceg: error: is missing in the packed stream'
	for m in stem photon pka sieve random all; do
		run -0 trace-pick -f --skip-missing -m $m -o text app
		assert_output 'trace-pick: app/kernelslist.g:4: warning: 2 of 4 kernels are missing and skipped, the first is kernel 2, kernel-2.traceg'
		trace-pick -q -f --skip-missing -m $m -j 3 -o packed app.tpack
		cmp text packed
		trace-pick -q --skip-missing -m $m <app.tpack | cmp - text
		run -0 picks text
		assert_line --index 0 --regexp '^picks 2 list=[0-9a-f]{32} kernels=4 missing=2 method='
		assert_equal "$(picks text | awk '/^[0-9]/ { w += $2 } END { print w }')" 2
		refute_line --regexp '^[24] '
	done
	rm app/kernel-*
	run -2 trace-pick --skip-missing app
	assert_line 'trace-pick: app/kernelslist.g: error: every selected kernel is missing'
}

@test "trace-pick: picks of a list with missing kernels can be run, packed and weighted" {
	trace-pick -q --skip-missing -m all -o p app
	run -2 trace-sim -q -g rtx3070 -k @p app
	assert_output --partial 'cannot read kernel file app/kernel-2.traceg'
	trace-sim -q -g rtx3070 -F json --cold -k @p -o cold.json app
	sim --skip-missing -k @p app >warm.json
	for r in cold warm; do
		run -0 stats-csv --weights p -s gpu_sim_insn $r.json
		assert_line --index 1 --regexp "^$r.json,2,2,[0-9]+,"
	done
	trace-pack -q -k @p -o p.tpack app
	sim p.tpack >small.json
	run -0 stats-csv --weights p.tpack -s gpu_sim_insn small.json
	assert_line --index 1 --regexp '^small.json,2,2,'
	picks_line=$(trace-pack -q -k @p app | strings | grep '^picks 2' || true)
	assert_regex "$picks_line" ' kernels=2 of=4 missing=2 '
}

@test "stats-csv: runs with missing kernels cause a warning, and columns on request" {
	sim --skip-missing app >part.json
	trace-sim -q -g rtx3070 -F msgpack --skip-missing app.tpack >part.msgpack
	trace-sim -q -g rtx3070 -F text --skip-missing app >part.text
	sim "$whole" >whole.json
	for f in json msgpack text; do
		run -0 --separate-stderr stats-csv --per run -s gpu_tot_sim_cycle part.$f
		assert_equal "$stderr" "stats-csv: part.$f: warning: 2 kernels were missing and skipped: sums do not include them"
		refute_output --partial skipped
	done
	run -0 --separate-stderr stats-csv -s gpu_sim_cycle whole.json part.json part.text
	assert_equal "$stderr" 'stats-csv: part.json: warning: 2 kernels were missing and skipped, and others in 1 more of 3 runs: sums do not include them'
	run -0 stats-csv -q -s gpu_sim_cycle part.json
	refute_output --partial warning
	run -0 stats-csv -s gpu_sim_cycle whole.json
	refute_output --partial warning
	run -0 stats-csv -q --provenance -s gpu_sim_cycle part.json
	assert_line --index 0 --partial ',skipped.kernels,skipped.positions,skipped.first,'
	assert_line --index 1 --partial ',2,"2,4",kernel-2.traceg,'
}

@test "stats-diff warns if the two sides lack different kernels" {
	sim --skip-missing app >a.json
	sim --skip-missing app.tpack >b.json
	run -0 stats-diff a.json b.json
	assert_output ''
	sim "$whole" >whole.json
	run -1 --separate-stderr stats-diff whole.json a.json
	assert_equal "$stderr" 'stats-diff: a.json: warning: missing kernels differ from those of whole.json (2 and 0 were skipped): sums cover different kernels'
	cp "$whole/kernel-2.traceg" app && rm app/kernel-3.traceg
	sim --skip-missing app >c.json
	run -1 --separate-stderr stats-diff a.json c.json
	assert_regex "$stderr" 'missing kernels differ from those of a.json \(2 and 2 were skipped\)'
}

@test "stats-html lists skipped kernels among the warnings at the top" {
	sim --skip-missing app >a.json
	stats-html -o page.html a.json
	grep -q '<ul class="warnings"><li>a.json: 2 of the list&#39;s kernels were missing and skipped: 2,4</li></ul>' page.html
	sed 's/"positions":"2,4"/"positions":"<script>"/; s/"kernels":2,"pos/"kernels":99999999999999999999,"pos/' a.json >forged.json
	stats-html -o forged.html forged.json
	run -1 grep 'skipped: <script>' forged.html
	grep -q 'skipped: &lt;script&gt;' forged.html
	run -0 stats-csv -s gpu_sim_cycle forged.json
	assert_output --partial 'missing and skipped'
}

@test "trace-pick: a stream with a directory may lack a kernel" {
	cp -r "$(trace launches -n 50)" many
	rm many/kernel-7.traceg
	trace-pack -q --skip-missing -o many.tpack many
	run -2 trace-pick -q many.tpack
	assert_output 'trace-pick: many.tpack/kernel-7.traceg: error: is missing in the packed stream'
	trace-pick -q --skip-missing many >a
	trace-pick -q --skip-missing many.tpack | cmp - a
}
