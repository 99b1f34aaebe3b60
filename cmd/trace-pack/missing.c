/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Handles kernels that a list names but that exist neither as files nor in the packed source.
 *
 * Always true: their names stay in the list unchanged, so that each kernel keeps its position. A new stream
 * marks them as missing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "arena.h"
#include "picks.h"
#include "tool.h"

/* Moves the missing kernels from s->item to s->missing. */
static void separate_missing_items(struct source *s)
{
	uint32_t kept = 0;

	s->missing = xcalloc(s->n_items + 1, sizeof(*s->missing));
	s->missing_index = xcalloc(s->n_items + 1, sizeof(*s->missing_index));
	for (uint32_t i = 0; i < s->n_items; i++) {
		if (!s->item[i].missing) {
			s->item[kept++] = s->item[i];
			continue;
		}
		s->missing_index[s->n_missing] = i;
		s->missing[s->n_missing++] = s->item[i];
	}
	s->n_items = kept;
}

void source_check_selection(const struct source *s, const struct pack_args *a)
{
	if (!s->n_items && (s->n_listed || a->mode != MODE_UNPACK))
		die_at(source_place(s), "-k selects none of the kernels");
	kselect_warn_beyond(a->select, s->n_listed);
}

void source_separate_missing(struct source *s, const struct pack_args *a)
{
	const struct place at =
		s->list_path ? (struct place){.file = diag_keep(s->list_path)} : source_place(s);
	const bool restores = a->mode == MODE_UNPACK;
	char q[200];

	separate_missing_items(s);
	if (!s->n_missing)
		return;
	const struct item *first = &s->missing[0];
	const char *name = diag_quote(q, sizeof(q), first->name, strlen(first->name));
	if (!restores && !a->skip_missing)
		die_at(at, "kernel %u, %s, is missing in the packed stream (--skip-missing skips it)",
			first->position, name);
	if (!s->n_items && (a->select || !restores))
		die_at(at, "every selected kernel is missing, the first is kernel %u, %s", first->position,
			name);
	if (restores)
		diag_warn(at,
			"%u kernel%s of the list %s missing in the packed stream and not written, the first is kernel %u, %s",
			s->n_missing, s->n_missing == 1 ? "" : "s", s->n_missing == 1 ? "is" : "are",
			first->position, name);
	else
		diag_warn(at, "%u of %u kernels %s missing and skipped, the first is kernel %u, %s",
			s->n_missing, s->n_listed, s->n_missing == 1 ? "is" : "are", first->position, name);
}

void source_free_missing(struct source *s)
{
	for (uint32_t i = 0; i < s->n_missing; i++) {
		free(s->missing[i].path);
		free(s->missing[i].name);
	}
	free(s->missing);
	free(s->missing_index);
}

void source_check_missing_absent(const struct source *s, const char *directory)
{
	struct stat st;

	for (uint32_t i = 0; i < s->n_missing; i++) {
		const char *name = s->missing[i].name;
		char *path = xmalloc(strlen(directory) + strlen(name) + 2);

		sprintf(path, "%s/%s", directory, name);
		if (lstat(path, &st) == 0)
			die_at((struct place){.file = path},
				"file exists, but the stream lacks this kernel (-f keeps the file)");
		free(path);
	}
}

void source_mark_missing(const struct source *s, struct pack_writer *w)
{
	if (s->n_missing)
		pack_write_missing(w, s->missing_index, s->n_missing);
}

void source_reject_missing_picks(const struct source *s, const struct pack_args *a)
{
	if (kselect_picks(a->select) && s->n_missing)
		die_at(source_place(s),
			"kernel %u of the picks is missing (the weights of the others would be wrong)",
			s->missing[0].position);
}
