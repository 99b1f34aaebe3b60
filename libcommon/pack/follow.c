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

/* Returns by how much an access at w[] is above the access at a[] with the same form. */
static inline uint64_t access_distance(const uint64_t *a, const uint64_t *w, uint32_t addr)
{
	uint32_t at = addr >> 2;
	uint64_t by = w[at] - a[at];

	if ((addr & 3) != ADDR_MOVED)
		return by;
	at -= (uint32_t)a[at + 1];
	return by + w[at] - a[at];
}

/* Reports whether two lists of n words differ by a constant. */
static bool lists_follow(const uint64_t *a, const uint64_t *w, uint32_t n)
{
	const uint64_t by = w[0] - a[0];
	uint64_t off = 0;

	for (uint32_t i = 1; i < n; i++)
		off |= (w[i] - a[i]) ^ by;
	return !off;
}

bool follow_may_lead(const struct pack_warp *w)
{
	uint32_t end = w->n_words;

	for (uint32_t i = w->n_more; i-- > 0; end = w->more[i].addr >> 2)
		if ((w->more[i].addr >> 2) + 2 > end)
			return false;
	return w->n_runs && !w->n_text;
}

/* Compares the words of the warps, which have equal elements of more[]. */
static bool words_follow(const struct pack_warp *a, const struct pack_warp *w, struct follow *f)
{
	uint64_t low = 0, far = 0, digits = 0;

	for (uint32_t i = 0; i < w->n_more; i++) {
		const uint32_t addr = w->more[i].addr, at = addr >> 2;
		const uint64_t *u = a->word + at, *v = w->word + at, by = v[0] - u[0];
		uint64_t first = v[0];

		if ((addr & 3) == ADDR_LIST) {
			const uint32_t end = i + 1 < w->n_more ? w->more[i + 1].addr >> 2 : w->n_words;

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

bool follow_compare(const struct pack_warp *a, const struct pack_warp *w, struct follow *f)
{
	return a->n_runs == w->n_runs && a->n_more == w->n_more && a->n_words == w->n_words && !w->n_text &&
	       !memcmp(a->run, w->run, w->n_runs * sizeof(*w->run)) &&
	       (!w->n_more || !memcmp(a->more, w->more, w->n_more * sizeof(*w->more))) &&
	       words_follow(a, w, f);
}

/* ---- rules -------------------------------------------------------------------------------- */

void follow_rules_new(struct follow_rules *r, const struct parsed *p)
{
	*r = (struct follow_rules){.of = xcalloc(p->n_warp + 1u, sizeof(r->of[0]))};
}

void follow_rules_free(struct follow_rules *r)
{
	free(r->rule);
	free(r->of);
	free(r->distance);
}

/* Adds the rule of an access. last[]: latest rule of each memory instruction plus 1. Returns false if it has none. */
static bool add_rule(struct follow_rules *r, const struct recipe *recipe, uint32_t addr, const uint32_t *last)
{
	const bool affine = recipe->op == OP_AFFINE;

	if (!affine && (recipe->op != OP_ADD || recipe->shift < 0))
		return false;
	grow(&r->rule, &r->cap, r->n + 1, sizeof(r->rule[0]));
	r->rule[r->n++] = (struct follow_rule){.addr = addr,
		.from = affine ? NONE : last[recipe->ref] - 1,
		.shift = affine ? 0 : (unsigned)recipe->shift,
		.affine = affine ? recipe : NULL};
	return true;
}

void follow_add_rules(struct follow_rules *r, const struct parsed *p, uint32_t block, const struct pwarp *w)
{
	const struct pcode *c = &p->part.code;
	const struct pack_more *more = p->more + w->more;
	const uint32_t first = r->n;
	uint32_t *last = xcalloc(c->n_mem + 1u, sizeof(*last));
	bool good = true;

	for (const struct pack_run *u = p->run + w->first, *end = u + w->n_runs; u < end; u++) {
		for (uint32_t i = p->next_more[u->id]; i < u->id + u->n; i = p->next_more[i + 1], more++) {
			const uint32_t m = c->s[p->to[i]].mem;

			if (m == NONE || !u->mask || !good)
				continue;
			const struct pmem *x = &c->mem[m];
			good = add_rule(r, &x->r[last[m] ? x->later : x->first], more->addr, last);
			last[m] = r->n - first;
		}
	}
	free(last);
	if (!good)
		r->n = first;
	r->of[w - p->warp] = (struct follow_part){first, r->n - first, block};
	grow(&r->distance, &r->cap_distance, r->n - first + 1, sizeof(r->distance[0]));
}

/* Returns by how much an affine base is higher in one warp than in another. */
static uint64_t affine_distance(const struct recipe *r, const uint64_t apart[4])
{
	return (uint64_t)r->per[0] * apart[0] + (uint64_t)r->per[1] * apart[1] +
	       (uint64_t)r->per[2] * apart[2] + (uint64_t)r->per[3] * apart[3];
}

bool follow_rules_hold(struct follow_rules *r, const struct parsed *p, const struct ptb *tb,
	const struct pwarp *w, uint64_t *n)
{
	const struct pwarp *a = &p->warp[w->leader - 1];
	const struct follow_part *x = &r->of[w->leader - 1];
	const struct follow_rule *rule = r->rule + x->first;
	const uint32_t *from = p->tb[x->block].id;
	const uint64_t apart[4] = {(uint64_t)w->id - a->id, (uint64_t)tb->id[0] - from[0],
		(uint64_t)tb->id[1] - from[1], (uint64_t)tb->id[2] - from[2]};
	uint64_t *distance = r->distance, off = 0;

	for (uint32_t i = 0; i < x->n; i++) {
		uint64_t want = 0;

		if (rule[i].affine)
			want = affine_distance(rule[i].affine, apart);
		else if (rule[i].from != NONE)
			want = distance[rule[i].from] << rule[i].shift;
		distance[i] = access_distance(p->addr + a->word, p->addr + w->word, rule[i].addr);
		off |= distance[i] ^ want;
	}
	*n += off ? 0 : x->n;
	return x->n && !off;
}
