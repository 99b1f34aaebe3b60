/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writing packed streams: kernels' text is cut into pieces, pieces are encoded side by side, some of them make a
 * block, blocks are written in order, and an index follows.
 *
 * Always true: where text is cut depends on the text alone, so that the bytes are the same for any number of
 * threads; memory is that of one block's text and its records.
 */
#include <pthread.h>
#include <xxhash.h>
#include "pack.h"
#include "pack_stream.h"

#define PIECE_TEXT (8u << 20)
#define BLOCK_TEXT (32u << 20)
#define PIECES_MAX 4096u

enum state { BEFORE, HEADER, BLOCKS };

struct piece {
	struct buf text;
	uint32_t kernel;
	bool begins, ends;		/* of a kernel */
	uint64_t bytes, first_block;	/* ends: text of the whole kernel */
	unsigned char hash[16];
	uint32_t grid[3], threads;
	size_t header;			/* bytes of text that are header */
	size_t taken;			/* bytes encoded; the rest is stored */
	struct parsed parsed;
	struct buf col[N_COLUMNS];
	struct buf table;
};

struct entry { uint64_t size, kernel, first_block; };

struct pack_writer {
	FILE *out;
	int level;
	unsigned threads;
	struct buf list;		/* metadata of the list until the first block */
	struct piece *piece;
	uint32_t n_pieces, cap_pieces;
	uint64_t text;			/* of the block */
	struct entry *entry;
	uint32_t n_entries, cap_entries;
	uint32_t kernel;
	struct buf in;			/* text of the kernel not cut yet */
	size_t searched;
	uint64_t bytes, blocks;
	uint32_t grid[3], threads_of;
	enum state state;
	bool stored, begun;
	XXH3_state_t *hash;
};

struct pack_writer *pack_writer_new(FILE *out, int level, unsigned threads)
{
	struct pack_writer *w = xcalloc(1, sizeof(*w));
	w->out = out;
	w->level = level;
	w->threads = threads ? threads : 1;
	w->hash = XXH3_createState();
	fwrite(PACK_MAGIC, 1, 7, out);
	putc(PACK_VERSION, out);
	return w;
}

/* ---- one piece ---------------------------------------------------------------------------- */

static void encode_piece(struct piece *c)
{
	const char *text = (const char *)c->text.p;
	struct part *part = &c->parsed.part;
	size_t at = c->header;
	memcpy(part->grid, c->grid, sizeof(part->grid));
	part->threads = c->threads;
	part->first_block = c->first_block;
	while (at < c->text.n) {
		bool first = part->first_block + part->n_blocks == 0;
		size_t gap = !first;
		if (gap && text[at] != '\n')
			break;
		size_t n = at + gap < c->text.n ? parse_block(&c->parsed, text + at + gap, c->text.n - at - gap) : 0;
		if (!n)
			break;
		at += gap + n;
	}
	c->taken = at;
	if (!part->n_blocks)
		return;
	encode_part(&c->parsed, c->col);
	part_pack(&c->table, part);
}

struct work { struct piece *piece; uint32_t n; uint32_t next; pthread_mutex_t lock; };

static void *worker(void *arg)
{
	struct work *k = arg;
	for (;;) {
		pthread_mutex_lock(&k->lock);
		uint32_t i = k->next++;
		pthread_mutex_unlock(&k->lock);
		if (i >= k->n)
			return NULL;
		encode_piece(&k->piece[i]);
	}
}

static void encode_pieces(struct pack_writer *w)
{
	struct work k = { w->piece, w->n_pieces, 0, PTHREAD_MUTEX_INITIALIZER };
	pthread_t t[64];
	unsigned n = 0;
	for (; n + 1 < w->threads && n + 1 < w->n_pieces && n < 64; n++)
		if (pthread_create(&t[n], NULL, worker, &k))
			break;
	worker(&k);
	while (n)
		pthread_join(t[--n], NULL);
}

/* ---- blocks ------------------------------------------------------------------------------- */

static uint64_t put_framed(struct pack_writer *w, uint8_t type, const struct buf *b)
{
	struct buf h = { 0 };
	buf_byte(&h, type);
	buf_var(&h, b->n);
	uint64_t size = h.n + b->n + 8, sum = block_sum(h.p, h.n, b->p, b->n);
	uint8_t s[8];
	for (int i = 0; i < 8; i++)
		s[i] = (uint8_t)(sum >> 8 * i);
	fwrite(h.p, 1, h.n, w->out);
	fwrite(b->p, 1, b->n, w->out);
	fwrite(s, 1, 8, w->out);
	buf_free(&h);
	return size;
}

static void put_piece(struct pack_writer *w, struct piece *c, struct buf col[N_COLUMNS], struct header_state *s)
{
	struct buf *m = &col[COL_META];
	size_t stored = c->text.n - c->taken;
	bool part = c->parsed.part.n_blocks != 0, hash = c->ends && c->bytes >= HASH_TEXT;
	mp_uint(m, (c->begins ? PIECE_BEGINS : 0) | (c->ends ? PIECE_ENDS : 0) | (part ? PIECE_PART : 0) |
		(stored ? PIECE_STORED : 0) | (hash ? PIECE_HASH : 0));
	if (!c->begins) {
		mp_uint(m, c->first_block);
		for (int i = 0; i < 3; i++)
			mp_uint(m, c->grid[i]);
		mp_uint(m, c->threads);
	} else {
		header_pack(m, s, (const char *)c->text.p, c->header);
	}
	if (part)
		buf_add(m, c->table.p, c->table.n);
	if (stored) {
		mp_uint(m, stored);
		buf_add(&col[COL_STORED], c->text.p + c->taken, stored);
		w->stored = true;
	}
	if (c->ends)
		mp_uint(m, c->bytes);
	if (hash)
		mp_bin(m, c->hash, 16);
	for (int k = 1; k < COL_STORED; k++)
		buf_add(&col[k], c->col[k].p, c->col[k].n);
}

static void flush_block(struct pack_writer *w)
{
	struct buf col[N_COLUMNS] = { { 0 } }, out = { 0 };
	struct header_state s = { 0 };
	if (!w->n_pieces && !w->list.n)
		return;
	encode_pieces(w);
	struct entry e = { .kernel = w->n_pieces ? w->piece[0].kernel : w->kernel,
		.first_block = w->n_pieces ? w->piece[0].first_block : 0 };
	mp_uint(&col[COL_META], w->list.n ? 1 : 0);
	buf_add(&col[COL_META], w->list.p, w->list.n);
	mp_uint(&col[COL_META], w->n_pieces);
	for (uint32_t i = 0; i < w->n_pieces; i++) {
		struct piece *c = &w->piece[i];
		put_piece(w, c, col, &s);
		columns_free(c->col);
		buf_free(&c->text);
		buf_free(&c->table);
		parsed_free(&c->parsed);
	}
	columns_pack(&out, col, w->level);
	columns_free(col);
	e.size = put_framed(w, BLOCK_DATA, &out);
	buf_free(&out);
	grow(&w->entry, &w->cap_entries, w->n_entries + 1, sizeof(w->entry[0]));
	w->entry[w->n_entries++] = e;
	w->n_pieces = 0;
	w->text = 0;
	w->list.n = 0;
}

void pack_put_list(struct pack_writer *w, const char *name, const char *text, size_t n)
{
	struct buf lines = { 0 };
	list_fold(&lines, text, n);
	mp_str(&w->list, name ? name : "", name ? strlen(name) : 0);
	mp_bin(&w->list, lines.p, lines.n);
	buf_free(&lines);
}

/* ---- cutting ------------------------------------------------------------------------------ */

static void put_cut(struct pack_writer *w, size_t n, size_t header, bool ends)
{
	grow(&w->piece, &w->cap_pieces, w->n_pieces + 1, sizeof(w->piece[0]));
	struct piece *c = &w->piece[w->n_pieces++];
	*c = (struct piece){ .kernel = w->kernel, .begins = !w->begun, .ends = ends, .header = header,
		.bytes = w->bytes, .first_block = w->blocks, .threads = w->threads_of };
	memcpy(c->grid, w->grid, sizeof(c->grid));
	buf_add(&c->text, w->in.p, n);
	for (const char *s = (const char *)c->text.p, *e = s + n; (s = memmem(s, (size_t)(e - s), "#END_TB\n", 8)); s += 8)
		w->blocks++;
	if (ends) {
		XXH128_canonical_t h;
		XXH128_canonicalFromHash(&h, XXH3_128bits_digest(w->hash));
		memcpy(c->hash, h.digest, 16);
	}
	w->begun = true;
	memmove(w->in.p, w->in.p + n, w->in.n - n);
	w->in.n -= n;
	w->searched = 0;
	w->text += n;
	if (w->text >= BLOCK_TEXT || w->n_pieces == PIECES_MAX)
		flush_block(w);
}

static size_t find_header(const struct pack_writer *w)
{
	const char *s = (const char *)w->in.p;
	const char *at = memmem(s, w->in.n, "\n#BEGIN_TB\n", 11);
	return at ? (size_t)(at - s) + 1 : 0;
}

/* Behind the last thread block that ends in the text, or 0. */
static size_t last_end(const struct buf *b)
{
	for (size_t n = b->n; n >= 9; n--) {
		const uint8_t *nl = memrchr(b->p, '\n', n);
		if (!nl)
			return 0;
		n = (size_t)(nl - b->p) + 1;
		if (n >= 9 && !memcmp(b->p + n - 9, "\n#END_TB\n", 9))
			return n;
	}
	return 0;
}

static void cut(struct pack_writer *w)
{
	size_t header = 0;
	if (!w->begun) {
		header = find_header(w);
		header_dims((const char *)w->in.p, header, w->grid, &w->threads_of);
	}
	size_t n = last_end(&w->in);
	if (n <= header)
		n = w->in.n;
	put_cut(w, n, header, false);
}

void pack_begin(struct pack_writer *w)
{
	w->begun = w->stored = false;
	w->bytes = w->blocks = 0;
	memset(w->grid, 0, sizeof(w->grid));
	w->threads_of = 0;
	XXH3_128bits_reset(w->hash);
}

void pack_feed(struct pack_writer *w, const void *bytes, size_t n)
{
	const uint8_t *s = bytes;
	XXH3_128bits_update(w->hash, bytes, n);
	w->bytes += n;
	while (n) {
		size_t take = PIECE_TEXT - w->in.n;
		take = take < n ? take : n;
		buf_add(&w->in, s, take);
		s += take;
		n -= take;
		if (w->in.n == PIECE_TEXT)
			cut(w);
	}
}

bool pack_end(struct pack_writer *w)
{
	size_t header = 0;
	if (!w->begun) {
		header = find_header(w);
		header_dims((const char *)w->in.p, header, w->grid, &w->threads_of);
	}
	put_cut(w, w->in.n, header, true);
	w->kernel++;
	return w->stored;
}

void pack_writer_close(struct pack_writer *w)
{
	struct buf b = { 0 }, z = { 0 };
	flush_block(w);
	mp_uint(&b, w->n_entries);
	uint64_t kernel = 0;
	for (uint32_t i = 0; i < w->n_entries; i++) {
		const struct entry *e = &w->entry[i];
		mp_uint(&b, e->size);
		mp_uint(&b, e->kernel - kernel);
		mp_uint(&b, e->first_block);
		kernel = e->kernel;
	}
	uint64_t size = put_framed(w, BLOCK_INDEX, &b);
	for (int i = 0; i < 4; i++)
		putc((int)(size >> 8 * i & 255), w->out);
	fwrite(PACK_END, 1, 4, w->out);
	buf_free(&b);
	buf_free(&z);
	buf_free(&w->in);
	buf_free(&w->list);
	free(w->piece);
	free(w->entry);
	XXH3_freeState(w->hash);
	free(w);
}
