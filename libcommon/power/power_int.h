/* SPDX-License-Identifier: BSD-2-Clause */
/* Interface between the files of libcommon/power. */
#ifndef POWER_INT_H
#define POWER_INT_H

#include "bytes.h"
#include "power.h"

/*
 * Reads the whole file, which has at most POWER_FILE_MAX bytes. Returns 0, or -1 and sets *f. The caller frees *b in
 * both cases.
 */
int power_load(struct bytes *b, const char *path, struct fault *f);
/* Copies the first line of text (n bytes) to line without its newline. Returns the line's size with its newline. */
size_t power_line(struct bytes *line, const char *text, size_t n);
/* Parses the finite number at the start of text and sets *end to the rest. Returns false if there is none. */
bool power_read_number(const char *text, const char **end, double *out);

#endif
