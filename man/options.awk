# SPDX-License-Identifier: BSD-2-Clause
# The tables of trace-config(5): options.def and gpus.def first, then trace-config.5.in, whose marker lines they
# replace.

# "; 1 to 64" of the bounds in the source's words, empty where any number of the type will do.
function range(min, max) {
	sub(/INT(32|64)_MIN/, "", min)
	sub(/U?INT(32|64)_MAX/, "", max)
	if (min "" == max "")
		return min == "" ? "" : "; only " min
	if (max == "")
		return "; " min " or more"
	return "; " min " to " max
}

function row(	rest, type, def, part, unit) {
	match(second, /CONF_[A-Z0-9]+/)
	type = tolower(substr(second, RSTART + 5, RLENGTH - 5))
	rest = substr(second, index(second, "\"") + 1)
	def = substr(rest, 1, index(rest, "\"") - 1)
	rest = substr(rest, index(rest, "\"") + 3)
	split(rest, part, /, */)
	unit = part[3]
	gsub(/"/, "", unit)
	table = table sprintf(".It Fl %s Ar %s\n", name, type)
	table = table fold(toupper(substr(help, 1, 1)) substr(help, 2) ".")
	table = table "Default " (def == "" ? "empty" : def)
	if (type != "string" && type != "bool")
		table = table range(part[1], part[2]) (unit == "-" ? "" : " " unit)
	table = table (second ~ /USE_MODEL/ ? "" : "; no effect") ".\n"
}

FILENAME ~ /options\.def$/ && /^\/\* ---- / {
	title = $0
	gsub(/^\/\* -* | -* \*\/$/, "", title)
	table = table (open ? ".El\n" : "") ".Ss " title "\n.Bl -tag -width Ds\n"
	open = 1
}
FILENAME ~ /options\.def$/ && /^OPTION\(/ {
	match($0, /"-[^"]*"/)
	name = substr($0, RSTART + 2, RLENGTH - 3)
	getline second
	getline help
	sub(/^[ \t]*"/, "", help)
	sub(/"\)$/, "", help)
	row()
}
FILENAME ~ /gpus\.def$/ && /^GPU\(/ {
	split($0, part, /"/)
	match($0, /[a-z0-9-]+,/)
	gpus = gpus ".It Cm " substr($0, RSTART, RLENGTH - 1) "\n" part[2] ".\n"
}
/@GPUS@/ {
	printf "%s", gpus
	next
}
FILENAME !~ /\.def$/ {
	if (/@OPTIONS@/)
		printf "%s.El\n", table
	else
		print
}
