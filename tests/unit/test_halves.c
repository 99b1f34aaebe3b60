/* SPDX-License-Identifier: BSD-2-Clause */
/* Unit tests of the arithmetic of f16 and bf16 in all lanes: the results are those of one number at a time. */
#include <math.h>
#include <string.h>
#include "exec/halves.h"
#include "lang/small.h"
#include "tap.h"

static uint32_t random_word(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*state >> 32);
}

/* Returns a random number. Special values and exponents near each other are frequent. */
static uint32_t random_half(uint64_t *state, bool bf16)
{
	static const uint16_t special[] = {0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x7bff, 0x7c00, 0xfc00, 0x7c01,
		0x7f7f, 0x7f80, 0xff80, 0x7fff, 0xffff, 0x80, 0x7f};
	uint32_t v = random_word(state), how = v >> 16 & 15;

	if (how == 0)
		return special[v % (sizeof(special) / sizeof(*special))];
	if (how < 8)
		return (v & 0x83ff) | (bf16 ? 0x3f00 : 0x3800);
	return v & 0xffff;
}

static uint32_t expected_half(enum halves_op op, enum small f, const uint32_t h[3])
{
	double a = small_value(h[0], f), b = small_value(h[1], f), c = small_value(h[2], f);
	double r = op == HALVES_ADD   ? small_fma_to_odd(a, 1, b)
		   : op == HALVES_MUL ? a * b
				      : small_fma_to_odd(a, b, c);

	return small_of_double(r, f, ROUND_RN, false);
}

/* Returns the number of wrong results of 32 random numbers. Adds the number of results to *compared. */
static unsigned count_wrong(enum halves_op op, bool bf16, uint64_t *state, unsigned *compared)
{
	const enum small f = bf16 ? SMALL_BF16 : SMALL_F16;
	struct half_source how[3];
	uint32_t v[3][LANES], d[LANES];
	unsigned wrong = 0;

	for (unsigned k = 0; k < 3; k++) {
		uint32_t choice = random_word(state);

		how[k] = (struct half_source){
			choice & 1 ? 16 : 0, choice & 2 ? 0x7fff : 0xffff, (uint16_t)(choice << 13 & 0x8000)};
		for (unsigned i = 0; i < LANES; i++)
			v[k][i] = random_half(state, bf16) << how[k].shift;
	}
	if (!halves_compute(d, op, bf16, (const uint32_t *[]){v[0], v[1], v[2]}, how))
		return 0;
	*compared += LANES;
	for (unsigned i = 0; i < LANES; i++) {
		uint32_t h[3];

		for (unsigned k = 0; k < 3; k++)
			h[k] = ((v[k][i] >> how[k].shift) & how[k].keep) ^ how[k].flip;
		wrong += d[i] != expected_half(op, f, h);
	}
	return wrong;
}

int main(void)
{
	static const char *const names[] = {"sums", "products", "fused products"};

	for (unsigned bf16 = 0; bf16 < 2; bf16++)
		for (enum halves_op op = HALVES_ADD; op <= HALVES_FMA; op++) {
			uint64_t state = 5 + op;
			unsigned wrong = 0, compared = 0;
			char text[60];

			for (unsigned i = 0; i < 6000; i++)
				wrong += count_wrong(op, bf16, &state, &compared);
			snprintf(text, sizeof(text), "%s of %s in all lanes equal those of single numbers",
				names[op], bf16 ? "bf16" : "f16");
			is_number(wrong, 0, text);
			ok(compared > 10000, "more than 10000 results are compared");
		}
	return tap_done();
}
