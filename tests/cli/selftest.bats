#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-sim --selftest: compared rows, printed tables, rejected input.

bats_require_minimum_version 1.5.0
load helper

HEAD='id\tgpu\tworkload\tparams\tmetric\tvalue\tunit\tmin\tmax\tclock_mhz\ttool\tsource\tnote\n'

setup() {
	cd "$BATS_TEST_TMPDIR"
	printf "$HEAD"'near\tme\tpointer-chase\tfootprint_kB=2048\tlatency\t240\tcycles\t\t\t\t\tmine\t\n' >my.measured
	printf 'l1\tme\tpointer-chase\tfootprint_kB=16\tlatency\t30\tcycles\t\t\t\t\tmine\t\n' >>my.measured
	printf 'lds\tme\tlatency/shared load\t\tlatency\t23\tcycles\t\t\t\t\tmine\t\n' >>my.measured
	printf 'odd\tme\tdancing\t\tlatency\t23\tcycles\t\t\t\t\tmine\t\n' >>my.measured
	printf 'range\tme\tpointer-chase\tfootprint_kB=16\tlatency\t23-24\tcycles\t\t\t\t\tmine\t\n' >>my.measured
	printf -- '-config %s/v100.config\n-gpgpu_n_clusters 4\n' "$ROOT/examples/gpus" >my.config
}

@test "selftest reads a configuration with its measured file and writes three formats" {
	run -0 trace-sim --selftest -c my.config
	assert_output --regexp 'near +240 +[0-9.]+ +-?[0-9.]+% +mine'
	assert_output --partial 'not simulated: 1 (no micro-trace for this workload)'
	assert_output --partial 'not simulated: 1 (the value is not a number)'
	run -0 trace-sim --selftest -c my.config -F tsv
	assert_line --index 0 --partial 'id	workload	measured	simulated	error	source'
	[ "${#lines[@]}" -eq 6 ]
	run -0 trace-sim --selftest -c my.config -F json
	assert_output --partial '"id":"near"'
	run -2 trace-sim --selftest -c my.config -F msgpack
}

@test "selftest prints the same bytes for any number of processes" {
	trace-sim --selftest -c my.config -F tsv >one
	trace-sim --selftest -c my.config -F tsv -j 3 >three
	cmp one three
}

@test "selftest: a row without a measurement is simulated and marked, and does not count in the errors" {
	printf "$HEAD"'a\th800-pcie\twgmma\tm64n256\tlatency and interval\t128\tcycles\t\t\t\t\tmine\t\nb\th800-pcie\twgmma\tm64n128\tlatency and interval\tnot validated\tcycles\t\t\t\t\tmine\t\n' >two.measured
	run -0 trace-sim --selftest h800-pcie --measured two.measured --tolerance 1
	assert_line --regexp '^b +- +64 +-  not validated$'
	assert_line --regexp '^all +1 +0.00%'
	assert_line 'not validated: 1 (not measured on this GPU)'
	run -0 trace-sim --selftest h800-pcie --measured two.measured -F tsv
	assert_line $'b\twgmma\t\t64.000000\t\tmine\twgmma rate\tm64n128\tcycles\tnot validated'
	run -0 trace-sim --selftest h800-pcie --measured two.measured -F json
	assert_line --partial '"not_validated":"not measured on this GPU"'
	# gh200 has such a row for each family
	grep -c 'not validated$' "$ROOT/tests/data/selftest/gh200.tsv" | grep -qx 6
	trace-sim --list-gpus | grep '^gh200 .*not validated$'
}

@test "selftest: the groups of tensor loads have their full names" {
	printf "$HEAD"'a\th800-pcie\ttma-load tensor 1d\tblocks=2 load_KiB=1\tthroughput\t1\tGB/s\t\t\t\t\tmine\t\n' >one.measured
	run -0 trace-sim --selftest h800-pcie --measured one.measured --only 'tma load tensor 1d'
	assert_line --regexp '^tma load tensor 1d +1 '
}

@test "selftest: the tolerance decides the exit status" {
	run -0 trace-sim --selftest -c my.config --tolerance 1000
	run -1 trace-sim --selftest -c my.config --tolerance 0.001
	run -2 trace-sim --selftest -c my.config --tolerance much
}

@test "selftest: --only selects rows by id or group" {
	run -0 trace-sim --selftest -c my.config -F tsv --only 'n*r,lds'
	assert_output --regexp '
near	.*
lds	'
	refute_output --regexp '(l1|odd|range)	'
	run -0 trace-sim --selftest -c my.config -F tsv --only 'chase *'
	assert_output --regexp '
near	.*
l1	'
	refute_output --regexp '(lds|odd|range)	'
	refute_output --partial 'warning'
	run -0 trace-sim --selftest -c my.config -F tsv --only 'near,l*,neer,chase l1'
	assert_line "trace-sim: warning: --only: no row or group matches 'neer'"
	assert_line "trace-sim: warning: --only: no row or group matches 'chase l1'"
	refute_output --partial "'near'"
	refute_output --partial "'l*'"
	run -2 trace-sim --selftest -c my.config --only nothing
	assert_output --partial 'error: --only matches no row of'
	run -2 trace-sim -c my.config --only near
}

@test "selftest: rows of other GPUs are skipped and counted" {
	sed 's/\tme\t/\tv100\t/; s/^l1\tv100/l1\tother/' my.measured >their.measured
	run -0 trace-sim --selftest v100 --measured their.measured
	refute_output --regexp '^l1 '
	assert_output --partial 'rows of other GPUs: 1'
}

@test "selftest: conditions of a tool apply to its own rows only" {
	sed '/^near/{p;s/^near/slow/;s/\t\tmine/\tdrag\tmine/}' my.measured >two.measured
	sed -i '1i #with drag gpgpu_l2_rop_latency=1000' two.measured
	trace-sim --selftest -c my.config --measured two.measured -F tsv >out
	awk -F'\t' '$1 == "near" { a = $4 } $1 == "slow" { b = $4 } END { exit !(b > a + 500) }' out
}

@test "selftest: parameters that a row omits come from its tool's parameters" {
	printf "$HEAD" >width.measured
	for tool in mine wide; do
		printf '%s\tme\tgpu-cache\tfootprint_kB_per_SM=2\tbw\t600\tGB/s\t\t\t\t%s\tmine\t\n' $tool $tool
	done >>width.measured
	sed -i '1i #params wide word=8' width.measured
	trace-sim --selftest -c my.config --measured width.measured -F tsv >out
	awk -F'\t' '$1 == "mine" { a = $4 } $1 == "wide" { b = $4 } END { exit !(b > a) }' out
}

@test "selftest: a bandwidth equals the limit of the narrowest part" {
	printf "$HEAD" >flow.measured
	printf 'l1\tme\tgpu-cache\tfootprint_kB_per_SM=28,word=8\tbw\t600\tGB/s\t\t\t\t\tmine\t\n' >>flow.measured
	printf 'dram\tme\tstream/read\tline=1024 8192 2 100.0%%%%\tbw\t100\tGB/s\t\t\t\t\tmine\t\n' >>flow.measured
	printf -- '-gpgpu_n_mem 2\n-gpgpu_clock_domains 1380:2760:1190:400\n' >>my.config
	trace-sim --selftest -c my.config --measured flow.measured -F tsv >out
	awk -F'\t' '$1 == "l1" { l = $4 / (4 * 128 * 1.38) } $1 == "dram" { d = $4 / (2 * 32 * .4) }
		END { exit !(l > .9 && l < 1.02 && d > .8 && d < 1.02) }' out
}

# With a stride of 53 doubles the fullest of four tag banks has 13.3 lines on average; 8 if all digits spread the lines. 32
# rows 128 lines apart, or of a few bytes, do not collide in the sets of an L1 with few ways.
@test "selftest: strided accesses take as many cycles as the fullest bank has words or lines" {
	stride() { printf "$1-$2\tme\tgpu-strides $1 ${2%%=*}\t$2\tcycles\t$3\tmixed\t\t\t\t\tmine\t\n"; }
	{ printf "$HEAD"; stride double stride=53 13.3; stride float stride=64 32; stride float block=1 9
		stride float block=4 3.2; } >far.measured
	for gpu in a100-80 h200; do
		run -0 trace-sim --selftest -c "$ROOT/examples/gpus/$gpu.config" --measured far.measured \
			--only '*=*' --tolerance 2
	done
	printf -- '-config %s/a100-80.config\n-core_l1_tag_banks 1\n' "$ROOT/examples/gpus" >one.config
	sed 's/	13.3	/	32	/' far.measured >one.measured
	run -0 trace-sim --selftest -c one.config --measured one.measured --only 'double*' --tolerance 1
}

@test "selftest: --fit finds the latency that reproduces a figure" {
	grep -v '^l1\|^lds\|^odd\|^range' my.measured >near.measured
	trace-sim --selftest -c my.config --measured near.measured --fit gpgpu_l2_rop_latency=100..400 >out
	latency=$(awk '/^-gpgpu_l2_rop_latency [0-9]+$/ { print $2 }' out)
	run -0 trace-sim --selftest -c my.config --measured near.measured -D gpgpu_l2_rop_latency=$latency --tolerance 1
	run -2 trace-sim --selftest -c my.config --fit gpgpu_scheduler
	# --fit tries each value once
	grep '^-gpgpu_l2_rop_latency.*mean' out | sort >trials
	[ -z "$(uniq -d trials)" ]
	run -2 trace-sim --selftest -c my.config --fit gpgpu_l2_rop_latency=9..1
	run -2 trace-sim --selftest -c my.config --fit gpgpu_l2_rop_latency -F tsv
}

@test "selftest: invalid measured files and command lines have status 2 and a place" {
	for change in '1s/params/parameters/' '2s/\t/ /' '3s/^l1/near/' '2s/\t240/\t1e77/' '1i #with nothing'; do
		sed "$change" my.measured >bad.measured
		run -2 trace-sim --selftest -c my.config --measured bad.measured
		assert_output --regexp 'bad.measured:[0-9]+'
	done
	: >empty.measured
	run -2 trace-sim --selftest -c my.config --measured empty.measured
	run -2 trace-sim --selftest -c my.config --measured nowhere
	run -2 trace-sim --selftest nothing-of-this-name
	run -2 trace-sim --selftest
	run -2 trace-sim --measured my.measured -c my.config
	run -2 trace-sim -F tsv -c my.config
	mv my.measured away
	run -2 trace-sim --selftest -c my.config
	assert_output --partial '--measured'
}

@test "an L2 of two sides has near, far and DRAM latencies, equal for any number of threads" {
	{
		printf "$HEAD"
		for kb in 256 1024 2304 4608 16384; do
			printf 'k%s\tme\tpointer-chase\tfootprint_kB=%s\tlatency\t1\tcycles\t\t\t\t\tmine\t\n' $kb $kb
		done
	} >sides.measured
	# Beyond half of the L2 one load goes to the other side, the next to DRAM; beyond all of it every second goes there.
	sides='-D gpgpu_n_mem=16 -D l2_sides=2 -D l2_far_latency=200 -D gpgpu_clock_domains=1380:2760:1380:877'
	trace-sim --selftest -c my.config $sides --measured sides.measured -F tsv >out
	awk -F'\t' '{ v[$1] = $4 - n; if (NR == 2) { n = $4; v[$1] = 0 } }
		END { d = 2 * v["k2304"] - v["k16384"] - 100
			exit !(v["k1024"] == 0 && v["k2304"] > 195 && d > -8 && d < 8 && v["k16384"] > v["k2304"] + 15) }' out
	t=$(trace vecadd -n 4)
	trace-sim -c my.config $sides -F json "$t" >one
	trace-sim -c my.config $sides -F json -j 2 "$t" >two
	cmp one two
	# with alternating sides, neighbouring SMs are on different sides
	trace-sim -c my.config $sides -D l2_sides_alternate=1 -F json "$t" >two
	! cmp -s one two
	trace-sim -c my.config $sides -D l2_sides_alternate=1 -F json -j 2 "$t" >one
	cmp one two
	# a copy evicts a modified line, whose write-back leaves in the same tick or in the next one
	small='-D gpgpu_cache:dl2=S:2:128:16,L:B:m:L:X,A:192:4,32:0,32'
	t=$(trace vecadd -n 12)
	WARPTOOLS_WINDOW=1 trace-sim -c my.config $sides $small -j 1 -F json "$t" >one
	WARPTOOLS_WINDOW=2 trace-sim -c my.config $sides $small -j 1 -F json "$t" >two
	cmp one two
	run -2 trace-sim -c my.config -D l2_sides=2 -D gpgpu_n_sub_partition_per_mchannel=1 "$t"
	run -2 trace-sim -c my.config -D l2_sides=3 "$t"
}

@test "each shipped measured file can be read, and its GPU passes trace-lint" {
	t=$(trace vecadd)
	for f in "$ROOT"/examples/gpus/*.measured; do
		gpu=$(basename "$f" .measured)
		head -1 "$f" | grep -q '^# '
		grep -v '^#' "$f" | awk -F'\t' 'NR == 1 && $1 != "id" || NF != 13 { exit 1 }'
		trace-lint -q -g "$gpu" -W none "$t" >out 2>&1 || true
		! grep -q config out
	done
}

@test "shipped GPUs: load latencies in L1, near and far L2 are within 3 percent" {
	for gpu in a100-80 h100-pcie v100; do
		grep '^#with\|^id\|^plateau-[a-z0-9-]*-[123]	' "$ROOT/examples/gpus/$gpu.measured" |
			grep -v 'kB=116\.\.\|kB=68883\|kB=6785\|kB=45602' >few.measured
		run -0 trace-sim --selftest $gpu --measured few.measured --tolerance 3
	done
}

@test "selftest: instruction sequences with control codes take the measured cycles" {
	grep '^id\|micro/stall\|micro/special\|micro/read_c\|micro/reuse\|micro/yield\|queue_\|depbar_S01\|NO_WAIT' \
		"$ROOT/examples/gpus/a100-40.measured" >few.measured
	trace-sim --selftest a100-40 --measured few.measured -F tsv >now
	awk -F'\t' 'NR > 1 && $3 != $4 { print; bad = 1 } END { exit bad || NR < 50 }' now
	sed 's/B------:R-/B------:R9/' few.measured >odd.measured
	run -0 trace-sim --selftest a100-40 --measured odd.measured
	assert_output --partial '(params are not a window (expected instructions'
}

@test "examples/measure compiles where nvcc is installed" {
	command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ] || skip "nvcc is not installed"
	PATH=$PATH:/usr/local/cuda/bin
	run -0 nvcc -std=c++17 -arch=sm_80 -o bench "$ROOT/examples/measure/bench.cu"
	run -2 sh "$ROOT/examples/measure/measure"
}

@test "examples/selftest plots the comparison" {
	run -0 sh "$ROOT/examples/selftest" -o out -c my.config
	grep -q '<svg' out.latency.svg
	head -1 out.tsv | grep -q '^id'
	run -2 sh "$ROOT/examples/selftest" -o none nothing
	run ls none.*
	[ "$status" -ne 0 ]
}

@test "the tables of trace-sim-gpus(7) equal the output of the program" {
	for gpu in v100 l40 rtx2070 h100-pcie; do
		cut -f1 "$ROOT/tests/data/selftest/$gpu.tsv" | grep '^plateau-.*-[12]$\|^alu-\|^ffma-1-32-10$\|^ffmafix-028$' |
			sed 's/$/	/' >ids
		grep '^#with\|^id' "$ROOT/examples/gpus/$gpu.measured" >few.measured
		grep -F -f ids "$ROOT/examples/gpus/$gpu.measured" >>few.measured
		trace-sim --selftest $gpu --measured few.measured -F tsv | tail -n +2 | cut -f1,3-5 >now
		grep -F -f ids "$ROOT/tests/data/selftest/$gpu.tsv" | cut -f1,3-5 >kept
		diff kept now
	done
}

@test "the tables of trace-sim-gpus(7) have the rows of the measured files, except streams and one application" {
	for f in "$ROOT"/tests/data/selftest/*.tsv; do
		gpu=$(basename "$f" .tsv)
		grep -v '^#\|^id' "$ROOT/examples/gpus/$gpu.measured" | cut -f1,3 | sort >wanted
		tail -n +2 "$f" | cut -f1,2 | sort >had
		[ -z "$(comm -13 wanted had)" ]
		! comm -23 wanted had | grep -v '	stream/\|	small streaming\|	backprop$'
	done
}

@test "--list-gpus has a row for each configuration, with the mean error of its selftest" {
	run -0 trace-sim --list-gpus
	for c in "$ROOT"/examples/gpus/*.config; do
		g=$(basename "$c" .config)
		assert_line --regexp "^$g +[0-9]+  (modern +no|legacy +yes) "
		error=-
		t=$ROOT/tests/data/selftest/$g.tsv
		[ ! -e "$t" ] || error=$(awk -F'\t' 'NR > 1 && $5 != "" { s += $5 < 0 ? -$5 : $5; n++ }
			END { printf "%.1f", s / n }' "$t")
		assert_line --regexp "^$g .* (yes|no) +$error "
	done
}

# Two blocks have one or two tiles each. More slots must not be slower, work takes time, other words are rejected. DRAM
# refreshes, which would delay some tiles of either kernel, are off.
@test "selftest runs tiles loaded by bulk copies and by cp.async" {
	printf -- '-config %s/h100-pcie.config\n-dram_refresh_interval 0\n' "$ROOT/examples/gpus" >tiles.config
	{
		printf "$HEAD"
		for slots in 1 4; do
			printf "ring-$slots\tme\tbulk copy ring\t2 blocks of 160, 8 tiles of 4096 B, $slots slots, work 0\ttime\t9\tus\t\t\t\t\tmine\t\n"
		done
		for tiles in 8 16; do
			printf "work-$tiles\tme\tbulk copy ring\t2 blocks of 160, $tiles tiles of 4096 B, 2 slots, work 200\ttime\t9\tus\t\t\t\t\tmine\t\n"
		done
		printf 'cpa-0\tme\tcp.async tiles\t2 blocks of 256, 8 tiles of 4096 B, work 0\ttime\t9\tus\t\t\t\t\tmine\t\n'
		printf 'cpa-400\tme\tcp.async tiles\t2 blocks of 256, 8 tiles of 4096 B, work 400\ttime\t9\tus\t\t\t\t\tmine\t\n'
		printf 'odd-1\tme\tbulk copy ring\t2 blocks of 160, 8 tiles of 4000 B, 2 slots, work 0\ttime\t9\tus\t\t\t\t\tmine\t\n'
		printf 'odd-2\tme\tcp.async tiles\t2 blocks of 160, 8 tiles of 4096 B, work 0\ttime\t9\tus\t\t\t\t\tmine\t\n'
	} >tiles.measured
	trace-sim --selftest -c tiles.config --measured tiles.measured -F tsv >out
	figure() { awk -F'\t' -v id="$1" '$1 == id { print int(1000 * $4) }' out; }
	(( $(figure ring-4) < $(figure ring-1) && $(figure ring-4) > 900 ))
	(( $(figure cpa-400) > $(figure cpa-0) ))
	# 200 multiply-adds of 4 cycles, the division and the sum: on the H100 PCIe 1460 cycles for each tile
	tile=$(( ($(figure work-16) - $(figure work-8)) * 1755 / 8000 ))
	(( tile > 1250 && tile < 1500 ))
	run -0 awk -F'\t' '/^odd/ { print $10 }' out
	assert_line --index 0 --partial 'unknown tiles'
	assert_line --index 1 --partial 'unknown tiles'
}

@test "selftest runs dynamic-programming instructions and chains of FFMA" {
	printf -- '-config %s/h100-pcie.config\n' "$ROOT/examples/gpus" >dpx.config
	{
		printf "$HEAD"
		printf 'lat\tme\tdpx vimax3_s16x2\tdependent\tlatency\t4.1\tcycles\t\t\t\t\tmine\t\n'
		printf 'two\tme\tdpx viaddmax_u32\tdependent\tlatency\t10.1\tcycles\t\t\t\t\tmine\t\n'
		printf 'bw\tme\tdpx vimax_s32_relu\tone SM\tthroughput\t72.7\tinstr/cycle/SM\t\t\t\t\tmine\t\n'
		printf 'one\tme\tffma chain\t1 thread, 16 FFMA\tcycles\t4.56\tcycles\t\t\t\t\tmine\t\n'
		printf 'lone\tme\tffma, 8 chains\t114 blocks of 128\tcycles\t13.5\tcycles\t\t\t\t\tmine\t\n'
		printf 'many\tme\tffma, 2 chains\t114 blocks of 1024\tcycles\t19.4\tcycles\t\t\t\t\tmine\t\n'
	} >dpx.measured
	run -0 trace-sim --selftest -c dpx.config --measured dpx.measured -F tsv --tolerance 2
	assert_equal "${#lines[@]}" 7
	{
		printf "$HEAD"
		printf 'odd-1\tme\tdpx vimax9\tdependent\tlatency\t4\tcycles\t\t\t\t\tmine\t\n'
		printf 'odd-2\tme\tffma, 99 chains\t1 blocks of 64\tcycles\t4\tcycles\t\t\t\t\tmine\t\n'
	} >odd.measured
	run -0 trace-sim --selftest -c dpx.config --measured odd.measured -F tsv
	assert_output --partial 'unknown function'
	assert_output --partial 'unknown chains'
}

@test "selftest runs many pointer chases at once, and a read by all SMs" {
	printf -- '-config %s/h100-pcie.config\n-gpgpu_n_clusters 4\n' "$ROOT/examples/gpus" >many.config
	{
		printf "$HEAD"
		printf 'one\tme\tchases 32 lanes/warp\t4 chains 1 GiB cold\tcycles per hop\t1\tcycles\t\t\t\t\tmine\t\n'
		printf 'many\tme\tchases 8 lanes/warp\t256 chains 1 GiB cold\tcycles per hop\t1\tcycles\t\t\t\t\tmine\t\n'
		printf 'odd-1\tme\tchases 32 lanes/warp\t5 chains 1 GiB cold\tcycles per hop\t1\tcycles\t\t\t\t\tmine\t\n'
		printf 'odd-2\tme\tread\tgrid=9 block=256\tthroughput\t1\tGB/s\t\t\t\t\tmine\t\n'
	} >many.measured
	run -0 trace-sim --selftest -c many.config --measured many.measured -F tsv
	echo "$output" >out
	figure() { awk -F'\t' -v id="$1" '$1 == id { print int($4) }' out; }
	(( $(figure one) > 500 && $(figure many) >= $(figure one) && $(figure many) < 2000 ))
	assert_output --partial 'unknown chases'
	assert_output --partial 'unknown parameters or unit'
}

# 15616 more bytes to store and 15360 more to load take 484 cycles at 64 bytes a cycle. If a load size is not a power of two,
# half of the load is out of bounds; otherwise nothing is. A product with twice as many steps takes longer.
@test "selftest runs bulk transfers, tensor loads and matrix products" {
	printf -- '-config %s/h100-pcie.config\n' "$ROOT/examples/gpus" >copy.config
	{
		printf "$HEAD"
		printf 'near\tme\tbulk store of 1024 B, then bulk load of 1024 B\t\tlatency\t1\tcycles\t\t\t\t\tmine\t\n'
		printf 'far\tme\tbulk store of 16640 B, then bulk load of 16384 B\t\tlatency\t1\tcycles\t\t\t\t\tmine\t\n'
		printf 'even\tme\ttma-load tensor 1d\tblocks=2 load_KiB=1\trate\t1\tGB/s\t\t\t\t\tmine\t\n'
		printf 'half\tme\ttma-load tensor 1d\tblocks=2 load_KiB=0.75\trate\t1\tGB/s\t\t\t\t\tmine\t\n'
		for k in 256 512; do
			for how in unicast multicast; do
				printf "$how-$k\tme\tgemm f16 wgmma\ttile=128x64x64 cluster=2 stages=2 M=128 N=128 K=$k tma $how\ttime\t1\tms\t\t\t\t\tmine\t\n"
			done
		done
		printf 'odd-1\tme\tbulk store of 10 B, then bulk load of 16 B\t\tlatency\t1\tcycles\t\t\t\t\tmine\t\n'
		printf 'odd-2\tme\tgemm f16 wgmma\ttile=128x64x64 cluster=2 stages=2 M=128 N=32 K=64 tma unicast\ttime\t1\tms\t\t\t\t\tmine\t\n'
		printf 'odd-3\tme\tgemm f16 wgmma\ttile=128x64x64 cluster=2 stages=2 M=128 N=128 K=64 no tma\ttime\t1\tms\t\t\t\t\tmine\t\n'
	} >copy.measured
	trace-sim --selftest -c copy.config --measured copy.measured -F tsv >out
	figure() { awk -F'\t' -v id="$1" '$1 == id { print int(1e6 * $4) }' out; }
	(( $(figure far) - $(figure near) > 440000000 && $(figure far) - $(figure near) < 520000000 ))
	half=$(figure half) even=$(figure even)
	for how in unicast multicast; do
		(( $(figure $how-512) > $(figure $how-256) + 1000 ))
	done
	run -0 awk -F'\t' '/^odd/ { print $10 }' out
	assert_line --index 0 --partial 'unknown transfer'
	assert_line --index 1 --partial 'unknown words for the product'
	assert_line --index 2 --partial 'unknown words for the product'
	trace-sim --selftest -c copy.config --measured copy.measured --only 'even,half' -D core_tma_outside=1000 -F tsv >out
	[ "$(figure even)" = "$even" ]
	(( $(figure half) < half ))
}
