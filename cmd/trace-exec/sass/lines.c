/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of line tables: .debug_line in DWARF versions 2 to 5, which compilers write with -lineinfo or -G. The
 * operand of a set-address instruction has a relocation whose symbol gives the function. Paths of version 5 may be
 * in .debug_line_str and .debug_str.
 *
 * A damaged table is read up to the damage, because code runs without it. Always true: the reader moves forward only,
 * each row needs at least one byte, and nothing beyond the section is read.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "sass/image.h"

#define ROWS_MAX   (1u << 24)
#define NAME_BYTES 4096u       /* maximum bytes of a directory or a name; longer ones are cut */
#define FILE_BYTES (64u << 20) /* maximum bytes of all paths; later files have no name */

struct line_row {
	uint32_t function, pc, line;
	uint32_t file;  /* index into sass_lines.file */
	uint32_t order; /* order of reading; of several rows with one pc, the last is used */
	uint32_t call;  /* inlined code: 1 + `order` of the row of the call; 0: the code is not inlined */
};

struct sass_lines {
	struct line_row *row; /* sorted by function, then pc */
	uint32_t n_rows, cap_rows;
	uint32_t *row_of_order; /* for each order of reading, the index of the row in row[] */
	char **file;
	uint32_t n_files, cap_files;
	size_t file_bytes;
};

/* A relocation of the section. */
struct line_reloc {
	uint64_t offset, addend;
	uint32_t symbol;
};

/* Unread bytes of the section. n is 0 at the end, and after an attempt to read beyond it. */
struct line_span {
	const uint8_t *p;
	uint64_t n;
};

struct line_reader {
	struct sass_lines *lines;
	const struct elf_file *elf;
	const struct elf_section *section;
	const struct elf_section *symbols;      /* symbol table; NULL if absent */
	const struct elf_section *strings;      /* .debug_str; NULL if absent */
	const struct elf_section *line_strings; /* .debug_line_str; NULL if absent */
	struct line_reloc *reloc;               /* relocations, sorted by offset */
	size_t n_relocs;
	bool has_addends; /* addends are in the relocations, not in the section */
	const uint32_t *of_section;
	uint32_t first_file;   /* number of the unit's first file in l->file */
	uint32_t first_row;    /* order of the sequence's first row */
	unsigned file_base;    /* number of the unit's first file in the unit's own numbering */
	unsigned offset_bytes; /* bytes of offsets in the unit: 4 or 8 */
};

/* Registers of the line-number program. */
struct line_state {
	uint64_t pc;
	int64_t line;
	uint64_t file;
	/* number of the row with the call by which the code was inlined, from 1 in the sequence; 0: none */
	uint64_t call;
	uint32_t function;
};

static uint64_t read_line_number(struct line_span *s, unsigned bytes)
{
	uint64_t v;

	if (s->n < bytes) {
		s->n = 0;
		return 0;
	}
	v = elf_number(s->p, bytes);
	s->p += bytes;
	s->n -= bytes;
	return v;
}

static uint64_t read_leb128(struct line_span *s, bool is_signed)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t b = 0;

	while (s->n) {
		b = (uint8_t)read_line_number(s, 1);
		if (shift < 64)
			v |= (uint64_t)(b & 127) << shift;
		shift += 7;
		if (!(b & 128))
			break;
	}
	if (is_signed && b & 64 && shift < 64)
		v |= ~0ull << shift;
	return v;
}

/* Returns the string at the start of s, and advances past it; "" if it has no end. */
static const char *read_line_string(struct line_span *s)
{
	const uint8_t *end = s->n ? memchr(s->p, 0, s->n) : NULL;
	const char *text = (const char *)s->p;

	if (!end) {
		s->n = 0;
		return "";
	}
	s->n -= (uint64_t)(end + 1 - s->p);
	s->p = end + 1;
	return text;
}

/* Appends a part of a path and, unless it is the last part, a slash. */
static size_t append_path_part(char *path, size_t at, const char *part, size_t n, bool last)
{
	memcpy(path + at, part, n);
	at += n;
	if (n && !last)
		path[at++] = '/';
	return at;
}

/* Adds the file base/directory/name. A part is left out if a later one is an absolute path. */
static void add_line_file(struct line_reader *r, const char *base, const char *directory, const char *name)
{
	struct sass_lines *l = r->lines;
	size_t m = strnlen(name, NAME_BYTES), n = *name == '/' ? 0 : strnlen(directory, NAME_BYTES);
	size_t k = *name == '/' || *directory == '/' ? 0 : strnlen(base, NAME_BYTES), at;
	char *path;

	if (l->file_bytes + k + n + m > FILE_BYTES)
		k = n = m = 0;
	l->file_bytes += k + n + m;
	path = xmalloc(k + n + m + 3);
	at = append_path_part(path, 0, base, k, false);
	at = append_path_part(path, at, directory, n, false);
	at = append_path_part(path, at, name, m, true);
	path[at] = '\0';
	grow(&l->file, &l->cap_files, l->n_files + 1, sizeof(*l->file));
	l->file[l->n_files++] = path;
}

/* Adds a row. A row that is not valid keeps its number, by which later rows name it, and belongs to no function. */
static void add_line_row(struct line_reader *r, const struct line_state *s)
{
	struct sass_lines *l = r->lines;
	uint64_t file = r->first_file + s->file - r->file_base, call = r->first_row + s->call;
	struct line_row row = {.function = NO_FUNCTION, .order = l->n_rows};

	if (l->n_rows == ROWS_MAX)
		return;
	if (s->file >= r->file_base && file < l->n_files && s->line >= 0 && s->line <= UINT32_MAX &&
		s->pc <= UINT32_MAX) {
		row.function = s->function;
		row.pc = (uint32_t)s->pc;
		row.line = (uint32_t)s->line;
		row.file = (uint32_t)file;
		row.call = s->call && s->call <= l->n_rows - r->first_row ? (uint32_t)call : 0;
	}
	grow(&l->row, &l->cap_rows, l->n_rows + 1, sizeof(*l->row));
	l->row[l->n_rows++] = row;
}

static int compare_line_relocs(const void *a, const void *b)
{
	uint64_t x = ((const struct line_reloc *)a)->offset, y = ((const struct line_reloc *)b)->offset;

	return x < y ? -1 : x > y;
}

/* Reads the relocations of the section. The addend of a REL relocation is in the section. */
static void read_line_relocs(struct line_reader *r)
{
	const struct elf_section *s = elf_find(r->elf, ".rela.debug_line");
	unsigned size = s ? 24 : 16;

	if (!s)
		s = elf_find(r->elf, ".rel.debug_line");
	if (!s || !s->p)
		return;
	r->has_addends = size == 24;
	r->reloc = xcalloc(s->n / size + 1, sizeof(*r->reloc));
	for (uint64_t at = 0; at + size <= s->n; at += size) {
		struct line_reloc *to = &r->reloc[r->n_relocs];

		*to = (struct line_reloc){
			elf_number(s->p + at, 8), 0, (uint32_t)elf_number(s->p + at + 12, 4)};
		if (r->section->n < 8 || to->offset > r->section->n - 8)
			continue;
		to->addend = size == 24 ? elf_number(s->p + at + 16, 8)
					: elf_number(r->section->p + to->offset, 8);
		r->n_relocs++;
	}
	qsort(r->reloc, r->n_relocs, sizeof(*r->reloc), compare_line_relocs);
}

/* Returns the relocation of the bytes at p; NULL if they have none. */
static const struct line_reloc *line_reloc_at(const struct line_reader *r, const uint8_t *p)
{
	struct line_reloc key = {.offset = (uint64_t)(p - r->section->p)};

	return r->n_relocs ? bsearch(&key, r->reloc, r->n_relocs, sizeof(key), compare_line_relocs) : NULL;
}

/* Sets the function and the address of s from the operand at p of a set-address instruction, and its relocation. */
static void set_line_address(struct line_reader *r, const uint8_t *p, struct line_state *s)
{
	const struct line_reloc *found = line_reloc_at(r, p);

	s->function = NO_FUNCTION;
	s->pc = elf_number(p, 8);
	if (!found || !r->symbols || found->symbol >= elf_symbol_count(r->symbols))
		return;
	struct elf_symbol to = elf_symbol(r->elf, r->symbols, found->symbol);

	if (to.section < r->elf->n_sections)
		s->function = r->of_section[to.section];
	s->pc = to.value + found->addend;
}

/* Executes an extended instruction. Returns false if it ends the sequence. */
static bool execute_extended_line_op(struct line_reader *r, struct line_span *s, struct line_state *state)
{
	struct line_span op = {s->p, read_leb128(s, false)};
	unsigned code;

	op.p = s->p;
	if (op.n > s->n)
		op.n = s->n;
	s->p += op.n;
	s->n -= op.n;
	code = (unsigned)read_line_number(&op, 1);
	if (code == 2 && op.n >= 8)
		set_line_address(r, op.p, state);
	else if (code == 0x90) /* NVIDIA's: the row of the call, and the name of the inlined function */
		state->call = read_leb128(&op, false);
	return code != 1;
}

/* Header of a unit's program. */
struct line_header {
	unsigned min_inst_length; /* bytes of the smallest instruction */
	int line_base;            /* smallest line advance of a special opcode */
	unsigned line_range;      /* number of line advances of special opcodes */
	unsigned opcode_base;     /* first special opcode */
	uint8_t operands[256];
};

/*
 * Adds a difference in two's complement to the line register, modulo 2^64, because an input can exceed any
 * limit.
 */
static void advance_line(struct line_state *state, uint64_t by)
{
	state->line = (int64_t)((uint64_t)state->line + by);
}

static void execute_standard_line_op(struct line_reader *r, struct line_span *s, const struct line_header *h,
	unsigned op, struct line_state *state)
{
	switch (op) {
	case 1: add_line_row(r, state); break;
	case 2: state->pc += read_leb128(s, false) * h->min_inst_length; break;
	case 3: advance_line(state, read_leb128(s, true)); break;
	case 4: state->file = read_leb128(s, false); break;
	case 8: state->pc += (255u - h->opcode_base) / h->line_range * h->min_inst_length; break;
	case 9: state->pc += read_line_number(s, 2); break;
	default:
		for (unsigned i = 0; i < h->operands[op]; i++)
			read_leb128(s, false);
	}
}

static void run_line_program(struct line_reader *r, struct line_span *s, const struct line_header *h)
{
	const struct line_state start = {.line = 1, .file = 1, .function = NO_FUNCTION};
	struct line_state state = start;

	r->first_row = r->lines->n_rows;
	while (s->n) {
		unsigned op = (unsigned)read_line_number(s, 1);

		if (!op) {
			if (!execute_extended_line_op(r, s, &state)) {
				state = start;
				r->first_row = r->lines->n_rows;
			}
		} else if (op < h->opcode_base) {
			execute_standard_line_op(r, s, h, op, &state);
		} else {
			unsigned advance = op - h->opcode_base;

			state.pc += advance / h->line_range * h->min_inst_length;
			advance_line(
				&state, (uint64_t)(int64_t)(h->line_base + (int)(advance % h->line_range)));
			add_line_row(r, &state);
		}
	}
}

/* Reads the tables of directories and files of versions 2 to 4. */
static void read_line_files(struct line_reader *r, struct line_span *s)
{
	const char **directory = NULL;
	uint32_t n = 0, cap = 0;
	const char *name;

	while (*(name = read_line_string(s))) {
		grow(&directory, &cap, n + 1, sizeof(*directory));
		directory[n++] = name;
	}
	while (*(name = read_line_string(s))) {
		uint64_t at = read_leb128(s, false);

		read_leb128(s, false);
		read_leb128(s, false);
		add_line_file(r, "", directory && at && at <= n ? directory[at - 1] : "", name);
	}
	free(directory);
}

/* ---- tables of version 5: entries whose fields have the forms that the table lists ---------------------- */

enum { CONTENT_PATH = 1, CONTENT_FOLDER = 2 };

/* One entry: a directory or a file. */
struct line_entry {
	const char *path;
	uint64_t directory;
};

/*
 * Reads an offset and returns the string at this offset of section `in`; "" if there is none. A long string may
 * lack its end.
 */
static const char *read_line_string_at(
	struct line_reader *r, struct line_span *s, const struct elf_section *in)
{
	const struct line_reloc *moved = r->has_addends ? line_reloc_at(r, s->p) : NULL;
	uint64_t at = read_line_number(s, r->offset_bytes);

	if (moved)
		at = moved->addend;
	if (!in || !in->p || at >= in->n || (in->n - at < NAME_BYTES && !memchr(in->p + at, 0, in->n - at)))
		return "";
	return (const char *)in->p + at;
}

static void skip_line_bytes(struct line_span *s, uint64_t n)
{
	n = n < s->n ? n : s->n;
	s->p += n;
	s->n -= n;
}

/* Reads a field in a DWARF form: a number to *number, or a string to *text. Returns false for an unknown form. */
static bool read_line_form(
	struct line_reader *r, struct line_span *s, uint64_t form, uint64_t *number, const char **text)
{
	switch (form) {
	case 0x03: skip_line_bytes(s, read_line_number(s, 2)); return true;         /* block2 */
	case 0x04: skip_line_bytes(s, read_line_number(s, 4)); return true;         /* block4 */
	case 0x05: *number = read_line_number(s, 2); return true;                   /* data2 */
	case 0x06: *number = read_line_number(s, 4); return true;                   /* data4 */
	case 0x07: *number = read_line_number(s, 8); return true;                   /* data8 */
	case 0x08: *text = read_line_string(s); return true;                        /* string */
	case 0x09: skip_line_bytes(s, read_leb128(s, false)); return true;          /* block */
	case 0x0a: skip_line_bytes(s, read_line_number(s, 1)); return true;         /* block1 */
	case 0x0b: *number = read_line_number(s, 1); return true;                   /* data1 */
	case 0x0e: *text = read_line_string_at(r, s, r->strings); return true;      /* strp */
	case 0x0f: *number = read_leb128(s, false); return true;                    /* udata */
	case 0x17: read_line_number(s, r->offset_bytes); return true;               /* sec_offset */
	case 0x1e: skip_line_bytes(s, 16); return true;                             /* data16 */
	case 0x1f: *text = read_line_string_at(r, s, r->line_strings); return true; /* line_strp */
	default: return false;
	}
}

/* Reads a table of entries. Returns their number. On an unknown form, returns 0 and makes *s empty. */
static uint32_t read_line_entries(struct line_reader *r, struct line_span *s, struct line_entry **entry)
{
	uint64_t content[255], form[255], count;
	unsigned n_fields = (unsigned)read_line_number(s, 1);
	uint32_t n = 0, cap = 0;

	for (unsigned i = 0; i < n_fields; i++) {
		content[i] = read_leb128(s, false);
		form[i] = read_leb128(s, false);
	}
	count = read_leb128(s, false);
	while (n_fields && count-- && s->n) {
		struct line_entry e = {.path = ""};

		for (unsigned i = 0; i < n_fields; i++) {
			uint64_t number = 0;
			const char *text = "";

			if (!read_line_form(r, s, form[i], &number, &text)) {
				s->n = 0;
				return 0;
			}
			if (content[i] == CONTENT_PATH)
				e.path = text;
			else if (content[i] == CONTENT_FOLDER)
				e.directory = number;
		}
		grow(entry, &cap, n + 1, sizeof(**entry));
		(*entry)[n++] = e;
	}
	return n;
}

/* Reads the tables of directories and files of version 5. Directory 0 is the directory of the compilation. */
static void read_line_files_5(struct line_reader *r, struct line_span *s)
{
	struct line_entry *directory = NULL, *file = NULL;
	uint32_t n_directories = read_line_entries(r, s, &directory),
		 n_files = read_line_entries(r, s, &file);

	for (uint32_t i = 0; i < n_files; i++) {
		uint64_t at = file[i].directory;

		add_line_file(r, at && n_directories ? directory[0].path : "",
			at < n_directories ? directory[at].path : "", file[i].path);
	}
	free(directory);
	free(file);
}

/* Reads the header of a unit from *unit, and sets *head to its tables. Returns the version; 0 if it is unknown. */
static unsigned read_line_header(
	struct line_reader *r, struct line_span *unit, struct line_span *head, struct line_header *h)
{
	unsigned version = (unsigned)read_line_number(unit, 2);
	uint64_t rest;

	if (version < 2 || version > 5)
		return 0;
	if (version == 5)
		read_line_number(unit, 2); /* bytes of an address and of a segment's number */
	rest = read_line_number(unit, r->offset_bytes);
	*head = (struct line_span){unit->p, rest < unit->n ? rest : unit->n};
	skip_line_bytes(unit, rest);
	h->min_inst_length = (unsigned)read_line_number(head, 1);
	read_line_number(head, version >= 4 ? 2 : 1);
	h->line_base = (int)((read_line_number(head, 1) & 0xff) ^ 0x80) - 0x80; /* a signed byte */
	h->line_range = (unsigned)read_line_number(head, 1);
	h->opcode_base = (unsigned)read_line_number(head, 1);
	for (unsigned i = 1; i < h->opcode_base; i++)
		h->operands[i] = (uint8_t)read_line_number(head, 1);
	return h->line_range && h->opcode_base ? version : 0;
}

/* Reads the unit at the start of *s and advances past it. */
static void read_line_unit(struct line_reader *r, struct line_span *s)
{
	uint64_t length = read_line_number(s, 4);
	struct line_span unit, head;
	struct line_header h = {0};
	unsigned version;

	r->offset_bytes = length == UINT32_MAX ? 8 : 4;
	if (r->offset_bytes == 8)
		length = read_line_number(s, 8);
	unit = (struct line_span){s->p, length < s->n ? length : s->n};
	skip_line_bytes(s, length);
	version = read_line_header(r, &unit, &head, &h);
	if (!version)
		return;
	r->first_file = r->lines->n_files;
	r->file_base = version == 5 ? 0 : 1;
	if (version == 5)
		read_line_files_5(r, &head);
	else
		read_line_files(r, &head);
	run_line_program(r, &unit, &h);
}

static int compare_line_rows(const void *a, const void *b)
{
	const struct line_row *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void sort_line_rows(struct sass_lines *l)
{
	if (!l->n_rows)
		return;
	qsort(l->row, l->n_rows, sizeof(*l->row), compare_line_rows);
	l->row_of_order = xmalloc(l->n_rows * sizeof(*l->row_of_order));
	for (uint32_t i = 0; i < l->n_rows; i++)
		l->row_of_order[l->row[i].order] = i;
}

struct sass_lines *sass_lines_read(const struct elf_file *e, const uint32_t *of_section)
{
	struct line_reader r = {.elf = e, .of_section = of_section, .section = elf_find(e, ".debug_line")};

	if (!r.section || !r.section->p)
		return NULL;
	r.symbols = elf_find(e, ".symtab");
	if (r.symbols && r.symbols->type != ELF_SYMTAB)
		r.symbols = NULL;
	r.lines = xcalloc(1, sizeof(*r.lines));
	r.strings = elf_find(e, ".debug_str");
	r.line_strings = elf_find(e, ".debug_line_str");
	read_line_relocs(&r);
	for (struct line_span s = {r.section->p, r.section->n}; s.n >= 10;)
		read_line_unit(&r, &s);
	free(r.reloc);
	sort_line_rows(r.lines);
	return r.lines;
}

void sass_lines_free(struct sass_lines *l)
{
	if (!l)
		return;
	for (uint32_t i = 0; i < l->n_files; i++)
		free(l->file[i]);
	free(l->file);
	free(l->row);
	free(l->row_of_order);
	free(l);
}

/* Returns the row of the instruction; NULL if it has none. */
static const struct line_row *find_line_row(const struct sass_lines *l, uint32_t function, uint32_t pc)
{
	uint32_t low = 0, high = l->n_rows;

	while (low < high) { /* finds the first row after (function, pc) */
		uint32_t mid = low + (high - low) / 2;
		const struct line_row *row = &l->row[mid];

		if (row->function < function || (row->function == function && row->pc <= pc))
			low = mid + 1;
		else
			high = mid;
	}
	return low && l->row[low - 1].function == function && l->row[low - 1].line ? &l->row[low - 1] : NULL;
}

uint32_t sass_lines_find(const struct sass_lines *l, uint32_t function, uint32_t pc, const char **file)
{
	const struct line_row *row = find_line_row(l, function, pc);

	if (!row)
		return 0;
	*file = l->file[row->file];
	return row->line;
}

unsigned sass_lines_positions(
	const struct sass_lines *l, uint32_t function, uint32_t pc, struct place *out, unsigned most)
{
	const struct line_row *row = find_line_row(l, function, pc);
	unsigned n = 0;

	while (row && row->line) {
		n = n < most ? n : most - 1;
		out[n++] = (struct place){l->file[row->file], row->line, 0};
		row = row->call ? &l->row[l->row_of_order[row->call - 1]] : NULL; /* a call is read before */
	}
	return n;
}
