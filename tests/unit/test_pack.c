/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of packed streams: records from columns equal records from text, messages about damaged streams,
 * folded lists, and texts whose sizes are near the limits of the format.
 */
#include "pack.h"
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#include "cubin.h"
#include "klist.h"
#include "pack/control.h"
#include "pack/lines.h"
#include "pack/stream.h"
#include "tap.h"

static const char text[] =
	"-kernel name = k\n-kernel id = 1\n-grid dim = (2,1,1)\n-block dim = (40,1,1)\n-shmem = 0\n-nregs = 8\n"
	"-binary version = 80\n-cuda stream id = 0\n-accelsim tracer version = 5\n\n#traces format = x\n\n"
	"#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = 3\n0000 ffffffff 1 R1 MOV 0 0 0 \n"
	"0010 ffffffff 1 R2 LDG.E 1 R4 4 1 0x7f0000001000 4 0 \n0020 ffffffff 0 EXIT 0 0 0 \n\nwarp = 1\ninsts = 3\n"
	"0000 000000ff 1 R1 MOV 0 0 0 \n0010 000000a1 1 R2 LDG.E 1 R4 4 2 0x7f0000001080 40 -8 0 \n"
	"0020 000000ff 0 EXIT 0 0 0 \n\n#END_TB\n\n#BEGIN_TB\n\nthread block = 1,0,0\n\nwarp = 0\ninsts = 2\n"
	"0010 ffffffff 1 R2 LDG.E  1 R4 4 1 0x7f0000001000 4 0 \n0020 ffffffff 0 EXIT 0 0 0 \n\nwarp = 1\ninsts = 0\n\n#END_TB\n";

static bool append_to_text(void *ctx, const void *bytes, size_t n)
{
	buf_add(ctx, bytes, n);
	return true;
}

static char *stream;
static size_t n_stream;

static unsigned kept;

static void count_text_kernel(void *ctx, uint32_t kernel)
{
	(void)ctx;
	(void)kernel;
	kept++;
}

static void make_stream(void)
{
	FILE *out = open_memstream(&stream, &n_stream);
	struct pack_writer *w = pack_writer_new(out, 3, 1);

	pack_write_list(w, "kernelslist.g", "kernel-1.traceg\n", 16);
	pack_begin_kernel(w);
	pack_add_text(w, text, sizeof(text) - 1);
	pack_end_kernel(w, NULL);
	pack_on_text(w, count_text_kernel, NULL);
	pack_writer_close(w);
	is_number(kept, 0, "a regular kernel is not kept as text");
	fclose(out);
}

static void check_same_block(const struct tblock *a, const struct tblock *b)
{
	uint64_t x[32], y[32];
	bool same = a->x == b->x && a->n_warps == b->n_warps && a->n_recs == b->n_recs;

	for (uint32_t i = 0; same && i < a->n_recs; i++) {
		rec_addresses(a, &a->rec[i], x);
		rec_addresses(b, &b->rec[i], y);
		same = a->rec[i].inst == b->rec[i].inst && a->rec[i].mask == b->rec[i].mask &&
		       !memcmp(x, y, sizeof(x));
	}
	ok(same, "the records of a packed thread block equal those of its text");
	for (uint32_t w = 0; same && w < a->n_warps; w++)
		is_number((long long)b->warp[w].line, (long long)a->warp[w].line,
			"the line of a packed warp equals its line in the text");
}

static void test_records(void)
{
	struct isa *isa = isa_new();
	struct trace_options o = {.code = code_new(isa), .computes_hash = true};
	struct tblock a = {0}, b = {0};
	unsigned char h[2][16];
	struct fault f;
	struct pack *p = pack_open_memory("s", stream, n_stream, &f);
	struct trace *t = trace_open_input(input_memory("t", text, sizeof(text) - 1, &f), &o, &f);
	struct trace *u = pack_open_trace(p, 0, &o, &f);

	while (trace_next(t, &a, &f) > 0 && trace_next(u, &b, &f) > 0)
		check_same_block(&a, &b);
	is_number(trace_finish(t, &f), 0, "reading the text of a kernel ends without a fault");
	is_number(trace_finish(u, &f), 0, "reading the kernel of a stream ends without a fault");
	trace_hash(t, h[0]);
	trace_hash(u, h[1]);
	ok(!memcmp(h[0], h[1], 16), "the hash of a packed kernel equals that of its text");
	trace_close(t);
	trace_close(u);
	tblock_free(&a);
	tblock_free(&b);
	pack_close(p);
	code_free(o.code);
	isa_free(isa);
}

static void test_damage(void)
{
	unsigned noticed = 0;

	for (size_t i = 0; i < n_stream; i++) {
		struct fault f;

		stream[i] = (char)(stream[i] ^ 0x10);
		struct pack *p = pack_open_memory("s", stream, n_stream, &f);
		noticed += !p || pack_verify(p, &f) < 0;
		pack_close(p);
		stream[i] = (char)(stream[i] ^ 0x10);
		p = pack_open_memory("s", stream, i, &f);
		noticed += !p;
		pack_close(p);
	}
	is_number(noticed, (long long)(2 * n_stream),
		"every damaged byte and every truncation of a stream is found");
}

/* Returns true if a reader that does not verify the stream reports a fault, or reads the same list and text. */
static bool is_reported_or_harmless(void)
{
	struct fault f;
	struct pack *p = pack_open_memory("s", stream, n_stream, &f);
	struct buf got = {0};
	size_t n = 0;
	const char *list = p ? pack_list_text(p, &n) : NULL;
	bool good = !p || pack_pass_text(p, 0, 0, UINT64_MAX, append_to_text, &got, &f) < 0 ||
		    (n == 16 && !memcmp(list, "kernel-1.traceg\n", n) && got.n == sizeof(text) - 1 &&
			    !memcmp(got.p, text, got.n));

	buf_free(&got);
	pack_close(p);
	return good;
}

/* The version and the end of a stream are in no frame with a checksum. */
static void test_changed_bits(void)
{
	unsigned unnoticed = 0;

	for (size_t i = 0; i < 8 * n_stream; i++) {
		stream[i / 8] = (char)(stream[i / 8] ^ 1 << i % 8);
		unnoticed += !is_reported_or_harmless();
		stream[i / 8] = (char)(stream[i / 8] ^ 1 << i % 8);
	}
	is_number(unnoticed, 0, "no changed bit of a stream changes its list or its text unnoticed");
	struct fault f;
	stream[7] ^= (char)PACK_WORDED;
	struct pack *p = pack_open_memory("s", stream, n_stream, &f);
	ok(!p && !strcmp(f.id, "pack-damaged"), "the dictionary of PTX without its code lines is damage");
	pack_close(p);
	stream[7] ^= (char)PACK_WORDED;
	stream[7] = (char)((uint8_t)stream[7] ^ PACK_VALUED);
	p = pack_open_memory("s", stream, n_stream, &f);
	ok(!p && !strcmp(f.id, "pack-damaged"),
		"register values without the flag of a dictionary are damage");
	pack_close(p);
	stream[7] = (char)((uint8_t)stream[7] ^ PACK_VALUED);
}

/* ---- control codes ------------------------------------------------------------------------ */

#define CODED 300u /* instructions */

static void random_code(uint8_t *code, uint32_t n)
{
	uint32_t v = 1;

	for (uint32_t i = 0; i < 16 * n; i++) {
		v = v * 1664525 + 1013904223;
		code[i] = (uint8_t)(v >> 24);
	}
	for (uint32_t i = 0; i < n; i += 7) { /* DEPBAR.LE */
		code[16 * i] = CONTROL_DEPBAR & 255;
		code[16 * i + 1] = CONTROL_DEPBAR >> 8;
	}
}

static bool same_codes(const uint8_t *a, const uint8_t *b, uint32_t n)
{
	bool same = true;

	for (uint32_t i = 0; i < n; i++) {
		struct control_code k;
		uint8_t x[16], y[16];

		control_decode(&k, a + 16 * i);
		control_encode(&k, x);
		control_decode(&k, b + 16 * i);
		control_encode(&k, y);
		same = same && !memcmp(x, y, 16);
	}
	return same;
}

static void test_control_bytes(void)
{
	static uint8_t code[CODED][16], back[CODED][16];
	struct buf b = {0};
	unsigned cut = 0;

	random_code(code[0], CODED);
	pack_control(&b, code[0], CODED);
	is_number((long long)b.n, (long long)pack_control_size(code[0], CODED),
		"packed control codes have the size that pack_control_size() gives");
	struct cur in = cur_of(b.p, b.n);
	ok(pack_control_unpack(&in, back[0], CODED) && !cur_left(&in) && same_codes(code[0], back[0], CODED),
		"packed control codes are restored");
	for (size_t i = 0; i < b.n; i++) {
		in = cur_of(b.p, i);
		cut += !pack_control_unpack(&in, NULL, CODED);
	}
	is_number(cut, (long long)b.n, "truncated control codes are rejected");
	buf_free(&b);
}

/*
 * Tests three launches of a function for sm_80. The second is for another architecture, so it has no control
 * codes.
 */
static void test_coded_kernels(void)
{
	static uint8_t code[CODED][16];
	struct cubins *c = cubins_new(), *back = cubins_new();
	char *packed;
	size_t n_packed;
	FILE *out = open_memstream(&packed, &n_packed);
	struct pack_writer *w = pack_writer_new(out, 3, 1);
	uint32_t had[3];
	struct fault f;

	random_code(code[0], CODED);
	cubins_add_code(c, "k", 80, code[0], CODED);
	pack_set_codes(w, c);
	pack_write_list(w, "kernelslist.g", "kernel-1\nkernel-2\nkernel-3\n", 27);
	for (unsigned i = 0; i < 3; i++) {
		char *copy = strdup(text);

		if (i == 1)
			*strstr(copy, "80") = '9';
		pack_begin_kernel(w);
		pack_add_text(w, copy, strlen(copy));
		pack_end_kernel(w, NULL);
		had[i] = pack_coded_insts(w);
		free(copy);
	}
	pack_writer_close(w);
	fclose(out);
	ok(had[0] == CODED && !had[1] && had[2] == CODED,
		"the writer reports the number of control codes of each kernel");
	struct pack *p = pack_open_memory("s", packed, n_packed, &f);
	ok(p && pack_verify(p, &f) == 0 && pack_has_codes(p), "a stream with control codes is valid");
	ok(p && pack_codes(p, 1, back, &f) == 0 && pack_codes(p, 2, back, &f) == 1 &&
			cubins_count(back) == 1 && cubins_function_at(back, 0)->sm == 80 &&
			cubins_function_at(back, 0)->bytes == sizeof(code) &&
			same_codes(code[0], cubins_function_at(back, 0)->code, CODED),
		"the control codes of a second launch of a function are restored");
	pack_close(p);
	cubins_free(back);
	packed[7] = PACK_VERSION;
	p = pack_open_memory("s", packed, n_packed, &f);
	ok(!p || pack_verify(p, &f) < 0, "control codes in a stream of a version without them are damage");
	pack_close(p);
	cubins_free(c);
	free(packed);
}

static bool are_lines_restored(const char *s, struct buf *bytes)
{
	struct buf back = {0};
	size_t n = strlen(s);

	bytes->n = 0;
	bool same = lines_pack(bytes, s, s + n) && lines_unpack(&back, cur_of(bytes->p, bytes->n)) &&
		    back.n == n && !memcmp(back.p, s, n);
	buf_free(&back);
	return same;
}

static void test_code_lines(void)
{
	static const char *const usual =
		"-code 0000 ld.param.u64 D14/1\n-code 0008 ld.param.u64 D15/2 l:1,17\n-code 0018 mov.u32 D9/2 s:local\n"
		"-code 0020 setp.ge.s32 D2/1 S9/2 S14/1\n-code 0028 bra P2 l:1,9\n-code 10008 ld.v2.u8 D3 V9/2 A14/1\n"
		"-code 0000 bar.sync b:0,32\n-code 0008 ret ends\n-code 0010 ld.param.u64 D4294967295/4294967282\n";
	static const char *const odd[] = {"-code 0000 x D04/1\n", "-code 0000 x D\n", "-code 0000  x\n",
		"-code 00000 x\n", "-code 0000 x\n-file 1 = a\n", "-code 0000 x", "-code 0000 x D1/ \n",
		"-code 0000 x D99999999999/1\n", "-code 000g x\n", "-code 0000 x l:1\n", "-code\n"};
	struct buf b = {0}, back = {0}, many = {0};
	unsigned wrong = 0;
	char line[64];

	ok(are_lines_restored(usual, &b), "packed code lines are restored");
	for (size_t n = 0; n < b.n; n++) {
		back.n = 0;
		wrong += lines_unpack(&back, cur_of(b.p, n));
	}
	ok(!wrong, "none of %zu truncations of packed code lines is accepted", b.n);
	for (size_t at = 0; at < 8 * b.n; at++) { /* checks only that nothing crashes */
		b.p[at / 8] ^= (uint8_t)(1u << at % 8);
		back.n = 0;
		lines_unpack(&back, cur_of(b.p, b.n));
		b.p[at / 8] ^= (uint8_t)(1u << at % 8);
	}
	for (unsigned i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		ok(!are_lines_restored(odd[i], &b), "a code line in an unusual form is not packed: case %u",
			i);
	for (unsigned i = 0; i < 1000; i++)
		buf_add(&many, line,
			(size_t)snprintf(line, sizeof(line), "-code %04x add.f32 D%u/%u S%u/%u S7/3\n", 8 * i,
				i + 9, i + 5, i + 8, i + 4));
	buf_byte(&many, '\0');
	ok(are_lines_restored((char *)many.p, &b) && b.n < 5000,
		"a thousand code lines of three registers take less than 5000 bytes");
	buf_free(&b);
	buf_free(&back);
	buf_free(&many);
}

static void test_folded_lists(void)
{
	static const char list[] = "kernel-9.traceg\nkernel-10.traceg\nkernel-11.traceg\n\x01x\n\x02y\nlast";
	struct buf in = {0}, out = {0};

	stream_fold_list(&in, list, sizeof(list) - 1);
	ok(in.n < sizeof(list) - 30, "consecutive names of a folded list take a byte each");
	ok(stream_unfold_list(&out, cur_of(in.p, in.n)) && out.n == sizeof(list) - 1 &&
			!memcmp(out.p, list, out.n),
		"a folded list is restored");
	buf_free(&in);
	buf_free(&out);
}

/* ---- limits ------------------------------------------------------------------------------- */

/* Packs n kernels with the text t. Returns true if unpacking the stream gives the same texts. */
static bool is_text_restored(const struct buf *t, unsigned n)
{
	char *packed;
	size_t n_packed, len;
	FILE *out = open_memstream(&packed, &n_packed);
	struct pack_writer *w = pack_writer_new(out, 1, 1);
	struct buf list = {0}, back = {0};
	struct fault f;
	bool good = true;

	for (unsigned i = 0; i < n; i++) {
		char name[32];

		buf_add(&list, name, (size_t)snprintf(name, sizeof(name), "kernel-%u\n", i));
	}
	pack_write_list(w, "kernelslist.g", (const char *)list.p, list.n);
	for (unsigned i = 0; i < n; i++) {
		pack_begin_kernel(w);
		pack_add_text(w, t->p, t->n);
		pack_end_kernel(w, NULL);
	}
	pack_writer_close(w);
	fclose(out);
	struct pack *p = pack_open_memory("s", packed, n_packed, &f);
	good = p && pack_verify(p, &f) == 0 && pack_kernels(p) == n;
	if (!good)
		printf("# %s\n", f.text);
	for (unsigned i = 0; good && i < n; i++) {
		back.n = 0;
		good = pack_pass_text(p, i, 0, UINT64_MAX, append_to_text, &back, &f) == 0 &&
		       back.n == t->n && !memcmp(back.p, t->p, t->n);
	}
	good = good && !memcmp(pack_list_text(p, &len), list.p, list.n) && len == list.n;
	pack_close(p);
	free(packed);
	buf_free(&list);
	buf_free(&back);
	return good;
}

/* The sizes of a kernel; a test varies one of them. */
struct sizes {
	uint32_t opcode, registers, width, line, extra, warps, insts, statics, threads;
};

static void append_formatted(struct buf *b, const char *fmt, unsigned long long v)
{
	char t[200];

	buf_add(b, t, (size_t)snprintf(t, sizeof(t), fmt, v));
}

static void append_repeated(struct buf *b, char c, size_t n)
{
	while (n--)
		buf_byte(b, (uint8_t)c);
}

static void add_inst(struct buf *b, const struct sizes *s, uint32_t pc)
{
	size_t from = b->n;

	append_formatted(b, "%04llx ffffffff ", pc);
	append_formatted(b, "%llu", s->registers);
	for (uint32_t i = 0; i < s->registers; i++)
		append_formatted(b, " R%llu", i);
	buf_byte(b, ' ');
	append_repeated(b, 'A', s->opcode);
	append_formatted(b, " 0 %llu", s->width);
	if (s->width)
		append_formatted(b, " 1 0x%llx 4", pc);
	append_formatted(b, " 0 ", 0);
	if (b->n - from < s->line) {
		buf_byte(b, 'V');
		append_repeated(b, 'x', s->line - (b->n - from));
	}
	buf_byte(b, '\n');
}

static void append_sized_kernel(struct buf *b, const struct sizes *s)
{
	b->n = 0;
	append_formatted(b, "-grid dim = (2,1,1)\n-block dim = (%llu,1,1)\n#x\n\n", s->threads);
	for (unsigned tb = 0; tb < 2; tb++) {
		append_formatted(b, &"\n#BEGIN_TB\n\nthread block = %llu,0,0\n"[!tb], tb);
		for (uint32_t left = s->extra; left; left -= left > 100 ? 100 : left) {
			buf_add(b, "cluster ", 8);
			append_repeated(b, 'e', left > 100 ? 91 : left > 9 ? left - 9 : 0);
			buf_byte(b, '\n');
		}
		buf_byte(b, '\n');
		for (uint32_t w = 0; w < s->warps; w++) {
			append_formatted(b, "warp = %llu\n", w);
			append_formatted(b, "insts = %llu\n", s->insts);
			for (uint32_t i = 0; i < s->insts; i++)
				add_inst(b, s, 16 * (i % s->statics));
			buf_byte(b, '\n');
		}
		buf_add(b, "#END_TB\n", 8);
	}
}

/*
 * Tests sizes near a limit; `field` is the offset of the size in struct sizes. If `less` is not 0, the limit
 * is first lowered to `less`.
 */
static void check_sizes_near(const char *name, uint32_t *limit, uint32_t less, size_t field, uint32_t reach)
{
	const uint32_t was = *limit;
	struct buf big = {0};
	bool good = true;

	if (less)
		*limit = less;
	for (uint32_t d = 0; d <= 2 * reach && good; d++) {
		struct sizes s = {.opcode = 4,
			.registers = 2,
			.extra = 0,
			.warps = 2,
			.insts = 40,
			.statics = 40,
			.threads = 64};

		memcpy((char *)&s + field, &(uint32_t){*limit - reach + d}, sizeof(uint32_t));
		s.insts = s.insts > s.statics ? s.insts : s.statics;
		append_sized_kernel(&big, &s);
		good = is_text_restored(&big, 1);
	}
	ok(good, "texts with sizes near the limit \"%s\" are restored", name);
	*limit = was;
	buf_free(&big);
}

static void test_irregular_text(void)
{
	static const uint32_t columns[] = {1u << 15, 40000, 1u << 16};
	const struct pack_limits was = pack_limits;
	struct buf big = {0};

	for (unsigned i = 0; i < 3; i++) {
		bool good = true;

		pack_limits.columns = columns[i];
		for (size_t n = columns[i] / 2 - 4; n <= columns[i] / 2 + 4 && good; n++) {
			big.n = 0;
			for (size_t k = 0; k < n; k++)
				buf_byte(&big, (uint8_t)(33 + (k * k ^ k >> 3) % 90));
			good = is_text_restored(&big, 3);
			append_repeated(&big, 'z', n);
			good &= is_text_restored(&big, 2);
		}
		ok(good, "irregular text near half of the columns of a block is restored");
	}
	pack_limits = was;
	pack_limits.pieces = 5;
	big.n = 0;
	append_formatted(&big, "hello %llu\n", 1);
	ok(is_text_restored(&big, 4) && is_text_restored(&big, 5) && is_text_restored(&big, 11),
		"kernels are restored if they outnumber the pieces of a block");
	pack_limits = was;
	ok(is_text_restored(&big, 100000), "a hundred thousand kernels are restored");
	buf_free(&big);
}

static void test_size_limits(void)
{
	struct pack_limits *l = &pack_limits;

#define AROUND(limit, less, field, reach) \
	check_sizes_near(#limit, &l->limit, less, offsetof(struct sizes, field), reach)
	AROUND(opcode, 0, opcode, 2);
	AROUND(registers, 0, registers, 2);
	AROUND(width, 0, width, 2);
	AROUND(line, 0, line, 2);
	AROUND(line, 200, line, 6);
	AROUND(extra, 0, extra, 2);
	AROUND(extra, 300, extra, 3);
	AROUND(warps, 0, warps, 2);
	AROUND(statics, 100, statics, 3);
	AROUND(text, 1000, statics, 0);
	AROUND(text, 20000, opcode, 0);
	AROUND(threads, 0, threads, 2);

	AROUND(insts, SPAN_INSTS + 60, insts, 0);
	l->insts = SPAN_INSTS + 60;
	struct buf big = {0};
	bool good = true;
	for (uint32_t n = 28; n < 34; n++) {
		append_sized_kernel(&big,
			&(struct sizes){.opcode = 3, .warps = 2, .insts = n, .statics = 9, .threads = 64});
		good &= is_text_restored(&big, 1);
	}
	ok(good, "thread blocks with sizes near the limit of a span are restored");
	l->insts = 1u << 26;
	buf_free(&big);
	test_irregular_text();
	ok(pack_list_fits(l->list) && !pack_list_fits(l->list + 1u),
		"a list longer than the limit does not fit");
}

/* ---- many lists --------------------------------------------------------------------------- */

#define LISTS 200

/* Tests many open lists, each with its own stream. A kernel of each list must be readable. */
static void test_many_lists(void)
{
	static struct klist list[LISTS];
	struct isa *isa = isa_new();
	struct trace_options o = {.code = code_new(isa)};
	struct tblock b = {0};
	struct fault f;
	char path[] = "/tmp/test_pack.XXXXXX";
	int fd = mkstemp(path), good = 0;

	if (fd < 0 || write(fd, stream, n_stream) != (ssize_t)n_stream || close(fd))
		die_errno("%s", path);
	for (unsigned i = 0; i < LISTS; i++)
		if (klist_read(&list[i], path, &f))
			die_fault(&f);
	for (unsigned i = 0; i < LISTS; i++) {
		struct trace *t = klist_open(&list[i], 0, &o, &f);

		if (!t)
			die_fault(&f);
		good += trace_next(t, &b, &f) == 1 && b.n_recs == 6;
		trace_close(t);
	}
	is_number(good, LISTS, "each of 200 open packed lists gives its kernel");
	for (unsigned i = 0; i < LISTS; i++)
		klist_free(&list[i]);
	unlink(path);
	tblock_free(&b);
	code_free(o.code);
	isa_free(isa);
}

int main(void)
{
	diag_init("test_pack");
	make_stream();
	test_records();
	test_damage();
	test_changed_bits();
	test_control_bytes();
	test_coded_kernels();
	test_code_lines();
	test_folded_lists();
	test_size_limits();
	test_many_lists();
	free(stream);
	return tap_done();
}
