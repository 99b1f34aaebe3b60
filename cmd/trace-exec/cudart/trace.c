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

/*
 * The trace of one launch. Only the trace of the earliest launch that has not ended is sent. The traces of later
 * launches are kept until that launch has ended.
 */
struct trace_sink {
	struct trace_sink *next;    /* next trace in the order of the launches */
	FILE *text;                 /* text of the trace; NULL: thread blocks are sent as records */
	struct bytes kept_messages; /* unsent messages, each a struct kept_head followed by its body */
	bool ended;
};
struct kept_head {
	uint64_t kind, n;
};

static struct trace_sink *sinks;
static struct bytes body; /* body of the message under construction */

static void send_or_keep(struct trace_sink *t, enum wire_kind kind, const void *bytes, size_t n)
{
	struct kept_head head = {kind, n};

	if (t == sinks) {
		cudart_send(kind, bytes, n);
		return;
	}
	bytes_add(&t->kept_messages, &head, sizeof(head));
	bytes_add(&t->kept_messages, bytes, n);
}

/* Sends the messages that were kept for a trace. */
static void send_kept_messages(struct trace_sink *t)
{
	struct kept_head head;

	for (size_t at = 0; at < t->kept_messages.n; at += sizeof(head) + (size_t)head.n) {
		memcpy(&head, t->kept_messages.p + at, sizeof(head));
		cudart_send(
			(enum wire_kind)head.kind, t->kept_messages.p + at + sizeof(head), (size_t)head.n);
	}
	bytes_free(&t->kept_messages);
}

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
	return trace_out_record_function(l->kernel, cudart.wire.packed);
}

/* Sends a body of any size. All of a large body except its end is sent as WIRE_PART. */
static void send_body_in_parts(struct trace_sink *t, enum wire_kind kind, const struct bytes *b)
{
	size_t last = b->n ? (b->n - 1) / WIRE_MOST * WIRE_MOST : 0;

	if (last)
		send_or_keep(t, WIRE_PART, b->p, last);
	send_or_keep(t, kind, b->p + last, b->n - last);
}

static void send_static_code(struct trace_sink *t, const struct grid *g, const struct occupancy *k)
{
	struct bytes *b = &body, header = {0};
	struct pack_code code = trace_out_static_code(g, k, &header);
	uint64_t n[2] = {code.n, code.n_text};

	b->n = 0;
	bytes_add(b, n, sizeof(n));
	bytes_add(b, code.inst, code.n * sizeof(*code.inst));
	bytes_add(b, code.text, code.n_text);
	bytes_add(b, header.p, header.n);
	send_body_in_parts(t, WIRE_CODE, b);
	bytes_free(&header);
	pack_code_free(&code);
}

/* Appends bytes, and zeros up to a multiple of 8. */
static void add_padded_bytes(struct bytes *b, const void *p, size_t n)
{
	bytes_add(b, p, n);
	bytes_add(b, (const char[8]){0}, -n % 8);
}

static void send_thread_block(struct trace_sink *t, const struct cta *c)
{
	struct pack_warp warp[BLOCK_WARPS];
	struct bytes *b = &body;
	char lines[BLOCK_LINES];

	trace_out_put_block_lines(lines, c);
	const struct wire_block head = {{c->id[0], c->id[1], c->id[2]}, c->n_warps, strlen(lines) + 1};
	trace_out_fill_warps(c, warp);
	b->n = 0;
	bytes_add(b, &head, sizeof(head));
	for (uint32_t i = 0; i < c->n_warps; i++) {
		const struct pack_warp *w = &warp[i];
		struct wire_warp n = {w->n_runs, w->n_payloads, w->n_words, 0, w->n_text};

		bytes_add(b, &n, sizeof(n));
	}
	add_padded_bytes(b, lines, head.n_lines);
	for (uint32_t i = 0; i < c->n_warps; i++) {
		const struct pack_warp *w = &warp[i];

		add_padded_bytes(b, w->word, w->n_words * sizeof(*w->word));
		add_padded_bytes(b, w->payload, w->n_payloads * sizeof(*w->payload));
		add_padded_bytes(b, w->run, w->n_runs * sizeof(*w->run));
		add_padded_bytes(b, w->text, w->n_text);
	}
	send_body_in_parts(t, WIRE_BLOCK, b);
}

static ssize_t write_to_wire(void *ctx, const char *bytes, size_t n)
{
	send_or_keep(ctx, WIRE_DATA, bytes, n);
	return (ssize_t)n;
}

struct trace_sink *cudart_begin_trace(const struct grid *g, const struct occupancy *k)
{
	cookie_io_functions_t io = {.write = write_to_wire};
	struct trace_sink **last = &sinks, *t;
	char name[40];

	if (!g->record)
		return NULL;
	while (*last)
		last = &(*last)->next;
	*last = t = xcalloc(1, sizeof(*t));
	snprintf(name, sizeof(name), "kernel-%u.traceg", g->launch->id);
	send_or_keep(t, WIRE_KERNEL, name, strlen(name));
	if (trace_out_has_records(g)) {
		send_static_code(t, g, k);
		return t;
	}
	t->text = fopencookie(t, "w", io);
	if (!t->text)
		die_errno("out of memory");
	setvbuf(t->text, NULL, _IOFBF, 1 << 16);
	trace_out_write_header(t->text, g, k);
	return t;
}

bool cudart_trace_block(void *ctx, struct cta *c)
{
	struct trace_sink *t = ctx;

	if (t && t->text)
		trace_out_write_block(t->text, c);
	else if (t)
		send_thread_block(t, c);
	return true;
}

void cudart_end_trace(struct trace_sink *t)
{
	if (!t)
		return;
	if (t->text)
		fclose(t->text);
	t->ended = true;
	while (sinks && sinks->ended) {
		t = sinks;
		sinks = t->next;
		bytes_free(&t->kept_messages);
		free(t);
		if (sinks)
			send_kept_messages(sinks);
	}
}
