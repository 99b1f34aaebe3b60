/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Places gangs (HOPPER-cluster): the thread blocks of a cluster start together on different SMs of one group.
 *
 * Always true: SMs params_group_begin(i) to params_group_begin(i + 1) - 1 are group i. A gang consists of thread
 * blocks that are consecutive in the order of blocks.c. Groups are tried in round robin. The SMs of a group
 * are tried in ascending order.
 */
#include "arena.h"
#include "distributor.h"
#include "launch.h"
#include "sm/gang.h"

void gang_storage_free(struct gpu *g)
{
	struct launch *l = g->launch;

	if (l->gangs)
		reserve_free(l->gangs, (size_t)g->params.sms * MAX_CTAS, sizeof(*l->gangs));
}

static struct gang *new_gang(struct gpu *g)
{
	struct launch *l = g->launch;
	struct gang *n = l->free_gangs;

	if (!l->gangs)
		l->gangs = reserve((size_t)g->params.sms * MAX_CTAS, sizeof(*l->gangs));
	if (!n)
		return &l->gangs[l->n_gangs_allocated++];
	l->free_gangs = n->next;
	return n;
}

/*
 * Finds `blocks` SMs of a group that each have space for a block of k, and stores their numbers in at[].
 * Returns false if no group has enough SMs.
 */
static bool find_sms_for_gang(struct gpu *g, struct kernel *k, uint32_t group, uint32_t blocks, uint32_t *at)
{
	uint32_t end = params_group_begin(&g->params, group + 1), n = 0;
	int first = 0;

	for (uint32_t i = params_group_begin(&g->params, group); i < end && n < blocks; i++)
		if (launch_cta_fits(g, &g->sm[i], k, &first))
			at[n++] = i;
	return n == blocks;
}

/* Places a block of k on each SM of at[]. These blocks form a gang. */
static void place_gang_on_sms(struct gpu *g, struct kernel *k, uint32_t blocks, const uint32_t *at)
{
	struct gang *n = new_gang(g);

	gang_init(n, ++g->launch->n_gangs_placed, blocks, k->padded_threads / 32);
	for (uint32_t b = 0; b < blocks; b++) {
		struct sm *s = &g->sm[at[b]];
		int first = 0;
		uint32_t slot;

		launch_cta_fits(g, s, k, &first);
		s->kernel = k;
		slot = launch_place_cta(g, s, k, first);
		gang_add_block(n, s, slot);
		g->issued_ctas++;
	}
}

/* Ends the program, because no group of SMs can hold the gang. */
_Noreturn static void die_gang_too_large(const struct gpu *g, const struct kernel *k, uint32_t blocks)
{
	struct fault f;

	fault_set(&f, (struct place){.file = k->path}, "cluster-size",
		"cluster of %u thread blocks (expected at most %u, the number of SMs in a group, %s)", blocks,
		g->params.modern.group_most, g->params.modern.gpcs ? "-core_gpcs" : "-core_gpc_sms");
	die_fault(&f);
}

/*
 * Places the next gang of k on SMs of one group, one thread block per SM. Returns false if no group has
 * enough space.
 */
static bool place_gang(struct gpu *g, struct kernel *k)
{
	struct launch *l = g->launch;
	uint32_t blocks = blocks_determine_cluster(g, k), groups = g->params.modern.groups;
	uint32_t at[GANG_BLOCKS];

	if (blocks > GANG_BLOCKS || blocks > g->params.modern.group_most)
		die_gang_too_large(g, k, blocks);
	blocks = blocks_gather_gang(g, k);
	if (!blocks)
		blocks = 1; /* for a missing block, launch_place_cta() ends the program with a message */
	for (uint32_t i = 0; i < groups; i++) {
		uint32_t group = (l->last_gpc + 1 + i) % groups;
		if (!find_sms_for_gang(g, k, group, blocks, at))
			continue;
		place_gang_on_sms(g, k, blocks, at);
		l->last_gpc = group;
		return true;
	}
	return false;
}

bool gang_place_all(struct gpu *g)
{
	struct launch *l = g->launch;
	struct kernel *k = launch_next_kernel(g);
	bool placed = false;
	uint64_t before;

	if (!k || !k->may_form_gangs || blocks_determine_cluster(g, k) == 1)
		return false;
	while (launch_may_place_cta_of(g, k) && distributor_can_place(g)) {
		before = k->next_cta;
		if (!place_gang(g, k))
			break;
		for (; before < k->next_cta; before++)
			distributor_count_placement(g);
		placed = true;
	}
	l->retry = placed || !distributor_can_place(g);
	return true;
}

void gang_cta_ended(struct gpu *g, struct sm *s, uint32_t slot)
{
	struct launch *l = g->launch;
	struct gang *n = s->cta[slot].gang;

	if (!n || !gang_remove_block(s, slot))
		return;
	n->next = l->free_gangs;
	l->free_gangs = n;
}
