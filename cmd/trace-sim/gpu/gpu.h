/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The GPU and its outer loop (trace-sim-launch(7)). Files: gpu.c (construction, step), skip.c, window.c (many
 * steps at once), window_clusters.c, window_bounds.c, clocks.c (clock domains), launch.c (kernels, CTA
 * placement), resources.c (CTAs that fit on an SM), sample.c, warm.c.
 *
 * Always true: now = tot_cycle + cycle; all stages of a step see the same now.
 *
 * A step (gpu.c) runs on one thread. Where possible, many cycles run as a window instead (window.c), unit by
 * unit and on several threads. Each thread then writes only to the channels or clusters that it runs, to
 * their ports of the network, and to its own element of per-thread arrays (threads.h). Steps and windows give
 * the same results for any number of threads.
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
	double time[4]; /* by clock: time of the next tick, a sum of periods */
	double period[4];
};
void clocks_init(struct clocks *c, const double hz[4]);
unsigned clocks_step(struct clocks *c); /* returns the set of domains that fire */
struct clock_ticks {
	uint64_t core, icnt, l2, dram;
};
/*
 * Takes steps up to at most `core` core ticks and `dram` DRAM ticks; stops before a step that would exceed
 * `dram`. Returns the ticks of each domain.
 */
struct clock_ticks clocks_advance_ticks(struct clocks *c, uint64_t core, uint64_t dram);

/* Figures of a kernel that --sample-blocks stopped, extrapolated to all of its thread blocks. */
struct sampled {
	uint64_t blocks;  /* thread blocks that ran */
	uint64_t all;     /* thread blocks of the kernel */
	double cycles;    /* cycles of all thread blocks */
	double low, high; /* 95 % interval of cycles */
};

struct gpu {
	struct params params;
	struct code *code;
	struct uop *uops; /* by code handle; in reserved address space */
	uint32_t n_uops;
	struct core_joins joins;
	struct core_code *core_code; /* by code handle: code of the modern core; NULL with the legacy core */
	/* records, in placed thread blocks, of opcodes that isa.def does not list */
	uint64_t unknown_recs;
	struct readahead *readahead;
	struct req_pool reqs;
	struct sm *sm; /* array of params.sms */
	/* by SM: cycle of its next tick; a separate array, because most SMs sleep in most steps */
	uint64_t *wake_at;
	struct cluster *cluster;      /* array of params.clusters */
	uint64_t live[4096 / 64];     /* clusters with a thread block; launch.c */
	uint64_t replying[4096 / 64]; /* clusters whose response FIFO is not empty; cluster.c */
	unsigned threads;             /* requested number before gpu_init(), actual number after it */
	struct threads *pool;         /* NULL: one thread */
	bool sampling;                /* --sample-blocks is given */
	uint32_t warmed;              /* kernels passed only through the cache tags (--warm) */
	uint32_t warmed_missed;       /* number of these kernels that had L2 misses */
	struct net *net;
	struct addrdec *dec;
	struct memory *mem;
	/* by thread; element 0 has the sums after gpu_sync() */
	struct memstat *memstat;
	struct traffic *traffic_to_memory, *traffic_to_cores;
	uint32_t dram_ticks; /* DRAM ticks of steps in which only DRAM fired, added to the next step */
	struct clocks clocks;
	uint64_t cycle, tot_cycle; /* gpu_sim_cycle, gpu_tot_sim_cycle */
	uint64_t tot_insn;         /* gpu_tot_sim_insn: sum over the intervals that are completed */
	uint64_t insn_base;        /* sum of the SMs' counters at the end of the last completed interval */
	uint64_t issued_ctas, tot_issued_ctas, completed_ctas;
	uint64_t occupancy_filled, occupancy_slots, tot_occupancy_filled, tot_occupancy_slots;
	uint64_t streams[MAX_STREAMS]; /* stream ids of the traces, by index */
	uint32_t n_streams;
	struct events *events;                 /* NULL: off; not NULL with a pipeline log */
	struct kanata *pipeline;               /* pipeline log; NULL: off */
	struct profile *profile;               /* NULL: off */
	struct timeline *timeline;             /* NULL: off */
	struct power_meter *power;             /* NULL: off */
	const struct power_setup *power_setup; /* settings of the power model, set before gpu_init() */
	struct launch *launch;                 /* launch.c */
	struct window *window;                 /* window.c */
	bool deadlock;
	bool cluster_idled; /* a cluster has lost its last CTA since gpu_flush_idle() ran */
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
/* Brings all counters that are updated lazily up to date. */
void gpu_sync(struct gpu *g);
/* Ends the sampling period of the latency statistics. */
void gpu_end_sample_period(struct gpu *g);

/*
 * The functions from here on are parts of a core tick, also used by window.c. Ticks SM id, in cluster cl, if
 * it is due.
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
/* Ticks all SMs of a cluster that has several. */
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

/* skip.c: skips steps in which nothing happens, at most up to the next deadlock test. */
#define DEADLOCK_PERIOD 50000u /* core ticks between deadlock tests (LAUNCH-stop-4) */
struct skip {
	uint64_t cycles;     /* maximum number of core cycles */
	uint64_t dram_ticks; /* maximum number of DRAM ticks */
};
/* Returns true if steps can be skipped now, and sets *k to the limits. */
bool gpu_can_skip(const struct gpu *g, struct skip *k);
/* Skips steps up to the first limit of *k. */
void gpu_skip(struct gpu *g, const struct skip *k);

/*
 * launch.c: removes the CTA in a slot of SM s. Called in the serial part at the end of a core tick, in SM
 * order.
 */
void launch_cta_ended(struct gpu *g, struct sm *s, uint32_t slot);

#endif
