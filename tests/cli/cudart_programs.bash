# SPDX-License-Identifier: BSD-2-Clause
# Loaded by bats files of CUDA programs. gcc compiles the programs against stub libraries, because neither nvcc nor a CUDA
# library may be installed.

# stub_library FILE SONAME PATTERN: compiles FILE.c into a library of the functions that trace-exec lists and whose names match
# PATTERN. They return 999, unless trace-exec replaces them.
stub_library() {
	trace-exec --run --list | awk -F'\t' -v p="$3" '$2 ~ p { print "int " $2 "(void); int " $2 "(void) { return 999; }" }' >"$1.c"
	gcc -shared -fPIC -Wl,-soname,"$2" -o "$1" "$1.c"
}

# Makes libcudart.so in the directory of the bats file.
stub_runtime() {
	cd "$BATS_FILE_TMPDIR" || return
	stub_library libcudart.so libcudart.so.13 .
	ln -sf libcudart.so libcudart.so.13
}

# program NAME SOURCE ENTRY...: compiles tests/data/cudart/SOURCE.c with a fat binary of the entries.
program() {
	local name=$1 source=$2
	shift 2
	python3 "$ROOT/tests/data/cudart/mkfat" "$name.fatbin" "$@"
	# shellcheck disable=SC2086
	gcc -std=gnu11 -Wno-unused ${MODE-} -DFATBIN="\"$name.fatbin\"" -o "$name" "$ROOT/tests/data/cudart/$source.c" -L. -lcudart
}

setup() {
	cd "$BATS_FILE_TMPDIR"
	export LD_LIBRARY_PATH=$BATS_FILE_TMPDIR
	rm -rf out
}

# driver_program NAME [LIBRARY...]: compiles a program that calls the driver interface, against a stub library.
driver_program() {
	stub_library libcuda.so libcuda.so.1 '^cu[A-Z]'
	gcc -std=gnu11 -o "$1" "$ROOT/tests/data/cudart/$1.c" -L. -lcuda "${@:2}"
}
