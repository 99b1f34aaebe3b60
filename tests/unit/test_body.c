/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of packed kernels that refer to earlier kernels: patches, the predicted order, headers without
 * kernel numbers, streams of repeated kernels from memory and from a pipe, dropped bodies, memory areas,
 * damage.
 */
#include <stdlib.h>
#include "input.h"
#include "pack.h"
#include "pack/areas.h"
#include "pack/body.h"
#include "pack/share.h"
#include "tap.h"

static uint32_t body_seed = 1;

static uint32_t random_below(uint32_t n)
{
	body_seed = body_seed * 1664525 + 1013904223;
	return (body_seed >> 8) % n;
}

/* ---- patches ------------------------------------------------------------------------------ */

static void change_bytes(struct buf *to, const struct buf *from, unsigned changes)
{
	size_t at = 0;

	to->n = 0;
	for (unsigned i = 0; i < changes && at < from->n; i++) {
		size_t n = random_below((uint32_t)(from->n - at) + 1);

		buf_add(to, from->p + at, n);
		at += n;
		for (unsigned k = random_below(20); k; k--)
			buf_byte(to, (uint8_t)random_below(256));
		at += random_below(20);
	}
	if (at < from->n)
		buf_add(to, from->p + at, from->n - at);
}

static bool is_patch_exact(const struct buf *a, const struct buf *b, struct patch *p)
{
	struct buf restored = {0};
	bool good = patch_make(p, a, b, SIZE_MAX) && patch_apply(&restored, p, a->p, a->n) &&
		    restored.n == b->n && (!b->n || !memcmp(restored.p, b->p, b->n));

	buf_free(&restored);
	return good;
}

static void test_patches(void)
{
	struct buf a = {0}, b = {0}, out = {0};
	struct patch p, q;
	unsigned good = 0, accepted = 0;

	for (unsigned i = 0; i < 500; i++) {
		a.n = 0;
		for (unsigned n = random_below(3000); n; n--)
			buf_byte(&a, (uint8_t)random_below(1 + i % 256));
		change_bytes(&b, &a, random_below(6));
		good += is_patch_exact(&a, &b, &p);
		patch_free(&p);
	}
	is_number(good, 500, "applying a patch restores the changed string");
	change_bytes(&b, &a, 1);
	ok(!patch_make(&p, &a, &b, 0) || b.n == a.n, "a patch longer than the limit is rejected");
	patch_free(&p);
	change_bytes(&b, &a, 9);
	is_patch_exact(&a, &b, &p);
	for (size_t n = 0; n < p.ops.n; n++) {
		struct cur ops = cur_of(p.ops.p, n), fresh = cur_of(p.fresh.p, p.fresh.n);

		accepted += patch_read(&ops, &fresh, NULL);
	}
	is_number(accepted, 0, "a truncated patch is rejected");
	for (size_t n = 0; n < 8 * p.ops.n; n++) { /* checks only that damaged operations do not crash */
		p.ops.p[n / 8] ^= (uint8_t)(1u << n % 8);
		out.n = 0;
		patch_apply(&out, &p, a.p, a.n);
		p.ops.p[n / 8] ^= (uint8_t)(1u << n % 8);
	}
	q = (struct patch){.ops = {0}};
	struct cur ops = cur_of(p.ops.p, p.ops.n), fresh = cur_of(p.fresh.p, p.fresh.n);
	ok(patch_read(&ops, &fresh, &q) && q.ops.n == p.ops.n && q.fresh.n == p.fresh.n && !cur_left(&ops),
		"reading a patch from its columns yields all of its bytes");
	patch_free(&p);
	patch_free(&q);
	buf_free(&a);
	buf_free(&b);
	buf_free(&out);
}

/* ---- order -------------------------------------------------------------------------------- */

static void test_body_order(void)
{
	struct body_order o = {.n = 0};
	unsigned missed = 0;

	/*
	 * Tests 20 bodies that repeat in the same order. Every seventh body is replaced by a new one, and
	 * some bodies are skipped.
	 */
	for (uint32_t i = 0, at = 0; i < 2000; i++, at++) {
		uint32_t body = i % 7 == 6 ? 1000 + i : at % 20;

		missed += i > 60 && i % 7 != 6 && order_predict(&o) != body;
		order_add(&o, body, i % 7 == 6);
		at += i % 100 == 99;
	}
	ok(missed <= 100, "the order of bodies with exceptions is predicted with %u misses", missed);
	order_free(&o);
}

/* ---- headers ------------------------------------------------------------------------------ */

static bool has_header_numbers(const char *s, uint64_t id, uint64_t stream)
{
	struct header_state h = {7, 8};
	struct buf b = {0};
	bool good = header_strip(&b, &h, s, strlen(s)) && h.id == id && h.stream == stream;

	buf_free(&b);
	return good;
}

static void test_header_numbers(void)
{
	ok(has_header_numbers("-kernel name = a\n-kernel id = 12\n-cuda stream id = 3\n", 12, 3),
		"the kernel and stream numbers of a header are read if the kernel is first");
	ok(has_header_numbers("-cuda stream id = 3\n-x\n-kernel id = 0\n", 0, 3),
		"the kernel and stream numbers of a header are read if the stream is first");
	ok(has_header_numbers("-kernel id = 5", 5, 8) && has_header_numbers("", 7, 8),
		"a header without a number leaves the expected number unchanged");
	ok(!has_header_numbers("-kernel id = 05\n", 5, 8) && !has_header_numbers("-kernel id = \n", 0, 8) &&
			!has_header_numbers("-kernel id = 99999999999999999999\n", 0, 8),
		"a header number with leading zeros, no digits or overflow is not stripped");
}

/* ---- streams ------------------------------------------------------------------------------ */

#define KERNELS 300u

/* Appends the text of kernel i: one of three programs; some kernels have another address, grid or stream. */
static void append_kernel_text(struct buf *b, unsigned i)
{
	unsigned kind = i % 3, moved = i % 11 == 5 ? i : 0, blocks = 2 + (i % 23 == 7);
	char t[600];

	b->n = 0;
#define P(...) buf_add(b, t, (size_t)snprintf(t, sizeof(t), __VA_ARGS__))
	P("-kernel name = kernel_%u\n-kernel id = %u\n-grid dim = (%u,1,1)\n-block dim = (64,1,1)\n-shmem = 0\n"
	  "-nregs = 8\n-binary version = 80\n-cuda stream id = %u\n-accelsim tracer version = 5\n\n#traces format = x\n\n",
		kind, i + 1 + i / 100, blocks, i % 50 == 49);
	for (unsigned tb = 0; tb < blocks; tb++) {
		P("%s#BEGIN_TB\n\nthread block = %u,0,0\n", tb ? "\n" : "", tb);
		for (unsigned w = 0; w < 2; w++) {
			P("\nwarp = %u\ninsts = 22\n", w);
			for (unsigned k = 0; k < 20; k++)
				P("%04x ffffffff 1 R%u IADD3 2 R%u R%u 0 0 \n", 16 * k, k, kind + k, 2 * k);
			P("0140 ffffffff 1 R2 LDG.E 1 R4 4 1 0x%llx 4 0 \n0150 ffffffff 0 EXIT 0 0 0 \n",
				0x7f0000001000ull + 512 * moved + 128 * w);
		}
		P("\n#END_TB\n");
	}
#undef P
}

static char *body_stream;
static size_t n_body_stream;

static void write_stream(unsigned threads)
{
	FILE *out = open_memstream(&body_stream, &n_body_stream);
	struct pack_writer *w = pack_writer_new(out, 3, threads);
	struct buf list = {0}, b = {0};
	char t[32];

	for (unsigned i = 0; i < KERNELS; i++)
		buf_add(&list, t, (size_t)snprintf(t, sizeof(t), "kernel-%u\n", i + 1));
	pack_write_list(w, "kernelslist.g", (char *)list.p, list.n);
	for (unsigned i = 0; i < KERNELS; i++) {
		append_kernel_text(&b, i);
		pack_begin_kernel(w);
		pack_add_text(w, b.p, b.n);
		pack_end_kernel(w, NULL);
	}
	pack_writer_close(w);
	fclose(out);
	buf_free(&list);
	buf_free(&b);
}

static bool append_bytes(void *ctx, const void *bytes, size_t n)
{
	buf_add(ctx, bytes, n);
	return true;
}

/*
 * Returns the number of kernels that the stream returns unchanged. The kernels are read in steps of `step`,
 * which is 1 for reading in order.
 */
static unsigned count_equal_kernels(struct pack *p, unsigned step)
{
	struct buf want = {0}, is = {0};
	unsigned good = 0;
	struct fault f;

	for (unsigned i = 0, at = 0; p && i < KERNELS; i++, at = (at + step) % KERNELS) {
		append_kernel_text(&want, at);
		is.n = 0;
		good += pack_pass_text(p, at, 0, UINT64_MAX, append_bytes, &is, &f) == 0 && is.n == want.n &&
			!memcmp(is.p, want.p, is.n);
	}
	buf_free(&want);
	buf_free(&is);
	return good;
}

static struct pack *open_piped_stream(struct fault *f)
{
	return pack_open_forward(input_memory("s", body_stream, n_body_stream, f), f);
}

static void test_repeated_streams(void)
{
	struct fault f;
	char *first;
	size_t n;

	write_stream(3);
	first = body_stream;
	n = n_body_stream;
	write_stream(1);
	ok(n == n_body_stream && !memcmp(first, body_stream, n),
		"a stream written by one thread and by three threads has the same bytes");
	free(first);
	ok(n_body_stream < 8 * KERNELS, "a stream of %u similar kernels takes few bytes: %zu", KERNELS,
		n_body_stream);
	ok(((uint8_t)body_stream[7] - PACK_VERSION) & PACK_SHARED,
		"the version byte of a stream with repeated kernels has PACK_SHARED set");
	struct pack *p = pack_open_memory("s", body_stream, n_body_stream, &f);
	is_number(count_equal_kernels(p, 1), KERNELS, "kernels read in order from a stream are restored");
	is_number(count_equal_kernels(p, 7), KERNELS,
		"kernels read in another order from a stream are restored");
	is_number(pack_verify(p, &f), 0, "pack_verify() accepts a stream of repeated kernels");
	pack_close(p);
	p = open_piped_stream(&f);
	is_number(count_equal_kernels(p, 1), KERNELS, "kernels read from a piped stream are restored");
	pack_close(p);
}

/*
 * Tests a stream of many blocks: the body of a kernel is in an earlier block, and the root of this body is in
 * a still earlier block.
 */
static void test_many_blocks(void)
{
	const struct pack_limits was = pack_limits;
	struct fault f;

	free(body_stream);
	pack_limits.pieces = 16;
	write_stream(2);
	struct pack *p = pack_open_memory("s", body_stream, n_body_stream, &f);
	is_number(count_equal_kernels(p, 37), KERNELS,
		"kernels read from a stream of many blocks are restored");
	is_number(pack_verify(p, &f), 0, "pack_verify() accepts a stream of many blocks");
	pack_close(p);
	/*
	 * Each kernel is read from a newly opened stream. The stream then reads only the blocks that the
	 * kernel needs.
	 */
	struct buf want = {0}, is = {0};
	unsigned good = 0;
	for (unsigned i = 0; i < KERNELS; i += 13) {
		p = pack_open_memory("s", body_stream, n_body_stream, &f);
		append_kernel_text(&want, i);
		is.n = 0;
		good += pack_pass_text(p, i, 0, UINT64_MAX, append_bytes, &is, &f) == 0 && is.n == want.n &&
			!memcmp(is.p, want.p, is.n);
		pack_close(p);
	}
	is_number(good, (KERNELS + 12) / 13, "a single kernel read from a newly opened stream is restored");
	p = open_piped_stream(&f);
	is_number(count_equal_kernels(p, 1), KERNELS,
		"kernels read from a piped stream of many blocks are restored");
	pack_close(p);
	pack_limits = was;
	buf_free(&want);
	buf_free(&is);
}

static void test_shared_damage(void)
{
	unsigned rejected = 0, tried = 0;
	struct fault f;

	free(body_stream);
	write_stream(1);
	for (size_t i = 0; i < n_body_stream; i += 11) {
		body_stream[i] = (char)(body_stream[i] ^ 0x10);
		struct pack *p = pack_open_memory("s", body_stream, n_body_stream, &f);
		rejected += !p || pack_verify(p, &f) < 0;
		pack_close(p);
		body_stream[i] = (char)(body_stream[i] ^ 0x10);
		tried++;
	}
	is_number(rejected, tried, "pack_verify() reports every changed byte");
	body_stream[7] = (char)(body_stream[7] - (char)PACK_SHARED);
	struct pack *p = pack_open_memory("s", body_stream, n_body_stream, &f);
	ok(!p || pack_verify(p, &f) < 0, "a stream with shared kernels but without PACK_SHARED is rejected");
	pack_close(p);
	free(body_stream);
}

/* ---- bodies of the writer --------------------------------------------------------------------- */

static void test_origins(void)
{
	struct share *s = share_new();
	struct origin *dropped_list = NULL, *related, *first = NULL;
	unsigned dropped = 0;

	for (uint64_t i = 0; i < 100; i++) {
		struct origin *o = share_add(
			s, (uint64_t[2]){i, ~i}, i % 10, 0, BODIES_WRITTEN / 50, &related, &dropped_list);

		first = first ? first : o;
		share_find(s, (uint64_t[2]){0, ~UINT64_C(0)});
	}
	for (struct origin *o = dropped_list, *next; o; o = next) {
		next = o->next_gone;
		share_release(o);
		dropped++;
	}
	ok(dropped == 50 && s->weight <= BODIES_WRITTEN,
		"the least recently used origins are dropped when the limit is reached");
	ok(share_find(s, (uint64_t[2]){0, ~UINT64_C(0)}) == first &&
			!share_find(s, (uint64_t[2]){1, ~UINT64_C(1)}),
		"an origin in use is kept when the limit is reached");
	share_free(s);
}

/* ---- areas -------------------------------------------------------------------------------- */

/* Returns the areas of buffers at a, a + 4096 and b. Instruction 2 was never executed by a lane. */
static struct buf packed_areas(struct pmem mem[5], struct pcode *c, uint64_t a, uint64_t b)
{
	const struct mem_reach reach[5] = {{b, b + 4, true}, {a + 4096, a + 8000, true},
		{.has_address = false}, {a, a + 64, true}, {a + 5000, a + 5004, true}};
	struct buf out = {0};

	*c = (struct pcode){.mem = mem, .n_mem = 5};
	areas_find(c, reach);
	areas_pack(&out, c);
	return out;
}

static void test_areas(void)
{
	struct pmem mem[5] = {{.n_recipes = 1}}, again[5] = {{.n_recipes = 1}};
	struct pcode c, d = {.mem = again, .n_mem = 5};
	struct buf s = packed_areas(mem, &c, 0x7f0000100000, 0x7f0000200000);
	struct cur in = cur_of(s.p, s.n);

	ok(c.n_areas == 3 && mem[0].area == 0 && mem[1].area == 1 && mem[2].area == 1 && mem[3].area == 2 &&
			mem[4].area == 1,
		"memory areas are numbered in the order of the instructions");
	ok(areas_unpack(&in, &d) && !cur_left(&in) && d.n_areas == 3 && again[3].area == 2 &&
			again[4].area == 1 && !memcmp(c.area, d.area, 3 * sizeof(c.area[0])),
		"unpacked memory areas equal the packed ones");
	is_number((int64_t)area_origin(&c, 3, &(struct recipe){.op = OP_ADD, .ref = 1}), -4096,
		"the origin of a constant between two areas is their distance");
	unsigned rejected = 0;
	for (size_t n = 0; n < s.n; n++) {
		struct pcode part = {.mem = again, .n_mem = 5};

		in = cur_of(s.p, n);
		rejected += !areas_unpack(&in, &part);
		free(part.area);
	}
	is_number(rejected, (int64_t)s.n, "truncated memory areas are rejected");
	free(c.area);
	struct buf t = packed_areas(mem, &c, 0x7f0000100000, 0x7f0000300000);
	unsigned differ = 0;
	for (size_t i = 0; i < s.n && s.n == t.n; i++)
		differ += s.p[i] != t.p[i];
	is_number(differ, 1, "moving a buffer changes one byte of the packed memory areas");
	free(c.area);
	free(d.area);
	buf_free(&s);
	buf_free(&t);
}

int main(void)
{
	diag_init("test_body");
	test_areas();
	test_patches();
	test_body_order();
	test_header_numbers();
	test_repeated_streams();
	test_many_blocks();
	test_shared_damage();
	test_origins();
	return tap_done();
}
