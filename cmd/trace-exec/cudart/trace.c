/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traces of launches, sent to trace-exec as text, or as records of thread blocks for a packed stream.
 *
 * Always true: code that is estimated as machine code has no records and is text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "choice.h"
#include "cudart/cudart.h"
#include "trace_out.h"

static struct {
	FILE *text;         /* stream for the text of the current kernel; NULL: none */
	bool records;       /* thread blocks of the current kernel are sent as records */
	struct bytes block; /* body of the message under construction */
} sending;

bool cudart_is_chosen(const struct launch *l)
{
	static struct launch_choice choice;
	static bool known;

	if (!known) {
		const char *kernels = getenv(WIRE_ENV_KERNELS), *launches = getenv(WIRE_ENV_LAUNCHES);

		choice_add_kernels(&choice, kernels ? kernels : "");
		if (launches)
			(void)choice_add_launches(&choice, launches);
		known = true;
	}
	return choice_includes_launch(&choice, l->id, l->kernel->name);
}

record_fn *cudart_record_function(const struct launch *l)
{
	if (!cudart.wire.trace || !cudart.has_token || !cudart_is_chosen(l))
		return NULL;
	return trace_out_recorder(l->kernel, cudart.wire.packed);
}

/* Sends a body of any size. All of a large body except its end is sent as WIRE_PART. */
static void send_in_parts(enum wire_kind kind, const struct bytes *b)
{
	size_t last = b->n ? (b->n - 1) / WIRE_MOST * WIRE_MOST : 0;

	if (last)
		cudart_send(WIRE_PART, b->p, last);
	cudart_send(kind, b->p + last, b->n - last);
}

static void send_code(const struct grid *g, const struct occupancy *k)
{
	struct bytes *b = &sending.block, header = {0};
	struct pack_code code = trace_out_code(g, k, &header);
	uint64_t n[2] = {code.n, code.n_text};

	b->n = 0;
	bytes_add(b, n, sizeof(n));
	bytes_add(b, code.inst, code.n * sizeof(*code.inst));
	bytes_add(b, code.text, code.n_text);
	bytes_add(b, header.p, header.n);
	send_in_parts(WIRE_CODE, b);
	bytes_free(&header);
	pack_code_free(&code);
}

/* Appends bytes, and zeros up to a multiple of 8. */
static void add_padded_bytes(struct bytes *b, const void *p, size_t n)
{
	bytes_add(b, p, n);
	bytes_add(b, (const char[8]){0}, -n % 8);
}

static void send_thread_block(const struct cta *c)
{
	struct wire_block head = {{c->id[0], c->id[1], c->id[2]}, c->n_warps};
	struct pack_warp warp[BLOCK_WARPS];
	struct bytes *b = &sending.block;

	trace_out_fill_warps(c, warp);
	b->n = 0;
	bytes_add(b, &head, sizeof(head));
	for (uint32_t i = 0; i < c->n_warps; i++) {
		const struct pack_warp *w = &warp[i];
		struct wire_warp n = {w->n_runs, w->n_more, w->n_words, 0, w->n_text};

		bytes_add(b, &n, sizeof(n));
	}
	for (uint32_t i = 0; i < c->n_warps; i++) {
		const struct pack_warp *w = &warp[i];

		add_padded_bytes(b, w->word, w->n_words * sizeof(*w->word));
		add_padded_bytes(b, w->more, w->n_more * sizeof(*w->more));
		add_padded_bytes(b, w->run, w->n_runs * sizeof(*w->run));
		add_padded_bytes(b, w->text, w->n_text);
	}
	send_in_parts(WIRE_BLOCK, b);
}

static ssize_t write_to_wire(void *ctx, const char *bytes, size_t n)
{
	(void)ctx;
	cudart_send(WIRE_DATA, bytes, n);
	return (ssize_t)n;
}

void cudart_begin_trace(const struct grid *g, const struct occupancy *k)
{
	cookie_io_functions_t io = {.write = write_to_wire};
	char name[40];

	if (!g->record)
		return;
	snprintf(name, sizeof(name), "kernel-%u.traceg", g->launch->id);
	cudart_send(WIRE_KERNEL, name, strlen(name));
	sending.records = trace_out_has_records(g);
	if (sending.records) {
		send_code(g, k);
		return;
	}
	sending.text = fopencookie(&cudart, "w", io);
	if (!sending.text)
		die_errno("memory");
	setvbuf(sending.text, NULL, _IOFBF, 1 << 16);
	trace_out_header(sending.text, g, k);
}

bool cudart_trace_block(void *ctx, struct cta *c)
{
	(void)ctx;
	if (sending.records)
		send_thread_block(c);
	else if (sending.text)
		trace_out_block(sending.text, c);
	return true;
}

void cudart_end_trace(void)
{
	if (sending.text)
		fclose(sending.text);
	sending.text = NULL;
	sending.records = false;
}
