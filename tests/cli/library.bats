#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# libwarptools: its symbols and structures, its header in C and C++, the examples in C and Python, an installation.
# tests/unit/test_wt.c tests the functions.

bats_require_minimum_version 1.5.0
load helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	export WARPTOOLS_LIBRARY=$BUILD/libwarptools.so.1 PYTHONPATH=$ROOT/examples/python PYTHONDONTWRITEBYTECODE=1
	cc=${CC-cc}
}

# Compiles the C example against the library of the build.
reuse() {
	[ -x reuse ] || $cc -std=c11 -Wall -Wextra -Werror -I"$ROOT/include" -o reuse "$ROOT/examples/library/reuse.c" \
		-L"$BUILD" -lwarptools -Wl,-rpath,"$BUILD"
	./reuse "$@"
}

@test "make: no archive without git, and a message for a build directory with blanks" {
	GIT_DIR=$PWD/none run ! make -s -C "$ROOT" DIST=none dist
	[ ! -e "$ROOT/build/none.tar.xz" ]
	run ! make -s -C "$ROOT" BUILD="a b" help
	assert_output --partial "BUILD='a b': a path with blanks"
}

@test "the same sources give the same bytes in every directory" {
	for d in one 'two/a b'; do
		mkdir -p "$d"
		cp -r "$ROOT"/{Makefile,config.mk,include,libcommon} "$d"
		make -s -C "$d" BUILD=out CC="${CC:-gcc}" LTO= OPT='-O1 -g' out/obj/libcommon/base/num.o out/pic/libcommon/base/num.o
	done
	cmp one/out/obj/libcommon/base/num.o 'two/a b/out/obj/libcommon/base/num.o'
	cmp one/out/pic/libcommon/base/num.o 'two/a b/out/pic/libcommon/base/num.o'
}

@test "exported symbols and layouts equal tests/data/library/abi; a change requires a new version" {
	nm -D --defined-only "$BUILD/libwarptools.so" | awk '$2 == "T" { print $3 }' | sort >found
	"$ROOT/tests/data/library/layout" "$ROOT/include/warptools.h" >layout.c
	$cc -o layout layout.c
	./layout >>found
	diff -u "$ROOT/tests/data/library/abi" found
}

@test "the static library exports the same global symbols as the shared one" {
	nm -D --defined-only "$BUILD/libwarptools.so" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | sort >dynamic
	nm -g --defined-only "$BUILD/libwarptools.a" | awk 'NF == 3 { print $3 }' | sort >static
	diff -u dynamic static
}

@test "each function of the header is exported and documented" {
	grep -o '\bwt_[a-z_]*(' "$ROOT/include/warptools.h" | tr -d '(' | sort -u >declared
	nm -D --defined-only "$BUILD/libwarptools.so" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | sort >exported
	diff -u declared exported
	awk '/^\.Fo / { print $2 }' "$ROOT"/man/*.3 | sort >documented
	diff -u declared documented
}

@test "the header compiles as C99, C11 and C++ without a warning" {
	for std in c99 c11; do
		echo '#include <warptools.h>' | $cc -std=$std -pedantic -Wall -Wextra -Wconversion -Werror -I"$ROOT/include" -fsyntax-only -x c -
	done
	command -v c++ >/dev/null || skip "c++ is not installed"
	echo '#include <warptools.h>' | c++ -std=c++11 -pedantic -Wall -Wextra -Werror -I"$ROOT/include" -fsyntax-only -x c++ -
}

@test "the example of warptools(3) compiles and prints its output" {
	awk '/^\.Sh EXAMPLES/ { on = 1 } /^\.Ed/ { code = 0 } code { gsub(/\\e/, "\\"); print } on && /^\.Bd/ { code = 1 }' \
		"$ROOT/man/warptools.3" >example.c
	$cc -std=c11 -Wall -Wextra -Werror -I"$ROOT/include" -o example example.c -L"$BUILD" -lwarptools -Wl,-rpath,"$BUILD"
	run -0 ./example "$(trace streams)"
	assert_line --index 0 'write 48'
	assert_line --regexp '^read [1-9][0-9]*$'
	run -0 ./example /nowhere
	assert_output '/nowhere: cannot be opened: No such file or directory'
}

@test "reuse distances agree between C and Python, for text and packed traces" {
	d=$(trace reuse)
	trace-pack -q -o app.tpack "$d"
	reuse "$d" >c
	reuse app.tpack | diff -u c -
	python3 "$ROOT/examples/python/reuse" "$d" | diff -u c -
	python3 "$ROOT/examples/python/reuse" app.tpack | diff -u c -
	run -0 cat c
	assert_output --regexp '^reuse first [1-9][0-9]* [0-9]+:[1-9][0-9]*'
	run -2 reuse /nowhere
	assert_output 'reuse: /nowhere: cannot be opened: No such file or directory'
	gzip -c app.tpack | reuse - | diff -u c -
}

@test "Python reads commands, blocks and columns, seeks, and raises errors" {
	d=$(trace streams)
	trace-pack -q -o app.tpack "$d"
	run -0 python3 - app.tpack "$d/kernel-1.traceg" <<-'END'
	import os, sys, warptools
	with warptools.open(sys.argv[1]) as app:
	    print(len(app), app.commands[0].kind, [k.name for k in app])
	    kernel = app.kernel(2)
	    kernel.seek(3)
	    block = next(kernel)
	    print(block.number, block.x, kernel.grid, len(block.warps), block.code.format, len(block.code) == len(block.mask))
	    a = block.accesses()
	    print(a.lane.shape == (len(a.instruction), 32), a.lane[0, 1] - a.lane[0, 0], set(a.space_names()))
	    print(block.column("pc")[1], block.column("opcode")[-1], app.warnings)
	    for bad in (lambda: kernel.seek(99), lambda: app.kernel(9), lambda: warptools.open(sys.argv[2] + "x")):
	        try:
	            bad()
	        except warptools.Error as e:
	            print(e.id, e.text)
	try:
	    next(kernel)
	except ValueError as e:
	    print(e)
	with open(sys.argv[2], "rb") as f:
	    print(sum(len(b.code) for k in warptools.open(f.fileno(), "a kernel") for b in k) > 0)
	END
	assert_output - <<-'END'
	4 copy to device ['write', 'write', 'read', 'read']
	3 3 (6, 1, 1) 4 I True
	True 4 {'global'}
	16 EXIT []
	block-number thread block 99 does not exist (expected 0 to 5)
	position no kernel at position 9 (expected 1 to 4)
	open cannot be opened: No such file or directory
	the list is closed
	True
	END
}

@test "Python: columns convert to numpy arrays" {
	python3 -c 'import numpy' 2>/dev/null || skip "numpy is not installed"
	run -0 python3 - "$(trace vecadd)" <<-'END'
	import numpy, sys, warptools
	block = next(next(iter(warptools.open(sys.argv[1]))))
	lanes = numpy.asarray(block.accesses().lane)
	print(lanes.dtype, lanes.shape[1], numpy.asarray(block.mask).dtype)
	END
	assert_output 'uint64 32 uint32'
}

@test "Python: a column is a buffer from which array() can be made" {
	run -0 python3 - "$(trace vecadd)" <<-'END'
	import sys, warptools
	from array import array
	kernel = next(iter(warptools.open(sys.argv[1])))
	block = next(kernel)
	before = block.code.tolist()
	for _ in kernel:
	    pass
	print(before == block.code.tolist(), len(array("I", block.mask)) == len(block.code))
	END
	assert_output 'True True'
}

@test "Python: results in each format agree with stats-csv" {
	make_results
	for f in json msgpack text; do
		run -0 python3 - "$BATS_FILE_TMPDIR/app.$f" <<-'END'
		import sys, warptools
		for r in warptools.results(sys.argv[1]):
		    print(r.kind, r.position, r.name, r.figures.get("gpu_sim_cycle"), r.units.get("gpu_sim_cycle"), r.status,
		          r.settings.get("gpgpu_n_clusters"))
		END
		assert_line --index 0 'run 0  None None  46'
		assert_line --index 1 --regexp '^kernel 1 write [0-9]+ cycles  None$'
		assert_line --index 5 --regexp '^end 0  [0-9]+ cycles complete None$'
		stats-csv -s gpu_sim_cycle "$BATS_FILE_TMPDIR/app.$f" | tr -d '\r' | awk -F, 'NR > 1 { print $NF }' >table
		awk '$1 == "kernel" { print $4 }' <<<"$output" | diff -u table -
	done
	run -1 python3 -c 'import warptools; list(warptools.results("/dev/null"))'
	assert_line --partial 'no statistics'
}

@test "PTX traces give source files and lines" {
	run -0 python3 - "$ROOT/tests/data/ptx-trace" <<-'END'
	import glob, sys, warptools
	found = set()
	for path in glob.glob(sys.argv[1] + "/*.traceg"):
	    for kernel in warptools.open(path):
	        for block in kernel:
	            for c in block.code:
	                x = kernel.list.instructions[c]
	                found.add((x.ptx, kernel.source(x.file) is not None))
	print(sorted(found))
	END
	assert_output '[(True, False), (True, True)]'
}

@test "installation below a name with a blank: pkg-config, shared and static linking, Python, uninstall" {
	command -v pkg-config >/dev/null || skip "pkg-config is not installed"
	p="$PWD/a p"
	(umask 077 && make -s -C "$ROOT" BUILD="$BUILD" install install-python PREFIX="$p" DESTDIR= FISHDIR="$p/fish" >/dev/null)
	run -0 find "$p" ! -perm -044
	assert_output ""
	export PKG_CONFIG_PATH=$p/lib/pkgconfig
	[ "$(pkg-config --modversion warptools)" = "$(trace-pack --version | awk '{ print $NF }')" ]
	eval "$cc -o shared '$ROOT/examples/library/reuse.c' $(pkg-config --cflags --libs warptools)"
	eval "$cc -o static '$ROOT/examples/library/reuse.c' $(pkg-config --cflags warptools) '$p/lib/libwarptools.a' \
		$(pkg-config --libs --static warptools | sed 's/-lwarptools//')"
	run -0 ldd static
	refute_output --partial 'libwarptools'
	d=$(trace reuse)
	LD_LIBRARY_PATH=$p/lib ./shared "$d" >out
	./static "$d" | diff -u out -
	[ "$(readlink "$p/share/man/man3/wt_kernel_seek.3")" = wt_kernel_open.3 ]
	unset WARPTOOLS_LIBRARY
	dir=$(dirname "$(find "$p" -name warptools.py -path '*-packages*')")
	PYTHONPATH=$dir python3 -c 'import sys, warptools; print(len(list(warptools.open(sys.argv[1]))))' "$d"
	python3 "$p/share/warptools/examples/python/reuse" "$d" | diff -u out -
	make -s -C "$ROOT" BUILD="$BUILD" uninstall uninstall-python PREFIX="$p" DESTDIR= FISHDIR="$p/fish"
	[ -z "$(find "$p" ! -type d)" ]
}

@test "the Debian package has the version of the suite and contains everything that is installed" {
	d=$ROOT/examples/packaging/debian
	[ "$(sed -n '1s/.*(\(.*\)-1).*/\1/p' "$d/changelog")" = "$(trace-pack --version | awk '{ print $NF }')" ]
	make -n -C "$ROOT" BUILD="$BUILD" install install-python PREFIX=/usr DESTDIR=/tmp/d SOLIBDIR=/usr/lib/x \
		PYTHONDIR=/usr/lib/python3/dist-packages INSTALL_STRIP= >commands
	run -1 grep -e 'install  *-s' commands
	for f in $(grep -hv '^usr/lib/\*' "$d"/*.install); do
		grep -q "/$f" commands || fail "nothing is installed in $f"
	done
}
