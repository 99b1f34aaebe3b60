# SPDX-License-Identifier: BSD-2-Clause
# The error tables of trace-sim-gpus(7) from tests/selftest/*.tsv, which trace-sim --selftest -F tsv has printed, in
# place of "@ERRORS NAME@" in the frame. usage: awk -f errors.awk TSV... frame
FILENAME ~ /\.tsv$/ {
	gpu = FILENAME
	sub(/.*\//, "", gpu); sub(/\.tsv$/, "", gpu)
	if (FNR > 1 && $0 != "") {
		split($0, c, "\t")
		sub(/.*=/, "", c[8])
		error = sprintf("%.2f", c[5])
		sub(/^-/, "\\-", error)
		rows[gpu] = rows[gpu] sprintf("%s Ta %s Ta %g Ta %.1f Ta %s\n", \
			".It " substr(c[7], 7), c[8], c[3], c[4], error)
	}
	next
}
/^@ERRORS [a-z0-9-]*@$/ {
	gpu = substr($2, 1, length($2) - 1)
	print ".Bl -column \"near L2\" \"136996..2.21872e+06\" \"measured\" \"simulated\" \"error, %\" -compact -offset indent"
	print ".It level Ta footprint, kB Ta measured Ta simulated Ta error, %"
	printf "%s.El\n", rows[gpu]
	next
}
{ print }
