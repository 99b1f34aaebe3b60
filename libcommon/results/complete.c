/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Words for the completion of figures, from the table of figures, and of the kernels of a result.
 *
 * Always true: a word that does not name a result is skipped without a message, because the user is still typing.
 */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include "complete.h"
#include "results.h"

static void print_figures(FILE *out)
{
	for (size_t i = 0; i < n_figures; i++)
		fprintf(out, "%s\t%s\n", figures_table[i].name, figures_table[i].help);
}

/* Prints the kernels of the first run. Returns false if the file is not a result. */
static bool print_kernels(FILE *out, const char *path)
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

static void print_runs(FILE *out, char *const *word, int n)
{
	struct stat st;

	for (int i = 0; i < n; i++)
		if (*word[i] != '-' && stat(word[i], &st) == 0 && S_ISREG(st.st_mode) &&
			print_kernels(out, word[i]))
			return;
}

void complete_results(FILE *out, const char *kind, char *const *word, int n)
{
	if (!strcmp(kind, "figures"))
		print_figures(out);
	else if (!strcmp(kind, "runs"))
		print_runs(out, word, n);
}
