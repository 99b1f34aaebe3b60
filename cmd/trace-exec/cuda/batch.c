/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Batches: many copies, hints or discards of memory in one call, executed one after another.
 *
 * The call is checked before the first operation of the batch is executed; an operation that fails ends the batch.
 */
#include "cuda/cuda.h"

enum { ORDER_STREAM = 1, ORDER_LAST = 3, FLAGS_OF_COPY = 1, KIND_DEFAULT = 4 };

/* cudaMemcpyAttributes */
struct copy_hints {
	int order;
	struct memory_location source, target;
	unsigned flags;
};

/* A batch of n operations. Group i of operations, which share hints or a place, begins at operation first[i]. */
struct batch {
	void *const *targets;
	const void *const *sources;
	const size_t *bytes;
	size_t n;
	const size_t *group_start;
	size_t n_groups;
};

/* Ends a function of the runtime. */
static int end_batch(int status)
{
	if (status)
		cudart_set_last_error(status);
	return status;
}

/* Checks that groups of a batch of n operations begin at increasing indices, the first at 0. */
static bool are_groups_valid(const size_t *first, size_t n_groups, size_t n)
{
	if (!first || !n_groups || n_groups > n || first[0])
		return false;
	for (size_t i = 1; i < n_groups; i++)
		if (first[i] <= first[i - 1] || first[i] >= n)
			return false;
	return true;
}

static bool are_hints_valid(const struct copy_hints *h, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (h[i].order < ORDER_STREAM || h[i].order > ORDER_LAST || h[i].flags > FLAGS_OF_COPY)
			return false;
	return true;
}

/* Copies the batch on stream s. Sets *failed, unless NULL, to the number of the copy that failed. */
static int copy_batch(const struct batch *b, const struct copy_hints *h, size_t *failed, struct stream *s)
{
	int e = cudaSuccess;

	if (failed)
		*failed = SIZE_MAX;
	if (!b->n || !b->targets || !b->sources || !b->bytes || !h ||
		!are_groups_valid(b->group_start, b->n_groups, b->n) || !are_hints_valid(h, b->n_groups))
		return cudaErrorInvalidValue;
	for (size_t i = 0; !e && i < b->n; i++) {
		e = cudaMemcpyAsync(b->targets[i], b->sources[i], b->bytes[i], KIND_DEFAULT, s);
		if (e && failed)
			*failed = i;
	}
	return e;
}

/* legacy: a stream of NULL is the legacy stream, on which batches are not possible. */
static int copy_batch_of_runtime(
	const struct batch *b, const struct copy_hints *h, void *eighth, void *ninth, bool legacy)
{
	bool older = cudart_runtime_release() < 13; /* the eighth argument is `failed` */
	struct stream *s = older ? ninth : eighth;

	return end_batch(legacy && !s ? cudaErrorInvalidValue : copy_batch(b, h, older ? eighth : NULL, s));
}

#define COPIES \
	void *const *to, const void *const *from, const size_t *bytes, size_t n, const struct copy_hints *h, \
		const size_t *first, size_t n_groups
#define COPY_BATCH (&(struct batch){to, from, bytes, n, first, n_groups})
API(int, cudaMemcpyBatchAsync, COPIES, void *eighth, void *ninth)
{
	return copy_batch_of_runtime(COPY_BATCH, h, eighth, ninth, true);
}
API(int, cudaMemcpyBatchAsync_ptsz, COPIES, void *eighth, void *ninth)
{
	return copy_batch_of_runtime(COPY_BATCH, h, eighth, ninth, false);
}
STREAM(cuMemcpyBatchAsync, s ? copy_batch(COPY_BATCH, h, failed, s) : cudaErrorInvalidValue, COPIES,
	size_t *failed, struct stream *s)
STREAM(cuMemcpyBatchAsync_ptsz, copy_batch(COPY_BATCH, h, failed, s), COPIES, size_t *failed,
	struct stream *s)
STREAM(cuMemcpyBatchAsync_v2, s ? copy_batch(COPY_BATCH, h, NULL, s) : cudaErrorInvalidValue, COPIES,
	struct stream *s)
STREAM(cuMemcpyBatchAsync_v2_ptsz, copy_batch(COPY_BATCH, h, NULL, s), COPIES, struct stream *s)

/* ---- copies of boxes ---- */

enum { OPERAND_POINTER = 1, OPERAND_ARRAY };

/* cudaMemcpy3DOperand */
struct box_operand {
	int type;
	union {
		struct {
			char *base;
			size_t row;   /* elements of a row; 0: as many as the copy has */
			size_t layer; /* rows of a layer; 0: as many as the copy has */
			struct memory_location hint;
		} pointer;
		struct {
			struct array *array;
			struct position offset;
		} array;
	};
};

/* cudaMemcpy3DBatchOp */
struct box_copy {
	struct box_operand source, target;
	struct extent extent;
	int order;
	unsigned flags;
};

static size_t operand_texel_bytes(const struct box_operand *o)
{
	return o->type == OPERAND_ARRAY ? cudart_array_texel_bytes(o->array.array) : 0;
}

/* Sets one end of a copy of elements of `unit` bytes. Returns 0 or a status. */
static int convert_box_operand(const struct box_operand *o, const struct extent *x, size_t unit,
	const struct array **array, struct position *offset, struct pitched *at)
{
	size_t row = o->pointer.row ? o->pointer.row : x->width,
	       layer = o->pointer.layer ? o->pointer.layer : x->height;

	if (o->type == OPERAND_ARRAY) {
		*array = o->array.array;
		*offset = o->array.offset;
		return operand_texel_bytes(o) == unit ? cudaSuccess : cudaErrorInvalidValue;
	}
	if (o->type != OPERAND_POINTER || !o->pointer.base || row < x->width || layer < x->height ||
		row > SIZE_MAX / 2 / unit)
		return cudaErrorInvalidValue;
	*at = (struct pitched){o->pointer.base, row * unit, x->width * unit, layer};
	return cudaSuccess;
}

static int convert_box_copy(struct copy_3d *to, const struct box_copy *c)
{
	size_t unit = operand_texel_bytes(&c->target) ? operand_texel_bytes(&c->target)
						      : operand_texel_bytes(&c->source);
	int e;

	if (!c->extent.width || !c->extent.height || !c->extent.depth || c->order < ORDER_STREAM ||
		c->order > ORDER_LAST || c->flags > FLAGS_OF_COPY)
		return cudaErrorInvalidValue;
	unit = unit ? unit : 1;
	*to = (struct copy_3d){.extent = c->extent, .kind = KIND_DEFAULT};
	e = convert_box_operand(
		&c->source, &c->extent, unit, &to->source_array, &to->source_position, &to->source);
	return e ? e
		 : convert_box_operand(&c->target, &c->extent, unit, &to->target_array, &to->target_position,
			   &to->target);
}

/* Copies the n boxes on stream s. Sets *failed, unless NULL, to the number of the copy that failed. */
static int copy_boxes(
	const struct box_copy *c, size_t n, unsigned long long flags, size_t *failed, struct stream *s)
{
	struct copy_3d p;
	int e = n && c && !flags ? cudaSuccess : cudaErrorInvalidValue;

	if (failed)
		*failed = SIZE_MAX;
	for (size_t i = 0; !e && i < 2 * n; i++) { /* all copies are checked before the first */
		e = convert_box_copy(&p, &c[i % n]);
		if (!e && i >= n)
			e = cudaMemcpy3DAsync(&p, s);
		if (e && failed)
			*failed = i % n;
	}
	return e;
}

/* legacy: a stream of NULL is the legacy stream, on which batches are not possible. */
static int copy_boxes_of_runtime(const struct box_copy *c, size_t n, uintptr_t third, uintptr_t fourth,
	struct stream *fifth, bool legacy)
{
	bool older = cudart_runtime_release() < 13; /* the third argument is `failed` */
	struct stream *s = older ? fifth : (struct stream *)fourth;

	return end_batch(
		legacy && !s ? cudaErrorInvalidValue
			     : copy_boxes(c, n, older ? fourth : third, older ? (size_t *)third : NULL, s));
}
API(int, cudaMemcpy3DBatchAsync, size_t n, const struct box_copy *c, uintptr_t third, uintptr_t fourth,
	struct stream *fifth)
{
	return copy_boxes_of_runtime(c, n, third, fourth, fifth, true);
}
API(int, cudaMemcpy3DBatchAsync_ptsz, size_t n, const struct box_copy *c, uintptr_t third, uintptr_t fourth,
	struct stream *fifth)
{
	return copy_boxes_of_runtime(c, n, third, fourth, fifth, false);
}
STREAM(cuMemcpy3DBatchAsync, s ? copy_boxes(c, n, flags, failed, s) : cudaErrorInvalidValue, size_t n,
	const struct box_copy *c, size_t *failed, unsigned long long flags, struct stream *s)
STREAM(cuMemcpy3DBatchAsync_ptsz, copy_boxes(c, n, flags, failed, s), size_t n, const struct box_copy *c,
	size_t *failed, unsigned long long flags, struct stream *s)
STREAM(cuMemcpy3DBatchAsync_v2, s ? copy_boxes(c, n, flags, NULL, s) : cudaErrorInvalidValue, size_t n,
	const struct box_copy *c, unsigned long long flags, struct stream *s)
STREAM(cuMemcpy3DBatchAsync_v2_ptsz, copy_boxes(c, n, flags, NULL, s), size_t n, const struct box_copy *c,
	unsigned long long flags, struct stream *s)

/* ---- managed memory ---- */

/* Discards the contents of managed memory: they are undefined until they are written. */
static int discard_managed(void *base, size_t n)
{
	int e = cudart_enter(true);
	const struct grant *g = e ? NULL : cudart_find_grant((uint64_t)(uintptr_t)base);

	if (!e && (!g || g->kind != GRANT_MANAGED || !n || !cudart_host_address(base, n)))
		e = cudaErrorInvalidValue;
	if (!e && cudart.exec.check)
		memory_mark_unset(&cudart.mem, (uint64_t)(uintptr_t)base, n);
	cudart_leave(cudaSuccess);
	return e;
}

/* Discards the memory of the batch, moves it to the places of its groups, or both. */
static int move_batch(const struct batch *b, const struct memory_location *l, bool discard,
	unsigned long long flags, const struct stream *s)
{
	size_t group = 0;
	int e = cudart_stream_number(s) < 0 ? cudaErrorInvalidResourceHandle : cudaSuccess;

	if (!b->n || !b->targets || !b->bytes || flags || (b->group_start && !l) ||
		(!b->group_start && !discard) ||
		(b->group_start && !are_groups_valid(b->group_start, b->n_groups, b->n)))
		return cudaErrorInvalidValue;
	for (size_t i = 0; !e && i < b->n; i++) {
		group += b->group_start && group + 1 < b->n_groups && b->group_start[group + 1] == i;
		if (discard)
			e = discard_managed(b->targets[i], b->bytes[i]);
		if (!e && b->group_start)
			e = cudaMemPrefetchAsync_v2(b->targets[i], b->bytes[i], l[group], 0, s);
	}
	return e;
}

/* Defines a function of the runtime and of the driver that returns the status of `call`. */
#define MOVE_BATCH(name, call, ...) \
	API(int, cuda##name, __VA_ARGS__) { return end_batch(call); } \
	ALSO(cuda##name##_ptsz, cuda##name); \
	STREAM_TOO(cu##name, cu##name##_ptsz, call, __VA_ARGS__)
#define MOVES                        void **base, const size_t *bytes, size_t n
#define PLACES                       const struct memory_location *l, const size_t *first, size_t n_groups
#define REST                         unsigned long long flags, const struct stream *s
#define MOVES_BATCH(first, n_groups) (&(struct batch){base, NULL, bytes, n, first, n_groups})
MOVE_BATCH(MemPrefetchBatchAsync, move_batch(MOVES_BATCH(first, n_groups), l, false, flags, s), MOVES, PLACES,
	REST)
MOVE_BATCH(MemDiscardBatchAsync, move_batch(MOVES_BATCH(NULL, 0), NULL, true, flags, s), MOVES, REST)
MOVE_BATCH(MemDiscardAndPrefetchBatchAsync, move_batch(MOVES_BATCH(first, n_groups), l, true, flags, s),
	MOVES, PLACES, REST)
