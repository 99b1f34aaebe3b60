/* SPDX-License-Identifier: BSD-2-Clause */
/* What the translations of machine code and of PTX share. Internal to libcommon. */
#ifndef UOP_INT_H
#define UOP_INT_H

#include "uop.h"

/* The unit of u->class, which must exist and be reachable. 0, or -1 and *f. */
int uop_unit(struct uop *u, const struct inst *in, const struct core_params *p, struct fault *f);
/* next, and what follows from reg[]: registers, bank_src. */
void uop_derive(struct uop *u);

int uop_make_ptx(struct uop *u, const struct inst *in, const struct params *p, struct fault *f);

#endif
