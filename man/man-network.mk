# SPDX-License-Identifier: BSD-2-Clause
# trace-network(5), made from its frame and the tables of network files; included by the top Makefile.
MAN_GENERATED += $(BUILD)/man/trace-network.5

$(BUILD)/man/trace-network.5: man/fold.awk man/network.awk man/trace-network.5.in libcommon/arch/icnt.def libcommon/arch/network.def
	@mkdir -p $(@D)
	awk -f man/fold.awk -f man/network.awk libcommon/arch/icnt.def libcommon/arch/network.def man/trace-network.5.in > $@.tmp && mv $@.tmp $@
