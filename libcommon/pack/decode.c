/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conversion of columns to records, one thread block at a time, with the models of encode.c.
 *
 * Always true: a value from a column is checked before it is used as an index. A span has at most as many records as
 * its table says. An exhausted column is a fault and never yields a wrong record, because the block's checksum was
 * checked before.
 */
#include "addr.h"
#include "flow.h"
#include "tail.h"

struct path_mem;
struct path_line;

struct replay {
	const struct part *part;
	const struct pcode *code;   /* static instructions of the part */
	struct cur col[N_COLUMNS];  /* read positions in the columns */
	struct tails tails;         /* state of texts */
	struct flow flow;           /* predictor of the current warp */
	struct addresses addresses; /* state of address recipes */
	uint32_t *guard_mask;       /* masks of instructions to which guards refer */
	uint32_t *ran;              /* number of the warp in which each memory instruction last ran */
	uint64_t insts_to_miss, /* number of instructions before the next one that the flow model predicts wrongly */
		mems_to_miss; /* number of memory instructions before the next one without its default recipe */
	uint32_t blocks;      /* number of thread blocks left in the span */
	uint32_t insts;       /* number of instructions left in the span */
	uint64_t next_block; /* row-major index of the next thread block */
	uint64_t bits;       /* bits of COL_BITS that are not yet used */
	unsigned n_bits;     /* number of these bits */
	uint32_t *warp_id;   /* ids of warps, if they are not 0, 1, ... */
	bool begins_kernel;  /* true if the next thread block is the kernel's first */

	/*
	 * Path of the last warp without a miss: the instructions that the same lanes execute unless there is a miss
	 * before its end.
	 */
	struct path {
		struct rec *rec;      /* records; if planned, addr is relative to the warp's first word */
		struct path_mem *mem; /* records with addresses */
		uint32_t lanes, n, n_mem, cap_rec, cap_mem;
		bool planned;      /* true if the addresses depend only on the warp and thread block */
		bool placed;       /* true if mem[].fixed_base is valid for this thread block */
		uint32_t block[3]; /* thread block of mem[].fixed_base */
	} path;
	struct path_line *line; /* line of each memory instruction, while a path is planned */
	uint32_t *mem_of;       /* memory instructions starting at mem_from, while a path is recorded */
	uint32_t mem_from, cap_mem_of;
};

/*
 * Line of addresses: lane l has base + l * step, where base is constant + steps[0] * warp + steps[1] * x +
 * steps[2] * y + steps[3] * z.
 */
struct path_line {
	uint64_t constant, steps[4], step; /* constant, steps of the base, step of the lanes */
	bool ran;                          /* whether the instruction ran in the path */
};

struct path_mem {
	uint32_t rec;          /* number of the record in the warp */
	uint32_t mem;          /* number of the memory instruction */
	struct path_line line; /* line of a planned record, from the record's first active lane */
	uint64_t fixed_base;   /* part of the base that does not depend on the warp */
};

#define PATH_MAX_RECS 65536u

struct replay *replay_new(const struct part *p)
{
	struct replay *r = xcalloc(1, sizeof(*r));

	r->part = p;
	r->code = &p->code;
	addresses_new(&r->addresses, r->code);
	tails_new(&r->tails, r->code->n_statics, p->style & STYLE_VALUES);
	r->guard_mask = xcalloc(r->code->n_guard_slots + 1, sizeof(r->guard_mask[0]));
	r->ran = xcalloc(r->code->n_mem + 1, sizeof(r->ran[0]));
	r->warp_id = xcalloc(pack_limits.warps + 1, sizeof(r->warp_id[0]));
	return r;
}

void replay_free(struct replay *r)
{
	if (!r)
		return;
	addresses_free(&r->addresses);
	tails_free(&r->tails);
	free(r->guard_mask);
	free(r->ran);
	free(r->warp_id);
	free(r->path.rec);
	free(r->path.mem);
	free(r->mem_of);
	free(r->line);
	free(r);
}

static uint64_t next_miss_gap(struct cur *c) { return cur_left(c) ? cur_var(c) : UINT64_MAX; }

bool replay_begin_span(struct replay *r, uint32_t i, const struct buf col[N_COLUMNS], uint64_t first_block)
{
	const struct pspan *s = &r->part->span[i];

	for (int k = 1; k < COL_STORED; k++) {
		if (s->offset[k] + s->len[k] > col[k].n)
			return false;
		r->col[k] = cur_of(s->len[k] ? col[k].p + s->offset[k] : NULL, s->len[k]);
	}
	r->blocks = s->blocks;
	r->insts = s->insts;
	r->next_block = first_block;
	r->begins_kernel = first_block == 0;
	r->bits = r->n_bits = 0;
	r->insts_to_miss = next_miss_gap(&r->col[COL_GAP]);
	r->mems_to_miss = next_miss_gap(&r->col[COL_MGAP]);
	addresses_begin_span(&r->addresses);
	tails_begin_span(&r->tails, r->col);
	return true;
}

struct tails *replay_tails(struct replay *r) { return &r->tails; }

void replay_reset_inspected(struct replay *r, const uint32_t *handle, struct tblock *tb)
{
	tails_begin_span(&r->tails, r->col);
	if (!handle)
		return;
	for (uint32_t i = 0; i < tb->n_recs; i++)
		tb->rec[i].inst = handle[tb->rec[i].inst];
	for (uint32_t i = 0; i < r->path.n; i++)
		r->path.rec[i].inst = handle[r->path.rec[i].inst];
}

/* ---- masks -------------------------------------------------------------------------------- */

static uint32_t read_mixed_mask(struct replay *r, uint32_t active)
{
	unsigned n = bit_count32(active);
	uint32_t m = 0;

	while (r->n_bits < n) {
		r->bits |= (uint64_t)cur_byte(&r->col[COL_BITS]) << r->n_bits;
		r->n_bits += 8;
	}
	uint64_t v = r->bits;
	r->bits >>= n;
	r->n_bits -= n;
	FOR_BITS32 (l, active) {
		m |= (uint32_t)(v & 1) << l;
		v >>= 1;
	}
	return m;
}

static inline uint32_t guarded_mask(struct replay *r, const struct pstatic *s)
{
	uint32_t a = r->flow.active;

	switch ((enum guard)s->guard) {
	case GUARD_ALL: return a;
	case GUARD_NONE: return 0;
	case GUARD_LIKE: return a & r->guard_mask[r->code->statics[s->guard_ref].guard_slot - 1];
	case GUARD_UNLIKE: return a & ~r->guard_mask[r->code->statics[s->guard_ref].guard_slot - 1];
	case GUARD_CODED: break;
	}
	uint8_t kind = cur_byte(&r->col[COL_KIND]);
	return kind == 0 ? 0 : kind == 1 ? a : read_mixed_mask(r, a);
}

enum missed { MISSED_END, MISSED_MASK, MISSED_NONE };

/* Corrects the model after a wrong prediction. */
static enum missed prediction_missed(struct replay *r, uint32_t *mask)
{
	struct cur *c = &r->col[COL_MISS];

	while (r->insts_to_miss == 0 && !c->bad) {
		uint64_t what = cur_var(c);

		r->insts_to_miss = next_miss_gap(&r->col[COL_GAP]);
		if (what == 0)
			return MISSED_END;
		if (what == 1) {
			const uint8_t *m = cur_bytes(c, 4);

			*mask = 0;
			for (unsigned i = 0; m && i < 4; i++)
				*mask |= (uint32_t)m[i] << 8 * i;
			if (*mask & ~r->flow.active)
				flow_activate_lanes(&r->flow, *mask);
			return MISSED_MASK;
		}
		if (what - 2 >= r->code->n_statics) {
			c->bad = true;
			return MISSED_END;
		}
		flow_set_next(&r->flow, (uint32_t)(what - 2));
	}
	return c->bad ? MISSED_END : MISSED_NONE;
}

/* ---- addresses ---------------------------------------------------------------------------- */

static uint64_t read_planes_of(struct replay *r, unsigned planes, enum column first)
{
	uint64_t v = 0;

	for (unsigned k = 0; k < planes; k++)
		v |= (uint64_t)cur_byte(&r->col[first + k]) << 8 * k;
	return v;
}

static void read_planes(struct replay *r, const struct recipe *e, uint32_t mask, uint64_t to[32])
{
	unsigned n = bit_count32(mask), i = 0;
	const uint8_t *low = cur_bytes(&r->col[COL_LOW], n), *mid = low, *high = low;

	if (e->planes > 1)
		mid = cur_bytes(&r->col[COL_MID], n);
	if (e->planes > 2)
		high = cur_bytes(&r->col[COL_HIGH], n);
	if (!low || !mid || !high)
		return;
	uint64_t mid_bits = e->planes > 1 ? 0xff00 : 0, high_bits = e->planes > 2 ? 0xff0000 : 0;
	FOR_BITS32 (l, mask) {
		uint64_t v =
			low[i] | ((uint64_t)mid[i] << 8 & mid_bits) | ((uint64_t)high[i] << 16 & high_bits);

		to[l] = e->constant + (v << e->align);
		i++;
	}
}

/* Stores the addresses of the lanes as base and step if they have one step. Called after all lanes were set. */
static void find_address_line(struct lanes *x)
{
	uint64_t d = x->addr[1] - x->addr[0], off = 0;

	for (unsigned l = 2; l < 32; l++)
		off |= (x->addr[l] - x->addr[l - 1]) ^ d;
	if (!off)
		set_line(x, x->addr[0], d);
}

static void read_moved_addresses(
	struct replay *r, const struct recipe *e, uint32_t mask, struct lanes *to, uint64_t d)
{
	struct lanes *from = lanes_of(&r->addresses, e->ref);

	if (mask == UINT32_MAX && from->line) {
		set_line(to, from->base + d, from->step);
		return;
	}
	const uint64_t *a = lanes_list(from);
	uint64_t *t = lanes_list(to);
	FOR_BITS32 (l, mask)
		t[l] = a[l] + d;
}

static void read_numbers(
	struct replay *r, const struct recipe *e, uint32_t m, uint32_t mask, struct lanes *to)
{
	uint64_t *base = &r->addresses.base[m], a;
	unsigned first = bit_lowest32(mask);

	if (e->op == OP_PLANES) {
		read_planes(r, e, mask, lanes_list(to));
		return;
	}
	uint64_t d = (uint64_t)unfold(cur_var(&r->col[COL_BASE]));
	if (e->op == OP_MOVED) {
		read_moved_addresses(r, e, mask, to, d);
		return;
	}
	if (e->op == OP_BASED) {
		set_pattern(&r->addresses, to, e->pattern, *base += d);
		return;
	}
	uint64_t *t = lanes_list(to);
	t[first] = a = *base += d;
	FOR_BITS32 (l, mask & (mask - 1)) {
		if (e->op == OP_DELTAS)
			a += (uint64_t)unfold(read_planes_of(r, e->planes, COL_DLOW)) << e->align;
		else
			a += (uint64_t)unfold(cur_var(&r->col[COL_WIDE]));
		t[l] = a;
	}
	if (mask == UINT32_MAX)
		find_address_line(to);
}

#define LIST_SPACE 40u /* number of words: 32 lanes, and the words after them that pack() may overwrite */

static inline uint32_t put_address_words(struct tblock *tb, struct lanes *from, uint32_t mask)
{
	uint32_t at = tb->n_words;

	if (tb->cap_words - at < LIST_SPACE)
		grow(&tb->word, &tb->cap_words, at + LIST_SPACE, sizeof(tb->word[0]));
	uint64_t *w = tb->word + at;
	unsigned first = bit_lowest32(mask);
	uint32_t run = mask >> first;
	if (from->line && !(run & (run + 1))) {
		w[0] = from->base + first * from->step;
		w[1] = from->step;
		tb->n_words += 2;
		return at << 2 | ADDR_STRIDE;
	}
	if (mask == UINT32_MAX)
		memcpy(w, lanes_list(from), 32 * sizeof(w[0]));
	else
		lanes_loops->pack(w, lanes_list(from), mask);
	tb->n_words += bit_count32(mask);
	return at << 2 | ADDR_LIST;
}

static inline uint32_t decode_addresses(struct replay *r, struct tblock *tb, uint32_t m, uint32_t mask)
{
	const struct pmem *x = &r->code->mem[m];
	unsigned k = r->ran[m] == r->addresses.warp_stamp ? x->later_default : x->first_default;
	struct lanes *to = lanes_of(&r->addresses, m);

	r->ran[m] = r->addresses.warp_stamp;
	if (r->mems_to_miss-- == 0) {
		k = cur_byte(&r->col[COL_MSEL]);
		r->mems_to_miss = next_miss_gap(&r->col[COL_MGAP]);
		if (k >= x->n_recipes) {
			r->col[COL_MSEL].bad = true;
			k = 0;
		}
	}
	if (has_numbers(&x->recipe[k]))
		read_numbers(r, &x->recipe[k], m, mask, to);
	else
		recipe_apply(&r->addresses, &x->recipe[k], to);
	return put_address_words(tb, to, mask);
}

/* ---- warps and thread blocks -------------------------------------------------------------- */

static bool are_replayed_columns_valid(const struct replay *r)
{
	bool bad = !tails_are_valid(&r->tails);

	for (int k = 1; k < COL_STORED; k++)
		bad |= r->col[k].bad;
	return !bad;
}

/* Applies a recipe to the lines of earlier instructions in the warp. Returns false if the result is not a line. */
static bool plan_recipe(const struct replay *r, const struct recipe *e, struct path_line *to)
{
	if (e->op == OP_ADD && e->shift >= 0) {
		*to = r->line[e->ref];
		to->constant = (to->constant << e->shift) + e->constant;
		to->step <<= e->shift;
		for (int i = 0; i < 4; i++)
			to->steps[i] <<= e->shift;
		return true;
	}
	if (e->op != OP_AFFINE || !r->addresses.straight[e->pattern])
		return false;
	const int64_t *pattern = r->code->pattern[e->pattern];

	to->constant = e->constant + (uint64_t)pattern[0];
	to->step = (uint64_t)pattern[1] - (uint64_t)pattern[0];
	for (int i = 0; i < 4; i++)
		to->steps[i] = (uint64_t)e->steps[i];
	return true;
}

/* Plans the path. Returns true if its addresses depend only on the numbers of the warp and the thread block. */
static bool plan_path_addresses(struct replay *r)
{
	struct path *p = &r->path;

	if (!r->line)
		r->line = xcalloc(r->code->n_mem + 1, sizeof(r->line[0]));
	memset(r->line, 0, r->code->n_mem * sizeof(r->line[0]));
	for (uint32_t i = 0; i < p->n_mem; i++) {
		struct path_mem *m = &p->mem[i];
		const struct pmem *x = &r->code->mem[m->mem];
		struct path_line *to = &r->line[m->mem], l;
		uint32_t mask = p->rec[m->rec].mask, first = bit_lowest32(mask), run = mask >> first;

		if (run & (run + 1) ||
			!plan_recipe(r, &x->recipe[to->ran ? x->later_default : x->first_default], &l))
			return false;
		l.ran = true;
		m->line = *to = l;
		m->line.constant += first * l.step;
		p->rec[m->rec].addr = 2 * i << 2 | ADDR_STRIDE;
	}
	return true;
}

static void save_path_of_warp(struct replay *r, const struct tblock *tb, uint32_t first, uint32_t lanes)
{
	struct path *p = &r->path;
	uint32_t n = tb->n_recs - first;

	if (n > PATH_MAX_RECS)
		return;
	grow(&p->rec, &p->cap_rec, n + 1, sizeof(p->rec[0]));
	grow(&p->mem, &p->cap_mem, n + 1, sizeof(p->mem[0]));
	p->lanes = lanes;
	p->n = n;
	p->n_mem = 0;
	for (uint32_t i = 0; i < n; i++) {
		p->rec[i] = tb->rec[first + i];
		if (p->rec[i].addr)
			p->mem[p->n_mem++] =
				(struct path_mem){.rec = i, .mem = r->mem_of[first + i - r->mem_from]};
	}
	p->planned = plan_path_addresses(r);
	p->placed = false;
}

/* Appends the addresses of a planned path. */
static void append_planned_addresses(struct replay *r, struct tblock *tb, struct rec *rec)
{
	struct path *p = &r->path;
	const uint32_t *b = r->addresses.block;
	uint32_t at = tb->n_words, offset = at << 2;

	if (!p->n_mem)
		return;
	if (!p->placed || memcmp(p->block, b, sizeof(p->block))) {
		for (uint32_t i = 0; i < p->n_mem; i++) {
			const struct path_line *l = &p->mem[i].line;

			p->mem[i].fixed_base =
				l->constant + l->steps[1] * b[0] + l->steps[2] * b[1] + l->steps[3] * b[2];
		}
		memcpy(p->block, b, sizeof(p->block));
		p->placed = true;
	}
	if (tb->cap_words - at < 2 * p->n_mem)
		grow(&tb->word, &tb->cap_words, at + 2 * p->n_mem, sizeof(tb->word[0]));
	uint64_t *w = tb->word + at;

	for (const struct path_mem *m = p->mem, *end = m + p->n_mem; m < end; m++, w += 2) {
		w[0] = m->fixed_base + m->line.steps[0] * r->addresses.warp;
		w[1] = m->line.step;
		rec[m->rec].addr += offset;
	}
	tb->n_words += 2 * p->n_mem;
	r->mems_to_miss -= p->n_mem;
}

/* Replays the kept path for a warp. Computes only the addresses. */
static void replay_kept_path(struct replay *r, struct tblock *tb)
{
	const struct path *p = &r->path;
	uint32_t from = tb->n_recs;

	if (tb->cap_recs - from < p->n)
		grow(&tb->rec, &tb->cap_recs, from + p->n, sizeof(tb->rec[0]));
	memcpy(tb->rec + from, p->rec, p->n * sizeof(p->rec[0]));
	if (p->planned && r->mems_to_miss >= p->n_mem) {
		append_planned_addresses(r, tb, tb->rec + from);
	} else {
		for (uint32_t i = 0; i < p->n_mem; i++) {
			struct rec *e = &tb->rec[from + p->mem[i].rec];

			e->addr = decode_addresses(r, tb, p->mem[i].mem, e->mask);
		}
	}
	tb->n_recs += p->n;
	r->insts -= p->n;
	r->insts_to_miss -= p->n + 1u;
}

/* Decodes a record. Sets *pure to false if the record depends on a column or a miss. */
static bool read_record(
	struct replay *r, const uint32_t *handle, struct tblock *tb, enum missed m, uint32_t mask, bool *pure)
{
	uint32_t id = r->flow.id, addr = 0;
	const struct pstatic *s = &r->code->statics[id];

	if (r->insts == 0 || tb->n_words > (UINT32_MAX >> 2) - 64)
		return false;
	r->insts--;
	if (m == MISSED_NONE)
		mask = guarded_mask(r, s);
	if (s->guard == GUARD_CODED)
		*pure = false;
	if (s->guard_slot)
		r->guard_mask[s->guard_slot - 1] = mask;
	if (tb->n_recs == tb->cap_recs)
		grow(&tb->rec, &tb->cap_recs, tb->n_recs + 1, sizeof(tb->rec[0]));
	if (s->mem != NONE && mask) {
		addr = decode_addresses(r, tb, s->mem, mask);
		uint32_t at = tb->n_recs - r->mem_from;
		if (at >= r->cap_mem_of)
			grow(&r->mem_of, &r->cap_mem_of, at + 1, sizeof(r->mem_of[0]));
		r->mem_of[at] = s->mem;
	}
	tb->rec[tb->n_recs++] = (struct rec){handle ? handle[id] : id, mask, addr};
	flow_step(&r->flow, id, mask);
	return true;
}

static bool read_warp(struct replay *r, const uint32_t *handle, struct tblock *tb, uint32_t warp)
{
	const uint32_t block[3] = {tb->x, tb->y, tb->z}, lanes = flow_lanes(r->part, warp),
		       first = tb->n_recs;
	const struct path *p = &r->path;
	bool pure = true;

	addresses_begin_warp(&r->addresses, warp, block);
	if (p->n && p->lanes == lanes && r->insts_to_miss > p->n && r->insts >= p->n &&
		tb->n_words < (UINT32_MAX >> 2) - 64 * PATH_MAX_RECS) {
		replay_kept_path(r, tb);
		return true;
	}
	r->mem_from = first;
	flow_start(&r->flow, r->code, lanes);
	memset(r->guard_mask, 0, r->code->n_guard_slots * sizeof(r->guard_mask[0]));
	for (;;) {
		uint32_t mask = 0;
		enum missed m = MISSED_NONE;

		if (r->insts_to_miss == 0) {
			pure = false;
			if ((m = prediction_missed(r, &mask)) == MISSED_END)
				return true;
		}
		r->insts_to_miss--;
		if (r->flow.id == NONE)
			break;
		if (!read_record(r, handle, tb, m, mask, &pure))
			return false;
	}
	if (pure && tb->n_recs > first)
		save_path_of_warp(r, tb, first, lanes);
	return true;
}

static bool read_odd_block(struct replay *r, struct tblock *tb, struct text_in *in)
{
	struct cur *c = &r->col[COL_BLOCKS];
	uint64_t id[3], n;

	for (int i = 0; i < 3; i++)
		if ((id[i] = cur_var(c)) > UINT32_MAX)
			return false;
	if ((n = cur_var(c)) > pack_limits.warps)
		return false;
	tb->x = (uint32_t)id[0];
	tb->y = (uint32_t)id[1];
	tb->z = (uint32_t)id[2];
	tb->n_warps = (uint32_t)n;
	for (uint64_t w = 0; w < n; w++)
		r->warp_id[w] = (uint32_t)(w + (uint64_t)unfold(cur_var(c)));
	in->warp_id = r->warp_id;
	in->extra_len = cur_var(c);
	in->extra = (const char *)cur_bytes(c, in->extra_len);
	return !c->bad;
}

int replay_block(struct replay *r, const uint32_t *handle, struct tblock *tb, struct text_in *in)
{
	const struct part *p = r->part;

	if (!r->blocks)
		return r->insts || !are_replayed_columns_valid(r) ? -1 : 0;
	r->blocks--;
	*in = (struct text_in){.part = p, .tb = tb, .begins_kernel = r->begins_kernel};
	tb->n_recs = tb->n_words = 0;
	tb->n_warps = p->warps;
	if (p->style & STYLE_ODD_BLOCKS) {
		if (!read_odd_block(r, tb, in))
			return -1;
	} else {
		uint64_t gx = p->grid[0], gy = p->grid[1];

		if (!gx || !gy)
			return -1;
		tb->x = (uint32_t)(r->next_block % gx);
		tb->y = (uint32_t)(r->next_block / gx % gy);
		tb->z = (uint32_t)(r->next_block / gx / gy);
	}
	grow(&tb->warp, &tb->cap_warps, tb->n_warps + 1, sizeof(tb->warp[0]));
	for (uint32_t w = 0; w < tb->n_warps; w++) {
		uint32_t from = tb->n_recs;

		if (!read_warp(r, handle, tb, in->warp_id ? in->warp_id[w] : w))
			return -1;
		tb->warp[w] = (struct warp_recs){from, tb->n_recs - from, 0};
	}
	r->next_block++;
	r->begins_kernel = false;
	return are_replayed_columns_valid(r) ? 1 : -1;
}
