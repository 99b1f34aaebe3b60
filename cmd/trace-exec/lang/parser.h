/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of the PTX parser, one module at a time. Every function returns false when p->fault holds what
 * was found wrong; the first fault ends the reading.
 */
#ifndef PARSER_H
#define PARSER_H

#include "lang/lang.h"

/* A label used before it was seen; resolved when its block closes, else handed to the block around it. */
struct pending {
	struct pending *next;
	struct operand *operand; /* O_LABEL whose sym is wanted, or */
	struct symbol **slot;    /* the place in a table of targets */
	const char *name;
	uint32_t line, col;
};

struct block {
	struct block *up;
	struct scope *scope;
	struct pending *pending;
};

#define DIMS_MAX 9u

struct parser {
	struct module *m;
	struct lexer lexer;
	struct token t, ahead; /* the token in hand and the one behind it */
	struct fault *fault;
	bool failed;
	struct func *fn;     /* whose body is being read */
	struct block *block; /* innermost; its scope ends a chain through scope->up to the module's */
	struct scope *scope; /* where names are looked up and put */
	uint32_t depth;
	uint32_t loc_file, loc_line;
	uint64_t dim[DIMS_MAX]; /* of the variable in hand, a vector's elements last; the first 0: not given */
	unsigned n_dims;
	struct operand *list; /* elements of the lists that are open, outermost first */
	uint32_t n_list, cap_list;
};

#define DEPTH_MAX     200u
#define TARGETS_MAX   65536u
#define REGS_PER_FUNC (1u << 20)
#define VARIABLE_MAX  (1ull << 32)

bool parser_bad(struct parser *p, const struct token *t, const char *id, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
bool parser_unexpected(struct parser *p, const char *wanted); /* "found 'x', wanted ..." */
bool parser_next(struct parser *p);
bool parser_at_punct(const struct parser *p, char c);
bool parser_at_word(const struct parser *p, const char *dotted); /* a dotted word, without its dot */
bool parser_take_punct(struct parser *p, char c);                /* or it is a fault */
char *parser_take_name(struct parser *p, const char *wanted);    /* NULL: a fault */
/* NULL: nothing has the name. */
struct symbol *parser_look_up(struct parser *p, const char *name, uint32_t n);
/* A new name in the scope in hand; an earlier one of the same scope is a fault unless a declaration. */
struct symbol *parser_new_symbol(struct parser *p, enum sym_kind kind, const struct token *name);

/* decl.c: from the word of a state space to the semicolon. */
struct linkage {
	bool external, weak, visible, common;
};
bool decl_variables(struct parser *p, enum state_space space, struct linkage l);
/*
 * ".reg" at module scope, from behind the word. Each kernel that uses such a register has one of its own, or
 * a single function has; functions that would share it are a fault. decl_adopt_register: s of module scope as
 * p->fn's own.
 */
bool decl_module_registers(struct parser *p);
struct symbol *decl_adopt_register(struct parser *p, struct symbol *s, const struct token *used);
/* ".tex .u64 name;", the form of PTX 1: a texture reference; from behind the word. */
bool decl_textures(struct parser *p);
/* One parameter of a function: ".param .align 8 .b8 x[16]". */
struct symbol *decl_param(struct parser *p, bool entry);
/* init.c: what stands behind "=". */
bool init_variable(struct parser *p, struct symbol *var);

/* constant.c: what numbers and the operators on them come to. */
enum constant_kind { CONST_SIGNED, CONST_UNSIGNED, CONST_REAL };
struct constant {
	enum constant_kind kind;
	uint64_t bits; /* CONST_REAL: of a double */
};
bool constant_take(struct parser *p, struct constant *c);
/* Its value, rounded to nearest. */
double constant_real(const struct constant *c);
/* An expression that is a whole number. */
bool constant_take_whole(struct parser *p, int64_t *v);
/* The same where an operator may not follow: one literal with its sign, or an expression in brackets. */
bool constant_take_number(struct parser *p, int64_t *v);

/* operand.c: one operand of *in, depth of them around it. */
bool operand_parse(struct parser *p, struct operand *o, const struct stmt *in, unsigned depth);
/* The number of the register that token t names; s: its symbol, a register or a family of them. */
uint32_t operand_register(const struct symbol *s, const struct token *t);
/* One more of the list in hand; what was pushed since it had first elements, at its final place. */
void operand_push(struct parser *p, const struct operand *o);
struct operand *operand_keep(struct parser *p, uint32_t first);
/* stmt.c: the statements of a body, from behind "{" to behind "}". */
bool stmt_body(struct parser *p);
bool stmt_loc(struct parser *p);
bool skip_directive(struct parser *p); /* to the end of its line */
/* parse.c: "(params)" with its brackets, for functions and prototypes. */
bool parse_params(struct parser *p, bool entry, struct symbol ***out, uint32_t *n);

#endif
