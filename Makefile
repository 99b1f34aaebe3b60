# SPDX-License-Identifier: BSD-2-Clause
# warptools: one folder in cmd/ a program, libcommon shared by all. No configure step.
#   make            the programs, into $(BUILD)/
#   make check      every test           make asan      the same under ASan and UBSan
#   make demo       a first run          make tidy      clang-tidy over all sources
#   make fuzz       fuzz targets         make bench     speed against recorded figures
#   make conformance, conformance-events  figures of the original (needs REFERENCE=)

include config.mk
-include config.local.mk

WARN = -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
CPPFLAGS_ALL = -D_GNU_SOURCE -DVERSION='"$(VERSION)"' -DDATADIR='"$(PREFIX)/share/warptools"' \
	-Iinclude -Ilibcommon $(CPPFLAGS)
CFLAGS_ALL = -std=c11 $(OPT) $(WARN) -MMD -MP $(CFLAGS)
LDLIBS_ALL = -lzstd -llzma -lz -lxxhash -ljansson -lmsgpackc -lcsv -lm -pthread $(LDLIBS)

# A program exists when its folder has a main.c.
PROGRAMS = $(patsubst cmd/%/main.c,%,$(sort $(wildcard cmd/*/main.c)))
BINARIES = $(PROGRAMS:%=$(BUILD)/%)

LIB_SRC = $(sort $(wildcard libcommon/*.c))
LIB_OBJ = $(LIB_SRC:%.c=$(BUILD)/obj/%.o)
LIB     = $(BUILD)/libcommon.a

all: $(BINARIES)

$(LIB): $(LIB_OBJ)
	@rm -f $@
	$(AR) rcs $@ $(LIB_OBJ)

define program
$(1)_OBJ = $$(patsubst %.c,$$(BUILD)/obj/%.o,$$(sort $$(wildcard cmd/$(1)/*.c)))
$$(BUILD)/$(1): $$($(1)_OBJ) $$(LIB)
	$$(CC) $$(CFLAGS_ALL) $$(LDFLAGS) -o $$@ $$($(1)_OBJ) $$(LIB) $$(LDLIBS_ALL)
DEPS += $$($(1)_OBJ:.o=.d)
endef
$(foreach p,$(PROGRAMS),$(eval $(call program,$(p))))
DEPS += $(LIB_OBJ:.o=.d)

$(BUILD)/obj/%.o: %.c config.mk Makefile
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) -I$(dir $<) $(CFLAGS_ALL) -c -o $@ $<

clean:
	rm -rf build

-include $(DEPS)

.PHONY: all clean
