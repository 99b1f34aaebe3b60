/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Properties of PTX opcodes from their words: table row, type, space, cache operator, vector (ptx.h).
 *
 * Always true: the first word that names a type is the type; words without effect on timing are skipped. Speed does
 * not matter, because an opcode is decoded once.
 */
#include <string.h>
#include "ptx.h"

#define PTX_OP(stem, rule, entry, kind, reason) {stem, PTX_RULE_##rule, entry, PTX_KIND_##kind, reason},
static const struct ptx_op rows[] = {
#include "ptx-ops.def"
};
#undef PTX_OP

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

struct ptx_word {
	const char *s; /* start of the word */
	size_t n;      /* number of bytes of the word */
};

static bool ptx_word_is(struct ptx_word w, const char *text)
{
	return strlen(text) == w.n && !memcmp(w.s, text, w.n);
}

const struct ptx_op *ptx_op_find(const char *opcode, size_t n)
{
	for (;;) {
		for (size_t i = 0; i < N_ROWS; i++)
			if (ptx_word_is((struct ptx_word){opcode, n}, rows[i].stem))
				return &rows[i];
		while (n && opcode[n - 1] != '.')
			n--;
		if (!n)
			return NULL;
		n--;
	}
}

const struct ptx_op *ptx_op_at(unsigned i) { return i < N_ROWS ? &rows[i] : NULL; }

/* ---- words ---------------------------------------------------------------------------------- */

static const char *const space_name[] = {
	[SPACE_NONE] = "-",
	[SPACE_GLOBAL] = "global",
	[SPACE_LOCAL] = "local",
	[SPACE_SHARED] = "shared",
	[SPACE_CONST] = "const",
	[SPACE_PARAM] = "param",
	[SPACE_LOCAL_PARAM] = "local param",
	[SPACE_TEX] = "texture",
	[SPACE_GENERIC] = "generic",
};

const char *ptx_space_name(enum space s) { return space_name[s]; }

/* Returns the size of the type that a word names; 0 if it is not a type. */
static unsigned ptx_type_size(struct ptx_word w)
{
	static const struct {
		const char *name;
		uint8_t bytes; /* size of the type in bytes */
	} more[] = {
		{"f16x2", 4},
		{"bf16", 2},
		{"bf16x2", 4},
		{"tf32", 4},
		{"e4m3x2", 2},
		{"e5m2x2", 2},
		{"b128", 16},
		{"pred", 1},
		{"f32x2", 8},
	};
	uint64_t bits = 0;

	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++)
		if (ptx_word_is(w, more[i].name))
			return more[i].bytes;
	if (w.n < 2 || w.n > 3 || !strchr("subf", w.s[0]))
		return 0;
	for (size_t i = 1; i < w.n; i++) {
		if (w.s[i] < '0' || w.s[i] > '9')
			return 0;
		bits = bits * 10 + (uint64_t)(w.s[i] - '0');
	}
	return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? (unsigned)bits / 8 : 0;
}

static enum space space_of(struct ptx_word w)
{
	static const struct {
		const char *name;
		uint8_t space;
	} all[] = {
		{"global", SPACE_GLOBAL},
		{"local", SPACE_LOCAL},
		{"shared", SPACE_SHARED},
		{"shared::cta", SPACE_SHARED},
		{"shared::cluster", SPACE_SHARED},
		{"const", SPACE_CONST},
		{"param", SPACE_PARAM},
		{"param::entry", SPACE_PARAM},
		{"param::func", SPACE_LOCAL_PARAM},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (ptx_word_is(w, all[i].name))
			return (enum space)all[i].space;
	return SPACE_NONE;
}

enum ptx_type { TYPE_OTHER, TYPE_F32, TYPE_F64 };

static void apply_opcode_word(struct ptx_form *f, struct ptx_word w, enum ptx_type *type, bool *typed)
{
	unsigned bytes = ptx_type_size(w);

	if (bytes && !*typed) {
		*typed = true;
		*type = ptx_word_is(w, "f32") || ptx_word_is(w, "f32x2") ? TYPE_F32
			: ptx_word_is(w, "f64")                          ? TYPE_F64
									 : TYPE_OTHER;
		f->bytes = (uint8_t)bytes;
	}
	if (ptx_word_is(w, "v2") || ptx_word_is(w, "v4") || ptx_word_is(w, "v8"))
		f->elements = (uint8_t)(w.s[1] - '0');
	/* The opcode of a copy names two spaces. The last one is the source. */
	if (space_of(w) != SPACE_NONE)
		f->space = (uint8_t)space_of(w);
	f->bypasses_l1 |= ptx_word_is(w, "cg");
	f->nc |= ptx_word_is(w, "nc");
	f->arrive |= ptx_word_is(w, "arrive");
}

/* ---- class and latency ---------------------------------------------------------------------- */

static uint8_t latency_list_of_type(enum ptx_type t)
{
	return t == TYPE_F32 ? PTX_LIST_FP : t == TYPE_F64 ? PTX_LIST_DP : PTX_LIST_INT;
}

static void apply_rule(struct ptx_form *f, enum ptx_type type)
{
	static const uint8_t class[] = {
		[PTX_RULE_PLAIN] = CLASS_ALU,
		[PTX_RULE_ARITH] = CLASS_INT,
		[PTX_RULE_INT_NEXT] = CLASS_INT,
		[PTX_RULE_DIVIDE] = CLASS_SFU,
		[PTX_RULE_SFU] = CLASS_SFU,
		[PTX_RULE_TENSOR] = CLASS_TENSOR,
		[PTX_RULE_SHFL] = CLASS_ALU,
		[PTX_RULE_LOAD] = CLASS_LOAD,
		[PTX_RULE_STORE] = CLASS_STORE,
		[PTX_RULE_BRANCH] = CLASS_BRANCH,
		[PTX_RULE_CALL] = CLASS_CALL,
		[PTX_RULE_RET] = CLASS_RET,
		[PTX_RULE_BARRIER] = CLASS_BARRIER,
		[PTX_RULE_MEMBAR] = CLASS_MEMBAR,
	};
	enum ptx_rule rule = f->op ? (enum ptx_rule)f->op->rule : PTX_RULE_PLAIN;

	f->class = class[rule];
	f->entry = f->op ? f->op->entry : 0;
	switch (rule) {
	case PTX_RULE_ARITH:
		f->class = type == TYPE_F32 ? CLASS_SP : type == TYPE_F64 ? CLASS_DP : CLASS_INT;
		f->list = latency_list_of_type(type);
		break;
	case PTX_RULE_INT_NEXT:
		f->extra_cycles = 1;
		f->list = PTX_LIST_INT;
		break;
	case PTX_RULE_SHFL: f->list = PTX_LIST_INT; break;
	case PTX_RULE_DIVIDE: f->list = latency_list_of_type(type); break;
	case PTX_RULE_SFU: f->list = PTX_LIST_SFU; break;
	case PTX_RULE_TENSOR: f->list = PTX_LIST_TENSOR; break;
	default: break;
	}
}

/* Adds implied spaces and cache operators. Removes both from opcodes without memory access. */
static void complete_space_and_operator(struct ptx_form *f)
{
	switch (f->op ? (enum ptx_kind)f->op->kind : PTX_KIND_PLAIN) {
	case PTX_KIND_TEX: f->space = SPACE_TEX; return;
	case PTX_KIND_ATOM: f->bypasses_l1 = true; break;
	case PTX_KIND_LD:
	case PTX_KIND_ST: break;
	default:
		f->space = SPACE_NONE;
		f->bypasses_l1 = false;
		return;
	}
	if (f->space == SPACE_NONE)
		f->space = SPACE_GENERIC;
}

void ptx_form_of(struct ptx_form *f, const char *opcode, size_t n)
{
	enum ptx_type type = TYPE_OTHER;
	bool typed = false;
	const char *end = opcode + n;

	*f = (struct ptx_form){.op = ptx_op_find(opcode, n), .elements = 1};
	for (const char *s = opcode; s < end;) {
		const char *dot = memchr(s, '.', (size_t)(end - s));

		apply_opcode_word(f, (struct ptx_word){s, (size_t)((dot ? dot : end) - s)}, &type, &typed);
		s = dot ? dot + 1 : end;
	}
	apply_rule(f, type);
	complete_space_and_operator(f);
}
