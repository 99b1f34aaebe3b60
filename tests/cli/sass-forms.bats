# SPDX-License-Identifier: BSD-2-Clause
# Rare forms of machine code give the same results as the PTX from which they were compiled.
load helper
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# Asserts that k.launch saves the same o with PTX $1 as module k and with the machine code of ptxas for sm_$2.
equals_ptxas() {
	cp "$ROOT/tests/data/sass/$1.ptx" k
	run -0 trace-exec -n k.launch
	mv o o.ptx
	ptxas "-arch=sm_$2" "$ROOT/tests/data/sass/$1.ptx" -o k
	run -0 timeout 60 trace-exec -n k.launch
	assert_output ''
	cmp o.ptx o
}

# Writes k.launch: kernel k has a buffer `in` of $1 bytes, a result of $2 bytes a thread, 64 threads, and arguments $3.
launch_of_64() {
	printf '%s\n' 'module k' "buffer A bytes=$1 file=in" "buffer O bytes=$((64 * $2)) zero" \
		"launch k grid=1 block=64 args A,O${3-}" 'save O o' >k.launch
}

@test "sm_100: 4-bit to 16-bit formats round to nearest and stochastically; f32 and 16-bit sums" {
	python3 -c '
import random, struct, sys
r = random.Random(4)
special = [0.0, -0.0, float("inf"), float("-inf"), float("nan"), 448.0, -6.1, 7.5, 70000.0, -1e39, 2**-9, 2**-24, 1e-40]
def number():
    return r.choice(special) if r.random() < 0.25 else r.choice([1, -1]) * 2 ** r.uniform(-12, 12)
def packed(v):
    return struct.unpack("<I", struct.pack("<f", max(-3e38, min(3e38, v))))[0]
for i in range(64):
    a = b"".join(struct.pack("<I", 0x7fc00000 if v != v else 0x7f800000 if v == float("inf") else packed(v)) for v in (number() for _ in range(4)))
    sys.stdout.buffer.write(a + struct.pack("<2I2e4x", r.getrandbits(32), r.getrandbits(32), r.uniform(-9, 9), r.uniform(-2, 2)))' >in
	launch_of_64 2048 128
	equals_ptx formats 100 -r 40 -p 8,8
	run trace-exec -q --disassemble k
	assert_output --partial 'F2FP.SATFINITE.E2M1.F32.PACK_AB_MERGE_C.RS'
	assert_output --partial 'FADD.F16 '
	assert_output --partial 'FFMA.BF16 '
}

@test "sm_120: uniform values are converted to 8 bits and TF32, and packed" {
	printf '%s\n' 'module k' 'buffer O bytes=84 u32=iota' 'launch k grid=1 block=1 args O,f32:3.3,f32:-150.7' 'save O o' >k.launch
	equals_ptx packs 120 -r 24 -p 8,4,4
	run trace-exec -q --disassemble k
	assert_output --partial 'UF2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C UR6, UR4, UR5, URZ'
	assert_output --partial 'UF2FP.TF32.F32.PACK_B.RZ UR4, URZ, 3.14'
	assert_output --partial 'UI2IP.U16.S32.SAT UR8, UR8, -0x5, URZ'
	assert_output --partial 'UF2IP.U8.F32.NTZ UR8, URZ, 195.5, URZ'
}

@test "sm_80: zero-filling copies, events, the warp number and 4-bit integers" {
	python3 -c '
import random, sys
sys.stdout.buffer.write(random.Random(5).randbytes(1024))' >in
	launch_of_64 1024 48 ,i32:20
	equals_ptx sparse 80 -r 24 -S 2048 -p 8,8,4
	run trace-exec -q --disassemble k
	assert_output --partial 'PMTRIG 0x8'
	assert_output --partial 'NANOSLEEP c[0x0][0x170]'
}

@test "sm_90: 128-bit and half atomics, and a loop that runs a uniform instruction once for each value" {
	python3 -c '
import random, sys
sys.stdout.buffer.write(random.Random(6).randbytes(2048))' >in
	launch_of_64 2048 80
	equals_ptx wideatoms 90 -r 40 -S 2048 -p 8,8
	run trace-exec -q --disassemble k
	assert_output --partial 'ATOMS.CAS.128 '
	assert_output --partial 'ATOMG.E.EXCH.128.'
	assert_output --partial '.MIN.F16x2.RN'
}

@test "sm_100: pairs of f32 and warp-wide f32 minima; unknown LDSM shapes are rejected" {
	python3 -c '
import random, struct, sys
r = random.Random(7)
special = [0.0, -0.0, float("inf"), float("-inf"), 1e-40, -1e-40, 3e38]
def number():
    return r.choice(special) if r.random() < 0.2 else r.uniform(-9, 9)
sys.stdout.buffer.write(struct.pack("<512f", *(number() for _ in range(512))))' >in
	launch_of_64 2048 96 ,i64:4647714816524288000
	equals_ptx pairs 100 -r 40 -p 8,8,8
	run trace-exec -q --disassemble k
	for text in FMUL2.RP FADD2.RM 'CREDUX.MAX.F32.NAN'; do
		assert_output --partial "$text"
	done
	refuses_code 100 'LDSM.INVALID1.M832 R4, [UR4] (shape)' '000e64000800c800 00000004ff04783b'
}

@test "sm_120: matrices of 8, 6 and 4 bits in shared memory equal PTX, at the documented positions" {
	printf '%s\n' 'module k' 'buffer A bytes=512 file=in' 'buffer O bytes=2048 zero' 'launch k grid=1 block=32 args A,O' \
		'save O o' >k.launch
	python3 -c 'import random, sys; sys.stdout.buffer.write(random.Random(8).randbytes(512))' >in
	equals_ptx bytes 120 -r 40 -S 3072 -p 8,8
	equals_ptx bytes 120 -r 40 -S 3072 -p 8,8 -w # parameters as in kernels with more than 4 KiB
	run -0 trace-exec -q --disassemble k
	for text in LDSM.8.MT1616.2 LDSM.U4x16P64TO8.M816.4 LDSM.U6x16P32TO8.MT1616 LDSM.U6x16P32TO8.M816.2 STSM.8.MT168.4; do
		assert_output --partial "$text"
	done
	python3 - in o <<'EOF'
import sys

given, got = (open(name, "rb").read() for name in sys.argv[1:])
row = [given[16 * i:16 * i + 16] for i in range(32)]

def element(r, i, bits):
    return int.from_bytes(row[r], "little") >> i * bits & (1 << bits) - 1

for lane in range(32):
    quad, place = lane // 4, lane % 4
    own = got[64 * lane:64 * lane + 64]
    for e in range(4):
        for k in range(4):
            assert own[4 * k + e] == row[16 * (k // 2) + 4 * place + e][quad + 8 * (k % 2)]
            assert own[16 + 4 * k + e] == element(8 * k + quad, 4 * place + e, 4)
        for k in range(2):
            assert own[32 + 4 * k + e] == element(4 * place + e, quad + 8 * k, 6)
            assert own[40 + 4 * k + e] == element(8 * k + quad, 4 * place + e, 6)
for r in range(32):  # stored: row 2 t + e mod 2 of matrix k has lane 4 g + t's byte e in column g + 8 (e / 2)
    for col in range(16):
        lane, e = col % 8 * 4 + r % 8 // 2, r % 2 + col // 8 * 2
        assert got[64 * r + 48 + col] == got[64 * lane + 4 * (r // 8) + e]
EOF
}

@test "a kernel whose stack the compiler cannot bound gets local memory for recursion" {
	printf '%s\n' 'module k' 'buffer O bytes=1024 zero' 'launch k grid=1 block=64 args O' 'save O o' >k.launch
	"$ROOT/tests/data/sass/cubin.py" -s 75 -r 40 -S 16 -p 8 k <"$ROOT/tests/data/sass/calls-75.sass" >k
	run -0 trace-exec -n --limit 1000000 k.launch
	mv o want
	python3 -c '
import struct
data, size = open("k", "rb").read(), struct.pack("<BBHI", 4, 0x12, 8, 1)
assert data.count(size) == 1
open("k", "wb").write(data.replace(size + bytes(4), size + b"\xff" * 4))'
	run -0 trace-exec -n --limit 1000000 k.launch
	assert_output ''
	cmp want o
}

@test "a group of lanes keeps the warp from the write of a uniform register to its use" {
	gives_computed_result uniform
}

@test "lanes that leave a convergence barrier by BREAK keep the warp until they wait" {
	gives_computed_result break
}

@test "diverged lanes do not see each other's writes to uniform registers and predicates" {
	gives_computed_result parted
	trace-exec -n --no-check k.launch
	cmp o.bin want.bin
}

@test "lanes that leave a convergence region meet the others at a WARPSYNC of the whole warp" {
	gives_computed_result leave
}

@test "lanes that enter a convergence region in groups may split differently before its end" {
	gives_computed_result regroup
}

@test "absolute jumps, carryless products, and addresses and predicates in uniform registers" {
	gives_computed_result jumps
	run -0 trace-exec -q --disassemble k.cubin
	for text in 'JMP 0x40' 'JMX R10' 'JMXU UR4' 'CLMAD.HI R18, R12, R14, R16' 'ULEPC UR6' 'UR2UP.B1 UPR, UR8, 0x7f'; do
		assert_output --partial "$text"
	done
}

@test "each lane may initialise an mbarrier; sm_100 does so by stores and SYNCS.CCTL.IVALL" {
	printf '%s\n' 'module k' 'buffer A bytes=256 u32=random:9' 'buffer O bytes=256 zero' 'launch k grid=1 block=32 args A,O' \
		'save O o' >k.launch
	equals_ptx barriers 90 -r 24 -S 2048 -p 8,8
	equals_ptx barriers 100 -r 24 -S 2048 -p 8,8
	run -0 trace-exec -q --disassemble k
	assert_output --partial 'SYNCS.CCTL.IVALL'
}

@test "sm_100: F2FP.RELU with a uniform register has no sign" {
	printf '%s\n' 'module k' 'buffer A bytes=1024 f32=random:3:-9:9' 'buffer O bytes=1024 zero' \
		'launch k grid=1 block=64 args A,O,i32:-1682185769' 'save O o' >k.launch
	equals_ptx relu 100 -r 24 -p 8,8,4
	run -0 trace-exec -q --disassemble k
	assert_output --regexp 'F2FP.SATFINITE.RELU.E4M3.F32.PACK_AB_MERGE_C.RS R[0-9]+, R[0-9]+[.reus]*, R[0-9]+[.reus]*, UR'
}

@test "up to sm_89, generic addresses of parameters come from bank 0" {
	printf '%s\n' 'module k' 'buffer O bytes=128 zero' 'launch k grid=1 block=32 args O,i64:1311768467294899695' 'save O o' >k.launch
	equals_ptx parameter 75 -r 24 -p 8,8
	equals_ptx parameter 80 -r 24 -p 8,8
	cp "$ROOT/tests/data/sass/parameter.ptx" k
	run -0 trace-exec -q -g rtx3070 --as sass -f -o app k.launch
	run grep -c ' LD\.E .* 0x1f87000[8c] ' app/kernel-1.traceg
	assert_output 1
	run -0 trace-lint app/kernelslist.g
	refute_output --partial address-null
}

@test "sm_90: ST without a descriptor has an offset, as exchanges in local memory use it" {
	for n in 0 1; do
		printf '%s\n' 'module k' 'buffer O bytes=1024 zero' "launch k grid=1 block=32 args O,i32:$n" 'save O o' >k.launch
		equals_ptx localcas 90 -r 24 -m 1024 -p 8,4
	done
	run trace-exec -q --disassemble k
	assert_output --regexp '\sST\.E\.64 \[R[0-9]+\+0x200\], R'
}

@test "BRA.U branches only if all lanes of the group do" {
	local mask
	for mask in 0 1 32 33; do
		printf '%s\n' 'module k' 'buffer O bytes=256 zero' "launch k grid=1 block=64 args O,i32:$mask" 'save O o' >k.launch
		"$ROOT/tests/data/sass/cubin.py" -s 90 -r 16 -p 8,4 k <"$ROOT/tests/data/sass/branchu-90.sass" >k
		run -0 trace-exec -n k.launch
		assert_output ''
		od -An -v -tu4 -w128 o | tr -s ' ' | cut -d' ' -f2-4
	done >got
	# bit 0 differs within a warp, bit 5 only between warps
	printf '%s\n' '2 2 2' '2 2 2' '2 2 2' '2 2 2' '2 2 2' '1 1 1' '2 2 2' '1 1 1' | diff - got
	run trace-exec -q --disassemble k
	assert_output --partial '@P0 BRA.U 0x1d0'
}

@test "64-bit exchanges at generic addresses in shared memory are atomic" {
	printf '%s\n' 'module k' 'buffer O bytes=2048 zero' 'launch k grid=1 block=128 args O' 'save O o' >k.launch
	equals_ptx exchange64 75 -r 24 -S 16 -p 8
	equals_ptx exchange64 90 -r 24 -S 1040 -p 8
}

@test "sm_120: UIMAD.HI is the upper half of a product plus a 64-bit sum" {
	for args in -3,5,1879048192 2147483647,-1,-7 -2147483648,1640531527,12; do
		printf '%s\n' 'module k' 'buffer O bytes=512 zero' "launch k grid=1 block=32 args O,i32:${args//,/,i32:}" 'save O o' >k.launch
		equals_ptx upperhalf 120 -r 16 -p 8,4,4,4
	done
	run trace-exec -q --disassemble k
	assert_output --partial 'UIMAD.HI UR6, UR12, -0x9, UR6'
}

@test "shared memory reserved for the system starts as zero and is not part of the block's memory" {
	printf '%s\n' 'module k' 'buffer O bytes=1024 zero' 'launch k grid=1 block=64 args O' 'save O o' >k.launch
	equals_ptx reserved 80 -r 16 -S 256 -p 8
	run -0 trace-exec -q -f -o app k.launch
	run -0 trace-lint app/kernelslist.g
	refute_output --partial shared-beyond
	cp o.ptx optimized
	cp "$ROOT/tests/data/sass/reserved.ptx" k
	"$ROOT/tests/data/sass/cubin.py" -s 80 -r 16 -S 256 -p 8 k <"$ROOT/tests/data/sass/reserved_o0-80.sass" >k
	run -0 trace-exec -n k.launch
	assert_output ''
	cmp optimized o
	equals_ptx reserved 90 -r 24 -S 1280 -p 8
	equals_ptx reserved 100 -r 24 -S 1280 -p 8
	run -0 python3 -c '
import struct
print(struct.unpack("<256I", open("o", "rb").read()) == tuple(v for t in range(64) for v in (0, 14304, 7 * t + 3, 256)))'
	assert_output True
}

@test "sm_120: USEL.64 selects numbers of 33 signed bits" {
	for args in 0,i64:1 33,i64:-3 40,i64:2; do
		printf '%s\n' 'module k' 'buffer O bytes=512 zero' "launch k grid=1 block=32 args O,i32:$args" 'save O o' >k.launch
		equals_ptx select64 120 -r 12 -p 8,4,8
	done
	run trace-exec -q --disassemble k
	assert_output --partial 'USEL.64 UR10, UR6, 0x1fffffffb, UP0'
}

@test "sm_100: a lane that holds a lock passes a BSYNC without .RECONVERGENT while the others spin" {
	printf '%s\n' 'module k' 'buffer A bytes=4 zero' 'buffer O bytes=132 zero' 'launch k grid=1 block=32 args A,O' 'save O o' >k.launch
	"$ROOT/tests/data/sass/cubin.py" -s 100 -r 24 -p 8,8 k <"$ROOT/tests/data/sass/lock-100.sass" >k
	run -0 timeout 60 trace-exec -n --limit 1000000 k.launch
	assert_output ''
	run -0 python3 -c '
import struct
v = 0
for i in range(32):
    v = (3 * v + 1) % 2**32
print(struct.unpack("<33I", open("o", "rb").read()) == (v,) * 33)'
	assert_output True
}

@test "sm_120: a block that asks for another block's work gets zero as answer and a completion of 16 bytes" {
	printf '%s\n' 'module k' 'buffer O bytes=48 u32=fill:7' \
		"launch k grid=1 block=1 args O,i64:$((3 << 48 | 2 << 32 | 1)),i64:1" 'save O o' >k.launch
	equals_ptx next-work 120 -r 24 -S 1048 -p 8,8,8
	run -0 od -An -v -tu4 -w48 o
	assert_output --regexp '^( +0){4} +1 +2 +3 +1 +1 +2 +3 +1$'
	# the answer goes to each block of the cluster
	sed 's/^000fd80008000000 \(00000000060073ca\)/000fd80008000100 \1/' "$ROOT/tests/data/sass/next-work-120.sass" |
		"$ROOT/tests/data/sass/cubin.py" -s 120 -r 24 -S 1048 -p 8,8,8 k >k
	run -0 trace-exec --disassemble k
	assert_line --partial 'UGETNEXTWORKID.BROADCAST [UR6], [UR7]'
	mv o o.self
	run -0 timeout 60 trace-exec -n --limit 100000 k.launch
	cmp o o.self
	sed 's/try_cancel.*::bytes/&.multicast::cluster::all/' "$ROOT/tests/data/sass/next-work.ptx" >k
	run -0 timeout 60 trace-exec -n --limit 100000 k.launch
	cmp o o.self
	# the address of the answer is not a multiple of 16
	sed 's/^\([0-9a-f]*\) 0000000608067291/\1 0000000708067291/; s/0000001006077890/0000001806077890/' \
		"$ROOT/tests/data/sass/next-work-120.sass" |
		sed '/STS.128/s/.*/000fc00000000000 0000000000007918/' |
		"$ROOT/tests/data/sass/cubin.py" -s 120 -r 24 -S 1064 -p 8,8,8 k >k
	run -1 timeout 60 trace-exec -n --limit 100000 k.launch
	assert_output --partial 'of .shared (expected a multiple of 16'
}

@test "asynchronous stores of sm_120 and one-dimensional tensor prefetches at coordinate 0 are decoded" {
	printf '%s\n' 'module k' 'buffer O bytes=8 zero' 'launch k grid=1 block=32 args O' >k.launch
	# the instructions follow the EXIT, and are decoded only
	for code in "120 000fea0003800000:000000000000794d 0033de000c0008ff:0000000308007dbd 0003e6000a0001ff:0000000004007dbe" \
		"90 000fea0003800000:000000000000794d 000fe20008000000:0000003f040075b8"; do
		read -r sm words <<<"$code"
		printf '%s\n' $words | tr : ' ' | "$ROOT/tests/data/sass/cubin.py" -s "$sm" -r 16 -p 8 k >k
		run -0 trace-exec -n k.launch
		assert_output ''
		trace-exec -q --disassemble k
	done >text
	cut -f3 text | grep '\[' >got
	printf '%s\n' 'STAS [R8.64], R3' 'REDAS.DEC [R4.64], R0' 'UTMAPF.L2.1D [URZ], [UR4]' | diff - got
}

@test "sm_120: ATOMG addresses are a register plus a uniform register, or have a descriptor" {
	printf '%s\n' 'module k' 'buffer O bytes=128 u32=fill:77' 'launch k grid=1 block=32 args O' 'save O o' >k.launch
	equals_ptx uniform-atom 120 -r 16 -p 8
	run -0 trace-exec -q --disassemble k
	assert_output --partial 'ATOMG.E.EXCH.STRONG.GPU PT, RZ, [R2.64+UR4], R5'
	sed 's/000c1ee104 8/000c1ef104 8/; s/00078e00ff 0000000405027825/00078e0002 0000000405027825/' \
		"$ROOT/tests/data/sass/uniform-atom-120.sass" | sed 's/^000eae0008000a00 .*/000e640000000a00 0000e000ff027b82/' |
		"$ROOT/tests/data/sass/cubin.py" -s 120 -r 16 -p 8 k >k
	run -0 trace-exec -n k.launch
	cmp o o.ptx
	run -0 trace-exec -q --disassemble k
	assert_output --partial 'ATOMG.E.EXCH.STRONG.GPU PT, RZ, desc[UR4][R2.64], R5'
}

@test "sm_100: R2UR.BROADCAST and R2UR.FILL act as R2UR" {
	local bits
	printf '%s\n' 'module k' 'buffer A bytes=4 zero' 'buffer O bytes=132 zero' 'launch k grid=1 block=32 args A,O' 'save O o' >k.launch
	for bits in 000 004 008; do
		sed -E "/ R2UR /s/^(.{8})000e/\\1${bits}e/" "$ROOT/tests/data/sass/lock-100.sass" |
			"$ROOT/tests/data/sass/cubin.py" -s 100 -r 24 -p 8,8 k >k
		run -0 timeout 60 trace-exec -n --limit 1000000 k.launch
		assert_output ''
		mv o o.$bits
	done
	cmp o.000 o.004
	cmp o.000 o.008
	run -0 trace-exec -q --disassemble k
	assert_output --partial 'R2UR.BROADCAST UR4, R10'
}

@test "sm_120: bulk copies to cluster shared memory run through the driver's function" {
	PATH=$PATH:/usr/local/cuda/bin
	command -v ptxas >/dev/null || skip "needs ptxas"
	python3 -c 'import random, sys; sys.stdout.buffer.write(random.Random(3).randbytes(256))' >in
	printf '%s\n' 'module k' 'buffer A bytes=256 file=in' 'buffer O bytes=256 zero' \
		'launch k grid=2 block=32 cluster=2 args A,O' 'save O o' >k.launch
	equals_ptxas unicast 120
	python3 -c '
i, o = (open(n, "rb").read() for n in ("in", "o"))
many = i[64:80] * 4
for own, other in ((0, 192), (128, 64)):
    assert o[own:own + 128] == bytes(a ^ b for a, b in zip(i[own:own + 64] + i[other:other + 64], many + many))'
}

@test "sm_120: tensor copies to cluster shared memory run through the driver's functions" {
	PATH=$PATH:/usr/local/cuda/bin
	command -v ptxas >/dev/null || skip "needs ptxas"
	python3 -c 'import random, sys; sys.stdout.buffer.write(random.Random(5).randbytes(640))' >in
	printf '%s\n' 'module k' 'buffer T bytes=640 file=in' 'buffer O bytes=256 zero' \
		'tensormap M T type=s32 dims=32,5 box=32,1' 'launch k grid=2 block=32 cluster=2 args M,O' 'save O o' >k.launch
	equals_ptxas tensorcast 120
	python3 -c '
import struct
i, o = (struct.unpack(f"<{n}I", open(name, "rb").read()) for n, name in ((160, "in"), (64, "o")))
for rank in range(2):
    for k in range(32):
        assert o[32 * rank + k] == (i[32 * rank + k] + 3 * i[32 * (3 - rank) + k]) % 2**32 ^ i[128 + k]'
}

@test "sm_120: tensor copies in im2col order to cluster shared memory" {
	PATH=$PATH:/usr/local/cuda/bin
	command -v ptxas >/dev/null || skip "needs ptxas"
	python3 -c 'import random, sys; sys.stdout.buffer.write(random.Random(6).randbytes(16 * 3**4))' >in
	printf '%s\n' 'module k' 'buffer T bytes=1296 file=in' 'buffer O bytes=1536 zero' \
		'tensormap A T type=s32 dims=4,9,9 pixels=8 channels=4 lower=0 upper=-1' \
		'tensormap B T type=s32 dims=4,5,5,3 pixels=8 channels=4 lower=0,-1 upper=-1,-1' \
		'tensormap C T type=s32 dims=4,3,3,3,3 pixels=8 channels=4 lower=0,0,-1 upper=-1,0,0' \
		'launch k grid=2 block=32 cluster=2 args A,B,C,O' 'save O o' >k.launch
	equals_ptxas im2colcast 120
	run trace-exec -q --disassemble k
	assert_output --partial CALL.ABS
	python3 -c '
i, o = (open(n, "rb").read() for n in ("in", "o"))
assert o[:128] == i[2 * 16:9 * 16] + i[10 * 16:11 * 16]  # the row of the box has 8 pixels, and the offset is 1
assert o[768:896] == i[16:9 * 16]
assert len({o[k:k + 128] for k in range(0, 768, 128)}) == 6 and o[384:768] == o[1152:]'
}

@test "local memory base, block index and shared memory size equal those measured on sm_90 and sm_120" {
	gives_computed_result state
	while IFS=: read -r wrong message; do
		# shellcheck disable=SC2086
		"$ROOT/tests/data/sass/state" . $wrong
		launch_ends 1 "$message"
	done <<-'E'
		4224:shared memory is set to 4224 bytes (expected a multiple of 128, at most the current 4096)
		64:shared memory is set to 64 bytes
		2048 2048:byte 2048 of .shared, which has 2048 bytes
		base:local memory of the warp moves to 0x100000040 (expected the address that GETLMEMBASE gave)
		lanes:SETCTAID in a block of several warps, or with different values in its lanes
	E
	"$ROOT/tests/data/sass/state" .
	sed -i 's/block=32/block=64/; s/bytes=[0-9]*/bytes=4096/' k.launch
	launch_ends 1 'SETCTAID in a block of several warps'
}

@test "opcodes without a published effect are rejected with that reason" {
	while IFS=: read -r code message; do
		refuses_code 90 "$message, PC 0x0000 of function k" "$code"
	done <<-'E'
		000fea0003800000 000000000000795b:KILL (only pixel shaders have it)
		000fe20008000000 00000000000575c7:UCGABAR_GET UR5 (the layout of the value is not published)
		000fe20008000000 00000007000073c7:UCGABAR_SET UR7 (the layout of the value is not published)
		000eaa0008015904 00000000ff0079a5:LDGMC.E (multicast memory belongs to several GPUs)
		000ea80008014104 00000000ff0079a4:LDGMC.E (multicast memory belongs to several GPUs)
		000fec0000016000 0000000000007b1d:BAR.SCAN.DEFER_BLOCKING 0x0 (the result of a scan is not published)
	E
}

@test "sm_90: minima and maxima of three pairs of halves (VHMNMX)" {
	python3 -c '
import random, sys
r = random.Random(7)
special = [0, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0x7f80, 0xffc0, 1, 0x8001, 0x3c00]
for _ in range(512):
    sys.stdout.buffer.write((r.choice(special) if r.random() < 0.4 else r.getrandbits(16)).to_bytes(2, "little"))' >in
	launch_of_64 1024 32
	equals_ptx minima 90 -r 18 -p 8,8
	run trace-exec -q --disassemble k
	assert_output --regexp 'VHMNMX R[0-9]+, R[0-9]+\.H1_H1, R[0-9]+\.H0_H0, R[0-9]+\.H1_H1, !PT'
	assert_output --partial 'VHMNMX.BF16_V2.NAN '
}

@test "sm_80: products of doubles with negated and absolute operands" {
	python3 -c '
import random, struct, sys
r = random.Random(8)
sys.stdout.buffer.write(struct.pack("<256d", *(r.uniform(-3, 3) for _ in range(256))))' >in
	launch_of_64 2048 64
	equals_ptx dmma 80 -r 32 -p 8,8
	run trace-exec -q --disassemble k
	assert_output --regexp 'DMMA.884 R[0-9]+, -R[0-9]+[.reus]*, \|R[0-9]+\|[.reus]*, \|R[0-9]+\|'
	assert_output --regexp 'DMMA.884 R[0-9]+, R[0-9]+[.reus]*, -\|R[0-9]+\|'
}

@test "sm_80: NaNs of bf16 as f32 and of f32 as tf32, rounded away from zero, have the bits of compiled code" {
	python3 -c '
import random, struct, sys
r = random.Random(12)
special = [0x7fffffff, 0x7f800001, 0xffc01234, 0xff80ff81, 0x7f7fffff, 0xff7ff000, 0x7f800000, 0xff800000, 0x00000001, 0x3f801000, 0xbf800fff]
for _ in range(64):
    sys.stdout.buffer.write(struct.pack("<I", r.choice(special + [r.getrandbits(32)])))' >in
	launch_of_64 256 16
	equals_ptx nans16 80 -r 14 -p 8,8
}

@test "sm_80: 64-bit compare-and-swap and exchange at generic addresses in shared memory are atomic" {
	python3 -c 'import sys; sys.stdout.buffer.write(bytes(range(256)) * 4)' >in
	launch_of_64 1024 16
	equals_ptx swaps 80 -r 22 -S 520 -p 8,8
	python3 -c 'import struct; v = struct.unpack("<128Q", open("o", "rb").read()); assert set(v[::2]) == {5 + 8 * 2016}'
	run trace-exec -q --disassemble k
	assert_output --regexp 'ATOM.E.CAS.64.STRONG.GPU P0, '
	assert_output --regexp 'ATOM.E.EXCH.64.STRONG.GPU P0, '
}

@test "sm_80: a 64-bit NaN has the sign and payload of the operand, or equals CUDART_NAN" {
	python3 -c '
import random, struct, sys
r = random.Random(11)
special = [0, 1 << 63, 0x7ff << 52, 0xfff << 52, 1 << 62, 0x7ff8 << 48, 0xfff8 << 48, 0x7ff8 << 48 | 0x123456789, 0xfffc << 48 | 5]
for _ in range(64):
    a = r.choice(special)
    sys.stdout.buffer.write(struct.pack("<QII", a, r.choice([0, 0x7fffffff, 0xffc00001, 0xff800000, 0x7fd00000]), 0))' >in
	launch_of_64 1024 32
	equals_ptx nans 80 -r 14 -p 8,8
	python3 -c '
import struct
bits = struct.unpack("<256Q", open("o", "rb").read())
assert {0xfff8 << 48, 0x7ff8 << 48, 0x7ff8 << 48 | 0x123456789, 0xfffc << 48 | 5} <= set(bits[::4])
assert {0x7fffffffe0000000, 0xfff8000020000000} <= set(bits[3::4])'
}

# Writes `in`: pairs of 16-bit integers, many of them equal or special, for 64 lanes of 16 bytes.
pairs_of_integers() {
	python3 -c '
import random, sys
r = random.Random(12)
special = [0, 1, 0x7fff, 0x8000, 0xffff, 0x0100]
for _ in range(512):
    sys.stdout.buffer.write((r.choice(special) if r.random() < 0.7 else r.getrandbits(16)).to_bytes(2, "little"))' >in
}

@test "sm_90: a minimum of 16-bit integer pairs (VIMNMX) says which pair each half came from" {
	pairs_of_integers
	launch_of_64 1024 32
	equals_ptx chosen 90 -r 20 -p 8,8
	run trace-exec -q --disassemble k
	assert_output --regexp 'VIMNMX.S16x2 R[0-9]+, P[0-6], P[0-6], R'
	sed 's/000fe40003c20200 00000007000d7248/000fe40003c20000 00000007000d7248/' "$ROOT/tests/data/sass/chosen-90.sass" |
		"$ROOT/tests/data/sass/cubin.py" -s 90 -r 20 -p 8,8 k >k
	run -2 trace-exec -n k.launch
	assert_output --regexp 'not executed: VIMNMX.U32 R13, P1, P4, R0, R7, PT \(predicate result\)'
}

@test "sm_120: sums of negated pairs (VIADD.16x2), and conversions to bf16 on the uniform datapath (UI2FP)" {
	pairs_of_integers
	launch_of_64 1024 16 ,i32:-77777
	equals_ptx negative 120 -r 18 -p 8,8,4
	run trace-exec -q --disassemble k
	assert_output --regexp 'VIADD.16x2 R[0-9]+, -R[0-9]+, -R[0-9]+'
	assert_output --regexp 'UI2FP.BF16.S32.RZ UR[0-9]+, UR[0-9]+'
}

@test "sm_120: 16-bit integers are converted on the uniform datapath (UI2FP), as in quotients" {
	pairs_of_integers
	for numbers in 60001,i16:-12345 3,i16:32767 65535,i16:-1; do
		launch_of_64 1024 16 ",u16:$numbers"
		equals_ptx shorts 120 -r 10 -p 8,8,2,2
	done
	run trace-exec -q --disassemble k
	assert_output --regexp 'UI2FP.F32.U16.RZ UR[0-9]+, UR[0-9]+'
	assert_output --regexp 'UI2FP.F32.S16 UR[0-9]+, UR[0-9]+'
}

@test "products of doubles round as their suffix says" {
	python3 -c '
import random, struct, sys
r = random.Random(9)
sys.stdout.buffer.write(struct.pack("<256d", *(r.uniform(-3, 3) for _ in range(256))))' >in
	launch_of_64 2048 64
	cat >check.py <<-'E'
		import struct
		v = struct.unpack("<512d", open("o", "rb").read())
		for i in range(0, 512, 8):
		    for near, zero, down, up in zip(v[i:i + 2], v[i + 2:i + 4], v[i + 4:i + 6], v[i + 6:i + 8]):
		        assert down <= near <= up and down < up and down <= zero <= up
		assert v[2::8] != v[4::8] and v[2::8] != v[6::8] and v[2::8] != v[::8]
	E
	cp "$ROOT/tests/data/sass/dmmaround.ptx" k
	run -0 trace-exec -n k.launch
	python3 check.py
	sed -i 's/wmma.mma.sync.aligned.row.col.m8n8k4/mma.sync.aligned.m8n8k4.row.col/' k
	run -0 trace-exec -n k.launch
	python3 check.py
	sed -i 's/mma.*rz.f64.f64.f64.f64/wmma.mma.sync.aligned.row.col.m16n16k16.rz.f32.f32/' k
	launch_ends 2 'with a rounding'
	PATH=$PATH:/usr/local/cuda/bin
	command -v ptxas >/dev/null || skip "needs ptxas"
	ptxas -arch=sm_80 "$ROOT/tests/data/sass/dmmaround.ptx" -o k
	run -0 trace-exec -n k.launch
	python3 check.py # PTX leaves open which lanes have which elements, so the bytes differ
	run trace-exec -q --disassemble k
	assert_output --partial 'DMMA.884.RZ '
}
