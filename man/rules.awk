# SPDX-License-Identifier: BSD-2-Clause
# The table of trace-lint(1): rules.def first, then the frame, whose marker lines it replaces. ROWS is a file with
# the program's options.

# SIM and ORIGINAL: the text between the quotes, and the level, by the name of the consequence.
FILENAME ~ /rules\.def$/ && /^(SIM|ORIGINAL)\(/ {
	split($0, part, /[(,] */)
	text[part[1] part[2]] = substr($0, index($0, "\"") + 1, length($0) - index($0, "\"") - 2)
	level[part[1] part[2]] = tolower(part[3])
}
function higher(a, b) {
	return a == "error" || b == "note" ? a : b == "error" || a == "note" ? b : a
}
FILENAME ~ /rules\.def$/ && /^RULE\(/ {
	match($0, /"[^"]*"/)
	id = substr($0, RSTART + 1, RLENGTH - 2)
	split(substr($0, RSTART + RLENGTH), part, /, */)
	sim = "SIM" part[2]
	original = "ORIGINAL" part[3]
	scope = tolower(part[4])
	getline meaning
	gsub(/^[ \t]*"|",$/, "", meaning)
	if (scope != last)
		table = table (last == "" ? "" : ".El\n") ".Ss " toupper(substr(scope, 1, 1)) substr(scope, 2) \
			"\n.Bl -tag -width Ds\n"
	last = scope
	table = table ".It Cm " id " Pq " higher(level[sim], level[original]) "\n" \
		fold(toupper(substr(meaning, 1, 1)) substr(meaning, 2) ".") \
		fold("trace-sim " text[sim] "; Accel-Sim " text[original] ".")
}
FILENAME !~ /rules\.def$/ {
	if (/@RULES@/)
		printf "%s.El\n", table
	else if (/@OPTIONS@/)
		while ((getline line < ROWS) > 0)
			print line
	else
		print
}
