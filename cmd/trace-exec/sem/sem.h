/* SPDX-License-Identifier: BSD-2-Clause */
/* Interface of the instruction families: bindings by type, lanes, memory. */
#ifndef SEM_H
#define SEM_H

#include "exec/lanes.h"
#include "lang/small.h"

/* The bindings that ptx.def names. */
#define OP(id, name, fn, ver, sm, words) int fn(struct bind *b, struct op *o);
#include "lang/ptx.def"
#undef OP

/* mode bits of floating-point ops; bit 0 belongs to addresses. */
enum { MODE_FTZ = 2, MODE_SAT = 4, MODE_RZ = 8, MODE_RM = 16, MODE_RP = 32, MODE_NAN = 64, MODE_RELU = 128 };

/* Returns the mode bits of an instruction. */
static inline unsigned read_mode_suffixes(const struct stmt *in)
{
	return (stmt_has(in, M_FTZ) ? MODE_FTZ : 0u) | (stmt_has(in, M_SAT) ? MODE_SAT : 0u) |
	       (stmt_has(in, M_RZ) ? MODE_RZ : 0u) | (stmt_has(in, M_RM) ? MODE_RM : 0u) |
	       (stmt_has(in, M_RP) ? MODE_RP : 0u) | (stmt_has(in, M_NAN) ? MODE_NAN : 0u) |
	       (stmt_has(in, M_RELU) ? MODE_RELU : 0u);
}

/*
 * Binds fn with destination operand 0 of type d, and n sources of types s[]. fn NULL: sets the fault that the types are
 * not supported.
 */
int bind_plain(struct bind *b, struct op *o, op_fn *fn, enum type d, const enum type *s, unsigned n);
#define BIND(b, o, fn, d, ...) \
	bind_plain(b, o, fn, d, (const enum type[]){__VA_ARGS__}, \
		sizeof((const enum type[]){__VA_ARGS__}) / sizeof(enum type))

/* Return the range of an integer type. */
static inline s64 type_min(enum type t)
{
	return types[t].kind != K_SINT ? 0
	       : types[t].bits == 64   ? INT64_MIN
				       : -(s64)(1ull << (types[t].bits - 1));
}
static inline u64 type_max(enum type t)
{
	return types[t].kind == K_SINT ? (1ull << (types[t].bits - 1)) - 1
	       : types[t].bits == 64   ? UINT64_MAX
				       : (1ull << types[t].bits) - 1;
}

/* Set the rounding of the host, which is to nearest, and reset it; sem/cvt.c. */
void sem_set_rounding(enum rounding r);
void sem_reset_rounding(enum rounding r);
/* Returns the rounding that a suffix names; ROUND_RN without one. */
enum rounding sem_rounding_suffix(const struct stmt *in);

/* Ends the list of operands of the op; sem/classify.c. */
void classify_operands(struct bind *b, const struct op *o);

/* Bind the integer forms of instructions that also have floating-point forms; sem/int.c. */
int bind_add_int(struct bind *b, struct op *o);
int bind_sub_int(struct bind *b, struct op *o);
int bind_mul_int(struct bind *b, struct op *o);
int bind_mad_int(struct bind *b, struct op *o);
int bind_div_int(struct bind *b, struct op *o);
int bind_minmax_int(struct bind *b, struct op *o);
int bind_absneg_int(struct bind *b, struct op *o);

/*
 * Sets at[] to the host addresses of `bytes` bytes at w->addr for the lanes of m, and w->addr to their offsets in the
 * space. Returns false if the launch has failed.
 */
bool mem_find_host(
	struct warp *w, const struct op *o, uint32_t m, enum state_space space, uint64_t bytes, uint8_t **at);
/*
 * Returns the shared memory of the cluster's block with this rank, for a lane's access at offset w->addr. If the block
 * has ended, fails the launch and returns NULL.
 */
uint8_t *mem_shared_of_block(struct warp *w, const struct op *o, unsigned lane, unsigned rank);
/* Set at[] to the host addresses of op o for the lanes of m, and check them. Return false if the launch has failed. */
bool mem_read(struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, uint8_t **at);
bool mem_write(struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, uint8_t **at);
/* Executes ld for the lanes of m. */
void mem_ld(struct warp *w, const struct op *o, uint32_t m);
/* Executes ld of a word of 4 or 8 bytes into a register of this size: fast without checks; sem/flat.c. */
void flat_ld(struct warp *w, const struct op *o, uint32_t m);
/* Binds barrier.cluster.arrive and .wait; sem/cluster.c. */
int bind_cluster_barrier(struct bind *b, struct op *o);
/* Binds bar.warp.sync; sem/warp.c. */
int bind_bar_warp(struct bind *b, struct op *o);
/* Binds space and address of the memory operand: o->space, o->a, o->imm. */
int mem_bind_space(struct bind *b, struct op *o, const struct operand *at, bool write);

#endif
