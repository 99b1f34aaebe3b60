/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The subnets of mode 1 apart (LAUNCH-window): the reply subnet has gone ahead, clusters push requests whose
 * time has not come in the request subnet, and that follows.
 *
 * Always true: a packet ahead is in no set and no count but those of its queue; the request subnet takes it
 * in at its time. Of what both subnets share, numbers are given when the request subnet has come to a reply's
 * time, and a flit that may raise a maximum, about which the order of all decides, waits until it has passed
 * the flit's. Sums and minima do not depend on an order.
 */
#include <assert.h>
#include <stdlib.h>
#include "arena.h"
#include "bits.h"
#include "net/book.h"
#include "threads/threads.h"

static uint32_t power_of_two(size_t n) { return fifo_capacity(n < 1u << 31 ? (uint32_t)n : 1u << 31); }

void book_apart_init(struct book_apart *a, uint32_t inputs, size_t replies, size_t retired)
{
	uint32_t cap = power_of_two(replies);

	a->threads = 1;
	a->words = BITSET_WORDS(inputs);
	a->row = (a->words + 7) / 8 * 8;
	a->fresh = reserve((size_t)MAX_THREADS * a->row, sizeof(*a->fresh));
	a->ahead = xcalloc(a->words, sizeof(*a->ahead));
	ring_init(&a->unnumbered, reserve(cap, sizeof(uint32_t)), cap);
	cap = power_of_two(retired);
	book_lates_init(&a->lates, reserve(cap, sizeof(struct book_late)), cap);
}

void book_apart_free(struct book_apart *a)
{
	reserve_free(a->lates.slot, (size_t)a->lates.mask + 1, sizeof(*a->lates.slot));
	reserve_free(a->unnumbered.slot, (size_t)a->unnumbered.mask + 1, sizeof(*a->unnumbered.slot));
	reserve_free(a->fresh, (size_t)MAX_THREADS * a->row, sizeof(*a->fresh));
	free(a->ahead);
}

static struct book_packet *packet(const struct book_apart *a, unsigned subnet, uint32_t req)
{
	return (struct book_packet *)(void *)((char *)a->packet[subnet] + a->stride * req);
}

/* ---- numbers ------------------------------------------------------------------------------------------- */

static void number(struct book_apart *a, struct book_packet *p)
{
	p->id = a->next_packet++;
	p->flit_id = a->next_flit;
	a->next_flit += p->flits;
}

bool book_push(struct book_apart *a, unsigned subnet, struct book_queue *q, uint32_t i, uint32_t req,
	struct book_packet *p)
{
	assert(p->flits);
	ring_push(&q->packets, req);
	q->flits += p->flits;
	if (!a->on) {
		number(a, p);
		return false;
	}
	if (subnet) {
		ring_push(&a->unnumbered, req);
		return false;
	}
	book_drain(q);
	q->most += p->flits;
	p->created = q->push.advance;
	p->cycle = q->push.cycle;
	q->ahead++;
	bitset_set(a->fresh + (size_t)thread_index * a->row, i);
	return true;
}

/* Between two steps clusters push, cycle after cycle, and then sub partitions. */
static void number_replies(struct book_apart *a, uint32_t time)
{
	while (!ring_empty(&a->unnumbered)) {
		struct book_packet *p = packet(a, 1, ring_front(&a->unnumbered));

		if ((int32_t)(p->created - time) > 0)
			break;
		number(a, p);
		ring_pop(&a->unnumbered);
	}
}

/* ---- requests whose time has come ---------------------------------------------------------------------- */

/*
 * Of queue i, those of the current cycle; of what is there by `time` then *next is the first cycle, if it is
 * earlier.
 */
static void admit(struct book_apart *a, uint32_t i, uint32_t time, uint32_t *next)
{
	struct book_queue *q = &a->queue[i];

	while (q->ahead) {
		struct book_packet *p = packet(a, 0, ring_at(&q->packets, q->packets.count - q->ahead));

		if ((int32_t)(p->created - time) > 0)
			return;
		if (p->cycle > a->cycle) {
			*next = p->cycle < *next ? p->cycle : *next;
			return;
		}
		number(a, p);
		q->ahead--;
		*a->flits += p->flits;
		bitset_set(a->sending, i);
	}
	bitset_clear(a->ahead, i);
}

static void gather(struct book_apart *a)
{
	for (uint32_t t = 0; t < a->threads; t++)
		for (uint32_t w = 0; w < a->words; w++) {
			uint64_t *fresh = &a->fresh[(size_t)t * a->row + w];

			if (!*fresh)
				continue;
			a->ahead[w] |= *fresh;
			*fresh = 0;
		}
}

static void admit_all(struct book_apart *a, uint32_t time)
{
	uint32_t next;

	do {
		next = UINT32_MAX;
		for (uint32_t w = 0; w < a->words; w++)
			FOR_BITS64 (b, a->ahead[w])
				admit(a, w * 64 + (uint32_t)b, time, &next);
		if (next != UINT32_MAX)
			a->cycle = next;
	} while (next != UINT32_MAX);
	number_replies(a, time);
}

/*
 * ---- flits retired --------------------------------------------------------------------------------------
 */

/* Whether the order in which it is taken can matter. */
static bool may_lead(
	const struct book_stats *s, const struct book_packet *p, const struct book_flit *f, uint32_t now)
{
	if (!s->flat.count || now - f->injected > s->flat.max)
		return true;
	return f->index + 1 == p->flits && (!s->plat.count || now - p->created > s->plat.max);
}

void book_retire(struct book_apart *a, struct book_stats *s, unsigned subnet, const struct book_packet *p,
	const struct book_flit *f, uint32_t hops, uint32_t now)
{
	if (a->on && subnet && may_lead(s, p, f, now))
		book_lates_push(&a->lates, (struct book_late){*f, hops, now});
	else
		book_stats_retire(s, p, f, hops, now);
}

static void take_late(struct book_apart *a, struct book_stats *s)
{
	struct book_late l = book_lates_pop(&a->lates);

	book_stats_retire(s, packet(a, 1, l.flit.req), &l.flit, l.hops, l.now);
}

void book_before_step(struct book_apart *a, struct book_stats *s, uint32_t time)
{
	gather(a);
	admit_all(a, time);
	while (a->lates.count && (int32_t)(book_lates_front(&a->lates).now - time) < 0)
		take_late(a, s);
}

void book_join(struct book_apart *a, struct book_stats *s, uint32_t time)
{
	gather(a);
	admit_all(a, time);
	assert(ring_empty(&a->unnumbered));
	while (a->lates.count)
		take_late(a, s);
	a->on = false;
	a->cycle = 0;
}
