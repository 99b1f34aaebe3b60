/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows of a profile, summed over kernels; see hotspots.h.
 *
 * Always true: texts of rows are from diag_keep(), so equal texts have equal addresses; each cycle is in exactly one
 * row, except that HOTSPOTS_BY_STALL omits issue cycles.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "hotspots.h"
#include "base/utf8.h"

static const char *const reasons[HOTSPOTS_N_REASONS] = {
#define HOTSPOTS_REASON(name) #name,
	HOTSPOTS_REASONS(HOTSPOTS_REASON)
#undef HOTSPOTS_REASON
};

const char *hotspots_reason_name(int reason)
{
	return reason >= 0 && reason < HOTSPOTS_N_REASONS ? reasons[reason] : "";
}

static int find_reason(const char *text, size_t n)
{
	for (int i = 0; i < HOTSPOTS_N_REASONS; i++)
		if (strlen(reasons[i]) == n && !memcmp(reasons[i], text, n))
			return i;
	return -1;
}

int hotspots_by_find(const char *word)
{
	const char *at = HOTSPOTS_BY_WORDS;

	for (int i = 0; i < HOTSPOTS_N_BY; i++) {
		size_t n = strcspn(at, " ");

		if (strlen(word) == n && !memcmp(word, at, n))
			return i;
		at += n + (at[n] == ' ');
	}
	return -1;
}

struct hotspots *hotspots_new(enum hotspots_by by)
{
	struct hotspots *t = xcalloc(1, sizeof(*t));

	t->row_contents = by;
	return t;
}

void hotspots_free(struct hotspots *t)
{
	if (!t)
		return;
	table_free(&t->rows);
	free(t->row);
	free(t);
}

/* ---- rows ----------------------------------------------------------------------------------------- */

static struct hotspot *find_or_add_row(struct hotspots *t, const struct hotspot *is)
{
	uint64_t word[5] = {(uintptr_t)is->kernel, (uintptr_t)is->pc, (uintptr_t)is->opcode,
		(uintptr_t)is->line, (uint64_t)(is->reason + 1)};
	uint64_t hash = table_hash_words(word, 5);

	FOR_TABLE (w, &t->rows, hash) {
		struct hotspot *r = &t->row[w.number];

		if (r->kernel == is->kernel && r->pc == is->pc && r->opcode == is->opcode &&
			r->line == is->line && r->reason == is->reason)
			return r;
	}
	table_add(&t->rows, hash, t->n);
	grow(&t->row, &t->cap, t->n + 1, sizeof(*t->row));
	t->row[t->n] = *is;
	return &t->row[t->n++];
}

/* Returns the end of an opcode: a single colon. A double colon is part of the opcode ("shared::cluster"). */
static const char *end_of_opcode(const char *p, const char *end)
{
	for (; p < end; p++) {
		if (*p != ':')
			continue;
		if (p + 1 == end || p[1] != ':')
			break;
		p++;
	}
	return p;
}

bool hotspots_parse_inst(const char *text, size_t n, struct hotspots_inst *to)
{
	const char *end = text + n, *a = memchr(text, ':', n), *b, *c;
	uint64_t line = 0;

	if (!a)
		return false;
	b = end_of_opcode(a + 1, end);
	*to = (struct hotspots_inst){
		.pc = text, .opcode = a + 1, .n_pc = (size_t)(a - text), .n_opcode = (size_t)(b - a - 1)};
	to->place = b < end ? b + 1 : end;
	to->n_place = (size_t)(end - to->place);
	for (c = end; c > to->place && c[-1] != ':';)
		c--;
	to->n_file = c > to->place ? (size_t)(c - 1 - to->place) : 0;
	for (; c < end && *c >= '0' && *c <= '9' && line <= UINT32_MAX; c++)
		line = 10 * line + (unsigned)(*c - '0');
	to->line = c == end && line <= UINT32_MAX ? (uint32_t)line : 0;
	return true;
}

const char *hotspots_quote_file(char out[HOTSPOTS_FILE_CAP], const char *file)
{
	static const char digit[] = "0123456789abcdef";
	const char *slash;
	size_t n = strlen(file), at = 0;

	if (n > HOTSPOTS_FILE_MAX) {
		file += n - HOTSPOTS_FILE_MAX;
		slash = strchr(file, '/');
		file = slash && slash[1] ? slash + 1 : file;
		n = strlen(file);
	}
	for (size_t i = 0; i < n;) {
		unsigned len = utf8_printable(file + i, n - i);
		unsigned char c = (unsigned char)file[i];

		len = strchr("[]\\", c) || (!i && c == ':') ? 0 : len;
		if (len)
			memcpy(out + at, file + i, len);
		else
			memcpy(out + at, (char[4]){'\\', 'x', digit[c >> 4], digit[c & 15]}, 4);
		at += len ? len : 4;
		i += len ? len : 1;
	}
	out[at] = '\0';
	return out;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

char *hotspots_unquote_file(const char *text, size_t n)
{
	char *out = xmalloc(n + 1);
	size_t at = 0;

	for (size_t i = 0; i < n;) {
		bool quoted = n - i >= 4 && text[i] == '\\' && text[i + 1] == 'x' &&
			      hex_digit(text[i + 2]) >= 0 && hex_digit(text[i + 3]) >= 0;

		out[at] = text[i];
		if (quoted)
			out[at] = (char)(hex_digit(text[i + 2]) << 4 | hex_digit(text[i + 3]));
		at++;
		i += quoted ? 4 : 1;
	}
	out[at] = '\0';
	return out;
}

static const char *keep_text_copy(const char *text, size_t n)
{
	char *copy = xstrndup(text, n);
	const char *kept = diag_keep(copy);

	free(copy);
	return kept;
}

/* Returns the row for cycles of a reason at an instruction; NULL if these cycles have no row. */
static struct hotspot *find_row_of_reason(
	struct hotspots *t, const char *kernel, const struct hotspots_inst *w, int reason)
{
	const char *none = diag_keep("");
	struct hotspot is = {none, none, none, none, .reason = -1};
	bool by_inst = t->row_contents == HOTSPOTS_BY_STALL || t->row_contents == HOTSPOTS_BY_PC;

	if (t->row_contents == HOTSPOTS_BY_STALL && reason == HOTSPOTS_issue)
		return NULL;
	if (t->row_contents != HOTSPOTS_BY_REASON)
		is.kernel = kernel;
	if (t->row_contents == HOTSPOTS_BY_STALL || t->row_contents == HOTSPOTS_BY_REASON)
		is.reason = reason;
	if (by_inst && w) {
		is.pc = keep_text_copy(w->pc, w->n_pc);
		is.opcode = keep_text_copy(w->opcode, w->n_opcode);
	}
	if ((by_inst || t->row_contents == HOTSPOTS_BY_LINE) && w)
		is.line = keep_text_copy(w->place, w->n_place);
	return find_or_add_row(t, &is);
}

static void add_cycles(struct hotspots *t, int side, const char *kernel, const struct hotspots_inst *w,
	int reason, uint64_t n)
{
	struct hotspot *r = n ? find_row_of_reason(t, kernel, w, reason) : NULL;

	if (!r)
		return;
	r->cycles[side] += n;
	r->by_reason[side][reason] += n;
}

/* ---- figures -------------------------------------------------------------------------------------- */

static bool has_name_prefix(const char *s, const char *word) { return !strncmp(s, word, strlen(word)); }

/*
 * Adds sched_cycles[REASON] of the whole kernel to left. The cycles of instructions are subtracted from left later.
 */
static void add_total_cycles(const struct result_figure *f, uint64_t left[HOTSPOTS_N_REASONS])
{
	const char *name = f->name + strlen("sched_cycles["), *end = strchr(name, ']');
	int reason = end ? find_reason(name, (size_t)(end - name)) : -1;

	if (reason >= 0)
		left[reason] += f->value.count;
}

static void add_pc_cycles(struct hotspots *t, int side, const char *kernel, const struct result_figure *f,
	uint64_t left[HOTSPOTS_N_REASONS])
{
	const char *inner = f->name + strlen("pc["), *end = strchr(inner, ']'), *tail = end ? end + 1 : "";
	struct hotspots_inst w;
	int reason;

	if (!end || !hotspots_parse_inst(inner, (size_t)(end - inner), &w))
		return;
	if (!strcmp(tail, ".issues")) {
		struct hotspot *r =
			t->row_contents == HOTSPOTS_BY_STALL || t->row_contents == HOTSPOTS_BY_REASON
				? NULL
				: find_row_of_reason(t, kernel, &w, -1);

		if (r)
			r->issues[side] += f->value.count;
	} else if (has_name_prefix(tail, ".cycles[") && (end = strchr(tail + 8, ']'))) {
		reason = find_reason(tail + 8, (size_t)(end - tail - 8));
		if (reason < 0)
			return;
		add_cycles(t, side, kernel, &w, reason, f->value.count);
		left[reason] -= f->value.count < left[reason] ? f->value.count : left[reason];
	}
}

bool hotspots_add(struct hotspots *t, int side, const struct result_item *item)
{
	const char *kernel = diag_keep(item->kernel.name);
	uint64_t left[HOTSPOTS_N_REASONS] = {0};
	bool profile = false;

	for (uint32_t i = 0; i < item->n_figures; i++) {
		profile |= has_name_prefix(item->figure[i].name, "sched_cycles");
		if (has_name_prefix(item->figure[i].name, "sched_cycles["))
			add_total_cycles(&item->figure[i], left);
	}
	for (int c = 0; c < HOTSPOTS_N_REASONS; c++)
		t->total_cycles[side] += left[c];
	for (uint32_t i = 0; i < item->n_figures; i++)
		if (has_name_prefix(item->figure[i].name, "pc["))
			add_pc_cycles(t, side, kernel, &item->figure[i], left);
	for (int c = 0; c < HOTSPOTS_N_REASONS; c++)
		add_cycles(t, side, kernel, NULL, c, left[c]);
	return profile;
}

bool hotspots_lack_lines(const struct hotspots *t, const char *name)
{
	if (t->row_contents != HOTSPOTS_BY_LINE || !t->n)
		return false;
	for (uint32_t i = 0; i < t->n; i++)
		if (*t->row[i].line)
			return false;
	diag_warn((struct place){.file = name},
		"the trace has no source lines (expected -enable lineinfo 1 of the tracer, or .loc of PTX)");
	return true;
}

/* ---- the order ------------------------------------------------------------------------------------ */

enum hotspots_reason hotspots_main_reason(const struct hotspot *r, int side)
{
	int most = HOTSPOTS_issue;

	if (r->reason >= 0)
		return (enum hotspots_reason)r->reason;
	for (int c = HOTSPOTS_issue + 1; c < HOTSPOTS_N_REASONS; c++)
		if (r->by_reason[side][c] > (most == HOTSPOTS_issue ? 0 : r->by_reason[side][most]))
			most = c;
	return (enum hotspots_reason)most;
}

static int compare_places(const struct hotspot *a, const struct hotspot *b)
{
	int order = strcmp(a->kernel, b->kernel);

	order = order ? order : strverscmp(a->pc, b->pc);
	order = order ? order : strcmp(a->opcode, b->opcode);
	order = order ? order : strverscmp(a->line, b->line);
	return order ? order : a->reason - b->reason;
}

static int compare_cycles(const void *pa, const void *pb)
{
	const struct hotspot *a = pa, *b = pb;

	if (a->cycles[0] != b->cycles[0])
		return a->cycles[0] > b->cycles[0] ? -1 : 1;
	return compare_places(a, b);
}

static uint64_t cycles_changed(const struct hotspot *r)
{
	return r->cycles[0] > r->cycles[1] ? r->cycles[0] - r->cycles[1] : r->cycles[1] - r->cycles[0];
}

static int compare_hotspot_change(const void *pa, const void *pb)
{
	const struct hotspot *a = pa, *b = pb;

	if (cycles_changed(a) != cycles_changed(b))
		return cycles_changed(a) > cycles_changed(b) ? -1 : 1;
	return compare_places(a, b);
}

void hotspots_sort(struct hotspots *t, bool both)
{
	if (t->n)
		qsort(t->row, t->n, sizeof(*t->row), both ? compare_hotspot_change : compare_cycles);
	table_clear(&t->rows);
}
