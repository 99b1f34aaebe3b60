/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures mbarriers in shared memory and tensor loads: the distance between the issue of an operation and the issue
 * of the next instruction, in a single warp. The barrier expects one arrival, so the wait finds the phase completed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "selftest/bench.h"
#include "selftest/probe.h"

enum {
	PC_INIT = 0x100,
	PC_ARRIVE = 0x200,
	PC_TRY = 0x300,
	PC_EXPECT = 0x400,
	PC_LOAD = 0x500,
	PC_END = 0x600
};

#define LOAD_BYTES 128u /* bytes in a row of the box that is loaded */
#define LOAD_ROWS  8u

/* Writes an operation on the barrier, followed by a NOP. */
static void write_barrier_op(struct scribe *s, uint32_t pc, const char *op, uint32_t value)
{
	s->pc = pc;
	scribe_sync(s, op, 0, value);
	scribe_op(s, "", "NOP", "", 0);
}

static void write_syncs_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct scribe_box box = {
		.base = MICRO_DATA, .pitch = 1024, .bytes = LOAD_BYTES, .rows = LOAD_ROWS, .planes = 1};

	(void)m;
	(void)block;
	(void)warp;
	write_barrier_op(s, PC_INIT, "SYNCS.EXCH.64", 0x1ffffe);
	write_barrier_op(s, PC_ARRIVE, "SYNCS.ARRIVE.TRANS64.A1T0", 0);
	write_barrier_op(s, PC_TRY, "SYNCS.PHASECHK.TRANS64.TRYWAIT", 0);
	write_barrier_op(s, PC_EXPECT, "SYNCS.ARRIVE.TRANS64", LOAD_BYTES * LOAD_ROWS);
	s->pc = PC_LOAD;
	scribe_bulk_copy(s, "UTMALDG.2D", 0, &box);
	scribe_op(s, "", "NOP", "", 0);
	s->pc = PC_END;
	scribe_write_exit(s);
}

/* Number of cycles between the issues of the instructions at pc and pc + 16 in the event log. */
static double cycles_to_next_issue(const char *log, uint64_t pc)
{
	uint64_t cycle, warp, is, from = 0;

	for (const char *at = log; *at; at = strchr(at, '\n') + 1) {
		if (!probe_issue_event(at, &cycle, &warp, &is))
			continue;
		if (is == pc)
			from = cycle;
		else if (is == pc + 16)
			return (double)(cycle - from);
	}
	return 0;
}

double probe_mbarrier(const struct probe *p, const struct subject *s)
{
	struct bytes log = {0};
	struct events events = {.out = bytes_stream(&log)};
	struct params *params = xcalloc(1, sizeof(*params));
	struct micro m = {.name = "mbarrier",
		.blocks = 1,
		.threads = 32,
		.shmem = 1024,
		.nregs = 32,
		.arch = s->arch,
		.same_for_all_warps = true,
		.v6 = true,
		.body = write_syncs_body};
	struct bench *b;
	double cycles;

	*params = s->params;
	params->core.perfect_icache = true;
	b = bench_open_logged(params, s->isa, &events);
	bench_run_kernel(b, &m);
	bench_close(b);
	fclose(events.out);
	cycles = cycles_to_next_issue(log.p, (uint64_t)p->param[0]);
	bytes_free(&log);
	free(params);
	return cycles;
}

bool probe_mbarrier_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	bool arrive = !strncmp(p->rest, "arrive", 6), try = !strcmp(p->rest, "try_wait that succeeds");

	(void)r;
	strcpy(p->group, "mbarrier");
	p->param[0] = arrive ? PC_ARRIVE : PC_TRY;
	*why = "unknown operation (expected arrive, or try_wait that succeeds)";
	if (!arrive && !try)
		return false;
	*why = "requires compute capability 9.0";
	return s->arch == 90;
}

bool probe_tensor_load_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	strcpy(p->group, "tensor load issue");
	p->param[0] = PC_LOAD;
	*why = "unknown metric (expected issue in cycles)";
	if (strcmp(r->metric, "issue") != 0 || strcmp(r->unit, "cycles") != 0)
		return false;
	*why = "requires compute capability 9.0";
	return s->arch == 90;
}
