/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packing of the lines "-code PC OPCODE ITEM..." of a PTX header.
 *
 * A line is stored as a form (its opcode and items without the numbers of registers and source lines) and these
 * numbers. The two numbers of a register have the same difference in all registers of a class. An operand of a form
 * usually has the same class as before. The second number is stored relative to the last second number in its class,
 * the number of a guard relative to the last number in any class.
 *
 * Always true: writer and reader derive the same tables from the preceding lines, so no table is stored. header.c
 * compares the text, and so detects numbers in another spelling (leading zeros).
 */
#include "lines.h"
#include "limits.h"
#include "table.h"

#define CLASSES_MAX 64u
#define ITEMS_MAX   64u

struct line_form {
	size_t name_offset; /* offset of the name in names */
	uint32_t n;         /* bytes of the form */
	uint32_t operand;   /* number of the form's first operand */
};

struct regclass {
	bool has_second;     /* true if registers of the class have a second number */
	int64_t difference;  /* difference of the two numbers */
	int64_t last_second; /* last second number */
};

struct learned {
	struct buf names; /* opcodes and items of all forms, each ending with a newline */
	struct line_form *form;
	uint32_t n_forms, cap_forms;
	struct table forms;
	uint8_t *class_of; /* class + 1 of each operand of each form; 0: unknown */
	uint32_t n_of, cap_of;
	struct regclass cls[CLASSES_MAX]; /* classes of registers */
	unsigned n_classes;
	/* First number of the last destination; file and line of the last "l:" item. */
	int64_t written, file, line;
	uint64_t pc; /* expected PC of the next line */
};

enum { FORMS, NUMBERS, MISSES, VALUES, PLACES, N_PARTS };

/* Writer of run lengths: the numbers of expected lines between two exceptions. */
struct gaps {
	struct buf *lengths; /* buffer for the lengths */
	uint64_t n;          /* number of expected lines since the last exception */
};

static void count_line(struct gaps *g, bool is)
{
	if (is)
		buf_var(g->lengths, g->n);
	g->n = is ? 0 : g->n + 1;
}

/* Returns true if an item has registers. A form contains only the letter of such an item. */
static bool is_register(char c) { return c && strchr("DSVPA", c); }

static uint32_t add_form(struct learned *l, const char *s, size_t n)
{
	uint32_t operands = 0;

	grow(&l->form, &l->cap_forms, l->n_forms + 1, sizeof(*l->form));
	l->form[l->n_forms] = (struct line_form){l->names.n, (uint32_t)n, l->n_of};
	buf_add(&l->names, s, n);
	buf_byte(&l->names, '\n');
	for (size_t i = 0; i + 1 < n; i++)
		operands += s[i] == ' ' && is_register(s[i + 1]);
	grow(&l->class_of, &l->cap_of, l->n_of + operands, sizeof(*l->class_of));
	if (operands)
		memset(l->class_of + l->n_of, 0, operands);
	l->n_of += operands;
	table_add(&l->forms, table_hash(s, n), l->n_forms);
	return l->n_forms++;
}

static void learned_free(struct learned *l)
{
	buf_free(&l->names);
	free(l->form);
	free(l->class_of);
	table_free(&l->forms);
}

/* Returns the predicted number of a register of class c. */
static int64_t expected_line(const struct learned *l, const struct regclass *c)
{
	return c->has_second ? c->last_second : l->written;
}

static void learn_register(struct learned *l, struct regclass *c, char letter, int64_t number)
{
	if (letter != 'D')
		return;
	l->written = number;
	c->last_second = number - c->difference;
}

/* ---- conversion of text to bytes ---- */

struct line_item {
	char letter;    /* first letter of the item */
	bool bank;      /* whether the item has a second number */
	int64_t first;  /* first number of the item */
	int64_t second; /* second number of the item */
};

static bool parse_line_number(const char **s, const char *end, int64_t *v)
{
	const char *p = *s;

	for (*v = 0; p < end && *p >= '0' && *p <= '9' && p - *s < 10; p++)
		*v = 10 * *v + (*p - '0');
	if (p == *s)
		return false;
	*s = p;
	return true;
}

/* Parses the item from s to end, such as "D4/1", "P2" or "l:1,17". */
static bool parse_line_item(const char *s, const char *end, struct line_item *i)
{
	*i = (struct line_item){.letter = *s++};
	if (i->letter == 'l') {
		if (s == end || *s++ != ':' || !parse_line_number(&s, end, &i->first) || s == end ||
			*s++ != ',')
			return false;
		return parse_line_number(&s, end, &i->second) && s == end;
	}
	if (!is_register(i->letter) || !parse_line_number(&s, end, &i->first))
		return false;
	i->bank = s < end && *s == '/';
	if (i->bank && (s++, !parse_line_number(&s, end, &i->second)))
		return false;
	return s == end;
}

struct packing {
	struct learned learned;   /* tables from the preceding lines */
	struct buf part[N_PARTS]; /* bytes of each part */
	struct gaps misses, places;
};

static bool pack_register(struct packing *p, uint32_t operand, const struct line_item *i)
{
	struct learned *l = &p->learned;
	int64_t less = i->bank ? i->first - i->second : 0;
	unsigned c = 0;

	while (c < l->n_classes && (l->cls[c].has_second != i->bank || l->cls[c].difference != less))
		c++;
	if (c == CLASSES_MAX)
		return false;
	count_line(&p->misses, l->class_of[operand] != c + 1);
	if (l->class_of[operand] != c + 1)
		buf_var(&p->part[MISSES], c);
	if (c == l->n_classes) {
		buf_var(&p->part[MISSES], fold(less) << 1 | i->bank);
		l->cls[l->n_classes++] = (struct regclass){i->bank, less, 0};
	}
	l->class_of[operand] = (uint8_t)(c + 1);
	buf_var(&p->part[VALUES], fold((i->bank ? i->second : i->first) - expected_line(l, &l->cls[c])));
	learn_register(l, &l->cls[c], i->letter, i->first);
	return true;
}

/* Packs the numbers of the n items of a line. */
static bool pack_items(struct packing *p, const struct line_item *item, unsigned n, uint32_t operand)
{
	for (unsigned k = 0; k < n; k++) {
		if (item[k].letter != 'l') {
			if (!pack_register(p, operand++, &item[k]))
				return false;
			continue;
		}
		buf_var(&p->part[VALUES], fold(item[k].first - p->learned.file));
		buf_var(&p->part[VALUES], fold(item[k].second - p->learned.line));
		p->learned.file = item[k].first;
		p->learned.line = item[k].second;
	}
	return true;
}

static uint32_t find_line_form(struct packing *p, const struct buf *name)
{
	FOR_TABLE (w, &p->learned.forms, table_hash(name->p, name->n)) {
		const struct line_form *f = &p->learned.form[w.number];

		/* NOLINTNEXTLINE: names.p is not NULL, because a form has a name */
		if (f->n == name->n && !memcmp(p->learned.names.p + f->name_offset, name->p, f->n)) {
			buf_var(&p->part[NUMBERS], w.number + 1u);
			return w.number;
		}
	}
	buf_var(&p->part[NUMBERS], 0);
	buf_add(&p->part[FORMS], name->p, name->n);
	buf_byte(&p->part[FORMS], '\n');
	return add_form(&p->learned, (const char *)name->p, name->n);
}

/* Packs the text after the PC. Its words must be separated by single blanks. */
static bool pack_words(struct packing *p, struct buf *name, const char *s, const char *end)
{
	struct line_item item[ITEMS_MAX];
	unsigned n = 0;

	name->n = 0;
	for (const char *word = s, *next; word < end; word = next + 1) {
		next = memchr(word, ' ', (size_t)(end - word));
		next = next ? next : end;
		if (next == word || n == ITEMS_MAX)
			return false;
		if (word > s)
			buf_byte(name, ' ');
		if (word > s && parse_line_item(word, next, &item[n])) {
			buf_byte(name, (uint8_t)item[n++].letter);
		} else if (word > s && (is_register(*word) || *word == 'l')) {
			return false;
		} else {
			buf_add(name, word, (size_t)(next - word));
		}
	}
	uint32_t f = find_line_form(p, name);
	return pack_items(p, item, n, p->learned.form[f].operand);
}

static bool pack_line(struct packing *p, struct buf *name, const char *s, const char *end)
{
	uint64_t pc = 0;

	if (end - s < 8 || memcmp(s, "-code ", 6))
		return false;
	for (s += 6; s < end && *s != ' '; s++) {
		int d = *s >= '0' && *s <= '9' ? *s - '0' : *s >= 'a' && *s <= 'f' ? *s - 'a' + 10 : 16;

		if (d == 16 || pc >> 40)
			return false;
		pc = pc << 4 | (unsigned)d;
	}
	count_line(&p->places, pc != p->learned.pc);
	if (pc != p->learned.pc)
		buf_var(&p->part[PLACES], fold((int64_t)(pc - p->learned.pc)));
	p->learned.pc = pc + 8;
	return s < end && pack_words(p, name, s + 1, end);
}

bool lines_pack(struct buf *out, const char *s, const char *end)
{
	struct packing p = {.learned = {.n_forms = 0}};
	struct buf name = {0};
	bool good = true;

	p.misses.lengths = &p.part[MISSES];
	p.places.lengths = &p.part[PLACES];
	for (const char *nl; good && s < end && (nl = memchr(s, '\n', (size_t)(end - s))); s = nl + 1)
		good = pack_line(&p, &name, s, nl);
	for (unsigned i = 0; i < N_PARTS; i++)
		buf_column(out, &p.part[i]);
	buf_free(&name);
	learned_free(&p.learned);
	return good && s == end;
}

/* ---- conversion of bytes to text ---- */

struct unpacking {
	struct learned learned;     /* tables from the preceding lines */
	struct cur part[N_PARTS];   /* read positions in the parts */
	uint64_t to_miss, to_place; /* steps up to the next exception; UINT64_MAX: none */
};

static uint64_t next_line_gap(struct cur *c) { return cur_left(c) ? cur_var(c) : UINT64_MAX; }

/* Returns true if the next step is an exception. */
static bool is_step_exception(uint64_t *left)
{
	if (!*left)
		return true;
	*left -= *left != UINT64_MAX;
	return false;
}

static void put_line_number(struct buf *text, uint64_t v)
{
	char digits[20], *p = digits + sizeof(digits);

	do
		*--p = (char)('0' + v % 10);
	while (v /= 10);
	buf_add(text, p, (size_t)(digits + sizeof(digits) - p));
}

/* Appends "-code PC ", in which the PC has at least four digits. */
static void put_code_place(struct buf *text, uint64_t pc)
{
	unsigned n = 4;

	buf_add(text, "-code ", 6);
	while (n < 16 && pc >> 4 * n)
		n++;
	while (n-- > 0)
		buf_byte(text, (uint8_t) "0123456789abcdef"[pc >> 4 * n & 15]);
	buf_byte(text, ' ');
}

static bool unpack_register(struct unpacking *u, struct buf *text, uint32_t operand, char letter)
{
	struct learned *l = &u->learned;
	struct cur *in = &u->part[MISSES];

	if (is_step_exception(&u->to_miss)) {
		uint64_t c = cur_var(in);

		if (c > l->n_classes || c == CLASSES_MAX)
			return false;
		if (c == l->n_classes) {
			uint64_t v = cur_var(in);

			l->cls[l->n_classes++] = (struct regclass){v & 1, unfold(v >> 1), 0};
		}
		l->class_of[operand] = (uint8_t)(c + 1);
		u->to_miss = next_line_gap(in);
	}
	if (!l->class_of[operand])
		return false;
	struct regclass *c = &l->cls[l->class_of[operand] - 1];
	int64_t v = (int64_t)((uint64_t)expected_line(l, c) + (uint64_t)unfold(cur_var(&u->part[VALUES])));
	int64_t whole = (int64_t)((uint64_t)v + (uint64_t)c->difference);
	if (v < 0 || v > UINT32_MAX || whole < 0 || whole > UINT32_MAX)
		return false;
	put_line_number(text, (uint64_t)whole);
	if (c->has_second) {
		buf_byte(text, '/');
		put_line_number(text, (uint64_t)v);
	}
	learn_register(l, c, letter, whole);
	return true;
}

static bool unpack_place(struct unpacking *u, struct buf *text)
{
	struct learned *l = &u->learned;

	l->file = (int64_t)((uint64_t)l->file + (uint64_t)unfold(cur_var(&u->part[VALUES])));
	l->line = (int64_t)((uint64_t)l->line + (uint64_t)unfold(cur_var(&u->part[VALUES])));
	if (l->file < 0 || l->line < 0)
		return false;
	buf_byte(text, ':');
	put_line_number(text, (uint64_t)l->file);
	buf_byte(text, ',');
	put_line_number(text, (uint64_t)l->line);
	return true;
}

/* Returns the form of the next line; NULL if the data are damaged. */
static const struct line_form *next_form(struct unpacking *u)
{
	struct cur *in = &u->part[FORMS];
	uint64_t k = cur_var(&u->part[NUMBERS]);

	if (!k) {
		const uint8_t *nl = memchr(in->p, '\n', cur_left(in));

		if (!nl)
			return NULL;
		k = add_form(&u->learned, (const char *)in->p, (size_t)(nl - in->p)) + 1u;
		in->p = nl + 1;
	}
	return k <= u->learned.n_forms ? &u->learned.form[k - 1] : NULL;
}

static bool unpack_line(struct unpacking *u, struct buf *text)
{
	if (is_step_exception(&u->to_place)) {
		u->learned.pc += (uint64_t)unfold(cur_var(&u->part[PLACES]));
		u->to_place = next_line_gap(&u->part[PLACES]);
	}
	put_code_place(text, u->learned.pc);
	u->learned.pc += 8;
	const struct line_form *f = next_form(u);
	if (!f)
		return false;
	const char *s = (const char *)u->learned.names.p + f->name_offset, *end = s + f->n;
	uint32_t operand = f->operand;
	for (const char *p = s; p < end; p++) {
		bool first = p > s && p[-1] == ' ';

		buf_byte(text, (uint8_t)*p);
		if ((first && is_register(*p) && !unpack_register(u, text, operand++, *p)) ||
			(first && *p == 'l' && !unpack_place(u, text)))
			return false;
	}
	buf_byte(text, '\n');
	return true;
}

bool lines_unpack(struct buf *text, struct cur in)
{
	struct unpacking u = {.learned = {.n_forms = 0}};
	size_t from = text->n;
	bool good = true;

	for (unsigned i = 0; i < N_PARTS; i++)
		u.part[i] = cur_column(&in);
	u.to_miss = next_line_gap(&u.part[MISSES]);
	u.to_place = next_line_gap(&u.part[PLACES]);
	while (good && !in.bad && cur_left(&u.part[NUMBERS]) && text->n - from <= pack_limits.text)
		good = unpack_line(&u, text);
	for (unsigned i = 0; i < N_PARTS; i++)
		good = good && !u.part[i].bad && !cur_left(&u.part[i]);
	learned_free(&u.learned);
	return good && !in.bad && !cur_left(&in);
}
