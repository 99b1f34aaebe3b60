/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements -l: prints the table of kernels in a packed stream as columns or as records (trace-stats(5)).
 *
 * Always true: the text of kernels is not unpacked for the table. Names are printed without control
 * characters. Unlike -t, -l does not verify the stream.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "output.h"
#include "record.h"
#include "tool.h"

static void print_dimensions(char t[48], const uint32_t d[3])
{
	snprintf(t, 48, "%u,%u,%u", d[0], d[1], d[2]);
}

/* Returns a name of the stream in printable form. */
static char *printable_name(const char *text)
{
	size_t n = strlen(text);
	char *s = xmalloc(4 * n + 1);

	diag_quote(s, (unsigned)(4 * n + 1), text, n);
	return s;
}

static void print_kernel_row(FILE *out, uint32_t position, const struct pack_kernel *k, const char *file)
{
	char grid[48], block[48];

	char *shown = printable_name(file), *name = printable_name(k->name);

	print_dimensions(grid, k->grid);
	print_dimensions(block, k->block);
	fprintf(out, "%6u %-14s %-12s %12llu %14llu  %s %s%s%s%s\n", position, grid, block,
		(unsigned long long)k->insts, (unsigned long long)k->text, shown, name[0] ? name : "-",
		k->is_slice ? " (slice)" : "", k->stored ? " (kept as text)" : "",
		k->codes ? " (control codes)" : "");
	free(shown);
	free(name);
}

static void print_missing_row(FILE *out, uint32_t position, const char *file)
{
	char *shown = printable_name(file);

	fprintf(out, "%6u %-14s %-12s %12s %14s  %s (missing)\n", position, "-", "-", "-", "-", shown);
	free(shown);
}

static void write_missing_record(struct record_writer *w, uint32_t position, const char *file)
{
	record_begin(w, "missing");
	record_uint(w, "position", position, NULL);
	record_string(w, "file", file);
	record_end(w);
}

static void write_kernel_list_record(
	struct record_writer *w, uint32_t position, const struct pack_kernel *k, const char *file)
{
	char t[48];

	record_begin(w, "kernel");
	record_uint(w, "position", position, NULL);
	record_string(w, "file", file);
	record_string(w, "name", k->name);
	print_dimensions(t, k->grid);
	record_string(w, "grid", t);
	print_dimensions(t, k->block);
	record_string(w, "block", t);
	record_uint(w, "instructions", k->insts, NULL);
	record_uint(w, "thread_blocks", k->blocks, NULL);
	record_uint(w, "text_bytes", k->text, "B");
	record_uint(w, "stored_bytes", k->stored, "B");
	record_bool(w, "slice", k->is_slice);
	record_uint(w, "control_codes", k->codes, NULL);
	record_end(w);
}

struct listed {
	uint32_t n;       /* number of kernels */
	uint32_t missing; /* number of kernels of the list that are missing */
	uint64_t insts;   /* number of instructions */
	uint64_t text;    /* number of bytes of text */
};

static void write_totals_record(struct record_writer *w, const struct listed *s, uint64_t packed)
{
	record_begin(w, "end");
	record_string(w, "status", "complete");
	record_uint(w, "kernels", s->n, NULL);
	if (s->missing)
		record_uint(w, "missing", s->missing, NULL);
	record_uint(w, "instructions", s->insts, NULL);
	record_uint(w, "text_bytes", s->text, "B");
	record_uint(w, "packed_bytes", packed, "B");
	record_real(w, "ratio", (double)s->text / (double)packed, NULL);
	record_end(w);
}

/* Prints the row of a kernel if the kernel is selected. Prints its record instead if w is not NULL. */
static void list_kernel(struct listed *s, struct pack *p, const struct command *c, const struct pack_args *a,
	FILE *out, struct record_writer *w)
{
	struct pack_kernel k;
	struct fault f;

	if (pack_kernel(p, c->kernel, &k, &f) < 0)
		die_fault(&f);
	if (kselect_selects(a->select, c->position, k.name)) {
		s->n++;
		s->insts += k.insts;
		s->text += k.text;
		if (w)
			write_kernel_list_record(w, c->position, &k, c->text);
		else
			print_kernel_row(out, c->position, &k, c->text);
	}
	free(k.name);
}

static void list_missing(struct listed *s, const struct command *c, const struct pack_args *a, FILE *out,
	struct record_writer *w)
{
	if (!kselect_may_select(a->select, c->position))
		return;
	s->missing++;
	if (w)
		write_missing_record(w, c->position, c->text);
	else
		print_missing_row(out, c->position, c->text);
}

/*
 * Prints a row for each selected kernel, in the order in which the list first names the kernels. Prints
 * records instead if w is not NULL.
 */
static struct listed print_kernel_rows(
	struct pack *p, const struct pack_args *a, FILE *out, struct record_writer *w)
{
	struct klist list = {.path = NULL};
	struct listed s = {0};
	struct fault f;
	uint32_t next = 0;

	if (pack_read_klist(p, &list, &f) < 0)
		die_fault(&f);
	for (uint32_t i = 0; i < list.n_cmds; i++) {
		const struct command *c = &list.cmd[i];

		if (c->kind != CMD_KERNEL)
			continue;
		if (c->missing) {
			list_missing(&s, c, a, out, w);
		} else if (c->kernel == next) {
			next++;
			list_kernel(&s, p, c, a, out, w);
		}
	}
	klist_free(&list);
	return s;
}

int list_print_table(const char *operand, const struct pack_args *a)
{
	struct record_writer *w = NULL;
	struct output *o;
	struct pack *p;
	struct listed s;
	struct fault f;
	FILE *out;

	output_check_input(a->output, operand);
	p = pack_open(operand, &f);
	if (!p)
		die_fault(&f);
	source_check_picks(p, a);
	o = output_open(a->output, a->force);
	out = output_stream(o);
	if (a->format && !strcmp(a->format, "json"))
		w = record_open(out, RECORD_JSON);
	else
		fprintf(out, "%6s %-14s %-12s %12s %14s  file, kernel\n", "kernel", "grid", "block",
			"instructions", "bytes of text");
	s = print_kernel_rows(p, a, out, w);
	if (w) {
		write_totals_record(w, &s, pack_bytes(p));
		record_close(w);
	} else {
		fprintf(out, "%u kernel%s, %llu instructions, %llu bytes of text in %llu: ratio %.1f\n", s.n,
			s.n == 1 ? "" : "s", (unsigned long long)s.insts, (unsigned long long)s.text,
			(unsigned long long)pack_bytes(p), (double)s.text / (double)pack_bytes(p));
		if (s.missing)
			fprintf(out, "%u more kernel%s of the list %s missing\n", s.missing,
				s.missing == 1 ? "" : "s", s.missing == 1 ? "is" : "are");
	}
	output_commit(o);
	pack_close(p);
	return EXIT_GOOD;
}
