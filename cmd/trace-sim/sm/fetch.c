/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instruction fetch, and the end of warps (SM-fetch). Always true: the fetch buffer is empty when fetch runs, because
 * decode runs first. A finished warp is reaped only when the scan for a warp to fetch passes its slot.
 * quirk Q2-1: fetch requests the line of the last issued PC + 16. Decode takes the trace's next records anyway.
 */
#include "decode.h"
#include "core/core.h"
#include "lsu/ldst.h"
#include "request/addrdec.h"

#define CODE_BASE 0xF0000000ull

static uint64_t warps_to_fetch(const struct sm *s) { return s->live & ~(s->done | s->imiss | s->ibuf); }

/*
 * Returns the mask of the warps to reap. At the end of a warp, atomics are outstanding only if its last record is an
 * atomic. Such a warp is reaped after the reply; the original never ends it.
 */
static uint64_t warps_to_reap(const struct sm *s) { return s->live & s->drained & ~s->atomic_wait; }

static void reap_warp(struct sm *s, unsigned w)
{
	struct warp *p = &s->warp[w];
	struct cta *c = &s->cta[p->cta];

	s->live &= ~(1ull << w);
	s->live_warps--;
	s->live_threads -= p->lanes;
	s->changed = true;
	c->live_threads -= p->lanes;
	if (c->live_threads)
		return;
	s->n.ctas_completed++;
	s->live_ctas--;
	s->ended[s->n_ended++] = p->cta;
}

/* Reaps the finished warps that a cyclic scan from slot `start` passes before slot `stop`; stop < 0: all slots. */
static NOINLINE void reap_scanned_warps(struct sm *s, unsigned start, int stop)
{
	uint64_t all = warps_to_reap(s), up = all >> start << start, down = all & ~up;

	if (!all)
		return;
	if (stop >= 0 && (unsigned)stop >= start) {
		up &= (1ull << stop) - 1;
		down = 0;
	} else if (stop >= 0) {
		down &= (1ull << stop) - 1;
	}
	FOR_BITS64 (w, up)
		reap_warp(s, (unsigned)w);
	FOR_BITS64 (w, down)
		reap_warp(s, (unsigned)w);
}

/* Accesses the instruction cache for warp w. */
static NOINLINE void access_icache(struct sm *s, unsigned w)
{
	struct req_pool *pool = s->reqs;
	uint32_t h = req_new(pool), line = s->core->l1i.line_bytes, pc = s->warp[w].fetch_pc;
	struct req *r = &pool->req[h];
	uint32_t offset = pc & (line - 1);
	enum cache_status status;

	r->addr = r->orig_addr = pc + CODE_BASE;
	r->size = r->orig_size = (uint16_t)(offset + 16 > line ? line - offset : 16);
	r->type = INST_ACC_R;
	r->flags = REQ_BLANK;
	r->warp = (uint8_t)w;
	r->sm = (uint16_t)s->id;
	r->cluster = (uint16_t)s->cluster;
	r->stream = s->warp[w].stream;
	r->created = (uint32_t)s->now;
	if (addrdec_is_random(s->dec))
		addrdec_decode_request(s->dec, r);
	status = cache_read_only_access(s->l1i, h, s->now);
	if (status == STATUS_MISS) {
		s->imiss |= 1ull << w;
		return;
	}
	if (status == STATUS_HIT)
		s->fetch_buffer = (int32_t)w;
	req_free(pool, h);
}

/*
 * Draws the random partition of a fetch from a perfect instruction cache (MEM-addr-7). quirk Q4-25: the original makes
 * a request even for a perfect cache.
 */
static NOINLINE void consume_partition_random(struct sm *s, unsigned w)
{
	struct req r = {.addr = s->warp[w].fetch_pc + CODE_BASE};

	addrdec_decode_request(s->dec, &r);
}

static void take_icache_reply(struct sm *s)
{
	uint32_t h = cache_pop_ready(s->l1i);
	unsigned w = s->reqs->req[h].warp;

	req_free(s->reqs, h);
	s->imiss &= ~(1ull << w);
	s->fetch_buffer = (int32_t)w;
	s->changed = true;
}

/* Returns the first warp of `candidates` in scan order, and reaps the finished warps before it. */
static inline unsigned scan_to_first_candidate(struct sm *s, uint64_t candidates)
{
	unsigned start = s->fetch_last + 1 < s->core->warps ? s->fetch_last + 1 : 0;
	uint64_t up = candidates >> start << start;
	unsigned w = bit_lowest64(up ? up : candidates);

	if (s->drained && warps_to_reap(s))
		reap_scanned_warps(s, start, (int)w);
	s->fetch_last = w;
	s->changed = true;
	return w;
}

static inline void scan_all_warps(struct sm *s)
{
	if (s->drained && warps_to_reap(s))
		reap_scanned_warps(s, s->fetch_last + 1 < s->core->warps ? s->fetch_last + 1 : 0, -1);
}

/* Runs a cycle of the instruction cache. quirk Q2-3: it runs once per fetch step, so several times in a core cycle. */
static void step_icache(struct sm *s)
{
	if (!cache_miss_queue_empty(s->l1i) &&
		inject_can_push(s, &s->reqs->req[cache_miss_queue_front(s->l1i)], false))
		inject(s, cache_miss_queue_pop(s->l1i));
	cache_end_cycle(s->l1i);
}

static NOINLINE void fetch_through_icache(struct sm *s)
{
	uint64_t candidates = warps_to_fetch(s);

	if (cache_has_ready(s->l1i))
		take_icache_reply(s);
	else if (candidates)
		access_icache(s, scan_to_first_candidate(s, candidates));
	else
		scan_all_warps(s);
	step_icache(s);
}

/*
 * Runs decode and fetch. With a perfect cache each line arrives at once, so only decode changes the set of warps that
 * may be fetched.
 */
void fetch_stage(struct sm *s)
{
	uint64_t candidates = warps_to_fetch(s);

	for (uint32_t left = s->core->fetch_steps; left; left--) {
		if (s->fetch_buffer >= 0) {
			candidates &= ~(1ull << s->fetch_buffer);
			decode_fetch_buffer(s);
		}
		if (s->l1i) {
			fetch_through_icache(s);
			continue;
		}
		if (!candidates) {
			scan_all_warps(s);
			return;
		}
		s->fetch_buffer = (int32_t)scan_to_first_candidate(s, candidates);
		if (addrdec_is_random(s->dec))
			consume_partition_random(s, (unsigned)s->fetch_buffer);
	}
}

void fetch_fill(struct sm *s, uint32_t req, uint64_t now)
{
	cache_fill(s->l1i, req, now);
	if (s->modern)
		core_l1i_note_fill(s);
	sm_wake(s);
}
