# SPDX-License-Identifier: BSD-2-Clause
# warptools: a directory in cmd/ is a program; all share libcommon. No configure step. "make help" lists the targets.
include config.mk
-include config.local.mk
ifneq ($(words $(BUILD)),1)
$(error BUILD='$(BUILD)': a path with blanks (expected one without, which make can use as a target))
endif

WARN = -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
CPPFLAGS_ALL = -D_GNU_SOURCE -DDATADIR='"$(PREFIX)/share/warptools"' -DLIBDIR='"$(PREFIX)/lib/warptools"' \
	-Iinclude -Ilibcommon $(CPPFLAGS)
# Without -fno-math-errno, loops with square roots are not vectorized. Debug information has paths relative to the sources,
# so that the same sources give the same bytes in every directory.
CFLAGS_ALL = -std=c11 -fno-math-errno -ffile-prefix-map="$(CURDIR)"=. $(OPT) $(WARN) $(CFLAGS)
# Outputs are written under a temporary name and then renamed, so that two makes in one directory do not disturb each
# other.
TMP     = $@.$$$$.tmp
RENAME  = && mv -f $(TMP) $@ || { rm -f $(TMP) $@.$$$$.d; exit 1; }
DEPEND  = -MMD -MP -MT $@ -MF $@.$$$$.d
COMPILE_END = && mv -f $@.$$$$.d $(@:.o=.d) $(RENAME)
LINK_END = && mv -f $@.$$$$.d $@.d $(RENAME)
# Objects are used by the programs, which are linked with link-time optimisation, and by the tests, which are linked
# without.
LTO_OBJ    = $(if $(LTO),$(LTO) -ffat-lto-objects)
# The C library is first, because most names that the loader looks up are there. This saves 36,000 to 86,000 host
# instructions per start: trace-lint of a small trace takes 1.72 million instead of 1.81.
LDLIBS_ALL = -lc -lzstd -llz4 -llzma -lz -lxxhash -ljansson -lmsgpackc -lcsv -Wl,--as-needed -lexpat -Wl,--no-as-needed -lm -pthread $(LDLIBS)

# A directory of cmd/ is a program if it has a main.c.
PROGRAMS = $(patsubst cmd/%/main.c,%,$(sort $(wildcard cmd/*/main.c)))
BINARIES = $(PROGRAMS:%=$(BUILD)/%)

# The library that trace-exec --run loads instead of a program's CUDA runtime and driver: the executor,
# position-independent, with both interfaces. Its soname is that of the driver, libcuda.so.1. It is built without
# sanitizers, because the program that loads it has none.
CUDART     = $(BUILD)/libtrace-exec-cudart.so
CUDART_MAP = cmd/trace-exec/cudart/versions.map
CUDART_FOR = 11.0 12 13
CUDART_SRC = $(sort $(wildcard cmd/trace-exec/cuda/*.c cmd/trace-exec/cudart/*.c))
CUDART_USE = $(wildcard $(addprefix cmd/trace-exec/,lang/*.c exec/*.c sem/*.c lower/*.c machine/*.c sass/*.c)) cmd/trace-exec/trace_out.c cmd/trace-exec/choice.c \
	$(wildcard libcommon/base/*.c) libcommon/arch/fatbin.c libcommon/arch/cubin.c
CUDART_OBJ = $(patsubst %.c,$(BUILD)/pic/%.o,$(CUDART_SRC) $(sort $(CUDART_USE)))

# cuBLAS and cublasLt on the driver interface of that library; --run loads them instead of NVIDIA's.
CUBLAS     = $(BUILD)/libtrace-exec-cublas.so
CUBLAS_MAP = cmd/trace-exec/cublas/versions.map
CUBLAS_FOR = 11 12 13
CUBLAS_SRC = $(sort $(wildcard cmd/trace-exec/cublas/*.c))
CUBLAS_OBJ = $(patsubst %.c,$(BUILD)/pic/%.o,$(CUBLAS_SRC))

# libwarptools, for other programs: libcommon with the interface of include/warptools.h. Its other functions are hidden.
# The static library is one object, so that they are hidden there, too. It is built without sanitizers, like the
# runtime.
WT_SO     = libwarptools.so
WT_SONAME = $(WT_SO).1
WT_MAP    = libcommon/wt/versions.map
WT_LIBS   = $(addprefix $(BUILD)/,$(WT_SO) libwarptools.a)
WT_OBJ    = $(patsubst %.c,$(BUILD)/pic/%.o,$(sort $(wildcard libcommon/wt/*.c)))
WT_COMMON = $(patsubst %.c,$(BUILD)/pic/%.o,$(filter-out libcommon/wt/%,$(LIB_SRC)))
WT_NEED   = -lzstd -llz4 -llzma -lz -lxxhash -ljansson -lmsgpackc -lm -pthread

LIB_SRC = $(sort $(wildcard libcommon/*/*.c))
LIB_OBJ = $(LIB_SRC:%.c=$(BUILD)/obj/%.o)
LIB     = $(BUILD)/libcommon.a

# Additional names of programs: trace-ptx is trace-exec --code ptx.
ALIASES = trace-ptx
ALIAS_OF_trace-ptx = trace-exec
ALIAS_LINKS = $(ALIASES:%=$(BUILD)/%)

all: $(BINARIES) $(ALIAS_LINKS) $(CUDART) $(CUBLAS) $(WT_LIBS) ## build the programs and the libraries (the default)

$(ALIAS_LINKS): $(BINARIES)
	ln -sf $(ALIAS_OF_$(@F)) $@

$(LIB): $(LIB_OBJ)
	@rm -f $(TMP)
	$(AR) qcs $(TMP) $(LIB_OBJ) $(RENAME)

define program
$(1)_OBJ = $$(patsubst %.c,$$(BUILD)/obj/%.o,$$(filter-out $$(CUDART_SRC) $$(CUBLAS_SRC),$$(sort $$(wildcard cmd/$(1)/*.c cmd/$(1)/*/*.c cmd/$(1)/*/*/*.c)))) $$(EXTRA_$(1))
$$(BUILD)/$(1): $$($(1)_OBJ) $$(LIB)
	$$(CC) $$(CFLAGS_ALL) $$(LTO) $$(LDFLAGS) -o $$(TMP) $$($(1)_OBJ) $$(LIB) $$(LDLIBS_ALL) $$(RENAME)
DEPS += $$($(1)_OBJ:.o=.d)
endef
EXTRA_stats-html = $(BUILD)/obj/cmd/stats-html/template.o
$(foreach p,$(PROGRAMS),$(eval $(call program,$(p))))
DEPS += $(LIB_OBJ:.o=.d)

# The template of the HTML page is a separate file that can be edited as a page; it is converted to an array.
$(BUILD)/obj/cmd/stats-html/template.c: cmd/stats-html/page.html
	@mkdir -p $(@D)
	{ echo 'extern const char html_page[];'; echo 'const char html_page[] = {'; \
		od -An -v -tu1 $< | sed 's/  *\([0-9][0-9]*\)/(char)\1,/g'; echo '0};'; } >$(TMP) $(RENAME)
$(BUILD)/obj/cmd/stats-html/template.o: $(BUILD)/obj/cmd/stats-html/template.c
	$(CC) $(CFLAGS_ALL) $(LTO_OBJ) -c -o $(TMP) $< $(RENAME)

# Only these sources contain the version, so that a new version does not recompile the others.
VERSIONED = cmd/trace-pick/report cmd/trace-sim/provenance libcommon/base/cli libcommon/wt/handle
$(VERSIONED:%=$(BUILD)/obj/%.o) $(VERSIONED:%=$(BUILD)/pic/%.o) $(BUILD)/tests/test_cli: private CPPFLAGS_ALL += -DVERSION='"$(VERSION)"'

# The include paths of a program are its own modules and libcommon.
own_headers = $(addprefix -Icmd/,$(filter $(PROGRAMS),$(subst /, ,$(1))))
$(BUILD)/obj/%.o: %.c config.mk Makefile
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(call own_headers,$<) $(CFLAGS_ALL) $(LTO_OBJ) $(DEPEND) -c -o $(TMP) $< $(COMPILE_END)

PLAIN = $(filter-out -fsanitize=% -fno-sanitize%,$(1))
$(BUILD)/pic/%.o: %.c config.mk Makefile
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) -Icmd/trace-exec $(call PLAIN,$(CFLAGS_ALL)) -fPIC -fvisibility=hidden $(DEPEND) -c -o $(TMP) $< $(COMPILE_END)
# -Bsymbolic-functions: tables of the library's own functions need no search by name when a program starts. vecadd takes
# 2.85 million host instructions instead of 3.49 million.
$(CUDART): $(CUDART_OBJ) $(CUDART_MAP)
	$(CC) $(call PLAIN,$(CFLAGS_ALL) $(LDFLAGS)) -shared -Wl,-soname,libcuda.so.1 -Wl,-z,defs -Wl,-Bsymbolic-functions -Wl,--version-script=$(CUDART_MAP) -o $(TMP) $(CUDART_OBJ) \
		-lzstd -llz4 -llzma -lz -lxxhash -lm -pthread $(RENAME)
	@mkdir -p $(BUILD)/cudart
	for v in $(CUDART_FOR); do ln -sf ../$(notdir $@) $(BUILD)/cudart/libcudart.so.$$v || exit 1; done
$(CUBLAS): $(CUBLAS_OBJ) $(CUBLAS_MAP)
	$(CC) $(call PLAIN,$(CFLAGS_ALL) $(LDFLAGS)) -shared -Wl,--version-script=$(CUBLAS_MAP) -o $(TMP) $(CUBLAS_OBJ) -pthread -lm $(RENAME)
	@mkdir -p $(BUILD)/cublas
	for v in $(CUBLAS_FOR); do ln -sf ../$(notdir $@) $(BUILD)/cublas/libcublas.so.$$v && \
		ln -sf ../$(notdir $@) $(BUILD)/cublas/libcublasLt.so.$$v || exit 1; done
DEPS += $(CUDART_OBJ:.o=.d) $(CUBLAS_OBJ:.o=.d)

$(BUILD)/pic/common.a: $(WT_COMMON)
	@rm -f $(TMP)
	$(AR) qcs $(TMP) $(WT_COMMON) $(RENAME)
$(BUILD)/$(WT_SO): $(WT_OBJ) $(BUILD)/pic/common.a $(WT_MAP)
	$(CC) $(call PLAIN,$(CFLAGS_ALL) $(LDFLAGS)) -shared -Wl,-z,defs -Wl,-soname,$(WT_SONAME) -Wl,--version-script=$(WT_MAP) \
		-o $(TMP) $(WT_OBJ) $(BUILD)/pic/common.a $(WT_NEED) $(RENAME)
	ln -sf $(WT_SO) $(BUILD)/$(WT_SONAME)
$(BUILD)/libwarptools.a: $(WT_OBJ) $(BUILD)/pic/common.a
	@rm -f $(TMP)
	$(CC) -r -nostdlib -o $(BUILD)/pic/libwarptools.o $(WT_OBJ) $(BUILD)/pic/common.a
	$(OBJCOPY) --localize-hidden $(BUILD)/pic/libwarptools.o
	$(AR) qcs $(TMP) $(BUILD)/pic/libwarptools.o $(RENAME)
DEPS += $(WT_OBJ:.o=.d) $(WT_COMMON:.o=.d)

# ---- tests: C programs in tests/unit, replays of tests/fuzz over tests/data/corpus, bats files ----------

SIM_OBJ = $(filter-out %/main.o,$(trace-sim_OBJ))
SIM_LIB = $(BUILD)/trace-sim.a

$(SIM_LIB): $(SIM_OBJ)
	@rm -f $(TMP)
	$(AR) qcs $(TMP) $(SIM_OBJ) $(RENAME)

PTX_OBJ = $(filter-out %/main.o,$(trace-exec_OBJ))
PTX_LIB = $(BUILD)/trace-exec.a

$(PTX_LIB): $(PTX_OBJ)
	@rm -f $(TMP)
	$(AR) qcs $(TMP) $(PTX_OBJ) $(RENAME)

UNIT  = $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(sort $(wildcard tests/unit/test_*.c)))
FUZZ  = $(patsubst tests/fuzz/fuzz_%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
REPLAY = $(FUZZ:%=$(BUILD)/tests/replay_%)
TEST_CPPFLAGS = $(CPPFLAGS_ALL) -Icmd/trace-sim -Itests/unit

$(BUILD)/tests/%: tests/unit/%.c $(SIM_LIB) $(LIB)
	@mkdir -p $(@D)
	$(CC) $(TEST_CPPFLAGS) $(CFLAGS_ALL) -fno-lto $(LDFLAGS) $(DEPEND) -o $(TMP) $< $(SIM_LIB) $(LIB) $(LDLIBS_ALL) $(LINK_END)
$(BUILD)/tests/test_lower $(BUILD)/tests/test_halves: $(BUILD)/tests/%: tests/unit/%.c $(PTX_LIB) $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) -Icmd/trace-exec -Itests/unit $(CFLAGS_ALL) -fno-lto $(LDFLAGS) $(DEPEND) -o $(TMP) $< $(PTX_LIB) $(LIB) $(LDLIBS_ALL) $(LINK_END)
# The test of the library lets each allocation of the reader fail once.
$(BUILD)/tests/test_wt: tests/unit/test_wt.c $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) -Itests/unit $(CFLAGS_ALL) -fno-lto $(LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=mmap \
		$(DEPEND) -o $(TMP) $< $(LIB) $(LDLIBS_ALL) $(LINK_END)
# Targets named ptx* are about trace-exec, the others about trace-sim and libcommon.
$(BUILD)/tests/replay_ptx%: tests/fuzz/fuzz_ptx%.c tests/fuzz/replay.c $(PTX_LIB) $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) -Icmd/trace-exec $(CFLAGS_ALL) -fno-lto $(LDFLAGS) $(DEPEND) -o $(TMP) tests/fuzz/replay.c $< $(PTX_LIB) $(LIB) $(LDLIBS_ALL) $(LINK_END)
TIMES = $(BUILD)/obj/cmd/trace-pick/times.o
$(BUILD)/tests/replay_times: tests/fuzz/fuzz_times.c tests/fuzz/replay.c $(TIMES) $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) -Icmd/trace-pick $(CFLAGS_ALL) -fno-lto $(LDFLAGS) $(DEPEND) -o $(TMP) tests/fuzz/replay.c $< $(TIMES) $(LIB) $(LDLIBS_ALL) $(LINK_END)
$(BUILD)/tests/replay_%: tests/fuzz/fuzz_%.c tests/fuzz/replay.c $(SIM_LIB) $(LIB)
	@mkdir -p $(@D)
	$(CC) $(TEST_CPPFLAGS) $(CFLAGS_ALL) -fno-lto $(LDFLAGS) $(DEPEND) -o $(TMP) tests/fuzz/replay.c $< $(SIM_LIB) $(LIB) $(LDLIBS_ALL) $(LINK_END)
$(BUILD)/tests/tracegen: $(filter-out %/cubingen.c,$(wildcard tests/gen/*.c tests/gen/*.h))
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) -Itests/gen $(CFLAGS_ALL) $(LDFLAGS) -o $(TMP) $(filter %.c,$^) $(RENAME)
$(BUILD)/tests/cubingen: tests/gen/cubingen.c $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -fno-lto $(LDFLAGS) -o $(TMP) $^ $(LDLIBS_ALL) $(RENAME)

# Libraries for LD_PRELOAD, which does not work with sanitizers.
$(BUILD)/tests/%.so: tests/fault/%.c
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE -std=c11 -O1 -Wall -Wextra -fno-builtin -fPIC -shared -o $(TMP) $< $(RENAME)

FAULT := $(patsubst tests/fault/%.c,$(BUILD)/tests/%.so,$(wildcard tests/fault/*.c))
DEPS += $(UNIT:=.d) $(REPLAY:=.d)

tests: $(UNIT) $(REPLAY) $(BUILD)/tests/tracegen $(BUILD)/tests/cubingen $(FAULT) ## build the tests
suite: all tests ## run every test of $(BUILD)
	@sh tests/suite $(BUILD)
check: ## build and run every test
	@sh tests/check
demo: ## build, and simulate an example trace
	@sh examples/demo

SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
asan: ## every test under ASan and UBSan
	+@$(MAKE) -s BUILD=build/asan LTO= OPT="-O1 -g $(SANITIZE)" LDFLAGS="$(SANITIZE)" -j2 all tests
	+@SANITIZED=1 $(MAKE) -s BUILD=build/asan LTO= OPT="-O1 -g $(SANITIZE)" LDFLAGS="$(SANITIZE)" suite

# Recomputes masks and counts that depend on other state after every step.
check-invariants: ## recompute derived state after every step, on generated traces
	+@$(MAKE) -s BUILD=build/invariants LTO= OPT="-O1 -g -DCHECK_INVARIANTS" LDFLAGS= build/invariants/trace-sim \
		build/invariants/tests/tracegen
	@sh tests/tools/invariants build/invariants
# SOAK_SECONDS limits the time; the next call continues (tests/tools/soak). PAIRS: pairs of signals in each part.
SOAK_SECONDS = 3600
soak: ## signals and failing calls at every call, random options, fuzzing
	+@$(MAKE) -s BUILD=build/soak LTO= OPT="-O1 -g -DCHECK_TURNS" LDFLAGS= all build/soak/tests/tracegen \
		build/soak/tests/signal_at.so build/soak/tests/fail_call.so
	+@SOAK_SECONDS=$(SOAK_SECONDS) sh tests/tools/soak build/soak
# Tests other C libraries and processors whose compilers are installed.
cross: ## compile against musl, run tests on aarch64 under qemu
	+@sh tests/tools/cross build/cross
# Tests CUDA programs compiled with nvcc, if it is installed; this takes minutes.
check-cuda: all ## CUDA programs compiled with nvcc
	@PATH="$(abspath $(BUILD)):$$PATH" sh tests/data/cuda/run
# Finds data races in code that runs in several threads. They do not depend on the length of windows.
RACES = threads:|more threads|each recipe|BookSim
tsan: ## threads under TSan
	+@$(MAKE) -s BUILD=build/tsan LTO= OPT="-O1 -g -fsanitize=thread" LDFLAGS="-fsanitize=thread" -j2 build/tsan/trace-sim \
		build/tsan/tests/tracegen build/tsan/tests/test_threads build/tsan/tests/test_wt
	@build/tsan/tests/test_threads
	@build/tsan/tests/test_wt
	@SANITIZED=1 ONLY='$(RACES)' sh tests/suite build/tsan tests/cli/threads.bats tests/cli/windows.bats

# Coverage-guided fuzzing with clang, FUZZ_SECONDS for each target; new inputs and findings are kept in build/fuzz/.
FUZZ_SECONDS = 60
FUZZ_SANITIZE = address,undefined
fuzz: ## guided fuzzing, FUZZ_SECONDS for each target
	+@$(MAKE) -s BUILD=build/fuzz CC=clang LTO= OPT="-O1 -g -fsanitize=fuzzer-no-link,$(FUZZ_SANITIZE) -fno-sanitize-recover=all" fuzz-run
fuzz-run: $(FUZZ:%=$(BUILD)/fuzz_%)
	@for t in $(FUZZ); do \
		echo "fuzz $$t for $(FUZZ_SECONDS) s"; mkdir -p $(BUILD)/new/$$t tests/data/corpus/$$t; \
		$(BUILD)/fuzz_$$t -max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=1024 -verbosity=0 -print_final_stats=1 \
			-artifact_prefix=$(BUILD)/ $(BUILD)/new/$$t tests/data/corpus/$$t || exit 1; \
	done
$(BUILD)/fuzz_ptx%: tests/fuzz/fuzz_ptx%.c $(PTX_LIB) $(LIB)
	$(CC) $(CPPFLAGS_ALL) -Icmd/trace-exec $(CFLAGS_ALL) -fsanitize=fuzzer,$(FUZZ_SANITIZE) $(DEPEND) -o $(TMP) $< $(PTX_LIB) $(LIB) $(LDLIBS_ALL) $(LINK_END)
$(BUILD)/fuzz_times: tests/fuzz/fuzz_times.c $(TIMES) $(LIB)
	$(CC) $(CPPFLAGS_ALL) -Icmd/trace-pick $(CFLAGS_ALL) -fno-lto -fsanitize=fuzzer,$(FUZZ_SANITIZE) -o $(TMP) $< $(TIMES) $(LIB) $(LDLIBS_ALL) $(RENAME)
$(BUILD)/fuzz_%: tests/fuzz/fuzz_%.c $(SIM_LIB) $(LIB)
	$(CC) $(TEST_CPPFLAGS) $(CFLAGS_ALL) -fno-lto -fsanitize=fuzzer,$(FUZZ_SANITIZE) $(DEPEND) -o $(TMP) $< $(SIM_LIB) $(LIB) $(LDLIBS_ALL) $(LINK_END)

# .clang-format defines the style; format-check only reports what would change.
FORMATTED = $(sort $(wildcard cmd/*/*.[ch] cmd/*/*/*.[ch] cmd/*/*/*/*.[ch] libcommon/*/*.[ch] include/*.h tests/*/*.[ch] tests/*/*/*.[ch]))
format: ## format every source
	clang-format -i $(FORMATTED)
format-check: ## list sources that format would change
	clang-format --dry-run --Werror $(FORMATTED)

# TIDY=FILES selects sources. Each program has the include paths of its own headers.
TIDY = $(sort $(wildcard cmd/*/*.c cmd/*/*/*.c cmd/*/*/*/*.c libcommon/*/*.c))
tidy: $(TIDY:.c=.tidy) ## clang-tidy over every source
$(TIDY:.c=.tidy): %.tidy: %.c
	clang-tidy --quiet $< -- -std=c11 $(CPPFLAGS_ALL) -DVERSION='"$(VERSION)"' $(call own_headers,$<)

# ---- figures of the original -------------------------------------------------------------------

REFERENCE = ../shared
conformance: all ## figures of Accel-Sim, from REFERENCE
	@TRACE_SIM=$(BUILD)/trace-sim python3 tests/conformance/conformance.py "$(REFERENCE)"
	@TRACE_SIM=$(BUILD)/trace-sim python3 tests/conformance/conformance.py -k "$(REFERENCE)"
	@TRACE_SIM=$(BUILD)/trace-sim python3 tests/conformance/conformance.py -n "$(REFERENCE)"
	@[ ! -x $(BUILD)/trace-exec ] || TRACE_SIM=$(BUILD)/trace-sim python3 tests/conformance/conformance.py -w "$(REFERENCE)"
	@[ ! -x $(BUILD)/trace-exec ] || TRACE_SIM=$(BUILD)/trace-sim python3 tests/conformance/conformance.py -p "$(REFERENCE)"
	@TRACE_PTX=$(BUILD)/trace-exec python3 tests/conformance/ptx-values.py "$(REFERENCE)"
# Writes the golden figures of a commit without changes that was compared with the reference. Then check the diff and
# commit.
golden: conformance ## rewrite the golden figures
	@BUILD="$(abspath $(BUILD))" sh tests/golden/run -u
conformance-events: all ## event logs of Accel-Sim, from REFERENCE
	@TRACE_SIM=$(BUILD)/trace-sim python3 tests/conformance/conformance.py -e "$(REFERENCE)"
# Without the reference directory, generated traces are measured. BENCH=-n: no callgrind; -s: stages of all cases.
bench: all tests $(BUILD)/tests/pack_speed ## speed against recorded figures
	+@$(MAKE) -s BUILD=$(BUILD)/stages LTO= OPT="-O2 -g -fno-inline-functions-called-once -fno-ipa-cp -fno-ipa-sra -fno-partial-inlining" \
		$(BUILD)/stages/trace-sim
	@python3 tests/tools/bench $(BENCH) "$(BUILD)" "$(REFERENCE)"
	@python3 tests/tools/ptx-bench "$(BUILD)" "$(REFERENCE)"

# ---- manual pages, completions, installing ---------------------------------------------------------

-include man/*.mk completions/*.mk

man: $(MAN_GENERATED) ## the manual pages
completions: $(COMPLETIONS) ## the completions of the shells
ROOT_DIR = $(DESTDIR)$(PREFIX)
MAN_DIR  = $(ROOT_DIR)/share/man
DATA_DIR = $(ROOT_DIR)/share/warptools
LIB_DIR  = $(ROOT_DIR)/lib/warptools
SO_DIR   = $(DESTDIR)$(SOLIBDIR)
# The page that describes a function of the library is also installed under the name of the function.
WT_PAGES = awk '/^\.Fo wt_/ { print $$2, FILENAME }' man/*.3 | sed 's| man/| |'
BASH_DIR = $(ROOT_DIR)/share/bash-completion/completions
ZSH_DIR  = $(ROOT_DIR)/share/zsh/site-functions
FISH_DIR = $(DESTDIR)$(FISHDIR)
EXAMPLES = cd examples && find . -type f ! -path './gpus/*' ! -path './packaging/debian/*'
install: all man completions ## install programs, pages, completions and examples below $(DESTDIR)$(PREFIX)
	install -d "$(ROOT_DIR)/bin" "$(MAN_DIR)/man1" "$(MAN_DIR)/man3" "$(MAN_DIR)/man5" "$(MAN_DIR)/man7" "$(DATA_DIR)/gpus" \
		"$(LIB_DIR)/cudart" "$(LIB_DIR)/cublas" "$(SO_DIR)/pkgconfig" "$(ROOT_DIR)/include" "$(BASH_DIR)" "$(ZSH_DIR)" "$(FISH_DIR)"
	install $(INSTALL_STRIP) -m 755 $(BINARIES) "$(ROOT_DIR)/bin"
	for a in $(ALIASES); do ln -sf trace-exec "$(ROOT_DIR)/bin/$$a" && \
		ln -sf trace-exec.1 "$(MAN_DIR)/man1/$$a.1" || exit 1; done
	install $(INSTALL_STRIP) -m 644 $(CUDART) $(CUBLAS) "$(LIB_DIR)"
	for v in $(CUDART_FOR); do ln -sf ../$(notdir $(CUDART)) "$(LIB_DIR)/cudart/libcudart.so.$$v" || exit 1; done
	for v in $(CUBLAS_FOR); do for l in libcublas libcublasLt; do \
		ln -sf ../$(notdir $(CUBLAS)) "$(LIB_DIR)/cublas/$$l.so.$$v" || exit 1; done; done
	install $(INSTALL_STRIP) -m 644 $(BUILD)/$(WT_SO) "$(SO_DIR)/$(WT_SONAME)"
	ln -sf $(WT_SONAME) "$(SO_DIR)/$(WT_SO)"
	install -m 644 $(BUILD)/libwarptools.a "$(SO_DIR)"
	sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(SOLIBDIR)|; s|@VERSION@|$(VERSION)|; s|@NEED@|$(WT_NEED)|' \
		libcommon/wt/warptools.pc.in >"$(SO_DIR)/pkgconfig/warptools.pc"
	chmod 644 "$(SO_DIR)/pkgconfig/warptools.pc"
	install -m 644 include/warptools.h "$(ROOT_DIR)/include"
	for m in $(MAN_GENERATED); do install -m 644 "$$m" "$(MAN_DIR)/man$${m##*.}" || exit 1; done
	$(WT_PAGES) | while read -r f m; do [ "$$f.3" = "$$m" ] || ln -sf "$$m" "$(MAN_DIR)/man3/$$f.3" || exit 1; done
	install -m 644 examples/gpus/* "$(DATA_DIR)/gpus"
	$(EXAMPLES) | while read -r f; do mode=644; [ ! -x "$$f" ] || mode=755; \
		install -D -m $$mode "$$f" "$(DATA_DIR)/examples/$$f" || exit 1; done
	$(PYTHON_MODULE) >"$(DATA_DIR)/examples/python/warptools.py"
	for p in $(PROGRAMS); do install -m 644 "$(BUILD)/completions/$$p.bash" "$(BASH_DIR)/$$p" && \
		install -m 644 "$(BUILD)/completions/_$$p" "$(ZSH_DIR)" && \
		install -m 644 "$(BUILD)/completions/$$p.fish" "$(FISH_DIR)" || exit 1; done
# Removes the files that install wrote, then the directories of the suite that are empty.
uninstall: ## remove what install wrote, and nothing else
	for p in $(PROGRAMS); do rm -f "$(ROOT_DIR)/bin/$$p" "$(BASH_DIR)/$$p" "$(ZSH_DIR)/_$$p" "$(FISH_DIR)/$$p.fish"; done
	for a in $(ALIASES); do rm -f "$(ROOT_DIR)/bin/$$a" "$(MAN_DIR)/man1/$$a.1"; done
	for f in $(WT_SO) $(WT_SONAME) libwarptools.a pkgconfig/warptools.pc; do rm -f "$(SO_DIR)/$$f"; done
	rm -f "$(ROOT_DIR)/include/warptools.h"
	$(WT_PAGES) | while read -r f m; do rm -f "$(MAN_DIR)/man3/$$f.3"; done
	for m in $(notdir $(MAN_GENERATED)); do rm -f "$(MAN_DIR)/man$${m##*.}/$$m"; done
	for f in $(notdir $(wildcard examples/gpus/*)); do rm -f "$(DATA_DIR)/gpus/$$f"; done
	$(EXAMPLES) | while read -r f; do rm -f "$(DATA_DIR)/examples/$$f"; done
	rm -f "$(LIB_DIR)/$(notdir $(CUDART))" "$(LIB_DIR)/$(notdir $(CUBLAS))"
	for v in $(CUBLAS_FOR); do rm -f "$(LIB_DIR)/cublas/libcublas.so.$$v" "$(LIB_DIR)/cublas/libcublasLt.so.$$v"; done
	for v in $(CUDART_FOR); do rm -f "$(LIB_DIR)/cudart/libcudart.so.$$v"; done
	for d in "$(DATA_DIR)" "$(LIB_DIR)"; do [ ! -d "$$d" ] || find "$$d" -depth -type d -exec rmdir {} \; 2>/dev/null || true; done

# Installs the Python module in the directory of PYTHON below PREFIX. PYTHONLIB: the library that it loads.
PYTHON    = python3
PYTHONLIB = $(SOLIBDIR)/$(WT_SONAME)
PYTHON_MODULE = sed 's|^LIBRARY = .*|LIBRARY = "$(PYTHONLIB)"|' examples/python/warptools.py
PYTHONDIR = $(shell $(PYTHON) -c 'import sys, sysconfig; at, p = sysconfig.get_path("purelib"), sys.argv[1]; \
	print(at if at.startswith(p + "/") else "%s/lib/python%d.%d/site-packages" % (p, *sys.version_info[:2]))' '$(PREFIX)')
install-python: ## install the Python module
	install -d "$(DESTDIR)$(PYTHONDIR)"
	$(PYTHON_MODULE) >"$(DESTDIR)$(PYTHONDIR)/warptools.py"
	chmod 644 "$(DESTDIR)$(PYTHONDIR)/warptools.py"
uninstall-python: ## remove the Python module
	rm -f "$(DESTDIR)$(PYTHONDIR)/warptools.py"

DIST = warptools-$(VERSION)
dist: ## an archive of the sources
	@mkdir -p build
	git archive --prefix=$(DIST)/ -o build/$(DIST).tar HEAD && xz -9f build/$(DIST).tar

help: ## list the targets
	@awk -F' ## ' '/^[a-z-]+:.* ## / { sub(/:.*/, "", $$1); printf "%-20s %s\n", $$1, $$2 }' Makefile | sort

clean: ## remove build/
	rm -rf build

# Programs with one additional policy of each kind, one network and one dialect from tests/extend: each is one file
# and its rows. The tests of all builds use the same programs.
EXTEND_FLAGS = -Itests -Icmd/trace-sim -DEXTRA_ROWS
EXTEND_OBJ   = $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard tests/extend/*.c)))
EXTEND_DIALECT = $(BUILD)/obj/tests/extend/guarded.o
extended: ## programs with the extensions of tests/extend
	+@$(MAKE) -s BUILD=build/extend LTO= OPT="-O1" LDFLAGS= CPPFLAGS="$(EXTEND_FLAGS)" extended-programs
extended-programs:
	+@$(MAKE) -s EXTRA_trace-sim="$(EXTEND_OBJ)" EXTRA_trace-lint="$(EXTEND_DIALECT)" \
		EXTRA_trace-pack="$(EXTEND_DIALECT)" $(addprefix $(BUILD)/,trace-sim trace-lint trace-pack)

-include $(DEPS)

.PHONY: all help soak cross man completions install uninstall install-python uninstall-python dist clean tests suite check check-cuda check-invariants demo asan tsan fuzz fuzz-run extended extended-programs format format-check tidy $(TIDY:.c=.tidy) conformance conformance-events golden bench
