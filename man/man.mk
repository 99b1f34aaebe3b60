# SPDX-License-Identifier: BSD-2-Clause
# Manual pages made at build time; included by the top Makefile.
MAN_GENERATED += $(BUILD)/man/trace-config.5

$(BUILD)/man/trace-config.5: man/fold.awk man/options.awk man/trace-config.5.in libcommon/arch/options.def libcommon/arch/gpus.def
	@mkdir -p $(@D)
	awk -f man/fold.awk -f man/options.awk libcommon/arch/options.def libcommon/arch/gpus.def man/trace-config.5.in > $@.tmp && mv $@.tmp $@
