/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The GPU and its outer loop (trace-sim-launch(7)). Files: gpu.c (construction, step), skip.c, window.c (many
 * steps at once), window_clusters.c, window_bounds.c, clocks.c (clock domains), launch.c (kernels, CTA
 * placement), dependent.c (programmatic launches), gang.c (clusters of CTAs), blocks.c (reading of CTAs), resources.c
 * (CTAs that fit on an SM), occupied.c (resources in use on an SM), sample.c, warm.c.
 *
 * Always true: gpu_now() is tot_cycle + cycle, and is the same for all stages of a step.
 *
 * A step (gpu.c) runs on one thread. Where possible, many cycles are simulated as a window instead
 * (window.c): unit by unit, on several threads. Each thread then writes only to the channels or clusters that
 * it runs, to their ports of the network, and to its own element of per-thread arrays (threads.h). Steps and
 * windows give the same results for any number of threads.
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

/*
 * Clock domains (LAUNCH-clock): core, icnt, L2, DRAM. quirk Q1-24: L2 is not considered when the next time is
 * chosen.
 */
struct clocks {
	double time[4];   /* time of the next tick of each clock, a sum of its periods */
	double period[4]; /* period of each clock */
};
void clocks_init(struct clocks *c, const double hz[4]);
unsigned clocks_step(struct clocks *c); /* returns the set of domains that fire */
struct clock_ticks {
	uint64_t core, icnt, l2, dram;
};
/*
 * Takes up to `core` core ticks, and stops before a step that would exceed `dram` DRAM ticks. Returns the
 * number of ticks of each domain.
 */
struct clock_ticks clocks_advance_ticks(struct clocks *c, uint64_t core, uint64_t dram);

/* Figures of a kernel that --sample-blocks stopped, extrapolated to all of its thread blocks. */
struct sampled {
	uint64_t simulated_blocks; /* number of simulated thread blocks */
	uint64_t total_blocks;     /* number of thread blocks of the kernel */
	double cycles;             /* estimated cycles for all thread blocks */
	double low;                /* lower bound of the 95 % interval of `cycles` */
	double high;               /* upper bound of that interval */
};

struct gpu {
	struct params params;
	struct code *code;
	struct uop *uops; /* decoded instructions, indexed by code handle; in reserved address space */
	uint32_t n_uops;
	struct core_joins joins;
	/* code of the modern core, indexed by code handle; NULL with the legacy core */
	struct core_code *core_code;
	uint64_t unknown_recs; /* number of placed records whose opcode is not in isa.def */
	struct readahead *readahead;
	struct req_pool reqs;          /* pool of requests */
	struct sm *sm;                 /* array of SMs, with params.sms elements */
	uint64_t *wake_at;             /* cycle of the next tick of each SM; separate, as most SMs sleep */
	struct cluster *cluster;       /* array of clusters, with params.clusters elements */
	uint64_t live[4096 / 64];      /* set of clusters with a thread block (launch.c) */
	uint64_t replying[4096 / 64];  /* set of clusters whose response FIFO is not empty (cluster.c) */
	unsigned threads;              /* number of threads: requested before gpu_init(), actual after it */
	struct threads *pool;          /* worker threads; NULL if one thread does all work */
	bool sampling;                 /* true if --sample-blocks is given */
	uint32_t warmed;               /* number of kernels that only updated the cache tags (--warm) */
	uint32_t n_warmed_with_misses; /* number of --warm kernels that had L2 misses */
	struct net *net;
	struct addrdec *dec;     /* address decoder */
	struct memory *mem;      /* memory side */
	struct memstat *memstat; /* one per thread; gpu_sync() stores the sums in element 0 */
	struct traffic *traffic_to_memory, *traffic_to_cores;
	uint32_t dram_ticks; /* number of preceding steps in which only DRAM fired, added to the next step */
	struct clocks clocks;
	uint64_t cycle;                /* gpu_sim_cycle */
	uint64_t tot_cycle;            /* gpu_tot_sim_cycle */
	uint64_t tot_insn;             /* gpu_tot_sim_insn: sum over the completed intervals */
	uint64_t insn_before_interval; /* sum of the SMs' counters at the end of the last completed interval */
	uint64_t issued_ctas, tot_issued_ctas, completed_ctas;
	uint64_t occupancy_filled, occupancy_slots, tot_occupancy_filled, tot_occupancy_slots;
	uint64_t streams[MAX_STREAMS]; /* stream ids of the traces, in order of their first appearance */
	uint32_t n_streams;
	struct events *events;                 /* event log; NULL if off; never NULL with a pipeline log */
	struct kanata *pipeline;               /* pipeline log; NULL if off */
	struct profile *profile;               /* profile of stalls; NULL if off */
	struct timeline *timeline;             /* timeline; NULL if off */
	struct power_meter *power;             /* meter of the power model; NULL if off */
	const struct power_setup *power_setup; /* settings of the power model, set before gpu_init() */
	struct launch *launch;                 /* launch.c */
	struct window *window;                 /* window.c */
	bool deadlock;                         /* true if a deadlock test has failed */
	bool cluster_idled; /* true if the last CTA of a cluster has ended since the last gpu_flush_idle() */
};

/* Returns true if an SM has a thread block. */
static inline bool gpu_has_live_cta(const struct gpu *g)
{
	for (uint32_t w = 0; w < BITSET_WORDS(g->params.clusters); w++)
		if (g->live[w])
			return true;
	return false;
}

static inline uint64_t gpu_now(const struct gpu *g) { return g->tot_cycle + g->cycle; }

/* gpu.c */
/* Builds the GPU of g->params. Returns 0, or -1 and sets *f. */
int gpu_init(struct gpu *g, const struct isa *isa, struct fault *f);
void gpu_free(struct gpu *g);
/* Runs one GPU step; returns the set of domains that fired. */
unsigned gpu_step(struct gpu *g);
/* Updates all counters whose updates are deferred. */
void gpu_sync(struct gpu *g);
/* Ends the sampling period of the latency statistics. */
void gpu_end_sample_period(struct gpu *g);

/*
 * Ticks SM id of cluster cl, if it is due. This function and the following ones are the parts of a core tick;
 * window.c also calls them.
 */
static inline void gpu_tick_sm(struct gpu *g, struct cluster *cl, uint32_t id, uint64_t now)
{
	struct sm *s = &g->sm[id];

	if (now < g->wake_at[id])
		return;
	sm_tick(s, now);
	if (s->n_ended)
		cl->ended[cl->n_ended++] = id;
}
/* Ticks all SMs of a cluster that has more than one SM. */
void gpu_tick_sms_in_order(struct gpu *g, struct cluster *cl, uint32_t id, uint64_t now);
/* Ticks all SMs of cluster id. */
static inline void gpu_tick_cluster(struct gpu *g, uint32_t id, uint64_t now)
{
	if (g->params.sms_per_cluster == 1)
		gpu_tick_sm(g, &g->cluster[id], id, now);
	else
		gpu_tick_sms_in_order(g, &g->cluster[id], id, now);
}
/* Removes the CTAs that ended in the last tick of cluster cl. */
void gpu_end_ctas(struct gpu *g, struct cluster *cl);
/* Invalidates the L1Ds of clusters that have become idle. Called after CTAs have ended and been placed. */
void gpu_flush_idle(struct gpu *g);
/* gpu_sim_insn of the current interval. */
uint64_t gpu_interval_insn(const struct gpu *g);

/* skip.c: skipping of steps in which nothing happens, at most up to the next deadlock test. */
#define DEADLOCK_PERIOD 50000u /* core ticks between deadlock tests (LAUNCH-stop-4) */
struct skip {
	uint64_t cycles;     /* maximum number of core cycles */
	uint64_t dram_ticks; /* maximum number of DRAM ticks */
};
/* Returns true if steps can be skipped, and sets *k to the maximum numbers of ticks. */
bool gpu_can_skip(const struct gpu *g, struct skip *k);
/* Skips steps until either limit of *k is reached. */
void gpu_skip(struct gpu *g, const struct skip *k);

/*
 * launch.c: removes the CTA in a slot of SM s. Called in the serial part at the end of a core tick, in SM
 * order.
 */
void launch_cta_ended(struct gpu *g, struct sm *s, uint32_t slot);

#endif
