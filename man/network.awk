# SPDX-License-Identifier: BSD-2-Clause
# The tables of trace-network(5): icnt.def and network.def first, then trace-network.5.in, whose marker lines they
# replace.

# Piece n between double quotes.
function quoted(text, n,	part) {
	split(text, part, "\"")
	return part[2 * n]
}

function sentence(text) { return toupper(substr(text, 1, 1)) substr(text, 2) "." }

# The end of a virtual-channel range and the like: what the bounds mean for a reader.
function bounds(kind, least, most) {
	if (kind == "WORD" || kind == "IDLE" || (least ~ /INT32_MIN/ && most ~ /INT32_MAX/))
		return ""
	if (least ~ /INT32_MIN/)
		return "; at most " most
	if (most ~ /INT32_MAX/)
		return "; at least " least
	return least == most ? "; only " least : "; " least " to " most
}

function list(kind) { return kind ~ /S$/ ? "; also a list" : "" }

FILENAME ~ /icnt\.def$/ && /^\/\* ---- / {
	title = $0
	gsub(/^\/\* -* | -* \*\/$/, "", title)
	entries = entries (open ? ".El\n" : "") ".Ss " title "\n.Bl -tag -width Ds\n"
	open = 1
	idle = title == "Without effect"
}
FILENAME ~ /icnt\.def$/ && /^ICNT\(/ {
	split($0, part, /[(,] */)
	name = part[2]
	kind = part[3]
	def = quoted($0, 1)
	unit = quoted($0, 2)
	getline help
	help = quoted(help, 1)
	entries = entries ".It Va " name "\n"
	if (help != "")
		entries = entries fold(sentence(help))
	entries = entries fold("(" (def == "" ? "empty" : def) (unit == "" ? "" : " " unit) bounds(kind, part[5], part[6]) list(kind) ")")
}
FILENAME ~ /network\.def$/ && /^TOPOLOGY\(/ {
	split($0, part, /[(,] */)
	topologies = topologies ".It Cm " part[2] "\n" fold(sentence(quoted($0, 1)))
}
FILENAME ~ /network\.def$/ && /^ROUTING\(/ {
	split($0, part, /[(,] */)
	if (part[2] != last)
		routings = routings (last == "" ? "" : ".El\n") ".Ss " part[2] "\n.Bl -tag -width Ds\n"
	last = part[2]
	routings = routings ".It Cm " part[3] "\n" fold(sentence(quoted($0, 1))) (need(part[4]) == "" ? "" : fold(need(part[4])))
}
FILENAME ~ /network\.def$/ && /^(ALLOCATOR|ARBITER|POLICY)\(/ {
	split($0, part, /[(,] */)
	row = ".It Cm " part[2] "\n" fold(sentence(quoted($0, 1)))
	if (/^ALLOCATOR/)
		allocators = allocators row
	else if (/^ARBITER/)
		arbiters = arbiters row
	else
		policies = policies row
}

function need(what) {
	if (what == "PAIR") return "Needs 2 virtual channels in each class."
	if (what == "FOUR") return "Needs 4 virtual channels in each class."
	if (what == "NODES") return "Needs a virtual channel for each node in each class."
	if (what == "RADIX") return "Needs k virtual channels in each class."
	if (what == "TWICE") return "Needs 2k - 1 virtual channels in each class, and c = k."
	if (what == "FIRST") return "Needs 2 virtual channels in each class, which begin at 0."
	if (what == "TWO") return "Needs num_vcs of at least 2."
	if (what == "THREE") return "Needs num_vcs = 3."
	if (what == "UNSET") return "Refused."
	return ""
}

FILENAME !~ /\.def$/ {
	if (/@ENTRIES@/)
		printf "%s.El\n", entries
	else if (/@TOPOLOGIES@/)
		printf "%s", topologies
	else if (/@ROUTINGS@/)
		printf "%s.El\n", routings
	else if (/@ALLOCATORS@/)
		printf "%s", allocators
	else if (/@ARBITERS@/)
		printf "%s", arbiters
	else if (/@POLICIES@/)
		printf "%s", policies
	else
		print
}
