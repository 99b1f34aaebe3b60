# SPDX-License-Identifier: BSD-2-Clause
# A table of errors by application for trace-sim-gpus(7), from columns of the table.tsv that examples/applications/compare
# wrote: id, workload, params, measured, simulated, error, kernels, instructions, left.
BEGIN { FS = "\t" }
FNR == 1 || $0 == "" { next }
{
	if (!rows[$2]++)
		name[++names] = $2
	total++
}
$5 == "" { next }
{
	timed[$2]++; timed["all"]++
	size = $6 < 0 ? -$6 : $6 + 0
	sum[$2] += size; sum["all"] += size
	bias[$2] += $6; bias["all"] += $6
	if (size >= worst[$2]) { worst[$2] = size; shown[$2] = $6 }
	if (size >= worst["all"]) { worst["all"] = size; shown["all"] = $6 }
	x = log($4); y = log($5)
	sx += x; sy += y; sxx += x * x; syy += y * y; sxy += x * y
}
function signed(v,   text) { text = sprintf("%.1f", v); sub(/^-/, "\\-", text); return text }
function line(key, n) {
	if (timed[key])
		printf ".It %s Ta %d Ta %d Ta %.1f Ta %s Ta %s\n", key, n, timed[key], sum[key] / timed[key],
			signed(bias[key] / timed[key]), signed(shown[key])
	else
		printf ".It %s Ta %d Ta 0 Ta \\- Ta \\- Ta \\-\n", key, n
}
END {
	print ".Bl -column \"pathfinder\" \"rows\" \"timed\" \"mean, %\" \"bias, %\" \"worst, %\" -compact -offset indent"
	print ".It application Ta rows Ta timed Ta mean, % Ta bias, % Ta worst, %"
	for (i = 1; i <= names; i++)
		line(name[i], rows[name[i]])
	line("all", total)
	print ".El"
	n = timed["all"]
	r = (n * sxy - sx * sy) / sqrt((n * sxx - sx * sx) * (n * syy - sy * sy))
	printf ".Pp\nThe correlation of the logarithms of the %d rows is %.4f.\n", n, r
}
