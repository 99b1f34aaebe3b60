/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Matrix products of warpgroups (HOPPER-gmma). Each of the four warps of a warpgroup issues the instruction of a
 * product. The product starts when the last of them has issued, and uses the four tensor cores together. Operands come
 * from shared memory; A may also come from registers.
 *
 * Always true: the products of an SM start in the order in which their last warps have issued. Operands of the next
 * product are read while the tensor cores multiply. Reads of shared memory by other instructions have priority, and
 * delay only the reads of products that have not started. All times of a product are known when its last warp has
 * issued it. After a product a warp issues nothing before its warpgroup has issued it and the tensor cores have
 * finished the products before it. So a warpgroup has at most one product that some of its warps have not issued.
 */
#include "core/core.h"

/* Returns the slot of the first warp of w's warpgroup. */
static unsigned first_warp_of_group(const struct sm *s, unsigned w)
{
	unsigned first = s->cta[s->warp[w].cta].first_thread / 32;

	return first + (w - first) / GMMA_WARPS * GMMA_WARPS;
}

void core_warpgroup_reset(struct core *c, const struct cta *k)
{
	unsigned first = k->first_thread / 32;

	for (unsigned i = 0; i < (k->threads + 31) / 32; i += GMMA_WARPS)
		c->warpgroup[first + i].joined = 0;
}

/* Returns the time at which the multiplications of a product start if its operands may be read from t on. */
static uint64_t product_start_time(struct core *c, const struct core_inst *in, uint64_t t)
{
	uint64_t reads = max_u64(t, c->shared_reads_free_at), start;

	c->shared_reads_free_at = reads + in->shared_read_cycles;
	start = max_u64(in->link_cycles ? max_u64(reads, t + in->link_cycles) : reads + in->a_read_cycles,
		c->tensor_free_at);
	for (unsigned k = 0; k < c->subs; k++)
		start = max_u64(start, c->sub[k].unit_free_at[CORE_TENSOR]);
	return start;
}

/*
 * Starts a product that all warps of its warpgroup have issued. Returns the time at which the tensor cores have
 * finished the products before it.
 */
static uint64_t start_product(struct sm *s, const struct core_joint *e)
{
	struct core *c = s->modern;
	const struct core_inst *in = e->inst;
	uint64_t free_at = c->tensor_free_at, start = product_start_time(c, in, e->issued_at),
		 end = max_u64(start + in->interval, c->shared_reads_free_at);

	c->tensor_free_at = start + in->interval;
	for (unsigned k = 0; k < c->subs; k++)
		c->sub[k].unit_free_at[CORE_TENSOR] = c->tensor_free_at;
	FOR_BITS32 (i, e->joined) {
		uint16_t h = e->op[i];

		if (c->op[h].counts_readers && !c->op[h].reads_until_end)
			core_add_event(s, max_u64(start, s->clock + 1), EVENT_READ, h, 0);
		core_add_event(s, max_u64(end + c->params->gmma_latency, s->clock + 1), EVENT_DONE, h, 0);
	}
	return free_at;
}

/* Returns the mask of the live warps of leader's warpgroup that are not in `joined`, by number in the warpgroup. */
static uint32_t warps_yet_to_join(const struct sm *s, unsigned leader, uint32_t joined)
{
	uint32_t missing = 0;

	for (unsigned i = 0; i < GMMA_WARPS; i++) {
		uint64_t bit = 1ull << (leader + i);

		if (leader + i < MAX_WARPS && s->live & ~s->done & bit && !(joined >> i & 1) &&
			s->warp[leader + i].cta == s->warp[leader].cta)
			missing |= 1u << i;
	}
	return missing;
}

/* Starts the product of leader's warpgroup if all its live warps have issued it. */
static void start_joined_product(struct sm *s, unsigned leader)
{
	struct core_joint *e = &s->modern->warpgroup[leader];
	uint64_t free_at;

	if (!e->joined || warps_yet_to_join(s, leader, e->joined))
		return;
	free_at = start_product(s, e);
	FOR_BITS32 (i, e->joined)
		core_sync_release_warp(s, leader + i, max_u64(free_at, s->clock + 1));
	e->joined = 0;
}

void core_warpgroup_join(struct sm *s, unsigned w, const struct core_inst *in, uint16_t h, uint64_t t)
{
	unsigned leader = first_warp_of_group(s, w), i = w - leader;
	struct core_joint *e = &s->modern->warpgroup[leader];

	e->issued_at = e->joined ? max_u64(e->issued_at, t) : t;
	e->inst = in;
	e->op[i] = h;
	e->joined |= (uint8_t)(1u << i);
	core_sync_hold_warp(s, w, t + 1);
	start_joined_product(s, leader);
}

void core_warpgroup_warp_exit(struct sm *s, unsigned w)
{
	start_joined_product(s, first_warp_of_group(s, w));
}
