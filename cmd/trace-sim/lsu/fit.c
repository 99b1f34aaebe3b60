/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ends the run at an access that the caches of the configuration can never serve. The original aborts or hangs at such
 * an access. Kernels without such an access run.
 */
#include "threads/catch.h"
#include "ldst_int.h"
#include "sm/kernel.h"

static void check_access_size(const struct sm *s, const struct winst *w, uint32_t most, const char *where)
{
	const struct access_list *l = &s->ldst->accesses;

	for (uint32_t i = 0; i < l->n; i++)
		if (l->access[i].size > most)
			sm_fatal(s, w, "access",
				"access of %u bytes by the instruction at pc 0x%x (expected at most the %u of %s, -gpgpu_coalesce_arch %u)",
				l->access[i].size, w->uop->pc, most, where, s->core->coalesce_arch);
}

/*
 * Checks the accesses of an instruction if an MSHR entry of the L1 waits for one reply per line, but the L2 replies
 * sector by sector.
 */
static void check_fill_in_sectors(const struct sm *s, const struct winst *w)
{
	const struct cache_params *l1 = &s->core->l1d;

	if (w->uop->flags & UOP_LOAD || l1->walloc != WALLOC_NONE)
		sm_fatal(s, w, "access",
			"the instruction at pc 0x%x makes the L1 request %u bytes, to which the L2 replies in sectors (expected MSHR kind S, -gpgpu_cache:dl1)",
			w->uop->pc, l1->atom_bytes);
	check_access_size(s, w, 32, "a sector, in which the L2 acknowledges,");
}

/*
 * Checks accesses to an L1 with MSHR kind S. An MSHR entry of this kind waits for all sectors of a line. The L2 replies
 * to a request of 128 bytes with four sectors, to a shorter one with the sectors of the access, and to a request of one
 * sector with one reply.
 */
static void check_sector_mshr(const struct sm *s, const struct winst *w)
{
	const struct cache_params *l1 = &s->core->l1d, *l2 = &s->params->mem.l2;
	bool whole = l1->atom_bytes <= 32 || !l2->present || l2->kind != CACHE_SECTOR || s->core->perfect_mem;
	const struct access_list *l = &s->ldst->accesses;

	if (!(w->uop->flags & UOP_LOAD) && l1->walloc == WALLOC_NONE)
		return;
	if (whole)
		sm_fatal(s, w, "access",
			"the instruction at pc 0x%x misses in the L1, whose replies do not come in sectors (expected MSHR kind A, -gpgpu_cache:dl1)",
			w->uop->pc);
	for (uint32_t i = 0; i < l->n && l1->line_bytes < 128; i++)
		if (32 * bit_count32(l->access[i].sectors) != l1->line_bytes)
			sm_fatal(s, w, "access",
				"the instruction at pc 0x%x reads %u sector%s of an L1 line of %u bytes, and MSHR kind S waits for all (expected MSHR kind A, -gpgpu_cache:dl1)",
				w->uop->pc, bit_count32(l->access[i].sectors),
				bit_count32(l->access[i].sectors) == 1 ? "" : "s", l1->line_bytes);
}

void fit_check_accesses(const struct sm *s, const struct winst *w, bool to_l1)
{
	const struct cache_params *l2 = &s->params->mem.l2;
	uint32_t unfit = s->core->unfit;

	if (unfit & UNFIT_L2)
		sm_fatal(s, w, "access",
			"the memory request of the instruction at pc 0x%x cannot enter the L2 (expected at least 4 entries in the first queue, -gpgpu_dram_partition_queues)",
			w->uop->pc);
	if (!to_l1 && unfit & UNFIT_L2_BYTES)
		check_access_size(
			s, w, l2->kind == CACHE_SECTOR ? 32 : l2->line_bytes, "an access past the L1");
	if (to_l1 && unfit & UNFIT_L1_BYTES)
		check_access_size(s, w, s->core->l1d.atom_bytes, "an L1 sector");
	if (to_l1 && unfit & UNFIT_L1_FILL)
		check_fill_in_sectors(s, w);
	if (to_l1 && unfit & UNFIT_L1_PIECES)
		check_sector_mshr(s, w);
}

/*
 * Ends the run. The instruction may have left the pipeline, so the message has the kernel's file and the pc instead of
 * the line of the record.
 */
void fit_die_rejected_access(const struct sm *s, const struct req *r, enum cache_never why)
{
	struct fault f;

	fault_set(&f, (struct place){.file = s->cta[s->warp[r->warp].cta].kernel->path}, "access",
		"the L1 never accepts a %s of the instruction at pc 0x%x (expected %s, -gpgpu_cache:dl1)",
		r->flags & REQ_WRITE ? "write" : "read", s->uops[r->code].pc, cache_never_wanted[why]);
	catch_raise_fault(&f);
}
