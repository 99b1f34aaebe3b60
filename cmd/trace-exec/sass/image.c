/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loader of cubins: functions with code, parameters and constant banks, symbols, relocations.
 *
 *   .text.NAME            code; the low 24 bits of sh_info are the symbol, the upper 8 the registers (older files)
 *   .nv.info, .nv.info.NAME  attributes (info.c)
 *   .nv.constant0.NAME    bank 0: launch state and parameters; 2: constants of the compiler
 *   .nv.constantN         bank N of the whole file: 3 __constant__ variables, 4 addresses
 *   .nv.global, .nv.global.init, .nv.shared.NAME
 *   .rel.SECTION, .rela.SECTION  relocations
 *
 * Always true: an index of a function, symbol or section is checked before use; a name that is not in the file
 * is empty.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "bits.h"
#include "sass/image.h"

#define STO_ENTRY 0x10u /* st_other: a kernel */
#define IMAGE_MAX (1ull << 30)

struct named_function {
	const char *name;
	uint32_t function;
};

struct image_loading {
	struct sass_image *image;
	struct elf_file elf;
	struct fault *fault;
	uint32_t *of_section; /* function of each section, or NO_FUNCTION */
	uint32_t *of_symbol;  /* function that begins at each ELF symbol, or NO_FUNCTION */
	uint32_t n_elf_symbols;
	struct named_function *by_name;    /* functions, sorted by name */
	const struct elf_section *symbols; /* symbol table; NULL: none */
};

/* Returns the text after the prefix; NULL if name has another prefix. */
static const char *text_after_prefix(const char *name, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(name, prefix, n) ? NULL : name + n;
}

static int compare_named(const void *a, const void *b)
{
	return strcmp(((const struct named_function *)a)->name, ((const struct named_function *)b)->name);
}

static uint32_t find_function_by_name(const struct image_loading *l, const char *name)
{
	struct named_function key = {name, 0};
	const struct named_function *found =
		l->image->n_functions
			? bsearch(&key, l->by_name, l->image->n_functions, sizeof(key), compare_named)
			: NULL;

	return found ? found->function : NO_FUNCTION;
}

/*
 * Returns the function that section s describes. The name of s ends in the name of the function. Linked objects may
 * have local functions with the same name; the section number in s then decides.
 */
static uint32_t function_described_by(
	const struct image_loading *l, const struct elf_section *s, const char *name)
{
	uint32_t k = s->info < l->elf.n_sections ? l->of_section[s->info] : NO_FUNCTION;

	return k != NO_FUNCTION && !strcmp(l->image->function[k].name, name) ? k
									     : find_function_by_name(l, name);
}

/* Fills by_name. */
static void sort_functions(struct image_loading *l)
{
	uint32_t n = l->image->n_functions;

	l->by_name = xcalloc(n + 1ull, sizeof(*l->by_name));
	for (uint32_t i = 0; i < n; i++)
		l->by_name[i] = (struct named_function){l->image->function[i].name, i};
	qsort(l->by_name, n, sizeof(*l->by_name), compare_named);
}

/* Returns -1 with the fault set if two kernels have one name. */
static int check_kernel_names(const struct image_loading *l)
{
	const char *last = NULL;

	for (uint32_t i = 0; i < l->image->n_functions; i++) {
		const struct named_function *k = &l->by_name[i];

		if (!l->image->function[k->function].entry)
			continue;
		if (last && !strcmp(last, k->name))
			return fault_set(l->fault, (struct place){.file = l->elf.name}, "cubin",
				"two kernels named %.100s", k->name);
		last = k->name;
	}
	return 0;
}

/* Returns the place of a section's contents, and sets *index to its function or bank. */
static enum sass_place place_of_section(const struct image_loading *l, uint32_t section, uint32_t *index)
{
	const struct elf_section *s = section < l->elf.n_sections ? &l->elf.section[section] : NULL;
	const char *name = s ? s->name : "", *of;

	*index = NO_FUNCTION;
	if (s && l->of_section[section] != NO_FUNCTION) {
		*index = l->of_section[section];
		return SASS_AT_CODE;
	}
	if (!strcmp(name, ".nv.global"))
		return SASS_AT_GLOBAL;
	if (!strcmp(name, ".nv.global.init"))
		return SASS_AT_GLOBAL_INIT;
	if ((of = text_after_prefix(name, ".nv.shared"))) {
		*index = *of == '.' ? function_described_by(l, s, of + 1) : NO_FUNCTION;
		return SASS_AT_SHARED;
	}
	if ((of = text_after_prefix(name, ".nv.constant")) && *of >= '0' && *of <= '7') {
		*index = (uint32_t)(*of - '0');
		if (!of[1])
			return SASS_AT_CONST;
		if (of[1] == '.' && *of == '2') {
			*index = function_described_by(l, s, of + 2);
			return SASS_AT_CONST_OF;
		}
		if (of[1] == '.' && *of == '0') {
			*index = function_described_by(l, s, of + 2);
			return SASS_AT_BANK0;
		}
	}
	return SASS_AT_OTHER;
}

static int add_functions(struct image_loading *l)
{
	struct sass_image *m = l->image;
	struct elf_file *e = &l->elf;

	m->function = xcalloc(e->n_sections + 1, sizeof(*m->function));
	for (uint32_t i = 0; i < e->n_sections; i++) {
		const struct elf_section *s = &e->section[i];
		const char *name = text_after_prefix(s->name, ".text.");

		l->of_section[i] = NO_FUNCTION;
		if (s->type != ELF_PROGBITS || !name || !*name)
			continue;
		if (s->n > UINT32_MAX || s->n % SASS_BYTES)
			return elf_set_fault(e, l->fault, "code is not a multiple of 16 bytes");
		l->of_section[i] = m->n_functions;
		m->function[m->n_functions++] = (struct sass_function){
			.name = name,
			.code = s->p,
			.bytes = (uint32_t)s->n,
			.section = (uint16_t)i,
			.registers = s->info >> 24,
			.barriers = (unsigned)(s->flags >> 20 & 127),
		};
	}
	return 0;
}

/* Reads the sections that belong to functions and banks. */
static int read_function_sections(struct image_loading *l)
{
	struct sass_image *m = l->image;

	for (uint32_t i = 0; i < l->elf.n_sections; i++) {
		const struct elf_section *s = &l->elf.section[i];
		struct sass_bytes bytes = {s->p, s->n, s->align};
		const char *of;
		uint32_t k;

		if ((of = text_after_prefix(s->name, ".nv.info.")) &&
			(k = function_described_by(l, s, of)) != NO_FUNCTION) {
			if (sass_info_function(&m->function[k], &l->elf, s, l->fault) < 0)
				return -1;
		} else if ((of = text_after_prefix(s->name, ".nv.constant0.")) &&
			   (k = function_described_by(l, s, of)) != NO_FUNCTION) {
			m->function[k].bank0 = s->p;
			m->function[k].bank0_bytes = s->p ? (uint32_t)min_u64(s->n, 65536) : 0;
		} else if ((of = text_after_prefix(s->name, ".nv.constant2.")) &&
			   (k = function_described_by(l, s, of)) != NO_FUNCTION) {
			m->function[k].bank2 = s->p;
			m->function[k].bank2_bytes = s->p ? (uint32_t)min_u64(s->n, 65536) : 0;
		} else if ((of = text_after_prefix(s->name, ".nv.shared.")) &&
			   (k = function_described_by(l, s, of)) != NO_FUNCTION) {
			m->function[k].shared_bytes = (uint32_t)min_u64(s->n, UINT32_MAX);
		} else if ((of = text_after_prefix(s->name, ".nv.constant")) && *of >= '1' && *of <= '7' &&
			   !of[1]) {
			if (s->n > 65536)
				return elf_set_fault(
					&l->elf, l->fault, "a constant bank has more than 65536 bytes");
			m->bank[*of - '0'] = bytes;
		} else if (!strcmp(s->name, ".nv.global")) {
			m->global = bytes;
		} else if (!strcmp(s->name, ".nv.global.init")) {
			m->global_init = bytes;
		}
	}
	return 0;
}

/* Reads all ELF symbols, so that the symbol number of a relocation is an index of symbol[]. */
static void read_symbols(struct image_loading *l)
{
	struct sass_image *m = l->image;
	uint32_t n = l->symbols ? elf_symbol_count(l->symbols) : 0;

	m->symbol = xcalloc(n + 1ull, sizeof(*m->symbol));
	m->n_symbols = l->n_elf_symbols = n;
	l->of_symbol = xcalloc(n + 1ull, sizeof(*l->of_symbol));
	for (uint32_t i = 0; i < n; i++) {
		struct elf_symbol e = elf_symbol(&l->elf, l->symbols, i);
		struct sass_symbol *s = &m->symbol[i];
		unsigned type = e.info & 15;

		*s = (struct sass_symbol){.name = e.name,
			.value = e.value,
			.bytes = e.size,
			.function = type == 2,
			.global = e.info >> 4 != 0};
		s->place = e.section ? place_of_section(l, e.section, &s->index) : SASS_AT_EXTERN;
		if (type == 3 && e.section < l->elf.n_sections) /* symbol of a section */
			s->name = l->elf.section[e.section].name;
		l->of_symbol[i] =
			s->place == SASS_AT_CODE && s->function && !e.value ? s->index : NO_FUNCTION;
		if (l->of_symbol[i] != NO_FUNCTION && !strcmp(s->name, m->function[s->index].name))
			m->function[s->index].entry = e.other & STO_ENTRY;
	}
}

/* Returns the least number of bytes that a relocation changes. */
static unsigned relocated_bytes(enum sass_place place, uint32_t type)
{
	return place == SASS_AT_BANK0 || type == RELOC_32 || type == RELOC_GENERIC_32 ? 4 : 8;
}

/* Reads a section of relocations. Relocations of debug tables are skipped. */
static int read_relocs(struct image_loading *l, const struct elf_section *s)
{
	struct sass_image *m = l->image;
	unsigned size = s->type == ELF_RELA ? 24 : 16;
	uint32_t index;
	enum sass_place place = place_of_section(l, s->info, &index);

	if (place == SASS_AT_OTHER || !s->p)
		return 0;
	for (uint64_t at = 0; at + size <= s->n; at += size) {
		const struct elf_section *to = &l->elf.section[s->info];
		struct sass_reloc *r;

		if (m->n_relocs == UINT32_MAX / 2)
			return elf_set_fault(&l->elf, l->fault, "too many relocations");
		m->reloc =
			!(m->n_relocs & (m->n_relocs - 1))
				? xrealloc(m->reloc, m->n_relocs ? 2ull * m->n_relocs : 1, sizeof(*m->reloc))
				: m->reloc;
		r = &m->reloc[m->n_relocs++];
		*r = (struct sass_reloc){.place = place,
			.index = index,
			.offset = elf_number(s->p + at, 8),
			.type = (uint32_t)elf_number(s->p + at + 8, 4),
			.symbol = (uint32_t)elf_number(s->p + at + 12, 4)};
		if (r->symbol >= m->n_symbols)
			return elf_set_fault(&l->elf, l->fault, "a relocation has no symbol");
		if (r->offset > to->n || to->n - r->offset < relocated_bytes(place, r->type))
			return elf_set_fault(&l->elf, l->fault, "a relocation is outside of its section");
		if (size == 24)
			r->addend = (int64_t)elf_number(s->p + at + 16, 8);
		else if ((r->type == RELOC_64 || r->type == RELOC_GENERIC_64) && to->p)
			r->addend = (int64_t)elf_number(to->p + r->offset, 8);
	}
	return 0;
}

static const struct elf_section *find_symbol_section(const struct elf_file *e)
{
	for (uint32_t i = 0; i < e->n_sections; i++)
		if (e->section[i].type == ELF_SYMTAB)
			return &e->section[i];
	return NULL;
}

static int load_image(struct image_loading *l)
{
	struct elf_file *e = &l->elf;
	const struct elf_section *info = elf_find(e, ".nv.info");

	l->of_section = xcalloc(e->n_sections + 1ull, sizeof(*l->of_section));
	l->symbols = find_symbol_section(e);
	if (add_functions(l) < 0)
		return -1;
	sort_functions(l);
	read_symbols(l);
	if (check_kernel_names(l) < 0)
		return -1;
	if (info && sass_info_file(l->image, e, info, l->of_symbol, l->n_elf_symbols, l->fault) < 0)
		return -1;
	if (read_function_sections(l) < 0)
		return -1;
	for (uint32_t i = 0; i < e->n_sections; i++)
		if ((e->section[i].type == ELF_REL || e->section[i].type == ELF_RELA) &&
			e->section[i].info < e->n_sections && read_relocs(l, &e->section[i]) < 0)
			return -1;
	l->image->lines = sass_lines_read(e, l->of_section);
	return 0;
}

/*
 * Returns the compute capability of the PTX from which the code was compiled. The note of the CUDA tools has three
 * words, the name "NVIDIA Corp", and two 16-bit numbers; the second number is the capability. If the file has no such
 * note, returns sm, the compute capability of the code.
 */
static unsigned read_ptx_sm(const struct elf_file *e, unsigned sm)
{
	enum { NAME_BYTES = 12, NAME_AT = 12, PTX_SM_AT = NAME_AT + NAME_BYTES + 2 };
	const struct elf_section *note = elf_find(e, ".note.nv.cuinfo");

	if (!note || !note->p || note->n < PTX_SM_AT + 2 || elf_number(note->p, 4) != NAME_BYTES ||
		memcmp(note->p + NAME_AT, "NVIDIA Corp", NAME_BYTES) != 0)
		return sm;
	return (unsigned)elf_number(note->p + PTX_SM_AT, 2);
}

struct sass_image *sass_image_read(const void *bytes, size_t n, const char *name, struct fault *f)
{
	struct image_loading l = {.fault = f};
	int rc = -1;

	if (n > IMAGE_MAX) {
		fault_set(f, (struct place){.file = name}, "cubin", "larger than 1 GiB");
		return NULL;
	}
	l.image = xcalloc(1, sizeof(*l.image));
	l.image->bytes = xmalloc(n + 1);
	l.image->n = n;
	if (n)
		memcpy(l.image->bytes, bytes, n);
	if (elf_open(&l.elf, l.image->bytes, n, name, f) == 0) {
		l.image->sm = cubin_sm(l.elf.flags);
		l.image->ptx_sm = read_ptx_sm(&l.elf, l.image->sm);
		l.image->relocatable = l.elf.type == 1;
		rc = l.image->sm
			     ? load_image(&l)
			     : elf_set_fault(&l.elf, f,
				       "machine code of a GPU that is not supported (expected sm_70 to sm_121)");
		elf_close(&l.elf);
	}
	free(l.of_section);
	free(l.of_symbol);
	free(l.by_name);
	if (rc < 0) {
		sass_image_free(l.image);
		return NULL;
	}
	return l.image;
}

void sass_image_free(struct sass_image *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; i < m->n_functions; i++)
		free(m->function[i].param);
	free(m->function);
	free(m->symbol);
	free(m->reloc);
	sass_lines_free(m->lines);
	free(m->bytes);
	free(m);
}

uint32_t sass_image_line(const struct sass_image *m, uint32_t function, uint32_t pc, const char **file)
{
	*file = NULL;
	return m->lines ? sass_lines_find(m->lines, function, pc, file) : 0;
}

unsigned sass_image_positions(
	const struct sass_image *m, uint32_t function, uint32_t pc, struct place *out, unsigned most)
{
	return m->lines ? sass_lines_positions(m->lines, function, pc, out, most) : 0;
}
