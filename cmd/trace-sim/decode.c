/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decode and the instruction buffers (part 2 sections 4.1, 4.4). Always true: a buffer is filled from slot 0
 * when both slots are empty and read in order, so the slot at the read index is valid exactly when the
 * buffer is not empty. quirk Q2: two records are taken whatever their PCs. A warp that is fetched has
 * records left, for it ends with one of them.
 */
#include "decode.h"

static void new_head(struct sm *s, unsigned w)
{
	struct warp *p = &s->warp[w];
	uint64_t bit = 1ull << w;

	if (s->head[w])
		s->head_unit[s->head[w]->unit] &= ~bit;
	s->head[w] = &s->uops[p->rec[p->ibuf[p->ibuf_read]].inst];
	s->head_unit[s->head[w]->unit] |= bit;
	s->stale |= bit;
}

void decode(struct sm *s)
{
	unsigned w = (unsigned)s->fetch_buffer;
	struct warp *p = &s->warp[w];

	s->fetch_buffer = -1;
	p->ibuf[0] = p->cursor++;
	p->ibuf_valid = 1;
	p->ibuf_read = 0;
	p->in_pipe++;
	if (p->cursor < p->n_recs) {
		p->ibuf[1] = p->cursor++;
		p->ibuf_valid = 3;
		p->in_pipe++;
	}
	s->ibuf |= 1ull << w;
	new_head(s, w);
	s->changed = true;
}

void ibuffer_advance(struct sm *s, unsigned w)
{
	struct warp *p = &s->warp[w];

	p->ibuf_valid &= (uint8_t)~(1u << p->ibuf_read);
	p->ibuf_read ^= 1;
	if (p->ibuf_valid)
		new_head(s, w);
	else
		s->ibuf &= ~(1ull << w);
}

void ibuffer_flush(struct sm *s, unsigned w)
{
	struct warp *p = &s->warp[w];

	p->in_pipe -= bit_count32(p->ibuf_valid);
	p->ibuf_valid = 0;
	s->ibuf &= ~(1ull << w);
}
