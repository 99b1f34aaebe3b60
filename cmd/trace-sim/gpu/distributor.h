/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A GPU with the modern core has one distributor, which places CTAs and retires ended CTAs. While both kinds
 * of work are pending, it alternates: it retires one CTA before it places the next. While there is no CTA to
 * place, it retires all that have ended.
 */
#ifndef DISTRIBUTOR_H
#define DISTRIBUTOR_H

#include "gpu.h"

/* The options that set its times have the unit of a millionth of a cycle. */
#define MILLION 1000000u

/*
 * Returns true if the distributor may place a CTA in this cycle. Without the modern core this is always so.
 */
bool distributor_can_place(const struct gpu *g);
/* Accounts for the time of placing a CTA. */
void distributor_count_placement(struct gpu *g);
/* Accounts for the time of retiring a CTA that has ended. */
void distributor_count_end(struct gpu *g);

#endif
