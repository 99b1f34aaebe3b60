/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reserved addresses, and memory that is mapped there.
 *
 * Memory is mapped at one address at a time. While it is mapped, its bytes are stored at that address. If it
 * still has an owner when it is unmapped, its bytes are saved in `saved_bytes` until it is mapped again. Always true:
 * a kernel cannot access mapped memory before cuMemSetAccess().
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "arena.h"
#include "cuda/cuda.h"

#define GRANULARITY ((size_t)2 << 20)

struct cuda_memory {
	struct cuda_memory *next;
	size_t bytes;
	uint64_t addr;        /* address at which the memory is mapped; 0: not mapped */
	size_t mapped_bytes;  /* number of mapped bytes */
	uint8_t *saved_bytes; /* bytes saved while the memory is not mapped; NULL: zeros */
	/* calls of cuMemCreate, cuMemRetainAllocationHandle, cuMemImportFromShareableHandle, minus cuMemRelease */
	uint32_t owners;
	int handles;    /* kinds of handles that the program may export */
	int descriptor; /* file whose descriptors identify the memory; -1: none */
};
static struct cuda_memory *memories;
static uint64_t unmapped_bytes;

struct memory_properties {
	int type, handles;
	struct memory_location location;
	void *windows;
	unsigned char flags[8];
};
struct memory_access {
	struct memory_location location;
	int flags;
};
enum { TYPE_PINNED = 1, AT_DEVICE = 1, READ_AND_WRITE = 3, HANDLE_DESCRIPTOR = 1 };

static struct cuda_memory *find_memory_by_handle(uint64_t handle)
{
	struct cuda_memory *m = memories;

	while (m && (uintptr_t)m != handle)
		m = m->next;
	return m && m->owners ? m : NULL;
}

static struct cuda_memory *find_mapped_memory(uint64_t addr)
{
	struct cuda_memory *m = memories;

	while (m && (!m->addr || addr < m->addr || addr - m->addr >= m->mapped_bytes))
		m = m->next;
	return m;
}

/* Locks the device for a call. Returns 0 or a status. */
static int lock_device(void) { return cudart_enter(false); }

static int unlock_device(int e)
{
	cudart_leave(cudaSuccess);
	return e;
}

static int check_memory_properties(const struct memory_properties *p)
{
	if (!p)
		return cudaErrorInvalidValue;
	if (p->handles & ~HANDLE_DESCRIPTOR)
		return cudart_unsupported("cuMemCreate", "a handle other than a file descriptor");
	if (p->type != TYPE_PINNED || p->location.type != AT_DEVICE)
		return cudart_unsupported("cuMemCreate", "memory that is not on the device");
	return p->location.id ? cudaErrorInvalidDevice : cudaSuccess;
}

static int get_granularity(size_t *to, const struct memory_properties *p, int option)
{
	int e = option < 0 || option > 1 ? cudaErrorInvalidValue : check_memory_properties(p);

	return e ? e : STORED(to, GRANULARITY);
}
DEVICE(cuMemGetAllocationGranularity, get_granularity(to, p, option), size_t *to,
	const struct memory_properties *p, int option)

/* ---- addresses ---- */

/* Reserves addresses. The address that the program wants is only a hint, and is ignored. */
static int reserve_addresses(uint64_t *to, size_t n, size_t alignment, unsigned long long flags)
{
	uint64_t addr = 0;
	int e = lock_device();

	if (!e && (!to || !n || n % GRANULARITY || flags || alignment & (alignment - 1)))
		e = cudaErrorInvalidValue;
	if (!e && !(addr = cudart_reserve(n, alignment > GRANULARITY ? alignment : GRANULARITY)))
		e = cudaErrorMemoryAllocation;
	if (!e)
		*to = addr;
	return unlock_device(e);
}
DEVICE(cuMemAddressReserve, ((void)wanted, reserve_addresses(to, n, alignment, flags)), uint64_t *to,
	size_t n, size_t alignment, uint64_t wanted, unsigned long long flags)

static int free_addresses(uint64_t addr, size_t n)
{
	int e = lock_device();

	for (const struct cuda_memory *m = memories; !e && m; m = m->next)
		if (m->addr && m->addr < addr + n && addr < m->addr + m->mapped_bytes)
			e = cudaErrorInvalidValue;
	if (!e && !cudart_unreserve(addr, n))
		e = cudaErrorInvalidValue;
	return unlock_device(e);
}
DEVICE(cuMemAddressFree, free_addresses(addr, n), uint64_t addr, size_t n)

/* ---- memory ---- */

static int create_memory(uint64_t *to, size_t n, const struct memory_properties *p, unsigned long long flags)
{
	int e = lock_device();
	struct cuda_memory *m;

	if (!e && (!to || !n || n % GRANULARITY || flags))
		e = cudaErrorInvalidValue;
	if (!e)
		e = check_memory_properties(p);
	if (!e && n > cudart.wire.memory_bytes - cudart.allocated_bytes - unmapped_bytes)
		e = cudaErrorMemoryAllocation;
	if (!e) {
		m = xcalloc(1, sizeof(*m));
		*m = (struct cuda_memory){
			.next = memories, .bytes = n, .owners = 1, .handles = p->handles, .descriptor = -1};
		memories = m;
		unmapped_bytes += n;
		*to = (uintptr_t)m;
	}
	return unlock_device(e);
}
DEVICE(cuMemCreate, create_memory(to, n, p, flags), uint64_t *to, size_t n, const struct memory_properties *p,
	unsigned long long flags)

/* Frees memory that has no owner and is not mapped. */
static void free_if_unused(struct cuda_memory *m)
{
	if (m->owners || m->addr)
		return;
	unmapped_bytes -= m->bytes;
	for (struct cuda_memory **i = &memories; *i; i = &(*i)->next)
		if (*i == m) {
			*i = m->next;
			break;
		}
	if (m->descriptor >= 0)
		close(m->descriptor);
	free(m->saved_bytes);
	free(m);
}

static int release_memory_handle(uint64_t handle)
{
	int e = lock_device();
	struct cuda_memory *m = find_memory_by_handle(handle);

	if (!e && !m)
		e = cudaErrorInvalidValue;
	if (!e) {
		m->owners--;
		free_if_unused(m);
	}
	return unlock_device(e);
}
DEVICE(cuMemRelease, release_memory_handle(handle), uint64_t handle)

static int retain_memory(uint64_t *to, uint64_t addr)
{
	int e = lock_device();
	struct cuda_memory *m = find_mapped_memory(addr);

	if (!e && (!to || !m))
		e = cudaErrorInvalidValue;
	if (!e) {
		m->owners++;
		*to = (uintptr_t)m;
	}
	return unlock_device(e);
}
DEVICE(cuMemRetainAllocationHandle, retain_memory(to, (uintptr_t)addr), uint64_t *to, void *addr)

static int get_memory_properties(struct memory_properties *to, uint64_t handle)
{
	int e = lock_device();

	const struct cuda_memory *m = find_memory_by_handle(handle);

	if (!e && (!to || !m))
		e = cudaErrorInvalidValue;
	if (!e)
		*to = (struct memory_properties){
			.type = TYPE_PINNED, .handles = m->handles, .location = {AT_DEVICE, 0}};
	return unlock_device(e);
}
DEVICE(cuMemGetAllocationPropertiesFromHandle, get_memory_properties(to, handle),
	struct memory_properties *to, uint64_t handle)

/* ---- file descriptors of memory ---- */

/* Stores a new file descriptor that identifies the memory in this process. Returns 0 or a status. */
static int export_memory(int *to, uint64_t handle, int type, unsigned long long flags)
{
	int e = lock_device();
	struct cuda_memory *m = find_memory_by_handle(handle);

	if (!e && (!to || !m || flags || type != HANDLE_DESCRIPTOR || !(m->handles & HANDLE_DESCRIPTOR)))
		e = cudaErrorInvalidValue;
	if (!e && m->descriptor < 0)
		m->descriptor = memfd_create("device memory", MFD_CLOEXEC);
	if (!e)
		*to = dup(m->descriptor);
	return unlock_device(e ? e : *to < 0 ? cudaErrorOperatingSystem : cudaSuccess);
}
DEVICE(cuMemExportToShareableHandle, export_memory(to, handle, type, flags), int *to, uint64_t handle,
	int type, unsigned long long flags)

static bool is_same_file(int a, int b)
{
	struct stat of_a, of_b;

	return !fstat(a, &of_a) && !fstat(b, &of_b) && of_a.st_dev == of_b.st_dev &&
	       of_a.st_ino == of_b.st_ino;
}

static int import_memory(uint64_t *to, int descriptor, int type)
{
	int e = lock_device();
	struct cuda_memory *m = memories;

	while (m && !(m->descriptor >= 0 && is_same_file(m->descriptor, descriptor)))
		m = m->next;
	if (!e && (!to || type != HANDLE_DESCRIPTOR))
		e = cudaErrorInvalidValue;
	if (!e && !m)
		e = cudart_unsupported("cuMemImportFromShareableHandle", "memory of another process");
	if (!e && m) {
		m->owners++;
		*to = (uintptr_t)m;
	}
	return unlock_device(e);
}
DEVICE(cuMemImportFromShareableHandle, import_memory(to, (int)(intptr_t)descriptor, type), uint64_t *to,
	void *descriptor, int type)

/* ---- mapping ---- */

/* Returns true if any memory is mapped in [addr, addr + n). */
static bool is_any_mapped(uint64_t addr, uint64_t n)
{
	for (const struct cuda_memory *m = memories; m; m = m->next)
		if (m->addr && m->addr < addr + n && addr < m->addr + m->mapped_bytes)
			return true;
	return false;
}

static int map_memory(uint64_t addr, size_t n, size_t offset, uint64_t handle, unsigned long long flags)
{
	int e = lock_device();
	struct cuda_memory *m = find_memory_by_handle(handle);

	if (!e && (!m || !n || n % GRANULARITY || addr % GRANULARITY || offset || flags || n > m->bytes ||
			  !cudart_is_reserved(addr, n) || is_any_mapped(addr, n)))
		e = cudaErrorInvalidValue;
	if (!e && m->addr)
		e = cudart_unsupported("cuMemMap", "memory that is mapped at a second place");
	if (!e) {
		cudart_map_memory(addr, n, "cuMemMap");
		unmapped_bytes -= m->bytes;
		m->addr = addr;
		m->mapped_bytes = n;
		if (m->saved_bytes) {
			memcpy(cudart_host_address(cuda_address(addr), n), m->saved_bytes, n);
			memory_mark_set(&cudart.mem, addr, n);
			free(m->saved_bytes);
			m->saved_bytes = NULL;
		}
	}
	return unlock_device(e);
}
DEVICE(cuMemMap, map_memory(addr, n, offset, handle, flags), uint64_t addr, size_t n, size_t offset,
	uint64_t handle, unsigned long long flags)

static void unmap_memory(struct cuda_memory *m)
{
	if (m->owners) {
		m->saved_bytes = xcalloc(1, m->bytes);
		memcpy(m->saved_bytes, cudart_host_address(cuda_address(m->addr), m->mapped_bytes),
			m->mapped_bytes);
	}
	cudart_release(m->addr);
	unmapped_bytes += m->bytes;
	m->addr = 0;
	m->mapped_bytes = 0;
	free_if_unused(m);
}

/* Returns true if mappings fill [addr, addr + n) exactly. */
static bool is_exactly_mapped(uint64_t addr, uint64_t n)
{
	uint64_t at = addr;

	while (at < addr + n) {
		const struct cuda_memory *m = find_mapped_memory(at);

		if (!m || m->addr != at)
			return false;
		at += m->mapped_bytes;
	}
	return n && at == addr + n;
}

static int unmap_range(uint64_t addr, size_t n)
{
	int e = lock_device();

	if (!e && !is_exactly_mapped(addr, n))
		e = cudaErrorInvalidValue;
	for (uint64_t at = addr; !e && at < addr + n;) {
		struct cuda_memory *m = find_mapped_memory(at);

		at += m->mapped_bytes;
		unmap_memory(m);
	}
	return unlock_device(e);
}
DEVICE(cuMemUnmap, unmap_range(addr, n), uint64_t addr, size_t n)

static int set_access(uint64_t addr, size_t n, const struct memory_access *a, size_t n_accesses)
{
	int e = lock_device();

	if (!e && (!a || !n_accesses || !is_exactly_mapped(addr, n)))
		e = cudaErrorInvalidValue;
	for (size_t i = 0; !e && i < n_accesses; i++) {
		if (a[i].location.type != AT_DEVICE || a[i].location.id)
			e = cudaErrorInvalidDevice;
		for (uint64_t at = addr; !e && at < addr + n; at += find_mapped_memory(at)->mapped_bytes)
			cudart_allow_access(at, a[i].flags != 0);
	}
	return unlock_device(e);
}
DEVICE(cuMemSetAccess, set_access(addr, n, a, n_accesses), uint64_t addr, size_t n,
	const struct memory_access *a, size_t n_accesses)

static int get_access(unsigned long long *to, const struct memory_location *l, uint64_t addr)
{
	int e = lock_device();
	const struct cuda_memory *m = find_mapped_memory(addr);

	if (!e && (!to || !l || !m || l->type != AT_DEVICE || l->id))
		e = cudaErrorInvalidValue;
	if (!e)
		*to = memory_nearest_buffer(&cudart.mem, m->addr)->live ? READ_AND_WRITE : 0;
	return unlock_device(e);
}
DEVICE(cuMemGetAccess, get_access(to, l, addr), unsigned long long *to, const struct memory_location *l,
	uint64_t addr)
