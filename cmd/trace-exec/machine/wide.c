/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads and stores of 32 bytes per lane. Each half of the words has registers of its own. */
#include <string.h>
#include "exec/check.h"
#include "machine/memory.h"
#include "sem/sem.h"

#define WORDS_WIDE 8u

/* Loads 32 bytes per lane. o->n: mask of the loaded words. o->d, o->b: registers of the lower and the upper half. */
static void load_wide(struct warp *w, const struct op *o, uint32_t m)
{
	uint8_t *at[LANES];

	if (!memory_find_hosts(w, o, m, o->bytes, at, false))
		return;
	FOR_BITS32 (i, m)
		for (unsigned k = 0, n = 0; k < WORDS_WIDE; k++) {
			n = k == WORDS_WIDE / 2 ? 0 : n;
			if (o->n >> k & 1)
				memcpy(&REG(u32, w, (k < WORDS_WIDE / 2 ? o->d : o->b) + n++ * VECTOR)[i],
					at[i] + 4 * k, 4);
		}
}

static void store_wide(struct warp *w, const struct op *o, uint32_t m)
{
	uint8_t *at[LANES];

	if (!memory_find_hosts(w, o, m, o->bytes, at, true))
		return;
	if (w->grid->options->check)
		clash_check_store(w, o, m, at);
	FOR_BITS32 (i, m)
		for (unsigned k = 0; k < WORDS_WIDE; k++)
			memcpy(at[i] + 4 * k,
				&REG(u32, w,
					(k < WORDS_WIDE / 2 ? o->d : o->b) +
						k % (WORDS_WIDE / 2) * VECTOR)[i],
				4);
}

static int bind_wide_access(struct mbind *b, struct op *o, unsigned ur)
{
	memory_bind_address(b, o, SP_GLOBAL, ur);
	memory_bind_access_order(b);
	o->mode = ADDRESS_64;
	o->a = mbind_address(b, 24, 2);
	o->imm = signed_field(b, 40, 16) * 32;
	o->bytes = 4 * WORDS_WIDE;
	return bit(b, 76) ? 0 : mbind_refuse(b, "address");
}

int mbind_load_wide(struct mbind *b, struct op *o)
{
	unsigned mask = (unsigned)(field(b, 57, 7) | field(b, 72, 1) << 7);

	machine_set_function(o, load_wide);
	o->d = mbind_dst(b, 16, 4);
	o->b = mbind_dst(b, 64, 4);
	int status = bind_wide_access(b, o, 32);
	o->n = (uint8_t)mask;
	return status;
}

int mbind_store_wide(struct mbind *b, struct op *o)
{
	machine_set_function(o, store_wide);
	b->func->inst[b->index].opcode = I_st;
	o->d = mbind_reg(b, 32, 4);
	o->b = mbind_reg(b, 16, 4);
	return bind_wide_access(b, o, 64);
}
