# SPDX-License-Identifier: BSD-2-Clause
# The pages of the model that are made from a frame and a table; included by the top Makefile.
MAN_GENERATED += $(BUILD)/man/trace-sim-model.7 $(BUILD)/man/trace-sim-sm.7 $(BUILD)/man/trace-sim-ptx.7

$(BUILD)/man/trace-sim-model.7: man/fold.awk man/model.awk man/trace-sim-model.7.in tests/conformance.except
	@mkdir -p $(@D)
	awk -f man/fold.awk -f man/model.awk tests/conformance.except man/trace-sim-model.7.in > $@.tmp && mv $@.tmp $@
$(BUILD)/man/trace-sim-sm.7: man/fold.awk man/opcodes.awk man/trace-sim-sm.7.in libcommon/arch/isa.def
	@mkdir -p $(@D)
	awk -f man/fold.awk -f man/opcodes.awk libcommon/arch/isa.def man/trace-sim-sm.7.in > $@.tmp && mv $@.tmp $@
$(BUILD)/man/trace-sim-ptx.7: man/fold.awk man/ptx.awk man/trace-sim-ptx.7.in libcommon/arch/ptx-ops.def
	@mkdir -p $(@D)
	awk -f man/fold.awk -f man/ptx.awk libcommon/arch/ptx-ops.def man/trace-sim-ptx.7.in > $@.tmp && mv $@.tmp $@
