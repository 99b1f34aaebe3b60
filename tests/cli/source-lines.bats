#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Source files and lines of PTX, cubins and --as sass: in traces, packed streams and profiles.

bats_require_minimum_version 1.5.0
load helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	cat >k.ptx <<-'END'
	.version 7.0
	.target sm_80
	.address_size 64
	.file 1 "/home/u/src/k.cu"
	.file 2 "inc/h.cuh"
	.visible .entry k(.param .u64 p)
	{
	.reg .b64 %rd<4>;
	.reg .b32 %r<4>;
	.reg .f32 %f<3>;
	.loc 1 3 0
	ld.param.u64 %rd1, [p];
	mov.u32 %r1, %tid.x;
	.loc 1 4 0
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd3, %rd1, %rd2;
	.loc 2 17 0
	ld.global.f32 %f1, [%rd3];
	add.f32 %f2, %f1, %f1;
	.loc 1 6 0
	st.global.f32 [%rd3], %f2;
	ret;
	}
	END
	printf '%s\n' 'module k.ptx' 'buffer A bytes=4096 zero' 'launch k grid=1 block=64 args A' >k.launch
}

profile() { trace-sim -q -f -g rtx3070 -F json -o r.json --profile p.json "$1"; }

# Prints rows "LINE ISSUES" of the profile.
lines() { stats-csv -q --top 100 --by line -F tsv p.json | awk -F '\t' 'NR > 1 && $5 != "" { gsub(/\\\\/, "\\", $5); print $5, $10 }' | sort; }

@test "PTX: files and lines of .loc appear in the profile" {
	trace-exec -q -o out k.launch
	profile out
	run -0 lines
	assert_output "$(printf '%s\n' '/home/u/src/k.cu:3 4' '/home/u/src/k.cu:4 4' '/home/u/src/k.cu:6 4' 'inc/h.cuh:17 4')"
	trace-pack -q -o out.tpack out
	mv p.json text.json
	profile out.tpack
	cmp text.json p.json
	# the colons in this opcode do not separate a line
	sed -i 's/:add.f32:/:cp.async.shared::cta:/' p.json
	run -0 stats-csv -q --top 100 --by pc -F tsv p.json
	assert_line --partial $'\tcp.async.shared::cta\tinc/h.cuh:17\t'
}

@test "--as sass: instructions keep the file and line of their PTX, in text and packed streams" {
	trace-exec -q -o out --as sass k.launch
	run -0 grep -E '^-(file|line)' out/kernel-1.traceg
	assert_output "$(printf '%s\n' '-file 1 = /home/u/src/k.cu' '-file 2 = inc/h.cuh' '-line 0000 = 1,3' '-line 0030 = 1,4' \
		'-line 0050 = 2,17' '-line 0070 = 1,6')"
	run -0 trace-lint -Werror -W header-original=off -W address-window=off out
	profile out
	run -0 lines
	assert_output "$(printf '%s\n' '/home/u/src/k.cu:3 6' '/home/u/src/k.cu:4 4' '/home/u/src/k.cu:6 4' 'inc/h.cuh:17 4')"
	run -0 stats-csv --top 2 --by stall -F tsv -k 1 p.json
	assert_line --partial $'\t0x0050\tLDG.E\tinc/h.cuh:17\tscoreboard_memory\t'
	trace-pack -q -o out.tpack out
	mkdir back
	trace-pack -q -d -C back out.tpack
	diff -r out back
	mv p.json text.json
	profile out.tpack
	cmp text.json p.json
	# results do not depend on source lines
	mv r.json with.json
	sed -i -E '/^-(file|line)/d' out/kernel-1.traceg
	profile out
	python3 - <<-'END'
	import json
	a, b = [[json.loads(l) for l in open(f)] for f in ("with.json", "r.json")]
	assert [x.get("stats") for x in a] == [x.get("stats") for x in b]
	END
	run -0 --separate-stderr stats-csv --top 10 --by line -F tsv p.json
	[[ $stderr == *'the trace has no source lines'* ]]
}

@test "cubins: the line table of the machine code is in the trace" {
	"$ROOT/tests/data/sass/cubin.py" -S 256 -l 0x0:10,0x40:12,0x50:30 k <"$ROOT/tests/data/sass/steps.sass" >k.cubin
	printf '%s\n' 'module k.cubin' 'buffer A bytes=256 i32=iota' 'buffer O bytes=256 zero' \
		'launch k grid=1 block=64 args A,O,i32:30' >k.launch
	trace-exec -q -o out k.launch
	run -0 grep -E '^-(file|line)' out/kernel-1.traceg
	assert_output "$(printf '%s\n' '-file 1 = src/kernel.cu' '-line 0000 = 1,10' '-line 0040 = 1,12' '-line 0050 = 1,30')"
	profile out
	run -0 lines
	assert_line --regexp '^src/kernel.cu:10 8$'
	assert_line --regexp '^src/kernel.cu:12 2$'
	[ "${#lines[@]}" = 3 ]
}

@test "cubins: line tables of DWARF 5 give directories and files, also with 64-bit offsets" {
	printf '%s\n' 'module k.cubin' 'buffer A bytes=256 i32=iota' 'buffer O bytes=256 zero' \
		'launch k grid=1 block=64 args A,O,i32:30' >k.launch
	for case in 0:/build/src/kernel.cu 1:/build/inc/h.cuh 2:/usr/own.cu 64:/build/src/kernel.cu 65:/build/inc/h.cuh; do
		"$ROOT/tests/data/sass/cubin.py" -S 256 -l 0x0:10,0x40:12,0x50:30 -5 "${case%%:*}" k \
			<"$ROOT/tests/data/sass/steps.sass" >k.cubin
		trace-exec -q -f -o out k.launch
		run -0 grep -E '^-(file|line)' out/kernel-1.traceg
		assert_output "$(printf '%s\n' "-file 1 = ${case#*:}" '-line 0000 = 1,10' '-line 0040 = 1,12' '-line 0050 = 1,30')"
	done
	# a file number that the table lacks, and a damaged table: the code runs without lines
	"$ROOT/tests/data/sass/cubin.py" -S 256 -l 0x0:10 -5 3 k <"$ROOT/tests/data/sass/steps.sass" >k.cubin
	trace-exec -q -f -o out k.launch
	run -1 grep -E '^-(file|line)' out/kernel-1.traceg
	"$ROOT/tests/data/sass/cubin.py" -S 256 -l 0x0:10 -5 0 k <"$ROOT/tests/data/sass/steps.sass" |
		LC_ALL=C sed 's/\x01\x08\x02\x0b\x05\x1e/\x01\x08\x02\x77\x05\x1e/' >k.cubin
	trace-exec -q -f -o out k.launch
	run -1 grep -E '^-(file|line)' out/kernel-1.traceg
}

@test "two modules: a file has one number, whatever number each module gives it" {
	sed -i 's/^st.global/call f, ();\n&/; s/^\.visible/.extern .func f();\n&/' k.ptx
	cat >f.ptx <<-'END'
	.version 7.0
	.target sm_80
	.address_size 64
	.file 1 "other.cu"
	.file 5 "inc/h.cuh"
	.visible .func f()
	{
	.reg .b32 %r<2>;
	.loc 1 80 0
	mov.u32 %r1, 1;
	.loc 5 90 0
	ret;
	}
	END
	sed -i '1a module f.ptx' k.launch
	trace-exec -q -o out k.launch
	profile out
	run -0 lines
	assert_line 'other.cu:80 2'
	assert_line 'inc/h.cuh:90 2'
}

@test "a line number in a trace's own column is kept and gets the file of the header" {
	trace-exec -q -o out --as sass k.launch
	sed -i -E 's/^-enable lineinfo = 0/-enable lineinfo = 1/; s/^[0-9a-f]{4} [0-9a-f]{8} /77 &/' out/kernel-1.traceg
	profile out
	run -0 lines
	assert_output "$(printf '%s\n' '/home/u/src/k.cu:77 14' 'inc/h.cuh:77 4')"
	sed -i -E '/^-(file|line)/d' out/kernel-1.traceg
	profile out
	run -0 lines
	assert_output '77 18'
}

@test "file names from inputs are printed as one short line of plain text" {
	trace-exec -q -o out --as sass k.launch
	long=$(printf '%0300d' 0 | tr 0 d)
	printf '1 = a[0]\x1b[31m\\x.cu\n2 = /%s/%s/k.cu\n' "$long" x >names
	awk 'NR == FNR { n[$1] = $0; next } /^-file/ { print "-file " n[$2]; next } { print }' names out/kernel-1.traceg >t
	mv t out/kernel-1.traceg
	for f in text json msgpack; do
		trace-sim -q -f -g rtx3070 -F $f -o r --profile p.json out
		run -0 lines
		assert_output "$(printf '%s\n' 'a\x5b0\x5d\x1b\x5b31m\x5cx.cu:3 6' 'a\x5b0\x5d\x1b\x5b31m\x5cx.cu:4 4' \
			'a\x5b0\x5d\x1b\x5b31m\x5cx.cu:6 4' 'x/k.cu:17 4')"
	done
	# a file name of PTX in the header of the trace
	sed -i 's/^.file 2 .*/.file 2 "a\x1b[2Jb"/' k.ptx
	trace-exec -q -f -o out --as sass k.launch
	grep -q '^-file 2 = a\\x1b\[2Jb$' out/kernel-1.traceg
}

@test "damaged source lines are reported with their place" {
	trace-exec -q -o out --as sass k.launch
	cp out/kernel-1.traceg good
	line=$(grep -n '^-line 0030' good | cut -d: -f1)
	for bad in '-line zz = 1,4' '-line 0000 = 1,4' '-line 100000000 = 1,4' '-line 0030 = 1' '-line 0030 = 1,-4' \
		'-line 0030 = 1,99999999999' '-line 0030'; do
		sed "${line}s/.*/$bad/" good >out/kernel-1.traceg
		run -2 trace-sim -q -g rtx3070 out
		assert_output --regexp "kernel-1.traceg:$line(:[0-9]+)?: error: .*expected"
	done
	# a file number without a name is shown as unknown
	sed "${line}s/.*/-line 0030 = 9,4/" good >out/kernel-1.traceg
	profile out
	run -0 lines
	assert_line '4 4'
}
