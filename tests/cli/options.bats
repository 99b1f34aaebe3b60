#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Each option of trace-sim at its bounds: the GPU runs, or the value is rejected with a message.

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

# Prints "NAME LEAST GREATEST" of the numeric options of the timing model, or of all others. Under ASan each SM takes 2 MB, so
# that the greatest number of clusters would take 8 GB.
bounds() {
	trace-sim --list-options | awk -v model="$1" -v clusters="${SANITIZED:+128}" 'NR > 1 && $2 != "string" {
		match($0, / (any|-?[0-9]+\.\.(-?[0-9]+)?) /)
		split(substr($0, RSTART + 1, RLENGTH - 2), part, /\.\./)
		if (($0 ~ / model  /) != model)
			next
		if (clusters && $1 == "-gpgpu_n_clusters")
			part[2] = clusters
		least = part[1] == "any" ? "-9223372036854775808" : part[1]
		print substr($1, 2), least, part[2] == "" ? "9223372036854775807" : part[2]
	}'
}

# Runs at most 20,000 cycles and prints what is neither a result nor a rejection.
try() {
	local status=0

	timeout 60 trace-sim -q -g rtx3070 -D gpgpu_n_clusters=2 -D gpgpu_max_cycle=20000 "$@" -o out -f \
		"$(trace example)" 2>err || status=$?
	case $status in
	0 | 1) ;;
	2) grep -q '^trace-sim: .*' err && ! grep -Eq 'Assertion|Sanitizer|runtime error' err && return ;;
	*) false ;;
	esac || { echo "$* ends with status $status: $(head -3 err)"; return 1; }
}

@test "each option of the model works at its least and greatest value" {
	bounds 1 >rows
	[ "$(wc -l <rows)" -gt 100 ]
	while read -r name least greatest; do
		try -D "$name=$least" || bad=1
		try -D "$name=$greatest" || bad=1
	done <rows
	[ -z "${bad-}" ]
}

@test "on the modern core, each option works at its least and greatest value, and rejects values outside" {
	modern="-D core_model=modern -D gpgpu_perfect_inst_const_cache=0"
	bounds 1 >rows
	[ "$(grep -c ^core_ rows)" -gt 40 ]
	while read -r name least greatest; do
		# shellcheck disable=SC2086
		for value in "$least" "$greatest"; do
			try $modern -D "$name=$value" || bad=1
		done
		case $name in core_*) ;; *) continue ;; esac
		for value in $((least - 1)) $((greatest + 1)) 1x ''; do
			run trace-sim -q -g rtx3070 $modern -D "$name=$value" "$(trace example)"
			[[ $status = 2 && $output == *"$name"*expected* ]] ||
				{ echo "$name=$value: $status $output"; bad=1; }
		done
	done <rows
	[ -z "${bad-}" ]
}

@test "all -core_* options work together at their least and at their greatest values" {
	bounds 1 | grep ^core_ >rows
	for column in 2 3; do
		# shellcheck disable=SC2046
		try -D core_model=modern -D gpgpu_perfect_inst_const_cache=0 $(awk -v c=$column '{ print "-D", $1 "=" $c }' rows)
	done
}

@test "all other options work together at their least and at their greatest values" {
	bounds 0 >rows
	[ "$(wc -l <rows)" -gt 60 ]
	# shellcheck disable=SC2046
	try $(awk '{ print "-D", $1 "=" $2 }' rows)
	# shellcheck disable=SC2046
	try $(awk '{ print "-D", $1 "=" $3 }' rows)
}

@test "clusters of more than 64 SMs run in any cycling order" {
	for order in 0 1; do
		for n in 64 65 256; do
			try -D gpgpu_n_clusters=1 -D gpgpu_n_cores_per_cluster=$n -D gpgpu_simt_core_sim_order=$order
			grep -q '^status complete' out
		done
	done
}

# Writes a kernel of one block with $1 warps, each with the lines of stdin and an EXIT.
one_block() {
	mkdir -p app
	echo kernel-1.traceg >app/kernelslist.g
	awk -v warps="$1" '
	{ line[n++] = $0 }
	END {
		print "-kernel name = k\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (" warps * 32 ",1,1)"
		print "-shmem = 0\n-nregs = 32\n-binary version = 70\n-cuda stream id = 0"
		print "-shmem base_addr = 0x7f0000000000\n-local mem base_addr = 0x7e0000000000"
		print "-accelsim tracer version = 4\n\n#BEGIN_TB\n\nthread block = 0,0,0"
		for (w = 0; w < warps; w++) {
			print "\nwarp = " w "\ninsts = " n + 1
			for (i = 0; i < n; i++)
				printf "%04x ffffffff %s\n", 16 * i, line[i]
			printf "%04x ffffffff 0 EXIT 0 0 0\n", 16 * n
		}
		print "\n#END_TB"
	}' >app/kernel-1.traceg
}
cycles() { trace-sim -q "$@" app | awk '$1 == "gpu_sim_cycle" { print $2; exit }'; }
refused() {
	local message=$1
	shift
	for j in 1 2; do
		run -2 trace-sim -q -j $j -o out "$@" app
		assert_output --partial "$message"
		[ ! -e out ]
	done
}

@test "units for some schedulers only: their warps run normally, and instructions of other warps are rejected" {
	for i in $(seq 100); do echo "1 R4 DFMA 3 R4 R6 R8 0 0"; done >dfma
	one_block 2 <dfma
	for n in 2 3 4; do
		[ "$(cycles -g qv100 -D gpgpu_kernel_launch_latency=100 -D gpgpu_num_dp_units=$n)" -eq 1403 ]
	done
	one_block 3 <dfma
	refused "app/kernel-1.traceg:227: error: opcode 'DFMA' at pc 0x0 in a warp of scheduler 2, which has no unit for it" -g qv100 -D gpgpu_num_dp_units=2
	echo "1 R4 FADD 2 R4 R6 0 0" | one_block 4
	for option in num_sfu_units=1 num_dp_units=1 num_tensor_core_units=1; do
		[ "$(cycles -g qv100 -D gpgpu_$option)" -eq "$(cycles -g qv100)" ]
	done
	echo "1 R4 MUFU.RCP 1 R4 0 0" | one_block 4
	refused "opcode 'MUFU.RCP' at pc 0x0 in a warp of scheduler 1, which has no unit for it (expected a scheduler below 1," -g qv100 -D gpgpu_num_sfu_units=1
}

@test "a latency longer than its pipeline is rejected if an instruction has it" {
	echo "1 R4 FADD 2 R4 R6 0 0" | one_block 1
	[ "$(cycles -g qv100 -D trace_opcode_latency_initiation_dp=64,4)" -eq "$(cycles -g qv100)" ]
	echo "1 R4 DFMA 3 R4 R6 R8 0 0" | one_block 1
	refused "opcode 'DFMA' of class DP at pc 0x0 needs a pipeline of more stages" -g qv100 -D trace_opcode_latency_initiation_dp=64,4
}

@test "an L2 that no request can enter is rejected at the first request" {
	queues="-g qv100 -D gpgpu_perfect_inst_const_cache=1 -D gpgpu_dram_partition_queues"
	echo "1 R4 FADD 2 R4 R6 0 0" | one_block 1
	[ "$(cycles $queues=2:2:2:2)" -eq "$(cycles $queues=64:64:64:64)" ]
	echo "1 R4 LDS 1 R2 4 1 0x10 4 0" | one_block 1
	[ "$(cycles $queues=2:2:2:2)" -eq "$(cycles $queues=64:64:64:64)" ]
	echo "1 R4 LDG.E 1 R2 4 1 0x7f4000000000 4 0" | one_block 1
	refused 'the memory request of the instruction at pc 0x0 cannot enter the L2 (expected at least 4 entries' $queues=2:2:2:2
	refused 'expected at least 4 entries in the first queue' -g qv100 -D gpgpu_perfect_inst_const_cache=0 -D gpgpu_dram_partition_queues=2:2:2:2
}

@test "an L1 that cannot accept an access is rejected at the first such access, after the earlier ones ran" {
	l1="-g qv100 -D gpgpu_perfect_inst_const_cache=1 -D gpgpu_adaptive_cache_config=0 -D gpgpu_unified_l1d_size=0 -D gpgpu_cache:dl1"
	load="1 R4 LDG.E 1 R2 4 1 0x7f4000000000 4 0" store="0 STG.E 2 R2 R9 4 1 0x7f4000000000 4 0"
	echo "$store" | one_block 1
	[ "$(cycles $l1=S:4:128:64,L:T:m:N:L,A:256:8,1:0,32)" -eq "$(cycles $l1=S:4:128:64,L:T:m:N:L,A:256:8,16:0,32)" ]
	refused 'never accepts a write of the instruction at pc 0x0 (expected a larger miss queue: even' $l1=S:4:128:64,L:T:m:W:L,A:256:8,2:0,32
	refused '(expected another write allocation than F' $l1=S:4:128:64,L:T:m:F:L,A:256:8,16:0,32
	echo "$load" | one_block 1
	refused 'never accepts a read of the instruction at pc 0x0 (expected a larger miss queue: even' $l1=S:4:128:64,L:T:m:N:L,A:256:8,1:0,32
	for l in T:m:W:L,A:256:8,2 T:m:F:L,A:256:8,16; do
		[ "$(cycles $l1=S:4:128:64,L:$l:0,32)" -eq "$(cycles $l1=S:4:128:64,L:T:m:N:L,A:256:8,16:0,32)" ]
	done
	lines="-D gpgpu_cache:dl2=N:32:128:24,L:B:m:W:L,A:192:4,32:0,32 $l1=N:4:128:64,L:B:m"
	[ "$(cycles $lines:L:L,A:256:8,16:0,32)" -eq "$(cycles $lines:N:L,A:256:8,16:0,32)" ]
	printf '%s\n' "${store% 4 0} 8 0" "$load" | one_block 1
	refused 'never accepts a read of the instruction at pc 0x10 (expected a sector cache (S)' $lines:L:L,A:256:8,16:0,32
}

@test "a sectored L1 above an L2 of whole lines accepts stores and rejects loads" {
	l1="-g qv100 -D gpgpu_perfect_inst_const_cache=1 -D gpgpu_cache:dl2=N:32:128:24,L:B:m:W:L,A:192:4,32:0,32 -D gpgpu_adaptive_cache_config=0 -D gpgpu_unified_l1d_size=0 -D gpgpu_cache:dl1=S:4:128:64,L:T:m:N:L"
	echo "0 STG.E 2 R2 R9 4 1 0x7f4000000000 4 0" | one_block 1
	[ "$(cycles $l1,S:256:8,16:0,32)" -eq "$(cycles $l1,A:256:8,16:0,32)" ]
	echo "1 R4 LDG.E 1 R2 4 1 0x7f4000000000 4 0" | one_block 1
	refused 'misses in the L1, whose replies do not come in sectors (expected MSHR kind A' $l1,S:256:8,16:0,32
}

@test "MSHR kind S in an L1 whose lines arrive in parts: loads are rejected" {
	l1="-g gv100 -D gpgpu_adaptive_cache_config=0 -D gpgpu_unified_l1d_size=0 -D gpgpu_cache:dl1"
	echo "1 R4 LDG.E 1 R2 4 1 0x7f4000000000 4 0" | one_block 1
	[ "$(cycles $l1=N:4:128:64,L:T:m:N:L,S:512:8,16:0,32)" -gt 0 ]
	refused 'misses in the L1, whose replies do not come in sectors' $l1=S:4:128:64,L:T:m:L:L,S:512:8,16:0,32
	refused 'misses in the L1, whose replies do not come in sectors' $l1=N:4:32:64,L:T:m:N:L,S:512:8,16:0,32
	echo "1 R4 LDG.E 1 R2 4 1 0x7f4000000000 0 0" | one_block 1
	refused 'reads 1 sector of an L1 line of 64 bytes' $l1=N:4:64:64,L:T:m:N:L,S:512:8,16:0,32
}

@test "a constant cache that no access can pass is rejected at the first access" {
	l1c="-g gv100 -D gpgpu_perfect_inst_const_cache=0 -D gpgpu_const_cache:l1=N:128:64:8,L:R:f:N"
	echo "1 R4 FADD 2 R4 R6 0 0" | one_block 1
	for l in H,S:2:64,4 L,A:2:64,4 L,S:0:64,4 L,S:2:64,0; do
		[ "$(cycles $l1c:$l)" -gt 0 ]
		run -2 trace-sim -q -o out $l1c:$l "$ROOT/tests/data/ptx-trace"
		assert_output --partial '-gpgpu_const_cache:l1: '
	done
}

# PAIRS=-a runs all pairs in about 20 minutes. Sanitizer builds run a quarter of the default.
@test "pairs of option values that meet in one unit either run or are rejected" {
	pairs=${SANITIZED:+600}
	run -0 python3 "$ROOT/tests/tools/option-pairs" ${PAIRS:--n ${pairs:-2500}} "$(trace vecadd)" "$(trace atomics)" "$ROOT/tests/data/ptx-trace"
	assert_output --regexp '^[0-9]+ runs, [0-9]+ rejected, 0 wrong$'
}

@test "an L2 whose lines all wait for sectors that nothing requests is rejected instead of a deadlock" {
	l2="-g gv100 -D gpgpu_n_clusters=2 -D gpgpu_n_mem=2 -D gpgpu_memory_partition_indexing=0 -D gpgpu_perfect_inst_const_cache=0"
	run -2 trace-sim -q -o out $l2 -D gpgpu_cache:dl2=S:32:128:1,L:B:m:L:P,A:192:4,32:0,32 "$ROOT/tests/data/ptx-trace"
	assert_output --partial 'expected more ways: all lines of the set wait for sectors'
	run -0 trace-sim -q -o out $l2 -D gpgpu_cache:dl2=S:32:128:2,L:B:m:L:P,A:192:4,32:0,32 "$ROOT/tests/data/ptx-trace"
}

@test "an L2 that cannot accept an access is rejected at the first such access" {
	l2="-g qv100 -D gpgpu_perfect_inst_const_cache=1 -D gpgpu_cache:dl2"
	echo "1 R4 LDS 1 R2 4 1 0x10 4 0" | one_block 1
	for l in S:32:128:24,L:B:m:L:P,A:192:4,1 S:32:128:24,L:B:m:L:P,S:192:4,32 N:32:128:24,L:T:m:F:P,A:192:4,2; do
		[ "$(cycles $l2=$l:0,32)" -eq "$(cycles $l2=S:32:128:24,L:B:m:L:P,A:192:4,32:0,32)" ]
	done
	echo "1 R4 LDG.E 1 R2 4 1 0x7f4000000000 4 0" | one_block 1
	refused 'the L2 can never accept a read of address 0x7f4000000000 (expected a larger miss queue' $l2=S:32:128:24,L:B:m:L:P,A:192:4,1:0,32
	refused 'the L2 can never accept a read of address 0x7f4000000000 (expected MSHR kind A' $l2=S:32:128:24,L:B:m:L:P,S:192:4,32:0,32
	echo "0 STG.E 2 R2 R9 4 1 0x7f4000000000 4 0" | one_block 1
	refused 'the L2 can never accept a write of address 0x7f4000000000 (expected a larger miss queue' $l2=S:32:128:24,L:B:m:W:P,A:192:4,2:0,32
	refused 'the L2 can never accept a write of address 0x7f4000000000 (expected another write allocation' $l2=S:32:128:24,L:T:m:F:P,A:192:4,32:0,32
	printf '%s\n' "0 STG.E 2 R2 R9 4 1 0x7f4000000000 8 0" "1 R4 LDG.E 1 R2 4 1 0x7f4000000000 4 0" | one_block 1
	refused '(expected a sector cache (S) with write allocation L' $l2=N:32:128:24,L:B:m:L:P,A:192:4,32:0,32 -D gpgpu_gmem_skip_L1D=1
}

@test "an L1 of whole lines above a sectored L2 accepts stores of a sector and rejects loads" {
	dl1="-g qv100 -D gpgpu_perfect_inst_const_cache=1 -D gpgpu_adaptive_cache_config=0 -D gpgpu_unified_l1d_size=0 -D gpgpu_cache:dl1=N:4:128:64,L:T:m:N:L,A:256:8,16:0,32"
	echo "0 STG.E 2 R2 R9 4 1 0x7f4000000000 4 0" | one_block 1
	[ "$(cycles $dl1)" -gt 0 ]
	echo "1 R4 LDG.E 1 R2 4 1 0x7f4000000000 4 0" | one_block 1
	refused 'the instruction at pc 0x0 makes the L1 request 128 bytes' $dl1
}

@test "a sectored L1 accepts unsectored accesses that stay in one sector" {
	echo "1 R4 LDG.E 1 R2 4 1 0x7f4000000000 0 0" | one_block 1
	[ "$(cycles -g qv100 -D gpgpu_coalesce_arch=20)" -gt 0 ]
	echo "1 R4 LDG.E 1 R2 4 1 0x7f4000000000 4 0" | one_block 1
	refused 'access of 128 bytes by the instruction at pc 0x0 (expected at most the 32 of an L1 sector, -gpgpu_coalesce_arch 20)' -g qv100 -D gpgpu_coalesce_arch=20
}

# A configuration of a fork: a known option of another simulator, an unknown one, one without a value, one for a log.
fork() { printf -- '-gpgpu_l1_latency 30\n-is_L0I_enabled 1\n-foo -3\n-flag\n-visualizer_enabled 1\n' >fork.config; }

@test "options of Accel-Sim 2.0 without a counterpart are reported with their meaning" {
	cd "$BATS_TEST_TMPDIR"
	d=$(trace vecadd)
	for o in gpgpu_n_chiplet_partition gpgpu_lrc_enabled gpgpu_opndcoll_model gpgpu_trywait_retry_cycles; do
		run -2 trace-sim -g rtx3070 -D $o=1 "$d"
		assert_output --partial "'-$o' of another simulator (Accel-Sim 2.0: "
	done
}

@test "--unknown-options: error by default; warn skips them and names their meaning elsewhere" {
	cd "$BATS_TEST_TMPDIR"
	fork
	d=$(trace vecadd)
	run -2 trace-sim -g rtx3070 -c fork.config "$d"
	assert_output --partial "fork.config:2:1: error: option '-is_L0I_enabled' of another simulator (level-0 instruction cache"
	run -2 trace-sim -g rtx3070 -c fork.config --unknown-options error "$d"
	run -0 --separate-stderr trace-sim -g rtx3070 -c fork.config --unknown-options warn -D bar=1 "$d"
	[ "$(grep -c warning <<<"$stderr")" = 5 ]
	[[ $stderr == *"fork.config:3:1: warning: unknown option '-foo'"* ]]
	[[ $stderr == *"fork.config:4:1: warning: unknown option '-flag'"* ]]
	[[ $stderr == *"-D bar=1: warning: unknown option '-bar'"* ]]
	[[ $stderr == *"fork.config:5:21: warning: options without effect, for features that trace-sim lacks: -visualizer_enabled"* ]]
	trace-sim -q -g rtx3070 -D gpgpu_l1_latency=30 -D visualizer_enabled=1 "$d" | grep -v ^given >plain
	grep -v ^given <<<"$output" | cmp - plain
	printf '%s\n' '-gpgpu_compute_capability_major 9' '-gpgpu_ptx_force_max_capability 90' '-enable_ptx_file_line_stats 1' \
		'-gpgpu_cdp_enabled 0' '-gpgpu_ptx_use_cuobjdump 0' >asks.config
	run -0 --separate-stderr trace-sim -g rtx3070 -c asks.config -o r "$d"
	assert_equal "$stderr" ''
	run -0 --separate-stderr trace-sim -g rtx3070 -f -o r -D l2_ideal=1 -D checkpoint_option=1 -D trace_enabled=1 "$d"
	[ "$(grep -c warning <<<"$stderr")" = 1 ]
	[[ $stderr == *"-D l2_ideal=1: warning: options without effect, for features that trace-sim lacks: -l2_ideal, -trace_enabled, -checkpoint_option" ]]
	run -2 trace-sim -g rtx3070 --unknown-options maybe "$d"
	assert_output --partial 'expected warn or error'
}

@test "trace-lint reports all unknown options at once" {
	cd "$BATS_TEST_TMPDIR"
	fork
	run -1 trace-lint -g rtx3070 -c fork.config -D bar=1 "$(trace vecadd)"
	assert_equal "$(grep -c 'conf-option' <<<"$output")" 4
	assert_line --partial "conf-option: option '-is_L0I_enabled' of another simulator"
	assert_line --partial "fork.config:5:21: note: conf-idle: -visualizer_enabled"
}

@test "options without effect cause one warning, except those that a shipped configuration sets or that are off" {
	d=$(trace vecadd)
	run -0 --separate-stderr trace-sim -g rtx3070 -D visualizer_enabled=0 -D trace_enabled=0 "$d"
	assert_equal "$stderr" ''
	run -0 --separate-stderr trace-sim -g rtx3070 -D visualizer_enabled=1 -D trace_enabled=1 -D trace_components=ALL \
		-D icnt_verbose=1 -D liveness_message_freq=7 "$d"
	assert_equal "$(grep -c warning <<<"$stderr")" 1
	[[ $stderr == *"-visualizer_enabled, "*" and 1 more" ]]
}

@test "set index P works for any power of two: the L2 of a published RTX 4090 configuration" {
	d=$(trace stream)
	run -0 trace-sim -q -g rtx4090 -D 'gpgpu_cache:dl2=S:1024:128:24,L:B:m:L:P,A:192:16,32:0,32' "$d"
	assert_output --partial 'status complete'
	run -0 trace-sim -q -g rtx3070 -D 'gpgpu_cache:dl2=S:8:128:16,L:B:m:L:P,A:192:4,32:0,32' "$d"
	run -2 trace-sim -q -g rtx3070 -D 'gpgpu_cache:dl2=S:24:128:16,L:B:m:L:P,A:192:4,32:0,32' "$d"
	assert_output --partial 'expected a power of two of at most 65536 sets with set index P'
}
