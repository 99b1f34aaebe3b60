/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Variables of modules: their addresses and initial values.
 *
 * The linker places most of them in static memory. Two kinds are in the heap, where the program cannot free
 * them: managed variables, which the host accesses at the same address; and variables that would overlap the
 * program itself, which begins at 4 MiB if it is position dependent. A host pointer must not be mistaken for
 * a device pointer.
 *
 * Always true: static variables are below cudart.static_limit, host memory is at or above it.
 */
#include <stdio.h>
#include <string.h>
#include "arena.h"
#include "cudart/cudart.h"

#define SMALL      64u  /* variables up to this size, such as texture handles, are always static */
#define ALIGN_MOST 128u /* alignment of static variables */

static bool is_static_variable(const struct symbol *v)
{
	return (v->space == SP_GLOBAL || v->space == SP_CONST) && !v->external && v->size;
}

static void for_each_variable(const struct module *m, void call(struct symbol *))
{
	for (uint32_t k = 0; k < m->n_vars; k++)
		call(m->var[k]);
	for (uint32_t k = 0; k < m->n_funcs; k++)
		for (uint32_t j = 0; j < m->func[k]->n_vars; j++)
			call(m->func[k]->var[j]);
}

struct symbol *cudart_find_variable(const struct image *m, const char *name)
{
	for (uint32_t k = 0; k < m->n_modules; k++)
		for (uint32_t i = 0; i < m->module[k]->n_vars; i++)
			if (!m->module[k]->var[i]->external && !strcmp(m->module[k]->var[i]->name, name))
				return m->module[k]->var[i];
	/* in machine code the variable is a part of a larger one, and only the scope has its name */
	for (uint32_t k = 0; k < m->n_modules; k++) {
		struct symbol *s = m->module[k]->machine
					   ? scope_find(m->module[k]->scope, name, (uint32_t)strlen(name))
					   : NULL;

		if (s && s->kind == SYM_VAR)
			return s;
	}
	return NULL;
}

/* ---- variables in the heap ---- */

static int place_variable_in_heap(struct symbol *s, enum grant_kind kind)
{
	int e = cudart_allocate(&s->addr, s->size, kind, 0, "a managed variable");

	if (e)
		return e;
	memory_mark_set(&cudart.mem, s->addr, s->size);
	((struct buffer *)memory_nearest_buffer(&cudart.mem, s->addr))->name = s->name;
	cudart_find_grant(s->addr)->is_variable = true;
	s->placed = true;
	return cudaSuccess;
}

/* Places the managed variables of an image and sets the program's pointers to them. Returns 0 or a status. */
static int place_managed_variables(uint32_t image)
{
	for (uint32_t i = 0; i < cudart.n_variables; i++) {
		const struct variable *v = &cudart.variable[i];
		struct symbol *s = v->managed && v->image == image
					   ? cudart_find_variable(&cudart.image[image], v->name)
					   : NULL;
		int e;

		if (!s || !s->size || s->placed)
			continue;
		if ((e = place_variable_in_heap(s, GRANT_MANAGED)))
			return e;
		*v->managed = (void *)(uintptr_t)s->addr;
	}
	return cudaSuccess;
}

static uint64_t static_end; /* upper bound of the end of static variables */

static void place_large_variable(struct symbol *v)
{
	uint64_t end = (static_end + ALIGN_MOST - 1) / ALIGN_MOST * ALIGN_MOST + v->size;

	if (!is_static_variable(v) || v->placed)
		return;
	if (end <= cudart.static_limit || v->size <= SMALL || place_variable_in_heap(v, GRANT_DEVICE))
		static_end = end;
}

int cudart_place_variables(uint32_t image)
{
	const struct image *m = &cudart.image[image];
	int e = place_managed_variables(image);

	static_end = static_end ? static_end : STATIC_BASE;
	for (uint32_t k = 0; !e && k < m->n_modules; k++)
		for_each_variable(m->module[k], place_large_variable);
	return e ? e : static_end > cudart.static_limit ? cudaErrorMemoryAllocation : cudaSuccess;
}

uint64_t cudart_find_static_limit(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long long first = PARAM_BASE;

	if (f && fscanf(f, "%llx-", &first) != 1)
		first = PARAM_BASE;
	if (f)
		fclose(f);
	return first < PARAM_BASE ? first : PARAM_BASE;
}

/* ---- initial values ---- */

/* Writes the initial value of a variable to its memory, at load time and when the device is reset. */
static void write_initial_value(struct symbol *v)
{
	uint8_t *bytes = is_static_variable(v) ? memory_host_address(&cudart.mem, v->addr, v->size) : NULL;

	if (bytes && v->init)
		memcpy(bytes, v->init, v->size);
	else if (bytes)
		memset(bytes, 0, v->size);
}

/* Writes the initial values of a module's variables. In machine code, only the scope has the managed ones. */
static void write_initial_values(const struct module *m)
{
	for_each_variable(m, write_initial_value);
	for (uint32_t i = 0; m->machine && i < cudart.n_variables; i++) {
		const struct variable *v = &cudart.variable[i];
		struct symbol *s =
			v->managed ? scope_find(m->scope, v->name, (uint32_t)strlen(v->name)) : NULL;

		if (s && s->kind == SYM_VAR && s->placed)
			write_initial_value(s);
	}
}

/*
 * Adds a static variable to the buffers, for messages about accesses. A variable in the heap already is a
 * buffer.
 */
static void name_variable_buffer(struct symbol *v)
{
	struct memory *m = &cudart.mem;
	uint32_t at;

	if (!is_static_variable(v) || v->placed)
		return;
	grow(&m->buffer, &m->cap_buffers, m->n_buffers + 1, sizeof(*m->buffer));
	for (at = m->n_buffers++; at && m->buffer[at - 1].addr > v->addr; at--)
		m->buffer[at] = m->buffer[at - 1];
	m->buffer[at] = (struct buffer){.name = v->name, .addr = v->addr, .size = v->size, .live = true};
}

void cudart_init_variables(const struct module *m)
{
	write_initial_values(m);
	for_each_variable(m, name_variable_buffer);
}

void cudart_reset_variables(void)
{
	for (uint32_t i = 0; i < cudart.prog.n_modules; i++)
		write_initial_values(cudart.prog.module[i]);
}
