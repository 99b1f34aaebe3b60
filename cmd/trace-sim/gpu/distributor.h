/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A GPU with the modern core has one distributor, which places CTAs and retires ended CTAs. While both kinds
 * of work are pending, it alternates: it retires one CTA before it places the next. While there is no CTA to
 * place, it retires all ended CTAs.
 */
#ifndef DISTRIBUTOR_H
#define DISTRIBUTOR_H

#include "gpu.h"

/* Number of time units per cycle. The options for the distributor's times use this unit. */
#define MILLION 1000000u

/*
 * Returns true if the distributor may place a CTA in this cycle. Without the modern core the result is always
 * true.
 */
bool distributor_can_place(const struct gpu *g);
/* Adds the time of placing a CTA to the distributor's time. */
void distributor_count_placement(struct gpu *g);
/* Adds the time of retiring an ended CTA to the distributor's time. */
void distributor_count_cta_end(struct gpu *g);

#endif
