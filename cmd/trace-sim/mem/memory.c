/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory side as a whole: construction, ticks, sleeping and figures (MEM-sub, MEM-part).
 *
 * All queues are lists that are linked through the request records. Therefore queue limits cost no memory,
 * and nothing is allocated after memory_new().
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "bits.h"
#include "partition.h"

/* Iterates over the channels that may have work (m->awake). */
#define FOR_AWAKE(c, m) \
	for (uint32_t w_ = 0; w_ < (m)->channel_words; w_++) \
		FOR_BITS64 (b_, (m)->awake[w_]) \
			for (struct channel *c = &(m)->channel[w_ * 64 + b_], *once_ = c; once_; once_ = NULL)

static uint32_t credit_limit(const struct memory_params *mp)
{
	const struct dram_params *d = &mp->dram;
	uint32_t limit = d->queue_max + d->return_max - (mp->subs - 1) + (d->write_queue ? d->write_max : 0);

	return d->queue_max && d->return_max && limit ? limit : UINT32_MAX;
}

static void new_channel(struct memory *m, uint32_t id)
{
	struct channel *c = &m->channel[id];

	dram_init(&c->dram, m->params, id, m->pool, m->memstat);
	c->sub = &m->sub[id * m->subs_per_channel];
	c->end = c->sub + m->subs_per_channel;
	for (struct sub *s = c->sub; s < c->end; s++)
		s->channel = c;
	c->last_credited = m->subs_per_channel - 1;
	c->free_credits = (uint64_t)m->subs_per_channel + m->credit_limit;
	c->wake = UINT64_MAX;
}

struct memory *memory_new(const struct params *p, struct req_pool *pool, struct net *net, struct addrdec *dec,
	struct memstat *ms, struct fault *f)
{
	struct memory *m;

	if (p->mem.dram.nbk > DRAM_BANKS) {
		fault_set(f, NOWHERE, "dram-banks",
			"-gpgpu_dram_timing_opt: %u banks (nbk; expected at most %d)", p->mem.dram.nbk,
			DRAM_BANKS);
		return NULL;
	}
	if (p->mem.l2.fetch_pairs && !addrdec_line_has_one_slice(dec)) {
		fault_set(f, NOWHERE, "l2-fetch-pairs",
			"-l2_fetch_pairs: slices of the L2 share lines (expected 0, or a mapping in which they do not)");
		return NULL;
	}
	m = xcalloc(1, sizeof(*m));
	m->params = p;
	m->memory_params = &p->mem;
	m->pool = pool;
	m->net = net;
	m->dec = dec;
	m->memstat = ms;
	m->subs_per_channel = p->mem.subs;
	m->sub_log2 = log2_floor(m->subs_per_channel);
	m->n_subs = p->mem.channels * m->subs_per_channel;
	m->credit_limit = credit_limit(&p->mem);
	m->sub_words = BITSET_WORDS(m->n_subs);
	m->channel_words = BITSET_WORDS(p->mem.channels);
	m->sub = xcalloc(m->n_subs, sizeof(*m->sub));
	for (uint32_t i = 0; i < m->n_subs; i++) {
		m->sub[i].id = i;
		m->sub[i].wake = UINT64_MAX;
		if (p->mem.l2.present)
			m->sub[i].l2 = cache_new(&p->mem.l2, ROLE_L2, dec, pool);
	}
	sides_pair_slices(m);
	m->channel = reserve(p->mem.channels, sizeof(*m->channel));
	m->awake = xcalloc(m->channel_words, sizeof(*m->awake));
	for (uint32_t i = 0; i < p->mem.channels; i++)
		new_channel(m, i);
	return m;
}

void memory_delete(struct memory *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; i < m->n_subs; i++)
		if (m->sub[i].l2)
			cache_delete(m->sub[i].l2);
	for (uint32_t i = 0; i < m->memory_params->channels; i++)
		dram_free(&m->channel[i].dram);
	free(m->awake);
	free(m->sub);
	reserve_free(m->channel, m->memory_params->channels, sizeof(*m->channel));
	free(m);
}

void memory_set_events(struct memory *m, struct events *e)
{
	m->events = e;
	for (uint32_t i = 0; i < m->memory_params->channels; i++)
		m->channel[i].dram.events = e;
}

/* ---- ticks ---------------------------------------------------------------------------------- */

/*
 * Sends the oldest reply of a sub partition if the network has space. Runs once per request, so all calls are
 * inlined.
 */
static ALWAYS_INLINE FLATTEN void send_reply(struct memory *m, struct sub *s, uint64_t now)
{
	uint32_t req = s->l2_icnt.head, device = m->params->clusters + s->id;
	struct req *r = &m->pool->req[req];
	uint32_t bytes = req_bytes_of_reply(r);

	if (!net_has_buffer(m->net, device, bytes)) {
		s->channel->stall_icnt2sh++;
		return;
	}
	r->returned = (uint32_t)now;
	mem_fifo_pop(m->pool->req, &s->l2_icnt);
	untrack_request(m, req);
	net_push(m->net, device, r->cluster, req, bytes);
	s->channel->replies++;
}

static void send_channel_replies(struct memory *m, struct channel *c, uint64_t now)
{
	for (struct sub *s = c->sub; s < c->end; s++)
		if (s->l2_icnt.count)
			send_reply(m, s, now);
}

/* Returns true if one of the DRAM ticks of *k may move a request. */
static inline bool is_dram_due(const struct channel *c, const struct memory_work *k)
{
	return c->wake <= k->dram_ticks_before + k->dram_ticks || channel_delay_over(c, k->now);
}

/*
 * Runs the DRAM ticks of a channel for which is_dram_due() is true. They take most of the time of a channel, so
 * all calls are inlined.
 */
static NOINLINE FLATTEN void run_channel_dram(
	struct memory *m, struct channel *c, const struct memory_work *k)
{
	uint64_t first = k->dram_ticks_before + 1, last = k->dram_ticks_before + k->dram_ticks;
	uint64_t t = c->wake > first && !channel_delay_over(c, k->now) ? c->wake : first;

	channel_run_ticks(m, c, k->now, (uint32_t)k->cycle, t, last);
}

static bool channel_has_work(const struct channel *c)
{
	for (const struct sub *s = c->sub; s < c->end; s++)
		if (s->wake != UINT64_MAX || s->l2_icnt.count)
			return true;
	return c->may_move;
}

static void count_accepted(struct memory *m)
{
	if (!m->accepted)
		return;
	m->n.accepted += m->accepted;
	m->n.accepted_util += m->accepted;
	m->n.util_ticks++;
	m->accepted = 0;
}

static void run_l2_tick(struct memory *m, const struct memory_work *k)
{
	const uint64_t *waiting = net_waiting_subs(m->net);

	for (uint32_t w = 0; w < m->sub_words; w++)
		FOR_BITS64 (b, waiting[w])
			bitset_set(m->awake, (w * 64 + (uint32_t)b) >> m->sub_log2);
	FOR_AWAKE (c, m) {
		channel_l2_tick(m, c, k, waiting);
		if (!channel_has_work(c))
			bitset_clear(m->awake, c->dram.id);
	}
	count_accepted(m);
	m->l2_ticks++;
}

void memory_step(struct memory *m, const struct memory_work *k)
{
	if (k->replies)
		FOR_AWAKE (c, m)
			send_channel_replies(m, c, k->now);
	if (k->dram_ticks)
		FOR_AWAKE (c, m)
			if (is_dram_due(c, k))
				run_channel_dram(m, c, k);
	m->dram_ticks += k->dram_ticks;
	if (k->runs_l2)
		run_l2_tick(m, k);
}

void memory_reply_tick(struct memory *m, uint64_t now)
{
	memory_step(m, &(struct memory_work){.now = now, .replies = true});
}

void memory_dram_tick(struct memory *m, uint64_t now, uint64_t cycle)
{
	memory_step(
		m, &(struct memory_work){
			   .now = now, .cycle = cycle, .dram_ticks = 1, .dram_ticks_before = m->dram_ticks});
}

void memory_l2_tick(struct memory *m, uint64_t now)
{
	memory_step(m, &(struct memory_work){.now = now, .runs_l2 = true, .l2_ticks_before = m->l2_ticks});
}

/* ---- windows: the same ticks, channel by channel ---------------------------------------------- */

static void clear_refusals(struct channel *c)
{
	for (struct sub *s = c->sub; s < c->end; s++)
		memset(s->refuses, 0, sizeof(s->refuses));
}

/* Returns true if an L2 tick at time `now` would do more than increment counters. */
static bool is_l2_due(const struct channel *c, uint64_t now)
{
	for (const struct sub *s = c->sub; s < c->end; s++)
		if (s->wake <= now)
			return true;
	return false;
}

/* Runs one step of a channel. Returns true if any part of it was due. */
static ALWAYS_INLINE bool run_channel_step(struct memory *m, struct channel *c, const struct memory_work *k)
{
	bool due = false;

	if (k->replies)
		for (struct sub *s = c->sub; s < c->end; s++)
			if (s->l2_icnt.count) {
				*net_push_time(m->net, m->params->clusters + s->id) =
					(struct net_push_time){k->advance, 0};
				send_reply(m, s, k->now);
				due = true;
			}
	if (k->dram_ticks && is_dram_due(c, k)) {
		run_channel_dram(m, c, k);
		due = true;
	}
	due = due || is_l2_due(c, k->now);
	if (k->runs_l2 && due)
		channel_l2_tick(m, c, k, NULL);
	return due;
}

/* Returns the first step, from k on, in which a unit of the channel may be due; `end` if there is none. */
static const struct memory_work *next_due_step(
	const struct channel *c, const struct memory_work *k, const struct memory_work *end)
{
	uint64_t wake = UINT64_MAX;

	for (const struct sub *s = c->sub; s < c->end; s++) {
		if (s->l2_icnt.count)
			return k;
		if (s->wake < wake)
			wake = s->wake;
	}
	while (k < end && k->now < wake && !(k->dram_ticks && is_dram_due(c, k)))
		k++;
	return k;
}

void memory_run_channel(struct memory *m, uint32_t channel, const struct memory_work *k, uint32_t n)
{
	struct channel *c = &m->channel[channel];
	const struct memory_work *end = k + n;

	clear_refusals(c);
	if (!channel_has_work(c))
		return;
	while (k < end)
		k = run_channel_step(m, c, k) ? k + 1 : next_due_step(c, k + 1, end);
}

void memory_accept_packets(struct memory *m, const struct memory_work *k)
{
	const uint64_t *waiting = net_waiting_subs(m->net);

	for (uint32_t w = 0; w < m->sub_words; w++)
		FOR_BITS64 (b, waiting[w]) {
			struct sub *s = &m->sub[w * 64 + b];

			if (!sub_refuses_packets(s, k) &&
				sub_accept_request(
					m, s, net_pop(m->net, m->params->clusters + s->id), k->now)) {
				m->accepted++;
				bitset_set(m->awake, s->channel->dram.id);
			}
		}
	count_accepted(m);
}

uint64_t memory_dram_ticks(const struct memory *m) { return m->dram_ticks; }
uint64_t memory_l2_ticks(const struct memory *m) { return m->l2_ticks; }
uint32_t memory_channels(const struct memory *m) { return m->memory_params->channels; }

uint64_t memory_awaited_until(const struct memory *m)
{
	uint64_t last = 0;

	for (uint32_t c = 0; c < m->memory_params->channels; c++)
		if (m->channel[c].awaited > last)
			last = m->channel[c].awaited;
	return last;
}

/* ---- sleeping ------------------------------------------------------------------------------- */

/* Returns true if a request tracker is not empty. quirk Q4-10: requests that the L2 created itself are ignored. */
bool memory_is_busy(const struct memory *m)
{
	for (uint32_t i = 0; i < m->n_subs; i++)
		if (m->sub[i].tracked)
			return true;
	return false;
}

/*
 * Lowers *until to time `key`, which has 32 bits and is near `now`. Returns false if `key` has been reached.
 */
static bool lower_to_time(uint32_t key, uint64_t now, uint64_t *until)
{
	if (reached(now, key))
		return false;
	if (now + (key - (uint32_t)now) < *until)
		*until = now + (key - (uint32_t)now);
	return true;
}

/*
 * Lowers *until and *dram_ticks to the time and DRAM tick up to which channel c only increments counters.
 * Returns false if the channel has work now.
 */
static bool is_channel_asleep(
	const struct memory *m, const struct channel *c, uint64_t now, uint64_t *until, uint64_t *dram_ticks)
{
	for (const struct sub *s = c->sub; s < c->end; s++) {
		if (s->wake <= now || s->l2_icnt.count)
			return false;
		if (s->wake < *until)
			*until = s->wake;
	}
	if (!c->may_move)
		return true;
	if (c->wake <= m->dram_ticks + 1)
		return false;
	if (c->wake != UINT64_MAX && c->wake - m->dram_ticks - 1 < *dram_ticks)
		*dram_ticks = c->wake - m->dram_ticks - 1;
	return !c->delay_waits || lower_to_time(c->delay_ready_at, now, until);
}

bool memory_is_asleep(const struct memory *m, uint64_t now, uint64_t *until, uint64_t *dram_ticks)
{
	const uint64_t *waiting = net_waiting_subs(m->net);

	*until = *dram_ticks = UINT64_MAX;
	for (uint32_t w = 0; w < m->sub_words; w++)
		if (waiting[w])
			return false;
	FOR_AWAKE (c, m)
		if (!is_channel_asleep(m, c, now, until, dram_ticks))
			return false;
	return true;
}

void memory_idle_ticks(struct memory *m, uint64_t reply_ticks, uint64_t dram_ticks, uint64_t l2_ticks)
{
	(void)reply_ticks; /* a tick without a reply counts nothing */
	m->dram_ticks += dram_ticks;
	m->l2_ticks += l2_ticks;
}

void memory_flush_l2(struct memory *m, FILE *out)
{
	if (!m->memory_params->l2.present)
		return;
	if (out)
		fprintf(out, "Flushed L2 caches...\n");
	/* quirk Q4-20: the original flushes only as many sub partitions as there are channels */
	for (uint32_t i = 0; i < m->memory_params->channels; i++) {
		cache_flush(m->sub[i].l2);
		if (out)
			fprintf(out, "Dirty lines flushed from L2 %u is 0\n", i);
	}
}

/* ---- figures -------------------------------------------------------------------------------- */

static void move_count_to_total(uint64_t *to, uint32_t *from)
{
	*to += *from;
	*from = 0;
}

const struct memory_counts *memory_counts(struct memory *m)
{
	for (struct channel *c = m->channel; c < m->channel + m->memory_params->channels; c++) {
		move_count_to_total(&m->n.stall_dramfull, &c->stall_dramfull);
		move_count_to_total(&m->n.stall_icnt2sh, &c->stall_icnt2sh);
		move_count_to_total(&m->n.replies, &c->replies);
	}
	return &m->n;
}

void memory_fold_counts(struct memory *m)
{
	struct memory_counts *n = &m->n;

	memory_counts(m);
	n->accepted_total += n->accepted;
	n->accepted_util_total += n->accepted_util;
	n->util_ticks_total += n->util_ticks;
	n->replies_total += n->replies;
	n->accepted = n->accepted_util = n->util_ticks = n->replies = 0;
}

uint32_t memory_sub_partitions(const struct memory *m) { return m->n_subs; }

const struct cache *memory_l2(const struct memory *m, uint32_t sub)
{
	struct sub *s = &m->sub[sub];

	if (s->l2)
		cache_set_cycles(s->l2, m->l2_ticks);
	return s->l2;
}

void memory_get_dram_counts(struct memory *m, uint32_t channel, struct dram_counts *out)
{
	channel_catch_up(m, channel);
	dram_stat_copy_counts(&m->channel[channel].dram, out);
}

uint64_t memory_channel_bursts(struct memory *m, uint32_t channel)
{
	const struct dram_counts *n = &m->channel[channel].dram.n;

	channel_catch_up(m, channel);
	return n->n_rd + n->n_rd_L2_A + n->n_wr + n->n_wr_WB;
}

void memory_add_bursts(const struct memory *m, uint64_t sum[3])
{
	for (uint32_t i = 0; i < memory_channels(m); i++) {
		const struct dram_counts *n = &m->channel[i].dram.n;

		sum[0] += n->n_rd;
		sum[1] += n->n_wr + n->n_wr_WB;
		sum[2] += n->n_pre;
	}
}

uint32_t memory_count_tracked(const struct memory *m, uint32_t sub) { return m->sub[sub].tracked; }

uint32_t memory_count_delayed(const struct memory *m, uint32_t channel)
{
	return m->channel[channel].delay.count;
}

static void print_sub_partition(const struct memory *m, const struct sub *s, FILE *out)
{
	uint32_t entries = 0, misses = 0;

	if (s->l2)
		cache_get_occupancy(s->l2, &entries, &misses);
	if (!s->tracked && !s->icnt_l2.count && !s->l2_dram.count && !s->dram_l2.count && !s->l2_icnt.count &&
		!entries)
		return;
	fprintf(out,
		"sub partition %u: tracked %u, ROP %u, icnt->L2 %u, L2->DRAM %u, DRAM->L2 %u, L2->icnt %u, "
		"MSHR entries %u, miss queue %u\n",
		s->id, s->tracked, s->rop.count, s->icnt_l2.count, s->l2_dram.count, s->dram_l2.count,
		s->l2_icnt.count, entries, misses);
	if (s->icnt_l2.count) {
		const struct req *r = &m->pool->req[s->icnt_l2.head];

		fprintf(out, "\tfirst request for the L2: %s 0x%llx of SM %u warp %u\n",
			acc_type_names[r->type], (unsigned long long)r->addr, r->sm, r->warp);
	}
}

void memory_print_queues(const struct memory *m, FILE *out)
{
	for (uint32_t i = 0; i < m->memory_params->channels; i++) {
		const struct channel *c = &m->channel[i];
		const struct dram *d = &c->dram;

		if (c->delay.count || d->pending[0] || d->pending[1] || d->busy_banks ||
			d->return_queue.count)
			fprintf(out,
				"channel %u: latency queue %u, scheduler reads %u writes %u, busy banks %u, "
				"return queue %u, credits %u\n",
				i, c->delay.count, d->pending[0], d->pending[1], bit_count64(d->busy_banks),
				d->return_queue.count, c->shared_credits);
		for (uint32_t k = 0; k < m->subs_per_channel; k++)
			print_sub_partition(m, &c->sub[k], out);
	}
}
