/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The whole machine and its outer loop (trace-sim-launch(7)).
 * Files: gpu.c (build, step), skip.c, window.c (many steps at once), window_clusters.c, window_bounds.c,
 * clocks.c (domains), launch.c (kernels, CTA placement), resources.c (how many CTAs an SM holds), sample.c,
 * warm.c.
 *
 * Always true: now = tot_cycle + cycle; within a step every stage sees the same now.
 *
 * A step (gpu.c) is one thread's. Where nothing forbids, many cycles are run as a window instead (window.c),
 * unit after unit and in several threads; a thread then writes only to its channel or cluster, to its ends of
 * the network, and to what it has of its own: request piles, marks, traffic, latency statistics. Both give
 * the same, for any number of threads.
 */
#ifndef GPU_H
#define GPU_H

#include "core/join.h"
#include "gpu/cluster.h"
#include "lsu/ldst.h"
#include "mem/mem.h"
#include "net/net.h"
#include "params.h"
#include "sm/kernel.h"
#include "sm/sm.h"
#include "threads/threads.h"
#include "instrument/traffic.h"

enum clock_domain { CLOCK_CORE = 1, CLOCK_ICNT = 2, CLOCK_L2 = 4, CLOCK_DRAM = 8 };

struct power_meter;
struct power_setup;
struct window;
struct core_code;

/* clocks.c: quirk Q1-24: sums of doubles, and the minimum leaves out L2 (LAUNCH-clock). */
struct clocks {
	double time[4], period[4];
}; /* core, icnt, l2, dram */
void clocks_init(struct clocks *c, const double hz[4]);
unsigned clocks_step(struct clocks *c); /* domains that fire */
struct clock_ticks {
	uint64_t core, icnt, l2, dram;
};
/* Steps up to that of so many core ticks, or up to the one before DRAM would tick more often than that. */
struct clock_ticks clocks_run(struct clocks *c, uint64_t core, uint64_t dram);

/*
 * What a kernel that was stopped stands for: thread blocks
 * that ran, of all; cycles of all and their 95 % interval.
 */
struct sampled {
	uint64_t blocks, all;
	double cycles, low, high;
};

struct gpu {
	struct params params;
	struct code *code;
	struct uop *uops; /* reserved; by code handle */
	uint32_t n_uops;
	struct core_joins joins;
	struct core_code *core_code; /* the same for the modern core; NULL with the other */
	uint64_t unknown_recs;       /* of opcodes without a row, in thread blocks placed */
	struct readahead *readahead;
	struct req_pool reqs;
	struct sm *sm;                /* params.sms */
	uint64_t *wake_at;            /* by SM, side by side: most steps find most SMs asleep */
	struct cluster *cluster;      /* params.clusters */
	uint64_t live[4096 / 64];     /* clusters with a thread block; launch.c */
	uint64_t replying[4096 / 64]; /* clusters whose response FIFO is not empty; cluster.c */
	unsigned threads;             /* wanted, set before gpu_init; then those there are */
	struct threads *pool;         /* NULL: one thread */
	bool sampling;                /* --sample-blocks */
	uint32_t warmed;              /* kernels that went through the tags only, --warm */
	struct net *net;
	struct addrdec *dec;
	struct memory *mem;
	/* per thread; the first has the sums after gpu_sync() */
	struct memstat *memstat;
	struct traffic *out, *back; /* core to memory, memory to core */
	uint32_t dram_ticks;        /* of steps in which only DRAM fired; the next step makes up for them */
	struct clocks clocks;
	uint64_t cycle, tot_cycle; /* gpu_sim_cycle, gpu_tot_sim_cycle */
	uint64_t tot_insn;         /* gpu_tot_sim_insn: of folded intervals */
	uint64_t insn_base;        /* sum of sm counters at the last fold */
	uint64_t issued_ctas, tot_issued_ctas, completed_ctas;
	uint64_t occupancy_filled, occupancy_slots, tot_occupancy_filled, tot_occupancy_slots;
	uint64_t streams[MAX_STREAMS]; /* stream ids as written, by index */
	uint32_t n_streams;
	struct events *events;
	struct profile *profile;   /* NULL: none wanted */
	struct timeline *timeline; /* NULL: none wanted */
	struct power_meter *power; /* NULL: none wanted */
	const struct power_setup *power_setup; /* what is wanted of it; set before gpu_init */
	struct launch *launch;     /* launch.c */
	struct window *window;     /* window.c */
	bool deadlock;
	bool cluster_idled; /* a cluster's last CTA has ended since the L1Ds were last looked at */
};

/* Some SM has a thread block. */
static inline bool gpu_live(const struct gpu *g)
{
	for (uint32_t w = 0; w < BITSET_WORDS(g->params.clusters); w++)
		if (g->live[w])
			return true;
	return false;
}

static inline uint64_t gpu_now(const struct gpu *g) { return g->tot_cycle + g->cycle; }

/* gpu.c */
int gpu_init(struct gpu *g, const struct isa *isa, struct fault *f); /* g->params are set; 0, or -1 and *f */
void gpu_free(struct gpu *g);
unsigned gpu_step(struct gpu *g); /* one GPU step; the domains that fired */
void gpu_sync(struct gpu *g);     /* every lazily kept counter up to date */
void gpu_end_sample_period(struct gpu *g);   /* close the sampling window of the latency statistics */
/* The pieces of a core tick, for window.c. Tick an SM if it is due, all of a cluster of several, all of any; */
static inline void gpu_tick_sm(struct gpu *g, struct cluster *cl, uint32_t id, uint64_t now)
{
	struct sm *s = &g->sm[id];

	if (now < g->wake_at[id])
		return;
	sm_tick(s, now);
	if (s->n_ended)
		cl->ended[cl->n_ended++] = id;
}
void gpu_tick_several(struct gpu *g, struct cluster *cl, uint32_t id, uint64_t now);
static inline void gpu_tick_cluster(struct gpu *g, uint32_t id, uint64_t now)
{
	if (g->params.sms_per_cluster == 1)
		gpu_tick_sm(g, &g->cluster[id], id, now);
	else
		gpu_tick_several(g, &g->cluster[id], id, now);
}
/* what ended in it; */
void gpu_end_ctas(struct gpu *g, struct cluster *cl);
/* and behind both, and behind the placing of thread blocks, the clusters that fell idle. */
void gpu_flush_idle(struct gpu *g);
uint64_t gpu_interval_insn(const struct gpu *g); /* gpu_sim_insn of the interval */

/* skip.c: steps in which nothing happens, up to the next look for a deadlock. */
#define DEADLOCK_PERIOD 50000u /* core ticks between looks (LAUNCH-stop-4) */
struct skip {
	uint64_t cycles, dram_ticks; /* at most so many of each */
};
bool gpu_skippable(const struct gpu *g, struct skip *k); /* may some steps be skipped now? */
void gpu_skip(struct gpu *g, const struct skip *k);

/* launch.c: what the SMs tell it. Called in the serial end of the core phase, in SM order. */
void launch_cta_ended(struct gpu *g, struct sm *s, uint32_t slot);

#endif
