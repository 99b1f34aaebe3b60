/* SPDX-License-Identifier: BSD-2-Clause */
/* Code lines of headers of traces from PTX as a few numbers each; see lines.c. */
#ifndef PACK_LINES_H
#define PACK_LINES_H

#include "buf.h"

/* The bytes of code lines from s to end, each whole. false: they are not all in the usual form. */
bool lines_pack(struct buf *out, const char *s, const char *end);
/* Their text after what text has. false: the bytes are damaged. */
bool lines_unpack(struct buf *text, struct cur in);

#endif
