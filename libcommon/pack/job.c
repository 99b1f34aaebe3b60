/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The work of packing, side by side: pieces of text to columns, the pieces of a block to its bytes.
 *
 * Always true: what comes out depends on the pieces alone, not on who does the work or when; jobs are handed
 * back in the order in which they were begun. Without threads the caller does all work. Text is let go when
 * its piece is encoded, so that memory is some pieces of text and the columns of the blocks under way.
 */
#include "control.h"
#include "job.h"

struct queue *queue_new(unsigned threads, int level)
{
	struct queue *q = xcalloc(1, sizeof(*q));

	q->level = level;
	q->isa = isa_new();
	q->most = threads > 1 ? threads + 1 : 0;
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->change, NULL);
	for (; q->n_threads + 1 < threads && q->n_threads < THREADS_MAX; q->n_threads++)
		if (pthread_create(&q->thread[q->n_threads], NULL, queue_worker, q))
			break;
	return q;
}

void queue_free(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->stop = true;
	pthread_cond_broadcast(&q->change);
	pthread_mutex_unlock(&q->lock);
	while (q->n_threads)
		pthread_join(q->thread[--q->n_threads], NULL);
	while (q->n_spare) {
		parsed_free(q->spare[--q->n_spare]);
		free(q->spare[q->n_spare]);
	}
	while (q->n_text)
		buf_free(&q->text[--q->n_text]);
	isa_free(q->isa);
	pthread_cond_destroy(&q->change);
	pthread_mutex_destroy(&q->lock);
	free(q);
}

/* ---- buffers in use again ----------------------------------------------------------------- */

struct parsed *queue_parsed(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	struct parsed *p = q->n_spare ? q->spare[--q->n_spare] : NULL;
	pthread_mutex_unlock(&q->lock);
	return p ? p : xcalloc(1, sizeof(*p));
}

static void put_parsed(struct queue *q, struct parsed *p)
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

struct buf queue_text(struct queue *q)
{
	struct buf b = {0};

	pthread_mutex_lock(&q->lock);
	if (q->n_text)
		b = q->text[--q->n_text];
	pthread_mutex_unlock(&q->lock);
	b.n = 0;
	return b;
}

static void put_text(struct queue *q, struct buf *b)
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

/* The piece's thread blocks; bytes of text that are no longer needed. */
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

static size_t job_columns(const struct piece *c)
{
	size_t n = 0;

	for (int k = 1; k < N_COLUMNS; k++)
		n += c->col[k].n;
	return n;
}

static void encode_piece(struct queue *q, struct piece *c)
{
	struct parsed *p = c->records ? c->records : queue_parsed(q);
	size_t taken = parse_piece(p, c);

	c->part = p->part.n_blocks != 0;
	if (c->part) {
		/* Odd, so that every place in a thread block comes up. */
		p->step = q->level < THOROUGH_LEVEL ? p->n_rec / QUICK_INSTS | 1 : 1;
		encode_part(p, c->col);
		part_pack(&c->table, &p->part);
	}
	census_take(&c->census, p, q->isa, c->facts.binary);
	put_parsed(q, p);
	if (c->part && !c->records && job_columns(c) + c->table.n > taken - c->header + PIECE_SLACK / 2) {
		columns_free(c->col); /* rather as text */
		buf_free(&c->table);
		c->part = false;
		taken = c->header;
	}
	if (taken < c->text.n) {
		c->census.known &= stream_blank(c->text.p + taken, c->text.n - taken);
		buf_add(&c->stored, c->text.p + taken, c->text.n - taken);
	}
	if (c->header)
		buf_add(&c->head, c->text.p, c->header);
	c->records = NULL;
	put_text(q, &c->text);
}

/* ---- one block ---------------------------------------------------------------------------- */

/* Functions whose control codes the block has, by where their machine code is. */
struct coded {
	const uint8_t **code; /* capacity for one of each piece */
	uint32_t n;
};

static void put_codes(const struct piece *c, struct buf col[N_COLUMNS], struct coded *d)
{
	uint32_t k = 0;

	while (k < d->n && d->code[k] != c->codes)
		k++;
	mp_uint(&col[COL_META], k);
	if (k < d->n)
		return;
	d->code[d->n++] = c->codes;
	mp_uint(&col[COL_META], c->n_codes);
	pack_control(&col[COL_CODES], c->codes, c->n_codes);
}

static void put_piece(
	const struct piece *c, struct buf col[N_COLUMNS], struct header_state *s, struct coded *d)
{
	struct buf *m = &col[COL_META];
	bool hash = c->ends && !c->no_hash && (c->bytes >= HASH_TEXT || job_columns(c) >= HASH_COLUMNS);
	mp_uint(m, (c->begins ? PIECE_BEGINS : 0) | (c->ends ? PIECE_ENDS : 0) | (c->part ? PIECE_PART : 0) |
			   (c->stored.n ? PIECE_STORED : 0) | (hash ? PIECE_HASH : 0) |
			   (c->codes ? PIECE_CODES : 0));
	if (!c->begins) {
		mp_uint(m, c->first_block);
		for (int i = 0; i < 3; i++)
			mp_uint(m, c->facts.grid[i]);
		mp_uint(m, c->facts.threads);
	} else {
		header_pack(m, s, c->head.p ? (const char *)c->head.p : "", c->head.n, c->lines);
		if (c->codes)
			put_codes(c, col, d);
	}
	if (c->part)
		buf_add(m, c->table.p, c->table.n);
	if (c->stored.n) {
		mp_uint(m, c->stored.n);
		buf_add(&col[COL_STORED], c->stored.p, c->stored.n);
	}
	if (c->ends)
		mp_uint(m, c->bytes);
	if (hash)
		mp_bin(m, c->hash, 16);
	for (int k = 1; k < COL_STORED; k++)
		buf_add(&col[k], c->col[k].p, c->col[k].n);
}

/* The columns of all pieces, one after the other. */
static void gather_job(struct job *j)
{
	struct header_state s = {0};
	struct coded d = {xcalloc(j->n + 1, sizeof(d.code[0])), 0};

	mp_uint(&j->col[COL_META], j->list.n ? 1 : 0);
	buf_add(&j->col[COL_META], j->list.p, j->list.n);
	mp_uint(&j->col[COL_META], j->n);
	for (uint32_t i = 0; i < j->n; i++) {
		struct piece *c = j->piece[i];

		put_piece(c, j->col, &s, &d);
		columns_free(c->col);
		buf_free(&c->table);
		buf_free(&c->head);
		c->kept = c->stored.n && !stream_blank(c->stored.p, c->stored.n);
		buf_free(&c->stored);
	}
	free(d.code);
	frames_begin(&j->frames, j->col, j->words);
}

static void finish_job(struct job *j)
{
	frames_end(&j->out, &j->frames, j->col);
	columns_free(j->col);
}

void job_free(struct job *j)
{
	for (uint32_t i = 0; i < j->n; i++)
		free(j->piece[i]);
	free(j->piece);
	buf_free(&j->list);
	buf_free(&j->out);
	free(j);
}

/* ---- who does what ------------------------------------------------------------------------ */

/*
 * One frame of a gathered job; the last of them makes its bytes. The lock is held, and held again afterwards.
 */
static void do_frame(struct queue *q, struct job *j)
{
	unsigned k = FRAMES - ++j->frames_begun; /* the joined columns take longest and come first */

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

/* The same; false: there is nothing to do now. */
static bool do_something(struct queue *q)
{
	for (struct job *j = q->first; j; j = j->next) {
		if (j->started < j->n) {
			struct piece *c = j->piece[j->started++];

			pthread_mutex_unlock(&q->lock);
			encode_piece(q, c);
			pthread_mutex_lock(&q->lock);
			j->encoded++;
			q->waiting--;
			pthread_cond_broadcast(&q->change);
			return true;
		}
		if (j->closed && j->encoded == j->n && !j->gathering) {
			j->gathering = true;
			pthread_mutex_unlock(&q->lock);
			gather_job(j);
			pthread_mutex_lock(&q->lock);
			j->gathered = true;
			pthread_cond_broadcast(&q->change);
			return true;
		}
		if (j->gathered && j->frames_begun < FRAMES) {
			do_frame(q, j);
			return true;
		}
	}
	return false;
}

void *queue_worker(void *queue)
{
	struct queue *q = queue;

	pthread_mutex_lock(&q->lock);
	while (!q->stop)
		if (!do_something(q))
			pthread_cond_wait(&q->change, &q->lock);
	pthread_mutex_unlock(&q->lock);
	return NULL;
}

struct job *queue_job(struct queue *q)
{
	struct job *j = xcalloc(1, sizeof(*j));

	pthread_mutex_lock(&q->lock);
	if (q->last)
		q->last->next = j;
	else
		q->first = j;
	q->last = j;
	pthread_mutex_unlock(&q->lock);
	return j;
}

void queue_piece(struct queue *q, struct job *j, struct piece *c)
{
	pthread_mutex_lock(&q->lock);
	grow(&j->piece, &j->cap, j->n + 1, sizeof(j->piece[0]));
	j->piece[j->n++] = c;
	q->waiting++;
	pthread_cond_broadcast(&q->change);
	while (q->waiting > q->most)
		if (!do_something(q))
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

struct job *queue_take(struct queue *q, bool wait)
{
	pthread_mutex_lock(&q->lock);
	struct job *j = q->first;
	while (j && j->closed && !j->finished && (wait || !q->n_threads))
		if (!do_something(q))
			pthread_cond_wait(&q->change, &q->lock);
	if (j && !j->finished)
		j = NULL;
	if (j) {
		q->first = j->next;
		q->last = q->first ? q->last : NULL;
	}
	pthread_mutex_unlock(&q->lock);
	return j;
}
