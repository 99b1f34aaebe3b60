/* SPDX-License-Identifier: BSD-2-Clause */
#include "meter.h"
void power_op_make_ptx(struct power_op *op, const struct inst *in, unsigned reads)
{
	(void)in;
	*op = (struct power_op){.unit = POWER_NO_UNIT, .reads = (uint8_t)reads};
}
