/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Register banks and the register file cache of a sub-core. Always true: all reads of an instruction end in the same
 * stage, so an instruction that reads n registers of a bank needs the bank's port in the n cycles before that stage.
 * Its issue waits until n cycles after the issue of the latest instruction that read the bank. An operand that is in
 * the cache is not read from the bank. A register in several slots is read once.
 */
#include "core/core.h"

/*
 * Returns true if the register was in the cache's entry of the slot and bank. The entry then holds the register if
 * `keep` is set; else it is empty.
 */
static bool access_register_cache(
	struct subcore *b, unsigned w, unsigned reg, unsigned slot, unsigned bank, bool keep)
{
	uint64_t name = (uint64_t)w << 16 | reg, *entry = &b->rfc[slot][bank];
	bool hit = *entry == name;

	*entry = keep ? name : 0;
	return hit;
}

static bool reads_register_again(const struct core_inst *in, unsigned i)
{
	for (unsigned k = 0; k < i; k++)
		if (in->src[k].reg == in->src[i].reg)
			return true;
	return false;
}

/*
 * Returns the operand slot of source i. A trace omits operands that are not registers, so the slots of later operands
 * are known only from the control code.
 */
static unsigned source_slot(const struct core_warp *cw, const struct core_inst *in, unsigned i)
{
	const struct core_source *src = &in->src[i];
	const struct core_control *k;

	if (!cw->control)
		return src->slot;
	k = core_control_of(cw, in->pc);
	for (unsigned n = src->slot; n < 3; n++)
		if (k->slot[n] == src->reg - REG_R0)
			return n;
	return src->slot;
}

uint64_t core_register_wait(
	struct sm *s, struct subcore *b, unsigned w, const struct core_inst *in, unsigned reuse)
{
	struct core *c = s->modern;
	uint32_t banks = c->params->rf_banks;
	uint8_t reads[16] = {0};
	uint64_t t = s->clock;

	for (unsigned i = 0; i < in->n_src; i++) {
		const struct core_source *src = &in->src[i];
		unsigned bank = (src->reg - REG_R0) % banks, slot;

		if (src->reg >= REG_UR0)
			continue;
		slot = source_slot(&c->warp[w], in, i);
		if (c->params->rfc && in->flags & INST_RFC &&
			access_register_cache(b, w, src->reg, slot, bank, reuse >> slot & 1))
			c->n.reuse_hits++;
		else if (!reads_register_again(in, i))
			reads[bank]++;
	}
	for (unsigned k = 0; k < banks; k++)
		if (reads[k] && b->bank_used[k] + reads[k] > t)
			t = b->bank_used[k] + reads[k];
	for (unsigned k = 0; k < banks; k++)
		if (reads[k])
			b->bank_used[k] = t;
	c->n.bank_waits += t - s->clock;
	return t - s->clock;
}
