/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Static instructions recur from kernel to kernel and are parsed once. The key of an entry is the text of the
 * instruction, its dialect, and the header fields that its meaning depends on.
 */
#ifndef PACK_STATIC_CACHE_H
#define PACK_STATIC_CACHE_H

#include "codec.h"
#include "trace/reader.h"

struct static_cache_key {
	uint64_t code;   /* PTX: hash of the lines of the code in the header */
	uint64_t source; /* hash of the source files and lines in the header */
	struct dialect d;
	int binary, tracer, arch, lineinfo;
};

struct static_entry {
	struct static_cache_key before;
	struct dialect after;
	uint32_t text, len, handle;
	bool needs;
};

struct static_cache {
	uint64_t code; /* serial number of the struct code of the handles; its address may be reused */
	struct static_entry *e;
	uint32_t n, cap, *slot, n_slots;
	struct buf text;
};

/* The fields of a trace that the meaning of its lines depends on; padding is zero. */
struct static_cache_key static_cache_key_of(const struct trace *t);
/* Returns the slot of this text in this context: 0 if it is empty, else the number of its meaning plus 1. */
uint32_t static_cache_slot(
	const struct static_cache *m, const struct static_cache_key *c, const void *text, size_t n);
/* Returns the stream's cache with space for another entry; its handles belong to code. */
struct static_cache *static_cache_of(struct pack *p, const struct code *code);

#endif
