#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Manual pages are well-formed and complete; shells accept the completions; installation works.

bats_require_minimum_version 1.5.0
load helper

@test "mandoc reports nothing on any page" {
	command -v mandoc >/dev/null || skip "mandoc is not installed"
	make -s -C "$ROOT" BUILD="$BUILD" man
	for page in "$BUILD"/man/*.[1-9]; do
		run -0 mandoc -T lint -W warning "$page"
		assert_output ''
	done
}

@test "each program's page lists all its options" {
	make -s -C "$ROOT" BUILD="$BUILD" man
	for page in "$BUILD"/man/*.1; do
		program=$(basename "$page" .1)
		[ -x "$BUILD/$program" ] || continue
		for o in $("$BUILD/$program" -h | grep -o -e '--[a-z][a-z-]*' | sort -u); do
			grep -q -e "${o#--}" "$page" || { echo "$program: $o"; return 1; }
		done
	done
}

@test "-h of each program fits in 80 columns" {
	for main in "$ROOT"/cmd/*/main.c; do
		program=$(basename "$(dirname "$main")")
		run -0 "$program" -h
		run ! grep -E '.{81}' <<<"$output"
		[ -z "$output" ] || { echo "$program: $output"; return 1; }
	done
}

# Prints "LETTER NAME" for each option with a letter, of all programs; -n and -e, which depend on the program, are left out.
option_letters() {
	for main in "$ROOT"/cmd/*/main.c; do
		"$(basename "$(dirname "$main")")" -h
	done | sed -nE 's/^  -([A-Za-z]), --([a-z-]+).*/\1 \2/p' | sort -u | grep -v '^[ne] '
}

@test "an option letter means the same in all programs, and so does its long name" {
	run -0 option_letters
	[ "${#lines[@]}" -gt 15 ]
	[ -z "$(cut -d' ' -f1 <<<"$output" | uniq -d)" ]
	[ -z "$(cut -d' ' -f2 <<<"$output" | sort | uniq -d)" ]
	# no program has the long name without the letter; trace-exec --kernels selects by name only
	for main in "$ROOT"/cmd/*/main.c; do
		program=$(basename "$(dirname "$main")")
		for name in $("$program" -h | sed -nE 's/^      --([a-z-]+).*/\1/p'); do
			[ "$program $name" = 'trace-exec kernels' ] || [ "$program $name" = 'trace-sim tolerance' ] ||
				! grep -q " $name\$" <<<"$output" || { echo "$program: --$name has no letter"; return 1; }
		done
	done
}

@test "old names of options are accepted and not shown" {
	trace-pack -q --jobs=2 -o "$BATS_TEST_TMPDIR/a.tpack" "$(trace vecadd)"
	for program in trace-pack trace-exec; do
		run ! grep -e --jobs <<<"$("$program" -h; "$program" --completion bash; "$program" --man-options)"
		run -2 "$program" --threads x
		assert_output --partial "-j: invalid value 'x'"
		run -2 "$program" --jobs x
		assert_output --partial "-j: invalid value 'x'"
	done
}

@test "each rule that a source cites exists in a model page, and a source names each quirk" {
	run -0 python3 "$ROOT/tests/layers/citations"
	assert_output ''
}

@test "man-db and groff render each page without a warning" {
	command -v man >/dev/null && command -v groff >/dev/null || skip "man-db or groff is not installed"
	man --help 2>/dev/null | grep -q -e --warnings || skip "man is not man-db's"
	make -s -C "$ROOT" BUILD="$BUILD" man
	for page in "$BUILD"/man/*.[1-9]; do
		run -0 --separate-stderr groff -mandoc -Tutf8 -ww "$page"
		[ -z "$stderr" ] || { echo "groff $page: $stderr"; return 1; }
		run -0 --separate-stderr env MANWIDTH=80 MANROFFSEQ= man --warnings -l "$page"
		[ -z "$stderr" ] || { echo "man $page: $stderr"; return 1; }
	done
}

@test "a reference keeps its title and authors under man-db" {
	command -v man >/dev/null && command -v groff >/dev/null || skip "man-db or groff is not installed"
	make -s -C "$ROOT" BUILD="$BUILD" man
	run -0 env MANWIDTH=200 MAN_KEEP_FORMATTING= man -l "$BUILD/man/trace-sim-model.7"
	assert_output --partial 'An Extensible Simulation Framework'
	assert_output --partial 'T. G. Rogers'
}

@test "bash loads the completions" {
	make -s -C "$ROOT" BUILD="$BUILD" completions
	for c in "$BUILD"/completions/*.bash; do run -0 bash -n "$c"; done
}

# complete PROGRAM WORD...: prints the words that bash offers for the last word, sorted, one a line.
complete_with_bash() {
	bash -c 'compopt() { :; }; . "$1"; shift; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		"_${1//-/_}" "$1"; printf "%s\n" "${COMPREPLY[@]}"' bash "$BUILD/completions/$1.bash" "$@" | sort
}

@test "completions offer options, rules, figures and kernel names of the given input" {
	make -s -C "$ROOT" BUILD="$BUILD" completions
	d=$(trace streams)
	trace-sim -q -g rtx3070 -F json -o "$BATS_TEST_TMPDIR/r.json" "$d"
	run -0 complete_with_bash trace-sim -D gpgpu_n_clus
	assert_line 'gpgpu_n_clusters='
	run -0 complete_with_bash trace-lint -W lanes-
	assert_output 'lanes-left'
	run -0 complete_with_bash trace-lint --explain lanes-
	assert_output 'lanes-left'
	run -0 complete_with_bash stats-csv -s gpu_ipc,gpu_sim_c
	assert_output 'gpu_ipc,gpu_sim_cycle'
	run -0 complete_with_bash stats-diff -i gpu_sim_c
	assert_output 'gpu_sim_cycle'
	for p in trace-sim trace-pack; do
		run -0 complete_with_bash $p "$d" -k ''
		assert_output "$(printf '%s\n' 1 2 3 4)"
	done
	run -0 complete_with_bash stats-csv "$BATS_TEST_TMPDIR/r.json" -k 1,
	assert_output "$(printf '1,%s\n' 1 2 3 4)"
	# without an input to read there are no words and no message
	run -0 --separate-stderr complete_with_bash trace-sim nothing-here -k ''
	assert_equal "$output$stderr" ''
	run -0 trace-sim --complete kernels -k /dev/null "$d"
	assert_line --index 0 $'1\tkernel-1.traceg'
}

@test "fish offers the same words" {
	command -v fish >/dev/null || skip "fish is not installed"
	make -s -C "$ROOT" BUILD="$BUILD" completions
	HOME=$BATS_TEST_TMPDIR run -0 fish -c "source $BUILD/completions/trace-sim.fish
		complete -C 'trace-sim -D gpgpu_n_clus'
		complete -C 'trace-sim $(trace streams) -k 1,'"
	assert_line --regexp '^gpgpu_n_clusters='
	assert_line --regexp '^1,4'
}

@test "make install puts completions where Debian's shells look for them" {
	make -s -C "$ROOT" BUILD="$BUILD" install DESTDIR="$BATS_TEST_TMPDIR/local" PREFIX=/usr/local >/dev/null
	[ -f "$BATS_TEST_TMPDIR/local/etc/fish/completions/trace-sim.fish" ]
	[ -f "$BATS_TEST_TMPDIR/local/usr/local/share/zsh/site-functions/_trace-sim" ]
	[ -f "$BATS_TEST_TMPDIR/local/usr/local/share/bash-completion/completions/trace-sim" ]
	make -s -C "$ROOT" BUILD="$BUILD" install DESTDIR="$BATS_TEST_TMPDIR/usr" PREFIX=/usr FISHDIR=/x >/dev/null
	[ -f "$BATS_TEST_TMPDIR/usr/x/trace-sim.fish" ]
	make -s -C "$ROOT" BUILD="$BUILD" install DESTDIR="$BATS_TEST_TMPDIR/usr" PREFIX=/usr >/dev/null
	[ -f "$BATS_TEST_TMPDIR/usr/usr/share/fish/vendor_completions.d/trace-sim.fish" ]
	make -s -C "$ROOT" BUILD="$BUILD" uninstall DESTDIR="$BATS_TEST_TMPDIR/local" PREFIX=/usr/local
	[ -z "$(find "$BATS_TEST_TMPDIR/local" -type f)" ]
}

@test "make install puts everything under DESTDIR, and an installed program finds its configurations" {
	make -s -C "$ROOT" BUILD="$BUILD" install PREFIX=/usr DESTDIR="$BATS_TEST_TMPDIR/root" >/dev/null
	[ -x "$BATS_TEST_TMPDIR/root/usr/bin/trace-sim" ]
	[ -f "$BATS_TEST_TMPDIR/root/usr/share/man/man1/trace-sim.1" ]
	[ -f "$BATS_TEST_TMPDIR/root/usr/share/warptools/gpus/rtx3070.config" ]
	[ -f "$BATS_TEST_TMPDIR/root/usr/lib/warptools/libtrace-exec-cudart.so" ]
	run -0 env -u WARPTOOLS_GPUS "$BATS_TEST_TMPDIR/root/usr/bin/trace-sim" -q -g rtx3070 "$(trace vecadd)"
	mv "$BATS_TEST_TMPDIR/root/usr/share/warptools" "$BATS_TEST_TMPDIR/data"
	run -2 env -u WARPTOOLS_GPUS "$BATS_TEST_TMPDIR/root/usr/bin/trace-sim" -q -g rtx3070 "$(trace vecadd)"
	run -0 env -u WARPTOOLS_GPUS WARPTOOLS_DATA="$BATS_TEST_TMPDIR/data" \
		"$BATS_TEST_TMPDIR/root/usr/bin/trace-sim" -q -g rtx3070 "$(trace vecadd)"
}

@test "make install and uninstall accept blanks in PREFIX and DESTDIR, and leave foreign files alone" {
	local root="$BATS_TEST_TMPDIR/my root" own
	own="$root/opt/my tools/share/warptools/own"
	mkdir -p "$own" "$BATS_TEST_TMPDIR/my" "$root/opt/my"
	touch "$own/file" "$root/opt/my/file"
	make -s -C "$ROOT" BUILD="$BUILD" install PREFIX="/opt/my tools" DESTDIR="$root" >/dev/null
	[ -x "$root/opt/my tools/bin/trace-sim" ]
	[ -L "$root/opt/my tools/bin/trace-ptx" ]
	[ -f "$root/opt/my tools/share/warptools/examples/demo" ]
	[ -z "$(find "$root" -path "$root/opt/my tools" -prune -o -path "$root/opt/my" -prune -o -type f -print)" ]
	make -s -C "$ROOT" BUILD="$BUILD" uninstall PREFIX="/opt/my tools" DESTDIR="$root"
	run sh -c 'find "$1" ! -type d | LC_ALL=C sort' sh "$root"
	assert_output "$(printf '%s\n' "$root/opt/my/file" "$own/file" | LC_ALL=C sort)"
}

@test "two makes at once in one directory do not interfere" {
	cd "$BATS_TEST_TMPDIR"
	cp -r "$ROOT/libcommon" "$ROOT/include" "$ROOT/cmd" "$ROOT/man" "$ROOT/completions" "$ROOT/Makefile" "$ROOT/config.mk" .
	make -s -j2 BUILD=b LTO= OPT=-O0 b/stats-diff 2>one &
	make -s -j2 BUILD=b LTO= OPT=-O0 b/stats-diff 2>two
	wait $!
	b/stats-diff --version
	run find b -name '*.tmp'
	assert_output ""
	[ ! -s one ] && [ ! -s two ]
}
