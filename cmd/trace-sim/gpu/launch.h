/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads and launches kernels, selects the kernel of the next CTA, and places CTAs (LAUNCH-loop,
 * LAUNCH-place). Used by run.c and gpu.c.
 *
 * Always true: a kernel is in the list of loaded kernels from the time its header is read until it is
 * removed. It is in a run slot from its launch until its last CTA has ended. A thread block is read when it
 * is placed, in file order, regardless of its id (quirk Q1-26).
 */
#ifndef LAUNCH_H
#define LAUNCH_H

#include "gpu.h"

struct launch {
	struct kernel **loaded; /* loaded kernels in load order */
	uint32_t n_loaded, cap_loaded;
	struct kernel **slot;   /* run slots */
	uint32_t selected_slot; /* run slot selected last (LAUNCH-place-4) */
	uint32_t last_cluster;  /* cluster that received a CTA last */
	uint32_t storing_sm;    /* SM that had outstanding stores when this was last examined */
	uint32_t *last_sm;      /* for each cluster, the index of the SM in it that received a CTA last */
	uint32_t next_uid;
	struct kernel **finished; /* FIFO of kernels that have no CTA left */
	uint32_t n_finished, cap_finished;
	struct kernel **fresh; /* kernels selected for the first time since statistics were last printed */
	uint32_t n_fresh, cap_fresh;
	bool retry;                 /* true if a CTA may have become placeable since the last pass */
	uint64_t next_placement_at; /* modern core: time of the next placement, in millionths of a cycle */
	uint32_t ctas_to_retire;    /* number of ended CTAs that are not retired yet */
	uint32_t kernels_with_ctas; /* number of kernels in run slots with CTAs left to place */
	uint32_t delayed;           /* number of kernels in run slots with a launch delay */
	uint32_t n_gang_kernels;    /* number of loaded kernels that have or may have gangs */
	struct gang *gangs;         /* array of gangs; NULL before the first gang */
	struct gang *free_gangs;    /* list of elements of `gangs` that are free again */
	uint32_t n_gangs_allocated; /* number of elements of `gangs` used so far */
	uint32_t n_gangs_placed;    /* number of gangs placed so far */
	uint32_t last_gpc;          /* group of SMs (GPC) that received a gang last */
	bool ptx;                   /* true if at least one loaded kernel was from PTX */
	bool seen_ldgsts;           /* true if a trace read so far has an LDGSTS */
	bool seen_syncs;            /* true if a trace read so far has a UOP_SYNC instruction */
	bool seen_marks;            /* true if a trace read so far has a mark of the tracer */
	uint32_t n_early;           /* number of kernels in run slots that started early (HOPPER-pdl-1) */
	bool started;               /* true if a kernel was launched since run.c looked for its dependent */
	bool dependents_due;        /* true if dependent_update() may have something to do */
	struct occupied *occupied;  /* by SM: resources in use, while occupied_is_in_use() */
	void (*on_cta_placed)(void *ctx, const struct kernel *k); /* called after each placement of a CTA */
	void *ctx;                                                /* argument of on_cta_placed() */
};

int launch_init(struct gpu *g);
void launch_free(struct gpu *g);

/*
 * Adds the kernel of the open trace t to the list of loaded kernels (LAUNCH-loop-2), which then owns t.
 * Returns NULL and sets *f if the kernel cannot run.
 */
struct kernel *launch_load_kernel(
	struct gpu *g, struct trace *t, const char *path, uint32_t position, struct fault *f);
/* Moves loaded kernels into free run slots (LAUNCH-loop-3). */
void launch_kernels(struct gpu *g);
/*
 * launch.c, for gang.c: returns true if a CTA of k fits on SM s. In concurrent mode, sets *first to the
 * hardware thread at which the CTA would begin.
 */
bool launch_cta_fits(struct gpu *g, struct sm *s, struct kernel *k, int *first);
/*
 * launch.c, for gang.c: places the next CTA of k on SM s and returns its slot. `first` is the value that
 * launch_cta_fits() has set.
 */
uint32_t launch_place_cta(struct gpu *g, struct sm *s, struct kernel *k, int first);
/*
 * launch.c, for gang.c: returns the kernel that provides the next CTA (LAUNCH-place-4), or NULL if there is
 * none.
 */
struct kernel *launch_next_kernel(struct gpu *g);
/* launch.c, for gang.c: returns true if k has CTAs left and -gpgpu_max_cta is not reached. */
bool launch_may_place_cta_of(const struct gpu *g, const struct kernel *k);

/* ---- dependent.c: programmatic launches (HOPPER-pdl) ------------------------------------------------ */

/* Makes k, which is not in the list of loaded kernels yet, the dependent of the kernel before it in its stream. */
void dependent_link(const struct launch *l, struct kernel *k);
/* Returns true if no earlier kernel of its stream prevents the start of loaded kernel k (LAUNCH-loop-3). */
bool dependent_may_start(const struct gpu *g, const struct kernel *k);
/* Notes that k starts. Shortens its launch delay if it has a programmatic launch. */
void dependent_start(struct gpu *g, struct kernel *k);
/* Starts the kernels that were released, and ends the waits for kernels that have ended. Called between two cycles. */
void dependent_update(struct gpu *g);

/* ---- occupied.c: resources in use on each SM ---------------------------------------------------------- */

/* Resources of an SM that its CTAs use. */
struct occupied {
	uint64_t thread[32]; /* set of the threads */
	uint32_t threads, shmem, regs, ctas;
};
/* Returns true if the resources in use decide whether a CTA fits (LAUNCH-place-5). */
bool occupied_is_in_use(const struct gpu *g);
/* Computes the resources in use from the CTAs on the SMs. */
void occupied_count(struct gpu *g);
/* Returns true if SM s has enough free resources for a CTA of k. Sets *first to the first of its threads. */
bool occupied_fits(const struct gpu *g, const struct sm *s, const struct kernel *k, int *first);
/* Adds the resources of a CTA of k, whose first thread is `first`, to those in use on an SM. */
void occupied_take(struct gpu *g, uint32_t sm, const struct kernel *k, uint32_t first);
void occupied_release(struct gpu *g, uint32_t sm, const struct kernel *k, uint32_t first);

/*
 * blocks.c: stores in *tb the thread block of k that is placed next. Sets *codes to the number of static
 * instructions known after reading the block. The return value is the same as trace_next()'s.
 */
int blocks_next(struct gpu *g, struct kernel *k, struct tblock *tb, uint32_t *codes, struct fault *f);
/* Removes the tracer's marks from the records of a block, because they are not instructions. */
void blocks_drop_marks(const struct gpu *g, struct tblock *tb);
/* Number of records of the longest warp in the next block of k, or 0 if it is unknown. */
uint32_t blocks_peek_longest_warp(struct gpu *g, const struct kernel *k);
/*
 * Reads and reorders blocks until the blocks of the next gang of k are first, in the order of their ranks.
 * blocks_next() then returns them. Returns the number of blocks of the gang.
 */
uint32_t blocks_gather_gang(struct gpu *g, struct kernel *k);
/*
 * Determines k->cluster from the header or from the cluster lines of the first blocks. Returns the number of
 * blocks of a cluster.
 */
uint32_t blocks_determine_cluster(struct gpu *g, struct kernel *k);
/* Returns true if the thread blocks of a kernel may form gangs, judged by the header alone. */
bool blocks_may_form_gangs(const struct kernel_header *h);
void blocks_free(struct kernel *k);
/*
 * gang.c: places as many gangs of the next kernel as fit. Returns false if that kernel has no gangs. A gang
 * waits until enough SMs of one group have space for its thread blocks.
 */
bool gang_place_all(struct gpu *g);
void gang_storage_free(struct gpu *g);
/* Removes the thread block in a slot of s from its gang, if it is in one. */
void gang_cta_ended(struct gpu *g, struct sm *s, uint32_t slot);
/*
 * Places CTAs at the end of a core tick (LAUNCH-place-1). `among` is the set of eligible clusters; NULL makes
 * all clusters eligible.
 */
void launch_ctas(struct gpu *g, const uint64_t *among);
/* Returns true if the next launch_ctas() may place a thread block, or if a kernel has a launch delay. */
bool launch_may_place_cta(const struct gpu *g);
/* Returns true if a kernel from PTX has been loaded. */
bool launch_has_ptx(const struct gpu *g);
/*
 * Number of records of the longest warp in the thread block that is placed next, minus 1. The result is 0 if
 * the number is unknown.
 */
uint32_t launch_peek_longest_warp(struct gpu *g);
/* Advances every launch delay by n ticks (LAUNCH-step-6). */
void launch_advance_delays(struct gpu *g, uint64_t n);
/* Smallest delay of all kernels in run slots, or 0 if no kernel has a delay. */
uint32_t launch_min_delay(const struct gpu *g);
/*
 * Smallest delay of the kernels in run slots that end at the same time as their delay, or 0 if there is no
 * such kernel.
 */
uint32_t launch_min_final_delay(const struct gpu *g);
/*
 * Returns true if a kernel in a run slot has CTAs that were not launched yet and the CTA limit is not
 * reached.
 */
bool launch_has_placeable_ctas(const struct gpu *g);
/* Returns true if all run slots are free. */
bool launch_is_idle(const struct gpu *g);
/*
 * Removes the oldest kernel from the queue of finished kernels and returns it. Returns NULL if the queue is
 * empty.
 */
struct kernel *launch_pop_finished(struct gpu *g);
/* Removes kernel k (LAUNCH-loop-4) and closes its trace. */
void launch_remove_kernel(struct gpu *g, struct kernel *k);

/* sample.c: counts an ended thread block of k, and stops k if its rate of progress is stable. */
void sample_count_ended_cta(struct gpu *g, struct kernel *k);
/* Extrapolates the figures of kernel k, which was stopped and took `cycles` cycles. */
void sample_extrapolate(const struct kernel *k, uint64_t cycles, struct sampled *out);

/* Address of a function's code in the modern core. */
uint64_t launch_code_base(const char *name);
/*
 * warm.c: passes the accesses of a kernel that is not simulated through the cache tags. `code` has the static
 * instructions of such kernels only. Must be called while no kernel is loaded. Returns 0, or -1 and sets *f.
 */
int warm_kernel(struct gpu *g, struct trace *t, struct code *code, struct fault *f);

/*
 * resources.c: returns the number of CTAs of kernel k that fit on an SM (LAUNCH-limit), and sets the L1 size.
 * Ends the program if not even one CTA fits.
 */
uint32_t resources_ctas_per_sm(struct gpu *g, struct kernel *k);

#endif
