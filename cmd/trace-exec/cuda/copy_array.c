/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies of a row of bytes to, from and between arrays. */
#include "cuda/cuda.h"

static struct cuda_copy_end make_array_end(struct array *a, size_t x)
{
	return (struct cuda_copy_end){.kind = KIND_ARRAY, .array = a, .x = x};
}

static struct cuda_copy_end make_host_end(const void *p)
{
	return (struct cuda_copy_end){.kind = KIND_HOST, .host = (char *)(uintptr_t)p};
}

static struct cuda_copy_end make_device_end(uint64_t addr)
{
	return (struct cuda_copy_end){.kind = KIND_DEVICE, .device = addr};
}

static int copy_array_row(struct cuda_copy_end to, struct cuda_copy_end from, size_t n, struct stream *s)
{
	return cuda_copy_box(&(struct cuda_copy_3d){from, to, n, 1, 1}, s);
}
DRIVER_TOO(cuMemcpyHtoA_v2, cuMemcpyHtoA_v2_ptds,
	copy_array_row(make_array_end(to, x), make_host_end(from), n, NULL), struct array *to, size_t x,
	const void *from, size_t n)
DRIVER_TOO(cuMemcpyDtoA_v2, cuMemcpyDtoA_v2_ptds,
	copy_array_row(make_array_end(to, x), make_device_end(from), n, NULL), struct array *to, size_t x,
	uint64_t from, size_t n)
DRIVER_TOO(cuMemcpyAtoH_v2, cuMemcpyAtoH_v2_ptds,
	copy_array_row(make_host_end(to), make_array_end(from, x), n, NULL), void *to, struct array *from,
	size_t x, size_t n)
DRIVER_TOO(cuMemcpyAtoD_v2, cuMemcpyAtoD_v2_ptds,
	copy_array_row(make_device_end(to), make_array_end(from, x), n, NULL), uint64_t to,
	struct array *from, size_t x, size_t n)
DRIVER_TOO(cuMemcpyAtoA_v2, cuMemcpyAtoA_v2_ptds,
	copy_array_row(make_array_end(to, x), make_array_end(from, y), n, NULL), struct array *to, size_t x,
	struct array *from, size_t y, size_t n)
STREAM_TOO(cuMemcpyHtoAAsync_v2, cuMemcpyHtoAAsync_v2_ptsz,
	copy_array_row(make_array_end(to, x), make_host_end(from), n, s), struct array *to, size_t x,
	const void *from, size_t n, struct stream *s)
STREAM_TOO(cuMemcpyAtoHAsync_v2, cuMemcpyAtoHAsync_v2_ptsz,
	copy_array_row(make_host_end(to), make_array_end(from, x), n, s), void *to, struct array *from,
	size_t x, size_t n, struct stream *s)
