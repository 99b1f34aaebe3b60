/* SPDX-License-Identifier: BSD-2-Clause */
/* Code lines of headers of traces from PTX as a few numbers each; see lines.c. */
#ifndef PACK_LINES_H
#define PACK_LINES_H

#include "buf.h"

/*
 * Appends the bytes of the whole code lines from s to end. Returns false if a line is not in the usual form.
 */
bool lines_pack(struct buf *out, const char *s, const char *end);
/* Appends the text of code lines. Returns false if the bytes are damaged. */
bool lines_unpack(struct buf *text, struct cur in);

#endif
