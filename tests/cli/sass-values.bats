# SPDX-License-Identifier: BSD-2-Clause
# Machine code: values that equal those of PTX, divergent lanes, constants beyond their banks, extern functions.
load helper
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

@test "sm_80: approximate quotients and roots, and differences with NaN, equal PTX" {
	python3 -c '
import random, struct, sys
r = random.Random(9)
singles = [0, 1 << 31, 0x7f800000, 0xff800000, 0x7fc00000, 1, 0x807fffff, 0x7f7fffff, 0x7e800001, 0xfe900000, 0x00800000]
doubles = [0, 0x7ff8 << 48, 0xfff8 << 48 | 5, 0x7ff0 << 48, 0xfff0 << 48, 0x3ff0 << 48]
def single():
    return r.choice(singles) if r.random() < 0.5 else r.getrandbits(32)
def double():
    return r.choice(doubles) if r.random() < 0.7 else r.getrandbits(64)
for _ in range(256):
    sys.stdout.buffer.write(struct.pack("<2I8x2Q", single(), single(), double(), double()))' >in
	printf '%s\n' 'module k' 'buffer A bytes=8192 file=in' 'buffer O bytes=12288 zero' 'launch k grid=1 block=256 args A,O' \
		'save O o' >k.launch
	equals_ptx quotients 80 -r 24 -p 8,8
	python3 - <<-'E' # the difference of a number and a NaN is the NaN with the other sign
		import struct
		given, got = open("in", "rb").read(), open("o", "rb").read()
		seen = 0
		for i in range(256):
		    (u, v), w = struct.unpack_from("<2d", given, 32 * i + 16), struct.unpack_from("<Q", got, 48 * i + 16)[0]
		    if u == u and v != v:
		        assert w == struct.unpack_from("<Q", given, 32 * i + 24)[0] ^ 1 << 63 | 1 << 51
		        seen += 1
		assert seen > 20
	E
}

@test "sm_75: approximate inverses of f64 treat subnormal numbers as zeros" {
	python3 -c '
import struct, sys
words = [0, 1, 1 << 51, (1 << 52) - 1, 1 << 52, 0x3ff8 << 48, 0x7fdfffff << 32, 0x7fefffff << 32 | 1, 0x7ff0 << 48, 0x7ff8 << 48]
sys.stdout.buffer.write(struct.pack("<32Q", *words, *(w | 1 << 63 for w in words), *((0x123 + i) << 52 | 0x5555 << i for i in range(12))))' >in
	printf '%s\n' 'module k' 'buffer A bytes=256 file=in' 'buffer O bytes=512 zero' 'launch k grid=1 block=32 args A,O' 'save O o' >k.launch
	equals_ptx inverses64 75 -p 8,8
	python3 -c '
import math, struct
got = struct.unpack("<64d", open("o", "rb").read())
assert got[2:8:2] == (math.inf,) * 3 and got[22:28:2] == (-math.inf,) * 3 and got[10] == 0.6666665077209473, got'
}

@test "sm_75: approximate functions of f32 scale subnormal operands and results, in PTX too" {
	python3 -c '
import random, struct, sys
r = random.Random(4)
words = [0xc965, 0xc30073cf, 0xfedd1d9d, 0, 1 << 31, 1, 0x807fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xc2fc0000, 0xc2fc0001]
words += [r.getrandbits(23) for _ in range(20)] + [0xc2fc0000 + r.getrandbits(20) for _ in range(16)] + [0x7e800000 + r.getrandbits(23) for _ in range(16)]
sys.stdout.buffer.write(struct.pack("<64I", *words))' >in
	printf '%s\n' 'module k' 'buffer A bytes=256 file=in' 'buffer O bytes=1536 zero' 'launch k grid=1 block=64 args A,O' 'save O o' >k.launch
	equals_ptx special32 75 -r 24 -p 8,8
	run -0 python3 -c '
import struct
o = struct.unpack("<384I", open("o", "rb").read())
print(*("%x" % v for v in (o[0], o[7], o[14])))'
	assert_output 'c305589c 176306 804a18d2' # each differs from the correctly rounded result by 1 in the last place
}

@test "sm_80: texels as pairs of halves at integer coordinates, with offsets" {
	printf '%s\n' 'module k' 'buffer B bytes=512 u8=iota' 'texture T B f16x4 dims=8,8' 'buffer O bytes=1024 zero' \
		'launch k grid=1 block=64 args T,O' 'save O o' >k.launch
	equals_ptx halftexels 80 -r 24 -p 8,8
	python3 -c '
import struct
got = struct.unpack("<256I", open("o", "rb").read())
for i in range(64):
    first = 8 * i & 0xff
    assert got[4 * i] == int.from_bytes(bytes(first + k for k in range(4)), "little")'
}

@test "copies that prefetch 64, 128 or 256 bytes into the L2" {
	printf '%s\n' 'module k' 'buffer A bytes=1024 u8=iota' 'buffer O bytes=896 zero' 'launch k grid=1 block=32 args A,O' 'save O o' >k.launch
	for sm in 80 100; do
		equals_ptx prefetch $sm -r 24 -p 8,8 -S $((sm < 90 ? 1024 : 2048))
		python3 -c '
import struct
for i, got in enumerate(struct.iter_unpack("<7I", open("o", "rb").read())):
    assert got == tuple(int.from_bytes(bytes((32 * i + at + k) % 256 for k in range(4)), "little") for at in (4, 24, 28, 0, 4, 8, 12))'
		run -0 trace-exec -q --disassemble k
		for text in LTC64B LTC128B.64 BYPASS.LTC256B.128; do
			assert_output --partial "LDGSTS.E.$text "
		done
	done
}

@test "sm_103: powers of 2 of pairs of f16 and bf16" {
	python3 -c '
import struct, sys
pairs = [0x3c003c00, 0xbc00c000, 0x80000000, 0x7c00fc00, 0x7e007e01, 0x00018001, 0x4bff4c00, 0xcc00d000, 0x3f80bf80, 0xc0007f80, 0x008042fe, 0xc2fec316]
sys.stdout.buffer.write(struct.pack("<32I", *pairs, *(0x3e003800 + 0x10101 * i for i in range(20))))' >in
	printf '%s\n' 'module k' 'buffer A bytes=128 file=in' 'buffer O bytes=512 zero' 'launch k grid=1 block=32 args A,O' 'save O o' >k.launch
	equals_ptx powers 103 -r 24 -p 8,8
	python3 -c 'import struct; o = open("o", "rb").read(); assert struct.unpack_from("<I", o) == (0x40004000,), o[:4]'
	run -0 trace-exec --disassemble k
	assert_output --partial 'MUFU.EX2.F16_V2 R'
	assert_output --partial 'MUFU.EX2.BF16_V2 R'
}

@test "sm_100: TEX at level 0 of a cube map" {
	printf '%s\n' 'module k' 'buffer B bytes=96 u8=iota' 'texture T B u8 dims=4,4 cube read=float normalized' 'buffer O bytes=128 zero' \
		'launch k grid=1 block=32 args T,O' 'save O o' >k.launch
	equals_ptx cubelevel 100 -r 24 -p 8,8
	python3 -c 'import struct; assert len(set(struct.unpack("<32f", open("o", "rb").read()))) > 3'
}

@test "fetches by gradients with offsets, and as pairs of halves, equal PTX" {
	PATH=$PATH:/usr/local/cuda/bin
	command -v ptxas >/dev/null || skip "needs ptxas"
	printf '%s\n' 'module k' 'buffer B bytes=1168 u8=iota' 'texture T B u8x4 dims=8,8,4 levels=3 read=float filter=linear normalized' \
		'texture C B u8x4 dims=4,4 cube levels=2 read=float normalized' 'buffer O bytes=1280 zero' 'launch k grid=1 block=32 args T,C,O' \
		'save O o' >k.launch
	cp "$ROOT/tests/data/sass/gradients.ptx" k
	run -0 trace-exec -n k.launch
	mv o o.ptx
	python3 -c 'import struct; assert len(set(struct.unpack("<320I", open("o.ptx", "rb").read()))) > 100'
	ptxas -arch=sm_90 "$ROOT/tests/data/sass/gradients.ptx" -o k
	run -0 trace-exec -n k.launch
	cmp o.ptx o
}

@test "sm_75: BRA.CONV has no operand, and lanes from two sides of a branch meet at a barrier" {
	printf '%s\n' 'module k' 'buffer O bytes=256 zero' 'launch k grid=1 block=64 args O' 'save O o' >k.launch
	equals_ptx meeting 75 -r 16 -S 256 -p 8
	run trace-exec -q --disassemble k
	assert_output --partial 'UMOV UR0, 0x1'
	assert_output --partial 'BRA.CONV 0x'
}

@test "lanes that leave a region by BREAK while a function has saved its barrier are not awaited" {
	gives_computed_result saved
}

# Asserts that sm_80 code with the constant at byte $2 of bank $1 as the source of a MOV is rejected because of $3.
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

@test "constants beyond the end of their bank are rejected when the code is loaded" {
	printf '%s\n' 'module k' 'buffer O bytes=4 zero' 'launch k grid=1 block=32 args O,O,i32:1' >k.launch
	refuses_constant 5 16 'trace-exec: k: error: not executed: MOV R2, c[0x5][0x10] (byte 16 of constant bank 5, which has 0 bytes), PC 0x0000 of function k'
	refuses_constant 3 0 'trace-exec: k: error: not executed: MOV R2, c[0x3][0x0] (byte 0 of constant bank 3, which has 0 bytes), PC 0x0000 of function k'
	refuses_constant 0 1024 'trace-exec: k: error: not executed: MOV R2, c[0x0][0x400] (byte 1024 of constant bank 0, which has 1024 bytes), PC 0x0000 of function k'
	refuses_constant 0 1020 ''
}

@test "sums of products with special values for out-of-bounds elements are rejected" {
	refuses_code 90 'HFMA2.FMZ.FTZ R4, R8, R9, R10 (numbers that represent elements out of bounds)' \
		'000fe4000001100a 0000000908047231'
}

@test "malloc and printf work in machine code; lines appear in block order with any -j" {
	PATH=$PATH:/usr/local/cuda/bin
	command -v ptxas >/dev/null || skip "needs ptxas"
	cat >k.ptx <<-'E'
		.version 8.0
		.target sm_80
		.address_size 64
		.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
		.extern .func (.param .b64 r) malloc(.param .b64 n);
		.extern .func free(.param .b64 p);
		.global .align 1 .b8 text[4] = {37, 117, 10, 0};
		.visible .entry k(.param .u64 out)
		{
			.reg .pred %p;
			.reg .b32 %i, %v;
			.reg .b64 %f, %a, %m;
			.local .align 8 .b8 l[8];
			mov.u32 %i, %ctaid.x;
			not.b32 %v, %i; // earlier blocks last longer
			and.b32 %v, %v, 63;
			mul.lo.u32 %v, %v, 100;
		L:	add.u32 %v, %v, -1;
			setp.gt.s32 %p, %v, 0;
			@%p bra L;
			{ .param .b64 n; .param .b64 r; st.param.b64 [n], 16; call (r), malloc, (n); ld.param.b64 %m, [r]; }
			st.u32 [%m+12], %i;
			ld.u32 %v, [%m+12];
			st.local.u32 [l], %v;
			cvta.global.u64 %f, text;
			cvta.local.u64 %a, l;
			{ .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %f; st.param.b64 [a], %a; call (r), vprintf, (f, a); }
			{ .param .b64 p; st.param.b64 [p], %m; call free, (p); }
			ret;
		}
	E
	ptxas -arch=sm_80 k.ptx -o k
	printf '%s\n' 'module k' 'buffer O bytes=4 zero' 'launch k grid=64 block=1 args O' >k.launch
	seq 0 63 >want
	for jobs in 1 2 2; do
		trace-exec -n -j "$jobs" k.launch >got
		cmp want got
	done
	sed -i '/call free/d' k.ptx
	ptxas -arch=sm_80 k.ptx -o k
	run -1 trace-exec -n k.launch
	assert_output --regexp 'k: error: leak: 64 allocations of kernels, 1024 bytes [(]kernel k, PC 0x[0-9a-f]+: CALL'
	sed -i 's/+12[]]/+16]/' k.ptx
	ptxas -arch=sm_80 k.ptx -o k
	run -1 trace-exec -n k.launch
	assert_output --partial "write of 4 bytes at 0xc0000110, 0 bytes after 'device malloc' of 16 bytes"
}

# Writes k, whose two warps store different values to one word of shared memory and then execute fence $1.
stores_then_fence() {
	printf '%s\n' '000e220000002100 0000000000007919' '000fe20000000800 00000000ff007388' \
		"000fc0000000$1 0000000000007992" '000fea0003800000 000000000000794d' >words
	"$ROOT/tests/data/sass/cubin.py" -S 16 k <words >k
	printf '%s\n' 'module k' 'buffer O bytes=4 zero' 'launch k grid=1 block=64 args O,O,i32:1' >k.launch
}

@test "MEMBAR.SC.VC, which unoptimised code has before its end, does not hide a race on shared memory" {
	stores_then_fence 5000
	run -1 trace-exec -n k.launch
	assert_output --partial 'race: write at byte 0 of .shared that warp 0 has written since the last barrier'
	stores_then_fence 0000
	run -0 trace-exec -n k.launch
	run trace-exec -q --disassemble k
	assert_output --partial 'MEMBAR.SC.CTA'
}

# Writes a kernel whose 6 threads fill 24 bytes of shared memory. $1, $2: a load into R4 and further; $3: a store to global memory.
loads_shared() {
	printf '%s\n' '000e220000002100 0000000000007919' '000fe20000000f00 0000580000027a02' '000fe20000000f00 0000590000037a02' \
		'000fe20000000a00 0000460000047ab9' '000fe20000004800 0000000000007388' "$1" "$2" \
		'000fea0003800000 000000000000794d' >words
	"$ROOT/tests/data/sass/cubin.py" -S 24 k <words >k
	printf '%s\n' 'module k' 'buffer O bytes=8 zero' 'launch k grid=1 block=6 args O,O,i32:1' 'save O o' >k.launch
}

@test "a funnel shift of two words is undefined if both are" {
	printf '%s\n' 'module k' 'buffer O bytes=128 zero' 'launch k grid=1 block=32 args O' >k.launch
	"$ROOT/tests/data/sass/cubin.py" -S 256 -p 8 k <"$ROOT/tests/data/sass/funnel.sass" >k
	run -0 trace-exec -n k.launch
	assert_output ''
	sed /STS/d "$ROOT/tests/data/sass/funnel.sass" | "$ROOT/tests/data/sass/cubin.py" -S 256 -p 8 k >k
	run -1 trace-exec -n k.launch
	assert_output --partial 'uninitialised bytes at byte 0 of .shared, stored to global memory'
}

@test "a merged load of shared memory may end after the last word, whose use is reported; other loads are not in bounds" {
	loads_shared '000e280000000c00 00001000ff047984' '000fe2000c101b04 0000000402007986' # LDS.128 R4, [0x10]; STG.E.64 R4
	for check in --check --no-check; do
		run -0 trace-exec -n $check k.launch
		assert_output ''
		assert_equal "$(od -An -tu4 o)" '          4          5'
	done
	loads_shared '000e280000000c00 00001000ff047984' '000fe2000c101b04 0000000602007986' # STG.E.64 R6
	run -1 trace-exec -n k.launch
	assert_output --partial 'bytes, some uninitialised, at byte 16 of .shared'
	loads_shared '000e280000000800 00001800ff047984' '000fe2000c101904 0000000402007986' # LDS R4, [0x18]; STG.E R4
	run -1 trace-exec -n k.launch
	assert_output --partial 'read of 4 bytes at byte 24 of .shared, which has 24 bytes'
	loads_shared '000e280000000c00 00002000ff047984' '000fe2000c101b04 0000000402007986' # LDS.128 R4, [0x20]
	run -1 trace-exec -n k.launch
	assert_output --partial 'read of 16 bytes at byte 32 of .shared, which has 24 bytes'
}

# Writes k, a kernel for sm_$1 with the instructions of stdin and one parameter, an address. $2: bytes that k.launch saves.
kernel_of_words() {
	"$ROOT/tests/data/sass/cubin.py" -s "$1" -r 16 -p 8 k >k
	printf '%s\n' 'module k' "buffer O bytes=$2 zero" 'launch k grid=1 block=1 args O' 'save O o' >k.launch
}

@test "the clock advances between two instructions that read it; SR_VIRTCFG has the warps that an SM can hold" {
	kernel_of_words 90 8 <<-'E'
		000e620000000a00 00008400ff027b82 # LDC.64 R2, c[0x0][0x210]
		000fe20000000a00 0000820000047ab9 # ULDC.64 UR4, c[0x0][0x208]
		000fe40000015000 00000000000a7805 # CS2R R10, SR_CLOCKLO
		000fcc0000015000 00000000000c7805 # CS2R R12, SR_CLOCKLO
		000fe20007ffe0ff 8000000a0c007210 # IADD3 R0, R12, -R10, RZ
		000f240000000200 0000000000017919 # S2R R1, SR_VIRTCFG
		000ea20000004300 0000000000067919 # S2R R6, SR_VIRTUALSMID
		000fe2000c101b04 0000000002007986 # STG.E.64 desc[UR4][R2.64], R0
		000fea0003800000 000000000000794d # EXIT
	E
	run -0 trace-exec -n k.launch
	assert_output ''
	assert_equal "$(od -An -tu4 o)" '          1      16384'
	run -0 trace-exec -q --disassemble k
	assert_output --partial 'S2R R6, SR_VIRTUALSMID'
}

@test "sm_87: BMOV sets a convergence barrier to a number, and copies one to another" {
	kernel_of_words 87 8 <<-'E'
		000fe80000000000 ffffffff00007956 # BMOV.32 B0, 0xffffffff
		000fe80000100000 0000000000017f55 # BMOV.32.CLEAR B1, B0
		000fe80000100000 0000000001047355 # BMOV.32.CLEAR R4, B1
		000fe80000000000 0000000000057355 # BMOV.32 R5, B0
		000fe20000000f00 0000580000027a02 # MOV R2, c[0x0][0x160]
		000fe20000000f00 0000590000037a02 # MOV R3, c[0x0][0x164]
		000fe20000000a00 0000460000047ab9 # ULDC.64 UR4, c[0x0][0x118]
		000fe2000c101b04 0000000402007986 # STG.E.64 desc[UR4][R2.64], R4
		000fea0003800000 000000000000794d # EXIT
	E
	run -0 trace-exec -n k.launch
	assert_output ''
	assert_equal "$(od -An -tx4 o)" ' ffffffff 00000000'
	run -0 trace-exec -q --disassemble k
	assert_output --partial 'BMOV.32 B0, 0xffffffff'
	assert_output --partial 'BMOV.32.CLEAR B1, B0'
}

@test "sm_110: IMNMX takes the minimum of numbers of 32 bits, with and without signs" {
	kernel_of_words 110 8 <<-'E'
		000e620000000a00 0000e000ff027b82 # LDC.64 R2, c[0x0][0x380]
		000e2e0008000a00 00006b00ff0477ac # LDCU.64 UR4, c[0x0][0x358]
		000fe20000000f00 fffffffb00007802 # MOV R0, 0xfffffffb
		000fca0003ffe000 0000000200047817 # IMNMX.U32 R4, R0, 0x2, PT
		000fca0003ffe200 0000000200057817 # IMNMX R5, R0, 0x2, PT
		000fe2000c101b04 0000000402007986 # STG.E.64 desc[UR4][R2.64], R4
		000fea0003800000 000000000000794d # EXIT
	E
	run -0 trace-exec -n k.launch
	assert_output ''
	assert_equal "$(od -An -td4 o)" '           2          -5'
	run -0 trace-exec -q --disassemble k
	assert_output --partial 'IMNMX.U32 R4, R0, 0x2, PT'
}

@test "a call of a null pointer in machine code is an error" {
	kernel_of_words 75 8 <<-'E'
		000fe20000000f00 000000ff00047202 # MOV R4, RZ
		000fe20000000f00 000000ff00057202 # MOV R5, RZ
		000fde0003c00000 0000000004007343 # CALL.ABS.NOINC R4
		000fea0003800000 000000000000794d # EXIT
	E
	run -1 trace-exec -n k.launch
	assert_output --partial 'call of a null pointer (expected the address of a function) (kernel k'
	assert_output --partial 'PC 0x0020: CALL.ABS.NOINC R4'
}
