/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PTX programs after parsing: words, types, symbols, functions, instructions.
 *
 *   lex.c    text to tokens                        token.c  the current token, names
 *   parse.c  modules and functions                 decl.c   declarations
 *   stmt.c   bodies of functions, instructions     operand.c  their operands
 *   init.c   initial values of variables           constant.c  constant expressions
 *   small.c  narrow floating-point formats         words.c  suffixes allowed for an opcode and its types
 *   scope.c  tables of names                       flow.c   meeting points of divergent lanes
 *   needs.c  suffixes newer than their instruction
 *
 * Always true after program_link: every name has its definition, every instruction its PC (8 bytes each,
 * functions in the order in which their bodies end, modules in the order in which they were read), every
 * branch its target. Unsupported statements have been rejected with their place. This directory executes
 * nothing.
 */
#ifndef LANG_H
#define LANG_H

#include <stdbool.h>
#include <stdint.h>
#include "arena.h"
#include "diag.h"

/* ---- words ---- */

enum kind { K_BITS, K_UINT, K_SINT, K_FLOAT, K_PRED, K_OPAQUE };

#define T(id, name, bits, kind) T_##id,
enum type {
	T_NONE,
#include "lang/types.def"
	N_TYPES
};
#undef T

struct type_row {
	const char *name;
	uint16_t bits; /* width of a register or a memory element; 4 and 1 for .s4 .u4 .b1 */
	uint8_t kind;  /* enum kind */
};
extern const struct type_row types[N_TYPES];

#define M(id, word) M_##id,
enum modifier {
	M_NONE,
#include "lang/words.def"
	N_MODIFIERS
};
#undef M
extern const char *const modifier_name[N_MODIFIERS];

#define OP(id, ...) I_##id,
enum opcode {
	I_NONE,
#include "lang/ptx.def"
	N_OPCODES
};
#undef OP

enum sreg {
	S_NONE,
#define S(id, name, bits) S_##id,
#include "lang/sregs.def"
#undef S
	N_SREGS
};
struct sreg_row {
	const char *name;
	uint8_t bits;
};
extern const struct sreg_row sregs[N_SREGS];

enum state_space {
	SP_NONE,
	SP_REG,
	SP_GLOBAL,
	SP_CONST,
	SP_SHARED,
	SP_LOCAL,
	SP_PARAM,
	SP_GENERIC,
	N_STATE_SPACES
};
extern const char *const space_name[N_STATE_SPACES];

/* ---- tokens ---- */

enum token_kind { TOK_END, TOK_NAME, TOK_DOT, TOK_INT, TOK_F32, TOK_F64, TOK_TEXT, TOK_PUNCT };

struct token {
	const char *start; /* start in the module's text; TOK_DOT: after the dot */
	uint32_t n, line, col;
	uint8_t kind;   /* enum token_kind */
	char punct;     /* TOK_PUNCT: the character */
	uint64_t value; /* TOK_INT: value; TOK_F32, TOK_F64: the bits of a double */
};

struct lexer {
	const char *file, *position, *end, *line_start;
	uint32_t line;
};
/* Reads the next token. Returns 0, or -1 with *f set. */
int lex_token(struct lexer *l, struct token *t, struct fault *f);

/* ---- names ---- */

enum sym_kind { SYM_REG, SYM_VAR, SYM_FUNC, SYM_LABEL, SYM_PROTO, SYM_TARGETS };

struct func;

/* An initial value that is an address. `bytes` bytes of the address are stored at `offset` in the variable. */
struct fixup {
	struct fixup *next;
	struct symbol *sym;
	int64_t addend;
	uint32_t offset;
	uint8_t bytes;         /* number of bytes of the address that are stored */
	uint8_t address_shift; /* number of bits by which the address is shifted right before it is stored */
	uint32_t line, col;
};

struct symbol {
	const char *name;
	struct symbol *next; /* next in the hash chain */
	struct symbol *def; /* definition in another module, or target of an alias; NULL: the symbol itself */
	uint8_t kind;       /* enum sym_kind */
	uint8_t space, type;
	uint8_t vec; /* number of elements of a register or variable vector; 0: not a vector */
	bool external, weak, common, visible, defined, alias, unsized, is_range;
	uint32_t line, col;
	/* SYM_REG: registers first_reg to first_reg + n_regs - 1; with `is_range`, name is their prefix */
	uint32_t first_reg, n_regs;
	/* SYM_VAR */
	uint64_t size, addr, elems;
	uint32_t align;
	bool placed;   /* addr is set before linking: the variable is in the heap */
	uint8_t *init; /* initial bytes; NULL: zeros */
	struct fixup *fixup;
	struct func *owner; /* function that declares the symbol; NULL: module scope */
	uint32_t node;      /* number of the node in the graph of exec/place.c */
	/* only for SYM_FUNC and SYM_PROTO */
	struct func *func;
	/* SYM_LABEL: number of the instruction in its function */
	uint32_t label_inst;
	/* SYM_TARGETS: labels, or functions for .calltargets */
	struct symbol **target;
	uint32_t n_targets;
};

/*
 * Returns the lowest permitted address of the variable from `at` on. It is a multiple of the variable's size if
 * the size is a power of 2 below 128, else a multiple of 128, which is how Accel-Sim pads. It is also a
 * multiple of the .align, which Accel-Sim ignores.
 */
static inline uint64_t sym_place_address(const struct symbol *v, uint64_t at)
{
	uint64_t to = v->size < 128 && !(v->size & (v->size - 1)) ? v->size : 128;

	to = to < v->align ? v->align : to;
	return v->size ? (at + to - 1) / to * to : at;
}

struct scope {
	struct scope *parent;
	struct symbol **chain; /* hash table of n_chains chains, a power of 2; NULL: no name yet */
	uint32_t n_chains, n_names;
};
/* Looks a name up in this scope only. Returns NULL if the scope does not contain it. */
struct symbol *scope_find(const struct scope *s, const char *name, uint32_t n);
/* Adds a name; the table, in arena a, grows with the number of names. */
void scope_add(struct scope *s, struct symbol *sym, struct arena *a);

/*
 * Value of a .samplerref with properties in its declaration: SAMPLER_FIXED in the upper bits; from bit 0 on two
 * bits for the address mode of each dimension (0 wrap, 1 clamp, 2 mirror, 3 border), then the two flags.
 */
#define SAMPLER_FIXED 0x7e79000000000000ull
enum { SAMPLER_LINEAR = 6, SAMPLER_UNNORMALIZED, SAMPLER_BITS };

/* ---- functions ---- */

struct reg {
	const char *name; /* prefix of the range, or the whole name */
	uint32_t number;  /* number in the range; UINT32_MAX: no range */
	uint8_t type;
	uint32_t slot; /* byte offset in the frame; 0: not used yet */
};

enum operand_kind { O_NONE, O_REG, O_INT, O_FLOAT, O_SYM, O_SREG, O_ADDR, O_VEC, O_LABEL, O_NULL };

struct operand {
	uint8_t kind;  /* enum operand_kind */
	bool minus;    /* -x */
	bool inverted; /* !p */
	bool is_pair;  /* O_VEC written a|b */
	bool list;     /* O_VEC written (a, b) */
	bool single;   /* O_FLOAT: written as 0f */
	uint8_t n;     /* number of elements */
	uint8_t sreg, n_letters;
	uint32_t line, col;
	uint32_t reg;  /* O_REG: the register; O_ADDR: base register, UINT32_MAX: none */
	int64_t value; /* O_INT: the number; O_FLOAT: bits of a double; O_REG, O_ADDR, O_SYM: added constant */
	struct symbol *sym;   /* O_SYM, O_LABEL: the name; O_ADDR: base variable, or NULL */
	const char *letters;  /* O_REG: n_letters letters after the dot: "h1", "b3210"; NULL: none */
	struct operand *elem; /* elements of O_VEC, coordinates of O_ADDR */
};

#define OPERANDS_MAX 12
#define TYPES_MAX    5
#define CLUSTER_MAX  16u /* largest number of thread blocks in a cluster */

struct stmt {
	uint16_t opcode;
	uint8_t n_types, n_operands, type[TYPES_MAX];
	bool guard_not;
	uint32_t guard; /* number of the guard register + 1; 0: no guard */
	uint64_t mod[(N_MODIFIERS + 63) / 64];
	struct operand *operand;
	uint32_t line, col;
	uint32_t mod_col;  /* column of the first suffix */
	uint32_t loc_file; /* source file from .loc; 0: none */
	uint32_t loc_line; /* source line from .loc; 0: none */
	uint32_t loc;      /* index + 1 of the .loc in module->loc; 0: none */
	const char *text;  /* "ld.global.f32" as written, without blanks */
};

static inline bool stmt_has(const struct stmt *in, enum modifier m)
{
	return in->mod[m / 64] >> (m % 64) & 1;
}

/* Adds a modifier to the statement. */
static inline void stmt_add(struct stmt *in, enum modifier m) { in->mod[m / 64] |= 1ull << (m % 64); }

struct func {
	struct func *link; /* next function in the module's list of declared and defined functions */
	const char *name;
	const char *source_name; /* name and parameters in the source, for messages; NULL: not known */
	struct module *module;
	struct symbol *sym;
	bool entry, has_body, noreturn, explicit_cluster;
	uint32_t line, col;
	struct symbol **param; /* parameters: SYM_VAR in SP_PARAM, or SYM_REG */
	struct symbol **ret;   /* results: as for param */
	uint32_t n_params, n_rets;
	uint32_t param_bytes; /* size of a kernel's parameter block */
	struct reg *reg;
	uint32_t n_regs, cap_regs;
	struct stmt *inst;
	uint32_t n_insts, cap_insts;
	struct scope *scope;
	struct symbol **var; /* .shared, .local and .param variables declared in the function */
	uint32_t n_vars, cap_vars;
	uint32_t number;     /* index in program->func */
	uint32_t shared_end; /* end of the shared variables that a kernel reaches */
	/* alignment of the dynamic variables that the function names, or that a kernel reaches */
	uint32_t shared_align;
	uint32_t local_bytes;    /* size of the frame */
	uint32_t local_align;    /* alignment of the frame */
	bool stack_grows;        /* machine code whose calls may need more local memory than local_bytes */
	bool race_reported;      /* a race of thread blocks was reported */
	bool warp_race_reported; /* a race of warps of a thread block was reported */
	bool clash_reported;     /* a store whose lanes write different values was reported */
	bool finding_reported;   /* another finding was reported */
	uint32_t maxntid[3], reqntid[3], minnctapersm, cluster[3];
	uint32_t max_cluster; /* largest number of thread blocks in a cluster; 0: not given */
	uint32_t first_pc;    /* instruction number in the program: PC / 8 */
	uint32_t first_loc;   /* index of the function's first .loc in module->loc */
	uint8_t *reported;    /* for each instruction, which findings were printed; NULL: none was */
	uint32_t *rpc; /* for each instruction, the meeting point of diverged lanes; UINT32_MAX: the end */
	const struct machine_execution *machine; /* execution of machine code (exec/exec.h); NULL: PTX */
	struct machine_code *machine_code;       /* data of the function in machine/ */
};

/* A .loc directive. */
struct loc {
	uint32_t file, line, col;
	uint32_t call_file, call_line, call_col; /* inlined_at: position of the inlined call; line 0: none */
};

struct module {
	const char *path;
	char *text;
	size_t n_text;
	uint32_t version; /* PTX version: 64 is 6.4 */
	uint32_t target;  /* target: 75 is sm_75 */
	uint32_t target_col, target_line;
	uint8_t address_bytes;
	bool arch_specific; /* the target has a letter, as in sm_90a */
	struct scope *scope;
	struct func *all_funcs;
	struct func *module_scope; /* function that owns the registers of module scope; NULL: none */
	struct func **func;        /* functions with bodies, in the order in which the bodies end */
	uint32_t n_funcs, cap_funcs;
	struct symbol **var; /* variables of module scope, in file order */
	uint32_t n_vars, cap_vars;
	/* .shared variables of known size, including those of functions, in file order */
	struct symbol **shared;
	uint32_t n_shared, cap_shared;
	const struct module *group; /* first module of its group, linked by name; NULL: not linked yet */
	const char **file;          /* names of .file, by number */
	uint32_t n_files, cap_files;
	struct loc *
		loc; /* the .loc directives with the position of an inlined call, and those of such positions */
	uint32_t n_locs, cap_locs;
	uint64_t hash[2];
	/* opcodes newer than the version or target, already reported */
	uint64_t reported_newer[(N_OPCODES + 63) / 64];
	bool warned_needs[64];          /* rows of needs.def already reported */
	struct machine_module *machine; /* data of the module in machine/; NULL: PTX */
	void (*machine_free)(struct machine_module *m);
	struct arena arena;
};

struct program {
	struct module **module;
	uint32_t n_modules, cap_modules;
	struct func **func; /* functions with bodies, in PC order */
	uint32_t n_funcs, cap_funcs;
	uint32_t n_insts;
	uint64_t static_end; /* first free address after .global and .const variables */
	uint32_t local_end; /* first free address of local memory; variables of module scope are below all frames */
};

/* Reads one module; path may be "-". Returns NULL with *f set on failure. program_free() frees the module. */
struct module *module_read(const char *path, struct fault *f);
/* Reads a module from text in memory, which is copied. */
struct module *module_read_text(const char *name, const void *text, size_t n, struct fault *f);
void module_free(struct module *m);

/*
 * Sets out[] to the source position of the instruction, then to those of the calls by which it was inlined, the
 * innermost first. Of more than `most` positions, the last are left out except the outermost. Returns their number.
 */
unsigned loc_positions(const struct func *f, const struct stmt *in, struct place *out, unsigned most);

void program_add_module(struct program *p, struct module *m);
/*
 * Sets the definitions of names, PCs and addresses. Modules that were linked before keep their definitions:
 * new modules are linked by name only with each other, and are placed after the old ones.
 */
int program_link(struct program *p, struct fault *f);
/* Returns the kernel of that name, or NULL. */
struct func *program_kernel(const struct program *p, const char *name);
/*
 * Returns the .global or .const variable of that name, preferably a visible one. *several: number of such
 * variables, 1 if one is visible.
 */
struct symbol *program_variable(const struct program *p, const char *name, unsigned *several);
void program_free(struct program *p);

/* Returns the start of a kernel's dynamic shared memory: a multiple of 16 and of its variables' alignment. */
static inline uint32_t func_dynamic_start(const struct func *f)
{
	uint32_t to = f->shared_align < 16 ? 16 : f->shared_align;

	return (f->shared_end + to - 1) / to * to;
}

/* Returns the start of the function's frame in local memory, from `at` on. */
static inline uint32_t func_frame_start(const struct func *f, uint32_t at)
{
	uint32_t to = f->local_align ? f->local_align : 1;

	return (at + to - 1) / to * to;
}

/* Returns true if two functions have the same parameters and results; parse.c. */
bool func_has_same_signature(const struct func *a, const struct func *b);
/* Sets rpc of every instruction of f. */
void flow_find_meeting_points(struct func *f);

/* Returns the number of operands that are destinations; these come first. */
unsigned stmt_count_results(const struct stmt *in);
/* Returns the instruction's place, for messages. */
struct place stmt_place(const struct func *f, const struct stmt *in);
static inline struct symbol *sym_definition(struct symbol *s) { return s->def ? s->def : s; }

/* The row of an opcode in ptx.def, without its binding. */
struct opcode_row {
	const char *name;
	const char *words; /* allowed modifiers, separated by blanks */
	uint16_t version;  /* PTX version that introduced the opcode: 10 means 1.0 */
	uint16_t target;   /* lowest target that supports the opcode */
};
extern const struct opcode_row opcodes[N_OPCODES];
/* A suffix, type or form that is newer than its instruction: a row of needs.def. */
struct need {
	uint16_t opcode, version, target;
	char letter; /* 'a': as in sm_100a; 'f': as in sm_100f; 0: any target */
	const char *word;
};
extern const struct need younger[];
#define NEED(...) +1
enum {
	N_NEEDS = 0
#include "lang/needs.def"
};
#undef NEED
/* Returns the row of needs.def for an opcode and a word, or NULL if there is none. */
const struct need *need_find(enum opcode op, const char *word, size_t n);
/* Writes the requirements of a row, as in "PTX 8.6 and sm_100a". */
void need_write_words(const struct need *n, char *out, size_t cap);
/*
 * Writes the version and target that the statement's instruction and suffixes need, or "" if they are not
 * known.
 */
const char *need_write_text(const struct stmt *in, const char *text, char *out, size_t cap);
enum opcode opcode_find(const char *s, uint32_t n);
enum modifier modifier_find(const char *s, uint32_t n);
enum type type_find(const char *s, uint32_t n);
/* Returns true if the row of an opcode has the word. */
bool words_allow_modifier(enum opcode op, enum modifier m);
/* Returns true if the word is part of the instruction's name, which comes before all other suffixes. */
bool words_is_in_name(enum opcode op, enum modifier m);
/*
 * Returns true if the suffixes of a statement are compatible with each other and with its types. text: the opcode
 * with its suffixes. Returns false with the reason in `why` if they are not.
 */
bool words_are_allowed(const struct stmt *in, const char *text, char *why, size_t cap);

#endif
