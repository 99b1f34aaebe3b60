/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Latency of a bulk store that is followed by a bulk load. One block writes a message to shared memory. Its first
 * thread starts a store of the message, waits until the store has read it, and starts a load. All warps wait for the
 * mbarrier of the load and then read its data.
 *
 * The figure is the time from the proxy fence before the store to the end of the wait in the first warp, in the middle
 * of several rounds. The rounds before it bring code into the caches; the data are in the L2.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "selftest/bench.h"
#include "selftest/probe.h"

#define XFER_ROUNDS  8u
#define XFER_TIMED   5u /* number of the round that counts */
#define XFER_WARPS   4u
#define XFER_BARRIER 64u   /* offset of the mbarrier in shared memory */
#define XFER_DATA    1024u /* offset of the message; the data of the load follow it */

enum { PC_ROUND = 0x100, PC_SEND = 0x1000, PC_WAIT = 0x1100, PC_READ = 0x1200, PC_EXIT = 0x2000 };

struct bulk_xfer {
	uint32_t store, load; /* bytes */
};

/* Writes n accesses of a word per lane, to consecutive rows of the block's part from `offset` on. */
static void scribe_rows(struct scribe *s, const char *op, uint32_t warp, uint32_t offset, uint32_t n)
{
	bool load = !strncmp(op, "LDS", 3);

	for (uint32_t i = 0; i < n; i++)
		scribe_mem(s, LANES_ALL, load ? "R8" : "", op, load ? "R3" : "R3 R8", 4,
			MICRO_SHARED + offset + (i * XFER_WARPS + warp) * 128, 4);
}

static void write_transfer(struct scribe *s, const struct bulk_xfer *x, uint32_t round)
{
	uint64_t slot = MICRO_DATA + (uint64_t)round * (x->store + x->load);
	struct scribe_box out = {.base = slot, .bytes = x->store, .rows = 1, .planes = 1};
	struct scribe_box in = {.base = slot + x->store, .bytes = x->load, .rows = 1, .planes = 1};

	scribe_op(s, "", "FENCE.VIEW.ASYNC.S", "", 0);
	scribe_bulk_copy(s, "UBLKCP.G.S", 0, &out);
	scribe_op(s, "", "UTMACMDFLUSH", "", 0);
	scribe_op(s, "", "DEPBAR.LE", "", 0);
	scribe_sync(s, "SYNCS.ARRIVE.TRANS64", XFER_BARRIER, x->load);
	scribe_bulk_copy(s, "UBLKCP.S.G", XFER_BARRIER, &in);
}

static void xfer_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct bulk_xfer *x = m->arg;

	(void)block;
	scribe_op(s, "R3", "MOV", "", 0);
	if (!warp)
		scribe_sync(s, "SYNCS.EXCH.64", XFER_BARRIER, 0x1ffffe);
	for (uint32_t i = 0; i < XFER_ROUNDS; i++) {
		s->pc = PC_ROUND;
		scribe_op(s, "", "BAR.SYNC", "", 0);
		scribe_rows(s, "STS", warp, XFER_DATA, x->store / (128 * XFER_WARPS));
		scribe_op(s, "", "BAR.SYNC", "", 0);
		s->pc = PC_SEND;
		if (!warp)
			write_transfer(s, x, i);
		s->pc = PC_WAIT;
		scribe_sync(s, "SYNCS.PHASECHK.TRANS64.TRYWAIT", XFER_BARRIER, i % 2 ? UINT32_C(1) << 31 : 0);
		s->pc = PC_READ;
		scribe_op(s, "R9", "CS2R.32", "", 0);
		scribe_rows(s, "LDS", warp, XFER_DATA + x->store, x->load / (128 * XFER_WARPS));
		scribe_op(s, "", "BRA", "", PC_ROUND);
	}
	s->pc = PC_EXIT;
	scribe_write_exit(s);
}

/* Cycles of the timed round in the event log, from the issue at PC_SEND to that at PC_READ in the first warp. */
static double cycles_of_round(const char *log)
{
	uint64_t cycle, warp, pc, from = 0;
	uint32_t round = 0;

	for (const char *at = log; *at; at = strchr(at, '\n') + 1) {
		if (!probe_issue_event(at, &cycle, &warp, &pc) || warp)
			continue;
		if (pc == PC_SEND)
			from = cycle;
		else if (pc == PC_READ && round++ == XFER_TIMED)
			return (double)(cycle - from);
	}
	return 0;
}

static bool parse_xfer(struct bulk_xfer *x, const struct probe *p)
{
	char end;

	return sscanf(p->rest, "of %u B, then bulk load of %u B%c", &x->store, &x->load, &end) == 2 &&
	       x->store >= 16 && x->store % 16 == 0 && x->load >= 16 && x->load % 16 == 0 &&
	       x->store <= 1u << 16 && x->load <= 1u << 16;
}

double probe_xfer(const struct probe *p, const struct subject *s)
{
	struct bytes log = {0};
	struct events events = {.out = bytes_stream(&log)};
	struct bulk_xfer x;
	struct micro m = {.name = "xfer",
		.blocks = 1,
		.threads = 32 * XFER_WARPS,
		.nregs = 32,
		.arch = s->arch,
		.v6 = true,
		.body = xfer_body,
		.arg = &x};
	struct bench *b;
	double cycles;

	parse_xfer(&x, p);
	m.shmem = XFER_DATA + x.store + x.load;
	b = bench_open_logged(&s->params, s->isa, &events);
	for (uint32_t c = 0; c < 2; c++) /* both sides of the L2 */
		bench_warm_l2(b, MICRO_DATA, (uint64_t)XFER_ROUNDS * (x.store + x.load),
			c * (s->params.sms - 1), false);
	bench_run_kernel(b, &m);
	bench_close(b);
	fclose(events.out);
	cycles = cycles_of_round(log.p);
	bytes_free(&log);
	return cycles;
}

bool probe_xfer_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	struct bulk_xfer x;

	(void)r;
	strcpy(p->group, "bulk transfer");
	*why = "unknown transfer (expected bulk store of N B, then bulk load of N B, multiples of 16 up to 64 KiB)";
	if (!parse_xfer(&x, p))
		return false;
	*why = "requires compute capability 9.0";
	return s->arch == 90;
}
