/* SPDX-License-Identifier: BSD-2-Clause */
/* A conversion between two scalar types, and functions that convert all lanes at once. */
#ifndef CVT_H
#define CVT_H

#include "sem/sem.h"

struct cvt {
	enum type d, s;           /* types of the destination and the source */
	uint8_t d_bytes, s_bytes; /* bytes of the registers of the destination and the source */
	bool sat, ftz, relu, satfinite;
	enum rounding round;
	uint8_t integral_rounding; /* rounding to a whole number: INTEGRAL_... */
};
enum { INTEGRAL_NO, INTEGRAL_RN, INTEGRAL_RZ, INTEGRAL_RM, INTEGRAL_RP };

/* Returns the function that executes a common conversion for all lanes at once; NULL if there is none. */
op_fn *cvt_vector_function(const struct cvt *c);

#endif
