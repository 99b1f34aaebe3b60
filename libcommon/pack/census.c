/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts of a piece from its parsed records. They equal the counts that a reader of the kernel would compute.
 *
 * Pieces of traces from PTX, and pieces with architectures or lines that only the text reader understands, have no
 * counts.
 */
#include "addr.h"
#include "directory.h"
#include "trace/code.h"

/*
 * Decodes the fields of a static instruction that counting needs. Returns false if only the text reader can decode
 * it.
 */
static bool decode_static(
	struct inst *in, const struct part *p, const struct pstatic *s, const struct isa *isa)
{
	size_t n;
	const char *opcode = pstatic_opcode(p, s, &n);

	if (!opcode)
		return false;
	code_classify(in, isa, opcode, n);
	in->has_addr = s->flags & ST_MEM;
	return in->size || !in->has_addr;
}

struct counted { /* a static instruction */
	struct inst in;
	bool lanes; /* addresses of its accesses are counted */
};

static void count_access(struct census *c, const struct recorded *g, const struct inst *in)
{
	uint64_t lane[32], t[32];
	unsigned n = 0;

	if (g->line && tally_line(&c->tally, in, g->w[0], g->w[1], g->n))
		return;
	const uint64_t *a = recorded_list(g, t);
	if (g->mask != UINT32_MAX) {
		FOR_BITS32 (l, g->mask)
			lane[l] = a[n++];
		a = lane;
	}
	tally_access(&c->tally, in, a, g->mask);
}

/* Counts what is the same in all warps with the path of w, which is the first of them. */
static void count_path(
	struct census *c, const struct parsed *p, const struct pwarp *w, const struct counted *of)
{
	struct tally once = {.lanes = 0};

	for (const struct pack_run *r = p->run + w->first, *end = r + w->n_runs; r < end; r++) {
		c->tally.lanes += (uint64_t)w->weight * r->n * bit_count32(r->mask);
		for (uint32_t i = r->id; i < r->id + r->n; i++) {
			const struct counted *x = &of[p->to[i]];

			c->tally.of_class[x->in.class] += w->weight;
			if (x->in.has_addr && !x->lanes)
				tally_access(&once, &x->in, NULL, r->mask);
		}
	}
	c->tally.shared += w->weight * once.shared;
}

/* Counts the accesses of a warp whose addresses count. */
static void count_accesses(
	struct census *c, const struct parsed *p, const struct pwarp *w, const struct counted *of)
{
	const struct pack_more *more = p->more + w->more;

	for (const struct pack_run *r = p->run + w->first, *end = r + w->n_runs; r < end; r++)
		for (uint32_t i = p->next_more[r->id]; i < r->id + r->n; i = p->next_more[i + 1], more++) {
			const struct counted *x = &of[p->to[i]];

			if (r->mask && x->lanes) {
				struct recorded g = recorded_of(p->addr + w->word, more->addr, r->mask);

				count_access(c, &g, &x->in);
			}
		}
}

void census_add_part(struct census *c, const struct parsed *p, const struct isa *isa, int binary)
{
	const struct part *part = &p->part;
	const struct pcode *code = &part->code;
	int arch = isa_arch_of(binary);
	struct counted *of = xcalloc(code->n + 1, sizeof(*of));

	*c = (struct census){.known = arch >= 0 && part_dialect(part) == DIALECT_SASS,
		.blocks = part->n_blocks,
		.insts = p->n_rec};
	for (uint32_t i = 0; i < code->n && c->known; i++) {
		of[i].in.arch = (uint8_t)arch;
		c->known = decode_static(&of[i].in, part, &code->s[i], isa);
		of[i].lanes = tally_wants_lanes(&of[i].in);
	}
	for (uint32_t i = 0; i < p->n_warp && c->known; i++) {
		if (p->warp[i].like == i)
			count_path(c, p, &p->warp[i], of);
		count_accesses(c, p, &p->warp[i], of);
	}
	free(of);
}
