/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of the columns of trace version 6 (bulk copies, values, clusters), read from text and from packed
 * streams.
 */
#include <string.h>
#include "bytes.h"
#include "klist.h"
#include "pack.h"
#include "tap.h"
#include "trace.h"

#define HEAD \
	"-kernel name = k\n-kernel id = 1\n-grid dim = (2,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = 8\n" \
	"-binary version = 90\n-accelsim tracer version = 6\n\n#traces format = x\n\n"
#define BLOCK(x, more, n, lines) \
	"#BEGIN_TB\n\nthread block = " x ",0,0\n" more "\nwarp = 0\ninsts = " n "\n" lines "\n#END_TB\n"
#define CLUSTER "cluster id = 3,4,5\ncluster cta = 1,0,2\ncluster rank = 7\n"
#define V32     "1 2 3 4 5 6 7 8 9 a b c d e f 10 11 12 13 14 15 16 17 18 19 1a 1b 1c 1d 1e 1f 20"
#define LINES \
	"0000 ffffffff 1 R1 LDC 0 0 0 0 NoVal \n" \
	"0010 00000001 0 SYNCS.EXCH.64 2 R4 R6 8 2 0x00007f8000000400 0 0 Val 1 00000400 1 001ffffe \n" \
	"0020 00000003 0 SYNCS.ARRIVE.TRANS64 2 R4 R6 8 1 0x00007f8000000400 8 0 0 Val 32 " V32 \
	" 1 00000080 \n" \
	"0020 00000003 0 SYNCS.ARRIVE.TRANS64 2 R4 R6 8 1 0x00007f8000000400 8 0 0 NoVal \n" \
	"0030 ffffffff 0 BAR.SYNC 0 0 3 64 NoVal \n" \
	"0030 ffffffff 0 BAR.SYNC 0 0 3 32 NoVal \n" \
	"0040 ffffffff 0 BAR.ARV 2 R2 R3 0 0 0 Val 1 5 1 40 \n" \
	"0050 00000001 0 UTMALDG.2D 0 2 0x00000400 0 24 4 4 0x7f1000000000 10 2 2 2 10 2 2 2 20 2 0 0 NoVal \n" \
	"0060 00000001 0 UTMALDG.2D.MULTICAST 0 4 0x00000408 1 0x0003 12 0 3 3 0x100 0x104 0x108 0 0 NoVal \n" \
	"0070 00000001 0 UTMALDG.3D 0 4 0x00000408 0 64 0 3 6 0x100 0x200 0x300 0x500 0x600 0x700 0 0 NoVal \n" \
	"0080 00000000 0 UBLKCP.S.G 0 0 0x0 0 0 0 4 0x0 0 0 0 NoVal \n" \
	"0090 00000003 0 UBLKCP.S.G 0 16 0x410 0 32 0 1 0x8000 16 0 0 NoVal \n" \
	"00a0 ffffffff 0 EXIT 0 0 0 0 NoVal \n"

static const char text[] = HEAD BLOCK("0", CLUSTER, "13", LINES) BLOCK("1", "", "13", LINES);

static const char want[] = "LDC\n"
			   "SYNCS.EXCH.64 400 1ffffe\n"
			   "SYNCS.ARRIVE.TRANS64 1 80\n"
			   "SYNCS.ARRIVE.TRANS64\n"
			   "BAR.SYNC #3 64\n"
			   "BAR.SYNC #3 32\n"
			   "BAR.ARV 5 40\n"
			   "UTMALDG.2D 400 w2 24-4: 7f1000000000+16x2/8 7f100000002a+0x1/4\n"
			   "UTMALDG.2D.MULTICAST 408 m3 w4 12-0: 100+0x1/12\n"
			   "UTMALDG.3D 408 w4 64-0: 100+256x3/4 500+256x3/4\n"
			   "UBLKCP.S.G 0 w0 0-0:\n"
			   "UBLKCP.S.G 410 w16 32-0: 8000+0x1/32\n"
			   "EXIT\n";

static struct isa *isa;

static void dump_record(FILE *out, const struct code *code, const struct tblock *tb, const struct rec *r)
{
	const struct inst *i = code_at(code, r->inst);
	struct bulk_copy c;
	uint32_t v;

	fputs(i->opcode, out);
	if (i->imm2)
		fprintf(out, " #%d %d", (int)i->imm, (int)i->imm2);
	for (unsigned k = 0; k < rec_values(tb, r, i); k++)
		if (rec_value(tb, r, i, k, 0, &v))
			fprintf(out, " %x", v);
	if (rec_copy(tb, r, i, &c)) {
		fprintf(out, " %x", c.mbarrier);
		if (c.multicast)
			fprintf(out, " m%x", c.mask);
		fprintf(out, " w%u %d-%d:", c.width, (int)c.bytes, (int)c.out_of_bounds);
		for (uint32_t k = 0; k < c.n_runs; k++) {
			struct copy_run run = copy_run_at(&c, k);

			fprintf(out, " %llx+%dx%u/%u", (unsigned long long)run.base, (int)run.pitch, run.rows,
				run.bytes);
		}
	}
	fputc('\n', out);
}

static void test_lanes(const struct code *code, const struct tblock *tb)
{
	const struct rec *r = &tb->rec[tb->warp[0].first_rec + 2];
	uint64_t lane[32];
	uint32_t v = 0;

	ok(rec_value(tb, r, code_at(code, r->inst), 0, 31, &v) && v == 0x20,
		"the value of lane 31 of the first register is read");
	ok(rec_value(tb, r, code_at(code, r->inst), 1, 31, &v) && v == 0x80,
		"a single value of a register is that of all lanes");
	ok(!rec_value(tb, r, code_at(code, r->inst), 2, 0, &v), "a third register has no value");
	rec_addresses(tb, r, lane);
	ok(lane[0] == 0x7f8000000400 && lane[1] == 0x7f8000000408 && !lane[2],
		"the addresses of a line with values are read");
}

static uint64_t check_trace(const char *name, struct trace *t, const struct code *code)
{
	struct tblock tb = {0};
	char label[60];
	struct fault f;
	uint64_t sum;

	for (unsigned block = 0; block < 2; block++) {
		char *dump = NULL;
		size_t n;
		FILE *out = open_memstream(&dump, &n);
		const struct cluster_place *c = &tb.cluster;

		ok(trace_next(t, &tb, &f) == 1, "%s: the next thread block is read", name);
		for (uint32_t i = 0; i < tb.warp[0].n_recs; i++)
			dump_record(out, code, &tb, &tb.rec[tb.warp[0].first_rec + i]);
		fclose(out);
		snprintf(label, sizeof(label), "%s: the columns of each line are read", name);
		is_text(dump, want, label);
		free(dump);
		test_lanes(code, &tb);
		ok(block ? !c->is_known && !c->rank && !c->id[0]
			 : c->is_known && c->rank == 7 && c->id[0] == 3 && c->id[2] == 5 && c->cta[2] == 2,
			"%s: the cluster place of block %u is read", name, block);
	}
	ok(trace_finish(t, &f) == 0, "%s: the trace ends without a fault", name);
	sum = trace_checksum(t);
	trace_close(t);
	tblock_free(&tb);
	return sum;
}

static void test_columns(void)
{
	struct trace_options o = {.code = code_new(isa), .computes_hash = true};
	struct fault f;
	char *stream = NULL;
	size_t n;
	FILE *out = open_memstream(&stream, &n);
	struct pack_writer *w = pack_writer_new(out, 3, 1);

	pack_write_list(w, "kernelslist.g", "kernel-1.traceg\n", 16);
	pack_begin_kernel(w);
	pack_add_text(w, text, sizeof(text) - 1);
	pack_end_kernel(w, NULL);
	pack_writer_close(w);
	fclose(out);
	struct pack *p = pack_open_memory("s", stream, n, &f);
	uint64_t sum = check_trace(
		"text", trace_open_input(input_memory("t", text, sizeof(text) - 1, &f), &o, &f), o.code);
	ok(check_trace("packed", pack_open_trace(p, 0, &o, &f), o.code) == sum,
		"the text trace and the packed stream have the same checksum");
	pack_close(p);
	free(stream);
	code_free(o.code);
}

/* ---- faults ------------------------------------------------------------------------------- */

#define COPY(columns) "0050 00000001 0 UTMALDG.2D 0 2 " columns " 0 0 NoVal \n"
#define ARRIVE(values) \
	"0020 00000001 0 SYNCS.ARRIVE.TRANS64 2 R4 R6 8 1 0x7f8000000400 8 0 0 Val " values " \n"

static const struct {
	const char *line, *id;
} faults[] = {
	{COPY("0y 0 24 0 3 1 0x10"), "columns"},
	{COPY("0x100000000 0 24 0 3 1 0x10"), "columns"},
	{COPY("0x400 2 24 0 3 1 0x10"), "columns"},
	{COPY("0x400 1 0x10000 24 0 3 1 0x10"), "columns"},
	{COPY("0x400 0 -1 0 3 1 0x10"), "columns"},
	{COPY("0x400 0 24 18446744073709551616 3 1 0x10"), "columns"},
	{COPY("0x400 0 24 0 5 1 0x10"), "mode"},
	{COPY("0x400 0 24 0 3 99999999 0x10"), "address-count"},
	{COPY("0x400 0 24 0 3 1048576 0x10"), "address"},
	{COPY("0x400 0 24 0 3 1 z"), "address"},
	{COPY("0x400 0 24 0 4 0x10 3 2 x"), "address"},
	{ARRIVE("2 1 2"), "values"},
	{ARRIVE("1"), "values"},
	{ARRIVE("1 100000000"), "values"},
	{ARRIVE("32 1 2 3"), "values"},
	{ARRIVE("1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"), "values"},
};

static void test_faults(void)
{
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		struct trace_options o = {.code = code_new(isa)};
		struct tblock tb = {0};
		struct fault f = {0};
		char t[2048], label[80];
		int n = snprintf(t, sizeof(t),
			HEAD
			"#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 2\n0000 ffffffff 0 NOP 0 0 0 0 NoVal \n"
			"%s#END_TB\n",
			faults[i].line);
		struct trace *r = trace_open_input(input_memory("t", t, (size_t)n, &f), &o, &f);

		ok(trace_next(r, &tb, &f) < 0 && f.id, "a line with the invalid columns %zu is rejected", i);
		snprintf(label, sizeof(label), "the fault of the invalid columns %zu is '%s'", i,
			faults[i].id);
		is_text(f.id, faults[i].id, label);
		trace_close(r);
		tblock_free(&tb);
		code_free(o.code);
	}
}

int main(void)
{
	diag_init("test_extra");
	isa = isa_new();
	test_columns();
	test_faults();
	isa_free(isa);
	return tap_done();
}
