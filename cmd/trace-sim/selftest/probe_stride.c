/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures the cycles of an SM's L1 per warp load, for several patterns of addresses. All loads hit. The
 * figure is taken in the middle of one CTA of 1024 threads.
 */
#include <stdio.h>
#include <string.h>
#include "selftest/bench.h"
#include "selftest/probe.h"

/* ---- strides -------------------------------------------------------------------------------- */

#define STRIDE_THREADS 1024u
#define ROUNDS         20u   /* number of rounds of 8 loads per warp */
#define PITCH          4098u /* number of elements from one row of a block to the next */

struct stride {
	uint32_t size;   /* size of an element in bytes: 4 or 8 */
	uint32_t stride; /* number of elements from one thread to the next */
	uint32_t block;  /* number of elements of a row of a block; 0: the pattern has a stride */
	uint32_t rounds; /* number of rounds of 8 loads */
};

static void write_stride_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	static const uint8_t at[8] = {0, 4, 8, 12, 20, 16, 24, 28};
	const struct stride *t = m->arg;
	bool wide = t->size == 8;

	(void)block;
	for (uint32_t r = 0; r < t->rounds; r++) {
		s->pc = 0x100;
		scribe_op(s, "R2", "IADD3", "R2 R255 R255", 0);
		scribe_op(s, "R3", "IADD3.X", "R3 R255 R255", 0);
		for (uint32_t k = 0; k < 8; k++) {
			uint64_t lane[32];
			char reg[8];

			for (uint32_t i = 0; i < 32; i++) {
				uint32_t tid = warp * 32 + i;
				uint64_t e = t->block ? tid % t->block +
								(uint64_t)(tid / t->block % 32 + 1) * PITCH
						      : (uint64_t)(tid % 64) * t->stride;

				lane[i] = MICRO_DATA + (e + at[k]) * t->size;
			}
			snprintf(reg, sizeof(reg), "R%u", 16 + 2 * k);
			scribe_lanes(s, LANES_ALL, reg, wide ? "LDG.E.64" : "LDG.E", "R2", t->size, lane);
		}
		for (uint32_t k = 0; k < 4; k++) {
			char src[24];

			snprintf(src, sizeof(src), "R%u R%u R8", 16 + 4 * k, 18 + 4 * k);
			scribe_op(s, "R8", wide ? "DFMA" : "FFMA", src, 0);
		}
		scribe_op(s, "R6", "IADD3", "R6 R255 R255", 0);
		scribe_op(s, "", "ISETP.GE.AND", "R6", 0);
		scribe_op(s, "", "BRA", "", 0x100);
	}
	s->pc = 0x100 + 16 * 17;
	scribe_write_exit(s);
}

double probe_stride(const struct probe *p, const struct subject *s)
{
	struct stride t = {.size = strncmp(p->rest, "double", 6) ? 4 : 8, .rounds = ROUNDS};
	struct micro m = {.name = "strides",
		.blocks = 1,
		.threads = STRIDE_THREADS,
		.nregs = 32,
		.arch = s->arch,
		.body = write_stride_body,
		.arg = &t};
	const double from = 0.3, to = 0.9;
	struct bench *b;
	double cycles;

	if (p->param[0] >= 0)
		t.stride = (uint32_t)p->param[0];
	else
		t.block = (uint32_t)p->param[1];
	b = bench_open(&s->params, s->isa);
	cycles = (double)bench_time_middle(b, &m, BENCH_INSTS, from, to);
	bench_close(b);
	return cycles / ((to - from) * ROUNDS * 8.0 * STRIDE_THREADS / 32);
}

bool probe_stride_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	(void)r;
	(void)s;
	strcpy(p->group, "strides");
	*why = "stride or block out of range (expected stride=0 to 4096 or block=1 to 64, of float or double)";
	return (!strncmp(p->rest, "float", 5) || !strncmp(p->rest, "double", 6)) &&
	       ((p->param[0] >= 0 && p->param[0] <= 4096) ||
		       (p->param[0] < 0 && p->param[1] >= 1 && p->param[1] <= 64));
}
