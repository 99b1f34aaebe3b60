/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conversion of a parsed part to columns: the models predict each run, and only wrong predictions are stored.
 *
 * Always true: decode.c reproduces the records from the same models, the part's tables and these columns. Counters
 * and column offsets restart with each span.
 */
#include "addr.h"
#include "flow.h"
#include "follow.h"
#include "tail.h"

/*
 * Recipes from a sample are kept if at most one of MISSED_MOST accesses does not follow them; otherwise recipes are
 * chosen from all accesses. bitonic has 8 misses in 5,248 accesses, which take 48 bytes.
 */
#define MISSED_MOST 64u

/* Offset and length of bytes in a column. */
struct column_part {
	size_t offset; /* offset in bytes */
	size_t n;      /* number of bytes */
};

/*
 * A path and its encoding, which is the same for each warp: the numbers of instructions before the first miss and
 * after the last one, and the column data of the misses.
 */
struct known_path {
	struct column_part gap;  /* gaps, without the gap before the first miss */
	struct column_part miss; /* misses */
	struct column_part kind; /* kinds of misses */
	uint64_t insts_before;   /* instructions before the first miss */
	uint64_t insts_after;    /* instructions after the last miss */
	bool is_set;             /* true if the entry is set */
	bool has_misses;         /* true if the entry has misses */
};

/*
 * An instruction, by its number in runs, that continues to the next one. Its lanes are predicted from the mask of the
 * instruction `guard`, inverted if `flip` has ones. If the model predicts the instruction, it also predicts its
 * successors in the run: `n_alike` instructions with this one, or `n_full` if the mask equals the active lanes.
 */
struct plain {
	uint32_t id, next, guard, flip; /* instruction, successor, and source of the mask */
	uint32_t n_alike;               /* number of instructions that the model predicts from here */
	uint32_t n_full;
	uint32_t mem;        /* number among the memory instructions; NONE: it has no addresses */
	uint32_t next_guard; /* first number, not below this one, to which a guard refers */
	bool is_set;         /* true if the entry is set */
	bool has_text;       /* true if the entry has text */
};

/* A default recipe that uses the lanes of another memory instruction, moved or with multiplied steps. */
struct default_recipe {
	struct lanes *source; /* lanes of the other instruction */
	struct lanes *target; /* lanes of this instruction */
	uint64_t addend;      /* addend of the lanes */
	uint8_t shift;        /* bits by which the lanes are shifted left */
	bool exists;          /* true if the instruction has a default recipe of this kind */
};

struct encoder {
	const struct parsed *parsed;
	struct part *part;
	const struct pcode *code; /* static instructions of the part */
	struct buf *col;          /* columns of the part */
	struct flow flow;         /* predictor of the current warp */
	struct addresses addr;    /* state of address recipes */
	uint32_t *guard_mask; /* masks to which guards refer, by number in runs; then a mask of all lanes */
	uint32_t end_number;  /* number in runs after the last one that occurs */
	uint32_t *number;     /* number in runs of each static instruction */
	struct default_recipe *defaults; /* recipes for first and later executions of memory instructions */
	bool *ran;                       /* whether each memory instruction has run in this warp */
	struct follow_rules follow;      /* default recipes of warps that have followers */
	struct tails tails;              /* state of texts */
	struct plain *plain;             /* instructions by number in runs */
	struct known_path *known_path; /* by warp: path of the warp, if no earlier warp took the same path */
	struct known_path path;        /* path of the current warp */
	uint64_t gap;                  /* instructions since the last miss */
	uint64_t mem_gap;              /* memory instructions since the last miss */
	uint64_t bits;                 /* bits that do not fill a byte */
	unsigned n_bits;               /* number of these bits */
};

static void encode_miss(struct encoder *e, uint64_t what)
{
	buf_var(&e->col[COL_GAP], e->gap);
	buf_var(&e->col[COL_MISS], what);
	if (!e->path.has_misses) {
		e->path.has_misses = true;
		e->path.insts_before += e->gap;
		e->path.gap.offset = e->col[COL_GAP].n;
	}
	e->gap = 0;
}

static void put_bits(struct encoder *e, uint32_t bits, unsigned n)
{
	e->bits |= (uint64_t)bits << e->n_bits;
	struct buf *b = &e->col[COL_BITS];

	buf_room(b, sizeof(e->bits));
	e->n_bits += n;
	for (unsigned i = 0; i < 5; i++) /* at most 39 bits; the column gets only whole bytes of them */
		b->p[b->n + i] = (uint8_t)(e->bits >> 8 * i);
	b->n += e->n_bits / 8;
	e->bits >>= e->n_bits / 8 * 8;
	e->n_bits %= 8;
}

/* Appends a bit for each active lane: 1 if the lane is in the mask, else 0. */
static void put_mask_bits(struct encoder *e, uint32_t mask, uint32_t active)
{
	if (active == UINT32_MAX)
		put_bits(e, mask, 32);
	else
		put_bits(e, lanes_loops->gather(mask, active), bit_count32(active));
}

static void encode_mask(struct encoder *e, const struct pstatic *s, uint32_t mask)
{
	uint32_t a = e->flow.active, m = a;
	bool coded = s->guard == GUARD_CODED && !(mask & ~a);

	if (s->guard == GUARD_NONE)
		m = 0;
	else if (s->guard == GUARD_LIKE)
		m = a & e->guard_mask[e->number[s->guard_ref]];
	else if (s->guard == GUARD_UNLIKE)
		m = a & ~e->guard_mask[e->number[s->guard_ref]];
	if (coded) {
		buf_byte(&e->col[COL_KIND], !mask ? 0 : mask == a ? 1 : 2);
		if (mask && mask != a)
			put_mask_bits(e, mask, a);
	} else if (m != mask || s->guard == GUARD_CODED) {
		encode_miss(e, 1);
		for (int k = 0; k < 4; k++)
			buf_byte(&e->col[COL_MISS], (uint8_t)(mask >> 8 * k));
		if (mask & ~a)
			flow_activate_lanes(&e->flow, mask);
	}
}

/* Appends the n numbers (v[i] - c) >> shift to `planes` byte planes, which begin with column `first`. */
static void put_planes(struct encoder *e, unsigned planes, enum column first, const uint64_t *v, unsigned n,
	uint64_t c, unsigned shift)
{
	for (unsigned k = 0; k < planes; k++) {
		struct buf *b = &e->col[first + k];

		buf_room(b, n);
		lanes_loops->bytes(b->p + b->n, v, n, c, shift + 8 * k);
		b->n += n;
	}
}

static void put_recipe_numbers(
	struct encoder *e, const struct recipe *r, uint32_t m, const struct recorded *g)
{
	uint64_t *base = &e->addr.base[m], t[32], v[32];
	const uint64_t *a = recorded_list(g, t);
	unsigned n = recorded_lanes(g);

	if (r->op == OP_PLANES) {
		put_planes(e, r->planes, COL_LOW, a, n, r->constant, r->align);
		return;
	}
	if (r->op == OP_MOVED) {
		buf_var(&e->col[COL_BASE],
			fold((int64_t)(a[0] - lane_at(lanes_of(&e->addr, r->ref), bit_lowest32(g->mask)))));
		return;
	}
	uint64_t at = a[0];
	if (r->op == OP_BASED)
		pattern_base(e->code->pattern[r->pattern], g->mask, a, &at);
	buf_var(&e->col[COL_BASE], fold((int64_t)(at - *base)));
	*base = at;
	if (r->op == OP_BASED)
		n = 0;
	if (r->op != OP_DELTAS) {
		for (unsigned i = 1; i < n; i++)
			buf_var(&e->col[COL_WIDE], fold((int64_t)(a[i] - a[i - 1])));
		return;
	}
	unsigned differences = n - 1;

	for (unsigned i = 0; i < differences; i++)
		v[i] = fold((int64_t)(a[i + 1] - a[i]) >> r->align);
	put_planes(e, r->planes, COL_DLOW, v, differences, 0, 0);
}

/*
 * Encodes addresses that equal the addresses of another instruction plus a constant, the most common case. Returns
 * false if there is no such default recipe or it does not apply.
 */
static inline bool encode_as_offset(
	struct encoder *e, uint32_t m, uint32_t mask, const uint64_t *word, uint32_t addr)
{
	const struct default_recipe *u = &e->defaults[2 * m + e->ran[m]];
	const uint64_t *w = word + (addr >> 2), *list = w;

	if (!u->exists)
		return false;
	const struct lanes *l = compute_lanes(&e->addr, u->source);
	if ((addr & 3) == ADDR_STRIDE) {
		const uint64_t base = (l->base << u->shift) + u->addend, step = l->step << u->shift;

		if (!l->line || base + bit_lowest32(mask) * step != w[0] ||
			(step != w[1] && mask & (mask - 1)))
			return false;
		set_line(u->target, base, step);
	} else if (mask != UINT32_MAX) {
		return false;
	} else {
		const uint64_t by = (addr & 3) == ADDR_MOVED ? *w : 0;

		list -= (addr & 3) == ADDR_MOVED ? w[1] : 0;
		if (l->line || u->shift || l->list != list || l->base + u->addend != by)
			return false;
		set_list(u->target, list, by);
	}
	u->target->stamp = e->addr.warp_stamp;
	e->ran[m] = true;
	e->mem_gap++;
	return true;
}

/* Returns true if recipe r yields these addresses. If it does, sets the lanes. */
static bool recipe_yields(struct encoder *e, const struct recipe *r, uint32_t m, const struct recorded *g)
{
	struct lanes t;

	if (has_numbers(r))
		return recipe_can_represent(&e->addr, r, g);
	recipe_apply(&e->addr, r, &t);
	if (!lanes_equal_recorded(&t, g))
		return false;
	if (g->mask == UINT32_MAX)
		lanes_set(lanes_of(&e->addr, m), g);
	else
		lanes_copy(lanes_of(&e->addr, m), &t);
	return true;
}

static void encode_addresses(struct encoder *e, uint32_t m, const struct recorded *g)
{
	const struct pmem *x = &e->code->mem[m];
	unsigned d = e->ran[m] ? x->later_default : x->first_default, k = d;

	e->ran[m] = true;
	if (!recipe_yields(e, &x->recipe[d], m, g)) {
		k = 0;
		while (!recipe_yields(e, &x->recipe[k], m, g))
			k++;
		buf_var(&e->col[COL_MGAP], e->mem_gap);
		buf_byte(&e->col[COL_MSEL], (uint8_t)k);
		e->mem_gap = 0;
	} else {
		e->mem_gap++;
	}
	if (!has_numbers(&x->recipe[k]))
		return;
	put_recipe_numbers(e, &x->recipe[k], m, g);
	if (x->recipe[k].op == OP_BASED)
		set_pattern(&e->addr, lanes_of(&e->addr, m), x->recipe[k].pattern, e->addr.base[m]);
	else
		lanes_set(lanes_of(&e->addr, m), g);
}

/* Encodes the addresses and texts of a warp. */
static void encode_addresses_and_texts(struct encoder *e, const struct pwarp *w)
{
	const struct parsed *p = e->parsed;
	const struct pack_payload *payload = p->payload + w->first_payload;
	const uint64_t *word = p->addr + w->word;
	const uint8_t *text = p->text.p + w->text;

	for (const struct pack_run *r = p->run + w->first_run, *end = r + w->n_runs; r < end; r++) {
		FOR_PAYLOADS (i, payload, p, r) {
			const struct plain *q = &e->plain[i];
			const bool lanes = q->mem != NONE && r->mask;

			if (lanes && !encode_as_offset(e, q->mem, r->mask, word, payload->addr)) {
				struct recorded g = recorded_of(word, payload->addr, r->mask);

				encode_addresses(e, q->mem, &g);
			}
			if (q->has_text) {
				tail_put(&e->tails, q->id, r->mask,
					lanes ? recorded_first(word, payload->addr) : 0, text,
					payload->text_len, e->col);
				text += payload->text_len;
			}
		}
	}
}

static inline void copy_column_part(struct buf *b, const struct column_part *s)
{
	if (!s->n)
		return;
	buf_room(b, s->n);
	memcpy(b->p + b->n, b->p + s->offset, s->n);
	b->n += s->n;
}

/* Encodes a warp that takes the path of an earlier warp. */
static void encode_known_path(struct encoder *e, const struct known_path *k)
{
	if (k->has_misses) {
		buf_var(&e->col[COL_GAP], e->gap + k->insts_before);
		copy_column_part(&e->col[COL_GAP], &k->gap);
		copy_column_part(&e->col[COL_MISS], &k->miss);
		e->gap = 0;
	}
	copy_column_part(&e->col[COL_KIND], &k->kind);
	e->gap += k->insts_after;
}

static void begin_path(struct encoder *e)
{
	e->path = (struct known_path){.miss.offset = e->col[COL_MISS].n,
		.kind.offset = e->col[COL_KIND].n,
		.insts_before = 0 - e->gap};
}

/*
 * Keeps the encoding of the path, unless it has outcomes of guards. These are bits that may start within a byte, so
 * they cannot be copied.
 */
static void end_path(struct encoder *e, const struct pwarp *w, bool bits)
{
	struct known_path *k = &e->path;

	if (bits)
		return;
	k->is_set = true;
	k->insts_after = e->gap + (k->has_misses ? 0 : k->insts_before);
	k->gap.n = k->has_misses ? e->col[COL_GAP].n - k->gap.offset : 0;
	k->miss.n = e->col[COL_MISS].n - k->miss.offset;
	k->kind.n = e->col[COL_KIND].n - k->kind.offset;
	e->known_path[w->first_alike] = *k;
}

/*
 * Skips at most n plain and correctly predicted instructions, starting at number i. Returns their number.
 * mask: lanes of these instructions.
 */
static inline uint32_t skip_predicted_insts(struct encoder *e, uint32_t i, uint32_t n, uint32_t mask)
{
	struct flow *f = &e->flow;
	const struct plain *q = &e->plain[i];

	if (!q->is_set || q->id != f->id || mask != (f->active & (e->guard_mask[q->guard] ^ q->flip)))
		return 0;
	n = min_u32(n, mask == f->active ? q->n_full : q->n_alike);
	for (uint32_t k = q->next_guard; k < i + n; k = e->plain[k + 1].next_guard)
		e->guard_mask[k] = mask;
	f->id = q[n - 1].next;
	f->cause = NONE;
	e->gap += n;
	return n;
}

static void encode_step(struct encoder *e, uint32_t number, uint32_t mask)
{
	uint32_t id = e->plain[number].id;

	if (e->flow.id != id) {
		encode_miss(e, 2 + id);
		flow_set_next(&e->flow, id);
	}
	encode_mask(e, &e->code->statics[id], mask);
	e->guard_mask[number] = mask;
	e->gap++;
	flow_step(&e->flow, id, mask);
}

/* Encodes the instructions that a warp executes, and the lanes of each. */
static void encode_path(struct encoder *e, const struct pwarp *w)
{
	size_t bits = e->col[COL_BITS].n;
	unsigned n_bits = e->n_bits;

	if (e->known_path[w->first_alike].is_set) {
		encode_known_path(e, &e->known_path[w->first_alike]);
		return;
	}
	begin_path(e);
	flow_start(&e->flow, e->code, flow_lanes(e->part, w->id));
	memset(e->guard_mask, 0, e->end_number * sizeof(e->guard_mask[0]));
	for (const struct pack_run *r = e->parsed->run + w->first_run, *end = r + w->n_runs; r < end; r++) {
		for (uint32_t i = r->id, left = r->n, n; left; i += n, left -= n) {
			n = skip_predicted_insts(e, i, left, r->mask);
			if (!n) {
				encode_step(e, i, r->mask);
				n = 1;
			}
		}
	}
	if (e->flow.id != NONE)
		encode_miss(e, 0);
	else
		e->gap++;
	end_path(e, w, e->col[COL_BITS].n != bits || e->n_bits != n_bits);
}

static void encode_warp(struct encoder *e, const struct ptb *tb, const struct pwarp *w)
{
	const size_t misses = e->col[COL_MGAP].n;

	encode_path(e, w);
	if (w->leader && follow_rules_hold(&e->follow, e->parsed, tb, w, &e->mem_gap))
		return;
	addresses_begin_warp(&e->addr, w->id, tb->id);
	memset(e->ran, 0, e->code->n_mem * sizeof(e->ran[0]));
	encode_addresses_and_texts(e, w);
	if (w->followers && e->col[COL_MGAP].n == misses)
		follow_add_rules(&e->follow, e->parsed, (uint32_t)(tb - e->parsed->tb), w);
}

/* Returns true if the model predicts q after q[-1]. If all is set, the mask equals the active lanes. */
static bool follows_prediction(const struct encoder *e, const struct plain *q, bool all)
{
	const struct pstatic *s = &e->code->statics[q->id];

	return q->is_set && q[-1].is_set && q[-1].next == q->id &&
	       ((s->guard == GUARD_LIKE && s->guard_ref == q[-1].id) || (all && s->guard == GUARD_ALL));
}

static void find_default_recipes(struct encoder *e)
{
	e->defaults = xcalloc(2 * e->code->n_mem + 1u, sizeof(e->defaults[0]));
	for (uint32_t i = 0; i < 2 * e->code->n_mem; i++) {
		const struct pmem *x = &e->code->mem[i / 2];
		const struct recipe *r = &x->recipe[i % 2 ? x->later_default : x->first_default];

		if (r->op == OP_ADD && r->shift >= 0)
			e->defaults[i] = (struct default_recipe){&e->addr.latest[r->ref],
				&e->addr.latest[i / 2], r->constant, (uint8_t)r->shift, true};
	}
}

static void find_plain_insts(struct encoder *e)
{
	const uint32_t n = e->parsed->n_met;

	e->plain = xmalloc((n + 1u) * sizeof(e->plain[0]));
	e->plain[n] = (struct plain){.next_guard = n};
	e->guard_mask = xcalloc(n + 1u, sizeof(e->guard_mask[0]));
	e->guard_mask[n] = UINT32_MAX;
	e->number = xcalloc(e->code->n_statics + 1u, sizeof(e->number[0]));
	for (uint32_t i = 0; i < n; i++)
		if (e->parsed->static_of[i] != NONE)
			e->number[e->parsed->static_of[i]] = i;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t id = e->parsed->static_of[i];

		e->plain[i] = (struct plain){.is_set = false};
		if (id == NONE)
			continue;
		e->end_number = i + 1;
		const struct pstatic *s = &e->code->statics[id];
		bool like = s->guard == GUARD_LIKE || s->guard == GUARD_UNLIKE;

		e->plain[i] = (struct plain){.id = id,
			.next = s->next,
			.guard = like ? e->number[s->guard_ref] : n,
			.flip = s->guard == GUARD_NONE || s->guard == GUARD_UNLIKE ? UINT32_MAX : 0,
			.mem = s->mem,
			.is_set = s->ctl == CTL_NONE && s->guard != GUARD_CODED,
			.has_text = s->flags & (ST_TAIL | ST_LINE)};
		/* marks that a guard refers to the instruction; overwritten when the first path begins */
		e->guard_mask[e->plain[i].guard] = UINT32_MAX;
	}
	for (uint32_t i = n; i-- > 0;) {
		struct plain *q = &e->plain[i];

		q->next_guard = e->guard_mask[i] ? i : q[1].next_guard;
		q->n_alike = 1 + (i + 1 < n && follows_prediction(e, q + 1, false) ? q[1].n_alike : 0);
		q->n_full = 1 + (i + 1 < n && follows_prediction(e, q + 1, true) ? q[1].n_full : 0);
	}
}

static void encode_odd_block(struct encoder *e, const struct ptb *tb)
{
	struct buf *b = &e->col[COL_BLOCKS];

	for (int i = 0; i < 3; i++)
		buf_var(b, tb->id[i]);
	buf_var(b, tb->n_warps);
	for (uint32_t w = 0; w < tb->n_warps; w++)
		buf_var(b, fold((int64_t)e->parsed->warp[tb->first_warp + w].id - w));
	buf_var(b, tb->extra_len);
	buf_add(b, e->parsed->text.p + tb->extra, tb->extra_len);
}

static void encode_span(struct encoder *e, struct pspan *s, uint32_t first)
{
	size_t had[N_COLUMNS];

	for (int k = 0; k < N_COLUMNS; k++)
		had[k] = e->col[k].n;
	e->gap = e->mem_gap = 0;
	addresses_begin_span(&e->addr);
	tails_begin_span(&e->tails, NULL);
	for (uint32_t b = first; b < first + s->blocks; b++) {
		const struct ptb *tb = &e->parsed->tb[b];

		if (e->part->style & STYLE_ODD_BLOCKS)
			encode_odd_block(e, tb);
		for (uint32_t w = 0; w < tb->n_warps; w++)
			encode_warp(e, tb, &e->parsed->warp[tb->first_warp + w]);
	}
	if (e->n_bits)
		put_bits(e, 0, 8 - e->n_bits);
	for (int k = 0; k < N_COLUMNS; k++)
		s->len[k] = (uint32_t)(e->col[k].n - had[k]);
}

static void cut_spans(const struct parsed *p, struct part *q)
{
	uint32_t insts = 0, blocks = 0;

	for (uint32_t b = 0; b < q->n_blocks; b++) {
		const struct ptb *tb = &p->tb[b];

		blocks++;
		for (uint32_t w = 0; w < tb->n_warps; w++)
			insts += p->warp[tb->first_warp + w].count;
		if (insts < SPAN_INSTS && b + 1 < q->n_blocks)
			continue;
		grow(&q->span, &q->cap_spans, q->n_spans + 1, sizeof(q->span[0]));
		q->span[q->n_spans++] = (struct pspan){.blocks = blocks, .insts = insts};
		blocks = insts = 0;
	}
}

/* Encodes all spans. Returns the number of accesses that did not follow their default recipe. */
static size_t encode_spans(struct encoder *e)
{
	struct part *part = e->part;
	uint32_t first = 0;

	addresses_new(&e->addr, e->code);
	e->ran = xcalloc(e->code->n_mem + 1, sizeof(e->ran[0]));
	tails_new(&e->tails, e->code->n_statics, part->style & STYLE_VALUES);
	e->known_path = xmalloc((e->parsed->n_warp + 1) * sizeof(e->known_path[0]));
	for (uint32_t i = 0; i < e->parsed->n_warp; i++)
		e->known_path[i].is_set = false;
	find_plain_insts(e);
	find_default_recipes(e);
	follow_rules_new(&e->follow, e->parsed);
	for (uint32_t i = 0; i < part->n_spans; i++) {
		encode_span(e, &part->span[i], first);
		first += part->span[i].blocks;
	}
	addresses_free(&e->addr);
	free(e->guard_mask);
	free(e->number);
	free(e->defaults);
	free(e->ran);
	tails_free(&e->tails);
	free(e->known_path);
	free(e->plain);
	follow_rules_free(&e->follow);
	return e->col[COL_MSEL].n;
}

/* Removes the recipes and areas that fit_addresses() chose. */
static void forget_recipes(struct pcode *c)
{
	memset(c->mem, 0, c->n_mem * sizeof(c->mem[0]));
	c->n_pattern = c->n_areas = 0;
	free(c->area);
	c->area = NULL;
}

void encode_part(struct parsed *p, struct buf col[N_COLUMNS])
{
	struct encoder e = {.parsed = p, .part = &p->part, .code = &p->part.code, .col = col};

	p->part.warps = (p->part.threads + 31) / 32;
	if (!p->part.warps && p->part.n_blocks)
		p->part.warps = p->tb[0].n_warps;
	parsed_finish(p);
	pack_train_flow(p);
	bool sure = fit_addresses(p, true);
	p->part.style |= parsed_has_odd_blocks(p) ? STYLE_ODD_BLOCKS : 0;
	cut_spans(p, &p->part);
	if (encode_spans(&e) * MISSED_MOST <= p->n_payloads + p->n_shared_payloads || !sure)
		return;
	for (int k = 0; k < N_COLUMNS; k++)
		col[k].n = 0;
	forget_recipes(&p->part.code);
	fit_addresses(p, false);
	encode_spans(&e);
}
