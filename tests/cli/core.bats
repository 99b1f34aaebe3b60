#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-sim -core_model modern: options, rejected values, threads, cycles that are skipped.

bats_require_minimum_version 1.5.0
load helper

modern="-g a100 -D core_model=modern -D gpgpu_perfect_inst_const_cache=0"

@test "impossible values of -core_* options are rejected" {
	for d in core_model=new core_dependence=guess core_latency_table=sm_80 core_predicates=all core_war_mode=never \
		core_issue_order=lrr core_rf_read=window core_rfc_guess=all core_ii_int=0 core_ii_fp32=0 core_ii_half=0 \
		core_ii_fp64=0 core_ii_sfu=0 core_mem_places=0 core_sm_bytes=0 core_rf_banks=0 core_ibuffer=0 core_ibuffer=9 core_prefetch_streams=0 core_prefetch_streams=9 \
		core_prt=0 core_shared_bytes=0 core_sm_interval=0 core_shared_latency=10 core_l1_latency=22 core_const_latency=10 core_cta_interval=-1 \
		core_cta_interval=1,5 core_cta_interval=2000000 core_cta_retire=-1 core_cta_retire=1e1 core_cta_retire=2000000 core_warp_interval=-1 core_warp_interval=1025 \
		core_kernel_least=1:2:3:4 core_kernel_least=1: core_kernel_least=-1 core_cache:l0i=N:3:128:4 core_cache:l0i=N:8:128 \
		core_cache:l0i=N:8:8:4 core_cache:l0i=S:8:128:32 core_cache:l1i=N:64:128 \
		core_cache:l1i=N:64:128:16,L:R:m:N:L,S:64:48,32 core_cache:l1i=N:64:64:16,L:R:f:N:L,S:64:48,32 \
		core_l1_ways=-1 core_l1_ways=1025 core_l1_tag_banks=0 core_l1_tag_banks=3 core_l1_tag_banks=64 core_l1_reserved=400 core_cta_shmem=-2 core_tensor_rate=0 core_branch_taken_latency=0 core_forwarding=2 core_link_bytes=0 \
		gpgpu_num_sched_per_core=16; do
		run -2 trace-sim -q $modern -D "$d" "$(trace vecadd)"
		[[ $output == *"${d%%=*}"*expected* ]] || { echo "$d: $output"; return 1; }
	done
}

@test "the modern core gives the same results with threads and with each option away from its default" {
	for d in core_model=modern core_issue_order=gto core_issue_order=rr core_predicates=mask core_predicates=none \
		core_war_mode=writeback core_war_mode=issue core_rfc_guess=next core_rf_read=late core_result_queue=2 \
		core_forwarding=0 core_latency_table=sm_100 core_prefetch_lines=0 core_prefetch_streams=3 core_l1i_miss_latency=200 core_ibuffer=1 \
		core_cache:l0i=N:1:128:1 core_mem_places=1 core_prt=1 core_cta_interval=0 core_const_cold=0 \
		core_l1_tag_banks=1 core_l1_tag_banks=32 core_l1_ways=3 core_l1_ways=1 core_l1_reserved=8 core_cta_shmem=0 core_cta_shmem=3000 \
		core_kernel_least=9000:1.5:0.5 core_cta_retire=900.5 core_warp_interval=33 \
		core_fp64_shared=1 core_fp32_on_int=1 gpgpu_perfect_inst_const_cache=1 gpgpu_gmem_skip_L1D=1; do
		run -0 trace-sim -q $modern -D "$d" -F json "$(trace vecadd)"
		one=$output
		run -0 trace-sim -q $modern -D "$d" -F json -j 3 "$(trace vecadd)"
		[ "$one" = "$output" ] || { echo "$d"; return 1; }
	done
}

@test "a kernel takes at least its launch latency, even if it has nothing to execute" {
	for w in 1 128; do
		run -0 env WARPTOOLS_WINDOW=$w trace-sim -q $modern -D core_kernel_least=200000 -k 1-6 -F json "$(trace launches)"
		[ "$(stats-csv -s gpu_sim_cycle <<<"$output" | grep -c ',200000')" = 6 ]
	done
}

@test "an SM starts warps one after another, also those of two CTAs; a CTA that ends delays the next start" {
	t=$(trace vecadd)
	one="$modern -D gpgpu_perfect_inst_const_cache=1 -D gpgpu_n_clusters=1 -D gpgpu_n_cores_per_cluster=1 -D gpgpu_shader_cta=2 -D core_cta_interval=0"
	log=$BATS_TEST_TMPDIR/log
	run -0 trace-sim -q $one -D core_cta_latency=100 -D core_warp_interval=40 -F text --events "$log" "$t"
	# The first issues of 16 warps are 40 cycles apart, except for one or two in which another instruction went first.
	[ "$(awk '$2 == "issue" && !seen[$4]++ { n += $1 - last > 37 && $1 - last < 43; last = $1 } END { print n }' "$log")" -ge 15 ]
	[ "$(awk '$2 == "cta" { print $1 }' "$log" | sed -n 2p)" = 5002 ]
	for retire in 0 300 1000.5; do
		run -0 trace-sim -q $one -D core_cta_retire=$retire -f -F text --events "$log" "$t"
		awk '$2 == "cta" && ++n == 3 { print $1 }' "$log"
	done >"$BATS_TEST_TMPDIR/third"
	[ "$(awk '{ printf "%s ", $1 - first; first = first ? first : $1 }' "$BATS_TEST_TMPDIR/third" | cut -d" " -f2-)" = "300 1000 " ]
}

@test "IMAD and IMAD.WIDE occupy the single-precision unit; the integer unit takes part of them where it can" {
	cd "$BATS_TEST_TMPDIR"
	mkdir t
	printf 'kernel-1.traceg\n' >t/kernelslist.g
	cat >t/kernel-1.traceg <<-'EOF'
	-kernel name = units
	-kernel id = 1
	-grid dim = (1,1,1)
	-block dim = (32,1,1)
	-shmem = 0
	-nregs = 32
	-binary version = 80
	-cuda stream id = 0
	-shmem base_addr = 0x00007f0000000000
	-local mem base_addr = 0x00007f1000000000
	-nvbit version = 1.7
	-accelsim tracer version = 5
	-enable lineinfo = 0

	#BEGIN_TB

	thread block = 0,0,0

	warp = 0
	insts = 7
	0000 ffffffff 1 R10 FFMA 1 R2 0 0
	0010 ffffffff 1 R12 FFMA 1 R2 0 0
	0020 ffffffff 1 R14 IMAD 1 R2 0 0
	0030 ffffffff 1 R16 FFMA 1 R2 0 0
	0040 ffffffff 1 R18 IMAD.WIDE 1 R2 0 0
	0050 ffffffff 1 R20 FFMA 1 R2 0 0
	0060 ffffffff 0 EXIT 0 0 0

	#END_TB
	EOF
	for minor in 8.0 8.6 9.0; do
		run -0 trace-sim -q $modern -D gpgpu_compute_capability_major=${minor%.*} -D gpgpu_compute_capability_minor=${minor#*.} \
			-D gpgpu_perfect_inst_const_cache=1 -D core_port_imad_wide=0 -f -F text --events log t
		awk '$2 == "issue" { printf "%s", n++ ? " " $1 - last : "-"; last = $1 } END { print "" }' log
	done >apart
	diff apart - <<-'EOF'
	- 2 2 2 2 4 1
	- 1 2 1 1 1 1
	- 1 1 2 1 4 1
	EOF
}

@test "fences of an SM share messages to the L2, of which one is under way; fences of a block do not wait" {
	cd "$BATS_TEST_TMPDIR"
	mkdir t
	printf 'kernel-1.traceg\n' >t/kernelslist.g
	# The first two warps issue their fences in the same cycle. Later warps share the second message.
	for fence in MEMBAR.SC.GPU MEMBAR.SC.CTA; do
		for warps in 1 2 8; do
			{
				printf -- '-kernel name = fences\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (%d,1,1)\n' $((32 * warps))
				printf -- '-shmem = 0\n-nregs = 32\n-binary version = 80\n-cuda stream id = 0\n'
				printf -- '-shmem base_addr = 0x00007f0000000000\n-local mem base_addr = 0x00007f1000000000\n'
				printf -- '-nvbit version = 1.7\n-accelsim tracer version = 5\n-enable lineinfo = 0\n\n'
				printf '#BEGIN_TB\n\nthread block = 0,0,0\n'
				for ((w = 0; w < warps; w++)); do
					printf '\nwarp = %d\ninsts = 2\n0000 ffffffff 0 %s 0 0 0\n0010 ffffffff 0 EXIT 0 0 0\n' $w $fence
				done
				printf '\n#END_TB\n'
			} >t/kernel-1.traceg
			run -0 trace-sim -q $modern -D gpgpu_perfect_inst_const_cache=1 -D core_membar_gpu=1000 -D core_membar_cta=1000 \
				-f -F text --events log t
			# thousands of cycles from the first fence to the last EXIT
			awk '$2 == "issue" { from = from ? from : $1; to = $1 } END { printf "%d ", (to - from) / 1000 }' log
		done
	done >thousands
	assert_equal "$(cat thousands)" "1 1 2 1 1 1 "
}

@test "a block ends without waiting for its stores, also on an SM that then sleeps; the kernel ends with a fence" {
	cd "$BATS_TEST_TMPDIR"
	mkdir t
	printf 'kernel-1.traceg\n' >t/kernelslist.g
	{
		printf -- '-kernel name = stores\n-kernel id = 1\n-grid dim = (3,1,1)\n-block dim = (256,1,1)\n'
		printf -- '-shmem = 0\n-nregs = 32\n-binary version = 80\n-cuda stream id = 0\n'
		printf -- '-shmem base_addr = 0x00007f0000000000\n-local mem base_addr = 0x00007f1000000000\n'
		printf -- '-nvbit version = 1.7\n-accelsim tracer version = 5\n-enable lineinfo = 0\n'
		for b in 0 1 2; do
			printf '\n#BEGIN_TB\n\nthread block = %d,0,0\n' $b
			for w in {0..7}; do
				printf '\nwarp = %d\ninsts = %d\n' $w $((b < 2 ? 5 : 6))
				[ $b -lt 2 ] || printf '0000 ffffffff 1 R4 LDG.E.64 1 R2 8 1 0x7f50001%d0100 8 0\n' $w
				printf '00%d0 ffffffff 0 STG.E.64 2 R2 R4 8 1 0x7f5000%d%d0%d00 8 0\n' 1 $b $w 1 2 $b $w 2 3 $b $w 3 4 $b $w 4
				printf '0050 ffffffff 0 EXIT 0 0 0\n'
			done
			printf '\n#END_TB\n'
		done
	} >t/kernel-1.traceg
	# On one SM, blocks follow each other. On two, one SM sleeps when its 256 sectors are acknowledged.
	options="-D gpgpu_perfect_inst_const_cache=1 -D gpgpu_shader_cta=1 -D gpgpu_n_cores_per_cluster=1 -D gpgpu_l2_rop_latency=4000 -D icnt_in_buffer_limit=8 -D icnt_out_buffer_limit=8"
	for n in 1 2; do
		for fence in 5000 7000; do
			run -0 trace-sim -q $modern $options -D gpgpu_n_clusters=$n -D core_membar_gpu=$fence -f -F text --events log t
			awk '$2 == "cta" { from = from ? from : $1; to = $1 } END { print (to - from < 1500 ? "at once" : "later") }' log
			run -0 trace-sim -q $modern $options -D gpgpu_n_clusters=$n -D core_membar_gpu=$fence -F json t
			stats-csv -s gpu_sim_cycle <<<"$output" | sed -n '$s/.*,//p' >>cycles
		done
	done >starts
	assert_equal "$(sort -u starts)" "at once"
	awk 'NR % 2 == 0 { print $1 - last } { last = $1 }' cycles | diff - <(printf '2000\n2000\n')
	# The other core waits for acknowledgements.
	run -0 trace-sim -q -g a100 $options -D gpgpu_n_clusters=1 -f -F text --events log t
	[ "$(awk '$2 == "cta" { from = from ? from : $1; to = $1 } END { print (to - from > 8000) }' log)" = 1 ]
}

@test "--cubin: other files are rejected; a kernel that is not found runs without control codes, or not at all" {
	head -c 100 "$ROOT/tests/data/corpus/cubin/elf80" >"$BATS_TEST_TMPDIR/cut"
	echo text >"$BATS_TEST_TMPDIR/text"
	for f in cut text none; do
		run -2 trace-sim -q $modern --cubin "$BATS_TEST_TMPDIR/$f" "$(trace vecadd)"
		[[ $output == *"$f"*error:* ]] || { echo "$f: $output"; return 1; }
	done
	run -0 --separate-stderr trace-sim $modern --cubin "$ROOT/tests/data/corpus/cubin/elf80" "$(trace vecadd)"
	[[ $stderr == *"warning: no function"*"runs without control codes"* ]]
	run -2 trace-sim -q $modern -D core_dependence=control --cubin "$ROOT/tests/data/corpus/cubin/elf80" "$(trace vecadd)"
	[[ $output == *"error: no function"*"requires control codes"* ]]
	run -2 trace-sim -q $modern -D core_dependence=control "$(trace vecadd)"
	run -0 --separate-stderr trace-sim -g a100 --cubin "$ROOT/tests/data/corpus/cubin/elf80" "$(trace vecadd)"
	[[ $stderr == *"only -core_model modern reads control codes"* ]]
}

@test "options of the other core cause one warning, except for earlier options and for default values" {
	said() { trace-sim "$@" "$(trace vecadd)" 2>&1 >/dev/null | grep -c 'no effect with -core_model' || true; }
	for o in gpgpu_scheduler=lrr gpgpu_smem_latency=9 gpgpu_l1_latency=9 trace_opcode_latency_initiation_int=9,9 \
		gpgpu_num_int_units=3 gpgpu_operand_collector_num_units_gen=3 gpgpu_num_reg_banks=4; do
		[ "$(said $modern -D $o)" = 1 ] || { echo "$o"; return 1; }
		[ "$(said -g a100 -D $o -D core_model=modern)" = 0 ] || { echo "$o first"; return 1; }
	done
	[ "$(said $modern -D gpgpu_smem_latency=9 -D gpgpu_l1_latency=9)" = 1 ]
	[ "$(said $modern -D gpgpu_scheduler=gto)" = 0 ]
	[ "$(said -g a100 -D core_issue_order=rr -D core_ibuffer=2)" = 1 ]
	[ "$(said -g a100 -D core_issue_order=cggty)" = 0 ]
	[ "$(said -g h100-pcie)" = 0 ]
	[ "$(said -g h100-pcie -D core_model=accelsim)" = 0 ]
	[ "$(said -g h100-pcie -D core_model=accelsim -D core_ibuffer=2)" = 1 ]
}

# Prints cycles, instructions and mismatches of each kernel of a run.
joined() {
	trace-sim -q $modern -F json "$@" >result
	jq -c 'select(.record == "kernel").stats | [.gpu_sim_cycle, .core_control_insts, .core_control_mismatches]' result
}

@test "--cubin: fat binaries that unpack to far more than their size are rejected" {
	head -c 100000000 /dev/zero >"$BATS_TEST_TMPDIR/zeros"
	python3 "$ROOT/tests/data/cudart/mkfat" "$BATS_TEST_TMPDIR/fat" "elf:80:zstd:$BATS_TEST_TMPDIR/zeros"
	[ "$(stat -c %s "$BATS_TEST_TMPDIR/fat")" -lt 20000 ]
	run -2 trace-sim -q $modern --cubin "$BATS_TEST_TMPDIR/fat" "$(trace vecadd)"
	assert_output --partial "fat: error: entries of fat binaries unpack to more than 16 MiB and 64 times the file's size"
}

@test "control codes come from a packed stream in a file or a pipe; --cubin has priority; each kernel reports its count" {
	cd "$BATS_TEST_TMPDIR"
	cp -r "$(trace uniform)" app
	echo kernel-1.traceg >>app/kernelslist.g
	cubingen -s 1 app >one
	cubingen -s 11 app >eleven
	trace-pack --cubin one -o coded app
	joined app >without
	joined --cubin one app >with
	joined --cubin eleven app >slow
	run -1 cmp -s with without
	run -1 cmp -s with slow
	[ "$(sed 's/^\[[0-9]*,//' with)" = "$(printf '25,null]\n25,null]')" ]
	joined coded | cmp - with
	joined -j 3 coded | cmp - with
	joined - <coded | cmp - with
	joined --cubin eleven coded | cmp - slow
	joined -D core_dependence=scoreboard coded | cmp - without
	joined -D core_dependence=control coded | cmp - with
	run -0 --separate-stderr trace-sim -g a100 coded
	[ -z "$stderr" ]
}

@test "a cubin with different code: the kernel runs without control codes, and the message names the difference" {
	cd "$BATS_TEST_TMPDIR"
	t=$(trace vecadd)
	joined "$t" | sed 's/^\[\([0-9]*\),.*/\1/' >cycles
	cubingen -x 0x50 "$t" >other
	cubingen -n 0x50 "$t" >short
	for c in other short; do
		trace-pack -q --cubin $c -o $c.tpack "$t"
		for o in "--cubin $c $t" $c.tpack; do
			run -0 --separate-stderr trace-sim $modern -F text $o
			[[ $stderr == *"pc 0x"*"instructions match"*"runs without control codes"* ]]
			joined $o | sed 's/^\[\([0-9]*\),.*/\1/' | cmp - cycles
			[ "$(jq -c 'select(.record == "kernel").stats.core_control_mismatches > 0' result)" = true ]
		done
	done
}

@test "--profile, --timeline and --events work on the modern core, with the same bytes for any number of threads" {
	cd "$BATS_TEST_TMPDIR"
	t=$(trace vecadd)
	for j in 1 3; do
		run -0 trace-sim -q $modern -D gpgpu_perfect_inst_const_cache=0 -j $j -F json -o result$j \
			--profile profile$j --timeline timeline$j --events events$j "$t"
	done
	cmp result1 result3
	cmp profile1 profile3
	cmp timeline1 timeline3
	cmp events1 events3
	[ "$(grep -c '	issue	' events1)" = 640 ]
	run -0 trace-sim -q $modern -F text --profile profile -o result "$t"
	[ "$(awk '/^sched_cycles / { all += $2 } /^sched_cycles\[/ { sum += $2 } END { print (all == sum && sum > 0) }' profile)" = 1 ]
}

@test "--profile charges a wait to the instruction that the warp issued, whatever memory contained before" {
	cd "$BATS_TEST_TMPDIR"
	t=$(trace alu)
	for byte in 1 170; do
		run -0 env MALLOC_PERTURB_=$byte timeout 60 trace-sim -q $modern -f -F json --profile p$byte -o result "$t"
	done
	cmp p1 p170
}

# Warps 0 and 4 share a sub-core and run straight code at different places; a single stream buffer serves one of them.
@test "the stream buffers of a sub-core prefetch the code of several warps" {
	cd "$BATS_TEST_TMPDIR"
	for warps in 1 5; do
		{
			printf -- '-kernel name = far\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (%d,1,1)\n-shmem = 0\n' $((32 * warps))
			printf -- '-nregs = 32\n-binary version = 90\n-cuda stream id = 0\n-shmem base_addr = 0x00007f0000000000\n'
			printf -- '-local mem base_addr = 0x00007f1000000000\n-nvbit version = 1.8\n-accelsim tracer version = 5\n\n'
			printf '#traces format = x\n\n#BEGIN_TB\n\nthread block = 0,0,0\n'
			for ((w = 0; w < warps; w++)); do
				n=$((w % 4 ? 0 : 512))
				printf '\nwarp = %d\ninsts = %d\n' $w $((n + 1))
				for ((i = 0; i < n; i++)); do printf '%04x ffffffff 1 R%d MOV 0 0 0 \n' $((32768 * w / 4 + 16 * i)) $((i % 8 + 2)); done
				printf 'ff00 ffffffff 0 EXIT 0 0 0 \n'
			done
			printf '\n#END_TB\n'
		} >far-$warps.traceg
		for streams in 1 2; do
			trace-sim -q -g h100-sxm -D core_kernel_least=0 -D core_l1i_miss_latency=60 -D core_prefetch_lines=8 -D core_prefetch_streams=$streams -F json \
				far-$warps.traceg | stats-csv -s gpu_sim_cycle | tail -1 | tr -d '\r' | sed 's/.*,//'
		done >cycles-$warps
	done
	[ "$(uniq cycles-1 | wc -l)" = 1 ]
	[ $(($(sed -n 1p cycles-5) - $(sed -n 2p cycles-5))) -gt 1000 ] || { cat cycles-5; return 1; }
}

# Each of 20 pieces of 40 lines of code runs once. Before each piece, the warp executes an instruction of line 10 of the
# piece, or of a line elsewhere.
@test "a stream buffer continues past a line that the sub-core's cache already has" {
	cd "$BATS_TEST_TMPDIR"
	for first in '16 * (320 * r + 80)' '524288 + 128 * r'; do
		{
			printf -- '-kernel name = again\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n'
			printf -- '-nregs = 32\n-binary version = 90\n-cuda stream id = 0\n-shmem base_addr = 0x00007f0000000000\n'
			printf -- '-local mem base_addr = 0x00007f1000000000\n-nvbit version = 1.8\n-accelsim tracer version = 5\n\n'
			printf '#traces format = x\n\n#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = %d\n' $((20 * 321 + 1))
			for ((r = 0; r < 20; r++)); do
				printf '%04x ffffffff 1 R2 MOV 0 0 0 \n' $((first))
				for ((i = 320 * r; i < 320 * r + 320; i++)); do printf '%04x ffffffff 1 R%d MOV 0 0 0 \n' $((16 * i)) $((i % 8 + 2)); done
			done
			printf 'fff00 ffffffff 0 EXIT 0 0 0 \n\n#END_TB\n'
		} >again.traceg
		trace-sim -q -g h100-sxm -D core_kernel_least=0 -D core_l1i_miss_latency=60 -D core_prefetch_lines=8 -D core_prefetch_streams=1 -F json \
			again.traceg | stats-csv -s gpu_sim_cycle | tail -1 | tr -d '\r' | sed 's/.*,//'
	done >cycles
	[ $(($(sed -n 1p cycles) - $(sed -n 2p cycles))) -lt 1600 ] || { cat cycles; return 1; }
}

# The warp executes code in every second line of 128 bytes.
@test "a stream buffer serves code that skips lines" {
	cd "$BATS_TEST_TMPDIR"
	{
		printf -- '-kernel name = skip\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n'
		printf -- '-nregs = 32\n-binary version = 90\n-cuda stream id = 0\n-shmem base_addr = 0x00007f0000000000\n'
		printf -- '-local mem base_addr = 0x00007f1000000000\n-nvbit version = 1.8\n-accelsim tracer version = 5\n\n'
		printf '#traces format = x\n\n#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = 513\n'
		for ((i = 0; i < 512; i++)); do printf '%04x ffffffff 1 R%d MOV 0 0 0 \n' $((256 * (i / 8) + 16 * (i % 8))) $((i % 8 + 2)); done
		printf 'ff00 ffffffff 0 EXIT 0 0 0 \n\n#END_TB\n'
	} >skip.traceg
	for lines in 0 8; do
		trace-sim -q -g h100-sxm -D core_kernel_least=0 -D core_l1i_miss_latency=60 -D core_prefetch_lines=$lines -F json \
			skip.traceg | stats-csv -s gpu_sim_cycle | tail -1 | tr -d '\r' | sed 's/.*,//'
	done >cycles
	[ $(($(sed -n 1p cycles) - $(sed -n 2p cycles))) -gt 5000 ] || { cat cycles; return 1; }
}
