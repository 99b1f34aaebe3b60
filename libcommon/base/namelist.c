/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists of name patterns. In the worst case, a match takes time proportional to the product of the lengths of pattern
 * and name.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "namelist.h"

void namelist_add(struct namelist *l, const char *text)
{
	for (;;) {
		size_t n = strcspn(text, ",");

		if (n) {
			l->pattern = xrealloc(l->pattern, l->n + 1, sizeof(*l->pattern));
			l->pattern[l->n++] = xstrndup(text, n);
		}
		if (!text[n])
			return;
		text += n + 1;
	}
}

bool namelist_matches(const char *pattern, const char *name)
{
	const char *star = NULL, *retry = NULL;

	while (*name) {
		if (*pattern == '*') {
			star = ++pattern;
			retry = name;
		} else if (*pattern == '?' || *pattern == *name) {
			pattern++;
			name++;
		} else if (star) {
			pattern = star;
			name = ++retry;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

long namelist_find(const struct namelist *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (namelist_matches(l->pattern[i], name))
			return (long)i;
	return -1;
}

void namelist_free(struct namelist *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->pattern[i]);
	free(l->pattern);
	*l = (struct namelist){0};
}
