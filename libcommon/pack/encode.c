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
	size_t at, n; /* offset and number of bytes */
};

/*
 * A path and its encoding, which is the same for each warp: the numbers of instructions before the first miss and
 * after the last one, and the column data of the misses.
 */
struct known_path {
	struct column_part gap, miss, kind; /* column data; gap without the gap before the first miss */
	uint64_t first, rest;               /* instructions before the first and after the last miss */
	bool is, misses;                    /* whether the entry is set; whether it has misses */
};

/*
 * An instruction, by its number in runs, that continues to the next one. Its lanes are predicted from the mask of the
 * guard `like`, inverted if `flip` has ones. If the model predicts the instruction, it also predicts its successors
 * in the run: `alike` instructions including this one, or `all` if the mask equals the active lanes.
 */
struct plain {
	uint32_t id, next, like, flip; /* instruction, successor, and source of the mask */
	uint32_t alike, all;           /* numbers of instructions that the model predicts from here */
	uint32_t mem;                  /* number among the memory instructions; NONE: it has no addresses */
	bool is, text;                 /* whether the entry is set; whether it has text */
};

/* A default recipe that uses the lanes of another memory instruction, moved or with multiplied steps. */
struct default_recipe {
	struct lanes *from, *to; /* lanes of the other instruction, and of this one */
	uint64_t c;              /* addend of the lanes */
	uint8_t shift;           /* bits by which the lanes are shifted left */
	bool is;                 /* true if the instruction has a default recipe of this kind */
};

struct encoder {
	const struct parsed *p;
	struct part *part;
	const struct pcode *c; /* static instructions of the part */
	struct buf *col;       /* columns of the part */
	struct flow f;         /* predictor of the current warp */
	struct addresses x;    /* state of address recipes */
	uint32_t *seen;        /* masks to which guards refer, by number in runs; then a mask of all lanes */
	uint32_t n_seen;       /* number in runs after the last one that occurs */
	uint32_t *number;      /* number in runs of each static instruction */
	struct default_recipe *usual; /* recipes for first and later executions of memory instructions */
	bool *ran;                    /* whether each memory instruction has run in this warp */
	struct follow_rules follow;   /* default recipes of warps that have followers */
	struct tails tails;           /* state of texts */
	struct plain *plain;          /* instructions by number in runs */
	struct known_path *known;     /* path of each warp that was the first one to take it */
	struct known_path now;        /* path of the current warp */
	uint64_t gap, mgap;           /* instructions and memory instructions since the last miss */
	uint64_t bits;                /* bits that do not fill a byte */
	unsigned n_bits;              /* number of these bits */
};

static void encode_miss(struct encoder *e, uint64_t what)
{
	buf_var(&e->col[COL_GAP], e->gap);
	buf_var(&e->col[COL_MISS], what);
	if (!e->now.misses) {
		e->now.misses = true;
		e->now.first += e->gap;
		e->now.gap.at = e->col[COL_GAP].n;
	}
	e->gap = 0;
}

static void put_bits(struct encoder *e, uint32_t bits, unsigned n)
{
	e->bits |= (uint64_t)bits << e->n_bits;
	struct buf *b = &e->col[COL_BITS];

	buf_room(b, sizeof(e->bits));
	e->n_bits += n;
	for (unsigned i = 0; i < 5; i++) /* at most 39 bits; only whole bytes of them stay */
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
	uint32_t a = e->f.active, m = a;
	bool coded = s->guard == GUARD_CODED && !(mask & ~a);

	if (s->guard == GUARD_NONE)
		m = 0;
	else if (s->guard == GUARD_LIKE)
		m = a & e->seen[e->number[s->guard_ref]];
	else if (s->guard == GUARD_UNLIKE)
		m = a & ~e->seen[e->number[s->guard_ref]];
	if (coded) {
		buf_byte(&e->col[COL_KIND], !mask ? 0 : mask == a ? 1 : 2);
		if (mask && mask != a)
			put_mask_bits(e, mask, a);
	} else if (m != mask || s->guard == GUARD_CODED) {
		encode_miss(e, 1);
		for (int k = 0; k < 4; k++)
			buf_byte(&e->col[COL_MISS], (uint8_t)(mask >> 8 * k));
		if (mask & ~a)
			flow_activate_lanes(&e->f, mask);
	}
}

/* Appends n numbers to the byte planes, which begin with column `first`. */
static void put_planes(
	struct encoder *e, const struct recipe *r, const uint64_t *v, unsigned n, enum column first)
{
	for (unsigned k = 0; k < r->planes; k++) {
		struct buf *b = &e->col[first + k];

		buf_room(b, n);
		uint8_t *to = b->p + b->n;
		for (unsigned i = 0; i < n; i++)
			to[i] = (uint8_t)(v[i] >> 8 * k);
		b->n += n;
	}
}

static void put_recipe_numbers(
	struct encoder *e, const struct recipe *r, uint32_t m, const struct recorded *g)
{
	uint64_t *base = &e->x.base[m], t[32], v[32];
	const uint64_t *a = recorded_list(g, t);
	unsigned n = recorded_lanes(g);

	if (r->op == OP_PLANES) {
		for (unsigned i = 0; i < n; i++)
			v[i] = (a[i] - r->c) >> r->align;
		put_planes(e, r, v, n, COL_LOW);
		return;
	}
	if (r->op == OP_MOVED) {
		buf_var(&e->col[COL_BASE],
			fold((int64_t)(a[0] - lane_at(lanes_of(&e->x, r->ref), bit_lowest32(g->mask)))));
		return;
	}
	uint64_t at = a[0];
	if (r->op == OP_BASED)
		pattern_base(e->c->pattern[r->pattern], g->mask, a, &at);
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
	put_planes(e, r, v, differences, COL_DLOW);
}

/*
 * Encodes addresses that equal the addresses of another instruction plus a constant, the most common case. Returns
 * false if there is no such default recipe or it does not apply.
 */
static inline bool encode_as_offset(struct encoder *e, uint32_t m, const uint64_t *word, uint32_t addr)
{
	const struct default_recipe *u = &e->usual[2 * m + e->ran[m]];
	const uint64_t *w = word + (addr >> 2);
	uint64_t by = 0;

	if (!u->is)
		return false;
	const struct lanes *from = compute_lanes(&e->x, u->from);
	if ((addr & 3) == ADDR_STRIDE) {
		if (!from->line || (from->base << u->shift) + u->c != w[0] || from->step << u->shift != w[1])
			return false;
		set_line(u->to, w[0], w[1]);
	} else {
		if ((addr & 3) == ADDR_MOVED) {
			by = w[0];
			w -= w[1];
		}
		if (from->line || u->shift || from->list != w || from->base + u->c != by)
			return false;
		set_list(u->to, w, by);
	}
	u->to->stamp = e->x.now;
	e->ran[m] = true;
	e->mgap++;
	return true;
}

/* Returns true if recipe r yields these addresses. If it does, sets the lanes. */
static bool recipe_yields(struct encoder *e, const struct recipe *r, uint32_t m, const struct recorded *g)
{
	struct lanes t;

	if (has_numbers(r))
		return recipe_can_represent(&e->x, r, g);
	recipe_apply(&e->x, r, &t);
	if (!lanes_equal_recorded(&t, g))
		return false;
	if (g->mask == UINT32_MAX)
		lanes_set(lanes_of(&e->x, m), g);
	else
		lanes_copy(lanes_of(&e->x, m), &t);
	return true;
}

static void encode_addresses(struct encoder *e, uint32_t m, const struct recorded *g)
{
	const struct pmem *x = &e->c->mem[m];
	unsigned d = e->ran[m] ? x->later : x->first, k = d;

	e->ran[m] = true;
	if (!recipe_yields(e, &x->r[d], m, g)) {
		k = 0;
		while (!recipe_yields(e, &x->r[k], m, g))
			k++;
		buf_var(&e->col[COL_MGAP], e->mgap);
		buf_byte(&e->col[COL_MSEL], (uint8_t)k);
		e->mgap = 0;
	} else {
		e->mgap++;
	}
	if (!has_numbers(&x->r[k]))
		return;
	put_recipe_numbers(e, &x->r[k], m, g);
	if (x->r[k].op == OP_BASED)
		set_pattern(&e->x, lanes_of(&e->x, m), x->r[k].pattern, e->x.base[m]);
	else
		lanes_set(lanes_of(&e->x, m), g);
}

/* Encodes the addresses and texts of a warp. */
static void encode_addresses_and_texts(struct encoder *e, const struct pwarp *w)
{
	const struct parsed *p = e->p;
	const struct pack_more *more = p->more + w->more;
	const uint64_t *word = p->addr + w->word;
	const uint8_t *text = p->text.p + w->text;

	for (const struct pack_run *r = p->run + w->first, *end = r + w->n_runs; r < end; r++) {
		for (uint32_t i = p->next_more[r->id]; i < r->id + r->n; i = p->next_more[i + 1], more++) {
			const struct plain *q = &e->plain[i];

			if (q->mem != NONE && r->mask &&
				!(r->mask == UINT32_MAX && encode_as_offset(e, q->mem, word, more->addr))) {
				struct recorded g = recorded_of(word, more->addr, r->mask);

				encode_addresses(e, q->mem, &g);
			}
			if (q->text) {
				tail_put(&e->tails, q->id, r->mask, text, more->text_len, e->col);
				text += more->text_len;
			}
		}
	}
}

static void copy_column_part(struct buf *b, const struct column_part *s)
{
	buf_room(b, s->n);
	memcpy(b->p + b->n, b->p + s->at, s->n);
	b->n += s->n;
}

/* Encodes a warp that takes the path of an earlier warp. */
static void encode_known_path(struct encoder *e, const struct known_path *k)
{
	if (k->misses) {
		buf_var(&e->col[COL_GAP], e->gap + k->first);
		copy_column_part(&e->col[COL_GAP], &k->gap);
		copy_column_part(&e->col[COL_MISS], &k->miss);
		e->gap = 0;
	}
	copy_column_part(&e->col[COL_KIND], &k->kind);
	e->gap += k->rest;
}

static void begin_path(struct encoder *e)
{
	e->now = (struct known_path){
		.miss.at = e->col[COL_MISS].n, .kind.at = e->col[COL_KIND].n, .first = 0 - e->gap};
}

/*
 * Keeps the encoding of the path, unless it has outcomes of guards. These are bits that may start within a byte, so
 * they cannot be copied.
 */
static void end_path(struct encoder *e, const struct pwarp *w, bool bits)
{
	struct known_path *k = &e->now;

	if (bits)
		return;
	k->is = true;
	k->rest = e->gap + (k->misses ? 0 : k->first);
	k->gap.n = k->misses ? e->col[COL_GAP].n - k->gap.at : 0;
	k->miss.n = e->col[COL_MISS].n - k->miss.at;
	k->kind.n = e->col[COL_KIND].n - k->kind.at;
	e->known[w->like] = *k;
}

/* Skips instructions of the run, from k on, that are plain and correctly predicted. Returns their number. */
static uint32_t skip_predicted_insts(struct encoder *e, const struct pack_run *r, uint32_t k)
{
	struct flow *f = &e->f;
	const struct plain *q = &e->plain[r->id + k];
	uint32_t n = r->n - k, most = r->mask == f->active ? q->all : q->alike;

	if (!q->is || q->id != f->id || r->mask != (f->active & (e->seen[q->like] ^ q->flip)))
		return 0;
	n = n < most ? n : most;
	for (uint32_t *s = e->seen + r->id + k, *end = s + n; s < end; s++)
		*s = r->mask;
	f->id = q[n - 1].next;
	f->cause = NONE;
	e->gap += n;
	return n;
}

static void encode_step(struct encoder *e, uint32_t number, uint32_t mask)
{
	uint32_t id = e->plain[number].id;

	if (e->f.id != id) {
		encode_miss(e, 2 + id);
		flow_set_next(&e->f, id);
	}
	encode_mask(e, &e->c->s[id], mask);
	e->seen[number] = mask;
	e->gap++;
	flow_step(&e->f, id, mask);
}

/* Encodes the instructions that a warp executes, and the lanes of each. */
static void encode_path(struct encoder *e, const struct pwarp *w)
{
	size_t bits = e->col[COL_BITS].n;
	unsigned n_bits = e->n_bits;

	if (e->known[w->like].is) {
		encode_known_path(e, &e->known[w->like]);
		return;
	}
	begin_path(e);
	flow_start(&e->f, e->c, flow_lanes(e->part, w->id));
	memset(e->seen, 0, e->n_seen * sizeof(e->seen[0]));
	for (const struct pack_run *r = e->p->run + w->first, *end = r + w->n_runs; r < end; r++) {
		for (uint32_t k = 0; k < r->n;) {
			uint32_t n = skip_predicted_insts(e, r, k);

			if (!n)
				encode_step(e, r->id + k++, r->mask);
			k += n;
		}
	}
	if (e->f.id != NONE)
		encode_miss(e, 0);
	else
		e->gap++;
	end_path(e, w, e->col[COL_BITS].n != bits || e->n_bits != n_bits);
}

static void encode_warp(struct encoder *e, const struct ptb *tb, const struct pwarp *w)
{
	const size_t misses = e->col[COL_MGAP].n;

	addresses_begin_warp(&e->x, w->id, tb->id);
	encode_path(e, w);
	if (w->leader && follow_rules_hold(&e->follow, e->p, tb, w, &e->mgap))
		return;
	memset(e->ran, 0, e->c->n_mem * sizeof(e->ran[0]));
	encode_addresses_and_texts(e, w);
	if (w->followers && e->col[COL_MGAP].n == misses)
		follow_add_rules(&e->follow, e->p, (uint32_t)(tb - e->p->tb), w);
}

/* Returns true if the model predicts q after q[-1]. If all is set, the mask equals the active lanes. */
static bool follows_prediction(const struct encoder *e, const struct plain *q, bool all)
{
	const struct pstatic *s = &e->c->s[q->id];

	return q->is && q[-1].is && q[-1].next == q->id &&
	       ((s->guard == GUARD_LIKE && s->guard_ref == q[-1].id) || (all && s->guard == GUARD_ALL));
}

static void find_default_recipes(struct encoder *e)
{
	e->usual = xcalloc(2 * e->c->n_mem + 1u, sizeof(e->usual[0]));
	for (uint32_t i = 0; i < 2 * e->c->n_mem; i++) {
		const struct pmem *x = &e->c->mem[i / 2];
		const struct recipe *r = &x->r[i % 2 ? x->later : x->first];

		if (r->op == OP_ADD && r->shift >= 0)
			e->usual[i] = (struct default_recipe){
				&e->x.last[r->ref], &e->x.last[i / 2], r->c, (uint8_t)r->shift, true};
	}
}

static void find_plain_insts(struct encoder *e)
{
	const uint32_t n = e->p->n_met;

	e->plain = xmalloc((n + 1u) * sizeof(e->plain[0]));
	e->plain[n] = (struct plain){.is = false};
	e->seen = xcalloc(n + 1u, sizeof(e->seen[0]));
	e->seen[n] = UINT32_MAX;
	e->number = xcalloc(e->c->n + 1u, sizeof(e->number[0]));
	for (uint32_t i = 0; i < n; i++)
		if (e->p->to[i] != NONE)
			e->number[e->p->to[i]] = i;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t id = e->p->to[i];

		e->plain[i] = (struct plain){.is = false};
		if (id == NONE)
			continue;
		e->n_seen = i + 1;
		const struct pstatic *s = &e->c->s[id];
		bool like = s->guard == GUARD_LIKE || s->guard == GUARD_UNLIKE;

		e->plain[i] = (struct plain){.id = id,
			.next = s->next,
			.like = like ? e->number[s->guard_ref] : n,
			.flip = s->guard == GUARD_NONE || s->guard == GUARD_UNLIKE ? UINT32_MAX : 0,
			.mem = s->mem,
			.is = s->ctl == CTL_NONE && s->guard != GUARD_CODED,
			.text = s->flags & (ST_TAIL | ST_LINE)};
	}
	for (uint32_t i = n; i-- > 0;) {
		struct plain *q = &e->plain[i];

		q->alike = 1 + (i + 1 < n && follows_prediction(e, q + 1, false) ? q[1].alike : 0);
		q->all = 1 + (i + 1 < n && follows_prediction(e, q + 1, true) ? q[1].all : 0);
	}
}

/* Returns true if thread blocks are not in the order of their ids, or have warps other than 0, 1, ... */
static bool has_odd_blocks(const struct parsed *p)
{
	const struct part *q = &p->part;
	uint64_t at = q->first_block;

	for (uint32_t b = 0; b < q->n_blocks; b++, at++) {
		const struct ptb *tb = &p->tb[b];
		uint64_t gx = q->grid[0], gy = q->grid[1];

		if (!gx || !gy || tb->id[0] != at % gx || tb->id[1] != at / gx % gy ||
			tb->id[2] != at / gx / gy || tb->extra_len || tb->n_warps != q->warps)
			return true;
		for (uint32_t w = 0; w < tb->n_warps; w++)
			if (p->warp[tb->first_warp + w].id != w)
				return true;
	}
	return false;
}

static void encode_odd_block(struct encoder *e, const struct ptb *tb)
{
	struct buf *b = &e->col[COL_BLOCKS];

	for (int i = 0; i < 3; i++)
		buf_var(b, tb->id[i]);
	buf_var(b, tb->n_warps);
	for (uint32_t w = 0; w < tb->n_warps; w++)
		buf_var(b, fold((int64_t)e->p->warp[tb->first_warp + w].id - w));
	buf_var(b, tb->extra_len);
	buf_add(b, e->p->text.p + tb->extra, tb->extra_len);
}

static void encode_span(struct encoder *e, struct pspan *s, uint32_t first)
{
	size_t had[N_COLUMNS];

	for (int k = 0; k < N_COLUMNS; k++)
		had[k] = e->col[k].n;
	e->gap = e->mgap = 0;
	addresses_begin_span(&e->x);
	tails_begin_span(&e->tails, NULL);
	for (uint32_t b = first; b < first + s->blocks; b++) {
		const struct ptb *tb = &e->p->tb[b];

		if (e->part->style & STYLE_ODD_BLOCKS)
			encode_odd_block(e, tb);
		for (uint32_t w = 0; w < tb->n_warps; w++)
			encode_warp(e, tb, &e->p->warp[tb->first_warp + w]);
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

	addresses_new(&e->x, e->c);
	e->ran = xcalloc(e->c->n_mem + 1, sizeof(e->ran[0]));
	tails_new(&e->tails, e->c->n);
	e->known = xmalloc((e->p->n_warp + 1) * sizeof(e->known[0]));
	for (uint32_t i = 0; i < e->p->n_warp; i++)
		e->known[i].is = false;
	find_plain_insts(e);
	find_default_recipes(e);
	follow_rules_new(&e->follow, e->p);
	for (uint32_t i = 0; i < part->n_spans; i++) {
		encode_span(e, &part->span[i], first);
		first += part->span[i].blocks;
	}
	addresses_free(&e->x);
	free(e->seen);
	free(e->number);
	free(e->usual);
	free(e->ran);
	tails_free(&e->tails);
	free(e->known);
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
	struct encoder e = {.p = p, .part = &p->part, .c = &p->part.code, .col = col};

	p->part.warps = (p->part.threads + 31) / 32;
	if (!p->part.warps && p->part.n_blocks)
		p->part.warps = p->tb[0].n_warps;
	parsed_finish(p);
	pack_train_flow(p);
	bool sure = fit_addresses(p, true);
	p->part.style |= has_odd_blocks(p) ? STYLE_ODD_BLOCKS : 0;
	cut_spans(p, &p->part);
	if (encode_spans(&e) * MISSED_MOST <= p->n_more + p->n_shared_more || !sure)
		return;
	for (int k = 0; k < N_COLUMNS; k++)
		col[k].n = 0;
	forget_recipes(&p->part.code);
	fit_addresses(p, false);
	encode_spans(&e);
}
