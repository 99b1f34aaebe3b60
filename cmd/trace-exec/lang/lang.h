/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PTX programs as they are read: words, types, symbols, functions, instructions.
 *
 *   lex.c    text to tokens                        token.c  the token in hand, names
 *   parse.c  modules and functions                 decl.c   declarations
 *   stmt.c   bodies of functions, instructions     operand.c  their operands
 *   init.c   initial values of variables           constant.c  constant expressions
 *   small.c  numbers of few bits              words.c  suffixes: which, and with which types
 *   scope.c  tables of names                       flow.c   where divergent lanes meet again
 *   needs.c  what is younger than its instruction
 *
 * Always true after program_link: every name has its definition, every instruction its PC (8 bytes each,
 * functions in the order in which their bodies end, modules in the order in which they were read), every
 * branch its target. What cannot be executed has been refused with its place. Nothing here executes.
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
	uint16_t bits; /* of a register or a memory element; 4 and 1 for .s4 .u4 .b1 */
	uint8_t kind;
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
	const char *s; /* into the module's text; TOK_DOT without its dot */
	uint32_t n, line, col;
	uint8_t kind;
	char punct;     /* TOK_PUNCT: the character */
	uint64_t value; /* TOK_INT: value; TOK_F32, TOK_F64: the bits of a double */
};

struct lexer {
	const char *file, *p, *end, *line_start;
	uint32_t line;
};
/* Next token. 0, or -1 and *f. */
int lex(struct lexer *l, struct token *t, struct fault *f);

/* ---- names ---- */

enum sym_kind { SYM_REG, SYM_VAR, SYM_FUNC, SYM_LABEL, SYM_PROTO, SYM_TARGETS };

struct func;

/* An initial value that is an address: bytes at offset of the variable. */
struct fixup {
	struct fixup *next;
	struct symbol *sym;
	int64_t add;
	uint32_t offset;
	uint8_t bytes, shift; /* what is stored: bytes of the address, from bit shift up */
	uint32_t line, col;
};

struct symbol {
	const char *name;
	struct symbol *next; /* in its hash chain */
	struct symbol *def;  /* what stands for it: another module's definition, what an alias names */
	uint8_t kind, space, type, vec; /* vec: 0 or elements of a register or variable vector */
	bool external, weak, common, visible, defined, alias, unsized, range;
	uint32_t line, col;
	/* SYM_REG: registers first to first + count - 1; name is the prefix when range */
	uint32_t first, count;
	/* SYM_VAR */
	uint64_t size, addr, elems;
	uint32_t align;
	bool placed;   /* addr stands before it is linked: in the heap, not among the static variables */
	uint8_t *init; /* NULL: zeros */
	struct fixup *fixup;
	struct func *owner; /* NULL: module scope */
	uint32_t node;      /* exec/place.c */
	/* SYM_FUNC, SYM_PROTO */
	struct func *func;
	/* SYM_LABEL: instruction in its function */
	uint32_t at;
	/* SYM_TARGETS: labels, or functions for .calltargets */
	struct symbol **target;
	uint32_t n_targets;
};

/*
 * The first address from at on that the variable may have: a multiple of its size if that is a power of 2
 * below 128, else of 128, as the original pads, and of its .align, which the original leaves out.
 */
static inline uint64_t sym_place(const struct symbol *v, uint64_t at)
{
	uint64_t to = v->size < 128 && !(v->size & (v->size - 1)) ? v->size : 128;

	to = to < v->align ? v->align : to;
	return v->size ? (at + to - 1) / to * to : at;
}

struct scope {
	struct scope *up;
	struct symbol **chain; /* hash table of n_chains chains, a power of 2; NULL: no name yet */
	uint32_t n_chains, n_names;
};
struct symbol *scope_find(const struct scope *s, const char *name, uint32_t n); /* this scope alone */
/* Adds a name; the table, in arena a, grows with the number of names. */
void scope_add(struct scope *s, struct symbol *sym, struct arena *a);

/*
 * The value of a .samplerref that its declaration describes: these upper bits; from bit 0 on two for each
 * dimension's address mode (0 wrap, 1 clamp, 2 mirror, 3 border), then the two flags.
 */
#define SAMPLER_FIXED 0x7e79000000000000ull
enum { SAMPLER_LINEAR = 6, SAMPLER_UNNORMALIZED, SAMPLER_BITS };

/* ---- functions ---- */

struct reg {
	const char *name; /* of the range's prefix, or whole */
	uint32_t number;  /* in its range; UINT32_MAX: a name alone */
	uint8_t type;
	uint32_t slot; /* byte offset in the frame; 0: not used yet */
};

enum operand_kind { O_NONE, O_REG, O_INT, O_FLOAT, O_SYM, O_SREG, O_ADDR, O_VEC, O_LABEL, O_NULL };

struct operand {
	uint8_t kind;
	bool minus, inverted, pair, list; /* -x; !p; O_VEC written a|b; O_VEC written (a, b) */
	bool single;                      /* O_FLOAT: written as 0f */
	uint8_t n;                        /* O_VEC */
	uint8_t sreg, n_part;
	uint32_t line, col;
	uint32_t reg; /* O_REG; O_ADDR: base, UINT32_MAX: none */
	int64_t value; /* O_INT: the number; O_FLOAT: bits of a double; O_REG, O_ADDR, O_SYM: a constant added */
	struct symbol *sym;   /* O_SYM, O_LABEL; O_ADDR: base, may be NULL */
	const char *part;     /* O_REG: "h1", "b3210" behind it, n_part letters; NULL: none */
	struct operand *elem; /* O_VEC; O_ADDR with coordinates: they, n of them */
};

#define OPERANDS_MAX 12
#define TYPES_MAX    4
#define CLUSTER_MAX  16u /* thread blocks of a cluster */

struct stmt {
	uint16_t op;
	uint8_t n_types, n_operands, type[TYPES_MAX];
	bool guard_not;
	uint32_t guard; /* register + 1, 0: none */
	uint64_t mod[(N_MODIFIERS + 63) / 64];
	struct operand *operand;
	uint32_t line, col, mod_col; /* mod_col: of the first suffix */
	uint32_t loc_file, loc_line; /* of .loc; 0: none */
	uint32_t loc_inlined;        /* index + 1 of the .loc it was inlined at; unused so far */
	const char *text;            /* "ld.global.f32" as written, blanks left out */
};

static inline bool has(const struct stmt *in, enum modifier m) { return in->mod[m / 64] >> (m % 64) & 1; }

struct func {
	struct func *link; /* the module's other functions, declared or defined */
	const char *name;
	struct module *module;
	struct symbol *sym;
	bool entry, has_body, noreturn, explicit_cluster;
	uint32_t line, col;
	struct symbol **param, **ret; /* SYM_VAR in SP_PARAM or SYM_REG */
	uint32_t n_params, n_rets;
	uint32_t param_bytes; /* of a kernel */
	struct reg *reg;
	uint32_t n_regs, cap_regs;
	struct stmt *inst;
	uint32_t n_insts, cap_insts;
	struct scope *scope;
	struct symbol **var; /* .shared, .local and .param declared inside */
	uint32_t n_vars, cap_vars;
	uint32_t number;    /* in program->func */
	uint32_t shared_at; /* in the module's list of shared variables: those before it were declared first */
	uint32_t shared_end;               /* of a kernel: behind the shared variables that it reaches */
	uint32_t shared_align;             /* of the dynamic ones that it names; of a kernel: or reaches */
	uint32_t local_bytes, local_align; /* of its frame */
	bool raced, raced_within, /* its thread blocks, warps of one of them, have raced: told once */
		clashed,          /* so have lanes of one instruction */
		found;            /* so has what was not written */
	uint32_t maxntid[3], reqntid[3], minnctapersm, cluster[3];
	uint32_t max_cluster; /* thread blocks of one; 0: not said */
	uint32_t first_pc;    /* instruction number in the program: PC / 8 */
	uint8_t *race_at;     /* for each instruction: a race there was printed; NULL: none was */
	uint32_t *rpc; /* of each instruction: where its lanes meet in the function; UINT32_MAX: at the end */
};

struct module {
	const char *path;
	char *text;
	size_t n_text;
	uint32_t version, target; /* 64 for 6.4; 75 for sm_75 */
	uint32_t target_col, target_line;
	uint8_t address_bytes;
	bool arch_specific; /* sm_90a */
	struct scope *scope;
	struct func *all;
	struct func *common; /* its registers are those of module scope; NULL: there are none */
	struct func **func;  /* in the order in which their bodies end */
	uint32_t n_funcs, cap_funcs;
	struct symbol **var; /* at module scope, in file order */
	uint32_t n_vars, cap_vars;
	struct symbol **shared; /* .shared ones of known size, those of its functions too, in file order */
	uint32_t n_shared, cap_shared;
	const struct module *group; /* the first of those that it was linked with by name; NULL: not yet */
	const char **file;          /* of .file, by number */
	uint32_t n_files, cap_files;
	uint64_t hash[2];
	uint64_t early[(N_OPCODES + 63) / 64]; /* opcodes warned of: younger than the version or target */
	bool early_need[64];                   /* so with rows of needs.def */
	struct arena arena;
};

struct program {
	struct module **module;
	uint32_t n_modules, cap_modules;
	struct func **func; /* with bodies, in PC order */
	uint32_t n_funcs, cap_funcs;
	uint32_t n_insts;
	uint64_t static_end; /* first free address behind .global and .const variables */
	uint32_t local_end;  /* the same for local memory: variables of no function lie below all frames */
};

/* Read one module. NULL and *f. path may be "-"; what came of it lives until program_free. */
struct module *module_read(const char *path, struct fault *f);
/* The same over text in memory, which is copied. */
struct module *module_memory(const char *name, const void *text, size_t n, struct fault *f);
void module_free(struct module *m);

void program_add(struct program *p, struct module *m);
/*
 * Names, PCs and addresses. Modules that were linked before keep the names that they found then: those that
 * are new are linked by name with each other alone, and lie behind them.
 */
int program_link(struct program *p, struct fault *f);
/* The kernel of that name, or NULL. */
struct func *program_kernel(const struct program *p, const char *name);
/*
 * The .global or .const variable of that name, one that all modules see before those of one module; *several:
 * how many there are.
 */
struct symbol *program_variable(const struct program *p, const char *name, unsigned *several);
void program_free(struct program *p);

/* Where dynamic shared memory of a kernel begins: a multiple of 16, or of what its variables want. */
static inline uint32_t func_dynamic(const struct func *f)
{
	uint32_t to = f->shared_align < 16 ? 16 : f->shared_align;

	return (f->shared_end + to - 1) / to * to;
}

/* Where its frame in local memory begins, from at on. */
static inline uint32_t func_frame(const struct func *f, uint32_t at)
{
	uint32_t to = f->local_align ? f->local_align : 1;

	return (at + to - 1) / to * to;
}

/* Do two functions have the same parameters and results? parse.c */
bool func_same(const struct func *a, const struct func *b);
/* rpc of every instruction of f. */
void flow_meet(struct func *f);

/* How many of the operands, the first ones, are destinations. */
unsigned stmt_results(const struct stmt *in);
/* The instruction's place, for messages. */
struct place stmt_place(const struct func *f, const struct stmt *in);
static inline struct symbol *sym_def(struct symbol *s) { return s->def ? s->def : s; }

/* The row of an opcode: what ptx.def says of it, but for its binding. */
struct opcode_row {
	const char *name, *words; /* modifiers allowed, blank-separated */
	uint16_t version, target; /* that introduced it: 10 for 1.0; sm */
};
extern const struct opcode_row opcodes[N_OPCODES];
/* What is younger than its instruction: needs.def. */
struct need {
	uint16_t op, version, target;
	char letter; /* 'a', 'f': sm_100a, sm_100f; 0: any of the target's */
	const char *word;
};
extern const struct need younger[];
#define NEED(...) +1
enum {
	N_NEEDS = 0
#include "lang/needs.def"
};
#undef NEED
/* The row of a word of the instruction, or NULL. */
const struct need *need_find(enum opcode op, const char *word, size_t n);
/* "PTX 8.6 and sm_100a" */
void need_words(const struct need *n, char *out, size_t cap);
/* The same: what the statement needs for its instruction and its suffixes; "": nothing is said. */
const char *need_text(const struct stmt *in, const char *text, char *out, size_t cap);
enum opcode opcode_find(const char *s, uint32_t n);
enum modifier modifier_find(const char *s, uint32_t n);
enum type type_find(const char *s, uint32_t n);
/* Whether the row of an opcode has the word at all. */
bool words_allow(enum opcode op, enum modifier m);
/* Whether it is part of the instruction's name: no other suffix stands in front of it. */
bool words_in_name(enum opcode op, enum modifier m);
/*
 * The suffixes of a statement go together and with its types.
 * false: why says what does not; text: the statement's.
 */
bool words_fit(const struct stmt *in, const char *text, char *why, size_t cap);

#endif
