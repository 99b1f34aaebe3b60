# SPDX-License-Identifier: BSD-2-Clause
# trace-sim-gpus(7), made from its frame the table of workloads and figures in tests/selftest; included by the top Makefile.
SELFTEST_TSV = $(sort $(wildcard tests/selftest/*.tsv))
MAN_GENERATED += $(BUILD)/man/trace-sim-gpus.7

$(BUILD)/man/trace-sim-gpus.7: man/fold.awk man/probes.awk man/trace-sim-gpus.7.in man/errors.awk cmd/trace-sim/selftest/probes.def $(SELFTEST_TSV)
	@mkdir -p $(@D)
	awk -f man/fold.awk -f man/probes.awk cmd/trace-sim/selftest/probes.def man/trace-sim-gpus.7.in | \
		awk -f man/errors.awk $(SELFTEST_TSV) - > $@.tmp && mv $@.tmp $@
