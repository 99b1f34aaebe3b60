/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Initial values of .global and .const variables: numbers, nested lists, addresses of variables and functions,
 * parts of addresses (0xFF00(name)). Elements without a value are zero. The value of a sampler is made from its
 * fields. The fields of textures and surfaces are ignored, because the launch binds them.
 */
#include <string.h>
#include "lang/ieee.h"
#include "lang/parser.h"
#include "lang/small.h"

#define INITIALISED_MOST (64u << 20) /* largest size of initial values in bytes */

struct init_filling {
	struct symbol *var;
	uint64_t next;  /* number of the next element */
	uint64_t cap;   /* number of elements that init has space for */
	unsigned bytes; /* size of an element */
};

static bool put_element(struct parser *p, struct init_filling *fl, const struct token *at, const void *bytes)
{
	if (fl->next >= fl->cap) {
		if (!fl->var->unsized)
			return parser_bad(p, at, "initialiser",
				"too many values for '%s' (expected at most %llu)", fl->var->name,
				(unsigned long long)fl->cap);
		uint64_t cap = fl->cap ? 2 * fl->cap : 16;
		uint8_t *more = arena_alloc(&p->module->arena, cap, fl->bytes);

		if (fl->next)
			memcpy(more, fl->var->init, fl->next * fl->bytes);
		fl->var->init = more;
		fl->cap = cap;
	}
	memcpy(fl->var->init + fl->next++ * fl->bytes, bytes, fl->bytes);
	return true;
}

static uint16_t half_bits(double v, bool bf16)
{
	return (uint16_t)small_of_double(v, bf16 ? SMALL_BF16 : SMALL_F16, ROUND_RN, false);
}

/* Returns c converted to an element of the type. */
static uint64_t convert_to_element(const struct constant *c, enum type type, unsigned bytes)
{
	const double d = constant_to_double(c);

	if (c->kind != CONST_REAL && type != T_F32 && type != T_F64)
		return c->bits; /* a whole number is the bits of an f16 or bf16 */
	if (types[type].kind == K_FLOAT && bytes == 2)
		return half_bits(d, type == T_BF16);
	return bytes == 4 ? ieee_f32_bits((float)d) : ieee_f64_bits(d);
}

/* Returns a 0f literal, which denotes bits, converted to an element of the type. */
static uint64_t convert_0f_literal(uint32_t u, enum type type, unsigned bytes)
{
	const struct constant c = {CONST_REAL, ieee_f64_bits((double)ieee_f32(u))};

	return bytes == 4 ? u : convert_to_element(&c, type, bytes);
}

/* Returns true if the type accepts floating-point numbers or, with `bits`, 0f literals. */
static bool accepts_real_number(enum type type, bool bits)
{
	return types[type].kind == K_FLOAT || type == T_B32 || type == T_B64 ||
	       (bits && types[type].bits == 32);
}

static bool put_number_element(struct parser *p, struct init_filling *fl)
{
	bool minus = parser_at_punct(p, '-') && p->next_token.kind == TOK_F32;
	enum type type = (enum type)fl->var->type;
	uint8_t bytes[16] = {0};
	struct token at = p->token;
	struct constant c;
	uint64_t v;

	if (minus && !parser_next(p))
		return false;
	if (p->token.kind == TOK_F32) {
		if (!accepts_real_number(type, true))
			return parser_unexpected(p, "a whole number");
		v = convert_0f_literal((uint32_t)p->token.value ^ (minus ? 0x80000000u : 0), type, fl->bytes);
		if (!parser_next(p))
			return false;
	} else {
		if (!constant_take_expression(p, &c))
			return false;
		if (c.kind == CONST_REAL && !accepts_real_number(type, false))
			return parser_bad(p, &at, "initialiser",
				"floating-point number (expected a value of type .%s)", types[type].name);
		v = convert_to_element(&c, type, fl->bytes);
	}
	memcpy(bytes, &v, 8);
	return put_element(p, fl, &at, bytes);
}

static bool put_symbol_address(struct parser *p, struct init_filling *fl, uint64_t mask)
{
	struct token t = p->token;
	bool generic = t.n == 7 && !memcmp(t.start, "generic", 7) && p->next_token.kind == TOK_PUNCT &&
		       p->next_token.punct == '(';
	uint8_t zero[16] = {0};
	struct fixup *fix;
	unsigned shift = 0;
	int64_t add = 0;

	if (generic && (!parser_next(p) || !parser_next(p)))
		return false;
	t = p->token;
	struct symbol *sym = t.kind == TOK_NAME ? parser_look_up(p, t.start, t.n) : NULL;
	if (!sym || !(sym->kind == SYM_FUNC ||
			    (sym->kind == SYM_VAR && (sym->space == SP_GLOBAL || sym->space == SP_CONST))))
		return parser_unexpected(
			p, "a number or the name of a .global or .const variable or a function");
	if (!parser_next(p) || (generic && !parser_take_punct(p, ')')))
		return false;
	if ((parser_at_punct(p, '+') || parser_at_punct(p, '-')) && !constant_take_whole(p, &add))
		return false;
	if (!mask && fl->bytes < 4)
		return parser_bad(p, &t, "initialiser",
			"address in an element of %u bytes (expected 4 or 8 bytes, or a part such as 0xFF(name))",
			fl->bytes);
	while (mask && shift < 56 && !(mask >> shift & 0xff))
		shift += 8;
	fix = arena_alloc(&p->module->arena, 1, sizeof(*fix));
	*fix = (struct fixup){fl->var->fixup, sym, add, (uint32_t)(fl->next * fl->bytes), (uint8_t)fl->bytes,
		(uint8_t)shift, t.line, t.col};
	fl->var->fixup = fix;
	return put_element(p, fl, &t, zero);
}

static bool fill_init_row(struct parser *p, struct init_filling *fl, unsigned depth);

static bool fill_value(struct parser *p, struct init_filling *fl, unsigned depth)
{
	if (!parser_at_punct(p, '{')) {
		if (p->token.kind == TOK_INT && p->next_token.kind == TOK_PUNCT &&
			p->next_token.punct == '(') {
			uint64_t mask = p->token.value;

			return parser_next(p) && parser_next(p) && put_symbol_address(p, fl, mask) &&
			       parser_take_punct(p, ')');
		}
		return p->token.kind == TOK_NAME ? put_symbol_address(p, fl, 0) : put_number_element(p, fl);
	}
	return fill_init_row(p, fl, depth);
}

/* Adds zeros up to element `end`. */
static bool fill_zeros(struct parser *p, struct init_filling *fl, uint64_t end)
{
	static const uint8_t zero[16];
	const struct token t = p->token;

	if (end * fl->bytes > INITIALISED_MOST)
		return parser_unexpected(p, "at most 64 MiB of initial values");
	if (end <= fl->cap)
		fl->next = end;
	while (fl->next < end)
		if (!put_element(p, fl, &t, zero))
			return false;
	return true;
}

/* Parses "{1, 2}", a row of dimension `depth`; elements without a value are zero, as in C. */
static bool fill_init_row(struct parser *p, struct init_filling *fl, unsigned depth)
{
	uint64_t start = fl->next, row = 1, rows = depth < p->n_dims ? p->dim[depth] : 1;

	if (depth == DIMS_MAX)
		return parser_unexpected(p, "a value without further nested lists");
	for (unsigned i = depth + 1; i < p->n_dims; i++)
		row *= p->dim[i];
	if (!parser_next(p))
		return false;
	for (bool first = true; !parser_at_punct(p, '}'); first = false) {
		if (!first && !parser_take_punct(p, ','))
			return false;
		if (parser_at_punct(p, '{') && row && (fl->next - start) % row)
			return parser_unexpected(p, "a number, because no row begins here");
		if (rows && fl->next - start >= rows * row)
			return parser_bad(p, &p->token, "initialiser",
				"too many values in a list of '%s' (expected at most %llu)", fl->var->name,
				(unsigned long long)rows * row);
		if (!fill_value(p, fl, depth + 1))
			return false;
	}
	if (!rows && row)
		rows = (fl->next - start + row - 1) / row;
	return fill_zeros(p, fl, start + rows * row) && parser_next(p);
}

/* Parses one "field = value" of a sampler and adds it to *bits. */
static bool take_sampler_field(struct parser *p, uint64_t *bits)
{
	static const struct {
		const char *name, *value;
		uint8_t first_bit, set;
	} known[] = {
		{"addr_mode_0", "wrap", 0, 0},
		{"addr_mode_0", "clamp_to_edge", 0, 1},
		{"addr_mode_0", "mirror", 0, 2},
		{"addr_mode_0", "clamp_to_border", 0, 3},
		{"filter_mode", "nearest", SAMPLER_LINEAR, 0},
		{"filter_mode", "linear", SAMPLER_LINEAR, 1},
		{"force_unnormalized_coords", "0", SAMPLER_UNNORMALIZED, 0},
		{"force_unnormalized_coords", "1", SAMPLER_UNNORMALIZED, 1},
	};
	struct token name = p->token;
	bool mode = name.kind == TOK_NAME && name.n == 11 && !memcmp(name.start, "addr_mode_", 10) &&
		    name.start[10] >= '0' && name.start[10] <= '2';

	if (name.kind != TOK_NAME || !parser_next(p) || !parser_take_punct(p, '='))
		return p->failed ? false : parser_unexpected(p, "a field of a sampler");
	for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const char *value = known[i].value;
		size_t n = mode ? 10 : strlen(known[i].name);

		if (name.n < n || memcmp(name.start, known[i].name, n) || (!mode && name.n != n) ||
			p->token.n != strlen(value) || memcmp(p->token.start, value, p->token.n))
			continue;
		*bits |= (uint64_t)known[i].set
			 << (known[i].first_bit + (mode ? 2 * (name.start[10] - '0') : 0));
		return parser_next(p);
	}
	return parser_unexpected(p,
		"addr_mode_N of wrap, mirror, clamp_to_edge or clamp_to_border, filter_mode of nearest or linear, or force_unnormalized_coords of 0 or 1");
}

/* Parses "{ addr_mode_0 = clamp_to_edge, filter_mode = nearest }". */
static bool take_sampler_value(struct parser *p, struct symbol *v)
{
	uint64_t bits = SAMPLER_FIXED;

	if (!parser_take_punct(p, '{'))
		return false;
	for (bool first = true; !parser_at_punct(p, '}'); first = false)
		if ((!first && !parser_take_punct(p, ',')) || !take_sampler_field(p, &bits))
			return false;
	v->init = arena_alloc(&p->module->arena, 1, sizeof(bits));
	memcpy(v->init, &bits, sizeof(bits));
	return parser_next(p);
}

/* Skips "{ width = 8, height = 4 }". */
static bool skip_fields(struct parser *p)
{
	if (!parser_take_punct(p, '{'))
		return false;
	while (!parser_at_punct(p, '}'))
		if (p->token.kind == TOK_END || !parser_next(p))
			return p->failed ? false : parser_unexpected(p, "'}'");
	return parser_next(p);
}

bool init_parse_variable(struct parser *p, struct symbol *v)
{
	struct init_filling fl = {
		v, 0, v->unsized ? 0 : v->size / (types[v->type].bits / 8u), types[v->type].bits / 8u};

	if (v->type == T_SAMPLERREF && v->size == 8)
		return take_sampler_value(p, v);
	if (types[v->type].kind == K_OPAQUE)
		return skip_fields(p);
	if (fl.cap * fl.bytes > INITIALISED_MOST)
		return parser_unexpected(p, "a variable of at most 64 MiB before its initial value");
	if (fl.cap)
		v->init = arena_alloc(&p->module->arena, fl.cap, fl.bytes);
	if (!fill_value(p, &fl, 0))
		return false;
	if (v->unsized) {
		v->unsized = false;
		v->elems = fl.next;
		v->size = fl.next * fl.bytes;
	}
	return true;
}
