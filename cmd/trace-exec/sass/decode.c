/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decoder: finds the row of an opcode and reads the arguments by its string (opcodes.def has the grammar).
 *
 * Always true: any 16 bytes can be decoded; an argument's kind, registers and bank are in range for any bits. The
 * strings are constants of this program, so a token without a meaning is an error in a row, which the unit test finds.
 */
#include <ctype.h>
#include <pthread.h>
#include <string.h>
#include "sass/fields.h"

enum { ROW_PLAIN, ROW_ARITH, ROW_UNIFORM };

#define ARITH(base, name, mods, args, first, last)    {name, mods, args, base, true, false, 2, first, last},
#define UNIFORM(base, name, mods, args, first, last)  {name, mods, args, base, true, true, 1, first, last},
#define OP(base, b91, name, mods, args, first, last)  {name, mods, args, base, false, false, b91, first, last},
#define UOP(base, b91, name, mods, args, first, last) {name, mods, args, base, false, true, b91, first, last},
static const struct sass_row rows[] = {
#include "sass/opcodes.def"
};
#undef ARITH
#undef UNIFORM
#undef OP
#undef UOP

#define N_ROWS (sizeof(rows) / sizeof(*rows))

const struct sass_row *sass_rows(unsigned *n)
{
	*n = N_ROWS;
	return rows;
}

/* Returns true if an arithmetic row can have this form (bits 9 .. 11). */
static bool is_form_possible(const struct sass_row *row, unsigned form, bool bit_91)
{
	bool uniform = bit_91 && (form == 1 || form == 2 || form == 4);

	if (!form || row->uniform != uniform)
		return false;
	return uniform || (form < 6) | bit_91;
}

#define OPERATION 0x1ffu /* bits of an opcode that number the operation */

/* Lists of the rows of each operation number: the first row, and for each row the next one; N_ROWS: none. */
static uint16_t first_row[OPERATION + 1], next_row[N_ROWS];
static pthread_once_t rows_sorted = PTHREAD_ONCE_INIT;

static void sort_rows(void)
{
	for (unsigned i = 0; i <= OPERATION; i++)
		first_row[i] = N_ROWS;
	for (size_t i = N_ROWS; i-- > 0;) {
		uint16_t *first = &first_row[rows[i].base & OPERATION];

		next_row[i] = *first;
		*first = (uint16_t)i;
	}
}

/* Returns the row of an opcode (bits 0 .. 11) with this value of bit 91; NULL if the opcode is unknown. */
static const struct sass_row *find_opcode_row(unsigned opcode, bool bit_91, unsigned sm)
{
	pthread_once(&rows_sorted, sort_rows);
	for (size_t i = first_row[opcode & OPERATION]; i < N_ROWS; i = next_row[i]) {
		const struct sass_row *row = &rows[i];

		if (sm < row->first_sm || sm > row->last_sm)
			continue;
		if (row->arithmetic ? (opcode & OPERATION) == row->base &&
					      is_form_possible(row, opcode >> 9 & 7, bit_91)
				    : opcode == row->base && (row->bit_91 == 2 || row->bit_91 == bit_91))
			return row;
	}
	return NULL;
}

/* ---- fields and tokens -------------------------------------------------------------------------- */

static void mark_used(uint64_t used[2], unsigned at, unsigned n)
{
	for (unsigned i = at; i < at + n; i++)
		used[i / 64] |= 1ull << i % 64;
}

uint64_t reading_field(struct reading *r, unsigned at, unsigned n)
{
	mark_used(r->used_bits, at, n);
	return sass_bits(r->inst->word, at, n);
}

int64_t reading_signed(struct reading *r, unsigned at, unsigned n)
{
	uint64_t v = reading_field(r, at, n);

	return n < 64 && v >> (n - 1) & 1 ? (int64_t)(v | ~0ull << n) : (int64_t)v;
}

const char *sass_token_next(const char **text, size_t *n)
{
	const char *p = *text, *end;

	while (*p == ' ')
		p++;
	for (end = p; *end && *end != ' ';)
		end++;
	*n = (size_t)(end - p);
	*text = end;
	return *n ? p : NULL;
}

unsigned sass_token_number(const char **p)
{
	unsigned v = 0;

	for (; isdigit((unsigned char)**p); ++*p)
		v = 10 * v + (unsigned)(**p - '0');
	return v;
}

/* Parses an attribute, such as "-" or "|", with its optional number. Returns false for an unknown letter. */
static bool parse_token_attribute(struct arg_token *t, const char **p)
{
	char c = *(*p)++;
	bool number = isdigit((unsigned char)**p);
	unsigned v = number ? sass_token_number(p) : ABSENT;

	switch (c) {
	case '-': t->negative = true, t->negative_at = v; break;
	case '|': t->absolute = true, t->absolute_at = v; break;
	case '~': number ? (t->complement_if = v) : (t->complement = true); break;
	case '!': t->not_at = v; break;
	case '=': t->hidden = v; break;
	case 'h': t->selects_half = true; break;
	case 'n': number ? (t->next_uniform_at = v) : (t->selects_half = t->narrow = true); break;
	case 'p': t->part_at = v; break;
	case 'u': t->uniform_at = v; break;
	case 'w': t->wide_at = v; break;
	case 'd': t->desc_at = v; break;
	case 's': t->scale_at = v; break;
	case 'q': t->reuse_slot = v; break;
	case 'e': t->shift = v; break;
	case 'k': t->sign_in_low_word_only = true; break;
	case 'z': t->omit_zero = true; break;
	case 'r': t->reg_at = v; break;
	case '.': t->suffix = *(*p)++; break;
	case ':': number ? (void)(t->width = v) : (void)(t->immediate = *(*p)++); break;
	default: return false;
	}
	return true;
}

void sass_token_parse(struct arg_token *t, const char *p, const char *end)
{
	size_t n = 0;

	*t = (struct arg_token){.negative_at = ABSENT,
		.absolute_at = ABSENT,
		.complement_if = ABSENT,
		.not_at = ABSENT,
		.part_at = ABSENT,
		.uniform_at = ABSENT,
		.next_uniform_at = ABSENT,
		.wide_at = ABSENT,
		.desc_at = ABSENT,
		.scale_at = ABSENT,
		.reg_at = ABSENT,
		.reuse_slot = ABSENT};
	if (*p == '?')
		t->optional = true, p++;
	if (strchr("abcx", *p)) {
		t->kind[n++] = *p++;
		if (*p == 'L') /* a bit selects .ROW or .COL */
			t->suffix = *p++;
	} else {
		while (p < end && (isupper((unsigned char)*p) || *p == 'd' || (*p == 'u' && !n)) &&
			n < sizeof(t->kind) - 1)
			t->kind[n++] = *p++;
	}
	if (p < end && *p == '@')
		p++, t->first_bit = sass_token_number(&p);
	while (p < end && parse_token_attribute(t, &p))
		;
}

int sass_decode(struct sass_inst *in, const uint8_t bytes[SASS_BYTES], uint32_t pc, unsigned sm)
{
	*in = (struct sass_inst){.pc = pc, .sm = (uint16_t)sm};
	for (unsigned i = 0; i < 16; i++)
		in->word[i / 8] |= (uint64_t)bytes[i] << 8 * (i % 8);
	in->opcode = (uint16_t)sass_bits(in->word, 0, 12);
	in->guard = (uint8_t)sass_bits(in->word, 12, 3);
	in->guard_not = sass_bits(in->word, 15, 1);
	in->row = find_opcode_row(in->opcode, sass_bits(in->word, 91, 1), sm);
	if (!in->row)
		return -1;
	in->form = in->row->arithmetic ? (uint8_t)(in->opcode >> 9) : 0;
	struct reading r = {.inst = in};

	reading_args(&r);
	return 0;
}
