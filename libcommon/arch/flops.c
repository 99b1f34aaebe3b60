/* SPDX-License-Identifier: BSD-2-Clause */
/* Arithmetic operations of each opcode; see flops.h. */
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "flops.h"

const char *const flop_kind_names[N_FLOP_KINDS] = {
#define FLOP_KIND(name) #name,
	FLOP_KINDS(FLOP_KIND)
#undef FLOP_KIND
};

/* Stems of machine code other than tensor instructions. */
static const struct flop_row {
	const char *stem;
	enum flop_kind kind;
	uint32_t per_lane; /* number of operations per active lane */
} flop_rows[] = {
	{"FADD", FLOP_fp32, 1},
	{"FADD32I", FLOP_fp32, 1},
	{"FADD2", FLOP_fp32, 2},
	{"FMUL", FLOP_fp32, 1},
	{"FMUL32I", FLOP_fp32, 1},
	{"FMUL2", FLOP_fp32, 2},
	{"FFMA", FLOP_fp32, 2},
	{"FFMA32I", FLOP_fp32, 2},
	{"FFMA2", FLOP_fp32, 4},
	{"DADD", FLOP_fp64, 1},
	{"DMUL", FLOP_fp64, 1},
	{"DFMA", FLOP_fp64, 2},
	{"HADD2", FLOP_fp16, 2},
	{"HADD2_32I", FLOP_fp16, 2},
	{"HMUL2", FLOP_fp16, 2},
	{"HMUL2_32I", FLOP_fp16, 2},
	{"HFMA2", FLOP_fp16, 4},
	{"HFMA2_32I", FLOP_fp16, 4},
};

/* Stems of tensor instructions. shared: four warps execute one instruction together. */
static const struct tensor_row {
	const char *stem;
	bool shared;
} tensor_rows[] = {
	{"HMMA", false},
	{"IMMA", false},
	{"DMMA", false},
	{"BMMA", false},
	{"QMMA", false},
	{"HGMMA", true},
	{"IGMMA", true},
	{"QGMMA", true},
	{"BGMMA", true},
	{"wmma", false},
	{"mma", false},
	{"wgmma", true},
};

/* Input types of tensor instructions, by the modifier that names the type. The first match applies. */
static const struct {
	const char *modifier;
	enum flop_kind kind;
} tensor_types[] = {
	{"bf16", FLOP_tensor_bf16},
	{"tf32", FLOP_tensor_tf32},
	{"e4m3", FLOP_tensor_fp8},
	{"e5m2", FLOP_tensor_fp8},
	{"s8", FLOP_tensor_int8},
	{"u8", FLOP_tensor_int8},
	{"s4", FLOP_tensor_int4},
	{"u4", FLOP_tensor_int4},
	{"b1", FLOP_tensor_b1},
	{"f64", FLOP_tensor_fp64},
};

/* Returns true if one of the opcode's modifiers is this word, ignoring case. */
static bool has_modifier(const char *opcode, const char *word)
{
	size_t n = strlen(word);

	for (const char *m = strchr(opcode, '.'); m; m = strchr(m + 1, '.'))
		if (!strncasecmp(m + 1, word, n) && (!m[1 + n] || m[1 + n] == '.'))
			return true;
	return false;
}

static enum flop_kind tensor_input_kind(const char *opcode)
{
	for (size_t i = 0; i < sizeof(tensor_types) / sizeof(*tensor_types); i++)
		if (has_modifier(opcode, tensor_types[i].modifier))
			return tensor_types[i].kind;
	switch (*opcode) {
	case 'I': return FLOP_tensor_int8;
	case 'D': return FLOP_tensor_fp64;
	case 'B': return FLOP_tensor_b1;
	case 'Q': return FLOP_tensor_fp8;
	default: return FLOP_tensor_fp16;
	}
}

/* Returns the number of multiply-adds of a shape "m16n8k16" or "64x128x16"; 0 for other text. */
static uint32_t macs_of_shape_text(const char *m)
{
	uint32_t macs = 1;

	for (int i = 0; i < 3; i++) {
		char *end;
		unsigned long n;

		if (*m == "mnk"[i] || (i && *m == 'x'))
			m++;
		if (!isdigit((unsigned char)*m))
			return 0;
		n = strtoul(m, &end, 10);
		if (!n || n > 1024)
			return 0;
		macs *= (uint32_t)n;
		m = end;
	}
	return *m && *m != '.' ? 0 : macs;
}

/* Returns the number of multiply-adds of a shape in machine code, whose three numbers have no separator ("16816"). */
static uint32_t macs_of_shape_digits(const char *m)
{
	static const struct {
		const char *shape;
		uint32_t macs; /* number of multiply-adds */
	} shapes[] = {{"16816", 2048}, {"16832", 4096}, {"16864", 8192}, {"168128", 16384}, {"168256", 32768},
		{"1688", 1024}, {"1684", 512}, {"8816", 1024}, {"8832", 2048}, {"8864", 4096},
		{"88128", 8192}};

	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		size_t n = strlen(shapes[i].shape);

		if (!strncmp(m, shapes[i].shape, n) && (!m[n] || m[n] == '.'))
			return shapes[i].macs;
	}
	return 0;
}

/*
 * Returns the number of multiply-adds of a tensor instruction. An HMMA.884 of Volta is one step of four 8 x 8 x 4
 * products. The products take four steps with a 32-bit accumulator, else two. DMMA.884 is one product.
 */
static uint32_t macs_of_tensor(const char *opcode)
{
	for (const char *m = strchr(opcode, '.'); m; m = strchr(m + 1, '.')) {
		uint32_t macs = macs_of_shape_text(m + 1);

		macs = macs ? macs : macs_of_shape_digits(m + 1);
		if (macs)
			return macs;
	}
	if (!has_modifier(opcode, "884"))
		return 0;
	return *opcode == 'D' || has_modifier(opcode, "F32") ? 256 : 512;
}

/* Returns the operations of a PTX instruction that uses no tensor unit, from its name and its last type. */
static struct flops flops_of_ptx(const char *opcode, size_t stem)
{
	struct flops f = {.kind = N_FLOP_KINDS};
	bool fma = (stem == 3 && (!strncmp(opcode, "fma", 3) || !strncmp(opcode, "mad", 3)));
	bool one = stem == 3 &&
		   (!strncmp(opcode, "add", 3) || !strncmp(opcode, "sub", 3) || !strncmp(opcode, "mul", 3));
	const char *type = strrchr(opcode, '.');

	if ((!fma && !one) || !type)
		return f;
	if (!strcmp(type, ".f32") || !strcmp(type, ".f32x2"))
		f.kind = FLOP_fp32;
	else if (!strcmp(type, ".f64"))
		f.kind = FLOP_fp64;
	else if (!strncmp(type, ".f16", 4) || !strncmp(type, ".bf16", 5))
		f.kind = FLOP_fp16;
	else
		return f;
	f.per_lane = (fma ? 2u : 1u) * (strstr(type, "x2") ? 2u : 1u);
	return f;
}

struct flops flops_of(const char *opcode)
{
	size_t stem = strcspn(opcode, ".");

	for (size_t i = 0; i < sizeof(tensor_rows) / sizeof(*tensor_rows); i++) {
		const struct tensor_row *r = &tensor_rows[i];

		if (strlen(r->stem) == stem && !memcmp(opcode, r->stem, stem)) {
			uint32_t macs = macs_of_tensor(opcode);

			return (struct flops){.kind = macs ? tensor_input_kind(opcode) : N_FLOP_KINDS,
				.per_warp = macs * 2 / (r->shared ? 4 : 1)};
		}
	}
	for (size_t i = 0; i < sizeof(flop_rows) / sizeof(*flop_rows); i++) {
		const struct flop_row *r = &flop_rows[i];

		if (strlen(r->stem) != stem || memcmp(opcode, r->stem, stem))
			continue;
		if (!strncmp(opcode, "HADD2.F32", 9)) /* HADD2.F32 converts instead of adding */
			break;
		return (struct flops){.kind = r->kind, .per_lane = r->per_lane};
	}
	return flops_of_ptx(opcode, stem);
}
