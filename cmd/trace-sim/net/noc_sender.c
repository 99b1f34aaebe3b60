/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Updates the state that senders keep of their downstream buffers (NET-noc-9): flits sent and not yet
 * credited, channels that belong to a packet, and the policies that divide a buffer among its channels.
 *
 * Always true: `used` is the sum of vc_used. A policy's own counts change only in its functions. Policies
 * other than private reserve parts of the buffer for channels. Flits beyond the size of their part use the
 * shared remainder of the buffer. A slot that becomes free while the packet of its channel has no other flit
 * in the buffer stays reserved for that packet.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "net/noc.h"

static size_t sender_vc_index(const struct noc_senders *m, uint32_t sender, uint32_t vc)
{
	return (size_t)sender * m->vcs + vc;
}

/* ---- shared --------------------------------------------------------------------------------------------- */

static void release_shared_slot(const struct icnt *c, struct noc_senders *m, uint32_t sender, uint32_t vc)
{
	uint32_t part = c->private_of[vc], *used = &m->part_used[(size_t)sender * m->parts + part];

	assert(*used);
	if (--*used >= c->private_size[part])
		m->shared[sender]--;
}

static bool is_shared_part_full(
	const struct icnt *c, const struct noc_senders *m, uint32_t sender, uint32_t vc, uint32_t now)
{
	uint32_t part = c->private_of[vc];

	(void)now;
	return !m->reserved[sender_vc_index(m, sender, vc)] &&
	       m->part_used[(size_t)sender * m->parts + part] >= c->private_size[part] &&
	       m->shared[sender] >= c->shared_size;
}

static void count_flit_in_parts(
	const struct icnt *c, struct noc_senders *m, uint32_t sender, uint32_t vc, bool tail, uint32_t now)
{
	uint32_t *reserved = &m->reserved[sender_vc_index(m, sender, vc)];

	(void)now;
	if (*reserved) {
		--*reserved;
	} else {
		uint32_t part = c->private_of[vc], *used = &m->part_used[(size_t)sender * m->parts + part];

		if (++*used > c->private_size[part])
			m->shared[sender]++;
	}
	for (; tail && *reserved; --*reserved)
		release_shared_slot(c, m, sender, vc);
}

static void count_credit_in_parts(
	const struct icnt *c, struct noc_senders *m, uint32_t sender, uint32_t vc, uint32_t now)
{
	(void)now;
	if (!noc_sender_is_vc_free(m, sender, vc) && !m->vc_used[sender_vc_index(m, sender, vc)])
		m->reserved[sender_vc_index(m, sender, vc)]++;
	else
		release_shared_slot(c, m, sender, vc);
}

/* ---- policies limited, dynamic and shifting --------------------------------------------------- */

static bool is_held_limit_reached(
	const struct icnt *c, const struct noc_senders *m, uint32_t sender, uint32_t vc, uint32_t now)
{
	return is_shared_part_full(c, m, sender, vc, now) ||
	       m->vc_used[sender_vc_index(m, sender, vc)] >= m->held_max[sender];
}

static void update_held_limit(const struct icnt *c, struct noc_senders *m, uint32_t sender)
{
	uint32_t active = m->active[sender];

	if (c->policy == POLICY_DYNAMIC)
		m->held_max[sender] = c->buffer / active;
	if (c->policy != POLICY_SHIFTING)
		return;
	m->held_max[sender] = c->buffer;
	for (uint32_t i = active - 1; i; i >>= 1)
		m->held_max[sender] >>= 1;
}

static void count_limited_owner(const struct icnt *c, struct noc_senders *m, uint32_t sender)
{
	m->active[sender]++;
	update_held_limit(c, m, sender);
}

static void count_limited_flit(
	const struct icnt *c, struct noc_senders *m, uint32_t sender, uint32_t vc, bool tail, uint32_t now)
{
	count_flit_in_parts(c, m, sender, vc, tail, now);
	if (tail && --m->active[sender])
		update_held_limit(c, m, sender);
}

/* ---- feedback ------------------------------------------------------------------------------------------- */

/* Moving average of round trips. The newest one, `last`, has the weight 1 / 2^scale. */
static int32_t mean_round_trip(const struct icnt *c, int32_t old, int32_t last)
{
	int scale = icnt_int(c, ICNT_feedback_aging_scale);

	return old < 0 ? last : (int32_t)((((int64_t)old << scale) + last - old) >> scale);
}

/*
 * Maximum number of uncredited flits: decreases by one for each cycle by which the round trip exceeds its
 * minimum.
 */
static int32_t uncredited_flit_limit(
	const struct icnt *c, const struct noc_senders *m, uint32_t sender, int32_t trip)
{
	int32_t limit = (int32_t)m->min_credit_rtt[sender] * 2 - trip + icnt_int(c, ICNT_feedback_offset);

	return limit > 1 ? limit : 1;
}

static bool is_feedback_limit_reached(
	const struct icnt *c, const struct noc_senders *m, uint32_t sender, uint32_t vc, uint32_t now)
{
	size_t i = sender_vc_index(m, sender, vc);
	int32_t most = m->limit[i];

	if (is_shared_part_full(c, m, sender, vc, now))
		return true;
	if (!ring_empty(&m->sent[i])) {
		int32_t least_trip = (int32_t)(now - ring_front(&m->sent[i]));
		int32_t limit =
			uncredited_flit_limit(c, m, sender, mean_round_trip(c, m->round_trip[i], least_trip));

		most = limit < most ? limit : most;
	}
	return (int64_t)m->vc_used[i] >= most;
}

static void count_feedback_flit(
	const struct icnt *c, struct noc_senders *m, uint32_t sender, uint32_t vc, bool tail, uint32_t now)
{
	count_flit_in_parts(c, m, sender, vc, tail, now);
	ring_push(&m->sent[sender_vc_index(m, sender, vc)], now);
}

static void count_feedback_credit(
	const struct icnt *c, struct noc_senders *m, uint32_t sender, uint32_t vc, uint32_t now)
{
	size_t i = sender_vc_index(m, sender, vc);

	count_credit_in_parts(c, m, sender, vc, now);
	m->round_trip[i] = mean_round_trip(c, m->round_trip[i], (int32_t)(now - ring_pop(&m->sent[i])));
	m->limit[i] = uncredited_flit_limit(c, m, sender, m->round_trip[i]);
}

/*
 * Measures the round trip of one flit at a time. m->pending is the number of earlier flits whose credits have
 * not arrived.
 */
static void simple_send(
	const struct icnt *c, struct noc_senders *m, uint32_t sender, uint32_t vc, bool tail, uint32_t now)
{
	size_t i = sender_vc_index(m, sender, vc);

	if (!ring_empty(&m->sent[i])) {
		count_flit_in_parts(c, m, sender, vc, tail, now);
		return;
	}
	m->pending[i] = m->vc_used[i] - 1;
	count_feedback_flit(c, m, sender, vc, tail, now);
}

static void count_simple_credit(
	const struct icnt *c, struct noc_senders *m, uint32_t sender, uint32_t vc, uint32_t now)
{
	size_t i = sender_vc_index(m, sender, vc);

	if (!ring_empty(&m->sent[i]) && !m->pending[i]) {
		count_feedback_credit(c, m, sender, vc, now);
		return;
	}
	m->pending[i] -= m->pending[i] != 0;
	count_credit_in_parts(c, m, sender, vc, now);
}

const struct noc_policy noc_policies[N_POLICIES] = {
	[POLICY_PRIVATE] = {0},
	[POLICY_SHARED] = {is_shared_part_full, NULL, count_flit_in_parts, count_credit_in_parts},
	[POLICY_LIMITED] = {is_held_limit_reached, count_limited_owner, count_limited_flit,
		count_credit_in_parts},
	[POLICY_DYNAMIC] = {is_held_limit_reached, count_limited_owner, count_limited_flit,
		count_credit_in_parts},
	[POLICY_SHIFTING] = {is_held_limit_reached, count_limited_owner, count_limited_flit,
		count_credit_in_parts},
	[POLICY_FEEDBACK] = {is_feedback_limit_reached, NULL, count_feedback_flit, count_feedback_credit},
	[POLICY_SIMPLE_FEEDBACK] = {is_feedback_limit_reached, NULL, simple_send, count_simple_credit},
};

/* ---- building ------------------------------------------------------------------------------------------- */

static void init_feedback(struct noc_senders *m, const struct icnt *c)
{
	size_t n = (size_t)m->senders * m->vcs;
	uint32_t cap = fifo_capacity(c->buffer);

	m->limit = xcalloc(n, sizeof(*m->limit));
	m->round_trip = xcalloc(n, sizeof(*m->round_trip));
	m->pending = xcalloc(n, sizeof(*m->pending));
	m->sent = xcalloc(n, sizeof(*m->sent));
	m->sent_slots = reserve(n * cap, sizeof(*m->sent_slots));
	for (size_t i = 0; i < n; i++) {
		m->limit[i] = (int32_t)c->buffer;
		m->round_trip[i] = -1;
		ring_init(&m->sent[i], m->sent_slots + i * cap, cap);
	}
}

void noc_sender_init(struct noc_senders *m, const struct icnt *c, uint32_t senders, const uint32_t *least)
{
	size_t n = (size_t)senders * c->vcs;

	*m = (struct noc_senders){
		.senders = senders, .vcs = c->vcs, .words = BITSET_WORDS(c->vcs), .min_credit_rtt = least};
	m->used = xcalloc(senders, sizeof(*m->used));
	m->vc_used = xcalloc(n, sizeof(*m->vc_used));
	m->taken = xcalloc((size_t)senders * m->words, sizeof(*m->taken));
	m->tail_sent = xcalloc((size_t)senders * m->words, sizeof(*m->tail_sent));
	m->wait_for_tail = icnt_int(c, ICNT_wait_for_tail_credit) != 0;
	if (c->policy == POLICY_PRIVATE)
		return;
	m->policy = &noc_policies[c->policy];
	m->parts = c->private_bufs;
	m->reserved = xcalloc(n, sizeof(*m->reserved));
	m->part_used = xcalloc((size_t)senders * m->parts, sizeof(*m->part_used));
	m->shared = xcalloc(senders, sizeof(*m->shared));
	m->active = xcalloc(senders, sizeof(*m->active));
	m->held_max = xcalloc(senders, sizeof(*m->held_max));
	for (uint32_t i = 0; i < senders; i++)
		m->held_max[i] = c->held_max;
	if (c->policy == POLICY_FEEDBACK || c->policy == POLICY_SIMPLE_FEEDBACK)
		init_feedback(m, c);
}

void noc_sender_free(struct noc_senders *m)
{
	if (m->sent_slots)
		reserve_free(m->sent_slots, (size_t)m->senders * m->vcs * (m->sent[0].mask + 1),
			sizeof(*m->sent_slots));
	free(m->used);
	free(m->vc_used);
	free(m->taken);
	free(m->tail_sent);
	free(m->reserved);
	free(m->part_used);
	free(m->shared);
	free(m->active);
	free(m->held_max);
	free(m->limit);
	free(m->round_trip);
	free(m->pending);
	free(m->sent);
}
