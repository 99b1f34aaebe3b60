/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Launches the kernels. A kernel's module is loaded at its first use and stays loaded until the program ends.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "cublas/cublas.h"

int cuModuleLoadData(void **to, const void *code),
	cuModuleGetFunction(void **to, void *module, const char *name);
int cuLaunchKernel(void *kernel, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
	unsigned shared, void *stream, void **args, void **extra);
int cuMemAlloc_v2(uint64_t *to, size_t n), cudaMemcpy(void *to, const void *from, size_t n, int kind);
int cudaFree(void *p);

enum { FLAG_POINTERS = 1, FLAG_SCALARS_ON_DEVICE = 2, FLAG_ADD = 4, DEVICE_TO_HOST = 2 };

/* ---- kernels ---- */

struct loaded_kernel {
	struct loaded_kernel *next;
	char key[64];
	void *kernel;
};
static struct loaded_kernel *kernels;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/*
 * Returns the kernel with this key, which is loaded from `text` at its first use. Frees `text`. Returns NULL if
 * the kernel cannot be loaded.
 */
static void *load_cublas_kernel(const char *key, const char *name, char *text)
{
	struct loaded_kernel *l;
	void *module;

	for (l = kernels; l && strcmp(l->key, key); l = l->next)
		;
	if (!l && text && (l = calloc(1, sizeof(*l)))) {
		snprintf(l->key, sizeof(l->key), "%s", key);
		if (cuModuleLoadData(&module, text) || cuModuleGetFunction(&l->kernel, module, name)) {
			free(l);
			l = NULL;
		} else {
			l->next = kernels;
			kernels = l;
		}
	}
	free(text);
	return l ? l->kernel : NULL;
}

static bool is_kernel_loaded(const char *key)
{
	struct loaded_kernel *l = kernels;

	while (l && strcmp(l->key, key))
		l = l->next;
	return l;
}

static int launch_cublas_kernel(
	void *kernel, const unsigned grid[3], unsigned block_x, unsigned block_y, void *stream, void **args)
{
	if (!kernel)
		return CUBLAS_NOT_SUPPORTED;
	return cuLaunchKernel(kernel, grid[0], grid[1], grid[2], block_x, block_y, 1, 0, stream, args, NULL)
		       ? CUBLAS_EXECUTION_FAILED
		       : CUBLAS_SUCCESS;
}

int cublas_launch_grid(struct cublas_handle *h, const char *key, const char *name, char *text,
	const unsigned grid[3], unsigned block_x, unsigned block_y, void **args)
{
	void *kernel;

	cudaFree(NULL);
	pthread_mutex_lock(&lock);
	kernel = load_cublas_kernel(key, name, text);
	pthread_mutex_unlock(&lock);
	return launch_cublas_kernel(kernel, grid, block_x, block_y, h->stream, args);
}

int cublas_launch_text(struct cublas_handle *h, const char *key, const char *name, char *text,
	unsigned blocks, unsigned threads, void **args)
{
	return cublas_launch_grid(h, key, name, text, (unsigned[]){blocks, 1, 1}, threads, 1, args);
}

/* ---- products ---- */

static float half_to_single(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 1023, bits;
	float value;

	if (exponent == 0) {
		value = (float)fraction / 16777216;
		return sign ? -value : value;
	}
	bits = sign | (exponent == 31 ? 255u : exponent + 112) << 23 | fraction << 13;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

/*
 * Returns a scalar for the kernel: its address on the device, or its value in the sum's type (0 for a NULL
 * scalar).
 */
static uint64_t scalar_argument(const struct cublas_product *p, const void *scalar)
{
	uint64_t word = 0;

	if (p->scalars_on_device)
		return (uintptr_t)scalar;
	if (scalar && p->half_scalars == TYPE_F16) {
		float value = half_to_single(*(const uint16_t *)scalar);

		memcpy(&word, &value, sizeof(value));
	} else if (scalar) {
		memcpy(&word, scalar, cublas_type_bytes(p->scalar));
	}
	return word;
}

/*
 * Returns true if alpha * a + beta * c of these types is supported. Scalars of single precision are supported with each
 * type.
 */
static bool is_sum_supported(const struct cublas_product *p)
{
	const int types[] = {p->a.type, p->c.type, p->d.type};

	for (unsigned i = 0; i < 3; i++)
		switch (p->scalar) {
		case TYPE_F64:
			if (types[i] != TYPE_F64)
				return false;
			break;
		case TYPE_S32:
			if (types[i] != TYPE_S32 && types[i] != TYPE_S8)
				return false;
			break;
		default:
			if (types[i] != TYPE_F32 && types[i] != TYPE_F16 && types[i] != TYPE_BF16 &&
				types[i] != TYPE_S32 && types[i] != TYPE_S8)
				return false;
		}
	return true;
}

/* Returns true if an FP8 product of these types is supported. */
static bool is_fp8_product_supported(const struct cublas_product *p)
{
	bool d = p->d.type == TYPE_F32 || p->d.type == TYPE_F16 || p->d.type == TYPE_BF16 ||
		 cublas_is_fp8(p->d.type);
	bool c = p->c.type == TYPE_F32 || p->c.type == TYPE_F16 || p->c.type == TYPE_BF16 ||
		 cublas_is_fp8(p->c.type);

	return p->scalar == TYPE_F32 && cublas_is_fp8(p->a.type) && cublas_is_fp8(p->b.type) && c && d;
}

static bool is_product_supported(const struct cublas_product *p)
{
	if (p->without_b)
		return is_sum_supported(p);
	if (p->fp8)
		return is_fp8_product_supported(p);
	if (cublas_is_fp8(p->a.type) || cublas_is_fp8(p->b.type) || cublas_is_fp8(p->c.type) ||
		cublas_is_fp8(p->d.type))
		return false;
	bool narrow = p->a.type != TYPE_F64 && p->b.type != TYPE_F64 && p->d.type != TYPE_F64;

	if (cublas_is_complex(p->a.type) || cublas_is_complex(p->b.type) || cublas_is_complex(p->c.type) ||
		cublas_is_complex(p->d.type))
		return false;
	if (!cublas_type_bytes(p->a.type) || !cublas_type_bytes(p->b.type) || !cublas_type_bytes(p->c.type) ||
		!cublas_type_bytes(p->d.type))
		return false;
	if (p->scalar == TYPE_S32)
		return p->a.type == TYPE_S8 && p->b.type == TYPE_S8 && p->c.type == p->d.type &&
		       (p->d.type == TYPE_S32 || p->d.type == TYPE_S8);
	return p->scalar == TYPE_F64 ? p->a.type == TYPE_F64 && p->b.type == TYPE_F64 && p->d.type == TYPE_F64
				     : p->scalar == TYPE_F32 && narrow && p->d.type != TYPE_S32;
}

int cublas_multiply(struct cublas_handle *h, const struct cublas_product *p)
{
	char key[64];
	uint64_t alpha = scalar_argument(p, p->alpha), beta = scalar_argument(p, p->beta);
	unsigned tiles = 0, m = (unsigned)p->m, n = (unsigned)p->n, k = (unsigned)p->k;
	unsigned flags =
		(p->pointers ? FLAG_POINTERS : 0u) | (p->scalars_on_device ? FLAG_SCALARS_ON_DEVICE : 0u);
	struct cublas_product q = *p;
	void *kernel, *args[] = {&q.a.base, &q.b.base, &q.c.base, &q.d.base, &q.bias, &q.a.row_stride,
			      &q.a.column_stride, &q.a.batch_stride, &q.b.row_stride, &q.b.column_stride,
			      &q.b.batch_stride, &q.c.row_stride, &q.c.column_stride, &q.c.batch_stride,
			      &q.d.row_stride, &q.d.column_stride, &q.d.batch_stride, &alpha, &beta, &m, &n,
			      &k, &flags, &q.scale[0], &q.scale[1], &q.scale[2], &q.scale[3], &q.amax};
	const struct cublas_operand *operands[] = {&p->a, &p->b, &p->c, &p->d};

	if (p->m < 0 || p->n < 0 || p->k < 0 || p->batches < 0 || !p->alpha || !p->beta)
		return CUBLAS_INVALID_VALUE;
	if (!p->m || !p->n || !p->batches)
		return CUBLAS_SUCCESS;
	if (!is_product_supported(p))
		return cublas_unsupported(
			p->without_b ? "cublasLtMatrixTransform" : "cublas product", "these types");
	if (p->m > INT32_MAX || p->n > 65535 * 16 || p->k > INT32_MAX || p->batches > 65535)
		return cublas_unsupported("cublas product", "a matrix of this size");
	for (unsigned i = 0; i < 4; i++)
		tiles = tiles << 4 | (unsigned)operands[i]->tiles << 1 | operands[i]->swapped;
	snprintf(key, sizeof(key), "product %d %d %d %d %d %d %u %d %x %d %d", p->a.type, p->b.type,
		p->c.type, p->d.type, p->scalar, p->half_scalars, p->epilogue, p->bias_type, tiles,
		p->without_b, p->fp8);
	cudaFree(NULL);
	pthread_mutex_lock(&lock);
	kernel = load_cublas_kernel(key, "product", is_kernel_loaded(key) ? NULL : cublas_product_text(p));
	pthread_mutex_unlock(&lock);
	return launch_cublas_kernel(kernel, (unsigned[]){(m + 15) / 16, (n + 15) / 16, (unsigned)p->batches},
		16, 16, h->stream, args);
}

/* ---- vectors ---- */

/* Returns the address of a vector's first element, which is the last one in memory if the step is negative. */
static uint64_t first_element_address(uint64_t base, int64_t n, int64_t step, int type)
{
	return step < 0 ? base + (uint64_t)((1 - n) * step) * cublas_type_bytes(type) : base;
}

int cublas_add(struct cublas_handle *h, int64_t n, const void *alpha, int type, uint64_t x, int64_t x_step,
	uint64_t y, int64_t y_step, int beta)
{
	static const double one = 1;
	static const float single = 1;
	struct cublas_product p = {.scalar = type == TYPE_F64 ? TYPE_F64 : TYPE_F32,
		.half_scalars = TYPE_NONE,
		.scalars_on_device = h->scalars_on_device && alpha};
	uint64_t a = first_element_address(x, n, x_step, type), d = first_element_address(y, n, y_step, type);
	uint64_t word = scalar_argument(&p, alpha              ? alpha
					    : type == TYPE_F64 ? (const void *)&one
							       : (const void *)&single);
	unsigned count = (unsigned)n,
		 flags = (beta ? FLAG_ADD : 0u) | (p.scalars_on_device ? FLAG_SCALARS_ON_DEVICE : 0u);
	void *kernel, *args[] = {&a, &d, &x_step, &y_step, &word, &count, &flags};
	char key[64];

	if (n <= 0)
		return CUBLAS_SUCCESS;
	if (n > INT32_MAX)
		return cublas_unsupported("cublas vector function", "a vector of this size");
	snprintf(key, sizeof(key), "add %d", type);
	pthread_mutex_lock(&lock);
	kernel = load_cublas_kernel(key, "add", is_kernel_loaded(key) ? NULL : cublas_scaled_add_text(type));
	pthread_mutex_unlock(&lock);
	return launch_cublas_kernel(kernel, (unsigned[]){(count + 255) / 256, 1, 1}, 256, 1, h->stream, args);
}

int cublas_result_begin(struct cublas_handle *h, void *to, uint64_t *at)
{
	if (!to)
		return CUBLAS_INVALID_VALUE;
	if (!h->scalars_on_device && !h->scratch && cuMemAlloc_v2(&h->scratch, 16))
		return CUBLAS_ALLOC_FAILED;
	*at = h->scalars_on_device ? (uintptr_t)to : h->scratch;
	return CUBLAS_SUCCESS;
}

int cublas_result_end(const struct cublas_handle *h, int e, void *to, size_t bytes)
{
	if (!e && !h->scalars_on_device &&
		cudaMemcpy(to, (const void *)(uintptr_t)h->scratch, bytes, DEVICE_TO_HOST))
		return CUBLAS_EXECUTION_FAILED;
	return e;
}

int cublas_sum(struct cublas_handle *h, enum cublas_sum what, int64_t n, int type, uint64_t x, int64_t x_step,
	uint64_t y, int64_t y_step, void *to)
{
	uint64_t a = first_element_address(x, n, x_step, type), b = first_element_address(y, n, y_step, type),
		 d;
	unsigned count = n > 0 ? (unsigned)n : 0;
	void *kernel, *args[] = {&a, &b, &x_step, &y_step, &d, &count};
	char key[64];
	int e;

	if (n > INT32_MAX)
		return cublas_unsupported("cublas vector function", "a vector of this size");
	e = cublas_result_begin(h, to, &d);
	if (e)
		return e;
	snprintf(key, sizeof(key), "sum %d %d", type, (int)what);
	pthread_mutex_lock(&lock);
	kernel = load_cublas_kernel(key, "sum", is_kernel_loaded(key) ? NULL : cublas_sum_text(type, what));
	pthread_mutex_unlock(&lock);
	e = launch_cublas_kernel(kernel, (unsigned[]){1, 1, 1}, 256, 1, h->stream, args);
	return cublas_result_end(h, e, to, cublas_type_bytes(type));
}
