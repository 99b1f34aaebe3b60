/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target for kernel files: the bytes are read with and without the fast path for lines that equal earlier ones.
 * Both ways must return the same thread blocks, records, addresses, hash and fault.
 */
#include <stdlib.h>
#include <string.h>
#include "trace/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct kernel_result {
	uint64_t blocks, recs, sum;
	unsigned char hash[16];
	struct fault f;
	int rc;
};

static void ignore_warning(void *ctx, const struct fault *f)
{
	(void)ctx;
	(void)f;
}

static void hash_word(struct kernel_result *r, uint64_t v)
{
	r->sum = (r->sum ^ v) * 0x9e3779b97f4a7c15ull;
	r->sum ^= r->sum >> 29;
}

static void hash_block_records(struct kernel_result *r, const struct tblock *tb, const struct code *code)
{
	uint64_t lane[32];

	r->blocks++;
	hash_word(r, (uint64_t)tb->x << 40 ^ (uint64_t)tb->y << 20 ^ tb->z);
	for (uint32_t w = 0; w < tb->n_warps; w++) {
		if (tb->warp[w].first_rec + tb->warp[w].n_recs > tb->n_recs)
			abort();
		for (uint32_t i = 0; i < tb->warp[w].n_recs; i++) {
			const struct rec *rec = &tb->rec[tb->warp[w].first_rec + i];
			const struct inst *inst = code_at(code, rec->inst);

			r->recs++;
			hash_word(r, inst->pc + inst->imm + inst->class);
			hash_word(r, rec->mask);
			rec_addresses(tb, rec, lane);
			for (unsigned l = 0; l < 32; l++)
				hash_word(r, lane[l]);
			if (inst->class == CLASS_NONE || inst->class >= N_CLASSES || inst->kind >= N_KINDS)
				abort();
		}
	}
}

static struct kernel_result read_kernel(
	const struct isa *isa, const uint8_t *data, size_t size, bool only_slow)
{
	struct kernel_result r = {.rc = -1};
	struct tblock tb = {0};
	struct trace_options o = {.code = code_new(isa), .computes_hash = true, .warn = ignore_warning};
	struct trace *t = trace_open_input(input_memory("fuzz", data, size, NULL), &o, &r.f);

	if (t) {
		t->only_slow = only_slow;
		t->options.allows_missing_warps = t->header.shmem_bytes & 1;
		while ((r.rc = trace_next(t, &tb, &r.f)) > 0)
			hash_block_records(&r, &tb, o.code);
		if (r.rc == 0 && (r.rc = trace_finish(t, &r.f)) == 0)
			trace_hash(t, r.hash);
	}
	trace_close(t);
	tblock_free(&tb);
	code_free(o.code);
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct isa *isa;
	struct kernel_result fast, slow;

	if (!isa)
		isa = isa_new();
	/* Compressed inputs are skipped: fuzz_input.c tests them. */
	if (size > 4 && (!memcmp(data, "\x1f\x8b", 2) ||
				!memcmp(data,
					"\xfd"
					"7zX",
					4) ||
				!memcmp(data, "\x28\xb5\x2f\xfd", 4) || (data[0] & 0xf0) == 0x50))
		return 0;
	fast = read_kernel(isa, data, size, false);
	slow = read_kernel(isa, data, size, true);
	if (fast.rc != slow.rc || fast.blocks != slow.blocks || fast.recs != slow.recs ||
		fast.sum != slow.sum || memcmp(fast.hash, slow.hash, sizeof(fast.hash)))
		abort();
	if (fast.rc < 0 && (strcmp(fast.f.id, slow.f.id) || fast.f.place.line != slow.f.place.line ||
				   fast.f.place.col != slow.f.place.col || strcmp(fast.f.text, slow.f.text) ||
				   !*fast.f.text))
		abort();
	return 0;
}
