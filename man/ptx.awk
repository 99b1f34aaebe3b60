# SPDX-License-Identifier: BSD-2-Clause
# The instructions of trace-sim-ptx(7): ptx-ops.def first, then trace-sim-ptx.7.in, whose marker lines it replaces.

FILENAME ~ /ptx-ops\.def$/ && /^PTX_OP\(/ {
	split($0, quoted, "\"")
	stem = quoted[2]
	reason = quoted[4]
	split(quoted[3], field, ",")
	rule = field[2]
	gsub(/ /, "", rule)
	if (!(rule in stems))
		order[++n_rules] = rule
	stems[rule] = stems[rule] " " stem
	if (reason != "") {
		if (!(reason in lacks))
			reasons[++n_reasons] = reason
		lacks[reason] = lacks[reason] " " stem
	}
}
FILENAME !~ /ptx-ops\.def$/ && /@RULES@/ {
	print ".Bl -tag -width Ds"
	for (i = 1; i <= n_rules; i++) {
		print ".It Dv " order[i]
		printf "%s", fold(substr(stems[order[i]], 2))
	}
	print ".El"
	next
}
FILENAME !~ /ptx-ops\.def$/ && /@APPROXIMATED@/ {
	print ".Bl -tag -width Ds"
	for (i = 1; i <= n_reasons; i++) {
		print ".It " substr(lacks[reasons[i]], 2)
		printf "%s", fold(reasons[i])
	}
	print ".El"
	next
}
FILENAME !~ /ptx-ops\.def$/ { print }
