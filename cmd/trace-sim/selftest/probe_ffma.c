/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures chains of FFMA in a loop of 16 steps. Each warp has one or more independent chains. A step is one
 * FFMA of each chain. The instructions of the loop counter are among the first FFMAs, as in compiled code.
 * The blocks of a row do the same work, each on its own SM, so only one block is simulated.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "selftest/micro.h"
#include "selftest/probe.h"

#define FFMA_STEPS  16u /* number of steps in an iteration of the loop */
#define FFMA_CHAINS 16u

struct ffma_chains {
	uint32_t chains, threads, turns;
};

/*
 * Parses "2 chains" and "114 blocks of 1024", or "chain" and "1 thread, ...". Returns false for other texts.
 */
static bool parse_ffma_chains(const struct probe *p, struct ffma_chains *f)
{
	const char *of = strstr(p->params, " blocks of ");

	*f = (struct ffma_chains){.chains = 1, .threads = 32};
	if (!strcmp(p->kind->workload, "ffma chain"))
		return !strncmp(p->params, "1 thread,", 9);
	f->chains = (uint32_t)strtoul(p->rest, NULL, 10);
	f->threads = of ? (uint32_t)strtoul(of + 11, NULL, 10) : 0;
	return f->chains && f->chains <= FFMA_CHAINS && f->threads >= 32 && f->threads <= 1024;
}

static void write_ffma_turns(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct ffma_chains *f = m->arg;
	char dst[8], src[16];

	(void)block;
	(void)warp;
	for (uint32_t t = 0; t < f->turns; t++) {
		s->pc = 0x100;
		for (uint32_t i = 0; i < FFMA_STEPS * f->chains; i++) {
			snprintf(dst, sizeof(dst), "R%u", 16 + i % f->chains);
			snprintf(src, sizeof(src), "%s R4 R5", dst);
			scribe_op(s, dst, "FFMA", src, 0);
			if (!i)
				scribe_op(s, "R6", "IADD3", "R6", 0);
			if (i == f->chains)
				scribe_op(s, "", "ISETP.NE.AND", "R6", 0);
		}
		scribe_op(s, "", "BRA", "", 0x100);
	}
	s->pc = 0x8000;
	scribe_write_exit(s);
}

double probe_ffma_chains(const struct probe *p, const struct subject *s)
{
	struct ffma_chains f;
	struct micro m = {.name = "ffma_chains",
		.blocks = 1,
		.nregs = 40,
		.arch = s->arch,
		.alike = true,
		.body = write_ffma_turns,
		.arg = &f};

	parse_ffma_chains(p, &f);
	m.threads = f.threads;
	return probe_time_rounds(s, &m, &f.turns, 4, 16) / (16 * FFMA_STEPS);
}

bool probe_ffma_chains_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	struct ffma_chains f;

	(void)s;
	strcpy(p->group, "ffma chains");
	*why = "unknown chains (expected 1 thread, or N chains in blocks of 32 to 1024 threads)";
	return parse_ffma_chains(p, &f) && !strcmp(r->unit, "cycles");
}
