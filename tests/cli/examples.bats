#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Examples: installation, copies elsewhere, traces of the user. sweep.bats tests the sweep.

bats_require_minimum_version 1.5.0
load helper

setup_file() {
	load helper
	make -s -C "$ROOT" BUILD="$BUILD" install PREFIX=/p DESTDIR="$BATS_FILE_TMPDIR/root" FISHDIR=/p/fish >/dev/null
}

setup() {
	cp -r "$BATS_FILE_TMPDIR/root/p/share/warptools/examples" "$BATS_TEST_TMPDIR/mine"
	cd "$BATS_TEST_TMPDIR"
	d=$(trace vecadd)
	PATH=$BATS_FILE_TMPDIR/root/p/bin:/usr/bin:/bin
	unset WARPTOOLS_GPUS BUILD
}

@test "each example is installed, and scripts are executable" {
	for f in $(cd "$ROOT/examples" && git ls-files 2>/dev/null | grep -v -e '^gpus/' -e '^packaging/debian/' || true); do
		[ -f "mine/$f" ] || { echo "$f is not installed"; return 1; }
	done
	for f in demo lint-before-sweep networks/compare plots/correlate measure/measure; do [ -x "mine/$f" ]; done
}

@test "installed: lint-before-sweep, networks and demo run on a user's own traces" {
	run -0 mine/lint-before-sweep "$d" rtx3070
	assert_line 'rtx3070: rtx3070.json'
	run -0 mine/networks/compare "$d" nets
	assert_line --regexp $'^mesh\t[0-9]+\t'
	[ -s nets/dragonfly.report.json ]
	run -0 mine/demo "$d"
	assert_line --partial '3 of 3: simulating'
	assert_line --regexp '^gpu_sim_cycle +[0-9]+'
	[ -s demo/qv100.txt ]
	run -0 mine/demo
	assert_line --partial '3 of 3: simulating'
	rm -r mine/sweep/traces
	run -2 mine/demo
	assert_output --partial 'usage: demo TRACE'
}

@test "installed: each script has -h" {
	for f in $(cd mine && find . -type f ! -name '*.*' ! -path './gpus/*'); do
		case $(head -n 1 "mine/$f") in
		'#!'*python3) run -0 python3 "mine/$f" -h ;;
		'#!'*sh) run -0 sh "mine/$f" -h ;;
		*) continue ;;
		esac
		[ "${#lines[@]}" -ge 2 ] || { echo "$f"; return 1; }
		refute_output --regexp 'Traceback|not set|not found'
	done
}

@test "installed: the sweep runs in place without other input, and finds its helpers" {
	installed=$BATS_FILE_TMPDIR/root/p/share/warptools/examples/sweep
	SWEEP=$PWD/out run -0 sh "$installed/setup"
	SWEEP=$PWD/out run -0 sh "$installed/run" reduce small+gto+l20+8ch
	[ -s out/results/reduce.small+gto+l20+8ch.json ]
	# a copy of this directory alone, without the plots
	cp -r "$installed" alone
	cd alone
	sed -i -e '/^#/d' -e '/l39/d' -e '/l80/d' -e '/16ch/d' points
	run -0 make -s -k -j2
	run -0 sh ./status
	assert_output '8 of 8 runs done, 0 running, 0 failed'
	sh ./collect
	[ "$(wc -l <sweep/results.tsv)" = 9 ]
	sh ./report
	[ -s sweep/report.html ]
	command -v gnuplot >/dev/null || skip "gnuplot is not installed (Debian package gnuplot-nox)"
	run -0 sh ./plot
	[ -s sweep/plots/speedup.png ] && [ -s sweep/plots/stalls.png ] && [ -s sweep/plots/correlation.png ]
}

@test "installed: the sweep runs on a user's own traces" {
	cd mine/sweep
	printf 'app\t%s\n' "$d" >apps
	printf 'rtx3070\nqv100 + l20\n' >points
	run -0 make -s -k -j2
	run -0 sh ./status
	assert_output '2 of 2 runs done, 0 running, 0 failed'
	sh ./collect
	[ "$(wc -l <sweep/results.tsv)" = 3 ]
}

@test "demo: prints each step and its expected time while it builds" {
	mkdir -p bin tree/cmd/trace-sim tree/tests tree/build/tests tree/examples
	: >tree/cmd/trace-sim/main.c
	: >tree/tests/deps
	cp mine/demo tree/examples/
	cp "$BATS_FILE_TMPDIR/root/p/bin/trace-sim" tree/build/
	printf '#!/bin/sh\ncp -r "%s" "$2"\n' "$d" >tree/build/tests/tracegen
	cat >bin/make <<-'END'
	#!/bin/sh
	for i in $(seq 40); do echo "gcc -O3 -c -o build/obj/$i.o cmd/trace-sim/$i.c"; done
	case $* in *-n*) exit 0 ;; esac
	echo "gcc -o build/trace-sim x.o"
	[ ! -e broken ] || { echo "x.c:1: error: no"; exit 2; }
	END
	chmod +x bin/make tree/build/tests/tracegen
	export WARPTOOLS_GPUS=$BATS_FILE_TMPDIR/root/p/share/warptools/gpus
	PATH=$PWD/bin:$PATH run -0 sh tree/examples/demo
	assert_line --partial '1 of 3: looking for the Debian packages'
	assert_line --regexp '2 of 3: building the programs from 40 files with [0-9]+ processors: about [0-9]+ minutes, this once'
	assert_line '   20 of 40 files'
	assert_line --partial '3 of 3: simulating build/demo/app on two GPUs'
	assert_line --regexp '^gpu_sim_cycle +[0-9]+'
	touch tree/broken
	PATH=$PWD/bin:$PATH run -2 sh tree/examples/demo
	assert_output --partial 'x.c:1: error: no'
	assert_output --partial 'demo: the build failed'
}
