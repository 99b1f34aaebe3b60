/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packed streams: records of columns against records of text, what a damaged stream says, folded lists.
 */
#include "pack.h"
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

static char *stream;
static size_t n_stream;

static unsigned kept;

static void text_kernel(void *ctx, uint32_t kernel)
{
	(void)ctx;
	(void)kernel;
	kept++;
}

static void make(void)
{
	FILE *out = open_memstream(&stream, &n_stream);
	struct pack_writer *w = pack_writer_new(out, 3, 1);

	pack_put_list(w, "kernelslist.g", "kernel-1.traceg\n", 16);
	pack_begin(w);
	pack_feed(w, text, sizeof(text) - 1);
	pack_end(w);
	pack_on_text(w, text_kernel, NULL);
	pack_writer_close(w);
	is_number(kept, 0, "a regular kernel is not kept as text");
	fclose(out);
}

static void same_block(const struct tblock *a, const struct tblock *b)
{
	uint64_t x[32], y[32];
	bool same = a->x == b->x && a->n_warps == b->n_warps && a->n_recs == b->n_recs;

	for (uint32_t i = 0; same && i < a->n_recs; i++) {
		rec_addresses(a, &a->rec[i], x);
		rec_addresses(b, &b->rec[i], y);
		same = a->rec[i].inst == b->rec[i].inst && a->rec[i].mask == b->rec[i].mask &&
		       !memcmp(x, y, sizeof(x));
	}
	ok(same, "the records of a thread block are those of its text");
	for (uint32_t w = 0; same && w < a->n_warps; w++)
		is_number((long long)b->warp[w].line, (long long)a->warp[w].line, "and so is a warp's line");
}

static void records(void)
{
	struct isa *isa = isa_new();
	struct trace_options o = {.code = code_new(isa), .hash = true};
	struct tblock a = {0}, b = {0};
	unsigned char h[2][16];
	struct fault f;
	struct pack *p = pack_memory("s", stream, n_stream, &f);
	struct trace *t = trace_over(input_memory("t", text, sizeof(text) - 1, &f), &o, &f);
	struct trace *u = pack_trace(p, 0, &o, &f);

	while (trace_next(t, &a, &f) > 0 && trace_next(u, &b, &f) > 0)
		same_block(&a, &b);
	is_number(trace_finish(t, &f), 0, "the text ends well");
	is_number(trace_finish(u, &f), 0, "the stream ends well");
	trace_hash(t, h[0]);
	trace_hash(u, h[1]);
	ok(!memcmp(h[0], h[1], 16), "the hash is that of the text");
	trace_close(t);
	trace_close(u);
	tblock_free(&a);
	tblock_free(&b);
	pack_close(p);
	code_free(o.code);
	isa_free(isa);
}

static void damage(void)
{
	unsigned noticed = 0;

	for (size_t i = 0; i < n_stream; i++) {
		struct fault f;

		stream[i] = (char)(stream[i] ^ 0x10);
		struct pack *p = pack_memory("s", stream, n_stream, &f);
		noticed += !p || pack_verify(p, &f) < 0;
		pack_close(p);
		stream[i] = (char)(stream[i] ^ 0x10);
		p = pack_memory("s", stream, i, &f);
		noticed += !p;
		pack_close(p);
	}
	is_number(noticed, (long long)(2 * n_stream), "every flipped byte and every cut is noticed");
}

static void lists(void)
{
	static const char list[] = "kernel-9.traceg\nkernel-10.traceg\nkernel-11.traceg\n\x01x\n\x02y\nlast";
	struct buf in = {0}, out = {0};

	list_fold(&in, list, sizeof(list) - 1);
	ok(in.n < sizeof(list) - 30, "lines in sequence take a byte each");
	ok(list_unfold(&out, cur_of(in.p, in.n)) && out.n == sizeof(list) - 1 && !memcmp(out.p, list, out.n),
		"a folded list comes back");
	buf_free(&in);
	buf_free(&out);
}

int main(void)
{
	diag_init("test_pack");
	make();
	records();
	damage();
	lists();
	free(stream);
	return tap_done();
}
