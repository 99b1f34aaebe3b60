/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ops that are executed on trial, to find the results that depend on undefined sources.
 *
 * Always true: the op has no other effect than its results, and all registers have their old values afterwards.
 */
#include <string.h>
#include "exec/trial.h"
#include "exec/undefined.h"

#define LANE_BYTES 16u /* largest size of a register in a lane */

static size_t bytes_of_register(uint32_t word)
{
	return operand_bytes_of(word) ? (size_t)operand_bytes_of(word) * LANES : 4;
}

/* Copies of registers that an op changes when it is tried. */
struct saved {
	unsigned n;
	uint32_t word[TRIAL_RESULTS];
	uint8_t bytes[TRIAL_RESULTS][LANE_BYTES * LANES];
};

static void save_register(const struct warp *w, struct saved *s, uint32_t word)
{
	if (!operand_slot_of(word) || s->n == TRIAL_RESULTS)
		return;
	s->word[s->n] = word;
	memcpy(s->bytes[s->n++], w->frame + operand_slot_of(word), bytes_of_register(word));
}

static void restore_registers(struct warp *w, const struct saved *s)
{
	for (unsigned i = s->n; i-- > 0;)
		memcpy(w->frame + operand_slot_of(s->word[i]), s->bytes[i], bytes_of_register(s->word[i]));
}

/*
 * Returns the lanes in which the register differs from its saved copy. With `whole`, returns only lanes in which all
 * bytes differ.
 */
static uint32_t lanes_that_differ(const struct warp *w, const struct saved *s, unsigned k, bool whole)
{
	const uint8_t *now = w->frame + operand_slot_of(s->word[k]);
	unsigned bytes = operand_bytes_of(s->word[k]);
	uint32_t differ = 0, agree = 0, old;

	if (!bytes) {
		memcpy(&old, s->bytes[k], 4);
		return old ^ PRED(w, operand_slot_of(s->word[k]));
	}
	for (unsigned i = 0; i < bytes * LANES; i++) {
		uint32_t lane = 1u << (bytes == LANE_BYTES ? i / 8 : i / bytes) % LANES;

		if (now[i] != s->bytes[k][i])
			differ |= lane;
		else
			agree |= lane;
	}
	return whole ? differ & ~agree : differ;
}

/* Sets all bits of a register to `ones` in the lanes of m. */
static void fill_register(struct warp *w, uint32_t word, uint32_t m, bool ones)
{
	uint8_t *at = w->frame + operand_slot_of(word);
	unsigned bytes = operand_bytes_of(word);

	if (!bytes) {
		uint32_t *p = &PRED(w, operand_slot_of(word));

		*p = ones ? *p | m : *p & ~m;
		return;
	}
	for (unsigned i = 0; i < bytes * LANES; i++)
		if (m >> (bytes == LANE_BYTES ? i / 8 : i / bytes) % LANES & 1)
			at[i] = ones ? 0xff : 0;
}

bool trial_logic(struct warp *w, const struct op *o, const struct operand_list *l, uint32_t m, bool whole,
	const struct undefined_sources *s, uint32_t lanes[TRIAL_RESULTS])
{
	struct saved before = {0}, first = {0};

	if (s->n > TRIAL_SOURCES)
		return false;
	for (unsigned i = 0; i < operands_number(l); i++)
		if (operand_role_of(l->word[i]) == OPERAND_RESULT)
			save_register(w, &before, l->word[i]);
	unsigned results = before.n;
	if (results + s->n > TRIAL_RESULTS)
		return false;
	for (unsigned k = 0; k < s->n; k++)
		save_register(w, &before, s->word[k]);
	memset(lanes, 0, TRIAL_RESULTS * sizeof(*lanes));
	for (unsigned choice = 0, step = whole ? (1u << s->n) - 1 : 1; choice < 1u << s->n; choice += step) {
		restore_registers(w, &before);
		for (unsigned k = 0; k < s->n; k++)
			fill_register(w, s->word[k], undefined_lanes(w, operand_slot_of(s->word[k])) & m,
				choice >> k & 1);
		o->execute(w, o, m);
		for (unsigned k = 0; k < results; k++)
			if (choice)
				lanes[k] |= lanes_that_differ(w, &first, k, whole) & m;
			else
				save_register(w, &first, before.word[k]);
	}
	restore_registers(w, &before);
	return true;
}

uint32_t trial_shuffle(struct warp *w, const struct op *o, const struct operand_list *l, uint32_t m)
{
	struct saved before = {0};
	uint32_t source = 0, result = 0, lanes = 0, awaited = w->awaited_sync_lanes,
		 early = w->early_sync_lanes;

	for (unsigned i = operands_number(l); i-- > 0;) {
		if (operand_role_of(l->word[i]) == OPERAND_SOURCE)
			source = l->word[i];
		else if (operand_role_of(l->word[i]) == OPERAND_RESULT)
			save_register(w, &before, l->word[i]);
		if (operand_role_of(l->word[i]) == OPERAND_RESULT && operand_bytes_of(l->word[i]))
			result = l->word[i];
	}
	if (!operand_slot_of(source) || !operand_slot_of(result))
		return 0;
	save_register(w, &before, source);
	fill_register(w, source, ALL_LANES, false);
	fill_register(w, source, undefined_lanes(w, operand_slot_of(source)), true);
	o->execute(w, o, m);
	FOR_BITS32 (i, m)
		lanes |= (uint32_t)(REG(uint32_t, w, operand_slot_of(result))[i] != 0) << i;
	restore_registers(w, &before);
	w->awaited_sync_lanes = awaited;
	w->early_sync_lanes = early;
	return lanes;
}
