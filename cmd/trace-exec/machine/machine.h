/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Machine code (SASS) of sm_75 to sm_121 on the executor: a cubin becomes a module of the program whose functions
 * have bound operations, so that memory, checks, launches and the CUDA runtime treat it as they treat PTX.
 *
 *   module.c    a cubin to a module                 bind.c      instructions to ops, operands to slots
 *   run.c       one warp until it waits or ends     group.c     groups of lanes, convergence barriers
 *   frame.c     registers and constants of a warp   flow.c      branches, calls, barriers
 *   integer.c   integer moves, sums, products       minmax.c    integer minima, maxima, differences
 *   logic.c     logic and shifts                    compare.c   comparisons, predicates
 *   float.c     f32 and f64                         half.c      f16 and bf16 pairs
 *   convert.c   conversions                         memory.c    loads and stores
 *   atomic.c    atomics                             warp.c      exchange between lanes
 *   matrix.c    matrix products                     special.c   special registers, calls of externs
 *   mbarrier.c  mbarriers, asynchronous stores      bulk.c      bulk and tensor copies
 *   gmma.c      matrix products of warpgroups       trace.c     lines of the trace
 *   texture.c   fetches from textures               surface.c   accesses to surfaces
 *   link.c      device functions, relocations       column.c    columns of copies in the trace
 *   narrow.c    atomics on 8 and 16 bits            wide.c      accesses of 32 bytes per lane
 *   copy.c      constants, LDSM and STSM, LDGSTS, fences
 *   poll.c      loads in loops that wait for a value
 *   mufu.c      approximations of functions
 *   state.c     base of local memory, index of the block, size of shared memory
 *
 * The frame of a warp has the same layout for all kernels: predicates (one bit per lane), a zero for RZ, a sink for
 * discarded results, R0 to R254, uniform registers, convergence barriers, then the constants that the kernel
 * uses. Each register is a vector of 32 lanes of 32 bits. Always true: a pair of registers is two consecutive
 * vectors, the low word first. Uniform registers and predicates have a value for each lane, too: lanes that run
 * together write the same one, and lanes that have parted do not see the writes of each other.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdio.h>
#include "exec/exec.h"

/*
 * Code to read from a file. CODE_AUTO: either kind. If a file has both, its machine code is read if the GPU can
 * run it.
 */
enum code_kind { CODE_AUTO, CODE_PTX, CODE_MACHINE };

/* Reads a cubin as a module. Returns NULL with *f set on failure. program_free() frees the module. */
struct module *machine_module(const char *path, const void *bytes, size_t n, struct fault *f);
/*
 * Reads machine code from a cubin, a fat binary or a program. Of several, reads the code with the highest
 * compute capability that a GPU of capability sm (0: any) can run. Returns NULL with *f set on failure.
 */
struct module *machine_read(const char *path, unsigned sm, struct fault *f);
/* Returns true if a GPU of compute capability sm runs code for capability `code`: same major number, and not newer. */
static inline bool machine_can_run(unsigned sm, unsigned code) { return sm / 10 == code / 10 && code <= sm; }
/* Returns the number of registers of a kernel of machine code. */
unsigned machine_register_count(const struct func *f);
/* Returns the compute capability of the PTX from which a kernel of machine code was compiled. */
unsigned machine_ptx_target(const struct func *f);
/* Returns the bytes of the static shared memory of a kernel, without those that are reserved for the system. */
uint32_t machine_shared_bytes(const struct func *f);

#define MACHINE_STACK_MOST (512u << 10) /* local memory of a thread of any GPU */
/* Gives the threads of a kernel whose calls or allocations may need it a stack of `bytes` bytes. */
void machine_set_stack(struct bound_code *c, struct func *f, uint64_t bytes);

/* Writes the header of a kernel's trace. */
void machine_header(FILE *out, const struct grid *g, const struct occupancy *k);
#define BLOCK_LINES \
	192u /* capacity for the lines about a block's position in its cluster, with the final NUL */
/* Puts these lines into text, or "" if the kernel's trace has no such lines. */
void machine_put_block_lines(char text[BLOCK_LINES], const struct cta *c);
/*
 * Record an executed instruction: machine_record() as a line of the trace, the others in the records of a packed
 * stream, for a kernel with lines of version 5 or, with _6, of version 6.
 */
record_fn machine_record, machine_record_packed, machine_record_packed_6;
/* Returns the function that records a kernel's instructions. */
record_fn *machine_record_function(const struct func *f, bool packed);
struct pack_code;
/* Returns the static code of a kernel whose header has been written, to be freed by pack_code_free(). */
struct pack_code machine_pack_code(const struct func *f);

struct bulk;
/*
 * Writes the columns of a lane's bulk copy to the warp's text (column.c). lane: -1 if no lane copies. mbarrier: address
 * of the copy's mbarrier; 0: none. global: address of its first byte in global memory.
 */
void column_write_bulk_at(struct warp *w, const struct bulk *x, int lane, uint32_t mbarrier, uint64_t global);
/* Writes the columns of a lane's tensor copy, like column_write_bulk_at(). Returns false if the launch has failed. */
bool column_write_tensor_at(struct warp *w, const struct op *o, int lane, uint32_t mbarrier);
/* Puts the lines about a block's place in its cluster into text (trace.c). */
void machine_put_cluster_lines(char text[BLOCK_LINES], const struct cta *c);

#endif
