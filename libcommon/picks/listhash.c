/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hash by which picks identify their list, and the hash by which a run identifies its picks.
 *
 * Always true: the first hash covers the list's lines. It covers only the last component of a kernel's name without a
 * compression suffix, because trace-pack drops the rest. It does not cover the contents of kernels, so it does not
 * change when a file is replaced. The second hash does not depend on the host: numbers are hashed as 64 bits, lowest
 * byte first.
 */
#include <string.h>
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>
#include "picks.h"

struct list_hash *list_hash_new(void)
{
	XXH3_state_t *s = XXH3_createState();

	if (!s)
		die("out of memory");
	XXH3_128bits_reset(s);
	return (struct list_hash *)s;
}

static size_t without_suffix(const char *s, size_t n)
{
	static const char *const suffix[] = {".gz", ".xz", ".zst", ".zstd"};

	for (size_t i = 0; i < sizeof(suffix) / sizeof(suffix[0]); i++) {
		size_t m = strlen(suffix[i]);

		if (n > m && !memcmp(s + n - m, suffix[i], m))
			return n - m;
	}
	return n;
}

void list_hash_line(struct list_hash *h, const char *line, size_t n)
{
	if (n < 6 || memcmp(line, "Memcpy", 6) != 0) {
		const char *slash = memrchr(line, '/', n);

		n -= slash ? (size_t)(slash + 1 - line) : 0;
		line = slash ? slash + 1 : line;
		n = without_suffix(line, n);
	}
	XXH3_128bits_update((XXH3_state_t *)h, line, n);
	XXH3_128bits_update((XXH3_state_t *)h, "\n", 1);
}

void list_hash_end(struct list_hash *h, unsigned char out[16])
{
	XXH128_canonical_t c;

	XXH128_canonicalFromHash(&c, XXH3_128bits_digest((XXH3_state_t *)h));
	memcpy(out, c.digest, 16);
	XXH3_freeState((XXH3_state_t *)h);
}

static void hash_number(XXH3_state_t *s, uint64_t word)
{
	unsigned char bytes[8];

	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (unsigned char)(word >> 8 * i);
	XXH3_128bits_update(s, bytes, sizeof(bytes));
}

static void add_real(XXH3_state_t *s, double v)
{
	uint64_t word;

	memcpy(&word, &v, sizeof(word));
	hash_number(s, word);
}

void picks_hash(const struct picks *p, char out[PICKS_HASH_TEXT])
{
	struct list_hash *h = list_hash_new();
	XXH3_state_t *s = (XXH3_state_t *)h;
	unsigned char digest[16];

	XXH3_128bits_update(s, p->hash, sizeof(p->hash));
	hash_number(s, p->n_strata);
	for (uint32_t i = 0; i < p->n_strata; i++)
		hash_number(s, p->stratum[i].kernels);
	for (uint32_t i = 0; i < p->n; i++) {
		hash_number(s, p->pick[i].position);
		add_real(s, p->pick[i].weight);
		hash_number(s, p->pick[i].stratum);
		add_real(s, p->pick[i].size);
	}
	if (p->n_part || p->n_missing) {
		hash_number(s, p->n_part);
		hash_number(s, p->n_missing);
	}
	list_hash_end(h, digest);
	for (unsigned i = 0; i < 16; i++)
		snprintf(out + 2 * i, 3, "%02x", (unsigned)digest[i]);
}
