/* SPDX-License-Identifier: BSD-2-Clause */
/* Unit tests of the clock domains: many steps in one call result in the same times as single steps. */
#include "gpu/gpu.h"
#include "tap.h"

/* Has the same effect as clocks_advance_ticks(), but takes one step at a time. */
static struct clock_ticks clocks_run_slowly(struct clocks *c, uint64_t core, uint64_t dram)
{
	struct clock_ticks n = {0};

	while (n.core < core) {
		struct clocks before = *c;
		unsigned fired = clocks_step(c);

		if (fired & CLOCK_DRAM && n.dram == dram) {
			*c = before;
			break;
		}
		n.core += (fired & CLOCK_CORE) != 0;
		n.icnt += (fired & CLOCK_ICNT) != 0;
		n.l2 += (fired & CLOCK_L2) != 0;
		n.dram += (fired & CLOCK_DRAM) != 0;
	}
	return n;
}

static bool is_clocks_run_equal(struct clocks *c, uint64_t core, uint64_t dram)
{
	struct clocks alone = *c;
	struct clock_ticks want = clocks_run_slowly(&alone, core, dram),
			   got = clocks_advance_ticks(c, core, dram);

	return !memcmp(&want, &got, sizeof(want)) && !memcmp(&alone, c, sizeof(alone));
}

int main(void)
{
	static const double frequencies[][4] = {{1132e6, 1132e6, 1132e6, 850e6},
		{1132e6, 1132e6, 1132e6, 3500.5e6}, {1000e6, 1000e6, 1000e6, 1000e6},
		{1000e6, 900.5e6, 800e6, 700e6}, {1417e6, 2962e6, 1417e6, 2500e6},
		{700e6, 1400e6, 1400e6, 700e6}};

	for (size_t m = 0; m < sizeof(frequencies) / sizeof(*frequencies); m++) {
		struct clocks c;
		bool same = true;

		clocks_init(&c, frequencies[m]);
		for (uint64_t i = 0; i < 300; i++) {
			same &= is_clocks_run_equal(&c, i * 7 % 97, i % 3 ? UINT64_MAX : i % 41);
			same &= is_clocks_run_equal(&c, i % 5, i % 4);
			for (uint64_t k = i % 7; k; k--)
				clocks_step(&c);
		}
		ok(same, "many clock steps in one call equal single steps with frequencies %zu", m);
	}
	return tap_done();
}
