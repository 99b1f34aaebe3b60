/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Texts of lines as forms and numbers (tail.h): splitting, prediction, writing and reading.
 *
 * In a form, bytes below ' ' represent numbers: DECIMAL, HEX8 or HEX16 represents one number; GROUP followed by one
 * of these represents one number for each active lane. A text that contains such bytes has no form and is always
 * written whole.
 */
#include <float.h>
#include "bits.h"
#include "tail.h"

#define DIGITS_MAX 18u
#define NUMBER_MAX 1000000000000000000u
#define TEXT_MOST  (1u << 20)

enum { DECIMAL = 1, HEX8, HEX16, GROUP };

_Static_assert(FLT_EVAL_METHOD == 0, "guesses are single and double numbers, the same on every machine");

/* ---- splitting a text into form and numbers ---------------------------------------------- */

static bool is_digit(uint8_t c) { return c >= '0' && c <= '9'; }

static unsigned tail_hex_digit(uint8_t c)
{
	return is_digit(c) ? c - '0' + 0u : c >= 'a' && c <= 'f' ? c - 'a' + 10u : 16u;
}

/* Returns the length of the number at p; 0 if there is none. */
static size_t parse_tail_number(const uint8_t *p, const uint8_t *end, unsigned *kind, uint64_t *v)
{
	size_t n = 0;

	*v = 0;
	if (end - p >= 10 && p[0] == '0' && p[1] == 'x') {
		for (n = 2; p + n < end && n < 19 && tail_hex_digit(p[n]) < 16; n++)
			*v = *v << 4 | tail_hex_digit(p[n]);
		*kind = n == 18 ? HEX16 : HEX8;
		return n == 10 || n == 18 ? n : 0;
	}
	for (; p + n < end && is_digit(p[n]); n++)
		if (n < DIGITS_MAX)
			*v = *v * 10 + (uint64_t)(p[n] - '0');
	*kind = DECIMAL;
	return n == 1 || (n > 1 && n <= DIGITS_MAX && *p != '0') ? n : 0;
}

static size_t put_tail_decimal(uint8_t *o, uint64_t v)
{
	uint8_t t[20], *at = t + 20;

	do
		*--at = (uint8_t)('0' + v % 10);
	while (v /= 10);
	memcpy(o, at, (size_t)(t + 20 - at));
	return (size_t)(t + 20 - at);
}

/* Writes "T<lane>:". */
static size_t put_tail_lane(uint8_t *o, unsigned lane)
{
	size_t n = 1 + put_tail_decimal(o + 1, lane);

	o[0] = 'T';
	o[n] = ':';
	return n + 1;
}

/* Returns the length of the group at p; 0 if there is none. */
static size_t parse_tail_group(
	const uint8_t *p, const uint8_t *end, uint32_t mask, unsigned *kind, uint64_t lane[32])
{
	const uint8_t *from = p;
	bool first = true;

	if (*p != 'T')
		return 0;
	FOR_BITS32 (l, mask) {
		uint8_t word[8];
		size_t n = put_tail_lane(word, l);
		unsigned k;

		if ((size_t)(end - p) <= n || memcmp(p, word, n))
			return 0;
		p += n;
		n = parse_tail_number(p, end, &k, &lane[l]);
		p += n;
		if (!n || p == end || *p++ != ' ' || (!first && k != *kind))
			return 0;
		*kind = k;
		first = false;
	}
	return (size_t)(p - from);
}

/* Splits a text into form and numbers. Returns false if the text has no form. */
static bool split_tail_text(struct shape_of_text *s, uint32_t mask, const uint8_t *p, size_t n)
{
	const uint8_t *end = p + n;
	unsigned kind = 0;
	uint64_t v;

	s->form.n = 0;
	s->n_slots = s->n_groups = 0;
	while (p < end) {
		size_t len = s->n_groups < TAIL_GROUPS
				     ? parse_tail_group(p, end, mask, &kind, s->lane[s->n_groups])
				     : 0;

		if (len) {
			s->n_groups++;
			buf_byte(&s->form, GROUP);
			buf_byte(&s->form, (uint8_t)kind);
		} else if ((len = parse_tail_number(p, end, &kind, &v)) && s->n_slots < TAIL_SLOTS) {
			s->slot[s->n_slots++] = v;
			buf_byte(&s->form, (uint8_t)kind);
		} else {
			if (*p < ' ')
				return false;
			/* A number never begins within a run of digits. */
			for (len = 1; is_digit(*p) && p + len < end && is_digit(p[len]);)
				len++;
			buf_add(&s->form, p, len);
		}
		p += len;
	}
	return true;
}

static size_t put_tail_number(uint8_t *o, unsigned kind, uint64_t v)
{
	unsigned n = kind == HEX16 ? 16 : 8;

	if (kind == DECIMAL)
		return put_tail_decimal(o, v);
	o[0] = '0';
	o[1] = 'x';
	for (unsigned i = n; i-- > 0; v >>= 4)
		o[2 + i] = (uint8_t) "0123456789abcdef"[v & 15];
	return n + 2;
}

static void join_tail_text(
	struct buf *out, const struct buf *form, const struct shape_of_text *s, uint32_t mask)
{
	unsigned slot = 0, g = 0;

	out->n = 0;
	for (size_t i = 0; i < form->n; i++) {
		uint8_t c = form->p[i];

		buf_room(out, 32 * 32);
		if (c == GROUP) {
			i++;
			FOR_BITS32 (l, mask) {
				out->n += put_tail_lane(out->p + out->n, l);
				out->n += put_tail_number(out->p + out->n, form->p[i], s->lane[g][l]);
				out->p[out->n++] = ' ';
			}
			g++;
		} else if (c < ' ') {
			out->n += put_tail_number(out->p + out->n, c, s->slot[slot++]);
		} else {
			out->p[out->n++] = c;
		}
	}
}

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

void tails_new(struct tails *t, uint32_t n) { *t = (struct tails){.n = n}; }

void tails_free(struct tails *t)
{
	for (uint32_t i = 0; t->state && i < t->n; i++) {
		buf_free(&t->state[i].form);
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

void tail_put(
	struct tails *t, uint32_t id, uint32_t mask, const uint8_t *text, size_t n, struct buf col[N_COLUMNS])
{
	struct tail_state *s = tail_state_of(t, id);
	struct shape_of_text *x = &t->shape;
	bool formed = split_tail_text(x, mask, text, n);
	unsigned slot = 0, g = 0;

	if (!formed || !s->form.n || s->form.n != x->form.n || memcmp(s->form.p, x->form.p, x->form.n)) {
		buf_var(&col[COL_TEXT], 1 + (uint64_t)n);
		if (n)
			buf_add(&col[COL_TEXT], text, n);
		keep_guess_numbers(s, x, mask, formed);
		return;
	}
	buf_byte(&col[COL_TEXT], 0);
	for (size_t i = 0; i < x->form.n; i++) {
		uint8_t c = x->form.p[i];

		if (c == GROUP) {
			put_group_numbers(tail_group_state(s, g), x->form.p[++i], mask, x->lane[g], col);
			g++;
		} else if (c < ' ') {
			buf_var(&col[COL_TEXT], fold((int64_t)(x->slot[slot] - s->slot[slot])));
			slot++;
		}
	}
	keep_guess_numbers(s, x, mask, true);
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

	x->form.n = 0;
	buf_add(&x->form, s->form.p, s->form.n);
	x->n_slots = x->n_groups = 0;
	for (size_t i = 0; i < s->form.n; i++) {
		uint8_t c = s->form.p[i];

		if (c == GROUP) {
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

bool tail_next(struct tails *t, uint32_t id, uint32_t mask, const uint8_t **text, size_t *n)
{
	struct tail_state *s = tail_state_of(t, id);
	uint64_t len = cur_var(&t->in);

	if (len) {
		*n = len - 1;
		*text = cur_bytes(&t->in, *n);
		if (!*text)
			return false;
		bool formed = split_tail_text(&t->shape, mask, *text, *n);
		keep_guess_numbers(s, &t->shape, mask, formed);
	} else {
		if (!s->form.n || !read_tail_numbers(t, s, mask))
			return false;
		join_tail_text(&t->text, &s->form, &t->shape, mask);
		keep_guess_numbers(s, &t->shape, mask, true);
		*text = t->text.p;
		*n = t->text.n;
	}
	return !t->in.bad && *n < TEXT_MOST;
}

bool tails_are_valid(const struct tails *t)
{
	bool bad = t->in.bad | t->width.bad;

	for (unsigned k = 0; k < 8; k++)
		bad |= t->plane[k].bad;
	return !bad;
}
