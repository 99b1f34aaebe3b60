# SPDX-License-Identifier: BSD-2-Clause
# Pages with an OPTIONS part from the program's own table, and pages that stand as they are.
MAN_PROGRAMS = $(patsubst man/%.1.in,%,$(wildcard man/*.1.in))
MAN_GENERATED += $(patsubst %,$(BUILD)/man/%.1,$(filter $(PROGRAMS),$(MAN_PROGRAMS)))
MAN_GENERATED += $(patsubst man/%,$(BUILD)/man/%,$(wildcard man/*.1 man/*.5 man/*.7))

$(BUILD)/man/%.1: man/%.1.in $(BUILD)/%
	@mkdir -p $(@D)
	$(BUILD)/$* --man-options >$@.rows
	sed -e '/^@OPTIONS@$$/{r $@.rows' -e 'd;}' $< >$@.tmp && rm $@.rows && mv $@.tmp $@
$(BUILD)/man/%: man/%
	@mkdir -p $(@D)
	cp $< $@
