/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes the time that the modern core's distributor of thread blocks needs; see distributor.h. */
#include "distributor.h"
#include "launch.h"

/* Retires as many CTAs as fit into the idle time up to `now`. Retiring one CTA takes the time `retire`. */
static void retire_while_idle(struct launch *l, uint64_t retire, uint64_t now)
{
	uint64_t n = now > l->next_placement_at && retire ? (now - l->next_placement_at) / retire : 0;

	n = n < l->ctas_to_retire ? n : l->ctas_to_retire;
	l->ctas_to_retire -= (uint32_t)n;
	l->next_placement_at += n * retire;
}

void distributor_count_placement(struct gpu *g)
{
	const struct modern_params *m = &g->params.modern;
	struct launch *l = g->launch;
	uint64_t now = gpu_now(g) * MILLION;

	retire_while_idle(l, m->cta_retire, now);
	l->next_placement_at = max_u64(l->next_placement_at, now) + m->cta_interval;
	if (l->ctas_to_retire) {
		l->ctas_to_retire--;
		l->next_placement_at += m->cta_retire;
	}
}

void distributor_count_cta_end(struct gpu *g)
{
	const struct modern_params *m = &g->params.modern;
	struct launch *l = g->launch;
	uint64_t now = (gpu_now(g) + 1) * MILLION;

	if (!m->cta_retire)
		return;
	retire_while_idle(l, m->cta_retire, now);
	if (now >= l->next_placement_at && !l->ctas_to_retire)
		l->next_placement_at = now + m->cta_retire;
	else
		l->ctas_to_retire++;
}

bool distributor_can_place(const struct gpu *g)
{
	return !g->params.modern.enabled || g->launch->next_placement_at < (gpu_now(g) + 1) * MILLION;
}
