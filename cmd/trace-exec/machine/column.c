/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Columns of bulk and tensor copies in a trace: size of an element, mbarrier, blocks, bytes, addresses.
 *
 * Always true: the addresses are in global memory, one for each copied element: an element of a tensor, or 16 bytes of
 * a bulk copy. The operands are in the scratch vectors of the frame, where the copy left them.
 */
#include <string.h>
#include "machine/code.h"
#include "sem/async.h"

#define BULK_UNIT    16u  /* bytes of an element of a bulk copy */
#define NUMBER_BYTES 128u /* enough bytes for the text of a number */

/* A column of addresses: the first address, then the difference of each further address to the one before. */
struct copy_column {
	struct text *out;
	uint64_t bytes;        /* bytes of an element */
	uint64_t n_left;       /* elements that are not written yet */
	uint64_t count;        /* elements of the column */
	uint64_t last_address; /* address that was written last */
};

static void append_words(struct text *t, const char *words)
{
	size_t n = strlen(words);

	text_reserve(t, n);
	memcpy(t->p + t->n, words, n);
	t->n += n;
}

static void append_number(struct text *t, int64_t v)
{
	text_reserve(t, NUMBER_BYTES);
	t->n = (size_t)(text_put_number(t->p + t->n, v) - t->p);
}

static void append_hex(struct text *t, uint64_t v, unsigned digits)
{
	append_words(t, "0x");
	text_reserve(t, NUMBER_BYTES);
	t->n = (size_t)(text_put_hex(t->p + t->n, v, digits) - t->p);
}

/* Writes the addresses of n elements starting at addr. */
static void write_copied_addresses(void *ctx, uint64_t addr, uint64_t n)
{
	struct copy_column *c = ctx;

	for (uint64_t i = 0; i < n && c->n_left; i++, c->n_left--) {
		uint64_t at = addr + i * c->bytes;

		if (c->n_left == c->count) {
			append_hex(c->out, at, 1);
			append_words(c->out, " ");
			append_number(c->out, (int64_t)c->count);
		} else {
			append_words(c->out, " ");
			append_number(c->out, (int64_t)(at - c->last_address));
		}
		c->last_address = at;
	}
}

/* Writes the columns before the addresses. outside: number of bytes outside the tensor. */
static void write_copy_columns(struct warp *w, uint32_t mbarrier, const struct targets *t, unsigned lane,
	uint64_t element, uint64_t bytes, uint64_t outside)
{
	struct text *out = &w->out;

	append_number(out, (int64_t)element);
	append_words(out, " ");
	append_hex(out, mbarrier, 8);
	append_words(out, t->mask ? " 1 " : " 0 ");
	if (t->mask) {
		append_hex(out, REG(u16, w, t->mask)[lane], 4);
		append_words(out, " ");
	}
	append_number(out, (int64_t)bytes);
	append_words(out, " ");
	append_number(out, (int64_t)outside);
	append_words(out, " 4 ");
}

static const char no_copy[] = "0 0x0 0 0 0 4 0x0 0";

/*
 * Returns the address of the mbarrier in the uniform registers of the destination, or 0 if there is no
 * mbarrier.
 */
static uint32_t mbarrier_in_register(const struct warp *w, const struct op *o, const struct targets *t)
{
	return t->reports ? REG(u32, w, o->d + VECTOR)[uniform_lane(w)] : 0;
}

bool column_write_bulk(struct warp *w, const struct op *o, int lane)
{
	const struct bulk *x = o->x->family;
	uint32_t slot = x->source.space == SP_GLOBAL ? x->source.slot : x->targets.target.slot;

	column_write_bulk_at(w, x, lane, mbarrier_in_register(w, o, &x->targets),
		REG(u64, w, slot)[lane < 0 ? 0 : (unsigned)lane]);
	return true;
}

void column_write_bulk_at(struct warp *w, const struct bulk *x, int lane, uint32_t mbarrier, uint64_t global)
{
	struct copy_column c = {.out = &w->out, .bytes = BULK_UNIT};
	bool in_global = x->source.space == SP_GLOBAL || x->targets.target.space == SP_GLOBAL;

	if (lane < 0) {
		append_words(&w->out, no_copy);
		return;
	}
	uint64_t bytes = REG(u32, w, x->bytes)[lane];

	c.count = c.n_left = in_global ? bytes / BULK_UNIT : 0;
	write_copy_columns(w, mbarrier, &x->targets, (unsigned)lane, BULK_UNIT, bytes, 0);
	if (c.count)
		write_copied_addresses(&c, global, c.count);
	else
		append_words(&w->out, "0x0 0");
}

bool column_write_tensor(struct warp *w, const struct op *o, int lane)
{
	const struct tensor_copy *x = o->x->family;

	return column_write_tensor_at(w, o, lane, mbarrier_in_register(w, o, &x->targets));
}

bool column_write_tensor_at(struct warp *w, const struct op *o, int lane, uint32_t mbarrier)
{
	const struct tensor_copy *x = o->x->family;
	struct tensor_extent e;

	if (lane < 0) {
		append_words(&w->out, no_copy);
		return true;
	}
	if (!tensor_copy_lines(w, o, (unsigned)lane, &e, NULL, NULL))
		return false;
	struct copy_column c = {.out = &w->out, .bytes = e.bytes, .count = e.n_inside, .n_left = e.n_inside};

	write_copy_columns(w, mbarrier, &x->targets, (unsigned)lane, e.bytes, e.elements * e.bytes,
		(e.elements - e.n_inside) * e.bytes);
	if (c.count)
		return tensor_copy_lines(w, o, (unsigned)lane, &e, write_copied_addresses, &c);
	append_words(&w->out, "0x0 0");
	return true;
}
