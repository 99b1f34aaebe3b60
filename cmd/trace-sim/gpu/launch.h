/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loading, launching, selecting and placing kernels (LAUNCH-loop, LAUNCH-place). Used by run.c and gpu.c.
 *
 * Always true: a kernel is in the list of loaded kernels from the reading of its header to its removal, and
 * in a run slot from its launch until its last CTA has ended. Thread blocks are read when they are placed,
 * in file order, whatever their ids (quirk Q1-26).
 */
#ifndef LAUNCH_H
#define LAUNCH_H

#include "gpu.h"

struct launch {
	struct kernel **loaded; /* in load order */
	uint32_t n_loaded, cap_loaded;
	struct kernel **slot;   /* run slots */
	uint32_t selected_slot; /* run slot selected last (LAUNCH-place-4) */
	uint32_t last_cluster;  /* cluster that received a CTA last */
	uint32_t *last_sm;      /* SM that received a CTA last, by cluster; index within the cluster */
	uint32_t next_uid;
	struct kernel **finished; /* FIFO of kernels whose CTAs have all ended */
	uint32_t n_finished, cap_finished;
	struct kernel **fresh; /* kernels first selected since the last printed block */
	uint32_t n_fresh, cap_fresh;
	bool retry;           /* something has changed that may let a CTA be placed */
	uint64_t next_cta_at; /* with the modern core: time of the next placement in millionths of a cycle */
	uint32_t to_retire;   /* ended CTAs that the distributor has not retired yet (-core_cta_retire) */
	uint32_t ctas_left;   /* kernels in run slots with CTAs left to place */
	uint32_t delayed;     /* kernels in run slots with a launch delay */
	uint32_t gang_kernels; /* loaded kernels with gangs, or whose thread blocks may tell that there are some */
	struct gang *gangs; /* storage of gangs; NULL: none so far */
	struct gang *free_gangs;
	uint32_t gangs_made;
	uint32_t gang_number; /* gangs placed so far */
	uint32_t last_gpc;    /* group of SMs that received a gang last */
	bool ptx;             /* a kernel loaded so far was from PTX */
	bool ldgsts;          /* an instruction read so far is LDGSTS */
	bool syncs;           /* an instruction read so far synchronises (UOP_SYNC) */
	bool marks;           /* an instruction read so far is a mark of the tracer */
	/* concurrent mode: resources of each SM in use (LAUNCH-place-5) */
	struct occupied {
		uint64_t thread[32];
		uint32_t threads, shmem, regs, ctas;
	} * occupied;
	void (*on_block)(void *ctx, const struct kernel *k); /* called when a thread block has been placed */
	void *ctx;
};

int launch_init(struct gpu *g);
void launch_free(struct gpu *g);

/* Adds the kernel of an opened trace to the list of loaded ones (LAUNCH-loop-2); owns t. */
struct kernel *launch_load(
	struct gpu *g, struct trace *t, const char *path, uint32_t position, struct fault *f);
/* Moves loaded kernels into free run slots (LAUNCH-loop-3). */
void launch_kernels(struct gpu *g);
/* launch.c, for gang.c: true if a CTA of k fits on SM s; *first: its first hardware thread in concurrent mode. */
bool launch_fits(struct gpu *g, struct sm *s, struct kernel *k, int *first);
/* The same: places the next CTA of k. Returns its slot. */
uint32_t launch_place(struct gpu *g, struct sm *s, struct kernel *k, int first);
/* The same: the kernel to place a CTA of (LAUNCH-place-4); NULL: none. */
struct kernel *launch_next_kernel(struct gpu *g);
/* The same: true if k has CTAs left, and no limit of CTAs forbids them. */
bool launch_allows(const struct gpu *g, const struct kernel *k);
/*
 * blocks.c: takes the thread block of k that is placed next, with the result of trace_next(). *codes: number of static
 * instructions known up to it.
 */
int blocks_next(struct gpu *g, struct kernel *k, struct tblock *tb, uint32_t *codes, struct fault *f);
/* Removes the marks of the tracer, which are no instructions, from the records of a block. */
void blocks_drop_marks(const struct gpu *g, struct tblock *tb);
/* Number of records of the longest warp of the next block; 0: unknown. */
uint32_t blocks_peek(struct gpu *g, const struct kernel *k);
/*
 * Makes the blocks of the next gang of k those that blocks_next() takes next, in the order of their ranks. Returns their
 * number.
 */
uint32_t blocks_gather(struct gpu *g, struct kernel *k);
/* Sets k->cluster by the header, or by the lines of the first blocks. Returns the number of blocks of a cluster. */
uint32_t blocks_of_cluster(struct gpu *g, struct kernel *k);
/* Returns whether the thread blocks of k may be gangs, before blocks_of_cluster() has been called. */
bool blocks_may_gang(const struct kernel_header *h);
void blocks_free(struct kernel *k);
/*
 * gang.c: places gangs while the next kernel has some. Returns false if that kernel has none. A gang waits until enough
 * SMs of one group have space for its thread blocks.
 */
bool gang_launch(struct gpu *g);
void gang_storage_free(struct gpu *g);
/* Removes the thread block in a slot of s from its gang, if it has one. */
void gang_cta_ended(struct gpu *g, struct sm *s, uint32_t slot);
/* Places CTAs at the end of a core tick (LAUNCH-place-1). among: set of clusters; NULL: all. */
void launch_ctas(struct gpu *g, const uint64_t *among);
/* True if the next pass may place a thread block, or a launch delay runs. */
bool launch_may_place(const struct gpu *g);
/* True if a kernel from PTX has been loaded. */
bool launch_has_ptx(const struct gpu *g);
/* Number of records minus 1 of the longest warp of the thread block that is placed next; 0: unknown. */
uint32_t launch_next_records(struct gpu *g);
/* Advances every launch delay by n ticks (LAUNCH-step-6). */
void launch_delays(struct gpu *g, uint64_t n);
/* Smallest launch delay of a kernel in a run slot; 0: none. */
uint32_t launch_min_delay(const struct gpu *g);
/* The same over kernels that end, in a step, when their delay does. */
uint32_t launch_min_closing_delay(const struct gpu *g);
/* True if a kernel in a run slot has CTAs left and the CTA limit is not reached. */
bool launch_has_ctas(const struct gpu *g);
/* True if all run slots are free. */
bool launch_idle(const struct gpu *g);
/* Removes the oldest finished kernel from its queue; NULL: none. */
struct kernel *launch_pop_finished(struct gpu *g);
/* Removes kernel k (LAUNCH-loop-4) and closes its trace. */
void launch_remove(struct gpu *g, struct kernel *k);

/* sample.c: counts an ended thread block of k and decides whether k is stopped. */
void sample_cta_ended(struct gpu *g, struct kernel *k);
/* Extrapolates the figures of a kernel that was stopped after `cycles`. */
void sample_result(const struct kernel *k, uint64_t cycles, struct sampled *out);

/* Address of a function's code in the modern core. */
uint64_t launch_code_base(const char *name);
/*
 * warm.c: passes a kernel that is not simulated through the tags of the caches. code: static instructions of
 * such kernels only. Requires that no kernel is loaded. Returns 0, or -1 and sets *f.
 */
int warm_kernel(struct gpu *g, struct trace *t, struct code *code, struct fault *f);

/*
 * resources.c: number of CTAs of kernel k per SM (LAUNCH-limit). Also sets the L1 size. Ends the program if
 * one CTA does not fit.
 */
uint32_t resources_limit(struct gpu *g, struct kernel *k);

#endif
