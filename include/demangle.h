/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of C++ functions as in source code. libstdc++ demangles them; it is loaded at the first mangled name. */
#ifndef DEMANGLE_H
#define DEMANGLE_H

enum demangle_form {
	DEMANGLE_SHORT,  /* name without return type, template arguments, scope and parameters: "reduce" */
	DEMANGLE_FULL,   /* full name: "void sum::reduce<int>(int*, int)" */
	DEMANGLE_MANGLED /* mangled name, unchanged */
};

/*
 * Returns the name in the given form; the caller frees it. A name that is not mangled is shortened for DEMANGLE_SHORT
 * and copied for the other forms. Without libstdc++.so.6 a mangled name is treated as not mangled. The function is
 * thread-safe.
 */
char *demangle(const char *name, enum demangle_form form);

#endif
