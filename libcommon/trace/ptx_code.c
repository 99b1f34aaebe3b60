/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The code of a trace from PTX: header lines "-code PC OPCODE items...", one for each static instruction.
 *
 * Always true: PCs increase and are multiples of 8 below the end of all code. The registers of an instruction are
 * those that GPGPU-Sim's PTX mode considers, in its order (PTX-reg): it checks a scalar source only among the first
 * three, treats the destination of vote as a source and the first register of bar as a destination, and neither
 * checks nor reads the address of atom.
 */
#include <stdlib.h>
#include <string.h>
#include "reader.h"

#define STEP  8u  /* size of an instruction in bytes */
#define ITEMS 96u /* largest number of registers of an instruction */
/* Number of scalar sources for which an instruction waits; it does not wait for later ones. */
#define CHECKED      3u
#define ADDRESS_SLOT 4u /* index of the address register among the read registers */
#define BARRIERS     16u

struct ptx_code {
	struct ptx_static *inst; /* instructions in the order of their PCs */
	uint32_t n, cap;
	struct arena text;
	uint64_t hash;
};

/* Registers of a line by role. */
struct items {
	uint16_t dst[ITEMS], src[ITEMS], extra_src[ITEMS], bank_dst[ITEMS], bank_src[ITEMS];
	unsigned n_dst;
	unsigned n_src;
	unsigned n_extra_src; /* registers of the guard and of the address */
	unsigned n_bank_dst;
	unsigned n_bank_src;
	unsigned slot; /* number of sources so far, including those that are not checked */
	unsigned n;    /* number of registers of the line */
};

struct item_line {
	struct trace *trace;
	const char *line;     /* start of the line */
	const char *position; /* current position */
	const char *end;      /* end of the line */
	struct tok word;      /* current word */
	struct fault *fault;
};

static int report_bad_item(const struct item_line *l, const char *wanted)
{
	char q[64];
	struct place at = text_place(l->trace, l->line, l->word.s);

	if (!l->word.n)
		return fault_set(l->fault, at, "code-line", "line ends early (expected %s)", wanted);
	return fault_set(l->fault, at, "code-line", "unexpected '%s' (expected %s)",
		diag_quote(q, sizeof(q), l->word.s, l->word.n), wanted);
}

static void next_item(struct item_line *l) { l->word = tok_next(&l->position, l->end); }

void ptx_code_free(struct ptx_code *c)
{
	if (!c)
		return;
	arena_free(&c->text);
	free(c->inst);
	free(c);
}

const struct ptx_static *ptx_code_at(const struct ptx_code *c, uint64_t pc)
{
	uint32_t lo = 0, hi = c ? c->n : 0;

	while (lo < hi) {
		uint32_t m = lo + (hi - lo) / 2;

		if (c->inst[m].pc < pc)
			lo = m + 1;
		else
			hi = m;
	}
	return c && lo < c->n && c->inst[lo].pc == pc ? &c->inst[lo] : NULL;
}

uint64_t ptx_code_hash(const struct ptx_code *c) { return c ? c->hash : 0; }

uint32_t ptx_code_last(const struct ptx_code *c) { return c && c->n ? c->inst[c->n - 1].pc : 0; }

/* ---- registers ------------------------------------------------------------------------------ */

/* Parses "8/1", the number of a register and of its bank. The bank is -1 without "/". */
static bool parse_register_number(struct tok w, uint32_t *number, int32_t *bank)
{
	const char *slash = memchr(w.s, '/', w.n);
	struct tok left = {w.s, slash ? (size_t)(slash - w.s) : w.n};
	uint64_t a, b = 0;

	if (!tok_parse_u64(left, &a) || !a || a > PTX_REGISTER_MAX)
		return false;
	if (slash && (!tok_parse_u64((struct tok){slash + 1, w.n - left.n - 1}, &b) || b > UINT16_MAX))
		return false;
	*number = (uint32_t)a;
	*bank = slash ? (int32_t)b : -1;
	return true;
}

static void add_dst(struct items *i, uint32_t number, int32_t bank)
{
	i->dst[i->n_dst++] = (uint16_t)number;
	if (bank >= 0)
		i->bank_dst[i->n_bank_dst++] = (uint16_t)bank;
}

static void add_src(struct items *i, uint32_t number, int32_t bank, bool scalar)
{
	if (!scalar || i->slot < CHECKED)
		i->src[i->n_src++] = (uint16_t)number;
	if (bank >= 0)
		i->bank_src[i->n_bank_src++] = (uint16_t)bank;
	i->slot++;
}

static void add_address_register(struct items *i, uint32_t number, int32_t bank)
{
	i->extra_src[i->n_extra_src++] = (uint16_t)number;
	if (bank >= 0)
		i->bank_src[i->slot > ADDRESS_SLOT ? ADDRESS_SLOT : i->n_bank_src++] = (uint16_t)bank;
}

static int read_code_register(const struct item_line *l, struct items *i, const struct ptx_form *form)
{
	const char kind = l->word.s[0];
	const struct ptx_op *op = form->op;
	uint32_t number;
	int32_t bank;

	if (!parse_register_number((struct tok){l->word.s + 1, l->word.n - 1}, &number, &bank))
		return report_bad_item(
			l, "a register number from 1 to 65535 after its letter, optionally with /BANK");
	if (i->n++ == ITEMS)
		return report_bad_item(l, "fewer registers");
	switch (kind) {
	case 'D':
		if (op && op->kind == PTX_KIND_VOTE)
			add_src(i, number, bank, true);
		else
			add_dst(i, number, bank);
		break;
	case 'S':
		if (op && op->kind == PTX_KIND_BAR && !i->n_dst && !i->slot)
			add_dst(i, number, bank);
		else
			add_src(i, number, bank, true);
		break;
	case 'V': add_src(i, number, bank, false); break;
	case 'P': i->extra_src[i->n_extra_src++] = (uint16_t)number; break;
	default:
		if (!op || op->kind != PTX_KIND_ATOM || op->reason[0])
			add_address_register(i, number, bank);
		break;
	}
	if (number >= l->trace->header.registers)
		l->trace->header.registers = number + 1;
	return 0;
}

/* ---- items other than registers ---------------------------------------------------------- */

bool ptx_barrier(struct tok w, uint8_t *id, uint8_t *warps)
{
	const char *comma = memchr(w.s, ',', w.n);
	struct tok first = {w.s, comma ? (size_t)(comma - w.s) : w.n};
	uint64_t a, b = 0;

	if (!tok_parse_u64(first, &a) || a >= BARRIERS)
		return false;
	if (comma &&
		(!tok_parse_u64((struct tok){comma + 1, w.n - first.n - 1}, &b) || !b || b % 32 || b > 2048))
		return false;
	*id = (uint8_t)a;
	*warps = (uint8_t)(b / 32);
	return true;
}

static int read_code_source(const struct item_line *l, struct ptx_static *s)
{
	const char *comma = memchr(l->word.s, ',', l->word.n);
	uint64_t file = 0, line = 0;
	const char *from = l->word.s + 2;

	if (!comma || !tok_parse_u64((struct tok){from, (size_t)(comma - from)}, &file) ||
		!tok_parse_u64((struct tok){comma + 1, l->word.n - (size_t)(comma + 1 - l->word.s)}, &line) ||
		file > UINT32_MAX || line > UINT32_MAX)
		return report_bad_item(l, "l:FILE,LINE");
	s->file = (uint32_t)file;
	s->lineno = (uint32_t)line;
	return 0;
}

static bool item_begins(struct tok w, const char *with) { return w.n > 2 && !memcmp(w.s, with, 2); }

static int read_code_item(const struct item_line *l, struct ptx_static *s, struct items *i)
{
	if (strchr("DSVPA", l->word.s[0]))
		return read_code_register(l, i, &s->form);
	if (item_begins(l->word, "l:"))
		return read_code_source(l, s);
	if (tok_is(l->word, "ends")) {
		s->ends = true;
		return 0;
	}
	if (tok_is(l->word, "s:local") && s->form.space == SPACE_PARAM) {
		s->form.space = SPACE_LOCAL_PARAM;
		return 0;
	}
	if (item_begins(l->word, "b:") && s->form.class == CLASS_BARRIER) {
		s->barrier_known = true;
		if (ptx_barrier((struct tok){l->word.s + 2, l->word.n - 2}, &s->barrier, &s->barrier_warps))
			return 0;
		return report_bad_item(l,
			"b:ID or b:ID,THREADS with an id below 16 and a multiple of 32 threads up to 2048");
	}
	return report_bad_item(l,
		"a register (D, S, V, P, A), l:FILE,LINE, s:local of a parameter, b: of a barrier, or ends");
}

/* ---- a line --------------------------------------------------------------------------------- */

static void store_register_numbers(struct ptx_code *c, struct ptx_static *s, const struct items *i)
{
	unsigned n = i->n_dst + i->n_src + i->n_extra_src + i->n_bank_dst + i->n_bank_src;
	uint16_t *to = arena_alloc(&c->text, n, sizeof(*to));

	s->number = to;
	s->n_dst = (uint8_t)i->n_dst;
	s->n_src = (uint8_t)(i->n_src + i->n_extra_src);
	s->n_operands = (uint8_t)i->n_src;
	s->n_bank_dst = (uint8_t)i->n_bank_dst;
	s->n_bank_src = (uint8_t)i->n_bank_src;
	memcpy(to, i->dst, i->n_dst * sizeof(*to));
	memcpy(to += i->n_dst, i->src, i->n_src * sizeof(*to));
	memcpy(to += i->n_src, i->extra_src, i->n_extra_src * sizeof(*to));
	memcpy(to += i->n_extra_src, i->bank_dst, i->n_bank_dst * sizeof(*to));
	memcpy(to + i->n_bank_dst, i->bank_src, i->n_bank_src * sizeof(*to));
}

static int read_code_pc(struct item_line *l, struct ptx_static *s)
{
	const struct ptx_code *c = l->trace->ptx;
	uint64_t pc;

	next_item(l);
	if (!tok_parse_hex(l->word, &pc) || pc % STEP || pc >= PTX_CODE_MAX ||
		(c->n && pc <= c->inst[c->n - 1].pc))
		return report_bad_item(
			l, "a hexadecimal PC, a multiple of 8 above the PC of the previous line");
	s->pc = (uint32_t)pc;
	return 0;
}

static int read_code_opcode(struct item_line *l, struct ptx_static *s)
{
	next_item(l);
	bool good = l->word.n && l->word.n < 256 && l->word.s[0] >= 'a' && l->word.s[0] <= 'z';
	for (size_t i = 0; good && i < l->word.n; i++)
		good = l->word.s[i] > ' ' && l->word.s[i] <= '~';
	if (!good)
		return report_bad_item(l, "an opcode of PTX");
	ptx_form_of(&s->form, l->word.s, l->word.n);
	s->opcode_place = text_place(l->trace, l->line, l->word.s);
	s->text = arena_strndup(&l->trace->ptx->text, l->word.s, (size_t)(l->end - l->word.s));
	s->text_len = (size_t)(l->end - l->word.s);
	s->opcode_len = l->word.n;
	return 0;
}

int ptx_code_line(struct trace *t, const char *line, const char *p, const char *end, struct fault *f)
{
	struct item_line l = {.trace = t, .line = line, .position = p, .end = end, .fault = f};
	struct ptx_static s = {0};
	struct items items = {.n = 0};

	if (!t->ptx)
		t->ptx = xcalloc(1, sizeof(*t->ptx));
	while (l.end > l.position && is_space(l.end[-1]))
		l.end--;
	if (read_code_pc(&l, &s) < 0 || read_code_opcode(&l, &s) < 0)
		return -1;
	for (next_item(&l); l.word.n; next_item(&l))
		if (read_code_item(&l, &s, &items) < 0)
			return -1;
	store_register_numbers(t->ptx, &s, &items);
	grow(&t->ptx->inst, &t->ptx->cap, t->ptx->n + 1, sizeof(t->ptx->inst[0]));
	t->ptx->inst[t->ptx->n++] = s;
	t->ptx->hash = XXH3_64bits_withSeed(p, (size_t)(end - p), t->ptx->hash);
	return 0;
}
