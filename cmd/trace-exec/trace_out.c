/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traces: the header with the static code, a line for each warp instruction.
 *
 * Always true: a warp's lines are in the order of execution; the lines of a thread block are written when it
 * has ended, blocks in the order of their numbers. A line has the PC and the data that vary: the lanes that
 * executed, addresses, the lanes that were issued if they differ, barrier and space if only the execution
 * determines them. A packed stream has runs instead of lines: consecutive instructions with the same lanes.
 * Instructions with fields after the addresses are stored as text there, too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exec/call.h"
#include "exec/recording.h"
#include "exec/source.h"
#include "inlining.h"
#include "lower/lower.h"
#include "machine/machine.h"
#include "trace_out.h"

/* ---- lines ---- */

/* Writes the id of a barrier, and its thread count if it has one. Registers contain both. */
static char *put_barrier(char *p, const struct warp *w, const struct op *o, uint32_t exec)
{
	unsigned lane = exec ? bit_lowest32(exec) : 0;

	p = text_put_number(stpcpy(p, " b:"), REG(uint32_t, w, o->a)[lane] & 15);
	if (o->b) {
		*p++ = ',';
		p = text_put_number(p, REG(uint32_t, w, o->b)[lane]);
	}
	return p;
}

/* Returns true if a line has more columns than mask, width and addresses. */
static inline bool has_extra_columns(const struct warp *w, const struct op *o, uint32_t issue, uint32_t exec)
{
	return issue != exec || (o->flow == FLOW_BAR && o->mode) ||
	       (o->memory && o->space == SP_GENERIC && exec && w->space != SP_GLOBAL);
}

/* Writes the columns after the mask. */
static char *put_columns_after_mask(
	char *p, const struct warp *w, const struct op *o, uint32_t issue, uint32_t exec)
{
	if (o->memory) {
		p = text_put_number(p, o->bytes);
		p = text_put_addresses(p, w->addr, exec);
	} else {
		*p++ = '0';
	}
	if (issue != exec)
		p = text_put_hex(stpcpy(p, " i:"), issue, 8);
	if (o->flow == FLOW_BAR && o->mode)
		p = put_barrier(p, w, o, exec);
	if (o->memory && o->space == SP_GENERIC && exec && w->space != SP_GLOBAL)
		p = stpcpy(stpcpy(p, " s:"), space_name[w->space]);
	return p;
}

void trace_out_write_line(struct warp *w, const struct op *o, uint32_t pc, uint32_t issue, uint32_t exec)
{
	struct text *t = &w->out;
	char *p;

	text_reserve(t, TRACE_LINE_ROOM);
	p = text_put_hex(t->p + t->n, 8ull * pc, 4);
	*p++ = ' ';
	p = text_put_mask(p, exec);
	*p++ = ' ';
	p = put_columns_after_mask(p, w, o, issue, exec);
	*p++ = '\n';
	t->n = (size_t)(p - t->p);
	w->lines++;
}

/* ---- records for a packed stream ---- */

/*
 * Records an instruction whose line has more columns than mask, width and addresses. The columns after the mask
 * are recorded as text.
 */
static NOINLINE void record_inst_as_text(
	struct warp *w, const struct op *o, uint32_t pc, uint32_t issue, uint32_t exec)
{
	text_reserve(&w->out, TRACE_LINE_ROOM);
	char *from = w->out.p + w->out.n;
	uint32_t n = (uint32_t)(put_columns_after_mask(from, w, o, issue, exec) - from);

	w->out.n += n;
	recording_add_text(&w->packed, w->grid->code->prog->n_insts + pc, exec, n);
}

/* Records executed instructions of a warp of PTX as a record of a packed stream. */
static void add_warp_record(struct warp *w, const struct op *o, uint32_t pc, uint32_t issue, uint32_t exec)
{
	if (has_extra_columns(w, o, issue, exec))
		record_inst_as_text(w, o, pc, issue, exec);
	else if (o->memory && o->bytes) /* width 0: the packer expects no addresses */
		recording_add_access(&w->packed, pc, exec, w->addr, 0);
	else
		recording_extend_run(&w->packed, pc, exec);
}

void trace_out_put_block_lines(char text[BLOCK_LINES], const struct cta *c)
{
	*text = '\0';
	if (c->grid->machine)
		machine_put_block_lines(text, c);
}

void trace_out_write_block(FILE *out, const struct cta *c)
{
	char lines[BLOCK_LINES];

	trace_out_put_block_lines(lines, c);
	fprintf(out, "\n#BEGIN_TB\n\nthread block = %u,%u,%u\n%s", c->id[0], c->id[1], c->id[2], lines);
	if (c->grid->lower)
		lower_write_block(out, c);
	for (uint32_t i = 0; i < c->n_warps; i++) {
		const struct warp *w = &c->warp[i];

		fprintf(out, "\nwarp = %u\ninsts = %llu\n", i, (unsigned long long)w->lines);
		fwrite(w->out.p, 1, w->out.n, out);
	}
	fputs("\n#END_TB\n", out);
}

void trace_out_fill_warps(const struct cta *c, struct pack_warp *warp)
{
	for (uint32_t i = 0; i < c->n_warps; i++) {
		struct warp *w = &c->warp[i];
		const struct recording *t = &w->packed;

		recording_end(&w->packed);
		warp[i] = (struct pack_warp){t->run, t->payload, t->word, w->out.p, t->n_runs, t->n_payloads,
			t->n_words, w->out.n};
	}
}

/* ---- static code ---- */

/* Returns the number that the first digits in the register's name form, or -1 if it has no digits. */
static int64_t number_in_register_name(const struct reg *r)
{
	const char *s = r->name;
	uint64_t v = 0;

	while (*s && (*s < '0' || *s > '9'))
		s++;
	if (!*s)
		return r->number == UINT32_MAX ? !strcmp(r->name, "%sp") ? 0 : -1 : (int64_t)r->number;
	for (; *s >= '0' && *s <= '9'; s++)
		v = v * 10 + (unsigned)(*s - '0');
	/* The number in the range continues the digits at the end of the prefix. */
	if (!*s && r->number != UINT32_MAX) {
		char digits[12];

		for (int n = snprintf(digits, sizeof(digits), "%u", r->number), i = 0; i < n && v < 1u << 30;
			i++)
			v = v * 10 + (unsigned)(digits[i] - '0');
	}
	return v > 0x7fffffff ? 0x7fffffff : (int64_t)v;
}

static void put_code_register(FILE *out, const struct func *f, char kind, uint32_t reg)
{
	int64_t bank = number_in_register_name(&f->reg[reg]);
	char word[48] = {' ', kind}, *p = text_put_number(word + 2, (int64_t)reg + 1);

	if (bank >= 0) {
		*p++ = '/';
		p = text_put_number(p, bank);
	}
	fwrite(word, 1, (size_t)(p - word), out);
}

static void put_source_registers(FILE *out, const struct func *f, const struct operand *o, char kind)
{
	if (o->kind == O_REG)
		put_code_register(out, f, kind, o->reg);
	else if (o->kind == O_VEC)
		for (unsigned i = 0; i < o->n; i++)
			put_source_registers(out, f, &o->elem[i], kind == 'D' ? 'D' : o->list ? 'S' : 'V');
	else if (o->kind == O_ADDR)
		for (unsigned i = 0; i < o->n; i++)
			put_source_registers(out, f, &o->elem[i], 'V');
}

/* Returns the number of a PTX instruction's source file in `files`. */
static uint32_t source_number_of_inst(struct source_files *files, const struct func *f, const struct stmt *in)
{
	const char *name = source_name_of_inst(f, in);

	return in->loc_file < files->n && files->name[in->loc_file] == name ? in->loc_file
									    : source_file_number(files, name);
}

/*
 * Collects the source files of the functions in the set `on`: first the files of module m, with the numbers of its
 * .file lines, then the files of other modules.
 */
static void collect_files(
	struct source_files *files, const struct program *prog, const uint8_t *on, const struct module *m)
{
	grow(&files->name, &files->cap, m->n_files + 1u, sizeof(*files->name));
	memset(files->name, 0, (m->n_files + 1u) * sizeof(*files->name));
	files->n = m->n_files;
	for (int other = 0; other < 2; other++)
		for (uint32_t i = 0; i < prog->n_funcs; i++) {
			const struct func *f = prog->func[i];

			for (uint32_t n = 0; on[i] && (f->module != m) == other && n < f->n_insts; n++) {
				const struct stmt *in = &f->inst[n];

				if (!source_name_of_inst(f, in))
					continue;
				if (!other)
					files->name[in->loc_file] = source_name_of_inst(f, in);
				else
					source_file_number(files, source_name_of_inst(f, in));
			}
		}
}

static void put_code_line(
	FILE *out, const struct func *f, uint32_t n, const struct op *o, struct source_files *files)
{
	const struct stmt *in = &f->inst[n];
	unsigned results = stmt_count_results(in);

	fprintf(out, "-code %04llx %s", 8ull * (f->first_pc + n), in->text);
	for (unsigned i = 0; i < in->n_operands; i++)
		put_source_registers(out, f, &in->operand[i], i < results ? 'D' : 'S');
	if (in->guard)
		fprintf(out, " P%u", in->guard);
	for (unsigned i = 0; i < in->n_operands; i++)
		if (in->operand[i].kind == O_ADDR && in->operand[i].reg != UINT32_MAX)
			put_code_register(out, f, 'A', in->operand[i].reg);
	if (source_name_of_inst(f, in))
		fprintf(out, " l:%u,%u", source_number_of_inst(files, f, in), in->loc_line);
	if (o->memory && o->is_param && (stmt_has(in, M_PARAM) || stmt_has(in, M_PARAM__FUNC)))
		fputs(" s:local", out);
	if (o->flow == FLOW_BAR && !o->mode) {
		const struct operand *k = &in->operand[o->n >= BAR_AND];

		fprintf(out, " b:%lld", (long long)k[0].value);
		if (o->b)
			fprintf(out, ",%lld", (long long)k[1].value);
	}
	if (o->flow == FLOW_EXIT || (o->flow == FLOW_RET && f->entry))
		fputs(" ends", out);
	fputc('\n', out);
}

void trace_out_write_header(FILE *out, const struct grid *g, const struct occupancy *k)
{
	const struct launch *l = g->launch;
	const struct bound_code *c = g->code;
	const struct module *m = l->kernel->module;
	struct source_files files = {0};
	uint8_t *on;

	text_prepare(!trace_out_has_records(g));
	if (g->machine) {
		machine_header(out, g, k);
		return;
	}
	if (g->lower) {
		lower_write_header(out, g, k);
		return;
	}
	on = xcalloc(c->prog->n_funcs, 1);
	call_find_reachable(c, g->kernel, on);
	fprintf(out,
		"-kernel name = %s\n-kernel id = %u\n-grid dim = (%u,%u,%u)\n-block dim = (%u,%u,%u)\n-shmem = %u\n-nregs = %u\n",
		l->kernel->name, l->id, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
		l->block[2], k->shared_bytes, k->regs);
	if (l->dyn_shared)
		fprintf(out, "-dynamic shmem = %u\n", l->dyn_shared);
	text_write_programmatic(out, l);
	fprintf(out, "-cuda stream id = %u\n-isa = ptx %u.%u\n-ptx hash = %016llx%016llx\n", l->stream,
		m->version / 10, m->version % 10, (unsigned long long)m->hash[0],
		(unsigned long long)m->hash[1]);
	collect_files(&files, c->prog, on, m);
	source_write_files(out, &files);
	fprintf(out, "-code end = 0x%04llx\n", 8ull * c->prog->n_insts);
	for (uint32_t i = 0; i < c->prog->n_funcs; i++) {
		const struct func *f = c->prog->func[i];

		for (uint32_t n = 0; on[i] && n < f->n_insts; n++)
			put_code_line(out, f, n, &c->op[f->first_pc + n], &files);
	}
	fputs("#traces format = PC mask width [mode addresses] [i:issue] [b:barrier] [s:space]\n", out);
	free(on);
	source_free_files(&files);
}

struct pack_code trace_out_static_code(const struct grid *g, const struct occupancy *k, struct bytes *header)
{
	struct pack_code code = {NULL, 0, NULL, 0};
	FILE *f = bytes_stream(header);

	trace_out_write_header(f, g, k);
	fclose(f);
	if (g->machine)
		return machine_pack_code(g->launch->kernel);
	code.n = g->code->prog->n_insts;
	code.inst = xcalloc(code.n + 1, sizeof(*code.inst));
	for (uint32_t i = 0; i < code.n; i++)
		code.inst[i] = (struct pack_inst){
			.pc = 8 * i, .width = g->code->op[i].memory ? g->code->op[i].bytes : 0};
	return code;
}

record_fn *trace_out_record_function(const struct func *kernel, bool packed)
{
	if (kernel->machine)
		return machine_record_function(kernel, packed);
	return packed ? add_warp_record : trace_out_write_line;
}

bool trace_out_has_records(const struct grid *g)
{
	return g->record == add_warp_record || g->record == machine_record_packed ||
	       g->record == machine_record_packed_6;
}
