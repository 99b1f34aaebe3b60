/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks before the first cycle that the selected kernels can be read, so that a missing kernel does not end
 * the run after hours. Also writes the kernels that --skip-missing skips to the run record.
 *
 * Always true: kernels after a missing one keep their positions in the list. A kernel whose file exists but
 * cannot be read is never skipped.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "bytes.h"
#include "picks.h"
#include "run.h"

#define POSITIONS_MAX 240u /* size of the list of skipped positions in the run record, in bytes */

static bool may_be_selected(const struct run *r, const struct command *c)
{
	return c->kind == CMD_KERNEL && kselect_may_select(r->select, c->position);
}

/*
 * Returns true if the command is a kernel that warms the caches even if it is not selected; see
 * warm_unselected_kernel().
 */
static bool warms_caches_only(const struct run *r, uint32_t command)
{
	return r->warm_code && r->list.cmd[command].kind == CMD_KERNEL &&
	       (command <= r->last_selected || kselect_picks(r->select));
}

/* Marks the kernel of `command` as skipped if it is missing and --skip-missing is given. Exits if it cannot be read. */
static void check_kernel_file(struct run *r, uint32_t command)
{
	struct command *c = &r->list.cmd[command];
	const struct place at = {.file = r->list.path, .line = c->line};

	if (!r->skip_missing || !(c->missing || klist_missing(&r->list, command))) {
		if (klist_check(&r->list, command) < 0)
			die_at(at, "cannot read kernel file %s: %s%s", c->path, strerror(errno),
				errno == ENOENT ? " (--skip-missing skips missing kernels)" : "");
		return;
	}
	if (kselect_picks(r->select) && may_be_selected(r, c))
		die_at(at, "kernel %u of the picks is missing: %s (the weights of the others would be wrong)",
			c->position, c->path);
	klist_skip(&r->skipped, command);
}

void run_check_kernels(struct run *r)
{
	uint32_t chosen = 0;
	struct fault f;

	if (kselect_check_list(r->select, &r->list, &f) < 0)
		die_fault(&f);
	for (uint32_t i = 0; i < r->list.n_cmds; i++)
		if (may_be_selected(r, &r->list.cmd[i]) && !(r->skip_missing && klist_missing(&r->list, i))) {
			chosen++;
			r->last_selected = i;
		}
	for (uint32_t i = 0; i < r->list.n_cmds; i++)
		if (may_be_selected(r, &r->list.cmd[i]) || warms_caches_only(r, i))
			check_kernel_file(r, i);
	klist_warn_skipped(&r->list, &r->skipped);
	if (!chosen && r->skipped.n)
		die_at((struct place){.file = r->list.path}, "every selected kernel is missing");
	if (r->selection && !chosen)
		die("-k '%s' matches none of %u kernel%s", r->selection, r->list.n_kernels,
			r->list.n_kernels == 1 ? "" : "s");
	kselect_warn_beyond(r->select, r->list.n_kernels);
}

/* ---- skipped kernels in the run record -------------------------------------------------------- */

/*
 * Appends the positions from..to in the syntax of -k. If the text becomes too long, appends "..." and returns
 * false.
 */
static bool append_positions(struct bytes *text, uint32_t from, uint32_t to)
{
	if (text->n > POSITIONS_MAX) {
		bytes_puts(text, ",...");
		return false;
	}
	bytes_printf(text, text->n ? ",%u" : "%u", from);
	if (to > from)
		bytes_printf(text, "-%u", to);
	return true;
}

static void list_skipped_positions(const struct run *r, struct bytes *text)
{
	uint32_t from = 0, to = 0;

	for (uint32_t i = r->skipped.first_command; i < r->list.n_cmds; i++) {
		const struct command *c = &r->list.cmd[i];

		if (c->kind != CMD_KERNEL || !c->missing ||
			!(may_be_selected(r, c) || warms_caches_only(r, i)))
			continue;
		if (from && c->position == to + 1) {
			to++;
			continue;
		}
		if (from && !append_positions(text, from, to))
			return;
		from = to = c->position;
	}
	append_positions(text, from, to);
}

void run_write_skipped(const struct run *r, struct record_writer *w)
{
	struct bytes text = {0};
	char name[200];

	if (!r->skipped.n)
		return;
	const char *first = r->list.cmd[r->skipped.first_command].text, *slash = strrchr(first, '/');

	list_skipped_positions(r, &text);
	first = slash ? slash + 1 : first;
	record_group(w, "skipped");
	record_uint(w, "kernels", r->skipped.n, NULL);
	record_string(w, "positions", text.p);
	record_string(w, "first", diag_quote(name, sizeof(name), first, strlen(first)));
	record_group_end(w);
	bytes_free(&text);
}
