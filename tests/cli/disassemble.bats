#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-exec --disassemble: published encodings have their text, unknown ones are shown, damaged files are rejected.

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$BATS_TEST_TMPDIR" || return; }

# Writes a cubin for sm_$1 with a kernel k made of the encodings on stdin.
cubin() { python3 "$ROOT/tests/data/cubin/cubin_code.py" "$@"; }

@test "published encodings of sm_70 to sm_120 print as their published text" {
	grep -v '^#' "$ROOT/tests/data/cubin/pairs.tsv" >pairs
	[ "$(wc -l <pairs)" -gt 200 ]
	for sm in $(cut -f1 pairs | sort -un); do
		awk -F'\t' -v sm="$sm" '$1 == sm { print $2 }' pairs | cubin "$sm" >code.cubin
		awk -F'\t' -v sm="$sm" '$1 == sm { print $3 }' pairs >expected
		trace-exec -q --disassemble code.cubin | grep -v '^#' | cut -f3 >got
		run -0 diff expected got
	done
}

@test "no published encoding has unknown bits" {
	for sm in 70 75 86; do
		awk -F'\t' -v sm="$sm" '$1 == sm { print $2 }' "$ROOT/tests/data/cubin/pairs.tsv" | cubin "$sm" >code.cubin
		run -0 --separate-stderr trace-exec --disassemble code.cubin
		[ "$stderr" = "" ]
	done
}

@test "a branch target depends on the address and the architecture" {
	printf '%s\n' 000fc000000000000000000000007918 000fea0003800000fffffff000007947 | cubin 80 >a.cubin
	run -0 trace-exec --disassemble a.cubin
	assert_line --partial $'0010\t000fea0003800000fffffff000007947\tBRA 0x10'
	printf '%s\n' 000fc000000000000000000000007918 000fea00038000000000000000147947 | cubin 90 >a.cubin
	run -0 trace-exec --disassemble a.cubin
	assert_line --partial $'0010\t000fea00038000000000000000147947\tBRA 0x70'
}

# ptxas writes these encodings for wgmma.wait_group 0 to 7.
@test "WARPGROUP.DEPBAR shows how many groups may stay open" {
	for n in 0 1 2 3 4 5 6 7; do
		echo 000fe40000010${n}0000008000000079c5 | cubin 90 >a.cubin
		run -0 --separate-stderr trace-exec --disassemble a.cubin
		assert_line --partial $'\t'"WARPGROUP.DEPBAR.LE gsb0, 0x$n"
		[ "$stderr" = "" ]
	done
}

@test "control codes are printed before the text" {
	echo 001fca00078e02030000000000007a24 | cubin 80 >a.cubin
	run -0 trace-exec --disassemble --control a.cubin
	assert_line $'0000\t001fca00078e02030000000000007a24\tB0-----:R-:W-:Y:S05\tIMAD R0, R0, c[0x0][0x0], R3'
}

@test "unknown opcodes, unnamed values and unknown bits are shown and counted" {
	printf '%s\n' 000fc000000000000000000000007fff 000fe200000040000000000000007992 000fe40080000f0000000003000d7202 | cubin 80 >a.cubin
	run -0 --separate-stderr trace-exec --disassemble a.cubin
	assert_line $'0000\t000fc000000000000000000000007fff\tUNKNOWN.0xfff 0x000fc000000000000000000000007fff'
	assert_line --partial 'MEMBAR.SC.INVALID4'
	assert_line $'0020\t000fe40080000f0000000003000d7202\tMOV R13, R3\t?00000000800000000000000000000000'
	[[ $stderr == *'2 of 3 instructions have an unknown opcode or unknown bits' ]]
	run -0 --separate-stderr trace-exec -q --disassemble a.cubin
	[ "$stderr" = "" ]
}

@test "JSON has one record for each function and one for each instruction" {
	printf '%s\n' 000fe400078e00ff00000a00ff017624 000fea0003800000000000000000794d | cubin 80 >a.cubin
	trace-exec --disassemble -F json --control a.cubin >out.json
	[ "$(wc -l <out.json)" = 3 ]
	run -0 python3 -c '
import json
r = [json.loads(l) for l in open("out.json")]
assert r[0]["record"] == "function" and r[0]["name"] == "k" and r[0]["kernel"] and r[0]["sm"] == 80
assert r[0]["registers"] == 8 and r[0]["bytes"] == 32
assert r[1]["opcode"] == "IMAD.MOV.U32" and r[1]["text"] == "IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28]"
assert r[2]["pc"] == 16 and r[2]["text"] == "EXIT" and r[2]["control"].startswith("B------")'
}

@test "source lines come from the line table" {
	printf '%s\n' 000fc000000000000000000000007918 000fc000000000000000000000007918 000fea0003800000000000000000794d |
		cubin 80 0:3,16:7 >a.cubin
	run -0 trace-exec --disassemble a.cubin
	assert_line --index 1 '# src/kernel.cu:3'
	assert_line --index 3 '# src/kernel.cu:7'
	assert_line --index 5 --partial EXIT
	trace-exec --disassemble -F json a.cubin >out.json
	run -0 python3 -c '
import json
r = [json.loads(l) for l in open("out.json")][1:]
assert [x["line"] for x in r] == [3, 7, 7] and r[0]["file"] == "src/kernel.cu"'
}

@test "-g chooses the architecture; -o writes a file and keeps an existing one" {
	echo 000fea0003800000000000000000794d | cubin 80 >a.cubin
	run -0 trace-exec --disassemble -g a100 -o out a.cubin
	grep -q EXIT out
	run -2 trace-exec --disassemble -o out a.cubin
	run -0 trace-exec --disassemble -f -o out a.cubin
	run -2 trace-exec --disassemble -g rtx2060 a.cubin
	assert_output "trace-exec: a.cubin: error: no cubin for sm_75"
}

@test "wrong command lines are rejected" {
	run -2 trace-exec --disassemble
	assert_line --partial 'requires a file'
	run -2 trace-exec -F json x.launch
	assert_line --partial '-F json requires --disassemble'
	run -2 trace-exec --disassemble -F xml x
	assert_line --partial "unknown format 'xml' (expected pack, text or json)"
	run -2 trace-exec --disassemble absent
	run -2 trace-exec --disassemble "$ROOT/README.md"
	assert_output --partial 'no cubin'
}

@test "100 damaged cubins end with a message and status 2, or are disassembled" {
	printf '%s\n' 000fc000000000000000000000007918 000fea0003800000000000000000794d | cubin 80 0:3,16:7 >a.cubin
	python3 -c '
import random
random.seed(7)
whole = open("a.cubin", "rb").read()
for i in range(100):
    b = bytearray(whole)
    for _ in range(random.randint(1, 8)):
        b[random.randrange(len(b))] = random.choice((0, 1, 127, 255, random.randrange(256)))
    if i % 3 == 0:
        b = b[:random.randrange(len(b))]
    open(f"bad{i}", "wb").write(b)'
	for number in $(seq 0 99); do
		run --separate-stderr timeout 20 trace-exec --disassemble "bad$number"
		[ "$status" = 0 ] || { [ "$status" = 2 ] && [[ $stderr == "trace-exec: bad$number: error: "* ]]; } ||
			{ echo "bad$number: status $status: $stderr"; return 1; }
	done
}

@test "each instruction of the recorded programs is known" {
	[ -d "$ROOT/../shared/sass" ] || skip "the recorded programs are not here"
	for sm in 75 80 86 89 90 100 120; do
		run -0 --separate-stderr bash -c "trace-exec --disassemble '$ROOT'/../shared/sass/*/sm_$sm.cubin >out"
		[[ $stderr == "" || $stderr == *": 2 of "* ]]
		run ! grep -E 'UNKNOWN|INVALID' out
	done
}

@test "sass-pairs counts equal pairs and lists the others" {
	awk -F'\t' '$1 == 86 { printf "%s\t%x\t%s\n", $2, 16 * n++, $3 }' "$ROOT/tests/data/cubin/pairs.tsv" >pairs
	run -0 python3 "$ROOT/tests/tools/sass-pairs" 86 pairs
	assert_line --partial '(100.000 %)'
	sed '1s/[A-Z0-9]*$/OTHER/' pairs >wrong
	run -1 python3 "$ROOT/tests/tools/sass-pairs" 86 wrong
	assert_line --index 0 --partial OTHER
}
