/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of results: detection of the form, and events for the caller.
 *
 * Always true: events are queued (due) when a record is complete, and returned before more is read, so their data is
 * still valid. If a record starts while events are due, its line is read again after the events.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "list.h"
#include "num.h"

struct results *results_new(struct input *in, unsigned flags)
{
	struct results *r = xcalloc(1, sizeof(*r));

	r->in = in;
	r->flags = flags;
	r->file = input_name(in);
	r->mark = 1;
	r->first_figure = UINT32_MAX;
	input_skip_byte_order_mark(in);
	return r;
}

void results_limit_figures(struct results *r, results_wanted *wanted, void *ctx)
{
	r->wanted = wanted;
	r->wanted_ctx = ctx;
}

struct results *results_open(const char *path, unsigned flags, struct fault *f)
{
	struct input *in = input_open(path, f);

	return in ? results_new(in, flags) : NULL;
}

void results_close(struct results *r)
{
	if (!r)
		return;
	input_close(r->in);
	arena_free(&r->texts);
	arena_free(&r->rows);
	arena_free(&r->option_texts);
	free(r->name);
	table_free(&r->names);
	free(r->order);
	free(r->zero);
	free(r->listed);
	free(r->member);
	free(r->kernel_names);
	table_free(&r->kernel_name_rows);
	arena_free(&r->kernel_name_texts);
	free(r->list);
	free(r->option);
	free(r->kernel_name);
	free(r->line);
	free(r);
}

struct place read_place(const struct results *r)
{
	return (struct place){.file = r->file, .line = r->form == RESULT_MSGPACK ? 0 : input_lineno(r->in)};
}

/* ---- records ------------------------------------------------------------------------------ */

enum read_record read_record_of(const struct results *r, const char *word)
{
	if (!strcmp(word, "interval"))
		return r->flags & RESULT_INTERVALS ? READ_INTERVAL : READ_OTHER;
	if (!strcmp(word, "run"))
		return READ_RUN;
	if (!strcmp(word, "kernel"))
		return READ_KERNEL;
	return !strcmp(word, "end") ? READ_END : READ_OTHER;
}

static void queue_event(struct results *r, enum result_event event) { r->due[r->n_due++] = event; }

static void start_run(struct results *r)
{
	r->run++;
	r->kernels = 0;
	r->in_run = true;
	r->hash[0] = '\0';
	r->started = false;
	r->n_options = 0;
	r->n_zero = r->n_listed = r->n_kernel_names = 0;
	table_clear(&r->kernel_name_rows);
	arena_reset(&r->kernel_name_texts);
	arena_reset(&r->option_texts);
	r->log.blocks = 0;
	r->log.first_id_seen = r->log.limit_reported = false;
}

static void queue_start_event(struct results *r)
{
	if (!r->started)
		queue_event(r, RESULT_START);
	r->started = true;
}

void read_finish_run(struct results *r, const char *status)
{
	queue_start_event(r);
	snprintf(r->status, sizeof(r->status), "%s", status);
	queue_event(r, RESULT_DONE);
	r->in_run = false;
	r->record = READ_NONE;
}

void read_cut_run(struct results *r, const char *fmt, ...)
{
	va_list args;

	if (!r->in_run)
		return;
	r->cut = (struct fault){.place = read_place(r), .id = "run-cut"};
	va_start(args, fmt);
	vsnprintf(r->cut.text, sizeof(r->cut.text), fmt, args);
	va_end(args);
	list_run_totals(r);
	read_finish_run(r, "cut");
}

bool read_begin(struct results *r, enum read_record record)
{
	if (record == READ_RUN && r->in_run) {
		read_cut_run(r, "another run starts before the end record of this one");
		return false;
	}
	if (record != READ_OTHER && !r->in_run) {
		r->lacks_run_record = record != READ_RUN && r->form != RESULT_ACCELSIM;
		start_run(r);
	}
	r->record = record;
	r->mark++;
	r->n_order = 0;
	if (record == READ_KERNEL || record == READ_INTERVAL) {
		r->kernel = (struct result_kernel){0};
		read_set_kernel_name(r, "");
	}
	if (record == READ_END)
		r->status[0] = '\0';
	return true;
}

void read_complete(struct results *r)
{
	enum read_record record = r->record;

	r->record = READ_NONE;
	if (record == READ_RUN) {
		queue_start_event(r);
	} else if (record == READ_KERNEL) {
		queue_start_event(r);
		r->kernels++;
		if (!r->kernel.position)
			r->kernel.position = r->kernels;
		list_kernel_record(r);
		queue_event(r, RESULT_KERNEL);
	} else if (record == READ_INTERVAL) {
		queue_start_event(r);
		list_end_record(r);
		queue_event(r, RESULT_INTERVAL);
	} else if (record == READ_END) {
		char status[sizeof(r->status)];

		memcpy(status, r->status, sizeof(status));
		list_end_record(r);
		read_finish_run(r, *status ? status : "complete");
	}
}

void read_set_kernel_name(struct results *r, const char *name)
{
	size_t n = strlen(name);

	if (n > READ_WORD_MAX)
		n = READ_WORD_MAX;
	grow(&r->kernel_name, &r->cap_kernel_name, (uint32_t)n + 1, 1);
	memcpy(r->kernel_name, name, n);
	r->kernel_name[n] = '\0';
}

void read_number_name(struct results *r)
{
	size_t len = strlen(r->kernel_name);
	uint64_t hash = table_hash(r->kernel_name, len);

	FOR_TABLE (w, &r->kernel_name_rows, hash)
		if (!strcmp(r->kernel_names[w.number], r->kernel_name))
			return;
	grow(&r->kernel_names, &r->cap_kernel_names, r->n_kernel_names + 1, sizeof(*r->kernel_names));
	table_add(&r->kernel_name_rows, hash, r->n_kernel_names);
	r->kernel_names[r->n_kernel_names++] = arena_strndup(&r->kernel_name_texts, r->kernel_name, len);
}

void read_option(struct results *r, const char *name, const char *value, bool about)
{
	struct arena *a = &r->option_texts;

	if (r->n_options >= 4096)
		return;
	grow(&r->option, &r->cap_options, r->n_options + 1, sizeof(*r->option));
	r->option[r->n_options++] =
		(struct result_option){arena_strndup(a, name, strnlen(name, READ_WORD_MAX)),
			arena_strndup(a, value, strnlen(value, READ_WORD_MAX)), about};
}

/* Appends a dimension to a text such as "6x1x1". */
static void append_dimension(char out[40], const char *value)
{
	size_t n = strlen(out);

	snprintf(out + n, 40 - n, "%s%.10s", n ? "x" : "", value);
}

int read_member(struct results *r, const char *name, const char *value)
{
	if (r->record == READ_RUN) {
		bool about = strncmp(name, "config.", 7) != 0;

		if (!strncmp(name, "figures.", 8))
			list_add_zero(r, name + 8);
		else if (strcmp(name, "record"))
			read_option(r, about ? name : name + 7, value, about);
	} else if (r->record == READ_END) {
		if (!strcmp(name, "status"))
			snprintf(r->status, sizeof(r->status), "%s", value);
		else if (!strcmp(name, "hash"))
			snprintf(r->hash, sizeof(r->hash), "%s", value);
	} else if (r->record == READ_KERNEL || r->record == READ_INTERVAL) {
		if (!strcmp(name, "position"))
			r->kernel.position = (uint32_t)num_leading(value);
		else if (!strcmp(name, "name"))
			read_set_kernel_name(r, value);
		else if (!strcmp(name, "id"))
			r->kernel.id = num_leading(value);
		else if (!strcmp(name, "stream"))
			r->kernel.stream = num_leading(value);
		else if (!strncmp(name, "grid.", 5))
			append_dimension(r->kernel.grid, value);
		else if (!strncmp(name, "block.", 6))
			append_dimension(r->kernel.block, value);
		else if (!strcmp(name, "status"))
			snprintf(r->kernel.status, sizeof(r->kernel.status), "%s", value);
		else if (!strcmp(name, "first_cycle"))
			r->first_cycle = num_leading(value);
		else if (!strcmp(name, "cycles"))
			r->cycles = num_leading(value);
		else if (!strcmp(name, "hash"))
			snprintf(r->kernel.hash, sizeof(r->kernel.hash), "%s", value);
		else if (!strcmp(name, "checksum"))
			snprintf(r->kernel.checksum, sizeof(r->kernel.checksum), "%s", value);
		else if (!strcmp(name, "reused_from"))
			r->kernel.reused_from = (uint32_t)num_leading(value);
	}
	return 0;
}

/* ---- input ---------------------------------------------------------------------------------- */

/*
 * Ends the input. The caller repeats the call until no event is due, because the last kernel precedes the end of its
 * run.
 */
static int handle_end_of_input(struct results *r)
{
	read_accelsim_end(r);
	r->record_end = input_offset(r->in);
	if (!r->n_due && r->form == RESULT_TEXT && r->record != READ_NONE && input_line_had_newline(r->in))
		read_complete(r);
	if (r->n_due)
		return 0;
	r->finished = true;
	read_cut_run(r, "the input ends%s before %s: this run is not complete",
		r->record != READ_NONE ? " inside a record" : "",
		r->form == RESULT_ACCELSIM ? "'exit detected'" : "an end record");
	return 0;
}

/* Handles a fault of the input. If a compressed stream ends early, the run is cut; other faults are returned. */
static int handle_fault(struct results *r, struct fault *f)
{
	if (strcmp(f->id, "compressed-truncated") || !r->in_run)
		return -1;
	read_accelsim_end(r);
	if (r->n_due)
		return 0;
	r->finished = true;
	read_cut_run(r, "%s", f->text);
	return 0;
}

static int read_msgpack_step(struct results *r, struct fault *f)
{
	const char *bytes = ""; /* remains empty at the end of the input */
	long have = input_window(r->in, 1, &bytes, f), n = 0;

	while (have > 0 && !(n = read_msgpack_length((const unsigned char *)bytes, (size_t)have))) {
		long before = have;

		have = input_window(r->in, (size_t)(before + before / 2 + 1), &bytes, f);
		if (have == before) {
			r->finished = true;
			if (r->in_run)
				read_cut_run(r,
					"the input ends inside a record before an end record: this run is not complete");
			return 0;
		}
	}
	if (have < 0)
		return handle_fault(r, f);
	r->form = RESULT_MSGPACK;
	if (n < 0)
		return fault_set(f, read_place(r), "msgpack-record",
			"no record in MessagePack at byte %llu (malformed, nested too deep, or larger than 4 MiB)",
			(unsigned long long)input_offset(r->in));
	n = read_msgpack_object(r, bytes, (size_t)n, f);
	if (n > 0)
		input_consume(r->in, (size_t)n, 0);
	return n < 0 ? -1 : 0;
}

static int next_line(struct results *r, struct fault *f)
{
	const char *text;
	int got;

	if (r->read_again) {
		r->read_again = false;
		return 1;
	}
	r->line_start = input_offset(r->in);
	got = input_line(r->in, &text, &r->line_len, f);
	if (got > 0) {
		grow(&r->line, &r->cap_line, (uint32_t)r->line_len + 1, 1);
		memcpy(r->line, text, r->line_len);
		r->line[r->line_len] = '\0';
	}
	return got;
}

/* Returns true if a line starts a record in text form: "# WORD". */
static bool starts_text(const char *line)
{
	return !strcmp(line, "# run") || !strcmp(line, "# kernel") || !strcmp(line, "# end") ||
	       !strcmp(line, "# interval");
}

static bool starts_log(const char *line)
{
	return !strncmp(line, "kernel_name = ", 14) || !strncmp(line, "Accel-Sim [", 11);
}

static enum result_form detect_line_form(const struct results *r)
{
	const char *s = r->line;

	if (*s == '{')
		return RESULT_JSON;
	if (starts_text(s))
		return RESULT_TEXT;
	if (starts_log(s))
		return RESULT_ACCELSIM;
	if (r->form == RESULT_TEXT && r->record != READ_NONE)
		return RESULT_TEXT;
	return RESULT_ACCELSIM;
}

/* Switches to another form and ends the current record or run. Returns false if events are due first. */
static bool change_result_form(struct results *r, enum result_form form)
{
	enum result_form old = r->form;

	if (form == old || (old == RESULT_TEXT && r->run == 0)) {
		r->form = form;
		return true;
	}
	if (old == RESULT_TEXT && r->record != READ_NONE) {
		r->record_end = r->line_start;
		read_complete(r);
		return false;
	}
	if (old == RESULT_ACCELSIM && r->in_run) {
		read_accelsim_end(r);
		if (r->n_due)
			return false;
		read_cut_run(r, "other records follow before 'exit detected'");
		return false;
	}
	if (form == RESULT_ACCELSIM && r->in_run && starts_log(r->line)) {
		read_cut_run(r, "a log of Accel-Sim follows before an end record");
		return false;
	}
	if (form != RESULT_ACCELSIM || !r->in_run)
		r->form = form;
	return true;
}

static int report_bad_line(struct results *r, struct fault *f)
{
	char q[60];

	return fault_set(f, read_place(r), "record-line", "unexpected '%s' (expected a record)",
		diag_quote(q, sizeof(q), r->line, r->line_len));
}

static int read_line_step(struct results *r, struct fault *f)
{
	int got = next_line(r, f);
	enum result_form form;

	if (got < 0)
		return handle_fault(r, f);
	if (!got)
		return handle_end_of_input(r);
	form = detect_line_form(r);
	if (!change_result_form(r, form)) {
		r->read_again = true;
		return 0;
	}
	if (form == RESULT_JSON)
		return read_json_line(r, r->line, r->line_len, f);
	if (form == RESULT_TEXT)
		return read_text_line(r, r->line, f);
	if (r->form != RESULT_ACCELSIM)
		return *r->line ? report_bad_line(r, f) : 0;
	return read_accelsim_line(r, r->line, f);
}

/* Returns 1 if the next bytes are a MessagePack record, else 0. */
static int is_msgpack_next(struct results *r, struct fault *f)
{
	const unsigned char *u;
	const char *p;
	long n = input_window(r->in, 16, &p, f);
	size_t head;

	if (n <= 0 || r->read_again)
		return 0;
	u = (const unsigned char *)p;
	if ((u[0] & 0xf0) != 0x80 && u[0] != 0xde && u[0] != 0xdf)
		return 0;
	head = u[0] == 0xde ? 3 : u[0] == 0xdf ? 5 : 1;
	return (size_t)n < head + 7 || !memcmp(p + head, "\246record", 7);
}

static int read_step(struct results *r, struct fault *f)
{
	if (!is_msgpack_next(r, f))
		return read_line_step(r, f);
	if (r->form != RESULT_MSGPACK && !change_result_form(r, RESULT_MSGPACK))
		return 0;
	return read_msgpack_step(r, f);
}

/* ---- events ------------------------------------------------------------------------------- */

static int return_due_event(struct results *r, struct result_item *item)
{
	enum result_event event = r->due[0];

	memmove(r->due, r->due + 1, --r->n_due * sizeof(*r->due));
	*item = (struct result_item){.form = r->form, .run = r->run};
	if (event == RESULT_START) {
		item->option = r->option;
		item->n_options = r->n_options;
		item->lists_figures = r->n_listed != 0;
		return (int)event;
	}
	item->figure = r->list;
	item->n_figures = r->n_list;
	if (event == RESULT_KERNEL || event == RESULT_INTERVAL) {
		item->first_cycle = r->first_cycle;
		item->cycles = r->cycles;
		item->kernel = r->kernel;
		item->kernel.name = r->kernel_name;
		item->end = r->record_end;
		return (int)event;
	}
	item->status = r->status;
	item->hash = r->hash;
	if (!strcmp(r->status, "cut"))
		item->cut = r->cut;
	return (int)event;
}

int results_next(struct results *r, struct result_item *item, struct fault *f)
{
	struct fault own;

	f = f ? f : &own;
	for (;;) {
		if (r->n_due)
			return return_due_event(r, item);
		if (r->finished) {
			if (r->run)
				return RESULT_END_OF_INPUT;
			return fault_set(f, (struct place){.file = r->file}, "no-run",
				"no statistics (expected records of trace-sim or a log of Accel-Sim)");
		}
		if (read_step(r, f) < 0)
			return -1;
		if (r->lacks_run_record)
			return fault_set(f, read_place(r), "run-missing",
				"a record without a run record before it (expected a complete result)");
	}
}
