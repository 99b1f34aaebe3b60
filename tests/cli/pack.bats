#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-pack: each option and exit status, round trips, slices, damage in each region of a stream.

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

same_directory() { diff -r "$1" "$2"; }

@test "each recipe of the generator unpacks byte for byte" {
	for r in alu alu-pascal atomics barrier ends example gather gemm icache kepler ldgsts membar reduce reuse \
		shared spaces stream streams uniform vecadd; do
		trace-pack -q "$(trace $r)" >$r.tpack
		run -0 trace-pack -t $r.tpack
		assert_output ''
		trace-pack -d -C $r $r.tpack
		same_directory "$(trace $r)" $r
	done
}

@test "compressed input is packed as its text, under the name without suffix, also in the list" {
	cp -r "$(trace streams)" in && cd in && xz kernel-1.traceg && gzip kernel-2.traceg && zstd -q --rm kernel-3.traceg
	sed -i -e 's/kernel-1.traceg/&.xz/' -e 's/kernel-2.traceg/&.gz/' -e 's/kernel-3.traceg/&.zst/' kernelslist.g
	cd ..
	trace-pack in -o s.tpack
	trace-pack -d s.tpack -C out
	same_directory "$(trace streams)" out
}

@test "a list, a directory, standard input and a stream give the same bytes" {
	t=$(trace streams)
	trace-pack "$t" >a
	trace-pack "$t/kernelslist.g" >b
	(cd "$t" && trace-pack - <kernelslist.g) >c
	trace-pack <a >d
	for x in b c d; do cmp a $x; done
}

@test "the bytes are the same for any number of threads" {
	trace-pack -j1 "$(trace streams)" >a
	trace-pack -j3 "$(trace streams)" >b
	cmp a b
}

@test "the bytes are the same for each set of vector instructions" {
	for r in atomics gather gemm spaces vecadd; do
		for level in default fast; do
			trace-pack --level=$level "$(trace $r)" >a
			for simd in none avx2 avx512; do
				WARPTOOLS_SIMD=$simd trace-pack --level=$level "$(trace $r)" | cmp - a
			done
		done
	done
}

@test "a single kernel file can be packed; a directory without a list is an error" {
	t=$(trace vecadd)
	trace-pack "$t/kernel-1.traceg" | trace-pack -d -o - | cmp - "$t/kernel-1.traceg"
	mkdir nolist && cp "$t/kernel-1.traceg" nolist
	run -0 --separate-stderr trace-pack nolist -o n.tpack
	assert_regex "$stderr" 'no kernel list'
	trace-pack -d n.tpack -C back
	echo kernel-1.traceg | cmp - back/kernelslist.g
	rm back/kernelslist.g
	same_directory nolist back
}

@test "text that is not a trace is preserved" {
	mkdir k && printf 'hello\0world' >k/kernel-1.traceg && printf 'kernel-1.traceg\nMemcpyDtoH,0x0,4\n' >k/kernelslist.g
	run -0 trace-pack k -o k.tpack
	assert_output --partial 'not a regular trace'
	trace-pack -d k.tpack -C back
	same_directory k back
	run -0 trace-pack -l k.tpack
	assert_output --partial 'kept as text'
}

@test "irregular lines and CRLF are preserved" {
	cp -r "$(trace vecadd)" k
	sed -i '30s/ 0 0 0 $/  0 0 0/' k/kernel-1.traceg
	trace-pack k | trace-pack -d -C a
	same_directory k a
	sed -i 's/$/\r/' k/kernel-1.traceg
	trace-pack k | trace-pack -d -C b
	same_directory k b
	head -c 5000 "$(trace vecadd)/kernel-1.traceg" >k/kernel-1.traceg
	trace-pack k | trace-pack -d -C c
	same_directory k c
}

@test "-k and --tb select slices, which are marked and keep the original grid" {
	t=$(trace streams)
	trace-pack "$t" >a.tpack
	trace-pack a.tpack -k 2 >k.tpack
	trace-pack -d k.tpack -o - | cmp - "$t/kernel-2.traceg"
	trace-pack -d a.tpack -k 2-3 -o two
	cat "$t/kernel-2.traceg" "$t/kernel-3.traceg" | cmp - two
	trace-pack a.tpack -k 1 --tb 1-2 >tb.tpack
	run -0 trace-pack -l tb.tpack
	assert_output --partial '(slice)'
	trace-pack -d tb.tpack -o - >x
	trace-pack -d a.tpack -k 1 --tb 1-2 -o - | cmp - x
	trace-pack "$t" -k 1 --tb 1-2 | trace-pack -d -o - | cmp - x
	[ "$(grep -c BEGIN_TB x)" = 2 ]
	grep -q '^-slice = 1$' x
	grep "^-grid" "$t/kernel-1.traceg" | cmp - <(grep "^-grid" x)
}

@test "thread blocks are cut alike from text and from a stream" {
	t=$(trace gemm)
	trace-pack "$t" >a.tpack
	for r in 0 1 2- 1-3 0-; do
		trace-pack "$t" -k 1 --tb $r | trace-pack -d -o - >x
		trace-pack a.tpack -k 1 --tb $r | trace-pack -d -o - | cmp - x
		trace-pack -d a.tpack -k 1 --tb $r -o - | cmp - x
	done
}

@test "a piped stream is unpacked and packed in order, and truncation is reported" {
	trace-pack "$(trace streams)" >a.tpack
	cat a.tpack | trace-pack -d -C out
	same_directory "$(trace streams)" out
	cat a.tpack | trace-pack | cmp - a.tpack
	for n in 1 9 60; do
		head -c -$n a.tpack >cut
		run -2 sh -c 'cat cut | trace-pack -d -o -  >/dev/null'
		assert_output --partial 'the stream ends early'
		run -2 sh -c 'cat cut | trace-sim -q -g rtx3070 >/dev/null'
	done
}

@test "bytes after a stream are a fault for every reader, in a file and in a pipe" {
	trace-pack "$(trace streams)" >a.tpack
	cat a.tpack a.tpack >two
	(cat a.tpack && echo more) >more
	for f in two more; do
		run -1 trace-pack -t $f
		for c in "trace-pack -d -o -" "trace-sim -q -g rtx3070" "trace-pick" "trace-lint"; do
			run ! $c $f
			run ! sh -c "cat $f | $c - 2>err >out"
			run -0 cat err out
			assert_output --partial "byte $(stat -c %s a.tpack): other bytes follow the end of the stream"
		done
	done
	run -2 trace-sim -q -g rtx3070 two
	assert_output --regexp 'two: error: byte [0-9]*: the index does not list the bytes that begin here'
}

@test "-d -k writes the list of the selected kernels" {
	trace-pack "$(trace streams)" | trace-pack -d -k 2 -C out
	[ -f out/kernel-2.traceg ] && [ ! -e out/kernel-1.traceg ]
	grep -q kernel-2 out/kernelslist.g
	run grep -c '^kernel' out/kernelslist.g
	assert_output 1
}

@test "numbers in text after the columns of a line are preserved" {
	mkdir k && sed -E 's/^([0-9a-f]{4} .*STG.*) $/\1 STORE_DATA T0:1 T1:17 /' "$(trace vecadd)/kernel-1.traceg" |
		awk '/STORE_DATA/ { sub("T1:17", "T1:" 17 * n++ " 0" n " " n * n * n "000000000000") } { print }' >k/kernel-1.traceg
	grep -q STORE_DATA k/kernel-1.traceg
	trace-pack -q k | trace-pack -d -C out
	rm out/kernelslist.g
	same_directory k out
}

@test "a thread block of many megabytes is packed" {
	mkdir k
	{
		sed -n '1,/^#BEGIN_TB/p' "$(trace vecadd)/kernel-1.traceg" | sed 's/^-grid dim.*/-grid dim = (2,1,1)/; s/^-block dim.*/-block dim = (32,1,1)/'
		for b in 0 1; do
			[ $b = 0 ] || printf '\n#BEGIN_TB\n'
			printf '\nthread block = %d,0,0\n\nwarp = 0\ninsts = 130001\n' $b
			awk 'BEGIN { for (i = 0; i < 130000; i++) print "0000 ffffffff 1 R1 IADD3 2 R1 R2 0 0 "; print "0010 ffffffff 0 EXIT 0 0 0 " }'
			printf '\n#END_TB\n'
		done
	} >k/kernel-1.traceg
	run -0 --separate-stderr sh -c 'trace-pack k/kernel-1.traceg >k.tpack'
	[ -z "$stderr" ]
	[ "$(stat -c %s k.tpack)" -lt 2000 ]
	trace-pack -d -o - k.tpack | cmp - k/kernel-1.traceg
}

@test "-l lists the kernels, also as JSON" {
	trace-pack "$(trace streams)" >a.tpack
	run -0 trace-pack -l a.tpack
	assert_line --partial '4 kernels'
	run -0 trace-pack -l -F json -k 2 a.tpack
	assert_line --partial '"record":"kernel"'
	assert_line --partial '"position":2'
	assert_line --partial '"ratio":'
}

@test "existing files stay without -f, and no half-written file is left" {
	trace-pack "$(trace vecadd)" -o a.tpack
	run -2 trace-pack "$(trace vecadd)" -o a.tpack
	run -0 trace-pack -f -19 "$(trace vecadd)" -o a.tpack
	trace-pack -d a.tpack -C out
	rm out/kernelslist.g
	run -2 trace-pack -d a.tpack -C out
	assert_output --partial 'exists already'
	[ ! -e out/kernelslist.g ]
	run -0 trace-pack -d -f a.tpack -C out
	cp -r "$(trace vecadd)" broken && rm broken/kernel-1.traceg
	run -2 trace-pack broken -o b.tpack
	[ ! -e b.tpack ]
}

@test "usage errors are reported" {
	for o in '-20' '-j 65' '--memory 5' '--tb x' '-F xml' '-C out' '--bogus'; do
		run -2 trace-pack $o "$(trace vecadd)" -o x
	done
	run -2 trace-pack a b
}

@test "damage and truncation in every region are detected and located" {
	trace-pack "$(trace streams)" >a.tpack
	n=$(stat -c %s a.tpack)
	for i in $(seq 0 7 $((n - 1))) $((n - 1)) $((n - 5)) $((n - 8)); do
		cp a.tpack b.tpack
		b=$(od -An -tu1 -j$i -N1 a.tpack)
		printf "\\$(printf %o $((b ^ 85)))" | dd of=b.tpack bs=1 seek=$i conv=notrunc status=none
		run trace-pack -t b.tpack
		[ "$status" = 1 ] || [ "$status" = 2 -a $i -lt 8 ] || { echo "byte $i: $status"; return 1; }
		assert_output --regexp '(byte [0-9]+: .*expected a complete, unchanged stream|version [0-9]+ of the packed format)'
	done
	for i in 0 5 8 9 20 $((n / 2)) $((n - 9)) $((n - 4)) $((n - 1)); do
		head -c $i a.tpack >b.tpack
		run trace-pack -t b.tpack
		[ "$status" = 1 ] || [ "$status" = 2 -a $i -lt 8 ] || { echo "cut at $i: $status"; return 1; }
	done
}

@test "control codes stay with their kernels in slices and copies, and change nothing else" {
	t=$(trace streams)
	cubingen "$t" >c
	trace-pack "$t" >plain
	trace-pack --cubin c -o coded "$t"
	trace-pack -t coded
	[ "$(($(head -c 8 coded | tail -c 1 | od -An -tu1) - 2 & 2))" -eq 2 ] # the bit of control codes
	trace-pack -d -C out coded
	same_directory "$t" out
	trace-pack -d -o a plain && trace-pack -d --tb 0-1 -o b plain
	trace-pack -d -o - coded | cmp - a
	trace-pack -d --tb 0-1 -o - coded | cmp - b
	for o in "-j 3 --cubin c $t" coded "--cubin c plain"; do
		trace-pack $o | cmp - coded
	done
	trace-pack <coded | cmp - coded
	trace-pack <plain | cmp - plain
	run -0 trace-pack -l coded
	[ "${#lines[@]}" -eq $(("$(grep -c '(control codes)$' <<<"$output")" + 2)) ]
	trace-pack -k 2 --tb 0 coded | trace-pack -l -F json - >json
	[ "$(jq -s 'map(select(.record == "kernel").control_codes > 0) == [true]' json)" = true ]
	trace-pack -l -F json plain >json
	[ "$(jq -s 'map(select(.record == "kernel").control_codes) | unique == [0]' json)" = true ]
}

@test "--cubin: a kernel whose function is not found is reported; among equal functions the first is used" {
	t=$(trace vecadd)
	cubingen "$(trace gemm)" >other
	run -0 --separate-stderr trace-pack -v --cubin other -o a.tpack "$t"
	assert_regex "$stderr" 'no function of the kernel.*without control codes'
	assert_regex "$stderr" '0 of 1 kernels with control codes'
	cubingen -s 4 "$t" >four
	cubingen -s 8 "$t" >eight
	trace-pack --cubin four "$t" >f
	trace-pack --cubin other --cubin four --cubin eight "$t" | cmp - f
	trace-pack --cubin eight "$t" >e
	run -1 cmp -s e f
	trace-pack --cubin four e | cmp - f
	run -2 trace-pack --cubin "$t/kernelslist.g" "$t"
	assert_output --partial 'no cubin'
	for o in -d -t -l; do run -2 trace-pack $o --cubin four f; done
}

@test "damage or truncation of a stream with control codes is detected" {
	cubingen "$(trace vecadd)" >c
	trace-pack --cubin c "$(trace vecadd)" >a.tpack
	n=$(stat -c %s a.tpack)
	for i in $(seq 8 3 $((n - 1))); do
		cp a.tpack b.tpack
		b=$(od -An -tu1 -j$i -N1 a.tpack)
		printf "\\$(printf %o $((b ^ 85)))" | dd of=b.tpack bs=1 seek=$i conv=notrunc status=none
		run trace-pack -t b.tpack
		[ "$status" = 1 ] || { echo "$i: $output"; return 1; }
		head -c $i a.tpack >b.tpack
		run trace-pack -t b.tpack
		[ "$status" = 1 ] || { echo "$i: $output"; return 1; }
	done
}

# Each damaged cubin that trace-sim rejects is rejected here too, or is reported to lack the functions of the trace.
@test "--cubin: damaged files are rejected" {
	trace=$(trace vecadd)
	here=$ROOT/tests/badinput
	n=0
	bad() {
		case $1 in cubin-*) ;; *) return 0 ;; esac
		rm -rf c
		eval "$3"
		run trace-pack --cubin c -o x.tpack -f "$trace"
		[[ $status = 2 && $output == "trace-pack: c: error: "* ]] ||
			[[ $status = 0 && $output == *"packed without control codes"* ]] ||
			{ echo "$1: $status: $output"; return 1; }
		[ "$status" = 0 ] || [ ! -e x.tpack ] || return 1
		rm -f x.tpack
		n=$((n + 1))
	}
	fine() { :; }
	done_with() { :; }
	. "$here/cases.sh"
	[ "$n" -ge 50 ]
}

@test "a stream of a newer version is rejected with that reason" {
	trace-pack "$(trace vecadd)" >a.tpack
	printf '\xff' | dd of=a.tpack bs=1 seek=7 conv=notrunc status=none
	run -2 trace-pack -t a.tpack
	assert_output --partial 'version 255'
}

@test "repeated kernels take a few bytes each, and are read from any position" {
	a=$(trace archive -k 5)
	trace-pack "$a" -o a.tpack
	trace-pack -j 3 "$a" | cmp - a.tpack
	trace-pack "$a/kernel-1.traceg" -o 1.tpack
	one=$(stat -c %s 1.tpack)
	[ "$(stat -c %s a.tpack)" -lt $((4 * one)) ] # 100 kernels of five kinds, 16 of them with moved buffers
	trace-pack -d -C out a.tpack
	same_directory "$a" out
	trace-pack -d -o - a.tpack >text
	trace-pack -d -o - <a.tpack | cmp - text
	run -0 trace-pack -t a.tpack
	for k in 1 50 100; do trace-pack -d -o - -k $k a.tpack | cmp - "$a/kernel-$k.traceg"; done
	trace-pack -k 40-100 a.tpack | trace-pack -d -o - -k 61 - | cmp - "$a/kernel-100.traceg"
	trace-pack -d -o - --tb 0 -k 90 a.tpack >slice
	trace-pack --tb 0 "$a/kernel-90.traceg" | trace-pack -d -o - | cmp - slice
	trace-sim -q -g rtx3070 -k 1-9 -F json "$a" >want
	trace-sim -q -g rtx3070 -k 1-9 -F json a.tpack | cmp - want
	trace-pack -k 1-9 a.tpack | trace-sim -q -g rtx3070 -F json | grep '"kernel"' >piped
	grep '"kernel"' want | cmp - piped
}

@test "streams of earlier versions are read" {
	data=$BATS_TEST_DIRNAME/../data/pack
	[ "$(trace-pack -d -o - "$data/single.tpack" | sha256sum)" = \
		"e5d2162c8984728d706f884af80cc7aa6151b93fd8c64b60fa1bfcce65e5a399  -" ]
	[ "$(trace-pack -d -o - "$data/shared.tpack" | sha256sum)" = \
		"87557f7793ef0dcd9e199b7e9c7c97a10f1d8f392e2f29ab6fdea9a1127b2054  -" ]
	for version in single:2 shared:34; do
		[ "$(od -An -tu1 -j7 -N1 "$data/${version%:*}.tpack" | tr -d ' ')" = "${version#*:}" ]
		trace-pack -t "$data/${version%:*}.tpack"
	done
}

@test "damage to repeated kernels is detected" {
	trace-pack -k 1-12 "$(trace archive -k 2)" >a.tpack
	n=$(stat -c %s a.tpack)
	for i in $(seq 8 97 $((n - 1))); do
		cp a.tpack b.tpack
		b=$(od -An -tu1 -j$i -N1 a.tpack)
		printf "\\$(printf %o $((b ^ 85)))" | dd of=b.tpack bs=1 seek=$i conv=notrunc status=none
		run trace-pack -t b.tpack
		[ "$status" = 1 ] || { echo "$i: $output"; return 1; }
	done
}

# Prints a kernel file as the tracer writes it: the lines of all warps mixed, each with its thread block and warp.
raw_of() {
	sed -n '1,/^#traces format/p' "$1"
	echo
	awk '/^thread block/ { split($4, b, ",") } /^warp =/ { w = $3; n = 0 }
		/^[0-9a-f]+ [0-9a-f]+ / { print ++n, b[1], b[2], b[3], w, $0 }' "$1" |
		sort -s -n -k1,1 | cut -d' ' -f2-
}

@test "raw traces are grouped within any memory limit" {
	t=$(trace vecadd)/kernel-1.traceg
	raw_of "$t" >kernel-1.trace
	trace-pack kernel-1.trace >a
	trace-pack --memory 64K kernel-1.trace >b
	cmp a b
	trace-pack -d a
	[ -f kernel-1.traceg ]
	[ "$(grep -c '^#BEGIN_TB' kernel-1.traceg)" = "$(grep -c '^#BEGIN_TB' "$t")" ]
	[ "$(grep -c '^[0-9a-f]* ffffffff' kernel-1.traceg)" = "$(grep -c '^[0-9a-f]* ffffffff' "$t")" ]
}

# Makes grouped text of three clusters of two thread blocks, and its raw form with 11 columns before the PC; $1: more columns.
clustered() {
	local t b w
	t=$(trace vecadd)/kernel-1.traceg
	sed -n '1,/^#traces format/p' "$t" | sed 's/^-grid dim = .*/-grid dim = (6,1,1)/; s/^-block dim = .*/-block dim = (64,1,1)/; s/^-accelsim tracer version = .*/-accelsim tracer version = 6/' >head
	{ cat head; echo; echo; } >grouped.traceg
	{ cat head; echo; } >k.trace
	for b in 0 1 2 3 4 5; do
		printf '\n#BEGIN_TB\n\nthread block = %d,0,0\ncluster id = %d,0,0\ncluster cta = %d,0,0\ncluster rank = %d\n' \
			$b $((b / 2)) $((b % 2)) $((b % 2)) >>grouped.traceg
		for w in 0 1; do
			printf '\nwarp = %d\ninsts = 2\n0000 ffffffff 1 R1 LDC 0 0 0 0 NoVal \n0010 ffffffff 0 EXIT 0 0 0 0 NoVal \n' $w >>grouped.traceg
			printf '%d 0 0 %d %d 0 0 %d 0 0 %d %s0000 ffffffff 1 R1 LDC 0 0 0 0 NoVal \n' $b $w $((b / 2)) $((b % 2)) $((b % 2)) "$1" >>k.trace
		done
		printf '\n#END_TB\n' >>grouped.traceg
	done
	for b in 5 4 3 2 1 0; do
		for w in 1 0; do
			printf '%d 0 0 %d %d 0 0 %d 0 0 %d %s0010 ffffffff 0 EXIT 0 0 0 0 NoVal \n' $b $w $((b / 2)) $((b % 2)) $((b % 2)) "$1" >>k.trace
		done
	done
}

@test "raw traces of Accel-Sim 2.0, with 11 or 13 columns, keep the clusters of their thread blocks" {
	for more in '' '17 3 '; do
		clustered "$more"
		mkdir -p raw && cp k.trace raw/kernel-1.trace && echo kernel-1.trace >raw/kernelslist
		run -0 trace-pack -f --group raw -C out
		cmp out/kernel-1.traceg grouped.traceg
		sed -i 's/^1 0 0 1 0 0 0 1 0 0 1/1 0 0 1 7 0 0 1 0 0 1/' k.trace
		run -2 trace-pack -q k.trace -o x
		assert_output --partial 'lines of thread block 1,0,0 name different clusters'
	done
	sed '/^$/d' k.trace >raw/kernel-1.trace
	run -2 trace-pack -f --group raw -C out
	assert_output --partial "line of a warp in the header (expected an empty line after '#traces format')"
	sed -i '/^1 0 0 1 7/s/^1 0 0 1 7/1 0 0 1 x/' k.trace
	run -2 trace-pack -q k.trace -o x
	assert_output --partial 'column 5 of a raw trace is not a number'
}

# Makes a directory as the tracer does: its own list, copies, an empty line, raw kernels, one of them compressed.
raw_directory() {
	local k
	mkdir "$1"
	for k in 1 2; do raw_of "$(trace streams)/kernel-$k.traceg" >"$1/kernel-$k.trace"; done
	xz "$1/kernel-2.trace"
	printf '%s\n' MemcpyHtoD,0x00007f4000000000,16384 kernel-1.trace '' MemcpyHtoD,0x00007f4000004000,64 \
		kernel-2.trace.xz >"$1/kernelslist"
}

@test "one command turns a directory of the tracer into a directory that runs" {
	raw_directory raw
	run -2 trace-sim -g rtx3070 raw/
	assert_output --partial 'trace-pack --group raw/ -C DIR'
	run -0 trace-pack --group raw/ -C out/
	assert_output ''
	printf '%s\n' MemcpyHtoD,0x00007f4000000000,16384 kernel-1.traceg MemcpyHtoD,0x00007f4000004000,64 \
		kernel-2.traceg | cmp - out/kernelslist.g
	[ "$(ls out)" = "$(printf '%s\n' kernel-1.traceg kernel-2.traceg kernelslist.g)" ]
	run -0 trace-lint -q -W address-window=off -W list-unnamed=off out
	trace-sim -q -g rtx3070 -F json out >a
	# packing the raw directory gives the same; the list of the stream has the grouped names
	trace-pack -o raw.tpack raw/
	trace-sim -q -g rtx3070 -F json raw.tpack | cmp - a
	trace-pack -d -C unpacked raw.tpack
	same_directory unpacked out
	trace-sim -q -g rtx3070 -F json unpacked | cmp - a
	# grouping into the raw directory, as the original's post-processor does, replaces no file without -f
	trace-pack --group raw -C raw
	cmp raw/kernelslist.g out/kernelslist.g
	run -2 trace-pack --group raw -C raw
	assert_output --partial 'exists already (-f replaces it)'
	trace-pack --group -f raw -C raw
	trace-sim -q -g rtx3070 -F json raw | cmp - a
	# -k groups one kernel, with the copies; a stream and -o are rejected
	trace-pack --group -k 2 raw -C two
	grep -q Memcpy two/kernelslist.g && [ ! -e two/kernel-1.traceg ] && [ -e two/kernel-2.traceg ]
	run -2 trace-pack --group raw.tpack -C three
	assert_output --partial '-d unpacks them'
	run -2 trace-pack --group raw -o x
}

@test "the list of a context is named after the context" {
	raw_directory raw
	mv raw/kernelslist raw/kernelslist_ctx_0x5581
	trace-pack --group raw -C out
	[ -f out/kernelslist_ctx_0x5581.g ]
	run -0 trace-sim -q -g rtx3070 out
	cp raw/kernelslist_ctx_0x5581 raw/kernelslist_ctx_0x5582
	run -2 trace-pack --group raw -C both
	assert_output --partial '2 lists'
	trace-pack --group raw/kernelslist_ctx_0x5582 -C both
	[ -f both/kernelslist_ctx_0x5582.g ]
}

@test "grouping gives the same text as the original's post-processor" {
	raw=$ROOT/../shared/traces/raw-v100
	[ -d "$raw" ] || skip "no recorded traces"
	for k in 13 213 1012 3235 7564; do
		mkdir -p in && cp "$raw/kernel-$k.trace" in/
		echo "kernel-$k.trace" >>in/kernelslist
	done
	trace-pack --group in -C out
	for k in 13 213 1012 3235 7564; do cmp "$raw/kernel-$k.traceg" "out/kernel-$k.traceg"; done
	sed 's/$/g/' in/kernelslist | cmp - out/kernelslist.g
}

@test "of a raw and a grouped file of one kernel the grouped one is packed; --all keeps both" {
	mkdir both
	for k in 1 2; do
		cp "$(trace streams)/kernel-$k.traceg" both
		raw_of "$(trace streams)/kernel-$k.traceg" >both/kernel-$k.trace
	done
	cp both/kernel-2.trace both/kernel-10.trace
	run -0 --separate-stderr trace-pack -o one.tpack both
	assert_regex "$stderr" '2 raw files left out in favour of grouped ones \(--all keeps both\)'
	trace-pack -d -C one one.tpack
	printf 'kernel-%s.traceg\n' 1 2 10 | cmp - one/kernelslist.g
	cmp one/kernel-2.traceg both/kernel-2.traceg
	trace-pack -q -k 3 both | trace-pack -d -o - | cmp - one/kernel-10.traceg
	run -0 --separate-stderr trace-pack --all -o all.tpack both
	refute_regex "$stderr" 'left out'
	trace-pack -l all.tpack | grep -q '^5 kernels'
}

@test "trace-sim gives the same record for text, stream and pipe" {
	t=$(trace streams)
	trace-pack "$t" >a.tpack
	trace-sim -q -g rtx3070 -F json "$t" >text
	trace-sim -q -g rtx3070 -F json a.tpack | cmp - text
	trace-pack "$t" | trace-sim -q -g rtx3070 -F json | cmp - text
}

@test "a pipe as operand is opened once, whether it is named or not" {
	k=$(trace vecadd)/kernel-1.traceg
	trace-pack "$k" >a.tpack
	trace-sim -q -g rtx3070 -F json "$k" >text
	trace-pack <(cat "$k") | trace-pack -d -o - | cmp - "$k"
	trace-pack -d -o - <(cat a.tpack) | cmp - "$k"
	run -0 trace-pack -t <(cat a.tpack)
	trace-sim -q -g rtx3070 -F json <(cat "$k") | cmp - text
	trace-sim -q -g rtx3070 -F json <(cat a.tpack) | cmp - text
	run -0 trace-lint -q <(cat "$k")
	run -0 trace-lint -q <(cat a.tpack)
	mkfifo f
	for prog in 'trace-pack' 'trace-sim -q -g rtx3070 -F json' 'trace-lint -q'; do
		for in in "$k" a.tpack; do
			cat "$in" >f &
			run -0 timeout 60 $prog f
			wait $!
		done
	done
	mkdir k && mkfifo k/kernel-1.traceg && cp "$(trace vecadd)/kernelslist.g" k
	cat "$k" >k/kernel-1.traceg &
	timeout 60 trace-pack k | trace-pack -d -o - | cmp - "$k"
}

@test "an opcode of any length is preserved" {
	for n in 254 255 256 70000; do
		op=$(head -c $n /dev/zero | tr '\0' A)
		sed "s/FADD/$op/" "$(trace vecadd)/kernel-1.traceg" >x
		trace-pack -q x >x.tpack
		run -0 trace-pack -t x.tpack
		trace-pack -d -o - x.tpack | cmp - x
	done
}

@test "irregular text longer than a block is preserved" {
	head -c 40000000 /dev/zero | tr '\0' 'x' >x
	printf -- '-y\n' | cat - x x x x >y
	trace-pack -q y -o y.tpack
	trace-pack -d -o - y.tpack | cmp - y
}

@test "-o reads back the stream that it made; --no-verify makes the same stream" {
	trace-pack "$(trace streams)" -o a
	trace-pack --no-verify "$(trace streams)" -o b
	trace-pack --verify "$(trace streams)" -o c
	cmp a b && cmp a c
}

# Packs one kernel. Before the stream is verified, a shim replaces its bytes by those of the file bad.
packed_and_swapped() {
	run -2 env LD_PRELOAD="$SHIM" SWAP_NAME=.tmp SWAP_FILE=bad trace-pack "$@" -o a.tpack "$(trace vecadd)"
	[ ! -e a.tpack ] && [ -z "$(find . -name '*.tmp')" ]
}

@test "a stream that does not unpack to its input is not given its name" {
	plain_build_only
	SHIM=${BUILD-$ROOT/build}/tests/swap_file.so
	case $SHIM in /*) ;; *) SHIM=$ROOT/$SHIM ;; esac
	trace-pack "$(trace vecadd)" >good
	sed 's/ R2 / R3 /' "$(trace vecadd)/kernel-1.traceg" >other
	trace-pack other >bad # a good stream, of another text
	packed_and_swapped
	assert_output 'trace-pack: a.tpack: error: kernel 1 differs after unpacking'
	head -c -40 good >bad
	packed_and_swapped
	assert_output --partial 'a.tpack: error: cannot open the stream just written: '
	cp good bad && printf '\377\377\377\377' | dd of=bad bs=1 seek=$(($(wc -c <good) / 2)) conv=notrunc status=none
	packed_and_swapped
	assert_output --partial 'a.tpack: error: cannot open the stream just written: byte 8: the checksum of a block is wrong'
	# --no-verify does not see the replacement, and the stream gets its name
	LD_PRELOAD=$SHIM SWAP_NAME=.tmp SWAP_FILE=bad trace-pack --no-verify -o a.tpack "$(trace vecadd)"
	cmp a.tpack good
}

@test "an input is never overwritten" {
	cp -r "$(trace streams)" in && trace-pack in >a.tpack && cp a.tpack b.tpack
	for o in in/kernelslist.g in/kernel-2.traceg; do
		run -2 trace-pack -f -o $o in
		assert_output --partial 'the output is also an input'
	done
	run -2 trace-pack -f -o a.tpack a.tpack
	run -2 trace-pack -f -o a.tpack <a.tpack
	run -2 trace-pack -d -f -o a.tpack a.tpack
	cmp a.tpack b.tpack
	same_directory "$(trace streams)" in
}

@test "names that could not be unpacked are rejected" {
	cp -r "$(trace vecadd)" in
	echo kernelslist.g >>in/kernelslist.g
	run -2 trace-pack in
	assert_output --partial 'the list names itself'
	mkdir -p in/kernels && cp in/kernel-1.traceg in/kernels/x
	printf 'kernels/../kernel-1.traceg\n' >in/kernelslist.g
	run -2 trace-pack in
	assert_output --partial 'leads out of the directory'
	printf 'kernels/x\n' >in/kernelslist.g
	trace-pack in | trace-pack -d -C out
	cmp in/kernel-1.traceg out/kernels/x
}

@test "thread blocks that do not exist are rejected" {
	trace-pack "$(trace vecadd)" >a.tpack
	for from in a.tpack "$(trace vecadd)"; do
		run -2 trace-pack --tb 999 "$from" -o x
		assert_output --partial 'thread block'
		[ ! -e x ]
	done
	run -2 trace-pack -d --tb 999- -o - a.tpack
}

@test "a full disk and bad lists are reported as such" {
	trace-pack "$(trace vecadd)" >a.tpack
	run -2 sh -c 'trace-pack -d -o - a.tpack >/dev/full'
	assert_output --partial '<stdout>: error: cannot be written: No space left'
	run -2 trace-pack /dev/zero
	assert_output --partial 'NUL'
	run -2 trace-pack <<<x
	assert_output --partial "trace-pack: <stdin>:1:1: error: unexpected 'x' (expected a kernel file name"
	run -2 trace-pack <<<''
	assert_output "trace-pack: <stdin>: error: no line begins with 'kernel' (expected a kernel list)"
	for what in -l -t '-d -o -' '-d -k 1 -o -'; do
		run -2 timeout 20 trace-pack $what /dev/zero
		assert_output --partial '/dev/zero: error: byte 0: not a packed stream'
		run -2 trace-pack $what ''
		assert_output "trace-pack: '': error: cannot be opened: No such file or directory"
	done
	run -2 trace-pack --level -5 "$(trace vecadd)"
	assert_output --partial "--level: invalid value '-5'"
}

@test "a list with a line that readers reject is rejected, and a byte order mark before it is ignored" {
	cp -r "$(trace vecadd)" app
	echo garbage >>app/kernelslist.g
	run -2 trace-pack -o a.tpack app
	assert_output --partial "app/kernelslist.g:3:1: error: unexpected 'garbage' (expected a kernel file name"
	[ ! -e a.tpack ]
	printf '\xef\xbb\xbfkernel-1.traceg\n' >app/kernelslist.g
	trace-pack -o a.tpack app
	for input in app a.tpack; do
		run -0 trace-sim -q -g rtx3070 -D gpgpu_n_clusters=2 -s gpu_sim_cycle $input
		assert_line --regexp '^gpu_sim_cycle '
	done
	sed -i '1s/^/\xef\xbb\xbf/' app/kernel-1.traceg
	run -2 trace-sim -q -g rtx3070 app
	assert_output --partial "kernel-1.traceg:1:1: error: unexpected '\\xef\\xbb\\xbf-kernel name"
}

@test "--level accepts three values, which differ, and rejects others" {
	v=$(trace values -n 4)
	for l in fast default best; do
		trace-pack --level $l "$v" -o $l.tpack
		trace-pack -d -C $l $l.tpack
		same_directory "$v" $l
	done
	[ "$(stat -c %s best.tpack)" -lt "$(stat -c %s default.tpack)" ]
	[ "$(stat -c %s default.tpack)" -lt "$(stat -c %s fast.tpack)" ]
	trace-pack "$v" | cmp - default.tpack
	# levels of older versions are accepted
	trace-pack -1 "$v" | cmp - fast.tpack
	trace-pack --level 7 "$v" | cmp - default.tpack
	trace-pack -19 "$v" | cmp - best.tpack
	for l in good 0 20 3x ''; do
		run -2 trace-pack --level "$l" "$v"
		assert_output --partial "--level: invalid value '$l' (expected fast, default or best)"
	done
}

@test "-k opens only the files of the kernels that it selects" {
	cp -r "$(trace vecadd)" app
	trace-pack -q -o whole.tpack app
	printf '%s\n' kernel-8.traceg kernel-9.traceg >>app/kernelslist.g
	run -2 trace-pack -q -o all.tpack app
	assert_output --partial 'kernel-8.traceg: error: cannot be opened'
	run -0 trace-pack -q -k 1 -o one.tpack app
	[ "$(trace-pack -l one.tpack | head -n 2)" = "$(trace-pack -l whole.tpack | head -n 2)" ]
	run -2 trace-pack -q -k 1,3 -o more.tpack app
	assert_output --partial 'kernel-9.traceg: error: cannot be opened'
}

@test "-l prints no control characters" {
	mkdir k && sed 's/^-kernel name = .*/-kernel name = a\x1b[2J\x07b/' "$(trace vecadd)/kernel-1.traceg" >k/kernel-1.traceg
	echo kernel-1.traceg >k/kernelslist.g
	run -0 sh -c 'trace-pack k | trace-pack -l'
	assert_output --partial 'a\x1b[2J\x07b'
}

@test "raw traces with impossible grids are rejected at once" {
	t=$(trace vecadd)/kernel-1.traceg
	for grid in '(-1,1,1)' '(4294967296,1,1)' '(99999999999999999999,1,1)' '(65536,65536,1)' '(0,1,1)' 'x'; do
		sed -n '1,/^#traces format/p' "$t" | sed "s/^-grid dim = .*/-grid dim = $grid/" >k.trace
		printf '\n0 0 0 0 0000 ffffffff 0 EXIT 0 0 0 \n' >>k.trace
		run -2 trace-pack k.trace
		assert_output --partial 'grid'
	done
	# A huge grid takes no more memory or time than its existing blocks.
	sed -n '1,/^#traces format/p' "$t" | sed 's/^-grid dim = .*/-grid dim = (65535,65535,1)/' >k.trace
	printf '\n65534 65534 0 1 0000 ffffffff 0 EXIT 0 0 0 \n7 0 0 0 0000 ffffffff 0 EXIT 0 0 0 \n' >>k.trace
	([ -n "${SANITIZED-}" ] || ulimit -v 400000; trace-pack -q k.trace >k.tpack)
	trace-pack -d -o - k.tpack >k.traceg
	[ "$(grep -c '^insts = 0' k.traceg)" = 14 ]
	[ "$(grep '^thread block' k.traceg | tr '\n' ' ')" = 'thread block = 7,0,0 thread block = 65534,65534,0 ' ]
}

@test "a raw trace with only the shared-memory line of an LDGSTS becomes a kernel without thread blocks" {
	t=$(trace vecadd)/kernel-1.traceg
	sed -n '1,/^#traces format/p' "$t" >k.trace
	grep -q '^-shmem base_addr = 0x00007f5000000000' k.trace
	printf '\n0 0 0 0 0000 ffffffff 0 LDGSTS.E.128 1 R2 16 1 0x00007f5000000010 16 0 \n' >>k.trace
	run -0 trace-pack -q -o k.tpack k.trace
	assert_output ''
	trace-pack -d -o - k.tpack >k.traceg
	grep -q '^-kernel name = vecadd' k.traceg
	run -1 grep -E '^#BEGIN_TB|LDGSTS' k.traceg
}

@test "temporary files are created in TMPDIR" {
	trace-pack "$(trace vecadd)" >a.tpack
	run -2 sh -c 'TMPDIR=/nowhere trace-pack -l <a.tpack'
	assert_output --partial 'temporary file'
	mkdir t && run -0 sh -c 'TMPDIR=$PWD/t trace-pack -l <a.tpack'
	[ -z "$(ls t)" ]
}

@test "a text, a packed file and a packed pipe give the same results, whatever the text contains" {
	run -0 python3 "$ROOT/tests/tools/pack-property" -s 7 -n 60 "$(trace vecadd)" "$(trace gather)" "$(trace uniform)" "$(trace ldgsts)" "$(trace ends)"
}

@test "unusual spellings of lines are simulated alike as text and packed" {
	mkdir k && cp "$(trace vecadd)/kernelslist.g" k
	for change in '/LDG/s/ /\t/3' 's/0x7f/7f/' 's/0x/0X/' '/^thread block/{n;s/$/ /}' 's/^#BEGIN_TB/& x/' \
		's/^\(0050\) ffffffff\(.*LDG.*\)/\1 f0f0f0f0\2/' 's/$/\r/'; do
		sed "$change" "$(trace vecadd)/kernel-1.traceg" >k/kernel-1.traceg
		trace-sim -q -g rtx3070 -F json k >text
		trace-pack -q k | trace-sim -q -g rtx3070 -F json | cmp - text || { echo "$change"; return 1; }
	done
}

@test "store values are packed to a fraction of their size with xz, and are restored" {
	v=$(trace values -n 4)
	trace-pack "$v" >v.tpack
	run -0 trace-pack -t v.tpack
	trace-pack -d -C out v.tpack
	same_directory "$v" out
	for k in 1 3 5; do # ramps, indices, constants: no entropy to speak of
		xz=$(xz -9e -c "$v/kernel-$k.traceg" | wc -c)
		[ "$((2 * $(trace-pack "$v/kernel-$k.traceg" | wc -c)))" -lt "$xz" ]
	done
	trace-sim -q -g qv100 -F json "$v" >text
	trace-sim -q -g qv100 -F json v.tpack | cmp - text
	trace-pack -k 6 v.tpack | trace-pack -d -o - | cmp - "$v/kernel-6.traceg"
}

@test "values of all shapes are restored" {
	sed -E 's/^([0-9a-f]{4} .*STG.*) $/\1 STORE_DATA F64 1 REG0:@ /' "$(trace vecadd)/kernel-1.traceg" |
		awk 'function lanes(kind, n, i, s) { s = ""; for (i = 0; i < 32; i++) s = s "T" i ":" number(kind, n, i) (i < 31 ? " " : ""); return s }
			function number(kind, n, i) {
				if (kind == 0) return sprintf("0x%016x", n * 4096 + i * i)
				if (kind == 1) return sprintf("0x%08x", (n * 2654435761 + i * 40503) % 4294967296)
				if (kind == 2) return n * i
				if (kind == 3) return sprintf("%02d", i)
				if (kind == 4) return i % 2 ? "0x7f800000" : "0xffc00001"
				return "999999999999999999" }
			/@/ { sub("@", lanes(n % 7 == 6 ? n % 3 : int(n / 8) % 6, n++)) } { print }' >x
	trace-pack -q x >x.tpack
	trace-pack -d -o - x.tpack | cmp - x
}

@test "packed free text is no larger than under xz" {
	sed 's/$/\r/' "$(trace values -n 4)/kernel-4.traceg" >a
	(printf -- '-'; seq 1 60000) >b
	for f in a b; do
		trace-pack -q $f >$f.tpack
		trace-pack -d -o - $f.tpack | cmp - $f
		[ "$(stat -c %s $f.tpack)" -lt "$(($(xz -9e -c $f | wc -c) * 102 / 100))" ]
	done
}
