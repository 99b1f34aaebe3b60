/* SPDX-License-Identifier: BSD-2-Clause */
/* Interface between the translations of machine code and PTX. */
#ifndef UOP_INT_H
#define UOP_INT_H

#include "uop.h"

/* Sets the unit of u->class, which must exist and be reachable. Returns 0, or -1 and sets *f. */
int uop_unit(struct uop *u, const struct inst *in, const struct core_params *p, struct fault *f);
/* Sets next, registers, bank_src and bank_reads from pc and reg[]. */
void uop_derive(struct uop *u, const struct core_params *p);

/* Sets the way in which an instruction synchronises. */
void uop_set_sync(struct uop *u, enum uop_sync sync);

int uop_make_ptx(struct uop *u, const struct inst *in, const struct params *p, struct fault *f);

#endif
