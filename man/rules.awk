# SPDX-License-Identifier: BSD-2-Clause
# The table of trace-lint(1): rules.def first, then the frame, whose marker lines it replaces. ROWS is a file with
# the program's options.

FILENAME ~ /rules\.def$/ && /^RULE\(/ {
	match($0, /"[^"]*"/)
	id = substr($0, RSTART + 1, RLENGTH - 2)
	split(substr($0, RSTART + RLENGTH), part, /, */)
	level = tolower(part[2])
	scope = tolower(part[3])
	getline meaning
	gsub(/^[ \t]*"|",$/, "", meaning)
	if (scope != last)
		table = table (last == "" ? "" : ".El\n") ".Ss " toupper(substr(scope, 1, 1)) substr(scope, 2) \
			"\n.Bl -tag -width Ds\n"
	last = scope
	table = table ".It Cm " id " Pq " level "\n" \
		fold(toupper(substr(meaning, 1, 1)) substr(meaning, 2) ".")
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
