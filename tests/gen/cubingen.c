/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cubingen: writes a cubin that contains the functions of a trace, for tests.
 *
 * usage: cubingen [-s STALL] [-x PC] [-n BYTES] TRACE >CUBIN
 *   -s  stall count of every instruction (default 4)
 *   -x  PC of an instruction that gets the opcode of the first one
 *   -n  maximum number of code bytes of a function
 *
 * The number of an opcode is the index of the first part of its name in the order of first use. The control codes
 * use no counters, so they do not order instructions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "arena.h"
#include "cubin.h"
#include "klist.h"
#include "sass.h"
#include "trace.h"

#define FUNCTION_MAX 65536u
#define STEMS_MAX    1024u

struct function {
	char *name;
	uint8_t code[FUNCTION_MAX];
	uint32_t bytes;
};

struct cubin_plan {
	const char *stem[STEMS_MAX];
	unsigned n_stems;
	struct function **f;
	uint32_t n;
	unsigned stall, sm;
	/* PC of option -x (1, which no instruction has, without it); maximum number of code bytes per function */
	uint32_t changed_pc, max_bytes;
	struct code *code;
};

static unsigned opcode_number_of(struct cubin_plan *m, const char *opcode)
{
	size_t n = sass_stem(opcode, strlen(opcode));

	for (unsigned i = 0; i < m->n_stems; i++)
		if (sass_stem(m->stem[i], strlen(m->stem[i])) == n && !memcmp(m->stem[i], opcode, n))
			return i;
	if (m->n_stems == STEMS_MAX)
		die("more than %u opcodes", STEMS_MAX);
	m->stem[m->n_stems] = opcode;
	return m->n_stems++;
}

static void add_inst(struct cubin_plan *m, struct function *f, const struct inst *in)
{
	struct control_code k = {.guard = 7, .stall = (uint8_t)m->stall, .write = 7, .read = 7};
	unsigned number = opcode_number_of(m, in->opcode);

	if (in->pc % 16 || in->pc + 16 > FUNCTION_MAX)
		die("PC %x (expected a multiple of 16 below %u)", in->pc, FUNCTION_MAX);
	k.opcode = (uint16_t)(in->pc == m->changed_pc ? 0 : number);
	control_encode(&k, f->code + in->pc);
	if (f->bytes < in->pc + 16)
		f->bytes = in->pc + 16;
}

/* Returns the function with this name, which all its launches share. */
static struct function *function_of(struct cubin_plan *m, const char *name)
{
	for (uint32_t i = 0; i < m->n; i++)
		if (!strcmp(m->f[i]->name, name))
			return m->f[i];
	m->f = xrealloc(m->f, m->n + 1, sizeof(*m->f));
	m->f[m->n] = xcalloc(1, sizeof(**m->f));
	m->f[m->n]->name = xstrdup(name);
	return m->f[m->n++];
}

static void add_kernel(struct cubin_plan *m, struct trace *t)
{
	struct function *f = function_of(m, trace_header(t)->name);
	struct tblock tb = {0};
	struct fault fault;

	m->sm = (unsigned)trace_header(t)->binary_version;
	while (trace_next(t, &tb, &fault) > 0)
		for (uint32_t i = 0; i < tb.n_recs; i++)
			add_inst(m, f, code_at(m->code, tb.rec[i].inst));
	tblock_free(&tb);
	if (f->bytes > m->max_bytes)
		f->bytes = m->max_bytes;
}

/* Writes v as `bytes` bytes, the least significant first. Bytes beyond the eighth are zero. */
static void write_number(uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++, v >>= 8)
		putchar((int)(v & 255));
}

static void write_section(uint64_t name, uint64_t type, uint64_t at, uint64_t bytes)
{
	write_number(name, 4);
	write_number(type, 4);
	write_number(0, 16);
	write_number(at, 8);
	write_number(bytes, 8);
	write_number(0, 24);
}

/*
 * Writes the file: header, code of the functions, names, and section table. The section table has an empty
 * section, the names, and the functions.
 */
static void write_elf(const struct cubin_plan *m)
{
	uint64_t code = 64, names = 1 + strlen(".shstrtab") + 1;

	for (uint32_t i = 0; i < m->n; i++) {
		code += m->f[i]->bytes;
		names += strlen(".text.") + strlen(m->f[i]->name) + 1;
	}
	fwrite("\177ELF\2\1\1\0\0\0\0\0\0\0\0\0", 1, 16, stdout);
	write_number(2, 2);
	write_number(190, 2);
	write_number(1, 4);
	write_number(0, 16);
	write_number(code + names, 8);
	write_number(m->sm, 4);
	write_number(64, 2);
	write_number(0, 4);
	write_number(64, 2);
	write_number(m->n + 2, 2);
	write_number(1, 2);
	for (uint32_t i = 0; i < m->n; i++)
		fwrite(m->f[i]->code, 1, m->f[i]->bytes, stdout);
	printf("%c.shstrtab%c", 0, 0);
	for (uint32_t i = 0; i < m->n; i++)
		printf(".text.%s%c", m->f[i]->name, 0);
	write_section(0, 0, 0, 0);
	write_section(1, 3, code, names);
	for (uint64_t i = 0, at = 64, name = 1 + strlen(".shstrtab") + 1; i < m->n; i++) {
		write_section(name, 1, at, m->f[i]->bytes);
		at += m->f[i]->bytes;
		name += strlen(".text.") + strlen(m->f[i]->name) + 1;
	}
}

int main(int argc, char **argv)
{
	struct cubin_plan m = {.stall = 4, .changed_pc = 1, .max_bytes = UINT32_MAX};
	struct isa *isa = isa_new();
	struct trace_options o = {.code = m.code = code_new(isa)};
	struct klist list;
	struct fault f;

	diag_init("cubingen");
	for (int c; (c = getopt(argc, argv, "s:x:n:")) != -1;) {
		uint32_t v = (uint32_t)strtoul(optarg ? optarg : "", NULL, 0);

		switch (c) {
		case 's': m.stall = v; break;
		case 'x': m.changed_pc = v; break;
		case 'n': m.max_bytes = v; break;
		default: return 2;
		}
	}
	if (optind + 1 != argc || klist_read(&list, argv[optind], &f) < 0)
		die("no trace (expected one)");
	for (uint32_t i = 0; i < list.n_cmds; i++) {
		struct trace *t = list.cmd[i].kind == CMD_KERNEL ? klist_open(&list, i, &o, &f) : NULL;

		if (t)
			add_kernel(&m, t);
		trace_close(t);
	}
	write_elf(&m);
	for (uint32_t i = 0; i < m.n; i++) {
		free(m.f[i]->name);
		free(m.f[i]);
	}
	free(m.f);
	klist_free(&list);
	code_free(m.code);
	isa_free(isa);
	return fflush(stdout) ? 2 : 0;
}
