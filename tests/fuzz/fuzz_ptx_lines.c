/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target for line tables: the input contains the sections .debug_line, .debug_line_str, .debug_str and
 * .rela.debug_line. Its bytes are the number of relocations, two bytes for the offset of each relocation, two
 * bytes for the size of .debug_line, the contents of .debug_line, and the strings. Every line that is found
 * must have a file.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "sass/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TEXT = 1, SYMBOLS, NAMES, LINES, LINE_STRINGS, STRINGS, RELOCATIONS, SECTIONS };

struct parts {
	uint8_t reloc[255 * 24], symbol[2 * 24];
	struct elf_section section[SECTIONS];
	struct elf_file elf;
};

static void put_number(uint8_t *to, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		to[i] = (uint8_t)(v >> 8 * i);
}

static void set_part(struct parts *p, int i, const char *name, uint32_t type, const uint8_t *at, size_t n)
{
	p->section[i] = (struct elf_section){.name = name, .type = type, .p = n ? at : NULL, .n = n};
}

/* Sets the sections from the input. Returns false if the input is too short. */
static bool set_parts(struct parts *p, const uint8_t *data, size_t size)
{
	size_t relocs = size ? data[0] : 0, at = 3 + 2 * relocs, lines;

	if (size < at)
		return false;
	lines = (size_t)elf_number(data + at - 2, 2);
	lines = lines < size - at ? lines : size - at;
	for (size_t i = 0; i < relocs; i++) {
		put_number(p->reloc + 24 * i, elf_number(data + 1 + 2 * i, 2), 8);
		put_number(p->reloc + 24 * i + 12, 1, 4);
		put_number(p->reloc + 24 * i + 16, i, 8);
	}
	put_number(p->symbol + 24 + 6, TEXT, 2);
	set_part(p, TEXT, ".text.k", ELF_PROGBITS, NULL, 0);
	set_part(p, SYMBOLS, ".symtab", ELF_SYMTAB, p->symbol, sizeof(p->symbol));
	p->section[SYMBOLS].link = NAMES;
	set_part(p, NAMES, ".strtab", ELF_STRTAB, (const uint8_t *)"", 1);
	set_part(p, LINES, ".debug_line", ELF_PROGBITS, data + at, lines);
	set_part(p, LINE_STRINGS, ".debug_line_str", ELF_PROGBITS, data + at + lines, size - at - lines);
	set_part(p, STRINGS, ".debug_str", ELF_PROGBITS, data + at + lines, size - at - lines);
	set_part(p, RELOCATIONS, ".rela.debug_line", ELF_RELA, p->reloc, 24 * relocs);
	p->section[0].name = "";
	p->elf = (struct elf_file){.name = "fuzz", .section = p->section, .n_sections = SECTIONS};
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint32_t of_section[SECTIONS] = {
		NO_FUNCTION, 0, NO_FUNCTION, NO_FUNCTION, NO_FUNCTION, NO_FUNCTION, NO_FUNCTION, NO_FUNCTION};
	static struct parts p;
	struct sass_lines *l;

	memset(&p, 0, sizeof(p));
	if (!set_parts(&p, data, size))
		return 0;
	l = sass_lines_read(&p.elf, of_section);
	for (uint32_t pc = 0; l && pc < 1024; pc += 16) {
		const char *file = NULL;

		if (sass_lines_find(l, 0, pc, &file) && (!file || strlen(file) > 3 * 4096 + 2))
			abort();
		if (sass_lines_find(l, 1, pc, &file))
			abort();
	}
	sass_lines_free(l);
	return 0;
}
