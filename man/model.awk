# SPDX-License-Identifier: BSD-2-Clause
# The table of trace-sim-model(7): tests/conformance.except first, then trace-sim-model.7.in, whose marker line it
# replaces. A row is a name, a regular expression, and the reason in words.

FILENAME ~ /\.except$/ {
	if (/^#/ || !NF)
		next
	name = $1
	sub(/^[ \t]*[^ \t]+[ \t]+/, "")
	gsub(/[ \t]+/, " ")
	table = table ".It Va " fold(name) fold($0 ~ /[.]$/ ? $0 : $0 ".")
}
FILENAME !~ /\.except$/ {
	if (!/@EXCEPTIONS@/)
		print
	else if (table == "")
		print "There are none."
	else
		printf ".Bl -tag -width Ds\n%s.El\n", table
}
