/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Undefined registers of a warp: which lanes of a register have a value from memory that was never written.
 *
 * A load of such bytes makes its result undefined. An operation on an undefined value has an undefined result, and a
 * store of one makes the stored bytes undefined. These uses are reported: an address, a condition on which the result
 * depends, an operand of an atomic, a store to global memory. undefined_step() is called before each op while a
 * register of the warp is undefined.
 *
 * Always true: a register is undefined only if all its bytes are, because copies of structures include padding; a
 * report names the first load of the value in this warp.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exec/check.h"
#include "exec/product.h"
#include "exec/trial.h"
#include "exec/undefined.h"

#define WHAT_MAX      160u
#define ORIGINS_LOCAL 255u /* largest number of an origin in a byte of local memory */

/* A load that read bytes that were never written. */
struct unset_load {
	const struct op *op;
	bool reported;
	struct unset_read read;
};

struct undefined {
	uint32_t *lanes;  /* lanes in which a register is undefined; index: offset in w->frames / 4 */
	uint16_t *origin; /* number of the load of an undefined value; same index */
	size_t n;
	size_t first, end; /* all nonzero elements of lanes[] are from number `first` to number end - 1 */
	struct unset_load *load;
	uint32_t n_loads, cap_loads;
	/* for each byte of the warp's local memory, 1 + number of the load; 0: defined. NULL: all bytes are defined */
	uint8_t *local;
};

/* ---- states ---- */

static size_t state_index(const struct warp *w, uint32_t slot) { return (w->frame_at + slot) / 4; }

uint32_t undefined_lanes(const struct warp *w, uint32_t slot)
{
	size_t i = state_index(w, slot);

	return i < w->undefined->n ? w->undefined->lanes[i] : 0;
}

static unsigned origin_of_slot(const struct warp *w, uint32_t slot)
{
	return w->undefined->origin[state_index(w, slot)];
}

static void set_state(struct warp *w, size_t i, uint32_t lanes, unsigned origin)
{
	struct undefined *u = w->undefined;
	uint32_t old = i < u->n ? u->lanes[i] : 0;

	if (!lanes && !old)
		return;
	if (i >= u->n) {
		size_t n = w->frames_cap / 4;

		u->lanes = xrealloc(u->lanes, n, sizeof(*u->lanes));
		u->origin = xrealloc(u->origin, n, sizeof(*u->origin));
		memset(u->lanes + u->n, 0, (n - u->n) * sizeof(*u->lanes));
		u->n = n;
	}
	u->lanes[i] = lanes;
	u->origin[i] = (uint16_t)origin;
	if (u->first >= u->end) {
		u->first = i;
		u->end = i + 1;
	}
	u->first = i < u->first ? i : u->first;
	u->end = i >= u->end ? i + 1 : u->end;
	w->n_undefined += !old;
	w->n_undefined -= !lanes;
}

void undefined_reset(struct warp *w)
{
	struct undefined *u = w->undefined;

	if (!u)
		return;
	if (w->n_undefined)
		memset(u->lanes + u->first, 0, (u->end - u->first) * sizeof(*u->lanes));
	u->first = u->end = 0;
	free(u->local);
	u->local = NULL;
	u->n_loads = 0;
	w->n_undefined = 0;
}

void undefined_free(struct warp *w)
{
	struct undefined *u = w->undefined;

	if (u) {
		free(u->lanes);
		free(u->origin);
		free(u->load);
		free(u->local);
	}
	free(u);
	w->undefined = NULL;
}

void undefined_clear_registers(struct warp *w, size_t at, size_t bytes)
{
	size_t end = (at + bytes) / 4 < w->undefined->n ? (at + bytes) / 4 : w->undefined->n;

	for (size_t i = at / 4; i < end; i++)
		set_state(w, i, 0, 0);
}

void undefined_take_registers(struct warp *w, size_t at, size_t bytes, struct undefined_registers *to)
{
	const struct undefined *u = w->undefined;
	size_t first = at / 4, n = bytes / 4;

	if (first >= u->n)
		return;
	if (n > u->n - first)
		n = u->n - first;
	to->lanes = xcalloc(n, sizeof(*to->lanes));
	to->origin = xcalloc(n, sizeof(*to->origin));
	to->n = n;
	memcpy(to->lanes, u->lanes + first, n * sizeof(*to->lanes));
	memcpy(to->origin, u->origin + first, n * sizeof(*to->origin));
	undefined_clear_registers(w, at, bytes);
}

void undefined_put_registers(struct warp *w, size_t at, const struct undefined_registers *from)
{
	undefined_clear_registers(w, at, 4 * from->n);
	for (size_t i = 0; i < from->n; i++)
		set_state(w, at / 4 + i, from->lanes[i], from->origin[i]);
	if (w->n_undefined)
		w->stop |= WARP_UNDEFINED;
}

void undefined_free_registers(struct undefined_registers *r)
{
	free(r->lanes);
	free(r->origin);
	*r = (struct undefined_registers){0};
}

void undefined_copy_register(struct warp *w, size_t to, size_t from, uint32_t mask)
{
	const struct undefined *u = w->undefined;
	uint32_t source = from / 4 < u->n ? u->lanes[from / 4] : 0,
		 old = to / 4 < u->n ? u->lanes[to / 4] : 0;
	bool is_new = source & mask;

	set_state(w, to / 4, (old & ~mask) | (source & mask),
		is_new ? u->origin[from / 4]
		: old  ? u->origin[to / 4]
		       : 0u);
}

/* ---- local memory ---- */

/* Returns the offset of a host address in the warp's local memory; SIZE_MAX if it is in other memory. */
static size_t offset_in_local(const struct warp *w, const uint8_t *at)
{
	size_t d = (size_t)((uintptr_t)at - (uintptr_t)w->local);

	return w->local && d < (size_t)LANES * w->local_stride ? d : SIZE_MAX;
}

static void mark_local(struct warp *w, size_t off, uint64_t bytes, uint8_t state)
{
	struct undefined *u = w->undefined;

	if (!u->local && !state)
		return;
	if (!u->local)
		u->local = xcalloc((size_t)LANES * w->local_stride, 1);
	memset(u->local + off, state, bytes);
}

static uint8_t local_state_of_origin(unsigned origin)
{
	return (uint8_t)(origin + 1 < ORIGINS_LOCAL ? origin + 1 : ORIGINS_LOCAL);
}

void undefined_copy_local(struct warp *w, const uint8_t *to, const uint8_t *from, uint64_t bytes)
{
	struct undefined *u = w->undefined;

	if (u->local)
		memmove(u->local + offset_in_local(w, to), u->local + offset_in_local(w, from), bytes);
}

void undefined_copy_to_local(struct warp *w, const uint8_t *to, size_t from, unsigned lane, uint64_t bytes)
{
	const struct undefined *u = w->undefined;
	bool set = from / 4 < u->n && u->lanes[from / 4] >> lane & 1;

	mark_local(w, offset_in_local(w, to), bytes, set ? local_state_of_origin(u->origin[from / 4]) : 0);
}

/* ---- reports ---- */

static void report_use(struct warp *w, const struct op *o, uint32_t lanes, unsigned origin, const char *use)
{
	struct unset_load *from = &w->undefined->load[origin];
	char what[WHAT_MAX], at[POSITION_MAX];

	if (from->reported)
		return;
	from->reported = true;
	if (exec_is_finding_known(w, from->op, "uninitialised"))
		return;
	position_text(o, at, sizeof(at));
	from->read.describe(w, from->op, &from->read, what, sizeof(what));
	exec_note_finding(w, from->op, lanes, "uninitialised", "%s, %s at %s", what, use, at);
}

static void report_slot(struct warp *w, const struct op *o, uint32_t slot, uint32_t m, const char *use)
{
	uint32_t lanes = undefined_lanes(w, slot) & m;

	if (lanes)
		report_use(w, o, lanes, origin_of_slot(w, slot), use);
}

/* Reports undefined sources of the role in the lanes of m. */
static void report_operands(struct warp *w, const struct op *o, const struct operand_list *l,
	enum operand_role role, uint32_t m, const char *use)
{
	for (unsigned i = 0; i < operands_number(l); i++)
		if (operand_role_of(l->word[i]) == role)
			report_slot(w, o, operand_slot_of(l->word[i]), m, use);
}

/* ---- results ---- */

static bool is_repeated_source(const struct undefined_sources *s, uint32_t word)
{
	for (unsigned i = 0; i < s->n && i < TRIAL_SOURCES; i++)
		if (operand_slot_of(s->word[i]) == operand_slot_of(word))
			return true;
	return false;
}

static struct undefined_sources find_sources(const struct warp *w, const struct operand_list *l, uint32_t m)
{
	struct undefined_sources s = {0};

	for (unsigned i = 0; i < operands_number(l); i++) {
		uint32_t word = l->word[i], lanes;

		if (operand_role_of(word) == OPERAND_RESULT || !operand_slot_of(word))
			continue;
		lanes = undefined_lanes(w, operand_slot_of(word));
		s.lanes |= lanes;
		if (!(lanes & m) || is_repeated_source(&s, word))
			continue;
		if (!s.n)
			s.origin = origin_of_slot(w, operand_slot_of(word));
		if (s.n < TRIAL_SOURCES)
			s.word[s.n] = word;
		s.n++;
	}
	return s;
}

/* Returns the lanes in which the predicate that is combined with a comparison decides the result alone. */
static uint32_t lanes_decided_by_predicate(const struct warp *w, const struct operand_list *l)
{
	uint32_t slot = 0, value;
	unsigned how = operands_combination(l);

	if (how != COMBINE_AND && how != COMBINE_OR)
		return 0;
	for (unsigned i = operands_number(l); i-- > 0;)
		if (operand_role_of(l->word[i]) == OPERAND_SOURCE && !operand_bytes_of(l->word[i]))
			slot = operand_slot_of(l->word[i]); /* the loop ends with the first such operand */
	value = PRED(w, slot) ^ (is_combination_inverted(l) ? ALL_LANES : 0);
	return (how == COMBINE_AND ? ~value : value) & ~undefined_lanes(w, slot);
}

/*
 * Sets each[] to the lanes in which the results of a comparison are undefined: if an undefined predicate changes the
 * result, or if a register that is compared is undefined and no predicate decides alone. Returns false if the caller
 * must assume that all lanes with an undefined source are undefined.
 */
static bool find_undefined_comparisons(struct warp *w, const struct op *o, const struct operand_list *l,
	uint32_t exec, const struct undefined_sources *s, uint32_t each[TRIAL_RESULTS])
{
	struct undefined_sources predicates = {0};
	uint32_t registers = 0;

	for (unsigned i = 0; i < s->n && i < TRIAL_SOURCES; i++) {
		if (!operand_bytes_of(s->word[i]))
			predicates.word[predicates.n++] = s->word[i];
		else
			registers |= undefined_lanes(w, operand_slot_of(s->word[i])) & exec;
	}
	if (!predicates.n || s->n > TRIAL_SOURCES || !trial_logic(w, o, l, exec, false, &predicates, each))
		return false;
	for (unsigned k = 0; k < TRIAL_RESULTS; k++)
		each[k] |= registers & ~lanes_decided_by_predicate(w, l);
	return true;
}

/*
 * Sets the states of the results for the lanes of exec, in which lanes[] or else `lane` are undefined. guarded: lanes
 * whose guard is undefined, so that the register has its old or its new value.
 */
static void set_results(struct warp *w, const struct operand_list *l, uint32_t exec, uint32_t lane,
	const uint32_t *lanes, uint32_t guarded, unsigned origin)
{
	for (unsigned i = 0, k = 0; i < operands_number(l); i++) {
		uint32_t slot = operand_slot_of(l->word[i]);

		if (operand_role_of(l->word[i]) != OPERAND_RESULT || !slot)
			continue;
		uint32_t old = undefined_lanes(w, slot) & ~exec,
			 new = ((lanes ? lanes[k] : lane) & exec) | guarded;
		k++;
		set_state(w, state_index(w, slot), old | new,
			new   ? origin
			: old ? origin_of_slot(w, slot)
			      : 0);
	}
}

/* Updates the results of an op whose only effect is its results. */
static void update_undefined_results(
	struct warp *w, const struct op *o, const struct operand_list *l, uint32_t exec, uint32_t guarded)
{
	struct undefined_sources s =
		find_sources(w, l, operands_class(l) == VALUE_SHUFFLE ? ALL_LANES : exec);
	uint32_t each[TRIAL_RESULTS], *lanes = NULL, lane = s.lanes;

	if (!s.n && guarded)
		s.origin = origin_of_slot(w, o->guard);
	switch (operands_class(l)) {
	case VALUE_LOGIC:
	case VALUE_PACK:
		if (s.n && exec && trial_logic(w, o, l, exec, operands_class(l) == VALUE_PACK, &s, each))
			lanes = each;
		break;
	case VALUE_COMPARE:
		if (s.n && exec && find_undefined_comparisons(w, o, l, exec, &s, each))
			lanes = each;
		lane &= ~lanes_decided_by_predicate(w, l);
		break;
	case VALUE_PRODUCT:
		if (s.n && exec && product_find_undefined(w, l, each)) {
			lanes = each;
			break;
		}
		/* fall through */
	case VALUE_WARP: lane = s.lanes & exec ? ALL_LANES : 0; break;
	case VALUE_SHUFFLE: lane = s.n && exec ? trial_shuffle(w, o, l, exec) : 0; break;
	default: break;
	}
	set_results(w, l, exec, lane, lanes, guarded, s.origin);
}

void undefined_step(struct warp *w, const struct op *o, uint32_t mask, uint32_t exec)
{
	const struct machine_execution *machine = w->grid->machine;
	const struct operand_list l = operands_of(w->grid->code, o);
	uint32_t guarded = undefined_lanes(w, o->guard) & mask;
	const bool flow = o->flow != FLOW_NEXT && !(machine && o->flow == machine->uniform);

	if (!flow && operands_class(&l) < VALUE_LOAD) {
		update_undefined_results(w, o, &l, exec, guarded);
		return;
	}
	if (guarded)
		report_slot(w, o, o->guard, mask, "used as a condition");
	report_operands(w, o, &l, OPERAND_ADDRESS, exec, "used as an address");
	if (operands_class(&l) == VALUE_USE || operands_class(&l) < VALUE_LOAD)
		report_operands(
			w, o, &l, OPERAND_SOURCE, exec, flow ? "used as a condition" : "used as an operand");
	set_results(w, &l, exec, 0, NULL, 0, 0);
}

/* ---- accesses ---- */

/* Returns n bits that are set, n <= 64. */
static uint64_t low_bits(uint64_t n) { return n >= 64 ? UINT64_MAX : (1ull << n) - 1; }

static void mark_result(struct warp *w, uint32_t word, uint32_t lanes, unsigned origin)
{
	uint32_t slot = operand_slot_of(word);

	if (slot)
		set_state(w, state_index(w, slot), undefined_lanes(w, slot) | lanes, origin);
}

static unsigned find_origin(struct warp *w, const struct op *o, const struct unset_read *r)
{
	struct undefined *u = w->undefined;

	o = bound_original(w->grid->code, o);
	if (!u)
		u = w->undefined = xcalloc(1, sizeof(*u));
	for (uint32_t i = 0; i < u->n_loads; i++)
		if (u->load[i].op == o)
			return i;
	if (u->n_loads == UINT16_MAX)
		return u->n_loads - 1;
	grow(&u->load, &u->cap_loads, u->n_loads + 1, sizeof(*u->load));
	u->load[u->n_loads] = (struct unset_load){.op = o, .read = *r};
	return u->n_loads++;
}

/* Returns the bytes that belong to each of n operands of an access. */
static uint64_t bytes_of_operand(uint64_t bytes, unsigned n)
{
	return n && bytes % n == 0 ? bytes / n : bytes;
}

/* Returns true if all bytes of operand k of a load are undefined. unset: undefined bytes of the access. */
static bool is_operand_unset(uint64_t unset, unsigned k, uint64_t bytes, uint64_t each)
{
	uint64_t part = each == bytes ? unset : unset >> k * each;

	return (part & low_bits(each)) == low_bits(each);
}

/*
 * Marks the results of a load by a lane. unset: undefined bytes of the access. r: the read to record as the origin;
 * NULL: origin is the number of a recorded load.
 */
static void mark_loaded(struct warp *w, const struct op *o, unsigned lane, uint64_t unset, uint64_t bytes,
	const struct unset_read *r, unsigned origin)
{
	const struct operand_list l = operands_of(w->grid->code, o);
	uint32_t word[TRIAL_RESULTS];
	unsigned n = operands_take(&l, OPERAND_RESULT, word, TRIAL_RESULTS);
	bool rows = operands_class(&l) == VALUE_LOAD_ROWS,
	     matrices = rows || operands_class(&l) == VALUE_LOAD_MATRICES;
	uint32_t lanes = rows ? 15u << lane % 8 * 4 : matrices ? ALL_LANES : 1u << lane;
	uint64_t each = bytes_of_operand(bytes, n);

	for (unsigned k = 0; k < n; k++) {
		if (!operand_slot_of(word[k]) || (rows && k != lane / 8) ||
			!(matrices ? unset != 0 : is_operand_unset(unset, k, bytes, each)))
			continue;
		if (r)
			origin = find_origin(w, o, r);
		r = NULL;
		mark_result(w, word[k], lanes, origin);
		w->stop |= WARP_UNDEFINED;
	}
}

static bool is_followed_load(enum value_class c) { return c >= VALUE_LOAD && c <= VALUE_LOAD_MATRICES; }

void undefined_note_read(
	struct warp *w, const struct op *o, unsigned lane, uint64_t unset, const struct unset_read *r)
{
	const struct operand_list l = operands_of(w->grid->code, o);
	char what[WHAT_MAX];

	if (is_followed_load(operands_class(&l))) {
		mark_loaded(w, o, lane, unset, r->bytes, r, 0);
	} else if (o->stmt->opcode != I_wmma && /* its matrices can have rows that the program does not use */
		   (unset & low_bits(r->bytes)) == low_bits(r->bytes) &&
		   !exec_is_finding_known(w, o, "uninitialised")) {
		r->describe(w, o, r, what, sizeof(what));
		exec_note_finding(w, o, 1u << lane, "uninitialised", "%s", what);
	}
}

/* Reads the states of bytes of local memory. */
static void note_local_read(struct warp *w, const struct op *o, unsigned lane, size_t off, uint64_t bytes)
{
	const struct operand_list l = operands_of(w->grid->code, o);
	const uint8_t *state = w->undefined->local + off;
	uint64_t unset = 0;
	unsigned origin = 0;

	for (uint64_t b = 0; b < bytes && b < 64; b++)
		if (state[b]) {
			unset |= 1ull << b;
			origin = state[b] - 1u;
		}
	if (!unset)
		return;
	if (is_followed_load(operands_class(&l)))
		mark_loaded(w, o, lane, unset, bytes, NULL, origin);
	else if ((unset & low_bits(bytes)) == low_bits(bytes))
		report_use(w, o, 1u << lane, origin, "used as an operand");
}

/* Returns the bytes of a lane's store that are undefined, and sets *origin. */
static uint64_t undefined_bytes_of_store(const struct warp *w, const struct op *o, const uint32_t *word,
	unsigned n, unsigned lane, uint64_t bytes, unsigned *origin)
{
	const struct operand_list l = operands_of(w->grid->code, o);
	bool rows = operands_class(&l) == VALUE_STORE_ROWS;
	uint64_t each = bytes_of_operand(bytes, n), unset = 0;

	for (unsigned k = 0; k < n; k++) {
		uint32_t slot = operand_slot_of(word[k]), lanes = undefined_lanes(w, slot);

		if (!(rows ? lanes : lanes >> lane & 1))
			continue;
		unset |= rows || each == bytes ? low_bits(bytes) : low_bits(each) << k * each;
		*origin = origin_of_slot(w, slot);
	}
	return unset;
}

static void note_store_of_lane(struct warp *w, const struct op *o, unsigned lane, uint64_t unset,
	uint64_t bytes, uint8_t *at, unsigned origin)
{
	size_t local = offset_in_local(w, at);

	if (local != SIZE_MAX)
		mark_local(w, local, bytes, 0);
	else if (unset == low_bits(bytes) && !checker_is_shared(w->cta, at)) {
		report_use(w, o, 1u << lane, origin, "stored to global memory");
		return;
	}
	for (uint64_t b = 0; b < bytes && b < 64; b++)
		if (!(unset >> b & 1))
			continue;
		else if (local != SIZE_MAX)
			mark_local(w, local + b, 1, local_state_of_origin(origin));
		else
			checker_mark_unwritten(w->cta, at + b, w->undefined->load[origin].op,
				&w->undefined->load[origin].read);
}

void undefined_note_access(
	struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, uint8_t *const *at, bool write)
{
	if (!w->n_undefined && !w->undefined->local)
		return;
	const struct operand_list l = operands_of(w->grid->code, o);
	uint32_t word[TRIAL_RESULTS];
	enum value_class class = operands_class(&l);
	bool stores = class == VALUE_STORE || class == VALUE_STORE_ROWS;
	unsigned n = stores && w->n_undefined ? operands_take(&l, OPERAND_SOURCE, word, TRIAL_RESULTS) : 0,
		 origin = 0;

	if (!write && !w->undefined->local)
		return;
	FOR_BITS32 (i, m) {
		size_t local = offset_in_local(w, at[i]);

		if (write) {
			uint64_t unset = undefined_bytes_of_store(w, o, word, n, i, bytes, &origin);

			note_store_of_lane(w, o, i, unset, bytes, at[i], origin);
		} else if (local != SIZE_MAX) {
			note_local_read(w, o, i, local, bytes);
		}
	}
}

void undefined_note_print(
	struct warp *w, const struct op *o, unsigned lane, const uint8_t *at, uint64_t bytes)
{
	size_t local = w->undefined && w->undefined->local ? offset_in_local(w, at) : SIZE_MAX;

	if (local != SIZE_MAX && w->undefined->local[local] && w->undefined->local[local + bytes - 1])
		report_use(w, o, 1u << lane, w->undefined->local[local] - 1u, "printed");
}
