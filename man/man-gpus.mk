# SPDX-License-Identifier: BSD-2-Clause
# trace-sim-gpus(7), made from its frame and the table of workloads; included by the top Makefile.
MAN_GENERATED += $(BUILD)/man/trace-sim-gpus.7

$(BUILD)/man/trace-sim-gpus.7: man/fold.awk man/probes.awk man/trace-sim-gpus.7.in cmd/trace-sim/selftest/probes.def
	@mkdir -p $(@D)
	awk -f man/fold.awk -f man/probes.awk cmd/trace-sim/selftest/probes.def man/trace-sim-gpus.7.in > $@.tmp && mv $@.tmp $@
