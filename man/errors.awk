# SPDX-License-Identifier: BSD-2-Clause
# The error tables of trace-sim-gpus(7) from tests/selftest/*.tsv, which trace-sim --selftest -F tsv has printed, in
# place of "@ERRORS NAME@" in the frame: the plateaus of the GPU's chase, and all rows by group.
# usage: awk -f errors.awk TSV... frame
FILENAME ~ /\.tsv$/ {
	if (FNR == 1) {
		gpu = FILENAME
		sub(/.*\//, "", gpu); sub(/\.tsv$/, "", gpu)
	} else if ($0 != "") {
		split($0, c, "\t")
		if (c[4] == "")
			lacking[gpu]++
		else
			add(c)
	}
	next
}
function add(c,   error, size, key) {
	size = c[5] < 0 ? -c[5] : c[5] + 0
	key = gpu "\t" c[7]
	if (!figures[key]++)
		group[gpu, ++groups[gpu]] = c[7]
	sum[key] += size
	if (size > worst[key])
		worst[key] = size
	if (c[2] != "pointer-chase plateau")
		return
	sub(/.*=/, "", c[8])
	error = sprintf("%.2f", c[5])
	sub(/^-/, "\\-", error)
	rows[gpu] = rows[gpu] sprintf(".It %s Ta %s Ta %g Ta %.1f Ta %s\n", substr(c[7], 7), c[8], c[3], c[4], error)
}
/^@ERRORS [a-z0-9-]*@$/ {
	gpu = substr($2, 1, length($2) - 1)
	if (rows[gpu] != "") {
		print ".Bl -column \"near L2\" \"136996..2.21872e+06\" \"measured\" \"simulated\" \"error, %\" -compact -offset indent"
		print ".It level Ta footprint, kB Ta measured Ta simulated Ta error, %"
		printf "%s.El\n.Pp\n", rows[gpu]
	}
	print ".Bl -column \"bandwidth L1 to L2\" \"figures\" \"mean, %\" \"worst, %\" -compact -offset indent"
	print ".It group of rows Ta figures Ta mean, % Ta worst, %"
	for (i = 1; i <= groups[gpu]; i++) {
		key = gpu "\t" group[gpu, i]
		printf ".It %s Ta %d Ta %.1f Ta %.1f\n", group[gpu, i], figures[key], sum[key] / figures[key], worst[key]
	}
	if (lacking[gpu])
		printf ".It not made Ta %d Ta Ta\n", lacking[gpu]
	print ".El"
	next
}
{ print }
