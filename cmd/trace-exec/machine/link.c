/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Links the code of several functions in one address space. Programs of separate compilation (-rdc) have a section for
 * each device function, and relocations where code names functions and variables.
 *
 * Always true: a kernel is at address 0, as in its own trace. Device functions follow the longest kernel of the file,
 * at addresses that are the same for all kernels, because variables hold them. The instructions of a kernel are
 * followed by the instructions of the device functions that it can call.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "machine/code.h"

/* Types of relocations: lower and upper word in bits 32-63; call target from bit 34 on, or in bits 34-81 and 16-23. */
enum { RELOC_LOW = 0x38, RELOC_HIGH = 0x39, RELOC_TARGET = 0x3a, RELOC_TARGET_90 = 0x4b };
#define RELOC_LAUNCH 0x3e /* number of a kernel that code launches */

/* Minimum bytes of local memory of a lane if functions call each other: the default of the CUDA runtime. */
#define STACK_LEAST 1024u

/*
 * Bytes of local memory of a lane if the cubin does not say how many the kernel needs: the compiler writes 0xffffffff
 * for recursion in code without optimisation. It is more than the default, because such programs raise the limit.
 */
#define STACK_UNKNOWN 16384u

void link_functions(struct machine_module *x)
{
	const struct sass_image *m = x->image;
	uint32_t longest = 0, at;

	x->function_at = arena_alloc(&x->module->arena, m->n_functions + 1u, sizeof(*x->function_at));
	x->device = arena_alloc(&x->module->arena, m->n_functions + 1u, sizeof(*x->device));
	for (uint32_t i = 0; i < m->n_functions; i++)
		if (m->function[i].entry)
			longest = max_u32(longest, m->function[i].bytes);
	at = (longest + 255) / 256 * 256;
	for (uint32_t i = 0; i < m->n_functions; i++)
		if (!m->function[i].entry) {
			x->function_at[i] = at;
			x->device[x->n_device++] = i;
			at += m->function[i].bytes;
		}
}

/* ---- functions that a kernel can call ---- */

/* Returns the device function of the image that a relocation names; UINT32_MAX if it names none. */
static uint32_t function_of_relocation(const struct sass_image *m, const struct sass_reloc *r)
{
	const struct sass_symbol *s = &m->symbol[r->symbol];

	return s->place == SASS_AT_CODE && s->index < m->n_functions && !m->function[s->index].entry
		       ? s->index
		       : UINT32_MAX;
}

/*
 * Marks kernel k, the functions that it names, the functions whose addresses are in variables, and the
 * functions that marked functions name.
 */
static void mark_called_functions(const struct sass_image *m, uint32_t k, bool *called)
{
	bool more = true;

	called[k] = true;
	while (more) {
		more = false;
		for (uint32_t i = 0; i < m->n_relocs; i++) {
			const struct sass_reloc *r = &m->reloc[i];
			uint32_t to = function_of_relocation(m, r);
			bool code = r->place == SASS_AT_CODE;

			if (to == UINT32_MAX || called[to] ||
				(code && (r->index >= m->n_functions || !called[r->index])))
				continue;
			called[to] = more = true;
		}
	}
}

/* Decodes the instructions of function k, which is at address `at`, into to[]. */
static void decode_function(const struct sass_function *k, uint32_t at, unsigned sm, struct sass_inst *to)
{
	for (uint32_t i = 0; i < k->bytes / SASS_BYTES; i++)
		sass_decode(&to[i], k->code + i * SASS_BYTES, at + i * SASS_BYTES, sm);
}

void link_decode(struct machine_code *c, struct arena *arena)
{
	const struct machine_module *x = c->module;
	const struct sass_image *m = x->image;
	bool *called = xcalloc(m->n_functions + 1u, sizeof(*called));

	if (x->n_device)
		mark_called_functions(m, (uint32_t)(c->kernel - m->function), called);
	c->n = c->n_own = c->kernel->bytes / SASS_BYTES;
	c->function_start = arena_alloc(arena, x->n_device + 1u, sizeof(*c->function_start));
	for (uint32_t i = 0; i < x->n_device; i++) {
		c->function_start[i] = called[x->device[i]] ? c->n : UINT32_MAX;
		c->n += called[x->device[i]] ? m->function[x->device[i]].bytes / SASS_BYTES : 0;
	}
	c->inst = arena_alloc(arena, c->n + 1u, sizeof(*c->inst));
	decode_function(c->kernel, 0, c->sm, c->inst);
	for (uint32_t i = 0; i < x->n_device; i++)
		if (c->function_start[i] != UINT32_MAX)
			decode_function(&m->function[x->device[i]], x->function_at[x->device[i]], c->sm,
				c->inst + c->function_start[i]);
	free(called);
}

/*
 * Returns true if the instruction moves the top of the stack by the value of a register, as alloca() does: R1 is the
 * top, and the frames of functions are constants.
 */
static bool does_allocate_stack(const struct sass_inst *in)
{
	bool varies = false;

	for (unsigned i = in->n_results; i < in->n_args; i++)
		varies |= in->arg[i].kind == SASS_REG && in->arg[i].reg != 1 && in->arg[i].reg != RZ;
	return varies && in->n_results && in->arg[0].kind == SASS_REG && in->arg[0].reg == 1;
}

uint32_t link_local_bytes(const struct machine_code *c, bool *grows)
{
	bool returns = c->n > c->n_own, stores = returns, allocates = false;

	*grows = c->kernel->stack > MACHINE_STACK_MOST;
	if (*grows)
		return STACK_UNKNOWN;
	for (uint32_t i = 0; i < c->n; i++) { /* functions in the kernel's section may be recursive */
		returns |= c->inst[i].opcode == 0x950;
		stores |= c->inst[i].opcode == 0x387 || c->inst[i].opcode == 0x987; /* STL */
		allocates |= does_allocate_stack(&c->inst[i]);
	}
	*grows = allocates || (returns && stores);
	if (allocates) /* kernel->stack is the size of the frames, without the memory that alloca adds */
		return c->kernel->stack + STACK_LEAST;
	return *grows ? max_u32(c->kernel->stack, STACK_LEAST) : c->kernel->stack;
}

void machine_set_stack(struct bound_code *c, struct func *f, uint64_t bytes)
{
	uint32_t n = (uint32_t)(bytes < MACHINE_STACK_MOST ? bytes : MACHINE_STACK_MOST) / 16 * 16;

	if (!f->stack_grows || n <= f->local_bytes)
		return;
	f->local_bytes = n;
	c->local_bytes = max_u32(c->local_bytes, n);
}

/* Returns the index in x->device of the last function that begins at or before pc; UINT32_MAX if there is none. */
static uint32_t device_function_at(const struct machine_module *x, uint64_t pc)
{
	uint32_t low = 0, high = x->n_device;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (x->function_at[x->device[middle]] <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : UINT32_MAX;
}

uint32_t link_inst_at(const struct machine_code *c, uint64_t pc)
{
	const struct machine_module *x = c->module;
	uint32_t i;

	if (pc % SASS_BYTES)
		return UINT32_MAX;
	if (pc / SASS_BYTES < c->n_own)
		return (uint32_t)(pc / SASS_BYTES);
	i = device_function_at(x, pc);
	if (i == UINT32_MAX || c->function_start[i] == UINT32_MAX)
		return UINT32_MAX;
	pc -= x->function_at[x->device[i]];
	return pc < x->image->function[x->device[i]].bytes
		       ? c->function_start[i] + (uint32_t)(pc / SASS_BYTES)
		       : UINT32_MAX;
}

uint32_t link_function_of_inst(const struct machine_code *c, uint32_t i, uint32_t *pc)
{
	const struct machine_module *x = c->module;

	*pc = i < c->n ? c->inst[i].pc : 0;
	if (i < c->n_own || i >= c->n)
		return (uint32_t)(c->kernel - x->image->function);
	uint32_t function = x->device[device_function_at(x, *pc)];
	*pc -= x->function_at[function];
	return function;
}

/* ---- relocations ---- */

/* Replaces bits 32-63 of an instruction and decodes it again. */
static void patch_immediate(struct machine_code *c, uint32_t i, uint32_t word)
{
	struct sass_inst *in = &c->inst[i];
	uint64_t words[2] = {(in->word[0] & UINT32_MAX) | (uint64_t)word << 32, in->word[1]};
	uint8_t bytes[SASS_BYTES];

	memcpy(bytes, words, sizeof(bytes));
	sass_decode(in, bytes, in->pc, c->sm);
}

/* Applies relocation r, whose symbol has the address, to instruction i. Returns -1 with *f set for an unknown type. */
static int apply_relocation(
	struct machine_code *c, const struct sass_reloc *r, uint32_t i, uint64_t address, struct fault *f)
{
	struct arena *arena = &c->module->module->arena;

	switch (r->type) {
	case RELOC_LOW: patch_immediate(c, i, (uint32_t)address); return 0;
	case RELOC_HIGH: patch_immediate(c, i, (uint32_t)(address >> 32)); return 0;
	case RELOC_TARGET:
	case RELOC_TARGET_90:
		if (!c->call_target) {
			c->call_target = arena_alloc(arena, c->n + 1u, sizeof(*c->call_target));
			memset(c->call_target, 0xff, c->n * sizeof(*c->call_target));
		}
		c->call_target[i] = address;
		return 0;
	case RELOC_LAUNCH:
		return fault_set(f, (struct place){c->module->module->path, 0, 0}, "sass",
			"kernels that launch kernels (dynamic parallelism) are not executed: function %s launches '%s' at PC 0x%04x",
			c->module->image->function[r->index].name, c->module->image->symbol[r->symbol].name,
			(unsigned)r->offset);
	default:
		return fault_set(f, (struct place){c->module->module->path, 0, 0}, "sass",
			"relocation of type 0x%x to '%s' at PC 0x%04x of function %s (expected 0x38, 0x39, 0x3a or 0x4b)",
			r->type, c->module->image->symbol[r->symbol].name, (unsigned)r->offset,
			c->module->image->function[r->index].name);
	}
}

int link_apply_relocations(struct machine_code *c, link_address_fn *address_of, struct fault *f)
{
	const struct machine_module *x = c->module;
	const struct sass_image *m = x->image;
	uint32_t kernel = (uint32_t)(c->kernel - m->function);

	for (uint32_t k = 0; k < m->n_relocs; k++) {
		const struct sass_reloc *r = &m->reloc[k];
		const struct sass_symbol *s = &m->symbol[r->symbol];
		uint64_t address;
		uint32_t i;

		if (r->place != SASS_AT_CODE || r->index >= m->n_functions ||
			(m->function[r->index].entry && r->index != kernel) ||
			r->offset >= m->function[r->index].bytes)
			continue;
		i = link_inst_at(c, x->function_at[r->index] + r->offset);
		if (i == UINT32_MAX)
			continue;
		if (s->place == SASS_AT_CODE && s->index < m->n_functions && m->function[s->index].entry &&
			s->index != kernel)
			return fault_set(f, (struct place){x->module->path, 0, 0}, "sass",
				"kernels that launch kernels (dynamic parallelism) are not executed: function %s launches or calls '%s'",
				m->function[r->index].name, s->name);
		if (address_of(x, s, &address, f) ||
			apply_relocation(c, r, i, address + (uint64_t)r->addend, f))
			return -1;
	}
	return 0;
}
