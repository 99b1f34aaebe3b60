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

uint32_t order_predict(const struct body_order *o) { return o->at < o->n ? o->body[o->at] : NONE; }

static uint32_t *order_slot(const struct body_order *o, uint32_t body)
{
	return &o->last[(body * 0x9e3779b1u) >> 20 & (SLOTS - 1)];
}

void order_add(struct body_order *o, uint32_t body, bool once)
{
	uint32_t expected = order_predict(o);

	grow(&o->body, &o->cap, o->n + 1, sizeof(o->body[0]));
	if (!o->n) { /* most blocks have one body and need no table */
		o->body[o->n++] = body;
		o->at = 1;
		return;
	}
	if (!o->last) {
		o->last = xcalloc(SLOTS, sizeof(o->last[0]));
		*order_slot(o, o->body[0]) = 1;
	}
	uint32_t *slot = order_slot(o, body), before = *slot;
	o->body[o->n] = once && expected != NONE ? expected : body;
	*slot = ++o->n;
	if (expected == NONE) {
		o->at = before ? before : o->n;
		return;
	}
	o->missed = body == expected ? 0 : o->missed + 1;
	bool skipped = o->missed && o->at + 1 < o->n - 1 && o->body[o->at + 1] == body;
	bool lost = o->missed > 1 && before && o->body[before - 1] == body;

	o->at = skipped ? o->at + 2 : lost ? before : o->at + 1;
	if (skipped || lost)
		o->missed = 0;
}

void order_free(struct body_order *o)
{
	free(o->body);
	free(o->last);
	*o = (struct body_order){.n = 0};
}
