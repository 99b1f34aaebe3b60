/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of C++ functions as in source code. libstdc++ demangles; it is loaded when the first mangled name appears. */
#ifndef DEMANGLE_H
#define DEMANGLE_H

enum demangle_form {
	DEMANGLE_SHORT,  /* without return type, template arguments, scope and parameters: "reduce" */
	DEMANGLE_FULL,   /* the full name: "void sum::reduce<int>(int*, int)" */
	DEMANGLE_MANGLED /* the mangled name, unchanged */
};

/*
 * Returns the name in that form; the caller frees it. A name that is not mangled is shortened for DEMANGLE_SHORT,
 * else copied. Without libstdc++.so.6 a mangled name is treated like others. Several threads may call this function.
 */
char *demangle(const char *name, enum demangle_form form);

#endif
