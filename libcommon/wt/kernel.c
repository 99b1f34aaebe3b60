/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernels of libwarptools, on top of trace.h.
 *
 * Always true: the columns contain the instructions of the block that was read last. Rows of addresses are made on
 * request.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "bits.h"
#include "list.h"

struct wt_kernel {
	struct wt_list *list;    /* list of the kernel */
	struct wt_kernel *older; /* next element of the list of open kernels */
	struct trace *trace;
	struct wt_kernel_info info; /* header for the caller */
	uint32_t command;           /* index of the kernel's command */
	uint64_t next;              /* number of the next thread block */
	bool has_read_block;        /* true if a block was read */
	bool ended;                 /* true if the end was reached and checked */
	struct tblock tb;
	struct wt_block block;
	struct wt_warp *warp;
	uint32_t *column; /* two arrays of n_instructions elements: codes and masks */
	uint32_t cap_warps, cap_column;
	struct wt_accesses accesses;
	uint32_t *row;              /* number of the instruction to which each access belongs */
	uint8_t *space;             /* memory space of each access */
	uint64_t (*lane)[WT_LANES]; /* addresses of each access by lane */
	uint32_t cap_rows, cap_spaces, cap_lanes;
	bool expanded; /* true if accesses belong to the block that was read last */
};

/* ---- opening ------------------------------------------------------------------------------ */

static void fill_kernel_info(struct wt_kernel *k)
{
	const struct kernel_header *h = trace_header(k->trace);
	struct wt_kernel_info *i = &k->info;

	*i = (struct wt_kernel_info){
		.name = h->name,
		.path = trace_path(k->trace),
		.stream = h->stream,
		.blocks = kernel_blocks(h),
		.shared_base = h->shmem_base,
		.local_base = h->local_base,
		.id = h->id,
		.warps = kernel_warps(h),
		.registers = h->nregs,
		.shared = h->shmem_bytes,
		.dynamic_shared = h->dynamic_shmem,
		.compute_capability = h->binary_version > 0 ? (uint32_t)h->binary_version : 0,
		.ptx = h->ptx,
		.slice = h->is_slice,
		.has_lines = h->lineinfo || trace_has_lines(k->trace),
	};
	memcpy(i->grid, h->grid, sizeof(i->grid));
	memcpy(i->block, h->block, sizeof(i->block));
}

/* Opens the kernel's trace at its first thread block. Returns 0, or -1 and sets *f. */
static int open_trace(struct wt_kernel *k, struct fault *f)
{
	struct wt_list *l = k->list;
	struct trace_options o = {.code = l->code, .warn = wt_list_warn, .ctx = l};

	trace_close(k->trace);
	k->trace = NULL;
	if (l->once && l->taken)
		return fault_set(f, (struct place){diag_keep(l->klist.path), 0, 0}, "open",
			"a kernel file that was opened by its descriptor cannot be read again");
	l->taken = true;
	k->trace = klist_open(&l->klist, k->command, &o, f);
	if (!k->trace)
		return -1;
	k->next = 0;
	k->has_read_block = k->ended = k->expanded = false;
	fill_kernel_info(k);
	return 0;
}

static int open_kernel(void *ctx, struct fault *f) { return open_trace(ctx, f); }

/* Returns the index of the command of the kernel at position; WT_NONE if there is none. */
static uint32_t command_at(const struct wt_list *l, uint32_t position)
{
	for (uint32_t i = 0; i < l->klist.n_cmds; i++)
		if (l->command[i].kind == WT_KERNEL && l->command[i].position == position)
			return i;
	return WT_NONE;
}

struct wt_kernel *wt_kernel_open(struct wt_list *l, uint32_t position, struct wt_error *e)
{
	uint32_t command = command_at(l, position);
	struct wt_kernel *k;
	struct fault f;

	if (command == WT_NONE) {
		fault_set(&f, (struct place){l->klist.path, 0, 0}, "position",
			"no kernel at position %u (expected 1 to %u)", (unsigned)position,
			(unsigned)l->klist.n_kernels);
		wt_error_set(e, &f);
		return NULL;
	}
	k = calloc(1, sizeof(*k));
	if (!k) {
		f = (struct fault){.id = "memory", .text = "out of memory"};
		wt_error_set(e, &f);
		return NULL;
	}
	k->list = l;
	k->command = command;
	k->older = l->open;
	l->open = k;
	if (wt_handle_call(&l->handle, open_kernel, k, e) == 0)
		return k;
	wt_kernel_close(k);
	return NULL;
}

void wt_kernel_close(struct wt_kernel *k)
{
	struct wt_kernel **at;

	if (!k)
		return;
	for (at = &k->list->open; *at != k; at = &(*at)->older)
		;
	*at = k->older;
	trace_close(k->trace);
	tblock_free(&k->tb);
	free(k->warp);
	free(k->column);
	free(k->row);
	free(k->space);
	free(k->lane);
	free(k);
}

const struct wt_kernel_info *wt_kernel_info(const struct wt_kernel *k) { return &k->info; }

const char *wt_kernel_source(const struct wt_kernel *k, uint32_t file)
{
	return k->trace && file ? trace_source(k->trace, file) : NULL;
}

/* ---- thread blocks ------------------------------------------------------------------------ */

/* Builds the columns of the block in k->tb. */
static void fill_block_columns(struct wt_kernel *k)
{
	const struct tblock *tb = &k->tb;
	uint32_t n = 0, accesses = 0;

	wt_list_update(k->list);
	grow(&k->warp, &k->cap_warps, tb->n_warps + 1, sizeof(k->warp[0]));
	grow(&k->column, &k->cap_column, 2 * tb->n_recs + 1, sizeof(k->column[0]));
	uint32_t *code = k->column, *mask = k->column + tb->n_recs;
	for (uint32_t w = 0; w < tb->n_warps; w++) {
		const struct warp_recs *r = &tb->warp[w];

		k->warp[w] = (struct wt_warp){r->first_rec, r->n_recs, r->line};
	}
	for (n = 0; n < tb->n_recs; n++) {
		code[n] = tb->rec[n].inst;
		mask[n] = tb->rec[n].mask;
		accesses += k->list->instruction[code[n]].size != 0;
	}
	k->block = (struct wt_block){
		k->next, tb->x, tb->y, tb->z, tb->n_warps, tb->n_recs, accesses, k->warp, code, mask};
	k->has_read_block = true;
	k->expanded = false;
}

static int next_block(void *ctx, struct fault *f)
{
	struct wt_kernel *k = ctx;
	int r;

	k->has_read_block = false;
	if (k->ended)
		return 0;
	if (!k->trace)
		return fault_set(f, (struct place){diag_keep(k->list->klist.path), 0, 0}, "closed",
			"the kernel could not be opened again");
	r = trace_next(k->trace, &k->tb, f);
	if (r == 0)
		r = trace_finish(k->trace, f);
	if (r > 0) {
		fill_block_columns(k);
		k->next++;
	}
	k->ended = r == 0;
	return r;
}

int wt_kernel_next(struct wt_kernel *k, const struct wt_block **b, struct wt_error *e)
{
	int r = wt_handle_call(&k->list->handle, next_block, k, e);

	*b = r > 0 ? &k->block : NULL;
	return r;
}

struct seeking {
	struct wt_kernel *kernel;
	uint64_t block;
};

static int seek_block(void *ctx, struct fault *f)
{
	struct seeking *s = ctx;
	struct wt_kernel *k = s->kernel;
	int r;

	k->has_read_block = false;
	if (!k->trace && open_trace(k, f) < 0)
		return -1;
	r = trace_seek(k->trace, s->block, &k->tb, f);
	if (r == 0 && (r = open_trace(k, f)) == 0)
		r = trace_seek(k->trace, s->block, &k->tb, f);
	if (r <= 0)
		return -1;
	k->next = s->block;
	k->ended = false;
	return 0;
}

int wt_kernel_seek(struct wt_kernel *k, uint64_t block, struct wt_error *e)
{
	struct seeking s = {k, block};

	return wt_handle_call(&k->list->handle, seek_block, &s, e);
}

/* ---- addresses ---------------------------------------------------------------------------- */

int wt_kernel_addresses(const struct wt_kernel *k, uint32_t instruction, uint64_t lane[WT_LANES])
{
	memset(lane, 0, WT_LANES * sizeof(lane[0]));
	if (!k->has_read_block || instruction >= k->block.n_instructions)
		return -1;
	if (!k->list->instruction[k->block.code[instruction]].size)
		return 0;
	rec_addresses(&k->tb, &k->tb.rec[instruction], lane);
	return 1;
}

/*
 * Returns the memory space of a row. This is the space of the instruction or, if that is generic, the space of the
 * first active address.
 */
static uint8_t space_of_row(const struct wt_kernel *k, uint32_t i, const uint64_t lane[WT_LANES])
{
	uint8_t space = k->list->instruction[k->block.code[i]].space;
	const struct kernel_header *h = trace_header(k->trace);
	uint32_t mask = k->block.mask[i];

	if (space != WT_SPACE_GENERIC || !mask || !h->shmem_base || !h->local_base)
		return space;
	switch (kernel_generic_space(h, lane[bit_lowest32(mask)])) {
	case SPACE_SHARED: return WT_SPACE_SHARED;
	case SPACE_LOCAL: return WT_SPACE_LOCAL;
	default: return WT_SPACE_GLOBAL;
	}
}

static int expand_addresses(void *ctx, struct fault *f)
{
	struct wt_kernel *k = ctx;
	uint32_t n = k->block.n_accesses, at = 0;

	if (!k->has_read_block)
		return fault_set(f, (struct place){k->info.path, 0, 0}, "no-block",
			"no thread block was read (expected wt_kernel_next() before)");
	grow(&k->row, &k->cap_rows, n + 1, sizeof(k->row[0]));
	grow(&k->space, &k->cap_spaces, n + 1, sizeof(k->space[0]));
	grow(&k->lane, &k->cap_lanes, n + 1, sizeof(k->lane[0]));
	for (uint32_t i = 0; i < k->block.n_instructions; i++) {
		if (!k->list->instruction[k->block.code[i]].size)
			continue;
		rec_addresses(&k->tb, &k->tb.rec[i], k->lane[at]);
		k->row[at] = i;
		k->space[at] = space_of_row(k, i, k->lane[at]);
		at++;
	}
	k->accesses = (struct wt_accesses){n, 0, k->row, k->space, (const uint64_t(*)[WT_LANES])k->lane};
	k->expanded = true;
	return 0;
}

const struct wt_accesses *wt_kernel_accesses(struct wt_kernel *k, struct wt_error *e)
{
	if (k->has_read_block && k->expanded)
		return &k->accesses;
	return wt_handle_call(&k->list->handle, expand_addresses, k, e) == 0 ? &k->accesses : NULL;
}
