# SPDX-License-Identifier: BSD-2-Clause
# Loaded by bats files of CUDA programs. gcc compiles the programs against stub libraries, because neither nvcc nor a CUDA
# library may be installed.

# Makes libcudart.so.13 in the directory of the bats file. Its functions return 999, unless trace-exec replaces them.
stub_runtime() {
	cd "$BATS_FILE_TMPDIR" || return
	trace-exec --run --list | awk '{ print "int " $2 "(void); int " $2 "(void) { return 999; }" }' >stub.c
	gcc -shared -fPIC -Wl,-soname,libcudart.so.13 -o libcudart.so.13 stub.c
	ln -sf libcudart.so.13 libcudart.so
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
	awk '$2 ~ /^cu[A-Z]/ { print "int " $2 "(void); int " $2 "(void) { return 999; }" }' <<<"$(trace-exec --run --list)" >driver-stub.c
	gcc -shared -fPIC -Wl,-soname,libcuda.so.1 -o libcuda.so driver-stub.c
	gcc -std=gnu11 -o "$1" "$ROOT/tests/data/cudart/$1.c" -L. -lcuda "${@:2}"
}
