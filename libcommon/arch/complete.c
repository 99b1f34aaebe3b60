/* SPDX-License-Identifier: BSD-2-Clause */
/* Words for the completion of configuration options, from the table of options. */
#include "complete.h"
#include "gpuconf.h"

void complete_options(FILE *out)
{
	for (int i = 0; i < N_OPTIONS; i++)
		fprintf(out, "%s=\t%s\n", conf_rows[i].name + 1, conf_rows[i].help);
}
