/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of picks files, which checks every line, and writer.
 *
 * Always true: picks that were read are consistent, so later code need not check them. Numbers that were written read
 * back as the same values. picks_fit() checks whether the picks belong to a list.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "input.h"
#include "num.h"
#include "picks.h"

/* The line that is being read. Blanks separate its words. */
struct picks_line {
	struct picks *picks;
	const char *position;   /* current position */
	const char *line_start; /* start of the line */
	struct place place;
	struct fault *fault;
};

static struct place pick_place(const struct picks_line *l, const char *at)
{
	return (struct place){l->place.file, l->place.line, place_column(l->line_start, at)};
}

static int report_bad_pick(const struct picks_line *l, const char *at, const char *wanted)
{
	size_t n = strcspn(at, " \t");
	char q[60];

	if (!n)
		return fault_set(
			l->fault, pick_place(l, at), "picks", "the line ends early (expected %s)", wanted);
	return fault_set(l->fault, pick_place(l, at), "picks", "unexpected '%s' (expected %s)",
		diag_quote(q, sizeof(q), at, n), wanted);
}

static void skip_pick_blanks(struct picks_line *l) { l->position += strspn(l->position, " \t"); }

/* Returns the start of the next word and moves past the word. */
static const char *next_pick_word(struct picks_line *l, size_t *n)
{
	skip_pick_blanks(l);
	const char *w = l->position;
	*n = strcspn(w, " \t");
	l->position += *n;
	return w;
}

static int parse_whole_number(struct picks_line *l, uint64_t max, uint32_t *out, const char *wanted)
{
	size_t n;
	const char *w = next_pick_word(l, &n);
	uint64_t v;

	if (!num_whole(w, n, max, &v) || !v)
		return report_bad_pick(l, w, wanted);
	*out = (uint32_t)v;
	return 0;
}

static int parse_positive(struct picks_line *l, double *out, const char *wanted)
{
	size_t n;
	const char *w = next_pick_word(l, &n), *end = w;

	if (num_real(&end, out) != NUM_GOOD || end != w + n || !(*out > 0) || !isfinite(*out))
		return report_bad_pick(l, w, wanted);
	return 0;
}

/* ---- the first line ----------------------------------------------------------------------- */

static int parse_hash(struct picks_line *l, const char *w, size_t n)
{
	unsigned char *h = l->picks->hash;

	for (size_t i = 0; n == 32 && i < 32; i++) {
		const char *digits = "0123456789abcdef", *d = memchr(digits, w[i], 16);

		if (!d)
			n = 0;
		else
			h[i / 2] = (unsigned char)(h[i / 2] << 4 | (d - digits));
	}
	return n == 32 ? 0 : report_bad_pick(l, w, "32 hexadecimal digits, the hash of the list");
}

static bool pick_word_is(const char *w, size_t n, const char *what)
{
	return n == strlen(what) && !memcmp(w, what, n);
}

/* Reads a setting of version 2. Returns 1, 0 if the word is another one, or -1 on a fault. */
static int parse_picks_part(struct picks_line *l, const char *w, size_t name, const char *v, size_t n)
{
	const bool part = pick_word_is(w, name, "part");
	uint64_t kernels;

	if (!part && !pick_word_is(w, name, "missing"))
		return 0;
	if (!num_whole(v, n, PICKS_MAX, &kernels) || !kernels)
		return report_bad_pick(
			l, v, part ? "the number of kernels of the part" : "the number of missing kernels");
	*(part ? &l->picks->n_part : &l->picks->n_missing) = (uint32_t)kernels;
	return 1;
}

/* Reads "name=value". Ignores unknown names, which a newer program may write. */
static int parse_setting(struct picks_line *l, unsigned version, unsigned *seen)
{
	size_t n, name;
	const char *w = next_pick_word(l, &n), *v = memchr(w, '=', n);
	uint64_t kernels;

	if (!v)
		return report_bad_pick(l, w, "NAME=VALUE");
	name = (size_t)(v++ - w);
	n -= name + 1;
	int part = version >= 2 ? parse_picks_part(l, w, name, v, n) : 0;
	if (part)
		return part < 0 ? -1 : 0;
	if (pick_word_is(w, name, "list")) {
		*seen |= 1;
		return parse_hash(l, v, n);
	}
	if (pick_word_is(w, name, "kernels")) {
		*seen |= 2;
		if (!num_whole(v, n, PICKS_MAX, &kernels) || !kernels)
			return report_bad_pick(l, v, "the number of kernels of the list");
		l->picks->n_kernels = (uint32_t)kernels;
	} else if (pick_word_is(w, name, "of")) {
		if (!num_whole(v, n, PICKS_MAX, &kernels) || !kernels)
			return report_bad_pick(l, v, "the number of kernels of the application");
		l->picks->n_all = (uint32_t)kernels;
	} else if (pick_word_is(w, name, "method")) {
		if (!n || n >= sizeof(l->picks->method))
			return report_bad_pick(l, v, "the name of a method");
		memcpy(l->picks->method, v, n);
	} else if (pick_word_is(w, name, "error")) {
		const char *end = v;

		if (num_real(&end, &l->picks->error) != NUM_GOOD || end != v + n)
			return report_bad_pick(l, v, "an error as a fraction");
	}
	return 0;
}

static int parse_first_line(struct picks_line *l)
{
	size_t n;
	const char *w = next_pick_word(l, &n);
	unsigned seen = 0;

	if (!pick_word_is(w, n, "picks"))
		return report_bad_pick(l, w, "'picks 1 list=HASH kernels=N', the first line of a picks file");
	w = next_pick_word(l, &n);
	if (!pick_word_is(w, n, "1") && !pick_word_is(w, n, "2"))
		return report_bad_pick(l, w, "picks file version 1 or 2");
	const unsigned version = (unsigned)(*w - '0');
	for (skip_pick_blanks(l); *l->position; skip_pick_blanks(l))
		if (parse_setting(l, version, &seen) < 0)
			return -1;
	if (seen != 3)
		return report_bad_pick(l, l->position, "list=HASH and kernels=N in the first line");
	if (!l->picks->n_all)
		l->picks->n_all = l->picks->n_kernels;
	if (l->picks->n_all < l->picks->n_kernels)
		return report_bad_pick(l, l->position, "of=N at least kernels=N");
	if (l->picks->n_part > l->picks->n_all)
		return report_bad_pick(
			l, l->position, "part=N at most the number of kernels of the application");
	if (l->picks->n_missing >= (l->picks->n_part ? l->picks->n_part : l->picks->n_all))
		return report_bad_pick(
			l, l->position, "missing=N with N below the number of kernels of the part");
	l->picks->line = l->place.line;
	return 0;
}

/* ---- strata and picks --------------------------------------------------------------------- */

/* Reads "spread=S" after a stratum's kernels, if present. */
static int parse_spread(struct picks_line *l, double *spread)
{
	static const char name[] = "spread=";

	skip_pick_blanks(l);
	if (strncmp(l->position, name, sizeof(name) - 1) != 0)
		return 0;
	l->position += sizeof(name) - 1;
	return parse_positive(l, spread, "a spread, a number above 0");
}

static int parse_stratum(struct picks_line *l)
{
	struct picks *p = l->picks;
	struct pick_stratum s = {0};
	const char *at = l->position;

	if (parse_whole_number(l, PICKS_MAX, &s.label, "the number of a stratum, from 1") < 0 ||
		parse_whole_number(
			l, p->n_all, &s.kernels, "how many kernels of the application the stratum has") < 0 ||
		parse_spread(l, &s.spread) < 0)
		return -1;
	if (s.label != p->n_strata + 1)
		return report_bad_pick(
			l, at + strspn(at, " \t"), "strata numbered 1, 2, 3, ... in their order");
	grow(&p->stratum, &p->cap_strata, p->n_strata + 1, sizeof(*p->stratum));
	p->stratum[p->n_strata++] = s;
	return 0;
}

static int parse_pick(struct picks_line *l)
{
	struct picks *p = l->picks;
	struct pick k = {.size = 1};
	uint32_t label = 0;
	const char *at = l->position;

	if (parse_whole_number(l, p->n_kernels, &k.position, "the position of a kernel of the list") < 0 ||
		parse_positive(l, &k.weight, "a weight, a number above 0") < 0)
		return -1;
	if (p->n && k.position <= p->pick[p->n - 1].position)
		return report_bad_pick(l, at, "positions in ascending order");
	skip_pick_blanks(l);
	at = l->position;
	if (parse_whole_number(l, PICKS_MAX, &label, "the number of a stratum") < 0)
		return -1;
	k.stratum = label - 1;
	if (label > p->n_strata)
		return report_bad_pick(l, at, "a stratum of an earlier line 'stratum N KERNELS'");
	skip_pick_blanks(l);
	if (*l->position && parse_positive(l, &k.size, "a size, a number above 0") < 0)
		return -1;
	p->stratum[k.stratum].picked++;
	grow(&p->pick, &p->cap, p->n + 1, sizeof(*p->pick));
	p->pick[p->n++] = k;
	return 0;
}

static int parse_pick_line(struct picks_line *l)
{
	size_t n;

	skip_pick_blanks(l);
	if (!*l->position || *l->position == '#')
		return 0;
	if (!l->picks->line)
		return parse_first_line(l);
	const char *at = l->position, *w = next_pick_word(l, &n);
	if (pick_word_is(w, n, "stratum"))
		return parse_stratum(l);
	l->position = at;
	return parse_pick(l);
}

static int check_strata(const struct picks *p, struct fault *f)
{
	struct place at = {p->path, 0, 0};
	uint64_t kernels = 0;

	if (!p->line)
		return fault_set(f, at, "picks", "file is empty (expected picks, see trace-picks(5))");
	if (!p->n)
		return fault_set(f, at, "picks", "file has no pick");
	for (uint32_t i = 0; i < p->n_strata; i++) {
		const struct pick_stratum *s = &p->stratum[i];

		kernels += s->kernels;
		if (!s->picked)
			return fault_set(
				f, at, "picks", "stratum %u of %u kernels has no pick", s->label, s->kernels);
		if (s->picked > s->kernels)
			return fault_set(f, at, "picks", "%u picks in stratum %u, which has only %u kernels",
				s->picked, s->label, s->kernels);
	}
	if (kernels > picks_represented(p))
		return fault_set(f, at, "picks",
			"the strata contain %llu kernels (expected at most the %s %u)",
			(unsigned long long)kernels, p->n_part || p->n_missing ? "part's" : "application's",
			picks_represented(p));
	return 0;
}

int picks_parse(struct picks *p, struct input *in, struct fault *f)
{
	const char *text;
	size_t n;
	int r;

	*p = (struct picks){.path = input_name(in), .error = -1};
	input_skip_byte_order_mark(in);
	while ((r = input_line(in, &text, &n, f)) > 0) {
		struct place at = {p->path, input_lineno(in), 0};

		if (memchr(text, '\0', n))
			return fault_set(f, at, "picks", "NUL byte in a picks file (expected a text file)");
		char *copy = xstrndup(text, n);
		struct picks_line l = {p, copy, copy, at, f};
		r = parse_pick_line(&l);
		free(copy);
		if (r < 0)
			return -1;
	}
	return r < 0 ? -1 : check_strata(p, f);
}

void picks_free(struct picks *p)
{
	free(p->pick);
	free(p->stratum);
	*p = (struct picks){0};
}

uint32_t picks_represented(const struct picks *p)
{
	return (p->n_part ? p->n_part : p->n_all) - p->n_missing;
}

const struct pick *picks_at(const struct picks *p, uint32_t position)
{
	uint32_t lo = 0, hi = p->n;

	while (lo < hi) {
		uint32_t m = lo + (hi - lo) / 2;

		if (p->pick[m].position < position)
			lo = m + 1;
		else
			hi = m;
	}
	return lo < p->n && p->pick[lo].position == position ? &p->pick[lo] : NULL;
}

int picks_fit(const struct picks *p, const unsigned char hash[16], uint32_t n_kernels, struct fault *f)
{
	struct place at = {p->path, p->line, 0};

	if (p->n_kernels != n_kernels && p->n_part)
		return fault_set(f, at, "picks-list",
			"the picks were made for a part of %u kernels of a list of %u kernels (this list has %u)",
			p->n_part, p->n_kernels, n_kernels);
	if (p->n_kernels != n_kernels)
		return fault_set(f, at, "picks-list",
			"the picks were made for a list of %u kernels (this one has %u)", p->n_kernels,
			n_kernels);
	if (memcmp(p->hash, hash, 16) != 0)
		return fault_set(f, at, "picks-list",
			"the picks were made for another kernel list (the hash differs)");
	return 0;
}

/* ---- writing ------------------------------------------------------------------------------ */

void picks_write_head(FILE *out, const struct picks *p)
{
	fprintf(out, "picks %d list=", p->n_part || p->n_missing ? 2 : 1);
	for (unsigned i = 0; i < 16; i++)
		fprintf(out, "%02x", p->hash[i]);
	fprintf(out, " kernels=%u", p->n_kernels);
	if (p->n_all > p->n_kernels)
		fprintf(out, " of=%u", p->n_all);
	if (p->n_part)
		fprintf(out, " part=%u", p->n_part);
	if (p->n_missing)
		fprintf(out, " missing=%u", p->n_missing);
	if (*p->method)
		fprintf(out, " method=%s", p->method);
	if (p->error >= 0)
		fprintf(out, " error=%.4f", p->error);
	putc('\n', out);
}

void picks_write_stratum(FILE *out, const struct pick_stratum *s)
{
	fprintf(out, "stratum %u %u", s->label, s->kernels);
	if (s->spread > 0)
		fprintf(out, " spread=%.4g", s->spread);
}

void picks_write_pick(FILE *out, const struct pick *k, uint32_t label, const char *text)
{
	fprintf(out, "%u %.12g %u %.12g", k->position, k->weight, label, k->size);
	if (text)
		fprintf(out, " %s", text);
	putc('\n', out);
}
