/* SPDX-License-Identifier: BSD-2-Clause */
/* End of the writer of packed streams: the kernel list if it comes last, the index, and the end of a stream that fails. */
#include "output.h"
#include "writer.h"

/* Appends the body of the index to b. */
static void append_index(struct pack_writer *w, struct buf *b)
{
	uint64_t kernel = 0, bytes = 0;

	mp_uint(b, w->n_entries);
	for (uint32_t i = 0; i < w->n_entries; i++) {
		const struct block_entry *e = &w->entry[i];

		mp_uint(b, e->size);
		mp_uint(b, e->kernel - kernel);
		mp_uint(b, e->blocks_before);
		if (w->allows_bodies)
			mp_uint(b, e->bodies);
		kernel = e->kernel;
		bytes += e->size;
	}
	if (w->has_several_blocks)
		directory_pack(&w->index_directory, &w->directory, bytes);
	if (w->picks.n)
		mp_bin(b, w->picks.p, w->picks.n);
	buf_add(b, w->index_directory.p, w->index_directory.n);
}

static void copy_spool(FILE *out, FILE *spool)
{
	char bytes[1 << 16];
	size_t n;

	rewind(spool);
	while ((n = fread(bytes, 1, sizeof(bytes), spool)) > 0)
		fwrite(bytes, 1, n, out);
	if (ferror(spool))
		die_errno("cannot write a temporary file");
}

/*
 * Writes the list that pack_list_last() announced. If the stream has one block with space for the list, the list is
 * put there. Otherwise a block with only the list precedes the blocks in the spool.
 */
static void write_announced_list(struct pack_writer *w)
{
	FILE *spool = w->spool;

	if (!w->has_several_blocks && (!w->job || w->list.n <= w->bytes_left)) {
		w->spool = NULL;
		fclose(spool);
		if (!w->job)
			return;
		w->job->list = w->list;
		w->list = (struct buf){0};
		return;
	}
	w->has_several_blocks = true;
	write_end_job(w, true);
	if (fflush(spool))
		die_errno("cannot write a temporary file");
	w->spool = NULL;
	write_current_job(w);
	write_end_job(w, true);
	uint64_t size = w->entry[w->n_entries - 1].size;
	memmove(w->entry + 1, w->entry, (w->n_entries - 1) * sizeof(w->entry[0]));
	w->entry[0] = (struct block_entry){.size = size};
	copy_spool(w->out, spool);
	fclose(spool);
}

static void free_writer(struct pack_writer *w)
{
	if (w->filled)
		queue_return_parsed(w->queue, w->filled);
	buf_free(&w->kernel_text);
	buf_free(&w->list);
	buf_free(&w->missing);
	buf_free(&w->picks);
	buf_free(&w->index_directory);
	directory_free(&w->directory);
	free(w->entry);
	records_free(&w->records);
	XXH3_freeState(w->hash);
	queue_free(w->queue);
	free(w);
}

void pack_writer_close(struct pack_writer *w)
{
	struct buf b = {0};

	if (w->spool)
		write_announced_list(w);
	if (w->list.n)
		write_current_job(w);
	write_end_job(w, true);
	append_index(w, &b);
	uint64_t size = write_frame(w, BLOCK_INDEX, &b);
	for (int i = 0; i < 4; i++)
		putc((int)(size >> 8 * i & 255), w->out);
	fwrite(PACK_END, 1, 4, w->out);
	buf_free(&b);
	free_writer(w);
}

void pack_writer_discard(struct pack_writer *w)
{
	if (w->job)
		queue_close(w->queue, w->job);
	for (struct job *j; (j = queue_remove_oldest(w->queue, true));)
		job_free(w->queue, j);
	if (w->spool)
		fclose(w->spool);
	free_writer(w);
}
