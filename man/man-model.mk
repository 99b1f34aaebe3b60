# SPDX-License-Identifier: BSD-2-Clause
# trace-sim-model(7), made from its frame and the table of exceptions; included by the top Makefile.
MAN_GENERATED += $(BUILD)/man/trace-sim-model.7

$(BUILD)/man/trace-sim-model.7: man/model.awk man/trace-sim-model.7.in tests/conformance.except
	@mkdir -p $(@D)
	awk -f man/model.awk tests/conformance.except man/trace-sim-model.7.in > $@.tmp && mv $@.tmp $@
