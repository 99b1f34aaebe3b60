/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target for kernel lists. The bytes before the first newline are also parsed as a selection of kernels.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "input.h"
#include "klist.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_kernel_list(const struct klist *k)
{
	uint32_t kernels = 0;

	for (uint32_t i = 0; i < k->n_cmds; i++) {
		const struct command *c = &k->cmd[i];

		if (!c->text || !c->line || (i && c->line <= k->cmd[i - 1].line))
			abort();
		if (c->kind == CMD_KERNEL ? !c->path || c->position != ++kernels : c->bytes > UINT32_MAX)
			abort();
	}
	if (!k->n_cmds || kernels != k->n_kernels)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *newline = memchr(data, '\n', size);
	char *line = xstrndup((const char *)data, newline ? (size_t)(newline - data) : size);
	struct kselect *s = kselect_parse(line, NULL);
	struct input *in = input_memory("fuzz", data, size, NULL);
	struct klist k = {0};
	struct fault f = {0};

	if (klist_parse(&k, in, "directory", &f) == 0)
		check_kernel_list(&k);
	else if (!f.id || !*f.text)
		abort();
	for (uint32_t i = 0; s && i < 4; i++)
		kselect_selects(s, i, i & 1 ? "gemm_kernel" : line);
	klist_free(&k);
	input_close(in);
	kselect_free(s);
	free(line);
	return 0;
}
