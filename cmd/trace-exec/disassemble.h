/* SPDX-License-Identifier: BSD-2-Clause */
/* Option --disassemble: prints machine code in files as text. */
#ifndef DISASSEMBLE_H
#define DISASSEMBLE_H

#include <stdbool.h>
#include <stdio.h>

struct disassemble_options {
	const char *output; /* file; NULL or "-": stdout */
	unsigned sm;        /* only code for this compute capability; 0: all */
	bool json;
	bool control; /* print control codes */
	bool force;
};

/*
 * Writes the instructions of n files: cubins, fat binaries, or programs that contain them. Returns EXIT_GOOD,
 * or exits with a message.
 */
int disassemble_files(char *const *path, int n, const struct disassemble_options *o);
/* Prints the list of opcodes for the manual page. */
void disassemble_man(FILE *out);

#endif
