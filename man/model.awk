# SPDX-License-Identifier: BSD-2-Clause
# Prints the table of trace-sim-model(7) from tests/conformance/except.
# A row is a name, a regular expression, and the reason.
function fold(text,	word, n, i, line) {
	gsub(/\\/, "\\e", text)
	n = split(text, word, / +/)
	for (i = 1; i <= n; i++) {
		if (line != "" && length(line) + 1 + length(word[i]) > 78) {
			print line
			line = ""
		}
		if (line == "" && word[i] ~ /^[.']/)
			word[i] = "\\&" word[i]
		line = line (line == "" ? "" : " ") word[i]
	}
	print line
}
/^#/ || !NF { next }
{
	if (!rows++)
		print ".Bl -tag -width Ds"
	printf ".It Va "
	fold($1)
	sub(/^[ \t]*[^ \t]+[ \t]+/, "")
	gsub(/[ \t]+/, " ")
	fold($0 ~ /[.]$/ ? $0 : $0 ".")
}
END { print rows ? ".El" : "There are none." }
