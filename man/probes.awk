# SPDX-License-Identifier: BSD-2-Clause
# The workloads of trace-sim-gpus(7) from cmd/trace-sim/selftest/probes.def, in place of @PROBES@ in its frame.
# usage: awk -f fold.awk -f probes.awk probes.def frame
FNR == NR && /^PROBE\(/ {
	split($0, part, "\"")
	name = part[2]; params = part[4]
	next
}
FNR == NR && name && /^\t"/ {
	help = $0
	sub(/^\t"/, "", help); sub(/"\).*$/, "", help)
	rows = rows ".It Li \"" name "\"" (params ? " Pq Ar \"" params "\"" : "") "\n" fold(help)
	name = ""
	next
}
FNR == NR { next }
/^@PROBES@$/ { printf "%s", rows; next }
{ print }
