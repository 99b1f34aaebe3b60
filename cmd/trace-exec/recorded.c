/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Option --compare: aligns a trace with a recorded one: kernels by their order, thread blocks by their
 * coordinates, warps by their numbers, instructions by their order in the warp.
 *
 * Instructions are equal if they have the same PC, mask, opcode, registers and width. The addresses of active
 * lanes may differ by a constant for each piece of memory, because the recorded run had its buffers at other
 * addresses. Always true: the pieces of a kernel are disjoint, and all addresses of a piece had the same
 * distance to the recorded addresses.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "arena.h"
#include "diag.h"
#include "output.h"
#include "recorded.h"
#include "warptools.h"

#define PIECE_GAP   (1ull << 20) /* largest gap without accesses across which a piece grows */
#define PIECES_MOST 65536u
#define SPACES      8u

/* Executed addresses from low to high, each `distance` below the recorded address. */
struct address_piece {
	uint64_t low, high, distance;
};
struct address_pieces {
	struct address_piece *piece; /* pieces in the order of their addresses */
	uint32_t n, cap;
};

struct trace_side {
	const char *path;
	struct wt_list *list;
	struct wt_kernel *kernel;
	const struct wt_block *block;
	const struct wt_instruction *instruction;
};

struct comparison {
	struct trace_side executed, recorded;
	struct address_pieces pieces[SPACES];
	uint64_t *number; /* for each thread block of the grid: 1 + its number in the executed trace */
	uint64_t total,
		differing_insts; /* number of instructions of the kernel, and number of those that differ */
	char first_difference[320]; /* first difference; "": none so far */
	FILE *out;
};

/* ---- files ---- */

static char directory[4096], file[4096 + 16];

static void remove_file(void)
{
	unlink(file);
	rmdir(directory);
}

const char *recorded_new_file(void)
{
	const char *in = getenv("TMPDIR");

	snprintf(directory, sizeof(directory), "%s/trace-exec.XXXXXX", in && *in ? in : "/tmp");
	if (!mkdtemp(directory))
		die_errno_at((struct place){.file = directory}, "cannot create a temporary directory");
	snprintf(file, sizeof(file), "%s/trace.tpack", directory);
	atexit(remove_file);
	return file;
}

static _Noreturn void die_of_trace_error(const struct wt_error *e)
{
	die_at((struct place){*e->file ? e->file : NULL, e->line, e->column}, "%s", e->text);
}

static void open_trace_side(struct trace_side *s, const char *path)
{
	struct wt_error e;

	s->path = path;
	s->list = wt_open(path, &e);
	if (!s->list)
		die_of_trace_error(&e);
}

static const struct wt_kernel_info *open_recorded_kernel(struct trace_side *s, uint32_t position)
{
	struct wt_error e;

	s->kernel = wt_kernel_open(s->list, position, &e);
	if (!s->kernel)
		die_of_trace_error(&e);
	return wt_kernel_info(s->kernel);
}

/* Reads the next thread block. Returns false at the end of the kernel. */
static bool next_recorded_block(struct trace_side *s)
{
	struct wt_error e;
	uint32_t n;
	int got = wt_kernel_next(s->kernel, &s->block, &e);

	if (got < 0)
		die_of_trace_error(&e);
	s->instruction = wt_instructions(s->list, &n);
	return got;
}

/* ---- addresses ---- */

/* Returns the position of the first piece after an address. */
static uint32_t find_piece_after(const struct address_pieces *x, uint64_t address)
{
	uint32_t low = 0, high = x->n;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (x->piece[middle].low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Adds an address to the piece that has this distance. Returns false if the address is in a piece with another
 * distance.
 */
static bool match_address_distance(struct address_pieces *x, uint64_t address, uint64_t distance)
{
	uint32_t i = find_piece_after(x, address);
	struct address_piece *left = i ? &x->piece[i - 1] : NULL, *right = i < x->n ? &x->piece[i] : NULL;

	if (left && address <= left->high)
		return left->distance == distance;
	if (left && left->distance == distance && address - left->high <= PIECE_GAP) {
		left->high = address;
		return true;
	}
	if (right && right->distance == distance && right->low - address <= PIECE_GAP) {
		right->low = address;
		return true;
	}
	if (x->n == PIECES_MOST)
		return false;
	grow(&x->piece, &x->cap, x->n + 1, sizeof(*x->piece));
	memmove(&x->piece[i + 1], &x->piece[i], (x->n - i) * sizeof(*x->piece));
	x->piece[i] = (struct address_piece){address, address, distance};
	x->n++;
	return true;
}

/* Compares the addresses of an instruction. Returns the lane of the first difference, or -1. */
static int first_different_lane(
	struct comparison *c, uint32_t mine, uint32_t other, uint32_t mask, unsigned space)
{
	uint64_t a[WT_LANES] = {0}, b[WT_LANES] = {0};

	if (wt_kernel_addresses(c->executed.kernel, mine, a) < 0 ||
		wt_kernel_addresses(c->recorded.kernel, other, b) < 0)
		return 0;
	for (int i = 0; i < WT_LANES; i++)
		if (mask >> i & 1 && !match_address_distance(&c->pieces[space % SPACES], a[i], b[i] - a[i]))
			return i;
	return -1;
}

/* ---- instructions ---- */

static bool are_registers_equal(const uint16_t *a, unsigned n, const uint16_t *b, unsigned m)
{
	return n == m && (!n || !memcmp(a, b, n * sizeof(*a)));
}

/* Writes the difference between two instructions to `what`. Returns false if they are equal. */
static bool describe_inst_difference(
	struct comparison *c, uint32_t mine, uint32_t other, char *what, size_t cap)
{
	const struct trace_side *x = &c->executed, *y = &c->recorded;
	const struct wt_instruction *a = &x->instruction[x->block->code[mine]],
				    *b = &y->instruction[y->block->code[other]];
	uint32_t mask = x->block->mask[mine], recorded = y->block->mask[other];
	int lane;

	if (a->pc != b->pc)
		snprintf(what, cap, "PC 0x%04x %s (recorded 0x%04x %s)", a->pc, a->opcode, b->pc, b->opcode);
	else if (strcmp(a->opcode, b->opcode) != 0)
		snprintf(what, cap, "PC 0x%04x: %s (recorded %s)", a->pc, a->opcode, b->opcode);
	else if (mask != recorded)
		snprintf(what, cap, "PC 0x%04x %s: mask 0x%08x (recorded 0x%08x)", a->pc, a->opcode, mask,
			recorded);
	else if (!are_registers_equal(a->destination, a->n_destinations, b->destination, b->n_destinations) ||
		 !are_registers_equal(a->source, a->n_sources, b->source, b->n_sources))
		snprintf(what, cap, "PC 0x%04x %s: different registers", a->pc, a->opcode);
	else if (a->size != b->size)
		snprintf(what, cap, "PC 0x%04x %s: %u bytes per lane (recorded %u)", a->pc, a->opcode,
			a->size, b->size);
	else if (a->size && (lane = first_different_lane(c, mine, other, mask, a->space)) >= 0)
		snprintf(what, cap, "PC 0x%04x %s: address of lane %d", a->pc, a->opcode, lane);
	else
		return false;
	return true;
}

/* Counts n instructions that differ. Keeps the description of the kernel's first difference. */
static void count_differing_insts(
	struct comparison *c, uint64_t n, uint32_t warp, uint64_t at, uint64_t line, const char *what)
{
	const struct wt_block *b = c->recorded.block;
	char place[64] = "";

	c->differing_insts += n;
	if (*c->first_difference)
		return;
	if (line)
		snprintf(place, sizeof(place), " (recorded line %" PRIu64 ")", line);
	snprintf(c->first_difference, sizeof(c->first_difference),
		"block (%u,%u,%u), warp %u, instruction %" PRIu64 "%s: %s", b->x, b->y, b->z, warp, at, place,
		what);
}

static void compare_warp(struct comparison *c, uint32_t warp)
{
	static const struct wt_warp none;
	const struct wt_block *x = c->executed.block, *y = c->recorded.block;
	const struct wt_warp *a = warp < x->n_warps ? &x->warp[warp] : &none,
			     *b = warp < y->n_warps ? &y->warp[warp] : &none;
	uint32_t n = a->count < b->count ? a->count : b->count,
		 most = a->count > b->count ? a->count : b->count;
	char what[200];

	c->total += most;
	for (uint32_t i = 0; i < n; i++)
		if (describe_inst_difference(c, a->first + i, b->first + i, what, sizeof(what)))
			count_differing_insts(c, 1, warp, i + 1, b->line ? b->line + i : 0, what);
	if (a->count == b->count)
		return;
	snprintf(what, sizeof(what), "%u instructions (recorded %u)", a->count, b->count);
	count_differing_insts(c, most - n, warp, n + 1, 0, what);
}

/* ---- kernels ---- */

/* Returns the index of a thread block in the grid, or UINT64_MAX if it is outside. */
static uint64_t block_index_in_grid(const struct wt_kernel_info *k, const struct wt_block *b)
{
	if (b->x >= k->grid[0] || b->y >= k->grid[1] || b->z >= k->grid[2])
		return UINT64_MAX;
	return ((uint64_t)b->z * k->grid[1] + b->y) * k->grid[0] + b->x;
}

/* Notes the number of each thread block of the executed kernel. */
static void number_executed_blocks(struct comparison *c, const struct wt_kernel_info *k)
{
	free(c->number);
	c->number = xcalloc(k->blocks + 1, sizeof(*c->number));
	while (next_recorded_block(&c->executed)) {
		uint64_t i = block_index_in_grid(k, c->executed.block);

		if (i < k->blocks)
			c->number[i] = c->executed.block->number + 1;
	}
}

static void compare_block(struct comparison *c, const struct wt_kernel_info *k)
{
	uint64_t i = block_index_in_grid(k, c->recorded.block);
	struct wt_error e;

	if (i >= k->blocks || !c->number[i]) {
		c->total += c->recorded.block->n_instructions;
		count_differing_insts(
			c, c->recorded.block->n_instructions, 0, 0, 0, "the thread block is not executed");
		return;
	}
	if (wt_kernel_seek(c->executed.kernel, c->number[i] - 1, &e))
		die_of_trace_error(&e);
	if (!next_recorded_block(&c->executed))
		return;
	c->number[i] = 0;
	for (uint32_t warp = 0; warp < c->executed.block->n_warps || warp < c->recorded.block->n_warps;
		warp++)
		compare_warp(c, warp);
}

static void compare_blocks(struct comparison *c, const struct wt_kernel_info *k)
{
	uint64_t left = 0;

	number_executed_blocks(c, k);
	while (next_recorded_block(&c->recorded))
		compare_block(c, k);
	for (uint64_t i = 0; i < k->blocks; i++)
		left += c->number[i] != 0;
	if (!left)
		return;
	c->differing_insts += left;
	if (!*c->first_difference)
		snprintf(c->first_difference, sizeof(c->first_difference),
			"%" PRIu64 " thread blocks are not recorded", left);
}

/* Returns true if a kernel is equal in both traces. */
static bool compare_kernel(struct comparison *c, uint32_t position)
{
	const struct wt_kernel_info *a = open_recorded_kernel(&c->executed, position),
				    *b = open_recorded_kernel(&c->recorded, position);

	c->total = c->differing_insts = 0;
	*c->first_difference = '\0';
	for (unsigned i = 0; i < SPACES; i++)
		c->pieces[i].n = 0;
	if (strcmp(a->name, b->name) != 0)
		snprintf(c->first_difference, sizeof(c->first_difference), "recorded as %.200s", b->name);
	else if (memcmp(a->grid, b->grid, sizeof(a->grid)) || memcmp(a->block, b->block, sizeof(a->block)))
		snprintf(c->first_difference, sizeof(c->first_difference),
			"grid %u,%u,%u, block %u,%u,%u (recorded %u,%u,%u and %u,%u,%u)", a->grid[0],
			a->grid[1], a->grid[2], a->block[0], a->block[1], a->block[2], b->grid[0], b->grid[1],
			b->grid[2], b->block[0], b->block[1], b->block[2]);
	else
		compare_blocks(c, a);
	fprintf(c->out, "kernel %u %s: ", position, a->name);
	if (!*c->first_difference)
		fprintf(c->out, "%" PRIu64 " instructions equal\n", c->total);
	else if (c->differing_insts)
		fprintf(c->out, "%" PRIu64 " of %" PRIu64 " instructions differ; first: %s\n",
			c->differing_insts, c->total, c->first_difference);
	else
		fprintf(c->out, "%s\n", c->first_difference);
	wt_kernel_close(c->executed.kernel);
	wt_kernel_close(c->recorded.kernel);
	return !*c->first_difference;
}

int recorded_compare(const char *executed, const char *recorded)
{
	static struct comparison c;
	struct output *out = output_open(NULL, false);
	uint32_t n, m;
	bool equal;

	c.out = output_stream(out);
	open_trace_side(&c.executed, executed);
	open_trace_side(&c.recorded, recorded);
	n = wt_kernels(c.executed.list);
	m = wt_kernels(c.recorded.list);
	equal = n == m;
	for (uint32_t i = 1; i <= n && i <= m; i++)
		equal = compare_kernel(&c, i) && equal;
	if (n != m)
		fprintf(c.out, "%u kernels (recorded %u)\n", n, m);
	wt_close(c.executed.list);
	wt_close(c.recorded.list);
	for (unsigned i = 0; i < SPACES; i++)
		free(c.pieces[i].piece);
	free(c.number);
	output_commit(out);
	return equal ? EXIT_GOOD : EXIT_NO;
}
