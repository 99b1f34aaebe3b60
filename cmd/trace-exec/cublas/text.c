/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernels as PTX text, generated for the types of a call.
 *
 * A text is made of pieces; $name in a piece is replaced by the type-dependent text of that name. All sums are
 * in f32, f64 or s32 (the type of alpha and beta). Parameters are in the order of the args arrays in product.c.
 */
#include <stdlib.h>
#include <string.h>
#include "cublas/cublas.h"

#define TILE 16

/* ---- texts ---- */

struct kernel_text {
	char *p;
	size_t n;
	FILE *f;
};

/* Starts a text for GPUs from sm_60, from sm_80 (BF16) or from sm_89 (FP8). */
static bool start_kernel_text(struct kernel_text *t, bool needs_80, bool needs_89)
{
	t->f = open_memstream(&t->p, &t->n);
	if (t->f)
		fprintf(t->f, ".version %s\n.target sm_%d\n.address_size 64\n", needs_89 ? "8.1" : "7.0",
			needs_89   ? 89
			: needs_80 ? 80
				   : 60);
	return t->f;
}

static char *finish_kernel_text(struct kernel_text *t)
{
	if (fclose(t->f))
		return NULL;
	return t->p;
}

/* Returns the PTX type of a sum. */
static const char *sum_type_name(int sum)
{
	return sum == TYPE_F64 ? "f64" : sum == TYPE_S32 ? "s32" : "f32";
}

static const char *sum_zero_literal(int sum)
{
	return sum == TYPE_F64 ? "0d0000000000000000" : sum == TYPE_S32 ? "0" : "0f00000000";
}

/*
 * Appends a piece. Replaces $T by the type of the sum, $0 by its zero, $B by its bytes, and $M, $A and $+ by its
 * multiplication, multiply-add and addition.
 */
static void add_text_piece(struct kernel_text *t, int sum, const char *piece)
{
	for (; *piece; piece++) {
		if (*piece != '$') {
			fputc(*piece, t->f);
			continue;
		}
		switch (*++piece) {
		case 'T': fputs(sum_type_name(sum), t->f); break;
		case '0': fputs(sum_zero_literal(sum), t->f); break;
		case 'B': fputs(sum == TYPE_F64 ? "8" : "4", t->f); break;
		case 'M': fputs(sum == TYPE_S32 ? "mul.lo" : "mul.rn", t->f); break;
		case 'A': fputs(sum == TYPE_S32 ? "mad.lo" : "fma.rn", t->f); break;
		case '+': fputs(sum == TYPE_S32 ? "add" : "add.rn", t->f); break;
		default: break;
		}
	}
}

/*
 * Appends a load, under a guard predicate, of an element of `type` at %address into register `to` of the sum's
 * type.
 */
static void add_element_load(struct kernel_text *t, int type, int sum, const char *guard, const char *to)
{
	FILE *f = t->f;
	const char *s = sum_type_name(sum);

	switch (type) {
	case TYPE_F64:
	case TYPE_F32:
	case TYPE_S32:
		if ((type == TYPE_F64 && sum == TYPE_F64) || (type == TYPE_F32 && sum == TYPE_F32) ||
			(type == TYPE_S32 && sum == TYPE_S32)) {
			fprintf(f, "\t%sld.global.%s %s, [%%address];\n", guard, s, to);
		} else if (type == TYPE_S32) {
			fprintf(f, "\t%sld.global.s32 %%word, [%%address];\n\t%scvt.rn.%s.s32 %s, %%word;\n",
				guard, guard, s, to);
		} else {
			fprintf(f,
				"\t%sld.global.f32 %%single, [%%address];\n\t%scvt.f64.f32 %s, %%single;\n",
				guard, guard, to);
		}
		break;
	case TYPE_F16:
		fprintf(f, "\t%sld.global.b16 %%half, [%%address];\n\t%scvt.f32.f16 %s, %%half;\n", guard,
			guard, to);
		break;
	case TYPE_BF16:
		fprintf(f,
			"\t%sld.global.u16 %%word, [%%address];\n\t%sshl.b32 %%word, %%word, 16;\n\t%smov.b32 %s, %%word;\n",
			guard, guard, guard, to);
		break;
	case TYPE_E4M3:
	case TYPE_E5M2:
		fprintf(f,
			"\t%sld.global.u8 %%word, [%%address];\n\t%scvt.u16.u32 %%half, %%word;\n"
			"\t%scvt.rn.f16x2.%s %%word, %%half;\n\t%scvt.u16.u32 %%half, %%word;\n"
			"\t%scvt.f32.f16 %s, %%half;\n",
			guard, guard, guard, type == TYPE_E4M3 ? "e4m3x2" : "e5m2x2", guard, guard, to);
		break;
	default:
		fprintf(f, "\t%sld.global.s8 %%word, [%%address];\n", guard);
		if (sum == TYPE_S32)
			fprintf(f, "\t%smov.b32 %s, %%word;\n", guard, to);
		else
			fprintf(f, "\t%scvt.rn.%s.s32 %s, %%word;\n", guard, s, to);
	}
}

/* Appends a store of register `from` of the sum's type as an element of `type` at %address. */
static void add_element_store(struct kernel_text *t, int type, int sum, const char *from)
{
	FILE *f = t->f;

	switch (type) {
	case TYPE_F16:
		fprintf(f, "\tcvt.rn.f16.f32 %%half, %s;\n\tst.global.b16 [%%address], %%half;\n", from);
		break;
	case TYPE_BF16:
		fprintf(f, "\tcvt.rn.bf16.f32 %%half, %s;\n\tst.global.b16 [%%address], %%half;\n", from);
		break;
	case TYPE_E4M3:
	case TYPE_E5M2:
		fprintf(f,
			"\tcvt.rn.satfinite.%s.f32 %%half, %s, %s;\n\tcvt.u32.u16 %%word, %%half;\n"
			"\tst.global.u8 [%%address], %%word;\n",
			type == TYPE_E4M3 ? "e4m3x2" : "e5m2x2", from, from);
		break;
	case TYPE_S32:
		if (sum == TYPE_F32)
			fprintf(f, "\tcvt.rni.s32.f32 %%word, %s;\n\tst.global.u32 [%%address], %%word;\n",
				from);
		else
			fprintf(f, "\tst.global.s32 [%%address], %s;\n", from);
		break;
	case TYPE_S8:
		if (sum == TYPE_S32)
			fprintf(f, "\tmin.s32 %%word, %s, 127;\n\tmax.s32 %%word, %%word, -128;\n", from);
		else
			fprintf(f, "\tcvt.rni.sat.s8.%s %%word, %s;\n", sum_type_name(sum), from);
		fputs("\tst.global.u8 [%address], %word;\n", f);
		break;
	case TYPE_F32:
		if (sum == TYPE_S32)
			fprintf(f, "\tcvt.rn.f32.s32 %%single, %s;\n\tst.global.f32 [%%address], %%single;\n",
				from);
		else
			fprintf(f, "\tst.global.f32 [%%address], %s;\n", from);
		break;
	default: fprintf(f, "\tst.global.%s [%%address], %s;\n", sum_type_name(sum), from);
	}
}

static const char text_registers[] =
	"\t.reg .pred %in, %other, %more, %flag;\n"
	"\t.reg .b16 %half;\n"
	"\t.reg .b32 %x, %y, %z, %row, %column, %m, %n, %k, %at, %flags, %word, %i, %last, "
	"%mine, %theirs, %tile_a, %tile_b, %place, %part;\n"
	"\t.reg .f32 %single, %square, %cube, %tanh;\n"
	"\t.reg .b64 %a, %b, %c, %d, %address, %step, %offset, %long, %batch;\n"
	"\t.reg .$T %sum, %left, %right, %alpha, %beta;\n";

/* ---- products ---- */

static const char product_parameters[] =
	".visible .entry product(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d, .param .u64 bias,\n"
	"\t.param .s64 a_rows, .param .s64 a_columns, .param .s64 a_batches, .param .s64 b_rows, .param .s64 b_columns,\n"
	"\t.param .s64 b_batches, .param .s64 c_rows, .param .s64 c_columns, .param .s64 c_batches,\n"
	"\t.param .s64 d_rows, .param .s64 d_columns, .param .s64 d_batches, .param .b64 alpha, .param .b64 beta,\n"
	"\t.param .u32 m, .param .u32 n, .param .u32 k, .param .u32 flags, .param .u64 scale_a, .param .u64 scale_b,\n"
	"\t.param .u64 scale_c, .param .u64 scale_d, .param .u64 largest)\n{\n";

/* Flags of a kernel: 1: operands are arrays of addresses; 2: alpha and beta are addresses; 4: beta is not 0. */
static const char product_start[] =
	"\t.shared .align 8 .b8 tiles_a[2048];\n"
	"\t.shared .align 8 .b8 tiles_b[2176];\n"
	"\tld.param.u32 %m, [m];\n\tld.param.u32 %n, [n];\n\tld.param.u32 %k, [k];\n"
	"\tld.param.u32 %flags, [flags];\n"
	"\tmov.u32 %x, %tid.x;\n\tmov.u32 %y, %tid.y;\n"
	"\tmov.u32 %row, %ctaid.x;\n\tmad.lo.u32 %row, %row, 16, %x;\n"
	"\tmov.u32 %column, %ctaid.y;\n\tmad.lo.u32 %column, %column, 16, %y;\n"
	"\tmov.u32 %z, %ctaid.z;\n\tcvt.u64.u32 %batch, %z;\n"
	"\tand.b32 %word, %flags, 1;\n\tsetp.ne.u32 %flag, %word, 0;\n";

/* Appends code that loads the address of an operand's batch into register %NAME. */
static void add_batch_address(struct kernel_text *t, char name, size_t bytes)
{
	fprintf(t->f,
		"\tld.param.u64 %%%c, [%c];\n"
		"\t@%%flag mad.lo.u64 %%%c, %%batch, 8, %%%c;\n"
		"\t@%%flag ld.global.u64 %%%c, [%%%c];\n"
		"\tld.param.s64 %%step, [%c_batches];\n"
		"\tmul.lo.s64 %%step, %%step, %zu;\n"
		"\t@!%%flag mad.lo.s64 %%%c, %%batch, %%step, %%%c;\n",
		name, name, name, name, name, name, name, bytes, name, name);
}

/* Bits of the number of a row or column that become bits of the element's index in its column of tiles. */
struct place_bits {
	bool of_column; /* true: bits of the column's number; false: of the row's */
	unsigned from;  /* lowest bit in the number */
	unsigned mask;  /* mask of the bits, shifted to bit 0 */
	unsigned to;    /* lowest bit in the index */
};
enum { ALL_BITS = ~0u };
/* The places are those of the documentation of cublasLtOrder_t. */
static const struct place_bits places[ORDERS][6] = {
	[ORDER_COL32] = {{true, 0, 31, 0}, {false, 0, ALL_BITS, 5}},
	[ORDER_COL4_4R2_8C] = {{true, 0, 3, 0}, {false, 1, 3, 2}, {true, 2, 7, 4}, {false, 0, 1, 7},
		{false, 3, ALL_BITS, 8}},
	[ORDER_COL32_2R_4R4] = {{true, 0, 31, 0}, {false, 0, 1, 5}, {false, 3, 3, 6}, {false, 1, 3, 8},
		{false, 5, ALL_BITS, 10}},
};

/* Appends the instructions that set %address to that of the element of operand %NAME, which has tiles. */
static void add_tiled_address(
	struct kernel_text *t, char name, const struct cublas_operand *o, const char *row, const char *column)
{
	const struct place_bits *b = places[o->tiles];

	fputs("\tmov.u32 %place, 0;\n", t->f);
	for (unsigned i = 0; i < 6 && b[i].mask; i++)
		fprintf(t->f,
			"\tshr.u32 %%part, %s, %u;\n\tand.b32 %%part, %%part, %u;\n\tshl.b32 %%part, %%part, %u;\n"
			"\tor.b32 %%place, %%place, %%part;\n",
			b[i].of_column ? column : row, b[i].from, b[i].mask, b[i].to);
	fprintf(t->f,
		"\tcvt.u64.u32 %%offset, %%place;\n\tshr.u32 %%part, %s, 5;\n\tcvt.u64.u32 %%long, %%part;\n"
		"\tld.param.s64 %%step, [%c_columns];\n\tmad.lo.s64 %%offset, %%long, %%step, %%offset;\n"
		"\tmad.lo.s64 %%address, %%offset, %zu, %%%c;\n",
		column, name, cublas_type_bytes(o->type), name);
}

/*
 * Appends the instructions that set %address to that of element (row, column) of operand %NAME. `row` and `column`
 * name registers.
 */
static void add_element_address(
	struct kernel_text *t, char name, const struct cublas_operand *o, const char *row, const char *column)
{
	if (o->tiles) {
		add_tiled_address(t, name, o, o->swapped ? column : row, o->swapped ? row : column);
		return;
	}
	fprintf(t->f,
		"\tld.param.s64 %%step, [%c_rows];\n\tcvt.u64.u32 %%long, %s;\n\tmul.lo.s64 %%offset, %%long, %%step;\n"
		"\tld.param.s64 %%step, [%c_columns];\n\tcvt.u64.u32 %%long, %s;\n"
		"\tmad.lo.s64 %%offset, %%long, %%step, %%offset;\n\tmad.lo.s64 %%address, %%offset, %zu, %%%c;\n",
		name, row, name, column, cublas_type_bytes(o->type), name);
}

/*
 * Appends the loop over tiles of 16 by 16: it loads a tile of each operand into shared memory and multiplies
 * the two.
 */
static void add_tile_loop(struct kernel_text *t, const struct cublas_product *p)
{
	size_t unit = cublas_type_bytes(p->scalar);

	add_text_piece(t, p->scalar,
		"\tmov.$T %sum, $0;\n\tmov.u32 %at, 0;\n"
		"\tmov.u32 %tile_a, tiles_a;\n\tmov.u32 %tile_b, tiles_b;\n"
		"LOOP:\n\tsetp.ge.u32 %more, %at, %k;\n\t@%more bra STORE;\n"
		"\tmov.$T %left, $0;\n\tadd.u32 %i, %at, %y;\n"
		"\tsetp.lt.u32 %in, %row, %m;\n\tsetp.lt.and.u32 %in, %i, %k, %in;\n");
	add_element_address(t, 'a', &p->a, "%row", "%i");
	add_element_load(t, p->a.type, p->scalar, "@%in ", "%left");
	fprintf(t->f, "\tmad.lo.u32 %%mine, %%y, 16, %%x;\n\tmad.lo.u32 %%mine, %%mine, %zu, %%tile_a;\n",
		unit);
	add_text_piece(t, p->scalar,
		"\tst.shared.$T [%mine], %left;\n"
		"\tmov.$T %right, $0;\n\tadd.u32 %i, %at, %x;\n"
		"\tsetp.lt.u32 %in, %column, %n;\n\tsetp.lt.and.u32 %in, %i, %k, %in;\n");
	add_element_address(t, 'b', &p->b, "%i", "%column");
	add_element_load(t, p->b.type, p->scalar, "@%in ", "%right");
	fprintf(t->f,
		"\tmad.lo.u32 %%theirs, %%y, 17, %%x;\n\tmad.lo.u32 %%theirs, %%theirs, %zu, %%tile_b;\n",
		unit);
	add_text_piece(t, p->scalar, "\tst.shared.$T [%theirs], %right;\n\tbar.sync 0;\n");
	fprintf(t->f,
		"\tmad.lo.u32 %%mine, %%x, %zu, %%tile_a;\n"
		"\tmul.lo.u32 %%theirs, %%y, 17;\n\tmad.lo.u32 %%theirs, %%theirs, %zu, %%tile_b;\n",
		unit, unit);
	for (unsigned i = 0; i < TILE; i++) {
		const char *s = sum_type_name(p->scalar);

		fprintf(t->f,
			"\tld.shared.%s %%left, [%%mine+%zu];\n\tld.shared.%s %%right, [%%theirs+%zu];\n", s,
			i * TILE * unit, s, i * unit);
		add_text_piece(t, p->scalar, "\t$A.$T %sum, %left, %right, %sum;\n");
	}
	fputs("\tbar.sync 0;\n\tadd.u32 %at, %at, 16;\n\tbra LOOP;\n", t->f);
}

/*
 * Appends code that loads alpha or beta. The parameter is the value, in the sum's type, or the value's address.
 * If half_scalars is set, the value at that address has this type.
 */
static void add_scalar_load(struct kernel_text *t, const struct cublas_product *p, const char *name)
{
	fprintf(t->f,
		"\tld.param.%s %%%s, [%s];\n\tld.param.u64 %%address, [%s];\n\tand.b32 %%word, %%flags, 2;\n"
		"\tsetp.ne.u32 %%flag, %%word, 0;\n",
		sum_type_name(p->scalar), name, name, name);
	char to[16];

	snprintf(to, sizeof(to), "%%%s", name);
	add_element_load(
		t, p->half_scalars == TYPE_NONE ? p->scalar : p->half_scalars, p->scalar, "@%flag ", to);
}

/* Appends code that sets the sum to the element of a, which is not read if alpha is 0. */
static void add_single_term(struct kernel_text *t, const struct cublas_product *p)
{
	add_scalar_load(t, p, "alpha");
	add_text_piece(t, p->scalar,
		"\tmov.$T %sum, $0;\n\tsetp.lt.u32 %in, %row, %m;\n\tsetp.lt.and.u32 %in, %column, %n, %in;\n"
		"\tsetp.ne.and.$T %in, %alpha, $0, %in;\n");
	add_element_address(t, 'a', &p->a, "%row", "%column");
	add_element_load(t, p->a.type, p->scalar, "@%in ", "%sum");
}

/* Appends code that multiplies register `to` by the scale of an operand, if it has one. */
static void add_scale(struct kernel_text *t, const struct cublas_product *p, char operand, const char *to)
{
	if (p->fp8)
		fprintf(t->f,
			"\tld.param.u64 %%address, [scale_%c];\n\tsetp.ne.u64 %%flag, %%address, 0;\n"
			"\t@%%flag ld.global.f32 %%single, [%%address];\n\t@%%flag mul.rn.f32 %s, %s, %%single;\n",
			operand, to, to);
}

/* Appends code that stores the greatest magnitude of the sums, whose bits are ordered like the numbers. */
static void add_largest(struct kernel_text *t, const struct cublas_product *p)
{
	if (p->fp8)
		fputs("\tld.param.u64 %address, [largest];\n\tsetp.ne.u64 %flag, %address, 0;\n"
		      "\tabs.f32 %single, %sum;\n\tmov.b32 %word, %single;\n"
		      "\t@%flag red.global.max.u32 [%address], %word;\n",
			t->f);
}

/* Appends the activation of the sum: max(x, 0), or (f32 only) the tanh approximation of GELU. */
static void add_activation(struct kernel_text *t, const struct cublas_product *p)
{
	if (p->epilogue & EPILOGUE_RELU)
		add_text_piece(t, p->scalar, "\tmax.$T %sum, %sum, $0;\n");
	if (p->epilogue & EPILOGUE_GELU)
		fputs("\tmul.rn.f32 %square, %sum, %sum;\n\tmul.rn.f32 %cube, %square, %sum;\n"
		      "\tfma.rn.f32 %cube, %cube, 0f3D372713, %sum;\n" /* 0.044715 */
		      "\tmul.rn.f32 %cube, %cube, 0f40135761;\n"       /* 2 sqrt(2 / pi) log2(e) */
		      "\tex2.approx.f32 %tanh, %cube;\n\tadd.rn.f32 %tanh, %tanh, 0f3F800000;\n"
		      "\trcp.rn.f32 %tanh, %tanh;\n\tneg.f32 %tanh, %tanh;\n"
		      "\tfma.rn.f32 %sum, %sum, %tanh, %sum;\n",
			t->f); /* x (1 - 1 / (e^2y + 1)) */
}

char *cublas_product_text(const struct cublas_product *p)
{
	struct kernel_text t;

	if (!start_kernel_text(&t, p->a.type == TYPE_BF16 || p->d.type == TYPE_BF16, p->fp8))
		return NULL;
	fputs(product_parameters, t.f);
	add_text_piece(&t, p->scalar, text_registers);
	fputs(product_start, t.f);
	add_batch_address(&t, 'a', cublas_type_bytes(p->a.type));
	if (!p->without_b)
		add_batch_address(&t, 'b', cublas_type_bytes(p->b.type));
	add_batch_address(&t, 'c', cublas_type_bytes(p->c.type));
	add_batch_address(&t, 'd', cublas_type_bytes(p->d.type));
	if (p->without_b)
		add_single_term(&t, p);
	else
		add_tile_loop(&t, p);
	fputs("STORE:\n\tsetp.lt.u32 %in, %row, %m;\n\tsetp.lt.and.u32 %in, %column, %n, %in;\n\t@!%in bra DONE;\n",
		t.f);
	add_scalar_load(&t, p, "alpha");
	add_scalar_load(&t, p, "beta");
	add_scale(&t, p, 'a', "%alpha");
	add_scale(&t, p, 'b', "%alpha");
	add_text_piece(&t, p->scalar,
		"\t$M.$T %sum, %sum, %alpha;\n"
		"\tsetp.ne.$T %in, %beta, $0;\n\tmov.$T %left, $0;\n");
	add_element_address(&t, 'c', &p->c, "%row", "%column");
	add_element_load(&t, p->c.type, p->scalar, "@%in ", "%left");
	add_scale(&t, p, 'c', "%beta");
	add_text_piece(&t, p->scalar, "\t@%in $A.$T %sum, %left, %beta, %sum;\n");
	if (p->epilogue & EPILOGUE_BIAS) {
		fprintf(t.f,
			"\tld.param.u64 %%address, [bias];\n\tcvt.u64.u32 %%long, %%row;\n"
			"\tmad.lo.u64 %%address, %%long, %zu, %%address;\n",
			cublas_type_bytes(p->bias_type));
		add_element_load(&t, p->bias_type, p->scalar, "", "%left");
		add_text_piece(&t, p->scalar, "\t$+.$T %sum, %sum, %left;\n");
	}
	add_activation(&t, p);
	add_largest(&t, p);
	add_scale(&t, p, 'd', "%sum");
	add_element_address(&t, 'd', &p->d, "%row", "%column");
	add_element_store(&t, p->d.type, p->scalar, "%sum");
	fputs("DONE:\n\tret;\n}\n", t.f);
	return finish_kernel_text(&t);
}

/* ---- vectors ---- */

/*
 * Returns the PTX of y = alpha * x + beta * y, one thread per element. flags: 2: alpha is an address; 4: beta
 * is 1.
 */
char *cublas_scaled_add_text(int type)
{
	int sum = type == TYPE_F64 ? TYPE_F64 : TYPE_F32;
	struct cublas_product p = {.scalar = sum, .half_scalars = TYPE_NONE};
	size_t bytes = cublas_type_bytes(type);
	struct kernel_text t;

	if (!start_kernel_text(&t, type == TYPE_BF16, false))
		return NULL;
	fputs(".visible .entry add(.param .u64 a, .param .u64 d, .param .s64 a_step, .param .s64 d_step, .param .b64 alpha,\n"
	      "\t.param .u32 n, .param .u32 flags)\n{\n",
		t.f);
	add_text_piece(&t, sum, text_registers);
	fputs("\tld.param.u32 %n, [n];\n\tld.param.u32 %flags, [flags];\n\tmov.u32 %x, %tid.x;\n\tmov.u32 %row, %ctaid.x;\n"
	      "\tmad.lo.u32 %row, %row, 256, %x;\n\tsetp.ge.u32 %more, %row, %n;\n\t@%more bra DONE;\n\tcvt.u64.u32 %long, %row;\n",
		t.f);
	add_scalar_load(&t, &p, "alpha");
	fprintf(t.f,
		"\tld.param.u64 %%a, [a];\n\tld.param.s64 %%step, [a_step];\n\tmul.lo.s64 %%offset, %%long, %%step;\n"
		"\tmad.lo.s64 %%address, %%offset, %zu, %%a;\n",
		bytes);
	add_element_load(&t, type, sum, "", "%left");
	add_text_piece(&t, sum, "\t$M.$T %sum, %left, %alpha;\n");
	fprintf(t.f,
		"\tld.param.u64 %%d, [d];\n\tld.param.s64 %%step, [d_step];\n\tmul.lo.s64 %%offset, %%long, %%step;\n"
		"\tmad.lo.s64 %%address, %%offset, %zu, %%d;\n\tand.b32 %%word, %%flags, 4;\n"
		"\tsetp.ne.u32 %%in, %%word, 0;\n",
		bytes);
	add_element_load(&t, type, sum, "@%in ", "%right");
	add_text_piece(&t, sum, "\t@%in $+.$T %sum, %sum, %right;\n");
	add_element_store(&t, type, sum, "%sum");
	fputs("DONE:\n\tret;\n}\n", t.f);
	return finish_kernel_text(&t);
}

/*
 * Returns the PTX of a sum by one block of 256 threads. Each thread sums every 256th element; then the partial
 * sums are added pairwise.
 */
char *cublas_sum_text(int type, enum cublas_sum what)
{
	int sum = type == TYPE_F64 ? TYPE_F64 : TYPE_F32;
	size_t bytes = cublas_type_bytes(type), unit = cublas_type_bytes(sum);
	struct kernel_text t;

	if (!start_kernel_text(&t, type == TYPE_BF16, false))
		return NULL;
	fputs(".visible .entry sum(.param .u64 a, .param .u64 b, .param .s64 a_step, .param .s64 b_step, .param .u64 d,\n"
	      "\t.param .u32 n)\n{\n",
		t.f);
	add_text_piece(&t, sum, text_registers);
	add_text_piece(&t, sum,
		"\t.shared .align 8 .b8 sums[2048];\n"
		"\tld.param.u32 %n, [n];\n\tmov.u32 %x, %tid.x;\n\tmov.u32 %i, %x;\n\tmov.$T %sum, $0;\n"
		"\tld.param.u64 %a, [a];\n\tld.param.u64 %b, [b];\n"
		"LOOP:\n\tsetp.ge.u32 %more, %i, %n;\n\t@%more bra JOIN;\n\tcvt.u64.u32 %long, %i;\n"
		"\tld.param.s64 %step, [a_step];\n\tmul.lo.s64 %offset, %long, %step;\n");
	fprintf(t.f, "\tmad.lo.s64 %%address, %%offset, %zu, %%a;\n", bytes);
	add_element_load(&t, type, sum, "", "%left");
	if (what == SUM_PRODUCTS) {
		fprintf(t.f,
			"\tld.param.s64 %%step, [b_step];\n\tmul.lo.s64 %%offset, %%long, %%step;\n"
			"\tmad.lo.s64 %%address, %%offset, %zu, %%b;\n",
			bytes);
		add_element_load(&t, type, sum, "", "%right");
		add_text_piece(&t, sum, "\tfma.rn.$T %sum, %left, %right, %sum;\n");
	} else {
		add_text_piece(&t, sum,
			what == SUM_SQUARES ? "\tfma.rn.$T %sum, %left, %left, %sum;\n"
					    : "\tabs.$T %left, %left;\n\tadd.rn.$T %sum, %sum, %left;\n");
	}
	add_text_piece(&t, sum, "\tadd.u32 %i, %i, 256;\n\tbra LOOP;\nJOIN:\n\tmov.u32 %mine, sums;\n");
	fprintf(t.f, "\tmad.lo.u32 %%mine, %%x, %zu, %%mine;\n", unit);
	add_text_piece(&t, sum, "\tst.shared.$T [%mine], %sum;\n");
	for (unsigned n = 128; n; n /= 2) {
		fprintf(t.f,
			"\tbar.sync 0;\n\tsetp.lt.u32 %%in, %%x, %u;\n\t@%%in ld.shared.%s %%right, [%%mine+%zu];\n",
			n, sum_type_name(sum), n * unit);
		add_text_piece(&t, sum,
			"\t@%in add.rn.$T %sum, %sum, %right;\n\t@%in st.shared.$T [%mine], %sum;\n");
	}
	add_text_piece(
		&t, sum, "\tsetp.ne.u32 %in, %x, 0;\n\t@%in bra DONE;\n\tld.param.u64 %address, [d];\n");
	if (what == SUM_SQUARES)
		add_text_piece(&t, sum, "\tsqrt.rn.$T %sum, %sum;\n");
	add_element_store(&t, type, sum, "%sum");
	fputs("DONE:\n\tret;\n}\n", t.f);
	return finish_kernel_text(&t);
}
