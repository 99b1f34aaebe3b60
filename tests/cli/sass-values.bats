# SPDX-License-Identifier: BSD-2-Clause
# Machine code: constants beyond their banks.
load helper
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# Asserts that sm_80 code with the constant at byte $2 of bank $1 as the source of a MOV is refused because $3.
refuses_constant() {
	python3 -c '
import sys
word = 0xa02 | 7 << 12 | 2 << 16 | int(sys.argv[2]) << 38 | int(sys.argv[1]) << 54 | 15 << 72 | 0xfe2 << 104
print(f"{word >> 64:016x} {word & 2 ** 64 - 1:016x}")' "$1" "$2" >words
	printf '%s\n' '000fea0003800000 000000000000794d' >>words
	"$ROOT/tests/data/sass/cubin.py" k <words >k
	run trace-exec -n k.launch
	assert_output "$3"
}

@test "constants beyond the end of their bank are refused when the code is loaded" {
	printf '%s\n' 'module k' 'buffer O bytes=4 zero' 'launch k grid=1 block=32 args O,O,i32:1' >k.launch
	refuses_constant 5 16 'trace-exec: k: error: not executed: MOV R2, c[0x5][0x10] (byte 16 of constant bank 5, which has 0 bytes), PC 0x0000 of function k'
	refuses_constant 3 0 'trace-exec: k: error: not executed: MOV R2, c[0x3][0x0] (byte 0 of constant bank 3, which has 0 bytes), PC 0x0000 of function k'
	refuses_constant 0 1024 'trace-exec: k: error: not executed: MOV R2, c[0x0][0x400] (byte 1024 of constant bank 0, which has 1024 bytes), PC 0x0000 of function k'
	refuses_constant 0 1020 ''
}
