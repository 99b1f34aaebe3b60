/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Peak rates of the GPU of a configuration, for roofline plots: operations of each kind (flops.h) and bytes of each level
 * of memory, per second. They follow from the same parameters that bound the simulation.
 */
#ifndef PEAKS_H
#define PEAKS_H

#include "params.h"
#include "record.h"

/* Writes the figures peak_operations[KIND] and peak_bytes[LEVEL]; a kind that the GPU lacks is left out. */
void peaks_write(struct record_writer *w, const struct params *p);

#endif
