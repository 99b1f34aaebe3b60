/* SPDX-License-Identifier: BSD-2-Clause */
/* Handles and their modes, names of statuses, copies of vectors and matrices. */
#include <stdlib.h>
#include <string.h>
#include "cublas/cublas.h"

int cuInit(unsigned flags), cudaFree(void *p), cuMemAlloc_v2(uint64_t *to, size_t n),
	cuMemFree_v2(uint64_t addr);
int cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
	size_t height, int kind, void *stream);
int cudaStreamSynchronize(void *stream);
int cudart_report(const char *function, const char *what);

#define VERSION_NUMBER 130000

int cublas_unsupported(const char *function, const char *what)
{
	cudart_report(function, what);
	return CUBLAS_NOT_SUPPORTED;
}

size_t cublas_type_bytes(int type)
{
	switch (type) {
	case TYPE_C64: return 16;
	case TYPE_C32:
	case TYPE_F64: return 8;
	case TYPE_F32:
	case TYPE_S32: return 4;
	case TYPE_F16:
	case TYPE_BF16: return 2;
	case TYPE_E4M3:
	case TYPE_E5M2:
	case TYPE_S8: return 1;
	default: return 0;
	}
}

/* ---- handles ---- */

API(int, cublasCreate_v2, struct cublas_handle **to)
{
	struct cublas_handle *h;

	if (!to)
		return CUBLAS_INVALID_VALUE;
	/* Makes the runtime's context current in this thread. */
	if (cudaFree(NULL) || cuInit(0))
		return CUBLAS_NOT_INITIALIZED;
	h = calloc(1, sizeof(*h));
	if (!h)
		return CUBLAS_ALLOC_FAILED;
	*to = h;
	return CUBLAS_SUCCESS;
}

API(int, cublasDestroy_v2, struct cublas_handle *h)
{
	if (!h)
		return CUBLAS_NOT_INITIALIZED;
	if (h->scratch)
		cuMemFree_v2(h->scratch);
	free(h);
	return CUBLAS_SUCCESS;
}

API(int, cublasGetVersion_v2, struct cublas_handle *h, int *to)
{
	(void)h;
	if (!to)
		return CUBLAS_INVALID_VALUE;
	*to = VERSION_NUMBER;
	return CUBLAS_SUCCESS;
}

/* Stores part `which` of the version: 0: major, 1: minor, 2: patch level. */
API(int, cublasGetProperty, int which, int *to)
{
	if (!to || which < 0 || which > 2)
		return CUBLAS_INVALID_VALUE;
	*to = which ? 0 : VERSION_NUMBER / 10000;
	return CUBLAS_SUCCESS;
}

API(size_t, cublasGetCudartVersion, void) { return 13000; }

/* Defines functions that set and get a member of the handle. */
#define MODE(what, type, member, suffix) \
	API(int, cublasSet##what##suffix, struct cublas_handle *h, type value) \
	{ \
		if (!h) \
			return CUBLAS_NOT_INITIALIZED; \
		h->member = value; \
		return CUBLAS_SUCCESS; \
	} \
	API(int, cublasGet##what##suffix, struct cublas_handle *h, type *to) \
	{ \
		if (!h || !to) \
			return h ? CUBLAS_INVALID_VALUE : CUBLAS_NOT_INITIALIZED; \
		*to = h->member; \
		return CUBLAS_SUCCESS; \
	}

MODE(Stream, void *, stream, _v2)
MODE(PointerMode, int, scalars_on_device, _v2)
MODE(MathMode, int, math, )
MODE(AtomicsMode, int, atomics, )
MODE(SmCountTarget, int, sms, )
MODE(EmulationStrategy, int, emulation, )

/* Ignores the workspace: no kernel needs one. */
API(int, cublasSetWorkspace_v2, struct cublas_handle *h, void *base, size_t n)
{
	(void)base, (void)n;
	return h ? CUBLAS_SUCCESS : CUBLAS_NOT_INITIALIZED;
}

static const struct {
	int code;
	const char *name, *text;
} statuses[] = {
	{0, "CUBLAS_STATUS_SUCCESS", "success"},
	{1, "CUBLAS_STATUS_NOT_INITIALIZED", "not initialized"},
	{3, "CUBLAS_STATUS_ALLOC_FAILED", "allocation failed"},
	{7, "CUBLAS_STATUS_INVALID_VALUE", "invalid value"},
	{8, "CUBLAS_STATUS_ARCH_MISMATCH", "architecture mismatch"},
	{11, "CUBLAS_STATUS_MAPPING_ERROR", "mapping error"},
	{13, "CUBLAS_STATUS_EXECUTION_FAILED", "execution failed"},
	{14, "CUBLAS_STATUS_INTERNAL_ERROR", "internal error"},
	{15, "CUBLAS_STATUS_NOT_SUPPORTED", "not supported"},
	{16, "CUBLAS_STATUS_LICENSE_ERROR", "license error"},
};

static const char *cublas_status_text(int status, bool name)
{
	for (unsigned i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
		if (statuses[i].code == status)
			return name ? statuses[i].name : statuses[i].text;
	return "unknown status";
}

API(const char *, cublasGetStatusName, int status) { return cublas_status_text(status, true); }
API(const char *, cublasGetStatusString, int status) { return cublas_status_text(status, false); }
API(const char *, cublasLtGetStatusName, int status) { return cublas_status_text(status, true); }
API(const char *, cublasLtGetStatusString, int status) { return cublas_status_text(status, false); }

/* ---- copies ---- */

enum { HOST_TO_DEVICE = 1, DEVICE_TO_HOST };

/*
 * Copies `rows` by `columns` elements of `bytes` bytes. The pitches are the distances between columns, in
 * elements.
 */
static int copy_matrix(int64_t rows, int64_t columns, int64_t bytes, const void *from, int64_t from_pitch,
	void *to, int64_t to_pitch, int kind, void *stream)
{
	if (rows < 0 || columns < 0 || bytes <= 0 || from_pitch < rows || to_pitch < rows)
		return CUBLAS_INVALID_VALUE;
	if (!rows || !columns)
		return CUBLAS_SUCCESS;
	return cudaMemcpy2DAsync(to, (size_t)(to_pitch * bytes), from, (size_t)(from_pitch * bytes),
		       (size_t)(rows * bytes), (size_t)columns, kind, stream) ||
			       (!stream && cudaStreamSynchronize(stream))
		       ? CUBLAS_EXECUTION_FAILED
		       : CUBLAS_SUCCESS;
}

/* Defines the copies. A vector with increments is copied as a matrix of one row. */
#define COPIES(INT, suffix) \
	API(int, cublasSetMatrixAsync##suffix, INT rows, INT columns, INT bytes, const void *from, \
		INT from_pitch, void *to, INT to_pitch, void *stream) \
	{ \
		return copy_matrix( \
			rows, columns, bytes, from, from_pitch, to, to_pitch, HOST_TO_DEVICE, stream); \
	} \
	API(int, cublasGetMatrixAsync##suffix, INT rows, INT columns, INT bytes, const void *from, \
		INT from_pitch, void *to, INT to_pitch, void *stream) \
	{ \
		return copy_matrix( \
			rows, columns, bytes, from, from_pitch, to, to_pitch, DEVICE_TO_HOST, stream); \
	} \
	API(int, cublasSetMatrix##suffix, INT rows, INT columns, INT bytes, const void *from, \
		INT from_pitch, void *to, INT to_pitch) \
	{ \
		return copy_matrix( \
			rows, columns, bytes, from, from_pitch, to, to_pitch, HOST_TO_DEVICE, NULL); \
	} \
	API(int, cublasGetMatrix##suffix, INT rows, INT columns, INT bytes, const void *from, \
		INT from_pitch, void *to, INT to_pitch) \
	{ \
		return copy_matrix( \
			rows, columns, bytes, from, from_pitch, to, to_pitch, DEVICE_TO_HOST, NULL); \
	} \
	API(int, cublasSetVectorAsync##suffix, INT n, INT bytes, const void *from, INT from_step, void *to, \
		INT to_step, void *stream) \
	{ \
		return copy_matrix(1, n, bytes, from, from_step, to, to_step, HOST_TO_DEVICE, stream); \
	} \
	API(int, cublasGetVectorAsync##suffix, INT n, INT bytes, const void *from, INT from_step, void *to, \
		INT to_step, void *stream) \
	{ \
		return copy_matrix(1, n, bytes, from, from_step, to, to_step, DEVICE_TO_HOST, stream); \
	} \
	API(int, cublasSetVector##suffix, INT n, INT bytes, const void *from, INT from_step, void *to, \
		INT to_step) \
	{ \
		return copy_matrix(1, n, bytes, from, from_step, to, to_step, HOST_TO_DEVICE, NULL); \
	} \
	API(int, cublasGetVector##suffix, INT n, INT bytes, const void *from, INT from_step, void *to, \
		INT to_step) \
	{ \
		return copy_matrix(1, n, bytes, from, from_step, to, to_step, DEVICE_TO_HOST, NULL); \
	}

COPIES(int, )
COPIES(int64_t, _64)
