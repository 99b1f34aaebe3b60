/* SPDX-License-Identifier: BSD-2-Clause */
/* Interface of matrices of 8-bit elements in shared memory: ldmatrix and stmatrix, LDSM and STSM; sem/matrix.c. */
#ifndef MATRIX_H
#define MATRIX_H

#include "sem/sem.h"

/* Shapes of matrices in shared memory whose elements occupy 8 bits of a register. */
enum matrix_shape {
	MATRIX_8X16,  /* load; lane l has four elements of row l / 4 */
	MATRIX_16X16, /* load, transposed; a matrix has two registers, lane l has four elements of a column */
	MATRIX_16X8,  /* store, transposed; lane l has two elements of each of two columns */
};

/*
 * Moves the n registers r of all lanes from or to rows of 16 elements at the addresses of 8 n lanes. row_bytes: 16, or
 * 12 and 8 if memory has elements of 6 and 4 bits, which a load extends by zeros.
 */
void matrix_move_bytes(
	u32 *const *r, unsigned n, enum matrix_shape shape, unsigned row_bytes, uint8_t *const *at);

#endif
