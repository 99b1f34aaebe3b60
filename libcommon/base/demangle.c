/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of C++ functions; see demangle.h. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "demangle.h"

/* __cxa_demangle() of the C++ ABI: returns the demangled name in memory from malloc(), or NULL on failure. */
typedef char *(*abi_demangle)(const char *mangled, char *buffer, size_t *length, int *status);

static abi_demangle demangle_cxx;

/*
 * Loads libstdc++ and finds __cxa_demangle(). demangle_cxx remains NULL without it. A program linked with libstdc++
 * would load it at each start, which takes 2.0 M instructions of 9.0 M on vectoradd-gtx1080 (qv100), whether a name
 * is demangled or not.
 */
static void load_demangler(void)
{
	void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL), *symbol;

	if (library && (symbol = dlsym(library, "__cxa_demangle")))
		memcpy(&demangle_cxx, &symbol, sizeof symbol);
}

/* Returns the demangled name, which the caller frees; NULL if it cannot be demangled. */
static char *demangled(const char *mangled)
{
	static pthread_once_t loaded = PTHREAD_ONCE_INIT;
	int status;

	pthread_once(&loaded, load_demangler);
	return demangle_cxx ? demangle_cxx(mangled, NULL, NULL, &status) : NULL;
}

/* Largest length of a name that is demangled; a longer one may take long. */
#define NAME_MAX_DEMANGLED 4096u

/* Returns the end of the part in brackets that begins at p. */
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

/*
 * Returns the last component of a demangled name. The component may contain brackets: "(anonymous
 * namespace)::f(int)", "operator()".
 */
static char *last_name_component(const char *name)
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

	if (form == DEMANGLE_MANGLED)
		return xstrdup(name);
	if (!strncmp(name, "_Z", 2) && strlen(name) <= NAME_MAX_DEMANGLED)
		full = demangled(name);
	if (form == DEMANGLE_FULL)
		text = xstrdup(full ? full : name);
	else
		text = last_name_component(full ? full : name);
	free(full);
	return text;
}
