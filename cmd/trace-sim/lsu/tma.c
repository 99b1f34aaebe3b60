/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tensor memory accelerator (HOPPER-tma). A copy waits for its descriptor and for the start of the unit. It is then
 * split into requests of at most 128 bytes, one line. Data of loads is written to shared memory when it arrives. Data
 * of stores and reductions is read from shared memory when the request is sent. The parts of a copy to another thread
 * block's shared memory are messages to its SM.
 */
#include <string.h>
#include "arena.h"
#include "core/core.h"
#include "lsu/ldst_int.h"
#include "lsu/tma.h"
#include "sm/gang.h"
#include "sm/mbarrier.h"

#define LINE_BYTES   128u
#define SECTOR_BYTES 32u

struct tma_copy {
	uint64_t ready_at;           /* earliest time of the copy's first request */
	struct bulk_copy bulk;       /* the bulk copy as the trace describes it */
	struct copy_run current_run; /* run that contains the next request */
	uint32_t run;                /* number of the current run */
	uint32_t row;                /* number of the current row in the run */
	uint32_t requested_bytes;    /* number of bytes of the row that have been requested */
	uint32_t outstanding;        /* number of outstanding replies, plus 1 until all requests are made */
	struct rec rec;
	uint16_t next; /* next element of the list of free copies */
	uint8_t kind;  /* enum uop_bulk */
	uint8_t warp, sched;
};

struct tma {
	uint64_t free_at;                     /* time from which the unit may make another request */
	uint32_t first_queued;                /* index of the first copy in `queue` */
	uint32_t n_queued;                    /* number of copies in `queue` */
	uint16_t queue[TMA_COPIES];           /* copies with requests to make, oldest first */
	uint32_t first_outside;               /* index of the first copy in `outside` */
	uint32_t n_outside;                   /* number of copies in `outside` */
	uint16_t outside[TMA_COPIES];         /* loads without elements in bounds, by the time of their end */
	uint16_t first_free;                  /* first element of the list of free copies */
	uint16_t n_made;                      /* number of elements of `copy` that were ever used */
	bool ended;                           /* true if a copy has ended since the last step */
	struct tma_copy copy[TMA_COPIES + 1]; /* copies; [0] is unused */
};

struct tma *tma_new(void) { return reserve(1, sizeof(struct tma)); }

void tma_free(struct tma *t)
{
	if (t)
		reserve_free(t, 1, sizeof(*t));
}

/* ---- rows --------------------------------------------------------------------------------------- */

/* Sets `current_run` to the run number c->run or, if that one is empty, to the next run that has bytes. */
static void skip_empty_runs(struct tma_copy *c)
{
	for (; c->run < c->bulk.n_runs; c->run++) {
		c->current_run = copy_run_at(&c->bulk, c->run);
		if (c->current_run.rows && c->current_run.bytes)
			return;
	}
}

/*
 * Makes a bulk copy that consists of the first active lane's access, for traces that do not list the elements of
 * copies.
 */
static void set_single_run(const struct sm *s, const struct winst *w, struct tma_copy *c)
{
	c->bulk.n_runs = 1;
	c->current_run = (struct copy_run){
		.base = s->cta[w->cta].block.word[w->addr >> 2], .bytes = w->uop->size, .rows = 1};
}

/*
 * Makes a copy between thread blocks of a gang a single row. The trace does not contain its addresses, so the row
 * begins with a line. Without a gang the copy has no requests.
 */
static void set_cluster_run(struct tma_copy *c, bool has_gang)
{
	c->bulk.n_runs = has_gang && c->bulk.bytes;
	c->current_run = (struct copy_run){.bytes = (uint32_t)c->bulk.bytes, .rows = 1};
}

/* Sets the runs of a new copy, of instruction w. */
static void set_copy_runs(const struct sm *s, const struct winst *w, struct tma_copy *c)
{
	const struct cta *k = &s->cta[w->cta];
	bool listed = rec_copy(&k->block, &w->record, code_at(s->code, w->code), &c->bulk);

	if (c->kind == BULK_CLUSTER)
		set_cluster_run(c, k->gang && c->bulk.bytes <= UINT32_MAX);
	else if (listed)
		skip_empty_runs(c);
	else if (w->mask && w->addr)
		set_single_run(s, w, c);
}

static bool has_copy_requests_left(const struct tma_copy *c) { return c->run < c->bulk.n_runs; }

/* Advances the copy past a request of n bytes. */
static void advance_copy(struct tma_copy *c, uint32_t n)
{
	c->requested_bytes += n;
	if (c->requested_bytes < c->current_run.bytes)
		return;
	c->requested_bytes = 0;
	if (++c->row < c->current_run.rows)
		return;
	c->row = 0;
	c->run++;
	skip_empty_runs(c);
}

/* ---- acceptance --------------------------------------------------------------------------------- */

bool tma_can_accept(const struct sm *s)
{
	const struct tma *t = s->ldst->tma;

	return t->first_free || t->n_made < TMA_COPIES;
}

static uint16_t alloc_tma_copy(struct tma *t)
{
	uint16_t k = t->first_free;

	if (!k)
		return ++t->n_made;
	t->first_free = t->copy[k].next;
	return k;
}

void tma_accept(struct sm *s, const struct winst *w)
{
	struct tma *t = s->ldst->tma;
	const struct modern_params *m = &s->params->modern;
	uint16_t k = alloc_tma_copy(t);
	struct tma_copy *c = &t->copy[k];

	*c = (struct tma_copy){
		.ready_at = s->clock + m->tma_latency + (w->uop->has_descriptor ? m->tma_descriptor : 0),
		.outstanding = 1,
		.rec = w->record,
		.kind = w->uop->bulk,
		.warp = w->warp,
		.sched = w->sched};
	set_copy_runs(s, w, c);
	s->warp[w->warp].copies++;
	if (c->kind == BULK_LOAD && c->bulk.bytes && !has_copy_requests_left(c)) {
		c->ready_at += m->tma_outside;
		t->outside[(t->first_outside + t->n_outside++) % TMA_COPIES] = k;
		return;
	}
	t->queue[(t->first_queued + t->n_queued++) % TMA_COPIES] = k;
}

/* ---- the end of a copy -------------------------------------------------------------------------- */

static void end_bulk_copy(struct sm *s, uint16_t k)
{
	struct tma *t = s->ldst->tma;
	struct tma_copy *c = &t->copy[k];

	bulk_end_copy(s, c->warp, &c->rec);
	if (!--s->warp[c->warp].copies) {
		warp_update_drained(s, c->warp);
		s->changed = true;
	}
	c->next = t->first_free;
	t->first_free = k;
	t->ended = true;
}

static void end_bulk_copy_part(struct sm *s, uint16_t k)
{
	if (!--s->ldst->tma->copy[k].outstanding)
		end_bulk_copy(s, k);
}

/* Occupies the data port of shared memory for the bytes of a request. */
static void occupy_shared_memory(struct sm *s, uint32_t bytes)
{
	if (s->modern)
		core_memory_occupy_port(s, core_div_up(bytes, s->params->modern.shared_bytes));
}

void tma_handle_reply(struct sm *s, uint32_t handle)
{
	const struct req *r = ldst_req(s, handle);
	uint16_t k = (uint16_t)r->lane0;
	const struct tma_copy *c = &s->ldst->tma->copy[k];

	if (c->kind == BULK_LOAD)
		occupy_shared_memory(s, r->size);
	if (c->bulk.multicast)
		gang_send_multicast_data(s, c->warp, c->bulk.mask, r->size);
	req_free(s->reqs, handle);
	end_bulk_copy_part(s, k);
}

void tma_handle_acknowledge(struct sm *s, const struct req *of)
{
	end_bulk_copy_part(s, (uint16_t)of->lane0);
}

/* ---- requests ----------------------------------------------------------------------------------- */

/* Sets the bits `from` to `to` - 1 of a line's byte mask. */
static void mark_copied_bytes(uint64_t bytes[2], uint32_t from, uint32_t to)
{
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t lo = from > 64 * i ? from - 64 * i : 0, hi = to > 64 * i ? to - 64 * i : 0;

		hi = hi < 64 ? hi : 64;
		bytes[i] = lo < hi ? UINT64_MAX >> (64 - (hi - lo)) << lo : 0;
	}
}

/*
 * Returns the next request of the copy. The request ends with the row or with the line or, if the L2 does not reply to
 * a line in sectors, with the sector.
 */
static struct access next_copy_request(const struct sm *s, const struct tma_copy *c)
{
	const struct copy_run *b = &c->current_run;
	uint64_t at = b->base + (uint64_t)b->pitch * c->row + c->requested_bytes;
	uint32_t unit = s->ldst->l2_reply_is_split && !s->core->unfit ? LINE_BYTES : SECTOR_BYTES;
	uint32_t from = (uint32_t)(at % LINE_BYTES), n = unit - from % unit;
	struct access a = {
		.type = c->kind == BULK_STORE || c->kind == BULK_REDUCE ? GLOBAL_ACC_W : GLOBAL_ACC_R};
	uint32_t first, last;

	n = n < b->bytes - c->requested_bytes ? n : b->bytes - c->requested_bytes;
	first = from / SECTOR_BYTES;
	last = (from + n - 1) / SECTOR_BYTES;
	a.sectors = (uint8_t)((2u << last) - (1u << first));
	a.size = (uint16_t)(SECTOR_BYTES * (last - first + 1));
	a.addr = at - from + (first == last ? SECTOR_BYTES * first : 0);
	mark_copied_bytes(a.bytes, from, from + n);
	return a;
}

static uint32_t bytes_of_access(const struct access *a)
{
	return bit_count64(a->bytes[0]) + bit_count64(a->bytes[1]);
}

static void send_copy_request(struct sm *s, uint16_t k, const struct access *a)
{
	struct tma_copy *c = &s->ldst->tma->copy[k];
	bool write = a->type == GLOBAL_ACC_W;
	struct req model = {.lane0 = k,
		.code = c->rec.inst,
		.flags = (uint16_t)(REQ_BULK | REQ_BYPASS | REQ_AWAITED |
				    (write ? REQ_WRITE | REQ_STORE : REQ_LOAD)),
		.sm = (uint16_t)s->id,
		.cluster = (uint16_t)s->cluster,
		.warp = c->warp,
		.sched = c->sched,
		.stream = s->warp[c->warp].stream};
	uint32_t handle;

	if (c->kind == BULK_PREFETCH)
		model.flags |= REQ_PREFETCH;
	handle = ldst_make_request_like(s, &model, a);
	c->outstanding += write && ldst_req(s, handle)->pieces ? ldst_req(s, handle)->pieces : 1;
	if (write)
		occupy_shared_memory(s, a->size);
	inject(s, handle);
}

/* Returns the cycles for which a request occupies the unit. */
static uint32_t tma_cycles_of_request(const struct sm *s, const struct access *a)
{
	const struct modern_params *m = &s->params->modern;
	uint32_t data = core_div_up(a->size, m->tma_bytes);

	return data > m->tma_interval ? data : m->tma_interval;
}

/* Sends a part of a copy to another thread block's shared memory. */
static void send_cluster_part(struct sm *s, const struct tma_copy *c, const struct access *a)
{
	uint32_t bytes = bytes_of_access(a);

	occupy_shared_memory(s, bytes);
	gang_send_copy(s, s->warp[c->warp].cta, c->bulk.mbarrier, bytes);
}

/* Returns true if the network accepts the request a of the copy. */
static bool network_accepts(struct sm *s, const struct tma_copy *c, const struct access *a)
{
	if (c->kind == BULK_CLUSTER)
		return gang_can_send(s);
	return inject_can_push_bytes(s, a->size + 8u, a->type == GLOBAL_ACC_W);
}

/* Makes the next request of the oldest copy. Returns false if the network does not accept it. */
static bool make_next_copy_request(struct sm *s, struct tma *t)
{
	uint16_t k = t->queue[t->first_queued];
	struct tma_copy *c = &t->copy[k];

	if (has_copy_requests_left(c)) {
		struct access a = next_copy_request(s, c);

		if (!network_accepts(s, c, &a))
			return false;
		if (c->kind == BULK_CLUSTER)
			send_cluster_part(s, c, &a);
		else
			send_copy_request(s, k, &a);
		advance_copy(c, bytes_of_access(&a));
		t->free_at = s->clock + tma_cycles_of_request(s, &a);
	}
	if (!has_copy_requests_left(c)) {
		t->first_queued = (t->first_queued + 1) % TMA_COPIES;
		t->n_queued--;
		bulk_note_store_read(s, c->warp, &c->rec);
		t->ended = true;
		end_bulk_copy_part(s, k);
	}
	return true;
}

/* Ends the loads without elements in bounds whose time has come. */
static void end_outside_copies(struct sm *s, struct tma *t)
{
	while (t->n_outside && t->copy[t->outside[t->first_outside]].ready_at <= s->clock) {
		uint16_t k = t->outside[t->first_outside];

		t->first_outside = (t->first_outside + 1) % TMA_COPIES;
		t->n_outside--;
		end_bulk_copy_part(s, k);
	}
}

bool tma_step(struct sm *s)
{
	struct tma *t = s->ldst->tma;
	bool ended;

	end_outside_copies(s, t);
	while (t->n_queued && max_u64(t->copy[t->queue[t->first_queued]].ready_at, t->free_at) <= s->clock)
		if (!make_next_copy_request(s, t))
			break;
	ended = t->ended;
	t->ended = false;
	return ended;
}

uint64_t tma_next_clock(const struct sm *s)
{
	const struct tma *t = s->ldst->tma;
	uint64_t request = NEVER, end = NEVER;

	if (t->n_queued)
		request = max_u64(
			max_u64(t->copy[t->queue[t->first_queued]].ready_at, t->free_at), s->clock + 1);
	if (t->n_outside)
		end = max_u64(t->copy[t->outside[t->first_outside]].ready_at, s->clock + 1);
	return request < end ? request : end;
}
