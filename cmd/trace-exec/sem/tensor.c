/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tensor copies and reductions: cp.async.bulk.tensor and cp.reduce.async.bulk.tensor between a tensor in
 * global memory and shared memory, in boxes (tiles), four rows (gather4, scatter4), or pixels of a
 * convolution (im2col).
 *
 * A copy completes at its issue, with its bytes of the mbarrier. The checks treat it as in flight until a wait for it
 * (exec/bulk_flight.c). Always true: elements outside
 * of the tensor read as zeros (or NaNs) and are not written. In shared memory, dimension 0 of the box is
 * contiguous, and its 16-byte pieces are permuted by the map's swizzle. Elements of 4 and 6 bits are copied in groups;
 * after read_copy_box(), dimension 0 is counted in groups.
 */
#include <string.h>
#include "exec/check.h"
#include "sem/async.h"

/* A copy of one lane. */
struct box {
	const struct tensor_map *map;
	int64_t corner[TENSOR_RANK], offset[TENSOR_RANK];
	uint8_t direction, order;
	enum atom atom;
};

/* Returns the swizzled offset in shared memory. */
static uint64_t swizzle_offset(const struct tensor_map *m, uint64_t offset)
{
	return m->span ? offset ^ ((offset >> 7) & (m->span / 16u - 1)) << 4 : offset;
}

/* Returns the number of elements of a line, which is a row of the box along dimension 0. */
static uint64_t elements_per_line(const struct tensor_map *m) { return m->pixels ? m->channels : m->box[0]; }

/* Returns the number of elements of a box in dimension d. */
static uint64_t box_extent(const struct tensor_map *m, unsigned d)
{
	return (m->box[d] + m->step[d] - 1) / m->step[d];
}

/* Returns the number of lines of a copy. */
static uint64_t count_box_lines(const struct box *b)
{
	uint64_t n = 1;

	if (b->order == ORDER_ROWS)
		return 4;
	if (b->order == ORDER_PIXELS)
		return b->map->pixels;
	for (unsigned d = 1; d < b->map->rank; d++)
		n *= box_extent(b->map, d);
	return n;
}

/*
 * Moves c to the next pixel between the two corners of the map, dimension 1 first. The offsets of im2col are
 * not part of c.
 */
static void next_pixel(const struct tensor_map *m, int64_t c[TENSOR_RANK])
{
	for (unsigned d = 1; d + 1 < m->rank; d++) {
		c[d] += m->step[d];
		if (c[d] < (int64_t)m->dim[d] + m->upper[d - 1])
			return;
		c[d] = m->lower[d - 1];
	}
	c[m->rank - 1]++;
}

/* Sets c to the coordinates of a line. at: current pixel of im2col, which is moved to the next one. */
static void line_coordinates(
	const struct box *b, uint64_t number, int64_t at[TENSOR_RANK], int64_t c[TENSOR_RANK])
{
	const struct tensor_map *m = b->map;

	memcpy(c, b->order == ORDER_PIXELS ? at : b->corner, TENSOR_RANK * sizeof(*c));
	if (b->order == ORDER_ROWS) {
		c[1] = b->corner[1 + number];
		return;
	}
	if (b->order == ORDER_TILE) {
		for (unsigned d = 1; d < m->rank; number /= box_extent(m, d++))
			c[d] += (int64_t)(number % box_extent(m, d) * m->step[d]);
		return;
	}
	for (unsigned d = 1; d + 1 < m->rank; d++)
		c[d] += b->offset[d];
	next_pixel(m, at);
}

static enum type type_of_elements(const struct tensor_map *m) { return (enum type)tensor_element(m)->type; }

static void reduce_element(struct warp *w, const struct box *b, uint8_t *to, const uint8_t *from)
{
	unsigned bytes = tensor_element(b->map)->bytes;
	u64 old = 0, v = 0;

	pthread_mutex_lock(&w->mem->lock);
	memcpy(&old, to, bytes);
	memcpy(&v, from, bytes);
	v = atom_new_value(b->atom, type_of_elements(b->map), old, v, 0);
	memcpy(to, &v, bytes);
	pthread_mutex_unlock(&w->mem->lock);
}

/* Fails the launch, and returns false, unless a line is in the buffer that contains the start of the tensor. */
static bool check_tensor_buffer(
	struct warp *w, const struct op *o, const struct box *b, unsigned lane, uint64_t addr, uint64_t bytes)
{
	if (!w->grid->options->check ||
		memory_nearest_buffer(w->mem, addr) == memory_nearest_buffer(w->mem, b->map->addr))
		return true;
	exec_fail(w, o, 1u << lane, "out-of-bounds",
		"copy of %llu bytes at 0x%llx, outside the buffer that the tensor begins in",
		(unsigned long long)bytes, (unsigned long long)addr);
	return false;
}

/*
 * Returns the address of the elements of the line at c that are in the tensor: *n elements starting at *first. The
 * address is undefined if *n is 0.
 */
static uint64_t line_address(const struct box *b, const int64_t c[TENSOR_RANK], uint64_t *first, uint64_t *n)
{
	const struct tensor_map *m = b->map;
	int64_t len = (int64_t)elements_per_line(m), low = c[0] < 0 ? -c[0] : 0,
		high = (int64_t)m->dim[0] - c[0];
	uint64_t addr = m->addr + (uint64_t)(c[0] + low) * tensor_element(m)->bytes;

	high = high < len ? high : len;
	for (unsigned d = 1; d < m->rank; d++) {
		high = c[d] < 0 || c[d] >= (int64_t)m->dim[d] ? 0 : high;
		addr += (uint64_t)c[d] * m->stride[d - 1];
	}
	*first = (uint64_t)low;
	*n = high > low ? (uint64_t)(high - low) : 0;
	return addr;
}

/*
 * Returns the host address of the elements of the line at c that are in the tensor: *n elements from *first
 * on. If they are outside of memory, fails the launch and returns NULL.
 */
static uint8_t *line_find_host(struct warp *w, const struct op *o, const struct box *b, unsigned lane,
	const int64_t c[TENSOR_RANK], uint64_t *first, uint64_t *n)
{
	static uint8_t nowhere;
	const struct tensor_map *m = b->map;
	uint64_t addr = line_address(b, c, first, n), bytes = *n * tensor_element(m)->bytes;
	uint8_t *at;

	if (!*n)
		return &nowhere;
	w->addr[lane] = addr;
	if (!check_tensor_buffer(w, o, b, lane, addr, bytes))
		return NULL;
	if (!(at = memory_host_address(w->mem, addr, bytes)))
		checker_report_outside(w, o, lane, SP_GLOBAL, addr, bytes);
	return at && check_lane_span(w, o, SP_GLOBAL, lane, bytes, at, b->direction != TENSOR_LOAD) ? at
												    : NULL;
}

/*
 * Converts a loaded float as its element type requires. Infinities and NaNs stay as they are. A GPU of sm_120 rounds to
 * tf32 in this way, as a test of Triton's descriptors shows (triton-lang/triton, pull request 11751).
 */
static void convert_loaded_float(uint8_t *at, const struct tensor_element *e)
{
	uint32_t v, exponent;

	memcpy(&v, at, sizeof(v));
	exponent = v >> 23 & 0xff;
	if (exponent == 0xff)
		return;
	if (e->flush && !exponent)
		v &= 0x80000000u;
	if (e->to_tf32)
		v = (v + 0xfff + (v >> 13 & 1)) & ~0x1fffu;
	memcpy(at, &v, sizeof(v));
}

/* Tests whether all elements of the box are in the tensor. */
static bool is_box_inside(const struct box *b)
{
	int64_t pixel[TENSOR_RANK], c[TENSOR_RANK];
	uint64_t lines = count_box_lines(b), first, n;

	memcpy(pixel, b->corner, sizeof(pixel));
	for (uint64_t k = 0; k < lines; k++) {
		line_coordinates(b, k, pixel, c);
		line_address(b, c, &first, &n);
		if (n != elements_per_line(b->map))
			return false;
	}
	return true;
}

/*
 * Checks the reads of `bytes` bytes of shared memory from `offset` of the box at byte `base` on, by pieces that the
 * swizzle does not divide. Returns false if the launch has failed.
 */
static bool check_shared_pieces(struct warp *w, const struct op *o, const struct box *b, unsigned lane,
	uint64_t base, uint8_t *shared, uint64_t offset, uint64_t bytes)
{
	for (uint64_t end = offset + bytes, piece; offset < end; offset += piece) {
		piece = 16 - (base + offset) % 16;
		piece = piece < end - offset ? piece : end - offset;
		if (!check_lane_span(w, o, SP_SHARED, lane, piece,
			    shared + (swizzle_offset(b->map, base + offset) - base), false))
			return false;
	}
	return true;
}

/*
 * Copies a line of the box at byte `base` of shared memory. by_line: checks the reads of the line from shared memory.
 * Returns false if the launch has failed.
 */
static bool copy_line(struct warp *w, const struct op *o, const struct box *b, unsigned lane,
	const int64_t c[TENSOR_RANK], uint64_t number, uint64_t base, uint8_t *shared, bool by_line)
{
	const struct tensor_map *m = b->map;
	const struct tensor_element *e = tensor_element(m);
	uint64_t first, n, len = elements_per_line(m), bytes = e->bytes;
	bool converts = e->flush || e->to_tf32;
	uint8_t *line = line_find_host(w, o, b, lane, c, &first, &n);

	if (!line || (by_line && !check_shared_pieces(w, o, b, lane, base, shared,
					 (number * len + first) * e->group_shared_bytes,
					 n * e->group_shared_bytes)))
		return false;
	for (uint64_t k = 0; k < len; k++) {
		uint8_t *in = shared +
			      (swizzle_offset(m, base + (number * len + k) * e->group_shared_bytes) - base);
		bool inside = k >= first && k - first < n;
		uint8_t *out = inside ? line + (k - first) * bytes : NULL;

		if (b->direction == TENSOR_LOAD && inside)
			memset((uint8_t *)memcpy(in, out, bytes) + bytes, 0, e->group_shared_bytes - bytes);
		else if (b->direction == TENSOR_LOAD)
			memset(in, m->fill_nan ? 0xff : 0, e->group_shared_bytes);
		else if (inside && b->direction == TENSOR_REDUCE)
			reduce_element(w, b, out, in);
		else if (inside)
			memcpy(out, in, bytes);
		if (converts && b->direction == TENSOR_LOAD && inside)
			convert_loaded_float(in, e);
	}
	return true;
}

/*
 * Returns true if a map is not at a multiple of 64 bytes. A map that is a parameter of machine code can be aligned from
 * the start of the constant bank, as compilers do, or from the first parameter, as assemblers may do.
 */
static bool is_map_misaligned(const struct warp *w, unsigned lane, const uint8_t *at)
{
	const uint8_t *param = w->grid->launch->param;
	bool in_bank = param && at >= param && at < param + w->grid->launch->kernel->param_bytes;

	return w->addr[lane] % 64 && (!in_bank || (w->addr[lane] + w->grid->param_at) % 64);
}

/* Reads and checks the tensor map of a lane. Returns NULL if the launch has failed. */
static const struct tensor_map *read_tensor_map(
	struct warp *w, const struct op *o, unsigned lane, struct tensor_map *m)
{
	const struct tensor_copy *x = o->x->family;
	const uint8_t *at = address_find_host(w, o, &x->map, lane, TENSOR_MAP_BYTES);
	const char *wrong;

	if (!at)
		return NULL;
	tensor_map_unpack(m, at);
	wrong = w->space == SP_SHARED || w->space == SP_LOCAL ? "a tensor map in shared or local memory"
		: is_map_misaligned(w, lane, at) ? "a tensor map that is not at a multiple of 64 bytes"
						 : tensor_map_error(m);
	if (!wrong && m->rank != x->rank)
		wrong = "a tensor map of another number of dimensions";
	else if (!wrong && (x->order == ORDER_PIXELS) != (m->pixels != 0))
		wrong = "a tensor map of the other kind, of tiles or im2col";
	else if (!wrong && x->order == ORDER_ROWS && m->box[1] != 1)
		wrong = "a box of several rows";
	else if (!wrong && x->direction == TENSOR_REDUCE && !atom_is_supported(x->atom, type_of_elements(m)))
		wrong = "elements of a type that the reduction does not have";
	if (wrong)
		exec_fail(w, o, 1u << lane, "tensor-map", "%s (expected a map that fits the copy)", wrong);
	return wrong ? NULL : m;
}

/*
 * Changes the unit of the sizes and of the corner in dimension 0 from elements to groups of elements that are copied
 * together. Returns false if the launch has failed.
 */
static bool count_in_groups(
	struct warp *w, const struct op *o, unsigned lane, struct tensor_map *m, int64_t *corner)
{
	unsigned group = tensor_element(m)->group_elements;

	if (*corner % group) {
		exec_fail(w, o, 1u << lane, "tensor-map", "coordinate %lld (expected a multiple of %u)",
			(long long)*corner, group);
		return false;
	}
	m->dim[0] /= group;
	m->box[0] /= group;
	m->channels = (uint16_t)(m->channels / group);
	*corner /= group;
	return true;
}

/*
 * Executes a lane's copy between the tensor and the shared memory of the block with this rank. Elements that a store
 * does not write, because they are outside of the tensor, may be uninitialised in shared memory.
 */
static bool copy_box(struct warp *w, const struct op *o, const struct box *b, unsigned lane, unsigned rank)
{
	const struct tensor_copy *x = o->x->family;
	const struct tensor_map *m = b->map;
	uint64_t n = count_box_lines(b),
		 bytes = n * elements_per_line(m) * tensor_element(m)->group_shared_bytes,
		 span_bytes = m->span ? (bytes + 127) / 128 * 128
				      : bytes; /* the swizzle permutes within 128 bytes */
	uint8_t *at = targets_find_host(w, o, &x->targets, &x->targets.target, lane, rank, span_bytes), *bar;
	int64_t pixel[TENSOR_RANK], c[TENSOR_RANK];
	bool by_line = b->direction != TENSOR_LOAD && !is_box_inside(b);

	if (!at)
		return false;
	uint64_t base = w->addr[lane];
	if (base % (m->span ? 128 : 16)) {
		exec_fail(w, o, 1u << lane, "misaligned",
			"box at byte %llu of .shared (expected a multiple of %d)", (unsigned long long)base,
			m->span ? 128 : 16);
		return false;
	}
	if (!by_line && !check_lane_span(w, o, SP_SHARED, lane, span_bytes, at, b->direction == TENSOR_LOAD))
		return false;
	memcpy(pixel, b->corner, sizeof(pixel));
	for (uint64_t k = 0; k < n; k++) {
		line_coordinates(b, k, pixel, c);
		if (!copy_line(w, o, b, lane, c, k, base, at, by_line))
			return false;
	}
	if (m->span) /* the last 128 bytes may have other bytes in between */
		span_bytes = bytes / 128 * 128;
	if (!x->targets.reports) {
		bulk_flight_begin_read(w, lane, at, span_bytes, NULL);
		return true;
	}
	if (!(bar = targets_find_host(w, o, &x->targets, &x->targets.mbarrier, lane, rank, 8)))
		return false;
	bulk_flight_begin_write(w, at, span_bytes, bar);
	return async_complete_bytes(
		w, o, lane, bar, bytes / tensor_element(m)->group_shared_bytes * tensor_element(m)->bytes);
}

/* Reads the map and the coordinates of a lane's copy. Returns false if the launch has failed. */
static bool read_copy_box(
	struct warp *w, const struct op *o, unsigned lane, struct tensor_map *map, struct box *b)
{
	const struct tensor_copy *x = o->x->family;

	*b = (struct box){.map = read_tensor_map(w, o, lane, map),
		.direction = x->direction,
		.order = x->order,
		.atom = x->atom};
	for (unsigned d = 0; d < (x->order == ORDER_ROWS ? 5u : x->rank); d++)
		b->corner[d] = REG(s32, w, x->coordinate[d])[lane];
	for (unsigned d = 1; x->order == ORDER_PIXELS && d + 1 < x->rank; d++)
		b->offset[d] = x->direction == TENSOR_LOAD ? REG(u16, w, x->offset[d - 1])[lane] : 0;
	return b->map && count_in_groups(w, o, lane, map, &b->corner[0]);
}

void tensor_copy_run(struct warp *w, const struct op *o, uint32_t m)
{
	const struct tensor_copy *x = o->x->family;

	w->changed = true;
	FOR_BITS32 (i, m) {
		struct tensor_map map;
		struct box b;
		uint32_t ranks = read_copy_box(w, o, i, &map, &b) ? targets_ranks(w, o, &x->targets, i) : 0;

		if (!ranks)
			return;
		if (x->direction == TENSOR_PREFETCH)
			continue;
		FOR_BITS32 (r, ranks)
			if (!copy_box(w, o, &b, i, r))
				return;
	}
}

bool tensor_copy_lines(struct warp *w, const struct op *o, unsigned lane, struct tensor_extent *e,
	void (*line)(void *ctx, uint64_t addr, uint64_t n), void *ctx)
{
	struct tensor_map map;
	struct box b;
	int64_t pixel[TENSOR_RANK], c[TENSOR_RANK];
	uint64_t first, n, inside = 0;

	if (!read_copy_box(w, o, lane, &map, &b))
		return false;
	memcpy(pixel, b.corner, sizeof(pixel));
	for (uint64_t k = 0; k < count_box_lines(&b); k++) {
		line_coordinates(&b, k, pixel, c);
		uint64_t addr = line_address(&b, c, &first, &n);

		inside += n;
		if (n && line)
			line(ctx, addr, n);
	}
	*e = (struct tensor_extent){
		tensor_element(&map)->bytes, count_box_lines(&b) * elements_per_line(&map), inside};
	return true;
}

/* ---- binding ---- */

/* Binds "[map, {coordinates}]", and the list of offsets of im2col. */
static int bind_tensor_map(
	struct bind *b, struct tensor_copy *x, const struct operand *map, const struct operand *offsets)
{
	unsigned n = x->order == ORDER_ROWS ? 5 : x->rank;
	struct operand plain = *map;

	if (!x->rank || map->kind != O_ADDR || map->n != 1 || map->elem[0].kind != O_VEC ||
		map->elem[0].n != n)
		return bind_fault(b, map, "operand", "%s (expected [map, {coordinates}] with %u coordinates)",
			b->stmt->text, n);
	if (offsets && (offsets->kind != O_VEC || offsets->n != x->rank - 2u))
		return bind_fault(
			b, offsets, "operand", "offsets of im2col (expected %u in braces)", x->rank - 2u);
	plain.n = 0;
	if (address_bind(b, &x->map, &plain, SP_GENERIC))
		return -1;
	for (unsigned d = 0; d < n; d++)
		if ((x->coordinate[d] = bind_src(b, &map->elem[0].elem[d], T_S32)) == UINT32_MAX)
			return -1;
	for (unsigned d = 0; offsets && d < offsets->n; d++)
		if ((x->offset[d] = bind_src(b, &offsets->elem[d], T_U16)) == UINT32_MAX)
			return -1;
	return 0;
}

/* Sets the dimensions and the mode from the suffixes. */
static int bind_tensor_order(struct bind *b, struct tensor_copy *x)
{
	static const enum modifier dims[TENSOR_RANK] = {M_1D, M_2D, M_3D, M_4D, M_5D};
	const struct stmt *in = b->stmt;
	bool rows = stmt_has(in, M_TILE__GATHER4) || stmt_has(in, M_TILE__SCATTER4),
	     load = x->direction == TENSOR_LOAD || x->direction == TENSOR_PREFETCH;

	for (unsigned d = 0; d < TENSOR_RANK; d++)
		if (stmt_has(in, dims[d]))
			x->rank = (uint8_t)(d + 1);
	x->order = rows                                                       ? ORDER_ROWS
		   : stmt_has(in, M_IM2COL) || stmt_has(in, M_IM2COL_NO_OFFS) ? ORDER_PIXELS
									      : ORDER_TILE;
	if ((rows && (x->rank != 2 || x->direction == TENSOR_REDUCE ||
			     stmt_has(in, M_TILE__GATHER4) != load)) ||
		(x->order == ORDER_PIXELS && (x->rank < 3 || stmt_has(in, M_IM2COL) != load)))
		return bind_fault(b, NULL, "suffix",
			"%s (expected dimensions and a direction that support this mode)", in->text);
	return 0;
}

/* Binds a prefetch, which copies nothing but checks its map. */
static int bind_tensor_prefetch(struct bind *b, struct op *o, struct tensor_copy *x)
{
	const struct stmt *in = b->stmt;

	x->direction = TENSOR_PREFETCH;
	if (!stmt_has(in, M_L2) || !stmt_has(in, M_GLOBAL))
		return bind_fault(b, NULL, "suffix", "%s (expected .L2.global)", in->text);
	if (bind_tensor_order(b, x))
		return -1;
	bool offsets = x->order == ORDER_PIXELS;
	o->execute = tensor_copy_run;
	return bind_operands(b, 1u + offsets, 1u + offsets + stmt_has(in, M_L2__CACHE_HINT)) ||
			       bind_tensor_map(b, x, &in->operand[0], offsets ? &in->operand[1] : NULL)
		       ? -1
		       : 0;
}

/* Checks the combination of destination, source and completion mechanism. */
static int check_tensor_suffixes(struct bind *b, bool store)
{
	const struct stmt *in = b->stmt;
	bool cluster = stmt_has(in, M_SHARED__CLUSTER);

	if (stmt_has(in, M_BULK_GROUP) != store)
		return bind_fault(b, NULL, "suffix",
			"%s (expected .bulk_group or .mbarrier::complete_tx::bytes)", in->text);
	if (!stmt_has(in, M_GLOBAL) || stmt_has(in, M_SHARED__CTA) == cluster || (store && cluster) ||
		(strstr(in->text, ".global.shared") != NULL) != store || (!store && stmt_has(in, M_REDUCE)) ||
		(stmt_has(in, M_MULTICAST__CLUSTER) && !cluster))
		return bind_fault(b, NULL, "suffix", "%s (expected %s)", in->text,
			store ? ".global.shared::cta"
			      : ".shared::cluster.global or, to one block, .shared::cta.global");
	return 0;
}

int bind_tensor_copy(struct bind *b, struct op *o)
{
	const struct stmt *in = b->stmt;
	const struct operand *k = in->operand;
	struct tensor_copy *x = bind_ext(b, o)->family = arena_alloc(&b->code->arena, 1, sizeof(*x));
	bool load = stmt_has(in, M_MBARRIER__COMPLETE_TX__BYTES), many = stmt_has(in, M_MULTICAST__CLUSTER);

	if (stmt_has(in, M_PREFETCH))
		return bind_tensor_prefetch(b, o, x);
	x->direction = load ? TENSOR_LOAD : stmt_has(in, M_REDUCE) ? TENSOR_REDUCE : TENSOR_STORE;
	if (check_tensor_suffixes(b, !load) || bind_tensor_order(b, x))
		return -1;
	bool offsets = load && x->order == ORDER_PIXELS;
	unsigned n = load ? 3u + offsets + many : 2;
	if (bind_operands(b, n, n + stmt_has(in, M_L2__CACHE_HINT)) ||
		bind_tensor_map(b, x, &k[load], offsets ? &k[3] : NULL) ||
		address_bind(b, &x->targets.target, &k[!load], SP_SHARED) ||
		(load && address_bind(b, &x->targets.mbarrier, &k[2], SP_SHARED)))
		return -1;
	x->targets.reports = load;
	if (many && (!load || (x->targets.mask = bind_src(b, &k[3 + offsets], T_U16)) == UINT32_MAX))
		return -1;
	if (x->direction == TENSOR_REDUCE) {
		if (!atom_find_operation(in, T_NONE, &x->atom) || x->atom >= ATOM_EXCH)
			return bind_fault(b, NULL, "suffix", "%s (expected one operation)", in->text);
		b->frame->order |= ORDER_SHOWS; /* the type is in the tensor map, not in the code */
	}
	o->execute = tensor_copy_run;
	return 0;
}
