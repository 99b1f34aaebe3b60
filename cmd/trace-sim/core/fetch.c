/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fetch: instruction buffers, the instruction cache of a sub-core (L0) with its stream buffers, and the instruction
 * cache of the SM (L1I). Misses of the L1I use the network and memory as in the core of sm/.
 *
 * Always true: a sub-core requests one instruction per cycle, for the greedy warp, else for the youngest warp. An
 * instruction that hits at time c may issue from c + L0_HIT_TO_ISSUE on. A warp that missed is not in needs_fetch until
 * its line is in the L0; then it requests the instruction again. Fetch follows the recorded path: after a jump it waits
 * until the jump has issued. The wrong path that hardware fetches meanwhile is not modelled. Kernels never share lines
 * of code.
 */
#include "core/core.h"
#include "request/addrdec.h"
#include "sm/kernel.h"

#define L0_HIT_TO_ISSUE 3u /* cycles from an L0 hit to the issue: response, decoding, choice of a warp */

/* ---- the L0 ------------------------------------------------------------------------------------- */

static uint64_t l0_line_of(const struct core *c, uint64_t pc)
{
	return pc & ~(uint64_t)(c->params->l0i_line - 1);
}

static uint32_t l0_set_of(const struct core *c, uint64_t line)
{
	return (uint32_t)(line / c->params->l0i_line) & (c->params->l0i_sets - 1);
}

/* Returns the way of a line in its set; -1: not present. */
static int find_l0_way(const struct core *c, const struct subcore *b, uint64_t line)
{
	const uint64_t *tag = b->tag + (size_t)l0_set_of(c, line) * c->params->l0i_ways;

	for (uint32_t i = 0; i < c->params->l0i_ways; i++)
		if (tag[i] == line + 1)
			return (int)i;
	return -1;
}

static void fill_l0(const struct core *c, struct subcore *b, uint64_t line)
{
	size_t set = (size_t)l0_set_of(c, line) * c->params->l0i_ways, best = set;

	for (size_t i = set; i < set + c->params->l0i_ways && b->tag[best]; i++)
		if (!b->tag[i] || b->used[i] < b->used[best])
			best = i;
	if (b->tag[best])
		b->generation++; /* invalidates core_warp.line */
	b->tag[best] = line + 1;
	b->used[best] = ++b->uses;
}

static bool access_l0_cache(const struct core *c, struct subcore *b, struct core_warp *cw, uint64_t line)
{
	int way;

	if (cw->line == line && cw->generation == b->generation)
		return true;
	way = find_l0_way(c, b, line);
	if (way < 0)
		return false;
	b->used[(size_t)l0_set_of(c, line) * c->params->l0i_ways + (size_t)way] = ++b->uses;
	cw->line = line;
	cw->generation = b->generation;
	return true;
}

/* ---- misses and the stream buffers -------------------------------------------------------------- */

/* Sends a request to the L1I, which accepts one per cycle. */
static void request_line_from_l1i(struct sm *s, unsigned sub, uint64_t line)
{
	struct core *c = s->modern;
	uint64_t at = s->clock + c->params->l0i_l1i_latency;

	if (at <= c->l1i_request_at)
		at = c->l1i_request_at + 1;
	if (at <= s->clock)
		at = s->clock + 1;
	c->l1i_request_at = at;
	core_add_event(s, at, EVENT_L1I, sub, line);
}

static int find_requested_line(const struct subcore *b, uint64_t line)
{
	FOR_BITS64 (i, b->missing_slots)
		if (b->missing[i] == line)
			return (int)i;
	return -1;
}

/* Returns the position of a line in the stream buffer, counted from its head; -1: not present. */
static int find_in_stream_buffer(const struct stream_buffer *t, uint64_t line)
{
	for (uint32_t i = 0; i < t->count; i++)
		if (t->line[(t->head + i) % STREAM_SLOTS] == line)
			return (int)i;
	return -1;
}

static void stream_buffer_pop(struct stream_buffer *t)
{
	t->present &= ~(1ull << t->head);
	t->head = (t->head + 1) % STREAM_SLOTS;
	t->count--;
}

static void stream_set_active(struct subcore *b, struct stream_buffer *t, bool active)
{
	b->active_streams += (uint32_t)active - (uint32_t)t->active;
	t->active = active;
}

static void stream_buffer_restart(struct subcore *b, struct stream_buffer *t, uint64_t line, uint64_t now)
{
	t->present = 0;
	t->head = t->count = 0;
	t->next_line = line;
	t->last_use = now;
	stream_set_active(b, t, true);
}

/*
 * Returns the stream buffer in which a line has the lowest position, and sets *place to that position; NULL: none
 * contains it.
 */
static struct stream_buffer *stream_with_line(
	const struct core *c, struct subcore *b, uint64_t line, int *place)
{
	struct stream_buffer *best = NULL;

	*place = -1;
	for (uint32_t i = 0; i < c->params->prefetch_streams; i++) {
		int at = find_in_stream_buffer(&b->stream[i], line);

		if (at >= 0 && (!best || at < *place)) {
			best = &b->stream[i];
			*place = at;
		}
	}
	return best;
}

/* Returns the stream buffer that has been in use least recently. */
static struct stream_buffer *oldest_stream(const struct core *c, struct subcore *b)
{
	struct stream_buffer *oldest = b->stream;

	for (uint32_t i = 1; i < c->params->prefetch_streams; i++)
		if (b->stream[i].last_use < oldest->last_use)
			oldest = &b->stream[i];
	return oldest;
}

/*
 * Makes the warp of `rank` wait for the line. With `ask`, also requests the line unless it is requested already. A warp
 * waits for one line at a time, so a slot of `missing` is free.
 */
static void make_rank_wait_for_line(
	struct sm *s, struct subcore *b, unsigned sub, uint64_t line, uint64_t rank, bool ask)
{
	int i = find_requested_line(b, line);

	if (i < 0) {
		i = (int)bit_lowest64(~b->missing_slots);
		b->missing_slots |= 1ull << i;
		b->missing[i] = line;
		b->missing_warps[i] = 0;
		if (ask)
			request_line_from_l1i(s, sub, line);
	}
	b->missing_warps[i] |= 1ull << rank;
	b->needs_fetch &= ~(1ull << rank);
}

/*
 * Handles an L0 miss. A stream buffer that contains the line drops the lines before it, which the code has skipped.
 * Returns true if the line has arrived there and has been moved into the L0. Otherwise the warp of `rank` waits for
 * the line.
 */
static bool take_line_from_stream(struct sm *s, unsigned sub, uint64_t line, unsigned rank)
{
	struct core *c = s->modern;
	struct subcore *b = &c->sub[sub];
	struct stream_buffer *t;
	int place, next;

	c->n.l0_misses++;
	if (find_requested_line(b, line) >= 0) {
		make_rank_wait_for_line(s, b, sub, line, rank, false);
		return false;
	}
	t = c->params->prefetch_lines ? stream_with_line(c, b, line, &place) : NULL;
	if (t) {
		for (; place > 0; place--)
			stream_buffer_pop(t);
		c->n.stream_hits++;
		t->last_use = s->clock;
		if (t->present >> t->head & 1) {
			stream_buffer_pop(t);
			fill_l0(c, b, line);
			return true;
		}
		make_rank_wait_for_line(s, b, sub, line, rank, false);
		return false;
	}
	make_rank_wait_for_line(s, b, sub, line, rank, true);
	if (c->params->prefetch_lines && !stream_with_line(c, b, line + c->params->l0i_line, &next))
		stream_buffer_restart(b, oldest_stream(c, b), line + c->params->l0i_line, s->clock);
	return false;
}

/*
 * Requests the next line of a stream. Returns false if it requests none. A stream does not look up its lines in the L0:
 * code larger than the L0 has lines there that are evicted before they are used, at which the stream would end.
 */
static bool prefetch_line(struct sm *s, struct subcore *b, unsigned sub, struct stream_buffer *t)
{
	struct core *c = s->modern;
	int place;

	if (!t->active || t->count >= c->params->prefetch_lines)
		return false;
	if (find_requested_line(b, t->next_line) >= 0 || stream_with_line(c, b, t->next_line, &place)) {
		stream_set_active(b, t, false);
		return false;
	}
	t->line[(t->head + t->count++) % STREAM_SLOTS] = t->next_line;
	c->n.prefetches++;
	request_line_from_l1i(s, sub, t->next_line);
	t->next_line += c->params->l0i_line;
	return true;
}

/* Requests a line for the first stream that can take one. Returns true if a stream can take another line. */
static bool prefetch_next_line(struct sm *s, struct subcore *b, unsigned sub)
{
	const struct core *c = s->modern;
	bool requested = false, more = false;

	for (uint32_t i = 0; i < c->params->prefetch_streams; i++) {
		struct stream_buffer *t = &b->stream[i];

		requested = requested || prefetch_line(s, b, sub, t);
		more |= requested && t->active && t->count < c->params->prefetch_lines;
	}
	return more;
}

/* Handles the arrival of a line from the L1I, or of constants if sub is CONST_SUB. */
void core_fetch_line_arrived(struct sm *s, unsigned sub, uint64_t line)
{
	struct core *c = s->modern;
	struct subcore *b = &c->sub[sub];
	struct stream_buffer *t;
	int place, i;

	if (sub == CONST_SUB) {
		core_memory_constants_arrived(s);
		return;
	}
	t = stream_with_line(c, b, line, &place);
	i = find_requested_line(b, line);
	if (t)
		t->present |= 1ull << (t->head + (unsigned)place) % STREAM_SLOTS;
	if (i < 0)
		return;
	if (t && place == 0)
		stream_buffer_pop(t);
	fill_l0(c, b, line);
	b->missing_slots &= ~(1ull << i);
	b->needs_fetch |= b->missing_warps[i];
	core_wake_subcore_at(c, sub, s->clock);
}

/* ---- fetch -------------------------------------------------------------------------------------- */

/*
 * Returns true if the warp may fetch its next record. After a jump it may do so only when all fetched records have
 * issued.
 */
static bool can_fetch_more(const struct core *c, const struct warp *p, const struct core_warp *cw)
{
	return cw->fetched <= p->last && cw->fetched - p->cursor < c->params->ibuffer &&
	       (cw->next_is_sequential || cw->fetched == p->cursor);
}

void core_fetch_request_next(struct sm *s, unsigned w)
{
	struct core *c = s->modern;
	struct core_warp *cw = core_warp_of(s, w);
	struct subcore *b = &c->sub[cw->sub];
	const struct warp *p = &s->warp[w];

	if (!can_fetch_more(c, p, cw))
		return;
	FOR_BITS64 (i, b->missing_slots)
		if (b->missing_warps[i] >> cw->rank & 1)
			return;
	b->needs_fetch |= 1ull << cw->rank;
	core_wake_subcore_at(c, cw->sub, s->clock);
}

static unsigned next_rank_to_fetch(const struct subcore *b)
{
	if (b->greedy >= 0 && b->needs_fetch >> b->greedy & 1)
		return (unsigned)b->greedy;
	return 63 - (unsigned)__builtin_clzll(b->needs_fetch);
}

static void fetch_from_warp(struct sm *s, unsigned sub)
{
	struct core *c = s->modern;
	struct subcore *b = &c->sub[sub];
	unsigned rank = next_rank_to_fetch(b), w = b->warp_of[rank];
	struct core_warp *cw = core_warp_of(s, w);
	struct warp *p = &s->warp[w];
	const struct core_inst *in = cw->next_fetch;
	uint64_t line = l0_line_of(c, cw->code_base + in->pc);

	c->n.fetches++;
	if (!s->core->perfect_icache && !access_l0_cache(c, b, cw, line) &&
		!take_line_from_stream(s, sub, line, rank))
		return;
	cw->buffer[cw->fetched % BUFFER_SLOTS] = (struct core_buffered){s->clock + L0_HIT_TO_ISSUE, in};
	if (cw->fetched++ < p->last) {
		cw->next_fetch = core_inst_at(s, p, cw->fetched);
		cw->next_is_sequential = core_follows_in_memory(in, cw->next_fetch);
	}
	if (cw->fetched == p->cursor + 1)
		core_schedule_head(s, w);
	if (!can_fetch_more(c, p, cw))
		b->needs_fetch &= ~(1ull << rank);
}

/* Runs the fetch stage of a sub-core. Returns true if it has work in the next cycle, too. */
bool core_fetch_stage(struct sm *s, unsigned sub)
{
	struct subcore *b = &s->modern->sub[sub];
	bool more = false;

	if (b->needs_fetch)
		fetch_from_warp(s, sub);
	if (b->active_streams)
		more = prefetch_next_line(s, b, sub);
	return more || b->needs_fetch;
}

/* ---- the SM's instruction cache ----------------------------------------------------------------- */

static void reply_with_line(struct sm *s, unsigned sub, uint64_t line)
{
	struct core *c = s->modern;
	uint64_t at = s->clock + c->params->l0i_l1i_latency;

	if (at <= c->l1i_reply_at)
		at = c->l1i_reply_at + 1;
	if (at <= s->clock)
		at = s->clock + 1;
	c->l1i_reply_at = at;
	core_add_event(s, at, EVENT_LINE, sub, line);
}

/*
 * Returns true if the launch has loaded the line: the first launch_lines lines of a kernel. Kernels begin at multiples
 * of CORE_CODE_SPAN.
 */
static bool was_line_loaded_by_launch(const struct core *c, uint64_t line)
{
	return (line & (CORE_CODE_SPAN - 1)) < (uint64_t)c->params->launch_lines * c->params->l0i_line;
}

void core_l1i_access(struct sm *s, unsigned sub, uint64_t line)
{
	struct req_pool *pool = s->reqs;
	enum cache_status status;
	struct req *r;
	uint32_t h;

	if (was_line_loaded_by_launch(s->modern, line)) {
		reply_with_line(s, sub, line);
		return;
	}
	h = req_new(pool);
	r = &pool->req[h];
	r->addr = r->orig_addr = line;
	r->size = r->orig_size = 16;
	r->type = INST_ACC_R;
	r->flags = REQ_BLANK;
	r->warp = (uint8_t)sub;
	r->sm = (uint16_t)s->id;
	r->cluster = (uint16_t)s->cluster;
	r->stream = s->modern->stream;
	r->created = (uint32_t)s->now;
	if (addrdec_is_random(s->dec))
		addrdec_decode_request(s->dec, r);
	status = cache_read_only_access(s->l1i, h, s->now);
	s->modern->l1i_busy = true;
	if (status == STATUS_MISS)
		return;
	req_free(pool, h);
	if (status == STATUS_HIT)
		reply_with_line(s, sub, line);
	else
		core_add_event(s, s->clock + 1, EVENT_L1I, sub, line);
}

void core_l1i_note_fill(struct sm *s) { s->modern->l1i_busy = true; }

void core_l1i_fill(struct sm *s, uint32_t req)
{
	cache_fill(s->l1i, req, s->now);
	s->modern->l1i_busy = true;
}

/* Runs a cycle of the L1I: sends one miss to memory, and replies to sub-cores with the lines that have arrived. */
void core_l1i_step(struct sm *s)
{
	struct req_pool *pool = s->reqs;
	uint32_t fixed = s->modern->params->l1i_miss_latency;

	while (cache_has_ready(s->l1i)) {
		uint32_t h = cache_pop_ready(s->l1i);

		reply_with_line(s, pool->req[h].warp, pool->req[h].orig_addr);
		req_free(pool, h);
	}
	while (fixed && !cache_miss_queue_empty(s->l1i))
		core_add_event(s, s->clock + fixed, EVENT_FILL, 0, cache_miss_queue_pop(s->l1i));
	if (!cache_miss_queue_empty(s->l1i) &&
		inject_can_push(s, &pool->req[cache_miss_queue_front(s->l1i)], false))
		inject(s, cache_miss_queue_pop(s->l1i));
	cache_end_cycle(s->l1i);
	s->modern->l1i_busy =
		!cache_miss_queue_empty(s->l1i) || !cache_ports_idle(s->l1i) || cache_has_ready(s->l1i);
}

/*
 * Empties the instruction caches. Lines in flight still arrive. Either the next kernel has requested them, or they are
 * never used.
 */
void core_fetch_flush(struct sm *s)
{
	struct core *c = s->modern;
	size_t lines = (size_t)c->params->l0i_sets * c->params->l0i_ways;

	for (unsigned k = 0; k < c->subs; k++) {
		struct subcore *b = &c->sub[k];

		memset(b->tag, 0, lines * sizeof(*b->tag));
		b->generation++;
		for (uint32_t i = 0; i < STREAM_BUFFERS; i++) {
			stream_buffer_restart(b, &b->stream[i], 0, 0);
			stream_set_active(b, &b->stream[i], false);
		}
	}
	if (s->l1i)
		cache_invalidate(s->l1i);
}
