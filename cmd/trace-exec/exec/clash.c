/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stores whose lanes write different values to one address, without a volatile or ordered access. PTX does not
 * define which value remains; here it is the value of the highest lane.
 *
 * Programs may do this on purpose, if any of the values is acceptable. So the report is a warning, once per
 * kernel. Always true: the reported clash is the first one in the lowest block that has one, regardless of
 * which thread executes which block. Stores are aligned, so two lanes store to the same bytes or to disjoint
 * ones.
 */
#include <stdio.h>
#include <string.h>
#include "exec/check.h"
#include "exec/lanes.h"

#define SLOTS 64u /* slots of a hash table of addresses: twice the lanes */

/* Returns true if lanes a and b store the same value, which is the first `bytes` bytes of a register. */
static bool is_same_value(
	const struct warp *w, uint32_t slot, unsigned reg_bytes, unsigned bytes, uint32_t a, uint32_t b)
{
	unsigned part = reg_bytes > 8 ? 8 : reg_bytes;

	for (const uint8_t *r = w->frame + slot; bytes; r += LANES * part) {
		unsigned n = bytes < part ? bytes : part;

		if (memcmp(r + a * part, r + b * part, n))
			return false;
		bytes -= n;
	}
	return true;
}

static bool is_same_store(const struct warp *w, const struct op *o, uint32_t a, uint32_t b)
{
	if (o->n == 1)
		return is_same_value(w, o->d, o->reg_bytes, o->bytes, a, b);
	for (unsigned k = 0; k < o->n; k++)
		if (!is_same_value(w, o->x->slot[k], o->x->bytes[k], o->bytes, a, b))
			return false;
	return true;
}

bool clash_is_store_redundant(const struct warp *w, const struct op *o, uint32_t lane, const uint8_t *at)
{
	for (unsigned k = 0; k < o->n; k++, at += o->bytes) {
		unsigned width = o->n == 1 ? o->reg_bytes : o->x->bytes[k], part = width > 8 ? 8 : width;
		const uint8_t *r = w->frame + (o->n == 1 ? o->d : o->x->slot[k]);

		for (unsigned done = 0; done < o->bytes; done += part, r += LANES * part)
			if (memcmp(r + lane * part, at + done,
				    o->bytes - done < part ? o->bytes - done : part))
				return false;
	}
	return true;
}

/*
 * Returns the offset of `at` in the block's shared memory, or its address in global memory, or UINT64_MAX if it
 * is in neither.
 */
static uint64_t address_of_clash(const struct warp *w, uint32_t lane, const uint8_t *at, bool *shared)
{
	uintptr_t off = (uintptr_t)at - (uintptr_t)w->cta->shared;
	const struct memory *m = w->mem;

	*shared = off < w->cta->shared_bytes;
	if (*shared)
		return off;
	return (uintptr_t)at - (uintptr_t)m->heap < m->heap_bytes ||
			       (uintptr_t)at - (uintptr_t)m->statics < m->static_bytes
		       ? w->addr[lane]
		       : UINT64_MAX;
}

static void report_clash(struct warp *w, const struct op *o, uint32_t lane, uint32_t other, const uint8_t *at)
{
	bool shared;
	uint64_t place = address_of_clash(w, lane, at, &shared);

	if (place != UINT64_MAX)
		w->cta->clash = (struct clash){bound_original(w->cta->grid->code, o), place, w->index,
			(uint8_t)lane, (uint8_t)other, shared};
}

void clash_check_store(struct warp *w, const struct op *o, uint32_t m, uint8_t *const *at)
{
	uint8_t first[SLOTS] = {0}; /* first lane with the address, plus 1 */

	if (w->cta->clash.op || op_uses_frame(o) || o->space == SP_LOCAL || lanes_are_ascending(at, m) ||
		stmt_has(o->stmt, M_VOLATILE) || stmt_has(o->stmt, M_RELAXED) ||
		stmt_has(o->stmt, M_RELEASE) || stmt_has(o->stmt, M_MMIO))
		return;
	FOR_BITS32 (i, m) {
		uint32_t k = (uint32_t)((uintptr_t)at[i] * 0x9e3779b97f4a7c15u >> 58);

		while (first[k] && at[first[k] - 1] != at[i])
			k = (k + 1) % SLOTS;
		if (first[k] && !is_same_store(w, o, first[k] - 1u, i)) {
			report_clash(w, o, first[k] - 1u, i, at[i]);
			return;
		}
		first[k] = first[k] ? first[k] : (uint8_t)(i + 1);
	}
}

void clash_report(const struct cta *c)
{
	const struct clash *x = &c->clash;
	struct func *k = c->grid->code->prog->func[c->grid->kernel];
	char where[160], kernel[KERNEL_MAX], line[LINES_MAX];

	if (!x->op || k->clash_reported)
		return;
	k->clash_reported = true;
	const struct buffer *b = x->is_shared ? NULL : memory_nearest_buffer(c->grid->mem, x->place);
	if (x->is_shared)
		snprintf(where, sizeof(where), "byte %llu of .shared", (unsigned long long)x->place);
	else
		snprintf(where, sizeof(where), "byte %llu of '%s'",
			(unsigned long long)(x->place - (b ? b->addr : 0)), b ? b->name : "memory");
	position_kernel_text(c->grid->launch->kernel, kernel);
	position_instruction_text(x->op, line, sizeof(line));
	diag_warn(stmt_place(x->op->func, x->op->stmt),
		"race: lanes %u and %u of warp %u write different values to %s, of CTA (%u,%u,%u) (expected one lane to write, or an atomic) (%s%s)",
		x->lane, x->other_lane, x->warp, where, c->id[0], c->id[1], c->id[2], kernel, line);
}
