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

static void count_access(struct census *c, const struct recorded *g, const struct inst *in)
{
	uint64_t lane[32], t[32];
	const uint64_t *a = g->mask && tally_wants_lanes(in) ? recorded_list(g, t) : lane;
	unsigned n = 0;

	if (a != lane && g->mask != UINT32_MAX) {
		FOR_BITS32 (l, g->mask)
			lane[l] = a[n++];
		a = lane;
	}
	tally_access(&c->tally, in, a, g->mask);
}

static void count_warp(struct census *c, const struct parsed *p, const struct pwarp *w, const struct inst *in)
{
	const struct pack_more *more = p->more + w->more;

	for (const struct pack_run *r = p->run + w->first, *end = r + w->n_runs; r < end; r++) {
		c->tally.lanes += (uint64_t)r->n * bit_count32(r->mask);
		for (uint32_t i = r->id; i < r->id + r->n; i++) {
			const struct inst *x = &in[p->to[i]];

			c->tally.of_class[x->class]++;
			if (x->has_addr) {
				struct recorded g = recorded_of(p->addr + w->word, more->addr, r->mask);

				count_access(c, &g, x);
			}
			more += p->next_more[i] == i;
		}
	}
}

void census_add_part(struct census *c, const struct parsed *p, const struct isa *isa, int binary)
{
	const struct part *part = &p->part;
	const struct pcode *code = &part->code;
	int arch = isa_arch_of(binary);
	struct inst *in = xcalloc(code->n + 1, sizeof(*in));

	*c = (struct census){.known = arch >= 0 && part_dialect(part) == DIALECT_SASS,
		.blocks = part->n_blocks,
		.insts = p->n_rec};
	for (uint32_t i = 0; i < code->n && c->known; i++) {
		in[i].arch = (uint8_t)arch;
		c->known = decode_static(&in[i], part, &code->s[i], isa);
	}
	for (uint32_t i = 0; i < p->n_warp && c->known; i++)
		count_warp(c, p, &p->warp[i], in);
	free(in);
}
