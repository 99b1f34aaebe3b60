/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes the number of passes that an access to shared memory or to the L1 data cache takes over the 32 data banks.
 * Always true: in a pass a bank delivers one word of 4 bytes to every lane that reads this word.
 */
#include "core/core.h"

/* Returns the number of passes if consecutive lanes have a constant stride of their width or of 0; else 0. */
static uint32_t passes_of_stride(const struct tblock *tb, const struct rec *r, unsigned size)
{
	uint32_t run = r->mask >> bit_lowest32(r->mask);
	uint64_t stride;

	if ((r->addr & 3) != ADDR_STRIDE || run & (run + 1))
		return 0;
	stride = tb->word[(r->addr >> 2) + 1];
	if (stride == size)
		return core_div_up(bit_count32(run) * size, 128);
	return stride == 0 && size <= 4 ? 1 : 0;
}

/*
 * Returns the largest number of different words that the lanes access in one bank. A word has 1 << wide bytes, and
 * there are 128 >> wide banks.
 */
static uint32_t words_in_fullest_bank(const uint64_t lane[32], uint32_t lanes, uint32_t wide)
{
	uint64_t seen[32][32], last = NEVER;
	uint8_t count[32] = {0};
	uint32_t most = 1, banks = 128u >> wide;

	FOR_BITS32 (i, lanes) {
		uint64_t place = lane[i] >> wide;
		uint32_t bank = (uint32_t)place & (banks - 1), n = 0;

		if (place == last) /* neighbouring lanes often read the same word */
			continue;
		last = place;
		while (n < count[bank] && seen[bank][n] != place)
			n++;
		if (n < count[bank])
			continue;
		seen[bank][count[bank]++] = place;
		if (count[bank] > most)
			most = count[bank];
	}
	return most;
}

/* Returns the bitwise OR of the addresses of the lanes. */
static uint64_t bitwise_or_of_addresses(const uint64_t lane[32], uint32_t lanes)
{
	uint64_t all = 0;

	if (lanes != UINT32_MAX) {
		FOR_BITS32 (i, lanes)
			all |= lane[i];
		return all;
	}
	for (unsigned i = 0; i < 32; i++)
		all |= lane[i];
	return all;
}

/* Returns words_in_fullest_bank() for lanes that each access `words` words of 4 bytes, at most 32 words in total. */
static uint32_t wide_words_in_fullest_bank(const uint64_t lane[32], uint32_t lanes, uint32_t words)
{
	uint64_t word[32];
	uint32_t n = 0;

	FOR_BITS32 (i, lanes)
		for (uint32_t k = 0; k < words; k++)
			word[n++] = (lane[i] & ~3ull) + 4 * (uint64_t)k;
	return words_in_fullest_bank(word, n == 32 ? UINT32_MAX : (1u << n) - 1, 2);
}

/*
 * Counts the passes of an access. An access of 8 bytes is served in two parts, one for each half of the warp; an
 * access of 16 bytes in four. If all addresses are aligned to the width, the banks of a lane are treated as one wider
 * bank.
 */
uint32_t core_count_passes(struct sm *s, const struct winst *w)
{
	const struct tblock *tb = &s->cta[w->cta].block;
	const struct rec r = {.mask = w->mask, .addr = w->addr};
	uint32_t words = core_div_up(w->uop->size ? w->uop->size : 4, 4), n, total = 0;
	uint64_t lane[32];
	bool alike;

	if (!w->mask || !w->addr)
		return 1;
	n = passes_of_stride(tb, &r, w->uop->size);
	if (n)
		return n;
	rec_addresses(tb, &r, lane);
	words = words > 4 ? 4 : words == 3 ? 4 : words;
	alike = words == 1 || !(bitwise_or_of_addresses(lane, w->mask) & (4 * words - 1));
	for (uint32_t part = 0; part < words; part++) {
		uint32_t lanes = w->mask & (uint32_t)(((1ull << 32 / words) - 1) << part * (32 / words));

		if (lanes)
			total += alike ? words_in_fullest_bank(lane, lanes, 2 + bit_lowest32(words))
				       : wide_words_in_fullest_bank(lane, lanes, words);
	}
	return total ? total : 1;
}
