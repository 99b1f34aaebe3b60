/* SPDX-License-Identifier: BSD-2-Clause */
/* Sections of an ELF64 file in memory. See elf.c. */
#ifndef SASS_ELF_H
#define SASS_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "diag.h"

enum {
	ELF_NULL = 0,
	ELF_PROGBITS = 1,
	ELF_SYMTAB = 2,
	ELF_STRTAB = 3,
	ELF_RELA = 4,
	ELF_NOBITS = 8,
	ELF_REL = 9
};

struct elf_section {
	const char *name;
	uint32_t type;
	uint32_t link, info;
	uint64_t flags;
	const uint8_t *p; /* NULL: NOBITS or empty */
	uint64_t n;       /* bytes; of NOBITS the size in memory */
	uint32_t align;
};

struct elf_file {
	const uint8_t *p;
	size_t n;
	const char *name;            /* in messages */
	struct elf_section *section; /* freed by elf_close() */
	uint32_t n_sections;
	uint32_t type; /* 1: relocatable, 2: executable */
	uint32_t flags;
};

struct elf_symbol {
	const char *name;
	uint8_t info, other;
	uint32_t section;
	uint64_t value, size;
};

/* Little-endian number of 1 .. 8 bytes. */
uint64_t elf_number(const uint8_t *p, unsigned bytes);
/*
 * Returns the bytes of an ELF64 file by its headers; 0: they name bytes after the first `most`, or are damaged. A
 * file whose size is not known has a large `most`, and its headers are trusted.
 */
uint64_t elf_extent(const uint8_t *p, uint64_t most);
/* Reads the section table of a CUDA ELF file. 0, or -1 and *f. */
int elf_open(struct elf_file *e, const uint8_t *p, size_t n, const char *name, struct fault *f);
void elf_close(struct elf_file *e);
/* Section of that name; NULL: none. */
const struct elf_section *elf_find(const struct elf_file *e, const char *name);
/* Number of symbols of a section of type ELF_SYMTAB. */
uint32_t elf_symbols(const struct elf_section *s);
/* Symbol i < elf_symbols(s). */
struct elf_symbol elf_symbol(const struct elf_file *e, const struct elf_section *s, uint32_t i);
/* Sets *f to text for the file; returns -1. */
int elf_fault(const struct elf_file *e, struct fault *f, const char *text);

#endif
