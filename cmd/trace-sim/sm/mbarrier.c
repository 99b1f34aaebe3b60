/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mbarriers, the barriers of thread blocks in shared memory (HOPPER-mbar), for both cores: arrivals, bytes of copies,
 * phases, and the warps that wait for phases.
 *
 * Always true: the table of a thread block has every mbarrier that its records name, by offset in shared memory, so
 * nothing is allocated while the thread block runs. The operation that completes a phase starts the next phase and
 * ends the waits. If a phase has all its arrivals, but not all its bytes, further arrivals belong to the next phase.
 * The waiting warps are in sync_wait.
 */
#include <stdlib.h>
#include "arena.h"
#include "core/core.h"
#include "sm/gang.h"
#include "sm/kernel.h"
#include "sm/mbarrier.h"

/* maximum number of mbarriers of a thread block; real programs use fewer than 100 */
#define MBARRIERS   1023u
#define OFFSET_MASK 0xffffffu   /* address bits of the offset; higher bits select the thread block */
#define COUNT_LIMIT 0x100000u   /* larger than every count of arrivals */
#define PARITY_BIT  0x80000000u /* bit of the awaited parity in the operand of a wait */

/* ---- the table -------------------------------------------------------------------------------- */

/* Returns the mbarrier at an address, or NULL. */
static struct cta_mbarrier *find_mbarrier(const struct cta *c, uint64_t address)
{
	const struct mbarriers *t = &c->mbarriers;
	uint64_t offset = address & OFFSET_MASK;

	if (!t->n)
		return NULL;
	FOR_TABLE (w, &t->by_offset, table_hash_words(&offset, 1))
		if (t->entry[w.number].offset == offset)
			return &t->entry[w.number];
	return NULL;
}

/* Adds the mbarrier at an address to the table of the thread block unless the table has it. */
static void add_mbarrier(struct cta *c, uint64_t address)
{
	struct mbarriers *t = &c->mbarriers;
	uint64_t offset = address & OFFSET_MASK;
	struct fault f;

	if (find_mbarrier(c, address))
		return;
	if (t->n == MBARRIERS) {
		fault_set(&f, (struct place){.file = c->kernel->path}, "mbarriers",
			"thread block %u,%u,%u names more than %u mbarriers", c->block.x, c->block.y,
			c->block.z, MBARRIERS);
		die_fault(&f);
	}
	grow(&t->entry, &t->cap, t->n + 1, sizeof(*t->entry));
	table_add(&t->by_offset, table_hash_words(&offset, 1), t->n);
	t->entry[t->n++] = (struct cta_mbarrier){.offset = (uint32_t)offset};
}

static void add_mbarriers_of_record(const struct sm *s, struct cta *c, const struct rec *r)
{
	struct bulk_copy copy;
	uint64_t lane[32];

	if (rec_copy(&c->block, r, code_at(s->code, r->inst), &copy)) {
		if (copy.mbarrier)
			add_mbarrier(c, copy.mbarrier);
		return;
	}
	rec_addresses(&c->block, r, lane);
	FOR_BITS32 (l, r->addr & 3 ? r->mask : 0)
		add_mbarrier(c, s->uops[r->inst].sync == SYNC_STORE ? lane[l] >> 32 : lane[l]);
}

void mbarrier_make_table(struct sm *s, struct cta *c)
{
	struct mbarriers *t = &c->mbarriers;

	table_clear(&t->by_offset);
	t->n = 0;
	if (c->kernel->may_have_syncs && !s->arrivals)
		s->arrivals = reserve(MAX_WARPS * SYNC_ARRIVALS, sizeof(*s->arrivals));
	for (uint32_t i = 0; c->kernel->may_have_syncs && i < c->block.n_recs; i++) {
		const struct uop *u = &s->uops[c->block.rec[i].inst];

		if (u->flags & UOP_SYNC && u->sync <= SYNC_LAST_MBARRIER)
			add_mbarriers_of_record(s, c, &c->block.rec[i]);
	}
}

void mbarrier_free(struct cta *c)
{
	free(c->mbarriers.entry);
	table_free(&c->mbarriers.by_offset);
}

/* ---- phases ----------------------------------------------------------------------------------- */

/*
 * Sets *v to a lane's value of the last register for which the trace line has values: the source after the address.
 * Returns false if the line has no value.
 */
static bool last_value_of_lane(
	const struct sm *s, const struct cta *c, const struct rec *r, unsigned lane, uint32_t *v)
{
	const struct inst *i = code_at(s->code, r->inst);
	unsigned n = rec_values(&c->block, r, i);

	return n && rec_value(&c->block, r, i, n - 1, lane, v);
}

/* Returns the first mbarrier for which the wait must continue, and sets *at to its lane; NULL: the wait is over. */
static struct cta_mbarrier *blocking_mbarrier(
	const struct sm *s, const struct cta *c, const struct rec *r, unsigned *at)
{
	uint64_t lane[32];
	uint32_t v;

	rec_addresses(&c->block, r, lane);
	FOR_BITS32 (l, r->mask) {
		struct cta_mbarrier *b = find_mbarrier(c, lane[l]);

		*at = l;
		if (b && last_value_of_lane(s, c, r, l, &v) &&
			(!b->initialised || (b->phase & 1) == (v & PARITY_BIT ? 1u : 0u)))
			return b;
	}
	return NULL;
}

static void end_sync_wait(struct sm *s, unsigned w)
{
	s->sync_wait &= ~(1ull << w);
	if (s->modern) {
		core_sync_phase_ended(s, w);
		return;
	}
	s->dep_wait &= ~(1ull << w);
	s->changed = true;
}

/* Tests the wait of a warp: ends it, or adds the warp to the mbarrier that it waits for. */
static void test_mbarrier_wait(struct sm *s, unsigned w)
{
	struct warp *p = &s->warp[w];
	unsigned lane;
	struct cta_mbarrier *b = blocking_mbarrier(s, &s->cta[p->cta], &p->sync.wait, &lane);

	if (b)
		b->waiting |= 1ull << w;
	else
		end_sync_wait(s, w);
}

/* Returns the phase that is `ahead` phases after the current one. */
static struct mbarrier_phase *mbarrier_phase_ahead(struct cta_mbarrier *b, uint32_t ahead)
{
	return &b->phases[(b->phase + ahead) % MBARRIER_PHASES];
}

/* Ends each phase that has all its arrivals and bytes. */
static void end_complete_phases(struct sm *s, struct cta_mbarrier *b)
{
	struct mbarrier_phase *p = mbarrier_phase_ahead(b, 0);
	uint64_t waiting = b->waiting;

	if (p->pending > 0 || p->bytes)
		return;
	do {
		*p = (struct mbarrier_phase){b->expected_arrivals, 0};
		b->phase++;
		p = mbarrier_phase_ahead(b, 0);
	} while (p->pending <= 0 && !p->bytes && b->expected_arrivals > 0);
	b->waiting = 0;
	FOR_BITS64 (w, waiting)
		test_mbarrier_wait(s, (unsigned)w);
}

/* Returns the first open phase that lacks arrivals; if none does, the last open phase. */
static struct mbarrier_phase *phase_awaiting_arrivals(struct cta_mbarrier *b)
{
	uint32_t i = 0;

	while (i + 1 < MBARRIER_PHASES && mbarrier_phase_ahead(b, i)->pending <= 0)
		i++;
	return mbarrier_phase_ahead(b, i);
}

/* Returns the first open phase that lacks bytes; if none does, the current phase. */
static struct mbarrier_phase *phase_awaiting_bytes(struct cta_mbarrier *b)
{
	for (uint32_t i = 0; i < MBARRIER_PHASES; i++)
		if (mbarrier_phase_ahead(b, i)->bytes > 0)
			return mbarrier_phase_ahead(b, i);
	return mbarrier_phase_ahead(b, 0);
}

/* ---- operations ------------------------------------------------------------------------------- */

static void initialise_mbarrier(struct sm *s, struct cta_mbarrier *b, uint32_t v)
{
	uint64_t waiting = b->waiting;

	b->expected_arrivals = COUNT_LIMIT - (v >> 1 & (COUNT_LIMIT - 1));
	for (uint32_t i = 0; i < MBARRIER_PHASES; i++)
		b->phases[i] = (struct mbarrier_phase){b->expected_arrivals, 0};
	b->phase = 0;
	b->initialised = true;
	b->waiting = 0;
	FOR_BITS64 (w, waiting)
		test_mbarrier_wait(s, (unsigned)w);
}

static void arrive_at_mbarrier(struct sm *s, struct cta_mbarrier *b, uint32_t effect, uint32_t v)
{
	uint32_t arrivals = effect & SYNC_ARRIVES         ? 1
			    : effect & SYNC_ARRIVES_VALUE ? v
							  : 0,
		 expects = effect & SYNC_EXPECTS         ? 1
			   : effect & SYNC_EXPECTS_VALUE ? v
							 : 0,
		 completes = effect & SYNC_COMPLETES         ? 1
			     : effect & SYNC_COMPLETES_VALUE ? v
							     : 0;
	struct mbarrier_phase *p = phase_awaiting_arrivals(b);

	p->bytes += expects;
	p->pending -= arrivals;
	phase_awaiting_bytes(b)->bytes -= completes;
	if (effect & SYNC_DROPS && b->expected_arrivals >= arrivals) {
		b->expected_arrivals -= arrivals;
		for (uint32_t i = 0; i < MBARRIER_PHASES; i++)
			if (&b->phases[i] != p)
				b->phases[i].pending -= arrivals;
	}
	end_complete_phases(s, b);
}

/* Completes the bytes of a STAS or REDAS. The upper half of each address is the address of the mbarrier. */
static void complete_remote_stores(struct sm *s, unsigned cta, const struct rec *r)
{
	uint64_t lane[32];

	rec_addresses(&s->cta[cta].block, r, lane);
	FOR_BITS32 (l, r->mask)
		if (s->cta[cta].gang)
			gang_send_copy(s, cta, (uint32_t)(lane[l] >> 32), s->uops[r->inst].size);
		else
			mbarrier_complete_bytes(s, cta, (uint32_t)(lane[l] >> 32), s->uops[r->inst].size);
}

void mbarrier_apply_effect(struct sm *s, unsigned cta, uint32_t address, uint32_t effect, uint32_t v)
{
	struct cta_mbarrier *b = find_mbarrier(&s->cta[cta], address);

	if (b && b->initialised)
		arrive_at_mbarrier(s, b, effect, v);
}

/*
 * Sends the operation to another thread block of the gang if that block has the mbarrier. Returns true if it was sent.
 */
static bool send_to_remote_mbarrier(
	struct sm *s, unsigned cta, const struct uop *u, uint64_t address, uint32_t v)
{
	const struct cta *c = &s->cta[cta];

	if (!c->gang || u->sync != SYNC_ARRIVE || !(u->groups & SYNC_REMOTE) || !gang_is_remote(c, address))
		return false;
	gang_send_effect(s, cta, gang_rank_of(c, address), address, u->groups, v);
	return true;
}

void mbarrier_execute(struct sm *s, unsigned cta, const struct rec *r)
{
	struct cta *c = &s->cta[cta];
	const struct uop *u = &s->uops[r->inst];

	if (u->sync == SYNC_STORE) {
		complete_remote_stores(s, cta, r);
		return;
	}
	uint32_t lanes = u->sync == SYNC_INIT ? r->mask & (0 - r->mask) : r->mask;
	uint64_t lane[32];

	rec_addresses(&c->block, r, lane);
	FOR_BITS32 (l, lanes) {
		struct cta_mbarrier *b = find_mbarrier(c, lane[l]);
		uint32_t v = 0;
		bool known = last_value_of_lane(s, c, r, l, &v);

		if (send_to_remote_mbarrier(s, cta, u, lane[l], v) || !b)
			continue;
		if (u->sync == SYNC_INIT && known)
			initialise_mbarrier(s, b, v);
		else if (u->sync == SYNC_END)
			b->initialised = false;
		else if (u->sync != SYNC_INIT && b->initialised)
			arrive_at_mbarrier(s, b, u->groups, v);
	}
}

void mbarrier_complete_bytes(struct sm *s, unsigned cta, uint32_t address, uint64_t bytes)
{
	struct cta_mbarrier *b = find_mbarrier(&s->cta[cta], address);

	if (!b || !b->initialised)
		return;
	phase_awaiting_bytes(b)->bytes -= (int64_t)bytes;
	end_complete_phases(s, b);
}

void mbarrier_start_wait(struct sm *s, unsigned w, const struct rec *r)
{
	s->warp[w].sync.wait = *r;
	s->sync_wait |= 1ull << w;
	if (s->uops[r->inst].sync == SYNC_WAIT)
		test_mbarrier_wait(s, w);
	else
		end_sync_wait(s, w);
}

bool mbarrier_get_awaited(const struct sm *s, unsigned w, struct mbarrier_view *v)
{
	const struct warp *p = &s->warp[w];
	const struct cta *c = &s->cta[p->cta];
	uint64_t lane[32];
	unsigned l;

	if (p->sync.waits_for_groups || s->uops[p->sync.wait.inst].sync != SYNC_WAIT)
		return false;
	const struct cta_mbarrier *b = blocking_mbarrier(s, c, &p->sync.wait, &l);
	if (!b)
		return false;
	rec_addresses(&c->block, &p->sync.wait, lane);
	const struct mbarrier_phase *open = &b->phases[b->phase % MBARRIER_PHASES];
	*v = (struct mbarrier_view){lane[l], b->initialised, b->phase, b->expected_arrivals - open->pending,
		b->expected_arrivals, open->bytes};
	return true;
}

/* ---- arrivals of LDGSTS ----------------------------------------------------------------------- */

static struct copies_arrival *copies_arrival_of(const struct sm *s, unsigned w, uint32_t i)
{
	return &s->arrivals[w * SYNC_ARRIVALS + i % SYNC_ARRIVALS];
}

void mbarrier_arrive_after_copies(struct sm *s, unsigned w, const struct rec *r, uint32_t until)
{
	struct warp_sync *y = &s->warp[w].sync;

	if (y->copies_done >= until || y->n_arrivals == SYNC_ARRIVALS) {
		mbarrier_execute(s, s->warp[w].cta, r);
		return;
	}
	*copies_arrival_of(s, w, y->first_arrival + y->n_arrivals++) = (struct copies_arrival){*r, until};
}

void mbarrier_note_copies_done(struct sm *s, unsigned w, uint32_t done)
{
	struct warp_sync *y = &s->warp[w].sync;

	y->copies_done = done;
	while (y->n_arrivals && copies_arrival_of(s, w, y->first_arrival)->until <= done) {
		struct rec r = copies_arrival_of(s, w, y->first_arrival)->rec;

		y->first_arrival = (y->first_arrival + 1) % SYNC_ARRIVALS;
		y->n_arrivals--;
		mbarrier_execute(s, s->warp[w].cta, &r);
	}
}
