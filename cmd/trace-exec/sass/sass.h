/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Machine code of sm_70 to sm_121: instructions decoded once, their text, and loaded cubins.
 *
 * opcodes.def has a row for each opcode. The decoder, the texts and the list in the manual page are made from the rows.
 * Input may be hostile: the decoder accepts any 16 bytes, and the loader checks every offset and size.
 */
#ifndef TRACE_EXEC_SASS_H
#define TRACE_EXEC_SASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cubin.h"
#include "diag.h"

#define SASS_FIRST    70u
#define SASS_LAST     121u
#define SASS_BYTES    16u  /* bytes of an instruction */
#define SASS_ZERO     255u /* number of RZ and, on every architecture, of URZ */
#define SASS_ARGS_MAX 10u
#define SASS_TEXT_MAX 256u /* maximum bytes of an instruction's text, with the NUL */

/* Description of an opcode. */
struct sass_row {
	const char *name;      /* "IADD3" */
	const char *modifiers; /* string in the grammar of opcodes.def */
	const char *operands;  /* string in the grammar of opcodes.def */
	uint16_t base;         /* bits 0 .. 8 of an arithmetic opcode, bits 0 .. 11 of another */
	bool arithmetic;       /* bits 9 .. 11 choose the form of the operands b and c */
	bool uniform;     /* executed once per warp, on uniform registers; the guard is a uniform predicate */
	uint8_t bit_91;   /* value of bit 91; 2: either */
	uint8_t first_sm; /* lowest compute capability */
	uint8_t last_sm;  /* highest compute capability */
};

enum sass_kind {
	SASS_REG,    /* reg */
	SASS_UREG,   /* reg */
	SASS_PRED,   /* reg: predicate 0 to 7; SASS_NOT: it is inverted */
	SASS_UPRED,  /* like SASS_PRED, for a uniform predicate */
	SASS_INT,    /* value; not sign-extended if the text is unsigned */
	SASS_F32,    /* value: bits of the number */
	SASS_F64,    /* value: bits of the number, the lower 32 are 0 */
	SASS_HALVES, /* value: two 16-bit numbers */
	SASS_CONST, /* bank, value: offset in bytes; reg: index register or SASS_ZERO; SASS_BINDLESS: ureg for bank */
	SASS_MEM, /* reg, ureg, value: [reg + ureg + value]; SASS_DESC: ureg is a descriptor, not an address */
	SASS_SPECIAL,    /* value: number of the special register */
	SASS_BARRIER,    /* reg: convergence barrier B0 .. B15 */
	SASS_COUNTER,    /* value: dependence counter SB0 .. SB5, or their mask */
	SASS_TARGET,     /* value: byte offset of a branch target in the section */
	SASS_GDESC,      /* reg (uniform): descriptor of matrices in shared memory; value: enum sass_gdesc */
	SASS_DESCRIPTOR, /* reg (uniform): memory descriptor */
	SASS_TENSOR,     /* reg (uniform): address in tensor memory */
	SASS_STATE,      /* value: state register of a warp, such as MACTIVE; below 16 a barrier */
	SASS_NAME        /* bank: enum sass_name, a fixed word or a list of words; value: index in the list */
};

enum sass_flag {
	SASS_NEG = 1,       /* negative; complement if SASS_NOT is set too */
	SASS_NOT = 2,       /* complement (~) or inverted predicate (!) */
	SASS_ABS = 4,       /* absolute value */
	SASS_REUSE = 8,     /* kept in the reuse cache */
	SASS_WIDE = 16,     /* address register: 64 bits (.64) */
	SASS_DESC = 32,     /* address with a memory descriptor */
	SASS_BINDLESS = 64, /* constant bank from a uniform register */
	SASS_NO_REG = 128,  /* address without reg */
	SASS_NO_UREG = 256, /* address without ureg */
	SASS_U32 = 512,     /* address register: unsigned 32 bits (.U32) */
	SASS_SHOWN = 1024,  /* index register of a constant: printed although it is RZ */
	SASS_HALF = 2048,   /* operand of two 16-bit numbers */
	SASS_SIGNED = 4096, /* SASS_INT: printed with its sign */
	SASS_OFFSET =
		8192 /* SASS_TARGET: offset from the register before it, not from the start of the section */
};

enum sass_name {
	SASS_NAME_PR,
	SASS_NAME_UPR,
	SASS_NAME_SIGNS,
	SASS_NAME_DIMENSION,
	SASS_NAME_QUERY,
	SASS_NAME_GSB0,
	SASS_NAME_RPC
};

enum sass_gdesc { SASS_NEG_A = 1, SASS_NEG_B = 2, SASS_TRANSPOSED_A = 4, SASS_TRANSPOSED_B = 8 };

/* Part of a register that an argument uses, in sass_arg.select. */
enum sass_select {
	SASS_WHOLE,
	SASS_F32_OF_HALVES, /* .F32: the register is one f32 */
	SASS_LOW_TWICE,     /* .H0_H0 */
	SASS_HIGH_TWICE,    /* .H1_H1 */
	SASS_LOW_NEGATED,   /* .H0_NH1: the upper half is negated */
	SASS_HIGH,          /* .H1 */
	SASS_BYTE_1,
	SASS_BYTE_2,
	SASS_BYTE_3,
	SASS_ROW,
	SASS_COLUMN,
	SASS_SIGN,        /* .SIGN: bit 31 */
	SASS_F32_NP,      /* .F32.NP */
	SASS_PAIR,        /* .F32x2.HI_LO: two registers */
	SASS_NP_PAIR,     /* .F32x2.HI_LO.NP */
	SASS_SWAPPED,     /* .F32x2.LO_HI */
	SASS_NP_SWAPPED,  /* .F32x2.LO_HI.NP */
	SASS_PAIR_INVALID /* .INVALID3 */
};

struct sass_arg {
	int64_t value;  /* meaning by kind: see enum sass_kind */
	uint16_t flags; /* SASS_NEG and other flags */
	uint8_t kind;   /* enum sass_kind */
	uint8_t reg;    /* SASS_ZERO: RZ or URZ; for a predicate, 7: PT or UPT */
	uint8_t ureg;   /* SASS_ZERO: URZ */
	uint8_t bank;
	uint8_t select; /* enum sass_select */
	uint8_t scale;  /* factor of the address register: 1, 4, 8 or 16 */
};

/* A decoded instruction. Its arguments are in the order of the text. */
struct sass_inst {
	uint64_t word[2];
	uint32_t pc;
	uint16_t sm;
	uint16_t opcode;            /* bits 0 .. 11 */
	const struct sass_row *row; /* row of the opcode; NULL: unknown opcode */
	uint8_t form;               /* bits 9 .. 11 of an arithmetic opcode, else 0 */
	uint8_t guard;              /* predicate 0 .. 7; 7: always */
	bool guard_not;
	uint8_t n_args;
	uint8_t n_results;     /* number of arguments before the first source */
	uint64_t used_bits[2]; /* bits that the arguments depend on */
	struct sass_arg arg[SASS_ARGS_MAX];
};

/* Returns bits at .. at + n - 1 of an instruction, n <= 64. */
static inline uint64_t sass_bits(const uint64_t word[2], unsigned at, unsigned n)
{
	uint64_t v = at >= 64 ? word[1] >> (at - 64) : word[0] >> at;

	if (at < 64 && at + n > 64)
		v |= word[1] << (64 - at);
	return n == 64 ? v : v & ((1ull << n) - 1);
}

/*
 * Decodes the instruction at address pc for compute capability sm. Returns 0, or -1 if the opcode is unknown; *in then
 * lacks its row and its arguments. control_decode() of cubin.h decodes the control code.
 */
int sass_decode(struct sass_inst *in, const uint8_t bytes[SASS_BYTES], uint32_t pc, unsigned sm);
/* Returns the rows in the order of opcodes.def, and sets *n to their number. */
const struct sass_row *sass_rows(unsigned *n);

/*
 * Write the text of an opcode, as in "IMAD.MOV.U32", and of an instruction, as in "@!P0 LDG.E R4, desc[UR4][R2.64]", in
 * the published form. An unknown opcode is "UNKNOWN.0x1ab" and its bytes; a field value without a name is "INVALID" and
 * its number. The text lacks the bits that sass_unused_bits() returns. Return the length.
 */
size_t sass_opcode_text(const struct sass_inst *in, char out[SASS_TEXT_MAX]);
size_t sass_text(const struct sass_inst *in, char out[SASS_TEXT_MAX]);
/* Texts of opcodes that sass_opcode_text_known() made. */
struct sass_opcode_texts {
	struct sass_opcode_entry {
		const struct sass_row *row; /* NULL: the entry is empty */
		uint64_t used_bits[2];      /* bits that the text depends on */
		uint64_t word[2];           /* values of these bits */
		size_t n;
		char text[SASS_TEXT_MAX];
	} slot[64][2]; /* by opcode; the first entry of two is the newer one */
};
void sass_opcode_texts_clear(struct sass_opcode_texts *known);
/* Does the same as sass_opcode_text(), and keeps the text for later instructions of the same architecture. */
size_t sass_opcode_text_known(
	struct sass_opcode_texts *known, const struct sass_inst *in, char out[SASS_TEXT_MAX]);
/* Sets rest to the set bits that neither the row nor the control code covers. Returns false if there are none. */
bool sass_unused_bits(const struct sass_inst *in, uint64_t rest[2]);
/*
 * Returns the bytes of a lane's memory access, from the first size in the opcode's text, `opcode`; 0 if there is no
 * memory operand.
 */
unsigned sass_access_bytes(const struct sass_inst *in, const char *opcode);

/* ---- images ------------------------------------------------------------------------------------- */

struct sass_param {
	uint32_t offset; /* offset from the start of the parameters */
	uint32_t bytes;  /* size; 0: no parameter has this index */
};

/* A section with code. */
struct sass_function {
	const char *name;
	const uint8_t *code; /* const: a caller that changes the code makes a copy */
	uint32_t bytes;      /* size, a multiple of 16 */
	uint16_t section;
	bool entry;                   /* the function is a kernel */
	unsigned registers;           /* registers of a thread; 0: unknown */
	unsigned barriers;            /* barriers of a thread block */
	uint32_t shared_bytes;        /* bytes of static shared memory, including reserved bytes */
	uint32_t stack;               /* bytes of local memory of a lane (MIN_STACK_SIZE); 0 if absent */
	uint32_t max_threads[3];      /* largest block size; 0: no limit */
	uint32_t required_threads[3]; /* required block size; 0: none */
	uint32_t cluster[3];          /* thread blocks of a cluster; 0: none given */
	uint32_t max_cluster;         /* largest number of thread blocks in a cluster; 0: not given */
	bool explicit_cluster;        /* must be launched with a cluster */
	uint32_t param_offset;        /* offset of the parameters in bank 0 */
	uint32_t param_bytes;
	struct sass_param *param;
	unsigned n_params;
	const uint8_t *bank0; /* .nv.constant0.NAME; NULL: none */
	const uint8_t *bank2; /* .nv.constant2.NAME; NULL: none */
	uint32_t bank0_bytes, bank2_bytes;
};

enum sass_place {
	SASS_AT_CODE,        /* in the code of function `index`, at offset `value` */
	SASS_AT_GLOBAL,      /* in .nv.global, which consists of zeros */
	SASS_AT_GLOBAL_INIT, /* in .nv.global.init */
	SASS_AT_CONST,       /* in .nv.constantN, where N is `index`, at offset `value` */
	SASS_AT_CONST_OF,    /* in .nv.constant2.NAME of function `index` */
	SASS_AT_BANK0,       /* in .nv.constant0.NAME of function `index` */
	SASS_AT_SHARED, /* in .nv.shared.NAME of function `index`, or of no function if it is UINT32_MAX */
	SASS_AT_EXTERN, /* undefined in this file: a function or variable of another file or of the runtime */
	SASS_AT_OTHER
};

struct sass_symbol {
	const char *name;
	enum sass_place place;
	uint32_t index;
	uint64_t value; /* offset in the section */
	uint64_t bytes;
	bool function;
	bool global; /* visible to other files */
};

/* Types of relocations of data: an address, and a generic address, each of 32 and of 64 bits. */
enum { RELOC_32 = 1, RELOC_64, RELOC_GENERIC_32, RELOC_GENERIC_64 };

struct sass_reloc {
	enum sass_place place; /* contents that are patched */
	uint32_t index;        /* function or bank of the contents */
	uint64_t offset;
	uint32_t type;   /* RELOC_...; others: relocations of code */
	uint32_t symbol; /* index into symbol[] */
	int64_t addend; /* addend of the entry; for a REL entry, read from the section if type is 2, else 0 */
};

struct sass_bytes {
	const uint8_t *p; /* contents; NULL: no section, or no bytes in the file */
	uint64_t n;
	uint32_t align;
};

struct sass_lines;

struct sass_image {
	unsigned sm;
	unsigned ptx_sm;  /* compute capability of the PTX from which the code was compiled */
	bool relocatable; /* an object of -rdc, to be linked */
	struct sass_function *function;
	uint32_t n_functions;
	struct sass_symbol *symbol;
	uint32_t n_symbols;
	struct sass_reloc *reloc;
	uint32_t n_relocs;
	struct sass_bytes bank[8]; /* .nv.constantN of the whole file, N = 1 .. 7 */
	struct sass_bytes global;  /* size of .nv.global; p is NULL */
	struct sass_bytes global_init;
	struct sass_lines *lines; /* line table; NULL: none */
	uint8_t *bytes;           /* copy of the file */
	size_t n;
};

/*
 * Loads a cubin of n bytes, which are copied. name: the file, for messages. Returns NULL with *f set if the cubin is
 * damaged or not supported.
 */
struct sass_image *sass_image_read(const void *bytes, size_t n, const char *name, struct fault *f);
void sass_image_free(struct sass_image *m);
/* Returns the source line of pc in function number `function`; 0 if it is unknown. *file is valid as long as m. */
uint32_t sass_image_line(const struct sass_image *m, uint32_t function, uint32_t pc, const char **file);
/*
 * Sets out[] to the source position of the instruction, then to those of the calls by which it was inlined, the
 * innermost first. Of more than `most` positions, the last are left out except the outermost. Returns their number.
 */
unsigned sass_image_positions(
	const struct sass_image *m, uint32_t function, uint32_t pc, struct place *out, unsigned most);

#endif
