/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checksum of decoded thread blocks.
 *
 * Always true: the checksum covers the contents of static instructions but not their handles, and the addresses of
 * active lanes but not their encoding. The addresses of a record are added with odd weights: a wrong address changes
 * the sum, and the sum of a strided list needs no loop.
 */
#include "bits.h"
#include "reader.h"

#define MULTIPLIER 0x9e3779b97f4a7c15u /* any odd number would do */
#define FACTOR_A   0x3c6ef372fe94f82bu
#define FACTOR_B   0x2545f4914f6cdd1du

/* Sums of i, i^2 and i^3 over 0 <= i < n. */
#define SUM_1(n) ((n) * ((n)-1) / 2)
#define SUM_2(n) (((n)-1) * (n) * (2 * (n)-1) / 6)
#define SUM_3(n) (SUM_1(n) * SUM_1(n))

/* Weight of the i-th active lane, and the sums of WEIGHT(i) and of i * WEIGHT(i) over 0 <= i < n. */
#define WEIGHT(i)      (2 * (FACTOR_A * ((i) * (i)) + FACTOR_B * (i)) + 1)
#define WEIGHT_SUM(n)  (2 * (FACTOR_A * SUM_2(n) + FACTOR_B * SUM_1(n)) + (n))
#define WEIGHT_STEP(n) (2 * (FACTOR_A * SUM_3(n) + FACTOR_B * SUM_2(n)) + SUM_1(n))

#define EIGHT(f, i) \
	f((i) + 0ull), f((i) + 1ull), f((i) + 2ull), f((i) + 3ull), f((i) + 4ull), f((i) + 5ull), \
		f((i) + 6ull), f((i) + 7ull)
#define TABLE(f) EIGHT(f, 0), EIGHT(f, 8), EIGHT(f, 16), EIGHT(f, 24)

static const uint64_t weight[32] = {TABLE(WEIGHT)};
static const uint64_t weight_sum[33] = {TABLE(WEIGHT_SUM), WEIGHT_SUM(32ull)};
static const uint64_t weight_step[33] = {TABLE(WEIGHT_STEP), WEIGHT_STEP(32ull)};

static inline uint64_t mix_value(uint64_t sum, uint64_t v)
{
	sum ^= v;
	return (sum << 29 | sum >> 35) * MULTIPLIER;
}

/* Returns the weighted sum of a base and further addresses, which are differences, two per word. */
static uint64_t weigh_deltas(const uint64_t *w, unsigned lanes)
{
	uint64_t address = w[0], sum = address * weight[0];

	for (unsigned i = 1; i < lanes; i++) {
		uint64_t two = w[(i + 1) / 2];

		address += (uint64_t)(int64_t)(int32_t)(uint32_t)(i & 1 ? two : two >> 32);
		sum += address * weight[i];
	}
	return sum;
}

static uint64_t weigh_list(const uint64_t *w, unsigned lanes)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < lanes; i++)
		sum += w[i] * weight[i];
	return sum;
}

/* Returns the weighted sum of the addresses that rec_addresses() sets for active lanes. */
static inline uint64_t weigh_addresses(const struct tblock *tb, const struct rec *r)
{
	enum addr_kind kind = r->mask ? r->addr & 3 : ADDR_NONE;
	const uint64_t *w = kind == ADDR_NONE ? NULL : tb->word + (r->addr >> 2);
	unsigned run;

	switch (kind) {
	case ADDR_STRIDE: /* Q1-4: lanes after the first gap have the address 0 */
		run = bit_lowest64(~(uint64_t)(r->mask >> bit_lowest32(r->mask)));
		return w[0] * weight_sum[run] + w[1] * weight_step[run];
	case ADDR_DELTA: return weigh_deltas(w, bit_count32(r->mask));
	case ADDR_LIST: return weigh_list(w, bit_count32(r->mask));
	default: return 0;
	}
}

/* Adds the issue mask of a PTX record, if its line has one. */
static uint64_t add_issue_mask(
	uint64_t sum, const struct code *code, const struct tblock *tb, const struct rec *r)
{
	const struct ptx_inst *ptx = code_at(code, r->inst)->ptx;

	return ptx && ptx->issue_mask ? mix_value(sum, rec_issue_mask(tb, r)) : sum;
}

/* Adds the extra columns: columns of bulk copies, and register values. */
static uint64_t add_extra(uint64_t sum, const struct code *code, const struct tblock *tb, const struct rec *r)
{
	uint32_t n;

	if (code_at(code, r->inst)->extra == EXTRA_NONE)
		return sum;
	const uint64_t *w = extra_words(tb, r, &n);
	for (uint32_t i = 0; i < n; i++)
		sum = mix_value(sum, w[i]);
	return sum;
}

uint64_t checksum_block(uint64_t sum, const struct code *code, const struct tblock *tb, bool ptx)
{
	sum = mix_value(sum, (uint64_t)tb->y << 32 | tb->x);
	sum = mix_value(sum, (uint64_t)tb->n_warps << 32 | tb->z);
	for (uint32_t w = 0; w < tb->n_warps; w++) {
		const struct rec *r = tb->rec + tb->warp[w].first_rec, *end = r + tb->warp[w].n_recs;

		sum = mix_value(sum, tb->warp[w].n_recs);
		for (; r < end; r++) {
			sum = mix_value(sum, code_hash(code, r->inst) + r->mask * MULTIPLIER);
			if (r->addr & 3)
				sum = mix_value(sum, weigh_addresses(tb, r));
			if (ptx)
				sum = add_issue_mask(sum, code, tb, r);
			else if (r->addr)
				sum = add_extra(sum, code, tb, r);
		}
	}
	return sum;
}
