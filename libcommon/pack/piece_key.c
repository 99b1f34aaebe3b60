/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hashes of pieces, by which the writer finds repetitions and similar kernels.
 *
 * Always true: the key of a piece depends on its text, or on its records and their static code, but not on id and
 * stream of the kernel.
 */
#include "piece_key.h"

void piece_key_names(struct pack_writer *w, const struct piece *c, uint64_t *near, uint64_t *far)
{
	const uint32_t *g = c->facts.grid;
	const char *s = (const char *)c->text.p;

	if (c->begins) {
		const char *nl = c->header ? memchr(s, '\n', c->header) : NULL;

		w->name = XXH3_64bits(s, nl ? (size_t)(nl - s) : 0);
	}
	const uint64_t place[] = {w->name, c->first_block, g[0], g[1], g[2], c->facts.threads};
	*near = XXH3_64bits(place, sizeof(place));
	*far = XXH3_64bits(place, 2 * sizeof(place[0]));
}

void piece_key_compute(struct pack_writer *w, const struct piece *c, uint64_t key[2])
{
	uint64_t digest[2] = {0, 0};

	if (c->records) {
		XXH3_128bits_reset_withSeed(w->hash, w->queue->share->seed);
		XXH3_128bits_update(w->hash, &c->code_hash, sizeof(c->code_hash));
		records_digest(w->hash, c->records);
		const XXH128_hash_t h = XXH3_128bits_digest(w->hash);

		memcpy(digest, (uint64_t[]){h.low64, h.high64}, sizeof(digest));
	}
	share_key(w->queue->share,
		&(struct share_text){.header = &c->stripped,
			.text = c->records ? (uint8_t *)digest : c->text.p + c->header,
			.n = c->records ? sizeof(digest) : c->text.n - c->header,
			.text_bytes = c->ends ? c->bytes - c->header : 0,
			.first_block = c->first_block,
			.begins = c->begins,
			.lines = c->lines},
		key);
}
