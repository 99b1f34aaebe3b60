/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decode and the instruction buffers (SM-decode). Always true: a buffer is filled when it is empty, and read in
 * order, so its instructions are the records right before the cursor. quirk Q2-2: two records are decoded, whatever
 * their PCs. A warp that is fetched has records left, because it ends when its last record issues.
 */
#include <string.h>
#include "decode.h"
#include "depend.h"
#include "power/counts.h"
#include "sm/kernel.h"

/*
 * Returns true if the warp's next record is at fetch_pc, from which the buffer was filled (PTX-flow-2). If not, the
 * buffer has instructions of a wrong path until a scheduler visits the warp.
 */
static NOINLINE bool is_on_right_path(struct sm *s, unsigned w)
{
	const struct warp *p = &s->warp[w];
	uint32_t index = p->cursor - p->buffered;

	if (index < p->n_recs && s->uops[p->rec[index].inst].pc == p->fetch_pc)
		return true;
	s->ibuf &= ~(1ull << w);
	s->imiss |= 1ull << w;
	s->wrong_path |= 1ull << w;
	return false;
}

static inline void decode_new_head(struct sm *s, struct warp *p, unsigned w)
{
	const struct uop *next;
	uint64_t bit = 1ull << w;

	if (s->ptx & bit && !is_on_right_path(s, w))
		return;
	next = &s->uops[p->buffer->inst];
	if (p->head)
		s->head_unit[p->head->unit] &= ~bit;
	s->head_unit[next->unit] |= bit;
	p->head = next;
	depend_update_hazard(s, p, w);
}

/*
 * Decodes two instructions of PTX, or one if the code ends after it (PTX-flow-1). Only instructions that are executed
 * have a record.
 */
static NOINLINE void decode_ptx(struct sm *s, unsigned w)
{
	struct warp *p = &s->warp[w];
	unsigned n = p->fetch_pc + 8 < s->cta[p->cta].kernel->head->code_end ? 2 : 1;

	if (s->power)
		power_count_decode_ptx(s->power, s->cta[p->cta].kernel->floating, p->fetch_pc, n);
	for (unsigned i = 0; i < n; i++, p->cursor++)
		if (p->cursor < p->n_recs)
			p->buffer[i] = p->rec[p->cursor];
	p->insts_in_pipe += n;
	p->buffered = (uint8_t)n;
	s->ibuf |= 1ull << w;
	decode_new_head(s, p, w);
	s->changed = true;
}

static NOINLINE void count_decode_power(struct sm *s, const struct rec *rec, unsigned n)
{
	const struct power_op *op = s->power->tables->op;

	power_count_decode(s->power, &op[rec[0].inst], n == 2 ? &op[rec[1].inst] : NULL);
}

void decode_fetch_buffer(struct sm *s)
{
	unsigned w = (unsigned)s->fetch_buffer;
	struct warp *p = &s->warp[w];
	uint32_t n = 1u + (p->cursor + 1 < p->n_recs);

	s->fetch_buffer = -1;
	if (s->ptx >> w & 1) {
		decode_ptx(s, w);
		return;
	}
	if (n == 2)
		memcpy(p->buffer, p->rec + p->cursor, sizeof(p->buffer));
	else
		p->buffer[0] = p->rec[p->cursor];
	if (s->power)
		count_decode_power(s, p->buffer, n);
	p->cursor += n;
	p->insts_in_pipe += n;
	p->buffered = (uint8_t)n;
	s->ibuf |= 1ull << w;
	decode_new_head(s, p, w);
	s->changed = true;
}

/*
 * Removes an issued instruction from the buffer. When the buffer becomes empty, prefetches the next records, which are
 * decoded some cycles later.
 */
void ibuffer_advance(struct sm *s, struct warp *p, unsigned w)
{
	if (--p->buffered) {
		p->buffer[0] = p->buffer[1];
		decode_new_head(s, p, w);
		return;
	}
	s->ibuf &= ~(1ull << w);
	__builtin_prefetch(p->rec + p->cursor);
}

void ibuffer_flush(struct sm *s, unsigned w)
{
	struct warp *p = &s->warp[w];

	p->insts_in_pipe -= p->buffered;
	p->cursor -= p->buffered;
	p->buffered = 0;
	s->ibuf &= ~(1ull << w);
	if (s->wrong_path >> w & 1) {
		s->imiss &= ~(1ull << w);
		s->wrong_path &= ~(1ull << w);
	}
}

void ibuffer_leave_wrong_path(struct sm *s, unsigned w)
{
	struct warp *p = &s->warp[w];

	ibuffer_flush(s, w);
	p->fetch_pc = s->uops[p->rec[p->cursor].inst].pc;
	s->changed = true;
}
