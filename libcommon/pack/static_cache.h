/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cache of static instructions, which recur from kernel to kernel and are parsed once. The key of an entry is the
 * text of the instruction, its dialect, and the header fields that affect its meaning.
 */
#ifndef PACK_STATIC_CACHE_H
#define PACK_STATIC_CACHE_H

#include "codec.h"
#include "trace/reader.h"

struct static_cache_key {
	uint64_t code_hash;                 /* hash of the header's "-code" lines, for PTX */
	uint64_t source_hash;               /* hash of the header's source files and lines */
	struct dialect dialect;             /* dialect and column counts of the trace */
	int binary, tracer, arch, lineinfo; /* fields of the header */
};

struct static_entry {
	struct static_cache_key key;  /* key of the instruction */
	struct dialect dialect_after; /* column counts after its line */
	uint32_t text, len, handle;
	bool needs; /* whether it lacks addresses that active lanes need */
};

struct static_cache {
	uint64_t code; /* code_serial() of the struct code of the handles; its address may be reused */
	struct static_entry *entry;
	uint32_t n, cap, *slot, n_slots;
	struct buf text; /* texts of all entries */
};

/* Returns the properties of a trace that affect the meaning of its lines. Padding is 0. */
struct static_cache_key static_cache_key_of(const struct trace *t);
/* Returns the slot of this text with the key c. The slot is 0 if it is free, else the number of the entry plus 1. */
uint32_t static_cache_slot(
	const struct static_cache *m, const struct static_cache_key *c, const void *text, size_t n);
/* Returns the stream's cache for the handles of code, with space for another entry. */
struct static_cache *static_cache_of(struct pack *p, const struct code *code);

#endif
