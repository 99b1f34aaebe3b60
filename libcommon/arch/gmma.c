/* SPDX-License-Identifier: BSD-2-Clause */
/* Matrix products of a warpgroup (gmma.h). */
#include <string.h>
#include "gmma.h"

#define ROWS 64u /* number of rows of the result, over four warps */

static bool opcode_has_part(const char *op, const char *part)
{
	size_t n = strlen(part);

	for (const char *s = strchr(op, '.'); s; s = strchr(s + 1, '.'))
		if (!strncmp(s + 1, part, n) && (!s[1 + n] || s[1 + n] == '.'))
			return true;
	return false;
}

/* Returns the number of bits of an element of A and B. */
static uint32_t element_bits(const char *op)
{
	switch (op[0]) {
	case 'B': return 1;
	case 'I':
	case 'Q': return 8;
	default: return opcode_has_part(op, "TF32") ? 32 : 16;
	}
}

/* Reads a decimal number of at most three digits. Returns its end; NULL if there is none. */
static const char *read_dimension(const char *s, uint32_t *out)
{
	uint32_t n = 0;
	unsigned digits = 0;

	for (; *s >= '0' && *s <= '9' && digits < 4; s++, digits++)
		n = n * 10 + (uint32_t)(*s - '0');
	*out = n;
	return digits && digits < 4 ? s : NULL;
}

/* Reads "64xNxK". The shape must end where the part of the opcode ends. */
static bool read_shape(const char *s, uint32_t *n, uint32_t *k)
{
	if (strncmp(s, "64x", 3) != 0)
		return false;
	s = read_dimension(s + 3, n);
	if (!s || *s != 'x')
		return false;
	s = read_dimension(s + 1, k);
	return s && (!*s || *s == '.');
}

bool gmma_shape(struct gmma *g, const char *opcode)
{
	uint32_t bits = element_bits(opcode), n = 0, k = 0, dense;
	bool found = false, sparse = opcode_has_part(opcode, "SP");

	for (const char *s = strchr(opcode, '.'); s && !found; s = strchr(s + 1, '.'))
		found = read_shape(s + 1, &n, &k);
	dense = sparse ? k / 2 : k;
	if (!found || !n || n > 256 || n % 8 || dense * bits != 256 || (sparse && k % 2))
		return false;
	g->n = n;
	g->products = ROWS / GMMA_WARPS * n * (dense * bits / 16);
	g->a_bytes = ROWS * dense * bits / 8;
	g->b_bytes = n * k * bits / 8;
	return true;
}

static bool is_general_register(unsigned reg) { return reg < REG_UR0 && reg != REG_R0 + 255; }

/*
 * Finds A by elimination: the accumulator is both the destination and a source, and the metadata of a sparse A is
 * the last source. Any other general register is A.
 */
int gmma_a_source(const struct inst *in)
{
	const uint16_t *src = in->reg + in->n_dst;
	unsigned others = 0, of_sparse = opcode_has_part(in->opcode, "SP");
	int first = -1;

	for (unsigned i = 0; i < in->n_src; i++) {
		if (!is_general_register(src[i]) || (in->n_dst && src[i] == in->reg[0]))
			continue;
		if (!others++)
			first = (int)i;
	}
	return others > of_sparse ? first : -1;
}

uint32_t gmma_read_cycles(const struct gmma *g, bool a_shared, uint32_t bytes)
{
	return (g->b_bytes + (a_shared ? g->a_bytes : 0) + bytes - 1) / bytes;
}

uint32_t gmma_product_cycles(const struct gmma *g, uint32_t rate) { return (g->products + rate - 1) / rate; }
