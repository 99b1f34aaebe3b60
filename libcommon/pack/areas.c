/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Derivation of areas from the reaches of memory instructions, and conversion of areas to bytes.
 *
 * Always true: reaches that overlap, or that are less than AREA_GAP bytes apart, are in one area. The reader adds the
 * number that the writer subtracts, so any choice of areas gives the same addresses.
 */
#include "areas.h"

#define SHORT_ADDRESS 6u   /* number of bytes of an address, unless the part has a longer one */
#define AREA_GAP      256u /* smallest alignment of buffers, in bytes, by allocators of GPUs */

struct reach_order {
	struct mem_reach reach;
	uint32_t mem; /* number of the memory instruction */
};

static int compare_reaches(const void *a, const void *b)
{
	const struct reach_order *x = a, *y = b;

	if (x->reach.lowest != y->reach.lowest)
		return x->reach.lowest < y->reach.lowest ? -1 : 1;
	return x->mem < y->mem ? -1 : 1;
}

/*
 * Numbers areas in the order of the memory instructions. An instruction without a reach gets the area of the
 * instruction before it. o is the reaches, grouped by area; first is the offset of each instruction's group, or NONE.
 */
static void number_areas(struct pcode *c, const struct reach_order *o, const uint32_t *first)
{
	uint32_t *number = xcalloc(c->n_mem + 1u, sizeof(number[0])), last = 0;

	for (uint32_t m = 0; m < c->n_mem; m++) {
		if (first[m] != NONE && !number[first[m]]) {
			c->area[c->n_areas] = o[first[m]].reach.lowest;
			number[first[m]] = ++c->n_areas;
		}
		c->mem[m].area = last = first[m] == NONE ? last : number[first[m]] - 1;
	}
	free(number);
}

void areas_find(struct pcode *c, const struct mem_reach *reach)
{
	struct reach_order *o = xcalloc(c->n_mem + 1u, sizeof(o[0]));
	uint32_t *first = xcalloc(c->n_mem + 1u, sizeof(first[0]));
	uint64_t most = 0;
	uint32_t n = 0, from = 0;

	for (uint32_t m = 0; m < c->n_mem; m++) {
		first[m] = NONE;
		if (reach[m].has_address)
			o[n++] = (struct reach_order){reach[m], m};
	}
	qsort(o, n, sizeof(o[0]), compare_reaches);
	for (uint32_t i = 0; i < n; i++) {
		const struct mem_reach *r = &o[i].reach;
		bool same = i && (r->lowest <= most || r->lowest - most < AREA_GAP);

		first[o[i].mem] = from = same ? from : i;
		most = same && most > r->highest ? most : r->highest;
	}
	c->area = xcalloc(c->n_mem + 1u, sizeof(c->area[0]));
	number_areas(c, o, first);
	free(first);
	free(o);
}

uint64_t area_origin(const struct pcode *c, uint32_t m, const struct recipe *r)
{
	uint64_t begin = c->area[c->mem[m].area];

	if (r->op != OP_ADD)
		return begin;
	uint64_t from = c->area[c->mem[r->ref].area];
	return begin - (r->shift >= 0 ? from << r->shift : from >> -r->shift);
}

void areas_pack(struct buf *out, const struct pcode *c)
{
	bool wide = false;

	for (uint32_t k = 0; k < c->n_areas; k++)
		wide |= c->area[k] >> 8 * SHORT_ADDRESS != 0;
	buf_var(out, 2 * (uint64_t)c->n_areas + wide);
	for (uint32_t k = 0; k < c->n_areas; k++)
		for (unsigned i = 0; i < (wide ? 8 : SHORT_ADDRESS); i++)
			buf_byte(out, (uint8_t)(c->area[k] >> 8 * i));
	for (uint32_t m = 0, n = 0; m < c->n_mem; m++) {
		uint32_t k = c->mem[m].area;

		buf_var(out, n - k);
		n += n == k;
	}
}

bool areas_unpack(struct cur *in, struct pcode *c)
{
	uint64_t v = cur_var(in), n = v >> 1;

	if (in->bad || !n || n > c->n_mem)
		return false;
	c->area = xcalloc(n, sizeof(c->area[0]));
	c->n_areas = (uint32_t)n;
	for (uint32_t k = 0; k < c->n_areas; k++)
		for (unsigned i = 0; i < (v & 1 ? 8 : SHORT_ADDRESS); i++)
			c->area[k] |= (uint64_t)cur_byte(in) << 8 * i;
	for (uint32_t m = 0, known = 0; m < c->n_mem; m++) {
		uint64_t back = cur_var(in), k = known - back;

		if (back > known || k >= n)
			return false;
		c->mem[m].area = (uint32_t)k;
		known += !back;
	}
	return !in->bad;
}
