/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernel traces, thread block by thread block (kernel-trace(5)).
 *
 * Always true of a returned thread block: its id is in the grid and occurs once. Each of its warps occurs once, with
 * as many records as its "insts" line says. Thread blocks are scheduled in file order. line.c decides which lines a
 * warp may have; header.c reads the header.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "reader.h"

#define ID_PAGE_BITS (1u << 15)
#define ABSENT       UINT32_MAX /* mark in the count of a warp that has not been read */

/* ---- opening and closing ------------------------------------------------------------------ */

struct trace *trace_open_input(struct input *in, const struct trace_options *o, struct fault *f)
{
	struct trace *t = xcalloc(1, sizeof(*t));
	t->options = *o;
	t->in = in;
	t->name = input_name(in);
	t->line = t->base_line = 1;
	t->warp = UINT32_MAX;
	t->dialect = (struct dialect){.prefix_columns = -1, .imms = -1};
	if (o->computes_hash) {
		t->hash = XXH3_createState();
		if (!t->hash)
			die("out of memory");
		XXH3_128bits_reset(t->hash);
	}
	if (header_read(t, f) < 0) {
		trace_close(t);
		return NULL;
	}
	t->ids.n_pages = (kernel_blocks(&t->header) + ID_PAGE_BITS - 1) / ID_PAGE_BITS;
	t->ids.page = xcalloc(t->ids.n_pages, sizeof(t->ids.page[0]));
	return t;
}

struct trace *trace_open(const char *path, const struct trace_options *o, struct fault *f)
{
	struct input *in = input_open(path, f);
	return in ? trace_open_input(in, o, f) : NULL;
}

void trace_close(struct trace *t)
{
	if (!t)
		return;
	for (uint64_t i = 0; t->ids.page && i < t->ids.n_pages; i++)
		free(t->ids.page[i]);
	free(t->ids.page);
	source_free(t->sources);
	seen_free(&t->seen);
	echo_free(&t->echoes);
	ptx_code_free(t->ptx);
	XXH3_freeState(t->hash);
	free(t->header.name);
	input_close(t->in);
	packed_close(t->packed);
	free(t);
}

const struct kernel_header *trace_header(const struct trace *t) { return &t->header; }

const uint16_t *trace_ptx_operands(const struct trace *t, uint32_t pc, unsigned *n)
{
	const struct ptx_static *s = ptx_code_at(t->ptx, pc);

	*n = s ? s->n_operands : 0;
	return s ? s->number + s->n_dst : NULL;
}

const char *trace_ptx_opcode(const struct trace *t, uint32_t pc, size_t *n)
{
	const struct ptx_static *s = ptx_code_at(t->ptx, pc);

	*n = s ? s->opcode_len : 0;
	return s ? s->text : NULL;
}

const char *trace_path(const struct trace *t) { return t->name; }
const struct cubins *trace_codes(const struct trace *t)
{
	return t->packed ? packed_kernel_cubins(t->packed) : NULL;
}
uint32_t trace_warp(const struct trace *t) { return t->warp; }

struct trace_shape trace_shape(const struct trace *t)
{
	return (struct trace_shape){t->dialect.form, t->dialect.prefix_columns, t->dialect.imms, t->raw};
}

void tblock_free(struct tblock *tb)
{
	free(tb->warp);
	free(tb->rec);
	free(tb->word);
	*tb = (struct tblock){0};
}

/* ---- faults ------------------------------------------------------------------------------- */

static struct place current_place(const struct trace *t) { return (struct place){t->name, t->line, 0}; }

static int report_unexpected_line(const struct trace *t, const char *id, const char *line, size_t len,
	const char *wanted, struct fault *f)
{
	char q[80];
	return fault_set(f, text_place(t, line, line), id, "unexpected '%s' (expected %s)",
		diag_quote(q, sizeof(q), line, len), wanted);
}

/* ---- lines within a block ----------------------------------------------------------------- */

static int read_block_id(struct trace *t, struct tblock *tb, const char *line, size_t len, struct fault *f)
{
	uint64_t v[3];
	bool second = t->has_id;
	t->has_id = true;
	if (trace_parse_values(t, line, len, "thread block", 3, v, f) < 0)
		return -1;
	if (second)
		return report_unexpected_line(
			t, "block-id", line, len, "one thread block id between #BEGIN_TB and #END_TB", f);
	for (int i = 0; i < 3; i++)
		v[i] = v[i] < UINT32_MAX ? v[i] : UINT32_MAX;
	t->id[0] = tb->x = (uint32_t)v[0];
	t->id[1] = tb->y = (uint32_t)v[1];
	t->id[2] = tb->z = (uint32_t)v[2];
	return t->loose_grid ? 0 : trace_claim_block(t, v, f);
}

int trace_claim_block(struct trace *t, const uint64_t v[3], struct fault *f)
{
	const uint32_t *g = t->header.grid;
	if (v[0] >= g[0] || v[1] >= g[1] || v[2] >= g[2])
		return fault_set(f, current_place(t), "block-id-grid",
			"thread block %llu,%llu,%llu is outside the grid of %u,%u,%u",
			(unsigned long long)v[0], (unsigned long long)v[1], (unsigned long long)v[2], g[0],
			g[1], g[2]);
	uint64_t id = v[0] + g[0] * (v[1] + g[1] * v[2]);
	uint64_t **page = &t->ids.page[id / ID_PAGE_BITS];
	uint64_t bit = id % ID_PAGE_BITS;
	if (!*page)
		*page = xcalloc(ID_PAGE_BITS / 64, sizeof(**page));
	if ((*page)[bit / 64] >> bit % 64 & 1)
		return fault_set(f, current_place(t), "block-id-repeated",
			"thread block %u,%u,%u occurs twice", (unsigned)v[0], (unsigned)v[1], (unsigned)v[2]);
	(*page)[bit / 64] |= 1ull << bit % 64;
	return 0;
}

/* Checks that the current warp, if any, has as many records as its "insts" line says. */
static int check_warp_done(const struct trace *t, struct fault *f)
{
	if (t->warp == UINT32_MAX || t->uncounted)
		return 0;
	if (!t->has_insts)
		return fault_set(f, current_place(t), "insts-missing",
			"warp %u has no line 'insts = <number>'", t->warp);
	if (t->n_insts_read > t->want_insts || t->n_insts_read + t->bad_lines < t->want_insts)
		return fault_set(f, current_place(t), "insts-count",
			"%u instruction lines in warp %u (expected %u, from its 'insts' line)",
			t->n_insts_read, t->warp, t->want_insts);
	return 0;
}

static int read_warp_line(struct trace *t, struct tblock *tb, const char *line, size_t len, struct fault *f)
{
	uint64_t v;
	if (check_warp_done(t, f) < 0 && !trace_report_fault(t, f))
		return -1;
	t->warp = UINT32_MAX;
	t->skips_lines = true;
	if (trace_parse_values(t, line, len, "warp", 1, &v, f) < 0)
		return -1;
	if (!t->has_id && (report_unexpected_line(t, "block-id", line, len,
				   "'thread block = x,y,z' before the first warp", f),
				  !trace_report_fault(t, f)))
		return -1;
	t->has_id = true;
	t->warp = v < UINT32_MAX ? (uint32_t)v : UINT32_MAX - 1;
	t->has_insts = t->uncounted = t->skips_lines = false;
	t->want_insts = t->n_insts_read = t->bad_lines = 0;
	t->stray = true;
	if (v >= tb->n_warps)
		return fault_set(f, current_place(t), "warp-id",
			"warp %llu does not exist (expected 0 to %u for a block of %u threads)",
			(unsigned long long)v, tb->n_warps - 1, kernel_threads(&t->header));
	if (tb->warp[v].n_recs != ABSENT)
		return fault_set(f, current_place(t), "warp-repeated",
			"warp %u occurs twice in thread block %u,%u,%u", (unsigned)v, tb->x, tb->y, tb->z);
	t->stray = false;
	tb->warp[v] = (struct warp_recs){tb->n_recs, 0, t->line};
	return 0;
}

static int read_insts_line(struct trace *t, struct tblock *tb, const char *line, size_t len, struct fault *f)
{
	uint64_t v;
	bool second = t->has_insts;
	t->has_insts = t->uncounted = true;
	t->want_insts = UINT32_MAX / 2;
	if (trace_parse_values(t, line, len, "insts", 1, &v, f) < 0)
		return -1;
	if (t->warp == UINT32_MAX || second)
		return report_unexpected_line(
			t, "insts-missing", line, len, "one 'insts' line after each 'warp' line", f);
	if (v > UINT32_MAX / 2 - tb->n_recs)
		return report_unexpected_line(
			t, "insts-count", line, len, "fewer than 2^31 instructions in a thread block", f);
	t->want_insts = (uint32_t)v;
	t->uncounted = false;
	if (!t->stray)
		tb->warp[t->warp].line = t->line + 1;
	echo_begin(t, tb);
	return 0;
}

/* Checks that a warp does not have more instruction lines than its "insts" line says. */
static int check_instruction_count(struct trace *t, const char *line, size_t len, struct fault *f)
{
	int r = 0;
	if (!t->has_insts)
		r = report_unexpected_line(
			t, "insts-missing", line, len, "'insts = <number>' after the 'warp' line", f);
	else if (t->n_insts_read == t->want_insts)
		r = fault_set(f, text_place(t, line, line), "insts-count",
			"warp %u has more instruction lines than the %u of its 'insts' line", t->warp,
			t->want_insts);
	if (r == 0)
		return 0;
	if (!trace_report_fault(t, f))
		return -1;
	t->has_insts = t->uncounted = true;
	t->want_insts = UINT32_MAX / 2;
	return 0;
}

static int read_inst_line(
	struct trace *t, struct tblock *tb, uint32_t lanes, const char *line, size_t len, struct fault *f)
{
	if (t->warp == UINT32_MAX && t->skips_lines)
		return 0;
	t->skips_lines = t->options.watch != NULL;
	if (t->warp == UINT32_MAX)
		return report_unexpected_line(
			t, "block-line", line, len, "'thread block = x,y,z' or 'warp = <number>'", f);
	if (check_instruction_count(t, line, len, f) < 0)
		return -1;
	if (tb->n_words > (UINT32_MAX >> 2) - 2 * ADDR_WORDS)
		return fault_set(
			f, current_place(t), "block-size", "addresses of a thread block exceed 2^30 words");
	if (line_parse(t, tb, lanes, line, len, f) < 0) {
		t->bad_lines++;
		return -1;
	}
	t->n_insts_read++;
	if (!t->stray && tb->warp[t->warp].n_recs == 0 && t->n_insts_read == 1)
		tb->warp[t->warp].line = t->line;
	if (t->options.watch)
		trace_report_record(t, tb, line, len, t->line);
	return 0;
}

/* ---- blocks ------------------------------------------------------------------------------- */

static uint32_t warp_lanes(const struct trace *t)
{
	if (t->stray)
		return UINT32_MAX;
	uint32_t left = kernel_threads(&t->header) - t->warp * 32;
	return left >= 32 ? UINT32_MAX : (1u << left) - 1;
}

void trace_begin_block(struct trace *t, struct tblock *tb)
{
	tb->n_warps = kernel_warps(&t->header);
	tb->n_recs = tb->n_words = 0;
	rec_reserve(tb); /* warps without records refer to the start of the array */
	tb->cluster = (struct cluster_place){0};
	grow(&tb->warp, &tb->cap_warps, tb->n_warps, sizeof(tb->warp[0]));
	for (uint32_t w = 0; w < tb->n_warps; w++)
		tb->warp[w] = (struct warp_recs){0, ABSENT, 0};
	t->warp = UINT32_MAX;
	t->has_id = t->has_insts = t->stray = t->uncounted = t->skips_lines = false;
	t->want_insts = t->n_insts_read = t->bad_lines = 0;
}

static int check_whole_block(struct trace *t, const struct tblock *tb, struct fault *f)
{
	if (check_warp_done(t, f) < 0 && !trace_report_fault(t, f))
		return -1;
	if (!t->has_id && (fault_set(f, current_place(t), "block-id",
				   "thread block has no id (expected 'thread block = x,y,z')"),
				  !trace_report_fault(t, f)))
		return -1;
	return trace_check_warps(t, tb, f);
}

/* Gives absent warps 0 records. Returns the number of absent warps and sets *first to the first of them. */
static uint32_t fill_missing_warps(const struct tblock *tb, uint32_t *first)
{
	uint32_t missing = 0;
	for (uint32_t w = tb->n_warps; w-- > 0;) {
		if (tb->warp[w].n_recs == ABSENT) {
			tb->warp[w].n_recs = 0;
			missing++;
			*first = w;
		}
	}
	return missing;
}

int trace_check_warps(struct trace *t, const struct tblock *tb, struct fault *f)
{
	uint32_t first = 0, missing = fill_missing_warps(tb, &first);
	if (!missing || t->options.allows_missing_warps)
		return 0;
	fault_set(f, current_place(t), "warp-missing",
		"%u warps in thread block %u,%u,%u (expected %u): warp %u is missing", tb->n_warps - missing,
		tb->x, tb->y, tb->z, tb->n_warps, first);
	return trace_report_fault(t, f) ? 0 : -1;
}

static bool line_begins(struct tok w, struct tok line, const char *word)
{
	size_t n = strlen(word);
	return w.n >= n && !memcmp(line.s, word, n) && (w.n == n || w.s[n] == '=');
}

/* Reads a line of an open thread block. Returns 1 if it is #END_TB, 0 for other lines, or -1. */
static int parse_block_line(struct trace *t, struct tblock *tb, const char *line, size_t len, struct fault *f)
{
	const char *p = line;
	struct tok w = tok_next(&p, line + len), rest = {w.s, (size_t)(line + len - w.s)};
	if (!w.n)
		return 0;
	if (tok_is(w, "#END_TB"))
		return check_whole_block(t, tb, f) < 0 ? -1 : 1;
	if (w.s[0] == '#') {
		report_unexpected_line(t, "block-nested", rest.s, rest.n, "#END_TB before it", f);
		if (!tok_is(w, "#BEGIN_TB") || !trace_report_fault(t, f))
			return -1;
		t->block_begun = true;
		return check_whole_block(t, tb, f) < 0 ? -1 : 1;
	}
	if (line_begins(w, rest, "thread"))
		return read_block_id(t, tb, rest.s, rest.n, f);
	if (line_begins(w, rest, "warp"))
		return read_warp_line(t, tb, rest.s, rest.n, f);
	if (line_begins(w, rest, "insts"))
		return read_insts_line(t, tb, rest.s, rest.n, f);
	if (tok_is(w, "cluster") || tok_is(w, "core") || tok_is(w, "sm"))
		return trace_read_placement(t, tb, rest.s, rest.n, f);
	return read_inst_line(t, tb, t->warp == UINT32_MAX ? 0 : warp_lanes(t), line, len, f);
}

static int report_early_end(const struct trace *t, bool inside, struct fault *f)
{
	const char *id = inside || !t->options.watch ? "truncated" : "blocks-missing";
	return fault_set(f, current_place(t), id,
		"file ends%s after %llu of %llu thread blocks (expected %s)",
		inside ? " inside a thread block," : "", (unsigned long long)t->blocks,
		(unsigned long long)kernel_blocks(&t->header), inside ? "#END_TB" : "#BEGIN_TB");
}

/* Reports a bad line at the end of the file as a truncated one. */
static int report_truncated_line(const struct trace *t, const char *line, size_t len, struct fault *f)
{
	if (t->is_last && line + len == t->end)
		fault_set(f, text_place(t, line, line + len), "truncated",
			"file ends inside a line (expected the rest of it and #END_TB)");
	return -1;
}

/* Returns true if all warps of an open thread block have the number of instructions that their "insts" lines say. */
static bool is_whole_block(const struct trace *t, const struct tblock *tb)
{
	if (!t->has_id || t->warp == UINT32_MAX || !t->has_insts || t->n_insts_read != t->want_insts ||
		t->stray)
		return false;
	for (uint32_t w = 0; w < tb->n_warps; w++)
		if (tb->warp[w].n_recs == ABSENT && !t->options.allows_missing_warps)
			return false;
	return true;
}

/*
 * Ends a thread block at the end of the file. A complete block is valid, since the original runs it, too. Returns 0
 * or -1.
 */
static int end_last_block(struct trace *t, struct tblock *tb, struct fault *f)
{
	uint32_t first;

	if (is_whole_block(t, tb)) {
		fault_set(f, current_place(t), "block-end",
			"file ends without #END_TB after a whole thread block");
		fill_missing_warps(tb, &first);
		if (t->options.watch)
			return trace_report_fault(t, f) ? 0 : -1;
		if (t->options.warn)
			t->options.warn(t->options.ctx, f);
		else
			diag_warn(f->place, "%s", f->text);
		return 0;
	}
	report_early_end(t, true, f);
	t->end_reported = true;
	t->no_newline = false;
	fill_missing_warps(tb, &first);
	return trace_report_fault(t, f) ? 0 : -1;
}

static int read_block(struct trace *t, struct tblock *tb, struct fault *f)
{
	const char *line;
	size_t len;
	uint32_t first;
	int r = 0;
	trace_begin_block(t, tb);
	while (r == 0) {
		if (t->warp != UINT32_MAX && fast_read_lines(t, tb, warp_lanes(t), f) < 0)
			return -1;
		if (t->warp != UINT32_MAX && !t->stray)
			tb->warp[t->warp].n_recs = t->n_insts_read;
		if ((r = text_line(t, &line, &len, f)) < 0)
			return -1;
		if (r == 0)
			return end_last_block(t, tb, f);
		if ((r = parse_block_line(t, tb, line, len, f)) < 0) {
			report_truncated_line(t, line, len, f);
			if (!trace_report_fault(t, f))
				return -1;
			t->end_reported = t->is_last && line + len == t->end;
			t->no_newline = t->no_newline && !t->end_reported;
			r = t->end_reported;
		}
		text_next(t, line + len);
	}
	if (t->end_reported)
		fill_missing_warps(tb, &first);
	return 0;
}

/* Moves past the next #BEGIN_TB, skipping comments. Returns 1, 0 at the end of the input, or -1. */
static int skip_to_next_block(struct trace *t, struct fault *f)
{
	const char *line;
	size_t len;
	int r;
	if (t->block_begun) {
		t->block_begun = false;
		return 1;
	}
	t->skips_lines = false;
	while ((r = text_line(t, &line, &len, f)) > 0) {
		const char *p = line;
		struct tok w = tok_next(&p, line + len);
		bool found = tok_is(w, "#BEGIN_TB");
		if ((tok_is(w, "#END_TB") || (w.n && w.s[0] != '#')) && !t->skips_lines) {
			report_unexpected_line(t, "outside-block", w.s, (size_t)(line + len - w.s),
				"#BEGIN_TB before it (a raw trace is grouped by trace-pack --group)", f);
			if (!trace_report_fault(t, f))
				return -1;
			t->skips_lines = true;
		}
		if (t->skips_lines && tok_is(w, "thread"))
			return 1;
		text_next(t, line + len);
		if (found)
			return 1;
	}
	return r;
}

static int report_small_grid(const struct trace *t, struct fault *f)
{
	return fault_set(f, (struct place){t->name, t->line - 1, 0}, "grid-small",
		"more thread blocks than the %llu of grid %u,%u,%u (expected the end of the file)",
		(unsigned long long)t->blocks, t->header.grid[0], t->header.grid[1], t->header.grid[2]);
}

/* Returns 1 if the next line belongs to a raw trace, which only a watcher can read; 0 if it does not; or -1. */
static int is_raw_line_next(struct trace *t, struct fault *f)
{
	const char *line;
	size_t len;
	int r = 0;
	if (!t->options.watch || t->blocks)
		return 0;
	while ((r = text_line(t, &line, &len, f)) > 0) {
		const char *p = line;
		struct tok w = tok_next(&p, line + len);
		if (w.n && w.s[0] != '#')
			return raw_is_line(t, line, len);
		if (tok_is(w, "#BEGIN_TB"))
			return 0;
		text_next(t, line + len);
	}
	return r;
}

int trace_next(struct trace *t, struct tblock *tb, struct fault *f)
{
	uint64_t unknown = t->unknown_recs;

	if (t->end_reported || (t->blocks == kernel_blocks(&t->header) && !t->options.watch))
		return 0;
	int r = t->columns_are_records ? packed_next(t, tb, f) : is_raw_line_next(t, f);
	if (r > 0 && !t->columns_are_records)
		return raw_read(t, tb, f);
	if (r == 0 && !t->columns_are_records)
		r = skip_to_next_block(t, f);
	if (r < 0)
		return -1;
	if (r == 0) {
		t->end_reported = true;
		if (t->blocks >= kernel_blocks(&t->header) || (t->header.is_slice && t->blocks))
			return 0;
		report_early_end(t, false, f);
		return trace_report_fault(t, f) ? 0 : -1;
	}
	if (t->blocks == kernel_blocks(&t->header)) {
		report_small_grid(t, f);
		if (!trace_report_fault(t, f))
			return -1;
		t->loose_grid = true;
	}
	if (!t->columns_are_records && read_block(t, tb, f) < 0)
		return -1;
	t->blocks++;
	tb->n_unknown = (uint32_t)(t->unknown_recs - unknown);
	if (t->options.computes_hash)
		t->checksum = checksum_block(t->checksum, t->options.code, tb, t->header.ptx);
	return 1;
}

int trace_finish(struct trace *t, struct fault *f)
{
	int r = t->columns_are_records ? packed_finish(t, f) : 0;
	if (r == 0 && !t->columns_are_records)
		r = skip_to_next_block(t, f);
	text_release(t);
	if (r > 0)
		return report_small_grid(t, f);
	t->finished = r == 0;
	if (r == 0 && t->options.watch && t->no_newline) {
		fault_set(f, (struct place){t->name, t->line - 1, 0}, "final-newline",
			"no newline at the end of the file");
		trace_report_fault(t, f);
	}
	return r;
}

uint64_t trace_checksum(const struct trace *t) { return t->checksum; }

void trace_hash(const struct trace *t, unsigned char out[16])
{
	assert(t->finished && t->hash);
	if (t->stored_hash) {
		memcpy(out, t->stored_hash, 16);
		return;
	}
	XXH128_canonical_t c;
	XXH128_canonicalFromHash(&c, XXH3_128bits_digest(t->hash));
	memcpy(out, c.digest, 16);
}
