/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects of cublasLt and their attributes, for lt.c and transform.c. */
#ifndef CUBLAS_LT_H
#define CUBLAS_LT_H

#include <stdlib.h>
#include "cublas/cublas.h"

/*
 * Attribute of a description: its number, and the member that stores it. The program passes values of `bytes`
 * bytes.
 */
struct lt_attribute {
	int number;
	size_t offset, bytes;
};

/* Each function returns a status. A get with 0 bytes only stores the attribute's size. */
int cublas_lt_set(void *object, const struct lt_attribute *table, size_t n, int number, const void *value,
	size_t bytes);
int cublas_lt_get(const void *object, const struct lt_attribute *table, size_t n, int number, void *value,
	size_t bytes, size_t *written);

enum { BATCH_STRIDED, BATCH_POINTERS };
/* A matrix. */
struct lt_layout {
	uint32_t type;
	int32_t order;
	uint64_t rows, columns;
	int64_t pitch;
	int32_t batches;
	uint32_t batch_mode; /* BATCH_STRIDED, or BATCH_POINTERS: bases are addresses of arrays of addresses */
	int64_t batch_stride, plane;
};

/* Returns the operand at address `base` that a layout describes; its rows and columns change places if `transposed`. */
struct cublas_operand cublas_lt_operand(uint64_t base, const struct lt_layout *l, bool transposed);
/* Returns the part of a layout that is not supported, or NULL. */
const char *cublas_lt_unsupported(const struct lt_layout *l);
/* Returns true if no element of the matrix has the address of another one. */
bool cublas_lt_is_pitch_valid(const struct lt_layout *l);

/*
 * complex.c: d = alpha * a * b + beta * c of complex matrices. plane: distances of imaginary parts, in bytes; 0: next
 * to the real ones. An operation of 2 conjugates the matrix. Returns a status.
 */
int cublas_lt_complex(
	struct cublas_handle *h, const struct cublas_product *p, const int64_t plane[4], int op_a, int op_b);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Defines the functions that free an object, and set and get its attributes. */
#define OBJECT(name, type, table) \
	API(int, cublasLt##name##Destroy, struct type *x) \
	{ \
		free(x); \
		return CUBLAS_SUCCESS; \
	} \
	API(int, cublasLt##name##SetAttribute, struct type *x, int number, const void *value, size_t bytes) \
	{ \
		return cublas_lt_set(x, table, COUNT(table), number, value, bytes); \
	} \
	API(int, cublasLt##name##GetAttribute, const struct type *x, int number, void *value, size_t bytes, \
		size_t *written) \
	{ \
		return cublas_lt_get(x, table, COUNT(table), number, value, bytes, written); \
	}

#endif
