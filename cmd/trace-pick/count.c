/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts one kernel: reads its thread blocks in order and counts records per static instruction. The
 * properties of an instruction are evaluated once per kernel.
 *
 * Always true: memory is proportional to one thread block and the number of distinct instructions. Only the
 * counts of the requested depth are computed. A packed kernel is not unpacked if the directory or the tables
 * of the stream have the counts.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "pack.h"
#include "pick.h"
#include "table.h"
#include "trace.h"

/* maximum number of distinct instructions before a new table is started */
#define CODE_MOST (1u << 20)

struct counter {
	const struct isa *isa;
	enum pick_depth reading;
	const struct kselect *select; /* kernels to count; NULL for all */
	struct code *code;
	struct tblock block;
	uint64_t *count; /* number of warp instructions of the current kernel, by static instruction */
	uint32_t cap, n_used, cap_used;
	uint32_t *used;
};

struct counter *counter_new(const struct isa *isa, enum pick_depth reading, const struct kselect *select)
{
	struct counter *c = xcalloc(1, sizeof(*c));

	c->isa = isa;
	c->reading = reading;
	c->select = select;
	c->code = code_new(isa);
	return c;
}

void counter_free(struct counter *c)
{
	code_free(c->code);
	tblock_free(&c->block);
	free(c->count);
	free(c->used);
	free(c);
}

static void count_lane_access(
	struct counter *c, struct pick_kernel *k, const struct rec *r, const struct inst *in)
{
	uint64_t lane[32];

	if (tally_wants_lanes(in))
		rec_addresses(&c->block, r, lane);
	tally_access(&k->tally, in, lane, r->mask);
}

static void count_record(struct counter *c, struct pick_kernel *k, const struct rec *r)
{
	uint32_t had = c->cap;

	if (r->inst >= had) {
		grow(&c->count, &c->cap, r->inst + 1, sizeof(*c->count));
		memset(c->count + had, 0, (c->cap - had) * sizeof(*c->count));
	}
	if (!c->count[r->inst]++) {
		grow(&c->used, &c->cap_used, c->n_used + 1, sizeof(*c->used));
		c->used[c->n_used++] = r->inst;
	}
	k->tally.lanes += (unsigned)__builtin_popcount(r->mask);
	if (r->addr)
		count_lane_access(c, k, r, code_at(c->code, r->inst));
}

/* Counts the instructions of the block. Marks of the tracer are not instructions (HOPPER-mark-1). */
static void count_block(struct counter *c, struct pick_kernel *k)
{
	k->blocks++;
	for (uint32_t i = 0; i < c->block.n_recs; i++) {
		const struct rec *r = &c->block.rec[i];

		if (code_at(c->code, r->inst)->kind == KIND_MARK)
			continue;
		k->insts++;
		if (c->reading >= READ_COUNTS)
			count_record(c, k, r);
	}
}

static uint32_t code_bin_of(uint64_t name, const struct inst *in)
{
	uint64_t word[2] = {name, in->pc};

	return (uint32_t)(table_hash_words(word, 2) % CODE_BINS);
}

/*
 * Adds the executions of each static instruction to its class and its code bin. The sums are integers, so
 * their order does not matter.
 */
static void count_static_insts(struct counter *c, struct pick_kernel *k)
{
	uint64_t bin[CODE_BINS] = {0}, name = table_hash(k->name, strlen(k->name));

	for (uint32_t i = 0; i < c->n_used; i++) {
		const struct inst *in = code_at(c->code, c->used[i]);
		uint64_t n = c->count[c->used[i]];

		k->tally.of_class[in->class] += n;
		if (c->reading >= READ_CODE)
			bin[code_bin_of(name, in)] += n;
		c->count[c->used[i]] = 0;
	}
	for (uint32_t i = 0; k->insts && i < CODE_BINS; i++)
		k->code[i] = (float)((double)bin[i] / (double)k->insts);
	c->n_used = 0;
}

static void copy_header(struct pick_kernel *k, const struct kernel_header *h)
{
	k->name = xstrdup(h->name ? h->name : "");
	k->stream = h->stream;
	memcpy(k->grid, h->grid, sizeof(k->grid));
	memcpy(k->block, h->block, sizeof(k->block));
}

static void ignore_warning(void *ctx, const struct fault *f)
{
	(void)ctx;
	(void)f;
}

static void copy_pack_summary(struct pick_kernel *k, struct pack_kernel *is)
{
	k->name = is->name;
	k->insts = is->insts;
	k->blocks = is->blocks;
	k->stream = is->stream;
	memcpy(k->grid, is->grid, sizeof(k->grid));
	memcpy(k->block, is->block, sizeof(k->block));
}

/*
 * Reads the counts of a packed kernel without unpacking it. Returns 1 if done, and 0 if the kernel must be
 * unpacked. On a fault, returns -1 and sets *f.
 */
static int read_packed_counts(
	const struct counter *c, struct klist *list, uint32_t cmd, struct pick_kernel *k, struct fault *f)
{
	struct pack_kernel is;
	uint32_t number = list->cmd[cmd].kernel;
	int r = 0;

	if (list->cmd[cmd].missing) /* the message is printed later, when the kernel is opened */
		return 0;
	if (list->pack && c->reading <= READ_COUNTS)
		r = pack_tally(list->pack, number, &is, &k->tally, f);
	if (r == 0 && list->pack && c->reading == READ_SUMMARY) {
		r = pack_kernel(list->pack, number, &is, f);
		if (r == 0 && (is.stored || !is.blocks))
			free(is.name);
		else if (r == 0)
			r = 1;
	}
	if (r > 0)
		copy_pack_summary(k, &is);
	return r;
}

/* Sets k->left_out and returns its value. */
static bool update_left_out(const struct counter *c, struct pick_kernel *k)
{
	k->left_out = !kselect_selects(c->select, k->position, k->name);
	return k->left_out;
}

/* Counts the instructions of the kernel in the open trace t. Returns 0, or -1 and sets *f. */
static int count_trace(struct counter *c, struct trace *t, struct pick_kernel *k, struct fault *f)
{
	int r;

	copy_header(k, trace_header(t));
	if (update_left_out(c, k))
		return 0;
	while ((r = trace_next(t, &c->block, f)) > 0)
		count_block(c, k);
	r = r < 0 ? -1 : trace_finish(t, f);
	if (r == 0)
		count_static_insts(c, k);
	return r;
}

int counter_read(struct counter *c, struct klist *list, uint32_t cmd, struct pick_kernel *k, struct fault *f)
{
	struct trace_options o = {.code = c->code, .warn = ignore_warning};
	struct trace *t;

	k->position = list->cmd[cmd].position;
	int r = read_packed_counts(c, list, cmd, k, f);
	if (r > 0)
		update_left_out(c, k);
	if (r)
		return r < 0 ? -1 : 0;
	if (code_count(c->code) > CODE_MOST) {
		code_free(c->code);
		o.code = c->code = code_new(c->isa);
	}
	t = klist_open(list, cmd, &o, f);
	if (!t)
		return -1;
	r = count_trace(c, t, k, f);
	trace_close(t);
	return r;
}
