/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the files of results that the operands of a program name. An operand may be a directory of such files. */
#ifndef RESULT_FILES_H
#define RESULT_FILES_H

#include <stdbool.h>

struct result_files {
	char **name; /* names of the files */
	int n;       /* number of names */
};

/* Returns true if path is a directory or a symbolic link to one. "-" is standard input, not a directory. */
bool result_files_is_directory(const char *path);
/*
 * Sets *f to the names of the regular files of a directory, sorted, without those that begin with a dot. Opening a FIFO
 * could wait forever, so only regular files are listed. Ends the program if the directory cannot be read.
 */
void result_files_list(struct result_files *f, const char *directory);
/*
 * Sets *f to the paths of the n operands, with the regular files of a directory in its place. Ends the program if a
 * directory has no files.
 */
void result_files_of_operands(struct result_files *f, int n, char *const *operand);
/* Returns "directory/name", which the caller frees. */
char *result_files_join(const char *directory, const char *name);
/* Frees the names, and sets their number to 0. */
void result_files_free(struct result_files *f);

#endif
