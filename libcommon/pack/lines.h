/* SPDX-License-Identifier: BSD-2-Clause */
/* "-code" lines in headers of traces from PTX, as a few numbers each; see lines.c. */
#ifndef PACK_LINES_H
#define PACK_LINES_H

#include "buf.h"

/*
 * Packs the complete "-code" lines from s to end and appends the bytes. Returns false if a line is not in the usual
 * form.
 */
bool lines_pack(struct buf *out, const char *s, const char *end);
/* Appends the text of packed "-code" lines. Returns false if the bytes are damaged. */
bool lines_unpack(struct buf *text, struct cur in);

#endif
