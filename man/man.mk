# SPDX-License-Identifier: BSD-2-Clause
# Manual pages. A line .\" @COMMAND@ of a page NAME.in is replaced by the output of the command, a program of the build
# or a script here. Included by the top Makefile.
MAN_FRAMES = $(patsubst man/%.in,%,$(wildcard man/*.in))
MAN_NEED   = $(if $(filter %.1,$(1)),$(1:.1=),trace-sim)
MAN_MADE   = $(foreach m,$(MAN_FRAMES),$(if $(filter $(PROGRAMS),$(call MAN_NEED,$(m))),$(m)))
MAN_GENERATED = $(patsubst %,$(BUILD)/man/%,$(MAN_MADE) $(patsubst man/%,%,$(wildcard man/*.[1357])))
MAN_DATA   = $(wildcard man/*.awk tests/conformance/except tests/data/selftest/*.tsv tests/data/applications/*.tsv)

MAN_FILL = awk '/^\.\\" @.*@$$/ { gsub(/^[^@]*@|@$$/, ""); fflush(); if (system($$0)) exit 1; next } { print }'
$(foreach m,$(MAN_MADE),$(eval $(BUILD)/man/$(m): $(BUILD)/$(call MAN_NEED,$(m))))
$(BUILD)/man/%: man/%.in $(MAN_DATA)
	@mkdir -p $(@D)
	PATH="$(abspath $(BUILD)):$$PATH" $(MAN_FILL) $< >$(TMP) $(RENAME)
$(BUILD)/man/%: man/%
	@mkdir -p $(@D)
	cp $< $@
