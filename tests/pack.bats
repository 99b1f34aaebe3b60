#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-pack: every option and exit status, round trips, slices, damage at every region of a stream.

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

same_folder() { diff -r "$1" "$2"; }

@test "every recipe comes back byte for byte" {
	for r in alu alu-pascal atomics barrier ends example gather gemm icache kepler ldgsts membar reduce reuse \
		shared spaces stream streams uniform vecadd; do
		trace-pack -q "$(trace $r)" >$r.tpack
		run -0 trace-pack -t $r.tpack
		assert_output ''
		trace-pack -d -C $r $r.tpack
		same_folder "$(trace $r)" $r
	done
}

@test "compressed input: the text inside, under the name without suffix, in the list too" {
	cp -r "$(trace streams)" in && cd in && xz kernel-1.traceg && gzip kernel-2.traceg && zstd -q --rm kernel-3.traceg
	sed -i -e 's/kernel-1.traceg/&.xz/' -e 's/kernel-2.traceg/&.gz/' -e 's/kernel-3.traceg/&.zst/' kernelslist.g
	cd ..
	trace-pack in -o s.tpack
	trace-pack -d s.tpack -C out
	same_folder "$(trace streams)" out
}

@test "a list, a folder, standard input and a stream give the same bytes" {
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

@test "one kernel file; a folder without list says so" {
	t=$(trace vecadd)
	trace-pack "$t/kernel-1.traceg" | trace-pack -d -o - | cmp - "$t/kernel-1.traceg"
	mkdir nolist && cp "$t/kernel-1.traceg" nolist
	run -0 --separate-stderr trace-pack nolist -o n.tpack
	assert_regex "$stderr" 'no kernel list'
	trace-pack -d n.tpack -C back
	same_folder nolist back
}

@test "text that is no trace is kept" {
	mkdir k && printf 'hello\0world' >k/kernel-1.traceg && printf 'kernel-1.traceg\nMemcpyDtoH,0x0,4\n' >k/kernelslist.g
	run -0 trace-pack k -o k.tpack
	assert_output --partial 'no regular trace'
	trace-pack -d k.tpack -C back
	same_folder k back
	run -0 trace-pack -l k.tpack
	assert_output --partial 'kept as text'
}

@test "irregular lines and CRLF are kept" {
	cp -r "$(trace vecadd)" k
	sed -i '30s/ 0 0 0 $/  0 0 0/' k/kernel-1.traceg
	trace-pack k | trace-pack -d -C a
	same_folder k a
	sed -i 's/$/\r/' k/kernel-1.traceg
	trace-pack k | trace-pack -d -C b
	same_folder k b
	head -c 5000 "$(trace vecadd)/kernel-1.traceg" >k/kernel-1.traceg
	trace-pack k | trace-pack -d -C c
	same_folder k c
}

@test "-k and --tb take slices, marked, with the original grid" {
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

@test "thread blocks of text and of a stream are cut alike" {
	t=$(trace gemm)
	trace-pack "$t" >a.tpack
	for r in 0 1 2- 1-3 0-; do
		trace-pack "$t" -k 1 --tb $r | trace-pack -d -o - >x
		trace-pack a.tpack -k 1 --tb $r | trace-pack -d -o - | cmp - x
		trace-pack -d a.tpack -k 1 --tb $r -o - | cmp - x
	done
}

@test "a stream from a pipe is unpacked and packed in order; a cut one is noticed" {
	trace-pack "$(trace streams)" >a.tpack
	cat a.tpack | trace-pack -d -C out
	same_folder "$(trace streams)" out
	cat a.tpack | trace-pack | cmp - a.tpack
	for n in 1 9 60; do
		head -c -$n a.tpack >cut
		run -2 sh -c 'cat cut | trace-pack -d -o -  >/dev/null'
		assert_output --partial 'end of the stream'
		run -2 sh -c 'cat cut | trace-sim -q -g rtx3070 >/dev/null'
	done
}

@test "-d -k writes the list of what is selected" {
	trace-pack "$(trace streams)" | trace-pack -d -k 2 -C out
	[ -f out/kernel-2.traceg ] && [ ! -e out/kernel-1.traceg ]
	grep -q kernel-2 out/kernelslist.g
	run grep -c '^kernel' out/kernelslist.g
	assert_output 1
}

@test "numbers in the text behind lines" {
	mkdir k && sed -E 's/^([0-9a-f]{4} .*STG.*) $/\1 STORE_DATA T0:1 T1:17 /' "$(trace vecadd)/kernel-1.traceg" |
		awk '/STORE_DATA/ { sub("T1:17", "T1:" 17 * n++ " 0" n " " n * n * n "000000000000") } { print }' >k/kernel-1.traceg
	grep -q STORE_DATA k/kernel-1.traceg
	trace-pack -q k | trace-pack -d -C out
	same_folder k out
}

@test "a thread block of many megabytes" {
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

@test "-l lists, as JSON too" {
	trace-pack "$(trace streams)" >a.tpack
	run -0 trace-pack -l a.tpack
	assert_line --partial '4 kernels'
	run -0 trace-pack -l -F json -k 2 a.tpack
	assert_line --partial '"record":"kernel"'
	assert_line --partial '"position":2'
	assert_line --partial '"ratio":'
}

@test "existing files stay without -f; no half-written file" {
	trace-pack "$(trace vecadd)" -o a.tpack
	run -2 trace-pack "$(trace vecadd)" -o a.tpack
	run -0 trace-pack -f -19 "$(trace vecadd)" -o a.tpack
	trace-pack -d a.tpack -C out
	rm out/kernelslist.g
	run -2 trace-pack -d a.tpack -C out
	assert_output --partial 'existing file'
	[ ! -e out/kernelslist.g ]
	run -0 trace-pack -d -f a.tpack -C out
	cp -r "$(trace vecadd)" broken && rm broken/kernel-1.traceg
	run -2 trace-pack broken -o b.tpack
	[ ! -e b.tpack ]
}

@test "usage errors" {
	for o in '-20' '-j 0' '--memory 5' '--tb x' '-F xml' '-C out' '--bogus'; do
		run -2 trace-pack $o "$(trace vecadd)" -o x
	done
	run -2 trace-pack a b
}

@test "damage and truncation in every region are noticed and located" {
	trace-pack "$(trace streams)" >a.tpack
	n=$(stat -c %s a.tpack)
	for i in $(seq 0 7 $((n - 1))) $((n - 1)) $((n - 5)) $((n - 8)); do
		cp a.tpack b.tpack
		b=$(od -An -tu1 -j$i -N1 a.tpack)
		printf "\\$(printf %o $((b ^ 85)))" | dd of=b.tpack bs=1 seek=$i conv=notrunc status=none
		run trace-pack -t b.tpack
		[ "$status" = 1 ] || [ "$status" = 2 -a $i -lt 8 ] || { echo "byte $i: $status"; return 1; }
		assert_output --partial 'found'
	done
	for i in 0 5 8 9 20 $((n / 2)) $((n - 9)) $((n - 4)) $((n - 1)); do
		head -c $i a.tpack >b.tpack
		run trace-pack -t b.tpack
		[ "$status" = 1 ] || [ "$status" = 2 -a $i -lt 8 ] || { echo "cut at $i: $status"; return 1; }
	done
}

@test "a newer version says so" {
	trace-pack "$(trace vecadd)" >a.tpack
	printf '\x63' | dd of=a.tpack bs=1 seek=7 conv=notrunc status=none
	run -2 trace-pack -t a.tpack
	assert_output --partial 'version 99'
}

@test "raw traces are grouped, within any memory" {
	t=$(trace vecadd)/kernel-1.traceg
	{
		sed -n '1,/^#traces format/p' "$t"
		echo
		awk '/^thread block/ { split($4, b, ",") } /^warp =/ { w = $3 }
			/^[0-9a-f]+ [0-9a-f]+ / { print NR % 97, b[1], b[2], b[3], w, $0 }' "$t" |
			sort -s -n -k1,1 | cut -d' ' -f2-
	} >kernel-1.trace
	trace-pack kernel-1.trace >a
	trace-pack --memory 64K kernel-1.trace >b
	cmp a b
	trace-pack -d a
	[ -f kernel-1.traceg ]
	[ "$(grep -c '^#BEGIN_TB' kernel-1.traceg)" = "$(grep -c '^#BEGIN_TB' "$t")" ]
	[ "$(grep -c '^[0-9a-f]* ffffffff' kernel-1.traceg)" = "$(grep -c '^[0-9a-f]* ffffffff' "$t")" ]
}

@test "trace-sim gives the same record for text, stream and pipe" {
	t=$(trace streams)
	trace-pack "$t" >a.tpack
	trace-sim -q -g rtx3070 -F json "$t" >text
	trace-sim -q -g rtx3070 -F json a.tpack | cmp - text
	trace-pack "$t" | trace-sim -q -g rtx3070 -F json | cmp - text
}
