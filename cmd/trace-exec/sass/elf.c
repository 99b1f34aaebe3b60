/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ELF64 reader for cubins. Always true: the bytes of a section are in the file. A name that does not end in its section
 * is empty. An offset is compared with the remaining bytes before it is used.
 */
#include "sass/elf.h"
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "bits.h"

#define MACHINE_CUDA 190u
#define ELF_NAME_MAX 4096u /* maximum bytes of a name; a longer name is empty */

uint64_t elf_number(const uint8_t *p, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

int elf_set_fault(const struct elf_file *e, struct fault *f, const char *text)
{
	return fault_set(f, (struct place){.file = e->name}, "cubin", "%s", text);
}

/* Returns the string at offset `at` of section i; "" if it does not end in the section. */
static const char *elf_string(const struct elf_file *e, uint32_t i, uint64_t at)
{
	const struct elf_section *s = i < e->n_sections ? &e->section[i] : NULL;

	if (!s || !s->p || at >= s->n || !memchr(s->p + at, 0, min_u64(s->n - at, ELF_NAME_MAX)))
		return "";
	return (const char *)s->p + at;
}

static int read_elf_section(struct elf_file *e, uint32_t i, const uint8_t *h, struct fault *f)
{
	struct elf_section *s = &e->section[i];
	uint64_t at = elf_number(h + 24, 8), align = elf_number(h + 48, 8);

	s->type = (uint32_t)elf_number(h + 4, 4);
	s->flags = elf_number(h + 8, 8);
	s->n = elf_number(h + 32, 8);
	s->link = (uint32_t)elf_number(h + 40, 4);
	s->info = (uint32_t)elf_number(h + 44, 4);
	s->align = align && align <= 1u << 16 ? (uint32_t)align : 1;
	if (s->type == ELF_NULL)
		s->n = 0;
	if (s->type == ELF_NULL || s->type == ELF_NOBITS || !s->n)
		return 0;
	if (at > e->n || s->n > e->n - at)
		return elf_set_fault(e, f, "a section is outside the file (expected an ELF file)");
	s->p = e->p + at;
	return 0;
}

/* Extends *end to cover n bytes at offset `at`. Returns false if they are not within the first `most` bytes. */
static bool extend_file_size(uint64_t *end, uint64_t at, uint64_t n, uint64_t most)
{
	if (at > most || n > most - at)
		return false;
	if (at + n > *end)
		*end = at + n;
	return true;
}

uint64_t elf_size_from_headers(const uint8_t *p, uint64_t most)
{
	uint64_t end = 64;

	if (most < end)
		return 0;
	uint64_t segments = elf_number(p + 32, 8), sections = elf_number(p + 40, 8);
	uint64_t n_sections = elf_number(p + 60, 2), size = elf_number(p + 58, 2);

	if ((n_sections && size != 64) ||
		!extend_file_size(&end, segments, elf_number(p + 54, 2) * elf_number(p + 56, 2), most) ||
		!extend_file_size(&end, sections, n_sections * size, most))
		return 0;
	for (uint64_t i = 0; i < n_sections; i++) {
		const uint8_t *s = p + sections + i * size;

		if (elf_number(s + 4, 4) != ELF_NOBITS &&
			!extend_file_size(&end, elf_number(s + 24, 8), elf_number(s + 32, 8), most))
			return 0;
	}
	return end;
}

int elf_open(struct elf_file *e, const uint8_t *p, size_t n, const char *name, struct fault *f)
{
	*e = (struct elf_file){.p = p, .n = n, .name = name};
	if (n < 64 || memcmp(p, "\177ELF\2\1", 6) != 0 || elf_number(p + 18, 2) != MACHINE_CUDA)
		return elf_set_fault(e, f, "not a cubin (expected ELF machine 190)");

	uint64_t table = elf_number(p + 40, 8), count = elf_number(p + 60, 2), names = elf_number(p + 62, 2);

	e->type = (uint32_t)elf_number(p + 16, 2);
	e->flags = (uint32_t)elf_number(p + 48, 4);
	if (elf_number(p + 58, 2) != 64 || table > n || 64 * count > n - table)
		return elf_set_fault(e, f, "the section table is not in the file (expected an ELF file)");
	e->section = xcalloc(count + 1, sizeof(*e->section));
	e->n_sections = (uint32_t)count;
	for (uint32_t i = 0; i < count; i++)
		if (read_elf_section(e, i, p + table + 64ull * i, f) < 0) {
			elf_close(e);
			return -1;
		}
	for (uint32_t i = 0; i < count; i++)
		e->section[i].name = elf_string(e, (uint32_t)names, elf_number(p + table + 64ull * i, 4));
	return 0;
}

void elf_close(struct elf_file *e)
{
	free(e->section);
	e->section = NULL;
	e->n_sections = 0;
}

const struct elf_section *elf_find(const struct elf_file *e, const char *name)
{
	for (uint32_t i = 0; i < e->n_sections; i++)
		if (!strcmp(e->section[i].name, name))
			return &e->section[i];
	return NULL;
}

uint32_t elf_symbol_count(const struct elf_section *s)
{
	uint64_t n = s->p ? s->n / 24 : 0;

	return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

struct elf_symbol elf_symbol(const struct elf_file *e, const struct elf_section *s, uint32_t i)
{
	const uint8_t *p = s->p + 24ull * i;

	return (struct elf_symbol){
		.name = elf_string(e, s->link, elf_number(p, 4)),
		.info = p[4],
		.other = p[5],
		.section = (uint32_t)elf_number(p + 6, 2),
		.value = elf_number(p + 8, 8),
		.size = elf_number(p + 16, 8),
	};
}
