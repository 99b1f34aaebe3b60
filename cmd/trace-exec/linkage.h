/* SPDX-License-Identifier: BSD-2-Clause */
/* Linkage of a program: the reason why --run saw no call of the CUDA runtime. */
#ifndef LINKAGE_H
#define LINKAGE_H

enum program_linkage {
	LINKAGE_OTHER,          /* not an ELF file (such as a script), or without CUDA */
	LINKAGE_FOREIGN,        /* for another processor */
	LINKAGE_STATIC,         /* static: no library can be preloaded */
	LINKAGE_STATIC_RUNTIME, /* dynamic, with the CUDA runtime inside */
	LINKAGE_RUNTIME         /* dynamic, with libcudart.so */
};

/* Returns the linkage of the program that execvp() would find by name. */
enum program_linkage linkage_of_program(const char *name);

#endif
