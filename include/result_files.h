/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of the programs that read results: a directory stands for the regular files in it. */
#ifndef RESULT_FILES_H
#define RESULT_FILES_H

#include <stdbool.h>

struct result_files {
	char **name; /* names of the files */
	int n;       /* number of names */
};

bool result_files_is_directory(const char *path);
/*
 * Sets *f to the names of the regular files of a directory, sorted, without those that begin with a dot. Opening a FIFO
 * could wait forever, so only regular files are listed. Ends the program if the directory cannot be read.
 */
void result_files_list(struct result_files *f, const char *directory);
/*
 * Sets *f to the paths of the n operands, with the files of a directory in its place. Ends the program if a directory
 * has no files.
 */
void result_files_of_operands(struct result_files *f, int n, char *const *operand);
/* Returns "directory/name", which the caller frees. */
char *result_files_join(const char *directory, const char *name);
void result_files_free(struct result_files *f);

#endif
