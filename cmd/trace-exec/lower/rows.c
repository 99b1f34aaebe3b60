/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of lower.def: search for the row of an instruction, and the steps of its sequence. */
#include <stdlib.h>
#include <string.h>
#include "lower/select.h"

struct lower_row {
	unsigned first_binary, last_binary;
	const char *words, *second_words, *sequence;
};

#define LOWER(gpus, words, sequence)
#define FUSE(gpus, words, second, sequence) {gpus, words, second, sequence},
static const struct lower_row fuse_rows[] = {
#include "lower/lower.def"
};
#undef LOWER
#undef FUSE
#define FUSE(gpus, words, second, sequence)
#define LOWER(gpus, words, sequence) {gpus, words, NULL, sequence},
static const struct lower_row rows[] = {
#include "lower/lower.def"
};
#undef LOWER
#undef FUSE

#define N_ROWS (sizeof(rows) / sizeof(*rows))
#define N_FUSE (sizeof(fuse_rows) / sizeof(*fuse_rows))

/* ---- words ---- */

static bool word_equals(const char *word, size_t n, const char *name)
{
	return strlen(name) == n && !memcmp(word, name, n);
}

/* Returns true if name is one of the alternatives, which are separated by bars. */
static bool is_alternative(const char *words, size_t n, const char *name)
{
	for (const char *end = words + n; words < end;) {
		const char *bar = memchr(words, '|', (size_t)(end - words));
		size_t part = (size_t)((bar ? bar : end) - words);

		if (word_equals(words, part, name))
			return true;
		words += part + 1;
	}
	return false;
}

static bool type_fits(const char *word, size_t n, enum type t)
{
	const struct type_row *row = &types[t];
	bool integer = row->kind == K_BITS || row->kind == K_UINT || row->kind == K_SINT;

	if (word_equals(word, n, row->name))
		return true;
	if (word_equals(word, n, "h"))
		return row->kind == K_FLOAT && (strstr(row->name, "f16") || row->bits == 8);
	if (*word != 'i' || !integer || strchr(row->name, 'x'))
		return false;
	return n == 1 || (n == 3 && row->bits == (unsigned)atoi(word + 1));
}

static bool any_type_fits(const struct stmt *in, const char *word, size_t n)
{
	for (unsigned i = 0; i < in->n_types; i++)
		if (type_fits(word, n, (enum type)in->type[i]))
			return true;
	return false;
}

static bool last_operand_fits(const struct stmt *in, bool special)
{
	const struct operand *o = in->n_operands ? &in->operand[in->n_operands - 1] : NULL;

	if (special)
		return o && o->kind == O_SREG;
	return o && (o->kind == O_INT || o->kind == O_FLOAT || o->kind == O_SYM);
}

static bool space_fits(const struct op *o, const char *word, size_t n)
{
	if (word_equals(word, n, "param"))
		return o->is_param;
	return o->memory && !o->is_param &&
	       word_equals(word, n, o->space == SP_GENERIC ? "generic" : space_name[o->space]);
}

static bool word_fits(const struct inst_facts *q, const char *word, size_t n)
{
	const struct stmt *in = q->stmt;
	enum modifier m;

	if (word_equals(word, n, "unused"))
		return q->unused;
	if (word_equals(word, n, "kernel"))
		return q->entry;
	if (word_equals(word, n, "registers"))
		return stmt_count_results(in) < in->n_operands &&
		       in->operand[stmt_count_results(in)].kind == O_VEC;
	if (word_equals(word, n, "imm") || word_equals(word, n, "sreg"))
		return last_operand_fits(in, *word == 's');
	if (*word == '~')
		return any_type_fits(in, word + 1, n - 1);
	if (*word == ':')
		return in->n_types && type_fits(word + 1, n - 1, (enum type)in->type[in->n_types - 1]);
	if (in->n_types && type_fits(word, n, (enum type)in->type[0]))
		return true;
	if (space_fits(q->op, word, n))
		return true;
	m = modifier_find(word, (uint32_t)n);
	return m != M_NONE && stmt_has(in, m) &&
	       !(q->op->memory && (m == M_SHARED || m == M_GLOBAL || m == M_LOCAL));
}

static bool pattern_fits(const struct inst_facts *q, const char *words)
{
	size_t n = strcspn(words, " ");

	if (!is_alternative(words, n, opcodes[q->stmt->opcode].name))
		return false;
	for (words += n; *words; words += n) {
		words++;
		n = strcspn(words, " ");
		if (!word_fits(q, words, n))
			return false;
	}
	return true;
}

static bool does_row_fit(const struct lower_row *r, const struct inst_facts *q)
{
	return q->binary >= r->first_binary && q->binary <= r->last_binary && pattern_fits(q, r->words);
}

const char *rows_find_sequence(const struct inst_facts *q)
{
	for (size_t i = 0; i < N_ROWS; i++)
		if (does_row_fit(&rows[i], q))
			return rows[i].sequence;
	return NULL;
}

const char *rows_find_fused_sequence(
	const struct inst_facts *first, const struct inst_facts *second, bool *multiple)
{
	for (size_t i = 0; i < N_FUSE; i++)
		if (does_row_fit(&fuse_rows[i], first) && pattern_fits(second, fuse_rows[i].second_words)) {
			*multiple = !strchr(fuse_rows[i].sequence, ';');
			return fuse_rows[i].sequence;
		}
	return NULL;
}

/* ---- steps ---- */

static struct lower_part parse_step_part(const char *word, size_t n)
{
	static const char sources[] = "abce", addresses[] = "mnp", temps[] = "tuvwTUVW";
	struct lower_part p = {PART_NONE, 0, n > 1 ? (uint8_t)(word[1] - '0') : WHOLE};
	const char *at;

	if (*word == 'd')
		p.kind = PART_RESULT;
	else if ((at = strchr(sources, *word)))
		p = (struct lower_part){PART_SOURCE, (uint8_t)(at - sources), p.half};
	else if (strchr(addresses, *word))
		p = (struct lower_part){PART_ADDRESS, (uint8_t)(*word == 'n'), p.half};
	else if ((at = strchr(temps, *word)))
		p = (struct lower_part){PART_TEMP, (uint8_t)(at - temps), p.half};
	return p;
}

bool rows_take_step(const char **at, struct lower_step *s)
{
	const char *p = *at + strspn(*at, "; ");
	size_t n = strcspn(p, " ;");
	bool first = true;

	*s = (struct lower_step){.times = 1};
	if (!*p)
		return false;
	snprintf(s->opcode, sizeof(s->opcode), "%.*s", (int)n, p);
	for (p += n; *p == ' '; p += n) {
		p++;
		n = strcspn(p, " ;");
		if (*p == 'x') {
			s->times = (uint16_t)atoi(p + 1);
		} else if (*p == '#') {
			s->immediate = true;
		} else if (first) {
			s->dst = parse_step_part(p, n);
		} else if (s->n_src < STEP_SOURCES) {
			s->access |= *p == 'm' || *p == 'n';
			s->src[s->n_src++] = parse_step_part(p, n);
		}
		first = false;
	}
	*at = p;
	return true;
}

void lower_each_opcode(
	unsigned binary, void (*f)(void *ctx, const char *words, const char *opcode), void *ctx)
{
	for (size_t i = 0; i < N_ROWS + N_FUSE; i++) {
		const struct lower_row *r = i < N_ROWS ? &rows[i] : &fuse_rows[i - N_ROWS];
		const char *at = r->sequence;
		struct lower_step s;

		while (binary >= r->first_binary && binary <= r->last_binary && rows_take_step(&at, &s))
			f(ctx, r->words, s.opcode);
	}
}
