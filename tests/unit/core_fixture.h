/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A whole GPU with the modern core, an A100 with a few changed options, that runs one kernel of one CTA. All
 * warps execute the same instructions.
 *
 * Order of use: core_program_new(), write the lines of a warp to `trace`, run_program(), issue_cycle(),
 * core_program_free(). Lines that emit_line() writes have control codes, which run_program() applies only if
 * use_control_codes is set.
 */
#ifndef CORE_FIXTURE_H
#define CORE_FIXTURE_H

#include <inttypes.h>
#include "core/core.h"
#include "cubin.h"
#include "gpu_fixture.h"

#define MAX_CODE 300

struct core_program {
	struct gpu_fixture m;
	FILE *trace; /* stream that receives the lines of a warp; its bytes are in `text` */
	char *text;
	size_t text_bytes;
	uint8_t code[MAX_CODE][16];
	unsigned n, binary;
};

/* ---- a small assembler ------------------------------------------------------------------------------ */

/* Parses a control code such as "B------:R-:W2:-:S04 ". Returns the start of the operation after it. */
static inline const char *parse_control_code(const char *s, struct control_code *k)
{
	*k = (struct control_code){.guard = 7, .read = 7, .write = 7, .slot = {255, 255, 255}};
	for (unsigned i = 0; i < 6; i++)
		k->wait |= (uint8_t)(s[1 + i] != '-' ? 1u << (s[1 + i] - '0') : 0);
	k->read = s[9] == '-' ? 7 : (uint8_t)(s[9] - '0');
	k->write = s[12] == '-' ? 7 : (uint8_t)(s[12] - '0');
	k->yield = s[14] == 'Y';
	k->stall = (uint8_t)((s[17] - '0') * 10 + s[18] - '0');
	return s + 20;
}

/* Returns the number of an opcode, which depends only on the part of its name before the first dot. */
static inline uint16_t opcode_of(const char *op)
{
	static const char *const stem[] = {"NOP", "FADD", "FFMA", "IADD3", "MOV", "CS2R", "LDS", "LDG", "STS",
		"BAR", "EXIT", "ERRBAR", "BRA", "ISETP", "LDC", "UIADD3"};
	size_t n = strcspn(op, ". ");

	if (!strncmp(op, "DEPBAR", n))
		return CONTROL_DEPBAR;
	for (unsigned i = 0; i < sizeof(stem) / sizeof(*stem); i++)
		if (strlen(stem[i]) == n && !strncmp(op, stem[i], n))
			return (uint16_t)(0x100 + i);
	abort();
}

/*
 * Stores the register numbers of the operands s in reg[], in their order. The first one is a destination,
 * except in stores. Sets *reuse to the operand slots that are marked for reuse. Returns the number of
 * registers.
 */
static inline unsigned parse_registers(const char *s, unsigned reg[8], unsigned *reuse)
{
	unsigned n = 0;

	*reuse = 0;
	for (; *s; s++) {
		if (s[0] != 'R' || (s[-1] != ' ' && s[-1] != '['))
			continue;
		if (s[1] == 'Z')
			reg[n++] = 255;
		else if (s[1] >= '0' && s[1] <= '9')
			reg[n++] = (unsigned)strtoul(s + 1, NULL, 10);
		else
			continue;
		s += strspn(s + 1, "0123456789Z"); /* s points to the last character of the register */
		if (!strncmp(s + 1, ".reuse", 6))
			*reuse |= 1u << (n - 2);
	}
	return n;
}

static inline void emit_line(struct core_program *b, const char *line)
{
	struct control_code k;
	const char *op = parse_control_code(line, &k);
	unsigned reg[8], reuse, n, first;
	int len = (int)strcspn(op, " ");

	k.opcode = opcode_of(op);
	n = parse_registers(op + len, reg, &reuse);
	first = n && strncmp(op, "ST", 2) != 0 ? 1 : 0;
	k.reuse = (uint8_t)reuse;
	if (k.opcode == CONTROL_DEPBAR)
		k.depbar_counter = (uint8_t)(strstr(op, "SB")[2] - '0');
	fprintf(b->trace, "%04x ffffffff %u ", 16 * b->n, first);
	for (unsigned i = 0; i < first; i++)
		fprintf(b->trace, "R%u ", reg[i]);
	fprintf(b->trace, "%.*s %u ", len, op, n - first);
	for (unsigned i = first; i < n; i++) {
		if (i - first < 3)
			k.slot[i - first] = (uint8_t)reg[i];
		fprintf(b->trace, "R%u ", reg[i]);
	}
	if (!strncmp(op, "LDG", 3))
		fprintf(b->trace, "4 1 0x7f0000001000 4 0 \n");
	else if (!strncmp(op, "LDS", 3) || !strncmp(op, "STS", 3))
		fprintf(b->trace, "4 1 0x0 4 0 \n");
	else
		fprintf(b->trace, "0 0 \n");
	control_encode(&k, b->code[b->n++]);
}

/* ---- a GPU that runs one kernel --------------------------------------------------------------- */

static inline struct core_program *core_program_new(unsigned binary)
{
	struct core_program *b = xcalloc(1, sizeof(*b));

	b->trace = open_memstream(&b->text, &b->text_bytes);
	b->binary = binary;
	return b;
}

static inline void write_kernel(struct core_program *b, unsigned threads, unsigned n)
{
	FILE *out;

	fclose(b->trace);
	out = gpu_fixture_header(&b->m, 1, threads, b->binary);
	fprintf(out, "#BEGIN_TB\n\nthread block = 0,0,0\n\n");
	for (unsigned w = 0; w < (threads + 31) / 32; w++)
		fprintf(out, "warp = %u\ninsts = %u\n%s\n", w, n, b->text);
	fprintf(out, "#END_TB\n\n");
	fclose(out);
}

static inline void run_program(struct core_program *b, const char *const *option, unsigned threads,
	unsigned n, bool use_control_codes, bool sleepless)
{
	const char *all[8] = {"core_model=modern"};

	for (unsigned i = 0; option && i < 6 && option[i]; i++)
		all[i + 1] = option[i];
	write_kernel(b, threads, n);
	gpu_fixture_init(&b->m, "a100", all);
	if (use_control_codes) {
		b->m.gpu.joins.cubins = cubins_new();
		cubins_add_code(b->m.gpu.joins.cubins, "k", b->binary, b->code[0], b->n);
	}
	gpu_fixture_run(&b->m, sleepless);
}

static inline void core_program_free(struct core_program *b)
{
	gpu_fixture_free(&b->m);
	free(b->text);
	free(b);
}

/* Returns the cycle in which a warp issued the instruction at pc for the nth time, or 0 if it never did. */
static inline uint64_t issue_cycle(const struct core_program *b, unsigned warp, unsigned pc, unsigned nth)
{
	for (const char *line = b->m.log; line && *line; line = strchr(line, '\n'), line += line != NULL) {
		uint64_t cycle;
		unsigned w, at;

		if (sscanf(line, "%" SCNu64 " issue %*u %u %x", &cycle, &w, &at) == 3 && w == warp &&
			at == pc && !nth--)
			return cycle;
	}
	return 0;
}

static const char *const h100[] = {
	"gpgpu_compute_capability_major=9", "gpgpu_perfect_inst_const_cache=1", NULL};

/* Checks the distance in cycles between two instructions of a trace without control codes. */
static inline void test_pair_with(
	const char *const *option, const char *name, const char *first, const char *second, unsigned cycles)
{
	struct core_program *b = core_program_new(90);

	fprintf(b->trace, "0000 ffffffff %s \n0010 ffffffff %s \n0020 ffffffff 0 EXIT 0 0 0 \n", first,
		second);
	run_program(b, option, 32, 3, false, false);
	is_number((long long)(issue_cycle(b, 0, 16, 0) - issue_cycle(b, 0, 0, 0)), cycles, name);
	core_program_free(b);
}

static inline void test_pair(const char *name, const char *first, const char *second, unsigned cycles)
{
	test_pair_with(h100, name, first, second, cycles);
}

#endif
