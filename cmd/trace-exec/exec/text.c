/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words of trace lines: masks, numbers, addresses. trace_out.c and lower/ form lines from them. Always
 * true: a function writes its word at p, in the tracer's spelling, and returns the end of the word.
 */
#include <string.h>
#include "exec/source.h"
#include "arena.h"
#include "bits.h"
#include "exec/lanes.h"

void text_reserve(struct text *t, size_t more)
{
	if (t->cap - t->n >= more)
		return;
	t->cap = 2 * (t->n + more);
	t->p = xrealloc(t->p, t->cap, 1);
}

/*
 * Tables: the two hexadecimal digits of each byte; the decimal text of each small number, with a leading blank, if it
 * is prepared.
 */
#define SMALL 1024
static char two_digits[256][2];
static struct {
	char s[7];
	uint8_t n;
} small[2 * SMALL];

/*
 * Adds the text of v to the tables. It is the text of `shorter` (v without its last digit) and the last digit
 * of a (|v|).
 */
static void add_small_number(int v, int a, int shorter)
{
	char *s = small[v + SMALL].s;
	unsigned n = 1;

	s[0] = ' ';
	if (v < 0)
		s[n++] = '-';
	if (shorter) {
		small[v + SMALL] = small[shorter + SMALL];
		n = small[v + SMALL].n;
	}
	s[n++] = (char)('0' + a % 10);
	small[v + SMALL].n = (uint8_t)n;
}

void text_prepare(bool lines)
{
	for (unsigned i = two_digits[0][0] ? 256 : 0; i < 256; i++) {
		two_digits[i][0] = "0123456789abcdef"[i >> 4];
		two_digits[i][1] = "0123456789abcdef"[i & 15];
	}
	if (!lines || small[0].n)
		return;
	for (int i = 0; i < SMALL; i++) {
		add_small_number(i, i, i / 10);
		add_small_number(-i, i, -(i / 10));
	}
	add_small_number(-SMALL, SMALL, -(SMALL / 10));
}

char *text_put_mask(char *p, uint32_t v)
{
	for (unsigned i = 0; i < 4; i++)
		memcpy(p + 2 * i, two_digits[v >> (24 - 8 * i) & 255], 2);
	return p + 8;
}

char *text_put_hex(char *p, uint64_t v, unsigned digits)
{
	unsigned n = v ? (67u - (unsigned)__builtin_clzll(v)) / 4 : 1;

	n = n < digits ? digits : n;
	if (n % 2)
		*p++ = two_digits[v >> 4 * (n - 1) & 15][1];
	for (unsigned i = n / 2; i-- > 0; p += 2)
		memcpy(p, two_digits[v >> 8 * i & 255], 2);
	return p;
}

char *text_put_number(char *p, int64_t v)
{
	char digits[24];
	unsigned n = 0;
	uint64_t a = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

	if (a < 10 && v >= 0) {
		*p = (char)('0' + v);
		return p + 1;
	}
	if (a < 100 && v >= 0) {
		*p++ = (char)('0' + v / 10);
		*p++ = (char)('0' + v % 10);
		return p;
	}
	if (v < 0)
		*p++ = '-';
	do
		digits[n++] = (char)('0' + a % 10);
	while (a /= 10);
	while (n)
		*p++ = digits[--n];
	return p;
}

/* Writes " v"; may overwrite up to 7 bytes after the text. */
static inline char *write_delta(char *p, int64_t v)
{
	if (v >= -SMALL && v < SMALL && small[v + SMALL].n) {
		memcpy(p, small[v + SMALL].s, 7);
		return p + small[v + SMALL].n;
	}
	*p++ = ' ';
	return text_put_number(p, v);
}

/* Returns true if the lanes of m are adjacent and their addresses have one stride. Sets *stride to it. */
static bool find_address_stride(const uint64_t *a, uint32_t m, int64_t *stride)
{
	unsigned first = bit_lowest32(m), n = m == ALL_LANES ? LANES : bit_count32(m);
	uint32_t run = m >> first;
	uint64_t d, off = 0;

	if (n < 2 || run & (run + 1))
		return false;
	a += first;
	d = a[1] - a[0];
	*stride = (int64_t)d;
	/* The distance of the first and last address rejects most lists. */
	if (a[n - 1] - a[0] != (n - 1) * d || (int64_t)d != (int32_t)d)
		return false;
	if (n == LANES)
		return lanes_have_step(a, d);
	for (unsigned i = 2; i < n; i++)
		off |= (a[i] - a[i - 1]) ^ d;
	return !off;
}

char *text_put_addresses(char *p, const uint64_t *a, uint32_t m)
{
	unsigned first = m ? bit_lowest32(m) : 0;
	int64_t stride = 0;

	if (!m || find_address_stride(a, m, &stride)) {
		memcpy(p, " 1 0x", 5);
		p = text_put_hex(p + 5, m ? a[first] : 0, 1);
		*p++ = ' ';
		return text_put_number(p, stride);
	}
	memcpy(p, " 2 0x", 5);
	p = text_put_hex(p + 5, a[first], 1);
	uint64_t last = a[first];
	FOR_BITS32 (i, m & (m - 1)) {
		p = write_delta(p, (int64_t)(a[i] - last));
		last = a[i];
	}
	return p;
}

void text_write_programmatic(FILE *out, const struct launch *l)
{
	if (l->programmatic)
		fputs("-programmatic launch = 1\n", out);
}

void text_write_machine_header(FILE *out, const struct grid *g, uint32_t shared, uint32_t regs,
	unsigned binary, unsigned version, const struct source_lines *lines)
{
	const struct launch *l = g->launch;

	fprintf(out, "-kernel name = %s\n-kernel id = %u\n-grid dim = (%u,%u,%u)\n-block dim = (%u,%u,%u)\n",
		l->kernel->name, l->id, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
		l->block[2]);
	if (g->cluster_size > 1)
		fprintf(out, "-cluster dim = (%u,%u,%u)\n", g->cluster[0], g->cluster[1], g->cluster[2]);
	text_write_programmatic(out, l);
	fprintf(out, "-shmem = %u\n-nregs = %u\n-binary version = %u\n-cuda stream id = %u\n", shared, regs,
		binary, l->stream);
	fprintf(out, "-shmem base_addr = 0x%016llx\n-local mem base_addr = 0x%016llx\n", SHARED_WINDOW_BASE,
		LOCAL_WINDOW_BASE);
	fprintf(out, "-accelsim tracer version = %u\n-enable lineinfo = 0\n", version);
	source_write_lines(out, lines);
	fprintf(out,
		"\n#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses] immediate%s\n",
		version < 6 ? "" : " immediate2 values");
}
