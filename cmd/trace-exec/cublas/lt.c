/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cublasLt: matrix products that the program describes by objects.
 *
 * Always true: matrices are stored by columns, by rows, or in tiles of 32 columns. An epilogue adds a bias per row, or
 * applies RELU or GELU. There is one algorithm, which needs no workspace. A program that builds an algorithm itself may
 * give it any number and configuration; they have no effect.
 */
#include <string.h>
#include "cublas/lt.h"

int cudaGetDevice(int *to), cudaDeviceGetAttribute(int *to, int which, int device);
int cuMemsetD32Async(uint64_t to, unsigned value, size_t n, void *stream);

enum { COMPUTE_64F = 70, COMPUTE_64F_LAST = 71, COMPUTE_32I = 72, COMPUTE_32I_LAST = 73 };

struct lt_operation {
	int32_t compute, scale, pointer_mode, op_a, op_b, op_c, fill;
	uint32_t epilogue;
	uint64_t bias;
	int64_t bias_batch;
	int32_t bias_type, sms;
	int32_t scale_mode[4];
	int8_t fast;
	uint64_t blocks_of_d, auxiliary_scale, auxiliary_amax;
	int32_t blocks_of_d_mode, auxiliary_type, auxiliary_scale_mode;
	int64_t alpha_batch;
	uint64_t scale_a, scale_b, scale_c, scale_d, amax, auxiliary;
	int64_t auxiliary_pitch, auxiliary_batch;
};
#define A(number, member) \
	{ \
		number, offsetof(struct lt_operation, member), sizeof(((struct lt_operation *)0)->member) \
	}
static const struct lt_attribute operation_attributes[] = {A(0, compute), A(1, scale), A(2, pointer_mode),
	A(3, op_a), A(4, op_b), A(5, op_c), A(6, fill), A(7, epilogue), A(8, bias), A(10, bias_batch),
	A(11, auxiliary), A(12, auxiliary_pitch), A(13, auxiliary_batch), A(15, sms), A(17, scale_a),
	A(18, scale_b), A(19, scale_c), A(20, scale_d), A(21, amax), A(25, fast), A(26, bias_type),
	A(31, scale_mode[0]), A(32, scale_mode[1]), A(33, scale_mode[2]), A(34, scale_mode[3]),
	A(14, alpha_batch), A(22, auxiliary_type), A(23, auxiliary_scale), A(24, auxiliary_amax),
	A(35, auxiliary_scale_mode), A(36, blocks_of_d), A(37, blocks_of_d_mode)};
#undef A

#define A(number, member) \
	{ \
		number, offsetof(struct lt_layout, member), sizeof(((struct lt_layout *)0)->member) \
	}
static const struct lt_attribute layout_attributes[] = {A(0, type), A(1, order), A(2, rows), A(3, columns),
	A(4, pitch), A(5, batches), A(6, batch_stride), A(7, plane), A(8, batch_mode)};
#undef A

/* Preferences: stored, but without effect. */
struct lt_preference {
	uint32_t search, scheme, align_a, align_b, align_c, align_d;
	uint64_t workspace, mask;
	float waves;
};
#define A(number, member) \
	{ \
		number, offsetof(struct lt_preference, member), sizeof(((struct lt_preference *)0)->member) \
	}
static const struct lt_attribute preference_attributes[] = {A(0, search), A(1, workspace), A(3, scheme),
	A(5, align_a), A(6, align_b), A(7, align_c), A(8, align_d), A(9, waves), A(12, mask)};
#undef A

int cublas_lt_set(
	void *object, const struct lt_attribute *table, size_t n, int number, const void *value, size_t bytes)
{
	for (size_t i = 0; object && value && i < n; i++)
		if (table[i].number == number) {
			if (bytes != table[i].bytes)
				return CUBLAS_INVALID_VALUE;
			memcpy((char *)object + table[i].offset, value, bytes);
			return CUBLAS_SUCCESS;
		}
	return CUBLAS_INVALID_VALUE;
}

int cublas_lt_get(const void *object, const struct lt_attribute *table, size_t n, int number, void *value,
	size_t bytes, size_t *written)
{
	for (size_t i = 0; object && i < n; i++)
		if (table[i].number == number) {
			if (written)
				*written = table[i].bytes;
			if (!bytes)
				return written ? CUBLAS_SUCCESS : CUBLAS_INVALID_VALUE;
			if (!value || bytes != table[i].bytes)
				return CUBLAS_INVALID_VALUE;
			memcpy(value, (const char *)object + table[i].offset, bytes);
			return CUBLAS_SUCCESS;
		}
	return CUBLAS_INVALID_VALUE;
}

OBJECT(MatmulDesc, lt_operation, operation_attributes)
OBJECT(MatrixLayout, lt_layout, layout_attributes)
OBJECT(MatmulPreference, lt_preference, preference_attributes)

/* ---- objects ---- */

int cublasCreate_v2(struct cublas_handle **to), cublasDestroy_v2(struct cublas_handle *h);

API(int, cublasLtCreate, struct cublas_handle **to) { return cublasCreate_v2(to); }
API(int, cublasLtDestroy, struct cublas_handle *h) { return cublasDestroy_v2(h); }
API(size_t, cublasLtGetVersion, void) { return 130000; }
API(size_t, cublasLtGetCudartVersion, void) { return 13000; }

static struct lt_operation make_lt_operation(int compute, int scale)
{
	return (struct lt_operation){
		.compute = compute, .scale = scale, .epilogue = EPILOGUE_NONE, .bias_type = TYPE_NONE};
}

API(int, cublasLtMatmulDescCreate, struct lt_operation **to, int compute, int scale)
{
	struct lt_operation *x = to ? calloc(1, sizeof(*x)) : NULL;

	if (!x)
		return to ? CUBLAS_ALLOC_FAILED : CUBLAS_INVALID_VALUE;
	*x = make_lt_operation(compute, scale);
	*to = x;
	return CUBLAS_SUCCESS;
}

/* Initialises an object of `n` bytes that the program provides. */
API(int, cublasLtMatmulDescInit_internal, struct lt_operation *x, size_t n, int compute, int scale)
{
	if (!x || n < sizeof(*x))
		return CUBLAS_INVALID_VALUE;
	*x = make_lt_operation(compute, scale);
	return CUBLAS_SUCCESS;
}

API(int, cublasLtMatrixLayoutCreate, struct lt_layout **to, int type, uint64_t rows, uint64_t columns,
	int64_t pitch)
{
	struct lt_layout *x = to ? calloc(1, sizeof(*x)) : NULL;

	if (!x)
		return to ? CUBLAS_ALLOC_FAILED : CUBLAS_INVALID_VALUE;
	*x = (struct lt_layout){
		.type = (uint32_t)type, .rows = rows, .columns = columns, .pitch = pitch, .batches = 1};
	*to = x;
	return CUBLAS_SUCCESS;
}

API(int, cublasLtMatrixLayoutInit_internal, struct lt_layout *x, size_t n, int type, uint64_t rows,
	uint64_t columns, int64_t pitch)
{
	if (!x || n < sizeof(*x))
		return CUBLAS_INVALID_VALUE;
	*x = (struct lt_layout){
		.type = (uint32_t)type, .rows = rows, .columns = columns, .pitch = pitch, .batches = 1};
	return CUBLAS_SUCCESS;
}

API(int, cublasLtMatmulPreferenceCreate, struct lt_preference **to)
{
	struct lt_preference *x = to ? calloc(1, sizeof(*x)) : NULL;

	if (!x)
		return to ? CUBLAS_ALLOC_FAILED : CUBLAS_INVALID_VALUE;
	*to = x;
	return CUBLAS_SUCCESS;
}

API(int, cublasLtMatmulPreferenceInit_internal, struct lt_preference *x, size_t n)
{
	if (!x || n < sizeof(*x))
		return CUBLAS_INVALID_VALUE;
	memset(x, 0, sizeof(*x));
	return CUBLAS_SUCCESS;
}

/* ---- products ---- */

struct cublas_operand cublas_lt_operand(uint64_t base, const struct lt_layout *l, bool transposed)
{
	bool straight = (l->order == ORDER_COLUMNS) != transposed, tiles = l->order > ORDER_ROWS;

	if (tiles)
		return (struct cublas_operand){.base = base,
			.column_stride = l->pitch,
			.batch_stride = l->batch_stride,
			.type = (int)l->type,
			.tiles = (enum cublas_order)l->order,
			.swapped = transposed};
	return (struct cublas_operand){.base = base,
		.row_stride = straight ? 1 : l->pitch,
		.column_stride = straight ? l->pitch : 1,
		.batch_stride = l->batch_stride,
		.type = (int)l->type};
}

static bool is_lt_complex(const struct lt_layout *l)
{
	return cublas_is_complex((int)l->type) || l->type == TYPE_C16;
}

const char *cublas_lt_unsupported(const struct lt_layout *l)
{
	if (l->order < 0 || l->order >= ORDERS)
		return "this order of a matrix";
	if (l->order > ORDER_ROWS && (l->rows > 1u << 20 || l->columns > 1u << 30))
		return "a matrix of this size in tiles";
	if (is_lt_complex(l) && l->order > ORDER_ROWS)
		return "a complex matrix in tiles";
	if (l->plane && !is_lt_complex(l))
		return "a plane offset of a real matrix";
	return NULL;
}

bool cublas_lt_is_pitch_valid(const struct lt_layout *l)
{
	/* number of rows of a tile; its 32 columns are contiguous */
	static const unsigned rows[ORDERS] = {
		[ORDER_COL32] = 1, [ORDER_COL4_4R2_8C] = 8, [ORDER_COL32_2R_4R4] = 32};

	if (l->order > ORDER_ROWS)
		return l->pitch >= 0 && (uint64_t)l->pitch / 32 >= (l->rows + rows[l->order] - 1) /
									   rows[l->order] * rows[l->order];
	return l->pitch >= 0 && (uint64_t)l->pitch >= (l->order == ORDER_ROWS ? l->columns : l->rows);
}

/* Returns true if the GPU has instructions for FP8. */
static bool has_gpu_fp8(void)
{
	enum { MAJOR = 75, MINOR = 76 }; /* cudaDevAttrComputeCapabilityMajor, ...Minor */
	int device, major, minor;

	return !cudaGetDevice(&device) && !cudaDeviceGetAttribute(&major, MAJOR, device) &&
	       !cudaDeviceGetAttribute(&minor, MINOR, device) && major * 10 + minor >= 89;
}

static const char *find_unsupported_part(const struct lt_operation *x, const struct lt_layout *const *layout)
{
	const uint64_t scales[] = {x->scale_a, x->scale_b, x->scale_c, x->scale_d};
	const char *what;

	for (unsigned i = 0; i < 4; i++) {
		if ((what = cublas_lt_unsupported(layout[i])))
			return what;
		if (scales[i] &&
			!(cublas_is_fp8((int)layout[i]->type) && cublas_is_fp8((int)layout[0]->type)))
			return "a scale of a matrix that is not of FP8";
		if (x->scale_mode[i])
			return "a scale that is not one number for the matrix";
	}
	if (x->blocks_of_d_mode || x->blocks_of_d)
		return "scales of blocks of the result";
	for (unsigned i = 1; i < 4; i++)
		if (layout[i]->batch_mode != layout[0]->batch_mode)
			return "batches of different kinds";
	if (layout[0]->batch_mode > BATCH_POINTERS)
		return "batches in groups";
	if (layout[0]->batch_mode && is_lt_complex(layout[0]))
		return "addresses of batches of a complex product";
	if (layout[0]->batch_mode && x->epilogue & EPILOGUE_BIAS)
		return "a bias of batches with addresses";
	if (x->amax && !(cublas_is_fp8((int)layout[3]->type) && cublas_is_fp8((int)layout[0]->type)))
		return "the greatest magnitude of a result that is not of FP8";
	if (cublas_is_fp8((int)layout[0]->type) && !has_gpu_fp8())
		return "FP8 on a GPU before sm_89";
	if (x->pointer_mode > 1)
		return "alpha as a vector";
	if (x->epilogue & ~(uint32_t)(EPILOGUE_NONE | EPILOGUE_RELU | EPILOGUE_BIAS | EPILOGUE_GELU))
		return "this epilogue";
	if (is_lt_complex(layout[0]) && x->epilogue != EPILOGUE_NONE)
		return "an epilogue of a complex product";
	if (is_lt_complex(layout[0]) && x->scale != TYPE_C32 && x->scale != TYPE_C64)
		return "real scalars of a complex product";
	if (!is_lt_complex(layout[0]) && cublas_is_complex(x->scale))
		return "complex scalars of a real product";
	if (cublas_is_double(x->scale) != (x->compute >= COMPUTE_64F && x->compute <= COMPUTE_64F_LAST))
		return "scalars and sums of different precision";
	if (x->op_a < 0 || x->op_a > 2 || x->op_b < 0 || x->op_b > 2)
		return "this operation on a matrix";
	if (x->op_c || x->fill)
		return "a transposed c, or a part of a matrix";
	if (x->epilogue & EPILOGUE_BIAS && x->bias_batch)
		return "a bias for each batch";
	return NULL;
}

/*
 * Returns the type of the bias: that of d, or, if an FP8 product has a result of FP8 or TYPE_F32, TYPE_F16 or
 * TYPE_BF16.
 */
static int lt_bias_type(const struct lt_operation *x, const struct lt_layout *a, const struct lt_layout *c,
	const struct lt_layout *d)
{
	if (x->bias_type != TYPE_NONE)
		return x->bias_type;
	if (cublas_is_fp8((int)a->type) && (cublas_is_fp8((int)d->type) || d->type == TYPE_F32))
		return c->type == TYPE_F16 ? TYPE_F16 : TYPE_BF16;
	return (int)d->type;
}

/* Sets *p from the descriptions of the operation and of the matrices. Returns 0 or a status. */
static int describe_lt_product(struct cublas_product *p, const struct lt_operation *x,
	const struct lt_layout *a, const struct lt_layout *b, const struct lt_layout *c,
	const struct lt_layout *d)
{
	const struct lt_layout *layout[] = {a, b, c, d};
	const char *what;
	uint64_t k;

	if (!x || !a || !b || !c || !d)
		return CUBLAS_INVALID_VALUE;
	if ((what = find_unsupported_part(x, layout)))
		return cublas_unsupported("cublasLtMatmul", what);
	k = x->op_a ? a->rows : a->columns;
	if (d->rows != (x->op_a ? a->columns : a->rows) || d->columns != (x->op_b ? b->rows : b->columns) ||
		k != (x->op_b ? b->columns : b->rows) || c->rows != d->rows || c->columns != d->columns ||
		a->batches != d->batches || b->batches != d->batches)
		return CUBLAS_INVALID_VALUE;
	*p = (struct cublas_product){.a = cublas_lt_operand(0, a, x->op_a),
		.b = cublas_lt_operand(0, b, x->op_b),
		.c = cublas_lt_operand(0, c, false),
		.d = cublas_lt_operand(0, d, false),
		.m = (int64_t)d->rows,
		.n = (int64_t)d->columns,
		.k = (int64_t)k,
		.batches = d->batches,
		.pointers = a->batch_mode == BATCH_POINTERS,
		.scalars_on_device = x->pointer_mode == 1,
		.scalar = x->compute >= COMPUTE_64F && x->compute <= COMPUTE_64F_LAST   ? TYPE_F64
			  : x->compute >= COMPUTE_32I && x->compute <= COMPUTE_32I_LAST ? TYPE_S32
											: TYPE_F32,
		.half_scalars = x->scale == TYPE_F16 ? TYPE_F16 : TYPE_NONE,
		.epilogue = x->epilogue,
		.bias = x->bias,
		.bias_type = lt_bias_type(x, a, c, d),
		.fp8 = cublas_is_fp8((int)a->type),
		.scale = {x->scale_a, x->scale_b, x->scale_c, x->scale_d},
		.amax = x->amax};
	if (x->scale == TYPE_F32 && p->scalar == TYPE_S32)
		return cublas_unsupported(
			"cublasLtMatmul", "sums of integers with scalars in single precision");
	return p->epilogue & EPILOGUE_BIAS && !p->bias ? CUBLAS_INVALID_VALUE : CUBLAS_SUCCESS;
}

API(int, cublasLtMatmul, struct cublas_handle *h, const struct lt_operation *x, const void *alpha,
	const void *a, const struct lt_layout *layout_a, const void *b, const struct lt_layout *layout_b,
	const void *beta, const void *c, const struct lt_layout *layout_c, void *d,
	const struct lt_layout *layout_d, const void *algorithm, void *workspace, size_t bytes, void *stream)
{
	struct cublas_handle on;
	struct cublas_product p = {.amax = 0};
	int e = h ? describe_lt_product(&p, x, layout_a, layout_b, layout_c, layout_d)
		  : CUBLAS_NOT_INITIALIZED;

	(void)algorithm, (void)workspace, (void)bytes;
	if (e)
		return e;
	on = *h;
	on.stream = stream;
	p.alpha = alpha;
	p.beta = beta;
	p.a.base = (uintptr_t)a;
	p.b.base = (uintptr_t)b;
	/* Without a C, beta must be 0, or D is read, which is possible if it has the same type. */
	p.c.base = (uintptr_t)(c ? c : p.c.type == p.d.type ? d : NULL);
	p.d.base = (uintptr_t)d;
	if (p.amax && cuMemsetD32Async(p.amax, 0, 1, stream))
		return CUBLAS_EXECUTION_FAILED;
	if (is_lt_complex(layout_a))
		return cublas_lt_complex(&on, &p,
			(const int64_t[]){layout_a->plane, layout_b->plane, layout_c->plane, layout_d->plane},
			x->op_a, x->op_b);
	return cublas_multiply(&on, &p);
}

/* ---- algorithms ---- */

/* The configuration of an algorithm, in the 64 bytes that the program provides. */
struct lt_algorithm {
	int32_t id;
	uint32_t tile, split_k, reduction, swizzling, custom, stages;
	uint16_t inner_shape, cluster_shape;
	uint64_t unused[4];
};
_Static_assert(sizeof(struct lt_algorithm) == 64, "size of cublasLtMatmulAlgo_t");
#define A(number, member) \
	{ \
		number, offsetof(struct lt_algorithm, member), sizeof(((struct lt_algorithm *)0)->member) \
	}
static const struct lt_attribute algorithm_attributes[] = {A(0, id), A(1, tile), A(2, split_k),
	A(3, reduction), A(4, swizzling), A(5, custom), A(6, stages), A(7, inner_shape), A(8, cluster_shape)};
#undef A

/*
 * Capabilities of the algorithm. It has one tile, does not split k, and accepts any order and the handle's pointer
 * modes.
 */
static const struct lt_capabilities {
	int32_t split_k;
	uint32_t reductions, swizzling;
	int32_t strided_batches, out_of_place, uplo;
	uint32_t tile;
	int32_t custom_most, custom_order;
	uint32_t pointer_modes, epilogues;
	int32_t negative_pitch;
	uint64_t numerics;
	uint32_t align[4];
	int32_t pointer_batches, emulation;
} lt_capabilities = {.strided_batches = 1,
	.out_of_place = 1,
	.tile = 5, /* CUBLASLT_MATMUL_TILE_16x16 */
	.pointer_modes = 3,
	.epilogues = EPILOGUE_NONE | EPILOGUE_RELU | EPILOGUE_BIAS | EPILOGUE_GELU,
	.align = {1, 1, 1, 1}};
#define A(number, member) \
	{ \
		number, offsetof(struct lt_capabilities, member), \
			sizeof(((struct lt_capabilities *)0)->member) \
	}
static const struct lt_attribute capability_attributes[] = {A(0, split_k), A(1, reductions), A(2, swizzling),
	A(3, strided_batches), A(4, out_of_place), A(5, uplo), A(6, tile), A(7, custom_most),
	A(10, custom_order), A(11, pointer_modes), A(12, epilogues), A(14, negative_pitch), A(15, numerics),
	A(16, align[0]), A(17, align[1]), A(18, align[2]), A(19, align[3]), A(21, pointer_batches),
	A(22, emulation)};
#undef A
enum { CAPABILITY_STAGES = 13 };

API(int, cublasLtMatmulAlgoCapGetAttribute, const struct lt_algorithm *x, int number, void *value,
	size_t bytes, size_t *written)
{
	if (x && number == CAPABILITY_STAGES) { /* a list without an entry */
		if (written)
			*written = 0;
		return written ? CUBLAS_SUCCESS : CUBLAS_INVALID_VALUE;
	}
	return cublas_lt_get(x ? &lt_capabilities : NULL, capability_attributes, COUNT(capability_attributes),
		number, value, bytes, written);
}

API(int, cublasLtMatmulAlgoConfigGetAttribute, const struct lt_algorithm *x, int number, void *value,
	size_t bytes, size_t *written)
{
	return cublas_lt_get(
		x, algorithm_attributes, COUNT(algorithm_attributes), number, value, bytes, written);
}

API(int, cublasLtMatmulAlgoConfigSetAttribute, struct lt_algorithm *x, int number, const void *value,
	size_t bytes)
{
	if (!number) /* the number of the algorithm cannot be changed */
		return CUBLAS_INVALID_VALUE;
	return cublas_lt_set(x, algorithm_attributes, COUNT(algorithm_attributes), number, value, bytes);
}

/* Returns the number of the only algorithm, 0. */
API(int, cublasLtMatmulAlgoGetIds, struct cublas_handle *h, int compute, int scale, int type_a, int type_b,
	int type_c, int type_d, int n, int *id, int *found)
{
	(void)compute, (void)scale, (void)type_a, (void)type_b, (void)type_c, (void)type_d;
	if (!h || !id || n < 1)
		return h ? CUBLAS_INVALID_VALUE : CUBLAS_NOT_INITIALIZED;
	id[0] = 0;
	if (found)
		*found = 1;
	return CUBLAS_SUCCESS;
}

API(int, cublasLtMatmulAlgoInit, struct cublas_handle *h, int compute, int scale, int type_a, int type_b,
	int type_c, int type_d, int id, struct lt_algorithm *to)
{
	(void)compute, (void)scale, (void)type_a, (void)type_b, (void)type_c, (void)type_d;
	if (!h || !to || id < 0)
		return h ? CUBLAS_INVALID_VALUE : CUBLAS_NOT_INITIALIZED;
	*to = (struct lt_algorithm){.id = id};
	return CUBLAS_SUCCESS;
}

struct lt_choice {
	struct lt_algorithm algorithm;
	size_t workspace;
	int state;
	float waves;
	int reserved[4];
};

/* Describes the cost of a product with an algorithm of the program. */
API(int, cublasLtMatmulAlgoCheck, struct cublas_handle *h, const struct lt_operation *x,
	const struct lt_layout *a, const struct lt_layout *b, const struct lt_layout *c,
	const struct lt_layout *d, const struct lt_algorithm *algorithm, struct lt_choice *to)
{
	struct cublas_product p;
	int e = !h                  ? CUBLAS_NOT_INITIALIZED
		: !algorithm || !to ? CUBLAS_INVALID_VALUE
				    : describe_lt_product(&p, x, a, b, c, d);

	if (!e)
		*to = (struct lt_choice){.algorithm = *algorithm, .waves = 1};
	return e;
}

/* Returns the only algorithm. */
API(int, cublasLtMatmulAlgoGetHeuristic, struct cublas_handle *h, const struct lt_operation *x,
	const struct lt_layout *a, const struct lt_layout *b, const struct lt_layout *c,
	const struct lt_layout *d, const struct lt_preference *preference, int n, struct lt_choice *to,
	int *found)
{
	struct cublas_product p;
	int e = h ? describe_lt_product(&p, x, a, b, c, d) : CUBLAS_NOT_INITIALIZED;

	(void)preference;
	if (!found || !to || n < 1)
		return CUBLAS_INVALID_VALUE;
	*found = 0;
	if (e)
		return e;
	*to = (struct lt_choice){.waves = 1};
	*found = 1;
	return CUBLAS_SUCCESS;
}
