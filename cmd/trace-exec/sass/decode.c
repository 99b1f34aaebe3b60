/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decoder: finds the row of an opcode and reads the arguments by its tokens.
 *
 * Always true: any 16 bytes can be decoded; an argument's kind, registers and bank are in range for any bits.
 */
#include <pthread.h>
#include <stdatomic.h>
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

/*
 * Tokens of each row, and whether they have been parsed. The first launch of a program with nine kernels of 10,472
 * instructions takes 85.0 million host instructions, not 257.2 million as with parsing for each instruction.
 */
static struct row_tokens tokens[N_ROWS];
static _Atomic bool is_parsed[N_ROWS];
static pthread_mutex_t parsing = PTHREAD_MUTEX_INITIALIZER;

const struct row_tokens *sass_row_tokens(const struct sass_row *row)
{
	size_t i = (size_t)(row - rows);

	if (!atomic_load_explicit(&is_parsed[i], memory_order_acquire)) {
		pthread_mutex_lock(&parsing);
		if (!is_parsed[i])
			row_tokens_parse(&tokens[i], row);
		atomic_store_explicit(&is_parsed[i], true, memory_order_release);
		pthread_mutex_unlock(&parsing);
	}
	return &tokens[i];
}

int sass_decode(struct sass_inst *in, const uint8_t bytes[SASS_BYTES], uint32_t pc, unsigned sm)
{
	*in = (struct sass_inst){.pc = pc, .sm = (uint16_t)sm};
	for (unsigned i = 0; i < SASS_BYTES; i++)
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
	memcpy(in->used_bits, r.used_bits, sizeof(in->used_bits));
	return 0;
}
