/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target for the packed reader. The first byte selects the form of the other bytes: a stream, or the
 * columns of one block, each after a length of two bytes. The columns get a valid frame, checksum and index,
 * so that damage reaches the code after the checksum test. The metadata use a fixed dictionary. Text,
 * facts and records are read up to FUZZ_BYTES.
 */
#include <stdlib.h>
#include <string.h>
#include "cubin.h"
#include "input.h"
#include "pack.h"
#include "pack/stream.h"

#define FUZZ_BYTES (4u << 20)

enum {
	COLUMNS = 1,
	WORDED = 2,
	SHARED = 4,
	BODIES = 8, /* unit in which the first byte counts bodies, up to 15; requires SHARED */
	VALUED = 8, /* PACK_VALUED; without SHARED and WORDED */
	RELATIVE = 128
}; /* mask of the form in the first byte */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool count_bytes(void *ctx, const void *bytes, size_t n)
{
	size_t *left = ctx;

	(void)bytes;
	if (n > *left)
		return false;
	*left -= n;
	return true;
}

static void ignore_warning(void *ctx, const struct fault *f)
{
	(void)ctx;
	(void)f;
}

static void append_frame(struct buf *s, uint8_t type, const struct buf *body)
{
	struct buf h = {0};
	uint64_t sum;

	buf_byte(&h, type);
	buf_var(&h, body->n);
	sum = stream_sum(h.p, h.n, body->p, body->n);
	buf_add(s, h.p, h.n);
	buf_add(s, body->p, body->n);
	for (int i = 0; i < 8; i++)
		buf_byte(s, (uint8_t)(sum >> 8 * i));
	buf_free(&h);
}

static void build_stream(struct buf *s, uint8_t bits, const uint8_t *data, size_t size)
{
	const bool worded = bits & WORDED, valued = (bits & (VALUED | SHARED | WORDED)) == VALUED;
	struct buf col[N_COLUMNS] = {{0}}, body = {0}, index = {0};
	size_t first, back;

	for (int k = 0; k < N_COLUMNS && size >= 2; k++) {
		size_t n = data[0] | (size_t)data[1] << 8;

		data += 2;
		size -= 2;
		n = n < size ? n : size;
		buf_add(&col[k], data, n);
		data += n;
		size -= n;
	}
	columns_pack(&body, col, 1, valued ? &pack_hopper : worded ? &pack_words : &pack_dict);
	columns_free(col);
	buf_add(s, PACK_MAGIC, 7);
	buf_byte(s, (uint8_t)(PACK_VERSION + PACK_CODED + (valued ? PACK_VALUED : PACK_LINED) +
			      (worded || valued ? PACK_WORDED : 0) + (bits & SHARED ? PACK_SHARED : 0) +
			      (bits & RELATIVE ? PACK_RELATIVE : 0)));
	append_frame(s, BLOCK_DATA, &body);
	first = s->n - 8;
	mp_uint(&index, 1);
	mp_uint(&index, first);
	mp_uint(&index, 0);
	mp_uint(&index, 0);
	if (bits & SHARED)
		mp_uint(&index, bits / BODIES % 16);
	back = s->n;
	append_frame(s, BLOCK_INDEX, &index);
	back = s->n - back;
	for (int i = 0; i < 4; i++)
		buf_byte(s, (uint8_t)(back >> 8 * i));
	buf_add(s, PACK_END, 4);
	buf_free(&body);
	buf_free(&index);
}

static void read_records(struct pack *p, uint32_t kernel)
{
	struct isa *isa = isa_new();
	struct trace_options o = {
		.code = code_new(isa), .warn = ignore_warning, .allows_missing_warps = true};
	struct tblock tb = {0};
	struct fault f;
	struct trace *t = pack_open_trace(p, kernel, &o, &f);
	uint64_t recs = 0, lane[32];

	while (t && recs < FUZZ_BYTES / 16 && trace_next(t, &tb, &f) > 0) {
		recs += tb.n_recs + 64;
		for (uint32_t i = 0; i < tb.n_recs; i++)
			rec_addresses(&tb, &tb.rec[i], lane);
	}
	trace_close(t);
	tblock_free(&tb);
	code_free(o.code);
	isa_free(isa);
}

/* Reads the stream in order, as from a pipe. */
static void read_stream_in_order(const uint8_t *data, size_t size)
{
	struct fault f;
	struct input *in = input_memory("fuzz", data, size, &f);
	struct pack *p = in && pack_input_begins(in) ? pack_open_forward(in, &f) : NULL;

	if (!p)
		input_close(in);
	for (uint32_t i = 0; p && i < pack_kernels(p) && i < 4; i++)
		read_records(p, i);
	pack_close(p);
}

/* Reads the functions with control codes, which must consist of whole instructions. */
static void read_codes(struct pack *p, uint32_t kernel)
{
	struct cubins *c = cubins_new();
	struct control_code k;
	struct fault f;

	pack_codes(p, kernel, c, &f);
	for (uint32_t i = 0; i < cubins_count(c); i++)
		for (uint32_t at = 0; at < cubins_function_at(c, i)->bytes; at += 16)
			control_decode(&k, cubins_function_at(c, i)->code + at);
	cubins_free(c);
}

static void read_stream(const uint8_t *data, size_t size)
{
	struct fault f;
	bool small = true;
	struct pack *p = pack_open_memory("fuzz", data, size, &f);
	size_t left = FUZZ_BYTES;
	struct pack_kernel k;

	if (!p)
		return;
	for (uint32_t i = 0; i < pack_kernels(p) && i < 4; i++) {
		if (pack_kernel(p, i, &k, &f) < 0)
			continue;
		free(k.name);
		read_codes(p, i);
		if (k.insts > FUZZ_BYTES / 16) {
			small = false;
			continue;
		}
		pack_pass_text(p, i, 0, UINT64_MAX, count_bytes, &left, &f);
		pack_pass_text(p, i, 1, 2, count_bytes, &left, &f);
		read_records(p, i);
	}
	pack_close(p);
	if (small)
		read_stream_in_order(data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf s = {0};

	if (!size)
		return 0;
	if (data[0] & COLUMNS) {
		build_stream(&s, data[0], data + 1, size - 1);
		read_stream(s.p, s.n);
		buf_free(&s);
	} else {
		read_stream(data + 1, size - 1);
	}
	return 0;
}
