/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Determines when the head of a warp may issue, from the instruction buffer, stall counts, holds and dependences.
 * Without control codes, dependences follow from the registers of the trace: distances by class for results of fixed
 * latency, events for other results, and counts of readers. With control codes, they follow from dependence counters
 * and wait masks.
 *
 * Always true: a waiting warp is scheduled again by the event that ends the wait. The time is computed once, unless
 * the head must be tested again at issue: its hold, or a counter that was just incremented, may change between the
 * time at which the warp becomes ready and its issue. Traces do not name predicates, so only the writers of predicates
 * are known. The readers are guessed, unless the kernel's function is known, which has the guards.
 */
#include "core/core.h"

/* The earliest issue time of a head (NEVER: an event decides), and the stall reason until then. */
struct issue_estimate {
	uint64_t time;
	unsigned stall;
};

static inline void postpone_issue(struct issue_estimate *o, uint64_t at, unsigned why)
{
	if (at > o->time) {
		o->time = at;
		o->stall = why;
	}
}

const struct core_control *core_control_of(const struct core_warp *cw, uint32_t pc)
{
	/* Control code of an instruction outside the function's code: it waits for all counters and increments none. */
	static const struct core_control unknown = {.stall = 11, .write = 7, .read = 7, .wait = 0x3f};

	return pc / 16 < cw->n_codes ? &cw->codes[pc / 16] : &unknown;
}

/* ---- dependences without control codes ---------------------------------------------------------- */

/* Returns the entry of cw->pending for the first register of the instruction that has a result in flight, or NULL. */
static const uint8_t *find_pending_result(const struct core_warp *cw, const struct core_inst *in)
{
	if (!cw->n_pending)
		return NULL;
	for (const struct core_source *r = in->src, *end = r + in->n_src + in->n_dst; r < end; r++)
		if (cw->pending[r->reg])
			return &cw->pending[r->reg];
	return NULL;
}

/* Returns the entry of cw->readers for the first destination of the instruction that has a read in flight, or NULL. */
static const uint8_t *find_pending_read(const struct core_warp *cw, const struct core_inst *in)
{
	if (!cw->n_readers)
		return NULL;
	for (const struct core_source *r = core_destinations(in), *end = r + in->n_dst; r < end; r++)
		if (cw->readers[r->reg])
			return &cw->readers[r->reg];
	return NULL;
}

/*
 * Returns true if the head waits for an event, and sets *why to the reason. Both remain valid while *cw->held_by is
 * not 0.
 */
static bool blocked_by_events(struct core_warp *cw, const struct core_inst *in, unsigned *why)
{
	*why = STALL_DEPEND;
	cw->held_by = find_pending_result(cw, in);
	if (cw->held_by)
		return true;
	*why = STALL_WAR;
	cw->held_by = find_pending_read(cw, in);
	return cw->held_by != NULL;
}

/* Returns true if a guard must have disabled lanes: no lane is active, or lanes became inactive without a branch. */
static bool is_masked_by_guard(const struct core_warp *cw, uint32_t mask)
{
	return !mask || (mask != cw->last_mask && (mask & cw->last_mask) == mask);
}

/*
 * Returns true if the head of a warp reads a predicate. The guard of a uniform instruction does not count, because it
 * is a uniform predicate.
 */
static bool reads_predicate(
	const struct core *c, const struct core_warp *cw, const struct core_inst *in, uint32_t mask)
{
	if (cw->codes)
		return core_control_of(cw, in->pc)->guarded && in->unit != CORE_UNIFORM;
	return in->flags & INST_READS_P ||
	       (c->params->predicates == PREDICATES_MASK && is_masked_by_guard(cw, mask));
}

static void postpone_for_predicate(const struct core *c, const struct warp *p, const struct core_warp *cw,
	const struct core_inst *in, struct issue_estimate *o)
{
	if (c->params->predicates == PREDICATES_NONE || !reads_predicate(c, cw, in, p->rec[p->cursor].mask))
		return;
	if (cw->predicate_pending)
		postpone_issue(o, NEVER, STALL_DEPEND);
	else
		postpone_issue(
			o, cw->predicate_at + c->latency->predicate[cw->predicate_class], STALL_DEPEND);
}

/*
 * Postpones the issue until results of fixed latency are ready. Most results are older than the longest distance, and
 * thus ready.
 */
static void postpone_for_fixed_latencies(const struct core *c, const struct core_warp *cw,
	const struct core_inst *in, struct issue_estimate *o)
{
	uint64_t old = o->time > c->longest_distance ? (o->time - c->longest_distance) << 8 : 0;

	for (const struct core_source *r = in->src, *end = r + in->n_src + in->n_dst; r < end; r++) {
		uint64_t v = cw->written[r->reg];

		if (v >= old)
			postpone_issue(o, (v >> 8) + c->issue_distance[v & 255][r->read], STALL_DEPEND);
	}
}

static void postpone_for_registers(const struct core *c, const struct warp *p, struct core_warp *cw,
	const struct core_inst *in, struct issue_estimate *o)
{
	unsigned why;

	if (blocked_by_events(cw, in, &why)) {
		postpone_issue(o, NEVER, why);
		return;
	}
	postpone_for_fixed_latencies(c, cw, in, o);
	if (cw->predicate_class != SASS_NONE || cw->predicate_pending)
		postpone_for_predicate(c, p, cw, in, o);
}

/* ---- dependences from control codes ------------------------------------------------------------- */

/*
 * Postpones the issue until the dependence counters of the wait mask are 0. Increments by the previous instruction are
 * visible only after sb_visible cycles. An instruction that issues earlier does not wait for them.
 */
static void postpone_for_counters(
	const struct core *c, struct core_warp *cw, const struct core_inst *in, struct issue_estimate *o)
{
	unsigned wait = core_control_of(cw, in->pc)->wait;
	bool fresh = false;

	for (unsigned k = 0; k < COUNTERS; k++) {
		unsigned count = cw->counter[k];

		if (!(wait >> k & 1) || !count)
			continue;
		if (count > cw->raised[k] ||
			cw->next_issue >= cw->previous_issue_at + c->params->sb_visible) {
			postpone_issue(o, NEVER, STALL_DEPEND);
			return;
		}
		fresh = true;
	}
	cw->retest_at_issue |= fresh;
}

static bool waits_for_counters(const struct sm *s, const struct core_warp *cw, const struct core_inst *in)
{
	unsigned wait = core_control_of(cw, in->pc)->wait;
	bool seen = s->clock >= cw->previous_issue_at + s->modern->params->sb_visible;

	for (unsigned k = 0; k < COUNTERS; k++)
		if (wait >> k & 1 && cw->counter[k] > (seen ? 0 : cw->raised[k]))
			return true;
	return false;
}

/* ---- the head of a warp ------------------------------------------------------------------------- */

/* Returns true if the hold of a warp keeps its head from issuing at time `at`. */
static bool is_held_at(const struct sm *s, unsigned w, uint64_t at)
{
	const struct core_warp *cw = &s->modern->warp[w];
	const struct warp *p = &s->warp[w];
	const struct core_inst *in;

	if (at < cw->hold_from || at >= cw->hold_until)
		return false;
	if (at >= cw->local_insts_until || p->cursor == p->last)
		return true;
	in = core_inst_at(s, p, p->cursor);
	return !(in->flags & INST_FIXED) || in->flags & INST_SPECIAL || in->unit == CORE_BRANCH;
}

void core_schedule_head(struct sm *s, unsigned w)
{
	const struct core *c = s->modern;
	struct core_warp *cw = core_warp_of(s, w);
	const struct warp *p = &s->warp[w];
	const struct core_buffered *head = &cw->buffer[p->cursor % BUFFER_SLOTS];
	struct issue_estimate o;

	if (cw->fetched == p->cursor) {
		core_warp_remove_head(s, w, cw->next_issue > s->clock + 1 ? cw->next_stall : STALL_FETCH);
		return;
	}
	o = (struct issue_estimate){head->valid_at, STALL_FETCH};
	postpone_issue(&o, cw->next_issue, cw->next_stall);
	cw->retest_at_issue = false;
	if (cw->control)
		postpone_for_counters(c, cw, head->in, &o);
	else
		postpone_for_registers(c, p, cw, head->in, &o);
	if (cw->hold_until > s->clock) {
		cw->retest_at_issue = true;
		if (is_held_at(s, w, o.time > s->clock ? o.time : s->clock))
			o = (struct issue_estimate){cw->hold_until, cw->hold_stall};
	}
	if (o.time == NEVER)
		core_warp_wait(s, cw, head->in, o.stall);
	else
		core_warp_schedule(s, cw, head->in, o.time, o.stall);
}

/*
 * Tests the head of a ready warp again at issue. Returns false if the head must wait; the warp is then no longer
 * ready.
 */
bool core_may_issue_now(struct sm *s, unsigned w)
{
	struct core_warp *cw = core_warp_of(s, w);

	if (is_held_at(s, w, s->clock)) {
		core_schedule_head(s, w);
		return false;
	}
	if (cw->control && waits_for_counters(s, cw, cw->head)) {
		core_warp_wait(s, cw, cw->head, STALL_DEPEND);
		return false;
	}
	return true;
}

/* ---- effects of an issue ------------------------------------------------------- */

static void mark_fixed_latency_results(struct core_warp *cw, const struct core_inst *in, uint64_t t)
{
	uint64_t v = (uint64_t)((int64_t)t + in->result_delay) << 8;

	for (unsigned i = 0; i < in->n_dst; i++)
		cw->written[core_destinations(in)[i].reg] = v | (i ? in->class : in->first_class);
	if (t + in->pipeline_cycles > cw->last_result_at)
		cw->last_result_at = t + in->pipeline_cycles;
}

static void mark_variable_latency_results(
	const struct core *c, struct core_warp *cw, const struct core_inst *in, struct core_op *op)
{
	for (unsigned i = 0; i < in->n_dst; i++)
		cw->pending[core_destinations(in)[i].reg]++;
	cw->n_pending = (uint16_t)(cw->n_pending + in->n_dst);
	if (c->params->war == WAR_ISSUE || !in->n_src)
		return;
	op->counts_readers = true;
	op->reads_until_end = c->params->war == WAR_WRITEBACK;
	for (unsigned i = 0; i < in->n_src; i++)
		cw->readers[in->src[i].reg]++;
	cw->n_readers = (uint16_t)(cw->n_readers + in->n_src);
}

static void mark_predicate(struct core_warp *cw, const struct core_inst *in, uint64_t t)
{
	if (in->flags &
		INST_READS_P) { /* guess: the next branch reads a predicate that is set after this branch */
		if (!cw->codes)
			cw->predicate_class = SASS_NONE;
		return;
	}
	if (!(in->flags & INST_SETS_P))
		return;
	cw->predicate_at = t;
	if (in->flags & INST_FIXED)
		cw->predicate_class = in->class == SASS_FE ? SASS_FXU : in->class;
	else
		cw->predicate_pending++;
}

static void increment_dependence_counter(struct core_warp *cw, unsigned counter)
{
	if (counter >= COUNTERS || cw->counter[counter] == 63)
		return;
	cw->counter[counter]++;
	cw->raised[counter]++;
}

/* Returns the number of cycles from an instruction's issue to the next one's, as its control code requires. */
static uint64_t stall_cycles_of(const struct modern_params *m, const struct core_control *k)
{
	if (k->yield)
		return k->stall == 0 ? m->drain_stall : k->stall < 2 ? 2 : k->stall;
	return k->stall >= 1 && k->stall <= 11 ? k->stall : 1;
}

static void increment_code_counters(
	struct core *c, struct core_warp *cw, const struct core_inst *in, uint64_t t, struct core_op *op)
{
	const struct core_control *k = core_control_of(cw, in->pc);

	cw->next_issue = t + stall_cycles_of(c->params, k);
	cw->next_stall = STALL_COUNT;
	memset(cw->raised, 0, sizeof(cw->raised));
	cw->previous_issue_at = t;
	if (!op)
		return;
	increment_dependence_counter(cw, k->write);
	increment_dependence_counter(cw, k->read);
	op->write_counter = k->write < COUNTERS ? (uint8_t)(k->write + 1) : 0;
	op->read_counter = k->read < COUNTERS ? (uint8_t)(k->read + 1) : 0;
	op->counts_readers = op->read_counter != 0;
}

void core_depend_note_issue(
	struct sm *s, unsigned w, const struct core_inst *in, uint64_t t, struct core_op *op)
{
	struct core_warp *cw = core_warp_of(s, w);

	cw->next_issue = t + 1;
	cw->next_stall = STALL_PORT;
	if (in->flags & INST_FIXED)
		mark_fixed_latency_results(cw, in, t);
	if (cw->control) {
		increment_code_counters(s->modern, cw, in, t, op);
		return;
	}
	if (op)
		mark_variable_latency_results(s->modern, cw, in, op);
	if (in->flags & (INST_SETS_P | INST_READS_P))
		mark_predicate(cw, in, t);
}

/* ---- effects of events --------------------------------------------------------- */

/* Marks the results of an instruction as written at s->clock. */
void core_release_results(struct sm *s, unsigned w, const struct core_inst *in)
{
	struct core_warp *cw = core_warp_of(s, w);

	for (unsigned i = 0; i < in->n_dst; i++) {
		cw->pending[core_destinations(in)[i].reg]--;
		cw->written[core_destinations(in)[i].reg] = s->clock << 8 | SASS_FAST;
	}
	cw->n_pending = (uint16_t)(cw->n_pending - in->n_dst);
	if (in->flags & INST_SETS_P) {
		cw->predicate_pending--;
		cw->predicate_class = SASS_NONE;
	}
}

void core_release_sources(struct sm *s, unsigned w, const struct core_inst *in)
{
	struct core_warp *cw = core_warp_of(s, w);

	for (unsigned i = 0; i < in->n_src; i++)
		cw->readers[in->src[i].reg]--;
	cw->n_readers = (uint16_t)(cw->n_readers - in->n_src);
}

void core_decrement_counter(struct sm *s, unsigned w, unsigned counter)
{
	struct core_warp *cw = core_warp_of(s, w);

	if (cw->counter[counter])
		cw->counter[counter]--;
	core_sync_counter_changed(s, w);
	core_reschedule_waiting(s, w);
}
