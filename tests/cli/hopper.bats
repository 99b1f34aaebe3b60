#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-exec: cooperation of thread blocks and asynchronous units: grid barriers, stores and reductions that signal an
# mbarrier, bulk and tensor copies, warpgroup products. The expected values are computed here by the rules of PTX.

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

# Writes a module with kernel "k", parameter a (an address, in %rd1), tid.x in %r0, ctaid.x in %r1, the body from stdin.
kernel() {
	{
		printf '.version 8.6\n.target sm_90a\n.address_size 64\n.global .u32 counter;\n'
		printf '.visible .entry k(.param .u64 a%s)%s\n{\n' "${1-}" "${2-}"
		printf '.reg .pred %%p<9>;\n.reg .b32 %%r<40>;\n.reg .b64 %%rd<20>;\n'
		printf '.shared .align 1024 .b8 s[4096];\n.shared .align 8 .b64 bar;\n'
		printf 'ld.param.u64 %%rd1, [a];\nmov.u32 %%r0, %%tid.x;\nmov.u32 %%r1, %%ctaid.x;\n'
		cat
		printf 'ret;\n}\n'
	} >k.ptx
}

words() { od -An -v -tu4 -w"${2:-64}" "$1" | tr -s ' ' | sed 's/^ //'; }

@test "the blocks of a cooperative launch wait for each other in its workspace" {
	kernel <<-'E'
		mov.u32 %r2, %envreg2;
		mov.u32 %r3, %envreg1;
		mov.b64 %rd2, {%r2, %r3};
		mov.u32 %r4, %nctaid.x;
		atom.global.add.u32 %r5, [counter], 7;
		fence.acq_rel.gpu;
		atom.global.add.u32 %r6, [%rd2+4], 1;
	wait:
		ld.acquire.gpu.global.u32 %r7, [%rd2+4];
		setp.lt.u32 %p1, %r7, %r4;
		@%p1 bra wait;
		ld.relaxed.gpu.global.u32 %r8, [counter];
		mul.wide.u32 %rd3, %r1, 4;
		add.s64 %rd3, %rd1, %rd3;
		st.global.u32 [%rd3], %r8;
	E
	printf 'module k.ptx\nbuffer A bytes=64 zero\nlaunch k grid=16 block=1 cooperative args A\nsave A a\n' >k.launch
	run -0 trace-exec -n -j 3 k.launch
	run -0 words a
	assert_output "$(yes 112 | head -16 | paste -sd' ')"
	sed -i 's/ cooperative//' k.launch
	launch_ends 1 'at 0x4'
}

@test "machine code finds the workspace of a cooperative launch in its environment registers" {
	local sm code
	for sm in 80 90; do
		case $sm in # R2, R3: the parameter, R5: register 2, UR4: the descriptor of memory
		80) code='00005800ff027624 00005900ff037624 00002400ff057624 0000460000047ab9' ;;
		90) code='00008400ff027624 00008500ff037624 00001200ff057624 0000820000047ab9' ;;
		esac
		# shellcheck disable=SC2086
		{
			printf '000fe400078e00ff %s\n' ${code% *}
			printf '%s\n' "000fc60000000a00 ${code##* }" '000fe2000c101904 0000000502007986' '000fea0003800000 000000000000794d'
		} | "$ROOT/tests/data/sass/cubin.py" -s $sm -p 8 k >k.cubin
		printf 'module k.cubin\nbuffer A bytes=4 zero\nlaunch k grid=4 block=1 cooperative args A\nsave A a\n' >k.launch
		run -0 trace-exec -q -n k.launch
		run -0 words a
		[ "$output" -ge $((0xc0000000)) ]
		sed -i 's/ cooperative//' k.launch
		run -0 trace-exec -q -n k.launch
		run -0 words a
		assert_output 0
	done
}

# launch BLOCK: writes a launch file for 4 blocks with an input A and a result O.
launch() {
	printf 'module k.ptx\nbuffer A bytes=256 u32=iota\nbuffer O bytes=256 zero\nlaunch k grid=4 block=%s args A,O\nsave O o\n' "${1:-1}" >k.launch
}

# Prints the end of a kernel: the first two words of s of each block go to O, 8 bytes a block.
write_out() {
	cat <<-'E'
		ld.param.u64 %rd9, [o];
		mul.wide.u32 %rd10, %r1, 8;
		add.s64 %rd9, %rd9, %rd10;
		ld.shared.v2.u32 {%r30, %r31}, [s];
		st.global.v2.u32 [%rd9], {%r30, %r31};
		barrier.cluster.arrive.aligned;
		barrier.cluster.wait.aligned;
	E
}

# Prints the start of a kernel: each block has an mbarrier that expects $1 bytes and is visible to the cluster.
expect_bytes() {
	cat <<-E
		mov.u32 %r10, %cluster_ctarank;
		st.shared.v2.u32 [s], {0, 0};
		mbarrier.init.shared.b64 [bar], 1;
		mbarrier.arrive.expect_tx.shared.b64 %rd11, [bar], $1;
		barrier.cluster.arrive.aligned;
		barrier.cluster.wait.aligned;
	E
}

wait_bytes() {
	cat <<-'E'
	wait:
		mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;
		@!%p1 bra wait;
	E
}

# Waits for the first phase of an mbarrier for one arrival, in which a copy has completed $1 bytes.
loaded() { echo "mbarrier.arrive.expect_tx.shared.b64 %rd9, [bar], $1; mbarrier.test_wait.parity.shared.b64 %p8, [bar], 0"; }

# Prints the end of a kernel whose blocks with %p2 do not wait for bytes.
some_wait() {
	cat <<-E
		@%p2 bra done;
		$(wait_bytes)
	done:
		barrier.cluster.arrive;
		barrier.cluster.wait;
		$(write_out)
	E
}

# Each line of stdin has statements, a tab and the message that trace-exec must print for them.
faults() {
	local code said
	printf 'module k.ptx\nbuffer A bytes=4096 u32=iota\nlaunch k grid=1 block=1 args A\n' >k.launch
	while IFS=$'\t' read -r code said; do
		kernel <<<"${code//; /;$'\n'}"
		run trace-exec -n k.launch
		if [ -n "$said" ]; then
			assert_failure
			assert_output --regexp "^trace-exec: k.ptx:[0-9]+:[0-9]+: error: $said"
		else
			assert_success
		fi
	done
}

@test "an mbarrier counts arrivals and bytes separately; invalid mbarriers and counts are reported" {
	faults <<-'E'
		mbarrier.init.shared.b64 [bar], 0;	mbarrier for 0 arrivals .expected 1 to 1048575
		mov.b32 %r2, 1048576; mbarrier.init.shared.b64 [bar], %r2;	mbarrier for 1048576 arrivals
		mbarrier.init.shared.b64 [s+4], 1;	mbarrier at byte 4 of .shared .expected a multiple of 8
		mbarrier.arrive.shared.b64 _, [bar];	no mbarrier at byte 4096 of .shared .expected an mbarrier.init
		mbarrier.test_wait.parity.shared.b64 %p1, [bar], 1;	no mbarrier at byte 4096
		mbarrier.init.shared.b64 [bar], 1; mbarrier.inval.shared.b64 [bar]; mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 16;	no mbarrier at byte 4096
		mbarrier.init.shared.b64 [bar], 1; mbarrier.inval.shared.b64 [bar]; mbarrier.inval.shared.b64 [bar];
		mbarrier.init.shared.b64 [bar], 2; mbarrier.arrive.shared.b64 _, [bar], 3;	3 arrivals at an mbarrier with 2 pending
		mbarrier.init.shared.b64 [bar], 2; mbarrier.arrive.shared.b64 _, [bar], 0;	0 arrivals at an mbarrier with 2 pending
		mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.noComplete.shared.b64 _, [bar], 1;	last arrival of a phase with .noComplete
		mbarrier.init.shared.b64 [bar], 2; mbarrier.arrive.noComplete.shared.b64 _, [bar], 1;
		mbarrier.init.shared.b64 [bar], 1; mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 4194304;	4194304 pending bytes of an mbarrier .expected at most 1048575
		mbarrier.init.shared.b64 [bar], 1; mov.b32 %r2, 2; mbarrier.try_wait.parity.shared.b64 %p1, [bar], %r2;	parity 2 of a phase .expected 0 or 1
		mbarrier.try_wait.parity.shared.b64 %p1, [bar], 2;	parity 2 of a phase .expected 0 or 1
		mbarrier.init.shared.b64 [bar], 2; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 48; again: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra again;	deadlock: 1 lane of warp 0 waits for the mbarrier at byte 4096 of .shared, whose phase lacks 1 arrival and 48 bytes
		mbarrier.init.shared.b64 [bar], 2; mbarrier.complete_tx.relaxed.cta.shared.b64 [bar], 16; again: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra again;	deadlock: 1 lane of warp 0 waits for the mbarrier at byte 4096 of .shared, whose phase lacks 2 arrivals and has 16 bytes more than expected
		mbarrier.init.b64 [%rd1], 1;	mbarrier at 0xc0000000 .expected one in shared memory
		mbarrier.init.shared.b64 [bar], 1; cp.async.mbarrier.arrive.noinc.shared.b64 [bar+8];	.* at byte 4104 of .shared
		mbarrier.init.shared::cluster.b64 [bar], 1;	mbarrier.init.shared::cluster.b64 .expected .shared::cta
		mbarrier.arrive.shared::cluster.b64 %rd2, [bar];	mbarrier.arrive.shared::cluster.b64 .expected .shared::cta or _ for a state
		mbarrier.arrive.expect_tx.shared.b64 %rd2, [bar];	2 operands
		mbarrier.test_wait.parity.shared.b64 %p1, [bar], 1, 9;	4 operands
	E
	# a phase of 3 arrivals and 32 bytes: one arrival expects, one drops and expects, one is plain; then a phase of 2 arrivals
	kernel '' <<-'E'
		mbarrier.init.shared.b64 [bar], 3;
		mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;
		mbarrier.arrive_drop.expect_tx.shared.b64 %rd2, [bar], 16;
		mbarrier.pending_count.b64 %r2, %rd2;
		mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [bar], 32;
		mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;
		selp.u32 %r3, 1, 0, %p1;
		mbarrier.arrive.shared.b64 %rd3, [bar];
		mbarrier.test_wait.shared.b64 %p1, [bar], %rd3;
		selp.u32 %r4, 1, 0, %p1;
		mbarrier.arrive.shared.b64 %rd4, [bar];
		mbarrier.pending_count.b64 %r5, %rd4;
		st.global.v4.u32 [%rd1], {%r2, %r3, %r4, %r5};
		mbarrier.arrive.shared.b64 _, [bar];
		mbarrier.test_wait.parity.shared.b64 %p1, [bar], 1;
		selp.u32 %r6, 1, 0, %p1;
		st.global.u32 [%rd1+16], %r6;
	E
	printf 'module k.ptx\nbuffer A bytes=64 zero\nlaunch k grid=1 block=1 args A\nsave A a\n' >k.launch
	run -0 trace-exec -n k.launch
	run -0 words a 20
	assert_line --index 0 '2 0 1 2 1'
}

@test "st.async and red.async write into another block and signal its mbarrier" {
	kernel ', .param .u64 o' ' .reqnctapercluster 4, 1, 1' <<-E
		$(expect_bytes 8)
		add.u32 %r11, %r10, 1;
		and.b32 %r11, %r11, 3;
		mov.u32 %r12, s;
		mov.u32 %r13, bar;
		mapa.shared::cluster.u32 %r14, %r12, %r11;
		mapa.shared::cluster.u32 %r15, %r13, %r11;
		add.u32 %r16, %r10, 100;
		add.u32 %r17, %r10, 200;
		st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%r14], {%r16, %r17}, [%r15];
		$(wait_bytes)
		$(write_out)
	E
	launch
	run -0 trace-exec -n k.launch
	run -0 words o 32
	assert_line --index 0 '103 203 100 200 101 201 102 202'
	# into the block's own shared memory
	sed '/mapa/s/%r11;/%r10;/' k.ptx >own && mv own k.ptx
	run -0 timeout 60 trace-exec -n k.launch
	run -0 words o 32
	assert_line --index 0 '100 200 101 201 102 202 103 203'
	sed 's/%r11;/%r10;/; s/v2.u32 \(.*\){%r16, %r17}/u32 \1%r17/; s/tx.shared.b64 \(.*\), 8;/tx.shared.b64 \1, 4;/' k.ptx >own && mv own k.ptx
	run -0 timeout 60 trace-exec -n k.launch
	run -0 words o 32
	assert_line --index 0 '200 0 201 0 202 0 203 0'
	run -0 trace-exec -o out k.launch
	run -0 trace-lint out/kernelslist.g
	# a read between the store and the wait
	sed -i '/st.async/a ld.shared.u32 %r16, [s];' k.ptx
	run -1 timeout 60 trace-exec -n k.launch
	assert_output --regexp 'race: read at byte [0-9]+ of .shared, which an asynchronous store by warp 0 writes .expected a successful wait for its mbarrier before it. .kernel k, thread'
	# each block adds its rank + 1 to the first word of rank 2
	kernel ', .param .u64 o' ' .reqnctapercluster 4, 1, 1' <<-E
		$(expect_bytes 16)
		mov.u32 %r12, s;
		mov.u32 %r13, bar;
		mapa.shared::cluster.u32 %r14, %r12, 2;
		mapa.shared::cluster.u32 %r15, %r13, 2;
		add.u32 %r16, %r10, 1;
		red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r14], %r16, [%r15];
		setp.ne.u32 %p2, %r10, 2;
		$(some_wait)
	E
	run -0 trace-exec -n k.launch
	run -0 words o 32
	assert_line --index 0 '0 0 0 0 10 0 0 0'
}

@test "stores and atomics through mapa reach another block's shared memory, by generic addresses or not" {
	kernel ', .param .u64 o' ' .reqnctapercluster 2, 1, 1' <<-E
		$(expect_bytes 0)
		xor.b32 %r11, %r10, 1;
		mov.u32 %r12, s;
		mapa.shared::cluster.u32 %r14, %r12, %r11;
		add.u32 %r16, %r1, 7;
		st.shared::cluster.u32 [%r14], %r16;
		cvta.shared.u64 %rd12, s;
		mapa.u64 %rd13, %rd12, %r11;
		atom.add.u32 %r17, [%rd13+4], %r16;
		atom.shared::cluster.add.u32 %r17, [%r14+4], 1000;
		barrier.cluster.arrive.aligned;
		barrier.cluster.wait.aligned;
		$(write_out)
	E
	sed -i 's/cvta.shared.u64 %rd12, s/mov.u64 %rd12, s;\ncvta.shared.u64 %rd12, %rd12/' k.ptx
	launch
	run -0 trace-exec -n k.launch
	run -0 words o 32
	assert_line --index 0 '8 1008 7 1007 10 1010 9 1009'
}

@test "another block's shared memory is accessible only through .shared::cluster, and only while the block exists" {
	kernel ', .param .u64 o' ' .reqnctapercluster 2, 1, 1' <<-E
		$(expect_bytes 0)
		xor.b32 %r11, %r10, 1;
		mov.u64 %rd12, s;
		cvta.shared.u64 %rd12, %rd12;
		mapa.u64 %rd13, %rd12, %r11;
		isspacep.shared::cta %p1, %rd13;
		isspacep.shared %p2, %rd13;
		isspacep.shared::cluster %p3, %rd13;
		isspacep.global %p4, %rd13;
		isspacep.shared::cta %p5, %rd12;
		isspacep.shared::cluster %p6, %rd12;
		selp.u32 %r20, 1, 0, %p1;
		selp.u32 %r21, 10, 0, %p2;
		selp.u32 %r22, 100, 0, %p3;
		selp.u32 %r23, 1000, 0, %p4;
		selp.u32 %r24, 10000, 0, %p5;
		selp.u32 %r25, 100000, 0, %p6;
		add.u32 %r20, %r20, %r21;
		add.u32 %r20, %r20, %r22;
		add.u32 %r20, %r20, %r23;
		add.u32 %r20, %r20, %r24;
		add.u32 %r20, %r20, %r25;
		getctarank.u64 %r21, %rd13;
		st.shared.v2.u32 [s], {%r20, %r21};
		$(write_out)
	E
	launch
	run -0 trace-exec -n k.launch
	run -0 words o 32
	assert_line --index 0 '110100 1 110100 0 110100 1 110100 0'
	while IFS=$'\t' read -r code said; do
		kernel ', .param .u64 o' ' .reqnctapercluster 2, 1, 1' <<-E
			mov.u32 %r10, %cluster_ctarank;
			mov.u32 %r12, s;
			st.shared.u32 [%r12], %r12;
			barrier.cluster.arrive;
			barrier.cluster.wait;
			setp.eq.u32 %p1, %r10, 1;
			@%p1 ret;
			mapa.shared::cluster.u32 %r14, %r12, 1;
			${code//; /;$'\n'}
		E
		launch_ends 1 "$said"
	done <<-'E'
		ld.shared.u32 %r3, [%r14];	byte 0 of the shared memory of thread block 1 of the cluster (expected a generic address or .shared::cluster
		ld.shared::cluster.u32 %r3, [%r14];	byte 0 of the shared memory of thread block 1 of the cluster, which has ended (expected a barrier.cluster
		add.u32 %r14, %r14, 0x80000; getctarank.shared::cluster.u32 %r3, %r14;	address 0x100000 (expected one in shared memory of the cluster
		mapa.shared::cluster.u32 %r14, %r12, 2; ld.shared::cluster.u32 %r3, [%r14];	at byte 786432 of .shared, which has
		mapa.shared::cluster.u32 %r14, %r12, 0x7fffffff; ld.shared::cluster.u32 %r3, [%r14];	at byte 4456448 of .shared, which has
		mapa.u64 %rd3, %rd1, 0;	address 0xc0000000 (expected one in shared memory of the cluster
		barrier.cluster.arrive; barrier.cluster.arrive;	second arrival at barrier.cluster (expected a wait before it)
	E
}

@test "barrier.cluster waits for each lane of the cluster that has not ended" {
	# block 0 arrives and ends; block 1 waits for block 2, the halves of whose warp arrive one after the other
	kernel ', .param .u64 o' ' .reqnctapercluster 3, 1, 1' <<-'E'
		mov.u32 %r10, %cluster_ctarank;
		mov.u32 %r12, s;
		setp.eq.u32 %p1, %r10, 1;
		@%p1 bra first;
		setp.eq.u32 %p2, %r10, 0;
		@%p2 bra gone;
		st.shared.u32 [s], 42;
		setp.lt.u32 %p3, %r0, 16;
		@%p3 barrier.cluster.arrive;
		@!%p3 barrier.cluster.arrive;
		@!%p3 barrier.cluster.wait;
		@%p3 barrier.cluster.wait;
		bra second;
	gone:
		barrier.cluster.arrive;
		ret;
	first:
		barrier.cluster.arrive;
		barrier.cluster.wait;
		mapa.shared::cluster.u32 %r14, %r12, 2;
		ld.shared::cluster.u32 %r15, [%r14];
		ld.param.u64 %rd9, [o];
		st.global.u32 [%rd9], %r15;
	second:
		barrier.cluster.arrive.aligned;
		barrier.cluster.wait.aligned;
	E
	launch 32
	sed -i 's/grid=4/grid=3/' k.launch
	run -0 trace-exec -n k.launch
	run -0 words o 4
	assert_line --index 0 '42'
	kernel ', .param .u64 o' <<-'E'
		setp.lt.u32 %p3, %r0, 16;
		@%p3 barrier.cluster.arrive.aligned;
	E
	launch_ends 1 '16 of 32 live lanes of warp 0 at a barrier (expected all'
}

@test "a bulk multicast copy reaches each block and each block's mbarrier" {
	kernel ', .param .u64 o' ' .reqnctapercluster 4, 1, 1' <<-E
		$(expect_bytes 16)
		setp.eq.u32 %p2, %r10, 1;
		mov.b32 %r11, 13;
		cvt.u16.u32 %h1, %r11;
		@%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s], [%rd1+32], 16, [bar], %h1;
		$(some_wait)
	E
	sed -i 's/^\.reg \.pred/.reg .b16 %h<2>;\n&/' k.ptx
	launch
	run -0 trace-exec -n k.launch
	run -0 words o 32
	assert_line --index 0 '8 9 0 0 8 9 8 9'
	sed -i 's/mov.b32 %r11, 13/mov.b32 %r11, 17/' k.ptx
	launch_ends 1 'mask 0x11 of thread blocks in a cluster of 4 (expected bits of these blocks, at least one'
}

@test "bulk copies are checked as accesses: alignment, bounds, initialised data, races" {
	local init='mbarrier.init.shared.b64 [bar], 1' load=cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
	local store=cp.async.bulk.global.shared::cta.bulk_group
	faults <<-E
		$init; $load [s+8], [%rd1], 16, [bar];	bulk copy at byte 0x8 of .shared .expected a multiple of 16
		$init; $load [s], [%rd1+8], 16, [bar];	bulk copy at byte 0xc0000008 of .global .expected a multiple of 16
		$init; $load [s], [%rd1], 24, [bar];	bulk copy of 24 bytes .expected a multiple of 16
		$init; mov.u32 %r2, 24; $load [s], [%rd1], %r2, [bar];	bulk copy of 24 bytes .expected a multiple of 16
		$init; $load [s], [%rd1], 16, [s+4];	mbarrier at byte 4 of .shared .expected a multiple of 8
		$load [s], [%rd1], 16, [bar];	no mbarrier at byte 4096
		$init; $load [s+4080], [%rd1], 32, [bar];	copy of 32 bytes at byte 4080 of .shared
		$init; $load [s], [%rd1+4080], 32, [bar];	copy of 32 bytes at 0xc0000ff0
		$store [%rd1], [s+16], 16;	copy of 16 uninitialised bytes at byte 16 of .shared
		$init; $load [s+16], [%rd1], 16, [bar]; $(loaded 16); $store [%rd1], [s+16], 16;
		cp.async.bulk.prefetch.L2.global [%rd1], 64; cp.async.bulk.prefetch.L2.global.L2::cache_hint [%rd1], 64, %rd2;
		cp.async.bulk.prefetch.L2.global [%rd1+8], 16;	bulk copy at byte 0xc0000008 of .global
		cp.async.bulk.prefetch.L2.global [%rd1], 24;	bulk copy of 24 bytes
		cp.async.ca.shared.global [s], [%rd1+4], 8;	copy of 8 bytes at 0xc0000004
		cp.async.ca.shared.global [s], [%rd1+4], 8, 4;	copy of 8 bytes at 0xc0000004
		mov.u32 %r2, 9; cp.async.ca.shared.global [s], [%rd1], 8, %r2;	source of 9 bytes .expected at most 8
		cp.async.ca.shared.global [s], [%rd1+4096], 8, 0; cp.async.wait_all; ld.shared.u32 %r3, [s];
		cp.async.ca.shared.global [s], [%rd1+4096], 8, 4;	copy of 4 bytes at 0xc0001000
	E
	# warp 1 reads what warp 0 has written, without a barrier and with one
	for barrier in '' 'bar.sync 0;'; do
		kernel <<-E
			setp.gt.u32 %p1, %r0, 31;
			@%p1 bra second;
			st.shared.u32 [s], %r0;
			$barrier
			ret;
		second:
			$barrier
			setp.eq.u32 %p2, %r0, 32;
			@%p2 $store [%rd1], [s], 16;
		E
		printf 'module k.ptx\nbuffer A bytes=64 zero\nlaunch k grid=1 block=64 args A\n' >k.launch
		run trace-exec -n k.launch
		[ -z "$barrier" ] || assert_success
		[ -n "$barrier" ] || assert_output --partial 'race: copy at byte 0 of .shared that warp 0 has written since the last barrier'
	done
	# bulk writes of blocks race, too
	kernel <<-E
		st.shared.v4.u32 [s], {1, 2, 3, 4};
		$store [%rd1], [s], 16;
	E
	printf 'module k.ptx\nbuffer A bytes=64 zero\nlaunch k grid=2 block=1 args A\n' >k.launch
	run trace-exec -n k.launch
	assert_output --partial "CTA (1,0,0) writes byte 0 of 'A', which others write in the same launch"
}

@test "the target of a bulk copy is not accessed before a successful wait for the phase that it completes" {
	local load=cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes init='mbarrier.init.shared.b64 [bar], 1'
	local store=cp.async.bulk.global.shared::cta.bulk_group by='.shared, which a bulk copy by warp 0 writes .expected a successful wait'
	faults <<-E
		$init; $load [s], [%rd1], 32, [bar]; ld.shared.u32 %r2, [s+4];	race: read at byte 4 of $by
		$init; $load [s], [%rd1], 32, [bar]; ld.shared.u8 %r2, [s+31];	race: read at byte 31 of $by
		$init; $load [s], [%rd1], 32, [bar]; st.shared.u32 [s+4], %r0;	race: write at byte 4 of $by
		$init; $load [s], [%rd1], 32, [bar]; atom.shared.add.u32 %r2, [s], 1;	race: atomic at byte 0 of $by
		$init; $load [s], [%rd1], 32, [bar]; $store [%rd1+64], [s+16], 32;	race: copy at byte 16 of $by
		$init; $load [s], [%rd1], 32, [bar]; $(loaded 32); ld.shared.u32 %r2, [s+4]; st.shared.u32 [s+4], %r0;
		$init; $load [s], [%rd1], 32, [bar]; st.shared.u32 [s+32], %r0; ld.volatile.shared.u32 %r2, [s];
		$init; $load [s], [%rd1], 32, [bar]; $load [s], [%rd1], 32, [bar]; $(loaded 64); ld.shared.u32 %r2, [s+4];
		mbarrier.init.shared.b64 [bar], 2; $load [s], [%rd1], 32, [bar]; $(loaded 32); ld.shared.u32 %r2, [s+4];	race: read
		mbarrier.init.shared.b64 [bar], 2; $load [s], [%rd1], 32, [bar]; mbarrier.test_wait.parity.shared.b64 %p1, [bar], 1; ld.shared.u32 %r2, [s];	race: read
		$init; $load [s], [%rd1], 32, [bar]; $(loaded 32); $load [s+32], [%rd1], 32, [bar]; ld.shared.u32 %r2, [s]; ld.shared.u32 %r2, [s+32];	race: read at byte 32
		$init; $load [s], [%rd1], 32, [bar]; mbarrier.arrive.expect_tx.shared.b64 %rd9, [bar], 32; mbarrier.arrive.shared.b64 %rd9, [bar]; mbarrier.test_wait.shared.b64 %p1, [bar], %rd9; ld.shared.u32 %r2, [s];
	E
	# the wait of warp 0 and a barrier are enough for warp 1
	kernel <<-E
		setp.gt.u32 %p1, %r0, 31;
		@%p1 bra both;
		setp.ne.u32 %p2, %r0, 0;
		@%p2 bra warp;
		$init;
		$load [s], [%rd1], 32, [bar];
		$(loaded 32);
		warp: bar.warp.sync -1;
		both: bar.sync 0;
		ld.shared.u32 %r2, [s+4];
	E
	printf 'module k.ptx
buffer A bytes=64 zero
launch k grid=3 block=64 args A
' >k.launch
	run -0 trace-exec -n k.launch
	assert_output ''
	# products read the tile without a wait
	product_ring '' ''
	sed -i 's/mbarrier.try_wait.parity.shared.b64 %p2.*/setp.eq.u32 %p2, 0, 0;/' k.ptx
	launch_ends 1 'race: read at byte 2048 of .shared, which a bulk copy by warp 0 writes'
}

@test "the source of a bulk store is not overwritten before its lane has waited for it" {
	local store=cp.async.bulk.global.shared::cta.bulk_group commit=cp.async.bulk.commit_group wait=cp.async.bulk.wait_group
	local fill='st.shared.v4.u32 [s], {1, 2, 3, 4}; st.shared.v4.u32 [s+16], {1, 2, 3, 4}' load=cp.async.bulk.shared::cluster.global
	local by='.shared, which a bulk copy by warp 0 reads .expected cp.async.bulk.wait_group.read by the thread'
	faults <<-E
		$fill; $store [%rd1], [s], 16; $commit; st.shared.u32 [s+4], %r0;	race: write at byte 4 of $by
		$fill; $store [%rd1], [s], 16; $wait.read 0; st.shared.u32 [s+4], %r0;	race: write at byte 4 of $by
		$fill; $store [%rd1], [s], 16; $commit; $wait.read 1; st.shared.u32 [s+4], %r0;	race: write at byte 4 of $by
		$fill; $store [%rd1], [s], 16; $commit; cp.async.wait_all; st.shared.u32 [s+4], %r0;	race: write at byte 4 of $by
		$fill; $store [%rd1], [s], 16; $commit; $wait.read 0; st.shared.u32 [s+4], %r0;
		$fill; $store [%rd1], [s], 16; $commit; $wait 0; st.shared.u32 [s+4], %r0;
		$fill; $store [%rd1], [s], 16; $commit; ld.shared.u32 %r2, [s]; st.shared.u32 [s+16], %r2; $store [%rd1], [s], 16;
		$fill; $store [%rd1], [s], 16; $commit; $store [%rd1+16], [s+16], 16; $commit; $wait.read 1; st.shared.u32 [s], %r0; st.shared.u32 [s+20], %r0;	race: write at byte 20 of $by
		$fill; cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [s], 16; $commit; st.shared.u32 [s], %r0;	race: write at byte 0 of $by
		$fill; mbarrier.init.shared.b64 [bar], 1; $store [%rd1], [s], 16; $load.mbarrier::complete_tx::bytes [s], [%rd1+64], 16, [bar];	race: copy at byte 0 of $by
	E
	# a wait by another lane is not enough
	for lane in 0 1; do
		kernel <<-E
			st.shared.u32 [s], 1;
			st.shared.v4.u32 [s], {1, 2, 3, 4};
			setp.eq.u32 %p1, %r0, 0;
			@%p1 $store [%rd1], [s], 16;
			@%p1 $commit;
			setp.eq.u32 %p1, %r0, $lane;
			@%p1 $wait.read 0;
			bar.sync 0;
			st.shared.u32 [s], 1;
		E
		printf 'module k.ptx
buffer A bytes=64 zero
launch k grid=1 block=32 args A
' >k.launch
		run -"$lane" trace-exec -n k.launch
	done
}

@test "cp.async data is not used before its lane has waited for it" {
	local copy='cp.async.ca.shared.global [s], [%rd1], 4' more='cp.async.ca.shared.global [s+4], [%rd1], 4'
	local commit=cp.async.commit_group read='ld.shared.u32 %r2, [s]' flies='byte 0 of .shared, which a cp.async in flight writes'
	faults <<-E
		$copy; $read;	read at $flies .expected cp.async.wait_group before
		$copy; st.shared.u32 [s], %r0;	write at $flies
		$copy; $commit; $read;	read at $flies
		$copy; cp.async.wait_group 0; $read;	read at $flies
		$copy; $commit; cp.async.wait_group 1; $read;	read at $flies
		$copy; $commit; cp.async.wait_group 0; $read;
		$copy; cp.async.wait_all; $read;
		$copy; $commit; $more; $commit; cp.async.wait_group 1; $read;
		$copy; $commit; $more; $commit; cp.async.wait_group 1; ld.shared.u32 %r2, [s+4];	read at byte 4 of .shared, which a cp.async in flight
		$copy; $copy; ld.shared.u32 %r2, [s+8]; st.global.u32 [%rd1], %r2;	read of 4 uninitialised bytes at byte 8 of .shared
		mbarrier.init.shared.b64 [bar], 1; $copy; cp.async.mbarrier.arrive.noinc.shared.b64 [bar]; $read;
	E
	# a barrier alone is not enough: each lane waits for its own copies
	for wait in '@%p1 cp.async.wait_all;' 'cp.async.wait_all;'; do
		kernel <<-E
			setp.lt.u32 %p1, %r0, 16;
			mul.lo.u32 %r3, %r0, 4;
			mov.u32 %r4, s;
			add.u32 %r4, %r4, %r3;
			cp.async.ca.shared.global [%r4], [%rd1], 4;
			$wait
			bar.sync 0;
			ld.shared.u32 %r5, [%r4];
		E
		printf 'module k.ptx\nbuffer A bytes=64 zero\nlaunch k grid=2 block=32 args A\n' >k.launch
		run trace-exec -n k.launch
		case $wait in @*) assert_output --partial 'byte 64 of .shared, which a cp.async in flight writes' ;; *) assert_success ;; esac
	done
}

@test "a bulk f32 sum in global memory flushes subnormal numbers, an f16 sum does not" {
	kernel <<-'E'
		st.shared.v4.u32 [s], {1, 0x80000001, 0x3f800000, 0x00800000};
		st.shared.v4.u32 [s+16], {0x00010001, 0, 0, 0};
		cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd1], [s], 16;
		cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%rd1+16], [s+16], 16;
	E
	printf 'module k.ptx\nbuffer A bytes=32 u32=list:1,0,1,0x80000001,0x00010001\nlaunch k grid=1 block=1 args A\nsave A a\n' >k.launch
	run -0 trace-exec -n k.launch
	run -0 words a 32
	assert_output "0 0 $((0x3f800000)) $((0x00800000)) $((0x00020002)) 0 0 0"
}

@test "reductions to the minimum and maximum of f16 and bf16 take -0 as less than +0" {
	local low=$((0x80008000))

	kernel <<-'E'
		mov.u32 %r2, 0x80000000;
		mov.u32 %r3, 0x00008000;
		red.global.min.noftz.v2.f16x2 [%rd1], {%r2, %r3};
		red.global.max.noftz.v2.bf16x2 [%rd1+8], {%r2, %r3};
		st.shared.v4.u32 [s], {0x80000000, 0x00008000, 0x80000000, 0x00008000};
		cp.reduce.async.bulk.global.shared::cta.bulk_group.min.bf16 [%rd1+16], [s], 16;
		cp.reduce.async.bulk.global.shared::cta.bulk_group.max.f16 [%rd1+32], [s], 16;
	E
	printf 'module k.ptx\nbuffer A bytes=48 u32=list:0x8000,0x80000000,0x8000,0x80000000,0x8000,0x80000000,0x8000,0x80000000,0x8000,0x80000000,0x8000,0x80000000\nlaunch k grid=1 block=1 args A\nsave A a\n' >k.launch
	run -0 trace-exec -n k.launch
	run -0 words a 48
	assert_output "$low $low 0 0 $low $low $low $low 0 0 0 0"
}

@test "bulk reductions into global memory and into another block give the right sums" {
	kernel ', .param .u64 o' <<-'E'
		add.u32 %r2, %r1, 1;
		st.shared.v4.u32 [s], {%r2, %r2, 5, 0xffffffff};
		fence.proxy.async.shared::cta;
		ld.param.u64 %rd2, [o];
		cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd2], [s], 16;
		cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 [%rd2+16], [s], 16;
		cp.async.bulk.commit_group;
		cp.async.bulk.wait_group 0;
	E
	launch
	run -0 trace-exec -n -j 2 k.launch
	run -0 words o 32
	assert_line --index 0 '10 10 20 4294967292 4 4 5 0'
	kernel ', .param .u64 o' ' .reqnctapercluster 4, 1, 1' <<-E
		$(expect_bytes 64)
		add.u32 %r2, %r10, 1;
		st.shared.v4.u32 [s+64], {%r2, 16, 0, 0};
		mov.u32 %r12, s;
		mov.u32 %r13, bar;
		mapa.shared::cluster.u32 %r14, %r12, 3;
		mapa.shared::cluster.u32 %r15, %r13, 3;
		st.shared.v2.u32 [s+8], {0, 0};
		barrier.cluster.arrive.aligned;
		barrier.cluster.wait.aligned;
		cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.or.b32 [%r14], [s+64], 16, [%r15];
		setp.ne.u32 %p2, %r10, 3;
		$(some_wait)
	E
	run -0 trace-exec -n k.launch
	run -0 words o 32
	assert_line --index 0 '0 0 0 0 0 0 7 16'
}

@test "tensor loads of tiles, four rows and im2col work with each swizzle and with strides" {
	"$ROOT/tests/data/ptx/tensor" make .
	run -0 trace-exec -n k.launch
	assert_output ''
	run -0 "$ROOT/tests/data/ptx/tensor" check .
	assert_output '95 copies'
}

@test "tensor copies are checked as accesses with valid, aligned maps; prefetches require valid maps, too" {
	local load=cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
	printf 'module k.ptx\nbuffer A bytes=4096 u32=iota\nbuffer B bytes=64 unset\ntensormap M A dims=16,80 box=16,4\n' >k.launch
	printf 'tensormap U B dims=4,4 box=4,4\nlaunch k grid=1 block=1 args A,M,U\n' >>k.launch
	while IFS=$'\t' read -r code said; do
		kernel ', .param .align 64 .b8 m[128], .param .align 64 .b8 u[128]' <<-E
			mov.u64 %rd3, m;
			cvta.param.u64 %rd3, %rd3;
			mov.u64 %rd4, u;
			cvta.param.u64 %rd4, %rd4;
			mbarrier.init.shared.b64 [bar], 1;
			cvt.u16.u32 %h1, %r0;
			${code//; /;$'\n'}
		E
		sed -i 's/^\.reg \.pred/.reg .b16 %h<2>;\n&/' k.ptx
		run trace-exec -n k.launch
		[ -z "$said" ] || assert_output --partial "$said"
		[ -n "$said" ] || assert_success
	done <<-E
		cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%rd3, {0, 0}]; cp.async.bulk.prefetch.tensor.2d.L2.global [%rd3, {0, 0}];
		cp.async.bulk.prefetch.tensor.3d.L2.global.im2col [%rd3, {0, 0, 0}], {%h1};	tensor map of another number of dimensions
		add.u64 %rd3, %rd3, 32; cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%rd3, {0, 0}];	tensor map that is not at a multiple of 64 bytes
		cp.async.bulk.prefetch.tensor.2d.global.tile [%rd3, {0, 0}];	expected .L2.global
		mov.u64 %rd3, s; cvta.shared.u64 %rd3, %rd3; $load [s], [%rd3, {0, 0}], [bar];	tensor map in shared or local memory
		$load [s], [%rd3, {0, 0}], [bar]; $(loaded 256); ld.shared.u32 %r2, [s+252];
		$load [s], [%rd3, {0, 0}], [bar]; ld.shared.u32 %r2, [s+256]; st.global.u32 [%rd1], %r2;	read of 4 uninitialised bytes at byte 256 of .shared
		$load [s], [%rd3, {0, 70}], [bar];	copy of 64 bytes at 0xc0001180, outside the buffer
		$load [s], [%rd3, {0, 64}], [bar];	copy of 64 bytes at 0xc0001000, outside the buffer that the tensor begins in
		$load [s], [%rd4, {0, 0}], [bar];	copy of 16 uninitialised bytes, at byte 0 of 'B'
		$load [s+8], [%rd3, {0, 0}], [bar];	box at byte 8 of .shared (expected a multiple of 16
		cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd3, {0, 0}], [s];	copy of 256 uninitialised bytes at byte 0 of .shared
		cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd3, {0, 80}], [s];
		cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd3, {12, -3}], [s];	copy of 16 uninitialised bytes at byte 192 of .shared
		st.shared.v4.u32 [s+192], {1, 2, 3, 4}; cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd3, {12, -3}], [s];
		cp.async.bulk.tensor.2d.global.shared::cluster.tile.bulk_group [%rd3, {0, 0}], [s];	expected .global.shared::cta
		cp.async.bulk.tensor.2d.shared::cluster.global.tile [s], [%rd3, {0, 0}];	expected .bulk_group or .mbarrier
		cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group [%rd3, {0, 0, 0}], [s];	tensor map of another number
		cp.async.bulk.tensor.3d.global.shared::cta.im2col.bulk_group [%rd3, {0, 0, 0}], [s];	expected dimensions and a direction that support this mode
	E
}

@test "tensor stores, scatters and reductions follow the type of the map" {
	kernel ', .param .align 64 .b8 m[128], .param .align 64 .b8 f[128]' <<-'E'
		mov.u64 %rd3, m;
		cvta.param.u64 %rd3, %rd3;
		mov.u64 %rd4, f;
		cvta.param.u64 %rd4, %rd4;
		st.shared.v4.u32 [s], {1, 2, 3, 4};
		st.shared.v4.u32 [s+16], {5, 6, 7, 8};
		st.shared.v4.u32 [s+32], {9, 10, 11, 12};
		st.shared.v4.u32 [s+48], {13, 14, 15, 16};
		st.shared.v4.u32 [s+64], {0x3fc00000, 0x40000000, 0x3fc00000, 0x40000000};
		cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%rd3, {0, 3, 0, 9, 1}], [s];
		cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%rd3, {2, 1}], [s];
		cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%rd4, {0, 2}], [s+64];
		cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%rd4, {0, 2}], [s+64];
	E
	{
		printf 'module k.ptx\nbuffer A bytes=64 zero\nbuffer O bytes=64 zero\n'
		printf 'tensormap M O type=s32 dims=4,4 box=4,1\ntensormap F O type=f32 dims=4,4 box=4,1\n'
		printf 'launch k grid=1 block=1 args A,M,F\nsave O o\n'
	} >k.launch
	run -0 trace-exec -n k.launch
	run -0 words o 16
	# row 3 first, row 0 second, row 9 does not exist, row 1 fourth; then 1, 2 onto its columns 2 and 3; floats to row 2
	assert_output "$(printf '%s\n' '5 6 7 8' '13 14 16 18' "$((0x40400000)) $((0x40800000)) $((0x40400000)) $((0x40800000))" '1 2 3 4')"
	sed -i 's/add.tile.bulk_group \[%rd4/xor.tile.bulk_group [%rd4/' k.ptx
	launch_ends 1 'elements of a type that the reduction does not have'
}

# kernel_with_map CODE: a kernel with the parameters a, a map m and o (in %rd1, %rd3, %rd2). The map is also at s.
kernel_with_map() {
	kernel ', .param .align 64 .b8 m[128], .param .u64 o' <<-E
		ld.param.u64 %rd2, [o];
		mov.u64 %rd3, m;
		cvta.param.u64 %rd3, %rd3;
		mbarrier.init.shared.b64 [bar], 1;
		$(for ((i = 0; i < 128; i += 16)); do
			echo "ld.param.v2.b64 {%rd4, %rd5}, [m+$i]; st.shared.v2.b64 [s+$i], {%rd4, %rd5};"
		done)
		$1
	E
}

@test "kernels change tensor maps at the bits that compiled code writes" {
	local to=tensormap.replace.tile load=cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
	printf '%s\n' 'module k.ptx' 'buffer A bytes=5120 u32=iota' 'buffer O bytes=256 zero' \
		'tensormap M A dims=16,80 box=16,4 swizzle=64' 'launch k grid=1 block=1 args A,M,O' 'save O o' >k.launch
	kernel_with_map "add.u64 %rd4, %rd1, 64;
		$to.global_address.shared::cta.b1024.b64 [s], %rd4;
		mov.b32 %r2, 8;
		$to.box_dim.shared::cta.b1024.b32 [s], 0, %r2;
		$to.box_dim.shared::cta.b1024.b32 [s], 1, 2;
		$to.global_dim.shared::cta.b1024.b32 [s], 0, %r2;
		$to.global_dim.shared::cta.b1024.b32 [s], 1, 4;
		$to.swizzle_mode.shared::cta.b1024.b32 [s], 0;
		tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd2], [s], 128;
		$to.global_stride.global.b1024.b64 [%rd2], 0, 128;
		fence.proxy.tensormap::generic.acquire.gpu [%rd2], 128;
		$load [s+1024], [%rd2, {0, 1}], [bar];
		$(loaded 64);
		$(for ((i = 0; i < 64; i += 8)); do echo "ld.shared.b64 %rd4, [s+1024+$i]; st.global.b64 [%rd2+128+$i], %rd4;"; done)"
	run -0 trace-exec -n k.launch
	run -0 words o
	# address; rank 2, u32; stride 128 / 16; dimensions 8 and 4; box 8 x 2; then rows 1 + 2 * 1 and 1 + 2 * 2
	assert_output "$(printf '%s\n' "$((0xc0000040)) 0 $((1 << 4 | 2 << 7)) 8 0 0 0 0 7 3 0 0 0 $((7 << 24)) 1 0" \
		'0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0' '48 49 50 51 52 53 54 55 80 81 82 83 84 85 86 87' '0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0')"
	# every field, in a map of zeros
	sed -i '/^tensormap/d; s/args A,M,O/args A,O,O/; s/buffer O.*/buffer O bytes=128 zero/' k.launch
	kernel ', .param .u64 m, .param .u64 o' <<-E
		$(while read -r field type operands; do echo "ld.param.u64 %rd2, [o]; $to.$field.global.b1024.b$type [%rd2], $operands;"; done <<-L
			global_address 64 0x123456789abcdef0
			rank 32 4
			elemtype 32 10
			interleave_layout 32 2
			swizzle_mode 32 3
			fill_mode 32 1
			swizzle_atomicity 32 3
			global_stride 64 0, 0xf123456780
			global_stride 64 3, 0x1000000010
			global_dim 32 0, 0
			global_dim 32 4, 6
			element_stride 32 0, 8
			element_stride 32 4, 3
			box_dim 32 0, 256
			box_dim 32 4, 18
		L
		)
	E
	run -0 trace-exec -n k.launch
	run -0 words o
	assert_line --index 0 "$((0x9abcdef0)) $((0x12345678)) $((4 << 4 | 10 << 7 | 2 << 11 | 3 << 13 | 1 << 15 | 3 << 19)) $((0x12345678)) 0 0 1 $((0x100f)) $((0xffffffff)) 0 0 0 5 $((7 | 2 << 12 | 255 << 24)) $((17 << 24)) 0"
}

@test "4-bit and 6-bit elements are copied in groups, followed by padding zeros that do not count as bytes" {
	local to=tensormap.replace.tile load=cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
	local type words
	printf '%s\n' 'module k.ptx' 'buffer A bytes=5120 u32=iota' 'buffer O bytes=256 zero' \
		'tensormap M A dims=32,80 box=32,2 strides=128' 'launch k grid=1 block=1 args A,M,O' 'save O o' >k.launch
	# groups of 16 elements; the group at x = 16 of row 1 is the second one
	while read -r type words; do
		kernel_with_map "$to.elemtype.shared::cta.b1024.b32 [s], $type;
			tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd2+128], [s], 128;
			mbarrier.arrive.expect_tx.shared.b64 %rd4, [bar], $((type == 15 ? 48 : 32));
			$load [s+1024], [%rd2+128, {0, 1}], [bar];
		wait:
			mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;
			@!%p1 bra wait;
			$(for ((i = 0; i < (type == 13 ? 32 : 64); i += 8)); do
				echo "ld.shared.b64 %rd4, [s+1024+$i]; st.global.b64 [%rd2+$i], %rd4;"
			done)"
		run -0 timeout 60 trace-exec -n --limit 10000 k.launch
		run -0 words o
		assert_line --index 0 "$words"
	done <<-E
		13 32 33 34 35 64 65 66 67 0 0 0 0 0 0 0 0
		14 32 33 0 0 34 35 0 0 64 65 0 0 66 67 0 0
		15 32 33 34 0 35 36 37 0 64 65 66 0 67 68 69 0
	E
	kernel_with_map "$to.elemtype.shared::cta.b1024.b32 [s], 14;
		tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd2+128], [s], 128;
		$load [s+1024], [%rd2+128, {8, 1}], [bar];"
	launch_ends 1 'coordinate 8 (expected a multiple of 16)'
}

@test "wrong changes to tensor maps, and maps that are wrong after a change, are reported" {
	local to=tensormap.replace.tile load=cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
	printf '%s\n' 'module k.ptx' 'buffer A bytes=5120 u32=iota' 'buffer O bytes=256 zero' \
		'tensormap M A dims=16,80 box=16,4' 'launch k grid=1 block=1 args A,M,O' >k.launch
	while IFS=$'\t' read -r code said; do
		kernel_with_map "$code"
		run trace-exec -n k.launch
		assert_failure
		assert_output --partial "$said"
	done <<-E
		$to.box_dim.shared::cta.b1024.b32 [s], 5, 1;	no dimension (expected 0 to 4)
		$to.global_stride.shared::cta.b1024.b64 [s], 4, 1;	no dimension (expected 0 to 3)
		$to.rank.shared::cta.b1024.b64 [s], 1;	expected .b32
		$to.global_address.shared::cta.b1024.b32 [s], 1;	expected .b64
		$to.rank.shared::cta.b1024.b32 [s], 0, 1;	3 operands of
		$to.rank.shared::cta.b1024.b32 [s+8], 1;	tensor map at byte 0x8 of .shared (expected a multiple of 64)
		$to.rank.shared::cta.b1024.b32 [s+4032], 1;	at byte 4032 of .shared, which has 4104 bytes
		tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd2], [s], 64;	wrong size of a tensor map (expected 128)
		tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd2], [s+256], 128;	uninitialised
		$to.swizzle_atomicity.shared::cta.b1024.b32 [s], 1; tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd2], [s], 128; $load [s+1024], [%rd2, {0, 0}], [bar];	a swizzle that is not supported
		$to.rank.global.b1024.b32 [%rd2], 1; $load [s+1024], [%rd2, {0, 0}], [bar];	innermost bytes of the box, that are not a multiple of 16
		$to.rank.shared::cta.b1024.b32 [s], 5; tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd2], [s], 128; $load [s+1024], [%rd2, {0, 0}], [bar];	no tensor map
		$to.global_address.shared::cta.b1024.b64 [s], 0; tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd2], [s], 128; $load [s+1024], [%rd2, {0, 0}], [bar];	copy of 64 bytes at 0x0, 256 bytes before
	E
}

@test "tensor loads round floats to tf32, to nearest even, and flush subnormal floats if the type requires it" {
	local load=cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
	local -a in=(0x3f801000 0x3f803000 0x3f801001 0x3f7ff000 0x7f800000 0x7f801fff 0x80000001 0xbf803fff)
	local -a tf32=(0x3f800000 0x3f804000 0x3f802000 0x3f800000 0x7f800000 0x7f801fff 0x80000000 0xbf804000)
	kernel_with_map "$(for i in "${!in[@]}"; do echo "st.global.u32 [%rd1+$((4 * i))], ${in[i]};"; done)
		$load [s+1024], [%rd3, {0}], [bar];
		$(loaded 32);
		$(for ((i = 0; i < 32; i += 8)); do echo "ld.shared.b64 %rd4, [s+1024+$i]; st.global.b64 [%rd2+$i], %rd4;"; done)"
	printf '%s\n' 'module k.ptx' 'buffer A bytes=64 zero' 'buffer O bytes=32 zero' 'tensormap M A type=tf32 dims=16 box=8' \
		'launch k grid=1 block=1 args A,M,O' 'save O o' >k.launch
	run -0 trace-exec -n k.launch
	run -0 words o 32
	assert_output "$(for v in "${tf32[@]}"; do printf '%d ' $((v)); done | sed 's/ $//')"
	# f32.ftz: only the subnormal float changes
	kernel_with_map "$(for i in "${!in[@]}"; do echo "st.global.u32 [%rd1+$((4 * i))], ${in[i]};"; done)
		tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [s], 8;
		tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd2+64], [s], 128;
		$load [s+1024], [%rd2+64, {0}], [bar];
		$(loaded 32);
		$(for ((i = 0; i < 32; i += 8)); do echo "ld.shared.b64 %rd4, [s+1024+$i]; st.global.b64 [%rd2+$i], %rd4;"; done)"
	sed -i 's/buffer O bytes=32/buffer O bytes=192/' k.launch
	run -0 trace-exec -n k.launch
	run -0 words o 32
	in[6]=0x80000000
	assert_line --index 0 "$(for v in "${in[@]}"; do printf '%d ' $((v)); done | sed 's/ $//')"
}

@test "warpgroup products work for each n, type, transposition and swizzle, with A in registers and with sparse A" {
	"$ROOT/tests/data/ptx/wgmma" make .
	run -0 trace-exec -n k.launch
	assert_output ''
	run -0 "$ROOT/tests/data/ptx/wgmma" check .
	assert_output '161 products'
	# rows of a sparse product's B are twice as long
	grep -q 'mma_async.sp.*m64n24k64.f32.e4m3.e4m3' k.ptx
	awk '/^\.visible/ { k = $3 } /mma_async.sp.*m64n24k64.f32.e4m3.e4m3/ { print k }' k.ptx | sed 's/(.*//' >name
	awk -v n="$(cat name)(.param" '$3 == n { on = 1 } on && /add.u64 %db/ { sub(/0x8/, "0xc"); on = 0 } { print }' k.ptx >x && mv x k.ptx
	launch_ends 1 'swizzle of 32 bytes for rows of 64 bytes (expected at least a row)'
}

# Writes a kernel that adds four products of a warpgroup. Thread 0 loads matrix B of each product after the wait for the one
# before, without a barrier. $1: a branch of warps 1 to 3 (%p6) before the products; $2: code after the stores, with its target X.
product_ring() {
	kernel <<-E
		.reg .f32 %d<4>;
		.shared .align 8 .b64 end;
		mov.u32 %r4, s;
		mad.lo.u32 %r2, %r0, 16, %r4;
		mov.u32 %r3, 0x3c003c00;
		st.shared.v4.u32 [%r2], {%r3, %r3, %r3, %r3};
		shr.u32 %r4, %r4, 4;
		cvt.u64.u32 %rd4, %r4;
		add.u64 %rd4, %rd4, 0x1000080000;
		add.u64 %rd5, %rd4, 128;
		$(printf 'mov.f32 %%d%u, 0f00000000;' 0 1 2 3)
		setp.ne.u32 %p1, %r0, 0;
		setp.eq.u32 %p4, 0, 0;
		setp.ge.u32 %p6, %r0, 32;
		@!%p1 mbarrier.init.shared.b64 [bar], 1;
		@!%p1 mbarrier.init.shared.b64 [end], 32;
		bar.sync 0;
		mov.u32 %r5, 0;
		$1
		LOOP: @%p1 bra WAIT;
		mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256;
		mul.wide.u32 %rd3, %r5, 256;
		add.u64 %rd3, %rd3, %rd1;
		cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s+2048], [%rd3], 256, [bar];
		WAIT: bar.warp.sync -1;
		and.b32 %r6, %r5, 1;
		TRY: mbarrier.try_wait.parity.shared.b64 %p2, [bar], %r6;
		@!%p2 bra TRY;
		wgmma.fence.sync.aligned;
		wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, %rd4, %rd5, %p4, 1, 1, 0, 0;
		wgmma.commit_group.sync.aligned;
		wgmma.wait_group.sync.aligned 0;
		add.u32 %r5, %r5, 1;
		setp.lt.u32 %p3, %r5, 4;
		@%p3 bra LOOP;
		mul.wide.u32 %rd3, %r1, 2048;
		mad.wide.u32 %rd3, %r0, 16, %rd3;
		add.u64 %rd3, %rd3, %rd1;
		st.global.v4.f32 [%rd3+1024], {%d0, %d1, %d2, %d3};
		$2
	E
	printf 'module k.ptx\nbuffer A bytes=7168 u32=list:%s\nlaunch k grid=3 block=128 args A\nsave A a\n' \
		"$(for v in 0x3c003c00 0x40004000 0x42004200 0x44004400; do printf "$v,%.0s" {1..64}; done)0" >k.launch
}

# Asserts that $1 warps of each block have stored the sum of the products and the others nothing, also with other options.
stores_sums() {
	local o

	for o in '' '-j 3' --order; do
		# shellcheck disable=SC2086
		run -0 trace-exec -n $o k.launch
		assert_output ''
		run -0 bash -c "tail -c 6144 a | od -An -v -tf4 -w512 | tr -s ' ' '\n' | awk 'NF { n[\$1 + 0]++ } END { print n[160], n[0] + 0 }'"
		assert_output "$((384 * $1)) $((1536 - 384 * $1))"
	done
}

@test "a wait for products of a warpgroup ends when all its warps have executed them" {
	product_ring '' ''
	stores_sums 4
	trace-exec -q --as sass -g h100-pcie -o one k.launch
	trace-exec -q --as sass -g h100-pcie -j 3 -o many k.launch
	diff -r one many
	run grep -c ' WARPGROUP.DEPBAR' one/kernel-1.traceg # each warp waits once after each product
	assert_output $((3 * 4 * 4))
}

@test "a write to a matrix that a product reads is a race until a warp has waited for the product" {
	product_ring '' ''
	sed 's/wgmma.wait_group.sync.aligned 0/wgmma.wait_group.sync.aligned 1/' k.ptx >x
	cp k.ptx right.ptx
	mv x k.ptx
	launch_ends 1 'race: copy at byte 2048 of .shared, which a matrix product of warps 0 to 3 reads (expected wgmma.wait_group before it) (kernel k, thread (0,0,0) of CTA (0,0,0)'
	# a wait that leaves one group, which has no product, waits for all products
	sed 's/wgmma.commit_group.sync.aligned;/&&/; s/wgmma.wait_group.sync.aligned 0/wgmma.wait_group.sync.aligned 1/' right.ptx >k.ptx
	run -0 trace-exec -n k.launch
	assert_output ''
	"$ROOT/tests/data/sass/gmma" . early
	launch_ends 1 'reads (expected wgmma.wait_group before it)'
}

@test "warps wait for no products that warps of their warpgroup do not execute" {
	product_ring '@%p6 ret;' ''
	stores_sums 1
	product_ring '@%p6 bra X;' 'X: bar.sync 1;'
	stores_sums 1
	product_ring '@%p6 bra X;' 'mbarrier.arrive.shared.b64 _, [end];
		X: mbarrier.try_wait.parity.shared.b64 %p2, [end], 0;
		@!%p2 bra X;'
	stores_sums 1
	product_ring '@%p6 bra X;' 'fence.acq_rel.gpu; mbarrier.arrive.shared.b64 _, [end];
		X: mbarrier.try_wait.parity.shared.b64 %p2, [end], 0;
		@!%p2 bra X;'
	stores_sums 1
}
