/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Columns of traces from PTX: the width, and after the addresses the items [i:issue mask] [b:barrier[,threads]]
 * [s:space].
 *
 * Always true of a record: its PC has a line in the header, which has the other fields. The mask and the addresses
 * belong to the lanes that executed; the issue mask also has the lanes that the guard excluded. Each barrier and each
 * space of generic accesses is a separate static instruction of the PC, since a record has no fields for them.
 */
#include <string.h>
#include "bits.h"
#include "line.h"

#define WIDTH_MAX 64u

static bool word_begins(struct tok w, const char *with) { return w.n >= 2 && !memcmp(w.s, with, 2); }

static struct tok skip_past(struct tok w) { return (struct tok){w.s + 2, w.n - 2}; }

static void draft_ptx(struct parse *s)
{
	const struct ptx_static *c = s->code;
	unsigned n = (unsigned)c->n_dst + c->n_src + c->n_bank_dst + c->n_bank_src;

	s->ptx = (struct ptx_draft){.form = c->form,
		.text = c->text,
		.text_len = c->text_len,
		.n_operands = c->n_operands,
		.n_bank_dst = c->n_bank_dst,
		.n_bank_src = c->n_bank_src,
		.barrier = c->barrier,
		.barrier_warps = c->barrier_warps,
		.ends = c->ends};
	s->draft.opcode = c->text;
	s->draft.opcode_len = c->opcode_len;
	s->draft.lineno = c->lineno;
	s->draft.file_number = c->file;
	s->draft.file = trace_source(s->trace, c->file);
	s->draft.n_dst = c->n_dst;
	s->draft.n_src = c->n_src;
	s->draft.ptx = &s->ptx;
	memcpy(s->draft.reg, c->number, n * sizeof(s->draft.reg[0]));
}

/* Reserves a word before the addresses if the line has an issue mask. */
static void reserve_issue_mask(struct parse *s)
{
	s->ptx.issue_mask = memmem(s->position, (size_t)(s->end - s->position), " i:", 3) != NULL;
	s->issue_at = s->tb->n_words;
	if (!s->ptx.issue_mask)
		return;
	addr_reserve(s->tb);
	s->tb->n_words++;
}

int ptx_line_read_bytes(struct parse *s)
{
	uint64_t width;
	bool access;

	s->code = ptx_code_at(s->trace->ptx, s->draft.pc);
	if (!s->code)
		return fault_set(s->fault, text_place(s->trace, s->line, s->seen.head), "pc",
			"instruction at pc 0x%x has no line '-code' in the header", s->draft.pc);
	draft_ptx(s);
	access = s->ptx.form.space != SPACE_NONE;
	line_next(s);
	if (!tok_parse_u64(s->word, &width) || width > WIDTH_MAX || (width != 0) != access)
		return line_report_unexpected(s, "width",
			access ? "the bytes that each lane accesses"
			       : "0, as the instruction accesses no memory");
	s->width = s->ptx.size = (unsigned)width;
	s->draft.has_addr = access;
	reserve_issue_mask(s);
	return 0;
}

/* ---- columns after the addresses ----------------------------------------------------------- */

static int read_issue_mask_item(struct parse *s)
{
	uint64_t v;

	if (!tok_parse_hex(skip_past(s->word), &v) || v > UINT32_MAX || !v || s->mask & ~v || v & ~s->lanes)
		return line_report_unexpected(s, "issue-mask",
			"i: and a hexadecimal mask of lanes that the warp has, with all of the mask before");
	s->tb->word[s->issue_at] = v;
	s->addr = s->addr ? s->addr : (s->issue_at + 1) << 2 | ADDR_NONE;
	s->seen.issue = true;
	s->seen.tail = s->position;
	line_next(s);
	return 0;
}

static int read_barrier_item(struct parse *s)
{
	if (s->ptx.form.class != CLASS_BARRIER)
		return line_report_unexpected(
			s, "barrier", "no b:, because the instruction is not a barrier");
	if (!ptx_barrier(skip_past(s->word), &s->ptx.barrier, &s->ptx.barrier_warps))
		return line_report_unexpected(s, "barrier",
			"b: and an id below 16, perhaps with a multiple of 32 threads up to 2048");
	line_next(s);
	return 0;
}

static int read_space_item(struct parse *s)
{
	struct tok name = skip_past(s->word);
	bool shared = tok_is(name, "shared");

	if (s->ptx.form.space != SPACE_GENERIC)
		return line_report_unexpected(
			s, "space", "no s:, as the opcode has a space or accesses none");
	if (!shared && !tok_is(name, "local"))
		return line_report_unexpected(s, "space", "s:shared or s:local");
	s->ptx.form.space = shared ? SPACE_SHARED : SPACE_LOCAL;
	line_next(s);
	return 0;
}

int ptx_line_read_items(struct parse *s)
{
	bool barrier;

	line_next(s);
	if (word_begins(s->word, "i:") && read_issue_mask_item(s) < 0)
		return -1;
	barrier = word_begins(s->word, "b:");
	if (barrier && read_barrier_item(s) < 0)
		return -1;
	if (word_begins(s->word, "s:") && read_space_item(s) < 0)
		return -1;
	if (s->word.n || s->ptx.issue_mask != s->seen.issue)
		return line_report_bad_column(s, COLUMN_ITEMS);
	if (s->ptx.form.class == CLASS_BARRIER && !barrier && !s->code->barrier_known)
		return line_report_unexpected(s, "barrier", "b:ID, because the header does not have it");
	s->seen.tail_end = s->end;
	return 0;
}
