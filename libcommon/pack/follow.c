/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Warps that follow their leader; see follow.h.
 *
 * Always true: the addresses of a follower's access are those of the leader's access plus one distance. The addresses
 * that a recipe without numbers predicts also move by one distance: the shifted distance of the access to which it
 * refers, or the difference of the affine bases. So comparing distances is enough.
 */
#include "addr.h"
#include "follow.h"

/* Returns true if two lists of n words differ by a constant. */
static bool lists_follow(const uint64_t *a, const uint64_t *w, uint32_t n)
{
	const uint64_t by = w[0] - a[0];
	uint64_t off = 0;

	for (uint32_t i = 1; i < n; i++)
		off |= (w[i] - a[i]) ^ by;
	return !off;
}

/* Returns true if the words of the warp are in the order of its accesses, as those of a leader must be. */
static bool are_words_in_order(const struct pack_warp *w)
{
	uint32_t end = w->n_words;

	for (uint32_t i = w->n_payloads; i-- > 0; end = w->payload[i].addr >> 2)
		if ((w->payload[i].addr >> 2) + 2 > end)
			return false;
	return true;
}

/* Compares the words of the warps, which have equal elements of payload[]. */
static bool words_follow(const struct pack_warp *a, const struct pack_warp *w, struct follow *f)
{
	uint64_t low = 0, far = 0, digits = 0;

	for (uint32_t i = 0; i < w->n_payloads; i++) {
		const uint32_t addr = w->payload[i].addr, at = addr >> 2;
		const uint64_t *u = a->word + at, *v = w->word + at, by = v[0] - u[0];
		uint64_t first = v[0];

		if ((addr & 3) == ADDR_LIST) {
			const uint32_t end = i + 1 < w->n_payloads ? w->payload[i + 1].addr >> 2 : w->n_words;

			if (!lists_follow(u, v, end - at))
				return false;
		} else {
			if (u[1] != v[1])
				return false;
			first += (addr & 3) == ADDR_MOVED ? *(v - v[1]) : 0;
		}
		low |= by;
		far |= by + FOLLOW_NEAR;
		digits += hex_digits(first);
	}
	/* a sector has 32 bytes */
	*f = (struct follow){.digits = digits, .near = !(low % 32) && far < 2 * FOLLOW_NEAR};
	return true;
}

/* Returns true if the warps have equal runs and elements of payload[]. */
static bool have_equal_runs(const struct pack_warp *a, const struct pack_warp *w)
{
	return a->n_runs == w->n_runs && a->n_payloads == w->n_payloads && a->n_words == w->n_words &&
	       !w->n_text && !memcmp(a->run, w->run, w->n_runs * sizeof(*w->run)) &&
	       (!w->n_payloads || !memcmp(a->payload, w->payload, w->n_payloads * sizeof(*w->payload)));
}

/* ---- comparison in vectors ---------------------------------------------------------------- */

void follow_words_free(struct follow_words *x)
{
	free(x->fixed);
	free(x->list);
	*x = (struct follow_words){.fixed = NULL};
}

#define CLOSE (FOLLOW_NEAR / 4) /* largest distance of words that are compared in vectors */

/* Returns true if all addresses less than 2 * CLOSE from v have as many digits as v. */
static bool has_steady_digits(uint64_t v)
{
	return v >= 2 * CLOSE && v <= UINT64_MAX - 2 * CLOSE &&
	       hex_digits(v - 2 * CLOSE) == hex_digits(v + 2 * CLOSE);
}

/* Fills x from the words of a. */
static void find_follow_words(struct follow_words *x, const struct pack_warp *a)
{
	bool steady = true;

	x->n_lists = 0;
	x->digits = 0;
	grow(&x->fixed, &x->cap, a->n_words, sizeof(x->fixed[0]));
	for (uint32_t i = 0; i < a->n_payloads; i++) {
		const uint32_t addr = a->payload[i].addr, at = addr >> 2,
			       end = i + 1 < a->n_payloads ? a->payload[i + 1].addr >> 2 : a->n_words;
		const uint64_t *u = a->word + at;
		const uint64_t first = u[0] + ((addr & 3) == ADDR_MOVED ? *(u - u[1]) : 0);

		/* the address of an access of no lane is always 0 */
		steady &= !first || has_steady_digits(first);
		x->digits += hex_digits(first);
		for (uint32_t k = at; k < end; k++)
			x->fixed[k] = (addr & 3) != ADDR_LIST && k > at ? UINT64_MAX : 0;
		if (!first)
			x->fixed[at] = UINT64_MAX;
		if ((addr & 3) != ADDR_LIST)
			continue;
		grow(&x->list, &x->cap_lists, 2 * x->n_lists + 2, sizeof(x->list[0]));
		x->list[2 * x->n_lists] = at;
		x->list[2 * x->n_lists++ + 1] = end - at;
	}
	x->state = steady ? FOLLOW_STEADY : FOLLOW_UNSTEADY;
}

#define WORDS_FEW 8u /* smallest number of words for which vectors take fewer instructions than a loop */

/*
 * Returns the distances of the words of warp w from the words of its leader a, combined by OR: of the fixed words, of
 * all words, and of all words with CLOSE added.
 */
static inline struct words_distance distance_of_words(
	const struct follow_words *x, const struct pack_warp *a, const struct pack_warp *w)
{
	struct words_distance d = {0, 0, 0};

	if (w->n_words > WORDS_FEW)
		return lanes_loops->distance(a->word, w->word, x->fixed, w->n_words, CLOSE);
	for (uint32_t i = 0; i < w->n_words; i++) {
		const uint64_t by = w->word[i] - a->word[i];

		d.fixed |= by & x->fixed[i];
		d.all |= by;
		d.raised |= by + CLOSE;
	}
	return d;
}

bool follow_compare(
	struct follow_words *x, const struct pack_warp *a, const struct pack_warp *w, struct follow *f)
{
	if (!have_equal_runs(a, w) || (x->state == FOLLOW_UNKNOWN && !are_words_in_order(a)))
		return false;
	if (x->state == FOLLOW_ONCE)
		find_follow_words(x, a);
	if (x->state != FOLLOW_STEADY) {
		const bool follows = words_follow(a, w, f);

		x->state = follows && x->state == FOLLOW_UNKNOWN ? FOLLOW_ONCE : x->state;
		return follows;
	}
	for (uint32_t i = 0; i < x->n_lists; i++)
		if (!lists_follow(a->word + x->list[2 * i], w->word + x->list[2 * i], x->list[2 * i + 1]))
			return false;
	const struct words_distance d = distance_of_words(x, a, w);
	if (d.fixed || d.raised >= 2 * CLOSE)
		return words_follow(a, w, f);
	*f = (struct follow){.digits = x->digits, .near = !(d.all % 32)};
	return true;
}

/* ---- rules -------------------------------------------------------------------------------- */

void follow_rules_new(struct follow_rules *r, const struct parsed *p)
{
	*r = (struct follow_rules){.of = xmalloc((p->n_warp + 1u) * sizeof(r->of[0]))};
	for (uint32_t i = 0; i < p->n_warp; i++)
		r->of[i].n_accesses = 0;
}

void follow_rules_free(struct follow_rules *r)
{
	free(r->check);
	free(r->equal);
	free(r->distance);
	free(r->of);
	free(r->value);
}

#define RECENT_DISTANCES \
	16u /* number of distances and lists of the leader that are compared with a new one */

/* Returns the number of a distance of the leader's accesses. Adds it if it differs from the recent ones. */
static uint32_t add_distance(
	struct follow_rules *r, const struct follow_part *x, const struct follow_distance *d)
{
	const uint32_t recent = r->n_distances - x->distance;

	if (!d->affine && (d->earlier == 0 || !d->shift))
		return d->earlier;
	for (uint32_t i = 1; i <= recent && i <= RECENT_DISTANCES; i++) {
		const struct follow_distance *o = &r->distance[r->n_distances - i];

		if (d->affine ? o->affine &&
					!memcmp(o->affine->steps, d->affine->steps, sizeof(d->affine->steps))
			      : !o->affine && o->earlier == d->earlier && o->shift == d->shift)
			return recent - i + 1;
	}
	grow(&r->distance, &r->cap_distances, r->n_distances + 1, sizeof(r->distance[0]));
	r->distance[r->n_distances++] = *d;
	return recent + 1;
}

/*
 * Adds the check of an access whose addresses are in a[] at `addr`. n: number of the access's distance in r->distance.
 */
static void add_distance_check(
	struct follow_rules *r, struct follow_part *x, const uint64_t *a, uint32_t addr, uint32_t n)
{
	const uint32_t at = addr >> 2, list = at - (uint32_t)((addr & 3) == ADDR_MOVED ? a[at + 1] : 0);
	struct follow_check c = {at, list, n};

	for (uint32_t i = 1; list != at && i <= x->n_checks && i <= RECENT_DISTANCES; i++) {
		const struct follow_check *o = &r->check[r->n - i];

		if (o->word == list && o->list_word == list && o->distance == n)
			c = (struct follow_check){
				at, at, 0}; /* the distance of the list applies to the access, too */
	}
	x->n_accesses++;
	if (list != at && !n && r->equal[x->equal + list])
		c.list_word = at;
	if (c.list_word == c.word && !c.distance) {
		r->equal[x->equal + at] = UINT64_MAX;
		x->n_equal++;
		return;
	}
	x->n_moved += c.list_word != c.word;
	grow(&r->check, &r->cap, r->n + 1, sizeof(r->check[0]));
	r->check[r->n++] = c;
	x->n_checks++;
}

/*
 * Sets *to to the number, plus 1, of the distance that the recipe yields. last[]: such numbers for the latest access of
 * each memory instruction; 0: none. Returns false if the recipe is of another kind.
 */
static bool add_rule(struct follow_rules *r, const struct follow_part *x, const struct recipe *recipe,
	const uint32_t *last, uint32_t *to)
{
	const bool affine = recipe->op == OP_AFFINE;
	struct follow_distance d = {.affine = affine ? recipe : NULL};

	if (!affine && (recipe->op != OP_ADD || recipe->shift < 0))
		return false;
	if (!affine) {
		d.earlier = last[recipe->ref] ? last[recipe->ref] - 1 : 0;
		d.shift = (unsigned)recipe->shift;
	}
	*to = 1 + add_distance(r, x, &d);
	return true;
}

void follow_add_rules(struct follow_rules *r, const struct parsed *p, uint32_t block, const struct pwarp *w)
{
	const struct pcode *c = &p->part.code;
	const struct pack_payload *payload = p->payload + w->first_payload;
	struct follow_part x = {
		.first_check = r->n, .equal = r->n_equal, .distance = r->n_distances, .block = block};
	uint32_t *last = xcalloc(c->n_mem + 1u, sizeof(*last));
	bool good = true;

	grow(&r->equal, &r->cap_equal, r->n_equal + w->n_words + 1, sizeof(r->equal[0]));
	memset(r->equal + r->n_equal, 0, w->n_words * sizeof(r->equal[0]));
	for (const struct pack_run *u = p->run + w->first_run, *end = u + w->n_runs; u < end; u++) {
		FOR_PAYLOADS (i, payload, p, u) {
			const uint32_t m = c->statics[p->static_of[i]].mem;

			if (m == NONE || !u->mask || !good)
				continue;
			const struct pmem *k = &c->mem[m];
			good = add_rule(r, &x, &k->recipe[last[m] ? k->later_default : k->first_default],
				last, &last[m]);
			if (good)
				add_distance_check(r, &x, p->addr + w->word, payload->addr, last[m] - 1);
		}
	}
	free(last);
	if (!good) {
		r->n = x.first_check;
		r->n_distances = x.distance;
		x.n_accesses = 0;
	} else {
		r->n_equal += w->n_words;
	}
	x.n_distances = r->n_distances - x.distance;
	r->of[w - p->warp] = x;
	grow(&r->value, &r->cap_values, x.n_distances + 1, sizeof(r->value[0]));
}

/* Returns the difference between the affine bases of two warps. apart: difference of their coordinates. */
static uint64_t affine_distance(const struct recipe *r, const uint64_t apart[4])
{
	return (uint64_t)r->steps[0] * apart[0] + (uint64_t)r->steps[1] * apart[1] +
	       (uint64_t)r->steps[2] * apart[2] + (uint64_t)r->steps[3] * apart[3];
}

/* Sets the values of all distances of the leader. */
static void compute_distances(
	const struct follow_rules *r, const struct follow_part *x, const uint64_t apart[4])
{
	const struct follow_distance *d = r->distance + x->distance;

	r->value[0] = 0;
	for (uint32_t i = 0; i < x->n_distances; i++)
		r->value[i + 1] = d[i].affine ? affine_distance(d[i].affine, apart)
					      : r->value[d[i].earlier] << d[i].shift;
}

bool follow_rules_hold(struct follow_rules *r, const struct parsed *p, const struct ptb *tb,
	const struct pwarp *w, uint64_t *n)
{
	const struct pwarp *leader = &p->warp[w->leader - 1];
	const struct follow_part *x = &r->of[w->leader - 1];
	const uint64_t *a = p->addr + leader->word, *b = p->addr + w->word, *value = r->value;
	uint64_t off = 0;

	if (!x->n_accesses) /* the other members may not be set */
		return false;
	const struct follow_check *c = r->check + x->first_check;
	const uint32_t *from = p->tb[x->block].id;
	const uint64_t apart[4] = {(uint64_t)w->id - leader->id, (uint64_t)tb->id[0] - from[0],
		(uint64_t)tb->id[1] - from[1], (uint64_t)tb->id[2] - from[2]};
	compute_distances(r, x, apart);
	const uint32_t moved = x->n_moved ? x->n_checks : 0, others = x->n_checks - moved;
	for (uint32_t i = 0; i < others; i++)
		off |= (b[c[i].word] - a[c[i].word]) ^ value[c[i].distance];
	for (uint32_t i = 0; i < moved; i++) {
		const uint64_t list = c[i].list_word == c[i].word ? 0 : b[c[i].list_word] - a[c[i].list_word];

		off |= (b[c[i].word] - a[c[i].word] + list) ^ value[c[i].distance];
	}
	if (x->n_equal)
		off |= lanes_loops->changes(a, b, r->equal + x->equal, leader->n_words);
	*n += off ? 0 : x->n_accesses;
	return !off;
}
