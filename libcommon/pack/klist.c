/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel list of a packed stream: the stored list, or one that is made from the names of the kernels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "codec.h"
#include "trace/reader.h"

int pack_read_klist(struct pack *p, struct klist *k, struct fault *f)
{
	struct input *in = input_memory(p->name, p->list.p ? (void *)p->list.p : "", p->list.n, f);
	char *directory = xmalloc(strlen(p->name) + 2);

	sprintf(directory, "%s/", p->name);
	int r = in ? 0 : -1;
	if (in && p->list_name) {
		r = klist_parse(k, in, directory, f);
	} else if (in) {
		uint32_t cap = k->n_cmds;

		for (uint32_t i = 0; i < p->n_kernels; i++) {
			grow(&k->cmd, &cap, k->n_cmds + 1, sizeof(k->cmd[0]));
			struct command *c = &k->cmd[k->n_cmds];
			*c = (struct command){.kind = CMD_KERNEL, .text = xstrdup(p->kernel[i])};
			k->n_cmds++;
			c->position = ++k->n_kernels;
			c->path = xmalloc(strlen(directory) + strlen(p->kernel[i]) + 1);
			sprintf(c->path, "%s%s", directory, p->kernel[i]);
		}
	}
	uint32_t missing = 0;
	for (uint32_t i = 0; r == 0 && i < k->n_cmds; i++) {
		struct command *c = &k->cmd[i];
		int64_t kernel = c->kind == CMD_KERNEL ? pack_find_kernel(p, c->text) : 0;

		c->kernel = (uint32_t)kernel;
		c->missing = kernel < 0 && pack_lacks_kernel(p, c->text);
		missing += c->missing;
		if (kernel < 0 && !c->missing)
			r = pack_bad(p, PACK_FIRST, f, "pack-damaged", "the list names other kernels");
	}
	p->keep_all = k->n_kernels - missing > p->n_kernels; /* true if the list names a kernel twice */
	free(directory);
	input_close(in);
	return r;
}

void pack_prepare(struct pack *p, uint32_t kernel)
{
	struct walk w;
	struct read_piece *c;
	struct fault ignored;

	walk_start(&w, p, kernel, 0);
	walk_next(&w, &c, &ignored);
	walk_end(&w);
}
