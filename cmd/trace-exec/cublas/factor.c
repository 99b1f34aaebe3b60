/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Batches of small systems of linear equations: LU factors (getrfBatched), solutions (getrsBatched) and inverses
 * (getriBatched, matinvBatched), in single and double precision.
 *
 * One thread block works on each matrix. A matrix is stored column by column: element (i, j) is at index
 * i + j * pitch. Pivots count rows from 1, as in LAPACK.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cublas/general.h"

int cuMemAlloc_v2(uint64_t *to, size_t n), cuMemFree_v2(uint64_t addr),
	cudaMemcpy(void *to, const void *from, size_t n, int kind);

/* Number of threads of a block; direction of a copy. */
enum { THREADS = 128, HOST_TO_DEVICE = 1 };

/* ---- kernels: $T is the type, $B its bytes, $0 its zero, $1 its one ---- */

static const char head[] =
	".version 7.0\n.target sm_60\n.address_size 64\n"
	".visible .entry $N(.param .u64 a, .param .u64 b, .param .u64 pivots, .param .u64 info,\n"
	"\t.param .u32 n, .param .u32 columns, .param .u32 pitch_a, .param .u32 pitch_b, .param .u32 flags)\n{\n"
	"\t.reg .pred %end, %more, %p, %q, %has;\n"
	"\t.reg .b32 %x, %z, %n, %m, %la, %lb, %i, %j, %k, %c, %row, %at, %flags, %bad;\n"
	"\t.reg .b64 %a, %b, %v, %t, %l, %f, %s, %u, %w;\n"
	"\t.reg .$T %e, %g, %h, %y;\n"
	"\tld.param.u64 %a, [a];\n\tld.param.u64 %b, [b];\n\tld.param.u64 %v, [pivots];\n\tld.param.u64 %f, [info];\n"
	"\tld.param.u32 %n, [n];\n\tld.param.u32 %m, [columns];\n\tld.param.u32 %la, [pitch_a];\n"
	"\tld.param.u32 %lb, [pitch_b];\n\tld.param.u32 %flags, [flags];\n"
	"\tmov.u32 %x, %tid.x;\n\tmov.u32 %z, %ctaid.x;\n"
	"\tmad.wide.u32 %a, %z, 8, %a;\n\tld.global.u64 %a, [%a];\n"
	"\tsetp.ne.u64 %has, %v, 0;\n\tmul.lo.u32 %i, %z, %n;\n\t@%has mad.wide.u32 %v, %i, 4, %v;\n";

/*
 * The factors replace the matrix. For each column: thread 0 finds the pivot, all threads swap two rows, divide the
 * column below the diagonal, and subtract its products from the columns on its right. A block whose matrix is singular
 * stores the number of the first column without a pivot.
 */
static const char factor_body[] =
	"\t.shared .align 4 .b32 chosen;\n"
	"\tmov.u32 %bad, 0;\n\tmov.u32 %j, 0;\n"
	"COLUMN:\n\tsetp.ge.u32 %end, %j, %n;\n\t@%end bra DONE;\n"
	"\tmul.lo.u32 %at, %j, %la;\n\tmad.wide.u32 %t, %at, $B, %a;\n" /* %t: column j */
	"\tmad.wide.u32 %w, %j, $B, %t;\n"                              /* %w: diagonal element of column j */
	"\tsetp.ne.u32 %p, %x, 0;\n\t@%p bra CHOSEN;\n"
	"\tmov.u32 %row, %j;\n\t@!%has bra STORE;\n"
	"\tld.global.$T %e, [%w];\n\tabs.$T %e, %e;\n\tadd.u32 %i, %j, 1;\n"
	"PIVOT:\n\tsetp.ge.u32 %more, %i, %n;\n\t@%more bra PUT;\n"
	"\tmad.wide.u32 %s, %i, $B, %t;\n\tld.global.$T %g, [%s];\n\tabs.$T %g, %g;\n"
	"\tsetp.gt.$T %q, %g, %e;\n\t@%q mov.$T %e, %g;\n\t@%q mov.u32 %row, %i;\n"
	"\tadd.u32 %i, %i, 1;\n\tbra PIVOT;\n"
	"PUT:\n\tadd.u32 %i, %row, 1;\n\tmad.wide.u32 %s, %j, 4, %v;\n\tst.global.u32 [%s], %i;\n"
	"STORE:\n\tst.shared.u32 [chosen], %row;\n"
	"CHOSEN:\n\tbar.sync 0;\n\tld.shared.u32 %row, [chosen];\n"
	"\tsetp.eq.u32 %p, %row, %j;\n\t@%p bra SWAPPED;\n\tmov.u32 %c, %x;\n"
	"SWAP:\n\tsetp.ge.u32 %more, %c, %n;\n\t@%more bra SWAPPED;\n"
	"\tmul.lo.u32 %at, %c, %la;\n\tmad.wide.u32 %l, %at, $B, %a;\n"
	"\tmad.wide.u32 %s, %row, $B, %l;\n\tmad.wide.u32 %u, %j, $B, %l;\n"
	"\tld.global.$T %e, [%s];\n\tld.global.$T %g, [%u];\n\tst.global.$T [%s], %g;\n\tst.global.$T [%u], %e;\n"
	"\tadd.u32 %c, %c, $S;\n\tbra SWAP;\n"
	"SWAPPED:\n\tbar.sync 0;\n"
	"\tld.global.$T %h, [%w];\n\tsetp.eq.$T %q, %h, $0;\n\tadd.u32 %k, %j, 1;\n"
	"\tsetp.eq.and.u32 %p, %bad, 0, %q;\n\t@%p mov.u32 %bad, %k;\n\t@%q bra NEXT;\n"
	"\tadd.u32 %i, %k, %x;\n"
	"ROW:\n\tsetp.ge.u32 %more, %i, %n;\n\t@%more bra NEXT;\n"
	"\tmad.wide.u32 %s, %i, $B, %t;\n\tld.global.$T %e, [%s];\n\tdiv.rn.$T %e, %e, %h;\n\tst.global.$T [%s], %e;\n"
	"\tneg.$T %e, %e;\n\tmov.u32 %c, %k;\n"
	"RIGHT:\n\tsetp.ge.u32 %more, %c, %n;\n\t@%more bra BELOW;\n"
	"\tmul.lo.u32 %at, %c, %la;\n\tmad.wide.u32 %l, %at, $B, %a;\n"
	"\tmad.wide.u32 %s, %j, $B, %l;\n\tld.global.$T %g, [%s];\n"
	"\tmad.wide.u32 %s, %i, $B, %l;\n\tld.global.$T %y, [%s];\n"
	"\tfma.rn.$T %y, %e, %g, %y;\n\tst.global.$T [%s], %y;\n"
	"\tadd.u32 %c, %c, 1;\n\tbra RIGHT;\n"
	"BELOW:\n\tadd.u32 %i, %i, $S;\n\tbra ROW;\n"
	"NEXT:\n\tbar.sync 0;\n\tmov.u32 %j, %k;\n\tbra COLUMN;\n"
	"DONE:\n\tsetp.ne.u32 %p, %x, 0;\n\tsetp.eq.or.u64 %p, %f, 0, %p;\n\t@%p bra END;\n"
	"\tmad.wide.u32 %f, %z, 4, %f;\n\tst.global.u32 [%f], %bad;\n"
	"END:\n\tret;\n}\n";

/*
 * Each thread solves for whole columns of b. With flag 1, b begins as the identity matrix, so that the result is the
 * inverse. If a diagonal element is 0, the matrix is singular, and the number of the element, from 1 on, is stored.
 */
static const char solve_body[] =
	"\tmad.wide.u32 %b, %z, 8, %b;\n\tld.global.u64 %b, [%b];\n\tmov.u32 %bad, 0;\n\tmov.u32 %c, %x;\n"
	"COLUMN:\n\tsetp.ge.u32 %end, %c, %m;\n\t@%end bra DONE;\n"
	"\tmul.lo.u32 %at, %c, %lb;\n\tmad.wide.u32 %t, %at, $B, %b;\n" /* %t: column c of b */
	"\tand.b32 %i, %flags, 1;\n\tsetp.eq.u32 %p, %i, 0;\n\t@%p bra PERMUTE;\n\tmov.u32 %i, 0;\n"
	"FILL:\n\tsetp.ge.u32 %more, %i, %n;\n\t@%more bra PERMUTE;\n"
	"\tsetp.eq.u32 %p, %i, %c;\n\tselp.$T %e, $1, $0, %p;\n"
	"\tmad.wide.u32 %s, %i, $B, %t;\n\tst.global.$T [%s], %e;\n\tadd.u32 %i, %i, 1;\n\tbra FILL;\n"
	"PERMUTE:\n\tmov.u32 %j, 0;\n\t@!%has bra FORWARD;\n"
	"SWAP:\n\tsetp.ge.u32 %more, %j, %n;\n\t@%more bra UNIT;\n"
	"\tmad.wide.u32 %s, %j, 4, %v;\n\tld.global.u32 %row, [%s];\n\tsub.u32 %row, %row, 1;\n"
	"\tmad.wide.u32 %s, %row, $B, %t;\n\tmad.wide.u32 %u, %j, $B, %t;\n"
	"\tld.global.$T %e, [%s];\n\tld.global.$T %g, [%u];\n\tst.global.$T [%s], %g;\n\tst.global.$T [%u], %e;\n"
	"\tadd.u32 %j, %j, 1;\n\tbra SWAP;\n"
	"UNIT:\n\tmov.u32 %j, 0;\n"
	"FORWARD:\n\tsetp.ge.u32 %more, %j, %n;\n\t@%more bra BACK;\n"
	"\tmul.lo.u32 %at, %j, %la;\n\tmad.wide.u32 %l, %at, $B, %a;\n"
	"\tmad.wide.u32 %s, %j, $B, %t;\n\tld.global.$T %e, [%s];\n\tneg.$T %e, %e;\n\tadd.u32 %i, %j, 1;\n"
	"LOWER:\n\tsetp.ge.u32 %more, %i, %n;\n\t@%more bra LOWERED;\n"
	"\tmad.wide.u32 %s, %i, $B, %l;\n\tld.global.$T %g, [%s];\n"
	"\tmad.wide.u32 %s, %i, $B, %t;\n\tld.global.$T %y, [%s];\n"
	"\tfma.rn.$T %y, %e, %g, %y;\n\tst.global.$T [%s], %y;\n\tadd.u32 %i, %i, 1;\n\tbra LOWER;\n"
	"LOWERED:\n\tadd.u32 %j, %j, 1;\n\tbra FORWARD;\n"
	"BACK:\n\tsetp.eq.u32 %end, %j, 0;\n\t@%end bra SOLVED;\n\tsub.u32 %j, %j, 1;\n"
	"\tmul.lo.u32 %at, %j, %la;\n\tmad.wide.u32 %l, %at, $B, %a;\n"
	"\tmad.wide.u32 %s, %j, $B, %l;\n\tld.global.$T %h, [%s];\n"
	"\tsetp.eq.$T %q, %h, $0;\n\t@%q add.u32 %bad, %j, 1;\n"
	"\tmad.wide.u32 %s, %j, $B, %t;\n\tld.global.$T %e, [%s];\n\tdiv.rn.$T %e, %e, %h;\n\tst.global.$T [%s], %e;\n"
	"\tneg.$T %e, %e;\n\tmov.u32 %i, 0;\n"
	"UPPER:\n\tsetp.ge.u32 %more, %i, %j;\n\t@%more bra BACK;\n"
	"\tmad.wide.u32 %s, %i, $B, %l;\n\tld.global.$T %g, [%s];\n"
	"\tmad.wide.u32 %s, %i, $B, %t;\n\tld.global.$T %y, [%s];\n"
	"\tfma.rn.$T %y, %e, %g, %y;\n\tst.global.$T [%s], %y;\n\tadd.u32 %i, %i, 1;\n\tbra UPPER;\n"
	"SOLVED:\n\tadd.u32 %c, %c, $S;\n\tbra COLUMN;\n"
	"DONE:\n\tsetp.ne.u32 %p, %x, 0;\n\tsetp.eq.or.u64 %p, %f, 0, %p;\n\t@%p bra END;\n"
	"\tmad.wide.u32 %f, %z, 4, %f;\n\tst.global.u32 [%f], %bad;\n"
	"END:\n\tret;\n}\n";

/*
 * Writes a piece of a kernel. Replaces $N, $T, $B, $S, $0 and $1 by the name, the type, its bytes, the threads of a
 * block, zero and one.
 */
static void put_factor_piece(FILE *f, const char *piece, const char *name, bool doubles)
{
	for (; *piece; piece++) {
		if (*piece != '$') {
			fputc(*piece, f);
			continue;
		}
		switch (*++piece) {
		case 'N': fputs(name, f); break;
		case 'T': fputs(doubles ? "f64" : "f32", f); break;
		case 'B': fputs(doubles ? "8" : "4", f); break;
		case 'S': fprintf(f, "%d", THREADS); break;
		case '0': fputs(doubles ? "0d0000000000000000" : "0f00000000", f); break;
		default: fputs(doubles ? "0d3ff0000000000000" : "0f3f800000", f);
		}
	}
}

/* Returns the PTX of a kernel, which the caller frees, or NULL if memory is exhausted. */
static char *factor_kernel_text(const char *name, const char *body, bool doubles)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return NULL;
	put_factor_piece(f, head, name, doubles);
	put_factor_piece(f, body, name, doubles);
	return fclose(f) ? NULL : text;
}

/* A batch of systems: arrays of addresses of matrices on the device. */
struct systems {
	const void *a, *b;
	const int *pivots;
	int *info; /* results, in the memory of the device; NULL: none are written */
	int n, columns, pitch_a, pitch_b, batches;
	bool doubles, identity;
};

static int run_systems(struct cublas_handle *h, const char *name, const char *body, const struct systems *s)
{
	struct systems x = *s;
	unsigned flags = s->identity;
	void *args[] = {&x.a, &x.b, &x.pivots, &x.info, &x.n, &x.columns, &x.pitch_a, &x.pitch_b, &flags};
	char key[64];

	if (!h)
		return CUBLAS_NOT_INITIALIZED;
	if (s->n < 0 || s->columns < 0 || s->batches < 0 || s->pitch_a < (s->n > 1 ? s->n : 1) ||
		s->pitch_b < (s->n > 1 ? s->n : 1))
		return CUBLAS_INVALID_VALUE;
	if (!s->n || !s->columns || !s->batches)
		return CUBLAS_SUCCESS;
	if (s->n > 32768)
		return cublas_unsupported("cublas batch of systems", "a matrix of this size");
	snprintf(key, sizeof(key), "%s %d", name, s->doubles);
	return cublas_launch_text(h, key, name, factor_kernel_text(name, body, s->doubles),
		(unsigned)s->batches, THREADS, args);
}

static int solve_systems(struct cublas_handle *h, int op, int *host_info, const struct systems *s)
{
	if (host_info)
		*host_info = 0;
	if (op)
		return cublas_unsupported("cublas getrsBatched", "a transposed matrix");
	return run_systems(h, "solve", solve_body, s);
}

/* Bytes for a batch of matrix inversions: copies of the matrices, pivots, and the addresses of the copies. */
static size_t inversion_bytes(const struct systems *s, size_t *copies, size_t *pivots)
{
	size_t batches = (size_t)s->batches, n = (size_t)s->n, bytes = s->doubles ? 8 : 4;

	*copies = batches * n * n * bytes;
	*pivots = (batches * n * sizeof(int) + 7) / 8 * 8;
	return *copies + *pivots + batches * sizeof(uint64_t);
}

/* Copies the matrices of a to memory at `base`, whose addresses are at `addresses`. */
static int copy_systems(struct cublas_handle *h, const struct systems *s, uint64_t base, uint64_t addresses)
{
	size_t step = (size_t)s->n * (size_t)s->n * (s->doubles ? 8 : 4);
	uint64_t *at = calloc((size_t)s->batches, sizeof(*at));
	struct cublas_general g = {.a = {.base = (uintptr_t)s->a, .row = 1, .other = s->pitch_a},
		.d = {.base = addresses, .row = 1, .column = s->n},
		.m = s->n,
		.n = s->n,
		.k = 1,
		.batches = s->batches,
		.type = s->doubles ? TYPE_F64 : TYPE_F32,
		.no_beta = true,
		.b_is_one = true,
		.pointers = true};
	int e;

	if (!at)
		return CUBLAS_ALLOC_FAILED;
	for (int i = 0; i < s->batches; i++)
		at[i] = base + (size_t)i * step;
	g.b = g.c = g.d;
	e = cudaMemcpy((void *)(uintptr_t)addresses, at, (size_t)s->batches * sizeof(*at), HOST_TO_DEVICE);
	free(at);
	return e ? CUBLAS_EXECUTION_FAILED : cublas_general_run(h, &g);
}

/* Stores the inverses of the matrices of a, which have at most 32 rows, in b. */
static int invert_systems(struct cublas_handle *h, const struct systems *s)
{
	struct systems x = *s;
	size_t copies, pivots, bytes;
	uint64_t base;
	int e;

	if (!h)
		return CUBLAS_NOT_INITIALIZED;
	if (s->n < 0 || s->n > 32 || s->batches < 0 || s->pitch_a < (s->n > 1 ? s->n : 1) ||
		s->pitch_b < (s->n > 1 ? s->n : 1))
		return CUBLAS_INVALID_VALUE;
	if (!s->n || !s->batches)
		return CUBLAS_SUCCESS;
	bytes = inversion_bytes(s, &copies, &pivots);
	if (cuMemAlloc_v2(&base, bytes))
		return CUBLAS_ALLOC_FAILED;
	e = copy_systems(h, s, base, base + copies + pivots);
	x.a = (const void *)(uintptr_t)(base + copies + pivots);
	x.pivots = (const int *)(uintptr_t)(base + copies);
	x.pitch_a = s->n;
	if (!e)
		e = run_systems(h, "factor", factor_body, &x);
	x.info = NULL;
	if (!e)
		e = run_systems(h, "solve", solve_body, &x);
	return cuMemFree_v2(base) && !e ? CUBLAS_EXECUTION_FAILED : e;
}

#define SYSTEMS(L, type, doubles) \
	API(int, cublas##L##matinvBatched, struct cublas_handle *h, int n, const type *const *a, \
		int pitch_a, type *const *b, int pitch_b, int *info, int batches) \
	{ \
		return invert_systems(h, &(struct systems){a, b, NULL, info, n, n, pitch_a, pitch_b, \
						 batches, doubles, true}); \
	} \
	API(int, cublas##L##getrfBatched, struct cublas_handle *h, int n, type *const *a, int pitch, \
		int *pivots, int *info, int batches) \
	{ \
		return run_systems(h, "factor", factor_body, \
			&(struct systems){ \
				a, NULL, pivots, info, n, n, pitch, pitch, batches, doubles, false}); \
	} \
	API(int, cublas##L##getrsBatched, struct cublas_handle *h, int op, int n, int columns, \
		const type *const *a, int pitch_a, const int *pivots, type *const *b, int pitch_b, \
		int *info, int batches) \
	{ \
		return solve_systems(h, op, info, \
			&(struct systems){ \
				a, b, pivots, NULL, n, columns, pitch_a, pitch_b, batches, doubles, false}); \
	} \
	API(int, cublas##L##getriBatched, struct cublas_handle *h, int n, const type *const *a, int pitch_a, \
		const int *pivots, type *const *b, int pitch_b, int *info, int batches) \
	{ \
		return run_systems(h, "solve", solve_body, \
			&(struct systems){ \
				a, b, pivots, info, n, n, pitch_a, pitch_b, batches, doubles, true}); \
	}
SYSTEMS(S, float, false)
SYSTEMS(D, double, true)
