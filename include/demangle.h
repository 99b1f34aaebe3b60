/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of C++ functions as people write them. libstdc++ demangles, and is loaded when the first mangled name appears. */
#ifndef DEMANGLE_H
#define DEMANGLE_H

enum demangle_form {
	DEMANGLE_SHORT,  /* without return type, template arguments, scope and parameters: "reduce" */
	DEMANGLE_FULL,   /* "void sum::reduce<int>(int*, int)" */
	DEMANGLE_MANGLED /* as it is */
};

/*
 * Returns the name in that form, for the caller to free. A name that is not mangled is shortened, or copied. Without
 * libstdc++.so.6 a mangled name is treated as if it were not mangled. May be called by several threads.
 */
char *demangle(const char *name, enum demangle_form form);

#endif
