# SPDX-License-Identifier: BSD-2-Clause
# The programs print completions from their option tables; the files have the names that each shell expects.
COMPLETIONS = $(foreach p,$(PROGRAMS),$(BUILD)/completions/$(p).bash $(BUILD)/completions/_$(p) \
	$(BUILD)/completions/$(p).fish)

$(BUILD)/completions/%.bash: $(BUILD)/%
	@mkdir -p $(@D)
	$(BUILD)/$* --completion bash >$@.tmp && mv $@.tmp $@
$(BUILD)/completions/_%: $(BUILD)/%
	@mkdir -p $(@D)
	$(BUILD)/$* --completion zsh >$@.tmp && mv $@.tmp $@
$(BUILD)/completions/%.fish: $(BUILD)/%
	@mkdir -p $(@D)
	$(BUILD)/$* --completion fish >$@.tmp && mv $@.tmp $@
