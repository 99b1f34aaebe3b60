/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes a module from a cubin: kernels with their parameters, variables, initial values that are addresses.
 *
 * Always true: each kernel of the file is a function with a statement for each machine instruction, and a last one that
 * fails the launch. A variable is a symbol of the module. __constant__ variables are at their offsets in the symbol of
 * bank 3.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include "arena.h"
#include "exec/check.h"
#include "machine/code.h"

static const struct machine_execution execution;

/* ---- symbols ---- */

static struct symbol *new_symbol(struct module *m, const char *name, enum sym_kind kind)
{
	struct symbol *s = arena_alloc(&m->arena, 1, sizeof(*s));

	s->name = arena_strndup(&m->arena, name, strlen(name));
	s->kind = (uint8_t)kind;
	s->defined = s->visible = true;
	return s;
}

static struct symbol *new_variable(
	struct module *m, const char *name, enum state_space space, uint64_t size, uint32_t align)
{
	struct symbol *v = new_symbol(m, name, SYM_VAR);

	v->space = (uint8_t)space;
	v->type = T_B8;
	v->size = v->elems = size;
	v->align = align ? align : 1;
	return v;
}

static void append_variable(struct module *m, struct symbol *v, bool named)
{
	grow(&m->var, &m->cap_vars, m->n_vars + 1, sizeof(*m->var));
	m->var[m->n_vars++] = v;
	if (named)
		scope_add(m->scope, v, &m->arena);
}

/* Adds the symbol that represents a section, and returns it. Returns NULL if the section has no bytes. */
static struct symbol *add_section(
	struct module *m, const char *name, enum state_space space, const struct sass_bytes *s)
{
	if (!s->n)
		return NULL;
	struct symbol *v = new_variable(m, name, space, s->n, s->align < 256 ? 256 : s->align);

	v->visible = false;
	if (s->p) {
		v->init = arena_alloc(&m->arena, s->n, 1);
		memcpy(v->init, s->p, s->n);
	}
	append_variable(m, v, false);
	return v;
}

/* Returns the section symbol that contains a symbol of the cubin, or NULL if there is none. */
static struct symbol *section_symbol_of(const struct machine_module *x, const struct sass_symbol *s)
{
	return s->place == SASS_AT_GLOBAL                   ? x->data[0]
	       : s->place == SASS_AT_GLOBAL_INIT            ? x->data[1]
	       : s->place == SASS_AT_CONST && s->index == 3 ? x->bank3
							    : NULL;
}

/*
 * Adds the variables. Each is a part of its section's symbol, so its address is set after the section's address, when
 * the kernels are bound.
 */
static void add_variables(struct machine_module *x)
{
	struct module *m = x->module;
	struct sass_image *image = x->image;

	x->bank3 = add_section(m, ".nv.constant3", SP_CONST, &image->bank[3]);
	x->data[0] = add_section(m, ".nv.global", SP_GLOBAL, &image->global);
	x->data[1] = add_section(m, ".nv.global.init", SP_GLOBAL, &image->global_init);
	for (uint32_t i = 0; i < image->n_symbols; i++) {
		const struct sass_symbol *s = &image->symbol[i];
		const struct symbol *in = section_symbol_of(x, s);

		if (!in || s->function || !s->bytes || !*s->name || s->value > in->size ||
			in->size - s->value < s->bytes ||
			scope_find(m->scope, s->name, (uint32_t)strlen(s->name)))
			continue;
		struct symbol *v = new_variable(m, s->name, (enum state_space)in->space, s->bytes, 1);
		v->visible = s->global;
		v->init = in->init ? in->init + s->value : NULL;
		scope_add(m->scope, v, &m->arena);
	}
}

static void set_variable_addresses(struct machine_module *x)
{
	const struct sass_image *image = x->image;

	for (uint32_t i = 0; i < image->n_symbols; i++) {
		const struct sass_symbol *s = &image->symbol[i];
		const struct symbol *in = section_symbol_of(x, s);
		struct symbol *v =
			in ? scope_find(x->module->scope, s->name, (uint32_t)strlen(s->name)) : NULL;

		if (v && !v->placed && v->size == s->bytes) /* a managed variable was placed in the heap */
			v->addr = in->addr + s->value;
	}
}

/* ---- relocations ---- */

/* Sets *to to the address of a symbol. Returns -1 with *f set if it has none. */
static int symbol_address(
	const struct machine_module *x, const struct sass_symbol *s, uint64_t *to, struct fault *f)
{
	const struct symbol *in = section_symbol_of(x, s),
			    *v = in ? scope_find(x->module->scope, s->name, (uint32_t)strlen(s->name)) : NULL;
	int which;

	if (in) {
		*to = v && v->placed ? v->addr : in->addr + s->value;
		return 0;
	}
	if (s->place == SASS_AT_CODE && s->index < x->image->n_functions) {
		*to = x->function_at[s->index] + s->value;
		return 0;
	}
	if (s->place == SASS_AT_EXTERN && (which = special_find_extern(s->name)) >= 0) {
		*to = EXTERN_BASE + 16ull * (unsigned)which;
		return 0;
	}
	return fault_set(f, (struct place){x->module->path, 0, 0}, "extern",
		"'%s' is not defined by the cubin (expected printf, malloc, free, assert, or a function of the driver)",
		s->name);
}

/* type of a relocation: the handle of a texture or surface reference */
#define RELOC_REFERENCE 6u

/* type of a relocation: a kernel that other kernels launch; link.c rejects kernels that launch kernels */
#define RELOC_LAUNCHED 0x23u

/*
 * Returns true if an instruction reads the word of bank 0 at the offset. Instructions of textures and surfaces
 * name the word as their handle.
 */
static bool reads_bank0(const struct sass_inst *in, uint64_t offset)
{
	bool of_image = in->row && (in->row->name[0] == 'T' || !strncmp(in->row->name, "SU", 2));

	for (unsigned i = 0; i < in->n_args; i++) {
		const struct sass_arg *a = &in->arg[i];

		if (a->kind == SASS_CONST && !a->bank && (uint64_t)a->value == offset)
			return true;
		if (a->kind == SASS_INT && of_image && (uint64_t)a->value * 4 == offset)
			return true;
	}
	return false;
}

/*
 * Rejects a kernel whose bank 0 contains the handle of a texture reference. The message names the instruction
 * that reads the handle.
 */
static int reject_texture_references(
	const struct machine_module *x, const struct machine_code *c, struct fault *f)
{
	const struct sass_image *m = x->image;
	uint32_t kernel = (uint32_t)(c->kernel - m->function);
	char text[SASS_TEXT_MAX] = "";
	uint32_t pc = 0;

	for (uint32_t k = 0; k < m->n_relocs; k++) {
		const struct sass_reloc *r = &m->reloc[k];

		if (r->place != SASS_AT_BANK0 || r->index != kernel || r->type != RELOC_REFERENCE)
			continue;
		for (uint32_t i = 0; i < c->n && !*text; i++)
			if (reads_bank0(&c->inst[i], r->offset)) {
				pc = c->inst[i].pc;
				sass_text(&c->inst[i], text);
			}
		return fault_set(f, (struct place){x->module->path, 0, 0}, "sass",
			"not executed: %s (texture reference '%s', expected a texture object), PC 0x%04x of function %s",
			text, m->symbol[r->symbol].name, pc, c->kernel->name);
	}
	return 0;
}

/*
 * Returns the contents of the section that relocation r changes, and sets *size to their size. Returns NULL for code
 * and bank 0.
 */
static uint8_t *relocated_data(struct machine_module *x, const struct sass_reloc *r, uint64_t *size)
{
	bool bank4 = r->place == SASS_AT_CONST && r->index == 4;
	struct symbol *in = r->place == SASS_AT_GLOBAL_INIT              ? x->data[1]
			    : r->place == SASS_AT_CONST && r->index == 3 ? x->bank3
									 : NULL;

	*size = bank4 ? x->image->bank[4].n : in ? in->size : 0;
	return bank4 ? x->bank4 : in ? in->init : NULL;
}

/* Writes the addresses that are in banks 3 and 4 and in initial values. */
static int apply_relocations(struct machine_module *x, struct fault *f)
{
	const struct sass_image *image = x->image;

	for (uint32_t i = 0; i < image->n_relocs; i++) {
		const struct sass_reloc *r = &image->reloc[i];
		uint64_t v = 0, size;
		uint8_t *to = relocated_data(x, r, &size);
		unsigned bytes = r->type == RELOC_64 || r->type == RELOC_GENERIC_64 ? 8 : 4;

		if (!to || r->symbol >= image->n_symbols || r->offset > size || size - r->offset < bytes ||
			r->type == RELOC_LAUNCHED)
			continue;
		if (r->type < RELOC_32 || r->type > RELOC_GENERIC_64)
			return fault_set(f, (struct place){x->module->path, 0, 0}, "sass",
				"relocation of type 0x%x to '%s' in initial values (expected 1 to 4)",
				r->type, image->symbol[r->symbol].name);
		if (symbol_address(x, &image->symbol[r->symbol], &v, f))
			return -1;
		v += (uint64_t)r->addend;
		memcpy(to + r->offset, &v, bytes);
	}
	return 0;
}

/* ---- functions ---- */

static void add_parameters(struct module *m, struct func *fn, const struct sass_function *k)
{
	fn->n_params = k->n_params;
	fn->param = arena_alloc(&m->arena, k->n_params + 1u, sizeof(struct symbol *));
	fn->param_bytes = k->param_bytes;
	for (unsigned i = 0; i < k->n_params; i++) {
		char name[32];

		snprintf(name, sizeof(name), "parameter %u", i + 1);
		struct symbol *p = new_symbol(m, name, SYM_VAR);
		p->space = SP_PARAM;
		p->type = T_B8;
		p->size = k->param[i].bytes;
		p->addr = k->param[i].offset;
		p->owner = fn;
		fn->param[i] = p;
	}
}

/* Returns true if the cluster that a kernel requires can be launched. */
static bool is_required_cluster_possible(const struct sass_function *k)
{
	uint64_t n = 1;

	for (unsigned i = 0; i < 3; i++)
		n = n > CLUSTER_MAX ? n : n * k->cluster[i];
	return !(k->cluster[0] | k->cluster[1] | k->cluster[2]) || (n && n <= CLUSTER_MAX);
}

static bool do_parameters_fit_bank0(const struct sass_function *k)
{
	for (unsigned i = 0; i < k->n_params; i++)
		if (k->param[i].offset > k->param_bytes ||
			k->param_bytes - k->param[i].offset < k->param[i].bytes)
			return false;
	return true;
}

/* Decodes the instructions, and adds a statement for each. */
static void add_instructions(struct module *m, struct func *fn, struct machine_code *c)
{
	link_decode(c, &m->arena);
	fn->inst = xcalloc(c->n + 1u, sizeof(*fn->inst));
	fn->n_insts = fn->cap_insts = c->n + 1;
	for (uint32_t i = 0; i < c->n; i++) {
		fn->inst[i].opcode = I_ld;
		/* machine_write_op_text() makes the text when it is printed, which is rare */
		fn->inst[i].text = "";
	}
	fn->inst[c->n] = (struct stmt){.opcode = I_trap, .text = ""};
}

static void add_kernel(struct machine_module *x, const struct sass_function *k)
{
	struct module *m = x->module;
	struct machine_code *c = &x->code[x->n_codes++];
	struct func *fn = arena_alloc(&m->arena, 1, sizeof(*fn));
	struct symbol *s = new_symbol(m, k->name, SYM_FUNC);

	*c = (struct machine_code){.module = x, .kernel = k, .sm = m->target};
	fn->link = m->all_funcs;
	m->all_funcs = fn;
	fn->name = s->name;
	fn->module = m;
	fn->sym = s;
	s->func = fn;
	fn->entry = fn->has_body = true;
	fn->machine = &execution;
	fn->machine_code = c;
	fn->local_align = 16;
	memcpy(fn->maxntid, k->max_threads, sizeof(fn->maxntid));
	memcpy(fn->reqntid, k->required_threads, sizeof(fn->reqntid));
	memcpy(fn->cluster, k->cluster, sizeof(fn->cluster));
	fn->max_cluster = k->max_cluster;
	fn->explicit_cluster = k->explicit_cluster && !k->cluster[0];
	add_parameters(m, fn, k);
	add_instructions(m, fn, c);
	fn->local_bytes = (link_local_bytes(c, &fn->stack_grows) + 15) / 16 * 16;
	grow(&m->func, &m->cap_funcs, m->n_funcs + 1, sizeof(*m->func));
	m->func[m->n_funcs++] = fn;
	scope_add(m->scope, s, &m->arena);
	if (k->shared_bytes) { /* one variable for all of the kernel's static shared memory */
		struct symbol *v = new_variable(m, ".nv.shared", SP_SHARED, k->shared_bytes, 16);

		v->owner = fn;
		grow(&m->shared, &m->cap_shared, m->n_shared + 1, sizeof(*m->shared));
		m->shared[m->n_shared++] = v;
	}
}

static void free_machine(struct machine_module *x)
{
	for (uint32_t i = 0; i < x->n_codes; i++) {
		free(x->code[i].constant);
		trace_free(&x->code[i]);
		free(x->code[i].stretch);
		free(x->code[i].moved);
		source_lines_free(&x->code[i].lines);
	}
	sass_image_free(x->image);
	free(x->code);
	free(x->bank4);
	free(x);
}

/* Tests whether a kernel has a call that can reach an extern function. */
static bool has_absolute_call(const struct machine_code *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (c->inst[i].opcode == 0x343 || c->inst[i].opcode == 0x943)
			return true;
	return false;
}

/*
 * Notes that a kernel can call malloc(), or another extern function whose calls must have an order. The address of the
 * function is in a register, so a kernel that calls by register may call any extern function of the cubin. Assertions,
 * whose names begin with "__", need no order.
 */
static void note_externs(struct bound_code *bound, const struct func *fn)
{
	const struct sass_image *image = fn->machine_code->module->image;

	if (!has_absolute_call(fn->machine_code))
		return;
	for (uint32_t i = 0; i < image->n_symbols; i++) {
		const struct sass_symbol *s = &image->symbol[i];

		if (s->place != SASS_AT_EXTERN || !strncmp(s->name, "__", 2))
			continue;
		bound->frame[fn->number].order |= ORDER_SHOWS;
		bound->uses_malloc |= !strcmp(s->name, "malloc");
	}
}

static int bind_machine_kernel(struct bound_code *bound, struct func *fn, struct fault *f)
{
	struct machine_module *x = fn->machine_code->module;

	note_externs(bound, fn);
	set_variable_addresses(x);
	return link_apply_relocations(fn->machine_code, symbol_address, f) || apply_relocations(x, f) ||
			       reject_texture_references(x, fn->machine_code, f) || machine_bind(bound, fn, f)
		       ? -1
		       : 0;
}

void machine_write_op_text(const struct op *o, char out[SASS_TEXT_MAX])
{
	const struct machine_code *c = o->func->machine_code;
	uint32_t n = (uint32_t)(o->stmt - o->func->inst);

	if (n < c->n)
		sass_text(&c->inst[n], out);
	else
		snprintf(out, SASS_TEXT_MAX, "the end of the code");
}

static void describe_instruction(const struct op *o, char *out, size_t cap)
{
	const struct func *f = o->func;
	const struct machine_code *c = f->machine_code;
	uint32_t i = (uint32_t)(o->stmt - f->inst), pc = 0, function = link_function_of_inst(c, i, &pc);
	char text[SASS_TEXT_MAX];
	int n = 0;

	if (i >= c->n_own && i < c->n)
		n = snprintf(out, cap, ", function %.100s", c->module->image->function[function].name);
	machine_write_op_text(o, text);
	if (n >= 0 && (size_t)n < cap)
		snprintf(out + n, cap - (size_t)n, ", PC 0x%04x: %s", pc, text);
}

static unsigned find_source_positions(const struct op *o, struct place *out, unsigned most)
{
	const struct machine_code *c = o->func->machine_code;
	uint32_t pc = 0, function = link_function_of_inst(c, (uint32_t)(o->stmt - o->func->inst), &pc);

	return sass_image_positions(c->module->image, function, pc, out, most);
}

static const struct machine_execution execution = {
	.bind = bind_machine_kernel,
	.open = frame_open,
	.close = frame_close,
	.start = frame_start,
	.run = run_warp,
	.rotate = group_rotate,
	.describe = describe_instruction,
	.positions = find_source_positions,
	.release = group_release_waiting,
	.end_cluster_wait = group_end_cluster_wait,
	.uniform = MF_UNIFORM,
};

struct module *machine_module(const char *path, const void *bytes, size_t n, struct fault *f)
{
	XXH128_hash_t h = XXH3_128bits(bytes, n);
	struct sass_image *image;

	path = diag_keep(path); /* faults that are reported later refer to the path */
	image = sass_image_read(bytes, n, path, f);
	if (!image)
		return NULL;
	if (image->relocatable) {
		sass_image_free(image);
		fault_set(f, (struct place){path, 0, 0}, "sass",
			"relocatable object (expected a linked cubin)");
		return NULL;
	}
	struct module *m = xcalloc(1, sizeof(*m));
	struct machine_module *x = xcalloc(1, sizeof(*x));
	*x = (struct machine_module){.image = image, .module = m};
	m->path = path;
	m->target = image->sm;
	m->address_bytes = 8;
	m->hash[0] = h.high64;
	m->hash[1] = h.low64;
	m->machine = x;
	m->machine_free = free_machine;
	m->scope = arena_alloc(&m->arena, 1, sizeof(*m->scope));
	x->code = xcalloc(image->n_functions + 1u, sizeof(*x->code));
	x->bank4 = xcalloc(image->bank[4].n + 1u, 1);
	if (image->bank[4].p)
		memcpy(x->bank4, image->bank[4].p, image->bank[4].n);
	add_variables(x);
	link_functions(x);
	for (uint32_t i = 0; i < image->n_functions; i++) {
		const struct sass_function *k = &image->function[i];

		if (!k->entry)
			continue;
		if (!do_parameters_fit_bank0(k)) {
			fault_set(f, (struct place){m->path, 0, 0}, "sass",
				"'%s': parameters beyond their %u bytes", k->name, k->param_bytes);
			module_free(m);
			return NULL;
		}
		if (!is_required_cluster_possible(k)) {
			fault_set(f, (struct place){m->path, 0, 0}, "sass",
				"'%s': cluster of %u,%u,%u thread blocks (expected at most %u)", k->name,
				k->cluster[0], k->cluster[1], k->cluster[2], CLUSTER_MAX);
			module_free(m);
			return NULL;
		}
		add_kernel(x, k);
	}
	return m;
}

unsigned machine_register_count(const struct func *f) { return f->machine_code->kernel->registers; }

unsigned machine_ptx_target(const struct func *f) { return f->machine_code->module->image->ptx_sm; }

uint32_t machine_shared_bytes(const struct func *f)
{
	uint32_t reserved = f->machine_code->sm >= 90 ? RESERVED_SHARED : 0;

	return f->shared_end > reserved ? f->shared_end - reserved : 0;
}

/* Returns true if image a is to be executed rather than b: it has functions and b has none, or it is for a newer GPU. */
static bool is_better_image(const struct cubin_image *a, const struct cubin_image *b)
{
	return !a->functions == !b->functions ? a->sm > b->sm : a->functions != 0;
}

/*
 * Returns the number of the best image that a GPU of capability sm (0: any) can run; UINT32_MAX if there is none. A
 * program of nvcc also has images without functions.
 */
static uint32_t find_best_image(const struct cubins *c, unsigned sm)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < cubins_image_count(c); i++) {
		const struct cubin_image *image = cubins_image(c, i);

		if ((!sm || machine_can_run(sm, image->sm)) &&
			(best == UINT32_MAX || is_better_image(image, cubins_image(c, best))))
			best = i;
	}
	return best;
}

struct module *machine_read(const char *path, unsigned sm, struct fault *f)
{
	struct cubins *c = cubins_new();
	struct module *m = NULL;
	uint32_t best;

	path = diag_keep(path);
	if (!cubins_add(c, path, f)) {
		best = find_best_image(c, sm);
		if (best != UINT32_MAX)
			m = machine_module(path, cubins_image(c, best)->bytes, cubins_image(c, best)->n, f);
		else if (cubins_image_count(c))
			fault_set(f, (struct place){path, 0, 0}, "sass",
				"no machine code for sm_%u (the file has sm_%u%s)", sm,
				cubins_image(c, 0)->sm, cubins_image_count(c) > 1 ? " and others" : "");
		else
			fault_set(f, (struct place){path, 0, 0}, "sass", "no machine code");
	}
	cubins_free(c);
	return m;
}
