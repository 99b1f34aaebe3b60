/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading of launch files: one command per line, words between blanks, '#' begins a comment.
 *
 * Modules are loaded when the file names them; kernels and symbols are looked up after the last line, because a
 * kernel's PC depends on all modules. Addresses of buffers follow from the order of their lines.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli.h"
#include "input.h"
#include "output.h"
#include "launch/read.h"
#include "machine/machine.h"

#define ARGS_MAX 512u

static char *path_in_launch_directory(const struct reader *r, const char *name)
{
	size_t n = strlen(r->script->directory) + strlen(name) + 1;
	char *p = arena_alloc(&r->script->arena, n, 1);

	snprintf(p, n, "%s%s", *name == '/' ? "" : r->script->directory, name);
	return p;
}

struct step *launch_add_step(struct reader *r, enum step_kind kind)
{
	struct script *s = r->script;

	grow(&s->command, &s->cap_commands, s->n_commands + 1, sizeof(*s->command));
	struct step *c = &s->command[s->n_commands++];
	memset(c, 0, sizeof(*c));
	c->kind = (uint8_t)kind;
	c->place = launch_word_place(r, 0);
	return c;
}

struct step *launch_find_buffer(const struct script *s, const char *name, size_t n)
{
	for (uint32_t i = s->n_commands; i-- > 0;)
		if (s->command[i].kind == CMD_BUFFER && strlen(s->command[i].name) == n &&
			!memcmp(s->command[i].name, name, n))
			return &s->command[i];
	return NULL;
}

/* ---- commands ---- */

/* Returns true if a file is a cubin, a fat binary or a program with one. */
static bool is_machine_code_file(const char *path)
{
	unsigned char head[4] = {0};
	FILE *in = strcmp(path, "-") ? fopen(path, "rb") : NULL;
	bool read = in && fread(head, 1, sizeof(head), in) == sizeof(head);

	if (in)
		fclose(in);
	return read && (!memcmp(head, "\177ELF", 4) || !memcmp(head, "\x50\xed\x55\xba", 4));
}

/* Reads a module, PTX or machine code. Returns NULL with the fault set. */
static struct module *read_module_file(struct reader *r, const char *path)
{
	bool binary = is_machine_code_file(path);

	if (binary ? r->script->code_kind != CODE_PTX : r->script->code_kind != CODE_MACHINE)
		return binary ? machine_read(path, r->script->sm, r->fault) : module_read(path, r->fault);
	fault_set(r->fault, launch_word_place(r, 1), "module", "'%s' is %s (expected %s, as --code says)",
		path, binary ? "machine code" : "PTX", binary ? "PTX" : "machine code");
	return NULL;
}

static int read_module(struct reader *r)
{
	if (r->n != 2)
		return launch_unexpected(r, r->n > 2 ? 2 : 1, "module FILE");
	struct module *m =
		r->script->ptx ? module_read_text("module", r->script->ptx, strlen(r->script->ptx), r->fault)
			       : read_module_file(r, path_in_launch_directory(r, r->word[1].text));
	if (!m)
		return -1;
	program_add_module(&r->script->prog, m);
	return 0;
}

static int read_kinfo(struct reader *r)
{
	struct kinfo k = {0};
	uint64_t v;

	if (r->n < 2)
		return launch_unexpected(r, 1, "kinfo KERNEL regs=N smem=N");
	k.kernel = r->word[1].text;
	k.place = launch_word_place(r, 1);
	for (uint32_t i = 0; i < r->n_kinfo; i++)
		if (!strcmp(r->kinfo[i].kernel, k.kernel))
			return launch_unexpected(r, 1, "a kernel without a line kinfo before it");
	for (uint32_t w = 2; w < r->n; w++) {
		if (launch_check_repeated(r, 2, w))
			return -1;
		int got = launch_read_option(r, w, "regs", 65536, &v);

		if (got > 0)
			k.regs = (uint32_t)v;
		else if (!got && (got = launch_read_option(r, w, "smem", 1 << 20, &v)) > 0)
			k.shared_bytes = (uint32_t)v;
		else if (!got && !(got = launch_read_option(r, w, "lmem", UINT32_MAX, &v)) &&
			 !(got = launch_read_option(r, w, "cmem", UINT32_MAX, &v)))
			return launch_unexpected(r, w, "regs=, smem=, lmem= or cmem=");
		if (got < 0)
			return -1;
	}
	grow(&r->kinfo, &r->cap_kinfo, r->n_kinfo + 1, sizeof(*r->kinfo));
	r->kinfo[r->n_kinfo++] = k;
	return 0;
}

static int read_stack(struct reader *r)
{
	int got = r->n == 2 ? launch_read_option(r, 1, "bytes", MACHINE_STACK_MOST, &r->script->stack_bytes)
			    : 0;

	return got ? got < 0 ? -1 : 0 : launch_unexpected(r, r->n > 2 ? 2 : 1, "stack bytes=N");
}

static int read_buffer(struct reader *r)
{
	uint64_t bytes = 0;

	if (r->n < 4 || r->n > 5 || (r->n == 5 && strcmp(r->word[4].text, "nocopy")))
		return launch_unexpected(r, r->n > 4 ? 4 : r->n, "buffer NAME bytes=N INIT [nocopy]");
	if (launch_find_buffer(r->script, r->word[1].text, strlen(r->word[1].text)))
		return launch_unexpected(r, 1, "a name that no buffer has yet");
	if (launch_find_texture(r->script, r->word[1].text, strlen(r->word[1].text)))
		return launch_unexpected(r, 1, "a name that no texture, surface or sampler has");
	if (strpbrk(r->word[1].text, "+:,") || (r->word[1].text[0] >= '0' && r->word[1].text[0] <= '9'))
		return launch_unexpected(r, 1, "a name without '+', ':' and ','");
	if (launch_read_byte_count(r, 2, &bytes) < 0)
		return -1;
	struct step *c = launch_add_step(r, CMD_BUFFER);
	c->place = launch_word_place(r, 3);
	c->name = r->word[1].text;
	c->bytes = bytes;
	c->addr = HEAP_BASE + r->script->heap_bytes;
	c->nocopy = r->n == 5;
	r->script->heap_bytes += (bytes + 255) / 256 * 256;
	if (r->script->heap_bytes > LAUNCH_HEAP_MAX)
		return launch_unexpected(r, 2, "buffers of less than 1 TiB in total");
	return init_parse_values(&c->init, r->word[3].text, r->script->directory, &r->script->arena, c->place,
		       r->fault) ||
			       init_check_size(&c->init, bytes, c->place, r->fault)
		       ? -1
		       : 0;
}

static int read_symbol_command(struct reader *r)
{
	uint64_t bytes = 0, offset = 0;
	uint32_t w = 3;
	int got;

	if (r->n < 4)
		return launch_unexpected(r, r->n, "symbol NAME bytes=N [offset=N] INIT");
	if (launch_read_byte_count(r, 2, &bytes) < 0)
		return -1;
	if ((got = launch_read_option(r, 3, "offset", LAUNCH_HEAP_MAX, &offset)) < 0)
		return -1;
	w += (uint32_t)got;
	if (r->n != w + 1)
		return launch_unexpected(
			r, r->n < w + 1 ? r->n : w + 1, "symbol NAME bytes=N [offset=N] INIT");
	struct step *c = launch_add_step(r, CMD_SYMBOL);
	c->place = launch_word_place(r, w);
	c->name_col = r->word[1].col;
	c->size_col = r->word[2].col;
	c->name = r->word[1].text;
	c->bytes = bytes;
	c->addr = offset;
	if (init_parse_values(
		    &c->init, r->word[w].text, r->script->directory, &r->script->arena, c->place, r->fault) ||
		init_check_size(&c->init, bytes, c->place, r->fault))
		return -1;
	return c->init.kind == INIT_UNSET
		       ? launch_unexpected(r, w, "values, without which a variable is zero")
		       : 0;
}

/* Checks that word w names a file in the directory of saved files. */
static int check_saved_name(const struct reader *r, uint32_t w)
{
	const char *name = r->word[w].text;
	char quoted[90];

	if (output_is_inside(name) && strcmp(name, "-"))
		return 0;
	return fault_set(r->fault, launch_word_place(r, w), "launch-file",
		"cannot save to '%s' (expected a relative name without '..')",
		diag_quote(quoted, sizeof(quoted), name, strlen(name)));
}

static int read_save_command(struct reader *r, enum step_kind kind)
{
	if (r->n != 3)
		return launch_unexpected(r, r->n > 3 ? 3 : r->n, "BUFFER FILE");
	struct step *b = launch_find_buffer(r->script, r->word[1].text, strlen(r->word[1].text));
	if (!b)
		return launch_unexpected(r, 1, "the name of a buffer");
	if (kind == CMD_SAVE && check_saved_name(r, 2))
		return -1;
	uint64_t addr = b->addr, bytes = b->bytes;
	struct step *c = launch_add_step(r, kind);
	c->name = r->word[1].text;
	c->path = kind == CMD_EXPECT ? path_in_launch_directory(r, r->word[2].text) : r->word[2].text;
	c->addr = addr;
	c->bytes = bytes;
	return 0;
}

static int read_savesym(struct reader *r)
{
	uint64_t bytes;

	if (r->n != 4)
		return launch_unexpected(r, r->n > 4 ? 4 : r->n, "savesym NAME bytes=N FILE");
	if (launch_read_byte_count(r, 2, &bytes) < 0 || check_saved_name(r, 3))
		return -1;
	struct step *c = launch_add_step(r, CMD_SAVESYM);
	c->name_col = r->word[1].col;
	c->size_col = r->word[2].col;
	c->name = r->word[1].text;
	c->bytes = bytes;
	c->path = r->word[3].text;
	return 0;
}

/* ---- launches ---- */

static int read_launch_dims(
	const struct reader *r, uint32_t w, const char *s, const uint32_t most[3], uint32_t d[3])
{
	char *end = NULL;

	d[0] = d[1] = d[2] = 1;
	for (unsigned i = 0; i < 3; i++) {
		unsigned long long v = *s >= '0' && *s <= '9' ? strtoull(s, &end, 10) : 0;

		if (!v || v > most[i] || (*end && *end != ','))
			return launch_unexpected(r, w, "one to three numbers above 0, such as grid=16,4");
		d[i] = (uint32_t)v;
		if (!*end)
			return 0;
		s = end + 1;
	}
	return launch_unexpected(r, w, "at most three numbers");
}

/*
 * Returns the address of the memory for barriers of cooperative launches. The first such launch allocates it.
 */
static uint64_t cooperative_workspace(struct reader *r)
{
	static const char name[] = "grid workspace";
	struct step *b = launch_find_buffer(r->script, name, strlen(name));

	if (!b) {
		b = launch_add_step(r, CMD_BUFFER);
		b->name = name;
		b->bytes = WORKSPACE_BYTES;
		b->addr = HEAP_BASE + r->script->heap_bytes;
		b->nocopy = true;
		b->init.kind = INIT_ZERO;
		r->script->heap_bytes += 256;
	}
	return b->addr;
}

static int read_launch(struct reader *r)
{
	static const uint32_t grid_most[3] = {0x7fffffff, 65535, 65535}, block_most[3] = {1024, 1024, 64},
			      cluster_most[3] = {CLUSTER_MAX, CLUSTER_MAX, CLUSTER_MAX};
	struct launch l = {0};
	uint32_t w, block = 0, cluster = 0;
	uint64_t v;
	int got = 0;

	if (r->n < 2)
		return launch_unexpected(r, 1, "launch KERNEL grid=X,Y,Z block=X,Y,Z args ...");
	for (w = 2; w < r->n && strcmp(r->word[w].text, "args"); w++) {
		const char *s = r->word[w].text;

		if (launch_check_repeated(r, 2, w))
			return -1;
		if (!strncmp(s, "grid=", 5))
			got = read_launch_dims(r, w, s + 5, grid_most, l.grid);
		else if (!strncmp(s, "block=", 6))
			got = read_launch_dims(r, block = w, s + 6, block_most, l.block);
		else if (!strncmp(s, "cluster=", 8))
			got = read_launch_dims(r, cluster = w, s + 8, cluster_most, l.cluster);
		else if (!strcmp(s, "cooperative"))
			got = 1, l.workspace = cooperative_workspace(r);
		else if (!strcmp(s, "programmatic"))
			got = 1, l.programmatic = true;
		else if ((got = launch_read_option(r, w, "shmem", 232448, &v)) > 0)
			l.dyn_shared = (uint32_t)v;
		else if (!got && (got = launch_read_option(r, w, "stream", INT32_MAX, &v)) > 0)
			l.stream = (uint32_t)v;
		else if (!got && !(got = launch_read_option(r, w, "async", 1, &v)))
			return launch_unexpected(r, w,
				"grid=, block=, cluster=, shmem=, stream=, async=, cooperative, programmatic or args");
		if (got < 0)
			return -1;
	}
	if (!l.grid[0] || !l.block[0])
		return launch_unexpected(r, w, "grid=X,Y,Z and block=X,Y,Z");
	if ((uint64_t)l.block[0] * l.block[1] * l.block[2] > 1024)
		return fault_set(r->fault, launch_word_place(r, block), "launch-file",
			"%llu threads in a thread block (expected at most 1024)",
			(unsigned long long)l.block[0] * l.block[1] * l.block[2]);
	if (w < r->n && r->n > w + 2)
		return launch_unexpected(r, w + 2, "the arguments in one word, between commas");
	struct step *c = launch_add_step(r, CMD_LAUNCH);
	c->name = r->word[1].text;
	c->launch = l;
	c->path = w + 1 < r->n ? r->word[w + 1].text : "";
	c->place = launch_word_place(r, w + 1 < r->n ? w + 1 : 1);
	c->name_col = r->word[1].col;
	c->size_col = r->word[block].col;
	c->cluster_col = r->word[cluster ? cluster : 1].col;
	return 0;
}

/*
 * Checks the cluster of a launch: it divides the grid and has at most 16 blocks, and the shared memory of a
 * block fits its addresses.
 */
static int check_cluster(struct reader *r, const struct step *c)
{
	const struct launch *l = &c->launch;
	const uint32_t *d = l->cluster[0] ? l->cluster : l->kernel->cluster;
	struct place where = {c->place.file, c->place.line, c->cluster_col};

	if (!d[0] && l->kernel->explicit_cluster)
		return fault_set(r->fault, where, "cluster",
			"no cluster for kernel '%s', which has .explicitcluster (expected cluster=X,Y,Z)",
			l->kernel->name);
	if (!d[0])
		return 0;
	if (l->kernel->max_cluster && (uint64_t)d[0] * d[1] * d[2] > l->kernel->max_cluster)
		return fault_set(r->fault, where, "cluster",
			"clusters of %llu thread blocks for kernel '%s' (expected at most %u (.maxclusterrank))",
			(unsigned long long)d[0] * d[1] * d[2], l->kernel->name, l->kernel->max_cluster);
	if (l->cluster[0] && l->kernel->cluster[0] &&
		memcmp(l->cluster, l->kernel->cluster, sizeof(l->cluster)))
		return fault_set(r->fault, where, "cluster",
			"cluster %u,%u,%u for kernel '%s' (expected the declared %u,%u,%u)", d[0], d[1], d[2],
			l->kernel->name, l->kernel->cluster[0], l->kernel->cluster[1], l->kernel->cluster[2]);
	for (unsigned i = 0; i < 3; i++)
		if (!d[i] || l->grid[i] % d[i])
			return fault_set(r->fault, where, "cluster",
				"clusters of %u,%u,%u thread blocks in grid %u,%u,%u (expected a multiple of the cluster)",
				d[0], d[1], d[2], l->grid[0], l->grid[1], l->grid[2]);
	if ((uint64_t)d[0] * d[1] * d[2] > CLUSTER_MAX ||
		func_dynamic_start(l->kernel) + l->dyn_shared > CLUSTER_STRIDE)
		return fault_set(r->fault, where, "cluster",
			"clusters of %llu thread blocks with %u bytes of shared memory each (expected at most %u blocks and %u bytes)",
			(unsigned long long)d[0] * d[1] * d[2], func_dynamic_start(l->kernel) + l->dyn_shared,
			CLUSTER_MAX, CLUSTER_STRIDE);
	return 0;
}

static int bind_kernel(struct reader *r, struct step *c)
{
	struct func *k = program_kernel(&r->script->prog, c->name);
	char quoted[90];

	c->launch.kernel = k;
	if (!k) {
		diag_quote(quoted, sizeof(quoted), c->name, strlen(c->name));
		return fault_set(r->fault, (struct place){c->place.file, c->place.line, c->name_col},
			"kernel-unknown", "unknown kernel '%s' (expected a kernel of the modules)", quoted);
	}
	machine_set_stack(&r->script->code, k, r->script->stack_bytes);
	const struct place size = {c->place.file, c->place.line, c->size_col};
	uint64_t threads = (uint64_t)c->launch.block[0] * c->launch.block[1] * c->launch.block[2];
	uint64_t most = (uint64_t)k->maxntid[0] * k->maxntid[1] * k->maxntid[2];
	if (most && threads > most)
		return fault_set(r->fault, size, "block",
			"%llu threads for kernel '%s' (expected at most %llu (.maxntid))",
			(unsigned long long)threads, k->name, (unsigned long long)most);
	for (unsigned i = 0; i < 3; i++)
		if (k->reqntid[0] && k->reqntid[i] != c->launch.block[i])
			return fault_set(r->fault, size, "block",
				"block %u,%u,%u for kernel '%s' (expected %u,%u,%u (.reqntid))",
				c->launch.block[0], c->launch.block[1], c->launch.block[2], k->name,
				k->reqntid[0], k->reqntid[1], k->reqntid[2]);
	if (check_cluster(r, c))
		return -1;
	for (uint32_t i = 0; i < r->n_kinfo; i++)
		if (!strcmp(r->kinfo[i].kernel, k->name)) {
			c->regs = r->kinfo[i].regs;
			c->shared_bytes = r->kinfo[i].shared_bytes;
		}
	return launch_read_arguments(r, c);
}

static int bind_symbol(struct reader *r, struct step *c)
{
	char quoted[90];
	unsigned n;

	c->sym = program_variable(&r->script->prog, c->name, &n);
	diag_quote(quoted, sizeof(quoted), c->name, strlen(c->name));
	if (n > 1)
		return fault_set(r->fault, (struct place){c->place.file, c->place.line, c->name_col},
			"symbol-unknown",
			"symbol '%s' is defined separately by %u modules (expected one that is .visible)",
			quoted, n);
	if (!c->sym)
		return fault_set(r->fault, (struct place){c->place.file, c->place.line, c->name_col},
			"symbol-unknown",
			"unknown symbol '%s' (expected a .global or .const variable of the modules)", quoted);
	if (c->addr > c->sym->size || c->bytes > c->sym->size - c->addr)
		return fault_set(r->fault, (struct place){c->place.file, c->place.line, c->size_col},
			"symbol-size",
			"%llu bytes at byte %llu of '%s' (expected a range within its %llu bytes)",
			(unsigned long long)c->bytes, (unsigned long long)c->addr, quoted,
			(unsigned long long)c->sym->size);
	return 0;
}

static int check_kinfo_names(const struct reader *r)
{
	char quoted[90];

	for (uint32_t i = 0; i < r->n_kinfo; i++) {
		const struct kinfo *k = &r->kinfo[i];

		if (!program_kernel(&r->script->prog, k->kernel))
			return fault_set(r->fault, k->place, "kernel-unknown",
				"unknown kernel '%s' (expected a kernel of the modules)",
				diag_quote(quoted, sizeof(quoted), k->kernel, strlen(k->kernel)));
	}
	return 0;
}

/* Links and binds the modules and looks names up, after the last line. */
static int finish_script(struct reader *r)
{
	struct script *s = r->script;
	uint32_t id = 0;

	if (!s->prog.n_modules)
		return fault_set(r->fault, (struct place){r->file, 0, 0}, "launch-file",
			"no module (expected at least one)");
	if (program_link(&s->prog, r->fault) || bind_program(&s->code, &s->prog, r->fault) ||
		check_kinfo_names(r))
		return -1;
	for (uint32_t i = 0; i < s->n_commands; i++) {
		struct step *c = &s->command[i];

		if (c->kind == CMD_LAUNCH) {
			c->launch.id = ++id;
			if (bind_kernel(r, c))
				return -1;
		} else if ((c->kind == CMD_SYMBOL || c->kind == CMD_SAVESYM) && bind_symbol(r, c)) {
			return -1;
		}
	}
	return launch_bind_textures(r);
}

static int read_command(struct reader *r)
{
	const char *w = r->n ? r->word[0].text : "";

	return !*w                       ? 0
	       : !strcmp(w, "module")    ? read_module(r)
	       : !strcmp(w, "kinfo")     ? read_kinfo(r)
	       : !strcmp(w, "stack")     ? read_stack(r)
	       : !strcmp(w, "buffer")    ? read_buffer(r)
	       : !strcmp(w, "symbol")    ? read_symbol_command(r)
	       : !strcmp(w, "texture")   ? launch_read_texture(r, false)
	       : !strcmp(w, "surface")   ? launch_read_texture(r, true)
	       : !strcmp(w, "sampler")   ? launch_read_sampler(r)
	       : !strcmp(w, "tensormap") ? launch_read_tensormap(r)
	       : !strcmp(w, "launch")    ? read_launch(r)
	       : !strcmp(w, "save")      ? read_save_command(r, CMD_SAVE)
	       : !strcmp(w, "expect")    ? read_save_command(r, CMD_EXPECT)
	       : !strcmp(w, "savesym")   ? read_savesym(r)
	       : !strcmp(w, "sync")
		       ? r->n > 1 ? launch_unexpected(r, 1, "nothing after sync") : 0
		       : launch_unexpected(r, 0,
				 "module, kinfo, stack, buffer, symbol, texture, surface, sampler, tensormap, launch, save, savesym, expect or sync");
}

static int read_script(struct script *s, struct input *in, struct fault *f)
{
	struct reader r = {.script = s, .fault = f, .file = diag_keep(input_name(in))};
	const char *text;
	size_t len;
	int got, bad = 0;

	input_skip_byte_order_mark(in);
	while (!bad && (got = input_line(in, &text, &len, f)) > 0) {
		r.line = input_lineno(in);
		bad = launch_split_line(&r, text, len) || read_command(&r);
	}
	bad = bad || got < 0 || finish_script(&r);
	free(r.word);
	free(r.kinfo);
	input_close(in);
	if (bad)
		script_free(s);
	return bad ? -1 : 0;
}

bool script_has_machine_code(const struct script *s)
{
	bool found = false;

	for (uint32_t i = 0; i < s->prog.n_modules; i++)
		found |= s->prog.module[i]->machine != NULL;
	return found;
}

int script_read_code(struct script *s, const char *path, enum code_kind kind, unsigned sm, struct fault *f)
{
	struct input *in = input_open(path, f);
	const char *slash = strrchr(path, '/');

	memset(s, 0, sizeof(*s));
	if (!in)
		return -1;
	s->path = path;
	s->code_kind = kind;
	s->sm = sm;
	s->directory = slash ? arena_strndup(&s->arena, path, (size_t)(slash - path) + 1) : "";
	return read_script(s, in, f);
}

int script_read_text(struct script *s, const void *text, size_t n, const char *ptx, struct fault *f)
{
	struct input *in = input_memory("launch", text, n, f);

	memset(s, 0, sizeof(*s));
	if (!in)
		return -1;
	s->path = "launch";
	s->ptx = ptx;
	s->directory = "";
	return read_script(s, in, f);
}

void script_protect_files(const struct script *s, const char *output, bool values)
{
	if (s->ptx)
		return;
	output_check_input(output, s->path);
	for (uint32_t i = 0; i < s->prog.n_modules; i++)
		output_check_input(output, s->prog.module[i]->path);
	for (uint32_t i = 0; values && i < s->n_commands; i++) {
		const struct step *c = &s->command[i];

		if (c->kind == CMD_EXPECT)
			output_check_input(output, c->path);
		else if ((c->kind == CMD_BUFFER || c->kind == CMD_SYMBOL) && c->init.kind == INIT_FILE)
			output_check_input(output, c->init.text);
	}
}

void script_free(struct script *s)
{
	if (s->code.prog)
		bind_free(&s->code);
	program_free(&s->prog);
	free(s->command);
	free(s->map);
	arena_free(&s->arena);
	memset(s, 0, sizeof(*s));
}
