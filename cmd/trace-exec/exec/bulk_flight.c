/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bulk and tensor copies in flight: the bytes of shared memory that they write, and those that they read. Stores and
 * reductions that complete bytes of an mbarrier (st.async, red.async) are in flight like copies.
 *
 * The bytes are copied when the instruction is issued. The checks report accesses before the copy is known to be
 * complete. A copy that completes bytes of an mbarrier is known to be complete when a thread has waited successfully
 * for the phase in which it completed them. Other threads may learn of the wait in any way, so that the first such wait
 * by any thread is enough. A copy of a bulk group has read its source when the issuing thread has waited for the group.
 *
 * Always true: bytes with the state SHARED_BULK_WRITES or SHARED_BULK_READS are in a range of the list. Ranges may
 * overlap; the first one that ends clears the state of the common bytes. At FLIGHTS_MOST ranges all are treated as
 * complete. In machine code a warp issues copies once for its running lanes, so its copies belong to the warp: they are
 * kept as copies of lane 0, and a wait by any lane completes them.
 */
#include <stdlib.h>
#include "exec/check.h"

#define FLIGHTS_MOST 1024u

struct bulk_range { /* bytes of shared memory that a copy writes or reads */
	uint8_t *at;
	uint64_t bytes;
	uint8_t state;           /* SHARED_BULK_WRITES or SHARED_BULK_READS */
	bool phase_over;         /* the phase of the mbarrier is over */
	bool is_store;           /* st.async or red.async, not a copy */
	uint8_t lane;            /* lane that issued the copy */
	uint32_t commits;        /* copy of a bulk group: number of groups that the lane has ended since */
	const struct warp *warp; /* warp that issued the copy */
	const uint8_t *mbarrier; /* NULL: a copy of a bulk group */
};

struct bulk_flights { /* type of cluster->bulk_flights */
	struct bulk_range *range;
	uint32_t n, cap;
	uint32_t n_over; /* number of ranges with phase_over */
};

static bool has_ranges(const struct cluster *c) { return c->bulk_flights && c->bulk_flights->n; }

bool bulk_flight_is_any(const struct cta *c) { return has_ranges(c->cluster); }

void bulk_flight_reset(struct cluster *c)
{
	if (c->bulk_flights)
		c->bulk_flights->n = c->bulk_flights->n_over = 0;
}

void bulk_flight_free(struct cluster *c)
{
	if (c->bulk_flights)
		free(c->bulk_flights->range);
	free(c->bulk_flights);
	c->bulk_flights = NULL;
}

/* Removes the ranges for which is_complete() is true. */
static void complete_ranges(
	struct cta *c, bool (*is_complete)(const struct bulk_range *r, const void *ctx), const void *ctx)
{
	struct bulk_flights *f = c->cluster->bulk_flights;
	uint32_t left = 0;

	f->n_over = 0;
	for (uint32_t i = 0; i < f->n; i++) {
		const struct bulk_range *r = &f->range[i];

		if (is_complete(r, ctx)) {
			checker_mark_bulk(c, r->at, r->bytes, r->state, false);
			continue;
		}
		f->n_over += r->phase_over;
		f->range[left++] = *r;
	}
	f->n = left;
}

static bool is_any_range(const struct bulk_range *r, const void *ctx)
{
	(void)r;
	(void)ctx;
	return true;
}

static void add_range(struct warp *w, const struct bulk_range *r)
{
	struct cluster *c = w->cta->cluster;

	if (!w->cta->check || !r->bytes)
		return;
	if (!c->bulk_flights)
		c->bulk_flights = xcalloc(1, sizeof(*c->bulk_flights));
	if (c->bulk_flights->n == FLIGHTS_MOST)
		complete_ranges(w->cta, is_any_range, NULL);
	struct bulk_flights *f = c->bulk_flights;
	grow(&f->range, &f->cap, f->n + 1, sizeof(*f->range));
	f->range[f->n++] = *r;
	checker_mark_bulk(w->cta, r->at, r->bytes, r->state, true);
}

/* Returns the number under which copies of a lane are kept. */
static uint8_t key_of_lane(const struct warp *w, unsigned lane)
{
	return w->grid->machine ? 0 : (uint8_t)lane;
}

void bulk_flight_begin_write(struct warp *w, uint8_t *to, uint64_t bytes, const uint8_t *mbarrier)
{
	add_range(w, &(struct bulk_range){.at = to,
			     .bytes = bytes,
			     .state = SHARED_BULK_WRITES,
			     .warp = w,
			     .mbarrier = mbarrier});
}

/* Extends the newest range if it belongs to the same phase and ends where the bytes begin. */
static bool extend_stored_range(struct warp *w, const uint8_t *to, uint64_t bytes, const uint8_t *mbarrier)
{
	struct bulk_flights *f = w->cta->cluster->bulk_flights;
	struct bulk_range *r = f && f->n ? &f->range[f->n - 1] : NULL;

	if (!w->cta->check || !r || !r->is_store || r->phase_over || r->mbarrier != mbarrier ||
		r->warp != w || r->at + r->bytes != to)
		return false;
	checker_mark_bulk(w->cta, to, bytes, r->state, true);
	r->bytes += bytes;
	return true;
}

void bulk_flight_begin_store(struct warp *w, uint8_t *to, uint64_t bytes, const uint8_t *mbarrier)
{
	if (!extend_stored_range(w, to, bytes, mbarrier))
		add_range(w, &(struct bulk_range){.at = to,
				     .bytes = bytes,
				     .state = SHARED_BULK_WRITES,
				     .is_store = true,
				     .warp = w,
				     .mbarrier = mbarrier});
}

void bulk_flight_begin_read(
	struct warp *w, unsigned lane, uint8_t *from, uint64_t bytes, const uint8_t *mbarrier)
{
	add_range(w, &(struct bulk_range){.at = from,
			     .bytes = bytes,
			     .state = SHARED_BULK_READS,
			     .lane = key_of_lane(w, lane),
			     .warp = w,
			     .mbarrier = mbarrier});
}

void bulk_flight_end_phase(const struct cta *c, const uint8_t *mbarrier)
{
	struct bulk_flights *f = c->cluster->bulk_flights;

	for (uint32_t i = 0; f && i < f->n; i++)
		if (f->range[i].mbarrier == mbarrier && !f->range[i].phase_over) {
			f->range[i].phase_over = true;
			f->n_over++;
		}
}

static bool is_phase_over(const struct bulk_range *r, const void *mbarrier)
{
	return r->phase_over && r->mbarrier == mbarrier;
}

void bulk_flight_pass_wait(struct cta *c, const uint8_t *mbarrier)
{
	if (has_ranges(c->cluster) && c->cluster->bulk_flights->n_over)
		complete_ranges(c, is_phase_over, mbarrier);
}

void bulk_flight_commit(struct warp *w, uint32_t m)
{
	struct bulk_flights *f = w->cta->cluster->bulk_flights;

	for (uint32_t i = 0; f && i < f->n; i++)
		if (!f->range[i].mbarrier && f->range[i].warp == w &&
			(w->grid->machine || m >> f->range[i].lane & 1))
			f->range[i].commits++;
}

struct group_wait { /* a wait for bulk groups */
	const struct warp *warp;
	uint32_t lanes, groups; /* lanes that wait; number of groups that may be incomplete */
};

static bool is_group_complete(const struct bulk_range *r, const void *ctx)
{
	const struct group_wait *x = ctx;

	return !r->mbarrier && r->warp == x->warp && x->lanes >> r->lane & 1 && r->commits > x->groups;
}

void bulk_flight_wait(struct warp *w, uint32_t m, uint32_t groups)
{
	const struct group_wait x = {w, w->grid->machine ? ALL_LANES : m, groups};

	if (has_ranges(w->cta->cluster))
		complete_ranges(w->cta, is_group_complete, &x);
}

/* Returns true if the op is a bulk or tensor copy, or a store or reduction that completes bytes of an mbarrier. */
static bool is_bulk_write(const struct op *o)
{
	return o->stmt->opcode == I_cp ? stmt_has(o->stmt, M_BULK) : stmt_has(o->stmt, M_ASYNC);
}

/* Returns the newest range that contains one of the bytes and has one of the states; NULL: none. */
static const struct bulk_range *find_range(
	const struct bulk_flights *f, const uint8_t *at, uint64_t bytes, unsigned states)
{
	for (uint32_t i = f ? f->n : 0; i-- > 0;) {
		const struct bulk_range *r = &f->range[i];

		if (r->state & states && r->at < at + bytes && at < r->at + r->bytes)
			return r;
	}
	return NULL;
}

void bulk_flight_report(struct warp *w, const struct op *o, uint32_t lane, const struct cta *owner,
	uint32_t off, uint64_t bytes, bool write)
{
	const uint8_t *at = owner->shared + off;
	/* a copy or an asynchronous store may overwrite the target of another one */
	unsigned states =
		(write && is_bulk_write(o) ? 0 : SHARED_BULK_WRITES) | (write ? SHARED_BULK_READS : 0);
	const struct bulk_range *r = find_range(w->cta->cluster->bulk_flights, at, bytes, states);

	if (!r || is_ordered_access(o))
		return;
	uint64_t first = r->at > at ? off + (uint64_t)(r->at - at) : off;
	exec_note_finding(w, o, 1u << lane, "race",
		"race: %s at byte %llu of .shared, which %s by warp %u %s (expected %s before it)",
		write && o->stmt->opcode != I_cp && !is_atomic_access(o) ? "write" : checker_access_noun(o),
		(unsigned long long)first, r->is_store ? "an asynchronous store" : "a bulk copy",
		r->warp->index, r->state == SHARED_BULK_WRITES ? "writes" : "reads",
		r->mbarrier ? r->is_store ? "a successful wait for its mbarrier"
					  : "a successful wait for the mbarrier of the copy"
			    : "cp.async.bulk.wait_group.read by the thread that issued the copy");
}
