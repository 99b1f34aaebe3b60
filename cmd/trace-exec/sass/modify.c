/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the modifiers of an opcode: the tokens of its row, tables of words.def, rules for aliases. */
#include <stdlib.h>
#include <string.h>
#include "bits.h"
#include "sass/fields.h"

static const struct words {
	const char *name;
	size_t n_name;
	const char *values;
} tables[] = {
#define WORDS(name, values) {#name, sizeof(#name) - 1, values},
#include "sass/words.def"
#undef WORDS
};

#define N_TABLES (sizeof(tables) / sizeof(*tables))

/* Numbers of the tables. */
enum {
#define WORDS(name, values) WORDS_##name,
#include "sass/words.def"
#undef WORDS
};

const struct words *words_find(const char *name, size_t n)
{
	for (size_t i = 0; i < N_TABLES; i++)
		if (tables[i].n_name == n && !memcmp(tables[i].name, name, n))
			return &tables[i];
	return NULL;
}

unsigned words_field_bits(const struct words *w)
{
	unsigned n = 1;

	for (const char *p = w->values; *p; p++)
		n += *p == '|';
	return log2_floor(n - 1) + 1;
}

/* Appends the word for value v of a table. */
static void put_word(struct sass_out *o, const struct words *w, uint64_t v)
{
	const char *p = w->values;
	size_t n;

	for (uint64_t i = 0; i < v; i++) {
		p = strchr(p, '|');
		if (!p++)
			break;
	}
	n = p ? strcspn(p, "|") : 0;
	if (!p || (n == 1 && *p == '?'))
		sass_putf(o, ".INVALID%u", (unsigned)v);
	else
		sass_put_bytes(o, p, n);
}

/* Appends the word for the value of a field at bit `at`. table: WORDS_... */
static void put_field(struct sass_out *o, struct reading *r, unsigned table, unsigned at)
{
	const struct words *w = &tables[table];

	put_word(o, w, reading_field(r, at, words_field_bits(w)));
}

static void put_if_bit_is(struct sass_out *o, struct reading *r, const char *text, unsigned at, bool set)
{
	if ((reading_field(r, at, 1) != 0) == set)
		sass_put(o, text);
}

/* ---- rules -------------------------------------------------------------------------------------- */

/* Returns true if argument i exists and is a zero register (RZ, URZ) or the number 0. */
static bool arg_is_zero(const struct sass_inst *in, unsigned i)
{
	const struct sass_arg *a = &in->arg[i];

	if (i >= in->n_args)
		return false;
	if (a->kind == SASS_REG || a->kind == SASS_UREG)
		return a->reg == SASS_ZERO;
	return a->kind == SASS_INT && !a->value;
}

/* Appends the modifiers of IMAD and UIMAD, which name an IMAD that moves, adds or shifts. */
static void put_imad_modifiers(struct sass_out *o, struct reading *r)
{
	const struct sass_inst *in = r->inst;
	unsigned s = in->n_results;
	bool is_move = arg_is_zero(in, s + 1) && (in->form == 4 || arg_is_zero(in, s)) && in->form != 7,
	     extended = reading_field(r, 74, 1) != 0, is_signed = reading_field(r, 73, 1) != 0;
	const struct sass_arg *b = &in->arg[s + 1], *c = &in->arg[s + 2];
	uint64_t value = (uint64_t)b->value & 0xffffffff;

	if (!extended && !in->row->uniform) {
		if (is_move || (b->kind == SASS_INT && value == 1 && arg_is_zero(in, s + 2)))
			sass_put(o, ".MOV");
		else if (b->kind == SASS_INT && value == 1)
			sass_put(o, ".IADD");
		else if (b->kind == SASS_INT && c->kind == SASS_REG && c->reg == SASS_ZERO &&
			 is_pow2(value) && value < 65536)
			sass_put(o, ".SHL");
	}
	sass_put(o, is_signed ? "" : ".U32");
	sass_put(o, extended ? ".X" : "");
}

static void put_dot_product_modifiers(struct sass_out *o, struct reading *r)
{
	bool two = reading_field(r, 76, 1) != 0;

	sass_put(o, two ? ".2A" : ".4A");
	if (two)
		put_field(o, r, WORDS_lohi, 77);
	put_field(o, r, two ? WORDS_us16 : WORDS_us8, 73);
	put_field(o, r, WORDS_us8, 74);
}

static void put_imma_modifiers(struct sass_out *o, struct reading *r)
{
	static const char *const shapes[8] = {
		".8816", NULL, ".8832", NULL, ".16816", ".16832", ".16864", ".168128"};
	unsigned shape = (unsigned)(reading_field(r, 75, 1) | reading_field(r, 85, 2) << 1);
	static const char *const types[4] = {".U8", ".S8", ".U4", ".S4"};

	put_if_bit_is(o, r, ".SP", 72, true);
	if (shapes[shape])
		sass_put(o, shapes[shape]);
	else
		sass_putf(o, ".INVALID%u", shape);
	sass_put(o, types[reading_field(r, 76, 1) | reading_field(r, 83, 1) << 1]);
	sass_put(o, types[reading_field(r, 78, 1) | reading_field(r, 84, 1) << 1]);
	put_if_bit_is(o, r, ".SAT", 82, true);
}

/* Appends the shape and the types of a product of narrow numbers: QMMA, QMMA.SF and OMMA.SF. */
static void put_narrow_modifiers(struct sass_out *o, struct reading *r)
{
	static const char *const types[8] = {".E4M3", ".E5M2", NULL, ".E3M2", ".E2M3", ".E2M1", NULL, NULL};
	unsigned opcode = r->inst->opcode;
	bool scaled = opcode == 0x47a || opcode == 0x47f, four = opcode == 0x47f,
	     sparse = reading_field(r, 80, 1) != 0;

	sass_put(o, sparse ? ".SP" : "");
	if (scaled)
		sass_putf(o, ".16%s.F32", four ? sparse ? "8128" : "864" : sparse ? "864" : "832");
	else
		put_field(o, r, WORDS_qmma, 74), put_field(o, r, WORDS_f16f32, 77);
	for (unsigned i = 0; i < 2; i++) {
		const char *t =
			four ? ".E2M1"
			     : types[reading_field(r, 78 + i, 1) | reading_field(r, 82 + 2 * i, 2) << 1];

		sass_put(o, t ? t : ".INVALID");
	}
	if (scaled)
		sass_put(o, four && reading_field(r, 82, 2) == 1 ? ".UE4M3.4X" : ".E8");
}

/* Appends the modifiers of the matrix product of sm_70, which has four steps. */
static void put_hmma884_modifiers(struct sass_out *o, struct reading *r)
{
	unsigned step = (unsigned)reading_field(r, 79, 2);

	sass_put(o, ".884");
	put_field(o, r, WORDS_f16f32, 76);
	put_field(o, r, WORDS_f16f32, 78);
	sass_putf(o, ".STEP%u", step);
}

/* Appends the formats of F2FP of sm_89 and later, which names both. kind: bits 85-87, 89 and 90. */
static void put_pack_formats(struct sass_out *o, struct reading *r, unsigned kind, bool merge)
{
	static const char *const types[4] = {".F16", ".BF16", ".E5M2", ".E4M3"};
	static const char *const sixes[4] = {".?", ".?", ".E2M3", ".E3M2"};
	unsigned to = (unsigned)reading_field(r, 76, 2), from = (unsigned)reading_field(r, 73, 2);

	switch (kind) {
	case 0: sass_putf(o, "%s.F32", types[to & 1]); break;
	case 16 | 4: sass_putf(o, "%s%s", types[to], from & 1 ? ".F16" : ".F32"); break;
	case 16 | 1: sass_putf(o, ".E2M1%s", from & 1 ? ".F16" : ".F32"); break;
	case 16 | 3: sass_putf(o, "%s%s", sixes[to], from & 1 ? ".F16" : ".F32"); break;
	case 16 | 6: sass_put(o, reading_field(r, 83, 1) ? ".E8.BF16" : ".E8.F32"); break;
	default:
		sass_putf(o, "%s%s", types[to & 1],
			reading_field(r, 83, 1)    ? ".E8"
			: !reading_field(r, 82, 1) ? types[from]
			: from == 1                ? ".E2M1"
						   : sixes[from]);
		sass_put(o, ".UNPACK_B");
		if (from == 1) /* bit 72: the odd byte of the half */
			put_if_bit_is(o, r, "1", 72, true);
		return;
	}
	sass_put(o, merge ? ".PACK_AB_MERGE_C" : ".PACK_AB");
}

/* Appends the modifiers of F2FP. */
static void put_pack_types(struct sass_out *o, struct reading *r)
{
	static const char *const roundings[4] = {"", ".RM", ".RP", ".RZ"};
	unsigned kind = (unsigned)(reading_field(r, 85, 3) | reading_field(r, 89, 2) << 3);
	bool merge = reading_field(r, 78, 1) != 0, bit77 = reading_field(r, 77, 1) != 0;

	/* bit 77 belongs to the format of results of 8 bits, which always saturate */
	sass_put(o, kind >= 16 ? kind != 22 || bit77 ? ".SATFINITE" : "" : bit77 ? ".SATFINITE" : "");
	if (r->inst->sm < 89) {
		sass_put(o, reading_field(r, 76, 1) ? ".BF16" : "");
		put_if_bit_is(o, r, ".RELU", 75, true);
		sass_put(o, merge ? ".MERGE_C" : ".PACK_AB");
	} else {
		put_if_bit_is(o, r, ".RELU", 75, true);
		if (kind == (8 | 2))
			sass_put(o, reading_field(r, 76, 1) ? ".TF32.F32.PACK_B" : ".?");
		else
			put_pack_formats(o, r, kind, merge);
	}
	put_if_bit_is(o, r, ".RS", 81, true);
	sass_put(o, reading_field(r, 81, 1) ? "" : roundings[reading_field(r, 79, 2)]);
}

/* Appends the modifiers of UF2FP. Bits 89 and 90: the result is a TF32, or has numbers of 8 bits. */
static void put_uniform_pack_types(struct sass_out *o, struct reading *r)
{
	unsigned to = (unsigned)reading_field(r, 75, 3), kind = (unsigned)reading_field(r, 89, 2);

	put_if_bit_is(o, r, "", 85, true);
	if (kind == 1 && to == 3)
		sass_put(o, ".TF32.F32.PACK_B");
	else if (kind == 2 && to >= 4 && to < 6)
		sass_putf(o, "%s%s%s", to == 5 ? ".E4M3" : ".E5M2", reading_field(r, 84, 1) ? ".F16" : ".F32",
			reading_field(r, 78, 1) ? ".PACK_AB_MERGE_C" : ".PACK_AB");
	else
		sass_put(o, ".?");
	put_field(o, r, WORDS_rnd, 79);
}

/* Appends the size of a float, a field of table `sizes` at bit `at`. Size 0 with bit `bf16` is BF16. */
static void put_float_size(struct sass_out *o, struct reading *r, unsigned sizes, unsigned at, unsigned bf16)
{
	if (!reading_field(r, at, 2) && reading_field(r, bf16, 1))
		sass_put(o, ".BF16");
	else
		put_field(o, r, sizes, at);
}

static void put_f2f_modifiers(struct sass_out *o, struct reading *r)
{
	put_float_size(o, r, WORDS_fsize, 75, 77);
	put_float_size(o, r, WORDS_fsize, 84, 86);
}

/* Appends the format of FRND. Source and result have the same format. */
static void put_frnd(struct sass_out *o, struct reading *r)
{
	put_float_size(o, r, WORDS_fsize32, 75, 77);
	if (!reading_field(r, 84, 2))
		(void)reading_field(r, 86, 1);
}

/* Appends an integer type of 8 to 64 bits. The default, signed with 32 bits, has no name. */
static void put_integer_type(struct sass_out *o, unsigned size, bool is_signed)
{
	if (size != 2 || !is_signed)
		sass_putf(o, ".%c%u", is_signed ? 'S' : 'U', 8u << size);
}

static void put_f2i_modifiers(struct sass_out *o, struct reading *r)
{
	put_integer_type(o, (unsigned)reading_field(r, 75, 2), reading_field(r, 72, 1) != 0);
	put_float_size(o, r, WORDS_fsize32, 84, 86);
}

static void put_i2f_modifiers(struct sass_out *o, struct reading *r)
{
	put_float_size(o, r, WORDS_fsize32, 75, 77);
	put_integer_type(o, (unsigned)reading_field(r, 84, 2), reading_field(r, 74, 1) != 0);
}

static void put_redux_modifiers(struct sass_out *o, struct reading *r)
{
	unsigned op = (unsigned)reading_field(r, 78, 3);

	put_field(o, r, WORDS_redux, 78);
	if (reading_field(r, 73, 1))
		sass_put(o, ".S32");
	(void)op;
}

static void put_bar_modifiers(struct sass_out *o, struct reading *r)
{
	unsigned op = (unsigned)reading_field(r, 77, 2);

	put_field(o, r, WORDS_bar, 77);
	if (op == 2)
		put_field(o, r, WORDS_barred, 74);
	put_if_bit_is(o, r, ".DEFER_BLOCKING", 80, true);
}

static void put_bra_modifiers(struct sass_out *o, struct reading *r)
{
	put_field(o, r, WORDS_bra, 32);
	put_if_bit_is(o, r, ".ANY", 84, true);
}

static void put_ret_modifiers(struct sass_out *o, struct reading *r)
{
	put_if_bit_is(o, r, ".ABS", 85, true);
	put_if_bit_is(o, r, ".REL", 85, false);
	put_if_bit_is(o, r, ".NODEC", 86, true);
}

static void put_cas_modifiers(struct sass_out *o, struct reading *r)
{
	sass_put(o, reading_field(r, 87, 1) ? ".CAST.SPIN" : ".CAS");
}

static void put_ldc_modifiers(struct sass_out *o, struct reading *r)
{
	static const char *const modes[4] = {"", ".IL", ".IS", ".ISL"};

	sass_put(o, modes[reading_field(r, 78, 2)]);
}

/* Appends the type of a comparison: of 32-bit numbers or, on sm_120, of 64-bit numbers. */
static void put_compare_type(struct sass_out *o, struct reading *r)
{
	bool wide = reading_field(r, 80, 1) != 0, is_signed = reading_field(r, 73, 1) != 0;

	if (wide)
		sass_put(o, is_signed ? ".S64" : ".U64");
	else
		sass_put(o, is_signed ? "" : ".U32");
}

static void put_warpsync_modifiers(struct sass_out *o, struct reading *r)
{
	put_if_bit_is(o, r, ".EXCLUSIVE", 85, true);
	put_if_bit_is(o, r, ".COLLECTIVE", 86, true);
}

static void put_warpgroup_modifiers(struct sass_out *o, struct reading *r)
{
	unsigned mode = (unsigned)reading_field(r, 79, 2);

	if (mode == 0)
		sass_put(o, ".ARRIVE");
	else if (mode == 2)
		sass_put(o, ".DEPBAR");
	else
		sass_putf(o, ".INVALID%u", mode);
	put_if_bit_is(o, r, ".LE", 47, true);
}

/* Appends the rest of the name of a product in tensor memory, by the types of its elements. */
static void put_utcmma_name(struct sass_out *o, struct reading *r)
{
	static const char *const names[4] = {"HMMA", "IMMA", "?", "QMMA"};

	sass_put(o, reading_field(r, 63, 1) ? "OMMA" : names[reading_field(r, 72, 2)]);
}

/* Appends the shape of a warpgroup product: rows, columns and depth. */
static void put_hgmma_modifiers(struct sass_out *o, struct reading *r)
{
	static const unsigned depths[4] = {16, 8, 32, 16};
	unsigned size = (unsigned)reading_field(r, 53, 7);

	sass_putf(o, ".64x%ux%u", 8 * ((size & 31) + 1), depths[size >> 5]);
}

static void put_qgmma_modifiers(struct sass_out *o, struct reading *r)
{
	unsigned size = (unsigned)reading_field(r, 53, 7);

	sass_putf(o, ".64x%ux%u", 8 * ((size & 31) + 1), 32u << (size >> 5 & 1));
}

/* Returns the number of columns of an integer or bit product: 8, 16, 24, 32, then in steps of 16. */
static unsigned coarse_columns(unsigned i) { return i < 4 ? 8 * (i + 1) : 16 * (i - 1); }

static void put_igmma_modifiers(struct sass_out *o, struct reading *r)
{
	unsigned size = (unsigned)reading_field(r, 53, 7);

	sass_putf(o, ".64x%ux%u", coarse_columns(size / 3), 32u << size % 3);
}

static void put_bgmma_modifiers(struct sass_out *o, struct reading *r)
{
	sass_putf(o, ".64x%ux256", coarse_columns((unsigned)reading_field(r, 53, 7)));
}

static const struct alias_rule {
	const char *name;
	modifier_fn *put;
} rules[] = {
	{"imad", put_imad_modifiers},
	{"uimad", put_imad_modifiers},
	{"idp", put_dot_product_modifiers},
	{"imma", put_imma_modifiers},
	{"hmma884", put_hmma884_modifiers},
	{"narrow", put_narrow_modifiers},
	{"f2fp", put_pack_types},
	{"uf2fp", put_uniform_pack_types},
	{"f2f", put_f2f_modifiers},
	{"f2i", put_f2i_modifiers},
	{"frnd", put_frnd},
	{"i2f", put_i2f_modifiers},
	{"redux", put_redux_modifiers},
	{"bar", put_bar_modifiers},
	{"bra", put_bra_modifiers},
	{"ret", put_ret_modifiers},
	{"cas", put_cas_modifiers},
	{"ldc", put_ldc_modifiers},
	{"width64", put_compare_type},
	{"wsync", put_warpsync_modifiers},
	{"warpgroup", put_warpgroup_modifiers},
	{"hgmma", put_hgmma_modifiers},
	{"utcmma", put_utcmma_name},
	{"qgmma", put_qgmma_modifiers},
	{"igmma", put_igmma_modifiers},
	{"bgmma", put_bgmma_modifiers},
};

modifier_fn *modify_find_rule(const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (strlen(rules[i].name) == n && !memcmp(rules[i].name, name, n))
			return rules[i].put;
	return NULL;
}

/* Appends the text of one token of the modifiers. */
static void put_modifier(struct sass_out *o, struct reading *r, const struct modifier_token *t)
{
	uint64_t v = 0;

	if (t->rule) {
		t->rule(o, r);
		return;
	}
	if (t->at != ABSENT)
		v = sass_bits(r->inst->word, t->at, t->width);
	if (t->second_bit != ABSENT)
		v |= sass_bits(r->inst->word, t->second_bit, 1) << 1;
	if (t->words)
		put_word(o, t->words, v);
	else if (t->text && (t->at == ABSENT || (v != 0) != t->clear))
		sass_put_bytes(o, t->text, t->text_bytes);
}

void sass_put_opcode(struct sass_out *o, struct reading *r)
{
	const struct row_tokens *t = sass_row_tokens(r->inst->row);

	sass_put(o, r->inst->row->name);
	for (unsigned i = 0; i < t->n_modifiers; i++)
		put_modifier(o, r, &t->modifier[i]);
	r->used_bits[0] |= t->modifier_bits[0];
	r->used_bits[1] |= t->modifier_bits[1];
}

void reading_mark_modifiers(struct reading *r)
{
	const struct row_tokens *t = sass_row_tokens(r->inst->row);
	char text[SASS_TEXT_MAX]; /* the rules write it */

	for (unsigned i = 0; t->has_rule && i < t->n_modifiers; i++)
		if (t->modifier[i].rule)
			t->modifier[i].rule(&(struct sass_out){.p = text}, r);
	r->used_bits[0] |= t->modifier_bits[0];
	r->used_bits[1] |= t->modifier_bits[1];
}
