/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Constant texts of the lines of instructions that are given as columns.
 *
 * Always true: a text has the length of constant_length(), and code.c splits it into the same columns.
 */
#include <stdio.h>
#include "constant.h"
#include "format.h"
#include "limits.h"

/* Texts by enum pack_end. */
static const struct {
	const char *text;
	size_t n;
} ends[] = {{"", 0}, {" ", 1}, {" NoVal ", 7}};

/* Reports whether line_form_of() and the reader accept the columns of x, whose opcode is at s. */
static bool are_constant_columns_valid(const struct pack_inst *x, const char *s)
{
	const unsigned n = x->n_results + 0u + x->n_sources;

	if (n > PACK_REGISTERS || x->n_imms > PACK_IMMS || x->end > PACK_END_NO_VALUES || x->width > 255 ||
		!x->text_len || x->text_len > pack_limits.opcode || x->end_len || *s < 'A' || *s > 'Z')
		return false;
	for (unsigned i = 0; i < x->text_len; i++)
		if (s[i] <= ' ' || s[i] > '~')
			return false;
	for (unsigned i = 0; i < n; i++)
		if (x->kind[i] > 3)
			return false;
	for (unsigned i = 0; i < x->n_imms; i++)
		if (x->imm[i] <= -PACK_IMM_END || x->imm[i] >= PACK_IMM_END)
			return false;
	return true;
}

bool pack_code_good(const struct pack_code *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		const struct pack_inst *x = &c->inst[i];

		if ((uint64_t)x->text + x->text_len + x->end_len > c->n_text ||
			(x->columns && !are_constant_columns_valid(x, c->text + x->text)))
			return false;
	}
	return true;
}

static unsigned registers_length(const uint8_t *reg, const uint8_t *kind, unsigned n)
{
	unsigned length = 0;

	for (unsigned i = 0; i < n; i++)
		length += 3u + (kind[i] & 1u) + (reg[i] > 9) + (reg[i] > 99);
	return length;
}

unsigned constant_length(const struct pack_inst *x)
{
	if (!x->columns)
		return x->text_len ? x->text_len + (unsigned)x->end_len : decimal_digits(x->width);
	/* the numbers of results and of sources have one digit each; three blanks */
	unsigned n = 2 + registers_length(x->reg, x->kind, x->n_results + (unsigned)x->n_sources) + 3 +
		     x->text_len + decimal_digits(x->width) + (unsigned)ends[x->end].n;

	for (unsigned i = 0; i < x->n_imms; i++)
		n += 1 + signed_length(x->imm[i]);
	return n;
}

static void append_registers(struct buf *b, const uint8_t *reg, const uint8_t *kind, unsigned n)
{
	buf_byte(b, (uint8_t)('0' + n));
	for (unsigned i = 0; i < n; i++)
		text_append_register(b, kind[i], reg[i]);
}

size_t constant_append(struct buf *b, const struct pack_inst *x, const char *opcode)
{
	const size_t from = b->n;
	char s[32];

	append_registers(b, x->reg, x->kind, x->n_results);
	buf_byte(b, ' ');
	buf_add(b, opcode, x->text_len);
	buf_byte(b, ' ');
	append_registers(b, x->reg + x->n_results, x->kind + x->n_results, x->n_sources);
	buf_byte(b, ' ');
	text_append_number(b, x->width);
	const size_t middle = b->n - from;
	for (unsigned i = 0; i < x->n_imms; i++)
		buf_add(b, s, (size_t)snprintf(s, sizeof(s), " %lld", (long long)x->imm[i]));
	buf_add(b, ends[x->end].text, ends[x->end].n);
	return middle;
}
