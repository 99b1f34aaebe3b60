/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parses the strings of a row: arguments and modifiers (opcodes.def has the grammar).
 *
 * The strings are constants of this program, so a token without a meaning is an error in a row, which ends the program.
 */
#include <ctype.h>
#include <string.h>
#include "diag.h"
#include "sass/fields.h"

unsigned sass_token_number(const char **p)
{
	unsigned v = 0;

	for (; isdigit((unsigned char)**p); ++*p)
		v = 10 * v + (unsigned)(**p - '0');
	return v;
}

/* Returns the number of a bit, or another small number, at *p, and advances *p past it. */
static uint8_t parse_bit_number(const char **p) { return (uint8_t)sass_token_number(p); }

/*
 * Returns the next token of a string, separated by blanks, and sets *end to its end; NULL at the end of the string.
 * Advances *text past the token.
 */
static const char *next_row_token(const char **text, const char **end)
{
	const char *p = *text + strspn(*text, " ");

	*text = *end = p + strcspn(p, " ");
	return *end > p ? p : NULL;
}

/* ---- arguments ---------------------------------------------------------------------------------- */

/* Parses an attribute, such as "-" or "|", with its optional number. Returns false for an unknown letter. */
static bool parse_token_attribute(struct arg_token *t, const char **p)
{
	char c = *(*p)++;
	bool number = isdigit((unsigned char)**p);
	uint8_t v = number ? parse_bit_number(p) : ABSENT;

	switch (c) {
	case '-': t->negative = true, t->negative_at = v; break;
	case '|': t->absolute = true, t->absolute_at = v; break;
	case '~': number ? (void)(t->complement_if = v) : (void)(t->complement = true); break;
	case '!': t->not_at = v; break;
	case '=': t->hidden = v; break;
	case 'h': t->selects_half = true; break;
	case 'n': number ? (void)(t->next_uniform_at = v) : (void)(t->selects_half = t->narrow = true); break;
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

/* Returns the length of the name of the kind at p. */
static size_t kind_name_bytes(const char *p, const char *end)
{
	size_t n = 1;

	if (strchr("abcx", *p))
		return 1;
	if (*p == '=')
		return (size_t)(end - p);
	while (p + n < end && (isupper((unsigned char)p[n]) || p[n] == 'd'))
		n++;
	return n;
}

static void parse_arg_token(struct arg_token *t, const char *p, const char *end)
{
	size_t n;

	*t = (struct arg_token){NO_ATTRIBUTES};
	while (*p == '^') {
		bool clear = *++p == '!';

		p += clear;
		t->condition[t->n_conditions].clear = clear;
		t->condition[t->n_conditions++].at = parse_bit_number(&p);
	}
	if (*p == '?')
		t->optional = true, p++;
	n = kind_name_bytes(p, end);
	t->kind = arg_kind_find(p, n);
	if (!t->kind)
		die("opcodes.def: unknown argument: %s", p);
	p += n;
	if (*p == 'L') /* of a, b or c: a bit selects .ROW or .COL */
		t->suffix = *p++;
	if (*p == '@')
		p++, t->first_bit = parse_bit_number(&p);
	while (p < end && parse_token_attribute(t, &p))
		;
}

static void parse_args(struct row_tokens *t, const char *text)
{
	const char *p, *end;

	while ((p = next_row_token(&text, &end))) {
		if (*p == ';')
			t->first_source = t->n_args;
		else
			parse_arg_token(&t->arg[t->n_args++], p, end);
	}
}

/* ---- modifiers ---------------------------------------------------------------------------------- */

/* Parses "#N" or "#N:W". */
static void parse_bits_without_text(struct modifier_token *t, const char *p)
{
	t->at = parse_bit_number(&p);
	if (*p == ':')
		p++, t->width = parse_bit_number(&p);
}

static void parse_modifier(struct modifier_token *t, const char *p, const char *end)
{
	const char *at = memchr(p, '@', (size_t)(end - p));
	size_t n = (size_t)((at ? at : end) - p);

	*t = (struct modifier_token){.at = ABSENT, .width = 1, .second_bit = ABSENT};
	if (*p == '#') {
		parse_bits_without_text(t, p + 1);
		return;
	}
	if (*p == '=') {
		t->rule = modify_find_rule(p + 1, n - 1);
		if (!t->rule)
			die("opcodes.def: unknown rule: %s", p);
		return;
	}
	if (*p == '.') {
		t->text = p;
		t->text_bytes = (uint8_t)n;
	} else {
		t->words = words_find(p, n);
		if (!t->words || !at)
			die("opcodes.def: unknown modifier: %s", p);
		t->width = (uint8_t)words_field_bits(t->words);
	}
	if (!at)
		return;
	t->clear = *++at == '!';
	at += t->clear;
	t->at = parse_bit_number(&at);
	if (*at == ',') {
		at++;
		t->width = 1;
		t->second_bit = parse_bit_number(&at);
	}
}

static void parse_modifiers(struct row_tokens *t, const char *text)
{
	const char *p, *end;

	while ((p = next_row_token(&text, &end))) {
		struct modifier_token *m = &t->modifier[t->n_modifiers++];

		parse_modifier(m, p, end);
		t->has_rule |= m->rule != NULL;
		if (m->at != ABSENT)
			mark_used(t->modifier_bits, m->at, m->width);
		if (m->second_bit != ABSENT)
			mark_used(t->modifier_bits, m->second_bit, 1);
	}
}

void row_tokens_parse(struct row_tokens *t, const struct sass_row *row)
{
	parse_args(t, row->operands);
	parse_modifiers(t, row->modifiers);
}
