/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of register values in packed texts: texts of all shapes are restored, damaged columns are rejected or give
 * other texts, and values that repeat or are predicted take few bytes.
 */
#include <stdlib.h>
#include <string.h>
#include "pack/tail.h"
#include "random.h"
#include "tap.h"

#define TEXTS 400u

struct text_line {
	char text[3000];
	size_t n;
	uint32_t id, mask;
	uint64_t address;
};

static struct text_line line[TEXTS];
static void add_text(struct text_line *x, const char *s)
{
	size_t n = strlen(s);

	memcpy(x->text + x->n, s, n + 1);
	x->n += n;
}

/* Adds a group of n values from a sequence of the given kind: equal, counted, noise, address or a change of lane 0. */
static void add_group(struct text_line *x, unsigned n, unsigned kind)
{
	char word[32];
	const uint32_t first = random_below(1000);

	snprintf(word, sizeof(word), "%u ", n);
	add_text(x, word);
	for (unsigned l = 0; l < n; l++) {
		const uint32_t noise = random_below(1u << 16) << 16 | random_below(1u << 16);
		const uint32_t v[] = {first, first + 8 * l, noise, (uint32_t)x->address, l ? 7 : noise};

		snprintf(word, sizeof(word), "%08x ", v[kind]);
		add_text(x, word);
	}
}

/* Texts that resemble groups but are not, and texts at the limits. */
static const char *const odd[] = {"", " ", "Val ", "Val 0 ", "Val 1 0000000", "Val 1 00000000",
	"Val 1 0000000A ", "Val 33 00000000 ", "Val 01 00000000 ", "Val 2 00000000 ",
	"Val 1 00000000  1 00000000 ", "Val 1 123456789 ", "1 00000000 ", "NoVal 1 00000000 ", "Val \005\005",
	"Val 1 00000000 \004\001", "Val 999999999999999999 1 ",
	"Val 1 00000000 1 00000000 1 00000000 1 00000000 1 00000000 1 00000000 1 00000000 1 00000000 1 00000000 ",
	"T0:0x00000001 Val 1 00000001 ", "Val 1 ffffffff 0x0000000000000001 5"};

static void make_lines(void)
{
	for (unsigned i = 0; i < TEXTS; i++) {
		struct text_line *x = &line[i];
		unsigned groups = random_below(10);

		x->n = 0;
		x->id = random_below(5);
		x->mask = random_below(2) ? UINT32_MAX : 1 + random_below(255);
		x->address = UINT64_C(0x7f0000000400) + 8 * random_below(4);
		if (!random_below(4)) {
			add_text(x, odd[random_below(sizeof(odd) / sizeof(odd[0]))]);
			continue;
		}
		add_text(x, " 0 0 Val ");
		while (groups--)
			add_group(x, random_below(2) ? 1 : 1 + random_below(32), random_below(5));
	}
}

static void write_lines(struct buf col[N_COLUMNS], const struct text_line *x, unsigned n, bool values)
{
	struct tails t;

	tails_new(&t, 5, values);
	tails_begin_span(&t, NULL);
	for (unsigned i = 0; i < n; i++)
		tail_put(&t, x[i].id, x[i].mask, x[i].address, (const uint8_t *)x[i].text, x[i].n, col);
	tails_free(&t);
}

/* Reads n texts. Returns how many were read before damage was found, and counts the equal ones. */
static unsigned read_lines(
	const struct buf col[N_COLUMNS], const struct text_line *x, unsigned n, bool values, unsigned *equal)
{
	struct tails t;
	struct cur in[N_COLUMNS];
	unsigned i;

	for (int k = 0; k < N_COLUMNS; k++)
		in[k] = cur_of(col[k].p, col[k].n);
	tails_new(&t, 5, values);
	tails_begin_span(&t, in);
	*equal = 0;
	for (i = 0; i < n; i++) {
		const uint8_t *text;
		size_t len;

		if (!tail_next(&t, x[i].id, x[i].mask, x[i].address, &text, &len))
			break;
		*equal += len == x[i].n && !memcmp(text, x[i].text, len);
	}
	tails_free(&t);
	return i;
}

static void test_all_shapes(void)
{
	for (unsigned values = 0; values < 2; values++) {
		struct buf col[N_COLUMNS] = {{0}};
		unsigned equal;

		write_lines(col, line, TEXTS, values);
		const unsigned got = read_lines(col, line, TEXTS, values, &equal);
		ok(got == TEXTS, "all texts are read, %s groups of values", values ? "with" : "without");
		ok(equal == TEXTS, "all texts are restored, %s groups of values",
			values ? "with" : "without");
		columns_free(col);
	}
}

/*
 * Every byte of every column is damaged, and every column is cut. Damage is noticed by the checksum of a block; here it
 * must not lead to an access out of bounds, which sanitizers find.
 */
static void test_damages(void)
{
	struct buf col[N_COLUMNS] = {{0}};
	unsigned whole = 0, changed = 0, damages = 0, equal;

	write_lines(col, line, TEXTS / 8, true);
	for (int k = 0; k < N_COLUMNS; k++)
		for (size_t i = 0, n = col[k].n; i < n; i++) {
			const uint8_t was = col[k].p[i];

			col[k].p[i] = (uint8_t)(was ^ (1 + random_below(255)));
			read_lines(col, line, TEXTS / 8, true, &equal);
			changed += equal < TEXTS / 8;
			damages++;
			col[k].p[i] = was;
			col[k].n = i;
			whole += read_lines(col, line, TEXTS / 8, true, &equal) == TEXTS / 8;
			col[k].n = n;
		}
	ok(changed > damages / 100 * 99,
		"nearly every damaged byte of a column changes a text or is rejected");
	is_number(whole, 0, "truncated columns are rejected");
	columns_free(col);
}

/* Returns the bytes that the second of two texts takes. */
static size_t bytes_of_second_text(const char *first, const char *second, uint64_t address)
{
	struct buf col[N_COLUMNS] = {{0}};
	size_t n = 0;

	for (unsigned i = 0; i < 2; i++) {
		struct text_line *x = &line[i];

		*x = (struct text_line){.id = 0, .mask = UINT32_MAX, .address = address};
		add_text(x, i ? second : first);
	}
	write_lines(col, line, 1, true);
	for (int k = 0; k < N_COLUMNS; k++)
		n -= col[k].n;
	columns_free(col);
	write_lines(col, line, 2, true);
	for (int k = 0; k < N_COLUMNS; k++)
		n += col[k].n;
	columns_free(col);
	return n;
}

static void test_sizes(void)
{
	is_number((long long)bytes_of_second_text(
			  "Val 1 00000400 1 00000001 ", "Val 1 00000400 1 00000001 ", 0),
		3, "values that equal those of the previous text take a byte a group");
	is_number((long long)bytes_of_second_text(
			  "Val 1 00000400 ", "Val 1 00000408 ", UINT64_C(0x7f0000000408)),
		2, "a value that is the address takes a byte");
	is_number((long long)bytes_of_second_text("Val 2 00000001 00000002 2 00000003 00000004 ",
			  "Val 2 3f9d70a4 bf028f5c 2 3f9d70a4 bf028f5c ", 0),
		11, "a second group with the same values takes a byte");
	is_number((long long)bytes_of_second_text("Val 2 3f9d70a4 bf028f5c ", "Val 2 be11a3b1 3e99f5c2 ", 0),
		10, "floating-point numbers take their four bytes");
}

int main(void)
{
	make_lines();
	test_all_shapes();
	test_damages();
	test_sizes();
	return tap_done();
}
