# SPDX-License-Identifier: BSD-2-Clause
# trace-lint(1): its frame, the options as the program prints them, the table of rules. Included by the top Makefile.
$(BUILD)/man/trace-lint.1: man/fold.awk man/rules.awk man/trace-lint.1.in cmd/trace-lint/rules.def $(BUILD)/trace-lint
	@mkdir -p $(@D)
	$(BUILD)/trace-lint --man-options >$@.rows
	awk -v ROWS=$@.rows -f man/fold.awk -f man/rules.awk cmd/trace-lint/rules.def man/trace-lint.1.in >$@.tmp && rm $@.rows && mv $@.tmp $@
