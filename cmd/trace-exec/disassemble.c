/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Disassembler: one line or record per instruction.
 *
 * Always true: the line shows the bits that no field of the opcode covers.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "disassemble.h"
#include "output.h"
#include "record.h"
#include "roff.h"
#include "sass/sass.h"

struct disassembly {
	const struct disassemble_options *options;
	FILE *out;
	struct record_writer *json; /* writer of records; NULL: text output */
	uint64_t instructions, unknown;
	uint32_t line; /* source line of the last instruction; 0: none */
	const char *file;
};

/*
 * Writes control codes, as in "B01----:R0:W1:Y:S04": counters to wait for, counters to set, yield, stall
 * cycles.
 */
static void write_control_text(char out[24], const struct control_code *k)
{
	char read = k->read == 7 ? '-' : (char)('0' + k->read),
	     write = k->write == 7 ? '-' : (char)('0' + k->write);

	out[0] = 'B';
	for (unsigned i = 0; i < 6; i++)
		out[1 + i] = k->wait >> i & 1 ? (char)('0' + i) : '-';
	snprintf(out + 7, 17, ":R%c:W%c:%c:S%02u", read, write, k->yield ? 'Y' : '-', k->stall);
}

static void put_source_line(struct disassembly *d, const struct sass_image *m, uint32_t function, uint32_t pc)
{
	const char *file;
	uint32_t line = sass_image_line(m, function, pc, &file);

	if (line && (line != d->line || file != d->file))
		fprintf(d->out, "# %s:%u\n", file, line);
	d->line = line;
	d->file = file;
}

static void put_instruction_text(
	struct disassembly *d, const struct sass_inst *in, const char *control, const uint64_t rest[2])
{
	char text[SASS_TEXT_MAX];

	sass_text(in, text);
	fprintf(d->out, "%04x\t%016llx%016llx\t", in->pc, (unsigned long long)in->word[1],
		(unsigned long long)in->word[0]);
	if (d->options->control)
		fprintf(d->out, "%s\t", control);
	fputs(text, d->out);
	if (rest[0] || rest[1])
		fprintf(d->out, "\t?%016llx%016llx", (unsigned long long)rest[1],
			(unsigned long long)rest[0]);
	putc('\n', d->out);
}

static void put_instruction_record(
	struct disassembly *d, const struct sass_inst *in, const char *control, const uint64_t rest[2])
{
	char text[SASS_TEXT_MAX], code[33];

	record_begin(d->json, "instruction");
	record_uint(d->json, "pc", in->pc, NULL);
	snprintf(code, sizeof(code), "%016llx%016llx", (unsigned long long)in->word[1],
		(unsigned long long)in->word[0]);
	record_string(d->json, "code", code);
	sass_opcode_text(in, text);
	record_string(d->json, "opcode", text);
	sass_text(in, text);
	record_string(d->json, "text", text);
	if (d->options->control)
		record_string(d->json, "control", control);
	if (rest[0] || rest[1]) {
		snprintf(code, sizeof(code), "%016llx%016llx", (unsigned long long)rest[1],
			(unsigned long long)rest[0]);
		record_string(d->json, "unknown", code);
	}
	if (d->line) {
		record_string(d->json, "file", d->file);
		record_uint(d->json, "line", d->line, NULL);
	}
	record_end(d->json);
}

static void put_function_head(
	struct disassembly *d, const struct sass_image *m, const struct sass_function *fn)
{
	if (!d->json) {
		fprintf(d->out, "# %s %s sm_%u registers %u shared %u\n", fn->entry ? "kernel" : "function",
			fn->name, m->sm, fn->registers, fn->shared_bytes);
		return;
	}
	record_begin(d->json, "function");
	record_string(d->json, "name", fn->name);
	record_bool(d->json, "kernel", fn->entry);
	record_uint(d->json, "sm", m->sm, NULL);
	record_uint(d->json, "registers", fn->registers, NULL);
	record_uint(d->json, "shared", fn->shared_bytes, "byte");
	record_uint(d->json, "bytes", fn->bytes, "byte");
	record_end(d->json);
}

static void disassemble_function(struct disassembly *d, const struct sass_image *m, uint32_t function)
{
	const struct sass_function *fn = &m->function[function];

	put_function_head(d, m, fn);
	d->line = 0;
	d->file = NULL;
	for (uint32_t pc = 0; fn->code && pc < fn->bytes; pc += SASS_BYTES) {
		struct sass_inst in;
		struct control_code k;
		char control[24];
		uint64_t rest[2];
		bool unknown = sass_decode(&in, fn->code + pc, pc, m->sm) < 0;

		unknown |= sass_unused_bits(&in, rest);
		control_decode(&k, fn->code + pc);
		write_control_text(control, &k);
		d->instructions++;
		d->unknown += unknown;
		if (d->json) {
			d->line = sass_image_line(m, function, pc, &d->file);
			put_instruction_record(d, &in, control, rest);
		} else {
			put_source_line(d, m, function, pc);
			put_instruction_text(d, &in, control, rest);
		}
	}
}

/* Disassembles the cubins of a file. Exits with a message on an error. */
static void disassemble_file(struct disassembly *d, const char *path)
{
	struct cubins *c = cubins_new();
	uint32_t done = 0;
	struct fault f;

	if (cubins_add(c, path, &f) < 0)
		die_fault(&f);
	for (uint32_t i = 0; i < cubins_image_count(c); i++) {
		const struct cubin_image *image = cubins_image(c, i);

		if (!image->sm || (d->options->sm && image->sm != d->options->sm))
			continue;
		struct sass_image *m = sass_image_read(image->bytes, image->n, path, &f);

		if (!m)
			die_fault(&f);
		for (uint32_t k = 0; k < m->n_functions; k++)
			disassemble_function(d, m, k);
		sass_image_free(m);
		done++;
	}
	if (!done)
		die_at((struct place){.file = path},
			d->options->sm ? "no cubin for sm_%u" : "no cubin for sm_70 to sm_121",
			d->options->sm);
	cubins_free(c);
}

int disassemble_files(char *const *path, int n, const struct disassemble_options *o)
{
	struct output *out;
	struct disassembly d = {.options = o};

	for (int i = 0; i < n; i++)
		output_check_input(o->force ? o->output : NULL, path[i]);
	out = output_open(o->output, o->force);
	d.out = output_stream(out);
	d.json = o->json ? record_open(d.out, RECORD_JSON) : NULL;
	for (int i = 0; i < n; i++)
		disassemble_file(&d, path[i]);
	if (d.json)
		record_close(d.json);
	output_commit(out);
	if (d.unknown)
		diag_warn(NOWHERE, "%llu of %llu instructions have an unknown opcode or unknown bits",
			(unsigned long long)d.unknown, (unsigned long long)d.instructions);
	return EXIT_GOOD;
}

/* ---- manual page -------------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void disassemble_man(FILE *out)
{
	unsigned n, shown = 0;
	const struct sass_row *row = sass_rows(&n);
	const char **name = xcalloc(n + 1, sizeof(*name));
	size_t column = 0;

	for (unsigned i = 0; i < n; i++)
		name[shown++] = row[i].name;
	qsort(name, shown, sizeof(*name), compare_names);
	for (unsigned i = 0; i < shown; i++)
		if (!i || strcmp(name[i], name[i - 1]) != 0)
			column = roff_words(out, column, name[i]);
	putc('\n', out);
	free(name);
}
