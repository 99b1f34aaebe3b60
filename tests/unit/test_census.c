/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of the counts of sectors that a writer makes from records: they equal the number of distinct sectors that
 * this file finds by comparing all addresses. The lists of addresses repeat in other warps, move by any distance, and are in any order.
 */
#include "isa.h"
#include "pack/directory.h"
#include "pack/records.h"
#include "random.h"
#include "tap.h"

#define LOADS  6u
#define WARPS  40u
#define ROUNDS 30u /* number of times that a warp executes each load */

/* Shapes of the addresses of an access. */
enum { SCATTERED, TWO_ROWS, NEAR, HIGH, DESCENDING, N_SHAPES };

static uint64_t lane_address(unsigned shape, unsigned lane)
{
	switch (shape) {
	case SCATTERED: return random_below(1u << 20);
	case TWO_ROWS: return lane / 16 * 4096 + lane % 16 * 4;
	case NEAR: return 64 + random_below(64);
	case HIGH: return UINT64_MAX - random_below(300);
	default: return 4096 - 40 * (lane + lane / 3);
	}
}

/* Returns the number of sectors that accesses of `size` bytes touch. Each access touches at most two sectors. */
static uint64_t count_slowly(const uint64_t *a, unsigned n, uint32_t size)
{
	uint64_t sector[64];
	unsigned found = 0;

	for (unsigned i = 0; i < 2 * n; i++) {
		uint64_t first = a[i / 2] / 32, last = (a[i / 2] + size - 1) / 32,
			 s = i % 2 ? first + 1 : first;
		unsigned k = 0;

		if (i % 2 && last <= first)
			continue;
		while (k < found && sector[k] != s)
			k++;
		sector[k] = s;
		found += k == found;
	}
	return found;
}

static bool has_new_lists; /* true if each access has a new list instead of a moved one */
static struct pack_inst inst[LOADS];
static char texts[LOADS * 64];
static struct pack_code code = {inst, LOADS, texts, 0};

static void make_code(void)
{
	for (uint32_t i = 0; i < LOADS; i++) {
		struct pack_inst *x = &inst[i];

		*x = (struct pack_inst){.pc = 16 * i, .width = i == 5 ? 16 : i == 4 ? 1 : 4};
		x->text = (uint32_t)code.n_text;
		x->text_len = (uint16_t)sprintf(texts + x->text, "1 R%u LDG.E%s 1 R2 %u", i,
			i == 5   ? ".128"
			: i == 4 ? ".U8"
				 : "",
			x->width);
		x->end_len = (uint16_t)sprintf(texts + x->text + x->text_len, " 0 ");
		code.n_text += x->text_len + x->end_len;
	}
}

/*
 * The loads of a warp. In the first round each load has a list of addresses. Later rounds have this list moved by a
 * distance, or a new list.
 */
struct loads {
	struct pack_run run[ROUNDS];
	struct pack_payload payload[ROUNDS * LOADS];
	uint64_t word[ROUNDS * LOADS * 32];
};

/* Adds a new list for the lanes of mask. Returns its position in the words. */
static uint32_t add_list(struct loads *w, struct pack_warp *x, unsigned shape, uint32_t mask, uint64_t by)
{
	uint32_t at = x->n_words;

	for (unsigned l = 0; l < 32; l++) {
		uint64_t a = lane_address(shape, l) + by;

		if (mask >> l & 1)
			w->word[x->n_words++] = a;
	}
	return at;
}

/* Returns the number of active lanes of load i, where i counts the loads of all rounds. */
static unsigned lanes_of_load(const struct loads *w, uint32_t i)
{
	return (unsigned)__builtin_popcount(w->run[i / LOADS].mask);
}

/*
 * Moves the lists of a warp by one distance, so that it follows the previous warp. If near is set, the distance is a
 * multiple of 32, so that the number of sectors is the same. Adds the sectors of the warp to *sectors.
 */
static void move_loads(struct loads *w, const struct pack_warp *x, bool near, uint64_t *sectors)
{
	const uint64_t by = near ? 32 * random_below(99) : 7;
	uint64_t a[32];

	for (uint32_t i = 0; i < x->n_payloads; i++)
		for (uint32_t k = w->payload[i].addr >> 2, n = lanes_of_load(w, i);
			(w->payload[i].addr & 3) == ADDR_LIST && n--; k++)
			w->word[k] += by;
	for (uint32_t i = 0; i < x->n_payloads; i++) {
		const uint64_t *v = w->word + (w->payload[i].addr >> 2);
		const bool moved = (w->payload[i].addr & 3) == ADDR_MOVED;
		unsigned n = lanes_of_load(w, i);

		for (unsigned l = 0; l < n; l++)
			a[l] = moved ? v[0] + v[l - v[1]] : v[l];
		*sectors += count_slowly(a, n, inst[i % LOADS].width);
	}
}

/* Makes the loads of a warp, and adds their sectors to *sectors. */
static void make_loads(struct loads *w, struct pack_warp *x, uint64_t *sectors)
{
	uint32_t list[LOADS] = {0};

	*x = (struct pack_warp){w->run, w->payload, w->word, NULL, 0, 0, 0, 0};
	for (unsigned t = 0; t < ROUNDS; t++) {
		uint32_t mask = t && random_below(3) ? UINT32_MAX : (uint32_t)seed | 1;

		w->run[x->n_runs++] = (struct pack_run){0, LOADS, mask = t ? mask : UINT32_MAX};
		for (unsigned i = 0; i < LOADS; i++) {
			uint64_t a[32], by = random_below(2) ? 32 * random_below(9) : random_below(99);
			unsigned n = (unsigned)__builtin_popcount(mask);

			if (!has_new_lists && t && mask == UINT32_MAX && random_below(4)) {
				w->payload[x->n_payloads++] =
					(struct pack_payload){x->n_words << 2 | ADDR_MOVED, 0};
				w->word[x->n_words] = by;
				w->word[x->n_words + 1] = x->n_words - list[i];
				x->n_words += 2;
				for (unsigned l = 0; l < 32; l++)
					a[l] = w->word[list[i] + l] + by;
			} else {
				uint32_t at =
					add_list(w, x, has_new_lists ? SCATTERED : i % N_SHAPES, mask, by);

				w->payload[x->n_payloads++] = (struct pack_payload){at << 2 | ADDR_LIST, 0};
				list[i] = mask == UINT32_MAX ? at : list[i];
				memcpy(a, w->word + at, n * sizeof(*a));
			}
			*sectors += count_slowly(a, n, inst[i].width);
		}
	}
}

/* Tests the sectors of accesses with any mask whose addresses ascend by a constant step. */
static void test_sectors_of_lines(void)
{
	unsigned wrong = 0, unknown = 0;

	for (unsigned t = 0; t < 5000; t++) {
		const uint32_t mask = random_below(UINT32_MAX) | 1u << random_below(32),
			       size = 1u << random_below(5), step = random_below(4) ? size : random_below(33);
		const struct inst in = {.size = (uint16_t)size};
		const uint64_t first = random_below(1u << 12);
		uint64_t a[32];
		unsigned n = 0;

		FOR_BITS32 (l, mask)
			a[n++] = first + (l - bit_lowest32(mask)) * step;
		const uint32_t sectors = tally_line_sectors(&in, first, step, mask);
		unknown += !sectors;
		wrong += sectors != count_slowly(a, n, size);
	}
	ok(!wrong && !unknown, "sectors of strided accesses with inactive lanes: %u wrong, %u unknown", wrong,
		unknown);
}

static void test_sectors(struct isa *isa)
{
	static struct loads loads;
	struct records r = {.inst = NULL};
	struct parsed p = {.step = 1};
	struct census c;
	struct buf col[N_COLUMNS] = {{0}};
	uint64_t sectors = 0;
	uint32_t followers = 0, near = 0;

	records_begin(&r, &code);
	p.part.threads = 32;
	records_begin_part(&r, &p);
	for (uint32_t b = 0; b < WARPS; b++) {
		static struct pack_warp x;

		if (b % 3 == 0)
			make_loads(&loads, &x, &sectors);
		else
			move_loads(&loads, &x, b % 3 == 1, &sectors);
		records_length(&r, &p, (uint32_t[3]){b, 0, 0}, "", &x, 1);
		records_add_block(&r, &p, (uint32_t[3]){b, 0, 0}, "", &x, 1);
	}
	for (uint32_t i = 0; i < p.n_warp; i++) {
		followers += p.warp[i].leader != 0;
		near += p.warp[i].leader && p.warp[i].near;
	}
	ok(followers > WARPS / 3 && near > WARPS / 6 && near < followers,
		"records of warps follow earlier warps: %u, by whole sectors: %u", followers, near);
	encode_part(&p, col);
	census_add_part(&c, &p, isa, 80);
	ok(c.has_counts && c.blocks == WARPS && c.insts == WARPS * ROUNDS * LOADS,
		"the blocks and the instructions of a part are counted");
	ok(c.tally.loads == sectors, "the loads of a part touch %llu sectors (counted: %llu)",
		(unsigned long long)sectors, (unsigned long long)c.tally.loads);
	columns_free(col);
	parsed_free(&p);
	records_free(&r);
}

int main(void)
{
	struct isa *isa = isa_new();

	make_code();
	test_sectors_of_lines();
	test_sectors(isa);
	has_new_lists = true;
	test_sectors(isa);
	isa_free(isa);
	return tap_done();
}
