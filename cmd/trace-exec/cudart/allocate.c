/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory: allocation, release and queries.
 *
 * Always true: addresses of device memory are reused only after QUARANTINE later releases of the same size, so that a
 * use after cudaFree is found. Other addresses ascend. When all addresses are used, the lowest sufficient gap of freed
 * memory is allocated again. The pages of freed memory are returned to the system. Managed and pinned memory fills
 * whole pages, which the host may access.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "arena.h"
#include "cudart/advice.h"
#include "cudart/pause.h"
#include "exec/digest.h"

#define PAGE         4096u
#define DEVICE_ALIGN 256u /* alignment of device memory */
#define ROW_ALIGN    512u /* alignment of the rows of one allocation */
#define HOST_FLAGS   7u   /* cudaHostAllocPortable, Mapped and WriteCombined */

static uint64_t round_up_to_page(uint64_t n) { return round_up_u64(n, PAGE); }

/* ---- addresses ---- */

/* Returns the number of grants that begin below an address. */
static uint32_t count_grants_below(uint64_t addr)
{
	uint32_t low = 0, high = cudart.n_grants;

	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (cudart.grant[mid].addr < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static uint32_t count_buffers_below(uint64_t addr)
{
	const struct buffer *b = memory_nearest_buffer(&cudart.mem, addr - 1);

	return b ? (uint32_t)(b - cudart.mem.buffer) + 1 : 0;
}

/* Zeroes freed memory, and returns its whole pages to the system. */
static void clear_freed_memory(uint64_t addr, uint64_t n)
{
	uint64_t first = round_up_to_page(addr), end = (addr + n) / PAGE * PAGE;
	uint8_t *base = cudart.mem.heap + (addr - HEAP_BASE);

	if (end <= first || madvise(base + (first - addr), end - first, MADV_REMOVE)) {
		memset(base, 0, n);
	} else {
		memset(base, 0, first - addr);
		memset(base + (end - addr), 0, addr + n - end);
	}
	memory_mark_set(&cudart.mem, addr, n); /* also forgets the hashes of the memory */
}

/* ---- reserved addresses ---- */

static struct {
	struct address_range {
		uint64_t start, bytes;
	} * range; /* ranges in ascending order */
	uint32_t n, cap;
} reserved;

bool cudart_is_reserved(uint64_t addr, uint64_t n)
{
	for (uint32_t i = 0; i < reserved.n; i++)
		if (addr >= reserved.range[i].start &&
			addr - reserved.range[i].start < reserved.range[i].bytes)
			return n <= reserved.range[i].bytes - (addr - reserved.range[i].start);
	return false;
}

/* Returns the end of the first reservation that overlaps [at, at + n), or 0 if there is none. */
static uint64_t end_of_reservation(uint64_t at, uint64_t n)
{
	for (uint32_t i = 0; i < reserved.n; i++)
		if (reserved.range[i].start < at + n &&
			at < reserved.range[i].start + reserved.range[i].bytes)
			return reserved.range[i].start + reserved.range[i].bytes;
	return 0;
}

uint64_t cudart_reserve(uint64_t n, uint64_t unit)
{
	struct memory *m = &cudart.mem;
	uint64_t at = round_up_u64(HEAP_BASE + m->heap_bytes, unit) - HEAP_BASE;

	if (!n || at > m->heap_cap || n > m->heap_cap - at)
		return 0;
	m->heap_bytes = at + n;
	grow(&reserved.range, &reserved.cap, reserved.n + 1, sizeof(*reserved.range));
	reserved.range[reserved.n++] = (struct address_range){HEAP_BASE + at, n};
	return HEAP_BASE + at;
}

bool cudart_unreserve(uint64_t addr, uint64_t n)
{
	for (uint32_t i = 0; i < reserved.n; i++)
		if (reserved.range[i].start == addr && reserved.range[i].bytes == n) {
			memmove(reserved.range + i, reserved.range + i + 1,
				(--reserved.n - i) * sizeof(*reserved.range));
			return true;
		}
	return false;
}

/*
 * Returns the address of the lowest gap of n bytes between live buffers, aligned to `unit`, or 0 if there is
 * none.
 */
static uint64_t find_address_gap(uint64_t n, uint64_t unit)
{
	const struct memory *m = &cudart.mem;
	uint64_t at = HEAP_BASE, end;

	for (uint32_t i = 0; i < m->n_buffers; i++) {
		const struct buffer *b = &m->buffer[i];
		const struct grant *g;

		if (!b->live || b->addr < HEAP_BASE)
			continue;
		at = round_up_u64(at, unit);
		while ((end = end_of_reservation(at, n)) && end <= b->addr)
			at = round_up_u64(end, unit);
		if (b->addr >= at && b->addr - at >= n && !end)
			return at;
		g = cudart_find_grant(b->addr);
		at = g && g->kind != GRANT_DEVICE ? round_up_to_page(b->addr + b->size)
						  : round_up_u64(b->addr + b->size, DEVICE_ALIGN);
	}
	at = round_up_u64(at, unit);
	while ((end = end_of_reservation(at, n)))
		at = round_up_u64(end, unit);
	return at <= HEAP_BASE + m->heap_bytes && HEAP_BASE + m->heap_bytes - at >= n ? at : 0;
}

/* Makes [at, at + n) one buffer of `bytes` bytes. Removes the freed buffers and grants in that range. */
static void replace_freed_buffers(const char *name, uint64_t at, uint64_t n, uint64_t bytes)
{
	struct memory *m = &cudart.mem;
	uint32_t from = count_buffers_below(at), to = count_buffers_below(at + n);

	grow(&m->buffer, &m->cap_buffers, m->n_buffers + 1, sizeof(*m->buffer));
	memmove(m->buffer + from + 1, m->buffer + to, (m->n_buffers - to) * sizeof(*m->buffer));
	m->buffer[from] = (struct buffer){.name = name, .addr = at, .size = bytes, .live = true};
	m->n_buffers = m->n_buffers - to + from + 1;
	from = count_grants_below(at);
	to = count_grants_below(at + n);
	memmove(cudart.grant + from, cudart.grant + to, (cudart.n_grants - to) * sizeof(*cudart.grant));
	cudart.n_grants -= to - from;
}

/* ---- addresses that are used again ---- */

/*
 * Freed buffers of one size, in a ring in the order of their release. A function that allocates the same work memory
 * in each call then launches equal kernels, which repeat.c does not execute again: topk of HeCBench with a batch of
 * 1 and 100 repeats takes 1.0 s instead of 12.2 s.
 */
struct freed_size {
	uint64_t bytes; /* size of the buffers, a multiple of DEVICE_ALIGN */
	uint64_t *addr;
	uint32_t first;
	uint32_t n;
	uint32_t cap; /* 0 or a power of two */
};

#define QUARANTINE  4u   /* number of buffers of a size that were freed last and are not yet used again */
#define FREED_SIZES 256u /* sizes whose buffers are used again; a power of two */
static struct freed_size freed_sizes[FREED_SIZES];

static struct freed_size *slot_of_size(uint64_t bytes)
{
	return &freed_sizes[(bytes / DEVICE_ALIGN * 0x9e3779b97f4a7c15ull >> 32) % FREED_SIZES];
}

static void keep_freed_addresses(const struct grant *g)
{
	uint64_t bytes = round_up_u64(g->bytes, DEVICE_ALIGN);
	struct freed_size *s = slot_of_size(bytes);

	if (g->kind != GRANT_DEVICE || g->from_graph_node || cudart_is_reserved(g->addr, 1))
		return;
	if (s->bytes != bytes)
		s->first = s->n = 0;
	s->bytes = bytes;
	if (s->n == s->cap) {
		uint32_t cap = s->cap ? 2 * s->cap : 2 * QUARANTINE;
		uint64_t *addr = xcalloc(cap, sizeof(*addr));

		for (uint32_t i = 0; i < s->n; i++)
			addr[i] = s->addr[(s->first + i) % s->cap];
		free(s->addr);
		s->addr = addr;
		s->first = 0;
		s->cap = cap;
	}
	s->addr[(s->first + s->n++) % s->cap] = g->addr;
}

/*
 * Returns true if [at, at + n) is still the freed buffer that was there: the range may have been allocated in another
 * way.
 */
static bool is_freed_buffer(uint64_t at, uint64_t n)
{
	const struct buffer *b = memory_nearest_buffer(&cudart.mem, at);

	return b && b->addr == at && !b->live && b->size <= n && n - b->size < DEVICE_ALIGN &&
	       memory_nearest_buffer(&cudart.mem, at + n - 1) == b;
}

/* Allocates the addresses of the buffer of the same size that was freed first. Returns 0 if too few were freed. */
static uint64_t allocate_same_addresses(const char *name, uint64_t bytes)
{
	uint64_t n = round_up_u64(bytes, DEVICE_ALIGN);
	struct freed_size *s = slot_of_size(n);

	while (s->bytes == n && s->n > QUARANTINE) {
		uint64_t at = s->addr[s->first];

		s->first = (s->first + 1) % s->cap;
		s->n--;
		if (!is_freed_buffer(at, n))
			continue;
		replace_freed_buffers(name, at, n, bytes);
		clear_freed_memory(at, n);
		return at;
	}
	return 0;
}

/* Allocates memory at freed addresses. Returns 0 if no gap is large enough. */
static uint64_t allocate_freed_addresses(const char *name, uint64_t bytes, enum grant_kind kind)
{
	uint64_t unit = kind == GRANT_DEVICE ? DEVICE_ALIGN : PAGE, n = round_up_u64(bytes, unit);
	uint64_t at = find_address_gap(n, unit);

	if (!at)
		return 0;
	replace_freed_buffers(name, at, n, bytes);
	clear_freed_memory(at, n);
	return at;
}

/*
 * Allocates memory at addresses that were never used. Returns 0 if too few are left. Memory visible to the host
 * fills whole pages.
 */
static uint64_t allocate_new_addresses(const char *name, uint64_t bytes, enum grant_kind kind)
{
	struct memory *m = &cudart.mem;
	uint64_t before = m->heap_bytes, at;

	if (kind != GRANT_DEVICE)
		m->heap_bytes = round_up_to_page(before);
	at = m->heap_bytes <= m->heap_cap ? memory_allocate_buffer(m, name, bytes) : 0;
	if (!at)
		m->heap_bytes = before;
	else if (kind != GRANT_DEVICE)
		m->heap_bytes = round_up_to_page(m->heap_bytes);
	return at;
}

struct cuda_context *(*cudart_current_context)(void);

static void add_grant(const struct grant *g)
{
	uint32_t at = count_grants_below(g->addr);

	grow(&cudart.grant, &cudart.cap_grants, cudart.n_grants + 1, sizeof(*cudart.grant));
	memmove(cudart.grant + at + 1, cudart.grant + at, (cudart.n_grants++ - at) * sizeof(*cudart.grant));
	cudart.grant[at] = *g;
	cudart.grant[at].context = cudart_current_context ? cudart_current_context() : NULL;
}

int cudart_allocate(uint64_t *addr, size_t n, enum grant_kind kind, unsigned flags, const char *what)
{
	struct memory *m = &cudart.mem;
	char name[64];
	const char *kept;

	*addr = 0;
	if (!n)
		return cudaSuccess;
	if (kind != GRANT_DEVICE && !cudart.host_visible)
		return cudart_unsupported(
			what, "the addresses starting at 0xc0000000 are in use in this process");
	if (n > m->heap_cap ||
		(kind != GRANT_PINNED && n > cudart.wire.memory_bytes - cudart.allocated_bytes))
		return cudaErrorMemoryAllocation;
	snprintf(name, sizeof(name), "%s %u", what, ++cudart.n_allocations);
	kept = diag_keep(name);
	*addr = kind == GRANT_DEVICE ? allocate_same_addresses(kept, n) : 0;
	if (!*addr)
		*addr = allocate_new_addresses(kept, n, kind);
	if (!*addr)
		*addr = allocate_freed_addresses(kept, n, kind);
	if (!*addr || (kind != GRANT_DEVICE && mprotect((void *)(uintptr_t)*addr, round_up_to_page(n),
						       PROT_READ | PROT_WRITE)))
		return cudaErrorMemoryAllocation;
	((struct buffer *)memory_nearest_buffer(m, *addr))->host = kind != GRANT_DEVICE;
	if (kind != GRANT_PINNED)
		cudart.allocated_bytes += n;
	/* Writes of the host to managed and pinned memory are not tracked. */
	if (kind == GRANT_DEVICE && cudart.exec.check)
		memory_mark_unset(m, *addr, n);
	add_grant(&(struct grant){
		.addr = *addr, .bytes = n, .kind = (uint8_t)kind, .live = true, .flags = flags});
	return cudaSuccess;
}

struct grant *cudart_find_grant(uint64_t addr)
{
	uint32_t n = addr < HEAP_BASE ? 0 : count_grants_below(addr + 1);
	struct grant *g = n ? &cudart.grant[n - 1] : NULL;

	return g && g->live && addr - g->addr < g->bytes ? g : NULL;
}

static void free_grant(struct grant *g)
{
	((struct buffer *)memory_nearest_buffer(&cudart.mem, g->addr))->live = false;
	g->live = false;
	if (g->pool)
		cudart_pool_subtract_used(g->pool, g->bytes);
	if (g->kind != GRANT_PINNED)
		cudart.allocated_bytes -= g->bytes;
	if (g->kind == GRANT_MANAGED)
		advice_forget(g->addr, g->bytes);
	if (g->kind != GRANT_DEVICE)
		mprotect((void *)(uintptr_t)g->addr, round_up_to_page(g->bytes), PROT_NONE);
	clear_freed_memory(g->addr, g->bytes);
	keep_freed_addresses(g);
}

/*
 * Frees memory. With `pinned`, which cudaFreeHost() sets, only pinned memory outside of pools is accepted, without
 * it only other memory. Returns 0 or a status.
 */
static int release_grant(uint64_t addr, bool pinned)
{
	struct grant *g = cudart_find_grant(addr);

	if (!addr)
		return cudaSuccess;
	if (!g || g->addr != addr || g->is_variable || (g->kind == GRANT_PINNED && !g->pool) != pinned)
		return cudaErrorInvalidValue;
	free_grant(g);
	return cudaSuccess;
}

int cudart_release(uint64_t addr) { return release_grant(addr, false); }
int cudart_release_pinned(uint64_t addr) { return release_grant(addr, true); }

void cudart_map_memory(uint64_t addr, uint64_t n, const char *what)
{
	replace_freed_buffers(what, addr, n, n);
	((struct buffer *)memory_nearest_buffer(&cudart.mem, addr))->live = false;
	cudart.allocated_bytes += n;
	if (cudart.exec.check)
		memory_mark_unset(&cudart.mem, addr, n);
	add_grant(&(struct grant){.addr = addr, .bytes = n, .kind = GRANT_DEVICE, .live = true});
}

void cudart_allow_access(uint64_t addr, bool allowed)
{
	((struct buffer *)memory_nearest_buffer(&cudart.mem, addr))->live = allowed;
}

#define LEAKS_SHOWN 3u /* leaked allocations that the message names */

void cudart_report_leaks(void)
{
	bool found = memory_report_leaks(&cudart.mem, cudart.wire.leaks);
	uint64_t bytes = 0;
	uint32_t n = 0;
	char names[LEAKS_SHOWN * 60] = "", text[96 + sizeof(names)];

	for (uint32_t i = 0; i < cudart.n_grants; i++) {
		const struct grant *g = &cudart.grant[i];
		const struct buffer *b = memory_nearest_buffer(&cudart.mem, g->addr);
		size_t used = strlen(names);

		if (!g->live || g->is_variable)
			continue;
		bytes += g->bytes;
		if (n++ < LEAKS_SHOWN)
			snprintf(names + used, sizeof(names) - used, "%s'%.50s'", used ? ", " : "",
				b ? b->name : "memory");
	}
	snprintf(text, sizeof(text), "leak: %u allocation%s of the program, %llu bytes (%s%s)", n,
		n == 1 ? "" : "s", (unsigned long long)bytes, names, n > LEAKS_SHOWN ? ", ..." : "");
	if (n && cudart.wire.leaks)
		diag_error(NOWHERE, "%s", text);
	else if (n)
		diag_warn(NOWHERE, "%s", text);
	if (cudart.wire.leaks && (n || found))
		cudart_send(WIRE_FOUND, NULL, 0);
}

void *cudart_host_address(const void *p, size_t n)
{
	uint64_t addr = (uintptr_t)p;
	struct grant *g = cudart_find_grant(addr);

	if (g && g->bytes - (addr - g->addr) < n)
		return NULL;
	if (g) {
		digest_forget(&cudart.mem, addr, n); /* the caller may write */
		return cudart.mem.heap + (addr - HEAP_BASE);
	}
	if (addr < cudart.static_limit)
		return memory_host_address(&cudart.mem, addr, n);
	if (addr >= HEAP_BASE && addr - HEAP_BASE < cudart.mem.heap_cap)
		return NULL;
	return (void *)(uintptr_t)p;
}

bool cudart_is_device_memory(const void *p)
{
	uint64_t addr = (uintptr_t)p;
	struct grant *g = cudart_find_grant(addr);

	return g ? g->kind != GRANT_PINNED : addr >= STATIC_BASE && addr < cudart.static_limit;
}

/* ---- the interface ---- */

static int allocate_for_program(void **to, size_t n, enum grant_kind kind, unsigned flags, const char *what)
{
	uint64_t addr = 0;
	int e = cudart_enter(true);

	if (!e)
		e = capture_check_forbidden();
	if (!e)
		e = to ? cudart_allocate(&addr, n, kind, flags, what) : cudaErrorInvalidValue;
	if (!e)
		*to = (void *)(uintptr_t)addr;
	return cudart_leave(e);
}

API(int, cudaMalloc, void **to, size_t n)
{
	return allocate_for_program(to, n, GRANT_DEVICE, 0, "cudaMalloc");
}

API(int, cudaMallocManaged, void **to, size_t n, unsigned flags)
{
	if (!n || (flags != 1 && flags != 2))
		return cudart_leave((cudart_enter(false), cudaErrorInvalidValue));
	return allocate_for_program(to, n, GRANT_MANAGED, flags, "cudaMallocManaged");
}

API(int, cudaHostAlloc, void **to, size_t n, unsigned flags)
{
	if (flags > HOST_FLAGS)
		return cudart_leave((cudart_enter(false), cudaErrorInvalidValue));
	return allocate_for_program(to, n, GRANT_PINNED, flags, "cudaHostAlloc");
}

API(int, cudaMallocHost, void **to, size_t n)
{
	return allocate_for_program(to, n, GRANT_PINNED, 0, "cudaMallocHost");
}

static size_t aligned_row_bytes(size_t width)
{
	return width > SIZE_MAX - ROW_ALIGN ? SIZE_MAX : (width + ROW_ALIGN - 1) / ROW_ALIGN * ROW_ALIGN;
}

/* Returns the product of a and b, at most SIZE_MAX. */
static size_t saturating_product(size_t a, size_t b) { return b && a > SIZE_MAX / b ? SIZE_MAX : a * b; }

API(int, cudaMallocPitch, void **to, size_t *pitch, size_t width, size_t height)
{
	size_t p = aligned_row_bytes(width);

	if (!pitch)
		to = NULL;
	else
		*pitch = p;
	return allocate_for_program(to, saturating_product(p, height), GRANT_DEVICE, 0, "cudaMallocPitch");
}

API(int, cudaMalloc3D, struct pitched *to, struct extent e)
{
	void *base = NULL;
	size_t pitch = aligned_row_bytes(e.width),
	       n = saturating_product(pitch, saturating_product(e.height, e.depth));
	int status = allocate_for_program(to ? &base : NULL, n, GRANT_DEVICE, 0, "cudaMalloc3D");

	if (to && !status)
		*to = (struct pitched){base, pitch, e.width, e.height};
	return status;
}

static int free_for_program(void *p, bool pinned)
{
	int e = cudart_enter(true);

	if (!e)
		e = capture_check_forbidden();
	if (!e)
		e = pause_wait_all();
	if (!e)
		e = release_grant((uintptr_t)p, pinned);
	return cudart_leave(e);
}

API(int, cudaFree, void *p) { return free_for_program(p, false); }

API(int, cudaFreeAsync, void *p, struct stream *s)
{
	int e = cudart_enter(true);

	if (!e && cudart_stream_number(s) < 0)
		e = cudaErrorInvalidResourceHandle;
	if (!e && work_is_kept(s, &e)) {
		struct graph_work w = {.kind = WORK_FREE, .memory.addr = (uintptr_t)p};

		return cudart_leave(e ? e : work_keep(s, &w));
	}
	return cudart_leave(e ? e : release_grant((uintptr_t)p, false));
}
ALSO(cudaFreeAsync_ptsz, cudaFreeAsync);

API(int, cudaFreeHost, void *p) { return free_for_program(p, true); }

API(int, cudaMemGetInfo, size_t *unused, size_t *all)
{
	int e = cudart_enter(false);

	if (!e && unused)
		*unused = cudart.wire.memory_bytes - cudart.allocated_bytes;
	if (!e && all)
		*all = cudart.wire.memory_bytes;
	return cudart_leave(e);
}
