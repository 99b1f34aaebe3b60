/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of the registers of static instructions as streams: all registers are restored, damaged streams are
 * rejected or give other registers, and regular sequences become equal bytes.
 */
#include <stdlib.h>
#include "pack/registers.h"
#include "tap.h"

#define INSTS 500u
#define FORMS 7u

static const uint8_t count[FORMS][2] = {{1, 2}, {0, 0}, {1, 3}, {2, 0}, {0, 31}, {1, 1}, {31, 31}};
static uint32_t form[INSTS], state = 7;
static struct buf dst, src, kinds;

static uint32_t random_below(uint32_t n)
{
	state = state * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)(state >> 8) * n >> 24);
}

static void make_instructions(void)
{
	for (uint32_t i = 0; i < INSTS; i++) {
		form[i] = random_below(FORMS - 1); /* the last form has no instruction */
		for (unsigned k = 0; k < count[form[i]][0]; k++)
			buf_byte(&dst, (uint8_t)(i % 3 ? i : random_below(256)));
		for (unsigned k = 0; k < count[form[i]][1]; k++)
			buf_byte(&src, (uint8_t)(i % 5 ? i - k : random_below(256)));
		for (unsigned k = 0; k < count[form[i]][0] + 0u + count[form[i]][1]; k++)
			buf_byte(&kinds, (uint8_t)random_below(4));
	}
}

static struct operands operands_with(bool with_kinds)
{
	return (struct operands){
		count, FORMS, form, INSTS, with_kinds ? cur_of(kinds.p, kinds.n) : cur_of(NULL, 0)};
}

static bool is_same(const struct buf *a, const struct buf *b)
{
	return a->n == b->n && !memcmp(a->p, b->p, a->n);
}

/* Reads the streams t: of destinations, of sources, and their codings. */
static bool read_streams(const struct buf t[3], bool with_kinds, bool *same)
{
	const struct operands o = operands_with(with_kinds);
	struct cur in[3] = {cur_of(t[0].p, t[0].n), cur_of(t[1].p, t[1].n), cur_of(t[2].p, t[2].n)};
	struct buf d = {0}, s = {0};
	bool good = registers_unpack(&o, &in[0], &in[1], &in[2], &d, &s);

	*same = good && is_same(&d, &dst) && is_same(&s, &src);
	buf_free(&d);
	buf_free(&s);
	return good;
}

static void make_streams(struct buf t[3], bool with_kinds)
{
	const struct operands o = operands_with(with_kinds);

	buf_add(&t[0], dst.p, dst.n);
	buf_add(&t[1], src.p, src.n);
	registers_pack(&o, &t[0], &t[1], &t[2]);
}

static void test_restored(void)
{
	for (unsigned with_kinds = 0; with_kinds < 2; with_kinds++) {
		struct buf t[3] = {{0}};
		bool same;

		make_streams(t, with_kinds);
		ok(read_streams(t, with_kinds, &same) && same, "registers are restored, %s kinds",
			with_kinds ? "with" : "without");
		for (int k = 0; k < 3; k++)
			buf_free(&t[k]);
	}
}

static void test_damaged_streams(void)
{
	struct buf t[3] = {{0}};
	unsigned unnoticed = 0, cut = 0;
	bool same;

	make_streams(t, true);
	for (int k = 0; k < 3; k++) {
		for (size_t i = 0; i < t[k].n; i++) {
			const uint8_t was = t[k].p[i];

			t[k].p[i] = (uint8_t)(was ^ (1 + random_below(255)));
			read_streams(t, true, &same);
			unnoticed += k < 2 && same;
			t[k].p[i] = was;
		}
		t[k].n--;
		cut += read_streams(t, true, &same);
		t[k].n++;
		buf_byte(&t[k], 0);
		cut += read_streams(t, true, &same);
		t[k].n--;
	}
	is_number(unnoticed, 0, "each changed byte of a stream changes a register");
	is_number(cut, 0, "streams of another length are rejected");
	kinds.n--;
	ok(!read_streams(t, true, &same), "truncated kinds are rejected");
	kinds.n++;
	for (int k = 0; k < 3; k++)
		buf_free(&t[k]);
}

/* A loop of products: accumulators and fragments advance, and the address was used last. */
static void test_regular_sequence(void)
{
	static const uint8_t one[1][2] = {{1, 3}};
	static const uint32_t all[20];
	const struct operands o = {one, 1, all, 20, cur_of(NULL, 0)};
	struct buf d = {0}, s = {0}, coding = {0};
	unsigned other = 0;

	for (unsigned i = 0; i < 20; i++) {
		buf_byte(&d, (uint8_t)(4 * i));
		buf_byte(&s, (uint8_t)(100 + 2 * i));
		buf_byte(&s, 90);
		buf_byte(&s, (uint8_t)(4 * i));
	}
	registers_pack(&o, &d, &s, &coding);
	for (unsigned i = 1; i < 20; i++)
		other += d.p[i] != d.p[1];
	for (unsigned i = 1; i < 60; i++)
		other += i % 20 && s.p[i] != s.p[i - i % 20 + 1];
	is_number(other, 0, "registers that advance by a step, or do not change, become equal bytes");
	buf_free(&d);
	buf_free(&s);
	buf_free(&coding);
}

int main(void)
{
	make_instructions();
	test_restored();
	test_damaged_streams();
	test_regular_sequence();
	buf_free(&dst);
	buf_free(&src);
	buf_free(&kinds);
	return tap_done();
}
