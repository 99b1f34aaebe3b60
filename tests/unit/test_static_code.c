/* SPDX-License-Identifier: BSD-2-Clause */
/* Unit tests of the check of static code that a packer of records is given. */
#include "pack.h"
#include "tap.h"

#define INSTS 2u

static struct pack_inst inst[INSTS];
static char texts[] = "IADD3LDG.E";
static struct pack_code code = {inst, INSTS, texts, sizeof(texts) - 1};

/* Sets the static code to two instructions that are given as columns. */
static void make_code(void)
{
	memcpy(texts, "IADD3LDG.E", sizeof(texts));
	for (uint32_t i = 0; i < INSTS; i++)
		inst[i] = (struct pack_inst){.pc = 16 * i,
			.columns = 1,
			.text = 5 * i,
			.text_len = 5,
			.n_results = 1,
			.n_sources = 1,
			.n_imms = 1,
			.end = PACK_END_BLANK};
}

/* Tests that an invalid value in each field of the columns is rejected. */
static void test_columns(void)
{
	for (unsigned i = 0; i < 8; i++) {
		struct pack_inst *x = &inst[1];

		make_code();
		switch (i) {
		case 0: x->n_sources = PACK_REGISTERS; break;
		case 1: x->n_imms = PACK_IMMS + 1; break;
		case 2: x->end = PACK_END_NO_VALUES + 1; break;
		case 3: x->width = 256; break;
		case 4: x->kind[0] = 4; break;
		case 5: x->imm[0] = PACK_IMM_END; break;
		case 6: texts[x->text] = 'a'; break;
		default: texts[x->text + 1] = ' '; break;
		}
		ok(!pack_code_good(&code), "columns with an invalid field are rejected: case %u", i);
	}
}

/* Tests that the texts of an instruction must be within the text of the code. */
static void test_texts(void)
{
	make_code();
	ok(pack_code_good(&code), "columns and texts within the text of the code are valid");
	inst[1].columns = 0;
	ok(pack_code_good(&code), "an instruction that is given as text is valid");
	inst[1].end_len = 1;
	ok(!pack_code_good(&code), "a text that ends after the text of the code is rejected");
}

int main(void)
{
	test_texts();
	test_columns();
	return tap_done();
}
