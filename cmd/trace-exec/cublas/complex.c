/* SPDX-License-Identifier: BSD-2-Clause */
/* Complex products of cublasLt, whose matrices have real and imaginary parts in two planes or next to each other. */
#include <stdlib.h>
#include <string.h>
#include "cublas/lt.h"

/* Parameters of the kernel. Strides are in bytes; a plane is the distance of the imaginary part. */
struct complex_args {
	uint64_t base[4]; /* a, b, c, d */
	struct {
		int64_t row, column, batch, plane;
	} stride[4];
	uint64_t alpha[2], beta[2]; /* real and imaginary part; with COMPLEX_ON_DEVICE, address and 0 */
	uint32_t m, n, k, flags;
};
_Static_assert(sizeof(struct complex_args) == 208, "offsets of parameters in the kernel");
enum { COMPLEX_ON_DEVICE = 1, COMPLEX_CONJUGATE_A = 2, COMPLEX_CONJUGATE_B = 4 };

/* Returns the type of the parts of a complex type, or TYPE_NONE. */
static int complex_part_type(int type)
{
	return type == TYPE_C16   ? TYPE_F16
	       : type == TYPE_C32 ? TYPE_F32
	       : type == TYPE_C64 ? TYPE_F64
				  : TYPE_NONE;
}

/* ---- text ---- */

/* Texts of PTX. $T: type of the real part of the sum; $B: its size in bytes; $0: the number 0 */
static const char complex_start[] =
	".version 7.0\n.target sm_60\n.address_size 64\n"
	".visible .entry complex(.param .align 8 .b8 p[208])\n{\n"
	".reg .pred %t, %on_device;\n.reg .b16 %half;\n.reg .b32 %x, %row, %column, %m, %n, %k, %flags, %at;\n"
	".reg .b64 %a, %b, %c, %d, %to, %step, %wide, %batch, %plane_a, %plane_b, %step_a, %step_b;\n"
	".reg .$T %ar, %ai, %br, %bi, %sr, %si, %dr, %di, %sign;\n"
	"ld.param.u32 %m, [p+192];\nld.param.u32 %n, [p+196];\nld.param.u32 %k, [p+200];\nld.param.u32 %flags, [p+204];\n"
	"mov.u32 %x, %tid.x;\nmov.u32 %row, %ctaid.x;\nmad.lo.u32 %row, %row, 16, %x;\n"
	"mov.u32 %x, %tid.y;\nmov.u32 %column, %ctaid.y;\nmad.lo.u32 %column, %column, 16, %x;\n"
	"setp.ge.u32 %t, %row, %m;\n@%t bra END;\nsetp.ge.u32 %t, %column, %n;\n@%t bra END;\n"
	"mov.u32 %x, %ctaid.z;\ncvt.u64.u32 %batch, %x;\n"
	"and.b32 %x, %flags, 1;\nsetp.ne.u32 %on_device, %x, 0;\n";

/* Loads a scalar into %ar and %ai. %u: its offset among the parameters, three times. */
static const char complex_scalar[] =
	"ld.param.$T %%ar, [p+%u];\nld.param.$T %%ai, [p+%u];\nld.param.u64 %%to, [p+%u];\n"
	"@%%on_device ld.global.$T %%ar, [%%to];\n@%%on_device ld.global.$T %%ai, [%%to+$B];\n";

/* With an alpha of 0, a and b are not read. */
static const char complex_loop_start[] =
	"setp.eq.$T %t, %ar, $0;\nsetp.eq.and.$T %t, %ai, $0, %t;\n@%t mov.u32 %k, 0;\n"
	"mov.$T %sr, $0;\nmov.$T %si, $0;\nmov.u32 %at, 0;\n"
	"ld.param.s64 %plane_a, [p+56];\nld.param.s64 %plane_b, [p+88];\n"
	"ld.param.s64 %step_a, [p+40];\nld.param.s64 %step_b, [p+64];\n"
	"LOOP:\nsetp.ge.u32 %t, %at, %k;\n@%t bra SUMMED;\n";
static const char complex_loop_end[] =
	"and.b32 %x, %flags, 2;\nsetp.ne.u32 %t, %x, 0;\n@%t neg.$T %ai, %ai;\n"
	"and.b32 %x, %flags, 4;\nsetp.ne.u32 %t, %x, 0;\n@%t neg.$T %bi, %bi;\n"
	"fma.rn.$T %sr, %ar, %br, %sr;\nfma.rn.$T %si, %ar, %bi, %si;\nfma.rn.$T %si, %ai, %br, %si;\n"
	"neg.$T %sign, %ai;\nfma.rn.$T %sr, %sign, %bi, %sr;\n"
	"add.s64 %a, %a, %step_a;\nadd.s64 %b, %b, %step_b;\nadd.u32 %at, %at, 1;\nbra LOOP;\nSUMMED:\n";
static const char complex_alpha[] =
	"mul.rn.$T %dr, %ar, %sr;\nmul.rn.$T %di, %ar, %si;\nfma.rn.$T %di, %ai, %sr, %di;\n"
	"neg.$T %sign, %ai;\nfma.rn.$T %dr, %sign, %si, %dr;\n";
static const char complex_beta_test[] =
	"setp.eq.$T %t, %ar, $0;\nsetp.eq.and.$T %t, %ai, $0, %t;\n@%t bra STORE;\n"
	"ld.param.s64 %wide, [p+120];\nadd.s64 %to, %c, %wide;\n";
static const char complex_beta[] =
	"fma.rn.$T %dr, %ar, %br, %dr;\nfma.rn.$T %di, %ar, %bi, %di;\n"
	"fma.rn.$T %di, %ai, %br, %di;\nneg.$T %sign, %ai;\nfma.rn.$T %dr, %sign, %bi, %dr;\n"
	"STORE:\nld.param.s64 %wide, [p+152];\nadd.s64 %to, %d, %wide;\n";

/* Appends a text for sums with parts of type `part`. */
static void put_complex_text(FILE *f, const char *text, int part)
{
	for (; *text; text++) {
		if (*text != '$') {
			fputc(*text, f);
			continue;
		}
		switch (*++text) {
		case 'T': fputs(part == TYPE_F64 ? "f64" : "f32", f); break;
		case 'B': fputs(part == TYPE_F64 ? "8" : "4", f); break;
		default: fputs(part == TYPE_F64 ? "0d0000000000000000" : "0f00000000", f);
		}
	}
}

static void put_complex_scalar(FILE *f, unsigned offset, int part)
{
	char text[sizeof(complex_scalar) + 16];

	snprintf(text, sizeof(text), complex_scalar, offset, offset + 8, offset);
	put_complex_text(f, text, part);
}

/* Appends code that sets register %NAME to the address of the batch. row, column: adds the thread's row or column. */
static void put_complex_address(FILE *f, unsigned operand, bool row, bool column)
{
	char name = "abcd"[operand];
	unsigned strides = 32 + 32 * operand;

	fprintf(f,
		"ld.param.u64 %%%c, [p+%u];\nld.param.s64 %%step, [p+%u];\nmad.lo.s64 %%%c, %%batch, %%step, %%%c;\n",
		name, 8 * operand, strides + 16, name, name);
	if (row)
		fprintf(f,
			"ld.param.s64 %%step, [p+%u];\ncvt.u64.u32 %%wide, %%row;\nmad.lo.s64 %%%c, %%wide, %%step, %%%c;\n",
			strides, name, name);
	if (column)
		fprintf(f,
			"ld.param.s64 %%step, [p+%u];\ncvt.u64.u32 %%wide, %%column;\nmad.lo.s64 %%%c, %%wide, %%step, %%%c;\n",
			strides + 8, name, name);
}

/* Appends a load of a part at the address in register `at`. */
static void put_part_load(FILE *f, int part, const char *to, const char *at)
{
	if (part == TYPE_F16)
		fprintf(f, "ld.global.b16 %%half, [%s];\ncvt.f32.f16 %s, %%half;\n", at, to);
	else
		fprintf(f, "ld.global.%s %s, [%s];\n", part == TYPE_F64 ? "f64" : "f32", to, at);
}

static void put_part_store(FILE *f, int part, const char *from, const char *at)
{
	if (part == TYPE_F16)
		fprintf(f, "cvt.rn.f16.f32 %%half, %s;\nst.global.b16 [%s], %%half;\n", from, at);
	else
		fprintf(f, "st.global.%s [%s], %s;\n", part == TYPE_F64 ? "f64" : "f32", at, from);
}

/* Returns the kernel's text for operands with parts of these types, or NULL if memory is exhausted. */
static char *complex_product_text(const int part[4], int sum)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return NULL;
	put_complex_text(f, complex_start, sum);
	for (unsigned i = 0; i < 4; i++)
		put_complex_address(f, i, i != 1, i != 0);
	put_complex_scalar(f, 160, sum);
	put_complex_text(f, complex_loop_start, sum);
	put_part_load(f, part[0], "%ar", "%a");
	fputs("add.s64 %to, %a, %plane_a;\n", f);
	put_part_load(f, part[0], "%ai", "%to");
	put_part_load(f, part[1], "%br", "%b");
	fputs("add.s64 %to, %b, %plane_b;\n", f);
	put_part_load(f, part[1], "%bi", "%to");
	put_complex_text(f, complex_loop_end, sum);
	put_complex_scalar(f, 160, sum);
	put_complex_text(f, complex_alpha, sum);
	put_complex_scalar(f, 176, sum);
	put_complex_text(f, complex_beta_test, sum);
	put_part_load(f, part[2], "%br", "%c");
	put_part_load(f, part[2], "%bi", "%to");
	put_complex_text(f, complex_beta, sum);
	put_part_store(f, part[3], "%dr", "%d");
	put_part_store(f, part[3], "%di", "%to");
	fputs("END:\nret;\n}\n", f);
	return fclose(f) ? NULL : text;
}

/* ---- launch ---- */

/* Stores a scalar of the host as two parts, or its address. */
static void set_complex_scalar(uint64_t to[2], const void *scalar, bool on_device, size_t bytes)
{
	to[0] = to[1] = 0;
	if (on_device) {
		to[0] = (uintptr_t)scalar;
	} else {
		memcpy(&to[0], scalar, bytes);
		memcpy(&to[1], (const char *)scalar + bytes, bytes);
	}
}

int cublas_lt_complex(
	struct cublas_handle *h, const struct cublas_product *p, const int64_t plane[4], int op_a, int op_b)
{
	const struct cublas_operand *operands[] = {&p->a, &p->b, &p->c, &p->d};
	struct complex_args args = {.m = (uint32_t)p->m, .n = (uint32_t)p->n, .k = (uint32_t)p->k};
	unsigned grid[] = {(unsigned)((p->m + 15) / 16), (unsigned)((p->n + 15) / 16), (unsigned)p->batches};
	bool wide = p->scalar == TYPE_F64;
	int part[4];
	char key[64];

	if (p->m < 0 || p->n < 0 || p->k < 0 || p->batches < 0 || !p->alpha || !p->beta)
		return CUBLAS_INVALID_VALUE;
	if (p->m > INT32_MAX || p->n > 65535 * 16 || p->k > INT32_MAX || p->batches > 65535)
		return cublas_unsupported("cublasLtMatmul", "a matrix of this size");
	for (unsigned i = 0; i < 4; i++) {
		const struct cublas_operand *o = operands[i];
		int64_t bytes, unit;

		part[i] = complex_part_type(o->type);
		if (part[i] == TYPE_NONE || (part[i] == TYPE_F64) != wide || p->scalar == TYPE_S32)
			return cublas_unsupported("cublasLtMatmul", "these types");
		bytes = (int64_t)cublas_type_bytes(part[i]);
		unit = plane[i] ? bytes : 2 * bytes;
		args.base[i] = o->base;
		args.stride[i].row = o->row_stride * unit;
		args.stride[i].column = o->column_stride * unit;
		args.stride[i].batch = o->batch_stride * unit;
		args.stride[i].plane = plane[i] ? plane[i] : bytes;
	}
	if (!p->m || !p->n || !p->batches)
		return CUBLAS_SUCCESS;
	args.flags = (p->scalars_on_device ? COMPLEX_ON_DEVICE : 0u) |
		     (op_a == 2 ? COMPLEX_CONJUGATE_A : 0u) | (op_b == 2 ? COMPLEX_CONJUGATE_B : 0u);
	set_complex_scalar(args.alpha, p->alpha, p->scalars_on_device, wide ? 8 : 4);
	set_complex_scalar(args.beta, p->beta, p->scalars_on_device, wide ? 8 : 4);
	snprintf(key, sizeof(key), "complex %d %d %d %d", part[0], part[1], part[2], part[3]);
	return cublas_launch_grid(
		h, key, "complex", complex_product_text(part, p->scalar), grid, 16, 16, (void *[]){&args});
}
