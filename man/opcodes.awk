# SPDX-License-Identifier: BSD-2-Clause
# The opcodes of trace-sim-sm(7): isa.def first, then trace-sim-sm.7.in, whose marker line it replaces. Opcodes that
# have the same classes on all architectures stand together, in the order of the table.

BEGIN { n_arch = split("Kepler Pascal Volta Turing Ampere Ada Hopper Blackwell", arch, " ") }

# "SP, Kepler to Volta; ALU, Ampere and later" of the classes class[1..n_arch].
function describe(	i, first, out) {
	for (i = 1; i <= n_arch; i++) {
		if (class[i] == "no")
			continue
		for (first = i; i < n_arch && class[i + 1] == class[first]; i++)
			;
		out = out (out == "" ? "" : "; ") class[first]
		if (first == 1 && i == n_arch)
			continue
		out = out ", " arch[first]
		if (i == n_arch && first < i)
			out = out " and later"
		else if (first < i)
			out = out (i > first + 1 ? " to " : ", ") arch[i]
	}
	return out
}

FILENAME ~ /isa\.def$/ && /^(OP|HALF)\(/ {
	sub(/^[A-Z]+\( */, "")
	sub(/\).*/, "")
	n = split($0, part, / *, */)
	for (i = 1; i <= n_arch; i++)
		class[i] = part[i + 2]
	key = describe()
	if (!(key in stems))
		order[++n_keys] = key
	stems[key] = stems[key] " " part[1]
}
FILENAME !~ /isa\.def$/ {
	if (!/@OPCODES@/) {
		print
		next
	}
	print ".Bl -tag -width Ds"
	for (k = 1; k <= n_keys; k++) {
		print ".It " order[k]
		printf "%s", fold(substr(stems[order[k]], 2))
	}
	print ".El"
}
