/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target for machine code in cubins: every instruction of the file is decoded and printed, and its source line
 * is looked up. An input that is not a cubin is decoded as code for the architecture that its first byte selects.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "sass/sass.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void decode_instruction(const uint8_t *code, uint32_t pc, unsigned sm)
{
	char text[SASS_TEXT_MAX];
	struct sass_inst in;
	uint64_t rest[2];
	int known = sass_decode(&in, code, pc, sm) == 0;

	if (sass_text(&in, text) != strlen(text) || sass_opcode_text(&in, text) != strlen(text))
		abort();
	if (in.n_args > SASS_ARGS_MAX || in.n_results > in.n_args || known != (in.row != NULL))
		abort();
	(void)sass_unused_bits(&in, rest);
	if (sass_access_bytes(&in, text) > 32)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const unsigned sms[] = {70, 75, 80, 86, 89, 90, 100, 120};
	struct fault f = {0};
	struct sass_image *m = sass_image_read(data, size, "fuzz", &f);

	if (!m && !f.id)
		abort();
	for (uint32_t i = 0; m && i < m->n_functions; i++)
		for (uint32_t pc = 0; m->function[i].code && pc < m->function[i].bytes; pc += SASS_BYTES) {
			const char *file;

			decode_instruction(m->function[i].code + pc, pc, m->sm);
			if (sass_image_line(m, i, pc, &file) && !strlen(file))
				continue;
		}
	for (size_t at = 1; !m && at + SASS_BYTES <= size; at += SASS_BYTES)
		decode_instruction(data + at, (uint32_t)at, sms[data[0] % 8]);
	sass_image_free(m);
	return 0;
}
