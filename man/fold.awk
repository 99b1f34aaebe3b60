# SPDX-License-Identifier: BSD-2-Clause
# For the other scripts here: text in lines of at most 78 bytes. No line begins as a request, no backslash as an escape.
function fold(text,	word, n, i, line, out) {
	gsub(/\\/, "\\e", text)
	n = split(text, word, / +/)
	for (i = 1; i <= n; i++) {
		if (line != "" && length(line) + 1 + length(word[i]) > 78) {
			out = out line "\n"
			line = ""
		}
		if (line == "" && word[i] ~ /^[.']/)
			word[i] = "\\&" word[i]
		line = line (line == "" ? "" : " ") word[i]
	}
	return out line "\n"
}
