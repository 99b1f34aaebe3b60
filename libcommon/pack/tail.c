/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts of lines as forms and numbers (tail.h): prediction, writing and reading. */
#include <float.h>
#include "bits.h"
#include "tail.h"

#define NUMBER_MAX 1000000000000000000u

_Static_assert(FLT_EVAL_METHOD == 0, "guesses are single and double numbers, the same on every machine");

/* ---- guesses ------------------------------------------------------------------------------ */

static uint64_t truncate_to_kind(unsigned kind, uint64_t v) { return kind == HEX8 ? (uint32_t)v : v; }

/*
 * Returns b plus the step `to` - `from`, computed as floating-point numbers; returns b if the result is not finite.
 */
static uint64_t extrapolate_float(unsigned kind, uint64_t b, uint64_t from, uint64_t to)
{
	if (kind == HEX8) {
		const uint32_t special = 0x7f800000, w[3] = {(uint32_t)b, (uint32_t)from, (uint32_t)to};
		float f[3];
		uint32_t r;

		memcpy(f, w, sizeof(f));
		float step = f[2] - f[1], sum = f[0] + step;
		memcpy(&r, &sum, sizeof(r));
		bool good = (w[0] & special) != special && (w[1] & special) != special &&
			    (w[2] & special) != special;
		return good && (r & special) != special ? r : w[0];
	}
	const uint64_t special = UINT64_C(0x7ff) << 52, w[3] = {b, from, to};
	double f[3];
	uint64_t r;

	memcpy(f, w, sizeof(f));
	double step = f[2] - f[1], sum = f[0] + step;
	memcpy(&r, &sum, sizeof(r));
	bool good = (b & special) != special && (from & special) != special && (to & special) != special;
	return good && (r & special) != special ? r : b;
}

/*
 * Inputs of the guesses: the numbers of this lane and the previous one in the previous text (old, old_before), and
 * the numbers of the two previous lanes in this text (before, before_that).
 */
struct known {
	uint64_t old, old_before, before, before_that;
	unsigned lane; /* number of lanes before this one */
};

static uint64_t guess_number(unsigned guess, unsigned kind, const struct known *k)
{
	/* `before` of the first lane is the number of that lane two texts earlier. */
	uint64_t at = k->lane ? k->before : k->old;

	switch (guess) {
	case 0: return at;
	case 1: return k->old;
	case 2: return k->lane == 1 ? at : at + (at - (k->lane ? k->before_that : k->before));
	case 3:
		return k->lane == 1 ? at
				    : extrapolate_float(kind, at, k->lane ? k->before_that : k->before, at);
	case 4: return k->lane ? k->old + (k->before - k->old_before) : k->old + (k->old - k->before);
	case 5:
		return k->lane ? extrapolate_float(kind, k->old, k->old_before, k->before)
			       : extrapolate_float(kind, k->old, k->before, k->old);
	default: return 0;
	}
}

static uint64_t tail_difference(unsigned kind, uint64_t v, uint64_t guess)
{
	return kind == HEX8 ? (uint32_t)fold((int32_t)(uint32_t)(v - guess)) : fold((int64_t)(v - guess));
}

static uint64_t undo_tail_difference(unsigned kind, uint64_t d, uint64_t guess)
{
	return truncate_to_kind(kind, guess + (uint64_t)unfold(d));
}

static unsigned best_guess(const struct group_state *g)
{
	unsigned best = 0;

	for (unsigned k = 1; k < GUESSES; k++)
		if (g->cost[k] < g->cost[best])
			best = k;
	return best;
}

/* Returns the inputs of the guesses for lane l from the inputs for the lane before it. */
static struct known guess_inputs_of(const struct group_state *g, const struct known *was, unsigned l)
{
	struct known k = *was;

	k.old = g->last_number[l];
	if (!k.lane)
		k.before = g->older;
	return k;
}

static void note_lane_number(struct known *k, uint64_t v)
{
	k->old_before = k->old;
	k->before_that = k->lane ? k->before : v;
	k->before = v;
	k->lane++;
}

/* Updates the cost of every guess, and stores the numbers as the previous ones. */
static void update_guess_costs(struct group_state *g, unsigned kind, uint32_t mask, const uint64_t v[32])
{
	struct known k = {.lane = 0};

	for (unsigned n = 0; n < GUESSES; n++)
		g->cost[n] /= 2;
	FOR_BITS32 (l, mask) {
		k = guess_inputs_of(g, &k, l);
		for (unsigned n = 0; n < GUESSES; n++) {
			uint64_t d = tail_difference(kind, v[l], guess_number(n, kind, &k));

			g->cost[n] += d ? log2_floor(d) + 2 : 0;
		}
		note_lane_number(&k, v[l]);
	}
	if (mask)
		g->older = g->last_number[bit_lowest32(mask)];
	FOR_BITS32 (l, mask)
		g->last_number[l] = v[l];
}

/* ---- state -------------------------------------------------------------------------------- */

void tails_new(struct tails *t, uint32_t n, bool values)
{
	*t = (struct tails){.n = n, .with_values = values};
}

void tails_free(struct tails *t)
{
	for (uint32_t i = 0; t->state && i < t->n; i++) {
		buf_free(&t->state[i].form);
		free(t->state[i].values);
		for (unsigned g = 0; g < TAIL_GROUPS; g++)
			free(t->state[i].group[g]);
	}
	free(t->state);
	buf_free(&t->shape.form);
	buf_free(&t->text);
}

void tails_begin_span(struct tails *t, const struct cur col[N_COLUMNS])
{
	if (col) {
		t->in = col[COL_TEXT];
		t->width = col[COL_WIDTH];
		for (unsigned k = 0; k < 8; k++)
			t->plane[k] = col[COL_VALUE + k];
	}
	for (uint32_t i = 0; t->state && i < t->n; i++) {
		t->state[i].form.n = 0;
		if (t->state[i].values)
			memset(t->state[i].values, 0, VALUE_GROUPS * sizeof(t->state[i].values[0]));
		for (unsigned g = 0; g < TAIL_GROUPS; g++)
			if (t->state[i].group[g])
				*t->state[i].group[g] = (struct group_state){.older = 0};
	}
}

static struct tail_state *tail_state_of(struct tails *t, uint32_t id)
{
	if (!t->state)
		t->state = xcalloc(t->n + 1, sizeof(t->state[0]));
	return &t->state[id];
}

static struct group_state *tail_group_state(struct tail_state *s, unsigned g)
{
	if (!s->group[g])
		s->group[g] = xcalloc(1, sizeof(*s->group[g]));
	return s->group[g];
}

static struct value_group *tail_value_state(struct tail_state *s)
{
	if (!s->values)
		s->values = xcalloc(VALUE_GROUPS, sizeof(s->values[0]));
	return s->values;
}

/* Stores the form and numbers of x for comparison with the next text. */
static void keep_guess_numbers(
	struct tail_state *s, const struct shape_of_text *x, uint32_t mask, bool formed)
{
	const uint8_t *f = x->form.p;
	unsigned g = 0;

	if (!formed) {
		s->form.n = 0;
		return;
	}
	if (s->form.n != x->form.n || (x->form.n && memcmp(s->form.p, f, x->form.n))) {
		s->form.n = 0;
		buf_add(&s->form, f, x->form.n);
	}
	memcpy(s->slot, x->slot, x->n_slots * sizeof(s->slot[0]));
	if (x->n_values)
		memcpy(tail_value_state(s), x->values, x->n_values * sizeof(x->values[0]));
	for (size_t i = 0; i < x->form.n; i++)
		if (f[i] == GROUP) {
			update_guess_costs(tail_group_state(s, g), f[i + 1], mask, x->lane[g]);
			g++;
		}
}

/* ---- writing ------------------------------------------------------------------------------ */

static void put_group_numbers(
	struct group_state *g, unsigned kind, uint32_t mask, const uint64_t v[32], struct buf col[N_COLUMNS])
{
	unsigned best = best_guess(g), bytes = 0;
	struct known k = {.lane = 0};
	uint64_t d[32] = {0}, all = 0;

	FOR_BITS32 (l, mask) {
		k = guess_inputs_of(g, &k, l);
		d[l] = tail_difference(kind, v[l], guess_number(best, kind, &k));
		all |= d[l];
		note_lane_number(&k, v[l]);
	}
	for (; all; all >>= 8)
		bytes++;
	buf_byte(&col[COL_WIDTH], (uint8_t)bytes);
	for (unsigned b = 0; b < bytes; b++)
		FOR_BITS32 (l, mask)
			buf_byte(&col[COL_VALUE + b], (uint8_t)(d[l] >> 8 * b));
}

/* Appends the numbers of a text, of which the form is known, to the columns. */
static void put_tail_numbers(
	struct tail_state *s, const struct shape_of_text *x, uint32_t mask, struct buf col[N_COLUMNS])
{
	unsigned slot = 0, g = 0, w = 0;
	struct value_before before = {.address = x->address};

	for (size_t i = 0; i < x->form.n; i++) {
		uint8_t c = x->form.p[i];

		if (c == GROUP) {
			put_group_numbers(tail_group_state(s, g), x->form.p[++i], mask, x->lane[g], col);
			g++;
		} else if (c == VALUES) {
			before.last = &tail_value_state(s)[w];
			values_put(x->values, w++, &before, col);
		} else if (c < ' ') {
			buf_var(&col[COL_TEXT], fold((int64_t)(x->slot[slot] - s->slot[slot])));
			slot++;
		}
	}
}

/*
 * Appends a text whose form differs from the form of the previous text. With STYLE_VALUES, the lowest bit of the stored
 * length says whether the form or the whole text follows.
 */
static void put_new_text(struct tails *t, struct tail_state *s, uint32_t mask, const uint8_t *text, size_t n,
	bool formed, struct buf col[N_COLUMNS])
{
	const struct buf *form = &t->shape.form;
	const bool as_form = formed && t->with_values && form->n;
	const uint64_t len = as_form ? form->n : n;

	buf_var(&col[COL_TEXT], 1 + (t->with_values ? 2 * len + as_form : len));
	if (len)
		buf_add(&col[COL_TEXT], as_form ? form->p : text, len);
	if (as_form) {
		memset(s->slot, 0, sizeof(s->slot));
		put_tail_numbers(s, &t->shape, mask, col);
	}
}

void tail_put(struct tails *t, uint32_t id, uint32_t mask, uint64_t address, const uint8_t *text, size_t n,
	struct buf col[N_COLUMNS])
{
	struct tail_state *s = tail_state_of(t, id);
	struct shape_of_text *x = &t->shape;
	bool formed = tail_split_text(x, t->with_values, mask, text, n);

	x->address = (uint32_t)address;
	if (!formed || !s->form.n || s->form.n != x->form.n || memcmp(s->form.p, x->form.p, x->form.n)) {
		put_new_text(t, s, mask, text, n, formed, col);
	} else {
		buf_byte(&col[COL_TEXT], 0);
		put_tail_numbers(s, x, mask, col);
	}
	keep_guess_numbers(s, x, mask, formed);
}

/* ---- reading ------------------------------------------------------------------------------ */

static bool read_group_numbers(
	struct tails *t, struct group_state *g, unsigned kind, uint32_t mask, uint64_t v[32])
{
	unsigned best = best_guess(g), bytes = cur_byte(&t->width), n = bit_count32(mask), i = 0;
	const uint8_t *plane[8];
	struct known k = {.lane = 0};

	if (bytes > (kind == HEX8 ? 4 : 8))
		return false;
	for (unsigned b = 0; b < bytes; b++)
		if (!(plane[b] = cur_bytes(&t->plane[b], n)))
			return false;
	FOR_BITS32 (l, mask) {
		uint64_t d = 0;

		for (unsigned b = 0; b < bytes; b++)
			d |= (uint64_t)plane[b][i] << 8 * b;
		i++;
		k = guess_inputs_of(g, &k, l);
		v[l] = undo_tail_difference(kind, d, guess_number(best, kind, &k));
		if (kind == DECIMAL && v[l] >= NUMBER_MAX)
			return false;
		note_lane_number(&k, v[l]);
	}
	return !t->width.bad;
}

static bool read_tail_numbers(struct tails *t, struct tail_state *s, uint32_t mask)
{
	struct shape_of_text *x = &t->shape;
	struct value_before before = {.address = x->address};

	x->form.n = 0;
	buf_add(&x->form, s->form.p, s->form.n);
	x->n_slots = x->n_groups = x->n_values = 0;
	for (size_t i = 0; i < s->form.n; i++) {
		uint8_t c = s->form.p[i];

		if (c == VALUES) {
			before.last = &tail_value_state(s)[x->n_values];
			if (!values_next(x->values, x->n_values++, &before, &t->width, t->plane))
				return false;
		} else if (c == GROUP) {
			if (!mask || !read_group_numbers(t, tail_group_state(s, x->n_groups), s->form.p[++i],
					     mask, x->lane[x->n_groups]))
				return false;
			x->n_groups++;
		} else if (c < ' ') {
			uint64_t v = s->slot[x->n_slots] + (uint64_t)unfold(cur_var(&t->in));

			if (t->in.bad || (c == DECIMAL && v >= NUMBER_MAX))
				return false;
			x->slot[x->n_slots++] = truncate_to_kind(c, v);
		}
	}
	return true;
}

/* Reads a text that is stored as it is. */
static bool read_whole_text(
	struct tails *t, struct tail_state *s, uint32_t mask, uint64_t len, const uint8_t **text, size_t *n)
{
	*n = len;
	*text = cur_bytes(&t->in, len);
	if (!*text)
		return false;
	bool formed = tail_split_text(&t->shape, t->with_values, mask, *text, *n);
	keep_guess_numbers(s, &t->shape, mask, formed);
	return true;
}

/* Reads the form of a text, which is the form of the following numbers. */
static bool read_form(struct tails *t, struct tail_state *s, uint64_t len)
{
	const uint8_t *form = cur_bytes(&t->in, len);

	if (!form || !tail_form_is_valid(form, len))
		return false;
	s->form.n = 0;
	buf_add(&s->form, form, len);
	memset(s->slot, 0, sizeof(s->slot));
	return true;
}

bool tail_next(struct tails *t, uint32_t id, uint32_t mask, uint64_t address, const uint8_t **text, size_t *n)
{
	struct tail_state *s = tail_state_of(t, id);
	uint64_t code = cur_var(&t->in);

	if (code && !(t->with_values && (code - 1) % 2)) {
		if (!read_whole_text(t, s, mask, (code - 1) / (1 + t->with_values), text, n))
			return false;
	} else {
		t->shape.address = (uint32_t)address;
		if ((code && !read_form(t, s, (code - 1) / 2)) || !s->form.n ||
			!read_tail_numbers(t, s, mask))
			return false;
		tail_join_text(&t->text, &s->form, &t->shape, mask);
		keep_guess_numbers(s, &t->shape, mask, true);
		*text = t->text.p;
		*n = t->text.n;
	}
	return !t->in.bad && *n < TAIL_MOST;
}

bool tails_are_valid(const struct tails *t)
{
	bool bad = t->in.bad | t->width.bad;

	for (unsigned k = 0; k < 8; k++)
		bad |= t->plane[k].bad;
	return !bad;
}
