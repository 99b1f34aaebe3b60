/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of the kernel trace reader: every dialect, every fault, and records that are compared with their
 * text.
 */
#include <stdint.h>
#include "arena.h"
#include "tap.h"
#include "trace/reader.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

#define HEAD(binary, version, more) \
	"-kernel name = _Z3fooPf (a)\n-kernel id = 7\n-grid dim = (2,1,1)\n-block dim = (40,1,1)\n" \
	"-shmem = 16\n-nregs = 12\n-binary version = " binary "\n-cuda stream id = 3\n" \
	"-shmem base_addr = 0x00007f0000000000\n" \
	"-local mem base_addr = 0x00007e0000000000\n-nvbit version = 1.7\n" version more \
	"\n#traces format = PC mask\n\n"
#define V(n)     "-accelsim tracer version = " n "\n"
#define NO_LINES "-enable lineinfo = 0\n"

/* A block with one warp of 32 lanes and one of 8 lanes. */
#define BLOCK(x, n0, lines0, n1, lines1) \
	"#BEGIN_TB\n\nthread block = " x ",0,0\n\nwarp = 0\ninsts = " n0 "\n" lines0 \
	"\nwarp = 1\ninsts = " n1 "\n" lines1 "\n#END_TB\n\n"
#define EXIT5   "0100 ffffffff 0 EXIT 0 0 0 \n"
#define EXIT5_8 "0100 000000ff 0 EXIT 0 0 0 \n"

static struct isa *isa;
static unsigned n_warnings;
static char last_warning[64];

static void note_warning(void *ctx, const struct fault *f)
{
	(void)ctx;
	n_warnings++;
	snprintf(last_warning, sizeof(last_warning), "%s:%u", f->id, (unsigned)f->place.line);
}

struct trace_result {
	int rc; /* 0 if the trace was read to the end */
	struct fault f;
	unsigned blocks, recs;
	uint64_t sum;    /* checksum of all records */
	char dump[8192]; /* a line for each record */
	unsigned char hash[16];
};

static void dump_rec(
	struct trace_result *r, const struct code *code, const struct tblock *tb, const struct rec *rec)
{
	const struct inst *i = code_at(code, rec->inst);
	size_t n = strlen(r->dump);
	uint64_t lane[32];

#define PUT(...) (n += (size_t)snprintf(r->dump + n, sizeof(r->dump) - n, __VA_ARGS__))
	PUT("%x %x %s", i->pc, rec->mask, i->opcode);
	for (unsigned k = 0; k < i->n_dst + (unsigned)i->n_src; k++)
		PUT("%c%u", k == i->n_dst ? '/' : ' ', i->reg[k]);
	if (i->has_addr) {
		PUT(" %uB", i->size);
		rec_addresses(tb, rec, lane);
		for (unsigned k = 0; k < 32; k++)
			if (lane[k])
				PUT(" %u:%llx", k, (unsigned long long)lane[k]);
	}
	if (i->imm)
		PUT(" #%lld", (long long)i->imm);
	if (i->lineno)
		PUT(" @%u", i->lineno);
	PUT("\n");
#undef PUT
}

static void add_record_to_checksum(
	struct trace_result *r, const struct code *code, const struct tblock *tb, const struct rec *rec)
{
	const struct inst *i = code_at(code, rec->inst);
	uint64_t lane[34] = {0};

	if (i->has_addr)
		rec_addresses(tb, rec, lane);
	lane[32] = (uint64_t)i->pc << 32 | rec->mask;
	for (const char *c = i->opcode; *c; c++)
		lane[33] = lane[33] * 31 + (unsigned char)*c;
	for (unsigned k = 0; k < N(lane); k++)
		r->sum = (r->sum ^ lane[k]) * UINT64_C(0x100000001b3) + k;
}

static void read_records(struct trace *t, const struct code *code, struct trace_result *r)
{
	struct tblock tb = {0};

	while ((r->rc = trace_next(t, &tb, &r->f)) > 0) {
		r->blocks++;
		r->recs += tb.n_recs;
		for (unsigned w = 0; w < tb.n_warps; w++)
			for (unsigned k = 0; k < tb.warp[w].n_recs; k++) {
				const struct rec *rec = &tb.rec[tb.warp[w].first_rec + k];

				add_record_to_checksum(r, code, &tb, rec);
				if (strlen(r->dump) < 6000)
					dump_rec(r, code, &tb, rec);
			}
	}
	if (r->rc == 0)
		r->rc = trace_finish(t, &r->f);
	if (r->rc == 0)
		trace_hash(t, r->hash);
	tblock_free(&tb);
}

static void read_text(
	const char *text, size_t len, struct trace_options o, bool only_slow, struct trace_result *r)
{
	struct code *code = code_new(isa);
	struct trace *t;

	memset(r, 0, sizeof(*r));
	n_warnings = 0;
	o.code = code;
	o.computes_hash = true;
	o.warn = note_warning;
	t = trace_open_input(input_memory("k", text, len, NULL), &o, &r->f);
	r->rc = -1;
	if (t) {
		t->only_slow = only_slow;
		read_records(t, code, r);
	}
	trace_close(t);
	code_free(code);
}

static void read_plain_text(const char *text, struct trace_result *r)
{
	read_text(text, strlen(text), (struct trace_options){0}, false, r);
}

/* ---- dialects ----------------------------------------------------------------------------- */

static const struct {
	const char *name, *text, *dump;
} dialects[] = {
	{"version 1: block and warp on each line",
		HEAD("70", "", "") BLOCK("0", "2",
			"0 0 0 0 0010 ffffffff 1 R8 LDG.E.SYS 1 R2 4 1 "
			"0x00007fe033702880 4 \n"
			"0 0 0 0 0020 ffffffff 0 EXIT 0 0 \n",
			"1", "0 0 0 1 0020 000000ff 0 EXIT 0 0 \n") BLOCK("1", "1",
			"1 0 0 0 0020 ffffffff 0 EXIT 0 0 \n", "1", "1 0 0 1 0020 000000ff 0 EXIT 0 0 \n"),
		NULL},
	{"version 3: no immediate",
		HEAD("80", V("3"), "") BLOCK("0", "2",
			"0000 ffffffff 1 R1 IMAD.MOV.U32 2 R255 R255 0 \n"
			"0020 00000000 0 EXIT 0 0 \n",
			"1", "0020 00000003 0 EXIT 0 0 \n")
			BLOCK("1", "0", "", "1", "0010 00000005 1 R0 LDG.E.U8 1 R4 1 2 0x100 -16 \n"),
		"0 ffffffff IMAD.MOV.U32 2/256 256\n20 0 EXIT\n20 3 EXIT\n10 5 LDG.E.U8 1/5 1B 0:100 2:f0\n"},
	{"version 5: an immediate",
		HEAD("80", V("5"), NO_LINES) BLOCK("0", "2",
			"0060 ffffffff 0 ISETP.NE.AND 1 R127 0 -1 \n" EXIT5, "3",
			"0070 000000c1 1 R2 LDG.E.128.STRONG.GPU 1 R4 16 2 0x7f00 16 32 5 \n"
			"0080 000000ff 0 STG.E 2 R4 R2 4 1 0x1000 4 0 \n0090 00000009 0 STS 2 R4 R2 4 0 0x10 20 7 \n")
			BLOCK("1", "1", EXIT5, "1", EXIT5_8),
		"60 ffffffff ISETP.NE.AND/128 #-1\n100 ffffffff EXIT\n"
		"70 c1 LDG.E.128.STRONG.GPU 3/5 16B 0:7f00 6:7f10 7:7f30 #5\n"
		"80 ff STG.E/5 3 4B 0:1000 1:1004 2:1008 3:100c 4:1010 5:1014 6:1018 7:101c\n"
		"90 9 STS/5 3 4B 0:10 3:20 #7\n100 ffffffff EXIT\n100 ff EXIT\n"},
	{"a stride ends at the first gap; one lane; no lane; a list of wide deltas",
		HEAD("86", V("5"), NO_LINES) BLOCK("0", "1", EXIT5, "4",
			"0010 0000009b 1 R2 LDG.E 1 R4 4 1 0x40 4 0 \n"
			"0010 00000080 1 R2 LDG.E 1 R4 4 2 0x50 0 \n0010 00000000 1 R2 LDG.E 1 R4 4 1 0x0 0 0 \n"
			"0010 0000000b 1 R2 LDG.E 1 R4 4 2 0x40 8589934592 -4 0 \n")
			BLOCK("1", "1", EXIT5, "1", EXIT5_8),
		"100 ffffffff EXIT\n10 9b LDG.E 3/5 4B 0:40 1:44\n10 80 LDG.E 3/5 4B 7:50\n10 0 LDG.E 3/5 4B\n"
		"10 b LDG.E 3/5 4B 0:40 1:200000040 3:20000003c\n100 ffffffff EXIT\n100 ff EXIT\n"},
	{"line numbers and STORE_DATA",
		HEAD("75", V("5"), "-enable lineinfo = 1\n") BLOCK("0", "2",
			"12 0000 ffffffff 1 R1 MOV 0 0 0 \n"
			"13 00d0 00000001 0 STG.E.64.SYS 2 R8 R6 8 2 0x20 0 STORE_DATA F64 2 REG0:T0:0 T1:1  \n",
			"1", "14 0100 00000001 0 EXIT 0 0 0 \n") BLOCK("1", "1",
			"14 0100 00000001 0 EXIT 0 0 0 \n", "1", "14 0100 00000001 0 EXIT 0 0 0 \n"),
		"0 ffffffff MOV 2 @12\nd0 1 STG.E.64.SYS/9 7 8B 0:20 @13\n100 1 EXIT @14\n100 1 EXIT @14\n100 1 "
		"EXIT @14\n"},
	{"line numbers after block and warp, undeclared",
		HEAD("75", "", "") BLOCK("0", "1", "0 0 0 0 33 0000 ffffffff 1 R1 MOV 0 0 \n", "1",
			"0 0 0 1 34 0000 00000001 1 R1 MOV 0 0 \n") BLOCK("1", "0", "", "0", ""),
		"0 ffffffff MOV 2 @33\n0 1 MOV 2 @34\n"},
	{"version 5 with two immediates, clusters, a core",
		HEAD("90", V("5"),
			NO_LINES) "#BEGIN_TB\nthread block = 0,0,0\ncluster id = 0,0,0\ncluster cta = "
				  "0,0,0\n"
				  "cluster rank = 0\ncore id = 5\nwarp = 0\ninsts = 2\n0020 ffffffff 1 UR4 S2UR 0 0 0 0 \n"
				  "00e0 ffffffff 1 R0 LOP3.LUT 2 R5 R255 0 3 192 \nwarp = 1\ninsts = 0\n#END_TB\n" BLOCK(
					  "1", "0", "", "0", ""),
		"20 ffffffff S2UR 261\ne0 ffffffff LOP3.LUT 1/6 256 #3\n"},
	{"version 6: values, several destinations, predicates, bulk copies, commit flags",
		HEAD("90", V("6"), NO_LINES) BLOCK("0", "6",
			"0000 ffffffff 1 R1 LDC 0 0 0 0 NoVal \n"
			"0010 ffffffff 3 R2 P1 R3 IADD3 3 R5 UP2 UR63 0 -1 0 Val 1 ff 1 0 1 ab \n"
			"0020 ffffffff 1 R24 HGMMA.64x64x16.F32 2 R24 UR4 1 0 0 0 NoVal \n"
			"0030 00000001 0 UTMALDG.2D 2 UR4 UR8 128 0x100 1 0x3 4096 0 3 2 0x7f00 0x7f80 0 0 NoVal \n"
			"0040 00000003 0 UBLKCP 1 UR4 16 0x100 0 64 0 4 0x8000 3 16 16 1 2 NoVal \n"
			"0050 ffffffff 0 WARPGROUP.ARRIVE 0 0 0 0 NoVal \n",
			"0", "") BLOCK("1", "0", "", "0", ""),
		"0 ffffffff LDC 2\n10 ffffffff IADD3 3 4/6 320 #-1\n20 ffffffff HGMMA.64x64x16.F32 25/25 261\n"
		"30 1 UTMALDG.2D/261 265 4B 0:7f00\n40 3 UBLKCP/261 4B 0:8000 1:8010 #1\n50 ffffffff "
		"WARPGROUP.ARRIVE\n"},
	{"no version line, CRLF, no final newline, comments between blocks",
		"-grid dim = ( 2, 1 ,1)\r\n-block dim = (8,1,1)\r\n-shmem = 0\r\n-nregs = 0\r\n-binary version = "
		"61\r\n"
		"-future key = 7\r\n#BEGIN_TB\r\nthread block = 1,0,0\r\nwarp = 0\r\ninsts = 1\r\n"
		"0008 000000ff 1 R1 MOV 0 0 \r\n#END_TB\r\n# more\r\n\r\n#BEGIN_TB\r\nthread block = "
		"0,0,0\r\n"
		"warp = 0\r\ninsts = 0\r\n#END_TB",
		"8 ff MOV 2\n"},
	{"tabs and several blanks",
		HEAD("70", V("5"), NO_LINES)
			BLOCK("0", "1", "  0010\tffffffff  1 R2  LDG.E 1 R4 4 1 0X40 4\t9\n", "1",
				"10 1 1 R2 LDG.E 1 R4 4 1 40 4 9\n") BLOCK("1", "0", "", "0", ""),
		NULL},
};

static void test_dialects(void)
{
	struct trace_result r, slow;
	char label[200];

	for (unsigned i = 0; i < N(dialects); i++) {
		read_plain_text(dialects[i].text, &r);
		if (!ok(r.rc == 0 && r.blocks == 2, "%s: the trace is read", dialects[i].name))
			printf("# %u: %s\n", (unsigned)r.f.place.line, r.f.text);
		if (dialects[i].dump) {
			snprintf(label, sizeof(label), "%s: the records are as expected", dialects[i].name);
			is_text(r.dump, dialects[i].dump, label);
		}
		read_text(dialects[i].text, strlen(dialects[i].text), (struct trace_options){0}, true, &slow);
		ok(!strcmp(r.dump, slow.dump), "%s: the fast and the slow reader agree", dialects[i].name);
	}
}

static void test_header(void)
{
	struct trace_options o = {.code = code_new(isa)};
	struct fault f;
	const char *text = HEAD("120", V("5"), NO_LINES "-slice = 1\n");
	struct trace *t = trace_open_input(input_memory("k", text, strlen(text), NULL), &o, &f);
	const struct kernel_header *h;

	if (ok(t != NULL, "a header is read")) {
		h = trace_header(t);
		is_text(h->name, "_Z3fooPf (a)", "a header gives the name of the kernel");
		is_text(trace_path(t), "k", "a trace gives its path");
		ok(h->id == 7 && h->stream == 3 && h->shmem_bytes == 16 && h->nregs == 12,
			"a header gives id, stream, shared memory and registers");
		ok(h->grid[0] == 2 && h->block[0] == 40 && kernel_warps(h) == 2,
			"a header gives the dimensions of grid and block");
		ok(h->arch == ARCH_BLACKWELL && h->binary_version == 120 && h->tracer_version == 5,
			"a header gives the architecture and both versions");
		ok(h->shmem_base == 0x7f0000000000 && h->local_base == 0x7e0000000000,
			"a header gives the bases of shared and local memory");
		ok(h->is_slice && !h->lineinfo, "a header gives its flags");
	}
	trace_close(t);
	code_free(o.code);
}

/* ---- the fast path for many lines ------------------------------------------------------------- */

static char *repeat_lines(const char *head, const char *const *line, unsigned n_lines, unsigned n)
{
	char *text = xmalloc(strlen(head) + 200 + n * 400ul);
	size_t at =
		(size_t)sprintf(text, "%s#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = %u\n", head, n);

	for (unsigned i = 0; i < n; i++)
		at += (size_t)sprintf(text + at, line[i % n_lines], i * 4 + 0x7000);
	sprintf(text + at, "warp = 1\ninsts = 0\n#END_TB\n#BEGIN_TB\nthread block = 1,0,0\nwarp = 0\ninsts "
			   "= 0\n"
			   "warp = 1\ninsts = 0\n#END_TB\n");
	return text;
}

static void check_fast_and_slow(const char *name, const char *head, const char *const *line, unsigned n_lines)
{
	static struct trace_result fast, slow;
	char *text = repeat_lines(head, line, n_lines, 3000);
	size_t len = strlen(text);

	read_text(text, len, (struct trace_options){0}, false, &fast);
	read_text(text, len, (struct trace_options){0}, true, &slow);
	if (!ok(fast.rc == 0 && fast.recs == 3000, "%s: 3000 lines are read", name))
		printf("# %u: %s\n", (unsigned)fast.f.place.line, fast.f.text);
	ok(!strcmp(fast.dump, slow.dump) && fast.recs == slow.recs,
		"%s: the fast and the slow reader give the same records", name);
	ok(!memcmp(fast.hash, slow.hash, 16), "%s: the fast and the slow reader give the same hash", name);
	/* Tests that both readers report the correct place of a damaged line far from the beginning. */
	char *bad = strstr(text + len / 2, "LDG");
	if (bad) {
		bad[-2] = 'x';
		read_text(text, len, (struct trace_options){0}, false, &fast);
		read_text(text, len, (struct trace_options){0}, true, &slow);
		ok(fast.rc < 0 && fast.f.place.line > 1000 && fast.f.place.line == slow.f.place.line &&
				fast.f.place.col == slow.f.place.col && !strcmp(fast.f.text, slow.f.text),
			"%s: the fast and the slow reader report the same fault", name);
	}
	free(text);
}

static void test_fast(void)
{
	static const char *const v5[] = {
		"0010 ffffffff 1 R2 LDG.E 1 R4 4 1 0x%x 4 0 \n",
		"0020 ffffffff 0 NOP 0 0 0 \n",
		"0010 0000f00f 1 R2 LDG.E 1 R4 4 2 0x%x 4 -8 4 4 4 4 4 0 \n",
		"0020 ffffffff 0 NOP 0 0 1 \n",
		"0010 00000011 1 R2 LDG.E 1 R4 4 0 0x%016x 0xffff 0 \n",
		"0030 80000000 0 STG 1 R2 4 2 0x%x 3 \n",
	};
	static const char *const v6[] = {
		"0010 ffffffff 1 R2 LDG.E 1 R4 4 1 0x%x 4 0 0 Val 1 2 1 3 \n",
		"0020 ffffffff 0 NOP 0 0 0 0 NoVal \n",
		"0010 ffffffff 1 R2 LDG.E 1 R4 4 1 0x%x 4 0 0 NoVal \n",
		"0020 ffffffff 0 NOP 0 0 0 0 Value \n",
		"0040 ffffffff 0 UBLKCP 1 UR4 16 0x100 0 64 0 4 0x%x 3 16 16 1 2 NoVal \n",
	};
	static const char *const lines[] = {
		"5 0010 ffffffff 1 R2 LDG.E 1 R4 4 1 0x%x 4 0 \n",
		"6 0010 ffffffff 1 R2 LDG.E 1 R4 4 1 0x%x 4 0 \n",
	};
	static const char *const v1[] = {
		"0 0 0 0 0010 ffffffff 1 R2 LDG.E 1 R4 4 1 0x%x 4 \n",
		"0 0 0 0 0020 ffffffff 0 NOP 0 0 \n",
	};

	check_fast_and_slow("version 5", HEAD("86", V("5"), NO_LINES), v5, N(v5));
	check_fast_and_slow("version 6", HEAD("90", V("6"), NO_LINES), v6, N(v6));
	check_fast_and_slow("line numbers", HEAD("75", V("5"), "-enable lineinfo = 1\n"), lines, N(lines));
	check_fast_and_slow("version 1", HEAD("70", "", ""), v1, N(v1));
}

/* ---- warps that are similar to earlier warps ------------------------------------------------ */

#define BLOCKS 9

/*
 * Writes line i of warp w in block b. The lines are equal in most blocks, except for base addresses and for
 * the change with number `other`.
 */
static size_t write_similar_line(char *to, unsigned b, unsigned w, unsigned i, unsigned other)
{
	unsigned long long base = (0x10ull << (4 * b % 40)) + 0x100 * w + i;
	unsigned mask = w ? 0xff : UINT32_MAX;
	bool odd = b == 4 && i % 7 == 3;

	switch (odd && other < 6 ? 6 + other : i % 6) {
	case 0: return (size_t)sprintf(to, "0010 %08x 1 R2 LDG.E 1 R4 4 1 0x%llx 4 0 \n", mask, base);
	case 1: return (size_t)sprintf(to, "0020 %08x 0 NOP 0 0 0 \n", mask);
	case 2:
		return (size_t)sprintf(
			to, "0030 %08x 0 STG.E 2 R4 R2 4 2 0x%llx 4 -8 4 4 4 4 4 0 \n", mask & 0xff, base);
	case 3: return (size_t)sprintf(to, "0040 %08x 1 R2 LDS 1 R4 4 1 0x%x 4 0 \n", mask, 64 * i);
	case 4: return (size_t)sprintf(to, "0050 00000011 1 R2 LDG.E 1 R4 4 0 0x%016llx 0xffff 0 \n", base);
	case 5: return (size_t)sprintf(to, "0060 00000000 1 R2 LDG.E 1 R4 4 1 0x%llx 4 0 \n", base);
	case 6: /* changes of the stride, opcode, delta and mask, additional equal lines, an invalid base */
		return (size_t)sprintf(to, "0010 %08x 1 R2 LDG.E 1 R4 4 1 0x%llx 8 0 \n", mask, base);
	case 7: return (size_t)sprintf(to, "0020 %08x 0 MOV 0 0 0 \n", mask);
	case 8:
		return (size_t)sprintf(
			to, "0030 %08x 0 STG.E 2 R4 R2 4 2 0x%llx 4 -8 4 4 5 4 4 0 \n", mask & 0xff, base);
	case 9: return (size_t)sprintf(to, "0040 %08x 1 R2 LDS 1 R4 4 1 0x%x 4 0 \n", 3u, 64 * i);
	case 10: return (size_t)sprintf(to, "0010 %08x 1 R2 LDG.E 1 R4 4 1 0X%llX 4  0\n", mask, base);
	default: return (size_t)sprintf(to, "0010 %08x 1 R2 LDG.E 1 R4 4 1 0x%llxg 4 0 \n", mask, base);
	}
}

static char *similar_warps_text(unsigned other)
{
	char *text = xmalloc(BLOCKS * 2 * 500 * 80), *grid;
	size_t at = (size_t)sprintf(text, "%s", HEAD("86", V("5"), NO_LINES));

	grid = strstr(text, "(2,1,1)");
	grid[1] = '0' + BLOCKS;
	for (unsigned b = 0; b < BLOCKS; b++) {
		at += (size_t)sprintf(text + at, "#BEGIN_TB\nthread block = %u,0,0\n", b);
		for (unsigned w = 0; w < 2; w++) {
			unsigned n = other == 6 && b == 4 ? 320 : other == 7 && b == 5 ? 280 : 300;
			unsigned shift = other == 8 ? b : 0;

			at += (size_t)sprintf(text + at, "warp = %u\ninsts = %u\n", w, n);
			for (unsigned i = 0; i < n; i++)
				at += write_similar_line(text + at, b, w, i + shift, other);
		}
		at += (size_t)sprintf(text + at, "#END_TB\n");
	}
	return text;
}

static void test_similar_warps(void)
{
	static struct trace_result fast, slow;

	for (unsigned other = 0; other < 10; other++) {
		char *text = similar_warps_text(other);

		read_text(text, strlen(text), (struct trace_options){0}, false, &fast);
		read_text(text, strlen(text), (struct trace_options){0}, true, &slow);
		ok(fast.rc == slow.rc && fast.blocks == slow.blocks && fast.recs == slow.recs &&
				fast.sum == slow.sum && fast.f.place.line == slow.f.place.line &&
				fast.f.place.col == slow.f.place.col && !memcmp(fast.hash, slow.hash, 16),
			"similar warps, change %u: the fast and the slow reader agree", other);
		ok(other == 5 ? fast.rc < 0 : fast.rc == 0 && fast.blocks == BLOCKS,
			"similar warps, change %u: only an invalid address is rejected", other);
		if (fast.rc && other != 5)
			printf("# line %u, %u: %s\n", (unsigned)fast.f.place.line,
				(unsigned)slow.f.place.line, fast.f.text);
		free(text);
	}
}

/* ---- faults ------------------------------------------------------------------------------- */

#define GOOD \
	HEAD("80", V("5"), NO_LINES) \
	BLOCK("0", "3", \
		"0010 ffffffff 1 R6 S2R 0 0 0 \n" \
		"0020 ffffffff 1 R2 LDG.E 1 R4 4 1 0x7f40 4 0 \n" EXIT5, \
		"2", "0020 00000007 1 R2 LDG.E 1 R4 4 2 0x7f40 4 4 0 \n" EXIT5_8) \
	BLOCK("1", "1", EXIT5, "1", EXIT5_8)

/* Faults in GOOD: the first `from` is replaced by `to`, or the text ends there if `to` is NULL. */
static const struct {
	const char *name, *from, *to, *id;
	unsigned line, col;
} faults[] = {
	{"dimensions of the grid missing", "-grid dim", "-grit dim", "header-missing", 15, 0},
	{"dimensions of thread blocks missing", "-block dim", "-blick dim", "header-missing", 15, 0},
	{"registers missing", "-nregs", "-nrogs", "header-missing", 15, 0},
	{"shared memory missing", "-shmem =", "-shmim =", "header-missing", 15, 0},
	{"binary version missing", "-binary", "-bynary", "header-missing", 15, 0},
	{"header line without an equals sign", "-nregs = 12", "-nregs 12", "header-value", 6, 0},
	{"grid with a dimension of 0", "(2,1,1)", "(0,1,1)", "header-value", 3, 13},
	{"grid of letters", "(2,1,1)", "(a,b,c)", "header-value", 3, 13},
	{"grid too large", "(2,1,1)", "(4294967295,4294967295,4294967295)", "header-value", 3, 13},
	{"grid with two dimensions", "(2,1,1)", "(2,1)", "header-value", 3, 13},
	{"thread block with a dimension of 0", "(40,1,1)", "(40,0,1)", "header-value", 4, 14},
	{"thread block too large", "(40,1,1)", "(1024,1024,64)", "header-value", 4, 14},
	{"negative shared memory", "-shmem = 16", "-shmem = -1", "header-value", 5, 10},
	{"too many registers", "-nregs = 12", "-nregs = 100000", "header-value", 6, 10},
	{"unknown binary version", "version = 80", "version = 42", "header-value", 7, 19},
	{"header line without a leading minus sign", "-nvbit", "nvbit", "header-line", 11, 1},
	{"truncated in the header", "-nvbit", NULL, "truncated", 11, 0},
	{"no blocks", "#BEGIN_TB", NULL, "truncated", 17, 0},
	{"instruction before the thread block", "#BEGIN_TB", "0010 ffffffff 0 NOP 0 0 0 \n#BEGIN_TB",
		"outside-block", 17, 1},
	{"no #BEGIN_TB", "#BEGIN_TB\n", "", "outside-block", 18, 1},
	{"no #END_TB", "#END_TB\n", "", "block-nested", 33, 1},
	{"no id of a thread block", "thread block = 0,0,0\n", "\n", "block-id", 21, 1},
	{"malformed id of a thread block", "block = 0,0,0", "block = 0,0", "block-line", 19, 1},
	{"id of a thread block outside the grid", "block = 0,0,0", "block = 2,0,0", "block-id-grid", 19, 0},
	{"a thread block twice", "block = 0,0,0", "block = 1,0,0", "block-id-repeated", 36, 0},
	{"two ids in a thread block", "thread block = 0,0,0", "thread block = 0,0,0\nthread block = 1,0,0",
		"block-id", 20, 1},
	{"warp outside the thread block", "warp = 0", "warp = 2", "warp-id", 21, 0},
	{"number of a warp too large", "warp = 0", "warp = 99999999999999999999", "block-line", 21, 1},
	{"warp twice", "warp = 1", "warp = 0", "warp-repeated", 27, 0},
	{"warp missing", "warp = 1\ninsts = 2\n0020 00000007 1 R2 LDG.E 1 R4 4 2 0x7f40 4 4 0 \n" EXIT5_8, "",
		"warp-missing", 28, 0},
	{"number of instructions missing", "insts = 3\n", "", "insts-missing", 22, 1},
	{"number of instructions twice", "insts = 3\n", "insts = 3\ninsts = 3\n", "insts-missing", 23, 1},
	{"number of instructions too small", "insts = 3", "insts = 2", "insts-count", 25, 1},
	{"number of instructions too large", "insts = 3", "insts = 4", "insts-count", 27, 0},
	{"negative number of instructions", "insts = 3", "insts = -5", "block-line", 22, 1},
	{"number of instructions beyond 32 bits", "insts = 3", "insts = 4294967295", "insts-count", 22, 1},
	{"instruction before the warp", "warp = 0", "0010 ffffffff 0 NOP 0 0 0 ", "block-line", 21, 1},
	{"a line of other text", "0020 ffffffff 1 R2 LDG.E 1 R4 4 1 0x7f40 4 0 ", "hello world", "pc", 24, 1},
	{"invalid PC", "0020 ffffffff", "zz20 ffffffff", "pc", 24, 1},
	{"PC too large", "0020 ffffffff", "100000000 ffffffff", "pc", 24, 1},
	{"invalid mask", "0020 ffffffff", "0020 zzzzzzzz", "mask", 24, 6},
	{"lanes outside the thread block", "0020 00000007", "0020 00000107", "lanes", 29, 6},
	{"invalid number of destinations", "ffffffff 1 R2", "ffffffff x R2", "dst-count", 24, 15},
	{"too many destinations", "ffffffff 1 R2", "ffffffff 256 R2", "dst-count", 24, 15},
	{"register R999", "1 R6 S2R", "1 R999 S2R", "register", 23, 17},
	{"register UR256", "1 R6 S2R", "1 UR256 S2R", "register", 23, 17},
	{"register R100000000000000000000", "1 R6 S2R", "1 R100000000000000000000 S2R", "register", 23, 17},
	{"name of a register that does not exist", "1 R6 S2R", "1 XX S2R", "register", 23, 17},
	{"opcode of a dot", "1 R6 S2R", "1 R6 .", "opcode", 23, 20},
	{"invalid number of sources", "LDG.E 1 R4", "LDG.E -1 R4", "src-count", 24, 26},
	{"line ends early", "R2 LDG.E 1 R4 4 1 0x7f40 4 0 ", "R2 LDG.E 1", "register", 24, 27},
	{"invalid width", "R4 4 1 0x7f40 4", "R4 x 1 0x7f40 4", "width", 24, 31},
	{"no addresses", "R4 4 1 0x7f40 4 0", "R4 0 0", "no-address", 24, 20},
	{"unknown address mode 7", "R4 4 1 0x7f40 4", "R4 4 7 0x7f40 4", "mode", 24, 33},
	{"address mode 3 in a trace of version 5", "R4 4 1 0x7f40 4", "R4 4 3 0x7f40 4", "mode", 24, 33},
	{"invalid base address", "0x7f40 4 0", "xyz 4 0", "address", 24, 35},
	{"stride beyond 32 bits", "0x7f40 4 0", "0x7f40 4294967296 0", "address", 24, 42},
	{"base address missing", "4 1 0x7f40 4 0", "4 1 4 0", "immediate", 24, 39},
	{"a list with too few addresses", "4 2 0x7f40 4 4 0", "4 0 0x7f40 0x7f44", "address-count", 29, 49},
	{"a list with too few deltas", "4 2 0x7f40 4 4 0", "4 2 0x7f40 4 0", "immediate", 29, 46},
	{"a list with too many deltas", "4 2 0x7f40 4 4 0", "4 2 0x7f40 4 4 4 0", "columns", 29, 48},
	{"a delta of letters", "4 2 0x7f40 4 4 0", "4 2 0x7f40 4 x 0", "address", 29, 44},
	{"immediate missing", "0x7f40 4 0 ", "0x7f40 4 ", "immediate", 24, 44},
	{"immediate of letters", "0x7f40 4 0 ", "0x7f40 4 - ", "immediate", 24, 44},
	{"an additional column", "0x7f40 4 0 ", "0x7f40 4 0 0 ", "columns", 24, 46},
	{"width that the opcode cannot have", "LDG.E 1", "LDG.4 1", "opcode-width", 24, 20},
	{"truncated in a line", "R4 4 1 0x7f40", NULL, "truncated", 24, 28},
	{"truncated in a warp", "0020 ffffffff", NULL, "truncated", 24, 0},
	{"truncated before the last #END_TB", "#END_TB", NULL, "truncated", 32, 0},
	{"a thread block without its first line", "#END_TB\n\n#BEGIN_TB", "#END_TB\n#", "outside-block", 35,
		1},
	{"grid larger than the file", "(2,1,1)", "(3,1,1)", "truncated", 48, 0},
	{"grid smaller than the file", "(2,1,1)", "(1,1,1)", "grid-small", 34, 0},
};

static char *text_with_change(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	char *out = xmalloc(strlen(text) + (to ? strlen(to) : 0) + 1);

	if (!at)
		abort();
	sprintf(out, "%.*s%s%s", (int)(at - text), text, to ? to : "", to ? at + strlen(from) : "");
	return out;
}

static void test_faults(void)
{
	struct trace_result r;

	read_plain_text(GOOD, &r);
	ok(r.rc == 0 && r.blocks == 2 && r.recs == 7, "a trace without faults is read");
	for (unsigned i = 0; i < N(faults); i++) {
		char *text = text_with_change(GOOD, faults[i].from, faults[i].to);

		read_plain_text(text, &r);
		if (!ok(r.rc < 0 && !strcmp(r.f.id, faults[i].id) && r.f.place.line == faults[i].line &&
				    r.f.place.col == faults[i].col && *r.f.text &&
				    !strstr(r.f.text, "wanted"),
			    "a fault is reported with its place: %s", faults[i].name))
			printf("# found %s %u:%u %s\n", r.rc < 0 ? r.f.id : "no fault",
				(unsigned)r.f.place.line, (unsigned)r.f.place.col, r.f.text);
		free(text);
	}
	read_text("\0\1\2\3\n\xff", 6, (struct trace_options){0}, false, &r);
	is_text(r.f.id, "header-line", "bytes that are not text are reported as a faulty header");
	read_text("", 0, (struct trace_options){0}, false, &r);
	is_text(r.f.id, "truncated", "an empty trace is reported as truncated");
	read_plain_text(HEAD("70", "", "") BLOCK("0", "1", "0 0 0 0 0020 ffffffff 0 EXIT 0 0 \n", "1",
				"0 1 0 1 0020 000000ff 0 EXIT 0 0 \n"),
		&r);
	ok(r.rc < 0 && !strcmp(r.f.id, "prefix") && r.f.place.col == 3,
		"a line with the number of another thread block is reported");
}

/* ---- options ------------------------------------------------------------------------------ */

static void test_options(void)
{
	struct trace_result r;
	char *text = text_with_change(GOOD, "S2R", "FOOBAR.X"), *slice, *less;

	read_plain_text(text, &r);
	ok(r.rc == 0 && n_warnings == 1, "an unknown opcode gives one warning");
	is_text(last_warning, "opcode-unknown:23", "the warning about an unknown opcode has its line");
	read_text(text, strlen(text), (struct trace_options){.strict = true}, false, &r);
	ok(r.rc < 0 && !strcmp(r.f.id, "opcode-unknown") && r.f.place.line == 23 && r.f.place.col == 20,
		"an unknown opcode is a fault if the reader is strict");
	free(text);

	text = text_with_change(GOOD, "(2,1,1)", "(9,1,1)");
	slice = text_with_change(text, "-nvbit", "-slice = 1\n-nvbit");
	read_plain_text(slice, &r);
	ok(r.rc == 0 && r.blocks == 2, "a slice that lacks thread blocks is accepted");
	free(text);
	free(slice);

	less = text_with_change(GOOD,
		"warp = 1\ninsts = 2\n0020 00000007 1 R2 LDG.E 1 R4 4 2 0x7f40 4 4 0 "
		"\n" EXIT5_8,
		"");
	read_text(less, strlen(less), (struct trace_options){.allows_missing_warps = true}, false, &r);
	ok(r.rc == 0 && r.recs == 5, "a missing warp of a fragment is read as empty");
	free(less);
}

int main(void)
{
	isa = isa_new();
	test_header();
	test_dialects();
	test_fast();
	test_similar_warps();
	test_faults();
	test_options();
	isa_free(isa);
	return tap_done();
}
