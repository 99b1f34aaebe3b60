/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bounds of limits.def as values. Internal to libcommon.
 */
#ifndef PACK_LIMITS_H
#define PACK_LIMITS_H

#include <stdint.h>

struct pack_limits {
#define LIMIT(name, most, what) uint32_t name;
#include "limits.def"
};

/* Writable only for tests, which reach a bound with little text. */
extern struct pack_limits pack_limits;

/* Largest values of fields of fixed size, in memory or in the stream. */
#define REGISTERS_MAX 31u
#define IMMS_MAX      3u

#endif
