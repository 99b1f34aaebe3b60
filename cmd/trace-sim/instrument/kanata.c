/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the pipeline log; see kanata.h. */
#include "instrument/kanata.h"
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "instrument/line.h"
#include "roff.h"

static const char *const stage_name[N_STAGES] = {
#define STAGE(id, name, text) [STAGE_##id] = name,
#include "instrument/stages.def"
#undef STAGE
};

enum kanata_kind { KANATA_BEGIN, KANATA_STAGE, KANATA_WAKE, KANATA_RETIRE, KANATA_FLUSH };

struct kanata_command {
	uint64_t cycle;
	uint64_t order;   /* number of the command, in the order of calls */
	uint64_t operand; /* new stage, or number of the producer in the file */
	uint32_t handle;
	uint8_t kind; /* enum kanata_kind */
};

struct kanata_entry {
	uint64_t number; /* number in the file; KANATA_HIDDEN if not written */
	uint32_t previous,
		/* links in the list of begun instructions; `next` is also the link in the free list; 0 ends a list */
		next;
	uint32_t thread;
	uint8_t stage; /* enum stage */
	bool is_begun; /* true if in the list of begun instructions */
	bool written;  /* true if the beginning of the current stage is in the file */
	bool touched;  /* true if the entry is in kanata.touched */
	char label[KANATA_TEXT], detail[KANATA_TEXT];
};

struct kanata {
	FILE *out;
	const struct filter *filter;
	bool is_log_begun;           /* true once the first cycle of the log has been reached */
	uint64_t cycle;              /* cycle of the last command in the file */
	uint64_t n_commands;         /* number of commands */
	uint64_t n_written;          /* number of instructions written */
	uint64_t n_retired;          /* number of written instructions that have completed */
	struct kanata_command *heap; /* binary heap of commands; element 0 is the earliest */
	struct kanata_entry *entry;  /* instructions by handle; [0] unused */
	uint32_t *touched;           /* instructions whose stage began in this cycle */
	uint32_t n_heap, cap_heap, n_entries, cap_entries, n_touched, cap_touched;
	uint32_t free_entry; /* first free entry */
	uint32_t oldest;     /* oldest begun instruction */
	uint32_t youngest;   /* youngest begun instruction */
};

struct kanata *kanata_new(FILE *out, const struct filter *only)
{
	struct kanata *k = xcalloc(1, sizeof(*k));

	k->out = out;
	k->filter = only;
	k->n_entries = 1;
	fputs("Kanata\t0004\n", out);
	return k;
}

void kanata_free(struct kanata *k)
{
	if (!k)
		return;
	free(k->heap);
	free(k->entry);
	free(k->touched);
	free(k);
}

const struct filter *kanata_filter(const struct kanata *k) { return k->filter; }

/* ---- the heap ------------------------------------------------------------------------------------ */

static bool is_earlier_command(const struct kanata_command *a, const struct kanata_command *b)
{
	return a->cycle != b->cycle ? a->cycle < b->cycle : a->order < b->order;
}

static void push_command(struct kanata *k, struct kanata_command c)
{
	uint32_t i = k->n_heap++;

	grow(&k->heap, &k->cap_heap, k->n_heap, sizeof(*k->heap));
	c.order = k->n_commands++;
	for (; i && is_earlier_command(&c, &k->heap[(i - 1) / 2]); i = (i - 1) / 2)
		k->heap[i] = k->heap[(i - 1) / 2];
	k->heap[i] = c;
}

static struct kanata_command pop_command(struct kanata *k)
{
	struct kanata_command first = k->heap[0], last = k->heap[--k->n_heap];
	uint32_t i = 0, child;

	while ((child = 2 * i + 1) < k->n_heap) {
		if (child + 1 < k->n_heap && is_earlier_command(&k->heap[child + 1], &k->heap[child]))
			child++;
		if (!is_earlier_command(&k->heap[child], &last))
			break;
		k->heap[i] = k->heap[child];
		i = child;
	}
	k->heap[i] = last;
	return first;
}

/* ---- lines --------------------------------------------------------------------------------------- */

#define KANATA_LINE (KANATA_TEXT + 64) /* maximum length of a line */

/* Begins a line with "COMMAND<TAB>NUMBER<TAB>". Returns the end of the text. */
static char *begin_command(char *line, char command, uint64_t number)
{
	char *p = line;

	*p++ = command;
	*p++ = '\t';
	p = line_append_decimal(p, number);
	*p++ = '\t';
	return p;
}

static void end_command(struct kanata *k, const char *line, char *p)
{
	*p++ = '\n';
	fwrite(line, 1, (size_t)(p - line), k->out);
}

/* Writes the command S (beginning) or E (end) for the stage of an instruction. */
static void write_stage(struct kanata *k, char command, const struct kanata_entry *e)
{
	char line[KANATA_LINE];

	end_command(k, line,
		line_append_string(line_append_string(begin_command(line, command, e->number), "0\t"),
			stage_name[e->stage]));
}

/* Writes the beginning of each stage that began in cycle k->cycle and has not ended. */
static void write_begun_stages(struct kanata *k)
{
	for (uint32_t i = 0; i < k->n_touched; i++) {
		struct kanata_entry *e = &k->entry[k->touched[i]];

		e->touched = false;
		if (!e->is_begun || e->written || e->number == KANATA_HIDDEN)
			continue;
		e->written = true;
		write_stage(k, 'S', e);
	}
	k->n_touched = 0;
}

static void write_cycle_change(struct kanata *k, uint64_t cycle)
{
	if (cycle == k->cycle)
		return;
	assert(cycle > k->cycle);
	write_begun_stages(k);
	fprintf(k->out, "C\t%" PRIu64 "\n", cycle - k->cycle);
	k->cycle = cycle;
}

static void list_changed_stage(struct kanata *k, uint32_t handle)
{
	if (k->entry[handle].touched)
		return;
	k->entry[handle].touched = true;
	grow(&k->touched, &k->cap_touched, k->n_touched + 1, sizeof(*k->touched));
	k->touched[k->n_touched++] = handle;
}

static void write_label(struct kanata *k, uint64_t number, char type, const char *text)
{
	char line[KANATA_LINE], *p = begin_command(line, 'L', number);

	*p++ = type;
	*p++ = '\t';
	for (; *text; text++)
		*p++ = (unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text;
	end_command(k, line, p);
}

/* Writes the commands that introduce an instruction: I has its number, and L has its texts. */
static void introduce_entry(struct kanata *k, uint32_t handle)
{
	struct kanata_entry *e = &k->entry[handle];

	e->number = k->n_written++;
	fprintf(k->out, "I\t%" PRIu64 "\t%" PRIu64 "\t%u\n", e->number, e->number, e->thread);
	write_label(k, e->number, '0', e->label);
	write_label(k, e->number, '1', e->detail);
	e->written = false;
	if (e->stage != STAGE_NONE)
		list_changed_stage(k, handle);
}

static void end_stage(struct kanata *k, struct kanata_entry *e)
{
	if (e->written)
		write_stage(k, 'E', e);
	e->written = false;
}

/* Writes the first cycle of the log, and introduces the instructions in flight. */
static void begin_kanata_log(struct kanata *k, uint64_t cycle)
{
	k->is_log_begun = true;
	k->cycle = k->filter->active && k->filter->cycles[0] ? k->filter->cycles[0] : cycle;
	fprintf(k->out, "C=\t%" PRIu64 "\n", k->cycle);
	for (uint32_t i = k->oldest; i; i = k->entry[i].next)
		introduce_entry(k, i);
}

/* ---- commands ------------------------------------------------------------------------------------ */

static void link_entry(struct kanata *k, uint32_t handle)
{
	struct kanata_entry *e = &k->entry[handle];

	e->is_begun = true;
	e->previous = k->youngest;
	e->next = 0;
	*(k->youngest ? &k->entry[k->youngest].next : &k->oldest) = handle;
	k->youngest = handle;
}

static void free_entry(struct kanata *k, uint32_t handle)
{
	struct kanata_entry *e = &k->entry[handle];

	*(e->previous ? &k->entry[e->previous].next : &k->oldest) = e->next;
	*(e->next ? &k->entry[e->next].previous : &k->youngest) = e->previous;
	e->is_begun = false;
	e->next = k->free_entry;
	k->free_entry = handle;
}

static void begin_entry(struct kanata *k, const struct kanata_command *c)
{
	link_entry(k, c->handle);
	if (!k->is_log_begun || !filter_has_cycle(k->filter, c->cycle))
		return;
	write_cycle_change(k, c->cycle);
	introduce_entry(k, c->handle);
}

static void change_stage(struct kanata *k, const struct kanata_command *c)
{
	struct kanata_entry *e = &k->entry[c->handle];

	if (e->stage == c->operand)
		return;
	if (e->number != KANATA_HIDDEN) {
		write_cycle_change(k, c->cycle);
		end_stage(k, e);
		list_changed_stage(k, c->handle);
	}
	e->stage = (uint8_t)c->operand;
}

static void write_wake(struct kanata *k, const struct kanata_command *c)
{
	const struct kanata_entry *e = &k->entry[c->handle];

	if (e->number == KANATA_HIDDEN)
		return;
	write_cycle_change(k, c->cycle);
	fprintf(k->out, "W\t%" PRIu64 "\t%" PRIu64 "\t0\n", e->number, c->operand);
}

static void retire_entry(struct kanata *k, uint32_t handle, uint64_t cycle, bool flushed)
{
	struct kanata_entry *e = &k->entry[handle];

	if (e->number != KANATA_HIDDEN) {
		write_cycle_change(k, cycle);
		end_stage(k, e);
		fprintf(k->out, "R\t%" PRIu64 "\t%" PRIu64 "\t%d\n", e->number, k->n_retired, flushed);
		k->n_retired += !flushed;
	}
	free_entry(k, handle);
}

static void write_due_command(struct kanata *k, const struct kanata_command *c)
{
	if (!k->is_log_begun && (!k->filter->active || c->cycle >= k->filter->cycles[0]))
		begin_kanata_log(k, c->cycle);
	switch ((enum kanata_kind)c->kind) {
	case KANATA_BEGIN: begin_entry(k, c); break;
	case KANATA_STAGE: change_stage(k, c); break;
	case KANATA_WAKE: write_wake(k, c); break;
	case KANATA_RETIRE: retire_entry(k, c->handle, c->cycle, false); break;
	case KANATA_FLUSH: retire_entry(k, c->handle, c->cycle, true); break;
	}
}

/* ---- interface ----------------------------------------------------------------------------------- */

uint32_t kanata_begin_inst(
	struct kanata *k, uint64_t cycle, uint32_t thread, const char *label, const char *detail)
{
	uint32_t handle = k->free_entry;
	struct kanata_entry *e;

	if (handle) {
		k->free_entry = k->entry[handle].next;
	} else {
		handle = k->n_entries++;
		grow(&k->entry, &k->cap_entries, k->n_entries, sizeof(*k->entry));
		k->entry[handle].touched = false;
	}
	e = &k->entry[handle];
	e->number = KANATA_HIDDEN;
	e->thread = thread;
	e->stage = STAGE_NONE;
	e->is_begun = e->written = false;
	snprintf(e->label, sizeof(e->label), "%s", label);
	snprintf(e->detail, sizeof(e->detail), "%s", detail);
	push_command(k, (struct kanata_command){.cycle = cycle, .handle = handle, .kind = KANATA_BEGIN});
	return handle;
}

void kanata_begin_stage(struct kanata *k, uint32_t handle, uint64_t cycle, enum stage stage)
{
	push_command(k, (struct kanata_command){
				.cycle = cycle, .handle = handle, .kind = KANATA_STAGE, .operand = stage});
}

void kanata_draw_arrow(struct kanata *k, uint32_t handle, uint64_t cycle, uint64_t producer)
{
	push_command(k, (struct kanata_command){
				.cycle = cycle, .handle = handle, .kind = KANATA_WAKE, .operand = producer});
}

void kanata_retire(struct kanata *k, uint32_t handle, uint64_t cycle, bool flushed)
{
	push_command(
		k, (struct kanata_command){
			   .cycle = cycle, .handle = handle, .kind = flushed ? KANATA_FLUSH : KANATA_RETIRE});
}

uint64_t kanata_number(const struct kanata *k, uint32_t handle) { return k->entry[handle].number; }

void kanata_advance(struct kanata *k, uint64_t now)
{
	while (k->n_heap && k->heap[0].cycle < now) {
		struct kanata_command c = pop_command(k);

		write_due_command(k, &c);
	}
}

void kanata_end(struct kanata *k, uint64_t cycle)
{
	kanata_advance(k, cycle + 1);
	if (!k->is_log_begun && filter_has_cycle(k->filter, cycle))
		begin_kanata_log(k, cycle);
	else if (!k->is_log_begun)
		fprintf(k->out, "C=\t%" PRIu64 "\n", cycle);
	while (k->oldest)
		retire_entry(k, k->oldest, cycle > k->cycle ? cycle : k->cycle, true);
	write_begun_stages(k);
}

void kanata_print_man(FILE *out)
{
	static const char *const text[N_STAGES] = {
#define STAGE(id, name, text) [STAGE_##id] = text,
#include "instrument/stages.def"
#undef STAGE
	};

	for (unsigned i = 1; i < N_STAGES; i++) {
		fprintf(out, ".It Li %s\n", stage_name[i]);
		roff_text(out, text[i]);
	}
}
