/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the deadlock report: for each unfinished warp, the reason for its wait and its line in the trace.
 * The report changes no state. It is printed once, so linear searches are acceptable.
 */
#include "run.h"
#include "sm/mbarrier.h"

#define REPORT_WARPS 200 /* maximum number of warps listed; further warps are only counted */

static const char *wait_reason(const struct sm *s, unsigned w)
{
	uint64_t bit = 1ull << w;

	if (s->at_barrier & bit)
		return "a barrier";
	if (s->membar & bit)
		return "a memory barrier";
	if (s->atomic_wait & bit)
		return "an atomic's reply";
	if (s->maxreg_wait & bit)
		return "registers of other warps (USETMAXREG)";
	if (s->gmma_wait & bit)
		return "groups of matrix products (WARPGROUP.DEPBAR)";
	if (s->sync_wait & bit)
		return s->warp[w].sync.waits_for_groups ? "groups of bulk copies (DEPBAR)" : "an mbarrier";
	if (s->gang_wait & bit)
		return "the barrier of its cluster (UCGABAR_WAIT)";
	if (s->grid_wait & bit)
		return "the end of the kernel before it in its stream (ACQBULK)";
	if (s->dep_wait & bit)
		return "LDGSTS groups (DEPBAR)";
	if (s->imiss & bit)
		return "the instruction cache";
	if (s->done & bit)
		return s->warp[w].stores ? "store acknowledgements" : "its instructions in the pipeline";
	if (s->hazard & bit)
		return "registers";
	if (!(s->ibuf & bit))
		return "instruction fetch";
	return "a pipeline register or function unit";
}

static void print_awaited_registers(const struct sm *s, unsigned w, FILE *out)
{
	const char *before = ": ";

	for (unsigned r = 1; r < s->reg_limit; r++) {
		if (!bitset_test(s->warp[w].reserved, r))
			continue;
		fprintf(out, "%s%s%u", before, r >= REG_UR0 ? "UR" : "R",
			r >= REG_UR0 ? r - REG_UR0 : r - REG_R0);
		if (ldst_outstanding_accesses(s, w, r))
			fprintf(out, " (%u accesses outstanding)", ldst_outstanding_accesses(s, w, r));
		before = ", ";
	}
}

static void print_awaited_mbarrier(const struct sm *s, unsigned w, FILE *out)
{
	struct mbarrier_view v;

	if (!mbarrier_get_awaited(s, w, &v))
		return;
	fprintf(out, " at 0x%llx", (unsigned long long)v.address);
	if (v.initialised)
		fprintf(out, ": phase %u, %lld of %lld arrivals, %lld bytes to come", v.phase,
			(long long)v.arrived, (long long)v.expected_arrivals, (long long)v.bytes);
	else
		fputs(", which is not initialised", out);
}

static void print_awaited_barrier(const struct sm *s, unsigned w, FILE *out)
{
	unsigned id = s->warp[w].barrier;

	fprintf(out, ": number %u, at which %u warps have arrived", id,
		bit_count64(s->cta[s->warp[w].cta].arrived[id]));
}

static void print_waiting_warp(const struct sm *s, unsigned w, FILE *out)
{
	const struct warp *p = &s->warp[w];
	const struct cta *c = &s->cta[p->cta];
	uint32_t line = p->cursor - p->buffered;
	const struct warp_recs *recs = &c->block.warp[w - c->first_thread / 32];

	fprintf(out, "%s:%llu: SM %u warp %u (thread block %llu): waits for %s", c->kernel->path,
		(unsigned long long)recs->line + line, s->id, w, (unsigned long long)c->id,
		wait_reason(s, w));
	print_awaited_registers(s, w, out);
	if (s->at_barrier >> w & 1)
		print_awaited_barrier(s, w, out);
	if (s->sync_wait >> w & 1)
		print_awaited_mbarrier(s, w, out);
	fputc('\n', out);
}

void report_deadlock(struct run *r, FILE *out)
{
	struct gpu *g = &r->gpu;
	unsigned shown = 0, more = 0;

	progress_print_if_due(r);
	fprintf(out, "%s: deadlock: no instruction completed in %u cycles, at cycle %llu\n", diag_program(),
		DEADLOCK_PERIOD, (unsigned long long)gpu_now(g));
	for (uint32_t i = 0; i < g->params.sms; i++) {
		const struct sm *s = &g->sm[i];
		uint32_t mshrs, queued;

		FOR_BITS64 (w, s->live) {
			if (++shown <= REPORT_WARPS)
				print_waiting_warp(s, (unsigned)w, out);
			else
				more++;
		}
		if (!s->live || !ldst_l1d(s))
			continue;
		cache_get_occupancy(ldst_l1d(s), &mshrs, &queued);
		if ((mshrs || queued) && shown <= REPORT_WARPS)
			fprintf(out, "SM %u L1D: %u MSHR entries in use, %u requests in the miss queue\n", i,
				mshrs, queued);
	}
	if (more)
		fprintf(out, "... and %u more warps\n", more);
	net_print_stuck(g->net, out);
	memory_print_queues(g->mem, out);
}
