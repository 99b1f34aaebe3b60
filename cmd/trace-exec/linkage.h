/* SPDX-License-Identifier: BSD-2-Clause */
/* How a program was linked: why --run met no call of the CUDA runtime. */
#ifndef LINKAGE_H
#define LINKAGE_H

enum linkage {
	LINKAGE_OTHER,          /* no ELF file of this kind of processor (a script), or one without CUDA */
	LINKAGE_STATIC,         /* statically: no library can be loaded in front of another */
	LINKAGE_STATIC_RUNTIME, /* dynamically, with the CUDA runtime inside */
	LINKAGE_RUNTIME         /* dynamically, with libcudart.so */
};

/* Linkage of a program that execvp() would find by name. */
enum linkage linkage_of(const char *name);

#endif
