/* SPDX-License-Identifier: BSD-2-Clause */
/* Internal to libcommon/power. */
#ifndef POWER_INT_H
#define POWER_INT_H

#include "bytes.h"
#include "power.h"

/*
 * Reads the whole file, at most POWER_FILE_MAX bytes. Returns 0, or -1 and sets *f; the caller frees *b in both
 * cases.
 */
int power_load(struct bytes *b, const char *path, struct fault *f);
/* Copies the first line of text (n bytes) without its newline to line. Returns its size with a newline. */
size_t power_line(struct bytes *line, const char *text, size_t n);
/* Parses the finite number at the start of text; *end is the rest. Returns false if there is none. */
bool power_read_number(const char *text, const char **end, double *out);

#endif
