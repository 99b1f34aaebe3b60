/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Returns the thread blocks of a kernel in the order of their placement. This is the order of the trace,
 * except that the blocks of a cluster (of CUDA) are consecutive and in the order of their ranks
 * (HOPPER-cluster-1).
 *
 * Always true: a block that is read ahead is parked until blocks_next() returns it. Parked blocks are
 * returned before the next block is read. The cluster line of a block in the trace names its cluster. Without
 * that line, the coordinates of the block determine it.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "launch.h"
#include "threads/readahead.h"

#define PARKED_MOST  65536u /* maximum number of parked blocks of a kernel */
#define LEARNED_MOST 1024u  /* maximum number of blocks that are read to find the size of a cluster */
#define CLUSTER_MOST 16u

struct parked_block {
	struct tblock tb;
	uint32_t codes;
};

struct parked {
	struct parked_block *block;
	uint32_t first; /* block[first] to block[n - 1] are parked */
	uint32_t n;
	uint32_t cap;
	bool ended; /* true if the trace has no more blocks */
};

/* ---- marks (HOPPER-mark-1) ------------------------------------------------------------------------ */

void blocks_drop_marks(const struct gpu *g, struct tblock *tb)
{
	for (uint32_t w = 0; w < tb->n_warps; w++) {
		struct warp_recs *x = &tb->warp[w];
		uint32_t kept = 0;

		for (uint32_t i = 0; i < x->n_recs; i++)
			if (code_at(g->code, tb->rec[x->first_rec + i].inst)->kind != KIND_MARK)
				tb->rec[x->first_rec + kept++] = tb->rec[x->first_rec + i];
		x->n_recs = kept;
	}
}

/* ---- parked blocks ------------------------------------------------------------------------------ */

void blocks_free(struct kernel *k)
{
	struct parked *p = k->parked;

	if (!p)
		return;
	for (uint32_t i = 0; i < p->cap; i++)
		tblock_free(&p->block[i].tb);
	free(p->block);
	free(p);
	k->parked = NULL;
}

static uint32_t parked_count(const struct kernel *k)
{
	return k->parked ? k->parked->n - k->parked->first : 0;
}

/* Reads a block and parks it. Returns NULL if the trace has no more blocks. */
static struct tblock *park_block(struct gpu *g, struct kernel *k)
{
	struct parked *p = k->parked ? k->parked : (k->parked = xcalloc(1, sizeof(*p)));
	struct parked_block *b;
	struct fault f;
	int r;

	if (p->ended)
		return NULL;
	if (p->n - p->first == PARKED_MOST) {
		fault_set(&f, (struct place){.file = k->path}, "cluster-apart",
			"more than %u other blocks between two blocks of a cluster (expected at most %u)",
			PARKED_MOST, PARKED_MOST);
		die_fault(&f);
	}
	if (p->n == p->cap) {
		uint32_t had = p->cap;

		grow(&p->block, &p->cap, p->n + 1, sizeof(*p->block));
		memset(p->block + had, 0, (p->cap - had) * sizeof(*p->block));
	}
	b = &p->block[p->n];
	r = readahead_next(g->readahead, k->trace, &b->tb, &b->codes, &f);
	if (r < 0)
		die_fault(&f);
	p->ended = r == 0;
	if (!r)
		return NULL;
	p->n++;
	return &b->tb;
}

/*
 * Removes the first parked block and stores it in *tb. The old arrays of *tb are reused for the next block.
 */
static void unpark_block(struct parked *p, struct tblock *tb, uint32_t *codes)
{
	struct parked_block *b = &p->block[p->first++];
	struct tblock old = *tb;

	*tb = b->tb;
	b->tb = old;
	*codes = b->codes;
	if (p->first == p->n)
		p->first = p->n = 0;
}

int blocks_next(struct gpu *g, struct kernel *k, struct tblock *tb, uint32_t *codes, struct fault *f)
{
	if (!parked_count(k))
		return k->parked && k->parked->ended ? 0
						     : readahead_next(g->readahead, k->trace, tb, codes, f);
	unpark_block(k->parked, tb, codes);
	return 1;
}

uint32_t blocks_peek_longest_warp(struct gpu *g, const struct kernel *k)
{
	uint32_t warps = k->padded_threads / 32, longest = 0;
	const struct tblock *tb;

	if (!parked_count(k))
		return readahead_longest_warp(g->readahead, k->trace, warps);
	tb = &k->parked->block[k->parked->first].tb;
	for (uint32_t w = 0; w < warps && w < tb->n_warps; w++)
		longest = tb->warp[w].n_recs > longest ? tb->warp[w].n_recs : longest;
	return longest;
}

/* ---- size of a cluster --------------------------------------------------------------------------- */

bool blocks_may_form_gangs(const struct kernel_header *h)
{
	return h->cluster[0] ? kernel_cluster_blocks(h) > 1
			     : !h->ptx && h->arch >= ARCH_HOPPER && h->tracer_version >= 5;
}

/*
 * Returns the block i positions after the first parked one, and parks all blocks up to it. Returns NULL if
 * the trace has fewer blocks, or if i is LEARNED_MOST or more.
 */
static const struct tblock *parked_block_at(struct gpu *g, struct kernel *k, uint64_t i)
{
	while (i < LEARNED_MOST && parked_count(k) <= i)
		if (!park_block(g, k))
			return NULL;
	return i < LEARNED_MOST ? &k->parked->block[k->parked->first + i].tb : NULL;
}

/*
 * Returns the number of blocks of a cluster along one axis. Counts the blocks 0, `step`, 2 * `step` ... of
 * the trace as long as they are in the first block's cluster and have the coordinates 0, 1, 2 ... in it. Sets
 * *unknown if a block is too far away to be parked.
 */
static uint32_t find_cluster_extent(
	struct gpu *g, struct kernel *k, unsigned axis, uint64_t step, bool *unknown)
{
	uint32_t n = 1;

	for (; n < k->head->grid[axis] && n < CLUSTER_MOST; n++) {
		const struct tblock *b = parked_block_at(g, k, n * step);
		const struct tblock *first = &k->parked->block[k->parked->first].tb;

		*unknown |= !b && n * step >= LEARNED_MOST;
		if (!b || memcmp(b->cluster.id, first->cluster.id, sizeof(b->cluster.id)) ||
			b->cluster.cta[axis] != n)
			break;
	}
	return n;
}

/* Sets k->cluster from the cluster lines of the first thread blocks. */
static void find_cluster_size(struct gpu *g, struct kernel *k)
{
	const uint32_t *grid = k->head->grid;
	const struct tblock *first = parked_block_at(g, k, 0), *second;
	bool unknown = false;

	k->cluster[0] = k->cluster[1] = k->cluster[2] = 1;
	if (!first || !first->cluster.is_known)
		return;
	second = parked_block_at(g, k, 1);
	first = &k->parked->block[k->parked->first].tb;
	/* for a kernel without clusters, the tracer writes the same cluster and rank for all blocks */
	if (!second || (!memcmp(second->cluster.id, first->cluster.id, sizeof(first->cluster.id)) &&
			       second->cluster.rank == first->cluster.rank))
		return;
	k->cluster[0] = find_cluster_extent(g, k, 0, 1, &unknown);
	k->cluster[1] = find_cluster_extent(g, k, 1, grid[0], &unknown);
	k->cluster[2] = find_cluster_extent(g, k, 2, (uint64_t)grid[0] * grid[1], &unknown);
	if (unknown && k->cluster[0] > 1)
		diag_warn((struct place){.file = k->path},
			"the header has no '-cluster dim', and its first %u thread blocks do not show the clusters: taken as %u,%u,%u",
			LEARNED_MOST, k->cluster[0], k->cluster[1], k->cluster[2]);
}

uint32_t blocks_determine_cluster(struct gpu *g, struct kernel *k)
{
	uint32_t n;

	if (!k->cluster[0]) {
		memcpy(k->cluster, k->head->cluster, sizeof(k->cluster));
		if (!k->cluster[0] && k->may_form_gangs)
			find_cluster_size(g, k);
		for (unsigned i = 0; i < 3; i++)
			k->cluster[i] += !k->cluster[i];
	}
	n = k->cluster[0] * k->cluster[1] * k->cluster[2];
	if (n == 1 && k->may_form_gangs) {
		k->may_form_gangs = false;
		g->launch->n_gang_kernels--;
	}
	return n;
}

/* ---- blocks of a cluster --------------------------------------------------------------------------- */

/* Cluster coordinates of a block, and its rank in the cluster. */
struct gang_place {
	uint32_t id[3];
	uint32_t rank;
};

static struct gang_place gang_place_of(const struct kernel *k, const struct tblock *tb)
{
	const uint32_t *n = k->cluster, at[3] = {tb->x, tb->y, tb->z};
	struct gang_place m = {.rank = tb->cluster.rank};

	memcpy(m.id, tb->cluster.id, sizeof(m.id));
	if (tb->cluster.is_known)
		return m;
	for (unsigned i = 0; i < 3; i++)
		m.id[i] = at[i] / n[i];
	m.rank = at[0] % n[0] + n[0] * (at[1] % n[1] + n[1] * (at[2] % n[2]));
	return m;
}

/* Moves parked block i to the range from `from` to `to`, after the blocks of lower rank there. */
static void insert_parked_by_rank(struct kernel *k, uint32_t i, uint32_t from, uint32_t to)
{
	struct parked *p = k->parked;
	uint32_t rank = gang_place_of(k, &p->block[i].tb).rank;
	struct parked_block b = p->block[i];

	while (to > from && gang_place_of(k, &p->block[to - 1].tb).rank > rank)
		to--;
	if (to > from && gang_place_of(k, &p->block[to - 1].tb).rank == rank) {
		struct fault f;

		fault_set(&f, (struct place){.file = k->path}, "cluster-rank",
			"thread block %u,%u,%u has rank %u, like another block of its cluster (expected each rank once)",
			b.tb.x, b.tb.y, b.tb.z, rank);
		die_fault(&f);
	}
	memmove(p->block + to + 1, p->block + to, (i - to) * sizeof(*p->block));
	p->block[to] = b;
}

uint32_t blocks_gather_gang(struct gpu *g, struct kernel *k)
{
	uint32_t want = k->cluster[0] * k->cluster[1] * k->cluster[2], found = 1;
	struct parked *p;
	struct gang_place first;

	if (!parked_count(k) && !park_block(g, k))
		return 0;
	p = k->parked;
	first = gang_place_of(k, &p->block[p->first].tb);
	for (uint32_t i = p->first + 1; found < want; i++) {
		struct gang_place m;

		if (i == p->n && !park_block(g, k))
			break;
		m = gang_place_of(k, &p->block[i].tb);
		if (!memcmp(m.id, first.id, sizeof(m.id)))
			insert_parked_by_rank(k, i, p->first, p->first + found++);
	}
	return found;
}
