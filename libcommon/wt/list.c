/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel lists and static instructions of libwarptools, on top of klist.h and trace.h. */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "list.h"

/* ---- opening ------------------------------------------------------------------------------ */

struct opening {
	struct wt_list *list;
	const char *path;
	int fd; /* file descriptor; -1: the path is opened instead */
};

static int open_list(void *ctx, struct fault *f)
{
	struct opening *o = ctx;
	struct wt_list *l = o->list;
	int r = o->fd < 0 ? klist_read(&l->klist, o->path, f)
			  : klist_read_descriptor(&l->klist, o->fd, o->path, f);

	if (r < 0)
		return -1;
	l->once = o->fd >= 0 && l->klist.n_cmds == 1 && l->klist.cmd[0].input;
	l->isa = isa_new();
	l->code = code_new(l->isa);
	l->command = xcalloc(l->klist.n_cmds, sizeof(l->command[0]));
	for (uint32_t i = 0; i < l->klist.n_cmds; i++) {
		const struct command *c = &l->klist.cmd[i];
		const uint32_t kind = c->kind == CMD_KERNEL   ? WT_KERNEL
				      : c->kind == CMD_MEMCPY ? WT_COPY_TO_DEVICE
							      : WT_COPY_TO_HOST;

		l->command[i] = (struct wt_command){kind, c->position, c->line, c->address, c->bytes, c->text,
			c->kind == CMD_KERNEL ? c->path : NULL};
	}
	return 0;
}

static struct wt_list *new_list(const char *path, int fd, struct wt_error *e)
{
	struct wt_list *l = wt_handle_new(sizeof(*l), e);
	struct opening o = {l, path, fd};

	if (!l)
		return NULL;
	if (wt_handle_call(&l->handle, open_list, &o, e) == 0)
		return l;
	wt_close(l);
	return NULL;
}

struct wt_list *wt_open(const char *path, struct wt_error *e) { return new_list(path, -1, e); }

struct wt_list *wt_open_fd(int fd, const char *name, struct wt_error *e)
{
	struct fault f;

	if (fd >= 0)
		return new_list(name, fd, e);
	fault_set(&f, (struct place){name, 0, 0}, "open", "descriptor %d (expected one of an open file)", fd);
	wt_error_set(e, &f);
	return NULL;
}

void wt_close(struct wt_list *l)
{
	if (!l)
		return;
	while (l->open)
		wt_kernel_close(l->open);
	klist_free(&l->klist);
	code_free(l->code);
	if (l->isa)
		isa_free(l->isa);
	free(l->command);
	free(l->instruction);
	wt_handle_free(&l->handle);
}

/* ---- commands ----------------------------------------------------------------------------- */

const struct wt_command *wt_commands(const struct wt_list *l, uint32_t *n)
{
	*n = l->klist.n_cmds;
	return l->command;
}

uint32_t wt_kernels(const struct wt_list *l) { return l->klist.n_kernels; }

void wt_on_warning(struct wt_list *l, void (*warn)(void *ctx, const struct wt_error *w), void *ctx)
{
	l->warn = warn;
	l->warn_ctx = ctx;
}

void wt_list_warn(void *list, const struct fault *f)
{
	const struct wt_list *l = list;
	struct wt_error e;

	if (!l->warn)
		return;
	wt_error_set(&e, f);
	l->warn(l->warn_ctx, &e);
}

/* ---- static instructions ------------------------------------------------------------------ */

/* Spaces and accesses of machine code by kind. The opcode of a PTX instruction names the space. */
static const struct {
	uint8_t space, access; /* space, and set of enum wt_access */
} kinds[N_KINDS] = {
	[KIND_LDC] = {WT_SPACE_CONST, WT_LOAD},
	[KIND_LDG] = {WT_SPACE_GLOBAL, WT_LOAD},
	[KIND_LDL] = {WT_SPACE_LOCAL, WT_LOAD},
	[KIND_LDGSTS] = {WT_SPACE_GLOBAL, WT_LOAD},
	[KIND_STG] = {WT_SPACE_GLOBAL, WT_STORE},
	[KIND_STL] = {WT_SPACE_LOCAL, WT_STORE},
	[KIND_ATOM] = {WT_SPACE_GLOBAL, WT_LOAD | WT_STORE | WT_ATOMIC},
	[KIND_ATOMS] = {WT_SPACE_SHARED, WT_LOAD | WT_STORE | WT_ATOMIC},
	[KIND_LDS] = {WT_SPACE_SHARED, WT_LOAD},
	[KIND_STAS] = {WT_SPACE_SHARED, WT_STORE},
	[KIND_STS] = {WT_SPACE_SHARED, WT_STORE},
	[KIND_LDSM] = {WT_SPACE_SHARED, WT_LOAD},
	[KIND_LD] = {WT_SPACE_GENERIC, WT_LOAD},
	[KIND_ST] = {WT_SPACE_GENERIC, WT_STORE},
	[KIND_MEM_OTHER] = {WT_SPACE_GENERIC, 0},
};

static const uint8_t spaces[N_SPACES] = {
	[SPACE_GLOBAL] = WT_SPACE_GLOBAL,
	[SPACE_LOCAL] = WT_SPACE_LOCAL,
	[SPACE_SHARED] = WT_SPACE_SHARED,
	[SPACE_GENERIC] = WT_SPACE_GLOBAL, /* PTX: generic accesses to other spaces have the space */
	[SPACE_CONST] = WT_SPACE_CONST,
	[SPACE_TEX] = WT_SPACE_TEXTURE,
	[SPACE_PARAM] = WT_SPACE_PARAM,
	[SPACE_LOCAL_PARAM] = WT_SPACE_LOCAL,
};

static struct wt_instruction instruction_of(const struct inst *in)
{
	struct wt_instruction x = {
		.opcode = in->opcode,
		.destination = in->reg,
		.source = in->reg + in->n_dst,
		.immediate = in->imm,
		.pc = in->pc,
		.line = in->lineno,
		.file = in->file_number,
		.size = in->size,
		.n_destinations = in->n_dst,
		.n_sources = in->n_src,
		.space = kinds[in->kind].space,
		.access = kinds[in->kind].access,
		.class_ = in->class,
		.ptx = in->ptx != NULL,
	};

	if (in->ptx)
		x.space = spaces[in->ptx->form.space];
	if (in->kind == KIND_MEM_OTHER)
		x.access = in->class == CLASS_STORE ? WT_STORE : WT_LOAD;
	return x;
}

void wt_list_update(struct wt_list *l)
{
	uint32_t n = code_count(l->code);

	if (n == l->n_instructions)
		return;
	grow(&l->instruction, &l->cap_instructions, n, sizeof(l->instruction[0]));
	while (l->n_instructions < n) {
		l->instruction[l->n_instructions] = instruction_of(code_at(l->code, l->n_instructions));
		l->n_instructions++;
	}
}

const struct wt_instruction *wt_instructions(const struct wt_list *l, uint32_t *n)
{
	*n = l->n_instructions;
	return l->instruction;
}

const char *wt_class_name(unsigned class_)
{
	return class_ < N_CLASSES ? isa_class_name((enum isa_class)class_) : "";
}

const char *wt_space_name(unsigned space)
{
	static const char *const name[] = {
		"none", "global", "local", "shared", "generic", "const", "texture", "param"};

	return space < sizeof(name) / sizeof(name[0]) ? name[space] : "";
}
