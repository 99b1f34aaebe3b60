# SPDX-License-Identifier: BSD-2-Clause
# Machine code: execution, checks and traces of cubins. sass/cubin.py makes cubins from encodings; programs compiled for
# seven architectures run if their directory is present.
load helper
bats_require_minimum_version 1.5.0

CASES=$ROOT/../shared/sass
PTX_CASES=$ROOT/../shared/ptx

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# Writes k.cubin from the encodings in a file of sass/, with options of cubin.py.
cubin() { "$ROOT/tests/data/sass/cubin.py" "${@:2}" k <"$ROOT/tests/data/sass/$1.sass" >k.cubin; }

# Writes k.launch for the steps kernel: 64 numbers from 0 on, at most 30 steps.
steps_launch() {
	cubin steps -S 256
	printf '%s\n' 'module k.cubin' 'buffer A bytes=256 i32=iota' "buffer O bytes=${1-256} zero" \
		'launch k grid=1 block=64 args A,O,i32:30' 'save O o.bin' >k.launch
}

expected_steps() {
	python3 -c '
import struct, sys
def steps(v, n=0):
    while v > 1 and n < 30:
        v, n = v * 3 + 1 if v & 1 else v >> 1, n + 1
    return n
sys.stdout.buffer.write(struct.pack("<64i", *(steps(63 - i) * 100 + steps(i ^ 1) for i in range(64))))'
}

@test "a kernel with divergent lanes, shared memory and a barrier gives the right values in machine code" {
	steps_launch
	expected_steps >want.bin
	for options in "" "--no-check" "--code sass" "-g a100"; do
		run -0 trace-exec -n $options k.launch
		assert_output ''
		cmp want.bin o.bin
	done
}

@test "the side of a branch with fewer lanes runs first, and lanes wait at BSYNC" {
	steps_launch
	trace-exec -q -o app k.launch
	# lanes 0 and 1 leave the loop before it starts; the others follow
	run awk '/^00c0/ { print $2; getline; print $1, $2; exit }' app/kernel-1.traceg
	assert_output $'00000003\n0180 00000003'
	run grep -c '^0190 ffffffff ' app/kernel-1.traceg
	assert_output 2
}

@test "the trace has the tracer's lines: registers, opcode, width, addresses, immediate" {
	steps_launch
	trace-exec -q -o app k.launch
	run grep -m 1 '^0050' app/kernel-1.traceg
	assert_output '0050 ffffffff 1 R2 LDG.E 1 R2 4 1 0xc0000000 4 0 '
	run grep -m 1 '^0190' app/kernel-1.traceg
	assert_output '0190 ffffffff 0 STS 2 R7 R0 4 1 0x7f0000000000 4 0 '
	run grep -m 1 '^0140' app/kernel-1.traceg
	assert_output --regexp '^0140 [0-9a-f]{8} 1 R3 SHF.R.U32.HI 2 R255 R2 0 1 $'
	run grep -E '^-(shmem|nregs|binary version|accelsim)' app/kernel-1.traceg
	assert_line -- '-shmem = 256'
	assert_line -- '-nregs = 16'
	assert_line -- '-binary version = 80'
	trace-exec -q k.launch >app.tpack
	trace-pack -d -o - app.tpack | grep '^0050' >packed
	grep '^0050' app/kernel-1.traceg | diff - packed
	run -0 trace-sim -q -g a100 -F json app.tpack
}

@test "a packed trace has the addresses of accesses that share a base with an earlier access" {
	cubin bases -S 1024
	local block options
	# two full warps; then one and a half, which leave words of shared memory unwritten
	for block in 64 48; do
		[ $block = 64 ] && options=-q || options="-q --no-check"
		printf '%s\n' 'module k.cubin' 'buffer A bytes=1024 i32=iota' 'buffer O bytes=1024 zero' \
			"launch k grid=2 block=$block args A,O,i32:0" >k.launch
		rm -rf app unpacked
		trace-exec $options -o app k.launch
		run grep -c -E '^0050 ffffffff .* 4 1 0xc0000100 4 0 $' app/kernel-1.traceg
		assert_output 2
		trace-exec $options -f -F pack -o app.tpack k.launch
		trace-pack -q -f --level fast -o text.tpack app/kernelslist.g
		cmp app.tpack text.tpack
		trace-pack -q -d -C unpacked app.tpack
		diff -r app unpacked
	done
}

@test "an out-of-bounds access is reported with program counter and instruction" {
	steps_launch 128
	launch_ends 1 "write of 4 bytes at 0xc0000180, 0 bytes after 'O' of 128 bytes"
	assert_output --partial 'PC 0x0210: STG.E desc[UR4][R2.64], R5'
}

@test "a race is reported with both program counters and instructions" {
	# all threads store their number to word 0
	printf '%s\n' '000e220000002100 0000000000077919' '000fe200078e00ff 00005800ff027624' '000fe20000000f00 0000590000037a02' \
		'000fe20000000a00 0000460000047ab9' '001fe2000c101904 0000000702007986' '000fea0003800000 000000000000794d' \
		'000fc0000383ffff fffffff000007947' | "$ROOT/tests/data/sass/cubin.py" -p 8 k >k.cubin
	printf '%s\n' 'module k.cubin' 'buffer A bytes=256 zero' 'launch k grid=2 block=64 args A' >k.launch
	run -0 trace-exec -n k.launch
	local where='(kernel k, PC 0x0040: STG.E desc[UR4][R2.64], R7)'
	assert_line "trace-exec: k.cubin: warning: race: warp 1 writes byte 0 of 'A', which warp 0 writes at PC 0x0040 of CTA (0,0,0) (expected a barrier between them or an atomic) $where"
	assert_line --partial "(expected one lane to write, or an atomic) $where"
	assert_line --partial "which others write in the same launch (expected an atomic or two launches) $where"
}

@test "SHFL from a lane that does not execute it is reported with program counter and text" {
	steps_launch
	# @P1 of the steps kernel excludes the lanes that stopped at the limit of steps
	sed '/SHFL/s/7f89/1f89/' "$ROOT/tests/data/sass/steps.sass" |
		"$ROOT/tests/data/sass/cubin.py" -S 256 k >k.cubin
	run -1 trace-exec -n k.launch
	[ "${#lines[@]}" -eq 1 ]
	assert_output --partial "k.cubin: error: SHFL: lane 26 reads a lane that does not execute it (kernel k, thread (26,0,0) of CTA (0,0,0), PC 0x01e0: @P1 SHFL.BFLY"
	run -0 trace-exec -n --no-check k.launch
	assert_output ''
}

@test "WARPSYNC with a mask that lacks the executing lane is reported with program counter and text" {
	steps_launch
	# WARPSYNC MASK instead of the shuffle
	local mask
	for mask in fffffffe ffffffff; do
		sed "/SHFL/s/.*/000fea0003800000 ${mask}00007948/" "$ROOT/tests/data/sass/steps.sass" |
			"$ROOT/tests/data/sass/cubin.py" -S 256 k >k.cubin
		[ "$mask" != ffffffff ] || { run -0 trace-exec -n k.launch; assert_output ''; continue; }
		run -1 trace-exec -n k.launch
		[ "${#lines[@]}" -eq 1 ]
		assert_output --partial "k.cubin: error: WARPSYNC: mask 0xfffffffe lacks lane 0, which executes it (kernel k, thread (0,0,0) of CTA (0,0,0), PC 0x01e0: WARPSYNC"
		run -0 trace-exec -n --no-check k.launch
		assert_output ''
	done
}

@test "WARPSYNC with a mask from a constant is executed" {
	steps_launch
	# WARPSYNC c[0x0][0x170], the third parameter, instead of the shuffle
	sed "/SHFL/s/.*/000fea0003800000 00005c0000007b48/" "$ROOT/tests/data/sass/steps.sass" |
		"$ROOT/tests/data/sass/cubin.py" -S 256 k >k.cubin
	run -1 trace-exec -n k.launch
	[ "${#lines[@]}" -eq 1 ]
	assert_output --partial 'WARPSYNC: mask 0x0000001e lacks lane 0, which executes it (kernel k, thread (0,0,0) of CTA (0,0,0), PC 0x01e0: WARPSYNC c[0x0][0x170])'
	sed -i 's/i32:30/i32:-1/' k.launch
	run -0 trace-exec -n k.launch
	assert_output ''
}

@test "a branch to WARPSYNC for absent lanes reports a mask that lacks an executing lane" {
	# IMAD.MOV.U32 R0, RZ, RZ, MASK; R2UR UR6, R0; BRA.DIV UR6, 0xf0; EXIT ...; 0xf0: WARPSYNC.COLLECTIVE R0, 0x120
	local mask end='000fea0003800000 000000000000794d'
	for mask in 00000ff0 ffffffff; do
		{
			printf '%s\n' "000fc600078e00ff ${mask}ff007424" '000fda00000e0000 00000000000672ca' '001fea000b800000 0000000206307947'
			yes "$end" | head -12
			printf '%s\n' '002fea0003c00000 0000000000087348' "$end" "$end" "$end"
		} | "$ROOT/tests/data/sass/cubin.py" -s 90 -p 8 k >k.cubin
		printf '%s\n' 'module k.cubin' 'buffer A bytes=8 zero' 'launch k grid=1 block=32 args A' >k.launch
		[ "$mask" != ffffffff ] || { run -0 trace-exec -n k.launch; assert_output ''; continue; }
		run -1 trace-exec -n k.launch
		[ "${#lines[@]}" -eq 1 ]
		assert_output --partial "k.cubin: error: BRA.DIV: mask 0x00000ff0 lacks lane 0, which executes it (kernel k, thread (0,0,0) of CTA (0,0,0), PC 0x0020: BRA.DIV UR6, 0xf0)"
	done
}

@test "a compare-and-swap loop on doubles in shared memory ends" {
	cubin doubles -S 8 -p 8
	printf '%s\n' 'module k.cubin' 'buffer A bytes=8 zero' 'launch k grid=1 block=64 args A' 'save A a.bin' >k.launch
	run -0 trace-exec -n k.launch
	assert_output ''
	python3 -c 'import struct, sys; sys.stdout.buffer.write(struct.pack("<d", 64 * 32.0))' | cmp - a.bin
}

@test "an atomic whose result is a predicate releases lanes with equal addresses to the code after it" {
	cubin generic -S 8 -p 8
	printf '%s\n' 'module k.cubin' 'buffer A bytes=16 zero' 'launch k grid=1 block=64 args A' 'save A a.bin' >k.launch
	for options in '' '--no-check'; do
		run -0 trace-exec $options -n k.launch
		assert_output ''
		python3 -c '
import struct, sys
sums = [sum(i + 0.5 for i in range(64) if (i % 3 == 1) == shared) for shared in (False, True)]
sys.stdout.buffer.write(struct.pack("<2d", *sums))' | cmp - a.bin
	done
}

@test "FFMA2 multiplies and adds two pairs, also repeated, swapped and negated; .LO_HI.NP is rejected" {
	gives_computed_result ffma2
	printf '%s\n' '080fe200010a0042 0000003028427249' '000fea0003800000 000000000000794d' |
		"$ROOT/tests/data/sass/cubin.py" -s 100 -r 80 k >k.cubin
	printf '%s\n' 'module k.cubin' 'buffer O bytes=4 zero' 'launch k grid=1 block=32 args O,O,i32:1' >k.launch
	launch_ends 2 'not executed: FFMA2 R66, R40.F32x2.LO_HI.NP, R48.reuse.F32'
}

@test "16-bit MUFU uses the format and half that its bits name; the sine of whole turns is 0" {
	for sm in 75 80 90 100; do
		"$ROOT/tests/data/sass/mufu" . $sm
		run -0 trace-exec -n k.launch
		assert_output ''
		cmp o.bin want.bin
	done
	run -0 trace-exec --disassemble k.cubin
	assert_output --partial 'MUFU.TANH.F16 R20, R8.H1'
	assert_output --partial 'MUFU.EX2.BF16 R20, -R8'
	assert_output --partial 'MUFU.SIN R20, R8'
	"$ROOT/tests/data/sass/mufu" . 80
	run -0 trace-exec --disassemble k.cubin
	assert_output --partial 'MUFU.EX2.F16 R20, -R8.H1'
	printf '%s\n' '000e220000000900 0000000200087308' '000fea0003800000 000000000000794d' |
		"$ROOT/tests/data/sass/cubin.py" k >k.cubin
	printf '%s\n' 'module k.cubin' 'buffer O bytes=4 zero' 'launch k grid=1 block=32 args O,O,i32:1' >k.launch
	launch_ends 2 'not executed: MUFU.EX2'
}

@test "shared atomics, mbarriers, calls by address, generic atomics and part warps, as compiled for sm_80" {
	"$ROOT/tests/data/sass/ampere" .
	run -0 trace-exec -n --limit 100000 k.launch
	assert_output ''
	cmp o.bin want.bin
}

@test "LEPC gives the address at its distance; a collective vote covers the lanes that each lane names" {
	"$ROOT/tests/data/sass/lepc" .
	run -0 trace-exec -n --limit 100000 k.launch
	assert_output ''
	cmp o.bin want.bin
}

@test "F2FP of e4m3 and e5m2; FRND, F2I and I2F of bf16; VIMNMX3.RELU, negated VIADD and swapped HFMA2 pairs" {
	gives_computed_result narrow
}

@test "an atomic on 16 bits accesses its whole word, which may end after the buffer" {
	local bytes
	for bytes in 2 6; do
		cubin half_atomic -p 8
		printf '%s\n' 'module k.cubin' "buffer A bytes=$bytes zero" \
			"launch k grid=4 block=32 args i64:$((0xc0000000 + bytes - 2))" 'save A o.bin' >k.launch
		run -0 trace-exec -n k.launch
		assert_output ''
		run od -An -tx2 -j $((bytes - 2)) o.bin
		assert_output ' 5800' # 128
	done
	printf '%s\n' 'module k.cubin' "buffer A bytes=2 zero" "launch k grid=4 block=32 args i64:0xc0000004" >k.launch
	run -1 trace-exec -n k.launch
	assert_output --partial "error: atomic of 4 bytes at 0xc0000004, 2 bytes after 'A' of 2 bytes (expected an address in a buffer)"

	# a word whose address is not computed from that of a smaller object
	sed s/fffffffd07027812/ffffffff07027812/ "$ROOT/tests/data/sass/half_atomic.sass" |
		"$ROOT/tests/data/sass/cubin.py" -p 8 k >k.cubin
	printf '%s\n' 'module k.cubin' 'buffer A bytes=2 zero' 'launch k grid=4 block=32 args A' >k.launch
	run -1 trace-exec -n k.launch
	assert_output --partial "error: read of 4 bytes at 0xc0000000, at byte 0 of 'A' of 2 bytes (expected an access that ends in the buffer)"
}

@test "a finding names the source line if the cubin has a line table" {
	printf '%s\n' 000fc000000000000000000000007918 000fc00000300000000000040000795c 000fea0003800000000000000000794d |
		python3 "$ROOT/tests/data/cubin/cubin_code.py" 80 0:3,16:7 >a.cubin
	printf '%s\n' 'module a.cubin' 'launch k grid=1 block=32 args' >a.launch
	run -1 trace-exec -n a.launch
	assert_output --partial 'CTA (0,0,0), src/kernel.cu line 7, PC 0x0010: BPT.TRAP 0x1)'
}

@test "a finding in an inlined function names the calls; a table whose calls have no rows names none" {
	local rows want
	while read -r rows want; do
		printf '%s\n' 000fc000000000000000000000007918 000fc00000300000000000040000795c 000fea0003800000000000000000794d |
			python3 "$ROOT/tests/data/cubin/cubin_code.py" 80 "$rows" >a.cubin
		printf '%s\n' 'module a.cubin' 'launch k grid=1 block=32 args' >a.launch
		run -1 trace-exec -n a.launch
		assert_output --partial "CTA (0,0,0), src/kernel.cu line $want, PC 0x0010: BPT.TRAP 0x1)"
	done <<-'E'
		0:30,16:7:1 7, called at line 30
		0:30,0:20:1,16:7:2 7, called at line 20, called at line 30
		0:50,0:40:1,0:30:2,16:20:3 20, called at line 30, called at line 40, called at line 50
		0:60,0:50:1,0:40:2,0:30:3,16:20:4 20, called at line 30, called at line 40, ..., called at src/kernel.cu line 60
		0:30,16:7:2 7
		0:30,16:7:9 7
	E
}

@test "code that cannot be executed is rejected with function, program counter and text before anything runs" {
	{
		echo '000fea0003800000 000000000000790f'
		echo '000fea0003800000 000000000000794d'
	} | "$ROOT/tests/data/sass/cubin.py" k >k.cubin
	printf '%s\n' 'module k.cubin' 'buffer O bytes=4 zero' 'launch k grid=1 block=32 args O,O,i32:1' >k.launch
	run -2 trace-exec -n k.launch
	assert_output --regexp 'not executed: .*, PC 0x0000 of function k'
}

@test "texture references are rejected with the instruction that reads one" {
	[ -d "$CASES/of-ptx/cases" ] || skip "needs cubins with texture references"
	for sm in 80 90; do
		echo "module $CASES/of-ptx/cases/tex1d.sm_$sm.cubin" >k.launch
		run -2 trace-exec -n k.launch
		assert_output --regexp "not executed: (TLD|ULDC).*texture reference 'tx'.*, PC 0x00[1-9a-f]0 of function k"
	done
}

@test "code without an EXIT fails at its end, and a branch out of the code is rejected" {
	echo '000fc00000000000 0000000000007918' | "$ROOT/tests/data/sass/cubin.py" k >k.cubin
	printf '%s\n' 'module k.cubin' 'buffer O bytes=4 zero' 'launch k grid=1 block=32 args O,O,i32:1' >k.launch
	launch_ends 1 'the code ends here (expected an EXIT before its end)'
	echo '000fea0003800000 000000b000007947' | "$ROOT/tests/data/sass/cubin.py" k >k.cubin
	launch_ends 2 'branch out of the function'
}

@test "--code and -g choose the code; kinds and architectures that do not match are rejected" {
	steps_launch
	run -2 trace-exec -n --code ptx k.launch
	assert_output --partial "'k.cubin' is machine code (expected PTX, as --code says)"
	run -2 trace-exec -n -g qv100 k.launch
	assert_output --partial 'no machine code for sm_70 (the file has sm_80)'
	run -2 trace-exec -n --code sass --as sass k.launch
	assert_output --partial '--as sass is for PTX'
}

@test "damaged cubins cause a message and status 1 or 2, and no crash" {
	steps_launch
	cp k.cubin good.cubin
	size=$(stat -c %s good.cubin)
	for i in $(seq 1 60); do
		python3 - "$i" "$size" <<-'EOF'
			import random, sys
			r = random.Random(int(sys.argv[1]))
			d = bytearray(open("good.cubin", "rb").read())
			for _ in range(r.randrange(1, 6)):
			    d[r.randrange(len(d))] = r.randrange(256)
			open("k.cubin", "wb").write(d[:r.randrange(1, len(d))] if r.random() < 0.2 else d)
		EOF
		run timeout 20 trace-exec -n --limit 100000 k.launch
		[ "$status" -le 2 ] || fail "status $status: $output"
	done
}

@test "programs compiled for seven architectures leave the expected buffers" {
	[ -d "$CASES" ] || skip "no directory $CASES"
	run "$ROOT/tests/tools/sass-cases" "$BUILD/trace-exec" "$CASES"
	assert_line --regexp '^programs: [0-9]+ equal, 0 not$'
}

@test "textures and surfaces give the same as in PTX, with handles in banks and in registers" {
	printf '%s\n' 'module k' 'buffer B bytes=512 u8=iota' 'buffer S bytes=128 u8=iota' 'buffer O bytes=4096 zero' \
		'texture T B u8x4 dims=8,8 read=float normalized filter=linear address=wrap' 'surface F S u32 dims=4,8' \
		'launch k grid=1 block=32 args T,F,O' 'save O o' 'save S s' >k.launch
	cp "$ROOT/tests/data/sass/texture/images.ptx" k
	run -0 trace-exec -n k.launch
	mv o o.ptx
	mv s s.ptx
	for sm in 75 90 100; do
		"$ROOT/tests/data/sass/cubin.py" -s $sm -r 40 -p 8,8,8 k <"$ROOT/tests/data/sass/texture/images-$sm.sass" >k
		run -0 trace-exec -n k.launch
		assert_output ''
		cmp o.ptx o
		cmp s.ptx s
	done
	# the handle of a surface where a texture is expected, and a number that is not a handle
	sed -i 's/args T,F,O/args F,T,O/' k.launch
	launch_ends 1 'expected the handle of a texture'
	sed -i -e '/^texture/d' -e 's/args F,T,O/args O,F,O/' k.launch
	launch_ends 1 'expected the handle of a texture'
}

@test "damaged textures and surfaces cause a message and status 0 to 2, and no crash" {
	printf '%s\n' 'module k' 'buffer B bytes=512 u8=iota' 'buffer S bytes=128 u8=iota' 'buffer O bytes=4096 zero' \
		'texture T B u8x4 dims=8,8 read=float normalized filter=linear address=wrap' 'surface F S u32 dims=4,8' \
		'launch k grid=1 block=32 args T,F,O' >k.launch
	for i in $(seq 1 100); do
		sm=$(printf '75\n90\n100\n' | sed -n "$((i % 3 + 1))p")
		python3 - "$i" "$ROOT/tests/data/sass/texture/images-$sm.sass" <<-'EOF' >numbers
			import random, sys
			r = random.Random(int(sys.argv[1]))
			lines = [l for l in open(sys.argv[2]) if l[0] != "#"]
			hit = [i for i, l in enumerate(lines) if any(n in l for n in ("TEX", "TLD", "TXD", "TXQ", "SUL", "SUS", "SUR"))]
			for k in r.sample(hit, 2):
			    words = [int(w, 16) for w in lines[k].split()[:2]]
			    words[r.randrange(2)] ^= 1 << r.randrange(12, 41)
			    lines[k] = "%016x %016x\n" % tuple(words)
			print("".join(lines))
		EOF
		"$ROOT/tests/data/sass/cubin.py" -s $sm -r 40 -p 8,8,8 k <numbers >k
		run timeout 20 trace-exec -n -q --limit 100000 k.launch
		[ "$status" -le 2 ] || fail "status $status: $output"
	done
}

@test "sm_120: 64-bit sums, comparisons and minima with immediates, saturated sums" {
	printf '%s\n' 'module k' 'buffer A bytes=512 file=in' 'buffer O bytes=2048 zero' 'launch k grid=1 block=32 args A,O' \
		'save O o' >k.launch
	python3 -c '
import random, struct, sys
r = random.Random(1)
edge = [0, 1, 2**31, 2**32, 2**32 - 5, 2**63, 2**64 - 1, 2**64 - 5, 2**64 - 6, 2**64 - 7, 2**31 - 1]
sys.stdout.buffer.write(b"".join(struct.pack("<Q", r.choice(edge + [r.getrandbits(64)])) for _ in range(64)))' >in
	equals_ptx wide 120 -r 24 -p 8,8
}

@test "signs of zeros, of absolute values and of sums; saturation, TF32, packed 16-bit integers" {
	printf '%s\n' 'module k' 'buffer A bytes=512 file=in' 'buffer O bytes=4096 zero' 'launch k grid=1 block=64 args A,O' \
		'save O o' >k.launch
	python3 -c '
import random, struct, sys
r = random.Random(3)
special = [0.0, -0.0, float("inf"), float("-inf"), 1.0, -1.0, 0.5, -1e-40, 1e-40, 65504.0, -1e9, 70000.0]
def bits():
    n = r.random()
    return struct.pack("<f", r.choice(special)) if n < 0.3 else struct.pack("<f", r.uniform(-3, 3)) if n < 0.7 \
        else struct.pack("<i", r.choice([-1, 1]) * r.getrandbits(r.choice([7, 16, 30])))
sys.stdout.buffer.write(b"".join(bits() for _ in range(128)))' >in
	equals_ptx signs 90 -r 24 -p 8,8
}

@test "sm_120: 64-bit sums with carry, atomic float sums, floats on the uniform datapath" {
	for v in -2,5 0,0 0,-1 7,0; do
		printf '%s\n' 'module k' "buffer A bytes=16 i64=list:$v" 'buffer O bytes=40 zero' \
			'launch k grid=1 block=1 args A,O,f32:1.5,f32:-0.25,f32:3' 'save O o' >k.launch
		equals_ptx carry 120 -r 24 -p 8,8,4,4,4
	done
	for v in -3.25,2 0.75,-0.5 1e30,1e-40; do
		args=O,f32:${v%,*},i32:3,i64:-9,i32:1006649856,f32:${v#*,},i32:31,f32:10,i32:77,f32:-2.5
		printf '%s\n' 'module k' 'buffer O bytes=128 zero' "launch k grid=1 block=1 args $args" 'save O o' >k.launch
		equals_ptx uniform 120 -r 24 -p 8,4,4,8,4,4,4,4,4,4
	done
}

@test "a grid barrier finds its counter through the launch values of the architecture" {
	PATH=$PATH:/usr/local/cuda/bin
	command -v nvcc >/dev/null || skip "needs nvcc"
	cat >grid.cu <<'EOF'
#include <cooperative_groups.h>
#include <cstdio>
__global__ void k(int *a)
{
	auto g = cooperative_groups::this_grid();
	int i = g.thread_rank(), v;
	a[i] = i;
	g.sync();
	v = a[(i + 64) % g.size()];
	g.sync();
	a[i] = v + 1;
}
int main()
{
	int *a, h[256], bad = 0;
	cudaMalloc(&a, sizeof(h));
	void *args[] = {&a};
	cudaLaunchCooperativeKernel((void *)k, 4, 64, args, 0, 0);
	cudaMemcpy(h, a, sizeof(h), cudaMemcpyDeviceToHost);
	for (int i = 0; i < 256; i++)
		bad += h[i] != (i + 64) % 256 + 1;
	printf("%d wrong\n", bad);
}
EOF
	nvcc -std=c++17 -cudart shared -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 grid.cu -o grid
	for g in a100 h100-pcie; do
		run -0 trace-exec -n -q -g $g --code sass --run ./grid
		assert_output '0 wrong'
	done
}

@test "initial values of variables and constants may be addresses of variables, strings and functions" {
	PATH=$PATH:/usr/local/cuda/bin
	command -v nvcc >/dev/null || skip "needs nvcc"
	cat >a.cu <<'EOF'
#include <cstdio>
__device__ int x = 5, y = 7, array[4] = {1, 2, 3, 4};
__constant__ int *to_x = &x;
__device__ int *pointers[3] = {&y, array + 2, &x};
__device__ int *const last = &array[3];
typedef int (*operation)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int multiply(int a, int b) { return a * b; }
__constant__ operation constant_operations[2] = {add, multiply};
__device__ operation operations[2] = {multiply, add};
__constant__ int constants[2] = {11, 12};
__device__ const int *to_constant = constants + 1;
__device__ const char *names[2] = {"one", "two"};
__constant__ const char *constant_names[2] = {"three", "four"};
__global__ void k(int *o, int i)
{
	o[0] = *to_x;
	o[1] = *pointers[i];
	o[2] = *pointers[i - 1];
	o[3] = *last;
	o[4] = constant_operations[i](3, 4);
	o[5] = operations[i](3, 4);
	o[6] = *to_constant;
	o[7] = names[i][1];
	o[8] = constant_names[i][2];
}
int main()
{
	int *d, h[9];
	cudaMalloc(&d, sizeof(h));
	k<<<1, 1>>>(d, 1);
	cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
	for (int i : h)
		printf("%d ", i);
	cudaFree(d);
}
EOF
	for option in '' -G -rdc=true; do
		nvcc -std=c++17 -cudart shared $option -arch=sm_80 a.cu -o a
		run -0 trace-exec -n -q -g a100 --code sass --run ./a
		assert_output '5 3 7 4 12 7 12 119 117 '
	done
}

@test "products: 8-bit on sm_89, larger double shapes on sm_90, bits by bytes on sm_120" {
	printf '%s\n' 'module k' 'buffer A bytes=4096 f32=random:3:-2:2' 'buffer O bytes=4096 zero' \
		'launch k grid=1 block=32 args A,O' 'save O o' >k.launch
	equals_ptx product8 89 -r 40 -p 8,8
	equals_ptx product1 120 -r 40 -p 8,8
	sed -i 's/f32=random/f64=random/' k.launch
	equals_ptx product64 90 -r 64 -p 8,8
}

@test "products with scaled blocks and of 6 and 4 bits on sm_120 equal PTX and a sum of their factors" {
	printf '%s\n' 'module k' 'buffer A bytes=2048 file=in' 'buffer O bytes=3072 zero' 'launch k grid=1 block=32 args A,O' \
		'save O o' >k.launch
	python3 -c '
import random, struct, sys
r = random.Random(6)
def metadata(n):
    return sum(r.choice([4, 8, 9, 12, 13, 14]) << 4 * i for i in range(8))
def factors():
    return bytes(r.randrange(0x30, 0x40) for _ in range(4))
sys.stdout.buffer.write(b"".join(bytes(r.getrandbits(8) & 0xbb for _ in range(32)) + struct.pack("<4f", *(r.uniform(-9, 9)
    for _ in range(4))) + factors() + factors() + struct.pack("<2I", metadata(8), 0) for _ in range(32)))' >in
	equals_ptx scaled 120 -r 40 -p 8,8
	# ptxas sets this bit if the next product has the same scale factors
	sed 's/60d00c042408747f/60d80c042408747f/' "$ROOT/tests/data/sass/scaled-120.sass" |
		"$ROOT/tests/data/sass/cubin.py" -s 120 -r 40 -p 8,8 k >k
	run -0 trace-exec -n k.launch
	cmp o.ptx o
	run -0 trace-exec -q --disassemble k
	assert_output --partial 'QMMA.16832.F32.E3M2.E2M1 R'
	assert_output --partial 'QMMA.SF.16832.F32.E4M3.E2M3.E8 R'
	assert_output --partial 'OMMA.SF.16864.F32.E2M1.E2M1.E8 R'
	assert_output --partial 'OMMA.SF.16864.F32.E2M1.E2M1.UE4M3.4X R'
	assert_output --partial 'OMMA.SF.SP.168128.F32.E2M1.E2M1.UE4M3.4X R'
	python3 - in o <<'EOF'
import struct, sys

given, got = (open(name, "rb").read() for name in sys.argv[1:])
lane = [given[64 * i:64 * i + 64] for i in range(32)]

def e2m1(v):
    return (-1 if v & 8 else 1) * [0, .5, 1, 1.5, 2, 3, 4, 6][v & 7]

def ue4m3(v):
    return (8 + v % 8) / 8 * 2.0 ** (v // 8 - 7)

def e3m2(v):
    return (-1 if v & 32 else 1) * ((4 + v % 4) / 4 * 2.0 ** (v // 4 % 8 - 3) if v & 28 else v % 4 / 16)

def nibble(data, i):
    return data[i // 2] >> i % 2 * 4 & 15

for row in range(16):
    for col in range(8):
        at = row % 8 * 4 + col // 2
        c = struct.unpack_from("<f", lane[at], 32 + row // 8 * 8 + col % 2 * 4)[0]
        six, four = c, c
        for k in range(32):
            a = lane[row % 8 * 4 + k % 16 // 4][k // 16 * 8 + row // 8 * 4 + k % 4]
            b = lane[col * 4 + k % 16 // 4][16 + k // 16 * 4 + k % 4]
            six += e3m2(a & 63) * e2m1(b >> 2 & 15)
        for k in range(64):
            a = nibble(lane[row % 8 * 4 + k % 32 // 8], k // 32 * 16 + row // 8 * 8 + k % 8)
            b = nibble(lane[col * 4 + k % 32 // 8][16:], k // 32 * 8 + k % 8)
            four += e2m1(a) * e2m1(b) * ue4m3(lane[row % 8 * 4 + 2 + row // 8][48 + k // 16]) * ue4m3(lane[col * 4][52 + k // 16])
        for offset, want in ((0, six), (48, four)):
            have = struct.unpack_from("<f", got, at * 96 + offset + row // 8 * 8 + col % 2 * 4)[0]
            assert have == struct.unpack("<f", struct.pack("<f", want))[0], (row, col, offset, have, want)
EOF
}

@test "8x8x4 products in steps on sm_75: layouts and accumulator types" {
	printf '%s\n' 'module k' 'buffer A bytes=2048 file=in' 'buffer O bytes=4096 zero' \
		'launch k grid=1 block=32 args A,O' 'save O o' >k.launch
	python3 -c '
import random, struct, sys
r = random.Random(4)
sys.stdout.buffer.write(b"".join(struct.pack("<16e8f", *(r.uniform(-4, 4) for _ in range(24))) for _ in range(32)))' >in
	equals_ptx product884 75 -r 40 -p 8,8
}

@test "device functions in their own sections are called by name and by address, and follow the kernel in the trace" {
	"$ROOT/tests/data/sass/linked" .
	run -0 trace-exec -n k.launch
	assert_output ''
	cmp want.bin o.bin
	trace-exec -q -o app k.launch
	# the kernel is at 0, add7 at 0x200, square and negate after it
	run awk '/^(00d0|0200|0210|00e0|0100|0220|0240) / { print $1, $2 }' app/kernel-1.traceg
	assert_line --index 0 '00d0 ffffffff'
	assert_line --index 1 '0200 ffffffff'
	assert_line --index 2 '0210 ffffffff'
	assert_line --index 3 '00e0 ffffffff'
	assert_line --index 4 '0100 ffffffff'
	assert_line --regexp '^0240 (55555555|aaaaaaaa)$'
	"$ROOT/tests/data/sass/linked" -t 0x37 .
	launch_ends 2 "relocation of type 0x37 to 'add7' at PC 0x00d0 of function k (expected 0x38, 0x39, 0x3a or 0x4b)"
	"$ROOT/tests/data/sass/linked" -t 0x3e .
	launch_ends 2 "kernels that launch kernels (dynamic parallelism) are not executed: function k launches 'add7' at PC 0x00d0"
	# the variable contains kernels to launch
	"$ROOT/tests/data/sass/linked" -t 0x3e -d 0x23 .
	launch_ends 2 "function k launches 'add7' at PC 0x00d0"
	"$ROOT/tests/data/sass/linked" -d 0x23 .
	run -1 trace-exec -n k.launch
	refute_output --partial 'relocation'
	"$ROOT/tests/data/sass/linked" -d 4 .
	rm o.bin
	run -0 trace-exec -n k.launch
	assert_output ''
	cmp want.bin o.bin
	"$ROOT/tests/data/sass/linked" -d 9 .
	launch_ends 2 "relocation of type 0x9 to 'square' in initial values (expected 1 to 4)"
	"$ROOT/tests/data/sass/linked" -s printk .
	launch_ends 2 "'printk' is not defined by the cubin"
	"$ROOT/tests/data/sass/linked" -s __cuda_syscall_cnpv2SetLastError .
	run -0 trace-exec -n k.launch
	assert_output ''
	"$ROOT/tests/data/sass/linked" -n local .
	rm o.bin
	run -0 trace-exec -n k.launch
	assert_output ''
	cmp want.bin o.bin
	"$ROOT/tests/data/sass/linked" -k -n local .
	run -2 trace-exec -n k.launch
	assert_output 'trace-exec: k.cubin: error: two kernels named local'
}

@test "fetches by gradients that machine code calls as functions have results of each type, and offsets" {
	for type in f32 s32 u32 f16; do
		for shape in 3d cube acube; do
			"$ROOT/tests/data/sass/linked" -s __cuda_syscall_tex_grad_${shape}_v4_${type}_f32 .
			launch_ends 1 'expected the handle of a texture'
		done
		"$ROOT/tests/data/sass/linked" -s __cuda_syscall_tex_grad_3d_v4_${type}_f32_offset .
		launch_ends 1 'read of 32 bytes at byte 1024 of .local, which has 1040 bytes' # 16 bytes are offsets
	done
	"$ROOT/tests/data/sass/linked" -s __cuda_syscall_tex_grad_3d_v4_f64_f32 .
	launch_ends 2 "'__cuda_syscall_tex_grad_3d_v4_f64_f32' is not defined by the cubin"
}

@test "a barrier with its number in a register and a count; conversions to and from 8-bit formats" {
	printf '%s\n' 'module k' 'buffer A bytes=1536 file=in' 'buffer O bytes=1536 zero' 'launch k grid=1 block=96 args A,O,i32:1' \
		'save O o' >k.launch
	python3 -c '
import random, struct, sys
r = random.Random(2)
special = [0.0, -0.0, float("inf"), float("-inf"), float("nan"), 448.0, 464.0, 500.0, -57344.0, 1e9, 2**-9, 2**-10, 2**-17]
def number():
    return r.choice(special) if r.random() < 0.3 else r.choice([1, -1]) * 2 ** r.uniform(-20, 18)
sys.stdout.buffer.write(b"".join(struct.pack("<2f2I", number(), number(), r.getrandbits(32), r.getrandbits(32)) for _ in range(96)))' >in
	equals_ptx barrier 90 -r 24
	run trace-exec -q --disassemble k
	assert_output --partial 'BAR.RED.POPC.DEFER_BLOCKING R'
}

@test "sm_100: loads and stores of 32 bytes a lane" {
	printf '%s\n' 'module k' 'buffer A bytes=256 u8=random:3' 'buffer O bytes=256 zero' 'launch k grid=1 block=1 args A,O' \
		'save O o' >k.launch
	equals_ptx octets 100 -r 24 -p 8,8
	trace-exec -q -o app k.launch
	run grep -m 1 256 app/kernel-1.traceg
	assert_output --regexp ' LDG.E.ENL2.256 2 R[0-9]+ R[0-9]+ 32 '
	sed -i 's/bytes=256 zero/bytes=150 zero/' k.launch
	launch_ends 1 'write of 32 bytes'
}

@test "recursion in a kernel's own section, and 64-bit shared atomics as loops of ATOMS.CAST.SPIN" {
	printf '%s\n' 'module k' 'buffer O bytes=1024 zero' 'launch k grid=1 block=64 args O' 'save O o' >k.launch
	equals_ptx calls 75 -r 40 -S 16 -p 8
}

@test "sm_120: MOV.64 moves a pair of uniform registers" {
	printf '%s\n' '000fe20000000000 0000040000047882' '000fe20000000000 0000000200057882' \
		'000fe40008010f00 0000000400047c02' '000e220000000a00 0000e000ff027b82' '000e2e0008000a00 00006b00ff0877ac' \
		'000fe2000c101b08 0000000402007986' '000fea0003800000 000000000000794d' |
		"$ROOT/tests/data/sass/cubin.py" -s 120 -p 8 k >k
	printf '%s\n' 'module k' 'buffer O bytes=8 zero' 'launch k grid=1 block=1 args O' 'save O o' >k.launch
	run -0 trace-exec -n k.launch
	assert_output ''
	run od -An -tu4 o
	assert_output --regexp '^ *1024 +2$'
}

@test "sm_80: F2F, FRND, F2I, F2FP and sums of halves convert as in PTX" {
	printf '%s\n' 'module k' 'buffer O bytes=128 zero' 'launch k grid=1 block=32 args O' 'save O o' >k.launch
	equals_ptx singles 80 -p 8
}

@test "sm_80: F2I, I2F, PRMT and divisions compute as in PTX" {
	printf '%s\n' 'module k' 'buffer O bytes=128 zero' 'launch k grid=1 block=32 args O' 'save O o' >k.launch
	equals_ptx integers 80 -r 32 -p 8
}

@test "WARPSYNC.EXCLUSIVE separates lanes of a warp that name different lanes" {
	printf '%s\n' 'module k' 'buffer O bytes=128 zero' 'launch k grid=1 block=32 args O' 'save O o' >k.launch
	equals_ptx halves 90 -p 8
}
