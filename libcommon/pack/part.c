/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Completion of a part after all its thread blocks are parsed: it sorts the static instructions by PC and finds warps
 * with equal behaviour. Also converts the tables of a part to bytes and back, and frees parts.
 *
 * Always true afterwards: the numbers in runs have their final meaning. Every warp refers to the first warp with the
 * same lanes, instructions and masks.
 */
#include "flow.h"

/* ---- paths -------------------------------------------------------------------------------- */

static uint64_t path_hash(const struct parsed *p, const struct pwarp *w)
{
	uint64_t h = flow_lanes(&p->part, w->id) * 0x9e3779b97f4a7c15u ^ w->count;

	for (const struct pack_run *r = p->run + w->first_run, *end = r + w->n_runs; r < end; r++) {
		h = (h ^ ((uint64_t)r->id << 32 | r->mask)) * 0xd6e8feb86659fd93u;
		h ^= h >> 32 ^ r->n;
	}
	return h;
}

/* Returns true if two warps have the same lanes. All have in thread blocks of whole warps. */
static bool have_same_lanes(const struct parsed *p, const struct pwarp *a, const struct pwarp *b)
{
	return p->part.threads % 32 == 0 || flow_lanes(&p->part, a->id) == flow_lanes(&p->part, b->id);
}

static bool have_same_path(const struct parsed *p, const struct pwarp *a, const struct pwarp *b)
{
	return a->count == b->count && a->n_runs == b->n_runs && have_same_lanes(p, a, b) &&
	       !memcmp(p->run + a->first_run, p->run + b->first_run, a->n_runs * sizeof(p->run[0]));
}

static void grow_path_table(struct parsed *p)
{
	free(p->path);
	p->n_path_slots = p->n_path_slots ? p->n_path_slots * 4 : 256;
	p->path = xcalloc(p->n_path_slots, sizeof(p->path[0]));
	for (uint32_t i = 0; i < p->n_warp; i++) {
		if (p->warp[i].first_alike != i)
			continue;
		uint32_t at = (uint32_t)path_hash(p, &p->warp[i]) & (p->n_path_slots - 1);
		while (p->path[at])
			at = (at + 1) & (p->n_path_slots - 1);
		p->path[at] = i + 1;
	}
}

/* Finds the warps with equal behaviour. */
static void find_equal_paths(struct parsed *p)
{
	for (uint32_t i = 0; i < p->n_warp; i++) {
		struct pwarp *w = &p->warp[i];

		w->first_alike = UINT32_MAX;
		if (w->leader && have_same_lanes(p, w, &p->warp[w->leader - 1])) {
			w->first_alike = p->warp[w->leader - 1].first_alike;
			p->warp[w->first_alike].weight++;
			continue;
		}
		if (i && have_same_path(p, &p->warp[i - 1], w)) {
			w->first_alike = w[-1].first_alike;
			p->warp[w->first_alike].weight++;
			continue;
		}
		if (p->n_paths * 2 >= p->n_path_slots)
			grow_path_table(p);
		uint32_t at = (uint32_t)path_hash(p, w) & (p->n_path_slots - 1);
		while (p->path[at] && !have_same_path(p, &p->warp[p->path[at] - 1], w))
			at = (at + 1) & (p->n_path_slots - 1);
		if (!p->path[at]) {
			p->path[at] = i + 1;
			p->n_paths++;
		}
		w->first_alike = p->path[at] - 1;
		p->warp[w->first_alike].weight++;
	}
}

/* ---- finishing and freeing ---------------------------------------------------------------- */

struct pc_order {
	uint32_t pc, id;
};

static int statics_by_pc(const void *a, const void *b)
{
	const struct pc_order *x = a, *y = b;

	return x->pc != y->pc ? (x->pc < y->pc ? -1 : 1) : x->id < y->id ? -1 : 1;
}

static bool is_sorted_by_pc(const struct pc_order *o, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (o[i - 1].pc > o[i].pc)
			return false;
	return true;
}

/*
 * Sorts the static instructions by PC. In most parts they are sorted already, because warps first execute them in
 * this order. In parts made of records, met_static[] has them in the order of their numbers: number i, and number i +
 * half for the same PC if a line has text.
 */
static void sort_by_pc(const struct parsed *p, struct pc_order *o)
{
	const struct pcode *c = &p->part.code;
	const uint32_t half = p->n_met / 2;
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->n_statics; i++)
		o[i] = (struct pc_order){c->statics[i].pc, i};
	if (is_sorted_by_pc(o, c->n_statics))
		return;
	for (uint32_t i = 0; p->met_static && i < half; i++) {
		const uint32_t a = p->met_static[i], b = p->met_static[i + half],
			       first = a && (!b || a < b) ? a : b;

		if (first)
			o[n++] = (struct pc_order){c->statics[first - 1].pc, first - 1};
		if (a && b)
			o[n++] = (struct pc_order){c->statics[(a ^ b ^ first) - 1].pc, (a ^ b ^ first) - 1};
	}
	if (!is_sorted_by_pc(o, c->n_statics))
		qsort(o, c->n_statics, sizeof(o[0]), statics_by_pc);
}

/*
 * Maps the numbers in runs to instructions. to[] is the new number of each static instruction. Numbers after the last
 * one that occurs are removed: all second numbers, of text, in parts without text.
 */
static void number_runs(struct parsed *p, const uint32_t *to)
{
	const struct pstatic *s = p->part.code.statics;

	p->n_met = p->met_static ? p->n_met : p->part.code.n_statics;
	while (p->met_static && p->n_met && !p->met_static[p->n_met - 1])
		p->n_met--;
	p->static_of = xmalloc((p->n_met + 1u) * sizeof(p->static_of[0]));
	p->next_payload = xmalloc((p->n_met + 1u) * sizeof(p->next_payload[0]));
	p->next_payload[p->n_met] = p->n_met;
	for (uint32_t i = p->n_met; i-- > 0;) {
		bool met = !p->met_static || p->met_static[i];

		p->static_of[i] = met ? to[p->met_static ? p->met_static[i] - 1 : i] : NONE;
		p->next_payload[i] = met && s[p->static_of[i]].flags & (ST_MEM | ST_TAIL | ST_LINE)
					     ? i
					     : p->next_payload[i + 1];
	}
}

void parsed_reserve(struct parsed *p)
{
	grow(&p->run, &p->cap_run, p->n_run + 1, sizeof(p->run[0]));
	grow(&p->payload, &p->cap_payloads, p->n_payloads + 1, sizeof(p->payload[0]));
	grow(&p->addr, &p->cap_addr, p->n_addr + 1, sizeof(p->addr[0]));
}

void parsed_finish(struct parsed *p)
{
	struct pcode *c = &p->part.code;
	struct pc_order *o = xmalloc((c->n_statics + 1u) * sizeof(o[0]));
	struct pstatic *s = xmalloc((c->n_statics + 1u) * sizeof(s[0]));
	uint32_t *to = xmalloc((c->n_statics + 1u) * sizeof(to[0]));

	sort_by_pc(p, o);
	for (uint32_t i = 0; i < c->n_statics; i++) {
		s[i] = c->statics[o[i].id];
		to[o[i].id] = i;
		const struct pack_inst *x = p->columns ? &p->columns[o[i].id] : NULL;

		code_add_static(&p->part, &s[i], i ? &s[i - 1] : NULL, x && x->columns ? x : NULL);
	}
	free(c->statics);
	c->statics = s;
	c->cap_statics = c->n_statics + 1;
	static_number_memory(c);
	c->mem = xcalloc(c->n_mem + 1, sizeof(c->mem[0]));
	number_runs(p, to);
	parsed_reserve(p);
	free(o);
	free(to);
	p->part.n_insts = p->n_rec;
	find_equal_paths(p);
}

bool parsed_has_odd_blocks(const struct parsed *p)
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

void part_read_position(struct cur *in, struct part *p)
{
	p->first_block = mp_get_uint(in, UINT64_MAX);
	for (int i = 0; i < 3; i++)
		p->grid[i] = (uint32_t)mp_get_uint(in, UINT32_MAX);
	p->threads = (uint32_t)mp_get_uint(in, pack_limits.threads);
}

static void pcode_free(struct pcode *c)
{
	free(c->statics);
	free(c->mem);
	free(c->pattern);
	free(c->area);
	code_tables_free(c->tables);
	buf_free(&c->text);
	*c = (struct pcode){0};
}

void part_free(struct part *p)
{
	pcode_free(&p->code);
	free(p->span);
	*p = (struct part){0};
}

/* Frees the tables that belong to one part. */
static void free_part_numbers(struct parsed *p)
{
	free(p->slot);
	free(p->path);
	free(p->met_static);
	free(p->static_of);
	free(p->next_payload);
	free(p->columns);
}

void parsed_clear(struct parsed *p)
{
	struct parsed q = {.tb = p->tb,
		.cap_tb = p->cap_tb,
		.warp = p->warp,
		.cap_warp = p->cap_warp,
		.run = p->run,
		.cap_run = p->cap_run,
		.payload = p->payload,
		.cap_payloads = p->cap_payloads,
		.addr = p->addr,
		.cap_addr = p->cap_addr,
		.text = p->text};

	part_free(&p->part);
	free_part_numbers(p);
	*p = q;
	p->text.n = 0;
}

void parsed_free(struct parsed *p)
{
	part_free(&p->part);
	free_part_numbers(p);
	free(p->tb);
	free(p->warp);
	free(p->run);
	free(p->payload);
	free(p->addr);
	buf_free(&p->text);
	*p = (struct parsed){0};
}

/* ---- bytes of the part itself -------------------------------------------------------------- */

void part_pack(struct buf *out, const struct part *p)
{
	mp_uint(out, p->n_blocks);
	mp_uint(out, p->n_spans);
	for (uint32_t i = 0; i < p->n_spans; i++) {
		mp_uint(out, p->span[i].insts);
		if (p->n_spans > 1)
			mp_uint(out, p->span[i].blocks);
	}
	mp_uint(out, p->threads ? 0 : p->warps);
	code_pack(out, p);
	uint32_t used = 0;
	for (uint32_t i = 0; i < p->n_spans; i++)
		for (int k = 1; k < COL_STORED; k++)
			used |= (uint32_t)(p->span[i].len[k] != 0) << k;
	mp_uint(out, used >> 1);
	for (int k = 1; k < COL_STORED; k++)
		for (uint32_t i = 0; used >> k & 1 && i < p->n_spans; i++)
			mp_uint(out, p->span[i].len[k]);
}

bool part_unpack(struct cur *in, struct part *p, struct block_remaining *remaining, uint64_t used[N_COLUMNS])
{
	uint64_t blocks = 0;

	p->n_blocks = (uint32_t)mp_get_uint(in, NONE - 1);
	p->n_spans = (uint32_t)mp_get_uint(in, remaining->spans);
	if (in->bad || p->n_spans > cur_left(in))
		return false;
	remaining->spans -= p->n_spans;
	p->span = xcalloc(p->n_spans + 1, sizeof(p->span[0]));
	for (uint32_t i = 0; i < p->n_spans; i++) {
		p->span[i].insts = (uint32_t)mp_get_uint(in, pack_limits.insts);
		p->span[i].blocks = p->n_spans > 1 ? (uint32_t)mp_get_uint(in, p->n_blocks) : p->n_blocks;
		p->n_insts += p->span[i].insts;
		blocks += p->span[i].blocks;
	}
	p->warps = (uint32_t)mp_get_uint(in, pack_limits.warps);
	if (p->threads)
		p->warps = (p->threads + 31) / 32;
	if (in->bad || blocks != p->n_blocks || !code_unpack(in, p, remaining))
		return false;
	uint64_t mask = mp_get_uint(in, UINT32_MAX) << 1;
	for (int k = 1; k < COL_STORED; k++) {
		for (uint32_t i = 0; mask >> k & 1 && i < p->n_spans; i++) {
			p->span[i].len[k] = (uint32_t)mp_get_uint(in, pack_limits.columns);
			p->span[i].offset[k] = used[k];
			used[k] += p->span[i].len[k];
		}
	}
	flow_assign_slots(&p->code);
	return !in->bad;
}
