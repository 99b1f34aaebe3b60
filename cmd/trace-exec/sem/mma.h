/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interface of all matrix products: data of an op, conversion of elements to numbers and back, execution;
 * sem/product.c. The valid products and their operands are in sem/mma.c and sem/wgmma.c.
 */
#ifndef MMA_H
#define MMA_H

#include "sem/sem.h"

struct mma_shape {
	uint8_t m, n;
	uint16_t k;
};

struct mma_range { /* elements first to end - 1 */
	uint8_t first, end;
};

#define VOLTA_ELEMENTS 8 /* elements of C and D that a lane has in m8n8k4 of f16 */

/*
 * Factors of a product with scaled blocks: a row of A, and a column of B, has n factors, each for k / n elements. Lane
 * 4 r + 2 t + h of a quad has the factors of row r + 8 h of A, lane 4 c + t those of column c of B. The
 * selectors give t and the first byte of the register.
 */
struct mma_scales {
	uint8_t n;    /* number of factors: 1, 2, 4, or 0 without scaled blocks */
	uint8_t type; /* T_UE8M0 or T_UE4M3 */
	bool packed; /* select[0] is a word with all selectors: byte of A in bits 0-1, t of A in bit 2, B in 3-6 */
	uint32_t a;         /* register with the first factor */
	uint32_t b;         /* register with the second factor */
	uint32_t select[4]; /* registers of 16 bits with the selectors: byte and t of A, byte and t of B */
};

struct matrix { /* data of an op */
	struct mma_shape shape;
	uint8_t a;        /* type of A */
	uint8_t b;        /* type of B */
	uint8_t c;        /* type of C */
	uint8_t d;        /* type of D */
	uint8_t rounding; /* rounding of sums of f64: enum rounding */
	bool saturate;
	bool a_col;              /* .col for A; only m8n8k4 of f16 permits it */
	bool b_row;              /* .row for B; only m8n8k4 of f16 permits it */
	bool volta;              /* m8n8k4 of f16 */
	struct mma_range part_c; /* m8n8k4 of f16: elements of a lane's C that the op reads */
	struct mma_range part_d; /* m8n8k4 of f16: elements of a lane's D that the op writes */
	uint8_t b1_operation;    /* operation of .b1: 1: xor, 2: and */
	uint8_t n_a;             /* number of registers of A */
	uint8_t n_b;             /* number of registers of B */
	uint8_t n_c;             /* number of registers of C */
	uint8_t n_d;             /* number of registers of D */
	bool wmma;
	bool sparse;      /* A has k / 2 columns; o->a: metadata */
	uint8_t selector; /* lanes of a quad that have the metadata */
	struct mma_scales scales;
};

static inline bool mma_is_int(enum type t) { return types[t].kind != K_FLOAT; }
/* Returns the number of elements of a type in a 32-bit register; 1 for types of 32 bits and more. */
static inline unsigned mma_elements_per_register(enum type t)
{
	return types[t].bits >= 32 ? 1 : 32u / types[t].bits;
}
/* Returns the bits that a lane has in a register of a fragment. */
static inline u64 mma_register_bits(const struct warp *w, uint32_t slot, enum type t, unsigned lane)
{
	return types[t].bits == 64 ? REG(u64, w, slot)[lane] : REG(u32, w, slot)[lane];
}
/* Returns element i of the bits of a register or memory word. */
double mma_element(u64 bits, unsigned i, enum type t);
/* Returns a sum as bits of type t. Floating-point numbers are rounded to nearest, integers truncated to 32 bits. */
u64 mma_bits_of_sum(double v, enum type t);

/* Sets *row and *col to the position of element i of a lane's n elements, in a wmma fragment of rows x cols. */
void mma_place_fragment(
	unsigned rows, unsigned cols, unsigned n, unsigned lane, unsigned i, unsigned *row, unsigned *col);

/*
 * Returns the column (below k) of stored column c (below k / 2) of a sparse A of type t, in row 0 to 15.
 * metadata: a word per lane.
 */
unsigned mma_sparse_column(
	const u32 *metadata, enum type t, unsigned k, unsigned selector, unsigned row, unsigned c);

/* Fails the launch, and returns false, unless all lanes execute. what: "product" or "access", for the message. */
bool mma_check_lanes(struct warp *w, const struct op *o, uint32_t m, const char *what);
/* Executes the product o->x->matrix, with the registers of D, A, B and C in o->x->slot. */
void mma_execute(struct warp *w, const struct op *o, uint32_t m);
/* Executes m8n8k4 of f16. */
void mma_execute_volta(struct warp *w, const struct op *o, uint32_t m);

/* ---- products of warpgroups; sem/wgmma.c ---- */

#define WGMMA_N_MOST 256

struct wgmma { /* x->family */
	uint16_t n, k;
	enum type d, a, b;
	bool saturate, popc, a_minus, b_minus, a_trans, b_trans;
	uint32_t slot_d[WGMMA_N_MOST / 2];
	uint32_t slot_a[4]; /* slot_a[0]: the descriptor unless in_regs */
	uint32_t slot_b;
	uint32_t scale; /* predicate; false: D is not read */
	bool in_regs, sparse;
	bool ends_group;  /* machine code: a group of products ends with this one */
	uint8_t selector; /* sparse: selects the lanes whose slot_meta has the metadata */
	uint32_t slot_meta;
	uint16_t n_d;
};
/* Returns true if a product of this shape and these types exists. */
bool wgmma_is_known(const struct wgmma *x);
void wgmma_run(struct warp *w, const struct op *o, uint32_t m);

#endif
