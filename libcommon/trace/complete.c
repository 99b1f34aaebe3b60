/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Words for the completion of a trace's kernels, from its list. Only files and directories are read, never a pipe,
 * and no kernel file is opened.
 */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include "complete.h"
#include "klist.h"

static bool is_file(const char *word)
{
	struct stat st;

	return *word != '-' && stat(word, &st) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

void complete_kernels(FILE *out, char *const *word, int n)
{
	bool found = false;

	for (int i = 0; i < n && !found; i++) {
		struct klist k;
		struct fault f;

		if (!is_file(word[i]))
			continue;
		found = klist_read(&k, word[i], &f) == 0 && k.n_kernels;
		for (uint32_t c = 0; found && c < k.n_cmds; c++)
			if (k.cmd[c].kind == CMD_KERNEL)
				fprintf(out, "%" PRIu32 "\t%s\n", k.cmd[c].position, k.cmd[c].text);
		klist_free(&k);
	}
}
