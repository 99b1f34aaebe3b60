/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A GPU with the modern core has one distributor, which places CTAs and retires ended ones. It alternates
 * while it has both to do: it retires one CTA before it places the next. While it has none to place, it
 * retires all that wait.
 */
#ifndef DISTRIBUTOR_H
#define DISTRIBUTOR_H

#include "gpu.h"

/* The options of its times are in millionths of a cycle. */
#define MILLION 1000000u

/* True if the distributor may place a CTA in this cycle. Without the modern core it always may. */
bool distributor_due(const struct gpu *g);
/* Advances the distributor by the placement of a CTA. */
void distributor_placed(struct gpu *g);
/* Advances the distributor by a CTA that has ended. */
void distributor_ended(struct gpu *g);

#endif
