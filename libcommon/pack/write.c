/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writer of packed streams: it cuts the kernels' text into pieces, which several threads encode (job.c), collects
 * pieces into blocks, and writes the blocks in order and then an index.
 *
 * Always true: the cuts depend only on the text, so the stream is the same for any number of threads. The version has
 * the flags of the features that the stream uses. The columns of a piece are at most PIECE_SLACK bytes longer than
 * its text, so the columns of a block are within the limits. This also applies to pieces that are given as records,
 * because a record never needs more bytes than its line.
 */
#include "output.h"
#include "piece_key.h"
#include "writer.h"

#define PIECE_TEXT (4u << 20)
#define FILL_TEXT  (16u << 20) /* number of bytes of text in a piece that is given as records */
#define BLOCK_TEXT (32u << 20)

#define SHARED_TEXT  256u  /* number of bytes that a repetition adds to the text of a block */
#define PIECES_PLAIN 4096u /* largest number of pieces per block in a stream without shared pieces */

/* Returns the largest text of a piece that fits into a block with the list. */
static size_t piece_text_max(void) { return pack_limits.columns / 2; }

struct pack_writer *pack_writer_new(FILE *out, int level, unsigned threads)
{
	struct pack_writer *w = xcalloc(1, sizeof(*w));

	w->out = out;
	w->queue = queue_new(threads, level);
	w->hash = XXH3_createState();
	if (!w->hash)
		die("out of memory");
	return w;
}

void pack_on_text(struct pack_writer *w, void (*on_text)(void *ctx, uint32_t kernel), void *ctx)
{
	w->on_text = on_text;
	w->ctx = ctx;
}

/* ---- blocks ------------------------------------------------------------------------------- */

/*
 * Writes the start of the stream, before the first block, which has the body b. If the stream has one block, the
 * index is already known.
 */
static void write_stream_start(struct pack_writer *w, const struct buf *b)
{
	bool counted = w->has_several_blocks || directory_pack(&w->index_directory, &w->directory, b->n);

	fwrite(PACK_MAGIC, 1, 7, w->out);
	putc((int)(PACK_VERSION + (w->picks.n ? PACK_PICKED : 0) + (w->codes ? PACK_CODED : 0) +
		     (counted ? PACK_COUNTED : 0) + (w->lines ? PACK_LINED + PACK_WORDED : 0) +
		     (w->allows_streams ? PACK_VALUED + (w->has_values ? PACK_WORDED : PACK_LINED) : 0) +
		     (w->allows_bodies ? PACK_SHARED : 0) + (w->has_relative_bodies ? PACK_RELATIVE : 0)),
		w->out);
	w->started = true;
}

uint64_t write_frame(struct pack_writer *w, uint8_t type, const struct buf *b)
{
	FILE *to = w->spool ? w->spool : w->out;
	struct buf h = {0};

	if (!w->started && !w->spool)
		write_stream_start(w, b);
	buf_byte(&h, type);
	buf_var(&h, b->n);
	uint64_t size = h.n + b->n + 8, sum = stream_sum(h.p, h.n, b->p, b->n);
	uint8_t s[8];
	for (int i = 0; i < 8; i++)
		s[i] = (uint8_t)(sum >> 8 * i);
	fwrite(h.p, 1, h.n, to);
	if (b->n)
		fwrite(b->p, 1, b->n, to);
	fwrite(s, 1, 8, to);
	buf_free(&h);
	return size;
}

/* Returns true if a part of the block has STYLE_STREAMS. */
static bool has_streamed_part(const struct job *j)
{
	for (uint32_t i = 0; i < j->n; i++)
		if (j->piece[i]->encoded && j->piece[i]->encoded->has_streams)
			return true;
	return false;
}

static void write_job(struct pack_writer *w, struct job *j)
{
	struct block_entry e = {.kernel = j->n ? j->piece[0]->kernel : w->kernel,
		.bodies = j->n_bodies,
		.blocks_before = j->n && !j->piece[0]->begins ? 1 + j->piece[0]->first_block : 0};

	for (uint32_t i = 0; i < j->n; i++) {
		const struct piece *c = j->piece[i];

		directory_add(
			&w->directory, c->kernel, c->repeated ? &c->repeated->census : &c->encoded->census);
	}
	if (!w->started) {
		w->allows_bodies = !j->plain || j->shared;
		w->allows_streams = !w->lines && (w->has_values || !j->plain || has_streamed_part(j));
	}
	e.size = write_frame(w, BLOCK_DATA, &j->out);
	grow(&w->entry, &w->cap_entries, w->n_entries + 1, sizeof(w->entry[0]));
	w->entry[w->n_entries++] = e;
	for (uint32_t i = 0; i < j->n; i++) {
		if (!j->piece[i]->is_stored_text || j->piece[i]->kernel < w->reported)
			continue;
		w->reported = j->piece[i]->kernel + 1;
		if (w->on_text)
			w->on_text(w->ctx, j->piece[i]->kernel);
	}
	job_free(w->queue, j);
}

struct job *write_current_job(struct pack_writer *w)
{
	if (!w->job) {
		w->job = queue_append_job(w->queue);
		w->bytes_left = pack_limits.columns - w->list.n;
		w->job->dict = w->lines ? &pack_words : w->has_values ? &pack_hopper : &pack_dict;
		w->job->relative = w->has_relative_bodies;
		w->job->list = w->list;
		w->list = (struct buf){0};
		w->text = 0;
	}
	return w->job;
}

void write_end_job(struct pack_writer *w, bool wait)
{
	if (w->job) {
		w->job->plain = !w->has_several_blocks && w->job->n <= PIECES_PLAIN;
		queue_close(w->queue, w->job);
	}
	w->job = NULL;
	for (struct job *j; (j = queue_remove_oldest(w->queue, wait));)
		write_job(w, j);
}

static void start_next_job(struct pack_writer *w)
{
	w->has_several_blocks = true;
	write_end_job(w, false);
}

void pack_write_picks(struct pack_writer *w, const char *text, size_t n) { buf_add(&w->picks, text, n); }

void pack_set_codes(struct pack_writer *w, const struct cubins *codes) { w->codes = codes; }

uint32_t pack_coded_insts(const struct pack_writer *w) { return w->n_coded; }

/* Finds the function of the kernel that the piece begins. */
static void find_function_of_piece(struct pack_writer *w, struct piece *c)
{
	struct function_name name;

	w->n_coded = 0;
	if (!w->codes || !pack_function_name(&name, (const char *)c->text.p, c->header))
		return;
	char *text = xstrndup(name.name, name.len);
	const struct cubin_function *f = cubins_find(w->codes, text, name.sm);

	free(text);
	if (!f || f->bytes < INST_BYTES || f->bytes / INST_BYTES > pack_limits.codes)
		return;
	c->codes = f->code;
	c->n_codes = w->n_coded = f->bytes / INST_BYTES;
}

/* ---- cutting ------------------------------------------------------------------------------ */

static void text_hash(const struct pack_writer *w, unsigned char out[16])
{
	XXH128_canonical_t h;

	XXH128_canonicalFromHash(&h, XXH3_128bits_digest(w->hash));
	memcpy(out, h.digest, 16);
}

/*
 * Finds the origin that the piece repeats, or adds the piece as an origin. A piece that begins a block inside a
 * kernel is never a repetition, because the index stores its first thread block.
 */
static void find_repetition(struct pack_writer *w, struct piece *c)
{
	struct job *j = write_current_job(w);
	uint64_t near, far, key[2];

	c->ids = (struct header_state){w->ids.id + 1, w->ids.stream};
	if ((c->no_hash && !c->records) || (!c->begins && !j->n))
		return;
	if (!header_strip(&c->stripped, &c->ids, (const char *)c->text.p, c->header)) {
		buf_free(&c->stripped);
		return;
	}
	w->ids = c->begins ? c->ids : w->ids;
	piece_key_names(w, c, &near, &far);
	struct share *s = w->queue->share;
	struct origin *newest = c->records ? share_find_near(s, near) : NULL, *o = NULL;
	const bool has_key = !c->records || newest;
	if (has_key) {
		piece_key_compute(w, c, key);
		o = share_find(s, key);
	}
	if (!o) {
		c->twin = share_find_twin(newest);
		c->origin = share_add(s, has_key ? key : NULL, near, far, body_size_max(c->size), &c->related,
			&j->gone_origins);
	} else if (queue_may_repeat(w->queue, o)) {
		c->repeated = o;
		if (c->records)
			queue_return_parsed(w->queue, c->records);
		c->records = NULL;
		queue_return_text(w->queue, &c->text);
	}
	if (!c->origin)
		buf_free(&c->stripped);
}

/* Appends the piece to the current block or to a new one. */
static void place_piece_in_block(struct pack_writer *w, struct piece *c)
{
	uint64_t n = c->size;

	if (c->begins) {
		w->lines = w->has_kernel ? w->lines : c->facts.dialect == DIALECT_PTX;
		w->has_values = w->has_kernel ? w->has_values : !w->lines && c->facts.may_have_values;
		w->has_kernel = true;
		c->lines = w->lines;
		find_function_of_piece(w, c);
		directory_begin(&w->directory, (const char *)c->text.p, c->header);
	}
	uint64_t most = n + PIECE_SLACK + (c->codes ? pack_control_size(c->codes, c->n_codes) : 0);
	w->kernel_begun = true;
	c->relative = w->has_relative_bodies;
	c->has_values = w->has_values;
	c->allows_streams = !w->lines;
	if (w->job && most > w->bytes_left)
		start_next_job(w);
	find_repetition(w, c);
	struct job *j = write_current_job(w);
	if (c->repeated) {
		most -= n;
		n = SHARED_TEXT;
	}
	w->text += n;
	w->bytes_left -= most;
	queue_add_piece(w->queue, j, c);
	if (w->text >= BLOCK_TEXT || j->n == pack_limits.pieces)
		start_next_job(w);
}

static void queue_cut_piece(struct pack_writer *w, size_t n, size_t header, bool ends)
{
	struct piece *c = xcalloc(1, sizeof(*c));
	struct buf rest = queue_take_text(w->queue);

	*c = (struct piece){.kernel = w->kernel,
		.begins = !w->kernel_begun,
		.ends = ends,
		.header = header,
		.size = n,
		.bytes = w->bytes,
		.first_block = w->blocks,
		.no_hash = w->no_hash,
		.facts = w->facts};
	buf_add(&rest, w->kernel_text.p + n, w->kernel_text.n - n);
	c->text = w->kernel_text;
	c->text.n = n;
	w->kernel_text = rest;
	w->blocks += text_count_blocks((const char *)c->text.p, n);
	if (ends)
		text_hash(w, c->hash);
	place_piece_in_block(w, c);
}

/*
 * Returns the number of bytes before the first thread block. Returns 0 if the header is not in the tracer's form; the
 * whole kernel is then stored as text.
 */
static size_t find_header(const struct pack_writer *w)
{
	const char *s = (const char *)w->kernel_text.p, *end = s + w->kernel_text.n, *nl;
	bool format = false; /* true after the last line of the header */

	for (const char *from = s; (nl = memchr(s, '\n', (size_t)(end - s))); s = nl + 1) {
		const char *p = s;
		size_t n;
		const char *word = line_word(&p, nl, &n);

		if (nl - s == 9 && !memcmp(s, "#BEGIN_TB", 9))
			return (size_t)(s - from);
		if (n && (format || *word == '#') &&
			(*word != '#' || (n == 9 && !memcmp(word, "#BEGIN_TB", 9)) ||
				(n == 7 && !memcmp(word, "#END_TB", 7))))
			return 0;
		format |= n && *word == '#';
	}
	return 0;
}

/* Returns the offset of the end of the last thread block that is complete in the text, or 0. */
static size_t offset_after_last_block(const struct buf *b)
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

static void cut_piece(struct pack_writer *w)
{
	size_t header = 0;

	if (!w->kernel_begun) {
		header = find_header(w);
		w->facts = header_facts((const char *)w->kernel_text.p, header);
	}
	size_t n = offset_after_last_block(&w->kernel_text);
	if (n <= header && w->limit < piece_text_max()) {
		/* The limit grows for large thread blocks. */
		w->limit = min_u64(2 * w->limit, piece_text_max());
		return;
	}
	queue_cut_piece(w, n <= header ? w->kernel_text.n : n, header, false);
	for (w->limit = min_u64(PIECE_TEXT, piece_text_max()); w->limit <= w->kernel_text.n;)
		w->limit = min_u64(2 * w->limit, piece_text_max());
}

void pack_begin_kernel(struct pack_writer *w)
{
	w->kernel_begun = w->no_hash = false;
	w->limit = min_u64(PIECE_TEXT, piece_text_max());
	w->bytes = w->blocks = 0;
	w->facts = (struct header_facts){.threads = 0};
	XXH3_128bits_reset(w->hash);
}

void pack_add_text(struct pack_writer *w, const void *bytes, size_t n)
{
	const uint8_t *s = bytes;

	if (!n)
		return;
	XXH3_128bits_update(w->hash, bytes, n);
	w->bytes += n;
	while (n) {
		size_t take = w->limit - w->kernel_text.n;

		take = take < n ? take : n;
		buf_add(&w->kernel_text, s, take);
		s += take;
		n -= take;
		if (w->kernel_text.n == w->limit)
			cut_piece(w);
	}
}

/* ---- records ------------------------------------------------------------------------------ */

/* Queues a piece with the filled records. ends: the piece is the last one of the kernel. */
static void queue_filled_records(struct pack_writer *w, bool ends)
{
	struct piece *c = xcalloc(1, sizeof(*c));

	*c = (struct piece){.text = w->kernel_text,
		.records = w->filled,
		.kernel = w->kernel,
		.begins = !w->kernel_begun,
		.ends = ends,
		.no_hash = true,
		.header = w->kernel_begun ? 0 : w->kernel_text.n,
		.bytes = w->bytes,
		.first_block = w->blocks - (w->filled ? w->filled->part.n_blocks : 0),
		.code_hash = w->code_hash,
		.facts = w->facts};
	w->kernel_text = queue_take_text(w->queue);
	c->size = c->header + w->filled_text;
	place_piece_in_block(w, c);
	w->filled = NULL;
	w->filled_text = 0;
}

void pack_begin_records(struct pack_writer *w, const char *header, size_t n, const struct pack_code *code)
{
	uint64_t seed = w->queue->share->seed;

	w->no_hash = true;
	w->facts = header_facts(header, n);
	w->bytes = n + 1;
	buf_add(&w->kernel_text, header, n);
	buf_byte(&w->kernel_text, '\n');
	records_begin(&w->records, code);
	w->records.as_text = w->facts.dialect != DIALECT_SASS;
	seed = XXH3_64bits_withSeed(code->text, code->n_text, seed);
	w->code_hash = XXH3_64bits_withSeed(code->inst, code->n * sizeof(*code->inst), seed);
}

/* Appends a thread block that does not fit any part, as text. */
static void add_block_as_text(struct pack_writer *w, const uint32_t id[3], const char *lines,
	const struct pack_warp *warp, uint32_t n_warps)
{
	struct parsed *p = queue_take_parsed(w->queue);
	struct buf text = {0};
	bool first = !w->blocks;

	if (w->filled->part.n_blocks)
		queue_filled_records(w, false);
	else
		queue_return_parsed(w->queue, w->filled);
	w->filled = NULL;
	p->part.style = STYLE_DIALECT * w->facts.dialect;
	w->records.as_text = true;
	records_begin_part(&w->records, p);
	records_add_block(&w->records, p, id, lines, warp, n_warps);
	records_append_text(&text, &w->records, p, first);
	w->records.as_text = w->facts.dialect != DIALECT_SASS;
	parsed_free(p);
	free(p);
	pack_add_text(w, text.p, text.n);
	buf_free(&text);
	if (w->kernel_text.n)
		queue_cut_piece(w, w->kernel_text.n, w->kernel_begun ? 0 : find_header(w), false);
}

/* Begins a part of records. */
static void begin_filling(struct pack_writer *w)
{
	w->filled = queue_take_parsed(w->queue);
	records_begin_part(&w->records, w->filled);
}

bool pack_warp_good(const struct pack_writer *w, const struct pack_warp *warp)
{
	return records_are_good(&w->records, warp);
}

void pack_block(struct pack_writer *w, const uint32_t id[3], const char *lines, const struct pack_warp *warp,
	uint32_t n_warps)
{
	const size_t most = min_u64(FILL_TEXT, piece_text_max());

	if (!w->filled)
		begin_filling(w);
	uint64_t n = records_length(&w->records, w->filled, id, lines, warp, n_warps) + (w->blocks != 0);
	if (n > piece_text_max() || strlen(lines) > pack_limits.extra || !records_fit(&w->records, n_warps)) {
		add_block_as_text(w, id, lines, warp, n_warps);
		return;
	}
	if (w->filled->part.n_blocks && w->kernel_text.n + w->filled_text + n > most) {
		queue_filled_records(w, false);
		begin_filling(w);
		records_length(
			&w->records, w->filled, id, lines, warp, n_warps); /* finds leaders in the new part */
	}
	records_add_block(&w->records, w->filled, id, lines, warp, n_warps);
	w->filled_text += n;
	w->bytes += n;
	w->blocks++;
}

void pack_end_kernel(struct pack_writer *w, unsigned char *hash)
{
	size_t header = 0;

	if (w->no_hash) {
		queue_filled_records(w, true);
		w->kernel++;
		return;
	}
	buf_room(&w->kernel_text, 1);
	if (!w->kernel_begun) {
		header = find_header(w);
		w->facts = header_facts((const char *)w->kernel_text.p, header);
	}
	queue_cut_piece(w, w->kernel_text.n, header, true);
	if (hash)
		text_hash(w, hash);
	w->kernel++;
}
