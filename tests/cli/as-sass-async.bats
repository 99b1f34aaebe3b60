#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-exec --as sass: Hopper's asynchronous instructions as lines of version 6, and the kernels of examples/hopper.

bats_require_minimum_version 1.5.0
load helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	EXAMPLES="$ROOT/examples/hopper"
}

# Prints the opcodes and operands of executed copies, products, arrivals and waits of a trace.
asynchronous() {
	cat "$1"/kernel-*.traceg |
		awk '/^[0-9a-f]+ / && $2 != "00000000" { o = $3 ? $5 : $4; if (o ~ /^(SYNCS|UBLK|UTMA|.GMMA|WARPGROUP|UCGABAR|DEPBAR|LD\.E)/) n[o]++ }
			END { for (o in n) print o, n[o] }' | LC_ALL=C sort
}

# Removes the initialisation, which ptxas keeps although lanes skip it, and the number of waits for mbarriers: that of failed
# waits depends on the order of the warps.
comparable() { sed '/EXCH/d; s/\(TRYWAIT\) .*/\1/'; }

sass() { trace-exec -q -g h100-pcie --as sass "$@"; }

# Writes a module with kernel "k": parameter a in %rd1, tid.x in %r0, the body from stdin. LAUNCH: words of the launch.
kernel() {
	{
		printf '.version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n'
		printf '.reg .pred %%p<9>;\n.reg .b32 %%r<200>;\n.reg .f32 %%f<200>;\n.reg .b64 %%rd<20>;\n'
		printf '.shared .align 1024 .b8 s[32768];\n.shared .align 8 .b64 bar;\n'
		printf 'ld.param.u64 %%rd1, [a];\nmov.u32 %%r0, %%tid.x;\n'
		cat
		printf 'ret;\n}\n'
	} >k.ptx
	printf 'module k.ptx\nbuffer A bytes=65536 u32=iota\nlaunch k %s args A\n' "${*-grid=1 block=1}" >k.launch
}

# Prints the lines of an opcode without mask and registers.
lines() { grep -h " $1" t/kernel-1.traceg; }

@test "the kernels of examples/hopper give right results, pass trace-lint and run on both cores" {
	for p in copy gemm multicast histogram attention; do
		sass --kernels 'gemm*,copy,histogram,attention' -C . -o $p "$EXAMPLES/$p.launch"
		run -0 trace-lint $p
		assert_output --partial '0 errors'
		refute_output --partial mbarrier
		run -0 trace-sim -q -g h100-pcie -o $p.json $p
	done
	for p in copy gemm attention; do
		run -0 trace-sim -q -g h100-pcie -D core_model=accelsim -o $p.acc $p
	done
}

@test "asynchronous PTX becomes the same opcodes as in machine code of ptxas" {
	command -v ptxas >/dev/null || PATH=$PATH:/usr/local/cuda/bin
	command -v ptxas >/dev/null || skip "no ptxas"
	for p in copy gemm multicast histogram attention; do
		ptxas -arch=sm_90a -o $p.cubin "$EXAMPLES/$p.ptx"
	done
	for p in copy gemm multicast histogram attention; do
		sass --kernels 'gemm*,copy,histogram,attention' -C . -o $p.ptx.out "$EXAMPLES/$p.launch"
		sed 's/\.ptx$/.cubin/' "$EXAMPLES/$p.launch" >$p.launch
		trace-exec -q -g h100-pcie --kernels 'gemm*,copy,histogram,attention' -C . -o $p.out $p.launch
		run -0 asynchronous $p.ptx.out
		assert_equal "$(comparable <<<"$output")" "$(asynchronous $p.out | comparable)"
	done
}

@test "warpgroup products have their shape, their types, a group end, and A in registers" {
	sums() { seq -s, "$1" "$2" | sed 's/[0-9][0-9]*/%f&/g'; }
	kernel grid=1 block=128 <<-E
		mov.u64 %rd2, 0;
		setp.eq.u32 %p1, 0, 0;
		wgmma.fence.sync.aligned;
		wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$(sums 0 3)}, %rd2, %rd2, %p1, 1, 1, 0, 0;
		wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {$(sums 4 131)}, %rd2, %rd2, %p1, 1, 1, 0, 0;
		wgmma.commit_group.sync.aligned;
		wgmma.mma_async.sync.aligned.m64n16k8.f32.tf32.tf32 {$(sums 140 147)}, %rd2, %rd2, %p1, 1, 1;
		wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2 {$(sums 0 3)}, {%r4,%r5,%r6,%r7}, %rd2, %p1, 1, 1;
		wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.s8 {%r8,%r9,%r10,%r11}, %rd2, %rd2, %p1;
		wgmma.commit_group.sync.aligned;
		wgmma.wait_group.sync.aligned 1;
		st.global.f32 [%rd1], %f0;
		st.global.u32 [%rd1], %r8;
	E
	sass --no-check -o t k.launch
	run awk '$2 == "ffffffff" && /GMMA|DEPBAR/ && !seen[$1]++ { sub(/ (1 )?R[0-9]+ /, " "); gsub(/ R[0-9]+/, ""); sub(/^[0-9a-f]+ [0-9a-f]+ /, ""); print }' t/kernel-1.traceg
	assert_output "$(
		cat <<-'END'
			HGMMA.64x8x16.F32 1 0 0 0 0 NoVal 
			HGMMA.64x256x16.F32.BF16 1 1 0 0 0 NoVal 
			HGMMA.64x16x8.F32.TF32 1 0 0 0 0 NoVal 
			QGMMA.64x8x32.F32.E4M3.E5M2 2 0 0 0 0 NoVal 
			IGMMA.64x8x32.U8.S8 1 1 0 0 0 NoVal 
			0 WARPGROUP.DEPBAR.LE 0 0 1 0 NoVal 
		END
	)"
	run -0 trace-sim -q -g h100-pcie -o out t
}

@test "setmaxnreg carries its register count, and the header has the register count of the assembler" {
	kernel grid=1 block=384 <<-'E'
		setmaxnreg.dec.sync.aligned.u32 40;
		setmaxnreg.inc.sync.aligned.u32 232;
	E
	sass -o t k.launch
	run -0 lines USETMAXREG
	assert_line --index 0 --partial ' 0 USETMAXREG.DEALLOC.CTAPOOL 0 0 40'
	assert_line --index 1 --partial ' 0 USETMAXREG.TRY_ALLOC.CTAPOOL 0 0 232'
	grep -qx -- '-nregs = 168' t/kernel-1.traceg
	sed -i 's/(.param .u64 a)/& .maxntid 384,1,1 .minnctapersm 2/' k.ptx
	sass -f -o t k.launch
	grep -qx -- '-nregs = 80' t/kernel-1.traceg
}

@test "mbarrier operations carry their values, and bulk copies their bytes and addresses" {
	kernel <<-'E'
		mov.u32 %r1, 3;
		mbarrier.init.shared.b64 [bar], 3;
		mbarrier.arrive.shared.b64 %rd3, [bar];
		mbarrier.arrive.shared.b64 %rd3, [bar], %r1;
		mbarrier.arrive.expect_tx.shared.b64 %rd3, [bar], 64;
		mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 32;
		cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 96, [bar];
		mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;
		cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 32;
		cp.async.bulk.commit_group;
		cp.async.bulk.wait_group.read 0;
		cp.async.bulk.prefetch.L2.global [%rd1], 256;
		bar.sync 2, 32;
		mbarrier.inval.shared.b64 [bar];
	E
	sed -i 's/, 3;$/, 5;/; s/mov.u32 %r1, 5/mov.u32 %r1, 3/' k.ptx
	sass -o t k.launch
	run awk '/^[0-9a-f]+ 00000001/ && /SYNCS|UBLK|UTMA|BAR/ { gsub(/ R[0-9]+/, ""); sub(/^[0-9a-f]+ [0-9a-f]+ /, ""); print }' t/kernel-1.traceg
	assert_output "$(
		cat <<-'END'
			0 SYNCS.EXCH.64 2 8 2 0x7f0000008400 0 0 Val 1 00008400 1 001ffff6 
			0 SYNCS.ARRIVE.TRANS64.A1T0 2 8 2 0x7f0000008400 0 0 Val 1 00008400 1 00000000 
			0 SYNCS.ARRIVE.TRANS64.ART0 2 8 2 0x7f0000008400 0 0 Val 1 00008400 1 00000003 
			0 SYNCS.ARRIVE.TRANS64 2 8 2 0x7f0000008400 0 0 Val 1 00008400 1 00000040 
			0 SYNCS.ARRIVE.TRANS64.A0TR 2 8 2 0x7f0000008400 0 0 Val 1 00008400 1 00000020 
			0 UBLKCP.S.G 0 16 0x00008400 0 96 0 4 0xc0000000 6 16 16 16 16 16 0 0 NoVal 
			0 SYNCS.PHASECHK.TRANS64.TRYWAIT 2 8 2 0x7f0000008400 0 0 Val 1 00008400 1 00000000 
			0 UBLKCP.G.S 0 16 0x00000000 0 32 0 4 0xc0000000 2 16 0 0 NoVal 
			0 UTMACMDFLUSH 0 0 0 0 NoVal 
			0 DEPBAR.LE 0 0 0 0 NoVal 
			0 UBLKPF 0 16 0x00000000 0 256 0 4 0xc0000000 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16 0 0 NoVal 
			0 BAR.SYNC.DEFER_BLOCKING 0 0 2 32 NoVal 
			0 SYNCS.CCTL.IV 2 8 2 0x7f0000008400 0 0 Val 1 00008400 1 00000000 
		END
	)"
}

@test "asynchronous stores have the mbarrier in the upper half of the address, cluster loads the block rank" {
	kernel grid=2 block=1 cluster=2 <<-'E'
		mov.u32 %r1, %cluster_ctarank;
		xor.b32 %r2, %r1, 1;
		mbarrier.init.shared.b64 [bar], 1;
		mbarrier.arrive.expect_tx.shared.b64 %rd3, [bar], 4;
		barrier.cluster.arrive.aligned;
		barrier.cluster.wait.aligned;
		mov.u32 %r3, s;
		mapa.shared::cluster.u32 %r4, %r3, %r2;
		mov.u32 %r5, bar;
		mapa.shared::cluster.u32 %r6, %r5, %r2;
		st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r4], 7, [%r6];
	wait:
		mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;
		@!%p1 bra wait;
		barrier.cluster.arrive.aligned;
		barrier.cluster.wait.aligned;
		ld.shared::cluster.u32 %r7, [%r4];
		st.global.u32 [%rd1], %r7;
		barrier.cluster.arrive.aligned;
		barrier.cluster.wait.aligned;
	E
	sass -o t k.launch
	run grep -c ' STAS .* 4 2 0x\(100840001000400\|840000000400\) 0 0 NoVal' t/kernel-1.traceg
	assert_output 2
	run grep -c ' LD.E .* 4 2 0x\(7f0001000400\|7f0000000400\) 0 0 NoVal' t/kernel-1.traceg
	assert_output 2
	run -0 grep -A 3 '^thread block = 1' t/kernel-1.traceg
	assert_output "$(printf '%s\n' 'thread block = 1,0,0' 'cluster id = 0,0,0' 'cluster cta = 1,0,0' 'cluster rank = 1')"
	run -0 trace-sim -q -g h100-pcie -o out t
}

@test "examples/hopper: the script leads from PTX to the table" {
	NVCC=no run -0 env WARPTOOLS="$BUILD" sh "$EXAMPLES/run" -o out copy histogram
	assert_output --partial 'copy: right'
	assert_equal "$(wc -l <out/table.csv)" 3
	run -2 sh "$EXAMPLES/run" -o out nothing
	run -0 sh "$EXAMPLES/run" -h
	assert_line --partial 'usage: run'
}
