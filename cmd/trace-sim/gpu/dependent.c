/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programmatic launches (HOPPER-pdl): a kernel whose header says so may start when each thread block of the kernel
 * before it in its stream has executed PREEXIT or ended.
 *
 * Always true: kernels of a stream start in the order of loading. A kernel that releases another has no thread block
 * left to place. While more than one kernel is loaded, windows have one cycle (LAUNCH-window-9).
 */
#include "launch.h"

/* Returns the last of the first n loaded kernels that is in this stream; NULL: there is none. */
static struct kernel *last_in_stream(const struct launch *l, uint32_t n, uint16_t stream)
{
	while (n-- > 0)
		if (l->loaded[n]->stream == stream)
			return l->loaded[n];
	return NULL;
}

void dependent_link(const struct launch *l, struct kernel *k)
{
	struct kernel *before = last_in_stream(l, l->n_loaded, k->stream);

	if (k->head->programmatic && before)
		before->dependent = k;
}

/* Returns the position of k in the list of loaded kernels. */
static uint32_t position_of(const struct launch *l, const struct kernel *k)
{
	uint32_t i = 0;

	while (l->loaded[i] != k)
		i++;
	return i;
}

/* Returns true if an earlier kernel of the stream of k has started and not ended. */
static bool is_stream_running(const struct launch *l, const struct kernel *k)
{
	for (uint32_t i = 0; l->loaded[i] != k; i++)
		if (l->loaded[i]->launched && !l->loaded[i]->done && l->loaded[i]->stream == k->stream)
			return true;
	return false;
}

/* Returns true if a kernel of the stream of k has started and was not removed from the list. */
static bool is_stream_busy(const struct launch *l, const struct kernel *k)
{
	for (uint32_t i = 0; i < l->n_loaded; i++)
		if (l->loaded[i]->launched && l->loaded[i]->stream == k->stream)
			return true;
	return false;
}

/* Returns true if each thread block of k has executed PREEXIT or ended. */
static bool releases_dependent(const struct gpu *g, const struct kernel *k)
{
	uint32_t left = k->running_ctas;

	if (!k->launched || (k->next_cta < k->n_ctas && !k->done))
		return false;
	for (uint32_t i = 0; i < g->params.sms && left; i++)
		for (uint32_t slot = 0; g->sm[i].live_ctas && slot < MAX_CTAS; slot++)
			if (g->sm[i].cta[slot].kernel == k) {
				if (!g->sm[i].cta[slot].preexited)
					return false;
				left--;
			}
	return true;
}

bool dependent_may_start(const struct gpu *g, const struct kernel *k)
{
	const struct launch *l = g->launch;
	const struct kernel *before;

	if (!k->head->programmatic)
		return !is_stream_busy(l, k);
	before = last_in_stream(l, position_of(l, k), k->stream);
	return !before || releases_dependent(g, before);
}

void dependent_start(struct gpu *g, struct kernel *k)
{
	struct launch *l = g->launch;
	struct kernel *before = last_in_stream(l, position_of(l, k), k->stream);
	uint64_t now = gpu_now(g);

	l->started = true;
	k->delay_begin = now;
	if (before) { /* only a programmatic launch may start before the kernel before it is removed */
		k->delay_begin = min_u64(now, before->placeable_at);
		k->delay -= (uint32_t)min_u64(k->delay, now - k->delay_begin);
		before->dependent = NULL;
		k->held = is_stream_running(l, k);
	}
	k->placeable_at = now + k->delay;
	if (!gpu_has_live_cta(g) || !k->held)
		return;
	if (!occupied_is_in_use(g))
		occupied_count(g);
	k->early = true;
	l->n_early++;
}

void dependent_update(struct gpu *g)
{
	struct launch *l = g->launch;

	l->dependents_due = false;
	launch_kernels(g);
	for (uint32_t i = 0; i < l->n_loaded; i++) {
		struct kernel *k = l->loaded[i];

		if (!k->held || is_stream_running(l, k))
			continue;
		k->held = false;
		for (uint32_t s = 0; s < g->params.sms; s++)
			grid_end_waits(&g->sm[s], k, gpu_now(g));
	}
}
