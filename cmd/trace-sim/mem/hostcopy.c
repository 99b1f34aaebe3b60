/* SPDX-License-Identifier: BSD-2-Clause */
/* Host-to-device copies, which warm the L2's tags sector by sector and take no simulated time (MEM-copy). */
#include "partition.h"

void memory_host_copy(struct memory *m, uint64_t address, uint64_t bytes, uint64_t now)
{
	if (!m->memory_params->memcpy_warms_l2)
		return;
	for (uint64_t offset = 0; offset < bytes; offset += 32) {
		/*
		 * quirk Q1-16: only 32 bits of the address are used, so copies to real addresses warm the
		 * wrong lines.
		 */
		uint32_t w = (uint32_t)(address + offset);
		struct sub *s = &m->sub[addrdec_home_sub_partition(m->dec, w)];

		if (s->l2)
			cache_fill_for_copy(s->l2, w, w % 128 / 32, s->copies + now);
		s->copies++;
	}
}
