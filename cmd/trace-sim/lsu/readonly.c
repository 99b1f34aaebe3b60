/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Accesses to constants, to the parameters of a kernel and to textures through read-only caches, one line at a time.
 * Only kernels from PTX make such accesses. The caches are created for the first kernel from PTX.
 *
 * Always true: with -gpgpu_perfect_inst_const_cache, constants need no access. A hit in the constant cache returns at
 * once, but the registers are released only when the instruction leaves DISP.
 */
#include <string.h>
#include "cache/texture.h"
#include "threads/catch.h"
#include "ldst_int.h"

void ldst_create_readonly_caches(struct sm *s)
{
	struct ldst *l = s->ldst;
	const struct core_params *c = s->core;

	if (!l->l1c && c->l1c.present && !c->perfect_icache)
		l->l1c = cache_new(&c->l1c, ROLE_L1C, NULL, s->reqs);
	if (!l->l1t && c->l1t.present)
		l->l1t = texture_new(&c->l1t, s->reqs);
	l->readonly = l->l1c || l->l1t;
}

/* Marks n bytes starting at `offset`, except bytes beyond the line of 128 bytes. */
static void mark_line_bytes(uint64_t bytes[2], unsigned offset, unsigned n)
{
	for (; n && offset < 128; n--, offset++)
		bytes[offset / 64] |= 1ull << offset % 64;
}

void readonly_generate_accesses(struct sm *s, const struct winst *w, struct access_list *out)
{
	const struct tblock *tb = &s->cta[w->cta].block;
	const struct cache *cache = w->space == SPACE_TEX ? s->ldst->l1t : s->ldst->l1c;
	const struct cache_params *p = w->space == SPACE_TEX ? &s->core->l1t : &s->core->l1c;
	const struct fault *refused = w->space == SPACE_TEX ? &s->core->no_textures : &s->core->no_constants;
	uint64_t lane[32], bytes[2] = {0, 0};

	if (!cache)
		return;
	if (refused->id)
		catch_raise_fault(refused);
	rec_addresses(tb, &w->record, lane);
	out->lane0 = lane[0];
	FOR_BITS32 (i, w->mask) {
		uint64_t line = lane[i] & ~(uint64_t)(p->line_bytes - 1);
		uint32_t k = out->n;

		mark_line_bytes(bytes, (unsigned)(lane[i] - line), w->uop->size);
		while (k && out->access[k - 1].addr > line)
			k--;
		if (k && out->access[k - 1].addr == line) {
			out->access[k - 1].lanes |= 1u << i;
			continue;
		}
		memmove(&out->access[k + 1], &out->access[k], (out->n++ - k) * sizeof(out->access[0]));
		out->access[k] = (struct access){.addr = line,
			.lanes = 1u << i,
			.size = (uint16_t)p->line_bytes,
			.type = w->space == SPACE_TEX ? TEXTURE_ACC_R : CONST_ACC_R};
	}
	for (uint32_t i = 0; i < out->n; i++)
		memcpy(out->access[i].bytes, bytes, sizeof(bytes));
}

enum stall_reason readonly_issue_access(struct sm *s)
{
	struct ldst *l = s->ldst;
	const struct winst *w = &s->winst[l->disp_inst];
	uint32_t r = ldst_make_request(s, &l->accesses.access[l->accesses.n - 1]);
	bool texture = w->space == SPACE_TEX;
	enum cache_status st =
		texture ? texture_access(l->l1t, r, s->now) : cache_read_only_access(l->l1c, r, s->now);

	if (st == STATUS_RESERVATION_FAIL) {
		req_free(s->reqs, r);
		s->n.cmem_conflict += !texture;
		return STALL_BK_CONF;
	}
	if (st == STATUS_HIT) {
		req_free(s->reqs, r);
		pend_count_hit(s, w->uop, w->warp);
	}
	if (!--l->accesses.n)
		return STALL_NONE;
	s->n.cmem_conflict += !texture;
	return STALL_COAL;
}

static void try_to_send_miss(struct sm *s, struct cache *c, uint32_t bytes)
{
	if (!cache_miss_queue_empty(c) && inject_can_push_bytes(s, bytes, false))
		inject(s, cache_miss_queue_pop(c));
}

void readonly_step(struct sm *s)
{
	struct ldst *l = s->ldst;

	if (l->l1t && texture_has_work(l->l1t)) {
		try_to_send_miss(s, l->l1t, 8);
		texture_cycle(l->l1t);
	}
	if (l->l1c) {
		if (!cache_miss_queue_empty(l->l1c))
			try_to_send_miss(s, l->l1c, ldst_req(s, cache_miss_queue_front(l->l1c))->size + 8u);
		cache_end_cycle(l->l1c);
	}
}

bool readonly_has_work(const struct ldst *l)
{
	if (l->l1t && texture_has_work(l->l1t))
		return true;
	return l->l1c &&
	       (!cache_miss_queue_empty(l->l1c) || cache_has_ready(l->l1c) || !cache_ports_idle(l->l1c));
}

unsigned readonly_ready_clients(const struct ldst *l)
{
	unsigned texture = l->l1t && texture_has_ready(l->l1t), constant = l->l1c && cache_has_ready(l->l1c);

	return texture << CLIENT_TEXTURE | constant << CLIENT_CONST;
}

uint32_t readonly_pop_ready(struct ldst *l, enum client c)
{
	return c == CLIENT_TEXTURE ? texture_pop_ready(l->l1t) : cache_pop_ready(l->l1c);
}

bool readonly_handle_response(struct sm *s, uint32_t handle)
{
	struct ldst *l = s->ldst;

	if (ldst_req(s, handle)->type == TEXTURE_ACC_R) {
		texture_fill(l->l1t, handle);
		return true;
	}
	if (!cache_fill_port_free(l->l1c))
		return false;
	cache_fill(l->l1c, handle, s->now);
	return true;
}
