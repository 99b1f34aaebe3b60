# SPDX-License-Identifier: BSD-2-Clause
# The table of trace-stats(5): stats.def first, then trace-stats.5.in, whose marker line it replaces.

# Piece n between double quotes.
function quoted(text, n,	part) {
	split(text, part, "\"")
	return part[2 * n]
}

function row(	kind, unit, formula, tail) {
	match(second, /[A-Z]+/)
	kind = tolower(substr(second, RSTART, RLENGTH))
	unit = quoted(second, 1)
	formula = quoted(second, 2)
	if (help ~ /^[A-Za-z0-9-]+([ :,]|$)/)	# not the name of a figure
		help = toupper(substr(help, 1, 1)) substr(help, 2)
	table = table ".It Va " name "\n" fold(help ".")
	tail = "(" kind (second ~ /SPARSE/ ? ", sparse" : "") (unit == "-" ? "" : "; " unit)
	if (formula != "")
		tail = tail "; " formula
	table = table fold(tail ")")
}

FILENAME ~ /stats\.def$/ && /^\/\* ---- / {
	title = $0
	gsub(/^\/\* -* | -* \*\/$/, "", title)
	table = table (open ? ".El\n" : "") ".Ss " title "\n.Bl -tag -width Ds\n"
	open = 1
}
FILENAME ~ /stats\.def$/ && /^FIGURE\(/ {
	name = quoted($0, 1)
	getline second
	getline help
	help = quoted(help, 1)
	row()
}
FILENAME !~ /stats\.def$/ {
	if (/@FIGURES@/)
		printf "%s.El\n", table
	else
		print
}
