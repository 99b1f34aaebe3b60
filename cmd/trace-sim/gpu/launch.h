/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loading, launching, selecting and placing kernels (LAUNCH-loop, LAUNCH-place). Used by run.c and gpu.c.
 *
 * Always true: a kernel is in the list of loaded ones from its header's reading to its removal; in a run
 * slot from launch until its last CTA has ended. Thread blocks are read when they are placed, in file
 * order, whatever ids they carry (quirk Q1-26).
 */
#ifndef LAUNCH_H
#define LAUNCH_H

#include "gpu.h"

struct launch {
	struct kernel **loaded; /* in load order */
	uint32_t n_loaded, cap_loaded;
	struct kernel **slot;   /* run slots */
	uint32_t selected_slot; /* the one of LAUNCH-place-4 */
	uint32_t last_cluster;  /* that received a CTA */
	uint32_t *last_sm;      /* per cluster, within it */
	uint32_t next_uid;
	struct kernel **finished; /* FIFO of kernels whose CTAs have all ended */
	uint32_t n_finished, cap_finished;
	struct kernel **fresh; /* first selected since the last block */
	uint32_t n_fresh, cap_fresh;
	bool retry;            /* something changed that may let a CTA be placed */
	uint64_t next_cta_at;  /* with the modern core: when, in millionths of a cycle */
	uint32_t to_take_back; /* CTAs that ended while others were placed (-core_cta_retire) */
	uint32_t ctas_left;    /* kernels in slots with CTAs to issue */
	uint32_t delayed;      /* kernels in slots with a launch delay */
	bool ptx;              /* one of them, so far, was from PTX */
	bool ldgsts;           /* an instruction met so far is LDGSTS */
	/* concurrent mode: what each SM has given away (LAUNCH-place-5) */
	struct occupied {
		uint64_t thread[32];
		uint32_t threads, shmem, regs, ctas;
	} * occupied;
	void (*on_block)(void *ctx, const struct kernel *k); /* progress: a thread block was placed */
	void *ctx;
};

int launch_init(struct gpu *g);
void launch_free(struct gpu *g);

/* LAUNCH-loop-2: an opened kernel joins the list; owns t. */
struct kernel *launch_load(
	struct gpu *g, struct trace *t, const char *path, uint32_t position, struct fault *f);
/* LAUNCH-loop-3. */
void launch_kernels(struct gpu *g);
/* LAUNCH-place-1: the end of a core tick. */
void launch_ctas(struct gpu *g, const uint64_t *among);
bool launch_may_place(const struct gpu *g); /* the next pass may place a thread block, or a launch delay runs */
bool launch_has_ptx(const struct gpu *g);     /* a kernel from PTX has been loaded */
/* Records of the longest warp of the thread block that is placed next, less one; 0: not known. */
uint32_t launch_next_records(struct gpu *g);
/* LAUNCH-step-6: one tick of every launch delay; n ticks at once when skipping. */
void launch_delays(struct gpu *g, uint64_t n);
/* Smallest non-zero delay of a kernel in a slot, 0: none waits. */
uint32_t launch_min_delay(const struct gpu *g);
/* The same of kernels that end with it; that happens in a step. */
uint32_t launch_min_closing_delay(const struct gpu *g);
/* A kernel in a slot has CTAs left and the CTA limit is not reached. */
bool launch_has_ctas(const struct gpu *g);
bool launch_idle(const struct gpu *g); /* no kernel is in a slot */
/* Oldest finished kernel, or NULL. */
struct kernel *launch_pop_finished(struct gpu *g);
/* Forget kernel k (LAUNCH-loop-4) and close its trace. */
void launch_remove(struct gpu *g, struct kernel *k);

/*
 * sample.c: a thread block of k has ended; and what its
 * figures stand for, when it was stopped after so many cycles.
 */
void sample_cta_ended(struct gpu *g, struct kernel *k);
void sample_result(const struct kernel *k, uint64_t cycles, struct sampled *out);

/* Where the code of a function lies for the modern core. */
uint64_t launch_code_base(const char *name);
/*
 * warm.c: a kernel that is left out, through the tags of the caches; code: of such kernels only. Only while
 * no kernel is loaded. 0, or -1 and *f.
 */
int warm_kernel(struct gpu *g, struct trace *t, struct code *code, struct fault *f);

/*
 * resources.c: LAUNCH-limit. CTAs per SM of kernel k; also sets the L1 size. Dies where the machine is too
 * small.
 */
uint32_t resources_limit(struct gpu *g, struct kernel *k);

#endif
