# SPDX-License-Identifier: BSD-2-Clause
# Prints a table of errors for trace-sim-gpus(7) from a file of tests/data/selftest, which trace-sim --selftest -F tsv
# has printed: the plateaus of the GPU's chase, and all rows by group.
BEGIN { FS = "\t" }
FNR == 1 || $0 == "" { next }
$4 == "" { lacking++; next }
$5 == "" { unmeasured++; next }
{
	size = $5 < 0 ? -$5 : $5 + 0
	if (!figures[$7]++)
		group[++groups] = $7
	sum[$7] += size
	if (size > worst[$7])
		worst[$7] = size
}
$2 == "pointer-chase plateau" {
	sub(/.*=/, "", $8)
	error = sprintf("%.2f", $5)
	sub(/^-/, "\\-", error)
	rows = rows sprintf(".It %s Ta %s Ta %g Ta %.1f Ta %s\n", substr($7, 7), $8, $3, $4, error)
}
END {
	if (rows != "") {
		print ".Bl -column \"near L2\" \"136996..2.21872e+06\" \"measured\" \"simulated\" \"error, %\" -compact -offset indent"
		print ".It level Ta footprint, kB Ta measured Ta simulated Ta error, %"
		printf "%s.El\n.Pp\n", rows
	}
	print ".Bl -column \"bandwidth L1 to L2\" \"figures\" \"mean, %\" \"worst, %\" -compact -offset indent"
	print ".It group of rows Ta figures Ta mean, % Ta worst, %"
	for (i = 1; i <= groups; i++) {
		key = group[i]
		printf ".It %s Ta %d Ta %.1f Ta %.1f\n", key, figures[key], sum[key] / figures[key], worst[key]
	}
	if (unmeasured)
		printf ".It not validated Ta %d Ta Ta\n", unmeasured
	if (lacking)
		printf ".It not simulated Ta %d Ta Ta\n", lacking
	print ".El"
}
