/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The same static instructions come again from kernel to kernel, and are parsed once. What they mean follows
 * from their text, the dialect met so far and a few fields of the header, which are compared too.
 */
#ifndef PACK_MEANING_H
#define PACK_MEANING_H

#include "codec.h"
#include "trace/reader.h"

struct meaning_key {
	uint64_t code; /* of PTX: its lines in the header */
	struct dialect d;
	int binary, tracer, arch, lineinfo;
};

struct meaning {
	struct meaning_key before;
	struct dialect after;
	uint32_t text, len, handle;
	bool needs;
};

struct meanings {
	uint64_t code; /* serial of the struct code that the handles belong to; an address could be another's later */
	struct meaning *e;
	uint32_t n, cap, *slot, n_slots;
	struct buf text;
};

/* The fields of a trace that the meaning of its lines depends on; padding is zero. */
struct meaning_key meaning_key_of(const struct trace *t);
/* The slot of this text in this context: empty, or the number of its meaning + 1. */
uint32_t meaning_slot(const struct meanings *m, const struct meaning_key *c, const void *text, size_t n);
/* The stream's meanings with room for one more; handles are of code. */
struct meanings *meanings_of(struct pack *p, const struct code *code);

#endif
