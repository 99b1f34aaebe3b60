/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Selection of kernels: positions, ranges and name patterns of -k.
 *
 * Always true: a selection has at least one item, or is a picks file. An item of digits and '-' is a position or a
 * range. Any other item is a pattern, in which '*' matches any text and '?' one character. The caller checks whether
 * an item matches any kernel.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "klist.h"
#include "namelist.h"
#include "num.h"
#include "output.h"
#include "picks.h"

struct kselect_item {
	uint32_t first; /* first position; 0 for a pattern */
	uint32_t last;  /* last position */
	char *pattern;
};

struct kselect {
	struct kselect_item *item;
	uint32_t n;          /* number of items */
	uint32_t cap;        /* number of allocated items */
	struct picks *picks; /* picks of a file; NULL: the selection has items */
};

/* Parses the decimal digits at *s and moves *s past them. Returns 0 if there are none or the number is too large. */
static uint32_t position(const char **s, const char *end)
{
	uint64_t v;
	return num_digits(s, end, 10, UINT32_MAX, &v) == NUM_GOOD ? (uint32_t)v : 0;
}

static int parse_item(
	struct kselect_item *it, const char *s, const char *end, struct place at, struct fault *f)
{
	char q[80];
	size_t n = (size_t)(end - s);
	if (strspn(s, "0123456789-") < n) {
		*it = (struct kselect_item){.pattern = xstrndup(s, n)};
		return 0;
	}
	const char *p = s;
	it->pattern = NULL;
	it->first = it->last = position(&p, end);
	if (p < end && *p == '-') {
		p++;
		it->last = p == end ? UINT32_MAX : position(&p, end);
	}
	if (!it->first || p != end || it->last < it->first)
		return fault_set(f, at, "kernel-list",
			"invalid selection '%s' (expected a position from 1 ('3'), a range ('7-9', '12-') or a name pattern)",
			diag_quote(q, sizeof(q), s, n));
	return 0;
}

/* Reads the picks of "@FILE". */
static struct kselect *select_picks_of_file(const char *path, struct fault *f)
{
	struct kselect *s = xcalloc(1, sizeof(*s));

	s->picks = xcalloc(1, sizeof(*s->picks));
	if (picks_read(s->picks, path, f) == 0)
		return s;
	kselect_free(s);
	return NULL;
}

const struct picks *kselect_picks(const struct kselect *s) { return s ? s->picks : NULL; }

void kselect_check_output(const struct kselect *s, const char *output)
{
	if (kselect_picks(s))
		output_check_input(output, kselect_picks(s)->path);
}

void klist_hash(const struct klist *k, unsigned char out[16])
{
	struct list_hash *h = list_hash_new();

	for (uint32_t i = 0; i < k->n_cmds; i++)
		list_hash_line(h, k->cmd[i].text, strlen(k->cmd[i].text));
	list_hash_end(h, out);
}

int kselect_check_list(const struct kselect *s, const struct klist *k, struct fault *f)
{
	unsigned char hash[16];

	if (!kselect_picks(s))
		return 0;
	klist_hash(k, hash);
	return picks_fit(s->picks, hash, k->n_kernels, f);
}

void kselect_warn_beyond(const struct kselect *s, uint32_t n_kernels)
{
	for (uint32_t i = 0; s && i < s->n; i++) {
		const struct kselect_item *it = &s->item[i];
		if (!it->pattern && it->first > n_kernels)
			diag_warn(NOWHERE, "-k: kernel %u: the list has only %u kernel%s", it->first,
				n_kernels, n_kernels == 1 ? "" : "s");
	}
}

struct kselect *kselect_parse(const char *text, struct fault *f)
{
	if (*text == '@')
		return select_picks_of_file(text + 1, f);
	struct kselect *s = xcalloc(1, sizeof(*s));
	for (const char *p = text;; p++) {
		const char *end = p + strcspn(p, ",");
		struct place at = {"-k", 0, place_column(text, p)};
		grow(&s->item, &s->cap, s->n + 1, sizeof(s->item[0]));
		if (parse_item(&s->item[s->n], p, end, at, f) < 0) {
			kselect_free(s);
			return NULL;
		}
		s->n++;
		p = end;
		if (!*p)
			return s;
	}
}

bool kselect_selects(const struct kselect *s, uint32_t pos, const char *name)
{
	if (!s)
		return true;
	if (s->picks)
		return picks_at(s->picks, pos) != NULL;
	for (uint32_t i = 0; i < s->n; i++) {
		const struct kselect_item *it = &s->item[i];
		if (it->pattern ? name && namelist_matches(it->pattern, name)
				: pos >= it->first && pos <= it->last)
			return true;
	}
	return false;
}

bool kselect_needs_name(const struct kselect *s)
{
	for (uint32_t i = 0; s && i < s->n; i++)
		if (s->item[i].pattern)
			return true;
	return false;
}

bool kselect_may_select(const struct kselect *s, uint32_t pos)
{
	return kselect_needs_name(s) || kselect_selects(s, pos, NULL);
}

void kselect_free(struct kselect *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->n; i++)
		free(s->item[i].pattern);
	if (s->picks)
		picks_free(s->picks);
	free(s->picks);
	free(s->item);
	free(s);
}
