/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Gangs (gang.h): the barrier, and the messages between the SMs of a gang. A message occupies the port of the sender
 * for its bytes and a header. It occupies the data port of the receiver for the passes of its access.
 */
#include "arena.h"
#include "core/core.h"
#include "sm/gang.h"
#include "sm/kernel.h"
#include "sm/mbarrier.h"

#define READ_HEADER      8u /* bytes of a read request, a reply or a part of a copy in addition to the data */
#define WRITE_HEADER     16u /* bytes of a write in addition to the data; includes the addresses */
#define TICKS_PER_CYCLE  16u /* number of units of out_free_at per cycle */
#define PORT_BACKLOG_MAX 64u /* a port that is occupied for this number of cycles accepts no access */

/* ---- members ------------------------------------------------------------------------------------ */

void gang_init(struct gang *g, uint32_t number, uint32_t blocks, uint32_t warps)
{
	*g = (struct gang){.number = number,
		.blocks = blocks,
		.blocks_left = blocks,
		.warps_running = blocks * warps,
		.not_arrived = blocks * warps};
}

void gang_add_block(struct gang *g, struct sm *s, unsigned slot)
{
	struct cta *k = &s->cta[slot];

	k->gang = g;
	k->rank = g->placed;
	k->gang_arrived = k->gang_waiting = 0;
	g->member[g->placed].sm = s;
	g->member[g->placed++].slot = (uint8_t)slot;
	if (!s->port)
		s->port = reserve(1, sizeof(*s->port));
	s->observed = true;
}

void gang_port_free(struct sm *s)
{
	if (s->port)
		reserve_free(s->port, 1, sizeof(*s->port));
}

/* ---- messages ----------------------------------------------------------------------------------- */

/* Puts a message into the port of an SM, in the order of time, and wakes the SM when the message is due. */
static void enqueue_message(struct sm *to, const struct gang_message *m)
{
	struct gang_port *p = to->port;
	uint32_t i = p->count++;

	assert(p->count <= GANG_MESSAGES);
	for (; i && p->message[(p->first + i - 1) % GANG_MESSAGES].arrives_at > m->arrives_at; i--)
		p->message[(p->first + i) % GANG_MESSAGES] = p->message[(p->first + i - 1) % GANG_MESSAGES];
	p->message[(p->first + i) % GANG_MESSAGES] = *m;
	if (to->live_ctas && m->arrives_at < *to->wake_at)
		*to->wake_at = m->arrives_at;
}

/* Sends a message of `bytes` bytes from s to SM `to`, at time `at` or when the port of s is free. */
static void send_message(struct sm *s, struct sm *to, struct gang_message *m, uint64_t at, uint32_t bytes)
{
	const struct modern_params *p = &s->params->modern;

	assert(s->port && to->port);
	s->port->out_free_at =
		max_u64(s->port->out_free_at, TICKS_PER_CYCLE * at) + TICKS_PER_CYCLE * bytes / p->dsm_bytes;
	m->arrives_at = s->port->out_free_at / TICKS_PER_CYCLE + p->dsm_latency;
	enqueue_message(to, m);
}

bool gang_can_send(const struct sm *s)
{
	return s->port->out_free_at < TICKS_PER_CYCLE * (s->now + PORT_BACKLOG_MAX);
}

/* Replies at time `at` to an access of another SM. */
static void reply_to_remote_access(struct sm *s, const struct gang_message *m, uint64_t at)
{
	bool read = m->kind == GANG_READ;
	struct gang_message answer = {.kind = read ? GANG_DATA : GANG_ACKNOWLEDGE, .op = m->op};

	send_message(s, m->from, &answer, at, READ_HEADER + (read ? m->bytes : 0));
}

/* Empties the port of an SM without thread blocks: replies to accesses, and drops all other messages. */
static void empty_gang_port(struct sm *s)
{
	struct gang_port *p = s->port;

	for (; p->count; p->count--, p->first = (p->first + 1) % GANG_MESSAGES) {
		const struct gang_message *m = &p->message[p->first];

		if (m->kind == GANG_READ || m->kind == GANG_WRITE)
			reply_to_remote_access(s, m, max_u64(m->arrives_at, s->now));
	}
}

bool gang_remove_block(struct sm *s, unsigned slot)
{
	struct cta *k = &s->cta[slot];
	struct gang *g = k->gang;

	g->member[k->rank].sm = NULL;
	k->gang = NULL;
	if (!s->live_ctas)
		empty_gang_port(s);
	return !--g->blocks_left;
}

/* ---- the barrier -------------------------------------------------------------------------------- */

static void open_gang_barrier(struct sm *s, struct gang *g)
{
	g->not_arrived = g->warps_running;
	for (uint32_t r = 0; r < g->placed; r++) {
		struct cta *k = g->member[r].sm ? &g->member[r].sm->cta[g->member[r].slot] : NULL;

		if (!k)
			continue;
		if (k->gang_waiting)
			enqueue_message(
				g->member[r].sm, &(struct gang_message){.kind = GANG_OPEN,
							 .arrives_at = s->now + s->params->modern.dsm_latency,
							 .gang = g->number,
							 .slot = g->member[r].slot,
							 .operand = k->gang_waiting});
		k->gang_arrived = k->gang_waiting = 0;
	}
}

void gang_arrive_at_barrier(struct sm *s, unsigned w)
{
	struct cta *k = &s->cta[s->warp[w].cta];

	if (!k->gang || k->gang_arrived >> w & 1)
		return;
	k->gang_arrived |= 1ull << w;
	if (!--k->gang->not_arrived)
		open_gang_barrier(s, k->gang);
}

bool gang_wait_at_barrier(struct sm *s, unsigned w)
{
	struct cta *k = &s->cta[s->warp[w].cta];

	if (!k->gang || !(k->gang_arrived >> w & 1))
		return false;
	k->gang_waiting |= 1ull << w;
	return true;
}

void gang_warp_exit(struct sm *s, unsigned w)
{
	struct cta *k = &s->cta[s->warp[w].cta];

	if (!k->gang)
		return;
	k->gang->warps_running--;
	if (!(k->gang_arrived >> w & 1) && !--k->gang->not_arrived)
		open_gang_barrier(s, k->gang);
}

/* ---- accesses ----------------------------------------------------------------------------------- */

uint32_t gang_rank_of(const struct cta *k, uint64_t address)
{
	uint64_t rank = (address - k->kernel->head->shmem_base) >> GANG_WINDOW;

	return rank < k->gang->blocks ? (uint32_t)rank : k->rank;
}

bool gang_is_remote(const struct cta *k, uint64_t address)
{
	return k->gang && gang_rank_of(k, address) != k->rank;
}

uint32_t gang_send_accesses(struct sm *s, const struct winst *w, uint16_t op, uint32_t passes, bool write)
{
	struct cta *k = &s->cta[w->cta];
	uint32_t lanes[GANG_BLOCKS] = {0}, n = 0;
	bool data = write || w->uop->flags & UOP_ATOMIC; /* the message contains operands */
	uint64_t address[32];

	rec_addresses(&k->block, &w->record, address);
	FOR_BITS32 (i, w->mask)
		lanes[gang_rank_of(k, address[i])]++;
	for (uint32_t r = 0; r < k->gang->blocks; r++) {
		struct gang_message m = {.kind = write ? GANG_WRITE : GANG_READ,
			.from = s,
			.op = write ? w->warp : op,
			.bytes = lanes[r] * w->uop->size,
			.slot = k->gang->member[r].slot,
			.passes = (uint8_t)passes};

		if (!lanes[r] || !k->gang->member[r].sm) /* accesses to ended thread blocks are dropped */
			continue;
		send_message(
			s, k->gang->member[r].sm, &m, s->now, data ? m.bytes + WRITE_HEADER : READ_HEADER);
		n++;
	}
	return n;
}

/* Sends a message to each thread block in the mask `ranks`. It arrives after -core_multicast_latency cycles. */
static void send_multicast(struct sm *s, unsigned w, uint32_t ranks, struct gang_message *m)
{
	const struct gang *g = s->cta[s->warp[w].cta].gang;

	m->arrives_at = s->now + s->params->modern.multicast_latency;
	FOR_BITS32 (r, ranks)
		if (r < g->placed && g->member[r].sm) {
			m->slot = g->member[r].slot;
			enqueue_message(g->member[r].sm, m);
		}
}

void gang_complete_multicast(struct sm *s, unsigned w, uint32_t ranks, uint32_t mbarrier, uint64_t bytes)
{
	send_multicast(s, w, ranks,
		&(struct gang_message){.kind = GANG_COMPLETE,
			.gang = s->cta[s->warp[w].cta].gang->number,
			.address = mbarrier,
			.operand = bytes});
}

void gang_send_multicast_data(struct sm *s, unsigned w, uint32_t ranks, uint32_t bytes)
{
	const struct cta *k = &s->cta[s->warp[w].cta];

	if (k->gang)
		send_multicast(s, w, ranks & ~(1u << k->rank),
			&(struct gang_message){.kind = GANG_BYTES, .bytes = bytes});
}

uint32_t gang_send_stores(struct sm *s, const struct winst *w, uint32_t passes)
{
	const struct cta *k = &s->cta[w->cta];
	uint64_t address[32];
	uint32_t left = w->mask, n = 0;

	rec_addresses(&k->block, &w->record, address);
	while (left) { /* one message for all lanes with the same thread block and mbarrier */
		uint64_t first = address[bit_lowest32(left)];
		uint32_t rank = (uint32_t)first >> GANG_WINDOW, lanes = 0;
		struct gang_message m = {.kind = GANG_STORE,
			.gang = k->gang->number,
			.address = (uint32_t)(first >> 32),
			.passes = (uint8_t)passes};

		FOR_BITS32 (i, left)
			if (address[i] >> 32 == first >> 32 && (uint32_t)address[i] >> GANG_WINDOW == rank)
				lanes |= 1u << i;
		left &= ~lanes;
		rank = rank < k->gang->placed ? rank : k->rank;
		m.bytes = bit_count32(lanes) * w->uop->size;
		m.slot = k->gang->member[rank].slot;
		if (!k->gang->member[rank].sm) /* stores to ended thread blocks are dropped */
			continue;
		send_message(s, k->gang->member[rank].sm, &m, s->now, m.bytes + WRITE_HEADER);
		n++;
	}
	return n;
}

void gang_send_copy(struct sm *s, unsigned cta, uint32_t mbarrier, uint32_t bytes)
{
	const struct cta *k = &s->cta[cta];
	uint32_t rank = mbarrier >> GANG_WINDOW;
	struct gang_message m = {
		.kind = GANG_STORE, .gang = k->gang->number, .address = mbarrier, .bytes = bytes};

	rank = rank < k->gang->placed ? rank : k->rank;
	m.slot = k->gang->member[rank].slot;
	m.passes = (uint8_t)core_div_up(bytes, s->params->modern.shared_bytes);
	if (k->gang->member[rank].sm) /* copies to ended thread blocks are dropped */
		send_message(s, k->gang->member[rank].sm, &m, s->now, bytes + READ_HEADER);
}

void gang_send_effect(
	struct sm *s, unsigned cta, uint32_t rank, uint64_t mbarrier, uint32_t effect, uint32_t v)
{
	const struct gang *g = s->cta[cta].gang;
	struct gang_message m = {.kind = GANG_EFFECT,
		.gang = g->number,
		.slot = g->member[rank].slot,
		.address = (uint32_t)mbarrier,
		.op = (uint16_t)(effect & ~(uint32_t)SYNC_REMOTE),
		.operand = v};

	if (g->member[rank].sm)
		send_message(s, g->member[rank].sm, &m, s->now, WRITE_HEADER);
}

/* ---- the receiver ------------------------------------------------------------------------------- */

/* Returns true if a message is for a thread block that has ended. */
static bool is_for_ended_block(const struct sm *s, const struct gang_message *m)
{
	const struct gang *g = s->cta[m->slot].gang;

	return m->gang && (!g || g->number != m->gang);
}

static void release_from_gang_barrier(struct sm *s, uint64_t warps)
{
	if (!s->modern) {
		s->gang_wait &= ~warps;
		s->dep_wait &= ~warps;
		return;
	}
	FOR_BITS64 (w, warps)
		core_sync_release_warp(s, (unsigned)w, s->clock + 1);
}

static void handle_gang_message(struct sm *s, const struct gang_message *m)
{
	if (is_for_ended_block(s, m))
		return;
	switch ((enum gang_kind)m->kind) {
	case GANG_OPEN: release_from_gang_barrier(s, m->operand); return;
	case GANG_READ:
	case GANG_WRITE: reply_to_remote_access(s, m, s->now + core_remote_serve(s, m->passes)); return;
	case GANG_DATA: core_remote_handle_reply(s, m->op); return;
	case GANG_STORE:
		if (s->modern)
			core_remote_serve(s, m->passes);
		mbarrier_complete_bytes(s, m->slot, m->address, m->bytes);
		return;
	case GANG_EFFECT: mbarrier_apply_effect(s, m->slot, m->address, m->op, (uint32_t)m->operand); return;
	case GANG_BYTES:
		if (s->modern)
			core_memory_occupy_port(s, core_div_up(m->bytes, s->params->modern.shared_bytes));
		return;
	case GANG_ACKNOWLEDGE: core_remote_store_acked(s, m->op); return;
	case GANG_COMPLETE: mbarrier_complete_bytes(s, m->slot, m->address, m->operand); return;
	}
}

void gang_handle_messages(struct sm *s)
{
	struct gang_port *p = s->port;

	while (p->count && p->message[p->first].arrives_at <= s->now) {
		struct gang_message m = p->message[p->first];

		p->first = (p->first + 1) % GANG_MESSAGES;
		p->count--;
		handle_gang_message(s, &m);
		s->changed = true;
	}
}
