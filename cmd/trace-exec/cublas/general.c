/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernels of general.h as PTX, and their launches.
 *
 * A text consists of lines. A line that begins with "?" is for complex types only, with "!" for real types only. $T is
 * the type of a real number, $B its bytes, $E the bytes of an element, $0 and $1 are zero and one. Parameters are the
 * structures below.
 */
#include <stdlib.h>
#include <string.h>
#include "cublas/general.h"

struct product_args {
	uint64_t base[4];     /* a, b, c, d */
	int64_t stride[4][4]; /* row, column, other, batch */
	uint64_t alpha[2], beta[2];
	uint32_t m, n, k, flags;
	uint32_t below; /* number of diagonals of the band matrix a below the main diagonal */
	uint32_t above; /* number of diagonals of the band matrix a above the main diagonal */
};
struct solve_args {
	uint64_t base[2];
	int64_t stride[2][3]; /* row, column, batch */
	uint64_t alpha[2];
	uint32_t n;
	uint32_t columns;
	uint32_t flags;
	uint32_t band; /* number of diagonals of a besides the main diagonal */
};
struct rotation_args {
	uint64_t x, y;
	int64_t step_x, step_y;
	uint64_t h[4];
	uint32_t n, swap;
	uint64_t imaginary; /* imaginary part of the sine of complex vectors */
};
struct extreme_args {
	uint64_t x, to;
	int64_t step;
	uint32_t n;      /* number of elements */
	uint32_t least;  /* 1: index of the least magnitude; 0: of the greatest */
	uint32_t bytes;  /* size of an element */
	uint32_t unused; /* fills the structure up to 8 bytes */
};

/* Flags of a product. A shape is in two bits, then the bits for the upper triangle, a diagonal of ones, a conjugate. */
enum {
	GENERAL_POINTERS = 1,
	GENERAL_ALPHA_ON_DEVICE = 2,
	GENERAL_BETA_ON_DEVICE = 4,
	GENERAL_B_IS_ONE = 8,
	GENERAL_REAL_ALPHA = 16,
	GENERAL_REAL_BETA = 32,
	GENERAL_CONJUGATE_ALPHA = 64,
	GENERAL_REAL_DIAGONAL = 128,
	GENERAL_TRIANGLE = 8, /* first bit of the part that is written */
	GENERAL_CONJUGATE_C = 1 << 10,
	GENERAL_BAND = 1 << 11,
	GENERAL_A = 12, /* first bit of the shape of a */
	GENERAL_B = 20, /* first bit of the shape of b */
	GENERAL_PACKED_C = 1 << 25,
	GENERAL_PACKED_D = 1 << 26,
	GENERAL_COPY = 1 << 27
};
enum {
	SOLVE_POINTERS = 1,
	SOLVE_ALPHA_ON_DEVICE = 2,
	SOLVE_BACKWARD = 4,
	SOLVE_UNIT = 8,
	SOLVE_CONJUGATE = 16
};

/* ---- texts ---- */

static void put_line(FILE *f, const char *line, size_t n, int type)
{
	bool complex = cublas_is_complex(type), two = cublas_is_double(type);

	if (n && (*line == '?' || *line == '!')) {
		if ((*line == '?') != complex)
			return;
		line++, n--;
	}
	for (size_t i = 0; i < n; i++) {
		if (line[i] != '$') {
			fputc(line[i], f);
			continue;
		}
		switch (line[++i]) {
		case 'T': fputs(two ? "f64" : "f32", f); break;
		case 'B': fputs(two ? "8" : "4", f); break;
		case 'E': fprintf(f, "%d", (two ? 8 : 4) * (complex ? 2 : 1)); break;
		case '0': fputs(two ? "0d0000000000000000" : "0f00000000", f); break;
		default: fputs(two ? "0d3ff0000000000000" : "0f3f800000", f);
		}
	}
	fputc('\n', f);
}

static void put_lines(FILE *f, const char *text, int type)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		put_line(f, text, n, type);
		text += n + (text[n] == '\n');
	}
}

/* Writes text with `name` in place of ~ and with `first` in place of #. */
static void put_operand(FILE *f, const char *text, const char *name, unsigned first, int type)
{
	char *all = NULL;
	size_t n;
	FILE *to = open_memstream(&all, &n);

	if (!to)
		return;
	for (; *text; text++)
		if (*text == '~')
			fputs(name, to);
		else if (*text == '#')
			fprintf(to, "%u", first);
		else
			fputc(*text, to);
	if (!fclose(to))
		put_lines(f, all, type);
	free(all);
}

static const char product_head[] =
	".version 7.0\n.target sm_60\n.address_size 64\n"
	".visible .entry general(.param .align 8 .b8 p[216])\n{\n"
	".reg .pred %t, %in, %more, %upper, %pointers;\n"
	".reg .b32 %x, %row, %col, %at, %m, %n, %k, %flags, %p, %q, %s, %u, %v, %w, %conj;\n"
	".reg .b64 %a, %b, %c, %d, %step, %off, %wide, %to, %batch;\n"
	".reg .$T %ar, %ai, %br, %bi, %cr, %ci, %sr, %si, %dr, %di;\n"
	"ld.param.u32 %m, [p+192];\nld.param.u32 %n, [p+196];\nld.param.u32 %k, [p+200];\nld.param.u32 %flags, [p+204];\n"
	"mov.u32 %x, %tid.x;\nmov.u32 %row, %ctaid.x;\nmad.lo.u32 %row, %row, 16, %x;\n"
	"mov.u32 %x, %tid.y;\nmov.u32 %col, %ctaid.y;\nmad.lo.u32 %col, %col, 16, %x;\n"
	"setp.ge.u32 %t, %row, %m;\n@%t bra END;\nsetp.ge.u32 %t, %col, %n;\n@%t bra END;\n"
	/* the part of the result that is written */
	"shr.u32 %v, %flags, 8;\nand.b32 %v, %v, 3;\n"
	"setp.eq.u32 %t, %v, 1;\nsetp.lt.and.u32 %t, %row, %col, %t;\n@%t bra END;\n"
	"setp.eq.u32 %t, %v, 2;\nsetp.gt.and.u32 %t, %row, %col, %t;\n@%t bra END;\n"
	"and.b32 %v, %flags, 1;\nsetp.ne.u32 %pointers, %v, 0;\n"
	"mov.u32 %x, %ctaid.z;\ncvt.u64.u32 %batch, %x;\n";

/* Sets %~ to the address of the operand's batch. #: offset of its base among the parameters. */
static const char operand_base[] =
	"ld.param.u64 %~, [p+#];\n"
	"@%pointers mad.lo.u64 %~, %batch, 8, %~;\n@%pointers ld.global.u64 %~, [%~];\n";
static const char operand_batch[] =
	"ld.param.s64 %step, [p+#];\nmul.lo.s64 %step, %step, $E;\n@!%pointers mad.lo.s64 %~, %batch, %step, %~;\n";

/*
 * Sets %~r and %~i to element (%p, %q) of operand ~. The address of its first element, with the third index, is in %to,
 * and its strides are in %off (rows) and %wide (columns).
 */
static const char operand_element[] =
	"mov.$T %~r, $0;\n?mov.$T %~i, $0;\n"
	"shr.u32 %v, %flags, #;\nand.b32 %w, %v, 3;\nand.b32 %conj, %v, 16;\n"
	"setp.eq.u32 %t, %w, 0;\n@%t bra READ_~;\n"
	"and.b32 %u, %v, 4;\nsetp.ne.u32 %upper, %u, 0;\n"
	"setp.ge.u32 %in, %p, %q;\n@%upper setp.le.u32 %in, %p, %q;\n@%in bra INSIDE_~;\n"
	"setp.eq.u32 %t, %w, 3;\n@%t bra READY_~;\n"
	"mov.u32 %s, %p;\nmov.u32 %p, %q;\nmov.u32 %q, %s;\n"
	"setp.eq.u32 %t, %w, 2;\n@%t xor.b32 %conj, %conj, 16;\n"
	"INSIDE_~:\n"
	"setp.ne.u32 %t, %p, %q;\n@%t bra READ_~;\n"
	"and.b32 %u, %v, 8;\nsetp.eq.u32 %t, %u, 0;\n@%t bra READ_~;\n"
	"mov.$T %~r, $1;\nbra READY_~;\n"
	"READ_~:\n"
	"cvt.u64.u32 %step, %p;\nmul.lo.s64 %off, %off, %step;\n"
	"cvt.u64.u32 %step, %q;\nmad.lo.s64 %off, %wide, %step, %off;\nmad.lo.s64 %to, %off, $E, %to;\n"
	"ld.global.$T %~r, [%to];\n?ld.global.$T %~i, [%to+$B];\n"
	"?setp.ne.u32 %t, %conj, 0;\n?@%t neg.$T %~i, %~i;\n"
	"?setp.eq.u32 %t, %w, 2;\n?setp.eq.and.u32 %t, %p, %q, %t;\n?@%t mov.$T %~i, $0;\n"
	"READY_~:\n";

/* If alpha is 0, a and b are not read. */
static const char product_loop[] =
	"setp.eq.$T %t, %ar, $0;\n?setp.eq.and.$T %t, %ai, $0, %t;\n@%t mov.u32 %k, 0;\n"
	"mov.$T %sr, $0;\n?mov.$T %si, $0;\nmov.u32 %at, 0;\n"
	/* the part of the row that a band has */
	"and.b32 %v, %flags, 2048;\nsetp.eq.u32 %t, %v, 0;\n@%t bra LOOP;\n"
	"ld.param.u32 %v, [p+208];\nmin.u32 %v, %v, %row;\nsub.u32 %at, %row, %v;\n"
	"ld.param.u32 %v, [p+212];\nadd.u32 %v, %v, %row;\nadd.u32 %v, %v, 1;\nmin.u32 %k, %k, %v;\n"
	"LOOP:\nsetp.ge.u32 %more, %at, %k;\n@%more bra SUMMED;\n"
	"ld.param.s64 %off, [p+48];\ncvt.u64.u32 %wide, %col;\nmul.lo.s64 %off, %off, %wide;\n"
	"mad.lo.s64 %to, %off, $E, %a;\n"
	"ld.param.s64 %off, [p+32];\nld.param.s64 %wide, [p+40];\nmov.u32 %p, %row;\nmov.u32 %q, %at;\n";
static const char product_second[] =
	"mov.$T %br, $1;\n?mov.$T %bi, $0;\nand.b32 %v, %flags, 8;\nsetp.ne.u32 %t, %v, 0;\n@%t bra READY_b;\n"
	"ld.param.s64 %off, [p+80];\ncvt.u64.u32 %wide, %row;\nmul.lo.s64 %off, %off, %wide;\n"
	"mad.lo.s64 %to, %off, $E, %b;\n"
	"ld.param.s64 %off, [p+64];\nld.param.s64 %wide, [p+72];\nmov.u32 %p, %at;\nmov.u32 %q, %col;\n";
static const char product_step[] = "fma.rn.$T %sr, %ar, %br, %sr;\n"
				   "?fma.rn.$T %si, %ar, %bi, %si;\n?fma.rn.$T %si, %ai, %br, %si;\n"
				   "?neg.$T %ai, %ai;\n?fma.rn.$T %sr, %ai, %bi, %sr;\n"
				   "add.u32 %at, %at, 1;\nbra LOOP;\nSUMMED:\n";

/* Loads a scalar into %ar and %ai. #: its offset among the parameters; ~: the flag for an address. */
static const char scalar_load[] =
	"ld.param.$T %ar, [p+#];\n?ld.param.$T %ai, [p+#+8];\n"
	"and.b32 %v, %flags, ~;\nsetp.ne.u32 %t, %v, 0;\n"
	"ld.param.u64 %to, [p+#];\n@%t ld.global.$T %ar, [%to];\n?@%t ld.global.$T %ai, [%to+$B];\n";
static const char alpha_parts[] = "?and.b32 %v, %flags, 64;\n?setp.ne.u32 %t, %v, 0;\n?@%t neg.$T %ai, %ai;\n"
				  "mul.rn.$T %dr, %ar, %sr;\n"
				  "?mul.rn.$T %di, %ar, %si;\n?fma.rn.$T %di, %ai, %sr, %di;\n"
				  "?neg.$T %ai, %ai;\n?fma.rn.$T %dr, %ai, %si, %dr;\n";
/*
 * Sets %to to the address of the element of c or d. ~: its name; #: offset of its strides. %in: the triangle is packed
 * column by column, so that column j of the upper one begins at j (j + 1) / 2, and column j of the lower one with row j
 * at j (2 m - j + 1) / 2.
 */
static const char result_address[] =
	"cvt.u64.u32 %wide, %row;\n@%in bra PACKED_~;\n"
	"ld.param.s64 %off, [p+#];\nmul.lo.s64 %off, %off, %wide;\n"
	"ld.param.s64 %step, [p+#+8];\ncvt.u64.u32 %wide, %col;\nmad.lo.s64 %off, %step, %wide, %off;\nbra PLACED_~;\n"
	"PACKED_~:\n"
	"shr.u32 %v, %flags, 8;\nand.b32 %v, %v, 3;\nsetp.eq.u32 %upper, %v, 2;\n"
	"cvt.u64.u32 %step, %col;\nadd.s64 %off, %step, 1;\n@%upper bra COLUMN_~;\n"
	"cvt.u64.u32 %off, %m;\nadd.s64 %off, %off, %off;\nsub.s64 %off, %off, %step;\nsub.s64 %off, %off, 1;\n"
	"COLUMN_~:\n"
	"mul.lo.s64 %off, %off, %step;\nshr.u64 %off, %off, 1;\nadd.s64 %off, %off, %wide;\n"
	"PLACED_~:\nmad.lo.s64 %to, %off, $E, %~;\n";
/* Sets %in to a flag. #: the flag. */
static const char flag_test[] = "and.b32 %v, %flags, #;\nsetp.ne.u32 %in, %v, 0;\n";
static const char beta_test[] =
	"setp.ne.$T %in, %ar, $0;\n?setp.ne.or.$T %in, %ai, $0, %in;\n@!%in bra STORE;\n";
static const char beta_load[] =
	"ld.global.$T %cr, [%to];\n?ld.global.$T %ci, [%to+$B];\n"
	"?and.b32 %v, %flags, 1024;\n?setp.ne.u32 %t, %v, 0;\n?@%t neg.$T %ci, %ci;\n";
static const char beta_parts[] = "@%in mov.$T %dr, %cr;\n?@%in mov.$T %di, %ci;\n@%in bra STORE;\n"
				 "fma.rn.$T %dr, %ar, %cr, %dr;\n"
				 "?fma.rn.$T %di, %ar, %ci, %di;\n?fma.rn.$T %di, %ai, %cr, %di;\n"
				 "?neg.$T %ai, %ai;\n?fma.rn.$T %dr, %ai, %ci, %dr;\n"
				 "STORE:\n";
static const char result_store[] =
	"st.global.$T [%to], %dr;\n"
	"?and.b32 %v, %flags, 128;\n?setp.ne.u32 %t, %v, 0;\n?setp.eq.and.u32 %t, %row, %col, %t;\n?@%t mov.$T %di, $0;\n"
	"?st.global.$T [%to+$B], %di;\n"
	"END:\nret;\n}\n";
/* A real scalar of a complex product. #: the flag. */
static const char real_scalar[] = "?and.b32 %v, %flags, #;\n?setp.ne.u32 %t, %v, 0;\n?@%t mov.$T %ai, $0;\n";

/* Writes the addition of beta * c, or its copy, and the store. */
static void put_result(FILE *f, int type)
{
	put_lines(f, beta_test, type);
	put_operand(f, flag_test, "", GENERAL_PACKED_C, type);
	put_operand(f, result_address, "c", 96, type);
	put_lines(f, beta_load, type);
	put_operand(f, flag_test, "", GENERAL_COPY, type);
	put_lines(f, beta_parts, type);
	put_operand(f, flag_test, "", GENERAL_PACKED_D, type);
	put_operand(f, result_address, "d", 128, type);
	put_lines(f, result_store, type);
}

static void put_product(FILE *f, int type)
{
	static const char *const names[4] = {"a", "b", "c", "d"};

	put_lines(f, product_head, type);
	for (unsigned i = 0; i < 4; i++) {
		put_operand(f, operand_base, names[i], 8 * i, type);
		put_operand(f, operand_batch, names[i], 56 + 32 * i, type);
	}
	put_operand(f, scalar_load, "2", 160, type);
	put_operand(f, real_scalar, "", GENERAL_REAL_ALPHA, type);
	put_lines(f, product_loop, type);
	put_operand(f, operand_element, "a", GENERAL_A, type);
	put_lines(f, product_second, type);
	put_operand(f, operand_element, "b", GENERAL_B, type);
	put_lines(f, product_step, type);
	put_operand(f, scalar_load, "2", 160, type);
	put_operand(f, real_scalar, "", GENERAL_REAL_ALPHA, type);
	put_lines(f, alpha_parts, type);
	put_operand(f, scalar_load, "4", 176, type);
	put_operand(f, real_scalar, "", GENERAL_REAL_BETA, type);
	put_result(f, type);
}

/*
 * Each thread solves for one column: in the order of the elements, or backwards, it subtracts the products of the
 * elements that it has, and divides by the diagonal.
 */
static const char solve_text[] =
	".version 7.0\n.target sm_60\n.address_size 64\n"
	".visible .entry triangular(.param .align 8 .b8 p[96])\n{\n"
	".reg .pred %t, %q, %pointers, %back, %unit, %conj, %none;\n"
	".reg .b32 %x, %col, %n, %m, %flags, %i, %j, %l, %k, %v;\n"
	".reg .b64 %a, %b, %to, %step, %wide, %rows, %batch, %pa;\n"
	".reg .$T %ar, %ai, %br, %bi, %xr, %xi, %sr, %si, %d;\n"
	"ld.param.u32 %n, [p+80];\nld.param.u32 %m, [p+84];\nld.param.u32 %flags, [p+88];\n"
	"mov.u32 %x, %tid.x;\nmov.u32 %col, %ctaid.x;\nmad.lo.u32 %col, %col, 64, %x;\n"
	"setp.ge.u32 %t, %col, %m;\n@%t bra END;\n"
	"and.b32 %v, %flags, 1;\nsetp.ne.u32 %pointers, %v, 0;\nand.b32 %v, %flags, 4;\nsetp.ne.u32 %back, %v, 0;\n"
	"and.b32 %v, %flags, 8;\nsetp.ne.u32 %unit, %v, 0;\nand.b32 %v, %flags, 16;\nsetp.ne.u32 %conj, %v, 0;\n"
	"mov.u32 %x, %ctaid.y;\ncvt.u64.u32 %batch, %x;\n"
	"ld.param.u64 %a, [p];\n@%pointers mad.lo.u64 %a, %batch, 8, %a;\n@%pointers ld.global.u64 %a, [%a];\n"
	"ld.param.s64 %step, [p+32];\nmul.lo.s64 %step, %step, $E;\n@!%pointers mad.lo.s64 %a, %batch, %step, %a;\n"
	"ld.param.u64 %b, [p+8];\n@%pointers mad.lo.u64 %b, %batch, 8, %b;\n@%pointers ld.global.u64 %b, [%b];\n"
	"ld.param.s64 %step, [p+56];\nmul.lo.s64 %step, %step, $E;\n@!%pointers mad.lo.s64 %b, %batch, %step, %b;\n"
	"cvt.u64.u32 %wide, %col;\nld.param.s64 %step, [p+48];\nmul.lo.s64 %step, %step, $E;\nmad.lo.s64 %b, %wide, %step, %b;\n"
	"ld.param.s64 %rows, [p+40];\nmul.lo.s64 %rows, %rows, $E;\n"
	"ld.param.$T %sr, [p+64];\n?ld.param.$T %si, [p+72];\n"
	"and.b32 %v, %flags, 2;\nsetp.ne.u32 %t, %v, 0;\nld.param.u64 %to, [p+64];\n"
	"@%t ld.global.$T %sr, [%to];\n?@%t ld.global.$T %si, [%to+$B];\n"
	"setp.eq.$T %none, %sr, $0;\n?setp.eq.and.$T %none, %si, $0, %none;\n"
	"mov.u32 %i, 0;\n"
	"ROW:\nsetp.ge.u32 %t, %i, %n;\n@%t bra END;\nadd.u32 %l, %i, 0;\n"
	"@%back sub.u32 %l, %n, %i;\n@%back sub.u32 %l, %l, 1;\n"
	"mov.$T %xr, $0;\n?mov.$T %xi, $0;\ncvt.u64.u32 %wide, %l;\nmad.lo.s64 %to, %wide, %rows, %b;\n@%none bra PUT;\n"
	"ld.global.$T %br, [%to];\n?ld.global.$T %bi, [%to+$B];\n"
	"mul.rn.$T %xr, %br, %sr;\n?mul.rn.$T %xi, %br, %si;\n?fma.rn.$T %xi, %bi, %sr, %xi;\n"
	"?neg.$T %d, %bi;\n?fma.rn.$T %xr, %d, %si, %xr;\n"
	"ld.param.s64 %step, [p+16];\nmul.lo.s64 %step, %step, $E;\nmad.lo.s64 %pa, %wide, %step, %a;\n"
	"ld.param.u32 %v, [p+92];\nmin.u32 %v, %v, %i;\nsub.u32 %j, %i, %v;\n"
	"TERM:\nsetp.ge.u32 %t, %j, %i;\n@%t bra DIVIDE;\nadd.u32 %k, %j, 0;\n"
	"@%back sub.u32 %k, %n, %j;\n@%back sub.u32 %k, %k, 1;\ncvt.u64.u32 %wide, %k;\n"
	"ld.param.s64 %step, [p+24];\nmul.lo.s64 %step, %step, $E;\nmad.lo.s64 %to, %wide, %step, %pa;\n"
	"ld.global.$T %ar, [%to];\n?ld.global.$T %ai, [%to+$B];\n?@%conj neg.$T %ai, %ai;\n"
	"mad.lo.s64 %to, %wide, %rows, %b;\nld.global.$T %br, [%to];\n?ld.global.$T %bi, [%to+$B];\n"
	"neg.$T %d, %ar;\nfma.rn.$T %xr, %d, %br, %xr;\n?fma.rn.$T %xi, %d, %bi, %xi;\n"
	"?fma.rn.$T %xr, %ai, %bi, %xr;\n?neg.$T %d, %ai;\n?fma.rn.$T %xi, %d, %br, %xi;\n"
	"add.u32 %j, %j, 1;\nbra TERM;\n"
	"DIVIDE:\n@%unit bra PUT;\ncvt.u64.u32 %wide, %l;\n"
	"ld.param.s64 %step, [p+24];\nmul.lo.s64 %step, %step, $E;\nmad.lo.s64 %to, %wide, %step, %pa;\n"
	"ld.global.$T %ar, [%to];\n!div.rn.$T %xr, %xr, %ar;\n"
	"?ld.global.$T %ai, [%to+$B];\n?@%conj neg.$T %ai, %ai;\n"
	"?mul.rn.$T %d, %ar, %ar;\n?fma.rn.$T %d, %ai, %ai, %d;\n" /* x conj(a) / |a|^2 */
	"?mul.rn.$T %br, %xr, %ar;\n?fma.rn.$T %br, %xi, %ai, %br;\n"
	"?mul.rn.$T %bi, %xi, %ar;\n?neg.$T %ai, %ai;\n?fma.rn.$T %bi, %xr, %ai, %bi;\n"
	"?div.rn.$T %xr, %br, %d;\n?div.rn.$T %xi, %bi, %d;\n"
	"PUT:\ncvt.u64.u32 %wide, %l;\nmad.lo.s64 %to, %wide, %rows, %b;\n"
	"st.global.$T [%to], %xr;\n?st.global.$T [%to+$B], %xi;\nadd.u32 %i, %i, 1;\nbra ROW;\n"
	"END:\nret;\n}\n";

/* One thread for each pair of elements. */
static const char rotation_text[] =
	".version 7.0\n.target sm_60\n.address_size 64\n"
	".visible .entry rotate(.param .align 8 .b8 p[80])\n{\n"
	".reg .pred %t;\n.reg .b32 %i, %x, %n;\n.reg .b64 %a, %b, %wide, %step;\n"
	".reg .$T %u, %v, %f, %g, %r, %s;\n?.reg .$T %ui, %vi, %ri, %si, %j, %minus;\n"
	"ld.param.u32 %n, [p+64];\nmov.u32 %x, %tid.x;\nmov.u32 %i, %ctaid.x;\nmad.lo.u32 %i, %i, 256, %x;\n"
	"setp.ge.u32 %t, %i, %n;\n@%t bra END;\ncvt.u64.u32 %wide, %i;\n"
	"ld.param.u64 %a, [p];\nld.param.s64 %step, [p+16];\nmul.lo.s64 %step, %step, $E;\nmad.lo.s64 %a, %wide, %step, %a;\n"
	"ld.param.u64 %b, [p+8];\nld.param.s64 %step, [p+24];\nmul.lo.s64 %step, %step, $E;\nmad.lo.s64 %b, %wide, %step, %b;\n"
	"?ld.global.$T %ui, [%a+$B];\n?ld.global.$T %vi, [%b+$B];\n"
	"ld.global.$T %u, [%a];\nld.global.$T %v, [%b];\nmov.$T %r, %v;\nmov.$T %s, %u;\n"
	"ld.param.u32 %x, [p+68];\nsetp.ne.u32 %t, %x, 0;\n@%t bra STORE;\n"
	"ld.param.$T %f, [p+32];\nld.param.$T %g, [p+40];\nmul.rn.$T %r, %g, %v;\nfma.rn.$T %r, %f, %u, %r;\n"
	"?mul.rn.$T %ri, %g, %vi;\n?fma.rn.$T %ri, %f, %ui, %ri;\n"
	"ld.param.$T %f, [p+48];\nld.param.$T %g, [p+56];\nmul.rn.$T %s, %g, %v;\nfma.rn.$T %s, %f, %u, %s;\n"
	"?mul.rn.$T %si, %g, %vi;\n?fma.rn.$T %si, %f, %ui, %si;\n"
	/* the products with the imaginary part of the sine, whose conjugate turns y */
	"?ld.param.$T %j, [p+72];\n?neg.$T %minus, %j;\n"
	"?fma.rn.$T %r, %minus, %vi, %r;\n?fma.rn.$T %ri, %j, %v, %ri;\n"
	"?fma.rn.$T %s, %minus, %ui, %s;\n?fma.rn.$T %si, %j, %u, %si;\n"
	"?st.global.$T [%a+$B], %ri;\n?st.global.$T [%b+$B], %si;\n"
	"STORE:\nst.global.$T [%a], %r;\nst.global.$T [%b], %s;\n"
	"END:\nret;\n}\n";

/* One block: each thread compares every 256th element, then thread 0 compares the results. */
static const char extreme_text[] =
	".version 7.0\n.target sm_60\n.address_size 64\n"
	".visible .entry extreme(.param .align 8 .b8 p[40])\n{\n"
	".shared .align 8 .b8 values[2048];\n.shared .align 4 .b8 places[1024];\n"
	".reg .pred %t, %least, %better, %first;\n.reg .b32 %i, %x, %n, %best, %v, %pv, %pp;\n"
	".reg .b64 %a, %to, %wide, %step;\n.reg .$T %u, %w, %m;\n"
	"ld.param.u32 %n, [p+24];\nld.param.u32 %v, [p+28];\nsetp.ne.u32 %least, %v, 0;\n"
	"mov.u32 %x, %tid.x;\nmov.u32 %i, %x;\nmov.u32 %best, 0;\nmov.$T %m, $0;\n"
	"ld.param.u64 %a, [p];\nld.param.s64 %step, [p+16];\nmul.lo.s64 %step, %step, $E;\n"
	"LOOP:\nsetp.ge.u32 %t, %i, %n;\n@%t bra KEEP;\ncvt.u64.u32 %wide, %i;\nmad.lo.s64 %to, %wide, %step, %a;\n"
	"ld.global.$T %u, [%to];\nabs.$T %u, %u;\n?ld.global.$T %w, [%to+$B];\n?abs.$T %w, %w;\n?add.rn.$T %u, %u, %w;\n"
	"setp.gt.$T %better, %u, %m;\n@%least setp.lt.$T %better, %u, %m;\n"
	"setp.eq.or.u32 %better, %best, 0, %better;\n@%better mov.$T %m, %u;\n@%better add.u32 %best, %i, 1;\n"
	"add.u32 %i, %i, 256;\nbra LOOP;\n"
	"KEEP:\nmov.u32 %pv, values;\nmad.lo.u32 %pv, %x, $B, %pv;\nmov.u32 %pp, places;\nmad.lo.u32 %pp, %x, 4, %pp;\n"
	"st.shared.$T [%pv], %m;\nst.shared.u32 [%pp], %best;\nbar.sync 0;\nsetp.ne.u32 %t, %x, 0;\n@%t bra END;\nmov.u32 %i, 1;\n"
	"JOIN:\nadd.u32 %pv, %pv, $B;\nadd.u32 %pp, %pp, 4;\nld.shared.$T %u, [%pv];\nld.shared.u32 %v, [%pp];\n"
	"setp.gt.$T %better, %u, %m;\n@%least setp.lt.$T %better, %u, %m;\n"
	"setp.eq.$T %first, %u, %m;\nsetp.lt.and.u32 %first, %v, %best, %first;\nor.pred %better, %better, %first;\n"
	"setp.ne.and.u32 %better, %v, 0, %better;\n@%better mov.$T %m, %u;\n@%better mov.u32 %best, %v;\n"
	"add.u32 %i, %i, 1;\nsetp.lt.u32 %t, %i, 256;\n@%t bra JOIN;\n"
	"ld.param.u64 %to, [p+8];\nst.global.u32 [%to], %best;\nld.param.u32 %v, [p+32];\nsetp.eq.u32 %t, %v, 4;\n@%t bra END;\n"
	"mov.u32 %v, 0;\nst.global.u32 [%to+4], %v;\n"
	"END:\nret;\n}\n";

/*
 * Returns the PTX of a kernel with the body `text`; NULL means the body of a product. Returns NULL if memory is
 * exhausted. The caller frees the result.
 */
static char *general_kernel_text(const char *text, int type)
{
	char *all = NULL;
	size_t n;
	FILE *f = open_memstream(&all, &n);

	if (!f)
		return NULL;
	if (text)
		put_lines(f, text, type);
	else
		put_product(f, type);
	return fclose(f) ? NULL : all;
}

/* ---- launches ---- */

int cublas_launch_lines(struct cublas_handle *h, const char *name, const char *text, int type,
	const unsigned grid[3], unsigned block_x, unsigned block_y, void *parameters)
{
	char key[64];
	void *args[] = {parameters};

	snprintf(key, sizeof(key), "%s %d", name, type);
	return cublas_launch_grid(
		h, key, name, general_kernel_text(text, type), grid, block_x, block_y, args);
}

/*
 * Sets to[] to a scalar's parts in the kernel's type, or to its address on the device. A NULL scalar is 1. Returns true
 * if it is an address.
 */
static bool set_scalar(const struct cublas_handle *h, uint64_t to[2], const void *scalar, int type, bool real)
{
	static const double one = 1;
	static const float single = 1;
	size_t bytes = cublas_is_double(type) ? 8 : 4;

	to[0] = to[1] = 0;
	if (!scalar) {
		memcpy(to, cublas_is_double(type) ? (const void *)&one : (const void *)&single, bytes);
		return false;
	}
	if (h->scalars_on_device) {
		to[0] = (uintptr_t)scalar;
		return true;
	}
	memcpy(&to[0], scalar, bytes);
	if (cublas_is_complex(type) && !real)
		memcpy(&to[1], (const char *)scalar + bytes, bytes);
	return false;
}

static unsigned shape_flags(const struct cublas_view *v)
{
	return (unsigned)v->shape | (v->upper ? 4u : 0u) | (v->unit ? 8u : 0u) | (v->conjugate ? 16u : 0u);
}

int cublas_general_run(struct cublas_handle *h, const struct cublas_general *g)
{
	const struct cublas_view *view[4] = {&g->a, &g->b, &g->c, &g->d};
	struct product_args p = {.m = (uint32_t)g->m,
		.n = (uint32_t)g->n,
		.k = (uint32_t)g->k,
		.below = (uint32_t)g->below,
		.above = (uint32_t)g->above};

	if (g->m < 0 || g->n < 0 || g->k < 0 || g->batches < 0)
		return CUBLAS_INVALID_VALUE;
	if (!g->m || !g->n || !g->batches)
		return CUBLAS_SUCCESS;
	if (g->below > INT32_MAX || g->above > INT32_MAX || g->m > INT32_MAX || g->n > 65535 * 16 ||
		g->k > INT32_MAX || g->batches > 65535)
		return cublas_unsupported("cublas product", "a matrix of this size");
	for (unsigned i = 0; i < 4; i++) {
		const int64_t stride[4] = {view[i]->row, view[i]->column, view[i]->other, view[i]->batch};

		p.base[i] = view[i]->base;
		memcpy(p.stride[i], stride, sizeof(stride));
	}
	p.flags = (g->pointers ? GENERAL_POINTERS : 0u) | (g->b_is_one ? GENERAL_B_IS_ONE : 0u) |
		  (g->real_alpha ? GENERAL_REAL_ALPHA : 0u) | (g->real_beta ? GENERAL_REAL_BETA : 0u) |
		  (g->conjugate_alpha ? GENERAL_CONJUGATE_ALPHA : 0u) |
		  (g->real_diagonal ? GENERAL_REAL_DIAGONAL : 0u) |
		  (unsigned)g->triangle << GENERAL_TRIANGLE | (g->c.conjugate ? GENERAL_CONJUGATE_C : 0u) |
		  (g->band ? GENERAL_BAND : 0u) | (g->packed_c ? GENERAL_PACKED_C : 0u) |
		  (g->packed_d ? GENERAL_PACKED_D : 0u) | (g->copy ? GENERAL_COPY : 0u) |
		  shape_flags(&g->a) << GENERAL_A | shape_flags(&g->b) << GENERAL_B;
	if (set_scalar(h, p.alpha, g->alpha, g->type, g->real_alpha))
		p.flags |= GENERAL_ALPHA_ON_DEVICE;
	if (!g->no_beta && set_scalar(h, p.beta, g->beta, g->type, g->real_beta))
		p.flags |= GENERAL_BETA_ON_DEVICE;
	return cublas_launch_lines(h, "general", NULL, g->type,
		(unsigned[]){(p.m + 15) / 16, (p.n + 15) / 16, (unsigned)g->batches}, 16, 16, &p);
}

int cublas_triangular_solve(struct cublas_handle *h, const struct cublas_triangular *t)
{
	struct solve_args p = {.base = {t->a.base, t->b.base},
		.stride = {{t->a.row, t->a.column, t->a.batch}, {t->b.row, t->b.column, t->b.batch}},
		.n = (uint32_t)t->n,
		.columns = (uint32_t)t->columns,
		.band = t->band ? (uint32_t)t->diagonals : UINT32_MAX,
		.flags = (t->pointers ? SOLVE_POINTERS : 0u) | (t->a.upper ? SOLVE_BACKWARD : 0u) |
			 (t->a.unit ? SOLVE_UNIT : 0u) | (t->a.conjugate ? SOLVE_CONJUGATE : 0u)};

	if (!t->n || !t->columns || !t->batches)
		return CUBLAS_SUCCESS;
	if ((t->band && t->diagonals > INT32_MAX) || t->n > INT32_MAX || t->columns > INT32_MAX ||
		t->batches > 65535)
		return cublas_unsupported("cublas solution", "a matrix of this size");
	if (set_scalar(h, p.alpha, t->alpha, t->type, false))
		p.flags |= SOLVE_ALPHA_ON_DEVICE;
	return cublas_launch_lines(h, "triangular", solve_text, t->type,
		(unsigned[]){(p.columns + 63) / 64, (unsigned)t->batches, 1}, 64, 1, &p);
}

/* Returns a number as the bits of a parameter, in the precision of the type. */
static uint64_t real_parameter(double value, int type)
{
	float single = (float)value;
	uint64_t bits = 0;

	if (cublas_is_double(type))
		memcpy(&bits, &value, sizeof(value));
	else
		memcpy(&bits, &single, sizeof(single));
	return bits;
}

int cublas_rotate(struct cublas_handle *h, const struct cublas_rotation *r)
{
	struct rotation_args p = {r->x, r->y, r->step_x, r->step_y, {0}, (uint32_t)r->n, r->swap, 0};

	if (r->n <= 0)
		return CUBLAS_SUCCESS;
	if (r->n > INT32_MAX)
		return cublas_unsupported("cublas vector function", "a vector of this size");
	for (unsigned i = 0; i < 4; i++)
		p.h[i] = real_parameter(r->h[i], r->type);
	p.imaginary = real_parameter(r->imaginary, r->type);
	return cublas_launch_lines(
		h, "rotate", rotation_text, r->type, (unsigned[]){(p.n + 255) / 256, 1, 1}, 256, 1, &p);
}

int cublas_extreme(struct cublas_handle *h, int64_t n, int type, uint64_t x, int64_t step, bool least,
	void *to, size_t bytes)
{
	struct extreme_args p = {x, 0, step, n > 0 && step > 0 ? (uint32_t)n : 0, least, (uint32_t)bytes, 0};
	int e;

	if (n > INT32_MAX)
		return cublas_unsupported("cublas vector function", "a vector of this size");
	e = cublas_result_begin(h, to, &p.to);
	if (e)
		return e;
	e = cublas_launch_lines(h, "extreme", extreme_text, type, (unsigned[]){1, 1, 1}, 256, 1, &p);
	return cublas_result_end(h, e, to, bytes);
}
