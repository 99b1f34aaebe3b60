/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cuBLAS and cublasLt for programs under trace-exec --run: a separate shared library over the driver's interface.
 *
 *   handle.c         handles, modes, copies of vectors and matrices to and from the device
 *   text.c           kernels as PTX, generated for the types of a call
 *   product.c        launches of these kernels
 *   calls.c          gemm, gemv, ger and vector functions (calls.h)
 *   blas.c           general products, solutions, vectors (blas.h)
 *   general.c        kernels and launches of blas.c
 *   band.c           products with band and packed matrices (band.h)
 *   givens.c         Givens rotations of scalars
 *   lt.c             cublasLt (lt.h)
 *   complex.c        complex products of cublasLt
 *   transform.c      sums and transposes of matrices by cublasLt
 *   least_squares.c  QR factors and least squares of batches
 *   factor.c         LU factors, solutions and inverses of batches of small matrices
 *   legacy.c         functions without a handle
 *   refused.c        functions that are not executed (cublas.def)
 *
 * Always true: the kernels are warptools' own, not NVIDIA's: simple tiles of 16 by 16 through shared memory, or one
 * block for a sum. They are checked and traced like the program's kernels. A half-precision product is summed in
 * single precision.
 */
#ifndef CUBLAS_H
#define CUBLAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Defines a function of the interface. The library exports only these functions. */
#define API(type, name, ...) \
	type name(__VA_ARGS__); \
	__attribute__((visibility("default"))) type name(__VA_ARGS__)

enum cublas_status {
	CUBLAS_SUCCESS = 0,
	CUBLAS_NOT_INITIALIZED = 1,
	CUBLAS_ALLOC_FAILED = 3,
	CUBLAS_INVALID_VALUE = 7,
	CUBLAS_EXECUTION_FAILED = 13,
	CUBLAS_NOT_SUPPORTED = 15
};

/* Types of elements, numbered as in cudaDataType. */
enum cublas_type {
	TYPE_F32 = 0,
	TYPE_F64 = 1,
	TYPE_F16 = 2,
	TYPE_S8 = 3,
	TYPE_C32 = 4, /* complex, of two TYPE_F32 */
	TYPE_C64 = 5,
	TYPE_C16 = 6, /* only in cublasLt */
	TYPE_S32 = 10,
	TYPE_BF16 = 14,
	TYPE_E4M3 = 28, /* FP8 */
	TYPE_E5M2 = 29,
	TYPE_NONE = -1
};
/* Returns the number of bytes of an element, or 0 if the type is not supported. */
size_t cublas_type_bytes(int type);

/* Returns true if the type is TYPE_C32 or TYPE_C64. */
static inline bool cublas_is_complex(int type) { return type == TYPE_C32 || type == TYPE_C64; }
/* Returns true if the type has 8 bits and an exponent. */
static inline bool cublas_is_fp8(int type) { return type == TYPE_E4M3 || type == TYPE_E5M2; }
/* Returns true if numbers of the type, or their parts, have double precision. */
static inline bool cublas_is_double(int type) { return type == TYPE_F64 || type == TYPE_C64; }

enum cublas_epilogue { EPILOGUE_NONE = 1, EPILOGUE_RELU = 2, EPILOGUE_BIAS = 4, EPILOGUE_GELU = 32 };

struct cublas_handle {
	void *stream;
	bool scalars_on_device; /* pointer mode */
	int math, atomics;
	int sms, emulation; /* settings without an effect */
	uint64_t scratch;   /* address of 16 bytes of device memory for a result; 0: not allocated */
};

/* Orders of the elements of a matrix, numbered as in cublasLtOrder_t. The last three have tiles of 32 columns. */
enum cublas_order { ORDER_COLUMNS, ORDER_ROWS, ORDER_COL32, ORDER_COL4_4R2_8C, ORDER_COL32_2R_4R4, ORDERS };

/*
 * A matrix or vector. Element (row, column, batch) is at base + row * row_stride + column * column_stride +
 * batch * batch_stride; strides are in elements. If `tiles` is not 0, column_stride is the distance of tiles, and an
 * element's place in a tile is that of its order.
 */
struct cublas_operand {
	/* address of element 0, or, with cublas_product.pointers, of an array of one address per batch */
	uint64_t base;
	int64_t row_stride, column_stride, batch_stride;
	int type;
	enum cublas_order tiles; /* 0, or an order with tiles */
	bool swapped;            /* with tiles: the row is a column of the stored matrix */
};

/*
 * d = epilogue(alpha * a * b + beta * c + bias) for each batch. a has m by k elements, b has k by n. FP8 products
 * multiply alpha by the scales of a and b, beta by that of c, and the result by that of d; the greatest magnitude of
 * the results is taken before the last scale.
 */
struct cublas_product {
	struct cublas_operand a, b, c, d;
	int64_t m, n, k, batches;
	const void *alpha, *beta;
	bool scalars_on_device, pointers;
	int scalar; /* type of alpha, beta and the sum (enum cublas_type): TYPE_F32, TYPE_F64 or TYPE_S32 */
	int half_scalars; /* TYPE_F16 if alpha and beta have this type; TYPE_NONE if they have the type `scalar` */
	unsigned epilogue; /* epilogue flags (enum cublas_epilogue) */
	uint64_t bias;
	int bias_type;
	bool without_b;    /* d = alpha * a + beta * c */
	bool fp8;          /* a and b have FP8 types */
	uint64_t scale[4]; /* FP8: addresses of scales (TYPE_F32) of a, b, c and d; 0: 1 */
	uint64_t amax; /* FP8: address of the greatest magnitude (TYPE_F32), which is 0 before; 0: not stored */
};

/*
 * product.c: sets *at to the address at which a kernel stores a result for the program's address `to`: `to` itself if
 * it is on the device, else the handle's scratch. Returns a status (enum cublas_status).
 */
int cublas_result_begin(struct cublas_handle *h, void *to, uint64_t *at);
/*
 * Copies the result of `bytes` bytes from the scratch to `to`, if it is there. e: status of the kernel. Returns a
 * status.
 */
int cublas_result_end(const struct cublas_handle *h, int e, void *to, size_t bytes);

/* product.c: each function launches a kernel and returns a status (enum cublas_status). */
int cublas_multiply(struct cublas_handle *h, const struct cublas_product *p);
/* Computes y = alpha * x + beta * y. A NULL alpha means 1. beta is 0 or 1. */
int cublas_add(struct cublas_handle *h, int64_t n, const void *alpha, int type, uint64_t x, int64_t x_step,
	uint64_t y, int64_t y_step, int beta);
enum cublas_sum { SUM_PRODUCTS, SUM_SQUARES, SUM_MAGNITUDES };
/* Stores the sum of x * y, the root of the sum of x * x, or the sum of |x| at `to`. */
int cublas_sum(struct cublas_handle *h, enum cublas_sum what, int64_t n, int type, uint64_t x, int64_t x_step,
	uint64_t y, int64_t y_step, void *to);

/*
 * Launches a grid of the kernel `name`, which is loaded from `text` at the first use of its key. Frees `text`. Returns
 * a status.
 */
int cublas_launch_grid(struct cublas_handle *h, const char *key, const char *name, char *text,
	const unsigned grid[3], unsigned block_x, unsigned block_y, void **args);
/* Launches blocks of threads of a kernel, as cublas_launch_grid() does. */
int cublas_launch_text(struct cublas_handle *h, const char *key, const char *name, char *text,
	unsigned blocks, unsigned threads, void **args);

/* text.c: each function returns the PTX of a kernel, which the caller frees, or NULL if memory is exhausted. */
char *cublas_product_text(const struct cublas_product *p);
char *cublas_scaled_add_text(int type);
char *cublas_sum_text(int type, enum cublas_sum what);

/* handle.c: prints a message once. Returns CUBLAS_NOT_SUPPORTED. */
int cublas_unsupported(const char *function, const char *what);

#endif
