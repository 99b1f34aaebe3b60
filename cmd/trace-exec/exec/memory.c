/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Global memory: static variables at their addresses, and a heap that grows from HEAP_BASE. Both are in
 * reserved address space, of which only the touched pages use memory.
 *
 * Always true: buffers of the heap begin at multiples of 256, as with cudaMalloc; buffers never move and are in
 * ascending order of addresses.
 */
#include <stdlib.h>
#include <string.h>
#include "exec/check.h"
#include "exec/digest.h"
#include "exec/unset.h"

void memory_open(struct memory *m, uint64_t heap_cap)
{
	memset(m, 0, sizeof(*m));
	m->heap_cap = heap_cap ? heap_cap : 256;
	m->heap = reserve(m->heap_cap, 1);
	pthread_mutex_init(&m->lock, NULL);
}

void memory_free(struct memory *m)
{
	if (m->heap)
		reserve_free(m->heap, m->heap_cap, 1);
	marks_free(m);
	digest_free(m);
	free(m->statics);
	free(m->buffer);
	for (uint32_t i = 0; i < m->n_allocating; i++)
		free(m->allocating[i].text);
	free(m->allocating);
	unset_free(m);
	memset(m, 0, sizeof(*m));
}

uint64_t memory_allocate_buffer(struct memory *m, const char *name, uint64_t bytes)
{
	uint64_t at = m->heap_bytes, size;

	if (bytes > m->heap_cap)
		return 0;
	size = (bytes + 255) / 256 * 256;
	if (size > m->heap_cap - at)
		return 0;
	grow(&m->buffer, &m->cap_buffers, m->n_buffers + 1, sizeof(*m->buffer));
	m->buffer[m->n_buffers++] =
		(struct buffer){.name = name, .addr = HEAP_BASE + at, .size = bytes, .live = true};
	m->heap_bytes += size;
	return HEAP_BASE + at;
}

void memory_mark_unset(struct memory *m, uint64_t addr, uint64_t bytes)
{
	if (!m->unset)
		unset_open(m);
	unset_set_range(m, addr - HEAP_BASE, bytes, true);
	digest_forget(m, addr, bytes);
	if (!m->may_have_unset)
		digest_forget_all(m);
	m->may_have_unset = true;
}

void memory_mark_set(struct memory *m, uint64_t addr, uint64_t bytes)
{
	if (m->unset)
		unset_set_range(m, addr - HEAP_BASE, bytes, false);
	digest_forget(m, addr, bytes);
}

void memory_mark_all_set(struct memory *m)
{
	if (m->may_have_unset) {
		unset_set_range(m, 0, m->heap_bytes, false);
		digest_forget_all(m);
	}
	m->may_have_unset = false;
}

void memory_note_allocating_call(struct memory *m, struct place at, const char *text)
{
	uint32_t i = 0;

	while (i < m->n_allocating && strcmp(m->allocating[i].text, text))
		i++;
	if (i == m->n_allocating) {
		grow(&m->allocating, &m->cap_allocating, i + 1, sizeof(*m->allocating));
		m->allocating[m->n_allocating++] = (struct allocating_call){at, xstrdup(text)};
	}
	m->buffer[m->n_buffers - 1].allocated_by = i + 1;
}

uint64_t memory_report_leaks(const struct memory *m, bool finding)
{
	struct {
		uint64_t n, bytes;
	} *leak = xcalloc(m->n_allocating + 1u, sizeof(*leak));
	uint64_t total = 0;

	for (uint32_t i = 0; i < m->n_buffers; i++) {
		const struct buffer *b = &m->buffer[i];

		if (!b->live || !b->allocated_by)
			continue;
		total++;
		leak[b->allocated_by - 1].n++;
		leak[b->allocated_by - 1].bytes += b->size;
	}
	for (uint32_t k = 0; k < m->n_allocating; k++) {
		char text[480];

		if (!leak[k].n)
			continue;
		snprintf(text, sizeof(text), "leak: %llu allocation%s of kernels, %llu bytes (%s)",
			(unsigned long long)leak[k].n, leak[k].n == 1 ? "" : "s",
			(unsigned long long)leak[k].bytes, m->allocating[k].text);
		if (finding)
			diag_error(m->allocating[k].at, "%s", text);
		else
			diag_warn(m->allocating[k].at, "%s", text);
	}
	free(leak);
	return total;
}

static void add_static_buffer(struct memory *m, const struct symbol *v)
{
	if ((v->space != SP_GLOBAL && v->space != SP_CONST) || v->external)
		return;
	if (v->init)
		memcpy(m->statics + v->addr, v->init, v->size);
	grow(&m->buffer, &m->cap_buffers, m->n_buffers + 1, sizeof(*m->buffer));
	m->buffer[m->n_buffers++] =
		(struct buffer){.name = v->name, .addr = v->addr, .size = v->size, .live = true};
}

void memory_add_statics(struct memory *m, const struct program *p)
{
	m->static_bytes = round_up_u64(p->static_end, 4); /* whole words, as narrow atomics access */
	m->statics = xcalloc(p->static_end + 64, 1);
	for (uint32_t i = 0; i < p->n_modules; i++) {
		const struct module *mod = p->module[i];

		for (uint32_t k = 0; k < mod->n_vars; k++)
			add_static_buffer(m, mod->var[k]);
		for (uint32_t k = 0; k < mod->n_funcs; k++)
			for (uint32_t j = 0; j < mod->func[k]->n_vars; j++)
				add_static_buffer(m, mod->func[k]->var[j]);
	}
}

const struct buffer *memory_nearest_buffer(const struct memory *m, uint64_t addr)
{
	uint32_t low = 0, high = m->n_buffers;

	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (m->buffer[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &m->buffer[low - 1] : NULL;
}
