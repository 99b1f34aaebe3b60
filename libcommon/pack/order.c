/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prediction of the order of bodies. Writer and reader make the same predictions.
 *
 * Always true: the prediction depends only on the earlier bodies of the block. If the actual body is not the
 * predicted one but its successor, the prediction skips one body. After a second miss in a row, the prediction
 * continues after the last position of the actual body.
 */
#include "body.h"

#define SLOTS 4096u /* number of slots; bodies with the same slot replace each other */

uint32_t order_predict(const struct body_order *o)
{
	return o->predicted_piece < o->n ? o->body[o->predicted_piece] : NONE;
}

static uint32_t *order_slot(const struct body_order *o, uint32_t body)
{
	return &o->last_piece[(body * 0x9e3779b1u) >> 20 & (SLOTS - 1)];
}

void order_add(struct body_order *o, uint32_t body, bool once)
{
	uint32_t expected = order_predict(o);

	grow(&o->body, &o->cap, o->n + 1, sizeof(o->body[0]));
	if (!o->n) { /* most blocks have one body and need no table */
		o->body[o->n++] = body;
		o->predicted_piece = 1;
		return;
	}
	if (!o->last_piece) {
		o->last_piece = xcalloc(SLOTS, sizeof(o->last_piece[0]));
		*order_slot(o, o->body[0]) = 1;
	}
	uint32_t *slot = order_slot(o, body), before = *slot;
	o->body[o->n] = once && expected != NONE ? expected : body;
	*slot = ++o->n;
	if (expected == NONE) {
		o->predicted_piece = before ? before : o->n;
		return;
	}
	o->missed = body == expected ? 0 : o->missed + 1;
	bool skipped =
		o->missed && o->predicted_piece + 1 < o->n - 1 && o->body[o->predicted_piece + 1] == body;
	bool lost = o->missed > 1 && before && o->body[before - 1] == body;

	o->predicted_piece = skipped ? o->predicted_piece + 2 : lost ? before : o->predicted_piece + 1;
	if (skipped || lost)
		o->missed = 0;
}

void order_free(struct body_order *o)
{
	free(o->body);
	free(o->last_piece);
	*o = (struct body_order){.n = 0};
}
