/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Peak rates of a configured GPU, for roofline plots: operations per second of each kind (flops.h), and bytes
 * per second of each memory level. They are derived from the same parameters that limit the simulation.
 */
#ifndef PEAKS_H
#define PEAKS_H

#include "params.h"
#include "record.h"

/*
 * Writes the figures peak_operations[KIND] and peak_bytes[LEVEL]. Kinds that the GPU does not have are left
 * out.
 */
void peaks_write(struct record_writer *w, const struct params *p);

#endif
