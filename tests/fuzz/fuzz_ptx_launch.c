/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzz target for launch files: every module that they name is the same small module. Nothing is executed. */
#include <stdint.h>
#include <stdlib.h>
#include "launch/launch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char module[] =
	".version 7.0\n.target sm_70\n.address_size 64\n.const .align 4 .b8 coef[64];\n"
	".global .texref tx;\n"
	".visible .entry k(.param .u64 a, .param .u32 n, .param .align 8 .b8 s[24]) { ret; }\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct script s;
	struct fault f = {0};

	diag_quiet(true);
	if (script_read_text(&s, data, size, module, &f)) {
		if (!f.id || !*f.text)
			abort();
		return 0;
	}
	for (uint32_t i = 0; i < s.n_commands; i++)
		if (s.command[i].kind == CMD_LAUNCH && !s.command[i].launch.param)
			abort();
	script_free(&s);
	return 0;
}
