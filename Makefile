# SPDX-License-Identifier: BSD-2-Clause
# warptools: one folder in cmd/ a program, libcommon shared by all. No configure step.
#   make            the programs, into $(BUILD)/
#   make check      every test           make asan      the same under ASan and UBSan
#   make demo       a first run          make tidy      clang-tidy over all sources
#   make tsan       threads under TSan   make exit-path the way out under ASan
#   make format     every source as .clang-format says; make format-check tells what differs
#   make fuzz       fuzz targets         make bench     speed against recorded figures
#   make conformance, conformance-events  figures of the original (needs REFERENCE=)

include config.mk
-include config.local.mk

WARN = -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
CPPFLAGS_ALL = -D_GNU_SOURCE -DVERSION='"$(VERSION)"' -DDATADIR='"$(PREFIX)/share/warptools"' -DLIBDIR='"$(PREFIX)/lib/warptools"' \
	-Iinclude -Ilibcommon $(CPPFLAGS)
CFLAGS_ALL = -std=c11 $(OPT) $(WARN) -MMD -MP $(CFLAGS)
# Objects serve the programs, which are optimised as a whole, and the tests, which are linked as they are.
LTO_OBJ    = $(if $(LTO),$(LTO) -ffat-lto-objects)
# The C library first: starting a program is looking up names, and most are found there.
LDLIBS_ALL = -lc -lzstd -llzma -lz -lxxhash -ljansson -lmsgpackc -lcsv -Wl,--as-needed -lexpat -Wl,--no-as-needed -lm -pthread $(LDLIBS)

# A program exists when its folder has a main.c.
PROGRAMS = $(patsubst cmd/%/main.c,%,$(sort $(wildcard cmd/*/main.c)))
BINARIES = $(PROGRAMS:%=$(BUILD)/%)

# What trace-exec --run loads in front of a program's CUDA runtime: the executor again, position-independent, behind
# the runtime's interface. Sanitizers stay out of it, for the program it is loaded into has none.
CUDART     = $(BUILD)/libtrace-exec-cudart.so
CUDART_MAP = cmd/trace-exec/cudart/versions.map
CUDART_FOR = 11.0 12 13
CUDART_SRC = $(sort $(wildcard cmd/trace-exec/cudart/*.c))
CUDART_USE = $(wildcard $(addprefix cmd/trace-exec/,lang/*.c exec/*.c sem/*.c lower/*.c)) cmd/trace-exec/trace_out.c \
	$(wildcard libcommon/base/*.c) libcommon/arch/fatbin.c libcommon/arch/cubin.c
CUDART_OBJ = $(patsubst %.c,$(BUILD)/pic/%.o,$(CUDART_SRC) $(sort $(CUDART_USE)))

LIB_SRC = $(sort $(wildcard libcommon/*/*.c))
LIB_OBJ = $(LIB_SRC:%.c=$(BUILD)/obj/%.o)
LIB     = $(BUILD)/libcommon.a

# Second names of programs: trace-ptx is trace-exec --code ptx.
ALIASES = trace-ptx
ALIAS_OF_trace-ptx = trace-exec
ALIAS_LINKS = $(ALIASES:%=$(BUILD)/%)

all: $(BINARIES) $(ALIAS_LINKS) $(CUDART)

$(ALIAS_LINKS): $(BINARIES)
	ln -sf $(ALIAS_OF_$(@F)) $@

$(LIB): $(LIB_OBJ)
	@rm -f $@
	$(AR) qcs $@ $(LIB_OBJ)

define program
$(1)_OBJ = $$(patsubst %.c,$$(BUILD)/obj/%.o,$$(filter-out $$(CUDART_SRC),$$(sort $$(wildcard cmd/$(1)/*.c cmd/$(1)/*/*.c)))) $$(EXTRA_$(1))
$$(BUILD)/$(1): $$($(1)_OBJ) $$(LIB)
	$$(CC) $$(CFLAGS_ALL) $$(LTO) $$(LDFLAGS) -o $$@ $$($(1)_OBJ) $$(LIB) $$(LDLIBS_ALL)
DEPS += $$($(1)_OBJ:.o=.d)
endef
$(foreach p,$(PROGRAMS),$(eval $(call program,$(p))))
DEPS += $(LIB_OBJ:.o=.d)

# A program sees its own rooms beside libcommon's.
own_headers = $(addprefix -Icmd/,$(filter $(PROGRAMS),$(subst /, ,$(1))))
$(BUILD)/obj/%.o: %.c config.mk Makefile
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(call own_headers,$<) $(CFLAGS_ALL) $(LTO_OBJ) -c -o $@ $<

PLAIN = $(filter-out -fsanitize=% -fno-sanitize%,$(1))
$(BUILD)/pic/%.o: %.c config.mk Makefile
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) -Icmd/trace-exec $(call PLAIN,$(CFLAGS_ALL)) -fPIC -fvisibility=hidden -c -o $@ $<
$(CUDART): $(CUDART_OBJ) $(CUDART_MAP)
	$(CC) $(call PLAIN,$(CFLAGS_ALL) $(LDFLAGS)) -shared -Wl,-z,defs -Wl,--version-script=$(CUDART_MAP) -o $@ $(CUDART_OBJ) \
		-lzstd -llzma -lz -lxxhash -lm -pthread
	@mkdir -p $(BUILD)/cudart
	for v in $(CUDART_FOR); do ln -sf ../$(notdir $@) $(BUILD)/cudart/libcudart.so.$$v || exit 1; done
DEPS += $(CUDART_OBJ:.o=.d)

# ---- tests: C programs in tests/unit, replays of tests/fuzz over tests/corpus, bats files ----------

SIM_OBJ = $(filter-out %/main.o,$(trace-sim_OBJ))
SIM_LIB = $(BUILD)/trace-sim.a

$(SIM_LIB): $(SIM_OBJ)
	@rm -f $@
	$(AR) qcs $@ $(SIM_OBJ)

PTX_OBJ = $(filter-out %/main.o,$(trace-exec_OBJ))
PTX_LIB = $(BUILD)/trace-exec.a

$(PTX_LIB): $(PTX_OBJ)
	@rm -f $@
	$(AR) rcs $@ $(PTX_OBJ)

UNIT  = $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(sort $(wildcard tests/unit/test_*.c)))
FUZZ  = $(patsubst tests/fuzz/fuzz_%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
REPLAY = $(FUZZ:%=$(BUILD)/tests/replay_%)
TEST_CPPFLAGS = $(CPPFLAGS_ALL) -Icmd/trace-sim -Itests/unit

$(BUILD)/tests/%: tests/unit/%.c $(SIM_LIB) $(LIB)
	@mkdir -p $(@D)
	$(CC) $(TEST_CPPFLAGS) $(CFLAGS_ALL) -fno-lto $(LDFLAGS) -o $@ $< $(SIM_LIB) $(LIB) $(LDLIBS_ALL)
$(BUILD)/tests/test_lower: tests/unit/test_lower.c $(PTX_LIB) $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) -Icmd/trace-exec -Itests/unit $(CFLAGS_ALL) -fno-lto $(LDFLAGS) -o $@ $< $(PTX_LIB) $(LIB) $(LDLIBS_ALL)
# Targets named ptx* are about trace-exec, the others about trace-sim and libcommon.
$(BUILD)/tests/replay_ptx%: tests/fuzz/fuzz_ptx%.c tests/fuzz/replay.c $(PTX_LIB) $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) -Icmd/trace-exec $(CFLAGS_ALL) -fno-lto $(LDFLAGS) -o $@ tests/fuzz/replay.c $< $(PTX_LIB) $(LIB) $(LDLIBS_ALL)
TIMES = $(BUILD)/obj/cmd/trace-pick/times.o
$(BUILD)/tests/replay_times: tests/fuzz/fuzz_times.c tests/fuzz/replay.c $(TIMES) $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) -Icmd/trace-pick $(CFLAGS_ALL) -fno-lto $(LDFLAGS) -o $@ tests/fuzz/replay.c $< $(TIMES) $(LIB) $(LDLIBS_ALL)
$(BUILD)/tests/replay_%: tests/fuzz/fuzz_%.c tests/fuzz/replay.c $(SIM_LIB) $(LIB)
	@mkdir -p $(@D)
	$(CC) $(TEST_CPPFLAGS) $(CFLAGS_ALL) -fno-lto $(LDFLAGS) -o $@ tests/fuzz/replay.c $< $(SIM_LIB) $(LIB) $(LDLIBS_ALL)
$(BUILD)/tests/tracegen: $(wildcard tests/gen/*.c tests/gen/*.h)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) -Itests/gen $(CFLAGS_ALL) $(LDFLAGS) -o $@ $(filter %.c,$^)
$(BUILD)/tests/cubingen: tests/cubin/cubingen.c $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -fno-lto $(LDFLAGS) -o $@ $^ $(LDLIBS_ALL)

# For LD_PRELOAD, which sanitizers do not suffer.
$(BUILD)/tests/%.so: tests/fault/%.c
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE -std=c11 -O1 -Wall -Wextra -fno-builtin -fPIC -shared -o $@ $<

FAULT := $(patsubst tests/fault/%.c,$(BUILD)/tests/%.so,$(wildcard tests/fault/*.c))
DEPS += $(UNIT:=.d) $(REPLAY:=.d)

tests: $(UNIT) $(REPLAY) $(BUILD)/tests/tracegen $(BUILD)/tests/cubingen $(FAULT)
suite: all tests
	@sh tests/suite $(BUILD)
check:
	@sh tests/check
demo:
	@sh examples/demo

SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
asan:
	+@$(MAKE) -s BUILD=build/asan LTO= OPT="-O1 -g $(SANITIZE)" LDFLAGS="$(SANITIZE)" -j2 all tests
	+@SANITIZED=1 $(MAKE) -s BUILD=build/asan LTO= OPT="-O1 -g $(SANITIZE)" LDFLAGS="$(SANITIZE)" suite

# How runs of trace-sim can end: by themselves, with threads, and before their time.
EXITS = same kernel|appears|full disk|closed pipe|limit|deadlock|SIG|dies|few SMs|first fault|parts add up|thread
# The way out that users have, in the same build: what a leak checker wants to see freed stays where it is.
exit-path:
	+@$(MAKE) -s BUILD=build/asan LTO= OPT="-O1 -g $(SANITIZE)" LDFLAGS="$(SANITIZE)" -j2 all build/asan/tests/tracegen
	@SHIPPED_EXIT=1 SANITIZED=1 ASAN_OPTIONS=detect_leaks=0 ONLY='$(EXITS)' \
		sh tests/suite build/asan tests/sim.bats tests/profile.bats tests/threads.bats tests/windows.bats
# Masks and counts that follow from other state, made anew after every step.
check-invariants:
	+@$(MAKE) -s BUILD=build/invariants LTO= OPT="-O1 -g -DCHECK_INVARIANTS" LDFLAGS= build/invariants/trace-sim \
		build/invariants/tests/tracegen
	@sh tests/invariants build/invariants
# Real CUDA programs where nvcc is: minutes of compiling.
check-cuda: all
	@PATH="$(abspath $(BUILD)):$$PATH" sh tests/cuda/run
# Data races in what runs on several threads; how windows are cut matters to none of them.
RACES = threads:|each recipe|BookSim
tsan:
	+@$(MAKE) -s BUILD=build/tsan LTO= OPT="-O1 -g -fsanitize=thread" LDFLAGS="-fsanitize=thread" -j2 build/tsan/trace-sim \
		build/tsan/tests/tracegen build/tsan/tests/test_threads
	@build/tsan/tests/test_threads
	@SANITIZED=1 ONLY='$(RACES)' sh tests/suite build/tsan tests/threads.bats tests/windows.bats

# Coverage-guided fuzzing with clang, FUZZ_SECONDS for each target; new inputs and findings stay in build/fuzz/.
FUZZ_SECONDS = 60
FUZZ_SANITIZE = address,undefined
fuzz:
	+@$(MAKE) -s BUILD=build/fuzz CC=clang LTO= OPT="-O1 -g -fsanitize=fuzzer-no-link,$(FUZZ_SANITIZE) -fno-sanitize-recover=all" fuzz-run
fuzz-run: $(FUZZ:%=$(BUILD)/fuzz_%)
	@for t in $(FUZZ); do \
		echo "fuzz $$t for $(FUZZ_SECONDS) s"; mkdir -p $(BUILD)/new/$$t tests/corpus/$$t; \
		$(BUILD)/fuzz_$$t -max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=1024 -verbosity=0 -print_final_stats=1 \
			-artifact_prefix=$(BUILD)/ $(BUILD)/new/$$t tests/corpus/$$t || exit 1; \
	done
$(BUILD)/fuzz_ptx%: tests/fuzz/fuzz_ptx%.c $(PTX_LIB) $(LIB)
	$(CC) $(CPPFLAGS_ALL) -Icmd/trace-exec $(CFLAGS_ALL) -fsanitize=fuzzer,$(FUZZ_SANITIZE) -o $@ $< $(PTX_LIB) $(LIB) $(LDLIBS_ALL)
$(BUILD)/fuzz_times: tests/fuzz/fuzz_times.c $(TIMES) $(LIB)
	$(CC) $(CPPFLAGS_ALL) -Icmd/trace-pick $(CFLAGS_ALL) -fno-lto -fsanitize=fuzzer,$(FUZZ_SANITIZE) -o $@ $< $(TIMES) $(LIB) $(LDLIBS_ALL)
$(BUILD)/fuzz_%: tests/fuzz/fuzz_%.c $(SIM_LIB) $(LIB)
	$(CC) $(TEST_CPPFLAGS) $(CFLAGS_ALL) -fno-lto -fsanitize=fuzzer,$(FUZZ_SANITIZE) -o $@ $< $(SIM_LIB) $(LIB) $(LDLIBS_ALL)

# The style stands in .clang-format; format-check only tells what would change.
FORMATTED = $(sort $(wildcard cmd/*/*.[ch] cmd/*/*/*.[ch] libcommon/*/*.[ch] include/*.h tests/*/*.[ch]))
format:
	clang-format -i $(FORMATTED)
format-check:
	clang-format --dry-run --Werror $(FORMATTED)

tidy:
	clang-tidy --quiet $(sort $(wildcard cmd/*/*.c cmd/*/*/*.c libcommon/*/*.c)) -- -std=c11 $(CPPFLAGS_ALL) -Icmd/trace-sim

# ---- figures of the original -------------------------------------------------------------------

REFERENCE = ../shared
conformance: all
	@TRACE_SIM=$(BUILD)/trace-sim python3 tests/tools/conformance.py "$(REFERENCE)"
	@TRACE_SIM=$(BUILD)/trace-sim python3 tests/tools/conformance.py -k "$(REFERENCE)"
	@TRACE_SIM=$(BUILD)/trace-sim python3 tests/tools/conformance.py -n "$(REFERENCE)"
	@[ ! -x $(BUILD)/trace-exec ] || TRACE_SIM=$(BUILD)/trace-sim python3 tests/tools/conformance.py -w "$(REFERENCE)"
	@[ ! -x $(BUILD)/trace-exec ] || TRACE_SIM=$(BUILD)/trace-sim python3 tests/tools/conformance.py -p "$(REFERENCE)"
	@TRACE_PTX=$(BUILD)/trace-exec python3 tests/tools/ptx-values.py "$(REFERENCE)"
# The golden figures anew, of a commit without changes and what it was compared with; then look at the diff and commit.
golden: conformance
	@BUILD="$(abspath $(BUILD))" sh tests/golden/run -u
conformance-events: all
	@TRACE_SIM=$(BUILD)/trace-sim python3 tests/tools/conformance.py -e "$(REFERENCE)"
# Without the reference folder generated traces are measured. BENCH=-n: no callgrind; -s: stages of all cases.
bench: all tests $(BUILD)/tests/pack_speed
	+@$(MAKE) -s BUILD=$(BUILD)/stages LTO= OPT="-O2 -g -fno-inline-functions-called-once -fno-ipa-cp -fno-ipa-sra -fno-partial-inlining" \
		$(BUILD)/stages/trace-sim
	@python3 tests/tools/bench $(BENCH) "$(BUILD)" "$(REFERENCE)"
	@python3 tests/tools/ptx-bench "$(BUILD)" "$(REFERENCE)"

# ---- manual pages, completions, installing ---------------------------------------------------------

-include man/*.mk completions/*.mk

man: $(MAN_GENERATED)
completions: $(COMPLETIONS)
MAN_DIR = $(DESTDIR)$(PREFIX)/share/man
install: all man completions
	install -d $(DESTDIR)$(PREFIX)/bin $(MAN_DIR)/man1 $(MAN_DIR)/man5 $(MAN_DIR)/man7 \
		$(DESTDIR)$(PREFIX)/share/warptools/gpus $(DESTDIR)$(PREFIX)/share/bash-completion/completions \
		$(DESTDIR)$(PREFIX)/share/zsh/site-functions $(DESTDIR)$(FISHDIR)
	install -m 755 $(BINARIES) $(DESTDIR)$(PREFIX)/bin
	for a in $(ALIASES); do ln -sf trace-exec $(DESTDIR)$(PREFIX)/bin/$$a; done
	install -d $(DESTDIR)$(PREFIX)/lib/warptools/cudart
	install -m 644 $(CUDART) $(DESTDIR)$(PREFIX)/lib/warptools
	for v in $(CUDART_FOR); do ln -sf ../$(notdir $(CUDART)) $(DESTDIR)$(PREFIX)/lib/warptools/cudart/libcudart.so.$$v || exit 1; done
	for s in 1 5 7; do for m in $(BUILD)/man/*.$$s; do [ ! -e "$$m" ] || install -m 644 "$$m" $(MAN_DIR)/man$$s; done; done
	install -m 644 examples/gpus/* $(DESTDIR)$(PREFIX)/share/warptools/gpus
	cd examples && for f in $$(find . -type f ! -path './gpus/*'); do \
		mode=644; [ ! -x "$$f" ] || mode=755; \
		install -D -m $$mode "$$f" "$(DESTDIR)$(PREFIX)/share/warptools/examples/$$f" || exit 1; done
	for p in $(PROGRAMS); do \
		install -m 644 $(BUILD)/completions/$$p.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/$$p && \
		install -m 644 $(BUILD)/completions/_$$p $(DESTDIR)$(PREFIX)/share/zsh/site-functions && \
		install -m 644 $(BUILD)/completions/$$p.fish $(DESTDIR)$(FISHDIR) || exit 1; done
uninstall:
	for p in $(PROGRAMS); do rm -f $(DESTDIR)$(PREFIX)/bin/$$p \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/$$p $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_$$p \
		$(DESTDIR)$(FISHDIR)/$$p.fish; done
	for a in $(ALIASES); do rm -f $(DESTDIR)$(PREFIX)/bin/$$a; done
	for m in $(notdir $(MAN_GENERATED)); do rm -f $(MAN_DIR)/man$${m##*.}/$$m; done
	rm -rf $(DESTDIR)$(PREFIX)/share/warptools $(DESTDIR)$(PREFIX)/lib/warptools

DIST = warptools-$(VERSION)
dist:
	@mkdir -p build
	git archive --prefix=$(DIST)/ HEAD | xz -9 >build/$(DIST).tar.xz

clean:
	rm -rf build

# One policy more of each kind, one network, one dialect, from tests/extend: each is one file and its rows. The tests of
# every build share these programs.
EXTEND_FLAGS = -Itests -Icmd/trace-sim -DEXTRA_ROWS
EXTEND_OBJ   = $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard tests/extend/*.c)))
EXTEND_DIALECT = $(BUILD)/obj/tests/extend/guarded.o
extended:
	+@$(MAKE) -s BUILD=build/extend LTO= OPT="-O1" LDFLAGS= CPPFLAGS="$(EXTEND_FLAGS)" extended-programs
extended-programs:
	+@$(MAKE) -s EXTRA_trace-sim="$(EXTEND_OBJ)" EXTRA_trace-lint="$(EXTEND_DIALECT)" \
		EXTRA_trace-pack="$(EXTEND_DIALECT)" $(addprefix $(BUILD)/,trace-sim trace-lint trace-pack)

-include $(DEPS)

.PHONY: all man completions install uninstall dist clean tests suite check check-cuda check-invariants demo asan exit-path tsan fuzz fuzz-run extended extended-programs format format-check tidy conformance conformance-events golden bench
