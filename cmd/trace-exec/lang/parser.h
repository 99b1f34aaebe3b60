/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared declarations of the PTX parser, which reads one module at a time. Functions return false once p->fault
 * is set; the first fault ends the parsing.
 */
#ifndef PARSER_H
#define PARSER_H

#include "lang/lang.h"

/* A label used before its definition; resolved when its block closes, else passed to the enclosing block. */
struct pending_label {
	struct pending_label *next;
	struct operand *operand; /* operand of kind O_LABEL whose sym must be set; NULL: *slot must be set */
	struct symbol **slot;    /* entry of a table of targets */
	const char *name;
	uint32_t line, col;
};

struct block {
	struct block *parent;
	struct scope *scope;
	struct pending_label *pending;
};

#define DIMS_MAX 9u

struct parser {
	struct module *module;
	struct lexer lexer;
	struct token token;      /* current token */
	struct token next_token; /* next token */
	struct fault *fault;
	bool failed;
	struct func *func;   /* function whose body is being read */
	struct block *block; /* innermost block */
	struct scope *scope; /* innermost scope; scope->parent leads to the module's */
	uint32_t depth;
	uint32_t loc_file, loc_line, loc; /* the last .loc: fields of the same names in struct stmt */
	uint64_t dim[DIMS_MAX]; /* dimensions of the current variable, vector elements last; dim[0] 0: not given */
	unsigned n_dims;
	struct operand *list; /* elements of the open lists, outermost list first */
	uint32_t n_list, cap_list;
};

#define DEPTH_MAX     200u
#define TARGETS_MAX   65536u
#define REGS_PER_FUNC (1u << 20)
#define VARIABLE_MAX  (1ull << 32)

bool parser_bad(struct parser *p, const struct token *t, const char *id, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
/* Sets the fault "unexpected TOKEN (expected ...)" for the current token. Returns false. */
bool parser_unexpected(struct parser *p, const char *expected);
/* Moves to the next token. */
bool parser_next(struct parser *p);
/* Returns true if the current token is the character. */
bool parser_at_punct(const struct parser *p, char c);
/* Returns true if the current token is the dotted word, which is given without its dot. */
bool parser_at_word(const struct parser *p, const char *dotted);
/* Moves past the character; another token is a fault. */
bool parser_take_punct(struct parser *p, char c);
/* Moves past a name and returns it. Returns NULL, with a fault, if the token is not a name. */
char *parser_take_name(struct parser *p, const char *expected);
/* Looks a name up in the open scopes. Returns NULL if no scope contains it. */
struct symbol *parser_look_up(struct parser *p, const char *name, uint32_t n);
/*
 * Adds a name to the innermost scope, or returns its earlier declaration there. Any other earlier use of the
 * name in the scope is a fault.
 */
struct symbol *parser_new_symbol(struct parser *p, enum sym_kind kind, const struct token *name);

/* Linkage of a declaration; decl.c. */
struct linkage {
	bool external, weak, visible, common;
};
/* Parses the rest of a declaration after its state space, to the semicolon. */
bool decl_variables(struct parser *p, enum state_space space, struct linkage l);
/*
 * Parses the rest of a ".reg" declaration of module scope. Each kernel that uses the register has its own copy.
 * A function may use the register only if nothing else does.
 */
bool decl_module_registers(struct parser *p);
/* Returns the copy of register s of module scope that belongs to p->func. */
struct symbol *decl_adopt_register(struct parser *p, struct symbol *s, const struct token *used);
/* Parses the rest of ".tex .u64 name;", a texture reference of PTX 1. */
bool decl_textures(struct parser *p);
/* Parses one parameter of a function: ".param .align 8 .b8 x[16]". */
struct symbol *decl_parse_param(struct parser *p, bool entry);
/* Parses the initial value after "="; init.c. */
bool init_parse_variable(struct parser *p, struct symbol *var);

/* Value of a constant expression; constant.c. */
enum constant_kind { CONST_SIGNED, CONST_UNSIGNED, CONST_REAL };
struct constant {
	enum constant_kind kind;
	uint64_t bits; /* CONST_REAL: bits of a double */
};
/* Parses and evaluates an expression. */
bool constant_take_expression(struct parser *p, struct constant *c);
/* Returns the value as a double, rounded to nearest. */
double constant_to_double(const struct constant *c);
/* Parses an expression whose value is a whole number. */
bool constant_take_whole(struct parser *p, int64_t *v);
/* Parses a whole number without operators after it: a literal with its sign, or an expression in brackets. */
bool constant_take_number(struct parser *p, int64_t *v);

/* Parses one operand of *in, nested in `depth` others; operand.c. */
bool operand_parse(struct parser *p, struct operand *o, const struct stmt *in, unsigned depth);
/* Returns the number of the register that token t names; s: its symbol, a register or a range. */
uint32_t operand_register_number(const struct symbol *s, const struct token *t);
/* Adds an element to the open list. */
void operand_add_to_list(struct parser *p, const struct operand *o);
/* Moves the elements of the list from `first` on to permanent memory, and returns them. */
struct operand *operand_keep_list(struct parser *p, uint32_t first);
/* Parses the statements of a body after "{", and the "}"; stmt.c. */
bool stmt_parse_body(struct parser *p);
/* Parses the rest of a ".loc" directive. */
/* Parses the operands of .loc. */
bool loc_parse(struct parser *p);
/* Parses "(params)" of a function or a prototype; parse.c. */
bool parse_params(struct parser *p, bool entry, struct symbol ***out, uint32_t *n);

#endif
