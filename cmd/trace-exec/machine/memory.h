/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses of memory instructions, shared by loads and stores, atomics and copies. */
#ifndef MACHINE_MEMORY_H
#define MACHINE_MEMORY_H

#include "machine/code.h"
#include "sem/atom.h"

/* Values of o->mode: width of the address register. */
enum { ADDRESS_NONE, ADDRESS_32, ADDRESS_64 };

/*
 * Binds the address of an instruction that has its address register in bits 24-31. Sets o->space, o->a, o->c (a uniform
 * register that is added), o->imm and o->mode. ur: first bit of the uniform register's field.
 */
int memory_bind_address(struct mbind *b, struct op *o, enum state_space space, unsigned ur);
/* Marks an instruction as volatile if it is strong, and its function if it orders accesses beyond the thread block. */
void memory_bind_order(struct mbind *b, bool strong, bool beyond_block);
/* Marks the instruction by the order that bits 77-80 of a load or store give. */
void memory_bind_access_order(struct mbind *b);
/* Returns true if each address of the op is that of its registers plus o->imm, unless the launch fails. */
bool memory_adds_constant(const struct op *o);
/* Computes the addresses of all lanes into w->addr. */
void memory_addresses(struct warp *w, const struct op *o);
/*
 * Finds the host addresses of op o for the lanes of m and checks the accesses. Generic addresses and shared
 * addresses with a rank remain in w->addr. Returns false if the launch has failed.
 */
bool memory_find_hosts(
	struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, uint8_t **at, bool write);

/* Returns the executor's offset for a shared address of sm_90 and later, which contains the rank of a block. */
uint64_t memory_shared_offset(const struct warp *w, uint32_t address);

/*
 * Returns an mbarrier of sm_80 to sm_89 after an arrival. The lower word is 2^30 minus the arrivals of a phase. The
 * upper word has the phase in bit 31, and 2^31 minus the pending arrivals in the other bits. Compiled code also changes
 * both words itself, by additions.
 */
static inline u64 memory_count_arrival(u64 mbarrier)
{
	u32 count = (u32)mbarrier, pending = (u32)(mbarrier >> 32) + 1;

	if (!(pending << 1)) /* no arrival is pending: the next phase begins */
		pending |= 0x40000000 | (count & 0x3fffffff);
	return (u64)pending << 32 | count;
}

/*
 * Returns the type of a reduction whose opcode names type t. Logic operations have bit types, without a sign.
 */
static inline enum type memory_reduction_type(enum atom a, enum type t)
{
	bool logic = a == ATOM_AND || a == ATOM_OR || a == ATOM_XOR;

	return logic && t == T_U32 ? T_B32 : logic && t == T_U64 ? T_B64 : t;
}

#endif
