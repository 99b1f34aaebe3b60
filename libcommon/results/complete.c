/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Words for completions: figures, from their table, and the kernels of a result.
 *
 * Always true: a word that is no result is passed over without a message, as somebody is still typing.
 */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include "complete.h"
#include "results.h"

static void figures(FILE *out)
{
	for (size_t i = 0; i < n_figures; i++)
		fprintf(out, "%s\t%s\n", figures_table[i].name, figures_table[i].help);
}

/* The kernels of the first run. False: it is no result. */
static bool list_run(FILE *out, const char *path)
{
	struct fault f;
	struct result_item item;
	struct results *r = results_open(path, 0, &f);
	int event = 0;

	while (r && (event = results_next(r, &item, &f)) > 0 && event != RESULT_DONE)
		if (event == RESULT_KERNEL)
			fprintf(out, "%" PRIu32 "\t%s\n", item.kernel.position, item.kernel.name);
	results_close(r);
	return event == RESULT_DONE;
}

static void runs(FILE *out, char *const *word, int n)
{
	struct stat st;

	for (int i = 0; i < n; i++)
		if (*word[i] != '-' && stat(word[i], &st) == 0 && S_ISREG(st.st_mode) &&
			list_run(out, word[i]))
			return;
}

void complete_results(FILE *out, const char *kind, char *const *word, int n)
{
	if (!strcmp(kind, "figures"))
		figures(out);
	else if (!strcmp(kind, "runs"))
		runs(out, word, n);
}
