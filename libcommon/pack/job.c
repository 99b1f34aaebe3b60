/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The work of packing, divided among threads: conversion of the text of pieces to columns, and of the pieces of a
 * block to bytes.
 *
 * Always true: the result depends only on the pieces, not on the division of the work. Jobs are returned in the order
 * in which they began. Without threads the caller does all the work. Text is freed when its piece is encoded, so
 * memory is bounded by a few pieces of text and the columns of the blocks in progress.
 */
#include <xxhash.h>
#include "bits.h"
#include "control.h"
#include "crew.h"
#include "job.h"

void queue_free(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->stop = true;
	pthread_cond_broadcast(&q->change);
	pthread_mutex_unlock(&q->lock);
	crew_join(q->crew);
	while (q->n_spare) {
		parsed_free(q->spare[--q->n_spare]);
		free(q->spare[q->n_spare]);
	}
	while (q->n_text)
		buf_free(&q->text[--q->n_text]);
	isa_free(q->isa);
	share_free(q->share);
	pthread_cond_destroy(&q->change);
	pthread_mutex_destroy(&q->lock);
	free(q);
}

/* ---- reuse of buffers --------------------------------------------------------------------- */

struct parsed *queue_take_parsed(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	struct parsed *p = q->n_spare ? q->spare[--q->n_spare] : NULL;
	pthread_mutex_unlock(&q->lock);
	return p ? p : xcalloc(1, sizeof(*p));
}

void queue_return_parsed(struct queue *q, struct parsed *p)
{
	parsed_clear(p);
	pthread_mutex_lock(&q->lock);
	bool kept = q->n_spare < SPARE_MAX;
	if (kept)
		q->spare[q->n_spare++] = p;
	pthread_mutex_unlock(&q->lock);
	if (!kept) {
		parsed_free(p);
		free(p);
	}
}

struct buf queue_take_text(struct queue *q)
{
	struct buf b = {0};

	pthread_mutex_lock(&q->lock);
	if (q->n_text)
		b = q->text[--q->n_text];
	pthread_mutex_unlock(&q->lock);
	b.n = 0;
	return b;
}

void queue_return_text(struct queue *q, struct buf *b)
{
	pthread_mutex_lock(&q->lock);
	bool kept = q->n_text < SPARE_MAX;
	if (kept)
		q->text[q->n_text++] = *b;
	pthread_mutex_unlock(&q->lock);
	if (!kept)
		buf_free(b);
	*b = (struct buf){0};
}

/* ---- one piece ---------------------------------------------------------------------------- */

/* Writes the position in the kernel of a piece that does not begin it. */
static void append_piece_position(struct buf *m, const struct piece *c)
{
	mp_uint(m, c->first_block);
	for (int i = 0; i < 3; i++)
		mp_uint(m, c->facts.grid[i]);
	mp_uint(m, c->facts.threads);
}

/* Parses the piece's thread blocks. Returns the number of bytes of text that are no longer needed. */
static size_t parse_piece(struct parsed *p, const struct piece *c)
{
	const char *text = (const char *)c->text.p;
	struct part *part = &p->part;
	size_t at = c->header;

	memcpy(part->grid, c->facts.grid, sizeof(part->grid));
	part->threads = c->facts.threads;
	part->style = STYLE_DIALECT * c->facts.dialect;
	part->first_block = c->first_block;
	if (c->records)
		return c->text.n;
	while (at < c->text.n) {
		size_t gap = part->first_block + part->n_blocks != 0;

		if (gap && text[at] != '\n')
			break;
		size_t n = at + gap < c->text.n ? parse_block(p, text + at + gap, c->text.n - at - gap) : 0;
		if (!n)
			break;
		at += gap + n;
	}
	return at;
}

static size_t job_columns(const struct encoded *e)
{
	size_t n = 0;

	for (int k = 1; k < N_COLUMNS; k++)
		n += e->col[k].n;
	return n;
}

static struct cur cursor_over_buffer(const struct buf *b) { return cur_of(b->p, b->n); }

/* Converts the piece to the string to which its repetitions refer. */
static void make_body_string(struct piece *c)
{
	struct encoded *e = c->encoded;
	struct body_parts b = {.flags = (c->begins ? PIECE_BEGINS : 0u) | (c->ends ? PIECE_ENDS : 0u) |
					PIECE_PART | (e->stored.n ? PIECE_STORED : 0u),
		.table = cursor_over_buffer(&e->table),
		.stored = cursor_over_buffer(&e->stored),
		.text_bytes = c->bytes - c->header};
	struct buf place = {0};

	if (!c->has_records || !stream_is_blank(e->stored.p, e->stored.n) ||
		job_columns(e) + e->table.n + e->stored.n + c->stripped.n > body_size_max(c->size))
		return;
	if (!c->begins)
		append_piece_position(&place, c);
	b.header = cursor_over_buffer(c->begins ? &c->stripped : &place);
	for (int k = 1; k < COL_STORED; k++)
		b.col[k] = cursor_over_buffer(&e->col[k]);
	body_join(&e->body, &b);
	buf_free(&place);
	if (e->body.n > body_size_max(c->size))
		buf_free(&e->body);
}

/*
 * Smallest number of static instructions whose registers become streams. With fewer, the codings of the streams take
 * more bytes than the streams save, and kernels that differ by an instruction have longer patches.
 */
#define STREAMS_LEAST 256u

static void encode_piece(struct queue *q, struct piece *c)
{
	if (c->repeated)
		return;
	struct parsed *p = c->records ? c->records : queue_take_parsed(q);
	size_t taken = parse_piece(p, c);
	struct encoded *e = c->encoded = xcalloc(1, sizeof(*e));

	c->has_records = p->part.n_blocks != 0;
	if (c->has_records) {
		p->areas = c->relative;
		p->part.style |= c->has_values ? STYLE_VALUES : 0u;
		e->has_streams = c->allows_streams && p->part.code.n_statics >= STREAMS_LEAST;
		p->part.style |= e->has_streams ? STYLE_STREAMS : 0u;
		/* The step is odd, so that every position in a thread block is sampled. */
		p->step = q->level == PACK_FAST ? p->n_rec / QUICK_INSTS | 1 : 1;
		encode_part(p, e->col);
		part_pack(&e->table, &p->part);
	}
	census_add_part(&e->census, p, q->isa, c->facts.binary);
	queue_return_parsed(q, p);
	if (c->has_records && !c->records &&
		job_columns(e) + e->table.n > taken - c->header + PIECE_SLACK / 2) {
		columns_free(e->col); /* the text takes fewer bytes than the columns */
		buf_free(&e->table);
		c->has_records = false;
		taken = c->header;
	}
	if (taken < c->text.n) {
		e->census.has_counts &= stream_is_blank(c->text.p + taken, c->text.n - taken);
		buf_add(&e->stored, c->text.p + taken, c->text.n - taken);
	}
	if (c->header)
		buf_add(&e->head, c->text.p, c->header);
	c->records = NULL;
	queue_return_text(q, &c->text);
	if (!c->origin)
		return;
	make_body_string(c);
	c->origin->census = e->census;
	c->origin->may_be_body = e->body.n != 0;
	if (e->body.n && (c->twin || !c->origin->has_key)) {
		const XXH128_hash_t h = XXH3_128bits_withSeed(e->body.p, e->body.n, q->share->seed);

		memcpy(c->origin->body_hash, (uint64_t[]){h.low64, h.high64}, sizeof(c->origin->body_hash));
	}
	buf_free(&c->stripped);
}

/* ---- one block ---------------------------------------------------------------------------- */

/* Functions whose control codes the block has, identified by the address of their machine code. */
struct coded {
	const uint8_t **code; /* array with space for one function per piece */
	uint32_t n;
};

/* A block that is being assembled from its pieces. */
struct gathering {
	struct job *job;
	struct share *share;
	struct buf *col;            /* columns of the block */
	struct header_state header; /* id and stream of the last kernel */
	struct body_order order;
	struct coded coded; /* functions of the block */
	size_t *flagged;    /* offsets in the metadata of items with PIECE_BODY */
	uint32_t n_flagged;
};

/* Appends the function's number to column k. */
static void append_function_number(struct gathering *g, const struct piece *c, int column)
{
	struct coded *d = &g->coded;
	uint32_t k = 0;

	while (k < d->n && d->code[k] != c->codes)
		k++;
	mp_uint(&g->col[column], k);
	if (k < d->n)
		return;
	d->code[d->n++] = c->codes;
	mp_uint(&g->col[column], c->n_codes);
	pack_control(&g->col[COL_CODES], c->codes, c->n_codes);
}

/* Writes the fields of a kernel that are not part of its body: id, stream, hash, control codes. */
static void put_kernel_fields(struct gathering *g, const struct piece *c)
{
	bool hash = c->ends && !c->no_hash && c->bytes >= HASH_TEXT;
	uint64_t off = c->ids.id - g->header.id - 1;
	struct buf *b = &g->col[COL_KERNEL];

	buf_byte(b, (uint8_t)((c->begins && off ? KERNEL_ID : 0) |
			      (c->begins && c->ids.stream != g->header.stream ? KERNEL_STREAM : 0) |
			      (hash ? KERNEL_HASH : 0) | (c->codes ? KERNEL_CODES : 0)));
	if (c->begins && off)
		buf_var(b, fold((int64_t)off));
	if (c->begins && c->ids.stream != g->header.stream)
		buf_var(b, c->ids.stream);
	if (c->begins)
		g->header = c->ids;
	if (hash)
		buf_add(b, c->hash, 16);
	if (c->codes)
		append_function_number(g, c, COL_KERNEL);
}

/* Appends a piece as a reference to a body. p is the patch that defines a new body, else NULL. */
static void append_shared_piece(
	struct gathering *g, const struct piece *c, const struct origin *o, const struct patch *p)
{
	struct buf *b = &g->col[COL_BODY];
	uint32_t next = order_predict(&g->order), from = next != NONE ? next
							 : p          ? o->body
								      : g->share->n_bodies;

	g->job->shared = true;
	mp_uint(&g->col[COL_META],
		PIECE_SHARED | (c->begins ? PIECE_BEGINS : 0) | (c->ends ? PIECE_ENDS : 0));
	if (p) {
		buf_var(b, BODY_PATCH);
		buf_var(b, g->job->relative ? fold((int64_t)o->root->body - from) : o->body - o->root->body);
		buf_add(&g->col[COL_PATCH], p->ops.p, p->ops.n);
		buf_add(&g->col[COL_FRESH], p->fresh.p, p->fresh.n);
	} else if (next == o->body) {
		buf_var(b, BODY_NEXT);
	} else {
		buf_var(b, BODY_PATCH + (g->job->relative ? fold((int64_t)o->body - from)
							  : g->share->n_bodies - o->body));
	}
	order_add(&g->order, o->body, p != NULL);
	put_kernel_fields(g, c);
}

static void append_whole_piece(struct gathering *g, const struct piece *c)
{
	const struct encoded *e = c->encoded;
	struct buf *m = &g->col[COL_META];
	bool hash = c->ends && !c->no_hash && (c->bytes >= HASH_TEXT || job_columns(e) >= HASH_COLUMNS);

	if (c->origin && c->origin->body != NONE)
		g->flagged[g->n_flagged++] = m->n;
	mp_uint(m, (c->begins ? PIECE_BEGINS : 0) | (c->ends ? PIECE_ENDS : 0) |
			   (c->has_records ? PIECE_PART : 0) | (e->stored.n ? PIECE_STORED : 0) |
			   (hash ? PIECE_HASH : 0) | (c->codes ? PIECE_CODES : 0) |
			   (c->origin && c->origin->body != NONE ? PIECE_BODY : 0));
	if (!c->begins) {
		append_piece_position(m, c);
	} else {
		header_pack(m, &g->header, e->head.p ? (const char *)e->head.p : "", e->head.n, c->lines);
		if (c->codes)
			append_function_number(g, c, COL_META);
	}
	if (c->has_records)
		buf_add(m, e->table.p, e->table.n);
	if (e->stored.n) {
		mp_uint(m, e->stored.n);
		buf_add(&g->col[COL_STORED], e->stored.p, e->stored.n);
	}
	if (c->ends)
		mp_uint(m, c->bytes);
	if (hash)
		mp_bin(m, c->hash, 16);
	for (int k = 1; k < COL_STORED; k++)
		buf_add(&g->col[k], e->col[k].p, e->col[k].n);
}

static void append_piece_to_block(struct queue *q, struct gathering *g, struct piece *c, bool first)
{
	struct encoded *e = c->encoded;
	struct patch p;

	if (c->repeated) {
		append_shared_piece(g, c, c->repeated, NULL);
		return;
	}
	bool body = c->origin && e->body.n, patched = false;
	const bool same = body && c->twin && c->twin->body != NONE &&
			  !memcmp(c->origin->body_hash, c->twin->body_hash, sizeof(c->twin->body_hash));
	if (same) {
		pthread_mutex_lock(&q->lock);
		share_use_body(c->origin, c->twin);
		pthread_mutex_unlock(&q->lock);
		buf_free(&e->body);
		body = false;
	}
	if (body) {
		pthread_mutex_lock(&q->lock);
		patched = share_make_body(g->share, c->origin, c->related, &e->body, &p, first && !c->begins);
		pthread_mutex_unlock(&q->lock);
		g->job->n_bodies++;
	}
	if (patched || same) {
		append_shared_piece(g, c, c->origin, patched ? &p : NULL);
	} else {
		append_whole_piece(g, c);
		if (body)
			order_add(&g->order, c->origin->body, false);
	}
	if (body)
		patch_free(&p);
	columns_free(e->col);
	buf_free(&e->table);
	buf_free(&e->head);
	c->is_stored_text = e->stored.n && !stream_is_blank(e->stored.p, e->stored.n);
	buf_free(&e->stored);
}

/* Removes the PIECE_BODY flags if no piece refers to a body. */
static void remove_body_flags(struct gathering *g)
{
	struct buf *m = &g->col[COL_META], old = *m;
	size_t at = 0;

	*m = (struct buf){0};
	for (uint32_t i = 0; i < g->n_flagged; i++) {
		size_t to = g->flagged[i]; /* an item with a flag has two bytes: type and value */

		buf_add(m, old.p + at, to - at);
		mp_uint(m, old.p[to + 1] & ~(unsigned)PIECE_BODY);
		at = to + 2;
	}
	buf_add(m, old.p + at, old.n - at);
	buf_free(&old);
	g->job->n_bodies = 0;
}

/* Appends the columns of all pieces to the columns of the block. */
static void gather_job(struct queue *q, struct job *j)
{
	struct gathering g = {.job = j,
		.share = q->share,
		.col = j->col,
		.coded = {xcalloc(j->n + 1, sizeof(uint8_t *)), 0},
		.flagged = xcalloc(j->n + 1, sizeof(size_t))};

	mp_uint(&j->col[COL_META], j->list.n ? 1 : 0);
	buf_add(&j->col[COL_META], j->list.p, j->list.n);
	mp_uint(&j->col[COL_META], j->n);
	for (uint32_t i = 0; i < j->n; i++)
		append_piece_to_block(q, &g, j->piece[i], i == 0);
	if (j->plain && !j->shared)
		remove_body_flags(&g);
	free(g.flagged);
	free(g.coded.code);
	order_free(&g.order);
	frames_begin(&j->frames, j->col, j->dict);
}

static void finish_job(struct job *j)
{
	frames_end(&j->out, &j->frames, j->col);
	columns_free(j->col);
}

void job_free(struct queue *q, struct job *j)
{
	pthread_mutex_lock(&q->lock);
	for (struct origin *o = j->gone_origins, *next; o; o = next) {
		next = o->next_gone;
		share_release(o);
	}
	pthread_mutex_unlock(&q->lock);
	for (uint32_t i = 0; i < j->n; i++) {
		free(j->piece[i]->encoded);
		free(j->piece[i]);
	}
	free(j->piece);
	buf_free(&j->list);
	buf_free(&j->out);
	free(j);
}

/* ---- distribution of work ----------------------------------------------------------------- */

/*
 * Compresses a frame of a gathered job. After the last frame, makes the bytes of the block. Requires the lock, which
 * it releases meanwhile.
 */
static void compress_job_frame(struct queue *q, struct job *j)
{
	/* The joined columns take the longest, so they are first. */
	unsigned k = FRAMES - ++j->frames_begun;

	pthread_mutex_unlock(&q->lock);
	frames_compress(&j->frames, j->col, k, q->level);
	pthread_mutex_lock(&q->lock);
	if (++j->frames_done < FRAMES)
		return;
	pthread_mutex_unlock(&q->lock);
	finish_job(j);
	pthread_mutex_lock(&q->lock);
	j->finished = true;
	pthread_cond_broadcast(&q->change);
}

/* Does a unit of work. Returns false if none is available. */
static bool do_unit_of_work(struct queue *q)
{
	bool gathered = true; /* jobs are gathered in order, after all earlier jobs */

	for (struct job *j = q->oldest; j; gathered = gathered && j->gathered, j = j->next) {
		if (j->started < j->n) {
			struct piece *c = j->piece[j->started++];

			pthread_mutex_unlock(&q->lock);
			encode_piece(q, c);
			pthread_mutex_lock(&q->lock);
			if (c->origin)
				c->origin->encoded = true;
			j->encoded++;
			q->waiting--;
			pthread_cond_broadcast(&q->change);
			return true;
		}
		if (gathered && j->closed && j->encoded == j->n && !j->gathering) {
			j->gathering = true;
			pthread_mutex_unlock(&q->lock);
			gather_job(q, j);
			pthread_mutex_lock(&q->lock);
			j->gathered = true;
			pthread_cond_broadcast(&q->change);
			return true;
		}
		if (j->gathered && j->frames_begun < FRAMES) {
			compress_job_frame(q, j);
			return true;
		}
	}
	return false;
}

/* Does the work of the queue until it ends. */
static void *run_queue_worker(void *queue)
{
	struct queue *q = queue;

	pthread_mutex_lock(&q->lock);
	while (!q->stop)
		if (!do_unit_of_work(q))
			pthread_cond_wait(&q->change, &q->lock);
	pthread_mutex_unlock(&q->lock);
	return NULL;
}

struct queue *queue_new(unsigned threads, int level)
{
	struct queue *q = xcalloc(1, sizeof(*q));

	q->level = level;
	q->isa = isa_new();
	q->share = share_new();
	q->max_waiting = threads > 1 ? threads + 1 : 0;
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->change, NULL);
	q->crew = crew_start(threads > 1 ? min_u32(threads - 1, THREADS_MAX) : 0, run_queue_worker, q);
	return q;
}

struct job *queue_append_job(struct queue *q)
{
	struct job *j = xcalloc(1, sizeof(*j));

	pthread_mutex_lock(&q->lock);
	if (q->newest)
		q->newest->next = j;
	else
		q->oldest = j;
	q->newest = j;
	pthread_mutex_unlock(&q->lock);
	return j;
}

void queue_add_piece(struct queue *q, struct job *j, struct piece *c)
{
	pthread_mutex_lock(&q->lock);
	grow(&j->piece, &j->cap, j->n + 1, sizeof(j->piece[0]));
	j->piece[j->n++] = c;
	q->waiting++;
	pthread_cond_broadcast(&q->change);
	while (q->waiting > q->max_waiting)
		if (!do_unit_of_work(q))
			pthread_cond_wait(&q->change, &q->lock);
	pthread_mutex_unlock(&q->lock);
}

void queue_close(struct queue *q, struct job *j)
{
	pthread_mutex_lock(&q->lock);
	j->closed = true;
	pthread_cond_broadcast(&q->change);
	pthread_mutex_unlock(&q->lock);
}

bool queue_may_repeat(struct queue *q, const struct origin *o)
{
	pthread_mutex_lock(&q->lock);
	while (!o->encoded)
		if (!do_unit_of_work(q))
			pthread_cond_wait(&q->change, &q->lock);
	pthread_mutex_unlock(&q->lock);
	return o->may_be_body;
}

struct job *queue_remove_oldest(struct queue *q, bool wait)
{
	pthread_mutex_lock(&q->lock);
	struct job *j = q->oldest;
	while (j && j->closed && !j->finished && (wait || !crew_size(q->crew)))
		if (!do_unit_of_work(q))
			pthread_cond_wait(&q->change, &q->lock);
	if (j && !j->finished)
		j = NULL;
	if (j) {
		q->oldest = j->next;
		q->newest = q->oldest ? q->newest : NULL;
	}
	pthread_mutex_unlock(&q->lock);
	return j;
}
