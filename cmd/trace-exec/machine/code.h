/* SPDX-License-Identifier: BSD-2-Clause */
/* Data of modules and functions of machine code, the frame of a warp, and the functions that bind and execute ops. */
#ifndef MACHINE_CODE_H
#define MACHINE_CODE_H

#include "exec/lanes.h"
#include "exec/operands.h"
#include "exec/source.h"
#include "lang/ieee.h"
#include "lang/small.h"
#include "machine/machine.h"
#include "sass/sass.h"
#include "table.h"

/* ---- the frame ---- */

#define VECTOR          (LANES * 4u) /* bytes of a register for all lanes */
#define UNIFORM_VECTORS 260          /* uniform registers, and copies of them (flow.c) */
enum {
	FRAME_PT = 0,       /* a predicate that is true */
	FRAME_P = 4,        /* P0 to P6 */
	FRAME_PSINK = 32,   /* predicate result that is discarded */
	FRAME_UP = 36,      /* UP0 to UP6 */
	FRAME_BAR = 64,     /* result of BAR.RED: a predicate */
	FRAME_BARKIND = 68, /* operation of the last BAR.RED */
	FRAME_QUADS =
		72, /* lanes of the group before it was extended to whole quads; 0: it is not extended */
	FRAME_CTAID_SET = 76, /* axes of the block's index that SETCTAID has set, a bit each */
	FRAME_CTAID = 80,     /* their values */
	FRAME_UP_KEPT = 92,   /* UP0 to UP6 before the group was extended */
	FRAME_ZERO = 128,     /* RZ as a source, 16 vectors */
	FRAME_SINK = FRAME_ZERO + 16 * (int)VECTOR, /* RZ as a result, 8 vectors */
	FRAME_COUNT = FRAME_SINK + 8 * (int)VECTOR, /* result of BAR.RED.POPC */
	FRAME_R = FRAME_COUNT + (int)VECTOR,
	FRAME_RETURN = FRAME_R + 258 * (int)VECTOR, /* Rpc: words that RPCMOV keeps */
	FRAME_UR = FRAME_R + 260 * (int)VECTOR,
	FRAME_B = FRAME_UR +
		  UNIFORM_VECTORS * (int)VECTOR,      /* convergence barriers: a mask of lanes in each lane */
	FRAME_SCRATCH = FRAME_B + 16 * (int)VECTOR,   /* operands of asynchronous instructions */
	FRAME_TID = FRAME_SCRATCH + 24 * (int)VECTOR, /* thread indexes along the axes X, Y and Z */
	FRAME_CONSTANTS = FRAME_TID + 3 * (int)VECTOR
};
#define RZ                 255u
#define UNIFORM_PREDICATES 7u

/* ---- code ---- */

/* A constant in the frame: a word of a bank, or a number. */
struct machine_constant {
	uint32_t bank;  /* BANK_NUMBER: a number */
	uint32_t value; /* offset in the bank, or the number */
};
#define BANK_NUMBER UINT32_MAX

struct machine_text;
struct pack_code;

struct machine_code { /* Machine code of a kernel. */
	struct machine_module *module;
	const struct sass_function *kernel;
	struct sass_inst *inst;
	uint32_t n;     /* number of instructions; the op after them fails the launch */
	uint32_t n_own; /* number of the kernel's own instructions; those of device functions follow */
	/* number of the first instruction of each device function; UINT32_MAX: it is not called */
	uint32_t *function_start;
	/* address from the relocation of each absolute call; UINT64_MAX: no relocation; NULL: no instruction has one */
	uint64_t *call_target;
	unsigned sm;
	struct machine_constant *constant;
	uint32_t n_constants, cap_constants;
	uint32_t registers;        /* number of registers that the code uses */
	uint32_t uniforms;         /* number of uniform registers that the code uses */
	uint32_t barriers;         /* number of convergence barriers that the code uses */
	struct machine_text *text; /* trace.c: lines; NULL: not made yet */
	struct pack_code
		*packed; /* trace.c: static code of packed streams, made together with `text`; or NULL */
	struct stretch *stretch;    /* trace.c: stretch from each instruction on; made together with `text` */
	struct moved_access *moved; /* trace.c: accesses of the stretches */
	struct source_lines lines;  /* trace.c: source lines; made together with `text` */
	uint8_t version;            /* trace.c: version of its lines; 0: not known yet */
};

struct machine_module {
	struct sass_image *image;
	struct module *module;
	struct machine_code *code; /* code of each kernel */
	uint32_t n_codes;          /* number of kernels */
	uint32_t *function_at;     /* address of each function of the image */
	uint32_t *device;          /* device functions of the image, in the order of their addresses */
	uint32_t n_device;
	struct symbol *bank3;   /* symbol that contains bank 3; NULL: none */
	uint8_t *bank4;         /* constant bank 4, with the addresses of variables and externs */
	struct symbol *data[2]; /* .nv.global and .nv.global.init; NULL: none */
};

/* First address of externs: extern i is at EXTERN_BASE + 16 i. */
#define EXTERN_BASE 0x00e0000000000000ull

/* Windows of generic addresses; their bases are in exec/text.h. */
#define WINDOW_BYTES (1ull << 24)

/* ---- link.c ---- */

/* Sets *to to the address of a symbol. Returns -1 with *f set if it has none. */
typedef int link_address_fn(
	const struct machine_module *x, const struct sass_symbol *s, uint64_t *to, struct fault *f);
/* Sets the address of each function of the image. */
void link_functions(struct machine_module *x);
/* Decodes the instructions of a kernel and of the device functions that it can call. */
void link_decode(struct machine_code *c, struct arena *arena);
/*
 * Returns the bytes of local memory that a lane of the kernel needs. *grows: calls may need more, as a program knows.
 */
uint32_t link_local_bytes(const struct machine_code *c, bool *grows);
/* Returns the number of the instruction at an address; UINT32_MAX: none. */
uint32_t link_inst_at(const struct machine_code *c, uint64_t pc);
/* Returns the function of the image that has instruction i, and sets *pc to the instruction's address in it. */
uint32_t link_function_of_inst(const struct machine_code *c, uint32_t i, uint32_t *pc);
/* Applies the relocations of the code. Returns -1 with *f set for a symbol or type that is not supported. */
int link_apply_relocations(struct machine_code *c, link_address_fn *address_of, struct fault *f);

/* Returns the size of a constant bank, also before a launch; 0 if the bank does not exist. */
uint32_t machine_bank_bytes(const struct machine_code *c, unsigned bank);
/* Returns the bytes of a constant bank and sets *n to their number; NULL if the bank does not exist. */
const uint8_t *machine_constant_bank(
	const struct grid *g, const struct machine_code *c, unsigned bank, uint32_t *n);

/* ---- binding ---- */

struct mbind {
	struct bound_code *bound;
	struct func *func;
	struct machine_code *code;
	const struct sass_inst *inst;
	uint32_t index; /* number of the instruction in the function */
	struct fault *fault;
	bool uniform; /* the instruction belongs to the uniform datapath */
	/* a constant of the instruction is beyond the end of its bank: beyond_bank, beyond_offset */
	bool beyond_bank_end;
	uint32_t beyond_bank, beyond_offset;
	struct table constants; /* numbers of the code's constants, by bank and value */
};

/* Returns n bits of the instruction from bit `at` on. */
static inline uint64_t field(const struct mbind *b, unsigned at, unsigned n)
{
	uint64_t v = at >= 64 ? b->inst->word[1] >> (at - 64) : b->inst->word[0] >> at;

	if (at < 64 && at + n > 64)
		v |= b->inst->word[1] << (64 - at);
	return n == 64 ? v : v & ((1ull << n) - 1);
}
static inline bool bit(const struct mbind *b, unsigned at) { return field(b, at, 1); }
static inline int64_t signed_field(const struct mbind *b, unsigned at, unsigned n)
{
	return (int64_t)(field(b, at, n) << (64 - n)) >> (64 - n);
}

/* Treats loads of shared memory in loops that wait for a value as volatile (poll.c). */
void poll_mark_loads(const struct bound_code *code, struct func *fn);
/* Returns true if the instruction is an atomic that compares and exchanges. */
bool atomic_is_cas(const struct sass_inst *in);
/* Marks the accesses to words that contain the objects of narrow atomics (narrow.c). */
void narrow_mark_words(const struct bound_code *code, struct func *fn);
/* Sets the function that executes the op. */
void machine_set_function(struct op *o, op_fn *fn);
/* Executes an instruction without an effect. */
void machine_execute_nothing(struct warp *w, const struct op *o, uint32_t m);
/* Binds FADD or FFMA (fma) with sources of 16 bits, whose operands are bound; mixed.c. */
int mixed_bind(struct mbind *b, struct op *o, bool fma);
/* Sets the fault that the instruction is not executed, and returns -1. why: the reason, or "". */
int mbind_refuse(const struct mbind *b, const char *why);
/* Return the slot of count consecutive registers, as sources and as results. at: first bit of the register's field. */
uint32_t mbind_reg(struct mbind *b, unsigned at, unsigned count);
uint32_t mbind_dst(struct mbind *b, unsigned at, unsigned count);
/* Like mbind_reg(), for the address of a load or store. */
uint32_t mbind_address(struct mbind *b, unsigned at, unsigned count);
/* Return the slot of a uniform register, as a source and as a result. at: the field's first bit. */
uint32_t mbind_ureg(struct mbind *b, unsigned at);
/* Returns the slot of the uniform register whose number is in bits 60-62 (lower part) and 73-77. */
uint32_t mbind_split_ureg(struct mbind *b);
uint32_t mbind_udst(struct mbind *b, unsigned at);
/* Returns the slot of count consecutive uniform registers; UINT32_MAX if they do not exist. */
uint32_t mbind_uregs(struct mbind *b, unsigned at, unsigned count);
/* Returns the slot of a vector with the number v in all lanes. count 2: the upper word is in the next vector. */
uint32_t mbind_number(struct mbind *b, uint64_t v, unsigned count);
/* Returns true if the slot has the same known number in all lanes, and sets *v to it. */
bool mbind_get_known_number(const struct mbind *b, uint32_t slot, uint32_t *v);
/* Returns the slot of the constant that bits 38-58 name. count: number of its words. */
uint32_t mbind_constant(struct mbind *b, unsigned count);
/* Returns the slot of `count` words of a constant bank, starting at byte `offset`. */
uint32_t mbind_bank_constant(struct mbind *b, unsigned bank, uint32_t offset, unsigned count);
/* Returns the source predicate in the 3 bits from `at` on and the inversion bit after them, packed for pred_value(). */
int64_t mbind_pred(struct mbind *b, unsigned at, bool uniform);
/* Returns the slot of the convergence barrier whose number is in the 4 bits starting at `at`. */
uint32_t mbind_barrier(const struct mbind *b, unsigned at);
/* Returns the slot of a predicate as a result. */
uint32_t mbind_pdst(struct mbind *b, unsigned at, bool uniform);
/*
 * Forms of the operands of an arithmetic instruction (bits 9-11). They name the operand in bits 32-63, which is the
 * second source or, in the forms _C, the third. The other of these two sources is the register in bits 64-71.
 */
enum mbind_form { FORM_REG = 1, FORM_IMM_C, FORM_CONST_C, FORM_IMM, FORM_CONST, FORM_UREG, FORM_UREG_C };
/* Returns true if the third source is an immediate or a constant. */
static inline bool mbind_has_constant_c(const struct mbind *b)
{
	return b->inst->form == FORM_IMM_C || b->inst->form == FORM_CONST_C;
}
/* Returns true if the operand in bits 32-63 is the third source. */
static inline bool mbind_is_swapped(const struct mbind *b)
{
	return mbind_has_constant_c(b) || b->inst->form == FORM_UREG_C;
}
/*
 * Flags for mbind_forms(). WIDE_A to WIDE_D: the operand has 64 bits. F64_IMMEDIATE: an immediate is the upper word of
 * such an operand. SIGNED_IMMEDIATE: an immediate is sign-extended. TWO_OPERANDS: the instruction does not read c.
 */
enum wide {
	WIDE_NONE = 0,
	WIDE_B = 1,
	WIDE_C = 2,
	WIDE_A = 4,
	WIDE_D = 8,
	F64_IMMEDIATE = 16,
	SIGNED_IMMEDIATE = 32,
	TWO_OPERANDS = 64
};
/*
 * Sets o->d, o->a, o->b and o->c from the form of an arithmetic instruction (bits 9-11) and marks negated and
 * absolute operands in o->mode. wide: flags of enum wide. With TWO_OPERANDS, bits 64-71 are a register only if it is b.
 */
int mbind_forms(struct mbind *b, struct op *o, unsigned wide);
/* Like mbind_forms(). The second source is in o->b, also in the forms that have it in the position of c. */
int mbind_two_sources(struct mbind *b, struct op *o, unsigned wide);

/* A predicate operand: slot in bits 0-15, inversion in bit 16. */
static inline uint32_t pred_value(const struct warp *w, int64_t p)
{
	return PRED(w, (uint32_t)p & 0xffff) ^ (p >> 16 & 1 ? ALL_LANES : 0);
}
static inline void set_pred(struct warp *w, uint32_t slot, uint32_t m, uint32_t v)
{
	uint32_t *p = &PRED(w, slot);

	*p = (*p & ~m) | (v & m);
}
/* Returns the lanes of the running group. They are at least one. */
static inline uint32_t group_lanes(const struct warp *w) { return w->stack[w->depth - 1].mask; }
/* Returns the lane of the running group whose values of uniform registers its instructions take. */
static inline unsigned uniform_lane(const struct warp *w) { return bit_lowest32(group_lanes(w)); }
/* Two predicate sources in imm: the first in bits 0-31, the second in bits 32-63. */
static inline uint32_t first_pred_source(const struct warp *w, const struct op *o)
{
	return pred_value(w, o->imm);
}
static inline uint32_t second_pred_source(const struct warp *w, const struct op *o)
{
	return pred_value(w, o->imm >> 32);
}

/* Slots of the first and the second predicate result. */
#define PDST1(o) ((o)->target)
#define PDST2(o) ((o)->rpc)

/* Bits of o->mode for arithmetic: negation and absolute value of the operands. */
enum { NEG_A = 1, ABS_A = 2, NEG_B = 4, ABS_B = 8, NEG_C = 16, ABS_C = 32 };

/* Define a function that computes expr for each lane, with 1, 2 or 3 sources. PRE: declarations before the loop. */
#define MACHINE_OP1(name, PRE, expr) \
	LANE_FN static void name(struct warp *w, const struct op *o, uint32_t m) \
	{ \
		LANE_FROM1(u32, u32) \
		PRE LANES_SET(u32, LANE_LOAD1(u32)(void) a;, expr) \
	}
#define MACHINE_OP2(name, PRE, expr) \
	LANE_FN static void name(struct warp *w, const struct op *o, uint32_t m) \
	{ \
		LANE_FROM2(u32, u32, u32) \
		PRE LANES_SET(u32, LANE_LOAD2(u32, u32)(void) a; (void)b;, expr) \
	}
#define MACHINE_OP3(name, PRE, expr) \
	LANE_FN static void name(struct warp *w, const struct op *o, uint32_t m) \
	{ \
		LANE_FROM3(u32, u32, u32, u32) \
		PRE LANES_SET(u32, LANE_LOAD3(u32, u32, u32)(void) a; (void)b; (void)c;, expr) \
	}

/* Sets op o from the instruction of b. Returns -1 with the fault set if the instruction is not executed. */
typedef int mbind_fn(struct mbind *b, struct op *o);
/* Returns how the instructions that the function binds treat undefined sources; classify.c. */
enum value_class machine_value_class(mbind_fn *bind);
/* Ends the list of operands of op o, which the function has bound. class: the function's; classify.c. */
void machine_classify(struct mbind *b, mbind_fn *bind, enum value_class class, const struct op *o);
#define B(name) mbind_fn name
B(mbind_mov);
B(mbind_qmma);
B(mbind_move_return);
B(mbind_sel);
B(mbind_sel64);
B(mbind_iadd3);
B(mbind_lea);
B(mbind_lop3);
B(mbind_plop3);
B(mbind_plop3_signs);
B(mbind_iabs);
B(mbind_vabsdiff);
B(mbind_vabsdiff4);
B(mbind_prmt);
B(mbind_imnmx);
B(mbind_imnmx64);
B(mbind_vimnmx);
B(mbind_vimnmx3);
B(mbind_viadd);
B(mbind_viaddmnmx);
B(mbind_shf);
B(mbind_sgxt);
B(mbind_bmsk);
B(mbind_imad);
B(mbind_imad_wide);
B(mbind_imad_hi);
B(mbind_idp);
B(mbind_flo);
B(mbind_brev);
B(mbind_popc);
B(mbind_i2i);
B(mbind_i2ip);
B(mbind_iadd64);
B(mbind_clmad);
B(mbind_umov);
B(mbind_mov64);
B(mbind_isetp);
B(mbind_fset);
B(mbind_fsetp);
B(mbind_dsetp);
B(mbind_fsel);
B(mbind_fmnmx);
B(mbind_fmnmx3);
B(mbind_fadd);
B(mbind_fmul);
B(mbind_ffma);
B(mbind_pairs);
B(mbind_fswzadd);
B(mbind_dadd);
B(mbind_dmul);
B(mbind_dfma);
B(mbind_fchk);
B(mbind_half2);
B(mbind_half_set);
B(mbind_hmnmx2);
B(mbind_vhmnmx);
B(mbind_f2fp);
B(mbind_uf2fp);
B(mbind_f2ip);
B(mbind_f2f);
B(mbind_f2i);
B(mbind_i2f);
B(mbind_i2fp);
B(mbind_frnd);
B(mbind_mufu);
B(mbind_load);
B(mbind_store);
B(mbind_load_wide);
B(mbind_store_wide);
B(mbind_ldc);
B(mbind_ldsm);
B(mbind_movm);
B(mbind_ldgsts);
B(mbind_ldgdepbar);
B(mbind_depbar);
B(mbind_qspc);
B(mbind_atom);
B(mbind_nothing);
B(mbind_fence);
B(mbind_p2r);
B(mbind_r2p);
B(mbind_vote);
B(mbind_shfl);
B(mbind_match);
B(mbind_redux);
B(mbind_credux);
B(mbind_elect);
B(mbind_r2ur);
B(mbind_s2r);
B(mbind_cs2r);
B(mbind_b2r);
B(mbind_imma);
B(mbind_hmma);
B(mbind_hmma884);
B(mbind_scaled_product);
B(mbind_dmma);
B(mbind_bmma);
B(mbind_flow);
B(mbind_bmov);
B(mbind_stsm);
B(mbind_arrive);
B(mbind_phase);
B(mbind_mbarrier_init);
B(mbind_mbarrier_inval);
B(mbind_copies_arrive);
B(mbind_bulk);
B(mbind_next_work);
B(mbind_bulk_zero);
B(mbind_bulk_prefetch);
B(mbind_store_async);
B(mbind_tensor);
B(mbind_gmma);
B(mbind_warpgroup);
B(mbind_maxreg);
B(mbind_cluster_arrive);
B(mbind_cluster_wait);
B(mbind_trap);
B(mbind_get_backing);
B(mbind_set_backing);
B(mbind_block_index);
B(mbind_shared_size);
B(mbind_fetch);
B(mbind_query_texture);
B(mbind_load_surface);
B(mbind_store_surface);
B(mbind_reduce_surface);
B(mbind_lepc);
#undef B

/* ---- flow; group.c and flow.c ---- */

enum machine_flow {
	MF_UNIFORM = 64, /* executed once for the group */
	MF_BRA,
	MF_BRX,
	MF_CALL, /* call through a register */
	MF_RET,
	MF_EXIT,
	MF_BSSY,
	MF_BSYNC,
	MF_BREAK,
	MF_WARPSYNC,
	MF_YIELD,
	MF_BAR,
	MF_CLUSTER, /* waits for the cluster */
	MF_QUADS,   /* runs all lanes of the quads */
	MF_QUADS_END,
	MF_END /* op after the last instruction, which fails the launch */
};

/*
 * Values of entry.rpc: a group can run, or waits at a convergence barrier, a WARPSYNC, a barrier of the block or of the
 * cluster.
 */
enum { GROUP_READY = 0, GROUP_BSYNC, GROUP_WARPSYNC, GROUP_BAR, GROUP_CLUSTER };

/* Executes an instruction that changes the flow for the group on top, which is at pc and has the lanes of mask. */
void flow_execute(struct warp *w, const struct op *o, uint32_t pc, uint32_t mask, uint32_t exec);
/* Makes all lanes of the warp one group at pc. */
void group_start(struct warp *w, uint32_t pc);
/* Releases groups whose wait is over and brings one that can run to the top. */
void group_settle(struct warp *w);
/* Releases groups whose wait is over. The group on top stays there. */
void group_release_beneath(struct warp *w);
/* Moves the lowest group that can run to the top. Returns the number of groups that can run. */
uint32_t group_rotate(struct warp *w);
/*
 * Releases a group at a BSYNC without .RECONVERGENT that waits for lanes of mask, which execute a YIELD: from sm_100
 * on, this form does not guarantee that lanes continue together, and lanes that hold a lock wait there. Returns false
 * if no such group waits. op.mode is 1 for a BSYNC of this form.
 */
bool group_release_from_yield(struct warp *w, uint32_t mask);
/*
 * Releases a group at a BSYNC that waits for lanes that can run. Where lanes may wait for each other's stores, the
 * compiler does not rely on a BSYNC, but writes a WARPSYNC after it. Returns false if there is no such group.
 */
bool group_release_waiting(struct warp *w);
/* Lets the groups at a barrier of the cluster continue. */
void group_end_cluster_wait(struct warp *w);
/* Replaces the top group by the n groups of part. Groups with fewer lanes run first, then those earlier in part. */
void group_split(struct warp *w, const struct stack_entry *part, unsigned n);
/*
 * Reports lanes of exec that their own mask in the slot lacks. o: a WARPSYNC with this mask, or the branch to it for
 * groups without all lanes of the mask. PTX does not define what such lanes do.
 */
void group_check_own_masks(struct warp *w, const struct op *o, uint32_t slot, uint32_t exec);
/*
 * Checks the masks that the lanes of a group name at WARPSYNC o, and splits the group by mask if they differ. Each part
 * then executes the instruction on its own. Without .EXCLUSIVE and .COLLECTIVE, a group that has all named lanes is not
 * split. Returns true if the group was split.
 */
bool group_meet_at_warpsync(struct warp *w, const struct op *o, uint32_t pc, uint32_t mask, uint32_t exec);

/* Writes the thread indexes of the lanes into the frame of a warp. */
void special_make_thread_index(struct warp *w);
/* Executes a call of extern function number `which`. */
void special_call_extern(struct warp *w, const struct op *o, unsigned which, uint32_t exec);
/* Returns the number of the extern function with this name; -1 if it is not supported. */
int special_find_extern(const char *name);
/*
 * Sets at[] to the host addresses of `bytes` bytes of local memory at R1, where a called function finds arguments that
 * have no register. Returns false if the launch has failed.
 */
bool special_find_arguments(struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, uint8_t **at);
/* Sets the rounding of the host to that of a field of two bits; 0: to nearest, which is the host's normal mode. */
void machine_set_rounding(unsigned field);
/*
 * Execute __cuda_syscall_cp_async_bulk_unicast and _multicast, functions of the driver that code of sm_120 calls for
 * bulk copies to other blocks of a cluster; bulk.c.
 */
void bulk_call_unicast(struct warp *w, const struct op *o, uint32_t m);
void bulk_call_multicast(struct warp *w, const struct op *o, uint32_t m);
/* Applies X to each order and number of dimensions of a tensor copy. Each has driver functions of its own. */
#define BULK_TENSOR_CALLS(X) \
	X(tile, 1) \
	X(tile, 2) X(tile, 3) X(tile, 4) X(tile, 5) X(im2col, 3) X(im2col, 4) X(im2col, 5)
#define BULK_TENSOR_CALL(order, rank) \
	void bulk_call_##order##_##rank(struct warp *w, const struct op *o, uint32_t m); \
	void bulk_call_##order##_many_##rank(struct warp *w, const struct op *o, uint32_t m);
BULK_TENSOR_CALLS(BULK_TENSOR_CALL)
#undef BULK_TENSOR_CALL
/* Binds the instructions of a function; bind.c. */
int machine_bind(struct bound_code *bound, struct func *fn, struct fault *f);
/*
 * Append the columns of a bulk copy or a tensor copy to the trace, beginning with the size of an element. lane:
 * the lane that executes the copy; -1: no lane does. Return false if the launch has failed.
 */
bool column_write_bulk(struct warp *w, const struct op *o, int lane);
bool column_write_tensor(struct warp *w, const struct op *o, int lane);
/* Writes the text of the op's instruction. */
void machine_write_op_text(const struct op *o, char out[SASS_TEXT_MAX]);
/* Returns true if an instruction has a binding. */
bool machine_executes(const struct sass_inst *in);
/* Returns true if an instruction can change the flow. */
bool machine_is_flow(const struct sass_inst *in);
void run_warp(struct warp *w, uint64_t quantum);
void trace_free(struct machine_code *c);

/* ---- same_base.c ---- */

/* A load or store that adds a constant to the same registers as an earlier one of the same straight code. */
struct moved_access {
	int64_t distance; /* distance of each lane's address from that of the earlier access, in bytes */
	ptrdiff_t earlier; /* position of the earlier access among those with records, minus the position of this one */
	uint32_t inst; /* number of its instruction; UINT32_MAX: end of the array */
};

/* The stretch of code from an instruction on: ops of plain code (run.c) and moved accesses. */
struct stretch {
	const struct moved_access *access; /* first access of the stretch */
	uint32_t n; /* number of instructions from this one to the end of the stretch; 0: no access in it */
	uint32_t n_accesses_left; /* number of accesses from this instruction to the end of the stretch */
	uint32_t lowest_inst;     /* lowest number of the instructions of the earlier accesses */
};
/*
 * Finds the stretches of the n ops of a function. recorded[]: 1 for ops whose records have addresses or text, else 0.
 * The caller frees the result and *moved, to which it points.
 */
struct stretch *same_base_find_stretches(const struct bound_code *code, const struct op *op,
	const uint8_t *recorded, uint32_t n, struct moved_access **moved);

/* ---- frame.c ---- */

void frame_start(struct warp *w);
void frame_open(struct grid *g);
/* Returns where the reserved bytes of shared memory are that the code reads the place of; 0: it does not read it. */
uint8_t frame_find_reserved(const struct machine_code *c);
void frame_close(struct grid *g);

#endif
