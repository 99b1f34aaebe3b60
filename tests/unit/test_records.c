/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of kernels that are packed from records. Unpacking the stream must give the text that the
 * records represent, which this file writes separately. This must hold at each level, with any number of
 * threads, and for blocks larger than the maximum part. The code is PTX or machine code. Lines of machine
 * code have constant texts around the mask and the addresses, which the packer gets as text or as columns.
 */
#include "pack.h"
#include "bits.h"
#include "pack/limits.h"
#include "pack/buf.h"
#include "records_fixture.h"
#include "tap.h"

static unsigned n_warps;      /* number of warps */
static unsigned n_good;       /* number of warps that pack_warp_good() accepts */
static unsigned n_short;      /* number of warps that lack their last word or payload */
static unsigned n_short_good; /* number of these that pack_warp_good() accepts */

/* Counts the warp, and the warps that lack its last word or its last payload, by the result of pack_warp_good(). */
static void count_good(const struct pack_writer *w, const struct pack_warp *warp)
{
	struct pack_warp lacks_word = *warp, lacks_payload = *warp;

	n_warps++;
	n_good += pack_warp_good(w, warp);
	if (warp->n_words) {
		lacks_word.n_words--;
		n_short++;
		n_short_good += pack_warp_good(w, &lacks_word);
	}
	if (warp->n_payloads) {
		lacks_payload.n_payloads--;
		n_short++;
		n_short_good += pack_warp_good(w, &lacks_payload);
	}
}

static void make_block(struct pack_writer *w, uint32_t b, uint32_t most)
{
	const uint32_t id[3] = {b % 5, b / 5, 0};
	struct pack_warp warp[WARPS];

	const char *lines = machine_code && b % 2 ? "cluster id = 0,0,0\ncluster rank = 1\n" : "";

	append_format(&kernel_text, "%s#BEGIN_TB\n\nthread block = %u,%u,0\n%s", "\n", id[0], id[1], lines);
	for (uint32_t i = 0; i < WARPS; i++) {
		const bool follows = regular && !predictable && b && random_below(5);
		uint32_t n = follows ? count_insts(&warp_form[i]) : predictable ? most : random_below(most);

		address_offset = i * 256 + (uint64_t)b * 1024;

		append_format(&kernel_text, "\nwarp = %u\ninsts = %u\n", i, n);
		if (follows)
			make_follower(&warp_form[i]);
		else
			make_warp(&warp_form[i], n);
		warp[i] = (struct pack_warp){warp_form[i].run, warp_form[i].payload, warp_form[i].word,
			(const char *)warp_form[i].texts.p, warp_form[i].n_runs, warp_form[i].n_payloads,
			warp_form[i].n_words, warp_form[i].texts.n};
	}
	append_format(&kernel_text, "\n#END_TB\n");
	for (uint32_t i = 0; i < WARPS; i++)
		count_good(w, &warp[i]);
	pack_block(w, id, lines, warp, WARPS);
}

static bool append_to_buf(void *ctx, const void *bytes, size_t n)
{
	buf_add(ctx, bytes, n);
	return true;
}

/* Returns true if both kernels of the stream have the expected text. */
static bool has_wanted_kernels(struct pack *p, const struct buf want[2])
{
	struct buf got = {0};
	struct fault f;
	bool good = p && pack_kernels(p) == 2;

	for (uint32_t k = 0; good && k < 2; k++) {
		struct pack_kernel about = {0};

		got.n = 0;
		good = pack_kernel(p, k, &about, &f) == 0 && about.text == want[k].n &&
		       about.blocks <= BLOCKS &&
		       pack_pass_text(p, k, 0, UINT64_MAX, append_to_buf, &got, &f) == 0 &&
		       got.n == want[k].n && !memcmp(got.p, want[k].p, got.n);
		free(about.name);
	}
	buf_free(&got);
	return good;
}

/* Returns true if the stream is unpacked correctly when it is read in order. */
static bool is_restored_in_order(const char *stream, size_t n, const struct buf want[2])
{
	struct fault f;
	struct pack *p = pack_open_forward(input_memory("s", stream, n, &f), &f);
	struct buf got = {0};
	bool good = p && pack_kernels(p) == 2;

	for (uint32_t k = 0; good && k < 2; k++) {
		got.n = 0;
		good = pack_pass_text(p, k, 0, UINT64_MAX, append_to_buf, &got, &f) == 0 &&
		       got.n == want[k].n && !memcmp(got.p, want[k].p, got.n);
	}
	pack_close(p);
	buf_free(&got);
	return good;
}

static bool repeated;   /* true if the second kernel repeats the first */
static bool list_last;  /* true if the writer gets the list after the kernels */
static struct buf last; /* stream that was written last */

static bool are_kernels_restored(uint32_t most, int level, unsigned threads)
{
	static const char list[] = "kernel-1.traceg\nkernel-2.traceg\n";
	char *stream;
	size_t n;
	FILE *out = open_memstream(&stream, &n);
	struct pack_writer *w = pack_writer_new(out, level, threads);
	struct buf want[2] = {0};
	struct fault f;
	bool good = true;

	if (list_last)
		pack_list_last(w);
	else
		pack_write_list(w, "kernelslist.g", list, 32);
	for (unsigned k = 0; k < 2; k++) {
		const char *head = machine_code ? machine_header : header;

		make_static_code();
		seed = repeated ? 5 : seed;
		kernel_text = (struct buf){0};
		buf_add(&kernel_text, head, strlen(head));
		pack_begin_kernel(w);
		pack_begin_records(w, head, strlen(head), &code);
		for (uint32_t b = 0; b < BLOCKS; b++)
			make_block(w, b, most);
		pack_end_kernel(w, NULL);
		want[k] = kernel_text;
	}
	if (list_last)
		pack_write_list(w, "kernelslist.g", list, 32);
	pack_writer_close(w);
	fclose(out);
	last.n = 0;
	buf_add(&last, stream, n);
	struct pack *p = pack_open_memory("s", stream, n, &f);
	good = p && pack_verify(p, &f) == 0;
	good = good && has_wanted_kernels(p, want) && is_restored_in_order(stream, n, want);
	pack_close(p);
	for (unsigned k = 0; k < 2; k++)
		buf_free(&want[k]);
	free(stream);
	return good;
}

/* Tests that kernels with equal records are stored once, even with several pieces. */
static void test_repetitions(void)
{
	const struct pack_limits was = pack_limits;

	for (unsigned i = 0; i < 2; i++) {
		seed = 5;
		repeated = false;
		ok(are_kernels_restored(300, PACK_FAST, 1), "two different kernels are restored");
		size_t both = last.n;

		repeated = true;
		ok(are_kernels_restored(300, PACK_FAST, 1), "a kernel and its repetition are restored");
		ok(last.n < both * 3 / 5, "a repeated kernel takes few bytes: %zu for two, else %zu", last.n,
			both);
		struct buf one = {0};
		buf_add(&one, last.p, last.n);
		ok(are_kernels_restored(300, PACK_FAST, 3) && last.n == one.n &&
				!memcmp(last.p, one.p, one.n),
			"several threads write a repetition with the same bytes");
		buf_free(&one);
		pack_limits.columns = 1u << 21;
	}
	pack_limits = was;
	repeated = false;
}

/* Writes two kernels, the second of which does not end, and gives up the stream. Returns true if it cannot be read. */
static bool is_discarded_stream_incomplete(uint32_t most, unsigned threads)
{
	char *stream;
	size_t n;
	FILE *out = open_memstream(&stream, &n);
	struct pack_writer *w = pack_writer_new(out, PACK_FAST, threads);
	struct fault f;

	if (list_last)
		pack_list_last(w);
	else
		pack_write_list(w, "kernelslist.g", "kernel-1.traceg\n", 16);
	for (unsigned k = 0; k < 2; k++) {
		make_static_code();
		kernel_text = (struct buf){0};
		pack_begin_kernel(w);
		pack_begin_records(w, header, strlen(header), &code);
		for (uint32_t b = 0; b < BLOCKS / (1 + k); b++)
			make_block(w, b, most);
		if (k == 0)
			pack_end_kernel(w, NULL);
		buf_free(&kernel_text);
	}
	pack_writer_discard(w);
	fclose(out);
	struct pack *p = pack_open_memory("s", stream, n, &f);
	if (p)
		pack_close(p);
	free(stream);
	return !p;
}

/* Tests writers that are given up in a kernel. A sanitizer finds memory that they leave. */
static void test_discarded_streams(void)
{
	const struct pack_limits was = pack_limits;

	for (unsigned i = 0; i < 8; i++) {
		list_last = i & 1;
		pack_limits.columns = i & 2 ? 1u << 16 : was.columns;
		ok(is_discarded_stream_incomplete(300, i & 4 ? 3 : 1),
			"a stream that is given up in a kernel has no end: %s%s%s",
			list_last ? "list last" : "list first", i & 2 ? ", several blocks" : "",
			i & 4 ? ", threads" : "");
	}
	list_last = false;
	pack_limits = was;
}

/*
 * Tests streams that end with their list. With one block, they are equal to other streams. With several
 * blocks, they can be read in the same way as other streams.
 */
static void test_late_lists(void)
{
	const struct pack_limits was = pack_limits;
	struct buf early = {0};

	seed = 7;
	ok(are_kernels_restored(40, PACK_FAST, 1), "a stream of one block is restored");
	buf_add(&early, last.p, last.n);
	list_last = true;
	seed = 7;
	ok(are_kernels_restored(40, PACK_FAST, 1) && last.n == early.n && !memcmp(last.p, early.p, early.n),
		"a stream of one block has the same bytes if its list is written last");
	for (uint32_t columns = 1u << 15; columns <= 1u << 19; columns *= 4) {
		pack_limits.columns = columns;
		ok(are_kernels_restored(400, 1, 1),
			"blocks before the list of the stream are restored: %u columns", columns);
	}
	seed = 9;
	ok(are_kernels_restored(400, 1, 1), "blocks before the list of the stream are restored");
	early.n = 0;
	buf_add(&early, last.p, last.n);
	seed = 9;
	ok(are_kernels_restored(400, 1, 3) && last.n == early.n && !memcmp(last.p, early.p, early.n),
		"several threads write a stream that ends with its list with the same bytes");
	pack_limits = was;
	list_last = false;
	buf_free(&early);
}

/* Tests n streams, PTX and machine code in turn, at all levels. Warps of stream i have at most most + i * step lines. */
static void test_levels(const char *what, unsigned n, uint32_t most, uint32_t step)
{
	static const int level[] = {PACK_FAST, PACK_DEFAULT, PACK_BEST};

	for (unsigned i = 0; i < n; i++) {
		machine_code = i % 2;
		ok(are_kernels_restored(most + i * step, level[i / 2 % 3], 1),
			"%s of %s are restored at level %d", what, machine_code ? "machine code" : "PTX",
			level[i / 2 % 3]);
	}
}

int main(void)
{
	const struct pack_limits was = pack_limits;

	diag_init("test_records");
	test_levels("records", 6, 300, 0);
	test_levels("records", 6, 3, 0);
	regular = true;
	test_levels("warps that follow others", 6, 50, 0);
	test_levels("warps that follow others", 6, 8, 0);
	steady = true;
	test_levels("warps with long addresses that follow others", 20, 8, 0);
	test_levels("warps with long addresses that follow others", 20, 3, 0);
	predictable = true;
	test_levels("warps with predictable addresses", 40, 5, 1);
	predictable = steady = regular = false;
	machine_code = false;
	ok(are_kernels_restored(400, 1, 3), "records that several threads pack are restored");
	for (uint32_t columns = 1u << 15; columns <= 1u << 21; columns *= 2) {
		pack_limits = was;
		pack_limits.columns = columns;
		ok(are_kernels_restored(400, 1, 1), "blocks of at most %u bytes of columns are restored",
			columns);
	}
	pack_limits = was;
	pack_limits.insts = (1u << 15) + 500;
	ok(are_kernels_restored(400, 1, 1), "thread blocks above the limit of instructions are restored");
	pack_limits = was;
	pack_limits.statics = INSTS;
	ok(are_kernels_restored(100, 1, 1), "records are restored if static instructions exceed their limit");
	pack_limits = was;
	test_late_lists();
	test_repetitions();
	test_discarded_streams();
	ok(n_warps && n_good == n_warps, "all %u warps are good, %u were found so", n_warps, n_good);
	ok(n_short && !n_short_good, "%u warps that lack a word or a payload are not good, %u were found so",
		n_short, n_short_good);
	buf_free(&last);
	for (uint32_t i = 0; i < WARPS; i++)
		buf_free(&warp_form[i].texts);
	return tap_done();
}
