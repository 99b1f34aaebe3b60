/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the configuration options that differ between the runs of both sides. Runs are paired in order.
 *
 * Always true: an option that only one side has is not a difference, because logs do not have all options.
 * Options are in the order of the configuration and do not change the exit status.
 */
#include <stdlib.h>
#include <string.h>
#include "compare.h"

struct option_row {
	uint32_t option; /* number of the option */
	uint32_t run;    /* number of the run on its side, counted from 0 */
	const char *value[2];
};

struct rows {
	struct option_row *row;
	uint32_t n, cap;
};

static const char *option_text(const struct store *s, uint32_t run, uint32_t option)
{
	const struct store_run *r = &s->run[run];

	return option < r->n_options && r->option[option] ? store_word(s, r->option[option]) : NULL;
}

static struct rows find_option_rows(const struct diff *d)
{
	struct rows l = {0};

	for (uint32_t r = 0; r < d->side[0].n_runs && r < d->side[1].n_runs; r++) {
		for (uint32_t i = 0; i < d->store->n_options; i++) {
			const char *a = option_text(d->store, d->side[0].first_run + r, i);
			const char *b = option_text(d->store, d->side[1].first_run + r, i);

			if (!a || !b || !strcmp(a, b))
				continue;
			grow(&l.row, &l.cap, l.n + 1, sizeof(*l.row));
			l.row[l.n++] = (struct option_row){i, r, {a, b}};
		}
	}
	return l;
}

/* Writes the name of an option: "gpgpu_n_mem" or, for the second run of the input, "#2 gpgpu_n_mem". */
static void format_option_label(const struct diff *d, const struct option_row *r, char *out, size_t cap)
{
	if (r->run)
		snprintf(out, cap, "#%u %s", r->run + 1, d->store->option[r->option]);
	else
		snprintf(out, cap, "%s", d->store->option[r->option]);
}

static void print_json_options(const struct diff *d, FILE *out, const struct rows *l, const char *heading)
{
	json_t *o = json_object(), *list = json_array();

	if (heading)
		json_object_set_new(o, "file", printed_json_string(heading));
	for (uint32_t i = 0; i < l->n; i++) {
		json_t *r = json_object();

		json_object_set_new(r, "name", printed_json_string(d->store->option[l->row[i].option]));
		json_object_set_new(r, "run", json_integer(l->row[i].run + 1));
		json_object_set_new(r, "a", printed_json_string(l->row[i].value[0]));
		json_object_set_new(r, "b", printed_json_string(l->row[i].value[1]));
		json_array_append_new(list, r);
	}
	json_object_set_new(o, "options", list);
	print_json_line(o, out);
}

static void print_markdown_options(const struct diff *d, FILE *out, const struct rows *l)
{
	char name[256];

	fputs("\n| option | A | B |\n|---|---|---|\n", out);
	for (uint32_t i = 0; i < l->n; i++) {
		format_option_label(d, &l->row[i], name, sizeof(name));
		fputs("| ", out);
		print_name(out, name, DIFF_MARKDOWN);
		for (int side = 0; side < 2; side++) {
			fputs(" | ", out);
			print_name(out, l->row[i].value[side], DIFF_MARKDOWN);
		}
		fputs(" |\n", out);
	}
	putc('\n', out);
}

static void print_text_options(const struct diff *d, FILE *out, const struct rows *l)
{
	int w[2] = {6, 1};
	char name[256];

	for (uint32_t i = 0; i < l->n; i++) {
		int n[2];

		format_option_label(d, &l->row[i], name, sizeof(name));
		n[0] = printed_width(name);
		n[1] = printed_width(l->row[i].value[0]);
		for (int k = 0; k < 2; k++)
			w[k] = n[k] > w[k] ? n[k] : w[k];
	}
	fprintf(out, "  %-*s  %-*s  %s\n", w[0], "option", w[1], "A", "B");
	for (uint32_t i = 0; i < l->n; i++) {
		format_option_label(d, &l->row[i], name, sizeof(name));
		fputs("  ", out);
		print_name_padded(out, name, w[0]);
		fputs("  ", out);
		print_name_padded(out, l->row[i].value[0], w[1]);
		fputs("  ", out);
		print_name(out, l->row[i].value[1], DIFF_TEXT);
		putc('\n', out);
	}
}

bool option_print(const struct diff *d, FILE *out, const char *heading, bool headed)
{
	struct rows l = find_option_rows(d);

	if (l.n && !headed)
		print_heading(d, out, heading);
	if (!l.n)
		return headed;
	if (d->options->form == DIFF_JSON)
		print_json_options(d, out, &l, heading);
	else
		(d->options->form == DIFF_MARKDOWN ? print_markdown_options : print_text_options)(d, out, &l);
	free(l.row);
	return true;
}
