#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Every option of trace-sim's table at its bounds: the machine runs, or is refused with a message.

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

# "NAME LEAST GREATEST" of the numeric options that the timing model reads, or of all others.
bounds() {
	trace-sim --list-options | awk -v model="$1" 'NR > 1 && $2 != "string" {
		match($0, / (any|-?[0-9]+\.\.(-?[0-9]+)?) /)
		split(substr($0, RSTART + 1, RLENGTH - 2), part, /\.\./)
		if (($0 ~ / model  /) != model)
			next
		least = part[1] == "any" ? "-9223372036854775808" : part[1]
		print substr($1, 2), least, part[2] == "" ? "9223372036854775807" : part[2]
	}'
}

# A run of at most 20,000 cycles; what is neither a result nor a refusal is printed.
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

@test "each option that the model reads, at its least and greatest value" {
	bounds 1 >rows
	[ "$(wc -l <rows)" -gt 100 ]
	while read -r name least greatest; do
		try -D "$name=$least" || bad=1
		try -D "$name=$greatest" || bad=1
	done <rows
	[ -z "${bad-}" ]
}

@test "all other options together at their least and at their greatest values" {
	bounds 0 >rows
	[ "$(wc -l <rows)" -gt 60 ]
	# shellcheck disable=SC2046
	try $(awk '{ print "-D", $1 "=" $2 }' rows)
	# shellcheck disable=SC2046
	try $(awk '{ print "-D", $1 "=" $3 }' rows)
}

@test "clusters of more than 64 SMs run, in any order of cycling" {
	for order in 0 1; do
		for n in 64 65 256; do
			try -D gpgpu_n_clusters=1 -D gpgpu_n_cores_per_cluster=$n -D gpgpu_simt_core_sim_order=$order
			grep -q '^status complete' out
		done
	done
}
