/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cache of static_cache.h: it maps the text of a static instruction and its key to a handle of the reader's
 * struct code.
 *
 * Always true: keys and text are compared in full, so equal hashes are harmless. The table is at most half full. It
 * is emptied when it is full, or when the serial number of the struct code differs. The caller parses instructions.
 */
#include <xxhash.h>
#include "static_cache.h"

#define STATIC_CACHE_MAX (1u << 18)

void static_cache_free(struct static_cache *m)
{
	if (!m)
		return;
	free(m->entry);
	free(m->slot);
	buf_free(&m->text);
	free(m);
}

struct static_cache_key static_cache_key_of(const struct trace *t)
{
	struct static_cache_key c;

	memset(&c, 0, sizeof(c)); /* c is compared and hashed as bytes, so its padding must be 0 */
	c.code_hash = ptx_code_hash(t->ptx);
	c.source_hash = source_hash(t);
	c.dialect.form = t->dialect.form;
	c.dialect.prefix_columns = t->dialect.prefix_columns;
	c.dialect.imms = t->dialect.imms;
	c.dialect.has_lineno = t->dialect.has_lineno;
	c.dialect.block_ids = t->dialect.block_ids;
	c.binary = t->header.binary_version;
	c.tracer = t->header.tracer_version;
	c.arch = (int)t->header.arch;
	c.lineinfo = t->header.lineinfo;
	return c;
}

static bool is_same_cache_key(const struct static_cache_key *a, const struct static_cache_key *b)
{
	return a->code_hash == b->code_hash && a->source_hash == b->source_hash &&
	       a->dialect.form == b->dialect.form && a->dialect.prefix_columns == b->dialect.prefix_columns &&
	       a->dialect.imms == b->dialect.imms && a->dialect.has_lineno == b->dialect.has_lineno &&
	       a->dialect.block_ids == b->dialect.block_ids && a->binary == b->binary &&
	       a->tracer == b->tracer && a->arch == b->arch && a->lineinfo == b->lineinfo;
}

uint32_t static_cache_slot(
	const struct static_cache *m, const struct static_cache_key *c, const void *text, size_t n)
{
	uint64_t h = XXH3_64bits_withSeed(text, n, XXH3_64bits(c, sizeof(*c)));
	uint32_t at = (uint32_t)h & (m->n_slots - 1);

	for (; m->slot[at]; at = (at + 1) & (m->n_slots - 1)) {
		const struct static_entry *e = &m->entry[m->slot[at] - 1];

		if (e->len == n && is_same_cache_key(&e->key, c) && !memcmp(m->text.p + e->text, text, n))
			break;
	}
	return at;
}

struct static_cache *static_cache_of(struct pack *p, const struct code *code)
{
	struct static_cache *m = p->statics;

	if (m && (m->code != code_serial(code) || m->n == STATIC_CACHE_MAX)) {
		static_cache_free(m);
		p->statics = m = NULL;
	}
	if (!m) {
		p->statics = m = xcalloc(1, sizeof(*m));
		m->code = code_serial(code);
	}
	if (m->n * 2 >= m->n_slots) {
		uint32_t n = m->n_slots ? m->n_slots * 4 : 1024, *slot = xcalloc(n, sizeof(slot[0]));

		free(m->slot);
		m->slot = slot;
		m->n_slots = n;
		for (uint32_t i = 0; i < m->n; i++)
			m->slot[static_cache_slot(
				m, &m->entry[i].key, m->text.p + m->entry[i].text, m->entry[i].len)] = i + 1;
	}
	return m;
}
