/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of one instruction line, token by token, in any dialect. columns.def lists the columns and their order;
 * this file has a reader for each. Lines of the tracer (SASS) are
 *
 *   [x y z warp [cluster columns]] [line] PC mask ndst Rd... opcode nsrc Rs... [commit] width
 *   [mode addresses... | copy columns, mode, addresses...] [imm [imm2]] [word anything...]
 *
 * and lines of traces from PTX, whose own columns ptx_line.c reads, are
 *
 *   PC mask width [mode addresses...] [i:issue mask] [b:barrier[,threads]] [s:space]
 *
 * Always true: the columns before the PC and the immediates are counted on the first line, and every other line must
 * have the same numbers of them. An address list has as many entries as the mask needs. (A delta list has one fewer:
 * the original reads one too many and so loses the immediate, on which no timing depends.) extra.c reads bulk copies
 * and values. Other text after a word at the end (Val, NoVal, STORE_DATA) is not read. fast.c reads lines that repeat
 * an earlier line.
 */
#include <stddef.h>
#include <string.h>
#include "bits.h"
#include "line.h"

/* ---- faults and words --------------------------------------------------------------------- */

/* Sets the fault that the last word is not `wanted`. */
int line_report_unexpected(struct parse *s, const char *id, const char *wanted)
{
	char q[64];
	struct place at = text_place(s->trace, s->line, s->word.s);
	if (!s->word.n)
		return fault_set(s->fault, at, id, "line ends early (expected %s)", wanted);
	return fault_set(s->fault, at, id, "unexpected '%s' (expected %s)",
		diag_quote(q, sizeof(q), s->word.s, s->word.n), wanted);
}

/* Sets the fault of a bad word in a column; the column's row has the expected text. */
int line_report_bad_column(struct parse *s, enum line_column c)
{
	return line_report_unexpected(s, line_columns[c].id, line_columns[c].expected);
}

void line_next(struct parse *s) { s->word = tok_next(&s->position, s->end); }

int line_next_number(struct parse *s, uint64_t max, uint64_t *v, const char *id, const char *wanted)
{
	line_next(s);
	return tok_parse_u64(s->word, v) && *v <= max ? 0 : line_report_unexpected(s, id, wanted);
}

int line_next_hex(struct parse *s, uint64_t max, uint64_t *v, const char *id, const char *wanted)
{
	line_next(s);
	return tok_parse_hex(s->word, v) && *v <= max ? 0 : line_report_unexpected(s, id, wanted);
}

/* Returns the number of words at s->p before the first word that begins with a letter. */
static int count_numbers(struct parse *s)
{
	const char *p = s->position;
	int n = 0;
	for (struct tok w; (w = tok_next(&p, s->end)).n && !line_letter(w.s[0]); n++)
		;
	return n;
}

/* ---- the dialect -------------------------------------------------------------------------- */

/* Sets the number of columns before the PC from the form of the line. If that is ambiguous, the header decides. */
static void count_prefix(struct trace *t, const char *line, const char *end)
{
	int k = line_prefix(t->dialect.form, line, (size_t)(end - line));
	if (k < 0)
		k = t->header.lineinfo;
	t->dialect.prefix_columns = k;
	t->dialect.block_ids = k >= 4;
	t->dialect.has_lineno = t->dialect.has_lineno && k != 0 && k != 4 && k != 11;
}

int line_read_prefix(struct parse *s)
{
	static const char *const name[4] = {"thread block x", "thread block y", "thread block z", "warp"};
	struct trace *t = s->trace;
	if (t->dialect.prefix_columns < 0)
		count_prefix(t, s->line, s->end);
	for (int i = 0; i < t->dialect.prefix_columns; i++) {
		uint64_t v;
		line_next(s);
		if (!tok_parse_u64(s->word, &v) || v > UINT32_MAX)
			return line_report_bad_column(s, COLUMN_PREFIX);
		uint32_t is = i < 3 ? t->id[i] : t->warp;
		if (t->dialect.block_ids && i < 4 && v != is) {
			struct place at = text_place(t, s->line, s->word.s);
			return fault_set(s->fault, at, "prefix",
				"%s %llu differs from the lines above (expected %u)", name[i],
				(unsigned long long)v, is);
		}
		if (t->dialect.has_lineno && i == t->dialect.prefix_columns - 1)
			s->draft.lineno = (uint32_t)v;
	}
	return 0;
}

/* ---- columns from the PC to the width ----------------------------------------------------- */

static int parse_register_name(struct parse *s, unsigned *n)
{
	line_next(s);
	struct tok w = s->word;
	bool uniform = w.n && w.s[0] == 'U';
	if (uniform)
		w.s++, w.n--;
	bool predicate = w.n && w.s[0] == 'P';
	uint64_t v;
	bool letter = predicate || (w.n && w.s[0] == 'R');
	if (!letter || !tok_parse_u64((struct tok){w.s + 1, w.n - 1}, &v) || v > 255)
		return line_report_unexpected(
			s, "register", "a register R0 to R255, UR0 to UR255, P<n> or UP<n>");
	if (!predicate)
		s->draft.reg[s->draft.n_dst + s->draft.n_src + (*n)++] =
			(uint16_t)(v + (uniform ? REG_UR0 : REG_R0));
	return 0;
}

static int parse_registers(struct parse *s, unsigned *n, enum line_column c)
{
	uint64_t count;
	unsigned had = 0;
	if (line_next_number(s, 255, &count, line_columns[c].id, line_columns[c].expected) < 0)
		return -1;
	for (; count; count--)
		if (parse_register_name(s, &had) < 0)
			return -1;
	*n = had;
	return 0;
}

/* Reads the destinations and moves them before the sources. A line may have them in either order. */
int line_read_dst(struct parse *s)
{
	struct draft *d = &s->draft;
	uint16_t src[255];

	if (parse_registers(s, &d->n_dst, COLUMN_DST) < 0)
		return -1;
	memcpy(src, d->reg, d->n_src * sizeof(src[0]));
	memmove(d->reg, d->reg + d->n_src, d->n_dst * sizeof(src[0]));
	memcpy(d->reg + d->n_dst, src, d->n_src * sizeof(src[0]));
	return 0;
}

int line_read_src(struct parse *s) { return parse_registers(s, &s->draft.n_src, COLUMN_SRC); }

int line_read_opcode(struct parse *s)
{
	line_next(s);
	bool ok = s->word.n && s->word.n < 256 && line_letter(s->word.s[0]);
	for (size_t i = 0; ok && i < s->word.n; i++)
		ok = s->word.s[i] > ' ' && s->word.s[i] <= '~';
	if (!ok)
		return line_report_bad_column(s, COLUMN_OPCODE);
	s->draft.opcode = s->word.s;
	s->draft.opcode_len = s->word.n;
	return 0;
}

int line_read_pc(struct parse *s)
{
	uint64_t v;
	line_next(s);
	if (!tok_parse_hex(s->word, &v) || v > UINT32_MAX)
		return line_report_bad_column(s, COLUMN_PC);
	s->seen.head = s->word.s;
	s->draft.pc = (uint32_t)v;
	return 0;
}

int line_read_mask(struct parse *s)
{
	uint64_t v;
	line_next(s);
	if (!tok_parse_hex(s->word, &v) || v > UINT32_MAX)
		return line_report_bad_column(s, COLUMN_MASK);
	s->seen.mid = s->position;
	s->mask = (uint32_t)v;
	if (!(s->mask & ~s->lanes))
		return 0;
	fault_set(s->fault, text_place(s->trace, s->line, s->word.s), "lanes",
		"mask has active lanes %08x outside a block of %u threads, warp %u (expected none outside %08x)",
		s->mask & ~s->lanes, kernel_threads(&s->trace->header), s->trace->warp, s->lanes);
	return trace_report_fault(s->trace, s->fault) ? 0 : -1;
}

static bool opcode_contains(const struct draft *d, const char *part)
{
	return memmem(d->opcode, d->opcode_len, part, strlen(part)) != NULL;
}

/* Reads the width. Version 6 writes a commit flag before the width of GMMA opcodes. */
int line_read_width(struct parse *s)
{
	uint64_t v;
	if (opcode_contains(&s->draft, "GMMA")) {
		int n = count_numbers(s), imms = s->trace->dialect.imms;
		bool flag = imms >= 0 ? n == imms + 2
				      : n == 4 || (n == 3 && s->trace->header.tracer_version >= 6);
		if (flag && line_next_number(s, UINT32_MAX, &v, "columns", "a commit flag") < 0)
			return -1;
		s->draft.commit = !flag ? COMMIT_UNKNOWN : v ? COMMIT_YES : COMMIT_NO;
	}
	line_next(s);
	if (!tok_parse_u64(s->word, &v) || v > UINT16_MAX)
		return line_report_bad_column(s, COLUMN_WIDTH);
	s->width = (unsigned)v;
	s->draft.has_addr = v != 0;
	return 0;
}

/* ---- addresses ---------------------------------------------------------------------------- */

static int report_short_list(struct parse *s, unsigned had, unsigned want, const char *what)
{
	char q[64];
	struct place at = text_place(s->trace, s->line, s->word.s);
	if (!s->word.n)
		return fault_set(s->fault, at, "address-count", "%u %s (expected %u for mask %08x)", had,
			what, want, s->mask);
	return fault_set(s->fault, at, "address", "unexpected '%s' (expected %s %u of %u for mask %08x)",
		diag_quote(q, sizeof(q), s->word.s, s->word.n), what, had + 1, want, s->mask);
}

static int parse_address_list(struct parse *s, uint64_t a[32], unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		line_next(s);
		if (!tok_parse_hex(s->word, &a[i]))
			return report_short_list(s, i, n, "addresses");
	}
	return 0;
}

static int parse_deltas(struct parse *s, int64_t delta[32], unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		line_next(s);
		if (!tok_parse_i64(s->word, &delta[i]))
			return report_short_list(s, i, n, "deltas");
	}
	return 0;
}

static int parse_stride(struct parse *s)
{
	uint64_t base;
	int64_t stride;
	if (line_next_hex(s, UINT64_MAX, &base, "address", "a hexadecimal base address") < 0)
		return -1;
	line_next(s);
	if (!tok_parse_i64(s->word, &stride) || stride < INT32_MIN || stride > INT32_MAX)
		return line_report_unexpected(s, "address", "a decimal stride of 32 bits");
	s->addr = s->mask ? addr_stride(s->tb, base, stride) : 0;
	return 0;
}

int line_read_mode(struct parse *s, unsigned mode)
{
	struct tblock *tb = s->tb;
	uint64_t a[32];
	int64_t delta[32];
	unsigned n = bit_count32(s->mask);
	addr_reserve(tb);
	switch (mode) {
	case MODE_LIST:
		if (parse_address_list(s, a, n) < 0)
			return -1;
		s->addr = n ? addr_list(tb, a, n) : 0;
		return 0;
	case MODE_STRIDE: return parse_stride(s);
	default:
		if (line_next_hex(s, UINT64_MAX, &a[0], "address", "a hexadecimal base address") < 0 ||
			parse_deltas(s, delta, n ? n - 1 : 0) < 0)
			return -1;
		s->addr = n ? addr_delta(tb, a[0], delta, n - 1) : 0;
		return 0;
	}
}

int line_read_addresses(struct parse *s)
{
	uint64_t mode;
	int r = 0;
	s->seen.mid_end = s->position;
	if (s->trace->dialect.imms == 2 && extra_is_copy(s->draft.opcode, s->draft.opcode_len) &&
		count_numbers(s) > 2)
		r = extra_read_copy(s);
	else if (s->width)
		r = line_next_number(s, MODE_DELTA, &mode, "mode", "an address mode 0, 1 or 2") < 0
			    ? -1
			    : line_read_mode(s, (unsigned)mode);
	s->seen.tail = s->position;
	return r;
}

/* ---- the end of the line ------------------------------------------------------------------ */

static int parse_immediate(struct parse *s, uint64_t *v)
{
	int64_t i;
	line_next(s);
	if (tok_parse_i64(s->word, &i))
		*v = (uint64_t)i;
	else if (!tok_parse_u64(s->word, v) &&
		 !(s->word.n > 2 && (s->word.s[1] | 32) == 'x' && tok_parse_hex(s->word, v)))
		return line_report_bad_column(s, COLUMN_IMMEDIATES);
	return 0;
}

int line_read_immediates(struct parse *s)
{
	if (s->trace->dialect.imms < 0) {
		int n = count_numbers(s);
		s->trace->dialect.imms = n > 2 ? 2 : n;
	}
	if (s->trace->dialect.imms > 0 && parse_immediate(s, &s->draft.imm) < 0)
		return -1;
	s->draft.two_imms =
		s->trace->dialect.imms > 1 && code_has_stem(s->draft.opcode, s->draft.opcode_len, "BAR");
	return s->trace->dialect.imms > 1 ? parse_immediate(s, &s->draft.imm2) : 0;
}

int line_read_tail(struct parse *s)
{
	line_next(s);
	if (s->word.n && !line_letter(s->word.s[0]))
		return line_report_bad_column(s, COLUMN_TAIL);
	s->seen.tail_end = s->end;
	s->seen.word = s->word.n != 0;
	if (s->word.n) {
		const char *p = s->position;
		s->seen.open_end = !tok_is(s->word, "NoVal") || tok_next(&p, s->end).n;
		if (s->seen.open_end)
			s->seen.tail_end = s->position;
	}
	if (tok_is(s->word, "Val") && extra_has_values(s->draft.opcode, s->draft.opcode_len))
		return extra_read_values(s);
	return 0;
}

static int add_record(struct parse *s)
{
	struct tblock *tb = s->tb;
	struct trace *t = s->trace;
	struct code_place where = {
		&t->options, s->code ? s->code->opcode_place : text_place(t, s->line, s->draft.opcode)};
	s->seen.lineno = s->draft.lineno;
	if (!s->code)
		source_set_by_pc(t, &s->draft);
	int64_t handle = code_intern(t->options.code, &s->draft, &where, s->fault);
	if (handle < 0)
		return -1;
	const struct inst *i = code_at(t->options.code, (uint32_t)handle);
	s->seen.needs_addr = !i->has_addr && code_kind_has_addresses(i->kind);
	if (s->seen.needs_addr && s->mask) {
		fault_set(s->fault, where.place, "no-address",
			"memory opcode '%.60s' has no addresses (width 0) (expected one for each lane of mask %08x)",
			i->opcode, s->mask);
		if (!trace_report_fault(t, s->fault))
			return -1;
	}
	t->unknown_recs += i->row == 0xffff;
	rec_reserve(tb);
	tb->rec[tb->n_recs++] = (struct rec){(uint32_t)handle, s->mask, s->addr};
	s->seen.pc = s->draft.pc;
	s->seen.handle = (uint32_t)handle;
	s->seen.has_addr = s->draft.has_addr;
	if (!s->draft.has_addr && !s->seen.issue) {
		s->seen.mid_end = s->seen.tail_end;
		s->seen.tail = NULL;
	}
	t->tail = s->seen.word && s->draft.extra != EXTRA_VALUES;
	if (!s->once && !t->probing && s->end < t->end)
		seen_add(t, &s->seen);
	return 0;
}

static int (*const read_column[LINE_COLUMNS])(struct parse *s) = {
#define COLUMN(name, kind, reader, id, wanted) [COLUMN_##name] = reader,
#include "columns.def"
};

static int parse_inst_line(
	struct trace *t, struct tblock *tb, uint32_t lanes, const char *line, size_t len, struct fault *f)
{
	struct parse s; /* everything except the registers is set to 0 */
	memset(&s, 0, offsetof(struct parse, draft) + offsetof(struct draft, reg));
	s.trace = t;
	s.line = s.position = line;
	s.end = line + len;
	s.fault = f;
	s.tb = tb;
	s.lanes = lanes;
	s.draft.arch = t->header.arch;
	for (const uint8_t *c = line_dialects[t->dialect.form]; *c != LINE_COLUMNS; c++)
		if (read_column[*c](&s) < 0)
			return -1;
	return add_record(&s);
}

/* ---- handling bad lines, for a watcher --------------------------------------------------- */

/* Returns true if neither the PC nor the mask is a number. */
static bool is_no_instruction(const struct trace *t, const char *line, const char *end)
{
	uint64_t v;
	for (int i = 0; i < t->dialect.prefix_columns; i++)
		tok_next(&line, end);
	return !tok_parse_hex(tok_next(&line, end), &v) && !tok_parse_hex(tok_next(&line, end), &v);
}

/* Handles a bad line. Returns 0 if it is an instruction of another dialect, which is then already reported. */
static int parse_in_other_dialect(
	struct trace *t, struct tblock *tb, const char *line, size_t len, struct fault *f)
{
	const struct trace_watch *watch = t->options.watch;
	const struct dialect d = t->dialect;
	struct dialect is = d;
	struct fault ignored;
	int r = -1;
	if (d.prefix_columns >= 0 && d.imms >= 0) {
		t->dialect.prefix_columns = t->dialect.imms = -1;
		t->options.watch = NULL;
		t->probing = true;
		r = parse_inst_line(t, tb, UINT32_MAX, line, len, &ignored);
		is = t->dialect;
		t->dialect = d;
		t->options.watch = watch;
		t->probing = false;
	}
	if (r < 0)
		return -1;
	uint32_t kind = tb->rec[tb->n_recs - 1].addr & 3;
	struct place at = {t->name, t->line, f->place.col};
	if (is.prefix_columns == d.prefix_columns && (kind == ADDR_LIST || kind == ADDR_DELTA))
		fault_set(f, at, "address-count",
			"%d addresses or deltas %s than mask %08x needs, or another number of immediates than in other lines (expected %d immediates after the addresses)",
			is.imms > d.imms ? is.imms - d.imms : d.imms - is.imms,
			is.imms > d.imms ? "more" : "fewer", tb->rec[tb->n_recs - 1].mask, d.imms);
	else
		fault_set(f, at, "dialect",
			"%d columns before the PC and %d immediates (expected %d and %d as on the first line of the kernel)",
			is.prefix_columns, is.imms, d.prefix_columns, d.imms);
	if (trace_report_fault(t, f))
		return 0;
	tb->n_recs--;
	return -1;
}

int line_parse(
	struct trace *t, struct tblock *tb, uint32_t lanes, const char *line, size_t len, struct fault *f)
{
	const struct dialect d = t->dialect;
	uint32_t words = tb->n_words;
	char q[80];
	if (parse_inst_line(t, tb, lanes, line, len, f) == 0)
		return 0;
	if (!t->options.watch)
		return -1;
	tb->n_words = words;
	t->dialect = d;
	const char *p = line;
	struct tok first = tok_next(&p, line + len);
	if (is_no_instruction(t, line, line + len))
		return fault_set(f, text_place(t, line, first.s), "inst-line",
			"unexpected '%s' (expected an instruction line)",
			diag_quote(q, sizeof(q), first.s, (size_t)(line + len - first.s)));
	return parse_in_other_dialect(t, tb, line, len, f);
}
