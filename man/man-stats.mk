# SPDX-License-Identifier: BSD-2-Clause
# trace-stats(5), made from its frame and the table of figures; included by the top Makefile.
MAN_GENERATED += $(BUILD)/man/trace-stats.5

$(BUILD)/man/trace-stats.5: man/fold.awk man/stats.awk man/trace-stats.5.in libcommon/results/stats.def
	@mkdir -p $(@D)
	awk -f man/fold.awk -f man/stats.awk libcommon/results/stats.def man/trace-stats.5.in > $@.tmp && mv $@.tmp $@
