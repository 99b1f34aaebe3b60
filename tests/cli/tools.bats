#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The tools of the tests: a leg that ends early or cannot run is a failure; golden figures are rewritten from a commit only.

bats_require_minimum_version 1.5.0
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

leg() { sh "$ROOT/tests/tools/leg" log name "$@"; }

@test "a complete leg of the suite adds nothing to the counts" {
	run -0 leg printf '%s\n' 1..2 'ok 1 - a' 'ok 2 # skip b'
	assert_output ""
	run -0 cat log
	assert_output "$(printf '%s\n' 'ok 1 - a' 'ok 2 # skip b')"
	run -0 leg printf '%s\n' 'ok 1 - a' 'not ok 2 - b' '# why' 1..2
	assert_output "$(printf '%s\n' 'not ok 2 - b' '# why')"
}

@test "a leg that ends early, lacks a plan, has a status or does not exist fails" {
	run -0 leg printf '%s\n' 1..3 'ok 1 - a'
	assert_output 'not ok - name planned 3 tests and reported 1'
	run -0 leg printf '%s\n' 'ok 1 - a'
	assert_output 'not ok - name has no plan'
	run -0 leg sh -c 'echo 1..1; echo ok 1; exit 3'
	assert_output 'not ok - name ended with status 3'
	run -0 leg sh -c 'echo 1..2; echo ok 1; kill -9 $$'
	assert_line 'not ok - name planned 2 tests and reported 1'
	assert_line 'not ok - name ended with status 137'
	run -0 leg ./missing
	assert_line 'not ok - name has no plan'
	assert_line 'not ok - name ended with status 127'
	[ "$(grep -c '^not ok' log)" -eq 7 ]
}

@test "no two structs share a tag" {
	run -0 python3 "$ROOT/tests/layers/tags"
	assert_output ""
	mkdir -p tree/tests/layers tree/include tree/cmd/a tree/cmd/b && cp "$ROOT/tests/layers/tags" tree/tests/layers
	printf 'struct one {\n};\n/* struct two { */\nFIFO(ring, int)\n' >tree/include/a.h
	printf 'struct warp { int a; };\nenum two { A };\n' | tee tree/cmd/a/a.c >tree/cmd/b/b.c
	printf 'enum one { B };\nstruct ring {\n};\n' >tree/cmd/b/c.c
	run -1 python3 tree/tests/layers/tags
	assert_output "$(printf '%s\n' 'cmd/b/b.c:2: tag two is also in cmd/a/a.c:2' \
		'include/a.h:1: tag one is also in cmd/b/c.c:1' 'include/a.h:4: tag ring is also in cmd/b/c.c:2')"
}

@test "calls and includes between modules go one way, and functions are named after their module" {
	run -0 python3 "$ROOT/tests/layers/modules"
	assert_output ""
	mkdir -p tree/cmd/a/up tree/cmd/a/down tree/cmd/b tree/libcommon/base tree/libcommon/high tree/include
	printf '## Module map\n\n    libcommon: high, base\n    a: main, up, low\n' >tree/HACKING.md
	printf 'ForEachMacros: [EACH]\n' >tree/.clang-format
	printf 'int up_one(void)\n{\n\treturn down_one();\n}\n' >tree/cmd/a/up/up.c
	printf 'int down_one(void) { return up_one(); } /* odd_one() */\nint odd(int a)\n{\n}\n' >tree/cmd/a/down/down.c
	printf 'void pair_new(struct pair_of *p) { }\n#define EACH(x) for (;;)\n#define ALL(x) \\\n\tfor (;;)\n' >>tree/cmd/a/down/down.c
	printf '#include "b.h"\nint main(void) { return 0; }\n' | tee tree/cmd/a/main.c >tree/cmd/b/main.c
	touch tree/cmd/b/b.h tree/cmd/a/up/up.h
	run -1 python3 "$ROOT/tests/layers/modules" tree
	assert_output "$(printf '%s\n' 'HACKING.md: the module down of a is not on the map' 'HACKING.md: the module low of a does not exist' \
		'HACKING.md: the module base of libcommon does not exist' 'HACKING.md: the module high of libcommon does not exist' \
		'cmd/a/main.c: include of b.h (expected a header of the same program or of include/)' \
		'cmd/a/down/down.c: function odd (expected a name that begins with down or down)' \
		'cmd/a/down/down.c: loop macro ALL is missing in ForEachMacros of .clang-format')"
	sed -i 's/low/down/' tree/HACKING.md
	printf '#include "up/up.h"\n' >>tree/cmd/a/down/down.c
	printf 'int high_one(void) { return 0; }\n' >tree/libcommon/high/high.c
	printf 'int high_one(void);\n' >tree/include/high.h
	printf '#include "high.h"\n' | tee tree/include/plain.h >tree/libcommon/base/low.c
	printf '#include "plain.h"\n' >tree/libcommon/base/lower.c
	run -1 python3 "$ROOT/tests/layers/modules" tree
	assert_line 'cmd/a/down/down.c:1: call of up_one, which belongs to up, left of down'
	assert_line 'cmd/a/down/down.c: include of up/up.h, which belongs to a module left of down'
	assert_line 'libcommon/base/low.c: include of high.h, which belongs to a module left of base'
	assert_line 'libcommon/base/lower.c: include of plain.h, which belongs to a module left of base'
}

@test "each runner prints a plan and keeps it" {
	for t in badinput lint golden; do
		run -0 sh "$ROOT/tests/$t/run" nothing
		assert_output 1..0
	done
	run -0 sh "$ROOT/tests/badinput/run" x_bool x_wrap
	assert_line 1..2
	[ "$(grep -c '^ok' <<<"$output")" -eq 2 ]
}

@test "golden figures are rewritten only from a clean tree that passed conformance" {
	git -C "$ROOT" rev-parse -q --verify HEAD >/dev/null || skip "not a git checkout"
	git clone -q "$ROOT" copy
	mkdir build
	ln -s "$(cd "$BUILD" && pwd)"/* build/
	rm -f build/conformance
	BUILD=$PWD/build run -2 sh copy/tests/golden/run -u shared
	assert_output --partial 'does not name the commit'
	{ echo "commit $(git -C copy rev-parse HEAD)"; echo "2 of 2 cases equal"; } >build/conformance
	sed -i '/gpu_sim_cycle/s/[0-9]\{1,\}/1/' copy/tests/golden/shared.txt
	BUILD=$PWD/build run -2 sh copy/tests/golden/run -u shared
	assert_output --partial 'found a tree with changes, wanted a commit'
	git -C copy -c user.name=t -c user.email=t@t commit -qam 'another figure'
	echo "commit $(git -C copy rev-parse HEAD)" >build/conformance
	BUILD=$PWD/build run -0 sh copy/tests/golden/run -u shared
	assert_line --regexp '^-gpu_sim_cycle 1 '
	assert_line 'ok - golden shared'
	run -0 git -C copy status --porcelain
	assert_line ' M tests/golden/shared.txt'
	cmp "$ROOT/tests/golden/shared.txt" copy/tests/golden/shared.txt
	cmp build/conformance copy/tests/golden/conformance
}

@test "messages quote inputs with apostrophes, and no message text is split in two" {
	local cut
	run -1 grep -rnE '(found|wanted)[^"]* \\"' "$ROOT/include" "$ROOT/libcommon" "$ROOT/cmd"
	cut=$(cd "$ROOT" && awk 'FNR == 1 { half = 0 }
		half && /^[ \t]*"/ { print FILENAME ":" FNR ": " $0 }
		{ half = /"[^"]*(found|wanted) [^"]*[^"\\n]"$/ }' libcommon/*/*.c cmd/*/*.c cmd/*/*/*.c cmd/*/*/*/*.c)
	[ -z "$cut" ] || { echo "$cut"; false; }
}
