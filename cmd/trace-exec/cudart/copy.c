/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies and fills: between host and device in all directions, of rows, boxes and variables.
 *
 * Always true: a copy is complete when the call returns. The trace's list has a line for a copy from the host
 * to device memory or back, or a line for each row if there are gaps between the rows. It has no lines for
 * copies on the device, copies of variables, and fills.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include "bits.h"
#include "cudart/pause.h"

enum direction { HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, BY_ADDRESS };

static void send_copy_message(const char *direction, const void *at, size_t n)
{
	uint64_t addr = (uintptr_t)at;
	const struct grant *g = cudart_find_grant(addr);
	char line[80];
	int len;

	if (!cudart.wire.trace || addr < HEAP_BASE || !n || (g && g->is_variable))
		return;
	len = snprintf(line, sizeof(line), "Memcpy%s,0x%llx,%zu", direction, (unsigned long long)addr, n);
	cudart_send(WIRE_COPY, line, (size_t)len);
}

#define MOVED_LINE 128u

/* Notes that a copy or fill has written n bytes. They take time between events, so that bandwidths are finite. */
static void note_bytes_written(const void *at, size_t n)
{
	cudart.moved_lines += n / MOVED_LINE + (n % MOVED_LINE != 0);
	if (cudart_find_grant((uintptr_t)at))
		memory_mark_set(&cudart.mem, (uintptr_t)at, n);
}

static bool is_device_accessible(const void *p)
{
	return cudart_is_device_memory(p) || cudart_find_grant((uintptr_t)p) || cudart_is_registered(p);
}

static bool is_hidden_from_host(const void *p)
{
	const struct grant *g = cudart_find_grant((uintptr_t)p);

	return cudart_is_device_memory(p) && !(g && g->kind == GRANT_MANAGED);
}

/* Returns the direction of a copy, determined from its addresses, or the negated status of an error. */
static int copy_direction(const void *to, const void *from, int kind)
{
	bool device_to = cudart_is_device_memory(to), device_from = cudart_is_device_memory(from);

	if (kind < HOST_TO_HOST || kind > BY_ADDRESS)
		return -cudaErrorInvalidMemcpyDirection;
	if (kind != BY_ADDRESS &&
		((kind == HOST_TO_DEVICE && !cudart_find_grant((uintptr_t)to) && !device_to) ||
			(kind == DEVICE_TO_HOST && !cudart_find_grant((uintptr_t)from) && !device_from)))
		return -cudaErrorInvalidValue;
	if ((kind == DEVICE_TO_DEVICE && !(is_device_accessible(to) && is_device_accessible(from))) ||
		(kind == HOST_TO_HOST && (is_hidden_from_host(to) || is_hidden_from_host(from))))
		return -cudaErrorInvalidValue;
	return device_to     ? device_from ? DEVICE_TO_DEVICE : HOST_TO_DEVICE
	       : device_from ? DEVICE_TO_HOST
			     : HOST_TO_HOST;
}

int cudart_copy_rows(
	void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, int kind)
{
	size_t to_n, from_n;
	uint8_t *d;
	const uint8_t *s;
	int way;

	if (!width || !height)
		return cudaSuccess;
	if (to_pitch < width || from_pitch < width)
		return cudaErrorInvalidPitchValue;
	if (height > SIZE_MAX / 2 / (to_pitch > from_pitch ? to_pitch : from_pitch))
		return cudaErrorInvalidValue;
	to_n = to_pitch * (height - 1) + width;
	from_n = from_pitch * (height - 1) + width;
	way = copy_direction(to, from, kind);
	d = cudart_host_address(to, to_n);
	s = cudart_host_address(from, from_n);
	if (way < 0)
		return -way;
	if (!d || !s)
		return cudaErrorInvalidValue;
	if (to_pitch == width && from_pitch == width) {
		width *= height;
		height = 1;
	}
	for (size_t i = 0; i < height; i++) {
		memmove(d + i * to_pitch, s + i * from_pitch, width);
		note_bytes_written((const uint8_t *)to + i * to_pitch, width);
		if (way == HOST_TO_DEVICE)
			send_copy_message("HtoD", (const uint8_t *)to + i * to_pitch, width);
		else if (way == DEVICE_TO_HOST)
			send_copy_message("DtoH", (const uint8_t *)from + i * from_pitch, width);
	}
	return cudaSuccess;
}

struct copy_3d work_make_byte_copy(void *to, const void *from, size_t n, int kind)
{
	return (struct copy_3d){.source = {(char *)(uintptr_t)from, n, n, 1},
		.target = {to, n, n, 1},
		.extent = {n, 1, 1},
		.kind = kind};
}

static int copy_rows_on_stream(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
	size_t height, int kind, struct stream *s)
{
	struct graph_work w = {.kind = WORK_COPY, .copy = work_make_byte_copy(to, from, width, kind)};
	int e = cudart_enter(true);

	if (!e && cudart_stream_number(s) < 0)
		e = cudaErrorInvalidResourceHandle;
	if (!e && work_is_kept(s, &e)) {
		w.copy.source.pitch = from_pitch;
		w.copy.target.pitch = to_pitch;
		w.copy.extent.height = height;
		return cudart_leave(e ? e : work_keep(s, &w));
	}
	return cudart_leave(e ? e : cudart_copy_rows(to, to_pitch, from, from_pitch, width, height, kind));
}

/*
 * Waits for the queued work of a call that must not return earlier. status: status of the call so far, returned
 * if not 0.
 */
static int wait_until_done(int status)
{
	int e = status ? status : cudart_enter(false);

	return status ? status : cudart_leave(e ? e : pause_wait_stream(NULL));
}

API(int, cudaMemcpy, void *to, const void *from, size_t n, int kind)
{
	return wait_until_done(copy_rows_on_stream(to, n, from, n, n, 1, kind, NULL));
}
ALSO(cudaMemcpy_ptds, cudaMemcpy);

API(int, cudaMemcpyAsync, void *to, const void *from, size_t n, int kind, struct stream *s)
{
	return copy_rows_on_stream(to, n, from, n, n, 1, kind, s);
}
ALSO(cudaMemcpyAsync_ptsz, cudaMemcpyAsync);

API(int, cudaMemcpyPeer, void *to, int to_device, const void *from, int from_device, size_t n)
{
	if (to_device || from_device)
		return cudart_leave((cudart_enter(false), cudaErrorInvalidDevice));
	return wait_until_done(copy_rows_on_stream(to, n, from, n, n, 1, DEVICE_TO_DEVICE, NULL));
}

API(int, cudaMemcpyPeerAsync, void *to, int to_device, const void *from, int from_device, size_t n,
	struct stream *s)
{
	if (to_device || from_device)
		return cudart_leave((cudart_enter(false), cudaErrorInvalidDevice));
	return copy_rows_on_stream(to, n, from, n, n, 1, DEVICE_TO_DEVICE, s);
}

API(int, cudaMemcpy2D, void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
	size_t height, int kind)
{
	return wait_until_done(
		copy_rows_on_stream(to, to_pitch, from, from_pitch, width, height, kind, NULL));
}
ALSO(cudaMemcpy2D_ptds, cudaMemcpy2D);

API(int, cudaMemcpy2DAsync, void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
	size_t height, int kind, struct stream *s)
{
	return copy_rows_on_stream(to, to_pitch, from, from_pitch, width, height, kind, s);
}
ALSO(cudaMemcpy2DAsync_ptsz, cudaMemcpy2DAsync);

/* ---- boxes ---- */

/*
 * Finds the box at one end of a copy: its start, its pitch, and (*slice_pitch) the distance from plane to plane in
 * bytes.
 */
static int find_copy_box(const struct array *array, const struct pitched *p, struct position start,
	size_t unit, struct extent bytes, struct pitched *out, size_t *slice_pitch)
{
	if (array) {
		start.x *= unit;
		return cudart_array_box(array, start, bytes, out, slice_pitch);
	}
	*out = *p;
	out->base += (start.z * p->height + start.y) * p->pitch + start.x;
	*slice_pitch = p->pitch * p->height;
	return cudaSuccess;
}

int work_run_copy(const struct copy_3d *c)
{
	size_t unit = c->target_array   ? cudart_array_texel_bytes(c->target_array)
		      : c->source_array ? cudart_array_texel_bytes(c->source_array)
					: 1;
	struct extent x = c->extent;
	struct pitched to, from;
	size_t to_slice, from_slice;
	int e;

	if (x.width > SIZE_MAX / 16)
		return cudaErrorInvalidValue;
	x.width *= unit;
	if ((e = find_copy_box(c->target_array, &c->target, c->target_position, unit, x, &to, &to_slice)) ||
		(e = find_copy_box(
			 c->source_array, &c->source, c->source_position, unit, x, &from, &from_slice)))
		return e;
	for (size_t z = 0; !e && z < x.depth; z++)
		e = cudart_copy_rows(to.base + z * to_slice, to.pitch, from.base + z * from_slice, from.pitch,
			x.width, x.height, c->kind);
	return e;
}

int work_check_copy(const struct copy_3d *c)
{
	return (c->source.base || c->source_array) && (c->target.base || c->target_array)
		       ? cudaSuccess
		       : cudaErrorInvalidValue;
}

API(int, cudaMemcpy3DAsync, const struct copy_3d *c, struct stream *s)
{
	struct graph_work w = {.kind = WORK_COPY};
	int e = cudart_enter(true);

	if (!e && cudart_stream_number(s) < 0)
		e = cudaErrorInvalidResourceHandle;
	if (!e)
		e = c ? work_check_copy(c) : cudaErrorInvalidValue;
	if (!e && work_is_kept(s, &e)) {
		w.copy = *c;
		return cudart_leave(e ? e : work_keep(s, &w));
	}
	return cudart_leave(e ? e : work_run_copy(c));
}
ALSO(cudaMemcpy3DAsync_ptsz, cudaMemcpy3DAsync);

API(int, cudaMemcpy3D, const struct copy_3d *c) { return wait_until_done(cudaMemcpy3DAsync(c, NULL)); }
ALSO(cudaMemcpy3D_ptds, cudaMemcpy3D);

/* cudaMemcpy3DPeerParms: a copy between devices. */
struct peer_copy_3d {
	const struct array *source_array;
	struct position source_position;
	struct pitched source;
	int source_device;
	const struct array *target_array;
	struct position target_position;
	struct pitched target;
	int target_device;
	struct extent extent;
};

API(int, cudaMemcpy3DPeerAsync, const struct peer_copy_3d *p, struct stream *s)
{
	if (!p || p->source_device || p->target_device)
		return cudart_leave(
			(cudart_enter(false), p ? cudaErrorInvalidDevice : cudaErrorInvalidValue));
	return cudaMemcpy3DAsync(
		&(struct copy_3d){p->source_array, p->source_position, p->source, p->target_array,
			p->target_position, p->target, p->extent, BY_ADDRESS},
		s);
}
ALSO(cudaMemcpy3DPeerAsync_ptsz, cudaMemcpy3DPeerAsync);

API(int, cudaMemcpy3DPeer, const struct peer_copy_3d *p)
{
	return wait_until_done(cudaMemcpy3DPeerAsync(p, NULL));
}
ALSO(cudaMemcpy3DPeer_ptds, cudaMemcpy3DPeer);

/* ---- variables ---- */

int work_make_variable_copy(
	struct copy_3d *c, const void *symbol, void *other, size_t n, size_t offset, int kind, bool to_symbol)
{
	uint64_t addr = 0;
	size_t size = 0;
	int e = cudaSuccess;
	char *at;

	if (kind != BY_ADDRESS && kind != DEVICE_TO_DEVICE &&
		kind != (to_symbol ? HOST_TO_DEVICE : DEVICE_TO_HOST))
		e = cudaErrorInvalidMemcpyDirection;
	if (!e)
		e = cudart_find_symbol(symbol, &addr, &size);
	if (!e && (offset > size || n > size - offset))
		e = cudaErrorInvalidValue;
	at = (char *)(uintptr_t)(addr + offset);
	*c = to_symbol ? work_make_byte_copy(at, other, n, BY_ADDRESS)
		       : work_make_byte_copy(other, at, n, BY_ADDRESS);
	return e;
}

static int copy_variable(
	const void *symbol, void *host, size_t n, size_t offset, int kind, bool to_symbol, struct stream *s)
{
	struct graph_work w = {.kind = WORK_COPY};
	int e = cudart_enter(true);

	if (!e && cudart_stream_number(s) < 0)
		e = cudaErrorInvalidResourceHandle;
	if (!e)
		e = work_make_variable_copy(&w.copy, symbol, host, n, offset, kind, to_symbol);
	if (!e && work_is_kept(s, &e))
		return cudart_leave(e ? e : work_keep(s, &w));
	return cudart_leave(e ? e : work_run_copy(&w.copy));
}

API(int, cudaMemcpyToSymbol, const void *symbol, const void *from, size_t n, size_t offset, int kind)
{
	return wait_until_done(copy_variable(symbol, (void *)(uintptr_t)from, n, offset, kind, true, NULL));
}
ALSO(cudaMemcpyToSymbol_ptds, cudaMemcpyToSymbol);

API(int, cudaMemcpyToSymbolAsync, const void *symbol, const void *from, size_t n, size_t offset, int kind,
	struct stream *s)
{
	return copy_variable(symbol, (void *)(uintptr_t)from, n, offset, kind, true, s);
}
ALSO(cudaMemcpyToSymbolAsync_ptsz, cudaMemcpyToSymbolAsync);

API(int, cudaMemcpyFromSymbol, void *to, const void *symbol, size_t n, size_t offset, int kind)
{
	return wait_until_done(copy_variable(symbol, to, n, offset, kind, false, NULL));
}
ALSO(cudaMemcpyFromSymbol_ptds, cudaMemcpyFromSymbol);

API(int, cudaMemcpyFromSymbolAsync, void *to, const void *symbol, size_t n, size_t offset, int kind,
	struct stream *s)
{
	return copy_variable(symbol, to, n, offset, kind, false, s);
}
ALSO(cudaMemcpyFromSymbolAsync_ptsz, cudaMemcpyFromSymbolAsync);

API(int, cudaGetSymbolAddress, void **to, const void *symbol)
{
	uint64_t addr = 0;
	size_t size;
	int e = cudart_enter(false);

	if (!e)
		e = to ? cudart_find_symbol(symbol, &addr, &size) : cudaErrorInvalidValue;
	if (!e)
		*to = (void *)(uintptr_t)addr;
	return cudart_leave(e);
}

API(int, cudaGetSymbolSize, size_t *to, const void *symbol)
{
	uint64_t addr;
	int e = cudart_enter(false);

	return cudart_leave(e ? e : to ? cudart_find_symbol(symbol, &addr, to) : cudaErrorInvalidValue);
}

/* ---- fills ---- */

#define PAGE  4096u
#define PIECE ((size_t)1 << 20) /* bytes whose pages are looked up together */

/* Returns true if no page of the piece at a page's address is in memory. Such a page may have been swapped out. */
static bool is_piece_absent(uint8_t *at)
{
	unsigned char present[PIECE / PAGE], any = 0;

	if (mincore(at, PIECE, present))
		return false;
	for (size_t i = 0; i < sizeof(present); i++)
		any |= present[i] & 1;
	return !any;
}

/*
 * Zeroes memory. Device memory that has not been touched has no pages and needs none: a program that allocates and
 * zeroes 1 GB takes 4 MB instead of 1,053 MB.
 */
static void zero_memory(uint8_t *to, size_t n)
{
	size_t head = min_u64(n, -(uintptr_t)to % PAGE);

	memset(to, 0, head);
	for (to += head, n -= head; n >= PIECE; to += PIECE, n -= PIECE)
		if (!is_piece_absent(to) || madvise(to, PIECE, MADV_REMOVE))
			memset(to, 0, PIECE);
	memset(to, 0, n);
}

/* Fills a row of elements of 1, 2 or 4 bytes. */
static void fill_row(uint8_t *to, const struct fill_2d *f)
{
	if (f->unit == 1 && !f->value)
		zero_memory(to, f->width);
	else if (f->unit == 1)
		memset(to, (int)f->value, f->width);
	for (size_t i = 0; f->unit > 1 && i < f->width; i++)
		memcpy(to + i * f->unit, &f->value, f->unit);
}

int work_run_fill(const struct fill_2d *f)
{
	size_t width = f->width * f->unit, pitch = f->height == 1 ? width : f->pitch;
	uint8_t *d;

	if (!f->width || !f->height)
		return cudaSuccess;
	if (f->width > SIZE_MAX / 8 || pitch < width || f->height > SIZE_MAX / 2 / pitch)
		return cudaErrorInvalidValue;
	d = cudart_host_address(f->base, pitch * (f->height - 1) + width);
	if (!d || (d == f->base && !cudart_find_grant((uintptr_t)f->base)))
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < f->height; i++) {
		fill_row(d + i * pitch, f);
		note_bytes_written((const uint8_t *)f->base + i * pitch, width);
	}
	return cudaSuccess;
}

int work_run_fill_on_stream(const struct fill_2d *f, struct stream *s)
{
	struct graph_work w = {.kind = WORK_FILL, .fill = *f};
	size_t width = f->width * f->unit;
	int e = cudart_enter(true);

	if (!e && cudart_stream_number(s) < 0)
		e = cudaErrorInvalidResourceHandle;
	if (!e && width && f->height && (f->pitch < width || f->height > SIZE_MAX / 2 / f->pitch))
		e = cudaErrorInvalidValue;
	if (!e && work_is_kept(s, &e))
		return cudart_leave(e ? e : work_keep(s, &w));
	return cudart_leave(e ? e : work_run_fill(&w.fill));
}

static int fill_memory_on_stream(
	void *at, size_t pitch, int value, size_t width, size_t height, struct stream *s)
{
	return work_run_fill_on_stream(
		&(struct fill_2d){at, pitch, (unsigned)value & 255, 1, width, height}, s);
}

API(int, cudaMemset, void *at, int value, size_t n)
{
	return fill_memory_on_stream(at, n, value, n, 1, NULL);
}
ALSO(cudaMemset_ptds, cudaMemset);

API(int, cudaMemsetAsync, void *at, int value, size_t n, struct stream *s)
{
	return fill_memory_on_stream(at, n, value, n, 1, s);
}
ALSO(cudaMemsetAsync_ptsz, cudaMemsetAsync);

API(int, cudaMemset2D, void *at, size_t pitch, int value, size_t width, size_t height)
{
	return fill_memory_on_stream(at, pitch, value, width, height, NULL);
}
ALSO(cudaMemset2D_ptds, cudaMemset2D);

API(int, cudaMemset2DAsync, void *at, size_t pitch, int value, size_t width, size_t height, struct stream *s)
{
	return fill_memory_on_stream(at, pitch, value, width, height, s);
}
ALSO(cudaMemset2DAsync_ptsz, cudaMemset2DAsync);

API(int, cudaMemset3DAsync, struct pitched p, int value, struct extent x, struct stream *s)
{
	int e = cudaSuccess;

	for (size_t z = 0; !e && z < x.depth; z++)
		e = fill_memory_on_stream(
			p.base + z * p.pitch * p.height, p.pitch, value, x.width, x.height, s);
	return e;
}
ALSO(cudaMemset3DAsync_ptsz, cudaMemset3DAsync);

API(int, cudaMemset3D, struct pitched p, int value, struct extent x)
{
	return cudaMemset3DAsync(p, value, x, NULL);
}
ALSO(cudaMemset3D_ptds, cudaMemset3D);
