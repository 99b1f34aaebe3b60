/* SPDX-License-Identifier: BSD-2-Clause */
/* Unit tests of messages, memory, bit sets, FIFOs, growing texts, conversion of numbers, and tables. */
#include <errno.h>
#include <stdatomic.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include "arena.h"
#include "bits.h"
#include "bytes.h"
#include "crew.h"
#include "diag.h"
#include "fifo.h"
#include "table.h"
#include "num.h"
#include "tap.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

/* ---- messages ----------------------------------------------------------------------------- */

static void test_quote(void)
{
	char out[64], tiny[8], *quoted;

	is_text(diag_quote(out, sizeof(out), "a\tb\0c\x7f", 6), "a\\x09b\\x00c\\x7f",
		"diag_quote() writes a control character as a hexadecimal escape");
	is_text(diag_quote(out, sizeof(out), "\xc3\xa4\xff\xc3", 4), "\xc3\xa4\\xff\\xc3",
		"diag_quote() keeps UTF-8 and escapes bytes that are not UTF-8");
	is_text(diag_quote(out, sizeof(out), "\xed\xa0\x80", 3), "\\xed\\xa0\\x80",
		"diag_quote() escapes the UTF-8 form of a surrogate");
	is_text(diag_quote(out, sizeof(out), "\xc0\xaf", 2), "\\xc0\\xaf",
		"diag_quote() escapes an overlong UTF-8 form");
	is_text(diag_quote(out, sizeof(out), "\xc2\x9b", 2), "\\xc2\\x9b",
		"diag_quote() escapes a C1 control character");
	is_text(diag_quote(out, sizeof(out), "\xd8\x9c\xe2\x80\x8e", 5), "\\xd8\\x9c\\xe2\\x80\\x8e",
		"diag_quote() escapes marks of text direction");
	is_text(diag_quote(out, sizeof(out), "\xe2\x80\xae\xe2\x81\xa9", 6), "\\xe2\\x80\\xae\\xe2\\x81\\xa9",
		"diag_quote() escapes overrides and isolates of text direction");
	is_text(diag_quote(out, sizeof(out), "\xe2\x80\x93\xe2\x81\xaa\xd8\x9b", 8),
		"\xe2\x80\x93\xe2\x81\xaa\xd8\x9b",
		"diag_quote() keeps the characters next to those of text direction");
	is_text(quoted = diag_quoted("a\x1b[31m"), "a\\x1b[31m",
		"diag_quoted() returns the whole text with escapes");
	free(quoted);
	is_text(diag_quote(tiny, sizeof(tiny), "abcdefg", 7), "abcdefg",
		"diag_quote() keeps a text that fills the buffer exactly");
	is_text(diag_quote(tiny, sizeof(tiny), "abcdefgh", 8), "abcde..",
		"diag_quote() cuts a text that is too long and ends it in dots");
	is_text(diag_quote(tiny, sizeof(tiny), "ab\1\2", 4), "ab..",
		"diag_quote() does not split an escape when it cuts a text");
	is_text(diag_quote(tiny, 1, "abc", 3), "", "diag_quote() with a capacity of 1 returns an empty text");
	is_text(diag_quote(tiny, 2, "abc", 3), ".", "diag_quote() with a capacity of 2 returns a dot");
}

static void print_all_messages(void *arg)
{
	struct fault f;

	(void)arg;
	diag_init("/usr/bin/trace-test");
	fault_set(&f, (struct place){"a\nb", 3, 4}, "some-id", "found '%s'", "x");
	diag_fault(&f);
	diag_warn((struct place){"f", 7, 0}, "odd");
	diag_error((struct place){"f", 0, 9}, "bad");
	diag_error(NOWHERE, "worse");
	diag_quiet(true);
	diag_warn(NOWHERE, "hidden");
	errno = ENOENT;
	if (diag_warnings() == 2)
		die_errno("%s", "out");
}

static void test_messages(void)
{
	char text[1024];
	struct fault f;

	is_number(in_child(print_all_messages, NULL, text, sizeof(text)), EXIT_TROUBLE,
		"die_errno() ends the program with EXIT_TROUBLE");
	is_text(text,
		"trace-test: a\\x0ab:3:4: error: found 'x'\ntrace-test: f:7: warning: odd\n"
		"trace-test: f: error: bad\ntrace-test: error: worse\ntrace-test: error: out: No such file or directory\n",
		"messages name the program, the place, the severity and the text");
	is_number(fault_set(NULL, NOWHERE, "id", "text"), -1, "fault_set() accepts NULL for the fault");
	fault_set(&f, NOWHERE, "id", "%0600d", 7);
	is_number((long long)strlen(f.text), sizeof(f.text) - 1,
		"fault_set() cuts a text that is longer than the fault can store");
	is_text(f.text + sizeof(f.text) - 4, "0..", "fault_set() ends a text that it cuts in dots");
	ok(diag_keep("x/y") == diag_keep(strcpy(text, "x/y")), "diag_keep() stores equal names once");
}

/* ---- memory ------------------------------------------------------------------------------- */

static void allocate_too_much(void *arg)
{
	(void)arg;
	xcalloc(SIZE_MAX / 2, 3);
}

static void test_memory(void)
{
	struct arena a = {0};
	uint64_t *words = NULL;
	uint32_t cap = 0;
	char text[256], *p;
	bool zero = true, aligned = true;

	is_number(in_child(allocate_too_much, NULL, text, sizeof(text)), EXIT_TROUBLE,
		"xcalloc() ends the program if the size overflows");
	ok(strstr(text, "out of memory") != NULL,
		"xcalloc() reports that it is out of memory if the size overflows");
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < 3000; i++) {
			p = arena_alloc(&a, i % 70, 3);
			aligned &= (uintptr_t)p % 16 == 0;
			for (size_t j = 0; j < i % 70 * 3; j++)
				zero &= !p[j];
			memset(p, 0xa5, i % 70 * 3);
		}
		p = arena_alloc(&a, 3u << 20, 1);
		zero &= !p[(3u << 20) - 1];
		arena_reset(&a);
		is_number((long long)a.used_bytes, 0, "an arena has no used bytes after arena_reset()");
	}
	ok(zero && aligned, "an arena returns zeroed memory at multiples of 16 bytes");
	is_text(arena_strndup(&a, "kernel-1", 6), "kernel",
		"arena_strndup() copies the first bytes of a string");
	arena_free(&a);
	grow(&words, &cap, 1, sizeof(*words));
	for (uint32_t i = 0; i < 1000; i++) {
		grow(&words, &cap, i + 1, sizeof(*words));
		words[i] = i;
	}
	ok(cap >= 1000 && cap < 4000 && words[999] == 999,
		"grow() doubles the capacity and keeps the contents");
	free(words);
	words = reserve(1u << 20, 1024);
	words[(1u << 27) - 1] = 5;
	ok(!words[0] && !words[1u << 26], "reserve() returns a gibibyte of zeros");
	reserve_free(words, 1u << 20, 1024);
	p = xstrndup("abc", 2);
	is_text(p, "ab", "xstrndup() copies the first bytes of a string");
	free(p);
}

/*
 * Tests that small pieces are zeroed. After its last piece is freed, an area of pieces is either cleared or mapped
 * again.
 */
static void test_small_pieces(void)
{
	static const size_t sizes[6] = {100, 60000, 500, 1000000, 64, 70000};
	char *piece[12];
	bool zero = true;

	for (int round = 0; round < 4; round++) {
		size_t n = 0;

		for (size_t i = 0; i < 6; i++) {
			size_t size = round == 2 ? 64 : sizes[i];

			for (int copy = 0; copy < 2; copy++, n++) {
				piece[n] = reserve(size, 1);
				zero &= !piece[n][0] && !piece[n][size / 2] && !piece[n][size - 1];
				memset(piece[n], 0x5a, size);
			}
		}
		for (size_t i = 0; i < n; i++)
			reserve_free(piece[i], round == 2 ? 64 : sizes[i / 2], 1);
	}
	ok(zero, "reserve() returns zeroed pieces again after earlier pieces were freed");
}

/* ---- bits and rings --------------------------------------------------------------------------- */

static void test_bits(void)
{
	uint64_t set[BITSET_WORDS(130)] = {0};
	unsigned seen = 0;

	FOR_BITS64 (b, 0x8000000000000011ull)
		seen = seen * 100 + (unsigned)b;
	is_number(seen, 463, "FOR_BITS64 visits bits in ascending order");
	is_number(
		bit_next_cyclic64(0x11, 1), 4, "bit_next_cyclic64() finds the next set bit after the start");
	is_number(bit_next_cyclic64(0x11, 5), 0,
		"bit_next_cyclic64() continues at bit 0 after the highest bit");
	is_number(bit_next_cyclic64(0x11, 64), 0, "bit_next_cyclic64() accepts a start after the last bit");
	bitset_set(set, 129);
	ok(bitset_test(set, 129) && !bitset_test(set, 128), "bitset_set() sets one bit only");
	bitset_clear(set, 129);
	ok(!bitset_test(set, 129) && log2_floor(0) == 0 && log2_floor(4095) == 11,
		"bitset_clear() clears a bit, and log2_floor() rounds down");
}

struct element {
	uint64_t due;
	int value;
};
FIFO(elements, struct element)

static void test_fifo(void)
{
	uint32_t slot[4];
	struct ring r;
	bool fifo = true;
	struct element entry[2];
	struct elements t;

	ring_init(&r, slot, fifo_capacity(3));
	for (uint32_t i = 0; i < 100; i++) {
		ring_push(&r, i);
		if (i >= 3)
			fifo &= ring_pop(&r) == i - 3;
	}
	ok(fifo && ring_front(&r) == 97 && ring_at(&r, 2) == 99 && r.count == 3,
		"a ring returns its elements in the order of insertion");
	fifo = true;
	elements_init(&t, entry, fifo_capacity(2));
	for (uint32_t i = 0; i < 9; i++) {
		elements_push(&t, (struct element){i, -(int)i});
		fifo &= i < 1 || elements_pop(&t).due == i - 1;
	}
	ok(fifo && elements_front(&t).value == -8 && elements_at(&t, 0).value == -8 && !elements_empty(&t),
		"a FIFO of structs returns its elements in the order of insertion");
}

/* ---- growing text --------------------------------------------------------------------------- */

static void test_bytes(void)
{
	struct bytes b = {0};
	bool good = true;

	bytes_add(&b, NULL, 0);
	ok(b.p && !*b.p && !b.n, "bytes_add() of no bytes makes an empty string");
	bytes_puts(&b, "0");
	for (int i = 1; i < 5000; i++)
		bytes_printf(&b, " %d", i);
	ok(b.n == 23889 && strlen(b.p) == b.n && !strcmp(b.p + b.n - 10, " 4998 4999"),
		"bytes_printf() appends many short texts");
	for (size_t n = 4090; n < 4102; n++) { /* sizes around the initial capacity */
		bytes_free(&b);
		bytes_puts(&b, "x");
		bytes_printf(&b, "%*d", (int)n, 7);
		good &= b.n == n + 1 && strlen(b.p) == b.n && b.p[n] == '7';
	}
	ok(good, "bytes_printf() appends a text that is as long as the free capacity");
	b.n = 0;
	bytes_column(&b, "ab", 4);
	bytes_column(&b, "ab", -4);
	bytes_column(&b, "ab", 1);
	bytes_column(&b, "", -1);
	is_text(b.p, "  abab  ab ", "bytes_column() pads texts on the left or on the right");
	bytes_free(&b);
	ok(!b.p && !b.n && !b.cap, "bytes_free() clears the pointer, the size and the capacity");
	fclose(bytes_stream(&b));
	ok(b.p && !*b.p && !b.n, "bytes_stream() without output makes an empty string");
	FILE *f = bytes_stream(&b);
	for (int i = 0; i < 5000; i++)
		fprintf(f, " %d", i);
	fclose(f);
	ok(b.n == 23890 && !strncmp(b.p, " 0 1 2", 6) && !strcmp(b.p + b.n - 10, " 4998 4999"),
		"bytes_stream() stores a text that is longer than the stream's buffer");
	bytes_free(&b);
}

/* ---- numbers as text ------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	return *state ^= *state << 17;
}

/*
 * Returns a random value: a value typical of statistics, a value half way between two decimal texts or next
 * to it, or any value.
 */
static double next_real(uint64_t *state)
{
	uint64_t r = next_random(state), bits = next_random(state);
	double tens = pow(10, (int)(r >> 8 & 15) - 6), v;

	switch (r & 7) {
	case 0: return (double)((float)(bits & 0xffff) / (float)(1 + (bits >> 16 & 0xfffff)));
	case 1: return (double)(bits >> 40) / (double)(1 + (bits & 0xffffff));
	case 2:
		return (double)(int64_t)(bits & 0xffffff) /
		       (double)(1u << (r >> 8 & 31)); /* often half way between two decimal texts */
	case 3: return ((double)(bits & 0xffff) + 0.5) * tens;
	case 4: return nextafter(tens, bits & 1 ? 0 : INFINITY);
	case 5: return tens - tens * (double)(bits & 15) / 1e6;
	case 6: return ldexp((double)(int64_t)bits, -(int)(r >> 8 & 127));
	default: memcpy(&v, &bits, sizeof(v)); return v;
	}
}

static bool is_bytes_text(struct bytes *b, const char *want)
{
	bool same = !strcmp(b->p, want);

	if (!same)
		printf("# found: %s\n# expected: %s\n", b->p, want);
	b->n = 0;
	return same;
}

static bool is_real_text(struct bytes *b, double v)
{
	static const unsigned widths[] = {0, 9, 12, 48, 49};
	char want[512];
	bool same = true;

	for (unsigned decimals = 0; decimals < 12; decimals++) {
		for (size_t i = 0; i < N(widths); i++) {
			snprintf(want, sizeof(want), "%*.*f", (int)widths[i], (int)decimals, v);
			bytes_fixed(b, v, widths[i], decimals);
			same &= is_bytes_text(b, want);
		}
		snprintf(want, sizeof(want), "%.*g", (int)decimals, v);
		bytes_general(b, v, decimals);
		same &= is_bytes_text(b, want);
	}
	return same;
}

static void test_reals(struct bytes *b)
{
	static const double edges[] = {0.0, 0.5, 1.5, 2.5, 0.125, 0.375, 0.0001, 0.00009999999, 0.000099996,
		9.9995, 99.995, 999.95, 9999.5, 99999.5, 999999.5, 1e5, 1e6, 1e15, 0x1p33,
		0x1.fffffffffffffp32, 0x1p53, 0x1p64, 0x1p-67, 0x1p-68, DBL_MIN, DBL_TRUE_MIN, DBL_MAX,
		DBL_EPSILON, (double)NAN, (double)INFINITY};
	uint64_t state = 1;
	bool same = true;

	for (size_t i = 0; i < N(edges); i++)
		same &= is_real_text(b, edges[i]) && is_real_text(b, copysign(edges[i], -1));
	ok(same, "bytes_fixed() and bytes_general() write edge cases as printf() does");
	same = true;
	for (int i = 0; i < 20000 && same; i++)
		same = is_real_text(b, i & 1 ? next_real(&state) : -next_real(&state));
	ok(same, "bytes_fixed() and bytes_general() write random numbers as printf() does");
}

static void test_numbers(void)
{
	static const unsigned widths[] = {0, 1, 3, 9, 10, 48, 49};
	struct bytes b = {0};
	uint64_t state = 1;
	bool same = true;
	char want[64];

	for (int i = 0; i < 5000; i++) {
		uint64_t v = i < 8 ? (uint64_t)i - 4 : next_random(&state) >> (i & 63);

		v = i == 8 ? (uint64_t)INT64_MIN : i == 9 ? INT64_MAX : v;
		snprintf(want, sizeof(want), "%" PRIu64, v);
		bytes_unsigned(&b, v);
		same &= is_bytes_text(&b, want);
		for (size_t k = 0; k < N(widths); k++) {
			snprintf(want, sizeof(want), "%*" PRId64, (int)widths[k], (int64_t)v);
			bytes_signed(&b, (int64_t)v, widths[k]);
			same &= is_bytes_text(&b, want);
		}
	}
	ok(same, "bytes_unsigned() and bytes_signed() write numbers as printf() does");
	test_reals(&b);
	bytes_free(&b);
}

/* ---- numbers from text ----------------------------------------------------------------------- */

static void test_number_parsing(void)
{
	const char *p = "0129x";
	uint64_t v;
	double x;

	ok(num_digits(&p, NULL, 10, UINT64_MAX, &v) == NUM_GOOD && v == 129 && *p == 'x',
		"num_digits() stops at the first character that is not a digit");
	ok(num_digits(&p, NULL, 10, UINT64_MAX, &v) == NUM_NONE && v == 0 && *p == 'x',
		"num_digits() reports NUM_NONE if there is no digit");
	p = "777";
	ok(num_digits(&p, p + 2, 8, 63, &v) == NUM_GOOD && v == 63 && *p == '7',
		"num_digits() reads octal digits up to the end of the given text");
	p = "100 ";
	ok(num_digits(&p, NULL, 8, 63, &v) == NUM_LARGE && v == 63 && *p == ' ',
		"num_digits() reports NUM_LARGE for a number above the maximum");
	p = "ffffFFFFffffFFFF";
	ok(num_digits(&p, NULL, 16, UINT64_MAX, &v) == NUM_GOOD && v == UINT64_MAX,
		"num_digits() reads the largest 64-bit number in hexadecimal");
	p = "10000000000000000";
	ok(num_digits(&p, NULL, 16, UINT64_MAX, &v) == NUM_LARGE && !*p,
		"num_digits() reports NUM_LARGE for 2^64 in hexadecimal");
	p = "18446744073709551616";
	ok(num_digits(&p, NULL, 10, UINT64_MAX, &v) == NUM_LARGE && v == UINT64_MAX,
		"num_digits() reports NUM_LARGE for 2^64 in decimal");
	ok(num_whole("42", 2, 42, &v) && v == 42 && !num_whole("43", 2, 42, &v),
		"num_whole() accepts the maximum and rejects the maximum plus 1");
	ok(!num_whole("4 ", 2, 42, &v) && !num_whole("", 0, 42, &v) && !num_whole("-1", 2, 42, &v),
		"num_whole() rejects blanks, an empty text and signs");
	ok(num_leading("12ab") == 12 && num_leading("ab") == 0,
		"num_leading() returns the number at the start of a text, or 0");
	p = ".5e1,";
	ok(num_real(&p, &x) == NUM_GOOD && x == 5 && *p == ',',
		"num_real() reads a decimal point and an exponent");
	p = "0x10";
	ok(num_real(&p, &x) == NUM_GOOD && x == 0 && *p == 'x',
		"num_real() reads only the 0 of a hexadecimal number");
	p = "1e999";
	ok(num_real(&p, &x) == NUM_LARGE && *p == '1',
		"num_real() reports NUM_LARGE for a number above the largest double");
	for (const char *const *t = (const char *const[]){"inf", "nan", "-1", "+1", " 1", ".", "", NULL}; *t;
		t++)
		ok(num_real(&(const char *){*t}, &x) == NUM_NONE, "num_real() reports NUM_NONE for '%s'", *t);
}

/* ---- tables ------------------------------------------------------------------------------- */

/* Returns true if exactly the n numbers first, first + step, ... are stored under the hash, in this order. */
static bool has_table_numbers(const struct table *t, uint64_t hash, uint32_t first, uint32_t step, uint32_t n)
{
	uint32_t want = first, left = n;

	FOR_TABLE (w, t, hash) {
		if (!left-- || w.number != want)
			return false;
		want += step;
	}
	return !left;
}

static void test_table(void)
{
	struct table t = {0};
	const uint64_t word = 7;
	bool good = true;

	ok(has_table_numbers(&t, 0, 0, 0, 0), "a new table is empty");
	for (uint32_t i = 0; i < 100000; i++)
		table_add(&t, table_hash(&i, sizeof(i)), i);
	for (uint32_t i = 0; i < 100000; i++) {
		bool found = false;

		FOR_TABLE (w, &t, table_hash(&i, sizeof(i)))
			found |= w.number == i;
		good &= found;
	}
	ok(good && t.n == 100000 && t.n_slots >= 2 * t.n,
		"a table finds each of 100000 entries, and half of its slots are free");
	table_clear(&t);
	ok(!t.n && has_table_numbers(&t, 5, 0, 0, 0), "a table is empty after table_clear()");
	/* Tests hashes that share slots at the end of the table, so that the search wraps around. */
	for (uint32_t i = 0; i < 3000; i++)
		table_add(&t, UINT32_MAX - i % 3, i);
	for (uint32_t k = 0; k < 3; k++)
		good &= has_table_numbers(&t, UINT32_MAX - k, k, 3, 1000);
	ok(good && has_table_numbers(&t, UINT32_MAX - 3, 0, 0, 0),
		"a table returns the numbers of one hash in the order of insertion");
	table_free(&t);
	table_add(&t, 1, TABLE_NONE - 1);
	ok(has_table_numbers(&t, 1, TABLE_NONE - 1, 0, 1), "a table stores the largest number");
	table_free(&t);
	ok(table_hash_words(&word, 1) == table_hash(&word, sizeof(word)),
		"table_hash_words() and table_hash() of the same bytes are equal");
}

/* ---- crews ----------------------------------------------------------------------------------- */

static void *count_to_1000(void *ctx)
{
	for (unsigned i = 0; i < 1000; i++)
		atomic_fetch_add((_Atomic unsigned *)ctx, 1);
	return NULL;
}

static void test_crew(void)
{
	static const unsigned sizes[] = {0, 1, 7};

	for (size_t i = 0; i < N(sizes); i++) {
		_Atomic unsigned sum = 0;

		crew_join(crew_start(sizes[i], count_to_1000, &sum));
		is_number((long long)atomic_load(&sum), 1000 * (long long)sizes[i],
			"each thread of a crew executes the function once");
	}
}

/* Tests that the column of a place in a text does not overflow. */
static void test_columns(void)
{
	const char *text = "-code 0008 add", *line = text + 6;

	ok(place_column(line, line) == 1 && place_column(line, line + 5) == 6,
		"place_column() counts columns from 1");
	ok(place_column(line, text) == 0, "place_column() returns 0 for a character before the line");
	ok(place_column((const char *)1, (const char *)(uintptr_t)(UINT32_MAX + 10ull)) == 0,
		"place_column() returns 0 for a character more than 4 GiB after the line's start");
}

int main(void)
{
	test_columns();
	test_table();
	test_quote();
	test_messages();
	test_memory();
	test_small_pieces();
	test_bits();
	test_fifo();
	test_bytes();
	test_numbers();
	test_number_parsing();
	test_crew();
	return tap_done();
}
