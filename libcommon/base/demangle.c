/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of C++ functions; see demangle.h. */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "demangle.h"

/* libstdc++, through its C interface. */
extern char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

#define NAME_MAX_DEMANGLED 4096u /* longer names are left as they are: demangling may take long */

/* Returns the end of the bracketed part that begins at p. */
static const char *end_of_brackets(const char *p)
{
	unsigned depth = 0;

	do {
		depth += strchr("(<[", *p) != NULL;
		depth -= strchr(")>]", *p) != NULL;
		p++;
	} while (*p && depth);
	return p;
}

/* Returns the last component of a demangled name. "(anonymous namespace)::f(int)" and "operator()" have brackets. */
static char *short_name(const char *name)
{
	const char *start = name, *end = NULL, *p = name;

	while (*p && !end) {
		if (!strncmp(p, "(anonymous namespace)", 21)) {
			p += 21;
		} else if (!strncmp(p, "operator", 8) && (p == name || p[-1] == ':' || p[-1] == ' ')) {
			start = p;
			p += 8;
			p += strspn(p, "()<>=!+-*/%&|^~[],");
			end = p;
		} else if (*p == '(' && p > start) {
			end = p;
		} else if (*p == '<' && p > start) {
			const char *after = end_of_brackets(p);

			if (*after == '(' || !*after)
				end = p;
			p = after;
		} else {
			if (*p == ' ' || (*p == ':' && p[1] == ':'))
				start = p + (*p == ' ' ? 1 : 2);
			p += *p == ':' && p[1] == ':' ? 2 : 1;
		}
	}
	end = end ? end : p;
	return end > start ? xstrndup(start, (size_t)(end - start)) : xstrdup(name);
}

char *demangle(const char *name, enum demangle_form form)
{
	char *full = NULL, *text;
	int status;

	if (form == DEMANGLE_MANGLED)
		return xstrdup(name);
	if (!strncmp(name, "_Z", 2) && strlen(name) <= NAME_MAX_DEMANGLED)
		full = __cxa_demangle(name, NULL, NULL, &status);
	if (form == DEMANGLE_FULL)
		text = xstrdup(full ? full : name);
	else
		text = short_name(full ? full : name);
	free(full);
	return text;
}
