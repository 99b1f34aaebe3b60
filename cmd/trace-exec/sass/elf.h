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
	const uint8_t *p; /* contents; NULL: the section is NOBITS or empty */
	uint64_t n;       /* size in bytes; for NOBITS the size in memory */
	uint32_t align;
};

struct elf_file {
	const uint8_t *p;
	size_t n;
	const char *name;            /* name of the file for messages */
	struct elf_section *section; /* freed by elf_close() */
	uint32_t n_sections;
	uint32_t type; /* type of the file: 1: relocatable, 2: executable */
	uint32_t flags;
};

struct elf_symbol {
	const char *name;
	uint8_t info, other;
	uint32_t section;
	uint64_t value, size;
};

/* Returns the little-endian number in the 1 to 8 bytes at p. */
uint64_t elf_number(const uint8_t *p, unsigned bytes);
/*
 * Returns the size of the ELF64 file at p according to its headers, or 0 if the headers are damaged or name
 * bytes after the first `most`. For a file of unknown size `most` is large, so that its headers are trusted.
 */
uint64_t elf_size_from_headers(const uint8_t *p, uint64_t most);
/* Reads the section table of a CUDA ELF file. Returns 0, or -1 with *f set. */
int elf_open(struct elf_file *e, const uint8_t *p, size_t n, const char *name, struct fault *f);
void elf_close(struct elf_file *e);
/* Returns the section with this name; NULL if there is none. */
const struct elf_section *elf_find(const struct elf_file *e, const char *name);
/* Returns the number of symbols in a section of type ELF_SYMTAB. */
uint32_t elf_symbol_count(const struct elf_section *s);
/* Returns symbol i of section s; i is less than elf_symbol_count(s). */
struct elf_symbol elf_symbol(const struct elf_file *e, const struct elf_section *s, uint32_t i);
/* Sets *f to a fault of the file with this text. Returns -1. */
int elf_set_fault(const struct elf_file *e, struct fault *f, const char *text);

#endif
